//! The commands of vLLM, SGLang and TensorRT-LLM: `vllm serve …`, `python -m vllm.entrypoints…`, `python -m sglang.launch_server …`,
//! `trtllm-serve …`. They are read by [`command`]; what has no place in a run is listed.

use std::ops::Range;

use crate::launch::yaml::{self, Node};
use crate::memory::Dtype;
use crate::model::{ModelRef, presets};
use crate::run::card::{Card, Kind};
use crate::run::file::{Model, Serving};
use crate::serving::command::{self, Read, Serve, Server};
use crate::serving::machine::Machine;
use crate::serving::step::Quant;

/// Options that say nothing of memory or time.
const PASSED: &[&str] = &[
    "host",
    "port",
    "served-model-name",
    "api-key",
    "chat-template",
    "trust-remote-code",
    "tool-call-parser",
    "enable-auto-tool-choice",
    "reasoning-parser",
    "log-",
    "disable-log",
    "tokenizer",
    "download-dir",
    "allowed-",
    "uvicorn",
    "seed",
    "load-format",
    "response-role",
    "enable-metrics",
    "generation-config",
    // Where the other nodes are.
    "node-rank",
    "master-addr",
    "master-port",
    "dist-init-addr",
    "dist-timeout",
    "headless",
    "distributed-executor-backend",
];

/// What a line has that starts a server.
const STARTS: [&str; 6] =
    ["vllm serve", "vllm.entrypoints", "vllm/vllm-openai", "sglang.launch_server", "sglang serve", "trtllm-serve"];

/// The first command in a text that starts a server, and the lines that it stands on, from 0.
pub(in crate::run) fn find(text: &str) -> Option<(Range<usize>, Read)> {
    if !STARTS.iter().any(|start| text.contains(start)) {
        return of_ray(text).or_else(|| of_options(text));
    }
    let lines: Vec<&str> = text.lines().collect();
    let line = |i: usize| lines.get(i).map_or("", |line| line.trim());
    let is_option = |line: &str| {
        let name = line.strip_prefix("--").or(line.strip_prefix('-'));
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let mut variables = None;
    let mut at = 0;
    while at < lines.len() {
        // Lines that the shell joins; people leave out the backslashes before options.
        let goes_on = |i: &usize| line(*i - 1).ends_with('\\') || is_option(line(*i));
        let to = (at + 1..lines.len()).take_while(goes_on).last().map_or(at + 1, |last| last + 1);
        let command: Vec<&str> = (at..to).map(|i| line(i).trim_end_matches('\\')).collect();
        let starts = |line: &&str| !line.starts_with('#') && STARTS.iter().any(|start| line.contains(start));
        if command.iter().any(starts) {
            let variables = variables.get_or_insert_with(|| super::variables(text, &crate::launch::Branches::of(text)));
            let words =
                command.iter().zip(at..).flat_map(|(line, i)| line.split_whitespace().map(move |word| (i, word)));
            let words = words.map(|(i, word)| match word.contains('$') {
                true => super::expanded(&word.replace(['"', '\''], ""), i, variables),
                false => word.to_owned(),
            });
            let words = words.collect::<Vec<_>>().join(" ");
            // A quote of what stands around the command.
            let is_whole = words.matches('"').count() % 2 == 0;
            let read = Some(&words).filter(|_| is_whole).and_then(|words| command::read(words));
            // A command within quotes is one word to the shell around it: `bash -c "…"`.
            let read = read.or_else(|| command::read(&words.replace('"', "")));
            // A line that only names an image says nothing.
            if let Some(read) = read.filter(|read| read.serve != Serve::default()) {
                return Some((at..to, read));
            }
        }
        at = to;
    }
    of_container(&lines)
}

/// What a container of Compose or Kubernetes starts: its `command` and `args`, as lists, as folded text or on one line, with what its image starts by
/// itself, and the lines that they stand on.
fn of_container(lines: &[&str]) -> Option<(Range<usize>, Read)> {
    let line = |i: usize| lines.get(i).copied().unwrap_or_default();
    let indent = |i: usize| line(i).len() - line(i).trim_start().len();
    // Whether it is the command, where it stands, and its words.
    let mut blocks: Vec<(bool, Range<usize>, String)> = Vec::new();
    let mut images: Vec<usize> = Vec::new();
    for i in 0..lines.len() {
        let bare = line(i).trim();
        let key = bare.strip_prefix("- ").unwrap_or(bare);
        if key.strip_prefix("image:").is_some_and(|image| image.contains("vllm-openai")) {
            images.push(i);
        }
        let command = key.strip_prefix("command:");
        let Some(inline) = command.or(key.strip_prefix("args:")) else { continue };
        let column = indent(i) + bare.len() - key.len();
        let is_own = |j: &usize| {
            let item = line(*j).trim();
            item.is_empty()
                || item.starts_with('#')
                || indent(*j) > column
                || indent(*j) == column && (item.starts_with("- ") || item.starts_with(']'))
        };
        let to = (i + 1..lines.len()).take_while(is_own).last().map_or(i + 1, |last| last + 1);
        let inline = inline.trim().trim_start_matches(['|', '>', '-', '+']);
        let below = (i + 1..to).map(line).map(str::trim).filter(|item| !item.starts_with('#'));
        let below = below.map(|item| item.strip_prefix("- ").unwrap_or(item).trim_end_matches('\\'));
        let mut words = vec![inline.to_owned()];
        words.extend(below.map(str::to_owned));
        let mut text = words.join(" ");
        if text.trim_start().starts_with('[') {
            let lists = yaml::read(&text).unwrap_or_default();
            let items = lists.iter().flat_map(Node::items).filter_map(Node::text);
            text = items.collect::<Vec<_>>().join(" ");
        }
        blocks.push((command.is_some(), i..to, text.replace(['"', '\''], "")));
    }
    blocks.iter().enumerate().find_map(|(k, (is_command, range, text))| {
        let other = blocks.get(k + 1).filter(|(other, next, _)| other != is_command && next.start < range.end + 10);
        let whole = match other {
            Some((_, _, args)) if *is_command => format!("{text} {args}"),
            Some((_, _, command)) => format!("{command} {text}"),
            None => text.clone(),
        };
        let to = other.map_or(range.end, |(_, next, _)| next.end);
        let starts = STARTS.iter().any(|start| whole.contains(start));
        let is_near = |image: &usize| image.abs_diff(range.start) < 40;
        // A script may start anything.
        let program = whole.split_whitespace().next().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
        let is_script = ["sh", "bash"].contains(&program) || program.ends_with(".sh");
        let whole = match () {
            () if starts => whole,
            () if images.iter().any(is_near) && !is_script => format!("vllm serve {whole}"),
            () => return None,
        };
        let read = command::read(&whole).filter(|read| read.serve != Serve::default())?;
        Some((range.start..to, read))
    })
}

/// Options that only one engine has, of those that people paste without its name.
const OWN: [(&str, &[&str]); 2] = [
    (
        "vllm serve",
        &[
            "max-model-len",
            "gpu-memory-utilization",
            "max-num-seqs",
            "max-num-batched-tokens",
            "enforce-eager",
            "swap-space",
            "enable-prefix-caching",
            "enable-chunked-prefill",
        ],
    ),
    (
        "sglang serve",
        &[
            "mem-fraction-static",
            "context-length",
            "max-running-requests",
            "chunked-prefill-size",
            "max-total-tokens",
            "cuda-graph-max-bs",
        ],
    ),
];

/// The most lines of options without a command.
const OPTIONS: usize = 200;

/// A list of an engine's options without the command that they are given to: lines, or items of a list, of which one names the engine.
fn of_options(text: &str) -> Option<(Range<usize>, Read)> {
    let count = text.lines().count();
    if count > OPTIONS {
        return None;
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(|line| {
        let item = line.strip_prefix("- ").unwrap_or(line).trim_end_matches(['\\', ',']);
        let is_key = item.strip_suffix(':').is_some_and(|key| matches!(key, "args" | "command" | "extraArgs"));
        item.split_whitespace().filter(move |_| !is_key).map(|word| word.trim_matches(['"', '\'', ',', '[', ']']))
    });
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // Of two words without hyphens the second is no option's value.
    let is_value = |word: &str| !word.starts_with('-');
    if words.first().is_none_or(|word| is_value(word))
        || words.windows(2).any(|pair| pair.iter().all(|word| is_value(word)))
    {
        return None;
    }
    let names = || words.iter().filter_map(|word| word.strip_prefix("--")?.split('=').next());
    let (command, _) = OWN.iter().find(|(_, own)| names().any(|name| own.contains(&name)))?;
    let read =
        command::read(&format!("{command} {}", words.join(" "))).filter(|read| read.serve != Serve::default())?;
    Some((0..count, read))
}

/// What Ray Serve starts as vLLM, by the `engine_kwargs` of its `llm_configs`, and the lines that they stand on (`ray-project/ray`,
/// `llm/_internal/serve/configs/server_models.py`).
fn of_ray(text: &str) -> Option<(Range<usize>, Read)> {
    if !text.contains("engine_kwargs:") {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let at = lines.iter().position(|line| line.trim().trim_start_matches("- ") == "engine_kwargs:")?;
    let own = indent(lines.get(at)?);
    let is_below = |line: &&&str| line.trim().is_empty() || indent(line) > own;
    let below: Vec<&str> = lines.iter().skip(at + 1).take_while(is_below).copied().collect();
    let model = |key: &str| {
        let value = lines.iter().find_map(|line| line.trim().trim_start_matches("- ").strip_prefix(key))?.trim();
        Some(value.trim_matches(['"', '\''])).filter(|value| !value.is_empty())
    };
    let mut words = vec!["vllm serve".to_owned()];
    words.extend(model("model_source:").or_else(|| model("model_id:")).map(str::to_owned));
    for line in &below {
        let Some((key, value)) = line.split_once(':').filter(|_| !line.trim_start().starts_with('#')) else { continue };
        let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        let option = format!("--{}", key.trim().replace('_', "-"));
        match value {
            "false" | "False" => {}
            "true" | "True" => words.push(option),
            _ => words.push(format!("{option} {value}")),
        }
    }
    let read = command::read(&words.join(" ")).filter(|read| read.serve != Serve::default())?;
    Some((at..at + 1 + below.len(), read))
}

/// Notes that a command goes on behind a line, which is its last one here.
pub(in crate::run) fn cut(card: &mut Card, text: &str, line: usize) {
    let s = &card.run.serving;
    let keys = [
        ("serving.tp", s.tp.is_some()),
        ("serving.pp", s.pp.is_some()),
        ("serving.dp", s.dp.is_some()),
        ("serving.weight", s.weight.is_some()),
        ("serving.kv", s.kv.is_some()),
    ];
    super::cut(card, text, line, &keys);
}

/// What a command says, which stands on this line.
pub(crate) fn read(name: &str, at: usize, read: &Read) -> Card {
    let mut card = Card::new(name, Kind::Serve);
    let serve = &read.serve;
    card.run.serving.engine = Some(read.server.id().to_owned());
    let preset = presets::of_hub(&serve.model);
    if !serve.model.is_empty() {
        match preset {
            Some(preset) => {
                card.found("Model", &serve.model, at);
                card.run.model = Model::of(&ModelRef::Preset(preset));
            }
            None => card.unread(&serve.model, "not one of the course's models: paste its config.json", at),
        }
        card.run.serving.hub = Some(serve.model.clone());
    }
    let s = &mut card.run.serving;
    (s.tp, s.pp, s.context, s.requests, s.memory) = (serve.tp, serve.pp, serve.max_len, serve.max_seqs, serve.memory);
    let dp = [serve.dp, serve.replicas];
    s.dp = dp.iter().any(Option::is_some).then(|| dp.into_iter().flatten().fold(1, u64::saturating_mul));
    // Attention's groups of the other engines share the rest of the model.
    let is_shared = read.server != Server::Vllm && serve.dp.is_some_and(|n| n > 1);
    s.apart = (serve.expert_parallel || is_shared).then_some(true);
    let whole = [
        ("Tensor-parallel ranks", serve.tp),
        ("Pipeline stages", serve.pp),
        ("Data-parallel ranks", s.dp),
        ("Longest sequence", serve.max_len),
        ("Requests at the same time", serve.max_seqs),
    ];
    for (label, n) in whole {
        if let Some(n) = n {
            card.found(label, crate::quantity::grouped(n), at);
        }
    }
    if let Some(share) = serve.memory {
        card.found("Share of the GPU's memory", crate::quantity::Unit::Fraction.format(share), at);
    }
    // The forms of weights and cache as the serving figures take them.
    let mut machine = Machine::default();
    machine.take(read);
    match (machine.quant, &serve.quantization) {
        (Quant::Bf16, None) => {}
        (Quant::Bf16, Some(form)) => {
            card.unknown("serving.weight", &format!("--quantization {form}"), "this format isn't modeled", at);
        }
        (quant, _) => {
            card.run.serving.weight = Some(bytes_per_weight(quant, preset)).filter(|each| Serving::takes(*each));
            card.found("Weights stored as", quant.label(), at);
        }
    }
    if let Some(kv) = &serve.kv {
        let dtype = match (machine.kv_bits, kv.as_str()) {
            (8, _) => Some(Dtype::Fp8),
            (16, "bfloat16" | "bf16") => Some(Dtype::Bf16),
            (16, "float16" | "fp16" | "half") => Some(Dtype::Fp16),
            _ => None,
        };
        card.run.serving.kv = dtype;
        match dtype {
            Some(_) => card.found("KV cache format", kv, at),
            None => card.unknown("serving.kv", &format!("--kv-cache-dtype {kv}"), "this format isn't modeled", at),
        }
    }
    for option in read.spread() {
        card.unread_setting(option, "", at);
    }
    card.run.unknown.extend(read.unknown.iter().map(|name| format!("serving.{name}")));
    for problem in &read.problems {
        match problem.split_once(": ") {
            Some((setting, why)) => card.unread_setting(setting, why.trim_end_matches('.'), at),
            None => card.unread(problem, "", at),
        }
    }
    for option in &read.unread {
        other(&mut card, option, at);
    }
    card.done()
}

/// Bytes per weight over all weights: embedding, output matrix, norms and routers stay in 16 bits.
fn bytes_per_weight(quant: Quant, preset: Option<&presets::Preset>) -> f64 {
    let count = preset.and_then(|preset| Some((preset, preset.shape.count().ok()?)));
    count.map_or_else(
        || quant.bytes(),
        |(preset, count)| {
            let beside = quant.bytes_beside(preset.shape.moe.is_some());
            count.stored_apart(beside, quant.bytes()) / count.total.max(1) as f64
        },
    )
}

/// An option that the serving figures have no use for.
fn other(card: &mut Card, option: &str, at: usize) {
    let (name, value) = option.split_once(' ').unwrap_or((option, ""));
    let name = name.trim_start_matches('-').replace('_', "-");
    if name == "nnodes"
        && let Some(nodes) = value.parse().ok().filter(|n| (1..=crate::setup::MAX_NODES).contains(n))
    {
        card.run.cluster.nodes = Some(nodes);
        card.found("Nodes", crate::quantity::grouped(nodes), at);
    } else if name == "dtype" {
        card.run.layout.dtype = match value {
            "auto" | "bfloat16" | "bf16" => Some(Dtype::Bf16),
            "float16" | "half" => Some(Dtype::Fp16),
            "float32" | "float" => Some(Dtype::Fp32),
            _ => None,
        };
        match card.run.layout.dtype {
            Some(dtype) => card.found("Precision", dtype.id(), at),
            None => card.unread_setting(option, "this type isn't modeled", at),
        }
    } else if !option.starts_with('-') || !PASSED.iter().any(|start| name.starts_with(start)) {
        card.unread_setting(option, "", at);
    }
}
