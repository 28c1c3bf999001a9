//! A text being tried by the worker.

use leptos::prelude::*;
use ringside_core::kernels::glass::{self, Ask};
use ringside_core::kernels::job::{Job, Note, Said, Timing, Tried, Trouble, Verdict};
use ringside_core::quantity::Unit;
use ringside_shaders::puzzles::Puzzle;

use super::super::glass::INTERPRETER;
use super::super::kernels::trouble::sentence;
use super::super::kernels::worker::{Worker, gpu};
use crate::ui::later::Later;

/// What to do when the program has stopped over a learner's text, which it reads by recursion.
const SIMPLER: &str = "The text is nested too deeply, or its constants are too large: make it simpler, and try again.";

/// How long nothing may be heard of the worker, in milliseconds, before it is given up.
const SILENCE: u32 = 15_000;

/// What came of a trial.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// The compiler did not take it.
    Refused(Vec<Note>),
    /// At these sizes, this is wrong.
    Wrong(String, String),
    /// At these sizes a loop did not end, and was broken off after so many laps.
    Endless(String, u32),
    /// At these sizes it was given up after so many seconds, with this share done.
    Slow(String, f64, f64),
    /// Nothing was heard of it for a long time.
    Silent,
    /// At these sizes the interpreter stopped it, for this reason.
    Stopped(String, String),
    /// At these sizes the values are right, but these mistakes make others possible.
    Unsound(String, Vec<Note>),
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
    /// How much of that the guard takes, which counts the laps of loops.
    pub guard: f64,
}

/// The bench on which texts are tried. It keeps its worker from one trial to the next, until it has to be ended.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    /// How far it is, while it goes on.
    pub progress: RwSignal<Option<(String, f64)>>,
    /// What came of the last one.
    pub outcome: RwSignal<Option<Outcome>>,
    /// Why the interpreter takes the GPU's place, once it does.
    pub interpreted: RwSignal<Option<Trouble>>,
    worker: StoredValue<Option<Worker>, LocalStorage>,
    /// What is being tried: the puzzle, and the text.
    job: StoredValue<Option<(&'static Puzzle, String)>>,
    silence: Later,
    /// Is told whether a text is right, and the text.
    judge: Callback<(Outcome, String)>,
}

impl Trial {
    /// An empty bench. `judge` is told what comes of each trial, and its text.
    pub fn new(judge: Callback<(Outcome, String)>) -> Self {
        let trial = Self {
            progress: RwSignal::new(None),
            outcome: RwSignal::new(None),
            interpreted: RwSignal::new(None),
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
        self.job.set_value(Some((puzzle, body)));
        self.outcome.set(None);
        self.progress.set(Some(("starting".to_owned(), 0.0)));
        self.wait();
        // A GPU without subgroups runs all the other puzzles.
        if !puzzle.subgroups() && self.interpreted.with_untracked(|why| *why == Some(Trouble::NoSubgroups)) {
            self.end();
            self.interpreted.set(None);
        }
        if self.worker.with_value(Option::is_some) {
            self.post();
            return;
        }
        self.begin();
    }

    /// Starts the worker: the GPU's, or the interpreter once it is known that there is no GPU.
    fn begin(self) {
        let started = if self.interpreted.with_untracked(Option::is_none) {
            Worker::start(SIMPLER, move |said| self.hear(said))
        } else {
            Worker::start_as(INTERPRETER, move |said| self.hear_interpreter(said))
        };
        match started {
            Ok(worker) => self.worker.set_value(Some(worker)),
            Err(why) => self.finish(Outcome::Untried(why)),
        }
    }

    /// There is no GPU that runs it, for this reason: the interpreter takes its place.
    fn interpret(self, why: Trouble) {
        self.end();
        self.interpreted.set(Some(why));
        self.begin();
    }

    fn hear_interpreter(self, said: Result<glass::Said, String>) {
        match said {
            Ok(glass::Said::Ready) => self.hear(Ok(Said::Ready)),
            Ok(glass::Said::Job(said)) => self.hear(Ok(said)),
            Ok(_) => self.finish(Outcome::Untried(INTERPRETER.stale())),
            Err(why) => self.hear(Err(why)),
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
        self.finish(Outcome::Silent);
    }

    fn post(self) {
        let Some((puzzle, body)) = self.job.get_value() else { return };
        let seed = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
        let puzzle = puzzle.id.to_owned();
        self.worker.with_value(|worker| match worker {
            Some(worker) if self.interpreted.with_untracked(Option::is_some) => {
                worker.post(&Ask::Try { puzzle, body, seed });
            }
            Some(worker) => worker.post(&Job::Puzzle { puzzle, body, seed }),
            None => {}
        });
    }

    fn hear(self, said: Result<Said, String>) {
        self.wait();
        match said {
            Ok(Said::Ready) => self.post(),
            Ok(Said::Progress { doing, done }) => self.progress.set(Some((doing, done))),
            Ok(Said::Tried(tried)) => self.finish(Outcome::of(*tried)),
            Ok(Said::Failed(Trouble::Silent(_))) => self.silent(),
            Ok(Said::Failed(
                why @ (Trouble::NoWebGpu | Trouble::Refused(_) | Trouble::NoDevice(_) | Trouble::NoSubgroups),
            )) => self.interpret(why),
            Ok(Said::Failed(trouble)) => self.finish(Outcome::Untried(sentence(&trouble))),
            Ok(Said::Done(..)) => self.finish(Outcome::Untried(gpu(SIMPLER).stale())),
            Err(why) => {
                self.end();
                self.finish(Outcome::Untried(why));
            }
        }
    }

    fn finish(self, outcome: Outcome) {
        self.silence.cancel();
        self.progress.set(None);
        let job = self.job.try_update_value(Option::take).flatten();
        self.outcome.set(Some(outcome.clone()));
        if let Some((_, body)) = job {
            self.judge.run((outcome, body));
        }
    }
}

impl Outcome {
    fn of(Tried { device, software, verdict }: Tried) -> Self {
        match verdict {
            Verdict::Refused(notes) => Self::Refused(notes),
            Verdict::Wrong(at, why) => Self::Wrong(at, why),
            Verdict::Endless(at, laps) => Self::Endless(at, laps),
            Verdict::Stopped(at, why) => Self::Stopped(at, why),
            Verdict::Unsound(at, notes) => Self::Unsound(at, notes),
            Verdict::Slow(at, seconds, share) => Self::Slow(at, seconds, share),
            Verdict::Right(Timing { cases, seconds, guard }) => {
                Self::Right(Right { cases, device, software, seconds, guard })
            }
        }
    }

    /// What it says, in sentences; what a compiler said is shown apart.
    pub fn sentence(&self) -> String {
        match self {
            Self::Refused(notes) if notes.len() == 1 => "It doesn’t compile.".to_owned(),
            Self::Refused(notes) => format!("It doesn’t compile: {} errors.", notes.len()),
            Self::Stopped(at, why) => format!("Stopped with {at}. {why}"),
            Self::Wrong(at, why) => format!("Wrong with {at}. {why}"),
            Self::Endless(at, laps) => format!(
                "With {at} a loop went round more than {laps} times and was broken off. Does what it waits for ever change?"
            ),
            Self::Slow(at, seconds, share) => format!(
                "With {at} it was stopped after {}, with {} of its workgroups done. How often does each invocation read the same?",
                Unit::Seconds.format(*seconds),
                Unit::Fraction.format(*share)
            ),
            Self::Silent => format!(
                "Nothing was heard of it for {} seconds, so it was stopped, and the program that runs kernels with it; your \
                 text is here. The next check starts a new one. A GPU made of software may go on for a while.",
                SILENCE / 1000
            ),
            Self::Unsound(at, _) => format!(
                "With {at} the values come out right here, where lanes run in a fixed order. On a GPU these mistakes can change the \
                 result."
            ),
            Self::Untried(why) => format!("It was not checked. {why}"),
            Self::Right(right) if right.guard > 0.0 => format!(
                "Right, at all {} sizes. Every lap of a loop is counted, so that none runs for ever; of the time of a run, that \
                 takes about {}.",
                right.cases,
                Unit::Fraction.format(right.guard / right.seconds)
            ),
            Self::Right(right) => format!("Right, at all {} sizes.", right.cases),
        }
    }
}
