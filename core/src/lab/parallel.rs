//! Lab 07: tensor parallelism's sums and 1F1B's bubble.

use super::block::Block;
use super::{ROUNDOFF, Rows, Within};
use crate::pipeline::{Params, Schedule};
use crate::quantity::Unit;

/// How far the time of a pipelined step may be from the model's.
const NEAR: f64 = 1.5;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let world = block.whole("world", 1.0, 1e7);
    let [width, count] = ["width", "rows"].map(|name| block.whole(name, 1.0, 1e7));
    let forward = block.number("forward_error", 0.0, 1e30);
    let backward = block.number("backward_error", 0.0, 1e30);
    let reduced = block.bytes("reduced_bytes");
    let times = block.rows::<2>("times");
    // A sum of 4·width products in any order: γₙ ≈ n u is the bound, √n u what rounding at random leaves (Higham, §2.8); with some room.
    let bound = 16.0 * (4.0 * width).sqrt() * ROUNDOFF;
    let wrong = |_: f64| "More than rounding explains: a rank has the wrong piece, or a sum is missing.".to_owned();
    rows.add("Tensor parallel, forward: largest difference", (bound, forward), Unit::Ratio, Within::AtMost, wrong);
    rows.add("Tensor parallel, backward: largest difference", (bound, backward), Unit::Ratio, Within::AtMost, wrong);
    rows.add(
        "All-reduced by one MLP, forward and backward",
        (2.0 * 4.0 * count * width, reduced),
        Unit::Bytes,
        Within::Exactly,
        |_| "One sum of the rows each way, whatever the number of ranks: was an all-gather added?".into(),
    );
    // What one micro-batch takes in a stage: what another one adds once the pipeline is full.
    if let [.., [m1, t1], [m2, t2]] = times.as_slice() {
        let each = if m2 > m1 { (t2 - t1) / (m2 - m1) } else { 0.0 };
        for &[m, took] in times.iter().filter(|_| each > 0.0) {
            let predicted = step(world, m).0 * each;
            rows.add(
                format!("1F1B with {m} micro-batches"),
                (predicted, took),
                Unit::Seconds,
                Within::Times(NEAR),
                |ratio| {
                    if ratio > 1.0 {
                    "Longer than m + p − 1 slots: sending takes its time too, and the slowest stage sets the pace."
                } else {
                    "Shorter than m + p − 1 slots: the stages are not alike, or the two largest runs were disturbed."
                }
                .into()
                },
            );
        }
    }
    let longest = times.last().map_or(1.0, |[m, _]| *m);
    rows.finding = format!(
        "With {world} stages the bubble is {} of a step at 1 micro-batch and {} at {longest}.",
        Unit::Fraction.format(step(world, 1.0).1),
        Unit::Fraction.format(step(world, longest).1),
    );
    rows
}

/// A step of 1F1B in forwards and backwards of one micro-batch in one stage, and its idle share: chapter 11's simulation.
fn step(stages: f64, microbatches: f64) -> (f64, f64) {
    let (stages, microbatches) = (stages as u32, microbatches as u32);
    let work = Params { forward: 1.0, input: 1.0, weight: 1.0, slow_by: 1.0, ..Params::default() };
    let params = Params { stages, microbatches, ..work };
    let one = params.forward + params.input + params.weight;
    params
        .timeline(Schedule::OneForwardOneBackward)
        .map_or((0.0, 0.0), |t| (t.makespan() / one, t.idle_share(t.makespan())))
}
