use super::*;
use crate::declare::Model as _;
use crate::memory::activations::Recompute;
use crate::memory::export::Target;
use crate::memory::{Dtype, Params};
use crate::model::presets;
use crate::query::Query;
use proptest::prelude::*;

/// What is tried for each model, sound or not.
const LAYOUTS: [&str; 11] = [
    "dp=64&zero=3&seq=4096",
    "dp=8&zero=2&mbs=2&microbatches=4",
    "dp=16&zero=1",
    "dp=8&zero=0",
    "dp=8&zero=3&recompute=full&seq=2048",
    "dp=4&tp=8&sp=1&zero=1&seq=4096&recompute=selective",
    "dp=4&tp=8&sp=1&pp=4&microbatches=96&mbs=4&zero=3",
    "dp=4&tp=2&sp=1&pp=4&vpp=2&microbatches=8&zero=1",
    "dp=2&cp=4&tp=2&sp=1&zero=3&seq=32768",
    "dp=16&ep=8&tp=2&sp=1&pp=2&microbatches=8&zero=2",
    "dp=8&zero=0&optimizer=sgd&dtype=fp32",
];

fn each_export(target: Target, mut with: impl FnMut(&str, &Params, &Card)) -> usize {
    let mut n = 0;
    for preset in presets::ALL {
        for layout in LAYOUTS {
            let query = format!("model={}&{layout}", preset.id);
            let params = Params::read(&Query::parse(&query)).0;
            if params.judged().is_none() {
                continue;
            }
            if let Ok(export) = target.write(&params) {
                let card = read("pasted", &export.text);
                assert_ne!(card.outcome, Outcome::Refused, "{query}: {}\n{}", card.said, export.text);
                with(&query, &params, &card);
                n += 1;
            }
        }
    }
    n
}

#[test]
fn megatron_flags_read_back() {
    let n = each_export(Target::Megatron, |query, p, card| {
        assert_eq!(card.kind, Kind::Megatron, "{query}");
        let (l, pipeline) = (&card.run.layout, p.layout.pipeline);
        assert_eq!(
            (l.tp, l.cp, l.ep, l.pp),
            (Some(p.layout.tp), Some(p.layout.cp), Some(p.layout.ep), Some(pipeline.stages)),
            "{query}"
        );
        assert_eq!(l.vpp.unwrap_or(1), pipeline.virtual_stages, "{query}");
        assert_eq!((l.zero, l.mbs), (Some(p.zero), Some(p.mbs)), "{query}");
        assert_eq!(l.batch, Some(p.mbs * pipeline.microbatches * p.dp), "{query}");
        assert_eq!((l.recompute, l.flash), (Some(p.recompute), Some(p.flash)), "{query}");
        assert_eq!((l.dtype.unwrap_or(Dtype::Fp32), l.optimizer), (p.dtype, Some(p.optimizer)), "{query}");
        assert_eq!(l.sp, Some(p.layout.sp && p.layout.tp > 1), "{query}");
        assert!(p.seq.is_none() || l.seq == p.seq, "{query}");
        let ours = p.model.shape().expect("a preset has a shape");
        let model = card.run.setup().0.model.unwrap_or_else(|| panic!("{query}: {:?}", card.run.setup().1));
        let theirs = model.shape().expect("sizes");
        assert_eq!(theirs.count().map(|c| c.total), ours.count().map(|c| c.total), "{query}");
    });
    assert!(n > 80, "{n}");
}

#[test]
fn torchtitan_reads_back() {
    let n = each_export(Target::Torchtitan, |query, p, card| {
        let is_its_choice = p.recompute == Recompute::Selective;
        let unread = usize::from(is_its_choice);
        assert_eq!((card.kind, card.unread_count), (Kind::Torchtitan, unread), "{query}: {:?}", card.unread);
        assert_eq!(card.run.is_unknown("layout.recompute"), is_its_choice);
        let (l, pipeline) = (&card.run.layout, p.layout.pipeline);
        assert_eq!(
            (l.tp, l.cp, l.ep, l.pp, l.dp),
            (Some(p.layout.tp), Some(p.layout.cp), Some(p.layout.ep), Some(pipeline.stages), Some(p.dp)),
            "{query}"
        );
        assert!(p.dp == 1 || l.zero == Some(p.zero), "{query}");
        assert_eq!((l.mbs, l.recompute), (Some(p.mbs), Some(p.recompute).filter(|_| !is_its_choice)), "{query}");
        assert_eq!(l.batch, Some(p.mbs * pipeline.microbatches * p.dp), "{query}");
        assert_eq!(l.vpp.unwrap_or(1), pipeline.virtual_stages, "{query}");
        assert!(query.contains(&card.run.model.name), "{query}");
    });
    assert!(n > 10, "{n}");
}

#[test]
fn deepspeed_reads_back() {
    let n = each_export(Target::DeepSpeed, |query, p, card| {
        assert_eq!((card.kind, card.unread_count), (Kind::DeepSpeed, 0), "{query}: {:?}", card.unread);
        let l = &card.run.layout;
        assert_eq!(
            (l.zero, l.mbs, l.microbatches),
            (Some(p.zero), Some(p.mbs), Some(p.layout.pipeline.microbatches)),
            "{query}"
        );
        assert_eq!((l.dtype, l.optimizer), (Some(p.dtype), Some(p.optimizer)), "{query}");
    });
    assert!(n > 100, "{n}");
}

#[test]
fn fsdp_code_reads_back() {
    let n = each_export(Target::Fsdp, |query, p, card| {
        let l = &card.run.layout;
        assert_eq!(
            (card.kind, l.zero, l.dp, l.dtype),
            (Kind::Fsdp, Some(p.zero), Some(p.dp), Some(p.dtype)),
            "{query}"
        );
        assert_eq!(l.optimizer, Some(p.optimizer), "{query}");
        assert_eq!(
            l.recompute,
            Some(if p.recompute == Recompute::Full { Recompute::Full } else { Recompute::None }),
            "{query}"
        );
    });
    assert!(n > 40, "{n}");
}

/// The forms of pytorch/torchtitan pull request 2389, NVIDIA/Megatron-LM issue 756, deepspeedai/DeepSpeed issue 2629, NVIDIA-NeMo/Speech
/// issue 7957, karpathy/nanochat pull request 147, vllm-project/vllm issue 12330, sgl-project/sglang issue 10053.
#[test]
fn run_output_is_recognized() {
    use Metric as M;
    type Case = (&'static str, &'static str, &'static [(M, f64)]);
    let cases: [Case; 8] = [
        (
            "[titan] 2026-02-24 19:46:17,508 - root - INFO - step:  4  loss:  7.62585  grad_norm: 26.6250  memory: 66.91GiB(37.51%)  tps: 10,050  tflops: 314.71  mfu: 13.99%",
            "torchtitan",
            &[
                (M::TokensPerGpu, 10_050.0),
                (M::Mfu, 0.1399),
                (M::Flops, 314.71e12),
                (M::MemoryReserved, 66.91 * crate::units::GIB),
            ],
        ),
        (
            " [2024-04-06 03:02:12] iteration       71/     100 | consumed samples:         9088 | elapsed time per iteration (ms): 5361.6 | throughput per GPU (TFLOP/s/GPU): 243.6 | learning rate: 1.420000E-05 | global batch size:   128 | lm loss: 1.818812E+00 | loss scale: 1.0 | grad norm: 1.300 |",
            "Megatron-LM",
            &[(M::StepTime, 5.3616), (M::Flops, 243.6e12), (M::LossScale, 1.0)],
        ),
        (
            "stdout: [2022-12-20 08:26:26,101] [INFO] [timer.py:197:stop] 0/17, RunningAvgSamplesPerSec=158.31157878546472, CurrSamplesPerSec=159.628891629629, MemAllocated=1.75GB, MaxMemAllocated=2.6GB",
            "DeepSpeed",
            &[(M::SequencesPerSecond, 159.628_891_629_629), (M::MemoryAllocated, 2.6 * crate::units::GIB)],
        ),
        (
            "Epoch 0: :   3%|▎         | 9000/301500 [1:42:42<55:37:46, v_num=0-56, reduced_train_loss=nan.0, global_step=9e+3, consumed_samples=6.3e+5, train_step_timing in s=0.615, val_loss=7.040]",
            "NeMo",
            &[(M::StepTime, 0.615)],
        ),
        (
            "step 00004/21400 (0.02%) | loss: 8.893647 | lrm: 1.00 | dt: 989.44ms | tok/sec: 529,882 | mfu: 74.13 | total time: 0.00m",
            "nanochat",
            &[(M::StepTime, 0.98944), (M::TokensPerSecond, 529_882.0), (M::Mfu, 0.7413)],
        ),
        (
            "INFO 01-13 11:35:21 model_runner.py:1099] Loading model weights took 14.9595 GB\nINFO gpu_executor] GPU KV cache size: 169,314 tokens",
            "vLLM",
            &[(M::Weights, 14.9595 * crate::units::GIB), (M::KvTokens, 169_314.0)],
        ),
        (
            "[2025-09-03 18:33:19 TP0] Decode batch. #running-req: 1, #token: 177, token usage: 0.25, cuda graph: True, gen throughput (token/s): 84.20, #queue-req: 0, ",
            "SGLang",
            &[(M::GenerationRate, 84.2), (M::KvUsage, 0.25)],
        ),
        (
            " 10%|█         | 50/500 [01:40<15:00,  2.01s/it]\r 12%|█         | 60/500 [02:00<15:00,  1.99s/it]",
            "HF Trainer",
            &[(M::StepTime, 2.0)],
        ),
    ];
    for (text, program, expected) in cases {
        let card = read("log.txt", text);
        assert_eq!((card.kind, card.outcome), (Kind::Log, Outcome::Read), "{program}: {}", card.said);
        assert!(card.said.contains(program), "{program}: {}", card.said);
        for (metric, value) in expected {
            let read = card.run.measured(*metric).unwrap_or_default();
            assert!((read / value - 1.0).abs() < 1e-9, "{program} {metric:?}: {read}");
        }
    }
    assert_eq!(
        read("x", "iteration 1 | elapsed time per iteration (ms): 5 | global batch size: 128 |").run.layout.batch,
        Some(128)
    );
}

/// The dump at the start of a Megatron-LM run, as in NVIDIA/Megatron-LM issue 756.
#[test]
fn a_log_brings_its_own_configuration() {
    let text = "\
------------------------ arguments ------------------------
  add_bias_linear ................................. False
  expert_model_parallel_size ...................... 8
  ffn_hidden_size ................................. 14336
  global_batch_size ............................... 128
  group_query_attention ........................... True
  hidden_size ..................................... 4096
  kv_channels ..................................... 128
  micro_batch_size ................................ 1
  moe_router_topk ................................. 2
  normalization ................................... RMSNorm
  num_attention_heads ............................. 32
  num_experts ..................................... 8
  num_layers ...................................... 32
  num_query_groups ................................ 8
  padded_vocab_size ............................... 32000
  pipeline_model_parallel_size .................... 1
  position_embedding_type ......................... rope
  seq_length ...................................... 4096
  sequence_parallel ............................... True
  swiglu .......................................... True
  tensor_model_parallel_size ...................... 2
  untie_embeddings_and_output_weights ............. True
  use_distributed_optimizer ....................... True
  use_flash_attn .................................. True
  bf16 ............................................ True
  world_size ...................................... 16
-------------------- end of arguments ---------------------
 iteration       71/     100 | elapsed time per iteration (ms): 5361.6 | throughput per GPU (TFLOP/s/GPU): 243.6 | global batch size:   128 |
";
    let card = read("log.txt", text);
    assert_eq!(card.run.model.name, "mixtral-8x7b", "{:?}", card.run.model);
    let l = &card.run.layout;
    assert_eq!(
        (l.tp, l.ep, l.zero, l.sp, l.batch, l.seq),
        (Some(2), Some(8), Some(1), Some(true), Some(128), Some(4096))
    );
    let mut run = card.run;
    run.take(
        &read("smi", "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-x)\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-y)").run,
    );
    run.cluster.node = Some(8);
    let report = compare(&run);
    assert_eq!((report.missing.as_slice(), report.assumed.as_slice()), (&[][..], &[][..]));
    let ledger = report.ledger("step-time").expect("a step was measured");
    let sum = ledger.prediction() + ledger.gap.iter().map(|c| c.size).sum::<f64>() + ledger.remainder;
    assert!((sum / 5.3616 - 1.0).abs() < 1e-9, "{ledger:?}");
}

/// GPT-NeoX's YAML, with the sizes of its `configs/llama/7B.yml`: a gated MLP is narrower than what is asked for.
#[test]
fn a_configuration_of_gpt_neox_is_read() {
    let text = "{\n  # sizes\n  \"pipe_parallel_size\": 2, \"model_parallel_size\": 1,\n  \"num_layers\": 32, \"hidden_size\": 4096, \"num_attention_heads\": 32,\n  \"intermediate_size\": 32768, \"activation\": \"swiglu\", \"mlp_multiple_of\": 256,\n  \"train_micro_batch_size_per_gpu\": 4,\n}\n";
    let value = |card: &Card, what: &str| card.found.iter().find(|f| f.what == what).map(|f| f.value.clone());
    let card = read("7B.yml", text);
    assert_eq!(value(&card, "Width of the MLP").as_deref(), Some("11,008"), "{card:?}");
    assert_eq!((card.run.layout.pp, card.run.layout.mbs, card.run.layout.zero), (Some(2), Some(4), Some(0)));
    // Below a sentence it says the same, and the sentence is marked.
    let below = read("7B.yml", &format!("my config:\nIt is slow.\n{text}"));
    assert_eq!(below.run.layout, card.run.layout);
    assert!(below.unread.iter().any(|unread| unread.text == "It is slow."), "{below:?}");
    // Layers that are no attention make no model.
    let mamba =
        read("7B.yml", &text.replace("\"activation\"", "\"attention_config\": [[[\"mamba\"], 32]], \"activation\""));
    assert!(mamba.run.model.sizes.is_empty() && mamba.run.unread.iter().any(|key| key.contains("mamba")), "{mamba:?}");
}

/// What somebody wrote is no error log; what a program printed is one, however it begins.
#[test]
fn a_script_with_messages_is_no_error_log() {
    let script = "set -e\nPORT=6379\nif [ -z \"$HOST\" ]; then\n  echo \"Error: Missing argument --host\"\n  exit 1\nfi\nray stop\necho \"Waiting for workers timed out.\"\nexit 1\n";
    let yaml = "replicas: 2\nimage:\n  tag: latest\n  pull: Always\n# ValueError: a bad tag is refused\nnodes: 4\nlimits:\n  memory: 2Gi\n";
    for text in [script, yaml] {
        let card = read("x", text);
        assert_eq!(
            (card.kind, card.outcome, card.kind.is_output()),
            (Kind::Written, Outcome::Refused, false),
            "{text}"
        );
    }
    let logs = [
        "ValueError: x\n",
        "$ bash run.sh\nTraceback (most recent call last):\nKeyError: 'x'\n",
        "rank: 0\nworld: 8\nhost: a\nstep: 1\nloss: 2\nRuntimeError: CUDA error: device-side assert triggered\n",
    ];
    for text in logs {
        assert!(read("x", text).kind.is_output(), "{text}");
    }
}

/// Nothing says how many GPUs the machine has, so `gpu` is no number; with one, it is.
#[test]
fn processes_are_not_counted_by_gpus_that_nothing_names() {
    let started = |text: &str| {
        let card = read("run.sh", text);
        card.found.into_iter().find(|found| found.what == "Processes that train").map(|found| found.value)
    };
    assert_eq!(started("torchrun --nproc_per_node gpu train.py\n"), None);
    assert_eq!(started("torchrun --nproc_per_node 4 train.py\n").as_deref(), Some("4"));
}

/// GPT-NeoX's dump, as EleutherAI/gpt-neox issue 792 and EleutherAI/lm-evaluation-harness issue 884 have parts of it (sizes of 20B).
#[test]
fn a_dump_of_gpt_neox_is_read() {
    let value = |name: &str, value: &str, from: &str| {
        let start = format!("  {name} {} {value}", ".".repeat(32_usize.saturating_sub(name.len())));
        let dots = ".".repeat(64_usize.saturating_sub(start.len()));
        format!("{start}{dots}{from}\n")
    };
    let updated = [
        ("attention_config", "['global', 'global', 'global', 'global', 'global', 'global', 'global', 'global']"),
        ("batch_size", "4"),
        ("checkpoint_activations", "True"),
        ("fp16", "{'enabled': True, 'loss_scale': 0, 'loss_scale_window': 1000, 'hysteresis': 2, 'min_loss_scale': 1}"),
        ("global_num_gpus", "96"),
        ("gradient_accumulation_steps", "32"),
        ("hidden_size", "6144"),
        ("max_position_embeddings", "2048"),
        ("model_parallel_size", "2"),
        ("no_weight_tying", "True"),
        ("num_attention_heads", "64"),
        ("num_layers", "44"),
        ("optimizer", "{'type': 'Adam', 'params': {'lr': 9.7e-05, 'betas': [0.9, 0.95], 'eps': 1e-08}}"),
        ("optimizer_type", "Adam"),
        ("pipe_parallel_size", "4"),
        ("pos_emb", "rotary"),
        ("precision", "fp16"),
        ("seq_length", "2048"),
        ("train_batch_size", "1536"),
        ("train_micro_batch_size_per_gpu", "4"),
        ("zero_optimization", "{'stage': 1, 'allgather_partitions': True, 'cpu_offload': False}"),
        ("zero_stage", "1"),
    ];
    let default =
        [("activation", "gelu"), ("norm", "layernorm"), ("padded_vocab_size", "None"), ("moe_num_experts", "1")];
    let dump = |updated: &[(&str, &str)]| {
        let lines: String = updated.iter().map(|(name, text)| value(name, text, "updated")).collect();
        let others: String = default.iter().map(|(name, text)| value(name, text, "default")).collect();
        format!(
            "NeoXArgs.from_ymls() ['20B.yml']\n-------------------- arguments --------------------\n{lines}{others}---------------- end of arguments ----------------\n > padded vocab (size: 50277) with 411 dummy tokens (new size: 50688)\n"
        )
    };
    let card = read("log.txt", &dump(&updated));
    let (l, r) = (&card.run.layout, &card.run);
    assert_eq!(
        (l.tp, l.pp, l.zero, l.mbs, l.batch, l.seq, l.flash),
        (Some(2), Some(4), Some(1), Some(4), Some(1536), Some(2048), Some(false)),
        "{:?}",
        card.found
    );
    assert_eq!(
        (l.recompute.map(|r| r.id()), l.dtype.map(|d| d.id()), l.optimizer.map(|o| o.id())),
        (Some("full"), Some("fp16"), Some("adamw"))
    );
    assert_eq!((r.cluster.gpus, card.outcome), (Some(96), Outcome::Partly), "{:?}", card.unread);
    let model = r.setup().0.model.expect("its sizes");
    let count = model.shape().and_then(|shape| shape.count().ok()).expect("a model").total;
    assert!((20.5e9..20.7e9).contains(&(count as f64)), "{count}");
    // What is offloaded isn't modeled, and a part of the list is only a part.
    let offloaded = dump(&updated).replace("'cpu_offload': False", "'cpu_offload': True");
    assert!(read("log.txt", &offloaded).unread.iter().any(|u| u.text.contains("offload")));
    let part: Vec<(&str, &str)> = updated.iter().copied().filter(|(name, _)| *name != "model_parallel_size").collect();
    let part = dump(&part).replace("---------------- end of arguments ----------------", "");
    let card = read("log.txt", &part);
    assert!(card.run.model.sizes.is_empty() && card.run.layout.tp.is_none(), "{:?}", card.run);
}

/// What vLLM prints of its settings stands for the command that gave them.
#[test]
fn the_settings_that_vllm_prints_are_read() {
    let line = "(EngineCore_DP0 pid=7130) INFO 12-04 23:05:33 [core.py:93] Initializing a V1 LLM engine (v0.12.0) with config: model='meta-llama/Llama-3.1-8B', speculative_config=None, tokenizer='x', dtype=torch.bfloat16, max_seq_len=32768, load_format=auto, tensor_parallel_size=2, pipeline_parallel_size=1, data_parallel_size=1, quantization=None, kv_cache_dtype=fp8, seed=0\nINFO 12-04 23:06:00 [x.py:1] Available KV cache memory: 20.5 GiB\n";
    let card = read("serve.log", line);
    let s = &card.run.serving;
    assert_eq!(
        (s.engine.as_deref(), s.tp, s.pp, s.context),
        (Some("vllm"), Some(2), Some(1), Some(32_768)),
        "{card:?}"
    );
    assert_eq!((s.kv.map(|kv| kv.id()), card.run.model.name.as_str()), (Some("fp8"), "llama-3-8b"));
    assert_eq!(card.run.measured(Metric::KvMemory), Some(20.5 * crate::units::GIB));
    // The command above it says the same once.
    let both = read("serve.log", &format!("$ vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 2\n{line}"));
    assert_eq!(both.found.iter().filter(|found| found.what == "Tensor-parallel ranks").count(), 1, "{:?}", both.found);
}

#[test]
fn machines_are_recognized() {
    let smi = "\
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   30C    P0             65W /  400W |   70123MiB /  81920MiB |      0%      Default |
|   1  NVIDIA A100-SXM4-80GB          On  |   00000000:0B:00.0 Off |                    0 |
| N/A   31C    P0             65W /  400W |   71005MiB /  81920MiB |      0%      Default |
| Processes:                                                                              |";
    let card = read("smi", smi);
    assert_eq!((card.kind, card.outcome), (Kind::NvidiaSmi, Outcome::Read));
    assert_eq!((card.run.cluster.gpu.as_deref(), card.run.cluster.node), (Some("a100-80"), Some(2)));
    assert_eq!(card.run.measured(Metric::MemoryUsed), Some(71_005.0 * crate::units::MIB));
    let rocm = "======= ROCm System Management Interface =======\nGPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X OAM\nGPU[1]\t\t: Card Series: \t\tAMD Instinct MI300X OAM\nGPU[0]\t\t: Card Model: \t\t0x74a1\nGPU[0]\t\t: VRAM Total Used Memory (B): 150000000000\n======= End of ROCm SMI Log =======";
    let card = read("rocm", rocm);
    assert_eq!(card.outcome, Outcome::Read, "{:?}", card.unread);
    assert_eq!(
        (card.kind, card.run.cluster.gpu.as_deref(), card.run.cluster.node),
        (Kind::RocmSmi, Some("mi300x"), Some(2))
    );
    // The first two GPUs of NVIDIA/nccl issue 1505, and a pair without NVLink.
    let topo = "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV12\tPXB\tSYS\t48-63,176-191\t3\nGPU1\tNV12\t X \tPXB\tSYS\t48-63,176-191\t3\nNIC0\tPXB\tPXB\t X \tSYS\nNIC1\tSYS\tSYS\tSYS\t X \n\nLegend:\n";
    let card = read("topo", topo);
    let topology = card.topology.clone().expect("a matrix");
    assert_eq!(
        (card.kind, topology.slowest(), topology.nics(0)),
        (Kind::Topology, Some(Hop::NvLink(12)), Some((vec![2], Hop::Pxb)))
    );
    assert_eq!(Topology::read(&topology.text).as_ref(), Some(&topology));
    let slow = Topology::read(&topo.replace("NV12", "SYS")).expect("a matrix");
    assert!(slow.finding().contains("through a CPU"), "{}", slow.finding());
    assert_eq!(slow.link(crate::hardware::find("a100-80")).map(|l| l.id), Some("pcie4"));
    let mut run = Run::parse("[cluster]\ngpu = \"a100-80\"\n").expect("a run");
    run.cluster.topology = Some(slow.text);
    assert_eq!(run.setup().0.link.map(|link| link.id), Some("pcie4"), "PCIe instead of NVLink");
    run.cluster.topology = Some(topology.text);
    assert_eq!(run.setup().0.link, None, "NVLink is the GPU’s own");
    run.layout = Layout { tp: Some(4), batch: Some(512), seq: Some(4096), ..Layout::default() };
    assert_eq!(run.setup().0.job.len(), 3, "the job is kept, too");
    run.serving.engine = Some("vllm".to_owned());
    assert!(run.setup().0.job.is_empty(), "an engine’s ranks are no training’s");
    (run.serving.tp, run.serving.requests) = (Some(2), Some(64));
    let kept = run.setup().0.query();
    assert_eq!((kept.get("replica"), kept.get("users"), kept.get("tp")), (Some("2"), Some("64"), None));
    assert_eq!(read("topo", "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X ").outcome, Outcome::Refused);
}

#[test]
fn a_matrix_says_what_hangs_where() {
    // NVLink joins two pairs, as bridges do, and each pair hangs on a CPU of its own.
    let text = "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\n\
                GPU0\t X \tNV4\tSYS\tSYS\tPIX\t0-31\t0\nGPU1\tNV4\t X \tSYS\tSYS\tNODE\t0-31\t0\n\
                GPU2\tSYS\tSYS\t X \tNV2\tSYS\t32-63\t1\nGPU3\tSYS\tSYS\tNV2\t X \tSYS\t32-63\t1\nNIC0\tPIX\tNODE\tSYS\tSYS\t X \n";
    let node = Topology::read(text).expect("a matrix");
    let sockets = node.sockets();
    let places: Vec<(&str, &[Vec<usize>])> = sockets.iter().map(|s| (s.numa.as_str(), s.switches.as_slice())).collect();
    assert_eq!(places, [("0", &[vec![0, 4], vec![1]][..]), ("1", &[vec![2], vec![3]][..])]);
    assert_eq!(node.direct().iter().map(|(a, b, _)| (*a, *b)).collect::<Vec<_>>(), [(0, 1), (2, 3)]);
    assert!(
        node.finding().contains("4 of 6 GPU pairs, such as GPU0 and GPU2, are joined through a CPU (SYS)"),
        "{}",
        node.finding()
    );
    // Fewer NVLinks are slower.
    let uneven = Topology::read(&text.replace("SYS", "NV1")).expect("a matrix");
    assert_eq!((uneven.slowest(), uneven.wires().as_deref()), (Some(Hop::NvLink(1)), Some("at least 1 NVLink")));
    // Without a word of PCIe nobody knows on which CPU a GPU hangs.
    let bare = Topology::read("\tGPU0\tGPU1\nGPU0\t X \tNV12\nGPU1\tNV12\t X \n").expect("a matrix");
    assert_eq!(bare.sockets().iter().map(|s| (s.is_known, s.switches.len())).collect::<Vec<_>>(), [(false, 2)]);
}

#[test]
fn the_first_bytes_say_what_reads_a_file() {
    for (head, is) in [
        (&b"{\"schemaVersion\": 1, \"deviceProperties\": ["[..], Content::Trace),
        (b" [{\"ph\": \"X\", \"ts\": 1}", Content::Trace),
        (b"\x1f\x8b\x08", Content::Trace),
        (b"\x80\x04\x95", Content::Snapshot),
        (b"{\"segments\": [", Content::Snapshot),
        (b"{\"data\":[\"a\"]}\n{\"Type\":80,\"CudaEvent\":{\"startNs\":\"1\",\"endNs\":\"2\"}}", Content::Trace),
        (b"{\"hidden_size\": 4096}", Content::Text),
        (b"step: 1 \"traceEvents\"", Content::Text),
    ] {
        assert_eq!(content(head), Ok(is), "{}", String::from_utf8_lossy(head));
    }
    for head in [&b""[..], b"\x7fELF\0\0", b"\xff\xfes\0"] {
        assert!(content(head).is_err(), "{head:?}");
    }
    assert!(content(b"SQLite format 3\0").is_err_and(|why| why.contains("nsys stats")));
}

#[test]
fn what_is_known_and_not_read_is_named() {
    let nsight = "{\"data\":[\"a\"]}\n{\"Type\":80,\"CudaEvent\":{\"startNs\":\"1\",\"endNs\":\"2\"}}\n";
    let squeue = "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n              4242       gpu    train       me PD       0:00      4 (Resources)\n";
    let qstat = "Job id            Name             User              Time Use S Queue\n----------------  ---------------- ----------------  -------- - -----\n4242.pbs          train            me                0        Q gpu\n";
    let pods = "NAME             READY   STATUS    RESTARTS   AGE\ntrain-worker-0   1/1     Running   0          3m\n";
    let sacct = "JobID           JobName  AllocCPUS     MaxRSS      State\n------------ ---------- ---------- ---------- ----------\n20                sleep          2                FAILED\n";
    let slime = "ray job submit --address=\"http://127.0.0.1:8265\" -- python3 train.py --actor-num-gpus-per-node 8 --rollout-num-gpus 8 --tensor-model-parallel-size 2 --num-layers 36 --global-batch-size 256\n";
    for (text, says) in [
        (nsight, "nsys stats"),
        (squeue, "squeue prints"),
        (qstat, "qstat prints"),
        (pods, "kubectl get pods prints"),
        (sacct, "sacct prints"),
        (slime, "It starts slime"),
    ] {
        let card = read("x", text);
        assert!(card.outcome == Outcome::Refused && card.said.contains(says), "{says}: {}", card.said);
    }
}

#[test]
fn other_configurations_are_recognized() {
    let yaml = "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_offload_params: true\n  fsdp_activation_checkpointing: true\nmixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\nsomething_new: 3\n";
    let card = read("fsdp.yaml", yaml);
    assert_eq!((card.kind, card.outcome), (Kind::Accelerate, Outcome::Partly));
    assert_eq!(
        (card.run.layout.zero, card.run.cluster.gpus, card.run.layout.recompute),
        (Some(3), Some(16), Some(Recompute::Full))
    );
    assert_eq!(
        card.run.unread,
        [
            "Accelerate configuration: fsdp_config.fsdp_offload_params: true",
            "Accelerate configuration: something_new: 3"
        ]
    );
    let axolotl = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 8192\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\nbf16: true\nadapter: lora\n";
    let card = read("a.yml", axolotl);
    assert_eq!(
        (card.kind, card.run.model.name.as_str(), card.run.layout.seq),
        (Kind::Axolotl, "llama-3-8b", Some(8192))
    );
    assert!(card.run.unread.iter().any(|text| text.contains("adapter: lora")));
    let serve = "vllm serve meta-llama/Llama-3.1-70B-Instruct \\\n  --tensor-parallel-size 4 --max-model-len 8192 \\\n  --gpu-memory-utilization=0.92 --kv-cache-dtype fp8 --enable-chunked-prefill";
    let card = read("serve", serve);
    let s = &card.run.serving;
    assert_eq!(
        (card.run.model.name.as_str(), s.tp, s.context, s.memory, s.kv),
        ("llama-3-70b", Some(4), Some(8192), Some(0.92), Some(Dtype::Fp8))
    );
    assert_eq!(card.run.unread, ["Serving command: --enable-chunked-prefill"]);
    let sbatch =
        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:8\nsrun torchrun --nnodes 2 --nproc_per_node 8 train.py\n";
    let card = read("job.sh", sbatch);
    assert_eq!((card.kind, card.run.cluster.nodes, card.run.cluster.node), (Kind::Script, Some(2), Some(8)));
    let flags =
        "TP=4\nARGS=\"--tensor-model-parallel-size ${TP} --micro-batch-size $MBS --num-layers 2 --unknown-flag 7\"";
    let card = read("m.sh", flags);
    assert_eq!((card.run.layout.tp, card.run.layout.mbs), (Some(4), None));
    assert!(card.run.unread.iter().any(|text| text.contains("--unknown-flag 7")), "{:?}", card.run.unread);
}

/// The threads behind these numbers: nanochat's pull request 147 (an A100's run divided by the H100's peak), fms-fsdp issue 89 (the peak
/// with sparsity).
#[test]
fn a_wrong_peak_is_named() {
    let mut run = Run::parse(
        "[model]\nname = \"llama-2-7b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 1\n[layout]\nframework = \"fsdp\"\ndp = 8\nzero = 3\nmbs = 2\nbatch = 16\nseq = 4096\nrecompute = \"none\"\nflash = true\n",
    )
    .expect("a run");
    run.measure(Metric::TokensPerGpu, 9600.0, "README");
    run.measure(Metric::Flops, 480e12, "README");
    run.measure(Metric::Mfu, 480.0 / 1978.0, "README");
    let report = compare(&run);
    let ledger = report.ledger("mfu").expect("an MFU was reported");
    assert!(ledger.gap.iter().any(|cause| cause.why.contains("with sparsity")), "{ledger:?}");
    let sum = ledger.prediction() + ledger.gap.iter().map(|c| c.size).sum::<f64>() + ledger.remainder;
    assert!((sum - ledger.total).abs() < 1e-12);
    run.measure(Metric::Mfu, 480.0 / 312.0, "log");
    assert!(compare(&run).ledger("mfu").is_some_and(|l| l.gap.iter().any(|c| c.why.contains("A100"))));
}

#[test]
fn nothing_unread_decides_a_verdict() {
    let text = "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 1\n[layout]\nframework = \"fsdp\"\nmbs = 1\nbatch = 8\nseq = 8192\n[measured]\nstep-time = { value = 9.0 }\n";
    let run = Run::parse(text).expect("a run");
    let report = compare(&run);
    let keys: Vec<&str> = report.assumed.iter().map(|a| a.key).collect();
    assert_eq!(keys, ["layout.flash", "layout.zero", "layout.recompute"]);
    // It lies outside of what any of their values predicts, and inside for another time.
    assert!(report.verdict.starts_with("A step takes at least 4.0"), "{}", report.verdict);
    assert_eq!(report.row("step-time").map(Row::gap_text).as_deref(), Some("+308% to +1,158%"));
    let gap = |measured: f64| {
        let row = report.row("step-time").cloned().expect("a row");
        Row { predicted: Some([1.0, 1.5, 2.0]), measured: Some(measured), ..row }.gap_text()
    };
    assert_eq!([2.5, 2.004, 0.5].map(gap), ["+25% to +150%", "within the range", "−50% to −75%"]);
    let edge = text
        .replace("9.0", &format!("{}", 1.02 * report.row("step-time").and_then(|r| r.predicted).expect("a range")[2]));
    let verdict = compare(&Run::parse(&edge).expect("a run")).verdict;
    assert!(verdict.starts_with("A step takes at least 2% more than predicted"), "{verdict}");
    let inside = Run::parse(&text.replace("9.0", "1.2")).expect("a run");
    assert!(compare(&inside).verdict.starts_with("No verdict yet"), "{}", compare(&inside).verdict);
    assert!(report.next[0].command.is_empty(), "pasting comes first: {:?}", report.next);
    let row = report.row("step-time").expect("a row");
    let [low, _, high] = row.predicted.expect("a prediction");
    assert!(low < high, "{row:?}");
    let bare = Run { layout: Layout { framework: None, ..run.layout.clone() }, ..run };
    assert!(compare(&bare).missing.iter().any(|why| why.sentence.contains("How the GPUs share the model")));
}

#[test]
fn a_measured_link_names_its_cause() {
    let text = "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 4\n[layout]\nframework = \"fsdp\"\nmbs = 1\nbatch = 32\nseq = 2048\nzero = 3\nrecompute = \"none\"\nflash = true\n[measured]\nstep-time = { value = 8.0 }\nbus-bandwidth = { value = 10.5e9 }\nbus-ranks = { value = 32.0 }\n";
    let report = compare(&Run::parse(text).expect("a run"));
    let ledger = report.ledger("step-time").expect("measured");
    let cause = ledger.largest().expect("a cause");
    assert!(cause.label.contains("between nodes") && cause.why.contains("Ethernet 100"), "{cause:?}");
    assert!(report.verdict.contains("link between nodes slower"), "{}", report.verdict);
    for ledger in &report.ledgers {
        for cause in ledger.predicted.iter().chain(&ledger.gap) {
            let Some(link) = &cause.link else { continue };
            let entry = crate::catalogue::find(link.figure).expect("a figure");
            let (_, problems) = (entry.read)(&link.query);
            assert!(problems.is_empty(), "{}?{}: {problems:?}", link.figure, link.query);
        }
    }
    assert!(report.next.iter().all(|n| !n.command.contains("all_reduce_perf")), "{:?}", report.next);
}

#[test]
fn assertions_hold_or_say_why_not() {
    let text = "check = [\"memory.total < 80e9\", \"mfu > 0.9\", \"mfo > 1\", \"measured.mfu > 0.1\"]\n[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 1\n[layout]\nframework = \"fsdp\"\nmbs = 1\nbatch = 8\nseq = 4096\nzero = 3\nrecompute = \"full\"\nflash = true\n";
    let (_, checked) = check(&Run::parse(text).expect("a run"), &["total > 1".to_owned()]);
    let holds: Vec<Option<bool>> = checked.iter().map(|c| c.holds).collect();
    assert_eq!(holds, [Some(true), Some(false), None, None, None]);
    assert!(checked[2].why.contains("memory.total"), "{:?}", checked[2]);
}

#[test]
fn serving_is_compared() {
    let text = "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\n[serving]\nengine = \"vllm\"\nmemory = 0.9\ncontext = 8192\n[measured]\nkv-tokens = { value = 452000.0 }\nweights = { value = 16.06e9 }\n";
    let report = compare(&Run::parse(text).expect("a run"));
    let row = report.row("kv-tokens").expect("a row");
    assert!(row.is_within(), "{row:?}");
    assert!(report.row("weights").and_then(Row::gap).is_some_and(|gap| gap.abs() < 0.01));
    assert_eq!(report.missing, []);
}

#[test]
fn what_requests_wait_for_is_said() {
    use Metric as M;

    // vLLM 0.11's log and `vllm bench serve`.
    let log = "(APIServer pid=1) INFO 11-25 10:00:00 [loggers.py:127] Engine 000: Avg prompt throughput: 5123.4 tokens/s, Avg generation throughput: 812.1 tokens/s, Running: 38 reqs, Waiting: 12 reqs, GPU KV cache usage: 97.8%, Prefix cache hit rate: 0.0%\nMean TTFT (ms):                          6012.33\nMean TPOT (ms):                          46.70\n";
    let card = read("vllm.log", log);
    let measured = |metric| card.run.measured(metric);
    assert_eq!(
        (measured(M::Running), measured(M::Waiting), measured(M::PrefixHits)),
        (Some(38.0), Some(12.0), Some(0.0))
    );
    for (metric, value) in [(M::PromptRate, 5123.4), (M::FirstToken, 6.01233), (M::PerToken, 0.0467)] {
        assert!(measured(metric).is_some_and(|read| (read / value - 1.0).abs() < 1e-9), "{metric:?}");
    }
    let mut run = Run::parse("[model]\nname = \"llama-3-70b\"\n[cluster]\ngpu = \"h100-80\"\n[serving]\nengine = \"vllm\"\ntp = 4\n[measured]\nkv-tokens = { value = 480000.0 }\n").expect("a run");
    run.measured.extend(card.run.measured.clone());
    let says = |run: &Run| compare(run).verdict;
    assert!(says(&run).contains("12 requests wait for the first token while 97.8% of the cache is in use (38 requests have about 12,353 tokens each)"), "{}", says(&run));
    run.serving.requests = Some(38);
    assert!(
        says(&run).contains("the engine works on 38 requests, its limit, and 97.8% of the cache is in use."),
        "{}",
        says(&run)
    );
    run.measured.remove(&M::Waiting);
    assert!(!says(&run).contains("wait for the first token"));
}

#[test]
fn tokens_at_the_load_of_a_log_are_predicted() {
    let text = |beside: &str| {
        format!(
            "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\n[serving]\nengine = \"vllm\"\n{beside}[measured]\nkv-tokens = {{ value = 452000.0 }}\nkv-usage = {{ value = 0.5 }}\nrunning = {{ value = 100.0 }}\ngeneration-rate = {{ value = 1000.0 }}\n"
        )
    };
    let compared = |text: &str| compare(&Run::parse(text).expect("a run"));
    let predicted = |report: &Report| report.row("generation-rate").and_then(|row| row.predicted);
    let report = compared(&text(""));
    // 15 GB of weights, the embedding aside, and 226,000 tokens of 131,072 B take 13.3 ms at 3.35 TB/s.
    let [least, own, most] = predicted(&report).expect("a prediction");
    assert!(
        least == own && own < most && (4000.0..6500.0).contains(&own) && (6500.0..8000.0).contains(&most),
        "{own} {most}"
    );
    assert!(report.verdict.contains("100 requests of about 2,260 tokens is predicted"), "{}", report.verdict);
    // What no request waited for may not have been asked for.
    assert!(report.verdict.contains("nothing to do") && !report.verdict.contains("host"), "{}", report.verdict);
    let busy = compared(&(text("") + "waiting = { value = 20.0 }\n"));
    assert!(busy.verdict.contains("waiting for the host"), "{}", busy.verdict);
    let eager = compared(&("unread = [\"Serving command: --enforce-eager\"]\n".to_owned() + &text("")));
    assert!(eager.verdict.contains("`--enforce-eager` turns CUDA graphs off"), "{}", eager.verdict);
    let prompts = compared(&(text("") + "prompt-rate = { value = 10000.0 }\n"));
    assert!(predicted(&prompts).is_some_and(|[_, with, _]| with < own), "prompts take a part of a step");
    assert!(predicted(&compared(&text("pp = 2\n"))).is_none(), "stages aren’t modeled");
    assert!(predicted(&compared(&text("").replace("100.0", "0.0"))).is_none(), "nothing runs");
}

#[test]
fn preemptions_are_judged() {
    use Metric as M;

    // vLLM 0.6 warns at the first and at each fiftieth.
    let line = |n: u64| {
        format!(
            "WARNING 03-06 12:30:11 scheduler.py:1754] Sequence group 7 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can affect the end-to-end performance. Increase gpu_memory_utilization or tensor_parallel_size to provide more KV cache memory. total_num_cumulative_preemption={n}\n"
        )
    };
    let rates = "INFO 03-06 12:30:12 metrics.py:351] Avg prompt throughput: 1042.1 tokens/s, Avg generation throughput: 731.2 tokens/s, Running: 61 reqs, Swapped: 0 reqs, Pending: 139 reqs, GPU KV cache usage: 99.2%, CPU KV cache usage: 0.0%.\n";
    let card = read("vllm.log", &format!("{}{rates}{}", line(1), line(51)));
    assert_eq!([M::Preempted, M::Waiting].map(|metric| card.run.measured(metric)), [Some(51.0), Some(139.0)]);
    // What engines answer to Prometheus says the same.
    let metrics = "# HELP vllm:num_preemptions_total Cumulative number of preemption from the engine.\n# TYPE vllm:num_preemptions_total counter\nvllm:num_preemptions_total{engine=\"0\",model_name=\"m\"} 51.0\nvllm:num_requests_running{engine=\"0\",model_name=\"m\"} 61.0\nvllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 139.0\nvllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.992\n";
    let scraped = read("metrics", metrics);
    assert_eq!(scraped.outcome, Outcome::Read, "{scraped:?}");
    for card in [&card, &scraped] {
        let verdict = compare(&card.run).verdict;
        assert!(verdict.contains("The engine has preempted 51 requests because the KV cache was full"), "{verdict}");
        assert!(verdict.contains("It works on 61 requests with 99.2% of the cache in use."), "{verdict}");
        assert!(verdict.contains("`--max-num-seqs` below 61"), "{verdict}");
    }
    // Two engines each have numbers of their own, and none says nothing.
    let two = read("metrics", &format!("{metrics}{}", metrics.replace("engine=\"0\"", "engine=\"1\"")));
    assert!(two.unread.iter().any(|unread| unread.text == "Rates of 2 engines"), "{two:?}");
    let none = compare(&read("metrics", &metrics.replace(" 51.0", " 0.0")).run).verdict;
    assert!(!none.contains("preempted"), "{none}");
}

#[test]
fn a_low_mfu_is_said_beside_published_runs() {
    let run = |rate: &str| {
        let text = format!(
            "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 1\n[layout]\nframework = \"torchtitan\"\ntp = 1\npp = 1\nzero = 3\nseq = 8192\nmbs = 1\nbatch = 8\nrecompute = \"selective\"\nflash = true\n[measured]\ntokens-per-gpu = {{ value = {rate} }}\n"
        );
        compare(&Run::parse(&text).expect("a run")).verdict
    };
    let slow = run("2158.0");
    assert!(slow.contains("An MFU of 11.2% is low:") && slow.contains("of models of about this size"), "{slow}");
    let fast = run("8300.0");
    assert!(!fast.contains("is low"), "{fast}");
}

#[test]
fn what_holds_a_clock_down_is_said() {
    let section = |of: &str, active: &[&str]| {
        let lines = ["Idle", "SW Power Cap", "HW Slowdown", "HW Thermal Slowdown", "HW Power Brake Slowdown"];
        let line =
            |key: &&str| format!("        {key:<26}: {}\n", if active.contains(key) { "Active" } else { "Not Active" });
        let first = format!(
            "==============NVSMI LOG==============\n\nGPU 00000000:19:00.0\n    Performance State : P0\n    Clocks {of} Reasons\n"
        );
        first + &lines.iter().map(line).collect::<String>()
    };
    let xml = "<nvidia_smi_log>\n<gpu id=\"00000000:19:00.0\">\n<product_name>NVIDIA H100 80GB HBM3</product_name>\n<clocks_event_reasons>\n<clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>\n<clocks_event_reason_hw_thermal_slowdown>Active</clocks_event_reason_hw_thermal_slowdown>\n</clocks_event_reasons>\n<fb_memory_usage>\n<used>912 MiB</used>\n</fb_memory_usage>\n</gpu>\n</nvidia_smi_log>\n".to_owned();
    let table = |degrees: &str, watts: &str| {
        format!(
            "| NVIDIA-SMI 535.104.12   Driver Version: 535.104.12   CUDA Version: 12.2 |\n|   0  NVIDIA A100-SXM4-80GB   On  | 00000000:07:00.0 Off |   0 |\n| N/A   {degrees}    P0   {watts} / 400W |  71234MiB / 81920MiB |  100%  Default |\n| Processes: |\n"
        )
    };
    let rows = |bits: &str| {
        format!(
            "index, name, clocks.sm [MHz], clocks_event_reasons.active\n3, NVIDIA H100 80GB HBM3, 345 MHz, {bits}\n"
        )
    };
    for (text, says) in [
        (
            section("Event", &["SW Power Cap", "HW Slowdown", "HW Thermal Slowdown"]),
            "GPU 0 is too hot and slows down (HW Thermal Slowdown).",
        ),
        (
            section("Throttle", &["HW Slowdown", "HW Power Brake Slowdown"]),
            "The hardware slows GPU 0 down (HW Power Brake Slowdown)",
        ),
        (section("Event", &["SW Power Cap"]), "GPU 0 is at its power limit (SW Power Cap). That is normal"),
        (section("Event", &["Idle"]), "Nothing holds the clocks down, but a GPU is idle"),
        (section("Event", &[]), "Nothing holds the clocks down at that moment."),
        (xml, "GPU 0 is too hot and slows down (HW Thermal Slowdown)."),
        (rows("0x0000000000000048"), "GPU 3 is too hot"),
        (rows("0x0000000000000004"), "GPU 3 is at its power limit"),
        (rows("0x0000000000000000"), "Nothing holds the clocks down at that moment."),
        (table("86C", "310W"), "A GPU is at 86 °C, where GPUs of data centers begin to slow down."),
        (table("61C", "398W"), "A GPU takes 398 W of 400 W, so its power limit decides its clock."),
        (table("61C", "310W"), "Everything in it was read."),
    ] {
        let card = read("smi", &text);
        assert_eq!(card.kind, Kind::NvidiaSmi, "{text}");
        assert!(card.outcome != Outcome::Refused && card.said.starts_with(says), "{says}: {}\n{text}", card.said);
    }
}

#[test]
fn a_topology_of_rocm_smi_is_read() {
    let text = |link: &str, hops: &str| {
        let table = |title: &str, off: &str| {
            format!(
                "===== {title} =====\n       GPU0         GPU1\nGPU0   0            {off}\nGPU1   {off}           0\n\n"
            )
        };
        let numa = "GPU[0]\t\t: (Topology) Numa Node: 0\nGPU[1]\t\t: (Topology) Numa Node: 1\n";
        let tables = table("Weight between two GPUs", "15")
            + &table("Hops between two GPUs", hops)
            + &table("Link Type between two GPUs", link);
        format!("===== ROCm System Management Interface =====\n{tables}===== Numa Nodes =====\n{numa}")
    };
    for (link, hops, slowest, says) in [
        ("XGMI", "1", Hop::Xgmi, "Every pair of the 2 GPUs has Infinity Fabric (XGMI)."),
        ("PCIE", "2", Hop::Node, "is joined through a CPU (NODE)"),
        ("PCIE", "3", Hop::Sys, "is joined through a CPU (SYS)"),
        ("PCIE", "-", Hop::Pcie, "is joined by PCIe alone (PCIE)"),
    ] {
        let card = read("topo", &text(link, hops));
        assert_eq!(
            (card.kind, card.outcome, card.run.cluster.node),
            (Kind::RocmSmi, Outcome::Read, Some(2)),
            "{card:?}"
        );
        assert_eq!(card.topology.as_ref().and_then(Topology::slowest), Some(slowest));
        assert!(card.said.contains(says), "{}", card.said);
        // It stays in a run file.
        assert_eq!(Run::parse(&card.run.write()).as_ref(), Ok(&card.run));
    }
    let mut run = read("topo", &text("XGMI", "1")).run;
    run.cluster.gpu = Some("mi300x".to_owned());
    let own = crate::hardware::find("mi300x").and_then(|gpu| crate::hardware::links::of(gpu).0);
    let link =
        run.cluster.topology.as_deref().and_then(Topology::read).and_then(|t| t.link(crate::hardware::find("mi300x")));
    assert!(own.is_some() && link.map(|link| link.id) == own.map(|link| link.id), "{link:?}");
    let cut = text("XGMI", "1").replace("GPU1   XGMI           0", "");
    assert_eq!(read("topo", &cut).outcome, Outcome::Refused);
    let weights = text("XGMI", "1").split("===== Link Type").next().unwrap_or_default().to_owned();
    assert!(
        read("topo", &weights).said.contains("“Link Type between two GPUs” does"),
        "{}",
        read("topo", &weights).said
    );
}

#[test]
fn the_slowest_path_is_that_of_all_pairs_only_where_all_were_read() {
    let whole = "\tGPU0\tGPU1\tGPU2\nGPU0\t X \tNV12\tSYS\nGPU1\tNV12\t X \tSYS\nGPU2\tSYS\tSYS\t X \n";
    let found = |text: &str| read("topo", text).found.iter().map(|found| found.what.clone()).collect::<Vec<_>>();
    assert!(found(whole).iter().any(|what| what == "Slowest path between GPUs"), "{:?}", found(whole));
    let unknown = whole.replace("SYS", "ZZZ");
    assert!(found(&unknown).iter().all(|what| what != "Slowest path between GPUs"), "{:?}", found(&unknown));
    // What follows the matrix is another one: peer access.
    let both = format!("{whole}\nLegend:\n\n \tGPU0\tGPU1\n GPU0\tX\tGNS\n GPU1\tGNS\tX\n");
    let card = read("topo", &both);
    assert!(card.unread.iter().any(|unread| unread.text == "Another matrix" && unread.line == 8), "{card:?}");
}

#[test]
fn a_manifest_of_a_server_lists_what_matters() {
    let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: qwen\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: vllm\n        image: vllm/vllm-openai:v0.11.0\n        command: [\"vllm\", \"serve\", \"Qwen/Qwen2.5-7B-Instruct\", \"--tensor-parallel-size\", \"2\"]\n        env:\n        - name: VLLM_ATTENTION_BACKEND\n          value: FLASHINFER\n        ports:\n        - containerPort: 8000\n        resources:\n          limits:\n            nvidia.com/gpu: \"2\"\n        livenessProbe:\n          httpGet: {path: /health, port: 8000}\n";
    let card = read("vllm.yaml", manifest);
    let lines: Vec<&str> = card.unread.iter().map(|unread| unread.text.as_str()).collect();
    assert_eq!((card.kind, &lines[..]), (Kind::Serve, &["- name: VLLM_ATTENTION_BACKEND"][..]), "{card:?}");
    assert!(card.said.contains("Of the manifest, 20 lines of metadata"), "{}", card.said);
    // Ray Serve starts vLLM by the arguments of its engine.
    let ray = "apiVersion: ray.io/v1\nkind: RayService\nmetadata:\n  name: llm\nspec:\n  serveConfigV2: |\n    applications:\n    - name: llms\n      args:\n        llm_configs:\n        - model_loading_config:\n            model_id: qwen\n            model_source: Qwen/Qwen2.5-7B-Instruct\n          engine_kwargs:\n            max_model_len: 8192\n            tensor_parallel_size: 4\n            enforce_eager: false\n  rayClusterConfig:\n    workerGroupSpecs:\n    - replicas: 1\n      template:\n        spec:\n          containers:\n          - name: worker\n            resources:\n              limits:\n                nvidia.com/gpu: \"4\"\n";
    let card = read("ray.yaml", ray);
    let s = &card.run.serving;
    assert_eq!(
        (card.kind, s.tp, s.context, card.run.cluster.node),
        (Kind::Serve, Some(4), Some(8192), Some(4)),
        "{card:?}"
    );
    assert_eq!(s.hub.as_deref(), Some("Qwen/Qwen2.5-7B-Instruct"));
}

#[test]
fn an_idle_gpu_of_a_trace_is_said_and_counts_in_its_step() {
    // A kernel of 10 µs in a step of a millisecond.
    let trace = "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", \"pid\": 9, \"tid\": 9, \"ts\": 0, \"dur\": 1000}, {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": 400, \"dur\": 10, \"args\": {\"stream\": 7}}]}";
    let card = read("trace.json", trace);
    let shares = [Metric::GpuCompute, Metric::GpuIdle].map(|metric| card.run.measured(metric).unwrap_or_default());
    assert!((shares[0] - 0.01).abs() < 1e-9 && (shares[1] - 0.99).abs() < 1e-9, "{shares:?}");
    let verdict = compare(&card.run).verdict;
    assert!(verdict.contains("The GPU does nothing for 99% of the traced time."), "{verdict}");
    // What profilers write beside a trace is called what it is.
    for (text, says) in [
        (trace.replace("\"kernel\"", "\"cuda_profiler_range\""), "range profiler"),
        ("{\"rocprofiler-sdk-tool\": [{\"metadata\": {}}]}".to_owned(), "rocprofv3"),
        (
            "{\"schema\": \"1.0.1\", \"pid\": 5, \"nodes\": [{\"name\": \"aten::empty\", \"id\": 3}]}".to_owned(),
            "execution trace",
        ),
        ("[[-1, 1, 37888, 7], [-1, 1, 512, 7]]".to_owned(), "export_memory_timeline"),
    ] {
        let card = read("x.json", &text);
        assert!(card.outcome == Outcome::Refused && card.said.contains(says), "{says}: {}", card.said);
    }
}

#[test]
fn a_run_file_is_refused_in_sentences() {
    for (text, says) in [
        ("[layout]\ntpp = 2\n", "tpp"),
        ("[cluster]\ngpu = \"hopper\"\n", "hopper"),
        ("[cluster]\ngpu = \"NVIDIA H200 NVL\"\n", "H200 NVL"),
        ("[measured]\nstep-time = { value = -1.0 }\n", "base units"),
        ("[model]\nname = \"llama\"\n", "llama"),
        ("name = 3\n", "string"),
    ] {
        let why = Run::parse(text).err().unwrap_or_default();
        assert!(why.contains(says) && why.ends_with('.'), "{text}: {why}");
    }
    assert!(Run::parse(&"# ".repeat(200_000)).is_err());
}

#[test]
fn a_gpu_goes_by_its_drivers_name() {
    for (name, id) in [("NVIDIA A100-SXM4-80GB", "a100-80"), ("H20", "h20-96"), ("Tesla T4", "t4")] {
        let run = Run::parse(&format!("[cluster]\ngpu = \"{name}\"\n")).expect(name);
        assert_eq!(run.cluster.gpu.as_deref(), Some(id), "{name}");
        let (setup, problems) = crate::setup::Setup::read(&Query::new([("gpu", name)]).to_string());
        assert_eq!((setup.gpu.map(|gpu| gpu.id), problems.len()), (Some(id), 0), "{name}");
    }
}

#[test]
fn what_replaces_something_is_said() {
    let mut run = Run::parse("[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"a100-80\"\n").expect("a run");
    let other = Run::parse("unread = [\"x\"]\n[model.sizes]\nhidden_size = 64\nnum_hidden_layers = 2\nnum_attention_heads = 2\nintermediate_size = 128\nvocab_size = 100\n[cluster]\ngpu = \"h100-80\"\n").expect("a run");
    let said = run.take(&other);
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!((run.model.name.as_str(), run.cluster.gpu.as_deref(), run.unread.len()), ("", Some("h100-80"), 1));
    assert!(run.take(&other).is_empty());
    assert_eq!(Run::parse(&run.write()), Ok(run));
}

/// A run of Llama 3 8B on a node, with these lines of its layout.
fn eight_gpus(layout: &str, measured: &str) -> Run {
    let text = format!(
        "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 1\n[layout]\nframework = \"fsdp\"\n{layout}\n[measured]\n{measured}\n"
    );
    Run::parse(&text).expect("a run")
}

const COMPLETE: &str = "mbs = 1\nbatch = 8\nseq = 8192\nzero = 3\nrecompute = \"none\"\nflash = true";

#[test]
fn an_assertion_that_rests_on_assumptions_is_not_decided() {
    let run = eight_gpus("mbs = 1\nbatch = 8\nseq = 8192", "step-time = { value = 0.6 }");
    let asked = ["mfu > 0.4", "memory.weights < 80e9", "memory.total < 60e9", "mfu > 0.001", "memory.total < 1e15"];
    let (_, checked) = check(&run, &asked.map(str::to_owned));
    let holds: Vec<Option<bool>> = checked.iter().map(|c| c.holds).collect();
    assert_eq!(holds, [None, None, None, Some(true), Some(true)], "{checked:?}");
    for undecided in &checked[..3] {
        assert!(undecided.why.contains("layout.zero") && undecided.why.ends_with("in the run file."), "{undecided:?}");
    }
    // Of a batch nobody gave, no other value is tried, so nothing that counts its tokens is decided.
    let run = eight_gpus("seq = 8192\nzero = 3\nrecompute = \"none\"\nflash = true", "step-time = { value = 0.6 }");
    let asked = ["mfu > 0.001", "measured.mfu > 0.001", "measured.step_time < 1", "h100_80.memory > 1"];
    let (_, checked) = check(&run, &asked.map(str::to_owned));
    let holds: Vec<Option<bool>> = checked.iter().map(|c| c.holds).collect();
    assert_eq!(holds, [None, None, Some(true), Some(true)], "{checked:?}");
    assert!(checked[0].why.contains("layout.batch"), "{checked:?}");
    // Everything given: as before.
    let (_, checked) = check(&eight_gpus(COMPLETE, ""), &["mfu > 0.4".to_owned(), "memory.weights < 80e9".to_owned()]);
    assert!(checked.iter().all(|c| c.holds == Some(true)), "{checked:?}");
}

#[test]
fn a_serving_command_is_read_as_the_engine_reads_it() {
    let text = "vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 8 --max-model-len 32K --quantization fp8 --port 8001";
    let card = read("serve", text);
    let s = &card.run.serving;
    assert_eq!((card.kind, card.outcome), (Kind::Serve, Outcome::Read), "{:?}", card.unread);
    assert_eq!((card.run.model.name.as_str(), s.tp, s.context), ("llama-3-70b", Some(8), Some(32_768)));
    assert!(s.weight.is_some_and(|each| (1.0..1.1).contains(&each)), "{s:?}");
    let mut run = card.run;
    run.cluster.gpu = Some("h100-80".to_owned());
    let weights = compare(&run).row("weights").and_then(|row| row.predicted).expect("a row")[1];
    assert!((70e9 / 8.0..76e9 / 8.0).contains(&weights), "{weights}");
    assert_eq!(Run::parse(&run.write()), Ok(run.clone()));
    run.serving.weight = Some(-1.0);
    assert!(Run::parse(&run.write()).is_err_and(|why| why.contains("bytes per weight")));
    // What isn't read is listed: groups, prefixes, forms that aren't modeled, values that are none.
    let card = read(
        "serve",
        "vllm serve Qwen/Qwen3-8B --data-parallel-size 2 --no-enable-prefix-caching --quantization exotic --max-num-seqs many",
    );
    let left = ["--no-enable-prefix-caching", "--quantization exotic", "--max-num-seqs many"];
    for setting in left {
        assert!(card.run.unread.iter().any(|text| text.ends_with(setting)), "{setting}: {:?}", card.run.unread);
    }
    assert_eq!((card.run.serving.weight, card.run.serving.requests), (None, None));
    // A script's variables stand for their values, as far as they are known.
    let card = read(
        "serve.sh",
        "#!/bin/bash\nMODEL=Qwen/Qwen3-8B\nexport TP=4\nvllm serve \"$MODEL\" \\\n  -tp ${TP}\n  --max-num-seqs $MANY --port 80\n",
    );
    let s = &card.run.serving;
    assert_eq!((card.run.model.name.as_str(), s.tp, s.requests), ("qwen3-8b", Some(4), None), "{card:?}");
    assert!(card.unread.iter().any(|u| u.text == "--max-num-seqs $MANY" && u.line == 4), "{:?}", card.unread);
    let card = read(
        "serve.sh",
        "MODEL=Qwen/Qwen3-8B\nTP=4\nvllm serve --model=\"$MODEL\" --tensor-parallel-size=\"$TP\" --max-num-seqs='${TP}'\n",
    );
    let s = &card.run.serving;
    assert_eq!((card.run.model.name.as_str(), s.tp, s.requests), ("qwen3-8b", Some(4), Some(4)), "{card:?}");
    // Options stand there as they were written, in the engine's own words.
    let written =
        "--page-size 64 --chunked-prefill-size 4096 --disable-radix-cache --ep-size 8 --dp 8 --enable-dp-attention";
    let card =
        read("serve.sh", &format!("python -m sglang.launch_server --model-path org/m --tp 8 {written} --pp 1\n"));
    let kept: Vec<&str> = card.run.unread.iter().filter_map(|text| text.strip_prefix("Serving command: ")).collect();
    assert_eq!(kept.join(" "), written.replace(" --dp 8", ""), "{:?}", card.run.unread);
    // GPTQ says how many bits it has.
    for (name, bytes) in
        [("Qwen3-8B-GPTQ-Int8", 1.0..1.3), ("Qwen3-8B-GPTQ", 0.5..0.8), ("Qwen3-8B-bnb-4bit", 0.5..0.8)]
    {
        let card = read("serve", &format!("sglang serve --model-path org/{name}"));
        let s = &card.run.serving;
        assert!(
            s.weight.is_some_and(|each| bytes.contains(&each)) && s.engine.as_deref() == Some("sglang"),
            "{card:?}"
        );
    }
    // A checkpoint in 8 bits is predicted in 8 bits.
    let config =
        include_str!("../../../tests/fixtures/configs/llama-3-8b.json").trim().trim_end_matches('}').to_owned()
            + ",\"quantization_config\": {\"quant_method\": \"fp8\"}}";
    let card = read("config.json", &config);
    assert!(card.run.serving.weight.is_some_and(|each| (1.0..1.3).contains(&each)), "{:?}", card.run.serving);
    assert!(card.found.iter().any(|found| found.value.ends_with("(fp8)")), "{:?}", card.found);
}

/// What one GPU holds of a checkpoint is the checkpoint, and the ranks of tensor parallelism divide what they share: heads, and no latent.
#[test]
fn an_engine_holds_the_checkpoint_once() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/configs");
    let mut tried = [0; 3];
    for file in
        [folder.clone(), folder.join("2026")].iter().flat_map(|folder| std::fs::read_dir(folder).expect("fixtures"))
    {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|of| of != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let (Ok(import), card) = (crate::model::config::import(&text), read("config.json", &text)) else { continue };
        let imported = import.imported();
        let Ok(count) = imported.shape.count() else { continue };
        let predicted = |tp: u64, id: &str| {
            let mut run = card.run.clone();
            run.cluster.gpu = Some("gb300".to_owned());
            run.layout.dtype = None;
            (run.serving.engine, run.serving.tp) = (Some("vllm".to_owned()), Some(tp));
            compare(&run).row(id).and_then(|row| row.predicted)
        };
        let Some([_, weights, _]) = predicted(1, "weights") else { continue };
        let stored = imported.quantized.as_ref().map_or(2.0 * count.total as f64, |quantized| quantized.bytes);
        assert!((weights / stored - 1.0).abs() < 0.02, "{}: {weights} of {stored}", path.display());
        tried[0] += 1;
        tried[1] += usize::from(imported.quantized.is_some());
        // Twice the cache per token on two ranks is the same number of tokens for each byte.
        let per_byte = |tp| {
            let [tokens, bytes] = [predicted(tp, "kv-tokens")?[1], predicted(tp, "kv-memory")?[1]];
            (bytes > 0.0).then_some(tokens / bytes)
        };
        if let (Some(one), Some(two), true) =
            (per_byte(1), per_byte(2), matches!(imported.shape.attention, crate::model::Attention::Latent { .. }))
        {
            assert!((one / two - 1.0).abs() < 1e-6, "{}: {one} and {two}", path.display());
            tried[2] += 1;
        }
    }
    assert!(tried[0] > 60 && tried[1] > 8 && tried[2] > 1, "{tried:?}");
}

#[test]
fn a_repository_is_a_model_only_if_its_sizes_are() {
    let id = |name| presets::of_hub(name).map(|preset| preset.id);
    for (name, is) in [
        ("meta-llama/Llama-3.3-70B-Instruct", Some("llama-3.3-70b")),
        ("neuralmagic/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", Some("llama-3-8b")),
        ("Qwen/Qwen3-32B", Some("qwen3-32b")),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", Some("qwen3-30b-a3b")),
        ("deepseek-ai/DeepSeek-V3-0324", Some("deepseek-v3")),
        ("deepseek-ai/DeepSeek-V3.2", Some("deepseek-v3.2")),
        ("TheBloke/Llama-2-7B-Chat-AWQ", Some("llama-2-7b")),
        ("openai-community/gpt2-large", None),
        ("microsoft/Phi-3-mini-128k-instruct", None),
        ("Instruct", None),
    ] {
        assert_eq!(id(name), is, "{name}");
    }
    assert!(presets::ALL.iter().all(|p| p.hub.is_empty() || id(p.hub) == Some(p.id)));
}

#[test]
fn a_pasted_session_keeps_its_log() {
    let text = "$ vllm serve meta-llama/Llama-3.1-8B-Instruct \\\n    --gpu-memory-utilization 0.9\nINFO 01-13 11:35:21 model_runner.py:1099] Loading model weights took 14.9595 GB\nINFO gpu_executor] GPU KV cache size: 169,314 tokens\n";
    let card = read("session", text);
    assert_eq!((card.kind, card.outcome), (Kind::Log, Outcome::Read), "{:?}", card.unread);
    assert_eq!((card.run.model.name.as_str(), card.run.serving.memory), ("llama-3-8b", Some(0.9)));
    assert_eq!(card.run.measured(Metric::KvTokens), Some(169_314.0));
    assert!(card.found.iter().any(|f| f.what == Metric::KvTokens.label() && f.line == 4), "{:?}", card.found);
    // What stands around a command and is no output isn't claimed to be read.
    let card = read("serve.sh", "export VLLM_USE_V1=1\nvllm serve Qwen/Qwen3-8B -tp 2\n");
    assert_eq!((card.outcome, card.run.serving.tp, card.unread.len()), (Outcome::Partly, Some(2), 1), "{card:?}");
}

#[test]
fn a_guessed_family_stays_a_guess() {
    let config = include_str!("../../../tests/fixtures/configs/llama-3-8b.json");
    let card = read("config.json", &config.replace("\"llama\"", "\"zephyr_next\""));
    assert_eq!(card.run.model.name, "", "{:?}", card.run.model);
    assert_eq!(Run::parse(&card.run.write()).as_ref(), Ok(&card.run));
    let mut run = eight_gpus(COMPLETE, "step-time = { value = 0.9 }");
    run.take(&card.run);
    let report = compare(&run);
    assert_eq!(report.assumed.iter().map(|a| a.key).collect::<Vec<_>>(), ["model.sizes"]);
    assert!(report.verdict.starts_with("No verdict yet: size of the model is assumed."), "{}", report.verdict);
    assert!(report.verdict.contains("with the assumed values"), "{}", report.verdict);
}

#[test]
fn a_table_of_small_buffers_names_no_cause() {
    let small = |line: &&str| {
        line.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()).is_none_or(|bytes| bytes <= 65_536.0)
    };
    let cut: Vec<&str> = crate::network::measured::EXAMPLE.lines().filter(small).collect();
    let card = read("nccl", &cut.join("\n"));
    assert_eq!((card.kind, card.outcome), (Kind::NcclTests, Outcome::Partly), "{}", card.said);
    assert_eq!(card.run.measured, Run::default().measured);
    assert!(card.unread.iter().any(|u| u.why.contains("-e 1G")), "{:?}", card.unread);
    // And a cause that is larger than the gap is none.
    let run = eight_gpus(
        COMPLETE,
        "step-time = { value = 1.2 }\nbus-bandwidth = { value = 0.4e9 }\nbus-ranks = { value = 8.0 }",
    );
    let verdict = compare(&run).verdict;
    assert!(verdict.contains("would explain more than the whole gap. Check the inputs."), "{verdict}");
}

#[test]
fn settings_that_are_not_read_reach_the_verdict() {
    let toml = |name: &str| {
        format!(
            "[model]\nname = \"qwen3\"\nflavor = \"8B\"\n[optimizer]\nname = \"{name}\"\n[training]\nlocal_batch_size = 1\nseq_len = 4096\n[activation_checkpoint]\nmode = \"none\"\n"
        )
    };
    let card = read("t.toml", &toml("Lion"));
    assert_eq!((card.run.layout.optimizer, card.run.model.name.as_str()), (None, "qwen3-8b"));
    assert_eq!(card.run.unread, ["torchtitan configuration: optimizer.name = \"Lion\""]);
    assert_eq!(read("t.toml", &toml("AdamW")).run.unread, [""; 0]);
    let card = read("ds.json", "{\"train_micro_batch_size_per_gpu\": 1, \"zero_optimization\": {\"stage\": \"auto\"}}");
    assert_eq!((card.run.layout.zero, card.outcome), (None, Outcome::Partly));
    assert_eq!(card.run.unread, ["DeepSpeed configuration: zero_optimization.stage: \"auto\""]);
    for (text, setting) in [
        ("zero_stage: auto", "zero_stage: auto"),
        ("mixed_precision: int3", "mixed_precision: int3"),
        ("gradient_accumulation_steps: auto", "gradient_accumulation_steps: auto"),
    ] {
        let card = read("a.yaml", &format!("distributed_type: DEEPSPEED\nnum_processes: 8\n{text}\n"));
        assert_eq!(card.run.unread, [format!("Accelerate configuration: {setting}")]);
        assert!(card.found.iter().all(|found| !setting.ends_with(&found.value)), "{:?}", card.found);
    }
    let card = read("t.toml", &toml("AdamW").replace("\"none\"", "\"memory_budget\""));
    assert_eq!(card.run.unread, ["torchtitan configuration: activation_checkpoint.mode = \"memory_budget\""]);
    let card = read("ds.json", "{\"train_micro_batch_size_per_gpu\": 1, \"zero_optimization\": {}}");
    assert_eq!((card.run.layout.zero, card.outcome), (Some(0), Outcome::Read));
    let mut run = eight_gpus(COMPLETE, "step-time = { value = 0.9 }");
    assert!(!compare(&run).verdict.contains("may change"), "{}", compare(&run).verdict);
    run.unread = vec!["x: 1".to_owned(), "y: 2".to_owned()];
    let verdict = compare(&run).verdict;
    assert!(verdict.ends_with(" 2 settings weren’t read and may change this."), "{verdict}");
}

#[test]
fn a_job_has_the_nodes_of_its_header() {
    let nodes = |text: &str| {
        let card = read("job.sh", text);
        (card.run.cluster.nodes, card.run.cluster.node)
    };
    let script = "#!/bin/bash\n#SBATCH -N 8\n#SBATCH --gpus-per-node=8\nsrun --nodes=1 --ntasks=1 hostname\nsrun torchrun train.py\n#SBATCH --nodes=2\n";
    assert_eq!(nodes(script), (Some(8), Some(8)));
    assert_eq!(nodes("torchrun --nnodes=2 --nproc_per_node=4 train.py"), (Some(2), Some(4)));
    assert_eq!(nodes("torchrun --nnodes=2 a.py\ntorchrun --nnodes=4 b.py"), (None, None));
    let card = read(
        "job.sh",
        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:8\nhostname\nsrun true\ntorchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=$(hostname):29500 train.py\n",
    );
    assert!(card.unread.iter().all(|unread| unread.text != "The launch"), "{:?}", card.unread);
}

#[test]
fn a_variable_of_two_values_is_not_known() {
    let text = "if [ $SIZE = 7B ]; then\n  TP=4\nelse\n  TP=8\nfi\nPP=2\ntorchrun pretrain_gpt.py --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP --num-layers 2 --seq-length 4096\n";
    let card = read("m.sh", text);
    assert_eq!((card.run.layout.tp, card.run.layout.pp), (None, Some(2)), "{card:?}");
    assert_eq!(card.run.unknown, ["layout.tp"]);
    let why = "the variable’s value isn't known: the text doesn't set it, sets it to different values, or takes it from what a command prints";
    assert!(card.unread.iter().any(|u| u.text.contains("$TP") && u.why == why), "{:?}", card.unread);
    assert!(card.found.iter().all(|found| !found.value.contains('$')), "{:?}", card.found);
    for other in ["TP=2; TP=4", "for TP in 1 2; do", "TP=2\nTP=$((2 * 2))", "TP=2\nif x; then TP=4; fi"] {
        let card = read("m.sh", &format!("TP=2\n{other}\nrun --num-layers 2 --tensor-model-parallel-size $TP"));
        assert_eq!((card.run.layout.tp, card.run.is_unknown("layout.tp")), (None, true), "{other}: {card:?}");
    }
    let card = read("m.sh", "run --num-layers 2 --micro-batch-size 1\nrun --num-layers 2 --micro-batch-size 4\n");
    assert_eq!(card.run.layout.mbs, Some(4));
    let again = "given more than once: the last one is used";
    let said: Vec<&str> = card.unread.iter().filter(|u| u.why == again).map(|u| u.text.as_str()).collect();
    assert_eq!(said, ["--micro-batch-size 4"], "{:?}", card.unread);
    // What was found is what is used.
    let found = card.found.iter().filter(|found| found.what == "Micro-batch size");
    let found: Vec<(&str, usize)> = found.map(|found| (found.value.as_str(), found.line)).collect();
    assert_eq!(found, [("4", 2)], "{:?}", card.found);
    // A variable may hold another one.
    let card = read(
        "m.sh",
        "SIZES=\"--tensor-model-parallel-size 8\"\nN=2\nB=$N\nrun --num-layers 2 --micro-batch-size $B $SIZES\n",
    );
    assert_eq!(card.run.layout.mbs, Some(2), "{card:?}");
}

#[test]
fn bars_that_load_are_no_steps() {
    let text = "Loading checkpoint shards: 100%|██████████| 4/4 [00:08<00:00,  2.05s/it]\nMap: 100%|██████████| 40/40 [00:08<00:00,  5.0it/s]\n 10%|█         | 50/500 [01:40<15:00,  0.50s/it]\n";
    let card = read("log", text);
    assert_eq!((card.outcome, card.run.measured(Metric::StepTime)), (Outcome::Read, Some(0.5)), "{card:?}");
    assert_eq!(read("log", text.lines().next().unwrap_or_default()).outcome, Outcome::Refused);
}

#[test]
fn lines_are_counted_once() {
    let step = "step: 4 loss: 7.6 memory: 66.91GiB(37.51%) tps: 10,050 tflops: 314.71 mfu: 13.99%";
    let card = read("log", &format!("{step}\n\n\n{step}\n"));
    assert_eq!((card.outcome, card.said.as_str()), (Outcome::Read, "2 lines were read. Printed by torchtitan."));
    let card = read("log", &format!("{step}\nhello\n\n"));
    assert_eq!((card.outcome, card.unread_count, card.unread.len()), (Outcome::Partly, 1, 1));
    assert!(card.said.ends_with("Other lines (1) have no numbers that are known here."), "{}", card.said);
    // Bars write over their own line.
    let card =
        read("log", "hello\n 10%|█  | 50/500 [01:40<15:00,  2.01s/it]\r 12%|█  | 60/500 [02:00<15:00,  1.99s/it]\n");
    assert_eq!((card.outcome, card.unread_count), (Outcome::Partly, 1), "{}", card.said);
}

#[test]
fn what_was_not_read_is_called_what_it_is() {
    let smi = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-x)\nGPU 1: NVIDIA H200 NVL (UUID: GPU-y)";
    assert_eq!(read("smi", smi).said, "1 item wasn't read and may change the prediction.");
    let yaml = "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 16\na_new: 3\nb_new: 3\n";
    assert_eq!(
        read("a.yaml", yaml).said,
        "2 items weren't read and may change the prediction. The run file keeps the settings."
    );
}

#[test]
fn a_share_of_sglang_is_of_weights_and_cache() {
    let text = |engine: &str, memory: &str| {
        format!(
            "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\n[serving]\nengine = \"{engine}\"\n{memory}\n[measured]\nkv-tokens = {{ value = 452000.0 }}\n"
        )
    };
    let report = |engine, memory| compare(&Run::parse(&text(engine, memory)).expect("a run"));
    let room = |report: &Report| report.row("kv-memory").and_then(|row| row.predicted).expect("a row");
    let [vllm, sglang] = ["vllm", "sglang"].map(|engine| room(&report(engine, "memory = 0.9")));
    assert!(vllm[2] < sglang[0] && sglang[0] == sglang[2], "{vllm:?} {sglang:?}");
    let without = report("sglang", "");
    assert!(
        without.verdict.starts_with("No verdict yet: share of the GPU’s memory is assumed."),
        "{}",
        without.verdict
    );
    assert!(without.assumed[0].sentence.contains("SGLang computes its own share"), "{:?}", without.assumed);
    assert!(!report("sglang", "memory = 0.9").verdict.contains("No verdict"));
}

#[test]
fn what_serving_assumes_stays_assumed_beside_training() {
    let mut run = eight_gpus(COMPLETE, "step-time = { value = 0.6 }");
    run.serving.engine = Some("vllm".to_owned());
    let asked = ["kv_tokens > 1", "kv_memory > 1", "mfu > 0.4", "memory.total > 1", "weights > 1"];
    let (report, checked) = check(&run, &asked.map(str::to_owned));
    assert_eq!(report.assumed.iter().map(|a| a.key).collect::<Vec<_>>(), ["serving.memory"]);
    let holds: Vec<Option<bool>> = checked.iter().map(|c| c.holds).collect();
    assert_eq!(holds, [None, None, Some(true), Some(true), Some(true)], "{checked:?}");
    assert_eq!(checked[0].why, "It depends on serving.memory, which is assumed. Set it in the run file.");
    // Training's own verdict rests on nothing of serving.
    assert!(!report.verdict.contains("serving") && !report.verdict.contains("assumed"), "{}", report.verdict);
    assert!(report.next.iter().all(|next| !next.why.contains("serving")), "{:?}", report.next);
    run.unread = vec!["x: 1".to_owned()];
    let verdict = compare(&run).verdict;
    assert_eq!(verdict.matches("may change this.").count(), 1, "{verdict}");
    // Settings of the layout don't widen the cache.
    run.serving.memory = Some(0.9);
    run.layout.zero = None;
    let [least, _, most] = compare(&run).row("kv-memory").and_then(|row| row.predicted).expect("a row");
    let (_, checked) = check(&run, &[format!("kv_memory > {}", least.midpoint(most))]);
    assert_eq!(checked[0].why, "Only part of the predicted range meets it.", "{checked:?}");
}

#[test]
fn what_rounding_leaves_is_no_part() {
    let parts = |run: &Run| compare(run).ledger("step-time").expect("a step").predicted.clone();
    for run in [eight_gpus(COMPLETE, ""), eight_gpus(&format!("{COMPLETE}\npp = 1\ntp = 2"), "")] {
        let parts = parts(&run);
        let total: f64 = parts.iter().map(|part| part.size).sum();
        assert!(parts.iter().all(|part| part.size > 1e-9 * total), "{parts:?}");
        assert!(parts.iter().all(|part| part.label != "Pipeline bubble"), "{parts:?}");
    }
    let mut run = eight_gpus(&format!("{COMPLETE}\nfp8 = true"), "step-time = { value = 0.3 }");
    run.cluster.gpu = Some("trainium2".to_owned());
    (run.cluster.link, run.cluster.net) = (Some("nvlink4".to_owned()), Some("ndr".to_owned()));
    let report = compare(&run);
    let ledger = report.ledger("step-time").unwrap_or_else(|| panic!("{:?}", report.missing));
    let why = ledger.gap.iter().find(|c| c.label.starts_with("FP8")).map(|c| c.why.clone()).unwrap_or_default();
    // 0.76 of twice the peak.
    assert!(why.contains("about 1.5× as fast"), "{why}");
}

#[test]
fn a_default_does_not_stand_for_what_is_not_known() {
    let yaml = |setting: &str| {
        read(
            "a.yaml",
            &format!("distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n{setting}\n"),
        )
        .run
    };
    let open = yaml("  fsdp_sharding_strategy: HYBRID_SHARD");
    assert_eq!((open.layout.zero, open.unknown.as_slice()), (None, &["layout.zero".to_owned()][..]));
    assert_eq!(yaml("mixed_precision: bf16").layout.zero, Some(3));
    assert_eq!(yaml("mixed_precision: int3").unknown, ["layout.dtype"]);
    let none = "[activation_checkpoint]\nmode = \"none\"\n";
    let titan =
        |setting: &str| read("t.toml", &format!("{none}[training]\nlocal_batch_size = 1\nseq_len = 4096\n{setting}\n"));
    for (setting, key) in [
        ("[parallelism]\ntensor_parallel_degree = \"4\"", "layout.tp"),
        ("[parallelism]\npipeline_parallel_degree = -2", "layout.pp"),
        ("mixed_precision_param = \"float8\"", "layout.dtype"),
        ("[optimizer]\nname = \"Lion\"", "layout.optimizer"),
    ] {
        let card = titan(setting);
        assert_eq!((card.run.unknown.as_slice(), card.outcome), (&[key.to_owned()][..], Outcome::Partly), "{card:?}");
    }
    let card = read("ds.json", "{\"train_micro_batch_size_per_gpu\": 1, \"bf16\": {\"enabled\": \"auto\"}}");
    assert_eq!(
        (card.run.layout.dtype, card.run.unknown.as_slice()),
        (None, &["layout.dtype".to_owned()][..]),
        "{card:?}"
    );
    // What is assumed instead is said.
    let mut run = eight_gpus(COMPLETE, "step-time = { value = 0.6 }");
    run.unknown = vec!["layout.dtype".to_owned(), "layout.optimizer".to_owned()];
    let report = compare(&run);
    assert!(report.verdict.starts_with("No verdict yet: precision and optimizer are assumed."), "{}", report.verdict);
}

/// A model of Megatron-LM's flags whose `--tensor-model-parallel-size` is as given.
fn megatron(before: &str, tp: &str, more: &str) -> String {
    format!(
        "{before}\ntorchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size {tp} --pipeline-model-parallel-size 2 --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --vocab-size 32000 --seq-length 4096 --micro-batch-size 1 --global-batch-size 256 --bf16 --use-flash-attn {more}\n"
    )
}

#[test]
fn a_value_that_is_not_read_is_assumed_and_decides_nothing() {
    let of = |text: &str| {
        let mut run = read("job.sh", text).run;
        run.cluster.gpu = Some("h100-80".to_owned());
        run
    };
    let asked = ["mfu > 0.001".to_owned(), "memory.weights > 1".to_owned()];
    // The script of a function, as a job of two sizes has it.
    let run = of(&megatron(
        "launch() {\n  local tp=$1",
        "$tp",
        "\n}\nif [ \"$BIG\" = 1 ]; then\n  launch 8\nelse\n  launch 4\nfi",
    ));
    let (report, checked) = check(&run, &asked);
    assert_eq!(report.assumed.iter().map(|a| a.key).collect::<Vec<_>>(), ["layout.tp"], "{:?}", report.missing);
    assert!(checked.iter().all(|c| c.holds.is_none() && c.why.contains("layout.tp")), "{checked:?}");
    assert!(run.unread.iter().any(|text| text.ends_with("--tensor-model-parallel-size $tp")), "{:?}", run.unread);
    assert_eq!(Run::parse(&run.write()).as_ref(), Ok(&run));
    // Given, or given elsewhere, it decides.
    let mut other = run;
    other.layout.tp = Some(4);
    for run in [of(&megatron("", "4", "")), other] {
        assert!(check(&run, &asked).1.iter().all(|c| c.holds == Some(true)), "{run:?}");
    }
    // Every setting that models take: without its value no verdict is more certain than with it.
    for (flag, key) in [
        ("--context-parallel-size $X", "layout.cp"),
        ("--expert-model-parallel-size $X", "layout.ep"),
        ("--num-virtual-stages-per-pipeline-rank $X", "layout.vpp"),
        ("--recompute-granularity $X", "layout.recompute"),
        ("--attention-backend $X", "layout.flash"),
        ("--data-parallel-sharding-strategy $X --use-distributed-optimizer", "layout.zero"),
        ("--optimizer $X", "layout.optimizer"),
    ] {
        let run = of(&megatron("", "2", flag));
        let report = compare(&run);
        assert!(report.assumed.iter().any(|a| a.key == key), "{flag}: {:?} {:?}", report.assumed, report.missing);
    }
    // A size that isn't known makes no model.
    for flag in ["--num-query-groups $X", "--num-experts $X", "--ffn-hidden-size $X", "--normalization $X"] {
        let run = of(&megatron("", "4", flag));
        assert!(run.model.name.is_empty() && run.model.sizes.is_empty(), "{flag}: {:?}", run.model);
        assert!(compare(&run).missing.iter().any(|why| why.sentence.contains("sizes")), "{flag}");
    }
    let card = read("job.sh", &megatron("", "4", "").replace("--vocab-size 32000", ""));
    let vocabulary = card.unread.iter().find(|u| u.text == "--vocab-size").map(|u| u.why.clone()).unwrap_or_default();
    assert!(vocabulary.contains("isn't given"), "{:?}", card.unread);
}

#[test]
fn what_a_branch_sets_holds_inside_it() {
    let mbs = |before: &str, after: &str| {
        let text = format!("{before}\nrun --num-layers 2 --micro-batch-size $MBS --seq-length 4096 {after}\n");
        read("m.sh", &text).run.layout.mbs
    };
    assert_eq!(mbs("if [ \"$BIG\" = 1 ]; then\nMBS=4\nfi", ""), None);
    assert_eq!(mbs("[ -z \"$MBS\" ] && MBS=4", ""), None);
    assert_eq!(mbs("case $1 in\nbig)\nMBS=4\n;;\nesac", ""), None);
    assert_eq!(mbs("MBS=1\ncase $1 in\nbig) MBS=4 ;;\nesac", ""), None);
    assert_eq!(mbs("function f {\n  local MBS=4\n}", ""), None);
    assert_eq!(mbs("for i in 1 2; do\n  MBS=4\ndone", ""), None);
    assert_eq!(mbs("if x; then MBS=4; fi", ""), None);
    assert_eq!(mbs("if x; then\n  MBS=4", "\nfi"), Some(4));
    assert_eq!(mbs("if x; then\n  MBS=4\nelse", "\nfi"), None);
    assert_eq!(mbs("launch() {\n  local MBS=4", "\n}"), Some(4));
    assert_eq!(mbs("MBS=4\nif x; then\n  echo\nfi", ""), Some(4));
    // An option ends with its command.
    let card = read(
        "m.sh",
        "for mbs in 1 2; do\nrun --num-layers 2 --micro-batch-size $mbs\ndone\nrun --num-layers 2 --foo 3; echo a\n",
    );
    let texts: Vec<&str> = card.unread.iter().map(|u| u.text.as_str()).collect();
    assert!(texts.contains(&"--micro-batch-size $mbs") && texts.contains(&"--foo 3"), "{texts:?}");
}

#[test]
fn a_number_that_may_be_cut_is_not_read() {
    let line = |step: u32, end: &str| format!(" iteration {step}/ 100 | elapsed time per iteration (ms): {end}");
    let whole = (1..=5).map(|step| line(step, "5695.8 | global batch size: 128 |\n")).collect::<String>();
    for end in ["56", "5695.", "5,6", "5e", "5e+0"] {
        let card = read("cut.log", &line(6, end));
        assert_eq!((card.outcome, card.run.measured.len()), (Outcome::Refused, 0), "{end}: {card:?}");
        assert!(card.said.contains("may be cut"), "{}", card.said);
        let card = read("cut.log", &(whole.clone() + &line(6, end)));
        let m = &card.run.measured[&Metric::StepTime];
        assert!(m.value == 5.6958 && m.from.ends_with("median of 5, without step 1"), "{m:?}");
        assert!(card.unread.iter().any(|u| u.why.contains("may be cut")), "{:?}", card.unread);
    }
    // A number at the end that isn't used takes nothing along.
    let card = read("log", &line(10, "5695.8 | grad norm: 1.3"));
    assert_eq!((card.outcome, card.run.measured(Metric::StepTime)), (Outcome::Read, Some(5.6958)));
    let dump = "  num_layers ............ 32\n  tensor_model_parallel_size ........ 1";
    let card = read("log", dump);
    assert_eq!((card.run.layout.tp, card.run.is_unknown("layout.tp")), (None, true), "{card:?}");
    // Nor is one that a long line is cut in.
    let long = format!("{}elapsed time per iteration (ms): 5695.8 |\n", "x ".repeat(1980));
    assert_eq!(read("log", &(whole + &long)).run.measured[&Metric::StepTime].value, 5.6958);
}

#[test]
fn two_runs_in_one_text_are_not_mixed() {
    let megatron = |batch: u32, ms: f64| {
        let line = |step| {
            format!(" iteration {step}/ 100 | elapsed time per iteration (ms): {ms} | global batch size: {batch} |\n")
        };
        (1..=5).map(line).collect::<String>()
    };
    let titan = (1..=5)
        .map(|step| {
            format!("[titan] step: {}0 loss: 3.2 memory: 70.0GiB(50%) tps: 3000 tflops: 300.1 mfu: 30.3%\n", step)
        })
        .collect::<String>();
    let card = read("two.log", &(megatron(128, 5580.9) + &titan));
    assert_eq!(card.run.measured(Metric::StepTime), None, "{card:?}");
    assert_eq!((card.run.measured(Metric::TokensPerGpu), card.run.layout.batch), (Some(3000.0), None));
    assert!(card.unread.iter().any(|u| u.text == "Lines before 6" && u.why.contains("another program")), "{card:?}");
    let card = read("two.log", &(megatron(128, 5580.9) + &megatron(512, 9000.1)));
    assert_eq!((card.run.measured(Metric::StepTime), card.run.layout.batch), (Some(9.0001), Some(512)));
    assert!(card.unread.iter().any(|u| u.line == 6 && u.why.contains("starts again")), "{card:?}");
    // Ranks print a line apart, and Megatron-DeepSpeed prints in two forms.
    let ranks =
        [10, 20, 10, 20, 30].map(|step| format!("step: {step} memory: 70.0GiB(50%) tps: 3,000 mfu: 30.3%\n")).concat();
    assert_eq!(read("ranks.log", &ranks).outcome, Outcome::Read);
    let both = megatron(8, 500.0) + "[INFO] [timer.py] 0/17, CurrSamplesPerSec=16.0, MaxMemAllocated=2.6GB\n";
    assert_eq!(read("both.log", &both).outcome, Outcome::Read);
    // What a second paste replaces is listed.
    let mut run = read("one.log", &megatron(128, 5580.9)).run;
    let said = run.take(&read("two.log", &megatron(128, 9000.1)).run);
    assert_eq!(
        said,
        [
            "Step time: 9 s (two.log, lines 1–5, median of 5, without step 1) instead of 5.58 s (one.log, lines 1–5, median of 5, without step 1)"
        ]
    );
}

#[test]
fn measurements_that_contradict_each_other_decide_nothing() {
    let tokens = 8.0 * 8192.0;
    for measured in [
        // More than the peak.
        "step-time = { value = 0.1 }".to_owned(),
        // A step of one run and the tokens/s of another.
        format!("step-time = {{ value = 1.0 }}\ntokens-per-second = {{ value = {} }}", tokens / 2.0),
        format!("step-time = {{ value = 1.0 }}\ntokens-per-gpu = {{ value = {} }}", tokens / 8.0 * 2.0),
    ] {
        let asked = ["measured.mfu > 0.001".to_owned(), "mfu > 0.001".to_owned()];
        let (report, checked) = check(&eight_gpus(COMPLETE, &measured), &asked);
        assert!(report.verdict.starts_with("The inputs don’t belong together"), "{measured}: {}", report.verdict);
        assert_eq!(checked.iter().map(|c| c.holds).collect::<Vec<_>>(), [None, Some(true)], "{checked:?}");
    }
    let alike = format!("step-time = {{ value = 1.0 }}\ntokens-per-second = {{ value = {} }}", tokens / 1.1);
    assert!(!compare(&eight_gpus(COMPLETE, &alike)).verdict.contains("belong together"));
    // FLOP/s of one log say nothing of the step of another.
    let with = |from: &str| {
        let flops = format!(
            "step-time = {{ value = 1.0, from = \"a.log, line 1\" }}\nflops = {{ value = 3e14, from = \"{from}\" }}"
        );
        compare(&eight_gpus(COMPLETE, &flops)).ledger("mfu").is_some()
    };
    assert_eq!(["a.log, lines 1–5", "b.log, line 1"].map(with), [true, false]);
}

#[test]
fn memory_reaches_the_verdict() {
    let verdict = |measured: &str| compare(&eight_gpus(COMPLETE, measured)).verdict;
    let out = "step-time = { value = 0.6 }\nmemory-reserved = { value = 500e9 }";
    assert!(
        verdict(out).ends_with("check which GPU it is.")
            && verdict(out).contains("Memory is outside the predicted range: 500 GB measured"),
        "{}",
        verdict(out)
    );
    assert!(!verdict("step-time = { value = 0.6 }").contains("Memory is"));
    // A GPU has what its driver shows.
    let small = "mbs = 16\nbatch = 128\nseq = 8192\nzero = 0\nrecompute = \"none\"\nflash = true";
    let said = compare(&eight_gpus(small, "")).verdict;
    // What decides comes first.
    assert!(said.starts_with("It doesn’t fit: at least ") && said.contains("and a GPU has 84.9 GB."), "{said}");
    let said = compare(&eight_gpus(small, "step-time = { value = 60.0 }")).verdict;
    assert!(said.starts_with("At least ") && said.contains("Check the layout. A step "), "{said}");
}

#[test]
fn a_server_that_does_not_fit_is_said_to() {
    let of = |command: &str| {
        let mut run = read("serve.sh", command).run;
        run.cluster.gpu = Some("h100-80".to_owned());
        run
    };
    let run = of(
        "for TP in 1 2 4; do\nvllm serve Qwen/Qwen2.5-72B-Instruct -tp $TP --max-model-len ${LEN:-8192} --gpu-memory-utilization .9 &\ndone\n",
    );
    assert!(run.unread.iter().any(|text| text.ends_with(": -tp $TP")), "{:?}", run.unread);
    let mut run = run;
    if run.model == Model::default() {
        run.model.name = "llama-3-70b".to_owned();
    }
    let (report, checked) = check(&run, &["kv_tokens > 1".to_owned(), "weights > 1".to_owned()]);
    assert!(checked.iter().all(|c| c.holds.is_none() && c.why.contains("serving.tp")), "{checked:?}");
    assert!(
        report.verdict.starts_with("With the assumed values, the model doesn’t fit: its weights take 14"),
        "{}",
        report.verdict
    );
    let run = of("vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 1 --gpu-memory-utilization 0.9 --kv-cache-dtype odd");
    assert!(compare(&run).assumed.iter().any(|a| a.key == "serving.kv"), "{:?}", compare(&run).assumed);
}

#[test]
fn data_parallel_ranks_of_a_server_take_gpus() {
    let verdict = |command: &str, gpus: u64| {
        let mut run = read("serve.sh", command).run;
        (run.cluster.gpu, run.cluster.gpus) = (Some("h100-80".to_owned()), Some(gpus));
        assert_eq!(Run::parse(&run.write()).as_ref(), Ok(&run));
        compare(&run).verdict
    };
    let vllm =
        "vllm serve meta-llama/Llama-3.1-70B-Instruct --max-model-len 8192 --gpu-memory-utilization 0.9 -tp 4 -dp 4";
    let few = "The engine won’t start: it asks for 16 GPUs, and there are 8.";
    assert!(verdict(vllm, 8).starts_with(few), "{}", verdict(vllm, 8));
    let fits = verdict(vllm, 16);
    assert!(fits.starts_with("One request of 8,192 tokens fits") && fits.contains("each of 4 copies"), "{fits}");
    let sglang = "python -m sglang.launch_server --model meta-llama/Llama-3.1-70B-Instruct --tp 4 --dp 4";
    assert!(verdict(sglang, 8).starts_with(few), "{}", verdict(sglang, 8));
    // What isn't modeled has no verdict, but too few GPUs stay too few.
    for command in [
        &format!("{vllm} --enable-expert-parallel"),
        &format!("{sglang} --enable-dp-attention"),
        "vllm serve mistralai/Mixtral-8x7B-Instruct-v0.1 --max-model-len 8192 -tp 4 -dp 4",
    ] {
        assert!(verdict(command, 16).starts_with("Whether it fits isn’t said"), "{}", verdict(command, 16));
        let needs = if command.contains("attention") { 4 } else { 16 };
        assert!(verdict(command, needs - 1).starts_with("The engine won’t start"), "{}", verdict(command, needs - 1));
    }
}

#[test]
fn a_failed_run_is_said_to_have_failed() {
    let setup = (1..=7).map(|i| format!("[INFO] setup line {i}\n")).collect::<String>();
    let step = "[titan] step: 10 loss: 3.2 memory: 78.0GiB(50%) tps: 6000 tflops: 300.1 mfu: 30.3%\n";
    let end = "Traceback (most recent call last):\n  File \"train.py\", line 10, in <module>\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
    let card = read("failed.log", &(setup.clone() + step + end));
    assert!(card.said.contains("Line 11 is an error, so the run may have stopped there."), "{}", card.said);
    let stop = card.stop.expect("an error");
    assert!(stop.line == 11 && stop.text.starts_with("torch.OutOfMemoryError"), "{stop:?}");
    // The error is read, so that it isn't listed as unread too.
    assert_eq!(card.unread_count, 7, "{:?}", card.unread);
    assert!(!read("log", &(setup.clone() + step)).said.contains("error"));
    // After two later steps it went on; one may be another rank's.
    let after = |steps: &[&str]| {
        let steps: String = steps.iter().map(|n| step.replace("10", n)).collect();
        read("log", &(setup.clone() + step + end + &steps))
    };
    assert!(after(&["20"]).stop.is_some() && after(&["20", "20"]).stop.is_some());
    let went_on = after(&["20", "30"]);
    assert!(went_on.stop.is_none() && !went_on.said.contains("is an error"), "{went_on:?}");
}

#[test]
fn a_script_says_what_was_read_of_it() {
    let job = "#!/bin/bash\n#SBATCH -N 16\n#SBATCH --gres=gpu:a100:4\n#SBATCH --ntasks-per-node=4\n";
    let card = read(
        "steps.sbatch",
        &format!(
            "{job}srun -N 16 python preprocess.py\nsrun -N 1 -n 4 --gpus=4 python train_small.py\nsrun -N 8 --gpus-per-node=4 python train.py --lr 1e-4\nsrun -N 2 -n 8 python eval.py\n"
        ),
    );
    assert_eq!(
        (card.outcome, card.run.cluster.nodes, card.run.cluster.node),
        (Outcome::Partly, None, Some(4)),
        "{card:?}"
    );
    assert!(card.unread.iter().any(|u| u.why.contains("set cluster.nodes")), "{:?}", card.unread);
    let card = read("job.sh", &format!("{job}srun hostname\n"));
    assert_eq!(card.run.cluster.nodes, Some(16));
    assert_eq!(card.said, "Only the machines and the numbers of processes were read.");
    // Megatron-LM's flags stand under a header, too.
    let script = megatron("#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8", "4", "");
    for launch in ["--nnodes $SLURM_NNODES --nproc_per_node 8", "--rdzv_backend c10d"] {
        let card = read("job.sh", &script.replace("--nnodes 1 --nproc_per_node 8", launch));
        assert_eq!((card.run.cluster.nodes, card.run.cluster.node), (Some(4), Some(8)), "{launch}");
        assert!(card.unread.is_empty(), "{:?}", card.unread);
    }
    assert_eq!(read("job.sh", &script).run.cluster.nodes, Some(1), "the launch decides");
}

#[test]
fn an_error_log_is_called_that() {
    for text in [
        "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.94 GiB.\n",
        "[rank3]:[E1121 10:00:00.1 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE)\n",
        "[1234.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\n",
    ] {
        assert_eq!(read("err.txt", text).outcome, Outcome::Read, "{text}");
        // A line that says nothing that is known.
        let card = read("err.txt", &format!("{text}the job left a note here\n"));
        assert_eq!((card.kind, card.outcome), (Kind::Errors, Outcome::Partly), "{text}: {card:?}");
        assert!(card.said.ends_with("Other lines (1) have no numbers that are known here."), "{}", card.said);
    }
    for text in [
        "[1234.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\n",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n train.py FAILED\nsrun: error: node3: task 1: Exited\ntorchrun exited",
    ] {
        let card = read("err.txt", text);
        assert!(card.kind == Kind::Errors && card.outcome != Outcome::Refused, "{text}: {card:?}");
        assert!(card.may_hold_errors() && card.run.is_empty());
    }
    // DeepSpeed's launcher quotes the command, whose options aren't settings then.
    let launcher = "[2023-04-14 13:11:27,885] [ERROR] [launch.py:434:sigkill_handler] ['/usr/bin/python3', '-u', 'main.py', '--local_rank=0', '--model_name_or_path', 'facebook/opt-125m', '--per_device_train_batch_size', '2', '--deepspeed'] exits with return code = -9\n";
    assert_eq!(read("x", launcher).kind, Kind::Errors);
    let script = "#!/bin/bash\n# after a RuntimeError: out of memory\ntorchrun --nproc_per_node 8 train.py\n";
    assert_eq!(read("job.sh", script).kind, Kind::Script);
    // A script speaks of errors that nobody has seen, however much Python stands in it; the kernel's log prints them.
    let patch = "#!/usr/bin/env bash\nset -euo pipefail\npython3 - <<'EOF'\nimport sys\nif 'x' not in text:\n    raise SystemExit('[ERROR] the anchor is missing')\nprint(f\"[patch] ERROR: failed {name}\")\nEOF\ndie() { echo \"ERROR: $*\" >&2; exit 2; }\n";
    let card = read("patch.sh", patch);
    assert!(card.kind == Kind::Written || card.kind == Kind::Script, "{card:?}");
    let kernel = "[ 4778.915423] amdgpu 0000:c6:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:32769)\n[ 4778.917054] amdgpu 0000:c6:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00301031\n[ 4778.917532] amdgpu 0000:c6:00.0: amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)\n[ 4778.918012] amdgpu 0000:c6:00.0: amdgpu: \t MORE_FAULTS: 0x1\n";
    assert!(read("dmesg", kernel).may_hold_errors());
}

#[test]
fn json_of_something_else_is_called_that() {
    for text in ["{}", "{\"error\": \"Repository not found\"}", "[{}]"] {
        let card = read("x.json", text);
        assert_eq!((card.kind, card.outcome), (Kind::Unknown, Outcome::Refused));
        assert!(card.said.contains("Bring the model’s config.json"), "{text}: {}", card.said);
    }
    let cut = "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 2}, {\"ph\": \"X\", \"na";
    let card = read("cut.json", cut);
    assert_eq!((card.kind, card.outcome), (Kind::Trace, Outcome::Refused));
    assert!(card.said.contains("stops in the middle") && !card.said.contains("is shown"), "{}", card.said);
    assert!(content(b"s\0t\0e\0p\0").is_err_and(|why| why.contains("UTF-16")));
}

#[test]
fn gpus_that_differ_decide_nothing() {
    let card = read("smi", "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-x)\nGPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-y)");
    assert_eq!((card.outcome, card.run.cluster.gpu.as_deref()), (Outcome::Partly, None), "{card:?}");
    assert!(card.unread.iter().any(|u| u.why.contains("set cluster.gpu")), "{:?}", card.unread);
}

#[test]
fn evaluation_has_a_bar_of_its_own() {
    let text = " 50%|█████     | 500/1000 [10:00<10:00,  1.20s/it]\n100%|██████████| 100/100 [00:30<00:00,  3.33it/s]\n100%|██████████| 1000/1000 [20:30<00:00,  1.21s/it]\n{'train_runtime': 1230.0, 'train_samples_per_second': 6.5, 'train_steps_per_second': 0.81}\n";
    let card = read("hf.log", text);
    assert!(card.run.measured(Metric::StepTime).is_some_and(|s| (s - 1.205).abs() < 1e-9), "{card:?}");
    assert_eq!(card.outcome, Outcome::Read);
    // With nothing else, the average is what there is.
    let average = text.lines().last().map(|line| read("hf.log", line).run).unwrap_or_default();
    assert!(average.measured(Metric::StepTime).is_some_and(|s| (s * 0.81 - 1.0).abs() < 1e-9));
}

#[test]
fn parts_of_a_gap_have_a_minus_and_points() {
    let mut run = eight_gpus(COMPLETE, "step-time = { value = 0.6 }");
    run.measure(Metric::Flops, 100e12, "log");
    run.measure(Metric::Mfu, 0.1, "log");
    let report = compare(&run);
    let ledger = report.ledger("mfu").expect("an MFU was reported");
    let text = ledger.gap.first().map(|c| ledger.gap_text(c.size)).unwrap_or_default();
    assert!(text.starts_with('−') && text.ends_with(" points"), "{text}");
    let time = report.ledger("step-time").expect("a step");
    assert_eq!(time.text(-0.533), "−533 ms");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_text_is_read(text in "(\\PC{0,40}|[-{}\\[\\]:=|.0-9a-z_ \\n\"]{0,60}|(tps: |memory: |--num-layers |GPU0 |zero_optimization|\\[training\\]\\n|elapsed time per iteration \\(ms\\): |mfu: |busbw |#SBATCH )){0,6}") {
        let card = read("x", &text);
        prop_assert!(!card.said.is_empty());
        let again = Run::parse(&card.run.write());
        prop_assert!(again.is_ok() || card.outcome == Outcome::Refused || !card.run.setup().1.is_empty(), "{again:?}\n{}", card.run.write());
        let report = compare(&card.run);
        prop_assert!(report.rows.iter().all(|row| row.predicted.is_none_or(|p| p.iter().all(|v| v.is_finite()))));
    }
}

/// Forms that people posted, as they are in `content/tests/fixtures/tried.toml`.
#[test]
fn what_is_not_said_is_not_known() {
    // A line with dots is no dump, and a dump that isn't whole says nothing of what it lacks.
    for text in ["# ...take it later ... as it is", "loading ... done", "...... good ..... .... bad ....", "wait ... a"]
    {
        assert_eq!(read("x", text).outcome, Outcome::Refused, "{text}");
    }
    let whole = "--- arguments ---\n  num_layers ...................................... 32\n  optimizer ....................................... adam\n  sgd_momentum .................................... 0.9\n--- end of arguments ---\n";
    let known = read("x", whole).run;
    assert_eq!((known.layout.tp, known.layout.zero), (Some(1), Some(0)));
    assert_eq!(known.layout.optimizer, Some(crate::memory::Optimizer::AdamW));
    for lost in ["--- arguments ---\n", "--- end of arguments ---\n"] {
        let run = read("x", &whole.replace(lost, "")).run;
        let l = &run.layout;
        assert_eq!((l.tp, l.pp, l.zero, l.sp, l.recompute), (None, None, None, None, None), "{lost}");
        assert!(run.unknown.iter().any(|key| key == "layout.tp"), "{:?}", run.unknown);
    }
    let logged = "[INFO] [config.py:904:print]   world_size ................... 1\n";
    assert_eq!(read("x", &(whole.to_owned() + logged)).run.cluster.gpus, None);
    let flags =
        |flag: &str| read("x", &format!("run.py --num-layers 4 --micro-batch-size 1 {flag}\n")).run.layout.recompute;
    for flag in ["--checkpoint-activations", "--activations-checkpoint-method uniform"] {
        assert_eq!(flags(flag), Some(crate::memory::activations::Recompute::Full), "{flag}");
    }
    // YAML: what is empty, off, or on in a way of its own.
    let yaml = |text: &str| read("a.yaml", &format!("num_processes: 8\n{text}\n"));
    assert_eq!(yaml("distributed_type: 'NO'\nfsdp_config: {}").run.layout.zero, None);
    assert_eq!(yaml("distributed_type: FSDP\nfsdp_config: {}").run.layout.zero, Some(3));
    let axolotl = |text: &str| read("a.yaml", &format!("base_model: llama\nmicro_batch_size: 1\n{text}\n"));
    let card = axolotl("gradient_checkpointing: offload");
    assert_eq!(
        (card.run.layout.recompute, card.outcome),
        (Some(crate::memory::activations::Recompute::Full), Outcome::Partly)
    );
    assert!(axolotl("gradient_checkpointing: sometimes").run.is_unknown("layout.recompute"));
    assert_eq!(axolotl("flash_attention:").run.layout.flash, None);
    let offloads = |text: &str| axolotl(text).unread.iter().any(|u| u.why.contains("offloading"));
    assert!(offloads("deepspeed_config:\n  offload_param_device: cpu"));
    assert!(!offloads("deepspeed_config:\n  offload_param_device: none"));
    // Bars that don't count steps.
    for bar in ["498383it [00:12, 592.95it/s]", "Parsing: 10%|█ | 5/50 [00:01<00:09, 4.0it/s]"] {
        assert_eq!(read("x", &format!("{bar}\n")).outcome, Outcome::Refused, "{bar}");
    }
    for bar in [" 10%|█ | 5/50 [00:01<00:09, 4.0it/s]", "[rank0]: 10%|█ | 5/50 [00:01<00:09, 4.0it/s]"] {
        assert_eq!(read("x", &format!("{bar}\n")).run.measured(Metric::StepTime), Some(0.25), "{bar}");
    }
}

#[test]
fn a_matrix_without_paths_between_gpus_says_nothing_of_them() {
    let matrix = |cell: &str| {
        format!("\tGPU0\tGPU1\tGPU2\nGPU0\t X \tNV18\tNV18\nGPU1\tNV18\t X \t{cell}\nGPU2\tNV18\t{cell}\t X \n")
    };
    let card = read("topo", &matrix("NV18"));
    assert!(card.outcome == Outcome::Read && card.said.contains("Every pair"), "{card:?}");
    // One cell that isn't known.
    let card = read("topo", &matrix("XX"));
    assert!(card.outcome == Outcome::Partly && !card.said.contains("Every pair"), "{card:?}");
    let peers = "\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n";
    assert_eq!(read("topo", peers).outcome, Outcome::Refused);
}

#[test]
fn a_name_that_a_table_cuts_is_told_by_its_memory() {
    let smi = |total: &str| {
        format!(
            "| NVIDIA-SMI 460.32.03    Driver Version: 460.32.03    CUDA Version: 11.2     |\n|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off |                    0 |\n| N/A   44C    P0    46W / 300W |      0MiB / {total}MiB |      0%      Default |\n"
        )
    };
    for (total, gpu) in [("32510", Some("v100-32")), ("16160", Some("v100-16")), ("99999", None)] {
        assert_eq!(read("smi", &smi(total)).run.cluster.gpu.as_deref(), gpu, "{total}");
    }
    // A log around it is read too.
    let log =
        format!("{}iteration 10/ 10 | elapsed time per iteration (ms): 500.0 | global batch size: 8 |\n", smi("32510"));
    let card = read("job.out", &log);
    assert_eq!(
        (card.run.measured(Metric::StepTime), card.run.cluster.gpu.as_deref()),
        (Some(0.5), Some("v100-32")),
        "{card:?}"
    );
}

/// As transformers 4.57 writes it (`TrainerState.save_to_json`).
#[test]
fn a_trainer_state_is_read_as_what_the_trainer_printed() {
    let state = |last: &str| {
        format!(
            r#"{{"best_metric": null, "epoch": 1.0, "eval_steps": 500, "global_step": 20, "is_local_process_zero": true,
 "log_history": [{{"epoch": 0.5, "grad_norm": 1.21, "learning_rate": 2e-05, "loss": 1.9012, "step": 10}},
  {{"epoch": 1.0, "grad_norm": 1.02, "learning_rate": 1e-05, "loss": 1.7123, "step": 20}}{last}],
 "max_steps": 20, "num_train_epochs": 1, "train_batch_size": 4, "total_flos": 1.2e+18}}"#
        )
    };
    let ended = state(
        r#", {"epoch": 1.0, "step": 20, "total_flos": 1.2e+18, "train_loss": 1.81, "train_runtime": 40.0, "train_samples_per_second": 16.0, "train_steps_per_second": 0.5}"#,
    );
    let card = read("trainer_state.json", &ended);
    assert_eq!(
        (card.kind, card.run.measured(Metric::StepTime), card.run.measured(Metric::SequencesPerSecond)),
        (Kind::Log, Some(2.0), Some(16.0)),
        "{card:?}"
    );
    let card = read("trainer_state.json", &state(""));
    assert!(card.outcome == Outcome::Refused && card.said.contains("without times"), "{card:?}");
}

#[test]
fn comments_alone_are_no_table_of_nccl_tests() {
    assert_ne!(read("x", "# one\n# two\n# three\n").kind, Kind::NcclTests);
}

/// verl's examples begin with `set -x`, so that what a run prints begins with its command.
#[test]
fn what_verl_prints_is_read_after_its_command() {
    let command = "+ python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo\n";
    let card = read("verl.log", command);
    assert!(card.outcome == Outcome::Refused && card.said.contains("verl"), "{card:?}");
    let card = read(
        "verl.log",
        &format!(
            "{command}{{'loss': 1.0}}\n{{'train_runtime': 40.0, 'train_samples_per_second': 16.0, 'train_steps_per_second': 0.5}}\n"
        ),
    );
    // A step of reinforcement learning also generates: it's said, and compared with nothing.
    let said = |found: &Found| found.what == "Step time, not of plain training" && found.value == "2 s";
    assert!(card.found.iter().any(said) && card.run.measured.is_empty(), "{card:?}");
}

/// As the HF Trainer prints them, cut at both ends.
#[test]
fn a_log_that_begins_with_a_dictionary_is_a_log() {
    let log = "{'loss': 2.31, 'grad_norm': 1.2, 'learning_rate': 2e-05, 'epoch': 0.01}\n 12%|█▏        | 60/500 [02:00<14:40,  2.00s/it]\n{'loss': 2.2, 'grad_n";
    let card = read("cut.log", log);
    assert_eq!((card.kind, card.run.measured(Metric::StepTime)), (Kind::Log, Some(2.0)), "{card:?}");
    // Half a config is still one.
    assert_eq!(read("config.json", "{\"model_type\": \"llama\",\n \"hidden_size\": 40").kind, Kind::Config);
}

/// A file that a script reads may set anything: what fails without it is said, and that the file wasn't read.
#[test]
fn a_verdict_on_a_script_says_which_line_was_not_read() {
    let script = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:8\n#SBATCH --cpus-per-task=96\nsource ./env.sh\ntorchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=$(hostname):29500 train.py\n";
    let card = read("job.sh", script);
    assert!(card.stop.as_ref().is_some_and(|stop| stop.line == 6), "{card:?}");
    assert!(
        card.unread.iter().any(|u| u.line == 5 && u.text == "source ./env.sh" && u.why.contains("env.sh")),
        "{card:?}"
    );
    assert_eq!(card.outcome, Outcome::Partly);
}

/// What is held at the end is 500 B in a segment of 2 MiB; before, 1,000 B more were.
#[test]
fn a_snapshot_is_compared_by_its_peak() {
    let snapshot = |history: &str| {
        let text = format!(
            r#"{{"segments":[{{"total_size":2097152,"device":0,"blocks":[{{"size":512,"state":"active_allocated"}},{{"size":2096640,"state":"inactive"}}]}}],"device_traces":[[{history}]]}}"#
        );
        read("snapshot.json", &text)
    };
    let entry = |action: &str, size: u64, at: u64| format!(r#"{{"action":"{action}","size":{size},"time_us":{at}}}"#);
    let rises = [
        entry("alloc", 500, 1_000_000),
        entry("alloc", 1000, 2_000_000),
        entry("free_requested", 1000, 3_000_000),
        entry("free_completed", 1000, 5_000_000),
    ];
    let allocated = |card: &Card| card.run.measured[&Metric::MemoryAllocated].clone();
    let peak = snapshot(&rises.join(","));
    let m = allocated(&peak);
    assert!(m.value >= 1500.0 && m.value < 1600.0, "{m:?}");
    assert_eq!(m.from, "snapshot.json, the peak, 3 s before the end of the history");
    assert!(
        peak.said.starts_with("The prediction is compared with the peak in the history, 3 s before"),
        "{}",
        peak.said
    );
    // What is highest at the end, and what has no history, are the moment's.
    for history in [rises[0].as_str(), ""] {
        let card = snapshot(history);
        assert_eq!(
            (allocated(&card).value, allocated(&card).from.ends_with("at the moment of the snapshot")),
            (512.0, true),
            "{history}: {card:?}"
        );
    }
}

/// NVIDIA/Megatron-LM `megatron/core/README_STRAGGLER.md`: 15.12 ms; the form of `megatron/core/timers.py`: 123.25 ms.
#[test]
fn the_slowest_rank_is_a_cause_of_its_size() {
    const STRAGGLER: &str = " 0: INFO:megatron.core.utils:[2024-03-14 23:07:56] | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | MnPwr/Rnk: 601796W/8 | MxPwr/Rnk: 683801W/18 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 34.65ms/3 | MnEtpt/Rnk: 296.02TF/0 | MxEtpt/Rnk: 297.32TF/8\n";
    const TIMERS: &str = "(min, max) time across ranks (ms):\n    forward-backward ...............................: (811.25, 934.50)\n    optimizer ......................................: (10.50, 10.60)\n";
    let log = |lines: &str| {
        read(
            "log.txt",
            &format!(" iteration 10/ 100 | elapsed time per iteration (ms): 9000.0 | global batch size: 64 |\n{lines}"),
        )
    };
    let run = |lines: &str, layout: &str| {
        let text = format!(
            "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 1\n[layout]\nframework = \"megatron\"\nzero = 1\nrecompute = \"full\"\nflash = true\nmbs = 1\nseq = 4096\n{layout}"
        );
        compare(&gather([&file("run.toml", &text), &log(lines)]).0)
    };
    for (lines, seconds) in [(STRAGGLER, 0.01512), (TIMERS, 0.12325)] {
        assert!(log(lines).run.measured(Metric::Straggling).is_some_and(|s| (s - seconds).abs() < 1e-9), "{lines}");
        let report = run(lines, "");
        let gap = &report.ledger("step-time").expect("a ledger").gap;
        let cause = gap.iter().find(|cause| cause.label == "Stragglers").unwrap_or_else(|| panic!("{report:?}"));
        assert!((cause.size - seconds).abs() < 1e-9, "{cause:?}");
        let link = cause.link.as_ref().expect("the figure");
        assert_eq!((link.figure, link.query.get("ranks")), ("stragglers", Some("8")), "{link:?}");
        // Stages of a pipeline have different work.
        let piped = run(lines, "pp = 2\n");
        assert!(
            piped.ledger("step-time").is_some_and(|ledger| ledger.gap.iter().all(|cause| cause.label != "Stragglers"))
        );
        assert!(report.next.iter().all(|next| next.command != "--log-straggler"), "{:?}", report.next);
    }
    assert!(run("", "").next.iter().any(|next| next.command == "--log-straggler"));
}

/// Forms of 2025 and 2026, as they are in `content/tests/fixtures/tried.toml`.
#[test]
fn what_a_log_says_is_of_that_run_alone() {
    let titan = |step: u32, tps: u32, tail: &str| {
        format!(
            "[titan] root - INFO - step: {step}  loss: 2.0  memory: 9.46GiB(64.99%)  tps: {tps}  tflops: 0.52  mfu: 0.17%{tail}\n"
        )
    };
    // The MFU over the peak of another GPU.
    let t4 =
        "[titan] CUDA capacity: Tesla T4 with 14.56GiB memory\n[titan] Peak FLOPS used for computing MFU: 3.120e+14\n";
    let verdict = |text: &str| compare(&read("x", text).run).verdict;
    let said = verdict(&format!("{t4}{}", titan(14, 7_282, "")));
    assert!(said.contains("Its MFU of 0.17% isn’t judged") && said.contains("11.9 M parameters"), "{said}");
    // The same of a model that is large enough to be judged.
    let titan_8b =
        |mfu: &str| titan(14, 12, "").replace("tflops: 0.52  mfu: 0.17", &format!("tflops: 0.52  mfu: {mfu}"));
    let said = verdict(&format!("{t4}{}", titan_8b("0.17")));
    assert!(said.contains("so its MFU of 0.17% is 0.816% here. 0.816% is low"), "{said}");
    let own = verdict(&format!("{}{}", t4.replace("3.120e+14", "6.500e+13"), titan_8b("0.8")));
    assert!(!own.contains("The log divides") && own.contains("0.8% is low"), "{own}");
    let sparse = verdict(
        "[titan] CUDA capacity: NVIDIA H100 80GB HBM3 with 79.11GiB memory\n[titan] step: 14  loss: 2.0  memory: 39.46GiB(49.88%)  tps: 8,000  tflops: 400.00  mfu: 20.21%\n",
    );
    assert!(sparse.contains("twice this GPU’s dense peak"), "{sparse}");
    // What was done to the model.
    for (words, zero, recompute) in [
        ("Applied FSDP to the model", Some(3), None),
        ("Applied DDP to the model", Some(0), None),
        ("Creating torch.bfloat16 ZeRO stage 2 optimizer", Some(2), None),
        ("Creating fp16 ZeRO stage 9 optimizer", None, None),
        ("Applied full activation checkpointing to the model", None, Some(Recompute::Full)),
    ] {
        let l = read("x", &format!("[rank0]: INFO - {words}\n{}", titan(14, 7_282, ""))).run.layout;
        assert_eq!((l.zero, l.recompute), (zero, recompute), "{words}");
    }
    // Each row of a table is a run, and one alone is that run; the same rows without a table are one.
    let rows = format!("{}{}", titan(10, 900, " |"), titan(20, 700, " |"));
    let tokens = |text: &str| read("x", text).run.measured(Metric::TokensPerGpu);
    assert_eq!(tokens(&format!("batch | speed\n-- | --\n{rows}")), None);
    assert_eq!(tokens(&format!("batch | speed\n-- | --\n{}", titan(10, 900, " |"))), Some(900.0));
    assert_eq!(tokens(&format!("{}{}", titan(100, 900, ""), titan(110, 700, ""))), Some(800.0));
    // The first of two steps compiles.
    assert_eq!(tokens(&format!("{}{}", titan(1, 9, ""), titan(2, 700, ""))), Some(700.0));
    // A step that generates or scores is compared with nothing.
    let swift = "{'loss': 0.2, 'memory(GiB)': 63.16, 'train_speed(iter/s)': 0.0125, 'epoch': 0.6}\n";
    assert_eq!(read("x", swift).run.measured(Metric::StepTime), Some(80.0));
    for mark in ["'rewards/chosen': 4.4, ", "'completion_length': 4.4, "] {
        let card = read("x", &swift.replace("'epoch'", &format!("{mark}'epoch'")));
        assert!(card.run.measured.is_empty() && card.outcome == Outcome::Partly, "{card:?}");
    }
    // A part of the parameters.
    for (line, is_marked) in [
        ("trainable params: 20,185,088 || all params: 8,050,446,336 || trainable%: 0.2507", true),
        ("     Trainable parameters = 25,952,256 of 4,463,768,064 (0.58% trained)", true),
        ("trainable params: 8,050,446,336 || all params: 8,050,446,336 || trainable%: 100.0", false),
    ] {
        let run = read("x", &format!("{line}\n 10%|█ | 5/50 [00:01<00:09, 4.0it/s]\n")).run;
        assert_eq!((run.unread.len(), run.measured(Metric::StepTime)), (usize::from(is_marked), Some(0.25)), "{line}");
    }
    // What vLLM was given.
    let given = read(
        "x",
        "INFO [utils.py:278] non-default args: {'model_tag': 'm', 'model': 'org/m', 'tensor_parallel_size': 2, 'max_num_seqs': 4, 'limits': {'a': 1, 'b': [2, 3]}, 'gpu_memory_utilization': 0.8}\n",
    );
    let s = &given.run.serving;
    assert_eq!((s.tp, s.requests, s.memory), (Some(2), Some(4), Some(0.8)));
    assert!(given.unread.iter().any(|unread| unread.text == "--limits …"), "{given:?}");
}

#[test]
fn what_starts_in_a_container_is_read() {
    let tp = |text: &str| read("x", text).run.serving.tp;
    let compose = "services:\n  vllm:\n    image: vllm/vllm-openai:v0.26.0\n    command: >\n      /model\n      --tensor-parallel-size 4\n    ports:\n      - \"8000:8000\"\n";
    let list = "apiVersion: apps/v1\nkind: Deployment\nspec:\n  containers:\n  - name: a\n    command:\n    - python3\n    - -m\n    - sglang.launch_server\n    args:\n    - --model-path\n    - /work/model\n    # - --tp\n    - --tp\n    - \"4\"\n    env:\n    - name: X\n";
    let flow = "services:\n  a:\n    image: vllm/vllm-openai\n    command: [\"--model\", \"org/m\", \"--tensor-parallel-size\", \"4\"]\n";
    let long = "services:\n  a:\n    image: vllm/vllm-openai\n    command: [\n      --model, org/m,\n      \"--tensor-parallel-size\", \"4\"\n    ]\n";
    for text in [compose, list, flow, long] {
        assert_eq!(tp(text), Some(4), "{text}");
    }
    // Another program's.
    assert_eq!(tp(&compose.replace("vllm/vllm-openai", "org/trainer")), None);
    // A script, of which nothing is known.
    let script = "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec:\n  replicas: 2\n  leaderWorkerTemplate:\n    size: 2\n    workerTemplate:\n      spec:\n        containers:\n        - image: vllm/vllm-openai:latest\n          command: [sh, -c, \"bash /multi-node-serving.sh worker\"]\n          resources: {limits: {nvidia.com/gpu: \"8\"}}\n";
    let card = read("x", script);
    assert_eq!((card.run.cluster.nodes, card.run.cluster.node, card.run.serving.hub), (Some(2), Some(8), None));
    assert!(!card.unread.iter().any(|unread| unread.text.starts_with("sh")), "{:?}", card.unread);
}

#[test]
fn a_part_says_no_more_than_its_lines() {
    // Rows of a matrix that were cut off, and a whole one.
    let cut = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\nGPU0\t X \tNV18\tNV18\tNV18\t0-31\nGPU1\tNV18\t X \tNV18\tNV18\t0-31\n";
    let card = read("x", cut);
    assert_eq!((card.outcome, card.run.cluster.node), (Outcome::Partly, Some(4)));
    assert!(card.said.is_empty() || !card.said.contains("Every pair"), "{}", card.said);
    let whole = format!("{cut}GPU2\tNV18\tNV18\t X \tNV18\t0-31\nGPU3\tNV18\tNV18\tNV18\t X \t0-31\n");
    assert_eq!(read("x", &whole).outcome, Outcome::Read);
    // A list with lines left out has more than it shows.
    let list = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)\n";
    assert_eq!(read("x", list).run.cluster.node, Some(2));
    let card = read("x", &format!("$ nvidia-smi -L\n{list}...\n"));
    assert_eq!((card.run.cluster.node, card.outcome), (None, Outcome::Partly));
    // Each process of nccl-tests alone.
    let alone = "  536870912  134217728  float  sum  -1  842.5  637.23  0.00  0  0.30  1777718.25  0.00  0\n";
    let card = read("x", &format!("mpirun -np 16 all_reduce_perf -b 512M -e 512M\n{alone}"));
    assert!(card.run.measured(Metric::BusBandwidth).is_none() && card.unread.iter().any(|u| u.why.contains("alone")));
    // Reports on an environment.
    for (text, node) in [
        ("CUDA available: True\nGPU 0,1: NVIDIA H100 80GB HBM3\nGPU 0,1 Compute Capability: 9.0\n", Some(2)),
        ("- PyTorch version: 2.9\n- GPU type: NVIDIA H100 80GB HBM3\n- GPU number: 8\n", Some(8)),
        ("- CUDA device(s): NVIDIA H100 80GB HBM3, NVIDIA H100 80GB HBM3, NVIDIA H100 80GB HBM3\n", Some(3)),
        (
            "GPU models and configuration: GPU 0: NVIDIA H100 80GB HBM3\nGPU 1: NVIDIA H100 80GB HBM3\n\nNvidia driver version: 550.54.15\n",
            Some(2),
        ),
        ("GPU models and configuration: GPU 0: NVIDIA H100 80GB HBM3\nGPU 1: NVIDIA H100 80GB HBM3\n", None),
    ] {
        let cluster = read("x", text).run.cluster;
        assert_eq!((cluster.gpu.as_deref(), cluster.node), (Some("h100-80"), node), "{text}");
    }
    // Between fences, and below the command that names it.
    let yaml = "model_name_or_path: org/m\nper_device_train_batch_size: 4\nbf16: true\ncutoff_len: 4096\n";
    for text in [
        format!("My settings:\n```yaml\n{yaml}```\nand they fail\n"),
        format!("CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train a.yaml\n\n# model\n{yaml}"),
    ] {
        let all = read_all("x", &text);
        assert_eq!(all[0].0.run.layout.mbs, Some(4), "{text}{all:?}");
        assert_eq!(all[0].0.outcome, Outcome::Partly);
    }
    // A command that its program doesn't take.
    let usage = "vllm serve org/m -tp 2 --old-option\napi_server.py: error: unrecognized arguments: --old-option\n";
    assert!(read("x", usage).stop.is_some());
}

#[test]
fn rows_without_an_index_may_be_samples_of_one_gpu() {
    let node = |head: &str, row: &str| read("x", &format!("{head}\n{}", format!("{row}\n").repeat(8))).run.cluster.node;
    let row = "NVIDIA H100 80GB HBM3, 40000 MiB, 81559 MiB";
    assert_eq!(node("name, memory.used [MiB], memory.total [MiB]", row), None);
    assert_eq!(node("timestamp, name, memory.total [MiB]", &format!("2026/01/01 10:00:00.000, {row}")), None);
    // What never changes isn't sampled.
    assert_eq!(node("name, memory.total [MiB]", "NVIDIA H100 80GB HBM3, 81559 MiB"), Some(8));
    let all: String = (0..8).map(|i| format!("{i}, {row}\n")).collect();
    let head = "index, name, memory.used [MiB], memory.total [MiB]";
    assert_eq!(read("x", &format!("{head}\n{all}{all}")).run.cluster.node, Some(8));
}

#[test]
fn a_part_of_a_gpu_is_not_the_gpu() {
    let list = "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n";
    assert_eq!(read("x", list).run.cluster.gpu.as_deref(), Some("a100-80"));
    let card = read("x", &format!("{list}  MIG 3g.40gb     Device  0: (UUID: MIG-2)\n"));
    assert_eq!((card.run.cluster.gpu, card.run.cluster.node, card.outcome), (None, None, Outcome::Partly));
}

#[test]
fn what_lists_gpus_in_other_ways_is_read() {
    let links =
        |last: &str| format!("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n\t Link 0: 25 GB/s\n\t Link 1: {last}\n");
    let card = read("x", &links("25 GB/s"));
    assert!(
        card.outcome == Outcome::Read && card.found.iter().any(|found| found.value.contains("50 GB/s")),
        "{card:?}"
    );
    assert_eq!(read("x", &links("<inactive>")).unread.len(), 1);
    let stat = "node1  Thu May  2 10:00:00 2024  535.104.05\n[0] NVIDIA A100-SXM4-80GB | 61°C,  99 % | 71234 / 81920 MB | user(70000M)\n[1] NVIDIA A100-SXM4-80GB | 60°C,  98 % | 71002 / 81920 MB | user(70000M)\n";
    let run = read("x", stat).run;
    assert_eq!((run.cluster.node, run.measured(Metric::MemoryUsed)), (Some(2), Some(71_234.0 * crate::units::MIB)));
    let rows = "0, NVIDIA A100-SXM4-80GB, 71234 MiB, 81920 MiB\n1, NVIDIA A100-SXM4-80GB, 71002 MiB, 81920 MiB\n";
    assert_eq!(read("x", rows).outcome, Outcome::Partly, "numbers without names");
}

#[test]
fn a_range_of_nodes_and_other_schedulers_headers() {
    let nodes = |text: &str| read("x", text).run.cluster.nodes;
    let elastic =
        |n: &str| format!("torchrun --nnodes={n} --nproc_per_node=8 train.py --per_device_train_batch_size 4\n");
    assert_eq!(["1:4", "4:4", "4"].map(|n| nodes(&elastic(n))), [None, Some(4), Some(4)]);
    let pbs = |list: &str| {
        let run = read("x", &format!("#!/bin/bash\n#PBS -l {list}\nmpiexec -n 8 python train.py\n")).run;
        (run.cluster.nodes, run.cluster.node)
    };
    assert_eq!(pbs("select=2:ncpus=32:ngpus=4,walltime=1:00:00"), (Some(2), Some(4)));
    assert_eq!(pbs("select=2:ngpus=4+1:ngpus=8"), (None, None));
    let lsf = read(
        "x",
        "#!/bin/bash\n#BSUB -nnodes 4\njsrun -n 4 -a 6 -g 6 python train.py --per_device_train_batch_size 2\n",
    );
    assert!(lsf.unread.iter().any(|unread| unread.why.contains("LSF")), "{lsf:?}");
}

#[test]
fn pods_of_manifests_are_counted() {
    let gpus = |n: &str| format!("containers: [{{name: a, image: x, resources: {{limits: {{nvidia.com/gpu: {n}}}}}}}]");
    let plain = "containers: [{name: a, image: x}]";
    let sizes = |kind: &str, spec: &str| {
        let card =
            read("x", &format!("apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n{spec}"));
        (card.run.cluster.nodes, card.run.cluster.node)
    };
    let lws = |leader: &str, n: &str| {
        format!(
            "  replicas: 2\n  leaderWorkerTemplate:\n    size: 4\n{leader}    workerTemplate: {{spec: {{{}}}}}\n",
            gpus(n)
        )
    };
    let leader = |pod: &str| format!("    leaderTemplate: {{spec: {{{pod}}}}}\n");
    assert_eq!(sizes("LeaderWorkerSet", &lws("", "8")), (Some(4), Some(8)));
    assert_eq!(sizes("LeaderWorkerSet", &lws(&leader(&gpus("8")), "8")), (Some(4), Some(8)));
    assert_eq!(sizes("LeaderWorkerSet", &lws(&leader(plain), "8")), (Some(3), Some(8)));
    assert_eq!(sizes("LeaderWorkerSet", &lws(&leader(&gpus("4")), "8")), (None, None), "pods differ");
    assert_eq!(sizes("LeaderWorkerSet", &lws("", "{{ .Values.gpus }}")), (None, None), "a template");
    let mpi = format!(
        "  mpiReplicaSpecs:\n    Launcher: {{replicas: 1, template: {{spec: {{{plain}}}}}}}\n    Worker: {{replicas: 16, template: {{spec: {{{}}}}}}}\n",
        gpus("8")
    );
    assert_eq!(sizes("MPIJob", &mpi), (Some(16), Some(8)));
    let ray = |more: &str| {
        format!(
            "  rayClusterSpec:\n{more}    headGroupSpec: {{template: {{spec: {{{plain}}}}}}}\n    workerGroupSpecs:\n    - {{replicas: 2, minReplicas: 1, maxReplicas: 5, template: {{spec: {{{}}}}}}}\n",
            gpus("4")
        )
    };
    assert_eq!(sizes("RayJob", &ray("")), (Some(2), Some(4)));
    assert_eq!(sizes("RayJob", &ray("    enableInTreeAutoscaling: true\n")), (None, None), "it grows");
}

#[test]
fn a_loop_of_somebodys_own_is_read_where_its_numbers_have_units() {
    let line = "step 100 loss 2.113 step_time 13.1s tokens/s 40000 mfu 13.0%\n";
    let run = read("x", line).run;
    assert_eq!([Metric::StepTime, Metric::Mfu].map(|metric| run.measured(metric)), [Some(13.1), Some(0.13)]);
    assert_eq!(run.measured(Metric::TokensPerSecond), None, "one GPU's, or the job's");
    // Where nothing says whose they are, they are listed, alone or beside what is read.
    for line in ["step 20 | loss 2.1 | tps 5050\n", "step 20 | loss 2.1 | 5050 tok/s | step_time 1.2s\n"] {
        let card = read("x", line);
        assert!(
            card.unread.iter().any(|unread| unread.why.contains("one GPU’s")) && card.unread_count == 1,
            "{card:?}"
        );
        assert_eq!(card.run.measured(Metric::TokensPerSecond).or(card.run.measured(Metric::TokensPerGpu)), None);
    }
    let card = read("x", "step 20 | loss 2.1 | step_time 1.2s | mem 41.2GB\n");
    assert!(card.unread.iter().any(|unread| unread.why.contains("reserved")) && card.unread_count == 1, "{card:?}");
    let card = read("x", "step 20 | loss 2.1 | tokens/sec/gpu 5,050\n");
    assert_eq!((card.run.measured(Metric::TokensPerGpu), card.unread_count), (Some(5050.0), 0), "{card:?}");
    let ms = read("x", "iter 5: loss=3.2, step_time=350 ms\n").run;
    assert!((ms.measured(Metric::StepTime).unwrap_or_default() - 0.35).abs() < 1e-12);
    for line in [
        "step 100 loss 2.113 step_time 13.1 mfu 13.0\n",
        "laststep_time 3s loss step\n",
        "the loss of step_time 5 sums\n",
    ] {
        assert!(read("x", line).run.measured.is_empty(), "{line}");
    }
}

#[test]
fn a_key_of_toml_needs_no_spaces() {
    let text = "[model]\nname=\"llama-3-8b\"\n\n[layout]\ntp=2\nseq=4096\nzero=3\n\nNNODES=2\ntorchrun --nproc_per_node=8 --nnodes=2 train.py\n";
    let all = read_all("x", text);
    let run = gather(all.iter().map(|(card, _)| card)).0;
    assert_eq!((run.layout.tp, run.layout.seq, run.layout.zero), (Some(2), Some(4096), Some(3)), "{all:?}");
    assert_eq!((run.cluster.node, run.cluster.nodes), (Some(8), Some(2)), "{all:?}");
}

#[test]
fn a_configuration_on_one_line_is_cut_out_of_a_paste() {
    let text = "accelerate launch --num_processes 8 train.py\n{\"zero_optimization\":{\"stage\":3},\"bf16\":{\"enabled\":true}}\n";
    let run = gather(read_all("x", text).iter().map(|(card, _)| card)).0;
    assert_eq!((run.layout.zero, run.nodes().0.or(run.cluster.gpus)), (Some(3), Some(8)));
}
