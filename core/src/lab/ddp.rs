//! Lab 02: buckets, bits and overlap of data parallelism.

use super::block::Block;
use super::{Rows, Within};
use crate::ddp::assign;
use crate::quantity::Unit;

/// Of a step's compute, the part that is backward: two matmuls of three (Narayanan et al. 2021, §3.1).
const BACKWARD: f64 = 2.0 / 3.0;
const NEAR: f64 = 1.5;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let world = block.whole("world", 1.0, 1e7);
    let layers = block.whole("layers", 1.0, 10_000.0);
    let width = block.whole("width", 1.0, 1e6);
    let limit = block.number("bucket_mb", 0.0, 1e6) * 1024.0 * 1024.0;
    let sent = block.numbers("buckets");
    let same = block.flag("same_bits");
    let differs = block.flag("alone_differs");
    let [compute, overlap, serial, theirs] =
        ["compute_seconds", "overlap_seconds", "serial_seconds", "ddp_seconds"].map(|name| block.seconds(name));

    // From the last layer to the first: a layer's bias before its weight.
    let sizes: Vec<f64> = (0..layers as usize).flat_map(|_| [4.0 * width, 4.0 * width * width]).collect();
    let buckets = assign(sizes.iter().copied().enumerate(), &[limit]);
    let expected: Vec<f64> = buckets.iter().map(|b| b.iter().filter_map(|&i| sizes.get(i)).sum()).collect();
    let apart = |_: f64| "The script was changed, or its layers are not those that it reports.".to_owned();
    rows.add("Buckets", (expected.len() as f64, sent.len() as f64), Unit::Count, Within::Exactly, apart);
    let all = |list: &[f64]| list.iter().sum::<f64>();
    rows.add("Gradients in all buckets", (all(&expected), all(&sent)), Unit::Bytes, Within::Exactly, apart);
    let most = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
    rows.add("The largest bucket", (most(&expected), most(&sent)), Unit::Bytes, Within::Exactly, apart);
    rows.right(
        "Ours and DistributedDataParallel’s weights have the same bits",
        same,
        "With more than two ranks the order of a sum depends on how buckets are cut: DDP’s first iteration has a single bucket, and fp32 is not associative.",
    );
    rows.right(
        "Without communication they differ",
        differs || world < 2.0,
        "The weights are the same without any communication: the ranks were given the same rows, and the comparison proves nothing.",
    );
    let communication = (serial - compute).max(0.0);
    let hidden = compute + (communication - BACKWARD * compute).max(0.0);
    rows.add("A step with overlap", (hidden, overlap), Unit::Seconds, Within::Times(NEAR), |ratio| {
        if ratio > 1.0 {
            "Less was hidden than could be. On CPUs the all-reduce takes the cores that backward needs; on GPUs look for few, large buckets or a \
             slow last one."
        } else {
            "Faster than compute and communication allow: the runs did not meet the same load."
        }
        .into()
    });
    rows.add("DistributedDataParallel’s step", (overlap, theirs), Unit::Seconds, Within::Times(NEAR), |ratio| {
        if ratio > 1.0 {
            "DDP rebuilds its buckets after the first step and copies gradients into them: with steps of a few milliseconds that shows."
        } else {
            "DDP divides each gradient while it copies it into its bucket, and does so in C++: fewer kernels and less Python than our \
             lines need."
        }
        .into()
    });
    let gain = if serial > 0.0 { 1.0 - overlap / serial } else { 0.0 };
    rows.finding = if gain > 0.02 {
        format!("Overlap takes {} off a step of {}.", Unit::Fraction.format(gain), Unit::Seconds.format(serial))
    } else {
        format!(
            "Overlap gains nothing here: a step takes {} with it and {} without.",
            Unit::Seconds.format(overlap),
            Unit::Seconds.format(serial)
        )
    };
    rows
}
