//! Training the tiny network.

use super::numerics::{Compute, FakeQuant, Keep, Matrix, Numerics, Op, Pass, Tally};
use super::pass::{Batch, Weights, backward, forward};
use crate::loss_scaling::scaler::{self, Scaler};
use crate::mix::Stream;

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

const BETAS: (f64, f64) = (0.9, 0.95);
const ADAM_EPSILON: f64 = 1e-8;

/// Adam's moments of one matrix, in fp32.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Moments {
    fn of(matrix: &Matrix) -> Self {
        Self { first: vec![0.0; matrix.data.len()], second: vec![0.0; matrix.data.len()] }
    }

    /// One step of Adam (Kingma and Ba 2015, algorithm 1), `t` counted from 1.
    fn update(&mut self, w: &mut Matrix, g: &Matrix, unscale: f64, rate: f64, t: u32, n: &Numerics) {
        let power = |beta: f64| (0..t).fold(1.0, |p, _| p * beta);
        let correct = (1.0 - power(BETAS.0), 1.0 - power(BETAS.1));
        for (i, (w, g)) in w.data.iter_mut().zip(&g.data).enumerate() {
            let g = f64::from(*g) * unscale;
            let first = BETAS.0 * f64::from(self.first[i]) + (1.0 - BETAS.0) * g;
            let second = BETAS.1 * f64::from(self.second[i]) + (1.0 - BETAS.1) * g * g;
            (self.first[i], self.second[i]) = (first as f32, second as f32);
            let step = rate * (first / correct.0) / ((second / correct.1).sqrt() + ADAM_EPSILON);
            *w = n.updated((f64::from(*w) - step) as f32);
        }
    }
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
    let mut stream = Stream::new(settings.seed);
    let weights = Weights::draw(&mut stream, settings.mean as f32, settings.qk as f32, settings.outlier as f32);
    run(weights, settings, &mut stream)
}

/// Trains on from these weights, with new moments and on data of its own.
pub fn continued(weights: &Weights, settings: &Settings) -> Run {
    run(weights.clone(), settings, &mut Stream::new(settings.seed ^ 0xc0de))
}

fn run(weights: Weights, settings: &Settings, stream: &mut Stream) -> Run {
    let mut trainer = Trainer::new(weights, settings, stream.clone());
    let steps = (0..settings.steps).map(|_| trainer.step(settings.rate)).collect();
    *stream = trainer.state.stream;
    let last = held_out(&trainer.state.weights, settings);
    Run { steps, weights: trainer.state.weights, last }
}

/// All that the next step depends on: what a checkpoint has to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The weights, as the optimizer has them.
    pub weights: Weights,
    /// Adam's moments, matrix by matrix.
    pub moments: Vec<Moments>,
    /// Updates that Adam has made.
    pub updates: u32,
    /// The scaler of the loss, of a run that has one.
    pub scaler: Option<Scaler>,
    /// Where the data goes on.
    pub stream: Stream,
}

impl State {
    /// The state of a run that has not begun: these weights, nothing learnt of the gradients.
    pub fn new(weights: Weights, settings: &Settings, stream: Stream) -> Self {
        let moments = weights.all().map(Moments::of).to_vec();
        let scaler = match settings.scaling {
            Scaling::Dynamic(settings) => Some(Scaler::new(settings)),
            Scaling::None | Scaling::Static(_) => None,
        };
        Self { weights, moments, updates: 0, scaler, stream }
    }

    /// The state of the run of these settings before its first step.
    pub fn first(settings: &Settings) -> Self {
        let mut stream = Stream::new(settings.seed);
        let weights = Weights::draw(&mut stream, settings.mean as f32, settings.qk as f32, settings.outlier as f32);
        Self::new(weights, settings, stream)
    }
}

/// A run under way.
pub struct Trainer {
    settings: Settings,
    numerics: Numerics,
    /// What the next step depends on.
    pub state: State,
}

impl Trainer {
    /// Begins with these weights.
    fn new(weights: Weights, settings: &Settings, stream: Stream) -> Self {
        Self::resume(State::new(weights, settings, stream), settings)
    }

    /// Goes on from a state.
    pub fn resume(mut state: State, settings: &Settings) -> Self {
        let numerics = Numerics::new(settings.compute, settings.keep, settings.fake);
        for matrix in state.weights.all_mut() {
            matrix.data.iter_mut().for_each(|w| *w = numerics.updated(*w));
        }
        Self { settings: *settings, numerics, state }
    }

    /// One step at this learning rate.
    pub fn step(&mut self, rate: f64) -> Step {
        let Self { settings, numerics, state } = self;
        let scale = match (state.scaler, settings.scaling) {
            (Some(scaler), _) => scaler.scale,
            (None, Scaling::Static(scale)) => scale,
            (None, _) => 1.0,
        };
        let batch = Batch::draw(&mut state.stream);
        numerics.reset();
        let rounded = state.weights.rounded(numerics);
        let passed = forward(numerics, &rounded, &batch, settings.micro);
        let gradients = backward(numerics, &rounded, &batch, &passed, settings.micro, scale as f32);
        let finite = gradients.all().into_iter().flat_map(|m| &m.data).all(|g| g.is_finite());
        let skipped = state.scaler.is_some() && !finite;
        if let Some(scaler) = &mut state.scaler {
            scaler.update(!finite);
        }
        // Each of the micro-batches gives the same gradient; their sum is in fp32.
        let unscale = f64::from(settings.micro) / scale;
        if !skipped {
            state.updates += 1;
            for ((w, g), m) in state.weights.all_mut().into_iter().zip(gradients.all()).zip(&mut state.moments) {
                m.update(w, g, unscale, rate, state.updates, numerics);
            }
        }
        Step {
            loss: passed.exact_loss,
            printed: passed.loss,
            scale,
            skipped,
            broken: numerics.first_broken(),
            tallies: Op::ALL.map(|op| [Pass::Forward, Pass::Backward].map(|p| numerics.tally(op, p))).to_vec(),
            gradients: histogram(&gradients, 1.0 / scale),
        }
    }
}

/// The loss on data that training does not see, in the arithmetic of the run.
pub fn held_out(weights: &Weights, settings: &Settings) -> f64 {
    const BATCHES: u32 = 4;
    let mut stream = Stream::new(settings.seed ^ 0x5eed);
    let mut numerics = Numerics::new(settings.compute, settings.keep, settings.fake);
    let rounded = weights.rounded(&numerics);
    let mut loss = |_| forward(&mut numerics, &rounded, &Batch::draw(&mut stream), 1).exact_loss;
    (0..BATCHES).map(&mut loss).sum::<f64>() / f64::from(BATCHES)
}
