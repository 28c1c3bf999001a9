//! What all exercises have around their form: number, prompt, hints, solution, fresh numbers.

use leptos::prelude::*;
use ringside_content::language::{self, Lang};
use ringside_core::exercise::Exercise;
use ringside_learner::doc::Attempt;

use super::session::Session;
use crate::ui::copy_link::copy_link;
use crate::ui::dom;
use crate::ui::trouble::trouble;
use crate::ui::{focus_soon, unique_id};

/// The exercise with its form.
pub(super) fn view(exercise: &Exercise, session: Session, nth: &str, form: AnyView) -> AnyView {
    let predicts = exercise.kind.unlocks().is_some() && !session.exam;
    let kind = if predicts { "prediction" } else { exercise.kind.name() };
    let title = exercise.title.clone().unwrap_or_else(|| exercise.id.clone());
    // A quiz may have exercises of the same name from two chapters.
    let anchor = if session.exam { unique_id("question") } else { format!("ex-{}", exercise.id) };
    let heading = format!("{anchor}-title");
    let counted = format!("{anchor}-count");
    // Predictions all have the same heading.
    let labelled = if predicts { format!("{heading} {counted}") } else { heading.clone() };
    let help = (!session.exam).then(|| help(session));
    let onward = (!session.exam).then(|| onward(session));
    let lang = session.lang;
    let count = format!("{nth} · {}", lang.kind(kind));
    let level = language::LEVEL.with(lang, &[("level", &exercise.level.to_string())]);
    let right = move || session.attempt.with(|a| a.right);
    let solved = move || {
        let text = if session.attempt.with(Attempt::stands) { language::SOLVED } else { language::SOLVED_EARLIER };
        text.to(lang)
    };
    let prompt = move || session.prompt();
    view! {
        <section
            class="exercise sans"
            lang=lang.marked()
            id=anchor
            data-exercise=exercise.id.clone()
            data-kind=kind
            aria-labelledby=labelled
        >
            <header class="exercise-head">
                <span id=counted>{count}</span>
                <span>{level}</span>
                <b hidden=move || !right()>{solved}</b>
            </header>
            <h3 id=heading lang=lang.english()>{title}</h3>
            <Show when=move || session.bad_link.with(Option::is_some)>
                <div class="message" role="alert" lang=lang.english()>
                    <p>{move || format!("{}; the link was followed without it.", session.bad_link.get().unwrap_or_default())}</p>
                </div>
            </Show>
            <div class="prompt" lang=lang.english() inner_html=prompt></div>
            <Show when=move || session.missing.get()>
                {trouble(
                    "The model that checks this exercise could not be downloaded. Check the connection.".to_owned(),
                    move || session.fetch_model(),
                )}
            </Show>
            {form}
            {onward}
            {help}
        </section>
    }
    .into_any()
}

/// After a right answer: why, in a line, and the way on.
fn onward(session: Session) -> impl IntoView {
    let solved = Memo::new(move |_| session.attempt.with(|a| a.solved));
    let shown = move || {
        // A choice says why by itself, and a prediction has its figure.
        let last = session.exercise.with_value(|e| {
            let is_number = e.number().is_some() && e.kind.unlocks().is_none();
            e.solution.last().filter(|_| is_number).cloned()
        });
        let why = last
            .map(|step| view! { <div class="why" lang=session.lang.english() inner_html=session.fill(&step)></div> });
        let next = next(session).map(|(href, text)| view! { <a href=href>{text}</a> });
        view! { <div class="onward">{why} {next}</div> }
    };
    move || solved.get().then(shown)
}

/// What follows the exercise in its chapter, if that is another one, or a section: where it is and what the link says.
fn next(session: Session) -> Option<(String, String)> {
    let address = session.address(session.lang).filter(|_| !session.alone)?;
    let (page, id) = address.split_once('#')?;
    let place = document().get_element_by_id(id)?;
    // The last of an aside goes on behind it.
    let after = || place.closest("details").ok()??.next_element_sibling();
    let next = place.next_element_sibling().or_else(after)?;
    let aside = dom::find(&next, ":scope > summary > :is(h2, h3)").filter(|_| next.tag_name() == "DETAILS");
    let next = aside.map_or(next, Into::into);
    if let Some(id) = next.get_attribute("data-slot-exercise") {
        return Some((format!("{page}#exercise-{id}"), language::NEXT_EXERCISE.to(session.lang).to_owned()));
    }
    let title = next.text_content().filter(|_| matches!(next.tag_name().as_str(), "H2" | "H3"))?;
    Some((format!("{page}#{}", next.id()), language::READ_ON.with(session.lang, &[("title", &title)])))
}

fn help(session: Session) -> impl IntoView {
    let lang = session.lang;
    let hints = session.exercise.with_value(|e| e.hints.len());
    let steps = session.exercise.with_value(|e| e.solution.len());
    let can_draw = session.exercise.with_value(|e| !e.draw.is_empty()) && !session.alone;
    let opened = Memo::new(move |_| session.attempt.with(|a| a.hints as usize).min(hints));
    let allowed = move || {
        steps > 0 && session.attempt.with(|a| a.tries > 0 || a.right || (hints > 0 && a.hints as usize >= hints))
    };
    let all_open = move || opened.get() == hints;
    let shown = RwSignal::new(false);
    let seed = move || session.attempt.with(|a| a.seed);
    let title = session.exercise.with_value(|e| e.title.clone().unwrap_or_else(|| e.id.clone()));
    // A lecture's list is English.
    let adds = session.address(Lang::En).filter(|_| !session.alone).map(|address| {
        view! { <button type="button" class="quiet" data-lecture=address data-title=title>{language::ADD.to(lang)}</button> }
    });
    let list = StoredValue::new(unique_id("hints"));
    let hint = move |_: leptos::ev::MouseEvent| {
        session.update(|a| a.hints += 1);
        // The button goes with the last one.
        if untrack(all_open) {
            list.with_value(|id| focus_soon(id.clone()));
        }
    };
    let solution = move |_: leptos::ev::MouseEvent| {
        shown.update(|shown| *shown = !*shown);
        if !session.attempt.with_untracked(|a| a.solved) {
            session.update(|a| a.shown = true);
        }
    };
    let fresh = move |_: leptos::ev::MouseEvent| {
        shown.set(false);
        session.fresh();
    };
    view! {
        <div class="help">
            <ol class="hints" lang=lang.english() id=list.get_value() tabindex="-1" hidden=move || opened.get() == 0 aria-live="polite">
                {move || {
                    session
                        .exercise
                        .with_value(|e| e.hints.iter().take(opened.get()).map(|h| view! { <li inner_html=session.fill(h)></li> }).collect_view())
                }}
            </ol>
            <div class="help-buttons">
                <button type="button" class="quiet" hidden=all_open on:click=hint>
                    {move || if opened.get() == 0 { language::HINT } else { language::ANOTHER_HINT }.to(lang)}
                </button>
                <button type="button" class="quiet" hidden=move || !allowed() aria-expanded=move || shown.get().to_string() on:click=solution>
                    {move || if shown.get() { language::HIDE_SOLUTION } else { language::SHOW_SOLUTION }.to(lang)}
                </button>
                <button type="button" class="quiet" hidden=!can_draw on:click=fresh>
                    {language::FRESH.to(lang)}
                </button>
                {can_draw.then(|| copy_link(language::COPY_NUMBERS.to(lang), move || session.link()))}
                {adds}
                <small hidden=move || seed() == 0 || session.alone>{move || language::SET.with(lang, &[("seed", &seed().to_string())])}</small>
            </div>
            <Show when=move || shown.get()>
                <ol class="solution" lang=lang.english()>
                    {move || {
                        session
                            .exercise
                            .with_value(|e| e.solution.iter().map(|s| view! { <li inner_html=session.fill(s)></li> }).collect_view())
                    }}
                </ol>
            </Show>
        </div>
    }
}

/// A verdict: what it says, as HTML or as plain text, and whether it is right.
pub(super) fn verdict(right: bool, html: bool, text: String) -> AnyView {
    let class = if right { "answer right" } else { "answer" };
    if html {
        view! { <div class=class inner_html=text></div> }.into_any()
    } else {
        view! { <div class=class><p>{text}</p></div> }.into_any()
    }
}
