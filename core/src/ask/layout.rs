//! A question about parallelism, or about the MFU to expect: the fastest layout with every axis free that the question doesn't fix.

use super::read::Reading;
use crate::declare::Model as _;
use crate::planner::published::Reached;
use crate::planner::{Params, Progress, Search, words};
use crate::quantity::{Unit, count, counted, grouped};
use crate::query::Query;
use crate::training_run::{self, share};

/// Layouts that an answer works out while somebody types. A larger search goes on in the figure.
pub(super) const MOST: usize = 60_000;

const LAYOUT: [&str; 7] = ["tp", "pp", "parallelism", "layout", "megatron", "3d", "parallel"];

/// Whether it is such a question: a layout is one of several GPUs, an MFU or a step time any.
pub(super) fn is_asked(r: &Reading) -> bool {
    let Some([node, nodes]) = r.cluster() else { return false };
    let is_said = r.pp.is_some() || (r.tp.is_some() && (r.trains() || r.has(&super::TRAINING)));
    let is_config =
        r.has(&["config", "configuration", "setup"]) && r.has(&["optimal", "best", "fastest", "recommended"]);
    // The planner lays out training alone.
    if super::serves(r) && !r.trains() && !r.has(&super::TRAINING) && !asks_mfu(r) {
        return false;
    }
    let is_layout = (r.has(&LAYOUT) || is_said || (is_config && !r.has(&super::SERVE))) && node * nodes > 1;
    is_layout || asks_mfu(r) || (r.says(&["step", "time"]) && r.step.is_none())
}

/// Whether it asks for the MFU, rather than says it.
fn asks_mfu(r: &Reading) -> bool {
    r.has(&["mfu"]) && r.mfu.is_none()
}

/// Every axis free, but those that the question fixes.
pub(super) fn sets(r: &Reading) -> Vec<(&'static str, String)> {
    let free = |ranks: Option<u64>| Some(ranks.unwrap_or(0));
    let standard = Params::standard();
    // Learned positions end where the model's context does.
    let rows = r.preset.map_or(0, |preset| preset.shape.position_rows);
    let own = r.seq.or((1..standard.seq).contains(&rows).then_some(rows));
    let seq = own.unwrap_or(standard.seq).max(1);
    // A batch whose sequences nobody counted comes out even on every number of ranks.
    let gpus = r.all_gpus().unwrap_or(1).max(1);
    let even = |sequences: f64| match (sequences / gpus as f64).round() as u64 {
        0 => (sequences.max(1.0) as u64).next_power_of_two(),
        each => each.saturating_mul(gpus),
    };
    let counted = r.batch_tokens.map(|tokens| even(tokens / seq as f64));
    let usual = if r.tunes() { super::TUNED_BATCH } else { standard.batch };
    let usual = Some(even(usual as f64)).filter(|batch| *batch != standard.batch);
    let mut sets = super::some([
        ("seq", own),
        ("tp", free(r.tp)),
        ("cp", free(None)),
        ("ep", free(None)),
        ("pp", free(r.pp)),
        ("mbs", free(r.micro)),
        ("batch", r.batch.or(counted).or(usual)),
    ]);
    sets.push(("zero", "any".to_owned()));
    sets
}

/// The fastest layout that a bounded search finds, what it compares with, and what is assumed.
pub(super) fn says(_: &Query, r: &Reading) -> String {
    let Begun { params, search, progress, .. } = match begun(r) {
        Ok(begun) => begun,
        Err(why) => return why.clone(),
    };
    let Some(best) = search.best() else { return words::why_none(search) };
    let (job, choice) = (search.job(), words::layout(&best.choice));
    let (step, mfu) = (Unit::Seconds.format(best.step), Unit::Fraction.format(job.mfu(best.step)));
    let leads = if asks_mfu(r) {
        format!("Up to {mfu}, by the model’s estimate. The fastest layout found is {choice}: {step} per step")
    } else {
        format!("The fastest layout found is {choice}: {step} per step at an MFU of {mfu}")
    };
    let tight = if best.verdict == crate::memory::verdict::Verdict::Tight { ", which is tight" } else { "" };
    let compared: String = compared(search, r).into_iter().map(|sentence| format!(" {sentence}")).collect();
    format!(
        "{leads}, with {}{tight}.{}{}{compared}{}{}",
        words::held(best.memory),
        beside(params, job.mfu(best.step)),
        takes(r).unwrap_or_default(),
        assumed(params, r),
        unfinished(*progress)
    )
}

/// What was published beside an estimate that more than half of it stays below.
fn beside(p: &Params, mfu: f64) -> String {
    let own = Reached::on(p.cluster.gpu);
    let on = if own.is_some() { "this GPU" } else { "other GPUs" };
    match own.or_else(Reached::anywhere).filter(|reached| reached.middle < mfu) {
        Some(reached) => {
            format!(" That is an upper bound, without failures, slow nodes or a power limit: {}.", reached.in_words(on))
        }
        None => String::new(),
    }
}

/// A search for a question's layout, as far as an answer waits for it.
#[derive(Debug, Clone)]
pub(super) struct Begun {
    params: Params,
    search: Search,
    progress: Progress,
    /// Published runs on its GPU.
    published: Option<Reached>,
}

/// That search; an error, a sentence, where the planner can't take the job.
fn begun(r: &Reading) -> Result<&Begun, &String> {
    let begin = || {
        let rule = super::rule_of(Params::ID);
        let shown = rule.and_then(|rule| super::state(rule, r)).ok_or_else(String::new)?;
        if !shown.says.is_empty() {
            return Err(shown.says);
        }
        let (params, _) = Params::read(&shown.query);
        let mut search = params.search()?;
        let progress = search.step(MOST);
        Ok(Begun { published: Reached::on(params.cluster.gpu), params, search, progress })
    };
    r.begun.get_or_init(begin).as_ref()
}

/// Whether a run's MFU follows from its layout: not where the question says it, lacks the GPU or their number, or is of more than full
/// training: an adapter, or reinforcement learning.
pub(super) fn has_run(r: &Reading) -> bool {
    r.mfu.is_none() && r.gpu.is_some() && r.cluster().is_some() && !r.wants(&super::ADAPTER) && !r.has(&super::RL)
}

/// The MFU that a question's run is counted at, and the fastest layout of its job.
pub(super) struct LaidOut {
    /// What it sets of the run.
    pub sets: [(&'static str, String); 4],
    /// Model, layout and load, in words.
    job: String,
    /// The MFU of the layout, as the planner estimates it.
    own: f64,
    /// Published runs on this GPU, where half of them stay below that.
    reached: Option<Reached>,
}

/// The run of the job that a question asks the time of: at the MFU of its fastest layout, or at what half of the published runs on its GPU reach,
/// where that is less. None where the MFU doesn't follow from a layout, or none fits.
pub(super) fn run(r: &Reading) -> Option<LaidOut> {
    let Begun { params, search, published, .. } = begun(r).ok().filter(|_| has_run(r))?;
    let (best, job) = (search.best()?, search.job());
    let own = job.mfu(best.step);
    let reached = published.filter(|reached| reached.middle < own);
    let mut sets = params.in_a_run(job, best);
    if let Some(reached) = reached {
        sets = sets.map(|(name, value)| (name, if name == "mfu" { share(reached.middle) } else { value }));
    }
    let job = format!(
        "{} laid out as {}, with {} of {} tokens per step",
        params.model.name(),
        words::layout(&best.choice),
        counted(params.batch, "sequence", "sequences"),
        grouped(params.seq)
    );
    Some(LaidOut { sets, job, own, reached })
}

impl LaidOut {
    /// The MFU that the run is counted at.
    pub(super) fn mfu(&self) -> Option<f64> {
        let (_, value) = self.sets.iter().find(|(name, _)| *name == "mfu")?;
        crate::query::parse_number(value)
    }

    /// Whose MFU it is that the run is counted at; `is_timed` where its time is given, so that another MFU means other tokens.
    pub(super) fn says(&self, run: &training_run::Run, is_timed: bool) -> String {
        let (job, own) = (&self.job, self.own);
        match self.reached {
            Some(reached) => format!(
                " That MFU is assumed: {} reach it or pass it. The fastest layout that the parallel planner finds would {} if nothing fails or slows down.",
                reached.half(),
                if is_timed {
                    format!("see {} tokens", count(run.tokens * own / reached.middle))
                } else {
                    format!("take {}", Unit::Seconds.format(run.seconds() * reached.middle / own))
                },
            ),
            None => format!(
                " That MFU is the parallel planner’s estimate for {job}, the fastest layout that fits, without failures, slow nodes or a power limit."
            ),
        }
    }
}

/// How long the question's tokens take, in a sentence: the time that the figure of the whole run says.
fn takes(r: &Reading) -> Option<String> {
    r.tokens.filter(|_| has_run(r))?;
    let rule = super::rule_of(training_run::Params::ID)?;
    let at = run(r)?.reached.map_or_else(String::new, |reached| {
        format!(
            " at the {} that half of {} on this GPU reach or pass",
            Unit::Fraction.format(reached.middle),
            reached.counted()
        )
    });
    Some(super::of(&super::state(rule, r)?.query, |_: &training_run::Params, run| {
        format!(" {} tokens take {}{at}.", count(run.tokens), Unit::Seconds.format(run.seconds()))
    }))
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
    let batch =
        (r.batch.is_none() && r.batch_tokens.is_none()).then(|| format!("{} sequences per step", grouped(p.batch)));
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
