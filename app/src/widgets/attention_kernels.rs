//! One attention by a ladder of kernels, on the learner's own GPU.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kernels::Work as _;
use ringside_core::kernels::attention::{Params, Sizes};
use ringside_core::quantity::{counted, grouped};

use super::kernels::{Differences, figure};
use super::{Module, Props};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    figure(
        props,
        Differences {
            subtitle: |Sizes { seq, head_dim, heads, kv_heads, causal }| {
                let mask = if causal { ", causal" } else { "" };
                let heads = counted(heads, "head", "heads");
                format!("{} tokens · {heads} of {head_dim}, {kv_heads} of K and V{mask}", grouped(seq))
            },
            guest: |_, _| None,
            families: &[Sizes::NAME],
        },
    )
}
