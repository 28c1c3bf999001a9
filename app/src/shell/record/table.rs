//! The skills of a record with what shows them, chapter by chapter, and its labs.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Chapter, Indexed, Skill};
use ringside_core::practice::date;
use ringside_core::practice::record::{Again, Lab, Record, Run, Solved};
use ringside_core::query::Query;
use ringside_learner::progress::Extent;

use super::Desk;
use crate::shell::exam::loaded::{self, Loaded};
use crate::store::store;

/// What marking again said, by exercise.
type Marks = BTreeMap<String, Again>;

/// The record with every answer marked again.
pub(super) fn marked(record: &Record, desk: Desk) -> AnyView {
    let keys = record.solved.iter().map(|s| s.exercise.clone()).collect();
    let record = StoredValue::new(record.clone());
    loaded::show(keys, desk.index.get_value(), move |loaded: Arc<Loaded>| {
        let evaluate = |exercise: &_, query: &_| loaded.evaluate(exercise, query);
        let again = |s: &Solved| (s.exercise.clone(), s.again(&loaded.definitions, &evaluate));
        record.with_value(|record| {
            let marks: Marks = record.solved.iter().map(again).collect();
            view(record, desk, Some(&marks))
        })
    })
}

/// The record, with what marking again said where that is known.
pub(super) fn view(record: &Record, desk: Desk, marks: Option<&Marks>) -> AnyView {
    let course = desk.course.get_value();
    let chapters: Vec<AnyView> = course.chapters().filter_map(|c| chapter(record, desk, c, marks)).collect();
    let tally = marks.map(|marks| {
        let count = |which: Again| marks.values().filter(|again| **again == which).count();
        let parts =
            [Again::Right, Again::NotRight, Again::Unmarked, Again::Unknown].map(|which| (count(which), which.label()));
        let parts: Vec<String> =
            parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, label)| format!("{n} {label}")).collect();
        view! { <p class="tally sans" role="status">"Marked again: " {parts.join(", ")} "."</p> }
    });
    view! {
        <p class="record-sum sans">{sum(record, desk)}</p>
        {tally}
        {chapters}
        {labs(&record.labs, desk)}
        {runs(&record.runs, &record.name, desk)}
    }
    .into_any()
}

/// "12 skills shown, 20 exercises, 2 labs, from 2026-10-01 to 2026-11-23."
fn sum(record: &Record, desk: Desk) -> String {
    let count = ringside_content::words::count;
    let skills: usize = desk.course.with_value(|c| c.chapters().map(|c| shown(record, c).len()).sum());
    let mut parts = vec![
        format!("{} shown", count(skills, "skill", "skills")),
        count(record.solved.len(), "exercise", "exercises"),
    ];
    if !record.labs.is_empty() {
        parts.push(count(record.labs.len(), "lab", "labs"));
    }
    let days = || record.solved.iter().filter_map(|s| s.day);
    let span = days().min().zip(days().max()).map(|(from, to)| match from == to {
        true => format!(", on {}", date::iso(from)),
        false => format!(", from {} to {}", date::iso(from), date::iso(to)),
    });
    format!("{}{}. Made on {}.", parts.join(", "), span.unwrap_or_default(), date::iso(record.made))
}

/// The ids of a chapter's skills that are shown, by [`mastery::RULE`](ringside_core::practice::mastery::RULE).
fn shown<'a>(record: &Record, chapter: &'a Chapter) -> Vec<&'a str> {
    let is_shown = |skill: &&Skill| record.skills.iter().any(|shown| shown.skill == skill.id);
    chapter.skills.iter().filter(is_shown).map(|skill| skill.id.as_str()).collect()
}

fn indexed(desk: Desk, key: &str) -> Option<Indexed> {
    desk.index.with_value(|index| index.exercises.iter().find(|e| e.key == key).cloned())
}

/// The skills of a chapter that were shown; nothing where none was.
fn chapter(record: &Record, desk: Desk, chapter: &Chapter, marks: Option<&Marks>) -> Option<AnyView> {
    let of_chapter: Vec<(&Solved, Option<Indexed>)> =
        record.solved.iter().filter(|s| s.chapter() == chapter.slug).map(|s| (s, indexed(desk, &s.exercise))).collect();
    let of_skill = shown(record, chapter);
    if of_chapter.is_empty() && of_skill.is_empty() {
        return None;
    }
    let skills = chapter.skills.iter().filter_map(|skill| {
        let items: Vec<AnyView> = of_chapter
            .iter()
            .filter(|(_, indexed)| indexed.as_ref().is_some_and(|i| i.skill == skill.id))
            .map(|(solved, indexed)| item(solved, indexed.as_ref(), marks))
            .collect();
        let is_shown = of_skill.contains(&skill.id.as_str());
        (!items.is_empty() || is_shown).then(|| (skill.text.0.clone(), is_shown, items))
    });
    let skills: Vec<(String, bool, Vec<AnyView>)> = skills.collect();
    let left: Vec<AnyView> = of_chapter
        .iter()
        .filter(|(_, indexed)| !indexed.as_ref().is_some_and(|i| chapter.skills.iter().any(|s| s.id == i.skill)))
        .map(|(solved, indexed)| item(solved, indexed.as_ref(), marks))
        .collect();
    let skills_shown = format!("{} of {} skills shown", of_skill.len(), chapter.skills.len());
    // Whoever gets a link knows only what is in it.
    let done = desk.own.then(|| {
        let extent = desk.index.with_value(|index| Extent::of(chapter, index));
        format!("{}% done · ", store().with(|doc| extent.progress(doc)).percent())
    });
    let rows = skills
        .into_iter()
        .map(|(text, is_shown, items)| {
            let mark = is_shown.then(|| view! { <span class="why">"✓ shown"</span> });
            view! { <li><p class="what"><span inner_html=text></span> " " {mark}</p> <ul class="evidence">{items}</ul></li> }
        })
        .collect_view();
    let left = (!left.is_empty()).then(|| view! { <li><ul class="evidence">{left}</ul></li> });
    Some(
        view! {
            <section class="record-chapter sans">
                <h2>
                    <i>{format!("{:02}", chapter.number)}</i>
                    " "
                    <a href=chapter.href()>{chapter.title.clone()}</a>
                    " "
                    <small>{done} {skills_shown}</small>
                </h2>
                <ul class="shown-skills">{rows} {left}</ul>
            </section>
        }
        .into_any(),
    )
}

/// An exercise that was solved: what it is, when, at which answer, and whether it is right again.
fn item(solved: &Solved, indexed: Option<&Indexed>, marks: Option<&Marks>) -> AnyView {
    let title = indexed.map_or_else(|| solved.exercise.clone(), |i| i.title.clone());
    let href = indexed.map(Indexed::href);
    let day = solved.day.map(|day| format!(" · {}", date::iso(day))).unwrap_or_default();
    let tries = match solved.tries {
        0 => String::new(),
        1 => " · first try".to_owned(),
        2 => " · second try".to_owned(),
        n => format!(" · try {n}, doesn’t count"),
    };
    let again = marks.and_then(|marks| marks.get(&solved.exercise)).map(|again| {
        let sign = match again {
            Again::Right => "✓",
            Again::NotRight => "✗",
            _ => "–",
        };
        view! { <span class="again">" · " <span aria-hidden="true">{sign}</span> " " {again.label()}</span> }
    });
    view! {
        <li>
            {match href {
                Some(href) => view! { <a href=href>{title}</a> }.into_any(),
                None => title.into_any(),
            }}
            <span class="why">{day} {tries}</span>
            {again}
        </li>
    }
    .into_any()
}

/// The title of this slug; the slug itself where a link names what is no more, or the titles could not be had.
fn title(of: Memo<Vec<(String, String)>>, slug: &str) -> String {
    let found = of.with(|all| all.iter().find(|(own, _)| own == slug).map(|(_, title)| title.clone()));
    found.unwrap_or_else(|| slug.to_owned())
}

fn labs(labs: &[Lab], desk: Desk) -> Option<AnyView> {
    let items = labs
        .iter()
        .map(|lab| {
            let [holds, all] = lab.holds;
            let (href, id) = (format!("lab/{}/", lab.id), lab.id.clone());
            view! {
                <li>
                    <a href=href>{move || title(desk.labs, &id)}</a>
                    <span class="why">{format!(" · {holds} of {all} numbers as the model says · {}", lab.on)}</span>
                </li>
            }
        })
        .collect_view();
    (!labs.is_empty()).then(|| {
        view! {
            <section class="record-chapter sans">
                <h2>"Labs measured"</h2>
                <ul class="evidence">{items}</ul>
            </section>
        }
        .into_any()
    })
}

/// Missions that were played. Their pages play the decisions again and say what came of them.
fn runs(runs: &[Run], by: &str, desk: Desk) -> Option<AnyView> {
    let items = runs
        .iter()
        .map(|run| {
            let mut query = Query::new([("seed", run.seed.to_string()), ("run", run.moves.clone())]);
            if !by.is_empty() {
                query.set("by", by);
            }
            let (href, slug) = (format!("mission/{}/?{query}", run.mission), run.mission.clone());
            let answers = ringside_content::words::count(run.answers(), "answer", "answers");
            view! {
                <li>
                    <a href=href>{move || title(desk.missions, &slug)}</a>
                    <span class="why">{format!(" · {answers} · seed {}", run.seed)}</span>
                </li>
            }
        })
        .collect_view();
    (!runs.is_empty()).then(|| {
        view! {
            <section class="record-chapter sans">
                <h2>"Missions played"</h2>
                <p class="fine">"Each link replays the decisions and shows how the run ended."</p>
                <ul class="evidence">{items}</ul>
            </section>
        }
        .into_any()
    })
}
