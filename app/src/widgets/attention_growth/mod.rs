//! A sequence that grows: the rows of scores, each longer than the last, beside the keys and values that are kept, each as many.

mod decode;
mod rows;

use leptos::prelude::*;
use ringside_core::attention::growth::{Params, STEPS};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Playback, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How long each part of the sequence takes to come, in milliseconds.
const PACE: f64 = 260.0;

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
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
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&())));
    let controls = Controls::of(state).draw();
    let transport = view! {
        <Transport
            steps=Signal::stored(STEPS as usize)
            step
            set
            playback=Playback::new(Signal::stored(PACE))
            place
            alone=props.alone
        />
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || params.with(Params::finding))
            controls
            transport=transport.into_any()
            below=Some(
                view! {
                    <div class="growth">{decode::view(params)}</div>
                    {readings::view(&Params::ENTRY, quantities)}
                }
                    .into_any(),
            )
            table=move || table(params)
        >
            <div class="growth">{rows::view(params)}</div>
        </ModelFigure>
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
