//! Fused or not: what an operation between two matrix products moves, how often it is launched, and how long that takes.
//!
//! The time is that of every byte at a GPU's peak bandwidth, and for each launch the time in which the GPU has nothing to do:
//! t = launches · launch + bytes / bandwidth. Operations on rows are so far below a GPU's ridge point that arithmetic does not
//! count.

use super::measured::Measured;
use super::rows::{LANES, OWN, Op, Sizes};
use super::{Needs, RUN, Traffic, intensity, rows};
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::hardware::{self, Accelerator};
use crate::network::measured::{Fit, fit};
use crate::quantity::{Quantity, Unit, number, unbroken};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, plain};

/// The most rows, and columns, that the widget takes.
pub const MAX: u64 = 16_384;

/// What a launch costs the GPU, measured on a V100: its name, microseconds beside the kernel's own 2.9, and how it is launched.
/// NVIDIA, "Getting Started with CUDA Graphs", <https://developer.nvidia.com/blog/cuda-graphs/>: 3.4, 3.8 and 9.6 µs.
pub const LAUNCHES: [(&str, f64, &str); 3] = [
    ("In a graph", 0.5, "a recorded sequence, started as a whole"),
    ("Queued ahead", 0.9, "the processor launches the next while this one runs"),
    ("Waited for", 6.7, "the processor waits for each before it launches the next"),
];

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// What is done.
    pub op: Op,
    /// The kernel, one of the operation's.
    pub kernel: &'static str,
    /// The matrix.
    pub sizes: Sizes,
    /// The GPU of the prediction.
    pub gpu: &'static Accelerator,
    /// Microseconds of a launch.
    pub launch: f64,
    /// Whether all kernels are to be run as the page opens.
    pub run: bool,
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "op",
        doc: "what is done to the matrix",
        kind: Kind::Choice(&["softmax", "layer-norm", "chain"]),
        default: "softmax",
    },
    ParamSpec {
        name: "kernel",
        doc: "how; the chain has pairs and not kept, the others kept and not pairs, and what there is not is fused",
        kind: Kind::Choice(&["unfused", "pairs", "fused", "kept"]),
        default: "fused",
    },
    ParamSpec { name: "rows", doc: "rows of the matrix", kind: Kind::Integer { min: 1, max: MAX }, default: "4096" },
    ParamSpec { name: "cols", doc: "columns of the matrix", kind: Kind::Integer { min: 1, max: MAX }, default: "4096" },
    ParamSpec {
        name: "gpu",
        doc: "the GPU whose bandwidth the prediction takes",
        kind: Kind::Choice(&hardware::IDS),
        default: "a100-80",
    },
    ParamSpec {
        name: "launch",
        doc: "microseconds for which the GPU has nothing to do at each launch",
        kind: Kind::Real { min: 0.0, max: 1000.0 },
        default: "0.9",
    },
    RUN,
];

/// This model in the catalogue. What is measured is no quantity of it: that differs by machine.
pub const ENTRY: Entry = Entry {
    id: "kernel-fusion",
    title: "Fused and unfused",
    summary: "The same operation in many kernels and in one: bytes and launches predicted, and times measured on your own GPU.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("bytes", "Moved", Unit::Bytes),
        ("bytes-unfused", "Moved unfused", Unit::Bytes),
        ("saved", "Never moved", Unit::Bytes),
        ("traffic-ratio", "Unfused moves, times as much", Unit::Ratio),
        ("launches", "Launches", Unit::Count),
        ("launches-unfused", "Launches unfused", Unit::Count),
        ("time", "Predicted time", Unit::Seconds),
        ("time-unfused", "Predicted time unfused", Unit::Seconds),
        ("speedup", "Times as fast as unfused", Unit::Ratio),
        ("traffic-time", "of it traffic", Unit::Seconds),
        ("launch-time", "of it launches", Unit::Seconds),
        ("launch-share", "Share of launches", Unit::Fraction),
        ("crossover", "Values at which launches take as long as traffic", Unit::Count),
        ("scratch", "Memory for intermediate results", Unit::Bytes),
        ("held", "Values of a row in each invocation’s registers", Unit::Count),
        ("intensity", "FLOP for each byte moved", Unit::Ratio),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        Evaluation::new(params.query(), problems, Ok(params.quantities()))
    },
};

/// What one kernel is predicted to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Its launches.
    pub launches: u64,
    /// What crosses between memory and chip.
    pub moved: Traffic,
    /// What it asks for and occupies.
    pub needs: Needs,
    /// Seconds of all launches.
    pub launch_time: f64,
    /// Seconds of all bytes.
    pub traffic_time: f64,
}

impl Prediction {
    /// Seconds of a run.
    pub fn time(&self) -> f64 {
        self.launch_time + self.traffic_time
    }
}

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let op = Op::find(reader.choice("op")).unwrap_or(Op::Softmax);
        let kernel = reader.choice("kernel");
        let [rows, cols] = ["rows", "cols"].map(|name| reader.integer(name).max(1));
        let gpu = hardware::find(reader.choice("gpu")).unwrap_or(&hardware::ALL[0]);
        let launch = reader.real("launch");
        let run = reader.integer("run") == 1;
        let params = Self { op, kernel, sizes: Sizes { rows, cols }, gpu, launch, run };
        (params.with_op(op), reader.finish())
    }

    /// The same of another operation, by its kernel of the same name, or its fused one.
    pub fn with_op(&self, op: Op) -> Self {
        let kernel = op.kernel(self.kernel).map_or("fused", |kernel| kernel.id);
        Self { op, kernel, ..*self }
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let mut query = Query::new([("op", self.op.id()), ("kernel", self.kernel)]).with(&self.sizes.query());
        query.set("gpu", self.gpu.id);
        query.set("launch", plain(self.launch));
        query.set("run", if self.run { "1" } else { "0" });
        query
    }

    /// What the kernel with this id is predicted to do, at `sizes`.
    pub fn predict(&self, kernel: &rows::Kernel, sizes: Sizes) -> Prediction {
        let moved = kernel.moved(sizes);
        let launches = kernel.launches.len() as u64;
        Prediction {
            launches,
            moved,
            needs: kernel.needs(sizes),
            launch_time: launches as f64 * self.launch * 1e-6,
            traffic_time: moved.total() as f64 / self.gpu.bandwidth,
        }
    }

    /// The kernels of the operation, each with what it is predicted to do; the unfused one first.
    pub fn all(&self) -> Vec<(&'static rows::Kernel, Prediction)> {
        self.op.kernels().iter().map(|kernel| (kernel, self.predict(kernel, self.sizes))).collect()
    }

    /// The chosen kernel and the unfused one.
    fn both(&self) -> Option<[(&'static rows::Kernel, Prediction); 2]> {
        let unfused = self.op.kernels().first()?;
        let kernel = self.op.kernel(self.kernel).unwrap_or(unfused);
        Some([kernel, unfused].map(|kernel| (kernel, self.predict(kernel, self.sizes))))
    }

    /// What matrices of these columns should take the kernel, by number of rows: (rows, seconds).
    pub fn curve(&self, kernel: &rows::Kernel) -> Vec<(f64, f64)> {
        let point = |power: u32| {
            let sizes = Sizes { rows: 1 << power, cols: self.sizes.cols };
            (sizes.rows as f64, self.predict(kernel, sizes).time())
        };
        (0..=MAX.ilog2()).map(point).collect()
    }

    /// All quantities of [`ENTRY`].
    pub fn quantities(&self) -> Vec<Quantity> {
        let Some(both) = self.both() else { return Vec::new() };
        ENTRY.measured(|id| self.quantity(both, id))
    }

    fn quantity(&self, [(kernel, here), (_, unfused)]: [(&rows::Kernel, Prediction); 2], id: &str) -> f64 {
        let bytes = |p: &Prediction| p.moved.total() as f64;
        match id {
            "bytes" => bytes(&here),
            "bytes-unfused" => bytes(&unfused),
            "saved" => bytes(&unfused) - bytes(&here),
            "traffic-ratio" => bytes(&unfused) / bytes(&here),
            "launches" => here.launches as f64,
            "launches-unfused" => unfused.launches as f64,
            "time" => here.time(),
            "time-unfused" => unfused.time(),
            "speedup" => unfused.time() / here.time(),
            "traffic-time" => here.traffic_time,
            "launch-time" => here.launch_time,
            "launch-share" => here.launch_time / here.time(),
            "crossover" => self.sizes.values() as f64 * here.launch_time / here.traffic_time,
            "scratch" => here.needs.scratch as f64,
            "held" if kernel.launches.iter().any(|launch| launch.kept) => {
                self.sizes.cols.div_ceil(LANES).min(OWN) as f64
            }
            "intensity" => intensity(self.op.flop() * self.sizes.values(), here.moved.total()),
            _ => 0.0,
        }
    }

    /// What fusing saves, and of which kind, in sentences.
    pub fn finding(&self) -> String {
        let Some([(kernel, here), (_, unfused)]) = self.both() else { return String::new() };
        let bytes = |p: &Prediction| unbroken(&Unit::Bytes.format(p.moved.total() as f64));
        let seconds = |s: f64| unbroken(&Unit::Seconds.format(s));
        let launches = |n: u64| if n == 1 { "one launch".to_owned() } else { format!("{n} launches") };
        let cost = if here.launch_time > here.traffic_time {
            "Most of that is launches: at this size it matters how many kernels there are, and hardly what they move."
        } else if here.launch_time * 10.0 > here.traffic_time {
            "Launches are a part of that, and most of it is traffic."
        } else {
            "Nearly all of that is traffic: at this size it matters what is moved, and hardly in how many kernels."
        };
        let what = format!(
            "{} moves {} in {} and should take {} on {}.",
            kernel.label,
            bytes(&here),
            launches(here.launches),
            seconds(here.time()),
            self.gpu.name
        );
        if here == unfused {
            return format!("{what} {cost}");
        }
        format!(
            "{what} Unfused it is {} in {} and {}, {} times as long. {cost}",
            bytes(&unfused),
            launches(unfused.launches),
            seconds(unfused.time()),
            number(unfused.time() / here.time())
        )
    }
}

/// A run of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// What is done.
    pub op: Op,
    /// How.
    pub kernel: &'static rows::Kernel,
    /// To what.
    pub sizes: Sizes,
}

impl Run {
    /// What was measured, if it is one of these kernels.
    pub fn of(measured: &Measured) -> Option<Self> {
        let op = Op::find(&measured.family)?;
        let query = Query::parse(&measured.sizes);
        let size = |name| query.get(name).and_then(|text| text.parse::<u64>().ok()).filter(|n| (1..=MAX).contains(n));
        let sizes = Sizes { rows: size("rows")?, cols: size("cols")? };
        Some(Self { op, kernel: op.kernel(&measured.kernel)?, sizes })
    }
}

/// A run that took longer, in seconds, ends a sweep.
const ENOUGH: f64 = 0.02;

/// What a sweep over the rows runs after what was measured last: the next kernel at the same size, and when all have been run
/// four times as many rows, as long as that takes no time to speak of.
pub fn next(measured: &[Measured]) -> Option<Run> {
    let last = measured.last()?;
    let Run { op, kernel, sizes } = Run::of(last)?;
    let place = op.kernels().iter().position(|k| k.id == kernel.id)?;
    if let Some(kernel) = op.kernels().get(place + 1) {
        return Some(Run { op, kernel, sizes });
    }
    let first =
        measured.iter().rev().find(|m| m.family == last.family && m.sizes == last.sizes && m.kernel == "unfused");
    let short = last.seconds.max(first.map_or(0.0, |m| m.seconds)) < ENOUGH;
    let sizes = Sizes { rows: sizes.rows * 4, ..sizes };
    op.kernels().first().filter(|_| short && sizes.rows <= MAX).map(|kernel| Run { op, kernel, sizes })
}

/// What the kernel took on matrices of these columns, by number of rows: (rows, seconds).
pub fn points(op: Op, kernel: &rows::Kernel, cols: u64, measured: &[Measured]) -> Vec<(f64, f64)> {
    let point = |m: &Measured| {
        let run = Run::of(m).filter(|run| run.op == op && run.kernel.id == kernel.id && run.sizes.cols == cols)?;
        Some((run.sizes.rows as f64, m.seconds))
    };
    measured.iter().filter_map(point).collect()
}

/// The launch and the bandwidth that explain these measurements of an operation best: latency is that of one launch.
pub fn explain(op: Op, measured: &[Measured]) -> Option<Fit> {
    let point = |m: &Measured| {
        let run = Run::of(m).filter(|run| run.op == op && m.verified)?;
        let launches = run.kernel.launches.len() as f64;
        Some((run.kernel.moved(run.sizes).total() as f64 / launches, m.seconds / launches))
    };
    fit(&measured.iter().filter_map(point).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(query: &str) -> Params {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        params
    }

    fn value(params: &Params, id: &str) -> f64 {
        params.quantities().iter().find(|q| q.id == id).map_or(f64::NAN, |q| q.value)
    }

    #[test]
    fn large_matrices_gain_by_traffic_and_small_ones_by_launches() {
        let large = at("op=softmax&kernel=fused&rows=16384&cols=4096");
        assert!((value(&large, "traffic-ratio") - 4.0).abs() < 0.01);
        assert!((value(&large, "speedup") - 4.0).abs() < 0.05, "{}", value(&large, "speedup"));
        let small = at("op=softmax&kernel=fused&rows=1&cols=64");
        assert!((value(&small, "speedup") - 5.0).abs() < 0.01);
        assert!(value(&small, "launch-share") > 0.99);
    }

    #[test]
    fn at_the_crossover_launches_take_as_long_as_traffic() {
        let params = at("op=chain&kernel=unfused&rows=1000&cols=1000");
        let values = value(&params, "crossover");
        let there = Params { sizes: Sizes { rows: (values / 1000.0).round() as u64, cols: 1000 }, ..params };
        assert!((value(&there, "launch-share") - 0.5).abs() < 0.01);
    }

    #[test]
    fn an_operation_has_no_kernels_of_another() {
        assert_eq!(at("op=chain&kernel=kept").kernel, "fused");
        assert_eq!(at("op=softmax&kernel=pairs").kernel, "fused");
        assert_eq!(at("op=softmax&kernel=kept").with_op(Op::Chain).kernel, "fused");
    }

    #[test]
    fn held_are_the_values_of_a_row_shared_by_a_workgroup() {
        assert_eq!(value(&at("kernel=kept&cols=1000"), "held"), 8.0);
        assert_eq!(value(&at("kernel=kept&cols=16384"), "held"), 32.0);
        assert_eq!(value(&at("kernel=fused&cols=1000"), "held"), 0.0);
    }

    fn measured(run: Run, seconds: f64) -> Measured {
        Measured {
            family: run.op.id().into(),
            kernel: run.kernel.id.into(),
            sizes: run.sizes.query().to_string(),
            seconds,
            verified: true,
            ..Measured::default()
        }
    }

    #[test]
    fn a_sweep_ends_and_finds_the_launch_and_the_bandwidth() {
        let (launch, bandwidth) = (3e-6, 4e11);
        let mut all = Vec::new();
        let mut run =
            Run { op: Op::LayerNorm, kernel: &Op::LayerNorm.kernels()[0], sizes: Sizes { rows: 1, cols: 1024 } };
        loop {
            let seconds =
                run.kernel.launches.len() as f64 * launch + run.kernel.moved(run.sizes).total() as f64 / bandwidth;
            all.push(measured(run, seconds));
            match next(&all) {
                Some(more) => run = more,
                None => break,
            }
        }
        assert_eq!(all.len(), 3 * 8);
        assert_eq!(points(Op::LayerNorm, run.kernel, 1024, &all).len(), 8);
        assert_eq!(points(Op::LayerNorm, run.kernel, 1000, &all), []);
        let found = explain(Op::LayerNorm, &all).expect("a line");
        assert!((found.cost.latency / launch - 1.0).abs() < 1e-6 && (found.cost.peak() / bandwidth - 1.0).abs() < 1e-6);
        assert_eq!(explain(Op::Softmax, &all), None);
        let slow: Vec<Measured> = all.iter().take(3).map(|m| Measured { seconds: 1.0, ..m.clone() }).collect();
        assert_eq!(next(&slow), None);
    }
}
