//! Files, one after another: short texts are read as they are, long output, traces and snapshots by their worker.

use std::collections::VecDeque;

use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::search::LogReading;
use ringside_core::detective::{LARGEST, OUTPUT, Printed, SNAPSHOT, Said};
use ringside_core::quantity::bytes_decimal;
use ringside_core::run::{Card, Content, Outcome, content, read_all, snapshot, traces};
use ringside_core::trace::Trace;
use wasm_bindgen::JsValue;

use super::{Desk, Log};
use crate::data::{fetch_text, library};
use crate::ui::file;
use crate::worker::{Program, Worker};

/// The longest text that is read on the page, in bytes: a page that reads more of it stands still. Longer ones are read as output, by the worker.
pub(super) const AT_ONCE: usize = 1_048_576;

const READER: Program = Program {
    meta: "ringside-trace",
    does: "reads traces, snapshots and long output",
    remedy: "Record fewer steps, make the snapshot earlier in the run, or cut the output to its last steps.",
};

/// What a file is for the worker.
enum As {
    Trace,
    Snapshot,
    /// Output, with the course's signs in JSON, or why they aren't there.
    Output(Result<String, String>),
}

/// What the worker reads just now.
struct Reading {
    worker: Worker,
    file: web_sys::File,
    what: As,
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
    /// Which of all that were begun it is: what is said of one that was stopped doesn't count.
    turn: StoredValue<u32>,
}

impl Files {
    pub(super) fn new(desk: Desk) -> Self {
        Self {
            desk,
            waiting: StoredValue::new_local(VecDeque::new()),
            reading: StoredValue::new_local(None),
            name: RwSignal::new(None),
            share: RwSignal::new(0.0),
            turn: StoredValue::new(0),
        }
    }

    pub(super) fn take(self, files: Vec<web_sys::File>) {
        self.waiting.update_value(|waiting| waiting.extend(files));
        if self.name.with_untracked(Option::is_none) {
            self.next();
        }
    }

    fn next(self) {
        self.turn.update_value(|turn| *turn += 1);
        let turn = self.turn.get_value();
        self.reading.set_value(None);
        let Some(file) = self.waiting.try_update_value(VecDeque::pop_front).flatten() else {
            return self.name.set(None);
        };
        self.share.set(0.0);
        self.name.set(Some(file.name()));
        spawn_local(async move {
            // By the time something is there, the page may be gone, or the file stopped.
            let is_wanted = || self.turn.try_get_value() == Some(turn);
            let start = file::start(&file, AT_ONCE).await;
            if !is_wanted() {
                return;
            }
            let (start, is_all) = match start {
                Ok(start) => start,
                Err(why) => return self.done(refused(&file, why), None),
            };
            match content(&start) {
                Err(why) => self.done(refused(&file, why), None),
                Ok(Content::Trace) => self.by_worker(file, As::Trace),
                Ok(Content::Snapshot) => self.by_worker(file, As::Snapshot),
                Ok(Content::Text) if is_all => {
                    let text = String::from_utf8_lossy(&start);
                    let mut read = read_all(&file.name(), &text);
                    // The last one goes on to the next file.
                    let last = read.pop();
                    for (card, own) in read {
                        self.desk.add(card, Some(Log::text(&own)));
                    }
                    if let Some((card, own)) = last {
                        self.done(card, Some(Log::text(&own)));
                    }
                }
                Ok(Content::Text) => {
                    let signs = fetch_text(&library().signs.path()).await;
                    if is_wanted() {
                        self.by_worker(file, As::Output(signs));
                    }
                }
            }
        });
    }

    fn by_worker(self, file: web_sys::File, what: As) {
        if let Err(why) = file::fits(&file, LARGEST as f64) {
            return self.done(refused(&file, why), None);
        }
        match Worker::start(READER, move |said| self.hear(said)) {
            Ok(worker) => {
                self.reading.set_value(Some(Reading { worker, file, what, traces: Vec::new(), problems: Vec::new() }))
            }
            Err(why) => self.done(refused(&file, why), None),
        }
    }

    fn with(self, act: impl FnOnce(&mut Reading)) {
        self.reading.update_value(|reading| reading.as_mut().map(act).unwrap_or_default());
    }

    fn hear(self, said: Result<JsValue, String>) {
        match said.and_then(|said| READER.read(&said)) {
            Ok(Said::Ready) => self.with(|reading| {
                let file: &JsValue = &reading.file;
                let given = match &reading.what {
                    As::Trace => Array::of1(file),
                    As::Snapshot => Array::of2(&SNAPSHOT.into(), file),
                    As::Output(signs) => Array::of3(&OUTPUT.into(), file, &signs.as_deref().unwrap_or_default().into()),
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
            Ok(Said::Snapshot(read)) => self.conclude(|reading| (snapshot(&reading.file.name(), &read), None)),
            Ok(Said::Printed(read)) => self.conclude(|reading| match read {
                Ok(read) => printed(reading, *read),
                Err(why) => (refused(&reading.file, why), None),
            }),
            Ok(Said::Done(own)) => self.conclude(|reading| {
                let mut card = traces(&reading.file.name(), &reading.traces, own.profile);
                if card.outcome == Outcome::Refused && !reading.problems.is_empty() {
                    card.said = reading.problems.join(" ");
                }
                (card, None)
            }),
            Err(why) => self.conclude(|reading| (refused(&reading.file, why), None)),
        }
    }

    /// The card of what the worker reads, and its errors.
    fn conclude(self, card: impl FnOnce(&Reading) -> (Card, Option<Log>)) {
        if let Some((card, log)) = self.reading.with_value(|reading| reading.as_ref().map(card)) {
            self.done(card, log);
        }
    }

    fn done(self, card: Card, log: Option<Log>) {
        self.desk.add(card, log);
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
        let stop = move |_| self.stopped();
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

fn refused(file: &web_sys::File, why: impl Into<String>) -> Card {
    Card { name: file.name(), said: why.into(), ..Card::default() }
}

/// The card of long output, and what its errors mean.
fn printed(reading: &Reading, Printed { output, errors }: Printed) -> (Card, Option<Log>) {
    let mut card = output.finish(&reading.file.name());
    if card.outcome == Outcome::Refused {
        card.said =
            format!("{} Texts of more than {} are read as run output only.", card.said, bytes_decimal(AT_ONCE as f64));
    }
    let signs = match &reading.what {
        As::Output(Err(why)) => Err(why.clone()),
        _ => postcard::from_bytes::<LogReading>(&errors).map_err(|_| READER.stale()),
    };
    match signs {
        Ok(errors) => (card, Some(Log::Read(errors.into()))),
        Err(why) => {
            card.said = format!("{} What its errors mean wasn’t looked up: {why}", card.said);
            (card, None)
        }
    }
}
