//! What `nvidia-smi`, `rocm-smi` and `amd-smi` print.

use std::collections::BTreeSet;

use super::card::{Card, Kind};
use super::measure::Metric;
use super::output::number_at;
use super::plan::any_of;
use crate::hardware::{self, Accelerator, MAKERS, named as gpu};
use crate::quantity::{Unit, counted, grouped};
use crate::setup::MAX_NODE;
use crate::slurm::{Program, split_options};
use crate::units::MIB;

/// Keeps the GPU that a name means; of a short one the likeliest, which then is assumed.
pub(super) fn fill(card: &mut Card, name: &str, line: usize) {
    let others = hardware::others(name);
    match gpu(name) {
        Some(gpu) if others.is_empty() => {
            card.run.cluster.gpu = Some(gpu.id.to_owned());
            card.found("GPU", gpu.name, line);
        }
        Some(gpu) => {
            card.run.cluster.short = Some(name.to_owned());
            card.found("GPU", format!("{}, assumed: “{name}” may also mean {}", gpu.name, any_of(&others)), line);
        }
        None => card.unread(name, NOT_THERE, line),
    }
}

/// Keeps the GPU that a script or a manifest asks for.
pub(super) fn asked(card: &mut Card, text: &str) {
    let all = asked_for(text);
    let known: Vec<_> = all.iter().filter_map(|(name, line)| Some((gpu(name)?.id, name, *line))).collect();
    let Some((id, first, at)) = known.first() else { return };
    if known.iter().any(|(other, ..)| other != id) {
        return card.unread(first, "the script names several kinds of GPU: set cluster.gpu", *at);
    }
    // The longest name leaves least open; of equal ones the first is taken.
    if let Some((_, name, line)) = known.iter().rev().max_by_key(|(_, name, _)| name.len()) {
        fill(card, name, *line);
    }
}

/// Labels of a node by which Kubernetes places a pod on a GPU.
const LABELS: [&str; 3] = ["nvidia.com/gpu.product", "cloud.google.com/gke-accelerator", "amd.com/gpu.product-name"];

/// Names of GPUs that a text asks for, as `gpu` knows them, and their lines: `--gres=gpu:h100:8`, `--constraint=h100`, a label of a node.
fn asked_for(text: &str) -> Vec<(String, usize)> {
    let mut all: Vec<(String, usize)> = Vec::new();
    // Whether the values of such a label come, as an affinity lists them.
    let mut is_label = false;
    for (i, line) in text.lines().enumerate() {
        let bare = line.trim().trim_start_matches("- ");
        let mut add = |name: &str| {
            let name = name.trim().trim_matches(['"', '\'']);
            // A slice of a GPU has another peak and another memory: `1g.10gb`.
            let is_slice =
                name.split(['_', '-', '.']).any(|word| word.strip_suffix('g').is_some_and(|n| n.parse::<u8>().is_ok()));
            let known = [name.to_owned(), format!("NVIDIA {name}")].into_iter().find(|name| gpu(name).is_some());
            if let Some(known) = known.filter(|_| !is_slice && name.len() < 60) {
                all.push((known, i + 1));
            }
        };
        if let Some((key, value)) = bare.split_once(": ")
            && LABELS.contains(&key.trim_matches(['"', '\'']))
        {
            add(value.split(" #").next().unwrap_or_default());
            continue;
        }
        // Modal's `@app.function(gpu="H100:8")`.
        if let Some((name, _)) = bare.split_once("gpu=\"").and_then(|(_, rest)| rest.split_once(['"', ':'])) {
            add(name);
        }
        let (key, value) = bare.split_once(':').unwrap_or((bare, ""));
        let value = value.trim().trim_matches(['"', '\'']);
        match key {
            "key" => is_label = LABELS.contains(&value),
            // SkyPilot's `accelerators: H100:8`, and dstack's `gpu: H100:8`.
            "accelerators" | "gpu" => add(value.split(':').next().unwrap_or_default()),
            "operator" => is_label &= value == "In",
            "values" if is_label => value.trim_matches(['[', ']']).split(',').for_each(&mut add),
            // An item of the list.
            _ if is_label && line.trim_start().starts_with("- ") && value.is_empty() => add(bare),
            _ => is_label = false,
        }
        let (program, rest) = match bare.strip_prefix("#SBATCH") {
            Some(rest) => (Program::Sbatch, rest),
            None => match bare.split_once(' ') {
                Some(("srun", rest)) => (Program::Srun, rest),
                Some(("sbatch", rest)) => (Program::Sbatch, rest),
                _ => continue,
            },
        };
        let words: Vec<&str> = rest.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
        for given in split_options(program, &words) {
            let value = given.value.trim_matches(['"', '\'']);
            match given.name {
                "gres" => {
                    value.split(',').filter_map(|part| part.strip_prefix("gpu:")?.split(':').next()).for_each(&mut add)
                }
                "gpus" | "gpus-per-node" | "gpus-per-task" => {
                    value.split(',').filter_map(|part| Some(part.split_once(':')?.0)).for_each(&mut add);
                }
                "constraint" => value.split(['&', '|', '[', ']', '*', '(', ')', ',']).for_each(&mut add),
                _ => {}
            }
        }
    }
    all
}

/// The name of a GPU that a program prints, as its driver gives it: `NVIDIA H100 80GB HBM3`.
pub(super) fn printed(line: &str) -> Option<String> {
    let maker = ["NVIDIA ", "Tesla ", "AMD Instinct "].into_iter().find(|maker| line.contains(maker))?;
    let (before, rest) = line.split_once(maker)?;
    if before.ends_with(char::is_alphanumeric) {
        return None;
    }
    let rest = rest.split([',', ')', '|', ':', ';', '(', '\t', '/']).next()?;
    let is_own = |word: &&str| {
        let is_form = ["PCIe", "NVL", "SXM", "GeForce", "RTX", "Laptop", "GPU", "Ti", "AC", "Instinct"].contains(word);
        is_form
            || word.contains(|c: char| c.is_ascii_digit())
                && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let words: Vec<&str> = rest.split(' ').take_while(is_own).collect();
    let name = format!("{maker}{}", words.join(" "));
    gpu(&name).map(|_| name)
}

/// Keeps the GPU that all of a node's are, with the line of each; which one a run uses isn't known where they differ.
fn all_alike(card: &mut Card, gpus: &[(&'static Accelerator, usize)]) {
    let Some((first, line)) = gpus.first() else { return };
    card.found("GPU", first.name, *line);
    let others: Vec<_> = gpus.iter().filter(|(gpu, _)| gpu.id != first.id).collect();
    for (gpu, line) in &others {
        card.unread(
            gpu.name,
            "not the same GPU as the first: set cluster.gpu and cluster.node to what the run uses",
            *line,
        );
    }
    card.run.cluster.gpu = others.is_empty().then(|| first.id.to_owned());
}

/// A GPU that a tool lists.
struct Listed<'a> {
    /// Its number within its node, where it has one.
    index: Option<u64>,
    /// Its own, where it is listed with one.
    uuid: Option<&'a str>,
    name: &'a str,
    /// Bytes of its memory, where they stand beside the name, which a table may cut.
    memory: Option<f64>,
    /// Whether more may follow that isn't there: the end of its table wasn't seen.
    is_open: bool,
    line: usize,
}

/// How far the memory that a driver shows may be from the data sheet's: the binary prefix and what ECC takes.
const NEAR: f64 = 0.15;

impl Listed<'_> {
    /// The accelerator: of those whose name begins alike, the one with this memory.
    fn gpu(&self) -> Option<&'static Accelerator> {
        let named = gpu(self.name)?;
        let Some(bytes) = self.memory else { return Some(named) };
        let fits = |gpu: &Accelerator| (bytes / gpu.memory.0 - 1.0).abs() < NEAR;
        let family = |gpu: &Accelerator| gpu.id.split('-').next() == named.id.split('-').next();
        if fits(named) { Some(named) } else { hardware::ALL.iter().find(|gpu| family(gpu) && fits(gpu)) }
    }
}

/// The lists of a text, each of one node as far as anybody can tell: a list begins where numbers begin again. Every GPU counts once, also where
/// several ranks print the node that they share.
fn lists(all: Vec<Listed<'_>>) -> Vec<Vec<Listed<'_>>> {
    let (mut lists, mut seen, mut last) = (Vec::<Vec<Listed<'_>>>::new(), BTreeSet::new(), None);
    for gpu in all {
        let begins = lists.is_empty() || gpu.index.is_some_and(|index| last.is_some_and(|last| index <= last));
        last = gpu.index.or(last);
        if begins {
            lists.push(Vec::new());
        }
        if let Some(list) = lists.last_mut()
            && gpu.uuid.is_none_or(|uuid| seen.insert(uuid))
        {
            list.push(gpu);
        }
    }
    lists.retain(|list| !list.is_empty());
    lists
}

/// Whether numbers count from 0 on without a gap, as far as they are known.
fn from_zero(numbers: impl Iterator<Item = Option<u64>>) -> bool {
    (0..).zip(numbers).all(|(n, number)| number.is_none_or(|number| number == n))
}

/// Whether a list has every GPU of its node, as far as it can say so: it is numbered from 0 on without a gap, and its end is there.
fn is_whole(list: &[Listed<'_>]) -> bool {
    from_zero(list.iter().map(|listed| listed.index)) && list.iter().all(|listed| !listed.is_open)
}

/// Keeps the GPUs that a tool lists: of several lists the longest says what a node has, if it is whole.
fn all_listed(card: &mut Card, all: Vec<Listed<'_>>) {
    let lists = lists(all);
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for listed in lists.iter().flatten() {
        match listed.gpu() {
            Some(gpu) => known.push((gpu, listed.line)),
            None => unknown.push(listed),
        }
    }
    all_alike(card, &known);
    let longest = lists.iter().map(Vec::len).max().unwrap_or_default() as u64;
    let total = lists.iter().map(Vec::len).sum::<usize>() as u64;
    let are_told_apart = lists.iter().flatten().all(|listed| listed.uuid.is_some());
    let parts: Vec<_> = lists.iter().filter(|list| !is_whole(list)).collect();
    if lists.len() > 1 && are_told_apart && parts.is_empty() {
        card.run.cluster.gpus = Some(total);
        card.found("GPUs", grouped(total), 0);
    }
    // Lists of one GPU each may be of ranks that see no other.
    let is_known = lists.iter().any(|list| list.len() as u64 == longest && is_whole(list));
    if is_known && (longest > 1 || lists.len() == 1) {
        card.run.cluster.node = Some(longest);
        card.found("GPUs per node", grouped(longest), 0);
    }
    for list in parts.iter().filter(|_| !is_known) {
        let text = format!("A list of {}", counted(list.len() as u64, "GPU", "GPUs"));
        card.unread(&text, CUT, list.last().map_or(0, |listed| listed.line));
    }
    if lists.len() > 1 && !are_told_apart {
        card.found("Lists without UUIDs", format!("{}, counted as one node", grouped(lists.len() as u64)), 0);
    }
    if let Some(shorter) = lists.iter().find(|list| longest > list.len() as u64) {
        let text = format!("A list of {}", counted(shorter.len() as u64, "GPU", "GPUs"));
        let why = format!("another list has {}: the longer one counts", grouped(longest));
        card.unread(&text, why, shorter.first().map_or(0, |listed| listed.line));
    }
    for listed in unknown {
        card.unread(listed.name, NOT_THERE, listed.line);
    }
}

/// Why GPUs aren't counted.
const CUT: &str =
    "its beginning or its end is missing, so the node may have more: paste all of it, or set cluster.node";
/// Why a GPU's name isn't read.
const NOT_THERE: &str = "this GPU isn't in the course's table";

/// Whether a line is the heading of the processes, which the tables of `nvidia-smi` and `amd-smi` have below their GPUs.
fn is_end(line: &str) -> bool {
    let bare = line.trim().trim_start_matches('|').trim();
    line.trim_start().starts_with('|') && ["Processes:", "Compute processes:"].iter().any(|end| bare.starts_with(end))
}

/// The list that began with this one has its end.
fn close(listed: &mut [Listed<'_>], first: usize) {
    listed.iter_mut().skip(first).for_each(|listed| listed.is_open = false);
}

/// What `nvidia-smi` prints: its table, `-L`, or CSV of `--query-gpu`.
pub(super) fn nvidia_smi(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::NvidiaSmi);
    let (mut listed, mut used, mut clocks) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns: Vec<&str> = Vec::new();
    // Rows that don't say which GPU they are of, and may be samples of one.
    let mut samples: Vec<usize> = Vec::new();
    // The section of `nvidia-smi -q`, how many GPUs its heading says that there are, and the first of those below it.
    let mut section = "";
    let (mut attached, mut first) = (None, 0);
    for (i, line) in text.lines().enumerate() {
        let number = i + 1;
        let bare = line.trim().trim_start_matches('|').trim();
        match (section, line.split_once(" : ").map(|(key, value)| (key.trim(), value.trim()))) {
            (_, Some(("Attached GPUs", n))) => {
                attached = n.parse::<usize>().ok();
                first = listed.len();
            }
            (_, Some(("Product Name", name))) => {
                let index = Some(listed.len().saturating_sub(first) as u64);
                listed.push(Listed { index, uuid: None, name, memory: None, is_open: true, line: number });
                // The last of as many as there are.
                if attached == Some(listed.len().saturating_sub(first)) {
                    close(&mut listed, first);
                }
            }
            (_, Some(("GPU UUID", uuid))) => {
                if let Some(last) = listed.last_mut() {
                    last.uuid = Some(uuid);
                }
            }
            ("FB Memory Usage", Some(("Used", value))) => used.extend(number_at(value).map(|mib| (mib * MIB, number))),
            ("Clocks", Some(("SM", value))) => clocks.extend(number_at(value).map(|mhz| (mhz * 1e6, number))),
            (_, None) => section = bare,
            _ => {}
        }
        let is_csv = line.contains(',') && !line.contains('|');
        if is_csv
            && (line.contains("[MiB]")
                || line.contains("[MHz]")
                || line.starts_with("name,")
                || line.starts_with("index,"))
        {
            columns = line.split(',').map(str::trim).collect();
        } else if is_csv && !columns.is_empty() {
            let (mut index, mut uuid, mut name) = (None, None, None);
            for (column, value) in columns.iter().zip(line.split(',').map(str::trim)) {
                match column.split(' ').next().unwrap_or_default() {
                    "name" | "gpu_name" => name = Some(value),
                    "index" => index = value.parse().ok(),
                    "uuid" | "gpu_uuid" | "pci.bus_id" | "gpu_bus_id" => uuid = Some(value),
                    "memory.used" => used.extend(number_at(value).map(|mib| (mib * MIB, number))),
                    "clocks.sm" | "clocks.current.sm" => clocks.extend(number_at(value).map(|mhz| (mhz * 1e6, number))),
                    _ => {}
                }
            }
            let changes =
                ["timestamp", "utilization", "memory.used", "memory.free", "temperature", "power.draw", "clocks"];
            let is_sample = columns.iter().any(|column| changes.iter().any(|word| column.starts_with(word)));
            samples.extend((index.is_none() && uuid.is_none() && is_sample).then_some(number));
            listed.extend(name.map(|name| Listed { index, uuid, name, memory: None, is_open: false, line: number }));
        } else if let Some((before, uuid)) = line.split_once("(UUID:")
            && let Some((index, name)) = before.split_once("GPU ").and_then(|(_, rest)| rest.split_once(':'))
        {
            let is_open = !uuid.contains(')');
            let uuid = Some(uuid.trim_end().trim_end_matches(')').trim());
            let index = index.trim().parse().ok();
            listed.push(Listed { index, uuid, name: name.trim(), memory: None, is_open, line: number });
        } else if let Some((index, name, mib)) = of_gpustat(line) {
            listed.push(Listed { index: Some(index), uuid: None, name, memory: None, is_open: false, line: number });
            used.push((mib * MIB, number));
        } else if line.starts_with('|') && line.contains("MiB /") {
            let before = line.split("MiB /").next().unwrap_or_default();
            let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            used.extend(number_at(digits).map(|mib| (mib * MIB, number)));
            // It stands below the name.
            let total = line.split("MiB /").nth(1).and_then(number_at);
            if let Some(above) = listed.last_mut().filter(|above| above.line + 1 == number) {
                above.memory = total.map(|mib| mib * MIB);
            }
        } else if line.starts_with('|')
            && bare.starts_with(|c: char| c.is_ascii_digit())
            && ["On", "Off"].iter().any(|word| line.split_whitespace().any(|w| w == *word))
        {
            let index = bare.split_whitespace().next().and_then(|word| word.parse().ok());
            listed.push(Listed { index, uuid: None, name: bare, memory: None, is_open: true, line: number });
        } else if bare.starts_with("NVIDIA-SMI") {
            first = listed.len();
        } else if is_end(line) {
            close(&mut listed, first);
        }
    }
    // Of each GPU, the links below its name.
    let links: Vec<Vec<(f64, usize)>> = listed
        .iter()
        .enumerate()
        .map(|(i, gpu)| {
            let end = listed.get(i + 1).map_or(usize::MAX, |next| next.line);
            let lines = text.lines().enumerate().skip(gpu.line).take_while(|(i, _)| i + 1 < end);
            lines.filter_map(|(i, line)| Some((link(line)?, i + 1))).collect()
        })
        .collect();
    all_listed(&mut card, listed);
    if let Some(first) = links.first().filter(|links| !links.is_empty()) {
        let sum = first.iter().map(|(rate, _)| rate).sum();
        let said = format!(
            "{} in each direction, over {}",
            Unit::BytesPerSecond.format(sum),
            counted(first.len() as u64, "link", "links")
        );
        card.found("NVLink of the first GPU", said, first.first().map_or(0, |(_, line)| *line));
        for (_, line) in links.iter().flatten().filter(|(rate, _)| *rate == 0.0) {
            let text = text.lines().nth(line - 1).unwrap_or_default();
            card.unread(text, "a link that is inactive slows collectives down: the prediction has all links", *line);
        }
    }
    let is_part = |line: &str| {
        line.contains("MIG devices:") || line.trim_start().starts_with("MIG ") && line.contains("(UUID: MIG-")
    };
    if let Some((i, part)) = text.lines().enumerate().find(|(_, line)| is_part(line)) {
        let why = "a process sees its part of the GPU, with less memory and a lower peak: set cluster.gpu and cluster.node if it has all of it";
        card.unread(part, why, i + 1);
        card.found.retain(|found| found.what != "GPUs per node");
        (card.run.cluster.gpu, card.run.cluster.node) = (None, None);
        used.clear();
    }
    if let [first, _, ..] = samples[..] {
        let why = "no column says which GPU a row is of, so the rows may be samples of one: add index to --query-gpu";
        card.unread("How many GPUs a node has", why, first);
        card.found.retain(|found| found.what != "GPUs per node");
        card.run.cluster.node = None;
    }
    observed(&mut card, used, clocks);
    let held = held(text);
    held.fill(&mut card);
    card.said = held.said();
    card.done()
}

/// What `nvidia-smi -q -x` prints, if a text is that: the same as lines of `-q`, without elements that aren't read.
pub(super) fn of_xml(text: &str) -> Option<String> {
    if !["<nvidia_smi_log>", "<clocks_event_reasons>", "<clocks_throttle_reasons>"].iter().any(|tag| text.contains(tag))
    {
        return None;
    }
    let mut log = "NVSMI LOG\n".to_owned();
    for line in text.lines() {
        let Some((tag, rest)) = line.trim().strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
            log.push('\n');
            continue;
        };
        let value = rest.split('<').next().unwrap_or_default().trim();
        let reason =
            ["clocks_event_reason_", "clocks_throttle_reason_"].iter().find_map(|start| tag.strip_prefix(start));
        let name = reason.and_then(|tag| {
            let spelled = |name: &str| name.to_lowercase().replace(' ', "_");
            REASONS
                .iter()
                .map(|(name, ..)| *name)
                .chain(["Idle"])
                .find(|name| tag.trim_start_matches("gpu_") == spelled(name))
        });
        log += &match (tag, name) {
            (_, Some(name)) => format!("{name} : {value}"),
            ("attached_gpus", _) => format!("Attached GPUs : {value}"),
            ("product_name", _) => format!("Product Name : {value}"),
            ("uuid", _) => format!("GPU UUID : {value}"),
            ("used", _) => format!("Used : {value}"),
            ("sm_clock", _) => format!("SM : {value}"),
            ("fb_memory_usage", _) => "FB Memory Usage".to_owned(),
            ("clocks", _) => "Clocks".to_owned(),
            ("clocks_event_reasons" | "clocks_throttle_reasons", _) => "Clocks Event Reasons".to_owned(),
            _ if tag.starts_with("gpu id=") => format!("GPU {}", tag.trim_start_matches("gpu id=").trim_matches('"')),
            // Any other section ends the one before.
            _ if value.is_empty() && !tag.starts_with(['/', '!', '?']) => tag.to_owned(),
            _ => String::new(),
        };
        log.push('\n');
    }
    Some(log)
}

/// What holds a GPU's clock down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    Heat,
    Brake,
    Power,
    Set,
}

/// Reasons for a lower clock as `nvidia-smi -q` names them, with their bits in `clocks_event_reasons.active` (`nvml.h`). A GPU that is idle isn't held.
const REASONS: [(&str, u64, Hold); 7] = [
    ("HW Thermal Slowdown", 0x40, Hold::Heat),
    ("SW Thermal Slowdown", 0x20, Hold::Heat),
    ("HW Power Brake Slowdown", 0x80, Hold::Brake),
    ("HW Slowdown", 0x8, Hold::Brake),
    ("SW Power Cap", 0x4, Hold::Power),
    ("Sync Boost", 0x10, Hold::Set),
    ("Applications Clocks Setting", 0x2, Hold::Set),
];
/// Degrees from which on GPUs of data centers slow down or are about to: an A100 may run at 85 °C, and slows down at 89.
const HOT: f64 = 85.0;
/// The part of its power limit above which a GPU is at it.
const AT_LIMIT: f64 = 0.97;

/// What `nvidia-smi` says of clocks that are held down.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Why, the GPU and its line.
    reasons: Vec<(Hold, String, String, usize)>,
    /// A GPU that is hot, by its table, and one at its power limit: as it is written there, and its line.
    hot: Option<(String, usize)>,
    limited: Option<(String, usize)>,
    /// Whether reasons are listed at all, and whether a GPU was idle.
    is_listed: bool,
    is_idle: bool,
}

/// Reads why clocks are held down: the sections of `-q`, the columns of `--query-gpu`, temperature and power of the table.
pub(super) fn held(text: &str) -> Held {
    let mut held = Held::default();
    let (mut is_section, mut gpus, mut index) = (false, 0_usize, String::new());
    let mut columns: Vec<&str> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let (bare, number) = (line.trim(), i + 1);
        let pair = line.split_once(" : ").map(|(key, value)| (key.trim(), value.trim()));
        match pair {
            None if bare.starts_with("GPU ") && bare.contains(':') => {
                gpus += 1;
                index = format!("GPU {}", grouped(gpus as u64 - 1));
            }
            None => {
                let starts = ["Clocks Event Reasons", "Clocks Throttle Reasons"];
                is_section = starts.iter().any(|start| bare.starts_with(start)) && !bare.ends_with("Counters");
                held.is_listed |= is_section;
            }
            Some((key, "Active")) if is_section => {
                held.is_idle |= key == "Idle";
                let name = if index.is_empty() { "The GPU" } else { &index };
                held.reasons.extend(
                    reasons(|reason, _| reason == key)
                        .map(|(reason, hold)| (hold, name.to_owned(), reason.to_owned(), number)),
                );
            }
            Some(_) => {}
        }
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.iter().any(|cell| cell.contains("_reasons.")) {
            columns = cells;
            held.is_listed = true;
        } else if columns.len() > 1 && cells.len() == columns.len() {
            let index = columns.iter().position(|column| *column == "index").and_then(|at| cells.get(at));
            let name = index.map_or_else(|| "A GPU".to_owned(), |index| format!("GPU {index}"));
            for (column, cell) in columns.iter().zip(&cells) {
                let Some((_, reason)) = column.split_once("_reasons.") else { continue };
                let bits = cell.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
                held.is_idle |= bits.is_some_and(|bits| bits & 1 == 1);
                let fits = |name: &str, bit: u64| match bits {
                    Some(bits) => bits & bit != 0,
                    None => *cell == "Active" && name.to_lowercase().replace(' ', "_") == reason,
                };
                held.reasons
                    .extend(reasons(fits).map(|(reason, hold)| (hold, name.clone(), reason.to_owned(), number)));
            }
        }
        // A row of the table: `| N/A   86C    P0             398W / 400W | …`.
        let words: Vec<&str> = bare.trim_start_matches('|').split_whitespace().collect();
        if let [_, degrees, ..] = words[..]
            && let Some(degrees) = degrees.strip_suffix('C').and_then(|n| n.parse::<f64>().ok())
            && bare.starts_with('|')
        {
            let watts = |word: Option<&&str>| word.and_then(|word| word.strip_suffix('W')?.parse::<f64>().ok());
            let slash = words.iter().position(|word| *word == "/").filter(|at| *at > 0);
            let power = slash.and_then(|at| watts(words.get(at - 1)).zip(watts(words.get(at + 1))));
            if degrees >= HOT && held.hot.is_none() {
                held.hot = Some((format!("{degrees} °C"), number));
            }
            if let Some((now, limit)) = power.filter(|(now, limit)| *now >= AT_LIMIT * limit)
                && held.limited.is_none()
            {
                held.limited = Some((format!("{now} W of {limit} W"), number));
            }
        }
    }
    // The general reason says nothing beside the exact one.
    let exact: Vec<String> = held
        .reasons
        .iter()
        .filter(|one| one.2.starts_with("HW ") && one.2 != "HW Slowdown")
        .map(|one| one.1.clone())
        .collect();
    held.reasons.retain(|(_, gpu, reason, _)| reason != "HW Slowdown" || !exact.contains(gpu));
    held
}

/// The reasons that fit.
fn reasons(fits: impl Fn(&str, u64) -> bool) -> impl Iterator<Item = (&'static str, Hold)> {
    REASONS.into_iter().filter(move |(name, bit, _)| fits(name, *bit)).map(|(name, _, hold)| (name, hold))
}

impl Held {
    /// What the card lists.
    fn fill(&self, card: &mut Card) {
        for (_, gpu, reason, line) in &self.reasons {
            card.found(
                format!("Clock held down, {}", gpu.replacen("The ", "the ", 1).replacen("A ", "a ", 1)),
                reason,
                *line,
            );
        }
        if self.is_listed && self.reasons.is_empty() {
            card.found("Clock held down", if self.is_idle { "no, but a GPU is idle" } else { "no" }, 0);
        }
        for (what, at) in [("Hottest GPU", &self.hot), ("Power", &self.limited)] {
            if let Some((value, line)) = at {
                card.found(what, value, *line);
            }
        }
    }

    /// What it means and what to do; empty where nothing holds a clock down.
    pub(super) fn said(&self) -> String {
        let worst = self.reasons.iter().min_by_key(|(hold, ..)| *hold);
        let Some((hold, gpu, reason, _)) = worst else {
            return match (&self.hot, &self.limited) {
                (Some((at, _)), _) => format!(
                    "A GPU is at {at}, where GPUs of data centers begin to slow down. “nvidia-smi -q -d PERFORMANCE”, run while the job trains, says whether it does; then check the node’s cooling."
                ),
                (None, Some((at, _))) => format!(
                    "A GPU takes {at}, so its power limit decides its clock. That is normal for large matrix products, and the reason why they don’t reach the data sheet’s peak. Compare the limits of all nodes: one with a lower limit makes every step wait."
                ),
                (None, None) if self.is_listed && self.is_idle => {
                    "Nothing holds the clocks down, but a GPU is idle: run it while the job trains.".to_owned()
                }
                (None, None) if self.is_listed => "Nothing holds the clocks down at that moment.".to_owned(),
                (None, None) => String::new(),
            };
        };
        match hold {
            Hold::Heat => format!(
                "{gpu} is too hot and slows down ({reason}). In a job that trains on several GPUs each step waits for it. Take its node out of the job and check its cooling: fans, airflow, the heat sink, and for liquid the flow."
            ),
            Hold::Brake => format!(
                "The hardware slows {gpu} down ({reason}), to half its clock or less: a power supply or the chassis asks for it, or the GPU gets too hot or draws too much. In a job on several GPUs each step waits for it. Take its node out of the job and check power supplies and cooling."
            ),
            Hold::Power => format!(
                "{gpu} is at its power limit ({reason}). That is normal for large matrix products at full load, and the reason why they don’t reach the data sheet’s peak. Compare clocks.sm and power.limit with the other nodes: one with a lower limit makes every step wait."
            ),
            Hold::Set => format!(
                "The clock of {gpu} is set lower than it could be ({reason}). “nvidia-smi -q -d CLOCK” shows to what, and “nvidia-smi -rac” or “-rgc” takes the setting back."
            ),
        }
    }
}

/// A line of gpustat: `[0] NVIDIA A100-SXM4-80GB | 61°C,  99 % | 71234 / 81920 MB | …`: its GPU, the name and the memory in use.
pub(super) fn of_gpustat(line: &str) -> Option<(u64, &str, f64)> {
    let mut cells = line.trim().split('|').map(str::trim);
    let (index, name) = cells.next()?.strip_prefix('[')?.split_once("] ")?;
    let (used, _) = cells.filter(|cell| cell.ends_with(" MB")).find_map(|cell| cell.split_once(" / "))?;
    Some((index.parse().ok()?, name.trim(), number_at(used)?))
}

/// The bytes per second of a line of `nvidia-smi nvlink -s`: `Link 0: 26.562 GB/s`, and 0 for `Link 0: <inactive>`.
pub(super) fn link(line: &str) -> Option<f64> {
    let (number, rate) = line.trim().strip_prefix("Link ")?.split_once(": ")?;
    number.parse::<u64>().ok()?;
    match rate.strip_suffix(" GB/s") {
        Some(rate) => number_at(rate).map(|rate| rate * 1e9),
        None => (rate == "<inactive>").then_some(0.0),
    }
}

/// Keeps the memory of the fullest GPU and the clock of the slowest.
fn observed(card: &mut Card, used: Vec<(f64, usize)>, clocks: Vec<(f64, usize)>) {
    let name = card.name.clone();
    if let Some((bytes, line)) = used.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a }) {
        card.run.measure(Metric::MemoryUsed, bytes, format!("{name}, line {line}, the fullest GPU"));
        card.found(Metric::MemoryUsed.label(), format!("{} on the fullest GPU", Metric::MemoryUsed.text(bytes)), line);
    }
    if let Some((clock, line)) = clocks.into_iter().reduce(|a, b| if b.0 < a.0 { b } else { a }) {
        card.run.measure(Metric::Clock, clock, format!("{name}, line {line}, the slowest GPU"));
        card.found(Metric::Clock.label(), format!("{} on the slowest GPU", Metric::Clock.text(clock)), line);
    }
}

/// Whether a line names the columns of `nvidia-smi dmon`.
pub(super) fn is_dmon(line: &str) -> bool {
    line.trim_start().starts_with('#') && [" gpu ", " sm ", " pclk"].iter().all(|word| line.contains(word))
}

/// What `nvidia-smi dmon` prints: the clock of GPUs that are busy at least half of the time, and their memory.
pub(super) fn dmon(name: &str, text: &str) -> Card {
    /// Below that share, in percent, a GPU may have lowered its clock by itself.
    const BUSY: f64 = 50.0;
    let mut card = Card::new(name, Kind::NvidiaSmi);
    let (mut used, mut clocks) = (Vec::new(), Vec::new());
    let mut columns: Vec<&str> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if is_dmon(line) {
            columns = line.trim().trim_start_matches('#').split_whitespace().collect();
            continue;
        }
        let words: Vec<&str> = line.trim().trim_start_matches("# ").split_whitespace().collect();
        if words.len() != columns.len() || line.contains("Idx") {
            continue;
        }
        let value = |name: &str| {
            let at = columns.iter().position(|column| *column == name)?;
            number_at(words.get(at)?)
        };
        if value("sm").is_some_and(|share| share >= BUSY) {
            clocks.extend(value("pclk").map(|mhz| (mhz * 1e6, i + 1)));
            used.extend(value("fb").map(|mib| (mib * MIB, i + 1)));
        }
    }
    observed(&mut card, used, clocks);
    card.done()
}

/// The table of `amd-smi`: two lines for each device, the first with its address and its name (`ROCm/amdsmi`, `amdsmi_cli/amdsmi_commands.py`).
pub(super) fn amd_smi(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::RocmSmi);
    let (mut listed, mut used) = (Vec::new(), Vec::new());
    let mut above = None;
    for (i, line) in text.lines().enumerate() {
        if is_end(line) {
            close(&mut listed, 0);
        }
        let mut cells = line.trim().split('|').map(str::trim).filter(|cell| !cell.is_empty());
        let (first, last) = (cells.next().unwrap_or_default(), cells.next_back().unwrap_or_default());
        let (word, rest) = first.split_once(' ').unwrap_or((first, ""));
        if word.matches(':').count() == 2 && word.contains('.') {
            above = Some((rest.trim(), i + 1));
            continue;
        }
        let (Some((name, line_of_name)), Ok(index)) = (above.take(), word.parse::<u64>()) else { continue };
        if ["DPX", "TPX", "QPX", "CPX"].iter().any(|part| first.contains(part)) {
            card.unread(first, "a row is a part of a GPU, so they aren't counted", i + 1);
            continue;
        }
        listed.push(Listed { index: Some(index), uuid: None, name, memory: None, is_open: true, line: line_of_name });
        let memory = last.strip_suffix(" MB").and_then(|cell| cell.split_whitespace().next_back());
        used.extend(memory.and_then(|cell| number_at(cell.split_once('/')?.0)).map(|mib| (mib * MIB, i + 1)));
    }
    all_listed(&mut card, listed);
    observed(&mut card, used, Vec::new());
    card.done()
}

/// The most lines, and words of one, of a text of GPUs' names.
const NAMES: (usize, usize) = (1024, 8);

/// A line that is a GPU's name, with how many of them there are if it says so: `NVIDIA A100-SXM4-80GB`, `8x H100`.
fn name_of(line: &str) -> Option<(Option<u64>, &str)> {
    let line = line.trim().trim_end_matches(',');
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let digits = first.trim_end_matches(['x', 'X', '×']);
    let (count, name) = match digits.parse::<u64>() {
        Ok(n) if !rest.is_empty() => (Some(n), rest.trim_start_matches(['x', 'X', '×', ' '])),
        _ => match first.split_once(['x', '×']).map(|(n, _)| (n, n.parse::<u64>())) {
            Some((n, Ok(count))) => (Some(count), line.get(n.len()..)?.trim_start_matches(['x', '×'])),
            _ => (None, line),
        },
    };
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | ',' | '_'));
    let is_one = gpu(name).is_some() || hardware::other(name).is_some();
    // A sentence that names a GPU isn't its name.
    let begins = name.split([' ', '-', '_', ',']).next().unwrap_or_default().to_lowercase();
    let begins = MAKERS.contains(&begins.as_str()) || begins.contains(|c: char| c.is_ascii_digit());
    (is_plain && is_one && begins && name.split_whitespace().count() <= NAMES.1).then_some((count, name))
}

/// Whether a text is GPUs' names and nothing else, as `--query-gpu=name --format=csv,noheader` or PyTorch print them.
pub(super) fn are_names(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !matches!(line.trim(), "" | "name")).peekable();
    lines.peek().is_some() && text.lines().count() <= NAMES.0 && lines.all(|line| name_of(line).is_some())
}

/// Reads GPUs' names. One says which GPU it is, not how many there are.
pub(super) fn names(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::NvidiaSmi);
    let named: Vec<_> =
        text.lines().enumerate().filter_map(|(i, line)| name_of(line).map(|(n, name)| (n, name, i + 1))).collect();
    match named.iter().find(|(_, name, _)| gpu(name).is_some()) {
        Some((_, first, line)) if named.iter().all(|(_, name, _)| name == first) => fill(&mut card, first, *line),
        _ => {
            let known: Vec<_> = named.iter().filter_map(|(_, name, line)| Some((gpu(name)?, *line))).collect();
            all_alike(&mut card, &known);
        }
    }
    for (_, name, line) in named.iter().filter(|(_, name, _)| gpu(name).is_none()) {
        card.unread(name, NOT_THERE, *line);
    }
    if let Some((i, line)) =
        text.lines().enumerate().find(|(_, line)| [" MiB", " %", " W", " MHz"].iter().any(|unit| line.contains(unit)))
    {
        card.unread(line, "without the columns’ names, only the GPUs are read", i + 1);
    }
    let count = match named[..] {
        [(count, ..)] => count,
        _ => Some(named.iter().map(|(count, ..)| count.unwrap_or(1)).sum()),
    };
    if let Some(count) = count.filter(|n| (1..=MAX_NODE).contains(n)) {
        card.run.cluster.node = Some(count);
        card.found("GPUs per node", grouped(count), 0);
    }
    card.done()
}

/// What reports on an environment say of its GPUs: those of PyTorch and vLLM (`GPU 0: NVIDIA H100 80GB HBM3`), SGLang (`GPU 0,1: NVIDIA H20`),
/// Accelerate and LLaMA-Factory (`- GPU type: …`), TRL (`CUDA device(s): …, …`). Their other lines are listed.
pub(super) fn environment(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::NvidiaSmi);
    let (mut named, mut indices, mut count) = (Vec::new(), BTreeSet::new(), None);
    let (mut others, mut unknown) = (Vec::new(), None);
    for (i, line) in text.lines().enumerate() {
        let bare = line.trim().trim_start_matches("- ").trim_start_matches("GPU models and configuration: ");
        let (key, value) = bare.split_once(": ").unwrap_or((bare, ""));
        let list = key.strip_prefix("GPU ").map(|list| list.split(',').map(str::parse::<u64>));
        let list = list.and_then(|list| list.collect::<Result<Vec<u64>, _>>().ok());
        let is_list = list.is_some();
        let names: Vec<&str> = match key {
            "GPU type" => vec![value],
            "CUDA device(s)" => value.split(", ").collect(),
            _ if is_list => vec![value],
            _ => Vec::new(),
        };
        let known: Vec<(&'static Accelerator, &str)> =
            names.iter().filter_map(|name| Some((gpu(name)?, name.trim()))).collect();
        if key == "GPU number" {
            count = value.trim().parse().ok();
        } else if known.is_empty() || known.len() < names.len() {
            let is_named =
                key == "GPU type" || is_list && MAKERS.iter().any(|maker| value.to_lowercase().contains(maker));
            unknown = unknown.or_else(|| is_named.then_some((value, i + 1)));
            if !bare.is_empty() && !is_named {
                others.push((line, i + 1));
            }
        } else {
            indices.extend(list.into_iter().flatten());
            if key == "CUDA device(s)" {
                count = Some(known.len() as u64);
            }
            named.extend(known.into_iter().map(|(gpu, name)| (gpu, name, i + 1)));
        }
    }
    let Some((_, first, line)) = named.first().copied() else {
        if let Some((name, line)) = unknown {
            card.said = format!(
                "It is a report on an environment. Its GPU, {}, isn’t in the course’s table.",
                super::card::quote(name)
            );
            card.unread(name, NOT_THERE, line);
        }
        return card.done();
    };
    if named.iter().all(|(_, name, _)| *name == first) {
        fill(&mut card, first, line);
    } else {
        let known: Vec<_> = named.iter().map(|(gpu, _, line)| (*gpu, *line)).collect();
        all_alike(&mut card, &known);
    }
    // The driver's version and more follow the list. A count that is printed needs no list.
    let last = named.iter().map(|(.., line)| *line).max().unwrap_or_default();
    let is_open =
        text.lines().skip(last).all(|line| line.trim().is_empty()) || !from_zero(indices.iter().map(|i| Some(*i)));
    if !indices.is_empty() && is_open {
        card.unread(&format!("A list of {}", counted(indices.len() as u64, "GPU", "GPUs")), CUT, last);
        count = None;
    } else if !indices.is_empty() {
        count = Some(indices.len() as u64);
    }
    if let Some(count) = count.filter(|n| (1..=MAX_NODE).contains(n)) {
        card.run.cluster.node = Some(count);
        card.found("GPUs per node", grouped(count), 0);
    }
    card.said = "The GPUs were read. What else it says of the environment isn’t.".to_owned();
    for (line, number) in others {
        card.unread(line, "", number);
    }
    card.done()
}

/// With what everything that `rocm-smi` prints ends, between `=` (`rocm_smi.py`, `printLogSpacer`).
const ROCM_END: &str = "End of ROCm SMI Log";

/// What `rocm-smi` prints.
pub(super) fn rocm_smi(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::RocmSmi);
    let mut gpus: Vec<&str> = Vec::new();
    let (mut known, mut used) = (Vec::new(), None::<f64>);
    let (mut unknown, mut named) = (Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let Some((id, rest)) = line.strip_prefix("GPU[").and_then(|rest| rest.split_once(']')) else { continue };
        if !gpus.contains(&id) {
            gpus.push(id);
        }
        let what = rest.trim_start_matches([' ', '\t', ':']);
        if ["Card series", "Card Series", "Card model", "Card Model"].iter().any(|key| what.starts_with(key)) {
            match gpu(what) {
                Some(gpu) => {
                    known.push((gpu, i + 1));
                    named.push(id);
                }
                None => unknown.push((id, what, i + 1)),
            }
        } else if let Some((_, bytes)) = what.split_once("VRAM Total Used Memory (B)") {
            used = used.into_iter().chain(number_at(bytes)).reduce(f64::max);
        }
    }
    // The table of a bare `rocm-smi` has a row for each device, and a share of the memory without its size.
    if gpus.is_empty() {
        let is_row = |line: &str| {
            let mut words = line.split_whitespace();
            words.next().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit())) && line.contains('%')
        };
        let lines: Vec<&str> = text.lines().collect();
        let rows: Vec<usize> = (0..lines.len()).filter(|i| lines.get(*i).is_some_and(|line| is_row(line))).collect();
        // Since ROCm 6.4 the name stands below each row.
        let below = |i: &usize| Some((gpu(lines.get(i + 1)?.trim())?, i + 2));
        known = rows.iter().filter_map(below).collect();
        let parts = ["DPX", "TPX", "QPX", "CPX"];
        let is_split = |i: &usize| lines.get(*i).is_some_and(|line| parts.iter().any(|part| line.contains(part)));
        let n = rows.len() as u64;
        if let Some(row) = rows.iter().find(|i| is_split(i)) {
            card.unread(lines.get(*row).unwrap_or(&""), "a row is a part of a GPU, so they aren't counted", row + 1);
        } else if let Some(last) = rows.last()
            && !lines.iter().skip(*last).any(|line| line.contains(ROCM_END))
        {
            let row = lines.get(*last).unwrap_or(&"");
            card.unread(row, "the table has no end below this row, so there may be more GPUs", last + 1);
        } else if n > 0 {
            card.run.cluster.node = Some(n);
            card.found("GPUs per node", grouped(n), 0);
        }
        if n > 0 && known.is_empty() {
            card.unread("Device names", "this table has none: run rocm-smi --showproductname --showmeminfo vram", 0);
        }
    } else if text.contains(ROCM_END) && (0..).zip(&gpus).all(|(n, id)| id.parse() == Ok(n)) {
        card.run.cluster.node = Some(gpus.len() as u64);
        card.found("GPUs per node", grouped(gpus.len() as u64), 0);
    } else {
        card.unread(&format!("A list of {}", counted(gpus.len() as u64, "GPU", "GPUs")), CUT, 0);
    }
    all_alike(&mut card, &known);
    // Some versions give a model's number beside the name of its series.
    if let Some((_, text, line)) = unknown.into_iter().find(|(id, ..)| !named.contains(id)) {
        card.unread(text, NOT_THERE, line);
    }
    if let Some(bytes) = used {
        card.run.measure(Metric::MemoryUsed, bytes, format!("{name}, the fullest GPU"));
        card.found(Metric::MemoryUsed.label(), Metric::MemoryUsed.text(bytes), 0);
    }
    card.done()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `nvidia-smi -L` prints of a node, whose GPUs have these UUIDs.
    fn list(uuids: std::ops::Range<u32>) -> String {
        uuids.clone().map(|n| format!("GPU {}: NVIDIA H100 80GB HBM3 (UUID: GPU-{n:08x})\n", n - uuids.start)).collect()
    }

    #[test]
    fn a_gpu_counts_once() {
        let of = |text: &str| {
            let card = nvidia_smi("smi", text);
            let c = &card.run.cluster;
            assert_eq!(c.gpu.as_deref(), Some("h100-80"), "{card:?}");
            (c.node, c.gpus, card.run.nodes(), card.unread_count)
        };
        let eight = list(0..8);
        assert_eq!(of(&eight), (Some(8), None, (Some(8), None), 0));
        assert_eq!(of(&eight.repeat(8)), of(&eight), "eight ranks of a node");
        assert_eq!(of(&(eight.clone() + &list(8..16))), (Some(8), Some(16), (Some(8), Some(2)), 0), "two nodes");
        let (node, .., unread) = of(&(eight.clone() + &list(8..12)));
        assert_eq!((node, unread), (Some(8), 1), "the shorter list is said to be shorter");
        // Each rank sees its own GPU alone.
        let own: String = (0..4).map(|n| list(n..n + 1)).collect();
        assert_eq!(of(&own).2, (Some(4), Some(1)));
        // Samples over time, by index or by UUID.
        let csv =
            "index, name, memory.used [MiB]\n0, NVIDIA H100 80GB HBM3, 100 MiB\n1, NVIDIA H100 80GB HBM3, 100 MiB\n";
        assert_eq!(of(&csv.repeat(3)).0, Some(2));
        let csv = "name, uuid, memory.used [MiB]\nNVIDIA H100 80GB HBM3, GPU-1, 100 MiB\nNVIDIA H100 80GB HBM3, GPU-2, 100 MiB\n";
        assert_eq!(of(&csv.repeat(3)).0, Some(2));
    }

    /// What lacks its beginning or its end says of no node how many GPUs it has, wherever it was cut.
    #[test]
    fn a_list_that_was_cut_counts_nothing() {
        let n = 4_u32;
        let border = "+-----------------------------------------+------------------------+----------------------+\n";
        let table = format!(
            "| NVIDIA-SMI 570.86.15              Driver Version: 570.86.15      CUDA Version: 12.8     |\n{}\n| Processes:                                                                              |\n",
            (0..n)
                .map(|i| format!(
                    "|   {i}  NVIDIA H200                    On  |   00000000:19:00.0 Off |                    0 |\n| N/A   45C    P0            412W /  700W |  120111MiB / 143771MiB |     98%      Default |\n{border}"
                ))
                .collect::<String>()
        );
        let query = format!(
            "==============NVSMI LOG==============\nDriver Version                            : 550.54.15\nAttached GPUs                             : {n}\n{}",
            (0..n)
                .map(|i| format!(
                    "GPU 00000000:{i}9:00.0\n    Product Name                          : NVIDIA H200\n    GPU UUID                              : GPU-{i}\n    FB Memory Usage\n        Used                              : 912 MiB\n"
                ))
                .collect::<String>()
        );
        // `amd-smi` of ROCm 7.
        let amd = format!(
            "+------------------------------------------------------------------------------+\n| AMD-SMI 26.0.0 |\n{}| Processes:                                                                   |\n",
            (0..n)
                .map(|i| format!(
                    "| 0000:0{i}:00.0    AMD Instinct MI300X | 0 %      36 °C   0             142/750 W |\n|   {i}       0     4    SPX/NPS1     | 0 %        N/A             285/196592 MB |\n|-------------------------------------+----------------------------------------|\n"
                ))
                .collect::<String>()
        );
        let rocm = format!(
            "======= ROCm System Management Interface =======\n{}======= End of ROCm SMI Log ========\n",
            (0..n).map(|i| format!("GPU[{i}]\t\t: Card Series: \t\tAMD Instinct MI300X OAM\n")).collect::<String>()
        );
        let report = format!(
            "Is CUDA available: True\nGPU models and configuration: \n{}\nNvidia driver version: 550.54.15\n",
            (0..n).map(|i| format!("GPU {i}: NVIDIA H200\n")).collect::<String>()
        );
        type Read = fn(&str, &str) -> Card;
        let readers: [(&str, Read); 5] =
            [(&table, nvidia_smi), (&query, nvidia_smi), (&amd, amd_smi), (&rocm, rocm_smi), (&report, environment)];
        for (text, read) in readers {
            let lines: Vec<&str> = text.lines().collect();
            let whole = read("x", text);
            assert_eq!(whole.run.cluster.node, Some(u64::from(n)), "{text}");
            for at in 1..lines.len() {
                let [first, rest] = [lines.get(..at), lines.get(at..)].map(|part| part.unwrap_or_default().join("\n"));
                for part in [first, rest] {
                    let card = read("x", &part);
                    let node = card.run.cluster.node;
                    let has_gpu = card.run.cluster.gpu.is_some();
                    assert!(node.is_none_or(|node| node == u64::from(n)), "{part}\n{card:?}");
                    assert!(
                        node.is_some() || !has_gpu || card.unread.iter().any(|one| one.why == CUT),
                        "{part}\n{card:?}"
                    );
                }
            }
        }
        // The driver's own list has no end, but its last line has.
        let cut = list(0..4);
        let card = nvidia_smi("x", &cut[..cut.len() - 6]);
        assert_eq!((card.run.cluster.node, card.unread_count), (None, 1), "{card:?}");
        // One GPU of several, and one that fell off the bus.
        for kept in [vec![3], vec![0, 1, 3]] {
            let rows: Vec<&str> = cut.lines().collect();
            let text: String = kept.iter().filter_map(|i: &usize| Some(format!("{}\n", rows.get(*i)?))).collect();
            assert_eq!(nvidia_smi("x", &text).run.cluster.node, None, "{text}");
        }
    }

    #[test]
    fn names_alone_are_read() {
        let of = |text: &str| {
            let card = crate::run::read("Pasted text", text);
            let likely = card.run.likely().map(|(gpu, _)| gpu.id.to_owned());
            (card.kind, card.run.cluster.gpu.clone().or(likely).unwrap_or_default(), card.run.cluster.node)
        };
        for (text, gpu) in [
            ("NVIDIA A100-SXM4-80GB", "a100-80"),
            ("NVIDIA H100 80GB HBM3", "h100-80"),
            ("A100-PCIE-40GB", "a100-pcie-40"),
            ("Tesla T4", "t4"),
            ("NVIDIA GeForce RTX 4090", "rtx-4090"),
            ("AMD Instinct MI300X", "mi300x"),
            ("H20", "h20-96"),
            ("name\nNVIDIA H200\n", "h200-141"),
        ] {
            assert_eq!(of(text), (Kind::NvidiaSmi, gpu.to_owned(), None), "{text}");
            let two = format!("{text}\n{}\n", text.lines().last().unwrap_or_default());
            assert_eq!(of(&two).2, Some(2), "{two}");
        }
        for text in ["8x NVIDIA H100 80GB HBM3", "8 x H100", "8xH100", "8 NVIDIA H100 80GB HBM3"] {
            assert_eq!(of(text), (Kind::NvidiaSmi, "h100-80".to_owned(), Some(8)), "{text}");
        }
        assert_eq!(of("NVIDIA H200 NVL").1, "");
        for text in ["my run on H100 is slow", "H100 is slow: why?", "8", "x"] {
            assert_ne!(of(text).0, Kind::NvidiaSmi, "{text}");
        }
    }

    /// Of each text: the GPU that is known, the one that is assumed, and its line.
    #[test]
    fn what_a_script_asks_for_or_a_log_prints_says_which_gpu_it_is() {
        let job = |line: &str| {
            format!("#!/bin/bash\n#SBATCH --nodes=2\n{line}\n\nsrun torchrun --nproc_per_node 8 train.py\n")
        };
        let pod = |label: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: train\nspec:\n  nodeSelector:\n    {label}\n  containers:\n  - name: t\n    image: x\n    command: [\"torchrun\", \"--nproc_per_node=8\", \"train.py\"]\n    resources:\n      limits:\n        nvidia.com/gpu: 8\n"
            )
        };
        let log = |line: &str| {
            format!(
                "{line}\niter 10: loss 3.2, time 250.00ms, mfu 30.00%\niter 20: loss 3.1, time 252.00ms, mfu 30.20%\n"
            )
        };
        for (text, known, assumed, line) in [
            (job("#SBATCH --gres=gpu:h100:8"), None, Some("h100-80"), 3),
            (job("#SBATCH --gpus-per-node=h100:8"), None, Some("h100-80"), 3),
            (job("#SBATCH --gpus=a100:16"), None, Some("a100-80"), 3),
            (job("#SBATCH -G l40s:4"), Some("l40s-48"), None, 3),
            (job("#SBATCH --constraint=h100"), None, Some("h100-80"), 3),
            (job("#SBATCH -C \"h100&ib\""), None, Some("h100-80"), 3),
            (job("#SBATCH --gres=gpu:nvidia_h100_80gb_hbm3:8"), Some("h100-80"), None, 3),
            (job("#SBATCH --gres=gpu:t4:1"), Some("t4"), None, 3),
            // The longer name leaves less open.
            (job("#SBATCH --gres=gpu:a100:4\n#SBATCH --constraint=a100-sxm4-80gb"), Some("a100-80"), None, 4),
            // A slice, several kinds, and no kind.
            (job("#SBATCH --gres=gpu:nvidia_h100_80gb_hbm3_1g.10gb:1"), None, None, 0),
            (job("#SBATCH --constraint=\"h100|a100\""), None, None, 0),
            (job("#SBATCH --gres=gpu:8"), None, None, 0),
            (
                job("#SBATCH --gres=gpu:h100:8").replace("srun torchrun", "srun --nodes=2 torchrun"),
                None,
                Some("h100-80"),
                3,
            ),
            (pod("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3"), Some("h100-80"), None, 7),
            (pod("cloud.google.com/gke-accelerator: nvidia-h100-80gb"), None, Some("h100-80"), 7),
            (
                log("You are using a CUDA device ('NVIDIA H100 80GB HBM3') that has Tensor Cores."),
                Some("h100-80"),
                None,
                1,
            ),
            (log("GPU: NVIDIA A100-SXM4-40GB | 8 devices"), Some("a100-40"), None, 1),
            (log("CUDA capacity: NVIDIA H100 with 95.00GiB memory"), None, Some("h100-80"), 1),
            (log("- CUDA device(s): NVIDIA H100 80GB HBM3, NVIDIA H100 80GB HBM3"), Some("h100-80"), None, 1),
            (log("NVIDIA H200 NVL and NVIDIA drivers"), None, None, 0),
            (log("NVIDIA H100 NVL and NVIDIA drivers"), Some("h100-nvl-94"), None, 1),
            (log("see the NVIDIA documentation"), None, None, 0),
        ] {
            let card = crate::run::read("x", &text);
            assert_eq!(card.run.cluster.gpu.as_deref(), known, "{text}\n{card:?}");
            assert_eq!(card.run.likely().map(|(gpu, _)| gpu.id), assumed, "{text}\n{card:?}");
            let at = card.found.iter().find(|found| found.what == "GPU").map_or(0, |found| found.line);
            assert_eq!(at, line, "{text}\n{card:?}");
        }
        // It is named among what is assumed, and what nvidia-smi prints replaces it, in any order.
        let script = crate::run::read("job.sh", &job("#SBATCH --gres=gpu:h100:8"));
        let rest = crate::run::file(
            "run.toml",
            "[model]\nname = \"llama-3-8b\"\n[layout]\nframework = \"fsdp\"\nzero = 3\nseq = 8192\nrecompute = \"none\"\nflash = true\nmbs = 1\nbatch = 16\n[measured]\nstep-time = { value = 9.0 }\n",
        );
        let (run, _) = crate::run::gather([&script, &rest]);
        assert_eq!(crate::run::Run::parse(&run.write()).as_ref(), Ok(&run));
        let report = crate::run::compare(&run);
        assert!(
            report.missing.is_empty()
                && report.assumed.iter().any(|a| a.key == "cluster.gpu"
                    && a.sentence.contains("“h100” may also mean the H100 PCIe 80 GB or the H100 NVL 94 GB")),
            "{report:?}"
        );
        assert!(report.verdict.contains("No verdict yet: GPU is assumed."), "{}", report.verdict);
        assert!(report.next.iter().any(|next| next.command == "nvidia-smi -L"), "{:?}", report.next);
        let smi = nvidia_smi("smi", &list(0..8));
        for cards in [[&script, &smi, &rest], [&smi, &rest, &script]] {
            let report = crate::run::compare(&crate::run::gather(cards).0);
            assert!(report.assumed.is_empty() && report.verdict.contains("A step takes"), "{}", report.verdict);
        }
    }

    #[test]
    fn a_gpu_that_is_not_in_the_table_is_marked() {
        let card = nvidia_smi("smi", "GPU 0: NVIDIA GH200 480GB (UUID: GPU-x)");
        assert_eq!((card.run.cluster.gpu.clone(), card.unread_count), (None, 1), "{card:?}");
        let rocm = rocm_smi("rocm", "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300A\n=== End of ROCm SMI Log ===");
        assert_eq!((rocm.run.cluster.gpu.clone(), rocm.unread_count), (None, 1), "{rocm:?}");
    }
}
