//! How the shares of a model move as one of its sizes does.

use super::{Anatomy, MAX_SEQ, Measure, Params};
use crate::model::flops::ForwardFlops;
use crate::model::params::ParameterCount;
use crate::model::reference::ModelRef;
use crate::model::shape::{Attention, Moe, Shape, Sliding};
use crate::options;

/// A size that can move, with the name of its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axis {
    /// `hidden_size`, and every other width in proportion.
    #[default]
    Width,
    /// `num_hidden_layers`.
    Depth,
    /// `vocab_size`.
    Vocabulary,
    /// `seq`.
    Sequence,
}

options!(Axis {
    Width: "hidden_size", "Hidden size";
    Depth: "num_hidden_layers", "Layers";
    Vocabulary: "vocab_size", "Vocabulary";
    Sequence: "seq", "Sequence";
});

impl Axis {
    /// The smallest and the largest size that are worth a look: from toys to past the largest models.
    pub const fn range(self) -> (u64, u64) {
        match self {
            Axis::Width => (256, 32_768),
            Axis::Depth => (1, 256),
            Axis::Vocabulary => (1024, 1_048_576),
            Axis::Sequence => (128, 1_048_576),
        }
    }
}

/// What goes together when shares are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Token and position embeddings and the output head.
    Tables,
    /// Projections of attention.
    Attention,
    /// The attention matrix: FLOPs without parameters.
    Matrix,
    /// MLPs and experts.
    Mlp,
    /// Norms and routers.
    Small,
}

impl Group {
    /// All groups, in the order of [`Mix::parts`].
    pub const ALL: [Group; 5] = [Group::Tables, Group::Attention, Group::Matrix, Group::Mlp, Group::Small];

    /// A name in lower case: the class that colours it.
    pub const fn id(self) -> &'static str {
        match self {
            Group::Tables => "tables",
            Group::Attention => "attention",
            Group::Matrix => "matrix",
            Group::Mlp => "mlp",
            Group::Small => "small",
        }
    }

    /// What a person reads, of a mixture of experts or of a dense model.
    pub const fn label(self, mixture: bool) -> &'static str {
        match (self, mixture) {
            (Group::Tables, _) => "Embedding and head",
            (Group::Attention, _) => "Attention",
            (Group::Matrix, _) => "Attention matrix",
            (Group::Mlp, true) => "MLP and experts",
            (Group::Mlp, false) => "MLP",
            (Group::Small, true) => "Norms and router",
            (Group::Small, false) => "Norms",
        }
    }
}

/// The five groups of a model at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    /// The size: a width, a depth, a vocabulary or a sequence.
    pub at: u64,
    /// Parameters, or forward FLOPs of one token, of each of [`Group::ALL`].
    pub parts: [f64; 5],
}

impl Mix {
    /// The sum of the parts.
    pub fn total(&self) -> f64 {
        self.parts.iter().sum()
    }

    /// The share of a group: 0 to 1.
    pub fn share(&self, group: Group) -> f64 {
        let total = self.total();
        if total > 0.0 { self.parts[group as usize] / total } else { 0.0 }
    }

    fn params(at: u64, c: &ParameterCount) -> Self {
        let parts = [
            c.embedding + c.lm_head + c.other,
            c.attention + c.mixers,
            0,
            c.mlp + c.shared_experts + c.experts,
            c.router + c.norms,
        ];
        Self { at, parts: parts.map(|n| n as f64) }
    }

    fn flops(at: u64, f: &ForwardFlops) -> Self {
        let mlp = f.mlp + f.shared_experts + f.experts;
        Self { at, parts: [f.lm_head + f.other, f.projections + f.mixers, f.scores + f.values, mlp, f.router] }
    }
}

impl Anatomy {
    /// The groups as they are.
    pub fn mix(&self, measure: Measure) -> Mix {
        let at = self.params.size(self.params.sweep);
        match measure {
            Measure::Params => Mix::params(at, &self.count),
            Measure::Flops => Mix::flops(at, &self.flops),
        }
    }

    /// The groups over [`Axis::range`], four sizes an octave, and at the size as it is, in order. Sizes that no model can
    /// have are left out.
    pub fn sweep(&self, axis: Axis, measure: Measure) -> Vec<Mix> {
        let (from, to) = axis.range();
        let steps = (to / from).ilog2() * 4;
        let step = |k: u32| (from as f64 * (f64::from(k) / 4.0).exp2()).round() as u64;
        let mut sizes: Vec<u64> = (0..=steps).map(step).chain([self.params.size(axis)]).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mix = |at: u64| {
            let params = self.params.resized(axis, at)?;
            let shape = params.model.shape()?;
            Some(match measure {
                Measure::Params => Mix::params(at, &shape.count().ok()?),
                Measure::Flops => Mix::flops(at, &shape.forward_flops(params.seq, params.causal)),
            })
        };
        sizes.into_iter().filter_map(mix).collect()
    }
}

impl Params {
    /// The size on `axis`; 0 for a bare number of parameters.
    pub fn size(&self, axis: Axis) -> u64 {
        let of_shape = |size: fn(&Shape) -> u64| self.model.shape().map_or(0, size);
        match axis {
            Axis::Width => of_shape(|s| s.hidden_size),
            Axis::Depth => of_shape(|s| s.num_hidden_layers),
            Axis::Vocabulary => of_shape(|s| s.vocab_size),
            Axis::Sequence => self.seq,
        }
    }

    /// These parameters with one size changed, by [`Shape::resized`]; none if no model can have that size.
    pub fn resized(&self, axis: Axis, to: u64) -> Option<Self> {
        let before = *self.model.shape()?;
        let mut shape = before;
        match axis {
            Axis::Width => shape = shape.resized(to, shape.num_hidden_layers),
            Axis::Depth => shape = shape.resized(shape.hidden_size, to),
            Axis::Vocabulary => shape.vocab_size = to,
            Axis::Sequence => return (1..=MAX_SEQ).contains(&to).then_some(Self { seq: to, ..*self }),
        }
        let guess = if let ModelRef::Custom { guess, .. } = self.model { guess } else { None };
        let stored = self.model.stored();
        let model = if shape == before { self.model } else { ModelRef::Custom { shape, guess, stored } };
        let sound = shape.check().is_empty() && shape.count().is_ok();
        sound.then_some(Self { model, ..*self })
    }
}

impl Shape {
    /// This architecture made wider or narrower, deeper or shallower. Every width but the vocabulary's and the positions'
    /// follows in proportion (heads keep their number and change their width, as do ranks and experts); layers with experts
    /// and with a window keep their share. Widths are rounded and at least 1.
    pub fn resized(&self, hidden_size: u64, layers: u64) -> Self {
        let by = |n: u64, to: u64, from: u64| {
            if n == 0 || from == 0 { n } else { (n as f64 * (to as f64 / from as f64)).round().max(1.0) as u64 }
        };
        let wide = |n: u64| by(n, hidden_size, self.hidden_size);
        let deep = |n: u64| by(n, layers, self.num_hidden_layers).min(layers);
        let attention = match self.attention {
            Attention::Heads { kv_heads, head_dim } => Attention::Heads { kv_heads, head_dim: wide(head_dim) },
            Attention::Latent { q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim } => {
                Attention::Latent {
                    q_lora_rank: q_lora_rank.map(wide),
                    kv_lora_rank: wide(kv_lora_rank),
                    qk_nope_head_dim: wide(qk_nope_head_dim),
                    qk_rope_head_dim: wide(qk_rope_head_dim),
                    v_head_dim: wide(v_head_dim),
                }
            }
        };
        Self {
            hidden_size,
            num_hidden_layers: layers,
            attention,
            intermediate_size: wide(self.intermediate_size),
            word_embed_proj_dim: self.word_embed_proj_dim.map(wide).filter(|w| *w != hidden_size),
            moe: self.moe.map(|m| Moe {
                layers: deep(m.layers),
                intermediate_size: wide(m.intermediate_size),
                shared_intermediate_size: wide(m.shared_intermediate_size),
                ..m
            }),
            sliding: self.sliding.map(|s| Sliding { layers: deep(s.layers), ..s }),
            ..*self
        }
    }
}
