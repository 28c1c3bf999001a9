//! What each token adds to attention as a sequence grows: a score for every token before it, and keys and values, which are
//! always as many.
//!
//! In a layer each query head scores every token up to its own: t scores for the t-th token, t(t+1)/2 for all up to it. What
//! stays of a token are its keys and values: 2·layers·kv_heads·head_dim numbers. The next token's query reads all of them and
//! does 4·heads·head_dim·t FLOPs a layer on 2·kv_heads·head_dim·t numbers (two products, a multiplication and an addition in
//! each), so 2·heads/kv_heads for each number, however long the sequence is. Vaswani et al., arXiv:1706.03762, §3.2; Shazeer,
//! "Fast Transformer Decoding: One Write-Head is All You Need", arXiv:1911.02150, §2.4 and §3; Ainslie et al., "GQA",
//! arXiv:2305.13245, §2.2.

use super::Dtype;
use super::decode::DRAW;
use super::position::{MAX_HEAD_DIM, MAX_HEADS, MAX_TOKENS};
use crate::declare::{
    Field as _, Measure, Model, Origin, Origins, Param, Takes, choice, headline, measure, origin, whole,
};
use crate::hardware;
use crate::quantity::{Unit, counted, grouped, number, plural};
use crate::query::Reader;
use crate::roofline::Roof;

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// Query heads of a layer.
    pub heads: u64,
    /// Heads of keys and values: they divide [`Params::heads`].
    pub kv_heads: u64,
    /// Numbers of a head.
    pub head_dim: u64,
    /// Layers.
    pub layers: u64,
    /// What keys and values are kept in.
    pub dtype: Dtype,
    /// Tokens of the whole sequence.
    pub seq: u64,
    /// Sequences that are decoded together.
    pub sequences: u64,
    /// Parts into which each head's keys are split while decoding.
    pub splits: u64,
    /// How much of it is there: of [`STEPS`] parts.
    pub step: u64,
}

/// In how many parts a sequence grows.
pub const STEPS: u64 = 32;
/// Most layers.
pub const MAX_LAYERS: u64 = 1024;
/// The accelerator that the work for each byte is held against.
const YARDSTICK: &str = "h100-80";

/// Where the controls of a decoding step stand.
const DECODING: &str = "A step of decoding, on an H100";

impl Model for Params {
    type Result = ();
    const ID: &'static str = "attention-growth";
    const TITLE: &'static str = "What each token adds";
    const SUMMARY: &'static str = "A sequence that grows token by token: scores by the square, keys and values by the line, shared by heads or not.";
    const PARAMS: &'static [Param<Self>] = &[
        whole("heads", "query heads of a layer", [1, MAX_HEADS], "32")
            .takes(Takes::Heads)
            .label("Query heads")
            .doubling(7)
            .main()
            .at(|p| p.heads.slot()),
        whole("kv_heads", "heads of keys and values, which divide the query heads", [1, MAX_HEADS], "8")
            .takes(Takes::KvHeads)
            .label("Key–value heads")
            .doubling(7)
            .main()
            .at(|p| p.kv_heads.slot()),
        whole("head_dim", "numbers of a head", [1, MAX_HEAD_DIM], "128")
            .takes(Takes::HeadDim)
            .label("Head dimension")
            .doubling(10)
            .at(|p| p.head_dim.slot()),
        whole("layers", "layers of the model", [1, MAX_LAYERS], "32")
            .takes(Takes::Layers)
            .label("Layers")
            .doubling(10)
            .at(|p| p.layers.slot()),
        choice("dtype", "what keys and values are kept in", Dtype::LIST, "bf16")
            .label("Cache format")
            .at(|p| p.dtype.slot()),
        whole("seq", "tokens of the whole sequence", [1, MAX_TOKENS], "8192")
            .label("Tokens")
            .doubling(20)
            .main()
            .at(|p| p.seq.slot()),
        whole("sequences", "sequences that are decoded together", [1, 1024], "1")
            .label("Concurrent sequences")
            .doubling(8)
            .more(DECODING)
            .at(|p| p.sequences.slot()),
        whole("splits", "parts into which each head’s keys are split while decoding", [1, 256], "1")
            .label("Splits of the keys")
            .doubling(8)
            .more(DECODING)
            .at(|p| p.splits.slot()),
        whole("step", "how much of the sequence is there, of 32 parts", [0, STEPS], "16").drawn().at(|p| p.step.slot()),
    ];
    const ORIGIN: Origin = Origin::Of("Vaswani et al. 2017, arXiv:1706.03762, §3.2");
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Controls, &["tokens"]),
        origin(crate::kv_cache::ORIGIN, &["cache-token", "cache", "cache-multi-head"]),
        origin(
            Origin::Of(
                "Shazeer 2019, arXiv:1911.02150, §2.4 and §3; Ainslie et al. 2023 (GQA), arXiv:2305.13245, §2.2",
            ),
            &["intensity"],
        ),
        origin(
            super::decode::ORIGIN,
            &["decode-blocks", "decode-busy", "decode-drawn", "sm-draw", "decode-time", "decode-merged"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, ()>] = &[
        measure("tokens", "Tokens so far", Unit::Count, |p, ()| p.tokens() as f64),
        measure("scores-newest", "Scores of the newest token, per layer", Unit::Count, |p, ()| p.scores_of(p.tokens())),
        headline(
            "Attention scores computed until now in one layer; they grow with the square of the tokens.",
            measure("scores", "Scores so far, per layer", Unit::Count, |p, ()| p.scores_until(p.tokens())),
        ),
        measure("cache-token", "KV cache per token", Unit::Bytes, |p, ()| p.kept(p.kv_heads)),
        headline(
            "Keys and values kept until now; they grow with the tokens.",
            measure("cache", "KV cache so far", Unit::Bytes, |p, ()| p.kept(p.kv_heads) * p.tokens() as f64),
        ),
        headline(
            "What the cache would hold if every query head had keys and values of its own.",
            measure("cache-multi-head", "KV cache with multi-head attention", Unit::Bytes, |p, ()| {
                p.kept(p.heads) * p.tokens() as f64
            }),
        ),
        headline(
            "FLOPs per byte read from the cache. It does not depend on the length.",
            measure("intensity", "Arithmetic intensity, FLOP/byte", Unit::Ratio, |p, ()| p.intensity()),
        ),
        measure("decode-blocks", "Thread blocks per decoding step and layer", Unit::Count, |p, ()| {
            p.decode().blocks as f64
        }),
        headline(
            "The share of SMs that attention gives any work in a decoding step.",
            measure("decode-busy", "SMs with a block to read", Unit::Fraction, |p, ()| p.decode().busy()),
        ),
        measure("decode-drawn", "HBM bandwidth reached while decoding", Unit::Fraction, |p, ()| p.decode().drawn),
        measure("sm-draw", "HBM bandwidth one SM can draw", Unit::BytesPerSecond, |_, ()| DRAW),
        measure("decode-time", "Attention time per decoding step and layer", Unit::Seconds, |p, ()| p.decode().read),
        measure("decode-merged", "Partial outputs to merge, per layer", Unit::Bytes, |p, ()| p.decode().merged),
    ];

    fn evaluate(&self) -> Result<(), String> {
        Ok(())
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let (heads, asked) = (self.heads, self.kv_heads);
        self.kv_heads = evenly(heads, asked);
        if self.kv_heads != asked {
            let used = self.kv_heads;
            reader.problem(
                "kv_heads",
                format!("{heads} query heads cannot share {asked} heads of keys and values evenly; {used} is used."),
            );
        }
    }

    /// Heads of keys and values become the next fewer that the query heads can share.
    fn follow(&mut self, _before: &Self) {
        self.kv_heads = evenly(self.heads, self.kv_heads);
    }
}

impl Params {
    /// Query heads that share a head of keys and values.
    pub fn group(&self) -> u64 {
        self.heads / self.kv_heads.max(1)
    }

    /// Tokens that are there.
    pub fn tokens(&self) -> u64 {
        (self.seq * self.step).div_ceil(STEPS)
    }

    /// Scores that the t-th token costs a layer: one for each token up to it, in each query head.
    pub fn scores_of(&self, token: u64) -> f64 {
        self.heads as f64 * token as f64
    }

    /// Scores of a layer up to the t-th token.
    pub fn scores_until(&self, token: u64) -> f64 {
        self.heads as f64 * token as f64 * (token as f64 + 1.0) / 2.0
    }

    /// Bytes that a token leaves in the cache of all layers, with so many heads of keys and values.
    pub fn kept(&self, kv_heads: u64) -> f64 {
        2.0 * (self.layers * kv_heads * self.head_dim * self.dtype.bytes()) as f64
    }

    /// FLOPs of a new token's scores and sums for each byte of keys and values that they read.
    pub fn intensity(&self) -> f64 {
        2.0 * self.group() as f64 / self.dtype.bytes() as f64
    }

    /// How heads share, in a word of the papers.
    pub fn sharing(&self) -> &'static str {
        match self.kv_heads {
            _ if self.group() == 1 => "multi-head",
            1 => "multi-query",
            _ => "grouped-query",
        }
    }

    /// What the picture says, in a few sentences.
    pub fn finding(&self) -> String {
        let tokens = self.tokens();
        let bytes = |value: f64| Unit::Bytes.format(value);
        let a_token = bytes(self.kept(self.kv_heads));
        if tokens == 0 {
            return format!(
                "Nothing is there to be scored, and nothing is kept. Every token will leave {a_token} of keys and values, the first as the last."
            );
        }
        let held = |kv_heads: u64| bytes(self.kept(kv_heads) * tokens as f64);
        let cache = match self.group() {
            1 => format!("the cache holds {}", held(self.heads)),
            group => format!(
                "the cache holds {}, and would hold {} if {} heads did not share",
                held(self.kv_heads),
                held(self.heads),
                if group == self.heads { "all".to_owned() } else { format!("groups of {}", grouped(group)) }
            ),
        };
        let needed = hardware::find(YARDSTICK)
            .map(|gpu| format!(", where an {} can do {}", gpu.name, number(Roof::of(gpu).ridge().round())))
            .unwrap_or_default();
        format!(
            "Token {} is scored against all {} in {}: {} of a layer’s {} so far. It leaves {a_token}, as the first did; {cache}. \
             Reading them back, the next token does {} for each byte{needed}.",
            grouped(tokens),
            grouped(tokens),
            counted(self.heads, "head", "heads"),
            Unit::Count.format(self.scores_of(tokens)),
            plural(&Unit::Count.format(self.scores_until(tokens)), "score"),
            plural(&number(self.intensity()), "FLOP")
        )
    }

    /// What reading the cache for the next token comes to.
    pub fn reading(&self) -> String {
        let decode = self.decode();
        let blocks = match decode.blocks {
            1 => "1 block of work draws".to_owned(),
            n => format!("{} blocks of work draw", grouped(n)),
        };
        format!(
            "In each layer its {blocks} {} of the bandwidth of an {}’s {} SMs, and attention takes {}.",
            Unit::Fraction.format(decode.drawn),
            super::decode::GPU.name,
            grouped(decode.sms),
            Unit::Seconds.format(decode.read)
        )
    }
}

/// The largest divisor of `heads` that is not over `most`.
pub(crate) fn evenly(heads: u64, most: u64) -> u64 {
    (1..=most.min(heads)).rev().find(|n| heads.is_multiple_of(*n)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use proptest::prelude::*;

    fn params(query: &str) -> Params {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        params
    }

    /// Every pair of a token and one not after it, in every head, counted.
    #[test]
    fn scores_are_as_many_as_there_are_pairs() {
        for tokens in 0..40 {
            let p = params(&format!("heads=3&kv_heads=1&seq={}&step=32", tokens.max(1)));
            let pairs = (1..=tokens).flat_map(|query| (1..=query).map(move |key| (query, key))).count();
            assert_eq!(p.scores_until(tokens), (3 * pairs) as f64);
            assert_eq!(p.scores_until(tokens), (1..=tokens).map(|t| p.scores_of(t)).sum::<f64>());
        }
    }

    /// Llama 3 8B keeps 128 KiB a token in 16 bits, 8 heads of 128 in 32 layers; GPT-3 has 96 heads of its own in 96 layers. With one
    /// head for all of 71, Falcon 7B keeps 8 KiB. The counts of zhebrak/llm-cluster-simulator (src/core/inference/kv-cache.ts at 1db1341)
    /// are the same.
    #[test]
    fn caches_of_published_models() {
        assert_eq!(params("").kept(8), 131_072.0);
        let gpt3 = params("heads=96&kv_heads=96&layers=96");
        assert_eq!(gpt3.kept(gpt3.kv_heads), 4_718_592.0);
        let falcon = params("heads=71&kv_heads=1&head_dim=64");
        assert_eq!((falcon.kept(1), falcon.sharing()), (8192.0, "multi-query"));
    }

    /// Counted on the products themselves: q·k and p·v, a multiplication and an addition for each number read.
    #[test]
    fn work_for_each_byte() {
        for (query, expected) in
            [("heads=32&kv_heads=32", 1.0), ("", 4.0), ("kv_heads=1", 32.0), ("kv_heads=1&dtype=fp32", 16.0)]
        {
            let p = params(query);
            let tokens = 17;
            let flops = 2 * 2 * p.heads * p.head_dim * tokens;
            let read = 2 * p.kv_heads * p.head_dim * tokens * p.dtype.bytes();
            assert_eq!(p.intensity(), flops as f64 / read as f64);
            assert_eq!(p.intensity(), expected);
        }
    }

    #[test]
    fn heads_that_cannot_be_shared_evenly_are_named() {
        let (p, problems) = Params::read(&Query::parse("heads=32&kv_heads=12"));
        assert_eq!(p.kv_heads, 8);
        assert!(problems.len() == 1 && problems[0].message.contains("12"), "{problems:?}");
        let followed = |mut p: Params, change: fn(&mut Params)| {
            let before = p;
            change(&mut p);
            p.follow(&before);
            p.kv_heads
        };
        assert_eq!(followed(params("kv_heads=8"), |p| p.heads = 12), 6);
        assert_eq!(followed(params(""), |p| p.kv_heads = 31), 16);
        assert_eq!(params("seq=1&step=1").tokens(), 1);
    }

    proptest! {
        #[test]
        fn sound_for_everything_that_is_valid(
            heads in 1..=MAX_HEADS, kv_heads in 1..=MAX_HEADS, head_dim in 1..=MAX_HEAD_DIM, layers in 1..=MAX_LAYERS,
            seq in 1..=MAX_TOKENS, step in 0..=STEPS, wide: bool, sequences in 1..=1024_u64, splits in 1..=256_u64,
        ) {
            let dtype = if wide { Dtype::Fp32 } else { Dtype::Bf16 };
            let p = Params { heads, kv_heads: evenly(heads, kv_heads), head_dim, layers, dtype, seq, sequences, splits, step };
            let (again, problems) = Params::read(&p.query());
            prop_assert_eq!((again, problems), (p, vec![]));
            prop_assert!(p.quantities(&()).iter().all(|q| q.value.is_finite() && q.value >= 0.0));
            prop_assert_eq!(p.group() * p.kv_heads, p.heads);
            prop_assert!(p.tokens() <= seq && (step < STEPS || p.tokens() == seq));
            prop_assert!(p.kept(p.kv_heads) <= p.kept(p.heads));
            prop_assert!(!p.finding().is_empty());
        }
    }
}
