//! How the shares of a model move as one of its sizes does.

use super::{Anatomy, MAX_SEQ, Measure};
use crate::model::flops::ForwardFlops;
use crate::model::params::ParameterCount;
use crate::model::shape::{Attention, MAX_LAYERS, MAX_ROWS, MAX_WIDTH, Moe, Shape, Sliding};

/// A size that can move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// `hidden_size`, and every other width in proportion.
    Width,
    /// `num_hidden_layers`.
    Depth,
    /// `vocab_size`.
    Vocabulary,
    /// `seq`.
    Sequence,
}

impl Axis {
    /// All of them.
    pub const ALL: [Axis; 4] = [Axis::Width, Axis::Depth, Axis::Vocabulary, Axis::Sequence];

    /// The name in a query string: that of the parameter.
    pub const fn id(self) -> &'static str {
        match self {
            Axis::Width => "hidden_size",
            Axis::Depth => "num_hidden_layers",
            Axis::Vocabulary => "vocab_size",
            Axis::Sequence => "seq",
        }
    }

    /// The axis with this name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.id() == id)
    }

    /// The largest value.
    pub const fn max(self) -> u64 {
        match self {
            Axis::Width => MAX_WIDTH,
            Axis::Depth => MAX_LAYERS,
            Axis::Vocabulary => MAX_ROWS,
            Axis::Sequence => MAX_SEQ,
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
            c.attention,
            0,
            c.mlp + c.shared_experts + c.experts,
            c.router + c.norms,
        ];
        Self { at, parts: parts.map(|n| n as f64) }
    }

    fn flops(at: u64, f: &ForwardFlops) -> Self {
        let mlp = f.mlp + f.shared_experts + f.experts;
        Self { at, parts: [f.lm_head + f.other, f.projections, f.scores + f.values, mlp, f.router] }
    }
}

impl Anatomy {
    /// The size on `axis`.
    pub fn at(&self, axis: Axis) -> u64 {
        match axis {
            Axis::Width => self.shape.hidden_size,
            Axis::Depth => self.shape.num_hidden_layers,
            Axis::Vocabulary => self.shape.vocab_size,
            Axis::Sequence => self.params.seq,
        }
    }

    /// The groups as they are.
    pub fn mix(&self, measure: Measure) -> Mix {
        let at = self.at(self.params.sweep);
        match measure {
            Measure::Params => Mix::params(at, &self.count),
            Measure::Flops => Mix::flops(at, &self.flops),
        }
    }

    /// The groups over the size `axis`: from a sixteenth to sixteen times what it is, four steps an octave. Sizes that no
    /// model can have are left out.
    pub fn sweep(&self, axis: Axis, measure: Measure) -> Vec<Mix> {
        let here = self.at(axis) as f64;
        let step = |k: i32| (here * (f64::from(k) / 4.0).exp2()).round() as u64;
        let mut sizes: Vec<u64> = (-16..=16).map(step).filter(|n| (1..=axis.max()).contains(n)).collect();
        sizes.dedup();
        let mix = |at: u64| {
            let (mut shape, mut seq) = (self.shape, self.params.seq);
            match axis {
                Axis::Width => shape = shape.resized(at, shape.num_hidden_layers),
                Axis::Depth => shape = shape.resized(shape.hidden_size, at),
                Axis::Vocabulary => shape.vocab_size = at,
                Axis::Sequence => seq = at,
            }
            let sound = shape.check().is_empty();
            let count = shape.count().ok().filter(|_| sound)?;
            Some(match measure {
                Measure::Params => Mix::params(at, &count),
                Measure::Flops => Mix::flops(at, &shape.forward_flops(seq, self.params.causal)),
            })
        };
        sizes.into_iter().filter_map(mix).collect()
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
