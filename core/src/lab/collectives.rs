//! Lab 01: times of a collective by size, and the straight line through them.

use super::block::Block;
use super::{Rows, Within};
use crate::network::measured::fit;
use crate::quantity::Unit;
use crate::setup::{Measurable, Times};

/// How far a measurement may lie from the line: caches, protocols and sockets' buffers put steps into it that α and β do not have.
const NEAR: f64 = 2.0;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let world = block.whole("world", 1.0, 1e7);
    let op = block.text("op");
    // Steps that a ring takes, and how often the buffer goes over its slowest link: as nccl-tests' bus factor.
    let (steps, turns) = match op.as_str() {
        "all_reduce" => (2.0 * (world - 1.0), 2.0 * (world - 1.0) / world),
        "broadcast" => (world - 1.0, 1.0),
        _ => (world - 1.0, (world - 1.0) / world),
    };
    let is_right = block.flag("right");
    let points: Vec<(f64, f64)> = block.rows::<2>("points").into_iter().map(|[bytes, time]| (bytes, time)).collect();
    rows.right(
        "The sum of the ranks is right",
        is_right,
        "The sum n(n + 1)/2 did not come out: some rank did not take part.",
    );
    let Some(line) = fit(&points) else { return rows };
    for &(bytes, time) in pick(&points).into_iter() {
        let name = format!("{op} of {}", Unit::Bytes.format(bytes));
        rows.add(name, (line.cost.time(bytes), time), Unit::Seconds, Within::Times(NEAR), |ratio| {
            if ratio > 1.0 {
                "Slower than the line: another process had the cores or the link, or the size falls on a change of protocol."
            } else {
                "Faster than the line: the buffer still fits a cache, or a protocol for small messages was used."
            }
            .into()
        });
    }
    if steps > 0.0 && turns > 0.0 {
        rows.keep(Measurable::Latency, line.cost.latency / steps);
        rows.keep(Measurable::Bandwidth, turns * line.cost.peak());
        rows.times = Times::new(&op, world as u64, &points);
    }
    rows.finding = if world < 2.0 {
        "One rank has nobody to talk to: run it with two or more.".into()
    } else {
        format!(
            "α is {} per step and the links carry {}: below {} latency is most of the time, above it bandwidth is.",
            Unit::Seconds.format(line.cost.latency / steps),
            Unit::BytesPerSecond.format(turns * line.cost.peak()),
            Unit::Bytes.format(line.cost.half_size()),
        )
    };
    rows
}

/// The least, the middle and the largest size.
fn pick(points: &[(f64, f64)]) -> Vec<&(f64, f64)> {
    let mut picked: Vec<usize> = vec![0, points.len() / 2, points.len().saturating_sub(1)];
    picked.dedup();
    picked.into_iter().filter_map(|i| points.get(i)).collect()
}
