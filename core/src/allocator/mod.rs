//! The caching allocator, step by step: segments taken from the device, blocks in them, and requests that fit or do not.

mod device;
mod finding;
mod history;
mod pickle;
mod scenario;
mod snapshot;
#[cfg(test)]
mod tests;
pub mod versus;

pub use device::{Allocator, Answer, Block, Segment, Served, Use, rounded, segment_size};
pub use history::{History, Moment};
pub use scenario::{Op, Scenario};
pub use snapshot::{Bytes, Drawn, Piece, Reader, Site, Snapshot, State};

use crate::declare::{
    Field as _, Measure, Model, Origin, Origins, Param, choice, doc, headline, measure, origin, real, switch, whole,
    within, written,
};
use crate::quantity::{Unit, bytes_binary};
use crate::units::{GIB, MIB};

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// What the program does.
    pub scenario: Scenario,
    /// Whether `expandable_segments` is on.
    pub expandable: bool,
    /// MiB that are asked for last.
    pub request: f64,
    /// GiB that the device has for it.
    pub memory: f64,
    /// Steps done; the whole program if it has fewer.
    pub step: u64,
}

/// The most steps that a program has, and a step that is the last of any.
const LAST: u64 = 64;

/// Bytes with binary prefixes, as PyTorch prints them.
const fn bytes(id: &'static str, label: &'static str, of: fn(&Params, &Run) -> f64) -> Measure<Params, Run> {
    written(bytes_binary, measure(id, label, Unit::Bytes, of))
}

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "caching-allocator";
    const TITLE: &'static str = "The caching allocator";
    const SUMMARY: &'static str = "PyTorch’s caching allocator step by step: segments, blocks, holes, retries, and what expandable segments change.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("program", "what the program does", Scenario::LIST, "holes")
            .label("Program")
            .main()
            .at(|p| p.scenario.slot()),
        switch("expandable", "whether expandable_segments is on", false)
            .label("expandable_segments")
            .main()
            .at(|p| p.expandable.slot()),
        real("request", "MiB that are asked for last", [0.001, 16384.0], "3584")
            .label("Last request, MiB")
            .each(Unit::Bytes, MIB)
            .doubling(14)
            .main()
            .at(|p| p.request.slot()),
        real("memory", "GiB that the device has for it", [1.0, 256.0], "8")
            .label("GPU memory, GiB")
            .each(Unit::Bytes, GIB)
            .doubling(8)
            .more("The device")
            .at(|p| p.memory.slot()),
        whole("step", "steps done", [0, LAST], "64").drawn().at(|p| p.step.slot()),
    ];
    const ORIGIN: Origin =
        Origin::Of("PyTorch’s caching allocator, c10/cuda/CUDACachingAllocator.cpp, run request by request");
    const ORIGINS: &'static [Origins] = &[origin(Origin::Definition, &["steps"])];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        doc(
            "Bytes in tensors that are alive, each rounded up to a block.",
            bytes("allocated", "Allocated", |_, r| r.now.allocated() as f64),
        ),
        within(
            |p, _| p.memory * GIB,
            headline(
                "What the allocator has taken from the GPU and keeps: tensors plus free blocks.",
                bytes("reserved", "Reserved", |_, r| r.now.reserved() as f64),
            ),
        ),
        headline(
            "Free memory that only this process can use. Much of it, in small pieces, is fragmentation.",
            bytes("unallocated", "Reserved but unallocated", |_, r| {
                r.now.reserved().saturating_sub(r.now.allocated()) as f64
            }),
        ),
        doc(
            "Free pieces of blocks of which another piece is in use; they can't be returned to the GPU.",
            bytes("inactive-split", "Inactive split blocks", |_, r| r.now.inactive_split() as f64),
        ),
        headline(
            "The largest request that needs no new segment.",
            bytes("longest-free", "Longest free block", |_, r| r.now.longest_free() as f64),
        ),
        doc(
            "Memory of the GPU that nothing has reserved.",
            bytes("device-free", "Free on the device", |_, r| r.now.device_free() as f64),
        ),
        doc(
            "The request rounded up as the allocator does it.",
            bytes("rounded", "Block size of the last request", |_, r| r.rounded()),
        ),
        bytes("asked", "Requested from the GPU if no block fits", |_, r| r.asked()),
        measure("segments", "Segments", Unit::Count, |_, r| r.now.segments.len() as f64),
        headline(
            "How often the allocator returned its free segments to the GPU and tried again. Each one synchronizes the GPU.",
            measure("retries", "Allocation retries", Unit::Count, |_, r| f64::from(r.now.retries)),
        ),
        headline(
            "Requests that failed even after a retry.",
            measure("failures", "Out-of-memory errors", Unit::Count, |_, r| f64::from(r.now.failures)),
        ),
        measure("steps", "Steps", Unit::Count, |_, r| r.program.len() as f64),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Ok(self.run())
    }

    fn follow(&mut self, before: &Self) {
        if before.scenario != self.scenario {
            (self.step, self.request) = (LAST, self.scenario.request());
        }
    }
}

/// A program, as far as it was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// All of it, to where it ends.
    pub program: Vec<Op>,
    /// How many of its steps were done.
    pub step: usize,
    /// What came of the requests among them, by their number in the program.
    pub answers: Vec<Option<Answer>>,
    /// The allocator then.
    pub now: Allocator,
}

impl Params {
    /// Runs the program up to the step on show. It ends where there is no memory.
    pub fn run(&self) -> Run {
        let program = self.scenario.program((self.request * MIB) as u64);
        let mut run = self.steps(program, usize::MAX);
        run.program.truncate(run.step);
        let step = usize::try_from(self.step).unwrap_or(usize::MAX);
        if step < run.step { self.steps(run.program, step) } else { run }
    }

    /// The first `count` steps of a program.
    fn steps(&self, program: Vec<Op>, count: usize) -> Run {
        let mut now = Allocator::new((self.memory * GIB) as u64, self.expandable);
        let mut answers: Vec<Option<Answer>> = Vec::new();
        for (i, op) in program.iter().take(count).enumerate() {
            answers.push(match op {
                Op::Alloc { bytes, .. } => Some(now.alloc(i as u32, *bytes)),
                Op::Free(request) => {
                    now.free(*request);
                    None
                }
            });
            if now.failures > 0 {
                break;
            }
        }
        Run { step: answers.len(), program, answers, now }
    }
}

impl Run {
    /// What the last request of those done came to.
    fn last_answer(&self) -> Option<Answer> {
        self.answers.iter().rev().find_map(|answer| *answer)
    }

    fn rounded(&self) -> f64 {
        self.last_answer().map_or(0.0, |answer| answer.rounded as f64)
    }

    fn asked(&self) -> f64 {
        self.last_answer().map_or(0.0, |answer| answer.asked as f64)
    }

    /// What a request is for.
    pub fn name(&self, request: u32) -> &str {
        match self.program.get(request as usize) {
            Some(Op::Alloc { name, .. }) => name,
            _ => "",
        }
    }
}
