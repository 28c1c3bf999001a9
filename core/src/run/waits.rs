//! What a serving engine's requests wait for, as its log shows it.

use super::file::Run;
use super::measure::Metric;
use crate::quantity::{Unit, counted, grouped};

/// What an engine reports of itself that no model here predicts.
pub(super) const SHOWN: [Metric; 9] = [
    Metric::KvUsage,
    Metric::GenerationRate,
    Metric::PromptRate,
    Metric::Running,
    Metric::Waiting,
    Metric::Preempted,
    Metric::PrefixHits,
    Metric::FirstToken,
    Metric::PerToken,
];
/// The part of the cache from which on a new request may find no room.
const FULL: f64 = 0.9;
/// The part of the prompts' tokens below which the prefix cache does next to nothing.
const FEW: f64 = 0.01;

/// What an engine's own numbers say: what requests wait for, and that some were preempted. `tokens` is what the cache has room for.
pub(super) fn sentences(run: &Run, tokens: Option<f64>) -> impl Iterator<Item = String> {
    waiting(run, tokens).into_iter().chain(preempted(run, tokens))
}

/// That the cache is too small for the requests that run at the same time, if the engine took some out of its batch.
fn preempted(run: &Run, tokens: Option<f64>) -> Option<String> {
    let n = run.measured(Metric::Preempted).map(f64::round).filter(|n| *n >= 1.0)? as u64;
    let running = run.measured(Metric::Running).map(f64::round).filter(|n| *n >= 1.0);
    let among = running.zip(run.measured(Metric::KvUsage)).map(|(running, usage)| {
        let room = tokens.map(|tokens| format!(" with room for {} tokens", grouped(tokens as u64)));
        format!(
            " It works on {} with {} of the cache{} in use.",
            counted(running as u64, "request", "requests"),
            Unit::Fraction.format(usage),
            room.unwrap_or_default()
        )
    });
    let below = running.map(|running| format!(" below {}", grouped(running as u64)));
    Some(format!(
        "The engine has preempted {} because the KV cache was full: it admits requests by their prompts, and then they grow.{} A preempted request \
         is computed again from its first token. Let fewer run at the same time (`--max-num-seqs`{}), or make room: raise \
         `--gpu-memory-utilization` if the GPU has any left, store the cache in FP8 (`--kv-cache-dtype fp8`), or split the model over more GPUs \
         (`--tensor-parallel-size`).",
        counted(n, "request", "requests"),
        among.unwrap_or_default(),
        below.unwrap_or_default(),
    ))
}

/// What requests wait for, if any wait: the engine's own limit, room in the cache, or neither.
fn waiting(run: &Run, tokens: Option<f64>) -> Option<String> {
    let waiting = run.measured(Metric::Waiting).map(f64::round).filter(|n| *n >= 1.0)?;
    let usage = run.measured(Metric::KvUsage)?;
    let running = run.measured(Metric::Running).map(f64::round).filter(|n| *n >= 1.0);
    let wait = format!("{} for the first token", counted(waiting as u64, "request waits", "requests wait"));
    let used = Unit::Fraction.format(usage);
    let limit = run.serving.requests.zip(running).filter(|(limit, running)| *running >= *limit as f64);
    let mut text = match limit {
        Some((limit, _)) => format!(
            "{wait}: the engine works on {}, its limit, and {used} of the cache is in use.{}",
            counted(limit, "request", "requests"),
            if usage < FULL { " The cache has room for more: raise the limit (`--max-num-seqs`)." } else { "" }
        ),
        None if usage >= FULL => {
            let each = tokens.zip(running).map(|(tokens, running)| {
                format!(
                    " ({} have about {} tokens each)",
                    counted(running as u64, "request", "requests"),
                    grouped((tokens * usage / running) as u64)
                )
            });
            format!(
                "{wait} while {used} of the cache is in use{}, most likely for room in it. A cache or weights in FP8 make room, and so does another replica.",
                each.unwrap_or_default()
            )
        }
        None => format!(
            "{wait} although only {used} of the cache is in use: look at the limits on requests (`--max-num-seqs`) and on tokens per step (`--max-num-batched-tokens`)."
        ),
    };
    if run.measured(Metric::PrefixHits).is_some_and(|hits| hits < FEW) {
        text += " Next to no prompt tokens were found in the cache: prefix caching is off, or prompts have no common beginning. Prompts with one would keep it in the cache once.";
    }
    Some(text)
}
