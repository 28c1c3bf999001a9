//! A layout in the words of the frameworks that run it: what to paste into a job.
//!
//! Names are those of DeepSpeed's configuration (deepspeed.ai/docs/config-json), PyTorch's `fully_shard` (FSDP2,
//! pytorch.org/docs/stable/distributed.fsdp.fully_shard.html), Megatron-LM's `megatron/training/arguments.py`, and torchtitan's
//! job configuration (`torchtitan/config/job_config.py`). What a
//! framework has no word for is said and left out.

use super::activations::Recompute;
use super::breakdown::{Mode, Params};
use super::optimizer::Optimizer;
use super::precision::Dtype;
use crate::model::shape::Gated;
use crate::model::{Attention, QkNorm, Shape};

/// A framework to write a layout for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// DeepSpeed's JSON.
    DeepSpeed,
    /// PyTorch's FSDP2 calls.
    Fsdp,
    /// Megatron-LM's command-line flags.
    Megatron,
    /// torchtitan's TOML.
    Torchtitan,
}

/// A layout as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// What to paste.
    pub text: String,
    /// What it does not say, a sentence each.
    pub left_out: Vec<&'static str>,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 4] = [Target::DeepSpeed, Target::Fsdp, Target::Megatron, Target::Torchtitan];

    /// The name in an attribute.
    pub const fn id(self) -> &'static str {
        match self {
            Target::DeepSpeed => "deepspeed",
            Target::Fsdp => "fsdp",
            Target::Megatron => "megatron",
            Target::Torchtitan => "torchtitan",
        }
    }

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Target::DeepSpeed => "DeepSpeed",
            Target::Fsdp => "FSDP",
            Target::Megatron => "Megatron-LM",
            Target::Torchtitan => "torchtitan",
        }
    }

    /// The target with this name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.id() == id)
    }

    /// Writes a layout. In inference there is nothing to write: all of them train.
    pub fn write(self, params: &Params) -> Export {
        if params.mode == Mode::Inference {
            return Export { text: String::new(), left_out: vec!["These are for training."] };
        }
        match self {
            Target::DeepSpeed => deepspeed(params),
            Target::Fsdp => fsdp(params),
            Target::Megatron => megatron(params),
            Target::Torchtitan => torchtitan(params),
        }
    }
}

impl Params {
    /// Sequences of one optimizer step: mbs × micro-batches × dp.
    fn global_batch(&self) -> u64 {
        self.mbs.saturating_mul(self.layout.pipeline.microbatches).saturating_mul(self.dp)
    }

    /// Whether tensor, context, expert or pipeline parallelism splits anything.
    fn splits(&self) -> bool {
        let l = &self.layout;
        [l.tp, l.cp, l.ep, l.pipeline.stages].iter().any(|n| *n > 1)
    }
}

const SPLITS: &str = "Tensor, context, expert and pipeline parallelism: they are the model’s own code there.";

fn deepspeed(p: &Params) -> Export {
    let mut zero = vec![format!("\"stage\": {}", p.zero)];
    if p.zero >= 1 {
        zero.push("\"overlap_comm\": true".to_owned());
        zero.push("\"contiguous_gradients\": true".to_owned());
    }
    let mut lines = vec![
        format!("\"train_micro_batch_size_per_gpu\": {}", p.mbs),
        format!("\"gradient_accumulation_steps\": {}", p.layout.pipeline.microbatches),
        format!("\"train_batch_size\": {}", p.global_batch()),
        format!("\"zero_optimization\": {{ {} }}", zero.join(", ")),
    ];
    match p.dtype {
        Dtype::Bf16 => lines.push("\"bf16\": { \"enabled\": true }".to_owned()),
        Dtype::Fp16 => lines.push("\"fp16\": { \"enabled\": true }".to_owned()),
        Dtype::Fp32 | Dtype::Fp8 => {}
    }
    let mut left_out = vec!["The optimizer and its learning rate: add an “optimizer” section or pass one."];
    if p.recompute != Recompute::None {
        left_out.push("Recomputation: wrap the layers in deepspeed.checkpointing or torch.utils.checkpoint.");
    }
    if p.splits() {
        left_out.push(SPLITS);
    }
    Export { text: format!("{{\n  {}\n}}", lines.join(",\n  ")), left_out }
}

fn fsdp(p: &Params) -> Export {
    let dtype = match p.dtype {
        Dtype::Fp16 => "torch.float16",
        Dtype::Fp32 => "torch.float32",
        Dtype::Bf16 | Dtype::Fp8 => "torch.bfloat16",
    };
    let mut left_out = Vec::new();
    let recompute = match p.recompute {
        Recompute::Full => {
            "from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper\n\nfor i, layer in \
             enumerate(model.layers):\n    model.layers[i] = checkpoint_wrapper(layer)\n"
        }
        Recompute::None | Recompute::Selective => "",
    };
    let wrap = match p.zero {
        0 | 1 => {
            let optimizer = if p.zero == 1 {
                "\nfrom torch.distributed.optim import ZeroRedundancyOptimizer\n\noptimizer = \
                 ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW)"
            } else {
                ""
            };
            left_out.push("Mixed precision with fp32 master weights: DDP leaves it to autocast and the optimizer.");
            format!(
                "from torch.nn.parallel import DistributedDataParallel\n\nmodel = DistributedDataParallel(model){optimizer}"
            )
        }
        zero => {
            let reshard = if zero == 3 { "True" } else { "False" };
            format!(
                "from torch.distributed.device_mesh import init_device_mesh\nfrom torch.distributed.fsdp import \
                 MixedPrecisionPolicy, fully_shard\n\nmesh = init_device_mesh(\"cuda\", ({},))\npolicy = \
                 MixedPrecisionPolicy(param_dtype={dtype}, reduce_dtype=torch.float32)\nkeep = dict(mesh=mesh, \
                 mp_policy=policy, reshard_after_forward={reshard})\nfor layer in model.layers:\n    fully_shard(layer, \
                 **keep)\nfully_shard(model, **keep)",
                p.dp.saturating_mul(p.layout.cp)
            )
        }
    };
    if p.recompute == Recompute::Selective {
        left_out.push("Recomputing attention alone: use torch.utils.checkpoint inside the layer, or FlashAttention.");
    }
    if p.layout.pipeline.microbatches > 1 {
        left_out.push("Gradient accumulation: the training loop’s own.");
    }
    if p.splits() {
        left_out.push(SPLITS);
    }
    Export { text: format!("import torch\n{recompute}{wrap}"), left_out }
}

fn megatron(p: &Params) -> Export {
    let mut flags: Vec<String> = Vec::with_capacity(32);
    let mut left_out = vec!["Data, learning rate, checkpoints and tokenizer."];
    let l = &p.layout;
    let mut number = |flag: &str, n: u64| flags.push(format!("{flag} {n}"));
    number("--tensor-model-parallel-size", l.tp);
    number("--pipeline-model-parallel-size", l.pipeline.stages);
    if l.pipeline.virtual_stages > 1 {
        number("--num-virtual-stages-per-pipeline-rank", l.pipeline.virtual_stages);
    }
    if l.cp > 1 {
        number("--context-parallel-size", l.cp);
    }
    if l.ep > 1 {
        number("--expert-model-parallel-size", l.ep);
    }
    number("--micro-batch-size", p.mbs);
    number("--global-batch-size", p.global_batch());
    if let Some(seq) = p.seq {
        number("--seq-length", seq);
        number("--max-position-embeddings", seq);
    }
    let mut flag = |flag: &str| flags.push(flag.to_owned());
    if l.sp {
        flag("--sequence-parallel");
    }
    match p.zero {
        0 => {}
        1 => flag("--use-distributed-optimizer"),
        zero => {
            flag("--use-distributed-optimizer");
            flag("--use-megatron-fsdp");
            let strategy = if zero == 2 { "optim_grads" } else { "optim_grads_params" };
            flag(&format!("--data-parallel-sharding-strategy {strategy}"));
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
    match p.optimizer {
        Optimizer::AdamW => flag("--optimizer adam"),
        Optimizer::Sgd => flag("--optimizer sgd --sgd-momentum 0"),
        Optimizer::Momentum => flag("--optimizer sgd --sgd-momentum 0.9"),
        _ => left_out.push("The optimizer: Megatron-LM itself has Adam and SGD."),
    }
    match p.model.shape() {
        Some(shape) => shape_flags(shape, &mut flags, &mut left_out),
        None => left_out.push("The model’s sizes: only a number of parameters is known."),
    }
    Export { text: flags.join(" \\\n"), left_out }
}

fn torchtitan(p: &Params) -> Export {
    let l = &p.layout;
    let pipeline = l.pipeline;
    let mut left_out = vec!["The model’s name and flavour, the data, and the optimizer’s learning rate."];
    // A pipeline is given all micro-batches of a step at once; without one, gradients are accumulated.
    let local = if pipeline.stages > 1 { p.mbs.saturating_mul(pipeline.microbatches) } else { p.mbs };
    let mut lines = vec![
        "[training]".to_owned(),
        format!("local_batch_size = {local}"),
        format!("global_batch_size = {}", p.global_batch()),
    ];
    lines.extend(p.seq.map(|seq| format!("seq_len = {seq}")));
    let (replicate, shard, reshard) = match p.zero {
        0 => (p.dp, 1, None),
        3 => (1, p.dp, Some("always")),
        _ => (1, p.dp, Some("never")),
    };
    if matches!(p.zero, 1 | 2) {
        left_out.push("ZeRO-1 and 2 as such: its FSDP without resharding keeps the weights whole and shards the rest.");
    }
    lines.push("\n[parallelism]".to_owned());
    let mut set = |name: &str, value: String| lines.push(format!("{name} = {value}"));
    set("data_parallel_replicate_degree", replicate.to_string());
    set("data_parallel_shard_degree", shard.to_string());
    if let Some(reshard) = reshard {
        set("fsdp_reshard_after_forward", format!("\"{reshard}\""));
    }
    set("tensor_parallel_degree", l.tp.to_string());
    set("context_parallel_degree", l.cp.to_string());
    set("expert_parallel_degree", l.ep.to_string());
    set("pipeline_parallel_degree", pipeline.stages.to_string());
    if pipeline.stages > 1 {
        let schedule = if pipeline.virtual_stages > 1 { "Interleaved1F1B" } else { "1F1B" };
        set("pipeline_parallel_schedule", format!("\"{schedule}\""));
        set("pipeline_parallel_microbatch_size", p.mbs.to_string());
    }
    let mode = match p.recompute {
        Recompute::None => "none",
        Recompute::Selective => "selective",
        Recompute::Full => "full",
    };
    lines.push(format!("\n[activation_checkpoint]\nmode = \"{mode}\""));
    if p.recompute == Recompute::Selective {
        left_out.push("Which operations are recomputed: it chooses among more than attention.");
    }
    if l.tp > 1 && !l.sp {
        left_out.push("Tensor parallelism without sequence parallelism: it always has both.");
    }
    Export { text: lines.join("\n"), left_out }
}

fn shape_flags(s: &Shape, flags: &mut Vec<String>, left_out: &mut Vec<&'static str>) {
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
        }
    }
    let mut flag = |yes: bool, flag: &str| {
        if yes {
            flags.push(flag.to_owned());
        }
    };
    flag(s.gated_mlp == Gated::Yes, "--swiglu");
    flag(!s.norms.bias, "--normalization RMSNorm");
    flag(!s.tie_word_embeddings, "--untie-embeddings-and-output-weights");
    flag(!s.mlp_bias && !s.o_bias, "--disable-bias-linear");
    flag(s.qkv_bias && !s.o_bias, "--add-qkv-bias");
    flag(s.qk_norm != QkNorm::None, "--qk-layernorm");
    flag(s.position_rows == 0, "--position-embedding-type rope");
    if s.sliding.is_some() || s.norms.per_layer != 2 || s.attention_sinks || s.word_embed_proj_dim.is_some() {
        left_out
            .push("What this architecture has beside a plain transformer: windows, more norms, sinks or projections.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    fn write(target: Target, query: &str) -> Export {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        target.write(&params)
    }

    const LAYOUT: &str = "model=llama-3.1-405b&dp=128&tp=8&pp=16&microbatches=16&sp=1&seq=8192&zero=1";

    #[test]
    fn megatron_flags_say_the_whole_layout() {
        let Export { text, left_out } = write(Target::Megatron, LAYOUT);
        for flag in [
            "--tensor-model-parallel-size 8",
            "--pipeline-model-parallel-size 16",
            "--global-batch-size 2048",
            "--sequence-parallel",
            "--use-distributed-optimizer",
            "--num-layers 126",
            "--group-query-attention --num-query-groups 8",
            "--swiglu",
            "--seq-length 8192",
        ] {
            assert!(text.split(" \\\n").any(|line| line == flag), "{flag} in {text}");
        }
        assert_eq!(left_out.len(), 1);
        let text = write(Target::Megatron, "model=deepseek-v3&dp=128&ep=64&pp=16&zero=2").text;
        for flag in ["--expert-model-parallel-size 64", "--moe-layer-freq \"([0]*3+[1]*58)\"", "optim_grads"] {
            assert!(text.contains(flag), "{flag} in {text}");
        }
    }

    #[test]
    fn deepspeed_gets_json_and_fsdp_its_calls() {
        let Export { text, left_out } = write(Target::DeepSpeed, "dp=64&zero=3&mbs=2&microbatches=4");
        let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(json["train_batch_size"], 512);
        assert_eq!(json["zero_optimization"]["stage"], 3);
        assert_eq!(json["bf16"]["enabled"], true);
        assert_eq!(left_out.len(), 1);
        assert!(write(Target::DeepSpeed, LAYOUT).left_out.contains(&SPLITS));

        assert!(write(Target::Fsdp, "zero=3&recompute=full").text.contains("reshard_after_forward=True"));
        assert!(write(Target::Fsdp, "zero=2").text.contains("reshard_after_forward=False"));
        assert!(write(Target::Fsdp, "zero=1").text.contains("ZeroRedundancyOptimizer"));
        assert!(write(Target::Fsdp, "mode=inference").text.is_empty());

        let text = write(Target::Torchtitan, LAYOUT).text;
        for line in
            ["local_batch_size = 16", "global_batch_size = 2048", "tensor_parallel_degree = 8", "mode = \"none\""]
        {
            assert!(text.lines().any(|l| l == line), "{line} in {text}");
        }
        assert!(
            write(Target::Torchtitan, "dp=64&zero=3&mbs=2").text.contains("fsdp_reshard_after_forward = \"always\"")
        );
    }
}
