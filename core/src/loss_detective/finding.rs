//! What the figure says: symptoms, not their cause.

use super::cases::Act;
use super::params::Params;
use super::simulate::{Logged, Story};
use crate::quantity::{Unit, counted, grouped, number};

/// A loss, or NaN.
fn loss(x: f64) -> String {
    if x.is_finite() { number(x) } else { "NaN".to_owned() }
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, story: &Story) -> String {
        let [last, healthy] = story.last;
        let mut text =
            format!("The run ends at a loss of {}; with nothing wrong it would be {}.", loss(last), loss(healthy));
        text += &match self.act {
            Act::Wait => {
                format!(" Nothing was done, and it is {} behind.", counted(story.behind() as u64, "step", "steps"))
            }
            _ => format!(
                " It throws away {}, is {} behind at the end, and loses {}, {} GPU-hours.",
                counted(story.dropped.len() as u64, "step", "steps"),
                counted(story.behind() as u64, "step", "steps"),
                Unit::Seconds.format(self.lost(story)),
                grouped((self.lost(story) / 3600.0 * f64::from(self.gpus)).round() as u64)
            ),
        };
        let skipped = story.kept.iter().filter(|l: &&Logged| l.skipped).count();
        if skipped > 0 {
            text += &format!(" The scaler skipped {}.", counted(skipped as u64, "update", "updates"));
        }
        text
    }

    /// What was wrong, and what would have put it right.
    pub fn answer(&self) -> String {
        let mut cause = self.case.cause().to_owned();
        if let Some(first) = cause.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let start = if self.case.from_the_beginning() { ", from the beginning" } else { "" };
        format!("{cause}. The recipe that puts it right: {}{start}.", self.case.cure())
    }
}
