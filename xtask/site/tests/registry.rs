//! The registry of widgets, and what else only browsers compile, read as text: nothing of it is compiled for this machine.

use std::path::{Path, PathBuf};

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Of each line of a list the id and the style sheets: what stands in a file between two lines.
fn list(path: &str, after: &str, end: &str) -> Vec<(String, Vec<String>)> {
    let text = std::fs::read_to_string(root().join(path)).expect(path);
    let (_, lines) = text.split_once(after).expect("its beginning");
    let (lines, _) = lines.split_once(end).expect("its end");
    let one = |line: &str| {
        let mut quoted = line.split('"').skip(1).step_by(2).map(str::to_owned);
        Some((quoted.next()?, quoted.collect()))
    };
    let read: Vec<_> = lines.lines().filter_map(one).collect();
    assert_eq!(read.len(), lines.matches(';').count(), "a line that isn't understood");
    read
}

/// Every figure: those with code of their own, and those that one picture shows.
fn registry() -> Vec<(String, Vec<String>)> {
    let own = list("app/src/widgets/mod.rs", "\nwidgets! {\n", "\n}\n");
    let in_one_picture = list("content/drawing/src/pictures/mod.rs", "        $each! {\n", "\n        }\n");
    own.into_iter().chain(in_one_picture).collect()
}

#[test]
fn every_style_sheet_is_there() {
    let folder = root().join("app/styles/on-demand");
    for name in registry().into_iter().flat_map(|(_, styles)| styles) {
        assert!(folder.join(format!("{name}.css")).is_file(), "{name}.css");
    }
}

#[test]
fn every_widget_shows_a_model_and_every_model_has_a_widget() {
    let sorted = |mut ids: Vec<String>| {
        ids.sort_unstable();
        ids
    };
    let widgets = sorted(registry().into_iter().map(|(id, _)| id).collect());
    assert_eq!(widgets, sorted(ringside_core::catalogue::ALL.iter().map(|e| e.id.to_owned()).collect()));
}

/// They would never run: `cargo xtask test` compiles these crates for browsers alone.
#[test]
fn what_runs_in_browsers_has_no_tests_of_its_own() {
    let mut folders =
        ["app/src", "app/workers/src", "app/npm/src", "app/pieces/src"].map(|folder| root().join(folder)).to_vec();
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&entry).expect("a source");
                assert!(!text.contains("cfg(test)") && !text.contains("#[test]"), "{}", entry.display());
                read += 1;
            }
        }
    }
    assert!(read > 200, "{read}");
}
