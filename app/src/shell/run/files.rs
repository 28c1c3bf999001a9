//! Files, one after another: short texts are read as they are, long output piece by piece, traces and snapshots by their worker.

use std::collections::VecDeque;

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::search::MOST_OF_LOG;
use ringside_core::detective::{SNAPSHOT, Said};
use ringside_core::quantity::bytes_decimal;
use ringside_core::run::{Card, Content, HEAD, Outcome, Output, content, read, snapshot, traces};
use ringside_core::trace::Trace;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::Desk;
use crate::ui::file;
use crate::worker::{Program, Worker};

/// The longest text that is read at once, in bytes: a page that reads more of it stands still. Longer ones are read as output, in pieces.
const AT_ONCE: f64 = 1_048_576.0;
/// Bytes of a long text that are read at a time.
const PIECE: f64 = 262_144.0;
/// The largest output and the largest trace.
const LARGEST: f64 = 2e9;
/// The largest snapshot, which is read as a whole.
const LARGEST_SNAPSHOT: f64 = 200e6;

const READER: Program = Program {
    meta: "ringside-trace",
    does: "reads traces and snapshots",
    remedy: "Record fewer steps, or make the snapshot earlier in the run.",
};

/// What the worker reads just now.
struct Reading {
    worker: Worker,
    file: web_sys::File,
    is_snapshot: bool,
    traces: Vec<Trace>,
    problems: Vec<String>,
}

/// The files that were given.
#[derive(Clone, Copy)]
pub(super) struct Files {
    desk: Desk,
    waiting: StoredValue<VecDeque<web_sys::File>, LocalStorage>,
    reading: StoredValue<Option<Reading>, LocalStorage>,
    /// What is read just now.
    name: RwSignal<Option<String>>,
    /// How much of it, 0 to 1.
    share: RwSignal<f64>,
    is_stopped: RwSignal<bool>,
}

impl Files {
    pub(super) fn new(desk: Desk) -> Self {
        Self {
            desk,
            waiting: StoredValue::new_local(VecDeque::new()),
            reading: StoredValue::new_local(None),
            name: RwSignal::new(None),
            share: RwSignal::new(0.0),
            is_stopped: RwSignal::new(false),
        }
    }

    pub(super) fn take(self, files: Vec<web_sys::File>) {
        self.waiting.update_value(|waiting| waiting.extend(files));
        if self.name.with_untracked(Option::is_none) {
            self.next();
        }
    }

    fn next(self) {
        self.is_stopped.set(false);
        self.reading.set_value(None);
        let Some(file) = self.waiting.try_update_value(VecDeque::pop_front).flatten() else {
            return self.name.set(None);
        };
        self.share.set(0.0);
        self.name.set(Some(file.name()));
        spawn_local(async move {
            let head = slice(&file, 0.0, HEAD as f64).await;
            if self.name.is_disposed() {
                return;
            }
            let Some(head) = head else { return self.done(refused(&file, GONE), "") };
            match content(&head) {
                Err(why) => self.done(refused(&file, why), ""),
                Ok(Content::Trace) => self.by_worker(file, false),
                Ok(Content::Snapshot) => self.by_worker(file, true),
                Ok(Content::Text) if file.size() <= AT_ONCE => {
                    let text = file::read_text(&file, AT_ONCE).await;
                    match text {
                        Ok(text) => self.done(read(&file.name(), &text), &text),
                        Err(why) => self.done(refused(&file, why), ""),
                    }
                }
                Ok(Content::Text) => self.in_pieces(file).await,
            }
        });
    }

    /// Long output. A character that a cut splits can only be one of a word: numbers are ASCII.
    async fn in_pieces(self, file: web_sys::File) {
        if let Err(why) = file::fits(&file, LARGEST) {
            return self.done(refused(&file, why), "");
        }
        let (mut output, mut end) = (Output::default(), String::new());
        let (mut at, size) = (0.0, file.size());
        while at < size {
            let Some(bytes) = slice(&file, at, at + PIECE).await else { return self.done(refused(&file, GONE), "") };
            let piece = String::from_utf8_lossy(&bytes);
            output.push(&piece);
            // Errors stand at the end.
            end.push_str(&piece);
            if end.len() > 2 * MOST_OF_LOG {
                let from = (MOST_OF_LOG..end.len()).find(|at| end.is_char_boundary(*at)).unwrap_or_default();
                end.drain(..from);
            }
            at += PIECE;
            match self.is_stopped.try_get_untracked() {
                Some(false) => self.share.set((at / size).min(1.0)),
                Some(true) => return self.stopped(),
                None => return,
            }
        }
        let mut card = output.finish(&file.name());
        if card.outcome == Outcome::Refused {
            card.said =
                format!("{} Texts of more than {} are read as run output only.", card.said, bytes_decimal(AT_ONCE));
        }
        self.done(card, &end);
    }

    fn by_worker(self, file: web_sys::File, is_snapshot: bool) {
        if let Err(why) = file::fits(&file, if is_snapshot { LARGEST_SNAPSHOT } else { LARGEST }) {
            return self.done(refused(&file, why), "");
        }
        match Worker::start(READER, move |said| self.hear(said)) {
            Ok(worker) => self.reading.set_value(Some(Reading {
                worker,
                file,
                is_snapshot,
                traces: Vec::new(),
                problems: Vec::new(),
            })),
            Err(why) => self.done(refused(&file, why), ""),
        }
    }

    fn with(self, act: impl FnOnce(&mut Reading)) {
        self.reading.update_value(|reading| reading.as_mut().map(act).unwrap_or_default());
    }

    fn hear(self, said: Result<JsValue, String>) {
        match said.and_then(|said| READER.read(&said)) {
            Ok(Said::Ready) => self.with(|reading| {
                let given = if reading.is_snapshot {
                    Array::of2(&SNAPSHOT.into(), &reading.file)
                } else {
                    Array::of1(&reading.file)
                };
                reading.worker.post(&given);
            }),
            Ok(Said::Reading { bytes, of, .. }) => {
                self.share.set(of.map_or(0.0, |of| (bytes as f64 / of.max(1) as f64).min(1.0)));
            }
            Ok(Said::Problem(why)) => self.with(|reading| reading.problems.push(why)),
            Ok(Said::Trace(trace)) => self.with(|reading| reading.traces.push(*trace)),
            Ok(Said::Spans(mut spans)) => self.with(|reading| {
                if let Some(trace) = reading.traces.last_mut() {
                    trace.spans.append(&mut spans);
                }
            }),
            Ok(Said::Diagnosing) => {}
            Ok(Said::Snapshot(read)) => self.conclude(|reading| snapshot(&reading.file.name(), &read)),
            Ok(Said::Done(own)) => self.conclude(|reading| {
                let mut card = traces(&reading.file.name(), &reading.traces, own.profile);
                if card.outcome == Outcome::Refused && !reading.problems.is_empty() {
                    card.said = reading.problems.join(" ");
                }
                card
            }),
            Err(why) => self.conclude(|reading| refused(&reading.file, why)),
        }
    }

    /// The card of what the worker reads.
    fn conclude(self, card: impl FnOnce(&Reading) -> Card) {
        if let Some(card) = self.reading.with_value(|reading| reading.as_ref().map(card)) {
            self.done(card, "");
        }
    }

    fn done(self, card: Card, text: &str) {
        self.desk.add(card, text);
        // By now the page may be gone.
        if !self.name.is_disposed() {
            self.next();
        }
    }

    fn stopped(self) {
        let name = self.name.get_untracked().unwrap_or_default();
        self.next();
        self.desk.said.set(Some(Err(format!("You stopped reading {name}, so nothing of it counts."))));
    }

    /// How far it is, and a button that stops it.
    pub(super) fn progress(self) -> AnyView {
        let stop = move |_| {
            if self.reading.with_value(Option::is_some) {
                self.stopped();
            } else {
                self.is_stopped.set(true);
            }
        };
        let shown = move || {
            self.name.get().map(|name| {
                view! {
                    <label>
                        {format!("Reading {name} ")} <progress max="1" value=move || format!("{:.3}", self.share.get())></progress>
                    </label>
                    <button type="button" class="quiet" on:click=stop>
                        "Stop"
                    </button>
                }
            })
        };
        view! { <div role="status" class="run-progress sans">{shown}</div> }.into_any()
    }
}

const GONE: &str = "It could not be read. Was it moved or deleted?";

fn refused(file: &web_sys::File, why: impl Into<String>) -> Card {
    Card { name: file.name(), said: why.into(), ..Card::default() }
}

/// Some bytes of a file.
async fn slice(file: &web_sys::File, from: f64, to: f64) -> Option<Vec<u8>> {
    let part = file.slice_with_f64_and_f64(from, to).ok()?;
    let buffer = JsFuture::from(part.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}
