//! A curve to draw before the figure is uncovered: a point for each value, by pointer on the axes or by keys, then what the model
//! says over it.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::answer::write;
use ringside_core::decimal;
use ringside_core::exercise::input::{points, write_points};
use ringside_core::exercise::{Curve, Kind, Sketch};
use ringside_drawing::chart::hand::Piece;
use ringside_drawing::charts::sketch::{Paper, chart};

use super::session::Session;
use super::{compare, confidence, frame};
use crate::ui::{self, focus_soon, unique_id};

/// Steps of a key.
const STEPS: f64 = 200.0;

/// The axes, the button, and what there is to see once the learner has committed.
pub(super) fn form(session: Session) -> AnyView {
    let count = look(session, |s| s.at.len()).unwrap_or_default();
    let drawn = Memo::new(move |_| {
        let given = session.input.with(|input| points(input)).unwrap_or_default();
        (0..count).map(|i| given.get(i).copied().flatten()).collect::<Vec<_>>()
    });
    let paper = Memo::new(move |_| {
        let (across, unit) = look(session, |s| (s.across.clone(), s.unit))?;
        let curve = curve(session)?.ok()?;
        Some(Paper { across, unit, curve })
    });
    let committed = Memo::new(move |_| session.attempt.with(|a| a.checked));
    let held = RwSignal::new(None::<usize>);
    let result = StoredValue::new(unique_id("sketch-result"));
    let missing = RwSignal::new(String::new());
    let draw = move |change: &dyn Fn(usize) -> Option<f64>| {
        let mut all = drawn.get_untracked();
        for (i, point) in all.iter_mut().enumerate() {
            *point = change(i).or(*point);
        }
        missing.set(String::new());
        session.input.set(write_points(&all));
    };
    let set = move |i: usize, value: f64| draw(&|k| (k == i).then_some(value));
    let shown = Memo::new(move |_| {
        let (drawn, held, committed) = (drawn.get(), held.get(), committed.get());
        paper.with(|paper| paper.as_ref().map(|p| chart(p, &drawn, held, committed))).unwrap_or_default()
    });
    let axes = move || {
        paper.with(Option::is_some).then(|| {
            if committed.get() {
                return ui::chart::view("sketch-axes", shown);
            }
            let hand = Callback::new(move |piece: Piece| draw(&|i| piece.height(i as f64)));
            view! { {ui::chart::by_hand("sketch-axes", shown, hand)} {keys(session, paper, drawn, held, set)} }
                .into_any()
        })
    };
    let commit = move |_| {
        let left = drawn.with_untracked(|all| all.iter().filter(|value| value.is_none()).count());
        if left > 0 {
            let [left, all] = [left, count].map(|n| n.to_string());
            missing.set(language::NOT_DRAWN.with(session.lang, &[("left", &left), ("all", &all)]));
            return;
        }
        session.when_asked(
            move || curve(session),
            move |curve| {
                let near = drawn.with_untracked(|all| curve.is_near(all));
                session.submit(near, true);
                result.with_value(|id| focus_soon(id.clone()));
            },
        );
    };
    let help = move || {
        (!committed.get()).then(|| {
            view! { <p class="fine sketch-help" lang=session.lang.marked()>{language::DRAW.to(session.lang)}</p> }
        })
    };
    view! {
        <div class="sketch" on:pointerup=move |_| session.keep_input()>{help} {axes}</div>
        {confidence::field(session)}
        <button type="button" lang=session.lang.marked() hidden=move || session.exam || committed.get() on:click=commit>
            {language::COMMIT.to(session.lang)}
        </button>
        <p class="field-error" role="status" lang=session.lang.marked()>{missing}</p>
        <div role="status" id=result.get_value() tabindex="-1">{move || committed.get().then(|| reveal(session, drawn.get())).flatten()}</div>
    }
    .into_any()
}

/// A slider for each point: heard, and reached by keys, but not seen. The chart shows which of them has the keys.
fn keys(
    session: Session,
    paper: Memo<Option<Paper>>,
    drawn: Memo<Vec<Option<f64>>>,
    held: RwSignal<Option<usize>>,
    set: impl Fn(usize, f64) + Copy + Send + Sync + 'static,
) -> AnyView {
    let rows = move || {
        let Paper { across, unit, curve } = paper.get()?;
        let up_to = curve.up_to;
        let key = |(i, at): (usize, String)| {
            let value = move || drawn.with(|all| all.get(i).copied().flatten());
            let text = move || value().map_or("not drawn yet".to_owned(), |value| write(value, unit, 2));
            view! {
                <input
                    type="range"
                    aria-label=format!("{across}: {at}")
                    min="0"
                    max=STEPS.to_string()
                    prop:value=move || (value().map_or(0.5, |value| value / up_to) * STEPS).round().to_string()
                    aria-valuetext=text
                    on:input=move |event| {
                        set(i, up_to * decimal::parse(&event_target_value(&event)).unwrap_or_default() / STEPS);
                    }
                    on:change=move |_| session.keep_input()
                    on:focusin=move |_| held.set(Some(i))
                    on:focusout=move |_| held.set(None)
                />
            }
        };
        Some(curve.at.clone().into_iter().enumerate().map(key).collect_view())
    };
    view! { <div class="visually-hidden">{rows}</div> }.into_any()
}

fn reveal(session: Session, drawn: Vec<Option<f64>>) -> Option<AnyView> {
    let curve = curve(session)?.ok()?;
    let (unit, say) = look(session, |s| (s.unit, s.reveal.clone()))?;
    let right = curve.is_near(&drawn);
    let near = curve.near(&drawn).into_iter().filter(|n| *n).count();
    let pairs = drawn.iter().zip(&curve.values);
    let rows = curve.at.iter().zip(pairs).filter_map(|(at, (yours, truth))| Some((at.clone(), (*yours)?, *truth)));
    let [near, all] = [near, curve.values.len()].map(|n| n.to_string());
    let said = if right { language::NEAR } else { language::FAR }.with(session.lang, &[("near", &near), ("all", &all)]);
    let marked = language::attribute(session.lang.marked());
    let verdict = format!("<p{marked}>{said}</p>{}", session.fill(&say));
    Some(
        view! {
            {frame::verdict(right, true, verdict)}
            <details>
                <summary lang=session.lang.marked()>{language::NUMBERS.to(session.lang)}</summary>
                {compare::bars(rows.collect(), unit)}
            </details>
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
