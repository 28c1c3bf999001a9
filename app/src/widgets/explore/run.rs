//! Work of many evaluations, a slice at a time.

use leptos::prelude::*;
use ringside_core::explore::Sliced;
use ringside_core::quantity::grouped;

use crate::clock;
use crate::ui::later::Later;

/// After how many milliseconds a slice begins no further evaluation, so that no frame is late.
const SLICE: f64 = 8.0;

/// What is worked out. What was asked for last replaces what is not at its end; what came of it before stays until then.
pub(super) struct Run<T: Send + Sync + 'static> {
    work: StoredValue<Option<T>>,
    found: StoredValue<Option<T>>,
    /// How far it is, while it is not at its end.
    progress: RwSignal<Option<(usize, usize)>>,
    /// How many times anything has come to its end.
    ended: RwSignal<u32>,
    begin: Later,
    next: Later,
}

/// For how many milliseconds the first slice waits, so that what is being computed is said before the page is busy with it.
const FRAME: u32 = 30;

impl<T: Send + Sync + 'static> Clone for Run<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Send + Sync + 'static> Copy for Run<T> {}

impl<T: Sliced + Send + Sync + 'static> Run<T> {
    /// Works out what `make` makes, now and whenever what it reads changes. Nothing where it makes nothing.
    pub fn new(make: impl Fn() -> Option<T> + Send + Sync + 'static) -> Self {
        let run = Self {
            work: StoredValue::new(None),
            found: StoredValue::new(None),
            progress: RwSignal::new(None),
            ended: RwSignal::new(0),
            begin: Later::after(FRAME),
            next: Later::after(0),
        };
        Effect::new(move |_| {
            let work = make();
            run.progress.set(work.as_ref().map(Sliced::progress));
            run.work.set_value(work);
            run.next.cancel();
            run.begin.run(move || run.slice());
        });
        run
    }

    fn slice(self) {
        let begun = clock::milliseconds();
        let go_on = |work: &mut Option<T>| {
            let work = work.as_mut()?;
            let mut more = work.step();
            while more && clock::milliseconds() - begun < SLICE {
                more = work.step();
            }
            Some((more, work.progress()))
        };
        match self.work.try_update_value(go_on).flatten() {
            Some((true, progress)) => {
                self.progress.set(Some(progress));
                self.next.run(move || self.slice());
            }
            _ => {
                let found = self.work.try_update_value(Option::take).flatten();
                self.found.try_update_value(|before| *before = found);
                self.progress.try_set(None);
                self.ended.try_update(|n| *n += 1);
            }
        }
    }

    /// What `read` takes from what was worked out last. Tracks.
    pub fn result<R>(self, read: impl FnOnce(&T) -> R) -> Option<R> {
        self.ended.track();
        self.found.with_value(|found| found.as_ref().map(read))
    }

    /// How far it is.
    pub fn bar(self) -> AnyView {
        let working = move || {
            self.progress.get().map(|(done, all)| {
                format!("Working… {} of {} states are computed.", grouped(done as u64), grouped(all as u64))
            })
        };
        let share = move || self.progress.get().map_or(0.0, |(done, all)| done as f64 / all.max(1) as f64);
        view! {
            <p class="fine" role="status" hidden=move || self.progress.with(Option::is_none)>
                {working}
            </p>
            <progress
                class="explore-progress"
                aria-label="Computing"
                hidden=move || self.progress.with(Option::is_none)
                prop:value=share
                max="1"
            ></progress>
        }
        .into_any()
    }
}
