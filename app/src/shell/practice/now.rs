//! What to do in the minutes there are.

use leptos::prelude::*;
use ringside_content::schema::Source;
use ringside_core::practice::next::{self, Item, Situation, What};
use ringside_core::practice::queue;
use ringside_learner::situation;

use super::{Desk, run};
use crate::clock;
use crate::store::store;
use crate::ui::segmented::Segmented;

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
        let situation = Memo::new(move |_| {
            let files = (&*desk.course.get_value(), &*desk.readings.get_value(), &*desk.index.get_value());
            let (course, readings, index) = files;
            store().with(|doc| {
                desk.practice.with(|practice| {
                    let time = (minutes(), clock::today());
                    situation::situation((course, readings, index), (doc, practice), time)
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
            <p class="actions sans"><a class="button" href="practice/now/">"Practice now · " {queue::MINUTES} " min"</a></p>
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

/// A line of the list: what to do, for how long, and why.
pub(super) fn item(desk: Desk, item: &Item) -> AnyView {
    let Item { what, title, minutes, reason } = item;
    let (kind, link) = match what {
        What::Review { skill, .. } => {
            ("Practice", view! { <a href=run::of_skill(skill)>{title.clone()}</a> }.into_any())
        }
        What::Chapter { slug, at } => {
            let hash = at.as_ref().map(|at| format!("#{at}")).unwrap_or_default();
            let href = format!("{}{hash}", store().peek(|doc| doc.chapter(slug)));
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
