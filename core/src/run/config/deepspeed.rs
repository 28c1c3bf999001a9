//! DeepSpeed's `ds_config.json`.

use serde_json::{Map, Value};

use crate::memory::{Dtype, Optimizer};
use crate::quantity::grouped;
use crate::run::card::{Card, Kind};

/// Keys that say nothing of memory or time.
const PASSED: [&str; 17] = [
    "_assumed",
    "steps_per_print",
    "wall_clock_breakdown",
    "gradient_clipping",
    "scheduler",
    "tensorboard",
    "wandb",
    "csv_monitor",
    "dump_state",
    "zero_allow_untested_optimizer",
    "prescale_gradients",
    "comms_logger",
    "flops_profiler",
    "memory_breakdown",
    "checkpoint",
    "zero_force_ds_cpu_optimizer",
    "seed",
];
/// Keys inside `zero_optimization` that the model has no setting for, and that decide little or are what it assumes.
const IN_ZERO: [&str; 14] = [
    "stage",
    "overlap_comm",
    "contiguous_gradients",
    "allgather_partitions",
    "reduce_scatter",
    "round_robin_gradients",
    "sub_group_size",
    "stage3_gather_16bit_weights_on_model_save",
    "stage3_prefetch_bucket_size",
    "stage3_param_persistence_threshold",
    "stage3_max_live_parameters",
    "stage3_max_reuse_distance",
    "allgather_bucket_size",
    "reduce_bucket_size",
];

/// Why a value that is left open isn't read.
const AUTO: &str = "the HF Trainer fills it in: paste its arguments";

/// Whether an object is one.
pub(in crate::run) fn is(object: &Map<String, Value>) -> bool {
    ["zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size", "gradient_accumulation_steps"]
        .iter()
        .any(|key| object.contains_key(*key))
        && !object.contains_key("hidden_size")
}

pub(in crate::run) fn read(name: &str, object: &Map<String, Value>) -> Card {
    let mut card = Card::new(name, Kind::DeepSpeed);
    card.run.layout.framework = Some("deepspeed".to_owned());
    let number = |card: &mut Card, key: &str, label: &str| {
        let value = object.get(key)?;
        let n = value.as_u64().filter(|n| (1..1_000_000_000).contains(n));
        match (n, value.as_str()) {
            (Some(n), _) => card.found(label, grouped(n), 0),
            (None, Some("auto")) => card.unread_setting(&format!("{key}: auto"), AUTO, 0),
            _ => card.unread_setting(&format!("{key}: {value}"), "not a whole number", 0),
        }
        n
    };
    card.run.layout.mbs = number(&mut card, "train_micro_batch_size_per_gpu", "Micro-batch size");
    card.run.layout.microbatches = number(&mut card, "gradient_accumulation_steps", "Micro-batches per step");
    card.run.layout.batch = number(&mut card, "train_batch_size", "Sequences per step");
    let enabled = |key: &str| object.get(key).is_some_and(|part| part.get("enabled") == Some(&Value::Bool(true)));
    let types = ["bf16", "fp16", "bfloat16"];
    let open =
        types.iter().find(|key| object.get(**key).is_some_and(|v| v.get("enabled").is_some_and(Value::is_string)));
    let dtype = match () {
        () if enabled("bf16") || enabled("bfloat16") => Some(Dtype::Bf16),
        () if enabled("fp16") => Some(Dtype::Fp16),
        () if open.is_some() => None,
        () => Some(Dtype::Fp32),
    };
    match (dtype, open) {
        (Some(dtype), _) => card.found("Precision", dtype.id(), 0),
        (None, key) => {
            let setting = format!("{}.enabled: auto", key.unwrap_or(&"bf16"));
            card.unknown("layout.dtype", &setting, AUTO, 0);
        }
    }
    card.run.layout.dtype = dtype;
    match object.get("zero_optimization").and_then(Value::as_object) {
        None => card.run.layout.zero = Some(0),
        Some(zero) => {
            // Without a stage, DeepSpeed doesn't shard.
            let given = zero.get("stage");
            let stage = given.map_or(Some(0), |stage| u8::try_from(stage.as_u64()?).ok().filter(|n| *n <= 3));
            card.run.layout.zero = stage;
            match (stage, given) {
                (Some(stage), _) => card.found("ZeRO stage", stage.to_string(), 0),
                (None, given) => {
                    let given = given.map(Value::to_string).unwrap_or_default();
                    card.unread_setting(&format!("zero_optimization.stage: {given}"), "not a stage from 0 to 3", 0);
                }
            }
            for (key, value) in zero.iter().filter(|(key, _)| !IN_ZERO.contains(&key.as_str())) {
                let device = value.get("device").and_then(Value::as_str);
                let is_off = matches!(value, Value::Bool(false) | Value::Null) || device == Some("none");
                if !is_off {
                    let why = if key.starts_with("offload") { "offloading isn't in this prediction" } else { "" };
                    card.unread_setting(&format!("zero_optimization.{key}: {value}"), why, 0);
                }
            }
        }
    }
    if let Some(optimizer) = object.get("optimizer") {
        let kind = optimizer.get("type").and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let momentum = optimizer.get("params").and_then(|p| p.get("momentum")).and_then(Value::as_f64).unwrap_or(0.0);
        let found = match kind.as_str() {
            "adam" | "adamw" | "fusedadam" | "cpuadam" => Some(Optimizer::AdamW),
            "sgd" if momentum > 0.0 => Some(Optimizer::Momentum),
            "sgd" => Some(Optimizer::Sgd),
            "lion" => Some(Optimizer::Lion),
            _ => None,
        };
        card.run.layout.optimizer = found;
        match found {
            Some(optimizer) => card.found("Optimizer", optimizer.label(), 0),
            None => {
                card.unknown("layout.optimizer", &format!("optimizer: {kind}"), "this optimizer isn't modeled", 0);
            }
        }
    }
    let read = [
        "train_micro_batch_size_per_gpu",
        "gradient_accumulation_steps",
        "train_batch_size",
        "bf16",
        "bfloat16",
        "fp16",
        "zero_optimization",
        "optimizer",
    ];
    for (key, value) in
        object.iter().filter(|(key, _)| !read.contains(&key.as_str()) && !PASSED.contains(&key.as_str()))
    {
        card.unread_setting(&format!("{key}: {value}"), "", 0);
    }
    card.done()
}
