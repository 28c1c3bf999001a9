//! torchtitan's job configuration, of version 0.2.2: the last that is written in TOML.

use super::{Export, Outcome, comment, refuse_if, splits};
use crate::memory::activations::Recompute;
use crate::memory::breakdown::Params;
use crate::memory::optimizer::Optimizer;
use crate::memory::precision::Dtype;
use crate::model::presets::find;
use crate::model::{ModelRef, Shape};
use crate::quantity::listed;

/// Its models: ours, its name, its flavor.
pub(crate) const MODELS: [(&str, &str, &str); 7] = [
    ("llama-3-8b", "llama3", "8B"),
    ("llama-3-70b", "llama3", "70B"),
    ("llama-3.1-405b", "llama3", "405B"),
    ("qwen3-8b", QWEN3, "8B"),
    ("qwen3-32b", QWEN3, "32B"),
    ("qwen3-30b-a3b", QWEN3, "30B-A3B"),
    ("deepseek-v3", "deepseek_v3", "671B"),
];
const QWEN3: &str = "qwen3";

/// Tokens of a sequence where none is given.
const SEQ: u64 = 4096;

pub(super) fn write(p: &Params) -> Outcome {
    let (name, flavor, shape) = model(p)?;
    let seq = p.seq.unwrap_or(SEQ);
    check(p, shape, name, seq)?;
    let (l, pipeline) = (&p.layout, p.layout.pipeline);
    let mut assumed = vec![
        "Version 0.2.2 or one near it; later ones are configured in Python.".to_owned(),
        "The learning rate and the data are placeholders.".to_owned(),
    ];
    if p.seq.is_none() {
        assumed.push(format!("Sequences of {SEQ} tokens: none were given."));
    }
    // A pipeline is given all micro-batches of a step at once; without one, gradients are accumulated.
    let local = if pipeline.stages > 1 { p.mbs.saturating_mul(pipeline.microbatches) } else { p.mbs };
    let (replicate, shard, reshard) = match p.zero {
        0 => (p.dp, 1, "default"),
        3 => (1, p.dp, "always"),
        _ => (1, p.dp, "never"),
    };
    let mut lines = vec![
        format!("[model]\nname = \"{name}\"\nflavor = \"{flavor}\""),
        format!("\n[optimizer]\nname = \"AdamW\"\nlr = 3e-4"),
        format!("\n[training]\nlocal_batch_size = {local}\nglobal_batch_size = {}\nseq_len = {seq}", p.global_batch()),
        "steps = 100\ndataset = \"c4_test\"".to_owned(),
        "\n[parallelism]".to_owned(),
    ];
    let mut set = |name: &str, value: String| lines.push(format!("{name} = {value}"));
    set("data_parallel_replicate_degree", replicate.to_string());
    set("data_parallel_shard_degree", shard.to_string());
    set("fsdp_reshard_after_forward", format!("\"{reshard}\""));
    set("tensor_parallel_degree", l.tp.to_string());
    set("context_parallel_degree", l.cp.to_string());
    set("expert_parallel_degree", l.ep.to_string());
    if l.ep > 1 {
        set("expert_tensor_parallel_degree", l.tp.to_string());
    }
    set("pipeline_parallel_degree", pipeline.stages.to_string());
    if pipeline.stages > 1 {
        let schedule = if pipeline.virtual_stages > 1 { "Interleaved1F1B" } else { "1F1B" };
        set("pipeline_parallel_schedule", format!("\"{schedule}\""));
        set("pipeline_parallel_microbatch_size", p.mbs.to_string());
        if let Some(each) = layers_per_stage(shape, p) {
            set("pipeline_parallel_layers_per_stage", each.to_string());
        }
        assumed.push(
            "It counts the embedding and the head as a layer each when it divides layers among stages.".to_owned(),
        );
    }
    let mode = match p.recompute {
        Recompute::None => "none",
        Recompute::Selective => "selective",
        Recompute::Full => "full",
    };
    lines.push(format!("\n[activation_checkpoint]\nmode = \"{mode}\""));
    if p.recompute == Recompute::Selective {
        lines.push("selective_ac_option = \"op\"".to_owned());
        assumed.push("Its selective recomputation chooses operations, not attention alone.".to_owned());
    }
    if l.tp > 1 && !l.sp {
        assumed.push("Sequence parallelism is on: torchtitan has no tensor parallelism without.".to_owned());
    }
    Ok(Export { text: format!("{}{}\n", comment("#", &assumed), lines.join("\n")), assumed })
}

/// The model in torchtitan's words.
fn model(p: &Params) -> Result<(&'static str, &'static str, &Shape), String> {
    let known = MODELS.iter().find(|(ours, ..)| matches!(p.model, ModelRef::Preset(preset) if preset.id == *ours));
    match (known, p.model.shape()) {
        (Some((_, name, flavor)), Some(shape)) => Ok((name, flavor, shape)),
        _ => {
            let names: Vec<String> = MODELS.iter().filter_map(|(ours, ..)| Some(find(ours)?.name.to_owned())).collect();
            Err(format!(
                "torchtitan brings its own models; of those here version 0.2.2 has {}. For another one, its model has to be written first.",
                listed(&names)
            ))
        }
    }
}

/// Layers of a stage, where torchtitan has to be told: with chunks.
fn layers_per_stage(shape: &Shape, p: &Params) -> Option<u64> {
    let pipeline = p.layout.pipeline;
    let stages = pipeline.stages.saturating_mul(pipeline.virtual_stages);
    (pipeline.virtual_stages > 1).then(|| (shape.num_hidden_layers + 2).div_ceil(stages.max(1)))
}

fn check(p: &Params, shape: &Shape, name: &str, seq: u64) -> Result<(), String> {
    let (l, pipeline) = (&p.layout, p.layout.pipeline);
    let (m, pp, v) = (pipeline.microbatches, pipeline.stages, pipeline.virtual_stages);
    refuse_if(p.zero == 1 && p.dp.saturating_mul(l.cp) > 1, || {
        "torchtitan’s FSDP shards gradients with the optimizer states: choose ZeRO-2 or 3.".to_owned()
    })?;
    refuse_if(p.zero == 0 && p.dp > 1 && splits(p, &["tp", "cp", "ep", "pp"]).is_some(), || {
        "torchtitan: “DDP has not supported > 1D parallelism”. Choose ZeRO-2 or 3.".to_owned()
    })?;
    refuse_if(p.optimizer != Optimizer::AdamW, || {
        format!("torchtitan has Adam and AdamW, not {}.", p.optimizer.label())
    })?;
    refuse_if(!matches!(p.dtype, Dtype::Bf16 | Dtype::Fp32), || "torchtitan trains in bf16 or fp32.".to_owned())?;
    refuse_if(!shape.kv_heads().is_multiple_of(l.tp), || {
        format!("torchtitan divides key–value heads among tensor-parallel ranks: {} by {}.", shape.kv_heads(), l.tp)
    })?;
    let divisor = l.tp.saturating_mul(l.cp).saturating_mul(2);
    refuse_if(!seq.is_multiple_of(if l.cp > 1 { divisor } else { l.tp }), || {
        format!("torchtitan divides a sequence by tp and by 2 × cp: {seq} tokens do not divide.")
    })?;
    refuse_if(l.cp > 1 && name == "deepseek_v3", || {
        "torchtitan’s DeepSeek-V3 uses FlexAttention, which it does not run with context parallelism.".to_owned()
    })?;
    refuse_if(pp > 1 && name == QWEN3, || "torchtitan 0.2.2 has no pipeline parallelism for Qwen3.".to_owned())?;
    if pp > 1 {
        refuse_if(m < pp, || format!("{m} micro-batches are fewer than {pp} stages, which its schedules refuse."))?;
        let layers = shape.num_hidden_layers + 2;
        let stages = pp.saturating_mul(v);
        refuse_if(layers / stages == 0, || {
            format!("{} layers are too few for {stages} stages.", shape.num_hidden_layers)
        })?;
        refuse_if(v > 1 && layers.div_ceil(layers.div_ceil(stages)) != stages, || {
            format!(
                "torchtitan counts {layers} layers, embedding and head included, and no whole number of them a stage makes \
                 {stages} stages."
            )
        })?;
        refuse_if(v > 1 && !m.is_multiple_of((m / pp).max(1)), || {
            format!("The interleaved schedule goes in rounds: {m} micro-batches can’t be divided by {pp} stages.")
        })?;
    }
    Ok(())
}
