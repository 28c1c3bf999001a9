//! The state of the figure, and what it shows.

use super::candidates;
use super::judge::{Judged, Tests, Verdict, judge};
use super::language::parse;
use super::problems::{ALL, Problem};
use super::similarity::edit;
use crate::declare::{
    Field, Measure, Model, Origin, Origins, Param, Slot, Text, choice, doc, headline, measure, origin, real, text,
    whole,
};
use crate::mix::{Stream, mix};
use crate::pass_at_k::benchmark::{Score, score};
use crate::pass_at_k::results::Counted;
use crate::quantity::Unit;
use crate::query::Reader;

/// Most samples of a problem.
pub const MOST: u64 = 40;
/// Programs in all, at most.
pub const PROGRAMS: u64 = MOST * ALL.len() as u64;

/// A program of the learner's own; empty for none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Own(pub String);

impl Text for Own {
    fn read(&mut self, text: &str) -> Result<(), String> {
        const MOST: usize = 2000;
        self.0 = text.trim().chars().take(MOST).collect::<String>().trim_end().to_owned();
        if self.0.is_empty() {
            return Ok(());
        }
        parse(&self.0).map(|_| ()).map_err(|refused| format!("own, line {}: {}", refused.line, refused.why))
    }

    fn write(&self) -> String {
        self.0.clone()
    }
}

impl Field for Own {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}

/// The state of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// Samples of each problem.
    pub n: u64,
    /// Tries.
    pub k: u64,
    /// The temperature.
    pub temperature: f64,
    /// Which tests are run.
    pub tests: Tests,
    /// What is drawn at random.
    pub seed: u64,
    /// Programs that have been run.
    pub run: u64,
    /// The problem that is looked at, from 0.
    pub problem: u64,
    /// The sample of it that is looked at, from 0.
    pub sample: u64,
    /// A program of the learner's own, for that problem.
    pub own: Own,
}

/// A program and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The program.
    pub text: String,
    /// What became of it.
    pub judged: Judged,
}

/// What comes of it: for each problem its samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Every sample, run or not yet.
    pub rows: Vec<Vec<Ran>>,
    /// Programs that have been run.
    pub run: u64,
    /// Samples of each problem that have been run of all problems.
    pub rounds: u64,
    /// Their score; none before each problem has k of them.
    pub score: Option<Score>,
}

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "live-evaluation";
    const TITLE: &'static str = "An evaluation, live";
    const SUMMARY: &'static str = "Eight tiny problems, programs sampled for them at a temperature, run on fuel against their tests: which pass, and \
                                   pass@k with its interval as it grows.";
    const PARAMS: &'static [Param<Self>] = &[
        real("temperature", "the temperature at which programs are sampled", [0.1, 2.0], "0.8")
            .label("Temperature")
            .steps(0.1)
            .main()
            .at(|p| p.temperature.slot()),
        choice("tests", "which tests are run", Tests::LIST, "base").label("Tests").main().at(|p| p.tests.slot()),
        whole("n", "samples of each problem", [1, MOST], "20").label("Samples n").steps(1.0).main().at(|p| p.n.slot()),
        whole("k", "tries", [1, MOST], "5").label("Tries k").steps(1.0).main().at(|p| p.k.slot()),
        whole("seed", "what is drawn at random", [1, 999], "1").label("Seed").at(|p| p.seed.slot()),
        whole("run", "programs that have been run", [0, PROGRAMS], "320").drawn().quiet().at(|p| p.run.slot()),
        whole("problem", "the problem that is looked at, from 0", [0, ALL.len() as u64 - 1], "3")
            .drawn()
            .quiet()
            .at(|p| p.problem.slot()),
        whole("sample", "the sample that is looked at, from 0", [0, MOST - 1], "0")
            .drawn()
            .quiet()
            .at(|p| p.sample.slot()),
        text("own", "a program of one’s own for the problem that is looked at", "").quiet().at(|p| p.own.slot()),
    ];
    const ORIGIN: Origin = Origin::Own(
        "programs in a small language of Ringside’s, run against tests; an execution counts as in openai/human-eval, human_eval/execution.py",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of("Chen et al. 2021, arXiv:2107.03374, §2.1; openai/human-eval, human_eval/evaluation.py"),
            &["pass-at-1", "pass-at-k"],
        ),
        origin(crate::pass_at_k::interval::PROBLEMS, &["low", "high"]),
        origin(
            Origin::Of("Levenshtein 1966: 1 − edit distance over the longer length, in characters"),
            &["similar-passing", "similar-failing"],
        ),
        origin(Origin::Of("EvalPlus, Liu et al. 2023, arXiv:2305.01210, for the idea of more tests"), &["overturned"]),
        origin(Origin::Definition, &["programs", "passed", "solved", "exact-match"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        measure("programs", "Programs run", Unit::Count, |_, s| s.run as f64),
        measure("passed", "Programs that pass", Unit::Count, |_, s| s.count(|v| *v == Verdict::Passes)),
        headline(
            "The share of all programs that pass every test.",
            measure("pass-at-1", "pass@1", Unit::Fraction, |_, s| {
                s.count(|v| *v == Verdict::Passes) / (s.run.max(1) as f64)
            }),
        ),
        headline(
            "The probability that at least one of k programs passes, estimated without bias.",
            measure("pass-at-k", "pass@k", Unit::Fraction, |_, s| s.score.map_or(0.0, |score| score.unbiased)),
        ),
        headline(
            "Another draw of problems would probably score at least this.",
            measure("low", "Low end of the 95% interval for pass@k", Unit::Fraction, |_, s| {
                s.score.map_or(0.0, |score| score.interval[0])
            }),
        ),
        headline(
            "Another draw of problems would probably score at most this.",
            measure("high", "High end of the 95% interval for pass@k", Unit::Fraction, |_, s| {
                s.score.map_or(1.0, |score| score.interval[1])
            }),
        ),
        measure("solved", "Problems with a program that passes", Unit::Count, |_, s| {
            s.counted(s.rounds).iter().filter(|p| p.c > 0).count() as f64
        }),
        measure("wrong", "Wrong answers", Unit::Count, |_, s| s.count(|v| *v == Verdict::Wrong)),
        measure("errors", "Runtime errors", Unit::Count, |_, s| s.count(|v| *v == Verdict::Fails)),
        measure("refused", "Syntax errors", Unit::Count, |_, s| s.count(|v| *v == Verdict::Refused)),
        doc(
            "Programs that ran longer than they may.",
            measure("stopped", "Programs stopped", Unit::Count, |_, s| s.count(|v| *v == Verdict::Stopped)),
        ),
        measure("steps", "Interpreter steps", Unit::Count, |_, s| s.ran().map(|ran| f64::from(ran.judged.steps)).sum()),
        measure("exact-match", "Exact matches with the reference solution", Unit::Fraction, |_, s| {
            s.ran_of().filter(|(problem, ran)| ran.text == problem.solution).count() as f64 / s.run.max(1) as f64
        }),
        measure("similar-passing", "Edit similarity to the reference, passing programs", Unit::Fraction, |_, s| {
            s.similar(true)
        }),
        measure("similar-failing", "Edit similarity to the reference, failing programs", Unit::Fraction, |_, s| {
            s.similar(false)
        }),
        headline(
            "Programs that a smaller test suite would have called right.",
            measure("overturned", "Programs that pass 3 tests but not all 6", Unit::Count, |p, s| p.overturned(s)),
        ),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        self.in_range()?;
        Ok(self.shown())
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        if self.k > self.n {
            if reader.query().get("k").is_some() {
                reader.problem(
                    "k",
                    format!("k is at most n, the samples of a problem: {}, not {}; that is used.", self.n, self.k),
                );
            }
            self.k = self.n;
        }
        self.sample = self.sample.min(self.n.saturating_sub(1));
        if self.run >= self.all() {
            self.run = PROGRAMS;
        }
    }

    fn follow(&mut self, before: &Self) {
        self.k = self.k.min(self.n);
        self.sample = self.sample.min(self.n.saturating_sub(1));
        if self.n != before.n {
            self.run = PROGRAMS;
        }
    }
}

impl Shown {
    /// The programs that have been run, each with its problem: the first sample of every problem, then the second.
    pub fn ran_of(&self) -> impl Iterator<Item = (&'static Problem, &Ran)> {
        let rows = self.rows.len().max(1) as u64;
        self.rows.iter().zip(&ALL).zip(0..).flat_map(move |((row, problem), i)| {
            let here = self.run.saturating_sub(i).div_ceil(rows);
            row.iter().take(here as usize).map(move |ran| (problem, ran))
        })
    }

    /// The programs that have been run.
    pub fn ran(&self) -> impl Iterator<Item = &Ran> {
        self.ran_of().map(|(_, ran)| ran)
    }

    /// The mean edit similarity to the reference of programs that pass, or of those that do not; 0 where there are none.
    fn similar(&self, passing: bool) -> f64 {
        let which = |ran: &Ran| (ran.judged.verdict == Verdict::Passes) == passing;
        let all = self.ran_of().filter(|(_, ran)| which(ran)).map(|(problem, ran)| edit(&ran.text, problem.solution));
        let (sum, count) = all.fold((0.0, 0_u32), |(sum, count), one| (sum + one, count + 1));
        sum / f64::from(count.max(1))
    }

    fn count(&self, which: impl Fn(&Verdict) -> bool) -> f64 {
        self.ran().filter(|ran| which(&ran.judged.verdict)).count() as f64
    }

    /// Each problem's first samples, counted.
    pub fn counted(&self, samples: u64) -> Vec<Counted> {
        let one = |(row, problem): (&Vec<Ran>, &Problem)| {
            let c = row.iter().take(samples as usize).filter(|ran| ran.judged.verdict == Verdict::Passes).count();
            Counted { name: problem.name.to_owned(), n: samples, c: c as u64 }
        };
        self.rows.iter().zip(&ALL).map(one).collect()
    }
}

impl Params {
    /// All programs.
    pub fn all(&self) -> u64 {
        self.n * ALL.len() as u64
    }

    /// The problem that is looked at.
    pub fn looked_at(&self) -> &'static Problem {
        ALL.get(self.problem as usize).unwrap_or(&ALL[0])
    }

    fn rows(&self) -> Vec<Vec<Ran>> {
        let one = |number: u64, problem: &Problem, sample: u64| {
            let text = candidates::write(problem, number, sample, self.temperature, self.seed);
            Ran { judged: judge(&text, problem, self.tests), text }
        };
        ALL.iter()
            .zip(0..)
            .map(|(problem, number)| (0..self.n).map(|sample| one(number, problem, sample)).collect())
            .collect()
    }

    fn shown(&self) -> Shown {
        let run = self.run.min(self.all());
        let mut shown = Shown { rows: self.rows(), run, rounds: run / ALL.len() as u64, score: None };
        shown.score = self.score(&shown, shown.rounds);
        shown
    }

    /// The same with another number of programs run.
    pub fn after(&self, shown: &Shown) -> Shown {
        let run = self.run.min(self.all());
        let rounds = run / ALL.len() as u64;
        let mut shown = Shown { run, rounds, ..shown.clone() };
        shown.score = self.score(&shown, rounds);
        shown
    }

    /// The score of the first samples of each problem; none if they are fewer than k.
    pub fn score(&self, shown: &Shown, samples: u64) -> Option<Score> {
        (samples >= self.k).then(|| score(&shown.counted(samples), self.k, &mut Stream::new(mix(self.seed))))
    }

    /// Programs that pass the problem's own tests and not those that are added.
    fn overturned(&self, shown: &Shown) -> f64 {
        let passes = |text: &str, problem: &Problem, which| judge(text, problem, which).verdict == Verdict::Passes;
        let turned = |(problem, ran): &(&'static Problem, &Ran)| {
            passes(&ran.text, problem, Tests::Base) && !passes(&ran.text, problem, Tests::Extra)
        };
        shown.ran_of().filter(turned).count() as f64
    }
}
