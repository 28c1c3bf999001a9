//! The page to come back to while working: reference card, formulas, hardware, variables, tools, courses, glossary.

mod glossary;
mod hardware;

use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Course, Glossary, Html, Readings, Reference, Source};

use crate::data::{Fragment, library};
use crate::deferred::{PageView, lazy};
use crate::page;
use crate::router::address;
use ringside_content::words::duration;

lazy! {
    /// Downloads the page.
    reference: pub fn load() -> PageView {
        view
    }
}

/// The sections: anchor and name, in order.
const SECTIONS: [(&str, &str); 8] = [
    ("reference-card", "Reference card"),
    ("formulas", "Formulas"),
    ("hardware", "Hardware"),
    ("links", "Interconnects"),
    ("variables", "Debugging variables"),
    ("tools", "Tools"),
    ("courses", "Courses"),
    ("glossary", "Glossary"),
];

fn view() -> AnyView {
    let library = library();
    let sought = RwSignal::new(String::new());
    let hash = address().hash();
    // A link to a term: the term is there only when everything above it is, and must not be filtered out.
    Effect::new(move |_| {
        let above =
            library.course.get().is_some() && library.reference.get().is_some() && library.readings.get().is_some();
        let ready = above && library.glossary.get().is_some() && library.formulas.get().is_some();
        let id = hash.get();
        if ready && !id.is_empty() {
            sought.set(String::new());
            request_animation_frame(move || {
                page::arrive(&id);
            });
        }
    });
    let links = SECTIONS.map(|(id, name)| view! { <a href=format!("reference/#{id}")>{name}</a> }).collect_view();
    view! {
        <article class="reference">
            <h1>"Reference"</h1>
            <nav class="on-page sans" aria-label="On this page">{links}</nav>
            {library
                .course
                .show(move |course| {
                    let of_glossary = {
                        let course = Arc::clone(&course);
                        move |glossary: Arc<Glossary>| glossary::view(&glossary, &course, sought)
                    };
                    let of_reference = move |reference: Arc<Reference>| {
                        let course = Arc::clone(&course);
                        let rest = move |readings: Arc<Readings>| rest(&reference, &readings, &course);
                        library.readings.show(rest).into_any()
                    };
                    view! {
                        {library.reference.show(of_reference)}
                        {library.glossary.show(of_glossary)}
                    }
                    .into_any()
                })}
        </article>
    }
    .into_any()
}

fn rest(reference: &Reference, readings: &Readings, course: &Course) -> AnyView {
    view! {
        {card(reference, readings, course)}
        {formulas()}
        {hardware::view()}
        {variables(reference, course)}
        {tools(reference, readings)}
        {courses(reference, readings)}
    }
    .into_any()
}

/// One section under its heading.
fn section(id: &'static str, content: impl IntoView + 'static) -> impl IntoView {
    let name = SECTIONS.iter().find(|(section, _)| *section == id).map_or("", |(_, name)| name);
    let title = format!("{id}-title");
    let labelled_by = title.clone();
    view! {
        <section id=id aria-labelledby=labelled_by>
            <h2 id=title>{name}</h2>
            {content}
        </section>
    }
}

/// A table that scrolls sideways by itself where the page is narrow.
fn table(label: &'static str, heads: &[&'static str], rows: impl IntoView + 'static) -> AnyView {
    let heads = heads.iter().map(|head| view! { <th scope="col">{*head}</th> }).collect_view();
    view! {
        <div class="scrolls" role="region" aria-label=label tabindex="0">
            <table>
                <thead>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Links to chapters, by number.
fn chapters(slugs: &[String], course: &Course) -> AnyView {
    let links = slugs.iter().filter_map(|slug| course.chapter(slug)).enumerate().map(|(i, chapter)| {
        view! {
            {(i > 0).then_some(", ")}
            <a href=chapter.href() title=chapter.title.clone()>
                {format!("{:02}", chapter.number)} <span class="visually-hidden">{chapter.title.clone()}</span>
            </a>
        }
    });
    links.collect_view().into_any()
}

/// A source as a link.
fn source(id: &str, readings: &Readings) -> (AnyView, Option<Source>) {
    match readings.sources.iter().find(|s| s.id == id) {
        Some(source) => {
            let link = view! { <a href=source.url.clone() rel="noopener external">{source.title.clone()}</a> };
            (link.into_any(), Some(source.clone()))
        }
        None => (id.to_owned().into_any(), None),
    }
}

/// Every formula, as the build rendered and checked it.
fn formulas() -> AnyView {
    let put = |html: Arc<Fragment>| view! { <div inner_html=html.0.clone()></div> }.into_any();
    section("formulas", library().formulas.show(put)).into_any()
}

fn card(reference: &Reference, readings: &Readings, course: &Course) -> AnyView {
    let rows = reference
        .cards
        .iter()
        .map(|card| {
            let Html(concept) = card.concept.clone();
            view! {
                <tr>
                    <th scope="row" inner_html=concept></th>
                    <td>{source(&card.resource, readings).0}</td>
                    <td inner_html=card.section.0.clone()></td>
                    <td class="time">{duration(card.minutes)}</td>
                    <td>{chapters(card.chapter.as_slice(), course)}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = ["Concept", "Read", "Which part", "Time", "Chapter"];
    let content = view! {
        <p>"One concept, one place to read about it, one sitting."</p>
        {table("Reference card, table", &heads, rows)}
    };
    section("reference-card", content).into_any()
}

fn variables(reference: &Reference, course: &Course) -> AnyView {
    let rows = reference
        .variables
        .iter()
        .map(|v| {
            view! {
                <tr id=v.name.clone()>
                    <th scope="row"><code>{v.name.clone()}</code></th>
                    <td>
                        <span inner_html=v.purpose.0.clone()></span>
                        <code class="example">{v.example.clone()}</code>
                        {(!v.prints.is_empty()).then(|| view! { <samp class="prints">{v.prints.clone()}</samp> })}
                    </td>
                    <td>{chapters(&v.chapters, course)}</td>
                </tr>
            }
        })
        .collect_view();
    section(
        "variables",
        table(
            "Debugging variables, table",
            &["Variable", "What it does, how it is set, and a line that is seen with it", "Chapters"],
            rows,
        ),
    )
    .into_any()
}

fn tools(reference: &Reference, readings: &Readings) -> AnyView {
    let items = reference.tools.iter().map(|t| (t.source.as_str(), &t.purpose));
    section("tools", sources_with(items, readings)).into_any()
}

fn courses(reference: &Reference, readings: &Readings) -> AnyView {
    let items = reference.courses.iter().map(|c| (c.source.as_str(), &c.why));
    section("courses", sources_with(items, readings)).into_any()
}

fn sources_with<'a>(items: impl Iterator<Item = (&'a str, &'a Html)>, readings: &Readings) -> AnyView {
    let items = items
        .map(|(id, what)| {
            let (link, source) = source(id, readings);
            let by = source.map(|s| s.authors);
            view! {
                <dt>{link} " " <small>{by}</small></dt>
                <dd inner_html=what.0.clone()></dd>
            }
        })
        .collect_view();
    view! { <dl class="with-sources sans">{items}</dl> }.into_any()
}
