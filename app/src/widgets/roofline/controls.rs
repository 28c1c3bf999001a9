//! The controls.

use leptos::prelude::*;
use ringside_core::model::presets as models;
use ringside_core::roofline::layer::Phase;
use ringside_core::roofline::{ENTRY, PRODUCT, Params};
use ringside_core::scaling::MODELS;

use super::Shown;
use crate::ui::presets;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::widgets::fields::Fields;

/// Questions with an answer on the roofline.
const EXAMPLES: &[presets::Preset] = &[
    ("A prompt", "phase=prefill&seq=4096&batch=1&op=mlp-up"),
    ("One token", "phase=decode&seq=4096&batch=1&op=mlp-up"),
    ("A token for each of 256", "phase=decode&seq=4096&batch=256&op=mlp-up"),
    ("Attention unfused", "phase=prefill&seq=4096&batch=1&flash=false&op=softmax"),
    ("Attention fused", "phase=prefill&seq=4096&batch=1&flash=true&op=attention"),
    ("A thin product", "op=product&m=64&n=4096&k=4096"),
];

pub(super) fn view(shown: Shown, compact: bool) -> AnyView {
    let state = shown.state;
    let fields = Fields::new(state, &ENTRY);
    let phase = Signal::derive(move || state.params().with(|p| p.load.phase.id()));
    let set_phase = move |id: &'static str| {
        let phase = if id == Phase::Decode.id() { Phase::Decode } else { Phase::Prefill };
        state.update(|p| p.load.phase = phase);
    };
    let phases = vec![(Phase::Prefill.id(), "all tokens: prefill, training"), (Phase::Decode.id(), "one more: decode")];
    let product = Memo::new(move |_| state.params().with(|p| p.op == PRODUCT));
    let first = view! {
        <div class="control-row">
            <Segmented name="phase" label="Computed" options=phases value=phase set=set_phase />
            {fields.gpu(|p: &mut Params| &mut p.gpu)}
        </div>
        <div class="control-grid">
            {fields.doubling("seq", "Tokens of a sequence", 17, |p: &mut Params| &mut p.load.seq)}
            {fields.doubling("batch", "Sequences", 12, |p: &mut Params| &mut p.load.batch)}
        </div>
    };
    if compact {
        return first.into_any();
    }
    view! {
        {presets::partial(state, "Examples", EXAMPLES.iter().copied())}
        <div class="control-row">{model(shown)} {flash(shown)}</div>
        {first}
        <div class="control-grid" hidden=move || !product.get()>
            {fields.doubling("m", "Rows of your product: m", 14, |p: &mut Params| &mut p.sizes[0])}
            {fields.doubling("n", "Columns: n", 14, |p: &mut Params| &mut p.sizes[1])}
            {fields.doubling("k", "Terms of each element: k", 14, |p: &mut Params| &mut p.sizes[2])}
        </div>
    }
    .into_any()
}

fn model(shown: Shown) -> impl IntoView {
    let options = MODELS.iter().filter_map(|id| models::find(id)).map(|p| (p.id, p.name)).collect();
    let value = Signal::derive(move || shown.state.params().with(|p| p.model.id));
    let set = move |id: &'static str| {
        if let Some(model) = models::find(id) {
            shown.state.update(|p| p.model = model);
        }
    };
    view! { <Select name="model" label="A layer of" groups=vec![Group { label: "", options }] value set /> }
}

fn flash(shown: Shown) -> impl IntoView {
    let state = shown.state;
    let value = Signal::derive(move || if state.params().with(|p| p.load.flash) { "true" } else { "false" });
    let set = move |id: &'static str| state.set(&state.params().with_untracked(|p| p.with_flash(id == "true")));
    let options = vec![("false", "three kernels"), ("true", "fused")];
    view! { <Segmented name="flash" label="Attention" options value set /> }
}
