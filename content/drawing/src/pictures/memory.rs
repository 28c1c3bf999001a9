//! What a GPU's memory is taken by, in every figure that asks: rows of parts against its size.

use ringside_core::hardware::Accelerator;
use ringside_core::memory::{Breakdown, Concept, Params, Parts};
use ringside_core::post_training::adapters::figure as adapters;
use ringside_core::post_training::held::Tune;
use ringside_core::post_training::memory as rlhf;
use ringside_core::quantity::Unit;

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Limit, Tone};
use crate::memory::stage_name;

const fn ink(concept: Concept) -> Ink {
    match concept {
        Concept::Weights => Ink::Weights,
        Concept::Gradients => Ink::Gradients,
        Concept::Optimizer => Ink::Optimizer,
        Concept::Activations => Ink::Activations,
        Concept::KvCache => Ink::Kv,
    }
}

/// What keys say of these concepts.
fn keys(concepts: impl Iterator<Item = Concept>) -> Head {
    let keys: Vec<_> = concepts.map(|concept| (ink(concept).into(), concept.in_text())).collect();
    Head::new("", &keys)
}

fn parts(parts: &Parts) -> impl Iterator<Item = (Tone, f64, String)> {
    Concept::ALL
        .map(|concept| {
            let bytes = parts.of(concept).0;
            (ink(concept).into(), bytes, Unit::Bytes.format(bytes))
        })
        .into_iter()
}

/// The memory of a GPU as a line, where it isn't so far away that bars would be too small to see.
fn capacity(lanes: &mut Lanes, gpu: &Accelerator) {
    const WITHIN: f64 = 4.0;
    let at = gpu.memory.0;
    if at <= WITHIN * lanes.end {
        lanes.end = lanes.end.max(at);
        lanes.limits.push(Limit { at, name: gpu.with_memory() });
    }
    lanes.end *= 1.02;
}

/// `memory-breakdown`: a row for each ZeRO stage.
pub fn stages(p: &Params, b: &Breakdown) -> Lanes {
    let row = |(i, stage): (usize, &ringside_core::memory::StageRow)| {
        let [name, _] = stage_name(p.mode, i as u8);
        let lane = Lane::stack(name, parts(&stage.parts), Unit::Bytes.format(stage.total.0));
        if i == usize::from(p.zero) { Lane { high: 1.15, ..lane } } else { lane }
    };
    let there =
        Concept::ALL.into_iter().filter(|concept| b.stages.iter().any(|stage| stage.parts.of(*concept).0 > 0.0));
    let head = keys(there);
    let longest = b.stages.iter().map(|stage| stage.total.0).fold(1.0, f64::max);
    let rows = b.stages.iter().enumerate().map(row).collect();
    let mut lanes = Lanes::new(b.finding(), head, rows, longest, Some(Unit::Bytes));
    capacity(&mut lanes, p.gpu);
    lanes
}

/// `lora-adapters`: a GPU in full, with LoRA and with QLoRA.
pub fn tunes(p: &adapters::Params, s: &adapters::Shown) -> Lanes {
    let row = |(tune, name): (Tune, &str)| {
        Lane::stack(name, parts(&s.held[tune as usize].parts), Unit::Bytes.format(s.total(tune)))
    };
    let rows = Tune::ALL.into_iter().zip(["in full", "LoRA", "QLoRA"]).map(row).collect();
    let longest = Tune::ALL.map(|tune| s.total(tune)).into_iter().fold(1.0, f64::max);
    let head = keys(Concept::ALL.into_iter().filter(|c| *c != Concept::KvCache));
    let mut lanes = Lanes::new(p.finding(s), head, rows, longest, Some(Unit::Bytes));
    capacity(&mut lanes, p.gpu);
    lanes
}

/// `rlhf-memory`: what a GPU holds in each phase of a step.
pub fn phases(p: &rlhf::Params, step: &rlhf::Step) -> Lanes {
    const WORKING: Tone = Ink::Communication.at(70);
    let row = |(i, phase): (usize, &rlhf::Phase)| {
        let sum = |concept: Concept| phase.roles.iter().map(|role| role.of(concept).0).sum::<f64>();
        let held = Concept::ALL.map(|concept| (ink(concept).into(), sum(concept), Unit::Bytes.format(sum(concept))));
        let working = (WORKING, phase.working.0, Unit::Bytes.format(phase.working.0));
        let name = format!("{} {}", i + 1, phase.work.label());
        Lane::stack(name, held.into_iter().chain([working]), Unit::Bytes.format(phase.total().0))
    };
    let keys = keys(Concept::ALL.into_iter()).key(WORKING, "the engine’s weights, a forward pass");
    let head = Head { title: "What a GPU holds in each phase".to_owned(), ..keys };
    let rows = step.phases.iter().enumerate().map(row).collect();
    let mut lanes = Lanes::new(p.finding(step), head, rows, step.peak_bytes().max(1.0), Some(Unit::Bytes));
    capacity(&mut lanes, p.gpu);
    lanes
}
