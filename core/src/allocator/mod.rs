//! The caching allocator, step by step: segments taken from the device, blocks in them, and requests that fit or do not.

mod device;
mod finding;
mod pickle;
mod scenario;
mod snapshot;
#[cfg(test)]
mod tests;

pub use device::{Allocator, Answer, Block, Segment, Served, Use, rounded, segment_size};
pub use scenario::{Op, Scenario};
pub use snapshot::{Bytes, Drawn, Piece, Snapshot, State};

use crate::declare::{Field as _, Measure, Model, Param, choice, measure, real, switch, whole};
use crate::quantity::Unit;
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
            .label("Memory of the device, GiB")
            .each(Unit::Bytes, GIB)
            .doubling(8)
            .more("The device")
            .at(|p| p.memory.slot()),
        whole("step", "steps done", [0, LAST], "64").drawn().at(|p| p.step.slot()),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        measure("allocated", "Allocated", Unit::Bytes, |_, r| r.now.allocated() as f64),
        measure("reserved", "Reserved", Unit::Bytes, |_, r| r.now.reserved() as f64),
        measure("unallocated", "Reserved and unallocated", Unit::Bytes, |_, r| {
            r.now.reserved().saturating_sub(r.now.allocated()) as f64
        }),
        measure("inactive-split", "Inactive splits", Unit::Bytes, |_, r| r.now.inactive_split() as f64),
        measure("longest-free", "Longest free block", Unit::Bytes, |_, r| r.now.longest_free() as f64),
        measure("device-free", "Free on the device", Unit::Bytes, |_, r| r.now.device_free() as f64),
        measure("rounded", "Block of the last request", Unit::Bytes, |_, r| r.rounded()),
        measure("asked", "Asked of the device if nothing fits", Unit::Bytes, |_, r| r.asked()),
        measure("segments", "Segments", Unit::Count, |_, r| r.now.segments.len() as f64),
        measure("retries", "Retries", Unit::Count, |_, r| f64::from(r.now.retries)),
        measure("failures", "Out of memory", Unit::Count, |_, r| f64::from(r.now.failures)),
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
