//! Every layout of a job: a search that is shown as it goes, its picture of time against memory, the best with its reasons,
//! and where the ranks of one lie.

mod chosen;
mod hunt;
mod mesh;
mod numbers;
mod picture;
mod published;

use std::sync::Arc;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::planner::{Found, Job, Layout, Params, Plan};
use ringside_core::quantity::{Unit, grouped};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, export, readings};
use crate::deferred::deferred;
use crate::ui;
use crate::ui::debounced::debounced;
use crate::ui::figure::Deciding;
use hunt::Hunt;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

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
    debounced: Memo<Look>,
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
        Self { state, hunt, cursor, look, debounced: debounced(look) }
    }

    /// Looks at the layout that is looked at, and the job that it is of. Tracks.
    fn with<T: Default>(self, look: impl FnOnce(&Job, &Layout) -> T) -> T {
        self.look.with(|on_show| on_show.at(look))
    }
}

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
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
            format!("{} · {} × {} · {batch} tokens per step", p.model.name(), grouped(c.gpus()), c.gpu.name)
        })
    });
    let possible = Memo::new(move |_| shown.look.with(|look| look.layout.is_some()));
    let memory =
        Signal::derive(move || shown.debounced.with(|look| look.at(|job, layout| job.memory_params(&layout.choice))));
    let node = Signal::derive(move || shown.debounced.with(|look| look.at(|job, _| Some(job.cluster.node))));
    let compact = props.compact;
    // A search over what decides would make the decision, and its count of what fits would tell.
    let is_free = Deciding::here().is_none();
    let running = Memo::new(move |_| hunt.running());
    let count = Signal::derive(move || params.with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let controls = Controls::of(state).special("model", input.select(count, None)).draw();
    let below = view! {
        <div class="planner" class:stale=running>
            <div class:nowhere=move || !possible.get()>{chosen::view(shown)} {readings(shown)}</div>
        </div>
        {(!compact)
            .then(|| {
                view! {
                    <div class="planner planner-below">
                        {input.panel()}
                        <div class:stale=running>
                            <div class:nowhere=move || !possible.get()>
                                {mesh::view(shown.debounced)} {chosen::traffic(shown.debounced)}
                            </div>
                            {chosen::barriers(shown.debounced)}
                        </div>
                        {published::view()}
                        <div class:nowhere=move || !possible.get()>
                            {deferred(export::load, move |view: export::View| view(memory, node))}
                        </div>
                    </div>
                }
            })}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            input
            finding=Signal::derive(move || hunt.found().with(|found| found.finding.clone()))
            notes=Signal::derive(move || params.with(notes))
            controls
            below=Some(below.into_any())
            table=move || numbers::view(hunt)
        >
            <div class="planner">
                {is_free.then(|| view! { <div class="planner-search">{hunt::progress(hunt)} {free(state)}</div> })}
                <div class:stale=running>{picture::view(shown)}</div>
            </div>
        </ModelFigure>
    }
    .into_any()
}

/// Frees every axis.
fn free(state: State) -> AnyView {
    let all = move || state.params().with(|p| *p == p.freed());
    view! {
        <button type="button" class="secondary" disabled=all on:click=move |_| state.update(|p| *p = p.freed())>
            "Search all settings"
        </button>
    }
    .into_any()
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

/// The numbers of the layout on show, for people and for scripts: it need not be the fastest.
fn readings(shown: Shown) -> AnyView {
    let quantities = Memo::new(move |_| {
        let found = |look: &Look| [look.found.valid, look.found.all];
        shown.look.with(|look| {
            look.at(|job, layout| {
                shown.state.params().with(|p| p.quantities(&Plan::of(job, layout.choice, found(look))))
            })
        })
    });
    readings::view(&Params::ENTRY, quantities)
}
