//! The dedicated worker behind `/author`: it renders and checks a chapter as the build would, so that the Markdown, LaTeX and
//! TOML parsers are downloaded by authors alone, and typing never waits for them.
//!
//! When it is ready it posts an empty string: what comes before that is lost. Then the page posts arrays of strings. The first
//! one is the course: an empty string and `source.json`. The answer is what a chapter of it can name
//! ([`ringside_content::schema::Vocabulary`]), as JSON in an array of one. Then each is a draft: the chapter's folder, and path and
//! text of every file that differs from the course. The answer is a
//! [`ringside_content::schema::Draft`] as JSON.
//!
//! A lecture list asks for its text slides in the same way: an empty string, [`SLIDES`] and the Markdown of each. The answer is a list of HTML and
//! sentences about what is wrong in it, as JSON.

use std::cell::RefCell;
use std::collections::BTreeMap;

use js_sys::Array;
use ringside_content::Tree;
use ringside_content::schema::SLIDES;

/// Path below `content/`, and text.
type Files = BTreeMap<String, String>;

fn main() {
    let course = RefCell::new(Files::new());
    let hears = ringside_workers::hear(move |message| {
        let message: Vec<String> = Array::from(&message).iter().filter_map(|t| t.as_string()).collect();
        match message.as_slice() {
            [none, what, slides @ ..] if none.is_empty() && what == SLIDES => {
                let all: Vec<_> = slides.iter().map(|text| ringside_content::slide(text)).collect();
                say(&serde_json::to_string(&all).unwrap_or_default());
            }
            // The build wrote it; if it cannot be read, the drafts say what is missing.
            [none, source] if none.is_empty() => {
                let files: Files = serde_json::from_str(source).unwrap_or_default();
                let words = ringside_content::vocabulary(&Tree::from_files(files.clone()));
                drop(course.replace(files));
                let words = serde_json::to_string(&words).unwrap_or_default();
                ringside_workers::post(&Array::of1(&words.as_str().into()));
            }
            [folder, files @ ..] => {
                // Strings and finite numbers can always be written.
                let draft = ringside_content::draft(&Tree::with_own(&course.borrow(), files), folder);
                say(&serde_json::to_string(&draft).unwrap_or_default());
            }
            [] => {}
        }
    });
    if hears {
        say("");
    }
}

/// Posts to the page.
fn say(text: &str) {
    ringside_workers::post(&text.into());
}
