//! A byte-pair tokenizer, learnt from a page of Python: small enough to be learnt here, and with the habits of large ones.
//!
//! Sennrich et al. 2016 (arXiv:1508.07909): the most frequent pair of neighbouring tokens becomes a token, again and again; ties go to the
//! pair that comes first in the order of its texts. Text is first cut into chunks that no token crosses, after GPT-2: letters, digits or
//! other signs, each with a space before them, and whitespace. Characters stand in for bytes.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::options;

/// What becomes of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spaces {
    /// Runs of blanks can be one token, as in tokenizers for code.
    #[default]
    Runs,
    /// Each blank is a token of its own, as GPT-2's came to be on code.
    Single,
}

options!(Spaces {
    Runs: "runs", "runs are tokens";
    Single: "single", "each is a token";
});

/// Merges that are learnt.
const MERGES: usize = 320;

/// What it is learnt from.
const CORPUS: &str = include_str!("corpus.py");

/// A tokenizer: its merges, the earliest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Bpe {
    spaces: Spaces,
    ranks: BTreeMap<(String, String), usize>,
    vocabulary: Vec<String>,
}

/// The tokenizer of this kind; learnt once.
pub fn of(spaces: Spaces) -> &'static Bpe {
    static RUNS: OnceLock<Bpe> = OnceLock::new();
    static SINGLE: OnceLock<Bpe> = OnceLock::new();
    match spaces {
        Spaces::Runs => RUNS.get_or_init(|| Bpe::learn(CORPUS, spaces)),
        Spaces::Single => SINGLE.get_or_init(|| Bpe::learn(CORPUS, spaces)),
    }
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Letter,
    Digit,
    Blank,
    Other,
}

fn class(c: char) -> Class {
    match c {
        c if c.is_alphabetic() || c == '_' => Class::Letter,
        c if c.is_numeric() => Class::Digit,
        c if c.is_whitespace() => Class::Blank,
        _ => Class::Other,
    }
}

/// Text in chunks that no token crosses: a run of one class, with one space before it.
fn chunks(text: &str, spaces: Spaces) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let signs: Vec<char> = text.chars().collect();
    let mut i = 0;
    while let Some(&c) = signs.get(i) {
        let from = i;
        let next = signs.get(i + 1).copied().map(class);
        let space = c == ' ' && next.is_some_and(|next| next != Class::Blank);
        let kind = if space { next.unwrap_or(Class::Blank) } else { class(c) };
        i += 1;
        if !(kind == Class::Blank && spaces == Spaces::Single) {
            while let Some(&c) = signs.get(i) {
                // The last blank of a run goes with what follows, if it is a space.
                let goes =
                    kind == Class::Blank && c == ' ' && signs.get(i + 1).is_some_and(|n| class(*n) != Class::Blank);
                if class(c) != kind || goes {
                    break;
                }
                i += 1;
            }
        }
        all.push(signs.get(from..i).unwrap_or_default().iter().collect());
    }
    all
}

impl Bpe {
    /// Learns from a text.
    pub fn learn(text: &str, spaces: Spaces) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for chunk in chunks(text, spaces) {
            *counts.entry(chunk).or_default() += 1;
        }
        let mut words: Vec<(Vec<String>, usize)> =
            counts.into_iter().map(|(word, n)| (word.chars().map(String::from).collect(), n)).collect();
        let mut ranks = BTreeMap::new();
        let mut vocabulary: Vec<String> = words.iter().flat_map(|(word, _)| word.clone()).collect();
        vocabulary.sort_unstable();
        vocabulary.dedup();
        for rank in 0..MERGES {
            let mut pairs: BTreeMap<(&str, &str), usize> = BTreeMap::new();
            for (word, n) in &words {
                for pair in word.windows(2) {
                    if let [a, b] = pair {
                        *pairs.entry((a, b)).or_default() += n;
                    }
                }
            }
            // The first of the most frequent: a later one must be more frequent.
            let best = pairs.iter().fold(None, |best: Option<((&str, &str), usize)>, (pair, n)| match best {
                Some((_, most)) if most >= *n => best,
                _ => Some((*pair, *n)),
            });
            let Some(((a, b), n)) = best else { break };
            if n < 2 {
                break;
            }
            let pair = (a.to_owned(), b.to_owned());
            for (word, _) in &mut words {
                merge(word, &pair);
            }
            vocabulary.push(format!("{}{}", pair.0, pair.1));
            ranks.insert(pair, rank);
        }
        vocabulary.sort_unstable();
        vocabulary.dedup();
        Self { spaces, ranks, vocabulary }
    }

    /// A text as tokens.
    pub fn encode(&self, text: &str) -> Vec<String> {
        chunks(text, self.spaces).into_iter().flat_map(|chunk| self.word(&chunk)).collect()
    }

    fn word(&self, chunk: &str) -> Vec<String> {
        let mut word: Vec<String> = chunk.chars().map(String::from).collect();
        loop {
            let ranked = word.windows(2).filter_map(|pair| match pair {
                [a, b] => {
                    let pair = (a.clone(), b.clone());
                    self.ranks.get(&pair).map(|rank| (*rank, pair))
                }
                _ => None,
            });
            let Some((_, pair)) = ranked.min_by_key(|(rank, _)| *rank) else { return word };
            merge(&mut word, &pair);
        }
    }

    /// How many tokens a text is.
    pub fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    /// Tokens that begin with `text` and are longer or as long.
    pub fn beginning_with(&self, text: &str) -> Vec<&str> {
        self.vocabulary.iter().map(String::as_str).filter(|token| token.starts_with(text)).collect()
    }

    /// How many tokens there are.
    pub fn size(&self) -> usize {
        self.vocabulary.len()
    }

    /// Where tokens of a text begin and end, in characters.
    pub fn boundaries(&self, text: &str) -> Vec<usize> {
        let mut at = 0;
        let ends = self.encode(text).into_iter().map(|token| {
            at += token.chars().count();
            at
        });
        [0].into_iter().chain(ends).collect()
    }
}

/// Puts each such pair together.
fn merge(word: &mut Vec<String>, (a, b): &(String, String)) {
    let mut i = 0;
    while i + 1 < word.len() {
        if word.get(i) == Some(a) && word.get(i + 1) == Some(b) {
            let second = word.remove(i + 1);
            if let Some(first) = word.get_mut(i) {
                first.push_str(&second);
            }
        }
        i += 1;
    }
}

/// A prompt's end, healed: its last token is taken back, and the first token written must begin with what that stood for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Healing {
    /// The prompt's tokens.
    pub tokens: Vec<String>,
    /// The text of the last, which is taken back.
    pub dropped: String,
    /// Tokens that may come in its place.
    pub allowed: Vec<String>,
}

impl Bpe {
    /// Token healing at the end of a prompt (the practice of `guidance`): nothing to take back of an empty one.
    pub fn heal(&self, prompt: &str) -> Healing {
        let mut tokens = self.encode(prompt);
        let dropped = tokens.pop().unwrap_or_default();
        let allowed = if dropped.is_empty() { Vec::new() } else { self.beginning_with(&dropped) };
        Healing { tokens, allowed: allowed.into_iter().map(str::to_owned).collect(), dropped }
    }
}
