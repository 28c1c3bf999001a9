use super::balance::imbalance;
use super::capacity::{Drop, capacity, keep, rounded};
use super::cost::{Placement, Sending, Traffic};
use super::figure::Params;
use super::route::{Choice, Gate, Groups, Router, load};
use crate::declare::Model as _;
use crate::query::Query;

fn quantity(query: &str, id: &str) -> f64 {
    let evaluation = (Params::ENTRY.evaluate)(&Query::parse(query));
    assert_eq!(evaluation.problems, [], "{query}");
    evaluation.get(id).unwrap_or_else(|| panic!("{query}: {:?}", evaluation.error))
}

fn near(ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours / theirs - 1.0).abs() < tolerance, "{ours} {theirs}");
}

#[test]
fn parameters_are_those_of_the_reports() {
    near(quantity("model=deepseek-v3&ep=64", "total-params"), 671e9, 0.001);
    // A token looks up one row of the embedding and computes with none of it. DeepSeek's 37 B and OpenAI's 3.6 B are counted so; Mistral's
    // 12.9 B and Qwen's 3.3 B have the embedding in them.
    near(quantity("model=deepseek-v3&ep=64", "active-params"), 36.6e9, 0.002);
    near(quantity("model=gpt-oss-20b", "active-params"), 3.61e9, 0.002);
    near(quantity("model=qwen3-30b-a3b", "active-params") + 151_936.0 * 2048.0, 3.35e9, 0.002);
    near(quantity("model=mixtral-8x7b", "total-params"), 46.7e9, 0.001);
    near(quantity("model=mixtral-8x7b", "active-params") + 32_000.0 * 4096.0, 12.88e9, 0.001);
    near(quantity("model=qwen3-30b-a3b", "total-params"), 30.5e9, 0.002);
    near(quantity("model=gpt-oss-20b", "total-params"), 20.9e9, 0.002);
}

#[test]
fn a_gpu_brings_its_links_unless_others_are_named() {
    let links = |query: &str| {
        let (params, _) = Params::read(&Query::parse(query));
        [params.link.id, params.net.id]
    };
    assert_eq!(links("gpu=a100-80"), ["nvlink3", "hdr"]);
    assert_eq!(links("gpu=a100-80&link=nvlink4"), ["nvlink4", "hdr"]);
}

#[test]
fn capacity_is_exact() {
    assert_eq!(capacity(1000, 1, 10, 1.1), 110);
    assert_eq!(rounded(1000, 10, 1.1), [111, 110]);
    assert_eq!(capacity(16, 2, 8, 1.0), 4);
    assert_eq!(capacity(0, 2, 8, 1.0), 0);
    assert_eq!(capacity(u64::MAX, 32, 1, 4.0), u64::MAX);
}

fn one(expert: usize, weight: f64) -> Vec<Choice> {
    vec![Choice { expert, weight }]
}

#[test]
fn a_full_expert_drops_as_it_is_told() {
    let routed = [one(0, 0.2), one(0, 0.9), one(1, 0.5), one(0, 0.4)];
    assert_eq!(keep(&routed, 2, 2, Drop::Position), [vec![true], vec![true], vec![true], vec![false]]);
    assert_eq!(keep(&routed, 2, 2, Drop::Weight), [vec![false], vec![true], vec![true], vec![true]]);
    let two = [vec![one(1, 0.6)[0], one(0, 0.4)[0]], one(0, 0.5)];
    assert_eq!(keep(&two, 2, 1, Drop::Position), [vec![true, true], vec![false]]);
    assert_eq!(keep(&two, 2, 1, Drop::Choice), [vec![true, false], vec![true]]);
}

#[test]
fn a_bias_decides_the_choice_and_no_weight() {
    let router = Router { gate: Gate::Sigmoid { renormalised: false }, top_k: 1, groups: None, scale: 1.0 };
    let logits = [1.0, 0.0];
    assert_eq!(router.route(&logits, &[])[0].expert, 0);
    let pushed = router.route(&logits, &[-1.0, 0.0])[0];
    assert_eq!((pushed.expert, pushed.weight), (1, 0.5));
}

#[test]
fn a_token_stays_within_its_groups() {
    let groups = Some(Groups { count: 4, kept: 2, best: 2 });
    let router = Router { gate: Gate::Softmax { renormalised: true }, top_k: 4, groups, scale: 1.0 };
    for row in super::tokens::logits(200, 16, 1.0, 3) {
        let mut used: Vec<usize> = router.route(&row, &[]).iter().map(|c| c.expert / 4).collect();
        used.sort_unstable();
        used.dedup();
        assert!(used.len() <= 2, "{used:?}");
    }
}

#[test]
fn skew_can_be_caused_and_repaired() {
    for model in ["mixtral-8x7b", "gpt-oss-20b", "qwen3-30b-a3b", "deepseek-v3"] {
        let at = |query: &str| quantity(&format!("model={model}&ep=8&capacity=1.25&{query}"), "busiest");
        let (even, skewed) = (at("skew=0"), at("skew=3"));
        assert!(skewed > 1.5 * even, "{model}: {even} {skewed}");
        for balance in ["loss", "bias"] {
            let repaired = at(&format!("skew=3&balance={balance}"));
            assert!(repaired < 0.75 * skewed, "{model}, {balance}: {skewed} {repaired}");
        }
        assert_eq!(at("skew=3&balance=bias&updates=0"), skewed, "{model}");
    }
}

#[test]
fn an_even_layer_is_priced_as_the_planner_does() {
    // One token on each of eight ranks, one expert on each, every token to every other: n − 1 vectors out of each port.
    let place = Placement { ranks: 8, node: 8, experts: 8 };
    let all = |_| (0..8).map(|expert| Choice { expert, weight: 0.125 }).collect::<Vec<_>>();
    let routed: Vec<Vec<Choice>> = (0..8).map(all).collect();
    let kept = vec![vec![true; 8]; 8];
    let traffic = Traffic::of(&routed, &kept, &place, Sending::Copies);
    assert!(traffic.inside.iter().all(|ports| *ports == [7, 7]));
    assert_eq!(traffic.worked, [8; 8]);
    let nodes = Placement { node: 4, ..place };
    let copies = Traffic::of(&routed, &kept, &nodes, Sending::Copies);
    assert!(copies.between.iter().all(|ports| *ports == [4, 4]) && copies.inside.iter().all(|ports| *ports == [3, 3]));
    // One vector crosses to the other node, and there goes on to the three others.
    let once = Traffic::of(&routed, &kept, &nodes, Sending::Nodes);
    assert!(once.between.iter().all(|ports| *ports == [1, 1]) && once.inside.iter().all(|ports| *ports == [6, 6]));
}

#[test]
fn nodes_are_limited() {
    let free = quantity("model=deepseek-v3&ep=64&limit=8&skew=0", "nodes");
    let limited = quantity("model=deepseek-v3&ep=64&skew=0", "nodes");
    assert!(limited <= 4.0 && limited < free, "{limited} {free}");
    let copies = quantity("model=deepseek-v3&ep=64&skew=0", "between-bytes");
    let once = quantity("model=deepseek-v3&ep=64&skew=0&sending=nodes", "between-bytes");
    assert!(once < 0.6 * copies, "{once} {copies}");
}

#[test]
fn impossible_spreads_are_said() {
    let evaluation = (Params::ENTRY.evaluate)(&Query::parse("model=mixtral-8x7b&ep=16"));
    let error = evaluation.error.expect("an error");
    assert_eq!(error, "8 experts do not spread evenly over 16 GPUs. Choose a number that divides 8: 1, 2, 4, 8.");
}

#[test]
fn loads_add_up() {
    let router = Router { gate: Gate::Chosen, top_k: 3, groups: None, scale: 1.0 };
    let routed: Vec<_> = super::tokens::logits(50, 9, 0.5, 7).iter().map(|row| router.route(row, &[])).collect();
    assert_eq!(load(&routed, 9).iter().sum::<usize>(), 150);
    assert_eq!(imbalance(&[0.0, 0.0]), 1.0);
    assert_eq!(imbalance(&[3.0, 1.0]), 1.5);
}
