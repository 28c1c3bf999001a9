//! What rounding did to the numbers of each operation at the step on show.

use leptos::prelude::*;
use ringside_core::declare::{Model as _, Scale};
use ringside_core::loss_scaling::Params;
use ringside_core::loss_scaling::network::{Op, Pass, Tally};
use ringside_core::quantity::{Unit, grouped};

use super::Live;
use crate::ui::slider::Slider;
use crate::widgets::param;

/// The slider of the step on show.
pub(super) fn step(live: Live<Params>) -> AnyView {
    let (state, params) = (live.state, live.state.params());
    let value = Signal::derive(move || params.with(|p| p.at() as f64 + 1.0));
    let set = Callback::new(move |step: f64| state.update(|p| p.step = step as u32));
    let steps = Memo::new(move |_| live.with(|_, s| s.run.steps.len()));
    let slider = move || {
        let scale = Scale::Linear { min: 1.0, max: steps.get().max(2) as f64, step: 1.0 };
        let spec = param(&Params::ENTRY, "step");
        view! { <Slider spec label="Selected step" value set scale format=|v| grouped(v as u64) /> }
    };
    slider.into_any()
}

/// A row for each operation, a column for each pass.
pub(super) fn view(live: Live<Params>) -> AnyView {
    let params = live.state.params();
    let at = Memo::new(move |_| params.with(Params::at));
    let tally = move |op: Op, pass: Pass| {
        Memo::new(move |_| {
            live.with(|_, s| {
                let step = s.run.steps.get(at.get());
                step.and_then(|step| step.tallies.get(op as usize)).map_or(Tally::default(), |t| t[pass as usize])
            })
        })
    };
    let first = Memo::new(move |_| live.with(|_, s| s.run.steps.get(at.get()).and_then(|step| step.broken)));
    let cell = move |op: Op, pass: Pass| {
        let tally = tally(op, pass);
        let is_first = move || first.get() == Some((op, pass));
        view! {
            <td class=move || format!("fate {}{}", fate(tally.get()), if is_first() { " first" } else { "" })>
                {move || text(tally.get())}
                {move || is_first().then(|| view! { <b>" first"</b> })}
            </td>
        }
    };
    let row = move |op: Op| {
        view! {
            <tr>
                <th scope="row">{op.name()}</th>
                {cell(op, Pass::Forward)}
                {cell(op, Pass::Backward)}
            </tr>
        }
    };
    view! {
        <div class="scroll operations" tabindex="0" role="group" aria-label="What each operation lost">
            <table>
                <caption>{move || format!("What rounding did at step {}", grouped(at.get() as u64 + 1))}</caption>
                <thead>
                    <tr>
                        <th scope="col">"Operation"</th>
                        <th scope="col">"Forward"</th>
                        <th scope="col">"Backward"</th>
                    </tr>
                </thead>
                <tbody>{Op::ALL.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// What became of most.
fn fate(t: Tally) -> &'static str {
    match t {
        t if t.overflowed > 0 || t.broken > 0 => "over",
        t if t.flushed * 4 > t.numbers => "zero",
        t if t.flushed > 0 => "some",
        _ => "fine",
    }
}

fn text(t: Tally) -> String {
    let over = t.overflowed + t.broken;
    match t {
        _ if over > 0 => format!("{} ∞ or NaN", grouped(over.into())),
        t if t.flushed > 0 => {
            format!("{} become 0", Unit::Fraction.format(f64::from(t.flushed) / f64::from(t.numbers)))
        }
        t if t.numbers == 0 => "–".to_owned(),
        _ => "all kept".to_owned(),
    }
}
