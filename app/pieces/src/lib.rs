//! A file that a learner gives, in pieces, unpacked if gzip has packed it. The page and its workers read files by it.

use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader};

/// What a file begins with that gzip has packed (RFC 1952, 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// No more can be read of a file: it is gone, or damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

/// What is left of a file.
#[derive(Debug)]
pub struct Pieces {
    reader: ReadableStreamDefaultReader,
    /// How many bytes it has unpacked: gzip says so at its end, modulo 2³².
    pub length: Option<u64>,
}

impl Pieces {
    /// The file from its beginning.
    ///
    /// # Errors
    /// A sentence: this browser can't unpack it.
    pub async fn of(file: &Blob) -> Result<Self, &'static str> {
        let packed = bytes(file, 0.0, 2.0).await == GZIP;
        let stream = if packed {
            // web-sys counts it among what may still change.
            let unpacker = Reflect::get(&js_sys::global(), &"DecompressionStream".into()).ok();
            let unpacker = unpacker.and_then(|f| f.dyn_into::<Function>().ok());
            let unpacker = unpacker.and_then(|f| Reflect::construct(&f, &Array::of1(&"gzip".into())).ok());
            let unpacker = unpacker.ok_or("This browser does not unpack gzip. Unpack the file first.")?;
            file.stream().pipe_through(unpacker.unchecked_ref())
        } else {
            file.stream()
        };
        let length = match packed {
            true => {
                let last = bytes(file, (file.size() - 4.0).max(0.0), file.size()).await;
                last.try_into().ok().map(|last| u64::from(u32::from_le_bytes(last)))
            }
            false => Some(file.size() as u64),
        };
        Ok(Self { reader: stream.get_reader().unchecked_into(), length })
    }

    /// The next piece; nothing at the end.
    ///
    /// # Errors
    /// No more can be read.
    pub async fn next(&self) -> Result<Option<Vec<u8>>, Damaged> {
        let read = JsFuture::from(self.reader.read()).await.map_err(|_| Damaged)?;
        let piece = Reflect::get(&read, &"value".into()).ok().and_then(|piece| piece.dyn_into::<Uint8Array>().ok());
        Ok(piece.map(|piece| piece.to_vec()))
    }

    /// Reads no more.
    pub fn cancel(self) {
        // Nobody waits for it.
        drop(self.reader.cancel());
    }
}

/// Some bytes of a file; fewer if it has fewer, none if it can't be read.
async fn bytes(file: &Blob, from: f64, to: f64) -> Vec<u8> {
    let Ok(slice) = file.slice_with_f64_and_f64(from, to) else { return Vec::new() };
    JsFuture::from(slice.array_buffer()).await.map(|buffer| Uint8Array::new(&buffer).to_vec()).unwrap_or_default()
}
