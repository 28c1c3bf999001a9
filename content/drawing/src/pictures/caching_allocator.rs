//! The segments that the caching allocator holds, with the blocks in each.

use ringside_core::allocator::{Drawn, Run, State};
use ringside_core::quantity::Unit;

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Tone};

fn tone(segment: &Drawn, state: State) -> Tone {
    match state {
        State::Allocated => Ink::Weights.into(),
        State::Pending => Ink::Optimizer.into(),
        State::Free if segment.is_free() => Ink::Kv.at(45),
        State::Free => Ink::Warn.at(45),
        State::Unmapped => Ink::Idle.at(30),
    }
}

/// A row for each segment, to one scale.
pub fn picture(run: &Run) -> Lanes {
    let snapshot = run.snapshot();
    let row = |segment: &Drawn| {
        let parts =
            segment.pieces.iter().map(|piece| (tone(segment, piece.state), piece.size as f64, piece.name.clone()));
        Lane::stack(segment.name.clone(), parts, Unit::Bytes.format(segment.reserved() as f64))
    };
    let longest = snapshot.segments.iter().map(Drawn::length).max().unwrap_or(1).max(1);
    let keys = [
        (Ink::Weights.into(), "allocated"),
        (Ink::Warn.at(45), "free beside blocks in use"),
        (Ink::Kv.at(45), "segment that is wholly free"),
    ];
    let rows = snapshot.segments.iter().map(row).collect();
    Lanes::new(run.finding(), Head::new("Segments", &keys), rows, longest as f64, Some(Unit::Bytes))
}
