//! What the figure says.

use super::{Outcome, View, intensity};
use crate::declare::Model as _;
use crate::quantity::{Unit, counted, grouped, number, plural};
use crate::serving::step::Quant;

impl Outcome {
    /// What the figure shows, in sentences.
    pub fn finding(&self) -> String {
        if !self.params.runs(self) {
            return format!(
                "{} don’t fit: next to the weights there is room for the caches of {}.",
                self.together(),
                counted(self.fit() as u64, "sequence", "sequences")
            );
        }
        match self.params.view {
            View::Pass => self.pass_finding(),
            View::Draft => self.draft_finding(),
            View::Weights => self.weights_finding(),
        }
    }

    fn together(&self) -> String {
        let batch = self.params.batch;
        counted(batch, "sequence", "sequences")
    }

    fn pass_finding(&self) -> String {
        let (pass, ridge) = (&self.pass, self.params.ridge());
        let bound = if intensity(pass) >= ridge { "more than" } else { "fewer than" };
        let from = match self.ridge_batch() {
            0.0 => "no batch gets there, because every sequence brings its own cache".to_owned(),
            batch => format!("from {} on there is more", counted(batch as u64, "sequence", "sequences")),
        };
        format!(
            "A pass on {} takes {}. It reads {} of weights and {} of caches and computes {}: {} FLOP for each byte, {bound} the {} that \
             the GPU does in that time; {from}. A prompt of {} takes {} at once, {} FLOP for each byte.",
            self.together(),
            Unit::Seconds.format(pass.time()),
            Unit::Bytes.format(pass.weights),
            Unit::Bytes.format(pass.bytes - pass.weights),
            Unit::Flop.format(pass.flop),
            number(intensity(pass)),
            number(ridge),
            counted(self.params.context, "token", "tokens"),
            Unit::Seconds.format(self.prefill.time()),
            number(intensity(&self.prefill)),
        )
    }

    fn draft_finding(&self) -> String {
        let p = &self.params;
        if p.drafted == 0 {
            return "Nothing is drafted: every pass yields one token of each sequence.".to_owned();
        }
        let best = self.best();
        let pays = match self.pays_up_to() {
            0.0 => "Already for one sequence this draft does not pay.".to_owned(),
            1.0 => "It pays for one sequence alone.".to_owned(),
            n => format!("It pays up to {} sequences.", grouped(n as u64)),
        };
        let most = if best == 0 { "drafting nothing".to_owned() } else { format!("drafting {best} in a row") };
        format!(
            "A check of {} of each of {} takes {} the time of a pass and yields {}: {} times as fast. {pays} Fastest here is {most}, {} \
             times.",
            counted(p.checked(), "token", "tokens"),
            self.together(),
            match number(self.check.time() / self.pass.time()) {
                one if one == "1" => "exactly".to_owned(),
                times => format!("{times} times"),
            },
            plural(&number(p.tokens()), "token"),
            number(self.speedup(p)),
            number(self.at_drafted(best)),
        )
    }

    fn weights_finding(&self) -> String {
        let p = &self.params;
        let seconds = |quant| p.engine(quant).map(|engine| engine.decode(p.batch, p.context).time());
        let Some(whole) = seconds(Quant::Bf16) else {
            return format!(
                "In bf16 the weights do not fit. A pass on {} takes {}.",
                self.together(),
                Unit::Seconds.format(self.pass.time())
            );
        };
        let times = |quant| seconds(quant).map_or(0.0, |time| whole / time);
        let why = if self.pass.compute_bound {
            "Computing takes longer than reading weights, and arithmetic of weight-only quantization stays in 16 bits."
        } else if self.pass.bytes > 2.0 * self.pass.weights {
            "Most of what is read is caches, which have their own bits."
        } else {
            "Most of the time goes into reading weights."
        };
        format!(
            "With {}, weights in 8 bits make a pass {} times as fast as bf16, weights in 4 bits {} times, and fp8, which also multiplies \
             in 8 bits, {} times. {why}",
            self.together(),
            number(times(Quant::Int8)),
            number(times(Quant::Int4)),
            number(times(Quant::Fp8)),
        )
    }
}
