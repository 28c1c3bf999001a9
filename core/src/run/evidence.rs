//! What the course's other readers make of a text, as cards: model configs, nccl-tests, traces, snapshots, labs, batch scripts.

use std::collections::BTreeSet;

use super::card::{Card, Kind, Stop, quote};
use super::config::{self, Given, options};
use super::file::{Model, Serving};
use super::ledger::{Link, state};
use super::measure::Metric;
use crate::allocator::Snapshot;
use crate::allocator::versus::Holdings;
use crate::collective::Op;
use crate::declare::{Model as _, Text as _};
use crate::hardware::named as gpu;
use crate::launch::world::MOST_NODES;
use crate::launch::{Case, Fault, Outcome as LaunchOutcome, Params as LaunchParams, Script, header_of};
use crate::memory::Dtype;
use crate::model::config::{Import, import};
use crate::network::measured;
use crate::quantity::{Unit, count, grouped, listed};
use crate::query::Query;
use crate::slurm::{Program, split_options};
use crate::trace::Trace;
use crate::trace::breakdown::{Temporal, temporal};
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
    let model = imported.model(matches!(import, Import::Guess { .. }));
    card.run.model = Model::of(&model);
    let figure = |id, more: &[(&str, &str)]| {
        let mut query = model.query();
        more.iter().for_each(|(name, value)| query.set(name, (*value).to_owned()));
        state(id, &query)
    };
    card.found_in("Parameters", count(size.total as f64), figure("model-anatomy", &[]));
    let stored = stored(text);
    let dtype = stored.unwrap_or(Dtype::Bf16);
    // Of a form that isn't read, nothing is known of the bytes.
    let is_open =
        imported.quantized.is_none() && imported.warnings.iter().any(|warning| warning.field == "quantization_config");
    // What the file says of its bits counts more than the type of its other tensors.
    let weights = imported.quantized.as_ref().map(|quantized| (quantized.bytes, quantized.form.clone()));
    let (bytes, form) = weights.unwrap_or_else(|| {
        let form = if stored.is_some() { dtype.id() } else { "in 16 bits; the file names no type" };
        let form = form.to_owned();
        (size.total as f64 * dtype.bytes(), form)
    });
    let weights = format!("{} ({form})", Unit::Bytes.format(bytes));
    let link = figure("memory-breakdown", &[("mode", "inference"), ("dtype", dtype.id())]);
    if !is_open {
        card.found_in("Weights", weights, link);
    }
    let each = Dtype::Bf16.bytes();
    let cache = |tokens: u64| Unit::Bytes.format(imported.shape.kv_bytes(tokens, each));
    let per_token = imported.shape.kv_bytes_per_token(each);
    if per_token > 0.0 {
        let bits = model.stored().quant.bits().to_string();
        let fit = figure("kv-cache", &[("view", "fit"), ("weight-bits", &bits)]);
        let said = format!("{} in 16 bits", Unit::Bytes.format(per_token));
        card.found_in("KV cache per token", said, fit.clone());
        if let Some(longest) = imported.context {
            let of = format!("KV cache of the longest sequence, {} tokens", grouped(longest));
            card.found_in(of, cache(longest), fit);
        }
    }
    for warning in &imported.warnings {
        match (&imported.quantized, warning.field) {
            // The weights are said with their form.
            (Some(_), "quantization_config") => {}
            (None, "quantization_config") => card.unread_setting("quantization_config", warning.message.clone(), 0),
            _ => card.unread(&warning.message, "", 0),
        }
    }
    if let Some(quantized) = &imported.quantized {
        card.run.serving.weight = Some(quantized.bytes / size.total.max(1) as f64).filter(|each| Serving::takes(*each));
    }
    let family = imported.family.model_type();
    match &import {
        Import::Known(_) => card.found("Read as", family, 0),
        Import::Guess { message, .. } => {
            card.found("Counted like", format!("{family}, a guess"), 0);
            card.unread("What the count leaves out", message.clone(), 0);
            card.said =
                "No rule counts all that this file says, so its sizes are a guess. Check the parameter count before you rely on it."
                    .to_owned();
        }
    }
    card.done()
}

/// The type that a `config.json` says its tensors are stored in.
fn stored(text: &str) -> Option<Dtype> {
    let value = |key: &str| {
        let (_, rest) = text.split_once(&format!("{key}\"")).or_else(|| text.split_once(&format!("{key}'")))?;
        let rest = rest.trim_start_matches([' ', ':', '"', '\'']);
        Some(rest.split(['"', '\'', ',', '\n']).next().unwrap_or_default().trim_start_matches("torch."))
    };
    match value("\"torch_dtype").or_else(|| value("\"dtype")).or_else(|| value("'torch_dtype"))? {
        "bfloat16" => Some(Dtype::Bf16),
        "float16" => Some(Dtype::Fp16),
        "float32" => Some(Dtype::Fp32),
        _ => None,
    }
}

/// A buffer so large, in bytes, that its bandwidth is the link's.
const LARGE: f64 = 32.0 * MIB;

/// nccl-tests.
pub(super) fn nccl(name: &str, text: &str) -> Card {
    let report = measured::read(text);
    let mut card = Card::new(name, Kind::NcclTests);
    let largest = report.rows.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes));
    if let (Some(row), Some(program)) = (largest, report.program) {
        card.found("Operation", program.name, 0);
        let side = row.out_of_place;
        let from = format!("{name}, line {}, {} of {}", row.line, program.name, Unit::Bytes.format(row.bytes));
        if side.busbw == 0.0 && side.algbw > 0.0 {
            // The factor of a ring of one is 0.
            let why = "it is 0: each process ran alone, with a communicator of its own. Build nccl-tests with MPI=1, and start it by the MPI that it was built with";
            card.unread("The bus bandwidth", why, row.line);
        } else if row.bytes < LARGE {
            // On small buffers latency decides, not the link.
            let why = "the largest buffer is too small to show it: run up to 1 GiB (-e 1G)";
            card.unread("The bus bandwidth", why, row.line);
        } else {
            card.found("Bus bandwidth on the largest buffer", Unit::BytesPerSecond.format(side.busbw), row.line);
            card.found("Largest buffer", format!("{}, out of place", Unit::Bytes.format(row.bytes)), row.line);
            if program.op.is_some_and(|op| op != Op::AllToAll) {
                card.said = "Only the out-of-place result of the largest buffer is used.".to_owned();
                card.run.measure(Metric::BusBandwidth, side.busbw, from.clone());
                let of = [(Metric::BusRanks, report.ranks), (Metric::BusNode, report.hosts().map(|[node, _]| node))];
                for (metric, n) in of {
                    n.into_iter().for_each(|n| card.run.measure(metric, n as f64, from.clone()));
                }
            } else {
                card.said = "It isn’t compared: nothing here predicts the bus bandwidth of this operation.".to_owned();
            }
        }
        if let Some(ranks) = report.ranks {
            card.found("Ranks", grouped(ranks as u64), 0);
        }
    }
    if let Some(first) = report.devices.first() {
        let is_one = report.devices.iter().all(|device| device.name == first.name);
        match gpu(&first.name).filter(|_| is_one) {
            Some(found) => {
                card.run.cluster.gpu = Some(found.id.to_owned());
                card.found("GPU", found.name, 0);
            }
            None if is_one => card.unread(&first.name, "this GPU isn’t known", 0),
            None => card.unread("The GPUs", "they are of several kinds", 0),
        }
    }
    if let Some([node, nodes]) = report.hosts() {
        card.run.cluster.node = Some(node as u64);
        card.run.cluster.nodes = Some(nodes as u64);
        card.found("GPUs per node", grouped(node as u64), 0);
        card.found("Nodes", grouped(nodes as u64), 0);
    }
    card.found("Rows", grouped(report.rows.len() as u64), 0);
    for fault in &report.faults {
        card.unread(&fault.message, "", fault.line);
    }
    let missing = match (&report.rows[..], report.program) {
        ([], Some(program)) => Some(format!("{} is named, but no row of its table is here. Paste the rows, too.", program.name)),
        ([], None) => Some("No row of a table is here. Paste the whole output.".to_owned()),
        (_, None) => Some(
            "The table doesn’t say which collective it measures. Paste the command above it, too, such as all_reduce_perf.".to_owned(),
        ),
        (_, Some(_)) => None,
    };
    if let Some(why) = missing {
        return Card::refused(name, Kind::NcclTests, why);
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

/// Nodes and GPUs per node that a text starts: what its batch header asks for, or else its flags. The card gets the kind of GPU.
pub(super) fn allocation(text: &str, given: &[Given], card: &mut Card) -> (Option<u64>, Option<u64>) {
    super::hardware::asked(card, text);
    // What the job has is what its header asks for: a step inside it may take less.
    let header = header_of(text);
    header_unread(card, text);
    // A setting that is given two values has none that is known, and neither has one that depends on a condition.
    let number = |name: &str| {
        let flags = given.iter().filter(|flag| flag.name == name && flag.open.is_none());
        // `--gres gpu:8` ends with the number; torchrun's `--nnodes 1:4` is a range, and has none.
        let of = |value: &str| match value.rsplit_once(':') {
            Some((first, last)) if first.parse::<u64>().is_ok() => last.parse().ok().filter(|_| first == last),
            Some((_, last)) => last.parse().ok(),
            None => value.parse::<u64>().ok(),
        };
        let mut values = flags.map(|flag| of(flag.value()));
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
    // `${NNODES:-2}` is a default, and no range.
    let is_range = |(a, b): (&str, &str)| a != b && !a.contains('{');
    if let Some(flag) =
        given.iter().find(|flag| flag.name == "nnodes" && flag.value().split_once(':').is_some_and(is_range))
    {
        let why = "a range of nodes: set cluster.nodes to the number that trains";
        card.unknown("cluster.nodes", &flag.text(), why, flag.line);
    }
    let pbs = of_pbs(text, card);
    let (nodes, asked) = (nodes.or(pbs[0]), asked.or(pbs[1]));
    // SkyPilot's and dstack's tasks.
    let is_task = text.lines().any(|line| line.trim_end() == "type: task");
    let keyed = |name: &str| {
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": "));
        lines.filter_map(|value| value.split(" #").next()?.rsplit(':').next()?.trim().parse::<u64>().ok()).next()
    };
    let nodes = nodes.or_else(|| keyed("num_nodes")).or_else(|| keyed("nodes").filter(|_| is_task));
    let asked = asked.or_else(|| keyed("accelerators")).or_else(|| keyed("gpu").filter(|_| is_task));
    let sizes = ["nnodes", "nodes", "num-nodes", "num-machines"];
    let counts = ["gpus-per-node", "nproc-per-node", "gres", "num-gpus"];
    // ms-swift's commands start torchrun with what these variables say.
    let of_swift = |name: &str| {
        let set = || text.split_whitespace().filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        let mut values = set().map(|value| value.trim_matches(['"', '\'', ';']).parse::<u64>().ok());
        let first = values.next().flatten().filter(|_| config::megatron::is_swift(text) || text.contains("swift sft "));
        first.filter(|_| values.all(|other| other == first))
    };
    let nodes = nodes.or_else(|| of_swift("NNODES"));
    let node = asked.or_else(|| first(&counts)).or_else(|| of_swift("NPROC_PER_NODE"));
    let mut open: Vec<String> = Vec::new();
    for flag in given.iter().filter(|flag| flag.open.is_some()) {
        let is_lacking = |names: &[&str], n: Option<u64>| n.is_none() && names.contains(&flag.name.as_str());
        let text = flag.text();
        let is_noted = card.unread.iter().any(|unread| unread.line == flag.line && unread.text == text);
        if (is_lacking(&sizes, nodes) || is_lacking(&counts, node)) && !is_noted && !open.contains(&text) {
            card.unread_setting(&text, config::OPEN, flag.line);
            open.push(text);
        }
    }
    (nodes, node)
}

/// Notes what of a batch header isn't read: a GPU that isn't known, and lines behind the first command, which sbatch doesn't read.
fn header_unread(card: &mut Card, text: &str) {
    let is_known = card.run.cluster.gpu.is_some() || card.run.cluster.short.is_some();
    let mut has_command = false;
    for (i, line) in text.lines().enumerate() {
        let bare = line.trim();
        let Some(options) = bare.strip_prefix("#SBATCH") else {
            // A command ends the header, and nothing else does.
            has_command |= !bare.is_empty() && !bare.starts_with('#');
            continue;
        };
        if has_command {
            if text.contains("#!") {
                card.unread(bare, "sbatch reads no #SBATCH line behind the first command", i + 1);
            }
            continue;
        }
        let options = options.split(" #").next().unwrap_or_default();
        let kind = options.split_once("gpu:").and_then(|(_, rest)| rest.split([':', ' ', ',']).next());
        let is_named = kind.is_some_and(|kind| !kind.is_empty() && kind.starts_with(|c: char| c.is_ascii_alphabetic()));
        if let Some(kind) = kind.filter(|_| is_named && !is_known) {
            card.unread(bare, format!("the GPU “{kind}” isn’t known here: set cluster.gpu"), i + 1);
        }
    }
}

/// Nodes and GPUs of each by a header of PBS: `#PBS -l select=2:ncpus=32:ngpus=4`, and `-l nodes=2:ppn=4:gpus=4` of Torque. Other parts are noted, and so is
/// LSF's header, which isn't read.
fn of_pbs(text: &str, card: &mut Card) -> [Option<u64>; 2] {
    let mut found = [None; 2];
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("#BSUB ") {
            card.unread(line, "LSF’s header isn’t read: set cluster.nodes and cluster.node", i + 1);
        }
        let Some((_, list)) = line.strip_prefix("#PBS").and_then(|rest| rest.split_once("-l ")) else { continue };
        for part in list.split(',').map(str::trim) {
            let chunks = part.strip_prefix("select=").or_else(|| part.strip_prefix("nodes="));
            let Some(chunks) = chunks else { continue };
            let mut fields = chunks.split(':');
            let nodes = fields.next().and_then(|n| n.parse().ok());
            let gpus = fields.find_map(|field| field.strip_prefix("ngpus=").or_else(|| field.strip_prefix("gpus=")));
            match (nodes, gpus.and_then(|n| n.parse().ok())) {
                (Some(nodes), Some(gpus)) if !chunks.contains('+') => found = [Some(nodes), Some(gpus)],
                _ => card.unread(line, "the chunks aren’t read: set cluster.nodes and cluster.node", i + 1),
            }
        }
    }
    found
}

/// The numbers of nodes of a script's `srun` steps, as they are written, but for those of one task, which start nothing that trains. A step that
/// doesn't say takes all nodes of the job.
fn step_nodes(text: &str, all: Option<u64>) -> BTreeSet<String> {
    let mut sizes = BTreeSet::new();
    for line in text.replace("\\\n", " ").lines() {
        let Some(rest) = line.trim_start().strip_prefix("srun ") else { continue };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let options = split_options(Program::Srun, &words);
        let last = |name: &str| {
            let given = options.iter().rev().find(|given| given.name == name)?;
            Some(given.value.trim_matches(['"', '\'']).to_owned())
        };
        let (nodes, tasks) = (last("nodes"), last("ntasks"));
        if nodes.as_deref() == Some("1") && tasks.as_deref() == Some("1") {
            continue;
        }
        // By these Slurm itself says how many nodes the job has.
        let is_all = |text: &String| ["SLURM_NNODES", "SLURM_JOB_NUM_NODES"].iter().any(|name| text.contains(name));
        sizes.extend(nodes.filter(|text| !is_all(text)).or_else(|| Some(all?.to_string())));
    }
    sizes
}

/// What is said of a launch that leaves everything to a file or to the machine.
const BARE: [(&str, &str); 2] = [
    (
        "accelerate launch",
        "It starts training with Accelerate, and how many processes there are and how they share the model stands in a file that isn’t here. Paste what \
         accelerate env prints (its default_config.yaml), and what the script is given or prints.",
    ),
    (
        "deepspeed ",
        "It starts training with DeepSpeed’s launcher, which takes every GPU of the machine, or of the hosts in a hostfile. Give --num_nodes and --num_gpus, \
         and paste the configuration (ds_config.json) and what the script prints.",
    ),
];

/// A batch script or a launch command: how many nodes and GPUs it starts.
pub(super) fn script(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::Script);
    let given = options(text);
    let trains = config::trainer::is(&given);
    if trains {
        config::read_given(&given, &mut card, config::trainer::of);
        config::note_callers(text, &mut card);
    } else if text.contains("accelerate launch") {
        config::read_given(&given, &mut card, config::trainer::launch);
    }
    let (nodes, node) = allocation(text, &given, &mut card);
    let [nodes, node] = match pods(text, &mut card) {
        [None, None] => {
            if let Some(nodes) = nodes.filter(|n| (1..=crate::setup::MAX_NODES).contains(n)) {
                card.run.cluster.nodes = Some(nodes);
                card.found("Nodes", grouped(nodes), 0);
            }
            if let Some(node) = node.filter(|n| (1..=crate::setup::MAX_NODE).contains(n)) {
                card.run.cluster.node = Some(node);
                card.found("GPUs per node", grouped(node), 0);
            }
            [nodes, node]
        }
        pods => pods,
    };
    started(text, [nodes, node], &mut card);
    if text.contains("apiVersion:")
        && !card.found.is_empty()
        && !card.launches
        && card.stop.is_none()
        && card.unread_count == 0
    {
        card.unread(
            "What starts in the pods",
            "it isn’t followed here: paste its command or script, or what a pod prints",
            0,
        );
    }
    if let Some((line, own)) = crate::launch::own_options(text).filter(|_| !trains && !card.found.is_empty()) {
        card.unread(&own, "the program’s own options aren’t read", line);
    }
    if card.found.is_empty()
        && card.stop.is_none()
        && let Some((_, said)) = BARE.iter().find(|(program, _)| text.contains(program))
    {
        card.said = (*said).to_owned();
    }
    if card.found.is_empty() && text.contains("#BSUB ") {
        let said = "It is a script for LSF, whose header isn’t read here. Set cluster.nodes and cluster.node, and paste what the job prints.";
        return Card::refused(name, Kind::Script, said);
    }
    if !card.found.is_empty() && !trains {
        card.said = "Only the machines and the numbers of processes were read.".to_owned();
    }
    card.done()
}

/// The nodes and GPUs that a batch job asks for, where nothing says them yet.
pub(super) fn machines(text: &str, given: &[Given], card: &mut Card) {
    let (nodes, node) = allocation(text, given, card);
    // A launcher that starts more processes than the job has GPUs gets none by it.
    let asked = Some(header_of(text).gpus_of_a_node()).filter(|n| *n > 0);
    let c = &mut card.run.cluster;
    if asked.is_some() && c.node.is_some() && asked != c.node {
        c.node = None;
        card.found.retain(|found| found.what != "GPUs per node");
    }
    let c = &mut card.run.cluster;
    let new = [("Nodes", nodes.filter(|_| c.nodes.is_none())), ("GPUs per node", node.filter(|_| c.node.is_none()))];
    (c.nodes, c.node) = (c.nodes.or(nodes), c.node.or(node));
    for (label, n) in new {
        if let Some(n) = n {
            card.found(label, grouped(n), 0);
        }
    }
}

/// The pods that a manifest asks for, and the GPUs of each: to what runs in it, a pod is a node.
pub(super) fn pods(text: &str, card: &mut Card) -> [Option<u64>; 2] {
    // A sentence may stand above it, and below.
    let is_own = |line: &&str| {
        let key = line.split_once(':').map(|(key, _)| super::parts::is_word(key));
        line.trim().is_empty() || line.starts_with([' ', '-', '#']) || key == Some(true)
    };
    let before = text.lines().take_while(|line| !line.starts_with("apiVersion:")).count();
    let own: Vec<&str> = text.lines().skip(before).take_while(is_own).collect();
    let documents = crate::launch::yaml::read(&own.join("\n")).unwrap_or_default();
    let size = match crate::launch::pods(&documents) {
        Ok(size) => size,
        Err((line, why)) => {
            card.unread("The pods with GPUs", why, line + before);
            None
        }
    };
    let fits = |size: &crate::launch::Size| size.pods <= crate::setup::MAX_NODES && size.gpus <= crate::setup::MAX_NODE;
    let Some(size) = size.filter(fits) else { return [None; 2] };
    (card.run.cluster.nodes, card.run.cluster.node) = (Some(size.pods), Some(size.gpus));
    let line = size.line + before;
    card.found("Pods, each counted as a node", grouped(size.pods), line);
    card.found("GPUs per node", grouped(size.gpus), line);
    if size.copies > 1 {
        card.found("Independent replicas", grouped(size.copies), line);
    }
    [Some(size.pods), Some(size.gpus)]
}

/// Most GPUs per node that the simulation of a launch has.
const MOST_LAUNCHED: u64 = 8;

/// What comes of a launch as it is written, with `[nodes, GPUs per node]` if they are known, or else as many as its simulation has.
pub(super) fn started(text: &str, [nodes, node]: [Option<u64>; 2], card: &mut Card) {
    // By hand, a launcher's own flags say what there is to say: nothing is known of the machines.
    let is_job = text.contains("#SBATCH") || text.contains("srun ") || text.contains("apiVersion:");
    if !is_job && card.run.layout.framework.is_some() {
        return;
    }
    let is_script = card.kind == Kind::Script;
    let most = [MOST_NODES, MOST_LAUNCHED];
    let [nodes, gpus] = [(nodes, most[0]), (node, most[1])].map(|(n, most)| n.unwrap_or(most));
    let is_assumed = node.is_none();
    let mut script = Script::default();
    if nodes > most[0] || gpus > most[1] || script.read(text).is_err() {
        if is_script && is_job {
            let why = "a launch of more than 8 nodes, or a script of more than 400 lines, isn’t followed here";
            card.unread("Whether the launch works", why, 0);
        }
        return;
    }
    let params = LaunchParams { case: Case::Own, nodes, gpus, script, ..LaunchParams::standard() };
    let launch = params.launch();
    let outcome = launch.outcome();
    // Whatever follows from a number of GPUs that nothing says isn't known: `--nproc_per_node=gpu`.
    if is_assumed {
        let other = LaunchParams { gpus: gpus / 2, ..params.clone() }.launch();
        if (other.outcome(), other.training()) != (outcome, launch.training()) {
            let why = "how many GPUs a node has isn’t said, and decides how many processes start: set cluster.node";
            return card.unread("How many processes start", why, launch.line);
        }
    }
    // The simulation has the text without the empty lines before it.
    let before = text.lines().take_while(|line| line.trim().is_empty()).count();
    let at = |line: usize| if line > 0 { line + before } else { 0 };
    let quoted = |line: usize| line.checked_sub(1).and_then(|i| text.lines().nth(i)).map(quote).unwrap_or_default();
    // What is found without a line says nothing of that line.
    if is_script && outcome != LaunchOutcome::Unread && launch.unread > 0 {
        let why =
            launch.remarks.iter().find(|(line, _)| *line == launch.unread).map_or("it isn’t evaluated", |(_, why)| why);
        card.unread(&quoted(at(launch.unread)), why, at(launch.unread));
    }
    let happens = match outcome {
        LaunchOutcome::Trains => {
            card.launches = true;
            return card.found("Processes that train", grouped(launch.training() as u64), at(launch.line));
        }
        LaunchOutcome::Unread if is_script && launch.unread == 0 => {
            let rests = launch.fault.and_then(|(fault, _)| Some((fault, launch.rests_on_cluster(fault)?)));
            if let Some((fault, why)) = rests {
                let line = params.named_line(fault).unwrap_or(launch.line);
                card.unread(&quoted(at(line)), why, at(line));
                // It trains either way.
                if fault == Fault::NoInfiniband {
                    card.found("Processes that train", grouped(launch.training() as u64), at(launch.line));
                }
            }
            return;
        }
        LaunchOutcome::Unread if is_script => {
            let why = launch.remarks.iter().find(|(line, _)| *line == launch.unread).map(|(_, why)| why.as_str());
            if launch.unranked && !is_assumed {
                card.found("Processes that start", grouped(launch.processes.len() as u64), at(launch.line));
                return card.unread(&quoted(at(launch.unread)), why.unwrap_or_default(), at(launch.unread));
            }
            let why = format!("{} How many processes start isn't known.", why.unwrap_or("It isn't evaluated."));
            return card.unread(&quoted(at(launch.unread)), why, at(launch.unread));
        }
        LaunchOutcome::Unread => return,
        // Fewer processes than GPUs may be meant.
        LaunchOutcome::Silent if launch.fault.is_some_and(|(fault, _)| fault == Fault::Idle) => {
            card.said = params.finding(&launch);
            return card.found("Processes that train", grouped(launch.training() as u64), at(launch.line));
        }
        LaunchOutcome::Silent => "trains, but not as it should",
        LaunchOutcome::Hangs => "hangs",
        LaunchOutcome::Refused => "never starts",
        LaunchOutcome::Fails => "fails",
    };
    let line = launch.fault.map_or(0, |(_, line)| at(line));
    let place = if line > 0 { format!("line {} of {}", grouped(line as u64), card.name) } else { card.name.clone() };
    card.stop = Some(Stop {
        what: outcome.label().to_owned(),
        line,
        text: quoted(line),
        why: params.finding(&launch),
        link: Some(Link { figure: LaunchParams::ID, query: params.query() }),
        sentence: format!("As it is written, the launch {happens} ({place})."),
    });
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
    // Before its first kernel and behind its last one a GPU is idle in a step, too.
    let stepped = trace.stepped().max(time.window);
    let time = Temporal { idle: time.idle + (stepped - time.window), window: stepped, ..time };
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
    if let Some((cause, share, is_shown)) = card.profile.as_ref().and_then(Profile::worst) {
        let detective = state(crate::detective::Params::ID, &Query::default());
        let sure = if is_shown { "" } else { ", probably" };
        let said = format!("{}, at most {} of the time{sure}", cause.label(), Unit::Fraction.format(share));
        card.found_in("Diagnosis", said, detective);
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
    // What the fullest GPU held most is what the memory of a step is held against; the snapshot's own numbers are of all its GPUs.
    let peaks = snapshot.histories.iter().filter_map(|history| Some((history, history.peak()?)));
    let peak = peaks.max_by_key(|(_, peak)| peak.allocated);
    let peak = peak.filter(|(_, peak)| snapshot.histories.len() > 1 || peak.allocated as f64 > allocated);
    if let Some((history, peak)) = peak {
        let from = format!("{name}, the peak, {}", history.when(peak));
        card.run.measure(Metric::MemoryAllocated, peak.allocated as f64, from.clone());
        let most = history.reserved() as f64;
        let most = if snapshot.histories.len() > 1 { most } else { most.max(reserved) };
        card.run.measure(Metric::MemoryReserved, most, from);
    }
    card.found("Segments", grouped(snapshot.segments.len() as u64 + snapshot.more.0), 0);
    for history in &snapshot.histories {
        let Some(peak) = history.peak() else { continue };
        let of = if snapshot.histories.len() > 1 { format!(" on GPU {}", history.device) } else { String::new() };
        let text = |bytes: u64| Unit::Bytes.format(bytes as f64);
        card.found(
            format!("Peak allocated{of}"),
            format!("{}, {} of {} entries", text(peak.allocated), history.when(peak), grouped(history.entries)),
            0,
        );
        card.found(format!("Peak reserved{of}"), text(history.reserved()), 0);
    }
    card.histories = snapshot.histories.clone();
    card.holdings = Some(Holdings::of(snapshot));
    for problem in &snapshot.problems {
        card.unread(problem, "", 0);
    }
    card.said = match peak {
        Some((history, peak)) => format!(
            "The prediction is compared with the peak in the history, {}: {} allocated, {} when the snapshot was taken.",
            history.when(peak),
            Metric::MemoryAllocated.text(peak.allocated as f64),
            Metric::MemoryAllocated.text(allocated)
        ),
        None if snapshot.histories.is_empty() => {
            "The numbers are those of the moment when the snapshot was taken. The peak of a step may be higher."
                .to_owned()
        }
        None => "The history has no more than the moment when the snapshot was taken.".to_owned(),
    };
    card.done()
}
