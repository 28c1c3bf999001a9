//! An evaluation, live: programs by problem, each with what became of it, and pass@k as it grows.

use leptos::prelude::*;
use ringside_core::declare::{Model as _, Text as _};
use ringside_core::evaluation::figure::{Own, PROGRAMS, Params, Ran, Shown};
use ringside_core::evaluation::judge::{Judged, Verdict, judge, tests};
use ringside_core::evaluation::language::parse;
use ringside_core::evaluation::problems::{ALL, Problem};
use ringside_core::evaluation::similarity::edit;
use ringside_core::quantity::{Unit, counted, grouped, number};
use ringside_drawing::charts::live_evaluation::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::lined::Lined;
use crate::ui::table::{Table, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// How the programs are played.
const PACE: Pace = Pace { whole: 12000.0, longest: 400.0, shortest: 30.0 };

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    // Programs are run once; how many of them count is another question.
    let all = Memo::new(move |_| {
        params.with(|p| Params { run: PROGRAMS, problem: 0, sample: 0, own: Own::default(), ..p.clone() })
    });
    let ran = Memo::new(move |_| all.with(|p| p.evaluate().ok()));
    let shown = Memo::new(move |_| params.with(|p| ran.with(|all| all.as_ref().map(|all| p.after(all)))));
    let drawn =
        Memo::new(move |_| params.with(|p| shown.with(|s| s.as_ref().map(|s| chart(p, s)).unwrap_or_default())));
    let quantities =
        Memo::new(move |_| params.with(|p| shown.with(|s| s.as_ref().map_or_else(Vec::new, |s| p.quantities(s)))));
    let finding = move || params.with(|p| shown.with(|s| s.as_ref().map_or_else(String::new, |s| p.finding(s))));
    let steps = Signal::derive(move || params.with(Params::all) as usize);
    let step = Signal::derive(move || params.with(|p| p.run as usize).min(steps.get()));
    let to = move |step: usize| {
        let all = steps.get_untracked();
        state.update(|p| p.run = if step >= all { PROGRAMS } else { step as u64 });
    };
    let place =
        Signal::derive(move || format!("{} of {} programs", grouped(step.get() as u64), grouped(steps.get() as u64)));
    let transport = view! { <Transport steps step set=to playback=PACE.of(steps) place alone=props.alone /> };
    let below = view! {
        {readings::view(&Params::ENTRY, quantities)}
        {own(state)}
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || {
                params.with(|p| {
                    let problems = counted(ALL.len() as u64, "problem", "problems");
                    let samples = counted(p.n, "sample", "samples");
                    format!("{problems}, {samples} per problem, temperature {}", number(p.temperature))
                })
            })
            finding=Signal::derive(finding)
            controls=Controls::of(state).draw()
            transport=transport.into_any()
            below=Some(below.into_any())
            table=move || table(shown)
        >
            <div class="live">
                <div class="live-both">
                    {grid(state, shown)}
                    {ui::chart::view("live-chart", drawn)}
                </div>
                {program(params, shown)}
            </div>
        </ModelFigure>
    }
    .into_any()
}

/// The class of a verdict.
fn class(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Passes => "cell passes",
        Verdict::Refused => "cell refused",
        Verdict::Wrong => "cell wrong",
        Verdict::Fails => "cell fails",
        Verdict::Stopped => "cell stopped",
    }
}

/// A row for each problem, a cell for each program.
fn grid(state: State, shown: Memo<Option<Shown>>) -> AnyView {
    let params = state.params();
    let looked = Memo::new(move |_| params.with(|p| (p.problem, p.sample)));
    let rows = move || {
        shown.with(|s| {
            let Some(s) = s else { return ().into_any() };
            let row = |(i, (row, problem)): (u64, (&Vec<Ran>, &'static Problem))| {
                let here = s.run.saturating_sub(i).div_ceil(ALL.len() as u64);
                let cell = |(sample, ran): (u64, &Ran)| {
                    let is_run = sample < here;
                    let look = move |_| state.update(|p| (p.problem, p.sample) = (i, sample));
                    let (sign, class, says) = if is_run {
                        (ran.judged.verdict.sign(), class(&ran.judged.verdict), ran.judged.verdict.label())
                    } else {
                        ("", "cell", "not run yet")
                    };
                    let label = format!("{sign} {}, sample {}: {says}", problem.name, sample + 1);
                    view! {
                        <button
                            type="button"
                            class=class
                            aria-label=label
                            disabled=!is_run
                            aria-pressed=move || (looked.get() == (i, sample)).to_string()
                            on:click=look
                        >
                            {sign}
                        </button>
                    }
                };
                view! {
                    <div class="live-row">
                        <span class="live-name">{problem.name}</span>
                        <div class="live-cells">{(0..).zip(row).map(cell).collect_view()}</div>
                    </div>
                }
            };
            (0..).zip(s.rows.iter().zip(&ALL)).map(row).collect_view().into_any()
        })
    };
    view! { <div class="live-grid" role="group" aria-label="Programs by problem">{rows}</div> }.into_any()
}

/// The program that is looked at, and what became of it.
fn program(params: Memo<Params>, shown: Memo<Option<Shown>>) -> AnyView {
    let seen = move || {
        params.with(|p| {
            shown.with(|s| {
                let ran = s.as_ref()?.rows.get(p.problem as usize)?.get(p.sample as usize)?;
                let problem = p.looked_at();
                Some(view! {
                    <p class="live-asks">
                        <b>{problem.name}</b>
                        ". "
                        {problem.asks}
                    </p>
                    <pre>{ran.text.clone()}</pre>
                    <p class="live-why">
                        {verdict(&ran.judged)}
                        {format!(" Edit similarity to the reference: {}.", Unit::Fraction.format(edit(&ran.text, problem.solution)))}
                    </p>
                })
            })
        })
    };
    view! { <div class="live-program" aria-live="polite">{seen}</div> }.into_any()
}

fn verdict(judged: &Judged) -> AnyView {
    view! {
        <span class=class(&judged.verdict)>{judged.verdict.sign()}</span>
        {format!(" {}. {} {} steps.", judged.verdict.label(), judged.why, grouped(judged.steps.into()))}
    }
    .into_any()
}

/// A program of the learner's own.
fn own(state: State) -> AnyView {
    let params = state.params();
    let text = Signal::derive(move || params.with(|p| p.own.0.clone()));
    let set = move |text: String| {
        let mut own = Own::default();
        // What is wrong stands beside its line.
        let _ = own.read(&text);
        state.update(|p| p.own = own);
    };
    let remarks = Signal::derive(move || {
        params.with(|p| match parse(&p.own.0) {
            Err(refused) if !p.own.0.is_empty() => vec![(refused.line, refused.why)],
            _ => Vec::new(),
        })
    });
    let label = Signal::derive(move || {
        params.with(|p| {
            let problem = p.looked_at();
            let head = problem.solution.split('=').next().unwrap_or_default().trim();
            format!("Your own program for {}: {head} = …", problem.name)
        })
    });
    let judged = move || {
        params.with(|p| {
            (!p.own.0.is_empty())
                .then(|| view! { <p class="live-why">{verdict(&judge(&p.own.0, p.looked_at(), p.tests))}</p> })
        })
    };
    let listed = move || {
        params.with(|p| {
            let problem = p.looked_at();
            let test = |(given, wanted): &(&str, &str)| view! { <li><code>{format!("{}({given}) = {wanted}", problem.name)}</code></li> };
            tests(problem, p.tests).map(test).collect_view()
        })
    };
    view! {
        <div class="live-own">
            <Lined label text set remarks least=3 />
            <div role="status">{judged}</div>
            <p class="fine">
                "The language: + − * / %, < <= > >= == !=, and, or, not, if … then … else …, let x = … in …, [1, 2] + [3], len, head, tail, abs, min, max, \
                 and the function itself. The tests of this problem:"
            </p>
            <ul class="live-tests">{listed}</ul>
        </div>
    }
    .into_any()
}

/// Every program that has been run.
fn table(shown: Memo<Option<Shown>>) -> AnyView {
    let rows = move || {
        shown.with(|s| {
            let row = |ran: &Ran| {
                view! {
                    <tr>
                        <th scope="row"><code>{ran.text.clone()}</code></th>
                        <td>{ran.judged.verdict.label()}</td>
                        <td>{ran.judged.why.clone()}</td>
                    </tr>
                }
            };
            s.as_ref().map(|s| s.ran().map(row).collect_view())
        })
    };
    view! { <Table columns=[words("Program"), words("verdict"), words("why")] rows=rows.into_any() /> }.into_any()
}
