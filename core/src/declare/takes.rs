//! Which of a learner's own numbers a parameter takes.

/// A quantity of a learner's setup, `ringside_core::setup`, that a parameter can be filled from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Takes {
    /// The model: a preset, or its sizes.
    Model,
    /// Its parameters.
    Parameters,
    /// Those that a token uses.
    Active,
    /// Its layers.
    Layers,
    /// Query heads × head dimension.
    Width,
    /// Query heads.
    Heads,
    /// Heads of keys and values.
    KvHeads,
    /// Numbers of a head.
    HeadDim,
    /// The GPU.
    Gpu,
    /// The link inside a node.
    Inside,
    /// The link between nodes.
    Between,
    /// GPUs of a node.
    Node,
    /// Nodes.
    Nodes,
    /// GPUs in all.
    Gpus,
    /// Part of the GPU's peak that a matmul was measured to reach.
    Mfu,
    /// Part of the GPU's bandwidth that reading memory was measured to reach.
    Mbu,
    /// Seconds of a launch, as measured.
    Launch,
    /// Times of a collective by size, as measured.
    Times,
    /// The collective of these times.
    TimesOp,
    /// Ranks of these times; GPUs in all where nothing was timed.
    TimesRanks,
    /// Tokens of a sequence.
    Sequence,
    /// Sequences of a step, over all ranks.
    Batch,
    /// Tokens of a step.
    BatchTokens,
    /// Sequences of a micro-batch.
    MicroBatch,
    /// Tensor-parallel ranks.
    Tensor,
    /// Pipeline stages.
    Pipeline,
    /// Context-parallel ranks.
    Context,
    /// Expert-parallel ranks.
    Expert,
    /// Data-parallel ranks: what the other axes leave of the GPUs.
    Data,
    /// The stage of ZeRO.
    Zero,
    /// GPUs of a server's replica; the tensor-parallel ranks where nothing else is said.
    Replica,
    /// Users who are served at the same time.
    Users,
    /// Whether there is a model or a GPU at all: of several views the one that shows it, the parameter's `free` value.
    View,
}

/// What a parameter takes, and how many of its units one base unit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Take {
    /// Which.
    pub what: Takes,
    /// 100 for a percentage, 10⁶ for microseconds.
    pub times: f64,
    /// What it is given by a setup that has a model and nothing for it: a layout that was fixed for another job isn't this one's.
    pub free: Option<&'static str>,
}

impl Take {
    /// In base units.
    pub const fn of(what: Takes) -> Self {
        Self { what, times: 1.0, free: None }
    }
}
