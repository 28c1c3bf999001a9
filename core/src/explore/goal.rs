//! What is asked of a quantity.

use crate::answer::Asked;
use crate::catalogue::Named;
use crate::options;
use crate::quantity::Unit;

/// How a quantity has to stand to its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relation {
    /// Not above it.
    #[default]
    AtMost,
    /// Not below it.
    AtLeast,
    /// As near as makes no difference.
    Equal,
}

options!(Relation {
    AtMost: "at-most", "at most";
    AtLeast: "at-least", "at least";
    Equal: "equal", "equal to";
});

/// How far from its limit, as a part of it, a quantity may be that is to equal it.
const EQUAL: f64 = 0.005;
/// Room for the last bits of a double.
const SLACK: f64 = 1e-9;

/// A quantity and what is asked of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// The quantity.
    pub quantity: Named,
    /// How it has to stand to the limit.
    pub relation: Relation,
    /// The limit, in the base unit of the quantity.
    pub limit: f64,
}

impl Goal {
    /// Whether a value meets it.
    pub fn meets(&self, value: f64) -> bool {
        let (by, size) = (value - self.limit, self.limit.abs());
        match self.relation {
            Relation::AtMost => by <= SLACK * size,
            Relation::AtLeast => by >= -SLACK * size,
            Relation::Equal => by.abs() <= EQUAL * size,
        }
    }

    /// Whether a value is on the side of the limit where solutions lie; below it, where the quantity is to equal it.
    pub(super) fn inside(&self, value: f64) -> bool {
        match self.relation {
            Relation::Equal => value <= self.limit,
            _ => self.meets(value),
        }
    }

    /// A limit as a person types it, in base units.
    ///
    /// # Errors
    /// What is wrong with it and what to type instead: a sentence.
    pub fn limit(text: &str, unit: Unit) -> Result<f64, String> {
        Asked::of(unit).read(text)
    }
}
