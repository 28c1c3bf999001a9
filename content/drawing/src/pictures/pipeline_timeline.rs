//! A pipeline's step: a row for each device, with what it computes when. A schedule to compare with stands below.

use ringside_core::pipeline::{Kind, Params, Schedule, Timeline};
use ringside_core::quantity::Unit;

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Piece, Tone};
use crate::picture::Picture;

/// The color of a kind of work.
pub fn tone(kind: Kind) -> Tone {
    match kind {
        Kind::Forward => Ink::Forward.into(),
        Kind::Backward | Kind::Input => Ink::Backward.into(),
        Kind::Weight => Ink::Optimizer.into(),
    }
}

/// The schedule, and the one that it is compared with.
pub fn picture(p: &Params, timeline: &Timeline) -> Picture {
    let other = p.compare.filter(|other| *other != p.schedule).and_then(|other| Some((other, p.timeline(other).ok()?)));
    let end = other.iter().map(|(_, t)| t.makespan()).fold(timeline.makespan(), f64::max);
    let label = p.finding(timeline, other.as_ref().map(|(_, t)| t));
    let first = lanes(p.schedule, timeline, end, label);
    match other {
        None => first,
        Some((schedule, timeline)) => {
            Picture::Over(vec![(1.0, first), (1.0, lanes(schedule, &timeline, end, String::new()))])
        }
    }
}

fn lanes(schedule: Schedule, timeline: &Timeline, end: f64, label: String) -> Picture {
    let all = timeline.fleet.chunks > 1 || timeline.blocks.iter().any(|b| b.op.kind == Kind::Weight);
    let row = |device: u32| {
        let blocks = timeline.between(device, 0.0, timeline.makespan()).filter_map(|i| timeline.blocks.get(i));
        let pieces =
            blocks.map(|b| Piece::new(b.start / 1e3, b.end / 1e3, tone(b.op.kind)).text(b.op.microbatch.to_string()));
        Lane::new(format!("device {device}"), pieces.collect())
    };
    let mut keys = vec![(Ink::Forward.into(), "forward"), (Ink::Backward.into(), "backward")];
    if all {
        keys.push((Ink::Optimizer.into(), "weight gradient"));
    }
    let idle = Unit::Fraction.format(timeline.idle_share(timeline.makespan()));
    let head = Head::new(format!("{}: {idle} idle", schedule.label()), &keys);
    let rows = (0..timeline.fleet.devices).map(row).collect();
    Lanes::new(label, head, rows, end / 1e3, Some(Unit::Seconds)).into()
}
