//! The bus bandwidth that nccl-tests measured, against what the links carry.
//!
//! Bus bandwidth is what each rank's links would carry in a ring (nccl-tests `doc/PERFORMANCE.md`). Between nodes a ring uses every port of a node
//! at the same time, so that it counts all of them: with 8 ports of 50 GB/s a node has 400 GB/s.

use super::file::Run;
use super::ledger::{Link, state};
use super::measure::Metric;
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
/// A link explains a bandwidth that is at least so much of its peak, and not more.
const LEAST_OF_PORT: f64 = 0.6;

/// A measured bandwidth, and the links that it went over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bus {
    measured: f64,
    ranks: usize,
    /// GPUs of a node.
    node: usize,
    link: &'static Wire,
    net: &'static Wire,
}

/// What was measured, where the machine is known.
pub(super) fn of(run: &Run) -> Option<Bus> {
    let size = |n: f64| (n >= 1.0).then_some(n as usize);
    let measured = run.measured(Metric::BusBandwidth)?;
    let (setup, _) = run.setup();
    let (node, nodes) = run.nodes();
    let all = node.map(|node| node.saturating_mul(nodes.unwrap_or(1)) as f64);
    let ranks = run.measured(Metric::BusRanks).or(all).and_then(size).filter(|n| *n > 1)?;
    let node = node.map_or(ranks, |node| usize::try_from(node).unwrap_or(ranks)).clamp(1, ranks);
    let link = setup.inside().or_else(|| (node == 1).then(|| &links::INSIDE[0]))?;
    let net = setup.between().or_else(|| (node >= ranks).then(|| &links::BETWEEN[0]))?;
    Some(Bus { measured, ranks, node, link, net })
}

impl Bus {
    /// Whether it stays inside a node.
    pub(super) fn is_inside(&self) -> bool {
        self.ranks <= self.node
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
        let nearest = list.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
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
        if self.measured >= low {
            return format!("The links carry what they should on {over}: {numbers}.");
        }
        let explains = |peak: f64| (LEAST_OF_PORT * peak..=peak).contains(&self.measured);
        let lead = format!("The links carry less than they should on {over}: {numbers}.");
        if self.is_inside() {
            let wire = links::INSIDE
                .iter()
                .find(|wire| self.peak(Some(wire)) < self.peak(None) && explains(self.peak(Some(wire))));
            let like = wire.map(|wire| format!(" That is what {} carries.", wire.name)).unwrap_or_default();
            return format!(
                "{lead}{like} Look whether the GPUs are joined by {} at all (nvidia-smi topo -m, nvidia-smi nvlink --status), and whether NCCL_P2P_DISABLE is set.",
                self.link.name
            );
        }
        let own = (1..self.node).find(|ports| explains(*ports as f64 * self.net.bandwidth));
        let one = || links::BETWEEN.iter().find(|wire| explains(wire.bandwidth)).map(|wire| (1, wire));
        let ports = own.map(|ports| (ports, self.net)).or_else(one);
        let like = ports.map(|(ports, wire)| {
            let count = if ports == 1 { "one port".to_owned() } else { format!("{ports} ports") };
            let verb = if ports == 1 { "carries" } else { "carry" };
            let own = if wire.id == self.net.id { String::new() } else { format!(" of {}", self.net.name) };
            format!(
                " That is what {count} of {} per node {verb}, and the prediction counts {}{own}, one for each GPU.",
                wire.name, self.node
            )
        });
        format!(
            "{lead}{} NCCL_DEBUG=INFO lists the network cards that NCCL uses behind “NET/IB : Using”, or “NET/Socket” where it uses none. Check NCCL_IB_HCA, and that each GPU has a card nearby (nvidia-smi topo -m).",
            like.unwrap_or_default()
        )
    }
}
