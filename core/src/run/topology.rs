//! The matrix of `nvidia-smi topo -m`: which devices a node has, and how each pair is joined.

use std::cmp::Ordering;

use super::card::{Card, Kind};
use crate::hardware::links::{self, Link};
use crate::quantity::{counted, grouped};

/// Most devices of a matrix.
const MOST: usize = 64;

/// A device of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// As it is written: `GPU0`, `NIC0`, `mlx5_0`.
    pub name: String,
    /// Whether it is a GPU; else a network card.
    pub is_gpu: bool,
    /// The NUMA node, if the matrix says it.
    pub numa: String,
}

/// How two devices are joined; the slower path is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hop {
    /// AMD's Infinity Fabric.
    Xgmi,
    /// So many NVLinks.
    NvLink(u64),
    /// One PCIe switch.
    Pix,
    /// Several PCIe switches.
    Pxb,
    /// Through a PCIe host bridge.
    Phb,
    /// Between host bridges of one NUMA node.
    Node,
    /// PCIe, of which no more is known.
    Pcie,
    /// Between NUMA nodes.
    Sys,
}

impl Ord for Hop {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Hop {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hop {
    const fn rank(self) -> (u8, u64) {
        match self {
            Self::Xgmi => (0, 0),
            // More links are faster.
            Self::NvLink(n) => (0, u64::MAX - n),
            Self::Pix => (1, 0),
            Self::Pxb => (2, 0),
            Self::Phb => (3, 0),
            Self::Node => (4, 0),
            Self::Pcie => (5, 0),
            Self::Sys => (6, 0),
        }
    }

    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "XGMI" => Self::Xgmi,
            "PIX" => Self::Pix,
            "PXB" => Self::Pxb,
            "PHB" => Self::Phb,
            "NODE" => Self::Node,
            "PCIE" => Self::Pcie,
            "SYS" | "SOC" => Self::Sys,
            _ => Self::NvLink(word.strip_prefix("NV")?.parse().ok().filter(|n| (1..=64).contains(n))?),
        })
    }

    /// As `nvidia-smi` writes it.
    pub fn label(self) -> String {
        match self {
            Self::Xgmi => "XGMI".to_owned(),
            Self::NvLink(n) => format!("NV{n}"),
            Self::Pix => "PIX".to_owned(),
            Self::Pxb => "PXB".to_owned(),
            Self::Phb => "PHB".to_owned(),
            Self::Node => "NODE".to_owned(),
            Self::Pcie => "PCIE".to_owned(),
            Self::Sys => "SYS".to_owned(),
        }
    }

    /// What it means, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Xgmi => "Infinity Fabric",
            Self::NvLink(_) => "NVLink",
            Self::Pix => "one PCIe switch",
            Self::Pxb => "several PCIe switches",
            Self::Phb => "PCIe host bridge",
            Self::Node => "between host bridges",
            Self::Pcie => "PCIe",
            Self::Sys => "between CPU sockets",
        }
    }

    /// Whether the path is known to cross a CPU.
    pub fn is_slow(self) -> bool {
        self >= Self::Phb && self != Self::Pcie
    }

    /// Whether it is a link between the GPUs themselves.
    pub const fn is_direct(self) -> bool {
        matches!(self, Self::NvLink(_) | Self::Xgmi)
    }
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Topology {
    /// Its GPUs and network cards, in the order of the matrix.
    pub devices: Vec<Device>,
    /// How each pair is joined, row by row; none on the diagonal and where a cell isn't known.
    pub hops: Vec<Vec<Option<Hop>>>,
    /// The lines that it was read from.
    pub text: String,
}

/// A CPU socket, or a NUMA node of one, with what hangs on it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Socket {
    /// The NUMA node; empty where the matrix doesn't say it.
    pub numa: String,
    /// Whether the matrix says where its devices hang. GPUs that it joins by NVLink alone may hang anywhere.
    pub is_known: bool,
    /// Places of its devices, by the PCIe switch that they share. A device alone hangs on the CPU itself.
    pub switches: Vec<Vec<usize>>,
}

impl Topology {
    /// Reads the matrix; none if the text has none.
    pub fn read(text: &str) -> Option<Self> {
        let (at, header) = text.lines().enumerate().find(|(_, line)| header(line).is_some())?;
        let columns = self::header(header)?;
        let mut devices = Vec::new();
        let mut rows: Vec<Vec<Option<Hop>>> = Vec::new();
        let mut kept = vec![header.trim_end().to_owned()];
        for line in text.lines().skip(at + 1) {
            let mut words = line.split_whitespace();
            let Some(name) = words.next() else { if devices.is_empty() { continue } else { break } };
            if !columns.contains(&name) || devices.len() >= MOST {
                break;
            }
            let words: Vec<&str> = words.collect();
            let cells = words.iter().take(columns.len());
            rows.push(cells.map(|word| Hop::read(word)).collect());
            // Behind the cells stand the CPU cores and the NUMA node.
            let numa = words.get(columns.len() + 1).filter(|word| word.bytes().all(|b| b.is_ascii_digit()));
            devices.push(Device {
                name: name.to_owned(),
                is_gpu: name.starts_with("GPU"),
                numa: numa.map(|word| (*word).to_owned()).unwrap_or_default(),
            });
            kept.push(line.trim_end().to_owned());
        }
        let whole = devices.len() >= 2 && rows.iter().all(|row| row.len() == columns.len());
        let names_match = devices.iter().zip(&columns).all(|(device, column)| device.name == **column);
        (whole && names_match).then(|| {
            // A GPU whose row was cut off has its column: how it is joined to those above stands there.
            let cut = columns.iter().enumerate().skip(devices.len()).filter(|(_, name)| name.starts_with("GPU"));
            for (i, name) in cut.map(|(i, name)| (i, (*name).to_owned())).collect::<Vec<_>>() {
                let above = rows.iter().map(|row| row.get(i).copied().flatten()).collect();
                rows.push(above);
                devices.push(Device { name, is_gpu: true, numa: String::new() });
            }
            let n = devices.len();
            rows.iter_mut().for_each(|row| row.resize(row.len().max(n), None));
            let hops = rows.into_iter().map(|row| row.into_iter().take(n).collect()).collect();
            Self { devices, hops, text: kept.join("\n") }
        })
    }

    /// How two devices are joined.
    pub fn hop(&self, a: usize, b: usize) -> Option<Hop> {
        self.hops.get(a)?.get(b).copied().flatten()
    }

    /// Places of the GPUs.
    pub fn gpus(&self) -> Vec<usize> {
        (0..self.devices.len()).filter(|i| self.devices.get(*i).is_some_and(|d| d.is_gpu)).collect()
    }

    fn pairs(&self) -> Vec<(usize, usize, Hop)> {
        let gpus = self.gpus();
        let after = |a: &usize| gpus.iter().copied().filter(move |b| b > a).collect::<Vec<_>>();
        let pairs = gpus.iter().flat_map(|a| after(a).into_iter().map(move |b| (*a, b)));
        pairs.filter_map(|(a, b)| Some((a, b, self.hop(a, b)?))).collect()
    }

    /// The slowest path between two GPUs: what a ring over all of them takes at best where there is no way around.
    pub fn slowest(&self) -> Option<Hop> {
        self.pairs().into_iter().map(|(_, _, hop)| hop).max()
    }

    /// Pairs of GPUs that a link of their own joins, and by how many.
    pub fn direct(&self) -> Vec<(usize, usize, Hop)> {
        self.pairs().into_iter().filter(|(_, _, hop)| hop.is_direct()).collect()
    }

    /// Pairs of GPUs whose cell says nothing that is known.
    fn unknown(&self) -> usize {
        let n = self.gpus().len();
        (n * n.saturating_sub(1) / 2).saturating_sub(self.pairs().len())
    }

    /// What joins every pair of GPUs, if that is a link of their own: `18 NVLinks`, `at least 1 NVLink`, `Infinity Fabric (XGMI)`.
    pub fn wires(&self) -> Option<String> {
        let pairs = self.pairs();
        let slowest = pairs.iter().map(|(_, _, hop)| *hop).max().filter(|_| self.unknown() == 0)?;
        let n = match slowest {
            Hop::NvLink(n) => n,
            Hop::Xgmi => return Some(format!("{} ({})", slowest.meaning(), slowest.label())),
            _ => return None,
        };
        let all_alike = pairs.iter().all(|(_, _, hop)| *hop == slowest);
        Some(format!("{}{}", if all_alike { "" } else { "at least " }, counted(n, "NVLink", "NVLinks")))
    }

    /// The node's devices, socket by socket and switch by switch: what PIX or PXB joins shares a switch, and what anything but SYS joins
    /// hangs on one CPU.
    pub fn sockets(&self) -> Vec<Socket> {
        let n = self.devices.len();
        let numa = |i: usize| self.devices.get(i).map(|d| d.numa.as_str()).filter(|numa| !numa.is_empty());
        let is_near = |a: usize, b: usize, most: Hop| {
            self.hop(a, b).is_some_and(|hop| !hop.is_direct() && hop != Hop::Pcie && hop <= most)
        };
        let says = |i: &usize| numa(*i).is_some() || (0..n).any(|other| is_near(*i, other, Hop::Sys));
        let (known, unknown): (Vec<usize>, Vec<usize>) = (0..n).partition(says);
        let share_cpu = |a, b| is_near(a, b, Hop::Node) || numa(a).is_some() && numa(a) == numa(b);
        let socket = |members: Vec<usize>| Socket {
            numa: members.iter().find_map(|i| numa(*i)).unwrap_or_default().to_owned(),
            is_known: true,
            switches: groups(&members, |a, b| is_near(a, b, Hop::Pxb)),
        };
        let mut sockets: Vec<Socket> = groups(&known, share_cpu).into_iter().map(socket).collect();
        if !unknown.is_empty() {
            let switches = unknown.into_iter().map(|i| vec![i]).collect();
            sockets.push(Socket { switches, ..Socket::default() });
        }
        sockets
    }

    /// The nearest network cards of a GPU, and how they are joined.
    pub fn nics(&self, gpu: usize) -> Option<(Vec<usize>, Hop)> {
        let of = |i: usize| self.devices.get(i).filter(|d| !d.is_gpu).and_then(|_| self.hop(gpu, i));
        let nearest = (0..self.devices.len()).filter_map(of).min()?;
        Some(((0..self.devices.len()).filter(|i| of(*i) == Some(nearest)).collect(), nearest))
    }

    /// The link inside the node that it says, for this many NVLinks per GPU; PCIe as fast as the GPU's where there are none between some pair.
    pub fn link(&self, gpu: Option<&'static crate::hardware::Accelerator>) -> Option<&'static Link> {
        match self.slowest().filter(|_| self.unknown() == 0)? {
            // A bridged pair of cards has few; a switch joins all of 12 (NVLink 3), 18 (NVLink 4 and 5).
            Hop::NvLink(n) if n >= 12 => gpu
                .and_then(|gpu| links::of(gpu).0)
                .or_else(|| links::find(if n >= 18 { "nvlink4" } else { "nvlink3" })),
            Hop::NvLink(_) => None,
            Hop::Xgmi => links::of(gpu?).0,
            _ => links::host(gpu?),
        }
    }

    /// What it shows, in a sentence or two.
    pub fn finding(&self) -> String {
        let gpus = self.gpus();
        let pairs = self.pairs();
        let Some((a, b, slowest)) =
            pairs.iter().copied().reduce(|slow, pair| if pair.2 > slow.2 { pair } else { slow })
        else {
            return "The matrix has no pair of GPUs.".to_owned();
        };
        let n = counted(gpus.len() as u64, "GPU", "GPUs");
        let name = |i: usize| self.devices.get(i).map_or("", |d| d.name.as_str());
        let inside = match self.wires() {
            Some(wires) => format!("Every pair of the {n} has {wires}."),
            None if slowest.is_direct() => {
                let pairs = counted(pairs.len() as u64, "GPU pair is", "GPU pairs are");
                format!(
                    "{pairs} joined by {}; how the others of the {n} are joined, the matrix doesn’t say.",
                    slowest.meaning()
                )
            }
            None => {
                let slow = pairs.iter().filter(|(_, _, hop)| *hop == slowest).count();
                let how = if slowest.is_slow() { "through a CPU" } else { "by PCIe alone" };
                let first =
                    if pairs.len() > 1 { format!(", such as {} and {},", name(a), name(b)) } else { String::new() };
                format!(
                    "{} of {}{first} {} joined {how} ({}), so collectives over all {n} run no faster than that.",
                    grouped(slow as u64),
                    counted(pairs.len() as u64, "GPU pair", "GPU pairs"),
                    if slow == 1 { "is" } else { "are" },
                    slowest.label()
                )
            }
        };
        let far: Vec<&str> = gpus
            .iter()
            .filter(|gpu| self.nics(**gpu).is_some_and(|(_, hop)| hop.is_slow()))
            .filter_map(|gpu| self.devices.get(*gpu).map(|d| d.name.as_str()))
            .collect();
        let nics = if far.is_empty() {
            String::new()
        } else {
            format!(" The nearest network card of {} is behind a CPU.", far.join(", "))
        };
        format!("{inside}{nics}")
    }
}

/// Members that are joined, directly or over others: in order, each group by its first.
fn groups(members: &[usize], is_joined: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for member in members {
        let (joined, mut apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|other| is_joined(*other, *member)));
        let mut group: Vec<usize> = joined.into_iter().flatten().chain([*member]).collect();
        group.sort_unstable();
        apart.push(group);
        groups = apart;
    }
    groups.sort();
    groups
}

/// The columns that are devices, if a line is the matrix's head.
fn header(line: &str) -> Option<Vec<&str>> {
    let columns: Vec<&str> =
        line.split_whitespace().take_while(|word| !matches!(*word, "CPU" | "NUMA")).take(MOST).collect();
    let is_device =
        |word: &&str| ["GPU", "NIC", "mlx", "hns", "bnxt", "roce", "irdma"].iter().any(|p| word.starts_with(p));
    (columns.len() >= 2 && columns.first() == Some(&"GPU0") && columns.iter().all(is_device)).then_some(columns)
}

/// What `rocm-smi --showtopo` and `amd-smi topology` print, if a text is that: a table each of links and hops, and the NUMA nodes.
pub(super) fn of_rocm(name: &str, text: &str) -> Option<Card> {
    let Some(title) = ["Link Type between two GPUs", "LINK TYPE TABLE"].into_iter().find(|title| text.contains(title))
    else {
        let others = ["Weight between two GPUs", "Hops between two GPUs", "Topology between two GPUs"];
        let other = others.into_iter().find(|title| text.contains(title))?;
        let why = format!(
            "The table “{other}” doesn’t say how GPUs are joined. “Link Type between two GPUs” does: paste all of what rocm-smi --showtopo prints."
        );
        return Some(Card::refused(name, Kind::RocmSmi, why));
    };
    let Some(matrix) = matrix_of_rocm(text, title) else {
        let why = "The table of links between GPUs isn’t whole. Paste all of what rocm-smi --showtopo or amd-smi topology prints.";
        return Some(Card::refused(name, Kind::RocmSmi, why));
    };
    let tool = super::hardware::rocm_smi(name, text);
    let mut topology = card(name, &matrix);
    topology.kind = Kind::RocmSmi;
    topology.run.take(&tool.run);
    topology.found.extend(tool.found.into_iter().filter(|found| found.what != "GPUs per node"));
    Some(topology)
}

/// The same as the matrix that `nvidia-smi topo -m` would print. By AMD's documentation a path over PCIe of two hops stays on one CPU, and one of three
/// crosses to the other.
fn matrix_of_rocm(text: &str, title: &str) -> Option<String> {
    let table = |title: &str| {
        let mut lines = text.lines().skip_while(|line| !line.contains(title)).skip(1);
        let columns = lines.next()?.split_whitespace().take(MOST).count();
        let rows = lines.map(|line| line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>());
        let rows: Vec<Vec<String>> = rows.take(columns).collect();
        (columns > 1 && rows.len() == columns && rows.iter().all(|row| row.len() == columns)).then_some(rows)
    };
    let links = table(title)?;
    let hops = ["Hops between two GPUs", "HOPS TABLE"].into_iter().find_map(table).unwrap_or_default();
    let numa = |gpu: usize| {
        let start = format!("GPU[{gpu}]");
        let line = text.lines().find(|line| line.starts_with(&start) && line.contains("Numa Node:"))?;
        line.rsplit_once(": ").map(|(_, node)| node.trim().to_owned())
    };
    let names: Vec<String> = (0..links.len()).map(|i| format!("GPU{i}")).collect();
    let mut matrix = format!("\t{}\tCPU Affinity\tNUMA Affinity", names.join("\t"));
    for (i, (name, row)) in names.iter().zip(&links).enumerate() {
        let cell = |(j, link): (usize, &String)| match (
            link.as_str(),
            hops.get(i).and_then(|row| row.get(j)).map(String::as_str),
        ) {
            _ if i == j => "X",
            ("XGMI", _) => "XGMI",
            ("PCIE", Some("2")) => "NODE",
            ("PCIE", Some("3")) => "SYS",
            ("PCIE", _) => "PCIE",
            _ => "?",
        };
        let cells: Vec<&str> = row.iter().enumerate().map(cell).collect();
        matrix += &format!("\n{name}\t{}\t-\t{}", cells.join("\t"), numa(i).unwrap_or_default());
    }
    Some(matrix)
}

/// The card of a matrix.
pub(super) fn card(name: &str, text: &str) -> Card {
    let Some(topology) = Topology::read(text) else {
        return Card::refused(
            name,
            Kind::Topology,
            "The matrix isn't whole. Paste all of what nvidia-smi topo -m prints, from the line that begins with GPU0.",
        );
    };
    let gpus = topology.gpus().len() as u64;
    let unknown = topology.unknown() as u64;
    if gpus > 1 && topology.slowest().is_none() {
        let why = "The matrix doesn’t say how the GPUs are joined: it may be that of peer access (topo -p2p). Paste what nvidia-smi topo -m prints.";
        return Card::refused(name, Kind::Topology, why);
    }
    let mut card = Card::new(name, Kind::Topology);
    if unknown > 0 {
        let cells = format!("The cells of {}", counted(unknown, "GPU pair", "GPU pairs"));
        card.unread(&cells, "they name no path that is known here, or their rows are missing", 0);
    }
    card.found("GPUs per node", grouped(gpus), 0);
    if let Some(hop) = topology.slowest() {
        // The slowest of all may be one that wasn't read.
        let what =
            if unknown == 0 { "Slowest path between GPUs" } else { "Slowest path of the GPU pairs that were read" };
        card.found(what, format!("{} ({})", hop.label(), hop.meaning()), 0);
    }
    let heads = text.lines().enumerate().filter(|(_, line)| header(line).is_some());
    for (i, _) in heads.skip(1) {
        card.unread("Another matrix", "only the first one is read", i + 1);
    }
    let nics = topology.devices.len() as u64 - gpus;
    if nics > 0 {
        card.found("Network cards", grouped(nics), 0);
    }
    card.run.cluster.node = Some(gpus);
    card.run.cluster.topology = Some(topology.text.clone());
    card.said = if unknown == 0 { topology.finding() } else { String::new() };
    card.topology = Some(topology);
    card.done()
}
