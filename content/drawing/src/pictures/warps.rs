//! An SM's warps over time: a warp at a branch lane by lane, and the warps that a scheduler serves.

use ringside_core::execution::divergence::{self, LANES, Steps};
use ringside_core::execution::scheduler::{self, Doing, Run};
use ringside_core::quantity::Unit;

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Piece, Tone};

/// Stretches of the same color, a unit long each.
fn stretches(tones: impl Iterator<Item = Option<Tone>>) -> Vec<Piece> {
    let tones: Vec<Option<Tone>> = tones.collect();
    let mut at = 0.0;
    let mut pieces = Vec::new();
    for run in tones.chunk_by(|a, b| a == b) {
        let to = at + run.len() as f64;
        pieces.extend(run.first().copied().flatten().map(|tone| Piece::new(at, to, tone)));
        at = to;
    }
    pieces
}

/// What a warp does, in the colors of the figure.
const LOADS: Tone = Ink::Weights.at(100);
const COMPUTES: Tone = Ink::Optimizer.at(100);
const READY: Tone = Ink::Gradients.at(100);
const FOR_MEMORY: Tone = Ink::Idle.at(100);
const FOR_A_RESULT: Tone = Ink::Optimizer.at(32);

/// A warp at a branch: a row for each lane, along the instructions that the warp issues.
pub fn divergence(p: &divergence::Params, steps: &Steps) -> Lanes {
    const MASKED: Tone = Ink::Idle.at(100);
    let tone = |way: u64| -> Tone {
        match way {
            0 => Ink::Optimizer.into(),
            way if way % 2 == 1 => Ink::Weights.into(),
            _ => Ink::Gradients.into(),
        }
    };
    let row = |lane: u32| {
        let of = steps.iter().map(|step| Some(if step.has(lane) { tone(step.way) } else { MASKED }));
        Lane::new(format!("lane {lane}"), stretches(of))
    };
    let keys = [(tone(0), "all lanes"), (tone(1), "the first way"), (tone(2), "another way"), (MASKED, "masked")];
    let head = Head::new("Instructions that the warp issues", &keys);
    Lanes::new(p.finding(), head, (0..LANES).map(row).collect(), steps.len() as f64, Some(Unit::Count))
}

/// A warp scheduler: a row for each warp and one for what is issued, along the cycles.
pub fn scheduler(p: &scheduler::Params, run: &Run) -> Lanes {
    let tone = |doing: Doing| match doing {
        Doing::Load => Some(LOADS),
        Doing::Math => Some(COMPUTES),
        Doing::NotSelected => Some(READY),
        Doing::LongScoreboard => Some(FOR_MEMORY),
        Doing::Wait => Some(FOR_A_RESULT),
        Doing::Done => None,
    };
    let warps = run.cycles.first().map_or(0, Vec::len);
    let of = |warp: usize| run.cycles.iter().map(move |all| all.get(warp).copied().and_then(tone));
    let issued = run
        .cycles
        .iter()
        .map(|all| all.iter().copied().find(|doing| matches!(doing, Doing::Load | Doing::Math)).and_then(tone));
    let mut rows: Vec<Lane> = (0..warps).map(|i| Lane::new(format!("warp {}", i + 1), stretches(of(i)))).collect();
    rows.push(Lane::new("issues", stretches(issued)));
    let keys = [
        (LOADS, "issues a load"),
        (COMPUTES, "issues arithmetic"),
        (READY, "ready, not selected"),
        (FOR_MEMORY, "waits for memory"),
        (FOR_A_RESULT, "waits for a result"),
    ];
    Lanes::new(p.finding(), Head::new("Cycles", &keys), rows, run.cycles.len() as f64, Some(Unit::Count))
}
