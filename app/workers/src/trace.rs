//! The dedicated worker that reads a learner's traces, memory snapshots and long output, so that a page with one of 2 GB never stands still. It
//! is given a list of files, and says how far it is and in the end what is in them ([`Said`], as bytes of postcard); or [`SNAPSHOT`] and one
//! file; or [`OUTPUT`], one file, and the course's signs in JSON.
//! A page that no longer wants the answer ends the worker.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use ringside_content::schema::Signs;
use ringside_content::search::End;
use ringside_core::allocator::Reader as SnapshotReader;
use ringside_core::detective::{LARGEST, OUTPUT, Printed, SNAPSHOT, Said, say_all};
use ringside_core::quantity::bytes_decimal;
use ringside_core::run::Output;
use ringside_core::trace::{MOST_EVENTS, Reader, Trace};
use ringside_workers::{call, member, say};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

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
    let packed = bytes(file, 0.0, 2.0).await == [0x1f, 0x8b];
    let of = length(file, packed).await;
    let pieces = pieces(file, packed)?;
    let (mut bytes, mut said) = (0, 0);
    loop {
        let piece = match next(&pieces).await {
            Ok(Some(piece)) => piece.to_vec(),
            Ok(None) => return Ok(Ok(())),
            Err(Damaged) => return Ok(Err(Damaged)),
        };
        let Some(events) = take(&piece) else { return Ok(Ok(())) };
        bytes += piece.len() as u64;
        if bytes >= said + TURN {
            said = bytes;
            say(&Said::Reading { file: name.clone(), bytes, of, events });
        }
    }
}

/// Some bytes of a file; fewer if it has fewer, none if it cannot be read.
async fn bytes(file: &JsValue, from: f64, to: f64) -> Vec<u8> {
    let slice = call(file, "slice", &Array::of2(&from.into(), &to.into()));
    let promise = slice.and_then(|slice| call(&slice, "arrayBuffer", &Array::new())?.dyn_into::<Promise>().ok());
    let Some(promise) = promise else { return Vec::new() };
    JsFuture::from(promise).await.map(|buffer| Uint8Array::new(&buffer).to_vec()).unwrap_or_default()
}

/// How long a file is unpacked: gzip says so in its last four bytes (RFC 1952, 2.3.1).
async fn length(file: &JsValue, packed: bool) -> Option<u64> {
    let size = member(file, "size").as_f64()?;
    if !packed {
        return Some(size as u64);
    }
    let last: [u8; 4] = bytes(file, (size - 4.0).max(0.0), size).await.try_into().ok()?;
    Some(u64::from(u32::from_le_bytes(last)))
}

/// What reads a file in pieces, unpacked if it is packed.
fn pieces(file: &JsValue, packed: bool) -> Result<JsValue, String> {
    let in_pieces = || "This browser does not read files in pieces.".to_owned();
    let stream = call(file, "stream", &Array::new()).ok_or_else(in_pieces)?;
    let stream = if packed {
        let unpacker = member(&js_sys::global(), "DecompressionStream").dyn_into::<Function>().ok();
        let unpacker = unpacker.and_then(|f| Reflect::construct(&f, &Array::of1(&"gzip".into())).ok());
        let unpacker = unpacker.ok_or("This browser does not unpack gzip. Unpack the file first.")?;
        call(&stream, "pipeThrough", &Array::of1(&unpacker)).ok_or("It cannot be unpacked.")?
    } else {
        stream
    };
    call(&stream, "getReader", &Array::new()).ok_or_else(in_pieces)
}

/// No more can be read of a file.
struct Damaged;

/// The next piece; nothing at the end.
async fn next(pieces: &JsValue) -> Result<Option<Uint8Array>, Damaged> {
    let promise: Option<Promise> = call(pieces, "read", &Array::new()).and_then(|p| p.dyn_into().ok());
    let read = JsFuture::from(promise.ok_or(Damaged)?).await.map_err(|_| Damaged)?;
    Ok(member(&read, "value").dyn_into().ok().filter(|_| !member(&read, "done").is_truthy()))
}

#[cfg(test)]
mod tests {
    use ringside_core::detective::Own;
    use ringside_core::trace::simulate::Setup;

    use super::*;
    use ringside_core::allocator::Snapshot;

    /// Output of each kind that is read, and its end.
    fn printed() -> Printed {
        let text = "using world size: 8, data-parallel size: 8\n num_layers ........................ 32\niter 0: loss 10.9, time 30000.00ms, mfu 1.00%\nstep 1/20 tok/sec: 3 dt: 2\nTraceback (most recent call last):\n  File \"x.py\", line 3, in forward\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n[titan] CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory\ntime 1";
        let (mut output, mut end) = (Output::default(), End::default());
        output.push(text);
        end.push(text);
        Printed { output, errors: postcard::to_allocvec(&end.read(&[])).expect("it can be written") }
    }

    #[test]
    fn what_is_said_arrives_as_it_was_meant() {
        let setup = Setup { causes: Vec::new(), layers: 4, steps: 1, ranks: 2, seed: 1, graphs: false };
        let mut all = vec![
            Said::Ready,
            Said::Reading { file: "größer".into(), bytes: u64::MAX, of: None, events: 7 },
            Said::Diagnosing,
            Said::Problem("a file: why".into()),
            Said::Done(Own::default()),
            Said::Snapshot(Err("why".into())),
            Said::Printed(Ok(Box::new(printed()))),
            Said::Snapshot(Snapshot::read(
                br#"[{"total_size":7,"segment_type":"small","blocks":[{"size":7,"state":"inactive"}]}]"#,
            )),
        ];
        say_all(setup.run(), |said| all.push(said.clone()));
        for said in all {
            let bytes = postcard::to_allocvec(&said).expect("it can be written");
            assert_eq!(postcard::from_bytes::<Said>(&bytes).expect("it can be read"), said);
        }
    }
}
