//! A sequence that grows: the rows of scores, each longer than the last, beside the keys and values that are kept, each as many.

mod controls;
mod rows;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::attention::growth::{ENTRY, Params, STEPS};
use ringside_core::quantity::{Unit, grouped};

use super::{Module, Props, readings};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::figure::Figure;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Playback, Transport};

/// Downloads the widget.
#[wasm_split(widget_attention_growth, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

/// How long each part of the sequence takes to come, in milliseconds.
const PACE: f64 = 260.0;

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let params = state.params();
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            format!(
                "{} · {} query heads on {} · {} tokens",
                p.sharing(),
                grouped(p.heads),
                grouped(p.kv_heads),
                grouped(p.seq)
            )
        })
    });
    let step = Signal::derive(move || params.with(|p| p.step as usize));
    let set = move |step: usize| state.update(|p| p.step = step as u64);
    let place =
        Signal::derive(move || params.with(|p| format!("{} of {} tokens", grouped(p.tokens()), grouped(p.seq))));
    let quantities = Memo::new(move |_| params.with(Params::quantities));
    view! {
        <Figure
            id=ENTRY.id
            title=ENTRY.title
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding=Signal::derive(move || params.with(Params::finding))
            notes=String::new()
            controls=controls::view(state, props.compact)
            table=move || table(params)
        >
            <div class="growth">
                {rows::view(params)}
                <Transport
                    steps=Signal::stored(STEPS as usize)
                    step
                    set
                    playback=Playback::new(Signal::stored(PACE))
                    place
                    alone=props.alone
                />
                <dl class="readings">{readings::all(&ENTRY, quantities)}</dl>
            </div>
        </Figure>
    }
    .into_any()
}

/// The growth in numbers, over parts of the sequence.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |step: u64| {
                let tokens = Params { step, ..*p }.tokens();
                let cells = [
                    Unit::Count.format(p.scores_of(tokens)),
                    Unit::Count.format(p.scores_until(tokens)),
                    Unit::Bytes.format(p.kept(p.kv_heads) * tokens as f64),
                    Unit::Bytes.format(p.kept(p.heads) * tokens as f64),
                ];
                let cells = cells.map(|text| view! { <td class="number">{text}</td> }).into_iter().collect_view();
                view! { <tr><th scope="row">{grouped(tokens)}</th>{cells}</tr> }
            };
            (1..=8).map(|part| row(part * STEPS / 8)).collect_view()
        })
    };
    view! {
        <Table
            caption="As the sequence grows"
            columns=[
                words("Tokens"),
                numbers("scores of the newest, in a layer"),
                numbers("scores of a layer so far"),
                numbers("KV cache"),
                numbers("with keys for every head"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
