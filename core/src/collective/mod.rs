//! Collective operations, really executed: what each rank holds, sends and receives, step by step, and what it costs.
//!
//! [`Params`] name an operation, an algorithm and a machine. [`Run`] has the [`Schedule`] (who sends which chunk to whom), the
//! numbers after any step ([`State`]), and the [`Cost`] in bytes and seconds. A buffer of S bytes is cut into as many chunks
//! as there are ranks. S is what nccl-tests calls the size: the whole buffer, of which each rank has a part before an
//! all-gather and after a reduce-scatter, and n blocks, one for each rank, in an all-to-all.
//!
//! Sources: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1),
//! 2005; Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 69(2), 2009;
//! Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
//! 35(12), 2009; Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing systems",
//! IEEE TPDS 8(11), 1997. Bus bandwidth as in NVIDIA/nccl-tests, doc/PERFORMANCE.md.

mod broken;
pub mod cost;
pub mod data;
mod finding;
mod op;
mod rank;
pub mod schedule;
#[cfg(test)]
mod tests;

use cost::{Cost, Machine};
use data::State;
pub use op::{Algo, Op};
use schedule::{MAX_RANKS, Schedule};

use crate::declare::{
    Applies, Declaration, Field, Measure, Model, Origin, Origins, Param, Scale, Takes, applies, choice, doc, headline,
    measure, origin, real, switch, when, whole, within,
};
use crate::hardware::links::{self, Link};
use crate::quantity::{Unit, number};

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The operation.
    pub op: Op,
    /// The algorithm.
    pub algo: Algo,
    /// Ranks, 2 to [`MAX_RANKS`].
    pub ranks: usize,
    /// S: the size of the buffer in bytes.
    pub bytes: f64,
    /// The link between ranks of a node.
    pub link: &'static Link,
    /// Ranks in a node.
    pub node: usize,
    /// The link between nodes.
    pub net: &'static Link,
    /// The rank whose links are slow.
    pub slow_rank: usize,
    /// By how much its links are slower, 1 for not at all.
    pub slow_by: f64,
    /// Whether a cable is broken: the one between these two ranks, in both directions.
    pub cut: bool,
    /// One end of it.
    pub cut_from: usize,
    /// The other end.
    pub cut_to: usize,
    /// Steps that have been done. Beyond the last, all have.
    pub step: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            op: Op::default(),
            algo: Algo::default(),
            ranks: 2,
            bytes: 1.0,
            link: &links::INSIDE[0],
            node: 1,
            net: &links::BETWEEN[0],
            slow_rank: 0,
            slow_by: 1.0,
            cut: false,
            cut_from: 0,
            cut_to: 1,
            step: 0,
        }
    }
}

/// A number of ranks, or of one of them, set by a slider that stops at each.
const fn rank(name: &'static str, doc: &'static str, range: [u64; 2], default: &'static str) -> Declaration {
    whole(name, doc, range, default).steps(1.0)
}

const MOST: u64 = MAX_RANKS as u64;
const MACHINE: &str = "The machine";
const TROUBLE: &str = "A straggler, a broken cable";

impl Model for Params {
    type Result = Run;
    // The address of the first version, which showed rings alone.
    const ID: &'static str = "ring-all-reduce";
    const TITLE: &'static str = "Six collective operations, step by step";
    const SUMMARY: &'static str = "Ranks pass chunks of real numbers along their links until each has what the operation promises, and what that costs.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("op", "operation", Op::LIST, "all-reduce").label("Operation").main().at(|p| p.op.slot()),
        choice("algo", "algorithm", Algo::LIST, "ring").label("Algorithm").main().at(|p| p.algo.slot()),
        rank("ranks", "ranks", [2, MOST], "8").takes(Takes::Gpus).label("Ranks").main().at(|p| p.ranks.slot()),
        real("bytes", "size of the whole buffer, bytes", [1.0, 1e12], "1e9")
            .label("Buffer")
            .unit(Unit::Bytes)
            .slider(Scale::Decades(1, 12))
            .main()
            .at(|p| p.bytes.slot()),
        choice("link", "link between the ranks of a node", links::INSIDE_LIST, "nvlink4")
            .label("Link within a node")
            .more(MACHINE)
            .at(|p| p.link.slot()),
        whole("node", "ranks in a node", [1, MOST], "8")
            .takes(Takes::Node)
            .label("Ranks per node")
            .doubling(MOST.ilog2())
            .more(MACHINE)
            .at(|p| p.node.slot()),
        choice("net", "link between nodes", links::BETWEEN_LIST, "ndr")
            .label("Link between nodes")
            .more(MACHINE)
            .at(|p| p.net.slot()),
        rank("slow-rank", "rank whose links are slow, from 0", [0, MOST - 1], "0")
            .label("Straggling rank")
            .more(TROUBLE)
            .at(|p| p.slow_rank.slot()),
        real("slow-by", "how many times slower its links are; 1 for not at all", [1.0, 100.0], "1")
            .label("Straggler slowdown")
            .format(|by| if by > 1.0 { format!("{}×", number(by)) } else { "none".to_owned() })
            .slider(Scale::Linear { min: 1.0, max: 16.0, step: 1.0 })
            .more(TROUBLE)
            .at(|p| p.slow_by.slot()),
        switch("cut", "whether a cable is broken", false)
            .label("Cables")
            .labels(&["All work", "One is broken"])
            .more(TROUBLE)
            .at(|p| p.cut.slot()),
        rank("cut-from", "rank at one end of the broken cable, from 0", [0, MOST - 1], "3")
            .label("Broken cable from rank")
            .more(TROUBLE)
            .at(|p| p.cut_from.slot()),
        rank("cut-to", "rank at the other end", [0, MOST - 1], "4")
            .label("to rank")
            .more(TROUBLE)
            .at(|p| p.cut_to.slot()),
        whole("step", "steps done", [0, 1000], "0").drawn().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["slow-rank"], |p| p.slow_by > 1.0), applies(&["cut-from", "cut-to"], |p| p.cut)];
    const ORIGIN: Origin = Origin::Of(
        "Thakur, Rabenseifner and Gropp 2005, IJHPCA 19(1); Patarasuk and Yuan 2009, JPDC 69(2); Sanders, Speck and Träff 2009 (two trees), Parallel Computing 35(12); Bruck et al. 1997, IEEE TPDS 8(11); executed step by step",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Hockney 1994, Parallel Computing 20(3): α + m/B for each message of the executed steps; checked against NVIDIA/nccl, src/graph/tuning.cc at 5067397",
            ),
            &["time", "idle", "slowdown"],
        ),
        origin(Origin::Of("NVIDIA/nccl-tests, doc/PERFORMANCE.md"), &["algbw", "busbw"]),
        origin(crate::hardware::ORIGIN, &["peak"]),
        origin(Origin::Definition, &["done", "stuck"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        measure("steps", "Steps", Unit::Count, |_, run| run.steps() as f64),
        // What a run that hangs has sent and taken until then is no cost of the operation.
        when(
            |_, run| run.ends(),
            headline(
                "What the rank that sends most puts on its links.",
                measure("bytes-sent-per-rank", "Sent by the busiest rank", Unit::Bytes, |_, run| run.cost.most_sent()),
            ),
        ),
        when(
            |_, run| run.ends(),
            measure("bytes-busiest-link", "Bytes over the busiest link", Unit::Bytes, |_, run| {
                run.cost.busiest_link().2
            }),
        ),
        when(
            |_, run| run.ends(),
            headline(
                "From the first byte to the last rank’s result.",
                measure("time", "Time", Unit::Seconds, |_, run| run.cost.time()),
            ),
        ),
        when(
            |_, run| run.ends(),
            doc(
                "Size of the data over the time, as nccl-tests prints it.",
                measure("algbw", "Algorithm bandwidth", Unit::BytesPerSecond, |_, run| run.algbw()),
            ),
        ),
        when(
            |_, run| run.ends(),
            within(
                |_, run| run.peak(),
                headline(
                    "The bandwidth that the links carry, as nccl-tests prints it, so that it compares with their peak.",
                    measure("busbw", "Bus bandwidth", Unit::BytesPerSecond, |_, run| {
                        run.algbw() * run.params.op.bus_factor(run.params.ranks)
                    }),
                ),
            ),
        ),
        measure("peak", "Peak of the slowest link", Unit::BytesPerSecond, |_, run| run.peak()),
        when(
            |_, run| run.ends(),
            measure("idle", "Idle time, mean over ranks", Unit::Fraction, |_, run| run.cost.idle_share()),
        ),
        when(
            |_, run| run.ends() && run.slowdown() > 1.0,
            headline(
                "The time over the time with ranks that are all alike.",
                measure("slowdown", "Slowdown caused by the slow rank", Unit::Ratio, |_, run| run.slowdown()),
            ),
        ),
        when(|_, run| !run.ends(), measure("done", "Chunks completed", Unit::Fraction, |_, run| run.done())),
        when(
            |_, run| !run.ends(),
            headline(
                "Ranks that wait for a message that never comes.",
                measure("stuck", "Deadlocked ranks", Unit::Count, |_, run| run.stuck.iter().flatten().count() as f64),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Run::new(self)
    }

    fn follow(&mut self, before: &Self) {
        if self.op != before.op && !self.algo.does(self.op) {
            self.algo = Algo::Ring;
        }
        // An absent rank has no cable.
        if self.cut && !before.cut && self.broken().is_none() {
            (self.cut_from, self.cut_to) = (0, 1);
        }
        let begins = |p: &Self| (p.op, p.algo, p.ranks, p.node);
        if begins(self) != begins(before) {
            self.step = 0;
        }
    }
}

impl Params {
    /// The machine that they describe.
    pub fn machine(&self) -> Machine {
        Machine { node: self.node, link: self.link, net: self.net, slow_rank: self.slow_rank, slow_by: self.slow_by }
    }

    /// The ranks at the ends of the broken cable, if one between ranks that take part is broken.
    pub fn broken(&self) -> Option<(usize, usize)> {
        let (a, b) = (self.cut_from, self.cut_to);
        (self.cut && a != b && a.max(b) < self.ranks).then_some((a, b))
    }

    /// Whether a rank that takes part is slow.
    pub fn straggles(&self) -> bool {
        self.slow_by > 1.0 && self.slow_rank < self.ranks
    }
}

/// An operation on a machine, from the first step to the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What it was made from; its `step` does not matter.
    pub params: Params,
    /// Who sends what to whom. What a broken cable prevents is left out.
    pub schedule: Schedule,
    /// By rank, the step in which it begins to wait for ever, from 0; none for a rank that gets through.
    pub stuck: Vec<Option<usize>>,
    /// What it costs.
    pub cost: Cost,
    /// Seconds that it would take if no rank were slow.
    pub even_time: f64,
}

impl Run {
    /// Works it out.
    ///
    /// # Errors
    /// A sentence, if the algorithm does not do the operation for these ranks.
    pub fn new(params: &Params) -> Result<Self, String> {
        let mut schedule = Schedule::new(params.op, params.algo, params.ranks, params.node)?;
        let stuck = schedule.broken(params.broken());
        let chunk = params.bytes / params.ranks as f64;
        let machine = params.machine();
        let cost = machine.cost(params.ranks, &schedule.steps, chunk);
        let even_time = if params.straggles() {
            Machine { slow_by: 1.0, ..machine }.cost(params.ranks, &schedule.steps, chunk).time()
        } else {
            cost.time()
        };
        Ok(Self { params: *params, schedule, stuck, cost, even_time })
    }

    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.schedule.steps.len()
    }

    /// Bytes of a chunk.
    pub fn chunk_bytes(&self) -> f64 {
        self.params.bytes / self.params.ranks as f64
    }

    /// What the ranks hold after `step` steps.
    pub fn state(&self, step: usize) -> State {
        State::after(self.params.op, &self.schedule, step)
    }

    /// What the first `step` steps cost.
    pub fn cost_until(&self, step: usize) -> Cost {
        let done = self.schedule.steps.get(..step).unwrap_or(&self.schedule.steps);
        self.params.machine().cost(self.params.ranks, done, self.chunk_bytes())
    }

    /// The phases in order, with the number of their steps: reduce-scatter 7, all-gather 7.
    pub fn phases(&self) -> Vec<(&'static str, usize)> {
        let mut phases: Vec<(&str, usize)> = Vec::new();
        for step in &self.schedule.steps {
            match phases.last_mut() {
                Some((name, steps)) if *name == step.phase => *steps += 1,
                _ => phases.push((step.phase, 1)),
            }
        }
        phases
    }

    /// Whether every rank gets to the end.
    pub fn ends(&self) -> bool {
        self.stuck.iter().all(Option::is_none)
    }

    /// S over the time, bytes a second; 0 if it never ends.
    pub fn algbw(&self) -> f64 {
        if self.ends() { self.params.bytes / self.cost.time() } else { 0.0 }
    }

    /// The bandwidth of the slowest link that carries anything, bytes a second: what bus bandwidth is compared with; 0 if
    /// none does.
    pub fn peak(&self) -> f64 {
        let (n, machine) = (self.params.ranks, self.params.machine());
        let used = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
        let used = used.filter(|&(from, to)| self.cost.link(from, to) > 0.0);
        used.map(|(from, to)| machine.between(from, to).bandwidth).reduce(f64::min).unwrap_or(0.0)
    }

    /// The share of the chunks that the operation has to finish and does.
    pub fn done(&self) -> f64 {
        if self.ends() {
            return 1.0;
        }
        let end = self.state(self.steps());
        let cells = || (0..self.params.ranks).flat_map(|rank| (0..end.chunks()).map(move |chunk| (rank, chunk)));
        let wanted = cells().filter(|&(rank, chunk)| end.wanted(rank, chunk) != 0).count();
        let done = cells().filter(|&(rank, chunk)| end.complete(rank, chunk)).count();
        done as f64 / wanted.max(1) as f64
    }

    /// How many times as long it takes as if no rank were slow.
    fn slowdown(&self) -> f64 {
        if self.even_time > 0.0 { self.cost.time() / self.even_time } else { 1.0 }
    }
}
