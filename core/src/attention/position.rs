//! How attention learns where a token is: vectors turned by their position (RoPE), or scores lessened by their distance
//! (ALiBi).
//!
//! RoPE turns pair i of a query or key at position p by p·θᵢ with θᵢ = base^(−2i/d): Su et al., "RoFormer", arXiv:2104.09864,
//! §3.2.2. A pair comes round once in λᵢ = 2π/θᵢ tokens: Peng et al., "YaRN", arXiv:2309.00071, eq. 13; for longer contexts it is
//! turned slower ([`Stretch`]). Pair i is the numbers 2i and 2i + 1 in the paper and in Meta's code, i and i + d/2 in GPT-NeoX and
//! Hugging Face's. ALiBi subtracts mₕ·(distance) from the scores of head h:
//! Press et al., arXiv:2108.12409, §3, and `get_slopes` of ofirpress/attention_with_linear_biases for numbers of heads that
//! are no powers of two.

use std::f64::consts::TAU;

use super::stretch::Stretch;
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Scale, applies, choice, headline, measure, origin,
    real, when, whole,
};
use crate::options;
use crate::quantity::{Unit, counted, grouped, number};
use crate::query::Reader;

/// How positions are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Queries and keys are turned.
    #[default]
    Rope,
    /// Scores are lessened.
    Alibi,
}

options!(Scheme {
    Rope: "rope", "RoPE: turned";
    Alibi: "alibi", "ALiBi: penalised by distance";
});

/// Which two numbers of a head are a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairing {
    /// Pair i is 2i and 2i + 1.
    #[default]
    Interleaved,
    /// Pair i is i and i + d/2.
    Halves,
}

options!(Pairing {
    Interleaved: "interleaved", "neighbours: 2i, 2i + 1";
    Halves: "halves", "halves: i, i + d/2";
});

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// How positions are told.
    pub scheme: Scheme,
    /// Numbers of a head's query: pairs are half as many.
    pub head_dim: u64,
    /// The base of the angles.
    pub base: f64,
    /// How many times as long as in training sequences are to be.
    pub scale: f64,
    /// How pairs are slowed for it.
    pub stretch: Stretch,
    /// Which numbers are a pair.
    pub pairing: Pairing,
    /// A pair to look at, from 0.
    pub pair: u64,
    /// Heads, each of which has its slope.
    pub heads: u64,
    /// Tokens of the longest sequence that training has shown.
    pub trained: u64,
    /// Tokens between the query and the key.
    pub distance: u64,
    /// Tokens by which both were moved along.
    pub step: u64,
}

/// Most numbers of a head.
pub const MAX_HEAD_DIM: u64 = 1024;
/// Most heads.
pub const MAX_HEADS: u64 = 256;
/// Most tokens.
pub const MAX_TOKENS: u64 = 100_000_000;
/// Most tokens that both are moved by.
pub const MAX_STEP: u64 = 64;

const LONGER: &str = "Beyond training";
const LAYOUT: &str = "Which numbers turn together";

impl Model for Params {
    type Result = ();
    const ID: &'static str = "position-encoding";
    const TITLE: &'static str = "Where a token is";
    const SUMMARY: &'static str =
        "Queries and keys turned by their positions, or scores reduced by distance: how attention learns the order.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("scheme", "vectors turned by position, or scores reduced by distance", Scheme::LIST, "rope")
            .label("Positions")
            .main()
            .at(|p| p.scheme.slot()),
        whole("head_dim", "numbers of a head’s query", [2, MAX_HEAD_DIM], "128")
            .label("Head dimension")
            .doubling(10)
            .at(|p| p.head_dim.slot()),
        real("base", "base of the angles, rope_theta", [2.0, 1e12], "10000")
            .label("Base")
            .slider(Scale::Decades(2, 9))
            .main()
            .at(|p| p.base.slot()),
        real("scale", "how many times as long as in training sequences are to be", [1.0, 1024.0], "1")
            .label("Context extension factor")
            .doubling(6)
            .more(LONGER)
            .at(|p| p.scale.slot()),
        choice("stretch", "how pairs are slowed for a longer context", Stretch::LIST, "linear")
            .label("Stretching method")
            .more(LONGER)
            .at(|p| p.stretch.slot()),
        choice("pairing", "which two numbers of a head are a pair", Pairing::LIST, "interleaved")
            .label("Pairing")
            .more(LAYOUT)
            .at(|p| p.pairing.slot()),
        whole("pair", "a pair to look at, from 0", [0, MAX_HEAD_DIM / 2 - 1], "0")
            .label("Pair")
            .more(LAYOUT)
            .at(|p| p.pair.slot()),
        whole("heads", "heads, for the slopes", [1, MAX_HEADS], "8")
            .label("Heads")
            .doubling(6)
            .main()
            .at(|p| p.heads.slot()),
        whole("trained", "tokens of the longest sequence in training", [1, MAX_TOKENS], "4096")
            .label("Training length")
            .doubling(20)
            .at(|p| p.trained.slot()),
        whole("distance", "tokens between query and key", [0, MAX_TOKENS], "16")
            .label("Distance, tokens")
            .slider(Scale::FromZero(17))
            .main()
            .at(|p| p.distance.slot()),
        whole("step", "tokens by which both are moved", [0, MAX_STEP], "0").drawn().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["head_dim", "base", "trained", "scale", "pairing", "pair"], |p| p.scheme == Scheme::Rope),
        applies(&["stretch"], |p| p.scheme == Scheme::Rope && p.scale > 1.0),
        applies(&["heads"], |p| p.scheme == Scheme::Alibi),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Su et al. 2021 (RoFormer), arXiv:2104.09864, §3.2.2; Peng et al. 2023 (YaRN), arXiv:2309.00071, eq. 13",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(super::stretch::ORIGIN, &["unturned", "unseen", "kept", "pair-slower"]),
        origin(
            Origin::Of(
                "Su et al. 2021 (RoFormer), arXiv:2104.09864, §3.4.2; Meta’s code pairs neighbors, GPT-NeoX and Hugging Face’s pair halves",
            ),
            &["pair-first", "pair-second"],
        ),
        origin(
            Origin::Of(
                "Press et al. 2021 (ALiBi), arXiv:2108.12409, §3; get_slopes in ofirpress/attention_with_linear_biases",
            ),
            &["penalty-steepest", "penalty-flattest"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, ()>] = &[
        when(
            |p, ()| p.scheme == Scheme::Rope,
            headline(
                "The score of a key and a query that point the same way, at this distance, over the score at distance 0.",
                measure("score", "Score of equal vectors, relative to distance 0", Unit::Ratio, |p, ()| {
                    p.score(p.distance as f64)
                }),
            ),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            measure("fastest-turn", "Wavelength of the first pair, tokens", Unit::Ratio, |p, ()| p.turn(0)),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            headline(
                "The distance at which the slowest pair has turned once. Beyond it, no pair tells distances apart by itself.",
                measure("slowest-turn", "Wavelength of the last pair, tokens", Unit::Ratio, |p, ()| {
                    p.turn(p.pairs().saturating_sub(1))
                }),
            ),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            headline(
                "Pairs that never completed a turn in training.",
                measure("unturned", "Pairs with a wavelength beyond training", Unit::Count, |p, ()| {
                    p.unturned() as f64
                }),
            ),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            headline(
                "Pairs that reach angles they never had in training.",
                measure("unseen", "Pairs with unseen angles at the stretched length", Unit::Count, |p, ()| {
                    p.unseen() as f64
                }),
            ),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            measure("kept", "Pairs turned as in training", Unit::Count, |p, ()| {
                (0..p.pairs()).filter(|i| p.slower(*i) < 1.0 + 1e-9).count() as f64
            }),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            measure("pair-wavelength", "Wavelength of the selected pair, tokens", Unit::Ratio, |p, ()| p.turn(p.pair)),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            measure("pair-slower", "Slowdown of the selected pair", Unit::Ratio, |p, ()| p.slower(p.pair)),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            measure("pair-first", "First index of the selected pair", Unit::Count, |p, ()| p.numbers(p.pair)[0] as f64),
        ),
        when(
            |p, ()| p.scheme == Scheme::Rope,
            measure("pair-second", "Second index of the selected pair", Unit::Count, |p, ()| {
                p.numbers(p.pair)[1] as f64
            }),
        ),
        when(
            |p, ()| p.scheme == Scheme::Alibi,
            headline(
                "What the steepest head subtracts from a score at this distance.",
                measure("penalty-steepest", "ALiBi penalty at this distance, steepest head", Unit::Ratio, |p, ()| {
                    p.slopes()[0] * p.distance as f64
                }),
            ),
        ),
        when(
            |p, ()| p.scheme == Scheme::Alibi,
            headline(
                "What the flattest head subtracts from a score at this distance.",
                measure("penalty-flattest", "ALiBi penalty at this distance, flattest head", Unit::Ratio, |p, ()| {
                    p.slopes()[1] * p.distance as f64
                }),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<(), String> {
        Ok(())
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let last = self.pairs().saturating_sub(1);
        if self.pair > last {
            let (dim, pair) = (self.head_dim, self.pair);
            reader.problem("pair", format!("A head of {dim} numbers has no pair {pair}; the last is {last}."));
            self.pair = last;
        }
    }

    fn follow(&mut self, _before: &Self) {
        self.pair = self.pair.min(self.pairs().saturating_sub(1));
    }
}

impl Params {
    /// Pairs of numbers that are turned: ⌊d/2⌋.
    pub fn pairs(&self) -> u64 {
        self.head_dim / 2
    }

    /// Radians by which pair `i` was turned at each token in training: base^(−2i/d).
    fn trained_angle(&self, i: u64) -> f64 {
        self.base.powf(-2.0 * i as f64 / self.head_dim as f64)
    }

    /// How many times slower than in training pair `i` is turned.
    pub fn slower(&self, i: u64) -> f64 {
        self.stretch.slower(i, self.head_dim, self.trained_angle(i), self.scale, self.trained as f64)
    }

    /// Radians by which pair `i` is turned at each token.
    pub fn angle(&self, i: u64) -> f64 {
        self.trained_angle(i) / self.slower(i)
    }

    /// The two numbers of a head that are pair `i`.
    pub fn numbers(&self, i: u64) -> [u64; 2] {
        match self.pairing {
            Pairing::Interleaved => [2 * i, 2 * i + 1],
            Pairing::Halves => [i, i + self.pairs()],
        }
    }

    /// Tokens in which pair `i` comes round once: 2π over [`Params::angle`].
    pub fn turn(&self, i: u64) -> f64 {
        TAU / self.angle(i)
    }

    /// Whether pair `i` has not come round once in the longest sequence of training.
    pub fn is_unturned(&self, i: u64) -> bool {
        TAU / self.trained_angle(i) > self.trained as f64
    }

    /// How many pairs have not.
    pub fn unturned(&self) -> u64 {
        (0..self.pairs()).filter(|i| self.is_unturned(*i)).count() as u64
    }

    /// Pairs that, at the stretched length, reach angles that training has not shown: those that did not come round then and are
    /// slowed less than the context is stretched.
    pub fn unseen(&self) -> u64 {
        let further = |i: &u64| self.is_unturned(*i) && self.slower(*i) < self.scale * (1.0 - 1e-9);
        (0..self.pairs()).filter(further).count() as u64
    }

    /// The score of a query and a key that are the same vector, all pairs of one length, at a distance: the mean of
    /// cos(distance·θᵢ), which is 1 at no distance.
    pub fn score(&self, distance: f64) -> f64 {
        let pairs = self.pairs();
        (0..pairs).map(|i| (distance * self.angle(i)).cos()).sum::<f64>() / pairs.max(1) as f64
    }

    /// The slope of head `h`, from 0: 2^(−8(h+1)/n) for n heads, a power of two; for other numbers those of the power of two
    /// below, then every other one of the power above.
    pub fn slope(&self, h: u64) -> f64 {
        let n = self.heads.max(1);
        let below = 1_u64 << n.ilog2();
        let of = |h: u64, n: u64| 2_f64.powf(-8.0 * (h as f64 + 1.0) / n as f64);
        if h < below { of(h, below) } else { of(2 * (h - below), 2 * below) }
    }

    /// The steepest and the flattest of all heads' slopes.
    pub fn slopes(&self) -> [f64; 2] {
        let all = || (0..self.heads.max(1)).map(|h| self.slope(h));
        [all().fold(0.0, f64::max), all().fold(f64::INFINITY, f64::min)]
    }

    /// What of a token's weight is left at a distance under a slope m, before the softmax divides: e^(−m·distance).
    pub fn left(slope: f64, distance: f64) -> f64 {
        (-slope * distance).exp()
    }

    /// The positions of the key and of the query.
    pub fn positions(&self) -> [u64; 2] {
        [self.step, self.step + self.distance]
    }

    /// What the picture says, in a few sentences.
    pub fn finding(&self) -> String {
        let [key, query] = self.positions().map(grouped);
        let distance = self.distance as f64;
        match self.scheme {
            Scheme::Rope => {
                let place = format!(
                    "A query at {query} and a key at {key} score as any two that are {} apart.",
                    tokens(self.distance)
                );
                let turned = match self.unturned() {
                    0 => format!("Training on {} has shown every pair all the way round.", tokens(self.trained)),
                    n => format!(
                        "{} of {} pairs do not complete a turn in the {} of training: beyond it they reach angles that the model has never seen.",
                        grouped(n),
                        grouped(self.pairs()),
                        tokens(self.trained)
                    ),
                };
                let score = number(self.score(distance));
                format!("{place} Equal vectors score {score} of what they do side by side. {turned}{}", self.longer())
            }
            Scheme::Alibi => {
                let [steepest, flattest] = self.slopes();
                format!(
                    "A key {} back loses {} in the steepest of {} heads and {} in the flattest, wherever the query is. So {} of its weight is \
                     left in the one and {} in the other, and a distance that training has not seen is only a larger loss.",
                    tokens(self.distance),
                    number(steepest * distance),
                    grouped(self.heads),
                    number(flattest * distance),
                    number(Self::left(steepest, distance)),
                    number(Self::left(flattest, distance))
                )
            }
        }
    }
}

impl Params {
    /// What stretching does, if anything is stretched.
    fn longer(&self) -> String {
        if self.scale <= 1.0 {
            return String::new();
        }
        let kept = (0..self.pairs()).filter(|i| self.slower(*i) < 1.0 + 1e-9).count() as u64;
        let unseen = match self.unseen() {
            0 => "no pair goes further than it went in training".to_owned(),
            n => format!("{} pairs still go further than in training", grouped(n)),
        };
        format!(
            " Stretched {} times, {} pairs turn as in training, the last {} times slower, and at {} {unseen}.",
            number(self.scale),
            grouped(kept),
            number(self.slower(self.pairs().saturating_sub(1))),
            tokens((self.scale * self.trained as f64) as u64),
        )
    }
}

/// "1 token", "4,096 tokens".
fn tokens(n: u64) -> String {
    counted(n, "token", "tokens")
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

    /// The product of two vectors that were turned by their own positions.
    fn product(p: &Params, vector: &[f64], [key, query]: [u64; 2]) -> f64 {
        let turned = |position: u64| -> Vec<[f64; 2]> {
            let turn = |i: usize| {
                let (sin, cos) = (position as f64 * p.angle(i as u64)).sin_cos();
                let (x, y) = (vector[2 * i], vector[2 * i + 1]);
                [x * cos - y * sin, x * sin + y * cos]
            };
            (0..p.pairs() as usize).map(turn).collect()
        };
        turned(key).iter().zip(turned(query)).map(|(a, b)| a[0] * b[0] + a[1] * b[1]).sum()
    }

    #[test]
    fn turned_vectors_know_only_their_distance() {
        let p = params("head_dim=8&base=100");
        let vector = [0.6, 0.8, 1.0, 0.0, -0.8, 0.6, 0.0, -1.0];
        for distance in [0, 1, 5, 40] {
            let expected = 4.0 * p.score(distance as f64);
            for at in [0, 3, 1000] {
                assert!((product(&p, &vector, [at, at + distance]) - expected).abs() < 1e-9);
            }
        }
    }

    /// Press et al., §3: 8 heads have 1/2 to 1/256, 16 heads 2^(−0.5) to 2^(−8). `get_slopes(12)` of their code: those of 8, then
    /// every other one of 16.
    #[test]
    fn slopes_are_those_of_the_paper_and_its_code() {
        let all = |heads: u64| -> Vec<f64> {
            let p = params(&format!("heads={heads}"));
            (0..heads).map(|h| p.slope(h)).collect()
        };
        assert_eq!(all(8), (1..=8).map(|i| 0.5_f64.powi(i)).collect::<Vec<_>>());
        let twelve = all(12);
        assert_eq!(twelve[..8], all(8));
        for (slope, power) in twelve[8..].iter().zip([0.5, 1.5, 2.5, 3.5]) {
            assert!((slope - 2_f64.powf(-power)).abs() < 1e-12);
        }
        assert_eq!(params("heads=8").slopes(), [0.5, 1.0 / 256.0]);
    }

    /// The numbers that chapter 18 gives: one radian a token, and the last of 64 pairs once in some 54 thousand.
    #[test]
    fn turns() {
        let p = params("");
        assert_eq!(p.angle(0), 1.0);
        assert!((p.turn(63) - TAU * 10_000_f64.powf(126.0 / 128.0)).abs() < 1e-6);
        assert_eq!(p.unturned(), (0..64).filter(|i| p.turn(*i) > 4096.0).count() as u64);
        assert!(params("scale=8").turn(0) > 50.0, "an eighth of the speed");
        assert_eq!(params("base=1000000&trained=100000000").unturned(), 0);
    }

    /// The frequencies of Llama 3.1 (`rope_theta` 500 000, factor 8, 8192 tokens), as its `apply_scaling` puts it: wavelengths below
    /// 2048 stay, above 8192 they are eight times as long, between them mixed.
    #[test]
    fn stretched_as_llama_does() {
        let p = params("base=500000&trained=8192&scale=8&stretch=llama3");
        for i in 0..64 {
            let theta = 500_000_f64.powf(-(i as f64) / 64.0);
            let wavelength = TAU / theta;
            let expected = if wavelength < 8192.0 / 4.0 {
                theta
            } else if wavelength > 8192.0 {
                theta / 8.0
            } else {
                let smooth = (8192.0 / wavelength - 1.0) / (4.0 - 1.0);
                (1.0 - smooth) * theta / 8.0 + smooth * theta
            };
            assert!((p.angle(i) / expected - 1.0).abs() < 1e-12, "pair {i}");
        }
        assert_eq!(p.unseen(), 0);
        assert!(params("scale=8&stretch=yarn").unseen() == 0 && params("scale=8").unseen() == 0);
    }

    /// NTK-aware: the base becomes b·s^(d/(d−2)), so that the first pair stays and the last is slowed s times. Those before it still
    /// reach what training has not shown, as §3.1 of YaRN says.
    #[test]
    fn a_larger_base_slows_the_last_pair_by_all_and_the_first_by_nothing() {
        let p = params("scale=8&stretch=ntk");
        let base = 10_000.0 * 8_f64.powf(128.0 / 126.0);
        assert!((0..64).all(|i| (p.angle(i) / base.powf(-2.0 * i as f64 / 128.0) - 1.0).abs() < 1e-12));
        assert!((p.slower(0) - 1.0).abs() < 1e-12 && (p.slower(63) - 8.0).abs() < 1e-9);
        assert!(p.unseen() > 0 && p.unseen() == p.unturned() - 1);
    }

    #[test]
    fn pairs_are_neighbours_or_a_half_apart() {
        assert_eq!(params("pairing=interleaved").numbers(5), [10, 11]);
        assert_eq!(params("pairing=halves").numbers(5), [5, 69]);
        let (p, problems) = Params::read(&Query::parse("head_dim=64&pair=40"));
        assert!(p.pair == 31 && problems.len() == 1 && problems[0].message.contains("the last is 31"));
    }

    proptest! {
        #[test]
        fn sound_for_everything_that_is_valid(
            head_dim in 2..=MAX_HEAD_DIM, base in 2.0..1e12_f64, scale in 1.0..1024.0_f64, heads in 1..=MAX_HEADS,
            trained in 1..=MAX_TOKENS, distance in 0..=MAX_TOKENS, alibi: bool, rule in 0..4_usize, halves: bool,
        ) {
            let (stretch, pair) = (Stretch::ALL[rule], (head_dim / 2 - 1) / 2);
            let pairing = if halves { Pairing::Halves } else { Pairing::Interleaved };
            let scheme = if alibi { Scheme::Alibi } else { Scheme::Rope };
            let p = Params { scheme, head_dim, base, scale, stretch, pairing, pair, heads, trained, distance, step: 7 };
            let (again, problems) = Params::read(&p.query());
            prop_assert_eq!((again, problems), (p, vec![]));
            prop_assert!(p.quantities(&()).iter().all(|q| q.value.is_finite()));
            prop_assert!(p.score(distance as f64).abs() <= 1.0 + 1e-9);
            prop_assert!((1..heads).all(|h| p.slope(h) > 0.0 && p.slope(h) <= 1.0));
            prop_assert!((0..p.pairs()).all(|i| p.angle(i) > 0.0 && p.angle(i) <= 1.0));
            prop_assert!((0..p.pairs()).all(|i| (1.0 - 1e-9..=scale * (1.0 + 1e-9)).contains(&p.slower(i))));
            prop_assert!((0..p.pairs()).all(|i| p.numbers(i).iter().all(|n| *n < head_dim)));
            prop_assert!(!p.finding().is_empty());
        }
    }
}
