//! The page to come back to while working: reference card, hardware, variables, tools, courses, glossary.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_content::schema::{Course, Glossary, Html, Readings, Reference, Source, Term};
use ringside_core::hardware;
use ringside_core::quantity::{Unit, bytes_binary};

use crate::data::library;
use crate::deferred::{NotLoaded, Page};
use crate::page;
use crate::router::address;
use ringside_content::words::duration;

/// Downloads the page.
#[wasm_split(reference, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

/// The sections: anchor and name, in order.
const SECTIONS: [(&str, &str); 6] = [
    ("reference-card", "Reference card"),
    ("hardware", "Hardware"),
    ("variables", "Debugging variables"),
    ("tools", "Tools"),
    ("courses", "Courses"),
    ("glossary", "Glossary"),
];

fn view() -> AnyView {
    page::title("Reference");
    let library = library();
    let sought = RwSignal::new(String::new());
    let hash = address().hash();
    // A link to a term: the term is there only when everything above it is, and must not be filtered out.
    Effect::new(move |_| {
        let above =
            library.course.get().is_some() && library.reference.get().is_some() && library.readings.get().is_some();
        let ready = above && library.glossary.get().is_some();
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
                        move |glossary: Arc<Glossary>| self::glossary(&glossary, &course, sought)
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
        {accelerators()}
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

// -------------------------------------------------------------------- glossary

fn glossary(glossary: &Glossary, course: &Course, sought: RwSignal<String>) -> AnyView {
    let mut terms: Vec<&Term> = glossary.terms.iter().collect();
    terms.sort_by_cached_key(|t| (letter(t), t.term.to_lowercase()));
    let texts: Vec<String> = terms.iter().map(|t| searched(t)).collect();
    let kept = Memo::new(move |_| {
        let words: Vec<String> = sought.with(|s| s.split_whitespace().map(str::to_lowercase).collect());
        texts.iter().map(|text| words.iter().all(|word| text.contains(word))).collect::<Vec<bool>>()
    });
    let total = terms.len();
    let count = move || kept.with(|kept| kept.iter().filter(|k| **k).count());
    let mut letters: Vec<(char, Vec<usize>)> = Vec::new();
    for (i, term) in terms.iter().enumerate() {
        let letter = letter(term);
        match letters.last_mut().filter(|(last, _)| *last == letter) {
            Some((_, members)) => members.push(i),
            None => letters.push((letter, vec![i])),
        }
    }
    let to_letters = letters
        .iter()
        .map(|(letter, _)| view! { <a href=format!("reference/#{}", letter_id(*letter))>{letter.to_string()}</a> })
        .collect_view();
    let groups = letters
        .into_iter()
        .map(|(letter, members)| {
            let entries = members.iter().map(|&i| term(terms[i], glossary, course, i, kept)).collect_view();
            let empty = move || kept.with(|kept| members.iter().all(|&i| !kept.get(i).copied().unwrap_or(false)));
            view! {
                <div class="letter" hidden=empty>
                    <h3 id=letter_id(letter)>{letter.to_string()}</h3>
                    <dl>{entries}</dl>
                </div>
            }
        })
        .collect_view();
    let content = view! {
        <div class="find-term sans">
            <label for="find-term">"Find a term"</label>
            <input
                type="search"
                id="find-term"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || sought.get()
                on:input=move |event| sought.set(event_target_value(&event))
            />
            <span role="status">
                {move || match count() {
                    0 => "No term has all of these words in it.".to_owned(),
                    n => format!("{n} of {total} terms"),
                }}
            </span>
        </div>
        <nav class="letters sans" aria-label="Letters">{to_letters}</nav>
        <div class="terms">{groups}</div>
    };
    section("glossary", content).into_any()
}

/// The letter under which a term is found; `#` for those that begin with none.
fn letter(term: &Term) -> char {
    term.term.chars().next().filter(char::is_ascii_alphabetic).map_or('#', |c| c.to_ascii_uppercase())
}

fn letter_id(letter: char) -> String {
    if letter == '#' { "letter-other".to_owned() } else { format!("letter-{}", letter.to_ascii_lowercase()) }
}

fn searched(term: &Term) -> String {
    format!("{} {} {}", term.term, term.also.join(" "), term.id).to_lowercase()
}

fn term(term: &Term, glossary: &Glossary, course: &Course, i: usize, kept: Memo<Vec<bool>>) -> impl IntoView + use<> {
    let also = (!term.also.is_empty()).then(|| format!(" ({})", term.also.join(", ")));
    let see: Vec<_> = term
        .see
        .iter()
        .filter_map(|id| glossary.terms.iter().find(|t| t.id == *id))
        .enumerate()
        .map(|(i, t)| view! { {(i > 0).then_some(", ")} <a href=format!("reference/#{}", t.id)>{t.term.clone()}</a> })
        .collect();
    let see = (!see.is_empty()).then(|| view! { <span>"See " {see}</span> });
    let chapters = (!term.chapters.is_empty()).then(|| {
        let plural = if term.chapters.len() == 1 { "Chapter " } else { "Chapters " };
        view! { <span>{plural} {chapters(&term.chapters, course)}</span> }
    });
    view! {
        <div class="term" id=term.id.clone() hidden=move || kept.with(|kept| !kept.get(i).copied().unwrap_or(false))>
            <dt>{term.term.clone()} <small class="sans">{also}</small></dt>
            <dd>
                <span inner_html=term.definition.0.clone()></span>
                <span class="ways sans">{see} {chapters}</span>
            </dd>
        </div>
    }
}

// -------------------------------------------------------------------- the rest

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

fn accelerators() -> AnyView {
    let rows = hardware::ALL
        .iter()
        .map(|a| {
            view! {
                <tr id=format!("gpu-{}", a.id)>
                    <th scope="row">{a.name}</th>
                    <td class="number">{Unit::Bytes.format(a.memory.0)}</td>
                    <td class="number">{a.reported.map_or_else(|| "–".to_owned(), |r| bytes_binary(r.0))}</td>
                    <td class="number">{Unit::BytesPerSecond.format(a.bandwidth)}</td>
                    <td class="number">{Unit::FlopPerSecond.format(a.peak)}</td>
                    <td>{a.peak_dtype}</td>
                    <td><a href=a.source.url rel="noopener external">{a.source.title}</a></td>
                </tr>
            }
        })
        .collect_view();
    let heads = ["Accelerator", "Memory as sold", "As the driver reports", "Bandwidth", "Dense peak", "Type", "Source"];
    let content = view! {
        <p>
            "What the figures compute with. Memory is the decimal capacity that the vendor sells; the driver’s figure is in binary units ("
            <a href=hardware::REPORTED_SOURCE.url rel="noopener external">"its source"</a>
            "). Peaks are dense, with fp32 accumulation and without sparsity."
        </p>
        {table("Accelerators", &heads, rows)}
    };
    section("hardware", content).into_any()
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
                    </td>
                    <td>{chapters(&v.chapters, course)}</td>
                </tr>
            }
        })
        .collect_view();
    section("variables", table("Debugging variables, table", &["Variable", "What it does", "Chapters"], rows))
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
