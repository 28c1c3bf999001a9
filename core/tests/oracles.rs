//! What the models are compared with: published tables and other people's code, read from `tests/fixtures/`.
//!
//! Each file there says where it is from (`source`), how it was made (`provenance`) and what is known to be wrong with
//! it (`known_defects`).

use std::fs;
use std::path::PathBuf;

use ringside_core::model::{self, Component, Import, ParameterCount};
use serde_json::Value;

fn fixture(path: &str) -> String {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(path);
    fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&fixture(path)).expect("a fixture is JSON")
}

fn cases(value: &Value) -> &[Value] {
    value["cases"].as_array().expect("a fixture has cases")
}

fn int(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key} is a whole number in {value}"))
}

const COMPONENTS: [(&str, Component); 9] = [
    ("embedding", Component::Embedding),
    ("lm_head", Component::LmHead),
    ("attention", Component::Attention),
    ("mlp", Component::Mlp),
    ("shared_experts", Component::SharedExperts),
    ("experts", Component::Experts),
    ("router", Component::Router),
    ("norms", Component::Norms),
    ("other", Component::Other),
];

fn imported(file: &str) -> (model::Imported, ParameterCount) {
    match model::import(&fixture(file)) {
        Ok(Import::Known(imported)) => {
            let count = imported.shape.count().expect("a sound shape has a count");
            (imported, count)
        }
        other => panic!("{file}: {other:?}"),
    }
}

/// Hugging Face transformers 4.57.6 on the meta device: every config, every component, to the parameter.
#[test]
fn parameter_counts_agree_with_transformers() {
    let oracle = json("configs/model_params.json");
    assert_eq!(cases(&oracle).len(), 32);
    for case in cases(&oracle) {
        let name = case["name"].as_str().unwrap_or_default();
        let (imported, count) = imported(case["config_file"].as_str().unwrap_or_default());
        for (key, component) in COMPONENTS {
            assert_eq!(count.of(component), int(&case["components"], key), "{name}: {key}");
        }
        assert_eq!(count.total, int(case, "total"), "{name}");
        assert_eq!(count.active, int(case, "active"), "{name}");
        let active = int(case, "active_without_input_embedding");
        assert_eq!(count.active_without_input_embedding, active, "{name}");
        assert_eq!(imported.shape.tie_word_embeddings, case["tied"].as_bool().unwrap_or_default(), "{name}");
        if let Some(moe) = case["moe"].as_object() {
            let shape = imported.shape.moe.expect("an MoE model has experts");
            assert_eq!(shape.layers, moe["moe_layers"].as_u64().unwrap_or_default(), "{name}");
            assert_eq!(shape.num_experts, moe["routed_experts"].as_u64().unwrap_or_default(), "{name}");
            assert_eq!(shape.num_experts_per_tok, moe["experts_per_token"].as_u64().unwrap_or_default(), "{name}");
        }
    }
}

/// The same file's KV cache: bytes a token, and bytes of a sequence with windows taken into account.
#[test]
fn kv_caches_agree_with_transformers() {
    for case in cases(&json("configs/model_params.json")) {
        let name = case["name"].as_str().unwrap_or_default();
        let (imported, _) = imported(case["config_file"].as_str().unwrap_or_default());
        assert_eq!(imported.shape.kv_bytes_per_token(2.0), int(case, "kv_bytes_per_token_bf16") as f64, "{name}");
        let contexts = case["kv"]["bytes_at_context_bf16"].as_object().expect("contexts");
        for (tokens, bytes) in contexts {
            let tokens = tokens.parse().unwrap_or_default();
            assert_eq!(imported.shape.kv_bytes(tokens, 2.0), bytes.as_f64().unwrap_or_default(), "{name} at {tokens}");
        }
    }
}

/// Every preset is what its published config is imported as.
#[test]
fn presets_are_their_configs() {
    let oracle = json("configs/model_params.json");
    for preset in model::presets::ALL {
        let case = cases(&oracle).iter().find(|c| c["hub_id"].as_str() == Some(preset.hub));
        let file =
            case.and_then(|c| c["config_file"].as_str()).unwrap_or_else(|| panic!("{} has no config", preset.id));
        let (imported, _) = imported(file);
        let mut shape = preset.shape;
        // A head width is not a parameter of MLA; the constant leaves it out.
        assert_eq!(shape.query(), imported.shape.query(), "{}", preset.id);
        shape = imported.shape;
        assert_eq!(preset.shape, shape, "{}", preset.id);
    }
    assert_eq!(model::presets::ALL.len(), cases(&oracle).len(), "every config has a preset");
}

/// `configs/bad/README.md` says what a good importer answers.
#[test]
fn bad_configs_get_the_message_that_the_readme_asks_for() {
    let messages = |file: &str| -> Vec<String> {
        let problems = model::import(&fixture(&format!("configs/bad/{file}"))).expect_err(file);
        problems.into_iter().map(|p| p.message).collect()
    };
    assert_eq!(
        messages("missing_hidden_size.json"),
        ["hidden_size is missing (for llama it is the model width, for example 4096)."]
    );
    assert_eq!(
        messages("heads_not_dividing.json"),
        ["hidden_size 4096 is not a multiple of num_attention_heads 30 and no head_dim is given."]
    );
    assert_eq!(messages("negative_layers.json"), ["num_hidden_layers must be a whole number of at least 1, got -32."]);
    assert_eq!(messages("huge_number.json"), ["hidden_size 1e30 is out of range (1 to 1,000,000)."]);
    let text = |field: &str, value: &str| {
        format!("{field}: expected a whole number, got the text “{value}” (write it without quotes).")
    };
    let mut found = messages("strings_for_numbers.json");
    found.sort();
    assert_eq!(
        found,
        [
            text("hidden_size", "4096"),
            text("intermediate_size", "14336"),
            text("num_attention_heads", "32"),
            "num_hidden_layers: expected a whole number, got the text “thirty-two”.".to_owned(),
            text("num_key_value_heads", "8"),
            "tie_word_embeddings: expected true or false, got the text “false”.".to_owned(),
            "vocab_size: expected a whole number, got the text “128,256”.".to_owned(),
        ]
    );
    match model::import(&fixture("configs/bad/unknown_model_type.json")) {
        Ok(Import::Guess { model_type, imported, message }) => {
            assert_eq!(model_type, "zephyr_next");
            assert!(
                message.starts_with("model_type zephyr_next is not known; its fields look like llama."),
                "{message}"
            );
            assert_eq!(imported.shape.count().map(|c| c.total), Ok(8_030_261_248));
        }
        other => panic!("{other:?}"),
    }
}

/// The sixth bad config is too large to store: 833,000 nested objects in 5 MB of valid JSON.
#[test]
fn five_megabytes_of_nesting_are_refused_from_the_size_alone() {
    let sound = fixture("configs/llama-3-8b.json");
    let open = sound.trim_end().trim_end_matches('}');
    let nest = |n: usize| format!("{open},\"nested\":{}1{}}}", "{\"a\":".repeat(n), "}".repeat(n));
    let problems = model::import(&nest(833_000)).expect_err("5 MB");
    assert_eq!(problems[0].message, "The file is 5.0 MB; a config.json is a few KB. Is it the right file?");
    let problems = model::import(&nest(100_000)).expect_err("600 KB, but deep");
    assert!(problems[0].message.starts_with("The text is nested too deeply"), "{}", problems[0].message);
    assert!(model::import(&nest(20)).is_ok());
}
