//! Steps of training as a profiler would see them, with causes of low utilization that can be set.
//!
//! What is modelled: a CPU thread that calls operators and launches kernels, and runs ahead of the GPU; streams that do what is launched in
//! its order; waits of one stream for another; copies; all-reduces of gradients that end on all ranks at once. Durations are of the order
//! of those on an H100, and vary by a few percent from a seed. They are chosen, not measured: no trace made here is of a real run.
//!
//! Every trace has the events that PyTorch's profiler writes of the same program, under their names.

mod machine;
mod step;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::Trace;
use crate::options;

/// What slows a step down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Cause {
    /// Nothing.
    #[default]
    None,
    /// The data loader is slower than the GPU.
    DataLoader,
    /// Kernels are shorter than their launches.
    SmallKernels,
    /// `.item()` makes the CPU wait for the GPU.
    Sync,
    /// One rank is slower than the others.
    Straggler,
    /// Gradients are exchanged after the backward pass instead of during it.
    ExposedCommunication,
    /// The allocator gives memory back and takes it again.
    AllocatorRetries,
    /// Chains of elementwise kernels move the same data again and again.
    MemoryBound,
    /// The optimizer launches kernels for each parameter.
    UnfusedOptimizer,
    /// The forward pass is computed twice.
    Recomputation,
    /// The batch is copied from memory that is not pinned.
    PageableCopies,
    /// Python's garbage collector stops the CPU thread.
    GarbageCollection,
}

options!(Cause {
    None: "none", "nothing";
    DataLoader: "data-loader", "slow data loader";
    SmallKernels: "small-kernels", "small kernels";
    Sync: "sync", "host–device synchronization";
    Straggler: "straggler", "a straggler";
    ExposedCommunication: "exposed-communication", "exposed communication";
    AllocatorRetries: "allocator-retries", "allocator retries";
    MemoryBound: "memory-bound", "memory-bound chains";
    UnfusedOptimizer: "unfused-optimizer", "unfused optimizer";
    Recomputation: "recomputation", "recomputation";
    PageableCopies: "pageable-copies", "pageable copies";
    GarbageCollection: "garbage-collection", "garbage collection";
});

impl Cause {
    /// What to try against it.
    pub const fn repair(self) -> &'static str {
        match self {
            Cause::None => "Leave it as it is",
            Cause::DataLoader => "More workers in the DataLoader, and prefetching",
            Cause::SmallKernels => "CUDA graphs, torch.compile or a larger batch",
            Cause::Sync => "No .item() in the step: keep the value on the GPU, read it every hundred steps",
            Cause::Straggler => "Find out why that rank is late: its clocks, its input, its neighbours",
            Cause::ExposedCommunication => "Start each bucket’s all-reduce during the backward pass",
            Cause::AllocatorRetries => "expandable_segments:True, or a smaller peak",
            Cause::MemoryBound => "Fuse the chains, with torch.compile or a kernel of one’s own",
            Cause::UnfusedOptimizer => "fused=True or foreach=True in the optimizer",
            Cause::Recomputation => "Keep what fits: checkpoint fewer layers, or only what is cheap to recompute",
            Cause::PageableCopies => "pin_memory=True in the DataLoader, non_blocking=True in the copy",
            Cause::GarbageCollection => "gc.freeze() after the first steps, and collect by hand on all ranks at once",
        }
    }
}

/// What is simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// What slows it down.
    pub causes: Vec<Cause>,
    /// Layers of the model, 1 to 64.
    pub layers: u64,
    /// Steps that are recorded, 1 to 8.
    pub steps: u64,
    /// Ranks, 1 to 8.
    pub ranks: u64,
    /// For durations that vary.
    pub seed: u64,
    /// Whether kernels are launched as CUDA graphs, which costs the CPU a tenth.
    pub graphs: bool,
}

impl Setup {
    /// Whether a cause is set.
    pub fn has(&self, cause: Cause) -> bool {
        self.causes.contains(&cause)
    }

    /// The same with what is tried against a cause. Small kernels stay small: graphs launch them faster.
    pub fn repaired(&self, cause: Cause) -> Self {
        match cause {
            Cause::SmallKernels => Self { graphs: true, ..self.clone() },
            _ => Self { causes: self.causes.iter().copied().filter(|c| *c != cause).collect(), ..self.clone() },
        }
    }

    /// The same with what is tried against each of its causes.
    pub fn mended(&self) -> Self {
        self.causes.iter().fold(self.clone(), |setup, cause| setup.repaired(*cause))
    }

    /// The traces of all ranks.
    pub fn run(&self) -> Vec<Trace> {
        step::run(self)
    }
}
