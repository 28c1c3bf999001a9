//! The state of the figure, and what it shows.

use super::benchmark::{self, Score};
use super::estimate::{self, Scatter, plug_in};
use super::results::{Counted, Listed, Results};
use super::{exact, interval};
use crate::declare::{
    Applies, Field, Measure, Model, Origin, Origins, Param, Scale, applies, choice, headline, measure, origin, real,
    text, when, whole,
};
use crate::mix::{Stream, mix};
use crate::options;
use crate::quantity::Unit;
use crate::query::Reader;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Both estimates of one problem over k.
    #[default]
    Estimate,
    /// Both over many experiments.
    Draws,
    /// The mean over the problems of a benchmark.
    Benchmark,
}

options!(View {
    Estimate: "estimate", "problem";
    Draws: "draws", "draws";
    Benchmark: "benchmark", "benchmark";
});

/// Most samples.
pub const MOST: u64 = 1000;
/// Positions of the sliders; what is typed may be larger.
const SLIDER: Scale = Scale::Linear { min: 1.0, max: 200.0, step: 1.0 };
const FROM_NONE: Scale = Scale::Linear { min: 0.0, max: 200.0, step: 1.0 };
/// Experiments that are drawn.
pub const EXPERIMENTS: u64 = 400;

/// The state of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// What is drawn.
    pub view: View,
    /// Samples of a problem.
    pub n: u64,
    /// Of these, those that passed.
    pub c: u64,
    /// Tries.
    pub k: u64,
    /// Experiments that have been made.
    pub draws: u64,
    /// Problems of the benchmark.
    pub problems: u64,
    /// The temperature at which it is sampled.
    pub temperature: f64,
    /// What is drawn at random.
    pub seed: u64,
    /// Pasted results, in place of a drawn benchmark.
    pub results: Results,
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The unbiased estimate of the one problem.
    pub unbiased: f64,
    /// 1 − (1 − c/n)^k.
    pub plug_in: f64,
    /// Its interval.
    pub interval: [f64; 2],
    /// How both estimates scatter if c/n is the rate.
    pub scatter: [Scatter; 2],
    /// The benchmark.
    pub bench: Bench,
}

/// A benchmark's samples and what they say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bench {
    /// Each problem's samples.
    pub counted: Vec<Counted>,
    /// The pass rates that they were drawn with; none of what was pasted.
    pub rates: Vec<f64>,
    /// The k that is scored: at most the samples of every problem.
    pub k: u64,
    /// The score at it.
    pub score: Score,
    /// Pieces of what was pasted that could not be read.
    pub unread: usize,
}

impl Bench {
    /// What the score would be with endless samples; the unbiased one for what was pasted.
    pub fn truth(&self) -> f64 {
        if self.rates.is_empty() { self.score.unbiased } else { benchmark::truth(&self.rates, self.k) }
    }

    /// Samples of the problem that has fewest: the largest k.
    pub fn least(&self) -> u64 {
        self.counted.iter().map(|p| p.n).min().unwrap_or(1)
    }

    /// The score at another k, of the same samples.
    pub fn at(&self, k: u64, seed: u64) -> Score {
        benchmark::score(&self.counted, k, &mut Stream::new(mix(seed)))
    }
}

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "pass-at-k";
    const TITLE: &'static str = "pass@k";
    const SUMMARY: &'static str = "The probability that one of k programs passes, estimated from n samples: without bias, with it, and with intervals; \
                                   for one problem, for many draws, and for a benchmark at a temperature or of your own results.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is drawn", View::LIST, "estimate").label("Show").main().at(|p| p.view.slot()),
        whole("n", "samples of a problem", [1, MOST], "10").label("Samples n").slider(SLIDER).main().at(|p| p.n.slot()),
        whole("c", "samples that passed", [0, MOST], "4").label("Passed c").slider(FROM_NONE).main().at(|p| p.c.slot()),
        whole("k", "tries", [1, MOST], "5").label("Tries k").slider(SLIDER).main().at(|p| p.k.slot()),
        whole("draws", "experiments that have been made", [0, EXPERIMENTS], "400")
            .drawn()
            .quiet()
            .at(|p| p.draws.slot()),
        real("temperature", "the temperature at which the benchmark is sampled", [0.1, 2.0], "0.8")
            .label("Temperature")
            .steps(0.1)
            .more("Benchmark")
            .quiet()
            .at(|p| p.temperature.slot()),
        whole("problems", "problems of the benchmark", [2, 400], "164")
            .label("Problems")
            .more("Benchmark")
            .quiet()
            .at(|p| p.problems.slot()),
        whole("seed", "what is drawn at random", [1, 999], "1").label("Seed").more("").quiet().at(|p| p.seed.slot()),
        text("results", "pasted results: a line for each problem, name passed/samples, or human-eval’s lines", "")
            .quiet()
            .at(|p| p.results.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["c"], |p| p.view != View::Benchmark),
        applies(&["n"], |p| p.view != View::Benchmark || p.results.0.is_empty()),
        applies(&["temperature", "problems"], |p| p.view == View::Benchmark && p.results.0.is_empty()),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Chen et al. 2021, arXiv:2107.03374, §2.1 and Figure 3; openai/human-eval, human_eval/evaluation.py",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of("Chen et al. 2021, arXiv:2107.03374, Appendix A: the biased estimate"),
            &["plug-in", "plug-in-mean", "bias", "score-plug-in"],
        ),
        origin(super::interval::SAMPLES, &["low", "high"]),
        origin(super::interval::PROBLEMS, &["score-low", "score-high"]),
        origin(Origin::Definition, &["pass-at-1", "benchmark-problems", "solved", "digits", "score-pooled"]),
        origin(
            Origin::Of("Chen et al. 2021, arXiv:2107.03374, §2.1, over the binomial distribution of c"),
            &["deviation"],
        ),
        origin(Origin::Own("the pass rates from which the benchmark’s samples are drawn"), &["score-truth"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        when(
            |p, _| p.view != View::Benchmark,
            headline(
                "The probability that at least one of k samples passes, estimated without bias.",
                measure("pass-at-k", "pass@k, unbiased", Unit::Fraction, |_, s| s.unbiased),
            ),
        ),
        when(
            |p, _| p.view != View::Benchmark,
            headline(
                "The estimate that puts the measured rate into the formula. It is too low on average.",
                measure("plug-in", "1 − (1 − c/n)^k", Unit::Fraction, |_, s| s.plug_in),
            ),
        ),
        when(
            |p, _| p.view != View::Benchmark,
            headline(
                "The share of samples that pass.",
                measure("pass-at-1", "pass@1: c/n", Unit::Fraction, |p, _| p.rate()),
            ),
        ),
        measure("low", "Low end of the 95% interval for pass@k", Unit::Fraction, |_, s| s.interval[0]),
        measure("high", "High end of the 95% interval for pass@k", Unit::Fraction, |_, s| s.interval[1]),
        measure("plug-in-mean", "Mean of 1 − (1 − p̂)^k over draws, if p = c/n", Unit::Fraction, |_, s| {
            s.scatter[1].mean
        }),
        when(
            |p, _| p.view != View::Benchmark,
            headline(
                "How much too low that estimate is on average.",
                measure("bias", "Bias of 1 − (1 − c/n)^k", Unit::Fraction, |_, s| {
                    (s.plug_in - s.scatter[1].mean).max(0.0)
                }),
            ),
        ),
        when(
            |p, _| p.view != View::Benchmark,
            headline(
                "How much the unbiased estimate varies from draw to draw.",
                measure("deviation", "Standard deviation of the unbiased estimate", Unit::Fraction, |_, s| {
                    s.scatter[0].deviation
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Benchmark,
            headline(
                "The mean of the unbiased estimates over all problems.",
                measure("score", "Benchmark pass@k, unbiased", Unit::Fraction, |_, s| s.bench.score.unbiased),
            ),
        ),
        when(
            |p, _| p.view == View::Benchmark,
            headline(
                "Another set of such problems would probably score at least this.",
                measure("score-low", "Low end of the 95% interval, benchmark", Unit::Fraction, |_, s| {
                    s.bench.score.interval[0]
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Benchmark,
            headline(
                "Another set of such problems would probably score at most this.",
                measure("score-high", "High end of the 95% interval, benchmark", Unit::Fraction, |_, s| {
                    s.bench.score.interval[1]
                }),
            ),
        ),
        measure("score-plug-in", "Benchmark with 1 − (1 − p̂)^k", Unit::Fraction, |_, s| s.bench.score.plug_in),
        measure("score-pooled", "Benchmark from the mean rate (not an estimate)", Unit::Fraction, |_, s| {
            s.bench.score.pooled
        }),
        when(
            |p, _| p.view == View::Benchmark,
            headline(
                "What the estimates converge to.",
                measure("score-truth", "Benchmark with unlimited samples", Unit::Fraction, |_, s| s.bench.truth()),
            ),
        ),
        measure("benchmark-problems", "Problems", Unit::Count, |_, s| s.bench.counted.len() as f64),
        measure("solved", "Problems with a passing sample", Unit::Count, |_, s| {
            s.bench.counted.iter().filter(|p| p.c > 0).count() as f64
        }),
        measure("digits", "Digits of C(n, k)", Unit::Count, |p, _| f64::from(exact::digits(p.n, p.k))),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        self.in_range()?;
        let unbiased = estimate::unbiased(self.n, self.c, self.k)?;
        Ok(Shown {
            unbiased,
            plug_in: plug_in(self.rate(), self.k),
            interval: interval::of_problem(self.n, self.c, self.k),
            scatter: estimate::scatter(self.n, self.rate(), self.k),
            bench: self.bench(),
        })
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        for (name, value) in [("c", &mut self.c), ("k", &mut self.k)] {
            if *value > self.n {
                let given = reader.query().get(name).is_some();
                if given {
                    reader.problem(
                        name,
                        format!("{name} is at most n, the number of samples: {}, not {value}; that is used.", self.n),
                    );
                }
                *value = self.n;
            }
        }
    }

    fn follow(&mut self, before: &Self) {
        if self.n != before.n {
            self.c = (before.c * self.n / before.n.max(1)).min(self.n);
        }
        (self.c, self.k) = (self.c.min(self.n), self.k.min(self.n));
    }
}

impl Params {
    /// c/n.
    pub fn rate(&self) -> f64 {
        self.c as f64 / self.n.max(1) as f64
    }

    /// The experiments, as far as they have been made: both estimates of each.
    pub fn experiments(&self) -> Vec<[f64; 2]> {
        let mut stream = Stream::new(mix(self.seed) ^ 1);
        estimate::experiments(self.n, self.rate(), self.k, self.draws as usize, &mut stream)
    }

    /// The benchmark: drawn, or as pasted.
    pub fn bench(&self) -> Bench {
        let Listed { problems: pasted, wrong } = self.results.listed();
        let (counted, rates) = if pasted.is_empty() {
            let rates = benchmark::rates(&benchmark::problems(self.problems), self.temperature);
            (benchmark::sample(&rates, self.n, &mut Stream::new(mix(self.seed) ^ 2)), rates)
        } else {
            (pasted, Vec::new())
        };
        let mut bench = Bench { counted, rates, unread: wrong.len(), ..Bench::default() };
        bench.k = self.k.min(bench.least());
        bench.score = bench.at(bench.k, self.seed);
        bench
    }
}
