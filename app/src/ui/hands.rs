//! Hands that a room raises for answers, counted by keys and by buttons.

use leptos::prelude::*;
use ringside_learner::hands::{Answer, letter, most, typed_on};

/// A count.
#[derive(Clone, Copy)]
pub struct Hands {
    /// The answers, in order.
    pub answers: RwSignal<Vec<Answer>>,
    /// The answer for which hands are counted.
    at: RwSignal<usize>,
    /// Whether the answers are known by their order alone: the count of one begins when that of the last has ended.
    in_order: bool,
    /// Whether a digit goes on with the number that was typed.
    typing: RwSignal<bool>,
}

impl Hands {
    /// For answers that are said aloud, one after the other: as many as `begun` to begin with.
    pub fn in_order(begun: usize) -> Self {
        Self {
            answers: RwSignal::new(vec![Answer::default(); begun]),
            at: RwSignal::new(0),
            in_order: true,
            typing: RwSignal::new(false),
        }
    }

    /// For answers that are written down.
    pub fn written(answers: Vec<Answer>) -> Self {
        Self { answers: RwSignal::new(answers), at: RwSignal::new(0), in_order: false, typing: RwSignal::new(false) }
    }

    /// Forgets what was counted in order.
    pub fn begin_again(self) {
        self.at.set(0);
        self.answers.set(vec![Answer::default()]);
    }

    /// Takes a count of the first answers, in order, from elsewhere. Answers that are said aloud become as many as have votes.
    pub fn take(self, votes: &[u32]) {
        let needed = votes.iter().rposition(|votes| *votes > 0).map_or(0, |last| last + 1);
        self.typing.set(false);
        self.answers.update(|all| {
            if self.in_order && all.len() < needed {
                all.resize(needed, Answer::default());
            }
            all.iter_mut().zip(votes).for_each(|(answer, votes)| answer.hands = *votes);
        });
    }

    /// Whether the answers are written down, not said aloud.
    pub fn is_written(self) -> bool {
        !self.in_order
    }

    /// Whether there is an answer in this place to vote for, or there may be one. Tracks.
    pub fn takes(self, nth: usize) -> bool {
        self.in_order || self.answers.with(|all| nth < all.len())
    }

    /// Counts a hand, takes it back, or goes on to the next answer. Yields whether the key is for that.
    pub fn press(self, key: &str) -> bool {
        let at = self.at.get_untracked();
        match key {
            "+" | "=" => self.change(at, 1),
            "-" | "−" => self.change(at, -1),
            "Enter" => return self.next(),
            _ => return false,
        }
        true
    }

    /// The same, and a number that is typed is the count.
    pub fn type_or_press(self, key: &str) -> bool {
        let at = self.at.get_untracked();
        // Where there is no answer yet a number is for something else.
        let Some(hands) = self.answers.with_untracked(|all| Some(all.get(at)?.hands)) else { return self.press(key) };
        let goes_on = self.typing.get_untracked();
        let typed = match key {
            "Backspace" => hands / 10,
            digit => match digit.parse::<u32>() {
                Ok(digit) if digit < 10 => typed_on(if goes_on { hands } else { 0 }, digit),
                _ => return self.press(key),
            },
        };
        self.typing.set(true);
        self.answers.update(|all| {
            if let Some(answer) = all.get_mut(at) {
                answer.hands = typed;
            }
        });
        true
    }

    fn change(self, at: usize, by: i32) {
        self.at.set(at);
        self.typing.set(false);
        self.answers.update(|all| {
            if let Some(answer) = all.get_mut(at) {
                answer.hands = answer.hands.saturating_add_signed(by);
            }
        });
    }

    fn next(self) -> bool {
        self.typing.set(false);
        let count = self.answers.with_untracked(Vec::len);
        if self.in_order && self.at.get_untracked() + 1 >= count {
            if self.answers.with_untracked(|all| all.last().is_none_or(|last| last.hands == 0)) {
                return false;
            }
            self.answers.update(|all| all.push(Answer::default()));
            self.at.set(count);
        } else {
            self.at.update(|at| *at = (*at + 1).checked_rem(count).unwrap_or_default());
        }
        true
    }

    /// The answer with the most hands.
    ///
    /// # Errors
    /// Why there is none: a sentence.
    pub fn most(self) -> Result<usize, String> {
        self.answers.with_untracked(|all| most(all))
    }

    /// Whether any hand was counted. Tracks.
    pub fn any(self) -> bool {
        self.answers.with(|all| all.iter().any(|answer| answer.hands > 0))
    }

    /// The counts, each with its letter and what was written for it, for answers in order.
    pub fn counts(self) -> AnyView {
        let one = |(nth, answer): (usize, &Answer)| {
            view! { <span>{letter(nth)} " " <span inner_html=answer.text.clone()></span> " " <b>{answer.hands}</b></span> }
        };
        let hands = move || self.answers.with(|all| all.iter().enumerate().map(one).collect_view());
        view! { <p class="room-hands" aria-live="polite">"Hands: " {hands}</p> }.into_any()
    }

    /// The answers with their counts, to be counted and no more. An answer that is said aloud has a place for a word.
    pub fn counting(self) -> AnyView {
        let rows = Memo::new(move |_| self.answers.with(Vec::len));
        let text = move |nth: usize| self.answers.with(|all| all.get(nth).map(|a| a.text.clone()).unwrap_or_default());
        let row = move |nth: usize| {
            let n = letter(nth);
            let name = move |event| {
                let word = super::dom::escaped(&event_target_value(&event));
                self.answers.update(|all| {
                    if let Some(answer) = all.get_mut(nth) {
                        answer.text = word;
                    }
                });
            };
            let says = if self.in_order {
                let label = format!("What answer {n} says");
                view! { <input type="text" maxlength="40" placeholder="An answer from the room" aria-label=label on:change=name /> }
                    .into_any()
            } else {
                view! { <span inner_html=text(nth)></span> }.into_any()
            };
            let is_counted = move || (self.at.get() == nth).then_some("true");
            let hands = move || self.answers.with(|all| all.get(nth).map_or(0, |a| a.hands));
            view! { <li aria-current=is_counted><b>{n}</b> " " {says} " " <b class="hands-count">{hands}</b></li> }
        };
        let add = self.in_order.then(|| {
            let add = move |_| self.answers.update(|all| all.push(Answer::default()));
            view! { <button type="button" class="quiet" on:click=add>"Add an answer"</button> }
        });
        view! {
            <ol class="hands-counting" aria-live="polite">{move || (0..rows.get()).map(row).collect_view()}</ol>
            {add}
        }
        .into_any()
    }

    /// The keys that count, up to Enter, as a sentence begins with them.
    pub fn keys() -> AnyView {
        view! { "Type how many hands an answer has, or count them by " <kbd>"+"</kbd> " and " <kbd>"−"</kbd> ". " <kbd>"Enter"</kbd> }.into_any()
    }

    /// The answers with their counts, each with a button that does `choose` with it.
    pub fn rows(self, choose: impl Fn(usize) + Copy + Send + Sync + 'static) -> AnyView {
        let keys = Memo::new(move |_| {
            self.answers.with(|all| all.iter().map(|a| (a.key.clone(), a.text.clone())).collect::<Vec<_>>())
        });
        let hands = move |nth: usize| self.answers.with(|all| all.get(nth).map_or(0, |a| a.hands));
        let share = move |nth: usize| {
            let all = self.answers.with(|all| all.iter().map(|a| a.hands).sum::<u32>()).max(1);
            format!("{:.1}%", 100.0 * f64::from(hands(nth)) / f64::from(all))
        };
        let row = move |(nth, (_, text)): (usize, (String, String))| {
            let is_counted = move || (self.at.get() == nth).then_some("true");
            let n = letter(nth);
            view! {
                <li aria-current=is_counted style=("--share", move || share(nth))>
                    <span class="hands-answer"><b>{n}</b> " " <span inner_html=text></span></span>
                    <button type="button" class="secondary" aria-label=format!("One hand less for answer {n}") on:click=move |_| self.change(nth, -1)>
                        "−"
                    </button>
                    <b class="hands-count" aria-live="polite">{move || hands(nth)}</b>
                    <button type="button" class="secondary" aria-label=format!("One hand more for answer {n}") on:click=move |_| self.change(nth, 1)>
                        "+"
                    </button>
                    <button type="button" class="quiet" aria-label=format!("Decide answer {n}") on:click=move |_| choose(nth)>
                        "Decide this"
                    </button>
                </li>
            }
        };
        let rows = move || keys.get().into_iter().enumerate().map(row).collect_view();
        view! { <ol class="hands">{rows}</ol> }.into_any()
    }
}
