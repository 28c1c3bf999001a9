//! The controls.

use leptos::prelude::*;
use ringside_core::attention::position::{ENTRY, Params, Scheme};
use ringside_core::quantity::number;

use super::State;
use crate::ui::presets::{Preset, presets};
use crate::ui::segmented::Segmented;
use crate::ui::slider::{Scale, Slider};
use crate::widgets::fields::Fields;
use crate::widgets::param;

/// Encodings worth looking at.
const PRESETS: &[Preset] = &[
    ("Llama 2", "base=10000&trained=4096"),
    ("Llama 3", "base=500000&trained=8192"),
    ("Code Llama", "base=1000000&trained=16384"),
    ("Llama 2, positions divided by 8", "base=10000&trained=4096&scale=8"),
    ("ALiBi, 8 heads", "scheme=alibi&heads=8"),
];

pub(super) fn view(state: State, scheme: Memo<Scheme>, compact: bool) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    let value = Signal::derive(move || scheme.get().id());
    let set = move |id: &'static str| state.update(|p| p.scheme = Scheme::find(id));
    let first = view! {
        <div class="control-row">
            <Segmented name="scheme" label="Positions" options=vec![("rope", "RoPE: turned"), ("alibi", "ALiBi: lessened")] value set />
            {distance(state)}
        </div>
    };
    if compact {
        return first.into_any();
    }
    view! {
        {presets(state, "Examples", PRESETS.iter().copied(), |p| Params { step: 0, distance: 0, ..*p })}
        {first}
        <div class="control-grid" hidden=move || scheme.get() != Scheme::Rope>
            {fields.doubling("head_dim", "Head dimension", 10, |p: &mut Params| &mut p.head_dim)}
            {fields.real("base", "Base", Scale::Decades(2, 9), number, |p: &mut Params| &mut p.base)}
            {fields.doubling("trained", "Longest in training", 20, |p: &mut Params| &mut p.trained)}
            {fields.real("scale", "Positions divided by", Scale::Doubling(6), number, |p: &mut Params| &mut p.scale)}
        </div>
        <div class="control-grid" hidden=move || scheme.get() != Scheme::Alibi>
            {fields.doubling("heads", "Heads", 6, |p: &mut Params| &mut p.heads)}
        </div>
    }
    .into_any()
}

fn distance(state: State) -> AnyView {
    let value = Signal::derive(move || state.params().with(|p| p.distance as f64));
    let set = move |n: f64| state.update(|p| p.distance = n as u64);
    view! { <Slider spec=param(&ENTRY, "distance") label="Tokens apart" value set scale=Scale::FromZero(17) format=number /> }
        .into_any()
}
