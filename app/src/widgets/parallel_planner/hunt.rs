//! The search of a state: in a worker, or as long as there is none, a slice at a time on the page.
//!
//! What was asked for last is what is searched and shown; of anything older nothing is.

use std::sync::Arc;

use js_sys::Array;
use leptos::prelude::*;
use ringside_core::planner::wire::Said;
use ringside_core::planner::{Found, Job, Params, Progress, Search};
use ringside_core::quantity::grouped;
use wasm_bindgen::JsValue;

use crate::clock;
use crate::ui::later::Later;
use crate::worker::{self, Program, Worker};

const PROGRAM: Program =
    Program { meta: "ringside-planner", does: "searches layouts", remedy: "The page searches by itself." };

/// After how many milliseconds a slice on the page begins nothing more, so that no frame is late; what it is at may take five
/// more.
const SLICE: f64 = 6.0;

/// Where the search is that was begun last.
#[derive(Default)]
enum At {
    /// At its end.
    #[default]
    Rest,
    /// In the worker.
    Worker,
    /// On the page.
    Page(Box<Search>),
}

/// The search of a state.
#[derive(Clone, Copy)]
pub(super) struct Hunt {
    params: Memo<Params>,
    /// The worker, once it is ready.
    worker: StoredValue<Option<Worker>, LocalStorage>,
    ready: StoredValue<bool>,
    /// The number under which the worker was asked last.
    asked: StoredValue<u32>,
    /// What is searched.
    job: StoredValue<Option<Job>>,
    at: StoredValue<At>,
    progress: RwSignal<Option<Progress>>,
    found: RwSignal<Arc<Found>>,
    next: Later,
}

impl Hunt {
    /// Searches what `params` ask for, now and whenever they change.
    pub fn new(params: Memo<Params>) -> Self {
        let hunt = Self {
            params,
            worker: StoredValue::new_local(None),
            ready: StoredValue::new(false),
            asked: StoredValue::new(0),
            job: StoredValue::new(None),
            at: StoredValue::new(At::Rest),
            progress: RwSignal::new(None),
            found: RwSignal::new(Arc::default()),
            next: Later::after(0),
        };
        // Where no worker starts, the page goes on by itself.
        hunt.worker.set_value(Worker::start(PROGRAM, move |said| hunt.hear(said)).ok());
        Effect::new(move |_| hunt.start(&params.get()));
        hunt
    }

    fn start(self, params: &Params) {
        match params.job() {
            Ok(job) => {
                self.job.set_value(Some(job));
                if self.ready.get_value() { self.ask(params) } else { self.search(params) }
            }
            Err(finding) => {
                self.job.set_value(None);
                self.show(Found::impossible(finding));
            }
        }
    }

    /// Has the worker search.
    fn ask(self, params: &Params) {
        self.next.cancel();
        self.at.set_value(At::Worker);
        self.asked.update_value(|number| *number = number.wrapping_add(1));
        self.post(&Array::of2(&self.asked.get_value().into(), &params.query().to_string().into()));
    }

    fn post(self, message: &Array) {
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.post(message);
            }
        });
    }

    fn hear(self, said: Result<JsValue, String>) {
        // The figure may be gone.
        let Some(asked) = self.asked.try_get_value() else { return };
        let waiting = self.at.with_value(|at| matches!(at, At::Worker));
        match said.ok().and_then(|said| Said::read(&worker::read(&said))) {
            Some(Said::Ready) => {
                self.ready.set_value(true);
                if self.at.with_value(|at| matches!(at, At::Page(_))) {
                    self.ask(&self.params.get_untracked());
                }
            }
            Some(Said::Progress(number, progress)) if waiting && number == asked => self.progress.set(Some(progress)),
            Some(Said::Found(number, found)) if waiting && number == asked => {
                self.show(Found { job: self.job.get_value(), ..*found });
            }
            // Of a search that nobody waits for any more.
            Some(_) => {}
            // It could not be downloaded, has stopped, or is of another version.
            None => {
                self.worker.set_value(None);
                self.ready.set_value(false);
                if waiting {
                    self.search(&self.params.get_untracked());
                }
            }
        }
    }

    /// Searches on the page.
    fn search(self, params: &Params) {
        if let Ok(search) = params.search() {
            self.at.set_value(At::Page(Box::new(search)));
            self.slice();
        }
    }

    /// Goes on for a while on the page, and then later.
    fn slice(self) {
        let begun = clock::milliseconds();
        let go_on = |at: &mut At| {
            let At::Page(search) = at else { return None };
            let mut progress = search.step(1);
            while !progress.finished() && clock::milliseconds() - begun < SLICE {
                progress = search.step(1);
            }
            Some(progress)
        };
        let Some(progress) = self.at.try_update_value(go_on).flatten() else { return };
        if progress.finished() {
            self.end(false);
        } else {
            self.progress.set(Some(progress));
            self.next.run(move || self.slice());
        }
    }

    /// Ends a search on the page.
    fn end(self, stopped: bool) {
        if let At::Page(search) = self.at.try_update_value(std::mem::take).unwrap_or_default() {
            self.show(Found::of(&search, stopped));
        }
    }

    /// Ends the search with what it has found.
    fn stop(self) {
        if self.at.with_value(|at| matches!(at, At::Worker)) {
            self.post(&Array::new());
        } else {
            self.end(true);
        }
    }

    fn show(self, found: Found) {
        self.next.cancel();
        self.at.set_value(At::Rest);
        self.found.set(Arc::new(found));
        if self.progress.with_untracked(Option::is_some) {
            self.progress.set(None);
        }
    }

    /// Whether it takes so long that there is something to say of it. Tracks.
    pub fn running(self) -> bool {
        self.progress.with(Option::is_some)
    }

    /// What was found last.
    pub fn found(self) -> RwSignal<Arc<Found>> {
        self.found
    }
}

/// How far the search is, and a way to stop it.
pub(super) fn progress(hunt: Hunt) -> AnyView {
    let running = Memo::new(move |_| hunt.running());
    let share = move || hunt.progress.with(|p| p.map_or(0.0, |p| p.done as f64 / p.all.max(1) as f64));
    let words = move || {
        hunt.progress.with(|p| match p {
            Some(p) => format!("{} layouts so far …", grouped(p.layouts as u64)),
            None => String::new(),
        })
    };
    let settled = move || {
        hunt.found.with(|found| match found.all {
            0 => "No layout is possible.".to_owned(),
            all => format!("{} of {} possible layouts fit.", grouped(found.valid as u64), grouped(all as u64)),
        })
    };
    view! {
        <div class="planner-progress" class:running=running>
            <span class="planner-bar" aria-hidden="true">
                <i style:transform=move || format!("scaleX({:.3})", share())></i>
            </span>
            <span>{move || if running.get() { words() } else { settled() }}</span>
            <button type="button" class="quiet" disabled=move || !running.get() on:click=move |_| hunt.stop()>
                "Stop"
            </button>
        </div>
    }
    .into_any()
}
