//! Lab 05: what a rank holds under DeepSpeed's stages, in bf16.

use super::block::Block;
use super::states::states;
use super::{Rows, Within};
use crate::memory::Dtype;
use crate::quantity::Unit;

/// The fp32 copy of a parameter.
const MASTER: f64 = 4.0;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let world = block.whole("world", 1.0, 1e7);
    let params = block.whole("parameters", 1.0, 1e15);
    let padded = |_: f64| {
        "DeepSpeed pads flat groups to a multiple of the ranks; a config of your own may also keep states in another type, or offload them.".to_owned()
    };
    let stages = block.each("stages", |run| {
        let stage = run.whole("stage", 0.0, 3.0);
        let measured = ["parameters", "masters", "states"].map(|name| run.bytes(name));
        (stage, measured, run.number("loss", 0.0, 1e30), run.seconds("seconds"))
    });
    for &(stage, [weights, masters, moments], ..) in &stages {
        let [predicted, _, optimizer] = states(params, Dtype::Bf16, stage as u8, world);
        let ranks = if stage >= 1.0 { world } else { 1.0 };
        let master = MASTER * params / ranks;
        for (what, pair) in [
            ("weights in bf16", (predicted, weights)),
            ("fp32 copy", (master, masters)),
            ("Adam’s moments", (optimizer - master, moments)),
        ] {
            rows.add(format!("Stage {stage}: {what}"), pair, Unit::Bytes, Within::Exactly, padded);
        }
    }
    let sum = |(_, held, ..): &(f64, [f64; 3], f64, f64)| held.iter().sum::<f64>();
    rows.finding = match (stages.first(), stages.last()) {
        (Some(first), Some(last)) if stages.len() > 1 => format!(
            "From stage {} to stage {} a rank’s states go from {} to {}, gradients apart, and a step from {} to {}.",
            first.0,
            last.0,
            Unit::Bytes.format(sum(first)),
            Unit::Bytes.format(sum(last)),
            Unit::Seconds.format(first.3),
            Unit::Seconds.format(last.3)
        ),
        (Some(only), _) => {
            format!("Stage {}: {} of states on a rank, gradients apart.", only.0, Unit::Bytes.format(sum(only)))
        }
        _ => String::new(),
    };
    rows
}
