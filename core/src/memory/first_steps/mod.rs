//! What a GPU holds in the course of its first steps, and of one much later: where a run dies, and when.
//!
//! Weights and the fp32 master copy are there from the start. The first forward pass adds activations; the backward pass frees them and
//! adds gradients; the first `optimizer.step()` adds the moments, which PyTorch's Adam and Megatron-LM's fused one create there
//! (`torch/optim/adam.py`, `_init_group`). So a run has three peaks that differ: in the passes of step 1 without moments, in its
//! update with all states and no activations, and in the passes of step 2 and all later ones with moments *and* activations. Gradients
//! are freed before the next forward pass (`zero_grad(set_to_none=True)`), unless a buffer keeps them: Megatron-LM's, or
//! accumulation over micro-batches.
//!
//! All of this is modelled: states as [`mod@super::breakdown`] has them, activations as [`super::activations`] has them, on the fullest
//! pipeline stage. A step of several micro-batches is drawn as its last one. [`measured`] has what real runs allocated at
//! their peak. Not counted: what [`super::overhead`] has as a range.

pub mod measured;
mod params;
#[cfg(test)]
mod tests;

use super::activations::{Activations, StageMemory, activations};
use super::breakdown::{Breakdown, breakdown};
use super::layout::{LaidOut, Layout};
use super::{Convention, breakdown as whole};
use crate::quantity::{Unit, bytes_decimal, grouped};
use crate::units::Bytes;

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The run.
    pub run: whole::Params,
    /// Tokens of the longest sequence that comes later; 0 for none longer.
    pub late: u64,
    /// What the allocator reserves by then beyond what is allocated, in percent of it.
    pub reserved: f64,
}

impl LaidOut for Params {
    fn layout(&mut self) -> &mut Layout {
        &mut self.run.layout
    }
}

/// When something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before the first step.
    Load,
    /// In the forward or backward pass of this step, from 1.
    Passes(u64),
    /// In its update.
    Update(u64),
    /// In the passes of a step much later.
    Late,
}

impl When {
    /// In words.
    pub fn text(self) -> String {
        match self {
            Self::Load => "while the model is loaded".to_owned(),
            Self::Passes(step) => format!("in the passes of step {step}"),
            Self::Update(step) => format!("in optimizer.step() of step {step}"),
            Self::Late => format!("at step {}", grouped(LATE)),
        }
    }
}

/// The later step.
pub const LATE: u64 = 3000;
/// Steps that are drawn from the start.
pub const STEPS: u64 = 4;

/// What a GPU holds at a moment, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Held {
    /// Weights.
    pub weights: f64,
    /// The fp32 master copy.
    pub master: f64,
    /// Adam's moments.
    pub moments: f64,
    /// Gradients.
    pub gradients: f64,
    /// Activations.
    pub activations: f64,
}

impl Held {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.weights + self.master + self.moments + self.gradients + self.activations
    }
}

/// A moment of the course.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Where it is drawn: steps from the start, the later one behind a gap.
    pub at: f64,
    /// When.
    pub when: When,
    /// What happens: "Step 2, backward".
    pub name: String,
    /// What is held.
    pub held: Held,
}

/// The course.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// In order.
    pub moments: Vec<Moment>,
    /// Memory of the GPU.
    pub capacity: Bytes,
    /// The run, if it is one that was measured.
    pub measured: Option<&'static measured::Measured>,
    /// What the allocator reserves beyond what is allocated at the later step, as a fraction.
    pub beyond: f64,
}

/// Where in a step its passes end, and its backward pass begins.
const FORWARD: f64 = 0.3;
const BACKWARD: f64 = 0.8;

/// What a run holds throughout, and what it creates.
struct States {
    weights: f64,
    master: f64,
    moments: f64,
    gradients: f64,
    /// Whether a buffer keeps the gradients through the passes.
    buffered: bool,
    /// The same from the start.
    from_start: bool,
}

impl States {
    fn of(params: &Params, b: &Breakdown) -> Self {
        let master = b.part("master").0.min(b.parts.optimizer.0);
        let from_start = params.run.convention == Convention::Megatron;
        Self {
            weights: b.parts.weights.0,
            master,
            moments: b.parts.optimizer.0 - master,
            gradients: b.parts.gradients.0,
            buffered: from_start || params.run.layout.pipeline.microbatches > 1,
            from_start,
        }
    }

    /// Between two steps, or before the first.
    fn resting(&self, stepped: bool) -> Held {
        Held {
            weights: self.weights,
            master: self.master,
            moments: if stepped { self.moments } else { 0.0 },
            gradients: if self.from_start { self.gradients } else { 0.0 },
            activations: 0.0,
        }
    }
}

/// Computes the course.
///
/// # Errors
/// Why the model cannot be laid out so.
pub fn course(params: &Params) -> Result<Course, String> {
    let b = breakdown(&params.run).map_err(|e| e.to_string())?;
    let states = States::of(params, &b);
    let stage = usize::try_from(b.worst.stage.index).unwrap_or_default();
    let passes = |seq: u64| -> Result<Vec<(f64, f64)>, String> {
        let run = whole::Params { seq: Some(seq), ..params.run };
        let kept = run.kept().ok_or("Activations follow from sizes: choose a model.")?;
        let mut a = activations(&kept).map_err(|e| e.to_string())?;
        if let Some(fullest) = a.stages.get(stage).copied() {
            a.worst = fullest;
        }
        Ok(pass(&a))
    };
    let seq = params.run.seq.unwrap_or(1);
    let usual = passes(seq)?;
    let mut moments =
        vec![Moment { at: 0.0, when: When::Load, name: "Loaded".to_owned(), held: states.resting(false) }];
    for step in 1..=STEPS {
        add_step(&mut moments, &states, &usual, step, (step - 1) as f64);
    }
    let late = passes(params.late.max(seq))?;
    add_step(&mut moments, &states, &late, LATE, STEPS as f64 + 0.5);
    Ok(Course { moments, capacity: b.capacity, measured: measured::find(params), beyond: params.reserved / 100.0 })
}

/// The activations through the two passes: how far the step is, from 0 at its beginning to [`BACKWARD`], and bytes.
fn pass(a: &Activations) -> Vec<(f64, f64)> {
    let StageMemory { peak, .. } = a.worst;
    let curve = a.curve();
    let (forward, backward): (Vec<_>, Vec<_>) = curve.iter().partition(|p| !p.backward);
    let part = |points: &[&super::activations::Point], from: f64, to: f64| {
        let last = points.len().max(2) - 1;
        let at = move |i: usize| from + (to - from) * i as f64 / last as f64;
        points.iter().enumerate().map(move |(i, p)| (at(i), p.bytes.0)).collect::<Vec<_>>()
    };
    let mut all = part(&forward, 0.02, FORWARD);
    all.push((FORWARD, peak.0));
    all.extend(part(&backward, FORWARD + 0.01, BACKWARD));
    all
}

/// Adds a step that begins at `from`.
fn add_step(moments: &mut Vec<Moment>, states: &States, pass: &[(f64, f64)], step: u64, from: f64) {
    let stepped = step > 1;
    let resting = states.resting(stepped);
    let is_late = step == LATE;
    let passes = if is_late { When::Late } else { When::Passes(step) };
    let mut add = |at: f64, when: When, what: &str, held: Held| {
        let name = format!("Step {}, {what}", grouped(step));
        moments.push(Moment { at: from + at, when, name, held });
    };
    add(0.0, passes, "before the forward pass", resting);
    for &(at, activations) in pass {
        let back = at > FORWARD;
        // A gradient is there once its layer's backward pass has run; a buffer has them all.
        let done = ((at - FORWARD) / (BACKWARD - FORWARD)).clamp(0.0, 1.0);
        let gradients = if states.buffered { states.gradients } else { states.gradients * done };
        let what = if back { "backward" } else { "forward" };
        add(at, passes, what, Held { activations, gradients, ..resting });
    }
    let all = Held { gradients: states.gradients, activations: 0.0, ..resting };
    let update = if is_late { When::Late } else { When::Update(step) };
    add(BACKWARD + 0.02, passes, "after the backward pass", all);
    let moments_too = Held { moments: states.moments, ..all };
    add(BACKWARD + 0.04, update, "optimizer.step()", moments_too);
    add(0.97, update, "optimizer.step()", moments_too);
    add(0.98, update, "after zero_grad()", states.resting(true));
}

impl Course {
    /// The most that is held at the moments for which `during` holds, bytes.
    fn most(&self, during: impl Fn(When) -> bool) -> f64 {
        self.moments.iter().filter(|m| during(m.when)).map(|m| m.held.total()).fold(0.0, f64::max)
    }

    /// Held when the model is loaded.
    pub fn loaded(&self) -> f64 {
        self.most(|when| when == When::Load)
    }

    /// The peak of the passes of a step from the start.
    pub fn passes(&self, step: u64) -> f64 {
        self.most(|when| when == When::Passes(step))
    }

    /// Held in the update of a step.
    pub fn update(&self, step: u64) -> f64 {
        self.most(|when| when == When::Update(step))
    }

    /// The peak of the later step, allocated.
    pub fn late(&self) -> f64 {
        self.most(|when| when == When::Late)
    }

    /// The same with what the allocator reserves beyond it.
    pub fn late_reserved(&self) -> f64 {
        self.late() * (1.0 + self.beyond)
    }

    /// The most of the first steps.
    pub fn peak(&self) -> f64 {
        self.most(|when| when != When::Late)
    }

    /// The first moment at which more is held than the GPU has; at the later step, with what is reserved.
    pub fn dies(&self) -> Option<When> {
        let room = self.capacity.0;
        let early = self.moments.iter().find(|m| m.when != When::Late && m.held.total() > room).map(|m| m.when);
        early.or_else(|| (self.late_reserved() > room).then_some(When::Late))
    }

    /// Which of the deaths it is: 0 none, 1 while loading or in the passes of step 1, 2 in its update, 3 in the passes of step 2, 4 later.
    pub fn death(&self) -> u8 {
        match self.dies() {
            None => 0,
            Some(When::Load | When::Passes(1)) => 1,
            Some(When::Update(_)) => 2,
            Some(When::Passes(_)) => 3,
            Some(When::Late) => 4,
        }
    }

    /// What the course shows, in sentences.
    pub fn finding(&self) -> String {
        let b = bytes_decimal;
        let room = b(self.capacity.0);
        let mut text = match self.dies() {
            None => format!("It lives: from step 2 on the passes peak at {}, of {room}.", b(self.passes(2))),
            Some(when @ When::Update(_)) => {
                format!("It dies {}: the moments are created there, and {room} do not hold them.", when.text())
            }
            Some(when @ When::Passes(2)) => {
                format!("It dies {}: the moments are there now, and the activations come on top.", when.text())
            }
            Some(When::Late) => format!(
                "It dies {}: {} allocated, {} reserved, of {room}.",
                When::Late.text(),
                b(self.late()),
                b(self.late_reserved())
            ),
            Some(when) => format!("It dies {}.", when.text()),
        };
        text += &format!(
            " Modelled: the passes of step 1 peak at {}, its update holds {}, the passes of step 2 peak at {}.",
            b(self.passes(1)),
            b(self.update(1)),
            b(self.passes(2)),
        );
        if let Some(run) = self.measured {
            let over = Unit::Fraction.format(run.allocated().0 / self.peak() - 1.0);
            text += &format!(
                " Measured on eight B200s: {} allocated at the peak, {over} over the modelled one, and {} reserved.",
                b(run.allocated().0),
                b(run.reserved().0)
            );
        }
        text
    }
}
