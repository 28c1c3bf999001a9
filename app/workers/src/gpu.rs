//! The dedicated worker that owns the GPU: downloaded by whoever runs a kernel first, and by no one else.
//!
//! The page posts a [`Job`], and is told how far it is and in the end what came of it ([`Said`]), both as bytes of postcard. One
//! job at a time; a page that no longer wants the answer ends the worker.

use std::rc::Rc;

use js_sys::Uint8Array;
use ringside_core::kernels::job::{Job, Said, Trouble};
use ringside_gpu::device::Bench;
use ringside_workers::say;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

#[wasm_bindgen(module = "/src/gpu-start.js")]
extern "C" {
    /// Has devices be asked for with subgroups.
    #[wasm_bindgen(js_name = askForSubgroups)]
    fn ask_for_subgroups();
}

fn main() {
    ask_for_subgroups();
    let bench = Rc::new(Bench::default());
    let hears = ringside_workers::hear(move |message| {
        let bench = bench.clone();
        spawn_local(async move {
            let progress = |doing: &str, done| say(&Said::Progress { doing: doing.to_owned(), done });
            say(&match postcard::from_bytes::<Job>(&Uint8Array::new(&message).to_vec()) {
                Ok(job) => bench.job(&job, &progress).await,
                Err(why) => Said::Failed(Trouble::NotAccepted(why.to_string())),
            });
        });
    });
    if hears {
        say(&Said::Ready);
    }
}
