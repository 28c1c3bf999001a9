//! The bus bandwidth that nccl-tests measured, against what the links carry.
//!
//! Bus bandwidth is what each rank's links would carry in a ring (nccl-tests `doc/PERFORMANCE.md`). Between nodes a ring uses every port of a node
//! at the same time, so that it counts all of them: with 8 ports of 50 GB/s a node has 400 GB/s.

use super::file::Run;
use super::ledger::{Link, state};
use super::measure::Metric;
use super::plan::Assumed;
use crate::hardware::links::{self, Link as Wire};
use crate::network::Fabric;
use crate::planner::efficiency::LINK;
use crate::quantity::{Unit, grouped};
use crate::query::Query;

/// The most that collectives reach of the peak: what a ring does over NVLink is 0.82 (NVIDIA/nccl-tests issue 212), over InfiniBand a little more.
const MOST: f64 = 0.95;
/// The same where NVSwitches add the values (NVLink SHARP): 475 to 480 GB/s on 8 H100s or H200s whose links have 450 (NVIDIA/nccl-tests issues 212
/// and 272).
const MOST_IN_SWITCH: f64 = 1.1;
/// Links whose switches add.
const ADDING: [&str; 2] = ["nvlink4", "nvlink5"];
/// A link may explain a bandwidth that is at least so much of its peak, and not more.
const LEAST_OF_PORT: f64 = 0.8;

/// A measured bandwidth, and the links that it went over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bus {
    measured: f64,
    ranks: usize,
    /// GPUs of a node.
    node: usize,
    link: &'static Wire,
    net: &'static Wire,
    /// Whether the network was given, not taken from the GPU's reference node.
    is_net_given: bool,
}

/// What a link is: `nvlink`, `xgmi` or `pcie`.
fn kind(wire: &Wire) -> &str {
    wire.id.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default()
}

/// What was measured, where it is known between which GPUs. Nothing of PCIe within a node: what it carries differs by host. Nothing of links that follow
/// from a GPU that is only assumed.
pub(super) fn of(run: &Run) -> Option<Bus> {
    if run.likely().is_some() {
        return None;
    }
    let size = |n: f64| (n >= 1.0).then_some(n as usize);
    let bandwidth = run.measured.get(&Metric::BusBandwidth)?;
    let measured = bandwidth.value;
    let (setup, _) = run.setup();
    let (node, nodes) = run.nodes();
    let all = node.map(|node| node.saturating_mul(nodes.unwrap_or(1)) as f64);
    // Those of the same test.
    let of_test = |metric| run.measured.get(&metric).filter(|m| m.from.is_empty() || m.from == bandwidth.from);
    let ranks = of_test(Metric::BusRanks).map(|m| m.value).or(all)?;
    // A test of all GPUs has them as they are; of another, its own list says which.
    let own = of_test(Metric::BusNode).map(|m| m.value);
    let node = own.or_else(|| Some(node? as f64).filter(|_| all == Some(ranks)))?;
    let ranks = size(ranks).filter(|n| *n > 1)?;
    let node = size(node)?.min(ranks);
    let link = setup.inside().or_else(|| (node == 1).then(|| &links::INSIDE[0]))?;
    let net = setup.between().or_else(|| (node >= ranks).then(|| &links::BETWEEN[0]))?;
    let is_net_given = run.cluster.net.is_some();
    (node == 1 || kind(link) != "pcie").then_some(Bus { measured, ranks, node, link, net, is_net_given })
}

impl Bus {
    /// Whether it stays inside a node.
    pub(super) fn is_inside(&self) -> bool {
        self.ranks <= self.node
    }

    /// Whether it goes over a network that is assumed.
    pub(super) fn is_assumed(&self) -> bool {
        !self.is_inside() && !self.is_net_given
    }

    /// The network of a node.
    fn ports(&self) -> String {
        format!("{} × {}", grouped(self.node as u64), self.net.name)
    }

    /// What is assumed.
    pub(super) fn assumed(&self) -> Option<Assumed> {
        let sentence = format!(
            "Each node’s network: {}, one port for each GPU of the test, as in its vendor’s reference node.",
            self.ports()
        );
        self.is_assumed().then_some(Assumed { key: "cluster.net", sentence })
    }

    /// The peak of a ring, with another link where it is narrowest.
    fn peak(&self, with: Option<&Wire>) -> f64 {
        let [link, net] = match with {
            None => [self.link, self.net],
            Some(other) if self.is_inside() => [other, self.net],
            Some(other) => [self.link, other],
        };
        Fabric::nodes(self.node, link, net).ring_bandwidth(self.ranks)
    }

    /// What is predicted on large buffers: least, middle, most.
    pub(super) fn predicted(&self) -> [f64; 3] {
        let peak = self.peak(None);
        let most = if ADDING.contains(&self.link.id) { MOST_IN_SWITCH } else { MOST };
        [LINK * peak, (LINK + most) / 2.0 * peak, most * peak]
    }

    /// The figure with this machine.
    pub(super) fn link(&self) -> Option<Link> {
        let pairs = [
            ("ranks", self.ranks.to_string()),
            ("node", self.node.to_string()),
            ("nics", self.node.to_string()),
            ("link", self.link.id.to_owned()),
            ("net", self.net.id.to_owned()),
            ("bytes", "1e9".to_owned()),
        ];
        state("communication-cost", &Query::new(pairs))
    }

    /// The link with which a run is as fast as was measured, where that is not the one that it is predicted with.
    pub(super) fn slower(&self) -> Option<&'static Wire> {
        let (list, now) = if self.is_inside() { (links::INSIDE, self.link) } else { (links::BETWEEN, self.net) };
        let far = |wire: &Wire| (self.peak(Some(wire)) * LINK / self.measured).ln().abs();
        let is_there = |wire: &&Wire| [kind(now), "pcie"].contains(&kind(wire)) || !self.is_inside();
        let nearest = list.iter().filter(is_there).min_by(|a, b| far(a).total_cmp(&far(b)))?;
        (self.measured < self.predicted()[0] && nearest.bandwidth < 0.8 * now.bandwidth && far(nearest) < far(now))
            .then_some(nearest)
    }

    /// What it comes to: sentences.
    pub(super) fn sentence(&self) -> String {
        let rate = |bytes: f64| Unit::BytesPerSecond.format(bytes);
        let [low, _, high] = self.predicted();
        let numbers =
            format!("{} of bus bandwidth measured, {} to {} predicted", rate(self.measured), rate(low), rate(high));
        let over = format!("{} ranks", grouped(self.ranks as u64));
        let is_enough = self.measured >= low;
        let should = if is_enough { "what they should" } else { "less than they should" };
        let lead = match self.is_assumed() {
            true if is_enough => {
                format!("If each node has {}, the links carry {should} on {over}: {numbers}.", self.ports())
            }
            true => format!(
                "{} of bus bandwidth measured on {over}. If each node has {}, {} to {} are predicted.",
                rate(self.measured),
                self.ports(),
                rate(low),
                rate(high)
            ),
            false => format!("The links carry {should} on {over}: {numbers}."),
        };
        if is_enough {
            return lead;
        }
        let explains = |peak: f64| (LEAST_OF_PORT * peak..=peak).contains(&self.measured);
        if self.is_inside() {
            let mut slower = links::INSIDE.iter().filter(|wire| kind(wire) == "pcie");
            let like = slower.find(|wire| explains(self.peak(Some(wire))));
            let like = like.map(|wire| format!(" That may be what {} carries.", wire.name)).unwrap_or_default();
            let look = match kind(self.link) {
                "nvlink" => "nvidia-smi topo -m, nvidia-smi nvlink --status",
                _ => "rocm-smi --showtopo",
            };
            return format!(
                "{lead}{like} Look whether the GPUs are joined by {} at all ({look}), and whether NCCL_P2P_DISABLE is set.",
                self.link.name
            );
        }
        // Of a network that is assumed, the ports aren't known either.
        let counted = if self.is_net_given { vec![1, 2, self.node / 2] } else { vec![1] };
        let is_part = |ports: &usize| (1..self.node).contains(ports);
        let own = counted.into_iter().filter(is_part).find(|ports| explains(*ports as f64 * self.net.bandwidth));
        let one = || {
            let mut slower = links::BETWEEN.iter().filter(|wire| wire.bandwidth < self.net.bandwidth);
            slower.find(|wire| explains(wire.bandwidth)).map(|wire| (1, wire))
        };
        let like = own.map(|ports| (ports, self.net)).or_else(one).map(|(ports, wire)| {
            let (count, verb) = if ports == 1 {
                ("one port".to_owned(), "carries")
            } else {
                (format!("{} ports", grouped(ports as u64)), "carry")
            };
            format!(" That may be what {count} of {} per node {verb}.", wire.name)
        });
        format!(
            "{lead}{} NCCL_DEBUG=INFO lists the network cards that NCCL uses behind “NET/IB : Using”, or “NET/Socket” where it uses none. Check NCCL_IB_HCA, and that each GPU has a card nearby (nvidia-smi topo -m).",
            like.unwrap_or_default()
        )
    }
}
