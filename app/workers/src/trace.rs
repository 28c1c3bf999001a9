//! The dedicated worker that reads a learner's traces, memory snapshots and long output, so that a page with one of 2 GB never stands still. It
//! is given a list of files, and says how far it is and in the end what is in them ([`Said`], as bytes of postcard); or [`SNAPSHOT`] and one
//! file; or [`OUTPUT`], one file, and the course's signs in JSON.
//! A page that no longer wants the answer ends the worker.

use js_sys::Array;
use ringside_content::schema::Signs;
use ringside_content::search::End;
use ringside_core::allocator::Reader as SnapshotReader;
use ringside_core::detective::{LARGEST, OUTPUT, Printed, SNAPSHOT, Said, say_all};
use ringside_core::quantity::bytes_decimal;
use ringside_core::run::Output;
use ringside_core::trace::{MOST_EVENTS, Reader, Trace};
use ringside_pieces::{Damaged, Pieces};
use ringside_workers::{member, say};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

const GONE: &str = "It could not be read to its end. Was it moved or deleted, or is it damaged?";
/// Bytes after which it says how far it is.
const TURN: u64 = 2_000_000;

fn main() {
    let hears = ringside_workers::hear(|given| {
        let given = Array::from(&given);
        match given.get(0).as_string().as_deref() {
            Some(SNAPSHOT) => spawn_local(read_snapshot(given.get(1))),
            Some(OUTPUT) => spawn_local(read_output(given.get(1), given.get(2).as_string().unwrap_or_default())),
            _ => spawn_local(read_all(given)),
        }
    });
    if hears {
        say(&Said::Ready);
    }
}

async fn read_all(files: Array) {
    let mut traces: Vec<Trace> = Vec::new();
    let mut room = MOST_EVENTS;
    let mut left = files.length() as usize;
    for file in files {
        let name = member(&file, "name").as_string().unwrap_or_default();
        // Each has its share of what those before it left.
        let share = room / left.max(1);
        left = left.saturating_sub(1);
        match read(&file, share).await {
            Ok(trace) => {
                for problem in &trace.problems {
                    say(&Said::Problem(format!("{name}: {}", problem.message)));
                }
                if !trace.problems.iter().any(|p| p.fatal) {
                    room = room.saturating_sub(trace.spans.len());
                    traces.push(trace);
                }
            }
            Err(why) => say(&Said::Problem(format!("{name}: {why}"))),
        }
    }
    say(&Said::Diagnosing);
    say_all(traces, say);
}

async fn read_snapshot(file: JsValue) {
    let (mut reader, mut bytes) = (SnapshotReader::default(), 0);
    let read = in_pieces(&file, |piece| {
        bytes += piece.len() as u64;
        (bytes <= LARGEST && reader.push(piece)).then_some(0)
    });
    let read = read.await.and_then(|whole| whole.map_err(|Damaged| GONE.to_owned()));
    say(&Said::Snapshot(read.and_then(|()| {
        if bytes > LARGEST {
            let most = bytes_decimal(LARGEST as f64);
            return Err(format!("It has more than {most} unpacked. Make the snapshot earlier in the run."));
        }
        reader.finish()
    })));
}

async fn read_output(file: JsValue, signs: String) {
    let signs: Signs = serde_json::from_str(&signs).unwrap_or_default();
    let (mut output, mut end) = (Output::default(), End::default());
    let read = in_pieces(&file, |piece| {
        // A character that a cut splits can only be one of a word: numbers are ASCII.
        let piece = String::from_utf8_lossy(piece);
        output.push(&piece);
        end.push(&piece);
        Some(0)
    });
    let read = read.await.and_then(|whole| whole.map_err(|Damaged| GONE.to_owned()));
    say(&Said::Printed(read.map(|()| {
        // Everything that is read can be written.
        let errors = postcard::to_allocvec(&end.read(&signs.0)).unwrap_or_default();
        Box::new(Printed { output, errors })
    })));
}

/// One file.
async fn read(file: &JsValue, room: usize) -> Result<Trace, String> {
    let mut reader = Reader::with_room(room);
    let whole = in_pieces(file, |piece| reader.push(piece).then(|| reader.events() as u64)).await?;
    if whole.is_err() {
        reader.damaged();
    }
    Ok(reader.finish())
}

/// Gives all pieces of a file to `take`, unpacked, and says how far it is. `take` yields the events that it has read; none, and no more comes.
async fn in_pieces(file: &JsValue, mut take: impl FnMut(&[u8]) -> Option<u64>) -> Result<Result<(), Damaged>, String> {
    let name = member(file, "name").as_string().unwrap_or_default();
    let pieces = Pieces::of(file.unchecked_ref()).await?;
    let (mut bytes, mut said) = (0, 0);
    loop {
        let piece = match pieces.next().await {
            Ok(Some(piece)) => piece,
            Ok(None) => return Ok(Ok(())),
            Err(Damaged) => return Ok(Err(Damaged)),
        };
        let Some(events) = take(&piece) else {
            pieces.cancel();
            return Ok(Ok(()));
        };
        bytes += piece.len() as u64;
        if bytes >= said + TURN {
            said = bytes;
            say(&Said::Reading { file: name.clone(), bytes, of: pieces.length, events });
        }
    }
}
