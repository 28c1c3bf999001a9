//! How many tokens an expert has room for, and which it drops.
//!
//! GShard (Lepikhin et al. 2020, arXiv:2006.16668) and Switch (Fedus et al. 2021, arXiv:2101.03961, §2.2) give every expert the
//! same room, a *capacity factor* over an even share, so that tensors have a fixed size. A token beyond it passes by that expert.

use super::route::Choice;
use crate::declare::Origin;

/// Where the room of an expert comes from.
pub const ORIGIN: Origin =
    Origin::Of("Lepikhin et al. 2020 (GShard), arXiv:2006.16668; Fedus et al. 2021 (Switch), arXiv:2101.03961, §2.2");

/// A capacity factor in millionths, so that 1.1 is 1.1.
const MILLION: u128 = 1_000_000;

/// Tokens that an expert has room for: factor × tokens × k / experts, rounded up, exactly.
///
/// Megatron-LM multiplies in float64 and DeepSpeed in float32, so a factor such as 1.1 may give them one more or one less
/// ([`rounded`]).
pub fn capacity(tokens: u64, top_k: u64, experts: u64, factor: f64) -> u64 {
    let factor = (factor.max(0.0) * MILLION as f64).round() as u128;
    let wanted = u128::from(tokens) * u128::from(top_k) * factor;
    let room = wanted.div_ceil((u128::from(experts) * MILLION).max(1));
    u64::try_from(room).unwrap_or(u64::MAX)
}

/// The same as libraries compute it: Megatron-LM's in float64, DeepSpeed's in float32.
pub fn rounded(tokens: u64, experts: u64, factor: f64) -> [u64; 2] {
    let (t, e) = (tokens as f64, experts.max(1) as f64);
    let wide = (t / e * factor).ceil() as u64;
    let narrow = ((t as f32 / e as f32) * factor as f32).ceil() as u64;
    [wide, narrow]
}

/// Who goes when an expert is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Drop {
    /// Whoever comes later in the batch.
    #[default]
    Position,
    /// Whoever weighs least.
    Weight,
    /// Whoever comes later, all first choices before all second ones (GShard).
    Choice,
}

crate::options!(Drop {
    Position: "position", "whoever comes last";
    Weight: "weight", "whoever weighs least";
    Choice: "choice", "second choices first";
});

/// Whether each choice of each token is kept, when an expert has room for `capacity` tokens.
pub fn keep(routed: &[Vec<Choice>], experts: usize, capacity: u64, drop: Drop) -> Vec<Vec<bool>> {
    let mut queue: Vec<(usize, usize)> = Vec::new();
    for (token, choices) in routed.iter().enumerate() {
        queue.extend((0..choices.len()).map(|slot| (token, slot)));
    }
    let weight = |&(token, slot): &(usize, usize)| {
        routed.get(token).and_then(|choices| choices.get(slot)).map_or(0.0, |choice| choice.weight)
    };
    match drop {
        Drop::Position => {}
        Drop::Weight => queue.sort_by(|a, b| weight(b).total_cmp(&weight(a))),
        Drop::Choice => queue.sort_by_key(|(_, slot)| *slot),
    }
    let mut kept: Vec<Vec<bool>> = routed.iter().map(|choices| vec![false; choices.len()]).collect();
    let mut room = vec![capacity; experts];
    for (token, slot) in queue {
        let choice = routed.get(token).and_then(|choices| choices.get(slot));
        let Some(left) = choice.and_then(|choice| room.get_mut(choice.expert)) else { continue };
        if *left > 0 {
            *left -= 1;
            if let Some(place) = kept.get_mut(token).and_then(|slots| slots.get_mut(slot)) {
                *place = true;
            }
        }
    }
    kept
}
