//! Every puzzle of `content/programs`: its solution passes where it says so, its starter fails, and each wrong program is told
//! exactly what its author wants said.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use ringside_core::program::{Puzzle, Verdict, rank_counts};

/// Fewest wrong programs of a puzzle.
const WRONG: usize = 3;

pub fn puzzles() -> Vec<(String, Puzzle)> {
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
            if !outcome.diagnosis.at.is_empty() {
                wrong.push(format!("{name}: a line of the solution is marked: {:?}", outcome.diagnosis.at));
            }
            if let Some(said) = puzzle.unchecked(*ranks) {
                wrong.push(format!("{name}: {said}"));
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
            // Too much memory is held at a line; bytes and time belong to the whole program.
            let marked = match told.verdict {
                Verdict::OverMemory => told.at.len() == 1 && told.at[0].line > 0,
                Verdict::OverBytes | Verdict::OverTime => told.at.is_empty(),
                _ => true,
            };
            if !marked {
                wrong.push(format!("{name}: “{}” marks {:?}", bad.mistake, told.at));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What `tests/frameworks/ranks.py --write` has kept of real processes.
#[derive(serde::Deserialize)]
struct Real {
    torch: String,
    backend: String,
    puzzles: BTreeMap<String, BTreeMap<String, String>>,
}

impl Real {
    /// How a puzzle's solution compares on real processes: "agrees on 2 and 4".
    fn of(&self, name: &str, puzzle: &Puzzle) -> String {
        if puzzle.fault.is_some() {
            return "left out: the process group ends with the rank that dies".to_owned();
        }
        let Some(came) = self.puzzles.get(name) else { return "not run".to_owned() };
        let others =
            came.iter().filter(|(_, said)| *said != "agrees").map(|(ranks, said)| format!("on {ranks}: {said}"));
        let agrees: Vec<usize> =
            came.iter().filter(|(_, said)| *said == "agrees").map(|(ranks, _)| ranks.parse().unwrap()).collect();
        let agrees = (!agrees.is_empty()).then(|| format!("agrees on {}", rank_counts(&agrees)));
        agrees.into_iter().chain(others).collect::<Vec<_>>().join("; ")
    }
}

/// The ladder in two tables, for people who want to see all of it.
fn tables(puzzles: &[(String, Puzzle)], real: &Real) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let wrong: usize = puzzles.iter().map(|(_, puzzle)| puzzle.wrong.len()).sum();
    let mut text = format!(
        "# The ladder\n\nEvery puzzle of [the workbench for ranks](../ARCHITECTURE.md#a-learners-ranks-are-interpreted): {} puzzles and {wrong} \
         wrong programs.\n`UPDATE_LADDER=1 cargo test -p ringside-ranks --test all ladder` writes this page from \
         `content/programs` and `tests/frameworks/ranks.json`; without\nit, the same test runs every solution on every \
         number of ranks below, every starting program and every wrong program, and compares the\nmessages letter by letter. \
         “Real processes” are those of `tests/frameworks/ranks.py` under torchrun: PyTorch {} over {}, where the same\nfile \
         must give what one process computes, on two and four processes where the puzzle has so many ranks.\n\n| puzzle | chapter | checked on ranks | wrong programs | real processes \
         |\n|:--|:--|:--|--:|:--|\n",
        puzzles.len(),
        real.torch,
        real.backend
    );
    for (name, puzzle) in puzzles {
        let (chapter, ranks) = (&puzzle.chapter, rank_counts(&puzzle.ranks));
        let row = format!(
            "| {} | {chapter} | {ranks} | {} | {} |\n",
            puzzle.title,
            puzzle.wrong.len(),
            real.of(name, puzzle)
        );
        text.push_str(&row);
    }
    text.push_str("\n## What each wrong program is told\n\n| puzzle | mistake | ranks | verdict | message |\n|:--|:--|--:|:--|:--|\n");
    for (_, puzzle) in puzzles {
        for bad in &puzzle.wrong {
            let (mistake, says) = (cell(&bad.mistake), cell(&bad.says));
            text.push_str(&format!(
                "| {} | {mistake} | {} | {} | {says} |\n",
                puzzle.title,
                bad.ranks,
                bad.verdict.label()
            ));
        }
    }
    text
}

#[test]
fn the_ladder_is_written_down() {
    if std::env::var("PUZZLE").is_ok() {
        return;
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let real = fs::read_to_string(root.join("tests/frameworks/ranks.json")).unwrap();
    let (text, page) = (tables(&puzzles(), &serde_json::from_str(&real).unwrap()), root.join("docs/ladder.md"));
    if std::env::var_os("UPDATE_LADDER").is_some() {
        fs::write(&page, &text).unwrap();
    }
    assert!(text == fs::read_to_string(page).unwrap(), "docs/ladder.md is old: UPDATE_LADDER=1 writes it");
}

/// The puzzle in a file.
fn puzzle(name: &str) -> Puzzle {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../content/programs/{name}.toml"));
    toml::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Five ranks can’t share 24 columns: whoever tries a right program there is told that it isn't checked on so many.
#[test]
fn a_number_of_ranks_that_a_puzzle_is_not_checked_on_is_no_mistake_of_the_program() {
    let puzzle = puzzle("15-column-parallel");
    let solution = ringside_ranks::run(&puzzle.job(&puzzle.solution, 5)).diagnosis;
    assert!(!solution.passed(), "{}", solution.sentence);
    assert_eq!((puzzle.unchecked(4), puzzle.unchecked(2)), (None, None));
    let said = puzzle.unchecked(5).unwrap();
    assert_eq!(said, "This puzzle is checked on 2, 3, 4 and 8 ranks. On 5 ranks even its solution may fail.");
}

#[test]
fn an_earlier_launch_that_needs_too_many_ranks_is_named() {
    let puzzle = puzzle("26-resharded-checkpoint");
    assert_eq!((puzzle.launches_before(4), puzzle.launches_before(8)), (vec![6], vec![12]));
    for (ranks, needs) in [(11, 17), (16, 24)] {
        let told = ringside_ranks::run(&puzzle.job(&puzzle.solution, ranks)).diagnosis;
        let says = format!(
            "An earlier launch of this puzzle would need {needs} ranks, and at most 16 can run. Choose fewer ranks."
        );
        assert_eq!((told.verdict, told.sentence), (Verdict::Job, says));
    }
    let told = ringside_ranks::run(&puzzle.job(&puzzle.solution, 17)).diagnosis;
    assert_eq!((told.verdict, told.sentence.as_str()), (Verdict::Job, "A program runs on 1 to 16 ranks, not 17."));
}

#[test]
fn the_ladder_is_long_enough() {
    if std::env::var("PUZZLE").is_err() {
        assert!(puzzles().len() >= 20);
    }
}
