//! `ringside` on the command line.
//!
//! Exit codes: 0, answered; 1, an assertion doesn't hold or the state is impossible; 2, the question couldn't be read.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use ringside::{Given, Output, Unread, mcp};

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
                assertions.push(text.clone());
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
        ["figures"] => Ok(ringside::figures(as_json)),
        ["describe", id] => ringside::describe(id, as_json),
        ["ask", id] => ringside::ask(id, "", &assertions, as_json),
        ["ask", id, query] => ringside::ask(id, query, &assertions, as_json),
        ["config", path] => ringside::config(&text(path)?, as_json),
        ["svg", id] => ringside::svg(id, ""),
        ["svg", id, query] => ringside::svg(id, query),
        ["run", ref paths @ ..] if !paths.is_empty() => ringside::run(paths.iter().map(|path| file(path)), as_json),
        ["check", ref paths @ ..] if !paths.is_empty() => {
            ringside::check(paths.iter().map(|path| file(path)), &assertions, as_json)
        }
        ["mcp"] => {
            mcp::serve().map_err(|error| Unread(format!("The connection broke: {error}.")))?;
            Ok(Output { text: String::new(), holds: true })
        }
        _ => Err(Unread(USAGE.to_owned())),
    }
}

/// A file, or what is piped in for `-`.
fn file(path: &str) -> Given {
    let name = Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
    let unread = |error: std::io::Error| format!("{path} couldn't be read: {error}.");
    if path == "-" {
        return Ok((name, Box::new(std::io::stdin())));
    }
    let file = std::fs::File::open(path).map_err(unread)?;
    // A folder can be opened, and not read.
    if file.metadata().map_err(unread)?.is_dir() {
        return Err(format!("{path} couldn't be read: it is a folder."));
    }
    Ok((name, Box::new(file)))
}

/// A file's text.
fn text(path: &str) -> Result<String, Unread> {
    let (name, mut file) = file(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| Unread(format!("{path} couldn't be read: {error}.")))?;
    String::from_utf8(bytes).map_err(|_| Unread(format!("{name} isn't text in UTF-8.")))
}
