//! DeepSpeed's `ds_config.json`.

use super::{Export, Outcome, refuse_if, splits};
use crate::memory::activations::Recompute;
use crate::memory::breakdown::Params;
use crate::memory::optimizer::Optimizer;
use crate::memory::precision::Dtype;

pub(super) fn write(p: &Params) -> Outcome {
    let pipeline = p.layout.pipeline;
    refuse_if(splits(p, &["tp", "cp", "ep"]).is_some(), || {
        let what = splits(p, &["tp", "cp", "ep"]).unwrap_or_default();
        format!(
            "DeepSpeed’s JSON says nothing of {what}: tensor, context and expert parallelism are in the code of the model, \
             for example Megatron-DeepSpeed’s."
        )
    })?;
    refuse_if(pipeline.stages > 1 && p.zero >= 2, || {
        format!(
            "DeepSpeed’s pipeline engine refuses ZeRO-{}: “ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism”. \
             Choose ZeRO-1.",
            p.zero
        )
    })?;
    refuse_if(pipeline.virtual_stages > 1, || {
        "DeepSpeed’s pipeline has no interleaved schedule. Choose one virtual stage.".to_owned()
    })?;
    refuse_if(p.zero > 0 && p.dtype == Dtype::Fp8, || "DeepSpeed’s ZeRO has no FP8. Choose bf16.".to_owned())?;

    let mut assumed = Vec::new();
    let mut zero = vec![format!("\"stage\": {}", p.zero)];
    if p.zero >= 1 {
        zero.push("\"overlap_comm\": true".to_owned());
        zero.push("\"contiguous_gradients\": true".to_owned());
    }
    let mut lines = vec![
        format!("\"train_micro_batch_size_per_gpu\": {}", p.mbs),
        format!("\"gradient_accumulation_steps\": {}", pipeline.microbatches),
        format!("\"zero_optimization\": {{ {} }}", zero.join(", ")),
    ];
    assumed.push(format!(
        "train_batch_size is left to DeepSpeed: {} on {} data-parallel ranks.",
        p.global_batch(),
        p.dp
    ));
    match p.dtype {
        Dtype::Bf16 | Dtype::Fp8 => lines.push("\"bf16\": { \"enabled\": true }".to_owned()),
        Dtype::Fp16 => lines.push("\"fp16\": { \"enabled\": true }".to_owned()),
        Dtype::Fp32 => {}
    }
    let (kind, arguments) = match p.optimizer {
        Optimizer::AdamW => ("AdamW", "\"lr\": 3e-4, \"betas\": [0.9, 0.95], \"weight_decay\": 0.1"),
        Optimizer::Sgd => ("SGD", "\"lr\": 0.1"),
        Optimizer::Momentum => ("SGD", "\"lr\": 0.1, \"momentum\": 0.9"),
        Optimizer::Lion => ("Lion", "\"lr\": 1e-4"),
        _ => ("", ""),
    };
    if kind.is_empty() {
        assumed.push(format!("Pass the optimizer, {}, to deepspeed.initialize.", p.optimizer.label()));
    } else {
        lines.push(format!("\"optimizer\": {{ \"type\": \"{kind}\", \"params\": {{ {arguments} }} }}"));
        assumed.push("The learning rate is a placeholder.".to_owned());
    }
    // Neither is in DeepSpeed's own list of optimizers that ZeRO was tried with.
    if p.zero > 0 && kind != "AdamW" {
        lines.push("\"zero_allow_untested_optimizer\": true".to_owned());
    }
    if pipeline.stages > 1 {
        assumed.push(format!("The model is a PipelineModule with num_stages={}.", pipeline.stages));
    }
    if p.recompute != Recompute::None {
        assumed.push("Recomputation is in the model’s code: torch.utils.checkpoint around each layer.".to_owned());
    }
    // JSON has no comments; DeepSpeed looks up the keys that it knows.
    let notes: Vec<String> = assumed.iter().map(|line| format!("    \"{line}\"")).collect();
    lines.insert(0, format!("\"_assumed\": [\n{}\n  ]", notes.join(",\n")));
    Ok(Export { text: format!("{{\n  {}\n}}\n", lines.join(",\n  ")), assumed })
}
