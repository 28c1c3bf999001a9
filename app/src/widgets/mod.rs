//! The registry of widgets, then one file per widget.
//!
//! A widget shows one model of `ringside_core::catalogue` and has its id. To add one: write its file and its style
//! sheet, add its line to [`ALL`]; its page, its place in chapters, search, screenshots and the tests over all of them follow by themselves.

mod activation_memory;
mod amdahl;
mod attention_growth;
mod attention_kernels;
mod caching_allocator;
mod checkpoint_resume;
mod cluster_scheduler;
mod coalescing;
mod collective;
mod communication_cost;
mod context_parallel;
mod continuous_batching;
mod controls;
mod ddp_overlap;
mod decode_kernels;
mod decode_speed;
mod editor_latency;
mod expert_grid;
mod export;
mod failure_campaign;
mod fill_in_the_middle;
mod first_steps;
mod flash_attention_tiling;
mod float_bits;
mod kernel_fusion;
mod kernel_workbench;
mod kernels;
mod kv_cache;
mod kv_compression;
mod launch_doctor;
mod live_evaluation;
mod lora_adapters;
mod loss_detective;
mod loss_scaling;
mod matmul_kernels;
mod matmul_tuner;
mod memory_breakdown;
mod memory_hierarchy;
mod model_anatomy;
mod model_figure;
pub(crate) mod model_input;
mod moe_routing;
mod multi_token_prediction;
pub(crate) mod my_setup;
mod occupancy;
mod optimizer_step;
mod outcome;
mod overlap_map;
mod parallel_machines;
mod parallel_planner;
mod pass_at_k;
mod pipeline_timeline;
mod played;
mod policy_update;
mod position_encoding;
mod quantization;
mod readings;
mod reduction_order;
mod rlhf_memory;
mod roofline;
mod scaling_curve;
mod scaling_laws;
mod schedule_editor;
mod seed_streams;
mod serving_planner;
mod sft_packing;
mod sharding_price;
mod stragglers;
mod tensor_parallel;
mod tile_order;
mod trace_detective;
mod training_run;
mod warps;
mod zero_stepper;

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::query::{Kind, ParamSpec, Query};

use crate::deferred::Loading;
use crate::style;
pub use kernel_workbench::Judge;

/// A widget, before its code is there.
#[derive(Clone, Copy)]
pub struct Widget {
    /// The id: `memory-breakdown`.
    pub id: &'static str,
    /// Its style sheets, of `app/styles/on-demand/`.
    pub styles: &'static [&'static str],
    /// Downloads its code: its view and its model.
    pub load: fn() -> Loading<Module>,
}

impl Widget {
    /// Downloads it to be shown: its code and its style.
    pub fn to_show(&'static self) -> Loading<Module> {
        Box::pin(style::with(self.styles, (self.load)()))
    }
}

/// A widget's code: its view, and the model that also checks the exercises about it.
#[derive(Clone, Copy)]
pub struct Module {
    /// Shows it.
    pub view: fn(Props) -> AnyView,
    /// Computes it.
    pub model: &'static Entry,
}

/// What a widget is given by the page around it.
#[derive(Clone, Copy)]
pub struct Props {
    /// Its state: every parameter by its standard name. The page sets it (from a link, a "see it" preset, the back button)
    /// and the widget does (from its controls); both read it.
    pub query: RwSignal<Query>,
    /// Whether it stands alone on its own page.
    pub alone: bool,
    /// Whether to show only the controls that matter most: for a page of which the figure is a small part.
    pub compact: bool,
}

/// Every widget.
pub const ALL: &[Widget] = &[
    Widget { id: "activation-memory", styles: &["activation-memory"], load: || Box::pin(activation_memory::load()) },
    Widget { id: "amdahl", styles: &["amdahl"], load: || Box::pin(amdahl::load()) },
    Widget { id: "attention-growth", styles: &["attention-growth"], load: || Box::pin(attention_growth::load()) },
    Widget { id: "attention-kernels", styles: &["kernels"], load: || Box::pin(attention_kernels::load()) },
    Widget { id: "checkpoint-resume", styles: &["checkpoint-resume"], load: || Box::pin(checkpoint_resume::load()) },
    Widget { id: "coalescing", styles: &["kernels", "coalescing"], load: || Box::pin(coalescing::load()) },
    Widget {
        id: "cluster-scheduler",
        styles: &["lined", "cluster-scheduler"],
        load: || Box::pin(cluster_scheduler::load()),
    },
    Widget { id: "communication-cost", styles: &["network"], load: || Box::pin(communication_cost::load()) },
    Widget { id: "context-parallel", styles: &["context-parallel"], load: || Box::pin(context_parallel::load()) },
    Widget { id: "expert-grid", styles: &["expert-grid"], load: || Box::pin(expert_grid::load()) },
    Widget {
        id: "continuous-batching",
        styles: &["lined", "continuous-batching"],
        load: || Box::pin(continuous_batching::load()),
    },
    Widget { id: "ddp-overlap", styles: &["timeline", "ddp-overlap"], load: || Box::pin(ddp_overlap::load()) },
    Widget { id: "editor-latency", styles: &["editor-latency"], load: || Box::pin(editor_latency::load()) },
    Widget { id: "failure-campaign", styles: &["failure-campaign"], load: || Box::pin(failure_campaign::load()) },
    Widget { id: "fill-in-the-middle", styles: &["fill-in-the-middle"], load: || Box::pin(fill_in_the_middle::load()) },
    Widget { id: "first-steps", styles: &["first-steps"], load: || Box::pin(first_steps::load()) },
    Widget {
        id: "flash-attention-tiling",
        styles: &["flash-attention-tiling"],
        load: || Box::pin(flash_attention_tiling::load()),
    },
    Widget { id: "float-bits", styles: &["float-bits"], load: || Box::pin(float_bits::load()) },
    Widget {
        id: "kernel-fusion",
        styles: &["network", "kernels", "kernel-fusion"],
        load: || Box::pin(kernel_fusion::load()),
    },
    Widget {
        id: "kernel-workbench",
        styles: &["kernels", "kernel-workbench"],
        load: || Box::pin(kernel_workbench::load()),
    },
    Widget { id: "pass-at-k", styles: &["lined", "pass-at-k"], load: || Box::pin(pass_at_k::load()) },
    Widget { id: "lora-adapters", styles: &["lora-adapters"], load: || Box::pin(lora_adapters::load()) },
    Widget { id: "live-evaluation", styles: &["lined", "live-evaluation"], load: || Box::pin(live_evaluation::load()) },
    Widget { id: "loss-detective", styles: &["loss-detective"], load: || Box::pin(loss_detective::load()) },
    Widget { id: "decode-speed", styles: &["decode-speed"], load: || Box::pin(decode_speed::load()) },
    Widget { id: "kv-cache", styles: &["kv-cache"], load: || Box::pin(kv_cache::load()) },
    Widget { id: "kv-compression", styles: &["kv-compression"], load: || Box::pin(kv_compression::load()) },
    Widget { id: "launch-doctor", styles: &["lined", "launch-doctor"], load: || Box::pin(launch_doctor::load()) },
    Widget { id: "loss-scaling", styles: &["loss-scaling"], load: || Box::pin(loss_scaling::load()) },
    Widget { id: "decode-kernels", styles: &["kernels"], load: || Box::pin(decode_kernels::load()) },
    Widget { id: "matmul-tuner", styles: &["kernels", "matmul-tuner"], load: || Box::pin(matmul_tuner::load()) },
    Widget { id: "matmul-kernels", styles: &["kernels"], load: || Box::pin(matmul_kernels::load()) },
    Widget { id: "memory-breakdown", styles: &[], load: || Box::pin(memory_breakdown::load()) },
    Widget { id: "memory-hierarchy", styles: &["memory-hierarchy"], load: || Box::pin(memory_hierarchy::load()) },
    Widget { id: "model-anatomy", styles: &["model-anatomy"], load: || Box::pin(model_anatomy::load()) },
    Widget { id: "moe-routing", styles: &["moe-routing"], load: || Box::pin(moe_routing::load()) },
    Widget {
        id: "multi-token-prediction",
        styles: &["multi-token-prediction"],
        load: || Box::pin(multi_token_prediction::load()),
    },
    Widget { id: "occupancy", styles: &["occupancy"], load: || Box::pin(occupancy::load()) },
    Widget { id: "optimizer-step", styles: &["optimizer-step"], load: || Box::pin(optimizer_step::load()) },
    Widget { id: "parallel-machines", styles: &["parallel-machines"], load: || Box::pin(parallel_machines::load()) },
    Widget { id: "parallel-planner", styles: &["parallel-planner"], load: || Box::pin(parallel_planner::load()) },
    Widget {
        id: "pipeline-timeline",
        styles: &["timeline", "pipeline-timeline"],
        load: || Box::pin(pipeline_timeline::load()),
    },
    Widget { id: "policy-update", styles: &["policy-update"], load: || Box::pin(policy_update::load()) },
    Widget { id: "position-encoding", styles: &["position-encoding"], load: || Box::pin(position_encoding::load()) },
    Widget { id: "quantization", styles: &["quantization"], load: || Box::pin(quantization::load()) },
    Widget {
        id: "reduction-order",
        styles: &["kernels", "reduction-order"],
        load: || Box::pin(reduction_order::load()),
    },
    Widget { id: "ring-all-reduce", styles: &["collective"], load: || Box::pin(collective::load()) },
    Widget { id: "rlhf-memory", styles: &["rlhf-memory"], load: || Box::pin(rlhf_memory::load()) },
    Widget { id: "roofline", styles: &["network", "kernels", "roofline"], load: || Box::pin(roofline::load()) },
    Widget { id: "scaling-curve", styles: &["network"], load: || Box::pin(scaling_curve::load()) },
    Widget { id: "scaling-laws", styles: &["scaling-laws"], load: || Box::pin(scaling_laws::load()) },
    Widget { id: "schedule-editor", styles: &["schedule-editor"], load: || Box::pin(schedule_editor::load()) },
    Widget { id: "seed-streams", styles: &["seed-streams"], load: || Box::pin(seed_streams::load()) },
    Widget { id: "stragglers", styles: &["stragglers"], load: || Box::pin(stragglers::load()) },
    Widget { id: "serving-planner", styles: &["serving-planner"], load: || Box::pin(serving_planner::load()) },
    Widget { id: "sharding-price", styles: &["sharding-price"], load: || Box::pin(sharding_price::load()) },
    Widget { id: "sft-packing", styles: &["sft-packing"], load: || Box::pin(sft_packing::load()) },
    Widget { id: "tensor-parallel", styles: &["tensor-parallel"], load: || Box::pin(tensor_parallel::load()) },
    Widget { id: "caching-allocator", styles: &["caching-allocator"], load: || Box::pin(caching_allocator::load()) },
    Widget { id: "tile-order", styles: &["tile-order"], load: || Box::pin(tile_order::load()) },
    Widget { id: "trace-detective", styles: &["trace-detective"], load: || Box::pin(trace_detective::load()) },
    Widget { id: "training-run", styles: &["scaling-laws"], load: || Box::pin(training_run::load()) },
    Widget { id: "warp-divergence", styles: &["warps"], load: || Box::pin(warps::divergence::load()) },
    Widget { id: "warp-scheduler", styles: &["warps"], load: || Box::pin(warps::scheduler::load()) },
    Widget { id: "zero-stepper", styles: &["zero-stepper"], load: || Box::pin(zero_stepper::load()) },
    Widget { id: "overlap-map", styles: &["overlap-map"], load: || Box::pin(overlap_map::load()) },
];

/// The widget with this id.
pub fn find(id: &str) -> Option<&'static Widget> {
    ALL.iter().find(|w| w.id == id)
}

/// One parameter of a model, as the catalogue describes it.
fn param(model: &Entry, name: &'static str) -> ParamSpec {
    let none = ParamSpec { name, doc: "", kind: Kind::Choice(&[]), default: "" };
    model.param(name).map_or(none, |param| *param.spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_sheet_is_there() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("styles/on-demand");
        for name in ALL.iter().flat_map(|widget| widget.styles) {
            assert!(folder.join(format!("{name}.css")).is_file(), "{name}.css");
        }
    }

    #[test]
    fn every_widget_shows_a_model_and_every_model_has_a_widget() {
        let sorted = |mut ids: Vec<&'static str>| {
            ids.sort_unstable();
            ids
        };
        let widgets = sorted(ALL.iter().map(|w| w.id).collect());
        assert_eq!(widgets, sorted(ringside_core::catalogue::ALL.iter().map(|e| e.id).collect()));
    }
}
