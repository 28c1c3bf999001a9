//! A machine as a query string names it: nodes, sockets, ports, and the network.

use super::Fabric;
use crate::hardware::links::{self, Link};
use crate::query::{Kind, ParamSpec, Reader, plain};

/// What a machine is wired with.
#[derive(Debug, Clone, Copy, PartialEq)]
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

impl Wires {
    /// The parameters.
    pub const SPECS: [ParamSpec; 7] = [
        ParamSpec { name: "node", doc: "GPUs in a node", kind: Kind::Integer { min: 1, max: MAX_NODE }, default: "8" },
        ParamSpec {
            name: "link",
            doc: "link between the GPUs of a node",
            kind: Kind::Choice(&links::INSIDE_IDS),
            default: "nvlink4",
        },
        ParamSpec {
            name: "sockets",
            doc: "sockets between which the GPUs of a node have only the bridge",
            kind: Kind::Integer { min: 1, max: 4 },
            default: "1",
        },
        ParamSpec {
            name: "bridge",
            doc: "link between sockets",
            kind: Kind::Choice(&links::BRIDGE_IDS),
            default: "upi-sapphire",
        },
        ParamSpec {
            name: "nics",
            doc: "network ports of a node",
            kind: Kind::Integer { min: 1, max: MAX_NODE },
            default: "8",
        },
        ParamSpec {
            name: "net",
            doc: "link between nodes, of one port",
            kind: Kind::Choice(&links::BETWEEN_IDS),
            default: "ndr",
        },
        ParamSpec {
            name: "spine",
            doc: "how many times more the nodes can send at once than the network carries",
            kind: Kind::Real { min: 1.0, max: 64.0 },
            default: "1",
        },
    ];

    /// Reads them by [`Wires::SPECS`], which must be among the reader's.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            node: reader.integer("node").max(1) as usize,
            link: links::find(reader.choice("link")).unwrap_or(&links::INSIDE[0]),
            sockets: reader.integer("sockets").max(1) as usize,
            bridge: links::find(reader.choice("bridge")).unwrap_or(&links::BRIDGES[0]),
            nics: reader.integer("nics").max(1) as usize,
            net: links::find(reader.choice("net")).unwrap_or(&links::BETWEEN[0]),
            spine: reader.real("spine").max(1.0),
        }
    }

    /// All of them as query pairs.
    pub fn pairs(&self) -> [(&'static str, String); 7] {
        [
            ("node", self.node.to_string()),
            ("link", self.link.id.to_owned()),
            ("sockets", self.sockets.to_string()),
            ("bridge", self.bridge.id.to_owned()),
            ("nics", self.nics.to_string()),
            ("net", self.net.id.to_owned()),
            ("spine", plain(self.spine)),
        ]
    }

    /// What they make.
    pub fn fabric(&self) -> Fabric {
        let nodes = Fabric::nodes(self.node, self.link, self.net);
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

    /// What bounds a ring of `ranks`: a few words.
    pub fn narrowest(&self, ranks: usize) -> String {
        let fabric = self.fabric();
        let ring = fabric.ring_bandwidth(ranks);
        let [inside, bridge, _] = fabric.tiers;
        let ports = self.ports();
        if ring == inside.trunk {
            self.link.name.to_owned()
        } else if self.sockets > 1 && self.node > 1 && ring == bridge.trunk {
            format!("{} between sockets", self.bridge.name)
        } else if self.spine > 1.0 {
            format!("a spine that carries 1/{} of the nodes’ {ports} of {}", plain(self.spine), self.net.name)
        } else {
            format!("{ports} a node of {}", self.net.name)
        }
    }
}
