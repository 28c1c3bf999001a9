//! Every puzzle of `content/programs`: its solution passes where it says so, its starter fails, and each wrong program is told
//! exactly what its author wants said.

use std::fs;
use std::path::PathBuf;

use ringside_core::program::{Puzzle, Verdict};

/// Fewest wrong programs of a puzzle.
const WRONG: usize = 3;

fn puzzles() -> Vec<(String, Puzzle)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../content/programs");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let only = std::env::var("PUZZLE").unwrap_or_default();
    let files = files.into_iter().filter(|f| f.extension().is_some_and(|e| e == "toml"));
    files
        .filter(|f| f.to_string_lossy().contains(&only))
        .map(|file| {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let puzzle = toml::from_str(&fs::read_to_string(&file).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
            (name, puzzle)
        })
        .collect()
}

#[test]
fn the_ladder() {
    let mut wrong = Vec::new();
    for (name, puzzle) in &puzzles() {
        if puzzle.ranks.is_empty() || puzzle.hints.is_empty() {
            wrong.push(format!("{name}: a puzzle needs ranks and hints"));
        }
        for ranks in &puzzle.ranks {
            let outcome = ringside_ranks::run(&puzzle.job(&puzzle.solution, *ranks));
            if !outcome.diagnosis.passed() {
                wrong.push(format!(
                    "{name}: solution on {ranks}: {:?}: {}",
                    outcome.diagnosis.verdict, outcome.diagnosis.sentence
                ));
                for rank in &outcome.run.ranks {
                    for line in rank.printed.iter().take(6) {
                        wrong.push(format!("    {}", line.text));
                    }
                }
            }
            let starter = ringside_ranks::run(&puzzle.job(&puzzle.starter, *ranks)).diagnosis;
            if matches!(starter.verdict, Verdict::Passed | Verdict::Syntax | Verdict::Job) {
                wrong.push(format!("{name}: starter on {ranks}: {:?}: {}", starter.verdict, starter.sentence));
            }
        }
        if puzzle.wrong.len() < WRONG {
            wrong.push(format!("{name}: {} wrong programs, not {WRONG}", puzzle.wrong.len()));
        }
        for bad in &puzzle.wrong {
            let told = match puzzle.broken(bad) {
                Ok(program) => ringside_ranks::run(&puzzle.job(&program, bad.ranks)).diagnosis,
                Err(message) => {
                    wrong.push(format!("{name}: {message}"));
                    continue;
                }
            };
            if told.sentence != bad.says || told.verdict != bad.verdict {
                wrong.push(format!("{name}: “{}”:\n    {:?}\n    {}", bad.mistake, told.verdict, told.sentence));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_ladder_is_long_enough() {
    if std::env::var("PUZZLE").is_err() {
        assert!(puzzles().len() >= 20);
    }
}
