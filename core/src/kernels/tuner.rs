//! `matmul-tuner`: which shape of the pipelined product is fastest on a GPU, found by trying.
//!
//! What a shape asks of each level of memory is known before ([`super::config`]); how fast it is, only the GPU says. The search tries
//! every shape of [`SPACE`] that fits into 16 KiB, then other bands with the best of them, as Triton's `autotune` tries its list of
//! configurations and keeps the fastest for a key of sizes. In the end it measures the three fastest again in turns, for a GPU that
//! heats up is slower at the end than at the beginning.

use super::config::{Config, Numbers, WORKGROUP_MEMORY};
use super::intensity;
use super::matmul::{Kernel, Scheme};
use super::measured::Measured;
use crate::declare::{
    Field as _, List, Measure, Model, Origin, Origins, Param, Scale, choice, headline, measure, origin, whole,
};
use crate::hardware::{self, Accelerator};
use crate::quantity::{Unit, number, unbroken};
use crate::query::Query;

/// What was computed, in what was measured.
pub const FAMILY: &str = "matmul-tuned";

/// A shape that the search knows.
#[derive(Debug, PartialEq)]
pub struct Shape {
    /// The name in a query string.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// It, in f32 and with bands of 8.
    pub config: Config,
    /// Whether it is tried on a GPU made of software too, which takes seconds for each.
    pub small: bool,
}

macro_rules! space {
    ($($rows:literal $cols:literal $depth:literal, $own_rows:literal $own_cols:literal, $buffers:literal, $small:literal;)+) => {
        &[$(Shape {
            id: concat!($rows, "x", $cols, "x", $depth, "-", $own_rows, "x", $own_cols, "-", $buffers),
            label: concat!($rows, " × ", $cols, " × ", $depth, ", ", $own_rows, " × ", $own_cols, ", ", $buffers, " buf."),
            config: Config {
                rows: $rows,
                cols: $cols,
                depth: $depth,
                own_rows: $own_rows,
                own_cols: $own_cols,
                buffers: $buffers,
                ..Config::SINGLE
            },
            small: $small,
        }),+]
    };
}

/// The shapes: rows, columns and depth of a stage; rows and columns of an invocation; buffers.
pub const SPACE: &[Shape] = space! {
    128 128 8, 8 8, 2, true;
    32 32 8, 4 4, 2, true;
    32 32 16, 4 4, 2, false;
    64 64 8, 4 4, 2, true;
    64 64 16, 4 4, 1, false;
    64 64 16, 4 4, 2, false;
    64 64 8, 8 4, 2, false;
    64 64 16, 8 4, 2, true;
    64 64 8, 8 8, 2, true;
    64 64 16, 8 8, 1, true;
    64 64 16, 8 8, 2, false;
    128 64 8, 8 4, 2, false;
    128 64 16, 8 4, 1, false;
    128 64 8, 8 8, 2, true;
    64 128 8, 8 8, 2, false;
    128 128 8, 8 8, 1, false;
    128 128 8, 16 8, 2, false;
    128 128 16, 8 8, 1, true;
    64 128 16, 8 8, 1, false;
    128 64 16, 8 8, 1, false;
    64 64 16, 8 4, 1, false;
    32 64 16, 4 8, 1, false;
    32 128 16, 4 8, 1, false;
    128 32 16, 8 4, 1, false;
};

/// Rows of tiles in a band that are tried with the best shape.
const GROUPS: [u64; 3] = [1, 4, 16];
/// How many of the fastest are measured again, and how often, each in turn.
const LEADERS: usize = 3;
/// See [`LEADERS`].
const TURNS: u64 = 2;

const fn names(labels: bool) -> [&'static str; SPACE.len()] {
    let mut all = [""; SPACE.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if labels { SPACE[i].label } else { SPACE[i].id };
        i += 1;
    }
    all
}

fn find(id: &str) -> Option<&'static Shape> {
    SPACE.iter().find(|shape| shape.id == id)
}

crate::declare::chosen_by_id!(Shape, &SPACE[0], find, |_: &[&str]| None;);

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// Rows and columns of all matrices.
    pub n: u64,
    /// In what the products are made.
    pub numbers: Numbers,
    /// The shape that is looked at.
    pub shape: &'static Shape,
    /// The GPU whose SM would hold it.
    pub gpu: &'static Accelerator,
}

impl Model for Params {
    type Result = Config;
    const ID: &'static str = "matmul-tuner";
    const TITLE: &'static str = "Autotuner";
    const SUMMARY: &'static str =
        "Shapes of one matmul kernel, tried on your own GPU: what each asks of memory, and which is fastest.";
    const PARAMS: &'static [Param<Self>] = &[
        whole("n", "rows and columns of all matrices", [64, 4096], "1024")
            .label("Matrix size")
            .slider(Scale::Quarters(6, 12))
            .main()
            .at(|p| p.n.slot()),
        choice("numbers", "in what the products are made", Numbers::LIST, "f32")
            .label("Numbers")
            .main()
            .at(|p| p.numbers.slot()),
        choice("shape", "the shape that is looked at", List { ids: &names(false), labels: &names(true) }, SPACE[0].id)
            .label("Shape: tile × depth, own, buffers")
            .main()
            .at(|p| p.shape.slot()),
        choice("gpu", "the GPU whose SM would hold it", hardware::CHIPS, "a100-80")
            .label("Occupancy on")
            .at(|p| p.gpu.slot()),
    ];
    const ORIGIN: Origin = super::config::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of("NVIDIA CUDA toolkit 13.5, cuda_occupancy.h, with registers estimated from the tile’s shape"),
            &["registers", "occupancy"],
        ),
        origin(Origin::Definition, &["workgroup-memory", "invocations", "shapes"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Config>] = &[
        headline(
            "How often a value is used for each time it is loaded from memory.",
            measure("intensity", "FLOPs per byte from memory", Unit::Ratio, |_, c| c.intensity()),
        ),
        measure("inner-intensity", "FLOPs per byte from workgroup memory", Unit::Ratio, |_, c| c.inner_intensity()),
        measure("bank-passes", "Bank passes over the minimum", Unit::Ratio, |_, c| {
            let (passes, least) = c.passes();
            intensity(passes, least)
        }),
        headline(
            "Shared memory that one workgroup needs.",
            measure("workgroup-memory", "Workgroup memory", Unit::Bytes, |_, c| c.workgroup_memory() as f64),
        ),
        measure("invocations", "Invocations per workgroup", Unit::Count, |_, c| c.lanes() as f64),
        headline(
            "More of them leave room for fewer warps.",
            measure("registers", "Registers per invocation, estimated", Unit::Count, |_, c| c.registers() as f64),
        ),
        headline(
            "Resident warps over the most that an SM holds.",
            measure("occupancy", "Occupancy", Unit::Fraction, |p, c| c.occupancy(p.gpu)),
        ),
        headline(
            "Shapes the tuner can try.",
            measure("shapes", "Tile shapes that fit", Unit::Count, |p, _| p.fitting().len() as f64),
        ),
    ];

    fn evaluate(&self) -> Result<Config, String> {
        Ok(self.config())
    }
}

/// The kernel of a shape, as one of the ladder.
pub fn kernel(config: Config) -> Kernel {
    Kernel { id: config.numbers.id(), label: "Tuned", about: "", scheme: Scheme::Pipelined(config) }
}

/// A trial: the kernel, and the sizes as a query and as they are sent.
pub type Run = (&'static str, (Query, Vec<u64>));

/// What was tried, and how fast it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Rows and columns of all matrices.
    pub n: u64,
    /// The shape.
    pub config: Config,
    /// Which time this is: 0 is the first.
    pub turn: u64,
    /// FLOP a second; 0 for what came out wrong.
    pub rate: f64,
    /// The middle half of the rounds, in FLOP a second.
    pub middle: [f64; 2],
    /// What it ran on.
    pub device: String,
    /// Whether that is made of software.
    pub software: bool,
}

impl Trial {
    /// Of what was measured, if it is of the tuner.
    pub fn of(m: &Measured) -> Option<Self> {
        let query = Query::parse(&m.sizes);
        let number = |name: &str| query.get(name).and_then(|text| text.parse::<u64>().ok());
        let shape = find(query.get("shape")?)?.config;
        let numbers = Numbers::find(&m.kernel)?;
        let config = Config { numbers, group: number("group")?, ..shape };
        let rate = if m.verified { m.rate() } else { 0.0 };
        (m.family == FAMILY && config.impossible().is_none()).then_some(Self {
            n: number("n")?,
            config,
            turn: number("turn").unwrap_or(0),
            rate,
            middle: [m.high, m.low].map(|seconds| if seconds > 0.0 { m.flop / seconds } else { rate }),
            device: m.ran_on().to_owned(),
            software: m.software || !m.instead.is_empty(),
        })
    }

    /// Whether it is of the same search.
    fn beside(&self, other: &Self) -> bool {
        (self.n, self.config.numbers, &self.device) == (other.n, other.config.numbers, &other.device)
    }
}

fn run(n: u64, shape: &Shape, group: u64, numbers: Numbers, turn: u64) -> Run {
    let again = (turn > 0).then(|| ("turn", turn.to_string()));
    let named = [("n", n.to_string()), ("shape", shape.id.to_owned()), ("group", group.to_string())];
    let config = Config { group, numbers, ..shape.config };
    (numbers.id(), (Query::new(named.into_iter().chain(again)), [n, n, n].into_iter().chain(config.list()).collect()))
}

/// One trial for each shape and band, the fastest first: of those that were measured in turns the median.
pub fn ranked(trials: &[Trial]) -> Vec<&Trial> {
    let mut all: Vec<&Trial> = Vec::new();
    for first in trials {
        if all.iter().any(|known| known.config == first.config) {
            continue;
        }
        let mut same: Vec<&Trial> = trials.iter().filter(|trial| trial.config == first.config).collect();
        same.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        all.extend(same.get(same.len() / 2));
    }
    // What was measured in turns has outrun the others before.
    let turns = |trial: &Trial| trials.iter().filter(|other| other.config == trial.config).map(|t| t.turn).max();
    all.sort_by(|a, b| (turns(b), b.rate).partial_cmp(&(turns(a), a.rate)).unwrap_or(std::cmp::Ordering::Equal));
    all
}

/// The fastest of what was tried; none if nothing was right.
pub fn best(trials: &[Trial]) -> Option<&Trial> {
    ranked(trials).into_iter().find(|trial| trial.rate > 0.0)
}

/// The winner that was kept last, of any size and numbers; none if none was.
pub fn winner(kept: &[Measured]) -> Option<Config> {
    kept.iter().rev().filter_map(Trial::of).find(|trial| trial.rate > 0.0).map(|trial| trial.config)
}

/// What to try after what was measured last: the other shapes that fit, and then other bands with the fastest; none when the search
/// is over.
pub fn next(measured: &[Measured]) -> Option<Run> {
    let last = measured.iter().rev().find_map(Trial::of)?;
    let (n, numbers) = (last.n, last.config.numbers);
    let trials: Vec<Trial> = measured.iter().filter_map(Trial::of).filter(|trial| trial.beside(&last)).collect();
    let tried = |config: Config| trials.iter().any(|trial| trial.config == config);
    let shape_left = fitting(numbers).into_iter().find(|shape| {
        let wanted = shape.small || !last.software;
        wanted && !tried(Config { numbers, ..shape.config })
    });
    if let Some(shape) = shape_left {
        return Some(run(n, shape, shape.config.group, numbers, 0));
    }
    let shape_of = |config: Config| {
        SPACE.iter().find(move |shape| Config { numbers, group: config.group, ..shape.config } == config)
    };
    let mut groups = GROUPS.into_iter().take(if last.software { 1 } else { GROUPS.len() });
    if let Some(group) = groups.find(|group| !trials.iter().any(|t| t.config.group == *group)) {
        return Some(run(n, shape_of(best(&trials)?.config)?, group, numbers, 0));
    }
    // Who leads is settled before the first of them is measured again.
    let first: Vec<Trial> = trials.iter().filter(|trial| trial.turn == 0).cloned().collect();
    let leaders: Vec<&Trial> = ranked(&first).into_iter().filter(|trial| trial.rate > 0.0).collect();
    let mut turns = (1..=TURNS).flat_map(|turn| leaders.iter().take(LEADERS).map(move |trial| (turn, trial.config)));
    let left = |(turn, config): &(u64, Config)| !trials.iter().any(|t| (t.turn, t.config) == (*turn, *config));
    let (turn, config) = turns.find(left).filter(|_| !last.software)?;
    Some(run(n, shape_of(config)?, config.group, numbers, turn))
}

/// The shapes with these numbers that fit into the workgroup memory of every GPU.
fn fitting(numbers: Numbers) -> Vec<&'static Shape> {
    let fits = |shape: &&Shape| Config { numbers, ..shape.config }.workgroup_memory() <= WORKGROUP_MEMORY;
    SPACE.iter().filter(fits).collect()
}

impl Params {
    /// The shape that is looked at, with these numbers.
    pub fn config(&self) -> Config {
        Config { numbers: self.numbers, ..self.shape.config }
    }

    /// The shapes that fit.
    pub fn fitting(&self) -> Vec<&'static Shape> {
        fitting(self.numbers)
    }

    /// The first trial of a search.
    pub fn first(&self) -> Run {
        let shape = self.fitting().first().copied().unwrap_or(&SPACE[0]);
        run(self.n, shape, shape.config.group, self.numbers, 0)
    }

    /// A trial of the shape that is looked at.
    pub fn chosen(&self) -> Run {
        run(self.n, self.shape, self.shape.config.group, self.numbers, 0)
    }

    /// Of all that was tried, what is of this search, on the device that was used last.
    pub fn mine(&self, all: &[Trial]) -> Vec<Trial> {
        let fits = |trial: &&Trial| (trial.n, trial.config.numbers) == (self.n, self.numbers);
        let last = all.iter().rev().find(fits);
        all.iter().filter(|trial| last.is_some_and(|last| trial.beside(last))).cloned().collect()
    }

    /// What was found, in sentences; what is known before, if nothing was.
    pub fn finding(&self, trials: &[Trial]) -> String {
        let config = self.config();
        let (passes, least) = config.passes();
        let conflicts = match passes.cmp(&least) {
            std::cmp::Ordering::Greater => "some of its reads meet in a bank",
            _ => "none of its reads meet in a bank",
        };
        let known = format!(
            "{} does {} FLOP for each byte from memory and {} for each from workgroup memory; {conflicts}. With about {} registers, \
             an SM of {} is {} occupied.",
            config.name(),
            number(config.intensity()),
            number(config.inner_intensity()),
            config.registers(),
            self.gpu.name,
            unbroken(&Unit::Fraction.format(config.occupancy(self.gpu))),
        );
        let Some(best) = best(trials) else { return known };
        let ranked = ranked(trials);
        let beside = ranked.get(1).filter(|next| next.turn > 0 && next.middle[1] >= best.middle[0]);
        let tie = beside.map_or(String::new(), |next| {
            format!(" {} is as fast: the middle halves of their times overlap.", next.config.name())
        });
        let slowest = trials.iter().map(|trial| trial.rate).filter(|rate| *rate > 0.0).fold(best.rate, f64::min);
        format!(
            "Fastest of {} on {}: {}, at {}, {} times the slowest.{tie} {known}",
            ranked.len(),
            best.device,
            best.config.name(),
            unbroken(&Unit::FlopPerSecond.format(best.rate)),
            number(best.rate / slowest),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a machine would measure.
    fn ran((kernel, (query, sizes)): Run, software: bool) -> Measured {
        let config = Config::read(&sizes[3..]).expect("a shape");
        let rate = config.intensity() * 1e10 + config.group as f64;
        Measured {
            family: FAMILY.to_owned(),
            kernel: kernel.to_owned(),
            sizes: query.to_string(),
            device: "a GPU".to_owned(),
            software,
            flop: 2.0 * sizes[0].pow(3) as f64,
            seconds: 2.0 * sizes[0].pow(3) as f64 / rate,
            verified: true,
            ..Measured::default()
        }
    }

    fn search(params: Params, software: bool) -> Vec<Measured> {
        let mut all = vec![ran(params.first(), software)];
        while let Some(run) = next(&all) {
            all.push(ran(run, software));
            assert!(all.len() < 100, "a search ends");
        }
        all
    }

    #[test]
    fn a_search_tries_every_shape_that_fits_once_and_then_bands() {
        for numbers in Numbers::ALL {
            let params = Params { n: 512, numbers, ..Params::default() };
            let all = search(params, false);
            let trials: Vec<Trial> = all.iter().filter_map(Trial::of).collect();
            let (first, again): (Vec<&Trial>, Vec<&Trial>) = trials.iter().partition(|trial| trial.turn == 0);
            assert_eq!(first.len(), params.fitting().len() + GROUPS.len());
            assert!(first.iter().enumerate().all(|(i, trial)| first[..i].iter().all(|t| t.config != trial.config)));
            let order: Vec<u64> = again.iter().map(|trial| trial.turn).collect();
            assert_eq!(order, [1, 1, 1, 2, 2, 2]);
            assert!((0..LEADERS).all(|i| again[i].config == again[i + LEADERS].config), "in turns");
            let best = best(&trials).expect("something is right");
            assert_eq!((best.config.rows, best.config.cols, best.config.group), (128, 128, 16));
            assert!(params.finding(&params.mine(&trials)).starts_with("Fastest of"));
        }
    }

    #[test]
    fn a_lucky_first_time_does_not_win() {
        let trial = |shape: usize, turn, rate| Trial {
            turn,
            rate,
            middle: [0.99 * rate, 1.01 * rate],
            ..Trial::of(&ran(run(512, &SPACE[shape], 8, Numbers::Single, turn), false)).expect("a trial")
        };
        let all = [trial(0, 0, 9e12), trial(1, 0, 8e12), trial(2, 0, 5e12), trial(0, 1, 6e12), trial(1, 1, 8e12)];
        let all = [&all[..], &[trial(0, 2, 6e12), trial(1, 2, 7.9e12)]].concat();
        assert_eq!(best(&all).map(|best| best.config), Some(SPACE[1].config));
        let params = Params { n: 512, ..Params::default() };
        assert!(!params.finding(&all).contains("as fast"), "8 and 6 are apart");
        let close: Vec<Trial> =
            all.iter().cloned().map(|t| Trial { rate: t.rate.max(7.95e12), middle: [7.8e12, 8.1e12], ..t }).collect();
        assert!(params.finding(&close).contains("is as fast"));
    }

    #[test]
    fn a_gpu_made_of_software_tries_few() {
        let all = search(Params { n: 256, ..Params::default() }, true);
        assert_eq!(all.len(), SPACE.iter().filter(|shape| shape.small).count() + 1);
    }

    #[test]
    fn the_winner_is_the_one_that_was_kept_last() {
        let params = Params { n: 256, ..Params::default() };
        let half = Params { numbers: Numbers::HalfTiles, ..params };
        let mut wrong = ran(params.first(), false);
        wrong.verified = false;
        let kept = [ran(params.first(), false), ran(half.first(), false), wrong, Measured::default()];
        assert_eq!(winner(&kept), Some(Config { numbers: Numbers::HalfTiles, ..SPACE[0].config }));
        assert_eq!((winner(&kept[..1]), winner(&kept[2..])), (Some(SPACE[0].config), None));
    }

    #[test]
    fn another_search_and_what_is_wrong_do_not_count() {
        let params = Params { n: 256, ..Params::default() };
        let mut wrong = ran(params.first(), false);
        wrong.verified = false;
        let other = ran(Params { n: 512, ..params }.first(), false);
        let trials: Vec<Trial> = [other, wrong].iter().filter_map(Trial::of).collect();
        let mine = params.mine(&trials);
        assert_eq!((mine.len(), best(&mine)), (1, None));
        assert_eq!(next(&[]), None);
        assert_eq!(Trial::of(&Measured::default()), None);
    }

    #[test]
    fn every_shape_is_possible_and_its_id_says_it() {
        for shape in SPACE {
            for numbers in Numbers::ALL {
                assert_eq!(Config { numbers, ..shape.config }.impossible(), None, "{}", shape.id);
            }
            assert_eq!(format!("{}-8", shape.id), shape.config.id());
        }
        assert!(SPACE[0].config.workgroup_memory() <= WORKGROUP_MEMORY);
    }
}
