//! NVIDIA/Megatron-LM at d98e8a64ddf34856e74b24714e3bedb2f5a39553: `validate_args` in `megatron/training/arguments.py`,
//! `TransformerConfig.__post_init__` in `megatron/core/transformer/transformer_config.py`, `initialize_model_parallel` in
//! `megatron/core/parallel_state.py`, the micro-batches of the interleaved schedule in `pipeline_parallel/schedules.py`, and the
//! optimizer of `core/optimizer/distrib_optimizer.py`: those rules that the flags written here can break.

use std::collections::HashMap;

/// Every flag that is written, and whether a value follows.
const KNOWN: [(&str, bool); 61] = [
    ("tensor-model-parallel-size", true),
    ("pipeline-model-parallel-size", true),
    ("num-virtual-stages-per-pipeline-rank", true),
    ("pipeline-model-parallel-layout", true),
    ("context-parallel-size", true),
    ("expert-model-parallel-size", true),
    ("micro-batch-size", true),
    ("global-batch-size", true),
    ("seq-length", true),
    ("max-position-embeddings", true),
    ("sequence-parallel", false),
    ("use-distributed-optimizer", false),
    ("overlap-grad-reduce", false),
    ("overlap-param-gather", false),
    ("use-megatron-fsdp", false),
    ("data-parallel-sharding-strategy", true),
    ("ckpt-format", true),
    ("recompute-granularity", true),
    ("recompute-method", true),
    ("recompute-num-layers", true),
    ("attention-backend", true),
    ("bf16", false),
    ("fp16", false),
    ("optimizer", true),
    ("sgd-momentum", true),
    ("num-layers", true),
    ("hidden-size", true),
    ("num-attention-heads", true),
    ("ffn-hidden-size", true),
    ("vocab-size", true),
    ("kv-channels", true),
    ("group-query-attention", false),
    ("num-query-groups", true),
    ("multi-latent-attention", false),
    ("q-lora-rank", true),
    ("kv-lora-rank", true),
    ("qk-head-dim", true),
    ("qk-pos-emb-head-dim", true),
    ("v-head-dim", true),
    ("num-experts", true),
    ("moe-router-topk", true),
    ("moe-ffn-hidden-size", true),
    ("moe-shared-expert-intermediate-size", true),
    ("moe-shared-expert-gate", false),
    ("moe-layer-freq", true),
    ("moe-router-score-function", true),
    ("moe-router-enable-expert-bias", false),
    ("swiglu", false),
    ("normalization", true),
    ("untie-embeddings-and-output-weights", false),
    ("disable-bias-linear", false),
    ("add-qkv-bias", false),
    ("qk-layernorm", false),
    ("position-embedding-type", true),
    ("rotary-base", true),
    ("rotary-percent", true),
    ("tokenizer-type", true),
    ("mock-data", false),
    ("train-iters", true),
    ("lr", true),
    ("min-lr", true),
];

fn must(holds: bool, else_: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(else_.to_owned()) }
}

/// The flags, as a shell and `argparse` take them apart.
fn parse(text: &str) -> Result<HashMap<String, String>, String> {
    let body = text.split_once("ARGS=(").and_then(|(_, rest)| rest.rsplit_once(')')).ok_or("no ARGS")?.0;
    let mut flags = HashMap::new();
    let mut words = body.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let name = word.strip_prefix("--").ok_or_else(|| format!("{word} is no flag"))?;
        let (_, valued) =
            KNOWN.iter().find(|(known, _)| *known == name).ok_or_else(|| format!("--{name} is not known"))?;
        let value = if *valued { words.next().ok_or("a value is missing")? } else { "" };
        must(!value.starts_with("--"), "expected one argument")?;
        must(flags.insert(name.to_owned(), value.trim_matches('"').to_owned()).is_none(), "a flag twice")?;
    }
    Ok(flags)
}

pub fn check(text: &str, world: u64) -> Result<(), String> {
    let flags = parse(text)?;
    let int = |name: &str| flags.get(name).and_then(|v| v.parse::<u64>().ok());
    let has = |name: &str| flags.contains_key(name);
    let one = |name: &str| int(name).unwrap_or(1);
    let [tp, pp, cp, ep] = ["tensor-model", "pipeline-model", "context", "expert-model"].map(|axis| {
        one(&format!("{}-size", if axis == "context" { "context-parallel".into() } else { format!("{axis}-parallel") }))
    });
    must(world.is_multiple_of(tp * pp * cp), "world size is not divisible by total_model_size")?;
    let dp = world / (tp * pp * cp);

    for required in ["num-layers", "hidden-size", "num-attention-heads", "max-position-embeddings", "seq-length"] {
        must(int(required).is_some_and(|n| n > 0), &format!("{required} argument is None"))?;
    }
    let (micro, global) = (one("micro-batch-size"), one("global-batch-size"));
    must(global.is_multiple_of(micro * dp), "eval_global_batch_size must be divisible")?;
    let m = global / (micro * dp);
    let (layers, heads, seq) = (one("num-layers"), one("num-attention-heads"), one("seq-length"));
    must(one("max-position-embeddings") >= seq, "max_position_embeddings must be greater than or equal to seq_length")?;
    must(cp == 1 || seq.is_multiple_of(2 * cp), "seq-length should be a multiple of 2 * context-parallel-size")?;

    let v = one("num-virtual-stages-per-pipeline-rank");
    match flags.get("pipeline-model-parallel-layout") {
        Some(layout) => {
            must(!has("num-virtual-stages-per-pipeline-rank"), "no more than one can be set")?;
            let stages: Vec<&str> = layout.split('|').collect();
            must(stages.len() as u64 == pp, "the length of pipeline_model_parallel_layout must be divisible")?;
            must(layout.starts_with('E') && layout.ends_with('L'), "embedding first, loss last")?;
            must(layout.matches('t').count() as u64 == layers, "the layers of the layout")?;
        }
        None if v == 1 => {
            must(layers.is_multiple_of(pp), "Number of layers should be divisible by the pipeline-model-parallel size")?
        }
        None => {
            must(pp > 1, "when interleaved schedule is used, pipeline-model-parallel size should be greater than 1")?;
            must(layers.is_multiple_of(pp * v), "number of layers must be divisible by virtual stages")?;
            must(m >= pp && m.is_multiple_of(pp), "the remainder of M divided by N should be 0")?;
        }
    }

    must(heads.is_multiple_of(tp), "num_attention_heads must be a multiple of tensor_model_parallel_size")?;
    let groups = int("num-query-groups").unwrap_or(heads);
    must(groups.is_multiple_of(tp) || tp.is_multiple_of(groups), "num_query_groups must be a multiple or divisor")?;
    must(has("group-query-attention") == has("num-query-groups"), "groups without group-query-attention")?;
    must(!(has("multi-latent-attention") && has("group-query-attention")), "mutually exclusive")?;
    must(!has("sequence-parallel") || (tp > 1 && (seq / cp).is_multiple_of(tp)), "sequence parallelism")?;

    if let Some(experts) = int("num-experts") {
        must(experts.is_multiple_of(ep), "number of experts should be a multiple of expert model parallel_size")?;
        // expert_tensor_parallel_size is tensor_model_parallel_size where it is not given.
        must(
            world.is_multiple_of(tp * ep * pp),
            "world_size is not divisible by expert_tensor_model_pipeline_parallel size",
        )?;
        must(tp == 1 || has("sequence-parallel"), "MoE and tensor parallelism without sequence parallelism")?;
        must(has("disable-bias-linear") || tp == 1, "Bias in Moe is only supported when ETP==1")?;
        let sigmoid = flags.get("moe-router-score-function").map(String::as_str) == Some("sigmoid");
        must(!has("moe-router-enable-expert-bias") || sigmoid, "expert bias only supports sigmoid")?;
        if let Some(pattern) = flags.get("moe-layer-freq") {
            must(list_length(pattern) == Some(layers), "invalid length of moe_layer_pattern")?;
        }
    } else {
        must(ep == 1, "num_experts must be non None to use expert model parallelism")?;
        must(!has("moe-ffn-hidden-size"), "moe_ffn_hidden_size is set but num_experts is None")?;
    }

    must(!(has("bf16") && has("fp16")), "bf16 and fp16")?;
    let adam = flags.get("optimizer").map(String::as_str) == Some("adam");
    must(adam || flags.get("optimizer").map(String::as_str) == Some("sgd"), "optimizer")?;
    must(adam || !has("use-distributed-optimizer"), "Only Adam, HybridDeviceOptimizer, …")?;
    must(
        !has("overlap-param-gather") || has("use-distributed-optimizer"),
        "--overlap-param-gather only supported with …",
    )?;
    must(!has("overlap-param-gather") || has("overlap-grad-reduce"), "Must use --overlap-param-gather with …")?;
    let dtensor = flags.get("ckpt-format").map(String::as_str) == Some("fsdp_dtensor");
    must(has("use-megatron-fsdp") == dtensor, "Megatron-FSDP requires the `fsdp_dtensor` checkpointing format.")?;
    match flags.get("recompute-granularity").map(String::as_str) {
        Some("full") => must(has("recompute-method") && has("recompute-num-layers"), "recompute_method")?,
        Some("selective") => must(!has("recompute-method"), "not yet supported for selective")?,
        _ => {}
    }
    let kind = flags.get("position-embedding-type").map(String::as_str).unwrap_or_default();
    must(["learned_absolute", "rope", "yarn", "mrope", "relative", "none"].contains(&kind), "position-embedding-type")?;
    must(kind != "rope" || int("rotary-base").is_some(), "--rotary-base: invalid int value")?;
    must(has("tokenizer-type") && has("vocab-size"), "the null tokenizer needs a vocabulary")
}

/// How many layers "([0]*3+[1]*58)" lists.
fn list_length(pattern: &str) -> Option<u64> {
    let parts = pattern.strip_prefix('(')?.strip_suffix(')')?.split('+');
    parts.map(|part| part.split_once("]*").and_then(|(_, n)| n.parse::<u64>().ok())).sum()
}
