//! One training run: what is given and what follows, with its batch, its learning rate, its optimizer, and published runs.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::training_run::optimizer::{Cost, Rule};
use ringside_core::training_run::published::{self, Published};
use ringside_core::training_run::{Given, Params, Run, Show, Start};
use ringside_drawing::charts::training_run::chart;
use ringside_figures::{Example, Examples};

use super::controls::{Controls, declared};
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, silent, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// The published runs, which the model compares itself with.
const EXAMPLES: Examples = Examples {
    label: "Published runs",
    keep_rest: false,
    ignore: &["show"],
    all: &{
        let mut all = [Example { label: "", state: "" }; published::ALL.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Example { label: published::ALL[i].name, state: published::ALL[i].query };
            i += 1;
        }
        all
    },
};

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, Params::evaluate, |p| Params { total: 0.0, ..p.clone() });
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let (size, gpus) = (Unit::Count.format(p.params), grouped(p.gpus));
            format!("{size} parameters on {gpus} {}, MFU {}", p.gpu.name, Unit::Fraction.format(p.mfu))
        })
    });
    let drawn = Memo::new(move |_| params.with(|p| shown.with(|run| chart(p, run))));
    let finding =
        Signal::derive(move || shown.error().unwrap_or_else(|| params.with(|p| shown.with(|run| says(p, run)))));
    let controls = Controls::of(state).special("given", budget(state)).draw();
    let below = view! {
        {move || params.with(|p| Published::of(p).map(comparison))}
        {shown.readings(params)}
    };
    let drawing = view! {
        <div class="views">{declared(state, "show")}</div>
        {ui::chart::view("plane", drawn)}
    }
    .into_any();
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding
            examples=&EXAMPLES
            controls
            below=Some(below.into_any())
            table=move || tables(params)
        >
            {shown.frame(drawing)}
        </ModelFigure>
    }
    .into_any()
}

/// What the drawing says.
fn says(params: &Params, run: &Run) -> String {
    match params.drawn() {
        _ if params.start == Start::Pretrained => run.finding(),
        Show::Loss => run.finding(),
        Show::Batch => run.batch_finding(),
        Show::Schedule => run.schedule_finding(),
        Show::Optimizers => run.optimizer_finding(),
    }
}

/// What the run is given, and how much of it.
fn budget(state: State<Params>) -> AnyView {
    let amount = |name: &'static str, given: Given| {
        let is_other = Memo::new(move |_| state.params().with(|p| p.given != given));
        view! { <div class="bare" class:nowhere=is_other>{declared(state, name)}</div> }
    };
    view! {
        <div class="bare budget">
            {declared(state, "given")}
            {amount("tokens", Given::Tokens)} {amount("days", Given::Days)} {amount("money", Given::Money)}
        </div>
    }
    .into_any()
}

/// A published run beside what the model says of it.
fn comparison(run: &'static Published) -> AnyView {
    let Ok((_, facts)) = run.compared() else { return ().into_any() };
    let rows = facts.into_iter().map(|(fact, ours)| {
        let named = Params::QUANTITIES.iter().find(|m| m.shown.id == fact.quantity);
        let (label, unit) = named.map_or((fact.quantity, Unit::Ratio), |m| (m.shown.label, m.shown.unit));
        view! {
            <tr>
                <th scope="row">{label}</th>
                <td class="number">{unit.format(fact.value)}</td>
                <td class="number">{unit.format(ours)}</td>
                <td class="number">{format!("{:+.1}%", fact.difference(ours))}</td>
                <td>{fact.place}</td>
            </tr>
        }
    });
    view! {
        <div class="published">
            <p><b>{run.name}</b> " as it was published. Given: " {run.given} ". " {run.source} "."</p>
            <div class="scroll">
                <Table
                    columns=[
                        silent("Quantity"),
                        numbers("published"),
                        numbers("computed"),
                        numbers("difference"),
                        words("where"),
                    ]
                    rows=rows.collect_view().into_any()
                />
            </div>
            <p class="fine">{run.note}</p>
        </div>
    }
    .into_any()
}

/// Every optimizer for this model.
fn tables(params: Memo<Params>) -> AnyView {
    let rows = move || {
        let run = params.with(Params::evaluate);
        let Ok(run) = run else { return ().into_any() };
        let row = |(rule, cost, each, share): (Rule, Cost, f64, f64)| {
            view! {
                <tr>
                    <th scope="row">{rule.label()}</th>
                    <td class="number">{Unit::Bytes.format(cost.state)}</td>
                    <td class="number">{number(each)}</td>
                    <td class="number">{Unit::Bytes.format(cost.traffic)}</td>
                    <td class="number">{Unit::Flop.format(cost.flop)}</td>
                    <td class="number">{Unit::Fraction.format(share)}</td>
                </tr>
            }
        };
        run.optimizers().map(row).collect_view().into_any()
    };
    view! {
        <Table
            caption="A step of each optimizer, for the whole model"
            columns=[
                words("Optimizer"),
                numbers("state"),
                numbers("bytes per parameter"),
                numbers("moves"),
                numbers("computes"),
                numbers("of the batch’s FLOPs"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
