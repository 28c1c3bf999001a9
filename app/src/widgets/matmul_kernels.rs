//! One product by eight kernels, on the learner's own GPU.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::kernels::matmul::{ENTRY, Params, Sizes};
use ringside_core::quantity::grouped;
use ringside_core::query::Query;

use super::kernels::Bench;
use super::{Module, Props, param};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::figure::Figure;
use crate::ui::slider::{Scale, Slider};

/// Downloads the widget.
#[wasm_split(widget_matmul_kernels, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

/// Products worth multiplying: what each is called, and its sizes.
const PRESETS: &[(&str, &str)] = &[
    ("512 cubed", "m=512&n=512&k=512"),
    ("1024 cubed", "m=1024&n=1024&k=1024"),
    ("No multiple of a tile", "m=301&n=257&k=199"),
    ("One token: a row times a matrix", "m=1&n=4096&k=4096"),
    ("Long and thin", "m=2048&n=2048&k=32"),
];

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let params = state.params();
    let sizes = Memo::new(move |_| params.with(|p| (p.sizes.query().to_string(), p.sizes.list().to_vec())));
    let ladder = Memo::new(move |_| params.with(Params::ladder));
    let kernel = Signal::derive(move || params.with(|p| p.kernel));
    let set_kernel = Callback::new(move |id: &'static str| state.update(|p| p.kernel = id));
    let bench = Bench::new("matmul", kernel, set_kernel, sizes, ladder);
    if params.with_untracked(|p| p.run) {
        bench.run([kernel.get_untracked()]);
    }

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let Sizes { m, n, k } = p.sizes;
            format!("{} × {} times {} × {}", grouped(m), grouped(k), grouped(k), grouped(n))
        })
    });
    let finding = Signal::derive(move || params.with(Params::finding) + &bench.finding());
    let flop = Signal::derive(move || params.with(|p| p.sizes.flop()));
    let controls = if props.compact {
        view! { <div class="control-row">{bench.choice()}</div> }.into_any()
    } else {
        view! {
            {presets(state)}
            <div class="control-row">{bench.choice()}</div>
            <div class="control-grid">
                {size(state, "m", "Rows of A: m", |s| &mut s.m)}
                {size(state, "n", "Columns of B: n", |s| &mut s.n)}
                {size(state, "k", "Between them: k", |s| &mut s.k)}
            </div>
        }
        .into_any()
    };
    view! {
        <Figure
            id=ENTRY.id
            title=ENTRY.title
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding
            notes=String::new()
            controls
            table=move || bench.numbers(flop)
        >
            {bench.view(&ENTRY, move |id| params.with(|p| p.quantity(id)))}
        </Figure>
    }
    .into_any()
}

fn presets(state: State) -> AnyView {
    let button = |(name, query): &'static (&'static str, &'static str)| {
        let sizes = Params::read(&Query::parse(query)).0.sizes;
        let pressed = move || state.params().with(|p| p.sizes == sizes).to_string();
        let choose = move |_| state.update(|p| p.sizes = sizes);
        view! { <button type="button" class="preset" aria-pressed=pressed on:click=choose>{*name}</button> }
    };
    view! { <div class="presets" role="group" aria-label="Examples">{PRESETS.iter().map(button).collect_view()}</div> }
        .into_any()
}

fn size(state: State, name: &'static str, label: &'static str, at: fn(&mut Sizes) -> &mut u64) -> AnyView {
    let value = Signal::derive(move || {
        let mut sizes = state.params().with(|p| p.sizes);
        *at(&mut sizes) as f64
    });
    let set = move |to: f64| state.update(|p| *at(&mut p.sizes) = to as u64);
    view! {
        <Slider spec=param(&ENTRY, name) label value set scale=Scale::Doubling(13) format=|v| grouped(v as u64) />
    }
    .into_any()
}
