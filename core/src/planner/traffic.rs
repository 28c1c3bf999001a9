//! What each axis sends: bytes that leave a GPU in a step, how often, and over which link.

use super::cluster::{Axis, Group};
use super::job::{Choice, Job};
use crate::memory::activations::Recompute;
use crate::memory::pipeline::Pipeline;

/// What one axis sends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// The axis.
    pub axis: Axis,
    /// Its groups.
    pub group: Group,
    /// Bytes that a GPU of the largest stage sends in a step, at the least that its operations need.
    pub bytes: f64,
    /// Operations of a step.
    pub times: f64,
    /// What is sent.
    pub what: &'static str,
}

impl Job {
    /// What every axis with more than one rank sends. Operations send what they must: (n − 1)/n of a buffer for an
    /// all-gather, a reduce-scatter or an all-to-all, twice that for an all-reduce.
    pub fn traffic(&self, choice: &Choice) -> Vec<Traffic> {
        let (d, s) = (choice.degrees, &self.shape);
        let m = self.microbatches(choice).max(1) as f64;
        let pipeline = Pipeline { stages: d.pp, virtual_stages: choice.chunks, microbatches: 1 };
        let shards = self.shards(choice);
        let (layers, params) = pipeline
            .stages(s.num_hidden_layers)
            .map(|stage| (stage.layers as f64, shards.held(&stage, d.pp).params()))
            .fold((0.0, 0.0), |a: (f64, f64), b| (a.0.max(b.0), a.1.max(b.1)));
        let tokens = self.seq as f64 * choice.mbs as f64 / d.cp.max(1) as f64;
        let activations = 2.0 * tokens * s.hidden_size as f64;
        let others = |n: u64| (n as f64 - 1.0) / n.max(1) as f64;
        let passes = if choice.recompute == Recompute::Full { 3.0 } else { 2.0 };
        let along = if choice.sp { d.tp.max(1) as f64 } else { 1.0 };
        let of = |axis| {
            let n = d.of(axis);
            let (bytes, times, what) = match axis {
                Axis::Tensor => {
                    let syncs = if s.norms.per_layer == 1 { 1.0 } else { 2.0 };
                    let times = m * layers * passes * syncs;
                    (times * 2.0 * others(n) * activations, times, "activations of a layer")
                }
                Axis::Context => {
                    let width = s.kv_values_per_token_per_layer() as f64 / d.tp.max(1) as f64;
                    let times = m * layers * (passes + 1.0);
                    let bytes = 2.0 * width * self.seq as f64 * choice.mbs as f64;
                    (times * others(n) * bytes, times, "keys and values of a layer")
                }
                Axis::Expert => {
                    let used = s.moe.map_or(0.0, |moe| moe.num_experts_per_tok as f64);
                    let times = m * layers * passes * 2.0;
                    (times * others(n) * used * activations / along, times, "tokens to experts, and back")
                }
                Axis::Data => {
                    let all = d.dp.saturating_mul(d.cp);
                    let each = match choice.zero {
                        0 => 8.0,
                        1 => 6.0,
                        2 => 2.0 + 4.0 * m,
                        _ => m * 8.0,
                    };
                    let times = if choice.zero >= 2 { m } else { 1.0 };
                    (each * params * others(all), times, "gradients, and weights under ZeRO")
                }
                Axis::Pipeline => {
                    let times = 2.0 * m * choice.chunks.max(1) as f64;
                    (times * activations / d.tp.max(1) as f64, times, "activations between stages")
                }
            };
            Traffic { axis, group: d.group(axis, self.cluster.node), bytes, times, what }
        };
        Axis::ALL.into_iter().filter(|axis| d.of(*axis) > 1).map(of).collect()
    }
}
