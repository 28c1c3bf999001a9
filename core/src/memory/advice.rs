//! Sentences about a breakdown: what the picture says, what would make it fit, and whose numbers these are.

use super::activations::{Counting, Recompute};
use super::breakdown::{Breakdown, MAX_DP, Mode, Params, Row};
use super::convention::{Concept, Convention};
use super::optimizer::Optimizer;
use super::plan::PipelineRow;
use super::precision::Dtype;
use super::verdict::Verdict;
use crate::hardware;
use crate::kv_cache as kv;
use crate::model::reference::{ASSUMED_VOCABULARY, assumed_width};
use crate::model::{ModelRef, ModelSize};
use crate::quantity::{bytes_decimal, grouped, listed, number};
use crate::query::Query;
use crate::units::Bytes;

/// Context-parallel ranks that are tried.
const CONTEXTS: [u64; 7] = [2, 4, 8, 16, 32, 64, 128];

/// A change that would make a model fit, or that none was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The parameters to change and their new values, for [`Params::with`]; empty if nothing tried fits.
    pub change: Query,
    /// The parameters with the change made.
    pub params: Params,
    /// Bytes on one GPU with the change made.
    pub total: Bytes,
    /// What to change, what it comes to and what it costs.
    pub sentence: String,
}

/// The first change that fits, or if none does that fits tightly, in order of what it costs: a higher ZeRO stage (free up to 2; at 3
/// half as much communication again), FlashAttention and sequence parallelism, recomputation, the same GPUs with sequences divided among
/// them (context parallelism in place of data parallelism), up to four times the ranks, an 8-bit optimizer or cache (another numerics), a
/// larger GPU, tensor parallelism, context parallelism, any number of ranks, and then all of them together. `here` is the total as it is.
pub(super) fn cheapest(params: &Params, here: Bytes) -> Suggestion {
    let stages = |p: Params| (p.zero..=3).map(move |zero| Params { zero, ..p });
    let training = params.mode == Mode::Training;
    let activations = training && params.seq.is_some();
    let lean = |p: Params| {
        let mut lean = Params { flash: true, ..p };
        lean.layout.sp = p.layout.tp > 1;
        lean
    };
    let again = |p: Params| Params { recompute: Recompute::Full, ..lean(p) };
    let leaner = [lean(*params), again(*params)].into_iter().filter(|_| activations);
    let ranks = |times: u64| {
        let dp = params.dp.saturating_mul(times);
        (training && dp <= MAX_DP).then_some(Params { dp, zero: params.zero.max(1), ..*params })
    };
    let eight_bit = |p: Params| match (p.mode, p.optimizer) {
        (Mode::Inference, _) if p.kv_dtype != Dtype::Fp8 => Some(Params { kv_dtype: Dtype::Fp8, ..p }),
        (Mode::Training, Optimizer::AdamW) => Some(Params { optimizer: Optimizer::Adam8bit, ..p }),
        _ => None,
    };
    let larger = hardware::larger(params.gpu);
    let largest = larger.iter().max_by(|a, b| a.memory.0.total_cmp(&b.memory.0)).copied();
    let powers = |from: u32| (from..=16).map(|i| 1_u64 << i);
    let split = |p: Params| {
        let shaped = p.model.shape().is_some();
        [2, 4, 8].into_iter().filter(move |tp| shaped && *tp > p.layout.tp).map(move |tp| {
            let mut split = p;
            split.layout.tp = tp;
            if activations { lean(split) } else { split }
        })
    };

    // Where activations are counted a sequence may be divided; in place of data parallelism that takes no more GPUs.
    let contexts = |p: Params| {
        let shaped = p.model.shape().is_some() && activations;
        CONTEXTS.into_iter().filter(move |cp| shaped && *cp > p.layout.cp).map(move |cp| {
            let mut divided = p;
            divided.layout.cp = cp;
            again(divided)
        })
    };
    let in_place = |p: Params| {
        contexts(p).filter_map(move |divided| {
            let times = divided.layout.cp / p.layout.cp.max(1);
            let is_whole = p.dp.is_multiple_of(times) && divided.layout.cp.is_multiple_of(p.layout.cp.max(1));
            is_whole.then_some(Params { dp: p.dp / times, ..divided })
        })
    };

    let candidates = || {
        stages(*params)
            .chain(leaner.clone().flat_map(stages))
            .chain(in_place(*params).flat_map(stages))
            .chain([2, 4].into_iter().filter_map(ranks).flat_map(stages))
            .chain(eight_bit(*params).into_iter().flat_map(stages))
            .chain(larger.iter().flat_map(|gpu| stages(Params { gpu, ..*params })))
            .chain(split(*params).flat_map(stages))
            .chain(split(*params).filter(|_| activations).map(again).flat_map(stages))
            .chain(contexts(*params).flat_map(stages))
            .chain(powers(3).filter_map(ranks).flat_map(stages))
            .chain(powers(0).filter_map(ranks).flat_map(|p| {
                let p = if activations { again(Params { zero: 3, ..p }) } else { Params { zero: 3, ..p } };
                let p = eight_bit(p).unwrap_or(p);
                largest.map(|gpu| Params { gpu, ..p })
            }))
            .chain(split(*params).filter(|_| !training).filter_map(|p| {
                let p = eight_bit(p).unwrap_or(p);
                largest.map(|gpu| Params { gpu, ..p })
            }))
    };
    let sized = |p: Params, least: Verdict| {
        let (total, verdict) = p.judged()?;
        (verdict >= least).then_some((p, total, verdict))
    };
    let found = candidates().find_map(|p| sized(p, Verdict::Fits));
    match found.or_else(|| candidates().find_map(|p| sized(p, Verdict::Tight))) {
        Some((found, total, verdict)) => {
            let mut suggestion = describe(params, found, total, verdict);
            if found.gpu != params.gpu {
                let is_less =
                    |gpu: &&&hardware::Accelerator| !hardware::is_common(gpu) && gpu.memory.0 < found.gpu.memory.0;
                let others =
                    larger.iter().filter(is_less).filter(|gpu| sized(Params { gpu, ..found }, Verdict::Fits).is_some());
                let others: Vec<String> = others.take(2).map(|gpu| gpu.name.to_owned()).collect();
                if !others.is_empty() && hardware::is_common(found.gpu) {
                    suggestion.sentence += &format!(" The {} would do as well.", others.join(" or the "));
                }
                let more = powers(1).filter_map(ranks).find_map(|p| sized(Params { zero: 3, ..p }, Verdict::Fits));
                suggestion.sentence += &more.map_or_else(String::new, |(p, ..)| {
                    format!(" It also fits on {} GPUs like yours with ZeRO\u{2011}3.", grouped(p.gpus() as u64))
                });
            }
            suggestion
        }
        None => {
            let tried = if training {
                let divided = match (activations && params.model.shape().is_some(), CONTEXTS.last()) {
                    (true, Some(most)) => format!("not context parallelism over {most}, "),
                    _ => String::new(),
                };
                format!("not ZeRO-3, {divided}not {} ranks, not an 8-bit optimizer, not a larger GPU", grouped(MAX_DP))
            } else {
                "not an 8-bit cache, not eight-way tensor parallelism, not a larger GPU".to_owned()
            };
            let rest = match (training, params.model.shape()) {
                (false, _) => "Fewer or shorter sequences would.",
                (_, Some(_)) => "More of the model has to be split, or its states moved off the GPU.",
                (_, None) => "The model itself has to be split, or its states moved off the GPU.",
            };
            let sentence = format!("Nothing tried makes it fit: {tried}. {rest}");
            Suggestion { change: Query::default(), params: *params, total: here, sentence }
        }
    }
}

fn describe(from: &Params, to: Params, total: Bytes, verdict: Verdict) -> Suggestion {
    let mut change = Query::default();
    let mut how = Vec::new();
    if to.zero != from.zero {
        change.set("zero", to.zero.to_string());
        how.push(format!("ZeRO\u{2011}{}", to.zero));
    }
    if to.flash != from.flash {
        change.set("flash", "true");
        how.push("FlashAttention".to_owned());
    }
    if to.layout.tp != from.layout.tp {
        change.set("tp", to.layout.tp.to_string());
        how.push(format!("tensor parallelism over {}", to.layout.tp));
    }
    if to.layout.sp != from.layout.sp {
        change.set("sp", if to.layout.sp { "true" } else { "false" });
        how.push("sequence parallelism".to_owned());
    }
    if to.layout.cp != from.layout.cp {
        change.set("cp", to.layout.cp.to_string());
        how.push(format!("context parallelism over {}", to.layout.cp));
    }
    if to.recompute != from.recompute {
        change.set("recompute", to.recompute.id());
        how.push("full recomputation".to_owned());
    }
    if to.dp != from.dp {
        change.set("dp", to.dp.to_string());
        // The same GPUs divide sequences instead of batches.
        let ranks = if to.gpus() == from.gpus() { "data-parallel ranks" } else { "ranks" };
        how.push(format!("{} {ranks} instead of {}", grouped(to.dp), grouped(from.dp)));
    }
    if to.optimizer != from.optimizer {
        change.set("optimizer", to.optimizer.id());
        how.push(to.optimizer.label().to_owned());
    }
    if to.kv_dtype != from.kv_dtype {
        change.set("kv_dtype", to.kv_dtype.id());
        how.push(format!("a cache in {}", to.kv_dtype.id()));
    }
    if to.gpu != from.gpu {
        change.set("gpu", to.gpu.id);
        how.push(format!("the {}", to.gpu.name));
    }
    let cost = match (from.zero, to.zero) {
        _ if to.gpus() != from.gpus() || to.gpu != from.gpu => "",
        _ if to.optimizer != from.optimizer => " It changes the numerics: check the loss curve.",
        _ if to.kv_dtype != from.kv_dtype => " It changes the numerics: check the answers.",
        _ if to.layout.cp != from.layout.cp => {
            " Keys and values travel around a ring, and fewer sequences run at the same time."
        }
        _ if to.recompute != from.recompute => " It costs one more forward pass in each step: a third more FLOPs.",
        (0..3, 3) => " It costs 1.5 times the communication: 3Ψ instead of 2Ψ a step.",
        _ if to.flash != from.flash => " It costs nothing: FlashAttention is also faster.",
        _ => " It costs no more communication than plain data parallelism.",
    };
    let left = to.gpu.memory - total;
    let fits = if verdict == Verdict::Tight { "may just fit" } else { "fits" };
    let how = listed(&how);
    let leads = match (to.gpus() != from.gpus(), to.gpu != from.gpu) {
        (false, false) => format!("The cheapest change that {fits} is {how}"),
        (true, false) => format!("It {fits} on more GPUs, with {how}"),
        (false, true) => format!("It {fits} on a larger GPU, with {how}"),
        (true, true) => format!("It {fits} on more and larger GPUs, with {how}"),
    };
    let sentence = format!(
        "{leads}: {} on each GPU, with {} left{}.{cost}",
        bytes_decimal(total.0),
        bytes_decimal(left.0),
        if counts_load(&to) { "" } else { what_is_left(&to) }
    );
    Suggestion { change, params: to, total, sentence }
}

/// "With ZeRO-2", or "Without ZeRO".
fn with_stage(stage: u8) -> String {
    if stage == 0 { "Without ZeRO".to_owned() } else { format!("With ZeRO\u{2011}{stage}") }
}

pub(super) fn finding(b: &Breakdown) -> String {
    let p = &b.params;
    let (total, capacity) = (bytes_decimal(b.total.0), bytes_decimal(b.capacity.0));
    let gpus = p.gpus();
    let ranks = if gpus == 1.0 { "on one GPU".to_owned() } else { format!("over {} GPUs", grouped(gpus as u64)) };
    let how = match p.mode {
        Mode::Training => with_stage(p.zero),
        Mode::Inference => "Serving".to_owned(),
    };
    let each = if b.pipeline.len() > 1 { "the fullest GPU" } else { "each GPU" };
    let verdict = if b.headroom.0 >= 0.0 {
        let left = bytes_decimal(b.headroom.0);
        let what = if counts_load(p) { "" } else { what_is_left(p) };
        format!("{how} {ranks}, {each} holds {total} and has {left} of its {capacity} left{what}.")
    } else {
        let over = bytes_decimal(-b.headroom.0);
        format!("{how} {ranks}, {each} would hold {total}: {over} more than the {capacity} it has.")
    };
    let first = match b.first_stage_that_fits() {
        _ if p.mode == Mode::Inference => String::new(),
        None if p.dp == 1 => " A single GPU has nobody to share with, so no ZeRO stage helps.".to_owned(),
        None => " No ZeRO stage fits at these settings.".to_owned(),
        Some(row) if row.stage == 0 => match row.verdict {
            Verdict::Tight => " Without ZeRO it is tight.".to_owned(),
            _ => " It fits without ZeRO.".to_owned(),
        },
        Some(row) => {
            let (stage, left) = (row.stage, (b.capacity - row.total).0);
            match stage == p.zero {
                true => format!(" ZeRO\u{2011}{stage} is the first stage that fits."),
                false => {
                    let left = bytes_decimal(left);
                    let what = if counts_load(p) { "" } else { what_is_left(p) };
                    format!(" ZeRO\u{2011}{stage} is the first stage that fits, with {left} left{what}.")
                }
            }
        }
    };
    let largest = Concept::ALL.into_iter().rev().max_by(|x, y| b.parts.of(*x).0.total_cmp(&b.parts.of(*y).0));
    let share = largest.map_or(String::new(), |concept| {
        let percent = if b.total.0 > 0.0 { b.parts.of(concept) / b.total * 100.0 } else { 0.0 };
        let percent = number(percent.round());
        let verb = if concept == Concept::KvCache { "is" } else { "are" };
        format!(" The {} {verb} the largest part, {percent}% of the total.", concept.in_text())
    });
    format!("{verdict}{first}{share}")
}

/// Whether activations or a cache are counted.
fn counts_load(p: &Params) -> bool {
    p.seq.is_some()
}

/// What the rest of the memory has to hold if they are not.
fn what_is_left(p: &Params) -> &'static str {
    match p.mode {
        Mode::Training => " for activations",
        Mode::Inference => " for the KV cache",
    }
}

pub(super) fn verdict(b: &Breakdown) -> [String; 2] {
    let p = &b.params;
    let (margin, capacity) = (bytes_decimal(b.headroom.0.abs()), bytes_decimal(b.capacity.0));
    if b.headroom.0 < 0.0 {
        return [format!("Does not fit: {margin} more than {capacity}."), String::new()];
    }
    let also = if counts_load(p) { String::new() } else { format!(",{} too", what_is_left(p)) };
    let range = b.overhead.total();
    let (headline, judged) = match b.verdict {
        Verdict::Fits => (format!("Fits: {margin} of {capacity} left{also}."), "which fits too"),
        Verdict::Tight => (format!("Tight: {margin} of {capacity} left{also}."), "so try it before you rely on it"),
        Verdict::DoesNotFit => (format!("Does not fit: only {margin} of {capacity} left{also}."), "more than is left"),
    };
    let rest = format!(
        "CUDA, communication buffers and fragmentation take another {} to {}, {judged}.",
        bytes_decimal(range.low.0),
        bytes_decimal(range.high.0)
    );
    [headline, rest]
}

/// A stage of ZeRO by the name that people know.
fn stage_name(stage: u8) -> String {
    match stage {
        0 => "DDP".to_owned(),
        3 => "ZeRO\u{2011}3/FSDP".to_owned(),
        stage => format!("ZeRO\u{2011}{stage}"),
    }
}

pub(super) fn answer(b: &Breakdown) -> [String; 2] {
    let [headline, rest] = verdict(b);
    if !b.verdict.possible() {
        let change = b.suggestion().map(|suggestion| format!(" {}", suggestion.sentence)).unwrap_or_default();
        return [format!("{headline} {rest}").trim_end().to_owned(), change];
    }
    [fits(b, &headline, &rest), String::new()]
}

/// What fits, with what left, and which simpler stages don't.
fn fits(b: &Breakdown, headline: &str, rest: &str) -> String {
    let p = &b.params;
    let simpler = b.stages.iter().rev().filter(|row| row.stage < p.zero && !row.verdict.possible());
    let simpler: Vec<String> =
        simpler.map(|row| format!("{} ({})", stage_name(row.stage), bytes_decimal(row.total.0))).collect();
    if p.mode == Mode::Inference || p.zero == 0 {
        return format!("{headline} {rest}");
    }
    let fits = if b.verdict == Verdict::Tight { "May just fit" } else { "Fits" };
    let (held, left) = (bytes_decimal(b.total.0), bytes_decimal(b.headroom.0));
    let (what, of) = if counts_load(p) { ("", "") } else { (" of states", what_is_left(p)) };
    let not = match simpler.as_slice() {
        [] => String::new(),
        [one] => format!(" Not with {one}."),
        [most @ .., last] => format!(" Not with {} or {last}.", most.join(", ")),
    };
    format!("{fits} with {}: {held}{what} per GPU, {left} left{of}.{not} {rest}", stage_name(p.zero))
}

pub(super) fn why_worst(b: &Breakdown) -> Option<String> {
    let least = b.pipeline.iter().min_by(|x, y| x.parts.total().0.total_cmp(&y.parts.total().0))?;
    let (worst, n) = (&b.worst, b.pipeline.len());
    if n < 2 {
        return None;
    }
    let total = worst.parts.total() - least.parts.total();
    if total.0 <= 0.0 {
        return Some(format!("All {} stages hold the same.", grouped(n as u64)));
    }
    let more =
        |bytes: Bytes| format!("{} {}", bytes_decimal(bytes.0.abs()), if bytes.0 < 0.0 { "less" } else { "more" });
    let mut reasons = Vec::new();
    let load = worst.parts.activations - least.parts.activations;
    if load.0 != 0.0 {
        let (here, there) = (number(worst.stage.in_flight), number(least.stage.in_flight));
        let why = if here == there {
            format!("with {here} micro-batches in flight on both")
        } else {
            format!("with {here} micro-batches in flight here and {there} there")
        };
        reasons.push(format!("Its activations are {}, {why}.", more(load)));
    }
    let cache = worst.parts.kv_cache - least.parts.kv_cache;
    if cache.0 != 0.0 {
        reasons.push(format!("Its KV cache is {}.", more(cache)));
    }
    let states = worst.parts.states() - least.parts.states();
    if states.0 != 0.0 {
        let (here, there) = (holds(worst, n), holds(least, n));
        reasons.push(format!("Its model states are {}: it has {here}; the other, {there}.", more(states)));
    }
    Some(format!(
        "Stage {} of {} is the fullest: {}, which is {} more than stage {}. {}",
        grouped(worst.stage.index + 1),
        grouped(n as u64),
        bytes_decimal(worst.parts.total().0),
        bytes_decimal(total.0),
        grouped(least.stage.index + 1),
        reasons.join(" ")
    ))
}

/// "the embedding and 11 layers".
fn holds(row: &PipelineRow, stages: usize) -> String {
    let mut parts = Vec::new();
    if row.stage.index == 0 {
        parts.push("the embedding".to_owned());
    }
    parts.push(match row.stage.layers {
        1 => "1 layer".to_owned(),
        n => format!("{} layers", grouped(n)),
    });
    if row.stage.index + 1 == stages as u64 {
        parts.push("the head".to_owned());
    }
    listed(&parts)
}

pub(super) fn each(b: &Breakdown, concept: Concept) -> String {
    // Routed experts come twice, with the same bytes a parameter.
    let rows: Vec<&Row> = b.rows.iter().filter(|r| r.concept == concept && !r.of_experts).collect();
    match rows.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.formula.clone(),
        many if concept == Concept::Activations => {
            let name = |r: &&Row| format!("{} {}", r.id.trim_start_matches("activations-"), bytes_decimal(r.bytes.0));
            many.iter().map(name).collect::<Vec<_>>().join(", ")
        }
        many => {
            let bytes: Vec<String> =
                many.iter().filter_map(|r| Some(format!("{} {}", r.id, number(r.each?)))).collect();
            // What isn't an element for each parameter has a name, and its bytes in the table.
            let others = many.iter().filter(|r| r.each.is_none()).map(|r| format!(", {}", in_a_sentence(&r.label)));
            format!("{} bytes{}", bytes.join(", "), others.collect::<String>())
        }
    }
}

/// A label within a sentence: its first letter is small.
fn in_a_sentence(label: &str) -> String {
    let mut letters = label.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

pub(super) fn notes(params: &Params, size: &ModelSize) -> Vec<String> {
    let mut notes = Vec::new();
    let counted = matches!(params.model, ModelRef::Count(_));
    match params.convention {
        Convention::Zero => {}
        Convention::DeepSpeed => {
            if params.zero < 2 {
                notes.push(
                    "DeepSpeed has estimators for stages 2 and 3; stages 0 and 1 are counted here by the same rule."
                        .to_owned(),
                );
            }
            if params.zero == 3 && counted {
                notes.push(format!(
                    "The largest layer is not known from a number of parameters; an embedding of {} rows and width {} is \
                     assumed ({} parameters).",
                    grouped(ASSUMED_VOCABULARY as u64),
                    grouped(assumed_width(size.params).round() as u64),
                    grouped(size.largest_layer as u64)
                ));
            }
        }
        Convention::Megatron => {
            if params.zero == 1 {
                notes.push("ZeRO-1 is what Megatron-LM calls the distributed optimizer: 6 + 12/dp bytes.".to_owned());
            }
            if params.zero >= 2 {
                notes.push(
                    "Megatron-LM’s report stops at the distributed optimizer; stages 2 and 3 are its FSDP’s optim_grads \
                     and optim_grads_params, counted by the same rule."
                        .to_owned(),
                );
            }
        }
    }
    if params.mode == Mode::Inference {
        return inference_notes(params);
    }
    if counts_load(params) {
        let whose = match params.counting {
            Counting::Paper => "by the formula of Korthikanti et al. (arXiv:2205.05198)",
            Counting::Architecture => "as this architecture keeps them",
        };
        let flash = if params.flash { "with FlashAttention" } else { "with the attention matrix stored" };
        notes.push(format!("Activations are counted {whose}, {flash}, at the highest point of a step."));
    }
    if counted && params.layout.model_ranks() > 1.0 {
        notes.push("A number of parameters is divided evenly over tensor-parallel and pipeline ranks.".to_owned());
    }
    if !params.dtype.is_mixed() && params.convention != Convention::Zero {
        notes.push("In fp32 there is no master copy and no second gradient copy: all conventions agree.".to_owned());
    }
    match params.optimizer {
        Optimizer::Adafactor if counted => notes.push(format!(
            "Adafactor’s states depend on the shapes of the matrices; width {} is assumed, from 12 L h² parameters with h \
             = 128 L.",
            grouped(assumed_width(size.params).round() as u64)
        )),
        Optimizer::Muon if counted => notes.push(
            "Muon leaves embedding, head and norms to AdamW; with only a number of parameters, all of them are taken as \
             hidden matrices."
                .to_owned(),
        ),
        _ => {}
    }
    notes
}

fn inference_notes(params: &Params) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(shape) = params.model.shape() {
        let kind = kv::Kind::of(shape);
        notes.push(format!("This model has {}.", kind.label()));
        let shared = match kind {
            kv::Kind::Latent => 1,
            _ => shape.kv_heads(),
        };
        if params.layout.tp > shared {
            notes.push("With more tensor-parallel ranks than it has key–value heads, ranks keep copies.".to_owned());
        }
        if shape.sliding.is_some() {
            notes.push("Layers with a sliding window keep no more than that many tokens.".to_owned());
        }
    }
    notes
}
