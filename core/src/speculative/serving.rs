//! `decode-speed`: what one pass of decoding costs on a server, and what drafting and fewer bits for weights are worth there.
//!
//! A pass is a step of [`crate::serving::step`]: weights are read once, whatever the batch, and caches for every sequence. Checking a
//! draft is a step on several tokens of each sequence, which read its cache together. A chain of γ drafts yields what Leviathan et al.
//! (arXiv:2211.17192, eq. 1) say. In a tree with b branches at each token a level is passed if one of b is kept, with 1 − (1 − α)ᵇ if
//! these are independent, which is more than a real draft reaches, since its second guess is worse than its first (SpecInfer, Miao et
//! al. 2023, arXiv:2305.09781).
//!
//! Weight-only quantization stores weights in fewer bits and computes in 16 (GPTQ, arXiv:2210.17323; AWQ, arXiv:2306.00978).

mod finding;
#[cfg(test)]
mod tests;

use super::figure::one_layer;
use crate::declare::{
    Applies, Field, Measure, Model, Origin, Origins, Param, Scale, applies, choice, headline, join, measure, origin,
    real, ridge, timed, when, whole,
};
use crate::model::{ModelRef, presets, reference};
use crate::options;
use crate::quantity::{Unit, grouped};
use crate::query::{Query, Reader};
use crate::serving::machine::{self, Machine, Serves};
use crate::serving::step::{Chunk, Deployment, Engine, Quant, Step};

/// What drafts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Draft {
    /// Llama 3.2 1B.
    #[default]
    Small,
    /// Llama 3 8B.
    Middle,
    /// One more layer of the model, with its output matrix (EAGLE; multi-token prediction).
    Layer,
    /// What followed the same words before: no model.
    Lookup,
}

options!(Draft {
    Small: "llama-3.2-1b", "Llama 3.2 1B";
    Middle: "llama-3-8b", "Llama 3 8B";
    Layer: "layer", "one layer more";
    Lookup: "lookup", "a look-up, no model";
});

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// A pass: what it reads, what it computes.
    #[default]
    Pass,
    /// Drafting, over the batch.
    Draft,
    /// The form of the weights, over the batch.
    Weights,
}

options!(View {
    Pass: "pass", "A pass";
    Draft: "draft", "Drafting";
    Weights: "weights", "Bits of weights";
});

/// Largest batch, as a power of two.
pub const LARGEST: u32 = 11;
/// Most tokens drafted one after another.
pub const DEEPEST: u64 = 12;

/// The model where none is given.
const MODEL: &str = "llama-3-8b";

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// The machine.
    pub machine: Machine,
    /// Sequences decoded together.
    pub batch: u64,
    /// Tokens that each has in the cache.
    pub context: u64,
    /// What drafts.
    pub draft: Draft,
    /// Tokens drafted one after another.
    pub drafted: u64,
    /// Branches at each of them.
    pub branches: u64,
    /// Probability that a drafted token is kept.
    pub alpha: f64,
}

impl Serves for Params {
    fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The parameters that it is of.
    pub params: Params,
    engine: Engine,
    /// What drafts; nothing where no model does.
    drafts: Option<Engine>,
    /// A pass on one token of each sequence.
    pub pass: Step,
    /// The pass that checks a draft.
    pub check: Step,
    /// The prompt of one sequence, all tokens at once.
    pub prefill: Step,
}

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "decode-speed";
    const TITLE: &'static str = "What a pass costs";
    const SUMMARY: &'static str = "What a pass of decoding reads and computes, over the batch; when a draft pays, when a tree does, and when weights in fewer bits do.";
    const PARAMS: &'static [Param<Self>] = &join::<Self, { 9 + Machine::PARAMS + reference::OWN }>(&[
        &[
            choice("view", "what is shown", View::LIST, "pass").label("Show").main().at(|p: &mut Params| p.view.slot()),
            reference::MODEL.default(MODEL).own_control(),
            whole("batch", "sequences decoded together", [1, 1 << LARGEST], "8")
                .label("Batched sequences")
                .doubling(LARGEST)
                .main()
                .at(|p| p.batch.slot()),
            whole("context", "tokens that each sequence has in the cache", [1, 1 << 17], "1024")
                .label("Cached tokens per sequence")
                .format(|v| grouped(v as u64))
                .doubling(17)
                .main()
                .at(|p| p.context.slot()),
            choice("draft", "what drafts", Draft::LIST, "llama-3.2-1b")
                .label("Draft source")
                .more("Draft")
                .at(|p| p.draft.slot()),
            whole("drafted", "tokens drafted one after another", [0, DEEPEST], "4")
                .label("Draft length")
                .steps(1.0)
                .more("Draft")
                .at(|p| p.drafted.slot()),
            whole("branches", "branches of the draft at each token; 1 for a chain", [1, 3], "1")
                .label("Branches per drafted token")
                .slider(Scale::Linear { min: 1.0, max: 3.0, step: 1.0 })
                .more("Draft")
                .at(|p| p.branches.slot()),
            real("alpha", "probability that a drafted token is kept", [0.0, 1.0], "0.7")
                .label("Acceptance rate")
                .unit(Unit::Fraction)
                .steps(0.05)
                .more("Draft")
                .at(|p| p.alpha.slot()),
        ],
        &Machine::params(),
        &[machine::tp()],
        &reference::own(),
    ]);
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["draft", "drafted", "branches", "alpha"], |p| p.view == View::Draft)];
    const ORIGIN: Origin = crate::serving::step::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(super::ORIGIN, &["tokens-per-pass", "speedup", "best", "best-speedup", "pays-up-to"]),
        origin(
            Origin::Of("Miao et al. 2023 (SpecInfer), arXiv:2305.09781, for trees; chains are one branch wide"),
            &["checked"],
        ),
        origin(crate::hardware::ORIGIN, &["ridge"]),
        origin(crate::kv_cache::ORIGIN, &["cache-bytes", "fit"]),
        origin(crate::model::params::ORIGIN, &["weight-bytes"]),
        origin(crate::model::flops::ORIGIN, &["flop"]),
        origin(crate::roofline::roof::ORIGIN, &["reads", "computes", "intensity", "prefill-intensity", "ridge-batch"]),
        origin(Origin::Rows, &["tokens-per-second", "check-cost", "draft-cost", "speedup-bits"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        headline(
            "One pass over the model with every sequence in the batch.",
            measure("pass", "Time per pass", Unit::Seconds, |_, o| o.pass.time()),
        ),
        measure("reads", "Read time at peak bandwidth", Unit::Seconds, |_, o| o.reads(&o.pass)),
        measure("computes", "Compute time at peak FLOP/s", Unit::Seconds, |_, o| o.computes(&o.pass)),
        measure("weight-bytes", "Weights read per pass", Unit::Bytes, |_, o| o.pass.weights),
        measure("cache-bytes", "KV cache read per pass", Unit::Bytes, |_, o| o.pass.bytes - o.pass.weights),
        measure("flop", "FLOPs per pass", Unit::Flop, |_, o| o.pass.flop),
        when(
            |p, _| p.view != View::Draft,
            ridge(
                |p, _| p.ridge(),
                headline(
                    "FLOPs over bytes read. Below what the GPU can sustain, memory bandwidth sets the speed.",
                    measure("intensity", "FLOPs per byte", Unit::Ratio, |_, o| intensity(&o.pass)),
                ),
            ),
        ),
        measure("ridge", "FLOPs per byte the GPU can sustain", Unit::Ratio, |p, _| p.ridge()),
        timed(headline(
            "Without drafting, all sequences together.",
            measure("tokens-per-second", "Tokens/s", Unit::Ratio, |p, o| p.batch as f64 / o.pass.time()),
        )),
        when(
            |_, o| o.ridge_batch() > 0.0,
            measure("ridge-batch", "Sequences to become compute bound", Unit::Count, |_, o| o.ridge_batch()),
        ),
        when(
            |p, o| p.view != View::Draft || !p.runs(o),
            headline(
                "The most sequences that GPU memory has room for beside the weights.",
                measure("fit", "Sequences whose KV caches fit", Unit::Count, |_, o| o.fit()),
            ),
        ),
        measure("prefill", "Prefill time for as many tokens", Unit::Seconds, |_, o| o.prefill.time()),
        measure("prefill-intensity", "FLOPs per byte, prefill", Unit::Ratio, |_, o| intensity(&o.prefill)),
        measure("one-by-one", "Time to generate as many tokens one by one", Unit::Seconds, |p, o| {
            // Half of them are in the cache on average.
            p.context as f64 * o.engine.decode(1, p.context / 2).time()
        }),
        measure("checked", "Tokens verified per sequence", Unit::Count, |p, _| p.checked() as f64),
        measure("tokens-per-pass", "Tokens per pass and sequence", Unit::Ratio, |p, _| p.tokens()),
        measure("check", "Verification time", Unit::Seconds, |_, o| o.check.time()),
        timed(measure("check-cost", "Verification cost, passes", Unit::Ratio, |_, o| o.check.time() / o.pass.time())),
        measure("drafting", "Drafting time", Unit::Seconds, |p, o| o.drafting(p)),
        timed(measure("draft-cost", "Draft cost per token, passes", Unit::Fraction, |p, o| {
            o.drafting(p) / o.pass.time() / p.drafted.max(1) as f64
        })),
        when(
            |p, _| p.view == View::Draft,
            timed(headline(
                "Tokens per second with drafting over without.",
                measure("speedup", "Speedup from drafting", Unit::Ratio, |p, o| o.speedup(p)),
            )),
        ),
        when(
            |p, _| p.view == View::Draft,
            timed(headline(
                "The number of drafted tokens with the largest speedup.",
                measure("best", "Best draft length", Unit::Count, |_, o| o.best() as f64),
            )),
        ),
        when(
            |p, _| p.view == View::Draft,
            timed(headline(
                "What drafting gains at most.",
                measure("best-speedup", "Speedup at the best draft length", Unit::Ratio, |_, o| o.at_drafted(o.best())),
            )),
        ),
        measure("pays-up-to", "Most sequences for which drafting pays off", Unit::Count, |_, o| o.pays_up_to()),
        when(
            |p, _| p.view == View::Weights,
            timed(headline(
                "What fewer bits per weight gain.",
                measure("speedup-bits", "Speedup over 16-bit weights", Unit::Ratio, |p, o| {
                    p.engine(Quant::Bf16).map_or(0.0, |engine| engine.decode(p.batch, p.context).time() / o.pass.time())
                }),
            )),
        ),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        self.in_range()?;
        self.outcome()
    }

    fn runs(&self, outcome: &Outcome) -> bool {
        self.batch as f64 <= outcome.fit()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.machine.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.machine.model.query()
    }
}

/// FLOPs for each byte.
fn intensity(step: &Step) -> f64 {
    if step.bytes > 0.0 { step.flop / step.bytes } else { 0.0 }
}

impl Params {
    /// The machine with weights in another form; nothing where they do not fit.
    pub fn engine(&self, quant: Quant) -> Option<Engine> {
        Machine { quant, ..self.machine }.deployment().engine().ok()
    }

    /// FLOPs that the GPU does in the time of a byte.
    pub fn ridge(&self) -> f64 {
        self.machine.deployment().peak() / self.machine.gpu.bandwidth
    }

    fn drafts(&self) -> Option<Engine> {
        let own = self.machine.deployment();
        let shape = match self.draft {
            Draft::Small | Draft::Middle => presets::find(self.draft.id())?.shape,
            Draft::Layer => one_layer(&own.shape),
            Draft::Lookup => return None,
        };
        // What drafts has no experts to share: each group has its own.
        let dp = if shape.moe.is_some() { own.dp } else { 1 };
        Deployment { shape, dp, ..own }.engine().ok()
    }

    /// Tokens of each sequence that a check computes: its own and all that were drafted.
    pub fn checked(&self) -> u64 {
        (0..=self.drafted).map(|level| self.branches.pow(level as u32)).sum()
    }

    /// Tokens that a pass yields of each sequence on average.
    pub fn tokens(&self) -> f64 {
        let kept = 1.0 - (1.0 - self.alpha).powi(self.branches as i32);
        super::tokens(kept, self.drafted as u32)
    }

    /// What a pass, a check and a prompt take.
    ///
    /// # Errors
    /// Weights that do not fit: a sentence.
    pub fn outcome(&self) -> Result<Outcome, String> {
        let engine = self.machine.deployment().engine()?;
        Ok(Outcome {
            params: *self,
            pass: engine.decode(self.batch, self.context),
            check: check(&engine, self),
            prefill: engine.prefill(1, self.context),
            drafts: self.drafts(),
            engine,
        })
    }
}

/// So many new tokens of each sequence.
fn step(engine: &Engine, params: &Params, new: u64) -> Step {
    engine.step((0..params.batch).map(|_| Chunk { new, past: params.context }))
}

fn check(engine: &Engine, params: &Params) -> Step {
    step(engine, params, params.checked())
}

impl Outcome {
    fn gpus(&self) -> f64 {
        self.params.machine.gpus() as f64
    }

    /// Seconds that reading takes at the peak.
    pub fn reads(&self, step: &Step) -> f64 {
        step.bytes / (self.params.machine.gpu.bandwidth * self.gpus())
    }

    /// Seconds that computing takes at the peak.
    pub fn computes(&self, step: &Step) -> f64 {
        step.flop / (self.params.machine.deployment().peak() * self.gpus())
    }

    /// A pass with another batch.
    pub fn pass_at(&self, batch: u64) -> Step {
        self.engine.decode(batch, self.params.context)
    }

    /// Seconds of drafting.
    pub fn drafting(&self, params: &Params) -> f64 {
        let Some(engine) = &self.drafts else { return 0.0 };
        (0..params.drafted).map(|level| step(engine, params, params.branches.pow(level as u32)).time()).sum()
    }

    /// How many times as fast as without drafting.
    pub fn speedup(&self, params: &Params) -> f64 {
        let pass = self.engine.decode(params.batch, params.context).time();
        params.tokens() * pass / (check(&self.engine, params).time() + self.drafting(params))
    }

    /// The same with another number of tokens drafted.
    pub fn at_drafted(&self, drafted: u64) -> f64 {
        self.speedup(&Params { drafted, ..self.params })
    }

    /// The same with another batch.
    pub fn at_batch(&self, batch: u64) -> f64 {
        self.speedup(&Params { batch, ..self.params })
    }

    /// How many tokens to draft to be fastest.
    pub fn best(&self) -> u64 {
        let faster = |a: &(u64, f64), b: &(u64, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
        (0..=DEEPEST).map(|n| (n, self.at_drafted(n))).max_by(faster).map_or(0, |(n, _)| n)
    }

    /// The largest batch up to which a draft makes anything faster; 0 if it never does.
    pub fn pays_up_to(&self) -> f64 {
        last(|batch| self.at_batch(batch) > 1.0)
    }

    /// The batch from which a pass has more FLOPs for each byte than the GPU; 0 if none has.
    pub fn ridge_batch(&self) -> f64 {
        let ridge = self.params.ridge();
        let below = last(|batch| intensity(&self.pass_at(batch)) < ridge);
        if below >= f64::from(1_u32 << LARGEST) { 0.0 } else { below + 1.0 }
    }

    /// Sequences whose caches fit beside the weights.
    pub fn fit(&self) -> f64 {
        (self.engine.tokens_that_fit() / self.params.context as f64).floor()
    }
}

/// The last batch before the first at which something does not hold; 0 if it never holds, the largest if it always does.
fn last(holds: impl Fn(u64) -> bool) -> f64 {
    let Some(mut above) = (0..=LARGEST).map(|power| 1 << power).find(|batch| !holds(*batch)) else {
        return f64::from(1_u32 << LARGEST);
    };
    let mut below = above / 2;
    while below + 1 < above {
        let middle = u64::midpoint(below, above);
        if holds(middle) { below = middle } else { above = middle }
    }
    below as f64
}
