//! Where the memory of one GPU goes, in training under ZeRO 0 to 3 and any layout, or in inference, and whether it fits.
//!
//! What it shows of a result is markup (`ringside_drawing::memory`), so that the build can put the figure of the first
//! screen into the page whole; [`glance`] makes that one alive. Everywhere else the figure is a view like any other.

mod controls;
mod glance;
mod numbers;
mod pipeline;
mod place;

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::memory::breakdown::ENTRY;
use ringside_core::memory::{Breakdown, Layout, Params, breakdown};
use ringside_drawing::memory::{Drawn, subtitle};

use super::model_input::ModelInput;
use super::{Module, Props, export};
use crate::deferred::{NotLoaded, deferred};
use crate::ui;
use crate::ui::figure::Figure;
pub use glance::{Enliven, load as load_glance};
use place::Place;

/// Downloads the widget.
#[wasm_split(widget_memory_breakdown, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

type Shown = super::outcome::Shown<Breakdown>;

/// The result of a state.
fn shown(state: State) -> Shown {
    let compute = |p: &Params| breakdown(p).map_err(|e| e.to_string());
    Shown::new(state.params(), compute, |p| Params { layout: Layout::default(), ..*p })
}

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let (params, shown) = (state.params(), shown(state));
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let controls = if props.compact { controls::few(state, shown) } else { controls::all(state, shown, input) };
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Breakdown::finding)));
    let drawing = view! {
        {drawing(state, shown)}
        {(!props.compact).then(|| deferred(export::load, move |view: export::View| view(params.into())))}
    }
    .into_any();
    let figure = view! {
        <Figure
            id=ENTRY.id
            title=ENTRY.title
            subtitle=Signal::derive(move || params.with(subtitle))
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding
            notes=Signal::derive(move || shown.with(|b| b.notes.join(" ")))
            controls
            table=move || deferred(numbers::load, move |view: numbers::View| view(shown))
        >
            {shown.frame(drawing)}
        </Figure>
    };
    input.drop_zone(figure.into_any())
}

/// The bars, the stages of a pipeline, the numbers and the verdict.
fn drawing(state: State, shown: Shown) -> AnyView {
    let drawn = Memo::new(move |_| state.params().with(|p| shown.with(|b| Drawn::of(p, b))));
    let root = NodeRef::<html::Div>::new();
    let place = StoredValue::new_local(None::<Place>);
    let first = drawn.get_untracked();
    let (plot, below) = (first.plot.markup(""), first.readout.markup(""));
    Effect::new(move |_| {
        let Some(root) = root.get() else { return };
        let Some(mut found) = Place::of(&root, first.clone()) else { return };
        found.show(drawn.get_untracked());
        found.listen(&root, state, shown);
        place.set_value(Some(found));
    });
    Effect::new(move |_| {
        drawn.with(|now| {
            place.update_value(|place| {
                if let Some(place) = place {
                    place.show(now.clone());
                }
            });
        });
    });
    view! {
        <div node_ref=root>
            <div class="plot" inner_html=plot></div>
            {pipeline::view(shown)}
            <div inner_html=below></div>
        </div>
    }
    .into_any()
}
