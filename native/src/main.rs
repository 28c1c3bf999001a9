//! `cargo xtask kernels`: every kernel on a Vulkan adapter. Each is checked against f64 at sizes that no tile divides, then
//! timed at sizes that fill a GPU, and checked there too.

mod gpu;
mod table;

use std::process::ExitCode;

use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::timing::{PASS, SUBMISSION, Summary, repeats, summary};
use ringside_core::kernels::{attention, matmul, stream};
use ringside_shaders::check::{Checked, check};
use ringside_shaders::{Kernel, Problem};

use gpu::{Gpu, Program};

/// The inputs are the same every time.
const SEED: u32 = 1;
/// Measurements of each kernel.
const ROUNDS: usize = 7;
/// Multiplications that a check may take where there are too many values for all: about a second of them, unoptimised.
const CHECK: u64 = 1 << 25;

/// A kernel that was run: what it is, at which sizes, and what came of it.
struct Outcome {
    kernel: &'static Kernel,
    problem: Problem,
    checked: Checked,
    /// Time of a run, in seconds; none where it was only checked.
    times: Option<Summary>,
}

fn main() -> ExitCode {
    let gpu = match Gpu::ask() {
        Ok(gpu) => gpu,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    println!("{}", gpu.name);
    if gpu.software {
        println!("This adapter is made of software: its times do not show how a GPU behaves, and sizes are smaller.");
    }
    let mut wrong = 0;
    for outcomes in [run(&gpu, &odd(), false), run(&gpu, &large(gpu.software), true)] {
        print!("{}", table::text(&outcomes));
        wrong += outcomes.iter().filter(|outcome| !outcome.checked.verified()).count();
    }
    if wrong > 0 {
        eprintln!("{wrong} kernels are wrong.");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Sizes that no tile divides.
fn odd() -> Vec<Problem> {
    let attention =
        |head_dim, causal| Problem::Attention(attention::Sizes { seq: 83, head_dim, heads: 4, kv_heads: 2, causal });
    let mut all = vec![Problem::Matmul(matmul::Sizes { m: 131, n: 67, k: 37 })];
    all.extend([(32, false), (64, true), (128, true)].map(|(head_dim, causal)| attention(head_dim, causal)));
    all.extend(Op::ALL.map(|op| Problem::Rows(op, rows::Sizes { rows: 5, cols: 4099 })));
    all.push(Problem::Copy(stream::Copy { rows: 67, cols: 131 }));
    all.push(Problem::Sum(stream::Sum { n: 8209 }));
    all.push(Problem::Intensity(stream::Intensity { n: 1003, fma: 37 }));
    all
}

/// Sizes that fill a GPU, or keep a processor busy.
fn large(software: bool) -> Vec<Problem> {
    let side = if software { 256 } else { 1024 };
    let wide = if software { 1024 } else { 4096 };
    let values = wide * wide;
    let mut all = vec![
        Problem::Matmul(matmul::Sizes { m: side, n: side, k: side }),
        Problem::Attention(attention::Sizes { seq: side, head_dim: 64, heads: 4, kv_heads: 4, causal: false }),
    ];
    all.extend(Op::ALL.map(|op| Problem::Rows(op, rows::Sizes { rows: wide, cols: wide })));
    all.push(Problem::Copy(stream::Copy { rows: wide, cols: wide }));
    all.push(Problem::Sum(stream::Sum { n: values }));
    all.extend([1, 16, 256].map(|fma| Problem::Intensity(stream::Intensity { n: values, fma })));
    all
}

/// Runs every kernel that there is for these problems.
fn run(gpu: &Gpu, problems: &[Problem], timed: bool) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for problem in problems {
        let inputs = problem.data(SEED);
        for kernel in ringside_shaders::all().filter(|kernel| kernel.family == problem.family()) {
            if kernel.f16 && !gpu.f16 {
                println!("{} {}: skipped, the adapter has no f16 in shaders", kernel.family, kernel.id);
                continue;
            }
            let program = Program::new(gpu, kernel, problem, &inputs);
            program.run(1);
            let output = program.output();
            let budget = if timed { CHECK } else { u64::MAX };
            let checked = check(kernel, problem, &inputs, &output, budget);
            let times = timed.then(|| measure(&program));
            outcomes.push(Outcome { kernel, problem: *problem, checked, times });
        }
    }
    outcomes
}

/// Repeats runs until a submission is long enough to be timed, and times several.
fn measure(program: &Program) -> Summary {
    let warm = program.run(1);
    let mut times = repeats(warm);
    if f64::from(times) * warm < PASS {
        times = repeats(program.run(times) / f64::from(times));
    }
    let rounds = if warm > SUBMISSION { 2 } else { ROUNDS };
    let seconds: Vec<f64> = (0..rounds).map(|_| program.run(times) / f64::from(times)).collect();
    summary(&seconds)
}
