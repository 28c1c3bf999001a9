//! The GPU worker, as the page speaks to it.

use js_sys::{Array, Float32Array, Uint8Array};
use ringside_core::kernels::wire::{Role, Said, TEXT};
use wasm_bindgen::prelude::*;

use crate::worker::{self, Program};

const PROGRAM: Program =
    Program { meta: "ringside-gpu", does: "runs kernels", remedy: "Choose smaller sizes, and run again." };

/// Of an answer to something else.
pub(in crate::widgets) const STALE: &str = "The GPU worker is of another version than this page. Reload it.";

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

/// A learner's text, and what it is to be run on.
pub(in crate::widgets) struct Text {
    /// As it was written.
    pub code: String,
    /// What to run in its place; nothing if it is to be run as it is.
    pub instead: String,
    /// Whether to measure it.
    pub timed: bool,
    /// The runs.
    pub cases: Vec<Case>,
}

/// A run of a text: workgroups by axis, and what is bound.
pub(in crate::widgets) struct Case {
    /// Workgroups by axis.
    pub grid: [u32; 3],
    /// By binding, what it is and what is in it.
    pub buffers: Vec<(Role, Data)>,
}

/// What is in a buffer.
pub(in crate::widgets) enum Data {
    /// Numbers.
    Values(Vec<f32>),
    /// Bytes, a multiple of four.
    Bytes(Vec<u8>),
}

impl Case {
    fn message(&self) -> Array {
        let message: Array = self.grid.iter().map(|n| JsValue::from(*n)).collect();
        for (role, data) in &self.buffers {
            message.push(&JsValue::from(*role as u32));
            message.push(&match data {
                Data::Values(values) => Float32Array::from(values.as_slice()).into(),
                Data::Bytes(bytes) => Uint8Array::from(bytes.as_slice()).into(),
            });
        }
        message
    }
}

/// The worker. It ends, whatever it does, when it is dropped: nothing else stops a kernel.
pub(in crate::widgets) struct Worker(worker::Worker);

impl Worker {
    /// Downloads and starts it. `hear` is told what it says, and a sentence if it cannot be started or read.
    ///
    /// # Errors
    /// A sentence: this browser starts no workers, or this page has none.
    pub fn start(hear: impl Fn(Result<Said, String>) + Copy + 'static) -> Result<Self, String> {
        let started = worker::Worker::start(PROGRAM, move |said| {
            hear(said.and_then(|said| Said::read(&worker::read(&said)).ok_or_else(|| STALE.to_owned())));
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

    /// Gives it a text to run.
    pub fn post_text(&self, text: &Text) {
        let cases: Array = text.cases.iter().map(Case::message).collect();
        let message =
            Array::of5(&TEXT.into(), &(&text.code).into(), &(&text.instead).into(), &text.timed.into(), &cases);
        self.0.post(&message);
    }
}
