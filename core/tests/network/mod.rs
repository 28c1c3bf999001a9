//! Closed forms of what collectives cost, against NCCL’s tuner, calculon, mlsysim, textbooks, and our own simulator.

use ringside_core::collective::cost::Machine;
use ringside_core::collective::schedule::Schedule;
use ringside_core::collective::{Algo, Op};
use ringside_core::hardware::links::{self, Link};
use ringside_core::network::measured::PROGRAMS;
use ringside_core::network::{Cost, Fabric, TREE_EFFICIENCY, cost};
use serde_json::Value;

use crate::collectives::peers::{self, Case, link, operation};
use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "communication-cost";

fn closed(op: Op, algo: Algo, ranks: usize, fabric: &Fabric) -> Cost {
    cost(op, algo, ranks, fabric).unwrap_or_else(|| panic!("{op:?} {algo:?} {ranks}"))
}

/// nccl-tests: both bandwidths of all its programs, from what a rank gives, the time, and the ranks.
fn nccl_tests() -> Check {
    let file = "oracles/nccl_tests_busbw.json";
    // It prints nine digits.
    let mut check = Check::new(MODEL, file, "algorithm and bus bandwidth of all ten programs", 1e-8);
    for case in cases(&json(file)) {
        let (i, o) = (&case["inputs"], &case["outputs"]);
        let name = match i["coll"].as_str().unwrap_or_default() {
            "AllReduce" => "all_reduce",
            "AllGather" => "all_gather",
            "ReduceScatter" => "reduce_scatter",
            other => &other.to_lowercase(),
        };
        let program = PROGRAMS.iter().find(|p| p.name == format!("{name}_perf")).unwrap_or_else(|| panic!("{name}"));
        let ranks = int(i, "nranks") as usize;
        let size = program.size(real(i, "count_param") * real(i, "typesize"), ranks);
        let algbw = size / real(i, "sec") / 1e9;
        check.close(&i.to_string(), algbw, real(o, "algbw_GBps"));
        check.close(&i.to_string(), algbw * program.bus_factor(ranks), real(o, "busbw_GBps"));
        check.case();
    }
    check
}

/// The tuner's row of `treeCorrectionFactor` for the Simple protocol, from 64 B on, by doublings.
const TREE_CORRECTION: [f64; 23] =
    [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9];

/// NCCL's tuner, Simple protocol: microseconds for rings and trees in one node and over up to 128.
///
/// What it has and the closed forms leave out is put on top here, as it is in `src/graph/tuning.cc`:
/// - 8.4 µs of launch (`baseLat`);
/// - a ring crosses from node to node once less in each turn than a circle does: the tuner counts a chain (`nInterSteps`);
/// - over several nodes a hop of a ring takes at least three overheads of the network, of 1 µs on Intel and 2 µs on AMD;
/// - an all-reduce by a ring over several nodes has 1.4 times the latency once each rank and channel has 64 bytes;
/// - a hop of a tree within a node takes 4 µs, and medium sizes get a part of a tree's bandwidth (`treeCorrectionFactor`).
fn tuner() -> Check {
    let file = "oracles/nccl_tuning_model.json";
    // Single precision, four decimals printed.
    let mut check = Check::new(MODEL, file, "time of rings and trees, 4 to 1024 GPUs, Simple protocol", 4e-6);
    for case in cases(&json(file)) {
        let (i, o) = (&case["inputs"], &case["outputs"]);
        let op = operation(i["coll"].as_str().unwrap_or_default()).unwrap_or_else(|| panic!("{i}"));
        let (ranks, nodes) = (int(i, "nRanks") as usize, int(i, "nNodes") as usize);
        let (bytes, channels) = (real(i, "bytes"), real(i, "ring_channels"));
        let bandwidth = channels * real(i, "ring_bwIntra_GBps_per_channel") * 1e9;
        let (node, name) = (ranks / nodes, i["system"].as_str().unwrap_or_default());
        let across = link(14e-6, bandwidth / node as f64);
        let fabric = |hop_us: f64| Fabric::nodes(node, &link(hop_us / 1e6, bandwidth), &across);

        let overhead = if nodes == 1 { 0.0 } else { 3.0 * if name.contains("A100") { 2.0 } else { 1.0 } };
        let wire = links::find(if name.contains("PCIe") { "pcie4" } else { "nvlink4" });
        let hop = wire.unwrap_or_else(|| panic!("{name}")).latency * 1e6;
        let ring = closed(op, Algo::Ring, ranks, &fabric(hop.max(overhead)));
        let turns = if op == Op::AllReduce { 2.0 } else { 1.0 };
        let latency = turns * fabric(hop.max(overhead)).chain(ranks) * 1e6 + 8.4;
        check.close(&i.to_string(), latency, real(o, "latency_us_ring_simple"));
        check.close(&i.to_string(), ring.peak() / 1e9, real(o, "algbw_ring_simple"));
        let plateau = nodes > 1 && op == Op::AllReduce && bytes / (channels * ranks as f64) >= 64.0;
        let latency = if plateau { 1.4 * latency } else { latency };
        check.close(&i.to_string(), latency + ring.per_byte * bytes * 1e6, real(o, "Ring/Simple_us"));

        if op == Op::AllReduce {
            let tree = closed(op, Algo::DoubleBinaryTree, ranks, &fabric(4.0));
            check.close(&i.to_string(), tree.latency * 1e6 + 8.4, real(o, "latency_us_tree_simple"));
            check.close(&i.to_string(), tree.peak() / 1e9, real(o, "algbw_tree_simple"));
            let doublings = (bytes / 64.0).log2().floor() as usize;
            let part = TREE_CORRECTION.get(doublings).copied().unwrap_or(1.0);
            let time = tree.latency * 1e6 + 8.4 + tree.per_byte * bytes * 1e6 / part;
            check.close(&i.to_string(), time, real(o, "Tree/Simple_us"));
        }
        check.case();
    }
    check
}

/// The closed form of each case beside someone else's.
fn compared((mut check, cases): (Check, Vec<Case>)) -> Check {
    for case in cases {
        let [inside, across] = &case.links;
        let fabric =
            if case.node < case.ranks { Fabric::nodes(case.node, inside, across) } else { Fabric::flat(inside) };
        let ours = closed(case.op, case.algo, case.ranks, &fabric).time(case.bytes);
        check.close(&case.name, ours + case.besides, case.time);
        check.case();
    }
    check
}

/// The formulas that textbooks have, from 2 to 4096 ranks and from nothing to a gigabyte.
fn textbooks() -> Check {
    type Formula = fn(f64, f64, f64, f64) -> f64;
    let file = "oracles/comm_models.json";
    let mut check = Check::new(MODEL, file, "Hockney, LogGP, ring, halving–doubling and tree as formulas", 1e-12);
    let formulas: [(&str, &str, Op, Algo, Formula); 5] = [
        ("Hockney", "alpha + m*beta", Op::Broadcast, Algo::Naive, |_, m, alpha, beta| alpha + m * beta),
        // L + 2o = α + G, and G = β.
        ("LogGP", "L + 2o + (m-1)G  (+g between sends)", Op::Broadcast, Algo::Naive, |_, m, alpha, beta| {
            (alpha + beta) + (m - 1.0) * beta
        }),
        (
            "ring all-reduce",
            // γ is the arithmetic on what arrives, which we leave out.
            "2(n-1)alpha + 2(n-1)/n * m*beta (+ (n-1)/n*m*gamma)",
            Op::AllReduce,
            Algo::Ring,
            |n, m, alpha, beta| 2.0 * (n - 1.0) * alpha + 2.0 * (n - 1.0) / n * m * beta,
        ),
        (
            "recursive halving/doubling (Rabenseifner)",
            "2 log2(n) alpha + 2(n-1)/n m beta",
            Op::AllReduce,
            Algo::HalvingDoubling,
            |n, m, alpha, beta| 2.0 * n.log2() * alpha + 2.0 * (n - 1.0) / n * m * beta,
        ),
        ("tree reduce+bcast", "2 log2(n)(alpha + m beta)", Op::AllReduce, Algo::BinomialTree, |n, m, alpha, beta| {
            2.0 * n.log2() * (alpha + m * beta)
        }),
    ];
    let oracle = json(file);
    for row in oracle["rows"].as_array().expect("rows") {
        let name = row["model"].as_str().unwrap_or_default();
        let Some((_, text, op, algo, formula)) = formulas.iter().find(|(model, ..)| *model == name) else {
            check.exclude("checkpoint intervals (Young, Daly): nothing of communication");
            continue;
        };
        assert_eq!(row["T"].as_str(), Some(*text), "{name}");
        for ranks in (1..=12).map(|power| 1_usize << power).filter(|n| *algo != Algo::Naive || *n == 2) {
            for bytes in [0.0, 1.0, 1e6, 1e9] {
                let (alpha, bandwidth) = (7e-6, 40e9);
                let ours = closed(*op, *algo, ranks, &Fabric::flat(&link(alpha, bandwidth))).time(bytes);
                check.close(
                    &format!("{name} {ranks} {bytes}"),
                    ours,
                    formula(ranks as f64, bytes, alpha, 1.0 / bandwidth),
                );
            }
        }
        check.case();
    }
    check
}

/// Bandwidths of links, in one direction.
fn bandwidths() -> Check {
    let file = "oracles/hardware_networks.json";
    // It rounds PCIe to whole GB/s.
    let mut check = Check::new(MODEL, file, "bandwidth of NVLink, PCIe, Infinity Fabric and InfiniBand", 0.02);
    let oracle = json(file);
    let rows = |section: &'static str| {
        let tables = oracle["rows"].as_array().expect("sections").iter().filter(move |t| t["section"] == section);
        tables.flat_map(|t| t["rows"].as_array().expect("rows"))
    };
    let number = |row: &Value, column: usize| -> f64 {
        row[column].as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{row}"))
    };
    let expected = [
        ("nvlink3", "NVLink", "NVLink 3", 4),
        ("nvlink4", "NVLink", "NVLink 4", 4),
        ("nvlink5", "NVLink", "NVLink 5", 4),
        ("pcie4", "PCIe", "PCIe 4", 3),
        ("pcie5", "PCIe", "PCIe 5", 3),
        ("xgmi", "Infinity Fabric / xGMI", "MI300X", 1),
        ("ndr", "Inter-node networking", "InfiniBand NDR400", 3),
    ];
    for (id, section, name, column) in expected {
        let row = rows(section).find(|row| row[0] == name).unwrap_or_else(|| panic!("{name}"));
        let ours = links::find(id).unwrap_or_else(|| panic!("{id}")).bandwidth / 1e9;
        check.close(name, ours, number(row, column));
        check.case();
    }
    check
}

/// All comparisons of this module.
pub fn all() -> Vec<Check> {
    let crossover = "crossover: nαB/log₂ n, to which the exact one comes near with very many ranks";
    vec![
        nccl_tests(),
        tuner(),
        compared(peers::calculon(MODEL)),
        compared(peers::mlsysim(MODEL, &[("ring_tree_crossover_size", crossover)])),
        textbooks(),
        bandwidths(),
    ]
}

#[test]
fn closed_forms_agree_with_other_peoples_numbers() {
    assert_eq!(all().iter().map(|c| c.cases).collect::<Vec<_>>(), [120, 176, 14, 115, 5, 7]);
}

/// mlsysim's crossover of ring and tree is what the exact one tends to: 30 % off with 8 ranks, 9 % with 4096.
#[test]
fn the_crossover_of_mlsysim_is_a_limit() {
    let oracle = json("oracles/mlsysim_physics.json");
    let found: Vec<f64> = cases(&oracle)
        .iter()
        .filter(|case| case["inputs"]["fn"].as_str().is_some_and(|f| f.ends_with("crossover_size")))
        .map(|case| {
            let args = &case["inputs"]["args"];
            let (n, wire) =
                (args[0].as_u64().unwrap_or_default() as usize, link(real(&args[1], "value"), real(&args[2], "value")));
            let fabric = Fabric::flat(&wire);
            let [tree, ring] = [Algo::BinomialTree, Algo::Ring].map(|algo| closed(Op::AllReduce, algo, n, &fabric));
            let exact = tree.crossover(ring).unwrap_or_else(|| panic!("{n}"));
            assert!((tree.time(exact) / ring.time(exact) - 1.0).abs() < 1e-12);
            real(&case["outputs"], "value") / exact
        })
        .collect();
    assert!(
        matches!(found[..], [a, b, c] if (a - 1.42).abs() < 0.01 && (b - 0.95).abs() < 0.02 && (c - 0.92).abs() < 0.01),
        "{found:?}"
    );
}

/// Where the steps are the same, the closed forms are what the simulator counts: every operation by every algorithm that is
/// not a pipeline, on 2 to 17 ranks, 32 and 64, and over nodes.
#[test]
fn closed_forms_are_what_the_simulator_counts() {
    let (inside, across) = (link(3e-6, 300e9), link(11e-6, 40e9));
    let leak = |l: Link| -> &'static Link { Box::leak(Box::new(l)) };
    let (one, other) = (leak(inside), leak(across));
    let mut compared = 0;
    let mut same = |op, algo, n: usize, node: usize, bytes: f64, fabric: &Fabric| {
        let Some(ours) = cost(op, algo, n, fabric) else { return };
        let schedule = Schedule::new(op, algo, n, node).unwrap_or_else(|e| panic!("{e}"));
        let machine = Machine { node, link: one, net: other, slow_rank: 0, slow_by: 1.0 };
        let theirs = machine.cost(n, &schedule.steps, bytes / n as f64).time();
        let ours = ours.time(bytes);
        assert!((ours / theirs - 1.0).abs() < 1e-9, "{op:?} {algo:?} {n} in {node}: {ours} {theirs}");
        compared += 1;
    };
    for op in Op::ALL {
        for algo in Algo::ALL {
            // They have as many slices as ranks there; here the filling of the pipe takes only latency.
            let piped =
                algo == Algo::DoubleBinaryTree || algo == Algo::Ring && matches!(op, Op::Broadcast | Op::Reduce);
            if piped {
                continue;
            }
            for n in (2..=17).chain([32, 64]) {
                for bytes in [8.0, 1e9] {
                    same(op, algo, n, n, bytes, &Fabric::flat(&inside));
                }
            }
        }
        for (n, node) in [(8, 4), (12, 4), (16, 8), (24, 8), (64, 8)] {
            let fabric = Fabric::nodes(node, &inside, &across);
            same(op, Algo::Hierarchical, n, node, 1e8, &fabric);
            // Latency alone: a ring's bytes over the one port out of a node are what `with_nics` says.
            if !matches!(op, Op::Broadcast | Op::Reduce) {
                same(op, Algo::Ring, n, node, 0.0, &fabric);
            }
        }
        for n in [4, 6, 8] {
            if !matches!(op, Op::Broadcast | Op::Reduce) {
                same(op, Algo::Ring, n, 2, 0.0, &Fabric::nodes(2, &inside, &across));
            }
        }
    }
    assert_eq!(compared, 748, "operations, algorithms and ranks compared");
}

/// Pipelines come near the closed form as slices get many, which in the simulator are as many as ranks: without latency, the
/// bytes of a double binary tree and of a ring’s broadcast are those that the busiest rank sends.
#[test]
fn pipelines_send_what_the_closed_form_says() {
    let wire = link(0.0, 1.0);
    let machine = Machine {
        node: 64,
        link: Box::leak(Box::new(wire)),
        net: Box::leak(Box::new(wire)),
        slow_rank: 0,
        slow_by: 1.0,
    };
    for (op, algo, factor) in [
        (Op::AllReduce, Algo::DoubleBinaryTree, TREE_EFFICIENCY),
        (Op::Broadcast, Algo::DoubleBinaryTree, TREE_EFFICIENCY),
        (Op::Broadcast, Algo::Ring, 1.0),
    ] {
        for n in [8, 33, 64] {
            let schedule = Schedule::new(op, algo, n, n).unwrap_or_else(|e| panic!("{e}"));
            let sent = machine.cost(n, &schedule.steps, 1.0 / n as f64).most_sent();
            let ours = closed(op, algo, n, &Fabric::flat(&wire)).per_byte * factor;
            assert!((ours / sent - 1.0).abs() < 0.04, "{op:?} {algo:?} {n}: {ours} {sent}");
        }
    }
}

/// Sockets, ports and the network each bound what they must.
#[test]
fn the_narrowest_boundary_bounds_a_ring() {
    let find = |id| links::find(id).unwrap_or_else(|| panic!("{id}"));
    let (nvlink, pcie, ndr) = (find("nvlink4"), find("pcie4"), find("ndr"));
    let rails = Fabric::nodes(8, nvlink, ndr);
    let one_nic = rails.with_nics(1);
    let thin = rails.oversubscribed(4.0);
    assert_eq!([8, 16].map(|n| rails.ring_bandwidth(n)), [450e9, 400e9]);
    assert_eq!([8, 16].map(|n| one_nic.ring_bandwidth(n)), [450e9, 50e9]);
    assert_eq!([8, 16].map(|n| thin.ring_bandwidth(n)), [450e9, 100e9]);
    let bridge = link(5.7e-6, 10e9);
    let sockets = Fabric::nodes(8, pcie, ndr).with_sockets(2, &bridge);
    assert_eq!([4, 8, 16].map(|n| sockets.ring_bandwidth(n)), [31.5e9, 10e9, 10e9]);
    // 7 hops of a circle of 8 ranks on two sockets: the slowest chunk crosses the bridge twice.
    let slow = Fabric::nodes(8, &link(0.0, 1e9), ndr).with_sockets(2, &link(1.0, 1e9));
    assert_eq!(closed(Op::AllGather, Algo::Ring, 8, &slow).latency, 2.0);
    // Eight groups, one of each place in the nodes, have one of the eight ports each; two groups of neighbours' neighbours four.
    assert_eq!([8, 2].map(|stride| rails.every(stride).ring_bandwidth(64)), [50e9, 200e9]);
    assert_eq!(closed(Op::AllGather, Algo::Ring, 4, &rails.every(8)).latency, 3.0 * 14e-6);
    // A mesh of seven wires carries seven rings.
    assert_eq!(Fabric::nodes(8, find("xgmi"), ndr).ring_bandwidth(8), 7.0 * 64e9);
    for op in Op::ALL {
        for algo in Algo::ALL {
            assert!(cost(op, algo, 1, &rails).is_none_or(|c| c == Cost::default()), "one rank has nothing to send");
        }
    }
}
