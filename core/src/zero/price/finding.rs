//! What the prices show, in sentences.

use super::{Params, Price, Scheme};
use crate::declare::Model as _;
use crate::quantity::{Unit, bytes_decimal, number};

impl Params {
    /// What the chosen scheme costs beside plain `FULL_SHARD`, in a few sentences.
    pub fn finding(&self, price: &Price) -> String {
        let mut text = format!(
            "{} holds at most {} per GPU. In each step a GPU sends {}, and {} leave a node.",
            self.scheme.label(),
            bytes_decimal(price.peak()),
            bytes_decimal(price.sent),
            bytes_decimal(price.leaving),
        );
        if self.scheme != Scheme::FullShard {
            let full = self.price(Scheme::FullShard);
            text += &format!(" FULL_SHARD: {} and {}", bytes_decimal(full.peak()), bytes_decimal(full.sent));
            if full.leaving > 0.0 {
                text += &format!(", of which this is {} times between nodes", number(price.leaving / full.leaving));
            }
            text += ".";
        }
        if !self.runs(price) {
            text += &format!(" It does not fit {}.", bytes_decimal(self.gpu.memory.0));
        } else if price.wire() > 0.0 {
            let slowest = if price.between > price.inside { "the network" } else { "the links within a node" };
            text += &format!(" The wire is busy for {}, set by {slowest}.", Unit::Seconds.format(price.wire()));
        }
        text
    }
}
