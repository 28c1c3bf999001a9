//! Files that were handed in, marked again: a table of the class, and what everyone answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::ExerciseIndex;
use ringside_core::exercise::{Worked, input};
use ringside_core::practice::date;
use ringside_core::practice::exam::{
    ClassTable, Common, ExamResult, Finding, Graded, HONESTY, MAX_FILE, Mark, Points, Recheck, Rechecked, class_report,
    class_table, gradebook, in_words, recheck,
};
use ringside_core::quantity::counted;

use super::loaded::{self, Loaded};
use super::mistakes;
use crate::data::library;
use crate::shell::{answer, teach};
use crate::store::store;
use crate::ui::said::{Said, say};
use crate::ui::{file, unique_id};
use crate::{clock, page};

/// The largest gradebook that is read, in bytes.
const MOST_OF_A_GRADEBOOK: f64 = 2e7;

/// A file that was read.
#[derive(Clone, PartialEq)]
struct Handed {
    /// Tells files of the same name apart.
    id: u32,
    name: String,
    result: Result<ExamResult, String>,
}

pub(super) fn view() -> AnyView {
    view! {
        <article class="exam check">
            {teach::pages()}
            <h1>"Check"</h1>
            <p class="lede">
                "Choose the files that were handed in. Every answer is marked again here, from the exercises of this course. A file also holds the verdicts of the browser that wrote it: they earn no points, and an answer whose verdict differs from ours is listed for you to look at. No file leaves this browser."
            </p>
            {library().exercises.show(files)}
            <p class="honesty sans">{HONESTY}</p>
        </article>
    }
    .into_any()
}

fn files(index: Arc<ExerciseIndex>) -> AnyView {
    let handed = RwSignal::new(Vec::<Handed>::new());
    let over = RwSignal::new(false);
    let take = move |files: Vec<web_sys::File>| {
        for chosen in files {
            let on_its_way = page::pending();
            spawn_local(async move {
                let name = chosen.name();
                let result = if chosen.size() > MAX_FILE as f64 {
                    ExamResult::read(&" ".repeat(MAX_FILE + 1))
                } else {
                    file::read_text(&chosen, 2e6).await.and_then(|text| ExamResult::read(&text))
                };
                // The page may have been left meanwhile.
                handed.try_update(|all| {
                    let same = |h: &&Handed| h.result.is_ok() && h.result == result;
                    if all.iter().any(|h| same(&h)) {
                        return;
                    }
                    let id = all.iter().map(|h| h.id + 1).max().unwrap_or(0);
                    all.push(Handed { id, name, result });
                });
                drop(on_its_way);
            });
        }
    };
    let choose = move |event: leptos::ev::Event| take(file::all_chosen(&event));
    let drop_here = move |event: leptos::ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        take(file::dropped(&event));
    };
    let index = StoredValue::new(index);
    // What is shown follows the files that could be read.
    let results = Memo::new(move |_| {
        handed.with(|all| all.iter().filter_map(|h| Some((h.id, h.result.clone().ok()?))).collect::<Vec<_>>())
    });
    let keys = Memo::new(move |_| {
        let mut keys: Vec<String> = results.with(|all| {
            let named = |r: &ExamResult| {
                let answered = r.answers.iter().map(|a| a.exercise.clone());
                r.quiz.exercises.iter().cloned().chain(answered).collect::<Vec<_>>()
            };
            all.iter().flat_map(|(_, r)| named(r)).collect()
        });
        keys.sort();
        keys.dedup();
        keys
    });
    let unread = move || {
        handed.with(|all| {
            let wrong = all.iter().filter_map(|h| Some((h.id, h.name.clone(), h.result.clone().err()?)));
            wrong
                .map(|(id, name, why)| {
                    let label = format!("Remove {name}");
                    let remove = move |_| handed.update(|all| all.retain(|h| h.id != id));
                    view! {
                        <li>
                            <span><b>{name}</b> ": " {why}</span>
                            <button type="button" class="quiet" aria-label=label on:click=remove>"✕"</button>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    let any_unread = move || handed.with(|all| all.iter().any(|h| h.result.is_err()));
    let shown = move || {
        if keys.with(Vec::is_empty) {
            return ().into_any();
        }
        loaded::show(keys.get(), index.get_value(), move |loaded| class(results, index.get_value(), loaded))
    };
    view! {
        <div
            class="drop sans"
            class:over=over
            on:dragover=move |event| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop_here
        >
            <label for="results">"Results, one file or many"</label>
            <input type="file" id="results" accept=".json,application/json" multiple on:change=choose />
            <small>"Or drop them here."</small>
        </div>
        <div role="alert" class="message unread" hidden=move || !any_unread()>
            <p>"Not every file could be read:"</p>
            <ul class="sans">{unread}</ul>
        </div>
        {shown}
    }
    .into_any()
}

/// The class, and everyone in it.
fn class(results: Memo<Vec<(u32, ExamResult)>>, index: Arc<ExerciseIndex>, loaded: Arc<Loaded>) -> AnyView {
    let titles: BTreeMap<String, String> = index.exercises.iter().map(|e| (e.key.clone(), e.title.clone())).collect();
    let titles = StoredValue::new(titles);
    let loaded = StoredValue::new(loaded);
    // As the exercises mark it; what a person marks is added.
    let unmarked = Memo::new(move |_| {
        loaded.with_value(|loaded| {
            let evaluate = |exercise: &_, query: &_| loaded.evaluate(exercise, query);
            let again = |(_, result): &(u32, ExamResult)| recheck(result, &loaded.definitions, &evaluate);
            results.with(|all| all.iter().map(again).collect::<Vec<Recheck>>())
        })
    });
    let marked = Memo::new(move |_| {
        let mut all = unmarked.get();
        store().with(|doc| all.iter_mut().for_each(|one| one.give(&doc.given)));
        all
    });
    let table = Memo::new(move |_| marked.with(|all| class_table(all)));
    let report = Memo::new(move |_| {
        loaded.with_value(|loaded| {
            let evaluate = |exercise: &_, query: &_| loaded.evaluate(exercise, query);
            marked.with(|all| class_report(all, &loaded.definitions, &evaluate))
        })
    });
    let wrong = move || report.with(|report: &Vec<Common>| mistakes::view(report, |key| title_of(titles, key)));
    let quizzes = move || {
        let mut all: Vec<String> = results.with(|all| all.iter().map(|(_, r)| r.quiz.title.clone()).collect());
        all.retain(|title| !title.is_empty());
        all.sort();
        all.dedup();
        (!all.is_empty()).then(|| view! { <p class="quiz-title">{all.join(" · ")}</p> })
    };
    let said: Said = RwSignal::new(None);
    let print = move |_| {
        // A browser that cannot print says so.
        let _ = window().print();
    };
    let save = move |_| {
        let name = format!("ringside-class-{}.csv", date::iso(clock::today()));
        said.set(Some(file::save(&name, "text/csv", &table.with_untracked(ClassTable::to_csv))));
    };
    let title = move || {
        let title = results.with_untracked(|all| all.iter().map(|(_, r)| r.quiz.title.clone()).find(|t| !t.is_empty()));
        title.unwrap_or_else(|| "Ringside quiz".to_owned())
    };
    let fill = move |event: leptos::ev::Event| {
        let Some(chosen) = file::chosen(&event) else { return };
        spawn_local(async move {
            let read = file::read_text(&chosen, MOST_OF_A_GRADEBOOK).await;
            let Some(table) = table.try_get_untracked() else { return };
            let graded = read.and_then(|text| gradebook(&text, &table, &title()));
            said.try_set(Some(graded.and_then(|graded| save_gradebook(&graded))));
        });
    };
    let notes =
        move || table.with(|t| t.notes.iter().map(|n| view! { <p class="note sans">{n.clone()}</p> }).collect_view());
    let people = move || {
        marked.with(|all| {
            let mut all: Vec<&Recheck> = all.iter().collect();
            all.sort_by_cached_key(|one| name_of(&one.learner).to_lowercase());
            all.into_iter().map(|one| loaded.with_value(|l| person(one, l, titles))).collect_view()
        })
    };
    let by_hand = move || unmarked.with(|all| loaded.with_value(|loaded| by_hand(all, loaded, titles)));
    view! {
        <section aria-labelledby="class">
            <h2 id="class">"The class"</h2>
            {quizzes}
            {notes}
            {move || table.with(|t| class_view(t, titles))}
            <p class="actions sans">
                <button type="button" on:click=save>"Export as CSV"</button>
                <button type="button" class="secondary" on:click=print>"Print"</button>
            </p>
            <p class="sans gradebook">
                <label for="gradebook">"Gradebook of Moodle or Canvas, as CSV"</label>
                <input type="file" id="gradebook" accept=".csv,text/csv" on:change=fill />
                <small>"The marks go into it as a new column, by name, login or email address. Import the file that you get."</small>
            </p>
            {say(said)}
        </section>
        {by_hand}
        <section aria-labelledby="mistakes">
            <h2 id="mistakes">"Which mistakes were made"</h2>
            {wrong}
        </section>
        <section aria-labelledby="answers">
            <h2 id="answers">"What each answered"</h2>
            {people}
        </section>
    }
    .into_any()
}

/// Saves a gradebook with marks in it. Yields the sentence that says who has one.
fn save_gradebook(graded: &Graded) -> Result<String, String> {
    let Graded { platform, csv, marked, of, unknown } = graded;
    let saved = file::save(&format!("ringside-gradebook-{}.csv", platform.to_lowercase()), "text/csv", csv)?;
    let mut text = format!(
        "{saved} {marked} of {} in the {platform} gradebook have a mark.",
        counted(*of as u64, "learner", "learners")
    );
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.iter().map(|name| name_of(name)).collect();
        text.push_str(&format!(" Not found there, or found more than once: {}.", names.join(", ")));
    }
    Ok(text)
}

fn title_of(titles: StoredValue<BTreeMap<String, String>>, key: &str) -> String {
    titles.with_value(|titles| titles.get(key).cloned()).unwrap_or_else(|| key.to_owned())
}

/// A name as it is shown: never nothing.
pub(super) fn name_of(learner: &str) -> String {
    if learner.trim().is_empty() { "No name".to_owned() } else { learner.trim().to_owned() }
}

/// A mark as a sign, with its name for those who do not see it.
fn sign(mark: Option<Mark>) -> AnyView {
    let (sign, name) = match mark {
        Some(Mark::Right) => ("✓", "right"),
        Some(Mark::Wrong) => ("✗", "wrong"),
        Some(Mark::Unclear) => ("?", "to mark"),
        Some(Mark::Unanswered) => ("–", "no answer"),
        None => ("", "does not count"),
    };
    view! {
        <span class=format!("mark {}", mark.map_or("none", Mark::id))>
            <span aria-hidden="true">{sign}</span>
            <span class="visually-hidden">{name}</span>
        </span>
    }
    .into_any()
}

fn class_view(table: &ClassTable, titles: StoredValue<BTreeMap<String, String>>) -> AnyView {
    let head = table
        .exercises
        .iter()
        .enumerate()
        .map(|(i, key)| {
            let (title, hint) = (title_of(titles, key), title_of(titles, key));
            view! { <th scope="col" title=hint>{i + 1} <span class="visually-hidden">{title}</span></th> }
        })
        .collect_view();
    let rows = table
        .rows
        .iter()
        .map(|row| {
            let mark = |(mark, given): (&Option<Mark>, &Option<Points>)| {
                let shown =
                    given.map_or_else(|| sign(*mark), |points| view! { <b>{points.to_string()}</b> }.into_any());
                view! { <td class="centre">{shown}</td> }
            };
            let marks = row.marks.iter().zip(&row.given).map(mark).collect_view();
            let odd = match row.odd {
                0 => view! { <td class="agrees">"agrees"</td> }.into_any(),
                1 => view! { <td class="odd">"1 to look at"</td> }.into_any(),
                n => view! { <td class="odd">{n} " to look at"</td> }.into_any(),
            };
            let minutes = (row.ended - row.started).div_euclid(60);
            view! {
                <tr>
                    <th scope="row">{name_of(&row.learner)}</th>
                    <td class="number">{row.points.to_string()} " of " {row.of}</td>
                    {odd}
                    <td class="number">{row.to_mark}</td>
                    <td class="number">{minutes} " min"</td>
                    {marks}
                </tr>
            }
        })
        .collect_view();
    let right = table.right.iter().map(|n| view! { <td class="centre">{*n}</td> }).collect_view();
    let legend = table.exercises.iter().map(|key| view! { <li>{title_of(titles, key)}</li> }).collect_view();
    view! {
        <div class="scrolls" tabindex="0" role="region" aria-label="The class, a table">
            <table>
                <thead>
                    <tr>
                        <th scope="col">"Learner"</th>
                        <th scope="col" class="number">"Points"</th>
                        <th scope="col">"The file"</th>
                        <th scope="col" class="number">"To mark"</th>
                        <th scope="col" class="number">"Took"</th>
                        {head}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>
                    <tr>
                        <th scope="row">"Right"</th>
                        <td></td>
                        <td></td>
                        <td></td>
                        <td></td>
                        {right}
                    </tr>
                </tfoot>
            </table>
        </div>
        <ol class="columns sans">{legend}</ol>
    }
    .into_any()
}

fn person(one: &Recheck, loaded: &Loaded, titles: StoredValue<BTreeMap<String, String>>) -> AnyView {
    let notes = one.notes.iter().map(|n| view! { <p class="note">{n.clone()}</p> }).collect_view();
    let rows = one.items.iter().map(|item| answer(item, loaded, titles)).collect_view();
    let odd = !one.agrees();
    let when = format!("Begun {}, handed in {}.", date::iso_time(one.started), date::iso_time(one.ended));
    let id = unique_id("person");
    view! {
        <details class="sans person" class:odd=odd>
            <summary id=id><b>{name_of(&one.learner)}</b> <span class="tally">{one.say()}</span></summary>
            <p class="why">{when}</p>
            {notes}
            <ol>{rows}</ol>
        </details>
    }
    .into_any()
}

fn answer(item: &Rechecked, loaded: &Loaded, titles: StoredValue<BTreeMap<String, String>>) -> AnyView {
    let title = title_of(titles, &item.exercise);
    let shown = typed(item, loaded);
    let verdict = match (item.in_part(), item.verdict) {
        (Some(points), _) => format!("{points} of {}", counted(item.worth as u64, "point", "points")),
        (None, verdict) => verdict.and_then(in_words).unwrap_or("not marked").to_owned(),
    };
    let say = (item.finding != Finding::Agrees).then(|| view! { <p class="note">{item.say.clone()}</p> });
    view! {
        <li>
            {sign(item.mark)}
            <div>
                <p class="what">{title} " " <small>{verdict}</small></p>
                {shown}
                {say}
            </div>
        </li>
    }
    .into_any()
}

/// What somebody typed, in words where it is none.
fn typed(item: &Rechecked, loaded: &Loaded) -> AnyView {
    let typed = item.answer.clone();
    let in_words =
        |exercise| input::in_words(exercise, item.seed, &item.answer, &|query| loaded.evaluate(exercise, query));
    let words = loaded.definitions.get(&item.exercise).map(in_words).unwrap_or_default();
    if typed.trim().is_empty() {
        view! { <p class="why">"No answer."</p> }.into_any()
    } else if words.is_empty() {
        view! { <p class="typed">{typed}</p> }.into_any()
    } else {
        let words = words.into_iter().map(|html| view! { <li inner_html=html></li> }).collect_view();
        view! { <ul class="typed">{words}</ul> }.into_any()
    }
}

/// The answers that only a person can mark, by exercise: what to mark by, once, then every answer with a field for its points.
fn by_hand(all: &[Recheck], loaded: &Loaded, titles: StoredValue<BTreeMap<String, String>>) -> Option<AnyView> {
    let mut answers: BTreeMap<&str, Vec<(&Recheck, &Rechecked)>> = BTreeMap::new();
    for (one, item) in all.iter().flat_map(|one| one.items.iter().map(move |item| (one, item))) {
        if item.is_to_mark() && item.finding != Finding::Surplus {
            answers.entry(&item.exercise).or_default().push((one, item));
        }
    }
    let exercise = |(key, answers): (&str, Vec<(&Recheck, &Rechecked)>)| {
        let key_view = loaded.definitions.get(key).map(|exercise| {
            let answer = Worked::of(exercise, &|query| loaded.evaluate(exercise, query));
            view! { <details><summary>"How to mark it"</summary><div class="marking">{answer::view(answer)}</div></details> }
        });
        let rows = answers.into_iter().map(|(one, item)| {
            let label = format!("Points for {}", name_of(&one.learner));
            view! {
                <li>
                    <b>{name_of(&one.learner)}</b>
                    {typed(item, loaded)}
                    <label>{points_field(one.id_of(item), item.worth, label)} " of " {item.worth}</label>
                </li>
            }
        });
        view! { <h3>{title_of(titles, key)}</h3> {key_view} <ul class="by-hand sans">{rows.collect_view()}</ul> }
    };
    (!answers.is_empty()).then(|| {
        let all = answers.into_iter().map(exercise).collect_view();
        view! {
            <section aria-labelledby="by-hand">
                <h2 id="by-hand">"To mark by hand"</h2>
                <p class="sans">"Points count in the table and the exports at once, and this browser keeps them."</p>
                {all}
            </section>
        }
        .into_any()
    })
}

/// A field for the points of the answer with this id. Empty, the answer is still to be marked.
fn points_field(id: String, worth: usize, label: String) -> AnyView {
    let key = id.clone();
    let value = move || store().with(|doc| doc.given.get(&key).map(ToString::to_string)).unwrap_or_default();
    let set = move |event| {
        let typed = event_target_value(&event);
        store().update(|doc| match typed.trim().parse::<usize>() {
            Ok(points) => drop(doc.given.insert(id.clone(), points.min(worth))),
            Err(_) => drop(doc.given.remove(&id)),
        });
    };
    view! { <input type="number" min="0" max=worth step="1" aria-label=label prop:value=value on:change=set /> }
        .into_any()
}
