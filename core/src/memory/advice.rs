//! Sentences about a breakdown: what the picture says, what would make it fit, and whose numbers these are.

use super::breakdown::{Breakdown, MAX_DP, Params};
use super::convention::{Concept, Convention};
use super::optimizer::Optimizer;
use crate::hardware;
use crate::model::reference::{ASSUMED_VOCABULARY, assumed_width};
use crate::model::{ModelRef, ModelSize};
use crate::quantity::{bytes_decimal, grouped, number};
use crate::query::Query;
use crate::units::Bytes;

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

/// The share of a GPU's memory that a change should leave for all that is not counted, if any change does.
const ROOM: f64 = 0.05;

/// The first change that fits with [`ROOM`] to spare, in order of what it costs: a higher ZeRO stage (free up to 2; at 3 half as much
/// communication again), up to four times the ranks, an 8-bit optimizer (another numerics), a larger GPU, any number of
/// ranks, and then all of them together.
pub(super) fn cheapest(params: &Params, size: &ModelSize) -> Suggestion {
    let fits = |p: &Params, share: f64| p.total(size).0 <= p.gpu.memory.0 * share;
    let stages = |p: Params| (p.zero..=3).map(move |zero| Params { zero, ..p });
    let ranks = |times: u64| {
        let dp = params.dp.saturating_mul(times);
        (dp <= MAX_DP).then_some(Params { dp, zero: params.zero.max(1), ..*params })
    };
    let eight_bit = |p: Params| match p.optimizer {
        Optimizer::AdamW => Some(Params { optimizer: Optimizer::Adam8bit, ..p }),
        _ => None,
    };
    let mut larger: Vec<_> = hardware::ALL.iter().filter(|a| a.memory.0 > params.gpu.memory.0).collect();
    larger.sort_by(|a, b| a.memory.0.total_cmp(&b.memory.0));
    let powers = |from: u32| (from..=16).map(|i| 1_u64 << i);

    let candidates = || {
        stages(*params)
            .chain([2, 4].into_iter().filter_map(ranks).flat_map(stages))
            .chain(eight_bit(*params).into_iter().flat_map(stages))
            .chain(larger.iter().flat_map(|gpu| stages(Params { gpu, ..*params })))
            .chain(powers(3).filter_map(ranks).flat_map(stages))
            .chain(powers(0).filter_map(ranks).flat_map(|p| {
                let p = eight_bit(Params { zero: 3, ..p }).unwrap_or(Params { zero: 3, ..p });
                larger.last().map(|gpu| Params { gpu, ..p })
            }))
    };
    let found = candidates().find(|p| fits(p, 1.0 - ROOM)).or_else(|| candidates().find(|p| fits(p, 1.0)));
    match found {
        Some(found) => describe(params, found, found.total(size)),
        None => {
            let sentence = format!(
                "Nothing tried makes it fit: not ZeRO-3, not {} ranks, not an 8-bit optimizer, not a larger GPU. The \
                 model itself has to be split, or its states moved off the GPU.",
                grouped(MAX_DP)
            );
            Suggestion { change: Query::default(), params: *params, total: params.total(size), sentence }
        }
    }
}

fn describe(from: &Params, to: Params, total: Bytes) -> Suggestion {
    let mut change = Query::default();
    let mut how = Vec::new();
    if to.zero != from.zero {
        change.set("zero", to.zero.to_string());
        how.push(format!("ZeRO-{}", to.zero));
    }
    if to.dp != from.dp {
        change.set("dp", to.dp.to_string());
        how.push(format!("{} ranks instead of {}", grouped(to.dp), grouped(from.dp)));
    }
    if to.optimizer != from.optimizer {
        change.set("optimizer", to.optimizer.id());
        how.push(to.optimizer.label().to_owned());
    }
    if to.gpu != from.gpu {
        change.set("gpu", to.gpu.id);
        how.push(format!("the {}", to.gpu.name));
    }
    let cost = match (from.zero, to.zero) {
        _ if to.dp != from.dp => " It costs more GPUs.",
        _ if to.gpu != from.gpu => " It costs a larger GPU.",
        _ if to.optimizer != from.optimizer => " It changes the numerics: check the loss curve.",
        (0..3, 3) => " It costs half as much communication again: 3Ψ instead of 2Ψ a step.",
        _ => " It costs no more communication than plain data parallelism.",
    };
    let left = to.gpu.memory - total;
    let sentence = format!(
        "The cheapest change that fits is {}: {} on each GPU, with {} left.{cost}",
        list(&how),
        bytes_decimal(total.0),
        bytes_decimal(left.0)
    );
    Suggestion { change, params: to, total, sentence }
}

/// "a", "a and b", "a, b and c".
fn list(items: &[String]) -> String {
    match items {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// "With ZeRO-2", or "Without ZeRO".
fn with_stage(stage: u8) -> String {
    if stage == 0 { "Without ZeRO".to_owned() } else { format!("With ZeRO-{stage}") }
}

pub(super) fn finding(b: &Breakdown) -> String {
    let p = &b.params;
    let (total, capacity) = (bytes_decimal(b.total.0), bytes_decimal(b.capacity.0));
    let ranks = match p.dp {
        1 => "on one GPU".to_owned(),
        n => format!("over {} GPUs", grouped(n)),
    };
    let verdict = if b.fits {
        let left = bytes_decimal(b.headroom.0);
        format!(
            "{} {ranks}, each GPU holds {total} and has {left} of its {capacity} left for activations.",
            with_stage(p.zero)
        )
    } else {
        let over = bytes_decimal(-b.headroom.0);
        format!("{} {ranks}, each GPU would hold {total}: {over} more than the {capacity} it has.", with_stage(p.zero))
    };
    let first = match b.first_stage_that_fits() {
        None if p.dp == 1 => " A single GPU has nobody to share with, so no ZeRO stage helps.".to_owned(),
        None => " No ZeRO stage fits at these settings.".to_owned(),
        Some(0) => " It fits without ZeRO.".to_owned(),
        Some(stage) => {
            let left = b.stages.get(usize::from(stage)).map_or(0.0, |s| (b.capacity - s.total).0);
            match stage == p.zero {
                true => format!(" ZeRO-{stage} is the first stage that fits."),
                false => format!(" ZeRO-{stage} is the first stage that fits, with {} left.", bytes_decimal(left)),
            }
        }
    };
    let parts =
        [(Concept::Weights, b.weights.0), (Concept::Gradients, b.gradients.0), (Concept::Optimizer, b.optimizer.0)];
    let largest = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let share = largest.map_or(String::new(), |(concept, bytes)| {
        let percent = if b.total.0 > 0.0 { bytes / b.total.0 * 100.0 } else { 0.0 };
        let what = concept.label().to_lowercase();
        format!(" The {what} are the largest part, {}% of the total.", number(percent.round()))
    });
    format!("{verdict}{first}{share}")
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
