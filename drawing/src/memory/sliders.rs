//! What is dragged.

use ringside_core::declare::Scale;
use ringside_core::memory::{Breakdown, Params};
use ringside_core::quantity::{count, grouped};

/// A slider of the figure.
#[derive(Debug, Clone, Copy)]
pub struct Slider {
    /// The parameter's name.
    pub name: &'static str,
    /// What a person calls it.
    pub label: &'static str,
    /// The values of its positions.
    pub scale: Scale,
    /// How a value is written.
    pub format: fn(f64) -> String,
    /// Its value in a state, with the result on show: that of the last possible state.
    pub value: fn(&Params, &Breakdown) -> f64,
}

/// How large the model is.
pub const PARAMETERS: Slider = Slider {
    name: "params",
    label: "Parameters",
    scale: Scale::Decades(7, 13),
    format: count,
    value: |_, b| b.size.params,
};

/// How many ranks share its states.
pub const RANKS: Slider = Slider {
    name: "dp",
    label: "Data-parallel ranks",
    scale: Scale::Doubling(16),
    format: |n| grouped(n as u64),
    value: |p, _| p.dp as f64,
};
