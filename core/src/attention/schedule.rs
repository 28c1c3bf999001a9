//! `attention-schedule`: which units of an SM work while attention goes through its tiles of keys.
//!
//! A tile needs two products, S = QKᵀ and PV, on the tensor cores, and between them its softmax: one exponential per score on the special
//! function units, and maximum, scaling and sum in fp32. One or two groups of warps go through the same keys with queries of their own and
//! share the units. A group computes S, softmax and PV of a tile in turn, or starts S of the next tile together with PV of the last one
//! (Shah et al. 2024, FlashAttention-3, section 3 and algorithm 2). Each unit serves whoever asks first. Left out: copies, shared memory,
//! synchronization, masks and conversions, so what comes out is an upper bound.

use crate::declare::{
    Field as _, Measure, Model, Origin, Origins, Param, choice, headline, measure, origin, switch, whole,
};
use crate::hardware::{self, Accelerator};
use crate::options;
use crate::quantity::{Unit, grouped};

/// The GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gpu {
    /// Compute capability 8.0.
    A100,
    /// 9.0.
    #[default]
    H100,
    /// 10.0.
    B200,
    /// 10.3.
    B300,
}

options!(Gpu {
    A100: "a100", "A100";
    H100: "h100", "H100";
    B200: "b200", "B200";
    B300: "b300", "B300";
});

impl Gpu {
    /// Its row in the table of accelerators.
    fn row(self) -> &'static Accelerator {
        let id = match self {
            Gpu::A100 => "a100-80",
            Gpu::H100 => "h100-80",
            Gpu::B200 => "b200",
            Gpu::B300 => "b300",
        };
        hardware::find(id).unwrap_or(hardware::H100)
    }

    /// FLOPs of dense 16-bit products per clock and SM: NVIDIA A100 and H100 white papers; FlashAttention-4, feeds and speeds.
    pub fn products(self) -> u64 {
        match self {
            Gpu::A100 => 2048,
            Gpu::H100 => 4096,
            Gpu::B200 | Gpu::B300 => 8192,
        }
    }

    /// Exponentials per clock and SM: CUDA C++ Programming Guide, "Arithmetic Instructions"; NVIDIA, "Inside NVIDIA Blackwell Ultra", for 10.3.
    pub fn exponentials(self) -> u64 {
        if self == Gpu::B300 { 32 } else { 16 }
    }

    /// FP32 operations per clock and SM.
    pub fn lanes(self) -> u64 {
        self.row().chip_or_h100().lanes
    }
}

/// Maximum, scaling and sum.
const SOFTMAX: u64 = 3;
/// An exponential as a cubic: round, subtract, three fused multiply-adds, add to the exponent (FlashAttention-4, "software-emulated exponential").
const CUBIC: u64 = 6;
/// Tiles of each group that are scheduled.
const TILES: usize = 32;
/// Tiles between which the schedule is steady.
const STEADY: [usize; 2] = [8, 24];
/// Tiles of each group that are drawn.
const DRAWN: usize = 4;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Params {
    /// The GPU.
    pub gpu: Gpu,
    /// Groups of warps that share the SM.
    pub groups: u64,
    /// Whether a group starts S of its next tile before PV of the last one is done.
    pub ahead: bool,
    /// Percent of the exponentials that are computed as a polynomial in fp32.
    pub moved: u64,
    /// Numbers of a head.
    pub head_dim: u64,
    /// Queries of a group's tile.
    pub rows: u64,
    /// Keys of a tile.
    pub keys: u64,
    /// Whether the output is rescaled after every tile, and not only where a maximum rose a lot.
    pub rescale: bool,
}

/// What is done for a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// S = QKᵀ.
    Scores,
    /// Its softmax.
    Softmax,
    /// PV, added to the output.
    Output,
}

impl Work {
    /// What a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Work::Scores => "S = QKᵀ",
            Work::Softmax => "softmax",
            Work::Output => "PV",
        }
    }
}

/// A piece of work of one group, in clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Task {
    /// What it is.
    pub work: Work,
    /// Whose, from 0.
    pub group: usize,
    /// Of which tile, from 0.
    pub tile: usize,
    /// When it starts.
    pub from: f64,
    /// When it is done.
    pub to: f64,
}

/// The schedule, in clocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// All work, by its start.
    pub tasks: Vec<Task>,
    /// Two products of a tile.
    pub products: f64,
    /// The exponentials of a tile that stay on their units.
    pub exponentials: f64,
    /// The fp32 operations of a tile.
    pub fp32: f64,
    /// From one tile to the next, of all groups together, in a steady state.
    pub period: f64,
}

impl Schedule {
    /// A tile's softmax: exponentials and fp32 run beside each other.
    pub fn softmax(&self) -> f64 {
        self.exponentials.max(self.fp32)
    }

    /// The part of the time in which the tensor cores work.
    pub fn busy(&self) -> f64 {
        (self.products / self.period.max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// When the tiles that are drawn are done.
    pub fn shown(&self) -> f64 {
        self.tasks.iter().filter(|task| task.tile < DRAWN).map(|task| task.to).fold(0.0, f64::max)
    }
}

/// What a group has done, and when.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    tile: usize,
    /// The next work of `tile`, counted from its scores.
    next: usize,
    scores: f64,
    softmax: f64,
    output: f64,
}

impl Group {
    /// What it does next, for which tile, and when it may.
    fn wants(&self, ahead: bool) -> Option<(Work, usize, f64)> {
        let (tile, work) = (self.tile, self.next);
        // One tile ahead, a round is: scores of a tile, output of the one before, softmax of the tile.
        let wanted = match (ahead, work) {
            (false, 0) => (Work::Scores, tile, self.output),
            (false, 1) => (Work::Softmax, tile, self.scores),
            (false, _) => (Work::Output, tile, self.softmax),
            (true, 0) => (Work::Scores, tile, self.softmax.max(self.output)),
            (true, 1) => (Work::Output, tile.wrapping_sub(1), self.softmax),
            (true, _) => (Work::Softmax, tile, self.scores),
        };
        (tile < TILES).then_some(wanted)
    }

    /// Notes that it is done, and what follows.
    fn did(&mut self, work: Work, to: f64, ahead: bool) {
        match work {
            Work::Scores => self.scores = to,
            Work::Softmax => self.softmax = to,
            Work::Output => self.output = to,
        }
        self.next += 1;
        if ahead && self.tile == 0 && self.next == 1 {
            self.next = 2;
        }
        if self.next == 3 {
            (self.next, self.tile) = (0, self.tile + 1);
        }
    }
}

impl Params {
    /// The schedule of these parameters.
    pub fn schedule(&self) -> Schedule {
        let scores = (self.rows * self.keys) as f64;
        let products = 4.0 * scores * self.head_dim as f64 / self.gpu.products() as f64;
        let moved = self.moved as f64 / 100.0;
        let rescaled = if self.rescale { (self.rows * self.head_dim) as f64 } else { 0.0 };
        let fp32 = (scores * (SOFTMAX as f64 + moved * CUBIC as f64) + rescaled) / self.gpu.lanes() as f64;
        let exponentials = scores * (1.0 - moved) / self.gpu.exponentials() as f64;
        let mut schedule = Schedule { tasks: Vec::new(), products, exponentials, fp32, period: 0.0 };
        let mut groups = vec![Group::default(); self.groups.max(1) as usize];
        // When the tensor cores and the units of the softmax are free.
        let mut free = [0.0_f64; 2];
        loop {
            let unit = |work: Work| usize::from(work == Work::Softmax);
            let start = |(i, group): (usize, &Group)| {
                let (work, tile, ready) = group.wants(self.ahead)?;
                Some((ready.max(free[unit(work)]), ready, i, work, tile))
            };
            let first = groups.iter().enumerate().filter_map(start);
            let earlier = |a: &(f64, f64, usize, Work, usize), b: &(f64, f64, usize, Work, usize)| {
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
            };
            let Some((from, _, i, work, tile)) = first.min_by(earlier) else { break };
            let to = from + if work == Work::Softmax { schedule.softmax() } else { products / 2.0 };
            free[unit(work)] = to;
            if let Some(group) = groups.get_mut(i) {
                group.did(work, to, self.ahead);
            }
            schedule.tasks.push(Task { work, group: i, tile, from, to });
        }
        schedule.tasks.sort_by(|a, b| a.from.total_cmp(&b.from));
        // From one tile to another, far from the start and from the end, where a group is alone.
        let done = |tile: usize| {
            let of = |task: &&Task| task.work == Work::Softmax && task.tile == tile;
            schedule.tasks.iter().filter(of).map(|task| task.to).fold(0.0, f64::max)
        };
        let [early, late] = STEADY;
        schedule.period = (done(late) - done(early)) / ((late - early) * groups.len()) as f64;
        schedule
    }

    /// FLOP/s that no kernel of this order exceeds.
    pub fn bound(&self, schedule: &Schedule) -> f64 {
        self.gpu.row().peak * schedule.busy()
    }

    /// What was measured in this order: FLOP/s, and of what. FlashAttention-3, table 2 (fp16, heads of 128, not causal); FlashAttention-4, abstract.
    pub fn measured(&self) -> Option<(f64, &'static str)> {
        let (tflops, kernel) = match (self.gpu, self.head_dim, self.groups, self.ahead, self.moved > 0) {
            (Gpu::H100, 128, 2, true, false) => (661.0, "FlashAttention-3"),
            (Gpu::H100, 128, 2, false, false) => (582.0, "FlashAttention-3, without looking ahead,"),
            (Gpu::H100, 128, 1, true, false) => (570.0, "FlashAttention-3, without specialized warps,"),
            (Gpu::B200, 128, 2, _, true) => (1605.0, "FlashAttention-4"),
            _ => return None,
        };
        Some((tflops * 1e12, kernel))
    }

    /// What the picture shows.
    pub fn finding(&self, s: &Schedule) -> String {
        let clocks = |value: f64| grouped(value.round() as u64);
        let softmax_busy = s.softmax() / s.period.max(f64::MIN_POSITIVE);
        let slower = if s.fp32 > s.exponentials { "its fp32 operations" } else { "its exponentials" };
        let why = if s.busy() > 0.995 && softmax_busy > 0.995 {
            "Both are busy all the time, so nothing may be late.".to_owned()
        } else if s.busy() > 0.995 {
            "Every softmax hides behind products.".to_owned()
        } else if softmax_busy > 0.995 {
            format!("The softmax never rests, because of {slower}, and the tensor cores wait for it.")
        } else if self.groups == 1 && !self.ahead {
            "Products and softmax take turns.".to_owned()
        } else {
            "Each waits for the other part of the time.".to_owned()
        };
        let measured = self.measured().map_or_else(String::new, |(flops, kernel)| {
            format!(" {kernel} was measured at {}.", Unit::FlopPerSecond.format(flops))
        });
        format!(
            "The tensor cores are busy {} of the time, so attention reaches at most {} of {}. For a tile the products take {} clocks and \
             the softmax {}. {why}{measured}",
            Unit::Fraction.format(s.busy()),
            Unit::FlopPerSecond.format(self.bound(s)),
            Unit::FlopPerSecond.format(self.gpu.row().peak),
            clocks(s.products),
            clocks(s.softmax()),
        )
    }
}

impl Model for Params {
    type Result = Schedule;
    const ID: &'static str = "attention-schedule";
    const TITLE: &'static str = "Products and softmax on one SM";
    const SUMMARY: &'static str = "Which units of an SM work while attention goes through its tiles: in turn, in ping-pong, one tile ahead, and with exponentials \
                                   computed as polynomials.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("gpu", "the GPU", Gpu::LIST, "h100").label("GPU").main().at(|p| p.gpu.slot()),
        whole("groups", "groups of warps that share the SM", [1, 2], "1")
            .label("Groups of warps")
            .steps(1.0)
            .main()
            .at(|p| p.groups.slot()),
        switch("ahead", "scores of the next tile start before the output of the last is done", false)
            .label("One tile ahead")
            .main()
            .at(|p| p.ahead.slot()),
        whole("moved", "percent of the exponentials that are computed as a polynomial in fp32", [0, 100], "0")
            .label("Exponentials in fp32, percent")
            .each(Unit::Fraction, 0.01)
            .steps(5.0)
            .main()
            .at(|p| p.moved.slot()),
        whole("head_dim", "numbers of a head", [16, 512], "128")
            .label("Head dimension")
            .doubling(9)
            .more("Tile")
            .at(|p| p.head_dim.slot()),
        whole("rows", "queries of a group’s tile", [16, 512], "128")
            .label("Queries per group")
            .doubling(9)
            .more("Tile")
            .at(|p| p.rows.slot()),
        whole("keys", "keys of a tile", [16, 512], "128")
            .label("Keys per tile")
            .doubling(9)
            .more("Tile")
            .at(|p| p.keys.slot()),
        switch("rescale", "the output is rescaled after every tile", true)
            .label("Rescale after every tile")
            .more("Tile")
            .at(|p| p.rescale.slot()),
    ];
    const ORIGIN: Origin = Origin::Own(
        "products, exponentials and fp32 operations of a tile over what an SM does of each per clock, scheduled as in FlashAttention-3, section 3 and algorithm 2",
    );
    const ORIGINS: &'static [Origins] = &[origin(
        Origin::Of(
            "FlashAttention-4 (Zadouri et al. 2026), feeds and speeds; CUDA C++ Programming Guide, “Arithmetic Instructions”",
        ),
        &["products", "exponentials", "exp-share"],
    )];
    const QUANTITIES: &'static [Measure<Self, Schedule>] = &[
        headline(
            "The part of the time in which the tensor cores work.",
            measure("busy", "Tensor cores busy", Unit::Fraction, |_, s| s.busy()),
        ),
        headline(
            "What no kernel of this order exceeds.",
            measure("bound", "Upper bound", Unit::FlopPerSecond, |p, s| p.bound(s)),
        ),
        headline(
            "How long a tile’s exponentials take, in parts of its products’ time.",
            measure("exp-share", "Exponentials over products", Unit::Fraction, |_, s| s.exponentials / s.products),
        ),
        measure("products", "Product clocks per tile", Unit::Count, |_, s| s.products),
        measure("exponentials", "Exponential clocks per tile", Unit::Count, |_, s| s.exponentials),
        measure("fp32", "FP32 clocks per tile", Unit::Count, |_, s| s.fp32),
        measure("softmax-busy", "Softmax units busy", Unit::Fraction, |_, s| (s.softmax() / s.period).min(1.0)),
        measure("period", "Clocks per tile", Unit::Count, |_, s| s.period),
    ];

    fn evaluate(&self) -> Result<Schedule, String> {
        self.in_range()?;
        Ok(self.schedule())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use proptest::prelude::*;

    fn of(query: &str) -> (Params, Schedule) {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        (params, params.schedule())
    }

    /// FlashAttention-4, feeds and speeds: a tile of 128 × 128 with heads of 128 takes 1,024 clocks of products and as many of exponentials
    /// on a B200. FlashAttention-3, section 3.1: on an H100 exponentials take half as long as products.
    #[test]
    fn feeds_and_speeds_are_the_papers() {
        let (_, b200) = of("gpu=b200");
        assert_eq!((b200.products, b200.exponentials), (1024.0, 1024.0));
        let (_, h100) = of("");
        assert_eq!(h100.exponentials / h100.products, 0.5);
    }

    /// FLOPs per clock, SM and second come to the data sheets' peaks. NVIDIA doesn't give the clock at which they hold; it is within a tenth of the boost clock.
    #[test]
    fn rates_per_clock_are_the_data_sheets() {
        for gpu in Gpu::ALL {
            let row = gpu.row();
            let Some(chip) = row.chip else { continue };
            let peak = (gpu.products() * chip.sms) as f64 * chip.clock;
            assert!((0.99..1.1).contains(&(peak / row.peak)), "{gpu:?}: {peak:e}");
        }
        // CUDA C++ Programming Guide, "Arithmetic Instructions".
        assert_eq!(Gpu::ALL.map(Gpu::lanes), [64, 128, 128, 128]);
    }

    /// Orders by hand: in turn a tile takes S + softmax + PV; one tile ahead S + max(softmax, PV); two groups fill what the slower unit allows.
    #[test]
    fn orders_have_their_closed_forms() {
        for query in
            ["", "gpu=b200", "gpu=a100&rescale=false", "head_dim=64", "gpu=b200&moved=25&rescale=false", "moved=100"]
        {
            let with = |more: &str| {
                of(&[query, more].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("&")).1
            };
            let s = with("");
            let (half, softmax) = (s.products / 2.0, s.softmax());
            assert!((s.period - (s.products + softmax)).abs() < 1e-6, "{query}");
            assert!((with("ahead=true").period - (half + softmax.max(half))).abs() < 1e-6, "{query}");
            let pair = with("groups=2").period;
            assert!(pair >= s.products.max(softmax) - 1e-6 && pair <= s.period + 1e-6, "{query}: {pair}");
            assert!((pair - s.products.max(softmax).max((s.products + softmax) / 2.0)).abs() < 1e-6, "{query}: {pair}");
        }
    }

    proptest! {
        /// No unit does two things at a time, no group a tile's work out of order, and nobody is faster than the slower unit.
        #[test]
        fn schedules_are_possible(
            gpu in 0..4_usize, groups in 1..=2_u64, ahead: bool, moved in 0..=100_u64, sizes in [16..=512_u64, 16..=512, 16..=512], rescale: bool,
        ) {
            let [head_dim, rows, keys] = sizes;
            let p = Params { gpu: Gpu::ALL[gpu], groups, ahead, moved, head_dim, rows, keys, rescale };
            let s = p.schedule();
            for soft in [false, true] {
                let mut end = 0.0;
                for task in s.tasks.iter().filter(|task| (task.work == Work::Softmax) == soft) {
                    prop_assert!(task.from >= end && task.to > task.from);
                    end = task.to;
                }
            }
            for group in 0..groups as usize {
                let at = |work: Work, tile: usize| s.tasks.iter().find(|t| (t.work, t.group, t.tile) == (work, group, tile));
                for tile in 0..TILES - 1 {
                    let [a, b, c] = [Work::Scores, Work::Softmax, Work::Output].map(|work| at(work, tile).expect("scheduled"));
                    prop_assert!(a.to <= b.from && b.to <= c.from);
                }
            }
            prop_assert!(s.period >= s.products.max(s.softmax()) * (1.0 - 1e-9));
        }
    }
}
