//! What the learner can do: every skill that has exercises, where it stands, and why.

use leptos::prelude::*;
use ringside_content::schema::{Chapter, Skill};
use ringside_core::practice::mastery::{RULE, Standing, State};
use ringside_core::practice::next;
use ringside_learner::situation;

use super::{Desk, run};
use crate::clock;
use crate::store::store;

pub(super) fn view(desk: Desk) -> AnyView {
    let course = desk.course.get_value();
    let chapters = course.chapters().map(|c| chapter(desk, c)).collect_view();
    view! {
        <section aria-labelledby="skills" class="skills">
            <h2 id="skills">"What you can do"</h2>
            <p>{RULE}</p>
            {chapters}
        </section>
    }
    .into_any()
}

/// The skills of a chapter; nothing if it has no exercises yet.
fn chapter(desk: Desk, chapter: &Chapter) -> AnyView {
    let skills = store().peek(|doc| desk.index.with_value(|index| situation::skills(chapter, index, doc)));
    if skills.is_empty() {
        return ().into_any();
    }
    let rows: Vec<(next::Skill, Skill, Memo<Standing>)> = skills
        .into_iter()
        .filter_map(|skill| {
            let text = chapter.skills.iter().find(|s| s.id == skill.id)?.clone();
            let id = skill.id.clone();
            let standing = Memo::new(move |_| desk.practice.with(|p| p.standing(&id, clock::today())));
            Some((skill, text, standing))
        })
        .collect();
    let all: Vec<Memo<Standing>> = rows.iter().map(|(_, _, standing)| *standing).collect();
    let begun = all.iter().any(|s| s.with_untracked(|s| s.state != State::NotStarted));
    let sum = move || {
        let count = |which: fn(&Standing) -> bool| all.iter().filter(|s| s.with(which)).count();
        let (mastered, due) = (count(|s| s.mastered), count(|s| s.state == State::Due));
        let due = if due > 0 { format!(", {due} due") } else { String::new() };
        format!("{mastered} of {} mastered{due}", all.len())
    };
    let rows = rows.into_iter().map(|(skill, text, standing)| row(&skill, text, standing)).collect_view();
    let (number, title) = (format!("{:02}", chapter.number), chapter.title.clone());
    view! {
        <details open=begun>
            <summary><i>{number}</i> <b>{title}</b> <span class="tally">{sum}</span></summary>
            <ul>{rows}</ul>
        </details>
    }
    .into_any()
}

fn row(skill: &next::Skill, text: Skill, standing: Memo<Standing>) -> AnyView {
    let state = move || standing.with(|s| s.state);
    let name = move || match state() {
        State::NotStarted => "new",
        State::Learning => "learning",
        State::Mastered => "mastered",
        State::Due => "due",
    };
    let say = move || standing.with(|s| s.say.clone());
    let recall = move || {
        let recall = standing.with(|s| s.recall)?;
        let percent = format!("{}%", (recall * 100.0).round());
        Some(
            view! { <span class="recall">"Recall today: about " <output data-value=recall.to_string()>{percent}</output></span> },
        )
    };
    let href = run::of_skill(&skill.id);
    let label = format!("Practice: {}", skill.title);
    view! {
        <li data-skill=text.id data-state=name>
            <span class="state">{move || state().label()}</span>
            <div>
                <p class="what" inner_html=text.text.0></p>
                <p class="why">{say} " " {recall}</p>
            </div>
            <a href=href aria-label=label>"Practice"</a>
        </li>
    }
    .into_any()
}
