//! A step of data parallelism in time: the backward pass, the buckets that its gradients fill, and the all-reduces that run
//! beside it; and who reads which sample.

mod lanes;
mod numbers;
mod sharing;

use leptos::prelude::*;
use ringside_core::answer::Asked;
use ringside_core::ddp::{ALL_STEPS, DATA, Params, Timeline};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, number};
use ringside_core::units::MIB;
use ringside_drawing::timeline::{Window, strip};

use super::controls::{Controls, Drawn};
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, outcome, param, readings};
use crate::ui;
use crate::ui::file;
use crate::ui::slider::{Scale, Slider};
use crate::ui::timeline::overview;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// What the parts of the figure share.
#[derive(Clone, Copy)]
struct Shown {
    timeline: outcome::Shown<Timeline>,
    params: Memo<Params>,
    /// The blocks in the order in which they end.
    order: Memo<Vec<u32>>,
    /// How many of them are done.
    step: Memo<usize>,
    /// The part of the time that is seen.
    window: RwSignal<Window>,
    /// The width of the drawing, in pixels.
    width: RwSignal<f64>,
    /// The block that is pointed at.
    cursor: RwSignal<Option<u32>>,
}

impl Shown {
    fn new(params: Memo<Params>) -> Self {
        // How far it is played and what stands out make no other step.
        let whole = Memo::new(move |_| Params { step: ALL_STEPS, path: false, ..params.get() });
        let plain = |p: &Params| Params { model: Params::standard().model, ..*p };
        let timeline = outcome::Shown::new(whole, Timeline::new, plain);
        let order = Memo::new(move |_| timeline.with(Timeline::order));
        let step = Memo::new(move |_| (params.with(|p| p.step) as usize).min(order.with(Vec::len)));
        let cursor = RwSignal::new(None);
        // Another step has other blocks.
        Effect::new(move |_| {
            whole.track();
            cursor.set(None);
        });
        Self { timeline, params, order, step, window: RwSignal::new(Window::ALL), width: RwSignal::new(900.0), cursor }
    }

    /// The block that ended last, unless all have.
    fn last(self) -> Option<u32> {
        let step = self.step.get();
        self.order.with(|order| if step < order.len() { order.get(step.checked_sub(1)?).copied() } else { None })
    }

    /// The time up to which the step is played, in seconds; none if it is shown whole.
    fn now(self) -> Option<f64> {
        if self.step.get() >= self.order.with(Vec::len) {
            return None;
        }
        let last = self.last();
        Some(self.timeline.with(|t| last.and_then(|b| t.blocks.get(b as usize)).map_or(0.0, |b| b.end)))
    }
}

/// How it is played.
const PACE: Pace = Pace { whole: 14_000.0, longest: 900.0, shortest: 40.0 };
/// Parts into which the strip divides the step.
const PARTS: usize = 240;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params);
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));

    let subtitle = Signal::derive(move || {
        params.with(|p| format!("{} · {} ranks · buckets of {} MiB", p.model.name(), p.ranks, number(p.cap)))
    });
    let finding = Memo::new(move |_| {
        shown.timeline.error().unwrap_or_else(|| params.with(|p| shown.timeline.with(|t| t.finding(p))))
    });
    let steps = Signal::derive(move || shown.order.with(Vec::len));
    let to_step = move |step: usize| {
        let all = step >= shown.order.with_untracked(Vec::len);
        shown.cursor.set(None);
        state.update(|p| p.step = if all { ALL_STEPS } else { step as u64 });
    };
    let playback = PACE.of(steps);
    let place = Signal::derive(move || {
        let at = shown.now().unwrap_or_else(|| shown.timeline.with(Timeline::end));
        Unit::Seconds.format(at)
    });
    let working = Memo::new(move |_| shown.timeline.with(|t| strip(&t.working(PARTS))));
    let quantities = Memo::new(move |_| params.with(|p| shown.timeline.with(|t| p.quantities(t))));
    let drawing = view! {
        {legend()}
        {lanes::view(shown)}
        {overview(shown.window, working, "Both streams at work, over the step")}
        <p class="timeline-about" class:how-to=move || about(shown).is_none() aria-live="polite">
            {move || about(shown).unwrap_or_else(|| "Point at a block, or move between blocks with the arrow keys, to see what it waits for.".to_owned())}
        </p>
    };
    let transport = view! { <Transport steps step=shown.step set=to_step playback place alone=props.alone /> };
    let mut controls = Controls::of(state).special("first-bucket-mb", first_limit(state));
    let data = controls.take(DATA);
    let Drawn { main, more, more_is_set, over } = controls.draw();
    let count = Signal::derive(move || params.with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let more = view! { <div class="control-grid">{input.select(count, None)}</div> {input.panel()} {more} };
    let standard = Params::standard().model;
    let more_is_set = move || more_is_set.get() || input.is_open() || params.with(|p| p.model != standard);
    let controls = Drawn { main, more: Some(more.into_any()), more_is_set: Signal::derive(more_is_set), over };
    let below = view! {
        {readings::view(&Params::ENTRY, quantities)}
        {sharing::view(params, data)}
        {export(shown)}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            input
            finding
            controls
            transport=transport.into_any()
            below=(!props.compact).then(|| below.into_any())
            table=move || numbers::view(shown)
        >
            <div class="ddp">{shown.timeline.frame(drawing.into_any())}</div>
        </ModelFigure>
    }
    .into_any()
}

/// What the block that is pointed at waits for, or what happened last.
fn about(shown: Shown) -> Option<String> {
    let block = shown.cursor.get().or_else(|| shown.last());
    match block {
        Some(block) => Some(shown.timeline.with(|t| t.explain(block))),
        None => (shown.step.get() == 0).then(|| "Before the forward pass.".to_owned()),
    }
}

/// What the colours mean.
fn legend() -> impl IntoView {
    let entries = [
        ("forward", "Forward"),
        ("backward", "Backward, by layer"),
        ("all-reduce", "All-reduce, by bucket"),
        ("other", "Copies, search"),
        ("exposed", "Waits for all-reduces: exposed"),
    ];
    let entry = |(class, text): (&'static str, &'static str)| {
        view! { <li><i class=format!("swatch {class}") aria-hidden="true"></i>{text}</li> }
    };
    view! { <ul class="timeline-legend">{entries.map(entry).into_iter().collect_view()}</ul> }
}

/// Saves the step as a Chrome trace.
fn export(shown: Shown) -> impl IntoView {
    let failed = RwSignal::new(String::new());
    let save = move |_| {
        let (name, title) = shown.params.with_untracked(|p| {
            (format!("ddp-{}-ranks.json", p.ranks), format!("{}, {} ranks", p.model.name(), p.ranks))
        });
        let text = untrack(|| shown.timeline.with(|t| t.chrome_trace(&title)));
        failed.set(file::save(&name, "application/json", &text).err().unwrap_or_default());
    };
    view! {
        <div class="timeline-export">
            <button type="button" class="quiet" on:click=save>"Save as Chrome trace"</button>
            <span class="fine" role="status">{failed}</span>
        </div>
    }
}

/// The limit that the first bucket really has.
fn first_limit(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.limits()[0] / MIB));
    let set = move |to: f64| state.update(|p| p.first = to);
    let spec = param(&Params::ENTRY, "first-bucket-mb");
    view! { <Slider spec label="First bucket, MiB" value set scale=Scale::Quarters(0, 12) format=number asked=Asked::each(Unit::Bytes, MIB) /> }
}
