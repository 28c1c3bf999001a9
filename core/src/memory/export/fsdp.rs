//! PyTorch's FSDP2: `fully_shard`.

use super::{Export, Outcome, comment, refuse_if, splits, torch_optimizer};
use crate::memory::activations::Recompute;
use crate::memory::breakdown::Params;
use crate::memory::precision::Dtype;

pub(super) fn write(p: &Params) -> Outcome {
    let others = ["tp", "cp", "ep", "pp"];
    refuse_if(splits(p, &others).is_some(), || {
        let what = splits(p, &others).unwrap_or_default();
        format!("fully_shard divides data-parallel ranks alone, not {what}. torchtitan puts the others around it.")
    })?;
    refuse_if(p.zero < 2, || {
        "FSDP2 always shards gradients with the optimizer states: choose ZeRO-2 or 3. Without, PyTorch has \
         DistributedDataParallel, and for ZeRO-1 ZeroRedundancyOptimizer."
            .to_owned()
    })?;
    let dtype = match p.dtype {
        Dtype::Fp16 => "torch.float16",
        Dtype::Fp32 => "torch.float32",
        Dtype::Bf16 | Dtype::Fp8 => "torch.bfloat16",
    };
    let mut assumed = vec![
        "The model’s parameters are fp32 and its layers are in model.layers.".to_owned(),
        format!("Run with torchrun on {} GPUs.", p.dp),
    ];
    let recompute = match p.recompute {
        Recompute::Full => {
            "\nfrom torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper\n\nfor i, layer in \
             enumerate(model.layers):\n    model.layers[i] = checkpoint_wrapper(layer)\n"
        }
        Recompute::None | Recompute::Selective => "",
    };
    if p.recompute == Recompute::Selective {
        assumed.push(
            "Recomputing attention alone is left to FlashAttention, or to checkpoint inside the layer.".to_owned(),
        );
    }
    if p.layout.pipeline.microbatches > 1 {
        assumed.push(format!(
            "The training loop accumulates gradients over {} micro-batches of {}.",
            p.layout.pipeline.microbatches, p.mbs
        ));
    }
    let optimizer = match torch_optimizer(p.optimizer) {
        Some(call) => {
            assumed.push("The learning rate is a placeholder.".to_owned());
            format!("\noptimizer = {call}\n")
        }
        None => {
            assumed.push(format!("Make the optimizer, {}, after this: it must see the shards.", p.optimizer.label()));
            String::new()
        }
    };
    let reshard = if p.zero == 3 { "True" } else { "False" };
    let text = format!(
        "{}import torch\nfrom torch.distributed.device_mesh import init_device_mesh\nfrom torch.distributed.fsdp import \
         MixedPrecisionPolicy, fully_shard\n{recompute}\nmesh = init_device_mesh(\"cuda\", ({},))\npolicy = \
         MixedPrecisionPolicy(param_dtype={dtype}, reduce_dtype=torch.float32)\nkeep = dict(mesh=mesh, mp_policy=policy, \
         reshard_after_forward={reshard})\nfor layer in model.layers:\n    fully_shard(layer, **keep)\nfully_shard(model, \
         **keep)\n{optimizer}",
        comment("#", &assumed),
        p.dp
    );
    Ok(Export { text, assumed })
}
