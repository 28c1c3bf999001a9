//! Every model of the crate by the id of the widget that shows it.
//!
//! Content names models and quantities by these ids; so do links and tests. To add a model: state it
//! ([`crate::declare::Model`]), add its `ENTRY` to [`ALL`].

use crate::declare::Model;
pub use crate::declare::{Declared, Entry, Evaluation, Named};

/// All models that have a widget.
pub const ALL: &[Entry] = &[
    crate::moe::figure::Params::ENTRY,
    crate::speculative::figure::Params::ENTRY,
    crate::speculative::serving::Params::ENTRY,
    crate::kv_cache::figure::Params::ENTRY,
    crate::kv_cache::blocks::figure::Params::ENTRY,
    crate::amdahl::Params::ENTRY,
    crate::model::anatomy::Params::ENTRY,
    crate::memory::breakdown::Params::ENTRY,
    crate::memory::activations::Params::ENTRY,
    crate::memory::first_steps::Params::ENTRY,
    crate::collective::Params::ENTRY,
    crate::network::sizes::Params::ENTRY,
    crate::attention::Params::ENTRY,
    crate::attention::growth::Params::ENTRY,
    crate::attention::position::Params::ENTRY,
    crate::attention::schedule::Params::ENTRY,
    crate::zero::Params::ENTRY,
    crate::zero::price::Params::ENTRY,
    crate::ddp::Params::ENTRY,
    crate::roofline::Params::ENTRY,
    crate::scaling::Params::ENTRY,
    crate::scaling_laws::Params::ENTRY,
    crate::training_run::Params::ENTRY,
    crate::machines::Params::ENTRY,
    crate::optimizer_step::Params::ENTRY,
    crate::pipeline::Params::ENTRY,
    crate::pipeline::editor::EditorParams::ENTRY,
    crate::kernels::matmul::Params::ENTRY,
    crate::kernels::tuner::Params::ENTRY,
    crate::tile_order::Params::ENTRY,
    crate::kernels::workbench::Params::ENTRY,
    crate::program::figure::Params::ENTRY,
    crate::kernels::attention::Params::ENTRY,
    crate::kernels::decode::Params::ENTRY,
    crate::kernels::fusion::Params::ENTRY,
    crate::tensor_parallel::Params::ENTRY,
    crate::planner::Params::ENTRY,
    crate::context_parallel::Params::ENTRY,
    crate::float::bits::Params::ENTRY,
    crate::loss_scaling::Params::ENTRY,
    crate::quantization::Params::ENTRY,
    crate::hardware::levels::Params::ENTRY,
    crate::occupancy::Params::ENTRY,
    crate::coalescing::Params::ENTRY,
    crate::execution::scheduler::Params::ENTRY,
    crate::execution::divergence::Params::ENTRY,
    crate::reduction_order::Params::ENTRY,
    crate::failure::Failures::ENTRY,
    crate::resume::Params::ENTRY,
    crate::scheduler::Params::ENTRY,
    crate::loss_detective::Params::ENTRY,
    crate::seed_streams::Params::ENTRY,
    crate::stragglers::Params::ENTRY,
    crate::launch::Params::ENTRY,
    crate::detective::Params::ENTRY,
    crate::allocator::Params::ENTRY,
    crate::serving::figure::Params::ENTRY,
    crate::serving::sizing::Params::ENTRY,
    crate::serving::tiers::Params::ENTRY,
    crate::serving::fleet::Params::ENTRY,
    crate::pass_at_k::Params::ENTRY,
    crate::fim::Params::ENTRY,
    crate::post_training::memory::Params::ENTRY,
    crate::post_training::policy::Params::ENTRY,
    crate::post_training::adapters::figure::Params::ENTRY,
    crate::post_training::packing::Params::ENTRY,
    crate::post_training::rollout::Params::ENTRY,
    crate::evaluation::Params::ENTRY,
    crate::editor_latency::Params::ENTRY,
    crate::overlap::Params::ENTRY,
    crate::expert_grid::Params::ENTRY,
];

/// The model with this id.
pub fn find(id: &str) -> Option<&'static Entry> {
    ALL.iter().find(|e| e.id == id)
}

/// The states of the examples that a figure's file in `content/figures` has.
#[cfg(test)]
pub(crate) fn examples(id: &str) -> Vec<String> {
    let path = format!("{}/../content/figures/{id}.toml", env!("CARGO_MANIFEST_DIR"));
    let file: toml::Table = std::fs::read_to_string(path).expect("the figure's file").parse().expect("TOML");
    let all = file.get("example").and_then(toml::Value::as_array).expect("its examples");
    all.iter().filter_map(|example| Some(example.get("state")?.as_str()?.to_owned())).collect()
}
