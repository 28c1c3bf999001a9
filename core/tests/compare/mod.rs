//! Reading fixtures, comparing with them, and writing down what was compared.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use ringside_core::checked::Checked;
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file under `tests/fixtures/`.
pub fn fixture(path: &str) -> String {
    let file = root().join("../tests/fixtures").join(path);
    fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// A fixture as JSON.
pub fn json(path: &str) -> Value {
    serde_json::from_str(&fixture(path)).expect("a fixture is JSON")
}

/// Its cases.
pub fn cases(value: &Value) -> &[Value] {
    value["cases"].as_array().expect("a fixture has cases")
}

/// A whole number of it.
pub fn int(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key} is a whole number in {value}"))
}

/// A number of it.
pub fn real(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} is a number in {value}"))
}

/// One comparison with one fixture.
pub struct Check {
    model: &'static str,
    file: &'static str,
    what: &'static str,
    tolerance: f64,
    /// Cases compared.
    pub cases: u32,
    excluded: Vec<(&'static str, u32)>,
    largest: f64,
}

impl Check {
    /// A comparison of `what` of the model `model` with a fixture, to a relative tolerance.
    pub fn new(model: &'static str, file: &'static str, what: &'static str, tolerance: f64) -> Self {
        Self { model, file, what, tolerance, cases: 0, excluded: Vec::new(), largest: 0.0 }
    }

    /// Compares two numbers.
    pub fn close(&mut self, name: &str, ours: f64, theirs: f64) {
        let scale = ours.abs().max(theirs.abs());
        let difference = if scale == 0.0 { 0.0 } else { (ours - theirs).abs() / scale };
        assert!(difference <= self.tolerance, "{}: {name}: ours {ours}, theirs {theirs}", self.file);
        self.largest = self.largest.max(difference);
    }

    /// Counts a case as compared.
    pub fn case(&mut self) {
        self.cases += 1;
    }

    /// Counts a case as left out, and says why.
    pub fn exclude(&mut self, why: &'static str) {
        match self.excluded.iter_mut().find(|(w, _)| *w == why) {
            Some((_, n)) => *n += 1,
            None => self.excluded.push((why, 1)),
        }
    }

    fn row(&self) -> String {
        let oracle = json(self.file);
        let source = match &oracle["source"] {
            Value::Array(list) => list.first().cloned().unwrap_or_default(),
            other => other.clone(),
        };
        let (name, version, place) = match &source {
            Value::String(text) => {
                let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
                (name.to_owned(), rest.split(',').next().unwrap_or_default().to_owned(), String::new())
            }
            source => {
                let text = |key: &str| source[key].as_str().unwrap_or_default().to_owned();
                let commit = text("commit");
                let is_hash = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
                let version: String = commit.chars().take(if is_hash { 12 } else { 40 }).collect();
                (text("repo"), version, text("path"))
            }
        };
        let excluded: Vec<String> = self.excluded.iter().map(|(why, n)| format!("{n}: {why}")).collect();
        let mut row = String::new();
        let _ = write!(
            row,
            "    Checked {{\n        model: {:?},\n        what: {:?},\n        source: {name:?},\n        version: \
             {version:?},\n        place: {place:?},\n        cases: {},\n        excluded: {:?},\n        largest: \
             {:.1e},\n        tolerance: {:.1e},\n    }},\n",
            self.model,
            self.what,
            self.cases,
            excluded.join("; "),
            self.largest,
            self.tolerance
        );
        row
    }
}

/// Compares `core/src/checked/list.rs` with what the checks come to, or writes it if `UPDATE_CHECKED` is set.
pub fn check_list(checks: &[Check], list: &[Checked]) {
    let mut text = "//! Written by `UPDATE_CHECKED=1 cargo test -p ringside-core --test all`; not by hand.\n\nuse \
                    super::Checked;\n\n/// Every comparison that the oracle tests make.\npub const ALL: &[Checked] = &[\n"
        .to_owned();
    for check in checks {
        text += &check.row();
    }
    text += "];\n";
    let file = root().join("src/checked/list.rs");
    if std::env::var_os("UPDATE_CHECKED").is_some() {
        fs::write(&file, text).expect("the list can be written");
        return;
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, text, "{} is not what was run; run with UPDATE_CHECKED=1", file.display());
    assert_eq!(list.len(), checks.len());
    for c in list {
        println!("{:18} {:45} {:>4} cases, at most {:.1e}  {}", c.model, c.source, c.cases, c.largest, c.what);
    }
}
