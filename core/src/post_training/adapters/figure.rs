//! `lora-adapters`: what adapters save, over their rank, and many of them served on one base.

use super::{Adapter, Fused, Targets, Variant};
use crate::declare::{
    Aim, Applies, Decision, Field as _, Measure, Model, Origin, Origins, Param, Takes, all_apart, applies, choice, doc,
    headline, join, lever, lever_of, measure, origin, real, whole, within, words,
};
use crate::hardware::{self, Accelerator};
use crate::memory::Dtype;
use crate::memory::Optimizer;
use crate::memory::activations::Recompute;
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, reference};
use crate::options;
use crate::post_training::held::{Held, Load, Tune};
use crate::quantity::{Unit, grouped};
use crate::query::{Query, Reader};

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// What a GPU holds, trained in full, with an adapter, and on a quantized base.
    #[default]
    Memory,
    /// Parameters over the rank.
    Rank,
    /// Memory over the number of adapters served.
    Serving,
}

options!(View {
    Memory: "memory", "Memory";
    Rank: "rank", "Rank";
    Serving: "serving", "Serving";
});

/// The model that is meant if none is given.
const MODEL: &str = "llama-3-8b";
/// Bytes that a saved parameter has to train on with: bf16 weight, fp32 master copy, two fp32 moments.
const RESUME: f64 = 14.0;
/// The part of a GPU's memory that serving uses (vLLM's default of `gpu_memory_utilization`).
const USED: f64 = crate::kv_cache::figure::USED;
/// The largest rank, as a power of two.
pub const LARGEST: u32 = 10;
/// The most adapters, as a power of two.
pub const MOST: u32 = 14;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// The model.
    pub model: ModelRef,
    /// Which matrices have an adapter.
    pub targets: Targets,
    /// The rank.
    pub rank: u64,
    /// The kind.
    pub variant: Variant,
    /// α.
    pub alpha: f64,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Data-parallel ranks.
    pub dp: u64,
    /// Stage of ZeRO.
    pub zero: u8,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a micro-batch.
    pub mbs: u64,
    /// What is recomputed.
    pub recompute: Recompute,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Adapters served on one base.
    pub served: u64,
    /// Which way of training the verdict is on.
    pub tune: Tune,
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The adapter.
    pub adapter: Adapter,
    /// In full, with an adapter, on a quantized base.
    pub held: [Held; 3],
}

const OWN: [Param<Params>; 16] = [
    choice("view", "what is shown", View::LIST, "memory").label("Show").main().at(|p: &mut Params| p.view.slot()),
    reference::MODEL.default(MODEL).own_control(),
    reference::GUESS.apart(),
    whole("rank", "rank of the adapter", [1, 1 << LARGEST], "16")
        .label("Rank")
        .doubling(LARGEST)
        .main()
        .at(|p: &mut Params| p.rank.slot()),
    choice("targets", "which matrices have an adapter", Targets::LIST, "all-linear")
        .label("Adapters on")
        .main()
        .at(|p: &mut Params| p.targets.slot()),
    choice("variant", "LoRA, DoRA with a magnitude for each output, or rank-stabilised LoRA", Variant::LIST, "lora")
        .label("Kind")
        .more("Adapter")
        .at(|p: &mut Params| p.variant.slot()),
    real("alpha", "α, which is divided by the rank", [1.0, 4096.0], "32")
        .label("α")
        .more("Adapter")
        .at(|p: &mut Params| p.alpha.slot()),
    choice("optimizer", "optimizer", Optimizer::LIST, "adamw")
        .label("Optimizer")
        .more("Training")
        .at(|p: &mut Params| p.optimizer.slot()),
    whole("dp", "data-parallel ranks", [1, 4096], "1")
        .takes(Takes::Gpus)
        .label("Data-parallel ranks")
        .doubling(12)
        .more("Training")
        .at(|p: &mut Params| p.dp.slot()),
    whole("zero", "ZeRO stage", [0, 3], "0")
        .takes(Takes::Zero)
        .label("ZeRO stage")
        .steps(1.0)
        .more("Training")
        .at(|p: &mut Params| p.zero.slot()),
    whole("seq", "tokens of a sequence", [1, 1 << 20], "2048")
        .takes(Takes::Sequence)
        .label("Sequence length, tokens")
        .doubling(20)
        .more("Training")
        .at(|p: &mut Params| p.seq.slot()),
    whole("mbs", "sequences of a micro-batch", [1, 1024], "1")
        .takes(Takes::MicroBatch)
        .label("Micro-batch size, sequences")
        .doubling(10)
        .more("Training")
        .at(|p: &mut Params| p.mbs.slot()),
    choice("recompute", "what the backward pass computes again", Recompute::LIST, "none")
        .label("Recomputation")
        .more("Training")
        .at(|p: &mut Params| p.recompute.slot()),
    choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more("Training").at(|p: &mut Params| p.gpu.slot()),
    whole("served", "adapters served on one base", [1, 1 << MOST], "100")
        .label("Adapters served")
        .doubling(MOST)
        .more("Serving")
        .at(|p: &mut Params| p.served.slot()),
    choice("tune", "the way of training that the verdict is on", Tune::LIST, "lora")
        .label("Train with")
        .more("Training")
        .at(|p: &mut Params| p.tune.slot()),
];

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "lora-adapters";
    const TITLE: &'static str = "What an adapter saves";
    const SUMMARY: &'static str = "LoRA and QLoRA on a model of your own or a published one: what a GPU holds, what is saved to disk, \
                                   parameters over the rank, many adapters on one base.";
    const PARAMS: &'static [Param<Self>] = &join::<_, { OWN.len() + SHAPE.len() }>(&[&OWN, &all_apart(&SHAPE)]);
    const APPLIES: &'static [Applies<Self>] = &[applies(&["served"], |p| p.view == View::Serving)];
    const ORIGIN: Origin = Origin::Of(
        "Hu et al. 2021 (LoRA), arXiv:2106.09685, §4; checked against huggingface/peft 0.21.2, src/peft/tuners/lora",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(crate::model::params::ORIGIN, &["params", "model-bytes", "full-weights"]),
        origin(
            Origin::Of(
                "Hu et al. 2021 (LoRA), arXiv:2106.09685, §4.1: α/r; Kalajdzievski 2023 (rank-stabilized LoRA), arXiv:2312.03732: α/√r",
            ),
            &["scaling"],
        ),
        origin(
            crate::post_training::held::ORIGIN,
            &[
                "lora-weights",
                "qlora-weights",
                "full",
                "lora",
                "qlora",
                "tuned",
                "full-states",
                "lora-states",
                "full-activations",
                "lora-activations",
            ],
        ),
        origin(crate::memory::convention::ORIGIN, &["adapter-resume", "model-resume"]),
        origin(crate::memory::overhead::ORIGIN, &["verdict"]),
        origin(crate::hardware::ORIGIN, &["capacity"]),
        origin(
            Origin::Own("copies of the base model and of its adapters, in the same memory"),
            &["serve-bytes", "copies-bytes", "adapters-fit"],
        ),
        origin(Origin::Rows, &["share"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        measure("params", "Model parameters", Unit::Count, |_, s| s.held[0].params),
        headline(
            "Parameters of the adapters.",
            measure("trained", "Trained parameters", Unit::Count, |_, s| s.adapter.params() as f64),
        ),
        measure("share", "Trained share of parameters", Unit::Fraction, |_, s| {
            s.adapter.params() as f64 / s.held[0].params
        }),
        measure("modules", "Adapted matrices", Unit::Count, |_, s| s.adapter.modules() as f64),
        measure("scaling", "Scaling factor of BA", Unit::Ratio, |p, s| s.adapter.scaling(p.alpha)),
        headline(
            "What you store and ship per fine-tuned model.",
            measure("adapter-bytes", "Adapter on disk, bf16", Unit::Bytes, |_, s| s.adapter_bytes()),
        ),
        measure("model-bytes", "Model on disk, bf16", Unit::Bytes, |_, s| s.model_bytes()),
        measure("adapter-resume", "Adapter checkpoint to resume from", Unit::Bytes, |_, s| {
            RESUME * s.adapter.params() as f64
        }),
        measure("model-resume", "Model checkpoint to resume from", Unit::Bytes, |_, s| RESUME * s.held[0].params),
        within(
            |p, _| p.gpu.memory.0,
            headline(
                "What a GPU holds if all parameters are trained.",
                measure("full", "Full fine-tuning", Unit::Bytes, |_, s| s.total(Tune::Full)),
            ),
        ),
        within(
            |p, _| p.gpu.memory.0,
            headline(
                "What a GPU holds if only adapters are trained.",
                measure("lora", "LoRA", Unit::Bytes, |_, s| s.total(Tune::Lora)),
            ),
        ),
        within(
            |p, _| p.gpu.memory.0,
            headline(
                "The same with the frozen weights in four bits.",
                measure("qlora", "QLoRA", Unit::Bytes, |_, s| s.total(Tune::Qlora)),
            ),
        ),
        within(|p, _| p.gpu.memory.0, measure("tuned", "Memory needed", Unit::Bytes, |p, s| s.total(p.tune))),
        words(
            &["Does not fit", "Tight", "Fits"],
            doc(
                "With what nobody can compute beside the tensors: the CUDA context, temporaries, fragmentation.",
                measure("verdict", "Verdict on the way of training", Unit::Count, |p, s| f64::from(p.verdict(s) as u8)),
            ),
        ),
        measure("full-states", "Gradients and optimizer states, full fine-tuning", Unit::Bytes, |_, s| {
            s.states(Tune::Full)
        }),
        measure("lora-states", "Gradients and optimizer states, LoRA", Unit::Bytes, |_, s| s.states(Tune::Lora)),
        measure("full-weights", "Weights, full fine-tuning", Unit::Bytes, |_, s| s.held[0].parts.weights.0),
        measure("lora-weights", "Weights, LoRA", Unit::Bytes, |_, s| s.held[1].parts.weights.0),
        measure("qlora-weights", "Weights, QLoRA", Unit::Bytes, |_, s| s.held[2].parts.weights.0),
        measure("full-activations", "Activations, full fine-tuning", Unit::Bytes, |_, s| s.held[0].parts.activations.0),
        measure("lora-activations", "Activations, LoRA", Unit::Bytes, |_, s| s.held[1].parts.activations.0),
        measure("serve-bytes", "Served as one base with adapters", Unit::Bytes, |p, s| s.serving(p.served)),
        measure("copies-bytes", "Served as merged models", Unit::Bytes, |p, s| p.served as f64 * s.model_bytes()),
        measure("adapters-fit", "Adapters that fit beside one base model", Unit::Count, |p, s| s.fit(p)),
        measure("capacity", "GPU memory", Unit::Bytes, |p, _| p.gpu.memory.0),
    ];

    const DECISION: Option<Decision> = Some(Decision {
        quantities: &["tuned"],
        aim: Aim::Within,
        judges: &["verdict"],
        words: ["Does not fit", "Fits"],
        levers: &[
            lever_of("recompute", &["full"], "It costs one more forward pass per step: a third more FLOPs."),
            lever_of(
                "tune",
                &["lora", "qlora"],
                "Adapters alone are trained; QLoRA keeps the base model in four bits, which makes a step slower.",
            ),
            lever_of("zero", &["2", "3"], "It saves memory only with several data-parallel ranks."),
            lever_of("mbs", &["1"], "Each step runs more micro-batches."),
            lever_of("optimizer", &["adam8bit"], "It changes the numerics: check the loss curve."),
            lever_of("targets", &["qkvo", "qv"], "Fewer matrices get an adapter."),
            lever_of("dp", &["2", "4", "8"], "You need more GPUs."),
            lever_of("seq", &["1024", "512"], "Examples are cut shorter."),
            lever("gpu", "You need a larger GPU."),
        ],
        not_counted: "The number leaves out the CUDA context, temporaries and fragmentation, together one to several GB. The verdict leaves room for them.",
    });

    fn evaluate(&self) -> Result<Shown, String> {
        self.in_range()?;
        let held = Tune::ALL.map(|tune| self.load(tune).held().map_err(|e| e.to_string()));
        let [full, lora, qlora] = held;
        Ok(Shown { adapter: self.adapter(self.targets, self.rank), held: [full?, lora?, qlora?] })
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }
}

impl Params {
    /// The adapter with other targets and another rank.
    pub fn adapter(&self, targets: Targets, rank: u64) -> Adapter {
        let shape = self.model.shape().copied().unwrap_or_default();
        Adapter::new(&shape, Fused::of(&self.model), targets, rank, self.variant, 1)
    }

    fn load(&self, tune: Tune) -> Load {
        Load {
            model: self.model,
            scalar: false,
            tune: Some(tune),
            targets: self.targets,
            rank: self.rank,
            variant: self.variant,
            dtype: Dtype::Bf16,
            optimizer: self.optimizer,
            tp: 1,
            dp: self.dp,
            zero: self.zero,
            seq: self.seq,
            mbs: self.mbs,
            recompute: self.recompute,
            gpu: self.gpu,
        }
    }

    /// In a few words.
    pub fn in_words(&self) -> String {
        format!("{}, rank {} on {}", self.model.name(), grouped(self.rank), self.targets.label())
    }
}

impl Shown {
    /// What a GPU holds in all.
    pub fn total(&self, tune: Tune) -> f64 {
        self.held[tune as usize].parts.total().0
    }

    /// Gradients and optimizer states.
    pub fn states(&self, tune: Tune) -> f64 {
        let parts = &self.held[tune as usize].parts;
        (parts.gradients + parts.optimizer).0
    }

    /// Bytes of the adapter's file.
    pub fn adapter_bytes(&self) -> f64 {
        Dtype::Bf16.bytes() * self.adapter.params() as f64
    }

    /// Bytes of the model's file.
    pub fn model_bytes(&self) -> f64 {
        Dtype::Bf16.bytes() * self.held[0].params
    }

    /// One base and `adapters` of them.
    pub fn serving(&self, adapters: u64) -> f64 {
        self.model_bytes() + adapters as f64 * self.adapter_bytes()
    }

    /// Adapters that fit beside the base, without room for a cache.
    fn fit(&self, params: &Params) -> f64 {
        ((USED * params.gpu.memory.0 - self.model_bytes()) / self.adapter_bytes().max(1.0)).floor().max(0.0)
    }
}
