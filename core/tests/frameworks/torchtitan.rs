//! pytorch/torchtitan v0.2.2 (73a0e6979dd10b6b1904098eb3c8f62c18ab87ce): `ParallelDims._validate` and `seq_len_divisor` in
//! `torchtitan/distributed/parallel_dims.py`, the batch in `torchtitan/train.py`, `pipeline_llm`, `build_pipeline_schedule` and
//! `generate_llm_fqn_per_model_part` in `torchtitan/distributed/pipeline_parallel.py`, and `parallelize_llama`; the number of
//! micro-batches of a schedule as `torch/distributed/pipelining/schedules.py` checks it.

use std::collections::HashMap;

use ringside_core::memory::Params;

/// Flavors of `llama3_args`, `qwen3_args` and `deepseekv3_args`: layers, key–value heads that tensor parallelism divides.
const FLAVORS: [(&str, &str, u64, u64); 7] = [
    ("llama3", "8B", 32, 8),
    ("llama3", "70B", 80, 8),
    ("llama3", "405B", 126, 8),
    ("qwen3", "8B", 36, 8),
    ("qwen3", "32B", 64, 8),
    ("qwen3", "30B-A3B", 48, 4),
    ("deepseek_v3", "671B", 61, 128),
];

fn must(holds: bool, else_: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(else_.to_owned()) }
}

pub fn check(text: &str, params: &Params) -> Result<(), String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let fields: HashMap<&str, &str> =
        lines.filter_map(|line| line.split_once(" = ")).map(|(k, v)| (k, v.trim_matches('"'))).collect();
    let int =
        |name: &str, default: u64| fields.get(name).map_or(Ok(default), |v| v.parse().map_err(|_| name.to_owned()));
    // The optimizer has a name, too.
    let is_of = |model: &str| text.contains(&format!("[model]\nname = \"{model}\""));
    let (name, _, layers, kv) = FLAVORS
        .into_iter()
        .find(|(model, flavor, ..)| is_of(model) && fields.get("flavor") == Some(flavor))
        .ok_or("no such flavor")?;
    let [replicate, shard, tp, cp, pp, ep, etp] = [
        int("data_parallel_replicate_degree", 1)?,
        int("data_parallel_shard_degree", 1)?,
        int("tensor_parallel_degree", 1)?,
        int("context_parallel_degree", 1)?,
        int("pipeline_parallel_degree", 1)?,
        int("expert_parallel_degree", 1)?,
        int("expert_tensor_parallel_degree", 1)?,
    ];
    must(replicate * shard * cp * tp * pp == params.gpus() as u64, "Invalid parallel dims")?;
    must(ep == 1 || etp == tp || etp == 1, "Currently we only support ETP=TP or ETP=1")?;
    must((shard * cp * tp).is_multiple_of(ep * etp), "the sparse mesh does not divide")?;
    let (seq, local, global) = (int("seq_len", 2048)?, int("local_batch_size", 8)?, int("global_batch_size", 0)?);
    must(seq.is_multiple_of(tp * if cp > 1 { 2 * cp } else { 1 }), "Sequence length must be divisible")?;
    must(kv.is_multiple_of(tp), "heads cannot be divided")?;
    must(local > 0 && global.is_multiple_of(local * replicate * shard) && global > 0, "global batch size")?;
    let ddp = shard * cp == 1 && replicate > 1;
    must(!ddp || tp * pp * ep == 1, "DDP has not supported > 1D parallelism")?;
    let mode = fields.get("fsdp_reshard_after_forward").copied().unwrap_or("default");
    must(["default", "always", "never"].contains(&mode), "fsdp_reshard_after_forward")?;
    if pp == 1 {
        return Ok(());
    }
    must(name != "qwen3", "its TrainSpec has no pipelining_fn")?;
    let looped = fields.get("pipeline_parallel_schedule") == Some(&"Interleaved1F1B");
    let stages = match int("pipeline_parallel_layers_per_stage", 0)? {
        0 => pp * if looped { 2 } else { 1 },
        each => {
            let stages = (layers + 2).div_ceil(each);
            must(stages.is_multiple_of(pp), "Number of virtual stages must be divisible")?;
            must(looped == (stages / pp > 1), "Single stage schedule requires exactly 1 stage per rank")?;
            stages
        }
    };
    must(stages == pp * params.layout.pipeline.virtual_stages, "other stages than were asked for")?;
    must((layers + 2) / stages >= 1, "empty stages")?;
    let micro = int("pipeline_parallel_microbatch_size", 1)?;
    must(local.is_multiple_of(micro), "Batch size must be divisible by microbatch_size")?;
    let m = local / micro;
    must(m >= pp, "fewer micro-batches than stages")?;
    must(!looped || m.is_multiple_of((m / pp).max(1)), "n_microbatches must be a multiple of the number of rounds")
}
