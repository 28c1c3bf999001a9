//! {title}: what it computes, in one sentence.
//!
//! Say here how, with symbols and units, and what is left out; [`Model::ORIGIN`] says by which equation of which paper.

use crate::declare::{Field as _, Measure, Model, Origin, Param, headline, measure, whole};
use crate::quantity::{Unit, grouped};

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Params {
    /// How many there are, 1 to 1024.
    pub n: u64,
}

/// What comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairs {
    /// Ordered pairs of two different ones.
    pub pairs: u64,
}

impl Model for Params {
    type Result = Pairs;
    const ID: &'static str = "{id}";
    const TITLE: &'static str = "{title}";
    const SUMMARY: &'static str = "What {title} shows, in one sentence.";
    const PARAMS: &'static [Param<Self>] =
        &[whole("n", "how many there are", [1, 1024], "8").label("How many").doubling(10).main().at(|p| p.n.slot())];
    const ORIGIN: Origin = Origin::Own("say here which equation of which paper or what it rests on");
    const QUANTITIES: &'static [Measure<Self, Pairs>] =
        &[headline(
            "Pairs of two different ones, in either order.",
            measure("pairs", "Ordered pairs", Unit::Count, |_, result| result.pairs as f64),
        )];

    fn evaluate(&self) -> Result<Pairs, String> {
        Ok(self.pairs())
    }
}

impl Params {
    /// The pairs: n(n − 1).
    pub fn pairs(&self) -> Pairs {
        Pairs { pairs: self.n * self.n.saturating_sub(1) }
    }

    /// What the drawing says, in a sentence.
    pub fn finding(&self) -> String {
        format!("{} of them make {} ordered pairs.", grouped(self.n), grouped(self.pairs().pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_paired_with_every_other() {
        assert_eq!(Params { n: 8 }.pairs(), Pairs { pairs: 56 });
        assert_eq!(Params { n: 1 }.pairs(), Pairs { pairs: 0 });
    }
}
