//! The search, a slice at a time.
//!
//! It runs on the main thread: 40 000 layouts take a fifth of a second, and a worker would have to download the models a
//! second time. A slice ends after [`SLICE`], so that a frame is never late; what was asked for last is what goes on.

use std::sync::Arc;

use leptos::prelude::*;
use ringside_core::planner::{Job, Layout, Params, Progress, Refused, Search, words};
use ringside_core::quantity::grouped;

use crate::clock;
use crate::ui::later::Later;

/// After how many milliseconds a slice begins nothing more; what it is at may take five more.
const SLICE: f64 = 6.0;
/// Cells of the picture across and down, in which layouts that lie together are drawn as one.
pub(super) const CELLS: (usize, usize) = (160, 72);

/// What a search came to.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// What was searched; none if the model is impossible.
    pub job: Option<Job>,
    /// How many layouts fit.
    pub valid: usize,
    /// How many are possible.
    pub all: usize,
    /// The fastest that fits.
    pub best: Option<Layout>,
    /// Those that nothing beats in both time and memory, the fastest first.
    pub front: Vec<Layout>,
    /// Seconds and bytes of one layout for each cell that has any.
    pub cloud: Vec<(f64, f64)>,
    /// Why the best is what it is.
    pub reasons: Vec<words::Reason>,
    /// Why others are not possible.
    pub refused: Vec<Refused>,
    /// All of it in words.
    pub finding: String,
}

/// The highest step time of the picture, in those of the fastest layout.
pub(super) const SLOWEST: f64 = 12.0;
/// The most memory of the picture, in those of the GPU.
pub(super) const FULLEST: f64 = 2.0;

/// Where a layout lies, from 0 at the left and at the bottom to 1; beyond for what is off the picture.
pub(super) fn place((step, memory): (f64, f64), fastest: f64, capacity: f64) -> (f64, f64) {
    ((step / fastest).ln() / SLOWEST.ln(), memory / (FULLEST * capacity))
}

impl Found {
    fn of(search: &Search, stopped: bool) -> Self {
        let job = search.job();
        let fastest = search.front().first().map_or(1.0, |l| l.step);
        let (wide, high) = CELLS;
        let mut seen = vec![false; wide * high];
        let mut cloud = Vec::new();
        for layout in search.layouts() {
            let (down, across) = place((layout.step, layout.memory), fastest, job.cluster.gpu.memory.0);
            if !(0.0..1.0).contains(&down) || !(0.0..1.0).contains(&across) {
                continue;
            }
            let cell = (down * high as f64) as usize * wide + (across * wide as f64) as usize;
            if let Some(seen) = seen.get_mut(cell).filter(|seen| !**seen) {
                *seen = true;
                cloud.push((layout.step, layout.memory));
            }
        }
        let stopped = if stopped { " The search was stopped: others may be faster." } else { "" };
        Self {
            valid: search.valid(),
            all: search.layouts().len(),
            best: search.best().copied(),
            front: search.front().to_vec(),
            cloud,
            reasons: words::reasons(search),
            refused: search.refused().copied().collect(),
            finding: words::finding(search) + stopped,
            job: Some(job.clone()),
        }
    }
}

/// The search of a state.
#[derive(Clone, Copy)]
pub(super) struct Hunt {
    search: StoredValue<Option<Search>>,
    progress: RwSignal<Option<Progress>>,
    found: RwSignal<Arc<Found>>,
    next: Later,
}

impl Hunt {
    /// Searches what `params` ask for, now and whenever they change.
    pub fn new(params: Memo<Params>) -> Self {
        let hunt = Self {
            search: StoredValue::new(None),
            progress: RwSignal::new(None),
            found: RwSignal::new(Arc::default()),
            next: Later::after(0),
        };
        Effect::new(move |_| hunt.start(&params.get()));
        hunt
    }

    fn start(self, params: &Params) {
        self.next.cancel();
        match params.search() {
            Ok(search) => {
                self.search.set_value(Some(search));
                self.slice();
            }
            Err(finding) => {
                self.search.set_value(None);
                self.progress.set(None);
                self.found.set(Arc::new(Found { finding, ..Found::default() }));
            }
        }
    }

    /// Goes on for a while, and then later.
    fn slice(self) {
        let begun = clock::milliseconds();
        let go_on = |search: &mut Option<Search>| {
            search.as_mut().map(|search| {
                let mut progress = search.step(1);
                while !progress.finished() && clock::milliseconds() - begun < SLICE {
                    progress = search.step(1);
                }
                progress
            })
        };
        let Some(progress) = self.search.try_update_value(go_on).flatten() else { return };
        if progress.finished() {
            self.end(false);
        } else {
            self.progress.set(Some(progress));
            self.next.run(move || self.slice());
        }
    }

    /// Shows what was found.
    fn end(self, stopped: bool) {
        self.next.cancel();
        let found = self.search.try_update_value(|search| search.take().map(|search| Found::of(&search, stopped)));
        if let Some(found) = found.flatten() {
            self.found.set(Arc::new(found));
        }
        self.progress.set(None);
    }

    /// Whether it goes on. Tracks.
    pub fn running(self) -> bool {
        self.progress.with(Option::is_some)
    }

    /// Looks at what was found last. Tracks.
    pub fn with<T>(self, look: impl FnOnce(&Found) -> T) -> T {
        self.found.with(|found| look(found))
    }
}

/// How far the search is, and a way to stop it.
pub(super) fn progress(hunt: Hunt) -> AnyView {
    let share = move || hunt.progress.with(|p| p.map_or(0.0, |p| p.done as f64 / p.all.max(1) as f64));
    let words = move || {
        hunt.progress.with(|p| match p {
            Some(p) => format!("{} layouts so far …", grouped(p.layouts as u64)),
            None => String::new(),
        })
    };
    let settled = move || {
        hunt.with(|found| match found.all {
            0 => "No layout is possible.".to_owned(),
            all => format!("{} of {} possible layouts fit.", grouped(found.valid as u64), grouped(all as u64)),
        })
    };
    view! {
        <div class="planner-progress" class:running=move || hunt.running()>
            <span class="planner-bar" aria-hidden="true"><i style:width=move || format!("{:.1}%", share() * 100.0)></i></span>
            <span>{move || if hunt.running() { words() } else { settled() }}</span>
            <button type="button" class="quiet" disabled=move || !hunt.running() on:click=move |_| hunt.end(true)>
                "Stop"
            </button>
        </div>
    }
    .into_any()
}
