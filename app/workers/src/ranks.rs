//! The dedicated worker that runs a learner's programs on several ranks: downloaded by whoever runs one first, and by no one else.
//!
//! The page posts what it asks ([`Asked`]), and is told what came of it ([`Said`]), both as bytes of postcard. One job at a time; a
//! page that has waited long enough ends the worker, and a program that takes all memory ends it too. Several of these workers run a
//! rank each and talk to one another ([`one`]); the ports for that come in an array, after the bytes.

mod one;

use js_sys::{Array, Uint8Array};
use ringside_core::program::{Asked, Said};
use ringside_workers::say;
use wasm_bindgen::prelude::*;

/// Bounds what lists and strings of a program take.
#[global_allocator]
static ALLOCATOR: ringside_ranks::Allocator = ringside_ranks::Allocator;

fn main() {
    // It fails only where the allocator is another one.
    let _ = ringside_ranks::arm();
    let hears = ringside_workers::hear(|message| {
        let (bytes, ports) = match message.dyn_into::<Array>() {
            Ok(parts) => (parts.shift(), parts),
            Err(bytes) => (bytes, Array::new()),
        };
        match postcard::from_bytes(&Uint8Array::new(&bytes).to_vec()) {
            Ok(Asked::Run(job)) => say(&Said::Done(Box::new(ringside_ranks::run(&job)))),
            Ok(asked) => one::hear(asked, &ports),
            Err(_) => say(&Said::Unread),
        }
    });
    if hears {
        say(&Said::Ready);
    }
}
