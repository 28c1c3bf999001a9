//! What attention keeps: kinds of attention and published models as bars to scale, one step over the context, and requests that fit.

mod bars;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kv_cache::figure::{Attention, Params, Shown, View};
use ringside_core::kv_cache::models::{Model, WITHOUT_SHAPE};
use ringside_core::quantity::{Unit, grouped};
use ringside_drawing::chart::Chart;
use ringside_drawing::charts::kv_compression;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome, readings};
use crate::ui;
use crate::ui::chart;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // What is shown changes none of it.
    let whole = Memo::new(move |_| Params { view: View::Kinds, ..params.get() });
    let outcome = outcome::Shown::new(whole, Params::evaluate, |_| Params::standard());
    let shown =
        Memo::new(move |_| outcome.with(|shown| Some(shown.clone())).unwrap_or_else(|| Params::standard().shown()));
    let model = Signal::derive(move || params.with(|p| p.model.as_ref()));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = Model::Of(model)));
    let other = Signal::derive(move || {
        params.with(|p| match p.model {
            Model::Other(named) => Some(named.id),
            Model::Of(_) => None,
        })
    });
    let choose = move |id| state.update(|p| p.model = Model::find(id).unwrap_or(p.model));
    let show = Memo::new(move |_| params.with(|p| p.view));
    let select = input.select_or(&WITHOUT_SHAPE, other, Callback::new(choose));
    let controls = Controls::of(state).special("model", select).draw();
    let subtitle = Signal::derive(move || {
        params.with(|p| match p.view {
            View::Models => format!("{} tokens, {} bits", grouped(p.context), p.bits),
            _ => {
                let name = match &p.model {
                    Model::Other(named) => named.name.to_owned(),
                    Model::Of(model) => model.name(),
                };
                match p.attention {
                    Attention::Own => name,
                    other => format!("{name}, {}", other.label()),
                }
            }
        })
    });
    let of = move |chart: fn(&Params, &Shown) -> Chart| {
        chart::view("kv-chart", Memo::new(move |_| params.with(|p| shown.with(|s| chart(p, s)))))
    };
    let drawing = move || match show.get() {
        View::Kinds => bars::kinds(state, shown),
        View::Models => bars::models(state, whole),
        View::Step => of(kv_compression::step),
        View::Requests => of(kv_compression::requests),
    };
    let quantities = Memo::new(move |_| params.with(|p| shown.with(|s| p.quantities(s))));
    let below = view! { {readings::view(&Params::ENTRY, quantities)} {input.panel()} }.into_any();
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || {
                outcome.error().unwrap_or_else(|| params.with(|p| shown.with(|s| p.finding(s))))
            })
            controls
            below=Some(below)
            table=move || table(shown)
        >
            {outcome.frame(view! { <div class="kv-compression">{drawing}</div> }.into_any())}
        </ModelFigure>
    }
    .into_any()
}

/// Every kind of attention.
fn table(shown: Memo<Shown>) -> AnyView {
    let rows = move || {
        shown.with(|s| {
            let row = |row: &ringside_core::kv_cache::figure::Row| {
                view! {
                    <tr>
                        <th scope="row">{row.attention.label()}</th>
                        <td class="number">{grouped(row.keeps().values_per_token())}</td>
                        <td class="number">{grouped(row.growing_layers())}</td>
                        <td class="number">{Unit::Bytes.format(row.per_token)}</td>
                        <td class="number">{Unit::Bytes.format(row.sequence)}</td>
                        <td class="number">{grouped(row.requests as u64)}</td>
                    </tr>
                }
            };
            s.kinds.iter().map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                words("Attention"),
                numbers("values, a layer"),
                numbers("layers that grow"),
                numbers("a token"),
                numbers("a sequence"),
                numbers("requests that fit"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
