//! Files as people bring them, and what may happen to a file on the way.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures");

fn fixture(name: &str) -> String {
    let path = format!("{FIXTURES}/{name}");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn object(text: &str) -> Map<String, Value> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        other => panic!("{other:?}"),
    }
}

fn total(import: &Import) -> u64 {
    import.imported().shape.count().expect("a sound shape").total
}

fn known(text: &str) -> Imported {
    match import(text) {
        Ok(Import::Known(imported)) => imported,
        other => panic!("{other:?}"),
    }
}

fn guess(text: &str) -> (u64, String) {
    match import(text) {
        Ok(Import::Guess { message, imported, .. }) => (imported.shape.count().expect("a sound shape").total, message),
        other => panic!("{other:?}"),
    }
}

fn refused(text: &str) -> String {
    match import(text) {
        Err(problems) => problems.first().map(|p| p.message.clone()).unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

/// huggingface.co/replit/replit-code-v1_5-3b: 32·(2·3072² + 2·3072·1024 + 8·3072² + 2·3072) + 32768·3072 + 3072.
#[test]
fn an_mpt_with_fewer_key_value_heads_is_counted_so() {
    let text = fixture("brought/replit-code-v1_5-3b.json");
    let read = known(&text);
    assert_eq!(read.shape.count().map(|c| c.total), Ok(3_322_088_448));
    // 8 heads of 128, keys and values, 32 layers, two bytes.
    assert_eq!(read.shape.kv_bytes_per_token(2.0), 131_072.0);
    for (from, to, named) in [
        ("\"qk_ln\":false", "\"qk_ln\":true", "attn_config.qk_ln true"),
        ("\"mptmlp\"", "\"mptglu\"", "ffn_config.ffn_type the text “mptglu”"),
        ("\"alibi\":true", "\"alibi\":false", "attn_config.alibi false"),
        ("grouped_query_attention", "latent", "attn_config.attn_type latent"),
        ("\"no_bias\":true", "\"no_bias\":false", "no_bias false"),
        ("modeling_mpt.MPTForCausalLM", "own.KrutrimForCausalLM", "auto_map own.KrutrimForCausalLM"),
        ("[\"MPTForCausalLM\"]", "[\"MPTModel\"]", "architectures MPTModel"),
    ] {
        let (_, message) = guess(&text.replace(from, to));
        assert!(message.contains(named) && message.contains("the total is a guess"), "{message}");
    }
    // A name of `auto_map` that isn't known may be the model's own code; a configuration's and a tokenizer's are not.
    let says = |map: &str| {
        let mut file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        file["auto_map"] = serde_json::from_str(map).expect("JSON");
        known(&file.to_string()).warnings.iter().any(|w| w.message.contains("brings code of its own"))
    };
    assert!(says(r#"{"AutoModelForCausalLM": "modeling_mpt.MPTForCausalLM"}"#));
    assert!(says(
        r#"{"AutoConfig": "configuration_mpt.MPTConfig", "AutoModelOfTomorrow": "modeling_mpt.MPTForCausalLM"}"#
    ));
    assert!(!says(r#"{"AutoConfig": "configuration_mpt.MPTConfig", "AutoTokenizer": ["own.Words", null]}"#));
    let one = known(
        &text
            .replace("grouped_query_attention", "multiquery_attention")
            .replace("\"kv_n_heads\":8", "\"kv_n_heads\":null"),
    );
    assert_eq!(one.shape.kv_bytes_per_token(2.0), 131_072.0 / 8.0);
}

/// huggingface.co/deepseek-ai/deepseek-moe-16b-base; its README says 16.4B.
#[test]
fn experts_in_deepseeks_names_are_counted() {
    let (total, message) = guess(&fixture("brought/deepseek-moe-16b.json"));
    assert_eq!(total, 16_375_728_128);
    assert!(message.starts_with("model_type deepseek is not known; its fields look like deepseek_v2."), "{message}");
}

/// A family that nobody knows, with experts in names that nobody knows, is no llama.
#[test]
fn what_no_rule_comes_near_is_refused_and_named() {
    let text = fixture("configs/llama-3-8b.json").replace("\"llama\"", "\"zephyr_next\"");
    let with = |field: &str| text.trim_end().trim_end_matches('}').to_owned() + "," + field + "}";
    for (field, word) in [
        ("\"num_routed_experts\": 64", "num_routed_experts 64"),
        ("\"ffn\": {\"moe_experts\": 16}", "ffn.moe_experts 16"),
        ("\"layer_types\": [\"conv\", \"full_attention\"]", "layers that are not softmax attention"),
        ("\"mamba_d_state\": 128", "mamba_d_state 128"),
    ] {
        let message = refused(&with(field));
        assert!(message.contains(word) && message.contains("model’s card"), "{message}");
    }
    let (_, message) = guess(&with("\"index_n_heads\": 64"));
    assert!(message.contains("which does not read index_n_heads 64"), "{message}");
    let message = refused(&fixture("brought/nemotron-super-49b.json"));
    assert!(message.starts_with("block_configs: each layer has its own sizes"), "{message}");
}

/// A class of the library, with a field that it does not have.
#[test]
fn a_known_family_with_unknown_sizes_is_a_guess() {
    let text = fixture("configs/llama-3-8b.json");
    let with = |field: &str| text.trim_end().trim_end_matches('}').to_owned() + "," + field + "}";
    for field in [
        "\"num_experts\": 8",
        "\"sliding_window\": 4096",
        "\"ffn_mult\": 2.5",
        "\"qk_norm\": true",
        "\"attention_type\": \"latent\"",
        "\"linear_attn_config\": {\"head_dim\": 128}",
        "\"mm_hidden_size\": 1024",
    ] {
        let (_, message) = guess(&with(field));
        assert!(message.starts_with("The file gives ") && message.contains("llama rule"), "{message}");
    }
    for field in [
        "\"num_experts\": null",
        "\"sliding_window\": null",
        "\"pretraining_tp\": 1",
        "\"use_cache\": true",
        "\"attention_dropout\": 0.1",
        "\"layer_norm_eps\": 1e-5",
        "\"rope_parameters\": {\"rope_theta\": 500000.0, \"local_window\": 3}",
        "\"_attn_implementation_autoset\": true",
        "\"quantization_config\": {\"group_size\": 128}",
        "\"quantization_config\": {\"modules_to_not_convert\": [\"lm_head\"], \"hidden_size\": 3}",
    ] {
        assert_eq!(known(&with(field)).shape, known(&text).shape, "{field}");
    }
}

/// transformers' own log: “Model config LlamaConfig {”; a shell's print; and lines that follow.
#[test]
fn a_printed_config_is_read() {
    let text = fixture("brought/printed-config.txt");
    for text in [
        text.clone(),
        text.replace("Model config ", ""),
        format!(
            "[INFO|configuration_utils.py:729] 2024-01-01 >> {text}\n\n[INFO|modeling_utils.py:1] loading {{weights}}\n"
        ),
    ] {
        assert_eq!(known(&text).shape.count().map(|c| c.total), Ok(1_100_048_384));
    }
    let broken = refused(&text.replace("22,", "22"));
    assert!(broken.contains("at line 11"), "{broken}");
    let python = refused("{'model_type': 'llama', 'tie_word_embeddings': False}");
    assert!(python.ends_with("It looks like a Python dict: print it with json.dumps."), "{python}");
}

/// What Python writes and JSON does not know: read where it does not matter, refused where it is a size.
#[test]
fn infinity_and_nan_are_read_as_words() {
    let text = fixture("configs/llama-3-8b.json");
    let with = |field: &str| text.trim_end().trim_end_matches('}').to_owned() + "," + field + "}";
    let words = "\"time_step_limit\": [0.0, Infinity], \"a\": -Infinity, \"b\":NaN, \"c\": \"NaN \\\" Infinity\"";
    assert_eq!(known(&with(words)), known(&text));
    let message = refused(&text.replacen("4096", "NaN", 1));
    assert!(message.contains("expected a whole number, got the text “NaN”"), "{message}");
    // nvidia/NVIDIA-Nemotron-3-Super.
    let super_ = known(&fixture("configs/2026/bad/nemotron-3-super-120b-a12b-fp8.json"));
    assert_eq!(super_.shape.count().map(|c| c.total), Ok(120_668_707_840));
}

/// Qwen3-Coder-480B, Nemotron-H-56B and GLM-5.2-NVFP4 have each one of these. Another value says another model.
#[test]
fn what_a_class_does_anyway_may_be_said() {
    let with = |file: &str, field: &str| {
        let text = fixture(&format!("configs/2026/{file}"));
        import(&(text.trim_end().trim_end_matches('}').to_owned() + "," + field + "}"))
    };
    let counted = |file: &str, field: &str| match (import(&fixture(&format!("configs/2026/{file}"))), with(file, field))
    {
        (Ok(Import::Known(plain)), Ok(Import::Known(said))) => plain.shape == said.shape,
        _ => false,
    };
    let kinds = |kind: &str| format!("\"layer_types\": {}", json!(vec![kind; 78]));
    assert!(counted("qwen3-30b-a3b-fp8.json", "\"use_qk_norm\": true"));
    assert!(counted("nemotron-3-nano-30b-a3b-bf16.json", "\"time_step_rank\": 512"));
    assert!(
        ["deepseek_sparse_attention", "indexed_attention"].iter().all(|kind| counted("glm-5.2.json", &kinds(kind)))
    );
    assert!(matches!(with("qwen3-30b-a3b-fp8.json", "\"use_qk_norm\": false"), Ok(Import::Guess { .. })));
    assert!(with("glm-5.2.json", &kinds("linear_attention")).is_err());
}

/// As MiniMax-M3-NVFP4 has it: 22,422 quantized modules by name, 3.1 MB.
#[test]
fn a_megabyte_of_module_names_is_passed_over() {
    let text = fixture("configs/llama-3-8b.json");
    let names: Vec<String> =
        (0..22_422).map(|i| format!("model.layers.{i}.block_sparse_moe.experts.{i}.w1.{:090}", 0)).collect();
    let list = json!({ "quant_algo": "NVFP4", "exclude_modules": names });
    let text_with = text.trim_end().trim_end_matches('}').to_owned() + &format!(", \"quantization_config\": {list}}}");
    assert!(text_with.len() > 2_900_000, "{}", text_with.len());
    let with = known(&text_with);
    assert_eq!((with.shape, &with.quantized), (known(&text).shape, &None));
    assert!(
        with.warnings.iter().any(|w| w.message.contains("it excludes 22,422 modules by name")),
        "{:?}",
        with.warnings
    );
}

/// nvidia/Llama-3.1-70B-Instruct-FP8 and ten more of ai-dynamo/aiconfigurator say how they are quantized in a file of its own alone.
#[test]
fn a_config_and_its_hf_quant_config_are_one() {
    let config = fixture("configs/llama-3-70b.json");
    let quant = r#"{"producer": {"name": "modelopt", "version": "0.15.1"}, "quantization": {"quant_algo": "FP8",
        "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}}"#;
    let alone = known(&config);
    for text in [format!("{config}\n{quant}"), format!("{quant}{config}")] {
        let both = known(&text);
        assert_eq!((both.shape, alone.quantized.is_none()), (alone.shape, true));
        assert_eq!(both.quantized.map(|q| q.form).as_deref(), Some("fp8"));
        assert!(both.warnings.iter().any(|w| w.message.contains("keys and values in FP8")), "{:?}", both.warnings);
    }
    // What the config says stands.
    let own = config.trim_end().trim_end_matches('}').to_owned()
        + r#","quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}"#;
    assert_eq!(known(&format!("{own}{quant}")).quantized.map(|q| q.form).as_deref(), Some("AWQ"));
    for text in [format!("{config}{config}"), format!("{config}{quant}{quant}"), format!("{quant}{quant}")] {
        assert!(refused(&text).contains("trailing characters"), "{}", refused(&text));
    }
}

/// Any class of transformers 5.24 takes sizes for single layers; Gemma 4’s own are read.
#[test]
fn sizes_of_single_layers_are_read_or_refused() {
    let with = |file: &str, field: &str, value: Value| {
        let mut config = object(&fixture(file));
        let inner = config.get_mut("text_config").and_then(Value::as_object_mut);
        inner.map_or_else(|| panic!("no part"), |inner| inner.insert(field.to_owned(), value));
        Value::Object(config).to_string()
    };
    let gemma = "configs/2026/gemma-4-26b-a4b.json";
    let plain = known(&fixture(gemma));
    let own = |sizes: &Value, layers: &[usize]| {
        let layers: Map<String, Value> = layers.iter().map(|layer| (format!("{layer:02}"), sizes.clone())).collect();
        with(gemma, "per_layer_config", Value::Object(layers))
    };
    let full = [5, 11, 17, 23, 29];
    let sizes = json!({"head_dim": 512, "num_key_value_heads": 2});
    assert_eq!(known(&own(&sizes, &full)).shape, plain.shape);
    assert_ne!(known(&own(&json!({"head_dim": 256, "num_key_value_heads": 2}), &full)).shape, plain.shape);
    for layers in [&full[1..], &[0, 5, 11, 17, 23, 29]] {
        assert!(refused(&own(&sizes, layers)).starts_with("per_layer_config: each layer has its own sizes"));
    }
    assert!(refused(&own(&json!({"skip": ["mlp"]}), &full)).starts_with("per_layer_config: each"));
    let mut llama = object(&fixture("configs/llama-3-8b.json"));
    llama.insert("per_layer_config".to_owned(), json!({"3": {"intermediate_size": 8192}}));
    assert!(refused(&Value::Object(llama.clone()).to_string()).starts_with("per_layer_config: each"));
    llama.remove("per_layer_config");
    llama.insert("extra".to_owned(), json!({"of": {"one": {"head_dim": 64}}}));
    let (_, message) = guess(&Value::Object(llama).to_string());
    assert!(message.contains("extra.of.one.head_dim 64"), "{message}");
}

/// Two names of one size must agree.
#[test]
fn two_names_of_one_size_agree_or_are_refused() {
    let text = fixture("configs/gpt2.json");
    let with = |field: &str| text.trim_end().trim_end_matches('}').to_owned() + "," + field + "}";
    assert_eq!(known(&with("\"hidden_size\": 768")).shape, known(&text).shape);
    let message = refused(&with("\"hidden_size\": 1024"));
    assert!(message.starts_with("n_embd is 768 and hidden_size is 1024"), "{message}");
}

/// The files of 2025 and 2026: what each is read as, held to the library's own classes. Of a counted one the total, what a token and a
/// sequence take in the cache, and what a sequence keeps whatever its length.
#[test]
fn nothing_of_2026_is_confidently_wrong() {
    let oracle: Value = serde_json::from_str(&fixture("configs/2026/model_params.json")).expect("JSON");
    let (mut counted, mut marked, mut refused, mut wrong) = (0, Vec::new(), Vec::new(), Vec::new());
    let bad = [&oracle["bad_cases"][1]];
    for case in oracle["cases"].as_array().expect("cases").iter().chain(bad) {
        let name = case["config_file"].as_str().and_then(|f| f.strip_prefix("configs/")).expect("a file");
        let name = if name.starts_with("bad/") { name.to_owned() } else { name.replace("2026/", "") };
        match &import(&fixture(&format!("configs/2026/{name}"))) {
            Ok(read @ Import::Known(imported)) => {
                counted += 1;
                let part = imported.warnings.iter().any(|w| w.message.contains("Only the language model"));
                let right = if part { &case["text_only_total"] } else { &case["total"] };
                if right.as_u64() != Some(total(read)) {
                    wrong.push(format!("{name}: {} instead of {right}", total(read)));
                }
                wrong.extend(wrong_cache(&name, &imported.shape, case));
            }
            Ok(Import::Guess { message, .. }) => {
                assert!(message.contains("guess"), "{name}: {message}");
                marked.push(name);
            }
            Err(problems) => {
                assert!(problems.first().is_some_and(|p| !p.message.is_empty()), "{name}");
                refused.push(format!("{name}: {}", problems[0].message));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(marked, ["deepseek-v4-flash-fp8-sgl.json", "kimi-k3.json"]);
    assert_eq!(refused.len(), 3, "{refused:#?}");
    assert_eq!(counted, 38, "{refused:#?}");
}

/// A row of `library.json`: what the class comes to.
struct Counted<'a> {
    name: String,
    config: Value,
    /// Parameters of the language model.
    total: u64,
    /// Values of the cache after so many tokens, and of states.
    cache: Option<(u64, &'a Value, &'a Value)>,
}

/// Every class as it is by default, and with one field set or left out.
fn library(oracle: &Value) -> Vec<Counted<'_>> {
    let mut rows = Vec::new();
    for case in oracle["cases"].as_array().expect("cases") {
        let class = case["class"].as_str().expect("a class");
        let text = case.get("text").unwrap_or(&case["total"]);
        let tokens = case["tokens"].as_u64();
        let cache = |kv, state| tokens.map(|tokens| (tokens, kv, state));
        rows.push(Counted {
            name: class.to_owned(),
            config: case["config"].clone(),
            total: text.as_u64().expect("a total"),
            cache: cache(&case["kv"], &case["state"]),
        });
        let changes = oracle["changes"].as_array().expect("changes").iter().find(|c| c["class"] == class);
        for (what, skip) in [("set", 2), ("without", 1)] {
            for change in changes.and_then(|changes| changes[what].as_array()).into_iter().flatten() {
                let field = change[0].as_str().expect("a field");
                let mut config = case["config"].clone();
                let (inside, name) = field.rsplit_once('.').map_or(("", field), |(inside, name)| (inside, name));
                let outer = if inside.is_empty() { Some(&mut config) } else { config.get_mut(inside) };
                let outer = outer.and_then(Value::as_object_mut).unwrap_or_else(|| panic!("{class} has no {inside}"));
                if what == "set" {
                    outer.insert(name.to_owned(), change[1].clone())
                } else {
                    outer.remove(name)
                };
                let cache = change.get(skip + 1).and_then(|kv| cache(kv, &change[skip + 2]));
                let total = change[skip].as_u64().expect("a total");
                rows.push(Counted { name: format!("{class}, {what} {field}"), config, total, cache });
            }
        }
    }
    rows
}

/// Classes of transformers 5.24, and what each comes to when one field changes: counted to the parameter and to the value of the cache,
/// or marked, or refused.
#[test]
fn classes_of_the_library_are_counted_or_marked() {
    let oracle: Value = serde_json::from_str(&fixture("configs/library.json")).expect("JSON");
    let (mut classes, mut changes, mut wrong) = ([0; 3], [0; 3], Vec::new());
    for row in library(&oracle) {
        let outcomes = if row.name.contains(',') { &mut changes } else { &mut classes };
        match import(&row.config.to_string()) {
            Ok(read @ Import::Known(_)) => {
                outcomes[0] += 1;
                let shape = &read.imported().shape;
                let (ours, name) = (total(&read), &row.name);
                if ours != row.total {
                    wrong.push(format!("{name}: {ours} instead of {}", row.total));
                }
                let Some((tokens, kv, state)) = row.cache else { continue };
                let kept = [shape.kv_bytes(tokens, 1.0) - shape.state_bytes(), shape.state_bytes() / 4.0];
                let theirs = [kv.as_f64().expect("values"), state.as_f64().expect("values")];
                if kept != theirs {
                    wrong.push(format!("{name}: a cache of {kept:?} instead of {theirs:?}"));
                }
            }
            Ok(Import::Guess { .. }) => outcomes[1] += 1,
            Err(_) => outcomes[2] += 1,
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let readers = include_str!("../../../../docs/READERS.md");
    for (what, [counted, marked, refused]) in
        [("Classes of transformers 5.24.0", classes), ("The same, one field changed", changes)]
    {
        let line = format!("| {what} | {counted} | {marked} | {refused} | 0 |");
        assert!(readers.contains(&line), "docs/READERS.md lacks {line}");
    }
}

/// Where the cache of `shape` is not the one that the library's own holds.
fn wrong_cache(name: &str, shape: &Shape, case: &Value) -> Vec<String> {
    let kv = &case["kv"];
    let number = |value: &Value| value.as_f64();
    let mut wrong = Vec::new();
    let mut compare = |what: &str, ours: f64, theirs: Option<f64>| {
        if theirs.is_some_and(|theirs| theirs != ours) {
            wrong.push(format!("{name}: {what} {ours} instead of {theirs:?}"));
        }
    };
    compare("bytes per token", shape.kv_bytes_per_token(2.0), number(&kv["library_cache_bytes_per_token_bf16"]));
    let state = number(&kv["state_values_per_sequence"]).map(|values| values * 4.0);
    compare("state", shape.state_bytes(), state.or(Some(0.0)));
    let with = &kv["bytes_at_context_with_indexer_bf16"];
    let at = if with.is_null() { &kv["bytes_at_context_bf16"] } else { with };
    for (tokens, bytes) in at.as_object().into_iter().flatten() {
        let grown = shape.kv_bytes(tokens.parse().expect("a number"), 2.0) - shape.state_bytes();
        compare(&format!("at {tokens}"), grown, number(bytes));
    }
    wrong
}

/// Every published config that is counted without a mark.
fn exact() -> Vec<(String, Map<String, Value>)> {
    let oracle: Value = serde_json::from_str(&fixture("configs/model_params.json")).expect("JSON");
    let cases = oracle["cases"].as_array().cloned().unwrap_or_default();
    let read = |case: &Value| {
        let file = case["config_file"].as_str()?.to_owned();
        let text = fixture(&file);
        let Ok(Import::Known(imported)) = import(&text) else { return None };
        let part = imported.warnings.iter().any(|w| w.message.contains("Only the language model"));
        let right = if part { &case["text_only_total"] } else { &case["total"] };
        assert_eq!(imported.shape.count().ok().map(|c| c.total), right.as_u64(), "{file}");
        Some((file, object(&text)))
    };
    cases.iter().filter_map(read).collect()
}

/// What marks a guess marks none of the files that are the library's class: fields that change nothing are known as such.
#[test]
fn published_configs_are_still_counted_without_a_mark() {
    assert_eq!(exact().len(), 68);
}

/// With a size under a name that nobody knows, no file is counted otherwise without a word.
#[test]
fn a_size_under_another_name_is_missed() {
    let mut tried = 0;
    for (file, config) in exact() {
        let text = Value::Object(config.clone()).to_string();
        let whole = known(&text);
        for (field, value) in config.iter().filter(|(field, value)| unread::concerns_sizes(field, value)) {
            let mut renamed = config.clone();
            renamed.remove(field);
            renamed.insert(format!("my_{field}"), value.clone());
            tried += 1;
            if let Ok(Import::Known(read)) = import(&Value::Object(renamed).to_string()) {
                let said = read.warnings.iter().any(|w| w.message.contains(field.as_str()));
                assert!(said || read.shape == whole.shape, "{file}: {field} {value}: {:?}", read.warnings);
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

/// A value that a file may hold.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0_u64..200).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec!["llama", "mpt", "full_attention", "mamba", "grouped_query_attention", "4096", ""])
            .prop_map(Value::from),
        Just(json!([])),
        Just(json!([1, "conv", [[2]]])),
        Just(json!({"kv_n_heads": 3, "attn_type": "grouped_query_attention", "n_experts": 7})),
    ]
}

/// A word of which names of fields are made.
const WORDS: [&str; 16] = [
    "num",
    "n",
    "hidden",
    "size",
    "layers",
    "heads",
    "experts",
    "attn",
    "config",
    "kv",
    "intermediate",
    "routed",
    "type",
    "bias",
    "rope",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A part of a file is none.
    #[test]
    fn a_file_that_is_cut_off_is_refused(which in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>()) {
        let text = fixture(["configs/llama-3-8b.json", "configs/mpt-7b.json", "brought/printed-config.txt"][which.index(3)]);
        let text = text.trim_end();
        let chars: Vec<char> = text.chars().collect();
        let part: String = chars[..cut.index(chars.len())].iter().collect();
        prop_assert!(import(&part).is_err());
    }

    /// Whatever else a file has, and whatever one of its fields becomes: it is read, marked or refused, and what is shown is finite.
    #[test]
    fn any_fields_are_read(
        family in any::<prop::sample::Index>(),
        more in prop::collection::vec((prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..4), value()), 0..4),
        changed in any::<prop::sample::Index>(),
        to in value(),
    ) {
        let files = ["llama-3-8b", "mpt-7b", "deepseek-v3", "falcon-7b", "qwen3-30b-a3b", "dbrx", "gpt2", "gemma-2-2b", "llava-1.5-7b"];
        let mut config = object(&fixture(&format!("configs/{}.json", files[family.index(files.len())])));
        let field = config.keys().nth(changed.index(config.len())).cloned().unwrap_or_default();
        config.insert(field, to);
        config.extend(more.into_iter().map(|(words, value)| (words.join("_"), value)));
        match import(&Value::Object(config).to_string()) {
            Ok(read) => {
                let count = read.imported().shape.count();
                prop_assert!(count.is_ok(), "{count:?}");
                prop_assert!(read.imported().shape.kv_bytes_per_token(2.0).is_finite());
            }
            Err(problems) => prop_assert!(!problems.is_empty() && problems.iter().all(|p| p.message.len() < 2000)),
        }
    }

    /// A guess stays one whatever is taken away, but for what makes it one.
    #[test]
    fn taking_away_makes_nothing_certain(gone in any::<prop::sample::Index>()) {
        for (file, reasons) in [
            ("brought/deepseek-moe-16b.json", &["model_type"][..]),
            ("configs/bad/unknown_model_type.json", &["model_type"]),
            ("configs/internlm2-7b.json", &["model_type"]),
        ] {
            let mut config = object(&fixture(file));
            let field = config.keys().nth(gone.index(config.len())).cloned().unwrap_or_default();
            config.remove(&field);
            let known = matches!(import(&Value::Object(config).to_string()), Ok(Import::Known(_)));
            prop_assert!(!known || reasons.contains(&field.as_str()), "{file} without {field}");
        }
    }

    /// Any text.
    #[test]
    fn any_text_is_read_or_refused(text in r#"([{}\[\],:"0-9]|NaN|Infinity|-|Config \{|"model_type":"mpt"|"n_heads":|\\|é|\n){0,40}"#) {
        let _ = import(&text);
    }
}

/// nvidia/GLM-5.2-NVFP4 (ai-dynamo/aiconfigurator, model_configs) gives the number of routed experts under two names.
#[test]
fn a_number_of_experts_under_two_names_is_one_number() {
    let mut config = object(&fixture("configs/deepseek-v3.json"));
    let count = |config: &Map<String, Value>| import(&Value::Object(config.clone()).to_string());
    let plain = total(&count(&config).expect("read"));
    config.insert("num_experts".to_owned(), config["n_routed_experts"].clone());
    assert!(matches!(count(&config), Ok(Import::Known(same)) if same.shape.count().map(|c| c.total) == Ok(plain)));
    config.insert("num_experts".to_owned(), json!(128));
    assert!(matches!(count(&config), Ok(Import::Guess { .. })));
}
