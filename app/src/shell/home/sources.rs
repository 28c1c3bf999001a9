//! Every source, with filters that are kept in the address.

use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Course, Readings, Source};
use ringside_core::query::Query;

use super::filters::{self, Choices, Filters};
use super::progress::{self, Sum};
use crate::data::{base_path, chapter_href};
use crate::router::address;
use crate::shell::notices::{self, Level};
use crate::shell::source_card::{SourceCard, priority_name};
use crate::store::store;
use crate::ui::later::Later;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};

/// How long the filters rest before they are written into the address. Browsers refuse more than about three changes a
/// second.
const REST: u32 = 400;

pub(super) fn view(course: &Arc<Course>, readings: &Arc<Readings>) -> AnyView {
    let filters = in_address(course);
    let store = store();
    // By the ticks as they were when the filters were set: a source does not vanish under the pointer that ticks it.
    let kept = {
        let readings = Arc::clone(readings);
        Memo::new(move |_| {
            let read = store.peek(progress::read);
            filters.with(|f| f.keep(&readings.sources, &read))
        })
    };
    let total = readings.sources.len();
    let count = {
        let readings = Arc::clone(readings);
        move || {
            let found =
                |kept: &Vec<bool>| Sum::of(readings.sources.iter().zip(kept).filter(|(_, k)| **k).map(|(s, _)| s));
            match kept.with(found) {
                Sum { count: 0, .. } => format!("None of {total} sources"),
                sum => format!("{} of {total} sources, {}", sum.count, sum.time()),
            }
        }
    };
    let any = move || kept.with(|kept| kept.contains(&true));
    let clear = move || filters.update(|f| *f = Filters { sort: f.sort, ..Filters::default() });
    let list = {
        let (course, readings) = (Arc::clone(course), Arc::clone(readings));
        let by_priority = Memo::new(move |_| filters.with(|f| f.sort == "priority"));
        move || list(&course, &readings, by_priority.get(), kept)
    };
    view! {
        <section id="sources" aria-labelledby="sources-title">
            <h2 id="sources-title">"Every source"</h2>
            {controls(course, filters)}
            <p class="count sans">
                <span role="status">{count}</span>
                <button
                    type="button"
                    class="quiet"
                    hidden=move || !filters.with(Filters::narrow)
                    on:click=move |_| clear()
                >
                    "Clear filters"
                </button>
            </p>
            {list}
            <p class="nothing sans" hidden=any>
                "No source passes all of these filters. Loosen one, or clear them."
            </p>
        </section>
    }
    .into_any()
}

fn controls(course: &Course, filters: RwSignal<Filters>) -> impl IntoView {
    let segmented = move |name, label, choices: Choices, field: fn(&mut Filters) -> &mut &'static str| {
        let value = Signal::derive(move || filters.with(|f| *field(&mut f.clone())));
        let set = move |value| filters.update(|f| *field(f) = value);
        view! { <Segmented name label options=choices.to_vec() value set=Callback::new(set) /> }
    };
    let kind = Signal::derive(move || filters.with(|f| f.kind));
    let set_kind = Callback::new(move |value| filters.update(|f| f.kind = value));
    let kinds = vec![Group { label: "", options: filters::KINDS.to_vec() }];
    let chapters = course
        .chapters()
        .map(|c| {
            let slug = c.slug.clone();
            let chosen = filters.with_untracked(|f| f.chapter == slug);
            view! { <option value=slug selected=chosen>{format!("{:02} {}", c.number, c.title)}</option> }
        })
        .collect_view();
    view! {
        <div class="filters sans" role="search" aria-label="Sources">
            <div class="field find">
                <label for="find-source">"Find"</label>
                <input
                    type="search"
                    id="find-source"
                    name="q"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="title, author, idea"
                    prop:value=move || filters.with(|f| f.text.clone())
                    on:input=move |event| filters.update(|f| f.text = event_target_value(&event))
                />
            </div>
            <div class="field chapter-filter">
                <label for="of-chapter">"Chapter"</label>
                <select
                    id="of-chapter"
                    name="chapter"
                    prop:value=move || filters.with(|f| f.chapter.clone())
                    on:change=move |event| filters.update(|f| f.chapter = event_target_value(&event))
                >
                    <option value="">"All"</option>
                    {chapters}
                </select>
            </div>
            <Select name="kind" label="Kind" groups=kinds value=kind set=set_kind />
            {segmented("layer", "Layer", filters::LAYERS, |f| &mut f.layer)}
            {segmented("week", "Week", filters::WEEKS, |f| &mut f.week)}
            {segmented("priority", "Priority", filters::PRIORITIES, |f| &mut f.priority)}
            {segmented("time", "Time", filters::TIMES, |f| &mut f.time)}
            {segmented("read", "Read", filters::READ, |f| &mut f.read)}
            {segmented("sort", "Sorted by", filters::SORTS, |f| &mut f.sort)}
        </div>
    }
}

/// Every source is in the page, once; those that are filtered out are hidden.
fn list(course: &Course, readings: &Readings, by_priority: bool, kept: Memo<Vec<bool>>) -> AnyView {
    let of = |belongs: &dyn Fn(&Source) -> bool| -> Vec<usize> {
        readings.sources.iter().enumerate().filter(|(_, s)| belongs(s)).map(|(i, _)| i).collect()
    };
    let groups: Vec<(AnyView, Vec<usize>)> = if by_priority {
        [3, 2, 1].map(|p| (priority_name(p).into_any(), of(&|s| s.priority == p))).into()
    } else {
        // A source is listed once, under the chapter that it serves first.
        course
            .chapters()
            .map(|c| {
                let title = view! {
                    <a href=chapter_href(c)>
                        <i>{format!("{:02}", c.number)}</i>
                        {c.title.clone()}
                    </a>
                };
                (title.into_any(), of(&|s| s.chapters.first() == Some(&c.slug)))
            })
            .collect()
    };
    groups
        .into_iter()
        .filter(|(_, members)| !members.is_empty())
        .map(|(title, members)| {
            let rows = members
                .iter()
                .map(|&i| {
                    let out = move || kept.with(|kept| !kept.get(i).copied().unwrap_or(false));
                    let source = readings.sources.get(i).cloned().unwrap_or_default();
                    view! { <li hidden=out><SourceCard source folded=true /></li> }
                })
                .collect_view();
            let empty = move || kept.with(|kept| members.iter().all(|&i| !kept.get(i).copied().unwrap_or(false)));
            view! {
                <div class="group" hidden=empty>
                    <h3>{title}</h3>
                    <ul class="sources">{rows}</ul>
                </div>
            }
        })
        .collect_view()
        .into_any()
}

/// The filters, read from the address now and whenever a link or the back button changes it, and written into it once they
/// rest.
fn in_address(course: &Arc<Course>) -> RwSignal<Filters> {
    let address = address();
    let search = address.search();
    let course = Arc::clone(course);
    let filters = RwSignal::new(Filters::default());
    let written = StoredValue::new(Query::default());
    Effect::new(move |_| {
        let query = search.with(|s| Query::parse(s.trim_start_matches('?')));
        if written.with_value(|own| *own == query) {
            return;
        }
        let (read, problems) = Filters::from_query(&query, &course);
        for problem in problems {
            notices::say(Level::Warning, problem.message);
        }
        written.set_value(read.to_query());
        filters.set(read);
    });
    let rest = Later::after(REST);
    Effect::new(move |_| {
        let query = filters.with(Filters::to_query);
        if written.with_value(|own| *own == query) {
            rest.cancel();
            return;
        }
        rest.run(move || {
            let search = if query.is_empty() { String::new() } else { format!("?{query}") };
            written.set_value(query);
            address.replace(&format!("{}/{search}", base_path()));
        });
    });
    filters
}
