//! What to do in the minutes there are.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::{Chapter, Source};
use ringside_core::practice::next::{self, Item, Situation, What};

use super::{Desk, situation};
use crate::data::fetch_text;
use crate::store::store;
use crate::ui::segmented::Segmented;
use crate::{clock, page, practice};

/// The minutes to choose from.
const MINUTES: [(&str, &str); 3] = [("15", "15 min"), ("30", "30 min"), ("60", "60 min")];

/// What there is to do, and in a sentence.
#[derive(Clone, Copy)]
pub(super) struct Suggestion {
    situation: Memo<Situation>,
    pub(super) items: Memo<Vec<Item>>,
}

impl Suggestion {
    /// For so many minutes.
    pub(super) fn new(desk: Desk, minutes: impl Fn() -> u32 + Send + Sync + 'static) -> Self {
        let text_left = text_left(desk);
        let situation = Memo::new(move |_| {
            let left_of = |chapter: &Chapter| text_left.get().unwrap_or(chapter.minutes);
            let files = (&*desk.course.get_value(), &*desk.readings.get_value(), &*desk.index.get_value());
            let (course, readings, index) = files;
            store().with(|doc| {
                desk.practice.with(|practice| {
                    let time = (minutes(), clock::today());
                    situation::situation((course, readings, index), (doc, practice), time, left_of)
                })
            })
        });
        let suggest = move |now: &Situation| desk.practice.with(|practice| next::suggest(practice, now));
        Self { situation, items: Memo::new(move |_| situation.with(suggest)) }
    }

    pub(super) fn say(self) -> String {
        self.items.with(|items| self.situation.with(|now| next::say(items, now)))
    }
}

pub(super) fn view(desk: Desk) -> AnyView {
    let minutes = RwSignal::new(MINUTES[1].0);
    let suggestion = Suggestion::new(desk, move || minutes.get().parse().unwrap_or_default());
    let sum = move || suggestion.say();
    let list = move || suggestion.items.get().iter().map(|it| item(desk, it)).collect_view();
    let title = move || format!("The next {} minutes", minutes.get());
    view! {
        <section aria-labelledby="now" class="now">
            <h2 id="now">{title}</h2>
            <div class="sans minutes-choice">
                <Segmented
                    name="minutes"
                    label="I have"
                    options=MINUTES.to_vec()
                    value=minutes
                    set=Callback::new(move |chosen| minutes.set(chosen))
                />
            </div>
            <p class="sum" role="status">{sum}</p>
            <ol class="to-do-now sans">{list}</ol>
        </section>
    }
    .into_any()
}

/// How many minutes are left of the chapter in which the learner stopped, once its text is there.
fn text_left(desk: Desk) -> RwSignal<Option<u32>> {
    let left = RwSignal::new(None);
    let course = desk.course.get_value();
    let stopped = store().peek(|doc| {
        let chapter = situation::stopped(&course, doc)?;
        Some((chapter.slug.clone(), chapter.minutes, doc.chapters.get(&chapter.slug)?.at.clone()?))
    });
    if let Some((slug, minutes, at)) = stopped {
        let on_its_way = page::pending();
        spawn_local(async move {
            // Without its text, all of the chapter is left.
            if let Ok(html) = fetch_text(&format!("chapters/{slug}.html")).await {
                left.try_set(Some(situation::left(minutes, &html, &at)));
            }
            drop(on_its_way);
        });
    }
    left
}

/// A line of the list: what to do, for how long, and why.
pub(super) fn item(desk: Desk, item: &Item) -> AnyView {
    let Item { what, title, minutes, reason } = item;
    let (kind, link) = match what {
        What::Review { exercise, seed, .. } => ("Practise", to_exercise(desk, exercise, *seed, None)),
        What::Chapter { slug, at } => {
            let hash = at.as_ref().map(|at| format!("#{at}")).unwrap_or_default();
            let href = format!("chapter/{slug}/{hash}");
            let verb = if at.is_some() { "Read on" } else { "Read" };
            (verb, view! { <a href=href>{title.clone()}</a> }.into_any())
        }
        What::Source { id } => ("Read", to_source(desk, id, title)),
    };
    let (minutes, reason) = (format!("{minutes} min"), reason.clone());
    view! {
        <li>
            <span class="minutes">{minutes}</span>
            <div>
                <p class="what"><small>{kind}</small> {link}</p>
                <p class="why">{reason}</p>
            </div>
        </li>
    }
    .into_any()
}

/// A link to an exercise that opens it with the parameters of `seed`. It says `text`, or what the exercise is called.
pub(super) fn to_exercise(desk: Desk, key: &str, seed: u64, text: Option<&'static str>) -> AnyView {
    let found = desk.index.with_value(|index| index.exercises.iter().find(|e| e.key == key).cloned());
    let Some(exercise) = found else { return ().into_any() };
    let (href, title) = (exercise.href(), exercise.title.clone());
    let label = text.map(|text| format!("{text}: {title}"));
    let begin = move |_| {
        let explain = exercise.kind == "explain";
        store().update(|doc| practice::begin(doc, &exercise.key, explain, seed));
    };
    let text = text.map_or(title, str::to_owned);
    view! { <a href=href aria-label=label on:click=begin>{text}</a> }.into_any()
}

fn to_source(desk: Desk, id: &str, title: &str) -> AnyView {
    let source: Option<Source> = desk.readings.with_value(|r| r.sources.iter().find(|s| s.id == id).cloned());
    let Some(source) = source else { return ().into_any() };
    let about = source.authors;
    view! {
        <a href=source.url rel="noopener external">{title.to_owned()}</a>
        <span class="by">{about}</span>
    }
    .into_any()
}
