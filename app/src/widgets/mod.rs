//! The registry of widgets, then one file per widget.
//!
//! A widget shows one model of `ringside_core::catalogue` and has its id. One that a single picture shows needs nothing here: it is in the list of
//! `ringside_drawing::pictures`. For another, write its file and its style sheet, and add its line below; its page, its place in chapters, search, screenshots and the tests over all of them follow by themselves.

mod activation_memory;
mod amdahl;
mod attention_kernels;
mod caching_allocator;
mod cluster_scheduler;
mod coalescing;
mod collective;
mod communication_cost;
mod context_parallel;
mod continuous_batching;
mod controls;
mod ddp_overlap;
mod decode_kernels;
mod explore;
mod export;
mod failure_campaign;
mod fill_in_the_middle;
mod flash_attention_tiling;
mod float_bits;
mod glass;
mod kernel_fusion;
mod kernel_workbench;
mod kernels;
mod kv_cache;
mod launch_doctor;
mod live_evaluation;
mod loss_detective;
mod loss_scaling;
mod matmul_kernels;
mod matmul_tuner;
mod memory_breakdown;
mod model_anatomy;
mod model_figure;
pub(crate) mod model_input;
mod moe_routing;
pub(crate) mod my_setup;
mod occupancy;
mod one_picture;
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
mod puzzles;
mod rank_program;
mod readings;
mod reduction_order;
mod rlhf_memory;
mod roofline;
mod schedule_editor;
mod seed_streams;
mod serving_command;
mod serving_planner;
mod sft_packing;
mod tensor_parallel;
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
pub use puzzles::Judge;
use warps::{divergence as warp_divergence, scheduler as warp_scheduler};

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

/// A list of widgets: the module that is downloaded, which is that of the chapter, and of each widget the id, the file and its style sheets.
macro_rules! widgets {
    ($($module:ident { $($id:literal $name:ident [$($style:literal),*];)+ })+) => {
        $($(lazy! { $module: fn $name() -> Module { $name::MODULE } })+)+

        /// Those with code of their own.
        const OWN: &[Widget] = &[$($(Widget { id: $id, styles: &[$($style),*], load: || Box::pin($name()) },)+)+];
    };
}

/// The same of those that one picture shows, whose list the drawings have.
macro_rules! pictures {
    ($($module:ident { $($id:literal $name:ident $params:ty;)+ })+) => {
        $($(lazy! { $module: fn $name() -> Module { one_picture::module::<$params>() } })+)+

        const IN_ONE_PICTURE: &[Widget] = &[$($(Widget { id: $id, styles: &[], load: || Box::pin($name()) },)+)+];
    };
}

ringside_drawing::figures!(pictures);

widgets! {
    chapter_00 {
        "amdahl" amdahl ["amdahl"];
        "optimizer-step" optimizer_step ["optimizer-step"];
        "parallel-machines" parallel_machines ["parallel-machines"];
    }
    chapter_01 {
        "training-run" training_run ["training-run"];
    }
    chapter_02 {
        "model-anatomy" model_anatomy ["model-anatomy"];
    }
    chapter_03 {
        "memory-breakdown" memory_breakdown [];
    }
    chapter_04 {
        "activation-memory" activation_memory ["activation-memory"];
    }
    chapter_05 {
        "float-bits" float_bits ["float-bits"];
        "loss-scaling" loss_scaling ["loss-scaling"];
    }
    chapter_06 {
        "ring-all-reduce" ring_all_reduce ["collective"];
    }
    programs {
        "rank-program" rank_program ["kernels", "timeline", "kernel-workbench", "rank-program"];
    }
    chapter_07 {
        "communication-cost" communication_cost ["network"];
    }
    chapter_08 {
        "ddp-overlap" ddp_overlap ["timeline", "ddp-overlap"];
    }
    chapter_09 {
        "overlap-map" overlap_map ["overlap-map"];
        "zero-stepper" zero_stepper ["zero-stepper"];
    }
    chapter_10 {
        "tensor-parallel" tensor_parallel ["tensor-parallel"];
    }
    chapter_11 {
        "pipeline-timeline" pipeline_timeline ["timeline", "pipeline-timeline"];
        "schedule-editor" schedule_editor ["schedule-editor"];
    }
    chapter_12 {
        "context-parallel" context_parallel ["context-parallel"];
        "parallel-planner" parallel_planner ["parallel-planner"];
    }
    chapter_13 {
        "moe-routing" moe_routing ["moe-routing"];
    }
    chapter_14 {
        "coalescing" coalescing ["kernels", "coalescing", "glass"];
        "occupancy" occupancy ["occupancy"];
        "warp-divergence" warp_divergence ["warps"];
        "warp-scheduler" warp_scheduler ["warps"];
    }
    chapter_15 {
        "roofline" roofline ["network", "kernels", "roofline"];
    }
    chapter_16 {
        "kernel-workbench" kernel_workbench ["kernels", "kernel-workbench", "glass"];
        "matmul-kernels" matmul_kernels ["kernels", "glass"];
        "matmul-tuner" matmul_tuner ["kernels", "matmul-tuner", "glass"];
    }
    chapter_17 {
        "kernel-fusion" kernel_fusion ["network", "kernels", "kernel-fusion", "glass"];
    }
    chapter_18 {
        "attention-kernels" attention_kernels ["kernels", "glass"];
        "decode-kernels" decode_kernels ["kernels", "glass"];
        "flash-attention-tiling" flash_attention_tiling ["flash-attention-tiling"];
        "position-encoding" position_encoding ["position-encoding"];
    }
    chapter_19 {
        "caching-allocator" caching_allocator ["caching-allocator"];
        "trace-detective" trace_detective ["trace-detective"];
    }
    chapter_20 {
        "loss-detective" loss_detective ["loss-detective"];
        "reduction-order" reduction_order ["kernels", "reduction-order", "glass"];
        "seed-streams" seed_streams ["seed-streams"];
    }
    chapter_21 {
        "failure-campaign" failure_campaign ["failure-campaign"];
    }
    chapter_22 {
        "cluster-scheduler" cluster_scheduler ["lined", "cluster-scheduler"];
        "launch-doctor" launch_doctor ["lined", "launch-doctor"];
    }
    chapter_23 {
        "policy-update" policy_update ["policy-update"];
        "rlhf-memory" rlhf_memory ["rlhf-memory"];
        "sft-packing" sft_packing ["sft-packing"];
    }
    chapter_24 {
        "continuous-batching" continuous_batching ["lined", "continuous-batching"];
        "kv-cache" kv_cache ["kv-cache"];
        "serving-planner" serving_planner [];
    }
    chapter_25 {
        "fill-in-the-middle" fill_in_the_middle ["fill-in-the-middle"];
        "live-evaluation" live_evaluation ["lined", "live-evaluation"];
        "pass-at-k" pass_at_k ["lined", "pass-at-k"];
    }
}

/// Every widget.
pub fn all() -> impl Iterator<Item = &'static Widget> {
    OWN.iter().chain(IN_ONE_PICTURE)
}

/// The widget with this id.
pub fn find(id: &str) -> Option<&'static Widget> {
    all().find(|w| w.id == id)
}

/// One parameter of a model, as the catalogue describes it.
fn param(model: &Entry, name: &'static str) -> ParamSpec {
    let none = ParamSpec { name, doc: "", kind: Kind::Choice(&[]), default: "" };
    model.param(name).map_or(none, |param| *param.spec)
}
