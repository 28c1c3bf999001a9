//! Arithmetic of the tiny network in the formats that a run asks for, with a count of what each operation lost.

use crate::float::block::{self, Recipe, ScaleRule};
use crate::float::{BF16, E4M3FN, E5M2, FP16, FP32, Format, INT8, Overflow, Rounder, Rounding, TF32};

/// What the network computes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compute {
    /// Everything in fp32.
    Fp32,
    /// Matrix products read tf32; everything else is fp32.
    Tf32,
    /// Activations, gradients and the weights that are multiplied in bf16.
    Bf16,
    /// The same in fp16.
    Fp16,
    /// As bf16, but matrix products read fp8: e4m3fn forward, e5m2 for gradients, with a scale for each tensor or without.
    Fp8 {
        /// Whether each tensor is scaled so that its largest value is the format's (Transformer Engine's current scaling).
        scaled: bool,
    },
}

impl Compute {
    /// What activations and gradients are held in.
    pub const fn held(self) -> Format {
        match self {
            Self::Fp32 | Self::Tf32 => FP32,
            Self::Bf16 | Self::Fp8 { .. } => BF16,
            Self::Fp16 => FP16,
        }
    }
}

/// What stays in fp32 although the rest does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// The weights that the optimizer updates.
    pub master: bool,
    /// Products of queries and keys.
    pub logits: bool,
    /// Exponentials and their sum.
    pub softmax: bool,
    /// Mean and variance of the norms.
    pub norm: bool,
    /// The sum over the losses of all tokens, and the gradient that starts there.
    pub loss: bool,
}

impl Keep {
    /// Everything in fp32 that can be.
    pub const ALL: Self = Self { master: true, logits: true, softmax: true, norm: true, loss: true };
}

/// Weights rounded to whole numbers in the forward pass; gradients pass as if they were not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FakeQuant {
    /// Bits of a weight, 2 to 8; symmetric, so 2ᵇ − 1 levels.
    pub bits: u32,
    /// A scale for each output channel instead of one for the matrix.
    pub per_channel: bool,
}

/// What of the network itself may be otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Variant {
    /// Queries and keys are normed before they are multiplied (Dehghani et al. 2023, ViT-22B, section 2).
    pub qk_norm: bool,
    /// What the square of the logarithm of the softmax's denominator is added to the loss with (Chowdhery et al. 2022, PaLM,
    /// section 5).
    pub z_loss: f32,
    /// Whether matrix products add from the last number to the first.
    pub reversed: bool,
}

/// The operations, in the order of the forward pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Token and position embedding.
    Embedding,
    /// The norm before attention.
    NormAttention,
    /// Projections to queries, keys and values.
    Qkv,
    /// Products of queries and keys.
    Logits,
    /// Softmax over the keys.
    Softmax,
    /// Weighted sum of values and its projection.
    Values,
    /// The norm before the MLP.
    NormMlp,
    /// The MLP.
    Mlp,
    /// The norm before the head.
    NormHead,
    /// Logits over the vocabulary.
    Head,
    /// Cross-entropy and its mean.
    Loss,
}

impl Op {
    /// All, in the order of the forward pass.
    pub const ALL: [Self; 11] = [
        Self::Embedding,
        Self::NormAttention,
        Self::Qkv,
        Self::Logits,
        Self::Softmax,
        Self::Values,
        Self::NormMlp,
        Self::Mlp,
        Self::NormHead,
        Self::Head,
        Self::Loss,
    ];

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::NormAttention => "norm before attention",
            Self::Qkv => "queries, keys, values",
            Self::Logits => "attention logits",
            Self::Softmax => "softmax",
            Self::Values => "attention output",
            Self::NormMlp => "norm before the MLP",
            Self::Mlp => "MLP",
            Self::NormHead => "last norm",
            Self::Head => "head",
            Self::Loss => "loss",
        }
    }
}

/// Which pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// The forward pass.
    Forward,
    /// The backward pass.
    Backward,
}

/// What rounding did to the numbers of one operation in one pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Numbers other than zero before rounding.
    pub numbers: u32,
    /// Of them, those that became zero.
    pub flushed: u32,
    /// Finite before rounding, infinite or NaN after.
    pub overflowed: u32,
    /// Infinite or NaN already before rounding: made by the operation from such, or by 0/0, ∞ − ∞, √ of a negative number.
    pub broken: u32,
}

/// A matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Its columns.
    pub columns: usize,
    /// Its values.
    pub data: Vec<f32>,
}

impl Matrix {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![0.0; rows * columns] }
    }

    /// Its rows.
    pub fn rows(&self) -> usize {
        self.data.len() / self.columns.max(1)
    }

    /// Row `r`.
    pub fn row(&self, r: usize) -> &[f32] {
        self.data.get(r * self.columns..(r + 1) * self.columns).unwrap_or(&[])
    }

    /// Its transpose.
    pub fn transposed(&self) -> Self {
        let data = (0..self.columns).flat_map(|c| self.data.iter().skip(c).step_by(self.columns.max(1)).copied());
        Self { columns: self.rows(), data: data.collect() }
    }

    /// A matrix of the same shape.
    pub fn map(&self, f: impl FnMut(f32) -> f32) -> Self {
        Self { columns: self.columns, data: self.data.iter().copied().map(f).collect() }
    }

    /// This and another of its shape, number by number.
    pub fn zip(&self, other: &Self, mut f: impl FnMut(f32, f32) -> f32) -> Self {
        let data = self.data.iter().zip(&other.data).map(|(a, b)| f(*a, *b));
        Self { columns: self.columns, data: data.collect() }
    }
}

/// What a matrix product reads.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// Weights or activations: e4m3fn in fp8.
    Value(&'a Matrix),
    /// Gradients: e5m2 in fp8.
    Gradient(&'a Matrix),
}

/// The arithmetic of one step.
#[derive(Debug, Clone)]
pub struct Numerics {
    /// What the network computes in.
    pub compute: Compute,
    /// What stays in fp32.
    pub keep: Keep,
    /// Fake quantization of the weights.
    pub fake: Option<FakeQuant>,
    /// What of the network is otherwise.
    pub variant: Variant,
    held: Rounder,
    exact: Rounder,
    tallies: [[Tally; 2]; Op::ALL.len()],
    first_broken: Option<(Op, Pass)>,
}

impl Numerics {
    /// With nothing counted yet.
    pub fn new(compute: Compute, keep: Keep, fake: Option<FakeQuant>) -> Self {
        let held = Rounder::new(compute.held(), Overflow::Special);
        let exact = Rounder::new(FP32, Overflow::Special);
        let variant = Variant::default();
        Self { compute, keep, fake, variant, held, exact, tallies: Default::default(), first_broken: None }
    }

    /// The count of an operation in a pass.
    pub fn tally(&self, op: Op, pass: Pass) -> Tally {
        self.tallies[op as usize][pass as usize]
    }

    /// The first operation that made a number infinite or NaN.
    pub fn first_broken(&self) -> Option<(Op, Pass)> {
        self.first_broken
    }

    /// Rounds to what the run holds numbers in, and counts.
    pub fn round(&mut self, op: Op, pass: Pass, x: f32) -> f32 {
        let rounded = self.held.round(x);
        let tally = &mut self.tallies[op as usize][pass as usize];
        tally.numbers += u32::from(x != 0.0);
        tally.flushed += u32::from(x != 0.0 && rounded == 0.0);
        if !rounded.is_finite() {
            if x.is_finite() {
                tally.overflowed += 1;
            } else {
                tally.broken += 1;
            }
            self.first_broken.get_or_insert((op, pass));
        }
        rounded
    }

    /// Rounds every number of a matrix.
    pub fn finish(&mut self, op: Op, pass: Pass, matrix: &Matrix) -> Matrix {
        matrix.map(|x| self.round(op, pass, x))
    }

    /// Rounds to fp32 if `kept`, to what the run holds numbers in otherwise: for numbers inside an operation.
    pub fn inner(&mut self, op: Op, pass: Pass, kept: bool, x: f32) -> f32 {
        if kept { self.exact.round(x) } else { self.round(op, pass, x) }
    }

    /// The sum, one number after another, each partial sum rounded as [`Numerics::inner`] does.
    pub fn sum(&mut self, op: Op, pass: Pass, kept: bool, numbers: impl Iterator<Item = f32>) -> f32 {
        let mut sum = 0.0;
        for x in numbers {
            sum = self.inner(op, pass, kept, sum + x);
        }
        sum
    }

    /// A product of matrices as a tensor core makes it: inputs in the run's format, sums in fp32, not yet rounded.
    pub fn product(&self, a: Input<'_>, b: Input<'_>) -> Matrix {
        let (a, b) = (self.read(a), self.read(b));
        let mut out = Matrix::zeros(a.rows(), b.columns);
        for (r, row) in out.data.chunks_mut(b.columns.max(1)).enumerate() {
            let add = |(k, x): (usize, &f32)| {
                for (sum, y) in row.iter_mut().zip(b.row(k)) {
                    *sum += x * y;
                }
            };
            let terms = a.row(r).iter().enumerate();
            if self.variant.reversed { terms.rev().for_each(add) } else { terms.for_each(add) }
        }
        out
    }

    /// A matrix as a tensor core reads it.
    fn read(&self, input: Input<'_>) -> Matrix {
        let matrix = match input {
            Input::Value(matrix) | Input::Gradient(matrix) => matrix,
        };
        match self.compute {
            Compute::Fp8 { scaled } => {
                let format = if matches!(input, Input::Gradient(_)) { E5M2 } else { E4M3FN };
                let amax = matrix.data.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
                let scale = if scaled && amax > 0.0 && amax.is_finite() { f64::from(amax) / format.max() } else { 1.0 };
                matrix.map(|x| block::scaled(format, x.into(), scale) as f32)
            }
            Compute::Tf32 => {
                let rounder = Rounder::new(TF32, Overflow::Special);
                matrix.map(|x| rounder.round(x))
            }
            _ => matrix.clone(),
        }
    }

    /// The weights that are multiplied, made from those that the optimizer updates. Columns are output channels.
    pub fn weights(&self, master: &Matrix) -> Matrix {
        let fake = self.fake.map(|fake| fake.round(master));
        fake.as_ref().unwrap_or(master).map(|w| self.held.round(w))
    }

    /// A weight after the optimizer's update.
    pub fn updated(&self, w: f32) -> f32 {
        if self.keep.master { w } else { self.held.round(w) }
    }
}

impl FakeQuant {
    /// Rounds to whole multiples of a scale by which the largest is 2ᵇ⁻¹ − 1.
    pub fn round(self, matrix: &Matrix) -> Matrix {
        let largest = f64::from((1_u32 << (self.bits.clamp(2, 8) - 1)) - 1);
        let values: Vec<f64> = matrix.data.iter().map(|&w| w.into()).collect();
        let tile = if self.per_channel { (0, 1) } else { (0, 0) };
        let recipe = Recipe { id: "", name: "", element: INT8, tile, rule: ScaleRule::Largest };
        let whole = |v: f64, scale: f64| INT8.round(v / scale, Rounding::NearestEven, Overflow::Saturate) * scale;
        let scales = recipe.quantize(&values, matrix.columns).scales;
        let scale = |i: usize| {
            let column = if self.per_channel { i % matrix.columns.max(1) } else { 0 };
            scales.get(column).copied().unwrap_or(1.0) * INT8.max() / largest
        };
        let data = values.iter().enumerate().map(|(i, &v)| whole(v, scale(i)) as f32).collect();
        Matrix { columns: matrix.columns, data }
    }
}
