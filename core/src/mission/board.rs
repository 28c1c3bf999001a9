//! What a mission draws of its state: the GPUs, and bars that fill.

use serde::{Deserialize, Serialize};

use super::{Counted, Game};

/// The most GPUs that are drawn.
const MOST_GPUS: f64 = 1e6;

/// What is drawn, as a mission declares it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// How many GPUs there are: an expression.
    pub gpus: String,
    /// How many GPUs a node has: an expression.
    pub node: String,
    /// Bars, from above.
    #[serde(default)]
    pub bar: Vec<Bar>,
}

/// A bar, as a mission declares it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bar {
    /// What a person calls it.
    pub label: String,
    /// What it counts.
    pub unit: Counted,
    /// What it stands for.
    pub kind: Kind,
    /// How much: an expression.
    pub value: String,
    /// Of how much: an expression.
    pub of: String,
}

/// What a bar stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The memory of a GPU, which each GPU is drawn with: more than there is does not fit.
    #[default]
    Memory,
    /// Days of a calendar, a cell each: they are gone.
    Calendar,
    /// A budget: it is spent.
    Budget,
    /// What is to be reached.
    Goal,
}

impl Kind {
    /// Whether more than there is is wrong.
    pub fn has_limit(self) -> bool {
        !matches!(self, Self::Goal)
    }
}

/// What is drawn at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// GPUs.
    pub gpus: u64,
    /// GPUs of a node.
    pub node: u64,
    /// Bars, in the order of [`Board::bar`].
    pub bars: Vec<Filled>,
}

/// A bar at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filled {
    /// What a person calls it.
    pub label: String,
    /// What it counts.
    pub unit: Counted,
    /// What it stands for.
    pub kind: Kind,
    /// How much.
    pub value: f64,
    /// Of how much.
    pub of: f64,
}

impl Filled {
    /// Whether there is more than there may be.
    pub fn is_over(&self) -> bool {
        self.kind.has_limit() && self.value > self.of * (1.0 + 1e-9)
    }

    /// The bar in words: `57.1 GB of 80 GB, 22.9 GB left`.
    pub fn says(&self) -> String {
        let write = |value: f64| self.unit.format(value);
        let rest = match self.kind {
            Kind::Goal => String::new(),
            _ if self.is_over() => format!(", {} too much", write(self.value - self.of)),
            _ => format!(", {} left", write(self.of - self.value)),
        };
        format!("{} of {}{rest}", write(self.value), write(self.of))
    }
}

impl Game<'_> {
    /// What is drawn of the state; nothing where the mission draws nothing.
    ///
    /// # Errors
    /// What is wrong with an expression: a sentence.
    pub fn picture(&self) -> Result<Option<Picture>, String> {
        let Some(board) = &self.mission().board else { return Ok(None) };
        let whole = |text: &str| self.eval(text).map(|value| value.clamp(0.0, MOST_GPUS).round() as u64);
        let bar = |bar: &Bar| {
            let [value, of] = [&bar.value, &bar.of].map(|text| self.eval(text));
            Ok(Filled {
                label: bar.label.clone(),
                unit: bar.unit,
                kind: bar.kind,
                value: value?.max(0.0),
                of: of?.max(0.0),
            })
        };
        Ok(Some(Picture {
            gpus: whole(&board.gpus)?,
            node: whole(&board.node)?.max(1),
            bars: board.bar.iter().map(bar).collect::<Result<_, String>>()?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_says_what_is_left_and_what_is_too_much() {
        let bar = |kind, value| Filled { kind, unit: Counted::Bytes, value, of: 80e9, ..Filled::default() };
        assert_eq!(bar(Kind::Memory, 57e9).says(), "57 GB of 80 GB, 23 GB left");
        assert_eq!(bar(Kind::Memory, 500e9).says(), "500 GB of 80 GB, 420 GB too much");
        assert_eq!(bar(Kind::Goal, 90e9).says(), "90 GB of 80 GB");
        assert!(!bar(Kind::Budget, 80e9).is_over() && !bar(Kind::Goal, 90e9).is_over());
    }
}
