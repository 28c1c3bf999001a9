//! Steps worth looking at.

use leptos::prelude::*;
use ringside_core::ddp::{ALL_STEPS, Params};

use super::State;
use crate::ui::presets::{Preset, presets};

/// What each is called, and its parameters.
const PRESETS: &[Preset] = &[
    ("GPT-2 on two nodes", ""),
    ("Its first iteration", "iteration=first"),
    ("Over 100 Gb/s Ethernet, one GPU a node", "node=1&net=eth-100"),
    ("Buckets of 1 MiB", "bucket-cap-mb=1&node=1&net=eth-100"),
    ("One bucket of everything", "bucket-cap-mb=100000&first-bucket-mb=100000&node=1&net=eth-100"),
    ("Four micro-batches under no_sync", "microbatches=4&node=1&net=eth-100"),
    ("… and without", "microbatches=4&no-sync=false&node=1&net=eth-100"),
    ("A layer is skipped", "skip=true&node=1&net=eth-100"),
    ("find_unused_parameters", "skip=true&find-unused=true&node=1&net=eth-100"),
];

/// A button for each.
pub(super) fn view(state: State) -> AnyView {
    presets(state, "Examples", PRESETS.iter().copied(), |p| Params { step: ALL_STEPS, ..*p })
}
