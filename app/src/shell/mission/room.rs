//! A room that decides together: answers are put to the vote, hands are counted, and the most hands decide.

use leptos::prelude::*;
use ringside_core::mission::{ANSWER, Move};
use ringside_core::query::Query;

use super::answers;
use super::decide::Draft;
use super::run::Run;
use crate::ui::said::{Said, say};

/// An answer that is voted on.
#[derive(Clone, PartialEq)]
struct Proposal {
    answer: Query,
    words: String,
    hands: u32,
}

pub(super) fn view(run: Run, draft: Draft) -> AnyView {
    let next = run.shown.with_untracked(|s| s.next);
    let Some(decision) = run.with(|m| m.decision.get(next).cloned()) else { return ().into_any() };
    let entry = run.entry(decision.widget.as_deref());
    let words = {
        let decision = decision.clone();
        move |answer: &Query| answers::in_words(&decision, answer, entry)
    };
    let words = StoredValue::new(words);
    let proposal = move |answer: Query| {
        let words = words.with_value(|words| words(&answer));
        Proposal { answer, words, hands: 0 }
    };
    let given = decision.option.iter().map(|o| proposal(Query::new([(ANSWER, o.id.as_str())]))).collect::<Vec<_>>();
    let is_open = given.is_empty();
    let proposals = RwSignal::new(given);
    let said: Said = RwSignal::new(None);
    let propose = move |_| match draft.answer(run) {
        Ok(answer) => {
            said.set(None);
            proposals.update(|all| {
                if all.iter().all(|p| p.answer != answer) {
                    all.push(proposal(answer));
                }
            });
        }
        Err(why) => said.set(Some(Err(why))),
    };
    let change = move |nth: usize, by: i32| {
        proposals.update(|all| {
            if let Some(p) = all.get_mut(nth) {
                p.hands = p.hands.saturating_add_signed(by);
            }
        });
    };
    let take = move |_| {
        let all = proposals.get_untracked();
        let most = all.iter().map(|p| p.hands).max().unwrap_or(0);
        let first: Vec<&Proposal> = all.iter().filter(|p| p.hands == most && most > 0).collect();
        said.set(match first.as_slice() {
            [] => Some(Err("No hands have been counted yet.".into())),
            [one] => run.go(Move::Decide(one.answer.clone())).err().map(Err),
            _ => Some(Err("There is a tie. Count again, or decide.".into())),
        });
    };
    let row = move |nth: usize, p: Proposal| {
        let (less, more) = (format!("One hand less for {}", p.words), format!("One hand more for {}", p.words));
        view! {
            <li>
                <span>{p.words}</span>
                <button type="button" class="secondary" aria-label=less on:click=move |_| change(nth, -1)>"−"</button>
                <b aria-live="polite">{p.hands}</b>
                <button type="button" class="secondary" aria-label=more on:click=move |_| change(nth, 1)>"+"</button>
            </li>
        }
    };
    view! {
        <section class="mission-room sans" aria-label="Show of hands">
            <h3>"Show of hands"</h3>
            <ul>{move || proposals.get().into_iter().enumerate().map(|(nth, p)| row(nth, p)).collect_view()}</ul>
            <p class="actions">
                <Show when=move || is_open>
                    <button type="button" class="secondary" on:click=propose>"Put this to the vote"</button>
                </Show>
                <button type="button" on:click=take>"Decide by the vote"</button>
            </p>
            {say(said)}
        </section>
    }
    .into_any()
}
