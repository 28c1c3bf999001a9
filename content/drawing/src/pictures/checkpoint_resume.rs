//! One flat tensor, cut as it was saved and as it is loaded.

use ringside_core::resume::{Params, Resumed};

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Piece};

/// The files over the ranks that load; what the rank on show reads stands out.
pub fn shards(p: &Params, r: &Resumed) -> Lanes {
    let rank = p.shown_rank();
    let (first, last) = r.shards.reads.get(rank as usize).copied().unwrap_or_default();
    let strip = |name: &str, count: u64, ink: Ink, is_lit: &dyn Fn(u64) -> bool| {
        let wide = 1.0 / count.max(1) as f64;
        let piece = |i: u64| {
            let from = i as f64 * wide;
            let tone = if is_lit(i) { ink.into() } else { Ink::Idle.at(30) };
            Piece::new(from, from + wide * 0.97, tone).text(i.to_string())
        };
        Lane::new(name, (0..count).map(piece).collect())
    };
    let rows = vec![
        strip("files", p.from, Ink::Weights, &|file| (first..=last).contains(&file)),
        strip("ranks that load", p.to, Ink::Optimizer, &|other| other == rank),
    ];
    let label = format!("Rank {rank} reads files {first} to {last}");
    Lanes::new(label.clone(), Head::new(label, &[]), rows, 1.0, None)
}
