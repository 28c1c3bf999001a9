//! Where a step's time and a GPU's memory go, part by part, until the parts add up to what was measured.

use super::bus;
use super::file::Run;
use super::measure::Metric;
use super::plan::Plan;
use crate::declare::Model as _;
use crate::hardware;
use crate::memory::activations::Recompute;
use crate::memory::{Breakdown, breakdown};
use crate::planner::{self, Axis, Step, efficiency};
use crate::quantity::{Unit, grouped, number, plural, signed, significant};
use crate::query::Query;

/// A figure in the state that shows a cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its id in the catalogue.
    pub figure: &'static str,
    /// Its state.
    pub query: Query,
}

/// A part of a sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// What it is: "Pipeline bubble".
    pub label: String,
    /// In the ledger's unit; negative where it makes the sum smaller.
    pub size: f64,
    /// What says so: a sentence.
    pub why: String,
    /// The figure that shows it.
    pub link: Option<Link>,
}

/// Parts that add up.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    /// What is divided: `step-time`, `memory`, `mfu`.
    pub id: &'static str,
    /// What a person reads: "Where the step’s time goes".
    pub title: &'static str,
    /// The unit of the parts.
    pub unit: Unit,
    /// What the models predict, part by part.
    pub predicted: Vec<Cause>,
    /// What the inputs say of the gap, part by part.
    pub gap: Vec<Cause>,
    /// What none of the inputs explains; 0 if nothing was measured.
    pub remainder: f64,
    /// The sum of everything: what was measured, or else what is predicted.
    pub total: f64,
    /// Whether it was measured.
    pub is_measured: bool,
}

/// A measurement to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    /// What it would tell: a sentence.
    pub why: String,
    /// The command; empty where something is to be pasted.
    pub command: String,
}

impl Ledger {
    /// The sum of what is predicted.
    pub fn prediction(&self) -> f64 {
        self.predicted.iter().map(|cause| cause.size).sum()
    }

    /// A size for a person: `−533 ms`.
    pub fn text(&self, size: f64) -> String {
        signed(size, &self.unit.format(size.abs()))
    }

    /// A part of the gap for a person: `−27 points` between two fractions.
    pub fn gap_text(&self, size: f64) -> String {
        match self.unit {
            Unit::Fraction => signed(size, &plural(&significant(size.abs() * 100.0, 2), "point")),
            _ => self.text(size),
        }
    }

    /// What none of the inputs explains, for a person; none where everything is.
    pub fn unexplained(&self) -> Option<String> {
        (self.is_measured && self.remainder != 0.0).then(|| self.gap_text(self.remainder))
    }

    /// The largest named cause of the gap, in the gap's direction.
    pub fn largest(&self) -> Option<&Cause> {
        let gap = self.total - self.prediction();
        self.gap.iter().filter(|cause| cause.size * gap > 0.0).max_by(|a, b| a.size.abs().total_cmp(&b.size.abs()))
    }
}

/// What is left of a sum, unless rounding left it.
fn rest(left: f64, total: f64) -> f64 {
    if left.abs() < 1e-9 * total.abs() { 0.0 } else { left }
}

fn cause(label: impl Into<String>, size: f64, why: impl Into<String>, link: Option<Link>) -> Cause {
    Cause { label: label.into(), size, why: why.into(), link }
}

impl Plan {
    /// The planner with this layout.
    pub fn planner(&self) -> Link {
        let job = &self.job;
        let params = planner::Params {
            model: job.model,
            cluster: job.cluster,
            seq: job.seq,
            batch: job.batch,
            flash: job.flash,
            ..planner::Params::standard()
        };
        Link { figure: planner::Params::ID, query: params.pinned(&self.choice).query() }
    }

    /// The memory model with this layout.
    pub fn breakdown(&self) -> Link {
        Link { figure: crate::memory::Params::ID, query: self.memory.query() }
    }

    fn bubble(&self) -> Option<Link> {
        let d = &self.choice.degrees;
        let schedule = if self.choice.chunks > 1 { "interleaved" } else { "1f1b" };
        let m = self.job.microbatches(&self.choice).max(1);
        let pairs = [
            ("schedule", schedule.to_owned()),
            ("stages", d.pp.to_string()),
            ("microbatches", m.to_string()),
            ("chunks", self.choice.chunks.max(2).to_string()),
        ];
        state(crate::pipeline::Params::ID, &Query::new(pairs))
    }

    fn recomputation(&self) -> Option<Link> {
        let m = &self.memory;
        let mut query = m.model.query();
        query.set("seq", self.job.seq.to_string());
        query.set("mbs", m.mbs.to_string());
        query.set("recompute", self.choice.recompute.id());
        query.set("tp", m.layout.tp.to_string());
        query.set("gpu", m.gpu.id);
        state(crate::memory::activations::Params::ID, &query)
    }
}

/// A figure in a state, if it takes it.
pub(super) fn state(figure: &'static str, query: &Query) -> Option<Link> {
    let entry = crate::catalogue::find(figure)?;
    let (query, problems) = (entry.read)(query);
    problems.is_empty().then_some(Link { figure, query })
}

/// Where a step's time goes; `measured` is its seconds, if they are known.
pub(super) fn time(run: &Run, plan: &Plan, measured: Option<f64>) -> Ledger {
    let (job, step) = (&plan.job, plan.job.step(&plan.choice));
    let gpus = job.cluster.gpus() as f64;
    let peak = job.cluster.gpu.peak;
    let ideal = job.flops(true) / (peak * gpus);
    let planner = || Some(plan.planner());
    let mut predicted = vec![cause(
        "Model FLOPs at the peak",
        ideal.min(step.stage.compute),
        format!(
            "{} on {} at {} each.",
            Unit::Flop.format(job.flops(true)),
            job.cluster.gpu.name,
            Unit::FlopPerSecond.format(peak)
        ),
        planner(),
    )];
    for (id, label, seconds) in step.parts() {
        let (label, seconds, why, link) = match id {
            "compute" => (
                "Kernels below the peak",
                seconds - ideal.min(seconds),
                "What matrix products of these shapes reach on this GPU.",
                planner(),
            ),
            "elementwise" => (label, seconds, "Norms, activations and other kernels that move memory.", planner()),
            "recompute" => (label, seconds, "The part of the forward pass that runs again.", plan.recomputation()),
            "bubble" => (label, seconds, "Stages that wait while the pipeline fills and drains.", plan.bubble()),
            "optimizer" => (label, seconds, "Reading and writing optimizer states.", planner()),
            _ => (label, seconds, "Communication that nothing hides.", planner()),
        };
        // What rounding leaves of a part that is zero is no part.
        if seconds > 1e-9 * step.total() {
            let label = if matches!(id, "tensor" | "context" | "expert" | "data" | "send") {
                format!("{label}, exposed")
            } else {
                label.to_owned()
            };
            predicted.push(cause(label, seconds, why, link));
        }
    }
    let sum: f64 = predicted.iter().map(|c| c.size).sum();
    let gap = measured.map(|seconds| of_gap(run, plan, seconds)).unwrap_or_default();
    let total = measured.unwrap_or(sum);
    let named: f64 = gap.iter().map(|c| c.size).sum();
    Ledger {
        id: "step-time",
        title: "Where the step’s time goes",
        unit: Unit::Seconds,
        remainder: if measured.is_some() { rest(total - sum - named, total) } else { 0.0 },
        predicted,
        gap,
        total,
        is_measured: measured.is_some(),
    }
}

/// What the inputs say of the difference to `seconds`.
fn of_gap(run: &Run, plan: &Plan, seconds: f64) -> Vec<Cause> {
    let step = plan.job.step(&plan.choice);
    let share = |metric| run.measured(metric).map(|share| share * seconds);
    // A trace says it all.
    if let (Some(compute), Some(exposed), Some(idle)) =
        (share(Metric::GpuCompute), share(Metric::GpuExposed), share(Metric::GpuIdle))
    {
        let waits = step.communication() + step.bubble;
        let kernels = step.total() - waits;
        let traced = |what: &str, measured: f64, predicted: f64| {
            format!(
                "The trace has {} of {what} per step; {} are predicted.",
                Unit::Seconds.format(measured),
                Unit::Seconds.format(predicted)
            )
        };
        let detective =
            Some(Link { figure: crate::detective::Params::ID, query: crate::detective::Params::standard().query() });
        return vec![
            cause(
                "Kernels against the prediction",
                compute - kernels,
                traced("kernels", compute, kernels),
                Some(plan.planner()),
            ),
            cause(
                "Exposed communication against the prediction",
                exposed - waits,
                traced("exposed communication", exposed, waits),
                Some(plan.planner()),
            ),
            cause("GPU idle: launches, the CPU, data", idle, "Nothing runs on the GPU meanwhile.", detective),
        ];
    }
    let mut all = Vec::new();
    if let Some((bus, slower)) = bus::of(run).and_then(|bus| Some((bus, bus.slower()?))) {
        let mut with = plan.clone();
        let (label, slot) = match bus.is_inside() {
            true => ("Link inside the node slower than its data sheet", &mut with.job.cluster.link),
            false if bus.is_assumed() => ("Link between nodes slower than assumed", &mut with.job.cluster.net),
            false => ("Link between nodes slower than its data sheet", &mut with.job.cluster.net),
        };
        *slot = slower;
        let size = with.step_time() - step.total();
        all.push(cause(label, size, bus.sentence(), Some(with.planner())));
    }
    all.extend(stragglers(run, plan, seconds));
    all.extend(slow_clock(run, plan, &step, seconds));
    if run.layout.fp8 == Some(true)
        && let Some(fast) = plan.job.cluster.gpu.fp8
    {
        // Attention stays in 16 bits.
        let products = 1.0 - plan.job.attention_share();
        let times = fast / plan.job.cluster.gpu.peak * efficiency::FP8[0];
        let saved = step.stage.compute * products * (1.0 / times - 1.0);
        all.push(cause(
            "FP8 matrix products",
            saved,
            format!(
                "The prediction is for 16 bits; matrix products, without attention, run about {}× as fast in 8.",
                significant(times, 2)
            ),
            Some(plan.planner()),
        ));
    }
    all.retain(|cause| cause.size.is_finite() && cause.size != 0.0);
    all
}

/// What kernels lose by a measured clock below the boost. None where that would be more than the whole gap: then the clock is of a GPU that didn't train.
fn slow_clock(run: &Run, plan: &Plan, step: &Step, seconds: f64) -> Option<Cause> {
    let clock = run.measured.get(&Metric::Clock).filter(|clock| clock.value > 0.0)?;
    let boost = plan.job.cluster.gpu.chip?.clock;
    let size = step.stage.compute * (boost / clock.value - 1.0);
    if size <= 0.0 || size > seconds - step.total() {
        return None;
    }
    let [slow, boost] = [clock.value, boost].map(|clock| Metric::Clock.text(clock));
    let why = format!(
        "The peak is for {boost}; the slowest GPU ran at {slow} ({}). Kernels that wait for memory lose less.",
        clock.from
    );
    Some(cause("GPU clock below its boost", size, why, Some(plan.planner())))
}

/// What the slowest rank costs, where its time is known. Stages of a pipeline differ by their work, so nothing is said of them.
fn stragglers(run: &Run, plan: &Plan, seconds: f64) -> Option<Cause> {
    let m = run.measured.get(&Metric::Straggling)?;
    let rest = seconds - m.value;
    if plan.choice.degrees.pp > 1 || rest <= 0.0 {
        return None;
    }
    let pairs = [
        ("ranks", plan.job.cluster.gpus().to_string()),
        ("slow", format!("{:.1}", 100.0 * m.value / rest)),
        ("jitter", "0".to_owned()),
        ("pause", "0".to_owned()),
        ("seconds", format!("{rest:.3}")),
    ];
    let link = state(crate::stragglers::Params::ID, &Query::new(pairs));
    let why = format!(
        "The slowest rank takes {} longer than the fastest ({}). Against the median, which the log doesn’t have, it may be less.",
        Unit::Seconds.format(m.value),
        m.from
    );
    Some(cause("Stragglers", m.value, why, link))
}

/// Where the memory of the fullest GPU goes; `measured` is the metric and its bytes.
pub(super) fn memory(plan: &Plan, measured: Option<(Metric, f64)>) -> Option<Ledger> {
    let b = breakdown(&plan.memory).ok()?;
    let link = || Some(plan.breakdown());
    let parts = [
        ("Weights", b.parts.weights.0),
        ("Gradients", b.parts.gradients.0),
        ("Optimizer states", b.parts.optimizer.0),
        ("Activations", b.parts.activations.0),
    ];
    let mut predicted: Vec<Cause> = parts
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0.0)
        .map(|(label, bytes)| cause(label, bytes, "", link()))
        .collect();
    if plan.choice.recompute != Recompute::None
        && let Some(activations) = predicted.iter_mut().find(|c| c.label == "Activations")
    {
        activations.link = plan.recomputation();
    }
    let ranges = beside(&b, measured.map(|(metric, _)| metric));
    let tensors = b.total.0;
    let Some((_, bytes)) = measured else {
        predicted.extend(
            ranges.into_iter().map(|(label, low, high)| cause(label, (low + high) / 2.0, between(low, high), link())),
        );
        let total = predicted.iter().map(|c| c.size).sum();
        return Some(ledger_of_memory(predicted, Vec::new(), 0.0, total, false));
    };
    // As far into each range as the sum of all says.
    let (low, high) = ranges.iter().fold((0.0, 0.0), |(a, b), (_, low, high)| (a + low, b + high));
    let into = if high > low { ((bytes - tensors - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
    let gap: Vec<Cause> = ranges
        .into_iter()
        .map(|(label, low, high)| {
            let figure = if label == "Fragmentation" {
                Some(Link { figure: crate::allocator::Params::ID, query: crate::allocator::Params::standard().query() })
            } else {
                link()
            };
            cause(label, low + into * (high - low), between(low, high), figure)
        })
        .collect();
    let named: f64 = gap.iter().map(|c| c.size).sum();
    Some(ledger_of_memory(predicted, gap, bytes - tensors - named, bytes, true))
}

fn ledger_of_memory(predicted: Vec<Cause>, gap: Vec<Cause>, remainder: f64, total: f64, is_measured: bool) -> Ledger {
    Ledger {
        id: "memory",
        title: "Where the memory of the fullest GPU goes",
        unit: Unit::Bytes,
        predicted,
        gap,
        remainder: rest(remainder, total),
        total,
        is_measured,
    }
}

fn between(low: f64, high: f64) -> String {
    format!("Between {} and {}: it can’t be computed exactly.", Unit::Bytes.format(low), Unit::Bytes.format(high))
}

/// What is beside the tensors by a way of measuring: PyTorch counts neither the CUDA context nor communicators.
pub(super) fn beside(b: &Breakdown, metric: Option<Metric>) -> Vec<(&'static str, f64, f64)> {
    let o = &b.overhead;
    let mut all = vec![("Temporaries", o.workspace.low.0, o.workspace.high.0)];
    match metric {
        Some(Metric::MemoryAllocated) => all.push(("Buckets and gathered layers", 0.0, o.buffers.high.0)),
        Some(Metric::MemoryReserved) => {
            all.push(("Buckets and gathered layers", 0.0, o.buffers.high.0));
            all.push(("Fragmentation", o.fragmentation.low.0, o.fragmentation.high.0));
        }
        _ => {
            all.push(("Communicators, buckets, gathered layers", o.buffers.low.0, o.buffers.high.0));
            all.push(("Fragmentation", o.fragmentation.low.0, o.fragmentation.high.0));
            all.push(("CUDA context and kernels", o.context.low.0, o.context.high.0));
        }
    }
    all.retain(|(_, _, high)| *high > 0.0);
    all
}

/// The peak that a log divides by for its MFU, as it says or as follows.
pub(super) fn divisor(run: &Run) -> Option<f64> {
    let follows = || Some(run.measured(Metric::Flops)? / run.measured(Metric::Mfu)?);
    run.measured(Metric::Peak).or_else(follows).filter(|peak| peak.is_finite() && *peak > 0.0)
}

/// Why a framework's MFU is not ours for the same time; none unless the log says what it counts or divides by.
pub(super) fn mfu(run: &Run, plan: &Plan, seconds: f64) -> Option<Ledger> {
    let reported = run.measured(Metric::Mfu);
    let flops = run.measured(Metric::Flops);
    let peak = divisor(run);
    let ours = plan.job.mfu(seconds);
    let own_peak = plan.job.cluster.gpu.peak;
    let reported = reported.or_else(|| Some(flops? / peak.unwrap_or(own_peak)))?;
    let mut gap = Vec::new();
    let mut now = ours;
    if let Some(rate) = flops.or_else(|| Some(reported * peak?)) {
        let counted = rate * seconds * plan.job.cluster.gpus() as f64;
        let ratio = counted / plan.job.flops(true);
        if (ratio - 1.0).abs() > 0.005 {
            let next = now * ratio;
            gap.push(cause("A different FLOP count", next - now, of_count(plan, counted), Some(plan.planner())));
            now = next;
        }
    }
    if let Some(peak) = peak.filter(|peak| (own_peak / peak - 1.0).abs() > 0.005) {
        let next = now * own_peak / peak;
        gap.push(cause("A different peak", next - now, of_peak(own_peak, peak), Some(plan.planner())));
        now = next;
    }
    let predicted = vec![cause(
        "MFU as the course counts",
        ours,
        "Masked attention counted as half, over the dense 16-bit peak.",
        Some(plan.planner()),
    )];
    Some(Ledger {
        id: "mfu",
        title: "Why the reported MFU differs",
        unit: Unit::Fraction,
        predicted,
        gap,
        remainder: rest(reported - now, reported),
        total: reported,
        is_measured: true,
    })
}

/// How far a way of counting may be from what was counted: to be meant, and to be worth a word.
const COUNTED: [f64; 2] = [0.03, 0.15];

/// Which way of counting gives these FLOPs.
fn of_count(plan: &Plan, counted: f64) -> String {
    let (job, ours) = (&plan.job, plan.job.flops(true));
    let whole = job.flops(false);
    let mut ways = vec![
        ("attention counted whole, as the PaLM paper does".to_owned(), whole),
        ("every layer’s forward pass counted twice, for recomputation".to_owned(), whole + job.flops_again()),
    ];
    let params = job.model.shape().and_then(|shape| shape.count().ok());
    if let Some(six_n) = params.map(|count| 6.0 * count.active as f64 * job.tokens()) {
        ways.push(("6 × parameters × tokens, without attention".to_owned(), six_n));
        let gpus = job.cluster.gpus();
        if gpus > 1 {
            let all = format!("6 × parameters × tokens of all {} GPUs, taken for those of one", grouped(gpus));
            ways.push((all, six_n * gpus as f64));
        }
        let dp = plan.choice.degrees.dp;
        if plan.choice.zero == 3 && dp > 1 {
            let shard = format!("the parameters that one of {} GPUs holds, taken for the model’s", grouped(dp));
            ways.push((shard, six_n / dp as f64 + (whole - six_n).max(0.0)));
        }
    }
    let times = |flops: f64| significant(flops / ours, 3);
    let off = |flops: f64| (counted / flops - 1.0).abs();
    let near = ways.into_iter().min_by(|a, b| off(a.1).total_cmp(&off(b.1)));
    let lead = format!("The log counts {} times our FLOPs", times(counted));
    match near {
        Some((name, flops)) if off(flops) < COUNTED[0] => format!("{lead}: {name}."),
        Some((name, flops)) if off(flops) < COUNTED[1] => {
            format!("{lead}. The nearest usual mistake or formula gives {}: {name}.", times(flops))
        }
        _ => format!("{lead}. None of the usual formulas gives that."),
    }
}

/// Whose peak it is.
fn of_peak(ours: f64, theirs: f64) -> String {
    let is = |peak: f64| (peak / theirs - 1.0).abs() < 0.01;
    let theirs_text = Unit::FlopPerSecond.format(theirs);
    match () {
        () if is(2.0 * ours) => {
            format!("The log divides by {theirs_text}: the peak with sparsity, or in 8 bits, twice the dense one.")
        }
        () => match hardware::ALL.iter().find(|gpu| is(gpu.peak)) {
            Some(gpu) => format!(
                "The log divides by {theirs_text}, the dense peak of {}, not by this GPU’s {}.",
                gpu.name,
                Unit::FlopPerSecond.format(ours)
            ),
            None => format!(
                "The log divides by {theirs_text}, which is {} times this GPU’s dense peak.",
                number(theirs / ours)
            ),
        },
    }
}

/// Bytes that a GPU sends for the collectives that a trace shows.
pub(super) fn sent(plan: &Plan) -> f64 {
    plan.job.traffic(&plan.choice).iter().filter(|t| t.axis != Axis::Pipeline).map(|t| t.bytes).sum()
}
