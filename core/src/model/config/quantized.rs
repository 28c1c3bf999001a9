//! What `quantization_config` makes of a checkpoint: which weights are stored in how many bits, with their scales.
//!
//! Layouts: fp8 in blocks, one scale a block (DeepSeek-V3, `inference/kernel.py`); NVFP4, an fp8 scale for each 16 values, and MXFP4, an
//! 8-bit one for each 32 (OCP Microscaling Formats 1.0; NVIDIA ModelOpt); AWQ and GPTQ, a scale of 16 bits and a zero of the weight's bits
//! for each group; compressed-tensors, by `config_groups`; bitsandbytes, fp32 maxima for each 64, themselves in 8 bits with double
//! quantization (QLoRA, arXiv:2305.14314); torchao, by the name of its type. Embedding, output matrix, norms and routers stay in 16 bits unless
//! a file says otherwise, as in [`ParameterCount::quantized`](crate::model::ParameterCount::quantized).

use serde_json::Value;

use crate::model::params::{Component, Place, Tensor};
use crate::model::problem::ConfigProblem;
use crate::model::shape::Shape;
use crate::quantity::{bytes_decimal, count, grouped};
use crate::serving::step::{Quant, Stored};

/// What a checkpoint stores.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantized {
    /// The form, for a person: "MXFP4".
    pub form: String,
    /// Bytes of all weights and their scales.
    pub bytes: f64,
    /// Weights that are stored in fewer than 16 bits.
    pub weights: f64,
    /// The form of weights that serving knows and that is most like it, with bits as they are here.
    pub stored: Stored,
}

impl Quantized {
    /// What a reader should know of it.
    pub(super) fn warning(&self) -> ConfigProblem {
        let message = format!(
            "The checkpoint stores {} of its weights as {}: {} in all, scales included.",
            count(self.weights),
            self.form,
            bytes_decimal(self.bytes)
        );
        ConfigProblem::new("quantization_config", message)
    }
}

/// How one sort of weights is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Form {
    name: &'static str,
    /// Bytes of a weight with its part of the scales.
    bytes: f64,
    quant: Quant,
}

/// Most exclusions that are held against every layer. Files that name every module of theirs have tens of thousands.
const MOST_PATTERNS: usize = 1000;

const fn form(name: &'static str, bytes: f64, quant: Quant) -> Form {
    Form { name, bytes, quant }
}

const NVFP4: Form = form("NVFP4", 0.5 + 1.0 / 16.0, Quant::Nvfp4);
const MXFP4: Form = form("MXFP4", 0.5 + 1.0 / 32.0, Quant::Mxfp4);
const MXFP8: Form = form("MXFP8", 1.0 + 1.0 / 32.0, Quant::Fp8);
const FP8: Form = form("fp8", 1.0, Quant::Fp8);

/// Reads it.
///
/// # Errors
/// Why nothing can be said of the bytes: a sentence.
pub(super) fn read(
    config: &Value,
    expert_dtype: Option<&Value>,
    model_type: &str,
    shape: &Shape,
) -> Result<Quantized, String> {
    let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default();
    let whole = |name: &str| config.get(name).and_then(Value::as_u64);
    // ModelOpt's own file names the algorithm alone.
    let method = match text("quant_method") {
        "" if config.get("quant_algo").is_some() => "modelopt".to_owned(),
        method => method.to_lowercase(),
    };
    let unknown = |what: &str| format!("quantization_config: {what}, so the bytes of the checkpoint are not computed.");
    let mut only_experts = None;
    let usual = match method.as_str() {
        "fp8" | "fbgemm_fp8" => {
            let block: Vec<f64> = config
                .get("weight_block_size")
                .and_then(Value::as_array)
                .map(|sides| sides.iter().filter_map(Value::as_f64).collect())
                .unwrap_or_default();
            let scale = if model_type == "deepseek_v4" { 1.0 } else { 4.0 };
            let per = block.iter().product::<f64>();
            let fp8 = if block.len() == 2 && per >= 1.0 { form("fp8", 1.0 + scale / per, Quant::Fp8) } else { FP8 };
            only_experts = match (text("moe_quant_algo"), expert_dtype.and_then(Value::as_str)) {
                ("NVFP4", _) => Some(NVFP4),
                (_, Some("fp4")) => Some(MXFP4),
                _ => None,
            };
            Some(fp8)
        }
        "mxfp4" | "gpt_oss_mxfp4" => {
            only_experts = Some(MXFP4);
            None
        }
        "awq" | "gptq" | "auto-round" | "gptq_marlin" | "awq_marlin" => {
            let bits = whole("bits").or_else(|| whole("w_bit")).unwrap_or(4) as f64;
            let group = config.get("group_size").and_then(Value::as_f64).filter(|group| *group > 0.0);
            let scales = group.map_or(0.0, |group| (2.0 + bits / 8.0) / group);
            let name = if method.starts_with("awq") { "AWQ" } else { "GPTQ" };
            Some(form(name, bits / 8.0 + scales, if bits > 4.0 { Quant::Int8 } else { Quant::Int4 }))
        }
        "compressed-tensors" => Some(groups(config).ok_or_else(|| unknown("its config_groups are of no known kind"))?),
        "modelopt" | "modelopt_fp4" | "modelopt_fp8" => Some(match text("quant_algo") {
            "NVFP4" => NVFP4,
            "FP8" => FP8,
            "MXFP8" => MXFP8,
            other => return Err(unknown(&format!("quant_algo {other} stores each module in bits of its own"))),
        }),
        "bitsandbytes" => {
            if config.get("load_in_8bit") == Some(&Value::Bool(true)) {
                Some(form("int8 (bitsandbytes)", 1.0, Quant::Int8))
            } else {
                let double = config.get("bnb_4bit_use_double_quant") == Some(&Value::Bool(true));
                let maxima = if double { 1.0 / 64.0 + 4.0 / (64.0 * 256.0) } else { 4.0 / 64.0 };
                Some(form("4-bit (bitsandbytes)", 0.5 + maxima, Quant::Int4))
            }
        }
        "torchao" => {
            let kind = config.get("quant_type").map(|kind| kind.to_string().to_lowercase()).unwrap_or_default();
            Some(if kind.contains("int4") || kind.contains("uint4") {
                form("int4 (torchao)", 0.5 + 4.0 / 128.0, Quant::Int4)
            } else if kind.contains("float8") {
                form("float8 (torchao)", 1.0, Quant::Fp8)
            } else if kind.contains("int8") {
                form("int8 (torchao)", 1.0, Quant::Int8)
            } else {
                return Err(unknown("quant_type of torchao is of no known kind"));
            })
        }
        "bitnet" => Some(form("2-bit ternary", 0.25, Quant::Int4)),
        "" => return Err(unknown("no quant_method is given")),
        other => return Err(unknown(&format!("quant_method {} is not known", crate::query::shorten(other)))),
    };
    let excluded = Excluded::of(config, model_type);
    if excluded.patterns.len() > MOST_PATTERNS {
        return Err(unknown(&format!("it excludes {} modules by name", grouped(excluded.patterns.len() as u64))));
    }
    let (mut bytes, mut weights) = (0.0, 0.0);
    // Bytes and weights of layers beside routed experts, and of these: those that `ParameterCount::quantized` has.
    let mut layers = [[0.0; 2]; 2];
    for tensor in shape.tensors() {
        let total = tensor.total() as f64;
        let matrix = tensor.rows as f64 * tensor.cols as f64 * tensor.count as f64;
        let experts = tensor.component == Component::Experts;
        let stored = if experts { only_experts.or(usual) } else { usual };
        let share = stored.map_or(0.0, |_| 1.0 - excluded.share(&tensor, shape));
        let linear = tensor.component.is_quantized() && tensor.is_hidden_matrix();
        let fewer = if linear { matrix * share } else { 0.0 };
        let taken = fewer * stored.map_or(2.0, |form| form.bytes) + (total - fewer) * 2.0;
        weights += fewer;
        bytes += taken;
        if tensor.component.is_quantized() {
            let [all, of] = &mut layers[usize::from(experts)];
            *all += taken;
            *of += total;
        }
    }
    if weights <= 0.0 {
        return Err(unknown("it excludes every layer that it would quantize by the names that are known here"));
    }
    let main = only_experts.or(usual).unwrap_or(FP8);
    let names: Vec<&str> = only_experts.into_iter().chain(usual).map(|form| form.name).collect();
    let each = layers.map(|[bytes, weights]| if weights > 0.0 { bytes / weights } else { 2.0 });
    Ok(Quantized { form: names.join(" and "), bytes, weights, stored: Stored::measured(main.quant, each) })
}

/// The first of compressed-tensors' groups that has weights.
fn groups(config: &Value) -> Option<Form> {
    let groups = config.get("config_groups")?.as_object()?;
    let weights = groups.values().find_map(|group| group.get("weights").filter(|weights| weights.is_object()))?;
    let bits = weights.get("num_bits")?.as_u64()?;
    let group = weights.get("group_size").and_then(Value::as_f64).filter(|size| *size > 0.0);
    let float = weights.get("type").and_then(Value::as_str) == Some("float");
    let symmetric = weights.get("symmetric") != Some(&Value::Bool(false));
    Some(match (bits, float, group) {
        (4, true, Some(16.0)) => NVFP4,
        (4, true, Some(32.0)) => MXFP4,
        (8, true, Some(32.0)) => MXFP8,
        (8, true, _) => FP8,
        (1..=8, false, group) => {
            let zero = if symmetric { 0.0 } else { bits as f64 / 8.0 };
            let bytes = bits as f64 / 8.0 + group.map_or(0.0, |group| (2.0 + zero) / group);
            if bits > 4 { form("int8", bytes, Quant::Int8) } else { form("int4", bytes, Quant::Int4) }
        }
        _ => return None,
    })
}

/// What a file leaves in 16 bits.
struct Excluded {
    patterns: Vec<String>,
    /// Whether experts are a module beside `mlp`, not in it, as in Gemma 4 (`modeling_gemma4.py`, `Gemma4TextDecoderLayer`).
    beside: bool,
}

impl Excluded {
    fn of(config: &Value, model_type: &str) -> Self {
        // `ignore` of an fp8 file names what its 4-bit experts leave; fp8 leaves `modules_to_not_convert`.
        let fp8 = config.get("quant_method").and_then(Value::as_str) == Some("fp8");
        let names: &[&str] = if fp8 {
            &["modules_to_not_convert", "ignored_layers"]
        } else {
            &["modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules", "llm_int8_skip_modules"]
        };
        let lists = names.iter().filter_map(|name| config.get(*name)?.as_array()).flatten();
        let patterns = lists.filter_map(Value::as_str).map(str::to_owned).collect();
        Self { patterns, beside: model_type.starts_with("gemma4") }
    }

    /// The share of a tensor's occurrences that one of the patterns names.
    fn share(&self, tensor: &Tensor, shape: &Shape) -> f64 {
        if self.patterns.is_empty() {
            return 0.0;
        }
        let layers = shape.num_hidden_layers.max(1);
        let dense = if shape.moe.is_some() { shape.dense_layers() } else { 0 };
        // Dense layers come first; mixtures are the others.
        let among = match tensor.place() {
            Place::Dense if dense > 0 => 0..dense,
            Place::Mixture => layers.saturating_sub(shape.moe_layers())..layers,
            _ => 0..layers,
        };
        let here = |layer: u64| {
            let paths = paths(tensor, layer, self.beside);
            self.patterns.iter().any(|pattern| paths.iter().any(|path| names(pattern, path)))
        };
        let there = shape.layers_at(tensor.place()).clamp(1, layers) as f64;
        let count = among.filter(|layer| here(*layer)).count() as f64;
        (count / there).min(1.0)
    }
}

/// What the modules of a tensor may be called in a layer.
fn paths(tensor: &Tensor, layer: u64, beside: bool) -> Vec<String> {
    let blocks: &[&str] = match tensor.component {
        Component::Attention => &["self_attn", "attn", "attention"],
        Component::Mixers => &["linear_attn", "mixer", "mamba", "conv", "self_attn"],
        Component::SharedExperts => &["mlp.shared_experts", "mlp.shared_expert", "ffn.shared_experts"],
        Component::Experts if beside => &["experts"],
        Component::Experts => &["mlp.experts", "block_sparse_moe.experts", "ffn.experts"],
        _ => &["mlp", "feed_forward", "ffn"],
    };
    let name = match tensor.component {
        Component::Attention | Component::Mixers => tensor.name,
        _ if tensor.name.contains("gate") => "gate_proj",
        _ if tensor.name.contains("down") => "down_proj",
        _ => "up_proj",
    };
    let number = if tensor.component == Component::Experts { ".0" } else { "" };
    blocks.iter().map(|block| format!("model.layers.{layer}.{block}{number}.{name}")).collect()
}

/// Whether a pattern of an exclusion list names this module or one that it is in: a regular expression after `re:`, of which `.*` and an
/// escaped point are understood; a glob with `*`; or a name, alone or with what is in front of it left out.
fn names(pattern: &str, path: &str) -> bool {
    let bare = |text: &str| text.trim_start_matches("language_model.").replace("model.language_model.", "model.");
    if let Some(regex) = pattern.strip_prefix("re:") {
        // What these files use: alternatives in one pair of parentheses.
        let glob = regex.replace("\\.", ".").replace(".*", "*").replace(['^', '$'], "");
        return match (glob.find('('), glob.find(')')) {
            (Some(open), Some(close)) if open < close => {
                let (before, after) = (&glob[..open], &glob[close + 1..]);
                glob[open + 1..close].split('|').any(|word| matches(&format!("{before}{word}{after}"), path))
            }
            _ => matches(&glob, path),
        };
    }
    let pattern = bare(pattern);
    if pattern.contains('*') {
        // A glob without one at its end names what is in the module too.
        return matches(&pattern, path) || matches(&format!("{pattern}.*"), path);
    }
    let inside =
        |path: &str| path.strip_prefix(pattern.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    inside(path) || path.match_indices('.').any(|(at, _)| inside(&path[at + 1..]))
}

/// Whether a glob of `*` matches the whole text.
fn matches(glob: &str, text: &str) -> bool {
    let mut parts = glob.split('*');
    let Some(first) = parts.next() else { return false };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::import;
    use crate::model::presets;

    fn quantized(text: &str) -> Quantized {
        match import(text) {
            Ok(import) => import.imported().quantized.clone().expect("is quantized"),
            Err(why) => panic!("{why:?}"),
        }
    }

    /// openai/gpt-oss-20b, model.safetensors.index.json: total_size 13,761,264,768.
    #[test]
    fn mxfp4_experts_come_to_the_published_checkpoint() {
        let shape = presets::find("gpt-oss-20b").expect("is there").shape;
        let config = serde_json::json!({
            "quant_method": "mxfp4",
            "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]
        });
        let got = read(&config, None, "gpt_oss", &shape).expect("is known");
        assert_eq!((got.bytes, got.stored.quant), (13_761_264_768.0, Quant::Mxfp4));
    }

    /// openai/gpt-oss-120b: its shards' tensors come to 65,248,815,744 bytes. deepseek-ai/DeepSeek-V3: its files to 688,586,727,753, of which one
    /// prediction layer with an embedding, a head and a joint projection of its own isn't counted here.
    #[test]
    fn published_checkpoints_have_the_bytes_that_their_configs_come_to() {
        let fixture = |name: &str| {
            let path = format!("{}/../tests/fixtures/configs/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).expect("a fixture")
        };
        assert_eq!(quantized(&fixture("gpt-oss-120b.json")).bytes, 65_248_815_744.0);
        let text = fixture("deepseek-v3.json");
        let main = quantized(&text).bytes;
        let deeper = quantized(&text.replace("\"num_hidden_layers\": 61", "\"num_hidden_layers\": 62")).bytes;
        let (hidden, vocabulary) = (7168.0, 129_280.0);
        let all = deeper + 2.0 * (2.0 * vocabulary * hidden + 2.0 * hidden * hidden);
        assert!((all / 688_586_727_753.0 - 1.0).abs() < 1e-4 && main < 0.98 * all, "{main} {all}");
    }

    /// What a file excludes stays in 16 bits in the figures too: bits beside experts and in them.
    #[test]
    fn figures_are_told_what_a_file_excludes() {
        let shape = presets::find("llama-3-8b").expect("is there").shape;
        let count = shape.count().expect("is sound");
        let config = serde_json::json!({"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "self_attn"]});
        let got = read(&config, None, "llama", &shape).expect("is known");
        let [beside, experts] = got.stored.bytes(false);
        assert!((count.stored_apart(beside, experts) / got.bytes - 1.0).abs() < 1e-6, "{got:?}");
        assert!(beside > 1.1, "{beside}");
        let written = got.stored.write();
        assert_eq!(crate::serving::step::Stored::read(&written), Some(got.stored), "{written}");
        for (wrong, none) in [("", true), ("fp8~8", true), ("fp8~a~8", true), ("fp8~99~8", true), ("fp8", false)] {
            assert_eq!(crate::serving::step::Stored::read(wrong).is_none(), none, "{wrong}");
        }
    }

    /// A Llama's linear layers in four bits with groups of 128: AWQ's scales and zeros.
    #[test]
    fn forms_have_the_bytes_of_their_layouts() {
        let shape = presets::find("llama-3-8b").expect("is there").shape;
        let count = shape.count().expect("is sound");
        let linear = count.quantized() as f64;
        let rest = (count.total as f64 - linear) * 2.0;
        for (config, each) in [
            (serde_json::json!({"quant_method": "awq", "bits": 4, "group_size": 128}), 0.5 + 2.5 / 128.0),
            (serde_json::json!({"quant_method": "fp8", "weight_block_size": [128, 128]}), 1.0 + 4.0 / 16384.0),
            (serde_json::json!({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}), 0.5625),
            (serde_json::json!({"quant_method": "bitsandbytes", "load_in_4bit": true}), 0.5625),
            (serde_json::json!({"quant_method": "bitsandbytes", "load_in_8bit": true}), 1.0),
            (serde_json::json!({"quant_method": "torchao", "quant_type": "int8_weight_only"}), 1.0),
        ] {
            let got = read(&config, None, "llama", &shape).expect("is known");
            assert!((got.bytes - (linear * each + rest)).abs() < 1.0, "{config}: {}", got.bytes);
            assert_eq!(got.weights, linear, "{config}");
        }
        let half = serde_json::json!({
            "quant_method": "modelopt", "quant_algo": "NVFP4",
            "ignore": (0..16).map(|l| format!("model.layers.{l}.self_attn*")).collect::<Vec<_>>()
        });
        let got = read(&half, None, "llama", &shape).expect("is known");
        assert_eq!(got.weights, linear - count.attention as f64 / 2.0);
        for unknown in [serde_json::json!({}), serde_json::json!({"quant_method": "new"})] {
            assert!(read(&unknown, None, "llama", &shape).is_err_and(|why| why.ends_with("are not computed.")));
        }
    }

    /// The published configs of models whose checkpoints have fewer than 16 bits.
    #[test]
    fn presets_know_what_their_checkpoint_stores() {
        let configs = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/configs/");
        for (id, path) in [
            ("gpt-oss-20b", "gpt-oss-20b.json"),
            ("gpt-oss-120b", "gpt-oss-120b.json"),
            ("deepseek-v4-flash", "2026/deepseek-v4-flash.json"),
            ("deepseek-v3", "deepseek-v3.json"),
            ("deepseek-v3.2", "2026/deepseek-v3.2.json"),
            ("kimi-k2.5", "2026/kimi-k2.5.json"),
            ("minimax-m2.5", "2026/minimax-m2.5.json"),
        ] {
            let text = std::fs::read_to_string(format!("{configs}{path}")).expect("a fixture");
            let preset = presets::find(id).expect(id);
            let (config, count) = (quantized(&text), preset.shape.count().expect(id));
            assert_eq!(preset.stored.quant, config.stored.quant, "{id}");
            for stored in [preset.stored, config.stored] {
                let [beside, experts] = stored.bytes(preset.shape.moe.is_some());
                let bytes = count.stored_apart(beside, experts);
                assert!((bytes / config.bytes - 1.0).abs() < 0.002, "{id}: {bytes} {}", config.bytes);
            }
        }
        let all = presets::ALL.iter().filter(|preset| preset.stored.quant != Quant::Bf16).count();
        assert_eq!(all, 7, "another has no config here");
    }

    #[test]
    fn exclusions_are_read_as_globs_names_and_expressions() {
        let path = "model.layers.1.self_attn.q_proj";
        for (pattern, named) in [
            ("re:.*self_attn.*", true),
            ("model.layers.1.*", true),
            ("model.layers.1*", true),
            ("model.layers.10.*", false),
            ("model.language_model.layers.1.self_attn*", true),
            ("self_attn", true),
            ("self", false),
            ("model.layers.*.self_attn", true),
            ("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", false),
            ("lm_head", false),
        ] {
            assert_eq!(names(pattern, path), named, "{pattern}");
        }
        assert!(names("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "model.layers.0.mlp.down_proj"));
        assert!(!names("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "model.layers.0.mlp.experts.0.down_proj"));
    }

    #[test]
    fn a_config_carries_its_bytes() {
        let text = r#"{"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,
            "num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256,
            "quantization_config":{"quant_method":"fp8","modules_to_not_convert":["lm_head","mlp"]}}"#;
        let got = quantized(text);
        assert_eq!((got.form.as_str(), got.stored.quant), ("fp8", Quant::Fp8));
        let shape = presets::find("llama-3-8b").expect("is there").shape;
        assert_eq!(got.weights, shape.count().expect("is sound").attention as f64);
    }
}
