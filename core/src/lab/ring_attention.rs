//! Lab 10: ring attention against attention on one rank, what goes round, and who has how much of the causal work.

use super::block::Block;
use super::{ROUNDOFF, Rows, Within};
use crate::quantity::Unit;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let world = block.whole("world", 1.0, 1e7);
    let [tokens, heads, size] = ["tokens", "heads", "size"].map(|name| block.whole(name, 1.0, 1e7));
    let mut worst = [0.0; 2];
    block.within("splits", |splits| {
        for ((name, label), worst) in [("contiguous", "Contiguous"), ("zigzag", "Zig-zag")].into_iter().zip(&mut worst)
        {
            splits.within(name, |split| {
                let error = split.number("error", 0.0, 1e30);
                let measured = split.numbers("pairs");
                let sent = split.bytes("sent");
                // Weighted sums of `tokens` values, rescaled once a block: rounding that adds up at random, with room.
                let bound = 16.0 * (tokens * size).sqrt() * ROUNDOFF;
                rows.add(
                    format!("{label}: largest difference from one rank"),
                    (bound, error),
                    Unit::Ratio,
                    Within::AtMost,
                    |_| "More than rounding explains: a block was left out, met twice, or not rescaled.".into(),
                );
                // All other ranks’ keys and values, in fp32.
                let bytes = 2.0 * 4.0 * heads * size * tokens * (world - 1.0) / world;
                rows.add(format!("{label}: sent per rank"), (bytes, sent), Unit::Bytes, Within::Exactly, |_| {
                    "Every block of keys and values leaves each rank once, but for the last.".into()
                });
                *worst = measured.iter().copied().fold(0.0, f64::max);
                let most = if name == "zigzag" { zigzag(tokens, world) } else { contiguous(tokens, world) };
                rows.add(
                    format!("{label}: pairs of the busiest rank"),
                    (most, *worst),
                    Unit::Count,
                    Within::Exactly,
                    |_| "The ranks have other tokens than the split says.".into(),
                );
            });
        }
    });
    let even = tokens * (tokens + 1.0) / 2.0 / world;
    rows.finding = format!(
        "The busiest of {world} ranks has {} times the average work if the sequence is cut in order, and {} times if it is cut zig-zag.",
        crate::quantity::number(worst[0] / even),
        crate::quantity::number(worst[1] / even),
    );
    rows
}

/// Pairs of query and key that the last rank computes, of a sequence cut in order: its own triangle and all columns before it.
fn contiguous(tokens: f64, world: f64) -> f64 {
    let own = tokens / world;
    own * (own + 1.0) / 2.0 + own * (tokens - own)
}

/// Pairs that every rank computes, of a sequence cut zig-zag: the same for all.
fn zigzag(tokens: f64, world: f64) -> f64 {
    tokens * (tokens + 1.0) / 2.0 / world
}
