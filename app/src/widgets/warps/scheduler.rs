//! A warp scheduler, cycle by cycle: a row for each warp, and under them the scheduler's own.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::execution::scheduler::{Doing, Params, Run};
use ringside_core::quantity::{Unit, grouped};

use super::{cells, legend};
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};
use crate::widgets::controls::Controls;
use crate::widgets::model_figure::ModelFigure;
use crate::widgets::{Module, Props, readings};

/// Its code.
pub(in crate::widgets) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How it is played.
const PACE: Pace = Pace { whole: 24_000.0, longest: 420.0, shortest: 80.0 };
/// The step of a run that is over, whatever its length.
const OVER: u64 = 4096;

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let whole = Memo::new(move |_| params.with(|p| Params { step: OVER, ..*p }));
    let run = Memo::new(move |_| whole.get().run());
    let steps = Signal::derive(move || run.with(|run| run.cycles.len()));
    let step = Memo::new(move |_| params.with(|p| run.with(|run| p.shown(run))));
    let place =
        Signal::derive(move || format!("Cycle {} of {}", grouped(step.get() as u64), grouped(steps.get() as u64)));
    let set = move |to: usize| state.update(|p| p.step = if to == steps.get_untracked() { OVER } else { to as u64 });
    let quantities = Memo::new(move |_| params.with(|p| run.with(|run| p.quantities(run))));
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || {
                params.with(|p| format!("{} resident, served {}", grouped(p.warps), p.policy.label()))
            })
            finding=Signal::derive(move || params.with(Params::finding))
            controls=Controls::of(state).draw()
            transport=view! { <Transport steps step set playback=PACE.of(steps) place alone=props.alone /> }.into_any()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(run)
        >
            {drawing(run, step)}
        </ModelFigure>
    }
    .into_any()
}

const fn class(doing: Doing) -> &'static str {
    match doing {
        Doing::Load => "load",
        Doing::Math => "math",
        Doing::NotSelected => "ready",
        Doing::LongScoreboard => "memory",
        Doing::Wait => "waits",
        Doing::Done => "",
    }
}

fn drawing(run: Memo<Run>, step: Memo<usize>) -> AnyView {
    let warps = Memo::new(move |_| run.with(|run| run.cycles.first().map_or(0, Vec::len)));
    let rows = move || {
        let shown = step.get();
        run.with(|run| {
            let of = |warp: usize| -> Vec<&'static str> {
                run.cycles.iter().take(shown).map(|all| all.get(warp).map_or("", |doing| class(*doing))).collect()
            };
            cells((0..warps.get()).map(of))
        })
    };
    let issues = move || {
        let shown = step.get();
        run.with(|run| {
            let of = |all: &Vec<Doing>| {
                all.iter().map(|d| class(*d)).find(|class| matches!(*class, "load" | "math")).unwrap_or("nothing")
            };
            cells([run.cycles.iter().take(shown).map(of).collect()])
        })
    };
    let frame = move |rows: usize| run.with(|run| format!("0 0 {} {rows}", run.cycles.len().max(1)));
    let name = |i: usize| view! { <span>{format!("Warp {}", i + 1)}</span> };
    let ends = move || run.with(|run| run.cycles.len());
    view! {
        <div class="warps scheduler" aria-hidden="true">
            {legend(
                &[
                    ("load", "issues a load"),
                    ("math", "issues arithmetic"),
                    ("ready", "ready, not selected"),
                    ("memory", "waits for memory"),
                    ("waits", "waits for a result"),
                ],
            )}
            <div class="warps-rows" style:--rows=move || warps.get().to_string()>
                <div class="warps-names">{move || (0..warps.get()).map(name).collect_view()}</div>
                <svg viewBox=move || frame(warps.get()) preserveAspectRatio="none" inner_html=rows></svg>
            </div>
            <div class="warps-rows issue" style:--rows="1">
                <div class="warps-names"><b>"Issues"</b></div>
                <svg viewBox=move || frame(1) preserveAspectRatio="none" inner_html=issues></svg>
            </div>
            <p class="warps-ends"><span>"cycle 1"</span> <span>{ends}</span></p>
        </div>
    }
    .into_any()
}

/// What each warp spends its time on.
fn table(run: Memo<Run>) -> AnyView {
    let rows = move || {
        run.with(|run| {
            let warps = run.cycles.first().map_or(0, Vec::len);
            let row = |warp: usize| {
                let count = |is: &[Doing]| {
                    grouped(run.cycles.iter().filter_map(|all| all.get(warp)).filter(|d| is.contains(d)).count() as u64)
                };
                view! {
                    <tr>
                        <th scope="row">{format!("Warp {}", warp + 1)}</th>
                        <td class="number">{count(&[Doing::Load, Doing::Math])}</td>
                        <td class="number">{count(&[Doing::NotSelected])}</td>
                        <td class="number">{count(&[Doing::LongScoreboard])}</td>
                        <td class="number">{count(&[Doing::Wait])}</td>
                    </tr>
                }
            };
            let all = view! {
                <tr class="sum">
                    <th scope="row">"Scheduler"</th>
                    <td class="number">{Unit::Fraction.format(run.issued())}</td>
                    <td class="number">{Unit::Fraction.format(run.share(Doing::NotSelected))}</td>
                    <td class="number">{Unit::Fraction.format(run.share(Doing::LongScoreboard))}</td>
                    <td class="number">{Unit::Fraction.format(run.share(Doing::Wait))}</td>
                </tr>
            };
            ((0..warps).map(row).collect_view(), all)
        })
    };
    view! {
        <Table
            columns=[
                words("Cycles"),
                numbers("selected"),
                numbers("not selected"),
                numbers("long scoreboard"),
                numbers("wait"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
