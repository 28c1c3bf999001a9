//! Lab 03: what a rank holds under ZeRO's stages, and what it sends.

use super::block::Block;
use super::states::states;
use super::{Rows, Within};
use crate::memory::Dtype;
use crate::quantity::Unit;

/// fp32.
const BYTES: f64 = 4.0;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let world = block.whole("world", 1.0, 1e7);
    let params = block.whole("parameters", 1.0, 1e15);
    let whole = |_: f64| {
        "A rank holds another share than an n-th: it keeps a whole copy, or was not sharded at all.".to_owned()
    };
    let mut least = f64::INFINITY;
    let mut losses = Vec::new();
    block.within("stages", |stages| {
        for stage in 0..=3_u8 {
            stages.within(&stage.to_string(), |held| {
                let names = ["parameters", "gradients", "states"];
                let measured = names.map(|name| held.bytes(name));
                for ((name, predicted), measured) in
                    names.into_iter().zip(states(params, Dtype::Fp32, stage, world)).zip(measured)
                {
                    let name = if name == "states" { "Adam’s moments" } else { name };
                    rows.add(
                        format!("Stage {stage}: {name}"),
                        (predicted, measured),
                        Unit::Bytes,
                        Within::Exactly,
                        whole,
                    );
                }
                least = least.min(measured.iter().sum());
                if stage < 3 {
                    // A reduce-scatter and an all-gather, or the all-reduce that is both: 2 Ψ (n − 1)/n (ZeRO, §7.1).
                    let sent = 2.0 * BYTES * params * (world - 1.0) / world;
                    let measured = held.bytes("sent");
                    rows.add(
                        format!("Stage {stage}: sent per rank in a step"),
                        (sent, measured),
                        Unit::Bytes,
                        Within::Exactly,
                        |_| "A ring sends (n − 1)/n of the buffer for each gather and each scatter: was one left out, or added?".into(),
                    );
                }
            });
        }
    });
    block.within("losses", |block| losses = ["0", "1", "2", "3"].map(|s| block.number(s, 0.0, 1e30)).to_vec());
    if let [first, rest @ ..] = losses.as_slice() {
        let apart = rest.iter().map(|loss| (loss - first).abs()).fold(0.0, f64::max);
        rows.add(
            "Loss after three steps, largest difference between the stages",
            (1e-4 * first.abs(), apart),
            Unit::Ratio,
            Within::AtMost,
            |_| "The stages do not compute the same: rounding differs by far less.".into(),
        );
    }
    // Only a GPU's allocator counts its peak. What it holds beyond the states is this script's own doing, so it is read and not kept.
    block.within("peaks", |peaks| {
        for stage in ["0", "1", "2", "3"] {
            peaks.maybe_number(stage, 0.0, 1e15);
        }
    });
    let all: f64 = states(params, Dtype::Fp32, 0, 1.0).iter().sum();
    rows.finding = format!(
        "Stage 3 leaves {} of model states on a rank, of {} without sharding. Stages 1 and 2 send what plain data parallelism sends.",
        Unit::Bytes.format(least),
        Unit::Bytes.format(all)
    );
    rows
}
