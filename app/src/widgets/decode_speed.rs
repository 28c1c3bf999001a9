//! What a pass of decoding costs over the batch, and what drafting and fewer bits for weights are worth there.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::speculative::serving::{LARGEST, Params, View};
use ringside_drawing::charts::decode_speed::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::presets::Preset;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers};

/// Downloads the widget.
#[wasm_split(widget_decode_speed, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &Params::ENTRY })
}

/// Why each of them exists.
const STATES: [Preset; 6] = [
    ("8B, short contexts", "view=pass&model=llama-3-8b&context=512&tp=1"),
    ("8B, long contexts", "view=pass&model=llama-3-8b&context=16384&tp=1"),
    ("1B drafts for 70B", "view=draft&model=llama-3-70b&draft=llama-3.2-1b&drafted=4&branches=1&tp=4&context=1024"),
    ("A tree", "view=draft&model=llama-3-70b&draft=layer&drafted=4&branches=2&tp=4&context=1024"),
    (
        "Experts are read for the draft",
        "view=draft&model=deepseek-v3&draft=layer&drafted=2&branches=1&tp=8&context=1024",
    ),
    ("Four bits", "view=weights&model=llama-3-8b&weight-bits=4&tp=1&context=512"),
];

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let outcome = Memo::new(move |_| params.with(Params::outcome));
    let quantities = Memo::new(move |_| params.with(|p| outcome.with(|o| p.quantities(o))));
    let show = Memo::new(move |_| params.with(|p| p.view));
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let name = ringside_core::model::presets::find(p.model.0).map_or("", |preset| preset.name);
            format!("{name} on {} × {}, {} together", p.tp, p.gpu.name, grouped(p.batch))
        })
    });
    let controls = Controls::of(state)
        .only_while(&["draft", "drafted", "branches", "alpha"], move || show.get() == View::Draft)
        .draw();
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || params.with(|p| outcome.with(|o| p.finding(o))))
            notes="The longer of reading and computing, at the GPUs’ peaks; what they say to each other is left out. Branches of a tree are \
                   taken to be kept independently, which is more than a real draft reaches."
                .to_owned()
            presets=ui::presets::partial(state, "States", STATES)
            controls
            below=Some(view! { <dl class="readings">{readings::all(&Params::ENTRY, quantities)}</dl> }.into_any())
            table=move || table(params)
        >
            {ui::chart::view("decode-speed", Memo::new(move |_| params.with(|p| outcome.with(|o| chart(p, o)))))}
        </ModelFigure>
    }
    .into_any()
}

/// Every batch that is a power of two.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |power: u32| {
                let other = Params { batch: 1 << power, ..*p };
                let outcome = other.outcome();
                view! {
                    <tr>
                        <th scope="row" class="number">{grouped(other.batch)}</th>
                        <td class="number">{Unit::Seconds.format(outcome.pass.reads)}</td>
                        <td class="number">{Unit::Seconds.format(outcome.pass.computes)}</td>
                        <td class="number">{number(outcome.pass.intensity())}</td>
                        <td class="number">{number(other.speedup(&outcome))}</td>
                        <td class="number">{number(other.in_bits(16) / other.in_bits(4))}</td>
                    </tr>
                }
            };
            (0..=LARGEST).map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                numbers("Together"),
                numbers("reading"),
                numbers("computing"),
                numbers("FLOPs for a byte"),
                numbers("times as fast by the draft"),
                numbers("by 4-bit weights"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
