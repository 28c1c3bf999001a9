//! torchtitan's TOML.

use toml::{Table, Value};

use crate::memory::activations::Recompute;
use crate::memory::export::torchtitan::MODELS;
use crate::memory::{Dtype, Optimizer};
use crate::run::card::{Card, Kind};
use crate::run::file::Model;

/// Models that are read and not exported: ours, its name, its flavor.
const MORE_MODELS: [(&str, &str, &str); 2] = [("qwen3-8b", "qwen3", "8B"), ("qwen3-30b-a3b", "qwen3", "30B-A3B")];
/// Sections that say nothing of memory or time.
const PASSED: [&str; 11] = [
    "job",
    "profiling",
    "metrics",
    "checkpoint",
    "lr_scheduler",
    "comm",
    "experimental",
    "fault_tolerance",
    "validation",
    "debug",
    "memory_estimation",
];
/// Settings that say nothing of it in sections that do.
const QUIET: [&str; 18] = [
    "lr",
    "eps",
    "steps",
    "dataset",
    "dataset_path",
    "max_norm",
    "seed",
    "beta1",
    "beta2",
    "weight_decay",
    "implementation",
    "print_after_conversion",
    "hf_assets_path",
    "tokenizer_path",
    "warmup_steps",
    "deterministic",
    "early_step_in_backward",
    "gc_freq",
];

/// Whether a table is one.
pub(in crate::run) fn is(table: &Table) -> bool {
    let has = |section: &str, keys: &[&str]| {
        table.get(section).and_then(Value::as_table).is_some_and(|t| keys.iter().any(|key| t.contains_key(*key)))
    };
    has("training", &["local_batch_size", "batch_size", "seq_len"])
        || has("parallelism", &["data_parallel_shard_degree", "tensor_parallel_degree"])
        || has("model", &["flavor"])
}

/// Why torchtitan's selective mode is no recomputation of the memory model.
const ITS_CHOICE: &str = "torchtitan chooses operations or layers by itself, which isn't modeled: predicted as a range from no recomputation to all of it";

/// The same with the degrees where they stand today: in 2024 `[training]` and `[experimental]` had them.
fn degrees(table: &Table) -> Table {
    let mut all = table.clone();
    let mut moved = Table::new();
    for section in ["training", "experimental"] {
        let Some(keys) = all.get_mut(section).and_then(Value::as_table_mut) else { continue };
        let names: Vec<String> = keys.keys().filter(|key| key.contains("_parallel_")).cloned().collect();
        for name in names {
            let now = if name == "data_parallel_degree" { "data_parallel_shard_degree" } else { name.as_str() };
            moved.extend(keys.remove(&name).map(|value| (now.to_owned(), value)));
        }
    }
    if let Some(today) = all.entry("parallelism").or_insert_with(|| Table::new().into()).as_table_mut() {
        for (name, value) in moved {
            today.entry(name).or_insert(value);
        }
    }
    all
}

pub(in crate::run) fn read(name: &str, table: &Table) -> Card {
    let mut card = Card::new(name, Kind::Torchtitan);
    let table = &degrees(table);
    let text = |section: &str, key: &str| table.get(section).and_then(|s| s.get(key)).and_then(Value::as_str);
    let number = |section: &str, key: &str| {
        let n = table.get(section).and_then(|s| s.get(key)).and_then(Value::as_integer)?;
        u64::try_from(n).ok().filter(|n| *n < 1_000_000_000)
    };
    let mut read: Vec<(&str, &str)> = Vec::new();
    let l = &mut card.run.layout;
    l.framework = Some("torchtitan".to_owned());
    l.flash = Some(true);
    let at_least_one = |section, key| number(section, key).map(|n| n.max(1));
    l.tp = at_least_one("parallelism", "tensor_parallel_degree").or(Some(1));
    // It has no tensor parallelism without.
    l.sp = Some(l.tp > Some(1));
    l.cp = at_least_one("parallelism", "context_parallel_degree").or(Some(1));
    l.ep = at_least_one("parallelism", "expert_parallel_degree").or(Some(1));
    l.pp = at_least_one("parallelism", "pipeline_parallel_degree").or(Some(1));
    let pp = l.pp.unwrap_or(1);
    let replicate = at_least_one("parallelism", "data_parallel_replicate_degree").unwrap_or(1);
    // −1, the default, is whatever is left.
    let shard =
        match table.get("parallelism").and_then(|s| s.get("data_parallel_shard_degree")).and_then(Value::as_integer) {
            Some(n) if n > 0 => u64::try_from(n).ok(),
            _ => None,
        };
    l.dp = shard.map(|shard| shard.saturating_mul(replicate));
    let reshard = text("parallelism", "fsdp_reshard_after_forward").unwrap_or("default");
    l.zero = Some(match (shard, reshard) {
        (Some(1), _) => 0,
        // By default weights stay gathered under pipeline parallelism.
        (_, "never") => 2,
        (_, "always") => 3,
        _ if pp > 1 => 2,
        _ => 3,
    });
    let schedule = text("parallelism", "pipeline_parallel_schedule").unwrap_or("1F1B");
    let local = at_least_one("training", "local_batch_size").or_else(|| at_least_one("training", "batch_size"));
    let each = at_least_one("parallelism", "pipeline_parallel_microbatch_size");
    l.mbs = if pp > 1 { each.or(Some(1)) } else { local };
    l.microbatches = if pp > 1 { local.map(|local| (local / l.mbs.unwrap_or(1).max(1)).max(1)) } else { None };
    l.batch = number("training", "global_batch_size").filter(|n| *n > 0);
    l.seq = at_least_one("training", "seq_len");
    // Without an explicit size of the global batch, each rank runs its local batch once.
    if l.batch.is_none() && pp == 1 {
        l.microbatches = Some(1);
    }
    // Its selective mode computes chosen operations or every so many layers again, which isn't Megatron-LM's recomputation of attention
    // (torchtitan/distributed/activation_checkpoint.py).
    let mode = text("activation_checkpoint", "mode").unwrap_or("selective");
    l.recompute = Recompute::find(mode).filter(|recompute| *recompute != Recompute::Selective);
    let dtype = table.get("training").and_then(|s| s.get("mixed_precision_param"));
    l.dtype = match dtype.map(Value::as_str) {
        Some(Some("float32")) => Some(Dtype::Fp32),
        None | Some(Some("bfloat16")) => Some(Dtype::Bf16),
        Some(_) => None,
    };
    l.optimizer = text("optimizer", "name").and_then(|name| name.starts_with("Adam").then_some(Optimizer::AdamW));
    let converters = table.get("model").and_then(|m| m.get("converters")).map(ToString::to_string).unwrap_or_default();
    if converters.contains("float8") || converters.contains("mx") {
        l.fp8 = Some(true);
    }
    let known = text("model", "name").zip(text("model", "flavor"));
    if let Some((model, flavor)) = known {
        match MODELS.iter().chain(&MORE_MODELS).find(|(_, name, size)| *name == model && *size == flavor) {
            Some((id, ..)) => card.run.model = Model { name: (*id).to_owned(), ..Model::default() },
            None => card.unread_setting(
                &format!("model {model} {flavor}"),
                "not one of the course's models: paste its config.json",
                0,
            ),
        }
    }
    let of_interleaved = schedule.starts_with("Interleaved") && pp > 1;
    let preset = crate::model::presets::find(&card.run.model.name);
    if of_interleaved && let Some(layers) = preset.map(|preset| preset.shape.num_hidden_layers) {
        // It counts the embedding and the head as a layer each.
        let per_stage = at_least_one("parallelism", "pipeline_parallel_layers_per_stage");
        card.run.layout.vpp = Some(per_stage.map_or(2, |each| ((layers + 2).div_ceil(each) / pp).max(1)));
    } else if pp > 1 && schedule != "1F1B" {
        card.unread_setting(&format!("pipeline_parallel_schedule = {schedule}"), "predicted as 1F1B", 0);
    }
    read.extend([
        ("model", "name"),
        ("model", "flavor"),
        ("model", "converters"),
        ("training", "local_batch_size"),
        ("training", "batch_size"),
        ("training", "global_batch_size"),
        ("training", "seq_len"),
        ("training", "mixed_precision_param"),
        ("training", "mixed_precision_reduce"),
        ("activation_checkpoint", "mode"),
        ("activation_checkpoint", "selective_ac_option"),
        ("optimizer", "name"),
        ("compile", "enable"),
        ("compile", "components"),
        ("training", "compile"),
        ("parallelism", "expert_tensor_parallel_degree"),
        ("parallelism", "enable_async_tensor_parallel"),
        ("parallelism", "disable_loss_parallel"),
    ]);
    // Values that aren't modeled, and what is predicted instead.
    let mut unmodeled = Vec::new();
    let l = &mut card.run.layout;
    if l.optimizer.is_none() {
        unmodeled.push(("optimizer", "name", "layout.optimizer", "this optimizer isn't modeled: AdamW is predicted"));
    }
    if l.recompute.is_none() {
        let why = if mode == "selective" { ITS_CHOICE } else { "this mode isn't modeled" };
        unmodeled.push(("activation_checkpoint", "mode", "layout.recompute", why));
    }
    if l.dtype.is_none() {
        unmodeled.push(("training", "mixed_precision_param", "layout.dtype", "this type isn't modeled"));
    }
    for (name, key, slot) in [
        ("tensor_parallel_degree", "layout.tp", &mut l.tp),
        ("context_parallel_degree", "layout.cp", &mut l.cp),
        ("expert_parallel_degree", "layout.ep", &mut l.ep),
        ("pipeline_parallel_degree", "layout.pp", &mut l.pp),
    ] {
        let given = table.get("parallelism").and_then(|s| s.get(name));
        if given.is_some_and(|value| value.as_integer().is_none_or(|n| n < 0)) {
            unmodeled.push(("parallelism", name, key, "not a whole number"));
            *slot = None;
        }
    }
    let in_parallelism = [
        "data_parallel_replicate_degree",
        "data_parallel_shard_degree",
        "fsdp_reshard_after_forward",
        "tensor_parallel_degree",
        "context_parallel_degree",
        "expert_parallel_degree",
        "pipeline_parallel_degree",
        "pipeline_parallel_schedule",
        "pipeline_parallel_microbatch_size",
        "pipeline_parallel_layers_per_stage",
    ];
    read.extend(in_parallelism.map(|key| ("parallelism", key)));
    let is_given = table.get("activation_checkpoint").and_then(|s| s.get("mode")).is_some();
    if mode == "selective" && !is_given {
        card.unknown("layout.recompute", "activation_checkpoint.mode is selective by default", ITS_CHOICE, 0);
    }
    for (section, value) in table {
        if PASSED.contains(&section.as_str()) {
            continue;
        }
        let Some(keys) = value.as_table() else {
            card.unread_setting(&format!("{section} = {value}"), "", 0);
            continue;
        };
        for (key, value) in keys {
            let is = |other: (&str, &str)| other == (section.as_str(), key.as_str());
            if let Some((.., place, why)) = unmodeled.iter().find(|(section, key, ..)| is((section, key))) {
                card.unknown(place, &format!("{section}.{key} = {value}"), *why, 0);
            } else if read.iter().copied().any(is) {
                card.found(
                    format!("{section}.{key}"),
                    value.as_str().map_or_else(|| value.to_string(), str::to_owned),
                    0,
                );
            } else if !QUIET.contains(&key.as_str()) {
                card.unread_setting(&format!("{section}.{key} = {value}"), "", 0);
            }
        }
    }
    card.done()
}
