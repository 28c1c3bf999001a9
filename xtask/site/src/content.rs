//! The rendered course: what `ringside_content` makes of `content/`, the style sheets and the editor that come with what is
//! downloaded on demand, and the routes of the whole site.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ringside_content::{Mode, Route};
use ringside_core::query::Query;

use xtask::failure::Result;
use xtask::process::{self, say};

use crate::editor;
use crate::hash;
use crate::styles;

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

/// Renders the content and prints every mistake in it; fails over them if the mode is strict.
pub(crate) fn checked(mode: Mode) -> Result<Rendered> {
    // What a release says is computed by that release.
    let kept = if mode == Mode::Quick { Kept::read() } else { None };
    let rendered = render(mode);
    kept.as_ref().map_or(Ok(()), Kept::write)?;
    for diagnostic in &rendered.diagnostics {
        eprintln!("{diagnostic}");
    }
    match rendered.diagnostics.len() {
        0 => Ok(rendered),
        count if mode != Mode::Strict => {
            say(format_args!("content has {count} mistakes; they show in place"));
            Ok(rendered)
        }
        count => Err(format!(
            "content has {count} mistakes (above). Mend them, or see them in place with `cargo xtask serve`."
        )
        .into()),
    }
}

/// What this very program worked out before.
struct Kept {
    file: PathBuf,
    before: Vec<u8>,
}

impl Kept {
    /// Remembers it.
    fn read() -> Option<Self> {
        let program = std::env::current_exe().ok()?;
        let folder = program.parent()?.join("ringside-site-states");
        let file = folder.join(format!("worked-out-{}.json", hash::version([&program])?));
        if !file.is_file() {
            // Those of other versions.
            for other in folder.read_dir().into_iter().flatten().flatten() {
                ringside_content::anticipate(&std::fs::read(other.path()).unwrap_or_default());
            }
            let _ = std::fs::remove_dir_all(&folder);
        }
        let before = std::fs::read(&file).unwrap_or_default();
        ringside_content::remember(&before);
        Some(Self { file, before })
    }

    fn write(&self) -> Result<()> {
        let now = ringside_content::worked_out();
        if now == self.before { Ok(()) } else { process::write(&self.file, now) }
    }
}

/// Renders `content/`. What is wrong is in the diagnostics.
fn render(mode: Mode) -> Rendered {
    let site = ringside_content::build(&process::root().join("content"), mode);
    let mut files: BTreeMap<String, Vec<u8>> = site.files.into_iter().collect();
    let mut diagnostics: Vec<String> = site.diagnostics.iter().map(ToString::to_string).collect();
    let style = add_styles(&mut files, &mut diagnostics);
    for name in editor::NAMES {
        match editor::bundle(name) {
            Ok(module) => drop(files.insert(name.to_owned(), module)),
            Err(why) => diagnostics.push(format!("{}: {why}", editor::SOURCES)),
        }
    }
    Rendered { files, style, diagnostics, routes: site.routes }
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

/// Prints every word of the models: titles, summaries, parameters with their options, quantities with their meanings.
pub(crate) fn model_words() {
    for entry in ringside_core::catalogue::ALL {
        println!("# {} · {}\n{}", entry.id, entry.title, entry.summary);
        for param in entry.params() {
            println!("parameter\t{}\t{}\t{}", param.spec.name, param.look.label, param.look.labels.join(" | "));
        }
        for shown in entry.shown() {
            let kind = if shown.headline { "headline" } else { "quantity" };
            println!("{kind}\t{}\t{}\t{}\t{}", shown.id, shown.label, shown.words.join(" | "), shown.doc);
        }
        let examples = ringside_figures::find(entry.id).map_or(&[][..], |figure| figure.examples.all);
        let states = examples.iter().map(|example| (example.label, example.state));
        for (label, state) in std::iter::once(("", "")).chain(states) {
            if let Some(picture) = ringside_drawing::pictures::of(entry.id, &Query::parse(state)) {
                println!("says\t{label}\t{}", picture.label());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ringside_core::catalogue;

    use super::*;

    #[test]
    fn every_page_has_a_title_and_a_description() {
        let rendered = render(Mode::Quick);
        assert!(rendered.routes.iter().any(|r| r.path.is_empty() && r.title == "Ringside"));
        for entry in catalogue::ALL {
            let path = format!("w/{}/", entry.id);
            assert!(rendered.routes.iter().any(|r| r.path == path && r.title.starts_with(entry.title)), "{path}");
        }
        for route in &rendered.routes {
            assert!(!route.description.is_empty(), "{}", route.path);
            assert!(route.path.is_empty() || route.title != "Ringside", "{} has no title of its own", route.path);
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
