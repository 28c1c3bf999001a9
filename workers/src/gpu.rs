//! The dedicated worker that owns the GPU: downloaded by whoever runs a kernel first, and by no one else.
//!
//! The page posts a [`Job`], and is told how far it is and in the end what came of it ([`Said`]), both as bytes of postcard. One
//! job at a time; a page that no longer wants the answer ends the worker.

use std::rc::Rc;

use js_sys::Uint8Array;
use ringside_core::kernels::job::{Job, Said, Trouble};
use ringside_gpu::Bench;
use wasm_bindgen_futures::spawn_local;

fn main() {
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

fn say(said: &Said) {
    // Everything that is said can be written.
    let bytes = postcard::to_allocvec(said).unwrap_or_default();
    ringside_workers::post(&Uint8Array::from(bytes.as_slice()));
}
