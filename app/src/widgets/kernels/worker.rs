//! The GPU worker, as the page speaks to it.

use js_sys::{Array, Uint8Array};
use ringside_core::kernels::job::{self, Said};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::worker::{self, Program};

/// What to do when it has stopped while it ran a kernel of ours.
pub(in crate::widgets) const SMALLER: &str = "Choose smaller sizes, and run again.";

/// The program that owns the GPU. `remedy` ends the sentence that says that it has stopped.
pub(in crate::widgets) const fn gpu(remedy: &'static str) -> Program {
    Program { meta: "ringside-gpu", does: "runs kernels", remedy }
}

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

impl From<&Job> for job::Job {
    fn from(job: &Job) -> Self {
        Self::Kernel { family: job.family.to_owned(), kernel: job.kernel.to_owned(), sizes: job.sizes.clone() }
    }
}

/// A job as bytes: everything that is asked can be written.
fn written(job: &impl Serialize) -> Uint8Array {
    postcard::to_allocvec(job).unwrap_or_default().as_slice().into()
}

/// The worker. It ends, whatever it does, when it is dropped: nothing else stops a kernel.
pub(in crate::widgets) struct Worker(worker::Worker);

impl Worker {
    /// Downloads and starts the one that owns the GPU. `hear` is told what it says, and a sentence if it cannot be started or read;
    /// `remedy` ends the one that says that it has stopped.
    ///
    /// # Errors
    /// A sentence: this browser starts no workers, or this page has none.
    pub fn start(remedy: &'static str, hear: impl Fn(Result<Said, String>) + Copy + 'static) -> Result<Self, String> {
        Self::start_as(gpu(remedy), hear)
    }

    /// The same for another that speaks in postcard.
    ///
    /// # Errors
    /// As above.
    pub fn start_as<S: DeserializeOwned>(
        program: Program,
        hear: impl Fn(Result<S, String>) + Copy + 'static,
    ) -> Result<Self, String> {
        worker::Worker::start(program, move |said| hear(said.and_then(|said| program.read(&said)))).map(Self)
    }

    /// Gives it a job.
    pub fn post(&self, job: &impl Serialize) {
        self.0.post(&written(job));
    }

    /// Gives it a job with ports, which go to it; some of the places may be empty.
    pub fn post_with(&self, job: &impl Serialize, ports: &Array) {
        let parts = ports.filter(&mut |port, _, _| port.is_object());
        self.0.hand_over(&Array::of1(&written(job)).concat(ports), &parts);
    }
}
