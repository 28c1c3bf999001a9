//! Things that belong together: `match`, and `label` for the parts of a figure.

use serde::{Deserialize, Serialize};

use super::Env;
use crate::quantity::Unit;

/// `kind = "match"`: for each item on the left the one on the right that belongs to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// What belongs together.
    pub pairs: Vec<Pair>,
    /// Items on the right that belong to nothing: Markdown templates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<String>,
}

/// Two things that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// On the left: a Markdown template.
    pub left: String,
    /// On the right: a Markdown template.
    pub right: String,
    /// Why they belong together, said for a wrong choice as well as for the right one: a Markdown template.
    pub say: String,
}

/// `kind = "label"`: names for the parts of a bar that is drawn to scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The parts, from left to right.
    pub parts: Vec<Part>,
    /// What their sizes count.
    pub unit: Unit,
}

/// One part of the bar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its name: a Markdown template.
    pub text: String,
    /// How large it is: an expression over the names of the exercise, in base units.
    pub size: String,
    /// How one can tell: a Markdown template.
    pub say: String,
}

/// What came of a choice of partners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// Items on the left with a wrong partner, in order.
    pub wrong: Vec<usize>,
    /// How many have none yet.
    pub missing: usize,
}

impl Matched {
    /// Whether every item has its partner.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty() && self.missing == 0
    }
}

/// Judges partners: for each of `items` on the left the index on the right that was chosen; right is the same index.
pub fn check_partners(items: usize, chosen: &[Option<usize>]) -> Matched {
    let of = |i: usize| chosen.get(i).copied().flatten();
    Matched {
        wrong: (0..items).filter(|&i| of(i).is_some_and(|c| c != i)).collect(),
        missing: (0..items).filter(|&i| of(i).is_none()).count(),
    }
}

impl Label {
    /// The sizes of the parts in base units.
    ///
    /// # Errors
    /// Why one cannot be computed, or cannot be drawn: a sentence.
    pub fn sizes(&self, env: &Env) -> Result<Vec<f64>, String> {
        let size = |(i, part): (usize, &Part)| {
            let size = env.eval(&part.size).map_err(|e| format!("part {}, size: {e}", i + 1))?;
            if size > 0.0 {
                Ok(size)
            } else {
                Err(format!("part {}, size: It is {size}; nothing could be seen.", i + 1))
            }
        };
        self.parts.iter().enumerate().map(size).collect()
    }
}
