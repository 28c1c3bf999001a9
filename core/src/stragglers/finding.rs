//! What the figure says.

use super::{Cure, Outcome, Params};
use crate::quantity::{Unit, grouped};

fn part(fraction: f64) -> String {
    Unit::Fraction.format(fraction)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, o: &Outcome) -> String {
        let more = |step: f64| part(step - 1.0);
        let alone = format!(
            "The slowest of {} ranks takes {} longer than an undisturbed one by jitter and pauses alone.",
            grouped(self.ranks),
            more(o.healthy)
        );
        let slow = match (self.slow > 0.0, self.cure) {
            (false, Cure::Backup) => {
                format!(" The first {} of {} take {}.", grouped(self.ranks), grouped(self.paid()), more(o.step))
            }
            (false, _) => String::new(),
            (true, Cure::Nothing) => format!(
                " With one that is {} slower all take {}, and the others wait for {} of each step.",
                part(self.excess()),
                more(o.step),
                part(1.0 - o.mean / o.step)
            ),
            (true, Cure::Swap) if self.spares == 0 => {
                format!(" Nobody stands by to take the slow one’s place: {} longer.", more(o.step))
            }
            (true, Cure::Swap) => {
                format!(" The slow one is gone: {} longer, not {}.", more(o.step), more(o.untreated))
            }
            (true, Cure::Backup) => format!(
                " {} are started and the first {} count: {} longer, not {}.",
                grouped(self.paid()),
                grouped(self.ranks),
                more(o.step),
                more(o.untreated)
            ),
        };
        format!("{alone}{slow} {} of the time that is paid for is useful.", part(o.useful))
    }
}
