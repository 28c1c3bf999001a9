//! What to run.

use serde::{Deserialize, Serialize};

use crate::hardware::Accelerator;
use crate::hardware::links::{Link, Wiring};
use crate::network::Fabric;

/// Fewest ranks of a run.
pub const MIN_RANKS: usize = 1;
/// Most ranks of a run.
pub const MAX_RANKS: usize = 16;

/// A link: what a message takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// α: seconds before the first byte.
    pub latency: f64,
    /// 1/β: bytes per second, in each direction at once.
    pub bandwidth: f64,
}

impl Wire {
    const fn link(self) -> Link {
        Link {
            id: "",
            name: "",
            latency: self.latency,
            bandwidth: self.bandwidth,
            wiring: Wiring::Port,
            source: crate::hardware::links::LATENCY_SOURCE,
        }
    }
}

/// The machine that the ranks run on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Machine {
    /// FLOPs per second of a rank.
    pub peak: f64,
    /// Ranks per node.
    pub node: usize,
    /// The link between two ranks of a node.
    pub inside: Wire,
    /// The link between two nodes, one port per rank.
    pub across: Wire,
    /// Bytes that a pair of ranks can have under way before a send waits for its receiver.
    pub buffer: u64,
}

impl Default for Machine {
    /// A small machine on which a matrix of 16 × 16 takes about as long to multiply as to send, so that tiny tensors show
    /// what large ones do: 1 GFLOP/s, 1 µs and 1 GB/s within a node of eight, 5 µs and 0.25 GB/s between nodes.
    fn default() -> Self {
        Self {
            peak: 1e9,
            node: 8,
            inside: Wire { latency: 1e-6, bandwidth: 1e9 },
            across: Wire { latency: 5e-6, bandwidth: 0.25e9 },
            buffer: 64,
        }
    }
}

impl Machine {
    /// A machine of real parts: `gpu`, `inside` within nodes of `node` ranks, a port of `across` per rank between them. Its
    /// buffer is NCCL's, 4 MiB per channel (`NCCL_BUFFSIZE`).
    pub fn of(gpu: &Accelerator, node: usize, inside: &Link, across: &Link) -> Self {
        Self {
            peak: gpu.peak,
            node: node.max(1),
            inside: Wire { latency: inside.latency, bandwidth: inside.bandwidth },
            across: Wire { latency: across.latency, bandwidth: across.bandwidth },
            buffer: 4 << 20,
        }
    }

    /// The fabric that closed forms of collectives are computed over.
    pub fn fabric(&self) -> Fabric {
        Fabric::nodes(self.node.max(1), &self.inside.link(), &self.across.link())
    }

    /// The machine as the ranks of a group have it to themselves: their node, or a regular part of every node. None for a group
    /// whose ranks lie in nodes unevenly.
    pub fn group(&self, ranks: &[usize]) -> Option<Self> {
        let node = self.node.max(1);
        let (first, n) = (*ranks.first()?, ranks.len());
        if ranks.iter().all(|rank| rank / node == first / node) {
            return Some(Self { node: n, ..*self });
        }
        let stride = ranks.get(1)?.checked_sub(first).filter(|stride| *stride > 0)?;
        let regular = ranks.windows(2).all(|pair| matches!(pair, [a, b] if *a + stride == *b));
        let share = node / stride;
        // Each node holds as many of them, or each of them has a node for itself.
        let even =
            if share == 0 { stride.is_multiple_of(node) } else { node.is_multiple_of(stride) && first % node < stride };
        (regular && even).then_some(Self { node: share.max(1), ..*self })
    }

    /// The link between two ranks.
    pub fn wire(&self, a: usize, b: usize) -> Wire {
        let node = self.node.max(1);
        if a / node == b / node { self.inside } else { self.across }
    }

    /// What about it makes no sense, as a sentence.
    ///
    /// # Errors
    /// If a rate is not positive and finite, or a latency negative.
    pub fn check(&self) -> Result<(), String> {
        let rates = [self.peak, self.inside.bandwidth, self.across.bandwidth];
        let latencies = [self.inside.latency, self.across.latency];
        if !rates.iter().all(|r| r.is_finite() && *r > 0.0) {
            return Err("A rank's peak and its links' bandwidths must be above zero.".to_owned());
        }
        if !latencies.iter().all(|l| l.is_finite() && *l >= 0.0) {
            return Err("A link's latency can't be negative.".to_owned());
        }
        Ok(())
    }
}

/// What a correct program may use, as multiples of what the best known program uses on the same ranks and machine.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// Peak bytes of the fullest rank. None: any.
    pub memory: Option<f64>,
    /// Bytes that the busiest rank sends.
    pub bytes: Option<f64>,
    /// Seconds until the last rank has finished.
    pub time: Option<f64>,
}

/// Where a run is stopped, whatever it does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Bytecode steps of a rank. The interpreter reports every 256th.
    pub steps: u64,
    /// Calls of a rank into tensors and communication.
    pub calls: u64,
    /// FLOPs of a rank's tensors.
    pub flops: f64,
    /// Nested calls of functions.
    pub depth: usize,
    /// Bytes of all tensors of a rank at once.
    pub memory: u64,
    /// Bytes of lists, strings and the like that all ranks may hold together, as far as the allocator counts them.
    pub heap: u64,
    /// Bytes that a rank may print.
    pub output: usize,
    /// Seconds of real time. What the interpreter can't bound itself, such as `sum(range(10**9))`, is ended by whoever ends
    /// the worker after this.
    pub wall: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 5_000_000,
            calls: 20_000,
            flops: 4e9,
            depth: 100,
            memory: 64 << 20,
            heap: 256 << 20,
            output: 16 << 10,
            wall: 10.0,
        }
    }
}

/// A rank that dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The rank.
    pub rank: usize,
    /// It dies where it calls `step` with this number.
    pub step: i64,
}

/// A program and what to run it on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The program, in Python. Every rank runs it.
    pub program: String,
    /// Ranks.
    pub world_size: usize,
    /// The machine.
    pub machine: Machine,
    /// A program that one process runs and that says with `expect(rank, name, tensor)` what each rank must submit. None: any
    /// result is right.
    pub reference: Option<String>,
    /// The best known program: what the budgets are multiples of.
    pub best: Option<String>,
    /// What a correct program may use.
    pub budgets: Budgets,
    /// Whether a correct program calls no collective but a barrier.
    pub sends: bool,
    /// Where a run is stopped.
    pub limits: Limits,
    /// What `torch.manual_seed` starts from on every rank.
    pub seed: u64,
    /// How far from the expected value an element may be, relative to the larger of 1 and that value.
    pub tolerance: f64,
    /// Rank counts of launches before this one. They share files (`torch.save`) with it.
    pub launches: Vec<usize>,
    /// A rank that dies.
    pub fault: Option<Fault>,
}

impl Default for Job {
    fn default() -> Self {
        Self {
            program: String::new(),
            world_size: 4,
            machine: Machine::default(),
            reference: None,
            best: None,
            budgets: Budgets::default(),
            sends: false,
            limits: Limits::default(),
            seed: 0,
            tolerance: 1e-4,
            launches: Vec::new(),
            fault: None,
        }
    }
}
