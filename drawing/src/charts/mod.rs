//! The charts of the course: what `core` says, as axes, lines and points. One file per widget, named like it.

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
pub mod live_evaluation;
pub mod lora_adapters;
pub mod loss_detective;
pub mod loss_scaling;
pub mod matmul_tuner;
pub mod memory_hierarchy;
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

use ringside_core::declare::Model as _;
use ringside_core::float::bits::superscript;
use ringside_core::float::power_of_two;
use ringside_core::query::Query;
use ringside_core::{amdahl as laws, attention, kernels, memory, network, roofline as roofs, scaling};

use crate::chart::{Axis, Chart};

/// An axis by powers of two from one exponent to another, every so many of them written as 2⁻²⁴.
fn powers_of_two((from, to): (i32, i32), every: usize) -> Axis {
    let text = |e: i32| (power_of_two(e), format!("2{}", superscript(e.into())));
    Axis::log2((power_of_two(from), power_of_two(to))).at((from..=to).step_by(every).map(text))
}

/// The chart of a widget in one state, before anything is measured: what a page shows until the figure is alive. `None` for a widget
/// whose drawing is none, and for a state that its model refuses.
pub fn of(widget: &str, query: &Query) -> Option<Chart> {
    Some(match widget {
        "activation-memory" => activation_memory::chart(
            &memory::activations::activations(&memory::activations::Params::read(query).0).ok()?,
        ),
        "amdahl" => amdahl::chart(&laws::Params::read(query).0),
        "communication-cost" => {
            let sizes = network::sizes::Sizes::new(&network::sizes::Params::read(query).0).ok()?;
            communication_cost::chart(&sizes, communication_cost::Over::Time)
        }
        "decode-speed" => {
            decode_speed::chart(&ringside_core::speculative::serving::Params::read(query).0.outcome().ok()?)
        }
        "editor-latency" => editor_latency::chart(&ringside_core::editor_latency::Params::read(query).0),
        "first-steps" => {
            first_steps::chart(&memory::first_steps::course(&memory::first_steps::Params::read(query).0).ok()?)
        }
        "kernel-fusion" => kernel_fusion::chart(&kernels::fusion::Params::read(query).0, &[]),
        "matmul-tuner" => matmul_tuner::chart(&kernels::tuner::Params::read(query).0, &[]),
        "multi-token-prediction" => {
            multi_token_prediction::chart(&ringside_core::speculative::figure::Params::read(query).0)
        }
        "overlap-map" => {
            overlap_map::chart(&ringside_core::overlap::Map::new(&ringside_core::overlap::Params::read(query).0).ok()?)
        }
        "pass-at-k" => {
            let params = ringside_core::pass_at_k::Params::read(query).0;
            pass_at_k::chart(&params, &params.evaluate().ok()?)
        }
        "position-encoding" => position_encoding::chart(&attention::position::Params::read(query).0),
        "reduction-order" => {
            let params = ringside_core::reduction_order::Params::read(query).0;
            reduction_order::chart(&params, &params.evaluate().ok()?)
        }
        "roofline" => {
            roofline::chart(&roofs::Placed::new(&roofs::Params::read(query).0), &roofline::Measured::default())
        }
        "serving-planner" => {
            let params = ringside_core::serving::sizing::Params::read(query).0;
            serving_planner::chart(&params, &params.evaluate().ok()?)
        }
        "scaling-curve" => scaling_curve::speed(&scaling::Curve::new(&scaling::Params::read(query).0).ok()?),
        _ => return None,
    })
}

/// Numbers from one to another that lie evenly on a logarithmic axis, so many steps apart, both ends included.
fn spread((from, to): (f64, f64), steps: u32) -> impl Iterator<Item = f64> {
    (0..=steps).map(move |i| from * (to / from).powf(f64::from(i) / f64::from(steps)))
}
