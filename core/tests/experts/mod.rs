//! Routers, capacities and losses of mixtures of experts, against transformers, Megatron-LM and DeepSpeed.

use std::collections::BTreeSet;

use ringside_core::moe::balance::{auxiliary, z_loss};
use ringside_core::moe::capacity::{Drop, capacity, keep, rounded};
use ringside_core::moe::route::{Choice, Gate, Groups, Router, load, softmax};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "moe-routing";
const FILE: &str = "oracles/moe_routing.json";
/// They compute in float32 and write seven digits.
const FLOAT32: f64 = 2e-5;

fn table(value: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| row.as_array().expect("a row").iter().map(|x| x.as_f64().expect("a number")).collect();
    value.as_array().expect("rows").iter().map(row).collect()
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().map(|all| all.iter().map(|x| x.as_f64().expect("a number")).collect()).unwrap_or_default()
}

fn counts(value: &Value) -> Vec<usize> {
    list(value).into_iter().map(|x| x as usize).collect()
}

fn named<'a>(oracle: &'a Value, functions: &'static [&'static str]) -> impl Iterator<Item = (&'a str, &'a Value)> {
    cases(oracle).iter().filter_map(move |case| {
        let function = case["function"].as_str().expect("a function");
        functions.contains(&function).then_some((function, case))
    })
}

/// The router of a case.
fn router(function: &str, inputs: &Value) -> Router {
    let flag = |key: &str| inputs[key].as_bool().unwrap_or(false);
    let renormalised = flag("norm_topk_prob");
    let top_k = int(inputs, "top_k") as usize;
    let size = |key: &str| inputs[key].as_u64().unwrap_or(1) as usize;
    let groups = |best| Some(Groups { count: size("n_group"), kept: size("topk_group"), best });
    let scale = ["routed_scaling_factor", "scaling_factor"].iter().find_map(|key| inputs[*key].as_f64()).unwrap_or(1.0);
    let (gate, groups) = match function {
        "mixtral" => (Gate::Softmax { renormalised: true }, None),
        "qwen2_moe" | "qwen3_moe" => (Gate::Softmax { renormalised }, None),
        // This library ignores norm_topk_prob of DeepSeek-V2; every published config has it false.
        "deepseek_v2" if inputs["topk_method"] == "greedy" => (Gate::Softmax { renormalised: false }, None),
        "deepseek_v2" => (Gate::Softmax { renormalised: false }, groups(1)),
        "deepseek_v3" => (Gate::Sigmoid { renormalised }, groups(2)),
        "gpt_oss" => (Gate::Chosen, None),
        "llama4" => (Gate::SigmoidOfChosen, None),
        // Its groups are scored by the best top_k / topk_group experts, DeepSeek-V3's by the best two.
        "megatron_group_limited" => {
            let gate = match inputs["score_function"].as_str() {
                Some("sigmoid") => Gate::Sigmoid { renormalised: true },
                _ => Gate::Softmax { renormalised: false },
            };
            (gate, groups(top_k / size("topk_group")))
        }
        "megatron_token_drop_probs" if !flag("use_pre_softmax") => (Gate::Chosen, None),
        _ => (Gate::Softmax { renormalised: false }, None),
    };
    Router { gate, top_k, groups, scale }
}

fn routed(router: &Router, inputs: &Value) -> Vec<Vec<Choice>> {
    let bias = ["e_score_correction_bias", "expert_bias"].iter().map(|key| list(&inputs[*key])).find(|b| !b.is_empty());
    table(&inputs["logits"]).iter().map(|row| router.route(row, bias.as_deref().unwrap_or_default())).collect()
}

/// Experts and weights of every token, and tokens of every expert.
fn routers() -> Check {
    let mut check = Check::new(MODEL, FILE, "experts and weights of tokens under nine routers", FLOAT32);
    let functions = &[
        "mixtral",
        "qwen2_moe",
        "qwen3_moe",
        "deepseek_v2",
        "deepseek_v3",
        "gpt_oss",
        "llama4",
        "megatron_group_limited",
    ];
    for (function, case) in named(&json(FILE), functions) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let routed = routed(&router(function, inputs), inputs);
        for (token, choices) in routed.iter().enumerate() {
            let experts: Vec<usize> = choices.iter().map(|c| c.expert).collect();
            assert_eq!(experts, counts(&outputs["expert_indices"][token]), "{function}, token {token}");
            for (choice, theirs) in choices.iter().zip(list(&outputs["weights"][token])) {
                check.close(&format!("{function}, token {token}"), choice.weight, theirs);
            }
        }
        let experts = int(inputs, "num_experts") as usize;
        assert_eq!(load(&routed, experts), counts(&outputs["tokens_per_expert"]), "{function}");
        check.case();
    }
    check
}

/// transformers 4.57.6 gives the experts of groups that were not chosen a score of 0.0 in place of −∞. Where every score with its
/// bias is below 0, 0.0 wins: tokens leave their groups. 5.23.0 and the definition do not.
#[test]
fn experts_outside_the_groups_are_out_of_reach() {
    let oracle = json(FILE);
    let (_, case) = named(&oracle, &["deepseek_v3"]).find(|(_, c)| c.get("disagreement").is_some()).expect("a case");
    let inputs = &case["inputs"];
    let router = router("deepseek_v3", inputs);
    let groups = router.groups.expect("groups");
    let size = int(inputs, "num_experts") as usize / groups.count;
    let used = |experts: &[usize]| experts.iter().map(|e| e / size).collect::<BTreeSet<_>>().len();
    let wrong = &case["disagreement"]["outputs"]["expert_indices"];
    for (token, choices) in routed(&router, inputs).iter().enumerate() {
        let ours: Vec<usize> = choices.iter().map(|c| c.expert).collect();
        assert!(used(&ours) <= groups.kept && used(&counts(&wrong[token])) > groups.kept, "token {token}");
    }
}

/// What is kept of each token, as sets.
fn kept(routed: &[Vec<Choice>], kept: &[Vec<bool>]) -> Vec<Vec<Choice>> {
    let of = |(choices, kept): (&Vec<Choice>, &Vec<bool>)| {
        choices.iter().zip(kept).filter(|(_, kept)| **kept).map(|(c, _)| *c).collect()
    };
    routed.iter().zip(kept).map(of).collect()
}

fn same_experts(context: &str, ours: &[Vec<Choice>], theirs: &Value) {
    for (token, choices) in ours.iter().enumerate() {
        let ours: BTreeSet<usize> = choices.iter().map(|c| c.expert).collect();
        assert_eq!(ours, counts(&theirs[token]).into_iter().collect(), "{context}, token {token}");
    }
}

/// Who is dropped, by position, by weight, and second choices first.
fn dropped() -> Check {
    let mut check = Check::new(MODEL, FILE, "who is dropped at capacity, under six rules", FLOAT32);
    let oracle = json(FILE);
    let functions =
        &["deepspeed_top1gating", "deepspeed_top2gating", "deepspeed_topkgating", "megatron_token_drop_probs"];
    for (function, case) in named(&oracle, functions) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let experts = int(inputs, "num_experts");
        let top_k = match function {
            "deepspeed_top1gating" => 1,
            "deepspeed_top2gating" => 2,
            _ => int(inputs, "top_k"),
        };
        let router = match function {
            "deepspeed_top1gating" | "deepspeed_top2gating" => {
                let gate = Gate::Softmax { renormalised: false };
                Router { gate, top_k: top_k as usize, groups: None, scale: 1.0 }
            }
            _ => router(function, inputs),
        };
        let drop = match (function, inputs["drop_policy"].as_str()) {
            ("deepspeed_top2gating", _) => Drop::Choice,
            ("megatron_token_drop_probs", _) | (_, Some("probs")) => Drop::Weight,
            _ => Drop::Position,
        };
        let routed = routed(&router, inputs);
        let least = inputs["min_capacity"].as_u64().unwrap_or(0);
        let room = capacity(routed.len() as u64, top_k, experts, real(inputs, "capacity_factor")).max(least);
        assert_eq!(room, int(outputs, "capacity"), "{function}");
        let kept = kept(&routed, &keep(&routed, experts as usize, room, drop));
        let experts = experts as usize;
        assert_eq!(load(&routed, experts), counts(&outputs["tokens_per_expert_before_drop"]), "{function}");
        assert_eq!(load(&kept, experts), counts(&outputs["tokens_per_expert_kept"]), "{function}");
        // Of tied tokens DeepSpeed's top-1 does not define which survive, so only counts are given.
        if outputs.get("kept_experts").is_some() {
            same_experts(function, &kept, &outputs["kept_experts"]);
        }
        weights_that_are_left(&mut check, function, &kept, outputs);
        check.case();
    }
    switch(&mut check, &oracle);
    gshard(&mut check, &oracle);
    check
}

/// DeepSpeed divides by the sum of what is kept, Megatron-LM does not.
fn weights_that_are_left(check: &mut Check, function: &str, kept: &[Vec<Choice>], outputs: &Value) {
    let (key, renormalised) = match function {
        "deepspeed_top2gating" | "deepspeed_topkgating" => ("combine_weights", true),
        "megatron_token_drop_probs" => ("kept_probs", false),
        _ => return,
    };
    for (token, choices) in kept.iter().enumerate() {
        let sum: f64 = if renormalised { choices.iter().map(|c| c.weight).sum() } else { 1.0 };
        let mut ours: Vec<Choice> = choices.clone();
        ours.sort_by_key(|c| c.expert);
        for (choice, theirs) in ours.iter().zip(list(&outputs[key][token])) {
            check.close(&format!("{function}, token {token}"), choice.weight / sum, theirs);
        }
    }
}

/// transformers' Switch: capacity within each sequence, in the order of tokens; it is given, not computed from a factor.
fn switch(check: &mut Check, oracle: &Value) {
    let router = Router { gate: Gate::Softmax { renormalised: false }, top_k: 1, groups: None, scale: 1.0 };
    for (function, case) in named(oracle, &["switch_top1"]) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let experts = int(inputs, "num_experts") as usize;
        for (s, sequence) in inputs["logits"].as_array().expect("sequences").iter().enumerate() {
            let routed: Vec<Vec<Choice>> = table(sequence).iter().map(|row| router.route(row, &[])).collect();
            let places = keep(&routed, experts, int(inputs, "expert_capacity"), Drop::Position);
            let gone: Vec<usize> = (0..routed.len()).filter(|t| !places[*t][0]).collect();
            assert_eq!(gone, counts(&outputs["dropped_tokens"][s]), "{function}");
            for (choices, theirs) in routed.iter().zip(list(&outputs["weights"][s])) {
                check.close(function, choices[0].weight, theirs);
            }
        }
        check.case();
    }
}

/// GShard's top-2 as NLLB-MoE has it: capacity 2·⌈tokens / experts⌉ or a part of the tokens; second choices queue after all first.
fn gshard(check: &mut Check, oracle: &Value) {
    let router = Router { gate: Gate::Softmax { renormalised: false }, top_k: 2, groups: None, scale: 1.0 };
    for (function, case) in named(oracle, &["nllb_gshard_top2"]) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let experts = int(inputs, "num_experts") as usize;
        let routed: Vec<Vec<Choice>> = table(&inputs["logits"]).iter().map(|row| router.route(row, &[])).collect();
        let part = real(inputs, "moe_eval_capacity_token_fraction");
        let tokens = routed.len() as u64;
        let room = if part > 0.0 { capacity(tokens, 1, 1, part) } else { 2 * tokens.div_ceil(experts as u64) };
        assert_eq!(room, int(outputs, "capacity"), "{function}");
        // With priority, the tokens that are surest of their first choice go first.
        let mut order: Vec<usize> = (0..routed.len()).collect();
        if inputs["batch_prioritized_routing"].as_bool() == Some(true) {
            order.sort_by(|a, b| routed[*b][0].weight.total_cmp(&routed[*a][0].weight));
        }
        let queue: Vec<Vec<Choice>> = order.iter().map(|token| routed[*token].clone()).collect();
        let places = keep(&queue, experts, room, Drop::Choice);
        let mut kept_of = vec![Vec::new(); routed.len()];
        for (token, choices) in order.iter().zip(kept(&queue, &places)) {
            kept_of[*token] = choices;
        }
        same_experts(function, &kept_of, &outputs["kept_experts"]);
        check.case();
    }
}

/// Auxiliary losses and z-losses. Ours is 1 when balanced, as Megatron-LM's is; transformers' Mixtral loss is k times as large.
fn losses() -> Check {
    let mut check = Check::new(MODEL, FILE, "auxiliary losses and z-losses of three libraries", FLOAT32);
    let oracle = json(FILE);
    for (function, case) in named(&oracle, &["mixtral_load_balancing_loss_func"]) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let top_k = int(inputs, "top_k") as usize;
        let mask: Vec<bool> = match inputs["attention_mask"].as_array() {
            Some(rows) => rows.iter().flat_map(list).map(|seen| seen > 0.0).collect(),
            None => Vec::new(),
        };
        let mut logits = Vec::new();
        for layer in inputs["logits_per_layer"].as_array().expect("layers") {
            let rows = table(layer).into_iter().enumerate();
            logits.extend(rows.filter(|(i, _)| mask.get(*i).copied().unwrap_or(true)).map(|(_, row)| row));
        }
        let ours = loss(&logits, top_k, top_k);
        check.close(function, ours * top_k as f64, real(outputs, "aux_loss"));
        if let Some(theirs) = outputs["megatron_switch_load_balancing_loss_coeff_1"].as_f64() {
            check.close("megatron", ours, theirs);
            check.close("megatron z", z_loss(&logits), real(outputs, "megatron_z_loss_coeff_1"));
        }
        check.case();
    }
    for (function, case) in named(&oracle, &["switch_load_balancing_and_z_loss"]) {
        let all: Vec<Vec<Vec<f64>>> =
            case["inputs"]["logits"].as_array().expect("sequences").iter().map(table).collect();
        // Balanced within each sequence, then averaged.
        let mean = all.iter().map(|logits| loss(logits, 1, 1)).sum::<f64>() / all.len() as f64;
        check.close(function, mean, real(&case["outputs"], "aux_loss"));
        check.close(function, z_loss(&all.concat()), real(&case["outputs"], "router_z_loss"));
        check.case();
    }
    // DeepSpeed's top-2 counts first choices alone, its top-k all of them.
    for (function, case) in named(&oracle, &["deepspeed_top1gating", "deepspeed_top2gating", "deepspeed_topkgating"]) {
        let top_k = case["inputs"]["top_k"].as_u64().unwrap_or(1) as usize;
        let logits = table(&case["inputs"]["logits"]);
        check.close(function, loss(&logits, top_k, top_k), real(&case["outputs"], "aux_loss"));
        check.case();
    }
    check
}

/// The auxiliary loss of a softmax router, with the first `counted` of `top_k` choices counted.
fn loss(logits: &[Vec<f64>], top_k: usize, counted: usize) -> f64 {
    let router = Router { gate: Gate::Softmax { renormalised: false }, top_k, groups: None, scale: 1.0 };
    let routed: Vec<Vec<Choice>> =
        logits.iter().map(|row| router.route(row, &[]).into_iter().take(counted).collect()).collect();
    let probabilities: Vec<Vec<f64>> = logits.iter().map(|row| softmax(row)).collect();
    auxiliary(&routed, &probabilities, logits.first().map_or(0, Vec::len))
}

/// ⌈tokens / experts × factor⌉ in float64 as Megatron-LM has it, in float32 as DeepSpeed has it. Ours is exact: it differs from one of
/// them wherever they differ from each other, and never by more than one.
fn capacities() -> Check {
    let mut check = Check::new(MODEL, FILE, "capacities, as float64 and float32 round them", 0.0);
    let oracle = json(FILE);
    let mut apart = 0;
    for (_, case) in named(&oracle, &["expert_capacity"]) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let rows = inputs["rows_tokens_experts_capacity_factor"].as_array().expect("rows");
        let theirs = ["megatron_get_capacity", "deepspeed_capacity"].map(|key| list(&outputs[key]));
        for (i, row) in rows.iter().enumerate() {
            let row = list(row);
            let (tokens, experts) = (row[0] as u64, row[1] as u64);
            let [wide, narrow] = rounded(tokens, experts, row[2]);
            let exact = capacity(tokens, 1, experts, row[2]);
            check.close("float64", wide as f64, theirs[0][i]);
            check.close("float32", narrow as f64, theirs[1][i]);
            assert!(exact == wide || exact == narrow, "{row:?}: {exact}, {wide}, {narrow}");
            assert!(exact.abs_diff(wide) <= 1 && exact.abs_diff(narrow) <= 1);
            apart += u32::from(wide != narrow);
            check.case();
        }
    }
    assert!(apart > 0);
    check
}

#[test]
fn routers_agree_with_libraries() {
    assert_eq!(routers().cases, 31);
}

#[test]
fn what_is_dropped_agrees_with_libraries() {
    assert_eq!(dropped().cases, 23);
}

#[test]
fn losses_agree_with_libraries() {
    assert_eq!(losses().cases, 20);
}

#[test]
fn capacities_agree_with_libraries() {
    assert_eq!(capacities().cases, 128);
}

/// Every comparison.
pub fn all() -> [Check; 4] {
    [routers(), dropped(), losses(), capacities()]
}
