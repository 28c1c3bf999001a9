//! The page for whoever teaches with the course, and its switch: what only a class needs is out of the way for everybody else.
//!
//! `<html data-teach>` says that it is on; styles hide what bears `.teaching`, and the buttons of figures and exercises that
//! only a lecture needs, while it is off. `index.html` sets it before the first paint.

use leptos::prelude::*;
use ringside_content::route::Route;
use ringside_content::schema::Page;

use crate::deferred::{PageView, lazy};
use crate::router::address;
use crate::store::store;

/// What `<html>` bears while the switch is on.
const TEACH: &str = "data-teach";

/// Keeps `<html>` in step with the switch.
pub fn apply() {
    Effect::new(move |_| {
        let on = store().with(|doc| doc.settings.teach);
        if let Some(root) = document().document_element() {
            // Without it the tools are in the way, or out of it.
            let _ = if on { root.set_attribute(TEACH, "") } else { root.remove_attribute(TEACH) };
        }
    });
}

/// The pages for teachers, as links: over each of them.
pub fn pages() -> AnyView {
    let address = address();
    let link = |page: Page| {
        let current = move || (address.route().get() == Route::Page(page)).then_some("page");
        view! { <a href=format!("{}/", page.path()) aria-current=current>{page.title()}</a> " " }
    };
    view! { <nav class="teach-pages sans" aria-label="For teachers">{Page::TEACHING.map(link).collect_view()}</nav> }
        .into_any()
}

/// A part of a term: what it is called, what there is for it, and what opens it.
type Part = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// A term, in its order.
const TERM: [Part; 7] = [
    (
        "Choose a syllabus",
        "A thirteen-week term, a five-day workshop or a single afternoon. Each session comes with its chapters, questions to discuss and, where there is one, a quiz that opens by link.",
        &[("syllabus/", "Open the syllabus"), ("syllabus/#assistants", "Guide for teaching assistants")],
    ),
    (
        "Build a lecture",
        "Start from a chapter or an empty list. Mix figures, exercises, missions, pictures and slides of your own, add notes and minutes to each, and print the list as a handout.",
        &[("lecture/", "Build a lecture")],
    ),
    (
        "Present it",
        "Your window has the notes, the next slide, a timer and the answers. The room’s window has the slide and nothing else. A clicker works in both.",
        &[("presenter/", "Open the presenter")],
    ),
    (
        "Let the room vote",
        "Count hands by typing how many each answer has, or hand out cards and let your laptop’s camera count them. No picture is stored.",
        &[("cards/", "Print voting cards")],
    ),
    (
        "Set a quiz and mark it",
        "Send a link. Students need no account: each saves a file and hands it in. You mark the whole class from those files, see which mistakes were made, and save the marks for your gradebook.",
        &[("quiz/", "Compose a quiz"), ("check/", "Mark the results")],
    ),
    (
        "Take it to your platform",
        "Questions go to Moodle, Canvas or Anki, a chapter or a mission becomes a SCORM package that reports a score, and a whole syllabus becomes a course cartridge.",
        &[("export/", "Export")],
    ),
    (
        "Write your own",
        "Change a chapter or start a new one and see it as your students will. Share a draft by link before it goes anywhere else.",
        &[("author/", "Open the editor")],
    ),
];

lazy! {
    /// Downloads the page.
    teaching: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    let on = move || store().with(|doc| doc.settings.teach);
    let set = move |event| store().update(|doc| doc.settings.teach = event_target_checked(&event));
    let part = |(title, says, ways): Part| {
        let ways = ways.iter().map(|(href, text)| view! { <a href=*href>{*text}</a> " " }).collect_view();
        view! { <li><h2>{title}</h2> <p>{says}</p> <p class="teach-ways sans">{ways}</p></li> }
    };
    view! {
        <article class="teach">
            <h1>"Teach"</h1>
            <p class="lede">"Everything for your class, in the order of a term. It all runs in your browser, and your students need no account."</p>
            <label class="teach-switch sans">
                <input type="checkbox" prop:checked=on on:change=set />
                <span>"I teach with this" <small>"Adds “Add to lecture” and “Project” to figures, exercises and missions."</small></span>
            </label>
            <ol class="teach-term">{TERM.map(part).collect_view()}</ol>
        </article>
    }
    .into_any()
}
