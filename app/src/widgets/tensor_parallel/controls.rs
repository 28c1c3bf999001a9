//! The controls.

use leptos::prelude::*;
use ringside_core::hardware::links;
use ringside_core::quantity::Unit;
use ringside_core::tensor_parallel::{ENTRY, Params, Split};

use super::State;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};
use crate::widgets::fields::Fields;
use crate::widgets::model_input::ModelInput;
use crate::widgets::param;

/// The numbers of ranks that can be drawn, as values of a choice; the first is none.
const RANKS: [(&str, &str); 9] = [
    ("", "all ranks"),
    ("0", "rank 0"),
    ("1", "rank 1"),
    ("2", "rank 2"),
    ("3", "rank 3"),
    ("4", "rank 4"),
    ("5", "rank 5"),
    ("6", "rank 6"),
    ("7", "rank 7"),
];

/// All of them, or those that matter most.
pub(super) fn view(state: State, input: ModelInput, compact: bool) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    let tp = Signal::derive(move || state.params().with(|p| p.tp as f64));
    let ranks = fields.slider("tp", "Tensor-parallel ranks", 6, tp, move |tp| state.update(|p| *p = p.with_ranks(tp)));
    let first = view! {
        <div class="control-row">{ranks} {split(state)} {sequence(state)} {whose(state)}</div>
    };
    if compact {
        return first.into_any();
    }
    let params = Signal::derive(move || state.params().with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let machine = move || {
        state.params().with(|p| {
            let nodes = if p.tp > p.node { format!(", {} between nodes", p.net.name) } else { String::new() };
            format!("{}, {}{nodes}", p.gpu.name, p.link.name)
        })
    };
    view! {
        {first}
        <div class="control-row">
            {input.select(params, None)}
            {fields.doubling("seq", "Tokens of a sequence", 20, |p| &mut p.seq)}
            {fields.doubling("mbs", "Sequences of a micro-batch", 8, |p| &mut p.mbs)}
        </div>
        {input.panel()}
        <details class="fold">
            <summary>"The machine: " <span>{machine}</span></summary>
            <div class="control-grid">
                {fields.gpu_and_links(|p| &mut p.gpu, |p| &mut p.link, |p| &mut p.net)}
                {efficiency(state)}
                {fields.link("link", "Link within a node", links::INSIDE, |p| &mut p.link)}
                {fields.doubling("node", "GPUs in a node", 6, |p| &mut p.node)}
                {fields.link("net", "Link between nodes", links::BETWEEN, |p| &mut p.net)}
                {fields.doubling("nics", "Ports to other nodes, a node", 6, |p| &mut p.nics)}
                {fields.switch("overlap", "Collectives", ["one after another", "beside products"], |p| &mut p.overlap)}
            </div>
        </details>
    }
    .into_any()
}

fn split(state: State) -> impl IntoView {
    let groups = vec![Group { label: "", options: Split::ALL.iter().map(|s| (s.id(), s.label())).collect() }];
    let value = Signal::derive(move || state.params().with(|p| p.split.id()));
    let set = move |id: &'static str| {
        if let Some(split) = Split::find(id) {
            state.update(|p| *p = Params { split, sp: p.sp && split == Split::PAIR, ..p.with_ranks(p.tp) });
        }
    };
    view! { <Select name="split" label="Matrices cut by" groups value set /> }
}

/// Only the right split has it.
fn sequence(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| if p.sp { "true" } else { "false" }));
    let set = move |id: &'static str| state.update(|p| *p = Params { sp: id == "true", ..p.with_ranks(p.tp) });
    view! {
        <fieldset class="bare" disabled=move || state.params().with(|p| p.split != Split::PAIR)>
            <Segmented name="sp" label="Sequence parallelism" options=vec![("false", "off"), ("true", "on")] value set />
        </fieldset>
    }
}

fn whose(state: State) -> impl IntoView {
    let drawn = Memo::new(move |_| state.params().with(Params::drawn));
    let value = Signal::derive(move || {
        let rank = state.params().with(|p| p.rank).map_or(0, |rank| rank + 1);
        RANKS.get(rank).map_or("", |(id, _)| *id)
    });
    let set = move |id: &'static str| {
        let rank = RANKS.iter().position(|(other, _)| *other == id).and_then(|i| i.checked_sub(1));
        state.update(|p| p.rank = rank);
    };
    move || {
        let options = RANKS.iter().take(drawn.get() + 1).copied().collect();
        view! { <Select name="rank" label="In the memory of" groups=vec![Group { label: "", options }] value set /> }
    }
}

fn efficiency(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.efficiency));
    let set = move |part: f64| state.update(|p| p.efficiency = part);
    let format = |part: f64| Unit::Fraction.format(part);
    let scale = Scale::Linear { min: 0.05, max: 1.0, step: 0.05 };
    view! { <Slider spec=param(&ENTRY, "efficiency") label="Part of its peak reached" value set scale format /> }
}
