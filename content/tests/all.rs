//! The tests of the course and of what reads it, in one program: it reads the course once.

mod broken;
mod draft;
mod exercises;
mod exports;
mod figures;
mod fuzz;
mod golden;
mod guides;
mod hostile;
mod logs;
mod missions;
mod notebooks;
mod programs;
mod questions;
mod real_content;
mod slide;
mod traces;
mod translated;
mod tried;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ringside_content::schema::{Sign, Signs};
use ringside_content::{Mode, Site, Tree, build, build_tree};

/// The folder `content/`.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of a small course with everything in it.
fn golden_root() -> PathBuf {
    root().join("tests/golden")
}

/// The text and the exercises of its only chapter.
const CHAPTER: &str = "chapters/07-everything/chapter.md";
const EXERCISES: &str = "chapters/07-everything/exercises.toml";

/// The files that it cannot be without.
const FILES: [&str; 7] =
    ["course.toml", "readings.toml", "glossary.toml", "plan.toml", "reference.toml", CHAPTER, EXERCISES];
/// Its lab.
const LAB: [&str; 3] = ["labs/01-ddp/lab.md", "labs/01-ddp/ddp.py", "labs/01-ddp/output.txt"];

/// Its files: paths and texts.
fn golden() -> Vec<(String, String)> {
    let read = |path: &str| (path.to_owned(), std::fs::read_to_string(golden_root().join(path)).expect(path));
    FILES.into_iter().chain(LAB).map(read).collect()
}

/// The signs, in a course that is small: what they link to is not asked here.
fn signs() -> Vec<Sign> {
    let own = std::fs::read_to_string(root().join("signs.toml")).expect("signs.toml");
    let files: BTreeMap<String, String> = golden().into_iter().chain([("signs.toml".to_owned(), own)]).collect();
    let site = build_tree(&Tree::from_files(files), Mode::Quick);
    let json = site.files.iter().find(|(path, _)| path == "signs.json").map_or(&[][..], |(_, bytes)| bytes);
    let signs: Signs = serde_json::from_slice(json).expect("signs");
    signs.0
}

/// The course as the site gets it.
static SITE: LazyLock<Site> = LazyLock::new(|| build(root(), Mode::Strict));

/// A file of the site, if there is one.
fn find(path: &str) -> Option<&'static [u8]> {
    SITE.files.iter().find(|(p, _)| p == path).map(|(_, bytes)| bytes.as_slice())
}

/// A file of the site.
fn file(path: &str) -> &'static [u8] {
    find(path).unwrap_or_else(|| panic!("{path} is missing"))
}

/// The texts of the course, by path.
fn texts() -> BTreeMap<String, String> {
    serde_json::from_slice(file("source.json")).expect("paths and texts")
}
