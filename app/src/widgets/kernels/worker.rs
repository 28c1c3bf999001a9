//! The GPU worker, as the page speaks to it.

use js_sys::Array;
use ringside_core::kernels::wire::{Said, Wire};
use wasm_bindgen::prelude::*;

use crate::worker::{self, Program};

const PROGRAM: Program =
    Program { meta: "ringside-gpu", does: "runs kernels", remedy: "Choose smaller sizes, and run again." };

/// What it is asked to run.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::widgets) struct Job {
    /// The family of the kernel.
    pub family: &'static str,
    /// The kernel.
    pub kernel: &'static str,
    /// The sizes in the order in which they are sent.
    pub sizes: Vec<u64>,
    /// The sizes as a query, as results bear them.
    pub query: String,
}

/// The worker. It ends, whatever it does, when it is dropped: nothing else stops a kernel.
pub(super) struct Worker(worker::Worker);

impl Worker {
    /// Downloads and starts it. `hear` is told what it says, and a sentence if it cannot be started or read.
    ///
    /// # Errors
    /// A sentence: this browser starts no workers, or this page has none.
    pub fn start(hear: impl Fn(Result<Said, String>) + Copy + 'static) -> Result<Self, String> {
        let other = || "The GPU worker is of another version than this page. Reload it.".to_owned();
        let started = worker::Worker::start(PROGRAM, move |said| {
            hear(said.and_then(|said| read(&said).ok_or_else(other)));
        });
        started.map(Self)
    }

    /// Gives it a job.
    pub fn post(&self, job: &Job) {
        let message = Array::of2(&job.family.into(), &job.kernel.into());
        for size in &job.sizes {
            message.push(&(*size as f64).into());
        }
        self.0.post(&message);
    }
}

fn read(said: &JsValue) -> Option<Said> {
    let said = Array::from(said);
    let (words, numbers) = (Array::from(&said.get(0)), Array::from(&said.get(1)));
    Said::read(&Wire {
        words: words.iter().filter_map(|word| word.as_string()).collect(),
        numbers: numbers.iter().filter_map(|number| number.as_f64()).collect(),
    })
}
