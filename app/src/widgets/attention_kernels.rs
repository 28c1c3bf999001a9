//! One attention by five kernels, on the learner's own GPU.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::kernels::attention::{ENTRY, HEAD_DIMS, Params, Sizes};
use ringside_core::quantity::grouped;

use super::fields::Fields;
use super::kernels::{Differences, figure};
use super::{Module, Props};
use crate::deferred::NotLoaded;
use crate::ui::segmented::Segmented;
use crate::ui::state::State;

/// Downloads the widget.
#[wasm_split(widget_attention_kernels, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

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
            controls,
        },
    )
}

fn controls(state: State<Params>) -> [AnyView; 2] {
    let fields = Fields::new(state, &ENTRY);
    let beside = view! {
        {head_dim(state)} {fields.switch("causal", "A query sees", ["all keys", "causal"], |p| &mut p.sizes.causal)}
    };
    let sliders = view! {
        {fields.doubling("seq", "Tokens", 14, |p| &mut p.sizes.seq)} {heads(state, fields)}
        {fields.doubling("kv_heads", "Heads of K and V", 6, |p| &mut p.sizes.kv_heads)}
    };
    [beside.into_any(), sliders.into_any()]
}

fn head_dim(state: State<Params>) -> AnyView {
    let options = vec![("32", "32"), ("64", "64"), ("128", "128")];
    let value = Signal::derive(move || match state.params().with(|p| p.sizes.head_dim) {
        32 => "32",
        128 => "128",
        _ => "64",
    });
    let set = move |id: &'static str| {
        if let Some(d) = HEAD_DIMS.into_iter().find(|d| d.to_string() == id) {
            state.update(|p| p.sizes.head_dim = d);
        }
    };
    view! { <Segmented name="head_dim" label="Width of a head" options value set /> }.into_any()
}

/// Heads of Q; those of K and V go along as long as there were as many of both, or would no longer divide.
fn heads(state: State<Params>, fields: Fields<Params>) -> AnyView {
    let value = Signal::derive(move || state.params().with(|p| p.sizes.heads) as f64);
    let set = move |heads: u64| {
        state.update(|p| {
            let all = p.sizes.kv_heads == p.sizes.heads;
            p.sizes.heads = heads.max(1);
            if all || !p.sizes.heads.is_multiple_of(p.sizes.kv_heads.max(1)) {
                p.sizes.kv_heads = p.sizes.heads;
            }
        });
    };
    fields.slider("heads", "Heads", 6, value, set)
}
