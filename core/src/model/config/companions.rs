//! Files that lie beside a `config.json` and are taken for it.

use serde_json::Value;

use super::NESTED;
use super::fields::Pairs;

const OF_MODELOPT: &str = "It is hf_quant_config.json, which says how ModelOpt quantized the weights. Bring the config.json beside it and this \
                           file below it: some have no quantization_config of their own.";

/// Fields that only one kind of file has all of, and what to say of it.
const COMPANIONS: [(&[&str], &str); 12] = [
    (
        &["results", "versions", "configs"],
        "It is what the evaluation harness writes, a model’s scores. Bring the model’s config.json.",
    ),
    (
        &["results", "versions", "config.model_args"],
        "It is what the evaluation harness writes, a model’s scores. For the speed, paste what the run or the server prints.",
    ),
    (
        &["distributed", "training", "model"],
        "It is a configuration of picotron, which isn’t read here. Bring the model’s config.json, and paste what the run prints.",
    ),
    (&["quantization.quant_algo"], OF_MODELOPT),
    (
        &["quant_method", "bits"],
        "It is quantize_config.json, which says how the weights were quantized. Bring the config.json beside it.",
    ),
    (
        &["peft_type", "base_model_name_or_path"],
        "It is adapter_config.json, a PEFT adapter without a model of its own. Bring the config.json of the model that \
         base_model_name_or_path names.",
    ),
    (
        &["weight_map", "metadata"],
        "It is an index of weight files, which says which file holds which tensor. Bring the config.json beside it.",
    ),
    (
        &["dim", "n_layers", "multiple_of"],
        "It is params.json, the format of Meta’s own checkpoints. Bring the config.json of the same model for transformers (on the Hub the \
         repository whose name ends in -hf, or the top folder).",
    ),
    (
        &["dim", "n_layers", "head_dim", "hidden_dim"],
        "It is params.json, the format of Mistral’s own checkpoints. Bring the config.json beside it.",
    ),
    (
        &["tokenizer_class"],
        "It is a tokenizer’s or a processor’s file, which says nothing of the model’s size. Bring the config.json beside it.",
    ),
    (&["model", "added_tokens"], "It is tokenizer.json, the tokenizer itself. Bring the config.json beside it."),
    (
        &["eos_token_id", "transformers_version"],
        "It is generation_config.json, which sets sampling. Bring the config.json beside it.",
    ),
];

/// Fields that only a model’s own config has.
const OF_A_MODEL: [&str; 8] =
    ["model_type", "architectures", "hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer", "text_config"];

/// What a file is that isn’t a model’s config and lies beside one, and what to bring; a sentence. `field` gives its fields.
pub fn companion<'a>(field: impl Fn(&str) -> Option<&'a Value>) -> Option<&'static str> {
    if OF_A_MODEL.iter().any(|name| field(name).is_some()) {
        return None;
    }
    let has = |path: &&str| match path.split_once('.') {
        Some((outer, inner)) => field(outer).and_then(|value| value.get(inner)).is_some(),
        None => field(path).is_some(),
    };
    COMPANIONS.iter().find(|(fields, _)| fields.iter().all(&has)).map(|(_, said)| *said)
}

/// What a second file below a config says of it, as a field of the config: hf_quant_config.json’s `quantization`. The two may stand in
/// either order.
pub(super) fn joined(first: Pairs, second: Pairs) -> Option<Pairs> {
    let is_quant = |pairs: &Pairs| companion(|name| pairs.last(name)) == Some(OF_MODELOPT);
    let (mut config, quant) = match (is_quant(&first), is_quant(&second)) {
        (false, true) => (first, second),
        (true, false) => (second, first),
        _ => return None,
    };
    let inside = |name| config.last(name).and_then(|part| part.get(FORM)).is_some();
    // A config says it in more detail where it says it.
    if config.last(FORM).is_none() && !NESTED.into_iter().any(inside) {
        config.0.push((FORM.to_owned(), quant.last("quantization")?.clone()));
    }
    Some(config)
}

const FORM: &str = "quantization_config";

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    /// As they lie on the Hub, shortened: nvidia/GLM-5.2-NVFP4, TheBloke/Llama-2-7B-GPTQ, tloen/alpaca-lora-7b, meta-llama/Llama-3.1-8B
    /// (`original/params.json` and the others), mistralai/Mistral-7B-v0.3.
    #[test]
    fn what_lies_beside_a_config_is_told_by_its_fields() {
        let files: [(&str, Value); 9] = [
            (
                "hf_quant_config.json",
                json!({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "group_size": 16}}),
            ),
            ("quantize_config.json", json!({"bits": 4, "group_size": 128, "desc_act": false, "quant_method": "gptq"})),
            (
                "adapter_config.json",
                json!({"base_model_name_or_path": "x", "lora_alpha": 16, "peft_type": "LORA", "r": 8}),
            ),
            ("an index of weight files", json!({"metadata": {"total_size": 16_060_522_496_u64}, "weight_map": {}})),
            (
                "params.json",
                json!({"dim": 4096, "n_layers": 32, "n_heads": 32, "multiple_of": 1024, "vocab_size": 128_256}),
            ),
            ("params.json", json!({"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32})),
            (
                "a tokenizer’s or a processor’s file",
                json!({"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 131_072}),
            ),
            ("tokenizer.json", json!({"version": "1.0", "added_tokens": [], "model": {"type": "BPE"}})),
            ("generation_config.json", json!({"eos_token_id": 2, "do_sample": true, "transformers_version": "4.42.3"})),
        ];
        for (name, file) in files {
            let said = super::companion(|field| file.get(field)).unwrap_or_default();
            assert!(said.starts_with(&format!("It is {name}")), "{name}: {said}");
            let config = json!({"model_type": "llama"});
            assert_eq!(super::companion(|field| config.get(field).or(file.get(field))), None);
            let sizes = json!({"hidden_size": 4096});
            assert_eq!(super::companion(|field| sizes.get(field).or(file.get(field))), None, "{name}");
            let problems = crate::model::config::import(&file.to_string()).expect_err(name);
            assert_eq!(problems[0].message, said);
        }
    }
}
