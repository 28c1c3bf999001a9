//! What `nvidia-smi` and `rocm-smi` print, and which of the course's GPUs a name means.

use super::card::{Card, Kind};
use super::measure::Metric;
use super::output::number_at;
use crate::hardware::{self, Accelerator};
use crate::quantity::grouped;
use crate::units::MIB;

/// Words of a device's name, all of which must be in it, and the id it means, or nothing. The first that fits counts.
const NAMES: &[(&[&str], &str)] = &[
    // Other products with such names, which aren't in the table.
    (&["laptop"], ""),
    (&["gh200"], ""),
    (&["h100 nvl"], ""),
    (&["h200 nvl"], ""),
    (&["h800", "pci"], ""),
    (&["h20-3e"], ""),
    (&["a100", "pci"], ""),
    (&["a100", "64gb"], ""),
    (&["v100", "pci"], ""),
    (&["5090 d"], ""),
    (&["4090 d"], ""),
    (&["3090 ti"], ""),
    (&["gb300"], "gb300"),
    (&["h100", "pcie"], "h100-pcie-80"),
    (&["h100"], "h100-80"),
    (&["h800"], "h800"),
    (&["h200"], "h200-141"),
    (&["h20 "], "h20-96"),
    (&["gb200"], "gb200"),
    (&["b200"], "b200"),
    (&["b300"], "b300"),
    (&["a100", "40gb"], "a100-40"),
    (&["a100"], "a100-80"),
    (&["a800", "sxm"], "a800-80"),
    (&["v100", "32gb"], "v100-32"),
    (&["v100"], "v100-16"),
    (&["5090"], "rtx-5090"),
    (&["4090"], "rtx-4090"),
    (&["3090"], "rtx-3090"),
    (&["rtx a6000"], "a6000-48"),
    (&["l40s"], "l40s-48"),
    (&["tesla t4"], "t4"),
    (&["mi250x"], "mi250x"),
    (&["mi300x"], "mi300x"),
    (&["mi325x"], "mi325x"),
    (&["mi350x"], "mi350x"),
    (&["mi355x"], "mi355x"),
    (&["a10g"], "a10g-24"),
    (&["nvidia l4 "], "l4-24"),
];

/// The GPU that a driver's name means; none for one that isn't in the table.
pub(super) fn gpu(text: &str) -> Option<&'static Accelerator> {
    // A word at the end ends too.
    let text = format!(" {} ", text.to_lowercase());
    let (_, id) = NAMES.iter().find(|(words, _)| words.iter().all(|word| text.contains(word)))?;
    hardware::find(id)
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

/// What `nvidia-smi` prints: its table, `-L`, or CSV of `--query-gpu`.
pub(super) fn nvidia_smi(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::NvidiaSmi);
    let (mut gpus, mut used, mut clocks, mut unknown) = (0_u64, Vec::new(), Vec::new(), Vec::new());
    let mut columns: Vec<String> = Vec::new();
    let mut known = Vec::new();
    let mut seen_name = |line: &str, number: usize, gpus: &mut u64| {
        *gpus += 1;
        match gpu(line) {
            Some(gpu) => known.push((gpu, number)),
            None => unknown.push((line.trim().to_owned(), number)),
        }
    };
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
            columns = line.split(',').map(|column| column.trim().to_owned()).collect();
        } else if is_csv && !columns.is_empty() {
            for (column, value) in columns.iter().zip(line.split(',')) {
                match column.split(' ').next().unwrap_or_default() {
                    "name" => seen_name(value, number, &mut gpus),
                    "memory.used" => used.extend(number_at(value).map(|mib| (mib * MIB, number))),
                    "clocks.sm" | "clocks.current.sm" => clocks.extend(number_at(value).map(|mhz| (mhz * 1e6, number))),
                    _ => {}
                }
            }
        } else if line.starts_with("GPU ") && line.contains("(UUID:") {
            seen_name(line, number, &mut gpus);
        } else if line.starts_with('|') && line.contains("MiB /") {
            let before = line.split("MiB /").next().unwrap_or_default();
            let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            used.extend(number_at(digits).map(|mib| (mib * MIB, number)));
        } else if line.starts_with('|')
            && bare.starts_with(|c: char| c.is_ascii_digit())
            && ["On", "Off"].iter().any(|word| line.split_whitespace().any(|w| w == *word))
        {
            seen_name(bare, number, &mut gpus);
        }
    }
    all_alike(&mut card, &known);
    if gpus > 0 {
        card.run.cluster.node = Some(gpus);
        card.found("GPUs per node", grouped(gpus), 0);
    }
    if let Some((bytes, line)) = used.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a }) {
        card.run.measure(Metric::MemoryUsed, bytes, format!("{name}, line {line}, the fullest GPU"));
        card.found(Metric::MemoryUsed.label(), format!("{} on the fullest GPU", Metric::MemoryUsed.text(bytes)), line);
    }
    if let Some((clock, line)) = clocks.into_iter().reduce(|a, b| if b.0 < a.0 { b } else { a }) {
        card.run.measure(Metric::Clock, clock, format!("{name}, line {line}, the slowest GPU"));
        card.found(Metric::Clock.label(), format!("{} on the slowest GPU", Metric::Clock.text(clock)), line);
    }
    for (text, line) in unknown {
        card.unread(&text, "this GPU isn't in the course's table", line);
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
        let rows = text.lines().filter(|line| {
            let mut words = line.split_whitespace();
            words.next().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit())) && line.contains('%')
        });
        let n = rows.count() as u64;
        if n > 0 {
            card.run.cluster.node = Some(n);
            card.found("GPUs per node", grouped(n), 0);
            card.unread("Device names", "this table has none: run rocm-smi --showproductname --showmeminfo vram", 0);
        }
    } else {
        card.run.cluster.node = Some(gpus.len() as u64);
        card.found("GPUs per node", grouped(gpus.len() as u64), 0);
    }
    all_alike(&mut card, &known);
    // Some versions give a model's number beside the name of its series.
    if let Some((_, text, line)) = unknown.into_iter().find(|(id, ..)| !named.contains(id)) {
        card.unread(text, "this GPU isn't in the course's table", line);
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

    #[test]
    fn a_name_means_one_product() {
        let id = |name| gpu(name).map(|gpu| gpu.id);
        for (name, is) in [
            ("NVIDIA A10G", Some("a10g-24")),
            ("NVIDIA A800-SXM4-80GB", Some("a800-80")),
            ("NVIDIA A800 80GB PCIe", None),
            ("NVIDIA H20", Some("h20-96")),
            ("NVIDIA H200", Some("h200-141")),
            ("NVIDIA H200 NVL", None),
            ("NVIDIA L4", Some("l4-24")),
            ("NVIDIA L40S", Some("l40s-48")),
            ("NVIDIA L40", None),
            ("AMD Instinct MI350X", Some("mi350x")),
            ("NVIDIA GB300", Some("gb300")),
            ("NVIDIA B300 SXM6 AC", Some("b300")),
            ("NVIDIA GB200", Some("gb200")),
            ("NVIDIA H100 NVL", None),
            ("NVIDIA H100 PCIe", Some("h100-pcie-80")),
            ("NVIDIA H100 80GB HBM3", Some("h100-80")),
            ("NVIDIA A100-PCIE-40GB", None),
            ("NVIDIA A100 80GB PCIe", None),
            ("NVIDIA A100-SXM4-40GB", Some("a100-40")),
            ("NVIDIA GH200 480GB", None),
            ("Tesla V100-PCIE-16GB", None),
            ("Tesla V100-SXM2-16GB", Some("v100-16")),
            ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
            ("NVIDIA GeForce RTX 4090", Some("rtx-4090")),
        ] {
            assert_eq!(id(name), is, "{name}");
        }
        assert!(NAMES.iter().all(|(_, id)| id.is_empty() || hardware::find(id).is_some()));
        let card = nvidia_smi("smi", "GPU 0: NVIDIA GH200 480GB (UUID: GPU-x)");
        assert_eq!((card.run.cluster.gpu.clone(), card.unread_count), (None, 1), "{card:?}");
        let rocm = rocm_smi("rocm", "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300A");
        assert_eq!((rocm.run.cluster.gpu.clone(), rocm.unread_count), (None, 1), "{rocm:?}");
    }
}
