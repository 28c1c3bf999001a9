//! What a checkpoint weighs, how long it stops training, and how long until it is safe.

use crate::options;

/// How checkpoints are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Save {
    /// Rank 0 gathers everything and writes one file; training waits.
    Single,
    /// Every rank writes its own shards; training waits.
    #[default]
    Sharded,
    /// Every rank copies its shards to host memory; they are written while training goes on.
    Async,
    /// Every rank copies its shards to host memory, there and on other nodes; now and then they go to storage as well.
    Memory,
}

options!(Save {
    Single: "single", "rank 0 writes";
    Sharded: "sharded", "sharded";
    Async: "async", "asynchronous";
    Memory: "memory", "in memory";
});

/// A checkpoint and the ways that it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Store {
    /// How it is written.
    pub save: Save,
    /// Bytes of the whole checkpoint.
    pub bytes: f64,
    /// GPUs.
    pub gpus: f64,
    /// Nodes.
    pub nodes: f64,
    /// Bytes a second that storage takes, from all nodes together.
    pub storage: f64,
    /// Bytes a second between a node and storage, or another node.
    pub node: f64,
    /// Bytes a second from a GPU to its host's memory.
    pub host: f64,
    /// Seconds that every checkpoint stops training whatever its size: to agree on it, to plan, to write metadata.
    pub fixed: f64,
    /// Copies in memory, the node's own included.
    pub copies: f64,
    /// Seconds of writing to storage, where they are given and not computed.
    pub given: Option<f64>,
}

/// What Llama 3's storage takes: sustained and at its peak, in bytes a second (arXiv 2407.21783, section 3.3.1: 240 PB, 2 and 7 TB/s).
pub const LLAMA3_STORAGE: [f64; 2] = [2e12, 7e12];

impl Store {
    /// Nodes that write.
    pub fn writers(&self) -> f64 {
        if self.save == Save::Single { 1.0 } else { self.nodes }
    }

    /// Bytes a second from the job to storage and back.
    pub fn bandwidth(&self) -> f64 {
        self.storage.min(self.writers() * self.node)
    }

    /// Seconds until all of it is in storage.
    pub fn write(&self) -> f64 {
        self.given.unwrap_or(self.bytes / self.bandwidth())
    }

    /// Seconds to read it from storage.
    pub fn read(&self) -> f64 {
        self.given.unwrap_or(self.bytes / self.storage.min(self.nodes * self.node))
    }

    /// Seconds from a GPU's memory to its host's.
    pub fn snapshot(&self) -> f64 {
        self.bytes / self.gpus / self.host
    }

    /// Seconds for a node's part to reach another node, once for each further copy.
    pub fn replicate(&self) -> f64 {
        (self.copies - 1.0).max(0.0) * self.bytes / self.nodes / self.node
    }

    /// Seconds that training stands still: δ.
    pub fn stall(&self) -> f64 {
        match self.save {
            Save::Single | Save::Sharded => self.fixed + self.write(),
            Save::Async | Save::Memory => self.fixed + self.snapshot(),
        }
    }

    /// Seconds from the end of the stall until a failure cannot undo the checkpoint.
    pub fn lag(&self) -> f64 {
        match self.save {
            Save::Single | Save::Sharded => 0.0,
            Save::Async => self.write(),
            Save::Memory => self.replicate(),
        }
    }

    /// Seconds to load the newest copy after a failure.
    pub fn load(&self) -> f64 {
        match self.save {
            Save::Single | Save::Sharded | Save::Async => self.read(),
            Save::Memory => self.bytes / self.nodes / self.node + self.snapshot(),
        }
    }
}
