//! Files: short texts are read as they are, long logs in slices, traces and snapshots by their worker.

use std::collections::VecDeque;

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::detective::{SNAPSHOT, Said};
use ringside_core::quantity::bytes_decimal;
use ringside_core::run::{Card, MOST, Outcome, Output, read, snapshot, traces};
use ringside_core::trace::Trace;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::Desk;
use crate::ui::file;
use crate::worker::{Program, Worker};

/// Bytes of a log that are read at a time.
const SLICE: f64 = 1e6;
/// The largest file.
const LARGEST: f64 = 200e6;
/// The largest snapshot, which is read as a whole.
const LARGEST_SNAPSHOT: f64 = 50e6;

const READER: Program = Program {
    meta: "ringside-trace",
    does: "reads traces and snapshots",
    remedy: "Record fewer steps, or make the snapshot earlier in the run.",
};

/// What is read just now.
struct Reading {
    worker: Worker,
    file: web_sys::File,
    is_snapshot: bool,
    traces: Vec<Trace>,
    problems: Vec<String>,
}

/// The files that were given, one after another.
#[derive(Clone, Copy)]
pub(super) struct Files {
    desk: Desk,
    waiting: StoredValue<VecDeque<web_sys::File>, LocalStorage>,
    reading: StoredValue<Option<Reading>, LocalStorage>,
    /// What is read, and how much of it, 0 to 1.
    progress: RwSignal<Option<(String, f64)>>,
    is_stopped: RwSignal<bool>,
}

impl Files {
    pub(super) fn new(desk: Desk) -> Self {
        Self {
            desk,
            waiting: StoredValue::new_local(VecDeque::new()),
            reading: StoredValue::new_local(None),
            progress: RwSignal::new(None),
            is_stopped: RwSignal::new(false),
        }
    }

    pub(super) fn take(self, files: Vec<web_sys::File>) {
        self.waiting.update_value(|waiting| waiting.extend(files));
        if self.progress.get_untracked().is_none() {
            self.next();
        }
    }

    fn next(self) {
        self.is_stopped.set(false);
        self.reading.set_value(None);
        let Some(file) = self.waiting.try_update_value(VecDeque::pop_front).flatten() else {
            return self.progress.set(None);
        };
        self.progress.set(Some((file.name(), 0.0)));
        if let Err(why) = file::fits(&file, LARGEST) {
            return self.done(refused(&file, why));
        }
        spawn_local(async move {
            let head = slice(&file, 0.0, 65_536.0).await;
            // By now the page may be gone.
            if self.progress.try_get_untracked().is_none() {
                return;
            }
            let Some(head) = head else {
                return self.done(refused(&file, "It could not be read. Was it moved or deleted?"));
            };
            let text = String::from_utf8_lossy(&head);
            let is_pickle = head.first() == Some(&0x80);
            let is_packed = head.starts_with(&[0x1f, 0x8b]);
            let is_trace = text.contains("\"traceEvents\"")
                || text.contains("\"schemaVersion\"") && text.contains("\"deviceProperties\"");
            let is_snapshot = is_pickle || text.contains("\"segments\"") && !is_trace;
            if is_trace || is_packed || is_snapshot {
                self.by_worker(file, is_snapshot);
            } else if file.size() <= MOST as f64 {
                let text = file::read_text(&file, MOST as f64).await;
                self.done(match text {
                    Ok(text) => read(&file.name(), &text),
                    Err(why) => refused(&file, why),
                });
            } else {
                self.in_slices(file).await;
            }
        });
    }

    /// A long log. A letter that is cut in two is no number.
    async fn in_slices(self, file: web_sys::File) {
        let mut output = Output::default();
        let (mut at, size) = (0.0, file.size());
        while at < size {
            let Some(bytes) = slice(&file, at, at + SLICE).await else {
                return self.done(refused(&file, "It could not be read to its end. Was it moved or deleted?"));
            };
            output.push(&String::from_utf8_lossy(&bytes));
            at += SLICE;
            match self.is_stopped.try_get_untracked() {
                Some(false) => self.progress.set(Some((file.name(), (at / size).min(1.0)))),
                Some(true) => return self.next(),
                None => return,
            }
        }
        self.done(output.finish(&file.name()));
    }

    fn by_worker(self, file: web_sys::File, is_snapshot: bool) {
        if let Err(why) = file::fits(&file, if is_snapshot { LARGEST_SNAPSHOT } else { LARGEST }) {
            return self.done(refused(&file, why));
        }
        match Worker::start(READER, move |said| self.hear(said)) {
            Ok(worker) => self.reading.set_value(Some(Reading {
                worker,
                file,
                is_snapshot,
                traces: Vec::new(),
                problems: Vec::new(),
            })),
            Err(why) => self.done(refused(&file, why)),
        }
    }

    fn with(self, act: impl FnOnce(&mut Reading)) {
        self.reading.update_value(|reading| reading.as_mut().map(act).unwrap_or_default());
    }

    fn hear(self, said: Result<JsValue, String>) {
        let said = said.and_then(|bytes| {
            let other = |_| "The program that reads traces is of another version. Reload the page.".to_owned();
            postcard::from_bytes::<Said>(&Uint8Array::new(&bytes).to_vec()).map_err(other)
        });
        let name = self.reading.with_value(|reading| reading.as_ref().map(|r| r.file.name())).unwrap_or_default();
        match said {
            Ok(Said::Ready) => self.with(|reading| {
                let given = if reading.is_snapshot {
                    Array::of2(&SNAPSHOT.into(), &reading.file)
                } else {
                    Array::of1(&reading.file)
                };
                reading.worker.post(&given);
            }),
            Ok(Said::Reading { bytes, of, .. }) => {
                let share = of.map_or(0.0, |of| bytes as f64 / of.max(1) as f64);
                self.progress.set(Some((name, share.min(1.0))));
            }
            Ok(Said::Problem(why)) => self.with(|reading| reading.problems.push(why)),
            Ok(Said::Trace(trace)) => self.with(|reading| reading.traces.push(*trace)),
            Ok(Said::Spans(mut spans)) => self.with(|reading| {
                if let Some(trace) = reading.traces.last_mut() {
                    trace.spans.append(&mut spans);
                }
            }),
            Ok(Said::Diagnosing) => {}
            Ok(Said::Snapshot(read)) => self.done(snapshot(&name, &read)),
            Ok(Said::Done(_)) => {
                let (read, problems) = self
                    .reading
                    .try_update_value(|reading| {
                        reading.as_mut().map(|r| (std::mem::take(&mut r.traces), std::mem::take(&mut r.problems)))
                    })
                    .flatten()
                    .unwrap_or_default();
                let mut card = traces(&name, &read);
                if card.outcome == Outcome::Refused && !problems.is_empty() {
                    card.said = problems.join(" ");
                }
                self.done(card);
            }
            Err(why) => {
                let card = self.reading.with_value(|reading| reading.as_ref().map(|r| refused(&r.file, why)));
                if let Some(card) = card {
                    self.done(card);
                }
            }
        }
    }

    fn done(self, card: Card) {
        self.desk.add(card);
        self.next();
    }

    /// How far it is, and a button that stops it.
    pub(super) fn progress(self) -> AnyView {
        let stop = move |_| {
            if self.reading.with_value(Option::is_some) {
                self.next();
            } else {
                self.is_stopped.set(true);
            }
        };
        view! {
            <div role="status" class="run-progress sans">
                {move || {
                    self.progress
                        .get()
                        .map(|(name, share)| {
                            view! {
                                <label>
                                    {format!("Reading {name} ")} <progress max="1" prop:value=share></progress>
                                </label>
                                <button type="button" class="quiet" on:click=stop>
                                    "Stop"
                                </button>
                            }
                        })
                }}
            </div>
        }
        .into_any()
    }
}

fn refused(file: &web_sys::File, why: impl Into<String>) -> Card {
    let said = format!("{} ({})", why.into(), bytes_decimal(file.size()));
    Card { name: file.name(), said, ..Card::default() }
}

/// Some bytes of a file.
async fn slice(file: &web_sys::File, from: f64, to: f64) -> Option<Vec<u8>> {
    let part = file.slice_with_f64_and_f64(from, to).ok()?;
    let buffer = JsFuture::from(part.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}
