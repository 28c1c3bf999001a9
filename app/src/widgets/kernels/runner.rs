//! Jobs for the GPU's worker, one after the other, and what was measured in them.

use leptos::prelude::*;
use ringside_core::kernels::TWIN;
use ringside_core::kernels::job::{self, Said, Trouble};
use ringside_core::kernels::measured::Measured;
use ringside_core::quantity::Unit;

use super::trouble::sentence;
use super::worker::{Job, SMALLER, Worker, gpu};

/// What to do next, of everything that was measured.
pub(in crate::widgets) type More = fn(&[Measured]) -> Option<Job>;

/// A queue of jobs, and the worker that does them.
#[derive(Clone, Copy)]
pub(in crate::widgets) struct Runner {
    /// Those that are still to be done, the next one first; the first of them is done now.
    queue: RwSignal<Vec<Job>>,
    progress: RwSignal<(String, f64)>,
    trouble: RwSignal<Option<String>>,
    measured: RwSignal<Vec<Measured>>,
    worker: StoredValue<Option<Worker>, LocalStorage>,
    more: StoredValue<More>,
}

impl Runner {
    /// Nothing to do yet. The worker ends with the owner of this.
    pub fn new() -> Self {
        let runner = Self {
            queue: RwSignal::new(Vec::new()),
            progress: RwSignal::new((String::new(), 0.0)),
            trouble: RwSignal::new(None),
            measured: RwSignal::new(Vec::new()),
            worker: StoredValue::new_local(None),
            more: StoredValue::new(|_| None),
        };
        on_cleanup(move || runner.end());
        runner
    }

    /// What was measured, the newest last; of the same run only the newest.
    pub fn measured(self) -> RwSignal<Vec<Measured>> {
        self.measured
    }

    /// What was measured of a kernel at sizes, the last time. Tracks.
    pub fn last(self, family: &str, kernel: &str, sizes: &str) -> Option<Measured> {
        let wanted = |m: &&Measured| m.family == family && m.kernel == kernel && m.sizes == sizes;
        self.measured.with(|all| all.iter().rev().find(wanted).cloned())
    }

    /// The job that is being done. Tracks.
    pub fn now(self) -> Option<Job> {
        self.queue.with(|queue| queue.first().cloned())
    }

    /// Whether nothing is being done. Tracks.
    pub fn idle(self) -> bool {
        self.queue.with(Vec::is_empty)
    }

    /// Does these, and then, as long as there is one, the job that `more` makes of everything that was measured.
    pub fn run(self, jobs: Vec<Job>, more: More) {
        if jobs.is_empty() {
            return;
        }
        self.trouble.set(None);
        self.progress.set(("starting".to_owned(), 0.0));
        self.queue.set(jobs);
        self.more.set_value(more);
        if self.worker.with_value(Option::is_some) {
            self.next();
            return;
        }
        match Worker::start(SMALLER, move |said| self.hear(said)) {
            Ok(worker) => self.worker.set_value(Some(worker)),
            Err(why) => self.give_up(why),
        }
    }

    /// Ends what is being done. The worker goes with it: nothing else stops a kernel.
    pub fn stop(self) {
        self.end();
        self.queue.set(Vec::new());
    }

    fn end(self) {
        // Its owner may be gone already.
        let _ = self.worker.try_update_value(Option::take);
    }

    fn next(self) {
        if let Some(job) = self.queue.with_untracked(|queue| queue.first().cloned()) {
            self.worker.with_value(|worker| {
                if let Some(worker) = worker {
                    worker.post(&job::Job::from(&job));
                }
            });
        }
    }

    fn hear(self, said: Result<Said, String>) {
        match said {
            Ok(Said::Ready) => self.next(),
            Ok(Said::Progress { doing, done }) => _ = self.progress.try_set((doing, done)),
            Ok(Said::Done(measured, trouble)) => {
                let job = self.queue.with_untracked(|queue| queue.first().cloned());
                let measured = Measured {
                    family: job.as_ref().map_or("", |job| job.family).to_owned(),
                    kernel: job.as_ref().map_or("", |job| job.kernel).to_owned(),
                    sizes: job.map_or_else(String::new, |job| job.query),
                    instead: trouble.as_ref().map(sentence).unwrap_or_default(),
                    ..*measured
                };
                self.measured.update(|all| {
                    all.retain(|m| !m.same_run(&measured));
                    all.push(measured);
                });
                self.advance();
            }
            // What runs on holds the GPU until its worker ends.
            Ok(Said::Failed(trouble @ Trouble::Silent(_))) => self.give_up(sentence(&trouble)),
            // Others may do: one kernel needs f16, one much memory.
            Ok(Said::Failed(trouble)) => {
                let (why, most) = (sentence(&trouble), Unit::Flop.format(TWIN as f64));
                self.trouble.set(Some(format!("{why} The CPU would take long for this: it does up to {most}.")));
                // What comes next is decided by what was measured, and this was not.
                self.more.set_value(|_| None);
                self.advance();
            }
            Ok(Said::Tried(_)) => self.give_up(gpu(SMALLER).stale()),
            Err(why) => self.give_up(why),
        }
    }

    fn advance(self) {
        self.progress.set((String::new(), 0.0));
        self.queue.update(|queue| {
            if !queue.is_empty() {
                queue.remove(0);
            }
            if queue.is_empty() {
                let more = self.more.get_value();
                queue.extend(self.measured.with_untracked(|all| more(all)));
            }
        });
        self.next();
    }

    fn give_up(self, why: String) {
        self.trouble.set(Some(why));
        self.stop();
    }

    /// What can be done: the buttons `start`, one to stop, and how far it is.
    pub fn actions(self, start: AnyView) -> AnyView {
        let idle = Memo::new(move |_| self.idle());
        let doing = move || {
            let (doing, _) = self.progress.get();
            self.now().map(|job| format!("{}: {doing}", job.kernel))
        };
        view! {
            <div class="bench-actions">
                {start}
                <button type="button" class="secondary" disabled=move || idle.get() on:click=move |_| self.stop()>"Stop"</button>
                {bar(move || idle.get(), move || self.progress.get().1, doing)}
            </div>
        }
        .into_any()
    }

    /// What went wrong, and what keeps the times of `shown` from being those of a GPU.
    pub fn messages(self, shown: impl Fn() -> Option<Measured> + Send + Sync + 'static) -> AnyView {
        view! {
            <div role="alert">{move || self.trouble.get().map(|why| view! { <p class="message">{why}</p> })}</div>
            <div role="status">
                {move || shown().as_ref().and_then(caveat).map(|text| view! { <p class="message">{text}</p> })}
            </div>
        }
        .into_any()
    }
}

/// How far something is: nothing while it is idle, a share of 1, and what is being done.
pub(in crate::widgets) fn bar(
    idle: impl Fn() -> bool + Send + Sync + 'static,
    done: impl Fn() -> f64 + Send + Sync + 'static,
    doing: impl Fn() -> Option<String> + Send + Sync + 'static,
) -> AnyView {
    view! {
        <div class="bench-progress" class:idle=idle>
            <progress max="1" value=move || done().to_string() aria-label="Progress of the run"></progress>
            <span class="fine">{doing}</span>
        </div>
    }
    .into_any()
}

fn caveat(m: &Measured) -> Option<String> {
    if !m.instead.is_empty() {
        return Some(format!(
            "{} The CPU did the same arithmetic instead, in the same order; its time says nothing of a GPU’s.",
            m.instead
        ));
    }
    m.software.then(|| {
        format!(
            "“{}” is a GPU made of software: results are right, but times do not show how a GPU behaves. Workgroup memory, \
             for one, is slow here.",
            m.device
        )
    })
}
