//! The dedicated worker that owns the GPU: downloaded by whoever runs a kernel first, and by no one else.
//!
//! The page posts a family, a kernel and its sizes, and is told how far it is, and in the end what was measured ([`Said`]); or
//! a learner's [`text`] with its buffers, and is told what became of them. One job at a time; a page that no longer wants the
//! answer ends the worker. Only [`webgpu`] names the browser's WebGPU.

mod adapter;
mod pass;
mod run;
mod text;
mod twin;
mod webgpu;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Array;
use ringside_core::kernels::wire::{Said, TEXT, Trouble};
use ringside_shaders::{Kernel, Problem};
use wasm_bindgen_futures::spawn_local;

use adapter::Gpu;

fn main() {
    // The device is kept from one job to the next, until it is lost.
    let gpu: Rc<RefCell<Option<Gpu>>> = Rc::default();
    let hears = ringside_worker::hear(move |job| {
        let job = Array::from(&job);
        let gpu = gpu.clone();
        spawn_local(async move {
            let said = if job.get(0).as_string().as_deref() == Some(TEXT) {
                with_gpu(&gpu, async |gpu| text::run(gpu, &job).await).await.unwrap_or_else(Said::Failed)
            } else {
                match known(&job) {
                    Some((kernel, problem)) => work(&gpu, kernel, &problem).await,
                    None => Said::Failed(Trouble::NotAccepted("there is no such kernel for these sizes.".to_owned())),
                }
            };
            say(&said);
        });
    });
    if hears {
        say(&Said::Ready);
    }
}

fn say(said: &Said) {
    ringside_worker::say(&said.wire());
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
    let run = async |ready: &Gpu| run::run(ready, kernel, problem).await.map_err(|trouble| ready.explain(trouble));
    match with_gpu(gpu, run).await.and_then(|outcome| outcome) {
        Ok(measured) => Said::Done(Box::new(measured), None),
        Err(trouble) => twin::run(kernel, problem, trouble),
    }
}

/// Does something with the device that is kept, or with a new one, and keeps it as long as it is not lost.
async fn with_gpu<T>(kept: &RefCell<Option<Gpu>>, act: impl AsyncFnOnce(&Gpu) -> T) -> Result<T, Trouble> {
    let old = kept.borrow_mut().take();
    let ready = match old.filter(Gpu::alive) {
        Some(ready) => ready,
        None => Gpu::ask().await?,
    };
    let outcome = act(&ready).await;
    if ready.alive() {
        *kept.borrow_mut() = Some(ready);
    }
    Ok(outcome)
}
