//! What the figure says, in sentences.

use super::figure::{Params, Shown};
use super::judge::Tests;
use super::problems::ALL;
use crate::declare::Model as _;
use crate::quantity::{Unit, counted, grouped, plural};

impl Params {
    /// What the figure shows.
    pub fn finding(&self, shown: &Shown) -> String {
        let percent = |part: f64| Unit::Fraction.format(part);
        let k = self.k;
        let Some(score) = shown.score else {
            return format!(
                "Run so far: {}. pass@{k} needs {} of each of the {} problems, and has {}.",
                counted(shown.run, "program", "programs"),
                plural(&k.to_string(), "sample"),
                ALL.len(),
                shown.rounds
            );
        };
        let overturned = self.quantities(shown).into_iter().find(|q| q.id == "overturned").map_or(0.0, |q| q.value);
        let more = match self.tests {
            Tests::Base => format!(" {} programs pass three tests and would not pass six.", grouped(overturned as u64)),
            Tests::Extra => {
                format!(" With three tests {} more programs would have passed.", grouped(overturned as u64))
            }
        };
        format!(
            "After {} pass@{k} is {}, with a 95% interval of {} to {}: eight problems say little about others.{more}",
            counted(shown.run, "run", "runs"),
            percent(score.unbiased),
            percent(score.interval[0]),
            percent(score.interval[1]),
        )
    }
}
