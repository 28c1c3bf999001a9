//! DeepSpeed's `ds_config.json`.

use std::collections::BTreeMap;

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
        updated_by(&mut card, &kind, momentum > 0.0, &format!("optimizer: {kind}"), 0);
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

/// Notes an optimizer by the name that DeepSpeed has for it, in small letters. `setting` is how it stands there.
fn updated_by(card: &mut Card, kind: &str, has_momentum: bool, setting: &str, line: usize) {
    card.run.layout.optimizer = match kind {
        "adam" | "adamw" | "fusedadam" | "cpuadam" => Some(Optimizer::AdamW),
        "sgd" if has_momentum => Some(Optimizer::Momentum),
        "sgd" => Some(Optimizer::Sgd),
        "lion" => Some(Optimizer::Lion),
        _ => None,
    };
    match card.run.layout.optimizer {
        Some(optimizer) => card.found("Optimizer", optimizer.label(), line),
        None => card.unknown("layout.optimizer", setting, "this optimizer isn't modeled", line),
    }
}

/// What of the settings that DeepSpeed prints at the start is read.
const PRINTED: [&str; 10] = [
    "bfloat16_enabled",
    "float16_enabled",
    "fp16_enabled",
    "gradient_accumulation_steps",
    "optimizer_name",
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "world_size",
    "zero_config",
    "zero_optimization_stage",
];

/// A line of the settings that DeepSpeed prints at the start, as `name value`, empty if it isn't one of those that are read:
/// `[2025-02-07 01:13:41,363] [INFO] [config.py:1003:print]   world_size ................... 8` (deepspeedai/DeepSpeed,
/// `deepspeed/runtime/config.py`, `DeepSpeedConfig.print`).
pub(in crate::run) fn printed_line(line: &str) -> Option<String> {
    let (_, setting) = line.split_once("[config.py:").and_then(|(_, rest)| rest.split_once(":print] "))?;
    let (name, value) = setting.trim().split_once(' ')?;
    let value = value.trim_start_matches([' ', '.']).trim();
    Some(if PRINTED.contains(&name) { format!("{name} {value}") } else { String::new() })
}

/// Reads such lines into a log's card. What the list doesn't have stays open.
pub(in crate::run) fn printed(lines: &[(usize, String)], card: &mut Card) {
    if lines.is_empty() {
        return;
    }
    card.run.layout.framework = Some("deepspeed".to_owned());
    // Of each name its first value and whether all are alike: a job may have several engines, such as a policy's and a frozen model's, and
    // nothing says which printed which list.
    let mut printed: BTreeMap<&str, (usize, &str, bool)> = BTreeMap::new();
    let mut offloads = None;
    for (line, text) in lines {
        let Some((name, value)) = text.split_once(' ') else { continue };
        // All settings of ZeRO at once. The stage has a line of its own; of the rest only offloading is looked for.
        if name == "zero_config" {
            // `device='cpu'`, without its quotes.
            let devices = ["device=cpu", "device=nvme", "Enum.cpu:", "Enum.nvme:"];
            if offloads.is_none() && devices.iter().any(|device| value.contains(device)) {
                offloads = Some(*line);
            }
            continue;
        }
        let (_, first, alike) = printed.entry(name).or_insert((*line, value, true));
        *alike &= *first == value;
    }
    for (name, (line, ..)) in printed.iter().filter(|(_, (.., alike))| !alike) {
        let key = match *name {
            "bfloat16_enabled" | "float16_enabled" | "fp16_enabled" => "layout.dtype",
            "gradient_accumulation_steps" => "layout.microbatches",
            "optimizer_name" => "layout.optimizer",
            "train_batch_size" => "layout.batch",
            "train_micro_batch_size_per_gpu" => "layout.mbs",
            "world_size" => "layout.dp",
            _ => "layout.zero",
        };
        card.unknown(key, name, "printed with several values, by engines that aren’t told apart", *line);
    }
    let said = |name: &str| printed.get(name).filter(|(.., alike)| *alike).map(|(line, value, _)| (*line, *value));
    let layout = &mut card.run.layout;
    let mut found = Vec::new();
    for (name, slot, label) in [
        ("train_micro_batch_size_per_gpu", &mut layout.mbs, "Micro-batch size"),
        ("gradient_accumulation_steps", &mut layout.microbatches, "Micro-batches per step"),
        ("train_batch_size", &mut layout.batch, "Sequences per step"),
        ("world_size", &mut layout.dp, "Data-parallel ranks"),
    ] {
        let Some((line, value)) = said(name) else { continue };
        let Some(n) = value.parse().ok().filter(|n| (1..1_000_000_000).contains(n)) else { continue };
        *slot = Some(n);
        found.push((label, n, line));
    }
    for (label, n, line) in found {
        card.found(label, grouped(n), line);
    }
    if let Some((line, stage)) = said("zero_optimization_stage") {
        card.run.layout.zero = stage.parse().ok().filter(|stage| *stage <= 3);
        card.found("ZeRO stage", stage, line);
    }
    let half = said("float16_enabled").or_else(|| said("fp16_enabled"));
    let dtype = match (said("bfloat16_enabled"), half) {
        (Some((line, "True")), _) => Some((line, Dtype::Bf16)),
        (_, Some((line, "True"))) => Some((line, Dtype::Fp16)),
        (Some((line, "False")), Some((_, "False"))) => Some((line, Dtype::Fp32)),
        _ => None,
    };
    if let Some((line, dtype)) = dtype {
        card.run.layout.dtype = Some(dtype);
        card.found("Precision", dtype.id(), line);
    }
    if let Some((line, kind)) = said("optimizer_name").filter(|(_, kind)| *kind != "None") {
        // Its parameters stand in a line of their own, with the momentum.
        if kind == "sgd" {
            card.unknown(
                "layout.optimizer",
                "optimizer_name sgd",
                "paste the configuration, which has its momentum",
                line,
            );
        } else {
            updated_by(card, kind, false, &format!("optimizer_name {kind}"), line);
        }
    }
    if let Some(line) = offloads {
        card.unread_setting("zero_config: offload", "offloading isn't in this prediction", line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::read as read_any;

    /// The form of `DeepSpeedConfig.print`, with values of huggingface/trl issue 2784 and the offloading of deepspeedai/DeepSpeed issue 1858.
    const LINES: &str = "[2025-02-07 01:13:41,363] [INFO] [config.py:1003:print]   bfloat16_enabled ............. True
[2025-02-07 01:13:41,363] [INFO] [config.py:1003:print]   float16_enabled .............. False
[2025-02-07 01:13:41,363] [INFO] [config.py:1003:print]   gradient_accumulation_steps .. 4
[2025-02-07 01:13:41,363] [INFO] [config.py:1003:print]   mics_hierarchial_params_gather  False
[2025-02-07 01:13:41,364] [INFO] [config.py:1003:print]   nebula_config ................ {
    \"enabled\": false
}
[2025-02-07 01:13:41,364] [INFO] [config.py:1003:print]   optimizer_name ............... None
[2025-02-07 01:13:41,364] [INFO] [config.py:1003:print]   train_batch_size ............. 64
[2025-02-07 01:13:41,364] [INFO] [config.py:1003:print]   train_micro_batch_size_per_gpu  2
[2025-02-07 01:13:41,364] [INFO] [config.py:1003:print]   world_size ................... 8
[2025-02-07 01:13:41,364] [INFO] [config.py:1003:print]   zero_optimization_stage ...... 3
{'loss': 1.2, 'learning_rate': 1e-05, 'epoch': 0.1}
";

    #[test]
    fn settings_that_a_run_prints_are_read() {
        let card = read_any("train.log", LINES);
        let l = &card.run.layout;
        assert_eq!(
            (l.mbs, l.microbatches, l.batch, l.dp, l.zero),
            (Some(2), Some(4), Some(64), Some(8), Some(3)),
            "{card:?}"
        );
        assert_eq!((l.dtype, l.optimizer, l.framework.as_deref()), (Some(Dtype::Bf16), None, Some("deepspeed")));
        // Two engines, as a job of reinforcement learning has.
        let other = LINES.replace("stage ...... 3", "stage ...... 0").replace("per_gpu  2", "per_gpu  8");
        let two = read_any("train.log", &[LINES, &other].concat());
        assert_eq!((two.run.layout.zero, two.run.layout.mbs, two.run.layout.batch), (None, None, Some(64)));
        assert!(two.run.is_unknown("layout.zero") && two.run.is_unknown("layout.mbs"), "{two:?}");
        // Two engines that only the rest of ZeRO's settings tells apart, one of which offloads.
        let config = |rest: &str| {
            format!(
                "[2022-03-21 10:00:00,000] [INFO] [config.py:1065:print]   zero_config .................. stage=3 {rest}\n"
            )
        };
        let apart = [LINES, &config("offload_param=None"), LINES, &config("offload_param=X(device='cpu')")].concat();
        let apart = read_any("train.log", &apart);
        assert_eq!(apart.run.layout.zero, Some(3), "{apart:?}");
        assert!(!apart.run.is_unknown("layout.zero"), "{apart:?}");
        assert!(apart.unread.iter().any(|unread| unread.why.contains("offloading")), "{:?}", apart.unread);
        // A list that is cut leaves open what it lacks.
        let cut = read_any(
            "train.log",
            LINES.split_inclusive('\n').take(1).collect::<String>().replace("True", "False").as_str(),
        );
        assert_eq!((cut.run.layout.dtype, cut.run.layout.zero), (None, None));
        let offloads = "[2022-03-21 10:00:00,000] [INFO] [config.py:1065:print]   zero_config .................. stage=3 offload_optimizer=DeepSpeedZeroOffloadOptimizerConfig(device='nvme', nvme_path='/mnt/nvme2')\n";
        let card = read_any("train.log", &[LINES, offloads].concat());
        assert!(card.unread.iter().any(|unread| unread.why.contains("offloading")), "{:?}", card.unread);
    }
}
