//! Megatron-LM's flags, and its own dump of them at the start of a run.

use std::collections::BTreeMap;

use super::{Given, not_read, options, read_given, understood, whole};
use crate::launch::yaml::{self, Node, Value};
use crate::memory::activations::Recompute;
use crate::memory::{Dtype, Optimizer};
use crate::model::shape::Gated;
use crate::model::{Attention, ModelRef, Moe, Norms, QkNorm, Shape};
use crate::run::card::{Card, Kind};
use crate::run::file::Model;

/// Flags that say nothing of memory or time, by how they begin.
const PASSED: &[&str] = &[
    "lr",
    "min-lr",
    "train-",
    "eval-",
    "save",
    "load",
    "log-",
    "tensorboard",
    "wandb",
    "data-",
    "split",
    "tokenizer",
    "vocab-file",
    "merge-file",
    "seed",
    "weight-decay",
    "adam-",
    "clip-grad",
    "init-method",
    "mock-data",
    "exit-",
    "distributed-backend",
    "rotary-",
    "use-rotary",
    "ckpt-",
    "no-load",
    "no-save",
    "async-save",
    "timing-",
    "norm-epsilon",
    "attention-dropout",
    "hidden-dropout",
    "num-workers",
    "dataloader",
    "override-opt",
    "use-checkpoint",
    "initial-loss-scale",
    "loss-scale",
    "hysteresis",
    "apply-layernorm",
    "moe-aux-loss",
    "moe-z-loss",
    "moe-router-load",
    "moe-router-pre",
    "moe-router-dtype",
    "moe-token-dispatcher",
    "moe-grouped",
    "moe-permute",
    "moe-expert-capacity",
    "moe-router-group",
    "moe-router-num",
    "moe-router-topk-scaling",
    "moe-router-bias",
    "sgd-",
    "enable-experimental",
    "manual-gc",
    "nccl-",
    "local-rank",
    "lr-",
    "start-",
    "end-",
    "job-name",
    "nodes",
    "ntasks",
    "gres",
    "gpus-per",
    "time",
    "partition",
    "account",
    "output",
    "error",
    "cpus-per",
    "mem",
    "rdzv",
    "master",
    "node-rank",
    "max-restarts",
    "use-mcore",
    "transformer-impl",
    "dist-ckpt",
    "use-dist-ckpt",
    "legacy",
    "export",
    "qk-clip",
    "overlap-",
    "ddp-",
    "tp-comm",
    "no-gradient-accumulation",
    "gradient-accumulation-fusion",
    "cross-entropy",
    "no-bias",
    "no-masked",
    "empty-unused",
    "check-for-nan",
    "no-check",
    "profile",
    "use-pytorch-profiler",
    "multi-latent",
    "num-virtual-stages",
    "group-query",
];

/// What a Megatron-LM model is by its flags.
#[derive(Default)]
struct Sizes {
    shape: Shape,
    latent: bool,
    q_lora: Option<u64>,
    kv_lora: u64,
    nope: u64,
    rope: u64,
    v_head: u64,
    kv_channels: Option<u64>,
    groups: Option<u64>,
    ffn: Option<u64>,
    gated: bool,
    layer_norm: bool,
    tied: bool,
    linear_bias: bool,
    qkv_bias: bool,
    learned: bool,
    rows: u64,
    dense_layers: u64,
    moe: Moe,
    any: bool,
    /// A flag among these has a value that isn't known.
    is_unread: bool,
}

/// Flags of ms-swift's `megatron sft` that say nothing of memory or time, by how they begin.
const PASSED_OF_SWIFT: &[&str] = &[
    "agent-template",
    "columns",
    "dataset",
    "finetune",
    "load",
    "loss-scale",
    "max-epochs",
    "model-author",
    "model-name",
    "model-type",
    "no-initialization",
    "num-train-epochs",
    "packing",
    "padding-free",
    "safe-serialization",
    "strict",
    "system",
    "template",
    "truncation",
    "use-hf",
];

/// Whether a text has ms-swift's command for Megatron-LM: `megatron sft`.
pub(in crate::run) fn is_swift(text: &str) -> bool {
    ["sft", "pt", "rlhf"].iter().any(|task| text.contains(&format!("megatron {task} ")))
}

/// Reads the flags of `megatron sft`: Megatron-LM's with values for switches, and defaults of its own (swift.readthedocs.io, Megatron-SWIFT, "Command line
/// arguments", 3.12; `swift/megatron/argument/megatron_args.py`).
fn of_swift(given: &[Given], card: &mut Card) {
    let is_off = |flag: &Given| matches!(flag.value(), "false" | "False");
    let mut own: Vec<Given> = given.iter().filter(|flag| !is_off(flag)).cloned().collect();
    for flag in &mut own {
        if matches!(flag.value(), "true" | "True") {
            flag.values.clear();
        }
        if flag.name == "max-length" {
            flag.name = "seq-length".to_owned();
        }
    }
    let is_given = |name: &str| given.iter().any(|flag| flag.name == name);
    let adapts = |flag: &Given| matches!(flag.name.as_str(), "train-type" | "tuner-type") && flag.value() != "full";
    let model = own.iter().find(|flag| flag.name == "model").cloned();
    for flag in own.iter().filter(|flag| adapts(flag)) {
        card.unread_setting(&flag.text(), super::trainer::ADAPTERS, flag.line);
    }
    let is_passed = |flag: &Given| {
        PASSED_OF_SWIFT.iter().any(|start| flag.name.starts_with(start))
            || matches!(flag.name.as_str(), "model" | "tuner-type")
    };
    own.retain(|flag| !is_passed(flag));
    of(&own, true, card);
    if let Some(model) = model {
        match crate::model::presets::of_hub(model.value()) {
            Some(preset) => {
                card.run.model = Model::of(&ModelRef::Preset(preset));
                card.found("Model", model.value(), model.line);
            }
            None => card.unread(&model.text(), "not one of the course’s models: paste its config.json", model.line),
        }
    }
    let l = &mut card.run.layout;
    l.mbs = l.mbs.or(Some(1).filter(|_| !is_given("micro-batch-size")));
    l.batch = l.batch.or(Some(16).filter(|_| !is_given("global-batch-size")));
    if !is_given("recompute-granularity") {
        l.recompute = Some(Recompute::Selective);
    }
    if !given.iter().any(|flag| flag.name == "use-distributed-optimizer" && is_off(flag)) {
        l.zero = l.zero.map(|zero| zero.max(1));
    }
}

/// Reads flags.
pub(in crate::run) fn read(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::Megatron);
    let given = options(text);
    match is_swift(text) {
        true => read_given(&given, &mut card, of_swift),
        false => read_given(&given, &mut card, |given, card| of(given, true, card)),
    }
    super::note_callers(text, &mut card);
    if super::is_cut(text) {
        let has = |names: &[&str]| given.iter().any(|flag| names.contains(&flag.name.as_str()));
        let keys = [
            ("layout.tp", has(&["tensor-model-parallel-size", "model-parallel-size"])),
            ("layout.pp", has(&["pipeline-model-parallel-size"])),
            ("layout.cp", has(&["context-parallel-size"])),
            ("layout.ep", has(&["expert-model-parallel-size"])),
            ("layout.zero", false),
            ("layout.sp", has(&["sequence-parallel"])),
            ("layout.recompute", has(&["recompute-granularity", "recompute-activations"])),
            ("layout.dtype", has(&["bf16", "fp16"])),
            ("layout.fp8", has(&["fp8-format"])),
            // Experts, groups or another width may follow.
            ("model.sizes", card.run.model == Model::default() || is_swift(text)),
        ];
        let text = text.trim_end();
        super::cut(&mut card, text.lines().last().unwrap_or_default(), text.lines().count(), &keys);
    }
    // What the job asks for, where the launch doesn't say it.
    crate::run::evidence::machines(text, &given, &mut card);
    let machines = [card.run.cluster.nodes, card.run.cluster.node];
    crate::run::evidence::started(text, machines, &mut card);
    card.done()
}

/// Reads the dump of a log, `name value` on each line, into its card. One that isn't `whole` may lack what it doesn't say.
pub(in crate::run) fn dump(lines: &[(usize, String)], whole: bool, card: &mut Card) {
    let has = |names: &[&str]| {
        lines.iter().any(|(_, text)| text.split_once(' ').is_some_and(|(name, _)| names.contains(&name)))
    };
    let is_neox = has(&[
        "pipe_parallel_size",
        "attention_config",
        "no_weight_tying",
        "optimizer_type",
        "output_layer_parallelism",
    ]);
    let mut given = Vec::new();
    let gated_width = is_neox.then(|| neox_width(lines)).flatten();
    for (line, text) in lines {
        let Some((name, value)) = text.split_once(' ') else { continue };
        // It is the width before gating there.
        if gated_width.is_some() && name == "intermediate_size" {
            continue;
        }
        // A switch that is off, and what has no value.
        if matches!(value, "None" | "False") && name != "swiglu" {
            continue;
        }
        if is_neox {
            // What DeepSpeed is told of the optimizer and of precision stands in other lines, too.
            if value.starts_with('{') || matches!((name, value), ("moe_num_experts", "1") | ("batch_size", _)) {
                continue;
            }
            if let Some((name, value)) = of_neox(name, value) {
                let values = value.map(str::to_owned).into_iter().collect();
                given.push(Given {
                    name: name.to_owned(),
                    values,
                    line: *line,
                    is_key: false,
                    is_map: false,
                    open: None,
                });
                continue;
            }
        }
        let values = if value == "True" { Vec::new() } else { vec![value.to_owned()] };
        let (name, values) = match (name, value) {
            ("add_bias_linear", _) => continue,
            ("untie_embeddings_and_output_weights", _) => ("untie-embeddings-and-output-weights".to_owned(), values),
            ("padded_vocab_size", _) => ("vocab-size".to_owned(), values),
            _ => (name.replace('_', "-"), values),
        };
        given.push(Given { name, values, line: *line, is_key: false, is_map: false, open: None });
    }
    if lines.iter().any(|(_, text)| text.starts_with("add_bias_linear False")) {
        given.push(Given {
            name: "disable-bias-linear".to_owned(),
            values: Vec::new(),
            line: 0,
            is_key: false,
            is_map: false,
            open: None,
        });
    }
    let is_off = |name: &str| lines.iter().any(|(_, text)| text.strip_prefix(name) == Some(" False"));
    let mut derived = |name: &str, values: Vec<String>| {
        given.push(Given { name: name.to_owned(), values, line: 0, is_key: false, is_map: false, open: None });
    };
    if let Some(width) = gated_width {
        derived("ffn-hidden-size", vec![width.to_string()]);
    }
    if is_neox && is_off("use_bias_in_mlp") && is_off("use_bias_in_attn_linear") {
        derived("disable-bias-linear", Vec::new());
    }
    of(&given, false, card);
    if is_neox {
        of_deepspeed(lines, card);
        let mixers = lines.iter().find(|(_, text)| text.starts_with("attention_config "));
        let recurrent = mixers.filter(|(_, text)| ["mamba", "rwkv"].iter().any(|kind| text.contains(kind)));
        if let Some((line, text)) = recurrent {
            card.run.model = Model::default();
            card.unread_setting(text, "layers that aren’t attention: paste the model’s config.json", *line);
        }
    }
    if whole {
        return;
    }
    // A line that is missing may be one of its sizes.
    if !card.run.model.sizes.is_empty() {
        card.run.model = Model::default();
        card.unread_setting("The model’s sizes", "Megatron-LM’s list of arguments isn't whole: paste all of it", 0);
    }
    let r = &mut card.run;
    let l = &mut r.layout;
    for (key, slot, names) in [
        ("layout.tp", &mut l.tp, &["tensor_model_parallel_size", "model_parallel_size"][..]),
        ("layout.pp", &mut l.pp, &["pipeline_model_parallel_size", "pipe_parallel_size"][..]),
        ("layout.cp", &mut l.cp, &["context_parallel_size"][..]),
        ("layout.ep", &mut l.ep, &["expert_model_parallel_size"][..]),
    ] {
        if !has(names) {
            *slot = None;
            r.unknown.push(key.to_owned());
        }
    }
    l.zero = l.zero.filter(|_| has(&["use_distributed_optimizer", "data_parallel_sharding_strategy", "zero_stage"]));
    l.sp = l.sp.filter(|_| has(&["sequence_parallel"]));
    l.recompute = l.recompute.filter(|_| {
        has(&[
            "recompute_granularity",
            "checkpoint_activations",
            "activations_checkpoint_method",
            "activations_checkpoint_granularity",
        ])
    });
}

/// The width of an MLP that GPT-NeoX gates: a third of what is asked for, so that both halves have as many parameters, rounded up
/// (`megatron/model/transformer.py`, `ParallelMLP`). None where it isn't gated.
fn neox_width(lines: &[(usize, String)]) -> Option<u64> {
    let value = |name: &str| {
        let (_, text) = lines.iter().find(|(_, text)| text.split_once(' ').is_some_and(|(key, _)| key == name))?;
        text.split_once(' ').map(|(_, value)| value)
    };
    let number = |name: &str| value(name)?.parse::<u64>().ok().filter(|n| *n < 1 << 40);
    if !matches!(value("activation")?, "swiglu" | "geglu" | "reglu" | "glu" | "bilinear") {
        return None;
    }
    let asked = number("intermediate_size").or_else(|| Some(4 * number("hidden_size")?))?;
    let each = number("mlp_multiple_of").unwrap_or(1).max(1);
    Some((asked * 2 / 3 / 2).div_ceil(each) * each)
}

/// GPT-NeoX's configuration: YAML, mostly in braces and with comments. What it doesn't set has the default that the dump prints.
pub(in crate::run) fn neox(name: &str, text: &str) -> Option<Card> {
    let names = |key: &str| [key.to_owned(), key.replace('_', "-")].iter().any(|key| text.contains(key.as_str()));
    // Primus extends files of its own, whose names are Megatron-LM’s.
    if !names("pipe_parallel_size") && !names("model_parallel_size") || text.contains("primus_megatron") {
        return None;
    }
    // Sentences may stand around it: they keep their lines, and say nothing.
    let is_own = |line: &str| {
        let key = line.split(':').next().unwrap_or_default().trim_matches(['"', '\'']);
        line.is_empty()
            || line.starts_with(['{', '}', ' ', '#', '-'])
            || line.contains(':') && crate::run::parts::is_word(key)
    };
    let begins =
        |line: &str| line.starts_with('{') || line.contains(':') && is_own(line) && !line.starts_with(['#', ' ', '-']);
    let first = text.lines().position(begins)?;
    let last = first + text.lines().skip(first).take_while(|line| is_own(line)).count();
    let own = |(i, line): (usize, &str)| if (first..last).contains(&i) { format!("{line}\n") } else { "\n".to_owned() };
    let document = yaml::read(&text.lines().enumerate().map(own).collect::<String>()).ok()?.into_iter().next()?;
    let Value::Map(entries) = &document.value else { return None };
    let key = |key: &str| key.replace('-', "_");
    let has = |name: &str| entries.iter().any(|(own, ..)| key(own) == name);
    let is_own = ["train_micro_batch_size_per_gpu", "num_layers", "output_layer_parallelism", "attention_config"];
    if !(has("pipe_parallel_size") || has("model_parallel_size")) || !is_own.iter().any(|name| has(name)) {
        return None;
    }
    let python = |text: &str| match text {
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        "" | "null" | "~" => "None".to_owned(),
        _ => text.to_owned(),
    };
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (own, line, node) in entries {
        let own = key(own);
        match &node.value {
            Value::Text(text) => lines.push((*line, format!("{own} {}", python(text)))),
            Value::List(_) => lines.push((*line, format!("{own} {}", kinds(node).join(" ")))),
            Value::Map(fields) => {
                let text = |name: &str| node.get(name).and_then(Node::text).map(python);
                let is_on = text("enabled").as_deref() == Some("True");
                match own.as_str() {
                    "optimizer" => lines.extend(text("type").map(|kind| (*line, format!("optimizer_type {kind}")))),
                    "fp16" if is_on => lines.push((*line, "precision fp16".to_owned())),
                    "bf16" if is_on => lines.push((*line, "precision bfloat16".to_owned())),
                    "zero_optimization" => {
                        lines.extend(text("stage").map(|stage| (*line, format!("zero_stage {stage}"))));
                        let said = fields.iter().map(|(name, _, value)| match &value.value {
                            Value::Text(text) => format!("{name}: {}", python(text)),
                            _ => format!("{name}: {{"),
                        });
                        let said: Vec<String> = said.collect();
                        lines.push((*line, format!("{own} {{{}}}", said.join(", "))));
                    }
                    _ => {}
                }
            }
        }
    }
    for (name, default) in [("pipe_parallel_size", "0"), ("attention_config", "global")] {
        if !has(name) {
            lines.push((0, format!("{name} {default}")));
        }
    }
    let mut card = Card::new(name, Kind::Megatron);
    dump(&lines, true, &mut card);
    let around =
        |(i, line): &(usize, &str)| !(first..last).contains(i) && !line.trim().is_empty() && !line.starts_with('#');
    for (i, line) in text.lines().enumerate().filter(around) {
        card.unread(line, "it belongs to nothing that is recognized", i + 1);
    }
    card.said = "It is GPT-NeoX’s configuration. How many GPUs run it is said where it is launched.".to_owned();
    Some(card.done())
}

/// The texts in a list of lists.
fn kinds(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Text(text) => vec![text.clone()],
        Value::List(items) => items.iter().flat_map(kinds).collect(),
        Value::Map(_) => Vec::new(),
    }
}

/// What GPT-NeoX calls otherwise than Megatron-LM (`EleutherAI/gpt-neox`, `megatron/neox_arguments/neox_args.py`), as a flag with its value.
fn of_neox<'a>(name: &str, value: &'a str) -> Option<(&'static str, Option<&'a str>)> {
    Some(match (name, value) {
        ("train_micro_batch_size_per_gpu", _) => ("micro-batch-size", Some(value)),
        ("train_batch_size", _) => ("global-batch-size", Some(value)),
        ("global_num_gpus", _) => ("world-size", Some(value)),
        // 0 and 1 are one stage.
        ("pipe_parallel_size", "0") => ("pipeline-model-parallel-size", Some("1")),
        ("pipe_parallel_size", _) => ("pipeline-model-parallel-size", Some(value)),
        ("model_parallel_size", "0") => ("tensor-model-parallel-size", Some("1")),
        ("precision", "bfloat16") => ("bf16", None),
        ("precision", "fp16") => ("fp16", None),
        ("no_weight_tying", "True") => ("untie-embeddings-and-output-weights", None),
        ("pos_emb", "learned") => ("position-embedding-type", Some("learned_absolute")),
        ("pos_emb", "rotary") => ("position-embedding-type", Some("rope")),
        ("norm", "rmsnorm") => ("normalization", Some("RMSNorm")),
        ("activation", "swiglu") => ("swiglu", None),
        ("intermediate_size", n) if n.parse::<u64>().is_ok() => ("ffn-hidden-size", Some(value)),
        ("num_kv_heads", n) if n.parse::<u64>().is_ok() => ("num-query-groups", Some(value)),
        ("optimizer_type", "Adam" | "AdamW" | "adam") => ("optimizer", Some("adam")),
        ("optimizer_type", "SGD" | "sgd") => ("optimizer", Some("sgd")),
        ("optimizer_type", _) => ("optimizer", Some(value)),
        // One kind of attention for each layer.
        ("attention_config", kinds) if kinds.contains("flash") && !kinds.contains("global") => ("use-flash-attn", None),
        ("attention_config", kinds) if kinds.contains("global") && !kinds.contains("flash") => {
            ("attention-backend", Some("unfused"))
        }
        ("attention_config", _) => ("attention-backend", Some("several")),
        ("moe_num_experts", _) => ("num-experts", Some(value)),
        _ => return None,
    })
}

/// DeepSpeed's share of GPT-NeoX's dump: the stage of ZeRO, and what is offloaded.
fn of_deepspeed(lines: &[(usize, String)], card: &mut Card) {
    for (line, text) in lines {
        match text.split_once(' ') {
            Some(("zero_stage", value)) => {
                card.run.layout.zero = value.parse::<f64>().ok().filter(|n| (0.0..=3.0).contains(n)).map(|n| n as u8);
                match card.run.layout.zero {
                    Some(stage) => card.found("ZeRO stage", stage.to_string(), *line),
                    None => card.unknown("layout.zero", text, "this stage isn’t known", *line),
                }
            }
            Some(("zero_optimization", value)) => {
                let offloads = ["cpu_offload: True", "offload_optimizer: {", "offload_param: {"];
                let bare = value.replace(['\'', '"'], "");
                if offloads.iter().any(|words| bare.contains(words)) {
                    card.unread_setting(
                        "zero_optimization: offload",
                        "offloading isn’t modeled, so less memory and more time may be taken than predicted",
                        *line,
                    );
                }
            }
            _ => {}
        }
    }
}

fn of(given: &[Given], lists_unknown: bool, card: &mut Card) {
    // Without the flag, Megatron-LM does none of these.
    let l = &mut card.run.layout;
    l.framework = Some("megatron".to_owned());
    (l.tp, l.pp, l.cp, l.ep) = (Some(1), Some(1), Some(1), Some(1));
    (l.zero, l.sp, l.recompute) = (Some(0), Some(false), Some(Recompute::None));
    // Where each flag stands last, and whether it has several values.
    let mut last: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for (i, flag) in given.iter().enumerate() {
        let (at, differs) = last.entry(&flag.name).or_insert((i, false));
        *differs |= given.get(*at).is_some_and(|before| before.values != flag.values);
        *at = i;
    }
    let mut s = Sizes { tied: true, linear_bias: true, layer_norm: true, ..Sizes::default() };
    let (mut virtual_layers, mut momentum) = (None, false);
    for (i, flag) in given.iter().enumerate() {
        let value = flag.value();
        let unread = card.unread_count;
        let number = |card: &mut Card, key| whole(card, Some(key), value, &flag.text(), flag.line);
        let unmodeled = |card: &mut Card, key: &str, otherwise| {
            card.unknown(key, &flag.text(), not_read(value, otherwise), flag.line);
        };
        let label = match flag.name.as_str() {
            "tensor-model-parallel-size" | "model-parallel-size" => {
                card.run.layout.tp = number(card, "layout.tp");
                "Tensor-parallel ranks"
            }
            "pipeline-model-parallel-size" => {
                card.run.layout.pp = number(card, "layout.pp");
                "Pipeline stages"
            }
            "context-parallel-size" => {
                card.run.layout.cp = number(card, "layout.cp");
                "Context-parallel ranks"
            }
            "expert-model-parallel-size" => {
                card.run.layout.ep = number(card, "layout.ep");
                "Expert-parallel ranks"
            }
            "num-virtual-stages-per-pipeline-rank" | "virtual-pipeline-model-parallel-size" => {
                card.run.layout.vpp = number(card, "layout.vpp");
                "Virtual stages per rank"
            }
            "num-layers-per-virtual-pipeline-stage" => {
                virtual_layers = number(card, "layout.vpp");
                "Layers per virtual stage"
            }
            "micro-batch-size" => {
                card.run.layout.mbs = number(card, "layout.mbs");
                "Micro-batch size"
            }
            "global-batch-size" => {
                card.run.layout.batch = number(card, "layout.batch");
                "Sequences per step"
            }
            "seq-length" => {
                card.run.layout.seq = number(card, "layout.seq");
                "Sequence length"
            }
            "world-size" => {
                card.run.cluster.gpus = number(card, "cluster.gpus");
                "GPUs"
            }
            "data-parallel-size" => {
                card.run.layout.dp = number(card, "layout.dp");
                "Data-parallel ranks"
            }
            "sequence-parallel" => {
                card.run.layout.sp = Some(true);
                "Sequence parallelism"
            }
            "use-distributed-optimizer" => {
                // Not over a strategy that isn't known.
                card.run.layout.zero = card.run.layout.zero.map(|zero| zero.max(1));
                "Distributed optimizer"
            }
            "use-megatron-fsdp" => continue,
            "data-parallel-sharding-strategy" => {
                card.run.layout.zero = match value {
                    "optim_grads_params" => Some(3),
                    "optim_grads" => Some(2),
                    "optim" => Some(1),
                    "no_shard" => Some(0),
                    _ => {
                        unmodeled(card, "layout.zero", "this sharding isn't modeled");
                        None
                    }
                };
                "Sharding strategy"
            }
            // Names of 2020 to 2023: every layer of a chunk is computed again.
            "checkpoint-activations" | "deepspeed-activation-checkpointing" => {
                card.run.layout.recompute = Some(Recompute::Full);
                "Recomputation"
            }
            "activations-checkpoint-method" => {
                card.run.layout.recompute = Some(Recompute::Full);
                if value == "block" {
                    card.unread_setting(&flag.text(), "read as if every layer were recomputed", flag.line);
                }
                "Recomputation"
            }
            "checkpoint-num-layers" | "activations-checkpoint-num-layers" | "distribute-checkpointed-activations" => {
                continue;
            }
            "recompute-granularity" | "activations-checkpoint-granularity" => {
                card.run.layout.recompute = Recompute::find(value);
                if card.run.layout.recompute.is_none() {
                    unmodeled(card, "layout.recompute", "this granularity isn't modeled");
                }
                "Recomputation"
            }
            "recompute-activations" => {
                card.run.layout.recompute = Some(Recompute::Selective);
                "Recomputation"
            }
            "recompute-method" => {
                if value == "block" {
                    card.unread_setting(&flag.text(), "read as if every layer were recomputed", flag.line);
                }
                continue;
            }
            "recompute-num-layers" => continue,
            "attention-backend" => {
                // The dump writes `AttnBackend.flash`.
                card.run.layout.flash = match value.rsplit('.').next().unwrap_or_default() {
                    "flash" | "fused" | "auto" => Some(true),
                    "unfused" | "local" => Some(false),
                    _ => {
                        unmodeled(card, "layout.flash", "this attention isn't modeled");
                        None
                    }
                };
                "Attention"
            }
            "use-flash-attn" => {
                card.run.layout.flash = Some(true);
                "Attention"
            }
            "bf16" | "fp16" => {
                card.run.layout.dtype = Dtype::find(&flag.name);
                "Precision"
            }
            "grad-reduce-in-bf16" | "accumulate-allreduce-grads-in-fp32" => {
                let is_fp32 = flag.name.ends_with("fp32");
                card.run.layout.grads = Some(if is_fp32 { Dtype::Fp32 } else { Dtype::Bf16 });
                "Gradients"
            }
            "fp8-format" | "fp8" => {
                card.run.layout.fp8 = Some(true);
                "FP8 matrix products"
            }
            "optimizer" => {
                card.run.layout.optimizer = match value {
                    "adam" => Some(Optimizer::AdamW),
                    "sgd" => Some(Optimizer::Sgd),
                    _ => None,
                };
                if card.run.layout.optimizer.is_none() {
                    unmodeled(card, "layout.optimizer", "this optimizer isn't modeled");
                }
                "Optimizer"
            }
            "sgd-momentum" => {
                momentum |= crate::query::parse_number(value).is_some_and(|momentum| momentum > 0.0);
                continue;
            }
            "nproc-per-node" => {
                card.run.cluster.node = number(card, "cluster.node");
                "GPUs per node"
            }
            "nnodes" => {
                card.run.cluster.nodes = number(card, "cluster.nodes");
                "Nodes"
            }
            "pipeline-model-parallel-layout" => {
                card.unread_setting(&flag.text(), "layers are divided among stages as evenly as possible", flag.line);
                continue;
            }
            _ => match size(&mut s, flag, card) {
                Some(label) => {
                    if card.unread_count == unread && value.contains('$') {
                        card.unread_setting(&flag.text(), not_read(value, ""), flag.line);
                    }
                    // Rows of positions count where they are learned alone.
                    s.is_unread |= card.unread_count > unread && flag.name != "max-position-embeddings";
                    label
                }
                None if !lists_unknown || PASSED.iter().any(|start| flag.name.starts_with(start)) => continue,
                None => {
                    card.unread_setting(&flag.text(), "", flag.line);
                    continue;
                }
            },
        };
        let (at, differs) = last.get(flag.name.as_str()).copied().unwrap_or((i, false));
        // Another value replaces it further down.
        if differs && at != i {
            continue;
        }
        if card.unread_count == unread {
            card.found(label, understood(label, &card.run.layout, value), flag.line);
        }
        if differs {
            card.unread_setting(&flag.text(), "given more than once: the last one is used", flag.line);
        }
    }
    let l = &mut card.run.layout;
    // The dump prints the momentum of SGD whatever the optimizer is.
    if momentum && l.optimizer == Some(Optimizer::Sgd) {
        l.optimizer = Some(Optimizer::Momentum);
    }
    if let (Some(each), Some(pp), layers @ 1..) =
        (virtual_layers.filter(|n| *n > 0), l.pp.filter(|n| *n > 0), s.shape.num_hidden_layers)
    {
        l.vpp = Some((layers / pp / each).max(1));
    }
    let has_all = !s.is_unread && (!s.learned || s.rows > 0);
    let has_vocabulary = s.shape.vocab_size > 0;
    if let Some(model) = s.finish() {
        match model.check().into_iter().next() {
            _ if !has_all => {
                card.unread_setting(
                    "The model’s sizes",
                    "one of them isn't known: write it in, or paste config.json",
                    0,
                );
            }
            Some(_) if !has_vocabulary => card.unread(
                "--vocab-size",
                "it isn't given, so the model's sizes aren't known: add it, or paste config.json",
                0,
            ),
            None => card.run.model = Model::of(&ModelRef::own(model)),
            Some(problem) => card.unread_setting("The model’s sizes", problem.message, 0),
        }
    }
}

/// A flag of the model's sizes: what it is called.
fn size(s: &mut Sizes, flag: &Given, card: &mut Card) -> Option<&'static str> {
    let value = flag.value();
    let mut set = |slot: &mut u64, label: &'static str| {
        if let Some(n) = whole(card, None, value, &flag.text(), flag.line) {
            *slot = n;
        }
        Some(label)
    };
    match flag.name.as_str() {
        "num-layers" => {
            s.any = true;
            set(&mut s.shape.num_hidden_layers, "Layers")
        }
        "hidden-size" => set(&mut s.shape.hidden_size, "Width"),
        "num-attention-heads" => set(&mut s.shape.num_attention_heads, "Query heads"),
        "vocab-size" => set(&mut s.shape.vocab_size, "Vocabulary"),
        "ffn-hidden-size" => set(s.ffn.insert(0), "Width of the MLP"),
        "kv-channels" => set(s.kv_channels.insert(0), "Width of a head"),
        "num-query-groups" => set(s.groups.insert(1), "Key–value heads"),
        "group-query-attention" => Some("Grouped-query attention"),
        "multi-latent-attention" => {
            s.latent = true;
            Some("Latent attention")
        }
        "q-lora-rank" => set(s.q_lora.insert(0), "Query latent"),
        "kv-lora-rank" => set(&mut s.kv_lora, "Key–value latent"),
        "qk-head-dim" => set(&mut s.nope, "Width of a query head"),
        "qk-pos-emb-head-dim" => set(&mut s.rope, "Rotary width of a head"),
        "v-head-dim" => set(&mut s.v_head, "Width of a value head"),
        "num-experts" => set(&mut s.moe.num_experts, "Experts"),
        "moe-router-topk" => set(&mut s.moe.num_experts_per_tok, "Experts per token"),
        "moe-ffn-hidden-size" => set(&mut s.moe.intermediate_size, "Width of an expert"),
        "moe-shared-expert-intermediate-size" => {
            set(&mut s.moe.shared_intermediate_size, "Width of the shared experts")
        }
        "max-position-embeddings" => set(&mut s.rows, "Positions"),
        "moe-layer-freq" => {
            let (zeros, rest) = (count_of(value, "[0]*"), flag.values.join(" "));
            match zeros.or_else(|| crate::query::parse_number(&rest).filter(|n| *n == 1.0).map(|_| 0)) {
                Some(zeros) => s.dense_layers = zeros,
                None => card.unread_setting(&flag.text(), "every layer is taken to have experts", flag.line),
            }
            Some("Layers with experts")
        }
        name => {
            let (slot, label): (&mut bool, _) = match name {
                "swiglu" => (&mut s.gated, "Gated MLP"),
                "untie-embeddings-and-output-weights" => {
                    s.tied = false;
                    return Some("Untied output matrix");
                }
                "disable-bias-linear" => {
                    s.linear_bias = false;
                    return Some("No biases");
                }
                "add-qkv-bias" => (&mut s.qkv_bias, "Biases on q, k, v"),
                "qk-layernorm" => {
                    s.shape.qk_norm = QkNorm::Head;
                    return Some("Norms on queries and keys");
                }
                "moe-shared-expert-gate" => (&mut s.moe.shared_gate, "Gate on the shared expert"),
                "moe-router-enable-expert-bias" => (&mut s.moe.router_bias, "Bias in the router"),
                "moe-router-score-function" => return Some("Router scores"),
                "normalization" => {
                    s.layer_norm = value != "RMSNorm";
                    return Some("Norm");
                }
                "position-embedding-type" => {
                    s.learned = value == "learned_absolute";
                    return Some("Positions");
                }
                _ => return None,
            };
            *slot = true;
            Some(label)
        }
    }
}

/// The number behind `mark` in `([0]*3+[1]*58)`.
fn count_of(text: &str, mark: &str) -> Option<u64> {
    let rest = text.get(text.find(mark)? + mark.len()..)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

impl Sizes {
    /// The shape, if the flags describe a model.
    fn finish(self) -> Option<Shape> {
        if !self.any {
            return None;
        }
        let heads = self.shape.num_attention_heads.max(1);
        let h = self.shape.hidden_size;
        let default_ffn = if self.gated { (h.saturating_mul(8) / 3) / 64 * 64 } else { h.saturating_mul(4) };
        let attention = if self.latent {
            Attention::Latent {
                q_lora_rank: self.q_lora,
                kv_lora_rank: self.kv_lora,
                qk_nope_head_dim: self.nope,
                qk_rope_head_dim: self.rope,
                v_head_dim: self.v_head,
            }
        } else {
            Attention::Heads { kv_heads: self.groups.unwrap_or(heads), head_dim: self.kv_channels.unwrap_or(h / heads) }
        };
        let layers = self.shape.num_hidden_layers;
        let moe = (self.moe.num_experts > 0).then(|| Moe {
            layers: layers.saturating_sub(self.dense_layers),
            intermediate_size: if self.moe.intermediate_size > 0 {
                self.moe.intermediate_size
            } else {
                self.ffn.unwrap_or(default_ffn)
            },
            num_experts_per_tok: self.moe.num_experts_per_tok.max(1),
            ..self.moe
        });
        let dense = moe.is_none_or(|moe| moe.layers < layers);
        // Latent attention brings norms of its own.
        let qk_norm = if self.latent { QkNorm::None } else { self.shape.qk_norm };
        Some(Shape {
            attention,
            qk_norm,
            qkv_bias: self.linear_bias || self.qkv_bias,
            o_bias: self.linear_bias,
            mlp_bias: self.linear_bias && dense,
            intermediate_size: if dense { self.ffn.unwrap_or(default_ffn) } else { 0 },
            gated_mlp: if self.gated { Gated::Yes } else { Gated::No },
            moe,
            norms: Norms { bias: self.layer_norm, ..Norms::default() },
            position_rows: if self.learned { self.rows } else { 0 },
            tie_word_embeddings: self.tied,
            ..self.shape
        })
    }
}
