//! `editor-latency`: how long a completion takes in an editor, and what of the prompt's cache survives a keystroke.
//!
//! A pass takes the longer of computing and reading, each at a part of the GPU's peak: FLOPs are the model's ([`Shape::forward_flops`]),
//! bytes its weights without the embedding table, which is looked up, and the KV cache ([`Shape::kv_bytes`]). One request has the GPU
//! for itself: waiting in a batch comes on top. After a keystroke the server still has the cache of the last prompt up to the first token that
//! changed. Prefix first, that is everything before the caret, and the suffix is computed anew; suffix first, only what was typed is
//! (Bavarian et al. 2022, arXiv:2207.14255, §3.1).

mod finding;
#[cfg(test)]
mod tests;

use crate::declare::{
    Field, List, Measure, Model, Origin, Origins, Param, Takes, choice, headline, join, measure, origin, real, target,
    timed, whole, yes_no,
};
use crate::fim::format::Order;
use crate::hardware::{self, Accelerator};
use crate::model::{ModelRef, Shape, presets, reference};
use crate::options;
use crate::quantity::Unit;
use crate::query::{Query, Reader};

/// The model where none is given.
const MODEL: &str = "starcoder2-3b";

/// Models of code that have the shapes of the models that they were trained from.
const CODERS: [(&str, &str); 4] = [
    ("llama-2-7b", "Code Llama 7B"),
    ("llama-2-70b", "Code Llama 70B"),
    ("qwen2.5-7b", "Qwen2.5-Coder 7B"),
    ("starcoder", "StarCoder 15.5B"),
];

/// What the server keeps from one request to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kept {
    /// Nothing.
    Nothing,
    /// The cache of the prompt.
    #[default]
    Prompt,
}

options!(Kept {
    Nothing: "nothing", "nothing";
    Prompt: "prompt", "its cache";
});

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model.
    pub model: ModelRef,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Tokens of the prompt.
    pub context: u64,
    /// The part of them after the caret.
    pub suffix: f64,
    /// What comes first.
    pub order: Order,
    /// What is kept of the last request.
    pub kept: Kept,
    /// Tokens typed since then.
    pub typed: u64,
    /// Tokens of the completion.
    pub output: u64,
    /// What it may take, in seconds.
    pub budget: f64,
    /// Network and everything else beside the model, in seconds.
    pub network: f64,
    /// Bits of a weight.
    pub bits: u64,
    /// The part of the peaks that is reached.
    pub efficiency: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            model: ModelRef::default(),
            gpu: &hardware::ALL[0],
            context: 0,
            suffix: 0.0,
            order: Order::Psm,
            kept: Kept::Nothing,
            typed: 0,
            output: 0,
            budget: 0.0,
            network: 0.0,
            bits: 16,
            efficiency: 1.0,
        }
    }
}

/// What a completion takes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// Tokens of the prompt that are computed.
    pub computed: f64,
    /// Seconds for them: until the first token.
    pub prefill: f64,
    /// Seconds of one further token.
    pub step: f64,
    /// Seconds of all of it, with the network.
    pub whole: f64,
    /// Bytes of the prompt's cache.
    pub cache: f64,
    /// Bytes of the weights.
    pub weights: f64,
}

const HARDWARE: &str = "Server";

impl Model for Params {
    type Result = Times;
    const ID: &'static str = "editor-latency";
    const TITLE: &'static str = "A completion in time";
    const SUMMARY: &'static str = "How long a completion takes in an editor over the length of the prompt, by model and GPU, and what prefix-first and \
                                   suffix-first prompts have to compute again after a keystroke.";
    const PARAMS: &'static [Param<Self>] = &join::<Self, { 12 + reference::OWN }>(&[
        &[
            reference::MODEL.default(MODEL).own_control(),
            whole("context", "tokens of the prompt", [64, 131_072], "8192")
                .label("Prompt tokens")
                .doubling(17)
                .main()
                .at(|p: &mut Params| p.context.slot()),
            choice("order", "what comes first", Order::LIST, "psm").label("Order").main().at(|p| p.order.slot()),
            choice("kept", "what the server keeps of the last request", Kept::LIST, "prompt")
                .label("Server caches")
                .main()
                .at(|p| p.kept.slot()),
            real("suffix", "the part of the prompt after the caret", [0.0, 0.9], "0.3")
                .label("Prompt tokens after the caret")
                .steps(0.1)
                .more("Prompt")
                .at(|p| p.suffix.slot()),
            whole("typed", "tokens typed since the last request", [1, 64], "2")
                .label("Tokens typed since the last request")
                .steps(1.0)
                .more("Prompt")
                .at(|p| p.typed.slot()),
            whole("output", "tokens of the completion", [1, 256], "20")
                .label("Completion tokens")
                .doubling(8)
                .more("Prompt")
                .at(|p| p.output.slot()),
            real("budget", "seconds that it may take", [0.05, 2.0], "0.3")
                .label("Latency budget")
                .unit(Unit::Seconds)
                .steps(0.05)
                .more("Prompt")
                .at(|p| p.budget.slot()),
            choice("gpu", "the GPU", hardware::LIST, "l40s-48").label("GPU").more(HARDWARE).at(|p| p.gpu.slot()),
            choice("bits", "bits of a weight", List { ids: &["4", "8", "16"], labels: &[] }, "16")
                .label("Bits per weight")
                .more(HARDWARE)
                .at(|p| p.bits.slot()),
            real("network", "seconds of network and everything beside the model", [0.0, 0.5], "0.04")
                .label("Network")
                .unit(Unit::Seconds)
                .steps(0.01)
                .more(HARDWARE)
                .at(|p| p.network.slot()),
            real("efficiency", "the part of the GPU’s peaks that is reached", [0.1, 1.0], "0.6")
                .takes(Takes::Mfu)
                .label("Share of peak reached")
                .unit(Unit::Fraction)
                .steps(0.05)
                .more(HARDWARE)
                .at(|p| p.efficiency.slot()),
        ],
        &reference::own(),
    ]);
    const ORIGIN: Origin = Origin::Own(
        "each pass takes the longer of its FLOPs and its bytes, at the shares of the GPU’s peaks that you set",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Bavarian et al. 2022 (FIM), arXiv:2207.14255, §3.1, for what a keystroke leaves of the prefix cache",
            ),
            &["computed"],
        ),
        origin(crate::kv_cache::ORIGIN, &["cache"]),
        origin(crate::model::params::ORIGIN, &["weights"]),
        origin(crate::hardware::ORIGIN, &["holds"]),
        origin(Origin::Controls, &["layers", "kv-heads", "head-dim", "bandwidth", "after-caret"]),
        origin(Origin::Rows, &["fits", "in-time"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Times>] = &[
        target(
            |p, _| p.budget,
            headline(
                "From the last keystroke to the last token of the completion.",
                measure("latency", "Completion latency", Unit::Seconds, |_, t| t.whole),
            ),
        ),
        headline(
            "The part of the latency that computes the prompt.",
            measure("prefill", "Prompt processing time", Unit::Seconds, |_, t| t.prefill),
        ),
        headline(
            "The part of the latency that generates, token by token.",
            measure("decode", "Time of the tokens after the first", Unit::Seconds, |p, t| {
                t.step * (p.output - 1) as f64
            }),
        ),
        measure("step", "Time per token", Unit::Seconds, |_, t| t.step),
        measure("computed", "Prompt tokens computed", Unit::Count, |_, t| t.computed),
        measure("cache", "KV cache of the prompt", Unit::Bytes, |_, t| t.cache),
        measure("layers", "Layers", Unit::Count, |p, _| p.shape().num_hidden_layers as f64),
        measure("kv-heads", "Key–value heads", Unit::Count, |p, _| p.shape().kv_heads() as f64),
        measure("head-dim", "Head size", Unit::Count, |p, _| p.shape().head_dim() as f64),
        measure("bandwidth", "Achieved memory bandwidth", Unit::BytesPerSecond, |p, _| p.gpu.bandwidth * p.efficiency),
        measure("weights", "Weights", Unit::Bytes, |_, t| t.weights),
        measure("holds", "GPU memory", Unit::Bytes, |p, _| p.gpu.memory.0),
        yes_no(measure("fits", "Weights and cache fit", Unit::Count, |p, t| f64::from(u8::from(p.fits(t))))),
        timed(yes_no(headline(
            "Whether the completion is complete within the budget.",
            measure("in-time", "On time", Unit::Count, |p, t| f64::from(u8::from(t.whole <= p.budget))),
        ))),
        headline(
            "The most prompt tokens with which the completion fits the GPU and still meets the budget.",
            measure("longest", "Longest prompt that is on time", Unit::Count, |p, _| p.longest() as f64),
        ),
        measure("after-caret", "Tokens after the caret", Unit::Count, |p, _| p.after()),
    ];

    fn evaluate(&self) -> Result<Times, String> {
        self.in_range()?;
        self.model.sound()?;
        Ok(self.times())
    }

    fn runs(&self, times: &Times) -> bool {
        self.fits(times)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }
}

impl Params {
    /// The model's architecture.
    pub fn shape(&self) -> &Shape {
        self.model.shape().unwrap_or(&presets::ALL[0].shape)
    }

    /// What a person calls the model.
    pub fn name(&self) -> String {
        let coder = |preset: &presets::Preset| CODERS.iter().find(|(id, _)| *id == preset.id);
        match self.model {
            ModelRef::Preset(preset) => coder(preset).map_or(preset.name, |(_, name)| name).to_owned(),
            model => model.name(),
        }
    }

    /// Tokens of the prompt after the caret.
    pub fn after(&self) -> f64 {
        (self.context as f64 * self.suffix).floor()
    }

    /// Tokens that have to be computed: all, or from the first that changed.
    fn computed(&self) -> f64 {
        let all = self.context as f64;
        match (self.kept, self.order) {
            (Kept::Nothing, _) => all,
            (Kept::Prompt, Order::Psm) => (self.typed as f64 + self.after()).min(all),
            (Kept::Prompt, Order::Spm) => (self.typed as f64).min(all),
        }
    }

    /// Whether weights and cache fit into the GPU's memory.
    pub fn fits(&self, times: &Times) -> bool {
        times.weights + times.cache <= self.gpu.memory.0
    }

    /// What it takes.
    pub fn times(&self) -> Times {
        let shape = self.shape();
        let (all, computed) = (self.context, self.computed());
        let parameters = shape.count().map_or(0.0, |count| count.active as f64);
        let weights = parameters * self.bits as f64 / 8.0;
        let (peak, bandwidth) = (self.gpu.peak * self.efficiency, self.gpu.bandwidth * self.efficiency);
        let pass = |flop: f64, tokens: u64| (flop / peak).max((weights + shape.kv_bytes(tokens, 2.0)) / bandwidth);
        // FLOPs of a sequence up to a token, its output matrix left out: prompts need that for their last token alone.
        let up_to = |tokens: f64| {
            let flops = shape.forward_flops((tokens as u64).max(1), true);
            (flops.total() - flops.lm_head) * tokens
        };
        let head = shape.forward_flops(1, true).lm_head;
        let prefill = pass(up_to(all as f64) - up_to(all as f64 - computed) + head, all);
        let one = up_to(all as f64 + 1.0) - up_to(all as f64) + head;
        let step = pass(one, all);
        Times {
            computed,
            prefill,
            step,
            whole: self.network + prefill + step * (self.output - 1) as f64,
            cache: shape.kv_bytes(all, 2.0),
            weights,
        }
    }

    /// The longest prompt that fits and of which a completion is in time; 0 if none is. Times and caches grow with the prompt.
    pub fn longest(&self) -> u64 {
        let in_time = |context: u64| {
            let params = Self { context, ..*self };
            let times = params.times();
            params.fits(&times) && times.whole <= self.budget
        };
        let (mut good, mut bad) = (0, 131_073);
        while bad - good > 1 {
            let middle = (good + bad) / 2;
            if in_time(middle) { good = middle } else { bad = middle }
        }
        good
    }
}
