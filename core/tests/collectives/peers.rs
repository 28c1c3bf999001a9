//! What calculon and mlsysim say of a communication, as both models of it are compared with.

use ringside_core::collective::{Algo, Op};
use ringside_core::hardware::links::{LATENCY_SOURCE, Link, Wiring};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

/// A port with this latency in seconds and this bandwidth in bytes a second.
pub fn link(latency: f64, bandwidth: f64) -> Link {
    Link { id: "", name: "", latency, bandwidth, wiring: Wiring::Port, source: LATENCY_SOURCE }
}

/// The operation that nccl-tests, NCCL or calculon call so.
pub fn operation(name: &str) -> Option<Op> {
    match name {
        "Broadcast" => Some(Op::Broadcast),
        "Reduce" => Some(Op::Reduce),
        "AllReduce" | "all_reduce" => Some(Op::AllReduce),
        "ReduceScatter" | "reduce_scatter" => Some(Op::ReduceScatter),
        "AllGather" | "all_gather" => Some(Op::AllGather),
        "AlltoAll" => Some(Op::AllToAll),
        _ => None,
    }
}

/// A communication, and how long it takes by someone else's model.
pub struct Case {
    /// What the fixture says of it.
    pub name: String,
    pub op: Op,
    pub algo: Algo,
    pub ranks: usize,
    /// Ranks of a node; all of them where there is one.
    pub node: usize,
    pub bytes: f64,
    /// The link within a node, and the one between nodes.
    pub links: [Link; 2],
    /// Seconds that it counts beside what ours does.
    pub besides: f64,
    /// Seconds, all of it.
    pub time: f64,
}

/// calculon: one latency however many hops, and the bytes of a ring at a part of the peak bandwidth.
pub fn calculon(model: &'static str) -> (Check, Vec<Case>) {
    let file = "oracles/calculon_network.json";
    let mut check = Check::new(model, file, "time of the bytes of a ring all-reduce, and of a message", 1e-12);
    let mut list = Vec::new();
    for case in cases(&json(file)) {
        let i = &case["inputs"];
        let ring = i["op"] == "all_reduce" && i["op_cfg"][0] == 2.0 && i["op_cfg"][1] == -1;
        let (op, algo) = match i["op"].as_str() {
            Some("p2p") => (Op::Broadcast, Algo::Naive),
            Some("all_reduce") if ring => (Op::AllReduce, Algo::Ring),
            // Its H100 files say [1, 0] and [1, 1]: the switch adds (SHARP). Its A100 file says 1.5 for an all-gather, where
            // (n − 1)/n is what has to be sent.
            _ => {
                check.exclude("factors of in-network reduction, or fitted ones: no ring’s");
                continue;
            }
        };
        let ranks = int(i, "comm_size") as usize;
        list.push(Case {
            name: i.to_string(),
            op,
            algo,
            ranks,
            node: ranks,
            bytes: real(i, "bytes"),
            links: [link(0.0, real(i, "bandwidth_GBps") * 1e9 * real(i, "eff")); 2],
            // It adds one latency, where a ring has one for each of its 2(n − 1) steps.
            besides: real(i, "latency_s"),
            time: real(&case["outputs"], "time_s"),
        });
    }
    (check, list)
}

/// mlsysim: closed forms of α–β for ring, tree, all-to-all and hierarchical, up to 1024 ranks. `excluded` are functions of its
/// that are left out besides, and why.
pub fn mlsysim(model: &'static str, excluded: &[(&str, &'static str)]) -> (Check, Vec<Case>) {
    let file = "oracles/mlsysim_physics.json";
    let mut check = Check::new(model, file, "time of ring, binomial tree, direct all-to-all, hierarchical", 1e-12);
    let mut list = Vec::new();
    for case in cases(&json(file)) {
        let i = &case["inputs"];
        let Some((_, function)) = i["fn"].as_str().and_then(|f| f.split_once(".communication.calc_")) else { continue };
        let value = |argument: &Value| real(argument, "value");
        let args = i["args"].as_array().unwrap_or_else(|| panic!("{i}"));
        let count = |at: usize| args[at].as_u64().unwrap_or_else(|| panic!("{i}")) as usize;
        let (op, algo) = match function {
            "ring_allreduce_time" => (Op::AllReduce, Algo::Ring),
            "tree_allreduce_time" => (Op::AllReduce, Algo::BinomialTree),
            "all_to_all_time" => (Op::AllToAll, Algo::Direct),
            "hierarchical_allreduce_time" => (Op::AllReduce, Algo::Hierarchical),
            "double_binary_tree_allreduce_time" => {
                check.exclude("double binary tree: the ring’s bytes times 1.05 and the tree’s latency times 1.2");
                continue;
            }
            other => {
                if let Some((_, why)) = excluded.iter().find(|(name, _)| *name == other) {
                    check.exclude(why);
                }
                continue;
            }
        };
        let (ranks, node, links) = if algo == Algo::Hierarchical {
            let node = count(2);
            (count(1) * node, node, [3, 4].map(|at| link(value(&args[at + 2]), value(&args[at]))))
        } else {
            (count(1), count(1), [link(value(&args[3]), value(&args[2])); 2])
        };
        let (bytes, time) = (value(&args[0]), value(&case["outputs"]));
        list.push(Case { name: i.to_string(), op, algo, ranks, node, bytes, links, besides: 0.0, time });
    }
    (check, list)
}
