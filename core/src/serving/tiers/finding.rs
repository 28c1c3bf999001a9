//! What the figure says, in sentences.

use super::{Layout, Outcome, Params, Tier};
use crate::quantity::{Unit, bytes_binary, counted, number};

impl Params {
    /// What the figure shows.
    pub fn finding(&self, o: &Outcome) -> String {
        let seconds = |s: f64| Unit::Seconds.format(s);
        let tokens = counted(o.here.found, "token", "tokens");
        let recompute = seconds(o.here.recompute);
        if self.tier == Tier::Hbm {
            let limit = counted(o.capacity[0] as u64, "token", "tokens");
            return format!(
                "A hit in HBM costs no time and saves {recompute}: the block table names the {tokens}. HBM holds {limit} per replica, so the next tier \
                 decides what happens to the rest."
            );
        }
        let fetch = o.here.from(self.tier);
        let copies = format!(
            "{} of {}",
            counted(o.here.copies as u64, "copy", "copies"),
            bytes_binary(o.here.bytes / o.here.copies)
        );
        let place = match self.tier {
            Tier::Disk => "the local disk",
            tier => tier.label(),
        };
        let verdict = if o.here.fetches(self.tier) {
            format!("Fetch it: {}× as fast as recomputing.", number(o.here.recompute / fetch))
        } else if o.here.recompute > 0.0 {
            format!("Recompute it: {}× as fast as fetching.", number(fetch / o.here.recompute))
        } else {
            "Recompute it: that takes no extra time.".to_owned()
        };
        let from = match o.breaks_even[self.tier as usize] {
            Some(n) if n <= self.block => " Fetching wins at any length.".to_owned(),
            Some(n) => format!(" Fetching wins from {} on.", counted(n, "token", "tokens")),
            None => " Fetching wins for no prefix that fits in HBM.".to_owned(),
        };
        let other = o.other.from(self.tier);
        let layout = match self.layout {
            Layout::Layers if other < 0.9 * fetch => {
                format!(" With one piece for all layers it would take {}.", seconds(other))
            }
            Layout::Block if other > 1.1 * fetch => {
                format!(" In a piece per layer it would take {}.", seconds(other))
            }
            _ => String::new(),
        };
        format!(
            "{verdict} Fetching {tokens} from {place} takes {} ({copies} per GPU), recomputing them {recompute}.{from}{layout}",
            seconds(fetch)
        )
    }
}
