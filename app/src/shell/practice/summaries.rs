//! Everything that the learner has written, as one document: to read, to keep as Markdown, to print.

use leptos::prelude::*;
use ringside_core::practice::date;
use ringside_learner::summaries::{self, Summary};

use super::Desk;
use crate::clock;
use crate::store::store;
use crate::ui::file;
use crate::ui::said::{Said, say};

pub(super) fn view(desk: Desk) -> AnyView {
    let said: Said = RwSignal::new(None);
    let parts = Memo::new(move |_| {
        let (course, readings, index) = (desk.course.get_value(), desk.readings.get_value(), desk.index.get_value());
        store().with(|doc| summaries::all(doc, &course, &readings, &index))
    });
    let none = move || parts.with(|parts| parts.iter().all(|(_, summaries)| summaries.is_empty()));
    let save = move |_| {
        let name = format!("ringside-summaries-{}.md", date::iso(clock::today()));
        said.set(Some(file::save(&name, "text/markdown", &parts.with_untracked(|parts| summaries::markdown(parts)))));
    };
    let print = move |_| {
        // A browser that cannot print says so itself.
        let _ = window().print();
    };
    let document = move || {
        parts
            .get()
            .into_iter()
            .filter(|(_, summaries)| !summaries.is_empty())
            .map(|(part, s)| section(part, s))
            .collect_view()
    };
    view! {
        <section aria-labelledby="summaries" class="summaries">
            <h2 id="summaries">"Your summaries"</h2>
            <p class="not-printed" hidden=move || !none()>
                "Nothing is written yet. Every source on the map has a box for a summary of yours, and chapters ask you to explain things in your own words. What you write there comes together here, as one document."
            </p>
            <p class="actions sans not-printed" hidden=none>
                <button type="button" on:click=save>"Save as Markdown"</button>
                <button type="button" class="secondary" on:click=print>"Print"</button>
            </p>
            <div class="not-printed">{say(said)}</div>
            <div class="document">{document}</div>
        </section>
    }
    .into_any()
}

fn section(part: &'static str, summaries: Vec<Summary>) -> AnyView {
    let summaries = summaries
        .into_iter()
        .map(|Summary { title, about, url, text }| {
            let address = url.map(|url| {
                let text = url.clone();
                view! { <a href=url rel="noopener external">{text}</a> }
            });
            view! {
                <article>
                    <h4>{title}</h4>
                    <p class="about sans">{about} " " {address}</p>
                    <p class="written">{text}</p>
                </article>
            }
        })
        .collect_view();
    view! {
        <h3>{part}</h3>
        {summaries}
    }
    .into_any()
}
