//! A measured speed in a question: "MFU 18% on 32 A100s". What published runs reach, and the page that says where the time goes.

use std::fmt::Write as _;

use super::read::{Reading, What};
use super::{Answered, RUN};
use crate::planner::published;
use crate::quantity::{Unit, count, grouped};
use crate::query::{Query, plain};
use crate::run::{self, Card, Metric};

/// What it is called.
pub(super) const TITLE: &str = "Compare your run";

/// The page with what the question says of a run; none where it has no speed, or one that only a GPU makes sense of and no GPU.
pub(super) fn of(reading: &Reading) -> Option<Answered> {
    let is_of_model = reading.preset.is_some() || reading.params.is_some();
    let each = || super::flop_per_token(reading).filter(|_| is_of_model);
    answered(reading, "your question", |mfu| published::standing(mfu, reading.gpu, each()))
}

/// The same of what was read from `source`, with what is said of its MFU.
fn answered(reading: &Reading, source: &str, standing: impl Fn(f64) -> String) -> Option<Answered> {
    // Of two utilizations each is of another run.
    let percents = reading.words.iter().filter(|word| word.ends_with('%')).count();
    if percents > 1 && reading.has(&["mfu"]) && reading.has(&["tp", "pp", "fsdp", "than", "vs", "versus"]) {
        return None;
    }
    // Whether a busy GPU is a used one is another question.
    let compares = reading.has(&["utilization", "util", "smi"]);
    let is_low = reading.has(&["mfu"])
        && reading.has(&["low", "bad", "poor", "improve", "increase", "raise", "drop", "dropped"]);
    let counted = mfu_of(reading);
    let mfu = counted.as_ref().map(|(mfu, _)| *mfu).or(reading.mfu);
    let says = match (mfu, reading.step, reading.gpu) {
        (Some(mfu), ..) if let Some((_, how)) = &counted => {
            format!("{how} {} {NEXT}", standing(mfu))
        }
        (Some(mfu), _, gpu) if gpu.is_some() || !compares => {
            format!("{} {}{NEXT}", standing(mfu), if gpu.is_none() { PEAK } else { "" })
        }
        (None, Some(_), Some(_)) => {
            format!("Whether that is slow depends on the model, the batch and the layout. {NEXT}")
        }
        (None, None, _) if is_low && !compares => {
            format!("{} Say how much it is, and on which GPU. {NEXT}", published::CAUSES)
        }
        _ => return None,
    };
    let query = Query::new([("r", file(reading, mfu, source))].into_iter().filter(|(_, file)| !file.is_empty()));
    let is_counted = counted.is_some();
    let takes = |what: What| match what {
        What::Model | What::Gpu | What::Cluster | What::Step => true,
        // What others say of it is no part of what is counted.
        What::Mfu => !is_counted,
        What::Speed | What::Flops => is_counted,
        What::Batch | What::Length => is_counted && reading.speed.is_none() && reading.flops.is_none(),
        What::Tokens | What::Days => is_counted && is_timed(reading),
        _ => false,
    };
    let [mut read, unused] = reading.parted(takes);
    if read.is_empty() {
        read.push("a low MFU".to_owned());
    }
    Some(Answered { figure: RUN, title: TITLE, query, read, unused, says })
}

/// Whether its MFU follows from the tokens of a run and the time that it took.
pub(super) fn is_timed(r: &Reading) -> bool {
    r.has(&["mfu"]) && r.mfu.is_none() && r.tokens.is_some() && r.days.is_some() && r.cluster().is_some()
}

/// The MFU that a speed comes to, and how it is counted: FLOPs per second of a GPU, tokens per second, or the tokens of a step in its time. None
/// where the question says no such speed of a training run, or lacks the GPU, or the model that makes FLOPs of tokens.
fn mfu_of(r: &Reading) -> Option<(f64, String)> {
    // FLOPs per second of a model that isn't served are of its training.
    let is_flops = r.flops.is_some() && (r.params.is_some() || r.preset.is_some()) && !r.has(&super::SERVE);
    let gpu = r.gpu.filter(|_| r.has(&["mfu"]) || r.trains() || is_flops)?;
    let percent = |mfu: f64| Unit::Fraction.format(mfu);
    let peak = format!("{} of dense {}", Unit::FlopPerSecond.format(gpu.peak), gpu.peak_dtype);
    let found = match (r.flops, r.speed, r.step) {
        (Some(flops), ..) => (flops / gpu.peak, format!("{} of {peak}", Unit::FlopPerSecond.format(flops))),
        (None, speed, step) => {
            let gpus = r.all_gpus();
            let (rate, of) = match (speed, step) {
                (Some((tokens, true)), _) => (tokens, String::new()),
                (Some((tokens, false)), _) => (tokens / gpus.unwrap_or(1) as f64, over(gpus)),
                (None, Some(step)) => {
                    let tokens = r.batch_tokens.or_else(|| Some(r.batch? as f64 * r.seq? as f64))?;
                    (tokens / step / gpus? as f64, over(gpus))
                }
                (None, None) if is_timed(r) => (r.tokens? / (r.days? * 86_400.0) / gpus? as f64, over(gpus)),
                (None, None) => return None,
            };
            let each = super::flop_per_token(r)?;
            let how = format!(
                "{} tokens per second per GPU{of}, at {} per token, are {} of {peak}",
                count(rate),
                Unit::Flop.format(each),
                Unit::FlopPerSecond.format(rate * each)
            );
            (rate * each / gpu.peak, how)
        }
    };
    let (mfu, how) = found;
    // More than the peak is no utilization.
    (mfu > 0.0 && mfu <= 1.0).then(|| (mfu, format!("MFU {}: {how}.", percent(mfu))))
}

/// How a speed of all GPUs became one GPU's.
fn over(gpus: Option<u64>) -> String {
    match gpus {
        Some(1) => String::new(),
        Some(gpus) => format!(" (over {} GPUs)", grouped(gpus)),
        None => " (taken for one GPU’s)".to_owned(),
    }
}

/// Lines of a log that are looked at for a GPU's name.
const GPU_LINES: usize = 50;

/// The same of what a job printed: its MFU and step time, and the GPU that its lines name. What `/run` reads of it is said as there, so that of an
/// MFU which it shows and doesn't compare nothing is said; of lines that it doesn't know the last one counts. None where no MFU is printed.
pub fn of_log(log: &str) -> Option<Answered> {
    let has = |line: &&str, word: &str| line.to_lowercase().contains(word);
    let mut reading = log
        .lines()
        .rev()
        .filter(|line| has(line, "mfu"))
        .map(Reading::of)
        .find(|r| r.mfu.is_some_and(|mfu| mfu < 1.0))?;
    if reading.step.is_none() {
        // "Saved at step 500 in 12 s" is no time of a step.
        const TIMES: [&str; 7] =
            ["step time", "step_time", "s/step", "s/it", "per step", "per iteration", "iteration time"];
        let is_time = |line: &&str| TIMES.iter().any(|word| has(line, word));
        let timed = log.lines().rev().filter(is_time).take(GPU_LINES).map(Reading::of);
        reading.take_step(timed.into_iter().find(|r| r.step.is_some()));
    }
    if reading.gpu.is_none() {
        let named = log.lines().filter(|line| has(line, "gpu") || has(line, "nvidia")).take(GPU_LINES);
        reading.take_gpu(named.map(Reading::of).find(|r| r.gpu.is_some()));
    }
    // Losses, steps and rates of a line are no part of what is asked.
    reading.unread.clear();
    let Card { mut run, found, .. } = run::read("your log", log);
    if found.iter().any(|found| found.what.starts_with(Metric::Mfu.label())) {
        reading.mfu = Some(run.measured(Metric::Mfu)?);
    }
    run.cluster.gpu = run.cluster.gpu.or(reading.gpu.map(|gpu| gpu.id.to_owned()));
    answered(&reading, "your log", |mfu| run::standing(&run, mfu))
}

/// What an MFU that a program prints rests on, where the table doesn't have its GPU.
const PEAK: &str = "Check which peak it is divided by: nanoGPT takes an A100’s 312 TFLOP/s on every GPU, unless you change flops_promised. ";

const NEXT: &str =
    "Add your configuration and ten lines of output, and the page divides the gap to the prediction among its causes.";

/// What a question or a log says, as a run file; empty where it says nothing of a run.
fn file(reading: &Reading, mfu: Option<f64>, source: &str) -> String {
    let mut text = String::new();
    match (reading.preset, reading.params) {
        (Some(preset), _) => _ = write!(text, "[model]\nname = \"{}\"\n\n", preset.id),
        (None, Some(params)) => _ = write!(text, "[model]\nparameters = {}\n\n", plain(params)),
        (None, None) => {}
    }
    if reading.gpu.is_some() || reading.cluster().is_some() {
        text += "[cluster]\n";
    }
    if let Some(gpu) = reading.gpu {
        _ = writeln!(text, "gpu = \"{}\"", gpu.id);
    }
    if let Some([node, nodes]) = reading.cluster() {
        _ = write!(text, "node = {node}\nnodes = {nodes}\n");
    }
    for (name, value) in [("mfu", mfu), ("step-time", reading.step)] {
        if let Some(value) = value {
            _ = write!(text, "\n[measured.{name}]\nvalue = {}\nfrom = \"{source}\"\n", plain(value));
        }
    }
    text
}
