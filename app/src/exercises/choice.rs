//! One option, or several, of a list; every option that is chosen is explained.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::exercise::input::{chosen, picked};
use ringside_core::exercise::{Choice, Chosen, Kind, OptionDef, option_order};

use super::frame;
use super::session::Session;
use crate::ui::unique_id;

/// The options, the button and the verdict.
pub(super) fn form(session: Session) -> AnyView {
    let lang = session.lang;
    let several = session.exercise.with_value(|e| matches!(&e.kind, Kind::Choice(choice) if choice.several));
    let name = StoredValue::new(unique_id("choice"));
    let options = move || {
        let seed = session.attempt.with(|a| a.seed);
        let order = session.exercise.with_value(|e| option_order(e, seed));
        order
            .into_iter()
            .filter_map(|index| option(session, index))
            .map(|(index, option)| {
                let text = session.fill(&option.text);
                let is_chosen = move || session.input.with(|input| chosen(input).contains(&index));
                let pick = move |event| {
                    let on = event_target_checked(&event);
                    session.input.update(|input| *input = picked(input, index, on, several));
                };
                view! {
                    <label class="option">
                        <input
                            type=if several { "checkbox" } else { "radio" }
                            name=name.get_value()
                            value=index.to_string()
                            prop:checked=is_chosen
                            on:change=pick
                        />
                        <span inner_html=text></span>
                    </label>
                }
            })
            .collect_view()
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let picked = session.input.with_untracked(|input| chosen(input));
        if !picked.is_empty() {
            session.submit(judge(session, &picked).is_some_and(|came| came.is_right()), true);
        }
    };
    view! {
        <form class="choice-form" on:submit=submit>
            <fieldset>
                <legend lang=lang.marked()>{if several { language::CHOOSE_ALL } else { language::CHOOSE_ONE }.to(lang)}</legend>
                {options}
            </fieldset>
            <button type="submit" lang=lang.marked() hidden=session.exam disabled=move || session.input.with(String::is_empty)>
                {language::CHECK.to(lang)}
            </button>
        </form>
        <div role="status">{move || verdict(session)}</div>
    }
    .into_any()
}

fn verdict(session: Session) -> Option<AnyView> {
    let picked = chosen(&session.submitted()?);
    let came = judge(session, &picked)?;
    let several = choice(session, |c| c.several).unwrap_or_default();
    let lead = match (came.wrong.is_empty(), came.missing) {
        (true, 0) => language::RIGHT,
        (true, _) => language::NOT_ALL,
        (false, 1..) if several => language::AND_MISSING,
        (false, _) => language::NOT_YET,
    };
    let remarks = picked
        .iter()
        .filter_map(|index| option(session, *index))
        .map(|(_, o)| {
            let mark = if o.right { "✓" } else { "✗" };
            frame::verdict(o.right, true, format!("<p>{mark} {}</p>{}", session.fill(&o.text), session.fill(&o.say)))
        })
        .collect_view();
    Some(
        view! {
            <p class="lead-in" lang=session.lang.marked()><b>{lead.to(session.lang)}</b></p>
            {remarks}
        }
        .into_any(),
    )
}

/// Looks at the choice itself.
fn choice<T>(session: Session, look: impl FnOnce(&Choice) -> T) -> Option<T> {
    session.exercise.with_value(|e| match &e.kind {
        Kind::Choice(choice) => Some(look(choice)),
        _ => None,
    })
}

fn option(session: Session, index: usize) -> Option<(usize, OptionDef)> {
    choice(session, |c| c.options.get(index).cloned()).flatten().map(|o| (index, o))
}

fn judge(session: Session, picked: &[usize]) -> Option<Chosen> {
    choice(session, |c| c.check(picked))
}
