//! The command that starts a serving engine: written for three engines, and read back from what people paste.
//!
//! Names and meanings are those of vLLM 0.33.0 (`vllm/engine/arg_utils.py`), SGLang 0.5.23 (`sglang/srt/server_args.py` and
//! `arg_groups/fields`) and TensorRT-LLM at 00209af (`tensorrt_llm/commands/serve.py`). `tests/frameworks/serving.py` gives what is written
//! here to their own parsers, and a test holds it to what these accepted (`tests/frameworks/serving.json`). TensorRT-LLM was asked as
//! nctu6/vllm-tensorrt has it at 5978a46 (1.3.0rc3), whose `trtllm-serve` has the options named here as they are at 00209af.

use std::fmt::Write as _;

use crate::model::presets;
use crate::options;

/// The longest text that is looked into, in bytes.
pub const MAX_TEXT: usize = 100_000;

/// An engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Server {
    /// `vllm serve`.
    #[default]
    Vllm,
    /// `python -m sglang.launch_server`.
    Sglang,
    /// `trtllm-serve`.
    Trtllm,
}

options!(Server {
    Vllm: "vllm", "vLLM";
    Sglang: "sglang", "SGLang";
    Trtllm: "trtllm", "TensorRT-LLM";
});

impl Server {
    /// The version whose own parser takes what is written here (`tests/frameworks/serving.py`).
    pub const fn version(self) -> &'static str {
        match self {
            Self::Vllm => "0.33.0",
            Self::Sglang => "0.5.23",
            Self::Trtllm => "1.3.0rc3",
        }
    }
}

/// How an engine is started. What is `None` is left to the engine's default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Serve {
    /// The repository or folder of the model.
    pub model: String,
    /// GPUs that share the attention of one request.
    pub tp: Option<u64>,
    /// Pipeline stages.
    pub pp: Option<u64>,
    /// Groups of `tp` GPUs that each have requests of their own and share the experts (vLLM's data parallelism of a model with experts,
    /// attention data parallelism of the others).
    pub dp: Option<u64>,
    /// Whole copies of all that, which share nothing.
    pub replicas: Option<u64>,
    /// Experts are spread whole over the `tp × dp` GPUs rather than cut.
    pub expert_parallel: bool,
    /// Tokens of a request at the most, prompt and answer.
    pub max_len: Option<u64>,
    /// Requests of a step at the most.
    pub max_seqs: Option<u64>,
    /// New tokens of a step at the most.
    pub max_tokens: Option<u64>,
    /// Tokens of a block of the cache.
    pub block: Option<u64>,
    /// The share of a GPU's memory: vLLM's for everything, SGLang's for weights and cache, TensorRT-LLM's for the cache, of what loading the
    /// model leaves free.
    pub memory: Option<f64>,
    /// The form of the weights, in the engine's word: `fp8`, `awq`.
    pub quantization: Option<String>,
    /// The form of the cache, in the engine's word: `fp8`, `nvfp4`.
    pub kv: Option<String>,
    /// Whether prefixes are used again.
    pub prefix: Option<bool>,
    /// Whether prompts are cut into chunks.
    pub chunked: Option<bool>,
}

/// A command that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read {
    /// The engine that it starts.
    pub server: Server,
    /// What it says.
    pub serve: Serve,
    /// The options that set a field of [`Serve`], as written: `--page-size 64`. One that is left to the engine, or makes one group, isn't listed.
    given: Vec<(Sets, String)>,
    /// Its other options, as written: `--trust-remote-code`. They change no number here, or nothing is known of them.
    pub unread: Vec<String>,
    /// What cannot be read, a sentence each.
    pub problems: Vec<String>,
    /// The fields of [`Serve`] that a problem leaves open: `tp`.
    pub unknown: Vec<&'static str>,
}

/// Why a variable isn't read.
const UNSET: &str = "the variable’s value isn't known: the text doesn't set it, sets it to different values, or takes it from what a command prints";

/// Why a value isn't read: a variable has none, and others are wrong in a way of their own.
pub(crate) fn not_read(value: &str, otherwise: &'static str) -> &'static str {
    if value.contains('$') { UNSET } else { otherwise }
}

/// What an option sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sets {
    Model,
    Tp,
    Pp,
    Dp,
    AttentionDp,
    Ep,
    MaxLen,
    MaxSeqs,
    MaxTokens,
    Block,
    Memory,
    Quantization,
    Kv,
    ExpertParallel,
    DpAttention,
    Prefix(bool),
    Chunked(bool),
    /// Nothing, and it takes no value.
    Flag,
}

impl Read {
    /// Options, but for data parallelism, that say how requests, experts and steps are spread.
    pub fn spread(&self) -> impl Iterator<Item = &str> {
        self.given.iter().filter(|(sets, _)| sets.spreads()).map(|(_, written)| written.as_str())
    }

    /// The options whose value isn't in `taken`, which is what came of the command, with every other that sets nothing.
    pub fn unused<'a>(&'a self, taken: &'a Serve) -> impl Iterator<Item = &'a str> {
        let said = &self.serve;
        let is_left = move |sets: Sets| match sets {
            Sets::Model | Sets::Flag => false,
            Sets::Tp => said.tp != taken.tp,
            Sets::Pp => said.pp.is_some_and(|n| n > 1) && said.pp != taken.pp,
            Sets::Dp | Sets::AttentionDp | Sets::DpAttention => {
                [said.dp, said.replicas].map(|n| n.unwrap_or(1)) != [taken.dp, taken.replicas].map(|n| n.unwrap_or(1))
            }
            Sets::Ep | Sets::ExpertParallel => said.expert_parallel != taken.expert_parallel,
            Sets::MaxLen => said.max_len != taken.max_len,
            Sets::MaxSeqs => said.max_seqs != taken.max_seqs,
            Sets::MaxTokens => said.max_tokens != taken.max_tokens,
            Sets::Block => said.block != taken.block,
            Sets::Memory => said.memory.map(rounded) != taken.memory.map(rounded),
            Sets::Quantization => said.quantization != taken.quantization,
            Sets::Kv => said.kv.is_some() && said.kv != taken.kv,
            Sets::Prefix(_) => said.prefix != taken.prefix,
            Sets::Chunked(_) => said.chunked != taken.chunked,
        };
        let left = self.given.iter().filter(move |(sets, _)| is_left(*sets)).map(|(_, written)| written.as_str());
        left.chain(self.unread.iter().map(String::as_str))
    }
}

impl Sets {
    const fn takes_value(self) -> bool {
        !matches!(self, Sets::ExpertParallel | Sets::DpAttention | Sets::Prefix(_) | Sets::Chunked(_) | Sets::Flag)
    }

    /// Whether it counts groups of GPUs: one of them is none.
    const fn counts_groups(self) -> bool {
        matches!(self, Sets::Dp | Sets::AttentionDp | Sets::Ep)
    }

    /// Whether it says how requests, experts and steps are spread.
    const fn spreads(self) -> bool {
        matches!(self, Sets::AttentionDp | Sets::Ep)
            || matches!(self, Sets::ExpertParallel | Sets::DpAttention | Sets::MaxTokens | Sets::Block)
            || matches!(self, Sets::Prefix(_) | Sets::Chunked(_))
    }
}

/// Options of any of the engines, with hyphens. No two engines mean different things by one of these, but for [`Sets::Tp`] and [`Sets::Dp`],
/// which [`Reader::finish`] sorts out.
const OPTIONS: [(&str, Sets); 59] = [
    ("model", Sets::Model),
    ("model-path", Sets::Model),
    ("tensor-parallel-size", Sets::Tp),
    ("tp-size", Sets::Tp),
    ("tp", Sets::Tp),
    ("pipeline-parallel-size", Sets::Pp),
    ("pp-size", Sets::Pp),
    ("pp", Sets::Pp),
    ("data-parallel-size", Sets::Dp),
    ("dp-size", Sets::Dp),
    ("dp", Sets::Dp),
    ("attn-dp-size", Sets::AttentionDp),
    ("attention-data-parallel-size", Sets::AttentionDp),
    ("expert-parallel-size", Sets::Ep),
    ("moe-expert-parallel-size", Sets::Ep),
    ("ep-size", Sets::Ep),
    ("ep", Sets::Ep),
    ("max-model-len", Sets::MaxLen),
    ("context-length", Sets::MaxLen),
    ("max-seq-len", Sets::MaxLen),
    ("max-num-seqs", Sets::MaxSeqs),
    ("max-running-requests", Sets::MaxSeqs),
    ("max-batch-size", Sets::MaxSeqs),
    ("max-num-batched-tokens", Sets::MaxTokens),
    ("chunked-prefill-size", Sets::MaxTokens),
    ("max-num-tokens", Sets::MaxTokens),
    ("block-size", Sets::Block),
    ("page-size", Sets::Block),
    ("gpu-memory-utilization", Sets::Memory),
    ("mem-fraction-static", Sets::Memory),
    ("free-gpu-memory-fraction", Sets::Memory),
    ("kv-cache-free-gpu-memory-fraction", Sets::Memory),
    ("quantization", Sets::Quantization),
    ("q", Sets::Quantization),
    ("kv-cache-dtype", Sets::Kv),
    ("enable-expert-parallel", Sets::ExpertParallel),
    ("enable-dp-attention", Sets::DpAttention),
    ("enable-prefix-caching", Sets::Prefix(true)),
    ("no-enable-prefix-caching", Sets::Prefix(false)),
    ("disable-radix-cache", Sets::Prefix(false)),
    ("enable-chunked-prefill", Sets::Chunked(true)),
    ("no-enable-chunked-prefill", Sets::Chunked(false)),
    ("trust-remote-code", Sets::Flag),
    ("enforce-eager", Sets::Flag),
    ("enable-auto-tool-choice", Sets::Flag),
    ("enable-lora", Sets::Flag),
    ("enable-eplb", Sets::Flag),
    ("enable-dbo", Sets::Flag),
    ("async-scheduling", Sets::Flag),
    ("disable-log-requests", Sets::Flag),
    ("disable-log-stats", Sets::Flag),
    ("enable-log-requests", Sets::Flag),
    ("enable-sleep-mode", Sets::Flag),
    ("language-model-only", Sets::Flag),
    ("headless", Sets::Flag),
    ("data-parallel-hybrid-lb", Sets::Flag),
    ("disable-cuda-graph", Sets::Flag),
    ("enable-metrics", Sets::Flag),
    ("enable-torch-compile", Sets::Flag),
];

/// The largest number that any option here has a use for.
const MOST: f64 = 1e9;

/// Reads the first command in a text that starts one of the engines: a line of a shell, with continuations, variables before it, or
/// `docker run … vllm/vllm-openai` around it. None where there is no such command.
///
/// ```
/// use ringside_core::serving::command::read;
/// let read = read("vllm serve Qwen/Qwen3-32B-FP8 -tp 2 --max-model-len 32K \\\n  --kv-cache-dtype=fp8").unwrap();
/// assert_eq!((read.serve.tp, read.serve.max_len), (Some(2), Some(32_768)));
/// assert_eq!(read.serve.kv.as_deref(), Some("fp8"));
/// ```
pub fn read(text: &str) -> Option<Read> {
    let text = text.get(..MAX_TEXT).unwrap_or(text);
    if text.len() > MAX_TEXT {
        return None;
    }
    // Lines that go on, then what people copy from a page: typographic dashes and spaces.
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let text = text.replace('\u{a0}', " ").replace(" \u{2014}", " --").replace(" \u{2013}", " --");
    let words = shlex::split(&text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect());
    let (server, start) = (0..words.len()).find_map(|at| Some((starts(&words, at)?, at)))?;
    let (server, skipped) = server;
    let mut reader = Reader::of(server);
    reader.words(words.get(start + skipped..).unwrap_or_default());
    Some(reader.finish())
}

/// A command within a sentence, as in "does `vllm serve org/model -tp 4` start on 4 A100?", or its options beside the engine's name: what it
/// says, and the words around it. None where there is none.
pub fn within(sentence: &str) -> Option<(Read, String)> {
    if sentence.len() > MAX_TEXT {
        return None;
    }
    let text = sentence.replace('\u{a0}', " ").replace(" \u{2014}", " --");
    let edge = |c: char| matches!(c, '`' | '"' | '\'' | ',' | ';' | ':' | '?' | '!' | '(' | ')' | '\\');
    let words = text.split_whitespace().map(|word| word.trim_matches(edge).trim_end_matches('.'));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let is_option = |word: &String| option(word).is_some_and(|(name, _)| sets(&name).is_some());
    let engine = || {
        let server = words.iter().find_map(|word| Server::find(&word.to_lowercase()))?;
        words.iter().any(is_option).then_some((server, 0, 0))
    };
    let start = (0..words.len()).find_map(|at| starts(&words, at).map(|(server, n)| (server, at, n)));
    let (server, at, skipped) = start.or_else(engine)?;
    let (mut command, mut around) = (Vec::new(), words.get(..at)?.to_vec());
    let mut rest = words.get(at + skipped..)?.iter().peekable();
    // A name of a model begins the command, if the engine was started by its command's name.
    let mut is_named = skipped == 0;
    while let Some(word) = rest.next() {
        let is_value = |next: &&String| !next.starts_with('-') && !OF_SENTENCES.contains(&next.to_lowercase().as_str());
        match option(word) {
            Some((name, inline)) => {
                command.push(word.clone());
                if inline.is_none() && sets(&name).is_none_or(Sets::takes_value) {
                    command.extend(rest.next_if(is_value).cloned());
                }
            }
            None if !is_named && (word.contains(['/', '$']) || presets::of_hub(word).is_some()) => {
                is_named = true;
                command.push(word.clone());
            }
            None => {
                is_named = true;
                around.push(word.clone());
            }
        }
    }
    let mut reader = Reader::of(server);
    reader.words(&command);
    let read = reader.finish();
    // “What does vllm serve …” is no command.
    (read.serve != Serve::default()).then(|| (read, around.join(" ")))
}

/// Words that follow an option in a sentence and are no value of it.
const OF_SENTENCES: [&str; 18] = [
    "on", "with", "for", "and", "or", "does", "do", "will", "is", "in", "at", "to", "the", "of", "can", "how", "start",
    "but",
];

/// The name of an option without its hyphens, and the value that is written into it.
fn option(word: &str) -> Option<(String, Option<String>)> {
    let option = word.strip_prefix('-').filter(|o| o.parse::<f64>().is_err())?;
    let (name, inline) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (option, None),
    };
    Some((name.trim_start_matches('-').replace('_', "-"), inline))
}

/// What an option of this name sets.
fn sets(name: &str) -> Option<Sets> {
    OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, sets)| *sets)
}

/// The engine that these words start, and how many of them do.
fn starts(words: &[String], at: usize) -> Option<(Server, usize)> {
    let word = |i: usize| words.get(at + i).map_or("", String::as_str);
    let name = word(0).rsplit('/').next().unwrap_or_default();
    match (name, word(1)) {
        ("vllm", "serve") => Some((Server::Vllm, 2)),
        ("sglang", "serve") => Some((Server::Sglang, 2)),
        ("trtllm-serve", "serve") => Some((Server::Trtllm, 2)),
        ("trtllm-serve", _) => Some((Server::Trtllm, 1)),
        ("vllm.entrypoints.openai.api_server" | "vllm.entrypoints.api_server", _) => Some((Server::Vllm, 1)),
        ("sglang.launch_server", _) => Some((Server::Sglang, 1)),
        // The image's entry point is `vllm serve`.
        _ if name.split(':').next() == Some("vllm-openai") => Some((Server::Vllm, 1)),
        _ => None,
    }
}

struct Reader {
    read: Read,
    ep: Option<u64>,
    attention_dp: Option<u64>,
    dp_attention: bool,
}

impl Reader {
    fn of(server: Server) -> Self {
        Self { read: Read { server, ..Read::default() }, ep: None, attention_dp: None, dp_attention: false }
    }

    fn words(&mut self, words: &[String]) {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            if matches!(word.as_str(), "&&" | "||" | ";" | "|" | "&" | ">" | "2>&1" | ">>") {
                return;
            }
            let Some((name, inline)) = option(word) else {
                if self.read.serve.model.is_empty() {
                    self.read.serve.model.clone_from(word);
                } else {
                    self.read.unread.push(word.clone());
                }
                continue;
            };
            let sets = sets(&name);
            let is_value = |next: &&String| !next.starts_with('-') || next.parse::<f64>().is_ok();
            let mut value = inline;
            if value.is_none() && sets.is_none_or(Sets::takes_value) {
                value = words.get(at).filter(is_value).cloned();
                at += usize::from(value.is_some());
            }
            let written = word.split('=').next().unwrap_or_default();
            match sets {
                Some(Sets::Flag) | None => {
                    self.read.unread.push(value.map_or_else(|| word.clone(), |v| format!("{written} {v}")));
                }
                Some(sets) => {
                    let value = value.unwrap_or_default();
                    // SGLang's word for no chunks.
                    let is_whole = name == "chunked-prefill-size" && value == "-1";
                    let sets = if is_whole { Sets::Chunked(false) } else { sets };
                    let is_left = value == "auto" || value == "-1" || value == "1" && sets.counts_groups();
                    let is_default = is_left && !is_whole;
                    let written = format!("{written} {value}").trim_end().to_owned();
                    let problems = self.read.problems.len();
                    self.set(sets, &written, value);
                    if !is_default && self.read.problems.len() == problems {
                        self.read.given.push((sets, written));
                    }
                }
            }
        }
    }

    /// Keeps an option, which `written` says as it stands.
    fn set(&mut self, sets: Sets, written: &str, value: String) {
        let serve = &mut self.read.serve;
        let whole = match sets {
            Sets::Model => {
                serve.model = value;
                return;
            }
            Sets::Quantization => {
                serve.quantization = Some(value);
                return;
            }
            Sets::Kv => {
                serve.kv = Some(value).filter(|kv| kv != "auto");
                return;
            }
            Sets::ExpertParallel => {
                serve.expert_parallel = true;
                return;
            }
            Sets::DpAttention => {
                self.dp_attention = true;
                return;
            }
            Sets::Prefix(on) => {
                serve.prefix = Some(on);
                return;
            }
            Sets::Chunked(on) => {
                serve.chunked = Some(on);
                return;
            }
            Sets::Memory => {
                serve.memory = value.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
                if serve.memory.is_none() {
                    let why = not_read(&value, "a share between 0 and 1 is needed, as 0.9");
                    self.read.problems.push(format!("{written}: {why}."));
                    self.read.unknown.push("memory");
                }
                return;
            }
            Sets::Tp => &mut serve.tp,
            Sets::Pp => &mut serve.pp,
            Sets::Dp => &mut serve.dp,
            Sets::AttentionDp => &mut self.attention_dp,
            Sets::Ep => &mut self.ep,
            Sets::MaxLen => &mut serve.max_len,
            Sets::MaxSeqs => &mut serve.max_seqs,
            Sets::MaxTokens => &mut serve.max_tokens,
            Sets::Block => &mut serve.block,
            Sets::Flag => return,
        };
        // "auto" and -1 leave it to the engine.
        if value == "auto" || value == "-1" {
            return;
        }
        *whole = whole_number(&value);
        if whole.is_none() {
            let why = not_read(&value, "a whole number is needed, as 8 or 32K");
            self.read.problems.push(format!("{written}: {why}."));
            self.read.unknown.extend(match sets {
                Sets::Tp => Some("tp"),
                Sets::Pp => Some("pp"),
                Sets::Dp => Some("dp"),
                _ => None,
            });
        }
    }

    /// SGLang's and TensorRT-LLM's tensor parallelism is over all GPUs, and attention's groups divide it.
    fn finish(mut self) -> Read {
        let serve = &mut self.read.serve;
        match self.read.server {
            Server::Vllm => {}
            Server::Sglang | Server::Trtllm => {
                if self.dp_attention && self.attention_dp.is_none() {
                    self.attention_dp = serve.dp.take();
                }
                serve.replicas = serve.dp.take();
                serve.dp = self.attention_dp;
                if let (Some(tp), Some(dp)) = (serve.tp, serve.dp) {
                    serve.tp = tp.checked_div(dp);
                    if tp % dp.max(1) != 0 {
                        self.read.problems.push(format!("{tp} GPUs are no multiple of {dp} attention groups."));
                    }
                }
            }
        }
        serve.expert_parallel |= self.ep.is_some_and(|ep| ep > 1);
        if serve.model.is_empty() {
            self.read.problems.push("No model is named. Type its repository after the command.".to_owned());
        }
        self.read
    }
}

/// A positive number as vLLM reads it: `32k` is 32,000 and `32K` is 32,768 (`human_readable_int`).
fn whole_number(text: &str) -> Option<u64> {
    let units = [("k", 1e3), ("m", 1e6), ("K", 1024.0), ("M", 1024.0 * 1024.0)];
    let unit = units.iter().find_map(|(unit, times)| Some((text.strip_suffix(unit)?, *times)));
    let (digits, times) = unit.unwrap_or((text, 1.0));
    let value = digits.parse::<f64>().ok()? * times;
    ((1.0..=MOST).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}

impl Serve {
    /// GPUs of all replicas.
    pub fn gpus(&self) -> u64 {
        [self.tp, self.pp, self.dp, self.replicas]
            .into_iter()
            .fold(1, |all: u64, n| all.saturating_mul(n.unwrap_or(1).max(1)))
    }

    /// The command for an engine, an option a line.
    ///
    /// # Errors
    /// What the engine cannot be told in a command: a sentence.
    pub fn write(&self, server: Server) -> Result<String, String> {
        if server != Server::Sglang && self.replicas.is_some_and(|n| n > 1) {
            return Err(format!(
                "One command of {} starts one replica. Start the command once per replica behind a router.",
                server.label()
            ));
        }
        Ok(match server {
            Server::Vllm => self.vllm(),
            Server::Sglang => self.sglang(),
            Server::Trtllm => self.trtllm(),
        })
    }

    fn vllm(&self) -> String {
        let mut line = Line::new(format!("vllm serve {}", quoted(&self.model)), '-');
        line.whole("tensor-parallel-size", self.tp.filter(|n| *n > 1));
        line.whole("pipeline-parallel-size", self.pp.filter(|n| *n > 1));
        line.whole("data-parallel-size", self.dp.filter(|n| *n > 1));
        line.flag("enable-expert-parallel", self.expert_parallel);
        line.whole("max-model-len", self.max_len);
        line.share("gpu-memory-utilization", self.memory);
        line.whole("max-num-seqs", self.max_seqs);
        line.whole("max-num-batched-tokens", self.max_tokens);
        line.whole("block-size", self.block);
        line.word("quantization", self.quantization.as_deref());
        line.word("kv-cache-dtype", self.kv.as_deref());
        line.flag("enable-prefix-caching", self.prefix == Some(true));
        line.flag("no-enable-prefix-caching", self.prefix == Some(false));
        line.flag("no-enable-chunked-prefill", self.chunked == Some(false));
        line.text
    }

    fn sglang(&self) -> String {
        let (tp, dp) = (self.tp.unwrap_or(1), self.dp.unwrap_or(1));
        let all = tp.saturating_mul(dp);
        let mut line = Line::new(format!("python -m sglang.launch_server --model-path {}", quoted(&self.model)), '-');
        line.whole("tp-size", Some(all).filter(|n| *n > 1));
        line.whole("pp-size", self.pp.filter(|n| *n > 1));
        line.whole("attn-dp-size", self.dp.filter(|n| *n > 1));
        line.whole("dp-size", self.replicas.filter(|n| *n > 1));
        line.whole("ep-size", Some(all).filter(|n| self.expert_parallel && *n > 1));
        line.whole("context-length", self.max_len);
        line.share("mem-fraction-static", self.memory);
        line.whole("max-running-requests", self.max_seqs);
        match self.chunked {
            Some(false) => line.word("chunked-prefill-size", Some("-1")),
            _ => line.whole("chunked-prefill-size", self.max_tokens),
        }
        line.whole("page-size", self.block);
        line.word("quantization", self.quantization.as_deref());
        // SGLang's fp8 caches name their format.
        line.word("kv-cache-dtype", self.kv.as_deref().map(|kv| if kv == "fp8" { "fp8_e4m3" } else { kv }));
        line.flag("disable-radix-cache", self.prefix == Some(false));
        line.text
    }

    /// What `trtllm-serve` has no option for is in a file that it is given.
    fn trtllm(&self) -> String {
        let dp = self.dp.unwrap_or(1);
        let all = self.tp.unwrap_or(1).saturating_mul(dp);
        let mut file = String::new();
        if dp > 1 {
            file += "enable_attention_dp: true\n";
        }
        if self.kv.is_some() || self.prefix.is_some() || self.block.is_some() {
            file += "kv_cache_config:\n";
            if let Some(kv) = &self.kv {
                let _ = writeln!(file, "  dtype: {kv}");
            }
            if let Some(reuse) = self.prefix {
                let _ = writeln!(file, "  enable_block_reuse: {reuse}");
            }
            if let Some(block) = self.block {
                let _ = writeln!(file, "  tokens_per_block: {block}");
            }
            if let Some(share) = self.memory {
                let _ = writeln!(file, "  free_gpu_memory_fraction: {}", rounded(share));
            }
        }
        let mut line = Line::new(format!("trtllm-serve {}", quoted(&self.model)), '_');
        line.whole("tp-size", Some(all).filter(|n| *n > 1));
        line.whole("pp-size", self.pp.filter(|n| *n > 1));
        line.whole("ep-size", Some(all).filter(|n| self.expert_parallel && *n > 1));
        line.whole("max-seq-len", self.max_len);
        line.share("free-gpu-memory-fraction", self.memory.filter(|_| !file.contains("free_gpu_memory_fraction")));
        line.whole("max-batch-size", self.max_seqs);
        line.whole("max-num-tokens", self.max_tokens);
        line.flag("enable-chunked-prefill", self.chunked == Some(true));
        if file.is_empty() {
            return line.text;
        }
        line.word("config", Some("serve.yaml"));
        format!("cat > serve.yaml <<'END'\n{file}END\n{}", line.text)
    }
}

/// A command in the making.
struct Line {
    text: String,
    /// What the engine writes between the words of an option.
    between: char,
}

impl Line {
    const fn new(text: String, between: char) -> Self {
        Self { text, between }
    }

    fn flag(&mut self, name: &str, on: bool) {
        if on {
            let name = name.replace('-', self.between.encode_utf8(&mut [0; 4]));
            let _ = write!(self.text, " \\\n  --{name}");
        }
    }

    fn word(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.flag(name, true);
            let _ = write!(self.text, " {}", quoted(value));
        }
    }

    fn whole(&mut self, name: &str, value: Option<u64>) {
        self.word(name, value.map(|n| n.to_string()).as_deref());
    }

    fn share(&mut self, name: &str, value: Option<f64>) {
        self.word(name, value.map(|share| rounded(share).to_string()).as_deref());
    }
}

fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}

/// A share to the third digit, rounded down, so that what was measured to fit still does.
fn rounded(share: f64) -> f64 {
    (share * 1000.0).floor() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Serve {
        Serve {
            model: "deepseek-ai/DeepSeek-V3".to_owned(),
            tp: Some(2),
            pp: Some(2),
            dp: Some(4),
            replicas: None,
            expert_parallel: true,
            max_len: Some(32_768),
            max_seqs: Some(256),
            max_tokens: Some(8192),
            block: Some(64),
            memory: Some(0.9),
            quantization: Some("fp8".to_owned()),
            kv: Some("fp8".to_owned()),
            prefix: Some(false),
            chunked: None,
        }
    }

    /// What is written is read back to the same, engine by engine, but for what `trtllm-serve` has in a file.
    #[test]
    fn a_command_is_read_as_it_was_written() {
        for serve in [all(), Serve { model: "a b".to_owned(), ..Serve::default() }] {
            for server in [Server::Vllm, Server::Sglang] {
                let text = serve.write(server).unwrap_or_default();
                let back = read(&text).unwrap_or_default();
                assert_eq!((back.server, back.problems.len(), back.unread.len()), (server, 0, 0), "{text}");
                let kv = back.serve.kv.as_deref().map(|kv| kv.replace("_e4m3", ""));
                assert_eq!(Serve { kv, ..back.serve }, serve, "{text}");
            }
        }
        let text = all().write(Server::Trtllm).unwrap_or_default();
        assert!(text.contains("enable_attention_dp: true") && text.contains("  dtype: fp8"), "{text}");
        let back = read(&text).unwrap_or_default();
        assert_eq!((back.server, back.serve.tp, back.serve.expert_parallel), (Server::Trtllm, Some(8), true));
        let two = Serve { replicas: Some(2), ..all() };
        assert_eq!([two.write(Server::Vllm).is_err(), two.write(Server::Trtllm).is_err()], [true, true]);
    }

    /// Lines from vLLM's and SGLang's documentation and issues.
    #[test]
    fn what_people_paste_is_read() {
        let docker = "docker run --gpus all -v ~/.cache/huggingface:/root/.cache/huggingface -p 8000:8000 --ipc=host \\\n \
                      vllm/vllm-openai:latest --model mistralai/Mistral-7B-v0.1 --max_model_len=8192 # eight thousand";
        let got = read(docker).unwrap_or_default();
        assert_eq!((got.serve.model.as_str(), got.serve.max_len), ("mistralai/Mistral-7B-v0.1", Some(8192)));
        let got = read("CUDA_VISIBLE_DEVICES=0,1 vllm serve x -tp=2 --trust-remote-code --port 8001 && echo up")
            .unwrap_or_default();
        assert_eq!(
            (got.serve.tp, got.unread),
            (Some(2), vec!["--trust-remote-code".to_owned(), "--port 8001".to_owned()])
        );
        let got =
            read("python3 -m sglang.launch_server --model m --tp 8 --dp 8 --enable-dp-attention").unwrap_or_default();
        assert_eq!((got.serve.tp, got.serve.dp, got.serve.replicas, got.serve.gpus()), (Some(1), Some(8), None, 8));
        let got = read("python -m sglang.launch_server --model-path m --dp-size 2 --tp-size 4").unwrap_or_default();
        assert_eq!((got.serve.tp, got.serve.dp, got.serve.replicas, got.serve.gpus()), (Some(4), None, Some(2), 8));
        let got = read("vllm serve m --max-model-len auto --kv-cache-dtype auto").unwrap_or_default();
        assert_eq!((got.serve, got.problems), (Serve { model: "m".to_owned(), ..Serve::default() }, Vec::new()));
    }

    #[test]
    fn what_is_wrong_is_said_and_the_rest_is_kept() {
        let got = read("vllm serve m -tp $TP --gpu-memory-utilization 90 --max-num-seqs 64").unwrap_or_default();
        assert_eq!((got.serve.max_seqs, got.unknown), (Some(64), vec!["tp", "memory"]));
        assert_eq!(
            got.problems,
            [
                "-tp $TP: the variable’s value isn't known: the text doesn't set it, sets it to different values, or takes it from what a command prints.",
                "--gpu-memory-utilization 90: a share between 0 and 1 is needed, as 0.9."
            ]
        );
        for none in ["", "vllm bench serve", "torchrun train.py", "'vllm"] {
            assert_eq!(read(none), None, "{none}");
        }
        assert!(read("vllm serve 'm --max-num-seqs 4").is_some_and(|r| r.serve.max_seqs == Some(4)));
    }

    #[test]
    fn numbers_are_read_as_vllm_reads_them() {
        let read = ["32k", "32K", "1m", "0", "-3", "1.5k", "nan", "1e99", "8.5"].map(whole_number);
        assert_eq!(read, [Some(32_000), Some(32_768), Some(1_000_000), None, None, Some(1500), None, None, None]);
    }
}
