use proptest::prelude::*;

use super::*;
use crate::declare::Model as _;
use crate::mix::Stream;
use crate::planner::efficiency::{LINK, reached};
use crate::query::Query;

fn params(query: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    params
}

fn run(query: &str) -> Run {
    Run::new(params(query)).expect("it divides")
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Every method and every way to cut computes each block below the diagonal once, and none above it.
#[test]
fn each_pair_of_a_token_and_one_before_it_is_computed_once() {
    for (method, split) in Method::ALL.iter().flat_map(|m| Split::ALL.map(|s| (*m, s))) {
        for ranks in [1, 2, 3, 5, 8] {
            let p = Params { method, split, ranks, causal: true, ..params("heads=120&kv_heads=120") };
            let chunks = 2 * ranks;
            let mut times = vec![0.0; (chunks * chunks) as usize];
            for (rank, step) in (0..ranks).flat_map(|rank| (1..=p.steps()).map(move |step| (rank, step))) {
                let share = if method == Method::Ulysses { 1.0 / ranks as f64 } else { 1.0 };
                for block in p.blocks(rank, step) {
                    times[(block.query * chunks + block.key) as usize] += share;
                    assert!(p.held(rank, step).contains(&block.key), "{block:?} of rank {rank} at {step}");
                }
            }
            assert!(times.iter().all(|n| close(*n, 1.0)), "{method:?} {split:?} {ranks}: {times:?}");
            let work: f64 =
                (0..ranks).flat_map(|r| (1..=p.steps()).map(move |s| (r, s))).map(|(r, s)| p.work(r, s)).sum();
            assert!(close(work, (chunks * chunks) as f64 / 2.0));
        }
    }
}

#[test]
fn every_chunk_has_one_owner() {
    for (split, ranks) in Split::ALL.iter().flat_map(|s| [1, 2, 4, 7].map(|n| (*s, n))) {
        let mut all: Vec<u64> = (0..ranks).flat_map(|rank| split.chunks(rank, ranks)).collect();
        assert!((0..ranks).all(|rank| split.chunks(rank, ranks).iter().all(|c| split.owner(*c, ranks) == rank)));
        all.sort_unstable();
        assert_eq!(all, (0..2 * ranks).collect::<Vec<_>>());
    }
}

/// A ring of contiguous pieces takes 4n − 2 half-blocks where the zig-zag takes 2n: nearly twice as long, however many ranks.
#[test]
fn a_contiguous_split_idles_nearly_half_of_the_time() {
    for n in [2_u64, 4, 8, 16] {
        // A link so fast that only the split counts.
        let machine = format!("ranks={n}&seq=1048576&node=32&link=nvlink5");
        let even = run(&format!("split=zigzag&{machine}"));
        let uneven = run(&format!("split=contiguous&{machine}"));
        assert!(even.imbalance() < 1.0 + 1e-9 && even.exposed < 1e-9 * even.total && even.idle() < 1e-9);
        assert!(close(even.speedup(), n as f64));
        assert!(close(uneven.total / even.total, (4 * n - 2) as f64 / (2 * n) as f64));
        assert!(close(uneven.idle(), 1.0 - n as f64 / (2 * n - 1) as f64));
    }
}

/// Ring Attention, §3.2: a send hides behind attention if a rank has at least F/B tokens, with as many heads of keys as of queries
/// and no mask. Table 2 has 24.5 thousand for an A100 (312 TFLOP/s) with InfiniBand of 12.5 GB/s, 1.0 thousand with NVLink.
#[test]
fn a_ring_hides_from_as_many_tokens_as_the_paper_says() {
    for (machine, thousands) in [("node=8&link=nvlink3", 1.0), ("node=1&net=eth-100", 24.5)] {
        let p = params(&format!("gpu=a100-80&{machine}&ranks=8&heads=32&kv_heads=32&causal=false"));
        let peaks = p.hides_from() * LINK / reached(p.gpu).attention[0];
        assert!((peaks / 1000.0 / thousands - 1.0).abs() < 0.05, "{peaks}");
    }
    // At that length, the send and the attention of a step differ by the latency alone.
    for query in ["split=zigzag", "split=contiguous", "causal=false", "kv_heads=1&node=1"] {
        let p = params(query);
        let at = Params { seq: (p.hides_from() * p.ranks as f64) as u64, ..p };
        let link = if p.node == 1 { p.net } else { p.link };
        assert!(
            (at.step_transfer() - link.latency - at.step_attention()).abs() < 1e-3 * at.step_attention(),
            "{query}"
        );
    }
}

/// DeepSpeed-Ulysses, §3.2: 4·s·h/n bytes-worth of numbers in all for one layer of multi-head attention, which falls with n; a ring's
/// does not.
#[test]
fn ulysses_sends_less_the_more_ranks_there_are_and_a_ring_does_not() {
    let sent = |method: &str, n: u64| params(&format!("method={method}&ranks={n}&kv_heads=32")).sent()[0];
    for n in [2, 4, 8, 16, 32] {
        let all = 2.0 * 4.0 * 32.0 * 128.0 * 32768.0 / n as f64;
        assert!(close(sent("ulysses", n), all * (n - 1) as f64 / n as f64));
        assert!(close(sent("ring", n), 2.0 * 2.0 * 32.0 * 128.0 * 32768.0 * (n - 1) as f64 / n as f64));
        assert_eq!(sent("ring", n), sent("all-gather", n));
    }
    // Keys and values of eight heads do not get fewer than one a rank.
    let grouped = |n: u64| params(&format!("method=ulysses&ranks={n}"));
    assert!(close(grouped(8).kv_held() / grouped(16).kv_held(), 1.0));
    assert!(close(grouped(4).kv_held() / grouped(8).kv_held(), 2.0));
}

/// Each rank's gradient meets every rank once, on the way that its keys and values take, and then is home.
#[test]
fn gradients_of_keys_go_once_round_the_ring_and_come_home() {
    for (split, n) in Split::ALL.iter().flat_map(|s| [2, 3, 8].map(|n| (*s, n))) {
        let p = Params { pass: Pass::Backward, split, ranks: n, ..params("") };
        assert_eq!(p.steps(), n as usize + 1);
        for (rank, step) in (0..n).flat_map(|rank| (2..=p.steps()).map(move |step| (rank, step))) {
            assert_eq!(
                p.held(rank, step),
                p.held((rank + n - 1) % n, step - 1),
                "{split:?} {n}: rank {rank}, step {step}"
            );
        }
        for rank in 0..n {
            let mut met: Vec<u64> = (1..=n as usize).map(|step| split.owner(p.held(rank, step)[0], n)).collect();
            met.sort_unstable();
            assert_eq!(met, (0..n).collect::<Vec<_>>());
            assert_eq!(p.held(rank, p.steps()), split.chunks(rank, n));
            assert_eq!(p.work(rank, p.steps()), 0.0);
        }
    }
}

/// 2n − 1 messages backward for n − 1 forward, 2.5 times the FLOPs at the rate of the backward kernel.
#[test]
fn backward_sends_and_computes_what_its_sources_say() {
    for query in ["ranks=4", "ranks=8&node=1", "ranks=2&kv_heads=32&seq=4096"] {
        let [forward, backward] = Pass::ALL.map(|pass| Params { pass, ..params(query) });
        let link = if forward.node == 1 { forward.net } else { forward.link };
        for p in [forward, backward] {
            let transfers = p.transfers();
            let sends = transfers.iter().filter(|seconds| **seconds > 0.0).count() as f64;
            let moved = (transfers.iter().sum::<f64>() - sends * link.latency) * link.bandwidth * LINK;
            assert!((moved / p.sent_now() - 1.0).abs() < 1e-6, "{query}: {moved} and {}", p.sent_now());
        }
        let n = forward.ranks as f64;
        assert!(close(backward.sent_now() / forward.sent_now(), (2.0 * n - 1.0) / (n - 1.0)));
        let [rate, slower] = reached(forward.gpu).attention;
        assert!(close(backward.block_time() / forward.block_time(), 2.5 * rate / slower));
        assert!(close(backward.hides_from() / forward.hides_from(), 2.0 / 2.5 * slower / rate));
    }
    // Nothing but the way home is in the open where the sends hide.
    let hidden = run("pass=backward&ranks=8&seq=1048576");
    let home = hidden.params.transfers().pop().expect("a step");
    assert!(close(hidden.exposed, home) && hidden.exposed > 0.0, "{} and {home}", hidden.exposed);
    // Ulysses sends as much back as there; a gather has a reduce-scatter beside it.
    let total = |query: &str| run(query).exposed;
    assert!(close(total("method=ulysses&pass=backward"), total("method=ulysses")));
    let twice = total("method=all-gather&pass=backward") / total("method=all-gather");
    assert!((twice - 2.0).abs() < 1e-9, "{twice}");
}

#[test]
fn what_cannot_be_divided_is_named() {
    let why = |query: &str| Run::new(params(query)).expect_err("it does not divide");
    assert!(why("method=ulysses&ranks=16&heads=8&kv_heads=8").contains("At most 8 ranks"));
    assert!(why("method=ulysses&ranks=8&heads=24&kv_heads=6").contains("6 heads of keys"));
    assert!(why("ranks=32&seq=96").contains("2 × 32"));
    assert_eq!(Params::read(&Query::parse("heads=32&kv_heads=12")).1.len(), 1);
}

/// Attention of one head in the order of the ring: pieces merged by their maxima and sums are the attention of one rank.
#[test]
fn pieces_merge_to_the_attention_of_one_rank() {
    const DIM: usize = 3;
    const CHUNK: usize = 2;
    let mut random = Stream::new(26);
    let mut next = || random.unit() * 2.0 - 1.0;
    for (split, ranks) in [(Split::Zigzag, 4), (Split::Contiguous, 3)] {
        let p = Params { split, ranks, causal: true, ..params("") };
        let tokens = 2 * ranks as usize * CHUNK;
        let mut matrix = || -> Vec<[f64; DIM]> { (0..tokens).map(|_| std::array::from_fn(|_| next())).collect() };
        let (q, k, v) = (matrix(), matrix(), matrix());
        let score = |i: usize, j: usize| -> f64 { q[i].iter().zip(k[j]).map(|(a, b)| a * b).sum() };
        let of = |chunk: u64| chunk as usize * CHUNK..(chunk as usize + 1) * CHUNK;
        for rank in 0..ranks {
            for row in split.chunks(rank, ranks).into_iter().flat_map(of) {
                let (mut most, mut sum, mut out) = (f64::NEG_INFINITY, 0.0, [0.0; DIM]);
                for step in 1..=p.steps() {
                    for block in p.blocks(rank, step).into_iter().filter(|block| of(block.query).contains(&row)) {
                        for key in of(block.key).filter(|key| *key <= row) {
                            let larger = most.max(score(row, key));
                            let (past, new) = ((most - larger).exp(), (score(row, key) - larger).exp());
                            sum = sum * past + new;
                            out = std::array::from_fn(|d| out[d] * past + new * v[key][d]);
                            most = larger;
                        }
                    }
                }
                let weights: Vec<f64> = (0..=row).map(|j| score(row, j).exp()).collect();
                let total: f64 = weights.iter().sum();
                for d in 0..DIM {
                    let plain: f64 = weights.iter().zip(&v).map(|(w, v)| w * v[d]).sum::<f64>() / total;
                    assert!((out[d] / sum - plain).abs() < 1e-12);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn sound_for_everything_that_is_valid(
        ranks in 1..=MAX_RANKS, chunk in 1..5000_u64, kv in 1..=8_u64, group in 1..=8_u64, node in 1..=72_u64,
        which in 0..3_usize, zigzag: bool, causal: bool, back: bool, step in 0..=MAX_RANKS as usize + 1,
    ) {
        let split = if zigzag { Split::Zigzag } else { Split::Contiguous };
        let standard = Params { pass: if back { Pass::Backward } else { Pass::Forward }, ..Params::standard() };
        let p = Params {
            method: Method::ALL[which], split, ranks, causal, node, step, seq: 2 * ranks * chunk, kv_heads: kv, heads: kv * group,
            ..standard
        };
        prop_assert_eq!(Params::read(&p.query()), (p, vec![]));
        let Ok(run) = Run::new(p) else {
            prop_assert_eq!(p.method, Method::Ulysses);
            return Ok(());
        };
        prop_assert!(p.quantities(&run).iter().all(|q| q.value.is_finite() && q.value >= 0.0));
        for (rank, lane) in run.lanes.iter().enumerate() {
            prop_assert!(lane.first().is_none_or(|span| span.from == 0.0) && close(lane.last().map_or(0.0, |s| s.to), run.total));
            prop_assert!(lane.windows(2).all(|w| w[0].to == w[1].from && w[0].step <= w[1].step));
            prop_assert!(lane.iter().all(|span| (1..=p.steps()).contains(&span.step)));
            let computed: f64 = lane.iter().filter(|s| s.doing == Doing::Attention).map(|s| s.to - s.from).sum();
            prop_assert!((computed - run.attention[rank]).abs() <= 1e-9 * run.total);
        }
        prop_assert!(run.total >= run.busiest() * (1.0 - 1e-9) && run.speedup() <= ranks as f64 * (1.0 + 1e-9));
        prop_assert!(run.exposed <= run.total && (0.0..1.0).contains(&run.idle()));
        prop_assert!(!run.finding(step.min(p.steps())).is_empty());
    }
}
