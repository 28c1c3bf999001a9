//! The tests of the course and of what reads it, in one program: it reads the course once.

mod broken;
mod draft;
mod exercises;
mod golden;
mod guides;
mod hostile;
mod missions;
mod real_content;
mod slide;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use ringside_content::{Mode, Site, build};

/// The folder `content/`.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The course as the site gets it.
static SITE: LazyLock<Site> = LazyLock::new(|| build(root(), Mode::Strict));

/// A file of the site.
fn file(path: &str) -> &'static [u8] {
    let of_path = SITE.files.iter().find(|(p, _)| p == path).map(|(_, bytes)| bytes.as_slice());
    of_path.unwrap_or_else(|| panic!("{path} is missing"))
}

/// The texts of the course, by path.
fn texts() -> BTreeMap<String, String> {
    serde_json::from_slice(file("source.json")).expect("paths and texts")
}
