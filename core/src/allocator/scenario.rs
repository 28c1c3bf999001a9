//! Sequences of requests that show what the allocator does.

use crate::options;

/// What a program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scenario {
    /// A request of each size.
    Sizes,
    /// Long-lived tensors between short-lived ones.
    #[default]
    Holes,
    /// Batches that get longer.
    Longer,
    /// More than there is.
    Shortage,
}

options!(Scenario {
    Sizes: "sizes", "a request of each size";
    Holes: "holes", "long-lived between short-lived";
    Longer: "longer", "each batch a little longer";
    Shortage: "shortage", "more than there is";
});

/// What a program does at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Asks for memory.
    Alloc {
        /// For what.
        name: String,
        /// Bytes.
        bytes: u64,
    },
    /// Frees what an earlier one asked for, by its number in the program.
    Free(u32),
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// A program while it is written.
#[derive(Default)]
struct Program(Vec<Op>);

impl Program {
    /// Asks, and yields the number to free it by.
    fn alloc(&mut self, name: impl Into<String>, bytes: u64) -> u32 {
        self.0.push(Op::Alloc { name: name.into(), bytes });
        self.0.len() as u32 - 1
    }

    fn free(&mut self, all: impl IntoIterator<Item = u32>) {
        self.0.extend(all.into_iter().map(Op::Free));
    }
}

impl Scenario {
    /// MiB asked for last that show what it is about.
    pub const fn request(self) -> f64 {
        match self {
            Scenario::Sizes => 24.3,
            Scenario::Holes => 3584.0,
            Scenario::Shortage => 2560.0,
            Scenario::Longer => 512.0,
        }
    }

    /// What it does, with `request` bytes asked for last.
    pub fn program(self, request: u64) -> Vec<Op> {
        let mut program = Program::default();
        match self {
            Scenario::Sizes => {
                for (name, bytes) in [
                    ("scale", 300),
                    ("bias", 40 * KIB),
                    ("norm", 600 * KIB),
                    ("router", MIB),
                    ("mask", 3 * MIB / 2),
                    ("logits", 9 * MIB),
                    ("heads", 12 * MIB + 300 * KIB),
                ] {
                    program.alloc(name, bytes);
                }
            }
            Scenario::Holes => {
                // A long evaluation leaves six segments of 1 GiB; training then puts something lasting into each.
                let evaluation: Vec<u32> =
                    (1..=6).map(|i| program.alloc(format!("evaluation {i}"), 1024 * MIB)).collect();
                program.free(evaluation);
                let passing: Vec<u32> = (1..=6)
                    .map(|i| {
                        program.alloc(format!("state {i}"), 320 * MIB);
                        program.alloc(format!("activation {i}"), 640 * MIB)
                    })
                    .collect();
                program.free(passing);
            }
            Scenario::Longer => {
                program.alloc("weights", 1024 * MIB);
                for i in 0..6_u64 {
                    let length = 10 + i;
                    let keys = program.alloc(format!("keys, batch {}", i + 1), 32 * length * MIB);
                    let scores = program.alloc(format!("scores, batch {}", i + 1), 96 * length * MIB);
                    program.free([keys, scores]);
                }
            }
            Scenario::Shortage => {
                for (name, gib) in [("weights", 1), ("gradients", 1), ("master weights", 2), ("momenta", 2)] {
                    program.alloc(name, gib * 1024 * MIB);
                }
            }
        }
        program.alloc("request", request);
        program.0
    }
}
