//! `seed-streams`: which random streams of the ranks of a job must be equal and which must differ, and what happens if they do not.
//!
//! The rule follows from what ranks hold. Ranks that hold copies of a tensor must draw the same numbers for it; ranks that hold
//! parts of it must draw different ones; ranks that average their gradients must see different data. Megatron-LM has two streams
//! for it: a default one, equal over tensor-parallel ranks, and one of each tensor-parallel rank, seed + 2718 + rank
//! (`megatron/core/tensor_parallel/random.py`, `model_parallel_cuda_manual_seed`).

mod finding;
pub mod simulate;
#[cfg(test)]
mod tests;

use crate::declare::{
    Field, Measure, Model, Origin, Origins, Param, choice, doc, headline, measure, origin, real, whole,
};
use crate::options;
use crate::quantity::Unit;
pub use simulate::Outcome;

/// Whether ranks draw the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stream {
    /// The same.
    #[default]
    Equal,
    /// Each its own.
    Different,
}

options!(Stream {
    Equal: "equal", "equal";
    Different: "different", "different";
});

impl Stream {
    /// Whether it is the same.
    pub fn equal(self) -> bool {
        self == Self::Equal
    }
}

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// Initial weights over data-parallel replicas.
    pub init_dp: Stream,
    /// Initial weights of the shards of tensor-parallel ranks.
    pub init_tp: Stream,
    /// The order of the data over replicas.
    pub data_dp: Stream,
    /// The order of the data over pipeline stages: tokens at the first, labels at the last.
    pub data_pp: Stream,
    /// Dropout over replicas.
    pub drop_dp: Stream,
    /// Dropout of tensors that tensor-parallel ranks hold whole.
    pub drop_whole: Stream,
    /// Dropout of tensors that they hold parts of.
    pub drop_shard: Stream,
    /// The part that dropout drops.
    pub dropout: f64,
    /// The seed.
    pub seed: u32,
}

/// What the figure shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The run with these streams.
    pub run: Outcome,
    /// The run with the right ones.
    pub right: Outcome,
}

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "seed-streams";
    const TITLE: &'static str = "Which streams are equal?";
    const SUMMARY: &'static str = "Random streams of data-parallel, tensor-parallel and pipeline ranks, equal or different, and a simulated run that shows the damage.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("init-dp", "initial weights over data-parallel replicas", Stream::LIST, "equal")
            .drawn()
            .at(|p| p.init_dp.slot()),
        choice("init-tp", "initial weights of the shards of tensor-parallel ranks", Stream::LIST, "equal")
            .drawn()
            .at(|p| p.init_tp.slot()),
        choice("data-dp", "order of the data over data-parallel replicas", Stream::LIST, "equal")
            .drawn()
            .at(|p| p.data_dp.slot()),
        choice("data-pp", "order of the data over pipeline stages", Stream::LIST, "equal")
            .drawn()
            .at(|p| p.data_pp.slot()),
        choice("drop-dp", "dropout over data-parallel replicas", Stream::LIST, "equal")
            .drawn()
            .at(|p| p.drop_dp.slot()),
        choice("drop-whole", "dropout of what tensor-parallel ranks hold whole", Stream::LIST, "equal")
            .drawn()
            .at(|p| p.drop_whole.slot()),
        choice("drop-shard", "dropout of what tensor-parallel ranks hold parts of", Stream::LIST, "equal")
            .drawn()
            .at(|p| p.drop_shard.slot()),
        real("dropout", "the part that dropout drops", [0.0, 0.9], "0.1")
            .label("Dropout")
            .steps(0.05)
            .main()
            .at(|p| p.dropout.slot()),
        whole("seed", "the seed of the job", [1, 999], "1").label("Job seed").main().at(|p| p.seed.slot()),
    ];
    const ORIGIN: Origin =
        Origin::Own("replicas of a network small enough to train in your browser, with one random stream set wrongly");
    const ORIGINS: &'static [Origins] = &[origin(
        Origin::Of(
            "NVIDIA/Megatron-LM, megatron/core/tensor_parallel/random.py, model_parallel_cuda_manual_seed, for which streams must agree; counted in this run",
        ),
        &["whole-disagree", "shard-disagree", "replica-disagree"],
    )];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        headline(
            "Loss at the last step with the streams as set.",
            measure("loss", "Final loss", Unit::Ratio, |_, s| s.run.last.clamp(0.0, 1e30)),
        ),
        headline(
            "Loss at the last step if every rank draws as it should.",
            measure("right-loss", "Final loss with the right streams", Unit::Ratio, |_, s| {
                s.right.last.clamp(0.0, 1e30)
            }),
        ),
        headline(
            "How far the replicas’ weights are apart. They should be equal.",
            measure("apart", "Replica divergence at the end", Unit::Fraction, |_, s| {
                s.run.apart.last().copied().unwrap_or(0.0)
            }),
        ),
        headline(
            "Replicas that draw the same data see fewer sequences.",
            measure("distinct", "Distinct sequences seen", Unit::Count, |_, s| f64::from(s.run.distinct)),
        ),
        measure("right-distinct", "Distinct sequences with the right streams", Unit::Count, |_, s| {
            f64::from(s.right.distinct)
        }),
        measure("columns", "Distinct MLP columns", Unit::Count, |_, s| f64::from(s.run.columns)),
        doc(
            "The share of values that tensor-parallel ranks drop differently although they hold copies of them.",
            measure("whole-disagree", "Dropout mismatch, replicated tensors", Unit::Fraction, |p, _| {
                p.disagree(p.drop_whole.equal())
            }),
        ),
        measure("shard-disagree", "Dropout mismatch, sharded tensors", Unit::Fraction, |p, _| {
            p.disagree(p.drop_shard.equal())
        }),
        measure("replica-disagree", "Dropout mismatch across replicas", Unit::Fraction, |p, _| {
            p.disagree(p.drop_dp.equal())
        }),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        Ok(Shown { run: self.run(), right: self.right().run() })
    }
}

impl Params {
    /// The same job with every stream as it must be.
    pub fn right(&self) -> Self {
        use Stream::{Different, Equal};
        Self {
            init_dp: Equal,
            init_tp: Different,
            data_dp: Different,
            data_pp: Equal,
            drop_dp: Different,
            drop_whole: Equal,
            drop_shard: Different,
            ..*self
        }
    }
}
