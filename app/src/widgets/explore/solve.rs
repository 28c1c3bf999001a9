//! Which setting meets a limit.

use leptos::prelude::*;
use ringside_core::explore::{Axis, Goal, Outcome, Point, Relation, Solve, axes, declared_limit, within, written};

use super::map;
use super::panel::Ask;
use super::run::Run;
use crate::ui::select::{Group, Select};
use crate::ui::unique_id;

/// How many other options are offered to be opened.
const OFFERED: usize = 8;

pub(super) fn view(ask: Ask) -> AnyView {
    let axis = Memo::new(move |_| ask.explored.with(|e| e.param.clone()));
    let second = Memo::new(move |_| ask.explored.with(|e| e.with.clone()));
    // What the number is held against, until something is typed.
    let declared = Memo::new(move |_| {
        let quantity = ask.quantity()?;
        ask.base.with(|base| declared_limit(&ask.model(), base, quantity))
    });
    let typed = Memo::new(move |_| ask.explored.with(|e| e.limit.clone()));
    let text = move || if typed.with(String::is_empty) { declared.get().unwrap_or_default() } else { typed.get() };
    let is_empty = Memo::new(move |_| text().is_empty());
    let to_type = move || {
        let (id, label, unit) = ask.quantity().filter(|_| is_empty.get())?;
        let now = ask.base.with(|base| (ask.model().evaluate)(base)).get(id)?;
        Some(format!(
            "Type the limit that {} must keep. It is {} now.",
            within(label),
            written(&ask.model(), (id, label, unit), now)
        ))
    };
    let goal = Memo::new(move |_| {
        let quantity = ask.quantity().ok_or_else(|| "This figure has no numbers to solve for.".to_owned())?;
        let limit = Goal::limit(&text(), quantity.2)?;
        Ok::<Goal, String>(Goal { quantity, relation: ask.explored.with(|e| e.relation), limit })
    });
    let chosen = move || axis.with(|name| ask.axis(name));
    let run = Run::new(move || {
        let (goal, axis) = (goal.get().ok()?, chosen()?);
        Some(ask.base.with(|base| Solve::new(ask.model(), base, axis, goal)))
    });
    let answer = move || {
        run.result(Solve::outcome).map(|outcome| {
            let label = chosen().map(|axis| axis.label()).unwrap_or_default();
            found(ask, label, outcome)
        })
    };
    let other = move || second.with(|name| axes(&ask.model()).into_iter().find(|axis| axis.name() == name));
    let both = move || {
        let (across, up) = (chosen()?, other()?);
        (across.name() != up.name()).then_some([across, up])
    };
    view! {
        <div class="explore-fields">
            {choose(ask, "explore-param", "Setting", Signal::derive(move || chosen().map_or("", |a| a.name())), |e, id| e.param = id, None)}
            {ask.choose_quantity("Number")} {relation(ask)}
            {limit(ask, Signal::derive(text), Signal::derive(move || goal.with(|goal| goal.as_ref().err().filter(|_| !is_empty.get()).cloned())))}
            {choose(ask, "explore-with", "Map over a second setting", Signal::derive(move || other().map_or("", |a| a.name())), |e, id| e.with = id, Some("none"))}
        </div>
        {run.bar()}
        <div class="explore-answer" role="status">{to_type} {answer}</div>
        <Show when=move || both().is_some()>{map::view(ask, Signal::derive(both), goal)}</Show>
    }
    .into_any()
}

/// The choice of a parameter.
fn choose(
    ask: Ask,
    name: &'static str,
    label: &'static str,
    value: Signal<&'static str>,
    set: fn(&mut ringside_core::explore::Explored, String),
    none: Option<&'static str>,
) -> AnyView {
    let options = axes(&ask.model()).into_iter().map(|axis: Axis| (axis.name(), axis.label()));
    let options = none.map(|none| ("", none)).into_iter().chain(options).collect();
    let groups = vec![Group { label: "", options }];
    let set = move |id: &'static str| ask.change(|e| set(e, id.to_owned()));
    view! { <Select name label groups value set /> }.into_any()
}

fn relation(ask: Ask) -> AnyView {
    let options = Relation::ALL.map(|relation| (relation.id(), relation.label())).to_vec();
    let value = Signal::derive(move || ask.explored.with(|e| e.relation.id()));
    let set = move |id: &'static str| ask.change(|e| e.relation = Relation::find(id).unwrap_or_default());
    let groups = vec![Group { label: "", options }];
    view! { <Select name="explore-relation" label="Must be" groups value set /> }.into_any()
}

fn limit(ask: Ask, text: Signal<String>, wrong: Signal<Option<String>>) -> AnyView {
    let (id, error) = (unique_id("limit"), unique_id("error"));
    let describedby = error.clone();
    let typed = move |event| {
        let text = event_target_value(&event);
        ask.change(|e| e.limit = text);
    };
    view! {
        <div class="field">
            <label for=id.clone()>"Limit"</label>
            <input
                type="text"
                id=id
                name="explore-limit"
                autocomplete="off"
                spellcheck="false"
                aria-invalid=move || wrong.with(Option::is_some).then_some("true")
                aria-describedby=describedby
                prop:value=text
                on:change=typed
            />
            <span class="field-error" id=error role="alert">{wrong}</span>
        </div>
    }
    .into_any()
}

/// The answer, and the states to open.
fn found(ask: Ask, label: &'static str, outcome: Outcome) -> AnyView {
    let Outcome { found, closest, others, said, .. } = outcome;
    let button = move |point: Point| {
        let text = format!("Set {} to {}", within(label), point.at);
        view! {
            <button type="button" class="secondary" on:click=move |_| ask.open(&point.query)>
                {text}
            </button>
        }
    };
    // Where the figure stands already, there is nothing to set.
    let differs = |point: &Point| ask.base.with_untracked(|base| *base != point.query);
    let points = found.or(closest).into_iter().chain(others).filter(differs).take(OFFERED + 1);
    view! {
        <p>{said}</p>
        <p class="explore-actions">{points.map(button).collect_view()}</p>
    }
    .into_any()
}
