//! What a budget buys: scaling laws against their papers and against code, and the FLOPs of a run against Megatron-LM's.

use ringside_core::declare::Model;
use ringside_core::query::Query;
use ringside_core::scaling_laws::{Fit, Law, Point};
use ringside_core::training_run;
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const ALLOCATE: &str = "oracles/chinchilla_allocate.json";
const TABLES: &str = "oracles/scaling_laws_kaplan_chinchilla.json";
const MEGATRON: &str = "oracles/megatron_flops.json";
const LLAMA3: &str = "oracles/llama3_infrastructure.json";
const NANOGPT: &str = "oracles/nanogpt_params_flops.json";

/// The surface that a case was computed with; its constants are ours to the last digit.
fn surface(inputs: &Value) -> Fit {
    let name = inputs["fit"].as_str().unwrap_or_default();
    let fits = [("rounded", Fit::ROUNDED), ("unrounded", Fit::UNROUNDED), ("refit", Fit::REFIT)];
    let fit = fits.into_iter().rev().find(|(part, _)| name.contains(part)).map(|(_, fit)| fit).expect(name);
    let given = &inputs["params"];
    let theirs = ["E", "A", "B", "alpha", "beta"].map(|key| real(given, key));
    assert_eq!([fit.e, fit.a, fit.b, fit.alpha, fit.beta], theirs, "{name}");
    fit
}

/// Optimum, loss and tokens for each parameter, of the three fits, by somebody else's code.
fn allocation() -> Check {
    let mut check = Check::new("scaling-laws", ALLOCATE, "optimum of a budget, loss of a model", 1e-12);
    for case in cases(&json(ALLOCATE)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let fit = surface(inputs);
        if inputs["C"].is_number() {
            let best = fit.optimum(real(inputs, "C"));
            check.close("parameters", best.params, real(outputs, "N_opt"));
            check.close("tokens", best.tokens, real(outputs, "D_opt"));
            check.close("ratio", best.ratio(), real(outputs, "tokens_per_param"));
            check.close("loss", fit.loss(best), real(outputs, "loss"));
        } else {
            let at = Point { params: real(inputs, "N"), tokens: real(inputs, "D") };
            check.close("loss", fit.loss(at), real(outputs, "loss"));
        }
        check.case();
    }
    check
}

#[test]
fn optima_agree_with_somebody_elses_code() {
    assert_eq!(allocation().cases, 22);
}

/// The rows of the paper's tables of optima. They are printed with one to four digits, and approach 1's exponent of 0.498 is theirs
/// before rounding: a power law through nine rows misses each by a few percent.
fn tables() -> [Check; 2] {
    let oracle = json(TABLES);
    [(Law::Approach1, "flops_a1", "approach 1: Table 3"), (Law::Approach2, "flops_a2", "approach 2: Table A3")].map(
        |(law, key, what)| {
            let mut check = Check::new("scaling-laws", TABLES, what, 0.04);
            for row in oracle["rows"].as_array().expect("rows") {
                check.close(what, law.optimum(real(row, key)).params, real(row, "params"));
                check.case();
            }
            check
        },
    )
}

#[test]
fn power_laws_pass_by_the_rows_of_their_tables() {
    assert_eq!(tables().map(|check| check.cases), [9, 9]);
}

/// The trap that the oracle notes: equation 10 as printed gives 93 tokens for each parameter where the same paper's tables give 20, and the
/// fit that was made again agrees with the tables.
#[test]
fn the_printed_constants_contradict_the_tables_of_their_own_paper() {
    let oracle = json(TABLES);
    assert!(oracle["trap"].as_str().is_some_and(|trap| trap.contains("~93 tokens/param at 5.76e23")));
    let ratio = |law: Law| law.optimum(5.76e23).ratio();
    assert!((92.0..93.0).contains(&ratio(Law::Rounded)), "{}", ratio(Law::Rounded));
    assert!((20.0..24.0).contains(&ratio(Law::Approach1)), "{}", ratio(Law::Approach1));
    assert!((18.0..19.0).contains(&ratio(Law::Refit)), "{}", ratio(Law::Refit));
    let exponents = [("kaplan", Law::Kaplan), ("approach1", Law::Approach1), ("approach2", Law::Approach2)];
    for (key, law) in exponents {
        let theirs = oracle["exponents"][key][0].as_f64().expect(key);
        assert!((law.exponent() - theirs).abs() < 0.005, "{key}: {}", law.exponent());
    }
}

fn run(query: &str) -> training_run::Run {
    let (params, problems) = training_run::Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params.evaluate().expect(query)
}

/// Megatron-LM's FLOPs of a batch, where the parameters are those of matrices that a token meets, the output matrix among them.
fn megatron() -> Check {
    let mut check = Check::new("training-run", MEGATRON, "FLOPs of a token, causal attention", 1e-9);
    for case in cases(&json(MEGATRON)) {
        let inputs = &case["inputs"];
        if inputs["num_experts"].is_number() {
            check.exclude("a mixture of experts: its router is no parameter of this model’s");
            continue;
        }
        let either = |short: &str, long: &str| int(inputs, if inputs[short].is_number() { short } else { long });
        let (hidden, heads) = (either("hidden", "hidden_size"), either("heads", "num_attention_heads"));
        let (layers, seq) = (either("layers", "num_layers"), either("seq", "seq_length"));
        let vocab = either("vocab", "padded_vocab_size");
        let groups = inputs["num_query_groups"].as_u64().unwrap_or(heads);
        let mlp = inputs["ffn_hidden_size"].as_u64().unwrap_or(4 * hidden);
        let matrices = if inputs["swiglu"].as_bool().unwrap_or_default() { 3 } else { 2 };
        let attention = 2 * hidden * hidden + 2 * hidden * hidden * groups / heads;
        let params = layers * (attention + matrices * hidden * mlp) + vocab * hidden;
        let batch = (int(inputs, "global_batch") * seq) as f64;
        let ours = run(&format!("params={params}&layers={layers}&width={hidden}&seq={seq}&attention=causal"));
        let theirs = real(&case["outputs"], "megatron_flops_per_iter_causal_no_recompute");
        check.close(inputs["model"].as_str().unwrap_or_default(), ours.size.flop_per_token() * batch, theirs);
        check.case();
    }
    check
}

#[test]
fn flops_agree_with_megatron() {
    assert!(megatron().cases >= 12);
}

/// nanoGPT's 6ND of a sequence for Chinchilla's models, and how far it is from counting every product: at most 9% under, 1% over.
#[test]
fn six_nd_is_within_a_tenth_of_every_product() {
    let oracle = json(NANOGPT);
    let mut compared = 0;
    for case in cases(&oracle).iter().filter(|case| case["outputs"]["six_ND"].is_number()) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let (params, seq) = (int(outputs, "N"), int(inputs, "seq_len"));
        let plain = run(&format!("params={params}&attention=none&given=tokens&tokens=1e9"));
        assert_eq!(plain.size.flop_per_token() * seq as f64, real(outputs, "six_ND"));
        assert!((0.99..1.09).contains(&real(outputs, "ratio")));
        compared += 1;
    }
    assert_eq!(compared, 4);
}

/// Table 4 of the Llama 3 paper has TFLOP/s and MFU side by side: the first over the peak is the second, to the digits printed.
fn llama3() -> Check {
    let mut check = Check::new("training-run", LLAMA3, "TFLOP/s of a GPU from its MFU: Table 4", 0.02);
    for row in json(LLAMA3)["table4"].as_array().expect("table 4") {
        let mfu = real(row, "mfu") / 100.0;
        let ours = run(&format!("gpu=h100-80&gpus={}&mfu={mfu}&attention=none", int(row, "gpus")));
        let per_gpu = ours.rate() * ours.size.flop_per_token() / ours.machine.gpus;
        check.close("TFLOP/s", per_gpu / 1e12, real(row, "tflops"));
        check.case();
    }
    check
}

#[test]
fn utilisation_agrees_with_table_4_of_llama_3() {
    assert_eq!(llama3().cases, 3);
}

/// Every comparison.
pub fn all() -> Vec<Check> {
    let [first, second] = tables();
    vec![allocation(), first, second, megatron(), llama3()]
}
