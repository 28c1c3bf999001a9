//! One query against a long cache by three kernels, on the learner's own GPU.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kernels::Work as _;
use ringside_core::kernels::decode::{Params, Sizes};
use ringside_core::quantity::grouped;

use super::kernels::{Differences, figure};
use super::{Module, Props};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    figure(
        props,
        Differences {
            subtitle: |Sizes { keys, head_dim, heads, kv_heads, chunk }| {
                format!(
                    "{} tokens · {heads} heads of {head_dim}, {kv_heads} of K and V · chunks of {}",
                    grouped(keys),
                    grouped(chunk)
                )
            },
            guest: |_, _| None,
            families: &[Sizes::NAME],
        },
    )
}
