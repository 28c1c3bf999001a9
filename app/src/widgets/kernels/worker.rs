//! The page's end of the GPU worker.

use js_sys::Array;
use ringside_core::kernels::wire::{Said, Wire};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, WorkerOptions, WorkerType};

use crate::data;

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

/// A worker that was started, and the handlers that it calls.
pub(super) struct Worker {
    worker: web_sys::Worker,
    _handlers: [Closure<dyn Fn(JsValue)>; 2],
}

impl Worker {
    /// Downloads and starts it. `hear` is told what it says, and a sentence if it cannot be started or read.
    ///
    /// # Errors
    /// A sentence: this browser starts no workers, or this page has none.
    pub fn start(hear: impl Fn(Result<Said, String>) + Copy + 'static) -> Result<Self, String> {
        let script = data::worker_script().ok_or("This page was built without its GPU worker. Reload it.")?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = web_sys::Worker::new_with_options(&script, &options)
            .map_err(|_| "This browser did not start the worker that runs kernels.".to_owned())?;
        let on_message = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| {
            let said = Array::from(&event.unchecked_into::<MessageEvent>().data());
            let (words, numbers) = (Array::from(&said.get(0)), Array::from(&said.get(1)));
            let wire = Wire {
                words: words.iter().filter_map(|word| word.as_string()).collect(),
                numbers: numbers.iter().filter_map(|number| number.as_f64()).collect(),
            };
            let said = Said::read(&wire);
            hear(said.ok_or_else(|| "The GPU worker is of another version than this page. Reload it.".to_owned()));
        });
        let on_error = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| {
            // A script that does not arrive is an event without a message.
            let message = event.dyn_into::<ErrorEvent>().map(|e| e.message()).unwrap_or_default();
            let why = if message.is_empty() {
                "The program that runs kernels could not be downloaded. Check the connection, and run again.".to_owned()
            } else {
                format!("The program that runs kernels stopped ({message}). Choose smaller sizes, and run again.")
            };
            hear(Err(why));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, _handlers: [on_message, on_error] })
    }

    /// Gives it a job.
    pub fn post(&self, job: &Job) {
        let message = Array::of2(&job.family.into(), &job.kernel.into());
        for size in &job.sizes {
            message.push(&(*size as f64).into());
        }
        // Strings and numbers can always be posted.
        let _ = self.worker.post_message(&message);
    }

    /// Ends it, whatever it does.
    pub fn end(self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
