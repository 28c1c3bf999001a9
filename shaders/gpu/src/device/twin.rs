//! The CPU takes over where there is no GPU to run on.

use ringside_core::kernels::TWIN;
use ringside_core::kernels::job::{Said, Trouble};
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::timing::summary;
use ringside_shaders::{Kernel, Problem};
use web_time::Instant;

use super::Progress;
use super::run::{Effort, SEED, checked};

/// How long it may go on measuring, in seconds, and how often at most.
const ENOUGH: f64 = 2.0;
const ROUNDS: usize = 5;

/// Runs the kernel's twin, because of `trouble`.
pub(crate) fn run(kernel: &'static Kernel, problem: &Problem, trouble: Trouble, progress: Progress<'_>) -> Said {
    if problem.work() > TWIN {
        return Said::Failed(trouble);
    }
    let inputs = problem.data(SEED);
    let started = Instant::now();
    let mut seconds = Vec::new();
    let mut output = Vec::new();
    while seconds.is_empty() || seconds.len() < ROUNDS && started.elapsed().as_secs_f64() < ENOUGH {
        progress("running on the CPU", seconds.len() as f64 / ROUNDS as f64);
        let before = Instant::now();
        output = (kernel.twin)(problem, &inputs).0;
        seconds.push(before.elapsed().as_secs_f64());
    }
    progress("checking against f64", 0.9);
    let measured = Measured {
        device: "CPU".to_owned(),
        rounds: seconds.len() as u32,
        repeats: 1,
        ..checked(kernel, problem, &inputs, &output, Effort::default().check)
    };
    Said::Done(Box::new(measured.with_times(summary(&seconds))), Some(trouble))
}
