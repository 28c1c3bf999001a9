//! A machine as a query string names it: nodes, sockets, ports, and the network.

use super::Fabric;
use crate::declare::{Field as _, Param, Scale, Takes, choice, real, whole};
use crate::hardware::Accelerator;
use crate::hardware::links::{self, Link};
use crate::quantity::number;
use crate::query::{Query, plain};

/// What a machine is wired with.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wires {
    /// Ranks in a node.
    pub node: usize,
    /// The link between the ranks of a node.
    pub link: &'static Link,
    /// Sockets that they are on; 1 where they are connected whatever their socket, as NVLink does.
    pub sockets: usize,
    /// The link between sockets.
    pub bridge: &'static Link,
    /// Ports to the other nodes in a node.
    pub nics: usize,
    /// The link of each port.
    pub net: &'static Link,
    /// How many times more the nodes can send at once than the network carries.
    pub spine: f64,
}

/// Most ranks of a node: a rack of GB200.
pub const MAX_NODE: u64 = 72;

/// A model whose machine is wired.
pub trait Wired {
    /// Its wires.
    fn wires(&mut self) -> &mut Wires;
}

/// Where the controls of a machine's wires stand.
const MACHINE: &str = "The machine";

impl Wires {
    /// Their parameters, of a model that has them.
    pub const fn params<P: Wired>() -> [Param<P>; 7] {
        [
            whole("node", "GPUs in a node", [1, MAX_NODE], "8")
                .takes(Takes::Node)
                .label("GPUs per node")
                .doubling(6)
                .more(MACHINE)
                .at(|p: &mut P| p.wires().node.slot()),
            choice("link", "link between the GPUs of a node", links::INSIDE_LIST, "nvlink4")
                .label("Link within a node")
                .more(MACHINE)
                .at(|p: &mut P| p.wires().link.slot()),
            whole("sockets", "sockets between which the GPUs of a node have only the bridge", [1, 4], "1")
                .label("Sockets in the path")
                .steps(1.0)
                .more(MACHINE)
                .at(|p: &mut P| p.wires().sockets.slot()),
            choice("bridge", "link between sockets", links::BRIDGE_LIST, "upi-sapphire")
                .label("Link between sockets")
                .more(MACHINE)
                .at(|p: &mut P| p.wires().bridge.slot()),
            whole("nics", "network ports per node", [1, MAX_NODE], "8")
                .label("Network ports per node")
                .doubling(4)
                .more(MACHINE)
                .at(|p: &mut P| p.wires().nics.slot()),
            choice("net", "link between nodes, of one port", links::BETWEEN_LIST, "ndr")
                .label("Link between nodes, per port")
                .more(MACHINE)
                .at(|p: &mut P| p.wires().net.slot()),
            real("spine", "how many times more the nodes can send at once than the network carries", [1.0, 64.0], "1")
                .label("Network oversubscription")
                .format(|v| if v > 1.0 { format!("{} : 1", number(v)) } else { "no".to_owned() })
                .slider(Scale::Linear { min: 1.0, max: 16.0, step: 1.0 })
                .more(MACHINE)
                .at(|p: &mut P| p.wires().spine.slot()),
        ]
    }

    /// Takes the links that come with this GPU where a query names none.
    pub(crate) fn settle(&mut self, gpu: &Accelerator, query: &Query) {
        [self.link, self.net] = links::with_gpu(gpu, query, [self.link, self.net]);
    }

    /// Changes the links with the GPU: see [`links::follow`].
    pub(crate) fn follow(&mut self, gpus: [&Accelerator; 2]) {
        [self.link, self.net] = links::follow(gpus, [self.link, self.net]);
    }

    /// What they make.
    pub fn fabric(&self) -> Fabric {
        self.fabric_over(self.link, self.net)
    }

    /// The same over these links within and between nodes.
    pub fn fabric_over(&self, link: &Link, net: &Link) -> Fabric {
        let nodes = Fabric::nodes(self.node, link, net);
        let nodes = if self.sockets > 1 { nodes.with_sockets(self.sockets, self.bridge) } else { nodes };
        nodes.with_nics(self.nics).oversubscribed(self.spine)
    }

    fn ports(&self) -> String {
        if self.nics == 1 { "one port".to_owned() } else { format!("{} ports", self.nics) }
    }

    /// All of it in a few words.
    pub fn in_words(&self) -> String {
        let sockets = if self.sockets > 1 { format!(" on {} sockets", self.sockets) } else { String::new() };
        let spine =
            if self.spine > 1.0 { format!(", oversubscribed {} : 1", plain(self.spine)) } else { String::new() };
        let (node, link, net) = (self.node, self.link.name, self.net.name);
        format!("{node} GPUs a node over {link}{sockets}, {} of {net}{spine}", self.ports())
    }

    /// What bounds a ring of `ranks` over these links within and between nodes: a few words.
    pub fn narrowest(&self, ranks: usize, link: &Link, net: &Link) -> String {
        let fabric = self.fabric_over(link, net);
        let ring = fabric.ring_bandwidth(ranks);
        let [inside, bridge, _] = fabric.tiers;
        let ports = self.ports();
        if ring == inside.trunk {
            link.name.to_owned()
        } else if self.sockets > 1 && self.node > 1 && ring == bridge.trunk {
            format!("{} between sockets", self.bridge.name)
        } else if self.spine > 1.0 {
            format!("a spine that carries 1/{} of the nodes’ {ports} of {}", plain(self.spine), net.name)
        } else {
            format!("{ports} per node of {}", net.name)
        }
    }
}
