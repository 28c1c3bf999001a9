//! Every layout of a job: a search that is shown as it goes, its picture of time against memory, the best with its reasons,
//! and where the ranks of one lie.

mod chosen;
mod controls;
mod hunt;
mod mesh;
mod numbers;
mod picture;
mod published;

use std::sync::Arc;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::planner::{ENTRY, Found, Job, Layout, Params};
use ringside_core::quantity::{Unit, grouped};

use super::model_input::ModelInput;
use super::{Module, Props, export, readings};
use crate::deferred::{NotLoaded, deferred};
use crate::ui;
use crate::ui::figure::Figure;
use crate::ui::rested::rested;
use hunt::Hunt;

/// Downloads the widget.
#[wasm_split(widget_parallel_planner, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

/// What is looked at: what was found, and one layout of it.
#[derive(Clone, Default)]
struct Look {
    found: Arc<Found>,
    layout: Option<Layout>,
}

impl PartialEq for Look {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.found, &other.found) && self.layout == other.layout
    }
}

impl Look {
    /// Looks at the layout, and the job that it is of; nothing without one.
    fn at<T: Default>(&self, look: impl FnOnce(&Job, &Layout) -> T) -> T {
        self.found.job.as_ref().zip(self.layout.as_ref()).map(|(job, layout)| look(job, layout)).unwrap_or_default()
    }
}

/// What the parts of the figure share.
#[derive(Clone, Copy)]
struct Shown {
    state: State,
    hunt: Hunt,
    /// The point of the front that is looked at, the fastest first; none for the best that fits.
    cursor: RwSignal<Option<usize>>,
    /// What is looked at.
    look: Memo<Look>,
    /// The same once nothing is dragged, for what lies further down.
    rested: Memo<Look>,
}

impl Shown {
    fn new(state: State) -> Self {
        let hunt = Hunt::new(state.params());
        let cursor = RwSignal::new(None);
        let look = Memo::new(move |_| {
            let found = hunt.found().get();
            let layout = cursor.get().and_then(|i: usize| found.front.get(i).copied()).or(found.best);
            Look { found, layout }
        });
        // Another search has another front.
        Effect::new(move |_| {
            hunt.found().track();
            if cursor.get_untracked().is_some() {
                cursor.set(None);
            }
        });
        Self { state, hunt, cursor, look, rested: rested(look) }
    }

    /// Looks at the layout that is looked at, and the job that it is of. Tracks.
    fn with<T: Default>(self, look: impl FnOnce(&Job, &Layout) -> T) -> T {
        self.look.with(|on_show| on_show.at(look))
    }
}

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let params = state.params();
    let shown = Shown::new(state);
    let hunt = shown.hunt;
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let c = p.cluster;
            let tokens = p.seq as f64 * p.batch as f64;
            let batch = Unit::Count.format(tokens);
            format!("{} · {} × {} · {batch} tokens a step", p.model.name(), grouped(c.gpus()), c.gpu.name)
        })
    });
    let possible = Memo::new(move |_| shown.look.with(|look| look.layout.is_some()));
    let memory =
        Signal::derive(move || shown.rested.with(|look| look.at(|job, layout| job.memory_params(&layout.choice))));
    let compact = props.compact;
    let running = Memo::new(move |_| hunt.running());
    let drawing = view! {
        <div class="planner">
            {hunt::progress(hunt)}
            <div class:stale=running>
                {picture::view(shown)}
                <div class:nowhere=move || !possible.get()>
                    {chosen::view(shown)}
                    {readings(shown)}
                </div>
            </div>
            {(!compact)
                .then(|| {
                    view! {
                        <div class="planner-below">
                            <div class:stale=running>
                                <div class:nowhere=move || !possible.get()>
                                    {mesh::view(shown.rested)} {chosen::traffic(shown.rested)}
                                </div>
                                {chosen::barriers(shown.rested)}
                            </div>
                            {published::view()}
                            <div class:nowhere=move || !possible.get()>
                                {deferred(export::load, move |view: export::View| view(memory))}
                            </div>
                        </div>
                    }
                })}
        </div>
    }
    .into_any();
    let figure = view! {
        <Figure
            id=ENTRY.id
            title=ENTRY.title
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding=Signal::derive(move || hunt.found().with(|found| found.finding.clone()))
            notes=Signal::derive(move || params.with(notes))
            controls=controls::view(shown, input, compact)
            table=move || numbers::view(hunt)
        >
            {drawing}
        </Figure>
    };
    input.drop_zone(figure.into_any())
}

/// What the times rest on.
fn notes(p: &Params) -> String {
    let gpu = p.cluster.gpu;
    let reached = ringside_core::planner::efficiency::reached(gpu);
    format!(
        "Large matrix products reach {} of the {}’s peak ({}). No power limits, failures, slow nodes or uneven experts. MFU \
         counts the masked half of attention as nothing.",
        Unit::Fraction.format(reached.matmul),
        gpu.name,
        reached.source
    )
}

/// The numbers of the layout on show, for people and for scripts.
fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| {
        let valid = shown.look.with(|look| look.found.valid);
        shown.with(|job, layout| {
            ENTRY.measured(|id| match id {
                "layouts-valid" => valid as f64,
                "step-time" => layout.step,
                "mfu" => job.mfu(layout.step),
                "memory" => layout.memory,
                "tokens-per-second" => job.tokens() / layout.step,
                _ => 0.0,
            })
        })
    });
    let names = [
        ("layouts-valid", "Layouts that fit"),
        ("step-time", "A step takes"),
        ("mfu", "MFU"),
        ("memory", "Tensors on the fullest GPU"),
        ("tokens-per-second", "Tokens a second"),
    ];
    view! { <dl class="readings loaded">{readings::some(&ENTRY, quantities, &names)}</dl> }.into_any()
}
