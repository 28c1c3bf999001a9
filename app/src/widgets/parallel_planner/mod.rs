//! Every layout of a job: a search that is shown as it goes, its picture of time against memory, the best with its reasons,
//! and where the ranks of one lie.

mod chosen;
mod controls;
mod hunt;
mod mesh;
mod numbers;
mod picture;
mod published;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::planner::{Choice, ENTRY, Job, Layout, Params};
use ringside_core::quantity::{Unit, grouped};

use super::model_input::ModelInput;
use super::{Module, Props, export, readings};
use crate::deferred::{NotLoaded, deferred};
use crate::ui;
use crate::ui::figure::Figure;
use hunt::{Found, Hunt};

/// Downloads the widget.
#[wasm_split(widget_parallel_planner, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

/// What the parts of the figure share.
#[derive(Clone, Copy)]
struct Shown {
    state: State,
    hunt: Hunt,
    /// The point of the front that is looked at, the fastest first; none for the best that fits.
    cursor: RwSignal<Option<usize>>,
    /// The layout that is looked at.
    layout: Memo<Option<Layout>>,
}

impl Shown {
    fn new(state: State) -> Self {
        let hunt = Hunt::new(state.params());
        let cursor = RwSignal::new(None);
        let layout = Memo::new(move |_| {
            let at = cursor.get();
            hunt.with(|found| at.and_then(|i| found.front.get(i).copied()).or(found.best))
        });
        // Another search has another front.
        Effect::new(move |_| {
            hunt.with(|_| ());
            cursor.set(None);
        });
        Self { state, hunt, cursor, layout }
    }

    /// Looks at the layout that is looked at, with what was found. Tracks.
    fn with<T: Default>(self, look: impl FnOnce(&Found, &Layout) -> T) -> T {
        self.layout.with(|layout| self.hunt.with(|found| layout.as_ref().map(|l| look(found, l)).unwrap_or_default()))
    }

    /// Looks at its choice alone. Tracks.
    fn choice(self) -> Option<Choice> {
        self.layout.with(|layout| layout.as_ref().map(|l| l.choice))
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
    let possible = Memo::new(move |_| shown.layout.with(Option::is_some));
    let memory = Signal::derive(move || {
        let choice = shown.choice();
        hunt.with(|found| {
            choice.zip(found.job.as_ref()).map(|(choice, job)| job.memory_params(&choice)).unwrap_or_default()
        })
    });
    let compact = props.compact;
    let drawing = view! {
        <div class="planner">
            {hunt::progress(hunt)}
            <div class:stale=move || hunt.running()>
                {picture::view(shown)}
                <div class:nowhere=move || !possible.get()>
                    {chosen::view(shown)}
                    {readings(shown)}
                    {(!compact).then(|| view! { {mesh::view(shown)} {chosen::traffic(shown)} })}
                </div>
                {(!compact).then(|| chosen::refusals(shown))}
            </div>
            {(!compact)
                .then(|| {
                    view! {
                        {published::view()}
                        <div class:nowhere=move || !possible.get()>
                            {deferred(export::load, move |view: export::View| view(memory))}
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
            finding=Signal::derive(move || hunt.with(|found| found.finding.clone()))
            notes=Signal::derive(move || params.with(notes))
            controls=controls::view(shown, input, compact)
            table=move || numbers::view(shown)
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
        shown.with(|found, layout| {
            let of_job = |value: fn(&Job, f64) -> f64| found.job.as_ref().map_or(0.0, |job| value(job, layout.step));
            ENTRY.measured(|id| match id {
                "layouts-valid" => found.valid as f64,
                "step-time" => layout.step,
                "mfu" => of_job(Job::mfu),
                "memory" => layout.memory,
                "tokens-per-second" => of_job(|job, step| job.tokens() / step),
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
