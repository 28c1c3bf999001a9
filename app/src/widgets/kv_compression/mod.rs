//! What attention keeps: kinds of attention and published models as bars to scale, one step over the context, and requests that fit.

mod bars;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kv_cache::figure::{Attention, Params, Shown, View};
use ringside_core::quantity::{Unit, grouped};
use ringside_drawing::chart::Chart;
use ringside_drawing::charts::kv_compression;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
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
    let shown = Memo::new(move |_| whole.get().shown());
    let show = Memo::new(move |_| params.with(|p| p.view));
    let controls = Controls::of(state).draw();
    let subtitle = Signal::derive(move || {
        params.with(|p| match p.view {
            View::Models => format!("{} tokens, {} bits", grouped(p.context), p.bits),
            _ => {
                let name = p.model.named().name;
                match p.attention {
                    Attention::Own => name.to_owned(),
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
    let below = readings::view(&Params::ENTRY, quantities);
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || params.with(|p| shown.with(|s| p.finding(s))))
            controls
            below=Some(below)
            table=move || table(shown)
        >
            <div class="kv-compression">{drawing}</div>
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
