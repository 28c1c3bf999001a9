//! The commands of vLLM and SGLang: `vllm serve …`, `python -m vllm.entrypoints…`, `python -m sglang.launch_server …`.

use super::{Given, options, whole};
use crate::memory::Dtype;
use crate::model::presets;
use crate::run::card::{Card, Kind};
use crate::run::file::Model;

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
];

/// The course's model that is this one on the Hub, or a variant of it.
pub(in crate::run) fn hub(name: &str) -> Option<Model> {
    let bare = |name: &str| {
        let name = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name).to_lowercase();
        name.replace("-instruct", "").replace("-chat", "").replace("-hf", "").replace("meta-", "")
    };
    // Llama 3.1 and 3.3 have the sizes of Llama 3.
    let alike = |name: &str| {
        name.replace("llama-3.1-8b", "llama-3-8b")
            .replace("llama-3.1-70b", "llama-3-70b")
            .replace("llama-3.3-70b", "llama-3-70b")
    };
    let wanted = alike(&bare(name));
    let preset =
        presets::ALL.iter().find(|p| !p.hub.is_empty() && (alike(&bare(p.hub)) == wanted || p.id == wanted))?;
    Some(Model { name: preset.id.to_owned(), ..Model::default() })
}

/// Whether a text starts a server.
pub(in crate::run) fn is(text: &str) -> bool {
    ["vllm serve", "vllm.entrypoints", "sglang.launch_server", "sglang serve"].iter().any(|start| text.contains(start))
}

pub(in crate::run) fn read(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::Serve);
    let engine = if text.contains("sglang") { "sglang" } else { "vllm" };
    card.run.serving.engine = Some(engine.to_owned());
    let positional =
        text.split_once("vllm serve").and_then(|(_, rest)| rest.split_whitespace().find(|word| *word != "\\"));
    let positional =
        positional.filter(|word| !word.starts_with('-')).map(|word| word.trim_matches(['"', '\'']).to_owned());
    let given = options(text);
    let named = given.iter().find(|flag| matches!(flag.name.as_str(), "model" | "model-path"));
    if let Some(model) =
        positional.or_else(|| named.map(|flag| flag.value().to_owned())).filter(|model| !model.is_empty())
    {
        match hub(&model) {
            Some(known) => {
                card.found("Model", &model, 0);
                card.run.model = known;
            }
            None => card.unread(&model, "not one of the course's models: paste its config.json", 0),
        }
        card.run.serving.hub = Some(model);
    }
    for flag in &given {
        option(&mut card, flag);
    }
    card.done()
}

fn option(card: &mut Card, flag: &Given) {
    let value = flag.value();
    let number = |card: &mut Card| whole(card, value, &flag.text(), flag.line);
    let label = match flag.name.as_str() {
        "model" | "model-path" => return,
        "tensor-parallel-size" | "tp-size" | "tp" => {
            card.run.serving.tp = number(card);
            "Tensor-parallel ranks"
        }
        "pipeline-parallel-size" | "pp-size" => {
            card.run.serving.pp = number(card);
            "Pipeline stages"
        }
        "max-model-len" | "context-length" => {
            card.run.serving.context = number(card);
            "Longest sequence"
        }
        "gpu-memory-utilization" | "mem-fraction-static" => {
            card.run.serving.memory = crate::query::parse_number(value).filter(|share| (0.01..=1.0).contains(share));
            "Share of the GPU's memory"
        }
        "max-num-seqs" | "max-running-requests" => {
            card.run.serving.requests = number(card);
            "Requests at the same time"
        }
        "kv-cache-dtype" => {
            card.run.serving.kv = match value {
                "fp8" | "fp8_e4m3" | "fp8_e5m2" => Some(Dtype::Fp8),
                "auto" | "bfloat16" | "bf16" => Some(Dtype::Bf16),
                _ => None,
            };
            "KV cache format"
        }
        "dtype" => {
            card.run.layout.dtype = match value {
                "auto" | "bfloat16" | "bf16" => Some(Dtype::Bf16),
                "float16" | "half" => Some(Dtype::Fp16),
                "float32" | "float" => Some(Dtype::Fp32),
                _ => None,
            };
            "Precision"
        }
        name if PASSED.iter().any(|start| name.starts_with(start)) => return,
        _ => {
            card.unread_setting(&flag.text(), "", flag.line);
            return;
        }
    };
    card.found(label, if value.is_empty() { "on" } else { value }, flag.line);
}
