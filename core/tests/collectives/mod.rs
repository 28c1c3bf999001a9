//! Collective operations against nccl-tests, NCCL's tuner, calculon and mlsysim.

use ringside_core::collective::cost::{Cost, Machine};
use ringside_core::collective::schedule::{MAX_RANKS, Schedule};
use ringside_core::collective::{Algo, Op};
use ringside_core::hardware::links::{LATENCY_SOURCE, Link, Wiring};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "ring-all-reduce";

/// A port with this latency in seconds and this bandwidth in bytes a second.
fn link(latency: f64, bandwidth: f64) -> &'static Link {
    Box::leak(Box::new(Link { id: "", name: "", latency, bandwidth, wiring: Wiring::Port, source: LATENCY_SOURCE }))
}

/// The cost of a buffer of `bytes` among ranks in nodes of `node`.
fn cost(op: Op, algo: Algo, (ranks, node): (usize, usize), bytes: f64, [link, net]: [&'static Link; 2]) -> Cost {
    let schedule = Schedule::new(op, algo, ranks, node).unwrap_or_else(|e| panic!("{e}"));
    Machine { node, link, net, slow_rank: 0, slow_by: 1.0 }.cost(schedule.ranks, &schedule.steps, bytes / ranks as f64)
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

/// nccl-tests: bus bandwidth from size, time and ranks.
fn bus_bandwidth() -> Check {
    let file = "oracles/nccl_tests_busbw.json";
    // It prints nine digits.
    let mut check = Check::new(MODEL, file, "bus bandwidth from algorithm bandwidth", 1e-8);
    for case in cases(&json(file)) {
        let i = &case["inputs"];
        let Some(op) = operation(i["coll"].as_str().unwrap_or_default()) else {
            check.exclude("send–receive, gather, scatter, hypercube: no operations of the model");
            continue;
        };
        let ranks = int(i, "nranks") as usize;
        check.close(
            &i.to_string(),
            real(&case["outputs"], "algbw_GBps") * op.bus_factor(ranks),
            real(&case["outputs"], "busbw_GBps"),
        );
        check.case();
    }
    check
}

/// What NCCL's tuner adds to every ring with the Simple protocol: `baseLat`, in microseconds.
const LAUNCH: f64 = 8.4;
/// What it takes off the bandwidth of a tree with the Simple protocol.
const TREE_EFFICIENCY: f64 = 0.92;

/// NCCL's tuner, rings with the Simple protocol within a node: microseconds, less the launch.
fn tuner_times() -> Check {
    let file = "oracles/nccl_tuning_model.json";
    // Single precision, four decimals printed.
    let mut check = Check::new(MODEL, file, "time of a ring in one node, Simple protocol, less 8.4 µs of launch", 2e-6);
    for case in cases(&json(file)) {
        let i = &case["inputs"];
        let op = operation(i["coll"].as_str().unwrap_or_default()).unwrap_or_else(|| panic!("{i}"));
        if int(i, "nNodes") > 1 {
            check.exclude("several nodes: its steps over the network are not in lockstep with those within");
            continue;
        }
        let ranks = int(i, "nRanks") as usize;
        let bandwidth = real(i, "ring_channels") * real(i, "ring_bwIntra_GBps_per_channel") * 1e9;
        let system = i["system"].as_str().unwrap_or_default();
        let hop = if system.contains("PCIe") { "pcie4" } else { "nvlink4" };
        let latency = ringside_core::hardware::links::find(hop).unwrap_or_else(|| panic!("{hop}")).latency;
        let ours = cost(op, Algo::Ring, (ranks, ranks), real(i, "bytes"), [link(latency, bandwidth); 2]);
        check.close(&i.to_string(), ours.time() * 1e6 + LAUNCH, real(&case["outputs"], "Ring/Simple_us"));
        check.case();
    }
    check
}

/// NCCL's tuner, bandwidth without latency: rings, and double binary trees less what it takes off for them.
fn tuner_bandwidths() -> Check {
    let file = "oracles/nccl_tuning_model.json";
    // It prints six digits.
    let mut check = Check::new(MODEL, file, "bandwidth of rings and double binary trees, Simple protocol", 4e-6);
    for case in cases(&json(file)) {
        let (i, o) = (&case["inputs"], &case["outputs"]);
        let op = operation(i["coll"].as_str().unwrap_or_default()).unwrap_or_else(|| panic!("{i}"));
        let ranks = int(i, "nRanks") as usize;
        if ranks > MAX_RANKS {
            check.exclude("over 64 ranks");
            continue;
        }
        let bandwidth = real(i, "ring_channels") * real(i, "ring_bwIntra_GBps_per_channel");
        let sent = |algo| cost(op, algo, (ranks, ranks), 1.0, [link(0.0, 1.0); 2]).most_sent();
        check.close(&i.to_string(), bandwidth / sent(Algo::Ring), real(o, "algbw_ring_simple"));
        if op == Op::AllReduce {
            let ours = TREE_EFFICIENCY * bandwidth / sent(Algo::DoubleBinaryTree);
            check.close(&i.to_string(), ours, real(o, "algbw_tree_simple"));
        }
        check.case();
    }
    check
}

/// calculon: one latency, and the bytes of a ring at a part of the peak bandwidth.
fn calculon() -> Check {
    let file = "oracles/calculon_network.json";
    let mut check = Check::new(MODEL, file, "time of the bytes of a ring all-reduce, and of a message", 1e-12);
    for case in cases(&json(file)) {
        let i = &case["inputs"];
        let ring = i["op"] == "all_reduce" && i["op_cfg"][0] == 2.0 && i["op_cfg"][1] == -1;
        let (op, algo) = match i["op"].as_str() {
            Some("p2p") => (Op::Broadcast, Algo::Naive),
            Some("all_reduce") if ring => (Op::AllReduce, Algo::Ring),
            _ => {
                check.exclude("factors of in-network reduction, or fitted ones: no ring’s");
                continue;
            }
        };
        let wire = link(0.0, real(i, "bandwidth_GBps") * 1e9 * real(i, "eff"));
        let ranks = int(i, "comm_size") as usize;
        let ours = cost(op, algo, (ranks, ranks), real(i, "bytes"), [wire; 2]);
        // It adds one latency, whatever the number of steps.
        check.close(&i.to_string(), ours.time() + real(i, "latency_s"), real(&case["outputs"], "time_s"));
        check.case();
    }
    check
}

/// mlsysim: closed forms of α–β for ring, tree, all-to-all and hierarchical.
fn mlsysim() -> Check {
    let file = "oracles/mlsysim_physics.json";
    let mut check = Check::new(MODEL, file, "time of ring, binomial tree, direct all-to-all, hierarchical", 1e-12);
    for case in cases(&json(file)) {
        let i = &case["inputs"];
        let Some((_, function)) = i["fn"].as_str().and_then(|f| f.split_once(".communication.calc_")) else { continue };
        let value = |argument: &Value| real(argument, "value");
        let args = i["args"].as_array().unwrap_or_else(|| panic!("{i}"));
        let (op, algo) = match function {
            "ring_allreduce_time" => (Op::AllReduce, Algo::Ring),
            "tree_allreduce_time" => (Op::AllReduce, Algo::BinomialTree),
            "all_to_all_time" => (Op::AllToAll, Algo::Direct),
            "hierarchical_allreduce_time" => (Op::AllReduce, Algo::Hierarchical),
            "double_binary_tree_allreduce_time" => {
                check.exclude("double binary tree: the ring’s bytes times 1.05 and the tree’s latency times 1.2");
                continue;
            }
            _ => continue,
        };
        let n = args[1].as_u64().unwrap_or_else(|| panic!("{i}")) as usize;
        let (ranks, node, links) = if algo == Algo::Hierarchical {
            let node = args[2].as_u64().unwrap_or_else(|| panic!("{i}")) as usize;
            (n * node, node, [link(value(&args[5]), value(&args[3])), link(value(&args[6]), value(&args[4]))])
        } else {
            (n, n, [link(value(&args[3]), value(&args[2])); 2])
        };
        if ranks > MAX_RANKS {
            check.exclude("over 64 ranks");
            continue;
        }
        let ours = cost(op, algo, (ranks, node), value(&args[0]), links);
        check.close(&i.to_string(), ours.time(), value(&case["outputs"]));
        check.case();
    }
    check
}

/// All comparisons of this module.
pub fn all() -> Vec<Check> {
    vec![bus_bandwidth(), tuner_times(), tuner_bandwidths(), calculon(), mlsysim()]
}

#[test]
fn collectives_agree_with_other_peoples_numbers() {
    assert_eq!(all().iter().map(|c| c.cases).collect::<Vec<_>>(), [72, 66, 110, 14, 82]);
}
