//! One exercise being worked on: its numbers, what was answered, and what came of it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::language::Lang;
use ringside_core::catalogue::{Entry, Evaluation};
use ringside_core::exercise::{Env, Exercise, MAX_SEED, Resolved, Template, draw, environment, resolve};
use ringside_core::query::Query;
use ringside_learner::doc::Attempt;
use ringside_learner::practice;

use super::{Place, attempt, given, key};
use crate::store::store;
use crate::{clock, page, router, widgets};

/// The handle that a form works with.
#[derive(Clone, Copy)]
pub(super) struct Session {
    pub(super) exercise: StoredValue<Exercise>,
    key: StoredValue<String>,
    /// What the store has about it; begun anew if a link gives other numbers.
    pub(super) attempt: Memo<Attempt>,
    /// The seed that a link gives, until the learner has done something with its numbers.
    given: RwSignal<Option<u64>>,
    /// What is wrong with the seed of the link.
    pub(super) bad_link: RwSignal<Option<String>>,
    /// What is in the form now.
    pub(super) input: RwSignal<String>,
    /// The model, once it is there; none is needed where the exercise names none.
    model: RwSignal<Option<Option<&'static Entry>>>,
    /// Whether the model has been asked for.
    asked: StoredValue<bool>,
    /// Why the model is not there.
    pub(super) missing: RwSignal<bool>,
    /// What to do once it is there.
    waiting: StoredValue<Option<Box<dyn FnOnce()>>, LocalStorage>,
    /// The prompt with the numbers of seed 0; empty if nobody has rendered it.
    prompt: StoredValue<String>,
    /// Whether it is a question of a quiz: what is in the form is the answer, nothing is kept here and nothing is said of it.
    pub(super) exam: bool,
    /// Whether it is asked outside its chapter: how it goes on is up to whoever asks.
    pub(super) alone: bool,
    /// Whether it is still being written.
    draft: bool,
    /// The language of the page. The exercise itself is English.
    pub(super) lang: Lang,
}

impl Session {
    pub(super) fn new(place: &Place, exercise: &Exercise) -> Self {
        let key = StoredValue::new(key(&place.chapter, &exercise.id));
        let (given, bad_link) = (RwSignal::new(None), RwSignal::new(None));
        let attempt = Memo::new(move |_| {
            let mut attempt = key.with_value(|key| attempt(key));
            renew(&mut attempt, given.get());
            attempt
        });
        let input = RwSignal::new(attempt.with_untracked(|a| a.input.clone()));
        let (id, by_link, can_draw) = (exercise.id.clone(), place.given, !exercise.draw.is_empty());
        let follow = move || {
            let seed = by_link.with(|g| g.as_ref().filter(|g| can_draw && g.is_for(&id)).map(|g| g.seed.clone()));
            bad_link.set(seed.clone().and_then(Result::err));
            if let Some(Ok(seed)) = seed {
                given.set(Some(seed));
                input.set(attempt.with_untracked(|a| a.input.clone()));
            }
        };
        untrack(&follow);
        Effect::new(move |before: Option<()>| {
            by_link.track();
            if before.is_some() {
                follow();
            }
        });
        let prompt = StoredValue::new(place.prompt.clone());
        let draft = place.chapter == super::DRAFT;
        let alone = place.alone.is_some();
        Self { given, bad_link, prompt, draft, alone, ..Self::with(exercise, key, attempt, input) }
    }

    /// As a question of a quiz, with the parameters of `seed`.
    pub(super) fn of_exam(exercise: &Exercise, seed: u64, answer: RwSignal<String>) -> Self {
        let attempt = Memo::new(move |_| Attempt { seed, input: answer.get(), ..Attempt::default() });
        Self { exam: true, ..Self::with(exercise, StoredValue::new(String::new()), attempt, answer) }
    }

    fn with(exercise: &Exercise, key: StoredValue<String>, attempt: Memo<Attempt>, input: RwSignal<String>) -> Self {
        Self {
            exercise: StoredValue::new(exercise.clone()),
            key,
            attempt,
            given: RwSignal::new(None),
            bad_link: RwSignal::new(None),
            input,
            model: RwSignal::new(exercise.model.is_none().then_some(None)),
            asked: StoredValue::new(false),
            missing: RwSignal::new(false),
            waiting: StoredValue::new_local(None),
            prompt: StoredValue::new(String::new()),
            exam: false,
            alone: false,
            draft: false,
            lang: router::language(),
        }
    }

    /// The address of the exercise in its chapter, in a language; none of a question of a quiz or of what is still being written.
    pub(super) fn address(self, lang: Lang) -> Option<String> {
        let key = self.key.get_value();
        let (chapter, id) = key.split_once('/').filter(|_| !self.exam && !self.draft)?;
        Some(format!("{}#exercise-{id}", lang.chapter(chapter)))
    }

    /// Downloads the model that computes the answers.
    pub(super) fn fetch_model(self) {
        let widget = self.exercise.with_value(|e| e.model.as_deref().and_then(widgets::find));
        let Some(widget) = widget else { return };
        let on_its_way = page::pending();
        self.asked.set_value(true);
        self.missing.set(false);
        spawn_local(async move {
            match (widget.load)().await {
                Ok(module) => {
                    self.model.try_set(Some(Some(module.model)));
                    if let Some(Some(act)) = self.waiting.try_update_value(Option::take) {
                        act();
                    }
                }
                Err(_) => drop(self.missing.try_set(true)),
            }
            drop(on_its_way);
        });
    }

    /// What a person calls a parameter of its model.
    pub(super) fn label(self, name: &str) -> String {
        self.model.get().flatten().map_or_else(|| name.to_owned(), |entry| format!("“{}”", entry.label(name)))
    }

    /// The parameters that are asked about.
    pub(super) fn parameters(self) -> Query {
        let seed = self.attempt.with(|a| a.seed);
        self.exercise.with_value(|e| draw(e, seed))
    }

    /// Runs `with` on the exercise, its parameters and its model. `None` while the model is on its way.
    pub(super) fn ask<T>(
        self,
        with: impl FnOnce(&Exercise, &Query, &dyn Fn(&Query) -> Evaluation) -> Result<T, String>,
    ) -> Option<Result<T, String>> {
        let Some(entry) = self.model.get() else {
            // A model is downloaded for those who ask it something.
            if !self.asked.get_value() {
                self.fetch_model();
            }
            return None;
        };
        let evaluate = move |query: &Query| entry.map(|e| (e.evaluate)(query)).unwrap_or_default();
        Some(self.exercise.with_value(|e| with(e, &self.parameters(), &evaluate)))
    }

    /// The names that templates may use, with this seed's numbers.
    pub(super) fn env(self) -> Option<Result<Env, String>> {
        self.ask(|exercise, query, evaluate| environment(exercise, query, evaluate))
    }

    /// What is right, for the kinds that ask for a number.
    pub(super) fn resolved(self) -> Option<Result<Resolved, String>> {
        self.ask(|exercise, query, evaluate| resolve(exercise, query, evaluate))
    }

    /// Asks `question` and acts on the answer: now, or once the model that knows has come.
    pub(super) fn when_asked<T: 'static>(
        self,
        question: impl Fn() -> Option<Result<T, String>> + 'static,
        act: impl FnOnce(T) + 'static,
    ) {
        match untrack(&question) {
            Some(Ok(answer)) => act(answer),
            // The build has checked that every question of an exercise has an answer.
            Some(Err(_)) => {}
            None => self.waiting.set_value(Some(Box::new(move || self.when_asked(question, act)))),
        }
    }

    /// What was submitted, as long as it is what is in the form. Tracks.
    pub(super) fn submitted(self) -> Option<String> {
        let (input, checked) = self.attempt.with(|a| (a.input.clone(), a.checked));
        (checked && self.input.with(|now| *now == input)).then_some(input)
    }

    /// The prompt: HTML.
    pub(super) fn prompt(self) -> String {
        let rendered = self.prompt.with_value(String::clone);
        if self.attempt.with(|a| a.seed) == 0 && !rendered.is_empty() {
            return rendered;
        }
        self.exercise.with_value(|e| self.fill(&e.prompt))
    }

    /// A template with this seed's numbers: HTML. It keeps their places while the model is on its way.
    pub(super) fn fill(self, template: &str) -> String {
        if !template.contains('{') {
            return template.to_owned();
        }
        let filled = match self.env() {
            Some(env) => env.and_then(|env| Template::fill(template, &env)),
            None => Template::outline(template),
        };
        filled.unwrap_or_else(|why| why)
    }

    /// Changes what is stored about it.
    pub(super) fn update(self, change: impl FnOnce(&mut Attempt)) {
        self.keep(None, change);
    }

    /// The same; `numbers` are the one that was predicted and the one that is true.
    fn keep(self, numbers: Option<(f64, f64)>, change: impl FnOnce(&mut Attempt)) {
        if self.exam {
            return;
        }
        let key = self.key.get_value();
        store().update(|doc| {
            let attempt = doc.exercises.entry(key.clone()).or_default();
            renew(attempt, self.given.get_untracked());
            let before = attempt.clone();
            change(attempt);
            // Whoever writes an exercise does not practise by trying it.
            if !self.draft {
                self.exercise.with_value(|e| practice::note(doc, &key, e, &before, numbers, clock::today()));
            }
        });
        self.given.set(None);
    }

    /// Keeps what is in the form; a verdict on something else does not stay.
    pub(super) fn keep_input(self) {
        let input = self.input.get_untracked();
        if self.attempt.with_untracked(|a| a.input != input) {
            self.update(|a| {
                a.input = input;
                a.checked = false;
            });
        }
    }

    /// Submits what is in the form. `right` says whether it counts as right; `tries` whether it counts as a try.
    pub(super) fn submit(self, right: bool, tries: bool) {
        let input = self.input.get_untracked();
        self.keep(self.numbers(&input), |a| {
            a.input = input;
            a.checked = true;
            a.wrong = !right;
            a.right |= right;
            a.solved |= right;
            a.tries += u32::from(tries);
        });
    }

    /// The number that was predicted, and the one that is true.
    fn numbers(self, input: &str) -> Option<(f64, f64)> {
        self.exercise.with_value(|e| e.kind.unlocks().and(e.number()).is_some()).then_some(())?;
        let resolved = untrack(move || self.resolved())?.ok()?;
        Some((resolved.check(input).value?, resolved.expected))
    }

    /// The next set of numbers.
    pub(super) fn fresh(self) {
        self.input.set(String::new());
        self.update(|a| a.renew(if a.seed < MAX_SEED { a.seed + 1 } else { 1 }));
        given::forget();
    }

    /// A link that shows everyone the numbers that are on screen, relative to the site's base.
    pub(super) fn link(self) -> String {
        let seed = self.attempt.with_untracked(|a| a.seed);
        self.key.with_value(|key| given::link_to(key, seed, self.lang))
    }
}

/// Begins an attempt anew if other numbers than its own are given.
fn renew(attempt: &mut Attempt, given: Option<u64>) {
    if let Some(seed) = given.filter(|seed| *seed != attempt.seed) {
        attempt.renew(seed);
    }
}
