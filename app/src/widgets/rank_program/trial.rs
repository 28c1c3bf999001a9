//! A program being run by the worker.

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::prelude::*;
use ringside_core::program::{Asked, Job, Limits, Outcome, Said};

use super::super::kernels::worker::Worker;
use crate::ui::later::Later;
use crate::worker::Program;

pub(super) const RUNNER: Program = Program {
    meta: "ringside-ranks",
    does: "runs ranks",
    remedy: "Your program took all the memory it had, or nested too deeply. Make its lists smaller, then run it again.",
};

/// What came of a trial.
#[derive(Debug, Clone)]
pub(super) enum Came {
    /// It ran.
    Ran {
        /// What is on show: the first run that did not pass, or else the run that was asked for.
        outcome: Arc<Outcome>,
        /// Ranks of that run.
        ranks: usize,
        /// Numbers of ranks on which the program passed.
        passed: Vec<usize>,
    },
    /// It was ended, or could not begin: a sentence.
    Ended(String),
}

impl Came {
    /// Whether the program passed on every number of ranks that was asked for.
    pub fn passed(&self) -> bool {
        matches!(self, Self::Ran { outcome, .. } if outcome.diagnosis.passed())
    }
}

/// What is being run: the jobs that are left, the first in front, and what came of those before.
struct Going {
    jobs: VecDeque<Job>,
    first: Option<(Arc<Outcome>, usize)>,
    passed: Vec<usize>,
}

/// The bench on which programs are run. It keeps its worker from one run to the next, until it has to be ended.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    /// What it does, while something runs.
    pub doing: RwSignal<Option<String>>,
    /// What came of the last trial.
    pub came: RwSignal<Option<Came>>,
    worker: StoredValue<Option<Worker>, LocalStorage>,
    going: StoredValue<Option<Going>, LocalStorage>,
    wall: Later,
    /// Is told whether a text is right, and the text.
    judge: Callback<(bool, String)>,
}

impl Trial {
    /// An empty bench. `judge` is told what comes of each trial that ran, and its text.
    pub fn new(judge: Callback<(bool, String)>) -> Self {
        let trial = Self {
            doing: RwSignal::new(None),
            came: RwSignal::new(None),
            worker: StoredValue::new_local(None),
            going: StoredValue::new_local(None),
            wall: Later::after((Limits::default().wall * 1e3) as u32),
            judge,
        };
        // The bench may be gone already.
        on_cleanup(move || drop(trial.worker.try_update_value(Option::take)));
        trial
    }

    /// Runs these jobs, one after another, until one does not pass. All have the same program.
    pub fn start(self, jobs: VecDeque<Job>) {
        self.going.set_value(Some(Going { jobs, first: None, passed: Vec::new() }));
        self.came.set(None);
        if self.worker.with_value(Option::is_some) {
            self.post();
            return;
        }
        self.doing.set(Some("Downloading the Python interpreter".to_owned()));
        match Worker::start_as(RUNNER, move |said| self.hear(said)) {
            Ok(worker) => self.worker.set_value(Some(worker)),
            Err(why) => self.end(why),
        }
    }

    /// Gives up what runs, and forgets what came of the last trial.
    pub fn stop(self) {
        if self.going.with_value(Option::is_some) {
            self.worker.set_value(None);
        }
        self.wall.cancel();
        self.going.set_value(None);
        self.doing.set(None);
        self.came.set(None);
    }

    /// Gives the worker the next job.
    fn post(self) {
        self.going.with_value(|going| {
            let Some(job) = going.as_ref().and_then(|going| going.jobs.front()) else { return };
            self.doing.set(Some(format!("Running on {} ranks", job.world_size)));
            self.wall.run(move || {
                self.end(format!(
                    "Your program was stopped after {} seconds. A single call over a very long range can take that long, and so can \
                     many ranks on a slow device. Make the program smaller or choose fewer ranks, then run it again.",
                    Limits::default().wall
                ));
            });
            self.worker.with_value(|worker| {
                if let Some(worker) = worker {
                    worker.post(&Asked::Run(Box::new(job.clone())));
                }
            });
        });
    }

    fn hear(self, said: Result<Said, String>) {
        match said {
            Ok(Said::Ready) => self.post(),
            Ok(Said::Done(outcome)) => self.done(Arc::new(*outcome)),
            // The rest is said to a worker's fellows.
            Ok(_) => self.end(RUNNER.stale()),
            Err(why) => self.end(why),
        }
    }

    fn done(self, outcome: Arc<Outcome>) {
        self.wall.cancel();
        let Some(Some(mut going)) = self.going.try_update_value(Option::take) else { return };
        let Some(Job { program, world_size: ranks, .. }) = going.jobs.pop_front() else { return };
        let passed = outcome.diagnosis.passed();
        if passed {
            going.passed.push(ranks);
        }
        let (shown, of) = match (passed, going.first.take()) {
            (true, Some(first)) => first,
            _ => (outcome, ranks),
        };
        if passed && !going.jobs.is_empty() {
            going.first = Some((shown, of));
            self.going.set_value(Some(going));
            self.post();
            return;
        }
        self.doing.set(None);
        self.came.set(Some(Came::Ran { outcome: shown, ranks: of, passed: going.passed }));
        self.judge.run((passed, program));
    }

    /// Ends the worker and what it runs. The next run starts another.
    fn end(self, why: String) {
        self.wall.cancel();
        self.worker.set_value(None);
        self.going.set_value(None);
        self.doing.set(None);
        self.came.set(Some(Came::Ended(why)));
    }
}
