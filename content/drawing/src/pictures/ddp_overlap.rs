//! A step of data parallelism: the compute stream over the stream of all-reduces.

use ringside_core::ddp::{Kind, Params, Stream, Timeline};
use ringside_core::quantity::Unit;

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Piece, Tone};

fn tone(kind: Kind) -> Tone {
    match kind {
        Kind::Forward => Ink::Forward.into(),
        Kind::Backward(_) => Ink::Backward.into(),
        Kind::AllReduce(_) | Kind::Map | Kind::Join => Ink::Communication.into(),
        Kind::Search | Kind::Copy => Ink::Soft.at(60),
    }
}

/// Both streams, and under them what is exposed.
pub fn picture(p: &Params, timeline: &Timeline) -> Lanes {
    let lane = |name: &str, stream: Stream| {
        let pieces = timeline.of(stream).map(|(_, b)| Piece::new(b.start, b.end, tone(b.kind)).text(b.name()));
        Lane::new(name, pieces.collect())
    };
    let waits = timeline.waits().into_iter().map(|(from, to)| Piece::new(from, to, Ink::Warn.at(55)));
    let rows = vec![
        lane("compute", Stream::Compute),
        lane("NCCL", Stream::Nccl),
        Lane { high: 0.5, ..Lane::new("exposed", waits.collect()) },
    ];
    let keys = [
        (Ink::Forward.into(), "Forward"),
        (Ink::Backward.into(), "Backward, by layer"),
        (Ink::Communication.into(), "All-reduce, by bucket"),
        (Ink::Warn.at(55), "Waits for all-reduces"),
    ];
    let label = timeline.finding(p);
    Lanes::new(label, Head::new("", &keys), rows, timeline.end(), Some(Unit::Seconds))
}
