//! The learner's own traces: dropped or chosen, and read by a worker. They stay in the browser.

use std::sync::Arc;

use js_sys::Array;
use leptos::prelude::*;
use ringside_core::detective::Said;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::trace::Trace;
use wasm_bindgen::prelude::*;

use super::Scene;
use crate::ui::file;
use crate::worker::{Program, Worker};

/// Files that are shown together.
const MOST_FILES: usize = 8;

const READER: Program = Program {
    meta: "ringside-trace",
    does: "reads traces",
    remedy: "Record fewer steps, or give it fewer files at once.",
};

/// The files that were given.
#[derive(Clone, Copy)]
pub(super) struct Files {
    /// What was read; nothing for the simulated trace.
    pub scene: RwSignal<Option<Arc<Scene>>>,
    /// What they are called.
    pub name: RwSignal<String>,
    /// What was wrong with them.
    problems: RwSignal<Vec<String>>,
    /// How far the reading is; empty when nothing is read.
    progress: RwSignal<String>,
    /// The same from 0 to 1, if that is known.
    share: RwSignal<Option<f64>>,
    reading: StoredValue<Option<Reading>, LocalStorage>,
}

/// A worker that reads.
struct Reading {
    worker: Worker,
    files: Array,
    names: String,
    /// What it has said so far.
    traces: Vec<Trace>,
}

impl Files {
    pub fn new() -> Self {
        Self {
            scene: RwSignal::new(None),
            name: RwSignal::new(String::new()),
            problems: RwSignal::new(Vec::new()),
            progress: RwSignal::new(String::new()),
            share: RwSignal::new(None),
            reading: StoredValue::new_local(None),
        }
    }

    /// Ends the worker, whatever it does.
    fn stop(self) {
        self.reading.set_value(None);
        self.progress.set(String::new());
        self.share.set(None);
    }

    pub fn read(self, files: &[web_sys::File]) {
        if files.is_empty() {
            return;
        }
        self.stop();
        self.problems.set(Vec::new());
        if files.len() > MOST_FILES {
            let count = files.len();
            self.problem(format!("{count} files are too many at once: the first {MOST_FILES} are read."));
        }
        let files = files.get(..MOST_FILES).unwrap_or(files);
        match Worker::start(READER, move |said| self.hear(said)) {
            Ok(worker) => {
                let names: Vec<String> = files.iter().map(web_sys::File::name).collect();
                let reading =
                    Reading { worker, files: files.iter().collect(), names: names.join(", "), traces: Vec::new() };
                self.reading.set_value(Some(reading));
                self.progress.set("The program that reads traces is started.".to_owned());
            }
            Err(why) => self.problem(why),
        }
    }

    fn problem(self, what: String) {
        self.problems.update(|all| all.push(what));
    }

    fn hear(self, said: Result<JsValue, String>) {
        let said = match said.and_then(|said| READER.read(&said)) {
            Ok(said) => said,
            Err(why) => {
                self.stop();
                return self.problem(why);
            }
        };
        match said {
            Said::Ready => self.reading.with_value(|reading| {
                if let Some(reading) = reading {
                    reading.worker.post(&reading.files);
                }
            }),
            Said::Reading { file, bytes, of, events } => {
                let read = Unit::Bytes.format(bytes as f64);
                let all = of.map(|of| format!(" of {}", Unit::Bytes.format(of as f64))).unwrap_or_default();
                self.share.set(of.filter(|of| *of > 0).map(|of| (bytes as f64 / of as f64).min(1.0)));
                self.progress.set(format!("{file}: {read}{all} read, {} events.", grouped(events)));
            }
            Said::Diagnosing => {
                self.share.set(None);
                self.progress.set("Everything is read, and looked at now.".to_owned());
            }
            Said::Problem(problem) => self.problem(problem),
            Said::Trace(trace) => self.with(|reading| reading.traces.push(*trace)),
            Said::Spans(mut spans) => self.with(|reading| {
                if let Some(trace) = reading.traces.last_mut() {
                    trace.spans.append(&mut spans);
                }
            }),
            // Of another figure.
            Said::Snapshot(_) | Said::Printed(_) => {}
            Said::Done(own) => {
                let reading = self.reading.try_update_value(Option::take).flatten();
                self.stop();
                // What was on show stays if nothing can be shown instead.
                if let Some(reading) = reading.filter(|reading| !reading.traces.is_empty()) {
                    self.name.set(reading.names);
                    self.scene.set(Some(Arc::new(Scene::new(reading.traces, own))));
                }
            }
        }
    }

    fn with(self, change: impl FnOnce(&mut Reading)) {
        self.reading.update_value(|reading| {
            if let Some(reading) = reading {
                change(reading);
            }
        });
    }
}

/// Where they are chosen, and what became of them.
pub(super) fn view(files: Files) -> impl IntoView {
    let is_reading = move || files.progress.with(|p| !p.is_empty());
    let is_own = move || files.scene.with(Option::is_some);
    let problem = |text: String| view! { <li>{text}</li> };
    view! {
        <section class="trace-own">
            <p class="trace-title">"Your own trace"</p>
            <p class="fine">
                "Drop the .pt.trace.json files of one or more ranks on the figure, of whatever device; or Ascend’s trace_view.json, JAX’s .trace.json.gz, rocprof’s JSON. Packed or not, up to 4 GB each unpacked. They stay in your browser."
            </p>
            <div class="trace-files">
                <label class="button secondary choose">
                    "Choose files"
                    <input
                        type="file"
                        class="visually-hidden"
                        multiple
                        accept=".json,.gz"
                        on:change=move |event| files.read(&file::all_chosen(&event))
                    />
                </label>
                <button
                    type="button"
                    class="secondary"
                    hidden=move || !is_own()
                    on:click=move |_| files.scene.set(None)
                >
                    "Back to the simulated trace"
                </button>
            </div>
            <div class="trace-progress" hidden=move || !is_reading()>
                <progress
                    aria-label="How much is read"
                    value=move || files.share.get().map(|share| share.to_string())
                ></progress>
                <button type="button" class="secondary" on:click=move |_| files.stop()>"Cancel"</button>
            </div>
            <p role="status">{move || files.progress.get()}</p>
            <div role="alert">
                <ul class="trace-problems" hidden=move || files.problems.with(Vec::is_empty)>
                    {move || files.problems.get().into_iter().map(problem).collect_view()}
                </ul>
            </div>
        </section>
    }
}
