//! A run next to the models of the course's figures: what a program sent, held and took, and what the model says of the same state.
//!
//! Collectives that a program calls are compared with `communication-cost` one by one, whatever the program is. A collective
//! written with sends, a stage of ZeRO and a pipeline are known by their puzzle; they are compared only if the result is right and
//! the messages are of that kind. What is not compared is said.

use std::collections::BTreeMap;

use super::figure::Named;
use super::{Collective, EventKind, Kind, Machine, Outcome, Rank, Run, Verdict, operation};
use crate::collective::{Algo, Op};
use crate::declare::Model as _;
use crate::network::sizes::{self, Own, Point, Points};
use crate::pipeline::{self, Schedule};
use crate::quantity::{Unit, counted, significant, unbroken};
use crate::query::Query;
use crate::zero::{self, Pass, Prefetch, Strategy};

/// A quantity of the run and of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is: "Time per call".
    pub what: String,
    /// What the run came to.
    pub run: f64,
    /// What the model says.
    pub model: f64,
    /// Their unit.
    pub unit: Unit,
}

impl Row {
    /// The run over the model; none where the model says nothing.
    pub fn ratio(&self) -> Option<f64> {
        (self.model > 0.0).then(|| self.run / self.model)
    }

    /// The ratio as a person reads it: "1.5×".
    pub fn ratio_in_words(&self) -> String {
        self.ratio().map_or_else(|| "–".to_owned(), |ratio| format!("{}×", significant(ratio, 3)))
    }
}

/// A run next to one model in one state.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What is compared: "all_reduce on 4 ranks".
    pub title: String,
    /// The figure's id: `communication-cost`.
    pub figure: &'static str,
    /// The figure's title.
    pub name: &'static str,
    /// The state of the figure.
    pub state: Query,
    /// What the numbers are of, in a sentence; empty if the rows say it.
    pub note: String,
    /// The quantities.
    pub rows: Vec<Row>,
}

impl Comparison {
    pub(super) fn new<M: crate::declare::Model>(title: String, state: &M, note: String, rows: Vec<Row>) -> Self {
        Self { title, figure: M::ID, name: M::TITLE, state: state.query(), note, rows }
    }

    /// How near they are, in a sentence.
    pub fn finding(&self) -> String {
        let off = |row: &Row| match row.ratio() {
            // A part of a byte is rounded off.
            Some(_) if row.unit == Unit::Bytes && (row.run - row.model).abs() < 1.0 => 0.0,
            Some(ratio) if ratio > 0.0 => ratio.ln().abs(),
            Some(_) => f64::INFINITY,
            None => 0.0,
        };
        match self.rows.iter().max_by(|a, b| off(a).total_cmp(&off(b))) {
            Some(row) if off(row) > NEAR => {
                format!("Largest difference: {}, {} the model’s.", row.what, row.ratio_in_words())
            }
            _ => "The run matches the model.".to_owned(),
        }
    }
}

/// How far off a run may be and still match its model: the logarithm of the ratio.
const NEAR: f64 = 0.01;

/// A run next to all models that fit it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compared {
    /// The comparisons.
    pub with: Vec<Comparison>,
    /// What was not compared and why, a sentence each.
    pub without: Vec<String>,
}

/// Most sizes of a collective that are compared.
const SIZES: usize = 6;

/// Compares a run of `puzzle` on `machine` with the models that fit it.
pub fn compare(outcome: &Outcome, puzzle: &Named, machine: &Machine) -> Compared {
    let run = &outcome.run;
    let mut compared = Compared::default();
    if run.cut {
        compared.without.push("The run has more events than are kept, so it isn’t compared with a model.".to_owned());
        return compared;
    }
    if run.messages.is_empty() {
        compared
            .without
            .push("No message arrived in this run, so there is nothing to compare with a model.".to_owned());
        return compared;
    }
    calls(run, machine, &mut compared);
    let Some(kind) = Known::of(puzzle.id) else {
        if compared.with.is_empty() && compared.without.is_empty() {
            let said = "This program’s messages are neither a collective nor a pipeline that a figure models, so they aren’t compared.";
            compared.without.push(said.to_owned());
        }
        return compared;
    };
    let right = matches!(
        outcome.diagnosis.verdict,
        Verdict::Passed | Verdict::Collective | Verdict::OverMemory | Verdict::OverBytes | Verdict::OverTime
    );
    let whole = if right {
        match kind {
            Known::Sends(op) => sends(run, op, machine),
            Known::Shards(strategy, prefetch) => shards(run, strategy, prefetch),
            Known::Pipeline(schedule) => stages(run, schedule),
        }
    } else {
        Err(format!("The run is compared with {} once its result is right.", kind.model()))
    };
    match whole {
        Ok(comparison) => compared.with.insert(0, comparison),
        Err(why) if compared.without.contains(&why) => {}
        Err(why) => compared.without.push(why),
    }
    compared
}

/// What a puzzle's program is known to be.
#[derive(Debug, Clone, Copy)]
enum Known {
    /// A collective, written with sends.
    Sends(Op),
    /// A step with sharded states.
    Shards(Strategy, Prefetch),
    /// A pipeline.
    Pipeline(Schedule),
}

impl Known {
    fn of(puzzle: &str) -> Option<Self> {
        Some(match puzzle {
            "broadcast" | "tree-broadcast" => Self::Sends(Op::Broadcast),
            "ring-reduce-scatter" => Self::Sends(Op::ReduceScatter),
            "ring-all-gather" => Self::Sends(Op::AllGather),
            "ring-all-reduce" => Self::Sends(Op::AllReduce),
            "all-to-all" => Self::Sends(Op::AllToAll),
            "zero-1" => Self::Shards(Strategy::Zero1, Prefetch::None),
            "zero-2" => Self::Shards(Strategy::Zero2, Prefetch::None),
            "zero-3" => Self::Shards(Strategy::Zero3, Prefetch::None),
            "zero-3-prefetch" => Self::Shards(Strategy::Zero3, Prefetch::Pre),
            "gpipe" => Self::Pipeline(Schedule::GPipe),
            "1f1b" => Self::Pipeline(Schedule::OneForwardOneBackward),
            "interleaved-1f1b" => Self::Pipeline(Schedule::Interleaved),
            _ => return None,
        })
    }

    /// What it is compared with, as a sentence has it.
    fn model(self) -> String {
        match self {
            Self::Sends(op) => format!("the model of {}", by_ring(op)),
            Self::Shards(strategy, _) => format!("the model of {}", strategy.label()),
            Self::Pipeline(schedule) => format!("the model of {}", schedule.label()),
        }
    }
}

/// An operation by ring, in words: "an all-reduce by ring".
fn by_ring(op: Op) -> String {
    let label = op.label().to_lowercase();
    format!("{} {label} by ring", if label.starts_with('a') { "an" } else { "a" })
}

/// The state of `communication-cost` for a collective among `ranks` ranks of `machine`, which have it to themselves.
pub(super) fn cost(op: Op, ranks: usize, bytes: f64, machine: &Machine) -> sizes::Params {
    let mut state = sizes::Params::standard();
    let [inside, across] =
        [machine.inside, machine.across].map(|wire| Own { latency: wire.latency, bandwidth: wire.bandwidth });
    (state.op, state.ranks, state.bytes, state.own) = (op, ranks, bytes, [inside, across]);
    (state.wires.node, state.wires.nics) = (machine.node, machine.node);
    state.algo = Algo::Ring;
    state
}

/// Seconds by the model, and bytes that a rank sends.
fn model_of(state: &sizes::Params, bytes: f64) -> Option<[f64; 2]> {
    let sizes = state.evaluate().ok()?;
    Some([sizes.chosen.time(bytes), sizes.factor() * bytes])
}

/// Collectives that the program calls, each kind next to its model.
fn calls(run: &Run, machine: &Machine, compared: &mut Compared) {
    // By function, ranks and ranks per node; then by bytes: the calls, by their numbers.
    let mut kinds: BTreeMap<(&str, usize, usize), BTreeMap<u64, Vec<usize>>> = BTreeMap::new();
    let mut uneven = false;
    for (number, call) in run.collectives.iter().enumerate().filter(|(_, call)| call.ranks.len() > 1 && call.bytes > 0)
    {
        let Some(group) = machine.group(&call.ranks) else {
            uneven = true;
            continue;
        };
        let kind = (call.call.as_str(), call.ranks.len(), group.node);
        kinds.entry(kind).or_default().entry(call.bytes).or_default().push(number);
    }
    if uneven {
        let said =
            "Collectives of a group that lies unevenly in the nodes aren’t compared: the model has no such group.";
        compared.without.push(said.to_owned());
    }
    let mut pairwise = false;
    for ((name, ranks, node), by_size) in kinds {
        let Some(op) = operation(name) else { continue };
        if op == Op::AllToAll {
            pairwise = true;
            continue;
        }
        if by_size.len() > SIZES {
            let said = format!("Only the {SIZES} largest sizes of {name} on {ranks} ranks are compared.");
            compared.without.push(said);
        }
        let sizes: Vec<(u64, Vec<usize>)> = by_size.into_iter().rev().take(SIZES).collect();
        let Some(largest) = sizes.first().map(|(bytes, _)| *bytes as f64) else { continue };
        let mut state = cost(op, ranks, largest, &Machine { node, ..*machine });
        let mut rows = Vec::new();
        for (bytes, numbers) in &sizes {
            let of = |number: &usize| run.collectives.get(*number);
            let mean = |value: &dyn Fn(&Collective) -> f64| {
                numbers.iter().filter_map(of).map(value).sum::<f64>() / numbers.len().max(1) as f64
            };
            let (took, whole) = (mean(&|call| call.end - call.called), *bytes as f64);
            let moved = mean(&|call| call.sent as f64);
            let Some([time, load]) = model_of(&state, whole) else { continue };
            let (size, times) = (unbroken(&Unit::Bytes.format(whole)), numbers.len());
            let called = counted(times as u64, "call", "calls");
            rows.push(Row { what: format!("Time on {size} ({called})"), run: took, model: time, unit: Unit::Seconds });
            rows.push(Row {
                what: format!("Bytes sent per rank on {size}"),
                run: moved,
                model: load,
                unit: Unit::Bytes,
            });
            state.measured.0.push(Point { bytes: whole, time: took, in_place: None });
        }
        state.measured.0.reverse();
        let title = format!("{name} on {ranks} ranks");
        let note =
            "A call’s time runs from its last rank’s call to its end, including a wait for links that are still busy.";
        compared.with.push(Comparison::new(title, &state, note.to_owned(), rows));
    }
    if pairwise {
        compared.without.push(PAIRWISE.to_owned());
    }
}

/// Why an all-to-all is not compared.
const PAIRWISE: &str =
    "An all-to-all goes pair by pair here; the figure models one by ring, so the two aren’t compared.";

/// A collective that was written with sends.
fn sends(run: &Run, op: Op, machine: &Machine) -> Result<Comparison, String> {
    if op == Op::AllToAll {
        return Err(PAIRWISE.to_owned());
    }
    if !run.collectives.is_empty() {
        return Err(
            "The program calls a collective instead of writing one with sends; its calls are compared one by one."
                .to_owned(),
        );
    }
    let n = run.ranks.len();
    let ranks: Vec<usize> = (0..n).collect();
    let (Some(group), Some(elements)) = (machine.group(&ranks), submitted(run)) else {
        return Err(format!("The run can’t be compared with {}: rank 0 submits no tensor.", by_ring(op)));
    };
    // The tensor that a rank ends with is a shard of the buffer after a reduce-scatter, else the buffer.
    let shards = if op == Op::ReduceScatter { n } else { 1 };
    let bytes = elements as f64 * (F32 * shards) as f64;
    let mut state = cost(op, n, bytes, &group);
    let span = |time: (f64, f64), message: &super::Message| (time.0.min(message.start), time.1.max(message.end));
    let (first, last) = run.messages.iter().fold((f64::INFINITY, 0.0), span);
    let [time, load] = model_of(&state, bytes).ok_or("The model has no such state.")?;
    state.measured = Points(vec![Point { bytes, time: last - first, in_place: None }]);
    let rows = vec![
        Row {
            what: "Time from the first message to the last".to_owned(),
            run: last - first,
            model: time,
            unit: Unit::Seconds,
        },
        Row {
            what: "Bytes sent by the busiest rank".to_owned(),
            run: run.totals.bytes as f64,
            model: load,
            unit: Unit::Bytes,
        },
    ];
    let includes = "The run’s time includes what its ranks compute between messages.";
    let note = match op {
        Op::Broadcast => format!("{includes} The model’s broadcast is NCCL’s: a chain through all ranks, in slices."),
        _ => includes.to_owned(),
    };
    let size = unbroken(&Unit::Bytes.format(bytes));
    Ok(Comparison::new(format!("{} of {size} on {n} ranks, by sends", op.label()), &state, note, rows))
}

/// Bytes of an element of an f32 tensor.
const F32: usize = 4;

/// Elements of the largest tensor that rank 0 submitted: a program may submit others to look at.
fn submitted(run: &Run) -> Option<usize> {
    let elements = |shape: &[usize]| shape.iter().fold(1, |all: usize, size| all.saturating_mul(*size));
    run.ranks.first()?.submitted.iter().map(|one| elements(&one.shape)).max().filter(|elements| *elements > 0)
}

impl Rank {
    /// The most bytes of a kind that it held, and the fewest while it held any.
    fn most_and_least(&self, kind: Kind) -> (u64, u64) {
        let place = Kind::ALL.iter().position(|one| *one == kind).unwrap_or_default();
        let all = || self.memory.iter().filter_map(|point| point.bytes.get(place)).copied().filter(|bytes| *bytes > 0);
        (all().max().unwrap_or(0), all().min().unwrap_or(0))
    }

    /// Seconds in which it computes, by line, with the number of times and the first of them.
    fn computing_by_line(&self) -> BTreeMap<u32, (f64, u32, f64)> {
        let mut lines: BTreeMap<u32, (f64, u32, f64)> = BTreeMap::new();
        for event in self.events.iter().filter(|event| event.kind == EventKind::Compute) {
            let line = lines.entry(event.line).or_insert((0.0, 0, event.start));
            *line = (line.0 + event.end - event.start, line.1 + 1, line.2.min(event.start));
        }
        lines
    }
}

/// The most bytes of a kind that any rank held.
fn most(run: &Run, kind: Kind) -> f64 {
    run.ranks.iter().map(|rank| rank.most_and_least(kind).0).max().unwrap_or(0) as f64
}

/// A step with sharded states, scaled to the model's parameters.
fn shards(run: &Run, strategy: Strategy, prefetch: Prefetch) -> Result<Comparison, String> {
    let n = run.ranks.len();
    let name = strategy.label();
    if !(2..=zero::MAX_RANKS).contains(&n) {
        return Err(format!(
            "The figure of {name} has 2 to {} ranks, so this run isn’t compared with it.",
            zero::MAX_RANKS
        ));
    }
    let unlike = || format!("The program doesn’t communicate like {name}, so it isn’t compared with it: ");
    let of = |name: &str| run.collectives.iter().filter(|c| c.call == name && c.ranks.len() == n).collect::<Vec<_>>();
    let (gathers, scatters) = (of("all_gather"), of("reduce_scatter"));
    if gathers.len() + scatters.len() < run.collectives.len() || gathers.is_empty() {
        return Err(unlike() + "a step calls only all-gathers and reduce-scatters, each among all ranks.");
    }
    let least = run.ranks.iter().map(|rank| rank.most_and_least(Kind::Parameters).1).min().unwrap_or(0);
    // Every rank has all parameters, or its shard of them.
    let parameters = least as f64 * if strategy.shards_parameters() { n as f64 } else { 1.0 };
    let gathered = gathers.iter().map(|call| call.bytes as f64).sum::<f64>();
    if parameters <= 0.0 || (gathered / parameters).fract() != 0.0 {
        return Err(
            unlike() + "its all-gathers don’t add up to a whole number of times the tensors tagged “parameters”."
        );
    }
    let layers = if strategy.shards_parameters() { gathers.len() } else { scatters.len() };
    let forward_only = strategy.shards_parameters() && scatters.is_empty();
    let mut state = zero::Params::standard();
    (state.strategy, state.ranks, state.prefetch) = (strategy, n, prefetch);
    if layers > zero::MAX_LAYERS {
        let most = zero::MAX_LAYERS;
        return Err(format!("The figure of {name} has at most {most} layers, so this run isn’t compared with it."));
    }
    state.layers = layers.max(1);
    let model = state.evaluate()?;
    let until = if forward_only {
        model.events.iter().rposition(|event| event.pass == Pass::Forward).map_or(0, |last| last + 1)
    } else {
        model.steps()
    };
    state.step = until;
    let scale = parameters / (F32 * state.size()) as f64;
    let peak = |part: fn(&zero::Memory) -> f64| {
        model.marks.iter().take(until + 1).map(|mark| part(&mark.memory)).fold(0.0, f64::max) * scale
    };
    let memory = |what: &str, kind: Kind, part: fn(&zero::Memory) -> f64| {
        let held = most(run, kind);
        (held > 0.0).then(|| Row { what: what.to_owned(), run: held, model: peak(part), unit: Unit::Bytes })
    };
    let moved = model.mark(until).sent * scale;
    let rows = [
        memory("Peak parameters per rank", Kind::Parameters, |m| m.parameters + m.gathered),
        memory("Peak gradients per rank", Kind::Gradients, |m| m.gradients),
        memory("Peak optimizer state per rank", Kind::Optimizer, |m| m.optimizer),
        Some(Row {
            what: "Bytes sent per rank".to_owned(),
            run: run.totals.bytes as f64,
            model: moved,
            unit: Unit::Bytes,
        }),
    ];
    let size = unbroken(&Unit::Bytes.format(parameters));
    let part = if forward_only { "forward pass" } else { "step" };
    let note = format!("The model’s {part} with Adam, scaled to this program’s {size} of parameters.");
    Ok(Comparison::new(format!("{name} on {n} ranks"), &state, note, rows.into_iter().flatten().collect()))
}

/// What a pipeline's messages say of it.
struct Pipe {
    microbatches: usize,
    chunks: usize,
    bytes: u64,
}

/// Reads micro-batches and chunks off the messages; none where they are not a pipeline's.
fn pipe(run: &Run, schedule: Schedule) -> Option<Pipe> {
    let n = run.ranks.len();
    let bytes = run.messages.first()?.bytes;
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for message in &run.messages {
        if message.collective.is_some() || message.bytes != bytes {
            return None;
        }
        *counts.entry((message.from, message.to)).or_default() += 1;
    }
    let count = |from: usize, to: usize| counts.get(&(from, to)).copied().unwrap_or(0);
    let along = count(0, 1);
    let round = if schedule == Schedule::Interleaved { count(n - 1, 0) } else { 0 };
    let neighbors = (1..n).all(|r| count(r - 1, r) == along && count(r, r - 1) == along);
    let used = 2 * (n - 1) * along + 2 * round;
    if !neighbors
        || count(0, n - 1) != round.max(if n == 2 { along } else { 0 })
        || used != run.messages.len()
        || along <= round
    {
        return None;
    }
    let microbatches = along - round;
    along.is_multiple_of(microbatches).then_some(Pipe { microbatches, chunks: along / microbatches, bytes })
}

/// A pipeline.
fn stages(run: &Run, schedule: Schedule) -> Result<Comparison, String> {
    let (n, name) = (run.ranks.len(), schedule.label());
    if n == 2 && schedule == Schedule::Interleaved {
        return Err(format!(
            "Two ranks of {name} send forward and backward to each other, so their messages don’t tell the schedule. Run it on more \
             ranks to compare it."
        ));
    }
    let unlike = || format!("The messages aren’t those of {name}, so the run isn’t compared with it: ");
    let pipe = if n < 2 { None } else { pipe(run, schedule) };
    let Some(pipe) = pipe else {
        return Err(unlike() + "each micro-batch goes from rank to rank and back, in messages of one size.");
    };
    // Both passes run their lines for every micro-batch. On rank 0, those of the forward pass begin before it sends anything.
    let m = pipe.microbatches as f64;
    let lines: Vec<_> = run.ranks.iter().map(Rank::computing_by_line).collect();
    let first = run.messages.iter().find(|message| message.from == 0).map_or(0.0, |message| message.start);
    let begins = |line: &u32| lines.first().and_then(|of| of.get(line)).map_or(f64::INFINITY, |(.., begun)| *begun);
    let (mut forward, mut backward) = (0.0, 0.0);
    for (line, (seconds, times, _)) in lines.iter().flatten() {
        if f64::from(*times) >= m {
            *(if begins(line) < first { &mut forward } else { &mut backward }) += seconds / m;
        }
    }
    let mean = |sum: f64| (sum / n as f64 * 1e12).round() / 1e9;
    let (forward, backward) = (mean(forward), mean(backward));
    if forward <= 0.0 || backward <= 0.0 {
        return Err(unlike() + "its lines of forward and backward passes can’t be told apart.");
    }
    let took = run.messages.iter().map(|message| message.end - message.start).sum::<f64>();
    let mut state = pipeline::Params::standard();
    state.schedule = schedule;
    (state.stages, state.microbatches, state.chunks) = (n as u32, pipe.microbatches as u32, pipe.chunks as u32);
    (state.forward, state.input, state.weight) = (forward, backward / 2.0, backward / 2.0);
    state.latency = (took / run.messages.len() as f64 * 1e12).round() / 1e9;
    // As the figure will read it.
    let (state, problems) = pipeline::Params::read(&state.query());
    if !problems.is_empty() {
        return Err(format!("The run is larger than the figure of {name} can show, so it isn’t compared with it."));
    }
    let model = state.evaluate()?;
    let busy: f64 = run.computing(run.totals.time, 1).iter().sum();
    let mut rows = vec![
        Row {
            what: "Time of the step".to_owned(),
            run: run.totals.time,
            model: model.makespan() / 1e3,
            unit: Unit::Seconds,
        },
        Row {
            what: "Bubble fraction".to_owned(),
            run: 1.0 - busy,
            model: model.idle_share(model.makespan()),
            unit: Unit::Fraction,
        },
    ];
    let held = most(run, Kind::Activations);
    if held > 0.0 {
        let model = model.worst_peak() * pipe.bytes as f64 * pipe.chunks as f64;
        rows.push(Row { what: "Peak activations per rank".to_owned(), run: held, model, unit: Unit::Bytes });
    }
    let note = format!(
        "{}. The model’s stages all take the average stage’s time, its sends wait for nobody, and a micro-batch’s \
         activations are as large as its messages.",
        counted(pipe.microbatches as u64, "micro-batch", "micro-batches")
    );
    Ok(Comparison::new(format!("{name} on {n} stages"), &state, note, rows))
}
