//! The passes without a browser, on whatever Vulkan adapter there is: Mesa's lavapipe (on Debian: mesa-vulkan-drivers) is one
//! in software. Without one, each test is shown as ignored.

mod hostile;

use std::cell::RefCell;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use ringside_core::coalescing::measured::{Gather, ORDERS};
use ringside_core::kernels::job::{Job, Said, Trouble, Verdict};
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::{attention, decode, matmul, stream};
use ringside_gpu::device::{Bench, Effort, Gpu, block_on, run, try_puzzle};
use ringside_shaders::puzzles::{self, PUZZLES, Puzzle};
use ringside_shaders::{Kernel, Problem};

use hostile::Expected;

type Outcome = Result<(), Failed>;

/// A test: what it says, and what comes of it.
type Test = (&'static str, fn() -> Outcome);

fn main() {
    let arguments = Arguments::from_args();
    let none = block_on(Gpu::ask()).is_err();
    let tests: [Test; 10] = [
        ("every_kernel_is_right_at_sizes_that_no_tile_divides", every_kernel_is_right),
        ("what_is_right_is_timed", what_is_right_is_timed),
        ("what_is_wrong_is_seen", what_is_wrong_is_seen),
        ("every_solution_of_a_puzzle_is_right", every_solution_is_right),
        ("a_compiler_says_where", a_compiler_says_where),
        ("hostile_texts_come_to_nothing", hostile_texts_come_to_nothing),
        ("unusual_texts_are_right", unusual_texts_are_right),
        ("what_does_not_answer_is_given_up", what_does_not_answer_is_given_up),
        ("a_device_that_is_lost_is_replaced", a_lost_device_is_replaced),
        ("what_the_device_refuses_is_said_and_the_next_job_runs", refusals_are_said),
    ];
    let trials: Vec<Trial> = tests.map(|(name, test)| Trial::test(name, test).with_ignored_flag(none)).into();
    if none {
        println!("There is no Vulkan adapter here: nothing of this is tested. Debian has one in mesa-vulkan-drivers.");
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn gpu() -> Result<Gpu, Failed> {
    block_on(Gpu::ask()).map_err(|why| format!("{why:?}").into())
}

fn quiet(_: &str, _: f64) {}

fn ensure(right: bool, what: impl std::fmt::Debug) -> Outcome {
    if right { Ok(()) } else { Err(format!("{what:?}").into()) }
}

/// Sizes that no tile divides. Lavapipe compiles heads of 32 in seconds, and of 128 in minutes.
fn odd() -> Vec<Problem> {
    let mut all = vec![
        Problem::Matmul(matmul::Sizes { m: 131, n: 67, k: 37 }),
        // Rows that are whole vectors, and tiles that fit.
        Problem::Matmul(matmul::Sizes { m: 256, n: 132, k: 32 }),
        Problem::Decode(decode::Sizes { keys: 333, head_dim: 64, heads: 6, kv_heads: 2, chunk: 100 }),
        Problem::Attention(attention::Sizes { seq: 43, head_dim: 32, heads: 4, kv_heads: 2, causal: true }),
    ];
    all.extend(Op::ALL.map(|op| Problem::Rows(op, rows::Sizes { rows: 5, cols: 4099 })));
    all.push(Problem::Copy(stream::Copy { rows: 67, cols: 131 }));
    all.push(Problem::Sum(stream::Sum { n: 8209 }));
    all.push(Problem::Intensity(stream::Intensity { n: 1003, fma: 37 }));
    all.extend(ORDERS.map(|order| Problem::Gather(Gather { n: 8192, order, stride: 13, offset: 5 })));
    all
}

fn every_kernel_is_right() -> Outcome {
    let gpu = gpu()?;
    let effort = Effort { check: u64::MAX, timed: false };
    for problem in odd() {
        for kernel in ringside_shaders::all().filter(|kernel| kernel.family == problem.family()) {
            match block_on(run(&gpu, kernel, &problem, effort, &quiet)) {
                Ok(measured) => ensure(measured.verified && measured.checked == measured.of, (kernel.id, measured))?,
                Err(Trouble::NoF16) => ensure(kernel.f16 && !gpu.f16, kernel.id)?,
                Err(why) => ensure(why == Trouble::NoSubgroups && !gpu.subgroups, (kernel.id, why))?,
            }
        }
    }
    Ok(())
}

const TILED: fn() -> Job =
    || Job::Kernel { family: "matmul".into(), kernel: "tiled".into(), sizes: vec![256, 200, 128] };

fn what_is_right_is_timed() -> Outcome {
    let said = RefCell::new(Vec::new());
    let progress = |doing: &str, done: f64| said.borrow_mut().push((doing.to_owned(), done));
    let Said::Done(measured, None) = block_on(Bench::default().job(&TILED(), &progress)) else {
        return Err("it did not run on the GPU".into());
    };
    ensure(measured.verified && measured.seconds > 0.0, &measured)?;
    ensure(measured.low <= measured.seconds && measured.seconds <= measured.high && measured.rounds >= 3, &measured)?;
    let said = said.into_inner();
    let stages: Vec<&str> = said.chunk_by(|a, b| a.0 == b.0).map(|same| same[0].0.as_str()).collect();
    // What is slow on a processor is run again in pieces.
    let last = stages.last().is_some_and(|last| ["measuring", "running"].contains(last));
    ensure(stages.starts_with(&["compiling the kernel", "running", "checking against f64"]) && last, &stages)?;
    ensure(said.is_sorted_by(|a, b| a.1 <= b.1) && said.iter().all(|(_, done)| (0.0..=1.0).contains(done)), &said)
}

/// A kernel of ours with a mistake in its text.
fn mistaken(family: &str, id: &str, from: &str, to: &str) -> Result<&'static Kernel, Failed> {
    let kernel = ringside_shaders::find(family, id).ok_or("there is no such kernel")?;
    ensure(kernel.template.contains(from), kernel.template)?;
    let template = Box::leak(kernel.template.replace(from, to).into_boxed_str());
    let &Kernel { family, id, constants, scratch, passes, f16, subgroups, fits, twin, .. } = kernel;
    Ok(Box::leak(Box::new(Kernel { family, id, template, constants, scratch, passes, f16, subgroups, fits, twin })))
}

fn what_is_wrong_is_seen() -> Outcome {
    let gpu = gpu()?;
    let problem = Problem::Matmul(matmul::Sizes { m: 33, n: 17, k: 9 });
    let wrong = mistaken("matmul", "naive", "+=", "-=")?;
    let measured = block_on(run(&gpu, wrong, &problem, Effort::default(), &quiet));
    ensure(measured.as_ref().is_ok_and(|measured| !measured.verified && measured.max_error > 0.0), measured)?;
    let broken = mistaken("matmul", "naive", "+=", "+/")?;
    let refused = block_on(run(&gpu, broken, &problem, Effort::default(), &quiet));
    ensure(matches!(&refused, Err(Trouble::NotAccepted(why)) if !why.is_empty()), refused)
}

fn tried(gpu: &Gpu, puzzle: &Puzzle, body: &str) -> Result<Verdict, Failed> {
    let tried = block_on(try_puzzle(gpu, puzzle, body, 7, &quiet));
    tried.map(|tried| tried.verdict).map_err(|why| format!("{body}: {why:?}").into())
}

fn every_solution_is_right() -> Outcome {
    let gpu = gpu()?;
    for puzzle in PUZZLES {
        if puzzle.subgroups() && !gpu.subgroups {
            let outcome = block_on(try_puzzle(&gpu, puzzle, puzzle.frame().solution, 7, &quiet));
            ensure(outcome == Err(Trouble::NoSubgroups), outcome)?;
            continue;
        }
        let verdict = tried(&gpu, puzzle, puzzle.frame().solution)?;
        let all = puzzle.cases(7).len() + 1;
        ensure(
            matches!(verdict, Verdict::Right(timing) if timing.cases == all && timing.seconds > 0.0 && timing.guard <= timing.seconds),
            (puzzle.id, verdict),
        )?;
        let verdict = tried(&gpu, puzzle, puzzle.frame().start)?;
        ensure(matches!(verdict, Verdict::Wrong(..) | Verdict::Refused(_)), (puzzle.id, verdict))?;
    }
    Ok(())
}

fn puzzle(id: &str) -> Result<&'static Puzzle, Failed> {
    puzzles::find(id).ok_or_else(|| "there is no such puzzle".into())
}

const DOUBLED: &str = "  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }";

fn a_compiler_says_where() -> Outcome {
    let (gpu, puzzle) = (gpu()?, puzzle("guard")?);
    let before = puzzle.frame().head.lines().count() as u32;
    let verdict = tried(&gpu, puzzle, "  let i = id.x;\n  /* größer */ out[i] = b[i];")?;
    let Verdict::Refused(notes) = verdict else { return Err(format!("{verdict:?}").into()) };
    let [note] = notes.as_slice() else { return Err(format!("{notes:?}").into()) };
    ensure(note.error && (note.line, note.column) == (before + 2, 25) && note.text.contains('b'), note)
}

/// Every hostile text comes to what it should, and the next one runs.
fn hostile_texts_come_to_nothing() -> Outcome {
    let (gpu, puzzle) = (gpu()?, puzzle("guard")?);
    let all = hostile::all();
    ensure(all.len() >= 60, all.len())?;
    let mut failed = Vec::new();
    for (number, (text, expected)) in all.iter().enumerate() {
        let verdict = tried(&gpu, puzzle, text)?;
        let met = match expected {
            Expected::Endless => matches!(verdict, Verdict::Endless(..)),
            Expected::Slow => matches!(verdict, Verdict::Slow(..)),
            Expected::Wrong => matches!(verdict, Verdict::Wrong(..)),
            Expected::Refused => {
                matches!(&verdict, Verdict::Refused(notes) if notes.iter().any(|n| n.error && !n.text.is_empty()))
            }
        };
        if !met {
            let text: String = text.chars().take(300).collect();
            failed.push(format!("{number}: {text}\n    should be {expected:?} and is {verdict:?}"));
        }
        if number % 10 == 0 {
            let verdict = tried(&gpu, puzzle, DOUBLED)?;
            ensure(matches!(verdict, Verdict::Right(_)), (text, verdict))?;
        }
    }
    // They end, whatever they come to.
    for text in hostile::DIVERGENT {
        tried(&gpu, puzzle, text)?;
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
}

/// What is right in forms that are seldom seen stays so.
fn unusual_texts_are_right() -> Outcome {
    let (gpu, puzzle) = (gpu()?, puzzle("guard")?);
    for text in hostile::HARMLESS {
        let verdict = tried(&gpu, puzzle, text)?;
        ensure(matches!(verdict, Verdict::Right(timing) if timing.seconds > 0.0), (text, verdict))?;
    }
    Ok(())
}

fn what_does_not_answer_is_given_up() -> Outcome {
    let mut gpu = gpu()?;
    gpu.patience = Duration::from_millis(2);
    // It takes a while, and ends, so that the test does.
    let long =
        "  var x = f32(id.x);\n  for (var i = 0u; i < 30000u; i++) { x = fma(x, 1.0001, out[i % 7u]); }\n  out[0] = x;";
    let outcome = block_on(try_puzzle(&gpu, puzzle("guard")?, long, 7, &quiet));
    ensure(outcome == Err(Trouble::Silent(0.002)), outcome)?;
    // To let go of it would be to wait for it.
    std::mem::forget(gpu);
    Ok(())
}

fn a_lost_device_is_replaced() -> Outcome {
    let lost = gpu()?;
    lost.destroy();
    let outcome = block_on(try_puzzle(&lost, puzzle("guard")?, DOUBLED, 7, &quiet)).map_err(|why| lost.explain(why));
    ensure(matches!(outcome, Err(Trouble::Lost(_))) && !lost.alive(), &outcome)?;
    let bench = Bench::from(lost);
    let said = block_on(bench.job(&TILED(), &quiet));
    ensure(matches!(&said, Said::Done(measured, None) if measured.verified), said)
}

fn refusals_are_said() -> Outcome {
    let bench = Bench::default();
    let nothing = Job::Kernel { family: "matmul".into(), kernel: "none".into(), sizes: vec![1, 1, 1] };
    let said = block_on(bench.job(&nothing, &quiet));
    ensure(matches!(said, Said::Failed(Trouble::NotAccepted(_))), said)?;
    let mut gpu = gpu()?;
    gpu.largest = 1 << 10;
    let problem = Problem::Copy(stream::Copy { rows: 64, cols: 64 });
    let kernel = ringside_shaders::find("copy", "coalesced").ok_or("there is no such kernel")?;
    let refused = block_on(run(&gpu, kernel, &problem, Effort::default(), &quiet));
    ensure(refused == Err(Trouble::TooLarge(16384.0, 1024.0)), refused)?;
    // What is not bound.
    let greedy = "  out[0] = other[0]; }\n@group(0) @binding(9) var<storage, read> other: array<f32>;\nfn f() {";
    let job = |body: &str| Job::Puzzle { puzzle: "guard".into(), body: body.into(), seed: 7 };
    let said = block_on(bench.job(&job(greedy), &quiet));
    ensure(matches!(&said, Said::Tried(tried) if matches!(tried.verdict, Verdict::Refused(_))), said)?;
    let said = block_on(bench.job(&job(DOUBLED), &quiet));
    ensure(matches!(&said, Said::Tried(tried) if matches!(tried.verdict, Verdict::Right(..))), said)
}
