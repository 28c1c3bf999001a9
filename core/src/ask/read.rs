//! What a question says in numbers and names: a model, GPUs, users, lengths. What is not one of these is not read.

use std::cell::OnceCell;

use super::Held;
use super::layout::Begun;
use crate::hardware::{self, Accelerator};
use crate::model::presets::{self, Preset};
use crate::quantity::{Unit, count, counted, grouped};
use crate::setup::{MAX_NODE, MAX_NODES};
use crate::units::GB;

/// No question is read further than so many words.
const MOST_WORDS: usize = 80;
/// Words that a model's name may have in a question: "deepseek coder 6.7 b base".
const LONGEST_NAME: usize = 6;
/// Words in which a GPU's name says which product it is: "4090 laptop GPU".
const GPU_NAME: usize = 4;
/// Words of a GPU's name without a digit, beside those with which it begins.
const FORMS: [&str; 6] = ["radeon", "gpu", "sxm", "pcie", "nvl", "gb"];
/// What comes before an amount of memory that something takes.
const NEEDS: [&str; 7] = ["require", "requires", "required", "need", "needs", "takes", "uses"];
/// What says that a GPU is one.
pub(super) const ONE: [&str; 3] = ["a", "an", "my"];
/// What says that a GPU's name is of many.
const MANY: [&str; 10] =
    ["node", "nodes", "cluster", "server", "servers", "machine", "machines", "box", "gpus", "cards"];
/// What makes seconds those of a step.
const STEP: [&str; 5] = ["step", "steps", "iteration", "iterations", "iter"];
/// What makes a number of times a speedup.
const FASTER: [&str; 6] = ["faster", "fast", "speedup", "speed", "quicker", "scaling"];
/// Units of amounts that a person expects to count, beside those that are plurals; a number without one may be a name's.
const AMOUNTS: [&str; 25] = [
    "ms", "s", "sec", "second", "min", "minute", "h", "hour", "day", "week", "month", "epoch", "token", "million",
    "req", "rps", "qps", "rpm", "kb", "mb", "tb", "tib", "tflop", "gbps", "bit",
];
/// What a number may be attached to: "128k", "99%".
const ATTACHED: [&str; 6] = ["k", "m", "b", "t", "x", "%"];
/// Words with the ending of a plural that count nothing.
const NO_PLURALS: [&str; 28] = [
    "does", "this", "thus", "was", "has", "vs", "plus", "times", "versus", "less", "gas", "is", "its", "as", "takes",
    "gets", "shows", "needs", "runs", "uses", "says", "gives", "makes", "works", "reaches", "goes", "comes", "always",
];
/// GPUs of a node, by what is said before their number: "2 nodes of 8".
const NODES: [&str; 3] = ["node", "nodes", "machines"];
/// What says that a part of the work is done by one processor.
const SERIAL: [&str; 8] =
    ["amdahl", "amdahls", "serial", "sequential", "parallel", "parallelized", "parallelizable", "parallelised"];
/// What is counted as users.
pub(super) const USERS: [&str; 8] =
    ["users", "user", "people", "clients", "sessions", "requests", "concurrent", "simultaneous"];
/// GPUs of a node where only a total is given.
const NODE: u64 = 8;
/// What the words of a question have for a dollar sign: after the number.
const MONEY: &str = "usd";
/// Words for tokens that come at a speed.
const TOKENS: [&str; 4] = ["token", "tokens", "tok", "toks"];
/// Words for a second, and for longer times.
const TIMES: [&str; 10] = ["s", "sec", "second", "seconds", "min", "minute", "h", "hr", "hour", "hours"];
/// What comes at a rate to a server.
const CALLS: [&str; 8] = ["req", "reqs", "request", "requests", "queries", "calls", "prompts", "answers"];
/// Words of a question about money.
const PRICE: [&str; 8] = ["cost", "costs", "price", "prices", "pricing", "expensive", "cheap", "cheaper"];
/// Words for one GPU of several.
const DEVICE: [&str; 5] = ["gpu", "device", "card", "accelerator", "chip"];
/// Words before a number that is part of a name or counts from one: "step 3", "CUDA 12.4".
const NAMES: [&str; 31] = [
    "step",
    "steps",
    "iteration",
    "iterations",
    "iter",
    "epoch",
    "zero",
    "stage",
    "cuda",
    "python",
    "torch",
    "pytorch",
    "version",
    "v",
    "gen",
    "pcie",
    "nvlink",
    "driver",
    "ubuntu",
    "chapter",
    "part",
    "exit",
    "code",
    "rank",
    "gpu",
    "node",
    "device",
    "error",
    "errno",
    "fsdp",
    "worker",
];
/// Machines that no table of GPUs has, whose memory is no GPU's of the table.
const MACHINES: [&str; 14] = [
    "spark",
    "apple",
    "mac",
    "macbook",
    "macs",
    "studio",
    "mini",
    "ryzen",
    "strix",
    "jetson",
    "tpu",
    "tpus",
    "trainium",
    "inferentia",
];
/// GPUs that people ask about and the table doesn't have, by the word that tells them.
const ABSENT: [(&str, &str); 17] = [
    ("a10", "A10"),
    ("a30", "A30"),
    ("l20", "L20"),
    ("p40", "P40"),
    ("p100", "P100"),
    ("a5000", "RTX A5000"),
    ("a4000", "RTX A4000"),
    ("5080", "RTX 5080"),
    ("5070", "RTX 5070"),
    ("4080", "RTX 4080"),
    ("4070", "RTX 4070"),
    ("4060", "RTX 4060"),
    ("3080", "RTX 3080"),
    ("3070", "RTX 3070"),
    ("3060", "RTX 3060"),
    ("2080", "RTX 2080"),
    ("1080", "GTX 1080"),
];
/// Families of mixtures of experts of which the table has none.
const MIXTURES: [&str; 8] = ["kimi", "mixtral", "grok", "dbrx", "ernie", "hunyuan", "jamba", "snowflake"];
/// Words with digits that aren't amounts.
const FORMATS: [&str; 2] = ["1f1b", "2d"];

/// A technique that a question may name, and the setting of a figure that counts it.
#[derive(Debug)]
pub(super) struct Term {
    /// The words that name it, any of them, without the hyphens that they may have.
    words: &'static [&'static str],
    /// What a person calls it.
    pub name: &'static str,
    /// The parameter and its value; the first that a figure declares is set.
    pub sets: &'static [(&'static str, &'static str)],
}

/// The techniques that change what comes of a question. One that no parameter of the figure counts is said to be left out.
const TERMS: [Term; 11] = [
    Term {
        words: &["offload", "offloading", "offloaded"],
        name: "offloading to host memory",
        sets: &[("offload", "true")],
    },
    Term {
        words: &["checkpointing", "recompute", "recomputation", "recomputing"],
        name: "activation recomputation",
        sets: &[("recompute", "full")],
    },
    Term {
        words: &["adam8bit", "8bitadam", "8bitadamw", "adamw8bit", "8bitoptimizer"],
        name: "8-bit optimizer",
        sets: &[("optimizer", "adam8bit")],
    },
    Term { words: &["adafactor"], name: "Adafactor", sets: &[("optimizer", "adafactor")] },
    Term { words: &["muon"], name: "Muon", sets: &[("optimizer", "muon")] },
    Term { words: &["sgd"], name: "SGD", sets: &[("optimizer", "sgd")] },
    Term {
        words: &["awq", "gptq", "int4", "4bit", "nf4", "q4", "w4a16", "w4a8", "w4a8kv4"],
        name: "4-bit weights",
        sets: &[("quant", "int4"), ("weight-bits", "4"), ("tune", "qlora")],
    },
    Term { words: &["int8", "q8", "w8a8"], name: "8-bit weights", sets: &[("quant", "int8"), ("weight-bits", "8")] },
    Term {
        words: &[
            "fp8kv",
            "fp8kvcache",
            "fp8cache",
            "kvfp8",
            "kvcachefp8",
            "kvcachedtypefp8",
            "8bitkv",
            "8bitkvcache",
            "int8kv",
            "int8kvcache",
        ],
        name: "8-bit KV cache",
        sets: &[("kv-bits", "8"), ("kv-dtype", "fp8"), ("kv_dtype", "fp8")],
    },
    Term { words: &["roce", "rocev2"], name: "RoCE", sets: &[("net", "roce-400")] },
    Term { words: &["fp8"], name: "FP8 weights", sets: &[("quant", "fp8"), ("weight-bits", "8")] },
];

/// What a question may say beside techniques.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Model,
    Gpu,
    Cluster,
    Users,
    Length,
    Tokens,
    Rank,
    /// Sequences of a micro-batch.
    Micro,
    /// A batch that isn't called a micro-batch.
    Batch,
    Mfu,
    Step,
    /// The time to the first token.
    First,
    /// The time per output token.
    Each,
    /// Tokens of an answer.
    Answer,
    /// Requests per second.
    Rate,
    /// Tensor-parallel ranks.
    Tp,
    /// Pipeline stages.
    Pp,
    /// How many times as fast some GPUs are as one.
    Speedup,
    /// A price per million tokens, as what is asked for.
    Price,
    /// Days of a run, or hours of all its GPUs.
    Days,
    /// US dollars per GPU-hour.
    Hourly,
    /// US dollars for a run.
    Money,
    /// Tokens per second of a run that was measured.
    Speed,
    /// FLOPs per second of a GPU that were measured.
    Flops,
    /// The part of a GPU's memory that an engine may use.
    Used,
    /// Bytes per second of a link or of a memory.
    Bandwidth,
    /// Bytes of a buffer or a checkpoint.
    Bytes,
}

impl What {
    /// The parameters of figures that take it, beside those that a setup fills.
    pub fn params(self) -> &'static [&'static str] {
        match self {
            Self::Model | Self::Gpu | Self::Step | Self::Speedup | Self::Price | Self::Speed | Self::Flops => &[],
            Self::Bandwidth | Self::Bytes => &[],
            Self::Days => &["days"],
            Self::Hourly => &["price"],
            Self::Money => &["money"],
            Self::Used => &["used"],
            Self::First => &["first"],
            Self::Each => &["token"],
            Self::Cluster => &["have", "dp", "tp"],
            Self::Users | Self::Rate => &["users"],
            Self::Answer => &["output", "response"],
            Self::Tp => &["tp"],
            Self::Pp => &["pp"],
            Self::Length => &["seq", "prompt", "tokens"],
            Self::Tokens => &["given"],
            Self::Rank => &["rank"],
            Self::Micro => &["mbs"],
            Self::Batch => &["batch"],
            Self::Mfu => &["mfu"],
        }
    }
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    /// Every word of the question, in lower case.
    pub words: Vec<String>,
    /// A model by name.
    pub preset: Option<&'static Preset>,
    /// A number of parameters.
    pub params: Option<f64>,
    /// Those of them that a token computes with: 22 billion of "235B-A22B".
    pub active: Option<f64>,
    /// The GPU, and what of it the question names.
    pub gpu: Option<&'static Accelerator>,
    /// A GPU or a machine that the table doesn't have.
    pub foreign: Option<String>,
    /// A number of GPUs, or a GPU's memory, that the question gives and that isn't counted.
    pub uncounted: Option<String>,
    /// Whether it says nothing but a GPU's name, as drivers print it: "NVIDIA A100-SXM4-80GB".
    pub is_gpu_alone: bool,
    /// GPUs.
    pub gpus: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Tensor-parallel ranks.
    pub tp: Option<u64>,
    /// Pipeline stages.
    pub pp: Option<u64>,
    /// How many times as fast as one GPU a run is on several.
    pub speedup: Option<f64>,
    /// Users or requests at the same time.
    pub users: Option<u64>,
    /// Requests per second.
    pub rate: Option<f64>,
    /// Tokens of answers per second that a server is to write.
    pub flow: Option<f64>,
    /// Tokens of a sequence, or of a prompt.
    pub seq: Option<u64>,
    /// Tokens of an answer.
    pub answer: Option<u64>,
    /// Tokens to train on.
    pub tokens: Option<f64>,
    /// Rank of an adapter.
    pub rank: Option<u64>,
    /// Sequences of a micro-batch.
    pub micro: Option<u64>,
    /// Sequences of a batch that isn't called a micro-batch.
    pub batch: Option<u64>,
    /// Whether that batch is called global.
    pub is_global: bool,
    /// Tokens of a batch.
    pub batch_tokens: Option<f64>,
    /// Model FLOPs utilization, a fraction.
    pub mfu: Option<f64>,
    /// Seconds of a training step.
    pub step: Option<f64>,
    /// Days that a run may take.
    pub days: Option<f64>,
    /// Hours of all GPUs of a run together.
    pub gpu_hours: Option<f64>,
    /// US dollars per GPU-hour.
    pub hourly: Option<f64>,
    /// US dollars for a run.
    pub money: Option<f64>,
    /// Tokens per second that were measured, and whether they are one GPU's.
    pub speed: Option<(f64, bool)>,
    /// FLOPs per second that a GPU was measured at.
    pub flops: Option<f64>,
    /// The part of a GPU's memory that an engine may use.
    pub used: Option<f64>,
    /// Bytes per second of a link or of a memory.
    pub bandwidth: Option<f64>,
    /// Bytes of a buffer or a checkpoint.
    pub bytes: Option<f64>,
    /// A collective operation, by its id in the figures.
    pub collective: Option<&'static str>,
    /// Whether its GPUs are those that keep to its days: the question names none.
    pub is_timed: bool,
    /// Seconds to the first token.
    pub first: Option<f64>,
    /// Seconds per output token.
    pub each: Option<f64>,
    /// All of it in words, in the order of the question.
    pub said: Vec<(What, String)>,
    /// Amounts of which nothing was read.
    pub unread: Vec<String>,
    /// [`super::short_of`], once it was asked for.
    pub short: OnceCell<Option<(u64, Option<u64>)>>,
    /// [`super::held`], once it was asked for.
    pub held: OnceCell<Option<Held>>,
    /// [`super::layout::begun`], once it was asked for.
    pub begun: OnceCell<Result<Begun, String>>,
}

/// A number at the beginning of a word, and what follows it: `24gb`, `8x`, `1.5b`.
pub(super) fn number(word: &str) -> Option<(f64, &str)> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
    let (digits, rest) = word.split_at(end);
    let value = crate::decimal::parse(digits.trim_end_matches('.')).filter(|value| value.is_finite());
    Some((value?, rest))
}

/// A degree of parallelism or another setting at the beginning of these words, its number, and how many words they are: `tp 8`, `pp4`.
fn split(words: &[String]) -> Option<(&'static str, u64, usize)> {
    const SETTINGS: [&str; 12] =
        ["tp", "pp", "dp", "cp", "ep", "vpp", "ga", "accum", "accumulation", "workers", "layers", "heads"];
    /// Axes in full, as in `tensor_parallel_size` and `pipeline-model-parallel-size`.
    const LONG: [(&str, &str); 5] =
        [("tensor", "tp"), ("pipeline", "pp"), ("data", "dp"), ("context", "cp"), ("expert", "ep")];
    const FORMS: [&str; 6] = ["model", "parallel", "parallelism", "size", "degree", "of"];
    let word = words.first()?;
    let apart = || {
        let forms = words.iter().skip(1).take(4).take_while(|word| FORMS.contains(&word.as_str())).count();
        let is_parallel = words.iter().skip(1).take(forms).any(|word| word.starts_with("parallel"));
        let long = || LONG.into_iter().find(|(name, _)| is_parallel && name == word).map(|(_, axis)| axis);
        let setting = SETTINGS.into_iter().find(|setting| setting == word).or_else(long)?;
        // `pp 2 stages`, but `dp 8 H100` has GPUs.
        let next = words.get(forms + 2).map_or("", String::as_str);
        let is_own = !next.starts_with("gpu") && gpus_named(next).is_empty();
        Some((setting, words.get(forms + 1)?.parse().ok().filter(|_| is_own)?, forms + 2))
    };
    let joined = || {
        let axis = SETTINGS.into_iter().take(6).find(|axis| word.starts_with(axis))?;
        Some((axis, word.strip_prefix(axis)?.parse().ok()?, 1))
    };
    apart().or_else(joined).filter(|(_, n, _)| (1..=1_000_000).contains(n))
}

/// Nodes and the GPUs of each at the beginning of these words, and how many words they are: `2x8`, `2 x 8`, "2 nodes of 8".
fn grid(words: &[String]) -> Option<([u64; 2], usize)> {
    let word = |i: usize| words.get(i).map_or("", String::as_str);
    let whole = |text: &str| {
        let n = text.strip_suffix('x').unwrap_or(text).parse::<u64>().ok();
        n.or_else(|| spelled(text).map(|n| n as u64))
    };
    // "Two 8x A100 80 GB nodes."
    let each = word(1).strip_suffix('x').and_then(|n| n.parse::<u64>().ok()).filter(|n| (1..=NODE).contains(n));
    let are_nodes = || words.iter().skip(2).take(5).any(|word| NODES.contains(&word.as_str()));
    if let Some((nodes, each)) = whole(word(0)).zip(each).filter(|(nodes, _)| *nodes <= MAX_NODES && are_nodes()) {
        return Some(([nodes, each], 2));
    }
    let (first, n) = match word(0).split_once('x') {
        Some((nodes, "")) => ((nodes, word(1)), 2),
        Some(both) => (both, 1),
        None if word(1) == "x" => ((word(0), word(2)), 3),
        None if NODES.contains(&word(1)) && matches!(word(2), "x" | "of" | "with" | "each") => ((word(0), word(3)), 4),
        None => return None,
    };
    // "8x 4090" has one number of GPUs, and "8x 24 GB" too.
    let is_named = n == 4;
    let is_other = !gpus_named(first.1).is_empty() || matches!(word(n), "gb" | "gib" | "g" | "faster" | "as");
    let (a, b) = (whole(first.0)?, whole(first.1).filter(|_| !is_other)?);
    // A node has eight at most, where one of the numbers allows it.
    let [nodes, node] = if b > NODE && a <= NODE && !is_named { [b, a] } else { [a, b] };
    let is_cluster = (1..=MAX_NODES).contains(&nodes) && (1..=NODE).contains(&node);
    is_cluster.then_some(([nodes, node], n))
}

/// Whether these words are a GPU by its memory: "24 GB card".
fn is_card(words: &[String]) -> bool {
    let word = |i: usize| words.get(i).map_or("", String::as_str);
    let at = match number(word(0)) {
        Some((_, "gb" | "gib" | "g")) => 1,
        Some((_, "")) if matches!(word(1), "gb" | "gib" | "g") => 2,
        _ => return false,
    };
    matches!(word(at), "gpu" | "gpus" | "card" | "cards")
}

/// Examples and the tokens of each at the beginning of these words, and how many words they are: "50k examples of 1k tokens".
fn data_set(words: &[String]) -> Option<(f64, f64, usize)> {
    const EXAMPLES: [&str; 10] = [
        "examples",
        "samples",
        "rows",
        "pairs",
        "conversations",
        "documents",
        "records",
        "instances",
        "dialogues",
        "texts",
    ];
    const BETWEEN: [&str; 14] = [
        "of",
        "with",
        "at",
        "x",
        "times",
        "each",
        "averaging",
        "average",
        "avg",
        "about",
        "around",
        "roughly",
        "length",
        "having",
    ];
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    // A number at a place, and the place after it.
    let counted = |at: usize| {
        let (n, unit) = number(word(at))?;
        let (unit, next) = if unit.is_empty() { (word(at + 1), at + 1) } else { (unit, at) };
        match unit {
            "k" | "thousand" => Some((n * 1e3, next + 1)),
            "m" | "million" => Some((n * 1e6, next + 1)),
            _ if next > at => Some((n, next)),
            _ => None,
        }
    };
    let (examples, mut at) = counted(0)?;
    // "10k training examples".
    at += usize::from(matches!(word(at), "training" | "instruction" | "preference"));
    EXAMPLES.contains(&word(at)).then_some(())?;
    at += 1;
    at += words.iter().skip(at).take(3).take_while(|word| BETWEEN.contains(&word.as_str())).count();
    let (tokens, at) = counted(at)?;
    // Of a step, it is a batch.
    let is_batch = words.iter().skip(at).take(4).any(|word| STEP.contains(&word.as_str()) || word == "batch");
    (TOKENS.contains(&word(at)) && !is_batch && examples >= 1.0 && tokens >= 1.0).then_some((examples, tokens, at + 1))
}

/// The epochs that a question says, and where: "3 epochs".
fn epochs(words: &[String]) -> Option<(f64, usize)> {
    words.windows(2).enumerate().find_map(|(at, pair)| match pair {
        [n, unit] if matches!(unit.as_str(), "epoch" | "epochs") => {
            let n = n.parse().ok().or_else(|| spelled(n)).filter(|n| (1.0..=1e4).contains(n))?;
            Some((n, at))
        }
        _ => None,
    })
}

/// Whether the number at the beginning of these words may be one of GPUs or of their memory: "2x24gb", "3 old 4090s".
fn is_of_cards(words: &[String]) -> bool {
    const BETWEEN: [&str; 10] = ["per", "a", "an", "each", "on", "with", "in", "of", "the", "for"];
    let is_gpu = |at: usize| {
        let one = |word: &String| DEVICE.contains(&word.trim_end_matches('s')) || names_gpu(word);
        words.get(at).is_some_and(one)
    };
    let is_plain = |word: &String| word.chars().all(char::is_alphabetic) && !BETWEEN.contains(&word.as_str());
    let has_unit = |word: &String| word.ends_with("gb") || word.ends_with("gib");
    words.first().is_some_and(has_unit) || is_gpu(1) || (is_gpu(2) && words.get(1).is_some_and(is_plain))
}

/// Numbers that are written out.
pub(super) fn spelled(word: &str) -> Option<f64> {
    match word {
        "dual" => return Some(2.0),
        "quad" => return Some(4.0),
        _ => {}
    }
    const WORDS: [&str; 9] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "single"];
    let at = WORDS.iter().position(|other| *other == word)?;
    Some(if at == 8 { 1.0 } else { at as f64 + 1.0 })
}

/// A question whose bits per second are told from bytes while their case does: "400 Gb/s" is written `400 Gbps`.
fn rates(question: &str) -> String {
    ["K", "M", "G", "T"].iter().fold(question.to_owned(), |text, times| {
        let text = text.replace(&format!("{times}Bps"), &format!("{times}B/s"));
        ["b/s", "bit/s", "bits/s"]
            .iter()
            .fold(text, |text, bits| text.replace(&format!("{times}{bits}"), &format!("{times}bps")))
    })
}

/// What a unit of bytes counts, "gb" or "gib"; none for another unit.
pub(super) fn bytes_of(unit: &str) -> Option<f64> {
    let (power, rest) = match unit.split_at_checked(1)? {
        ("k", rest) => (1, rest),
        ("m", rest) => (2, rest),
        ("g", rest) => (3, rest),
        ("t", rest) => (4, rest),
        _ => return None,
    };
    match rest {
        "b" => Some(1000_f64.powi(power)),
        "ib" => Some(1024_f64.powi(power)),
        _ => None,
    }
}

/// The collective operation that a question names.
fn collective_of(words: &[String]) -> Option<&'static str> {
    const NAMES: [(&str, &str); 4] = [
        ("allreduce", "all-reduce"),
        ("reducescatter", "reduce-scatter"),
        ("allgather", "all-gather"),
        ("alltoall", "all-to-all"),
    ];
    let is = |words: &[String], name: &str| {
        let text = words.concat();
        text == name || text.strip_suffix('s') == Some(name)
    };
    let named = |n: usize| words.windows(n).find_map(|own| NAMES.iter().find(|(name, _)| is(own, name)));
    (1..=3).find_map(named).map(|(_, id)| *id)
}

/// A question whose numbers of cards by their memory have an x: "2*24GB" is written "2x24gb".
fn multiplied(lower: &str) -> String {
    let is_memory = |rest: &str| {
        let end = rest.trim_start();
        number(end).is_some_and(|(_, unit)| ["gb", "gib"].iter().any(|gb| unit.trim_start().starts_with(gb)))
    };
    let x = |(at, c): (usize, char)| if c == '*' && lower.get(at + 1..).is_some_and(is_memory) { 'x' } else { c };
    lower.char_indices().map(x).collect()
}

/// The words of a question. `8xH100` is two, `3.5` and `2.5k` are one, and thousands may have commas.
pub(super) fn words(question: &str) -> Vec<String> {
    let lower = multiplied(&rates(question).to_lowercase().replace('×', "x"));
    let chars: Vec<char> = lower.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut is_money = false;
    let digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
    for (i, c) in chars.iter().enumerate() {
        let inside = i > 0 && digit(i - 1) && digit(i + 1);
        match c {
            // "4090,256G" are two numbers: before a comma stand three digits at most, or others that commas divide.
            ',' if inside
                && digit(i + 2)
                && digit(i + 3)
                && !digit(i + 4)
                && !(i > 3 && (1..=4).all(|back| digit(i - back))) => {}
            '.' if inside => word.push('.'),
            '%' if i > 0 && digit(i - 1) => word.push('%'),
            // `what's` is one word.
            '\'' | '’' => {}
            c if c.is_alphanumeric() => {
                word.push(*c);
                // `8x` before a name, and `2x` before a card's number.
                let times = *c == 'x' && word.len() > 1 && word.bytes().rev().skip(1).all(|b| b.is_ascii_digit());
                let name = || chars.iter().skip(i + 1).take_while(|c| c.is_alphanumeric()).collect::<String>();
                // "2x24GB".
                let is_memory = || number(&name()).is_some_and(|(_, unit)| matches!(unit, "gb" | "gib"));
                let is_name = || chars.get(i + 1).is_some_and(|c| c.is_alphabetic()) || !gpus_named(&name()).is_empty();
                if times && (is_name() || is_memory()) {
                    words.push(std::mem::take(&mut word));
                }
                // `$2` is two dollars.
                let goes_on = match chars.get(i + 1) {
                    Some('.' | ',') => digit(i + 2),
                    next => next.is_some_and(|c| c.is_alphanumeric()),
                };
                if is_money && !goes_on {
                    word.push_str(MONEY);
                    is_money = false;
                }
            }
            '$' if digit(i + 1) => {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                is_money = true;
            }
            _ if !word.is_empty() => words.push(std::mem::take(&mut word)),
            _ => {}
        }
        if words.len() > MOST_WORDS {
            break;
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    // "H200x2" are two of them.
    let apart = |word: String| match word.rsplit_once('x') {
        Some((gpu, n)) if n.parse::<u64>().is_ok() && !gpus_named(gpu).is_empty() => vec![n.to_owned(), gpu.to_owned()],
        _ => vec![word],
    };
    words.into_iter().flat_map(apart).collect()
}

/// An amount of which nothing was read, as a person writes it; none for a number that may be a name's.
fn left(before: &str, word: &str, n: f64, unit: &str, after: &str) -> Option<String> {
    if let Some(thousands) = unit.strip_suffix(MONEY) {
        return Some(format!("${n}{thousands}"));
    }
    // "8x22b", "1e22", "4096x4096".
    if unit.contains(|c: char| c.is_ascii_digit()) {
        return (!FORMATS.contains(&word)).then(|| word.to_owned());
    }
    if ATTACHED.contains(&unit) {
        // "1.5M tokens", "99%".
        let counted = (after.ends_with('s') && after.len() > 3 && !NO_PLURALS.contains(&after)).then_some(after);
        return Some([word, counted.unwrap_or_default()].join(" ").trim_end().to_owned());
    }
    let unit = if unit.is_empty() { after } else { unit };
    let is_plural = unit.len() > 3 && unit.ends_with('s') && !unit.ends_with("ss") && !NO_PLURALS.contains(&unit);
    if AMOUNTS.contains(&unit) || (is_plural && unit.chars().all(char::is_alphabetic)) {
        return Some(format!("{n} {unit}"));
    }
    // A number alone, unless it belongs to the name before it.
    let is_alone = word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let is_family = |name: &str| presets::ALL.iter().any(|preset| family(preset.id) == name);
    // "Faster than 1 GPU."
    let is_name = NAMES.contains(&before) || is_family(before) || DEVICE.contains(&after);
    (is_alone && !is_name).then(|| word.to_owned())
}

/// The letters with which a model's id begins: "llama" of `llama-3-8b`.
fn family(id: &'static str) -> &'static str {
    id.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}

/// Letters and digits alone, in lower case.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The model whose whole name stands at the beginning of these words, and how many of them it takes.
fn named(words: &[String]) -> Option<(&'static Preset, Option<&'static str>, usize)> {
    let longest = words.len().min(LONGEST_NAME);
    (1..=longest).rev().find_map(|n| {
        let text: String = words.get(..n)?.iter().map(|word| bare(word)).collect();
        let is_it = |preset: &&Preset| {
            let plain = preset.name.split(" (").next().unwrap_or_default();
            let hub = preset.hub.rsplit('/').next().unwrap_or_default();
            [preset.id, plain, hub].iter().any(|name| !name.is_empty() && bare(name) == text)
        };
        let own = presets::ALL.iter().find(is_it).map(|preset| (preset, None, n));
        own.or_else(|| {
            let (name, id) = presets::ALIKE.iter().find(|(name, _)| bare(name) == text)?;
            Some((presets::find(id)?, Some(*name), n))
        })
    })
}

/// Models whose names don't say their size, and that aren't among those by name: parameters, as their publishers give them.
const SIZED: [(&str, f64); 12] = [
    ("kimi-k2", 1e12),
    ("phi-4", 14.7e9),
    ("mistral-small", 24e9),
    ("mistral-large", 123e9),
    ("mistral-nemo", 12.2e9),
    ("codestral", 22.2e9),
    ("command-r-plus", 104e9),
    ("command-r", 35e9),
    ("mixtral-8x22b", 141e9),
    ("grok-1", 314e9),
    ("dbrx", 132e9),
    ("bloom", 176e9),
];

/// The number of parameters of the model whose name stands at the beginning of these words, its name, and how many words that is.
fn sized(words: &[String]) -> Option<(&'static str, f64, usize)> {
    (1..=words.len().min(LONGEST_NAME)).rev().find_map(|n| {
        let text = bare(&words.get(..n)?.concat());
        SIZED.iter().find(|(name, _)| bare(name) == text).map(|(name, params)| (*name, *params, n))
    })
}

/// The model whose name stands apart from its size: "70b llama2", "7b parameter llama 2".
fn apart(words: &[String], size: &str) -> Option<&'static Preset> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    (0..words.len()).find_map(|at| {
        // A family's version may be a word of its own: "llama 2", but not "llama 2 gpus".
        let is_counted = || DEVICE.contains(&word(at + 2).trim_end_matches('s')) || names_gpu(word(at + 2));
        let versioned = (!is_counted()).then(|| bare(&[word(at), word(at + 1), size].concat()));
        let is_it = |preset: &&Preset| {
            let id = bare(preset.id);
            versioned.as_ref() == Some(&id) || bare(&[word(at), size].concat()) == id
        };
        presets::ALL.iter().find(is_it)
    })
}

/// The newest model of a family with a size: "llama 70b", "deepseek 671b".
fn of_family(words: &[String], size: &str) -> Option<&'static Preset> {
    let says = |family: &str| family.len() > 2 && words.iter().any(|word| word == family);
    let in_name = format!("({size})");
    let is_sized = |p: &Preset| p.id.split('-').any(|part| part == size) || p.name.to_lowercase().ends_with(&in_name);
    presets::ALL.iter().rev().find(|p| says(family(p.id)) && is_sized(p))
}

/// The model that a bare size is taken for: of its kind, dense or a mixture of experts, one with that size in its name, Llama before others; of
/// the other kind only where its own has none near.
pub(super) fn like(params: f64, is_mixture: bool, ids: &[&str]) -> Option<&'static Preset> {
    of_kind(params, is_mixture, ids).or_else(|| of_kind(params, !is_mixture, ids))
}

/// Of one kind the model that a bare size is taken for.
fn of_kind(params: f64, is_mixture: bool, ids: &[&str]) -> Option<&'static Preset> {
    let size = bare(&count(params));
    let is_of_kind = |preset: &&Preset| preset.shape.moe.is_some() == is_mixture;
    let listed = || presets::ALL.iter().filter(|preset| ids.contains(&preset.id)).filter(is_of_kind);
    let sized = || listed().filter(|preset| preset.id.split('-').any(|part| bare(part) == size));
    let llama = sized().rfind(|preset| preset.id.starts_with("llama"));
    let off = |preset: &Preset| preset.shape.count().map_or(f64::INFINITY, |c| (c.total as f64 / params).ln().abs());
    // A quarter more or less is still told apart, and of mixtures, whose work is of another size, a thirtieth.
    let is_near = |preset: &&Preset| off(preset) < if preset.shape.moe.is_some() { 0.03 } else { 0.22 };
    let near = || listed().filter(is_near).min_by(|a, b| off(a).total_cmp(&off(b)));
    llama.or_else(|| sized().next()).or_else(near)
}

/// The GPU at the beginning of these words, where it's none of the table's and its name is like none of theirs: "4*2080ti". A number may be
/// one of tokens.
fn absent(words: &[String]) -> Option<&'static str> {
    let word = words.first().filter(|word| gpus_named(word).is_empty())?;
    let word = ["ti", "s"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let is_amount =
        words.get(1).is_some_and(|next| TOKENS.contains(&next.as_str()) || AMOUNTS.contains(&next.as_str()));
    ABSENT.into_iter().find(|(name, _)| *name == word).map(|(_, name)| name).filter(|_| !is_amount)
}

/// GPUs whose name has this word, or this word in the plural: "32 A100s".
fn gpus_named(word: &str) -> Vec<&'static Accelerator> {
    let gpus = gpus_with(word);
    match word.strip_suffix('s') {
        Some(one) if gpus.is_empty() => gpus_with(one),
        _ => gpus,
    }
}

/// Whether a word names a GPU, of the table or another one.
pub(super) fn names_gpu(word: &str) -> bool {
    !gpus_named(word).is_empty() || absent(&[word.to_owned()]).is_some()
}

/// Whether a word stands in GPUs' names and names none: a maker, a form.
pub(super) fn is_form(word: &str) -> bool {
    hardware::MAKERS.contains(&word) || FORMS.contains(&word)
}

/// Whether a word may be that of a GPU's name which tells it from others: it has letters and digits, or is a card's number.
fn tells(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    (digits > 0 && digits < word.len() && word.len() > 1) || (digits == 4 && word.len() == 4)
}

/// GPUs whose name has this word.
fn gpus_with(word: &str) -> Vec<&'static Accelerator> {
    let has = |gpu: &&Accelerator| {
        let name = gpu.name.to_lowercase();
        let parts: Vec<&str> = name.split_whitespace().collect();
        // Its memory stands last: "80 GB".
        parts.get(..parts.len().saturating_sub(2)).unwrap_or_default().contains(&word)
    };
    if tells(word) { hardware::ALL.iter().filter(has).collect() } else { Vec::new() }
}

/// Of these GPUs the course's own, or the last one whose chip is known, or the last.
fn usual(gpus: &[&'static Accelerator]) -> Option<&'static Accelerator> {
    let own = gpus.iter().find(|gpu| gpu.id == hardware::H100.id);
    own.or_else(|| gpus.iter().rev().find(|gpu| gpu.chip.is_some())).or(gpus.last()).copied()
}

/// The technique that these words name together.
fn term_of(words: &[String]) -> Option<&'static Term> {
    let name = words.concat();
    TERMS.iter().find(|term| term.words.contains(&name.as_str()))
}

/// What a state is saved in.
pub(super) const CHECKPOINT: [&str; 7] =
    ["checkpoint", "checkpoints", "checkpointing", "ckpt", "ckpts", "save", "saving"];

/// What becomes of a node, or what somebody does with it, that ends a run.
pub(super) const FAILS: [&str; 14] = [
    "fail",
    "fails",
    "failure",
    "failures",
    "crash",
    "crashes",
    "dies",
    "die",
    "lose",
    "loses",
    "losing",
    "lost",
    "interrupted",
    "breaks",
];

/// Days of a unit of time.
fn days(unit: &str) -> f64 {
    match unit {
        "week" | "weeks" => 7.0,
        "month" | "months" => 30.0,
        "hour" | "hours" | "h" => 1.0 / 24.0,
        _ => 1.0,
    }
}

/// Whether a GPU is sold with so many gigabytes.
fn has_memory(gpu: &Accelerator, gigabytes: f64) -> bool {
    (gpu.sold.0 / GB).round() == gigabytes || gpu.name.ends_with(&format!(" {gigabytes} GB"))
}

impl Reading {
    /// Reads a question.
    pub fn of(question: &str) -> Self {
        let mut reading = Self { words: words(question), ..Self::default() };
        let words = reading.words.clone();
        reading.collective = collective_of(&words);
        let mut candidates: Vec<&'static Accelerator> = Vec::new();
        let (mut memory, mut is_other) = (None, false);
        // Where epochs stand that are counted.
        let mut passed = None;
        let mut i = 0;
        while let Some(word) = words.get(i) {
            let rest = words.get(i..).unwrap_or_default();
            if reading.preset.is_none()
                && let Some((preset, alike, n)) = named(rest)
            {
                reading.preset = Some(preset);
                let text = match alike {
                    Some(name) => format!("{name}, which has the sizes of {}", preset.name),
                    None => preset.name.to_owned(),
                };
                reading.said.push((What::Model, text));
                i += n;
                continue;
            }
            if reading.preset.is_none()
                && reading.params.is_none()
                && let Some((name, params, n)) = sized(rest)
            {
                reading.params = Some(params);
                reading.said.push((What::Model, format!("{name} ({} parameters)", close(params))));
                i += n;
                continue;
            }
            let name = || rest.get(..rest.len().min(GPU_NAME)).unwrap_or_default().join(" ");
            if !is_other
                && tells(word)
                && let Some(other) = hardware::other(&name()).or_else(|| absent(rest))
            {
                is_other = true;
                reading.foreign = Some(other.to_owned());
                reading.unread.push(format!("{other}, which isn’t in the table of GPUs"));
                i += 1;
                continue;
            }
            let gpus = gpus_named(word);
            if candidates.is_empty() && !gpus.is_empty() {
                // "On a 4090" is one, "on an H100 node" isn't.
                let after = (1..=3).filter_map(|on| words.get(i + on));
                let is_many = after.clone().any(|word| MANY.contains(&word.as_str()));
                // "A NVIDIA RTX 4090."
                let first = words.get(..i).unwrap_or_default().iter().rev().find(|word| !is_form(word));
                let is_article = first.is_some_and(|word| ONE.contains(&word.as_str()));
                if is_article && !is_many && reading.nodes.is_none() {
                    reading.count_gpus(1);
                }
                candidates = gpus;
                i += 1;
                continue;
            }
            if reading.gpus.is_none()
                && reading.nodes.is_none()
                && let Some(([nodes, node], n)) = grid(rest)
            {
                (reading.gpus, reading.nodes) = (Some(node), Some(nodes));
                let text = format!("{} GPUs ({} of {node})", grouped(nodes * node), counted(nodes, "node", "nodes"));
                reading.said.push((What::Cluster, text));
                i += n;
                continue;
            }
            if let Some((axis, ranks, n)) = split(rest) {
                let text = format!("{axis} {}", grouped(ranks));
                match axis {
                    "tp" if reading.tp.is_none() => {
                        reading.tp = Some(ranks);
                        reading.said.push((What::Tp, text));
                    }
                    "pp" if reading.pp.is_none() => {
                        reading.pp = Some(ranks);
                        reading.said.push((What::Pp, text));
                    }
                    _ => reading.unread.push(text),
                }
                i += n;
                continue;
            }
            let is_of_run = || reading.trains() || reading.wants(&super::ADAPTER) || reading.has(&super::RL);
            if reading.tokens.is_none()
                && let Some((examples, tokens, n)) = data_set(rest).filter(|_| is_of_run())
            {
                let passes = epochs(&words);
                let all = examples * tokens * passes.map_or(1.0, |(n, _)| n);
                if all.is_finite() && all < 1e18 {
                    reading.tokens = Some(all);
                    let times = passes.map_or_else(String::new, |(n, _)| format!(" × {n} epochs"));
                    let text = format!(
                        "{} examples × {} tokens{times} = {} tokens",
                        close(examples),
                        grouped(tokens as u64),
                        close(all)
                    );
                    reading.said.push((What::Tokens, text));
                    passed = passes.map(|(_, at)| at);
                    i += n;
                    continue;
                }
            }
            if passed == Some(i) {
                i += 2;
                continue;
            }
            // "4-bit" is no amount of bits.
            let term = (1..=4).rev().find(|n| rest.get(..*n).is_some_and(|words| term_of(words).is_some()));
            if let Some(n) = term {
                i += n;
                continue;
            }
            let value = number(word).or_else(|| spelled(word).map(|n| (n, "")));
            let before = reading.said.len();
            let gigabytes = value.and_then(|(n, unit)| reading.amount(&words, i, n, unit));
            if let Some((n, unit)) = value
                && gigabytes.is_none()
                && reading.said.len() == before
            {
                // What stands there twice is one number.
                let is_again = word.len() > 2 && words.get(..i).is_some_and(|before| before.contains(word));
                let near = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
                let left = left(near(i.checked_sub(1)), word, n, unit, near(i.checked_add(1)));
                // "One token" is what something is counted for.
                let is_each = n == 1.0 && near(i.checked_add(1)) == "token";
                let left = left.filter(|_| !is_again && !is_each);
                // "requires about 112 GB" is what a model takes.
                let is_need = words.iter().take(i).rev().take(8).any(|word| NEEDS.contains(&word.as_str()));
                if let Some(text) = left.as_ref().filter(|_| is_of_cards(rest) && !is_need) {
                    reading.uncounted = Some(text.clone());
                }
                reading.unread.extend(left);
            }
            if let Some(other) = gigabytes.filter(|gb| memory.is_some_and(|own| own != *gb)) {
                reading.unread.push(format!("{other} GB"));
            }
            memory = memory.or(gigabytes);
            i += 1;
        }
        // "A 125M GPT-2" says its size beside its name.
        if let Some(preset) = reading.preset {
            let all = preset.shape.count().map_or(0.0, |count| count.total as f64);
            let is_size = |text: &String| {
                let unit = |times: f64| number(text).is_some_and(|(n, _)| (n * times / all - 1.0).abs() < 0.02);
                (text.ends_with('m') && unit(1e6)) || (text.ends_with('b') && unit(1e9))
            };
            reading.unread.retain(|text| !is_size(text));
        }
        // "Cost per million tokens" has no number.
        let per_million = |three: &[String]| {
            matches!(three, [per, million, tokens] if matches!(per.as_str(), "per" | "a" | "for")
            && matches!(million.as_str(), "million" | "1m" | "m" | "mil")
            && (TOKENS.contains(&tokens.as_str()) || matches!(tokens.as_str(), "output" | "input" | "generated")))
        };
        let is_price = words.windows(3).any(per_million)
            && (reading.has(&PRICE) || reading.hourly.is_some() || words.iter().any(|word| word.ends_with(MONEY)));
        if is_price && !reading.asks_price() && !reading.trains() {
            reading.said.push((What::Price, "a price per million tokens".to_owned()));
        }
        // What a conversation's lengths are, nobody says with the word. "7B chat" is a model's name.
        let is_size =
            |at: usize| words.get(at).is_some_and(|word| word.ends_with(|c: char| c.is_ascii_digit() || c == 'b'));
        let chats = |(at, word): (usize, &String)| {
            matches!(word.as_str(), "chat" | "chatbot") && !at.checked_sub(1).is_some_and(is_size)
        };
        if reading.seq.is_none() && words.iter().enumerate().any(chats) {
            reading.unread.push("chat".to_owned());
        }
        if let Some(machine) =
            words.iter().find(|word| MACHINES.contains(&word.as_str())).filter(|_| candidates.is_empty())
        {
            is_other = true;
            reading.foreign = Some(machine.clone());
            reading.unread.push(format!("{machine}, which isn’t in the table of GPUs"));
        }
        // The memory of a GPU that isn't in the table is no other's.
        reading.settle_gpu(&candidates, memory.filter(|_| !is_other));
        let is_of_name = |word: &String| {
            let is_known = |words: &[&str]| words.contains(&word.as_str());
            word.bytes().any(|b| b.is_ascii_digit()) || is_known(&hardware::MAKERS) || is_known(&FORMS)
        };
        reading.is_gpu_alone =
            !candidates.is_empty() && reading.said.len() == 1 && words.len() <= 8 && words.iter().all(is_of_name);
        reading
    }

    /// Reads a number with what stands around it. Yields gigabytes, which mean a GPU.
    fn amount(&mut self, words: &[String], at: usize, n: f64, unit: &str) -> Option<f64> {
        let word = |i: usize| words.get(i).map_or("", String::as_str);
        let (unit, after) = if unit.is_empty() { (word(at + 1), word(at + 2)) } else { (unit, word(at + 1)) };
        let before = |list: &[&str]| (1..=2).any(|back| at.checked_sub(back).is_some_and(|i| list.contains(&word(i))));
        let near = |list: &[&str], back: usize, on: usize| {
            let around = words.get(at.saturating_sub(back)..words.len().min(at + on + 1)).unwrap_or_default();
            around.iter().any(|word| list.contains(&word.as_str()))
        };
        let whole = (n.fract() == 0.0 && (1.0..=1e9).contains(&n)).then_some(n as u64);
        const LENGTH: [&str; 9] = ["context", "ctx", "seq", "seqs", "sequence", "sequences", "length", "seqlen", "len"];
        let is_length = LENGTH.contains(&after) || before(&LENGTH) || matches!(after, "token" | "tokens");
        let rate_of = |i: usize| if matches!(word(i), "per" | "a") { word(i + 1) } else { word(i) };
        let following = at + if unit == word(at + 1) { 2 } else { 1 };
        let per = rate_of(following);
        let is_hours = |gpu: &str, hours: &str| {
            matches!(hours, "hours" | "hour" | "hrs") && (DEVICE.contains(&gpu) || !gpus_named(gpu).is_empty())
        };
        let seconds = |per: &str| match per {
            "min" | "minute" => 60.0,
            "h" | "hr" | "hour" | "hours" => 3600.0,
            _ => 1.0,
        };
        let is_second = |i: usize| matches!(word(i), "s" | "sec" | "second");
        let is_per_second =
            is_second(following) || (matches!(word(following), "per" | "a") && is_second(following + 1));
        if let Some(scale) = bytes_of(unit) {
            // Networks are sold in bits, however their unit is written.
            let is_bits = matches!(n as u64, 10 | 25 | 40 | 100 | 200 | 400 | 800)
                && self.has(&["infiniband", "ib", "ethernet", "roce", "network", "nic"])
                && unit == "gb";
            if is_per_second {
                self.stream(if is_bits { n * scale / 8.0 } else { n * scale });
                return None;
            }
            let is_of_card = matches!(word(following), "gpu" | "gpus" | "card" | "cards" | "vram");
            if !is_of_card && self.is_of_bytes() {
                self.hold(n * scale);
                return None;
            }
        }
        if let Some(bits) = unit.strip_suffix("bps").or(unit.strip_suffix("bit")) {
            let scale = bytes_of(&format!("{bits}b"));
            if let Some(scale) = scale.filter(|_| unit.ends_with("bps") || is_per_second) {
                self.stream(n * scale / 8.0);
                return None;
            }
        }
        if let Some((tokens, is_of_gpu)) = self.speed_of(words, at, n, unit) {
            self.run_at(tokens, is_of_gpu);
            return None;
        }
        // "500 prompts" are so many of them, "prompts of 500" and "500 prompt tokens" are tokens.
        // "8k prompts" are of so many tokens, unless they come per second; "512 prompts" may be a batch of RL.
        let counts = |i: usize| matches!(word(i), "prompts" | "answers" | "completions" | "responses" | "outputs");
        let is_size = !TIMES.contains(&rate_of(at + 2)) && unit == "k";
        let is_count = counts(at + 1) && !is_size;
        let share = self.share_of(words, at).filter(|_| !is_count);
        let unit = if unit == "nvidia" && matches!(after, "dgx" | "hgx") { after } else { unit };
        const BATCH: [&str; 6] = ["batch", "batches", "microbatch", "bs", "mbs", "gbs"];
        let back = |n: usize| at.checked_sub(n).map_or("", word);
        let is_batch = before(&BATCH) || (back(2) == "size" && BATCH.contains(&back(3)));
        match unit {
            "k" if share.is_some() => self.tokens_of(share, n * 1024.0),
            _ if share.is_some() && n >= 1.0 && !matches!(unit, "b" | "t" | "%" | "gb" | "x" | "ms" | "s") => {
                self.tokens_of(share, n)
            }
            "rps" | "qps" => self.come(n),
            "rpm" => self.come(n / 60.0),
            "k" if CALLS.contains(&after) && TIMES.contains(&rate_of(at + 2)) => {
                self.come(1e3 * n / seconds(rate_of(at + 2)))
            }
            calls if CALLS.contains(&calls) && TIMES.contains(&per) => self.come(n / seconds(per)),
            "x" | "times" if FASTER.contains(&after) || (after == "as" && FASTER.contains(&word(at + 3))) => {
                self.gain(n)
            }
            // "Price per 1 million tokens" asks for it, and so does "1 million tokens cost".
            "m" | "million"
                if n == 1.0
                    && (before(&["per"])
                        || (matches!(after, "token" | "tokens")
                            && (near(&PRICE, 12, 12) || words.iter().any(|word| word.ends_with(MONEY)))
                            && !near(&LENGTH, 2, 3)
                            && !self.trains())) =>
            {
                self.said.push((What::Price, "a price per million tokens".to_owned()));
            }
            "tflops" | "tflop" => self.compute(n * 1e12),
            money if money.ends_with(MONEY) || money == "dollars" => self.pay(words, at, n, money),
            "k" if after == "dollars" => self.pay(words, at, n, "kusd"),
            "day" | "days" | "week" | "weeks" | "month" | "months" | "hour" | "hours" | "h"
                if (self.trains() || self.tokens.is_some())
                    && before(&["for", "in", "within", "over", "have", "of"]) =>
            {
                self.last(n * days(unit));
            }
            // "1,000 H100-hours", "1.3M GPU hours".
            gpu if is_hours(gpu, after) => self.spend(n),
            "k" | "thousand" if is_hours(after, word(following + 1)) => self.spend(n * 1e3),
            "m" | "million" if is_hours(after, word(following + 1)) => self.spend(n * 1e6),
            _ if back(1).starts_with("utili") && back(2) == "memory" => {
                self.use_of(if unit == "%" { n / 100.0 } else { n })
            }
            _ if before(&["utilisation", "utilization"])
                && !matches!(back(2), "gpu" | "memory" | "sm")
                && super::is_planned(self)
                && (n < 1.0 || unit == "%") =>
            {
                self.reach(if unit == "%" { n / 100.0 } else { n });
            }
            "%" if near(&["mfu"], 5, 1) => self.reach(n / 100.0),
            "%" if matches!(after, "utilisation" | "utilization") && super::is_planned(self) => {
                self.reach(n / 100.0);
            }
            "percent" if near(&["mfu"], 5, 2) => self.reach(n / 100.0),
            "ms" | "s" | "sec" | "secs" | "second" | "seconds" if near(&STEP, 4, 4) => {
                self.take(if unit == "ms" { n / 1e3 } else { n });
            }
            "ms" | "s" | "sec" | "secs" | "second" | "seconds"
                if let Some(is_first) = self.time_of(words, at, (unit == "ms").then_some(n)) =>
            {
                let seconds = if unit == "ms" { n / 1e3 } else { n };
                if is_first { self.wait(seconds) } else { self.promise(seconds) }
            }
            // "20 tokens per second per user" is a time per token.
            "token" | "tokens"
                if n > 0.0
                    && TIMES.get(..4).is_some_and(|seconds| seconds.contains(&per))
                    && words.iter().skip(at + 2).take(5).any(|word| matches!(word.as_str(), "user" | "each")) =>
            {
                self.promise(1.0 / n);
            }
            "k" | "m" | "million" if is_batch && matches!(after, "tokens" | "token") => {
                self.collect_tokens(n * if unit == "k" { 1e3 } else { 1e6 });
            }
            "sequences" | "seqs" | "samples" if STEP.contains(&per) || per == "batch" => {
                self.collect(words, at, whole?);
            }
            // "64 sequences of 8k".
            "sequences" | "seqs" | "samples" if after == "of" && number(word(at + 3)).is_some() => {
                self.collect(words, at, whole?);
            }
            "batch" if after == "size" => self.collect(words, at, whole?),
            "k" | "m" | "million" | "b" | "billion"
                if matches!(after, "tokens" | "token")
                    && matches!(word(following + 1), "per" | "a" | "each" | "every")
                    && matches!(word(following + 2), "day" | "hour" | "month" | "minute")
                    && !self.trains() =>
            {
                let times = match unit {
                    "k" => 1e3,
                    "m" | "million" => 1e6,
                    _ => 1e9,
                };
                self.flow(n * times, word(following + 2));
            }
            "m" | "million" if matches!(after, "tokens" | "token") && self.trains() && !near(&LENGTH, 2, 3) => {
                self.train_on(n * 1e6);
            }
            "m" | "million" if matches!(after, "tokens" | "token") && near(&LENGTH, 2, 4) => {
                self.long(n * 1024.0 * 1024.0)
            }
            "b" | "billion" if matches!(after, "tokens" | "token") => self.train_on(n * 1e9),
            // "1 billion synthetic tokens".
            "billion" if TOKENS.contains(&word(following + 1)) => self.train_on(n * 1e9),
            "t" | "trillion" if matches!(after, "tokens" | "token" | "") => self.train_on(n * 1e12),
            "b" | "billion" if self.preset.is_none() && self.params.is_none() && (0.01..=10_000.0).contains(&n) => {
                let size = format!("{n}b");
                self.preset = apart(words, &size).or_else(|| of_family(words, &size));
                match self.preset {
                    Some(preset) => self.said.push((What::Model, preset.name.to_owned())),
                    None => self.sized(n * 1e9),
                }
            }
            "t" | "trillion"
                if matches!(after, "params" | "param" | "parameters" | "parameter" | "model")
                    && self.preset.is_none()
                    && self.params.is_none()
                    && (0.01..=10.0).contains(&n) =>
            {
                self.sized(n * 1e12);
            }
            "m" | "million"
                if self.preset.is_none()
                    && self.params.is_none()
                    && matches!(after, "model" | "models" | "parameter" | "parameters" | "params" | "llm") =>
            {
                self.sized(n * 1e6);
            }
            "k" if is_length => self.long(n * 1024.0),
            "k" if USERS.contains(&after) => self.serve(n * 1e3),
            "m" if is_length && !matches!(after, "token" | "tokens") => self.long(n * 1024.0 * 1024.0),
            "gb" | "gib" | "g" => return Some(n),
            "gpu" | "gpus" | "card" | "cards" | "accelerators" | "devices" => self.count_gpus(whole?),
            "ranks" | "workers" | "processors" | "processes" | "cores" | "cpus"
                if self.collective.is_some() || self.asks_law() =>
            {
                self.count_gpus(whole?);
            }
            // "One 24 GB card."
            _ if is_card(words.get(at + 1..).unwrap_or_default()) => self.count_gpus(whole?),
            "x" => self.count_gpus(whole?),
            // "96 NVIDIA DGX-A100" are nodes.
            "node" | "nodes" | "machines" | "dgx" | "hgx" => {
                if let Some(nodes) = whole.filter(|nodes| self.nodes.is_none() && *nodes <= MAX_NODES) {
                    self.nodes = Some(nodes);
                    self.said.push((What::Cluster, counted(nodes, "node", "nodes")));
                }
            }
            users if USERS.contains(&users) && !matches!(after, "per" | "s") => self.serve(n),
            _ if before(&["rank", "r"]) => {
                if let Some(rank) = whole.filter(|rank| *rank <= 1024) {
                    self.rank = Some(rank);
                    self.said.push((What::Rank, format!("rank {}", grouped(rank))));
                }
            }
            _ if is_batch => self.collect(words, at, whole?),
            // Nobody has a context of so many.
            "tokens" if n >= 2e6 && !near(&LENGTH, 3, 3) => self.train_on(n),
            "token" | "tokens" | "context" | "ctx" if n >= 128.0 => self.long(n),
            _ if before(&["mfu"]) && n < 1.0 => self.reach(n),
            // A GPU's name may follow the number at once: "on 8 H100s".
            name if !gpus_named(name).is_empty() && n <= 100_000.0 => self.count_gpus(whole?),
            // "24 training H100s".
            "training" | "dedicated" | "identical" | "single" | "full"
                if word(at + 2).ends_with('s') && !gpus_named(word(at + 2)).is_empty() =>
            {
                self.count_gpus(whole?);
            }
            // "2 RTX 4090", "four NVIDIA Tesla V100".
            maker
                if hardware::MAKERS.contains(&maker)
                    && (2..=4).any(|on| !gpus_named(word(at + on)).is_empty())
                    && n <= 100_000.0 =>
            {
                self.count_gpus(whole?);
            }
            _ if before(&LENGTH) && n >= 128.0 => self.long(n),
            // Lengths are said without a word for them: “llama 3 70b 128k”.
            "k" if n.log2().fract() == 0.0
                && (4.0..=2048.0).contains(&n)
                && (matches!(after, "" | "on" | "with" | "for" | "in" | "and" | "fit" | "fits" | "at" | "to")
                    || near(&LENGTH, 5, 0)) =>
            {
                self.long(n * 1024.0);
            }
            _ => {}
        }
        None
    }

    /// The tokens per second that a number is, and whether they are one GPU's: "12k tokens/s/GPU", "tok/sec: 529,882". A speed per user is a
    /// promise.
    fn speed_of(&self, words: &[String], at: usize, n: f64, unit: &str) -> Option<(f64, bool)> {
        let word = |i: usize| words.get(i).map_or("", String::as_str);
        let is_second = |i: usize| TIMES.iter().take(4).any(|second| *second == word(i));
        let is_tokens = |i: usize| TOKENS.contains(&word(i));
        // Named before its number.
        let back = |n: usize| at.checked_sub(n);
        let is_of_gpu = back(1).is_some_and(|i| DEVICE.contains(&word(i)));
        let named = if is_of_gpu { 2 } else { 1 };
        let is_labelled = back(named).is_some_and(is_second)
            && (1..=2).any(|more| back(named + more).is_some_and(is_tokens))
            && !TOKENS.contains(&unit);
        if is_labelled && n > 0.0 {
            let times = if unit == "k" { 1e3 } else { 1.0 };
            return Some((n * times, is_of_gpu));
        }
        let (times, unit_at) = match unit {
            "k" => (1e3, at),
            "m" => (1e6, at),
            unit if TOKENS.contains(&unit) => (1.0, at),
            _ => return None,
        };
        // Where the unit is a word of its own.
        let is_apart = unit == word(at + 1);
        let tokens =
            if times == 1.0 { if is_apart { at + 1 } else { unit_at } } else { at + 1 + usize::from(is_apart) };
        let is_named = times == 1.0 || is_tokens(tokens);
        let between = |i: usize| matches!(word(i), "per" | "a" | "each") || DEVICE.contains(&word(i));
        let second = (tokens + 1..tokens + 6).find(|i| !between(*i)).filter(|i| is_named && is_second(*i))?;
        let after = if word(second + 1) == "per" { second + 2 } else { second + 1 };
        let is_of_user =
            (second..second + 4).any(|i| matches!(word(i), "user" | "users" | "each" | "request" | "stream"));
        let is_of_gpu = DEVICE.contains(&word(after)) || (tokens..second).any(|i| DEVICE.contains(&word(i)));
        (!is_of_user && n > 0.0).then_some((n * times, is_of_gpu))
    }

    fn sized(&mut self, params: f64) {
        self.params = Some(params);
        self.active = self.words.iter().find_map(|word| active_of(word)).filter(|active| *active < params);
        let active = self.active.map_or_else(String::new, |active| format!(", {} of them per token", close(active)));
        self.said.push((What::Model, format!("{} parameters{active}", close(params))));
    }

    fn run_at(&mut self, tokens: f64, is_of_gpu: bool) {
        if self.speed.is_none() && tokens.is_finite() {
            self.speed = Some((tokens, is_of_gpu));
            let of = if is_of_gpu { " per GPU" } else { "" };
            self.said.push((What::Speed, format!("{} tokens per second{of}", close(tokens))));
        }
    }

    fn compute(&mut self, flops: f64) {
        if self.flops.is_none() && flops > 0.0 && flops.is_finite() {
            self.flops = Some(flops);
            self.said.push((What::Flops, Unit::FlopPerSecond.format(flops)));
        }
    }

    fn last(&mut self, days: f64) {
        if self.days.is_none() && days > 0.0 && days.is_finite() {
            self.days = Some(days);
            self.said.push((What::Days, Unit::Seconds.format(days * 86_400.0)));
        }
    }

    fn spend(&mut self, hours: f64) {
        if self.gpu_hours.is_none() && hours > 0.0 && hours.is_finite() {
            self.gpu_hours = Some(hours);
            self.said.push((What::Days, format!("{} GPU-hours", close(hours))));
        }
    }

    fn stream(&mut self, bandwidth: f64) {
        if self.bandwidth.is_none() && bandwidth > 0.0 && bandwidth < 1e15 {
            self.bandwidth = Some(bandwidth);
            self.said.push((What::Bandwidth, Unit::BytesPerSecond.format(bandwidth)));
        }
    }

    fn hold(&mut self, bytes: f64) {
        if self.bytes.is_none() && (1.0..=1e18).contains(&bytes) {
            self.bytes = Some(bytes);
            self.said.push((What::Bytes, Unit::Bytes.format(bytes)));
        }
    }

    /// Whether bytes in it are those of a buffer or of a checkpoint, and no GPU's.
    fn is_of_bytes(&self) -> bool {
        let is_size = self.has(&["checkpoint", "checkpoints", "ckpt"]) && self.has(&["size", "big"]);
        self.collective.is_some() || self.asks_interval() || is_size
    }

    /// Whether it has what Amdahl's law is about: a part that is serial or parallel, and a speedup or processors.
    pub fn asks_law(&self) -> bool {
        const KINDS: [&str; 7] = ["tensor", "data", "pipeline", "expert", "context", "sequence", "model"];
        let is_part = |(at, word): (usize, &String)| {
            let before = at.checked_sub(1).and_then(|at| self.words.get(at)).map_or("", String::as_str);
            SERIAL.contains(&word.as_str()) && !KINDS.contains(&before)
        };
        const FASTER: [&str; 9] =
            ["speedup", "speedups", "speed", "faster", "amdahl", "amdahls", "processors", "cores", "cpus"];
        self.has(&FASTER) && self.words.iter().enumerate().any(is_part)
    }

    /// Whether it asks how often to save.
    pub fn asks_interval(&self) -> bool {
        let fails = self.follows(&FAILS, &["every", "per"]);
        let is_named = self.has(&["mtbf", "mttf", "daly", "young"]) || self.says(&["time", "between", "failures"]);
        (self.has(&CHECKPOINT) && (is_named || fails))
            || (self.has(&["daly", "young"]) && self.has(&["mtbf", "interval"]))
    }

    /// The same question on so many GPUs, which it doesn't name: what hangs on their number is worked out anew.
    pub fn on(&self, gpus: u64) -> Self {
        Self {
            gpus: Some(gpus),
            nodes: None,
            is_timed: true,
            short: OnceCell::new(),
            held: OnceCell::new(),
            begun: OnceCell::new(),
            ..self.clone()
        }
    }

    fn use_of(&mut self, share: f64) {
        if self.used.is_none() && share > 0.0 && share <= 1.0 {
            self.used = Some(share);
            self.said.push((What::Used, format!("{} of the memory", Unit::Fraction.format(share))));
        }
    }

    /// Takes a price per hour, or the money for a run.
    fn pay(&mut self, words: &[String], at: usize, n: f64, unit: &str) {
        let after: Vec<&str> = words.iter().skip(at + 1).take(4).map(String::as_str).collect();
        let is_hourly = after.iter().any(|word| TIMES.iter().skip(6).any(|time| time == word));
        let dollars = match unit.trim_end_matches(MONEY) {
            "k" => n * 1e3,
            "m" => n * 1e6,
            _ => n,
        };
        if is_hourly && self.hourly.is_none() {
            self.hourly = Some(dollars);
            self.said.push((What::Hourly, format!("{} per GPU-hour", crate::quantity::dollars(dollars))));
        } else if !is_hourly && self.money.is_none() && (self.trains() || self.has(&["budget"])) {
            self.money = Some(dollars);
            self.said.push((What::Money, crate::quantity::dollars(dollars)));
        }
    }

    fn train_on(&mut self, tokens: f64) {
        if self.tokens.is_none() {
            self.tokens = Some(tokens);
            self.said.push((What::Tokens, format!("{} tokens", close(tokens))));
        }
    }

    fn serve(&mut self, users: f64) {
        if self.users.is_none() && users.fract() == 0.0 && (1.0..=1e9).contains(&users) {
            self.users = Some(users as u64);
            self.said.push((What::Users, counted(users as u64, "user", "users")));
        }
    }

    fn come(&mut self, rate: f64) {
        if self.rate.is_none() && rate > 0.0 && rate.is_finite() {
            self.rate = Some(rate);
            self.said.push((What::Rate, format!("{} requests per second", crate::quantity::number(rate))));
        }
    }

    /// Takes the tokens of answers that come in a time.
    fn flow(&mut self, tokens: f64, time: &str) {
        let seconds = match time {
            "minute" => 60.0,
            "hour" => 3600.0,
            "day" => 86_400.0,
            _ => 30.0 * 86_400.0,
        };
        if self.flow.is_none() && tokens > 0.0 && tokens.is_finite() {
            self.flow = Some(tokens / seconds);
            self.said.push((What::Rate, format!("{} tokens per {time}", close(tokens))));
        }
    }

    fn tokens_of(&mut self, share: Option<What>, tokens: f64) {
        let whole = (1.0..=16_777_216.0).contains(&tokens).then_some(tokens as u64);
        match (share, whole) {
            (Some(What::Answer), Some(tokens)) if self.answer.is_none() => {
                self.answer = Some(tokens);
                self.said.push((What::Answer, format!("{} tokens per answer", grouped(tokens))));
            }
            (Some(What::Length), Some(tokens)) if self.seq.is_none() => {
                self.seq = Some(tokens);
                self.said.push((What::Length, format!("{} tokens per prompt", grouped(tokens))));
            }
            _ => {}
        }
    }

    /// Whether a number is of a prompt's tokens ([`What::Length`]) or an answer's: "2048 input, 512 output", "prompts of 2k tokens". A
    /// question names them before its numbers or after them.
    fn share_of(&self, words: &[String], at: usize) -> Option<What> {
        let is_number = |word: &String| number(word).is_some_and(|(_, unit)| matches!(unit, "" | "k"));
        // "8192 in, 500 out", of which neither word means anything alone.
        let counts = |name: &str| {
            let at = words.iter().enumerate().filter(|(_, word)| *word == name);
            let beside = |at: usize| {
                let around = words.get(at.saturating_sub(2)..words.len().min(at + 2)).unwrap_or_default();
                around.iter().any(is_number)
            };
            at.into_iter().any(|(at, _)| beside(at))
        };
        let is_pair = counts("in") && counts("out") && !self.says(&["out", "of"]);
        let label = |word: &String| match word.as_str() {
            "in" if is_pair => Some(What::Length),
            "out" if is_pair => Some(What::Answer),
            "input" | "inputs" | "prompt" | "prompts" | "isl" => Some(What::Length),
            "output" | "outputs" | "generated" | "completion" | "completions" | "answer" | "answers" | "response"
            | "responses" | "reply" | "replies" | "osl" => Some(What::Answer),
            _ => None,
        };
        let is_between = |word: &String| {
            matches!(
                word.as_str(),
                "token" | "tokens" | "length" | "len" | "of" | "with" | "lengths" | "k" | "is" | "and" | "size" | "max"
            )
        };
        let next = |from: usize| words.iter().skip(from).take(3).find(|word| !is_between(word));
        let before = |from: usize| words.get(from.saturating_sub(3)..from)?.iter().rev().find(|word| !is_between(word));
        let first = words.iter().position(|word| label(word).is_some())?;
        // Named before its number, unless a number stands before the name.
        let leads = next(first + 1).is_some_and(is_number) && !before(first).is_some_and(is_number);
        if leads { before(at).and_then(label) } else { next(at + 1).and_then(label) }
    }

    /// Whether it asks what tokens cost.
    pub fn asks_price(&self) -> bool {
        self.said.iter().any(|(what, _)| *what == What::Price)
    }

    /// Whether it asks how many requests come through per second, rather than says it.
    pub fn asks_rate(&self) -> bool {
        let per = |three: &[String]| {
            matches!(three, [calls, per, time] if CALLS.contains(&calls.as_str())
            && matches!(per.as_str(), "per" | "a") && TIMES.contains(&time.as_str()))
        };
        let joined = |two: &[String]| matches!(two, [calls, time] if CALLS.contains(&calls.as_str()) && TIMES.contains(&time.as_str()));
        let is_named = self.words.windows(3).any(per) || self.words.windows(2).any(joined) || self.has(&["rps", "qps"]);
        is_named && self.rate.is_none() && self.says(&["how", "many"])
    }

    /// Whether it speaks of one token: "per token", "a token", "one token".
    pub fn says_token(&self) -> bool {
        ["per", "each", "a", "one", "single", "every"].iter().any(|each| self.says(&[each, "token"]))
    }

    /// Whether it asks how many users or requests there may be at the same time, rather than says it.
    pub fn asks_users(&self) -> bool {
        const MOST: [&str; 7] = ["many", "max", "maximum", "capacity", "number", "limit", "estimate"];
        let is_load = self.has(&["concurrent", "concurrently", "concurrency"]) && self.has(&MOST);
        self.users.is_none() && (self.follows(&["many"], &USERS) || is_load)
    }

    /// Whether it asks how long a context may be.
    pub fn asks_length(&self) -> bool {
        const MOST: [&str; 5] = ["max", "maximum", "longest", "largest", "long"];
        self.seq.is_none() && self.follows(&MOST, &["context", "sequence", "sequences", "ctx"]) && !self.trains()
    }

    /// Whether it says the speed of a model that is run.
    pub fn is_served_at(&self) -> bool {
        self.speed.is_some() && !self.trains() && (self.preset.is_some() || self.params.is_some())
    }

    /// Whether it asks for a number of GPUs, rather than says it.
    pub fn asks_gpus(&self) -> bool {
        let one = |word: &String| DEVICE.contains(&word.trim_end_matches('s')) || !gpus_named(word).is_empty();
        let next = |at: usize| self.words.iter().skip(at).take(5).any(one);
        let many = self
            .words
            .windows(2)
            .enumerate()
            .any(|(at, pair)| matches!(pair, [how, many] if how == "how" && many == "many") && next(at + 2));
        // "Minimum GPUs", "the number of GPUs needed".
        let is_least = |(at, word): (usize, &String)| {
            let is_number = || matches!(word.as_str(), "number" | "count" | "amount") && self.says(&[word, "of"]);
            (super::FEWEST.contains(&word.as_str()) || is_number()) && next(at + 1)
        };
        self.cluster().is_none() && (many || self.words.iter().enumerate().any(is_least))
    }

    /// Whether it asks how large a batch may be, rather than says it.
    pub fn asks_batch(&self) -> bool {
        const ASKS: [&str; 14] = [
            "what", "which", "max", "maximum", "largest", "biggest", "highest", "big", "large", "many", "fits", "fit",
            "possible", "best",
        ];
        const BATCH: [&str; 5] = ["batch", "batchsize", "microbatch", "mbs", "bs"];
        let is_counted = self.follows(&["many"], &["sequences", "seqs", "samples"]) && self.has(&["fit", "fits"]);
        let is_size = self.words.iter().enumerate().any(|(at, word)| {
            let before = self.words.get(at.saturating_sub(3)..at).unwrap_or_default();
            let asks = before.iter().chain(self.words.get(at + 2)).any(|word| ASKS.contains(&word.as_str()));
            BATCH.contains(&word.as_str()) && asks
        });
        let is_said = self.batch.is_some() || self.micro.is_some() || self.batch_tokens.is_some();
        (is_counted || is_size) && !is_said && !self.says(&["out", "of", "memory"]) && !self.has(&super::OUT)
    }

    /// Whether a part of the model or of its states is to stay outside the GPU: in host memory or on a disk.
    pub fn offloads(&self) -> bool {
        const OFFLOAD: [&str; 4] = ["offload", "offloading", "offloaded", "ngl"];
        let is_infinity = self.says(&["zero", "infinity"]) || self.has(&["nvme"]);
        let is_mapped = (self.says(&["device", "map"]) && self.has(&["auto"])) || self.says(&["gpu", "layers"]);
        self.wants(&OFFLOAD) || is_infinity || is_mapped
    }

    /// The step that it speaks of, from 1: "at step 2", "after 2,000 steps", "in the first iteration".
    pub fn at_step(&self) -> Option<u64> {
        let is_step = |word: &String| STEP.contains(&word.as_str());
        let is_turn = |word: &String| is_step(word) || matches!(word.as_str(), "batch" | "forward" | "backward");
        let ordinal = |word: &str| {
            let at = ["first", "second", "third"].iter().position(|other| *other == word);
            at.map(|at| at as u64 + 1)
        };
        let whole = |word: &String| {
            let (n, unit) = number(word)?;
            let times = match unit {
                "" | "st" | "nd" | "rd" | "th" => 1.0,
                "k" => 1e3,
                "m" => 1e6,
                _ => return None,
            };
            (n * times < 1e15).then_some((n * times) as u64)
        };
        // "Steps" are counted in many places: those of a run come after "after" or "at".
        let is_plural = |word: &String| matches!(word.as_str(), "steps" | "iterations" | "iters");
        let is_time = |at: Option<usize>| {
            let before = at.and_then(|at| self.words.get(at)).map_or("", String::as_str);
            matches!(before, "at" | "after" | "in" | "on" | "around" | "about" | "until" | "past" | "every")
        };
        let pair = self.words.windows(2).enumerate().find_map(|(at, pair)| match pair {
            [first, second] => {
                let numbered = |step: &String, n: &String| {
                    let is_meant = is_step(step) && (!is_plural(step) || is_time(at.checked_sub(1)));
                    whole(n).filter(|_| is_meant)
                };
                let in_turn = || ordinal(first).filter(|_| is_turn(second));
                numbered(first, second).or_else(|| numbered(second, first)).or_else(in_turn)
            }
            _ => None,
        });
        let apart = || {
            self.words.windows(3).find_map(|three| match three {
                [n, _, turn] if is_turn(turn) => ordinal(n),
                _ => None,
            })
        };
        pair.or_else(apart)
    }

    /// Takes the step time of another reading.
    pub fn take_step(&mut self, other: Option<Self>) {
        if let Some(seconds) = other.and_then(|other| other.step) {
            self.take(seconds);
        }
    }

    /// Takes the GPU of another reading.
    pub fn take_gpu(&mut self, other: Option<Self>) {
        if let Some(gpu) = other.and_then(|other| other.gpu) {
            self.gpu = Some(gpu);
            self.said.push((What::Gpu, gpu.name.to_owned()));
        }
    }

    fn reach(&mut self, mfu: f64) {
        if self.mfu.is_none() && mfu > 0.0 && mfu <= 1.0 {
            self.mfu = Some(mfu);
            self.said.push((What::Mfu, format!("MFU {}", Unit::Fraction.format(mfu))));
        }
    }

    fn wait(&mut self, seconds: f64) {
        if self.first.is_none() && seconds > 0.0 {
            self.first = Some(seconds);
            self.said.push((What::First, format!("{} to the first token", Unit::Seconds.format(seconds))));
        }
    }

    fn gain(&mut self, times: f64) {
        if self.speedup.is_none() && times > 0.0 && times.is_finite() {
            self.speedup = Some(times);
            self.said.push((What::Speedup, format!("{} times as fast", crate::quantity::number(times))));
        }
    }

    fn promise(&mut self, seconds: f64) {
        if self.each.is_none() && seconds > 0.0 {
            self.each = Some(seconds);
            self.said.push((What::Each, format!("{} per output token", Unit::Seconds.format(seconds))));
        }
    }

    /// Whether a time is that to the first token, or that per output token: what is named nearest to it. In a question about serving a limit
    /// in milliseconds without a name is per token: "at 30 ms".
    fn time_of(&self, words: &[String], at: usize, milliseconds: Option<f64>) -> Option<bool> {
        let word = |i: usize| words.get(i).map_or("", String::as_str);
        let label = |i: usize| match word(i) {
            "ttft" => Some(true),
            "first" if matches!(word(i + 1), "token" | "tokens") => Some(true),
            "tpot" | "itl" | "tbt" => Some(false),
            "per" | "each" | "every" | "a" | "between" | "inter" | "ms"
                if matches!(word(if word(i + 1) == "output" { i + 2 } else { i + 1 }), "token" | "tokens") =>
            {
                Some(false)
            }
            _ => None,
        };
        let around = at.saturating_sub(12)..words.len().min(at + 5);
        let named = around.filter_map(|i| Some((i.abs_diff(at), label(i)?))).min_by_key(|(far, _)| *far);
        let is_limit = ["at", "under", "below", "within", "than"].contains(&word(at.saturating_sub(1)));
        // Nobody promises half a second per token.
        let is_short = milliseconds.is_some_and(|ms| ms <= 200.0);
        let is_of_token = || (is_limit && is_short && self.has(&super::SERVE)).then_some(false);
        named.map(|(_, is_first)| is_first).or_else(is_of_token)
    }

    /// Takes the size of a batch: a micro-batch where the question calls it so.
    fn collect(&mut self, words: &[String], at: usize, size: u64) {
        let before = words.get(at.saturating_sub(5)..at).unwrap_or_default();
        let has = |list: &[&str]| before.iter().any(|word| list.contains(&word.as_str()));
        if has(&["micro", "mbs", "microbatch", "device"]) || self.words_after(at, &["gpu", "device"]) {
            if self.micro.is_none() && size <= 1024 {
                self.micro = Some(size);
                self.said.push((What::Micro, format!("micro-batch size {}", grouped(size))));
            }
        } else if self.batch.is_none() && size <= 1_000_000 {
            self.is_global = has(&["global", "total", "effective", "gbs"]);
            self.batch = Some(size);
            let global = if self.is_global { "global " } else { "" };
            self.said.push((What::Batch, format!("{global}batch size {}", grouped(size))));
        }
    }

    fn collect_tokens(&mut self, tokens: f64) {
        if self.batch_tokens.is_none() {
            self.batch_tokens = Some(tokens);
            self.said.push((What::Batch, format!("batch of {} tokens", close(tokens))));
        }
    }

    /// Whether "per" and one of these follow a number: "batch size 4 per GPU".
    fn words_after(&self, at: usize, list: &[&str]) -> bool {
        let word = |i: usize| self.words.get(i).map_or("", String::as_str);
        matches!(word(at + 1), "per" | "a" | "each") && list.contains(&word(at + 2))
    }

    /// Sequences of a micro-batch, for a figure that has no other batch: what the question calls so, or of a batch that it doesn't call
    /// global what each GPU has, unless it's small enough to be a GPU's own.
    pub fn micro_batch(&self) -> Option<u64> {
        const OWN: u64 = 16;
        let gpus = self.all_gpus().unwrap_or(1).max(1);
        let of_gpu = |size: u64| if size <= OWN { size } else { size.div_ceil(gpus) };
        self.micro.or(self.batch.filter(|_| !self.is_global).map(of_gpu).filter(|size| *size <= 1024))
    }

    /// Whether a time that the question gives is a promise to users, rather than what somebody measured.
    pub fn promises(&self) -> bool {
        const LIMIT: [&str; 10] =
            ["under", "below", "within", "target", "targets", "sla", "slo", "promise", "max", "needed"];
        const MEASURED: [&str; 10] =
            ["is", "was", "takes", "measure", "measured", "see", "get", "why", "slow", "reach"];
        let is_limit = self.says(&["how", "many"]) || self.has(&LIMIT) || !self.has(&MEASURED);
        self.each.is_some() || (self.first.is_some() && is_limit)
    }

    fn take(&mut self, seconds: f64) {
        if self.step.is_none() && seconds > 0.0 {
            self.step = Some(seconds);
            self.said.push((What::Step, format!("{} per step", Unit::Seconds.format(seconds))));
        }
    }

    fn long(&mut self, tokens: f64) {
        if self.seq.is_none() && (1.0..=16_777_216.0).contains(&tokens) {
            self.seq = Some(tokens as u64);
            self.said.push((What::Length, format!("{} tokens of context", grouped(tokens as u64))));
        }
    }

    fn count_gpus(&mut self, gpus: u64) {
        if self.gpus.is_none() && gpus <= MAX_NODE * MAX_NODES {
            self.gpus = Some(gpus);
            self.said.push((What::Cluster, counted(gpus, "GPU", "GPUs")));
        }
    }

    /// Whether its model is a mixture of experts, by what it says of one: "MoE", a family of them, or "A22B" and "8x22B".
    pub fn is_mixture(&self) -> bool {
        let is_size = |word: &String| active_of(word).is_some() || experts_of(word).is_some();
        self.has(&["moe", "mixture"]) || self.has(&MIXTURES) || self.words.iter().any(is_size)
    }

    /// Whether its model is a mixture with a name of its own that the table doesn't have: "Qwen3-235B-A22B", and not "a 30B-A3B". Two mixtures
    /// of one size may keep caches of very different sizes, so no other one stands for it.
    pub fn is_unlisted(&self) -> bool {
        let is_family = |word: &String| {
            let letters = word.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            let is_known = || presets::ALL.iter().any(|preset| family(preset.id) == letters);
            MIXTURES.contains(&letters) || (letters.len() > 2 && is_known())
        };
        let is_missing = self.preset.is_none() && self.params.is_some();
        is_missing && self.is_mixture() && self.words.iter().any(is_family)
    }

    /// The GPU from its name, from its memory, or from both.
    fn settle_gpu(&mut self, named: &[&'static Accelerator], memory: Option<f64>) {
        let fits = |gpu: &&&'static Accelerator| memory.is_none_or(|gb| has_memory(gpu, gb));
        let both: Vec<_> = named.iter().filter(fits).copied().collect();
        let form =
            ["PCIe", "NVL"].into_iter().find(|form| self.words.iter().any(|word| word.eq_ignore_ascii_case(form)));
        let of_form = form.and_then(|form| both.iter().find(|gpu| gpu.name.contains(form))).copied();
        let gpu = of_form.or_else(|| usual(&both)).or_else(|| usual(named));
        if let Some(gpu) = gpu {
            self.said.push((What::Gpu, gpu.name.to_owned()));
            self.gpu = Some(gpu);
            self.unread.extend(memory.filter(|gb| !has_memory(gpu, *gb)).map(|gb| format!("{gb} GB")));
        } else if let Some(gigabytes) = memory {
            let all: Vec<_> = hardware::ALL.iter().filter(|gpu| has_memory(gpu, gigabytes)).collect();
            self.gpu = usual(&all);
            if let Some(gpu) = self.gpu {
                let name = gpu.name.trim_end_matches(&format!(" {gigabytes} GB"));
                self.said.push((What::Gpu, format!("{gigabytes} GB ({name})")));
            } else {
                self.uncounted = Some(format!("{gigabytes} GB"));
                self.unread.push(format!("{gigabytes} GB"));
            }
        }
    }

    /// GPUs of a node, and nodes; none where neither is given.
    pub fn cluster(&self) -> Option<[u64; 2]> {
        match (self.gpus, self.nodes) {
            (None, None) => None,
            // More than a node has are all of them: 64 H100s on 8 nodes.
            (Some(gpus), Some(nodes)) if gpus > NODE && nodes > 1 && gpus % nodes == 0 => Some([gpus / nodes, nodes]),
            (gpus, Some(nodes)) => Some([gpus.unwrap_or(NODE).min(MAX_NODE), nodes]),
            (Some(gpus), None) if gpus > NODE && gpus % NODE == 0 => Some([NODE, gpus / NODE]),
            (Some(gpus), None) => Some([gpus.min(MAX_NODE), 1]),
        }
    }

    /// GPUs in all, over its nodes; none where neither is given.
    pub fn all_gpus(&self) -> Option<u64> {
        self.cluster().map(|[node, nodes]| node.saturating_mul(nodes))
    }

    /// The techniques that it names.
    pub fn terms(&self) -> impl Iterator<Item = &'static Term> {
        let named = self.named_terms();
        TERMS.iter().filter(move |term| named.iter().any(|own| std::ptr::eq(*own, *term)))
    }

    /// The techniques in the order of the question. Hyphens may have divided their names: "8-bit Adam". The longest name is meant, so an "FP8
    /// cache" isn't FP8 weights, and "without offloading" doesn't ask for it.
    fn named_terms(&self) -> Vec<&'static Term> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < self.words.len() {
            let longest = (1..=4).rev().find_map(|n| Some((term_of(self.words.get(at..at + n)?)?, n)));
            found.extend(longest.filter(|_| !self.is_denied(at)).map(|(term, _)| term));
            at += longest.map_or(1, |(_, n)| n);
        }
        found
    }

    /// Whether the word there isn't wanted: "without PEFT".
    fn is_denied(&self, at: usize) -> bool {
        const NOT: [&str; 8] = ["no", "not", "without", "dont", "doesnt", "disable", "disabled", "avoid"];
        let before = self.words.get(at.saturating_sub(2)..at).unwrap_or_default();
        before.iter().any(|word| NOT.contains(&word.as_str()))
    }

    /// Whether it has one of these words, and not to say that it isn't so.
    pub fn wants(&self, words: &[&str]) -> bool {
        let is_one = |(at, word): (usize, &String)| words.contains(&word.as_str()) && !self.is_denied(at);
        self.words.iter().enumerate().any(is_one)
    }

    /// Whether it asks about the time to the first token.
    pub fn asks_first(&self) -> bool {
        self.has(&["ttft"]) || self.says(&["first", "token"])
    }

    /// Whether it asks for tokens per second, rather than says them.
    pub fn asks_speed(&self) -> bool {
        const SECOND: [&str; 3] = ["s", "sec", "second"];
        let is = |word: &String, list: &[&str]| list.contains(&word.as_str());
        // "Tokens/s", or "tokens … per second" with something between.
        let joined = self.words.windows(2).any(|pair| matches!(pair, [a, b] if is(a, &TOKENS) && is(b, &SECOND)));
        let per = |pair: &[String]| matches!(pair, [a, b] if matches!(a.as_str(), "per" | "a") && is(b, &SECOND));
        self.speed.is_none() && (joined || (self.has(&TOKENS) && self.words.windows(2).any(per)))
    }

    /// How many speeds it says: "29 tokens/s on one GPU, 17 tokens/s on two".
    pub fn says_speeds(&self) -> usize {
        let is = |word: &String, list: &[&str]| list.contains(&word.as_str());
        let speed = |pair: &&[String]| matches!(pair, [a, b] if is(a, &TOKENS) && is(b, &["s", "sec", "second"]));
        self.words.windows(2).filter(speed).count()
    }

    /// Whether it asks about the memory of the host, and not of a GPU.
    pub fn asks_host(&self) -> bool {
        let host = |a: &str| matches!(a, "cpu" | "host" | "system");
        let is_host = |pair: &[String]| matches!(pair, [a, b] if host(a) && matches!(b.as_str(), "memory" | "ram"));
        self.words.windows(2).any(is_host) && !self.has(&["vram", "gpu"])
    }

    /// Whether a model is trained or tuned in it.
    pub fn trains(&self) -> bool {
        const TRAIN: [&str; 9] =
            ["train", "training", "pretrain", "pretraining", "pre", "scratch", "fsdp", "fsdp2", "ddp"];
        let is_run =
            self.tokens.is_some() && !self.has(&super::SERVE) && !self.has(&["generate", "generating", "synthetic"]);
        self.has(&TRAIN) || self.tunes() || self.overflows() || is_run
    }

    /// Whether a batch runs out of memory in it: a batch is of training, unless serving is named.
    fn overflows(&self) -> bool {
        let is_out = self.has(&super::OUT) || self.says(&["out", "of", "memory"]);
        let is_batch = self.batch.is_some()
            || self.micro.is_some()
            || self.has(&["batch", "microbatch", "gradient", "gradients", "optimizer", "backward"]);
        is_out && is_batch && !self.has(&super::SERVE)
    }

    /// Whether a model is tuned in it.
    pub fn tunes(&self) -> bool {
        const TUNE: [&str; 7] = ["tune", "tuning", "tuned", "finetune", "finetuning", "finetuned", "sft"];
        self.has(&TUNE)
    }

    /// Whether these words stand in it one after the other.
    pub fn says(&self, phrase: &[&str]) -> bool {
        self.words.windows(phrase.len().max(1)).any(|words| words.iter().map(String::as_str).eq(phrase.iter().copied()))
    }

    /// Whether one of `second` stands within three words after one of `first`.
    pub fn follows(&self, first: &[&str], second: &[&str]) -> bool {
        let is_first = |word: &String| first.contains(&word.as_str());
        let next = |at: usize| self.words.iter().skip(at + 1).take(3).any(|word| second.contains(&word.as_str()));
        self.words.iter().enumerate().any(|(at, word)| is_first(word) && next(at))
    }

    /// What was read that an answer counts, and what the question says beside it.
    pub fn parted(&self, takes: impl Fn(What) -> bool) -> [Vec<String>; 2] {
        let (read, unused): (Vec<_>, Vec<_>) = self.said.iter().cloned().partition(|(what, _)| takes(*what));
        let texts = |said: Vec<(What, String)>| said.into_iter().map(|(_, text)| text);
        [texts(read).collect(), texts(unused).chain(self.unread.iter().cloned()).collect()]
    }

    /// Whether it has one of these words.
    pub fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }
}

/// The parameters per token that a word of a mixture's name says: "a22b".
fn active_of(word: &str) -> Option<f64> {
    billions(word.strip_prefix('a')?)
}

/// The experts and the size of each that a word of a mixture's name says, as one number: "8x22b".
fn experts_of(word: &str) -> Option<f64> {
    let (n, each) = word.split_once('x')?;
    Some(number(n).filter(|(_, unit)| unit.is_empty())?.0 * billions(each)?)
}

/// The number that a word like "22b" is.
fn billions(word: &str) -> Option<f64> {
    number(word).filter(|(n, unit)| *unit == "b" && *n > 0.0).map(|(n, _)| n * 1e9)
}

/// A large number as people write it: 7B, 2T.
fn close(value: f64) -> String {
    count(value).replace(char::is_whitespace, "")
}
