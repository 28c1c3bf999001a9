//! Programs for several ranks: the machine that they run on, and the puzzles of the workbench.
//!
//! A program is run by `ringside_ranks`, in a worker; what its run takes is found out there. Here is what is known before: the links
//! that messages take. Each puzzle is a file of `core/ranks/puzzles`; a test there holds the list here to those files.

use crate::declare::{Field as _, List, Measure, Model, Param, Scale, Takes, choice, doc, headline, measure, real, when, whole};
use crate::hardware::links::{self, Link};
use crate::quantity::Unit;

/// The most ranks that a program is run on.
pub const MOST_RANKS: u64 = 16;

/// A program to write.
#[derive(Debug, Clone, Copy)]
pub struct Puzzle {
    /// The name in a query string: `ring-all-reduce`.
    pub id: &'static str,
    /// What a person reads.
    pub title: &'static str,
}

const fn puzzle(id: &'static str, title: &'static str) -> Puzzle {
    Puzzle { id, title }
}

/// The puzzles, the easiest first.
pub const PUZZLES: &[Puzzle] = &[
    puzzle("broadcast", "Broadcast by sends"),
];

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
pub fn find(id: &str) -> Option<&'static Puzzle> {
    PUZZLES.iter().find(|p| p.id == id)
}

crate::declare::chosen_by_id!(Puzzle, &PUZZLES[0], find;);

impl PartialEq for Puzzle {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The puzzle.
    pub puzzle: &'static Puzzle,
    /// Ranks that run the program.
    pub ranks: u64,
    /// Ranks in a node.
    pub node: u64,
    /// The link within a node.
    pub link: &'static Link,
    /// The link between nodes.
    pub net: &'static Link,
    /// Bytes up to which a send does not wait for its receiver.
    pub buffer: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { puzzle: &PUZZLES[0], ranks: 4, node: 8, link: <&Link>::default(), net: <&Link>::default(), buffer: 0.0 }
    }
}

impl Params {
    /// Nodes that the ranks fill, one after another.
    pub fn nodes(&self) -> u64 {
        self.ranks.div_ceil(self.node.max(1))
    }

    /// The slowest link that a message takes.
    fn slowest(&self) -> &'static Link {
        if self.nodes() > 1 { self.net } else { self.link }
    }
}

/// Whether a program is right, and what it takes, is found out by running it and is no quantity of this model.
impl Model for Params {
    type Result = ();
    const ID: &'static str = "rank-program";
    const TITLE: &'static str = "Program your ranks";
    const SUMMARY: &'static str = "Write distributed training in Python against torch.distributed's calls: your program runs as 2 to 16 ranks in the browser, \
         and you see every message, every wait and every deadlock.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("puzzle", "the program to write", List { ids: &names(false), labels: &names(true) }, "broadcast")
            .label("Puzzle")
            .main()
            .at(|p| p.puzzle.slot()),
        whole("ranks", "ranks that run the program", [2, MOST_RANKS], "4")
            .takes(Takes::Gpus)
            .label("Ranks")
            .steps(1.0)
            .main()
            .at(|p| p.ranks.slot()),
        whole("node", "ranks in a node", [1, MOST_RANKS], "8")
            .takes(Takes::Node)
            .label("Ranks per node")
            .doubling(MOST_RANKS.ilog2())
            .main()
            .at(|p| p.node.slot()),
        choice("link", "link between the ranks of a node", links::INSIDE_LIST, "nvlink4")
            .label("Link within a node")
            .at(|p| p.link.slot()),
        choice("net", "link between nodes", links::BETWEEN_LIST, "ndr").label("Link between nodes").at(|p| p.net.slot()),
        real("buffer", "bytes up to which a send does not wait for its receiver", [0.0, 1e9], "0")
            .label("Send buffer")
            .unit(Unit::Bytes)
            .slider(Scale::FromZero(29))
            .at(|p| p.buffer.slot()),
    ];
    const QUANTITIES: &'static [Measure<Self, ()>] = &[
        measure("nodes", "Nodes", Unit::Count, |p, ()| p.nodes() as f64),
        doc("α within a node.", measure("latency", "Latency within a node", Unit::Seconds, |p, ()| p.link.latency)),
        measure("bandwidth", "Bandwidth within a node", Unit::BytesPerSecond, |p, ()| p.link.bandwidth),
        when(
            |p, ()| p.nodes() > 1,
            doc("α between nodes.", measure("net-latency", "Latency between nodes", Unit::Seconds, |p, ()| p.net.latency)),
        ),
        when(
            |p, ()| p.nodes() > 1,
            measure("net-bandwidth", "Bandwidth between nodes", Unit::BytesPerSecond, |p, ()| p.net.bandwidth),
        ),
        headline(
            "On the slowest link in use, a smaller message spends more time on latency than on its bytes.",
            measure("half-size", "Half-bandwidth message size", Unit::Bytes, |p, ()| p.slowest().under_way()),
        ),
    ];

    fn evaluate(&self) -> Result<(), String> {
        Ok(())
    }
}
