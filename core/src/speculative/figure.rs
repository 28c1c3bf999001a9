//! `multi-token-prediction`: modules that predict tokens further ahead, what they add to training, and what drafting with them is worth.
//!
//! A module of DeepSeek-V3 (arXiv:2412.19437, §2.2) is one more layer of the model, a projection from two hidden vectors to one, and the
//! embedding and output matrix that the model has anyway. Its losses are averaged and weighted by λ. Gloeckle et al. 2024
//! (arXiv:2404.19737) put a layer and the shared output matrix on the trunk for each further token.
//!
//! A pass of the model reads its weights and computes 2 FLOPs for each that a token uses; it takes the longer of both at the GPU's
//! peaks. Of the experts, those are read that at least one token chose, if tokens choose independently: E·(1 − (1 − k/E)ⁿ). Caches and
//! what several GPUs say to each other are left out, so these are bounds.

use super::tokens;
use crate::declare::{
    Field, List, Measure, Model, Origin, Origins, Param, choice, headline, join, measure, origin, real, whole,
};
use crate::hardware::{self, Accelerator};
use crate::model::{ModelRef, Shape, Weights, bytes_of_weight, reference};
use crate::quantity::{Unit, count, grouped, named, number, plural};
use crate::query::{Query, Reader};

/// The model where none is given.
const MODEL: &str = "deepseek-v3";

/// Most tokens drafted.
pub const MOST: u32 = 10;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model.
    pub model: ModelRef,
    /// Tokens drafted for each pass.
    pub drafted: u32,
    /// Probability that a drafted token is kept.
    pub alpha: f64,
    /// Requests decoded together.
    pub batch: u64,
    /// Modules that were trained.
    pub depth: u32,
    /// Weight of their losses.
    pub lambda: f64,
    /// Bits of a weight.
    pub weight_bits: u32,
    /// The GPU.
    pub gpu: &'static Accelerator,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            model: ModelRef::default(),
            drafted: 1,
            alpha: 0.0,
            batch: 1,
            depth: 1,
            lambda: 0.0,
            weight_bits: 16,
            gpu: &hardware::ALL[0],
        }
    }
}

/// What a pass, a draft and training take.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Costs {
    /// The model's weights.
    pub model: Weights,
    /// A module's.
    pub module: Weights,
    /// Parameters that a module adds to a checkpoint.
    pub added: f64,
    /// Those of the model.
    pub total: f64,
}

/// What comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// The costs.
    pub costs: Costs,
    /// Seconds of a pass on one token of each request.
    pub pass: f64,
    /// Seconds of drafting one.
    pub draft: f64,
    /// Seconds of checking all.
    pub check: f64,
}

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "multi-token-prediction";
    const TITLE: &'static str = "Several tokens at once";
    const SUMMARY: &'static str = "What modules that predict further tokens add to training, and how much faster drafting with them decodes, by acceptance, draft length and batch.";
    const PARAMS: &'static [Param<Self>] = &join::<Self, { 8 + reference::OWN }>(&[
        &[
            reference::MODEL.default(MODEL).own_control(),
            whole("drafted", "tokens drafted for each pass", [0, MOST as u64], "1")
                .label("Tokens drafted")
                .steps(1.0)
                .main()
                .at(|p: &mut Params| p.drafted.slot()),
            real("alpha", "probability that a drafted token is kept", [0.0, 1.0], "0.85")
                .label("Acceptance rate")
                .unit(Unit::Fraction)
                .steps(0.05)
                .main()
                .at(|p| p.alpha.slot()),
            whole("batch", "requests decoded together", [1, 4096], "1")
                .label("Batched requests")
                .doubling(12)
                .main()
                .at(|p| p.batch.slot()),
            whole("depth", "modules that are trained", [0, 8], "1")
                .label("Modules trained")
                .steps(1.0)
                .more("Training")
                .at(|p| p.depth.slot()),
            real("lambda", "weight of the modules’ losses, together", [0.0, 2.0], "0.3")
                .label("Module loss weight")
                .steps(0.05)
                .more("Training")
                .at(|p| p.lambda.slot()),
            choice("weight-bits", "bits of a weight", List { ids: &["16", "8"], labels: &["16", "8"] }, "8")
                .label("Bits per weight")
                .more("Decoding")
                .at(|p| p.weight_bits.slot()),
            choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more("Decoding").at(|p| p.gpu.slot()),
        ],
        &reference::own(),
    ]);
    const ORIGIN: Origin = crate::speculative::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of("DeepSeek-V3, arXiv:2412.19437, §2.2; Gloeckle et al. 2024, arXiv:2404.19737"),
            &["module-params", "module-active", "checkpoint-params", "training-flop", "loss-weight"],
        ),
        origin(crate::model::params::ORIGIN, &["model-active"]),
        origin(crate::roofline::roof::ORIGIN, &["draft-cost", "check-cost"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        headline(
            "Tokens accepted per pass of the model.",
            measure("tokens-per-pass", "Tokens per pass", Unit::Ratio, |p, _| tokens(p.alpha, p.drafted)),
        ),
        headline(
            "Tokens per second with drafting over without.",
            measure("speedup", "Speedup", Unit::Ratio, |p, o| p.speedup(o)),
        ),
        measure("draft-cost", "Draft cost per token, passes", Unit::Fraction, |_, o| o.draft / o.pass),
        measure("check-cost", "Verification cost, passes", Unit::Ratio, |_, o| o.check / o.pass),
        headline(
            "The number of drafted tokens with the largest speedup.",
            measure("best", "Best draft length", Unit::Count, |p, _| f64::from(p.best())),
        ),
        measure("module-params", "Parameters per module", Unit::Count, |_, o| o.costs.added),
        measure("module-active", "Active parameters per module", Unit::Count, |_, o| o.costs.module.active),
        measure("model-active", "Active parameters of the model", Unit::Count, |_, o| o.costs.model.active),
        measure("checkpoint-params", "Parameters with the modules", Unit::Count, |p, o| {
            o.costs.total + f64::from(p.depth) * o.costs.added
        }),
        headline(
            "What the modules add to the cost of training.",
            measure("training-flop", "Extra training FLOPs", Unit::Fraction, |p, o| {
                f64::from(p.depth) * o.costs.module.active / o.costs.model.active
            }),
        ),
        measure("loss-weight", "Loss weight per module", Unit::Ratio, |p, _| {
            if p.depth == 0 { 0.0 } else { p.lambda / f64::from(p.depth) }
        }),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        self.model.sound()?;
        Ok(self.outcome())
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }
}

/// A model of one layer like the last, with the embedding, the last norm and the output matrix of the whole.
pub fn one_layer(shape: &Shape) -> Shape {
    Shape {
        num_hidden_layers: 1,
        moe: shape.moe.map(|m| crate::model::Moe { layers: 1, ..m }),
        intermediate_size: if shape.moe.is_some() { 0 } else { shape.intermediate_size },
        sliding: None,
        kinds: shape.kinds.of_one_layer(),
        ..*shape
    }
}

impl Params {
    /// What the model and a module weigh.
    pub fn costs(&self) -> Costs {
        let shape = self.model.shape().copied().unwrap_or_default();
        let whole = shape.count().unwrap_or_default();
        let layer = one_layer(&shape);
        let one = layer.count().unwrap_or_default();
        let hidden = shape.hidden_size as f64;
        // From two normed hidden vectors to one.
        let projection = 2.0 * hidden * hidden + 2.0 * hidden;
        let added = one.total.saturating_sub(one.embedding).saturating_sub(one.lm_head) as f64 + projection;
        let weights = Weights::of(&layer, &one);
        Costs {
            model: Weights::of(&shape, &whole),
            module: Weights { common: weights.common + projection, active: weights.active + projection, ..weights },
            added,
            total: whole.total as f64,
        }
    }

    /// Seconds that one GPU takes for a pass on so many tokens, at its peaks; on several GPUs all of it is divided.
    fn seconds(&self, weights: &Weights, tokens: f64) -> f64 {
        let bytes = weights.bytes(tokens, bytes_of_weight(self.weight_bits));
        (bytes / self.gpu.bandwidth).max(2.0 * weights.active * tokens / self.gpu.peak)
    }

    /// What a pass, a draft and a check take.
    pub fn outcome(&self) -> Outcome {
        let costs = self.costs();
        let batch = self.batch as f64;
        Outcome {
            costs,
            pass: self.seconds(&costs.model, batch),
            draft: self.seconds(&costs.module, batch),
            check: self.seconds(&costs.model, batch * (f64::from(self.drafted) + 1.0)),
        }
    }

    /// How many times as fast as without drafting.
    pub fn speedup(&self, outcome: &Outcome) -> f64 {
        tokens(self.alpha, self.drafted) * outcome.pass / (outcome.check + f64::from(self.drafted) * outcome.draft)
    }

    /// The same with another number of tokens drafted and another part of them kept.
    pub fn at(&self, drafted: u32, alpha: f64) -> f64 {
        let other = Self { drafted, alpha, ..*self };
        other.speedup(&other.outcome())
    }

    /// How many tokens to draft to be fastest.
    pub fn best(&self) -> u32 {
        (0..=MOST)
            .max_by(|a, b| self.at(*a, self.alpha).total_cmp(&self.at(*b, self.alpha)).then(b.cmp(a)))
            .unwrap_or(0)
    }

    /// What the figure shows, in sentences.
    pub fn finding(&self, outcome: &Outcome) -> String {
        let (speed, best) = (self.speedup(outcome), self.best());
        let times = if self.drafted == 0 {
            "Nothing is drafted: every pass yields one token.".to_owned()
        } else {
            format!(
                "With {} drafted and {} kept, a pass yields {} and decoding is {} times as fast.",
                grouped(u64::from(self.drafted)),
                Unit::Fraction.format(self.alpha),
                plural(&number(tokens(self.alpha, self.drafted)), "token"),
                number(speed)
            )
        };
        let most = if best == 0 {
            "Here drafting does not pay at all".to_owned()
        } else {
            format!("Drafting {best} would be best, {} times as fast", number(self.at(best, self.alpha)))
        };
        format!(
            "{times} {most}. Drafting a token takes {} of a pass, and checking takes {}. A module adds {} parameters, and {} of \
             the FLOPs of training for each.",
            Unit::Fraction.format(outcome.draft / outcome.pass),
            named(&number(outcome.check / outcome.pass), "pass", "passes"),
            count(outcome.costs.added),
            Unit::Fraction.format(outcome.costs.module.active / outcome.costs.model.active),
        )
    }
}
