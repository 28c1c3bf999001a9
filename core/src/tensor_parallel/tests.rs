//! The ranks against one rank, one rank against finite differences, the bytes against the papers' formulas.

use proptest::prelude::*;

use super::cost::{Machine, Widths};
use super::matrix::Matrix;
use super::params::{BOUND, difference};
use super::ranks::run;
use super::small::{Sizes, Small};
use super::trace::{Part, Phase};
use super::{Cut, Params, Run, Split};
use crate::declare::Model as _;
use crate::hardware::links;
use crate::model::{Shape, presets};
use crate::network::Fabric;
use crate::query::Query;

/// Sizes that `ranks` ranks can share, kv heads divided or copied.
fn sizes() -> impl Strategy<Value = (usize, Sizes)> {
    (1..9_usize, 1..3_usize, 1..4_usize, 0..4_usize, 1..4_usize, any::<bool>()).prop_map(
        |(ranks, per_rank, head_dim, kv, width, gated)| {
            let heads = ranks * per_rank;
            // Divided, or each on a divisor of the ranks.
            let fits: Vec<usize> = (1..=heads)
                .filter(|n| heads.is_multiple_of(*n) && (n.is_multiple_of(ranks) || ranks.is_multiple_of(*n)))
                .collect();
            let kv_heads = fits[kv % fits.len()];
            let by = |n: usize| ranks * n;
            (
                ranks,
                Sizes {
                    tokens: by(width),
                    hidden: by(width + 1),
                    heads,
                    kv_heads,
                    head_dim,
                    mid: by(width),
                    gated,
                    vocab: by(per_rank + 1),
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_ranks_computes_what_one_does((ranks, sizes) in sizes(), split in 0..4_usize, sequence in any::<bool>()) {
        let small = Small::new(sizes);
        let many = run(&small, ranks, Split::ALL[split], sequence);
        let off = difference(&small.one_rank(), &many.outcome);
        prop_assert!(off <= BOUND, "{} on {ranks}: {off:e}", Split::ALL[split].id());
    }

    #[test]
    fn what_the_ranks_send_is_what_the_formula_says((ranks, sizes) in sizes(), split in 0..4_usize, sequence in any::<bool>()) {
        prop_assume!(ranks > 1);
        let split = Split::ALL[split];
        let run = run(&Small::new(sizes), ranks, split, sequence);
        let seen = |part, phase| -> Vec<_> {
            let steps = run.steps.iter().filter(|s| s.part == part && s.phase == phase);
            steps.filter_map(|s| s.exchange.filter(|e| e.of_layer)).map(|e| (e.op, e.elements as f64, e.again)).collect()
        };
        let planned = Widths::small(&sizes).exchanges(ranks as f64, split, sequence);
        for part in [Part::Attention, Part::Mlp] {
            for phase in [Phase::Forward, Phase::Backward] {
                let of = planned.iter().filter(|e| e.part == part && e.phase == phase);
                let planned: Vec<_> = of.map(|e| (e.op, e.elements, e.again)).collect();
                prop_assert_eq!(planned, seen(part, phase));
            }
        }
    }

    /// Narayanan et al. 2021, §3.2, and Korthikanti et al. 2022, §4.2.2: 8 sbh (t − 1)/t numbers, with and without
    /// sequence parallelism.
    #[test]
    fn columns_then_rows_sends_what_the_papers_say(hidden in 1..20_000_u64, seq in 1..100_000_u64, mbs in 1..64_u64, t in 2..64_u64, sp in any::<bool>()) {
        let shape = Shape { hidden_size: hidden, ..presets::ALL[0].shape };
        let widths = Widths::of(&shape, seq, mbs).expect("it has heads");
        let link = &links::INSIDE[0];
        let machine = Machine { fabric: Fabric::flat(link), speed: 1e15, overlap: false };
        let cost = widths.cost(t as usize, Split::PAIR, sp, &machine);
        let sbh = (seq * mbs * hidden) as f64;
        let numbers = 8.0 * sbh * (t as f64 - 1.0) / t as f64;
        prop_assert!((cost.bytes / (2.0 * numbers) - 1.0).abs() < 1e-12);
        prop_assert_eq!(cost.collectives, if sp { 8 } else { 4 });
        let again = if sp { cost.bytes / 4.0 } else { 0.0 };
        prop_assert!((cost.again - again).abs() <= cost.bytes * 1e-12);
    }
}

fn tiny(kv_heads: usize, gated: bool) -> Small {
    Small::new(Sizes { tokens: 3, hidden: 4, heads: 4, kv_heads, head_dim: 2, mid: 5, gated, vocab: 6 })
}

/// The gradients of one rank against the slope of the loss, element by element.
#[test]
fn one_rank_has_the_gradients_of_its_loss() {
    for (kv_heads, gated) in [(4, true), (2, false), (1, true)] {
        let small = tiny(kv_heads, gated);
        let outcome = small.one_rank();
        let count = small.weights.all().len();
        for index in 0..count {
            let gradient = outcome.gradients.all()[index];
            for (i, j) in (0..gradient.rows).flat_map(|i| (0..gradient.cols).map(move |j| (i, j))) {
                let at = |by: f64| {
                    let mut moved = small.clone();
                    nth(&mut moved, index).add_at(i, j, by);
                    moved.one_rank().loss
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!(
                    (slope - gradient.at(i, j)).abs() < 1e-8,
                    "matrix {index}, {i}, {j}: {slope} {}",
                    gradient.at(i, j)
                );
            }
        }
    }
}

/// The matrix of this index, in the order of `Weights::all`.
fn nth(small: &mut Small, index: usize) -> &mut Matrix {
    let w = &mut small.weights;
    let [a, b] = &mut w.halves;
    let mut list = vec![&mut w.embedding];
    for half in [a, b] {
        list.extend([&mut half.gain, &mut half.bias]);
        list.extend(&mut half.first);
        list.push(&mut half.second);
    }
    list.push(&mut w.head);
    list.swap_remove(index)
}

fn at(query: &str) -> Run {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    Run::new(&params).unwrap_or_else(|e| panic!("{query}: {e}"))
}

#[test]
fn the_wrong_order_sends_more() {
    let bytes = |split: &str| at(&format!("tp=8&split={split}")).cost.bytes;
    let right = bytes("column-row");
    for wrong in ["column-column", "row-row", "row-column"] {
        assert!(bytes(wrong) > 1.8 * right, "{wrong}");
    }
    // By hand, for h = 8192, q = 8192, kv = 1024, f = 28672: an all-gather of q and of h, a reduce-scatter of q, an all-reduce
    // of h; the same with f.
    let widths = (2.0 * 8192.0 + 3.0 * 8192.0) + (2.0 * 28672.0 + 3.0 * 8192.0);
    assert!((bytes("column-column") / (7.0 / 8.0 * 8192.0 * widths * 2.0) - 1.0).abs() < 1e-12);
}

#[test]
fn the_products_are_those_of_the_model() {
    for preset in presets::ALL {
        let Ok(widths) = Widths::of(&preset.shape, 4096, 2) else { continue };
        let flops = preset.shape.forward_flops(4096, true);
        let layers = preset.shape.num_hidden_layers as f64;
        let whole = (flops.projections + flops.mlp + flops.scores + flops.values) / layers * 8192.0;
        assert!((widths.flops(1.0, Split::PAIR) / whole - 1.0).abs() < 1e-12, "{}", preset.id);
        // Eight ranks do an eighth each, but for key–value heads that are copied and a middle that is on all of them.
        let copied = 2.0 * 8192.0 * widths.hidden * 2.0 * widths.shared * (widths.copies(8.0) - 1.0);
        assert!((8.0 * widths.flops(8.0, Split::PAIR) / (whole + copied) - 1.0).abs() < 1e-12, "{}", preset.id);
        assert!(widths.flops(8.0, Split::new(Cut::Rows, Cut::Columns)) > whole / 8.0);
    }
}

#[test]
fn fewer_key_value_heads_than_ranks_are_copied() {
    let run = at("model=falcon-7b&tp=1");
    assert_eq!(run.drawn.small.sizes.kv_heads, 2);
    let run = at("model=qwen2.5-7b&tp=4");
    assert_eq!((run.drawn.small.sizes.kv_heads, run.drawn.small.sizes.heads), (4, 8));
    let run = at("model=llama-3-70b&tp=16");
    assert_eq!((run.params.drawn(), run.drawn.small.sizes.kv_heads), (8, 4));
    let copied = run.drawn.ranks.steps.iter().filter(|s| s.title == "sum over the copies").count();
    assert_eq!(copied, 1);
    assert!(run.matches());
}

#[test]
fn what_cannot_be_divided_says_what_could() {
    let refuse = |query: &str| Run::new(&Params::read(&Query::parse(query)).0).expect_err("it cannot be divided");
    assert_eq!(
        refuse("tp=3"),
        "64 query heads cannot be divided among 3 ranks. These would do: 1, 2, 4, 8, 16, 32, 64."
    );
    assert!(refuse("sp=true&seq=1001&tp=8").contains("A sequence of 1001 tokens cannot be divided among 8 ranks"));
    assert!(refuse("model=mixtral-8x7b").contains("experts"));
    assert!(refuse("node=6&tp=8").contains("8 ranks do not fill nodes of 6"));
}

#[test]
fn overlap_hides_what_has_something_to_hide_behind() {
    let exposed = |query: &str| {
        let cost = at(query).cost;
        (cost.exposed, cost.communication)
    };
    // The two all-reduces of the forward pass cannot hide; in the backward pass the weight gradient of q, k and v is too little
    // work to hide one of the other two whole.
    let (half, all) = exposed("tp=8");
    assert!(half > 0.5 * all && half < 0.65 * all, "{half} {all}");
    // Without sequence parallelism there are no pieces to run beside products.
    assert_eq!(exposed("tp=8&overlap=true"), (half, all));
    // With it and without overlap, only the reduce-scatters of the backward pass run beside a product.
    let (most, all) = exposed("tp=8&sp=true");
    assert!(most > 0.7 * all && most < all, "{most} {all}");
    let (little, all) = exposed("tp=8&sp=true&overlap=true");
    assert!(little < 0.1 * all, "{little} {all}");
    // The slower the link, the less there is to hide behind.
    let (much, all) = exposed("tp=8&sp=true&overlap=true&link=pcie4");
    assert!(much > 0.5 * all && much < all);
}

#[test]
fn sequence_parallelism_sends_as_much_and_more_nodes_wait_more() {
    let plain = at("tp=8");
    let sequence = at("tp=8&sp=true");
    assert!((plain.cost.bytes / sequence.cost.bytes - 1.0).abs() < 1e-12);
    assert!(plain.step(plain.steps()).is_some() && plain.step(plain.steps() + 1).is_none());
    let ladder = plain.ladder();
    assert_eq!(ladder.iter().map(|r| r.tp).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32, 64]);
    assert!(ladder.windows(2).all(|pair| pair[0].cost.share() < pair[1].cost.share()));
    assert!(ladder.windows(2).all(|pair| pair[0].cost.compute > pair[1].cost.compute));
    assert_eq!(ladder.iter().filter(|r| r.across).count(), 3);
}

#[test]
fn a_control_that_cuts_anew_begins_anew() {
    let read = |query: &str| Params::read(&Query::parse(query));
    let before = read("tp=4&sp=true&step=9&rank=1").0;
    let after = |change: fn(&mut Params)| {
        let mut now = before;
        change(&mut now);
        now.follow(&before);
        now
    };
    assert_eq!(after(|p| p.tp = 8), Params { tp: 8, step: 0, rank: None, ..before });
    let wrong = after(|p| p.split = Split::new(Cut::Rows, Cut::Rows));
    assert_eq!((wrong.sp, wrong.step), (false, 0));
    assert_eq!(after(|p| p.seq = 4096), Params { seq: 4096, ..before });
    let (odd, problems) = read("tp=2&rank=3&sp=true&split=row-row");
    assert_eq!((odd.rank, odd.sp), (None, false));
    assert_eq!(problems.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["sp", "rank"]);
}
