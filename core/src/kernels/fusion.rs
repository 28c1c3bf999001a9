//! Fused or not: what an operation between two matrix products moves, how often it is launched, and how long that takes.
//!
//! The time is that of every byte at a GPU's peak bandwidth, and for each launch the time in which the GPU has nothing to do. A kernel
//! cannot end before what it reads has come, so none is shorter than one access to memory:
//! t = launches · launch + Σ max(bytes / bandwidth, access). Operations on rows are so far below a GPU's ridge point that arithmetic
//! does not count.

use super::measured::Measured;
use super::rows::{LANES, OWN, Op, Sizes, Way};
use super::{Needs, RUN, Traffic, intensity, rows};
use crate::declare::{
    Field as _, Measure, Model, Origin, Origins, Param, Scale, Slot, Takes, choice, doc, headline, measure, origin,
    real, whole,
};
use crate::hardware::{self, Accelerator};
use crate::network::measured::{Fit, fit};
use crate::quantity::{Unit, number, unbroken};
use crate::query::{Query, Reader};

/// The most rows, and columns, that the widget takes.
pub const MAX: u64 = 16_384;

/// What a launch costs the GPU, measured on a V100: its name, microseconds beside the kernel's own 2.9, and how it is launched.
/// NVIDIA, "Getting Started with CUDA Graphs", <https://developer.nvidia.com/blog/cuda-graphs/>: 3.4, 3.8 and 9.6 µs.
pub const LAUNCHES: [(&str, f64, &str); 3] = [
    ("In a graph", 0.5, "a recorded sequence, started as a whole"),
    ("Queued ahead", 0.9, "the processor launches the next while this one runs"),
    ("Waited for", 6.7, "the processor waits for each before it launches the next"),
];

/// Seconds of one access to idle memory: 466.3 cycles of 1.41 GHz on an A100 (Luo et al. 2024, arXiv 2402.13499, table IV). Other GPUs
/// of these years are near it, so it is taken for all.
const ACCESS: f64 = 466.3 / 1.41e9;

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// What is done.
    pub op: Op,
    /// How: by one of the operation's kernels.
    pub kernel: Way,
    /// The matrix.
    pub sizes: Sizes,
    /// The GPU of the prediction.
    pub gpu: &'static Accelerator,
    /// Microseconds of a launch.
    pub launch: f64,
    /// Whether all kernels are to be run as the page opens.
    pub run: bool,
}

/// Where the controls of what is predicted stand.
const PREDICTION: &str = "The prediction";

impl Model for Params {
    type Result = Compared;
    const ID: &'static str = "kernel-fusion";
    const TITLE: &'static str = "Fused and unfused";
    const SUMMARY: &'static str = "The same operation in many kernels and in one: bytes and launches predicted, and times measured on your own GPU.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("op", "what is done to the matrix", Op::LIST, "softmax").label("Operation").main().at(|p| p.op.slot()),
        choice(
            "kernel",
            "how; the chain has pairs and not kept, the others kept and not pairs, and what there is not is fused",
            Way::LIST,
            "fused",
        )
        .label("Kernels")
        .main()
        .at(|p| p.kernel.slot()),
        whole("rows", "rows of the matrix", [1, MAX], "4096")
            .label("Rows")
            .doubling(14)
            .main()
            .at(|p| p.sizes.rows.slot()),
        whole("cols", "columns of the matrix", [1, MAX], "4096")
            .label("Columns")
            .doubling(14)
            .main()
            .at(|p| p.sizes.cols.slot()),
        choice("gpu", "the GPU whose bandwidth the prediction takes", hardware::LIST, "a100-80")
            .label("GPU")
            .more(PREDICTION)
            .at(|p| p.gpu.slot()),
        real("launch", "microseconds for which the GPU has nothing to do at each launch", [0.0, 1000.0], "0.9")
            .takes_times(Takes::Launch, 1e6)
            .label("Launch overhead")
            .each(Unit::Seconds, 1e-6)
            .format(|v| format!("{} µs", number(v)))
            .slider(Scale::Linear { min: 0.0, max: 20.0, step: 0.1 })
            .more(PREDICTION)
            .at(|p| p.launch.slot()),
        RUN.at(|p| Slot::Whole(&mut p.run)),
    ];
    const ORIGIN: Origin =
        Origin::Own("bytes over peak bandwidth plus launch overhead per kernel, none shorter than one memory access");
    const ORIGINS: &'static [Origins] = &[
        origin(super::rows::ORIGIN, &["bytes", "bytes-unfused", "launches", "launches-unfused", "scratch", "held"]),
        origin(Origin::Of("Luo et al. 2024, arXiv:2402.13499, Table IV: 466.3 cycles on an A100"), &["access"]),
        origin(Origin::Rows, &["saved", "traffic-ratio", "speedup", "launch-share", "intensity"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Compared>] = &[
        measure("bytes", "Bytes moved", Unit::Bytes, |_, c| c.here.bytes()),
        measure("bytes-unfused", "Bytes moved, unfused", Unit::Bytes, |_, c| c.unfused.bytes()),
        headline(
            "Bytes that fusing keeps out of memory.",
            measure("saved", "Traffic saved", Unit::Bytes, |_, c| c.unfused.bytes() - c.here.bytes()),
        ),
        measure("traffic-ratio", "Traffic, unfused over fused", Unit::Ratio, |_, c| c.unfused.bytes() / c.here.bytes()),
        headline(
            "Kernels that the GPU starts.",
            measure("launches", "Kernel launches", Unit::Count, |_, c| c.here.launches as f64),
        ),
        measure("launches-unfused", "Kernel launches, unfused", Unit::Count, |_, c| c.unfused.launches as f64),
        headline(
            "Launches plus traffic at the GPU’s bandwidth.",
            measure("time", "Predicted time", Unit::Seconds, |_, c| c.here.time()),
        ),
        measure("time-unfused", "Predicted time, unfused", Unit::Seconds, |_, c| c.unfused.time()),
        headline(
            "The predicted time of the unfused kernels over that of the fused ones.",
            measure("speedup", "Speedup over unfused", Unit::Ratio, |_, c| c.unfused.time() / c.here.time()),
        ),
        measure("traffic-time", "Time in traffic", Unit::Seconds, |_, c| c.here.traffic_time),
        measure("launch-time", "Time in launches", Unit::Seconds, |_, c| c.here.launch_time),
        headline(
            "The share of the predicted time that goes into starting kernels.",
            measure("launch-share", "Launch share of predicted time", Unit::Fraction, |_, c| {
                c.here.launch_time / c.here.time()
            }),
        ),
        measure("access", "Memory access latency", Unit::Seconds, |_, _| ACCESS),
        measure("full-rate-time", "Time of the traffic at full bandwidth", Unit::Seconds, |p, c| {
            c.here.bytes() / p.gpu.bandwidth
        }),
        doc(
            "Below this size, launches take longer than traffic.",
            measure("crossover", "Break-even size, values", Unit::Count, |p, c| {
                // Where a launch is shorter than an access, traffic is the longer at every size.
                let values = p.sizes.values() as f64 * c.here.launch_time * p.gpu.bandwidth / c.here.bytes();
                if p.launch * 1e-6 > ACCESS { values } else { 0.0 }
            }),
        ),
        measure("scratch", "Intermediate buffers", Unit::Bytes, |_, c| c.here.needs.scratch as f64),
        measure("held", "Row values per invocation", Unit::Count, |p, c| {
            let keeps = c.kernel.launches.iter().any(|launch| launch.kept);
            if keeps { p.sizes.cols.div_ceil(LANES).min(OWN) as f64 } else { 0.0 }
        }),
        measure("intensity", "Arithmetic intensity, FLOP/byte", Unit::Ratio, |p, c| {
            intensity(p.op.flop() * p.sizes.values(), c.here.moved.total())
        }),
    ];

    fn evaluate(&self) -> Result<Compared, String> {
        Ok(self.compared())
    }

    fn settle(&mut self, _reader: &mut Reader<'_>) {
        self.kernel = self.kernel().0;
    }

    fn follow(&mut self, _before: &Self) {
        self.kernel = self.kernel().0;
    }
}

/// A kernel beside the unfused ones, of the same operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The kernel.
    pub kernel: &'static rows::Kernel,
    /// What it is predicted to do.
    pub here: Prediction,
    /// What the unfused ones are predicted to do.
    pub unfused: Prediction,
}

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
    /// Seconds of all bytes, and no kernel shorter than an access.
    pub traffic_time: f64,
}

impl Prediction {
    /// Bytes that cross between memory and chip.
    pub fn bytes(&self) -> f64 {
        self.moved.total() as f64
    }

    /// Seconds of a run.
    pub fn time(&self) -> f64 {
        self.launch_time + self.traffic_time
    }
}

impl Params {
    /// The kernel, and its name; the fused one where the operation has none of this name.
    fn kernel(&self) -> (Way, &'static rows::Kernel) {
        let named = |way: Way| self.op.kernel(way.id()).map(|kernel| (way, kernel));
        named(self.kernel).or_else(|| named(Way::Fused)).unwrap_or((Way::Unfused, self.op.unfused()))
    }

    /// What the kernel with this id is predicted to do, at `sizes`.
    pub fn predict(&self, kernel: &rows::Kernel, sizes: Sizes) -> Prediction {
        let moved = kernel.moved(sizes);
        let launches = kernel.launches.len() as u64;
        let takes = |launch: &rows::Launch| (launch.moved(sizes).total() as f64 / self.gpu.bandwidth).max(ACCESS);
        Prediction {
            launches,
            moved,
            needs: kernel.needs(sizes),
            launch_time: launches as f64 * self.launch * 1e-6,
            traffic_time: kernel.launches.iter().map(takes).sum(),
        }
    }

    /// The kernels of the operation, each with what it is predicted to do; the unfused one first.
    pub fn all(&self) -> Vec<(&'static rows::Kernel, Prediction)> {
        self.op.kernels().iter().map(|kernel| (kernel, self.predict(kernel, self.sizes))).collect()
    }

    /// The chosen kernel, and the unfused ones.
    pub fn compared(&self) -> Compared {
        let (_, kernel) = self.kernel();
        let [here, unfused] = [kernel, self.op.unfused()].map(|kernel| self.predict(kernel, self.sizes));
        Compared { kernel, here, unfused }
    }

    /// What matrices of these columns should take the kernel, by number of rows: (rows, seconds).
    pub fn curve(&self, kernel: &rows::Kernel) -> Vec<(f64, f64)> {
        let point = |power: u32| {
            let sizes = Sizes { rows: 1 << power, cols: self.sizes.cols };
            (sizes.rows as f64, self.predict(kernel, sizes).time())
        };
        (0..=MAX.ilog2()).map(point).collect()
    }

    /// What fusing saves, and of which kind, in sentences.
    pub fn finding(&self) -> String {
        let Compared { kernel, here, unfused } = self.compared();
        let bytes = |p: &Prediction| unbroken(&Unit::Bytes.format(p.bytes()));
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
        params.quantities(&params.compared()).iter().find(|q| q.id == id).map_or(f64::NAN, |q| q.value)
    }

    #[test]
    fn large_matrices_gain_by_traffic_and_small_ones_by_launches() {
        let large = at("op=softmax&kernel=fused&rows=16384&cols=4096");
        assert!((value(&large, "traffic-ratio") - 4.0).abs() < 0.01);
        assert!((value(&large, "speedup") - 4.0).abs() < 0.05, "{}", value(&large, "speedup"));
        let small = at("op=softmax&kernel=fused&rows=1&cols=64");
        assert!((value(&small, "speedup") - 5.0).abs() < 0.01);
        assert!(value(&small, "launch-share") > 0.7);
    }

    /// A layer norm of one token on an A100: 65.5 kB would take 32 ns, and one access takes 331.
    #[test]
    fn no_kernel_is_shorter_than_an_access_to_memory() {
        let one = at("op=layer-norm&kernel=fused&rows=1&cols=4096&launch=0.5");
        assert!((value(&one, "bytes") / one.gpu.bandwidth - 32.1e-9).abs() < 0.1e-9);
        assert!((value(&one, "traffic-time") - 330.7e-9).abs() < 0.1e-9);
        assert!((value(&one, "time") - 830.7e-9).abs() < 0.1e-9);
        let unfused = at("op=layer-norm&kernel=unfused&rows=1&cols=4096&launch=0.5");
        assert!((value(&unfused, "traffic-time") - 7.0 * 330.7e-9).abs() < 1e-9);
        // Nothing changes where each kernel moves more than comes in that time.
        let large = at("op=softmax&kernel=unfused&rows=4096&cols=4096");
        assert!((value(&large, "traffic-time") * large.gpu.bandwidth / value(&large, "bytes") - 1.0).abs() < 1e-9);
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
        assert_eq!(at("op=chain&kernel=kept").kernel, Way::Fused);
        assert_eq!(at("op=softmax&kernel=pairs").kernel, Way::Fused);
        let kept = at("op=softmax&kernel=kept");
        let mut chain = Params { op: Op::Chain, ..kept };
        chain.follow(&kept);
        assert_eq!(chain.kernel, Way::Fused);
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
