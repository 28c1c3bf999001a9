//! What `nvidia-smi` and `rocm-smi` print.

use std::collections::BTreeSet;

use super::card::{Card, Kind};
use super::measure::Metric;
use super::output::number_at;
use crate::hardware::{self, Accelerator, MAKERS, named as gpu};
use crate::quantity::{counted, grouped};
use crate::setup::MAX_NODE;
use crate::units::MIB;

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

/// Keeps the GPUs that a tool lists: of several lists the longest says what a node has.
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
    if lists.len() > 1 && are_told_apart {
        card.run.cluster.gpus = Some(total);
        card.found("GPUs", grouped(total), 0);
    }
    // Lists of one GPU each may be of ranks that see no other.
    if longest > 1 || lists.len() == 1 {
        card.run.cluster.node = Some(longest);
        card.found("GPUs per node", grouped(longest), 0);
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

/// Why a GPU's name isn't read.
const NOT_THERE: &str = "this GPU isn't in the course's table";

/// What `nvidia-smi` prints: its table, `-L`, or CSV of `--query-gpu`.
pub(super) fn nvidia_smi(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::NvidiaSmi);
    let (mut listed, mut used, mut clocks) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns: Vec<&str> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let number = i + 1;
        let bare = line.trim().trim_start_matches('|').trim();
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
                    "uuid" | "gpu_uuid" => uuid = Some(value),
                    "memory.used" => used.extend(number_at(value).map(|mib| (mib * MIB, number))),
                    "clocks.sm" | "clocks.current.sm" => clocks.extend(number_at(value).map(|mhz| (mhz * 1e6, number))),
                    _ => {}
                }
            }
            listed.extend(name.map(|name| Listed { index, uuid, name, memory: None, line: number }));
        } else if let Some((before, uuid)) = line.split_once("(UUID:")
            && let Some((index, name)) = before.split_once("GPU ").and_then(|(_, rest)| rest.split_once(':'))
        {
            let uuid = Some(uuid.trim_end().trim_end_matches(')').trim());
            listed.push(Listed {
                index: index.trim().parse().ok(),
                uuid,
                name: name.trim(),
                memory: None,
                line: number,
            });
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
            listed.push(Listed { index, uuid: None, name: bare, memory: None, line: number });
        }
    }
    all_listed(&mut card, listed);
    if let Some((bytes, line)) = used.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a }) {
        card.run.measure(Metric::MemoryUsed, bytes, format!("{name}, line {line}, the fullest GPU"));
        card.found(Metric::MemoryUsed.label(), format!("{} on the fullest GPU", Metric::MemoryUsed.text(bytes)), line);
    }
    if let Some((clock, line)) = clocks.into_iter().reduce(|a, b| if b.0 < a.0 { b } else { a }) {
        card.run.measure(Metric::Clock, clock, format!("{name}, line {line}, the slowest GPU"));
        card.found(Metric::Clock.label(), format!("{} on the slowest GPU", Metric::Clock.text(clock)), line);
    }
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
    let known: Vec<_> = named.iter().filter_map(|(_, name, line)| Some((gpu(name)?, *line))).collect();
    all_alike(&mut card, &known);
    for (_, name, line) in named.iter().filter(|(_, name, _)| gpu(name).is_none()) {
        card.unread(name, NOT_THERE, *line);
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
        } else if n > 0 {
            card.run.cluster.node = Some(n);
            card.found("GPUs per node", grouped(n), 0);
        }
        if n > 0 && known.is_empty() {
            card.unread("Device names", "this table has none: run rocm-smi --showproductname --showmeminfo vram", 0);
        }
    } else {
        card.run.cluster.node = Some(gpus.len() as u64);
        card.found("GPUs per node", grouped(gpus.len() as u64), 0);
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

    #[test]
    fn names_alone_are_read() {
        let of = |text: &str| {
            let card = crate::run::read("Pasted text", text);
            (card.kind, card.run.cluster.gpu.clone().unwrap_or_default(), card.run.cluster.node)
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
        assert_eq!(of("NVIDIA H100 NVL").1, "");
        for text in ["my run on H100 is slow", "H100 is slow: why?", "8", "x"] {
            assert_ne!(of(text).0, Kind::NvidiaSmi, "{text}");
        }
    }

    #[test]
    fn a_gpu_that_is_not_in_the_table_is_marked() {
        let card = nvidia_smi("smi", "GPU 0: NVIDIA GH200 480GB (UUID: GPU-x)");
        assert_eq!((card.run.cluster.gpu.clone(), card.unread_count), (None, 1), "{card:?}");
        let rocm = rocm_smi("rocm", "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300A");
        assert_eq!((rocm.run.cluster.gpu.clone(), rocm.unread_count), (None, 1), "{rocm:?}");
    }
}
