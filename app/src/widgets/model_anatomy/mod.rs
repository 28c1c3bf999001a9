//! Where a model's parameters and FLOPs are: the whole model as a bar, one layer as a map to scale, the formula of every
//! piece with its numbers put in, and how the shares move with each size.

mod detail;
mod map;
mod numbers;
mod parts;
mod shares;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::model::ModelRef;
use ringside_core::model::anatomy::{Anatomy, Axis, Measure, Params, Piece, anatomy};
use ringside_core::quantity::{Quantity, Unit};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::debounced::debounced;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// The result on show. There is none only for parameters that no query can give.
#[derive(Clone, Copy)]
struct Shown {
    result: Memo<Result<Anatomy, String>>,
    quantities: Memo<Vec<Quantity>>,
}

impl Shown {
    fn new(params: Memo<Params>) -> Self {
        let result = Memo::new(move |_| params.with(Params::evaluate));
        let quantities = |a: &Anatomy| a.params.quantities(a);
        let quantities = Memo::new(move |_| result.with(|r| r.as_ref().map(quantities).unwrap_or_default()));
        Self { result, quantities }
    }

    /// Looks at the result. Tracks.
    fn with<T: Default>(self, look: impl FnOnce(&Anatomy) -> T) -> T {
        self.result.with(|result| result.as_ref().map(look).unwrap_or_default())
    }

    /// Looks at the piece with this id, if the model has it. Tracks.
    fn piece<T: Default>(self, id: &str, look: impl FnOnce(&Piece) -> T) -> T {
        self.with(|a| a.pieces.iter().find(|p| p.id == id).map(look).unwrap_or_default())
    }

    /// What is compared. Tracks.
    fn measure(self) -> Measure {
        self.with(|a| Some(a.params.show)).unwrap_or(Measure::Params)
    }

    /// The value of a quantity of the catalogue.
    fn quantity(self, id: &'static str) -> Signal<f64> {
        Signal::derive(move || readings::value(self.quantities, id))
    }
}

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params);
    let at_rest = Shown { result: debounced(shown.result), ..shown };
    let sizes = Sizes::new(state);
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let of = match p.show {
                Measure::Params => "parameters",
                Measure::Flops => "forward FLOPs per token",
            };
            format!("{} · {of}", p.model.name())
        })
    });
    let finding = Signal::derive(move || shown.result.with(|r| r.as_ref().map_or_else(Clone::clone, Anatomy::finding)));
    let notes = Signal::derive(move || shown.with(|a| a.notes().join(" ")));
    let size = |axis| Signal::derive(move || params.with(|p| p.size(axis) as f64));
    let moved = |axis| move |to: f64| sizes.set(axis, to as u64);
    let of_model = [Axis::Width, Axis::Depth, Axis::Vocabulary];
    let controls = Controls::of(state).special("model", input.select(shown.quantity("params"), None));
    let controls =
        of_model.into_iter().fold(controls, |all, axis| all.number(axis.id(), size(axis), moved(axis))).draw();
    let below = view! {
        {readings::view(&Params::ENTRY, shown.quantities)}
        <div class="anatomy">
            <div class="anatomy-shares">{shares::view(state, shown, sizes)}</div>
            <div class="anatomy-parts">{parts::view(shown)}</div>
        </div>
        {input.panel()}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            input
            finding
            notes
            controls
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            <div class="anatomy">
                <div class="anatomy-picture">{map::view(state, shown)}</div>
                <div class="anatomy-piece">{detail::view(at_rest)}</div>
            </div>
        </ModelFigure>
    }
    .into_any()
}

/// The sizes that sliders change. All of them start from the model as it was chosen: made small and large again, it is the same.
#[derive(Clone, Copy)]
struct Sizes {
    state: State,
    chosen: RwSignal<ModelRef>,
}

impl Sizes {
    fn new(state: State) -> Self {
        let params = state.params();
        let chosen = RwSignal::new(params.with_untracked(|p| p.model));
        let sizes = Self { state, chosen };
        // A model that these sizes do not make of the chosen one has been chosen itself.
        Effect::new(move |_| {
            let now = params.get();
            if sizes.from(&now, &now).is_none_or(|p| p.model != now.model) {
                chosen.set(now.model);
            }
        });
        sizes
    }

    /// The chosen model with the sizes of `to`, and all else of `params`.
    fn from(self, params: &Params, to: &Params) -> Option<Params> {
        let chosen = Params { model: self.chosen.get_untracked(), ..*params };
        let of_model = [Axis::Width, Axis::Depth, Axis::Vocabulary];
        of_model.into_iter().try_fold(chosen, |p, axis| p.resized(axis, to.size(axis)))
    }

    /// Sets one size.
    fn set(self, axis: Axis, to: u64) {
        let now = self.state.params().get_untracked();
        let params = now.resized(axis, to).and_then(|resized| self.from(&resized, &resized));
        if let Some(params) = params {
            self.state.set(&params);
        }
    }

    /// The result on show, made from the chosen model: its shares over `axis` keep still while that size is moved.
    fn around(self, axis: Axis) -> Option<Anatomy> {
        let chosen = self.chosen.get();
        let now = self.state.params().get();
        let at = Params { model: chosen, ..now }.size(axis);
        let there = if axis == Axis::Sequence { Some(now) } else { now.resized(axis, at) };
        there.and_then(|there| self.from(&there, &there)).and_then(|p| anatomy(&p).ok())
    }
}

/// An amount of what is compared, for a person.
fn amount(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Params => Unit::Count.format(value),
        Measure::Flops => Unit::Flop.format(value),
    }
}

/// A share of a whole, for a person: "17%", "0.3%", "under 0.1%".
fn share(part: f64, whole: f64) -> String {
    let share = if whole > 0.0 { part / whole } else { 0.0 };
    match share {
        s if s <= 0.0 => "0%".to_owned(),
        s if s < 0.001 => "under 0.1%".to_owned(),
        s => Unit::Fraction.format(s),
    }
}
