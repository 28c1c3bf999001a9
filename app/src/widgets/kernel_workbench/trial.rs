//! A text being tried: compiled, run at sizes on both sides of every edge, compared with the puzzle's twin, and timed.

use leptos::prelude::*;
use ringside_core::kernels::job::{self, Note, Ran, Said, Trouble};
use ringside_shaders::puzzles::guard::LAPS;
use ringside_shaders::puzzles::{Case, Puzzle};

use super::super::kernels::trouble::sentence;
use super::super::kernels::worker::{STALE, Worker};
use crate::ui::later::Later;

/// How long nothing may be heard of the worker, in milliseconds, before it is given up.
const SILENCE: u32 = 15_000;

/// What came of a trial.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// The compiler did not take it.
    Refused(Vec<Note>),
    /// At these sizes, this is wrong.
    Wrong(String, String),
    /// At these sizes a loop did not end.
    Endless(String),
    /// Nothing was heard of it for a long time.
    Silent,
    /// It could not be tried.
    Untried(String),
    /// It is right.
    Right(Right),
}

/// A text that is right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Right {
    /// Sizes that were tried.
    pub cases: usize,
    /// What it ran on.
    pub device: String,
    /// Whether that is a GPU made of software.
    pub software: bool,
    /// Median time of a run in seconds; 0 if it could not be timed.
    pub seconds: f64,
}

/// The bench on which texts are tried. It keeps its worker from one trial to the next, until it has to be ended.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    /// How far it is, while it goes on.
    pub progress: RwSignal<Option<(String, f64)>>,
    /// What came of the last one.
    pub outcome: RwSignal<Option<Outcome>>,
    worker: StoredValue<Option<Worker>, LocalStorage>,
    job: StoredValue<Option<Job>>,
    silence: Later,
    /// Is told whether a text is right, and the text.
    judge: Callback<(Outcome, String)>,
}

/// What is being tried.
#[derive(Clone)]
struct Job {
    puzzle: &'static Puzzle,
    body: String,
    cases: Vec<Case>,
    /// Known to be right, and being timed.
    right: Option<Right>,
}

impl Trial {
    /// An empty bench. `judge` is told what comes of each trial, and its text.
    pub fn new(judge: Callback<(Outcome, String)>) -> Self {
        let trial = Self {
            progress: RwSignal::new(None),
            outcome: RwSignal::new(None),
            worker: StoredValue::new_local(None),
            job: StoredValue::new(None),
            silence: Later::after(SILENCE),
            judge,
        };
        on_cleanup(move || trial.end());
        trial
    }

    /// Tries this text.
    pub fn start(self, puzzle: &'static Puzzle, body: String) {
        let seed = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
        self.job.set_value(Some(Job { puzzle, body, cases: puzzle.cases(seed), right: None }));
        self.outcome.set(None);
        self.progress.set(Some(("starting".to_owned(), 0.0)));
        self.wait();
        if self.worker.with_value(Option::is_some) {
            self.post();
            return;
        }
        match Worker::start(move |said| self.hear(said)) {
            Ok(worker) => self.worker.set_value(Some(worker)),
            Err(why) => self.finish(Outcome::Untried(why)),
        }
    }

    /// Gives up what is being tried, and forgets what came of the last.
    pub fn stop(self) {
        self.end();
        self.silence.cancel();
        self.job.set_value(None);
        self.progress.set(None);
        self.outcome.set(None);
    }

    /// Ends the worker: nothing else ends a kernel.
    fn end(self) {
        // The bench may be gone already.
        let _ = self.worker.try_update_value(Option::take);
    }

    fn wait(self) {
        self.silence.run(move || self.silent());
    }

    fn silent(self) {
        self.end();
        let right = self.job.with_value(|job| job.as_ref().and_then(|job| job.right.clone()));
        self.finish(right.map_or(Outcome::Silent, Outcome::Right));
    }

    fn post(self) {
        let Some(job) = self.job.get_value() else { return };
        let text = match job.right {
            None => job.puzzle.trial(&job.body, &job.cases),
            Some(_) => job.puzzle.race(&job.body),
        };
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.post(&job::Job::Text(text));
            }
        });
    }

    fn hear(self, said: Result<Said, String>) {
        self.wait();
        match said {
            Ok(Said::Ready) => self.post(),
            Ok(Said::Progress { doing, done }) => {
                let timed = self.job.with_value(|job| job.as_ref().is_some_and(|job| job.right.is_some()));
                let done = if timed { done } else { done / 2.0 };
                self.progress.set(Some((doing, done)));
            }
            Ok(Said::Ran(ran)) => self.ran(*ran),
            Ok(Said::Failed(Trouble::Silent(_))) => self.silent(),
            Ok(Said::Failed(trouble)) => self.failed(sentence(&trouble)),
            Ok(Said::Done(..)) => self.failed(STALE.to_owned()),
            Err(why) => {
                self.end();
                self.failed(why);
            }
        }
    }

    /// A text that is right stays so if it cannot be timed.
    fn failed(self, why: String) {
        let right = self.job.with_value(|job| job.as_ref().and_then(|job| job.right.clone()));
        self.finish(right.map_or(Outcome::Untried(why), Outcome::Right));
    }

    fn ran(self, ran: Ran) {
        let Some(mut job) = self.job.get_value() else { return };
        if let Some(right) = job.right {
            return self.finish(Outcome::Right(Right { seconds: ran.times.median, ..right }));
        }
        if ran.notes.iter().any(|note| note.error) {
            return self.finish(Outcome::Refused(ran.notes));
        }
        for (case, output) in job.cases.iter().zip(&ran.outputs) {
            // The flag of the guard comes last.
            let Some((flag, output)) = output.split_last() else { continue };
            if flag.to_bits() != 0 {
                return self.finish(Outcome::Endless(case.name()));
            }
            if let Some(wrong) = job.puzzle.check(case, output) {
                return self.finish(Outcome::Wrong(case.name(), wrong.to_string()));
            }
        }
        if ran.outputs.len() < job.cases.len() {
            return self.finish(Outcome::Untried("The GPU worker did not run all sizes.".to_owned()));
        }
        job.right = Some(Right { cases: job.cases.len(), device: ran.device, software: ran.software, seconds: 0.0 });
        self.job.set_value(Some(job));
        self.post();
    }

    fn finish(self, outcome: Outcome) {
        self.silence.cancel();
        self.progress.set(None);
        let job = self.job.try_update_value(Option::take).flatten();
        self.outcome.set(Some(outcome.clone()));
        if let Some(job) = job {
            self.judge.run((outcome, job.body));
        }
    }
}

impl Outcome {
    /// What it says, in sentences; what a compiler said is shown apart.
    pub fn sentence(&self) -> String {
        match self {
            Self::Refused(notes) if notes.len() == 1 => "The compiler does not take it.".to_owned(),
            Self::Refused(notes) => format!("The compiler does not take it, for {} reasons.", notes.len()),
            Self::Wrong(at, why) => format!("Wrong with {at}. {why}"),
            Self::Endless(at) => format!(
                "With {at} a loop went round more than {LAPS} times and was broken off. Does what it waits for ever change?"
            ),
            Self::Silent => format!(
                "Nothing was heard of it for {} seconds, so it was stopped, and the program that runs kernels with it; your \
                 text is here. The next check starts a new one. A GPU made of software may go on for a while.",
                SILENCE / 1000
            ),
            Self::Untried(why) => format!("It was not checked. {why}"),
            Self::Right(right) => format!("Right, at all {} sizes.", right.cases),
        }
    }
}
