//! What a page and a program in a worker say to each other: words and numbers, so that neither needs code to write or read a
//! format.

/// A message: words, the first of which says what it is, and numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wire {
    /// Words.
    pub words: Vec<String>,
    /// Numbers.
    pub numbers: Vec<f64>,
}

impl Wire {
    /// A message of these words and numbers.
    pub fn new(words: &[&str], numbers: &[f64]) -> Self {
        Self { words: words.iter().map(|w| (*w).to_owned()).collect(), numbers: numbers.to_vec() }
    }

    /// A word; empty if there are not so many.
    pub(crate) fn word(&self, i: usize) -> &str {
        self.words.get(i).map_or("", String::as_str)
    }

    /// A number; infinite if there are not so many, or if it is none.
    pub(crate) fn number(&self, i: usize) -> f64 {
        self.numbers.get(i).copied().filter(|n| !n.is_nan()).unwrap_or(f64::INFINITY)
    }
}

/// Yes and no as a number.
pub(crate) fn flag(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}
