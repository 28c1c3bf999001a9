//! The charts of the course: what `core` says, as axes, lines and points. One file per widget, named like it; `memory_history` is of the page
//! `/run`.

pub mod activation_memory;
pub mod amdahl;
pub mod calibration;
pub mod checkpoint_resume;
pub mod communication_cost;
pub mod continuous_batching;
pub mod decode_speed;
pub mod editor_latency;
pub mod failure_campaign;
pub mod first_steps;
pub mod float_bits;
pub mod kernel_fusion;
pub mod kv_compression;
pub mod kv_tiers;
pub mod live_evaluation;
pub mod lora_adapters;
pub mod loss_detective;
pub mod loss_scaling;
pub mod matmul_tuner;
pub mod memory_hierarchy;
pub mod memory_history;
pub mod multi_token_prediction;
pub mod occupancy;
pub mod optimizer_step;
pub mod overlap_map;
pub mod parallel_planner;
pub mod pass_at_k;
pub mod policy_update;
pub mod position_encoding;
pub mod quantization;
pub mod reduction_order;
pub mod roofline;
pub mod scaling_curve;
pub mod scaling_laws;
pub mod seed_streams;
pub mod serving_planner;
pub mod sketch;
pub mod stragglers;
pub mod training_run;

use ringside_core::float::bits::superscript;
use ringside_core::float::power_of_two;

use crate::chart::Axis;

/// An axis by powers of two from one exponent to another, every so many of them written as 2⁻²⁴.
fn powers_of_two((from, to): (i32, i32), every: usize) -> Axis {
    let text = |e: i32| (power_of_two(e), format!("2{}", superscript(e.into())));
    Axis::log2((power_of_two(from), power_of_two(to))).at((from..=to).step_by(every).map(text))
}

/// Numbers from one to another that lie evenly on a logarithmic axis, so many steps apart, both ends included.
fn spread((from, to): (f64, f64), steps: u32) -> impl Iterator<Item = f64> {
    (0..=steps).map(move |i| from * (to / from).powf(f64::from(i) / f64::from(steps)))
}
