//! The glossary: every term, with a small picture where one says more.

use leptos::prelude::*;
use ringside_content::schema::{Course, Glossary, Term};

use super::{chapters, section};
use crate::data::library;

/// The terms, to be filtered by `sought`.
pub(super) fn view(glossary: &Glossary, course: &Course, sought: RwSignal<String>) -> AnyView {
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
    let own = term.id.clone();
    let picture = term.figure.is_some().then_some(move || {
        let all = library().pictures.ready()?;
        let svg = all.0.get(&own)?.0.clone();
        Some(view! { <div class="term-picture" aria-hidden="true" inner_html=svg></div> })
    });
    let name = term.term.clone();
    let live = term.figure.clone().map(|href| {
        view! { <a href=href>"See it live" <span class="visually-hidden">{format!(": {name}")}</span></a> }
    });
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
                {picture}
                <span class="ways sans">{live} {see} {chapters}</span>
            </dd>
        </div>
    }
}
