//! What people posted in public, tried on the readers: each is read, read in part or refused, as is right, and the table of
//! `docs/READERS.md` counts it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ringside_content::schema::{Sign, SignKind};
use ringside_content::search::read_log;
use ringside_core::declare::Model as _;
use ringside_core::launch::{Case, Fault, Outcome, Params, Script};
use ringside_core::model::config::{Import, import};
use ringside_core::network::measured;
use ringside_core::pass_at_k::results::Results;
use ringside_core::run::Outcome as RunOutcome;
use ringside_core::scheduler::JobList;
use serde::Deserialize;

use crate::{root, signs};

#[derive(Deserialize)]
struct Tried {
    input: Vec<Input>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    reader: String,
    source: String,
    right: String,
    says: String,
    first: Answer,
    #[serde(default)]
    kind: String,
    pub(crate) text: String,
}

/// How something is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    Read,
    Partly,
    Refused,
    Wrong,
}

const ANSWERS: [(Answer, &str); 4] =
    [(Answer::Read, "Read"), (Answer::Partly, "Partly read"), (Answer::Refused, "Refused"), (Answer::Wrong, "Wrong")];

pub(crate) const READERS: [(&str, &str); 7] = [
    ("launch", "Launch scripts and manifests"),
    ("logs", "Logs"),
    ("nccl-tests", "nccl-tests output"),
    ("jobs", "Jobs of a scheduler"),
    ("results", "Benchmark results"),
    ("run", "Runs: configurations, output, tools"),
    ("config", "Models’ config.json"),
];

/// How a text is read, and what is said of it.
pub(crate) fn said(reader: &str, text: &str, signs: &[Sign]) -> (Answer, String) {
    let by_lines = |used: usize, faults: usize| match (used, faults) {
        (0, _) => Answer::Refused,
        (_, 0) => Answer::Read,
        _ => Answer::Partly,
    };
    match reader {
        "launch" => {
            let p = Params { case: Case::Own, nodes: 8, gpus: 8, script: Script(text.into()), ..Params::standard() };
            let launch = p.launch();
            let first = p.remarks(&launch).iter().map(|(line, _)| *line).min().unwrap_or(launch.unread);
            match (launch.outcome(), launch.fault) {
                (Outcome::Trains, _) => (Answer::Read, format!("trains {}", launch.processes.len())),
                (Outcome::Unread, Some((Fault::NothingLaunched | Fault::UnreadManifest, _))) => {
                    (Answer::Refused, format!("refused {first}"))
                }
                (Outcome::Unread, _) => (Answer::Partly, format!("unread {}", launch.unread)),
                (_, fault) => (Answer::Read, format!("{fault:?}")),
            }
        }
        "logs" => {
            let reading = read_log(signs, text);
            let mut ids: Vec<&str> = reading
                .seen
                .iter()
                .filter(|seen| seen.kind > SignKind::Note)
                .map(|seen| signs[seen.sign].id.as_str())
                .collect();
            ids.sort_unstable();
            let answer = if reading.unknown_lines == 0 { Answer::Read } else { Answer::Partly };
            (answer, if ids.is_empty() { "healthy".to_owned() } else { ids.join(" ") })
        }
        "nccl-tests" => {
            let report = measured::read(text);
            let Some(last) = report.rows.last() else { return (Answer::Refused, "rows 0".to_owned()) };
            let ranks = report.ranks.map_or_else(|| "?".to_owned(), |ranks| ranks.to_string());
            let busbw = (last.out_of_place.busbw / 1e7).round() / 100.0;
            let said = format!("rows {}, ranks {ranks}, last {busbw}", report.rows.len());
            (by_lines(report.rows.len(), report.faults.len()), said)
        }
        "jobs" => {
            let listed = JobList(text.into()).listed();
            let why = listed.wrong.first().map_or("", |wrong| wrong.why.as_str());
            let way = if listed.wrong.len() == 1 && why.contains("sacct -P") { ", refused: sacct -P" } else { "" };
            (by_lines(listed.jobs.len(), listed.wrong.len()), format!("jobs {}{way}", listed.jobs.len()))
        }
        "results" => {
            let listed = Results(text.into()).listed();
            let (n, c) = listed.problems.iter().fold((0, 0), |(n, c), one| (n + one.n, c + one.c));
            let problems = listed.problems.len();
            let said = if problems == 0 { "refused".to_owned() } else { format!("passed {c} of {n}") };
            (by_lines(problems, listed.wrong.len()), format!("problems {problems}, {said}"))
        }
        "run" => {
            // As it is pasted: taken apart, where it holds several things.
            let cards: Vec<_> =
                ringside_core::run::read_all("pasted", text).into_iter().map(|(card, _)| card).collect();
            let all = |outcome: RunOutcome| cards.iter().all(|card| card.outcome == outcome);
            let found: Vec<String> =
                cards.iter().flat_map(|card| &card.found).map(|f| format!("{} {}", f.what, f.value)).collect();
            match () {
                () if all(RunOutcome::Refused) => (Answer::Refused, "refused".to_owned()),
                () if all(RunOutcome::Read) => (Answer::Read, found.join("; ")),
                () => (Answer::Partly, found.join("; ")),
            }
        }
        "config" => {
            let total = |import: &Import| import.imported().shape.count().map_or(0, |size| size.total);
            match import(text) {
                Ok(import @ Import::Known(_)) => (Answer::Read, total(&import).to_string()),
                Ok(import @ Import::Guess { .. }) => (Answer::Partly, format!("{}, a guess", total(&import))),
                Err(_) => (Answer::Refused, "refused".to_owned()),
            }
        }
        other => panic!("no reader “{other}”"),
    }
}

/// The inputs, how each is read now, and the table of both.
fn table(inputs: &[Input], now: &[Answer]) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "| Reader | Inputs | Read | Partly read | Refused | Wrong | Wrong at first |\n|:--|--:|--:|--:|--:|--:|--:|"
    );
    let count = |reader: &str, is: &dyn Fn(&Input, Answer) -> bool| {
        inputs.iter().zip(now).filter(|(input, now)| input.reader == reader && is(input, **now)).count()
    };
    for (reader, name) in READERS {
        let _ = write!(text, "| {name} | {} |", count(reader, &|_, _| true));
        for (answer, _) in ANSWERS {
            let _ = write!(text, " {} |", count(reader, &|_, now| now == answer));
        }
        let _ = writeln!(text, " {} |", count(reader, &|input, _| !input.kind.is_empty()));
    }
    let mut kinds: Vec<(&str, &str)> =
        inputs.iter().filter(|i| !i.kind.is_empty()).map(|i| (i.kind.as_str(), i.source.as_str())).collect();
    kinds.sort_unstable();
    text.push('\n');
    for (kind, source) in kinds {
        let mut letters = kind.chars();
        let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        let _ = writeln!(text, "- {first}{} ({source}).", letters.as_str());
    }
    text
}

/// The inputs.
pub(crate) fn tried() -> Vec<Input> {
    let text = std::fs::read_to_string(root().join("tests/fixtures/tried.toml")).expect("tried.toml");
    toml::from_str::<Tried>(&text).expect("TOML").input
}

#[test]
fn what_people_posted_is_read_rightly() {
    let (inputs, signs) = (tried(), signs());
    assert!(inputs.len() >= 40, "{}", inputs.len());
    let (mut now, mut wrong) = (Vec::new(), Vec::new());
    for input in &inputs {
        assert!(!input.source.is_empty() && !input.right.is_empty(), "{}", input.says);
        assert!(input.first != Answer::Wrong || !input.kind.is_empty(), "{}", input.source);
        // As it is when it is pasted: without the line end behind it.
        let (answer, said) = said(&input.reader, input.text.trim_end(), &signs);
        if said != input.says {
            wrong.push(format!("{} ({}): “{said}”, not “{}”", input.reader, input.source, input.says));
        }
        now.push(if said == input.says { answer } else { Answer::Wrong });
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), now.len(), wrong.join("\n"));
    let path = root().join("../docs/READERS.md");
    let text = std::fs::read_to_string(&path).expect("docs/READERS.md");
    let (before, _) = text.split_once("<!-- counted -->\n").expect("the mark before the table");
    let counted = format!("{before}<!-- counted -->\n\n{}", table(&inputs, &now));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &counted).expect("docs/READERS.md is written");
    }
    let text = std::fs::read_to_string(&path).expect("docs/READERS.md");
    assert!(text == counted, "docs/READERS.md has other counts (UPDATE_GOLDEN=1 writes them):\n{counted}");
}

/// A way in which the same thing comes: by another system, through a terminal or a page.
type Varied = (&'static str, fn(&str) -> String);

const VARIED: [Varied; 6] = [
    ("line ends of Windows", |text| text.replace('\n', "\r\n")),
    ("quoted", |text| text.lines().map(|line| format!("> {line}\n")).collect()),
    ("in a fence", |text| format!("```\n{text}\n```\n")),
    ("colored", |text| text.lines().map(|line| format!("\u{1b}[32m{line}\u{1b}[0m\n")).collect()),
    ("below a sentence", |text| format!("Das ist die Ausgabe, 求助:\n\n```\n{text}\n```\n\nWas kann ich tun?\n")),
    ("of a rank", |text| text.lines().map(|line| format!("[rank0]: {line}\n")).collect()),
];

#[test]
fn what_is_said_does_not_depend_on_how_it_comes() {
    let (inputs, signs) = (tried(), signs());
    let mut wrong = Vec::new();
    for input in inputs.iter().filter(|input| ["run", "logs"].contains(&input.reader.as_str())) {
        // What stands in a fence comes behind what stands around it.
        let said = |text: &str| {
            let (_, said) = said(&input.reader, text, &signs);
            said.split("; ").map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let text = &input.text;
        let before = said(text);
        for (how, varied) in VARIED {
            // An error keeps its rank, and what stands around it is read with the tag.
            let is_apart = how == "of a rank"
                && ["Error", "FAILED", "SIGKILL", "Traceback"].iter().any(|word| text.contains(word));
            let after = said(&varied(text));
            if after != before && !is_apart {
                wrong.push(format!("{how}, {} ({}):\n    {before:?}\n    {after:?}", input.reader, input.source));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
