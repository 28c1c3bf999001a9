//! The controls.

use leptos::prelude::*;
use ringside_core::kernels::fusion::{ENTRY, LAUNCHES, Params};
use ringside_core::kernels::rows::Op;
use ringside_core::quantity::number;

use super::{Shown, operations};
use crate::ui::presets;
use crate::ui::segmented::Segmented;
use crate::ui::slider::Scale;
use crate::widgets::fields::Fields;

/// Matrices worth looking at.
const EXAMPLES: &[presets::Preset] = &[
    ("Attention scores, 4096 tokens", "op=softmax&rows=4096&cols=4096"),
    ("Layer norm of 2048 tokens", "op=layer-norm&rows=2048&cols=4096"),
    ("Gated MLP, 2048 tokens", "op=chain&rows=2048&cols=14336"),
    ("One token", "op=layer-norm&rows=1&cols=4096"),
];

pub(super) fn view(shown: Shown, compact: bool) -> AnyView {
    let state = shown.state;
    let fields = Fields::new(state, &ENTRY);
    let op = Signal::derive(move || shown.with(|p| p.op.id()));
    let set_op = move |id: &'static str| {
        if let Some(op) = Op::find(id) {
            state.set(&state.params().with_untracked(|p| p.with_op(op)));
        }
    };
    let first = view! {
        <div class="control-row">
            <Segmented name="op" label="Operation" options=operations() value=op set=set_op />
            {kernel(shown)}
        </div>
        <div class="control-grid">
            {fields.doubling("rows", "Rows", 14, |p: &mut Params| &mut p.sizes.rows)}
            {fields.doubling("cols", "Columns", 14, |p: &mut Params| &mut p.sizes.cols)}
        </div>
    };
    if compact {
        return first.into_any();
    }
    let launch = Scale::Linear { min: 0.0, max: 20.0, step: 0.1 };
    view! {
        {presets::partial(state, "Examples", EXAMPLES.iter().copied())}
        {first}
        <div class="control-row">
            {fields.gpu(|p: &mut Params| &mut p.gpu)}
            {fields.real("launch", "A launch, in µs", launch, |v| format!("{} µs", number(v)), |p: &mut Params| &mut p.launch)}
        </div>
        {launches(shown)}
    }
    .into_any()
}

/// The kernels of the operation. Another operation has others.
fn kernel(shown: Shown) -> impl IntoView {
    let op = Memo::new(move |_| shown.with(|p| p.op));
    let value = Signal::derive(move || shown.with(|p| p.kernel));
    let set = move |id: &'static str| shown.state.update(|p| p.kernel = id);
    move || {
        let options = op.get().kernels().iter().map(|kernel| (kernel.id, kernel.label)).collect();
        view! { <Segmented name="kernel" label="Kernels" options value set /> }
    }
}

/// What launches were measured to cost, as buttons.
fn launches(shown: Shown) -> impl IntoView {
    let button = |(name, micros, about): (&'static str, f64, &'static str)| {
        let pressed = move || shown.with(|p| p.launch == micros).to_string();
        view! {
            <button
                type="button"
                class="preset"
                title=about
                aria-pressed=pressed
                on:click=move |_| shown.state.update(|p| p.launch = micros)
            >
                {format!("{name}: {} µs", number(micros))}
            </button>
        }
    };
    view! { <div class="presets" role="group" aria-label="What a launch costs, on a V100">{LAUNCHES.map(button).into_iter().collect_view()}</div> }
}
