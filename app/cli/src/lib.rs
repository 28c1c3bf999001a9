//! `ringside`: the models behind the site's figures, asked from a terminal, a script, CI, an agent or JavaScript.
//!
//! A function for each command, which the program calls with its arguments and the npm module (`app/npm`) with what a script gives it. Names, units
//! and error messages are those of the site. Nothing is read but what is given, and nothing leaves the machine.

mod answer;
mod config;
pub mod mcp;
mod picture;
mod run;
mod schema;
mod signs;

use std::io::Read;

use ringside_core::catalogue::{self, Entry};
use ringside_core::quantity::{grouped, signed, significant};
use ringside_core::query::{Query, did_you_mean};
use serde_json::{Value, json};

use answer::State;
pub use config::main as config;
pub use picture::main as svg;
pub use run::{judge as check, main as run};

/// What a command prints, and whether all that was claimed holds.
#[derive(Debug)]
pub struct Output {
    /// Lines for a person, JSON or SVG.
    pub text: String,
    /// Whether every assertion holds, the state is possible, and nothing is a guess or missing.
    pub holds: bool,
}

/// Why a question couldn't be read: one sentence, or several lines of them.
#[derive(Debug)]
pub struct Unread(pub String);

impl From<String> for Unread {
    fn from(why: String) -> Self {
        Self(why)
    }
}

/// A file with its name, which is read as far as it is needed, or why there is none.
pub type Given = Result<(String, Box<dyn Read>), String>;

/// The figure of this id.
fn find(id: &str) -> Result<&'static Entry, Unread> {
    catalogue::find(id).ok_or_else(|| {
        let ids: Vec<&str> = catalogue::ALL.iter().map(|entry| entry.id).collect();
        Unread(format!("There is no figure {id}.{} “ringside figures” lists all of them.", did_you_mean(id, &ids)))
    })
}

/// Every figure, with its title and what it shows.
pub fn figures(as_json: bool) -> Output {
    let text = if as_json {
        let all = catalogue::ALL.iter().map(|e| json!({ "id": e.id, "title": e.title, "summary": e.summary }));
        pretty(&all.collect())
    } else {
        let width = catalogue::ALL.iter().map(|entry| entry.id.len()).max().unwrap_or_default();
        catalogue::ALL.iter().map(|entry| format!("{:width$}  {}\n", entry.id, entry.summary)).collect()
    };
    Output { text, holds: true }
}

/// The parameters and quantities of a figure.
///
/// # Errors
/// There is no such figure.
pub fn describe(figure: &str, as_json: bool) -> Result<Output, Unread> {
    let entry = find(figure)?;
    let text = if as_json { pretty(&schema::figure(entry)) } else { schema::page(entry) };
    Ok(Output { text, holds: true })
}

/// The quantities of a figure in a state, and whether assertions about them hold.
///
/// # Errors
/// There is no such figure, the state couldn't be read whole, or an assertion couldn't.
pub fn ask(figure: &str, query: &str, assertions: &[String], as_json: bool) -> Result<Output, Unread> {
    let state = State::read(find(figure)?, &Query::parse(query))?;
    let verdicts = assertions.iter().map(|text| state.judge(text)).collect::<Result<Vec<_>, Unread>>()?;
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
