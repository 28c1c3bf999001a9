//! Training the tiny network.

use super::numerics::{Compute, FakeQuant, Keep, Numerics, Op, Pass, Tally};
use super::pass::{Batch, Forward, Weights, backward, forward};
use super::recipe::{Moments, Recipe, Update};
use crate::mix::Stream;
use crate::scaler::{self, Scaler};

/// What the loss is multiplied by before the backward pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scaling {
    /// Nothing.
    None,
    /// The same at every step, and no step is skipped.
    Static(f64),
    /// A dynamic scaler: a step with an infinite or NaN gradient is skipped.
    Dynamic(scaler::Settings),
}

/// A run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// What it computes in.
    pub compute: Compute,
    /// What stays in fp32.
    pub keep: Keep,
    /// Loss scaling.
    pub scaling: Scaling,
    /// Fake quantization of the weights, from the first step on.
    pub fake: Option<FakeQuant>,
    /// Micro-batches that the mean of the loss is taken over. All are alike here, so one is computed.
    pub micro: u32,
    /// Added to every embedding: the mean of the residual stream.
    pub mean: f64,
    /// What the initial queries and keys are multiplied by.
    pub qk: f64,
    /// What one channel of the MLP's initial weights is multiplied by.
    pub outlier: f64,
    /// Learning rate of Adam.
    pub rate: f64,
    /// Adam's other numbers, clipping, and what of the network is otherwise.
    pub recipe: Recipe,
    /// Steps.
    pub steps: u32,
    /// The seed of weights and data.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            compute: Compute::Fp32,
            keep: Keep::ALL,
            scaling: Scaling::None,
            fake: None,
            micro: 1,
            mean: 0.0,
            qk: 1.0,
            outlier: 1.0,
            rate: 0.02,
            recipe: Recipe::default(),
            steps: 80,
            seed: 1,
        }
    }
}

/// One step of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The mean loss before the update, exactly; NaN once the weights are.
    pub loss: f64,
    /// The same as the run itself sums it: what its log prints.
    pub printed: f32,
    /// The scale of the loss.
    pub scale: f64,
    /// Whether the update was skipped.
    pub skipped: bool,
    /// The first operation that made a number infinite or NaN.
    pub broken: Option<(Op, Pass)>,
    /// What rounding did, by operation, forward and backward.
    pub tallies: Vec<[Tally; 2]>,
    /// Gradients of the weights by exponent: how many have ⌊log₂ |g|⌋ = [`Step::LOWEST`] + index, scale taken out; then how
    /// many are zero.
    pub gradients: ([u32; Step::BINADES], u32),
    /// What else a log has of it.
    pub signals: Signals,
}

/// What is logged of a step beside its loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// The length of the gradient of all weights, the loss scale taken out, before it is clipped.
    pub gradient: f64,
    /// The largest attention logit, whatever its sign.
    pub logit: f64,
    /// The mean of the square of ln Z, Z the denominator of the softmax over the vocabulary, under a root.
    pub log_z: f64,
    /// The length of the update over that of the weights; 0 where there was none.
    pub update: f64,
}

impl Step {
    /// The lowest exponent that is counted; lower ones count there.
    pub const LOWEST: i32 = -50;
    /// Exponents that are counted.
    pub const BINADES: usize = 70;
}

/// A run that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its steps.
    pub steps: Vec<Step>,
    /// The weights at the end, as the optimizer has them.
    pub weights: Weights,
    /// The loss of the weights at the end, on data that training did not see.
    pub last: f64,
}

/// Counts gradients by exponent, the scale taken out.
fn histogram(gradients: &Weights, unscale: f64) -> ([u32; Step::BINADES], u32) {
    let mut counts = [0; Step::BINADES];
    let mut zero = 0;
    for g in gradients.all().into_iter().flat_map(|m| &m.data) {
        let g = f64::from(*g) * unscale;
        if g == 0.0 {
            zero += 1;
        } else if g.is_finite() {
            let place = (crate::float::exponent(g) - Step::LOWEST).clamp(0, Step::BINADES as i32 - 1);
            counts[place as usize] += 1;
        }
    }
    (counts, zero)
}

/// Trains: the same settings give the same run.
pub fn train(settings: &Settings) -> Run {
    Trainer::new(settings).run(settings.steps)
}

/// Trains on from these weights, with new moments and on data of its own.
pub fn continued(weights: &Weights, settings: &Settings) -> Run {
    Trainer::from(weights.clone(), settings, Stream::new(settings.seed ^ 0xc0de)).run(settings.steps)
}

/// A run between two steps: a checkpoint of everything that the next ones depend on is a copy of it.
#[derive(Debug, Clone)]
pub struct Trainer {
    /// How it is trained. What is changed holds from the next step on.
    pub settings: Settings,
    /// The weights as the optimizer has them.
    pub weights: Weights,
    moments: [Moments; 9],
    scaler: Option<Scaler>,
    stream: Stream,
    updates: u32,
}

/// What both passes over a batch found.
pub struct Look {
    /// The gradients, times the loss scale.
    pub gradients: Weights,
    state: Forward,
    numerics: Numerics,
    scale: f64,
}

/// A part of what the next steps depend on besides the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Adam's moments.
    Moments,
    /// How many updates Adam has made.
    Updates,
    /// The scaler of the loss.
    Scaler,
    /// Where the data goes on.
    Data,
}

/// The root of the sum of squares of all numbers of these matrices.
fn length(weights: &Weights) -> f64 {
    weights.all().into_iter().flat_map(|m| &m.data).map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt()
}

impl Trainer {
    /// Before the first step.
    pub fn new(settings: &Settings) -> Self {
        let mut stream = Stream::new(settings.seed);
        let weights = Weights::draw(&mut stream, settings.mean as f32, settings.qk as f32, settings.outlier as f32);
        Self::from(weights, settings, stream)
    }

    fn from(mut weights: Weights, settings: &Settings, stream: Stream) -> Self {
        let numerics = Numerics::new(settings.compute, settings.keep, settings.fake);
        for matrix in weights.all_mut() {
            matrix.data.iter_mut().for_each(|w| *w = numerics.updated(*w));
        }
        let moments = weights.all().map(Moments::of);
        let scaler = match settings.scaling {
            Scaling::Dynamic(settings) => Some(Scaler::new(settings)),
            Scaling::None | Scaling::Static(_) => None,
        };
        Self { settings: *settings, weights, moments, scaler, stream, updates: 0 }
    }

    /// Puts a part back to what it is before the first step.
    pub fn forget(&mut self, part: Part) {
        let first = Self::new(&self.settings);
        match part {
            Part::Moments => self.moments = first.moments,
            Part::Updates => self.updates = first.updates,
            Part::Scaler => self.scaler = first.scaler,
            Part::Data => self.stream = first.stream,
        }
    }

    /// The next batch of its data.
    pub fn batch(&mut self) -> Batch {
        Batch::draw(&mut self.stream)
    }

    fn numerics(&self) -> Numerics {
        let mut numerics = Numerics::new(self.settings.compute, self.settings.keep, self.settings.fake);
        numerics.variant = self.settings.recipe.variant;
        numerics
    }

    fn run(mut self, steps: u32) -> Run {
        let steps = (0..steps)
            .map(|_| {
                let batch = self.batch();
                self.step(&batch)
            })
            .collect();
        let last = held_out(&self.weights, &self.settings);
        Run { steps, weights: self.weights, last }
    }

    /// One step on a batch.
    pub fn step(&mut self, batch: &Batch) -> Step {
        let look = self.look(batch);
        self.take(look)
    }

    /// The forward and the backward pass on a batch.
    pub fn look(&self, batch: &Batch) -> Look {
        let (settings, mut numerics) = (self.settings, self.numerics());
        let scale = match (self.scaler, settings.scaling) {
            (Some(scaler), _) => scaler.scale,
            (None, Scaling::Static(scale)) => scale,
            (None, _) => 1.0,
        };
        let rounded = self.weights.rounded(&numerics);
        let state = forward(&mut numerics, &rounded, batch, settings.micro);
        let gradients = backward(&mut numerics, &rounded, batch, &state, settings.micro, scale as f32);
        Look { gradients, state, numerics, scale }
    }

    /// The update by the gradients that were found.
    pub fn take(&mut self, look: Look) -> Step {
        let Look { gradients, state, numerics, scale } = look;
        let settings = self.settings;
        let finite = gradients.all().into_iter().flat_map(|m| &m.data).all(|g| g.is_finite());
        let skipped = self.scaler.is_some() && !finite;
        if let Some(scaler) = &mut self.scaler {
            scaler.update(!finite);
        }
        // Each of the micro-batches gives the same gradient; their sum is in fp32.
        let unscale = f64::from(settings.micro) / scale * settings.recipe.factor;
        let gradient = length(&gradients) * unscale;
        let update = if skipped { 0.0 } else { self.update(&gradients, unscale, gradient, &numerics) };
        let log_z = state.log_z.iter().map(|z| f64::from(*z) * f64::from(*z)).sum::<f64>() / state.log_z.len() as f64;
        Step {
            loss: state.exact_loss,
            printed: state.loss,
            scale,
            skipped,
            broken: numerics.first_broken(),
            tallies: Op::ALL.map(|op| [Pass::Forward, Pass::Backward].map(|p| numerics.tally(op, p))).to_vec(),
            gradients: histogram(&gradients, 1.0 / scale),
            signals: Signals { gradient, logit: state.logit.into(), log_z: log_z.sqrt(), update },
        }
    }

    /// Updates the weights; returns the length of the update over theirs.
    fn update(&mut self, gradients: &Weights, unscale: f64, length_of_gradient: f64, numerics: &Numerics) -> f64 {
        self.updates += 1;
        let before = length(&self.weights);
        let recipe = &self.settings.recipe;
        let clipped =
            recipe.clip.filter(|clip| length_of_gradient > *clip).map_or(1.0, |clip| clip / length_of_gradient);
        let by = Update { recipe, numerics, unscale: unscale * clipped, rate: self.settings.rate, t: self.updates };
        let all = self.weights.all_mut().into_iter().zip(gradients.all()).zip(&mut self.moments);
        let squares: f64 = all.map(|((w, g), moments)| moments.update(w, g, &by)).sum();
        squares.sqrt() / before
    }
}

/// The length of the difference of two sets of weights over the length of the first, and the part of them that differ.
pub fn apart(one: &Weights, other: &Weights) -> (f64, f64) {
    let matrices = one.all().into_iter().zip(other.all());
    let pairs = matrices.flat_map(|(a, b)| a.data.iter().zip(&b.data));
    let (mut difference, mut differing, mut all) = (0.0, 0.0, 0.0_f64);
    for (a, b) in pairs {
        let by = f64::from(*a) - f64::from(*b);
        difference += by * by;
        differing += if a == b { 0.0 } else { 1.0 };
        all += 1.0;
    }
    (difference.sqrt() / length(one), differing / all.max(1.0))
}

/// The loss on data that training does not see, in the arithmetic of the run.
pub fn held_out(weights: &Weights, settings: &Settings) -> f64 {
    const BATCHES: u32 = 4;
    let mut stream = Stream::new(settings.seed ^ 0x5eed);
    let mut numerics = Numerics::new(settings.compute, settings.keep, settings.fake);
    numerics.variant = settings.recipe.variant;
    let rounded = weights.rounded(&numerics);
    let mut loss = |_| forward(&mut numerics, &rounded, &Batch::draw(&mut stream), 1).exact_loss;
    (0..BATCHES).map(&mut loss).sum::<f64>() / f64::from(BATCHES)
}
