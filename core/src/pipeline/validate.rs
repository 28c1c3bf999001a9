//! Checks a timeline by the rules of pipeline parallelism, whoever made it.

use std::collections::BTreeMap;
use std::fmt;

use super::schedule::{Kind, Op};
use super::simulate::Costs;
use super::timeline::{Block, Timeline};

/// A rule that is broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Violation {
    /// The work is on a device that does not have its stage.
    Misplaced(Op),
    /// The work is there twice.
    Repeated(Op),
    /// The work is missing.
    Missing(Op),
    /// The work takes another time than it should, or begins before the step.
    Duration(Op),
    /// Two pieces of work overlap on one device.
    Overlap(Op, Op),
    /// The first begins before the result of the second is there.
    Early(Op, Op),
    /// A device keeps more micro-batches than it may.
    Memory {
        /// The device.
        device: u32,
        /// The most that it keeps at a time.
        kept: f64,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Misplaced(op) => write!(f, "{op} is on a device that does not have it."),
            Violation::Repeated(op) => write!(f, "{op} is there twice."),
            Violation::Missing(op) => write!(f, "{op} is missing."),
            Violation::Duration(op) => write!(f, "{op} takes another time than it should."),
            Violation::Overlap(a, b) => write!(f, "{a} and {b} are at the same time on one device."),
            Violation::Early(op, needed) => write!(f, "{op} begins before {needed} is there."),
            Violation::Memory { device, kept } => write!(f, "Device {device} keeps {kept} micro-batches."),
        }
    }
}

/// Every rule that `timeline` breaks if work takes what `costs` says and no device may keep more than `cap` micro-batches.
/// Times may differ by rounding.
pub fn violations(timeline: &Timeline, costs: &Costs, cap: f64) -> Vec<Violation> {
    let fleet = timeline.fleet;
    let close = timeline.makespan() * 1e-9;
    let mut broken = Vec::new();
    let mut done: BTreeMap<Op, Block> = BTreeMap::new();
    for device in 0..fleet.devices {
        let blocks = timeline.of(device);
        for block in blocks {
            let op = block.op;
            if op.stage >= fleet.stages() || op.microbatch >= fleet.microbatches || fleet.device(op.stage) != device {
                broken.push(Violation::Misplaced(op));
            }
            let due = costs.of(op.kind, device, fleet.chunks);
            if block.start < 0.0 || (block.end - block.start - due).abs() > close {
                broken.push(Violation::Duration(op));
            }
            if done.insert(op, *block).is_some() {
                broken.push(Violation::Repeated(op));
            }
        }
        let mut by_start: Vec<&Block> = blocks.iter().collect();
        by_start.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.end.total_cmp(&b.end)));
        for pair in by_start.windows(2) {
            if pair[1].start < pair[0].end - close {
                broken.push(Violation::Overlap(pair[0].op, pair[1].op));
            }
        }
    }

    let mut kept: Vec<Vec<(f64, i32)>> = vec![Vec::new(); fleet.devices as usize];
    for stage in 0..fleet.stages() {
        for microbatch in 0..fleet.microbatches {
            let find = |kind, stage| done.get(&Op { kind, stage, microbatch });
            let backward_of = |stage| find(Kind::Backward, stage).or(find(Kind::Input, stage));
            let missing = |kind| Violation::Missing(Op { kind, stage, microbatch });
            let forward = find(Kind::Forward, stage);
            let whole = find(Kind::Backward, stage);
            let (input, weight) = (find(Kind::Input, stage), find(Kind::Weight, stage));
            match (whole, input, weight) {
                (Some(_), None, None) | (None, Some(_), Some(_)) => {}
                (None, None, _) => broken.push(missing(Kind::Backward)),
                (None, Some(_), None) => broken.push(missing(Kind::Weight)),
                (Some(b), Some(_), _) | (Some(b), _, Some(_)) => broken.push(Violation::Repeated(b.op)),
            }
            if forward.is_none() {
                broken.push(missing(Kind::Forward));
            }
            let mut in_time = |later: Option<&Block>, earlier: Option<&Block>| {
                if let (Some(later), Some(earlier)) = (later, earlier) {
                    let away = fleet.device(later.op.stage) != fleet.device(earlier.op.stage);
                    let arrival = earlier.end + if away { costs.latency } else { 0.0 };
                    if later.start < arrival - close {
                        broken.push(Violation::Early(later.op, earlier.op));
                    }
                }
            };
            if let Some(before) = stage.checked_sub(1) {
                in_time(forward, find(Kind::Forward, before));
            }
            in_time(backward_of(stage), forward);
            in_time(backward_of(stage), backward_of(stage + 1));
            in_time(weight, input);
            if let (Some(forward), Some(last)) = (forward, whole.or(weight))
                && let Some(kept) = kept.get_mut(fleet.device(stage) as usize)
            {
                kept.extend([(forward.start, 1), (last.end, -1)]);
            }
        }
    }
    for (device, mut changes) in kept.into_iter().enumerate() {
        // What ends where something else begins, but for rounding, is let go first.
        changes.iter_mut().filter(|(_, change)| *change < 0).for_each(|(at, _)| *at -= close);
        changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let most = changes.iter().scan(0, |now, (_, change)| {
            *now += change;
            Some(*now)
        });
        let kept = f64::from(most.max().unwrap_or(0)) / f64::from(fleet.chunks.max(1));
        if kept > cap + 1e-9 {
            broken.push(Violation::Memory { device: device as u32, kept });
        }
    }
    broken
}
