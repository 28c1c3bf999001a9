//! `matmul-tuner`: which shape of the pipelined product is fastest on a GPU, found by trying.
//!
//! What a shape asks of each level of memory is known before ([`super::config`]); how fast it is, only the GPU says. The search tries
//! every shape of [`SPACE`] that fits into 16 KiB, then other bands with the best of them, as Triton's `autotune` tries its list of
//! configurations and keeps the fastest for a key of sizes.

use super::config::{Config, Numbers, WORKGROUP_MEMORY};
use super::intensity;
use super::matmul::{Kernel, Scheme};
use super::measured::Measured;
use crate::declare::{Field as _, List, Measure, Model, Param, Scale, choice, headline, measure, whole};
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
    128 128 16, 8 8, 1, false;
};

/// Rows of tiles in a band that are tried with the best shape.
const GROUPS: [u64; 3] = [1, 4, 16];

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
    /// FLOP a second; 0 for what came out wrong.
    pub rate: f64,
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
            rate,
            device: m.ran_on().to_owned(),
            software: m.software || !m.instead.is_empty(),
        })
    }

    /// Whether it is of the same search.
    fn beside(&self, other: &Self) -> bool {
        (self.n, self.config.numbers, &self.device) == (other.n, other.config.numbers, &other.device)
    }
}

fn run(n: u64, shape: &Shape, group: u64, numbers: Numbers) -> Run {
    let query = Query::new([("n", n.to_string()), ("shape", shape.id.to_owned()), ("group", group.to_string())]);
    let config = Config { group, numbers, ..shape.config };
    (numbers.id(), (query, [n, n, n].into_iter().chain(config.list()).collect()))
}

/// The fastest of what was tried; none if nothing was right.
pub fn best(trials: &[Trial]) -> Option<&Trial> {
    trials.iter().filter(|trial| trial.rate > 0.0).max_by(|a, b| a.rate.total_cmp(&b.rate))
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
        return Some(run(n, shape, shape.config.group, numbers));
    }
    let best = best(&trials)?.config;
    let shape = SPACE.iter().find(|shape| Config { numbers, group: best.group, ..shape.config } == best)?;
    let mut groups = GROUPS.into_iter().take(if last.software { 1 } else { GROUPS.len() });
    let group = groups.find(|group| !trials.iter().any(|t| t.config.group == *group))?;
    Some(run(n, shape, group, numbers))
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
        run(self.n, shape, shape.config.group, self.numbers)
    }

    /// A trial of the shape that is looked at.
    pub fn chosen(&self) -> Run {
        run(self.n, self.shape, self.shape.config.group, self.numbers)
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
        let slowest = trials.iter().map(|trial| trial.rate).filter(|rate| *rate > 0.0).fold(best.rate, f64::min);
        format!(
            "Fastest of {} on {}: {}, at {}, {} times the slowest. {known}",
            trials.len(),
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
            assert_eq!(trials.len(), params.fitting().len() + GROUPS.len());
            assert!(trials.iter().enumerate().all(|(i, trial)| trials[..i].iter().all(|t| t.config != trial.config)));
            let best = best(&trials).expect("something is right");
            assert_eq!((best.config.rows, best.config.cols, best.config.group), (128, 128, 16));
            assert!(params.finding(&params.mine(&trials)).starts_with("Fastest of"));
        }
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
