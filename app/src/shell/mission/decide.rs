//! The decision that is next: its widget, its options or its number, and the button that makes it.

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::mission::{ANSWER, Counted, Decision, Made, Move, Step};
use ringside_core::query::{Query, plain};
use ringside_learner::hands::letter;
use wasm_bindgen::JsCast as _;

use super::answers;
use super::run::Run;
use super::vote::Vote;
use crate::deferred::deferred;
use crate::shell::projector;
use crate::ui::dom;
use crate::ui::figure::Deciding;
use crate::ui::output::Output;
use crate::ui::said::{Said, say};
use crate::ui::{focus, unique_id};
use crate::widgets::{Module, Props};

impl Run {
    /// The model of a widget that the mission asks.
    pub(super) fn entry(self, widget: Option<&str>) -> Option<&'static Entry> {
        widget.and_then(|id| self.loaded.with_value(|l| l.models.entry(id)))
    }
}

/// The id of the field for a number.
const FIELD: &str = "mission-number";

/// How a decision stands before it is made.
#[derive(Clone, Copy)]
pub(super) struct Draft {
    /// The state of the widget, or `answer`.
    pub(super) state: RwSignal<Query>,
    /// What was typed, for a number.
    typed: RwSignal<String>,
    said: Said,
    /// The state of the widget as it is found.
    posed: StoredValue<Query>,
    /// The widget's parameters that the mission sets. What is drawn is the learner's choice.
    given: StoredValue<Vec<String>>,
}

pub(super) fn view(run: Run) -> AnyView {
    let shown = run.shown.get_untracked();
    let Some(decision) = run.with(|m| m.decision.get(shown.next).cloned()) else { return ().into_any() };
    let of = run.with(|m| m.decision.len());
    // Who comes back finds what was decided before.
    let earlier = shown.steps.iter().rev().filter(|s| s.decision == shown.next).find_map(|s| s.answer.clone());
    let state = RwSignal::new(match (decision.made(), earlier) {
        (Made::Widget(_), Some(earlier)) => shown.posed.with(&earlier),
        (Made::Widget(_), None) => shown.posed.clone(),
        (Made::Choice(_) | Made::Number(_), _) => Query::default(),
    });
    let given = decision.given.keys().filter(|name| !decision.free.contains(name) && *name != "view").cloned();
    let draft = Draft {
        state,
        typed: RwSignal::new(String::new()),
        said: RwSignal::new(None),
        posed: StoredValue::new(shown.posed.clone()),
        given: StoredValue::new(given.collect()),
    };
    let vote = Vote::new(run);
    let heading = unique_id("decision");
    // Not in the form: Enter in a field of the figure sets the field, and decides nothing.
    let is_widget = matches!(decision.made(), Made::Widget(_));
    let figure = is_widget.then(|| widget(run, draft, vote, &decision));
    let (form, class) = match decision.made() {
        Made::Widget(_) => (().into_any(), Some("by-figure")),
        Made::Number(counted) => (number(draft, counted), None),
        Made::Choice(_) => (options(draft, &shown.options), Some("by-option")),
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        // A room votes first.
        if projector::is_on() {
            draft.put(run, vote);
            return;
        }
        draft.said.set(None);
        let made = draft.answer(run).and_then(|answer| run.go(Move::Decide(answer)));
        if let Err(why) = made {
            draft.said.set(Some(Err(why)));
        }
    };
    let place = format!("Decision {} of {of}: {}", shown.next + 1, decision.title);
    let board = is_widget.then(|| place.clone());
    let place = if is_widget { format!("{place}, the vote") } else { place };
    view! {
        <section
            class="mission-decision"
            id="mission-decision"
            aria-labelledby=heading
            data-slide=place
            data-slide-now=(!is_widget).then_some("")
        >
            <div class="mission-board" id="mission-board" data-slide=board data-slide-now=is_widget.then_some("")>
                <p class="eyebrow sans">"Decision " {shown.next + 1} " of " {of}</p>
                <h2 id=heading.clone()>{decision.title.clone()}</h2>
                <div class="chapter-text" inner_html=shown.ask></div>
                {figure}
            </div>
            <form class=class on:submit=submit autocomplete="off">
                {form}
                <p class="actions sans">
                    <button type="submit" class="alone" data-decide>"Decide"</button>
                    <button type="submit" class="together">"Put it to the vote"</button>
                </p>
                {say(draft.said)}
            </form>
            {vote.view(draft)}
        </section>
    }
    .into_any()
}

impl Draft {
    /// The answer as it stands.
    ///
    /// # Errors
    /// Why there is none: a sentence.
    pub(super) fn answer(self, run: Run) -> Result<Query, String> {
        let next = run.shown.with_untracked(|s| s.next);
        let decision = run.with(|m| m.decision.get(next).cloned()).ok_or("All decisions are made.")?;
        let state = self.state.get_untracked();
        let chosen = match decision.made() {
            Made::Widget(_) => {
                if let Some(why) = refused() {
                    return Err(format!("A field of the figure could not be used. {why}"));
                }
                run.play(|_, _, game| game.chosen(&state)).ok_or("This run cannot be played.")?
            }
            Made::Choice(_) if state.get(ANSWER).is_some() => state,
            Made::Choice(_) => return Err("Choose one of them first.".into()),
            Made::Number(counted) => {
                let typed = self.typed.get_untracked();
                counted.asked().read(&typed).map(|value| Query::new([(ANSWER, plain(value))]))?
            }
        };
        let failed = |step: &Step| step.decision == next && step.again && step.answer.as_ref() == Some(&chosen);
        // Whoever went on to another try may come back to one that failed before.
        let tried =
            run.shown.with_untracked(|s| s.steps.iter().rev().take_while(|step| step.decision == next).any(failed));
        if tried {
            return Err("You decided that already, and it didn’t work. Change something first.".into());
        }
        Ok(chosen)
    }

    /// Puts the answer as it stands to the vote; where one is to be typed, goes to its field.
    pub(super) fn put_by_key(self, run: Run, vote: Vote) {
        match document().get_element_by_id(FIELD) {
            Some(_) if self.typed.with_untracked(String::is_empty) => drop(focus(FIELD)),
            _ => self.put(run, vote),
        }
    }

    /// Puts the answer as it stands to the vote.
    pub(super) fn put(self, run: Run, vote: Vote) {
        self.said.set(match self.answer(run) {
            Ok(answer) => {
                vote.propose(&answer);
                self.typed.set(String::new());
                // The keys are the room's again.
                if let Some(Ok(field)) = document().active_element().map(|e| e.dyn_into::<web_sys::HtmlElement>()) {
                    // Where it keeps the focus, keys are typed.
                    let _ = field.blur();
                }
                None
            }
            Err(why) => Some(Err(why)),
        });
    }

    /// Puts back what the run sets, where the figure was given another value, and says so.
    fn hold(self, entry: &'static Entry) {
        let (mut state, posed) = (self.state.get(), self.posed.get_value());
        let (now, before) = ((entry.read)(&state).0, (entry.read)(&posed).0);
        let strayed = |name: &&String| now.get(name) != before.get(name);
        let strayed: Vec<String> = self.given.with_value(|given| given.iter().filter(strayed).cloned().collect());
        let Some(first) = strayed.first() else { return };
        for name in &strayed {
            match posed.get(name) {
                Some(value) => state.set(name, value),
                None => state = state.without(name),
            }
        }
        // What the figure itself makes of another value can't be put back.
        if self.state.with_untracked(|before| *before == state) {
            return;
        }
        self.state.set(state);
        self.said.set(Some(Err(format!("This run sets “{}”: it stays as it is.", entry.label(first)))));
    }
}

/// What a field of the figure says of a value that it could not use. Whoever typed it is led back to it.
fn refused() -> Option<String> {
    let figure = document().query_selector(".mission-figure").ok().flatten()?;
    let field = dom::find(&figure, "[aria-invalid=true]")?;
    let why = field.parent_element().and_then(|around| dom::find(&around, ".field-error"));
    // A field that cannot take the focus is still named by its message.
    let _ = field.focus();
    Some(why.and_then(|why| why.text_content()).unwrap_or_default())
}

/// The widget with what is decided in it, and the numbers that are known beforehand. What it says besides comes with the decision.
fn widget(run: Run, draft: Draft, vote: Vote, decision: &Decision) -> AnyView {
    let Some(widget) = answers::widget_of(decision) else { return ().into_any() };
    provide_context(Deciding::of(&decision.free));
    let figure = deferred(
        move || widget.to_show(),
        move |module: Module| (module.view)(Props { query: draft.state, alone: false, compact: false }),
    );
    let entry = run.entry(Some(widget.id));
    if let Some(entry) = entry {
        Effect::new(move |_| draft.hold(entry));
    }
    let readings = entry.map(|entry| known(draft, entry, &decision.show));
    let next = run.shown.with_untracked(|s| s.next);
    let locked =
        entry.map(|entry| run.with(|m| draft.posed.with_value(|posed| answers::locked(m, next, posed, entry))));
    let locked = locked.into_iter().flatten().map(|(by, list)| {
        view! { <li>"Locked by " {by} ": " <span>{list.join(" · ")}</span></li> }
    });
    let locked = locked.collect_view();
    let put_back = move |_| {
        draft.said.set(None);
        draft.state.set(draft.posed.get_value());
    };
    view! {
        <ul class="mission-locked sans">{locked}</ul>
        <div class="mission-figure">{figure}</div>
        <div class="mission-chosen sans">
            {readings}
            <button type="button" class="quiet" on:click=put_back>"Reset the figure"</button>
            <button type="button" class="secondary together" on:click=move |_| draft.put(run, vote)>
                "Put this to the vote " <kbd>"V"</kbd>
            </button>
            <span class="together" aria-live="polite">{move || vote.so_far()}</span>
        </div>
        <div class="together">{say(draft.said)}</div>
    }
    .into_any()
}

/// The quantities that a decision shows before it is made; where the widget has no result, its sentence instead.
fn known(draft: Draft, entry: &'static Entry, show: &[String]) -> AnyView {
    let shown: Vec<_> = entry.shown().filter(|shown| show.iter().any(|name| name == shown.id)).collect();
    if shown.is_empty() {
        return ().into_any();
    }
    let evaluation = Memo::new(move |_| {
        let evaluation = draft.state.with(entry.evaluate);
        (evaluation.error, evaluation.quantities)
    });
    let readings = shown
        .into_iter()
        .map(|shown| {
            let value = Signal::derive(move || {
                evaluation.with(|(_, all)| all.iter().find(|q| q.id == shown.id).map_or(0.0, |q| q.value))
            });
            view! { <div class="reading"><dt>{shown.label}</dt><dd><Output shown value /></dd></div> }
        })
        .collect_view();
    let error = move || evaluation.with(|(error, _)| error.clone());
    view! {
        <p class="message sans" role="status" hidden=move || error().is_none()>{error}</p>
        <dl class="readings mission-known" hidden=move || error().is_some()>{readings}</dl>
    }
    .into_any()
}

/// What there is to choose from.
fn options(draft: Draft, options: &[(String, String)]) -> AnyView {
    let name = unique_id("mission-option");
    let options = options
        .iter()
        .enumerate()
        .map(|(nth, (id, text))| {
            let (value, own) = (id.clone(), id.clone());
            let is_chosen = move || draft.state.with(|state| state.get(ANSWER) == Some(own.as_str()));
            let pick = move |_| draft.state.set(Query::new([(ANSWER, value.as_str())]));
            view! {
                <label class="option">
                    <input type="radio" name=name.clone() value=id.clone() prop:checked=is_chosen on:change=pick />
                    <span><b>{letter(nth)}</b> " " <span inner_html=text.clone()></span></span>
                </label>
            }
        })
        .collect_view();
    view! { <fieldset class="mission-options"><legend class="visually-hidden">"Choose one"</legend>{options}</fieldset> }.into_any()
}

/// A number with its unit.
fn number(draft: Draft, counted: Counted) -> AnyView {
    view! {
        <label class="mission-number sans">
            <span>"Your answer, " {counted.hint()}</span>
            <input
                type="text"
                id=FIELD
                maxlength="60"
                prop:value=draft.typed
                on:input=move |event| draft.typed.set(event_target_value(&event))
            />
        </label>
    }
    .into_any()
}
