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
        assert_eq!((card.kind, card.unread_count), (Kind::Torchtitan, 0), "{query}: {:?}", card.unread);
        let (l, pipeline) = (&card.run.layout, p.layout.pipeline);
        assert_eq!(
            (l.tp, l.cp, l.ep, l.pp, l.dp),
            (Some(p.layout.tp), Some(p.layout.cp), Some(p.layout.ep), Some(pipeline.stages), Some(p.dp)),
            "{query}"
        );
        assert!(p.dp == 1 || l.zero == Some(p.zero), "{query}");
        assert_eq!((l.mbs, l.recompute), (Some(p.mbs), Some(p.recompute)), "{query}");
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
        read("x", "iteration 1 | elapsed time per iteration (ms): 5 | global batch size: 128").run.layout.batch,
        Some(128)
    );
}

/// The dump at the start of a Megatron-LM run, as in NVIDIA/Megatron-LM issue 756.
#[test]
fn a_log_brings_its_own_configuration() {
    let text = "\
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

#[test]
fn machines_are_recognized() {
    let smi = "\
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   30C    P0             65W /  400W |   70123MiB /  81920MiB |      0%      Default |
|   1  NVIDIA A100-SXM4-80GB          On  |   00000000:0B:00.0 Off |                    0 |
| N/A   31C    P0             65W /  400W |   71005MiB /  81920MiB |      0%      Default |";
    let card = read("smi", smi);
    assert_eq!((card.kind, card.outcome), (Kind::NvidiaSmi, Outcome::Read));
    assert_eq!((card.run.cluster.gpu.as_deref(), card.run.cluster.node), (Some("a100-80"), Some(2)));
    assert_eq!(card.run.measured(Metric::MemoryUsed), Some(71_005.0 * crate::units::MIB));
    let rocm = "======= ROCm System Management Interface =======\nGPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X OAM\nGPU[1]\t\t: Card Series: \t\tAMD Instinct MI300X OAM\nGPU[0]\t\t: VRAM Total Used Memory (B): 150000000000";
    let card = read("rocm", rocm);
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
    assert_eq!(read("topo", "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X ").outcome, Outcome::Refused);
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
    assert!(report.verdict.starts_with("No verdict yet"), "{}", report.verdict);
    assert!(report.next[0].command.is_empty(), "pasting comes first: {:?}", report.next);
    let row = report.row("step-time").expect("a row");
    let [low, _, high] = row.predicted.expect("a prediction");
    assert!(low < high, "{row:?}");
    let bare = Run { layout: Layout { framework: None, ..run.layout.clone() }, ..run };
    assert!(compare(&bare).missing.iter().any(|why| why.contains("How the GPUs share the model")));
}

#[test]
fn a_measured_link_names_its_cause() {
    let text = "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 4\n[layout]\nframework = \"fsdp\"\nmbs = 1\nbatch = 32\nseq = 2048\nzero = 3\nrecompute = \"none\"\nflash = true\n[measured]\nstep-time = { value = 4.0 }\nbus-bandwidth = { value = 8.5e9 }\nbus-ranks = { value = 32.0 }\n";
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
    assert_eq!(report.missing, [""; 0]);
}

#[test]
fn a_run_file_is_refused_in_sentences() {
    for (text, says) in [
        ("[layout]\ntpp = 2\n", "tpp"),
        ("[cluster]\ngpu = \"h100\"\n", "h100"),
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
fn what_replaces_something_is_said() {
    let mut run = Run::parse("[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"a100-80\"\n").expect("a run");
    let other = Run::parse("unread = [\"x\"]\n[model.sizes]\nhidden_size = 64\nnum_hidden_layers = 2\nnum_attention_heads = 2\nintermediate_size = 128\nvocab_size = 100\n[cluster]\ngpu = \"h100-80\"\n").expect("a run");
    let said = run.take(&other);
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!((run.model.name.as_str(), run.cluster.gpu.as_deref(), run.unread.len()), ("", Some("h100-80"), 1));
    assert!(run.take(&other).is_empty());
    assert_eq!(Run::parse(&run.write()), Ok(run));
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
