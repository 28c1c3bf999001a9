//! The scheduler step by step against nano-vllm's; memory and speed against what is published.

mod aiconfigurator;
mod fleet;
mod tiers;

use ringside_core::hardware;
use ringside_core::model::{ModelRef, presets};
use ringside_core::serving::machine::Machine;
use ringside_core::serving::requests::Request;
use ringside_core::serving::scheduler::{Policy, Rules, Scheduler};
use ringside_core::serving::sizing::{MLPERF_OFFLINE, MLPERF_SERVER, Params};
use ringside_core::serving::step::{Quant, Reach};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "continuous-batching";

/// Every comparison.
pub fn all() -> Vec<Check> {
    let own = vec![
        scheduler("oracles/nano_vllm_scheduler.json", "requests and free blocks of every step"),
        scheduler("oracles/nano_vllm_scheduler_drawn.json", "the same, with cases drawn at random"),
        memory(),
    ];
    own.into_iter().chain(tiers::all()).chain(fleet::all()).chain(aiconfigurator::all()).collect()
}

/// The kind of every step, its requests in their order, and the blocks that are free while it runs.
fn scheduler(file: &'static str, what: &'static str) -> Check {
    let mut check = Check::new(MODEL, file, what, 0.0);
    for case in cases(&json(file)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let name = inputs["name"].as_str().expect("a name");
        let rules = Rules {
            policy: Policy::PrefillFirst,
            blocks: int(inputs, "num_blocks") as usize,
            block: int(inputs, "block_size"),
            seqs: int(inputs, "max_num_seqs") as usize,
            tokens: int(inputs, "max_num_batched_tokens"),
            prefix: true,
        };
        let mut ours = Scheduler::new(rules);
        let shared = int(inputs, "shared_prefix_tokens");
        for request in inputs["requests_prompt_output"].as_array().expect("requests") {
            let [prompt, output] = [0, 1].map(|i| request[i].as_u64().expect("tokens"));
            ours.add(Request { arrival: 0.0, prompt, output, shared }).expect("it can run");
        }
        for (i, theirs) in outputs["trace"].as_array().expect("steps").iter().enumerate() {
            let batch = ours.schedule();
            let requests: Vec<u64> = batch.work.iter().map(|work| work.request as u64).collect();
            let expected: Vec<u64> = theirs[1].as_array().expect("requests").iter().filter_map(Value::as_u64).collect();
            let kind = if batch.prefills() { "P" } else { "D" };
            assert_eq!((Some(kind), &requests), (theirs[0].as_str(), &expected), "{name}, step {i}");
            check.close(&format!("{name}, step {i}"), batch.free as f64, theirs[2].as_f64().expect("blocks"));
            ours.finish(&batch);
        }
        assert!(ours.is_done(), "{name}");
        check.case();
    }
    check
}

fn model(id: &str) -> ModelRef {
    ModelRef::Preset(presets::find(id).expect("there"))
}

/// PagedAttention's §1 and §3: what a 13-billion-parameter model leaves of an A100 of 40 GB, and what a token of it keeps. The shares
/// of Fig. 2 depend on its traces, which it does not give, and are not compared.
fn memory() -> Check {
    let file = "oracles/pagedattention_paper.json";
    let oracle = json(file);
    let row = |item: &str| {
        let rows = oracle["rows"].as_array().expect("rows");
        rows.iter().find(|row| row["item"] == item).unwrap_or_else(|| panic!("{item}")).clone()
    };
    let machine = Machine {
        model: model("opt-13b"),
        gpu: hardware::find("a100-40").expect("there"),
        tp: 1,
        dp: 1,
        quant: Quant::Bf16,
        kv_bits: 16,
        reach: Reach::Kernels,
        share: ringside_core::kv_cache::figure::USED,
        activations: 0.0,
    };
    let engine = machine.deployment().engine().expect("it fits");
    let mut check = Check::new(MODEL, file, "OPT-13B: cache of a token, of 2048, weights on an A100", 0.05);
    check.close("a token", engine.per_token, 1024.0 * real(&row("OPT-13B KV per token"), "value"));
    check.close("2048 tokens", 2048.0 * engine.per_token, 1e9 * real(&row("max request 2048 tokens"), "value"));
    check.close("weights", engine.stored / machine.gpu.sold.0, real(&row("13B on A100-40GB weights"), "value") / 100.0);
    check.case();
    check
}

/// MLPerf's node: four replicas of two H100, fp8, 896 requests at once, prompts of 294 tokens and answers of 290 on average
/// (`closed/NVIDIA/configs/llama2-70b/Offline/__init__.py`). The model is as fast as what was submitted offline; with the
/// requests that were there in the server scenario (Little's law: 74.4 a second × 44.95 s over four replicas) a token takes nine tenths of what it took.
#[test]
fn mlperf_is_met_within_a_fifth() {
    let params = Params {
        machine: Machine {
            model: model("llama-2-70b"),
            gpu: hardware::find("h100-80").expect("there"),
            tp: 2,
            dp: 1,
            quant: Quant::Fp8,
            kv_bits: 8,
            reach: Reach::Kernels,
            share: ringside_core::kv_cache::figure::USED,
            activations: 0.0,
        },
        prompt: 294,
        output: 290,
        ..Params::default()
    };
    let engine = params.machine.deployment().engine().expect("it fits");
    let offline = 8.0 * params.point(&engine, 2, 896).per_gpu / MLPERF_OFFLINE;
    assert!((0.9..1.1).contains(&offline), "{offline}");
    let there = (74.4245_f64 * 44.954_547 / 4.0).round() as u64;
    let server = params.point(&engine, 2, there).token / MLPERF_SERVER.1;
    assert!((0.8..1.0).contains(&server), "{server}");
}
