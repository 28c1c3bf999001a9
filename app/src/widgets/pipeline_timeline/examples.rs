//! Runs worth looking at.

use leptos::prelude::*;

use super::State;
use crate::ui::presets::{Preset, presets};

/// What each is called, and its parameters.
const PRESETS: &[Preset] = &[
    ("GPipe, 4 × 4", "schedule=gpipe&stages=4&microbatches=4"),
    ("1F1B beside GPipe", "schedule=1f1b&compare=gpipe&stages=4&microbatches=8"),
    ("Interleaved beside 1F1B", "schedule=interleaved&compare=1f1b&stages=4&microbatches=8&chunks=2"),
    ("Zero bubble, H1 and H2", "schedule=zb-h1&compare=zb-h2&stages=4&microbatches=8"),
    ("DualPipeV beside ZB-V", "schedule=dualpipe-v&compare=zb-v&stages=4&microbatches=10"),
    ("PipeDream", "schedule=pipedream&stages=4&microbatches=8"),
    ("A straggler", "schedule=1f1b&stages=4&microbatches=12&slow-stage=2&slow-by=1.5&path=true"),
    ("64 × 512", "schedule=interleaved&stages=64&microbatches=512&chunks=4"),
];

/// A button for each.
pub(super) fn view(state: State) -> AnyView {
    presets(state, "Examples", PRESETS.iter().copied(), Clone::clone)
}
