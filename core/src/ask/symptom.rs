//! A symptom in words: out of memory at a step, a loss that becomes NaN. The figure that shows its causes, and what to look at first.

use super::read::Reading;
use super::{Answered, Rule, of, set};
use crate::declare::Model as _;
use crate::detective;
use crate::loss_detective;
use crate::loss_scaling;
use crate::memory::first_steps;
use crate::quantity::grouped;
use crate::scaling;

/// When a run is out of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// In forward or backward of the first step.
    Passes,
    /// In the first update.
    Update,
    /// In forward or backward of the second step.
    Second,
    /// After so many steps, where the question gives their number.
    Later(Option<u64>),
    /// In evaluation.
    Evaluation,
    /// While a checkpoint is written.
    Saving,
}

/// How a loss goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nan {
    /// In fp16.
    Half,
    /// After healthy steps, in bf16 or a format that isn't said.
    Late,
}

/// The answer to a symptom; none where the question has none, or doesn't say enough of it.
pub(super) fn of_symptom(reading: &Reading) -> Option<Answered> {
    let told = |rule: &Rule, symptom: String| {
        let mut answered = set(rule, reading)?;
        // The step decided it.
        let is_moment = |text: &String| [" steps", " iterations", " iters"].iter().any(|end| text.ends_with(end));
        answered.unused.retain(|text| !is_moment(text));
        answered.read.insert(0, symptom);
        // What to look at holds for any GPUs, and a number of them that it is held against isn't left out.
        if [SLOWER.figure, ON_MORE.figure].contains(&rule.figure) {
            answered.says = (rule.says)(&answered.query, reading);
            let is_number = |text: &String| text.bytes().next().is_some_and(|b| b.is_ascii_digit());
            answered.unused.retain(|text| !is_number(text));
        }
        Some(answered)
    };
    if let Some(when) = when(reading) {
        return told(&MEMORY, when.words());
    }
    match (nan(reading), slow(reading)) {
        (Some(Nan::Half), _) => told(&SCALING, "a loss of NaN in fp16".to_owned()),
        (Some(Nan::Late), _) => told(&DETECTIVE, "a loss of NaN after healthy steps".to_owned()),
        (None, Some(Slow::Later)) => told(&SLOWER, "steps that become slower as the run goes on".to_owned()),
        (None, Some(Slow::OnMore)) => told(&ON_MORE, "no faster on more GPUs".to_owned()),
        (None, None) => None,
    }
}

/// What a run is slow beside, where nothing is said of the part that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slow {
    /// Its own earlier steps.
    Later,
    /// The same run on fewer GPUs.
    OnMore,
}

/// How a question says that something isn't as fast.
const LESS: [&str; 24] = [
    "fall",
    "falls",
    "falling",
    "fell",
    "drop",
    "drops",
    "dropping",
    "dropped",
    "decrease",
    "decreases",
    "decreasing",
    "degrade",
    "degrades",
    "degrading",
    "degradation",
    "decline",
    "declines",
    "declining",
    "slow",
    "slows",
    "slower",
    "slowing",
    "slowdown",
    "slowly",
];
/// What a run's speed is called, beside words of slowness.
const SPEED: [&str; 13] = [
    "throughput",
    "speed",
    "tokens",
    "tok",
    "samples",
    "it",
    "its",
    "iteration",
    "iterations",
    "steps",
    "slower",
    "slow",
    "faster",
];
/// What falls in a run without being its speed, and what is slow in another sense.
const NO_SPEED: [&str; 24] = [
    "loss",
    "losses",
    "accuracy",
    "acc",
    "perplexity",
    "reward",
    "rewards",
    "converge",
    "converges",
    "convergence",
    "lr",
    "eval",
    "validation",
    "vllm",
    "sglang",
    "serving",
    "server",
    "inference",
    "ttft",
    "decode",
    "decoding",
    "prefill",
    "compile",
    "checkpoint",
];

/// Whether a question is of a training run that is slow beside itself or beside fewer GPUs, and doesn't say where.
fn slow(r: &Reading) -> Option<Slow> {
    // "Faster on one than on two" is said of a run without a model's name.
    let is_turned = r.has(&["faster"]) && r.preset.is_none() && r.params.is_none() && r.has(&["than"]);
    if !r.has(&LESS) && !r.says(&["same", "speed"]) && !is_turned {
        return None;
    }
    if r.has(&NO_SPEED) || r.has(&super::OUT) || !r.has(&SPEED) || r.has(&super::FIT) {
        return None;
    }
    // "Every epoch", "over hours", "after a few hours": a time of the run's own.
    const SPANS: [&str; 13] = [
        "time",
        "hours",
        "hour",
        "days",
        "day",
        "minutes",
        "epoch",
        "epochs",
        "night",
        "overnight",
        "step",
        "steps",
        "iteration",
    ];
    let is_span = r.follows(&["over", "after", "within", "through"], &SPANS)
        || r.follows(&["every", "each"], &["epoch", "step", "iteration", "hour", "minutes"])
        || r.says(&["after", "a", "while"])
        || r.says(&["slower", "and", "slower"])
        || r.has(&["gradually", "progressively", "steadily", "overnight"]);
    let is_parted = r.has(&["first", "warmup", "few", "periodically"]) && r.has(&["first", "stall", "stalls"]);
    if is_span && !is_parted && r.cluster().is_none_or(|_| !is_on_more(r)) {
        return Some(Slow::Later);
    }
    is_on_more(r).then_some(Slow::OnMore)
}

/// Whether it sets more GPUs against fewer and names nothing that they differ in: "slow on 4 GPUs, fast on 2".
fn is_on_more(r: &Reading) -> bool {
    const KINDS: [&str; 16] = [
        "tensor",
        "tp",
        "pp",
        "pipeline",
        "fsdp",
        "zero",
        "zero3",
        "deepspeed",
        "ep",
        "expert",
        "cp",
        "batch",
        "nvlink",
        "offload",
        "dataloader",
        "lora",
    ];
    let is_gpu = |word: &str| matches!(word, "gpu" | "gpus" | "card" | "cards");
    let counts: Vec<f64> = (r.words.iter().enumerate())
        .filter_map(|(at, word)| {
            let n = super::read::number(word).filter(|(_, unit)| matches!(*unit, "" | "x")).map(|(n, _)| n);
            let n =
                n.or_else(|| super::read::spelled(word)).filter(|n| n.fract() == 0.0 && (1.0..=1024.0).contains(n))?;
            let near = |at: Option<usize>| at.and_then(|at| r.words.get(at)).map_or("", String::as_str);
            let after = near(at.checked_add(1));
            let before = near(at.checked_sub(1));
            let named = is_gpu(after)
                || super::read::names_gpu(after)
                || matches!(before, "on" | "with" | "using" | "than" | "from" | "to");
            named.then_some(n)
        })
        .collect();
    let gpus = r.words.iter().any(|word| is_gpu(word) || super::read::names_gpu(word));
    let differ = counts.iter().any(|n| *n > 1.0 && counts.iter().any(|other| other < n));
    gpus && differ && !r.has(&KINDS) && r.step.is_none() && r.speed.is_none() && r.speedup.is_none()
}

const SLOWER: Rule = Rule {
    figure: detective::Params::ID,
    is_asked: |r| slow(r) == Some(Slow::Later),
    sets: |_| Vec::new(),
    says: |_, _| {
        "A step of the same batch takes the same time in any hour, so something changes while the run goes on. Compare a trace of a late step with \
         one of an early step. Look first at (1) what Python keeps: lists, logs and graphs that grow (a loss added up without .item()) make garbage \
         collection and host memory slower; (2) the input: workers that leak or swap, shards read from a slower disk, sequences that become longer; \
         (3) the GPUs’ clocks: nvidia-smi -q -d PERFORMANCE names heat or a power cap; (4) the allocator: num_alloc_retries in \
         torch.cuda.memory_stats() counts its retries; (5) one rank of many: the one that never waits in a collective is the slow one."
            .to_owned()
    },
};

const ON_MORE: Rule = Rule {
    figure: scaling::Params::ID,
    is_asked: |r| slow(r) == Some(Slow::OnMore),
    sets: |_| Vec::new(),
    says: |_, _| {
        "Each GPU that you add computes less and sends more, so at some point the link sets the speed. Look first at (1) what lies between them: nvidia-smi \
         topo -m shows whether the added GPUs sit behind another switch or CPU socket (PHB, NODE, SYS) or have NVLink; (2) the work per GPU: with the \
         same global batch each GPU has less to hide the all-reduce behind, so keep the batch per GPU or accumulate under no_sync; (3) the host: data \
         loader workers and CPU threads are shared among more ranks; (4) what the number counts: time per step, or samples per second of all GPUs. \
         A trace tells them apart: long NCCL kernels after the backward pass mean the link, gaps without kernels mean the host."
            .to_owned()
    },
};

const MEMORY: Rule = Rule {
    figure: first_steps::Params::ID,
    is_asked: |r| when(r).is_some(),
    sets: |r| super::some([("seq", r.seq), ("mbs", r.micro_batch()), ("dp", r.all_gpus())]),
    says: |query, r| {
        let first = when(r).map_or("", When::first);
        let modelled = match r.preset {
            // What holds for any model may not hold for this one.
            Some(preset) if r.gpu.is_some() => {
                return format!(
                    "For {}: {}",
                    preset.name,
                    of(query, |_: &first_steps::Params, course| course.finding())
                );
            }
            Some(preset) => {
                format!(" For {}: {}", preset.name, of(query, |_: &first_steps::Params, course| course.finding()))
            }
            None => String::new(),
        };
        format!("{first}{modelled}")
    },
};

const SCALING: Rule = Rule {
    figure: loss_scaling::Params::ID,
    is_asked: |r| nan(r) == Some(Nan::Half),
    sets: |_| Vec::new(),
    says: |_, _| {
        "In fp16 look first at (1) the loss scale: whether the log says it halves step after step, which means an overflow in the forward \
         pass that no scale cures, (2) sums, norms, softmax and the loss, which belong in fp32, (3) attention logits beyond 65,504. \
         In bf16, with the range of fp32, the first doesn’t happen."
            .to_owned()
    },
};

const DETECTIVE: Rule = Rule {
    figure: loss_detective::Params::ID,
    is_asked: |r| nan(r) == Some(Nan::Late),
    sets: |_| Vec::new(),
    says: |_, r| {
        let scale = if r.has(&BF16) { "bf16 has the range of fp32, so a loss scale is no suspect. " } else { "" };
        format!(
            "{scale}After healthy steps there are three suspects, and the steps before the NaN tell them apart. (1) The arithmetic: gradient norm, \
             attention logits or loss grow over many steps. Lower the learning rate, clip, keep norms and logits in fp32. (2) The data: \
             everything is normal until one step. Go back to a checkpoint and skip its batches. (3) The machine: go back and run the same \
             batches on other nodes. If the NaN doesn’t return, it was a GPU. The figure has nine such runs, and the mission “NaN at step 12,000” has one to solve."
        )
    },
};

const BF16: [&str; 2] = ["bf16", "bfloat16"];

/// Whether a question is of memory that runs out, and when it does.
fn when(r: &Reading) -> Option<When> {
    let is_out = r.has(&super::OUT) || r.says(&["out", "of", "memory"]);
    let serves = r.has(&["vllm", "sglang", "serve", "serving", "inference", "trtllm"]);
    // A host's memory runs out otherwise.
    let is_of_host = r.has(&["ram", "dataloader", "cpu", "swap"]) && !r.has(&["cuda", "vram", "gpu"]);
    if !is_out || serves || is_of_host || r.has(&["kill", "killed", "oomkilled", "137"]) {
        return None;
    }
    let updates = r.says(&["optimizer", "step"]) || r.says(&["optim", "step"]) || r.has(&["exp", "expavg", "expavgsq"]);
    if r.has(&["eval", "evaluation", "evaluating", "validation", "validating"]) {
        return Some(When::Evaluation);
    }
    if r.has(&["checkpoint", "checkpoints", "checkpointing", "ckpt", "model", "weights", "state", "dict"])
        && r.has(&["saving", "save", "saves"])
        && !r.follows(&["saving", "save", "saves"], &["memory", "vram", "ram"])
    {
        return Some(When::Saving);
    }
    if updates {
        return Some(When::Update);
    }
    match r.at_step() {
        _ if r.says(&["the", "second"]) && r.has(&["batch", "step", "iteration"]) => Some(When::Second),
        // What is there after the first step are the moments that it made.
        Some(0 | 1) if r.says(&["after", "the", "first"]) || r.says(&["after", "first"]) => Some(When::Second),
        Some(0 | 1) => Some(When::Passes),
        Some(2) => Some(When::Second),
        Some(n) => Some(When::Later(Some(n))),
        None if r.has(&[
            "randomly",
            "random",
            "suddenly",
            "later",
            "slowly",
            "grows",
            "growing",
            "leak",
            "hours",
            "eventually",
        ]) || r.says(&["after", "a", "while"]) =>
        {
            Some(When::Later(None))
        }
        None => None,
    }
}

fn nan(r: &Reading) -> Option<Nan> {
    if !r.has(&["nan", "nans"])
        || !r.has(&["loss", "losses", "training", "train", "grad", "gradient", "gradients", "run"])
    {
        return None;
    }
    let is_late = r.at_step().is_some_and(|step| step > 10)
        || r.has(&[
            "suddenly",
            "sudden",
            "later",
            "middle",
            "midway",
            "overnight",
            "randomly",
            "hundred",
            "hundreds",
            "thousand",
            "thousands",
        ])
        || r.says(&["after", "a", "while"]);
    if (r.has(&["fp16", "float16"]) || r.says(&["half", "precision"])) && !r.has(&BF16) {
        return Some(Nan::Half);
    }
    is_late.then_some(Nan::Late)
}

impl When {
    /// It in words.
    fn words(self) -> String {
        match self {
            Self::Passes => "out of memory in step 1".to_owned(),
            Self::Update => "out of memory in optimizer.step()".to_owned(),
            Self::Second => "out of memory in step 2".to_owned(),
            Self::Later(None) => "out of memory after some time".to_owned(),
            Self::Later(Some(step)) => format!("out of memory at step {}", grouped(step)),
            Self::Evaluation => "out of memory in evaluation".to_owned(),
            Self::Saving => "out of memory while saving".to_owned(),
        }
    }

    /// What to look at first: what wasn't there before.
    const fn first(self) -> &'static str {
        match self {
            Self::Passes => {
                "In the first step nothing has piled up yet: weights, gradients and the activations of one batch are too much. Look first at \
                 (1) the micro-batch and the sequence length, (2) activation recomputation, (3) the logits, which a large vocabulary makes the \
                 largest single tensor, (4) weights and gradients: shard them with ZeRO\u{2011}3/FSDP."
            }
            Self::Update => {
                "Adam’s two moments are created in the first optimizer.step(): 8 bytes per parameter in fp32, where nothing shards them. Forward \
                 and backward fit, the states don’t. Look first at (1) the moments: shard them (ZeRO\u{2011}1 is enough) or use an 8-bit \
                 optimizer, (2) the update’s own temporaries, about as large as the parameters: foreach=False or fused=True avoids \
                 them, (3) gradients: an update within the backward pass frees each at once."
            }
            Self::Second => {
                "Step 2 is the first with Adam’s moments, which the first optimizer.step() created, and activations at the same time. Look first at \
                 (1) the moments, 8 bytes per parameter in fp32: shard them (ZeRO\u{2011}1) or use an 8-bit optimizer, (2) the activations: \
                 a smaller micro-batch or recomputation, (3) whatever keeps step 1 alive: a loss that is added up without .item(), \
                 (4) a longer batch than the first, (5) fragmentation, if the message says that much is reserved but unallocated."
            }
            Self::Later(_) => {
                "From step 2 on every step of the same length takes the same memory, so something changed. Look first at (1) the batch: log the \
                 length of the longest sequence, (2) the first evaluation, generation or checkpoint, (3) tensors that are kept from step to \
                 step: a loss that is added up without .item(), outputs collected on the GPU, (4) fragmentation: if reserved is far above allocated, set \
                 PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True."
            }
            Self::Evaluation => {
                "In evaluation weights, gradients and moments of training stay where they are. Look first at (1) torch.no_grad(): without it every \
                 activation is kept, (2) the batch size and length of evaluation, which are settings of their own, (3) logits or outputs that are \
                 collected on the GPU for a metric, (4) the KV cache, if it generates."
            }
            Self::Saving => {
                "Saving gathers what was sharded. Look first at (1) the kind of state dict: a full one is put together on one GPU, a sharded one \
                 isn’t, (2) offloading while it gathers (cpu_offload, rank0_only), (3) copies that the program makes before it writes."
            }
        }
    }
}
