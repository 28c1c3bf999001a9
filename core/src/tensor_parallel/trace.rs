//! What the ranks do, step by step: the matrices of each step, its collective, and why.

use super::sharded::{Layout, Sharded};
use crate::collective::Op;

/// Forward or backward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The forward pass.
    Forward,
    /// The backward pass.
    Backward,
}

/// A part of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The embedding of the tokens.
    Embedding,
    /// The first half of the layer.
    Attention,
    /// Its second half.
    Mlp,
    /// The output matrix and the loss.
    Output,
}

/// A place in a part, in the order of the forward pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The layer norm.
    Norm,
    /// Where the ranks part: f, or g-bar under sequence parallelism.
    In,
    /// The first matrix, or the only one.
    First,
    /// Between it and what follows.
    Between,
    /// Attention, the non-linearity, the loss.
    Local,
    /// Before the second matrix.
    Gather,
    /// The second matrix.
    Second,
    /// Where the ranks come together: g.
    Out,
}

impl Part {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Embedding, Self::Attention, Self::Mlp, Self::Output];

    /// What a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Embedding => "Embedding",
            Self::Attention => "Attention",
            Self::Mlp => "MLP",
            Self::Output => "Output and loss",
        }
    }
}

impl Slot {
    /// All of them, in order.
    pub const ALL: [Self; 8] =
        [Self::Norm, Self::In, Self::First, Self::Between, Self::Local, Self::Gather, Self::Second, Self::Out];

    /// What a person reads, in `part`.
    pub fn label(self, part: Part) -> &'static str {
        match (self, part) {
            (Self::Norm, _) => "norm",
            (Self::In, _) => "f",
            (Self::Out, _) => "g",
            (Self::Between | Self::Gather, _) => "between",
            (Self::First, Part::Embedding) => "look up",
            (Self::First, Part::Attention) => "q, k, v",
            (Self::First, Part::Mlp) => "up",
            (Self::First, Part::Output) => "logits",
            (Self::Local, Part::Attention) => "heads",
            (Self::Local, Part::Mlp) => "SiLU",
            (Self::Local, _) => "loss",
            (Self::Second, Part::Attention) => "o",
            (Self::Second, _) => "down",
        }
    }

    /// Whether `part` has it under every split.
    pub fn always(self, part: Part) -> bool {
        match part {
            Part::Embedding => matches!(self, Self::First | Self::Out),
            Part::Attention | Part::Mlp => !matches!(self, Self::Between | Self::Gather),
            Part::Output => matches!(self, Self::In | Self::First | Self::Local),
        }
    }
}

/// What a matrix is, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concept {
    /// A weight.
    Weights,
    /// Something computed in the forward pass.
    Activations,
    /// A gradient, of either.
    Gradients,
}

/// A matrix on show.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Its letter or name: X, Wq, dZ.
    pub name: String,
    /// What it is.
    pub concept: Concept,
    /// What each rank holds of it.
    pub held: Sharded,
}

impl Panel {
    /// Who holds what, in a few words.
    pub fn holding(&self) -> String {
        let ranks = self.held.ranks();
        match self.held.layout {
            _ if ranks == 1 => "on the one rank".to_owned(),
            Layout::Full => "the same on every rank".to_owned(),
            Layout::Cols { copies: 1 } => "columns by rank".to_owned(),
            Layout::Cols { copies } => format!("columns, each on {copies} ranks"),
            Layout::Rows if self.concept == Concept::Weights || self.name.starts_with("dW") => {
                "rows by rank".to_owned()
            }
            Layout::Rows => "tokens by rank".to_owned(),
            Layout::Partial => format!("a sum of {ranks}"),
        }
    }

    /// Rows and columns of the whole.
    pub fn size(&self) -> (usize, usize) {
        let part = self.held.parts.first().map_or((0, 0), |m| (m.rows, m.cols));
        let ranks = self.held.ranks();
        match self.held.layout {
            Layout::Full | Layout::Partial => part,
            Layout::Cols { copies } => (part.0, part.1 * (ranks / copies.max(1))),
            Layout::Rows => (part.0 * ranks, part.1),
        }
    }
}

/// A collective that a step runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exchange {
    /// Which.
    pub op: Op,
    /// Elements of the whole buffer, S in nccl-tests.
    pub elements: usize,
    /// Whether it brings back what sequence parallelism did not keep, behind a matrix product that does not need it.
    pub again: bool,
    /// Whether it belongs to every micro-batch of the layer, as opposed to the ends of the model and the gradients of weights.
    pub of_layer: bool,
}

impl Exchange {
    /// How many of the elements each of `ranks` ranks has to send.
    pub fn sent(&self, ranks: usize) -> f64 {
        self.op.bus_factor(ranks) * self.elements as f64
    }
}

/// A step: what goes in, what comes out.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Forward or backward.
    pub phase: Phase,
    /// Of which part.
    pub part: Part,
    /// Where in it.
    pub slot: Slot,
    /// A few words.
    pub title: &'static str,
    /// What is read.
    pub inputs: Vec<Panel>,
    /// What it is multiplied by, if it is.
    pub factors: Vec<Panel>,
    /// What comes out.
    pub outputs: Vec<Panel>,
    /// The collective, if it is one.
    pub exchange: Option<Exchange>,
    /// What happens and why, in sentences.
    pub say: String,
}
