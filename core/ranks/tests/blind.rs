//! Fifty programs written without sight of the solutions, and what each is told: `blind/told.toml`.
//!
//! Twenty are right, eighteen are wrong in ways that learners are wrong, and twelve are odd. `TOLD=1` prints the table as it is now.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use ringside_core::program::{Job, Puzzle, Verdict};
use serde::{Deserialize, Serialize};

/// One of the programs takes all the memory that it can get.
#[global_allocator]
static ALLOCATOR: ringside_ranks::Allocator = ringside_ranks::Allocator;

/// A program and what it's told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    /// The puzzle that it's for; without one, nothing is expected of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    puzzle: Option<String>,
    /// What is right, wrong or odd about it.
    about: String,
    /// Ranks that it runs on. Each is told the same, except that a right program takes another time.
    ranks: Vec<usize>,
    verdict: Verdict,
    /// The ranks and lines that are marked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    at: Vec<(usize, u32)>,
    /// What it's told on the first number of ranks.
    says: String,
}

#[test]
fn fifty_programs_written_without_sight_of_the_solutions() {
    ringside_ranks::arm().unwrap();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/blind");
    let puzzles = folder.join("../../../../content/programs");
    let table: BTreeMap<String, Told> = toml::from_str(&fs::read_to_string(folder.join("told.toml")).unwrap()).unwrap();
    let files = fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path());
    let files = files.filter(|f| f.extension().is_some_and(|e| e == "py"));
    let files: BTreeSet<String> = files.map(|f| f.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(files, table.keys().cloned().collect(), "each program needs one entry in told.toml");
    let mut now = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, told) in table {
        let program = fs::read_to_string(folder.join(format!("{name}.py"))).unwrap();
        let puzzle = told.puzzle.as_ref().map(|p| {
            toml::from_str::<Puzzle>(&fs::read_to_string(puzzles.join(format!("{p}.toml"))).unwrap()).unwrap()
        });
        let run = |ranks: usize| {
            let job = match &puzzle {
                Some(puzzle) => puzzle.job(&program, ranks),
                None => Job { program: program.clone(), world_size: ranks, ..Job::default() },
            };
            ringside_ranks::run(&job).diagnosis
        };
        for ranks in &told.ranks[1..] {
            let is = run(*ranks);
            if is.verdict != told.verdict {
                wrong.push(format!("{name} on {ranks} ranks: {:?}: {}", is.verdict, is.sentence));
            }
        }
        let is = run(told.ranks[0]);
        let at: Vec<(usize, u32)> = is.at.iter().map(|at| (at.rank, at.line)).collect();
        if (is.verdict, &is.sentence, &at) != (told.verdict, &told.says, &told.at) {
            wrong.push(format!("{name}: {:?} at {at:?}: {}", is.verdict, is.sentence));
        }
        now.insert(name, Told { verdict: is.verdict, at, says: is.sentence, ..told });
    }
    if std::env::var_os("TOLD").is_some() {
        println!("{}", toml::to_string(&now).unwrap());
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
