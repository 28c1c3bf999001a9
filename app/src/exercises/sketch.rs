//! A curve to draw before the figure is uncovered: a bar for each value, then what the model says beside it.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::answer::write;
use ringside_core::decimal;
use ringside_core::exercise::input::points;
use ringside_core::exercise::{Curve, Kind, Sketch};

use super::Form;
use super::session::Session;
use super::{compare, confidence, frame};
use crate::deferred::NotLoaded;
use crate::ui::{focus_soon, unique_id};

/// Steps of a bar.
const STEPS: f64 = 200.0;

/// Downloads it.
#[wasm_split(exercise_sketch, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Form, NotLoaded> {
    Ok(form)
}

/// The bars, the button, and what there is to see once the learner has committed.
fn form(session: Session) -> AnyView {
    let count = look(session, |s| s.at.len()).unwrap_or_default();
    let curve = move || curve(session).and_then(Result::ok);
    let drawn = move || {
        let up_to = curve().map_or(1.0, |c| c.up_to);
        let given = session.input.with(|input| points(input)).unwrap_or_default();
        // What has not been moved stands in the middle, which says nothing.
        (0..count).map(|i| given.get(i).copied().unwrap_or(up_to / 2.0)).collect::<Vec<_>>()
    };
    let stem = unique_id("sketch");
    let result = StoredValue::new(unique_id("sketch-result"));
    let committed = Memo::new(move |_| session.attempt.with(|a| a.checked));
    let bars = move || {
        let (across, unit) = look(session, |s| (s.across.clone(), s.unit))?;
        let Curve { at, up_to, .. } = curve()?;
        let rows = at
            .into_iter()
            .enumerate()
            .map(|(i, at)| {
                let value = move || drawn().get(i).copied().unwrap_or_default();
                let text = move || write(value(), unit, 2);
                let set = move |event| {
                    let step = decimal::parse(&event_target_value(&event)).unwrap_or_default();
                    let mut all = untrack(drawn);
                    if let Some(point) = all.get_mut(i) {
                        *point = up_to * step / STEPS;
                    }
                    session.input.set(all.iter().map(|v| format!("{v:e}")).collect::<Vec<_>>().join(","));
                };
                let id = format!("{stem}-{i}");
                view! {
                    <div class="sketch-row">
                        <label for=id.clone()><span class="visually-hidden">{format!("{across}: ")}</span>{at}</label>
                        <input
                            type="range"
                            id=id
                            min="0"
                            max=STEPS.to_string()
                            prop:value=move || (value() / up_to * STEPS).round().to_string()
                            aria-valuetext=text
                            on:input=set
                            on:change=move |_| session.keep_input()
                        />
                        <output aria-hidden="true">{text}</output>
                    </div>
                }
            })
            .collect_view();
        let up_to = write(up_to, unit, 2);
        Some(view! { <p class="sketch-across" data-up-to=up_to aria-hidden="true">{across}</p> {rows} })
    };
    let commit = move |_| {
        let text = untrack(drawn).iter().map(|v| format!("{v:e}")).collect::<Vec<_>>().join(",");
        session.input.set(text);
        session.when_asked(
            move || self::curve(session),
            move |curve| {
                let near = curve.is_near(&untrack(drawn));
                session.submit(near, true);
                result.with_value(|id| focus_soon(id.clone()));
            },
        );
    };
    view! {
        <div class="sketch" hidden=committed>{bars}</div>
        {confidence::field(session)}
        <button type="button" hidden=move || session.exam || committed.get() on:click=commit>"Commit"</button>
        <div role="status" id=result.get_value() tabindex="-1">{move || committed.get().then(|| reveal(session, drawn())).flatten()}</div>
    }
    .into_any()
}

fn reveal(session: Session, drawn: Vec<f64>) -> Option<AnyView> {
    let curve = curve(session)?.ok()?;
    let (unit, say) = look(session, |s| (s.unit, s.reveal.clone()))?;
    let near = curve.near(&drawn).into_iter().filter(|n| *n).count();
    let pairs = drawn.iter().zip(&curve.values);
    let rows = curve.at.iter().zip(pairs).map(|(at, (yours, truth))| (at.clone(), *yours, *truth)).collect();
    Some(
        view! {
            {compare::bars(rows, unit)}
            {frame::verdict(true, true, format!("<p>{near} of {} near.</p>{}", curve.values.len(), session.fill(&say)))}
        }
        .into_any(),
    )
}

fn curve(session: Session) -> Option<Result<Curve, String>> {
    session.ask(|exercise, query, evaluate| match &exercise.kind {
        Kind::Sketch(sketch) => sketch.curve(exercise, query, evaluate),
        _ => Err(String::new()),
    })
}

fn look<T>(session: Session, look: impl FnOnce(&Sketch) -> T) -> Option<T> {
    session.exercise.with_value(|e| match &e.kind {
        Kind::Sketch(sketch) => Some(look(sketch)),
        _ => None,
    })
}
