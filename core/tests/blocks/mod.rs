//! The block manager against vLLM 0.2.0's, and the numbers of the PagedAttention paper.

use ringside_core::catalogue;
use ringside_core::hardware;
use ringside_core::kv_cache::blocks::manager::{Appended, Full, Manager};
use ringside_core::query::Query;
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "kv-cache";
const FILE: &str = "oracles/vllm_block_manager.json";
const PAPER: &str = "oracles/pagedattention_paper.json";

fn quantity(query: &str, id: &str) -> f64 {
    let evaluation = (catalogue::find(MODEL).expect("a model").evaluate)(&Query::parse(query));
    assert_eq!((&evaluation.error, evaluation.problems.len()), (&None, 0), "{query}");
    evaluation.get(id).unwrap_or_else(|| panic!("{id}"))
}

fn lengths(inputs: &Value) -> Vec<u64> {
    inputs["prompt_lens"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

/// Prompts that are admitted: by the manager, and by a step of the figure.
fn prompts(check: &mut Check, case: &Value) {
    let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
    let (block, blocks) = (int(inputs, "block_size"), int(inputs, "num_gpu_blocks"));
    let mut manager = Manager::new(block, blocks as u32, 0, real(inputs, "watermark"));
    let lengths = lengths(inputs);
    for (i, tokens) in lengths.iter().enumerate() {
        let can = manager.can_allocate(*tokens);
        assert_eq!(Some(can), outputs["can_allocate"][i].as_bool(), "{inputs}");
        if can {
            manager.allocate(&[i], *tokens).expect("it can");
        }
        let held = manager.table(i).map_or(0, |(_, table)| table.len());
        assert_eq!(Some(held as u64), outputs["blocks_per_seq"][i].as_u64(), "{inputs}");
    }
    check.close("free blocks", manager.free() as f64, real(outputs, "free_blocks"));
    // An answer of one token ends with the step that yields it, so that the step shows the prompts alone.
    let requests: Vec<String> = lengths.iter().map(|tokens| format!("{tokens}:1")).collect();
    let query = format!("block={block}&blocks={blocks}&step=1&requests={}", requests.join(","));
    check.close("blocks", quantity(&query, "used-blocks"), real(outputs, "blocks_used"));
    check.close("free", quantity(&query, "free-blocks"), real(outputs, "free_blocks"));
    check.close("waste", quantity(&query, "empty-slots"), real(outputs, "internal_waste_slots"));
    check.close("utilisation", quantity(&query, "utilisation"), real(outputs, "utilisation"));
}

/// A sequence that forks, step by step and block by block.
fn forks(check: &mut Check, case: &Value) {
    let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
    let (block, prompt) = (int(inputs, "block_size"), int(inputs, "prompt_len"));
    let mut manager = Manager::new(block, int(inputs, "num_gpu_blocks") as u32, 0, 0.01);
    manager.allocate(&[0], prompt).expect("room");
    let copied = |appended: Result<Appended, Full>| match appended {
        Ok(Appended::Copy { from, to }) => serde_json::json!([from, to]),
        Ok(_) => Value::Null,
        Err(full) => panic!("{}", full.message()),
    };
    for step in 0..int(inputs, "steps") {
        let forked = step >= int(inputs, "fork_at");
        if step == int(inputs, "fork_at") {
            manager.fork(0, 1);
        }
        let tokens = prompt + step + 1;
        let parent = copied(manager.append(0, tokens));
        let child = if forked { copied(manager.append(1, tokens)) } else { Value::Null };
        let theirs = outputs
            .as_object()
            .and_then(|all| all.iter().find(|(key, _)| key.starts_with("trace(")))
            .map(|(_, trace)| &trace[step as usize])
            .expect("a trace");
        assert_eq!(serde_json::json!([step, tokens, manager.free(), parent, child]), *theirs);
    }
    for (sequence, key) in [(0, "final_table_parent"), (1, "final_table_child")] {
        let table = manager.table(sequence).map(|(_, table)| serde_json::json!(table));
        assert_eq!(table.as_ref(), Some(&outputs[key]));
    }
    // The same in the figure, whose first step is the prompt.
    let query = format!(
        "block={block}&blocks={}&requests={prompt}:99*2@{}&step={}",
        int(inputs, "num_gpu_blocks"),
        int(inputs, "fork_at"),
        int(inputs, "steps") + 1
    );
    check.close("free", quantity(&query, "free-blocks"), manager.free() as f64);
}

/// Everything in the fixture.
pub fn all() -> [Check; 1] {
    let mut check = Check::new(MODEL, FILE, "blocks, waste, forks and copies on write of vLLM's block manager", 1e-12);
    for case in cases(&json(FILE)) {
        if case["inputs"]["scenario"].is_string() {
            forks(&mut check, case);
        } else {
            prompts(&mut check, case);
        }
        check.case();
    }
    [check]
}

#[test]
fn blocks_agree_with_vllm() {
    assert_eq!(all()[0].cases, 26);
}

/// §1, §3.1 and Table 1: 13B on an A100 of 40 GB. The paper's GB are GiB: 40 GiB at 90%, less the weights, are its 12 GB, and its
/// 15.7 thousand slots. With 40 · 10⁹ bytes, as the GPU is sold, it is fewer.
#[test]
fn the_papers_numbers_come_out() {
    let paper = json(PAPER);
    let row = |item: &str| {
        let rows = paper["rows"].as_array().expect("rows");
        rows.iter().find(|row| row["item"].as_str().is_some_and(|i| i.starts_with(item))).expect("a row").clone()
    };
    let state = "view=fit&model=opt-13b&gpu=a100-40&block=16&tokens=2048&longest=2048&shared=0";
    assert_eq!(quantity(state, "bytes-per-token"), real(&row("OPT-13B KV per token"), "value") * 1024.0);
    assert_eq!(quantity(state, "request-bytes"), 2048.0 * 819_200.0);
    assert!((quantity(state, "request-bytes") / 2_f64.powi(30) - real(&row("max request"), "value")).abs() < 0.05);
    let weights = quantity(state, "weights");
    assert!((weights / 26e9 - 1.0).abs() < 0.02, "{weights}");
    assert!((weights / 40e9 - real(&row("13B on A100-40GB weights"), "value") / 100.0).abs() < 0.01, "{weights}");
    let slots = |memory: f64| (0.9 * memory - weights) / 819_200.0;
    assert!((slots(40.0 * 2_f64.powi(30)) / 15_700.0 - 1.0).abs() < 0.01);
    let seen = hardware::find("a100-40").expect("there").memory.0;
    assert!((quantity(state, "pool-tokens") - slots(seen)).abs() < 16.0);
}

/// Figure 2's order: a room for the longest holds few tokens, one of the next power of two more, one of the right size more still,
/// and blocks nearly nothing else.
#[test]
fn blocks_hold_more_tokens_than_rooms() {
    let state = "block=4&blocks=120&longest=64&requests=7:14,13:9,5:18,10:7,9:13,6:10,12:21,8:30,14:5,11:17,6:25,9:9";
    let used = |keeper: &str| quantity(&format!("{state}&keeper={keeper}"), "mean-utilisation");
    let all = ["longest", "power-of-two", "oracle", "vllm-0.2"].map(used);
    assert!(all.is_sorted(), "{all:?}");
    assert!(all[0] < 0.382 && all[3] > 0.85, "{all:?}");
    let steps = |keeper: &str| quantity(&format!("{state}&keeper={keeper}"), "steps");
    // The longest answer takes 30 steps in any case.
    assert!(steps("vllm-0.2") < 33.0 && steps("longest") > 36.0, "{} {}", steps("vllm-0.2"), steps("longest"));
}
