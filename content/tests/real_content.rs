//! The course itself has no mistake that the checker can see.

use std::path::Path;

use ringside_content::{Mode, build, check};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_course_is_clean() {
    let diagnostics = check(root());
    let list: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} mistakes:\n{}", list.len(), list.join("\n"));
}

#[test]
fn every_file_is_written_and_reads_back() {
    let site = build(root(), Mode::Strict);
    let file = |path: &str| {
        let found = site.files.iter().find(|(p, _)| p == path);
        found.map(|(_, bytes)| bytes.as_slice()).unwrap_or_else(|| panic!("{path} is missing"))
    };
    let course: ringside_content::schema::Course = serde_json::from_slice(file("course.json")).expect("course.json");
    let _: ringside_content::schema::Readings = serde_json::from_slice(file("readings.json")).expect("readings.json");
    let _: ringside_content::schema::Glossary = serde_json::from_slice(file("glossary.json")).expect("glossary.json");
    let _: ringside_content::schema::Reference =
        serde_json::from_slice(file("reference.json")).expect("reference.json");
    let index: ringside_content::schema::SearchIndex =
        serde_json::from_slice(file("search.json")).expect("search.json");
    assert!(!ringside_content::search::search(&index.entries, "zero", 5).is_empty());
    for chapter in course.chapters().filter(|c| c.status == ringside_content::schema::Status::Written) {
        let exercises: ringside_content::schema::Exercises =
            serde_json::from_slice(file(&format!("chapters/{}.exercises.json", chapter.slug))).expect(&chapter.slug);
        assert!(!exercises.exercises.is_empty());
        assert!(file(&format!("chapters/{}.html", chapter.slug)).starts_with(b"<article"));
    }
}
