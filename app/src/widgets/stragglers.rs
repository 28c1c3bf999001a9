//! A synchronous step and the slowest of its ranks: bars of one step, and the step's time over the number of ranks.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::stragglers::{Outcome, Params, View};
use ringside_drawing::charts::stragglers;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::chart;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let outcome = Memo::new(move |_| params.with(Params::outcome));
    let show = Memo::new(move |_| params.with(|p| p.view));
    let all = Memo::new(move |_| params.with(|p| outcome.with(|o| p.quantities(o))));
    let by_size = Memo::new(move |_| params.with(|p| outcome.with(|o| stragglers::chart(p, o))));
    let controls = Controls::of(state).draw();
    let drawing = move || match show.get() {
        View::Step => bars(params, outcome),
        View::Size => chart::view("stragglers-chart", by_size),
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || {
                params.with(|p| {
                    format!("{} ranks, one {} slower", grouped(p.ranks), Unit::Fraction.format(p.excess()))
                })
            })
            finding=Signal::derive(move || params.with(|p| outcome.with(|o| p.finding(o))))
            controls
            below=Some(readings::view(&Params::ENTRY, all))
            table=move || table(params, outcome)
        >
            {drawing}
        </ModelFigure>
    }
    .into_any()
}

/// One step: what each rank computes, and how long it waits.
fn bars(params: Memo<Params>, outcome: Memo<Outcome>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            outcome.with(|o| {
                let step = &o.drawn;
                let longest = step.ranks.iter().copied().fold(step.over, f64::max).max(f64::MIN_POSITIVE);
                let slow = p.slow_rank();
                let wide = |time: f64| format!("{:.3}%", 100.0 * time / longest);
                let row = |(rank, time): (usize, f64)| {
                    let late = time > step.over;
                    let class = match (Some(rank) == slow, late) {
                        (_, true) => "step-compute late",
                        (true, false) => "step-compute slow",
                        _ => "step-compute",
                    };
                    view! {
                        <div class="step-row">
                            <span class="step-rank">{grouped(rank as u64)}</span>
                            <span class="step-bar">
                                <i class=class style:width=wide(time)></i>
                                <i class="step-wait" style:width=wide((step.over - time).max(0.0))></i>
                            </span>
                        </div>
                    }
                };
                let shown = step.shown();
                let hidden = step.ranks.len() - shown.len();
                let between = (hidden > 0).then(|| {
                    view! { <p class="step-hidden">{format!("and {} more ranks", grouped(hidden as u64))}</p> }
                });
                let label = format!(
                    "One step of {} ranks: it is over after {}, when rank {} is done.",
                    grouped(step.ranks.len() as u64),
                    Unit::Seconds.format(step.over * p.seconds),
                    grouped(step.slowest() as u64)
                );
                view! {
                    <div class="step-rows" role="img" aria-label=label>
                        {shown.into_iter().map(row).collect_view()}
                    </div>
                    {between}
                }
            })
        })
    };
    view! {
        <div class="stragglers">
            <p class="step-key">
                <span><i class="step-compute"></i>"computes"</span>
                <span><i class="step-compute slow"></i>"the slow rank"</span>
                <span><i class="step-wait"></i>"waits"</span>
                <span><i class="step-compute late"></i>"left out"</span>
            </p>
            {rows}
        </div>
    }
    .into_any()
}

/// The ranks of the step that is drawn.
fn table(params: Memo<Params>, outcome: Memo<Outcome>) -> AnyView {
    let rows = move || {
        let seconds = params.with(|p| p.seconds);
        outcome.with(|o| {
            let over = o.drawn.over;
            let row = |(rank, time): (usize, f64)| {
                let state = if time > over { "left out" } else { "" };
                view! {
                    <tr>
                        <th scope="row">{grouped(rank as u64)}</th>
                        <td class="number">{Unit::Seconds.format(time * seconds)}</td>
                        <td class="number">{Unit::Seconds.format((over - time).max(0.0) * seconds)}</td>
                        <td>{state}</td>
                    </tr>
                }
            };
            o.drawn.shown().into_iter().map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[numbers("Rank"), numbers("Computes"), numbers("Waits"), words("Counts")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
