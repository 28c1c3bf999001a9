//! The learner's own memory snapshot. It stays in the browser.

use js_sys::Array;
use leptos::prelude::*;
use ringside_core::allocator::Snapshot;
use ringside_core::detective::{LARGEST, SNAPSHOT, Said};
use wasm_bindgen::prelude::*;

use crate::ui::file;
use crate::ui::unique_id;
use crate::worker::{Program, Worker};

/// The worker that reads traces reads snapshots too.
const READER: Program = Program {
    meta: "ringside-trace",
    does: "reads snapshots",
    remedy: "Make the snapshot earlier in the run, or without the history of allocations.",
};

/// The snapshot that was given.
#[derive(Clone, Copy)]
pub(super) struct Own {
    /// What was read; nothing for the simulated allocator.
    pub snapshot: RwSignal<Option<Snapshot>>,
    /// What the file is called.
    pub name: RwSignal<String>,
    problems: RwSignal<Vec<String>>,
    /// What is read just now; none if nothing is.
    reading: StoredValue<Option<Reading>, LocalStorage>,
    is_reading: RwSignal<bool>,
    /// How much of it, 0 to 1.
    share: RwSignal<f64>,
}

/// A worker that reads, and the file that it is to be given.
struct Reading {
    worker: Worker,
    file: web_sys::File,
}

impl Own {
    pub fn new() -> Self {
        Self {
            snapshot: RwSignal::new(None),
            name: RwSignal::new(String::new()),
            problems: RwSignal::new(Vec::new()),
            reading: StoredValue::new_local(None),
            is_reading: RwSignal::new(false),
            share: RwSignal::new(0.0),
        }
    }

    /// Ends the worker, whatever it does.
    fn stop(self) {
        self.reading.set_value(None);
        self.is_reading.set(false);
    }

    pub fn read(self, files: Vec<web_sys::File>) {
        let Some(file) = files.into_iter().next() else { return };
        self.stop();
        self.share.set(0.0);
        self.problems.set(Vec::new());
        if let Err(why) = file::fits(&file, LARGEST as f64) {
            return self.problems.set(vec![why]);
        }
        match Worker::start(READER, move |said| self.hear(said)) {
            Ok(worker) => {
                self.reading.set_value(Some(Reading { worker, file }));
                self.is_reading.set(true);
            }
            Err(why) => self.problems.set(vec![why]),
        }
    }

    fn hear(self, said: Result<JsValue, String>) {
        match said.and_then(|said| READER.read(&said)) {
            Ok(Said::Ready) => self.reading.with_value(|reading| {
                if let Some(Reading { worker, file }) = reading {
                    worker.post(&Array::of2(&SNAPSHOT.into(), file));
                }
            }),
            Ok(Said::Snapshot(read)) => {
                let name =
                    self.reading.with_value(|reading| reading.as_ref().map(|r| r.file.name())).unwrap_or_default();
                self.stop();
                match read {
                    Ok(snapshot) => {
                        self.problems.set(snapshot.problems.clone());
                        self.name.set(name);
                        self.snapshot.set(Some(snapshot));
                    }
                    // What was on show stays.
                    Err(why) => self.problems.set(vec![format!("{name}: {why}")]),
                }
            }
            Ok(Said::Reading { bytes, of, .. }) => {
                self.share.set(of.map_or(0.0, |of| (bytes as f64 / of.max(1) as f64).min(1.0)));
            }
            // It says nothing else of a snapshot.
            Ok(_) => {}
            Err(why) => {
                self.stop();
                self.problems.set(vec![why]);
            }
        }
    }
}

/// Where it is chosen, and what was wrong with it.
pub(super) fn view(own: Own) -> impl IntoView {
    let id = unique_id("own-snapshot");
    let problem = |text: String| view! { <li>{text}</li> };
    view! {
        <section class="alloc-own">
            <p class="alloc-title">"Your own snapshot"</p>
            <p class="fine">
                "Drop what torch.cuda.memory._dump_snapshot() wrote on the figure, up to 4 GB, or _snapshot() as JSON, up to 200 MB. It stays in your browser."
            </p>
            <div class="alloc-files">
                <label for=id.clone()>"Choose a snapshot"</label>
                <input
                    type="file"
                    id=id
                    accept=".pickle,.pkl,.json,.gz"
                    on:change=move |event| own.read(file::all_chosen(&event))
                />
                <button
                    type="button"
                    class="secondary"
                    hidden=move || own.snapshot.with(Option::is_none)
                    on:click=move |_| own.snapshot.set(None)
                >
                    "Back to the simulated allocator"
                </button>
            </div>
            <div class="alloc-progress" hidden=move || !own.is_reading.get()>
                <progress aria-label="How much is read" max="1" value=move || format!("{:.3}", own.share.get())></progress>
                <button type="button" class="secondary" on:click=move |_| own.stop()>"Cancel"</button>
            </div>
            <p role="status">{move || own.is_reading.get().then_some("The snapshot is being read.")}</p>
            <div role="alert">
                <ul class="alloc-problems" hidden=move || own.problems.with(Vec::is_empty)>
                    {move || own.problems.get().into_iter().map(problem).collect_view()}
                </ul>
            </div>
        </section>
    }
}
