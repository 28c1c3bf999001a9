//! `decode-speed`: what one pass of decoding costs on a server, and what drafting and fewer bits for weights are worth there.
//!
//! A pass reads the weights once, whatever the batch, and the cache of every sequence; it computes 2 FLOPs for each weight that a
//! token uses, and attention over what is cached. It takes the longer of reading and computing, at the GPU's peaks (Pope et al. 2022,
//! arXiv:2211.05102, §2; chapter 15). Checking a draft is a pass on several tokens of each sequence, which read the cache together.
//! A chain of γ drafts yields what Leviathan et al. (arXiv:2211.17192, eq. 1) say. In a tree with b branches at each token a level is
//! passed if one of b is kept, with 1 − (1 − α)ᵇ if these are independent, which is more than a real draft reaches, since its second
//! guess is worse than its first (SpecInfer, Miao et al. 2023, arXiv:2305.09781).
//!
//! Weight-only quantization stores weights in fewer bits and computes in 16 (GPTQ, arXiv:2210.17323; AWQ, arXiv:2306.00978): with a
//! scale in fp16 for each group of 128, 4 bits are 4.125. What GPUs say to each other is left out, so these are bounds.

use super::figure::Weights;
use crate::declare::{Field, List, Measure, Model, Param, Scale, choice, measure, one_of, real, whole};
use crate::hardware::{self, Accelerator};
use crate::kv_cache::decode::{Way, work};
use crate::kv_cache::{Keeping, Keeps, models};
use crate::model::presets;
use crate::options;
use crate::quantity::{Unit, grouped, number};

const IDS: [&str; 6] =
    ["llama-3-8b", "llama-3-70b", "llama-3.1-405b", "mistral-7b-v0.1", "qwen3-30b-a3b", "deepseek-v3"];
const MODELS: List = List { ids: &IDS, labels: &presets::names(&IDS) };

/// A choice of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named(pub &'static str);

one_of!(Named, IDS);

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
    /// Fewer bits for weights, over the batch.
    Weights,
}

options!(View {
    Pass: "pass", "A pass";
    Draft: "draft", "Drafting";
    Weights: "weights", "Bits of weights";
});

const BITS: List = List { ids: &["16", "8", "4"], labels: &["16", "8", "4"] };

/// Weights that share a scale, and the bits of one.
const GROUP: f64 = 128.0;
const SCALE: f64 = 16.0;
/// Largest batch, as a power of two.
pub const LARGEST: u32 = 12;
/// Most tokens drafted one after another.
pub const DEEPEST: u64 = 12;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// The model.
    pub model: Named,
    /// Sequences decoded together.
    pub batch: u64,
    /// Tokens that each has in the cache.
    pub context: u64,
    /// Bits of a weight.
    pub weight_bits: u32,
    /// Bits of a cached value.
    pub kv_bits: u32,
    /// What drafts.
    pub draft: Draft,
    /// Tokens drafted one after another.
    pub drafted: u64,
    /// Branches at each of them.
    pub branches: u64,
    /// Probability that a drafted token is kept.
    pub alpha: f64,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs that divide all of it.
    pub tp: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            view: View::Pass,
            model: Named("llama-3-8b"),
            batch: 1,
            context: 1,
            weight_bits: 16,
            kv_bits: 16,
            draft: Draft::Small,
            drafted: 0,
            branches: 1,
            alpha: 0.0,
            gpu: &hardware::ALL[0],
            tp: 1,
        }
    }
}

/// What a pass reads and computes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pass {
    /// Bytes of weights.
    pub weights: f64,
    /// Bytes of caches.
    pub caches: f64,
    /// FLOPs.
    pub flop: f64,
    /// Seconds of reading, and of computing.
    pub reads: f64,
    /// Seconds of computing.
    pub computes: f64,
}

impl Pass {
    /// Seconds: the longer of both.
    pub const fn seconds(&self) -> f64 {
        self.reads.max(self.computes)
    }

    /// FLOPs for each byte.
    pub fn intensity(&self) -> f64 {
        let bytes = self.weights + self.caches;
        if bytes > 0.0 { self.flop / bytes } else { 0.0 }
    }
}

/// A model as a pass needs it.
#[derive(Debug, Clone, Copy)]
struct Runs {
    weights: Weights,
    attends: Option<models::Named>,
}

impl Runs {
    fn of(id: &str) -> Self {
        Self {
            weights: Weights::of_preset(id),
            attends: presets::find(id).map(|preset| models::Named::of(preset.id, preset.name, &preset.shape)),
        }
    }
}

/// What comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// A pass on one token of each sequence.
    pub pass: Pass,
    /// The pass that checks a draft.
    pub check: Pass,
    /// Seconds of drafting.
    pub drafting: f64,
    /// The prompt of one sequence, all tokens at once.
    pub prefill: Pass,
}

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "decode-speed";
    const TITLE: &'static str = "What a pass costs";
    const SUMMARY: &'static str = "What a pass of decoding reads and computes, over the batch; when a draft pays, when a tree does, and when weights in fewer bits do.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "pass").label("Show").main().at(|p| p.view.slot()),
        choice("model", "the model", MODELS, "llama-3-8b").label("Model").main().at(|p| p.model.slot()),
        whole("batch", "sequences decoded together", [1, 1 << LARGEST], "8")
            .label("Sequences together")
            .doubling(LARGEST)
            .main()
            .at(|p| p.batch.slot()),
        whole("context", "tokens that each sequence has in the cache", [1, 1 << 20], "1024")
            .label("Tokens in the cache, each")
            .format(|v| grouped(v as u64))
            .doubling(20)
            .main()
            .at(|p| p.context.slot()),
        choice("weight-bits", "bits of a weight; arithmetic stays in 16", BITS, "16")
            .label("Bits of a weight")
            .more("Bits")
            .at(|p| p.weight_bits.slot()),
        choice("kv-bits", "bits of a cached value", BITS, "16")
            .label("Bits of a cached value")
            .more("Bits")
            .at(|p| p.kv_bits.slot()),
        choice("draft", "what drafts", Draft::LIST, "llama-3.2-1b")
            .label("Drafted by")
            .more("Draft")
            .at(|p| p.draft.slot()),
        whole("drafted", "tokens drafted one after another", [0, DEEPEST], "4")
            .label("Tokens drafted in a row")
            .steps(1.0)
            .more("Draft")
            .at(|p| p.drafted.slot()),
        whole("branches", "branches of the draft at each token; 1 for a chain", [1, 4], "1")
            .label("Branches at each")
            .slider(Scale::Linear { min: 1.0, max: 4.0, step: 1.0 })
            .more("Draft")
            .at(|p| p.branches.slot()),
        real("alpha", "probability that a drafted token is kept", [0.0, 1.0], "0.7")
            .label("Kept")
            .unit(Unit::Fraction)
            .steps(0.05)
            .more("Draft")
            .at(|p| p.alpha.slot()),
        choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more("GPU").at(|p| p.gpu.slot()),
        whole("tp", "GPUs that divide weights, heads and arithmetic", [1, 64], "1")
            .label("GPUs, tensor parallel")
            .doubling(6)
            .more("GPU")
            .at(|p| p.tp.slot()),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        measure("pass", "A pass", Unit::Seconds, |_, o| o.pass.seconds()),
        measure("reads", "Reading", Unit::Seconds, |_, o| o.pass.reads),
        measure("computes", "Computing", Unit::Seconds, |_, o| o.pass.computes),
        measure("weight-bytes", "Weights read", Unit::Bytes, |_, o| o.pass.weights),
        measure("cache-bytes", "Caches read", Unit::Bytes, |_, o| o.pass.caches),
        measure("flop", "FLOPs", Unit::Flop, |_, o| o.pass.flop),
        measure("intensity", "FLOPs for each byte", Unit::Ratio, |_, o| o.pass.intensity()),
        measure("ridge", "What the GPU does in the time of a byte", Unit::Ratio, |p, _| p.gpu.peak / p.gpu.bandwidth),
        measure("tokens-per-second", "Tokens a second", Unit::Ratio, |p, o| p.batch as f64 / o.pass.seconds()),
        measure("ridge-batch", "Compute bound from, sequences", Unit::Count, |p, _| p.ridge_batch()),
        measure("prefill", "A prompt of as many tokens", Unit::Seconds, |_, o| o.prefill.seconds()),
        measure("prefill-intensity", "Its FLOPs for each byte", Unit::Ratio, |_, o| o.prefill.intensity()),
        measure("one-by-one", "As many tokens, one by one", Unit::Seconds, |p, _| {
            let one = Self { batch: 1, context: p.context.div_ceil(2), ..*p };
            p.context as f64 * one.pass(&one.model(), 1, 1.0).seconds()
        }),
        measure("checked", "Tokens checked of each sequence", Unit::Count, |p, _| p.checked()),
        measure("tokens-per-pass", "Tokens of a pass and sequence", Unit::Ratio, |p, _| p.tokens()),
        measure("check", "Checking", Unit::Seconds, |_, o| o.check.seconds()),
        measure("check-cost", "Checking, of a pass", Unit::Ratio, |_, o| o.check.seconds() / o.pass.seconds()),
        measure("drafting", "Drafting", Unit::Seconds, |_, o| o.drafting),
        measure("draft-cost", "Drafting a token, of a pass", Unit::Fraction, |p, o| {
            o.drafting / o.pass.seconds() / p.drafted.max(1) as f64
        }),
        measure("speedup", "Times as fast by drafting", Unit::Ratio, |p, o| p.speedup(o)),
        measure("best", "Tokens drafted at best", Unit::Count, |p, _| p.best() as f64),
        measure("best-speedup", "Then, times as fast", Unit::Ratio, |p, _| p.at_drafted(p.best())),
        measure("pays-up-to", "Drafting pays up to, sequences", Unit::Count, |p, _| p.pays_up_to()),
        measure("speedup-bits", "Times as fast as with 16 bits", Unit::Ratio, |p, o| p.in_bits(16) / o.pass.seconds()),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        self.in_range()?;
        Ok(self.outcome())
    }
}

impl Params {
    fn model(&self) -> Runs {
        Runs::of(self.model.0)
    }

    /// What drafts, as a pass needs it; nothing where no model does.
    fn draft_runs(&self) -> Option<Runs> {
        match self.draft {
            Draft::Small | Draft::Middle => Some(Runs::of(self.draft.id())),
            // Its cache is one layer of many.
            Draft::Layer => Some(Runs { weights: Weights::of_layer(self.model.0), attends: None }),
            Draft::Lookup => None,
        }
    }

    /// Bytes of a weight, with its part of a scale.
    fn weight(&self) -> f64 {
        let scale = if self.weight_bits < 16 { SCALE / GROUP } else { 0.0 };
        (f64::from(self.weight_bits) + scale) / 8.0
    }

    /// A pass on `tokens` tokens of each of `batch` sequences, which have `context` in the cache.
    fn pass(&self, runs: &Runs, batch: u64, tokens: f64) -> Pass {
        let (gpus, value) = (self.tp as f64, f64::from(self.kv_bits) / 8.0);
        let all = batch as f64 * tokens;
        let weights = runs.weights.read(all) * self.weight();
        let mut caches = 0.0;
        let mut flop = 2.0 * runs.weights.active * all;
        if let Some(named) = &runs.attends {
            for layers in named.cache.layers.iter().filter(|l| l.count > 0) {
                let way = if matches!(layers.keeps, Keeps::Latent { .. }) { Way::Absorbed } else { Way::Cached };
                let kept = Keeping::Needed.tokens(self.context, layers.window) as f64 * layers.count as f64;
                let one = work(named, layers.keeps, way);
                // Ranks beyond the last head, and all of them for a latent, keep the same.
                let copies = gpus * layers.keeps.values_on_rank(self.tp) as f64 / one.values.max(1.0);
                caches += batch as f64 * kept * one.values * value * copies;
                flop += all * kept * one.flop;
            }
        }
        let reads = (weights + caches) / (self.gpu.bandwidth * gpus);
        Pass { weights, caches, flop, reads, computes: flop / (self.gpu.peak * gpus) }
    }

    /// Tokens of each sequence that a check computes: its own and all that were drafted.
    pub fn checked(&self) -> f64 {
        (0..=self.drafted).map(|level| (self.branches as f64).powi(level as i32)).sum()
    }

    /// Tokens that a pass yields of each sequence on average.
    pub fn tokens(&self) -> f64 {
        let kept = 1.0 - (1.0 - self.alpha).powi(self.branches as i32);
        super::tokens(kept, self.drafted as u32)
    }

    /// What a pass, a check, a draft and a prompt take.
    pub fn outcome(&self) -> Outcome {
        let model = self.model();
        let level =
            |runs: &Runs, level: u64| self.pass(runs, self.batch, (self.branches as f64).powi(level as i32)).seconds();
        let drafting = self.draft_runs().map_or(0.0, |runs| (0..self.drafted).map(|l| level(&runs, l)).sum());
        // A causal mask leaves half of the scores: as if half were in the cache.
        let half = Self { context: self.context.div_ceil(2), ..*self };
        Outcome {
            pass: self.pass(&model, self.batch, 1.0),
            check: self.pass(&model, self.batch, self.checked()),
            drafting,
            prefill: half.pass(&model, 1, self.context as f64),
        }
    }

    /// How many times as fast as without drafting.
    pub fn speedup(&self, outcome: &Outcome) -> f64 {
        self.tokens() * outcome.pass.seconds() / (outcome.check.seconds() + outcome.drafting)
    }

    /// The same with another number of tokens drafted.
    pub fn at_drafted(&self, drafted: u64) -> f64 {
        let other = Self { drafted, ..*self };
        other.speedup(&other.outcome())
    }

    /// The same with another batch.
    pub fn at_batch(&self, batch: u64) -> f64 {
        let other = Self { batch, ..*self };
        other.speedup(&other.outcome())
    }

    /// How many tokens to draft to be fastest.
    pub fn best(&self) -> u64 {
        let faster = |a: &u64, b: &u64| self.at_drafted(*a).total_cmp(&self.at_drafted(*b)).then(b.cmp(a));
        (0..=DEEPEST).max_by(faster).unwrap_or(0)
    }

    /// The largest batch up to which a draft makes anything faster; 0 if it never does.
    pub fn pays_up_to(&self) -> f64 {
        let largest = 1_u64 << LARGEST;
        // It may stop paying and pay again, as caches grow; the first stop is what is asked.
        let pays = |batch: u64| self.at_batch(batch) > 1.0;
        let stops = (0..=LARGEST).map(|power| 1 << power).find(|batch| !pays(*batch));
        let Some(mut above) = stops else { return largest as f64 };
        let mut below = above / 2;
        while below + 1 < above {
            let middle = u64::midpoint(below, above);
            if pays(middle) { below = middle } else { above = middle }
        }
        below as f64
    }

    /// The batch from which computing takes longer than reading; 0 if it never does.
    pub fn ridge_batch(&self) -> f64 {
        let model = self.model();
        let bound = |batch: &u64| {
            let pass = self.pass(&model, *batch, 1.0);
            pass.computes >= pass.reads
        };
        (1..=1_u64 << LARGEST).find(bound).map_or(0.0, |batch| batch as f64)
    }

    /// Seconds of a pass with so many bits for a weight.
    pub fn in_bits(&self, bits: u32) -> f64 {
        let other = Self { weight_bits: bits, ..*self };
        other.pass(&other.model(), other.batch, 1.0).seconds()
    }

    /// A pass with another batch.
    pub fn pass_at(&self, batch: u64) -> Pass {
        self.pass(&self.model(), batch, 1.0)
    }

    /// What the figure shows, in sentences.
    pub fn finding(&self, outcome: &Outcome) -> String {
        match self.view {
            View::Pass => self.pass_finding(outcome),
            View::Draft => self.draft_finding(outcome),
            View::Weights => self.weights_finding(outcome),
        }
    }

    fn together(&self) -> String {
        format!("{} sequence{}", grouped(self.batch), if self.batch == 1 { "" } else { "s" })
    }

    fn pass_finding(&self, outcome: &Outcome) -> String {
        let pass = outcome.pass;
        let bound = if pass.computes >= pass.reads { "compute bound" } else { "memory bound" };
        let ridge = match self.ridge_batch() {
            0.0 => "no batch makes it compute bound, because every sequence brings its own cache".to_owned(),
            batch => format!("it is compute bound from {} sequences on", grouped(batch as u64)),
        };
        format!(
            "A pass on {} reads {} of weights and {} of caches and computes {}: {} FLOP for each byte, where the GPU does {}. It is \
             {bound}, {}, and {ridge}. A prompt of {} tokens takes {} at once: {} FLOP for each byte.",
            self.together(),
            Unit::Bytes.format(pass.weights),
            Unit::Bytes.format(pass.caches),
            Unit::Flop.format(pass.flop),
            number(pass.intensity()),
            number(self.gpu.peak / self.gpu.bandwidth),
            Unit::Seconds.format(pass.seconds()),
            grouped(self.context),
            Unit::Seconds.format(outcome.prefill.seconds()),
            number(outcome.prefill.intensity()),
        )
    }

    fn draft_finding(&self, outcome: &Outcome) -> String {
        if self.drafted == 0 {
            return "Nothing is drafted: every pass yields one token of each sequence.".to_owned();
        }
        let (speed, best) = (self.speedup(outcome), self.best());
        let pays = match self.pays_up_to() {
            0.0 => "At no batch does this draft pay.".to_owned(),
            n if n >= f64::from(1 << LARGEST) => format!("It pays at any batch up to {}.", grouped(1 << LARGEST)),
            n => format!(
                "It pays up to {}.",
                if n == 1.0 { "1 sequence".to_owned() } else { format!("{} sequences", grouped(n as u64)) }
            ),
        };
        let most = if best == 0 { "drafting nothing".to_owned() } else { format!("drafting {best} in a row") };
        format!(
            "A check of {} tokens of each of {} takes {} passes and yields {} tokens: {} times as fast. {pays} Fastest here is {most}, {} \
             times.",
            number(self.checked()),
            self.together(),
            number(outcome.check.seconds() / outcome.pass.seconds()),
            number(self.tokens()),
            number(speed),
            number(self.at_drafted(best)),
        )
    }

    fn weights_finding(&self, outcome: &Outcome) -> String {
        let [eight, four] = [8, 4].map(|bits| self.in_bits(16) / self.in_bits(bits));
        let why = if outcome.pass.computes >= outcome.pass.reads {
            "Computing takes longer than reading, and arithmetic stays in 16 bits."
        } else if outcome.pass.caches > outcome.pass.weights {
            "Most of what is read is caches, which have their own bits."
        } else {
            "Most of the time goes into reading weights."
        };
        format!(
            "With {}, weights in 8 bits make a pass {} times as fast as in 16, weights in 4 bits {} times. {why}",
            self.together(),
            number(eight),
            number(four)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    fn quantity(query: &str, id: &str) -> f64 {
        (Params::ENTRY.evaluate)(&Query::parse(query)).get(id).expect("a quantity")
    }

    /// 8.03B parameters less the embedding that is looked up, two bytes each, at 3.35 TB/s.
    #[test]
    fn a_pass_reads_the_weights_and_the_caches() {
        let alone = "model=llama-3-8b&batch=1&context=1024";
        assert_eq!(quantity(alone, "weight-bytes"), 2.0 * (8_030_261_248.0 - 128_256.0 * 4096.0));
        assert_eq!(quantity(alone, "cache-bytes"), 1024.0 * 131_072.0);
        let seconds = (quantity(alone, "weight-bytes") + quantity(alone, "cache-bytes")) / 3350e9;
        assert!((quantity(alone, "pass") / seconds - 1.0).abs() < 1e-12);
        assert_eq!(quantity("batch=64", "weight-bytes"), quantity("batch=1", "weight-bytes"));
        assert_eq!(quantity("batch=64", "cache-bytes"), 64.0 * quantity("batch=1", "cache-bytes"));
    }

    /// Chapter 13's figure without caches, and Leviathan's formula, are what is left without a context that counts.
    #[test]
    fn a_draft_is_that_of_chapter_13_where_caches_are_small() {
        let state = "model=llama-3-70b&batch=1&context=1&draft=layer&drafted=4&alpha=0.7";
        let other = super::super::figure::Params::ENTRY;
        let theirs = (other.evaluate)(&Query::parse("model=llama-3-70b&drafted=4&alpha=0.7&batch=1&weight-bits=16"));
        let ratio = quantity(state, "speedup") / theirs.get("speedup").expect("a quantity");
        assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
    }

    #[test]
    fn a_draft_stops_paying_and_a_tree_stops_sooner() {
        let state = "model=llama-3-70b&tp=4&context=1024&draft=llama-3.2-1b&drafted=4&alpha=0.7";
        let stops = quantity(state, "pays-up-to");
        assert!((32.0..512.0).contains(&stops), "{stops}");
        let at = |batch: f64| quantity(&format!("{state}&batch={batch}"), "speedup");
        assert!(at(stops) > 1.0 && at(stops + 1.0) <= 1.0, "{stops}");
        let tree = format!("{state}&branches=3");
        assert!(quantity(&format!("{tree}&batch=1"), "speedup") > at(1.0));
        assert!(quantity(&tree, "pays-up-to") < stops);
        assert_eq!(quantity(&tree, "checked"), 121.0);
        // A long context keeps a pass memory bound, and drafting worth it.
        assert!(quantity(&state.replace("context=1024", "context=32768"), "pays-up-to") > 4.0 * stops);
    }

    #[test]
    fn weights_in_four_bits_pay_where_weights_are_read() {
        let at = |query: &str| quantity(&format!("model=llama-3-8b&weight-bits=4&{query}"), "speedup-bits");
        let alone = at("batch=1&context=1");
        assert!((alone - 16.0 / 4.125).abs() < 0.01, "{alone}");
        assert_eq!(at("batch=2048&context=1"), 1.0);
        assert!((1.0..1.3).contains(&at("batch=64&context=16384")));
        assert_eq!(quantity("model=llama-3-8b&context=1", "ridge-batch"), 296.0);
        assert_eq!(quantity("model=llama-3-8b&context=8192", "ridge-batch"), 0.0);
    }

    #[test]
    fn a_prompt_is_compute_bound() {
        let intensity = |id: &str| quantity("model=llama-3-8b&batch=1&context=2048", id);
        assert!(intensity("prefill-intensity") > 5.0 * intensity("ridge"));
        assert!(intensity("intensity") < 0.01 * intensity("ridge"));
        assert!(intensity("one-by-one") > 40.0 * intensity("prefill"));
    }
}
