//! Adapters against PEFT, objectives against TRL, verl and OpenRLHF, jobs against DeepSpeed-Chat's published tables.

mod jobs;

use std::collections::BTreeMap;

use ringside_core::model::{self, Family, Import};
use ringside_core::post_training::adapters::{Adapter, Fused, Targets, Variant};
use ringside_core::post_training::losses::advantage::{Scale, gae, group, leave_one_out, whiten};
use ringside_core::post_training::losses::divergence::{Estimates, estimates, rewards};
use ringside_core::post_training::losses::masked_mean;
use ringside_core::post_training::losses::ppo::{Average, Clip, ratio, sequence_ratio, surrogate, value_loss};
use ringside_core::post_training::losses::preference::{Pair, pairwise};
use serde_json::Value;

use crate::compare::{Check, cases, fixture, int, json, real};

const PEFT: &str = "oracles/peft_lora_params.json";
const LOSSES: &str = "oracles/rl_losses.json";

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// What PEFT wraps and counts.
fn peft() -> Check {
    let mut check = Check::new("lora-adapters", PEFT, "trained parameters, matrices, size of the file, scaling", 0.0);
    for case in cases(&json(PEFT)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let name = format!("{} {} r {} {}", inputs["config"], inputs["target"], inputs["r"], inputs["variant"]);
        let Ok(Import::Known(imported)) = model::import(&fixture(&format!("configs/{}.json", text(inputs, "config"))))
        else {
            panic!("{name}: no config");
        };
        let shape = imported.shape;
        let variant = Variant::find(text(inputs, "variant")).expect("a kind");
        let targets = Targets::find(text(inputs, "target")).unwrap_or_else(|| {
            // The library's own choice: queries and values, and in Phi the MLP as well.
            let names = inputs["target_modules"].as_array().expect("a list");
            if names.iter().any(|n| n == "fc1") { Targets::QueryValueMlp } else { Targets::QueryValue }
        });
        let fused = Fused::of_family(imported.family);
        let adapter = Adapter::new(&shape, fused, targets, int(inputs, "r"), variant, 1);
        let trained = adapter.params();
        // DeepSeek-V3's code keeps the biases of its routers in a buffer, and PEFT counts parameters.
        let biases =
            shape.moe.filter(|_| imported.family == Family::DeepseekV3).map_or(0, |m| m.layers * m.num_experts);
        let total = shape.count().expect("sound").total - biases;
        check.close(&name, trained as f64, real(outputs, "trainable_params"));
        check.close(&name, total as f64, real(outputs, "base_params"));
        check.close(&name, (total + trained) as f64, real(outputs, "all_params_with_adapter"));
        check.close(&name, 2.0 * trained as f64, real(outputs, "adapter_bytes_bf16"));
        check.close(&name, adapter.tensors() as f64, real(outputs, "adapter_tensors"));
        check.close(&name, adapter.modules() as f64, real(outputs, "adapted_modules"));
        check.close(&name, adapter.scaling(real(inputs, "lora_alpha")), real(outputs, "scaling"));
        let share = 100.0 * trained as f64 / (total + trained) as f64;
        assert!((share - real(outputs, "percent_of_all")).abs() < 1e-6, "{name}: {share}");
        assert_eq!(sizes(&adapter), theirs(&outputs["modules"]), "{name}");
        check.case();
    }
    check
}

/// How often a matrix of each size is adapted. Names differ from library to library; sizes do not.
type Sizes = BTreeMap<(u64, u64), u64>;

fn sizes(adapter: &Adapter) -> Sizes {
    let mut all = Sizes::new();
    for m in &adapter.matrices {
        *all.entry((m.inputs, m.outputs)).or_default() += m.count;
    }
    all
}

fn theirs(modules: &Value) -> Sizes {
    let mut all = Sizes::new();
    for module in modules.as_object().expect("modules").values().flat_map(|list| list.as_array().expect("a list")) {
        let size = |i: usize| module["in_out"][i].as_u64().expect("a size");
        *all.entry((size(0), size(1))).or_default() += int(module, "count");
    }
    all
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().expect("numbers").iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("rows").iter().map(list).collect()
}

fn masks(value: &Value) -> Vec<Vec<bool>> {
    rows(value).into_iter().map(|row| row.into_iter().map(|m| m > 0.5).collect()).collect()
}

/// Numbers that are published to seven places: their difference counts, not its ratio.
fn near(check: &mut Check, name: &str, ours: f64, theirs: &Value) {
    let theirs = theirs.as_f64().unwrap_or_else(|| panic!("{name}: a number, not {theirs}"));
    check.close(name, 1.0 + (ours - theirs), 1.0);
}

fn all_near(check: &mut Check, name: &str, ours: &[f64], theirs: &Value) {
    for (ours, theirs) in ours.iter().zip(theirs.as_array().expect("numbers")).filter(|(_, t)| !t.is_null()) {
        near(check, name, *ours, theirs);
    }
}

/// Every function of the three libraries.
fn losses() -> Check {
    let mut check = Check::new("policy-update", LOSSES, "PPO, GAE, KL, group advantages, GRPO, DPO, pairs", 1.2e-6);
    for case in cases(&json(LOSSES)) {
        let (name, inputs, outputs) = (text(case, "function"), &case["inputs"], &case["outputs"]);
        match name {
            "ppo_policy_loss" => policy(&mut check, name, inputs, outputs),
            "ppo_value_loss" => value(&mut check, name, inputs, outputs),
            "gae" => generalized(&mut check, name, inputs, outputs),
            "reward_with_kl_penalty" => penalty(&mut check, name, inputs, outputs),
            "kl_estimators" => divergence(&mut check, name, inputs, outputs),
            "group_advantages" => groups(&mut check, name, inputs, outputs),
            "grpo_loss" => grpo(&mut check, name, inputs, outputs),
            "dpo_loss" => dpo(&mut check, name, inputs, outputs),
            "reward_model_pairwise_loss" => {
                let all: Vec<f64> = list(&inputs["chosen"])
                    .iter()
                    .zip(list(&inputs["rejected"]))
                    .map(|(c, r)| pairwise(*c, r))
                    .collect();
                near(&mut check, name, all.iter().sum::<f64>() / all.len() as f64, &outputs["openrlhf_loss"]);
            }
            other => panic!("{other} is not compared"),
        }
        check.case();
    }
    check
}

/// Log-probabilities of a batch, and what one clip makes of it.
struct Tokens {
    new: Vec<Vec<f64>>,
    old: Vec<Vec<f64>>,
    mask: Vec<Vec<bool>>,
    advantages: Vec<Vec<f64>>,
}

impl Tokens {
    fn read(inputs: &Value) -> Self {
        let new = rows(&inputs["logprobs"]);
        let advantages = match inputs["advantages"][0].as_f64() {
            Some(_) => list(&inputs["advantages"]).into_iter().zip(&new).map(|(a, row)| vec![a; row.len()]).collect(),
            None => rows(&inputs["advantages"]),
        };
        Self { old: rows(&inputs["old_logprobs"]), mask: masks(&inputs["mask"]), advantages, new }
    }

    fn ratios(&self) -> Vec<Vec<f64>> {
        let row = |(new, old): (&Vec<f64>, &Vec<f64>)| new.iter().zip(old).map(|(n, o)| ratio(*n, *o)).collect();
        self.new.iter().zip(&self.old).map(row).collect()
    }

    fn whole_ratios(&self) -> Vec<Vec<f64>> {
        let one =
            |((new, old), mask): ((&Vec<f64>, &Vec<f64>), &Vec<bool>)| vec![sequence_ratio(new, old, mask); new.len()];
        self.new.iter().zip(&self.old).zip(&self.mask).map(one).collect()
    }

    fn each(&self, ratios: &[Vec<f64>], of: impl Fn(f64, f64) -> f64) -> Vec<Vec<f64>> {
        let row = |(r, a): (&Vec<f64>, &Vec<f64>)| r.iter().zip(a).map(|(r, a)| of(*r, *a)).collect();
        ratios.iter().zip(&self.advantages).map(row).collect()
    }

    fn loss(&self, ratios: &[Vec<f64>], clip: Clip, average: Average) -> f64 {
        average.of(&self.each(ratios, |r, a| surrogate(r, a, clip).loss), &self.mask)
    }
}

fn policy(check: &mut Check, name: &str, inputs: &Value, outputs: &Value) {
    let (t, epsilon) = (Tokens::read(inputs), real(inputs, "cliprange"));
    let (ratios, clip) = (t.ratios(), Clip::of(epsilon));
    for (row, theirs) in ratios.iter().zip(outputs["ratio"].as_array().expect("rows")) {
        all_near(check, name, row, theirs);
    }
    let (trl, verl, openrlhf) = (&outputs["trl_0_11_4"], &outputs["verl"], &outputs["openrlhf"]);
    let (tokens, answers) = (t.loss(&ratios, clip, Average::Tokens), t.loss(&ratios, clip, Average::Answers));
    near(check, name, tokens, &trl["loss"]);
    near(check, name, tokens, &openrlhf["loss_token_level"]);
    near(check, name, answers, &openrlhf["loss_sequence_level"]);
    let dual = Clip { dual: Some(3.0), ..clip };
    near(check, name, t.loss(&ratios, dual, Average::Tokens), &verl["loss_dual_clip_c3_token_mean"]);
    near(check, name, t.loss(&ratios, dual, Average::Answers), &verl["loss_dual_clip_c3_seq_mean_token_mean"]);
    near(check, name, t.loss(&ratios, dual, Average::Tokens), &openrlhf["loss_dual_clip_3"]);
    // verl's vanilla loss has the second clip whatever else is set.
    let higher = Clip { low: 0.2, high: 0.28, ..dual };
    near(check, name, t.loss(&ratios, higher, Average::Tokens), &verl["loss_clip_low_0p2_high_0p28"]);
    near(check, name, t.loss(&t.whole_ratios(), clip, Average::Answers), &openrlhf["loss_gspo"]);
    let clipped = t.each(&ratios, |r, a| f64::from(u8::from(surrogate(r, a, clip).clipped)));
    near(check, name, Average::Tokens.of(&clipped, &t.mask), &trl["clipfrac"]);
    let logs: Vec<Vec<f64>> =
        t.new.iter().zip(&t.old).map(|(n, o)| n.iter().zip(o).map(|(n, o)| o - n).collect()).collect();
    near(check, name, Average::Tokens.of(&logs, &t.mask), &trl["policy_kl_k1"]);
    let halves: Vec<Vec<f64>> = logs.iter().map(|row| row.iter().map(|x| 0.5 * x * x).collect()).collect();
    near(check, name, Average::Tokens.of(&halves, &t.mask), &trl["approx_kl_half_square"]);
}

fn value(check: &mut Check, name: &str, inputs: &Value, outputs: &Value) {
    let [new, old, targets] = ["values_new", "values_old", "returns"].map(|key| rows(&inputs[key]));
    let mask = masks(&inputs["mask"]);
    let loss = |range: f64| {
        let all: Vec<Vec<f64>> = new
            .iter()
            .zip(&old)
            .zip(&targets)
            .map(|((n, o), t)| n.iter().zip(o).zip(t).map(|((n, o), t)| value_loss(*n, *o, *t, range)).collect())
            .collect();
        Average::Tokens.of(&all, &mask)
    };
    let ours = loss(real(inputs, "cliprange_value"));
    near(check, name, ours, &outputs["trl_0_11_4"]["loss"]);
    near(check, name, ours, &outputs["verl"]["loss"]);
    near(check, name, ours, &outputs["openrlhf"]["loss"]);
    near(check, name, loss(f64::INFINITY), &outputs["openrlhf"]["loss_no_clip"]);
}

fn generalized(check: &mut Check, name: &str, inputs: &Value, outputs: &Value) {
    let (gamma, lambda) = (real(inputs, "gamma"), real(inputs, "lam"));
    let mut advantages = Vec::new();
    for (i, mask) in masks(&inputs["mask"]).iter().enumerate() {
        let kept = mask.iter().filter(|m| **m).count();
        let first = |key: &str| list(&inputs[key][i]).into_iter().take(kept).collect::<Vec<_>>();
        let (ours, returns) = gae(&first("rewards"), &first("values"), gamma, lambda);
        all_near(check, name, &ours, &outputs["advantages"][i]);
        all_near(check, name, &returns, &outputs["returns"][i]);
        advantages.push(ours);
    }
    let white = whiten(&advantages.concat());
    let mut at = 0;
    for (i, row) in advantages.iter().enumerate() {
        all_near(check, name, &white[at..at + row.len()], &outputs["trl_0_11_4"]["advantages_whitened"][i]);
        all_near(check, name, &white[at..at + row.len()], &outputs["verl"]["advantages_whitened"][i]);
        at += row.len();
    }
}

fn penalty(check: &mut Check, name: &str, inputs: &Value, outputs: &Value) {
    for (i, mask) in masks(&inputs["mask"]).iter().enumerate() {
        let kept = mask.iter().filter(|m| **m).count();
        let first = |key: &str| list(&inputs[key][i]).into_iter().take(kept).collect::<Vec<_>>();
        let ours =
            rewards(&first("logprobs"), &first("ref_logprobs"), list(&inputs["scores"])[i], real(inputs, "kl_coef"));
        all_near(check, name, &ours, &outputs["trl_0_11_4_rewards"][i]);
        all_near(check, name, &ours, &outputs["openrlhf_rewards"][i]);
    }
}

fn divergence(check: &mut Check, name: &str, inputs: &Value, outputs: &Value) {
    let pairs = list(&inputs["logprobs"]).into_iter().zip(list(&inputs["ref_logprobs"]));
    let all: Vec<_> = pairs.map(|(p, r)| estimates(p, r)).collect();
    type Estimate = fn(&Estimates) -> f64;
    let each: [(&str, Estimate); 3] = [("k1", |e| e.k1), ("k2", |e| e.k2), ("k3", |e| e.k3)];
    for (key, of) in each {
        // verl limits k3 alone, OpenRLHF every estimate, to ±10.
        let limited: Vec<f64> = all.iter().map(|e| of(e).clamp(-10.0, 10.0)).collect();
        let verl: Vec<f64> = if key == "k3" { limited.clone() } else { all.iter().map(of).collect() };
        all_near(check, name, &verl, &outputs["verl"][key]);
        // float32: eight digits less.
        for (ours, theirs) in limited.iter().zip(list(&outputs["openrlhf"][key])) {
            assert!((ours - theirs).abs() < 1e-5, "{key}: {ours} {theirs}");
        }
        let mean = masked_mean(&limited, &vec![true; limited.len()]);
        assert!((mean - real(&outputs["openrlhf_mean"], key)).abs() < 1e-5, "{key}");
    }
}

fn groups(check: &mut Check, name: &str, inputs: &Value, outputs: &Value) {
    let (rewards, size) = (list(&inputs["rewards"]), int(inputs, "group_size") as usize);
    let by = |scale| group(&rewards, size, scale);
    let (trl, verl, openrlhf) = (&outputs["trl_1_16_0"], &outputs["verl"], &outputs["openrlhf"]);
    all_near(check, name, &by(Scale::Group(1e-4)), &trl["scale_group"]);
    all_near(check, name, &by(Scale::Batch(1e-4)), &trl["scale_batch"]);
    all_near(check, name, &by(Scale::None), &trl["scale_none"]);
    all_near(check, name, &by(Scale::Group(1e-6)), &verl["grpo"]);
    all_near(check, name, &by(Scale::None), &verl["grpo_no_std"]);
    all_near(check, name, &leave_one_out(&rewards, size), &verl["rloo"]);
    all_near(check, name, &by(Scale::Group(1e-9)), &openrlhf["group_norm"]);
    all_near(check, name, &by(Scale::None), &openrlhf["dr_grpo"]);
    all_near(check, name, &leave_one_out(&rewards, size), &openrlhf["rloo"]);
}

fn grpo(check: &mut Check, name: &str, inputs: &Value, outputs: &Value) {
    let t = Tokens::read(inputs);
    let (ratios, clip) = (t.ratios(), Clip::of(real(inputs, "epsilon")));
    let longest = real(inputs, "max_completion_length");
    let reference = rows(&inputs["ref_logprobs"]);
    let drawn = |clip: Clip, beta: f64, ratios: &[Vec<f64>], average: Average| {
        let mut losses = t.each(ratios, |r, a| surrogate(r, a, clip).loss);
        for ((row, new), reference) in losses.iter_mut().zip(&t.new).zip(&reference) {
            for ((loss, new), reference) in row.iter_mut().zip(new).zip(reference) {
                *loss += beta * estimates(*new, *reference).k3;
            }
        }
        average.of(&losses, &t.mask)
    };
    let trl = &outputs["trl_1_16_0"];
    for (kind, average) in [
        ("grpo", Average::Answers),
        ("bnpo", Average::Tokens),
        ("dapo", Average::Tokens),
        ("dr_grpo", Average::Constant(longest)),
    ] {
        for beta in ["0.0", "0.04"] {
            let ours = drawn(clip, beta.parse().expect("a number"), &ratios, average);
            near(check, name, ours, &trl[format!("{kind}_beta_{beta}")]);
        }
    }
    let gspo = drawn(clip, 0.0, &t.whole_ratios(), Average::Answers);
    near(check, name, gspo, &trl["gspo_sequence_level_grpo_beta_0.0"]);
    let higher = drawn(Clip { high: 0.28, ..clip }, 0.0, &ratios, Average::Tokens);
    near(check, name, higher, &trl["dapo_epsilon_high_0.28"]);
    let two = drawn(Clip { dual: Some(1.5), ..clip }, 0.0, &ratios, Average::Answers);
    near(check, name, two, &trl["grpo_two_sided_delta_1.5"]);
    let verl = &outputs["verl_dual_clip_c3"];
    let dual = |average| drawn(Clip { dual: Some(3.0), ..clip }, 0.0, &ratios, average);
    near(check, name, dual(Average::Tokens), &verl["token-mean"]);
    near(check, name, dual(Average::Sums), &verl["seq-mean-token-sum"]);
    near(check, name, dual(Average::Answers), &verl["seq-mean-token-mean"]);
    // The sum over all answers, divided by the width of the batch's mask.
    let width = t.mask.first().map_or(1, Vec::len) as f64;
    let sum = dual(Average::Sums) * t.mask.len() as f64;
    near(check, name, sum / width, &verl["seq-mean-token-sum-norm"]);
}

fn dpo(check: &mut Check, name: &str, inputs: &Value, outputs: &Value) {
    let (beta, smoothing) = (real(inputs, "beta"), real(inputs, "label_smoothing"));
    let of = |key: &str| list(&inputs[key]);
    let [pc, pr, rc, rr] =
        ["policy_chosen_logps", "policy_rejected_logps", "ref_chosen_logps", "ref_rejected_logps"].map(of);
    let tokens = [of("chosen_tokens"), of("rejected_tokens")];
    let pairs: Vec<Pair> = (0..pc.len()).map(|i| Pair { chosen: [pc[i], rc[i]], rejected: [pr[i], rr[i]] }).collect();
    let each = |f: &dyn Fn(&Pair) -> f64| pairs.iter().map(f).collect::<Vec<_>>();
    all_near(check, name, &each(&|p| p.rewards(beta)[0]), &outputs["chosen_rewards"]);
    all_near(check, name, &each(&|p| p.rewards(beta)[1]), &outputs["rejected_rewards"]);
    let (first, later, openrlhf) = (&outputs["trl_0_21_0"], &outputs["trl_1_16_0"], &outputs["openrlhf"]);
    let sigmoid = each(&|p| p.dpo(beta, smoothing));
    all_near(check, name, &sigmoid, &first["sigmoid"]);
    // TRL 1.16 ignores the smoothing.
    all_near(check, name, &each(&|p| p.dpo(beta, 0.0)), &later["sigmoid"]);
    all_near(check, name, &each(&|p| p.hinge(beta)), &first["hinge"]);
    all_near(check, name, &each(&|p| p.hinge(beta)), &later["hinge"]);
    all_near(check, name, &each(&|p| p.robust(beta, smoothing)), &first["robust"]);
    let whole = each(&|p| p.ipo(beta, [1.0, 1.0]));
    all_near(check, name, &whole, &first["ipo"]);
    let by_length: Vec<f64> =
        pairs.iter().enumerate().map(|(i, p)| p.ipo(beta, [tokens[0][i], tokens[1][i]])).collect();
    all_near(check, name, &by_length, &later["ipo"]);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    near(check, name, mean(&sigmoid), &openrlhf["sigmoid_mean"]);
    near(check, name, mean(&whole), &openrlhf["ipo_mean"]);
}

#[test]
fn adapters_agree_with_peft() {
    assert_eq!(peft().cases, 340);
}

#[test]
fn objectives_agree_with_three_libraries() {
    assert_eq!(losses().cases, 39);
}

/// Every comparison.
pub fn all() -> [Check; 3] {
    [peft(), losses(), jobs::largest()]
}
