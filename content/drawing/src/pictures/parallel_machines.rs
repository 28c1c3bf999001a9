//! One computation on a machine of many units: what each lane does in a step.

use ringside_core::machines::{Kind, Lane, Params, Run};

use super::midway;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};

const WORKS: Tone = Ink::Forward.at(100);
const MASKED: Tone = Ink::Warn.at(55);
const WAITS: Tone = Ink::Idle.at(30);

/// A row for each unit, a column for each of its lanes.
pub fn picture(p: &Params, run: &Run) -> Cells {
    // A step in the middle, where most machines are busy, if none is asked for.
    let done = midway(p.step as usize, run.steps.len());
    let step = done.checked_sub(1).and_then(|i| run.steps.get(i));
    let lane = |i: usize| step.and_then(|step| step.lanes.get(i)).copied().unwrap_or_default();
    let cell = |i: usize| {
        let cell = |tone| Cell::new((i % run.lanes.max(1)) as f64, (i / run.lanes.max(1)) as f64, tone);
        match lane(i) {
            Lane::Waits => cell(WAITS),
            Lane::Masked => cell(MASKED),
            Lane::Works(_) => cell(WORKS),
        }
    };
    let name = match p.machine {
        Kind::Cpu => "core",
        Kind::Gpu => "warp",
        Kind::Systolic => "row",
        Kind::Nodes => "node",
    };
    let what = step.map_or("", |step| step.what);
    let title = format!("Step {done} of {}: {what}", run.steps.len());
    let keys = [(WORKS, "works"), (MASKED, "masked"), (WAITS, "waits")];
    let cells = (0..run.units * run.lanes).map(cell).collect();
    Cells::new(p.finding(run), Head::new(title, &keys), [run.lanes as f64, run.units as f64], cells)
        .named((0..run.units).map(|unit| format!("{name} {unit}")), [])
}
