//! Sound kernels with one mistake each, which must be found on its line.

use ringside_core::kernels::glass::FindingKind;
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::{matmul, stream};
use ringside_glass::run::{Run, Runnable};
use ringside_shaders::puzzles;
use ringside_shaders::{Problem, find};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Seeded {
    bug: Vec<Bug>,
}

/// What stands around the table of mistakes in the page about the interpreter.
const MARKS: [&str; 2] = ["<!-- seeded: begin -->\n", "<!-- seeded: end -->"];

/// A mistake.
#[derive(Debug, Deserialize)]
struct Bug {
    /// A puzzle, or `family/kernel`.
    of: String,
    /// What of the solution is replaced, once, and by what.
    was: String,
    #[serde(default)]
    now: String,
    /// `race`, `barrier`, `bounds` or `uninitialized`.
    finds: String,
    /// What stands on the line that it must be found on.
    on: String,
}

const BUDGET: u64 = 1 << 22;

fn problem(family: &str) -> Problem {
    match family {
        "matmul" => Problem::Matmul(matmul::Sizes { m: 33, n: 35, k: 20 }),
        "sum" => Problem::Sum(stream::Sum { n: 600 }),
        "copy" => Problem::Copy(stream::Copy { rows: 33, cols: 20 }),
        op => Problem::Rows(Op::find(op).expect("known"), rows::Sizes { rows: 3, cols: 1100 }),
    }
}

/// The text with its mistake, and what running it at small sizes comes to.
fn runs(bug: &Bug) -> (String, Vec<Run>) {
    let replaced = |text: &str| {
        assert!(text.contains(&bug.was), "{}: no {:?} in\n{text}", bug.of, bug.was);
        text.replacen(&bug.was, &bug.now, 1)
    };
    if let Some((family, id)) = bug.of.split_once('/') {
        let (kernel, problem) = (find(family, id).expect("there is such a kernel"), problem(family));
        let text = replaced(&kernel.wgsl(&problem.dims()));
        let runnable = Runnable::kernel_as(kernel, &problem, &problem.data(1), text.clone());
        return (text, vec![runnable.unwrap_or_else(|e| panic!("{bug:?}: {e:?}")).run(32, BUDGET)]);
    }
    let puzzle = puzzles::find(&bug.of).expect("there is such a puzzle");
    let body = replaced(puzzle.frame().solution);
    let run =
        |case| Runnable::puzzle(puzzle, &body, &case).unwrap_or_else(|e| panic!("{bug:?}: {e:?}")).run(32, BUDGET);
    (puzzle.whole(&body), puzzle.cases(7).into_iter().map(run).collect())
}

/// Its row in `docs/glass.md`: the kernel, what was changed, and what is said of it.
fn row(bug: &Bug, said: &str) -> String {
    // What changed, without the lines around it that are the same.
    let code = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    let (was, now) = (code(&bug.was), code(&bug.now));
    let change = if now.is_empty() { format!("`{was}` deleted") } else { format!("`{was}` → `{now}`") };
    // Sentences after the first say why that is wrong anywhere.
    let said = said.split_once(". ").map_or(said, |(first, _)| first).trim_end_matches('.');
    format!("| {} | {change} | {} |\n", bug.of, said.replace('|', "\\|"))
}

#[test]
fn each_mistake_is_found_on_its_line() {
    let all: Seeded = toml::from_str(include_str!("seeded.toml")).expect("valid");
    assert!(all.bug.len() >= 40, "{}", all.bug.len());
    let mut missed = Vec::new();
    let mut table = format!("\n{} mistakes.\n\n| kernel | change | finding |\n|:--|:--|:--|\n", all.bug.len());
    for bug in &all.bug {
        let kind = match bug.finds.as_str() {
            "race" => FindingKind::Race,
            "barrier" => FindingKind::Barrier,
            "bounds" => FindingKind::Bounds,
            _ => FindingKind::Uninitialized,
        };
        let (text, runs) = runs(bug);
        let lines: Vec<u32> = (1..).zip(text.lines()).filter(|(_, l)| l.contains(&bug.on)).map(|(n, _)| n).collect();
        let mut found = runs.iter().flat_map(|run| &run.findings);
        match found.clone().find(|f| f.kind == kind && lines.contains(&f.line)) {
            Some(finding) => table += &row(bug, &finding.text),
            None => {
                let others: Vec<_> = found.by_ref().map(|f| (f.kind, f.line, &f.text)).collect();
                missed.push(format!("{} {:?} -> {:?}: not on {lines:?}, but {others:?}", bug.of, bug.was, bug.now));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/glass.md");
    let before = std::fs::read_to_string(page).expect("there is the page");
    let (head, rest) = before.split_once(MARKS[0]).expect("a mark");
    let (_, tail) = rest.split_once(MARKS[1]).expect("a mark");
    let now = [head, MARKS[0], &table, "\n", MARKS[1], tail].concat();
    if std::env::var_os("UPDATE_GLASS").is_some() {
        std::fs::write(page, &now).expect("it can be written");
    } else {
        assert!(now == before, "the table in docs/glass.md is old: UPDATE_GLASS=1 writes it");
    }
}
