//! What the figure says.

use super::{Balance, Params, Routed};
use crate::quantity::{Unit, count, counted, grouped, number};

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, routed: &Routed) -> String {
        let seconds = |value| Unit::Seconds.format(value);
        let part = |value| Unit::Fraction.format(value);
        let (busiest, rank) = (routed.busiest(), routed.busiest_rank());
        let lead = match routed.capacity {
            Some(_) if routed.dropped() > 0.0 => format!(
                "The busiest expert is chosen {} times as often as the mean, and {} of all choices find no room.",
                number(busiest),
                part(routed.dropped())
            ),
            Some(room) => format!(
                "The busiest expert is chosen {} times as often as the mean, within its capacity of {}: nothing is dropped.",
                number(busiest),
                grouped(room)
            ),
            None => format!(
                "The busiest expert is chosen {} times as often as the mean; nothing is dropped, and the busiest GPU has {} \
                 times the work of the mean.",
                number(busiest),
                number(rank)
            ),
        };
        let times = &routed.times;
        let all_to_alls = times.dispatch + times.combine;
        let dominates = if self.ep == 1 {
            "On one GPU nothing is sent.".to_owned()
        } else if all_to_alls > times.slowest() {
            format!(
                "The two all-to-alls take {}, more than the experts’ {}: sending dominates.",
                seconds(all_to_alls),
                seconds(times.slowest())
            )
        } else {
            format!(
                "The experts take {}, more than the {} of the two all-to-alls: arithmetic dominates.",
                seconds(times.slowest()),
                seconds(all_to_alls)
            )
        };
        let waiting = if self.ep > 1 {
            format!(" GPUs wait {} of the experts’ time for the busiest.", part(times.waiting()))
        } else {
            String::new()
        };
        let balance = match self.balance {
            Balance::None => String::new(),
            Balance::Loss | Balance::Bias => {
                format!(" The balance moved {} of the weights to other experts.", part(routed.moved))
            }
        };
        format!(
            "{lead} {dominates}{waiting}{balance} {} has {} parameters, and a token computes with {}: {} of {} in each of {}.",
            routed.model.name,
            count(routed.model.total),
            count(routed.model.active),
            routed.router.top_k,
            counted(routed.model.experts, "expert", "experts"),
            counted(routed.model.layers as u64, "layer", "layers"),
        )
    }
}
