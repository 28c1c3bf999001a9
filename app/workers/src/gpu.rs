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

#[cfg(test)]
mod tests {
    use ringside_core::kernels::job::{Note, Timing, Tried, Verdict};
    use ringside_core::kernels::measured::Measured;

    use super::*;

    fn again<T: serde::Serialize + serde::de::DeserializeOwned>(sent: &T) -> T {
        postcard::from_bytes(&postcard::to_allocvec(sent).expect("it can be written")).expect("it can be read")
    }

    #[test]
    fn jobs_arrive_as_they_were_meant() {
        for job in [
            Job::Kernel { family: "matmul".into(), kernel: "tiled".into(), sizes: vec![1, 300, 1 << 40] },
            Job::Puzzle { puzzle: "map".into(), body: "größer\n".into(), seed: u32::MAX },
        ] {
            assert_eq!(again(&job), job);
        }
    }

    #[test]
    fn what_is_said_arrives_as_it_was_meant() {
        let note = |error, line| Note { error, line, column: 7, text: "unresolved value 'x'".into() };
        let tried = |verdict| Said::Tried(Box::new(Tried { device: "a GPU".into(), software: true, verdict }));
        let done =
            Measured { device: "a GPU".into(), seconds: 0.5, rounds: 9, max_error: f64::MAX, ..Measured::default() };
        for said in [
            Said::Ready,
            Said::Progress { doing: "a b".into(), done: 0.25 },
            Said::Done(Box::new(done.clone()), None),
            Said::Done(Box::new(done), Some(Trouble::TooLarge(8.0, 9.0))),
            tried(Verdict::Refused(vec![note(true, 12), note(false, 0)])),
            tried(Verdict::Wrong("n = 3".into(), "why".into())),
            tried(Verdict::Endless("n = 3".into(), 8)),
            tried(Verdict::Stopped("n = 3".into(), "why".into())),
            tried(Verdict::Unsound("n = 3".into(), vec![note(true, 12)])),
            tried(Verdict::Slow("n = 3".into(), 10.5, 0.25)),
            tried(Verdict::Right(Timing { cases: 6, seconds: 1e-6, guard: 1e-7 })),
            Said::Failed(Trouble::Lost("why".into())),
        ] {
            assert_eq!(again(&said), said);
        }
    }

    #[test]
    fn what_is_cut_short_is_not_read() {
        let bytes = postcard::to_allocvec(&Said::Failed(Trouble::NotAccepted("why".into()))).expect("written");
        assert!((0..bytes.len()).all(|end| postcard::from_bytes::<Said>(&bytes[..end]).is_err()));
        assert!(postcard::from_bytes::<Said>(&[99]).is_err());
    }
}
