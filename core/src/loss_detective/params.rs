//! The state of the figure.

use super::cases::{Act, Case};
use super::simulate::{Logged, Plan, Story};
use crate::declare::{
    Applies, Field, Measure, Model, Origin, Origins, Param, Takes, applies, choice, headline, measure, origin, real,
    switch, whole,
};
use crate::quantity::{Unit, grouped};

/// Most steps of a run.
pub const MAX_STEPS: u64 = 240;
/// Steps over which a loss is averaged before it is compared.
const SMOOTH: usize = 10;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// What is wrong.
    pub case: Case,
    /// What is done.
    pub act: Act,
    /// The step before which it is done.
    pub found: u32,
    /// Steps that one goes back at least.
    pub back: u32,
    /// Steps between checkpoints.
    pub every: u32,
    /// The seed.
    pub seed: u32,
    /// Whether the cause is told.
    pub told: bool,
    /// Real steps that a step here stands for.
    pub per: f64,
    /// Seconds of a real step.
    pub seconds: f64,
    /// Seconds of a restart.
    pub restart: f64,
    /// GPUs.
    pub gpus: u32,
}

impl Model for Params {
    type Result = Story;
    const ID: &'static str = "loss-detective";
    const TITLE: &'static str = "What is wrong with this run?";
    const SUMMARY: &'static str = "Nine runs of a tiny transformer in which something is wrong: loss, gradient norm, logits, update size and loss scale, what can be done, and what it costs in hours.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("case", "the run, by letter", Case::LIST, "b").label("Run").main().at(|p| p.case.slot()),
        choice("act", "what is done about it", Act::LIST, "wait").label("Response").main().at(|p| p.act.slot()),
        whole("found", "the step before which it is done", [1, MAX_STEPS], "120")
            .label("Response before step")
            .steps(1.0)
            .main()
            .at(|p| p.found.slot()),
        whole("back", "steps to go back at least", [0, MAX_STEPS], "20")
            .label("Minimum rollback")
            .steps(5.0)
            .more("Checkpoints")
            .at(|p| p.back.slot()),
        whole("every", "steps between two checkpoints", [1, MAX_STEPS], "20")
            .label("Steps between checkpoints")
            .more("Checkpoints")
            .at(|p| p.every.slot()),
        real("per", "real steps that a step here stands for", [1.0, 10_000.0], "100")
            .label("Real steps per step here")
            .more("What it costs")
            .at(|p| p.per.slot()),
        real("step-time", "seconds of a real step", [0.01, 1000.0], "14.4")
            .label("Real step time")
            .unit(Unit::Seconds)
            .more("What it costs")
            .at(|p| p.seconds.slot()),
        real("restart", "seconds from the decision to the first step", [0.0, 86_400.0], "1800")
            .label("Restart time")
            .unit(Unit::Seconds)
            .more("What it costs")
            .at(|p| p.restart.slot()),
        whole("gpus", "GPUs of the run", [1, 1_000_000], "992")
            .takes(Takes::Gpus)
            .label("GPUs")
            .more("What it costs")
            .at(|p| p.gpus.slot()),
        whole("seed", "seed of weights and data", [1, 999], "1").label("Seed").more("The run").at(|p| p.seed.slot()),
        switch("told", "whether the cause is told", false).drawn().at(|p| p.told.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["found", "back", "every", "restart"], |p| p.act != Act::Wait)];
    const ORIGIN: Origin = Origin::Own(
        "a transformer small enough to train in your browser, with one thing broken; each of its steps stands for many",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Zhang et al. 2022 (OPT), arXiv:2205.01068, §2.4 and §2.5, for the time of a step; times the steps lost here",
            ),
            &["hours", "gpu-hours"],
        ),
        origin(crate::loss_scaling::SCALER, &["skipped", "lowest-scale"]),
        origin(
            Origin::Of(
                "Dehghani et al. 2023 (ViT-22B), arXiv:2302.05442, §2, for why logits are watched; from this run",
            ),
            &["peak-logit"],
        ),
        origin(
            Origin::Of("Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, §5, for z-loss; from this run"),
            &["peak-log-z"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Story>] = &[
        headline(
            "Loss at the last step of this run.",
            measure("loss", "Final loss", Unit::Ratio, |_, s| or_guessing(s.last[0])),
        ),
        headline(
            "Loss at the last step of the same run with nothing wrong.",
            measure("healthy-loss", "Final loss of the healthy run", Unit::Ratio, |_, s| or_guessing(s.last[1])),
        ),
        measure("dropped", "Steps discarded", Unit::Count, |_, s| s.dropped.len() as f64),
        headline(
            "How many steps earlier the healthy run had this loss.",
            measure("behind", "Steps behind the healthy run", Unit::Count, |_, s| s.behind()),
        ),
        measure("hours", "Time lost", Unit::Seconds, |p, s| p.lost(s)),
        headline(
            "Steps discarded and steps behind, on all GPUs.",
            measure("gpu-hours", "GPU-hours lost", Unit::Count, |p, s| p.lost(s) / 3600.0 * f64::from(p.gpus)),
        ),
        measure("peak-loss", "Highest loss after step 20", Unit::Ratio, |_, s| s.peak(|l| l.loss)),
        measure("peak-gradient", "Largest gradient norm after step 20", Unit::Ratio, |_, s| s.peak(|l| l.gradient)),
        measure("peak-logit", "Largest attention logit after step 20", Unit::Ratio, |_, s| s.peak(|l| l.logit)),
        measure("peak-log-z", "Largest ln Z after step 20", Unit::Ratio, |_, s| s.peak(|l| l.log_z)),
        measure("update", "Update-to-weight ratio, last steps", Unit::Ratio, |_, s| mean(&s.kept, |l| l.update)),
        measure("healthy-update", "Update-to-weight ratio, healthy run", Unit::Ratio, |_, s| {
            mean(&s.healthy, |l| l.update)
        }),
        measure("gradient-ratio", "Gradient norm over the healthy run’s, before step 90", Unit::Ratio, |_, s| {
            let early = |log: &[Logged]| mean(log.get(..90).unwrap_or(log), |l| l.gradient);
            early(&s.kept) / early(&s.healthy).max(f64::MIN_POSITIVE)
        }),
        measure("skipped", "Skipped steps", Unit::Count, |_, s| s.kept.iter().filter(|l| l.skipped).count() as f64),
        measure("lowest-scale", "Lowest loss scale", Unit::Ratio, |_, s| {
            s.kept.iter().map(|l| l.scale).fold(f64::INFINITY, f64::min).min(1e30)
        }),
    ];

    fn evaluate(&self) -> Result<Story, String> {
        Ok(self.plan().run())
    }
}

/// ln 8, the loss of guessing among eight tokens, where there is no loss.
fn or_guessing(loss: f64) -> f64 {
    use crate::loss_scaling::network::VOCABULARY;
    if loss.is_finite() { loss } else { crate::float::elementary::ln(VOCABULARY as f64) }
}

/// The mean over the last [`SMOOTH`] steps that are finite; 0 where none is.
fn mean(log: &[Logged], look: fn(&Logged) -> f64) -> f64 {
    let last: Vec<f64> = log.iter().rev().take(SMOOTH).map(look).filter(|x| x.is_finite()).collect();
    last.iter().sum::<f64>() / last.len().max(1) as f64
}

impl Story {
    /// The largest finite value after step 20.
    pub fn peak(&self, look: fn(&Logged) -> f64) -> f64 {
        self.kept.iter().skip(20).map(look).filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// Steps from where the healthy run was as good as this one is at the end, smoothed, to the end.
    pub fn behind(&self) -> f64 {
        let last = mean(&self.kept, |l| l.loss);
        if !self.kept.last().is_some_and(|l| l.loss.is_finite()) {
            return self.kept.len() as f64;
        }
        let reached = (1..=self.healthy.len()).find(|n| mean(&self.healthy[..*n], |l| l.loss) <= last);
        reached.map_or(0.0, |n| (self.healthy.len() - n) as f64)
    }
}

impl Params {
    /// What is to be run.
    pub fn plan(&self) -> Plan {
        Plan {
            case: self.case,
            act: self.act,
            found: self.found,
            back: self.back,
            every: self.every,
            steps: MAX_STEPS as u32,
            seed: self.seed.into(),
        }
    }

    /// Seconds lost: steps thrown away, steps that the run is behind at the end, and the restart.
    pub fn lost(&self, story: &Story) -> f64 {
        let restart = if self.act == Act::Wait { 0.0 } else { self.restart };
        (story.dropped.len() as f64 + story.behind()) * self.per * self.seconds + restart
    }

    /// What is done, with its step.
    pub fn done(&self) -> String {
        match self.act {
            Act::Wait => "nothing is done".to_owned(),
            act => format!("{} before step {}", act.label(), grouped(self.found.into())),
        }
    }
}
