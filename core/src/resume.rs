//! `checkpoint-resume`: a run that is resumed from a checkpoint in which something is missing, and shards that other ranks load.
//!
//! The run is that of [`crate::loss_scaling::network`], a transformer small enough to train while somebody looks, with a schedule
//! of the learning rate and in fp16 with a dynamic loss scale. Resumed from everything, it is the same to the last bit. Shards are
//! even pieces of one flat tensor, as FSDP cuts it.

use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, applies, choice, headline, measure, origin, when,
    whole, yes_no,
};
use crate::float::bits::superscript;
use crate::float::exponent;
use crate::loss_scaling::network::{Compute, Part, Scaling, Settings, Step, Trainer};
use crate::loss_scaling::scaler;
use crate::options;
use crate::quantity::{Unit, grouped, number, plural};

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The loss of the run, uninterrupted and resumed.
    #[default]
    Resume,
    /// Which files other ranks read.
    Reshard,
}

options!(View {
    Resume: "resume", "resumed run";
    Reshard: "reshard", "other ranks";
});

/// What the checkpoint lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Nothing.
    Nothing,
    /// Adam's moments.
    #[default]
    Moments,
    /// How many updates Adam has made.
    Count,
    /// The step of the schedule.
    Schedule,
    /// The loss scale.
    Scaler,
    /// The position in the data.
    Data,
    /// The fp32 weights: those of fp16 are loaded.
    Master,
    /// All but the weights.
    AllButWeights,
}

options!(Missing {
    Nothing: "nothing", "nothing";
    Moments: "moments", "Adam’s moments";
    Count: "count", "Adam’s step count";
    Schedule: "schedule", "the schedule’s step";
    Scaler: "scaler", "the loss scale";
    Data: "data", "the position in the data";
    Master: "master", "the fp32 weights";
    AllButWeights: "all", "all but the weights";
});

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// What the checkpoint lacks.
    pub missing: Missing,
    /// Steps of the run before the checkpoint.
    pub at: u32,
    /// Steps of the run.
    pub steps: u32,
    /// Peak learning rate.
    pub rate: f64,
    /// The seed.
    pub seed: u64,
    /// Ranks that saved.
    pub from: u64,
    /// Ranks that load.
    pub to: u64,
    /// The rank on show.
    pub rank: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            view: View::Resume,
            missing: Missing::Moments,
            at: 120,
            steps: 200,
            rate: 0.03,
            seed: 1,
            from: 8,
            to: 6,
            rank: 2,
        }
    }
}

/// Steps over which the learning rate rises, and the part of its peak that it falls to.
const WARMUP: u32 = 20;
const FLOOR: f64 = 0.1;
/// The scale that a dynamic scaler begins with: high enough to overflow.
const FIRST_SCALE: f64 = 4_294_967_296.0;
/// Clean steps after which it would grow: more than any run here has, so that it only comes down.
const GROWS_AFTER: u32 = 1000;

/// A run, uninterrupted and resumed.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumed {
    /// The uninterrupted run.
    pub whole: Vec<Step>,
    /// The resumed one from its checkpoint on.
    pub resumed: Vec<Step>,
    /// Whether all weights are the same at the end, to the last bit.
    pub same: bool,
    /// What is known of the shards.
    pub shards: Shards,
}

/// What each new rank reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Shards {
    /// The first file of each and the last.
    pub reads: Vec<(u64, u64)>,
}

/// One step of its own data at this learning rate.
fn next(trainer: &mut Trainer, rate: f64) -> Step {
    trainer.settings.rate = rate;
    let batch = trainer.batch();
    trainer.step(&batch)
}

impl Params {
    fn settings(&self) -> Settings {
        let scaler = scaler::Settings { initial: FIRST_SCALE, interval: GROWS_AFTER, ..scaler::Settings::PYTORCH };
        Settings {
            compute: Compute::Fp16,
            scaling: Scaling::Dynamic(scaler),
            steps: self.steps,
            rate: self.rate,
            seed: self.seed,
            ..Settings::default()
        }
    }

    /// The learning rate of a step: it rises linearly, then falls linearly to a tenth.
    pub fn rate_at(&self, step: u32) -> f64 {
        let (step, warmup) = (f64::from(step), f64::from(WARMUP));
        if step < warmup {
            return self.rate * (step + 1.0) / warmup;
        }
        let rest = (f64::from(self.steps) - warmup).max(1.0);
        self.rate * (1.0 - (1.0 - FLOOR) * ((step - warmup) / rest).min(1.0))
    }

    fn checkpoint_at(&self) -> u32 {
        self.at.min(self.steps - 1)
    }

    /// Goes on from `saved` without what is missing.
    fn loaded(&self, saved: &Trainer) -> Trainer {
        let mut trainer = saved.clone();
        let parts: &[Part] = match self.missing {
            Missing::Nothing | Missing::Schedule | Missing::Master => &[],
            Missing::Moments => &[Part::Moments],
            Missing::Count => &[Part::Updates],
            Missing::Scaler => &[Part::Scaler],
            Missing::Data => &[Part::Data],
            Missing::AllButWeights => &[Part::Moments, Part::Updates, Part::Scaler, Part::Data],
        };
        parts.iter().for_each(|part| trainer.forget(*part));
        if self.missing == Missing::Master {
            let held = trainer.settings.compute.held();
            for matrix in trainer.weights.all_mut() {
                matrix.data.iter_mut().for_each(|w| *w = held.nearest(f64::from(*w)) as f32);
            }
        }
        trainer
    }

    /// The run to its end, and from the checkpoint.
    pub fn resumed(&self) -> Resumed {
        let mut trainer = Trainer::new(&self.settings());
        let mut saved = trainer.clone();
        let mut whole = Vec::new();
        for step in 0..self.steps {
            if step == self.checkpoint_at() {
                saved = trainer.clone();
            }
            whole.push(next(&mut trainer, self.rate_at(step)));
        }
        let mut again = self.loaded(&saved);
        let forgets = matches!(self.missing, Missing::Schedule | Missing::AllButWeights);
        let rate = |step: u32| self.rate_at(if forgets { step - self.checkpoint_at() } else { step });
        let resumed = (self.checkpoint_at()..self.steps).map(|step| next(&mut again, rate(step))).collect();
        Resumed { whole, resumed, same: again.weights == trainer.weights, shards: self.shards() }
    }

    /// Which files each of the new ranks reads: those whose piece overlaps its own.
    pub fn shards(&self) -> Shards {
        let last = |rank: u64| ((rank + 1) * self.from).div_ceil(self.to) - 1;
        Shards { reads: (0..self.to).map(|rank| (rank * self.from / self.to, last(rank))).collect() }
    }

    /// The rank on show: one that there is.
    pub fn shown_rank(&self) -> u64 {
        self.rank.min(self.to - 1)
    }
}

impl Shards {
    /// Files that a rank reads.
    pub fn files(&self, rank: u64) -> u64 {
        self.reads.get(rank as usize).map_or(0, |(first, last)| last + 1 - first)
    }

    /// Most files that any rank reads.
    pub fn most(&self) -> u64 {
        (0..self.reads.len() as u64).map(|rank| self.files(rank)).max().unwrap_or(0)
    }
}

impl Resumed {
    /// The step, from 0, at which the resumed run begins.
    pub fn begins(&self) -> usize {
        self.whole.len() - self.resumed.len()
    }

    fn pairs(&self) -> impl Iterator<Item = (&Step, &Step)> {
        self.whole.iter().skip(self.begins()).zip(&self.resumed)
    }

    /// Steps that only the resumed run skipped.
    pub fn skipped(&self) -> usize {
        self.pairs().filter(|(whole, resumed)| resumed.skipped && !whole.skipped).count()
    }

    /// The largest loss of the resumed run over that of the other at the same step.
    pub fn worst(&self) -> f64 {
        self.pairs().map(|(whole, resumed)| resumed.loss - whole.loss).filter(|d| d.is_finite()).fold(0.0, f64::max)
    }

    /// Steps after the checkpoint at which the losses first differ, in any bit; none if they never do.
    pub fn differs(&self) -> Option<usize> {
        self.pairs().position(|(whole, resumed)| whole.loss.to_bits() != resumed.loss.to_bits())
    }

    /// The mean loss over the last ten steps of each: uninterrupted, resumed.
    pub fn ends(&self) -> (f64, f64) {
        let mean = |steps: &[Step]| {
            let tail = steps.iter().rev().take(10).map(|step| step.loss).filter(|loss| loss.is_finite());
            let (sum, n) = tail.fold((0.0, 0.0), |(sum, n), loss| (sum + loss, n + 1.0));
            sum / f64::max(n, 1.0)
        };
        (mean(&self.whole), mean(&self.resumed))
    }
}

impl Model for Params {
    type Result = Resumed;
    const ID: &'static str = "checkpoint-resume";
    const TITLE: &'static str = "Resumed from a checkpoint";
    const SUMMARY: &'static str = "A run is resumed from a checkpoint that lacks something, and its loss compared with the run that was never \
                                   interrupted; or other ranks load its shards.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "resume").label("Show").main().at(|p| p.view.slot()),
        choice("missing", "what the checkpoint lacks", Missing::LIST, "moments")
            .label("Missing from the checkpoint")
            .main()
            .at(|p| p.missing.slot()),
        whole("at", "steps before the checkpoint", [1, 300], "120")
            .label("Saved after step")
            .steps(1.0)
            .main()
            .at(|p| p.at.slot()),
        whole("steps", "steps of the run", [20, 320], "200")
            .label("Steps")
            .steps(10.0)
            .more("The run")
            .at(|p| p.steps.slot()),
        crate::declare::real("rate", "peak learning rate of Adam", [0.001, 0.2], "0.03")
            .label("Learning rate")
            .steps(0.001)
            .more("The run")
            .at(|p| p.rate.slot()),
        whole("seed", "seed of weights and data", [1, 99], "1")
            .label("Seed")
            .steps(1.0)
            .more("The run")
            .at(|p| p.seed.slot()),
        whole("from", "ranks that saved", [1, 64], "8")
            .label("Saving ranks")
            .steps(1.0)
            .more("Shards")
            .at(|p| p.from.slot()),
        whole("to", "ranks that load", [1, 64], "6")
            .label("Loading ranks")
            .steps(1.0)
            .more("Shards")
            .at(|p| p.to.slot()),
        whole("rank", "the rank that loads on show, from 0", [0, 63], "2")
            .label("Selected rank")
            .steps(1.0)
            .more("Shards")
            .at(|p| p.rank.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["missing", "at", "steps", "rate", "seed"], |p| p.view == View::Resume),
        applies(&["from", "to", "rank"], |p| p.view == View::Reshard),
    ];
    const ORIGIN: Origin =
        Origin::Own("a transformer small enough to train in your browser, saved, resumed and compared bit by bit");
    const ORIGINS: &'static [Origins] = &[origin(
        Origin::Of("PyTorch FSDP’s flat parameter, cut into even shards; Zhao et al. 2023, arXiv:2304.11277, §3.2"),
        &["files", "most-files"],
    )];
    const QUANTITIES: &'static [Measure<Self, Resumed>] = &[
        when(
            |p, _| p.view == View::Resume,
            yes_no(headline(
                "Whether the resumed run continues as the uninterrupted one does.",
                measure("same", "Identical to the last bit", Unit::Count, |_, r| f64::from(r.same)),
            )),
        ),
        when(
            |p, _| p.view == View::Resume,
            headline(
                "Loss at the last step without the interruption.",
                measure("end", "Final loss, uninterrupted run", Unit::Ratio, |_, r| r.ends().0),
            ),
        ),
        when(
            |p, _| p.view == View::Resume,
            headline(
                "Loss at the last step of the run that was resumed.",
                measure("resumed-end", "Final loss, resumed run", Unit::Ratio, |_, r| r.ends().1),
            ),
        ),
        when(
            |p, _| p.view == View::Resume,
            headline(
                "How high the resumed loss rises above the other.",
                measure("worst", "Largest excess over the uninterrupted run", Unit::Ratio, |_, r| r.worst()),
            ),
        ),
        when(
            |p, _| p.view == View::Resume,
            measure("skipped", "Steps skipped by the resumed run only", Unit::Count, |_, r| r.skipped() as f64),
        ),
        when(
            |p, _| p.view == View::Reshard,
            headline(
                "Files of the checkpoint in which the rank’s shard lies.",
                measure("files", "Files the selected rank reads", Unit::Count, |p, r| {
                    r.shards.files(p.shown_rank()) as f64
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Reshard,
            headline(
                "The rank that reads most files loads last.",
                measure("most-files", "Most files read by one rank", Unit::Count, |_, r| r.shards.most() as f64),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<Resumed, String> {
        self.in_range()?;
        Ok(self.resumed())
    }
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, r: &Resumed) -> String {
        match self.view {
            View::Resume => self.resume_finding(r),
            View::Reshard => self.reshard_finding(&r.shards),
        }
    }

    fn resume_finding(&self, r: &Resumed) -> String {
        if r.same {
            return "Resumed from everything, the run is the same to the last bit. No other resume is.".to_owned();
        }
        let (end, resumed) = r.ends();
        let first = match r.differs() {
            Some(0) => "at once".to_owned(),
            Some(1) => "after one step".to_owned(),
            Some(n) => format!("after {} steps", grouped(n as u64)),
            None => "in its weights alone".to_owned(),
        };
        let skipped = match r.skipped() {
            0 => String::new(),
            n => {
                let scale = r.resumed.first().map_or(1.0, |step| step.scale);
                format!(
                    " It skips {} until its loss scale has come down from 2{}.",
                    plural(&n.to_string(), "step"),
                    superscript(exponent(scale).into())
                )
            }
        };
        format!(
            "Without {} the loss differs {first} and rises at most {} above the run that was not interrupted.{skipped} From there on it is another \
             run: it ends at {}, the other at {}. No error is reported.",
            self.missing.label(),
            number(r.worst()),
            number(resumed),
            number(end)
        )
    }

    fn reshard_finding(&self, shards: &Shards) -> String {
        let rank = self.shown_rank();
        let (first, last) = shards.reads.get(rank as usize).copied().unwrap_or_default();
        let which = if first == last { format!("file {first} alone") } else { format!("files {first} to {last}") };
        let whole = if shards.most() == 1 { " Every rank finds its part in one file." } else { "" };
        format!(
            "Saved by {} ranks and loaded by {}: rank {rank} needs {which}, at most {} files any rank.{whole} Each piece is found by its offset in \
             the whole tensor, which the metadata has.",
            grouped(self.from),
            grouped(self.to),
            grouped(shards.most())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(missing: Missing) -> Resumed {
        Params { missing, ..Params::default() }.resumed()
    }

    #[test]
    fn everything_gives_the_same_run_and_anything_less_does_not() {
        for missing in Missing::ALL {
            let run = of(missing);
            assert_eq!(run.same, missing == Missing::Nothing, "{missing:?}");
            assert_eq!(run.differs().is_none(), missing == Missing::Nothing, "{missing:?}");
        }
    }

    #[test]
    fn each_missing_piece_shows_its_own_sign() {
        assert!(of(Missing::Scaler).skipped() > 3, "the scale has to come down again");
        assert!(of(Missing::Moments).skipped() == 0);
        let whole = of(Missing::Nothing);
        assert!(whole.worst() == 0.0 && whole.ends().0 < 1.0, "it learns");
    }

    #[test]
    fn every_new_rank_reads_the_pieces_that_overlap_its_own() {
        for (from, to) in [(8, 6), (64, 60), (1, 8), (8, 1), (7, 7), (4, 8)] {
            let shards = Params { from, to, ..Params::default() }.shards();
            for (rank, (first, last)) in shards.reads.iter().enumerate() {
                let rank = rank as u64;
                for file in 0..from {
                    let overlaps = file * to < (rank + 1) * from && rank * from < (file + 1) * to;
                    assert_eq!((*first..=*last).contains(&file), overlaps, "{file} of {from} for {rank} of {to}");
                }
            }
        }
    }
}
