//! A question about parallelism, or about the MFU to expect: the fastest layout with every axis free that the question doesn't fix.

use super::read::Reading;
use crate::declare::Model as _;
use crate::planner::{Params, Progress, Search, words};
use crate::quantity::{Unit, bytes_decimal, grouped};
use crate::query::Query;

/// Layouts that an answer works out while somebody types. A larger search goes on in the figure.
pub(super) const MOST: usize = 60_000;

const LAYOUT: [&str; 7] = ["tp", "pp", "parallelism", "layout", "megatron", "3d", "parallel"];

/// Whether it is such a question: a layout is one of several GPUs, an MFU or a step time any.
pub(super) fn is_asked(r: &Reading) -> bool {
    let Some([node, nodes]) = r.cluster() else { return false };
    let is_layout = r.has(&LAYOUT) && node * nodes > 1;
    is_layout || asks_mfu(r) || (r.says(&["step", "time"]) && r.step.is_none())
}

/// Whether it asks for the MFU, rather than says it.
fn asks_mfu(r: &Reading) -> bool {
    r.has(&["mfu"]) && r.mfu.is_none()
}

/// Every axis free, but those that the question fixes.
pub(super) fn sets(r: &Reading) -> Vec<(&'static str, String)> {
    let free = |ranks: Option<u64>| Some(ranks.unwrap_or(0));
    let mut sets = super::some([
        ("seq", r.seq),
        ("tp", free(r.tp)),
        ("cp", free(None)),
        ("ep", free(None)),
        ("pp", free(r.pp)),
        ("mbs", free(r.micro)),
        ("batch", r.batch),
    ]);
    sets.push(("zero", "any".to_owned()));
    sets
}

/// The fastest layout that a bounded search finds, what it compares with, and what is assumed.
pub(super) fn says(query: &Query, r: &Reading) -> String {
    let (params, _) = Params::read(query);
    let mut search = match params.search() {
        Ok(search) => search,
        Err(why) => return why,
    };
    let progress = search.step(MOST);
    let Some(best) = search.best() else { return words::why_none(&search) };
    let (job, choice) = (search.job(), words::layout(&best.choice));
    let (step, mfu) = (Unit::Seconds.format(best.step), Unit::Fraction.format(job.mfu(best.step)));
    let leads = if asks_mfu(r) {
        format!("Up to {mfu}, by the model’s estimate. The fastest layout found is {choice}: {step} per step")
    } else {
        format!("The fastest layout found is {choice}: {step} per step at an MFU of {mfu}")
    };
    let tight = if best.verdict == crate::memory::verdict::Verdict::Tight { ", which is tight" } else { "" };
    let compared: String = compared(&search, r).into_iter().map(|sentence| format!(" {sentence}")).collect();
    format!(
        "{leads}, with {} of tensors on the fullest GPU{tight}.{compared}{}{}",
        bytes_decimal(best.memory),
        assumed(&params, r),
        unfinished(progress)
    )
}

/// The best layouts with and without what the question names.
fn compared(search: &Search, r: &Reading) -> Vec<String> {
    /// The axis, the words that name it, what it is called, and whether a value of it is one.
    type Named = (&'static str, &'static [&'static str], &'static str, fn(u64) -> bool);
    const NAMED: [Named; 4] = [
        ("tp", &["tensor", "tp"], "tensor parallelism", |n| n > 1),
        ("pp", &["pipeline", "pp"], "pipeline parallelism", |n| n > 1),
        ("cp", &["cp", "ring"], "context parallelism", |n| n > 1),
        ("zero", &["fsdp", "zero3"], "ZeRO\u{2011}3/FSDP", |n| n == 3),
    ];
    let named = NAMED.iter().filter(|(_, words, ..)| r.has(words));
    named.filter_map(|(axis, _, name, is_one)| words::other(search, axis, name, *is_one)).collect()
}

/// What the question doesn't say and the layout depends on.
fn assumed(p: &Params, r: &Reading) -> String {
    let gpu = r.gpu.is_none().then(|| {
        format!(
            "{} GPUs with {} inside a node and {} between nodes",
            p.cluster.gpu.name, p.cluster.link.name, p.cluster.net.name
        )
    });
    let seq = r.seq.is_none().then(|| format!("sequences of {} tokens", grouped(p.seq)));
    let batch = r.batch.is_none().then(|| format!("{} sequences per step", grouped(p.batch)));
    let parts: Vec<String> = [gpu, seq, batch].into_iter().flatten().collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" Assumed: {}.", crate::quantity::listed(&parts))
}

fn unfinished(progress: Progress) -> String {
    if progress.finished() {
        return String::new();
    }
    format!(
        " That is the best of the first {} layouts: the figure goes through all of them.",
        grouped(progress.layouts as u64)
    )
}
