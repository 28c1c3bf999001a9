//! The registry of widgets, then one file per widget.
//!
//! A widget shows one model of `ringside_core::catalogue` and has its id. To add one: write its file and its style
//! sheet, and add its line to [`ALL`]; its page, its place in chapters, search, screenshots and the tests over all of them follow by themselves.

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

use crate::deferred::{Loading, lazy};
use crate::style;
use collective as ring_all_reduce;
pub use kernel_workbench::Judge;
use warps::{divergence as warp_divergence, scheduler as warp_scheduler};

/// The figure that the home page begins with: its style is in every page.
const STYLED: &str = "memory-breakdown";

/// A widget, before its code is there.
#[derive(Clone, Copy)]
pub struct Widget {
    /// The id: `memory-breakdown`.
    pub id: &'static str,
    /// Downloads its code: its view and its model.
    pub load: fn() -> Loading<Module>,
}

impl Widget {
    /// Downloads it to be shown: its code and the figures' style sheet.
    pub fn to_show(&'static self) -> Loading<Module> {
        let sheets: &[&str] = if self.id == STYLED { &[] } else { &["widgets"] };
        Box::pin(style::with(sheets, (self.load)()))
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

/// The list of widgets: the module that is downloaded, which is that of the chapter, and of each widget the id and the file.
macro_rules! widgets {
    ($($module:ident { $($id:literal $name:ident;)+ })+) => {
        $($(lazy! { $module: fn $name() -> Module { $name::MODULE } })+)+

        /// Every widget.
        pub const ALL: &[Widget] = &[$($(Widget { id: $id, load: || Box::pin($name()) },)+)+];
    };
}

widgets! {
    chapter_00 {
        "amdahl" amdahl;
        "optimizer-step" optimizer_step;
        "parallel-machines" parallel_machines;
    }
    chapter_01 {
        "scaling-laws" scaling_laws;
        "training-run" training_run;
    }
    chapter_02 {
        "model-anatomy" model_anatomy;
    }
    chapter_03 {
        "memory-breakdown" memory_breakdown;
    }
    chapter_04 {
        "activation-memory" activation_memory;
        "first-steps" first_steps;
    }
    chapter_05 {
        "float-bits" float_bits;
        "loss-scaling" loss_scaling;
        "quantization" quantization;
    }
    chapter_06 {
        "ring-all-reduce" ring_all_reduce;
    }
    chapter_07 {
        "communication-cost" communication_cost;
        "scaling-curve" scaling_curve;
    }
    chapter_08 {
        "ddp-overlap" ddp_overlap;
    }
    chapter_09 {
        "overlap-map" overlap_map;
        "sharding-price" sharding_price;
        "zero-stepper" zero_stepper;
    }
    chapter_10 {
        "tensor-parallel" tensor_parallel;
    }
    chapter_11 {
        "pipeline-timeline" pipeline_timeline;
        "schedule-editor" schedule_editor;
    }
    chapter_12 {
        "context-parallel" context_parallel;
        "expert-grid" expert_grid;
        "parallel-planner" parallel_planner;
    }
    chapter_13 {
        "kv-compression" kv_compression;
        "moe-routing" moe_routing;
        "multi-token-prediction" multi_token_prediction;
    }
    chapter_14 {
        "coalescing" coalescing;
        "memory-hierarchy" memory_hierarchy;
        "occupancy" occupancy;
        "warp-divergence" warp_divergence;
        "warp-scheduler" warp_scheduler;
    }
    chapter_15 {
        "roofline" roofline;
    }
    chapter_16 {
        "kernel-workbench" kernel_workbench;
        "matmul-kernels" matmul_kernels;
        "matmul-tuner" matmul_tuner;
        "tile-order" tile_order;
    }
    chapter_17 {
        "kernel-fusion" kernel_fusion;
    }
    chapter_18 {
        "attention-growth" attention_growth;
        "attention-kernels" attention_kernels;
        "decode-kernels" decode_kernels;
        "flash-attention-tiling" flash_attention_tiling;
        "position-encoding" position_encoding;
    }
    chapter_19 {
        "caching-allocator" caching_allocator;
        "trace-detective" trace_detective;
    }
    chapter_20 {
        "loss-detective" loss_detective;
        "reduction-order" reduction_order;
        "seed-streams" seed_streams;
    }
    chapter_21 {
        "checkpoint-resume" checkpoint_resume;
        "failure-campaign" failure_campaign;
        "stragglers" stragglers;
    }
    chapter_22 {
        "cluster-scheduler" cluster_scheduler;
        "launch-doctor" launch_doctor;
    }
    chapter_23 {
        "lora-adapters" lora_adapters;
        "policy-update" policy_update;
        "rlhf-memory" rlhf_memory;
        "sft-packing" sft_packing;
    }
    chapter_24 {
        "continuous-batching" continuous_batching;
        "decode-speed" decode_speed;
        "kv-cache" kv_cache;
        "serving-planner" serving_planner;
    }
    chapter_25 {
        "editor-latency" editor_latency;
        "fill-in-the-middle" fill_in_the_middle;
        "live-evaluation" live_evaluation;
        "pass-at-k" pass_at_k;
    }
}

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
    fn every_widget_shows_a_model_and_every_model_has_a_widget() {
        let sorted = |mut ids: Vec<&'static str>| {
            ids.sort_unstable();
            ids
        };
        let widgets = sorted(ALL.iter().map(|w| w.id).collect());
        assert_eq!(widgets, sorted(ringside_core::catalogue::ALL.iter().map(|e| e.id).collect()));
    }
}
