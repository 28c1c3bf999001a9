//! What the course's other readers make of a text, as cards: model configs, nccl-tests, traces, snapshots, labs, batch scripts.

use std::collections::BTreeSet;

use super::card::{Card, Kind};
use super::config::{self, Given, options};
use super::file::{Model, Serving};
use super::measure::Metric;
use crate::allocator::Snapshot;
use crate::collective::Op;
use crate::hardware::named as gpu;
use crate::launch::{Outcome as LaunchOutcome, Params as LaunchParams, Script, header_of};
use crate::model::ModelRef;
use crate::model::config::{Import, import};
use crate::network::measured;
use crate::quantity::{Unit, count, grouped, listed};
use crate::slurm::{Program, split_option};
use crate::trace::Trace;
use crate::trace::breakdown::temporal;
use crate::trace::rows::{Rows, Rules};
use crate::trace::versus::Profile;
use crate::units::MIB;

/// A `config.json`.
pub(super) fn config(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::Config);
    let import = match import(text) {
        Ok(import) => import,
        Err(problems) => {
            let why: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            return Card::refused(name, Kind::Config, why.join(" "));
        }
    };
    let imported = import.imported();
    let Ok(size) = imported.shape.count() else {
        return Card::refused(name, Kind::Config, "The sizes in it make no model.");
    };
    card.found("Parameters", count(size.total as f64), 0);
    for warning in &imported.warnings {
        match (&imported.quantized, warning.field) {
            (Some(quantized), "quantization_config") => card.found("Weights stored as", quantized.form.clone(), 0),
            (None, "quantization_config") => card.unread_setting("quantization_config", warning.message.clone(), 0),
            _ => card.unread(&warning.message, "", 0),
        }
    }
    if let Some(quantized) = &imported.quantized {
        card.run.serving.weight = Some(quantized.bytes / size.total.max(1) as f64).filter(|each| Serving::takes(*each));
    }
    let family = imported.family.model_type();
    match &import {
        Import::Known(_) => {
            card.found("Read as", family, 0);
            card.run.model = Model::of(&ModelRef::Custom { shape: imported.shape, guess: None });
        }
        Import::Guess { message, .. } => {
            card.found("Counted like", format!("{family}, a guess"), 0);
            card.unread("What the count leaves out", message.clone(), 0);
            card.run.model = Model::of(&ModelRef::Custom { shape: imported.shape, guess: Some(imported.family) });
            card.said = "No rule counts all that this file says, so its sizes are a guess. Check the parameter count before you rely on it.".to_owned();
        }
    }
    card.done()
}

/// A buffer so large, in bytes, that its bandwidth is the link's.
const LARGE: f64 = 32.0 * MIB;

/// nccl-tests.
pub(super) fn nccl(name: &str, text: &str) -> Card {
    let report = measured::read(text);
    let mut card = Card::new(name, Kind::NcclTests);
    let largest = report.rows.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes));
    if let (Some(row), Some(program)) = (largest, report.program) {
        let side = row.out_of_place;
        let from = format!("{name}, line {}, {} of {}", row.line, program.name, Unit::Bytes.format(row.bytes));
        if row.bytes < LARGE {
            // On small buffers latency decides, not the link.
            let why = "the largest buffer is too small to show it: run up to 1 GiB (-e 1G)";
            card.unread("The bus bandwidth", why, row.line);
        } else {
            card.run.measure(Metric::BusBandwidth, side.busbw, from.clone());
            card.found("Bus bandwidth on the largest buffer", Unit::BytesPerSecond.format(side.busbw), row.line);
            card.found("Largest buffer", format!("{}, out of place", Unit::Bytes.format(row.bytes)), row.line);
            card.said = "Only the out-of-place result of the largest buffer is used.".to_owned();
            if let Some(ranks) = report.ranks {
                card.run.measure(Metric::BusRanks, ranks as f64, from);
            }
        }
        if let Some(ranks) = report.ranks {
            card.found("Ranks", grouped(ranks as u64), 0);
        }
    }
    card.found("Rows", grouped(report.rows.len() as u64), 0);
    for fault in &report.faults {
        card.unread(&fault.message, "", fault.line);
    }
    if report.rows.is_empty() || report.program.is_none() {
        return Card::refused(
            name,
            Kind::NcclTests,
            "The table has no rows, or doesn't say which collective it is. Paste it from its first line.",
        );
    }
    card.done()
}

/// A lab's block.
pub(super) fn lab(name: &str, text: &str) -> Card {
    match crate::lab::read(text, None) {
        Err(why) => Card::refused(name, Kind::Lab, why.join(" ")),
        Ok(held) => {
            let mut card = Card::new(name, Kind::Lab);
            card.found("Ran on", held.on.clone(), 0);
            for row in &held.rows {
                card.found(row.what.clone(), row.measured_text(), 0);
            }
            card.said = held.finding;
            card.done()
        }
    }
}

/// Nodes and GPUs per node that a text starts: what its batch header asks for, or else its flags.
pub(super) fn allocation(text: &str, given: &[Given], card: &mut Card) -> (Option<u64>, Option<u64>) {
    // What the job has is what its header asks for: a step inside it may take less.
    let header = header_of(text);
    // A setting that is given two values has none that is known.
    let number = |name: &str| {
        let flags = given.iter().filter(|flag| flag.name == name);
        let mut values = flags.map(|flag| flag.value().rsplit(':').next()?.parse::<u64>().ok());
        let first = values.next()?;
        first.filter(|_| values.all(|other| other == first))
    };
    let first = |names: &[&str]| names.iter().find_map(|name| number(name));
    let by_tasks = header.ntasks.is_some() && header.ntasks_per_node.is_some();
    let asked = (header.nodes.is_some() || by_tasks).then(|| header.node_count());
    let sizes = step_nodes(text, asked);
    let nodes = if sizes.len() > 1 {
        let list: Vec<String> = sizes.into_iter().collect();
        let why = "the steps may use different numbers of nodes: set cluster.nodes to the number that trains";
        card.unknown("cluster.nodes", &format!("The srun steps on {} nodes", listed(&list)), why, 0);
        None
    } else {
        asked.or_else(|| first(&["nnodes", "nodes", "num-nodes", "num-machines"]))
    };
    let asked = Some(header.gpus_of_a_node()).filter(|n| *n > 0);
    (nodes, asked.or_else(|| first(&["gpus-per-node", "nproc-per-node", "gres", "num-gpus"])))
}

/// The numbers of nodes of a script's `srun` steps, as they are written, but for those of one task, which start nothing that trains. A step that
/// doesn't say takes all nodes of the job.
fn step_nodes(text: &str, all: Option<u64>) -> BTreeSet<String> {
    let mut sizes = BTreeSet::new();
    for line in text.replace("\\\n", " ").lines() {
        let Some(rest) = line.trim_start().strip_prefix("srun ") else { continue };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (mut left, mut nodes, mut tasks) = (words.as_slice(), None, None);
        while let Some(option) = split_option(Program::Srun, left) {
            let taken = match option {
                Ok(given) => {
                    match given.name {
                        "nodes" => nodes = Some(given.value),
                        "ntasks" => tasks = Some(given.value),
                        _ => {}
                    }
                    given.words
                }
                // The next word may be the value of an option that isn't known.
                Err(_) => 1 + usize::from(left.get(1).is_some_and(|word| !word.starts_with('-'))),
            };
            left = left.get(taken..).unwrap_or_default();
        }
        let plain = |text: Option<&'_ str>| text.map(|text| text.trim_matches(['"', '\'']).to_owned());
        let (nodes, tasks) = (plain(nodes), plain(tasks));
        if nodes.as_deref() == Some("1") && tasks.as_deref() == Some("1") {
            continue;
        }
        // By these Slurm itself says how many nodes the job has.
        let is_all = |text: &String| ["SLURM_NNODES", "SLURM_JOB_NUM_NODES"].iter().any(|name| text.contains(name));
        sizes.extend(nodes.filter(|text| !is_all(text)).or_else(|| Some(all?.to_string())));
    }
    sizes
}

/// A batch script or a launch command: how many nodes and GPUs it starts.
pub(super) fn script(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::Script);
    let given = options(text);
    let trains = config::trainer::is(&given);
    if trains {
        config::trainer::of(&given, &mut card);
    } else if text.contains("accelerate launch") {
        config::trainer::launch(&given, &mut card);
    }
    let (nodes, node) = allocation(text, &given, &mut card);
    if let Some(nodes) = nodes.filter(|n| (1..=crate::setup::MAX_NODES).contains(n)) {
        card.run.cluster.nodes = Some(nodes);
        card.found("Nodes", grouped(nodes), 0);
    }
    if let Some(node) = node.filter(|n| (1..=crate::setup::MAX_NODE).contains(n)) {
        card.run.cluster.node = Some(node);
        card.found("GPUs per node", grouped(node), 0);
    }
    // The launch itself, on as many nodes as its simulation has.
    let most = crate::launch::world::MOST_NODES;
    let params = LaunchParams {
        case: crate::launch::Case::Own,
        nodes: most,
        gpus: 8,
        script: Script(text.to_owned()),
        ..LaunchParams::default()
    };
    let fits = nodes.unwrap_or(1) <= most && text.len() <= 20_000 && text.lines().count() <= 400;
    // What a launcher's own flags say needs no simulation, and flags alone launch nothing.
    let is_said = (trains || text.contains("accelerate launch")) && !text.contains("srun ");
    if fits && !is_said {
        let launch = params.launch();
        match launch.outcome() {
            LaunchOutcome::Trains => card.found("Processes that train", grouped(launch.training() as u64), launch.line),
            LaunchOutcome::Unread => card.unread(
                "Part of the script",
                "it isn't evaluated, so how many processes start isn't known",
                launch.unread,
            ),
            outcome => card.found("The launch", outcome.label(), launch.fault.map_or(0, |(_, line)| line)),
        }
    }
    if !card.found.is_empty() && !trains {
        card.said = "Only the numbers of nodes, GPUs and processes were read.".to_owned();
    }
    card.done()
}

/// Traces of one run, a rank each, and the first one's profile.
pub fn traces(name: &str, traces: &[Trace], profile: Option<Profile>) -> Card {
    let Some(trace) = traces.first() else {
        return Card::refused(name, Kind::Trace, "The file has no events.");
    };
    let rows = Rows::of(trace, Rules::Ours);
    let Some(time) = temporal(&rows) else {
        // What stops in the middle may have had more.
        let why: Vec<&str> = trace.problems.iter().map(|problem| problem.message.as_str()).collect();
        let why = match why[..] {
            [] => "Nothing runs on a GPU in this trace. Record it with activities=[CPU, CUDA].".to_owned(),
            // The reader says it for pages that show the rest.
            _ => format!(
                "Nothing that ran on a GPU could be read. {}",
                why.join(" ").replace(" What was read is shown.", "")
            ),
        };
        return Card::refused(name, Kind::Trace, why);
    };
    let mut card = Card { profile, ..Card::new(name, Kind::Trace) };
    for (metric, part) in
        [(Metric::GpuCompute, time.compute), (Metric::GpuExposed, time.rest), (Metric::GpuIdle, time.idle)]
    {
        card.run.measure(metric, time.share(part), name);
        card.found(metric.label(), metric.text(time.share(part)), 0);
    }
    let mut steps: Vec<i64> = trace.steps().collect();
    steps.sort_unstable();
    let middle = steps.get(steps.len() / 2).map(|nanoseconds| *nanoseconds as f64 / 1e9);
    if let Some(seconds) = middle {
        card.run.measure(Metric::StepTime, seconds, format!("{name}, ProfilerStep"));
        card.found(Metric::StepTime.label(), Metric::StepTime.text(seconds), 0);
    }
    let sent = sent(trace) / steps.len().max(1) as f64;
    if sent > 0.0 && !steps.is_empty() {
        card.run.measure(Metric::Sent, sent, name);
        card.found(Metric::Sent.label(), Metric::Sent.text(sent), 0);
    }
    if let Some(gpu) = gpu(&trace.device) {
        card.run.cluster.gpu = Some(gpu.id.to_owned());
        card.found("GPU", gpu.name, 0);
    }
    if let Some(world) = trace.world.filter(|n| *n > 0) {
        card.run.cluster.gpus = Some(world.into());
        card.found("GPUs", grouped(world.into()), 0);
    }
    if let Some(most) = trace.memory.iter().map(|m| m.reserved).max() {
        card.run.measure(Metric::MemoryReserved, most as f64, name);
        card.found(Metric::MemoryReserved.label(), Metric::MemoryReserved.text(most as f64), 0);
    }
    for problem in &trace.problems {
        card.unread(&problem.message, "", 0);
    }
    card.done()
}

/// Bytes that a GPU sends for the collectives of a trace: what each has to send at the least.
fn sent(trace: &Trace) -> f64 {
    let of_one = |(_, c): &(u32, crate::trace::Collective)| {
        let (n, bytes) = (f64::from(c.group.max(1)), c.bytes as f64);
        let name = c.name.to_lowercase().replace(['_', '-'], "");
        let op = Op::ALL.into_iter().find(|op| name.contains(&op.id().replace('-', "")));
        match op {
            Some(Op::AllReduce) => 2.0 * (n - 1.0) / n * bytes,
            // Of an all-gather the input is a rank's own part.
            Some(Op::AllGather) => (n - 1.0) * bytes,
            Some(Op::ReduceScatter | Op::AllToAll) => (n - 1.0) / n * bytes,
            _ => 0.0,
        }
    };
    trace.collectives.iter().map(of_one).sum()
}

/// A memory snapshot.
pub fn snapshot(name: &str, snapshot: &Result<Snapshot, String>) -> Card {
    let snapshot = match snapshot {
        Ok(snapshot) => snapshot,
        Err(why) => return Card::refused(name, Kind::Snapshot, why.clone()),
    };
    let mut card = Card::new(name, Kind::Snapshot);
    let (reserved, allocated) = (snapshot.bytes.reserved() as f64, snapshot.bytes.allocated as f64);
    for (metric, value) in [(Metric::MemoryReserved, reserved), (Metric::MemoryAllocated, allocated)] {
        card.run.measure(metric, value, format!("{name}, at the moment of the snapshot"));
        card.found(metric.label(), metric.text(value), 0);
    }
    card.found("Segments", grouped(snapshot.segments.len() as u64 + snapshot.more.0), 0);
    for problem in &snapshot.problems {
        card.unread(problem, "", 0);
    }
    card.said =
        "The numbers are those of the moment when the snapshot was taken. The peak of a step may be higher.".to_owned();
    card.done()
}
