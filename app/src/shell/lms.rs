//! A page that a learning platform opened, from a SCORM package (`ringside_core::exercise::export::scorm`): it says to the platform how far the
//! learner is, and takes from it what was done elsewhere.

use leptos::prelude::*;
use ringside_core::practice::progress::Progress;
use ringside_learner::doc::Doc;
use ringside_learner::lms;
use serde_json::json;
use wasm_bindgen::JsCast as _;
use web_sys::{MessageEvent, Window};

use super::notices::{self, Level};
use crate::data::library;
use crate::store::store;
use crate::ui::dom;

/// What messages of ours bear, in both directions.
const SOURCE: &str = "ringside";

/// How far somebody is.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Report {
    /// From 0 to 1; none while there is none.
    pub(super) score: Option<f64>,
    /// Whether it is done.
    pub(super) done: bool,
    /// What is needed to go on elsewhere.
    pub(super) suspend: String,
}

/// The launcher's tab.
struct Platform {
    opener: Window,
    origin: String,
}

/// Whether a platform opened a page at `path`, relative to the site's base, and this is it.
pub(super) fn is_asked(path: &str) -> bool {
    named().is_some_and(|(_, of)| lms::same(&of, path))
}

/// The origin and the path in the tab's name.
fn named() -> Option<(String, String)> {
    let name = window().name().ok()?;
    let (origin, path) = lms::named(&name)?;
    Some((origin.to_owned(), path.to_owned()))
}

fn platform(path: &str) -> Option<Platform> {
    let (origin, of) = named()?;
    // Of another origin it is no `Window` of this page's, and takes messages all the same.
    let opener = window().opener().ok().filter(|opener| opener.is_truthy())?;
    lms::same(&of, path).then(|| Platform { opener: opener.unchecked_into(), origin })
}

impl Platform {
    fn say(&self, message: &serde_json::Value) {
        let Ok(message) = js_sys::JSON::parse(&message.to_string()) else { return };
        // A launcher that was closed hears nothing.
        let _ = self.opener.post_message(&message, &self.origin);
    }
}

/// Tells the platform how far the learner is with the page at `path`.
pub(super) fn report(path: &str, report: &Report) {
    if let Some(platform) = platform(path) {
        let Report { score, done, suspend } = report;
        platform.say(&json!({ "source": SOURCE, "type": "score", "score": score, "done": done, "suspend": suspend }));
    }
}

/// Asks the platform what it kept of the page at `path`, gives it to `resume`, and says on the page who hears of it.
pub(super) fn hello(path: &str, resume: impl Fn(String) + 'static) {
    let Some(platform) = platform(path) else { return };
    notices::say(Level::Info, format!("Your score on this page goes to {}, which opened it.", platform.origin));
    let origin = platform.origin.clone();
    dom::on(&window(), "message", move |event| {
        let event: MessageEvent = event.unchecked_into();
        if event.origin() != origin {
            return;
        }
        let text = js_sys::JSON::stringify(&event.data()).ok().and_then(|text| text.as_string()).unwrap_or_default();
        let Ok(message) = serde_json::from_str::<serde_json::Value>(&text) else { return };
        if message["source"] == SOURCE && message["type"] == "resume" {
            resume(message["suspend"].as_str().unwrap_or_default().to_owned());
        }
    });
    platform.say(&json!({ "source": SOURCE, "type": "hello" }));
}

/// Reports how many of a chapter's exercises are solved, here or where the platform heard of before. Guesses count for nothing.
pub(super) fn follow_chapter(slug: String) {
    let path = format!("chapter/{slug}/");
    if !is_asked(&path) {
        return;
    }
    let elsewhere = RwSignal::new(Vec::<String>::new());
    hello(&path, move |text| {
        let ids = text.split(',').filter(|id| !id.is_empty()).map(str::to_owned).collect();
        elsewhere.try_set(ids);
    });
    Effect::new(move |_| {
        let Some(index) = library().exercises.ready() else { return };
        let is_solved = |doc: &Doc, key: &str, id: &str| {
            doc.exercises.get(key).is_some_and(|attempt| attempt.solved)
                || elsewhere.with(|all| all.iter().any(|e| e == id))
        };
        let counted: Vec<_> = index.of_chapter(&slug).filter(|e| e.counts()).collect();
        let solved: Vec<&str> =
            store().with(|doc| counted.iter().filter(|e| is_solved(doc, &e.key, e.id())).map(|e| e.id()).collect());
        let progress = Progress { done: solved.len() as u32, all: counted.len() as u32 };
        report(
            &path,
            &Report { score: Some(progress.share()), done: progress.is_complete(), suspend: solved.join(",") },
        );
    });
}
