//! Reading a Hugging Face `config.json`: which sizes it gives, by the rules of the family it names.
//!
//! A size that defines the model (width, layers, heads, vocabulary, MLP width) must be in the file: the library's class
//! would silently fill in its own default, and the total would prove nothing. A switch or a lesser size that is absent
//! takes the class's default, as the library does, with a warning where the default is a number. All problems are
//! reported at once and nothing is half read.
//!
//! Source of the rules: Hugging Face transformers 4.57, `src/transformers/models/<family>/configuration_<family>.py`
//! and `modeling_<family>.py`.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor};
use serde_json::Value;

use super::shape::{
    Attention, Gated, MAX_EXPERTS, MAX_LAYERS, MAX_ROWS, MAX_WIDTH, Moe, Norms, QkNorm, Shape, Sliding,
};
use crate::query::shorten;

/// The largest file that is looked into. A `config.json` is a few kilobytes.
pub const MAX_BYTES: u64 = 1_000_000;

/// Something about a config that has to be told: an error, or in [`Imported::warnings`] a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The field it is about; empty if it is about the whole text.
    pub field: &'static str,
    /// What is wrong and what would be valid; a sentence that names the field and the value.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigProblem {}

impl ConfigProblem {
    /// A problem with `field`.
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into() }
    }

    /// "hidden_size 1e30 is out of range (1 to 1,000,000)."
    pub(crate) fn out_of_range(field: &'static str, value: &str, min: u64, max: u64) -> Self {
        Self::new(field, format!("{field} {value} is out of range ({} to {}).", commas(min), commas(max)))
    }

    /// "hidden_size 4096 is not a multiple of num_attention_heads 30 and no head_dim is given.", or nothing if it is.
    pub(crate) fn heads_do_not_divide(field: &'static str, width: u64, heads: u64) -> Option<Self> {
        if heads == 0 || width.is_multiple_of(heads) {
            return None;
        }
        Some(Self::new(
            field,
            format!("{field} {width} is not a multiple of num_attention_heads {heads} and no head_dim is given."),
        ))
    }
}

fn commas(value: u64) -> String {
    crate::quantity::grouped(value).replace('\u{202f}', ",")
}

/// A family of models: a `model_type` whose rules are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// GPT-2.
    Gpt2,
    /// GPT-NeoX, Pythia.
    GptNeox,
    /// StarCoder (1).
    GptBigcode,
    /// Llama 1 to 3, and the many models in its format.
    Llama,
    /// Mistral 7B.
    Mistral,
    /// Mixtral.
    Mixtral,
    /// Qwen2, Qwen2.5.
    Qwen2,
    /// Qwen1.5-MoE, Qwen2-MoE.
    Qwen2Moe,
    /// Qwen3, dense.
    Qwen3,
    /// Qwen3, mixture of experts.
    Qwen3Moe,
    /// Gemma 2.
    Gemma2,
    /// Phi-1, Phi-2.
    Phi,
    /// Phi-3, Phi-4.
    Phi3,
    /// Falcon.
    Falcon,
    /// BLOOM.
    Bloom,
    /// OPT.
    Opt,
    /// StarCoder2.
    Starcoder2,
    /// OLMo 2.
    Olmo2,
    /// DeepSeek-V3, R1.
    DeepseekV3,
    /// gpt-oss.
    GptOss,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 20] = [
        Family::Gpt2,
        Family::GptNeox,
        Family::GptBigcode,
        Family::Llama,
        Family::Mistral,
        Family::Mixtral,
        Family::Qwen2,
        Family::Qwen2Moe,
        Family::Qwen3,
        Family::Qwen3Moe,
        Family::Gemma2,
        Family::Phi,
        Family::Phi3,
        Family::Falcon,
        Family::Bloom,
        Family::Opt,
        Family::Starcoder2,
        Family::Olmo2,
        Family::DeepseekV3,
        Family::GptOss,
    ];

    /// Its `model_type`.
    pub const fn model_type(self) -> &'static str {
        match self {
            Family::Gpt2 => "gpt2",
            Family::GptNeox => "gpt_neox",
            Family::GptBigcode => "gpt_bigcode",
            Family::Llama => "llama",
            Family::Mistral => "mistral",
            Family::Mixtral => "mixtral",
            Family::Qwen2 => "qwen2",
            Family::Qwen2Moe => "qwen2_moe",
            Family::Qwen3 => "qwen3",
            Family::Qwen3Moe => "qwen3_moe",
            Family::Gemma2 => "gemma2",
            Family::Phi => "phi",
            Family::Phi3 => "phi3",
            Family::Falcon => "falcon",
            Family::Bloom => "bloom",
            Family::Opt => "opt",
            Family::Starcoder2 => "starcoder2",
            Family::Olmo2 => "olmo2",
            Family::DeepseekV3 => "deepseek_v3",
            Family::GptOss => "gpt_oss",
        }
    }

    /// The family of a `model_type`.
    pub fn find(model_type: &str) -> Option<Family> {
        Self::ALL.into_iter().find(|f| f.model_type() == model_type)
    }

    /// The family whose fields these look like.
    fn looks_like(fields: &Fields<'_>) -> Option<Family> {
        let has = |name: &str| fields.value(name).is_some();
        Some(match () {
            () if has("kv_lora_rank") => Family::DeepseekV3,
            () if has("num_local_experts") => Family::Mixtral,
            () if has("num_experts") && has("shared_expert_intermediate_size") => Family::Qwen2Moe,
            () if has("num_experts") => Family::Qwen3Moe,
            () if has("n_embd") => Family::Gpt2,
            () if has("n_embed") => Family::Bloom,
            () if has("ffn_dim") => Family::Opt,
            () if has("hidden_size") && (has("intermediate_size") || has("num_hidden_layers")) => Family::Llama,
            () => return None,
        })
    }
}

/// Every `model_type` that is known, in the order of [`Family::ALL`].
pub const MODEL_TYPES: [&str; Family::ALL.len()] = {
    let mut names = [""; Family::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Family::ALL[i].model_type();
        i += 1;
    }
    names
};

/// What a config was read as.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The architecture.
    pub shape: Shape,
    /// The family by whose rules it was read.
    pub family: Family,
    /// The longest sequence the config speaks of, in tokens.
    pub context: Option<u64>,
    /// What a reader should know about how it was read.
    pub warnings: Vec<ConfigProblem>,
}

/// The outcome of reading a sound config.
#[derive(Debug, Clone, PartialEq)]
pub enum Import {
    /// Its family is known; the count is exact.
    Known(Imported),
    /// Its family is not known. `imported` is a guess by the rules of another family: to be used only after asking, or
    /// with a visible mark.
    Guess {
        /// The `model_type` that the config gives; empty if it gives none.
        model_type: String,
        /// What it would be by the rules of `imported.family`.
        imported: Imported,
        /// "model_type zephyr_next is not known; its fields look like llama. …"
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

/// Reads the text of a `config.json`. The error lists every problem.
pub fn import(text: &str) -> Result<Import, Vec<ConfigProblem>> {
    check_size(text.len() as u64).map_err(|p| vec![p])?;
    let pairs = parse(text).map_err(|p| vec![p])?;
    let mut fields = Fields::new(&pairs);
    let model_type = match fields.value("model_type") {
        Some(Value::String(name)) => name.as_str(),
        None => "",
        Some(other) => {
            let got = describe(other);
            return Err(vec![ConfigProblem::new("model_type", format!("model_type: expected a text, got {got}."))]);
        }
    };
    let known = Family::find(model_type);
    let Some(family) = known.or_else(|| Family::looks_like(&fields)) else {
        return Err(vec![unknown(model_type, &fields)]);
    };
    let shape = read_family(family, &mut fields);
    let context = fields.quiet(&["max_position_embeddings", "n_positions", "seq_length"]);
    let Fields { mut problems, warnings, .. } = fields;
    if problems.is_empty() {
        problems = shape.check();
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let imported = Imported { shape, family, context, warnings };
    if known.is_some() {
        return Ok(Import::Known(imported));
    }
    let given = if model_type.is_empty() {
        "No model_type is given".into()
    } else {
        format!("model_type {} is not known", shorten(model_type))
    };
    let like = family.model_type();
    let message = format!("{given}; its fields look like {like}. Counted by the {like} rule, the total is a guess.");
    Ok(Import::Guess { model_type: model_type.to_owned(), imported, message })
}

fn unknown(model_type: &str, fields: &Fields<'_>) -> ConfigProblem {
    let nested = ["text_config", "language_config", "llm_config"];
    if let Some(name) = nested.into_iter().find(|n| fields.value(n).is_some_and(Value::is_object)) {
        return ConfigProblem::new(
            "model_type",
            format!("This config is of a model with several parts; paste the object under {name}, its language model."),
        );
    }
    let known = MODEL_TYPES.join(", ");
    let given = if model_type.is_empty() {
        "model_type is missing".to_owned()
    } else {
        format!("model_type {} is not known", shorten(model_type))
    };
    ConfigProblem::new("model_type", format!("{given}, and its fields are of no known family. Known: {known}."))
}

/// The top level of the file, in order, so that a field given twice is seen.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Top;
        impl<'de> Visitor<'de> for Top {
            type Value = Pairs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Top)
    }
}

fn parse(text: &str) -> Result<Vec<(String, Value)>, ConfigProblem> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(ConfigProblem::new("", "The text is empty: paste the whole config.json, braces included."));
    }
    serde_json::from_str::<Pairs>(text).map(|p| p.0).map_err(|e| {
        let (line, column) = (e.line(), e.column());
        let what = e.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        let message = if what.contains("recursion limit") {
            format!("The text is nested too deeply at line {line}, column {column}: a config.json has a few levels.")
        } else if e.classify() == serde_json::error::Category::Data {
            format!("A config.json is one object in braces {{ }}; this is something else ({what}).")
        } else {
            let rest = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            let near: String = rest.chars().skip(column.saturating_sub(1)).take(12).collect();
            let near = if near.trim().is_empty() { String::new() } else { format!(", near “{}”", near.trim()) };
            format!("The text is not JSON: {what} at line {line}, column {column}{near}.")
        };
        ConfigProblem::new("", message)
    })
}

/// A value as a message shows it: `the text “thirty-two”`, `-32`, `a list`.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) if n.is_f64() => match n.as_f64() {
            Some(f) if f.abs() >= 1e15 => format!("{f:e}"),
            _ => n.to_string(),
        },
        Value::Number(n) => n.to_string(),
        Value::String(s) => format!("the text “{}”", shorten(s)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// The fields of a config, read by name, with what was wrong.
struct Fields<'a> {
    pairs: &'a [(String, Value)],
    family: &'static str,
    problems: Vec<ConfigProblem>,
    warnings: Vec<ConfigProblem>,
}

/// What an absent lesser size falls back on.
#[derive(Clone, Copy)]
enum Absent {
    /// A number that the library's class has; said in a warning.
    Class(u64),
    /// A number that follows from the others; not worth a warning.
    Derived(u64),
}

impl<'a> Fields<'a> {
    fn new(pairs: &'a [(String, Value)]) -> Self {
        Self { pairs, family: "", problems: Vec::new(), warnings: Vec::new() }
    }

    /// The last value of a field, as JSON readers take it. `null` counts as given.
    fn raw(&self, name: &str) -> Option<&'a Value> {
        self.pairs.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// The value of a field; `null` counts as absent.
    fn value(&self, name: &str) -> Option<&'a Value> {
        self.raw(name).filter(|v| !v.is_null())
    }

    fn problem(&mut self, field: &'static str, message: String) {
        self.problems.push(ConfigProblem::new(field, message));
    }

    /// A field that is given twice with two values cannot be trusted.
    fn check_twice(&mut self, name: &'static str) {
        let mut given = self.pairs.iter().filter(|(n, _)| n == name).map(|(_, v)| v);
        let (first, last) = (given.next(), given.next_back());
        if let (Some(first), Some(last)) = (first, last)
            && first != last
        {
            let (first, last) = (describe(first), describe(last));
            self.problem(name, format!("{name} is given twice, as {first} and as {last}; remove one."));
        }
    }

    /// A whole number in a range, or a problem.
    fn whole(&mut self, name: &'static str, value: &Value, min: u64, max: u64) -> Option<u64> {
        self.check_twice(name);
        let number = match value {
            Value::Number(number) => number,
            Value::String(text) if text.trim().parse::<u64>().is_ok() => {
                let text = text.trim();
                self.problem(
                    name,
                    format!("{name}: expected a whole number, got the text “{text}” (write it without quotes)."),
                );
                return None;
            }
            other => {
                self.problem(name, format!("{name}: expected a whole number, got {}.", describe(other)));
                return None;
            }
        };
        let shown = describe(value);
        if let Some(n) = number.as_u64() {
            if n < min {
                self.problem(name, format!("{name} must be a whole number of at least {min}, got {shown}."));
                return None;
            }
            if n > max {
                self.problems.push(ConfigProblem::out_of_range(name, &shown, min, max));
                return None;
            }
            return Some(n);
        }
        let real = number.as_f64().unwrap_or(f64::NAN);
        if real < min as f64 {
            self.problem(name, format!("{name} must be a whole number of at least {min}, got {shown}."));
        } else if real > max as f64 {
            self.problems.push(ConfigProblem::out_of_range(name, &shown, min, max));
        } else if real.fract() == 0.0 {
            let n = real as u64;
            self.warnings.push(ConfigProblem::new(name, format!("{name} is written {shown}; it was read as {n}.")));
            return Some(n);
        } else {
            self.problem(name, format!("{name}: expected a whole number, got {shown}."));
        }
        None
    }

    /// A size that defines the model, under any of `names`; missing is a problem that names the first.
    fn need(&mut self, names: &[&'static str], what: &str, like: u64, max: u64) -> u64 {
        for &name in names {
            if let Some(value) = self.value(name) {
                return self.whole(name, value, 1, max).unwrap_or(0);
            }
        }
        let name = names.first().copied().unwrap_or_default();
        let family = self.family;
        self.problem(name, format!("{name} is missing (for {family} it is {what}, for example {like})."));
        0
    }

    /// A lesser size. `null` means what [`Absent::Derived`] gives, or `null_is`.
    fn size(&mut self, name: &'static str, absent: Absent, null_is: u64, max: u64) -> u64 {
        match (self.raw(name), absent) {
            (Some(Value::Null), _) => null_is,
            (Some(value), _) => self.whole(name, value, 0, max).unwrap_or(null_is),
            (None, Absent::Derived(n)) => n,
            (None, Absent::Class(n)) => {
                let family = self.family;
                self.warnings.push(ConfigProblem::new(
                    name,
                    format!("{name} is absent; the library’s default for {family}, {n}, is used."),
                ));
                n
            }
        }
    }

    /// A size that may be absent.
    fn maybe(&mut self, name: &'static str, max: u64) -> Option<u64> {
        let value = self.value(name)?;
        self.whole(name, value, 1, max)
    }

    /// A switch.
    fn flag(&mut self, name: &'static str, default: bool) -> bool {
        self.check_twice(name);
        match self.value(name) {
            None => default,
            Some(Value::Bool(b)) => *b,
            Some(other) => {
                self.problem(name, format!("{name}: expected true or false, got {}.", describe(other)));
                default
            }
        }
    }

    /// A number under any of the names if it is one; nobody's problem otherwise.
    fn quiet(&self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| self.value(name)?.as_u64())
    }

    /// How many of the first `layers` layers `layer_types` calls sliding.
    fn sliding_types(&mut self, layers: u64) -> Option<u64> {
        let list = match self.value("layer_types")? {
            Value::Array(list) => list,
            other => {
                let got = describe(other);
                self.problem("layer_types", format!("layer_types: expected a list with one text a layer, got {got}."));
                return None;
            }
        };
        if list.len() as u64 != layers && layers != 0 {
            let len = list.len();
            self.problem("layer_types", format!("layer_types has {len} entries, but num_hidden_layers is {layers}."));
        }
        Some(list.iter().filter(|t| t.as_str() == Some("sliding_attention")).count() as u64)
    }

    /// Heads of a stated or derived width, with the class's defaults for what is absent.
    fn heads(&mut self, names: Names, hidden: u64, heads: u64, kv: Absent, dim: Option<u64>) -> Attention {
        let kv_heads = match self.size("num_key_value_heads", kv, heads, MAX_WIDTH) {
            0 if heads > 0 && self.value("num_key_value_heads").is_some_and(|v| v.as_u64() == Some(0)) => {
                self.problem(
                    "num_key_value_heads",
                    "num_key_value_heads must be a whole number of at least 1, got 0.".into(),
                );
                heads
            }
            n => n,
        };
        let head_dim = match (self.raw("head_dim"), dim) {
            (Some(Value::Null), _) | (None, None) => self.divide(names, hidden, heads),
            (Some(value), _) => self.whole("head_dim", value, 1, MAX_WIDTH).unwrap_or(0),
            (None, Some(default)) => self.size("head_dim", Absent::Class(default), 0, MAX_WIDTH),
        };
        Attention::Heads { kv_heads, head_dim }
    }

    /// hidden / heads, which must come out whole.
    fn divide(&mut self, (width, number): Names, hidden: u64, heads: u64) -> u64 {
        if hidden == 0 || heads == 0 {
            return 0;
        }
        if !hidden.is_multiple_of(heads) {
            let message = format!("{width} {hidden} is not a multiple of {number} {heads} and no head_dim is given.");
            self.problem(width, message);
        }
        hidden / heads
    }
}

/// What a family calls its width and its number of heads.
type Names = (&'static str, &'static str);
const HF: Names = ("hidden_size", "num_attention_heads");
const GPT: Names = ("n_embd", "n_head");

/// Applies the rules of one family. What is wrong is in `fields.problems`.
fn read_family(family: Family, fields: &mut Fields<'_>) -> Shape {
    fields.family = family.model_type();
    let f = fields;
    match family {
        Family::Gpt2 | Family::GptBigcode => gpt2(f, family == Family::GptBigcode),
        Family::Bloom => bloom(f),
        Family::Falcon => falcon(f),
        Family::Opt => opt(f),
        Family::GptNeox => gpt_neox(f),
        Family::DeepseekV3 => deepseek_v3(f),
        _ => llama_like(f, family),
    }
}

/// Width, layers, heads and vocabulary under their usual names.
fn usual(f: &mut Fields<'_>) -> Shape {
    Shape {
        hidden_size: f.need(&["hidden_size"], "the model width", 4096, MAX_WIDTH),
        num_hidden_layers: f.need(&["num_hidden_layers"], "the number of layers", 32, MAX_LAYERS),
        num_attention_heads: f.need(&["num_attention_heads"], "the number of query heads", 32, MAX_WIDTH),
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 32_000, MAX_ROWS),
        ..Shape::default()
    }
}

fn dense_width(f: &mut Fields<'_>) -> u64 {
    f.need(&["intermediate_size"], "the width of the MLP", 11_008, MAX_ROWS)
}

const LAYER_NORMS: Norms = Norms { per_layer: 2, bias: true, last: true, embedding: false };

/// GPT-2 (`modeling_gpt2.py`) and StarCoder (`modeling_gpt_bigcode.py`): learned positions, biases everywhere.
fn gpt2(f: &mut Fields<'_>, bigcode: bool) -> Shape {
    let h = f.need(&["n_embd", "hidden_size"], "the model width", 768, MAX_WIDTH);
    let heads = f.need(&["n_head", "num_attention_heads"], "the number of heads", 12, MAX_WIDTH);
    let head_dim = f.divide(GPT, h, heads);
    let multi_query = bigcode && f.flag("multi_query", true);
    Shape {
        hidden_size: h,
        num_hidden_layers: f.need(&["n_layer", "num_hidden_layers"], "the number of layers", 12, MAX_LAYERS),
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 50_257, MAX_ROWS),
        attention: Attention::Heads { kv_heads: if multi_query { 1 } else { heads }, head_dim },
        qkv_bias: true,
        o_bias: true,
        intermediate_size: f.maybe("n_inner", MAX_ROWS).unwrap_or(h.saturating_mul(4)),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: LAYER_NORMS,
        position_rows: f.need(&["n_positions", "max_position_embeddings"], "the number of positions", 1024, MAX_ROWS),
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..Shape::default()
    }
}

/// BLOOM (`modeling_bloom.py`): the MLP is 4 × width whatever `n_inner` says; ALiBi; a norm on the embedding.
fn bloom(f: &mut Fields<'_>) -> Shape {
    let h = f.need(&["hidden_size", "n_embed", "n_embd"], "the model width", 4096, MAX_WIDTH);
    let heads = f.need(&["n_head", "num_attention_heads"], "the number of heads", 32, MAX_WIDTH);
    let head_dim = f.divide(("n_embed", "n_head"), h, heads);
    Shape {
        hidden_size: h,
        num_hidden_layers: f.need(&["n_layer", "num_hidden_layers"], "the number of layers", 30, MAX_LAYERS),
        num_attention_heads: heads,
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 250_880, MAX_ROWS),
        attention: Attention::Heads { kv_heads: heads, head_dim },
        qkv_bias: true,
        o_bias: true,
        intermediate_size: h.saturating_mul(4),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: Norms { embedding: true, ..LAYER_NORMS },
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..Shape::default()
    }
}

/// Falcon (`modeling_falcon.py`): 7B has one norm a layer and one key–value head, the "new decoder architecture" of
/// 40B and 180B has two norms and groups, and RW-1B is plain multi-head attention with biases.
fn falcon(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, heads) = (usual.hidden_size, usual.num_attention_heads);
    let new = f.flag("new_decoder_architecture", false);
    let multi_query = f.flag("multi_query", true);
    let parallel = f.flag("parallel_attn", true);
    let bias = f.flag("bias", false);
    let kv_heads = match (new, multi_query) {
        (true, _) => f.size("num_kv_heads", Absent::Derived(heads), heads, MAX_WIDTH),
        (false, true) => 1,
        (false, false) => heads,
    };
    let norms = f.size("num_ln_in_parallel_attn", Absent::Derived(0), 0, 2);
    let two_norms = !parallel || norms == 2 || (new && norms == 0);
    Shape {
        attention: Attention::Heads { kv_heads, head_dim: f.divide(HF, h, heads) },
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: f.maybe("ffn_hidden_size", MAX_ROWS).unwrap_or(h.saturating_mul(4)),
        gated_mlp: Gated::No,
        mlp_bias: bias,
        norms: Norms { per_layer: if two_norms { 2 } else { 1 }, ..LAYER_NORMS },
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..usual
    }
}

/// OPT (`modeling_opt.py`): learned positions with two rows more than it has positions.
fn opt(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, heads) = (usual.hidden_size, usual.num_attention_heads);
    let bias = f.flag("enable_bias", true);
    let positions = f.need(&["max_position_embeddings"], "the number of positions", 2048, MAX_ROWS - 2);
    let affine = f.flag("layer_norm_elementwise_affine", true);
    let last = f.flag("do_layer_norm_before", true) && !f.flag("_remove_final_layer_norm", false);
    Shape {
        attention: Attention::Heads { kv_heads: heads, head_dim: f.divide(HF, h, heads) },
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: f.need(&["ffn_dim"], "the width of the MLP", 16_384, MAX_ROWS),
        gated_mlp: Gated::No,
        mlp_bias: bias,
        norms: Norms { per_layer: if affine { 2 } else { 0 }, last: last && affine, ..LAYER_NORMS },
        position_rows: positions.saturating_add(2),
        word_embed_proj_dim: f.maybe("word_embed_proj_dim", MAX_WIDTH).filter(|&w| w != h),
        tie_word_embeddings: f.flag("tie_word_embeddings", true),
        ..usual
    }
}

/// GPT-NeoX (`modeling_gpt_neox.py`).
fn gpt_neox(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let (h, heads) = (usual.hidden_size, usual.num_attention_heads);
    let bias = f.flag("attention_bias", true);
    Shape {
        attention: Attention::Heads { kv_heads: heads, head_dim: f.divide(HF, h, heads) },
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: dense_width(f),
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: LAYER_NORMS,
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        ..usual
    }
}

/// DeepSeek-V3 (`modeling_deepseek_v3.py`), without the multi-token-prediction layer, as the library builds it.
fn deepseek_v3(f: &mut Fields<'_>) -> Shape {
    let usual = usual(f);
    let layers = usual.num_hidden_layers;
    let expert = f.need(&["moe_intermediate_size"], "the width of an expert", 2048, MAX_ROWS);
    let dense = f.size("first_k_dense_replace", Absent::Class(3), 0, MAX_LAYERS).min(layers);
    let shared = f.size("n_shared_experts", Absent::Class(1), 0, MAX_EXPERTS);
    let bias = f.flag("attention_bias", false);
    let q_lora_rank = match f.size("q_lora_rank", Absent::Class(1536), 0, MAX_WIDTH) {
        0 => None,
        rank => Some(rank),
    };
    if f.quiet(&["num_nextn_predict_layers"]).is_some_and(|n| n > 0) {
        f.warnings.push(ConfigProblem::new(
            "num_nextn_predict_layers",
            "The multi-token-prediction layer is not counted: the library does not build it either.",
        ));
    }
    let moe = Moe {
        layers: layers.saturating_sub(dense),
        num_experts: f.need(&["n_routed_experts"], "the number of routed experts", 256, MAX_EXPERTS),
        num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(8), 1, MAX_EXPERTS),
        intermediate_size: expert,
        shared_intermediate_size: shared.saturating_mul(expert),
        shared_gate: false,
        expert_bias: false,
        router_bias: true,
    };
    Shape {
        attention: Attention::Latent {
            q_lora_rank,
            kv_lora_rank: f.need(&["kv_lora_rank"], "the width of the cached latent", 512, MAX_WIDTH),
            qk_nope_head_dim: f.need(&["qk_nope_head_dim"], "the width of a head without position", 128, MAX_WIDTH),
            qk_rope_head_dim: f.need(&["qk_rope_head_dim"], "the width of the rotary part of a head", 64, MAX_WIDTH),
            v_head_dim: f.need(&["v_head_dim"], "the width of a value head", 128, MAX_WIDTH),
        },
        qkv_bias: bias,
        o_bias: bias,
        intermediate_size: if dense > 0 { dense_width(f) } else { 0 },
        moe: (moe.layers > 0).then_some(moe),
        tie_word_embeddings: f.flag("tie_word_embeddings", false),
        ..usual
    }
}

/// The families that differ from Llama (`modeling_llama.py`) in switches only.
fn llama_like(f: &mut Fields<'_>, family: Family) -> Shape {
    use Family::{Gemma2, GptOss, Llama, Mistral, Mixtral, Olmo2, Phi, Qwen2, Qwen2Moe, Qwen3, Qwen3Moe, Starcoder2};
    let usual = usual(f);
    let (h, layers, heads) = (usual.hidden_size, usual.num_hidden_layers, usual.num_attention_heads);

    // Heads: what the class has for key–value heads and head_dim where the file has nothing.
    let (kv, dim) = match family {
        Mistral | Mixtral => (Absent::Class(8), None),
        Qwen2 => (Absent::Class(32), None),
        Qwen2Moe => (Absent::Class(16), None),
        Qwen3 => (Absent::Class(32), Some(128)),
        Qwen3Moe => (Absent::Class(4), None),
        Gemma2 => (Absent::Class(4), Some(256)),
        Starcoder2 => (Absent::Class(2), None),
        GptOss => (Absent::Class(8), Some(64)),
        _ => (Absent::Derived(heads), None),
    };
    let attention = f.heads(HF, h, heads, kv, dim);
    let (qkv_bias, o_bias) = match family {
        Llama | Qwen3 | Qwen3Moe | Gemma2 | Olmo2 => {
            let bias = f.flag("attention_bias", false);
            (bias, bias)
        }
        GptOss => {
            let bias = f.flag("attention_bias", true);
            (bias, bias)
        }
        Starcoder2 => {
            let bias = f.flag("use_bias", true);
            (bias, bias)
        }
        Qwen2 => (true, false),
        Qwen2Moe => (f.flag("qkv_bias", true), false),
        Phi => (true, true),
        _ => (false, false),
    };
    let mlp_bias = match family {
        Llama => f.flag("mlp_bias", false),
        Phi => true,
        Starcoder2 => qkv_bias,
        _ => false,
    };
    let qk_norm = match family {
        Qwen3 | Qwen3Moe => QkNorm::Head,
        Olmo2 => QkNorm::Full,
        Phi if f.flag("qk_layernorm", false) => QkNorm::Head,
        _ => QkNorm::None,
    };
    let norms = match family {
        Phi => Norms { per_layer: 1, ..LAYER_NORMS },
        Starcoder2 => LAYER_NORMS,
        Gemma2 => Norms { per_layer: 4, ..Norms::default() },
        _ => Norms::default(),
    };
    let moe = moe(f, family, layers);
    let all_experts = moe.is_some_and(|m| m.layers >= layers);
    Shape {
        attention,
        qkv_bias,
        o_bias,
        qk_norm,
        attention_sinks: family == GptOss,
        intermediate_size: if all_experts { 0 } else { dense_width(f) },
        gated_mlp: if matches!(family, Phi | Starcoder2) { Gated::No } else { Gated::Yes },
        mlp_bias,
        moe,
        norms,
        tie_word_embeddings: f.flag("tie_word_embeddings", matches!(family, Gemma2 | Starcoder2)),
        lm_head_bias: family == Phi,
        sliding: sliding(f, family, layers),
        ..usual
    }
}

/// Routed experts of Mixtral, Qwen and gpt-oss.
fn moe(f: &mut Fields<'_>, family: Family, layers: u64) -> Option<Moe> {
    const EXPERTS: &str = "the number of routed experts";
    let none = Moe {
        layers,
        num_experts: 0,
        num_experts_per_tok: 0,
        intermediate_size: 0,
        shared_intermediate_size: 0,
        shared_gate: false,
        expert_bias: false,
        router_bias: false,
    };
    let found = match family {
        Family::Mixtral | Family::GptOss => {
            let oss = family == Family::GptOss;
            let (class, like) = if oss { (4, 32) } else { (2, 8) };
            Moe {
                num_experts: f.need(&["num_local_experts", "num_experts"], EXPERTS, like, MAX_EXPERTS),
                num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(class), class, MAX_EXPERTS),
                intermediate_size: f.need(&["intermediate_size"], "the width of an expert", 14_336, MAX_ROWS),
                expert_bias: oss,
                router_bias: oss,
                ..none
            }
        }
        Family::Qwen2Moe | Family::Qwen3Moe => {
            let step = f.size("decoder_sparse_step", Absent::Derived(1), 1, MAX_LAYERS).max(1);
            let dense_only = dense_only_layers(f);
            let sparse =
                (0..layers.min(MAX_LAYERS)).filter(|i| (i + 1).is_multiple_of(step) && !dense_only.contains(i));
            let shared = family == Family::Qwen2Moe;
            let class = if shared { 4 } else { 8 };
            Moe {
                layers: sparse.count() as u64,
                num_experts: f.need(&["num_experts", "num_local_experts"], EXPERTS, 128, MAX_EXPERTS),
                num_experts_per_tok: f.size("num_experts_per_tok", Absent::Class(class), class, MAX_EXPERTS),
                intermediate_size: f.need(&["moe_intermediate_size"], "the width of an expert", 1408, MAX_ROWS),
                shared_intermediate_size: if shared {
                    f.need(&["shared_expert_intermediate_size"], "the width of the shared expert", 5632, MAX_ROWS)
                } else {
                    0
                },
                shared_gate: shared,
                ..none
            }
        }
        _ => return None,
    };
    (found.layers > 0).then_some(found)
}

/// The layers that `mlp_only_layers` keeps dense.
fn dense_only_layers(f: &mut Fields<'_>) -> Vec<u64> {
    match f.value("mlp_only_layers") {
        None => Vec::new(),
        Some(Value::Array(list)) if list.iter().all(Value::is_u64) => list.iter().filter_map(Value::as_u64).collect(),
        Some(other) => {
            let got = describe(other);
            f.problem("mlp_only_layers", format!("mlp_only_layers: expected a list of layer numbers, got {got}."));
            Vec::new()
        }
    }
}

/// Which layers have a window, and how wide.
fn sliding(f: &mut Fields<'_>, family: Family, layers: u64) -> Option<Sliding> {
    const MAX: u64 = 1_000_000_000;
    let alternate = layers.div_ceil(2);
    let (window, by_rule) = match family {
        Family::Mistral => (f.size("sliding_window", Absent::Class(4096), 0, MAX), layers),
        Family::Mixtral | Family::Phi3 | Family::Starcoder2 => {
            (f.size("sliding_window", Absent::Derived(0), 0, MAX), layers)
        }
        Family::Gemma2 => (f.size("sliding_window", Absent::Class(4096), 0, MAX), alternate),
        Family::GptOss => (f.size("sliding_window", Absent::Class(128), 0, MAX), alternate),
        Family::Qwen2 | Family::Qwen2Moe | Family::Qwen3 | Family::Qwen3Moe if f.flag("use_sliding_window", false) => {
            let from = f.size("max_window_layers", Absent::Class(28), layers, MAX_LAYERS);
            (f.size("sliding_window", Absent::Class(4096), 0, MAX), layers.saturating_sub(from))
        }
        _ => return None,
    };
    let sliding_layers = f.sliding_types(layers).unwrap_or(by_rule);
    (window > 0 && sliding_layers > 0).then_some(Sliding { window, layers: sliding_layers })
}

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
            ("{\"hidden_size\": NaN}", "near “NaN}”"),
            ("{\"a\": 1", "not JSON: EOF"),
            ("{}", "model_type is missing"),
            ("{\"model_type\": 3}", "expected a text, got 3"),
            ("{\"model_type\": \"clip\", \"text_config\": {}}", "paste the object under text_config"),
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
