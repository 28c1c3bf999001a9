//! The page's end of a program that runs in a worker.

use js_sys::Uint8Array;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, WorkerOptions, WorkerType};

use crate::data;

/// A program that runs in a worker.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The `<meta>` in which the build names its script: see `xtask/src/worker.rs`.
    pub meta: &'static str,
    /// What it does for the learner: it is “the program that …”.
    pub does: &'static str,
    /// What to do when it has stopped.
    pub remedy: &'static str,
}

impl Program {
    /// What to say when it answers what the page cannot read: the site was renewed while the page was open.
    pub fn stale(self) -> String {
        format!("This page and the program that {} are different versions. Reload the page.", self.does)
    }

    /// What it answers in postcard.
    ///
    /// # Errors
    /// A sentence: the page cannot read it.
    pub fn read<T: DeserializeOwned>(self, said: &JsValue) -> Result<T, String> {
        let bytes = said.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec).unwrap_or_default();
        postcard::from_bytes(&bytes).map_err(|_| self.stale())
    }
}

/// A worker that was started, and the handlers that it calls. It ends, whatever it does, when it is dropped.
pub struct Worker {
    worker: web_sys::Worker,
    _handlers: [Closure<dyn Fn(JsValue)>; 2],
}

impl Worker {
    /// Downloads and starts it. `hear` is given what it posts, or a sentence if it cannot be started or stops.
    ///
    /// # Errors
    /// A sentence: this browser starts no workers, or this page has none.
    pub fn start(program: Program, hear: impl Fn(Result<JsValue, String>) + Copy + 'static) -> Result<Self, String> {
        let Program { meta, does, remedy } = program;
        let script = data::worker_script(meta)
            .ok_or_else(|| format!("This page was built without the program that {does}. Reload it."))?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = web_sys::Worker::new_with_options(&script, &options)
            .map_err(|_| format!("This browser did not start the program that {does}."))?;
        let on_message = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| {
            hear(Ok(event.unchecked_into::<MessageEvent>().data()));
        });
        let on_error = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| {
            // A script that does not arrive is an event without a message. What a message says is in the browser's console.
            let message = event.dyn_into::<ErrorEvent>().map(|e| e.message()).unwrap_or_default();
            hear(Err(if message.is_empty() {
                format!("The program that {does} could not be downloaded. Check the connection, and try again.")
            } else {
                format!("The program that {does} stopped. {remedy}")
            }));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, _handlers: [on_message, on_error] })
    }

    /// Gives it something to do: strings, arrays of them, or bytes, which can always be posted.
    pub fn post(&self, message: &JsValue) {
        let _ = self.worker.post_message(message);
    }

    /// The same, where parts of the message go to it and are no longer here: a picture, ports.
    pub fn hand_over(&self, message: &JsValue, parts: &js_sys::Array) {
        let _ = self.worker.post_message_with_transfer(message, parts);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
