//! A job, and a list of them as people write it.

use super::{sacct, sbatch};
use crate::declare::{Field, Slot, Text};
use crate::query::shorten;
use crate::slurm::time;

/// Most jobs of a list.
pub const MOST: usize = 100;
/// Highest class of a job.
pub const MAX_CLASS: u64 = 9;

/// A job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Job {
    /// Its name.
    pub name: String,
    /// Who submitted it.
    pub user: String,
    /// When, in seconds.
    pub submit: u64,
    /// Nodes; as many pods or tasks, each on another node.
    pub nodes: u32,
    /// GPUs on each of them.
    pub gpus: u32,
    /// What it asks for, in seconds: its time limit.
    pub requested: u64,
    /// What it takes, in seconds; at most what it asks for.
    pub real: u64,
    /// Its class, 0 to 9: quality of service, or a PriorityClass. The highest goes first.
    pub class: u64,
}

impl Job {
    /// GPUs in all.
    pub const fn all_gpus(&self) -> u64 {
        self.nodes as u64 * self.gpus as u64
    }
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Which, from 1.
    pub line: usize,
    /// What is wrong, and what would be valid: a sentence.
    pub why: String,
}

/// What a list says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// Its jobs, each with the line that it stands in.
    pub jobs: Vec<(usize, Job)>,
    /// Lines that could not be used.
    pub wrong: Vec<Wrong>,
}

impl Listed {
    /// Notes what is wrong with a line.
    pub(super) fn wrong(&mut self, line: usize, why: impl Into<String>) {
        self.wrong.push(Wrong { line, why: why.into() });
    }

    /// Adds a job that stands in this line, if there is room for it.
    pub(super) fn job(&mut self, line: usize, job: Job) {
        if self.jobs.len() < MOST {
            self.jobs.push((line, job));
        } else {
            self.wrong(line, format!("At most {MOST} jobs are read."));
        }
    }
}

/// A list of jobs as it was written; an empty one stands for none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobList(pub String);

/// How a line of the short form is written.
pub const FORM: &str = "name user submitted nodes×gpus limit real class";

impl JobList {
    /// Reads it: what `sacct` prints, headers of `sbatch` scripts, or the short form. What is wrong is kept beside its line.
    pub fn listed(&self) -> Listed {
        let text = self.0.as_str();
        if text.lines().any(|line| line.trim_start().starts_with("#SBATCH")) {
            sbatch::read(text)
        } else if text.contains('|') || sacct::is_table(text) {
            sacct::read(text)
        } else {
            short(text)
        }
    }
}

/// The short form: a line or what stands before a semicolon is a job.
fn short(text: &str) -> Listed {
    let mut listed = Listed::default();
    let lines = text.lines().enumerate().flat_map(|(i, line)| line.split(';').map(move |part| (i + 1, part.trim())));
    for (line, part) in lines.filter(|(_, part)| !part.is_empty() && !part.starts_with('#')) {
        match one(part) {
            Ok(job) => listed.job(line, job),
            Err(why) => listed.wrong(line, why),
        }
    }
    listed
}

fn one(part: &str) -> Result<Job, String> {
    let words: Vec<&str> = part.split_whitespace().collect();
    let (&[name, user, submit, size, limit], rest) = match words.first_chunk::<5>() {
        Some(five) => (five, words.get(5..).unwrap_or_default()),
        None => {
            return Err(format!(
                "A job is written as “{FORM}”, the last two may be left out; not “{}”.",
                shorten(part)
            ));
        }
    };
    let seconds = |what: &str, word: &str| {
        time::short(word)
            .ok_or_else(|| format!("{what} must be a time such as 90s, 30m or 1h30m, not “{}”.", shorten(word)))
    };
    let size_of = |word: &str| -> Option<(u32, u32)> {
        let (nodes, gpus) = word.split_once(['x', '×'])?;
        Some((nodes.parse().ok()?, gpus.parse().ok()?))
    };
    let (nodes, gpus) = size_of(size)
        .filter(|(nodes, gpus)| *nodes > 0 && *gpus > 0)
        .ok_or_else(|| format!("The size must be nodes×GPUs of each, such as 2x8, not “{}”.", shorten(size)))?;
    let requested = seconds("The limit", limit)?;
    let real = rest.first().map_or(Ok(requested), |word| seconds("What it takes", word))?;
    if real > requested {
        return Err(format!(
            "{name} would take longer ({}) than its limit ({limit}): Slurm ends it there.",
            rest.first().unwrap_or(&"")
        ));
    }
    let class = match rest.get(1) {
        None => 0,
        Some(word) => word.parse::<u64>().ok().filter(|class| *class <= MAX_CLASS).ok_or_else(|| {
            format!("The class must be a whole number from 0 to {MAX_CLASS}, not “{}”.", shorten(word))
        })?,
    };
    if let Some(more) = rest.get(2) {
        return Err(format!("A job is written as “{FORM}”; “{}” is too much.", shorten(more)));
    }
    let submit = seconds("The time of submission", submit)?;
    Ok(Job { name: name.to_owned(), user: user.to_owned(), submit, nodes, gpus, requested, real, class })
}

impl Text for JobList {
    fn read(&mut self, text: &str) -> Result<(), String> {
        self.0 = text.trim().to_owned();
        match self.listed().wrong.first() {
            Some(Wrong { line, why }) => Err(format!("jobs, line {line}: {why}")),
            None => Ok(()),
        }
    }

    fn write(&self) -> String {
        self.0.clone()
    }
}

impl Field for JobList {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}
