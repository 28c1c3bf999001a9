//! What came of something that was pasted.

use super::file::Run;
use super::ledger::Link;
use super::topology::Topology;
use crate::allocator::History;
use crate::allocator::versus::Holdings;
use crate::options;
use crate::quantity::grouped;
use crate::trace::versus::Profile;

/// What a text was recognized as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// A run file.
    RunFile,
    /// Hugging Face's `config.json`.
    Config,
    /// DeepSpeed's `ds_config.json`.
    DeepSpeed,
    /// Megatron-LM's flags, or its dump of them.
    Megatron,
    /// torchtitan's TOML.
    Torchtitan,
    /// Accelerate's YAML.
    Accelerate,
    /// Axolotl's YAML.
    Axolotl,
    /// Arguments of the HF Trainer in YAML: LLaMA-Factory's, TRL's, the alignment handbook's.
    Trainer,
    /// Calls of `fully_shard`.
    Fsdp,
    /// `vllm serve` or SGLang's `launch_server`.
    Serve,
    /// What a training or serving program printed.
    Log,
    /// `nvidia-smi`.
    NvidiaSmi,
    /// `nvidia-smi topo -m`.
    Topology,
    /// `rocm-smi`.
    RocmSmi,
    /// nccl-tests.
    NcclTests,
    /// A profiler trace.
    Trace,
    /// A memory snapshot.
    Snapshot,
    /// A batch script or a launch command.
    Script,
    /// The block that one of the course's labs prints.
    Lab,
    /// What a program printed when it ended on an error, without numbers of the run.
    Errors,
    /// A script or settings of a program that isn't known here: nothing printed them.
    Written,
    /// None of these.
    #[default]
    Unknown,
}

options!(Kind {
    RunFile: "run-file", "Run file";
    Config: "config", "Model config.json";
    DeepSpeed: "deepspeed", "DeepSpeed configuration";
    Megatron: "megatron", "Megatron-LM flags";
    Torchtitan: "torchtitan", "torchtitan configuration";
    Accelerate: "accelerate", "Accelerate configuration";
    Axolotl: "axolotl", "Axolotl configuration";
    Trainer: "trainer", "Trainer configuration";
    Fsdp: "fsdp", "FSDP2 code";
    Serve: "serve", "Serving command";
    Log: "log", "Run output";
    NvidiaSmi: "nvidia-smi", "nvidia-smi";
    Topology: "topology", "nvidia-smi topo -m";
    RocmSmi: "rocm-smi", "rocm-smi or amd-smi";
    NcclTests: "nccl-tests", "nccl-tests";
    Trace: "trace", "Profiler trace";
    Snapshot: "snapshot", "Memory snapshot";
    Script: "script", "Launch script";
    Lab: "lab", "Lab result";
    Errors: "errors", "Error log";
    Written: "written", "Not recognized";
    Unknown: "unknown", "Not recognized";
});

impl Kind {
    /// Whether what looks like an error in it was printed, and isn't only spoken of.
    pub fn is_output(self) -> bool {
        matches!(self, Kind::Unknown | Kind::Errors | Kind::Log)
    }
}

/// How much of a text was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// All that matters.
    Read,
    /// Some of it.
    Partly,
    /// Nothing.
    #[default]
    Refused,
}

options!(Outcome {
    Read: "read", "Read";
    Partly: "partly", "Partly read";
    Refused: "refused", "Not read";
});

/// Something that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What it is: "Tensor-parallel ranks".
    pub what: String,
    /// Its value for a person.
    pub value: String,
    /// The line it stands on, from 1; 0 for none.
    pub line: usize,
    /// The figure that shows it.
    pub link: Option<Link>,
}

/// What makes a run fail: a launch that can't work as it is written, or an error that ended it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// What happens: "It hangs".
    pub what: String,
    /// The line that does it, from 1; 0 for none.
    pub line: usize,
    /// That line as it stands, shortened.
    pub text: String,
    /// Why, and what to do: sentences.
    pub why: String,
    /// The figure that shows it.
    pub link: Option<Link>,
    /// What a run file keeps of it: a sentence.
    pub sentence: String,
}

impl Stop {
    /// Where it stands, of a card with this name: `job.sh, line 9`.
    pub fn place(&self, name: &str) -> String {
        if self.line > 0 { format!("{name}, line {}", grouped(self.line as u64)) } else { name.to_owned() }
    }
}

/// Something that wasn't.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// As it stands, shortened.
    pub text: String,
    /// Why, in a few words; empty where it is only not known.
    pub why: String,
    /// The line it stands on, from 1; 0 for none.
    pub line: usize,
}

/// What came of a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Card {
    /// The name of the file, or "Pasted text".
    pub name: String,
    /// The first and the last line that it stands on, from 1, where a text had several things in it.
    pub part: Option<[usize; 2]>,
    /// What it was recognized as.
    pub kind: Kind,
    /// Whether it was read.
    pub outcome: Outcome,
    /// The sentence above the lists.
    pub said: String,
    /// What was read.
    pub found: Vec<Found>,
    /// What wasn't, as far as it is listed.
    pub unread: Vec<Unread>,
    /// How much wasn't, with what isn't listed.
    pub unread_count: usize,
    /// What makes the run fail, if something does.
    pub stop: Option<Stop>,
    /// Whether somebody wrote all of its text, so that nothing in it was printed.
    pub written: bool,
    /// Whether a launch in it was followed and works.
    pub launches: bool,
    /// What it says of the run.
    pub run: Run,
    /// The node that it draws.
    pub topology: Option<Topology>,
    /// What of a trace is put beside another.
    pub profile: Option<Profile>,
    /// What of a snapshot is put beside another.
    pub holdings: Option<Holdings>,
    /// What each GPU of a snapshot held over time.
    pub histories: Vec<History>,
}

/// Most unread items that are listed.
const LISTED: usize = 40;
/// The longest text of one that is kept.
const QUOTE: usize = 200;

/// The beginning of a text, on one line.
pub(super) fn quote(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= QUOTE { text.to_owned() } else { text.chars().take(QUOTE - 1).chain(['…']).collect() }
}

impl Card {
    /// An empty one.
    /// What is said of a text of a known kind in which nothing was read.
    pub(super) const NOTHING: &str = "Nothing in it is known here.";

    pub(super) fn new(name: &str, kind: Kind) -> Self {
        Self { name: name.to_owned(), kind, ..Self::default() }
    }

    /// What a person calls it: its name, and where it stands in a text that had several things in it.
    pub fn title(&self) -> String {
        match self.part {
            Some([first, last]) if first == last => format!("{}, line {}", self.name, grouped(first as u64)),
            Some([first, last]) => format!("{}, lines {}–{}", self.name, grouped(first as u64), grouped(last as u64)),
            None => self.name.clone(),
        }
    }

    /// Whether its text may hold errors that the course's signs explain: output, what a tool lists, or what starts a program with what came of it.
    pub fn may_hold_errors(&self) -> bool {
        let is_tool = matches!(self.kind, Kind::NvidiaSmi | Kind::RocmSmi);
        let starts = matches!(self.kind, Kind::Serve | Kind::Script | Kind::Megatron | Kind::Trainer);
        !self.written && (self.kind.is_output() || is_tool || starts)
    }

    /// A refusal with its reason.
    pub(super) fn refused(name: &str, kind: Kind, why: impl Into<String>) -> Self {
        Self { said: why.into(), ..Self::new(name, kind) }
    }

    /// Notes something that was read.
    pub(super) fn found(&mut self, what: impl Into<String>, value: impl Into<String>, line: usize) {
        self.found.push(Found { what: what.into(), value: value.into(), line, link: None });
    }

    /// Notes something that was read, with the figure that shows it.
    pub(super) fn found_in(&mut self, what: impl Into<String>, value: impl Into<String>, link: Option<Link>) {
        self.found.push(Found { what: what.into(), value: value.into(), line: 0, link });
    }

    /// Notes something that wasn't.
    pub(super) fn unread(&mut self, text: &str, why: impl Into<String>, line: usize) {
        self.unread_count += 1;
        if self.unread.len() < LISTED {
            self.unread.push(Unread { text: quote(text), why: why.into(), line });
        }
    }

    /// Notes a setting that wasn't, which the run file keeps.
    pub(super) fn unread_setting(&mut self, text: &str, why: impl Into<String>, line: usize) {
        self.unread(text, why, line);
        let label = self.kind.label();
        self.run.unread.push(format!("{label}: {}", quote(text)));
    }

    /// Notes a setting that was given and isn't known, by its key in a run file: what is assumed of it decides nothing.
    pub(super) fn unknown(&mut self, key: &str, text: &str, why: impl Into<String>, line: usize) {
        self.unread_setting(text, why, line);
        self.run.unknown.push(key.to_owned());
    }

    /// Decides the outcome by what was found, and the sentence if there is none.
    pub(super) fn done(mut self) -> Self {
        self.outcome = match (self.found.is_empty(), self.unread_count) {
            (true, _) => Outcome::Refused,
            (false, 0) => Outcome::Read,
            (false, _) => Outcome::Partly,
        };
        if self.said.is_empty() {
            self.said = match self.outcome {
                Outcome::Refused => Self::NOTHING.to_owned(),
                Outcome::Read => "Everything in it was read.".to_owned(),
                Outcome::Partly => {
                    let rest = crate::quantity::counted(
                        self.unread_count as u64,
                        "item wasn't read and may change the prediction.",
                        "items weren't read and may change the prediction.",
                    );
                    let kept = if self.run.unread.is_empty() { "" } else { " The run file keeps the settings." };
                    format!("{rest}{kept}")
                }
            };
        }
        self
    }
}
