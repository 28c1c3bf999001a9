//! What the figure says.

use super::{Cure, Outcome, Params};
use crate::quantity::{Unit, grouped};

fn part(fraction: f64) -> String {
    Unit::Fraction.format(fraction)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, o: &Outcome) -> String {
        let more = |step: f64| part((step - 1.0).max(0.0));
        let ranks = grouped(self.ranks);
        let slow = match (self.slow > 0.0, self.cure) {
            (_, Cure::Backup) => format!(
                "{} ranks start and the first {ranks} count: a step takes {} longer than an undisturbed rank, not {}.",
                grouped(self.paid()),
                more(o.step),
                more(o.untreated)
            ),
            (false, _) => {
                format!("The slowest of {ranks} ranks takes {} longer than an undisturbed one.", more(o.step))
            }
            (true, Cure::Nothing) => format!(
                "One rank that is {} slower makes all {ranks} take {} longer, and the others wait for {} of each step.",
                part(self.excess()),
                more(o.step),
                part(1.0 - o.mean / o.step)
            ),
            (true, Cure::Swap) if self.spares == 0 => {
                format!("Nobody stands by to take the slow one’s place: a step takes {} longer.", more(o.step))
            }
            (true, Cure::Swap) => format!(
                "The slow one is gone: a step takes {} longer than an undisturbed rank, not {}.",
                more(o.step),
                more(o.untreated)
            ),
        };
        format!(
            "{slow} Jitter and pauses alone, of {ranks} ranks, come to {}. {} of the time that is paid for is useful.",
            more(o.healthy),
            part(o.useful)
        )
    }
}
