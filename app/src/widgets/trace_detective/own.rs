//! The learner's own traces: dropped or chosen, unpacked, and read piece by piece. They stay in the browser.

use std::sync::Arc;

use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use leptos::ev::DragEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::trace::{Reader, Trace};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::ui::file;
use crate::ui::unique_id;

/// Bytes that are read of one file, unpacked.
const MOST_BYTES: f64 = 200e6;
/// Bytes after which the page gets its turn.
const TURN: f64 = 2e6;
/// Files that are shown together.
const MOST_FILES: usize = 8;

/// The files that were given.
#[derive(Clone, Copy)]
pub(super) struct Files {
    /// What was read; empty for the simulated trace.
    pub traces: RwSignal<Arc<Vec<Trace>>>,
    /// What they are called.
    pub name: RwSignal<String>,
    /// What was wrong with them.
    problems: RwSignal<Vec<String>>,
    /// How far the reading is; empty when nothing is read.
    progress: RwSignal<String>,
    /// Which reading it is: another number stops it.
    turn: StoredValue<u32>,
}

impl Files {
    pub fn new() -> Self {
        Self {
            traces: RwSignal::new(Arc::new(Vec::new())),
            name: RwSignal::new(String::new()),
            problems: RwSignal::new(Vec::new()),
            progress: RwSignal::new(String::new()),
            turn: StoredValue::new(0),
        }
    }

    fn stop(self) {
        self.turn.update_value(|turn| *turn += 1);
        self.progress.set(String::new());
    }

    fn read(self, files: Vec<web_sys::File>) {
        if files.is_empty() {
            return;
        }
        self.stop();
        self.problems.set(Vec::new());
        let turn = self.turn.get_value();
        spawn_local(async move {
            let mut problems = Vec::new();
            if files.len() > MOST_FILES {
                problems.push(format!("{} files are too many at once: the first {MOST_FILES} are read.", files.len()));
            }
            let mut traces = Vec::new();
            let mut names = Vec::new();
            for given in files.into_iter().take(MOST_FILES) {
                let name = given.name();
                match self.read_one(&given, turn).await {
                    Ok(None) => return,
                    Ok(Some(trace)) => {
                        problems.extend(trace.problems.iter().map(|p| format!("{name}: {}", p.message)));
                        if !trace.problems.iter().any(|p| p.fatal) {
                            traces.push(trace);
                            names.push(name);
                        }
                    }
                    Err(why) => problems.push(format!("{name}: {why}")),
                }
            }
            if self.turn.try_get_value() != Some(turn) {
                return;
            }
            self.progress.set(String::new());
            self.problems.set(problems);
            // What was on show stays if nothing can be shown instead.
            if !traces.is_empty() {
                traces.sort_by_key(|t| t.rank.unwrap_or(u32::MAX));
                self.name.set(names.join(", "));
                self.traces.set(Arc::new(traces));
            }
        });
    }

    /// One file; nothing if the reading was stopped.
    async fn read_one(self, given: &web_sys::File, turn: u32) -> Result<Option<Trace>, String> {
        let name = given.name();
        let pieces = pieces(given, name.ends_with(".gz"))?;
        let mut reader = Reader::default();
        let (mut bytes, mut shown) = (0.0, 0.0);
        while let Some(piece) = next(&pieces).await? {
            bytes += f64::from(piece.length());
            reader.push(&piece.to_vec());
            if bytes - shown >= TURN {
                shown = bytes;
                TimeoutFuture::new(0).await;
                if self.turn.try_get_value() != Some(turn) {
                    return Ok(None);
                }
                let events = grouped(reader.events() as u64);
                self.progress.set(format!("{name}: {} read, {events} events.", Unit::Bytes.format(bytes)));
            }
            if bytes > MOST_BYTES {
                break;
            }
        }
        Ok(Some(reader.finish()))
    }
}

fn call(object: &JsValue, name: &str, arguments: &Array) -> Option<JsValue> {
    let function: Function = Reflect::get(object, &name.into()).ok()?.dyn_into().ok()?;
    function.apply(object, arguments).ok()
}

/// What reads a file in pieces, unpacked if it is packed.
fn pieces(given: &web_sys::File, packed: bool) -> Result<JsValue, String> {
    let stream = call(given, "stream", &Array::new()).ok_or("This browser does not read files in pieces.")?;
    let stream = if packed {
        let unpacker = Reflect::get(&js_sys::global(), &"DecompressionStream".into());
        let unpacker = unpacker.ok().and_then(|f| f.dyn_into::<Function>().ok());
        let gzip = Array::of1(&"gzip".into());
        let unpacker = unpacker.and_then(|f| Reflect::construct(&f, &gzip).ok());
        let unpacker = unpacker.ok_or("This browser does not unpack .gz files. Unpack it first.")?;
        call(&stream, "pipeThrough", &Array::of1(&unpacker)).ok_or("It cannot be unpacked.")?
    } else {
        stream
    };
    call(&stream, "getReader", &Array::new()).ok_or_else(|| "This browser does not read files in pieces.".to_owned())
}

/// The next piece; nothing at the end.
async fn next(pieces: &JsValue) -> Result<Option<Uint8Array>, String> {
    let wrong = || "It could not be read or unpacked to its end: it is damaged, no gzip file, or was moved.".to_owned();
    let promise: Promise = call(pieces, "read", &Array::new()).and_then(|p| p.dyn_into().ok()).ok_or_else(wrong)?;
    let read = JsFuture::from(promise).await.map_err(|_| wrong())?;
    let member = |name: &str| Reflect::get(&read, &name.into()).unwrap_or(JsValue::UNDEFINED);
    Ok(member("value").dyn_into().ok().filter(|_| !member("done").is_truthy()))
}

/// Where they are chosen, and what became of them.
pub(super) fn view(files: Files) -> impl IntoView {
    let id = unique_id("own-trace");
    let is_reading = move || files.progress.with(|p| !p.is_empty());
    let is_own = move || files.traces.with(|t| !t.is_empty());
    let problem = |text: String| view! { <li>{text}</li> };
    view! {
        <section class="trace-own">
            <p class="trace-title">"Your own trace"</p>
            <p class="fine">
                "Drop the .pt.trace.json files of one or more ranks on the figure, also packed as .gz, up to 200 MB each unpacked. They stay in your browser."
            </p>
            <div class="trace-files">
                <label for=id.clone()>"Choose files"</label>
                <input
                    type="file"
                    id=id
                    multiple
                    accept=".json,.gz"
                    on:change=move |event| files.read(file::all_chosen(&event))
                />
                <button type="button" class="secondary" hidden=move || !is_reading() on:click=move |_| files.stop()>
                    "Cancel"
                </button>
                <button
                    type="button"
                    class="secondary"
                    hidden=move || !is_own()
                    on:click=move |_| files.traces.set(Arc::new(Vec::new()))
                >
                    "Back to the simulated trace"
                </button>
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

/// `figure`, with everything around it that takes dropped files.
pub(super) fn drop_zone(files: Files, figure: AnyView) -> AnyView {
    view! {
        <div
            class="drop-zone"
            on:dragover=|event: DragEvent| event.prevent_default()
            on:drop=move |event: DragEvent| {
                event.prevent_default();
                files.read(file::dropped(&event));
            }
        >
            {figure}
        </div>
    }
    .into_any()
}
