//! Predicted next to measured.

use super::bus;
use super::file::Run;
use super::given::{self, Missing, Setting, Takes};
use super::ledger::{self, Ledger, Link, Next};
use super::load::Load;
use super::measure::Metric;
use super::plan::{Assumed, GUESSED, Plan};
use super::{usual, waits};
use crate::declare::Model as _;
use crate::kv_cache::figure::USED;
use crate::memory::{Dtype, Mode, breakdown};
use crate::planner::published::{self, NEAR};
use crate::quantity::{Unit, bytes_decimal, capital, counted, grouped, listed, number};
use crate::serving::command::Server;
use crate::serving::step::Quant;

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// `step-time`.
    pub id: &'static str,
    /// What a person reads.
    pub label: String,
    /// Of both numbers.
    pub unit: Unit,
    /// What the models say, and the range over what isn't known; none where they say nothing.
    pub predicted: Option<[f64; 3]>,
    /// What was measured.
    pub measured: Option<f64>,
    /// Where it stands.
    pub from: String,
    /// The figure that predicts it.
    pub link: Option<Link>,
}

impl Row {
    /// Measured over predicted, less 1.
    pub fn gap(&self) -> Option<f64> {
        let [_, at, _] = self.predicted.filter(|p| p[1] > 0.0)?;
        Some(self.measured? / at - 1.0)
    }

    /// Whether the measurement lies in the predicted range, whose ends are no sharper than what is said of a gap.
    pub fn is_within(&self) -> bool {
        self.predicted.zip(self.measured).is_some_and(|([low, _, high], measured)| {
            (low * (1.0 - SMALLEST)..=high * (1.0 + SMALLEST)).contains(&measured)
        })
    }

    /// The prediction for a person: `2.55 s`, `31 GB to 35 GB`.
    pub fn predicted_text(&self) -> String {
        match self.predicted {
            None => "–".to_owned(),
            Some([low, _, high]) => Self::span(self.unit, low, high),
        }
    }

    /// A range for a person, one number where its ends hardly differ.
    fn span(unit: Unit, low: f64, high: f64) -> String {
        if high - low <= 1e-3 * high.abs() {
            unit.format(high)
        } else {
            format!("{} to {}", unit.format(low), unit.format(high))
        }
    }

    /// The measurement for a person.
    pub fn measured_text(&self) -> String {
        self.measured.map_or_else(|| "not measured".to_owned(), |value| self.unit.format(value))
    }

    /// The gap for a person: `+12%`.
    pub fn gap_text(&self) -> String {
        match self.gap() {
            None => "–".to_owned(),
            Some(_) if self.is_within() && self.predicted.is_some_and(|[low, _, high]| high > low) => {
                "within the range".to_owned()
            }
            Some(gap) => {
                let over = |end: f64| self.measured.filter(|_| end > 0.0).map_or(gap, |measured| measured / end - 1.0);
                let ends = self.predicted.map_or([gap; 2], |[low, _, high]| [over(high), over(low)]);
                let [near, far] = if gap > 0.0 { ends } else { [ends[1], ends[0]] }.map(percent);
                if near == far { near } else { format!("{near} to {far}") }
            }
        }
    }
}

/// The smallest gap that is one: half a percent.
const SMALLEST: f64 = 0.005;

/// A gap in whole percents with its sign.
fn percent(gap: f64) -> String {
    match gap {
        _ if gap.abs() < SMALLEST => "none".to_owned(),
        _ => format!("{}{}%", if gap > 0.0 { "+" } else { "−" }, number((gap.abs() * 100.0).round())),
    }
}

/// A setting that nobody gave and that decides most of what is predicted, with what each of its values makes of the prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The setting.
    pub setting: Setting,
    /// The question: a sentence.
    pub sentence: String,
    /// Its values.
    pub answers: Vec<Answer>,
}

/// A value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its id, for [`Setting::put`].
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// The step time and the memory per GPU with it, each a line of a table without a measurement.
    pub rows: [Row; 2],
    /// Whether the least that is predicted exceeds the GPU's memory.
    pub is_too_large: bool,
}

/// A run, predicted and measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The table.
    pub rows: Vec<Row>,
    /// Sums.
    pub ledgers: Vec<Ledger>,
    /// What was assumed.
    pub assumed: Vec<Assumed>,
    /// What is asked first, if one setting decides most.
    pub question: Option<Question>,
    /// What is missing for a prediction, or why the layout is impossible.
    pub missing: Vec<Missing>,
    /// What it comes to: a sentence or two.
    pub verdict: String,
    /// What to measure next, the cheapest first.
    pub next: Vec<Next>,
    /// Why the measurements can't be those of one run, if they can't: a sentence. Nothing that follows from them is decided then.
    pub contradiction: Option<String>,
}

impl Report {
    /// The line with this id.
    pub fn row(&self, id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// With what of the run wasn't read, and what makes it fail. The first beside a prediction only: where nothing is compared, nothing
    /// can change.
    fn with_notes(mut self, run: &Run) -> Self {
        let is_predicted = self.rows.iter().any(|row| row.predicted.is_some());
        if let Some(caveat) = run.caveat().filter(|_| is_predicted) {
            self.verdict += &format!(" {caveat}");
        }
        if let Some(failure) = run.failure(is_predicted) {
            self.verdict = format!("{failure} {}", self.verdict);
        }
        self
    }

    /// The sum with this id.
    pub fn ledger(&self, id: &str) -> Option<&Ledger> {
        self.ledgers.iter().find(|ledger| ledger.id == id)
    }
}

/// Seconds of a step, measured or following from a rate, and where they stand.
fn measured_step(run: &Run, plan: &Plan) -> Option<(f64, String)> {
    let (tokens, gpus) = (plan.job.tokens(), plan.job.cluster.gpus() as f64);
    let ways: [(Metric, f64); 3] = [
        (Metric::TokensPerSecond, tokens),
        (Metric::TokensPerGpu, tokens / gpus),
        (Metric::SequencesPerSecond, plan.job.batch as f64),
    ];
    let direct = run.measured.get(&Metric::StepTime).map(|m| (m.value, m.from.clone()));
    let followed = || {
        ways.into_iter().find_map(|(metric, of)| {
            let m = run.measured.get(&metric)?;
            Some((of / m.value, format!("{}, from {}", m.from, metric.label().to_lowercase())))
        })
    };
    direct.or_else(followed).filter(|(seconds, _)| seconds.is_finite() && *seconds > 0.0)
}

/// Compares a run with what the models say of it.
pub fn compare(run: &Run) -> Report {
    let mut report = Report::default();
    let serving = serving(run, &mut report);
    match run.plan() {
        Ok(plan) => training(run, &plan, &mut report),
        Err(_) if serving => {}
        Err(missing) => {
            report.missing = missing;
            report.rows.extend(bare_rows(run));
            report.verdict = "There is nothing to compare yet.".to_owned();
            // What was measured says something without a prediction.
            if let Some(mfu) = run.measured(Metric::Mfu) {
                report.verdict += &format!(" {}", standing(run, mfu));
            }
            if let Some(idle) = run.measured(Metric::GpuIdle).filter(|idle| *idle >= IDLE) {
                let share = if idle > 0.995 { "nearly all".to_owned() } else { Unit::Fraction.format(idle) };
                report.verdict += &format!(
                    " The GPU does nothing for {share} of the traced time. Open the trace in the trace detective: it says what the GPU waits for, and where."
                );
            }
            report.next.extend(retried(run));
        }
    }
    if let Some(m) = run.measured.get(&Metric::BusBandwidth) {
        let bus = bus::of(run);
        let row = Row {
            id: Metric::BusBandwidth.id(),
            label: Metric::BusBandwidth.label().to_owned(),
            unit: Metric::BusBandwidth.unit(),
            predicted: bus.map(|bus| bus.predicted()),
            measured: Some(m.value),
            from: m.from.clone(),
            link: bus.and_then(|bus| bus.link()),
        };
        report.rows.retain(|other| other.id != row.id);
        report.rows.push(row);
        if let Some(bus) = bus {
            report.assumed.extend(bus.assumed());
            report.verdict = match report.rows.len() {
                1 => bus.sentence(),
                _ => format!("{} {}", report.verdict, bus.sentence()),
            };
        }
    }
    report.with_notes(run)
}

/// What was measured, without predictions.
fn bare_rows(run: &Run) -> Vec<Row> {
    let shown = |metric: &Metric| {
        !matches!(metric, Metric::BusRanks | Metric::BusNode | Metric::Peak | Metric::LossScale | Metric::Clock)
    };
    let row = |(metric, m): (&Metric, &super::measure::Measured)| Row {
        id: metric.id(),
        label: metric.label().to_owned(),
        unit: metric.unit(),
        predicted: None,
        measured: Some(m.value),
        from: m.from.clone(),
        link: None,
    };
    run.measured.iter().filter(|(metric, _)| shown(metric)).map(row).collect()
}

/// A range over the values of a setting is so much wider than with one of them before it is asked for.
const WIDE: f64 = 1.5;

/// The setting among those whose values are tried that widens the prediction most, if it widens it much.
fn question(run: &Run, plan: &Plan) -> Option<Question> {
    let of = |id: &'static str, label: &str, unit, predicted| Row {
        id,
        label: label.to_owned(),
        unit,
        predicted: Some(predicted),
        measured: None,
        from: String::new(),
        link: None,
    };
    let capacity = plan.job.cluster.gpu.memory.0;
    let answer = |setting: &Setting, (id, label): (&'static str, &'static str)| {
        let run = setting.put(run, id).ok()?;
        let plan = run.plan().ok()?;
        let variants = plan.variants(&run);
        let seconds = spread(variants.iter().map(Plan::step_time), plan.step_time());
        let memory = memory_over(&variants, Metric::MemoryUsed)?;
        let rows =
            [of("step-time", "Step time", Unit::Seconds, seconds), of("memory", "Memory per GPU", Unit::Bytes, memory)];
        Some(Answer { id, label, rows, is_too_large: memory[0] > capacity })
    };
    let widened = |answers: &[Answer]| {
        // With the assumed values of the others: over all of theirs, one would seem to widen what another does.
        let middle = |i: usize| answers.iter().filter_map(move |answer| Some(answer.rows.get(i)?.predicted?[1]));
        let ratio = |i: usize| middle(i).fold(0.0, f64::max) / middle(i).fold(f64::INFINITY, f64::min);
        ratio(0).max(ratio(1))
    };
    let open = given::SPANNED.iter().filter(|setting| plan.assumed.iter().any(|a| a.key == setting.key));
    let asked = open.filter_map(|setting| {
        let Takes::Choice(list) = setting.takes else { return None };
        let values = list.ids.iter().copied().zip(list.labels.iter().copied());
        let answers: Vec<Answer> = values.filter_map(|value| answer(setting, value)).collect();
        Some((widened(&answers), *setting, answers))
    });
    let (wide, setting, answers) = asked.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (answers.len() > 1 && wide >= WIDE).then(|| Question {
        setting,
        sentence: format!(
            "Most of the prediction depends on the {}, which isn’t known. Say which it is, or paste the configuration that has it.",
            lower(given::label(setting.key))
        ),
        answers,
    })
}

fn spread(values: impl Iterator<Item = f64> + Clone, at: f64) -> [f64; 3] {
    [values.clone().fold(at, f64::min), at, values.fold(at, f64::max)]
}

fn training(run: &Run, plan: &Plan, report: &mut Report) {
    let variants = plan.variants(run);
    let (tokens, gpus) = (plan.job.tokens(), plan.job.cluster.gpus() as f64);
    let seconds = spread(variants.iter().map(Plan::step_time), plan.step_time());
    let [fast, at, slow] = seconds;
    let step = measured_step(run, plan);
    let (measured, from) = step.clone().map_or((None, String::new()), |(seconds, from)| (Some(seconds), from));
    let planner = || Some(plan.planner());
    let row = |id, label: &str, unit, predicted, measured, from: &str, link| Row {
        id,
        label: label.to_owned(),
        unit,
        predicted: Some(predicted),
        measured,
        from: from.to_owned(),
        link,
    };
    report.rows.push(row("step-time", "Step time", Unit::Seconds, seconds, measured, &from, planner()));
    let rate = |seconds: f64| tokens / seconds;
    let rates = [rate(slow), rate(at), rate(fast)];
    report.rows.push(row("tokens-per-second", "Tokens/s", Unit::Count, rates, measured.map(rate), &from, planner()));
    let per_gpu = rates.map(|rate| rate / gpus);
    report.rows.push(row(
        "tokens-per-gpu",
        "Tokens/s per GPU",
        Unit::Count,
        per_gpu,
        measured.map(|s| rate(s) / gpus),
        &from,
        planner(),
    ));
    let mfu = [slow, at, fast].map(|seconds| plan.job.mfu(seconds));
    report.rows.push(row("mfu", "MFU", Unit::Fraction, mfu, measured.map(|s| plan.job.mfu(s)), &from, planner()));
    let kinds = [Metric::MemoryReserved, Metric::MemoryAllocated, Metric::MemoryUsed];
    let measured_memory: Vec<(Metric, f64)> = kinds.into_iter().filter_map(|m| Some((m, run.measured(m)?))).collect();
    let kinds_shown = if measured_memory.is_empty() {
        vec![Metric::MemoryUsed]
    } else {
        measured_memory.iter().map(|(m, _)| *m).collect()
    };
    for metric in kinds_shown {
        let Some([low, middle, high]) = memory_over(&variants, metric) else { continue };
        let m = run.measured.get(&metric);
        let label = if m.is_some() { metric.label() } else { "Memory per GPU" };
        report.rows.push(row(
            metric.id(),
            label,
            Unit::Bytes,
            [low, middle, high],
            m.map(|m| m.value),
            m.map_or("", |m| &m.from),
            Some(plan.breakdown()),
        ));
    }
    let sent = run.measured.get(&Metric::Sent);
    for traffic in plan.job.traffic(&plan.choice) {
        let label = format!("Communication sent per GPU per step, {} parallelism", traffic.axis.label());
        report.rows.push(row(traffic.axis.id(), &label, Unit::Bytes, [traffic.bytes; 3], None, "", planner()));
    }
    if let Some(sent) = sent {
        let all = ledger::sent(plan);
        report.rows.push(row(
            "sent",
            Metric::Sent.label(),
            Unit::Bytes,
            [all; 3],
            Some(sent.value),
            &sent.from,
            planner(),
        ));
    }
    report.ledgers.push(ledger::time(run, plan, measured));
    report.ledgers.extend(ledger::memory(plan, measured_memory.first().copied()));
    let reported = measured.filter(|_| is_of_one_text(run, &from));
    report.ledgers.extend(reported.and_then(|seconds| ledger::mfu(run, plan, seconds)));
    // What serving assumed stays.
    for assumed in &plan.assumed {
        if !report.assumed.contains(assumed) {
            report.assumed.push(assumed.clone());
        }
    }
    report.question = question(run, plan);
    report.contradiction = contradiction(run, plan, report);
    report.verdict = report.contradiction.clone().unwrap_or_else(|| {
        let parts = match too_small(report, plan) {
            Some(sentence) if has_run(report) => vec![sentence, verdict(report, plan)],
            // No step of a run that doesn't fit takes any time; what is open may let it fit.
            Some(sentence) => vec![sentence, report.question.as_ref().map(|q| q.sentence.clone()).unwrap_or_default()],
            None => {
                let mfu = report.row("mfu").and_then(|row| row.measured).filter(|_| plan.assumed.is_empty());
                let low = mfu.and_then(|mfu| published::low(&plan.job, mfu)).unwrap_or_default();
                vec![
                    tight(report, plan),
                    verdict(report, plan),
                    low,
                    among_others(run, report, plan),
                    outside(report, plan),
                ]
            }
        };
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    });
    report.next = next(run, plan, report);
}

/// The part of a trace from which on an idle GPU is what to look at first.
const IDLE: f64 = 0.25;

/// How a log's MFU stands among published runs: over the peak of its own GPU, whatever the log divides by.
pub(crate) fn standing(run: &Run, mfu: f64) -> String {
    let gpu = run.setup().0.gpu;
    // FLOPs over tokens, both per second and GPU.
    let each =
        run.measured(Metric::Flops).zip(run.measured(Metric::TokensPerGpu)).map(|(flops, tokens)| flops / tokens);
    let other = gpu.zip(ledger::divisor(run)).filter(|(gpu, peak)| (peak / gpu.peak - 1.0).abs() > ROUNDED);
    let Some((own, peak)) = other.filter(|_| !each.is_some_and(published::is_too_small)) else {
        return published::standing(mfu, gpu, each);
    };
    let ours = mfu * peak / own.peak;
    let is_sparse = (peak / own.peak - 2.0).abs() < 2.0 * ROUNDED;
    let [peak, own_peak] = [peak, own.peak].map(|peak| Unit::FlopPerSecond.format(peak));
    format!(
        "The log divides by {peak}, which {} ({}: {own_peak}), so its MFU of {} is {} here. {}",
        if is_sparse {
            "is twice this GPU’s dense peak, as data sheets give it with sparsity"
        } else {
            "isn’t the peak of this GPU"
        },
        own.name,
        Unit::Fraction.format(mfu),
        Unit::Fraction.format(ours),
        published::standing(ours, gpu, each)
    )
}

/// How far a peak may be off that follows from an MFU of two digits.
const ROUNDED: f64 = 0.05;

/// Whether what a log reports of its FLOPs stands in the text that the step is from. Documents name columns, logs name lines.
fn is_of_one_text(run: &Run, from: &str) -> bool {
    let text = |from: &str| from.split_once(", line").map(|(text, _)| text.to_owned());
    let reported = [Metric::Flops, Metric::Mfu, Metric::Peak].iter().filter_map(|metric| run.measured.get(metric));
    reported.into_iter().all(|m| text(&m.from) == text(from))
}

/// How far a step's time and one that follows from tokens/s may be apart, as a ratio: medians and averages of one run are nearer.
const APART: f64 = 1.25;

/// Why what was measured can't be of one run, or not of this one.
fn contradiction(run: &Run, plan: &Plan, report: &Report) -> Option<String> {
    const CHECK: &str = "Check the model, the batch and the number of GPUs, and bring the output of one run.";
    // Tokens that are assumed contradict nothing.
    if !plan.is_spanned() {
        return None;
    }
    if report.row("mfu").and_then(|row| row.measured).is_some_and(|mfu| mfu > 1.0) {
        return Some(format!(
            "The inputs don’t belong together: for the measured step the GPUs would have to exceed their peak. {CHECK}"
        ));
    }
    let step = run.measured(Metric::StepTime)?;
    let (tokens, gpus) = (plan.job.tokens(), plan.job.cluster.gpus() as f64);
    let ways = [(Metric::TokensPerSecond, tokens), (Metric::TokensPerGpu, tokens / gpus)];
    let far = |(metric, of): (Metric, f64)| {
        let seconds = of / run.measured(metric)?;
        let ratio = (seconds / step).max(step / seconds);
        (ratio > APART).then(|| {
            format!(
                "The inputs don’t belong together: a step of {} was measured, and {} give {}. {CHECK}",
                Unit::Seconds.format(step),
                lower(metric.label()),
                Unit::Seconds.format(seconds)
            )
        })
    };
    ways.into_iter().find_map(far)
}

/// Whether steps were measured.
fn has_run(report: &Report) -> bool {
    report.row(Metric::StepTime.id()).is_some_and(|row| row.measured.is_some())
}

/// The first of the ways in which memory is measured, or would be.
fn memory_row(report: &Report) -> Option<&Row> {
    report.rows.iter().find(|row| row.id.starts_with("memory-"))
}

/// That the GPU is too small, which decides before any time does; none where its memory was measured.
fn too_small(report: &Report, plan: &Plan) -> Option<String> {
    let row = memory_row(report).filter(|row| row.measured.is_none())?;
    let capacity = plan.job.cluster.gpu.memory.0;
    let low = row.predicted.map(|[low, ..]| low).filter(|low| *low > capacity)?;
    let numbers =
        format!("at least {} per GPU is predicted, and a GPU has {}", bytes_decimal(low), bytes_decimal(capacity));
    let assumed = if plan.is_spanned() { "" } else { "With the assumed values, " };
    Some(match (has_run(report), assumed) {
        (true, _) => capital(&format!("{assumed}{numbers}, but steps were measured. Check the layout.")),
        (false, "") => format!("It doesn’t fit: {numbers}."),
        (false, _) => format!("{assumed}it doesn’t fit: {numbers}."),
    })
}

/// That the GPU may be too small, of what didn't run yet; empty where it isn't, or settings are assumed.
fn tight(report: &Report, plan: &Plan) -> String {
    let row = memory_row(report).filter(|row| row.measured.is_none() && plan.assumed.is_empty() && !has_run(report));
    let capacity = plan.job.cluster.gpu.memory.0;
    let row = row.filter(|row| row.predicted.is_some_and(|[.., high]| high > capacity));
    row.map(|row| {
        let capacity = bytes_decimal(capacity);
        format!("It may not fit: {} per GPU is predicted, and a GPU has {capacity}.", row.predicted_text())
    })
    .unwrap_or_default()
}

/// How a step that is slower than predicted stands among public runs; empty where it isn't, more is assumed than the machines, or it runs in
/// FP8, for which nothing is predicted.
fn among_others(run: &Run, report: &Report, plan: &Plan) -> String {
    let is_alike =
        plan.assumed.iter().all(|assumed| assumed.key.starts_with("cluster.")) && run.layout.fp8 != Some(true);
    let ratio = report.row("step-time").filter(|_| is_alike).and_then(|row| Some(1.0 + row.gap()?));
    ratio
        .filter(|ratio| *ratio > 1.0 + NEAR)
        .map(|ratio| usual::standing(ratio, plan.job.cluster.gpu))
        .unwrap_or_default()
}

/// That a measurement of memory lies outside the range; empty where it doesn't, or the range spans no other values.
fn outside(report: &Report, plan: &Plan) -> String {
    let row = memory_row(report).filter(|row| row.measured.is_some() && plan.is_spanned() && !row.is_within());
    let capacity = plan.job.cluster.gpu.memory.0;
    row.map(|row| {
        let more = match row.measured {
            Some(bytes) if bytes > capacity => {
                format!(
                    " That is more than {} has ({}): check which GPU it is.",
                    plan.job.cluster.gpu.name,
                    bytes_decimal(capacity)
                )
            }
            _ => String::new(),
        };
        format!(
            "Memory is outside the predicted range: {} measured, {} predicted.{more}",
            row.measured_text(),
            row.predicted_text()
        )
    })
    .unwrap_or_default()
}

/// The same over several plans: the middle is that of the first.
fn memory_over(variants: &[Plan], metric: Metric) -> Option<[f64; 3]> {
    let bounds: Vec<[f64; 3]> = variants.iter().filter_map(|v| memory_range(v, metric)).collect();
    let [low, middle, high] = bounds.first().copied()?;
    let [low, high] =
        [bounds.iter().map(|b| b[0]).fold(low, f64::min), bounds.iter().map(|b| b[2]).fold(high, f64::max)];
    Some([low, middle, high])
}

/// What the memory model says for a way of measuring: least, middle, most.
fn memory_range(plan: &Plan, metric: Metric) -> Option<[f64; 3]> {
    let b = breakdown(&plan.memory).ok()?;
    let (low, high) =
        ledger::beside(&b, Some(metric)).iter().fold((0.0, 0.0), |(a, b), (_, low, high)| (a + low, b + high));
    Some([b.total.0 + low, b.total.0 + (low + high) / 2.0, b.total.0 + high])
}

fn verdict(report: &Report, plan: &Plan) -> String {
    let Some(row) = report.row("step-time") else { return String::new() };
    let [_, at, _] = row.predicted.unwrap_or_default();
    let is_spanned = plan.is_spanned();
    let Some(measured) = row.measured else {
        if let Some(question) = &report.question {
            return question.sentence.clone();
        }
        // A range over all values that a setting can have assumes none of them.
        let lead = if is_spanned { "A step" } else { "With the assumed values, a step" };
        return format!("{lead} is predicted to take {}. No step time was measured.", row.predicted_text());
    };
    if let (true, Some([low, _, high])) = (is_spanned && !row.is_within(), row.predicted)
        && low > 0.0
        && open(&plan.assumed).is_some()
    {
        let how = match measured / if measured > high { high } else { low } {
            ratio if ratio >= 1.5 => format!("at least {}× the predicted time", number(ratio)),
            ratio => {
                let than = if ratio > 1.0 { "more" } else { "less" };
                format!("at least {} {than} than predicted", Unit::Fraction.format((ratio - 1.0).abs()))
            }
        };
        return format!(
            "A step takes {how}, {} against {}, whatever the values of {}.",
            row.measured_text(),
            row.predicted_text(),
            labels(&plan.assumed)
        );
    }
    if let Some(open) = open(&plan.assumed) {
        // Only of settings whose values were tried is known what fits.
        let fits = if is_spanned {
            format!(
                "The measured step, {}, is within the range predicted over all values of {}.",
                row.measured_text(),
                labels(&plan.assumed)
            )
        } else {
            format!(
                "The measured step is {}; with the assumed values {} is predicted.",
                row.measured_text(),
                row.predicted_text()
            )
        };
        return format!("{open} {fits}");
    }
    let numbers = format!("{} measured, {} predicted", Unit::Seconds.format(measured), Unit::Seconds.format(at));
    let ratio = measured / at;
    if (ratio - 1.0).abs() <= NEAR {
        return format!("The run is about as fast as predicted: {numbers}.");
    }
    let how = if ratio > 1.0 {
        format!("{}× the predicted time", number(ratio))
    } else {
        format!("{}× the predicted speed", number(1.0 / ratio))
    };
    let lead = if ratio > 1.0 {
        format!("A step takes {how}: {numbers}.")
    } else {
        format!("A step runs at {how}: {numbers}.")
    };
    let gap = (measured - at).abs();
    let ledger = report.ledger("step-time");
    let Some((ledger, cause)) = ledger.and_then(|ledger| Some((ledger, ledger.largest()?))) else {
        return format!("{lead} Nothing that was read names the cause.");
    };
    let size = cause.size.abs();
    // Causes in the other direction leave room for more than the gap.
    let against: f64 = ledger.gap.iter().filter(|c| c.size * cause.size < 0.0).map(|c| c.size.abs()).sum();
    let (size_text, gap_text) = (Unit::Seconds.format(size), Unit::Seconds.format(gap));
    match () {
        () if size <= 1.1 * gap => format!(
            "{lead} The largest cause that the inputs name: {}, {size_text} of the {gap_text} gap.",
            lower(&cause.label)
        ),
        () if size <= 1.1 * (gap + against) => format!(
            "{lead} The largest cause that the inputs name: {}, {size_text}. Other causes offset part of it, and the gap is {gap_text}.",
            lower(&cause.label)
        ),
        () => format!("{lead} {} would explain more than the whole gap. Check the inputs.", cause.label),
    }
}

/// Why there is no verdict where settings are assumed: "No verdict yet: ZeRO stage is assumed."
fn open(assumed: &[Assumed]) -> Option<String> {
    let verb = if assumed.len() == 1 { "is" } else { "are" };
    (!assumed.is_empty()).then(|| format!("No verdict yet: {} {verb} assumed.", labels(assumed)))
}

/// Assumed settings in words.
fn labels(assumed: &[Assumed]) -> String {
    listed(&assumed.iter().map(|a| lower(given::label(a.key))).collect::<Vec<_>>())
}

/// A label within a sentence. Names keep their capitals.
fn lower(label: &str) -> String {
    let first = label.split(' ').next().unwrap_or_default();
    let is_word = first.chars().count() > 1 && !first.chars().skip(1).any(char::is_uppercase);
    match label.chars().next() {
        Some(first) if is_word => first.to_lowercase().chain(label.chars().skip(1)).collect(),
        _ => label.to_owned(),
    }
}

/// What would tell more, the cheapest first.
fn next(run: &Run, plan: &Plan, report: &Report) -> Vec<Next> {
    let mut all = Vec::new();
    let mut say = |why: String, command: &str| all.push(Next { why, command: command.to_owned() });
    for (what, section) in [("a configuration", "layout."), ("a launch script", "cluster.")] {
        let is_of = |key: &str| key.starts_with(section) && key != "cluster.gpu";
        let keys: Vec<String> = plan.assumed.iter().map(|a| a.key.to_owned()).filter(|key| is_of(key)).collect();
        if !keys.is_empty() {
            let them = if keys.len() == 1 { "it" } else { "them" };
            say(format!("Set {} in run.toml, or paste {what} that has {them}.", listed(&keys)), "");
        }
    }
    if run.likely().is_some() {
        say("Which GPU it is.".to_owned(), "nvidia-smi -L");
    }
    let Some(row) = report.row("step-time") else { return all };
    if row.measured.is_none() {
        say("Paste ten lines of the run’s output: they have the step time.".to_owned(), "");
        return all;
    }
    if let Some(Next { why, command }) = retried(run) {
        say(why, &command);
    }
    let is_odd = |row: &Row| row.id.starts_with("memory-") && row.measured.is_some() && !row.is_within();
    if plan.is_spanned() && report.rows.iter().any(is_odd) {
        say(
            "What takes the memory at its peak, block by block.".to_owned(),
            "torch.cuda.memory._record_memory_history(); …; torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")",
        );
    }
    let is_off = row.gap().is_some_and(|gap| gap.abs() > NEAR);
    if !is_off {
        return all;
    }
    let cluster = &plan.job.cluster;
    if run.cluster.topology.is_none() && cluster.node > 1 {
        say("Whether the GPUs of a node are joined by NVLink or go through the CPU.".to_owned(), "nvidia-smi topo -m");
    }
    if run.measured(Metric::Clock).is_none() {
        say(
            "Whether the clock is throttled by power or heat. Run it while the job trains.".to_owned(),
            "nvidia-smi --query-gpu=name,clocks.sm,clocks_event_reasons.active,power.draw --format=csv",
        );
    }
    if run.measured(Metric::BusBandwidth).is_none() && plan.job.cluster.gpus() > 1 {
        let (why, command) = if cluster.nodes > 1 {
            (
                "What the network between nodes reaches.",
                format!("mpirun -np {} all_reduce_perf -b 8M -e 1G -f 2 -g 1", cluster.gpus()),
            )
        } else {
            ("What the link inside the node reaches.", format!("all_reduce_perf -b 8M -e 1G -f 2 -g {}", cluster.node))
        };
        say(why.to_owned(), &command);
    }
    let explains = report.ledger("step-time").is_some_and(|ledger| ledger.largest().is_some());
    if run.measured(Metric::Straggling).is_none() && plan.job.cluster.gpus() > 1 && !explains {
        let command = if run.layout.framework.as_deref() == Some("megatron") { "--log-straggler" } else { "" };
        let how = if command.is_empty() { " Compare the traces of two ranks." } else { "" };
        say(format!("Whether one rank is slower than the others, which then wait.{how}"), command);
    }
    if run.measured(Metric::GpuIdle).is_none() {
        let command = match run.layout.framework.as_deref() {
            Some("torchtitan") => "--profiling.enable_profiling --profiling.profile_freq 10",
            Some("megatron") => "--profile --use-pytorch-profiler --profile-step-start 10 --profile-step-end 12",
            _ => {
                "with torch.profiler.profile(schedule=torch.profiler.schedule(wait=8, warmup=2, active=2)) as p: …; p.export_chrome_trace(\"trace.json\")"
            }
        };
        say("How much of the gap is kernels, exposed communication or an idle GPU.".to_owned(), command);
    }
    all
}

/// What retries of the allocator say, whatever else is known.
fn retried(run: &Run) -> Option<Next> {
    let retries = run.measured(Metric::AllocationRetries).filter(|n| *n > 0.0)?;
    let why = format!(
        "The allocator ran out of memory and retried {}. Each retry stalls the GPU. A smaller micro-batch or expandable segments show how much time it costs.",
        counted(retries as u64, "time", "times")
    );
    Some(Next { why, command: "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True".to_owned() })
}

/// What a serving engine has room for, and whether it starts: of a run's command or of what it printed. None of a run that doesn't serve.
pub fn serves(run: &Run) -> Option<Report> {
    let mut report = Report::default();
    serving(run, &mut report).then(|| report.with_notes(run))
}

/// Whether one request of the greatest length fits a cache with room for between so many tokens, which decides whether vLLM starts
/// (`check_enough_kv_cache_memory`); the other engines start with a shorter limit. Sentences.
fn starting(server: Server, context: u64, [least, _, most]: [f64; 3]) -> String {
    let longest = grouped(context);
    let span = Row::span(Unit::Count, least, most);
    let room = format!("room for {span} tokens");
    let at_most = format!("room for at most {} tokens", Unit::Count.format(most));
    let fewer = "a shorter limit, weights or cache in fewer bits, or more GPUs";
    match (context as f64, server) {
        (tokens, _) if tokens <= least => {
            let times = (least / tokens).floor() as u64;
            let times =
                if times < 2 { String::new() } else { format!(", {} of that length at the same time", grouped(times)) };
            format!(
                "One request of {longest} tokens fits, before activations: the KV cache is predicted to have {room}{times}. An engine’s profiling run takes some gigabytes more off."
            )
        }
        (tokens, Server::Vllm) if tokens > most => format!(
            "vLLM won’t start: one request may have {longest} tokens, and the KV cache is predicted to have {at_most}. Set --max-model-len below that, store weights or cache in fewer bits, or use more GPUs."
        ),
        (tokens, _) if tokens > most => format!(
            "One request of {longest} tokens doesn’t fit: the KV cache is predicted to have {at_most}. It takes {fewer}."
        ),
        _ => format!(
            "Whether it starts can’t be told: one request may have {longest} tokens, and the KV cache is predicted to have {room}, by what the processes take beside weights and cache. To be safe it takes {fewer}."
        ),
    }
}

/// What a serving engine has room for; whether the run serves.
fn serving(run: &Run, report: &mut Report) -> bool {
    let s = &run.serving;
    let reported = [
        Metric::KvTokens,
        Metric::KvMemory,
        Metric::Weights,
        Metric::GenerationRate,
        Metric::FirstToken,
        Metric::Preempted,
    ];
    if s.engine.is_none() && reported.iter().all(|metric| run.measured(*metric).is_none()) {
        return false;
    }
    let (setup, problems) = run.setup();
    report.missing.extend(problems.into_iter().map(Missing::because));
    let (Some(model), Some(gpu)) = (setup.model.filter(|m| m.shape().is_some()), setup.gpu) else {
        if setup.model.is_none() {
            report.missing.push(Missing { asks: given::MODEL, ..Missing::because(given::NO_MODEL) });
        }
        if setup.gpu.is_none() {
            report.missing.push(Missing { asks: given::GPU, ..Missing::because(given::NO_GPU) });
        }
        report.rows.extend(bare_rows(run));
        let says = waits::sentences(run, run.measured(Metric::KvTokens));
        report.verdict =
            std::iter::once("There is nothing to compare yet.".to_owned()).chain(says).collect::<Vec<_>>().join(" ");
        return true;
    };
    let mut params = crate::memory::Params {
        model,
        gpu,
        mode: Mode::Inference,
        dp: 1,
        seq: Some(s.context.unwrap_or(8192)),
        mbs: 1,
        dtype: run.layout.dtype.unwrap_or(Dtype::Bf16),
        kv_dtype: s.kv.unwrap_or(Dtype::Bf16),
        // Bytes per weight that are given are of the whole model, as it is stored.
        as_stored: s.weight.is_none(),
        ..crate::memory::Params::standard()
    };
    params.layout.tp = s.tp.unwrap_or(1).max(1);
    params.layout.pipeline.stages = s.pp.unwrap_or(1).max(1);
    let cluster = &run.cluster;
    let have = cluster.gpus.or_else(|| Some(cluster.node?.saturating_mul(cluster.nodes?)));
    if let Some(have) = have.filter(|have| s.gpus() > *have) {
        report.verdict = format!(
            "The engine won’t start: it asks for {}, and there {} {}.",
            counted(s.gpus(), "GPU", "GPUs"),
            if have == 1 { "is" } else { "are" },
            grouped(have)
        );
        report.rows.extend(bare_rows(run));
        return true;
    }
    let server = s.engine.as_deref().and_then(Server::find).unwrap_or_default();
    // Without more said, vLLM's data-parallel ranks share the experts.
    let shares = server == Server::Vllm && s.dp.is_some_and(|n| n > 1);
    if s.apart == Some(true) || shares && model.shape().is_some_and(|shape| shape.moe.is_some()) {
        report.verdict = "Whether it fits isn’t said: what a GPU holds with expert parallelism, or with data-parallel attention, isn’t modeled.".to_owned();
        report.rows.extend(bare_rows(run));
        return true;
    }
    let Ok(b) = breakdown(&params) else {
        let sentence = "The model can’t be split among that many GPUs. Check the tensor-parallel ranks.";
        report.missing.push(Missing::because(sentence));
        return true;
    };
    let link = || Some(Link { figure: crate::memory::Params::ID, query: params.query() });
    let weights = b.parts.weights.0 * s.weight.map_or(1.0, |each| each / params.dtype.bytes());
    let share = s.memory.unwrap_or(USED);
    report.assumed.extend(Assumed::gpu(run));
    if model.is_guess() {
        report.assumed.push(Assumed { key: "model.sizes", sentence: GUESSED.to_owned() });
    }
    if s.memory.is_none() {
        let sentence = match server {
            Server::Sglang => {
                "Weights and cache take 90% of the GPU’s memory: SGLang computes its own share, so set serving.memory."
            }
            Server::Trtllm => {
                "The cache takes 90% of the memory that loading the model leaves, TensorRT-LLM’s default."
            }
            Server::Vllm => "The engine takes 90% of the GPU’s memory, vLLM’s default.",
        };
        report.assumed.push(Assumed { key: "serving.memory", sentence: sentence.to_owned() });
    }
    report.assumed.extend(run.left_open([
        ("serving.tp", s.tp.is_some(), "One GPU per pipeline stage."),
        ("serving.pp", s.pp.is_some(), "One pipeline stage."),
        ("serving.dp", s.dp.is_some(), "One copy of the model."),
        ("serving.weight", s.weight.is_some() || model.stored().quant != Quant::Bf16, "Weights in 16 bits."),
        ("serving.kv", s.kv.is_some(), "The KV cache in 16 bits."),
    ]));
    let sees = gpu.memory.0;
    // What the engine has for weights and cache, between the least and the most that a process needs beside them.
    let beside = [b.overhead.context.low.0, b.overhead.context.high.0 + b.overhead.buffers.high.0];
    let most = beside.map(|bytes| match server {
        // Its share is of weights and cache alone.
        Server::Sglang => sees * share,
        // Its share is of what the weights leave.
        Server::Trtllm => sees - bytes,
        Server::Vllm => sees * share - bytes,
    });
    let of_rest = if server == Server::Trtllm { share } else { 1.0 };
    let room = most.map(|most| ((most - weights) * of_rest).max(0.0));
    let room = [room[1], (room[0] + room[1]) / 2.0, room[0]];
    // Every rank keeps a whole latent, and a head where there are fewer heads than ranks.
    let part = model.shape().map_or(1.0, |shape| {
        let [own, all] = [params.layout.tp, 1].map(|tp| crate::kv_cache::values_per_rank(shape, tp));
        if all > 0.0 { own / all } else { 1.0 }
    });
    let per_token = b.kv_per_token.0 * part / params.layout.pipeline.stages as f64;
    let mut row = |metric: Metric, predicted: Option<[f64; 3]>| {
        let m = run.measured.get(&metric);
        report.rows.push(Row {
            id: metric.id(),
            label: metric.label().to_owned(),
            unit: metric.unit(),
            predicted,
            measured: m.map(|m| m.value),
            from: m.map_or_else(String::new, |m| m.from.clone()),
            link: link(),
        });
    };
    row(Metric::Weights, Some([weights; 3]));
    row(Metric::KvMemory, Some(room));
    row(Metric::KvTokens, (per_token > 0.0).then(|| room.map(|bytes| bytes / per_token)));
    let has_room_for = run.measured(Metric::KvTokens).or((per_token > 0.0).then(|| room[1] / per_token));
    let load = has_room_for.zip(model.shape()).and_then(|(tokens, shape)| Load::of(run, *shape, gpu, tokens));
    for metric in waits::SHOWN {
        let predicted = load.and_then(|load| match metric {
            Metric::GenerationRate => Some(load.rates()),
            Metric::PerToken => Some(load.seconds),
            _ => None,
        });
        if run.measured(metric).is_some() {
            row(metric, predicted.map(|[own, bound]| [own.min(bound), own, own.max(bound)]));
        }
    }
    let tokens = report.row(Metric::KvTokens.id());
    let measured = tokens.and_then(|row| Some((row, row.measured?)));
    let open = open(&report.assumed);
    let lead = if open.is_some() { "With the assumed values, the" } else { "The" };
    let verdict = match (open, measured) {
        (Some(open), Some((row, measured))) => format!(
            "{open} The KV cache has room for {} tokens; with the assumed values {} are predicted.",
            grouped(measured as u64),
            row.predicted_text()
        ),
        (None, Some((row, measured))) if row.is_within() => {
            format!("The KV cache has room for {} tokens, as predicted.", grouped(measured as u64))
        }
        (None, Some((row, measured))) => format!(
            "The KV cache has room for {} tokens; {} are predicted.",
            grouped(measured as u64),
            row.predicted_text()
        ),
        (_, None) if room[2] <= 0.0 => {
            let each = bytes_decimal(weights);
            let most = bytes_decimal(most[0].max(0.0));
            format!(
                "{lead} model doesn’t fit: its weights take {each} per GPU, and the engine has {most} for weights and cache. Split it among more GPUs."
            )
        }
        (_, None) if s.context.is_some() && tokens.is_some() => {
            let context = s.context.unwrap_or_default();
            let says = starting(server, context, tokens.and_then(|row| row.predicted).unwrap_or_default());
            let lead = if report.assumed.is_empty() { "" } else { "With the assumed values: " };
            format!("{lead}{says}")
        }
        (_, None) => {
            format!(
                "{lead} KV cache is predicted to have room for {} tokens. Paste the engine’s first lines to compare.",
                tokens.map(Row::predicted_text).unwrap_or_default()
            )
        }
    };
    let has_room_for = measured.map(|(_, tokens)| tokens);
    let generated = load.zip(run.measured(Metric::GenerationRate)).map(|(load, rate)| load.sentence(rate));
    let copies = s.dp.filter(|n| *n > 1).map(|n| format!("The numbers are for each of {} copies.", grouped(n)));
    report.verdict = [verdict]
        .into_iter()
        .chain(copies)
        .chain(generated)
        .chain(waits::sentences(run, has_room_for))
        .collect::<Vec<_>>()
        .join(" ");
    true
}
