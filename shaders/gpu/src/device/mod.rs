//! What runs on a device. A result is checked before it is timed. What goes wrong is a [`Trouble`]: a device that is lost, memory that is
//! not there, a text that does not compile, a kernel that does not end. The worker of the site and `cargo xtask kernels` are thin callers.

mod adapter;
mod pass;
#[cfg_attr(target_arch = "wasm32", path = "browser.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "native.rs")]
mod platform;
mod program;
mod puzzle;
mod run;
mod twin;

use std::cell::RefCell;

use ringside_core::kernels::job::{Job, Said, Trouble};
use ringside_shaders::{Kernel, Problem, puzzles};

pub use adapter::Gpu;
#[cfg(not(target_arch = "wasm32"))]
pub use platform::block_on;
pub use puzzle::try_puzzle;
pub use run::{Effort, run};

/// Is told what is done now, in a few words, and how far it is, from 0 to 1.
pub type Progress<'a> = &'a dyn Fn(&str, f64);

fn unknown(why: &str) -> Said {
    Said::Failed(Trouble::NotAccepted(why.to_owned()))
}

/// Does jobs, one at a time, and keeps the device from one to the next, until it is lost.
#[derive(Debug, Default)]
pub struct Bench {
    kept: RefCell<Option<Gpu>>,
}

impl From<Gpu> for Bench {
    fn from(gpu: Gpu) -> Self {
        Self { kept: RefCell::new(Some(gpu)) }
    }
}

impl Bench {
    /// Does a job. Where there is no GPU to run one of our kernels on, the CPU does the same.
    pub async fn job(&self, job: &Job, progress: Progress<'_>) -> Said {
        match job {
            Job::Puzzle { puzzle, body, seed } => {
                let Some(puzzle) = puzzles::find(puzzle) else { return unknown("there is no such puzzle.") };
                match self.with(async |gpu| try_puzzle(gpu, puzzle, body, *seed, progress).await).await {
                    Ok(tried) => Said::Tried(Box::new(tried)),
                    Err(trouble) => Said::Failed(trouble),
                }
            }
            Job::Kernel { family, kernel, sizes } => {
                match ringside_shaders::find(family, kernel).zip(Problem::read(family, sizes)) {
                    Some((kernel, problem)) => self.kernel(kernel, &problem, progress).await,
                    None => unknown("there is no such kernel for these sizes."),
                }
            }
        }
    }

    async fn kernel(&self, kernel: &'static Kernel, problem: &Problem, progress: Progress<'_>) -> Said {
        let ran = self.with(async |gpu| run(gpu, kernel, problem, Effort::default(), progress).await).await;
        match ran {
            Ok(measured) => Said::Done(Box::new(measured), None),
            Err(trouble) => twin::run(kernel, problem, trouble, progress),
        }
    }

    /// Does something with the device that is kept, or with a new one, and keeps it as long as it answers.
    async fn with<T>(&self, act: impl AsyncFnOnce(&Gpu) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let old = self.kept.borrow_mut().take();
        let gpu = match old.filter(Gpu::alive) {
            Some(gpu) => gpu,
            None => Gpu::ask().await?,
        };
        let outcome = act(&gpu).await.map_err(|trouble| gpu.explain(trouble));
        match outcome {
            // To let go of a device that still runs would be to wait for it.
            Err(Trouble::Silent(_)) => std::mem::forget(gpu),
            _ if gpu.alive() => *self.kept.borrow_mut() = Some(gpu),
            _ => {}
        }
        outcome
    }
}
