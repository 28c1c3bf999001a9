//! Collective operations against nccl-tests, NCCL's tuner, calculon and mlsysim.

pub mod peers;

use ringside_core::collective::cost::{Cost, Machine};
use ringside_core::collective::schedule::{MAX_RANKS, Schedule};
use ringside_core::collective::{Algo, Op};
use ringside_core::hardware::links::Link;

use crate::compare::{Check, cases, int, json, real};
use peers::{Case, link, operation};

const MODEL: &str = "ring-all-reduce";

/// The cost of a buffer of `bytes` among ranks in nodes of `node`.
fn cost(op: Op, algo: Algo, (ranks, node): (usize, usize), bytes: f64, links: [Link; 2]) -> Cost {
    let schedule = Schedule::new(op, algo, ranks, node).unwrap_or_else(|e| panic!("{e}"));
    let [link, net] = links.map(|link| -> &'static Link { Box::leak(Box::new(link)) });
    Machine { node, link, net, slow_rank: 0, slow_by: 1.0 }.cost(schedule.ranks, &schedule.steps, bytes / ranks as f64)
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
            check.exclude("several nodes: it takes the ring for a chain there; compared as a closed form");
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

/// The model's time of each case beside someone else's.
fn compared((mut check, cases): (Check, Vec<Case>)) -> Check {
    for case in cases {
        if case.ranks > MAX_RANKS {
            check.exclude("over 64 ranks");
            continue;
        }
        let ours = cost(case.op, case.algo, (case.ranks, case.node), case.bytes, case.links);
        check.close(&case.name, ours.time() + case.besides, case.time);
        check.case();
    }
    check
}

/// All comparisons of this module.
pub fn all() -> Vec<Check> {
    vec![
        bus_bandwidth(),
        tuner_times(),
        tuner_bandwidths(),
        compared(peers::calculon(MODEL)),
        compared(peers::mlsysim(MODEL, &[])),
    ]
}

#[test]
fn collectives_agree_with_other_peoples_numbers() {
    assert_eq!(all().iter().map(|c| c.cases).collect::<Vec<_>>(), [72, 66, 110, 14, 82]);
}
