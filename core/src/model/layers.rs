//! The layers of a model that are not alike: what mixes tokens where softmax attention does not, what stands where a dense MLP does
//! not, and what a layer's attention has beyond queries, keys and values.
//!
//! [`Shape`] has the sizes of the usual layer. [`Kinds`] says how many layers differ and in what, and [`Shape::attending`] and
//! [`Shape::state_layers`] list them all. Parameters, FLOPs and caches are counted from these lists, so that a layer with a state of
//! fixed size is never counted as one whose cache grows.
//!
//! Sources: Hugging Face transformers 5.x, `src/transformers/models/<family>/modeling_<family>.py`; Yang et al. 2024, Gated Delta
//! Networks, arXiv:2412.06464; Dao and Gu 2024, Mamba-2, arXiv:2405.21060; DeepSeek-V3.2 and V4, `inference/model.py`.

use super::params::Place;
use super::problem::ConfigProblem;
use super::shape::{Attention, MAX_EXPERTS, MAX_LAYERS, MAX_WIDTH, Moe, Shape};

/// What differs from layer to layer. The default: nothing does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds {
    /// Layers that keep a state of fixed size.
    pub state: Option<StateLayers>,
    /// Layers that mix no tokens: an MLP or experts alone (Nemotron-H).
    pub without_mixer: u64,
    /// Layers that end with what mixes tokens (Nemotron-H).
    pub without_mlp: u64,
    /// A gate on the output of attention.
    pub gate: OutputGate,
    /// What chooses the tokens that attention reads.
    pub indexer: Option<Indexer>,
    /// Heads of the layers with a window, where they are not those of the others.
    pub windowed: Option<Heads>,
    /// Width of a value where it isn't a key's; 0 where it is (MiMo-V2).
    pub value_dim: u64,
    /// Sinks in the layers with a window alone (MiMo-V2).
    pub window_sinks: bool,
    /// The key's projection is the value's too in layers without a window (Gemma 4). Both are cached.
    pub one_projection: bool,
    /// One shared key and value, old ones compressed (DeepSeek-V4).
    pub compressed: Option<Compressed>,
    /// Residual streams joined by hyper-connections; 0 for the one stream of other models (DeepSeek-V4, `hc_mult`).
    pub streams: u64,
    /// Width at which routed experts work, between two projections that they share; 0 for the model's own (`moe_latent_size`).
    pub expert_latent: u64,
    /// A dense MLP beside the experts of each mixture (Gemma 4).
    pub dense_beside_experts: bool,
    /// A scale of the router's input and one of each expert (Gemma 4).
    pub router_scales: bool,
    /// Mixtures whose router is a table and has no bias (DeepSeek-V4, `num_hash_layers`).
    pub hashed: u64,
}

/// No layer differs from another.
pub const NONE: Kinds = Kinds {
    state: None,
    without_mixer: 0,
    without_mlp: 0,
    gate: OutputGate::None,
    indexer: None,
    windowed: None,
    value_dim: 0,
    window_sinks: false,
    one_projection: false,
    compressed: None,
    streams: 0,
    expert_latent: 0,
    dense_beside_experts: false,
    router_scales: false,
    hashed: 0,
};

/// Layers that keep a state of fixed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateLayers {
    /// How many.
    pub layers: u64,
    /// How they mix tokens.
    pub mixer: Mixer,
    /// They are attention layers too: both stand side by side (Falcon-H1).
    pub beside_attention: bool,
}

/// How a layer mixes tokens into a state of fixed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mixer {
    /// Gated delta rule (Qwen3-Next, Qwen3.5).
    Delta {
        /// Heads of queries and keys.
        key_heads: u64,
        /// Heads of values.
        value_heads: u64,
        /// Width of a key.
        key_dim: u64,
        /// Width of a value.
        value_dim: u64,
        /// Inputs that the convolution before it sees.
        kernel: u64,
    },
    /// Kimi delta attention: a gate for each channel of a key, made at the width of a head.
    Kimi {
        /// Heads.
        heads: u64,
        /// Width of a head.
        head_dim: u64,
        /// Inputs that the convolutions before it see.
        kernel: u64,
        /// Whether the output gate is one full matrix rather than two narrow ones.
        full_gate: bool,
    },
    /// Mamba-2.
    Mamba {
        /// Heads.
        heads: u64,
        /// Width of a head.
        head_dim: u64,
        /// Groups that share their inputs to the state.
        groups: u64,
        /// Width of a state.
        state: u64,
        /// Inputs that the convolution sees.
        kernel: u64,
        /// A bias in the convolution.
        conv_bias: bool,
        /// Biases in the two projections.
        bias: bool,
        /// A norm before the last projection.
        norm: bool,
    },
    /// A short convolution between two gates (LFM2).
    Conv {
        /// Inputs that it sees.
        kernel: u64,
        /// Biases.
        bias: bool,
    },
    /// Lightning attention (MiniMax-Text-01): a sum of keys and values that decays.
    Lightning {
        /// Heads.
        heads: u64,
        /// Width of a head.
        head_dim: u64,
    },
}

/// A gate on the output of attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputGate {
    /// None.
    #[default]
    None,
    /// As wide as the output of all heads (Qwen3-Next, AFMoE).
    Wide,
    /// One number a head (Step-3.5).
    Head,
}

/// Heads of queries, keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heads {
    /// Heads of queries.
    pub heads: u64,
    /// Heads of keys and of values.
    pub kv_heads: u64,
    /// Width of a head.
    pub head_dim: u64,
}

/// What chooses the tokens that attention reads: a small attention of its own, whose keys are cached too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indexer {
    /// Layers that have one; others use the choice of the last.
    pub layers: u64,
    /// Layers whose attention reads the chosen tokens alone.
    pub choosing: u64,
    /// Its heads of queries.
    pub heads: u64,
    /// Width of its one key.
    pub dim: u64,
    /// Tokens that are chosen.
    pub top: u64,
    /// Its queries and keys are made like those of attention and normed (MiniMax-M3), rather than from the query latent and weighed
    /// (DeepSeek-V3.2).
    pub normed: bool,
}

/// Attention with one shared key and value of the width of a head, each layer with a window and most with compressed older tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compressed {
    /// Width of the query latent.
    pub q_rank: u64,
    /// Width of the output latent of a group of heads.
    pub o_rank: u64,
    /// Groups of heads.
    pub o_groups: u64,
    /// Tokens of one compressed row, and layers that keep such rows and an indexer over them.
    pub near: [u64; 2],
    /// The same of layers that read all their rows.
    pub far: [u64; 2],
}

/// Layers whose attention is alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attending {
    /// How many.
    pub layers: u64,
    /// Heads of queries.
    pub heads: u64,
    /// Width of a query and a key.
    pub key: u64,
    /// Width of a value.
    pub value: u64,
    /// Tokens that a query looks back on at the most.
    pub window: Option<u64>,
    /// Tokens to one row of the cache.
    pub every: u64,
}

impl Mixer {
    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Mixer::Delta { .. } => "gated delta net",
            Mixer::Kimi { .. } => "Kimi delta attention",
            Mixer::Mamba { .. } => "Mamba-2",
            Mixer::Conv { .. } => "short convolution",
            Mixer::Lightning { .. } => "lightning attention",
        }
    }

    /// Values of the state of one sequence in one layer of width `hidden`: inputs that the convolution still needs, and what is summed.
    pub const fn state(self, hidden: u64) -> [u64; 2] {
        let (channels, kernel) = self.convolved(hidden);
        let sums = match self {
            Mixer::Delta { value_heads, key_dim, value_dim, .. } => {
                value_heads.saturating_mul(key_dim).saturating_mul(value_dim)
            }
            Mixer::Kimi { heads, head_dim, .. } | Mixer::Lightning { heads, head_dim } => {
                heads.saturating_mul(head_dim).saturating_mul(head_dim)
            }
            Mixer::Mamba { heads, head_dim, state, .. } => heads.saturating_mul(head_dim).saturating_mul(state),
            Mixer::Conv { .. } => 0,
        };
        [channels.saturating_mul(kernel), sums]
    }

    /// Channels of the convolution, and inputs that each sees; none of either without one.
    pub const fn convolved(self, hidden: u64) -> (u64, u64) {
        match self {
            Mixer::Delta { key_heads, value_heads, key_dim, value_dim, kernel } => {
                let keys = key_heads.saturating_mul(key_dim).saturating_mul(2);
                (keys.saturating_add(value_heads.saturating_mul(value_dim)), kernel)
            }
            Mixer::Kimi { heads, head_dim, kernel, .. } => (heads.saturating_mul(head_dim).saturating_mul(3), kernel),
            Mixer::Mamba { heads, head_dim, groups, state, kernel, .. } => {
                let inputs = groups.saturating_mul(state).saturating_mul(2);
                (heads.saturating_mul(head_dim).saturating_add(inputs), kernel)
            }
            Mixer::Conv { kernel, .. } => (hidden, kernel),
            Mixer::Lightning { .. } => (0, 0),
        }
    }

    /// Multiplications of the recurrence for one token in one layer, a multiply–add as two: the delta rule reads the state, corrects it
    /// and reads it again; the others write and read it once.
    pub fn recurrence(self, hidden: u64) -> f64 {
        let [_, sums] = self.state(hidden);
        let passes = match self {
            Mixer::Delta { .. } | Mixer::Kimi { .. } => 3.0,
            Mixer::Mamba { .. } | Mixer::Lightning { .. } | Mixer::Conv { .. } => 2.0,
        };
        2.0 * passes * sums as f64
    }

    /// The largest width of anything in it.
    const fn widths(self) -> [u64; 6] {
        match self {
            Mixer::Delta { key_heads, value_heads, key_dim, value_dim, kernel } => {
                [key_heads, value_heads, key_dim, value_dim, kernel, 1]
            }
            Mixer::Kimi { heads, head_dim, kernel, .. } => [heads, head_dim, kernel, 1, 1, 1],
            Mixer::Mamba { heads, head_dim, groups, state, kernel, .. } => [heads, head_dim, groups, state, kernel, 1],
            Mixer::Conv { kernel, .. } => [kernel, 1, 1, 1, 1, 1],
            Mixer::Lightning { heads, head_dim } => [heads, head_dim, 1, 1, 1, 1],
        }
    }
}

impl Shape {
    /// Layers with softmax attention.
    pub fn attention_layers(&self) -> u64 {
        self.num_hidden_layers.saturating_sub(self.kinds.states_alone()).saturating_sub(self.kinds.without_mixer)
    }

    /// Layers that keep a state of fixed size.
    pub fn state_layers(&self) -> u64 {
        self.kinds.state.map_or(0, |s| s.layers)
    }

    /// Attention layers with a window.
    pub fn window_layers(&self) -> u64 {
        self.sliding.map_or(0, |s| s.layers.min(self.attention_layers()))
    }

    /// Whether every layer is like every other but for windows and experts: what frameworks' plain models are.
    pub fn is_uniform(&self) -> bool {
        self.kinds == NONE
    }

    /// Layers before the mixtures of experts, and the others: the two sorts of layers into which a model is cut.
    pub fn sorts(&self) -> [u64; 2] {
        let all = self.num_hidden_layers;
        let plain = match self.moe {
            None => all,
            Some(moe) if self.kinds.dense_beside_experts => all.saturating_sub(moe.layers),
            Some(_) => self.dense_layers(),
        };
        [plain, all.saturating_sub(plain)]
    }

    /// Layers that have weights of this place; 1 outside the layers.
    pub fn layers_at(&self, place: Place) -> u64 {
        let apart = self.kinds.windowed.map_or(0, |_| self.window_layers());
        match place {
            Place::Before | Place::After => 1,
            Place::Layer => self.num_hidden_layers,
            Place::Attention => self.attention_layers().saturating_sub(apart),
            Place::Window => apart,
            Place::State => self.state_layers(),
            Place::Dense => self.dense_layers(),
            Place::Mixture => self.moe_layers(),
        }
    }

    /// The heads of layers without a window, and of those with one.
    pub fn heads(&self) -> [Heads; 2] {
        let usual = Heads { heads: self.num_attention_heads, kv_heads: self.kv_heads(), head_dim: self.head_dim() };
        [usual, self.kinds.windowed.unwrap_or(usual)]
    }

    /// Width of a value of these heads.
    pub fn value_dim(&self, own: Heads) -> u64 {
        match self.attention {
            Attention::Latent { v_head_dim, .. } => v_head_dim,
            Attention::Heads { .. } if self.kinds.value_dim > 0 => self.kinds.value_dim,
            Attention::Heads { .. } => own.head_dim,
        }
    }

    /// Every sort of attention layer: what a query looks at in it, and how wide. Indexers and compressed rows are listed apart.
    pub fn attending(&self) -> Vec<Attending> {
        let [usual, windowed] = self.heads();
        let short = self.window_layers();
        let full = self.attention_layers().saturating_sub(short);
        let chosen = self.kinds.indexer.map(|i| (i.choosing.min(full), i.top));
        let of = |layers: u64, own: Heads, window: Option<u64>| Attending {
            layers,
            heads: own.heads,
            key: own.head_dim,
            value: self.value_dim(own),
            window,
            every: 1,
        };
        let mut list = Vec::with_capacity(6);
        match (chosen, self.kinds.compressed) {
            (Some((choosing, top)), None) => {
                list.push(of(choosing, usual, Some(top)));
                list.push(of(full - choosing, usual, None));
            }
            _ => list.push(of(full, usual, None)),
        }
        list.push(of(short, windowed, self.sliding.map(|s| s.window)));
        if let Some(c) = self.kinds.compressed {
            let top = self.kinds.indexer.map(|i| i.top.saturating_mul(c.near[0].max(1)));
            list.push(Attending { every: c.near[0].max(1), ..of(c.near[1], usual, top) });
            list.push(Attending { every: c.far[0].max(1), ..of(c.far[1], usual, None) });
        }
        if let Some(i) = self.kinds.indexer {
            let every = self.kinds.compressed.map_or(1, |c| c.near[0].max(1));
            list.push(Attending { layers: i.layers, heads: i.heads, key: i.dim, value: 0, window: None, every });
        }
        list.retain(|a| a.layers > 0);
        list
    }

    /// What is impossible about the layers that differ.
    pub(super) fn check_kinds(&self) -> Vec<ConfigProblem> {
        let k = &self.kinds;
        let layers = self.num_hidden_layers.min(MAX_LAYERS);
        let mut problems = Vec::new();
        let mut range = |what: &str, value: u64, min: u64, max: u64| {
            if !(min..=max).contains(&value) {
                let (min, max) = (crate::quantity::grouped(min), crate::quantity::grouped(max));
                let message = format!("layer_kinds: {what} {value} is out of range ({min} to {max}).");
                problems.push(ConfigProblem::new("layer_kinds", message));
            }
        };
        if let Some(s) = k.state {
            range("layers with a state", s.layers, 1, layers);
            for width in s.mixer.widths() {
                range("a size of layers with a state", width, 1, MAX_WIDTH);
            }
        }
        range("layers that mix no tokens", k.without_mixer.saturating_add(k.states_alone()), 0, layers);
        range("layers without an MLP", k.without_mlp.saturating_add(k.experts_alone(self.moe)), 0, layers);
        if let Some(i) = k.indexer {
            range("layers with an indexer", i.layers, 1, self.attention_layers());
            range("layers that use an indexer", i.choosing, 0, self.attention_layers());
            for width in [i.heads, i.dim, i.top] {
                range("a size of the indexer", width, 1, MAX_WIDTH);
            }
        }
        if let Some(w) = k.windowed {
            for width in [w.heads, w.kv_heads, w.head_dim] {
                range("a size of layers with a window", width, 1, MAX_WIDTH);
            }
        }
        if let Some(c) = k.compressed {
            for width in [c.q_rank, c.o_rank, c.o_groups, c.near[0], c.far[0]] {
                range("a size of compressed attention", width, 1, MAX_WIDTH);
            }
            range("layers with compressed rows", c.near[1].saturating_add(c.far[1]), 0, self.attention_layers());
        }
        range("width of a value", k.value_dim, 0, MAX_WIDTH);
        range("residual streams", k.streams, 0, 64);
        range("width of experts", k.expert_latent, 0, MAX_WIDTH);
        range("layers routed by a table", k.hashed, 0, self.moe.map_or(0, |m| m.layers.min(MAX_EXPERTS)));
        if k.windowed.is_some() && matches!(self.attention, Attention::Latent { .. }) {
            let why =
                "A model with latent attention can’t have windows with heads of their own. Load its config.json again.";
            problems.push(ConfigProblem::new("layer_kinds", why));
        }
        problems
    }
}

/// What separates the numbers of one entry of `layer_kinds`, and one entry from the next. Neither is escaped in an address.
const NUMBER: char = '.';
const ENTRY: char = '~';

impl Kinds {
    /// Layers with a state of fixed size and no attention.
    pub fn states_alone(&self) -> u64 {
        self.state.filter(|s| !s.beside_attention).map_or(0, |s| s.layers)
    }

    /// Layers with experts and no dense MLP.
    pub fn experts_alone(&self, moe: Option<Moe>) -> u64 {
        moe.filter(|_| !self.dense_beside_experts).map_or(0, |m| m.layers)
    }

    /// As a query has it: `delta.36.16.32.128.128.4~gate.1`. Empty if nothing differs.
    pub fn write(&self) -> String {
        let mut entries: Vec<String> = Vec::new();
        let mut entry = |name: &str, numbers: &[u64]| {
            let numbers = numbers.iter().map(u64::to_string);
            entries.push([name.to_owned()].into_iter().chain(numbers).collect::<Vec<_>>().join("."));
        };
        if let Some(s) = self.state {
            let beside = u64::from(s.beside_attention);
            let n = s.layers;
            match s.mixer {
                Mixer::Delta { key_heads, value_heads, key_dim, value_dim, kernel } => {
                    entry("delta", &[n, beside, key_heads, value_heads, key_dim, value_dim, kernel]);
                }
                Mixer::Kimi { heads, head_dim, kernel, full_gate } => {
                    entry("kimi", &[n, beside, heads, head_dim, kernel, u64::from(full_gate)]);
                }
                Mixer::Mamba { heads, head_dim, groups, state, kernel, conv_bias, bias, norm } => {
                    let flags = [conv_bias, bias, norm].map(u64::from);
                    let sizes = [n, beside, heads, head_dim, groups, state, kernel];
                    entry("mamba", &[&sizes[..], &flags[..]].concat());
                }
                Mixer::Conv { kernel, bias } => entry("conv", &[n, beside, kernel, u64::from(bias)]),
                Mixer::Lightning { heads, head_dim } => entry("lightning", &[n, beside, heads, head_dim]),
            }
        }
        if let Some(i) = self.indexer {
            entry("index", &[i.layers, i.choosing, i.heads, i.dim, i.top, u64::from(i.normed)]);
        }
        if let Some(w) = self.windowed {
            entry("windowed", &[w.heads, w.kv_heads, w.head_dim]);
        }
        if let Some(c) = self.compressed {
            entry("compressed", &[c.q_rank, c.o_rank, c.o_groups, c.near[0], c.near[1], c.far[0], c.far[1]]);
        }
        let numbers = [
            ("no-mixer", self.without_mixer),
            ("no-mlp", self.without_mlp),
            ("gate", self.gate as u64),
            ("value", self.value_dim),
            ("window-sinks", u64::from(self.window_sinks)),
            ("key-is-value", u64::from(self.one_projection)),
            ("streams", self.streams),
            ("expert-latent", self.expert_latent),
            ("mlp-beside-experts", u64::from(self.dense_beside_experts)),
            ("router-scales", u64::from(self.router_scales)),
            ("hashed", self.hashed),
        ];
        for (name, number) in numbers.into_iter().filter(|(_, number)| *number > 0) {
            entry(name, &[number]);
        }
        entries.join("~")
    }

    /// What [`Kinds::write`] wrote.
    ///
    /// # Errors
    /// A sentence that names the entry that cannot be read.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut kinds = Self::default();
        for entry in text.split(ENTRY).filter(|entry| !entry.is_empty()) {
            let mut parts = entry.split(NUMBER);
            let name = parts.next().unwrap_or_default();
            let numbers: Option<Vec<u64>> = parts.map(|part| part.parse().ok()).collect();
            if numbers.and_then(|numbers| kinds.set(name, &numbers)).is_none() {
                let entry = crate::query::shorten(entry);
                return Err(format!(
                    "layer_kinds: “{entry}” cannot be read. Copy the whole link, or load the model’s config.json again."
                ));
            }
        }
        Ok(kinds)
    }

    fn set(&mut self, name: &str, numbers: &[u64]) -> Option<()> {
        let flag = |n: u64| match n {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        let mut state = |layers: u64, beside: u64, mixer: Mixer| {
            self.state = Some(StateLayers { layers, mixer, beside_attention: flag(beside)? });
            Some(())
        };
        match (name, numbers) {
            ("delta", &[n, beside, key_heads, value_heads, key_dim, value_dim, kernel]) => {
                state(n, beside, Mixer::Delta { key_heads, value_heads, key_dim, value_dim, kernel })?;
            }
            ("kimi", &[n, beside, heads, head_dim, kernel, full]) => {
                state(n, beside, Mixer::Kimi { heads, head_dim, kernel, full_gate: flag(full)? })?;
            }
            ("mamba", &[n, beside, heads, head_dim, groups, width, kernel, conv_bias, bias, norm]) => {
                let [conv_bias, bias, norm] = [flag(conv_bias)?, flag(bias)?, flag(norm)?];
                let mixer = Mixer::Mamba { heads, head_dim, groups, state: width, kernel, conv_bias, bias, norm };
                state(n, beside, mixer)?;
            }
            ("conv", &[n, beside, kernel, bias]) => state(n, beside, Mixer::Conv { kernel, bias: flag(bias)? })?,
            ("lightning", &[n, beside, heads, head_dim]) => state(n, beside, Mixer::Lightning { heads, head_dim })?,
            ("index", &[layers, choosing, heads, dim, top, normed]) => {
                self.indexer = Some(Indexer { layers, choosing, heads, dim, top, normed: flag(normed)? });
            }
            ("windowed", &[heads, kv_heads, head_dim]) => self.windowed = Some(Heads { heads, kv_heads, head_dim }),
            ("compressed", &[q_rank, o_rank, o_groups, a, b, c, d]) => {
                self.compressed = Some(Compressed { q_rank, o_rank, o_groups, near: [a, b], far: [c, d] });
            }
            ("no-mixer", &[n]) => self.without_mixer = n,
            ("no-mlp", &[n]) => self.without_mlp = n,
            ("gate", &[n]) => {
                let gates = [OutputGate::None, OutputGate::Wide, OutputGate::Head];
                self.gate = gates.into_iter().find(|gate| *gate as u64 == n)?;
            }
            ("value", &[n]) => self.value_dim = n,
            ("window-sinks", &[n]) => self.window_sinks = flag(n)?,
            ("key-is-value", &[n]) => self.one_projection = flag(n)?,
            ("streams", &[n]) => self.streams = n,
            ("expert-latent", &[n]) => self.expert_latent = n,
            ("mlp-beside-experts", &[n]) => self.dense_beside_experts = flag(n)?,
            ("router-scales", &[n]) => self.router_scales = flag(n)?,
            ("hashed", &[n]) => self.hashed = n,
            _ => return None,
        }
        Some(())
    }

    /// Those of one layer with full attention, as a prediction module is.
    pub fn of_one_layer(self) -> Self {
        Self {
            state: self.state.filter(|s| s.beside_attention).map(|s| StateLayers { layers: 1, ..s }),
            without_mixer: 0,
            without_mlp: 0,
            hashed: 0,
            indexer: self.indexer.map(|i| Indexer { layers: 1, choosing: i.choosing.min(1), ..i }),
            compressed: self.compressed.map(|c| Compressed { near: [c.near[0], 1], far: [c.far[0], 0], ..c }),
            ..self
        }
    }

    /// The same for a model with `now` layers instead of `before`: as large a share of them of each kind.
    pub(super) fn with_layers(mut self, share: impl Fn(u64) -> u64) -> Self {
        let part = |n: u64| if n == 0 { 0 } else { share(n) };
        if let Some(s) = &mut self.state {
            s.layers = share(s.layers);
        }
        if let Some(i) = &mut self.indexer {
            (i.layers, i.choosing) = (share(i.layers), part(i.choosing));
        }
        if let Some(c) = &mut self.compressed {
            (c.near[1], c.far[1]) = (part(c.near[1]), part(c.far[1]));
        }
        self.without_mixer = part(self.without_mixer);
        self.without_mlp = part(self.without_mlp);
        self.hashed = part(self.hashed);
        self
    }
}
