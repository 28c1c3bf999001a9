//! In which phase of a step memory ran out, by the frames of the traceback before the message.
//!
//! The outermost frame that belongs to a phase names it: a forward pass that the backward pass runs again is the backward pass. Of a step that
//! an optimizer runs as its closure, only the frames inside the closure count. The innermost frames say what was allocated. Names are those of PyTorch (`torch/optim`, `torch/distributed/fsdp`, `torch/utils/checkpoint.py`), DeepSpeed,
//! transformers, vLLM and SGLang.

use serde::{Deserialize, Serialize};

use super::card::{Stop, quote};
use super::ledger::Link;
use crate::query::Query;
use crate::units::{GIB, KIB, MIB};

/// Most lines of tracebacks that are kept.
const MOST: usize = 400;

/// A function that a frame is in, and the line of code that it stands at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Frame {
    /// The rank that prints it, if it says so.
    rank: Option<u64>,
    file: String,
    function: String,
    code: String,
}

/// The last frames of a text, as its lines come.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Frames {
    all: Vec<Frame>,
    /// Whether the next line is the last frame's code.
    is_open: bool,
    /// Whether Rich or IPython prints it, with the lines around that code.
    is_quoting: bool,
}

/// A phase, or what was allocated in it.
struct Row {
    /// The function of a frame is one of these.
    functions: &'static [&'static str],
    /// Or its file or code has one of these.
    marks: &'static [&'static str],
    what: &'static str,
    why: &'static str,
    figure: &'static str,
    state: &'static str,
    /// What narrows it down: the innermost frame that fits one counts.
    parts: &'static [Row],
}

const fn row(
    [functions, marks]: [&'static [&'static str]; 2],
    what: &'static str,
    why: &'static str,
    [figure, state]: [&'static str; 2],
    parts: &'static [Row],
) -> Row {
    Row { functions, marks, what, why, figure, state, parts }
}

const BREAKDOWN: [&str; 2] = ["memory-breakdown", ""];
const ACTIVATIONS: [&str; 2] = ["activation-memory", ""];
const STEPS: [&str; 2] = ["first-steps", ""];
const CACHE: [&str; 2] = ["kv-cache", "view=fit"];

/// What a forward pass allocates, the first time or again.
const LOGITS: Row = row(
    [
        &["cross_entropy", "log_softmax", "selective_log_softmax"],
        &[
            "cross_entropy",
            "lm_head",
            // What is computed of them, and not their own name: `logits = model(x)` is a forward pass.
            "logits.",
            "logits[",
            "logits,",
            "(logits)",
            "logits]",
            "shift_logits",
            "self.output(",
            "log_softmax",
            "ForCausalLMLoss",
        ],
    ],
    "Memory ran out at the logits",
    "There is one value per token and entry of the vocabulary, often in fp32 and more than once, and recomputing layers doesn’t shrink them. Take a fused or chunked cross-entropy, or make the micro-batch smaller.",
    ACTIVATIONS,
    &[],
);
const SCORES: Row = row(
    [&["eager_attention_forward", "softmax"], &["attn_weights", "attention_scores", "attn_scores", "softmax("]],
    "Memory ran out at the attention scores",
    "There is one score per pair of tokens and head, so they grow with the square of the sequence. Take FlashAttention (`sdpa` or `flash_attention_2` in transformers), which never stores them.",
    ["attention-growth", ""],
    &[],
);
const GATHER: Row = row(
    [
        &["_unshard", "unshard", "all_gather_into_tensor", "fetch_sub_module", "_all_gather_flat_param"],
        &["all_gather", "_all_gather", "allgather", "partition_parameters.py"],
    ],
    "Memory ran out while a layer’s weights were gathered",
    "FSDP and ZeRO-3 gather each layer’s full weights before it runs, and there was no room left for them. Shard smaller pieces and prefetch fewer of them, or shrink the activations with a smaller micro-batch or recomputation.",
    ["zero-stepper", ""],
    &[],
);
const AGAIN: Row = row(
    [&["recompute_fn", "unpack_hook", "unpack"], &["checkpoint.py"]],
    "Memory ran out in the backward pass, while a layer was recomputed",
    "A recomputed layer needs all of its own activations at once, beside the gradients that are there by then, so recomputing more layers doesn’t help. Make the micro-batch smaller, or split the sequence or the layer (context or tensor parallelism).",
    ACTIVATIONS,
    &[],
);

/// What engines do once the weights and the KV cache are there.
const CAPTURE: Row = row(
    [
        &["capture_model", "capture_graph", "capture", "_capture_cudagraphs", "capture_one_batch_size"],
        &["cuda_graph_runner.py"],
    ],
    "Memory ran out while CUDA graphs were captured",
    "The weights and the KV cache have their share by then, and graphs come on top. Leave more room (a smaller `--gpu-memory-utilization` or `--mem-fraction-static`), capture fewer batch sizes, or do without graphs (`--enforce-eager`).",
    CACHE,
    &[],
);
const WARM_UP: Row = row(
    [&["compile_or_warm_up_model", "_warm_up_model", "kernel_warmup"], &[]],
    "Memory ran out while the engine warmed up",
    "The weights and the KV cache have their share by then, and the warm-up runs batches as large as the engine may get. Leave more room (a smaller `--gpu-memory-utilization`), or allow smaller batches (`--max-num-seqs`, `--max-num-batched-tokens`).",
    CACHE,
    &[CAPTURE],
);
const SERVE: Row = row(
    [&["execute_model", "execute_dummy_batch", "forward_batch_generation"], &[]],
    "Memory ran out while the engine ran a batch of requests",
    "The weights and the KV cache have their share already, and the activations of this batch didn’t fit beside them. Lower `--gpu-memory-utilization` (`--mem-fraction-static` in SGLang), or put fewer requests and tokens in a batch (`--max-num-seqs` and `--max-num-batched-tokens`; `--max-running-requests` and `--chunked-prefill-size` in SGLang).",
    CACHE,
    &[],
);

/// Of the innermost frame alone: trainers that generate their batches do so in the same functions (GRPO in `_prepare_inputs`).
const MOVE: Row = row(
    [
        &["send_to_device", "_prepare_inputs", "_prepare_input", "move_data_to_device", "batch_to", "to_device"],
        &[
            "batch.to(",
            "batch.cuda(",
            "inputs.to(",
            "inputs.cuda(",
            "input_ids.to(",
            "images.to(",
            "images.cuda(",
            "data.to(",
            "labels.to(",
            "x.to(",
            "x.cuda(",
            "v.to(",
            ".pin_memory(",
        ],
    ],
    "Memory ran out while a batch was moved to the GPU",
    "The GPU was full before the step began. Tensors of earlier steps may still be referenced, such as losses that are summed with their graphs (take `loss.item()`), or another process is on the GPU: nvidia-smi shows it.",
    ["caching-allocator", ""],
    &[],
);
const FORWARD: Row = row(
    [
        &["forward", "_call_impl", "compute_loss", "forward_step"],
        &["model(", "net(", "compute_loss(", "criterion(", "loss_fn("],
    ],
    "Memory ran out in the forward pass",
    "Activations grow with the micro-batch and the sequence. In the first step there are no gradients and optimizer states yet, so weights and activations alone don’t fit. Make the micro-batch smaller, recompute layers, or split the sequence (context parallelism).",
    ACTIVATIONS,
    &[LOGITS, SCORES, GATHER],
);

const SET_UP: Row = row(
    [
        &["initialize_optimizer_states", "_configure_zero_optimizer", "_create_fp32_partitions"],
        &["initialize_optimizer_states", "_configure_zero_optimizer("],
    ],
    "Memory ran out while DeepSpeed set up the optimizer",
    "DeepSpeed allocates the fp32 weights and the optimizer’s states before the first step, so the micro-batch has nothing to do with it. Raise the ZeRO stage, share the states among more GPUs, or offload them (`offload_optimizer`).",
    BREAKDOWN,
    &[],
);
const WRAPPED: Row = row(
    [
        &[
            "fully_shard",
            "_ddp_init_helper",
            "_init_param_handle_from_module",
            "_configure_distributed_model",
            "prepare_model",
        ],
        &[
            "fully_shard(",
            "FullyShardedDataParallel(",
            "DistributedDataParallel(",
            "FSDP(",
            "DDP(",
            "parallelize_module(",
        ],
    ],
    "Memory ran out while the model was wrapped",
    "Nothing has been computed yet. DDP adds buckets as large as the gradients, and FSDP has a module whole until it is sharded. Build the model on the meta device or the CPU, so that each GPU only ever gets its shard.",
    BREAKDOWN,
    &[],
);
/// Of a frame that no phase is known of.
const GATHERED: Row = row(
    [&[], &["all_gather(", "all_gather_object(", "all_gather_into_tensor(", "gather_for_metrics("]],
    "Memory ran out while tensors were gathered from all ranks",
    "An all-gather leaves the pieces of all ranks on every GPU, so it needs as many times the memory of a piece as there are ranks. Gather smaller pieces and move each to the CPU, or reduce before you gather.",
    BREAKDOWN,
    &[],
);

const PHASES: &[Row] = &[
    row(
        [
            &["evaluate", "evaluation_loop", "prediction_step", "eval_step", "validation_step", "validate"],
            &[".evaluate(", "evaluate_and_print"],
        ],
        "Memory ran out in an evaluation",
        "The optimizer’s states stay where they are, and an evaluation has a batch size and outputs of its own. Run it under `torch.no_grad()` with a smaller batch (`per_device_eval_batch_size`), and don’t keep its logits on the GPU (`eval_accumulation_steps`, `prediction_loss_only`).",
        BREAKDOWN,
        &[],
    ),
    row(
        [
            &["save_checkpoint", "_save_checkpoint", "save_model", "save_pretrained", "state_dict", "get_state_dict"],
            &["save_checkpoint(", "torch.save(", ".full_tensor("],
        ],
        "Memory ran out while a checkpoint was saved",
        "A full state dict gathers every rank’s shard on one GPU. Save shards instead (`torch.distributed.checkpoint`, `SHARDED_STATE_DICT`), or move each piece to the CPU as it is gathered (`offload_to_cpu=True`, `rank0_only=True`).",
        BREAKDOWN,
        &[],
    ),
    SERVE,
    WARM_UP,
    CAPTURE,
    row(
        [&["profile_run", "determine_available_memory", "determine_num_available_blocks", "_dummy_run"], &[]],
        "Memory ran out in the engine’s profiling run",
        "Before the cache is allocated, vLLM runs the largest batch that it may ever get. Lower `--max-num-batched-tokens` or `--max-num-seqs`, or spread the weights over more GPUs (`--tensor-parallel-size`).",
        CACHE,
        &[],
    ),
    row(
        [
            &[
                "initialize_kv_cache",
                "_allocate_kv_cache",
                "_allocate_kv_cache_tensors",
                "init_memory_pool",
                "initialize_cache",
            ],
            &["memory_pool.py"],
        ],
        "Memory ran out while the KV cache was allocated",
        "The engine’s share of the GPU is larger than what is free: something else took memory after it was measured. End other processes on the GPU, or lower `--gpu-memory-utilization` (`--mem-fraction-static` in SGLang).",
        CACHE,
        &[CAPTURE, WARM_UP],
    ),
    row(
        [&[], &["deepspeed.initialize("]],
        "Memory ran out while DeepSpeed was set up",
        "`deepspeed.initialize` puts the weights on the GPU and allocates the fp32 weights and the buffers of gradients beside them, before there is a batch. So a smaller micro-batch doesn’t help. Raise the ZeRO stage, share the states among more GPUs, or offload them (`offload_optimizer`).",
        BREAKDOWN,
        &[SET_UP, WRAPPED],
    ),
    SET_UP,
    WRAPPED,
    row(
        [
            &[
                "from_pretrained",
                "load_model",
                "load_weights",
                "load_state_dict",
                "load_checkpoint",
                "_apply",
                "_load_state_dict_into_meta_model",
            ],
            &[
                "from_pretrained(",
                "load_model(",
                "load_state_dict(",
                "model.to(",
                "model.cuda(",
                "model.half(",
                "model.bfloat16(",
                "net.to(",
                "net.cuda(",
                "torch.load(",
            ],
        ],
        "Memory ran out while the model was loaded",
        "The weights alone don’t fit beside what is on the GPU already. Check that each rank takes a GPU of its own and loads to the CPU (`map_location=\"cpu\"`). Then shard while loading (FSDP from the meta device, ZeRO-3), split the model (tensor parallelism), or store it in fewer bits.",
        BREAKDOWN,
        &[],
    ),
    row(
        [&["clip_grad_norm_", "clip_grad_norm", "clip_gradients"], &["clip_grad_norm"]],
        "Memory ran out while gradients were clipped",
        "All gradients are there, the activations are freed, and the norms need temporary tensors. Shard the gradients (ZeRO-2 or FSDP), or pass `foreach=False` to `clip_grad_norm_`.",
        BREAKDOWN,
        &[],
    ),
    row(
        [
            &["_init_group", "optimizer_step", "_take_model_step"],
            &[
                "optimizer.step",
                "optim.step",
                "opt.step(",
                "scaler.step(",
                "optimizers.step",
                "torch/optim/",
                "exp_avg",
            ],
        ],
        "Memory ran out in an optimizer step",
        "The activations are freed by then, so weights, gradients and optimizer states fill the GPU, and a smaller micro-batch hardly helps. Shard them (ZeRO or FSDP), take an optimizer with smaller states, or offload them.",
        BREAKDOWN,
        &[
            row(
                [&["_init_group", "init_state", "_init_state"], &["state[exp_avg", "momentum_buffer", "zeros_like("]],
                "Memory ran out in the first optimizer step",
                "PyTorch allocates the optimizer’s states in its first step, so forward and backward had run without them: Adam keeps two values per parameter. Weights, gradients and states together don’t fit, and a smaller micro-batch hardly helps, because the activations are freed by then. Shard the states (ZeRO-1 or FSDP), take an 8-bit optimizer, or offload them.",
                STEPS,
                &[],
            ),
            row(
                [&[], &["_foreach_", "_multi_tensor"]],
                "Memory ran out in an optimizer step, at its temporary tensors",
                "The foreach implementation needs temporary tensors as large as the parameters that it updates. Pass `fused=True`, which needs none, or `foreach=False`. If that isn’t enough, shard the states (ZeRO-1 or FSDP).",
                STEPS,
                &[],
            ),
        ],
    ),
    row(
        [&["backward", "_engine_run_backward", "backward_step"], &[".backward(", "run_backward("]],
        "Memory ran out in the backward pass",
        "The forward pass fit with all of its activations. The backward pass adds gradients while most of them are still there. A smaller micro-batch or recomputation shrinks the activations; ZeRO-2 or FSDP shards the gradients.",
        ACTIVATIONS,
        &[AGAIN, LOGITS, GATHER],
    ),
    row(
        [&["generate", "_sample", "sample"], &[".generate("]],
        "Memory ran out while text was generated",
        "The KV cache grows with every token of every sequence. Generate for fewer sequences at a time, shorten them, or keep the cache in fewer bits.",
        CACHE,
        &[SERVE],
    ),
];

impl Row {
    fn fits(&self, frame: &Frame) -> bool {
        self.functions.contains(&frame.function.as_str())
            || self.marks.iter().any(|mark| names(&frame.code, mark) || names(&frame.file, mark))
    }
}

impl Frames {
    /// Whether no traceback has come.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes the next line, without colors and quotes. Whether it is part of a traceback.
    pub(super) fn take(&mut self, line: &str) -> bool {
        let (rank, rest) = tagged(line);
        let rest = rest.trim();
        if let Some((file, function)) = head(rest) {
            let frame = Frame { rank, file: file.replace('\\', "/"), function, code: String::new() };
            if self.all.len() >= MOST {
                self.all.remove(0);
            }
            self.all.push(frame);
            self.is_open = true;
            self.is_quoting = !rest.contains(", line ");
            return true;
        }
        if let Some(code) = pointed_at(rest) {
            if let Some(last) = self.all.last_mut().filter(|frame| frame.rank == rank) {
                last.code = code.to_owned();
            }
            self.is_open = false;
            return true;
        }
        if rest.contains("Traceback (most recent call last)") {
            // Another one begins.
            self.all.retain(|frame| frame.rank != rank);
            self.is_open = false;
            return true;
        }
        self.is_quoting &= rest.is_empty() || rest.starts_with(EDGES) || rest.starts_with(|c: char| c.is_ascii_digit());
        if self.is_quoting {
            return true;
        }
        let is_code = std::mem::take(&mut self.is_open) && !is_message(rest);
        if let Some(last) = self.all.last_mut().filter(|frame| is_code && frame.rank == rank) {
            last.code = rest.to_owned();
        }
        // Python 3.11 marks the part of the code that is at work.
        is_code || !rest.is_empty() && rest.chars().all(|c| matches!(c, '^' | '~' | ' '))
    }

    /// What they say of a message that memory ran out, which stands on this line; nothing where they are of no phase that is known.
    pub(super) fn stop(&self, name: &str, line: usize, text: &str) -> Option<Stop> {
        let (rank, _) = tagged(text);
        let own: Vec<&Frame> = self.all.iter().filter(|frame| frame.rank == rank).collect();
        let is_closure = |frame: &&Frame| frame.function == "closure" || names(&frame.code, "closure()");
        let inside = own.iter().rposition(is_closure).and_then(|at| own.get(at..)).unwrap_or(&own);
        let phase = inside.iter().enumerate().find_map(|(i, frame)| {
            let innermost = (i + 1 == inside.len()).then_some(&MOVE);
            PHASES.iter().chain(innermost).chain([&FORWARD, &GATHERED]).find(|phase| phase.fits(frame))
        })?;
        let part = inside.iter().rev().find_map(|frame| phase.parts.iter().find(|part| part.fits(frame)));
        let Row { what, why, figure, state, .. } = part.unwrap_or(phase);
        let is_full = !despite_free(text);
        Some(Stop {
            what: (*what).to_owned(),
            line,
            text: quote(text),
            why: (if is_full { *why } else { NOT_FULL }).to_owned(),
            link: is_full.then(|| Link { figure, query: Query::parse(state) }),
            sentence: format!("{what} (line {} of {name}).", crate::quantity::grouped(line as u64)),
        })
    }
}

/// The edges of Rich's panels.
const EDGES: [char; 3] = ['│', '╭', '╰'];

/// The file and the function that the head of a frame names: `File "a.py", line 3, in f` of Python, `/lib/a.py:3 in f` of Rich, `File /lib/a.py:3, in
/// C.f(self)` and `/lib/a.py in f(self)` of IPython.
fn head(rest: &str) -> Option<(&str, String)> {
    if let Some((file, place)) = rest.strip_prefix("File ").and_then(|rest| rest.split_once(", line ")) {
        let function = place.split_once(", in ").map_or("", |(_, name)| name.trim_end_matches("()"));
        return Some((file, function.to_owned()));
    }
    let rest = rest.trim_matches(EDGES).trim();
    let rest = rest.strip_prefix("File ").unwrap_or(rest);
    let (path, name) = rest.split_once(".py").filter(|(path, _)| !path.contains(' '))?;
    let name = name.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()).trim_start_matches(',');
    let name = name.strip_prefix(" in ")?.split('(').next()?;
    let is_name = !name.is_empty() && !name.contains(' ');
    is_name.then(|| (path, name.rsplit('.').next().unwrap_or(name).to_owned()))
}

/// The line of code that Rich (`❱ 566 │   x = f()`) or IPython (`--> 107   x = f()`) points at.
fn pointed_at(rest: &str) -> Option<&str> {
    let bare = rest.trim_matches(EDGES).trim();
    let arrow =
        bare.strip_prefix('❱').or_else(|| bare.strip_prefix("--")?.trim_start_matches('-').strip_prefix('>'))?;
    let code = arrow.trim_start().strip_prefix(|c: char| c.is_ascii_digit())?;
    let code = code.trim_start_matches(|c: char| c.is_ascii_digit());
    Some(code.trim_matches(|c: char| c.is_whitespace() || EDGES.contains(&c)))
}

/// What is said where the GPU wasn't full.
const NOT_FULL: &str = "By the message, more of the GPU was free than was asked for, so what this phase needs doesn’t explain it. Look for a limit on the process (`set_per_process_memory_fraction`), and for another process that had the memory for a moment.";

/// Whether PyTorch's message says that a tenth of the GPU was free, and more than was asked for.
fn despite_free(text: &str) -> bool {
    let behind = |words: &str| size(text.split_once(words)?.1);
    let free = behind(" of which ").or_else(|| size(text.split_once(" free;")?.0.rsplit_once("; ")?.1));
    let total =
        behind("total capacity of ").or_else(|| size(text.split_once(" total capacity;")?.0.rsplit_once("; ")?.1));
    let all = behind("Tried to allocate ").zip(free).zip(total);
    all.is_some_and(|((asked, free), total)| free > asked && free > 0.1 * total)
}

/// The bytes that a text begins with, as PyTorch writes them: `1.24 GiB`, `512 B`, `2 bytes`.
pub(super) fn size(text: &str) -> Option<f64> {
    let (number, unit) = text.trim_start().split_once(|c: char| c.is_whitespace())?;
    let unit = unit.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next()?;
    let units = [("B", 1.0), ("bytes", 1.0), ("KiB", KIB), ("MiB", MIB), ("GiB", GIB)];
    let (_, unit) = units.into_iter().find(|(name, _)| *name == unit)?;
    Some(crate::decimal::parse(number)? * unit)
}

/// Whether a mark stands in a text, and not as the end of a longer name: `model(` isn't in `load_model(`.
fn names(text: &str, mark: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(mark).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        !(mark.starts_with(is_name) && before.is_some_and(is_name))
    })
}

/// Whether a line says that a GPU's memory ran out.
pub(super) fn is(line: &str) -> bool {
    let is_said =
        line.contains("OutOfMemoryError") || line.contains("out of memory") && line.contains("Tried to allocate");
    is_said && !is_info(line)
}

/// Whether a logger says that a line is no error.
pub(super) fn is_info(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "INFO")
}

/// Whether a line is the message that a traceback ends on: `torch.OutOfMemoryError: …`.
fn is_message(line: &str) -> bool {
    is(line) || super::output::is_failure(line)
}

/// The rank that a line names by its tags, none for "", and what stands behind them: `[rank3]:`, `3:` of `srun -l`, `[default3]:[rank3]:`, a
/// logger's `ERROR 11-20 10:14:30 [core.py:700]`, Ray's and vLLM's `(EngineCore pid=316)`.
pub(super) fn tagged(line: &str) -> (Option<u64>, &str) {
    let (mut rank, mut rest) = (None, line);
    for _ in 0..3 {
        let text = rest.trim_start();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (tag, after) = if let Some((tag, after)) = text.strip_prefix('[').and_then(|text| text.split_once("]:")) {
            (tag, after)
        } else if digits > 0 && text.get(digits..).is_some_and(|text| text.starts_with(": ")) {
            text.split_at(digits + 1)
        } else if let Some((tag, after)) = text.split_once("] ").filter(|(tag, _)| tag.contains(".py:")) {
            (tag, after)
        } else if let Some((_, after)) =
            text.strip_prefix('(').and_then(|text| text.split_once(") ")).filter(|(tag, _)| tag.contains("pid="))
        {
            // Which process it is of says nothing of its rank.
            ("", after)
        } else if let Some((_, after)) =
            text.split_once(" | ").filter(|(tag, _)| super::parts::is_word(tag.trim_end()) && tag.ends_with(' '))
        {
            // The container, as Compose writes it.
            ("", after)
        } else {
            break;
        };
        let number = tag.trim_end_matches(':').trim_start_matches(|c: char| c.is_ascii_alphabetic());
        rank = rank.or(number.parse().ok());
        rest = after;
    }
    (rank, rest)
}
