//! The workbench for programs: the puzzles by name, and the machine that a program is run on.
//!
//! What a run takes is found out by running it and is no quantity here. What is known before are the bounds that the puzzles aim at.
//! Each puzzle is a file of `content/programs`; the build and `content/tests/programs.rs` hold the list here to those files.

use super::{Compared, Job, Machine, Outcome, Puzzle, compare};
use crate::collective::Op;
use crate::declare::{
    Applies, Choose, Field, List, Measure, Model, Origin, Origins, Param, Slot, Takes, applies, choice, doc, headline,
    measure, origin, when, whole,
};
use crate::hardware::links::{self, Link};
use crate::hardware::{self, Accelerator};
use crate::options;
use crate::quantity::{Unit, grouped};

/// The most ranks of the workbench.
const MOST: u64 = super::MAX_RANKS as u64;

/// A puzzle by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// The name in a query string: `ring-all-reduce`.
    pub id: &'static str,
    /// What a person reads.
    pub title: &'static str,
}

const fn named(id: &'static str, title: &'static str) -> Named {
    Named { id, title }
}

/// The puzzles, in the order of the ladder.
pub const PUZZLES: &[Named] = &[
    named("broadcast", "Broadcast by sends"),
    named("ring-reduce-scatter", "Ring reduce-scatter"),
    named("ring-all-gather", "Ring all-gather"),
    named("ring-all-reduce", "Ring all-reduce"),
    named("tree-broadcast", "Broadcast down a tree"),
    named("all-to-all", "All-to-all, pair by pair"),
    named("gradient-accumulation", "Gradient accumulation"),
    named("ddp", "Data parallel from scratch"),
    named("ddp-overlapped", "DDP, bucketed and overlapped"),
    named("bucket-order", "Buckets in the same order"),
    named("zero-1", "ZeRO-1: sharded optimizer state"),
    named("zero-2", "ZeRO-2: sharded gradients"),
    named("zero-3", "ZeRO-3: sharded weights"),
    named("zero-3-prefetch", "ZeRO-3 with prefetch"),
    named("column-parallel", "Column-parallel linear layer"),
    named("row-parallel", "Row-parallel linear layer"),
    named("attention-heads", "Attention, split by heads"),
    named("vocabulary-parallel", "Vocabulary-parallel cross-entropy"),
    named("sequence-parallel", "Sequence parallelism"),
    named("gpipe", "GPipe"),
    named("1f1b", "1F1B"),
    named("interleaved-1f1b", "Interleaved 1F1B"),
    named("ring-attention", "Ring attention"),
    named("experts", "Expert dispatch and combine"),
    named("loss-scale", "A loss scale all ranks agree on"),
    named("resharded-checkpoint", "A checkpoint for another number of ranks"),
    named("a-rank-dies", "A rank dies"),
    named("two-level-all-reduce", "All-reduce in two levels"),
];

/// The puzzles in which a tensor goes from one rank to all.
const BROADCASTS: [&str; 2] = ["broadcast", "tree-broadcast"];

/// The puzzles with an all-reduce.
const ALL_REDUCES: [&str; 6] =
    ["ring-all-reduce", "gradient-accumulation", "ddp", "ddp-overlapped", "bucket-order", "two-level-all-reduce"];

/// What the puzzles are called in a query, or by people.
const fn names(titles: bool) -> [&'static str; PUZZLES.len()] {
    let mut all = [""; PUZZLES.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if titles { PUZZLES[i].title } else { PUZZLES[i].id };
        i += 1;
    }
    all
}

/// The puzzle with this id.
pub fn find(id: &str) -> Option<&'static Named> {
    PUZZLES.iter().find(|p| p.id == id)
}

crate::declare::chosen_by_id!(Named, &PUZZLES[0], find;);

/// The GPU that each rank is; none for the small machine that a puzzle comes with.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gpu(pub Option<&'static Accelerator>);

/// The name of the machine that a puzzle comes with.
const OWN: &str = "small";

/// `own` before the accelerators' ids or names.
const fn with_own(own: &'static str, all: &[&'static str]) -> [&'static str; hardware::ALL.len() + 1] {
    let mut with = [own; hardware::ALL.len() + 1];
    let mut i = 0;
    while i < all.len() {
        with[i + 1] = all[i];
        i += 1;
    }
    with
}

impl Choose for Gpu {
    fn id(&self) -> &'static str {
        self.0.map_or(OWN, |gpu| gpu.id)
    }

    fn choose(&mut self, id: &str) {
        match hardware::find(id) {
            Some(gpu) => self.0 = Some(gpu),
            None if id == OWN => self.0 = None,
            None => {}
        }
    }
}

impl Field for Gpu {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

/// How much a pair of ranks can have under way before a send waits for its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Buffer {
    /// What the machine has.
    #[default]
    Machine,
    /// Nothing: every send waits.
    Nothing,
    /// Everything: no send waits.
    Everything,
}

options!(Buffer {
    Machine: "machine", "Machine default";
    Nothing: "none", "None: every send waits";
    Everything: "unlimited", "Unlimited";
});

impl Buffer {
    fn bytes(self, machine: u64) -> u64 {
        match self {
            Self::Machine => machine,
            Self::Nothing => 0,
            Self::Everything => 1 << 40,
        }
    }
}

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The puzzle.
    pub puzzle: &'static Named,
    /// Ranks that run the program.
    pub ranks: u64,
    /// Ranks per node; 0 for as many as the machine has.
    pub node: u64,
    /// What each rank is.
    pub gpu: Gpu,
    /// The link within a node, of a machine of real GPUs.
    pub link: &'static Link,
    /// The link between nodes, of a machine of real GPUs.
    pub net: &'static Link,
    /// What a send may leave under way.
    pub buffer: Buffer,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            puzzle: &PUZZLES[0],
            ranks: 0,
            node: 0,
            gpu: Gpu::default(),
            link: <&Link>::default(),
            net: <&Link>::default(),
            buffer: Buffer::default(),
        }
    }
}

impl Params {
    /// The machine, where the puzzle comes with `own`.
    pub fn machine(&self, own: Machine) -> Machine {
        let mut machine = match self.gpu.0 {
            Some(gpu) => Machine::of(gpu, Machine::default().node, self.link, self.net),
            None => own,
        };
        if self.node > 0 {
            machine.node = self.node as usize;
        }
        machine.buffer = self.buffer.bytes(machine.buffer);
        machine
    }

    /// The job that runs `program` for `puzzle` on `ranks` ranks of this machine.
    pub fn job(&self, puzzle: &Puzzle, program: &str, ranks: usize) -> Job {
        let job = puzzle.job(program, ranks);
        Job { machine: self.machine(job.machine), ..job }
    }

    /// A run of `puzzle` on this machine next to the models that fit it.
    pub fn compare(&self, puzzle: &Puzzle, outcome: &Outcome) -> Compared {
        compare(outcome, self.puzzle, &self.job(puzzle, "", outcome.run.ranks.len()).machine)
    }
}

impl Model for Params {
    type Result = ();
    const ID: &'static str = "rank-program";
    const TITLE: &'static str = "Write the ranks";
    const SUMMARY: &'static str = "Write distributed training in Python with torch.distributed’s calls: your program runs as 2 to 16 ranks in the \
         browser, and a deadlock, a mismatch or a wrong element is shown at its line.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("puzzle", "the program to write", List { ids: &names(false), labels: &names(true) }, PUZZLES[0].id)
            .label("Puzzle")
            .main()
            .at(|p| p.puzzle.slot()),
        whole("ranks", "ranks that run the program", [2, MOST], "4")
            .takes(Takes::Gpus)
            .label("Ranks")
            .steps(1.0)
            .main()
            .at(|p| p.ranks.slot()),
        whole("node", "ranks per node; 0 for as many as the machine has", [0, MOST], "0")
            .takes(Takes::Node)
            .label("Ranks per node")
            .format(|n| if n < 1.0 { "default".to_owned() } else { grouped(n as u64) })
            .steps(1.0)
            .main()
            .at(|p| p.node.slot()),
        choice(
            "gpu",
            "what each rank is",
            List {
                ids: &with_own(OWN, hardware::LIST.ids),
                labels: &with_own("Small test machine", hardware::LIST.labels),
            },
            OWN,
        )
        .takes(Takes::Gpu)
        .label("Machine")
        .main()
        .at(|p| p.gpu.slot()),
        choice("link", "link between the ranks of a node", links::INSIDE_LIST, "nvlink4")
            .label("Link within a node")
            .at(|p| p.link.slot()),
        choice("net", "link between nodes", links::BETWEEN_LIST, "ndr")
            .label("Link between nodes")
            .at(|p| p.net.slot()),
        choice("buffer", "what a send may leave under way before it waits for its receiver", Buffer::LIST, "machine")
            .label("Send buffer")
            .at(|p| p.buffer.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[applies(&["link", "net"], |p| p.gpu.0.is_some())];
    const ORIGIN: Origin = Origin::Of("Patarasuk and Yuan 2009, JPDC 69(2): 2(n − 1) steps, 2(n − 1)/n of the tensor");
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Of("Thakur, Rabenseifner and Gropp 2005, IJHPCA 19(1): ⌈log₂ n⌉ steps"), &["tree-steps"]),
        origin(
            Origin::Of("Thakur, Rabenseifner and Gropp 2005, IJHPCA 19(1): (n − 1)/n of the tensor"),
            &["reduce-scatter-sent"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, ()>] = &[
        when(
            |p, ()| ALL_REDUCES.contains(&p.puzzle.id),
            headline(
                "A reduce-scatter and an all-gather, each with a step per other rank.",
                measure("ring-steps", "Ring all-reduce steps", Unit::Count, |p, ()| {
                    2.0 * p.ranks.saturating_sub(1) as f64
                }),
            ),
        ),
        when(
            |p, ()| BROADCASTS.contains(&p.puzzle.id),
            headline(
                "The number of holders doubles with each step.",
                measure("tree-steps", "Binomial-tree broadcast steps", Unit::Count, |p, ()| {
                    f64::from(p.ranks.max(1).next_power_of_two().ilog2())
                }),
            ),
        ),
        when(
            |p, ()| ALL_REDUCES.contains(&p.puzzle.id),
            headline(
                "No all-reduce sends less from each rank.",
                measure("all-reduce-sent", "All-reduce bytes sent per tensor byte", Unit::Ratio, |p, ()| {
                    Op::AllReduce.bus_factor(p.ranks as usize)
                }),
            ),
        ),
        doc(
            "No reduce-scatter sends less from each rank.",
            measure("reduce-scatter-sent", "Reduce-scatter bytes sent per tensor byte", Unit::Ratio, |p, ()| {
                Op::ReduceScatter.bus_factor(p.ranks as usize)
            }),
        ),
    ];

    fn evaluate(&self) -> Result<(), String> {
        Ok(())
    }

    fn follow(&mut self, before: &Self) {
        if let (Some(gpu), true) = (self.gpu.0, self.gpu != before.gpu) {
            let (inside, between) = links::of(gpu);
            self.link = inside.unwrap_or(self.link);
            self.net = between.unwrap_or(self.net);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    fn params(query: &str) -> Params {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, [], "{query}");
        params
    }

    #[test]
    fn a_machine_is_the_puzzles_until_it_is_changed() {
        let own = Machine { peak: 7.0, node: 2, buffer: 9, ..Machine::default() };
        assert_eq!(params("ranks=5").machine(own), own);
        let split = params("node=4&buffer=none").machine(own);
        assert_eq!(split, Machine { node: 4, buffer: 0, ..own });
        let real = params("gpu=h100-80&link=pcie5&net=hdr").machine(own);
        let (inside, across) = (links::find("pcie5").expect("a link"), links::find("hdr").expect("a link"));
        assert_eq!((real.inside.bandwidth, real.across.bandwidth), (inside.bandwidth, across.bandwidth));
        assert!(real.check().is_ok() && real.peak > 1e14 && real.node == Machine::default().node);
        assert!(params("buffer=unlimited").machine(own).buffer > 1 << 39);
    }

    #[test]
    fn a_gpu_brings_its_links_and_leaves_with_none() {
        let start = params("").query();
        let with = Params::turn(&start, "gpu", "mi300x");
        assert_eq!(with.get("link"), Some("xgmi"));
        assert_eq!(Params::read(&Params::turn(&with, "gpu", OWN)).0.gpu, Gpu(None));
    }

    #[test]
    fn the_bounds_are_those_of_the_collectives() {
        for id in BROADCASTS.iter().chain(&ALL_REDUCES) {
            assert!(find(id).is_some(), "{id}");
        }
        let value = |query: &str, id: &str| {
            let quantities = params(query).quantities(&());
            quantities.iter().find(|q| q.id == id).map(|q| q.value)
        };
        assert_eq!((value("ranks=4", "ring-steps"), value("ranks=4", "all-reduce-sent")), (Some(6.0), Some(1.5)));
        assert_eq!(
            [2, 3, 4, 5, 16].map(|n| value(&format!("ranks={n}"), "tree-steps")),
            [1.0, 2.0, 2.0, 3.0, 4.0].map(Some)
        );
    }
}
