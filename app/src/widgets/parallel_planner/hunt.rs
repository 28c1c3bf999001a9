//! The search of a state, a slice at a time.
//!
//! What was asked for last is what is searched and shown; of anything older nothing is.

use std::sync::Arc;

use leptos::prelude::*;
use ringside_core::planner::{Found, Params, Progress, Search};
use ringside_core::quantity::grouped;

use crate::clock;
use crate::ui::later::Later;

/// After how many milliseconds a slice begins nothing more, so that no frame is late; what it is at may take five more.
const SLICE: f64 = 5.0;

/// The search of a state.
#[derive(Clone, Copy)]
pub(super) struct Hunt {
    /// What is not at its end.
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
        Effect::new(move |_| match params.with(Params::search) {
            Ok(search) => {
                hunt.search.set_value(Some(search));
                hunt.slice();
            }
            Err(finding) => hunt.show(Found::impossible(finding)),
        });
        hunt
    }

    /// Goes on for a while, and then later.
    fn slice(self) {
        let begun = clock::milliseconds();
        let go_on = |search: &mut Option<Search>| {
            let search = search.as_mut()?;
            let mut progress = search.step(1);
            while !progress.finished() && clock::milliseconds() - begun < SLICE {
                progress = search.step(1);
            }
            Some(progress)
        };
        match self.search.try_update_value(go_on).flatten() {
            Some(progress) if progress.finished() => self.end(false),
            Some(progress) => {
                self.progress.set(Some(progress));
                self.next.run(move || self.slice());
            }
            None => {}
        }
    }

    /// Ends the search with what it has found.
    fn end(self, stopped: bool) {
        if let Some(search) = self.search.try_update_value(Option::take).flatten() {
            self.show(Found::of(&search, stopped));
        }
    }

    fn show(self, found: Found) {
        self.next.cancel();
        self.search.set_value(None);
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
            <button type="button" class="quiet" disabled=move || !running.get() on:click=move |_| hunt.end(true)>
                "Stop"
            </button>
        </div>
    }
    .into_any()
}
