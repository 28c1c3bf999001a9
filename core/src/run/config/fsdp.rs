//! FSDP: calls of `fully_shard`, Accelerate's YAML, Axolotl's YAML.

use super::understood;
use crate::launch::yaml::{Node, Value};
use crate::memory::activations::Recompute;
use crate::memory::{Dtype, Optimizer};
use crate::model::ModelRef;
use crate::quantity::grouped;
use crate::run::card::{Card, Kind};
use crate::run::file::Model;
use crate::run::output::number_at;

/// Whether a text is Python that shards with FSDP2.
pub(in crate::run) fn is_code(text: &str) -> bool {
    text.contains("fully_shard(") && text.contains("import")
}

/// Reads what our export writes, and code like it: the mesh, the policy, whether weights are freed after the forward pass.
pub(in crate::run) fn code(name: &str, text: &str) -> Card {
    let mut card = Card::new(name, Kind::Fsdp);
    let l = &mut card.run.layout;
    l.framework = Some("fsdp".to_owned());
    (l.tp, l.pp, l.cp, l.ep, l.recompute) = (Some(1), Some(1), Some(1), Some(1), Some(Recompute::None));
    let mut zero = 3;
    for (i, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())) {
        if line.starts_with('#') {
            continue;
        }
        if let Some((_, rest)) = line.split_once("init_device_mesh(") {
            let sizes: Vec<u64> = rest
                .split('(')
                .nth(1)
                .and_then(|s| s.split(')').next())
                .unwrap_or_default()
                .split(',')
                .filter_map(|n| n.trim().parse().ok())
                .collect();
            match sizes[..] {
                [dp] => {
                    card.run.layout.dp = Some(dp);
                    card.found("Data-parallel ranks", grouped(dp), i);
                }
                _ => card.unread_setting(line, "only a mesh of one dimension is read", i),
            }
        }
        if let Some((_, rest)) = line.split_once("param_dtype=") {
            let dtype = match () {
                () if rest.starts_with("torch.bfloat16") => Some(Dtype::Bf16),
                () if rest.starts_with("torch.float16") => Some(Dtype::Fp16),
                () if rest.starts_with("torch.float32") => Some(Dtype::Fp32),
                () => None,
            };
            card.run.layout.dtype = dtype;
            match dtype {
                Some(dtype) => card.found("Precision", dtype.id(), i),
                None => card.unknown("layout.dtype", line, "this type isn't modeled", i),
            }
        }
        if line.contains("reshard_after_forward=False") {
            zero = 2;
            card.found("Weights after the forward pass", "kept", i);
        } else if line.contains("reshard_after_forward=True") {
            card.found("Weights after the forward pass", "freed", i);
        }
        if line.contains("checkpoint_wrapper(") {
            card.run.layout.recompute = Some(Recompute::Full);
            card.found("Recomputation", "every layer", i);
        }
        let optimizers = [
            ("optim.AdamW(", Optimizer::AdamW),
            ("optim.Adam(", Optimizer::AdamW),
            ("optim.Adafactor(", Optimizer::Adafactor),
            ("optim.SGD(", Optimizer::Sgd),
        ];
        if let Some((_, optimizer)) = optimizers.iter().find(|(call, _)| line.contains(call)) {
            let optimizer = if line.contains("momentum=") { Optimizer::Momentum } else { *optimizer };
            card.run.layout.optimizer = Some(optimizer);
            card.found("Optimizer", optimizer.label(), i);
        }
    }
    card.run.layout.zero = Some(zero);
    card.found("ZeRO stage", zero.to_string(), 0);
    card.said = "The sharding was read. What the rest of the code does isn't.".to_owned();
    card.done()
}

/// What a YAML document is, if it is one of these.
pub(in crate::run) fn kind(node: &Node) -> Option<Kind> {
    let has = |key: &str| node.get(key).is_some();
    match () {
        () if has("distributed_type") || has("fsdp_config") && has("num_processes") => Some(Kind::Accelerate),
        () if has("base_model") && (has("micro_batch_size") || has("sequence_len")) => Some(Kind::Axolotl),
        () => None,
    }
}

pub(in crate::run) fn yaml(name: &str, kind: Kind, node: &Node) -> Card {
    let mut card = Card::new(name, kind);
    let Value::Map(entries) = &node.value else { return card.done() };
    // Accelerate once wrote an empty fsdp_config in every file.
    let has_config =
        node.get("fsdp_config").is_some_and(|config| matches!(&config.value, Value::Map(m) if !m.is_empty()));
    let is_fsdp = match node.at("distributed_type").and_then(Node::text) {
        Some(kind) => kind == "FSDP",
        None => has_config,
    };
    card.run.layout.framework = Some(if is_fsdp || kind == Kind::Axolotl { "fsdp" } else { "accelerate" }.to_owned());
    for (key, line, value) in entries {
        // What has no value is as if it weren't there.
        let is_empty = |value: &Node| matches!(value.text(), Some("" | "null" | "~"));
        if let Value::Map(inner) = &value.value {
            for (name, line, value) in inner.iter().filter(|(.., value)| !is_empty(value)) {
                setting(&mut card, &format!("{key}.{name}"), value.text().unwrap_or_default(), *line);
            }
        } else if !is_empty(value) {
            setting(&mut card, key, value.text().unwrap_or("a list"), *line);
        }
    }
    // By default, unless it is given and isn't known.
    if card.run.layout.zero.is_none() && is_fsdp && !card.run.is_unknown("layout.zero") {
        card.run.layout.zero = Some(3);
    }
    card.done()
}

fn setting(card: &mut Card, key: &str, value: &str, line: usize) {
    set(card, key, value, &format!("{key}: {value}"), line);
}

/// Settings that say nothing of memory or time.
const PASSED: [&str; 48] = [
    "commands",
    "command_file",
    "deepspeed_multinode_launcher",
    "gradient_clipping",
    "megatron_lm_gradient_clipping",
    "max_grad_norm",
    "zero3_init_flag",
    "zero3_save_16bit_model",
    "compute_environment",
    "debug",
    "machine_rank",
    "main_process_ip",
    "main_process_port",
    "main_training_function",
    "rdzv_backend",
    "same_network",
    "tpu_env",
    "tpu_use_cluster",
    "tpu_use_sudo",
    "use_cpu",
    "distributed_type",
    "downcast_bf16",
    "enable_cpu_affinity",
    "learning_rate",
    "num_epochs",
    "lr_scheduler",
    "warmup_steps",
    "warmup_ratio",
    "weight_decay",
    "output_dir",
    "dataset_prepared_path",
    "val_set_size",
    "logging_steps",
    "save_steps",
    "saves_per_epoch",
    "evals_per_epoch",
    "eval_steps",
    "wandb_project",
    "wandb_entity",
    "wandb_name",
    "wandb_watch",
    "wandb_log_model",
    "datasets",
    "special_tokens",
    "tokenizer_type",
    "model_type",
    "train_on_inputs",
    "group_by_length",
];

/// Reads a setting by the name that Accelerate or Axolotl give it, or notes `setting`, which is how it stands there, as not read.
pub(super) fn set(card: &mut Card, key: &str, value: &str, setting: &str, line: usize) {
    let name = key.rsplit('.').next().unwrap_or(key).trim_start_matches("fsdp_");
    let is_on = matches!(value, "true" | "True" | "yes");
    let l = &mut card.run.layout;
    let count = match name {
        "num_processes" => Some((&mut card.run.cluster.gpus, "GPUs")),
        "num_machines" => Some((&mut card.run.cluster.nodes, "Nodes")),
        "micro_batch_size" | "per_device_train_batch_size" => Some((&mut l.mbs, "Micro-batch size")),
        "parallelism_config_tp_size" => Some((&mut l.tp, "Tensor-parallel ranks")),
        "megatron_lm_tp_degree" => Some((&mut l.tp, "Tensor-parallel ranks")),
        "megatron_lm_pp_degree" => Some((&mut l.pp, "Pipeline stages")),
        "megatron_lm_num_micro_batches" => Some((&mut l.microbatches, "Micro-batches per step")),
        "parallelism_config_cp_size" => Some((&mut l.cp, "Context-parallel ranks")),
        "gradient_accumulation_steps" => Some((&mut l.microbatches, "Micro-batches per step")),
        "sequence_len" | "max_seq_length" => Some((&mut l.seq, "Sequence length")),
        _ => None,
    };
    if let Some((slot, label)) = count {
        let Some(n) = number_at(value).filter(|n| (1.0..1e9).contains(n)) else {
            return card.unread_setting(setting, "not a whole number", line);
        };
        *slot = Some(n as u64);
        return card.found(label, understood(label, &card.run.layout, value), line);
    }
    let l = &mut card.run.layout;
    let label = match name {
        "mixed_precision" | "bf16" | "fp16" => {
            l.dtype = match (name, value) {
                ("bf16", _) if is_on || value == "auto" => Some(Dtype::Bf16),
                ("fp16", _) if is_on => Some(Dtype::Fp16),
                ("mixed_precision", "no" | "float32") => Some(Dtype::Fp32),
                ("mixed_precision", "bfloat16") => Some(Dtype::Bf16),
                ("mixed_precision", "float16") => Some(Dtype::Fp16),
                ("mixed_precision", "fp8") => {
                    l.fp8 = Some(true);
                    Some(Dtype::Bf16)
                }
                ("mixed_precision", value) => {
                    let Some(dtype) = Dtype::find(value) else {
                        return card.unknown("layout.dtype", setting, "this type isn't modeled", line);
                    };
                    Some(dtype)
                }
                // Another switch says which it is.
                _ => return,
            };
            "Precision"
        }
        "sharding_strategy" | "reshard_after_forward" => {
            l.zero = match value {
                "FULL_SHARD" | "1" | "true" | "True" => Some(3),
                "SHARD_GRAD_OP" | "2" | "false" | "False" => Some(2),
                "NO_SHARD" | "3" => Some(0),
                _ => {
                    return card.unknown("layout.zero", setting, "this sharding isn't modeled", line);
                }
            };
            "ZeRO stage"
        }
        "zero_stage" => {
            let Some(stage) = value.parse().ok().filter(|n| *n <= 3) else {
                return card.unknown("layout.zero", setting, "not a stage from 0 to 3", line);
            };
            l.zero = Some(stage);
            "ZeRO stage"
        }
        "activation_checkpointing" | "gradient_checkpointing" => {
            l.recompute = match value {
                _ if is_on => Some(Recompute::Full),
                "false" | "False" | "no" => Some(Recompute::None),
                // Axolotl keeps what is recomputed from on the host, or on disk.
                "offload" | "offload_disk" | "unsloth" => {
                    l.recompute = Some(Recompute::Full);
                    return card.unread_setting(
                        setting,
                        "every layer is recomputed; offloading isn't in this prediction",
                        line,
                    );
                }
                _ => return card.unknown("layout.recompute", setting, "this recomputation isn't modeled", line),
            };
            "Recomputation"
        }
        "megatron_lm_recompute_activations" => {
            l.recompute = Some(if is_on { Recompute::Selective } else { Recompute::None });
            "Recomputation"
        }
        "megatron_lm_sequence_parallelism" => {
            l.sp = Some(is_on);
            "Sequence parallelism"
        }
        "megatron_lm_use_distributed_optimizer" => {
            l.zero = Some(u8::from(is_on));
            "ZeRO stage"
        }
        "flash_attention" => {
            l.flash = match value {
                "flash_attention_2" | "flash_attention_3" | "kernels-community/flash-attn" | "sdpa" | "fa2" | "fa3" => {
                    Some(true)
                }
                "eager" | "disabled" => Some(false),
                // Without it transformers takes PyTorch's own fused attention where it can.
                _ if !is_on => return,
                _ => Some(true),
            };
            "FlashAttention"
        }
        "optimizer" => {
            l.optimizer = match value {
                "adamw_torch" | "adamw_torch_fused" | "adamw" | "adamw_hf" | "adamw_apex_fused"
                | "paged_adamw_32bit" | "paged_adamw" => Some(Optimizer::AdamW),
                "adamw_8bit" | "adamw_bnb_8bit" | "paged_adamw_8bit" => Some(Optimizer::Adam8bit),
                "lion_pytorch" | "lion" | "lion_32bit" => Some(Optimizer::Lion),
                "adafactor" => Some(Optimizer::Adafactor),
                "sgd" => Some(Optimizer::Sgd),
                "muon" => Some(Optimizer::Muon),
                _ => {
                    return card.unknown("layout.optimizer", setting, "this optimizer isn't modeled", line);
                }
            };
            "Optimizer"
        }
        "base_model" => {
            let Some(preset) = crate::model::presets::of_hub(value) else {
                return card.unread_setting(setting, "not one of the course's models: paste its config.json", line);
            };
            card.run.model = Model::of(&ModelRef::Preset(preset));
            "Model"
        }
        _ if PASSED.contains(&name)
            || key.starts_with("fsdp_config.")
                && matches!(
                    name,
                    "auto_wrap_policy"
                        | "backward_prefetch"
                        | "forward_prefetch"
                        | "state_dict_type"
                        | "use_orig_params"
                        | "version"
                        | "cpu_ram_efficient_loading"
                        | "sync_module_states"
                        | "transformer_layer_cls_to_wrap"
                ) =>
        {
            return;
        }
        _ => {
            // Also by a device: `offload_optimizer_device: cpu`.
            let is_offload = name.contains("offload");
            if !is_offload || !matches!(value, "false" | "False" | "no" | "none" | "None") {
                let why = if is_offload { "offloading isn't in this prediction" } else { "" };
                card.unread_setting(setting, why, line);
            }
            return;
        }
    };
    card.found(label, understood(label, &card.run.layout, value), line);
}
