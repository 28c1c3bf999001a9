use super::figure::{Params, Shown};
use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn quantity(query: &str, id: &str) -> f64 {
    let evaluation = (Params::ENTRY.evaluate)(&Query::parse(query));
    assert_eq!(evaluation.problems, [], "{query}");
    evaluation.get(id).expect("a quantity")
}

fn shown(query: &str) -> (Params, Shown) {
    let params = Params::read(&Query::parse(query)).0;
    let shown = params.shown();
    (params, shown)
}

/// DeepSeek-V2's abstract and §3.2.3: 93.3% less than DeepSeek 67B, with a cache of 6 bits; DeepSeek-V3 keeps 70 272 bytes.
#[test]
fn the_papers_numbers_come_out() {
    assert_eq!(quantity("model=deepseek-v3", "bytes-per-token"), 70_272.0);
    let in_bf16 = quantity("model=deepseek-v2&against=deepseek-67b", "saved");
    assert!((in_bf16 - 0.822).abs() < 0.0005, "{in_bf16}");
    let in_6_bits = quantity("model=deepseek-v2&against=deepseek-67b&bits=6", "saved");
    assert!((in_6_bits - 0.933).abs() < 0.0005, "{in_6_bits}");
    // "equivalent to GQA with only 2.25 groups" (§2.1.4): of heads of 128.
    assert_eq!(quantity("model=deepseek-v2", "groups-like"), 2.25);
    // Llama 3: eight key–value heads of 32, a quarter.
    assert_eq!(quantity("model=llama-3-8b", "share-of-mha"), 0.25);
    assert_eq!(quantity("model=llama-3.1-405b", "bytes-per-token"), 516_096.0);
}

/// Chapter 18's growing cache and chapter 03's bar count the same.
#[test]
fn the_cache_is_that_of_other_chapters() {
    for (model, kv_heads) in [("llama-2-7b", 32), ("llama-3-8b", 8)] {
        let growth = crate::attention::growth::Params::read(&Query::parse(&format!(
            "layers=32&heads=32&head_dim=128&kv_heads={kv_heads}"
        )));
        let ours = quantity(&format!("model={model}"), "bytes-per-token");
        assert_eq!(growth.0.kept(kv_heads), ours, "{model}");
    }
}

/// Absorbing costs FLOPs and saves bytes; rebuilding costs far more FLOPs and saves no more.
#[test]
fn absorbing_trades_flops_for_bytes() {
    let model = "model=deepseek-v3";
    assert_eq!(quantity(model, "flop-heads"), 128.0 * 2.0 * (192.0 + 128.0));
    assert_eq!(quantity(model, "flop-absorbed"), 128.0 * 2.0 * (512.0 + 64.0 + 512.0));
    assert_eq!(quantity(model, "flop-rebuilt") - quantity(model, "flop-heads"), 128.0 * 2.0 * 512.0 * 256.0);
    assert!(quantity(model, "intensity-absorbed") > 240.0);
    assert_eq!(quantity(model, "intensity-heads"), 1.0);
    assert!(quantity(model, "step-absorbed") < quantity(model, "step-heads"));
    assert!(quantity(model, "step-heads") < quantity(model, "step-rebuilt"));
}

#[test]
fn a_window_and_a_state_stop_growing() {
    let at = |query: &str, context: u64| quantity(&format!("{query}&context={context}"), "sequence-bytes");
    let window = "model=llama-3-8b&mix=window&every=4&window=4096";
    assert_eq!(at(window, 4096), at("model=llama-3-8b", 4096));
    assert_eq!(at(window, 8192) - at(window, 4096), (8.0 * 2048.0 * 2.0) * 4096.0);
    assert_eq!(at("model=mamba-2.8b", 1), at("model=mamba-2.8b", 1 << 20));
    let hybrid = "model=minimax-text-01";
    assert_eq!(at(hybrid, 2000) - at(hybrid, 1000), 40_960.0 * 1000.0);
    assert_eq!(quantity(hybrid, "state-bytes"), 70.0 * 64.0 * 128.0 * 128.0 * 4.0);
}

#[test]
fn a_latent_is_copied_to_every_rank_and_heads_are_divided() {
    let many = "model=deepseek-v3&gpus=16&context=8192";
    let (divided, copied) = (format!("{many}&share=requests"), format!("{many}&share=heads"));
    let ratio = quantity(&divided, "requests") / quantity(&copied, "requests");
    assert!((15.0..=17.0).contains(&ratio), "{ratio}");
    let heads = "model=llama-3-70b&gpus=8&context=8192";
    let ratio = quantity(&format!("{heads}&share=requests"), "requests")
        / quantity(&format!("{heads}&share=heads"), "requests");
    assert!((0.95..=1.0).contains(&ratio), "{ratio}");
    // Beyond one key–value head each, ranks keep copies.
    let (params, shown) = shown("model=llama-3-70b&gpus=64");
    assert_eq!(params.taken(&shown.chosen.cache, 1), 8.0 * shown.chosen.per_token);
}

#[test]
fn heads_that_do_not_divide_are_said() {
    let (params, problems) = Params::read(&Query::parse("model=llama-3-8b&groups=5"));
    assert_eq!(params.groups, 4);
    assert_eq!(problems[0].message, "32 query heads cannot share 5 key–value heads evenly: 4 are taken.");
    // Without a number it is the model's own, and eight where it has none.
    let own = |model: &str| {
        quantity(&format!("model={model}"), "gqa-bytes-per-token")
            / quantity(&format!("model={model}"), "mqa-bytes-per-token")
    };
    assert_eq!((own("qwen3-30b-a3b"), own("gemma-2-27b"), own("deepseek-v3")), (4.0, 16.0, 8.0));
    assert_eq!(Params::read(&Query::parse("model=mamba-2.8b")).1, []);
}

#[test]
fn engines_keep_windows_in_their_own_ways() {
    let window = Some(4096);
    assert_eq!(Keeping::Needed.tokens(8192, window), 4096);
    assert_eq!(Keeping::Transformers.tokens(8192, window), 4095);
    assert_eq!(Keeping::Paged { page: 16, batch: 2048 }.tokens(8192, window), 6144 + 16);
    assert_eq!(Keeping::Paged { page: 16, batch: 2048 }.tokens(100, None), 112);
}
