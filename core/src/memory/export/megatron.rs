//! Megatron-LM's flags.

use super::{Export, Outcome, comment, refuse_if};
use crate::memory::activations::Recompute;
use crate::memory::breakdown::Params;
use crate::memory::optimizer::Optimizer;
use crate::memory::precision::Dtype;
use crate::model::shape::Gated;
use crate::model::{Attention, ModelRef, QkNorm, Shape};

/// Tokens of a sequence where none is given.
const SEQ: u64 = 4096;

/// The base of rotary positions and the share of a head that turns, of the presets that have them, from their `config.json`:
/// `rope_theta` (whole, as the flag is) and `partial_rotary_factor` or `rotary_pct`. Every preset that is exported and turns its heads has a row.
pub const ROTARY: [(&str, f64, f64); 25] = [
    ("deepseek-coder-6.7b", 100_000.0, 1.0),
    ("deepseek-v2", 10_000.0, 1.0),
    ("deepseek-v3", 10_000.0, 1.0),
    ("gpt-neox-20b", 10_000.0, 0.25),
    ("kimi-k2.5", 50_000.0, 1.0),
    ("llama-2-13b", 10_000.0, 1.0),
    ("llama-2-70b", 10_000.0, 1.0),
    ("llama-2-7b", 10_000.0, 1.0),
    ("llama-3-70b", 500_000.0, 1.0),
    ("llama-3-8b", 500_000.0, 1.0),
    ("llama-3.1-405b", 500_000.0, 1.0),
    ("llama-3.2-1b", 500_000.0, 1.0),
    ("llama-3.3-70b", 500_000.0, 1.0),
    ("mistral-7b-v0.1", 10_000.0, 1.0),
    ("mixtral-8x7b", 1_000_000.0, 1.0),
    ("phi-3-mini-4k", 10_000.0, 1.0),
    ("qwen1.5-moe-a2.7b", 1_000_000.0, 1.0),
    ("qwen2.5-14b", 1_000_000.0, 1.0),
    ("qwen2.5-32b", 1_000_000.0, 1.0),
    ("qwen2.5-72b", 1_000_000.0, 1.0),
    ("qwen2.5-7b", 1_000_000.0, 1.0),
    ("qwen3-30b-a3b", 1_000_000.0, 1.0),
    ("qwen3-32b", 1_000_000.0, 1.0),
    ("qwen3-8b", 1_000_000.0, 1.0),
    ("starcoder2-3b", 999_999.0, 1.0),
];

pub(super) fn write(p: &Params) -> Outcome {
    let Some(shape) = p.model.shape() else {
        return Err("Megatron-LM needs the model’s sizes: choose a model, or give its config.json.".to_owned());
    };
    let seq = p.seq.unwrap_or(if shape.position_rows > 0 { SEQ.min(shape.position_rows) } else { SEQ });
    check_model(shape)?;
    check_layout(p, shape, seq)?;
    let mut assumed = vec![
        "Mock data, a null tokenizer, 100 iterations and the learning rate: replace them with yours.".to_owned(),
        format!("Run on {} GPUs: torchrun … pretrain_gpt.py with these arguments.", p.gpus()),
    ];
    if p.seq.is_none() {
        assumed.push(format!("Sequences of {seq} tokens: none were given."));
    }
    let mut flags: Vec<String> = Vec::with_capacity(48);
    layout_flags(p, shape, seq, &mut flags, &mut assumed);
    shape_flags(p, shape, &mut flags, &mut assumed);
    flags.extend(
        ["--tokenizer-type NullTokenizer", "--mock-data", "--train-iters 100", "--lr 3e-4", "--min-lr 3e-5"]
            .map(str::to_owned),
    );
    Ok(Export { text: format!("{}ARGS=(\n  {}\n)\n", comment("#", &assumed), flags.join("\n  ")), assumed })
}

/// What Megatron-LM's GPT model cannot be.
fn check_model(s: &Shape) -> Result<(), String> {
    let lacks = |what: &str| Err(format!("Megatron-LM’s GPT model has {what}, so this model is not one of its."));
    match () {
        () if !s.is_uniform() => lacks("layers that are alike but for experts"),
        () if s.norms.embedding => lacks("no norm on the embedding and no ALiBi"),
        () if s.norms.per_layer != 2 => lacks("two norms a layer, before attention and before the MLP"),
        () if !s.norms.last => lacks("a norm after the last layer"),
        () if s.norms.mlp => lacks("no norm inside the MLP"),
        () if s.word_embed_proj_dim.is_some() => lacks("no projection between the embedding and the layers"),
        () if s.attention_sinks => lacks("no flag for biased experts beside learned sinks"),
        () if s.qk_norm == QkNorm::Full => lacks("norms on queries and keys a head wide only"),
        () if s.lm_head_bias => lacks("no bias on the output matrix"),
        () if s.moe.is_some_and(|m| m.expert_bias) => lacks("biases in experts only if it has them everywhere"),
        () => match (s.qkv_bias, s.o_bias, s.mlp_bias || s.moe.is_some()) {
            (true, true, true) if s.moe.is_none() => Ok(()),
            (false | true, false, _) if !s.mlp_bias => Ok(()),
            _ => lacks("biases everywhere, nowhere, or on queries, keys and values only"),
        },
    }
}

/// What it checks at its start, in `validate_args` and `TransformerConfig`.
fn check_layout(p: &Params, s: &Shape, seq: u64) -> Result<(), String> {
    let (l, pipeline) = (&p.layout, p.layout.pipeline);
    let (pp, v, m) = (pipeline.stages, pipeline.virtual_stages, pipeline.microbatches);
    let groups = s.kv_heads();
    refuse_if(!groups.is_multiple_of(l.tp) && !l.tp.is_multiple_of(groups), || {
        format!("num_query_groups ({groups}) must be a multiple or divisor of tensor_model_parallel_size ({}).", l.tp)
    })?;
    refuse_if(l.cp > 1 && !seq.is_multiple_of(2 * l.cp), || {
        format!("seq-length should be a multiple of 2 × context-parallel-size: {seq} is none of {}.", 2 * l.cp)
    })?;
    refuse_if(l.sp && !(seq / l.cp.max(1)).is_multiple_of(l.tp), || {
        format!("Sequence parallelism divides the tokens of a rank among {} ranks: {seq} do not divide.", l.tp)
    })?;
    refuse_if(s.position_rows > 0 && seq > s.position_rows, || {
        format!("The model has {} learned positions, and sequences have {seq} tokens.", s.position_rows)
    })?;
    refuse_if(s.moe.is_some() && l.tp > 1 && !l.sp, || {
        "Megatron-LM trains experts under tensor parallelism only with sequence parallelism: switch it on.".to_owned()
    })?;
    refuse_if(v > 1 && (pp < 2 || !s.num_hidden_layers.is_multiple_of(pp.saturating_mul(v))), || {
        format!("{} layers cannot be cut into {pp} × {v} equal chunks.", s.num_hidden_layers)
    })?;
    refuse_if(v > 1 && !m.is_multiple_of(pp), || {
        format!("The interleaved schedule goes in rounds: {m} micro-batches can’t be divided by {pp} stages.")
    })?;
    let adam = p.optimizer == Optimizer::AdamW;
    refuse_if(!adam && !matches!(p.optimizer, Optimizer::Sgd | Optimizer::Momentum), || {
        format!("Of the optimizers here Megatron-LM has Adam and SGD, not {}.", p.optimizer.label())
    })?;
    refuse_if(!adam && p.zero > 0, || {
        "Megatron-LM’s distributed optimizer supports Adam only: choose it, or ZeRO-0.".to_owned()
    })?;
    refuse_if(p.dtype == Dtype::Fp8, || "Weights in FP8 are a recipe of Transformer Engine’s: choose bf16.".to_owned())
}

fn layout_flags(p: &Params, s: &Shape, seq: u64, flags: &mut Vec<String>, assumed: &mut Vec<String>) {
    let (l, pipeline) = (&p.layout, p.layout.pipeline);
    let mut number = |flag: &str, n: u64| flags.push(format!("{flag} {n}"));
    number("--tensor-model-parallel-size", l.tp);
    number("--pipeline-model-parallel-size", pipeline.stages);
    if pipeline.virtual_stages > 1 {
        number("--num-virtual-stages-per-pipeline-rank", pipeline.virtual_stages);
    }
    if l.cp > 1 {
        number("--context-parallel-size", l.cp);
    }
    if l.ep > 1 {
        number("--expert-model-parallel-size", l.ep);
    }
    number("--micro-batch-size", p.mbs);
    number("--global-batch-size", p.global_batch());
    number("--seq-length", seq);
    number("--max-position-embeddings", if s.position_rows > 0 { s.position_rows } else { seq });
    let mut flag = |flag: &str| flags.push(flag.to_owned());
    if !s.num_hidden_layers.is_multiple_of(pipeline.stages) {
        flag(&format!("--pipeline-model-parallel-layout \"{}\"", uneven(p, s.num_hidden_layers)));
    }
    if l.sp && l.tp > 1 {
        flag("--sequence-parallel");
    }
    match p.zero {
        0 => {}
        1 if p.dp.saturating_mul(l.cp) > 1 => {
            flag("--use-distributed-optimizer");
            flag("--overlap-grad-reduce");
            flag("--overlap-param-gather");
        }
        1 => flag("--use-distributed-optimizer"),
        zero => {
            let strategy = if zero == 2 { "optim_grads" } else { "optim_grads_params" };
            flag("--use-distributed-optimizer");
            flag("--use-megatron-fsdp");
            flag(&format!("--data-parallel-sharding-strategy {strategy}"));
            flag("--ckpt-format fsdp_dtensor");
        }
    }
    match p.recompute {
        Recompute::None => {}
        Recompute::Selective => flag("--recompute-granularity selective"),
        Recompute::Full => flag("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"),
    }
    flag(if p.flash { "--attention-backend flash" } else { "--attention-backend unfused" });
    match p.dtype {
        Dtype::Bf16 => flag("--bf16"),
        Dtype::Fp16 => flag("--fp16"),
        Dtype::Fp32 | Dtype::Fp8 => {}
    }
    flag(match p.optimizer {
        Optimizer::Sgd => "--optimizer sgd --sgd-momentum 0",
        Optimizer::Momentum => "--optimizer sgd --sgd-momentum 0.9",
        _ => "--optimizer adam",
    });
    if p.zero >= 2 {
        assumed.push("CUDA_DEVICE_MAX_CONNECTIONS is not 1: Megatron-FSDP refuses that.".to_owned());
    } else if l.tp > 1 || l.cp > 1 {
        assumed.push("export CUDA_DEVICE_MAX_CONNECTIONS=1 first, on GPUs before Blackwell.".to_owned());
    }
}

/// Stages of unequal length: "E" for the embedding, "t" for a layer, "L" for the loss.
fn uneven(p: &Params, layers: u64) -> String {
    let stages: Vec<String> = p.layout.pipeline.stages(layers).map(|stage| "t".repeat(stage.layers as usize)).collect();
    format!("E{}L", stages.join("|"))
}

fn shape_flags(p: &Params, s: &Shape, flags: &mut Vec<String>, assumed: &mut Vec<String>) {
    let mut number = |flag: &str, n: u64| flags.push(format!("{flag} {n}"));
    number("--num-layers", s.num_hidden_layers);
    number("--hidden-size", s.hidden_size);
    number("--num-attention-heads", s.num_attention_heads);
    if s.intermediate_size > 0 {
        number("--ffn-hidden-size", s.intermediate_size);
    }
    number("--vocab-size", s.vocab_size);
    match s.attention {
        Attention::Heads { kv_heads, head_dim } => {
            number("--kv-channels", head_dim);
            if kv_heads != s.num_attention_heads {
                number("--group-query-attention --num-query-groups", kv_heads);
            }
        }
        Attention::Latent { q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim } => {
            if let Some(rank) = q_lora_rank {
                number("--q-lora-rank", rank);
            }
            number("--multi-latent-attention --kv-lora-rank", kv_lora_rank);
            number("--qk-head-dim", qk_nope_head_dim);
            number("--qk-pos-emb-head-dim", qk_rope_head_dim);
            number("--v-head-dim", v_head_dim);
        }
    }
    if let Some(moe) = s.moe {
        number("--num-experts", moe.num_experts);
        number("--moe-router-topk", moe.num_experts_per_tok);
        number("--moe-ffn-hidden-size", moe.intermediate_size);
        if moe.shared_intermediate_size > 0 {
            number("--moe-shared-expert-intermediate-size", moe.shared_intermediate_size);
        }
        let dense = s.dense_layers();
        if dense > 0 {
            flags.push(format!("--moe-layer-freq \"([0]*{dense}+[1]*{})\"", moe.layers));
            assumed.push("Layers without experts come first.".to_owned());
        }
    }
    let mut flag = |yes: bool, flag: &str| {
        if yes {
            flags.push(flag.to_owned());
        }
    };
    flag(s.moe.is_some_and(|m| m.shared_gate), "--moe-shared-expert-gate");
    flag(s.moe.is_some_and(|m| m.router_bias), "--moe-router-score-function sigmoid --moe-router-enable-expert-bias");
    flag(s.gated_mlp == Gated::Yes, "--swiglu");
    flag(!s.norms.bias, "--normalization RMSNorm");
    flag(!s.tie_word_embeddings, "--untie-embeddings-and-output-weights");
    flag(!s.o_bias, "--disable-bias-linear");
    flag(s.qkv_bias && !s.o_bias, "--add-qkv-bias");
    let latent = matches!(s.attention, Attention::Latent { .. });
    flag(s.qk_norm != QkNorm::None || latent, "--qk-layernorm");
    if s.position_rows > 0 {
        flags.push("--position-embedding-type learned_absolute".to_owned());
    } else {
        positions(p, flags, assumed);
    }
    let activation = if s.gated_mlp == Gated::Yes { "SiLU in a gated MLP" } else { "GELU" };
    let norm = if s.norms.bias { "layer norm" } else { "RMS norm" };
    assumed.push(format!("The sizes do not say which activation and which norm: {activation}, {norm}."));
    if s.sliding.is_some() {
        assumed.push("Every layer attends to all tokens: windows are left out.".to_owned());
    }
}

/// Rotary positions: those of a preset, or Megatron-LM's default.
fn positions(p: &Params, flags: &mut Vec<String>, assumed: &mut Vec<String>) {
    let known = ROTARY.iter().find(|(id, ..)| matches!(p.model, ModelRef::Preset(preset) if preset.id == *id));
    let (base, share) = known.map_or((10_000.0, 1.0), |(_, base, share)| (*base, *share));
    flags.push("--position-embedding-type rope".to_owned());
    flags.push(format!("--rotary-base {base:.0}"));
    flags.push(format!("--rotary-percent {share}"));
    if known.is_none() {
        assumed.push("Rotary positions with a base of 10000 over whole heads: the sizes do not say.".to_owned());
    }
    if matches!(p.model, ModelRef::Preset(preset) if matches!(preset.id, "llama-3.1-405b" | "llama-3.2-1b" | "llama-3.3-70b" | "deepseek-v2" | "deepseek-v3" | "deepseek-coder-6.7b" | "kimi-k2.5"))
    {
        assumed.push("Its scaling of rotary positions for long sequences is left out.".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::presets;

    #[test]
    fn no_preset_is_exported_with_a_base_that_nobody_gave() {
        for preset in presets::ALL {
            let params = Params { model: ModelRef::Preset(preset), ..Params::default() };
            if let Ok(export) = write(&params) {
                assert!(!export.text.contains("the sizes do not say."), "{}: {}", preset.id, export.text);
            }
        }
    }
}
