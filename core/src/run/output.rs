//! What training and serving programs print, line by line, in any number of pieces.
//!
//! A line is known by its marks, and numbers in it by the words beside them. The forms are those of Megatron-LM (`megatron/training/training.py`),
//! Megatron-Bridge, NeMo, torchtitan (`components/metrics.py`), DeepSpeed (`utils/timer.py`, `runtime/utils.py`), the HF Trainer, Composer,
//! OLMo-core, GPT-NeoX, nanoGPT, nanochat, nanotron (`logging/base.py`), MaxText (`metric_logger.py`), llm.c, vLLM and SGLang. Time and memory grow with the length of a line, not of the log.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::card::{Card, Kind, Outcome, Stop, quote};
use super::hardware;
use super::measure::Metric;
use super::oom::{self, Frames};
use crate::decimal;
use crate::hardware::named as gpu;
use crate::memory::Dtype;
use crate::memory::activations::Recompute;
use crate::quantity::{counted, grouped};
use crate::units::{GIB, MIB};

/// The most bytes of a line that are looked at.
const LONGEST: usize = 4000;
/// Values of a metric that are kept: the last ones.
const KEPT: usize = 20_000;
/// What is said of a text that has nothing but a number at its end.
pub(super) const CUT: &str = "The text ends right behind its only number, which may be cut. Paste whole lines.";
/// What is said of tokens per second that may be of two things.
pub(super) const RATE: &str = "tokens per second may be one GPU’s or the job’s: give them in a run file as measured.tokens-per-gpu or measured.tokens-per-second";
/// What is said of memory of a kind that isn't said.
const MEMORY: &str = "its memory may be allocated or reserved, now or at most: give it in a run file as measured.memory-allocated or measured.memory-reserved";
/// What is said of a table of runs.
pub(super) const TABLE: &str = "It is a table in which each row is a run of its own. Paste the output of one of them.";
/// What stands in place of the fences of Markdown, between whose blocks another run may begin.
pub(super) const APART: &str = "\u{c}\n";
/// Unread lines that are quoted.
const QUOTED: usize = 5;
/// Lines of DeepSpeed's settings that are kept.
const SETTINGS: usize = 1000;

/// What a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Is {
    A(Metric),
    /// Its reciprocal, of steps per second.
    Rate,
    /// The same over a whole run, with whatever else it did.
    Average,
    Batch,
    Gpus,
    Dp,
    Tp,
    Pp,
    Cp,
    Parameters,
}

/// Where a number stands, and what it is: behind the words, or before them.
struct Field {
    words: &'static str,
    is: Is,
    times: f64,
    before: bool,
}

const fn behind(words: &'static str, is: Is, times: f64) -> Field {
    Field { words, is, times, before: false }
}

const fn before(words: &'static str, is: Is, times: f64) -> Field {
    Field { words, is, times, before: true }
}

/// A kind of line.
struct Form {
    program: &'static str,
    /// All of these are in it.
    marks: &'static [&'static str],
    fields: &'static [Field],
}

use Is::{A, Average, Batch, Cp, Dp, Gpus, Parameters, Pp, Rate, Tp};
use Metric as M;

const FORMS: &[Form] = &[
    Form {
        program: "Megatron-LM",
        marks: &["elapsed time per iteration (ms)"],
        fields: &[
            behind("elapsed time per iteration (ms):", A(M::StepTime), 1e-3),
            behind("throughput per GPU (TFLOP/s/GPU):", A(M::Flops), 1e12),
            behind("approx flops per GPU:", A(M::Flops), 1e12),
            behind("global batch size:", Batch, 1.0),
            // Ascend's branch writes it so.
            behind("gloabl batch size:", Batch, 1.0),
            behind("loss scale:", A(M::LossScale), 1.0),
        ],
    },
    // Megatron-DeepSpeed's and GPT-NeoX's.
    Form {
        program: "Megatron-LM",
        marks: &["elapsed time per iteration (ms)", "tokens per gpu per second (tgs):"],
        fields: &[behind("(tgs):", A(M::TokensPerGpu), 1.0), behind("TFLOPs:", A(M::Flops), 1e12)],
    },
    Form {
        program: "Megatron-LM",
        marks: &["samples/sec:", "elapsed time per iteration (ms)"],
        fields: &[behind("samples/sec:", A(M::SequencesPerSecond), 1.0)],
    },
    Form {
        program: "Megatron-LM",
        marks: &["memory (MB)", "max allocated:"],
        fields: &[
            behind("max allocated:", A(M::MemoryAllocated), MIB),
            behind("max reserved:", A(M::MemoryReserved), MIB),
        ],
    },
    Form {
        program: "Megatron-LM",
        marks: &["using world size:"],
        fields: &[
            behind("using world size:", Gpus, 1.0),
            behind("data-parallel size:", Dp, 1.0),
            behind("context-parallel size:", Cp, 1.0),
            behind("tensor-model-parallel size:", Tp, 1.0),
            behind("pipeline-model-parallel size:", Pp, 1.0),
        ],
    },
    Form {
        program: "Megatron-Bridge",
        marks: &["Step Time :", "TFLOP/s/GPU"],
        fields: &[behind("Step Time :", A(M::StepTime), 1.0), behind("utilization:", A(M::Flops), 1e12)],
    },
    Form {
        program: "NeMo",
        marks: &["train_step_timing in s"],
        fields: &[
            behind("train_step_timing in s", A(M::StepTime), 1.0),
            behind("TFLOPS_per_GPU", A(M::Flops), 1e12),
            behind("global_batch_size", Batch, 1.0),
        ],
    },
    Form {
        program: "torchtitan",
        marks: &["tps:", "memory:"],
        fields: &[
            behind("memory:", A(M::MemoryReserved), GIB),
            behind("tps:", A(M::TokensPerGpu), 1.0),
            behind("tflops:", A(M::Flops), 1e12),
            behind("mfu:", A(M::Mfu), 1e-2),
        ],
    },
    Form {
        program: "torchtitan",
        marks: &["wps:", "memory:"],
        fields: &[
            behind("memory:", A(M::MemoryReserved), GIB),
            behind("wps:", A(M::TokensPerGpu), 1.0),
            behind("mfu:", A(M::Mfu), 1e-2),
        ],
    },
    Form {
        program: "torchtitan",
        marks: &["Peak FLOPS used for computing MFU"],
        fields: &[behind("computing MFU", A(M::Peak), 1.0)],
    },
    Form {
        program: "torchtitan",
        marks: &["memory allocation retries"],
        fields: &[before("CUDA memory allocation retries", A(M::AllocationRetries), 1.0)],
    },
    Form {
        program: "torchtitan",
        marks: &["size:", "total parameters"],
        fields: &[before("total parameters", Parameters, 1.0)],
    },
    Form {
        program: "DeepSpeed",
        marks: &["SamplesPerSec="],
        fields: &[
            behind("CurrSamplesPerSec=", A(M::SequencesPerSecond), 1.0),
            behind(" SamplesPerSec=", A(M::SequencesPerSecond), 1.0),
            behind("MaxMemAllocated=", A(M::MemoryAllocated), GIB),
        ],
    },
    Form {
        program: "DeepSpeed",
        marks: &["Max_MA"],
        fields: &[behind("Max_MA", A(M::MemoryAllocated), GIB), behind("Max_CA", A(M::MemoryReserved), GIB)],
    },
    Form {
        program: "DeepSpeed",
        marks: &["pytorch allocator cache flushes"],
        fields: &[before("pytorch allocator cache flushes", A(M::AllocationRetries), 1.0)],
    },
    // Its FLOPs profiler (`profiling/flops_profiler/profiler.py`).
    Form {
        program: "DeepSpeed",
        marks: &["samples/second:  "],
        fields: &[behind("samples/second:", A(M::SequencesPerSecond), 1.0)],
    },
    Form { program: "DeepSpeed", marks: &["world size:    "], fields: &[behind("world size:", Gpus, 1.0)] },
    Form {
        program: "HF Trainer",
        marks: &["train_runtime"],
        fields: &[
            behind("train_steps_per_second:", Average, 1.0),
            behind("train_samples_per_second:", A(M::SequencesPerSecond), 1.0),
        ],
    },
    // Of its progress bar, NeMo counts steps, which PyTorch Lightning alone doesn't.
    Form {
        program: "NeMo",
        marks: &["reduced_train_loss=", "s/it, "],
        fields: &[before("s/it, ", A(M::StepTime), 1.0)],
    },
    Form { program: "NeMo", marks: &["reduced_train_loss=", "it/s, "], fields: &[before("it/s, ", Rate, 1.0)] },
    Form {
        program: "NeMo",
        marks: &["reduced_train_loss", "global_batch_size"],
        fields: &[behind("global_batch_size", Batch, 1.0)],
    },
    // What a Trainer's callbacks add to its dictionary (`axolotl-ai-cloud/axolotl`, `core/trainers/base.py`; `linkedin/Liger-Kernel`,
    // `examples/huggingface/callback.py`).
    Form {
        program: "Axolotl",
        marks: &["memory/max_", "loss:"],
        fields: &[
            behind("memory/max_mem_allocated(gib):", A(M::MemoryAllocated), GIB),
            behind("memory/max_allocated (GiB):", A(M::MemoryAllocated), GIB),
            behind("memory/device_mem_reserved(gib):", A(M::MemoryReserved), GIB),
            behind("memory/device_reserved (GiB):", A(M::MemoryReserved), GIB),
            behind("tokens_per_second_per_gpu:", A(M::TokensPerGpu), 1.0),
        ],
    },
    Form {
        program: "Liger Kernel",
        marks: &["total_peak_memory_allocated_MB:"],
        fields: &[
            behind("total_peak_memory_allocated_MB:", A(M::MemoryAllocated), MIB),
            behind("total_peak_memory_reserved_MB:", A(M::MemoryReserved), MIB),
            behind("step_tokens_per_second:", A(M::TokensPerSecond), 1.0),
        ],
    },
    Form {
        program: "torchtune",
        marks: &["Step ", "| loss:", "tokens_per_second_per_gpu:"],
        fields: &[
            behind("tokens_per_second_per_gpu:", A(M::TokensPerGpu), 1.0),
            behind("peak_memory_alloc:", A(M::MemoryAllocated), GIB),
            behind("peak_memory_reserved:", A(M::MemoryReserved), GIB),
        ],
    },
    // `trainer_log.jsonl` (`hiyouga/LlamaFactory`, `train/callbacks.py`), and what wandb sums up.
    Form {
        program: "LLaMA-Factory",
        marks: &["current_steps:", "throughput:"],
        fields: &[behind("throughput:", A(M::TokensPerSecond), 1.0)],
    },
    Form {
        program: "HF Trainer",
        marks: &["wandb:", "train_steps_per_second "],
        fields: &[behind("train_steps_per_second ", Average, 1.0)],
    },
    Form {
        program: "HF Trainer",
        marks: &["wandb:", "train_samples_per_second "],
        fields: &[behind("train_samples_per_second ", A(M::SequencesPerSecond), 1.0)],
    },
    // `_inner_training_loop` of transformers, `trainer.py`.
    Form {
        program: "HF Trainer",
        marks: &["Total train batch size (w. parallel, distributed & accumulation) ="],
        fields: &[behind("accumulation) =", Batch, 1.0)],
    },
    Form { program: "HF Trainer", marks: &["s/it]"], fields: &[before("s/it]", A(M::StepTime), 1.0)] },
    Form { program: "HF Trainer", marks: &["it/s]"], fields: &[before("it/s]", Rate, 1.0)] },
    // Its speed is that from the beginning on (`modelscope/ms-swift`, `swift/trainers/callback.py`).
    Form {
        program: "ms-swift",
        marks: &["train_speed("],
        fields: &[
            behind("train_speed(iter/s):", Rate, 1.0),
            behind("train_speed(s/it):", A(M::StepTime), 1.0),
            behind("memory(GiB):", A(M::MemoryReserved), GIB),
        ],
    },
    // A step of reinforcement learning (`verl-project/verl`, `verl/trainer/ppo/metric_utils.py`).
    Form { program: "verl", marks: &["timing_s/step:"], fields: &[behind("timing_s/step:", A(M::StepTime), 1.0)] },
    Form {
        program: "verl",
        marks: &["train/loss:", "train/time(s):"],
        fields: &[behind("train/time(s):", A(M::StepTime), 1.0), behind("train/mfu:", A(M::Mfu), 1.0)],
    },
    Form {
        program: "verl",
        marks: &["perf/max_memory_allocated_gb:"],
        fields: &[behind("perf/max_memory_allocated_gb:", A(M::MemoryAllocated), GIB)],
    },
    Form {
        program: "verl",
        marks: &["perf/max_memory_reserved_gb:"],
        fields: &[behind("perf/max_memory_reserved_gb:", A(M::MemoryReserved), GIB)],
    },
    Form {
        program: "Unsloth",
        marks: &["Unsloth - ", "Num GPUs used ="],
        fields: &[behind("Num GPUs used =", Gpus, 1.0)],
    },
    Form {
        program: "Unsloth",
        marks: &["Data Parallel GPUs =", "Total batch size ("],
        fields: &[behind(") =", Batch, 1.0)],
    },
    // `progress.txt` of `--log-progress`.
    Form {
        program: "Megatron-LM",
        marks: &["Job ID:", "# GPUs:"],
        fields: &[behind("# GPUs:", Gpus, 1.0), behind("Job throughput:", A(M::Flops), 1e12)],
    },
    Form {
        program: "nanoGPT",
        marks: &["iter ", "loss ", ", time "],
        fields: &[behind("time ", A(M::StepTime), 1e-3), behind("mfu ", A(M::Mfu), 1e-2)],
    },
    Form {
        program: "nanochat",
        marks: &["dt:", "tok/sec:"],
        fields: &[
            behind("dt:", A(M::StepTime), 1e-3),
            behind("tok/sec:", A(M::TokensPerSecond), 1.0),
            behind("mfu:", A(M::Mfu), 1e-2),
        ],
    },
    Form {
        program: "nanotron",
        marks: &["time_per_iteration_ms:", "tokens_per_sec_per_gpu:"],
        fields: &[
            behind("time_per_iteration_ms:", A(M::StepTime), 1e-3),
            behind("tokens_per_sec:", A(M::TokensPerSecond), 1.0),
            behind("tokens_per_sec_per_gpu:", A(M::TokensPerGpu), 1.0),
            behind("model_tflops_per_gpu:", A(M::Flops), 1e12),
            behind("global_batch_size:", Batch, 1.0),
            behind("cuda_max_memory_reserved:", A(M::MemoryReserved), 1.0),
        ],
    },
    Form {
        program: "MaxText",
        marks: &["completed step:", "TFLOP/s/device:"],
        fields: &[
            behind("seconds:", A(M::StepTime), 1.0),
            behind("TFLOP/s/device:", A(M::Flops), 1e12),
            behind("Tokens/s/device:", A(M::TokensPerGpu), 1.0),
        ],
    },
    // Its form of 2023.
    Form {
        program: "MaxText",
        marks: &["completed step:", " TFLOP/s:"],
        fields: &[behind("seconds:", A(M::StepTime), 1.0), behind(" TFLOP/s:", A(M::Flops), 1e12)],
    },
    // `ml-explore/mlx-lm`, `mlx_lm/tuner/trainer.py`.
    Form {
        program: "MLX",
        marks: &["It/sec ", "Tokens/sec ", "Trained Tokens "],
        fields: &[behind("It/sec ", Rate, 1.0), behind("Tokens/sec ", A(M::TokensPerSecond), 1.0)],
    },
    // `meta-llama/llama-cookbook`, `src/llama_recipes/utils/memory_utils.py`: whole gibibytes.
    Form {
        program: "llama-cookbook",
        marks: &["Max CUDA memory allocated was"],
        fields: &[behind("allocated was", A(M::MemoryAllocated), GIB)],
    },
    Form {
        program: "llama-cookbook",
        marks: &["Max CUDA memory reserved was"],
        fields: &[behind("reserved was", A(M::MemoryReserved), GIB)],
    },
    // What it adds to the Trainer's dictionary (`huggingface/optimum-habana`, `optimum/habana/utils.py`).
    Form {
        program: "Optimum Habana",
        marks: &["max_memory_allocated (GB):", "total_memory_available (GB):"],
        fields: &[behind("max_memory_allocated (GB):", A(M::MemoryAllocated), GIB)],
    },
    // `karpathy/llama2.c`, `train.py`.
    Form {
        program: "nanoGPT",
        marks: &[" | loss ", " | lr ", "ms | mfu "],
        fields: &[before("ms | mfu ", A(M::StepTime), 1e-3), behind("| mfu ", A(M::Mfu), 1e-2)],
    },
    // `PaddlePaddle/PaddleNLP`, `paddlenlp/trainer/trainer_utils.py`.
    Form {
        program: "PaddleNLP",
        marks: &["interval_runtime:", "interval_steps_per_second:"],
        fields: &[
            behind("interval_steps_per_second:", Rate, 1.0),
            behind("interval_samples_per_second:", A(M::SequencesPerSecond), 1.0),
            behind("interval_tokens_per_second_per_device:", A(M::TokensPerGpu), 1.0),
            behind("max_memory_allocated:", A(M::MemoryAllocated), GIB),
            behind("max_memory_reserved:", A(M::MemoryReserved), GIB),
        ],
    },
    // `foundation-model-stack/fms-fsdp`, `fms_fsdp/utils/train_utils.py`: a line for each.
    Form { program: "fms-fsdp", marks: &["current step time:"], fields: &[behind("time:", A(M::StepTime), 1.0)] },
    Form {
        program: "fms-fsdp",
        marks: &["current token per gpu per sec:"],
        fields: &[behind("per sec:", A(M::TokensPerGpu), 1.0)],
    },
    Form {
        program: "fms-fsdp",
        marks: &["reserved memory: "],
        fields: &[behind("memory:", A(M::MemoryReserved), 1.0)],
    },
    Form {
        program: "fms-fsdp",
        marks: &["allocated memory: "],
        fields: &[behind("memory:", A(M::MemoryAllocated), 1.0)],
    },
    Form {
        program: "InternEvo",
        marks: &["record_current_batch_training_metrics", "tgs (tokens/gpu/second)="],
        fields: &[behind("tflops=", A(M::Flops), 1e12), behind("tgs (tokens/gpu/second)=", A(M::TokensPerGpu), 1.0)],
    },
    // Its steps are those of the optimizer (`InternLM/xtuner`, `xtuner/v1/train/trainer.py`).
    Form {
        program: "XTuner",
        marks: &["[XTuner]", "] Step ", " tgs: "],
        fields: &[
            behind(" time:", A(M::StepTime), 1.0),
            behind("max_memory:", A(M::MemoryAllocated), GIB),
            behind("reserved_memory:", A(M::MemoryReserved), GIB),
            behind(" tgs:", A(M::TokensPerGpu), 1.0),
        ],
    },
    Form {
        program: "picotron",
        marks: &["| Tokens/s/GPU:", "| Memory usage:"],
        fields: &[
            behind("Tokens/s/GPU:", A(M::TokensPerGpu), 1.0),
            behind("MFU:", A(M::Mfu), 1e-2),
            behind("Memory usage:", A(M::MemoryReserved), 1e9),
        ],
    },
    Form {
        program: "MindFormers",
        marks: &["per_step_time:", "global_norm:"],
        fields: &[behind("per_step_time:", A(M::StepTime), 1e-3)],
    },
    Form {
        program: "fairseq",
        marks: &["train_inner", " ups="],
        fields: &[behind(" ups=", Rate, 1.0), behind(" wps=", A(M::TokensPerSecond), 1.0)],
    },
    Form {
        program: "Diffusers",
        marks: &["Steps:", "s/it, ", "step_loss="],
        fields: &[before("s/it, ", A(M::StepTime), 1.0)],
    },
    Form { program: "Diffusers", marks: &["Steps:", "it/s, ", "step_loss="], fields: &[before("it/s, ", Rate, 1.0)] },
    Form {
        program: "ColossalAI",
        marks: &["samples/sec", "TFLOPS per GPU by Megatron:"],
        fields: &[behind("TFLOPS per GPU by Megatron:", A(M::Flops), 1e12)],
    },
    // The mean since the run began: `drawn` has the clock behind it.
    Form { program: "modded-nanogpt", marks: &["step_avg:"], fields: &[behind("step_avg:", A(M::StepTime), 1e-3)] },
    Form {
        program: "modded-nanogpt",
        marks: &["peak memory allocated:", " MiB reserved:"],
        fields: &[behind("allocated:", A(M::MemoryAllocated), MIB), behind("reserved:", A(M::MemoryReserved), MIB)],
    },
    Form {
        program: "modded-nanogpt",
        marks: &["peak memory consumption:", " MiB"],
        fields: &[behind("consumption:", A(M::MemoryAllocated), MIB)],
    },
    Form {
        program: "llm.c",
        marks: &["tok/s", "MFU |"],
        fields: &[
            before("ms |", A(M::StepTime), 1e-3),
            before("% bf16 MFU", A(M::Mfu), 1e-2),
            before("tok/s", A(M::TokensPerSecond), 1.0),
        ],
    },
    Form {
        program: "Composer",
        marks: &["throughput/device/mfu"],
        fields: &[behind("throughput/device/mfu", A(M::Mfu), 1.0)],
    },
    Form {
        program: "Composer",
        marks: &["throughput/device/tokens_per_sec"],
        fields: &[behind("throughput/device/tokens_per_sec", A(M::TokensPerGpu), 1.0)],
    },
    Form {
        program: "Composer",
        marks: &["memory/peak_allocated_mem"],
        fields: &[behind("memory/peak_allocated_mem", A(M::MemoryAllocated), 1e9)],
    },
    Form {
        program: "Composer",
        marks: &["memory/peak_reserved_mem"],
        fields: &[behind("memory/peak_reserved_mem", A(M::MemoryReserved), 1e9)],
    },
    Form {
        program: "OLMo-core",
        marks: &["throughput/device/TPS"],
        fields: &[behind("throughput/device/TPS", A(M::TokensPerGpu), 1.0)],
    },
    Form {
        program: "OLMo-core",
        marks: &["throughput/device/flopsPS"],
        fields: &[behind("throughput/device/flopsPS", A(M::Flops), 1.0)],
    },
    Form {
        program: "OLMo-core",
        marks: &["gpu_memory/GPU reserved mem (GiB)="],
        fields: &[behind("(GiB)=", A(M::MemoryReserved), GIB)],
    },
    // Its predecessor, `allenai/OLMo`, `olmo/train.py`.
    Form {
        program: "OLMo-core",
        marks: &["throughput/device/tokens_per_second="],
        fields: &[behind("tokens_per_second=", A(M::TokensPerGpu), 1.0)],
    },
    Form {
        program: "OLMo-core",
        marks: &["System/Peak GPU Memory (MB)="],
        fields: &[behind("(MB)=", A(M::MemoryAllocated), 1e6)],
    },
    Form {
        program: "OLMo-core",
        marks: &["throughput/device/MFU"],
        fields: &[behind("throughput/device/MFU", A(M::Mfu), 1e-2)],
    },
    Form {
        program: "vLLM",
        marks: &["Model loading took", "GiB"],
        fields: &[behind("Model loading took", A(M::Weights), GIB)],
    },
    Form {
        program: "vLLM",
        marks: &["Loading model weights took"],
        fields: &[behind("weights took", A(M::Weights), GIB)],
    },
    Form {
        program: "vLLM",
        marks: &["Available KV cache memory:"],
        fields: &[behind("cache memory:", A(M::KvMemory), GIB)],
    },
    Form { program: "vLLM", marks: &["KV cache size:", "tokens"], fields: &[behind("size:", A(M::KvTokens), 1.0)] },
    Form {
        program: "vLLM",
        marks: &["rest of the memory reserved for KV Cache is"],
        fields: &[behind("for KV Cache is", A(M::KvMemory), GIB)],
    },
    Form {
        program: "vLLM",
        marks: &["generation throughput:", "KV cache usage:"],
        fields: &[
            behind("generation throughput:", A(M::GenerationRate), 1.0),
            behind("KV cache usage:", A(M::KvUsage), 1e-2),
            behind("prompt throughput:", A(M::PromptRate), 1.0),
            behind("Running:", A(M::Running), 1.0),
            behind("Waiting:", A(M::Waiting), 1.0),
            behind("Pending:", A(M::Waiting), 1.0),
            behind("Prefix cache hit rate:", A(M::PrefixHits), 1e-2),
        ],
    },
    Form {
        program: "vLLM",
        marks: &["is preempted by PreemptionMode"],
        fields: &[behind("total_num_cumulative_preemption=", A(M::Preempted), 1.0)],
    },
    // What engines answer to Prometheus.
    Form { program: "vLLM", marks: &["vllm:num_preemptions_total{"], fields: &[behind("} ", A(M::Preempted), 1.0)] },
    Form { program: "vLLM", marks: &["vllm:num_requests_running{"], fields: &[behind("} ", A(M::Running), 1.0)] },
    Form { program: "vLLM", marks: &["vllm:num_requests_waiting{"], fields: &[behind("} ", A(M::Waiting), 1.0)] },
    Form { program: "vLLM", marks: &["vllm:kv_cache_usage_perc{"], fields: &[behind("} ", A(M::KvUsage), 1.0)] },
    Form { program: "vLLM", marks: &["vllm:gpu_cache_usage_perc{"], fields: &[behind("} ", A(M::KvUsage), 1.0)] },
    Form { program: "SGLang", marks: &["sglang:num_running_reqs{"], fields: &[behind("} ", A(M::Running), 1.0)] },
    Form { program: "SGLang", marks: &["sglang:num_queue_reqs{"], fields: &[behind("} ", A(M::Waiting), 1.0)] },
    Form { program: "SGLang", marks: &["sglang:token_usage{"], fields: &[behind("} ", A(M::KvUsage), 1.0)] },
    Form { program: "SGLang", marks: &["sglang:gen_throughput{"], fields: &[behind("} ", A(M::GenerationRate), 1.0)] },
    Form { program: "SGLang", marks: &["sglang:cache_hit_rate{"], fields: &[behind("} ", A(M::PrefixHits), 1.0)] },
    Form {
        program: "SGLang",
        marks: &["gen throughput (token/s):"],
        fields: &[
            behind("gen throughput (token/s):", A(M::GenerationRate), 1.0),
            behind("token usage:", A(M::KvUsage), 1.0),
            behind("#running-req:", A(M::Running), 1.0),
            behind("#queue-req:", A(M::Waiting), 1.0),
        ],
    },
    Form {
        program: "SGLang",
        marks: &["Prefill batch", "input throughput (token/s):"],
        fields: &[behind("input throughput (token/s):", A(M::PromptRate), 1.0)],
    },
    Form {
        program: "llama.cpp",
        marks: &["prompt eval time =", "tokens per second"],
        fields: &[before("tokens per second", A(M::PromptRate), 1.0)],
    },
    Form {
        program: "llama.cpp",
        marks: &["  eval time =", "tokens per second"],
        fields: &[before("tokens per second", A(M::GenerationRate), 1.0)],
    },
    Form {
        program: "llama.cpp",
        marks: &["slot print_timing:", "| n_decoded =", " tg ="],
        fields: &[behind(" tg =", A(M::GenerationRate), 1.0)],
    },
    Form {
        program: "TensorRT-LLM",
        marks: &["Allocated ", " GiB for max tokens in paged KV cache ("],
        fields: &[
            before(" GiB for max tokens", A(M::KvMemory), GIB),
            behind("in paged KV cache (", A(M::KvTokens), 1.0),
        ],
    },
    // `trtllm-bench throughput` (`NVIDIA/TensorRT-LLM`, `tensorrt_llm/bench/dataclasses/reporting.py`).
    Form {
        program: "trtllm-bench",
        marks: &["Total Output Throughput (tokens/sec):"],
        fields: &[behind("(tokens/sec):", A(M::GenerationRate), 1.0)],
    },
    Form {
        program: BENCHMARK,
        marks: &["Throughput:", " requests/s, ", " output tokens/s"],
        fields: &[before(" output tokens/s", A(M::GenerationRate), 1.0)],
    },
    Form { program: "trtllm-bench", marks: &["TP Size:"], fields: &[behind("TP Size:", Tp, 1.0)] },
    Form { program: "trtllm-bench", marks: &["PP Size:"], fields: &[behind("PP Size:", Pp, 1.0)] },
    Form {
        program: BENCHMARK,
        marks: &["Output token throughput (tok/s):"],
        fields: &[behind("throughput (tok/s):", A(M::GenerationRate), 1.0)],
    },
    // The same before June 2024, also by AI-Hypercomputer/JetStream.
    Form {
        program: BENCHMARK,
        marks: &["Output token throughput:", " tokens/s"],
        fields: &[behind("throughput:", A(M::GenerationRate), 1.0)],
    },
    Form { program: BENCHMARK, marks: &["Mean TTFT:", " ms"], fields: &[behind("TTFT:", A(M::FirstToken), 1e-3)] },
    Form { program: BENCHMARK, marks: &["Mean TPOT:", " ms"], fields: &[behind("TPOT:", A(M::PerToken), 1e-3)] },
    // LMDeploy's `profile_throughput.py`.
    Form {
        program: BENCHMARK,
        marks: &["token throughput (completion token):", " token/s"],
        fields: &[behind("(completion token):", A(M::GenerationRate), 1.0)],
    },
    // `huggingface/text-generation-inference`, `router/src/infer`.
    Form {
        program: "Text Generation Inference",
        marks: &["Setting max batch total tokens to "],
        fields: &[behind("total tokens to ", A(M::KvTokens), 1.0)],
    },
    Form { program: BENCHMARK, marks: &["Mean TTFT (ms):"], fields: &[behind("TTFT (ms):", A(M::FirstToken), 1e-3)] },
    Form { program: BENCHMARK, marks: &["Mean TPOT (ms):"], fields: &[behind("TPOT (ms):", A(M::PerToken), 1e-3)] },
    // `all_reduce_bench.py` of stas00/ml-engineering, before it printed a table.
    Form {
        program: ALL_REDUCE,
        marks: &["The average bandwidth of all_reduce", " ranks"],
        fields: &[before(" ranks", A(M::BusRanks), 1.0)],
    },
    Form { program: ALL_REDUCE, marks: &["busbw:", " GBps ("], fields: &[behind("busbw:", A(M::BusBandwidth), 1e9)] },
    // GenAI-Perf and AIPerf, whose tables are made lines in `broken`.
    Form {
        program: BENCHMARK,
        marks: &["Time To First Token (ms):"],
        fields: &[behind("(ms):", A(M::FirstToken), 1e-3)],
    },
    Form {
        program: BENCHMARK,
        marks: &["Time to First Token (ms):"],
        fields: &[behind("(ms):", A(M::FirstToken), 1e-3)],
    },
    Form {
        program: BENCHMARK,
        marks: &["Time to first token (ms):"],
        fields: &[behind("(ms):", A(M::FirstToken), 1e-3)],
    },
    Form {
        program: BENCHMARK,
        marks: &["Inter Token Latency (ms):"],
        fields: &[behind("(ms):", A(M::PerToken), 1e-3)],
    },
    Form {
        program: BENCHMARK,
        marks: &["Inter token latency (ms):"],
        fields: &[behind("(ms):", A(M::PerToken), 1e-3)],
    },
    Form {
        program: BENCHMARK,
        marks: &["Output Token Throughput (tokens/sec):"],
        fields: &[behind("(tokens/sec):", A(M::GenerationRate), 1.0)],
    },
    Form {
        program: BENCHMARK,
        marks: &["Output Token Throughput (per sec):"],
        fields: &[behind("(per sec):", A(M::GenerationRate), 1.0)],
    },
    Form {
        program: BENCHMARK,
        marks: &["Output token throughput (per sec):"],
        fields: &[behind("(per sec):", A(M::GenerationRate), 1.0)],
    },
    Form { program: "SGLang", marks: &["KV Cache is allocated"], fields: &[behind("#tokens:", A(M::KvTokens), 1.0)] },
    Form { program: "SGLang", marks: &["Load weight end"], fields: &[behind("mem usage=", A(M::Weights), GIB)] },
    Form {
        program: "SGLang",
        marks: &["max_total_num_tokens="],
        fields: &[behind("max_total_num_tokens=", A(M::KvTokens), 1.0)],
    },
];

/// Programs that print the lines of one run together.
const TOGETHER: [[&str; 2]; 21] = [
    ["HF Trainer", "llama-cookbook"],
    ["HF Trainer", "Optimum Habana"],
    ["HF Trainer", "LLaMA-Factory"],
    ["HF Trainer", "Axolotl"],
    ["HF Trainer", "Liger Kernel"],
    ["DeepSpeed", "Axolotl"],
    ["HF Trainer", "torchtune"],
    ["HF Trainer", "ms-swift"],
    ["HF Trainer", "verl"],
    ["HF Trainer", "Unsloth"],
    ["DeepSpeed", "ms-swift"],
    ["Megatron-LM", "ms-swift"],
    ["DeepSpeed", "Megatron-LM"],
    ["DeepSpeed", "HF Trainer"],
    ["DeepSpeed", "NeMo"],
    ["DeepSpeed", "Composer"],
    ["HF Trainer", "NeMo"],
    ["HF Trainer", "Composer"],
    ["Megatron-LM", "Megatron-Bridge"],
    ["Megatron-LM", "NeMo"],
    ["NeMo", "Megatron-Bridge"],
];

/// Engines, and what measures one from outside or around it. Progress bars beside their lines count files, layers or requests.
const ENGINES: [&str; 5] = ["vLLM", "SGLang", "TensorRT-LLM", "llama.cpp", "Text Generation Inference"];
const LOADS: [&str; 2] = [BENCHMARK, "trtllm-bench"];

fn is_served(program: &str) -> bool {
    ENGINES.contains(&program) || LOADS.contains(&program)
}

/// What measures one collective on large buffers.
const ALL_REDUCE: &str = "all_reduce_bench.py";
/// `vllm bench serve` and SGLang's `bench_serving`, which print the same.
const BENCHMARK: &str = "the serving benchmark";

fn go_together(a: &str, b: &str) -> bool {
    let are = |one: &str, other: &str| {
        TOGETHER.contains(&[one, other]) || is_served(one) && (LOADS.contains(&other) || other == "HF Trainer")
    };
    a == b || are(a, b) || are(b, a)
}

/// Rates, which change with the batch, and what else each run has of its own.
const RATES: [Metric; 6] = [M::StepTime, M::TokensPerSecond, M::TokensPerGpu, M::SequencesPerSecond, M::Flops, M::Mfu];
const OF_STEPS: [Metric; 12] = [
    M::Straggling,
    M::MemoryReserved,
    M::MemoryAllocated,
    M::AllocationRetries,
    M::LossScale,
    M::KvUsage,
    M::GenerationRate,
    M::PromptRate,
    M::Running,
    M::Waiting,
    M::Preempted,
    M::PrefixHits,
];

/// What a server reports of the interval since its last report, or of the moment of it.
const OF_INTERVAL: [Metric; 3] = [M::GenerationRate, M::Running, M::Waiting];

/// Programs that count steps from 0.
const FROM_ZERO: [&str; 4] = ["InternEvo", "MaxText", "nanoGPT", "nanochat"];

/// What a report of a serving benchmark says once.
const OF_REPORT: [Metric; 3] = [M::GenerationRate, M::FirstToken, M::PerToken];

/// The number that a text begins with, behind whatever separates it from its name; commas group its digits.
pub(super) fn number_at(text: &str) -> Option<f64> {
    let text = text.trim_start_matches([' ', ':', '=', '|', '\t', '"', '\'']);
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | 'E' | '+' | '-')))
        .unwrap_or(text.len());
    let word = text.get(..end)?.trim_end_matches(['.', ',', 'e', 'E', '+', '-']);
    decimal::parse(&word.replace(',', ""))
}

/// The same with the letter that a program writes for its thousands: `14.2K`. The number is then a rounded one.
fn scaled_at(text: &str) -> Option<(f64, bool)> {
    let number = number_at(text)?;
    let rest = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    let mut next = rest.chars();
    let times = match next.next() {
        Some('K' | 'k') => 1e3,
        Some('M') => 1e6,
        Some('G' | 'B') => 1e9,
        Some('T') => 1e12,
        _ => return Some((number, false)),
    };
    let is_alone = next.next().is_none_or(|c| c.is_whitespace() || matches!(c, '|' | ',' | ';'));
    Some(if is_alone { (number * times, true) } else { (number, false) })
}

/// The number that a text ends with.
fn number_before(text: &str) -> Option<f64> {
    let text = text.trim_end();
    let from = text.rfind(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).map_or(0, |at| at + 1);
    let from = (from..=text.len()).find(|at| text.is_char_boundary(*at))?;
    number_at(text.get(from..)?)
}

impl Field {
    fn value(&self, line: &str) -> Option<f64> {
        let at = line.find(self.words)?;
        let (number, is_rounded) = match self.before {
            true => (number_before(line.get(..at)?)?, false),
            false => scaled_at(line.get(at + self.words.len()..)?)?,
        };
        let is_exact = matches!(self.is, Batch | Gpus | Dp | Tp | Pp | Cp);
        Some(number * self.times).filter(|n| n.is_finite() && !(is_exact && is_rounded))
    }
}

/// Values of one thing, and the lines that they stand on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Series {
    /// Each, and whether it is of the first step: with several ranks several are.
    values: VecDeque<(f64, bool)>,
    /// The step of the first one, if lines say it, and its line.
    step: Option<f64>,
    first: usize,
    last: usize,
    count: usize,
}

impl Series {
    fn push(&mut self, value: f64, step: Option<f64>, line: usize) {
        let is_first = self.count == 0 || step.is_some() && step == self.step;
        if self.count == 0 {
            (self.first, self.step) = (line, step);
        }
        self.last = line;
        self.count += 1;
        if self.values.len() >= KEPT {
            self.values.pop_front();
        }
        self.values.push_back((value, is_first));
    }

    fn lines(&self) -> String {
        if self.first == self.last {
            format!("line {}", grouped(self.first as u64))
        } else {
            format!("lines {}–{}", grouped(self.first as u64), grouped(self.last as u64))
        }
    }

    /// The middle value, and what it leaves out: the first step of four or more values, or of a run that begins here, because it compiles and
    /// allocates.
    fn typical(&self, begins: bool) -> Option<(f64, String)> {
        let skips = (self.count >= 4 || self.count >= 2 && begins) && self.values.iter().any(|(_, is_first)| *is_first);
        let rest = if skips { middle_of(self.values.iter().filter(|(_, is_first)| !is_first)) } else { None };
        match rest {
            Some(value) => {
                let first = match self.step {
                    Some(step) => format!(", without step {}", crate::quantity::number(step)),
                    None => ", without the first".to_owned(),
                };
                Some((value, first))
            }
            None => Some((self.middle()?, String::new())),
        }
    }

    /// The middle value.
    fn middle(&self) -> Option<f64> {
        middle_of(self.values.iter())
    }

    fn mean(&self) -> Option<f64> {
        let n = self.values.len();
        (n > 0).then(|| self.values.iter().map(|(value, _)| value).sum::<f64>() / n as f64)
    }

    fn most(&self) -> Option<f64> {
        self.values.iter().map(|(value, _)| *value).reduce(f64::max)
    }
}

/// The middle one of these values.
fn middle_of<'a>(values: impl Iterator<Item = &'a (f64, bool)>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.map(|(value, _)| *value).collect();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted.get(sorted.len().saturating_sub(1) / 2)?, sorted.get(sorted.len() / 2)?);
    Some((low + high) / 2.0)
}

/// What a progress bar says of the time of a step: steps and seconds since it began, between two of its lines, and a running mean, which lags.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Drawn {
    /// The steps and seconds at which the interval at hand began.
    from: Option<(f64, f64)>,
    /// Seconds per step of each interval.
    between: Series,
    /// The running means.
    means: Series,
}

impl Drawn {
    /// `least` is the least length of an interval in seconds.
    fn push(&mut self, [done, seconds, mean]: [f64; 3], least: f64, line: usize) {
        self.means.push(mean, Some(done), line);
        let Some((before, at)) = self.from.filter(|(before, at)| done >= *before && seconds >= *at) else {
            self.from = Some((done, seconds));
            return;
        };
        if done > before && seconds - at >= least {
            self.between.push((seconds - at) / (done - before), Some(done), line);
            self.from = Some((done, seconds));
        }
    }

    /// The times of steps that count, and how the one that is shown came about.
    fn step_time(&self, begins: bool) -> Option<(f64, usize, String, String)> {
        let n = |series: &Series| grouped(series.count as u64);
        let (series, value, how) = match self.between.count {
            0 => {
                let (value, without) = self.means.typical(begins)?;
                let lags = "the bar’s running mean, which lags";
                let how = match self.means.count {
                    2.. => format!("median of {}{without}, {lags}", n(&self.means)),
                    _ => lags.to_owned(),
                };
                (&self.means, value, how)
            }
            1 => (&self.between, self.between.middle()?, "between two lines of its bar".to_owned()),
            _ => {
                let how = format!("median of {} intervals of its bar", n(&self.between));
                (&self.between, self.between.middle()?, how)
            }
        };
        Some((value, series.first, self.means.lines(), how))
    }
}

/// A reader of run output. Pieces may end anywhere. What it has read of a long text goes from a worker to the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Output {
    held: String,
    /// The last line with something on it and the empty ones behind it, with their numbers: only once another comes, it isn't the end of the text.
    ends: Vec<(usize, String)>,
    lines: usize,
    /// Bytes that were pushed.
    bytes: usize,
    known: usize,
    others: usize,
    programs: Vec<String>,
    series: BTreeMap<Metric, Series>,
    /// What its progress bar says of the time of a step.
    drawn: Drawn,
    /// Whether something ran at the last report of each engine of a server, and how full the intervals are whose reports count: 2 where something
    /// ran at both ends of them, 1 where it ran at the end.
    busy: BTreeMap<u64, bool>,
    fullness: u8,
    whole: BTreeMap<Is, (u64, usize)>,
    parameters: Option<(f64, usize)>,
    /// The GPU's name as it is printed, whether another was printed too, and the lines that say nothing else.
    gpu: Option<(String, usize)>,
    gpus_differ: bool,
    named: usize,
    mesh: Vec<(String, u64)>,
    arguments: Vec<(usize, String)>,
    /// What DeepSpeed prints of its settings.
    engine: Vec<(usize, String)>,
    /// What vLLM prints of its settings, as the commands that give them: what it was given, and what came of that.
    commands: [Option<(usize, String)>; 2],
    /// What programs say that they did to the model.
    applied: Vec<(usize, Applied)>,
    /// How many requests of how many tokens vLLM has room for.
    room: Option<(f64, f64, usize)>,
    /// Whether llama.cpp’s second cache comes, that of the layers with a sliding window, which stands beside the first.
    is_second: bool,
    /// What the report of a benchmark has said so far.
    reported: Vec<Metric>,
    /// The engines of one server that print their rates.
    engines: BTreeSet<u64>,
    /// A line of a run that isn't plain training: its steps also generate, or score.
    reinforced: Option<(usize, String)>,
    /// A line that says that only a part of the parameters is trained.
    adapters: Option<(usize, String)>,
    /// Lines of somebody's own loop with tokens per second that may be one GPU's or the job's, and with memory of a kind that isn't said.
    rate: Option<(usize, String)>,
    memory: Option<(usize, String)>,
    /// Whether rows of a Markdown table come, how many had numbers, and the first of them.
    is_table: bool,
    rows: usize,
    row: Option<(usize, String)>,
    /// What stands before the step of the line before, as the cells of a table without lines do.
    lead: Option<String>,
    /// Whether a heading stands right before, or a block of Markdown ended: another run may begin.
    headed: bool,
    fenced: bool,
    /// Whether the marks around Megatron-LM's dump were there.
    dump: (bool, bool),
    quoted: Vec<(usize, String)>,
    /// The first and the last step, and how many lie between two lines.
    first: Option<f64>,
    step: Option<f64>,
    /// That of the line at hand, if it says it.
    now: Option<f64>,
    stride: f64,
    /// The last steps that were printed.
    printed: [f64; 16],
    /// How many steps its lines say that there are.
    total: Option<f64>,
    /// The largest step, and how many since the last error were larger than all before.
    highest: Option<f64>,
    later: usize,
    /// Steps of the longest progress bar; evaluation has bars of its own.
    bar: f64,
    has_other_bars: bool,
    /// A bar of batches in an epoch, as PyTorch Lightning draws it: where gradients are accumulated, a step takes several.
    batches: Option<(usize, String)>,
    /// Whether a trainer wrote a loss or its summary: beside a server's lines, bars alone may count requests.
    is_trained: bool,
    average: Option<(f64, usize)>,
    /// The line from which on numbers count, and why those before it don't.
    restart: Option<(usize, String)>,
    failed: Option<(usize, String)>,
    /// The frames of tracebacks, and where memory ran out first: its line, and the frames before it.
    frames: Frames,
    ran_out: Option<(usize, String, Frames)>,
    /// The end of the text and its line, if a number may be cut there.
    cut: Option<(usize, String)>,
    /// Numbers that were read: whether a line ended right behind one, and whether it then had a fraction.
    behind: Vec<(Is, bool, bool)>,
    /// The most numbers of a line.
    widest: usize,
}

impl Output {
    /// Reads the next piece.
    pub fn push(&mut self, piece: &str) {
        self.bytes = self.bytes.saturating_add(piece.len());
        let mut rest = piece;
        while let Some(at) = rest.find(['\n', '\r']) {
            let (line, after) = rest.split_at(at);
            self.held.push_str(line);
            let whole = std::mem::take(&mut self.held);
            let number = self.lines + 1;
            // A progress bar writes over its own line.
            self.lines += usize::from(after.starts_with('\n'));
            if !whole.trim().is_empty() {
                self.flush();
            }
            if self.ends.iter().all(|(_, line)| *line != whole) {
                self.ends.push((number, whole));
            }
            rest = after.get(1..).unwrap_or_default();
        }
        if self.held.len() < LONGEST {
            self.held.push_str(rest);
        }
    }

    fn flush(&mut self) {
        for (number, line) in std::mem::take(&mut self.ends) {
            self.line(&line, number);
        }
    }

    fn line(&mut self, line: &str, number: usize) {
        let line = clean(line);
        let is_traceback = self.frames.take(&line);
        // The message may be printed once more, behind its traceback.
        let is_first = self.ran_out.as_ref().is_none_or(|(_, _, frames)| frames.is_empty() && !self.frames.is_empty());
        if is_first && oom::is(&line) {
            self.ran_out = Some((number, line.clone(), self.frames.clone()));
            // Standard error may come before all that standard output holds: no step of it is known to be a later one.
            self.highest = self.highest.or(Some(f64::INFINITY));
        }
        let is_failure = is_failure(&line);
        if is_failure {
            self.later = 0;
        }
        if self.reinforced.is_none() && REINFORCED.iter().any(|word| line.contains(word)) {
            self.reinforced = Some((number, line.clone()));
        }
        self.is_table = if self.is_table { line.contains('|') } else { is_rule(&line) };
        self.fenced |= line.contains(APART.trim_end_matches('\n'));
        let is_help = ["# HELP ", "# TYPE "].iter().any(|start| line.starts_with(start));
        if !line.contains(char::is_alphanumeric) || is_loading(&line) || is_help {
            return;
        }
        let headed = std::mem::replace(&mut self.headed, is_heading(&line));
        self.fenced |= headed && !self.headed && !fields(&line).is_empty();
        if self.take(&line, number) {
            self.known += 1;
            // The HF Trainer sums up a training that reached its end. Errors that stand alone before it ended nothing, and neither do those between
            // steps; a traceback before all steps may be of standard error, which was put first.
            let is_among_steps = self.highest.is_some_and(f64::is_finite);
            let is_over = line.contains("train_runtime") && (self.frames.is_empty() || is_among_steps);
            // One step more may be another rank's, or written late. After two it went on.
            if self.later >= 2 || is_over && (self.ran_out.is_none() || is_among_steps) {
                (self.failed, self.ran_out) = (None, None);
            }
        } else {
            let is_vague = self.failed.as_ref().is_none_or(|(_, line)| line.contains("Traceback"));
            if is_vague && is_failure && (self.failed.is_none() || !line.contains("Traceback")) {
                self.failed = Some((number, line.clone()));
            }
            // What an error says is not read for numbers.
            if !is_traceback && !is_failure {
                self.others += 1;
                if self.quoted.len() < QUOTED {
                    self.quoted.push((number, line));
                }
            }
        }
    }

    fn has_step_time(&self) -> bool {
        self.series.contains_key(&M::StepTime) || self.drawn.means.count > 0
    }

    /// Whether the first number is of the first steps that the run made.
    fn begins(&self) -> bool {
        // Among hundreds of steps between two lines the first one counts for little.
        self.first.is_some_and(|first| first <= self.stride.clamp(1.0, 20.0))
    }

    /// What stands before a line doesn't count, and its rates are dropped.
    fn restart(&mut self, line: usize, why: &str) {
        self.restart = Some((line, why.to_owned()));
        (self.first, self.step) = (None, None);
        self.stride = 0.0;
        (self.highest, self.later) = (None, 0);
        self.series.retain(|metric, _| !RATES.contains(metric));
        self.drawn = Drawn::default();
    }

    fn take(&mut self, line: &str, number: usize) -> bool {
        let mut fields = fields(line);
        let argument = argument(line);
        if line.contains("-- arguments --") {
            self.dump = (true, false);
        }
        self.dump.1 |= line.contains("-- end of arguments --");
        if self.is_row(line, &fields) {
            self.rows += 1;
            self.row.get_or_insert((number, line.to_owned()));
            return true;
        }
        let is_dump = argument.is_some() && line.contains(" ....");
        let program = fields.first().map(|(program, ..)| *program).or_else(|| is_dump.then_some("Megatron-LM"));
        if let Some(program) = program
            && self.programs.iter().any(|other| !go_together(other, program))
        {
            let Self { lines, bytes, others, quoted, frames, failed, ran_out, reinforced, .. } = std::mem::take(self);
            *self = Self { lines, bytes, others, quoted, frames, failed, ran_out, reinforced, ..Self::default() };
            self.restart(number, "another program printed them: paste the output of one run");
        }
        self.is_trained |= line.contains("train_runtime") || line.contains("loss:") && line.contains("epoch:");
        let steps = bar(line).filter(|_| fields.iter().any(|(program, ..)| *program == "HF Trainer"));
        if let Some((_, all)) = steps {
            if is_of_batches(line) {
                self.batches.get_or_insert((number, line.to_owned()));
            }
            if all < self.bar {
                self.has_other_bars = true;
                // An interval with an evaluation in it isn't of steps alone.
                self.drawn.from = None;
                return true;
            }
            if self.bar > 0.0 && all > self.bar {
                self.restart(number, "a longer progress bar begins");
            }
            self.bar = all;
        }
        let is_step =
            fields.iter().any(|(_, is, _)| matches!(is, Rate) || matches!(is, A(metric) if RATES.contains(metric)));
        if is_step && std::mem::take(&mut self.fenced) && self.step.is_some() {
            self.restart(number, "a heading or another block begins there, so these lines may be from another run");
            self.series.retain(|metric, _| !OF_STEPS.contains(metric));
        }
        if let Some(total) = total(line).filter(|_| is_step)
            && self.total.replace(total).is_some_and(|before| before != total)
        {
            self.restart(number, "they say another number of steps, so they may be from another run");
            self.series.retain(|metric, _| !OF_STEPS.contains(metric));
        }
        self.now = steps.map(|(done, _)| done).or_else(|| step(line)).filter(|_| is_step);
        if let Some(step) = self.now {
            let by = step - self.step.unwrap_or(step);
            // Ranks print a line apart, and the steps that another one printed; their bars may be drawn at others.
            let is_new = steps.is_none() && by < 0.0 && !self.printed.contains(&step);
            if -by > self.stride.max(1.0) || is_new {
                self.restart(number, "the step count starts again, so these lines may be from another run");
                self.series.retain(|metric, _| !OF_STEPS.contains(metric));
            } else if by > 0.0 {
                self.stride = by;
            }
            self.first.get_or_insert(step);
            self.step = Some(step);
            self.printed.rotate_right(1);
            if let Some(slot) = self.printed.first_mut() {
                *slot = step;
            }
            if self.highest.is_none_or(|highest| step > highest) {
                self.highest = Some(step);
                self.later += 1;
            }
        }
        let batch = self.whole.get(&Batch).map(|(batch, _)| *batch);
        let is_another =
            |(_, is, value): &(&str, Is, f64)| *is == Batch && batch.is_some_and(|batch| batch != value.round() as u64);
        if fields.iter().any(is_another) && self.restart.as_ref().is_none_or(|(line, _)| *line != number) {
            self.restart(number, "the batch has another size");
        }
        let of_report = fields.iter().filter_map(|(program, is, _)| match is {
            A(metric) if *program == BENCHMARK && OF_REPORT.contains(metric) => Some(*metric),
            _ => None,
        });
        for metric in of_report.collect::<Vec<_>>() {
            if self.reported.contains(&metric) {
                self.restart(number, "another report begins there");
                self.series.retain(|metric, _| !OF_REPORT.contains(metric));
                self.reported.clear();
            }
            self.reported.push(metric);
        }
        let mut taken = false;
        let ending = ending(line, &fields);
        // Cut in the middle of the text, too: it has fewer numbers, and ends where others go on.
        let is_known = |cut: &Is| self.behind.iter().any(|(is, ..)| is == cut);
        let is_cut = |cut: &Is| fields.len() < self.widest && is_known(cut) && self.goes_on(line, *cut);
        if let Some(cut) = ending.filter(is_cut) {
            fields.retain(|(_, is, _)| *is != cut);
            self.cut.get_or_insert((number, tail(line)));
        }
        self.widest = self.widest.max(fields.len());
        let is_full = self.is_full(line, &fields);
        let drawn = drawn(line);
        if line.contains("creating ") && line.contains(" SWA KV cache") {
            self.is_second = !line.contains("non-SWA");
        }
        for (program, is, mut value) in fields {
            let own = self.series.get(&M::KvMemory).and_then(|series| series.values.back()).filter(|_| self.is_second);
            match (is, own) {
                (A(M::KvMemory), Some((first, _))) => value += first,
                // The other layers’ cache is what limits a request.
                (A(M::KvTokens), Some(_)) if program == "llama.cpp" => {
                    (self.is_second, taken) = (false, true);
                    continue;
                }
                _ => {}
            }
            let ends = ending == Some(is);
            let has_fraction = ends && has_fraction_at_end(line);
            match self.behind.iter_mut().find(|(other, ..)| *other == is) {
                Some(behind) => *behind = (is, behind.1 || ends, behind.2 || has_fraction),
                None => self.behind.push((is, ends, has_fraction)),
            }
            let mean = if is == Rate { 1.0 / value } else { value };
            taken |= match drawn {
                Some(([done, seconds, own], least))
                    if matches!(is, Rate | A(M::StepTime)) && (mean / own - 1.0).abs() < 1e-9 =>
                {
                    let takes = M::StepTime.takes(mean);
                    if takes {
                        self.drawn.push([done, seconds, mean], least, number);
                    }
                    takes
                }
                _ if !is_full && matches!(is, A(metric) if OF_INTERVAL.contains(&metric)) => true,
                _ => self.keep(is, value, number),
            };
            if !self.programs.iter().any(|known| known == program) {
                self.programs.push(program.to_owned());
            }
        }
        let is_of_own = !is_step || self.programs.iter().all(|program| program == OWN);
        if let Some(own) = is_of_own.then(|| own(line)).flatten() {
            if rate_of_own(line, &own) == Some(None) {
                self.rate.get_or_insert((number, line.to_owned()));
            }
            if has_memory_of_own(&own) {
                self.memory.get_or_insert((number, line.to_owned()));
            }
        }
        self.engines.extend(engine_number(line));
        if let Some(seconds) = straggling(line) {
            taken |= self.keep(A(M::Straggling), seconds, number);
        }
        let one = summarized(line).or_else(|| of_payload(line)).or_else(|| of_profiler(line));
        if let Some((metric, value)) = one {
            taken |= self.keep(A(metric), value, number);
        }
        if let Some((tokens, times)) = concurrency(line) {
            self.room = Some((tokens, times, number));
            taken = true;
            if !self.series.contains_key(&M::KvTokens) {
                self.keep(A(M::KvTokens), (tokens * times).round(), number);
            }
        }
        if let Some(mesh) = mesh(line) {
            self.mesh = mesh;
            taken = true;
        }
        if let Some(name) = hardware::printed(line) {
            self.gpus_differ |= self.gpu.as_ref().is_some_and(|(other, _)| gpu(other) != gpu(&name));
            self.gpu.get_or_insert((name, number));
            // Alone it doesn't make a text a run's output.
            self.named += usize::from(!taken);
            taken = true;
        }
        if let Some(argument) = argument {
            self.arguments.push((number, argument));
            taken = true;
        }
        if let Some((trained, all)) = trained(line) {
            self.adapters = (trained < all).then(|| (number, line.trim().to_owned()));
            taken = true;
        }
        // Printed once the tokenizer is there, behind the dump.
        if let Some(rows) = padded_vocabulary(line).filter(|_| self.dump.0) {
            self.arguments.push((number, format!("padded_vocab_size {rows}")));
            taken = true;
        }
        for (known, said) in self.commands.iter_mut().zip([given(line), engine(line)]) {
            taken |= said.is_some();
            *known = said.map(|said| (number, said)).or(known.take());
        }
        for applied in Applied::said(line) {
            self.applied.retain(|(_, other)| other.what() != applied.what());
            self.applied.push((number, applied));
            taken = true;
        }
        if let Some(setting) = super::config::deepspeed::printed_line(line) {
            if !setting.is_empty() && self.engine.len() < SETTINGS {
                self.engine.push((number, setting));
            }
            taken = true;
        }
        taken
    }

    /// Whether a line with numbers is a row of a table, each of which is a run of its own: of Markdown, or one whose first cell differs where the step
    /// is the same.
    fn is_row(&mut self, line: &str, fields: &[(&'static str, Is, f64)]) -> bool {
        if fields.is_empty() || self.is_table {
            return !fields.is_empty();
        }
        let at = ["step:", "iteration"].iter().find_map(|word| line.find(word));
        let lead = at.and_then(|at| line.get(..at)).filter(|lead| {
            let is_cell = lead.ends_with("  ") || lead.ends_with('\t');
            is_cell && !lead.trim().is_empty() && !lead.contains([':', ']', ')', '|', '>'])
        });
        let Some(lead) = lead.map(|lead| lead.trim().to_owned()) else { return false };
        let is_other = self.lead.as_ref().is_some_and(|before| *before != lead);
        if is_other && self.rows == 0 && step(line) == self.step {
            // The row before was one, too.
            (self.rows, self.series, self.whole, self.step) = (1, BTreeMap::new(), BTreeMap::new(), None);
        }
        self.lead = Some(lead);
        is_other && self.rows > 0
    }

    /// Whether a report of a server is of an interval as full as those that count: where nothing ran at its end, or at its beginning, its rate is of a
    /// part of it. Where a fuller one comes, the others no longer count.
    fn is_full(&mut self, line: &str, fields: &[(&'static str, Is, f64)]) -> bool {
        let of = |metric| fields.iter().find(|(_, is, _)| *is == A(metric)).map(|(_, _, value)| *value);
        let Some(running) = of(M::Running).filter(|_| of(M::GenerationRate).is_some()) else { return true };
        let is_busy = running > 0.0;
        let before = self.busy.insert(engine_number(line).unwrap_or_default(), is_busy).unwrap_or(false);
        let full = if is_busy { 1 + u8::from(before) } else { 0 };
        if OF_INTERVAL.iter().all(|metric| !self.series.contains_key(metric)) {
            self.fullness = full;
        }
        if full > self.fullness {
            self.fullness = full;
            self.series.retain(|metric, _| !OF_INTERVAL.contains(metric));
        }
        full == self.fullness
    }

    fn keep(&mut self, is: Is, value: f64, line: usize) -> bool {
        match is {
            Batch | Gpus | Dp | Tp | Pp | Cp => {
                let fits = (1.0..1e9).contains(&value);
                if fits {
                    self.whole.insert(is, (value.round() as u64, line));
                }
                fits
            }
            Parameters => {
                self.parameters = Some((value, line));
                true
            }
            Rate if value > 0.0 => self.keep(A(M::StepTime), 1.0 / value, line),
            Rate => false,
            Average => {
                let seconds = Some(1.0 / value).filter(|seconds| M::StepTime.takes(*seconds));
                self.average = seconds.map(|seconds| (seconds, line)).or(self.average);
                seconds.is_some()
            }
            A(metric) if metric.takes(value) => {
                self.series.entry(metric).or_default().push(value, self.now, line);
                true
            }
            A(_) => false,
        }
    }

    /// What was read.
    pub fn finish(mut self, name: &str) -> Card {
        let held = std::mem::take(&mut self.held);
        if !held.trim().is_empty() {
            self.flush();
            self.last_line(&held, self.lines + 1, false);
        } else if !self.ends.is_empty() {
            let (number, line) = self.ends.remove(0);
            self.last_line(&line, number, true);
            self.flush();
        }
        if let Some((line, row)) = self.row.take_if(|_| self.rows == 1) {
            (self.is_table, self.rows, self.lead) = (false, 0, None);
            self.take(&row, line);
        }
        if self.bar > 0.0 && !self.is_trained && self.programs.iter().any(|program| is_served(program)) {
            (self.step, self.highest, self.has_other_bars) = (None, None, false);
            self.drawn = Drawn::default();
            self.programs.retain(|program| program != "HF Trainer");
        }
        if let Some((seconds, line)) = self.average.filter(|_| !self.has_step_time()) {
            self.keep(A(M::StepTime), seconds, line);
        }
        let mut card = Card::new(name, Kind::Log);
        if !self.arguments.is_empty() {
            super::config::megatron::dump(&self.arguments, self.dump == (true, true), &mut card);
        }
        super::config::deepspeed::printed(&self.engine, &mut card);
        let commands = self.commands.iter().flatten();
        for (line, read) in commands.filter_map(|(line, text)| Some((*line, crate::serving::command::read(text)?))) {
            let Card { found, unread, unread_count, run, .. } = super::config::serve::read(name, line, &read);
            card.run.take(&run);
            card.found.retain(|before| !found.iter().any(|new| new.what == before.what));
            card.found.extend(found);
            card.unread.extend(unread);
            card.unread_count += unread_count;
        }
        for (line, applied) in &self.applied {
            applied.fill(&mut card, *line);
        }
        let from = |lines: &str, how: &str| {
            if how.is_empty() { format!("{name}, {lines}") } else { format!("{name}, {lines}, {how}") }
        };
        // A first step alone also compiles and allocates, for minutes.
        let mut alone = None;
        let begins = f64::from(!self.programs.iter().any(|program| FROM_ZERO.contains(&program.as_str())));
        let is_first = self.first == self.step && self.step.is_some_and(|step| step <= begins);
        let batches = self.batches.take().filter(|_| !self.is_trained && self.programs == ["HF Trainer"]);
        // What a program prints of a step itself is better than its bar.
        let by_bar = self.drawn.step_time(self.begins()).filter(|_| !self.series.contains_key(&M::StepTime));
        if by_bar.is_some() {
            self.series.insert(M::StepTime, Series::default());
        }
        // A line of several ranks counts for each: per-GPU numbers are alike, and a job's are the job's.
        for (metric, series) in &self.series {
            let by_bar = by_bar.as_ref().filter(|_| *metric == M::StepTime);
            let mut without = String::new();
            let (value, how) = match metric {
                _ if by_bar.is_some() => (by_bar.map(|(value, ..)| *value), ""),
                M::MemoryReserved | M::MemoryAllocated | M::AllocationRetries | M::KvUsage | M::Preempted => {
                    (series.most(), "highest")
                }
                M::LossScale | M::BusBandwidth | M::BusRanks | M::KvTokens | M::Weights | M::KvMemory | M::Peak => {
                    (series.values.back().map(|(value, _)| *value), "")
                }
                // Prompts come in bursts.
                M::PromptRate => (series.mean(), "mean"),
                _ if RATES.contains(metric) => {
                    let typical = series.typical(self.begins());
                    (typical.map(|(value, left_out)| (value, without = left_out).0), "median")
                }
                // Only a first step compiles and allocates.
                _ => (series.middle(), "median"),
            };
            let Some(value) = value else { continue };
            let how = if series.count > 1 && !how.is_empty() {
                format!("{how} of {}{without}", grouped(series.count as u64))
            } else {
                by_bar.map(|(.., how)| how.clone()).unwrap_or_default()
            };
            let (first, lines) = match by_bar {
                Some((_, first, lines, _)) => (*first, lines.clone()),
                None => (series.first, series.lines()),
            };
            // One engine's rate and requests are a part of the server's.
            let is_part = self.engines.len() > 1 && (OF_INTERVAL.contains(metric) || *metric == M::PromptRate);
            let is_plain = self.reinforced.is_none() || [M::KvMemory, M::KvTokens, M::KvUsage].contains(metric);
            let is_alone = is_first && RATES.contains(metric);
            let is_batch = *metric == M::StepTime && batches.is_some();
            if is_plain && is_alone && !is_batch {
                alone = alone.or(Some(first));
            } else if is_plain && !is_batch && !is_part {
                card.run.measure(*metric, value, from(&lines, &how));
            }
            let said = if how.is_empty() { metric.text(value) } else { format!("{} ({how})", metric.text(value)) };
            let label = match (is_plain, is_batch, is_alone) {
                _ if is_part => ", of one engine",
                (true, true, _) => ", of a batch",
                (true, false, true) => ", of the first step alone",
                (true, false, false) => "",
                (false, ..) => ", not of plain training",
            };
            card.found(format!("{}{label}", metric.label()), said, first);
        }
        if let Some((line, text)) = batches {
            self.programs.clear();
            let why = "it counts batches of an epoch. Where gradients are accumulated a step takes several, so it isn’t compared: give measured.step-time in a run file";
            card.unread(text.trim(), why, line);
        }
        if let Some(line) = alone {
            let why = "the first step also compiles and allocates, so it isn’t compared: paste later steps";
            card.unread("Rates of the first step", why, line);
        }
        if let Some((tokens, times, line)) = self.room {
            let what = format!("Requests of {} tokens that the cache holds", grouped(tokens as u64));
            card.found(what, crate::quantity::number(times), line);
        }
        if let Some((line, text)) = &self.adapters {
            card.unread_setting(text, super::config::trainer::ADAPTERS, *line);
        }
        if let Some((line, text)) = &self.reinforced {
            let quoted = self.quoted.len();
            self.quoted.retain(|(other, _)| other != line);
            self.others -= quoted - self.quoted.len();
            let why =
                "its steps also generate, score or compare answers, so nothing of them is compared with a prediction";
            card.unread(text, why, *line);
        }
        let open = [(&self.rate, RATE), (&self.memory, MEMORY)];
        for (line, text, why) in
            open.iter().filter_map(|(open, why)| open.as_ref().map(|(line, text)| (line, text, why)))
        {
            let quoted = self.quoted.len();
            self.quoted.retain(|(other, _)| other != line);
            self.others -= quoted - self.quoted.len();
            card.unread(text, *why, *line);
        }
        for (is, (value, line)) in &self.whole {
            let (slot, label) = match is {
                Batch => (&mut card.run.layout.batch, "Sequences per step"),
                Dp => (&mut card.run.layout.dp, "Data-parallel ranks"),
                Tp => (&mut card.run.layout.tp, "Tensor-parallel ranks"),
                Pp => (&mut card.run.layout.pp, "Pipeline stages"),
                Cp => (&mut card.run.layout.cp, "Context-parallel ranks"),
                _ => (&mut card.run.cluster.gpus, "GPUs"),
            };
            *slot = Some(*value);
            card.found(label, grouped(*value), *line);
        }
        for (axis, n) in &self.mesh {
            let l = &mut card.run.layout;
            match axis.as_str() {
                "dp_shard" | "fsdp" | "dp" => (l.dp, l.zero) = (Some(*n), l.zero.or(Some(3))),
                "dp_replicate" => l.dp = Some(l.dp.unwrap_or(1).saturating_mul(*n)),
                "tp" => l.tp = Some(*n),
                "cp" => l.cp = Some(*n),
                "pp" => l.pp = Some(*n),
                _ => continue,
            }
            card.found(format!("Device mesh, {axis}"), grouped(*n), 0);
        }
        if let Some((n, line)) = self.parameters {
            if card.run.model.sizes.is_empty() {
                card.run.model.parameters = Some(n);
            }
            card.found("Parameters", crate::quantity::count(n), line);
        }
        match &self.gpu {
            Some((name, line)) if self.gpus_differ => card.unread(name, "another GPU is printed too", *line),
            Some((name, line)) if self.known > self.named => hardware::fill(&mut card, name, *line),
            _ => {}
        }
        if let Some((line, why)) = &self.restart {
            card.unread(&format!("Lines before {}", grouped(*line as u64)), why.as_str(), *line);
        }
        if self.engines.len() > 1 {
            let text = format!("Rates of {} engines", grouped(self.engines.len() as u64));
            card.unread(&text, "each prints its own, and they aren’t added up", 0);
        }
        if let Some((line, row)) = &self.row {
            self.known = self.known.saturating_sub(self.rows);
            card.unread(row, "it is a row of a table, and each of them is a run of its own", *line);
        }
        if let Some((line, text)) = &self.cut {
            card.unread(text, "the line ends right behind this number, so it may be cut", *line);
        }
        let rest = self.others;
        let settings = card.unread_count + self.rows.saturating_sub(1);
        for (line, text) in &self.quoted {
            card.unread(text, "", *line);
        }
        card.unread_count = settings + rest;
        card.stop = self.stop(name);
        let mut card = card.done();
        let by = self.programs.join(" and ");
        if card.outcome != Outcome::Refused {
            let lines = counted(self.known as u64, "line was read", "lines were read");
            let of = if rest == 0 {
                String::new()
            } else {
                format!(" Other lines ({}) have no numbers that are known here.", grouped(rest as u64))
            };
            let by = if by.is_empty() { String::new() } else { format!(" Printed by {by}.") };
            let bars = if self.has_other_bars { " Shorter progress bars don’t count." } else { "" };
            let failed = self.failed.as_ref().map(|(line, _)| {
                format!(" Line {} is an error, so the run may have stopped there.", grouped(*line as u64))
            });
            card.said = format!("{lines}.{by}{bars}{of}{}", failed.unwrap_or_default());
        } else if self.rows > 0 {
            card.said = TABLE.to_owned();
        } else if self.rate.is_some() {
            card.said = format!("Of its numbers, {RATE}.");
        } else if self.cut.is_some() {
            card.said = CUT.to_owned();
        }
        if self.bytes > super::read::MOST {
            let most = crate::quantity::bytes_decimal(super::read::MOST as f64);
            card.said += &format!(
                " The text is longer than {most}, so it was read as what one job printed. A configuration or a script in it is only read in a file of its own."
            );
        }
        card
    }

    /// What ended the run: where memory ran out, or else its first error.
    fn stop(&self, name: &str) -> Option<Stop> {
        let ran_out = self.ran_out.as_ref().and_then(|(line, text, frames)| frames.stop(name, *line, text));
        ran_out.or_else(|| {
            let (line, text) = self.failed.as_ref()?;
            let place = format!("line {} of {name}", grouped(*line as u64));
            Some(Stop {
                what: "An error".to_owned(),
                line: *line,
                text: quote(text),
                why: String::new(),
                link: None,
                sentence: format!("The output has an error ({place}), so the run may have stopped there."),
            })
        })
    }

    /// Reads the last line, whose last number may be cut: always where nothing ends it, and else where such lines go on behind that number.
    fn last_line(&mut self, held: &str, number: usize, is_ended: bool) {
        let ending = ending(held, &fields(&clean(held)));
        // Of a dump nothing tells the end but its mark.
        let is_open = !is_ended || self.dump == (true, false);
        let argument = argument(held).filter(|_| is_open && ends_in_number(held));
        let is_cut = ending.is_some_and(|ending| !is_ended || self.goes_on(held, ending)) || argument.is_some();
        if !is_cut {
            return self.line(held, number);
        }
        self.cut = Some((number, tail(held)));
        self.line(before_number(held), number);
        // Without its value, it has none that is known, rather than the program's default.
        if let Some((name, _)) = argument.as_deref().and_then(|argument| argument.split_once(' ')) {
            self.arguments.push((number, format!("{name} …")));
        }
    }

    /// Whether lines like this one go on behind the number that it ends with: earlier ones did, or it lacks numbers that its program writes there.
    fn goes_on(&self, line: &str, ending: Is) -> bool {
        match self.behind.iter().find(|(is, ..)| *is == ending) {
            Some((_, ends, has_fraction)) => !ends || *has_fraction && !has_fraction_at_end(line),
            None => {
                let line = clean(line);
                let forms = FORMS.iter().filter(|form| form.marks.iter().all(|mark| line.contains(mark)));
                let behind = |form: &'static Form| form.fields.iter().skip_while(|field| field.is != ending).skip(1);
                forms.flat_map(behind).any(|field| field.is != ending && field.value(&line).is_none())
            }
        }
    }
}

/// The end of a line.
fn tail(line: &str) -> String {
    line.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect()
}

/// A text without the number that it ends with.
fn before_number(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | 'E' | '+' | '-'))
}

fn ends_in_number(text: &str) -> bool {
    text.get(before_number(text).len()..).is_some_and(|end| end.contains(|c: char| c.is_ascii_digit()))
}

fn has_fraction_at_end(line: &str) -> bool {
    line.get(before_number(line).len()..).is_some_and(|end| end.contains('.'))
}

/// What the number is that a line with these numbers ends with.
fn ending(line: &str, numbers: &[(&str, Is, f64)]) -> Option<Is> {
    if numbers.is_empty() || !ends_in_number(line) {
        return None;
    }
    let without = fields(&clean(before_number(line)));
    numbers.iter().find(|field| !without.contains(field)).map(|(_, is, _)| *is)
}

/// The numbers of a line: who prints it, what each is, and its value.
pub(super) fn fields(line: &str) -> Vec<(&'static str, Is, f64)> {
    let mut all = Vec::new();
    for form in FORMS.iter().filter(|form| form.marks.iter().all(|mark| line.contains(mark))) {
        let mut seen: Vec<Is> = Vec::new();
        for field in form.fields {
            let Some(value) = field.value(line).filter(|_| !seen.contains(&field.is)) else { continue };
            seen.push(field.is);
            all.push((form.program, field.is, value));
        }
    }
    if all.is_empty() {
        all = by_token(line).or_else(|| of_llama(line)).map_or_else(|| of_own(line), |one| vec![one]);
    }
    all
}

/// A line of a loop that somebody wrote, which has its step and its loss, in lower case.
fn own(line: &str) -> Option<String> {
    let line = line.to_ascii_lowercase();
    let is_own = line.contains("loss") && ["step", "iter"].iter().any(|word| line.contains(word));
    is_own.then_some(line)
}

/// The tokens per second in a line of such a loop, as written and as [`own`] has it: the number where it says that they are one GPU's, and nothing
/// where they may be the job's, too.
fn rate_of_own(written: &str, line: &str) -> Option<Option<f64>> {
    const RATES: [&str; 10] = [
        "tokens_per_second",
        "tokens_per_sec",
        "tokens per second",
        "tokens/second",
        "tokens/sec",
        "tokens/s",
        "tok/sec",
        "tok/s",
        "toks/s",
        "tps",
    ];
    const EACH: [&str; 7] = ["_per_gpu", "_per_device", " per gpu", " per device", "/gpu", "/device", "/chip"];
    let places = RATES.into_iter().flat_map(|words| {
        let rest = move |at: usize| (at, at + words.len());
        line.match_indices(words).map(move |(at, _)| rest(at))
    });
    let is_word = |(from, to): &(usize, usize)| {
        let [before, behind] = [line.get(..*from), line.get(*to..)].map(Option::unwrap_or_default);
        !before.ends_with(char::is_alphabetic) && !behind.starts_with(char::is_alphabetic)
    };
    let places: Vec<(usize, usize)> = places.filter(is_word).collect();
    let each = places.iter().find_map(|(_, to)| {
        let words = EACH.into_iter().find(|each| line.get(*to..).is_some_and(|behind| behind.starts_with(each)))?;
        scaled_at(written.get(to + words.len()..)?)
    });
    // Cut behind the words.
    let ends = |to: &usize| EACH.into_iter().any(|each| line.get(*to..).is_some_and(|rest| rest.starts_with(each)));
    let is_open = each.is_some() || !places.iter().all(|(_, to)| ends(to));
    is_open.then(|| each.map(|(number, _)| number))
}

/// Whether a line, as [`own`] has it, says how much memory the loop takes: `mem 41.2GB`, `memory: 41.2 GiB`.
fn has_memory_of_own(line: &str) -> bool {
    line.match_indices("mem").any(|(at, _)| {
        let rest = line.get(at..).unwrap_or_default();
        let rest = rest.get(..rest.len().min(40)).unwrap_or(rest);
        let behind = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        let unit = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_start();
        behind.len() < rest.len() && ["gb", "gib", "mb", "mib"].iter().any(|name| unit.starts_with(name))
    })
}

/// The numbers of a loop that somebody wrote, whose times and shares have units. Tokens per second may be one GPU's or the job's, so they aren't taken.
fn of_own(written: &str) -> Vec<(&'static str, Is, f64)> {
    let Some(line) = own(written) else { return Vec::new() };
    let value = |words: &str, unit: &str| {
        let (before, rest) = line.split_once(words)?;
        let number = number_at(rest)?;
        let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '.');
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_start();
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let ends = rest.strip_prefix(unit)?;
        (is_word && !ends.starts_with(char::is_alphanumeric)).then_some(number)
    };
    let timed = |words| value(words, "s").or_else(|| Some(value(words, "ms")? * 1e-3));
    let time = ["step_time", "step time", "iter_time", "time_per_step", "time/step", "dt"].into_iter().find_map(timed);
    let time = time.map(|seconds| (OWN, A(M::StepTime), seconds));
    let mfu = value("mfu", "%").map(|percent| (OWN, A(M::Mfu), percent * 1e-2));
    let rate = rate_of_own(written, &line).flatten().map(|rate| (OWN, A(M::TokensPerGpu), rate));
    time.into_iter().chain(mfu).chain(rate).collect()
}

const OWN: &str = "a loop of your own";

/// Whether a line has numbers of a run, or is one of a program's dump of its settings.
pub(super) fn is_numbers(line: &str) -> bool {
    let line = clean(line);
    !fields(&line).is_empty() || argument(&line).is_some() || mesh(&line).is_some()
}

/// How much longer the slowest rank takes than the fastest, by Megatron-LM: `--log-straggler` (`megatron/core/utils.py`: `MnRtt/Rnk: 3453.08ms/8 |
/// MxRtt/Rnk: 3468.20ms/0`) or the timer of a step (`megatron/core/timers.py`: `forward-backward ....: (811.25, 934.50)`), which it averages per step.
fn straggling(line: &str) -> Option<f64> {
    let (least, most) = match line.split_once("MnRtt/Rnk:").zip(line.split_once("MxRtt/Rnk:")) {
        Some(((_, least), (_, most))) => (number_at(least)?, number_at(most)?),
        None => {
            let (dots, both) = line.split_once("forward-backward ")?.1.split_once(": (")?;
            let (least, most) = both.split_once(')').filter(|_| dots.bytes().all(|b| b == b'.'))?.0.split_once(',')?;
            (number_at(least)?, number_at(most)?)
        }
    };
    (most >= least).then_some((most - least) / 1e3)
}

/// What a row of `torch.cuda.memory_summary()` says: its peak, behind what is in use.
fn summarized(line: &str) -> Option<(Metric, f64)> {
    if let Some((_, retries)) = line.split_once("cudaMalloc retries:") {
        return Some((M::AllocationRetries, number_at(retries)?));
    }
    let mut cells = line.split('|').map(str::trim).skip_while(|cell| !cell.ends_with(" memory"));
    let metric = match cells.next()? {
        "Allocated memory" => M::MemoryAllocated,
        "GPU reserved memory" => M::MemoryReserved,
        _ => return None,
    };
    let peak = cells.nth(1)?;
    Some((metric, oom::size(peak)?))
}

/// The bus bandwidth of a row of `all_reduce_bench.py`: `|    1GiB | 350.12GBps | 233.41GBps |`. The last one, of the largest payload, counts.
fn of_payload(line: &str) -> Option<(Metric, f64)> {
    let mut cells = line.split('|').map(str::trim).filter(|cell| !cell.is_empty());
    let (payload, bus, own) = (cells.next()?, cells.next()?, cells.next()?);
    let is_row = payload.ends_with("iB") && own.ends_with("GBps") && cells.next().is_none();
    let number = bus.strip_suffix("GBps").filter(|_| is_row)?;
    Some((M::BusBandwidth, number_at(number)? * 1e9))
}

/// What vLLM has room for, by `Maximum concurrency for 4096 tokens per request: 131.48x`: tokens, and how many requests of them. Without the x it is cut.
fn concurrency(line: &str) -> Option<(f64, f64)> {
    let (tokens, times) = line.split_once("Maximum concurrency for ")?.1.split_once(" tokens per request:")?;
    let (times, _) = times.split_once('x')?;
    number_at(tokens).zip(number_at(times)).filter(|(tokens, times)| *tokens >= 1.0 && *times > 0.0 && *times < 1e9)
}

/// What llama.cpp of 2023 says of a token, without a rate: `eval time = 15896.38 ms /    64 runs   (  248.38 ms per token)`.
fn by_token(line: &str) -> Option<(&'static str, Is, f64)> {
    let (_, rest) = line.split_once(" eval time =")?;
    let (before, _) = rest.split_once(" ms per token)")?;
    let ms = number_before(before).filter(|ms| *ms > 0.0)?;
    let metric = if line.contains("prompt eval time =") { M::PromptRate } else { M::GenerationRate };
    Some(("llama.cpp", A(metric), 1e3 / ms))
}

/// The time of a step in the report of DeepSpeed's FLOPs profiler: `iter latency:    283.97 ms`.
fn of_profiler(line: &str) -> Option<(Metric, f64)> {
    let (number, unit) = line.trim().strip_prefix("iter latency:")?.trim().split_once(' ')?;
    let each = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6)].into_iter().find(|(name, _)| *name == unit)?.1;
    Some((M::StepTime, number_at(number)? * each))
}

/// The step that a line is of.
fn step(line: &str) -> Option<f64> {
    ["iteration", "step:[", "step:", "step=", "step ", "Step ", "iter "]
        .iter()
        .find_map(|word| number_at(line.split_once(word)?.1))
}

/// How many steps there are, by a line of Megatron-LM's form: `iteration       10/    1000 |`.
fn total(line: &str) -> Option<f64> {
    let (done, rest) = line.split_once("iteration ")?.1.split_once('/')?;
    let is_count = !done.trim().is_empty() && done.trim().bytes().all(|b| b.is_ascii_digit());
    let (all, _) = rest.split_once('|').filter(|_| is_count)?;
    number_at(all)
}

/// How many steps a progress bar has behind it, and how many there are: `500/1000 [10:00<10:00, 1.20s/it]`.
fn bar(line: &str) -> Option<(f64, f64)> {
    let (done, all) = line.rsplit_once(" [")?.0.rsplit_once('/')?;
    number_before(done).zip(number_at(all))
}

/// What a progress bar shows: how many steps it has behind it, for how many seconds, and its running mean in seconds per step; with the least seconds
/// between two lines that say something of a step. modded-nanogpt writes the same without a bar: `step:10/1480 train_time:590ms step_avg:59.00ms`.
fn drawn(line: &str) -> Option<([f64; 3], f64)> {
    /// A bar shows whole seconds, so that it errs by a twentieth at most.
    const LEAST: f64 = 20.0;
    if let Some((before, rest)) = line.split_once(" train_time:") {
        let (done, _) = before.split_once("step:")?.1.split_once('/')?;
        let (ms, mean) = rest.split_once("ms step_avg:")?;
        let [done, ms, mean] = [number_at(done)?, number_at(ms)?, number_at(mean)?];
        return (mean > 0.0).then_some(([done, ms * 1e-3, mean * 1e-3], 0.0));
    }
    let (done, _) = bar(line)?;
    let (elapsed, rest) = line.rsplit_once(" [")?.1.split_once('<')?;
    let mut parts = elapsed.trim().split(':').map(|part| part.parse::<u32>().ok());
    let seconds = parts.try_fold(0.0, |sum, part| Some(sum * 60.0 + f64::from(part?)))?;
    let mean = match rest.split_once("s/it") {
        Some((before, _)) => number_before(before)?,
        None => 1.0 / number_before(rest.split_once("it/s")?.0)?,
    };
    (mean.is_finite() && mean > 0.0).then_some(([done, seconds, mean], LEAST))
}

/// What llama.cpp allocates on its first GPU, over which and the others the layers are spread alike, and the tokens that its cache holds
/// (`ggml-org/llama.cpp`, `src/llama-model.cpp`, `src/llama-kv-cache.cpp`): `load_tensors: CUDA0 model buffer size = 4155.99 MiB`,
/// `llama_kv_cache: CUDA0 KV buffer size = 1024.00 MiB`, `llama_kv_cache: size = 1024.00 MiB (8192 cells, 32 layers, 1/1 seqs), …`.
fn of_llama(line: &str) -> Option<(&'static str, Is, f64)> {
    let is_cache = line.contains("llama_kv_cache");
    if let Some((_, rest)) = line.split_once(": size = ").filter(|_| is_cache) {
        let (cells, rest) = rest.split_once('(')?.1.split_once(" cells,")?;
        // Sequences, and how many caches of so many cells they have; before there were several, the cells are of all.
        let caches = rest.split_once(" layers,")?.1.split_once(" seqs)")?.0.split_once('/');
        let caches = caches.map_or(Some(1.0), |(_, caches)| number_at(caches))?;
        return Some(("llama.cpp", A(M::KvTokens), number_at(cells)? * caches));
    }
    let (before, size) = line.split_once(" buffer size =")?;
    let (is, before) = match before.strip_suffix(" KV") {
        Some(before) if is_cache => (A(M::KvMemory), before),
        None if line.contains("load_tensors:") => (A(M::Weights), before.strip_suffix(" model").unwrap_or(before)),
        _ => return None,
    };
    // As ggml's backends name their first device.
    const DEVICES: [&str; 8] = ["CUDA0", "ROCm0", "HIP0", "Vulkan0", "SYCL0", "MUSA0", "MTL0", "Metal"];
    let device = before.split_whitespace().next_back()?.trim_end_matches("_Mapped");
    let mib = number_at(size).filter(|_| size.contains(" MiB"))?;
    DEVICES.contains(&device).then_some(("llama.cpp", is, mib * MIB))
}

/// The number of the engine that a line of a server is of.
fn engine_number(line: &str) -> Option<u64> {
    if line.starts_with("vllm:") {
        return line.split_once("engine=")?.1.split([',', '}']).next()?.parse().ok();
    }
    if line.contains("generation throughput:") {
        return line.split_once("Engine ")?.1.split_once(':')?.0.parse().ok();
    }
    // SGLang's ranks of data parallelism: `[2025-06-01 10:00:00 DP0 TP0] Decode batch. …`.
    let tag = line.split_once(']').filter(|_| line.contains("gen throughput (token/s):"))?.0;
    tag.split([' ', '[']).find_map(|word| word.strip_prefix("DP")?.parse().ok())
}

/// How many parameters are trained, of how many: `trainable params: 20,185,088 || all params: 8,050,446,336 || …` (PEFT), `Trainable parameters =
/// 25,952,256 of 4,463,768,064` (Unsloth).
fn trained(line: &str) -> Option<(f64, f64)> {
    let peft = || line.split_once("trainable params:")?.1.split_once("|| all params:");
    let unsloth = || line.split_once("Trainable parameters =")?.1.split_once(" of ");
    let (trained, all) = peft().or_else(unsloth)?;
    number_at(trained).zip(number_at(all))
}

/// Words of a run that generates, or scores what a reference says too: PPO, GRPO, DPO in TRL, ms-swift, verl, slime and OpenRLHF.
const REINFORCED: [&str; 8] = [
    "rewards/",
    "timing_s/",
    "(TaskRunner pid=",
    "verl.trainer.main_",
    "perf/rollout_time",
    "policy_loss",
    "completion_length:",
    "completions/mean_length:",
];

/// Whether a line is a heading between two pieces of output: `Before:`, `### After the change`.
pub(super) fn is_heading(line: &str) -> bool {
    const OF_PROGRAMS: [&str; 12] =
        ["epoch", "step", "iter", "eval", "valid", "train", "rank", "test", "loading", "saving", "error", "traceback"];
    let bare = line.trim();
    let text = bare.trim_start_matches('#').trim();
    let is_marked = bare.starts_with("# ") || bare.starts_with("##") || bare.ends_with([':', '：']);
    let small = text.to_lowercase();
    is_marked
        && line.len() < 80
        && !line.starts_with(' ')
        && text.starts_with(char::is_alphabetic)
        && !text.contains(['=', '/', '[', ']', '_', '|', '{'])
        && !text.contains(|c: char| c.is_ascii_digit())
        && !OF_PROGRAMS.iter().any(|word| small.starts_with(word))
}

/// The line below the head of a Markdown table: `-- | -- | --`.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.contains('|') && line.bytes().all(|b| matches!(b, b'-' | b'|' | b':' | b' '))
}

/// What a program says that it did to the model: torchtitan (`models/llama3/infra/parallelize.py`), DeepSpeed (`runtime/engine.py`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Applied {
    Zero(u8),
    Precision(Dtype),
    Recompute(Recompute),
}

impl Applied {
    fn said(line: &str) -> Vec<Self> {
        const SAID: [(&str, Applied); 8] = [
            ("Applied FSDP to the model", Applied::Zero(3)),
            ("Applied HSDP to the model", Applied::Zero(3)),
            ("Applied DDP to the model", Applied::Zero(0)),
            ("Applied selective activation checkpointing to the model", Applied::Recompute(Recompute::Selective)),
            ("Applied full activation checkpointing to the model", Applied::Recompute(Recompute::Full)),
            ("Creating BF16 optimizer", Applied::Precision(Dtype::Bf16)),
            ("Creating fp16 unfused optimizer", Applied::Precision(Dtype::Fp16)),
            ("Creating fp16 optimizer with", Applied::Precision(Dtype::Fp16)),
        ];
        // `Creating torch.bfloat16 ZeRO stage 2 optimizer`. One that begins with fp16 says so of any type.
        let zero = |line: &str| {
            let (dtype, stage) = line.split_once("Creating ")?.1.split_once(" ZeRO stage ")?;
            let stage = stage.strip_suffix(" optimizer")?.trim().parse().ok().filter(|stage| *stage <= 3)?;
            let dtype = match dtype {
                "torch.bfloat16" => Some(Dtype::Bf16),
                "torch.float16" => Some(Dtype::Fp16),
                "torch.float32" => Some(Dtype::Fp32),
                _ => None,
            };
            Some([Some(Self::Zero(stage)), dtype.map(Self::Precision)])
        };
        let said = SAID.iter().find(|(words, _)| line.contains(words)).map(|(_, applied)| *applied);
        zero(line.trim_end()).unwrap_or([said, None]).into_iter().flatten().collect()
    }

    const fn what(self) -> &'static str {
        match self {
            Self::Zero(_) => "ZeRO stage",
            Self::Precision(_) => "Precision",
            Self::Recompute(_) => "Recomputation",
        }
    }

    fn fill(self, card: &mut Card, line: usize) {
        let l = &mut card.run.layout;
        let value = match self {
            Self::Zero(stage) => {
                l.zero = Some(stage);
                stage.to_string()
            }
            Self::Precision(dtype) => {
                l.dtype = Some(dtype);
                dtype.id().to_owned()
            }
            Self::Recompute(mode) => {
                l.recompute = Some(mode);
                mode.label().to_owned()
            }
        };
        card.found.retain(|found| found.what != self.what());
        card.found(self.what(), value, line);
    }
}

/// Whether a line says that the program ended on an error.
pub(super) fn is_failure(line: &str) -> bool {
    const MEMORY: [&str; 6] = [
        "CUDA out of memory",
        "HIP out of memory",
        "error: out of memory",
        "failed: out of memory",
        // NCCL's, and llm.c's, which ends its line there.
        "Cuda failure",
        "[CUDA ERROR]",
    ];
    const WORDS: [&str; 9] = [
        // DeepSpeed's launcher, of a process that a signal ended.
        "] exits with return code = -",
        // Python's argparse.
        ": error: unrecognized arguments: ",
        ": error: the following arguments are required: ",
        "Traceback (most recent call last)",
        "Watchdog caught",
        "Segmentation fault",
        "Signal 9 (SIGKILL)",
        "ncclUnhandledCudaError",
        "NVRM: Xid",
    ];
    // Python's last line: `torch.OutOfMemoryError: CUDA out of memory.`
    let (_, rest) = oom::tagged(line);
    let rest = rest.split_once("]: ").map_or(rest, |(_, rest)| rest).trim_start();
    let name = rest.split(':').next().unwrap_or_default();
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'));
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    is_name && name.ends_with("Error") || has(&WORDS) || oom::is(line) || has(&MEMORY) && !oom::is_info(line)
}

/// A line without colors and quotes, as long as it is looked at.
fn clean(line: &str) -> String {
    let mut text = crate::terminal::plain(line).into_owned();
    text.retain(|c| !matches!(c, '\'' | '"' | '`'));
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        // Not inside a number.
        let end = text.get(..end).map_or(0, |text| text.trim_end_matches(|c: char| !c.is_whitespace()).len());
        text.truncate(end);
    }
    text
}

/// Whether a line is a bar of something other than training steps: files, data, shapes of a graph.
fn is_loading(line: &str) -> bool {
    const OTHERS: [&str; 14] = [
        "shards",
        "Loading",
        "Downloading",
        "Fetching",
        "Saving",
        "Map",
        "Filter",
        "Tokeniz",
        "Packing",
        "Truncating",
        "Converting",
        "Generating",
        "Evaluat",
        "Capturing",
    ];
    // What a bar of training says before its percentage; the HF Trainer says nothing.
    const TRAINS: [&str; 5] = ["epoch", "train", "step", "iter", "loss:"];
    let is_bar = line.contains("s/it]") || line.contains("it/s]");
    let said = line.split_once("%|").map_or("", |(before, _)| before).to_lowercase();
    // A launcher's tag stands in brackets, or is a number.
    let said = said.rsplit([']', ')']).next().unwrap_or_default();
    let is_named = said.contains(char::is_alphabetic) && !TRAINS.iter().any(|word| said.contains(word));
    is_bar && (OTHERS.iter().any(|word| line.contains(word)) || bar(line).is_none() || is_named)
}

/// Whether a bar counts the batches of an epoch: `Epoch 0:  10%|`.
fn is_of_batches(line: &str) -> bool {
    let said = line.split_once("%|").map_or("", |(before, _)| before);
    let said = said.rsplit([']', ')']).next().unwrap_or_default().trim_start_matches([':', ' ']);
    let digits = said.strip_prefix("Epoch ").unwrap_or_default();
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < digits.len() && rest.starts_with(':')
}

/// torchtitan's `Building 2-D device mesh with [dp_shard, tp], [4, 8]`.
fn mesh(line: &str) -> Option<Vec<(String, u64)>> {
    let rest = line.get(line.find("device mesh with")?..)?;
    let mut lists = rest.split('[').skip(1).filter_map(|part| part.split_once(']')).map(|(list, _)| list);
    let (names, sizes) = (lists.next()?, lists.next()?);
    let pairs: Vec<(String, u64)> = names
        .split(',')
        .zip(sizes.split(','))
        .filter_map(|(name, size)| {
            Some((name.trim().to_owned(), size.trim().parse().ok().filter(|n| (1..1_000_000).contains(n))?))
        })
        .collect();
    (!pairs.is_empty()).then_some(pairs)
}

/// A line of Megatron-LM's own dump: `  num_layers ...................................... 32`, as a flag.
fn argument(line: &str) -> Option<String> {
    if let Some(argument) = of_neox(line) {
        return Some(argument);
    }
    let at = line.find(" ....").or_else(|| line.find(" ... "))?;
    let name = line.get(..at)?.split_whitespace().next_back()?;
    // Long names have few dots, and only a launcher's tag stands before a name: a line with the file that logged it is another program's.
    let before = line.get(..at)?.trim_end().strip_suffix(name)?.trim_end();
    let is_tag = before.is_empty() || before.ends_with([':', ']', '>']) && !before.contains(".py");
    if !is_tag || name.len() < 40 && !line.contains(" ....") {
        return None;
    }
    let value = line.get(at..)?.trim_start_matches([' ', '.']).trim();
    let is_name = is_argument(name);
    // Its timers look alike: `optimizer ....: (1.2, 3.4)`.
    (is_name && !name.is_empty() && !value.is_empty() && !value.starts_with(':')).then(|| format!("{name} {value}"))
}

/// The settings that vLLM prints when its engine starts, as a command: `Initializing a V1 LLM engine (v0.12.0) with config: model='…', …`
/// (`vllm-project/vllm`, `vllm/v1/engine/core.py` and `vllm/config`).
fn engine(line: &str) -> Option<String> {
    let (start, rest) = line.split_once(" engine ")?;
    let (version, settings) = rest.split_once("with config: ").filter(|_| start.contains("Initializing a"))?;
    // The first versions didn't say which they were.
    if !version.is_empty() && !version.starts_with("(v") {
        return None;
    }
    const OPTIONS: [(&str, &str); 8] = [
        ("model=", "--model"),
        ("dtype=", "--dtype"),
        ("max_seq_len=", "--max-model-len"),
        ("tensor_parallel_size=", "--tensor-parallel-size"),
        ("pipeline_parallel_size=", "--pipeline-parallel-size"),
        ("data_parallel_size=", "--data-parallel-size"),
        ("quantization=", "--quantization"),
        ("kv_cache_dtype=", "--kv-cache-dtype"),
    ];
    let option = |(key, option): (&str, &str)| {
        let settings = settings.trim_start();
        // At the beginning, or behind another one.
        let from = if settings.starts_with(key) { 0 } else { settings.find(&format!(" {key}"))? + 1 };
        let value = settings.get(from + key.len()..)?.split([',', ' ']).next()?;
        let value = value.trim_matches(['\'', '"']).trim_start_matches("torch.");
        let is_given = !matches!(value, "" | "None" | "auto") && (option != "--data-parallel-size" || value != "1");
        is_given.then(|| format!("{option} {value}"))
    };
    let options: Vec<String> = OPTIONS.into_iter().filter_map(option).collect();
    (!options.is_empty()).then(|| format!("python -m vllm.entrypoints.openai.api_server {}", options.join(" ")))
}

/// What vLLM was given, as a command: `non-default args: {'model_tag': '…', 'max_model_len': 262144, …}` (`vllm/entrypoints/utils.py`). Quotes are gone
/// by then. What isn't one word is kept as `…`, so that it's listed.
fn given(line: &str) -> Option<String> {
    let mut rest = line.split_once("non-default args: {")?.1;
    let mut command = "vllm serve".to_owned();
    while let Some((key, after)) = rest.split_once(": ") {
        let mut open = 0_i64;
        let end = after.find(|c: char| {
            open += i64::from(matches!(c, '{' | '[' | '(')) - i64::from(matches!(c, '}' | ']' | ')'));
            open < 0 || open == 0 && c == ','
        });
        let (value, next) = after.split_at(end.unwrap_or(after.len()));
        let (key, value) = (key.trim_start_matches([',', ' ']), value.trim());
        let is_word = !value.is_empty() && value.bytes().all(|b| b.is_ascii_graphic() && !b"{[($\\".contains(&b));
        match (key, value) {
            _ if !is_argument(key) => break,
            ("model_tag", _) | (_, "None" | "False") => {}
            (_, "True") => command.push_str(&format!(" --{key}")),
            _ => command.push_str(&format!(" --{key} {}", if is_word { value } else { "…" })),
        }
        rest = next;
        if end.is_none() || next.starts_with('}') {
            break;
        }
    }
    (command.len() > "vllm serve".len()).then_some(command)
}

fn is_argument(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// A line of GPT-NeoX's dump, as a flag: `  num_layers ...................... 44..........................updated`. Names are filled up with dots to 32
/// characters, so a long one has few or none; at the end it says where the value is from.
fn of_neox(line: &str) -> Option<String> {
    let (name, rest) = line.trim_start().split_once(' ')?;
    let (dots, value) = rest.split_once(' ').filter(|(dots, _)| dots.bytes().all(|b| b == b'.'))?;
    let value = value.trim();
    let rest = value.strip_suffix("updated").or_else(|| value.strip_suffix("default"))?;
    // Dots fill the line up; a long value has none.
    let is_filled = rest.ends_with('.') || rest.len() >= 30;
    let value = rest.trim_end_matches('.');
    (is_argument(name) && is_filled && name.len() + dots.len() >= 32 && !value.is_empty())
        .then(|| format!("{name} {value}"))
}

/// `> padded vocab (size: 50277) with 107 dummy tokens (new size: 50384)`
fn padded_vocabulary(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once("padded vocab (size:")?.1.split_once("(new size:")?;
    rest.split_once(')')?.0.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beside_words() {
        assert_eq!(number_at(": 10,050  tflops"), Some(10_050.0));
        assert_eq!(number_at(" 66.91GiB(37.51%)"), Some(66.91));
        assert_eq!(number_at("=9e+3, x"), Some(9000.0));
        assert_eq!(number_at(" n/a"), None);
        assert_eq!(number_before("[00:20<03:00,  2.01"), Some(2.01));
        assert_eq!(number_before("INFO - 5 "), Some(5.0));
        assert_eq!(number_before("é"), None);
    }

    #[test]
    fn a_letter_stands_for_thousands() {
        let value = |text: &str| scaled_at(text);
        assert_eq!(value(": 14.2K | x"), Some((14_200.0, true)));
        assert_eq!(value(": 547M"), Some((547e6, true)));
        assert_eq!(value(" 66.91GiB(37.51%)"), Some((66.91, false)));
        assert_eq!(value(" 10,050  tflops"), Some((10_050.0, false)));
        assert_eq!(value(": n/a"), None);
    }

    /// A line of huggingface/nanotron pull request 23, its numbers made those of a larger run, and one of AI-Hypercomputer/maxtext pull request 2232.
    #[test]
    fn nanotron_and_maxtext_are_read() {
        let measured = |text: &str, metric| {
            let mut output = Output::default();
            output.push(text);
            output.finish("x").run.measured(metric)
        };
        let nanotron = "01/17/2024 13:47:27 [INFO|DP=0|PP=0|TP=0|ip-10-0-0-1]: iteration: 991 / 1000 | consumed_tokens: 634K | elapsed_time_per_iteration_ms: 1.25K | tokens_per_sec: 419K | tokens_per_sec_per_gpu: 13.1K | global_batch_size: 1.02K | lm_loss: 10.6 | lr: 1e-05 | model_tflops_per_gpu: 135 | hardware_tflops_per_gpu: 180 | grad_norm: 0.515 | cuda_memory_allocated: 75.2M | cuda_max_memory_reserved: 54.7G | hd_total_memory_tb: 312G\n";
        for (metric, value) in [
            (M::StepTime, 1.25),
            (M::TokensPerSecond, 419e3),
            (M::TokensPerGpu, 13_100.0),
            (M::Flops, 135e12),
            (M::MemoryReserved, 54.7e9),
        ] {
            assert_eq!(measured(nanotron, metric), Some(value), "{metric:?}");
        }
        // 1.02K is 1,024 or another number near it.
        let mut output = Output::default();
        output.push(nanotron);
        assert_eq!(output.finish("x").run.layout.batch, None);
        let maxtext = "completed step: 9, seconds: 5.667, TFLOP/s/device: 134.924, Tokens/s/device: 8672.758, total_weights: 196608, loss: 10.374\n";
        assert_eq!(measured(maxtext, M::StepTime), Some(5.667));
        assert_eq!(measured(maxtext, M::TokensPerGpu), Some(8672.758));
    }

    #[test]
    fn a_hint_about_memory_is_no_error() {
        for hint in [
            "INFO 05-20 10:12:12 model_runner.py:858] CUDA graphs can take additional 1~3 GiB memory per GPU. If you are running out of memory, consider decreasing `gpu_memory_utilization`.",
            "2026-01-01 10:00:00 INFO Set expandable_segments to avoid out of memory errors",
            "WARNING: if it runs out of memory, make the batch smaller",
            "[INFO] torch.OutOfMemoryError is caught and the batch halved",
        ] {
            assert!(!is_failure(hint) && !oom::is(hint), "{hint}");
        }
        for error in [
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
            "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests.",
            "terminate called after throwing an instance of c10::OutOfMemoryError",
            "[rank1]: torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB.",
            "RuntimeError: CUDA error: out of memory",
            "(EngineCore_DP0 pid=316) ValueError: No available memory for the cache blocks.",
            "node1:7:9 [0] transport.cc:30 NCCL WARN Cuda failure 2 out of memory",
            "[CUDA ERROR] at file llmc/cuda_common.h:50:",
        ] {
            assert!(is_failure(error), "{error}");
        }
    }

    #[test]
    fn a_bar_beside_a_server_counts_requests_unless_a_trainer_wrote() {
        let time_of_a_step = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            let card = output.finish("x");
            card.run.measured.contains_key(&M::StepTime)
        };
        let bars: String = (1..9).map(|n| format!(" {n}%|█         | {n}/100 [00:43<00:43,  2.30it/s]\n")).collect();
        let server = "[2026-01-11 15:51:02 TP0] Decode batch. #running-req: 8, #token: 4096, token usage: 0.31, gen throughput (token/s): 812.50, #queue-req: 0\n";
        assert!(time_of_a_step(&bars));
        assert!(!time_of_a_step(&format!("{server}{bars}{server}")));
        assert!(time_of_a_step(&format!("{server}{bars}{{'loss': 0.61, 'epoch': 0.2}}\n")));
    }

    #[test]
    fn an_error_holds_until_two_later_steps() {
        const END: &str = "Traceback (most recent call last):\n  File \"/w/train.py\", line 30, in main\n    loss.backward()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB. GPU 3 has a total capacity of 79.11 GiB\n";
        let bar = |n: u32| format!("  0%|          | {n}/1000 [00:08<2:23:20,  8.61s/it]\n");
        let step = |n: u32| {
            format!(" iteration {n}/ 1000 | elapsed time per iteration (ms): 811.3 | global batch size: 64 |\n")
        };
        let stop = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            output.finish("x").stop
        };
        // The bar is drawn once more, another rank is a step ahead, every rank prints it, and standard error comes first.
        for (before, after) in [
            (bar(1), bar(1)),
            (step(10), step(20)),
            (step(10), step(20).repeat(4)),
            (step(90), step(10)),
            (String::new(), (1..9).map(|n| step(10 * n)).collect()),
        ] {
            let stop = stop(&format!("{before}{END}{after}"));
            assert!(stop.as_ref().is_some_and(|stop| stop.what.contains("backward")), "{before}{after}{stop:?}");
        }
        // It went on, or was started again in the same file.
        for (before, after) in [(10, [20, 30]), (90, [10, 20])] {
            let steps = after.map(step).concat();
            assert_eq!(stop(&format!("{}{END}{steps}", step(before))), None, "{before}: {steps}");
        }
    }

    #[test]
    fn a_training_that_is_summed_up_reached_its_end() {
        const SUM: &str = "{'train_runtime': 812.4, 'train_samples_per_second': 9.8, 'train_steps_per_second': 0.31, 'train_loss': 1.2, 'epoch': 1.0}\n";
        const BAR: &str = "  1%|          | 9/1000 [00:08<2:23:20,  8.61s/it]\n";
        const LONE: &str = "ImportError: cannot import name 'flash_attn_func' from 'flash_attn'\n";
        const TRACED: &str = "Traceback (most recent call last):\n  File \"/w/train.py\", line 30, in save\n    model.save()\nOSError: No space left on device\n";
        let is_stopped = |parts: &[&str]| {
            let mut output = Output::default();
            output.push(&parts.concat());
            output.finish("x").stop.is_some()
        };
        assert!(is_stopped(&[LONE]) && is_stopped(&[BAR, LONE]) && is_stopped(&[TRACED]));
        assert!(!is_stopped(&[LONE, SUM]) && !is_stopped(&[LONE, BAR, SUM]) && !is_stopped(&[BAR, TRACED, SUM]));
        // After the end, or perhaps after it: standard error was put first.
        assert!(is_stopped(&[SUM, TRACED]) && is_stopped(&[BAR, SUM, LONE]) && is_stopped(&[TRACED, SUM]));
    }

    #[test]
    fn a_last_line_that_was_cut_says_no_number_that_it_ends_with() {
        let step = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            output.finish("x").run.measured(M::StepTime)
        };
        let line = " iteration 10/ 100 | elapsed time per iteration (ms): 8120.0 | global batch size: 64 | loss scale: 1.0 |\n";
        let end = line.find("8120.0").expect("its number");
        let tune = "Step 9 | loss:1.2 lr:2e-05 tokens_per_second_per_gpu:1212.5 peak_memory_alloc:20.5 peak_memory_reserved:40.25\n";
        for newline in ["", "\n", "\r\n", "\n\n \n"] {
            for digits in 1..=6 {
                let cut = &line[..end + digits];
                assert_eq!(step(&format!("{line}{line}{cut}{newline}")), step(line), "{digits} {newline:?}");
                assert_eq!(step(&format!("{cut}{newline}")), None, "alone, {digits} {newline:?}");
            }
            let mut output = Output::default();
            output.push(&format!("{tune}{}{newline}", &tune[..tune.len() - 4]));
            let read = output.finish("x").run.measured(M::MemoryReserved);
            assert_eq!(read, Some(40.25 * GIB), "{newline:?}");
        }
        // Whole lines that end with a number.
        let mut output = Output::default();
        output.push(&tune.repeat(2));
        let card = output.finish("x");
        assert!(card.outcome == crate::run::Outcome::Read, "{card:?}");
        let dump = "--- arguments ---\n  num_layers ...................................... 3\n";
        let mut output = Output::default();
        output.push(dump);
        assert!(output.finish("x").run.model.sizes.is_empty());
        // In the middle of the text, too.
        let text = format!("{line}{line}{}\n$ exit\n", &line[..end + 2]);
        let mut output = Output::default();
        output.push(&text);
        let card = output.finish("x");
        assert_eq!(card.run.measured(M::StepTime), step(line));
        assert!(card.unread.iter().any(|unread| unread.line == 3 && unread.why.contains("may be cut")), "{card:?}");
    }

    /// Each form's numbers, in lines as its program prints them.
    #[test]
    fn what_other_trainers_print_is_read() {
        for (text, expected) in [
            (
                "[XTuner][RANK 0][2025-09-08 03:04:13][INFO] Step 7/13 data_time: 0.0065 lr: 0.000060 time: 0.0515 text_tokens: 3964.0 total_loss: 10.779 max_memory: 5.36 GB reserved_memory: 7.05 GB grad_norm: 9.847 tgs: 76929.9 e2e_tgs: 68300.0 \n",
                &[(M::StepTime, 0.0515), (M::TokensPerGpu, 76_929.9), (M::MemoryReserved, 7.05 * GIB)][..],
            ),
            (
                "INFO train.py:323 in record_current_batch_training_metrics -- tflops=189.8,step=9,loss=11.6,tgs (tokens/gpu/second)=4274.45,lr=6e-07\n",
                &[(M::Flops, 189.8e12), (M::TokensPerGpu, 4274.45)],
            ),
            (
                "2020-06-01 | INFO | train_inner | epoch 001:    100 / 7529 loss=12.3, wps=52341.2, ups=1.25, wpb=43256, num_updates=100\n",
                &[(M::StepTime, 0.8), (M::TokensPerSecond, 52_341.2)],
            ),
            (
                "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 63.44 GiB for max tokens in paged KV cache (259840).\n",
                &[(M::KvMemory, 63.44 * GIB), (M::KvTokens, 259_840.0)],
            ),
            (
                "- INFO - { Epoch:[  1/  2], step:[    1/   19], loss: 10.6, per_step_time: 103328ms, global_norm: [1 31049]\n- INFO - { Epoch:[  1/  2], step:[    2/   19], loss: 10.6, per_step_time: 1752ms, global_norm: [1 508834]\n",
                &[(M::StepTime, 1.752)],
            ),
            (
                "llama_print_timings: prompt eval time = 146712.89 ms /  1294 tokens (  113.38 ms per token)\nllama_print_timings:        eval time = 15896.38 ms /    64 runs   (  250.00 ms per token)\n",
                &[(M::GenerationRate, 4.0), (M::PromptRate, 1e3 / 113.38)],
            ),
            (
                "completed step: 15107, seconds: 2.167, TFLOP/s: 36.722, loss: 2.191\n",
                &[(M::StepTime, 2.167), (M::Flops, 36.722e12)],
            ),
            (
                "Iter 860: Train loss 0.413, Learning Rate 1.000e-06, It/sec 0.25, Tokens/sec 159.343, Trained Tokens 473342, Peak mem 100.759 GB\n",
                &[(M::StepTime, 4.0), (M::TokensPerSecond, 159.343)],
            ),
            (
                "2.02.846.974 I slot print_timing: id  3 | task 0 | n_decoded =   1081, tg =  12.93 t/s, tg_3s =  12.57 t/s\n",
                &[(M::GenerationRate, 12.93)],
            ),
            // Their own thousands, in one letter.
            ("step 10 loss 2.41 tok/s/gpu 5.2k\n", &[(M::TokensPerGpu, 5200.0)]),
        ] {
            let mut output = Output::default();
            output.push(text);
            let run = output.finish("x").run;
            for (metric, value) in expected {
                let read = run.measured(*metric).unwrap_or_default();
                assert!((read / value - 1.0).abs() < 1e-9, "{metric:?}: {read} in {text}");
            }
        }
    }

    /// The first step compiles, on every rank: none of its values counts, and the sentence says which step that is.
    #[test]
    fn a_median_says_which_steps_it_leaves_out() {
        let line = |step: u32, ms: f64| {
            format!(
                " iteration {step}/ 100 | elapsed time per iteration (ms): {ms} | global batch size: 64 | loss scale: 1.0 |\n"
            )
        };
        let of = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            let card = output.finish("x");
            let value = card.found.iter().find(|found| found.what == "Step time").map(|found| found.value.clone());
            (card.run.measured(M::StepTime), value.unwrap_or_default())
        };
        let steps = |steps: &[u32], ranks: usize| -> String {
            steps.iter().map(|n| line(*n, if *n == 1 { 60_000.0 } else { 500.0 }).repeat(ranks)).collect()
        };
        for (text, says) in [
            (steps(&[1, 2, 3], 1), "500 ms (median of 3, without step 1)"),
            (steps(&[1, 2, 3, 4, 5], 1), "500 ms (median of 5, without step 1)"),
            (steps(&[10, 20, 30, 40], 1), "500 ms (median of 4, without step 10)"),
            // Eight ranks: eight values of the first step.
            (steps(&[1, 2], 8), "500 ms (median of 16, without step 1)"),
            (steps(&[501, 502, 503], 1), "500 ms (median of 3)"),
            // Nothing says which step a line is of.
            (
                "step_avg: 99.5ms\nstep_avg: 50.0ms\nstep_avg: 50.0ms\nstep_avg: 50.0ms\n".to_owned(),
                "50 ms (median of 4, without the first)",
            ),
        ] {
            let (measured, said) = of(&text);
            assert_eq!(said, says, "{text}");
            assert!(measured.is_some_and(|seconds| seconds < 1.0), "{text}");
        }
    }

    #[test]
    fn a_first_step_alone_is_shown_and_not_compared() {
        let line = |step: u32, ms: u32| {
            format!(
                " iteration {step}/ 100 | elapsed time per iteration (ms): {ms}.0 | throughput per GPU (TFLOP/s/GPU): 40.4 | global batch size: 64 |\n"
            )
        };
        let card = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            output.finish("x")
        };
        let alone = card(&line(1, 271_607));
        assert_eq!(alone.run.measured(M::StepTime).or(alone.run.measured(M::Flops)), None);
        assert!(alone.found.iter().any(|found| found.what == "Step time, of the first step alone"), "{alone:?}");
        assert!(alone.outcome == Outcome::Partly, "{alone:?}");
        // A later line alone is of the steps before it.
        for text in [line(10, 8000), [line(1, 271_607), line(2, 8000)].concat()] {
            assert_eq!(card(&text).run.measured(M::StepTime), Some(8.0), "{text}");
        }
    }

    #[test]
    fn a_bar_of_batches_is_no_step_unless_a_trainer_says_so() {
        const BAR: &str = "Epoch 0:  12%|█▏        | 123/1000 [02:27<17:32,  1.20s/it]\n";
        let card = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            output.finish("x")
        };
        for bar in [BAR.to_owned(), format!("[rank0]: {BAR}")] {
            let read = card(&bar);
            assert_eq!((read.run.measured(M::StepTime), read.outcome), (None, Outcome::Partly), "{bar}");
        }
        let trained = format!("{BAR}{{'loss': 1.2, 'grad_norm': 0.8, 'learning_rate': 2e-05, 'epoch': 0.12}}\n");
        for text in [trained.as_str(), " 12%|█▏        | 123/1000 [02:27<17:32,  1.20s/it]\n"] {
            assert_eq!(card(text).run.measured(M::StepTime), Some(1.2), "{text}");
        }
    }

    #[test]
    fn a_bar_says_the_time_between_its_lines_before_its_running_mean() {
        let card = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            output.finish("x")
        };
        // A first step of a minute, then two seconds each: the running mean still remembers it.
        let bar =
            |n: u32, elapsed: &str, mean: &str| format!("  1%|          | {n}/1000 [{elapsed}<30:00, {mean}s/it]\n");
        let lines =
            [bar(1, "01:00", "60.00"), bar(11, "01:20", "6.10"), bar(31, "02:00", "2.80"), bar(51, "02:40", "2.10")];
        let read = card(&lines.concat());
        assert_eq!(read.run.measured(M::StepTime), Some(2.0), "{read:?}");
        assert!(read.found.iter().any(|found| found.value == "2 s (median of 3 intervals of its bar)"), "{read:?}");
        // One line alone has its mean, and says so. Too short an interval says nothing.
        for text in [lines[1].clone(), [bar(10, "01:19", "6.10"), lines[1].clone()].concat()] {
            let read = card(&text);
            assert_eq!(read.run.measured(M::StepTime), Some(6.1), "{text}");
            assert!(
                read.found.iter().any(|found| found.value.contains("the bar’s running mean, which lags")),
                "{read:?}"
            );
        }
        assert_eq!(drawn(" 5/9 [1:00:10<0:10, 2.50it/s]"), Some(([5.0, 3610.0, 0.4], 20.0)));
        for text in ["5/9 [?<?, 2.5it/s]", "5/9 [00:10<00:10, ?s/it]", "5/9 [10<", "5/9 [00:10<00:10, 0.0it/s]"] {
            assert_eq!(drawn(text), None, "{text}");
        }
    }

    #[test]
    fn a_servers_report_counts_where_something_ran_at_both_its_ends() {
        let line = |rate: &str, running: u32| {
            format!(
                "INFO 05-22 02:20:59 metrics.py:229] Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: {rate} tokens/s, Running: {running} reqs, Swapped: 0 reqs, Pending: 0 reqs, GPU KV cache usage: 0.1%, CPU KV cache usage: 0.0%\n"
            )
        };
        let read = |reports: &[(&str, u32)]| {
            let mut output = Output::default();
            output.push(&reports.iter().map(|(rate, running)| line(rate, *running)).collect::<String>());
            let run = output.finish("x").run;
            [M::GenerationRate, M::Running].map(|metric| run.measured(metric))
        };
        assert_eq!(read(&[("0.1", 1), ("12.0", 1)]), [Some(12.0), Some(1.0)]);
        let burst = [("149.6", 1), ("148.3", 1), ("126.6", 0), ("13.9", 0), ("0.0", 0)];
        assert_eq!(read(&burst), [Some(148.3), Some(1.0)]);
        assert_eq!(read(&burst[..1]), [Some(149.6), Some(1.0)]);
        assert_eq!(read(&burst[2..3]), [Some(126.6), Some(0.0)]);
    }

    #[test]
    fn of_two_reports_of_a_benchmark_the_last_one_counts() {
        let report = |rate: &str, first: &str| {
            let old = format!("Output token throughput: {rate} tokens/s\nMean TTFT: {first} ms\nMean TPOT: 58.04 ms\n");
            let new = format!(
                "Output token throughput (tok/s):         {rate}   \nMean TTFT (ms):              {first}   \n"
            );
            let table = format!("Time to first token (ms): {first} \nOutput token throughput (per sec): {rate} \n");
            [old, new, table]
        };
        for (before, last) in report("1412.49", "114960.78").into_iter().zip(report("1038.35", "1274.09")) {
            let mut output = Output::default();
            output.push(&format!("{before}\n{last}"));
            let card = output.finish("x");
            let read = [M::GenerationRate, M::FirstToken].map(|metric| card.run.measured(metric));
            assert_eq!(read, [Some(1038.35), Some(1274.09 * 1e-3)], "{before}{last}");
            assert!(card.unread.iter().any(|unread| unread.why.contains("another report")), "{card:?}");
        }
    }

    #[test]
    fn what_vllm_has_room_for_is_said_beside_its_tokens() {
        let text = "INFO [kv_cache_utils.py:864] GPU KV cache size: 78,800 tokens\nINFO [kv_cache_utils.py:868] Maximum concurrency for 8,192 tokens per request: 9.62x\n";
        let found = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            let card = output.finish("x");
            let room = card.found.iter().find(|found| found.what.starts_with("Requests of 8,192 tokens"));
            (room.map(|room| room.value.clone()), card.run.measured(M::KvTokens))
        };
        assert_eq!(found(text), (Some("9.62".to_owned()), Some(78_800.0)));
        // Cut within the number.
        assert_eq!(found(text.trim_end().trim_end_matches("2x")).0, None);
        assert_eq!(found(&text.lines().skip(1).collect::<String>()).1, Some((8192.0_f64 * 9.62).round()));
    }

    /// As `llama-server` and `trtllm-serve` print it.
    #[test]
    fn what_an_engine_has_for_its_cache_is_read_in_all_of_its_output() {
        let of = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            let run = output.finish("x").run;
            [M::Weights, M::KvMemory, M::KvTokens].map(|metric| run.measured(metric))
        };
        let mib = |mib: f64| Some(mib * MIB);
        // ggml-org/llama.cpp: a model whose layers all attend to everything, on each backend's first device.
        for device in ["CUDA0", "ROCm0", "Vulkan0"] {
            let text = format!(
                "load_tensors:   CPU_Mapped model buffer size =   281.81 MiB\nload_tensors:        {device} model buffer size =  4155.99 MiB\nllama_kv_cache:      {device} KV buffer size =  1024.00 MiB\nllama_kv_cache: size = 1024.00 MiB (  8192 cells,  32 layers,  4/4 seqs), K (f16):  512.00 MiB, V (f16):  512.00 MiB\n"
            );
            assert_eq!(of(&text), [mib(4155.99), mib(1024.0), Some(32_768.0)], "{text}");
        }
        // A model with a sliding window has two caches; a second GPU has the others' layers.
        let text = "llama_kv_cache_unified_iswa: creating non-SWA KV cache, size = 8192 cells\nllama_kv_cache_unified:      CUDA0 KV buffer size =   640.00 MiB\nllama_kv_cache_unified:      CUDA1 KV buffer size =   600.00 MiB\nllama_kv_cache_unified: size = 1240.00 MiB (  8192 cells,  10 layers,  1/1 seqs), K (f16):  620.00 MiB, V (f16):  620.00 MiB\nllama_kv_cache_unified_iswa: creating     SWA KV cache, size = 1536 cells\nllama_kv_cache_unified:      CUDA0 KV buffer size =   312.00 MiB\nllama_kv_cache_unified: size =  624.00 MiB (  1536 cells,  52 layers,  1/1 seqs), K (f16):  312.00 MiB, V (f16):  312.00 MiB\n";
        assert_eq!(of(text), [None, mib(952.0), Some(8192.0)]);
        // ai-dynamo/dynamo, examples/python_rs/llm/tensorrt_llm: between the bars of what is loaded, and before a benchmark's report.
        let cache =
            "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 26.91 GiB for max tokens in paged KV cache (220480).\n";
        let bar = "Loading weights: 100%|██████████| 617/617 [00:10<00:00, 58.15it/s]\n";
        for text in [
            format!("{bar}{cache}{bar}"),
            format!("{cache}Total Output Throughput (tokens/sec):             7517.2\nTP Size:                4\n"),
            format!(
                "{cache}{bar}Output token throughput (tok/s):         1038.35\nMean TTFT (ms):              1274.09\n"
            ),
        ] {
            assert_eq!(of(&text), [None, Some(26.91 * GIB), Some(220_480.0)], "{text}");
        }
    }

    /// KellerJordan/modded-nanogpt: its `step_avg` is the mean since the run began.
    #[test]
    fn a_mean_since_the_beginning_is_no_step_time() {
        let line = |step: u32, ms: u32| {
            format!("step:{step}/1480 train_time:{ms}ms step_avg:{:.2}ms\n", f64::from(ms) / f64::from(step))
        };
        // A slow beginning with short sequences: 40 ms a step, then 60.
        let text: String =
            (1..=40).map(|n| line(n, 40 * n)).chain((41..=200).map(|n| line(n, 1600 + 60 * (n - 40)))).collect();
        let mut output = Output::default();
        output.push(&format!("{text}peak memory allocated: 31344 MiB reserved: 45866 MiB\n"));
        let run = output.finish("x").run;
        assert!(run.measured(M::StepTime).is_some_and(|seconds| (seconds - 0.06).abs() < 1e-9), "{run:?}");
        assert_eq!(run.measured(M::MemoryReserved), Some(45_866.0 * MIB));
        assert_eq!(run.measured(M::MemoryAllocated), Some(31_344.0 * MIB));
    }

    #[test]
    fn lines_of_another_length_are_of_another_run() {
        let line = |step: u32, total: u32, ms: u32| {
            format!(" iteration {step}/ {total} | elapsed time per iteration (ms): {ms}.0 | global batch size: 64 |\n")
        };
        let text = [line(10, 1000, 8120), line(20, 1000, 8130), line(100, 5000, 2000), line(110, 5000, 2000)].concat();
        let mut output = Output::default();
        output.push(&text);
        let card = output.finish("x");
        assert_eq!(card.run.measured(M::StepTime), Some(2.0));
        assert!(card.unread.iter().any(|unread| unread.text == "Lines before 3"), "{card:?}");
        // Back to a step that nothing printed: no rank that is late.
        let back = |step: u32| [line(500, 1000, 8120), line(510, 1000, 8120), line(step, 1000, 4000)].concat();
        for (step, seconds) in [(501, 4.0), (500, 8.12)] {
            let mut output = Output::default();
            output.push(&back(step));
            let read = output.finish("x").run.measured(M::StepTime).unwrap_or_default();
            assert!((read - seconds).abs() < 1e-9, "{step}: {read}");
        }
    }

    #[test]
    fn a_ranks_rate_is_not_its_servers() {
        // sgl-project/sglang: each rank of data parallelism prints its own, with the tag first.
        let line = |rank: u32, rate: &str| {
            format!(
                "2025-10-20 03:02:22 INFO 3122{rank} [DP{rank} TP{rank} EP{rank} scheduler_metrics_mixin.py:222] Decode batch. #running-req: 32, #token: 157952, token usage: 0.21, gen throughput (token/s): {rate}, #queue-req: 1\n"
            )
        };
        let read = |text: &str| {
            let mut output = Output::default();
            output.push(text);
            let card = output.finish("x");
            let of = |metric| card.run.measured(metric);
            (
                [of(M::GenerationRate), of(M::Running), of(M::Waiting)],
                card.found.iter().any(|found| found.what.ends_with(", of one engine")),
            )
        };
        assert_eq!(read(&line(3, "693.45")), ([Some(693.45), Some(32.0), Some(1.0)], false));
        assert_eq!(read(&[line(3, "693.45"), line(5, "674.19")].concat()), ([None; 3], true));
    }

    #[test]
    fn ranks_of_data_parallelism_are_engines() {
        let line = |rank: u32| {
            format!(
                "[2025-06-01 10:00:00 DP{rank} TP{rank}] Decode batch. #running-req: 20, #token: 46000, token usage: 0.10, gen throughput (token/s): 800.12, #queue-req: 0\n"
            )
        };
        let unread = |ranks: &[u32]| {
            let mut output = Output::default();
            output.push(&ranks.iter().map(|rank| line(*rank)).collect::<String>());
            output.finish("x").unread.len()
        };
        assert_eq!((unread(&[0, 0]), unread(&[0, 1, 2, 3])), (0, 1));
    }

    #[test]
    fn a_text_may_be_cut_anywhere() {
        let text = "iter 0: loss 10.9, time 30000.00ms, mfu 1.00%\niter 10: loss 9.1, time 250.00ms, mfu 30.00%\r\niter 20: loss 8.7, time 252.00ms, mfu 30.20%\niter 30: loss 8.2, time 254.00ms, mfu 30.40%";
        let mut whole = Output::default();
        whole.push(text);
        for at in 0..text.len() {
            let mut cut = Output::default();
            cut.push(&text[..at]);
            cut.push(&text[at..]);
            assert_eq!(cut.clone().finish("x").run, whole.clone().finish("x").run, "{at}");
        }
        assert_eq!(whole.finish("x").run.measured(Metric::StepTime), Some(0.252));
    }
}
