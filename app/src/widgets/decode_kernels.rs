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
            presets: &[
                ("8 heads share 2", "keys=8192&chunk=512&head_dim=128&heads=8&kv_heads=2"),
                ("Llama 3 8B, one token", "keys=8192&chunk=512&head_dim=128&heads=32&kv_heads=8"),
                ("One head, a long cache", "keys=32768&chunk=512&head_dim=128&heads=1&kv_heads=1"),
                ("One chunk", "keys=8192&chunk=8192&head_dim=128&heads=8&kv_heads=2"),
                ("No multiple of a tile", "keys=777&chunk=100&head_dim=64&heads=6&kv_heads=3"),
            ],
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
