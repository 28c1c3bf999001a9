//! The dedicated worker that owns the GPU: downloaded by whoever runs a kernel first, and by no one else.
//!
//! The page posts a family, a kernel and its sizes, and is told how far it is, and in the end what was measured ([`Said`]). One
//! job at a time; a page that no longer wants the answer ends the worker. Only [`webgpu`] names the browser's WebGPU.

mod adapter;
mod run;
mod twin;
mod webgpu;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Reflect};
use ringside_core::kernels::wire::{Said, Trouble};
use ringside_shaders::{Kernel, Problem};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use adapter::Gpu;
use webgpu::member;

fn main() {
    // The device is kept from one job to the next, until it is lost.
    let gpu: Rc<RefCell<Option<Gpu>>> = Rc::default();
    let on_message = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| {
        let job = Array::from(&member(&event, "data"));
        let gpu = gpu.clone();
        spawn_local(async move {
            let said = match known(&job) {
                Some((kernel, problem)) => work(&gpu, kernel, &problem).await,
                None => Said::Failed(Trouble::NotAccepted("there is no such kernel for these sizes.".to_owned())),
            };
            say(&said);
        });
    });
    // The scope of a worker takes its handler; if it does not, the page is never told that it is ready.
    let set = Reflect::set(&js_sys::global(), &"onmessage".into(), &on_message.into_js_value());
    if set == Ok(true) {
        say(&Said::Ready);
    }
}

/// Posts to the page: an array of words, and one of numbers.
fn say(said: &Said) {
    let wire = said.wire();
    let words: Array = wire.words.iter().map(|word| JsValue::from_str(word)).collect();
    let numbers: Array = wire.numbers.iter().map(|number| JsValue::from_f64(*number)).collect();
    let scope = js_sys::global();
    if let Ok(post) = member(&scope, "postMessage").dyn_into::<Function>() {
        // A page that is gone hears nothing.
        let _ = post.call1(&scope, &Array::of2(&words, &numbers));
    }
}

fn progress(doing: &str, done: f64) {
    say(&Said::Progress { doing: doing.to_owned(), done });
}

/// The kernel and the problem that a job names: family, kernel, sizes.
fn known(job: &Array) -> Option<(&'static Kernel, Problem)> {
    let (family, kernel) = (job.get(0).as_string()?, job.get(1).as_string()?);
    let sizes: Vec<u64> = (2..job.length()).filter_map(|i| job.get(i).as_f64()).map(|size| size as u64).collect();
    Some((ringside_shaders::find(&family, &kernel)?, Problem::read(&family, &sizes)?))
}

/// Runs it on the GPU, or if that is not to be on the CPU.
async fn work(gpu: &RefCell<Option<Gpu>>, kernel: &'static Kernel, problem: &Problem) -> Said {
    let kept = gpu.borrow_mut().take();
    let ready = match kept.filter(Gpu::alive) {
        Some(ready) => Ok(ready),
        None => Gpu::ask().await,
    };
    let outcome = match ready {
        Ok(ready) => {
            let outcome = run::run(&ready, kernel, problem).await.map_err(|trouble| ready.explain(trouble));
            if ready.alive() {
                *gpu.borrow_mut() = Some(ready);
            }
            outcome
        }
        Err(trouble) => Err(trouble),
    };
    match outcome {
        Ok(measured) => Said::Done(Box::new(measured), None),
        Err(trouble) => twin::run(kernel, problem, trouble),
    }
}
