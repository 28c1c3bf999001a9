//! A puzzle of the ladder, as its author writes it in TOML: `content/programs/<nn-slug>.toml`.

use serde::{Deserialize, Serialize};

use super::{Budgets, Fault, Job, Machine, Verdict, rank_counts};

/// A wrong program: the solution with some text exchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrong {
    /// What is wrong with it, for authors.
    pub mistake: String,
    /// Pairs: text that occurs once in the solution, and what stands there instead.
    pub change: Vec<[String; 2]>,
    /// Ranks that it runs on.
    pub ranks: usize,
    /// What it must be found to be.
    pub verdict: Verdict,
    /// What must be said, to the letter.
    pub says: String,
}

/// What differs from the defaults on a machine of a puzzle.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Over {
    /// FLOPs per second of a rank.
    pub peak: Option<f64>,
    /// Ranks per node.
    pub node: Option<usize>,
    /// α within a node, seconds.
    pub latency: Option<f64>,
    /// Bytes per second within a node.
    pub bandwidth: Option<f64>,
    /// Bytes that a pair of ranks can have under way.
    pub buffer: Option<u64>,
}

impl Over {
    fn machine(&self) -> Machine {
        let mut machine = Machine::default();
        machine.peak = self.peak.unwrap_or(machine.peak);
        machine.node = self.node.unwrap_or(machine.node);
        machine.buffer = self.buffer.unwrap_or(machine.buffer);
        machine.inside.latency = self.latency.unwrap_or(machine.inside.latency);
        machine.inside.bandwidth = self.bandwidth.unwrap_or(machine.inside.bandwidth);
        machine
    }
}

/// A puzzle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// Its name in links: the file's name without number and ending. Not in the file.
    #[serde(default)]
    pub id: String,
    /// Its title.
    pub title: String,
    /// The chapter that teaches it, by its slug.
    pub chapter: String,
    /// What to write: Markdown.
    pub task: String,
    /// A program that runs and fails.
    pub starter: String,
    /// Hints, one at a time: Markdown.
    pub hints: Vec<String>,
    /// The best known program.
    pub solution: String,
    /// Why it works: Markdown.
    pub say: String,
    /// What one process computes: `expect(rank, name, tensor)` says what each rank must submit.
    pub reference: String,
    /// World sizes that it must pass on, the one shown first in front.
    pub ranks: Vec<usize>,
    /// Launches before the one that counts, as fractions or multiples of its world size; each at least one rank.
    #[serde(default)]
    pub launches: Vec<f64>,
    /// A rank that dies.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// What a correct program may use.
    #[serde(default)]
    pub budgets: Budgets,
    /// Whether only sends and receives count, because the collective itself is the puzzle.
    #[serde(default)]
    pub sends: bool,
    /// The machine, where it differs from the default.
    #[serde(default)]
    pub machine: Over,
    /// How far off an element may be, relative to the larger of 1 and its expected value.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
    /// Wrong programs and what each must be told.
    #[serde(default)]
    pub wrong: Vec<Wrong>,
}

fn tolerance() -> f64 {
    Job::default().tolerance
}

impl Puzzle {
    /// Ranks of the launches before the one that counts, which runs on `ranks` ranks.
    pub fn launches_before(&self, ranks: usize) -> Vec<usize> {
        self.launches.iter().map(|of| ((ranks as f64 * of).round() as usize).max(1)).collect()
    }

    /// What to say of a program that fails on `ranks` ranks, if the puzzle isn't checked on so many.
    pub fn unchecked(&self, ranks: usize) -> Option<String> {
        (!self.ranks.contains(&ranks)).then(|| {
            let asked = rank_counts(&self.ranks);
            format!("This puzzle is checked on {asked} ranks. On {ranks} ranks even its solution may fail.")
        })
    }

    /// The job that runs `program` on `ranks` ranks.
    pub fn job(&self, program: &str, ranks: usize) -> Job {
        Job {
            program: program.to_owned(),
            world_size: ranks,
            machine: self.machine.machine(),
            reference: Some(self.reference.clone()),
            best: Some(self.solution.clone()),
            budgets: self.budgets,
            sends: self.sends,
            tolerance: self.tolerance,
            launches: self.launches_before(ranks),
            fault: self.fault,
            ..Job::default()
        }
    }

    /// A wrong program.
    ///
    /// # Errors
    /// If what it exchanges does not occur exactly once.
    pub fn broken(&self, wrong: &Wrong) -> Result<String, String> {
        wrong.change.iter().try_fold(self.solution.clone(), |text, [from, to]| {
            match text.matches(from.as_str()).count() {
                1 => Ok(text.replacen(from.as_str(), to, 1)),
                n => Err(format!("“{}”: “{from}” occurs {n} times in the solution, not once.", wrong.mistake)),
            }
        })
    }
}
