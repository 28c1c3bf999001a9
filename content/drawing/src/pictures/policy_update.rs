//! The answers of a policy: how likely each is now, and how likely the reference finds it.

use ringside_core::post_training::policy::answers::ANSWERS;
use ringside_core::post_training::policy::{Params, Shown};
use ringside_core::quantity::Unit;

use super::played;
use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Piece};

/// A row for each answer, after the update that is on show.
pub fn answers(p: &Params, s: &Shown) -> Lanes {
    let at = played(p.step as usize, s.updates.len());
    let update = at.checked_sub(1).and_then(|i| s.updates.get(i));
    let rows = ANSWERS.iter().enumerate().map(|(i, answer)| {
        let now = update.and_then(|update| update.new.get(i)).copied().unwrap_or(answer.reference);
        let reference = Piece::new((answer.reference - 0.003).max(0.0), answer.reference + 0.003, Ink::Ink);
        let pieces = vec![Piece::new(0.0, now, Ink::Optimizer), reference];
        Lane { sum: Unit::Fraction.format(now), ..Lane::new(answer.text, pieces) }
    });
    let keys = [(Ink::Optimizer.into(), "probability now"), (Ink::Ink.into(), "reference")];
    Lanes::new(p.finding(s), Head::new("", &keys), rows.collect(), 1.0, None)
}
