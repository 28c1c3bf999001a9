//! The rendered course: what `ringside_content` makes of `content/`, the style sheets and the editor that come with what is
//! downloaded on demand, and the routes of the whole site.

use std::collections::BTreeMap;

use ringside_content::Mode;
use ringside_content::schema::Course;
use ringside_core::catalogue;

use xtask::failure::Result;
use xtask::process::{self, say};

use crate::editor;
use crate::hash;
use crate::styles;

/// What the home page says of the site.
const HOME: &str =
    "An interactive lab, in the browser, that teaches how large language models are trained and served on many GPUs.";

/// A page of the site.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Route {
    /// From the site's root, without a slash before and with one behind: `chapter/zero/`; home is empty.
    pub(crate) path: String,
    /// For the window's title.
    pub(crate) title: String,
    /// For search engines: a sentence.
    pub(crate) description: String,
}

/// Everything that `content/` became.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    /// Path from the content folder, and content.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The style sheet that is written into every page.
    pub(crate) style: String,
    /// What is wrong, for people.
    pub(crate) diagnostics: Vec<String>,
    /// Every page of the site.
    pub(crate) routes: Vec<Route>,
}

impl Rendered {
    /// The folder that it belongs in: named by all that is in it, so that it can be cached for ever.
    pub(crate) fn folder(&self) -> String {
        let parts = self.files.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes.as_slice()]);
        format!("content/{}/", hash::of(parts))
    }
}

/// Renders the content and prints every mistake in it; fails over them unless `lenient`.
pub(crate) fn checked(lenient: bool) -> Result<Rendered> {
    let rendered = render(lenient);
    for diagnostic in &rendered.diagnostics {
        eprintln!("{diagnostic}");
    }
    match rendered.diagnostics.len() {
        0 => Ok(rendered),
        count if lenient => {
            say(format_args!("content has {count} mistakes; they show in place"));
            Ok(rendered)
        }
        count => Err(format!(
            "content has {count} mistakes (above). Mend them, or see them in place with `cargo xtask serve`."
        )
        .into()),
    }
}

/// Renders `content/`. What is wrong is in the diagnostics; with `lenient` it also shows in place.
pub(crate) fn render(lenient: bool) -> Rendered {
    let mode = if lenient { Mode::Lenient } else { Mode::Strict };
    let site = ringside_content::build(&process::root().join("content"), mode);
    let mut files: BTreeMap<String, Vec<u8>> = site.files.into_iter().collect();
    let course: Option<Course> = files.get("course.json").and_then(|bytes| serde_json::from_slice(bytes).ok());
    let mut paths = site.routes;
    paths.extend(
        [
            "practice/",
            "record/",
            "placement/",
            "syllabus/",
            "quiz/",
            "check/",
            "presenter/",
            "lecture/",
            "settings/",
            "author/",
        ]
        .map(str::to_owned),
    );
    let routes = paths.into_iter().map(|path| route(path, course.as_ref())).collect();
    let mut diagnostics: Vec<String> = site.diagnostics.iter().map(ToString::to_string).collect();
    let style = add_styles(&mut files, &mut diagnostics);
    for name in editor::NAMES {
        match editor::bundle(name) {
            Ok(module) => drop(files.insert(name.to_owned(), module)),
            Err(why) => diagnostics.push(format!("{}: {why}", editor::SOURCES)),
        }
    }
    Rendered { files, style, diagnostics, routes }
}

/// Adds the style sheets that the app asks for when it first shows what they are for; yields the one that every page has.
fn add_styles(files: &mut BTreeMap<String, Vec<u8>>, diagnostics: &mut Vec<String>) -> String {
    let styles = styles::bundle().unwrap_or_else(|why| {
        diagnostics.push(why.message);
        styles::Styles::default()
    });
    diagnostics.extend(Some(styles.warnings).filter(|warnings| !warnings.is_empty()));
    files.extend(styles.on_demand.into_iter().map(|(name, css)| (format!("styles/{name}"), css.into_bytes())));
    styles.page
}

/// What a page is called. The app says the same when it has started.
fn route(path: String, course: Option<&Course>) -> Route {
    let mut parts = path.trim_end_matches('/').split('/');
    let (title, description) = match (parts.next(), parts.next()) {
        (Some("chapter"), Some(slug)) => course
            .and_then(|c| c.chapter(slug))
            .map_or((slug, "A chapter of Ringside."), |c| (c.title.as_str(), c.question.as_str())),
        (Some("w"), Some(id)) => {
            catalogue::find(id).map_or((id, "A figure of Ringside."), |entry| (entry.title, entry.summary))
        }
        (Some("w"), None) => ("Figures", "Every figure of Ringside, by what you want to do."),
        (Some("reference"), _) => ("Reference", "Formulas, variables, hardware and tools on one page."),
        (Some("practice"), _) => ("Practice", "What to do next, what you can do already, and the four-week plan."),
        (Some("record"), _) => ("Record", "Which skills you have shown, with the evidence, to print or to send."),
        (Some("placement"), _) => ("Where to begin", "Twelve questions that say with which chapter to begin."),
        (Some("syllabus"), _) => {
            ("Syllabus", "A term, a week and an afternoon, with lecture lists and quizzes that open by link.")
        }
        (Some("quiz"), _) => ("Quiz", "Compose a quiz from the course’s exercises, or take one that you were sent."),
        (Some("check"), _) => ("Check", "What a class handed in, marked again from the files alone."),
        (Some("presenter"), _) => {
            ("Presenter", "Notes, the next state and a timer in one window; what the room sees in another.")
        }
        (Some("lecture"), _) => ("Lecture", "A list of states: to step through in a talk, and to hand out."),
        (Some("author"), _) => ("Author", "Write a chapter and see it as the site will show it."),
        (Some("settings"), _) => ("Settings", "Theme, and everything that this browser keeps of your progress."),
        _ => ("", HOME),
    };
    let title = if title.is_empty() { "Ringside".to_owned() } else { format!("{title} · Ringside") };
    let description = description.to_owned();
    Route { path, title, description }
}

/// Prints the reading map with its places in the course.
pub(crate) fn coverage() -> Result<()> {
    let (text, wrong) = ringside_content::coverage(&process::root().join("content"));
    print!("{text}");
    if wrong.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    Err(list.join("\n").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_title_and_a_description() {
        let rendered = render(true);
        assert!(rendered.routes.iter().any(|r| r.path.is_empty() && r.title == "Ringside"));
        for entry in catalogue::ALL {
            let path = format!("w/{}/", entry.id);
            assert!(rendered.routes.iter().any(|r| r.path == path && r.title.starts_with(entry.title)), "{path}");
        }
        for route in &rendered.routes {
            assert!(!route.description.is_empty(), "{}", route.path);
            assert!(route.path.is_empty() || route.path.ends_with('/'), "{}", route.path);
        }
    }

    #[test]
    fn the_folder_follows_the_content() {
        let mut rendered = Rendered::default();
        let empty = rendered.folder();
        rendered.files.insert("a".into(), b"b".to_vec());
        assert_ne!(rendered.folder(), empty);
        assert_eq!(rendered.folder().len(), "content/".len() + xtask::HASH_DIGITS + 1);
    }
}
