//! Things that belong together: a list to choose a partner from for each, and for `label` a bar whose parts they name.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::answer::write;
use ringside_core::exercise::input::{partners, write_partners};
use ringside_core::exercise::{Kind, check_partners, option_order};
use ringside_core::quantity::unbroken;

use super::session::Session;
use super::{frame, plain};
use crate::ui::unique_id;

/// How many characters of a choice a list shows on a phone. A longer one stands below it too, in full.
const FITS: usize = 28;

/// What is on the left, what is on the right, and why they belong together, as templates.
#[derive(Clone, Default)]
struct Sides {
    left: Vec<String>,
    right: Vec<String>,
    say: Vec<String>,
}

/// The lists, the button and the verdict.
pub(super) fn form(session: Session) -> AnyView {
    let sides = StoredValue::new(sides(session));
    let stem = unique_id("pair");
    let rows = move || {
        let seed = session.attempt.with(|a| a.seed);
        let order = session.exercise.with_value(|e| option_order(e, seed));
        let (left, right) = sides.with_value(|s| (s.left.clone(), s.right.clone()));
        let sizes = measured(session).unwrap_or_default();
        let rights: Vec<(usize, String)> =
            order.into_iter().filter_map(|i| Some((i, plain(&session.fill(right.get(i)?))))).collect();
        left.into_iter()
            .enumerate()
            .map(|(at, text)| {
                let size = sizes.get(at).map_or(String::new(), |(_, size)| format!(" <small>{size}</small>"));
                let text = format!("{}{size}", session.fill(&text));
                row(session, sides, format!("{stem}-{at}"), at, text, &rights)
            })
            .collect_view()
    };
    // On paper there is no list to choose from. Parts of a bar have letters; their names have numbers then.
    let printed = move || {
        let seed = session.attempt.with(|a| a.seed);
        let order = session.exercise.with_value(|e| option_order(e, seed));
        let texts = sides.with_value(|s| order.into_iter().filter_map(|i| s.right.get(i).cloned()).collect::<Vec<_>>());
        texts.into_iter().map(|text| view! { <li inner_html=session.fill(&text)></li> }).collect_view()
    };
    let marks = if is_label(session) { "1" } else { "A" };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let came = sides.with_value(|s| check_partners(s.left.len(), &chosen(session, s)));
        session.submit(came.is_right(), true);
    };
    let untouched = move || session.input.with(|input| input.chars().all(|c| c == ','));
    view! {
        {bar(session)}
        <form class="pairs" on:submit=submit>
            <dl>{rows}</dl>
            <ol class="partners" type=marks aria-hidden="true">{printed}</ol>
            <button type="submit" lang=session.lang.marked() hidden=session.exam disabled=untouched>{language::CHECK.to(session.lang)}</button>
        </form>
        <div role="status">{move || verdict(session, sides)}</div>
    }
    .into_any()
}

fn row(
    session: Session,
    sides: StoredValue<Sides>,
    id: String,
    at: usize,
    text: String,
    rights: &[(usize, String)],
) -> AnyView {
    let current = move || sides.with_value(|s| chosen(session, s)).get(at).copied().flatten();
    let options = rights
        .iter()
        .map(|(i, text)| {
            let i = *i;
            view! { <option value=i.to_string() selected=move || current() == Some(i)>{text.clone()}</option> }
        })
        .collect_view();
    let texts = rights.to_vec();
    let long = move || {
        let text = texts.iter().find(|(i, _)| current() == Some(*i)).map(|(_, text)| text.clone());
        text.filter(|text| text.chars().count() > FITS)
    };
    let pick = move |event| {
        let picked = event_target_value(&event).parse().ok();
        let mut all = sides.with_value(|s| chosen(session, s));
        if let Some(place) = all.get_mut(at) {
            *place = picked;
        }
        session.input.set(write_partners(&all));
        session.keep_input();
    };
    view! {
        <div class="pair">
            <dt><label for=id.clone() inner_html=text></label></dt>
            <dd>
                <select id=id on:change=pick>
                    <option value="" lang=session.lang.marked() selected=move || current().is_none()>{language::CHOOSE.to(session.lang)}</option>
                    {options}
                </select>
                <p class="pair-chosen" aria-hidden="true">{long}</p>
            </dd>
        </div>
    }
    .into_any()
}

fn verdict(session: Session, sides: StoredValue<Sides>) -> Option<AnyView> {
    let input = session.submitted()?;
    let sides = sides.get_value();
    let all = partners(&input, sides.left.len(), sides.right.len())?;
    let came = check_partners(sides.left.len(), &all);
    let lead = match (came.wrong.len(), came.missing) {
        (0, 0) => language::ALL_RIGHT.to(session.lang).to_owned(),
        (0, missing) => language::RIGHT_SO_FAR.with(session.lang, &[("missing", &missing.to_string())]),
        (wrong, _) => {
            let [wrong, all] = [wrong, sides.left.len()].map(|n| n.to_string());
            language::SOME_NOT_YET.with(session.lang, &[("wrong", &wrong), ("all", &all)])
        }
    };
    let remarks = (0..sides.left.len())
        .filter(|i| if came.is_right() { true } else { came.wrong.contains(i) })
        .map(|i| {
            let of = |texts: &[String]| session.fill(texts.get(i).map_or("", String::as_str));
            let right = !came.wrong.contains(&i);
            frame::verdict(right, true, format!("<p>{}</p>{}", of(&sides.left), of(&sides.say)))
        })
        .collect_view();
    Some(
        view! {
            <p class="lead-in" lang=session.lang.marked()><b>{lead}</b></p>
            {remarks}
        }
        .into_any(),
    )
}

fn chosen(session: Session, sides: &Sides) -> Vec<Option<usize>> {
    let none = || vec![None; sides.left.len()];
    session.input.with(|input| partners(input, sides.left.len(), sides.right.len())).unwrap_or_else(none)
}

fn sides(session: Session) -> Sides {
    session.exercise.with_value(|e| match &e.kind {
        Kind::Match(pairs) => Sides {
            left: pairs.pairs.iter().map(|p| p.left.clone()).collect(),
            right: pairs.pairs.iter().map(|p| p.right.clone()).chain(pairs.extra.iter().cloned()).collect(),
            say: pairs.pairs.iter().map(|p| p.say.clone()).collect(),
        },
        Kind::Label(label) => Sides {
            left: (0..label.parts.len()).map(|i| format!("Part {}", letter(i))).collect(),
            right: label.parts.iter().map(|p| p.text.clone()).collect(),
            say: label.parts.iter().map(|p| p.say.clone()).collect(),
        },
        _ => Sides::default(),
    })
}

/// The bar of a `label`, to scale; nothing for a `match`.
fn bar(session: Session) -> Option<AnyView> {
    if !is_label(session) {
        return None;
    }
    let parts = move || {
        let parts = measured(session)?
            .into_iter()
            .enumerate()
            .map(|(i, (share, size))| {
                view! {
                    <li style:flex-grow=share.to_string()>
                        <b>{letter(i)}</b>
                        <span>{size}</span>
                    </li>
                }
            })
            .collect_view();
        Some(view! { <ol class="label-bar" aria-label="A bar to scale">{parts}</ol> })
    };
    Some(view! { <div class="label-figure">{parts}</div> }.into_any())
}

/// The size of each part of a `label`, in base units and as it is written; `None` for a `match`, and while its model has not
/// come.
fn measured(session: Session) -> Option<Vec<(f64, String)>> {
    if !is_label(session) {
        return None;
    }
    let env = session.env()?.ok()?;
    session.exercise.with_value(|e| match &e.kind {
        Kind::Label(label) => {
            let sizes = label.sizes(&env).ok()?;
            Some(sizes.into_iter().map(|size| (size, unbroken(&write(size, label.unit, 3)))).collect())
        }
        _ => None,
    })
}

fn is_label(session: Session) -> bool {
    session.exercise.with_value(|e| matches!(e.kind, Kind::Label(_)))
}

/// A, B, C …
fn letter(i: usize) -> String {
    char::from_u32('A' as u32 + i as u32).unwrap_or('?').to_string()
}
