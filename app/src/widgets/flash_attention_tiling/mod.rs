//! Attention, tile by tile: the matrices in HBM, the tile on the chip, the bytes between them, and the softmax of one row.

mod chip;
mod numbers;
mod picture;
mod softmax;
mod traffic;

use leptos::prelude::*;
use ringside_core::attention::algorithm::{Algo, Direction, Extent, Matrix};
use ringside_core::attention::online::Row;
use ringside_core::attention::{Params, Run};
use ringside_core::declare::Model as _;
use ringside_core::quantity::grouped;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props};
use crate::ui;
use crate::ui::debounced::debounced;
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// What is on show: the whole run, how far it is, and the row that is watched.
#[derive(Clone, Copy)]
struct Shown {
    run: Memo<Run>,
    step: Memo<u64>,
    /// The number of the watched row.
    row: Memo<u64>,
    watched: Memo<Watched>,
}

/// The watched row once nothing is dragged: all its numbers are worked out.
#[derive(Clone, PartialEq)]
struct Watched {
    run: Run,
    number: u64,
    /// None if it has too many numbers.
    softmax: Option<Row>,
}

impl Shown {
    fn new(params: Memo<Params>) -> Self {
        // Neither the step nor the row changes the run: it is worked out once for all of them.
        let whole = Memo::new(move |_| Params { step: 0, row: 0, ..params.get() });
        let run = Memo::new(move |_| whole.with(Run::new));
        let step = Memo::new(move |_| params.with(|p| p.step).min(run.with(Run::steps)));
        let asked = Memo::new(move |_| params.with(|p| p.row));
        let row = Memo::new(move |_| run.with(|run| run.watched(asked.get())));
        let at_rest = debounced(run);
        let watched = Memo::new(move |_| {
            let run = at_rest.get();
            Watched { number: run.watched(asked.get()), softmax: run.row(asked.get()), run }
        });
        Self { run, step, row, watched }
    }

    /// Looks at the run and how far it is. Tracks.
    fn now<T>(self, look: impl FnOnce(&Run, u64) -> T) -> T {
        self.run.with(|run| look(run, self.step.get()))
    }

    fn finding(self) -> String {
        let row = self.row.get();
        self.now(|run, step| {
            let end = if step == run.steps() { run.end_finding(row) } else { String::new() };
            format!("{}{end} {}", run.step_finding(step), run.finding(step))
        })
    }
}

/// The class that colours a matrix.
fn class(matrix: Matrix) -> &'static str {
    match matrix {
        Matrix::Q => "q",
        Matrix::K | Matrix::V => "kv",
        Matrix::O => "o",
        Matrix::DO | Matrix::DQ | Matrix::DK | Matrix::DV => "grad",
        Matrix::S | Matrix::P | Matrix::DP | Matrix::DS => "score",
        Matrix::Max | Matrix::Sum | Matrix::Lse | Matrix::Delta => "stat",
    }
}

/// A matrix as it is drawn: what lies along the keys lies on its side.
fn name(matrix: Matrix) -> String {
    let turned = if matrix.extent() == Extent::Columns { "ᵀ" } else { "" };
    format!("{}{turned}", matrix.label())
}

/// How it is played.
const PACE: Pace = Pace { whole: 24_000.0, longest: 1200.0, shortest: 160.0 };

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params);

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let pass = if p.direction == Direction::Backward { ", backward" } else { "" };
            let mask = if p.causal { " · causal" } else { "" };
            format!("{}{pass} · {} tokens · d = {}{mask}", p.algo.label(), grouped(p.seq), p.head_dim)
        })
    });
    let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let steps = Signal::derive(move || count(shown.run.with(Run::steps)));
    let step = Signal::derive(move || count(shown.step.get()));
    let place = Signal::derive(move || {
        shown.now(|run, step| {
            let pass = step.checked_sub(1).and_then(|i| run.plan.at(i)).and_then(|s| run.plan.passes.get(s.pass));
            let name = pass.filter(|_| run.plan.passes.len() > 1).map_or(String::new(), |p| format!(" · {}", p.name));
            format!("Step {} of {}{name}", grouped(step), grouped(run.steps()))
        })
    });
    let playback = PACE.of(steps);
    let set = move |step: usize| state.update(|p| p.step = step as u64);
    let standard = Memo::new(move |_| params.with(|p| p.algo == Algo::Standard));
    let controls = Controls::of(state).draw();
    let below = view! {
        <div class="tiling-row">{softmax::view(shown, state)}</div>
        {traffic::readings(shown, params)}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || shown.finding())
            controls
            transport=view! { <Transport steps step set playback place alone=props.alone /> }.into_any()
            below=Some(below.into_any())
            table=move || numbers::view(shown)
        >
            <div class="tiling" class:standard=move || standard.get()>
                <div class="tiling-hbm">{picture::view(shown)}</div>
                <div class="tiling-side">{chip::view(shown)} {traffic::view(shown)}</div>
            </div>
        </ModelFigure>
    }
    .into_any()
}
