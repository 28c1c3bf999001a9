//! What the figure says.

use super::{Attention, Params, Shown, View, Way};
use crate::kv_cache::Keeps;
use crate::memory::overhead::Overhead;
use crate::quantity::{Unit, counted, grouped, number};

fn bytes(value: f64) -> String {
    Unit::Bytes.format(value)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        if shown.chosen.growing_layers() == 0 {
            return format!(
                "{} keeps nothing of a token: a state of {} is all there is, at any length.",
                shown.model.name,
                bytes(shown.chosen.cache.state_bytes())
            );
        }
        match self.view {
            View::Kinds => self.kinds_finding(shown),
            View::Models => self.models_finding(),
            View::Step => self.step_finding(shown),
            View::Requests => self.requests_finding(shown),
        }
    }

    fn what(&self) -> &'static str {
        match self.attention {
            Attention::Own => "",
            Attention::MultiHead => " with multi-head attention",
            Attention::Grouped => " with grouped-query attention",
            Attention::MultiQuery => " with multi-query attention",
            Attention::Latent => " with latent attention",
        }
    }

    fn kinds_finding(&self, shown: &Shown) -> String {
        let chosen = &shown.chosen;
        let multi_head = shown.kinds.first().map_or(0.0, |r| r.per_token);
        let state = chosen.cache.state_bytes();
        let states = if state > 0.0 { format!(", of which states take {}", bytes(state)) } else { String::new() };
        let like = match chosen.keeps() {
            Keeps::Latent { .. } => format!(" As much as {} key–value heads.", number(shown.groups_like())),
            _ => String::new(),
        };
        format!(
            "{}{} keeps {} of each token, {} of what keys and values for every head would take.{like} A sequence of {} \
             tokens is {}{states}. That is {} less for a token than {} keeps in 16 bits.",
            shown.model.name,
            self.what(),
            bytes(chosen.per_token),
            Unit::Fraction.format(if multi_head == 0.0 { 0.0 } else { chosen.per_token / multi_head }),
            grouped(self.context),
            bytes(chosen.sequence),
            Unit::Fraction.format(1.0 - chosen.per_token / shown.against.max(1.0)),
            self.against.named().name,
        )
    }

    fn models_finding(&self) -> String {
        let models = self.published();
        let most = models.iter().max_by(|a, b| a.sequence.total_cmp(&b.sequence));
        let least = models.iter().min_by(|a, b| a.sequence.total_cmp(&b.sequence));
        let (Some(most), Some(least)) = (most, least) else { return String::new() };
        format!(
            "A sequence of {} takes {} in {} and {} in {}: {} times as much.",
            counted(self.context, "token", "tokens"),
            bytes(most.sequence),
            most.model.name,
            bytes(least.sequence),
            least.model.name,
            grouped((most.sequence / least.sequence.max(1.0)).round() as u64)
        )
    }

    fn step_finding(&self, shown: &Shown) -> String {
        let absorbed = self.latent_work(shown, Way::Absorbed);
        let rebuilt = self.latent_work(shown, Way::Rebuilt);
        let heads = shown.kind_work(0);
        let ratio = |a: f64, b: f64| number(if b == 0.0 { 0.0 } else { a / b });
        if self.sparse() {
            let [all, chosen] = [self.context, self.read(self.context)].map(|n| self.latents(shown, n));
            let index = self.context as f64 * super::INDEX.values;
            return format!(
                "Each layer reads {} per step instead of {}, {} times fewer bytes: the latents of {} of {}, {}, and {} of the indexer’s keys, \
                 {} of what is read.",
                bytes(chosen + index),
                bytes(all),
                ratio(all, chosen + index),
                grouped(self.read(self.context)),
                counted(self.context, "token", "tokens"),
                bytes(chosen),
                bytes(index),
                Unit::Fraction.format(index / (chosen + index).max(1.0)),
            );
        }
        format!(
            "Absorbed, latent attention computes {} times what attention over the keys of every head computes and reads {} \
             times less: {} FLOP for each byte instead of {}. Rebuilding keys and values for every step would take {} times \
             the FLOPs of absorbing. {} computes {} FLOP in the time of reading a byte.",
            ratio(absorbed.flop, heads.flop),
            ratio(heads.values, absorbed.values),
            number(absorbed.intensity(self.bytes())),
            number(heads.intensity(self.bytes())),
            ratio(rebuilt.flop, absorbed.flop),
            self.gpu.name,
            number(self.gpu.peak / self.gpu.bandwidth),
        )
    }

    fn requests_finding(&self, shown: &Shown) -> String {
        let gpus = format!("{} × {}", grouped(self.gpus), self.gpu.name);
        if shown.room <= 0.0 {
            return format!(
                "{gpus} do not hold the weights of {}, {} in {} bits, so no request fits.",
                shown.model.name,
                bytes(shown.weights),
                self.weight_bits
            );
        }
        let multi_head = shown.kinds.first().map_or(0.0, |r| r.requests);
        let copies = match (self.share, shown.chosen.keeps()) {
            (super::Share::Heads, Keeps::Latent { .. }) if self.gpus > 1 => {
                " The latent has no heads to divide, so each GPU keeps all of it."
            }
            _ => "",
        };
        let before = if self.activations > 0.0 {
            String::new()
        } else {
            let taken = Overhead::of_engine(self.gpus);
            let left = [taken.high, taken.low].map(|taken| {
                self.requests(&shown.chosen.cache, self.context, (shown.room - taken.0 * self.gpus as f64).max(0.0))
            });
            super::before_activations(self.gpus, left, ["request", "requests"])
        };
        format!(
            "Room for {} of {}{}, for {} with keys and values for every head. Weights leave {} of {gpus} for caches.{copies}{before}",
            counted(shown.chosen.requests as u64, "request", "requests"),
            counted(self.context, "token", "tokens"),
            self.what(),
            grouped(multi_head as u64),
            bytes(shown.room),
        )
    }
}
