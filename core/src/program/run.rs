//! What a run did.

use serde::{Deserialize, Serialize};

use crate::collective::Op;
use crate::options;

/// What a tensor's bytes are held for. A program says it with `tag(tensor, "gradients")`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Parameters.
    Parameters,
    /// Gradients.
    Gradients,
    /// Optimizer state.
    Optimizer,
    /// Activations.
    Activations,
    /// Everything untagged.
    #[default]
    Tensors,
}

options!(Kind {
    Parameters: "parameters", "Parameters";
    Gradients: "gradients", "Gradients";
    Optimizer: "optimizer", "Optimizer state";
    Activations: "activations", "Activations";
    Tensors: "tensors", "Untagged tensors";
});

/// How many kinds of memory there are.
pub const KINDS: usize = 5;

/// What a rank does for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// It computes.
    Compute,
    /// It is blocked in a send, or a send is under way beside its program.
    Send,
    /// It is blocked in a receive, or a receive is under way beside its program.
    Recv,
    /// It waits for a work handle.
    Wait,
    /// It takes part in a collective.
    Collective,
}

/// One bar of a rank's lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// What it is.
    pub kind: EventKind,
    /// Line of the program, from 1.
    pub line: u32,
    /// Seconds from the start of the run.
    pub start: f64,
    /// Seconds; `f64::INFINITY` is never used: what never ends has the time of the last thing that did.
    pub end: f64,
    /// Whether it ran beside the program, on the communication stream, and not in it.
    pub stream: bool,
    /// The function that was called: `all_reduce`, `matmul`.
    pub label: String,
    /// The other rank, of a send or receive.
    pub peer: Option<usize>,
    /// Bytes sent or received; of a collective, those of this rank's tensor.
    pub bytes: u64,
    /// FLOPs computed.
    pub flops: f64,
    /// Whether it never ended: the rank hangs here.
    pub hangs: bool,
}

/// A rank's tensors from one moment to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemoryPoint {
    /// Seconds.
    pub time: f64,
    /// Line that changed it.
    pub line: u32,
    /// Bytes by [`Kind`], in its order.
    pub bytes: [u64; KINDS],
}

impl MemoryPoint {
    /// All kinds together.
    pub fn total(&self) -> u64 {
        self.bytes.iter().sum()
    }
}

/// Something printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Printed {
    /// Seconds.
    pub time: f64,
    /// What, without the end of the line.
    pub text: String,
}

/// A tensor that a rank handed in with `submit(name, tensor)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Submitted {
    /// Its name.
    pub name: String,
    /// Line of the call.
    pub line: u32,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its elements, at most the first 256.
    pub values: Vec<f64>,
}

/// How a rank ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Its program ended.
    Finished,
    /// It hangs.
    Waits {
        /// Line.
        line: u32,
        /// Ranks that it waits for.
        on: Vec<usize>,
        /// The call: "recv from rank 1".
        call: String,
    },
    /// It was stopped by an error.
    Failed {
        /// Line; 0 if the error has none.
        line: u32,
        /// The error as Python prints its last line.
        error: String,
    },
    /// It died, as the job said.
    Died {
        /// Line.
        line: u32,
    },
    /// Its own call ended the run: a collective that does not match that of another rank, a tensor that is still under way.
    Refused {
        /// Line.
        line: u32,
        /// The call: "all_reduce"; empty for an operator or a subscript.
        call: String,
    },
    /// It was still able to go on when another rank's error ended the run.
    Stopped {
        /// Line of its last call.
        line: u32,
    },
}

/// What one rank did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    /// Its events in the order of their start.
    pub events: Vec<Event>,
    /// Its memory over time; each point holds until the next.
    pub memory: Vec<MemoryPoint>,
    /// Its fullest moment.
    pub peak: MemoryPoint,
    /// Bytes that it sent.
    pub sent: u64,
    /// FLOPs that it computed.
    pub flops: f64,
    /// Calls into tensors and communication.
    pub calls: u64,
    /// What it printed.
    pub printed: Vec<Printed>,
    /// What it submitted.
    pub submitted: Vec<Submitted>,
    /// How it ended.
    pub state: State,
    /// Seconds when it ended, or stopped making progress.
    pub end: f64,
}

/// Bytes on their way from one rank to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Sender.
    pub from: usize,
    /// Receiver.
    pub to: usize,
    /// Bytes.
    pub bytes: u64,
    /// Seconds when the first byte leaves.
    pub start: f64,
    /// Seconds when the last one has arrived.
    pub end: f64,
    /// Line of the sender's call.
    pub line: u32,
    /// The collective that it is part of: its number in the run. None: a send.
    pub collective: Option<usize>,
}

/// A collective that every rank of its group called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Collective {
    /// The function of torch.distributed: `all_reduce`.
    pub call: String,
    /// Its group, in the group's order.
    pub ranks: Vec<usize>,
    /// S: bytes of the whole buffer.
    pub bytes: u64,
    /// Bytes that the busiest of its ranks sent.
    pub sent: u64,
    /// Seconds when its last rank called it.
    pub called: f64,
    /// Seconds when it began, after what kept its ranks' ways busy.
    pub start: f64,
    /// Seconds when it ended.
    pub end: f64,
}

/// The operation that a function of torch.distributed is; none for a barrier, which moves nothing.
pub fn operation(call: &str) -> Option<Op> {
    Op::find(&call.replace('_', "-"))
}

/// What a run used.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Seconds until the last rank had ended and the last message arrived.
    pub time: f64,
    /// Peak bytes of the fullest rank.
    pub memory: u64,
    /// Bytes that the busiest rank sent.
    pub bytes: u64,
    /// Bytes that all ranks sent.
    pub bytes_total: u64,
    /// FLOPs of all ranks.
    pub flops: f64,
}

/// What all ranks did.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Run {
    /// The ranks.
    pub ranks: Vec<Rank>,
    /// Messages in the order of their start.
    pub messages: Vec<Message>,
    /// Collectives in the order in which they could begin; a message names its own by its place here.
    pub collectives: Vec<Collective>,
    /// What it used.
    pub totals: Totals,
    /// Whether events, messages or collectives were left out because there were too many. Totals are exact all the same.
    pub cut: bool,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Right and within its budgets.
    Passed,
    /// No rank can go on.
    Deadlock,
    /// Ranks of a group call different collectives, or the same with different sizes.
    Mismatch,
    /// A message that nobody receives.
    Unreceived,
    /// A rank submitted a wrong value.
    Wrong,
    /// A rank did not submit what was asked for.
    Missing,
    /// A tensor was used while a message was still reading or writing it.
    Race,
    /// Right, but by a collective where only sends and receives count.
    Collective,
    /// Right, but too much memory.
    OverMemory,
    /// Right, but too many bytes sent.
    OverBytes,
    /// Right, but too slow.
    OverTime,
    /// The text is no Python, or uses what the interpreter lacks.
    Syntax,
    /// Python raised an error.
    Error,
    /// A limit on steps, calls, depth, tensors or printing ended it.
    Limit,
    /// The job itself makes no sense.
    Job,
}

/// A rank and a line that a diagnosis is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    /// The rank.
    pub rank: usize,
    /// The line, from 1; 0 if there is none.
    pub line: u32,
}

/// What a learner is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// What became of the run.
    pub verdict: Verdict,
    /// One or two sentences: what happened, where, and what to do.
    pub sentence: String,
    /// Ranks and lines, the most important first.
    pub at: Vec<At>,
}

impl Diagnosis {
    /// Whether the program solves its puzzle.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }
}

/// What a job gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What the ranks did.
    pub run: Run,
    /// What the best known program uses, if the job names one.
    pub best: Option<Totals>,
    /// What to say.
    pub diagnosis: Diagnosis,
}
