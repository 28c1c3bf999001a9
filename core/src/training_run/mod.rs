//! One training run from end to end: from GPUs, hours or money to tokens, a date, energy and cost.
//!
//! A token costs 6 FLOPs for each parameter that it uses, and 12 · layers · width · sequence for attention (Chowdhery et al. 2022,
//! PaLM, Appendix B; width is heads × head dimension, half of it counts under a causal mask). G GPUs of peak P at a model FLOPs
//! utilisation (MFU) u do G · P · u FLOPs of the model a second. Work that is done twice because activations were thrown away
//! counts for hardware FLOPs utilisation (HFU) and not for MFU.
//!
//! [`batch`] has the critical batch size, [`schedule`] the learning rate, [`optimizer`] what a step of each optimizer stores
//! and computes, [`published`] what others reported.

pub mod batch;
pub mod optimizer;
mod params;
pub mod published;
pub mod schedule;
#[cfg(test)]
mod tests;

pub use params::{Attention, Given, Params, Show, Start};

use crate::hardware::Accelerator;
use crate::scaling_laws::{Fit, PER_PAIR, POINTS, Point};
use batch::Noise;
use optimizer::{Cost, Rule, Weights};
use schedule::Schedule;

/// The MFU of a run where neither a question nor a layout says one: about what published runs reach.
pub const MFU: &str = "0.4";

/// A share of the peak or of the work as a parameter's value, as precise as it is shown.
pub fn share(value: f64) -> String {
    crate::query::plain((value * 1e4).round() / 1e4)
}
/// Seconds of a day.
pub const DAY: f64 = 86_400.0;
/// Seconds of an hour.
pub const HOUR: f64 = 3_600.0;
/// FLOPs of attention for each layer, unit of its width and token of the sequence, for one token, forward and backward
/// (PaLM, Appendix B).
const ATTENTION: f64 = 12.0;

/// The machine and what it costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// How many.
    pub gpus: f64,
    /// Model FLOPs of a second over peak FLOPs of a second, while it trains.
    pub mfu: f64,
    /// Share of the time that it trains.
    pub goodput: f64,
    /// US dollars an hour of one GPU.
    pub price: f64,
    /// Watts of one GPU with its share of the machine around it.
    pub watts: f64,
    /// Power of the building over power of its machines.
    pub pue: f64,
}

/// The model as the arithmetic needs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Parameters that a token uses.
    pub params: f64,
    /// Parameters in all.
    pub total: f64,
    /// Layers.
    pub layers: f64,
    /// Heads × head dimension.
    pub width: f64,
    /// Tokens of a sequence.
    pub seq: f64,
    /// How much of attention counts.
    pub attention: Attention,
    /// Share of the forward pass that is computed again in the backward pass.
    pub recompute: f64,
}

impl Size {
    /// FLOPs of the model for a token, forward and backward.
    pub fn flop_per_token(&self) -> f64 {
        PER_PAIR * self.params + self.attention_per_token()
    }

    /// Those of them that are attention's products without weights.
    pub fn attention_per_token(&self) -> f64 {
        let counted = match self.attention {
            Attention::None => 0.0,
            Attention::Causal => 0.5,
            Attention::Full => 1.0,
        };
        counted * ATTENTION * self.layers * self.width * self.seq
    }

    /// FLOPs that the hardware does for one of the model: forward is a third of it.
    pub fn hardware_factor(&self) -> f64 {
        1.0 + self.recompute / 3.0
    }
}

/// A run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// The machine.
    pub machine: Machine,
    /// The model.
    pub size: Size,
    /// Tokens that it sees.
    pub tokens: f64,
    /// Tokens of a batch.
    pub batch: f64,
    /// The noise in its gradient.
    pub noise: Noise,
    /// The surface that its loss is read from.
    pub surface: Fit,
    /// The learning rate, as a part of its peak.
    pub schedule: Schedule,
    /// Its peak.
    pub peak: f64,
    /// AdamW's weight decay, which each step multiplies by the learning rate.
    pub weight_decay: f64,
    /// The optimizer.
    pub rule: Rule,
    /// What it starts from.
    pub start: Start,
}

impl Run {
    /// FLOPs of the model.
    pub fn compute(&self) -> f64 {
        self.size.flop_per_token() * self.tokens
    }

    /// FLOPs of the hardware.
    pub fn hardware_compute(&self) -> f64 {
        self.compute() * self.size.hardware_factor()
    }

    /// HFU: the utilisation with what is computed again.
    pub fn hfu(&self) -> f64 {
        self.machine.mfu * self.size.hardware_factor()
    }

    /// Tokens a second of the machine while it trains.
    pub fn rate(&self) -> f64 {
        let m = &self.machine;
        m.gpus * m.gpu.peak * m.mfu / self.size.flop_per_token()
    }

    /// Seconds from the first step to the last, interruptions included.
    pub fn seconds(&self) -> f64 {
        self.tokens / (self.rate() * self.machine.goodput)
    }

    /// GPU-hours.
    pub fn gpu_hours(&self) -> f64 {
        self.seconds() * self.machine.gpus / HOUR
    }

    /// US dollars.
    pub fn cost(&self) -> f64 {
        self.gpu_hours() * self.machine.price
    }

    /// Kilowatt-hours, the building's included.
    pub fn energy(&self) -> f64 {
        self.gpu_hours() * self.machine.watts * self.machine.pue / 1000.0
    }

    /// Steps of the optimizer.
    pub fn steps(&self) -> f64 {
        self.tokens / self.batch
    }

    /// Tokens in which decay at the peak rate reduces an update to 1/e of itself; none without decay.
    pub fn memory(&self) -> Option<f64> {
        (self.weight_decay > 0.0).then(|| self.batch / (self.peak * self.weight_decay))
    }

    /// How many times the run at its peak rate would decay the weights by a factor of e.
    pub fn decays(&self) -> f64 {
        self.memory().map_or(0.0, |memory| self.tokens / memory)
    }

    /// What is left at the end of the weights that it starts from.
    pub fn initial_left(&self) -> f64 {
        (-self.decays() * self.schedule.mean()).exp()
    }

    /// Seconds of a step.
    pub fn step_seconds(&self) -> f64 {
        self.batch / self.rate()
    }

    /// The model and the tokens.
    pub fn point(&self) -> Point {
        Point { params: self.size.params, tokens: self.tokens }
    }

    /// The loss that the law predicts for a run of this length.
    pub fn loss(&self) -> f64 {
        self.surface.loss(self.point())
    }

    /// The critical batch size in tokens: as given, or Kaplan's at the predicted loss.
    pub fn critical(&self) -> f64 {
        self.noise.critical(self.loss())
    }

    /// The best model for the same FLOPs.
    pub fn optimum(&self) -> Point {
        self.surface.optimum(self.compute())
    }

    /// What a step of the optimizer stores, moves and computes.
    pub fn optimizer(&self) -> Cost {
        self.rule.cost(&Weights::classic(&self.size))
    }

    /// FLOPs of the optimizer for one of the model.
    pub fn optimizer_share(&self) -> f64 {
        self.optimizer().flop / (self.size.flop_per_token() * self.batch)
    }

    /// Every optimizer for this run: what a step of it takes, bytes of state a parameter, and FLOPs for one of the model.
    pub fn optimizers(&self) -> [(Rule, Cost, f64, f64); Rule::ALL.len()] {
        Rule::ALL.map(|rule| {
            let other = Self { rule, ..*self };
            let cost = other.optimizer();
            (rule, cost, cost.state / self.size.total, other.optimizer_share())
        })
    }

    /// The loss over the time: for each moment that of a run that was planned to end then. Seconds and nats, from a thousandth
    /// of the run to its end.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        let end = self.seconds();
        let at = |i: usize| {
            let part = 10_f64.powf(-3.0 * (1.0 - i as f64 / (POINTS - 1) as f64));
            (part * end, self.surface.loss(Point { tokens: part * self.tokens, ..self.point() }))
        };
        (0..POINTS).map(at).collect()
    }
}
