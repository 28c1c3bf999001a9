use proptest::prelude::*;

use super::cost::Machine;
use super::data::{Check, Held, State, number, plain_sum};
use super::schedule::{Action, Schedule};
use super::{Algo, Op, Params, Run};
use crate::declare::Model as _;
use crate::hardware::links::{Link, Wiring};
use crate::quantity::number as digits;
use crate::query::Query;

fn params(text: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(text));
    assert_eq!(problems, [], "{text}");
    params
}

fn run(text: &str) -> Run {
    Run::new(&params(text)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn end(schedule: &Schedule, op: Op, value: impl Fn(usize, usize) -> f32 + Copy) -> Check {
    let mut state = State::start(op, schedule.ranks, value);
    schedule.steps.iter().for_each(|step| state.apply(step));
    state.check(value)
}

/// Every operation by every algorithm that does it, for some nodes.
fn all(ranks: usize) -> impl Iterator<Item = (Op, Algo, usize, Schedule)> {
    let pairs = Op::ALL.into_iter().flat_map(|op| Algo::ALL.into_iter().map(move |algo| (op, algo)));
    pairs.filter(|&(op, algo)| algo.does(op)).flat_map(move |(op, algo)| {
        let nodes = (1..=ranks)
            .filter(move |node| if algo == Algo::Hierarchical { ranks.is_multiple_of(*node) } else { *node == ranks });
        nodes.map(move |node| {
            let schedule =
                Schedule::new(op, algo, ranks, node).unwrap_or_else(|e| panic!("{op:?} {algo:?} {ranks}: {e}"));
            (op, algo, node, schedule)
        })
    })
}

#[test]
fn every_algorithm_ends_with_what_the_operation_promises() {
    for ranks in (2..=17).chain([24, 33]) {
        for (op, algo, node, schedule) in all(ranks) {
            let check = end(&schedule, op, number);
            let wanted = match op {
                Op::Broadcast | Op::AllReduce | Op::AllGather | Op::AllToAll => ranks * ranks,
                Op::Reduce | Op::ReduceScatter => ranks,
            };
            assert_eq!((check.wanted, check.right), (wanted, wanted), "{op:?} {algo:?} {ranks} in nodes of {node}");
            assert!(check.error <= ranks as f64 * f64::from(f32::EPSILON), "{op:?} {algo:?} {ranks}");
        }
    }
}

#[test]
fn nothing_is_sent_that_is_not_there_or_not_wanted_and_no_one_sends_to_itself() {
    for ranks in [2, 3, 5, 8, 12, 16] {
        for (op, algo, _, schedule) in all(ranks) {
            let mut state = State::start(op, ranks, number);
            for step in &schedule.steps {
                assert!(!step.transfers.is_empty());
                for t in &step.transfers {
                    let (from, to, chunk) = (t.from.into(), t.to.into(), t.chunk.into());
                    assert_ne!(from, to, "{op:?} {algo:?} {ranks}");
                    let (sent, there) = (state.cell(from, chunk), state.cell(to, chunk));
                    assert!(sent.from != 0 && !sent.spent, "{op:?} {algo:?} {ranks}: {t:?} of {sent:?}");
                    match t.action {
                        // No rank's number is counted twice.
                        Action::Reduce => assert_eq!(sent.from & there.from, 0, "{op:?} {algo:?} {ranks}: {t:?}"),
                        // What is overwritten is nothing, or a part that has been passed on.
                        Action::Copy | Action::Move => {
                            assert!(there.from == 0 || there.spent, "{op:?} {algo:?} {ranks}: {t:?} over {there:?}");
                        }
                    }
                }
                state.apply(step);
            }
        }
    }
}

#[test]
fn all_ranks_have_the_same_bits_after_an_all_reduce() {
    for ranks in [2, 7, 8, 16, 64] {
        for (op, algo, _, schedule) in all(ranks).filter(|(op, ..)| *op == Op::AllReduce) {
            assert!(end(&schedule, op, number).agree, "{algo:?} {ranks}");
        }
    }
    let check = end(&Schedule::new(Op::AllReduce, Algo::Ring, 16, 16).expect("a ring"), Op::AllReduce, number);
    assert!(check.reordered > 0, "a ring adds in another order for each chunk: {check:?}");
}

#[test]
fn cells_fill_as_they_are_reduced() {
    let run = run("ranks=4");
    // Chunk 0 of a ring goes from rank 1 by 2 and 3 to 0, and then around.
    let held = |step: usize| [1, 2, 3, 0].map(|rank| run.state(step).held(rank, 0));
    use Held::{Part, Spent, Whole};
    assert_eq!(held(0), [Part(0.25); 4]);
    assert_eq!(held(1), [Spent, Part(0.5), Part(0.25), Part(0.25)]);
    assert_eq!(held(2), [Spent, Spent, Part(0.75), Part(0.25)]);
    assert_eq!(held(3), [Spent, Spent, Spent, Whole]);
    assert_eq!(held(4), [Whole, Spent, Spent, Whole]);
    assert_eq!(held(6), [Whole; 4]);
    assert!((run.state(6).cell(2, 0).value - plain_sum(4, 0, number)).abs() < 1e-5);
}

/// A link without latency that carries a byte a second.
const PLAIN: Link = Link {
    id: "plain",
    name: "",
    latency: 0.0,
    bandwidth: 1.0,
    wiring: Wiring::Port,
    source: crate::hardware::links::LATENCY_SOURCE,
};
/// A link on which only the number of steps counts.
const HOPS: Link = Link { latency: 1.0, bandwidth: 1e30, ..PLAIN };

fn machine(link: &'static Link) -> Machine {
    Machine { node: 64, link, net: link, slow_rank: 0, slow_by: 1.0 }
}

#[test]
fn bytes_and_steps_are_the_closed_forms() {
    for n in 2..=64_usize {
        let f = n as f64;
        let log = n.next_power_of_two().trailing_zeros() as usize;
        let share = (f - 1.0) / f;
        let blocks = |of: f64| of / f;
        for (op, algo, steps, sent, seconds) in [
            (Op::AllReduce, Algo::Ring, 2 * (n - 1), 2.0 * share, 2.0 * share),
            (Op::ReduceScatter, Algo::Ring, n - 1, share, share),
            (Op::AllGather, Algo::Ring, n - 1, share, share),
            (Op::Broadcast, Algo::Ring, 2 * n - 2, 1.0, blocks(2.0 * f - 2.0)),
            (Op::Reduce, Algo::Ring, 2 * n - 2, 1.0, blocks(2.0 * f - 2.0)),
            (Op::AllToAll, Algo::Ring, n - 1, (f - 1.0) / 2.0, (f - 1.0) / 2.0),
            (Op::AllReduce, Algo::BidirectionalRing, 2 * n.div_euclid(2), 2.0 * share, 2.0 * share),
            (Op::AllReduce, Algo::HalvingDoubling, 2 * log, 2.0 * share, 2.0 * share),
            (Op::AllGather, Algo::HalvingDoubling, log, share, share),
            (Op::AllReduce, Algo::Direct, 2 * (n - 1), 2.0 * share, 2.0 * share),
            (Op::AllToAll, Algo::Direct, n - 1, share, share),
            (Op::Broadcast, Algo::Naive, n - 1, f - 1.0, f - 1.0),
            (Op::Reduce, Algo::Naive, n - 1, 1.0, f - 1.0),
            (Op::AllReduce, Algo::Naive, 2 * (n - 1), f - 1.0, 2.0 * (f - 1.0)),
            (Op::AllReduce, Algo::BinomialTree, 2 * log, log as f64, 2.0 * log as f64),
            (Op::Broadcast, Algo::BinomialTree, log, log as f64, log as f64),
        ] {
            let schedule = Schedule::new(op, algo, n, n).unwrap_or_else(|e| panic!("{e}"));
            let cost = machine(&PLAIN).cost(schedule.ranks, &schedule.steps, 1.0 / f);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + b);
            assert_eq!(schedule.steps.len(), steps, "{op:?} {algo:?} {n}");
            assert!(near(cost.most_sent(), sent), "{op:?} {algo:?} {n}: {} {sent}", cost.most_sent());
            assert!(near(cost.time(), seconds), "{op:?} {algo:?} {n}: {} {seconds}", cost.time());
            // A slice of a pipeline follows the one before at once: only the chain's hops count.
            let pipeline = algo == Algo::Ring && matches!(op, Op::Broadcast | Op::Reduce);
            let hops = if pipeline { n - 1 } else { steps };
            let latency = machine(&HOPS).cost(schedule.ranks, &schedule.steps, 1.0 / f).time();
            assert!(near(latency, hops as f64), "{op:?} {algo:?} {n}: {latency}");
            let (all_sent, all_received) = (cost.sent.iter().sum(), cost.received.iter().sum());
            assert!(near(all_sent, all_received));
        }
    }
}

#[test]
fn trees_send_three_and_two_buffers() {
    for n in 2..=64_usize {
        let at = |algo| {
            let schedule = Schedule::new(Op::AllReduce, algo, n, n).unwrap_or_else(|e| panic!("{e}"));
            (machine(&PLAIN).cost(schedule.ranks, &schedule.steps, 1.0 / n as f64), schedule.steps.len())
        };
        let (one, one_steps) = at(Algo::BinaryTree);
        let (two, two_steps) = at(Algo::DoubleBinaryTree);
        // An inner rank sends one buffer up and two down; in two trees of half of the chunks each it does so once, and
        // half a buffer up as a leaf.
        assert!(one.most_sent() <= 3.0 + 1e-9 && (n < 6 || one.most_sent() >= 3.0 - 1e-9), "{n}: {}", one.most_sent());
        let odd_chunk = 3.0 / n as f64;
        assert!(two.most_sent() <= 2.0 + odd_chunk, "{n}: {}", two.most_sent());
        assert!(n < 8 || two_steps < one_steps, "{n}: {two_steps} {one_steps}");
        if n == 64 {
            assert_eq!(two.most_sent(), 2.0);
        }
    }
}

#[test]
fn a_mesh_gains_what_a_port_does_not() {
    let time = |algo, wiring| {
        let link: &'static Link = if wiring == Wiring::Port { &PLAIN } else { &Link { wiring: Wiring::Mesh, ..PLAIN } };
        let schedule = Schedule::new(Op::AllReduce, algo, 8, 8).expect("possible");
        machine(link).cost(schedule.ranks, &schedule.steps, 1.0 / 8.0).time()
    };
    assert_eq!(time(Algo::Ring, Wiring::Port), time(Algo::Ring, Wiring::Mesh));
    assert_eq!(time(Algo::BidirectionalRing, Wiring::Port), 1.75);
    assert_eq!(time(Algo::BidirectionalRing, Wiring::Mesh), 1.0);
}

#[test]
fn nodes_cost_what_their_network_does() {
    // Within the nodes 2·7/8 of S over NVLink, between them 2·1/2 of an eighth over InfiniBand.
    let hierarchical = run("algo=hierarchical&ranks=16&node=8&bytes=1e9&link=nvlink4&net=ndr");
    let inside = 2.0 * (7.0 * 3.4e-6 + 7.0 / 8.0 * 1e9 / 450e9);
    let between = 2.0 * (14e-6 + 0.5 * 1e9 / 8.0 / 50e9);
    assert!((hierarchical.cost.time() / (inside + between) - 1.0).abs() < 1e-12);
    // The slowest chunk of a ring through both nodes crosses between them four times; without bytes nothing else counts.
    let ring = |bytes: &str| run(&format!("algo=ring&ranks=16&node=8&bytes={bytes}&link=nvlink4&net=ndr")).cost;
    let latency = 4.0 * 14e-6 + 26.0 * 3.4e-6;
    assert!((ring("1").time() / latency - 1.0).abs() < 1e-4);
    // Of a gigabyte every one of 30 chunks waits for the port between the nodes. Latencies overlap with that, but for those
    // of the first chunk's way there and of the last one's onward.
    let bytes = 30.0 * 1e9 / 16.0 / 50e9;
    let cost = ring("1e9");
    assert!((bytes..bytes + latency).contains(&cost.time()), "{} {bytes}", cost.time());
    assert!((cost.steps.iter().sum::<f64>() / cost.time() - 1.0).abs() < 1e-12);
    let error = Run::new(&params("algo=hierarchical&ranks=12&node=8")).expect_err("no whole nodes");
    assert_eq!(error, "The hierarchical algorithm needs whole nodes: 12 ranks are no multiple of 8 in a node.");
    let error = Run::new(&params("algo=binary-tree&op=all-gather")).expect_err("not for a gather");
    assert_eq!(
        error,
        "Binary tree, pipelined is no algorithm for all-gather; these are: naive, ring, bidirectional-ring, \
         halving-doubling, direct, hierarchical."
    );
}

#[test]
fn one_slow_rank_slows_a_ring_by_as_much() {
    let slow = run("ranks=8&slow-rank=3&slow-by=4");
    // All of its bytes are four times slower; latency, one part in eighty of a step, overlaps with them.
    let slower = slow.cost.time() / slow.even_time;
    assert!((3.95..4.0).contains(&slower), "{slower}");
    let said = format!("Rank 3, 4 times slower, makes it last {} times as long.", digits(slower));
    assert!(slow.finding().contains(&said), "{}", slow.finding());
    // A message through the root meets it only twice.
    let naive = run("algo=naive&ranks=8&slow-rank=3&slow-by=4");
    assert!((naive.cost.time() / naive.even_time - (12.0 + 2.0 * 4.0) / 14.0).abs() < 1e-12);
    let absent = run("ranks=4&slow-rank=7&slow-by=4");
    assert_eq!(absent.cost.time(), absent.even_time);
}

#[test]
fn a_broken_cable_stops_a_ring_from_both_of_its_ends() {
    let run = run("ranks=8&cut=true&cut-from=3&cut-to=4");
    // Rank 4 waits for 3 and 3 for 4; each step later one more on either side.
    assert_eq!(run.stuck, [3, 2, 1, 0, 0, 1, 2, 3].map(Some));
    assert!(!run.ends());
    let get = |id: &str| run.params.quantities(&run).iter().find(|q| q.id == id).map(|q| q.value);
    assert_eq!((get("stuck"), get("algbw"), get("busbw")), (Some(8.0), Some(0.0), Some(0.0)));
    // No chunk is summed without crossing all cables but one, and there are three steps.
    assert_eq!(get("done"), Some(0.0));
    assert_eq!(
        run.finding(),
        "The cable between ranks 3 and 4 is broken. It is needed in step 1; 3\u{a0}steps later all 8 ranks wait for ever, each \
         for another, and 0% of the result is there. Nobody fails: a watchdog has to end it."
    );
    assert!(run.step_finding(5).ends_with("nothing moves; 8\u{a0}ranks wait for ever."), "{}", run.step_finding(5));
}

#[test]
fn a_broken_cable_cuts_a_tree_off_or_is_not_noticed() {
    // A broadcast reaches rank 4 in its last step: rank 0 waits for it, and has what it needs.
    let broadcast = run("op=broadcast&algo=binomial-tree&ranks=8&cut=true&cut-from=0&cut-to=4");
    assert_eq!(broadcast.stuck.iter().flatten().count(), 2);
    assert!((broadcast.done() - 7.0 / 8.0).abs() < 1e-12, "{}", broadcast.done());
    // The sum needs everyone.
    let first = ["naive", "binomial-tree", "binary-tree", "halving-doubling", "direct"].map(|algo| (algo, 1));
    for (algo, to) in first.into_iter().chain([("double-binary-tree", 4)]) {
        let sum = run(&format!("algo={algo}&ranks=8&cut=true&cut-from=0&cut-to={to}"));
        assert!(sum.stuck.iter().all(Option::is_some), "{algo}: {:?}", sum.stuck);
    }
    let unused = run("ranks=8&cut=true&cut-from=0&cut-to=4");
    assert!(unused.ends() && unused.done() == 1.0);
    assert!(unused.finding().contains("nobody notices"), "{}", unused.finding());
    let none = run("ranks=4&cut=true&cut-from=3&cut-to=4");
    assert!(none.params.broken().is_none() && none.ends());
}

/// A chunk of each length, some of them empty; every rank has a buffer of all of them.
fn buffers(op: Op, ranks: usize, lengths: &[usize]) -> Vec<Vec<f64>> {
    let chunks = op.chunks(ranks);
    let total: usize = (0..chunks).map(|chunk| lengths[chunk % lengths.len()]).sum();
    (0..ranks).map(|rank| (0..total).map(|i| ((rank * 31 + i * 7) % 101) as f64).collect()).collect()
}

#[test]
fn whole_buffers_in_uneven_chunks_come_to_what_direct_computation_says() {
    // Executed on whole buffers by offsets, as a program would do it, without the simulator's own state.
    let lengths = [3, 0, 1, 4, 2];
    for ranks in 2..=17 {
        for (op, algo, node, schedule) in all(ranks) {
            let start = buffers(op, ranks, &lengths);
            let span = |chunk: usize| {
                let at = |chunk: usize| (0..chunk).map(|c| lengths[c % lengths.len()]).sum::<usize>();
                at(chunk)..at(chunk + 1)
            };
            let spans: Vec<_> = (0..op.chunks(ranks)).map(span).collect();
            let mut now = start.clone();
            for step in &schedule.steps {
                let before: Vec<Vec<f64>> = step
                    .transfers
                    .iter()
                    .map(|t| now[usize::from(t.from)][spans[usize::from(t.chunk)].clone()].to_vec())
                    .collect();
                for (t, sent) in step.transfers.iter().zip(before) {
                    let into = &mut now[usize::from(t.to)][spans[usize::from(t.chunk)].clone()];
                    for (old, new) in into.iter_mut().zip(sent) {
                        *old = if t.action == Action::Reduce { *old + new } else { new };
                    }
                }
            }
            for (rank, buffer) in now.iter().enumerate() {
                for (chunk, span) in spans.iter().enumerate() {
                    for i in span.clone() {
                        let sum: f64 = start.iter().map(|buffer| buffer[i]).sum();
                        let right = match op {
                            Op::Broadcast => start[0][i],
                            Op::AllReduce => sum,
                            Op::Reduce if rank == 0 => sum,
                            Op::ReduceScatter if chunk == rank => sum,
                            Op::AllGather => start[chunk][i],
                            Op::AllToAll if chunk % ranks == rank => start[chunk / ranks][i],
                            Op::Reduce | Op::ReduceScatter | Op::AllToAll => continue,
                        };
                        assert_eq!(buffer[i], right, "{op:?} {algo:?} {ranks} in nodes of {node}: rank {rank}, {i}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_default_is_the_ring_that_everyone_derives() {
    let run = run("");
    let get = |id: &str| run.params.quantities(&run).iter().find(|q| q.id == id).map(|q| q.value);
    assert_eq!(get("steps"), Some(14.0));
    assert_eq!(get("bytes-sent-per-rank"), Some(1.75e9));
    assert_eq!(get("bytes-busiest-link"), Some(1.75e9));
    assert_eq!(get("idle"), Some(0.0));
    let time = 14.0 * 3.4e-6 + 1.75e9 / 450e9;
    assert!((get("time").unwrap_or(0.0) / time - 1.0).abs() < 1e-12);
    assert!((get("busbw").unwrap_or(0.0) / (1.75 * 1e9 / time) - 1.0).abs() < 1e-12);
    assert_eq!(run.phases(), [("reduce-scatter", 7), ("all-gather", 7)]);
    assert_eq!(run.cost_until(3).sent, [375e6; 8]);
    assert_eq!(run.cost_until(99), run.cost);
    assert_eq!(
        run.step_finding(0),
        "Before the first step each of 8 ranks has its own numbers in 8 chunks of 125\u{a0}MB."
    );
    assert_eq!(
        run.step_finding(3),
        "Step 3 of 14, reduce-scatter: every rank sends the next 1\u{a0}chunk (125\u{a0}MB), added to what is there, in \
         281\u{a0}µs."
    );
    assert!(
        run.end_finding().starts_with("All 64\u{a0}chunks hold every rank’s number once;"),
        "{}",
        run.end_finding()
    );
    assert!(run.end_finding().ends_with("Every rank has the same bits."), "{}", run.end_finding());
}

#[test]
fn every_state_has_sentences() {
    for (op, algo, node, schedule) in all(6) {
        let run = Run::new(&Params { op, algo, ranks: 6, node, ..params("") }).expect("possible");
        for step in 0..=schedule.steps.len() + 1 {
            let text = run.step_finding(step);
            assert!(text.ends_with('.') && text.len() > 40, "{op:?} {algo:?} {step}: {text}");
        }
        assert!(run.end_finding().starts_with("All "), "{}", run.end_finding());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever the numbers are, also huge and tiny ones beside each other.
    #[test]
    fn any_numbers_come_to_their_sum(
        ranks in 2..=20_usize, which in any::<prop::sample::Index>(), values in prop::collection::vec(-1e6_f32..1e6, 400)
    ) {
        let schedules: Vec<_> = all(ranks).collect();
        let (op, algo, node, schedule) = which.get(&schedules);
        let check = end(schedule, *op, |rank, chunk| values[(rank * 37 + chunk) % values.len()]);
        prop_assert_eq!(check.wanted, check.right, "{:?} {:?} {} {}", op, algo, ranks, node);
    }

    #[test]
    fn nothing_panics_and_costs_are_finite(
        op in 0..6_usize, algo in 0..9_usize, ranks in 0..80_usize, node in 0..80_usize, chunk in 0.0..1e12_f64,
        slow in (0..100_usize, 0.0..100.0_f64), step in 0..300_usize
    ) {
        let (op, algo) = (Op::ALL[op], Algo::ALL[algo]);
        match Schedule::new(op, algo, ranks, node) {
            Ok(schedule) => {
                let machine = Machine { node, slow_rank: slow.0, slow_by: slow.1, ..machine(&HOPS) };
                let cost = machine.cost(schedule.ranks, &schedule.steps, chunk);
                prop_assert!(cost.time().is_finite() && cost.time() > 0.0);
                prop_assert!((0.0..=1.0).contains(&cost.idle_share()));
                let check = State::after(op, &schedule, step).check(number);
                if step >= schedule.steps.len() {
                    prop_assert_eq!(check.right, check.wanted);
                }
            }
            Err(why) => prop_assert!(why.ends_with('.')),
        }
    }
}
