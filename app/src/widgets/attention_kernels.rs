//! One attention by a ladder of kernels, on the learner's own GPU.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kernels::Work as _;
use ringside_core::kernels::attention::{Params, Sizes};
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
                ("One head, 1024 tokens", "seq=1024&head_dim=64&heads=1&kv_heads=1&causal=false"),
                ("GPT-2 small", "seq=1024&head_dim=64&heads=12&kv_heads=12&causal=true"),
                ("Grouped queries: 8 share 2", "seq=512&head_dim=128&heads=8&kv_heads=2&causal=true"),
                ("No multiple of a tile", "seq=333&head_dim=32&heads=3&kv_heads=3&causal=false"),
            ],
            subtitle: |Sizes { seq, head_dim, heads, kv_heads, causal }| {
                let mask = if causal { ", causal" } else { "" };
                format!("{} tokens · {heads} heads of {head_dim}, {kv_heads} of K and V{mask}", grouped(seq))
            },
            guest: |_, _| None,
            families: &[Sizes::NAME],
        },
    )
}
