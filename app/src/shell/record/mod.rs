//! A record: which skills were shown, by what. The learner's own, made from the store, to be printed and linked; or the one that a link
//! holds, whose answers are marked again on demand.

mod table;

use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Course, ExerciseIndex};
use ringside_core::practice::mastery;
use ringside_core::practice::record::{HONESTY, RULE, Record};
use ringside_learner::record;

use crate::clock;
use crate::data::{Fragment, Remote, library};
use crate::deferred::{PageView, lazy};
use crate::router::address;
use crate::shell::fragment;
use crate::store::store;
use crate::ui::copy_link::copy_link;

/// What the fragment of a link begins with that holds a record: browsers keep it from every server.
const NAME: &str = "r=";

lazy! {
    /// Downloads the page.
    practice: pub fn load() -> PageView {
        view
    }
}

/// The course, as far as a record needs it.
#[derive(Clone, Copy)]
struct Desk {
    course: StoredValue<Arc<Course>>,
    index: StoredValue<Arc<ExerciseIndex>>,
    /// Of each mission and of each lab: its slug and its title.
    missions: Memo<Vec<(String, String)>>,
    labs: Memo<Vec<(String, String)>>,
    /// Whether the record shown is the learner's own.
    own: bool,
}

fn view() -> AnyView {
    let library = library();
    // All at once, and not one after the other.
    untrack(|| drop((library.course.get(), library.exercises.get(), library.missions.get(), library.labs.get())));
    let titles = |list: Remote<Fragment>, kind: &'static str| {
        Memo::new(move |_| list.ready().map(|list| fragment::titles(&list, kind)).unwrap_or_default())
    };
    let (missions, labs) = (titles(library.missions, "mission"), titles(library.labs, "lab"));
    let with_course = move |course: Arc<Course>| {
        let course = StoredValue::new(course);
        let show = move |index: Arc<ExerciseIndex>| {
            either(Desk { course, index: StoredValue::new(index), missions, labs, own: true })
        };
        library.exercises.show(show).into_any()
    };
    view! { <article class="exam record">{library.course.show(with_course)}</article> }.into_any()
}

/// The record of the link, or the learner's own. A fragment is read as it stands in the bar: decoded, it could not be taken apart.
fn either(desk: Desk) -> AnyView {
    let hash = address().hash();
    (move || {
        hash.track();
        let hash = location().hash().unwrap_or_default();
        match hash.trim_start_matches('#').strip_prefix(NAME) {
            Some(text) => linked(Desk { own: false, ..desk }, text),
            None => own(desk),
        }
    })
    .into_any()
}

fn own(desk: Desk) -> AnyView {
    let name = RwSignal::new(String::new());
    let record = Memo::new(move |_| {
        let collected = store().with(|doc| desk.index.with_value(|index| record::of(doc, index)));
        Record { name: name.get().trim().to_owned(), made: clock::today(), ..collected }
    });
    let is_empty =
        move || record.with(|r| r.skills.is_empty() && r.solved.is_empty() && r.labs.is_empty() && r.runs.is_empty());
    let text = Memo::new(move |_| record.with(Record::write));
    let print = move |_| {
        // A browser that cannot print says so.
        let _ = window().print();
    };
    let typed = move |event| name.set(event_target_value(&event));
    let body = Memo::new(move |_| record.with(|r| Record { name: String::new(), ..r.clone() }));
    view! {
        <h1>"Record"</h1>
        <p class="lede no-print">
            "What you have shown so far, with the evidence. Print it, or send the link: it holds the record itself, and whoever opens it can mark your answers again."
        </p>
        <div class="record-own">
            <label class="sans">
                "Name " <input type="text" maxlength="80" autocomplete="name" placeholder=" " prop:value=name on:input=typed />
            </label>
            <p class="actions sans no-print" hidden=is_empty>
                <button type="button" on:click=print>"Print"</button>
                <span hidden=move || text.with(Result::is_err)>
                    {copy_link(
                        "Copy a link to it",
                        move || format!("record/#{NAME}{}", text.get_untracked().unwrap_or_default()),
                    )}
                </span>
            </p>
        </div>
        {move || text.get().err().map(|why| view! { <div class="message"><p>{why}</p></div> })}
        {move || {
            if is_empty() {
                view! {
                    <p>
                        "Nothing is shown yet. Solve an exercise of a "
                        <a href="./#chapters">"chapter"</a> ", or measure a " <a href="lab/">"lab"</a> "."
                    </p>
                }
                    .into_any()
            } else {
                body.with(|record| table::view(record, desk, None))
            }
        }}
        <p class="honesty sans">{RULE} " " {mastery::RULE} " " {HONESTY}</p>
    }
    .into_any()
}

fn linked(desk: Desk, text: &str) -> AnyView {
    let (record, problems) = match Record::read(text) {
        Ok(read) => read,
        Err(why) => {
            return view! {
                <h1>"Record"</h1>
                <div class="message" role="alert"><p>{why}</p></div>
                <p><a href="record/">"Your own record"</a></p>
            }
            .into_any();
        }
    };
    let title =
        if record.name.trim().is_empty() { "A record".to_owned() } else { format!("Record of {}", record.name) };
    let problems = (!problems.is_empty()).then(|| {
        let list = problems.into_iter().map(|p| view! { <li>{p}</li> }).collect_view();
        view! { <div class="message" role="alert"><p>"Not all of the link could be used:"</p><ul>{list}</ul></div> }
    });
    let asked = RwSignal::new(false);
    let record = StoredValue::new(record);
    let shown = move || {
        if asked.get() {
            record.with_value(|record| table::marked(record, desk))
        } else {
            record.with_value(|record| table::view(record, desk, None))
        }
    };
    view! {
        <h1>{title}</h1>
        {problems}
        <p class="actions sans no-print">
            <button type="button" disabled=asked on:click=move |_| asked.set(true)>"Mark every answer again"</button>
            <a href="record/">"Your own record"</a>
        </p>
        {shown}
        <p class="honesty sans">{RULE} " " {mastery::RULE} " " {HONESTY}</p>
    }
    .into_any()
}
