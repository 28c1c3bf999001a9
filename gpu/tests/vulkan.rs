//! The passes without a browser, on whatever Vulkan adapter there is: Mesa's lavapipe (on Debian: mesa-vulkan-drivers) is one
//! in software. Without one, each test is shown as ignored.

use std::cell::RefCell;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use ringside_core::kernels::job::{Job, Ran, Said, Trouble};
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::{attention, matmul, stream};
use ringside_gpu::{Bench, Effort, Gpu, block_on, run, run_text};
use ringside_shaders::puzzles::{self, PUZZLES, Puzzle};
use ringside_shaders::{Kernel, Problem};

type Outcome = Result<(), Failed>;

fn main() {
    let arguments = Arguments::from_args();
    let none = block_on(Gpu::ask()).is_err();
    let tests: [(&str, fn() -> Outcome); 9] = [
        ("every_kernel_is_right_at_sizes_that_no_tile_divides", every_kernel_is_right),
        ("what_is_right_is_timed", what_is_right_is_timed),
        ("what_is_wrong_is_seen", what_is_wrong_is_seen),
        ("every_solution_of_a_puzzle_is_right", every_solution_is_right),
        ("a_compiler_says_where", a_compiler_says_where),
        ("a_loop_that_does_not_end_is_broken_off_and_the_next_text_runs", endless_loops_are_broken_off),
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
        Problem::Attention(attention::Sizes { seq: 43, head_dim: 32, heads: 4, kv_heads: 2, causal: true }),
    ];
    all.extend(Op::ALL.map(|op| Problem::Rows(op, rows::Sizes { rows: 5, cols: 4099 })));
    all.push(Problem::Copy(stream::Copy { rows: 67, cols: 131 }));
    all.push(Problem::Sum(stream::Sum { n: 8209 }));
    all.push(Problem::Intensity(stream::Intensity { n: 1003, fma: 37 }));
    all
}

fn every_kernel_is_right() -> Outcome {
    let gpu = gpu()?;
    let effort = Effort { check: u64::MAX, timed: false };
    for problem in odd() {
        for kernel in ringside_shaders::all().filter(|kernel| kernel.family == problem.family()) {
            match block_on(run(&gpu, kernel, &problem, effort, &quiet)) {
                Ok(measured) => ensure(measured.verified && measured.checked == measured.of, (kernel.id, measured))?,
                Err(why) => ensure(why == Trouble::NoF16 && kernel.f16 && !gpu.f16, (kernel.id, why))?,
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
    let &Kernel { family, id, constants, scratch, passes, f16, twin, .. } = kernel;
    Ok(Box::leak(Box::new(Kernel { family, id, template, constants, scratch, passes, f16, twin })))
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

/// What came of a text, and what is wrong with it at the first sizes where anything is.
fn tried(gpu: &Gpu, puzzle: &Puzzle, body: &str) -> Result<(Ran, Option<String>), Failed> {
    let cases = puzzle.cases(7);
    let ran = block_on(run_text(gpu, &puzzle.trial(body, &cases), &quiet)).map_err(|why| format!("{why:?}"))?;
    let wrong = cases.iter().zip(&ran.outputs).find_map(|(case, output)| match output.split_last() {
        Some((flag, output)) if flag.to_bits() == 0 => puzzle.check(case, output).map(|wrong| wrong.to_string()),
        _ => Some("endless".to_owned()),
    });
    let missing = ran.outputs.len() < cases.len();
    Ok((ran, wrong.or_else(|| missing.then(|| "not all were run".to_owned()))))
}

fn every_solution_is_right() -> Outcome {
    let gpu = gpu()?;
    for puzzle in PUZZLES {
        let (ran, wrong) = tried(&gpu, puzzle, puzzle.frame().solution)?;
        ensure(wrong.is_none() && ran.notes.is_empty(), (puzzle.id, wrong, ran.notes))?;
        let (_, wrong) = tried(&gpu, puzzle, puzzle.frame().start)?;
        ensure(wrong.is_some(), puzzle.id)?;
        let race = block_on(run_text(&gpu, &puzzle.race(puzzle.frame().solution), &quiet));
        ensure(race.as_ref().is_ok_and(|ran| ran.times.median > 0.0), (puzzle.id, race))?;
    }
    Ok(())
}

fn doubling() -> Result<&'static Puzzle, Failed> {
    puzzles::find("guard").ok_or_else(|| "there is no such puzzle".into())
}

const DOUBLED: &str = "  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }";

fn a_compiler_says_where() -> Outcome {
    let (gpu, puzzle) = (gpu()?, doubling()?);
    let before = puzzle.frame().head.lines().count() as u32;
    let (ran, _) = tried(&gpu, puzzle, "  let i = id.x;\n  /* größer */ out[i] = b[i];")?;
    let [note] = ran.notes.as_slice() else { return Err(format!("{:?}", ran.notes).into()) };
    ensure(note.error && (note.line, note.column) == (before + 2, 25) && note.text.contains('b'), note)?;
    ensure(ran.outputs.is_empty(), ran.outputs)
}

fn endless_loops_are_broken_off() -> Outcome {
    let (gpu, puzzle) = (gpu()?, doubling()?);
    for endless in [
        "  var i = id.x;\n  while (true) { i++; out[0] = f32(i); }",
        "  for (var i = 0u; ; ) { out[i] = 1.0; }",
        "  loop { out[0] = 1.0; continuing { out[1] = 2.0; } }",
    ] {
        let (ran, wrong) = tried(&gpu, puzzle, endless)?;
        ensure(wrong.as_deref() == Some("endless") && ran.outputs.len() == 1, (endless, wrong, ran.outputs))?;
        let (_, wrong) = tried(&gpu, puzzle, DOUBLED)?;
        ensure(wrong.is_none(), wrong)?;
    }
    Ok(())
}

fn what_does_not_answer_is_given_up() -> Outcome {
    let mut gpu = gpu()?;
    gpu.patience = Duration::from_millis(5);
    // A second or two, so that the test ends.
    let long = "  var x = f32(id.x);\n  for (var i = 0u; i < 400000u; i++) { x = fma(x, 1.0001, out[i % 7u]); }\n  out[0] = x;";
    let outcome = block_on(run_text(&gpu, &doubling()?.race(long), &quiet));
    ensure(outcome == Err(Trouble::Silent(0.005)), outcome)?;
    // To let go of it would be to wait for it.
    std::mem::forget(gpu);
    Ok(())
}

fn a_lost_device_is_replaced() -> Outcome {
    let lost = gpu()?;
    lost.destroy();
    let outcome = block_on(run_text(&lost, &doubling()?.race(DOUBLED), &quiet)).map_err(|why| lost.explain(why));
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
    // A workgroup of more invocations than any may have.
    let mut text = doubling()?.race(DOUBLED);
    text.code = text.code.replacen("@workgroup_size(", "@workgroup_size(64, 64, 64) @diagnostic(off, ", 1);
    let said = block_on(bench.job(&Job::Text(text), &quiet));
    ensure(
        matches!(&said, Said::Failed(Trouble::NotAccepted(_)))
            || matches!(&said, Said::Ran(ran) if !ran.notes.is_empty()),
        said,
    )?;
    let said = block_on(bench.job(&Job::Text(doubling()?.race(DOUBLED)), &quiet));
    ensure(matches!(&said, Said::Ran(ran) if ran.times.median > 0.0), said)
}
