//! A room that decides together: answers are put to the vote, hands are counted and kept with the run, and the most hands decide, or
//! whoever leads the room does.

use leptos::prelude::*;
use ringside_core::mission::{self, ANSWER, Move};
use ringside_core::query::Query;
use ringside_learner::hands::Answer;
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use super::answers;
use super::decide::Draft;
use super::run::{Ballot, Run};
use crate::shell::shortcuts::{on_nothing, typing};
use crate::shell::votes;
use crate::ui::dom;
use crate::ui::hands::Hands;
use crate::ui::said::{Said, say};

/// The vote on the decision that is next.
#[derive(Clone, Copy)]
pub(super) struct Vote {
    run: Run,
    /// Which move it is about, counted from 0.
    at: usize,
    hands: Hands,
    said: Said,
}

impl Vote {
    /// As it was kept with the run; otherwise on the options that there are.
    pub(super) fn new(run: Run) -> Self {
        let at = run.shown.with_untracked(|s| s.steps.len());
        let kept = run.votes.with_untracked(|votes| votes.get(&at).cloned());
        let options = || run.shown.with_untracked(|s| s.options.iter().map(|(id, _)| (written(id), 0)).collect());
        let ballot: Ballot = kept.unwrap_or_else(options);
        let hands = Hands::written(ballot.iter().map(|(key, hands)| answer(run, key, *hands)).collect());
        let vote = Self { run, at, hands, said: RwSignal::new(None) };
        vote.keep();
        vote
    }

    /// Keeps what is counted here, and follows what is counted in another window.
    fn keep(self) {
        let Self { run, at, hands, said } = self;
        let counted =
            move || hands.answers.with(|all| all.iter().map(|a| (a.key.clone(), a.hands)).collect::<Ballot>());
        Effect::new(move |before: Option<()>| {
            let counted = counted();
            if before.is_some() {
                said.set(None);
                run.count(at, counted);
            }
        });
        Effect::new(move |_| {
            let Some(kept) = run.votes.with(|votes| votes.get(&at).cloned()) else { return };
            if untrack(counted) != kept {
                hands.answers.set(kept.iter().map(|(key, hands)| answer(run, key, *hands)).collect());
            }
        });
    }

    /// Puts an answer to the vote.
    pub(super) fn propose(self, answered: &Query) {
        let key = mission::write(&[Move::Decide(answered.clone())]);
        let is_there = self.hands.answers.with_untracked(|all| all.iter().any(|a| a.key == key));
        if !is_there {
            self.hands.answers.update(|all| all.push(answer(self.run, &key, 0)));
        }
        self.said.set(None);
    }

    /// How many answers there are, in words; nothing if there are none. Tracks.
    pub(super) fn so_far(self) -> String {
        match self.hands.answers.with(Vec::len) {
            0 => String::new(),
            1 => "1 answer so far".into(),
            n => format!("{n} answers so far"),
        }
    }

    /// The answer with the most hands is the decision.
    fn take(self) {
        match self.hands.most() {
            Ok(nth) => self.choose(nth),
            Err(why) => self.said.set(Some(Err(why))),
        }
    }

    /// The answer in this place is the decision, however many hands it has.
    fn choose(self, nth: usize) {
        let key = self.hands.answers.with_untracked(|all| all.get(nth).map(|a| a.key.clone())).unwrap_or_default();
        let made =
            mission::read(&key).and_then(|moves| moves.into_iter().next().map_or(Ok(()), |one| self.run.go(one)));
        self.said.try_set(made.err().map(Err));
    }

    /// Listens for the keys of a room, while this decision is projected. `propose` puts what the figure shows to the vote.
    fn listen(self, propose: impl Fn() + 'static) {
        let on_stage = || document().query_selector(".mission-decision.projected, .mission-decision .projected");
        dom::on(&window(), "keydown", move |event| {
            let event: &KeyboardEvent = event.unchecked_ref();
            if !dom::is_plain(event) || typing(event) || !matches!(on_stage(), Ok(Some(_))) {
                return;
            }
            match event.key().as_str() {
                "d" | "D" => self.take(),
                "v" | "V" => propose(),
                // It presses a button that has the focus.
                "Enter" if !on_nothing(event) => return,
                key if self.hands.type_or_press(key) => {}
                _ => return,
            }
            event.prevent_default();
        });
    }

    pub(super) fn view(self, draft: Draft) -> AnyView {
        let is_open = self.run.shown.with_untracked(|s| s.options.is_empty());
        self.listen(move || {
            if is_open {
                draft.put_by_key(self.run, self);
            }
        });
        let is_empty = move || self.hands.answers.with(Vec::is_empty);
        let is_begun = move || {
            self.hands.answers.with(|all| if is_open { !all.is_empty() } else { all.iter().any(|a| a.hands > 0) })
        };
        view! {
            <section
                class="mission-vote sans"
                class:begun=is_begun
                data-counts=move || (!is_empty()).then_some("")
                aria-label="Show of hands"
            >
                <h3>"Show of hands"</h3>
                <p hidden=move || !is_empty()>"No answer has been put to the vote yet."</p>
                {self.hands.rows(move |nth| self.choose(nth))}
                <div hidden=is_empty>{votes::button(self.hands)}</div>
                <p class="actions">
                    <button type="button" disabled=is_empty on:click=move |_| self.take()>
                        "Decide by the vote " <kbd>"D"</kbd>
                    </button>
                </p>
                {say(self.said)}
                <p class="room-keys">
                    {Hands::keys()} " goes to the next answer"
                    {is_open.then(|| view! { ", " <kbd>"V"</kbd> " puts another one to the vote" })} "."
                </p>
            </section>
        }
        .into_any()
    }
}

/// An option as a move that takes it.
fn written(option: &str) -> String {
    mission::write(&[Move::Decide(Query::new([(ANSWER, option)]))])
}

/// An answer, by the move that makes it, with its hands.
fn answer(run: Run, key: &str, hands: u32) -> Answer {
    Answer { key: key.to_owned(), text: text(run, key), hands }
}

fn text(run: Run, key: &str) -> String {
    let moves = mission::read(key).unwrap_or_default();
    let Some(Move::Decide(answer)) = moves.first() else { return dom::escaped(key) };
    let shown = run.shown.get_untracked();
    if let Some((_, text)) = shown.options.iter().find(|(id, _)| answer.get(ANSWER) == Some(id)) {
        return text.clone();
    }
    run.with(|m| {
        let decision = m.decision.get(shown.next)?;
        Some(dom::escaped(&answers::in_words(decision, answer, run.entry(decision.widget.as_deref()))))
    })
    .unwrap_or_default()
}

/// Hands that were counted for a move that was made: `12 : 5`. Nothing if none were.
pub(super) fn counted(run: Run, at: usize) -> Option<AnyView> {
    let ballot = run.votes.with_untracked(|votes| votes.get(&at).cloned())?;
    let all = ballot.iter().map(|(_, hands)| hands.to_string()).collect::<Vec<_>>().join(" : ");
    let any = ballot.iter().any(|(_, hands)| *hands > 0);
    any.then(|| view! { <p class="mission-hands sans">"Hands in the room: " <b>{all}</b></p> }.into_any())
}
