//! `ringside`: the models behind the site's figures, asked from a terminal, a script, CI or an agent.
//!
//! Names, units and error messages are those of the site. Nothing is read but the files that are named, and nothing leaves the machine.
//!
//! Exit codes: 0, answered; 1, an assertion doesn't hold or the state is impossible; 2, the question couldn't be read.

mod answer;
mod config;
mod mcp;
mod picture;
mod run;
mod schema;

use std::io::{ErrorKind, Read as _, Write as _};
use std::process::ExitCode;

use ringside_core::catalogue::{self, Entry};
use ringside_core::expr::Assertion;
use ringside_core::quantity::{grouped, signed, significant};
use ringside_core::query::{Query, did_you_mean};
use serde_json::{Value, json};

use answer::State;

const USAGE: &str = "\
Usage:
  ringside figures                    every figure
  ringside describe FIGURE            its parameters, quantities and examples
  ringside ask FIGURE [QUERY]         its quantities in a state
      --assert 'EXPR < EXPR'          exit with 1 unless it holds; may be repeated; <, <=, >, >=, ==
  ringside config FILE                the model of a Hugging Face config.json (- reads standard input)
  ringside run FILE…                  a run file, configurations, logs: predicted next to measured, and where the gap goes
  ringside check FILE…                the assertions of a run file (check = ['memory.total < 75e9']), and those of --assert
  ringside svg FIGURE [QUERY]         its chart as an SVG file, on standard output
  ringside mcp                        every figure as a tool of the Model Context Protocol, over stdio

  --json                              print JSON

QUERY is the part of a figure's link after the “?”: 'params=30e9&zero=3&dp=64'. In an assertion, quantities and parameters go by
their ids, with “_” for “-”, in base units (bytes, seconds, FLOPs): 'total < 75e9', 'total < h100_80.memory'.";

/// What a command prints, and whether all that was claimed holds.
struct Output {
    text: String,
    holds: bool,
}

/// Why a question couldn't be read: one sentence, or several lines of them.
struct Unread(String);

impl From<String> for Unread {
    fn from(why: String) -> Self {
        Self(why)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let said = match run(&arguments) {
        Ok(Output { text, holds }) => print(&text).map(|()| if holds { ExitCode::SUCCESS } else { ExitCode::from(1) }),
        Err(Unread(why)) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    said.unwrap_or_else(|error| match error.kind() {
        // Whoever reads the output has had enough: `ringside figures | head`.
        ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    })
}

fn print(text: &str) -> std::io::Result<()> {
    match text.trim_end() {
        "" => Ok(()),
        text => writeln!(std::io::stdout().lock(), "{text}"),
    }
}

fn run(arguments: &[String]) -> Result<Output, Unread> {
    let mut words = Vec::new();
    let mut assertions = Vec::new();
    let mut as_json = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--json" => as_json = true,
            "--assert" => {
                let text =
                    rest.next().ok_or_else(|| "--assert needs a comparison: --assert 'total < 75e9'.".to_owned())?;
                let assertion = Assertion::parse(text).map_err(|why| Unread(format!("--assert: {why}")))?;
                assertions.push((text.clone(), assertion));
            }
            "--help" | "-h" => return Ok(Output { text: USAGE.to_owned(), holds: true }),
            option if option.starts_with("--") => {
                return Err(Unread(format!("There is no option {option}.\n\n{USAGE}")));
            }
            word => words.push(word),
        }
    }
    if !assertions.is_empty() && !matches!(words.first(), Some(&("ask" | "check"))) {
        return Err(Unread("--assert belongs to ringside ask and ringside check.".to_owned()));
    }
    match words[..] {
        ["figures"] => Ok(figures(as_json)),
        ["describe", id] => Ok(describe(find(id)?, as_json)),
        ["ask", id] => ask(find(id)?, "", &assertions, as_json),
        ["ask", id, query] => ask(find(id)?, query, &assertions, as_json),
        ["config", path] => config::main(&read(path)?, as_json),
        ["svg", id] => picture::main(find(id)?, ""),
        ["svg", id, query] => picture::main(find(id)?, query),
        ["run", ref paths @ ..] if !paths.is_empty() => run::main(paths, as_json),
        ["check", ref paths @ ..] if !paths.is_empty() => {
            let others: Vec<String> = assertions.into_iter().map(|(text, _)| text).collect();
            run::judge(paths, &others, as_json)
        }
        ["mcp"] => {
            mcp::serve().map_err(|error| Unread(format!("The connection broke: {error}.")))?;
            Ok(Output { text: String::new(), holds: true })
        }
        _ => Err(Unread(USAGE.to_owned())),
    }
}

/// The figure of this id.
fn find(id: &str) -> Result<&'static Entry, Unread> {
    catalogue::find(id).ok_or_else(|| {
        let ids: Vec<&str> = catalogue::ALL.iter().map(|entry| entry.id).collect();
        Unread(format!("There is no figure {id}.{} “ringside figures” lists all of them.", did_you_mean(id, &ids)))
    })
}

/// A file's text, or what is piped in for `-`.
fn read(path: &str) -> Result<String, Unread> {
    let text = if path == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    text.map_err(|error| Unread(format!("{path} couldn't be read: {error}.")))
}

fn figures(as_json: bool) -> Output {
    let text = if as_json {
        let all = catalogue::ALL.iter().map(|e| json!({ "id": e.id, "title": e.title, "summary": e.summary }));
        pretty(&all.collect())
    } else {
        let width = catalogue::ALL.iter().map(|entry| entry.id.len()).max().unwrap_or_default();
        catalogue::ALL.iter().map(|entry| format!("{:width$}  {}\n", entry.id, entry.summary)).collect()
    };
    Output { text, holds: true }
}

fn describe(entry: &Entry, as_json: bool) -> Output {
    let text = if as_json { pretty(&schema::figure(entry)) } else { schema::page(entry) };
    Output { text, holds: true }
}

fn ask(
    entry: &'static Entry,
    query: &str,
    assertions: &[(String, Assertion)],
    as_json: bool,
) -> Result<Output, Unread> {
    let state = State::read(entry, &Query::parse(query))?;
    let verdicts =
        assertions.iter().map(|(text, assertion)| state.judge(text, assertion)).collect::<Result<Vec<_>, Unread>>()?;
    let holds = state.impossible().is_none() && verdicts.iter().all(|verdict| verdict.holds);
    let text = if as_json {
        let mut all = state.json();
        if !verdicts.is_empty() {
            all["assertions"] =
                verdicts.iter().map(|v| json!({ "text": v.text, "holds": v.holds, "values": v.values })).collect();
        }
        pretty(&all)
    } else {
        let mut text = state.table();
        for verdict in verdicts {
            text += &format!("\n{}  {}", if verdict.holds { "holds" } else { "FAILS" }, verdict.line());
        }
        text
    };
    Ok(Output { text, holds })
}

/// An assertion and both its sides for a person: `total < 75e9  (480,000,000,000 against 75,000,000,000)`.
fn against(text: &str, sides: [f64; 2]) -> String {
    let [left, right] = sides.map(|value| {
        let size = value.abs();
        let is_large = (1e4..1e15).contains(&size);
        signed(value, &if is_large { grouped(size.round() as u64) } else { significant(size, 4) })
    });
    format!("{text}  ({left} against {right})")
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}
