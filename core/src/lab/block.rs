//! Finding a block in what was pasted, and reading its fields.

use serde_json::{Map, Value};

use super::{ALL, Held, find};
use crate::quantity::number;
use crate::query::did_you_mean;

/// The line before the block.
pub const BEGIN: &str = "===== ringside lab =====";
/// The line after it.
pub const END: &str = "===== end =====";

/// Nothing that a lab counts or times is more.
const MOST: f64 = 1e18;
/// Points, steps and stages that are read; scripts print fewer.
const LONGEST: usize = 100_000;

/// Reads the last block in `text`, and holds it against the model of its lab. `expected` is the lab of the page, if there is one.
///
/// # Errors
/// Sentences that say what is wrong with the paste: no block, half of one, no JSON, another lab's, fields that are missing or make
/// no sense.
pub fn read(text: &str, expected: Option<&str>) -> Result<Held, Vec<String>> {
    let object = object(text).map_err(|why| vec![why])?;
    let lab = match object.get("lab").and_then(Value::as_str) {
        Some(id) => find(id).ok_or_else(|| {
            let ids: Vec<&str> = ALL.iter().map(|lab| lab.id).collect();
            vec![format!("There is no lab “{}”{}.", short(id), did_you_mean(id, &ids))]
        })?,
        None => return Err(vec!["The block does not say which lab it is of: “lab” is missing or no text.".into()]),
    };
    if let Some(expected) = expected.filter(|id| *id != lab.id) {
        return Err(vec![format!(
            "This is what the lab “{}” prints; this page is that of “{}”.",
            lab.id,
            short(expected)
        )]);
    }
    let mut block = Block { fields: &object, path: String::new(), problems: Vec::new() };
    let version = block.number("version", 1.0, MOST);
    if version > lab.version as f64 {
        return Err(vec![format!(
            "The block has version {}, and this page reads up to {}. Reload the page, or copy the script from it again.",
            number(version),
            lab.version
        )]);
    }
    let device = block.text("device");
    let torch = block.text("torch");
    let world = if object.contains_key("world") { block.whole("world", 1.0, 1e7) } else { 1.0 };
    let rows = (lab.hold)(&mut block);
    if !block.problems.is_empty() {
        return Err(block.problems);
    }
    let ranks = if world == 1.0 { "1 process".to_owned() } else { format!("{} ranks", number(world)) };
    let on = format!("{ranks} on {device}, PyTorch {torch}");
    Ok(Held { lab: lab.id, on, rows: rows.rows, setup: rows.setup, times: rows.times, finding: rows.finding })
}

/// The JSON object between the last two marks. A terminal may have folded its line.
fn object(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Err("Nothing is pasted yet.".into());
    }
    let Some(begin) = text.rfind(BEGIN) else {
        return Err(format!(
            "There is no line “{BEGIN}” in it. Paste what the script printed at its end, with the lines before and after the block."
        ));
    };
    let rest = text.get(begin + BEGIN.len()..).unwrap_or_default();
    let Some(end) = rest.find(END) else {
        return Err(format!("The block is cut off: the line “{END}” is missing after it."));
    };
    let json: String =
        rest.get(..end).unwrap_or_default().lines().map(|line| line.trim_matches(['\r', '\n'])).collect();
    match serde_json::from_str(json.trim()) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("Between the two marks stands JSON, but no object in braces.".into()),
        Err(why) => Err(format!("What stands between the two marks is no JSON: {why}.")),
    }
}

/// The fields of a block, with what is wrong about them.
pub(super) struct Block<'a> {
    fields: &'a Map<String, Value>,
    /// What stands before the name of a field in a message: `stages.2.`
    path: String,
    problems: Vec<String>,
}

impl<'a> Block<'a> {
    fn problem(&mut self, name: &str, why: &str) {
        self.problems.push(format!("“{}{name}” {why}.", self.path));
    }

    fn get(&mut self, name: &str) -> Option<&'a Value> {
        let value = self.fields.get(name);
        if value.is_none() {
            self.problem(name, "is missing");
        }
        value
    }

    /// A number in a range; its least where there is none, with a problem.
    pub(super) fn number(&mut self, name: &str, least: f64, most: f64) -> f64 {
        let Some(value) = self.get(name) else { return least };
        match value.as_f64().filter(|n| n.is_finite()) {
            None => self.problem(name, "must be a number"),
            Some(n) if n < least => {
                self.problem(name, &format!("is {}, and cannot be less than {}", number(n), number(least)))
            }
            Some(n) if n > most => {
                self.problem(name, &format!("is {}, and cannot be more than {}", number(n), number(most)))
            }
            Some(n) => return n,
        }
        least
    }

    /// A number that a script may not have, and then prints as null.
    pub(super) fn maybe_number(&mut self, name: &str, least: f64, most: f64) -> Option<f64> {
        let is_there = self.fields.get(name).is_some_and(|value| !value.is_null());
        is_there.then(|| self.number(name, least, most))
    }

    /// A whole number in a range.
    pub(super) fn whole(&mut self, name: &str, least: f64, most: f64) -> f64 {
        let n = self.number(name, least, most);
        if n.fract() != 0.0 {
            self.problem(name, &format!("is {}, and must be whole", number(n)));
        }
        n.floor()
    }

    /// A time in seconds.
    pub(super) fn seconds(&mut self, name: &str) -> f64 {
        self.number(name, 1e-12, 1e7)
    }

    /// Bytes.
    pub(super) fn bytes(&mut self, name: &str) -> f64 {
        self.whole(name, 0.0, MOST)
    }

    /// Yes or no.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        let value = self.get(name).map(Value::as_bool);
        if value == Some(None) {
            self.problem(name, "must be true or false");
        }
        value.flatten().unwrap_or_default()
    }

    /// Text, shortened.
    pub(super) fn text(&mut self, name: &str) -> String {
        let value = self.get(name).map(Value::as_str);
        if value == Some(None) {
            self.problem(name, "must be text");
        }
        short(value.flatten().unwrap_or_default())
    }

    /// A list of numbers that are finite and not negative.
    pub(super) fn numbers(&mut self, name: &str) -> Vec<f64> {
        let Some(list) = self.list(name) else { return Vec::new() };
        let numbers: Option<Vec<f64>> = list.iter().map(good).collect();
        if numbers.is_none() {
            self.problem(name, "must be a list of numbers that are not negative");
        }
        numbers.unwrap_or_default()
    }

    /// The same; it may be empty.
    pub(super) fn maybe_numbers(&mut self, name: &str) -> Vec<f64> {
        match self.fields.get(name).and_then(Value::as_array) {
            Some(list) if list.is_empty() => Vec::new(),
            _ => self.numbers(name),
        }
    }

    /// A list of rows of `N` numbers that are finite and not negative.
    pub(super) fn rows<const N: usize>(&mut self, name: &str) -> Vec<[f64; N]> {
        let Some(list) = self.list(name) else { return Vec::new() };
        let row = |value: &Value| {
            let numbers: Vec<f64> = value.as_array()?.iter().map(good).collect::<Option<_>>()?;
            <[f64; N]>::try_from(numbers).ok()
        };
        let rows: Option<Vec<[f64; N]>> = list.iter().map(row).collect();
        if rows.is_none() {
            self.problem(name, &format!("must be a list of rows of {N} numbers that are not negative"));
        }
        rows.unwrap_or_default()
    }

    fn list(&mut self, name: &str) -> Option<&'a Vec<Value>> {
        let list = self.get(name)?.as_array();
        match list {
            None => self.problem(name, "must be a list"),
            Some(list) if list.is_empty() => self.problem(name, "is empty"),
            Some(list) if list.len() > LONGEST => self.problem(name, &format!("has more than {LONGEST} entries")),
            Some(list) => return Some(list),
        }
        None
    }

    /// What `take` makes of an object in a field.
    pub(super) fn within<T: Default>(&mut self, name: &str, take: impl FnOnce(&mut Block<'a>) -> T) -> T {
        match self.get(name).map(Value::as_object) {
            Some(Some(fields)) => self.inside(name, fields, take),
            Some(None) => {
                self.problem(name, "must be an object in braces");
                T::default()
            }
            None => T::default(),
        }
    }

    /// What `take` makes of each object of a list.
    pub(super) fn each<T>(&mut self, name: &str, mut take: impl FnMut(&mut Block<'a>) -> T) -> Vec<T> {
        let Some(list) = self.list(name) else { return Vec::new() };
        let mut all = Vec::new();
        for (i, value) in list.iter().enumerate() {
            match value.as_object() {
                Some(fields) => all.push(self.inside(&format!("{name}.{i}"), fields, &mut take)),
                None => self.problem(name, "must be a list of objects in braces"),
            }
        }
        all
    }

    fn inside<T>(&mut self, name: &str, fields: &'a Map<String, Value>, take: impl FnOnce(&mut Block<'a>) -> T) -> T {
        let mut inner = Block { fields, path: format!("{}{name}.", self.path), problems: Vec::new() };
        let taken = take(&mut inner);
        self.problems.append(&mut inner.problems);
        taken
    }
}

fn good(value: &Value) -> Option<f64> {
    value.as_f64().filter(|n| n.is_finite() && (0.0..=MOST).contains(n))
}

/// As much of it as a message has room for.
fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}
