//! The puzzles of the workbench for ranks: the files are those that the model names, and each is reached from its chapter.

use ringside_content::schema::{ExerciseIndex, Exercises};
use ringside_core::exercise::Kind;
use ringside_core::program::Puzzle;
use ringside_core::program::figure::PUZZLES;

use crate::{file, root};

/// What the site has of a puzzle.
fn built(id: &str) -> Puzzle {
    let path = format!("programs/{id}.json");
    serde_json::from_slice(file(&path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

#[test]
fn every_puzzle_is_a_file_and_every_file_a_puzzle() {
    let files = std::fs::read_dir(root().join("programs")).expect("content/programs");
    let mut names: Vec<String> =
        files.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let ids: Vec<&str> = names.iter().filter_map(|name| name.split_once('-')?.1.strip_suffix(".toml")).collect();
    assert_eq!(ids, PUZZLES.iter().map(|puzzle| puzzle.id).collect::<Vec<_>>());
    for named in PUZZLES {
        let puzzle = built(named.id);
        assert_eq!((puzzle.id.as_str(), puzzle.title.as_str()), (named.id, named.title));
        assert!(puzzle.task.starts_with("<p>") && !puzzle.hints.is_empty(), "{}", named.id);
        assert!(puzzle.wrong.is_empty(), "{}: the wrong programs are downloaded", named.id);
    }
}

#[test]
fn every_puzzle_is_an_exercise_of_its_chapter() {
    for named in PUZZLES {
        let path = format!("chapters/{}.exercises.json", built(named.id).chapter);
        let exercises: Exercises = serde_json::from_slice(file(&path)).expect("exercises");
        let asks = exercises.exercises.iter().any(|exercise| {
            let puzzle = exercise.params.get("puzzle").map(|value| value.as_str());
            matches!(exercise.kind, Kind::Program(_)) && puzzle == Some(named.id)
        });
        assert!(asks, "{path} does not ask for {}", named.id);
        // The list of all exercises says which one counts what is solved at the workbench.
        let index: ExerciseIndex = serde_json::from_slice(file("exercises.json")).expect("a list");
        let named: Vec<_> = index.exercises.iter().filter(|e| e.kind == "program" && e.puzzle == named.id).collect();
        assert_eq!(named.len(), 1, "{named:?}");
    }
}
