//! The CPU takes over where there is no GPU to run on.

use ringside_core::kernels::TWIN;
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::timing::summary;
use ringside_core::kernels::wire::{Said, Trouble};
use ringside_shaders::{Kernel, Problem};

use crate::run::{SEED, checked};
use crate::{progress, webgpu};

/// How long it may go on measuring, in milliseconds, and how often at most.
const ENOUGH: f64 = 2000.0;
const ROUNDS: usize = 5;

/// Runs the kernel's twin, because of `trouble`.
pub(crate) fn run(kernel: &'static Kernel, problem: &Problem, trouble: Trouble) -> Said {
    if problem.work() > TWIN {
        return Said::Failed(trouble);
    }
    let inputs = problem.data(SEED);
    let started = webgpu::now();
    let mut seconds = Vec::new();
    let mut output = Vec::new();
    while seconds.is_empty() || seconds.len() < ROUNDS && webgpu::now() - started < ENOUGH {
        progress("running on the CPU", seconds.len() as f64 / ROUNDS as f64);
        let before = webgpu::now();
        output = (kernel.twin)(problem, &inputs).0;
        seconds.push((webgpu::now() - before) / 1e3);
    }
    let measured = Measured {
        device: "CPU".to_owned(),
        rounds: seconds.len() as u32,
        repeats: 1,
        ..checked(kernel, problem, &inputs, &output)
    };
    Said::Done(Box::new(measured.with_times(summary(&seconds))), Some(trouble))
}
