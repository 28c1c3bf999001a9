//! The KV cache by kind of attention, against transformers and vLLM.

use ringside_core::kv_cache::{Cache, Keeping, Keeps, Layers, models};
use ringside_core::model::{self, Import};
use serde_json::Value;

use crate::compare::{Check, cases, fixture, int, json, real};

const MODEL: &str = "kv-compression";
const FILE: &str = "oracles/mla_kv_bytes.json";
/// Tokens that vLLM computes together in these cases.
const BATCH: u64 = 2048;

fn cache(inputs: &Value) -> Cache {
    let keeps = match inputs["attention"].as_str() {
        Some("mla") => Keeps::Latent { rank: int(inputs, "kv_lora_rank"), rope: int(inputs, "qk_rope_head_dim") },
        _ => {
            let width = int(inputs, "head_dim");
            Keeps::Heads { kv_heads: int(inputs, "kv_heads"), key: width, value: width }
        }
    };
    let layers = |key: &str, window| Layers { window, ..Layers::all(int(inputs, key), keeps) };
    Cache::of_two(layers("full_layers", None), layers("sliding_layers", inputs["sliding_window"].as_u64()))
}

/// transformers 5.23.0's cache after a prefill, and vLLM's pages.
fn engines() -> [Check; 2] {
    let mut kept = Check::new(MODEL, FILE, "bytes that transformers keeps after a prefill", 0.0);
    let mut paged = Check::new(MODEL, FILE, "pages that vLLM sets aside at the most", 0.0);
    for case in cases(&json(FILE)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let name = inputs["config"].as_str().expect("a config");
        let cache = cache(inputs);
        let theirs = &outputs["transformers_5_23_0"];
        if theirs.get("bytes_per_token_bf16").is_some() {
            kept.close(name, cache.bytes_per_token(2.0), real(theirs, "bytes_per_token_bf16"));
            for tokens in [2048, 8192] {
                let bytes = real(theirs, &format!("bytes_at_{tokens}_bf16"));
                kept.close(name, cache.growing_bytes(tokens, 2.0, Keeping::Transformers), bytes);
            }
            kept.case();
        } else {
            kept.exclude("transformers has no cache class for it");
        }
        let vllm = &outputs["vllm_0_9_2"];
        for page in [16, 64] {
            let theirs = &vllm[format!("block_{page}")];
            paged.close(name, cache.bytes_per_token(2.0), real(theirs, "bytes_per_token_all_layers"));
            for tokens in [2048, 8192, 32768] {
                let most = real(theirs, &format!("max_memory_bytes_at_{tokens}"));
                let ours = cache.growing_bytes(tokens, 2.0, Keeping::Paged { page, batch: BATCH });
                paged.close(&format!("{name}, pages of {page}, {tokens}"), ours, most);
            }
        }
        paged.close(name, cache.bytes_per_token(1.0), real(vllm, "block_16_fp8_bytes_per_token"));
        paged.case();
    }
    [kept, paged]
}

/// Where the config is one that we read, its cache is the same; so is that of a model of the figure.
#[test]
fn configs_and_models_have_the_same_caches() {
    let (mut configs, mut named) = (0, 0);
    for case in cases(&json(FILE)) {
        let inputs = &case["inputs"];
        let name = inputs["config"].as_str().expect("a config");
        let theirs = cache(inputs);
        if let Ok(Import::Known(imported)) = model::import(&fixture(&format!("configs/{name}.json"))) {
            assert_eq!(Cache::of(&imported.shape).values_per_token(), theirs.values_per_token(), "{name}");
            // What attention needs: transformers keeps one token fewer in a window. States do not grow.
            let needed = imported.shape.kv_bytes(8192, 2.0) - imported.shape.state_bytes();
            assert_eq!(needed, theirs.growing_bytes(8192, 2.0, Keeping::Needed), "{name}");
            configs += 1;
        }
        if let Some(model) = models::find(name) {
            let growing = |cache: &Cache| cache.growing_bytes(32768, 2.0, Keeping::Needed);
            assert_eq!(growing(&model.cache), growing(&theirs), "{name}");
            assert_eq!(model.cache.count(), int(inputs, "layers"), "{name}");
            named += 1;
        }
    }
    assert_eq!((configs, named), (25, 11));
}

/// The parameters of the models that no preset has are those that transformers counts.
#[test]
fn models_without_a_preset_have_their_parameters() {
    let counted = json("configs/model_params.json");
    for (id, tokens) in [
        ("deepseek-v2", 69_120.0),
        ("qwen3-next-80b-a3b", 24_576.0),
        ("minimax-text-01", 40_960.0),
        ("mamba-2.8b", 0.0),
    ] {
        let case = cases(&counted).iter().find(|c| c["name"] == id).unwrap_or_else(|| panic!("{id}"));
        let model = models::find(id).expect("known");
        assert_eq!(model.parameters, int(case, "total"), "{id}");
        assert_eq!(model.cache.bytes_per_token(2.0), tokens, "{id}");
        assert_eq!(case["kv_bytes_per_token_bf16"].as_f64(), Some(tokens), "{id}");
    }
}

/// transformers 4.57.6 keeps the keys and values that MLA's latent expands to: for DeepSeek-V3 71 times as much.
#[test]
fn an_older_library_expands_the_latent() {
    let mut found = 0;
    for case in cases(&json(FILE)) {
        let inputs = &case["inputs"];
        let Some(model) = models::find(inputs["config"].as_str().unwrap_or_default()) else { continue };
        if inputs["attention"] != "mla" {
            continue;
        }
        let expanded = Keeps::Heads { kv_heads: model.heads, key: model.key[0] + model.key[1], value: model.value };
        let theirs = real(&case["outputs"]["transformers_4_57_6"], "bytes_per_token_bf16");
        assert_eq!(Cache::same(model.cache.count(), expanded).bytes_per_token(2.0), theirs);
        found += 1;
    }
    assert_eq!(found, 2);
}

#[test]
fn caches_agree_with_engines() {
    let [kept, paged] = engines();
    assert_eq!((kept.cases, paged.cases), (24, 25));
}

/// Every comparison.
pub fn all() -> [Check; 2] {
    engines()
}
