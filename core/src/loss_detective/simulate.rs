//! A run that something happens to, and what somebody does about it.

use super::cases::{Act, Case};
use crate::loss_scaling::network::{Step, Trainer, held_out};

/// What is done, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What is wrong.
    pub case: Case,
    /// What is done about it.
    pub act: Act,
    /// The step before which it is done.
    pub found: u32,
    /// Steps that one goes back at least.
    pub back: u32,
    /// Steps between two checkpoints.
    pub every: u32,
    /// Steps of the run.
    pub steps: u32,
    /// The seed of weights and data.
    pub seed: u64,
}

/// One step as a log has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logged {
    /// The loss; NaN once the weights are.
    pub loss: f64,
    /// The length of the gradient.
    pub gradient: f64,
    /// The largest attention logit.
    pub logit: f64,
    /// ln Z, root mean square.
    pub log_z: f64,
    /// The length of the update over that of the weights.
    pub update: f64,
    /// The loss scale.
    pub scale: f64,
    /// Whether the update was skipped.
    pub skipped: bool,
}

impl Logged {
    fn of(step: &Step) -> Self {
        let s = step.signals;
        let (loss, scale, skipped) = (step.loss, step.scale, step.skipped);
        Self { loss, gradient: s.gradient, logit: s.logit, log_z: s.log_z, update: s.update, scale, skipped }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    /// The steps that were thrown away, from [`Story::checkpoint`] on; none where nothing was.
    pub dropped: Vec<Logged>,
    /// The step that was gone back to.
    pub checkpoint: u32,
    /// The steps of the run as it went in the end.
    pub kept: Vec<Logged>,
    /// The same run with nothing wrong.
    pub healthy: Vec<Logged>,
    /// The loss on data that no run saw, as it went in the end and with nothing wrong.
    pub last: [f64; 2],
}

/// A stretch of a run.
struct Stretch {
    from: u32,
    to: u32,
    /// Places of the data that are left out.
    skipped: u32,
    /// Whether the recipe has been changed.
    cured: bool,
    /// Whether the machine still has its fault.
    faulty: bool,
}

impl Stretch {
    fn train(&self, plan: &Plan, trainer: &mut Trainer) -> Vec<Logged> {
        let step = |step| {
            let place = step + self.skipped;
            plan.case.happens(step, place, self.faulty, trainer);
            Logged::of(&trainer.step(&plan.case.batch(place, self.cured, plan.seed)))
        };
        (self.from..self.to).map(step).collect()
    }
}

impl Plan {
    /// The step that is gone back to.
    pub fn checkpoint(&self) -> u32 {
        let every = self.every.max(1);
        match self.act {
            Act::Wait => self.found.min(self.steps),
            Act::Recipe if self.case.from_the_beginning() => 0,
            _ => self.found.min(self.steps).saturating_sub(self.back) / every * every,
        }
    }

    /// Runs it.
    pub fn run(&self) -> Story {
        let Self { case, act, steps, seed, .. } = *self;
        let (found, checkpoint) = (self.found.min(steps), self.checkpoint());
        let mut healthy = case.start(true, seed, steps);
        let well = (0..steps).map(|step| Logged::of(&healthy.step(&case.batch(step, true, seed)))).collect();
        let ill = |from, to| Stretch { from, to, skipped: 0, cured: false, faulty: true };
        let mut trainer = case.start(false, seed, steps);
        let mut kept = ill(0, checkpoint).train(self, &mut trainer);
        let mut saved = trainer.clone();
        let dropped = if act == Act::Wait { Vec::new() } else { ill(checkpoint, found).train(self, &mut trainer) };
        let cured = act == Act::Recipe;
        match act {
            Act::Clip => saved.settings.recipe.clip = Some(1.0),
            Act::Lower => saved.settings.rate /= 3.0,
            Act::Recipe if checkpoint == 0 => saved = case.start(true, seed, steps),
            Act::Recipe => {
                saved.settings = case.settings(true, seed, steps);
                case.mend(&mut saved);
            }
            Act::Wait | Act::Rewind | Act::Skip => {}
        }
        let skipped = if act == Act::Skip { found.saturating_sub(checkpoint) } else { 0 };
        let rest = Stretch { from: checkpoint, to: steps, skipped, cured, faulty: !cured };
        kept.extend(rest.train(self, &mut saved));
        let last = [&saved, &healthy].map(|t| held_out(&t.weights, &t.settings));
        Story { dropped, checkpoint, kept, healthy: well, last }
    }
}
