//! The controls.

use leptos::prelude::*;
use ringside_core::attention::growth::{ENTRY, Params};

use super::State;
use crate::ui::presets::{Preset, presets};
use crate::widgets::fields::Fields;

/// Models worth looking at.
const PRESETS: &[Preset] = &[
    ("Llama 2 7B, multi-head", "heads=32&kv_heads=32&head_dim=128&layers=32&seq=4096"),
    ("Llama 3 8B, grouped", "heads=32&kv_heads=8&head_dim=128&layers=32&seq=8192"),
    ("Llama 3.1 405B, grouped", "heads=128&kv_heads=8&head_dim=128&layers=126&seq=131072"),
    ("Falcon 7B, multi-query", "heads=71&kv_heads=1&head_dim=64&layers=32&seq=2048"),
    ("GPT-3, multi-head", "heads=96&kv_heads=96&head_dim=128&layers=96&seq=2048"),
];

pub(super) fn view(state: State, compact: bool) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    let params = state.params();
    let heads = Signal::derive(move || params.with(|p| p.heads as f64));
    let kv_heads = Signal::derive(move || params.with(|p| p.kv_heads as f64));
    let shared = move || {
        let set = move |n| state.update(|p| *p = p.with_kv_heads(n));
        fields.slider("kv_heads", "Heads of keys and values", 7, kv_heads, set)
    };
    if compact {
        return view! { <div class="control-grid">{shared()}</div> }.into_any();
    }
    let set = move |n| state.update(|p| *p = p.with_heads(n));
    view! {
        {presets(state, "Models", PRESETS.iter().copied(), |p| Params { step: 0, ..*p })}
        <div class="control-grid">
            {fields.slider("heads", "Query heads", 7, heads, set)}
            {shared()}
            {fields.doubling("seq", "Tokens", 20, |p: &mut Params| &mut p.seq)}
        </div>
    }
    .into_any()
}
