//! Two data-parallel replicas of the tiny network, each cut over two tensor-parallel ranks and two pipeline stages, with random
//! streams that are equal or differ.

use super::Params;
use crate::loss_scaling::network::{Batch, INNER, Settings, Trainer, Weights, apart, held_out};
use crate::mix::{Stream, mix};

/// What the ranks' streams come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The loss of both replicas at each step.
    pub losses: Vec<[f64; 2]>,
    /// The relative distance of their weights after each step.
    pub apart: Vec<f64>,
    /// The loss of the first replica on data that it did not see.
    pub last: f64,
    /// Sequences that were seen, each counted once.
    pub distinct: u32,
    /// Columns of the MLP that are no copy of another.
    pub columns: u32,
}

/// Steps of the run.
pub const STEPS: u32 = 160;
/// Numbers in which masks are counted.
const MASKED: u32 = 4096;

/// Weights before the first step. With equal streams the second tensor-parallel rank draws what the first did: the second half of the
/// MLP's columns is a copy.
fn start(seed: u64, equal_shards: bool) -> Trainer {
    let mut trainer = Trainer::new(&Settings { rate: 0.02, steps: STEPS, seed, ..Settings::default() });
    if equal_shards {
        let Weights { up, down, .. } = &mut trainer.weights;
        for row in up.data.chunks_mut(INNER) {
            let (first, second) = row.split_at_mut(INNER / 2);
            second.copy_from_slice(first);
        }
        let half = down.data.len() / 2;
        let (first, second) = down.data.split_at_mut(half);
        second.copy_from_slice(first);
    }
    trainer
}

/// The batch at a place of the data. The last stage takes the labels, of another place where its stream differs from the first's.
fn batch(seed: u64, place: u32, equal_stages: bool) -> Batch {
    let at = |place: u32| Batch::draw(&mut Stream::new(mix(seed) ^ u64::from(place)));
    let mut batch = at(place);
    if !equal_stages {
        batch.targets = at(place + (1 << 20)).targets;
    }
    batch
}

/// Sums the gradients of both and halves them, as an all-reduce with a mean does.
fn mean(one: &mut Weights, other: &mut Weights) {
    for (a, b) in one.all_mut().into_iter().zip(other.all_mut()) {
        for (a, b) in a.data.iter_mut().zip(&mut b.data) {
            let mean = (*a + *b) / 2.0;
            (*a, *b) = (mean, mean);
        }
    }
}

impl Params {
    /// Trains both replicas.
    pub fn run(&self) -> Outcome {
        let seed = u64::from(self.seed);
        let second = if self.init_dp.equal() { seed } else { seed + 1000 };
        let [mut one, mut other] = [seed, second].map(|seed| start(seed, self.init_tp.equal()));
        let (mut losses, mut distances) = (Vec::new(), Vec::new());
        for step in 0..STEPS {
            let places = if self.data_dp.equal() { [step, step] } else { [2 * step, 2 * step + 1] };
            let [first, second] = places.map(|place| batch(seed, place, self.data_pp.equal()));
            let [mut a, mut b] = [one.look(&first), other.look(&second)];
            mean(&mut a.gradients, &mut b.gradients);
            losses.push([one.take(a).loss, other.take(b).loss]);
            distances.push(apart(&one.weights, &other.weights).0);
        }
        let last = held_out(&one.weights, &one.settings);
        let copies = if self.data_dp.equal() { 1 } else { 2 };
        let distinct = copies * STEPS * crate::loss_scaling::network::SEQUENCES as u32;
        Outcome { losses, apart: distances, last, distinct, columns: columns(&one.weights) }
    }

    /// The part of numbers that two ranks drop otherwise: one drops it and the other keeps it.
    pub fn disagree(&self, equal: bool) -> f64 {
        let mask = |rank: u64| {
            let mut stream = Stream::new(u64::from(self.seed) << 8 | if equal { 0 } else { rank });
            (0..MASKED).map(|_| stream.unit() < self.dropout).collect::<Vec<_>>()
        };
        let different = mask(0).iter().zip(mask(1)).filter(|(a, b)| **a != *b).count();
        different as f64 / f64::from(MASKED)
    }
}

/// Columns of the matrix into the MLP that equal no column before them.
fn columns(weights: &Weights) -> u32 {
    let column = |c: usize| weights.up.data.iter().skip(c).step_by(INNER).map(|w| w.to_bits()).collect::<Vec<_>>();
    let all: Vec<Vec<u32>> = (0..INNER).map(column).collect();
    all.iter().enumerate().filter(|(i, c)| !all[..*i].contains(c)).count() as u32
}
