//! Reading a Hugging Face `config.json`: which sizes it gives, by the rules of the family it names.
//!
//! A size that defines the model (width, layers, heads, vocabulary, MLP width) must be in the file: the library's class
//! would silently fill in its own default, and the total would prove nothing. A switch or a lesser size that is absent
//! takes the class's default, as the library does, with a warning where the default is a number. All problems are
//! reported at once and nothing is half read.
//!
//! Source of the rules: Hugging Face transformers 4.57 and 5, `src/transformers/models/<family>/configuration_<family>.py`
//! and `modeling_<family>.py`.

pub mod companions;
mod experts;
mod family;
mod fields;
mod gpt;
mod llama;
mod mixed;
mod quantized;
mod unread;

use serde_json::Value;

use self::family::Relative;
pub use self::family::{Family, MODEL_TYPES};
use self::fields::{Fields, describe, parse, said};
pub use self::quantized::Quantized;
use super::problem::ConfigProblem;
use super::reference::ModelRef;
use super::shape::Shape;
use crate::query::shorten;
use crate::serving::step::Stored;

/// The largest file that is looked into. A `config.json` is a few kilobytes; MiniMax-M3-NVFP4's, which names every quantized module,
/// is 3.1 MB.
pub const MAX_BYTES: u64 = 4_000_000;

/// What a config was read as.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The architecture.
    pub shape: Shape,
    /// The family by whose rules it was read.
    pub family: Family,
    /// The longest sequence the config speaks of, in tokens.
    pub context: Option<u64>,
    /// What its `quantization_config` makes of the checkpoint; nothing where there is none, or where nothing can be said of it.
    pub quantized: Option<Quantized>,
    /// What a reader should know about how it was read.
    pub warnings: Vec<ConfigProblem>,
}

impl Imported {
    /// The model, with a mark where it was guessed.
    pub fn model(&self, is_guess: bool) -> ModelRef {
        let stored = self.quantized.as_ref().map_or_else(Stored::default, |quantized| quantized.stored);
        ModelRef::Custom { shape: self.shape, guess: is_guess.then_some(self.family), stored }
    }
}

/// The outcome of reading a sound config.
#[derive(Debug, Clone, PartialEq)]
pub enum Import {
    /// Its family is known; the count is exact.
    Known(Imported),
    /// Its family is not known, or the file says things that its family's rule does not count. `imported` is a guess: to be used
    /// only after asking, or with a visible mark.
    Guess {
        /// The `model_type` that the config gives; empty if it gives none.
        model_type: String,
        /// What it would be by the rules of `imported.family`.
        imported: Imported,
        /// "model_type zephyr_next is not known; its fields look like llama. …"; "The file gives attn_config.qk_ln true, …"
        message: String,
    },
}

impl Import {
    /// What was read, guessed or not.
    pub fn imported(&self) -> &Imported {
        match self {
            Import::Known(imported) | Import::Guess { imported, .. } => imported,
        }
    }
}

/// Refuses a file by its size alone, so that it need not be read.
pub fn check_size(bytes: u64) -> Result<(), ConfigProblem> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let size = bytes as f64 / 1e6;
    Err(ConfigProblem::new("", format!("The file is {size:.1} MB; a config.json is a few KB. Is it the right file?")))
}

/// How deep a language model stands: Qwen3-Omni’s is `thinker_config.text_config`.
const DEEPEST: usize = 2;
/// Where a model with several parts has its language model.
const NESTED: [&str; 4] = ["text_config", "language_config", "llm_config", "thinker_config"];

/// What gives single layers sizes of their own: Nemotron-NAS’s list, and what any class of transformers 5.24 takes.
const LAYER_BY_LAYER: [&str; 2] = ["block_configs", PER_LAYER];
const PER_LAYER: &str = "per_layer_config";

/// What is known not to be a decoder-only transformer, and why nothing can be counted.
const OTHERS: [(&[&str], &str); 3] = [
    (
        &["bert", "roberta", "xlm-roberta", "distilbert", "albert", "electra", "deberta-v2", "modernbert"],
        "it is an encoder; only decoder-only language models can be counted",
    ),
    (
        &["t5", "mt5", "umt5", "bart", "mbart", "pegasus", "marian", "whisper"],
        "it has an encoder and a decoder; only decoder-only language models can be counted",
    ),
    (
        &["mamba", "mamba2", "falcon_mamba", "rwkv", "recurrent_gemma", "jamba", "bamba", "zamba", "zamba2"],
        "it has layers that are not softmax attention, which cannot be counted yet",
    ),
];

/// Reads the text of a `config.json`; of a model with several parts, its language model. The error lists every problem.
pub fn import(text: &str) -> Result<Import, Vec<ConfigProblem>> {
    check_size(text.len() as u64).map_err(|p| vec![p])?;
    let mut pairs = parse(text).map_err(|p| vec![p])?;
    let top = Fields::new(&pairs);
    if let Some(said) = companions::companion(|name| top.value(name)) {
        return Err(vec![ConfigProblem::new("", said)]);
    }
    let whole = model_type(&top)?.to_owned();
    let mut path: Vec<&str> = Vec::new();
    let mut whole_says = None;
    while path.len() < DEEPEST
        && let Some(part) = language_model(&pairs)?
    {
        path.push(part.name);
        (pairs, whole_says) = (part.pairs, Some(part.whole));
    }
    let mut import = read(pairs, whole_says)?;
    if !path.is_empty() {
        let (Import::Known(imported) | Import::Guess { imported, .. }) = &mut import;
        let whole = if whole.is_empty() { String::new() } else { format!(" of {}", shorten(&whole)) };
        let path = path.join(".");
        let left_out = format!("Only the language model{whole}, {path}, was read: other parts are not counted.");
        imported.warnings.insert(0, ConfigProblem::new("", left_out));
    }
    Ok(import)
}

/// The part of a file with several that is the language model, and its name; `None` where the file is one itself.
fn language_model(pairs: &[(String, Value)]) -> Result<Option<Part>, Vec<ConfigProblem>> {
    let top = Fields::new(pairs);
    if Family::find(model_type(&top)?).is_some() && top.value("num_hidden_layers").is_some() {
        return Ok(None);
    }
    let Some((name, Value::Object(inner))) = NESTED.iter().find_map(|n| Some((*n, top.value(n)?))) else {
        return Ok(None);
    };
    let mut inner: Vec<(String, Value)> = inner.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    // One file has one form of its weights, wherever it stands.
    if let (Some(form), false) =
        (top.value("quantization_config"), inner.iter().any(|(n, _)| n == "quantization_config"))
    {
        inner.push(("quantization_config".to_owned(), form.clone()));
    }
    let (whole, mut silent) = (top.value(TIE), None);
    let given =
        |pairs: &[(String, Value)]| pairs.iter().find(|(n, v)| n == TIE && !v.is_null()).map(|(_, v)| v.clone());
    let tied = match (Ties::of(model_type(&top)?), whole) {
        (Ties::Whole(_) | Ties::Either, Some(&Value::Bool(true))) | (Ties::Whole(_), Some(_)) => whole.cloned(),
        (Ties::Whole(default), None) => {
            silent = default;
            given(&inner)
        }
        (Ties::Either | Ties::Part, _) => given(&inner),
        (Ties::Never, _) => Some(Value::Bool(false)),
    };
    inner.retain(|(name, _)| name != TIE);
    inner.extend(tied.map(|tied| (TIE.to_owned(), tied)));
    let differs = ["hidden_size", "vocab_size"].into_iter().find(|size| {
        let own = inner.iter().find(|(name, _)| name == size).map(|(_, value)| value);
        top.value(size).zip(own).is_some_and(|(whole, own)| whole != own)
    });
    let differs = differs.and_then(|size| Some(format!("{} for the whole model", said(size, top.value(size)?))));
    Ok(Some(Part { name, pairs: inner, whole: Whole { silent, differs } }))
}

/// A part of a file.
struct Part {
    name: &'static str,
    pairs: Vec<(String, Value)>,
    whole: Whole,
}

/// What the whole file says of its part.
struct Whole {
    /// Whether the library ties the embeddings because the whole doesn't say.
    silent: Option<bool>,
    /// A size that is another for the whole: Ovis 2 has an output matrix of its own.
    differs: Option<String>,
}

const TIE: &str = "tie_word_embeddings";

/// Which `tie_word_embeddings` of a model with several parts decides.
#[derive(Clone, Copy)]
enum Ties {
    /// The whole's, and what its class takes where it has none, if that is known.
    Whole(Option<bool>),
    /// Its language model's.
    Part,
    /// Either of them.
    Either,
    /// Neither: the class has both matrices.
    Never,
}

/// As the classes of transformers 5.24 count with each of the two switches true, false and left out.
const TIES: [(&[&str], Ties); 5] = [
    (
        &[
            "cosmos3_omni",
            "exaone4_5",
            "glm46v",
            "idefics2",
            "idefics3",
            "llava_next",
            "minicpmv4_6",
            "minicpmv4_7",
            "mistral_large4",
            "qianfan_ocr",
            "qwen2_5_omni_thinker",
            "qwen3_5",
            "qwen3_5_moe",
            "qwen3_omni_moe_thinker",
            "qwen3_vl",
            "qwen3_vl_moe",
            "smolvlm",
            "video_llava",
            "vipllava",
        ],
        Ties::Whole(Some(false)),
    ),
    (
        &[
            "cohere2_vision",
            "deepseek_vl",
            "deepseek_vl_hybrid",
            "ernie4_5_vl_moe",
            "fun_asr_nano",
            "gemma3",
            "gemma4",
            "glmasr",
            "got_ocr2",
            "granite_docling",
            "granite_speech",
            "granite_speech_plus",
            "internvl",
            "janus",
            "kimi_k25",
            "lfm2_vl",
            "lighton_ocr",
            "minicpm_ocr",
            "mistral3",
            "moss_transcribe_diarize",
            "ovis2",
            "paligemma",
            "qwen3_asr",
        ],
        Ties::Whole(Some(true)),
    ),
    (
        &["blip-2", "instructblip", "instructblipvideo", "llama4", "qwen2_5_omni", "qwen3_omni_moe", "vibevoice"],
        Ties::Part,
    ),
    (
        &[
            "glm4v",
            "glm4v_moe",
            "glm_ocr",
            "llava",
            "llava_next_video",
            "llava_onevision",
            "minimax_m3_vl",
            "qwen2_5_vl",
            "qwen2_vl",
            "video_llama_3",
        ],
        Ties::Either,
    ),
    (&["audioflamingo3", "musicflamingo", "omniasr", "qwen2_audio", "vibevoice_asr", "voxtral"], Ties::Never),
];

impl Ties {
    fn of(model_type: &str) -> Self {
        TIES.iter().find(|(types, _)| types.contains(&model_type)).map_or(Ties::Whole(None), |(_, ties)| *ties)
    }
}

/// The `model_type`; empty if there is none.
fn model_type<'a>(fields: &Fields<'a>) -> Result<&'a str, Vec<ConfigProblem>> {
    match fields.value("model_type") {
        Some(Value::String(name)) => Ok(name),
        None => Ok(""),
        Some(other) => {
            let got = describe(other);
            Err(vec![ConfigProblem::new("model_type", format!("model_type: expected a text, got {got}."))])
        }
    }
}

/// Reads one language model, which may be a part of a larger one.
fn read(mut pairs: Vec<(String, Value)>, whole: Option<Whole>) -> Result<Import, Vec<ConfigProblem>> {
    let relative = Relative::find(model_type(&Fields::new(&pairs))?);
    let left = relative.map(|relative| relative.complete(&mut pairs)).unwrap_or_default();
    let mut fields = Fields::new(&pairs);
    (fields.nested, fields.derived) = (whole.is_some(), relative.is_some());
    let model_type = model_type(&fields)?;
    for (name, number) in left {
        fields.warnings.push(ConfigProblem::of_class(name, model_type, number));
    }
    if let Some(why) = not_a_decoder(model_type, &fields) {
        return Err(vec![why]);
    }
    for name in LAYER_BY_LAYER {
        if matches!(fields.value(name), Some(Value::Array(_) | Value::Object(_)))
            && !(name == PER_LAYER && mixed::own_heads(&fields).is_some())
        {
            let message = format!(
                "{name}: each layer has its own sizes, so no rule counts the whole. Where a figure asks for a number of parameters, type \
                 the one of the model’s card."
            );
            return Err(vec![ConfigProblem::new(name, message)]);
        }
    }
    // The part of a larger model may leave its model_type to its class.
    let by_class = (fields.nested && model_type.is_empty()).then(|| Family::of_class(&fields)).flatten();
    let known = Family::find(model_type).or(by_class);
    let Some(family) = known.or_else(|| Family::looks_like(&fields)) else {
        return Err(vec![unknown(model_type)]);
    };
    fields.guessing = known.is_none();
    let shape = read_family(family, &mut fields);
    if let Some(relative) = relative {
        relative.expect(&mut fields);
    }
    experts::without_prediction(&mut fields);
    let context =
        fields.quiet(&["max_position_embeddings", "n_positions", "seq_length", "max_seq_len", "max_sequence_length"]);
    if known.is_some() {
        own_class(|class| family.is_class(class) || relative.is_some_and(|r| r.is_class(class)), &mut fields);
    }
    for name in ["vision_config", "audio_config"] {
        if fields.value(name).and_then(Value::as_object).is_some_and(|part| !part.is_empty()) {
            let whole = shorten(model_type);
            let message = format!("Only the language model of {whole} was read: {name} is not counted.");
            fields.warnings.push(ConfigProblem::new(name, message));
        }
    }
    if let Some(whole) = whole {
        if whole.silent.is_some_and(|tied| tied != shape.tie_word_embeddings) {
            fields.doubts.push(format!("no {TIE} for the whole model"));
        }
        fields.doubts.extend(whole.differs);
    }
    let mut doubts = std::mem::take(&mut fields.doubts);
    doubts.extend(fields.unread_sizes());
    let quantized = fields
        .value("quantization_config")
        .map(|config| quantized::read(config, fields.value("expert_dtype"), model_type, &shape))
        .transpose();
    let quantized = match quantized {
        Ok(quantized) => {
            fields.warnings.extend(quantized.as_ref().map(Quantized::warning));
            quantized
        }
        Err(why) => {
            fields.warnings.push(ConfigProblem::new("quantization_config", why));
            None
        }
    };
    if let Some(form) = fields.within("quantization_config", "kv_cache_quant_algo").and_then(Value::as_str) {
        let message = format!("Engines keep its keys and values in {} (kv_cache_quant_algo).", shorten(form));
        fields.warnings.push(ConfigProblem::new("quantization_config", message));
    }
    let Fields { mut problems, warnings, .. } = fields;
    if problems.is_empty() {
        problems = shape.check();
    }
    let (given, like) = (not_known(model_type), family.model_type());
    if let Some(kind) = doubts.iter().find(|doubt| known.is_some() && doubt.starts_with("layer_types")) {
        let message = format!(
            "The file gives {kind}, a kind of layer that the {like} rule does not count. Where a figure asks for a number of parameters, \
             type the one of the model’s card."
        );
        return Err(vec![ConfigProblem::new("layer_types", message)]);
    }
    if known.is_none()
        && let Some(what) = unread::no_guess(&doubts)
    {
        let message = format!(
            "{given}. Its fields look most like {like}, but the file says more of {what} than that rule reads ({}). Where a \
             figure asks for a number of parameters, type the one of the model’s card.",
            listed(&doubts)
        );
        return Err(vec![ConfigProblem::new("model_type", message)]);
    }
    if !problems.is_empty() {
        if known.is_none() {
            let message =
                format!("{given}. Its fields look most like {like}, by whose rule it cannot be counted either:");
            problems.insert(0, ConfigProblem::new("model_type", message));
        }
        return Err(problems);
    }
    let imported = Imported { shape, family, context, quantized, warnings };
    let left = listed(&doubts);
    let message = match (known, doubts.is_empty()) {
        (Some(_), true) => return Ok(Import::Known(imported)),
        (Some(_), false) => {
            format!(
                "The file gives {left}, which the {like} rule does not read. Counted without that, the total is a guess."
            )
        }
        (None, true) => {
            format!("{given}; its fields look like {like}. Counted by the {like} rule, the total is a guess.")
        }
        (None, false) => format!(
            "{given}; its fields look like {like}. Counted by the {like} rule, which does not read {left}, the total is a guess."
        ),
    };
    Ok(Import::Guess { model_type: model_type.to_owned(), imported, message })
}

/// The first few of what is not read: "a 1, b 2 and 3 more".
fn listed(doubts: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown = doubts.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match doubts.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Notes whose class the file is for, if it is not the library's.
fn own_class(is_class: impl Fn(&str) -> bool, fields: &mut Fields<'_>) {
    let first = fields.value("architectures").and_then(|all| all.get(0)).and_then(Value::as_str);
    let code =
        ["AutoModelForCausalLM", "AutoModel"].into_iter().find_map(|name| fields.within("auto_map", name)?.as_str());
    for (name, class) in [("architectures", first), ("auto_map", code)] {
        if let Some(class) = class.filter(|class| !is_class(class)) {
            fields.doubts.push(format!("{name} {}", shorten(class)));
        }
    }
    // A name of `auto_map` that isn't known may be the model's.
    let others = ["AutoConfig", "AutoTokenizer", "AutoProcessor", "AutoImageProcessor", "AutoFeatureExtractor"];
    let all = fields.value("auto_map").and_then(Value::as_object);
    if all.is_some_and(|all| all.keys().any(|name| !others.contains(&name.as_str()))) {
        fields.warnings.push(ConfigProblem::new(
            "auto_map",
            "The file brings code of its own (auto_map). It is counted as the library’s class of that name.",
        ));
    }
}

/// Why this is no decoder-only transformer, if it is known not to be one.
fn not_a_decoder(model_type: &str, fields: &Fields<'_>) -> Option<ConfigProblem> {
    let why = OTHERS.iter().find(|(types, _)| types.contains(&model_type)).map(|(_, why)| *why);
    let both = fields.value("is_encoder_decoder") == Some(&Value::Bool(true));
    let why = why.or_else(|| both.then_some("is_encoder_decoder is true; only decoder-only models can be counted"))?;
    let of = if model_type.is_empty() { String::new() } else { format!("model_type {}: ", shorten(model_type)) };
    Some(ConfigProblem::new("model_type", format!("{of}{why}.")))
}

/// "model_type zephyr_next is not known".
fn not_known(model_type: &str) -> String {
    if model_type.is_empty() {
        "No model_type is given".to_owned()
    } else {
        format!("model_type {} is not known", shorten(model_type))
    }
}

fn unknown(model_type: &str) -> ConfigProblem {
    let known = MODEL_TYPES.join(", ");
    let given = if model_type.is_empty() { "model_type is missing".to_owned() } else { not_known(model_type) };
    ConfigProblem::new("model_type", format!("{given}, and its fields are of no known family. Known: {known}."))
}

/// Applies the rules of one family. What is wrong is in `fields.problems`.
fn read_family(family: Family, fields: &mut Fields<'_>) -> Shape {
    fields.family = family.model_type();
    let f = fields;
    match family {
        Family::Gpt2 | Family::GptBigcode => gpt::gpt2(f, family == Family::GptBigcode),
        Family::GptNeo => gpt::gpt_neo(f),
        Family::Gptj | Family::Codegen => gpt::gptj(f),
        Family::Mpt => gpt::mpt(f),
        Family::Xglm => gpt::xglm(f),
        Family::Bloom => gpt::bloom(f),
        Family::Falcon => gpt::falcon(f),
        Family::Opt => gpt::opt(f),
        Family::GptNeox => gpt::gpt_neox(f),
        Family::DeepseekV2 | Family::DeepseekV3 | Family::DeepseekV32 | Family::GlmMoeDsa | Family::Glm4MoeLite => {
            experts::deepseek(f, family)
        }
        Family::DeepseekV4 => mixed::deepseek_v4(f),
        Family::Qwen3Next | Family::Qwen35Moe => mixed::qwen_next(f, true),
        Family::Qwen35 => mixed::qwen_next(f, false),
        Family::MinimaxText => mixed::minimax(f),
        Family::MinimaxM2 => mixed::minimax_m2(f),
        Family::MinimaxM3 => mixed::minimax_m3(f),
        Family::Gemma4 => mixed::gemma4(f),
        Family::NemotronH => mixed::nemotron_h(f),
        Family::GraniteHybrid => mixed::granite_hybrid(f),
        Family::FalconH1 => mixed::falcon_h1(f),
        Family::Lfm2 => mixed::lfm2(f, false),
        Family::Lfm2Moe => mixed::lfm2(f, true),
        Family::KimiLinear => mixed::kimi_linear(f),
        Family::Afmoe | Family::Exaone4 | Family::ExaoneMoe | Family::SeedOss | Family::HunyuanDense => {
            mixed::plain_or_experts(f, family)
        }
        Family::MimoV2 => mixed::mimo_v2(f),
        Family::Dbrx => experts::dbrx(f),
        _ => llama::llama_like(f, family),
    }
}

#[cfg(test)]
mod brought;

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = r#"{"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,
        "num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256}"#;

    fn messages(text: &str) -> Vec<String> {
        import(text).err().unwrap_or_default().into_iter().map(|p| p.message).collect()
    }

    #[test]
    fn text_that_is_no_config_is_named() {
        for (text, part) in [
            ("", "is empty"),
            (" \n", "is empty"),
            ("[1, 2]", "one object in braces"),
            ("3", "one object in braces"),
            ("null", "one object in braces"),
            ("{\"a\": 1,\n \"b\": }", "line 2, column"),
            ("{\"hidden_size\": x}", "near “x}”"),
            ("{\"a\": 1", "not JSON: EOF"),
            ("{}", "model_type is missing"),
            ("{\"model_type\": 3}", "expected a text, got 3"),
            ("{\"model_type\": \"clip\", \"text_config\": {}}", "model_type is missing"),
            ("{\"model_type\": \"bert\", \"hidden_size\": 768}", "model_type bert: it is an encoder"),
            ("{\"model_type\": \"new\", \"is_encoder_decoder\": true}", "model_type new: is_encoder_decoder is true"),
            ("\u{feff}{}", "model_type is missing"),
        ] {
            let found = messages(text);
            assert!(found.len() == 1 && found.iter().all(|m| m.contains(part)), "{text}: {found:?}");
        }
    }

    #[test]
    fn size_and_depth_are_refused_before_they_hurt() {
        let long = format!("{{\"x\": {}}}", "[".repeat(5_000_000));
        assert_eq!(messages(&long), ["The file is 5.0 MB; a config.json is a few KB. Is it the right file?"]);
        let deep = format!("{{\"x\": {}1{}}}", "{\"x\":".repeat(50_000), "}".repeat(50_000));
        assert!(messages(&deep).iter().all(|m| m.contains("nested too deeply")), "{:?}", messages(&deep));
        assert_eq!(messages(&deep).len(), 1);
    }

    #[test]
    fn every_bad_field_is_named_with_its_value() {
        for (from, to, message) in [
            ("4096", "4096.5", "hidden_size: expected a whole number, got 4096.5."),
            ("4096", "0", "hidden_size must be a whole number of at least 1, got 0."),
            ("4096", "true", "hidden_size: expected a whole number, got true."),
            ("4096", "[1]", "hidden_size: expected a whole number, got a list."),
            ("4096", "null", "hidden_size is missing (for llama it is the model width, for example 4096)."),
            ("4096", "1000001", "hidden_size 1000001 is out of range (1 to 1,000,000)."),
            ("4096", "1e30", "hidden_size 1e30 is out of range (1 to 1,000,000)."),
            ("4096", "4096, \"hidden_size\": 2048", "hidden_size is given twice, as 4096 and as 2048; remove one."),
            (
                "\"num_key_value_heads\":8",
                "\"num_key_value_heads\":0",
                "num_key_value_heads must be a whole number of at least 1, got 0.",
            ),
        ] {
            assert_eq!(messages(&SOUND.replacen(from, to, 1)), [message]);
        }
        let heads = messages(&SOUND.replace("\"num_key_value_heads\":8", "\"num_key_value_heads\":5"));
        assert!(heads.iter().any(|m| m.contains("32 is not a multiple of num_key_value_heads 5")), "{heads:?}");
    }

    #[test]
    fn a_float_that_is_whole_is_read_with_a_warning() {
        let import = import(&SOUND.replace("4096", "4096.0"));
        let warnings = import.map(|i| i.imported().warnings.clone()).unwrap_or_default();
        assert_eq!(warnings.len(), 1);
        assert!(warnings.iter().all(|w| w.message == "hidden_size is written 4096.0; it was read as 4096."));
    }
}
