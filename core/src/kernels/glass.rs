//! What the interpreter of kernels is asked to do, and what it says: a kernel run lane by lane, with everything it touches.
//!
//! The interpreter is `ringside_glass`; its worker and the page speak in these types.

use serde::{Deserialize, Serialize};

use super::job::{self, Note};
use crate::coalescing::{banks, memory};
use crate::quantity::{named, number};
use crate::query::Query;

/// What the interpreter is called where a GPU's name would stand.
pub const DEVICE: &str = "the interpreter on the CPU";
/// Bytes of a sector of global memory.
pub const SECTOR: u32 = memory::SECTOR as u32;
/// Banks of shared memory, four bytes wide each.
pub const BANKS: u32 = banks::BANKS as u32;

/// How many lanes of a warp a learner may choose between.
pub const WIDTHS: [u32; 3] = [32, 16, 64];

/// A kernel to look into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// What a learner wrote for a puzzle, at small sizes.
    Puzzle {
        /// The puzzle's id.
        puzzle: String,
        /// What the learner wrote.
        body: String,
    },
    /// One of our kernels, at sizes that suit the view.
    Kernel {
        /// What it computes: `matmul`.
        family: String,
        /// The kernel's id.
        kernel: String,
        /// The sizes of the figure, in the order in which the family has them. A view has smaller ones; a pattern or a shape is kept.
        sizes: Vec<u64>,
    },
    /// A learner's own text, whatever it computes.
    Own {
        /// The whole text.
        text: String,
        /// What it is given, as a query: see [`Declared::given`].
        given: String,
    },
}

/// How the values of a buffer are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Fill {
    /// All are zero.
    #[default]
    Zeros,
    /// Each is its own index.
    Index,
    /// They are drawn from a seed.
    Random,
    /// Somebody types them.
    Typed,
    /// Nobody wrote them: reading one is a mistake.
    Unset,
}

impl Fill {
    /// Each with its name in a query and what a person calls it.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Zeros, "zeros", "Zeros"),
        (Self::Index, "index", "Index: 0, 1, 2, …"),
        (Self::Random, "random", "Random"),
        (Self::Typed, "typed", "Typed values"),
        (Self::Unset, "unset", "Nothing written yet"),
    ];

    /// The name in a query.
    pub fn id(self) -> &'static str {
        Self::ALL.iter().find(|(fill, ..)| *fill == self).map_or("", |(_, id, _)| id)
    }

    /// The one of this name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == id).map(|(fill, ..)| *fill)
    }
}

/// What a learner's own kernel needs to run, and what it is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Declared {
    /// Why it can't be run, if it can't.
    pub notes: Vec<Note>,
    /// What it asks of a GPU beyond WebGPU's default limits, in sentences.
    pub cautions: Vec<String>,
    /// Its compute entry points, and the one that is run.
    pub entries: Vec<String>,
    /// The one that is run.
    pub entry: String,
    /// Invocations per workgroup, by axis.
    pub workgroup: [u32; 3],
    /// Workgroups, by axis.
    pub groups: [u32; 3],
    /// What is wrong with their number.
    pub groups_wrong: Option<String>,
    /// Its buffers and constants, in the order of the text.
    pub needs: Vec<Need>,
}

impl Declared {
    /// The name in the query of what a kernel is given: of a part of a buffer or constant of this name. What is left out has a default.
    pub fn given(name: &str, part: &str) -> String {
        format!("{name}.{part}")
    }
    /// The query's name for the entry point that is run. No name in WGSL begins with a dot.
    pub const ENTRY: &'static str = ".entry";
    /// The query's name for the numbers of workgroups: `2,1,1`.
    pub const GROUPS: &'static str = ".groups";

    /// Whether it can be run as it is.
    pub fn runs(&self) -> bool {
        self.notes.is_empty() && self.groups_wrong.is_none() && self.needs.iter().all(|need| need.wrong.is_none())
    }
}

/// A buffer or a constant that a learner's own kernel needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Need {
    /// Its name in the text.
    pub name: String,
    /// What it is, in words: `storage buffer, read-only`.
    pub says: String,
    /// Its values that are typed one by one, by name; empty if there are none.
    pub members: String,
    /// What is typed for them.
    pub first: String,
    /// Its array, if it has one.
    pub array: Option<Filled>,
    /// What is wrong with what it is given.
    pub wrong: Option<String>,
}

/// An array in a buffer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Filled {
    /// Its elements.
    pub length: u64,
    /// Whether the text says how many there are.
    pub fixed: bool,
    /// How its values are chosen.
    pub fill: Fill,
    /// The seed, if they are drawn.
    pub seed: u32,
    /// The values, if they are typed.
    pub typed: String,
}

/// What the interpreter is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Check a learner's text as [`job::Job::Puzzle`] does, at the small sizes.
    Try {
        /// The puzzle's id.
        puzzle: String,
        /// What the learner wrote.
        body: String,
        /// By this, sizes are drawn and inputs filled.
        seed: u32,
    },
    /// Say what a learner's own text needs, and what of it is given.
    Declare {
        /// The whole text.
        text: String,
        /// What it is given.
        given: String,
    },
    /// Run a kernel to its end, and be ready to show any step of it.
    Open {
        /// Which.
        source: Source,
        /// Lanes per warp.
        width: u32,
    },
    /// Show a step.
    Show {
        /// Steps since the beginning.
        round: u64,
        /// The warp whose lanes are shown.
        warp: u32,
    },
}

/// What the interpreter says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// It can be asked.
    Ready,
    /// A text is being tried, or was: as the GPU's worker says it.
    Job(job::Said),
    /// What a learner's own text needs.
    Declared(Box<Declared>),
    /// A kernel was run, and can be shown.
    Opened(Box<Opened>),
    /// It cannot be run, for these reasons.
    Refused(Vec<Note>),
    /// A step.
    Shown(Box<Shown>),
}

/// A kernel that was run to its end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Opened {
    /// Its lines.
    pub text: Vec<String>,
    /// The sizes it ran at, in words.
    pub sizes: String,
    /// Steps that there are.
    pub rounds: u64,
    /// Steps after which a barrier opened.
    pub barriers: Vec<u64>,
    /// Lanes per warp.
    pub width: u32,
    /// Invocations per workgroup, by axis, of the first dispatch.
    pub workgroup: [u32; 3],
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What it did.
    pub counts: Counts,
    /// What each line did; the first is line 1.
    pub lines: Vec<LineCounts>,
    /// The most registers that hold a value still needed.
    pub registers: u32,
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// What is in its buffers at the end.
    pub buffers: Vec<Held>,
    /// Why it ended early, if it did.
    pub stopped: Option<String>,
}

/// A buffer after a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Held {
    /// Its name.
    pub name: String,
    /// Values that it has; not all may be listed.
    pub of: usize,
    /// The first of them: where each is, as it is written after the name, and what it is.
    pub values: Vec<(String, String)>,
}

impl Opened {
    /// What a run in which nothing is wrong shows: a sentence or two. Empty where something is wrong.
    pub fn clean(&self) -> &'static str {
        let Counts { loads, stores, atomics, .. } = self.counts;
        match (self.findings.is_empty() && self.stopped.is_none(), [loads, stores, atomics]) {
            (false, _) => "",
            (true, [0, 0, 0]) => {
                "Nothing ran yet: this kernel reads and writes no memory, so there is nothing to check."
            }
            (true, _) => {
                "✓ This run, at these sizes, has no data races, no out-of-bounds indices and no uninitialized reads, and all \
                 invocations reach every barrier. Other sizes or inputs may differ."
            }
        }
    }

    /// What its workgroup takes, as a state of the figure `occupancy`.
    pub fn occupancy(&self) -> Query {
        let threads: u64 = self.workgroup.iter().map(|n| u64::from(*n)).product();
        Query::new([
            ("block_size", threads.to_string()),
            ("regs_per_thread", self.registers.clamp(16, 255).to_string()),
            ("dynamic_smem", "0".to_owned()),
            ("static_smem", self.shared_bytes.to_string()),
        ])
    }

    /// What it computes and asks memory for, as a state of the figure `roofline`; none of a run without either.
    pub fn roofline(&self) -> Option<Query> {
        let (flop, bytes) = (self.counts.flop, self.counts.read.saturating_add(self.counts.written));
        let pairs = [("op", "kernel".to_owned()), ("flop", flop.to_string()), ("bytes", bytes.to_string())];
        (flop > 0 && bytes > 0).then(|| Query::new(pairs))
    }

    /// The first barrier that opens after a step; the end if there is none.
    pub fn next_barrier(&self, round: u64) -> u64 {
        self.barriers.iter().copied().find(|at| *at > round).unwrap_or(self.rounds)
    }
}

/// A kind of mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FindingKind {
    /// Two invocations touch a cell at once, and one of them writes.
    Race,
    /// A barrier that not all invocations reach.
    Barrier,
    /// An index beyond the end.
    Bounds,
    /// A cell that is read before it is written.
    Uninitialized,
}

/// A mistake, where it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of mistake.
    pub kind: FindingKind,
    /// The line, from 1.
    pub line: u32,
    /// The line of the other access or of where the missing invocation went; 0 for none.
    pub other: u32,
    /// The two invocations, by their index in the workgroup; the same twice if there is one.
    pub lanes: [u32; 2],
    /// The step at which it was found first.
    pub round: u64,
    /// How often it was found.
    pub times: u64,
    /// A sentence.
    pub text: String,
}

/// What a run did. Instructions are those of warps, one per component of a vector; copies between registers are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Workgroups.
    pub workgroups: u64,
    /// Instructions.
    pub issued: u64,
    /// Instructions times active lanes.
    pub lanes: u64,
    /// Instructions times all lanes.
    pub slots: u64,
    /// Floating-point operations, an exponential counted as one and a fused multiply–add as two.
    pub flop: u64,
    /// Floating-point instructions.
    pub float: u64,
    /// Integer, comparison and selection instructions.
    pub integer: u64,
    /// Exponentials, roots and other special functions.
    pub special: u64,
    /// Conversions between types.
    pub convert: u64,
    /// Loads, of any memory.
    pub loads: u64,
    /// Stores, to any memory.
    pub stores: u64,
    /// Atomic operations.
    pub atomics: u64,
    /// Subgroup operations.
    pub subgroup: u64,
    /// Branches.
    pub branches: u64,
    /// Branches that some lanes of a warp take and others don't.
    pub divergent: u64,
    /// Barriers, once per warp.
    pub barriers: u64,
    /// Bytes that lanes read from buffers.
    pub read: u64,
    /// Bytes that lanes write to buffers.
    pub written: u64,
    /// Accesses of warps to buffers.
    pub requests: u64,
    /// Sectors of 32 bytes that they touch.
    pub sectors: u64,
    /// Bytes that lanes read from workgroup memory or write to it.
    pub shared_bytes: u64,
    /// Accesses of warps to workgroup memory.
    pub shared_requests: u64,
    /// Passes over the banks that they take.
    pub passes: u64,
}

impl Counts {
    /// The share of lanes that are active, from 0 to 1.
    pub fn active(&self) -> f64 {
        if self.slots == 0 { 1.0 } else { self.lanes as f64 / self.slots as f64 }
    }

    /// FLOPs per byte that lanes move to or from buffers; 0 if they move none.
    pub fn intensity(&self) -> f64 {
        let moved = self.read + self.written;
        if moved == 0 { 0.0 } else { self.flop as f64 / moved as f64 }
    }

    /// Sectors per access to buffers; 0 if there is none.
    pub fn sectors_per_request(&self) -> f64 {
        if self.requests == 0 { 0.0 } else { self.sectors as f64 / self.requests as f64 }
    }

    /// Passes per access to workgroup memory; 0 if there is none.
    pub fn passes_per_request(&self) -> f64 {
        if self.shared_requests == 0 { 0.0 } else { self.passes as f64 / self.shared_requests as f64 }
    }
}

/// What a line did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LineCounts {
    /// Accesses of warps to buffers.
    pub requests: u64,
    /// Sectors of 32 bytes that they touch.
    pub sectors: u64,
    /// Accesses of warps to workgroup memory.
    pub shared_requests: u64,
    /// Passes over the banks that they take.
    pub passes: u64,
}

impl LineCounts {
    /// What an access of a warp on this line costs on average, in words: `4 sectors, 1 pass`. Nothing if there is none.
    pub fn cost(&self) -> String {
        let of = |units: u64, requests: u64, one: &str, many: &str| {
            let mean = (requests > 0).then(|| number(units as f64 / requests as f64))?;
            Some(named(&mean, one, many))
        };
        let parts = [
            of(self.sectors, self.requests, "sector", "sectors"),
            of(self.passes, self.shared_requests, "pass", "passes"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// How memory is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccessKind {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// Both, in one.
    Atomic,
}

impl AccessKind {
    /// What a person calls it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Atomic => "updates",
        }
    }
}

/// An access of a warp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Its line.
    pub line: u32,
    /// What it does.
    pub kind: AccessKind,
    /// Whether it is of workgroup memory, and not of a buffer.
    pub shared: bool,
    /// The variable.
    pub name: String,
    /// Bytes per lane.
    pub bytes: u32,
    /// Lanes that take part, and where in the variable each begins, in bytes.
    pub offsets: Vec<(u8, u32)>,
    /// Sectors; of workgroup memory, passes over the banks.
    pub units: u64,
}

impl Access {
    /// Of a buffer: the sectors that it touches, each with the lanes that touch it. Of workgroup memory: the banks, each with the
    /// distinct words that are asked of it.
    pub fn cells(&self) -> Vec<(u32, usize)> {
        let mut words: Vec<(u32, u32)> = Vec::new();
        for (_, offset) in &self.offsets {
            let unit = if self.shared { 4 } else { SECTOR };
            let (first, last) = (offset / unit, offset.saturating_add(self.bytes.max(1) - 1) / unit);
            words.extend((first..=last).map(|word| if self.shared { (word % BANKS, word) } else { (word, *offset) }));
        }
        words.sort_unstable();
        words.dedup();
        let mut cells: Vec<(u32, usize)> = Vec::new();
        for (cell, _) in words {
            match cells.last_mut().filter(|(last, _)| *last == cell) {
                Some((_, count)) => *count += 1,
                None => cells.push((cell, 1)),
            }
        }
        cells
    }

    /// The same pattern as a state of the figure `coalescing`, if that can show it: lanes a fixed stride apart.
    pub fn coalescing(&self) -> Option<Query> {
        let width = self.bytes;
        if ![4, 8, 16].contains(&width) || self.offsets.len() < 2 {
            return None;
        }
        let mut gaps = self.offsets.windows(2).map(|pair| i64::from(pair[1].1) - i64::from(pair[0].1));
        let gap = gaps.next()?;
        if gap < 0 || gap % i64::from(width) != 0 || gaps.any(|other| other != gap) {
            return None;
        }
        let stride = gap as u64 / u64::from(width);
        let number = |n: u64| n.to_string();
        if !self.shared {
            let query = [("memory", "global".to_owned()), ("width", number(width.into()))];
            return match stride {
                0 => Some(Query::new(query).with(&Query::new([("pattern", "broadcast")]))),
                1..=64 => Some(
                    Query::new(query).with(&Query::new([("pattern", "stride".to_owned()), ("stride", number(stride))])),
                ),
                _ => None,
            };
        }
        let of = |tile: u64, walk: &str, repair: &str| {
            Query::new([
                ("memory", "shared".to_owned()),
                ("width", number(width.into())),
                ("tile", number(tile)),
                ("walk", walk.to_owned()),
                ("repair", repair.to_owned()),
            ])
        };
        match stride {
            1 => Some(of(32, "row", "none")),
            2..=128 if stride.is_power_of_two() => Some(of(stride, "column", "none")),
            3..=129 if (stride - 1).is_power_of_two() => Some(of(stride - 1, "column", "pad")),
            _ => None,
        }
    }

    /// What it costs, as a sentence.
    pub fn sentence(&self) -> String {
        let lanes = self.offsets.len();
        let (unit, note) = if self.shared { ("pass", "over the banks") } else { ("sector", "of 32 bytes") };
        let plural = match (self.units, self.shared) {
            (1, _) => unit.to_owned(),
            (_, true) => format!("{unit}es"),
            (_, false) => format!("{unit}s"),
        };
        let who = if lanes == 1 { "1 lane".to_owned() } else { format!("{lanes} lanes") };
        let does = if lanes == 1 { self.kind.label() } else { self.kind.label().trim_end_matches('s') };
        format!(
            "Line {}: {who} {does} {}, {} bytes each: {} {plural} {note}.",
            self.line, self.name, self.bytes, self.units
        )
    }
}

/// Where a warp is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpAt {
    /// Its line, from 1; 0 before the first.
    pub line: u32,
    /// Its lanes that are active, as bits.
    pub active: u64,
    /// Its lanes, as bits.
    pub full: u64,
    /// Whether it waits at a barrier.
    pub waiting: bool,
    /// Whether it has ended.
    pub done: bool,
}

/// A value that a learner gave a name, in each lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lanes {
    /// Its name.
    pub name: String,
    /// What it is in each lane; nothing where it is not there yet.
    pub values: Vec<Option<String>>,
}

/// A variable of the workgroup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedVariable {
    /// Its name.
    pub name: String,
    /// Cells in a row of a table of it.
    pub row: usize,
    /// Cells that there are; not all may be shown.
    pub of: usize,
    /// What is in each, and which invocation of the workgroup wrote it last.
    pub cells: Vec<(String, Option<u32>)>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Shown {
    /// Steps since the beginning.
    pub round: u64,
    /// The dispatch, by its entry point, and the workgroup's number in it.
    pub dispatch: String,
    /// The workgroup.
    pub workgroup: u32,
    /// Where each warp is.
    pub warps: Vec<WarpAt>,
    /// The warp whose lanes are shown.
    pub warp: u32,
    /// The named values of its lanes.
    pub values: Vec<Lanes>,
    /// The workgroup's memory.
    pub shared: Vec<SharedVariable>,
    /// What the warp accessed in this step.
    pub accesses: Vec<Access>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coalescing;
    use crate::declare::Model as _;

    fn access(shared: bool, bytes: u32, stride: u32) -> Access {
        let offsets = (0..32).map(|lane| (lane as u8, lane * stride)).collect();
        Access { line: 7, kind: AccessKind::Read, shared, name: "a".into(), bytes, offsets, units: 4 }
    }

    #[test]
    fn an_access_is_shown_by_its_sectors_or_banks() {
        assert_eq!(access(false, 4, 4).cells(), [(0, 8), (1, 8), (2, 8), (3, 8)]);
        assert_eq!(access(true, 4, 128).cells(), [(0, 32)]);
        assert_eq!(access(true, 4, 4).cells().len(), 32);
        assert_eq!(access(false, 4, 4).sentence(), "Line 7: 32 lanes read a, 4 bytes each: 4 sectors of 32 bytes.");
    }

    #[test]
    fn the_figure_of_an_access_costs_what_the_access_does() {
        for (shared, stride, units) in
            [(false, 4, 4), (false, 8, 8), (false, 0, 1), (true, 4, 1), (true, 128, 32), (true, 132, 1)]
        {
            let query = access(shared, 4, stride).coalescing().expect("it can be shown");
            let (params, problems) = coalescing::Params::read(&query);
            assert!(problems.is_empty(), "{query} {problems:?}");
            let cost = params.cost().expect("valid");
            let got = if shared { cost.banks.passes } else { cost.access.sectors.len() as u64 };
            assert_eq!(got, units, "{query}");
        }
        assert_eq!(access(false, 4, 6).coalescing(), None);
    }

    #[test]
    fn the_cost_of_a_line_names_sectors_and_passes() {
        let cost = |requests, sectors, shared_requests, passes| {
            LineCounts { requests, sectors, shared_requests, passes }.cost()
        };
        assert_eq!(cost(0, 0, 0, 0), "");
        assert_eq!(cost(3, 3, 0, 0), "1 sector");
        assert_eq!(cost(2, 9, 0, 0), "4.5 sectors");
        assert_eq!(cost(0, 0, 8, 8), "1 pass");
        assert_eq!(cost(0, 0, 1, 32), "32 passes");
        // A line that fills a tile reads a buffer and writes workgroup memory.
        assert_eq!(cost(4, 16, 4, 4), "4 sectors, 1 pass");
        assert_eq!(cost(1, 0, 0, 0), "0 sectors");
    }

    #[test]
    fn a_way_to_fill_is_found_by_its_name() {
        for (fill, id, _) in Fill::ALL {
            assert_eq!((Fill::find(id), fill.id()), (Some(fill), id));
        }
        assert_eq!(Fill::find("ones"), None);
    }

    #[test]
    fn the_next_barrier_is_after_the_step() {
        let opened = Opened { barriers: vec![3, 9], rounds: 12, ..Opened::default() };
        assert_eq!([0, 3, 9].map(|round| opened.next_barrier(round)), [3, 9, 12]);
    }

    #[test]
    fn a_kernel_that_touches_no_memory_is_not_called_clean() {
        let nothing = Opened::default();
        assert!(nothing.clean().starts_with("Nothing ran yet"));
        let some = Opened { counts: Counts { stores: 1, ..Counts::default() }, ..Opened::default() };
        assert!(some.clean().contains("no data races"));
        assert_eq!(Opened { stopped: Some("Too long.".to_owned()), ..some }.clean(), "");
    }
}
