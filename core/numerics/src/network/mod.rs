//! A transformer small enough to train while somebody looks: one block, one head, every operation rounded to the format
//! of the run. The same seed gives the same run to the last bit on every machine.
//!
//! Eight tokens of a vocabulary of eight in each of four sequences, width 8, MLP 16; pre-norm, norms without gains. Every
//! matrix product reads numbers in the run's format and adds in fp32, as tensor cores do. The norms take the variance as
//! `E[x²]` − `E[x]²`, in one pass over the data.

mod numerics;
mod pass;
mod recipe;
mod train;

pub use numerics::{Compute, FakeQuant, Keep, Matrix, Numerics, Op, Pass, Tally, Variant};
pub use pass::{Batch, Weights};
pub use recipe::Recipe;
pub use train::{Part, Run, Scaling, Settings, Signals, Step, Trainer, apart, continued, held_out, train};

/// Tokens of the vocabulary, and of a sequence.
pub const VOCABULARY: usize = 8;
/// Tokens of a sequence.
pub const LENGTH: usize = 8;
/// Sequences of a micro-batch.
pub const SEQUENCES: usize = 4;
/// Width of the residual stream.
pub const WIDTH: usize = 8;
/// Width inside the MLP.
pub const INNER: usize = 16;
/// Tokens of a micro-batch.
pub const TOKENS: usize = LENGTH * SEQUENCES;
