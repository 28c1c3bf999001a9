//! What the figure says, in sentences.

use super::{Kept, Params, Times};
use crate::fim::format::Order;
use crate::quantity::{Unit, counted, grouped};

impl Params {
    /// What the figure shows.
    pub fn finding(&self, times: &Times) -> String {
        let seconds = |s: f64| Unit::Seconds.format(s);
        if !self.fits(times) {
            return format!(
                "It doesn’t fit: weights and cache take {} and the GPU holds {}, so there is no completion to time. Take a GPU with more \
                 memory, fewer bits per weight or a shorter prompt.",
                Unit::Bytes.format(times.weights + times.cache),
                Unit::Bytes.format(self.gpu.memory.0)
            );
        }
        let verdict = if times.whole <= self.budget { "in time" } else { "too late" };
        let longest = match self.longest() {
            0 => "No prompt is short enough".to_owned(),
            131_072.. => "Any prompt of the figure would be in time".to_owned(),
            most => format!("The longest prompt in time has {}", counted(most, "token", "tokens")),
        };
        let why = match (self.kept, self.order) {
            (Kept::Nothing, _) => "Nothing is kept, so all of the prompt is computed at each request",
            (Kept::Prompt, Order::Psm) => "What was typed stands before the suffix, so the suffix is computed again",
            (Kept::Prompt, Order::Spm) => {
                "What was typed stands at the end of the prompt, and nothing else is computed again"
            }
        };
        format!(
            "A completion of {} takes {}: {verdict} for {}. {why}: {} of {}, {}. {longest}.",
            counted(self.output, "token", "tokens"),
            seconds(times.whole),
            seconds(self.budget),
            grouped(times.computed as u64),
            counted(self.context, "token", "tokens"),
            seconds(times.prefill),
        )
    }
}
