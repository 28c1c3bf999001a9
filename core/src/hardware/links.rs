//! Links between accelerators: the latency of a message, the bandwidth, and who says so.
//!
//! Bandwidths are peaks in one direction, from the standards and data sheets; what a real transfer reaches is 75 to 90% of
//! them. Latencies are what NCCL's tuner charges for each hop of a ring that moves data with its Simple protocol
//! (`hwLat` in `src/graph/tuning.cc`): 3.4 µs over NVLink, 5.7 µs over PCIe
//! and between sockets, 14 µs over a network of whatever kind.

use super::{Accelerator, Source};
use crate::declare::{List, Origin, Takes, chosen_by_id};
use crate::query::Query;

/// Where the facts of a link come from.
pub const ORIGIN: Origin =
    Origin::Of("The standards and data sheets of each link; NVIDIA/nccl, src/graph/tuning.cc (hwLat), for latencies");

/// What shares a bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wiring {
    /// Everything that a device sends shares one port, and so does everything it receives: NVSwitch, PCIe, a network card.
    Port,
    /// There is a wire to each peer, with a bandwidth of its own: a mesh of direct links.
    Mesh,
}

/// A kind of link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The name in a query string: `nvlink4`.
    pub id: &'static str,
    /// What a person reads: "NVLink 4 (H100)".
    pub name: &'static str,
    /// α: seconds from the start of a message to its first byte.
    pub latency: f64,
    /// 1/β: bytes a second in one direction, of a port or of a wire as `wiring` says.
    pub bandwidth: f64,
    /// What shares the bandwidth.
    pub wiring: Wiring,
    /// The document for the bandwidth.
    pub source: Source,
}

impl Link {
    /// Bytes that are under way while the first travels: bandwidth times latency. Less than that does not keep the link busy.
    pub fn under_way(&self) -> f64 {
        self.bandwidth * self.latency
    }
}

/// The source of every [`Link::latency`]. It has no figure for links of AMD, Google and AWS: NVLink's, or a network's, stands for them.
pub const LATENCY_SOURCE: Source = Source {
    title: "NCCL, src/graph/tuning.cc at 5067397: hwLat, ring, Simple protocol",
    url: "https://github.com/NVIDIA/nccl/blob/5067397c2676d5aed50042fc39e5c8ee96eb0027/src/graph/tuning.cc",
};

const NVLINK: Source = Source {
    title: "NVIDIA NVLink and NVLink Switch, specifications",
    url: "https://www.nvidia.com/en-us/data-center/nvlink/",
};
const PCIE: Source = Source {
    title: "PCI-SIG, PCI Express specifications: 16 lanes, less 128b/130b encoding",
    url: "https://pcisig.com/specifications",
};
const INFINIBAND: Source = Source {
    title: "InfiniBand Trade Association, roadmap: 4x port",
    url: "https://www.infinibandta.org/infiniband-roadmap/",
};
const ETHERNET: Source =
    Source { title: "IEEE 802.3, Ethernet: line rate", url: "https://standards.ieee.org/ieee/802.3/10422/" };
const XGMI: Source = Source {
    title: "AMD Instinct MI300X, data sheet: seven links of 128 GB/s, both directions together",
    url: "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html",
};
const XGMI_MI350: Source = Source {
    title: "AMD Instinct MI355X, data sheet: seven links of 153.6 GB/s, both directions together",
    url: "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html",
};

const fn row(
    (id, name): (&'static str, &'static str),
    latency_us: f64,
    bandwidth_gb_s: f64,
    wiring: Wiring,
    source: Source,
) -> Link {
    Link { id, name, latency: latency_us / 1e6, bandwidth: bandwidth_gb_s * 1e9, wiring, source }
}

const H800: Source = Source {
    title: "DeepSeek-AI, Insights into DeepSeek-V3, §4.1: an H800's NVLink has 400 GB/s, both directions together",
    url: "https://arxiv.org/abs/2505.09343",
};
const A800: Source = Source {
    title: "LLM-Prof, hardware_spec.md: an A800's NVLink has 400 GB/s, both directions together",
    url: "https://github.com/citsjtu2020/LLM-Prof/blob/main/hardware_spec.md",
};
const TPU_V4: Source = Source {
    title: "Google Cloud TPU v4: 2,400 Gbit/s per chip, six links of a 3D torus",
    url: "https://cloud.google.com/tpu/docs/v4",
};
const TPU_V5E: Source = Source {
    title: "Google Cloud TPU v5e: 400 GB/s per chip, both directions together, four links of a 2D torus",
    url: "https://cloud.google.com/tpu/docs/v5e",
};
const TPU_V5P: Source = Source {
    title: "Google Cloud TPU v5p: 1,200 GB/s per chip, both directions together, six links of a 3D torus",
    url: "https://cloud.google.com/tpu/docs/v5p",
};
const TPU_V6E: Source = Source {
    title: "Google Cloud TPU v6e: 800 GB/s per chip, both directions together, four links of a 2D torus",
    url: "https://cloud.google.com/tpu/docs/v6e",
};
const TPU_7X: Source = Source {
    title: "Google Cloud TPU7x (Ironwood): 1,200 GB/s per chip, both directions together, six links of a 3D torus",
    url: "https://cloud.google.com/tpu/docs/tpu7x",
};
const NEURON_V3: Source = Source {
    title: "AWS Neuron, Trainium2 architecture: NeuronLink-v3, 1.28 TB/s per chip, taken as both directions together",
    url: "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/neuron-hardware/trainium2.html",
};
const NEURON_V4: Source = Source {
    title: "AWS Neuron, Trainium3 architecture: NeuronLink-v4, 2.56 TB/s per chip, taken as both directions together",
    url: "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/neuron-hardware/trainium3.html",
};
const EFA: Source = Source {
    title: "AWS, EC2 Trn2 instances: 3.2 Tbit/s of EFAv3 for 16 chips",
    url: "https://aws.amazon.com/ec2/instance-types/trn2/",
};
const SOCKETS: Source = Source {
    title: "NCCL, src/graph/topo.h at 069a3d4: what its topology search takes to go between two sockets",
    url: "https://github.com/NVIDIA/nccl/blob/069a3d4f95ca488dc63ba7ae659a2db77942a62e/src/graph/topo.h",
};

/// Links within a node.
pub const INSIDE: &[Link] = &[
    row(("nvlink3", "NVLink 3 (A100)"), 3.4, 300.0, Wiring::Port, NVLINK),
    row(("nvlink4", "NVLink 4 (H100)"), 3.4, 450.0, Wiring::Port, NVLINK),
    row(("nvlink5", "NVLink 5 (B200)"), 3.4, 900.0, Wiring::Port, NVLINK),
    row(("nvlink3-a800", "NVLink 3 (A800)"), 3.4, 200.0, Wiring::Port, A800),
    row(("nvlink4-h800", "NVLink 4 (H800)"), 3.4, 200.0, Wiring::Port, H800),
    row(("xgmi", "Infinity Fabric mesh (MI300X)"), 3.4, 64.0, Wiring::Mesh, XGMI),
    row(("xgmi-mi350", "Infinity Fabric mesh (MI350X)"), 3.4, 76.8, Wiring::Mesh, XGMI_MI350),
    // A chip's links to its neighbors in the torus: rings over all of its axes use them together.
    row(("ici-v4", "ICI (TPU v4)"), 3.4, 300.0, Wiring::Port, TPU_V4),
    row(("ici-v5e", "ICI (TPU v5e)"), 3.4, 200.0, Wiring::Port, TPU_V5E),
    row(("ici-v5p", "ICI (TPU v5p)"), 3.4, 600.0, Wiring::Port, TPU_V5P),
    row(("ici-v6e", "ICI (TPU v6e)"), 3.4, 400.0, Wiring::Port, TPU_V6E),
    row(("ici-7x", "ICI (TPU v7)"), 3.4, 600.0, Wiring::Port, TPU_7X),
    row(("neuronlink3", "NeuronLink-v3 (Trainium 2)"), 3.4, 640.0, Wiring::Port, NEURON_V3),
    row(("neuronlink4", "NeuronLink-v4 (Trainium 3)"), 3.4, 1280.0, Wiring::Port, NEURON_V4),
    row(("pcie3", "PCIe 3 ×16"), 5.7, 15.75, Wiring::Port, PCIE),
    row(("pcie4", "PCIe 4 ×16"), 5.7, 31.5, Wiring::Port, PCIE),
    row(("pcie5", "PCIe 5 ×16"), 5.7, 63.0, Wiring::Port, PCIE),
];

/// Links between nodes: one port of them for each device.
pub const BETWEEN: &[Link] = &[
    row(("hdr", "InfiniBand HDR 200 Gb/s"), 14.0, 25.0, Wiring::Port, INFINIBAND),
    row(("ndr", "InfiniBand NDR 400 Gb/s"), 14.0, 50.0, Wiring::Port, INFINIBAND),
    row(("xdr", "InfiniBand XDR 800 Gb/s"), 14.0, 100.0, Wiring::Port, INFINIBAND),
    row(("roce-400", "RoCE 400 Gb/s"), 14.0, 50.0, Wiring::Port, ETHERNET),
    row(("efa-200", "EFA 200 Gb/s"), 14.0, 25.0, Wiring::Port, EFA),
    row(("eth-100", "Ethernet 100 Gb/s"), 14.0, 12.5, Wiring::Port, ETHERNET),
    row(("eth-10", "Ethernet 10 Gb/s"), 14.0, 1.25, Wiring::Port, ETHERNET),
];

/// Links between the sockets of a node, of which each has one: what GPUs on different sockets share.
pub const BRIDGES: &[Link] = &[
    row(("upi-skylake", "UPI, Xeon Skylake"), 5.7, 10.0, Wiring::Port, SOCKETS),
    row(("upi-sapphire", "UPI, Xeon Sapphire Rapids"), 5.7, 22.0, Wiring::Port, SOCKETS),
    row(("if-epyc", "Infinity Fabric, EPYC of Zen 1 and 2"), 5.7, 16.0, Wiring::Port, SOCKETS),
];

const fn ids<const N: usize>(links: &[Link]) -> [&'static str; N] {
    each(links, false)
}

const fn each<const N: usize>(links: &[Link], name: bool) -> [&'static str; N] {
    let mut all = [""; N];
    let mut i = 0;
    while i < N && i < links.len() {
        all[i] = if name { links[i].name } else { links[i].id };
        i += 1;
    }
    all
}

const INSIDE_NAMES: [&str; INSIDE.len()] = each(INSIDE, true);
const BETWEEN_NAMES: [&str; BETWEEN.len()] = each(BETWEEN, true);
const BRIDGE_NAMES: [&str; BRIDGES.len()] = each(BRIDGES, true);

/// The choices of a `link` parameter.
pub const INSIDE_LIST: List = List { ids: &INSIDE_IDS, labels: &INSIDE_NAMES };

/// The choices of a `net` parameter.
pub const BETWEEN_LIST: List = List { ids: &BETWEEN_IDS, labels: &BETWEEN_NAMES };

/// The choices of a `bridge` parameter.
pub const BRIDGE_LIST: List = List { ids: &BRIDGE_IDS, labels: &BRIDGE_NAMES };

/// Every id of [`INSIDE`], in its order: the choices of a `link` parameter.
pub const INSIDE_IDS: [&str; INSIDE.len()] = ids(INSIDE);

/// Every id of [`BETWEEN`], in its order: the choices of a `net` parameter.
pub const BETWEEN_IDS: [&str; BETWEEN.len()] = ids(BETWEEN);

/// Every id of [`BRIDGES`], in its order: the choices of a `bridge` parameter.
pub const BRIDGE_IDS: [&str; BRIDGES.len()] = ids(BRIDGES);

/// The links that an accelerator comes with: to the others of its node, and between nodes. None where one is not in the tables, as
/// for the network between a TPU's pods, or where the card is sold without a node.
pub fn of(gpu: &Accelerator) -> (Option<&'static Link>, Option<&'static Link>) {
    (find(gpu.ports.inside), find(gpu.ports.between))
}

/// What joins the GPU to its host; PCIe 4 where the table doesn't say.
pub fn host(gpu: &Accelerator) -> Option<&'static Link> {
    find(gpu.ports.host).or_else(|| find("pcie4"))
}

/// The links of a machine with this GPU: those that a query names as `link` and `net`, and in place of one that it does not name
/// what the GPU comes with.
pub fn with_gpu(gpu: &Accelerator, query: &Query, [inside, between]: [&'static Link; 2]) -> [&'static Link; 2] {
    let own = of(gpu);
    let unless = |name, own: Option<&'static Link>, read| own.filter(|_| query.get(name).is_none()).unwrap_or(read);
    [unless("link", own.0, inside), unless("net", own.1, between)]
}

/// The links after a change of GPU: one that came with the old GPU gives way to what the new one brings, one that was chosen
/// stays.
pub fn follow([from, to]: [&Accelerator; 2], [inside, between]: [&'static Link; 2]) -> [&'static Link; 2] {
    let ((old_in, old_out), (new_in, new_out)) = (of(from), of(to));
    let next = |link: &'static Link, old: Option<&'static Link>, new: Option<&'static Link>| {
        if old.is_none_or(|old| old.id == link.id) { new.unwrap_or(link) } else { link }
    };
    [next(inside, old_in, new_in), next(between, old_out, new_out)]
}

chosen_by_id!(Link, &INSIDE[0], find, taken_as;);

/// What a choice of links among these stands for; a bridge between sockets is nobody's setup.
fn taken_as(ids: &[&str]) -> Option<Takes> {
    let has = |links: &[Link]| links.iter().any(|link| ids.contains(&link.id));
    if has(BETWEEN) { Some(Takes::Between) } else { has(INSIDE).then_some(Takes::Inside) }
}

/// Every link: within nodes, between sockets and between nodes.
pub fn all() -> impl Iterator<Item = &'static Link> {
    INSIDE.iter().chain(BRIDGES).chain(BETWEEN)
}

/// The link with this id.
pub fn find(id: &str) -> Option<&'static Link> {
    all().find(|l| l.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_every_number_is_there() {
        let all: Vec<&Link> = all().collect();
        for (i, l) in all.iter().enumerate() {
            assert!(all.iter().skip(i + 1).all(|m| m.id != l.id), "{} is there twice", l.id);
            assert!((1e-6..1e-4).contains(&l.latency) && (1e9..2e12).contains(&l.bandwidth), "{}", l.id);
            assert!(l.source.url.starts_with("https://") && !l.source.title.is_empty(), "{}", l.id);
            assert_eq!(find(l.id), Some(*l));
        }
        assert_eq!((INSIDE_IDS[0], BRIDGE_IDS[0], BETWEEN_IDS[0]), ("nvlink3", "upi-skylake", "hdr"));
    }

    #[test]
    fn a_gpu_brings_its_links_unless_they_were_chosen() {
        let gpu = |id| crate::hardware::find(id).unwrap_or(&crate::hardware::ALL[0]);
        let link = |id| find(id).unwrap_or(&INSIDE[0]);
        let ids = |links: [&Link; 2]| links.map(|l| l.id);
        let change = |from, to, a, b| ids(follow([gpu(from), gpu(to)], [link(a), link(b)]));
        assert_eq!(change("a100-80", "h100-80", "nvlink3", "hdr"), ["nvlink4", "ndr"]);
        assert_eq!(change("a100-80", "h100-80", "pcie4", "hdr"), ["pcie4", "ndr"]);
        assert_eq!(change("h100-80", "rtx-4090", "nvlink4", "eth-10"), ["pcie4", "eth-10"]);
        // What a TPU's pods are joined by isn't in the tables.
        assert_eq!(change("h100-80", "tpu-v4", "nvlink4", "ndr"), ["ici-v4", "ndr"]);
        assert_eq!(change("tpu-v4", "b200", "ici-v4", "ndr"), ["nvlink5", "ndr"]);
        assert_eq!(change("h100-80", "trainium2", "nvlink4", "ndr"), ["neuronlink3", "efa-200"]);
    }
}
