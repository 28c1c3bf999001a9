//! Time and bus bandwidth against the size of the buffer, by ring and by tree, with what nccl-tests measured over them.

mod measure;
mod numbers;
mod plots;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::collective::{Algo, Op};
use ringside_core::network::sizes::{ENTRY, Params, Sizes, TOPOLOGIES};
use ringside_core::quantity::{Unit, grouped};

use super::{Module, Props, outcome, param, readings, wiring};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::figure::Figure;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};

/// Downloads the widget.
#[wasm_split(widget_communication_cost, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Sizes>;

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let params = state.params();
    let shown = Shown::new(params, Sizes::new, |p| Params { algo: Algo::Ring, ..p.clone() });

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let algo = if p.algo == Algo::Ring { "ring" } else { "tree" };
            let ranks = grouped(p.ranks as u64);
            format!("{} by {algo} · {ranks} GPUs · {}", p.op.label(), Unit::Bytes.format(p.bytes))
        })
    });
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Sizes::finding)));
    let quantities = Memo::new(move |_| shown.with(|s| ENTRY.measured(|id| s.quantity(id))));
    // Those of a fit stand beside what was pasted.
    let readings = readings::only(&ENTRY, quantities, |id| !measure::is_of_fit(id));
    let drawing = view! {
        {plots::view(shown)}
        <dl class="readings loaded">{readings}</dl>
        {(!props.compact).then(|| measure::view(state, shown, quantities))}
    }
    .into_any();
    view! {
        <Figure
            id=ENTRY.id
            title=ENTRY.title
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding
            notes="Peaks of the links, and NCCL’s own latency for each hop with its Simple protocol. Real transfers reach some 80% of such a peak; \
                   for small buffers NCCL has faster protocols (LL, LL128), which are not drawn."
                .to_owned()
            controls=controls(state, props.compact)
            table=move || numbers::view(shown)
        >
            {shown.frame(drawing)}
        </Figure>
    }
    .into_any()
}

fn controls(state: State, compact: bool) -> AnyView {
    let bytes = Signal::derive(move || state.params().with(|p| p.bytes));
    let ranks = Signal::derive(move || state.params().with(|p| p.ranks as f64));
    let sliders = view! {
        <div class="control-grid">
            <Slider
                spec=param(&ENTRY, "bytes")
                label="Buffer"
                value=bytes
                set=move |v: f64| state.update(|p| p.bytes = v)
                scale=Scale::Decades(1, 10)
                format=|v| Unit::Bytes.format(v)
            />
            <Slider
                spec=param(&ENTRY, "ranks")
                label="GPUs"
                value=ranks
                set=move |v: f64| state.update(|p| p.ranks = (v as usize).max(2))
                scale=Scale::Doubling(14)
                format=|v| grouped(v as u64)
            />
        </div>
    };
    if compact {
        return sliders.into_any();
    }
    view! {
        {ui::presets::partial(state, "Machines", TOPOLOGIES.iter().map(|t| (t.name, t.query)))}
        <div class="control-row">{operation(state)} {algorithm(state)}</div>
        {sliders}
        {wiring::fold(state, &ENTRY, |p| &mut p.wires)}
    }
    .into_any()
}

fn operation(state: State) -> impl IntoView {
    let groups = vec![Group { label: "", options: Op::ALL.map(|op| (op.id(), op.label())).to_vec() }];
    let value = Signal::derive(move || state.params().with(|p| p.op.id()));
    let set = move |id: &'static str| {
        if let Some(op) = Op::find(id) {
            state.update(|p| {
                p.op = op;
                if !p.algo.does(op) {
                    p.algo = Algo::Ring;
                }
            });
        }
    };
    view! { <Select name="op" label="Operation" groups value set /> }
}

fn algorithm(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.algo.id()));
    let set = move |id: &'static str| {
        if let Some(algo) = Algo::find(id) {
            state.update(|p| p.algo = algo);
        }
    };
    let options =
        [(Algo::Ring, "ring"), (Algo::DoubleBinaryTree, "tree")].map(|(algo, text)| (algo.id(), text)).to_vec();
    view! { <Segmented name="algo" label="Numbers of the" options value set /> }
}
