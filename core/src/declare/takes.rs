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
}

/// What a parameter takes, and how many of its units one base unit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Take {
    /// Which.
    pub what: Takes,
    /// 100 for a percentage, 10⁶ for microseconds.
    pub times: f64,
}

impl Take {
    /// In base units.
    pub const fn of(what: Takes) -> Self {
        Self { what, times: 1.0 }
    }
}
