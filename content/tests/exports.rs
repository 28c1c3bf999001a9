//! Every exercise of the course, exported to every format. `cargo xtask test --only exports` gives the files to importers that
//! aren't ours, and writes down what they say: `tests/exports/verdicts.json`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ringside_content::schema::{Course, ExerciseIndex, ExercisePictures, Exercises, Status, Taught};
use ringside_core::exercise::export::{
    File, Form, Format, Missing, Pool, Question, Source, cartridge, lost, pool, write,
};
use ringside_core::exercise::{Kind, by_catalogue};
use ringside_core::practice::exam::QuizSpec;
use ringside_core::query::Query;

use crate::file;

/// Where the files are written, if it names a folder.
const EXPORTS: &str = "EXERCISE_EXPORTS";
const VERDICTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/exports/verdicts.json");
/// Kinds that work on the page alone.
const STAY: [&str; 4] = ["kernel", "program", "sketch", "task"];
const VARIANTS: usize = 3;

fn pools() -> (Vec<Pool>, Vec<(String, Missing)>) {
    let course: Course = serde_json::from_slice(file("course.json")).expect("a course");
    let index: ExerciseIndex = serde_json::from_slice(file("exercises.json")).expect("a list");
    let pictures: ExercisePictures = serde_json::from_slice(file("exercise-pictures.json")).expect("pictures");
    let (mut pools, mut missing) = (Vec::new(), Vec::new());
    for chapter in course.chapters().filter(|c| c.status == Status::Written) {
        let path = format!("chapters/{}.exercises.json", chapter.slug);
        let exercises: Exercises = serde_json::from_slice(file(&path)).expect(&path);
        for exercise in &exercises.exercises {
            let key = format!("{}/{}", chapter.slug, exercise.id);
            let title = index.exercises.iter().find(|e| e.key == key).map_or("", |e| e.title.as_str());
            let source = Source {
                key: &key,
                chapter: &chapter.title,
                title,
                exercise,
                picture: pictures.get(&key),
                seed: 0,
                each: false,
            };
            let stays = STAY.contains(&exercise.kind.name());
            match pool(source, VARIANTS, &by_catalogue(exercise)) {
                Ok(pool) => {
                    assert!(!stays, "{key}");
                    assert_eq!(pool.variants.len() > 1, !exercise.draw.is_empty(), "{key}");
                    pools.push(pool);
                }
                Err(Missing::Stays(why)) => {
                    assert!(stays, "{key}");
                    missing.push((title.to_owned(), Missing::Stays(why)));
                }
                Err(Missing::Broken(why)) => panic!("{key}: {why}"),
            }
        }
    }
    (pools, missing)
}

/// The forms that there are, as the importers call them.
fn forms(pools: &[Pool]) -> BTreeSet<&'static str> {
    let form = |question: &Question| match &question.form {
        Form::Number { .. } => "number",
        Form::Choice { .. } => "choice",
        Form::Order { .. } => "order",
        Form::Match { .. } => "match",
        Form::Essay { .. } => "essay",
    };
    pools.iter().flat_map(|pool| &pool.variants).map(form).collect()
}

/// Panics where `xml` has an element that isn't closed, or closed in another's place.
fn assert_closed(path: &str, xml: &str) {
    let mut open = Vec::new();
    for tag in xml.split('<').skip(1) {
        let (inside, _) = tag.split_once('>').unwrap_or_else(|| panic!("{path}: “<{tag}” isn't closed"));
        if inside.starts_with('?') || inside.ends_with('/') {
            continue;
        }
        match inside.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{path}"),
            None => open.push(inside.split_whitespace().next().unwrap_or_default()),
        }
    }
    assert!(open.is_empty(), "{path}: {open:?}");
}

/// Writes files for the importers, if they are asked for.
fn keep(name: &str, files: &[File]) {
    let Some(folder) = std::env::var_os(EXPORTS) else { return };
    for file in files {
        let path = PathBuf::from(&folder).join(name).join(&file.path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, &file.text).expect("written");
    }
}

/// The verdicts of the importers, by their names.
fn verdicts() -> serde_json::Value {
    let text = std::fs::read_to_string(VERDICTS).expect("tests/exports/verdicts.json");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_term_leaves_whole() {
    let all: Vec<Taught> = serde_json::from_slice(file("syllabus.json")).expect("courses");
    let (pools, _) = pools();
    let term = all.into_iter().find(|taught| taught.id == "term").expect("a term");
    let mut course = term.course;
    assert_eq!((course.sessions.len(), term.quizzes.len()), (13, 13));
    for (session, quiz) in course.sessions.iter_mut().zip(&term.quizzes) {
        let query = Query::parse(quiz.trim_start_matches("quiz/?"));
        let (spec, _) = QuizSpec::read(&Query::new(query.iter().filter(|(name, _)| *name != "minutes")));
        for link in &mut session.links {
            link.url.insert_str(0, "https://ringside.example/");
            assert!(!link.url.contains('&'), "Moodle writes an address into XML as it is: {}", link.url);
        }
        let of = |key: &String| pools.iter().find(|pool| pool.key == *key).expect(key).clone();
        session.quiz = Some(cartridge::Quiz { title: spec.title, pools: spec.exercises.iter().map(of).collect() });
    }
    let files = cartridge::write(&course);
    for file in files.iter().filter(|file| file.path.ends_with(".xml")) {
        assert_closed(&file.path, &file.text);
    }
    assert_eq!(files.iter().filter(|file| file.path.starts_with("quizzes/")).count(), 13);
    let links: usize = course.sessions.iter().map(|session| session.links.len()).sum();
    assert_eq!(files.iter().filter(|file| file.path.starts_with("links/")).count(), links);
    keep("cartridge", &files);
    if std::env::var_os(EXPORTS).is_some() {
        return;
    }
    let said = &verdicts()["Moodle’s cartridge importer"];
    for (what, count) in [("links", links), ("quizzes", 13), ("sections", 14)] {
        assert_eq!(said["read"][what], count, "{what}: run cargo xtask test --only exports");
    }
}

#[test]
fn the_whole_course_leaves_in_every_format() {
    let (pools, missing) = pools();
    let names: BTreeSet<&str> = Kind::NAMES.iter().copied().filter(|name| !STAY.contains(name)).collect();
    assert_eq!(names.len() + STAY.len(), Kind::NAMES.len());
    for format in Format::ALL {
        let files = write(format, "The whole course", &pools);
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), files.len(), "{}: two files have one name", format.id());
        for file in &files {
            if file.path.ends_with(".xml") {
                assert_closed(&file.path, &file.text);
            }
        }
        keep(format.id(), &files);
        let left = lost(format, &pools, &missing);
        let is_out =
            |say: &str| ["exercise", "exercises"].iter().any(|noun| say.contains(&format!("{noun} left out, because")));
        let out: usize = left.iter().filter(|l| is_out(&l.say)).map(|l| l.titles.len()).sum();
        assert_eq!(out, missing.len(), "{}", format.id());
    }
    if std::env::var_os(EXPORTS).is_some() {
        return;
    }
    let verdicts = verdicts();
    let importers: Vec<_> = verdicts.as_object().expect("importers").values().collect();
    assert!(
        importers.len() >= 4 && importers.iter().all(|said| said["complaints"] == serde_json::json!([])),
        "{verdicts}"
    );
    for form in forms(&pools) {
        let readers = importers.iter().filter(|said| said["read"][form].as_u64().is_some_and(|n| n > 0)).count();
        assert!(readers >= 2, "{form}: {readers} others have read one; run cargo xtask test --only exports");
    }
}
