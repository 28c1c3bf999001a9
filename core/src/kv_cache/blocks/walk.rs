//! What the attention kernel reads for one query: block after block of a table, wherever each lies.
//!
//! Token i lies in slot `table[i / block] · block + i mod block`. Scores and the weighted sum are taken block by block, with the
//! running maximum and sum of FlashAttention (chapter 18), so the order in which blocks lie in memory does not matter.

use std::collections::BTreeMap;

use crate::mix::Stream;

/// Width of the head that is computed.
pub const WIDE: usize = 4;

/// A vector of the head.
pub type Vector = [f64; WIDE];

/// A key and a value.
type Pair = (Vector, Vector);

/// What is known after a block has been read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// Which block of the sequence.
    pub logical: usize,
    /// Where it lies.
    pub physical: u32,
    /// Its first slot.
    pub slot: u64,
    /// Tokens in it.
    pub tokens: u64,
    /// The largest score so far.
    pub maximum: f64,
    /// The sum of exp(score − maximum) so far.
    pub sum: f64,
    /// The weighted sum of values so far, divided by `sum`.
    pub output: Vector,
}

/// The slot of a token of a sequence with this table.
pub fn slot(table: &[u32], block: u64, token: u64) -> Option<u64> {
    let block = block.max(1);
    let physical = table.get(usize::try_from(token / block).ok()?)?;
    Some(u64::from(*physical) * block + token % block)
}

fn vector(draws: &mut Stream) -> Vector {
    std::array::from_fn(|_| draws.normal())
}

/// Keys and values of so many tokens, and a query: made up, the same for the same sequence.
pub fn made_up(sequence: u64, tokens: u64) -> (Vector, Vec<Pair>) {
    let mut draws = Stream::new(sequence);
    let query = vector(&mut draws);
    (query, (0..tokens).map(|_| (vector(&mut draws), vector(&mut draws))).collect())
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
}

/// Attention over all tokens at once, as over one tensor.
pub fn at_once(query: &Vector, pairs: &[Pair]) -> Vector {
    let scores: Vec<f64> = pairs.iter().map(|(key, _)| dot(query, key) / (WIDE as f64).sqrt()).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|s| (s - most).exp()).sum();
    let mut output = [0.0; WIDE];
    for (score, (_, value)) in scores.iter().zip(pairs) {
        for (out, v) in output.iter_mut().zip(value) {
            *out += (score - most).exp() / sum * v;
        }
    }
    output
}

/// Attention of the last of `tokens` tokens of a sequence, block by block.
pub fn walk(table: &[u32], block: u64, tokens: u64, sequence: u64) -> Vec<Visit> {
    let block = block.max(1);
    let (query, pairs) = made_up(sequence, tokens);
    let place = |(i, pair): (usize, &Pair)| Some((slot(table, block, i as u64)?, *pair));
    let memory: BTreeMap<u64, Pair> = pairs.iter().enumerate().filter_map(place).collect();
    let (mut maximum, mut sum, mut weighted) = (f64::NEG_INFINITY, 0.0, [0.0; WIDE]);
    let mut visits = Vec::new();
    for (logical, physical) in table.iter().enumerate() {
        let slot = u64::from(*physical) * block;
        let here = tokens.saturating_sub(logical as u64 * block).min(block);
        let read: Vec<&Pair> = memory.range(slot..slot + here).map(|(_, pair)| pair).collect();
        if read.is_empty() {
            break;
        }
        let scores: Vec<f64> = read.iter().map(|(key, _)| dot(&query, key) / (WIDE as f64).sqrt()).collect();
        let most = scores.iter().copied().fold(maximum, f64::max);
        let shrink = (maximum - most).exp();
        sum *= shrink;
        weighted.iter_mut().for_each(|w| *w *= shrink);
        for (score, (_, value)) in scores.iter().zip(&read) {
            let weight = (score - most).exp();
            sum += weight;
            weighted.iter_mut().zip(value).for_each(|(w, v)| *w += weight * v);
        }
        maximum = most;
        let output = weighted.map(|w| w / sum);
        visits.push(Visit { logical, physical: *physical, slot, tokens: here, maximum, sum, output });
    }
    visits
}
