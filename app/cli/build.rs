//! Writes `content/signs.toml` as the list of signs that a log is held against (`content::schema::Signs`). It only reads: `cargo xtask content`
//! checks the file and says what is wrong where. It names no type of `content`, which would compile `core` once more.

use std::path::Path;
use std::{env, fs, io};

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct File {
    program: Vec<Program>,
    sign: Vec<Sign>,
}

/// A program, and patterns of lines by which it is known.
#[derive(Deserialize)]
struct Program {
    name: String,
    marks: Vec<String>,
}

/// A sign as it is written, without the places of the course.
#[derive(Deserialize)]
struct Sign {
    id: String,
    title: String,
    kind: String,
    lines: Vec<String>,
    #[serde(default, rename = "where")]
    conditions: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    program: Option<String>,
    #[serde(default)]
    marked: Option<String>,
    means: String,
    #[serde(rename = "do")]
    remedy: String,
}

fn main() -> io::Result<()> {
    let path = "../../content/signs.toml";
    println!("cargo::rerun-if-changed={path}");
    let File { program: programs, sign } = toml::from_str(&fs::read_to_string(path)?).map_err(io::Error::other)?;
    let signs = sign.iter().map(|sign| {
        let marked = programs.iter().find(|program| Some(&program.name) == sign.marked.as_ref());
        let program = sign.program.as_ref().or(marked.map(|program| &program.name));
        let place = json!({ "title": "", "href": "" });
        json!({
            "id": sign.id, "title": sign.title, "kind": sign.kind, "lines": sign.lines, "conditions": sign.conditions,
            "needs": sign.needs, "unless": sign.unless, "program": program.cloned().unwrap_or_default(),
            "marks": marked.map(|program| program.marks.as_slice()).unwrap_or_default(),
            // Text, for a terminal.
            "means": sign.means, "remedy": sign.remedy, "section": place, "figure": place, "exercise": place,
        })
    });
    let json = signs.collect::<Value>().to_string();
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("signs.json"), json)
}
