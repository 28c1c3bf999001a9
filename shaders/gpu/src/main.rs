//! `cargo xtask kernels`: every kernel on a Vulkan adapter. Each is checked against f64 at sizes that no tile divides, then
//! timed at sizes that fill a GPU, and checked there too; then the tuner searches. Words name the families to run: `matmul decode`;
//! after `--json`, a file for what was timed. After `--bench-dir`, a folder: the kernels are written there for a bench, and none is run.

mod table;

use std::process::ExitCode;
use std::time::Duration;

use ringside_core::coalescing::measured::{Gather, ORDERS, Order};
use ringside_core::kernels::config::Numbers;
use ringside_core::kernels::job::Trouble;
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::reference::Reference;
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::tuner::{self, Trial};
use ringside_core::kernels::{Work as _, attention, decode, matmul, stream};
use ringside_core::query::Query;
use ringside_gpu::bench_dir;
use ringside_gpu::device::{Effort, Gpu, block_on, run};
use ringside_shaders::Problem;

fn main() -> ExitCode {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    let file = match wanted.iter().position(|word| word == "--json") {
        Some(at) if at + 1 < wanted.len() => wanted.drain(at..=at + 1).next_back(),
        Some(_) => {
            eprintln!("After --json, the file to write: [<family> …] [--json <file>]");
            return ExitCode::FAILURE;
        }
        None => None,
    };
    if let [flag, folder] = wanted.as_slice()
        && flag == "--bench-dir"
    {
        return match bench_dir::write_all(folder.as_ref()) {
            Ok(count) => {
                println!("Wrote {count} kernels; measure them with `node run.mjs --kernels {folder} --only ours,jax`.");
                ExitCode::SUCCESS
            }
            Err(why) => {
                eprintln!("Could not write into {folder}: {why}");
                ExitCode::FAILURE
            }
        };
    }
    let mut gpu = match block_on(Gpu::ask()) {
        Ok(gpu) => gpu,
        Err(why) => {
            eprintln!(
                "There is no Vulkan adapter here ({why:?}). Install the driver of your GPU; or, to try the kernels in \
                 software, lavapipe (on Debian: mesa-vulkan-drivers)."
            );
            return ExitCode::FAILURE;
        }
    };
    // Lavapipe compiles the largest of them for minutes.
    gpu.patience = Duration::from_secs(1800);
    println!("{}", gpu.name);
    if gpu.software {
        println!("This adapter is made of software: its times do not show how a GPU behaves, and sizes are smaller.");
    }
    let all = Effort { check: u64::MAX, timed: false };
    // About a second of multiplications, unoptimised.
    let some = Effort { check: 1 << 25, timed: true };
    let mut timed: Vec<Measured> = Vec::new();
    let is_wanted = |family: &str| wanted.is_empty() || wanted.iter().any(|name| name == family);
    let mut wrong = 0;
    for (mut problems, effort) in [(odd(), all), (large(gpu.software), some)] {
        problems.retain(|problem| is_wanted(problem.family()));
        match run_all(&gpu, &problems, effort) {
            Ok(measured) => {
                print!("{}", table::text(&measured));
                wrong += measured.iter().filter(|measured| !measured.verified).count();
                timed.extend(measured.into_iter().filter(|measured| measured.rounds > 0));
            }
            Err(why) => {
                eprintln!("{why}");
                return ExitCode::FAILURE;
            }
        }
    }
    for numbers in Numbers::ALL.into_iter().filter(|_| is_wanted(tuner::FAMILY)) {
        match tune(&gpu, numbers, some) {
            Ok(measured) => {
                print!("{}", table::text(&measured));
                wrong += measured.iter().filter(|measured| !measured.verified).count();
                let trials: Vec<Trial> = measured.iter().filter_map(Trial::of).collect();
                if let Some(best) = tuner::best(&trials) {
                    println!("fastest in {}: {}", numbers.label(), best.config.name());
                    timed.extend(measured.iter().find(|m| Trial::of(m).as_ref() == Some(best)).map(tuned));
                }
            }
            Err(why) => println!("tuning in {}: {why}", numbers.label()),
        }
    }
    if let Some(file) = file {
        let session = Reference { driver: gpu.driver, measured: timed, ..Reference::default() };
        if let Err(why) = std::fs::write(&file, session.json()) {
            eprintln!("{file} cannot be written: {why}");
            return ExitCode::FAILURE;
        }
    }
    if wrong > 0 {
        eprintln!("{wrong} kernels are wrong.");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The tuner's winner as one of the ladder, of the same sizes as the others.
fn tuned(best: &Measured) -> Measured {
    let n = Query::parse(&best.sizes).get("n").unwrap_or_default().to_owned();
    let kernel = Trial::of(best).map_or_else(String::new, |trial| trial.config.tuned());
    Measured { family: matmul::Sizes::NAME.to_owned(), kernel, sizes: format!("m={n}&n={n}&k={n}"), ..best.clone() }
}

/// Sizes that no tile divides.
fn odd() -> Vec<Problem> {
    let attention =
        |head_dim, causal| Problem::Attention(attention::Sizes { seq: 83, head_dim, heads: 4, kv_heads: 2, causal });
    let product = |[m, n, k]: [u64; 3]| Problem::Matmul(matmul::Sizes { m, n, k });
    let mut all = vec![product([131, 67, 37]), product([131, 68, 36]), product([256, 128, 32])];
    let decode =
        |head_dim, kv_heads| Problem::Decode(decode::Sizes { keys: 777, head_dim, heads: 6, kv_heads, chunk: 100 });
    all.extend([(32, 6), (64, 1), (128, 2)].map(|(head_dim, kv_heads)| decode(head_dim, kv_heads)));
    all.extend([(32, false), (64, true), (128, true)].map(|(head_dim, causal)| attention(head_dim, causal)));
    all.extend(Op::ALL.map(|op| Problem::Rows(op, rows::Sizes { rows: 5, cols: 4099 })));
    all.push(Problem::Copy(stream::Copy { rows: 67, cols: 131 }));
    all.push(Problem::Sum(stream::Sum { n: 8209 }));
    all.push(Problem::Intensity(stream::Intensity { n: 1003, fma: 37 }));
    all.extend(ORDERS.map(|order| Problem::Gather(Gather { n: 8192, order, stride: 13, offset: 5 })));
    all
}

/// Sizes that fill a GPU, or keep a processor busy.
fn large(software: bool) -> Vec<Problem> {
    let wide = if software { 1024 } else { 4096 };
    let values = wide * wide;
    let mut all = if software {
        vec![
            Problem::Matmul(matmul::Sizes { m: 256, n: 256, k: 256 }),
            Problem::Attention(attention::Sizes { seq: 256, head_dim: 64, heads: 4, kv_heads: 4, causal: false }),
            Problem::Decode(decode::Sizes { keys: 8192, head_dim: 128, heads: 8, kv_heads: 2, chunk: 128 }),
        ]
    } else {
        vec![
            Problem::Matmul(matmul::Sizes::full()),
            Problem::Attention(attention::Sizes::full()),
            Problem::Decode(decode::Sizes::full()),
            Problem::Matmul(matmul::Sizes { m: 4096, n: 4096, k: 4096 }),
            Problem::Attention(attention::Sizes { seq: 4096, head_dim: 128, heads: 8, kv_heads: 8, causal: true }),
        ]
    };
    all.extend(Op::ALL.map(|op| Problem::Rows(op, rows::Sizes { rows: wide, cols: wide })));
    all.push(Problem::Copy(stream::Copy { rows: wide, cols: wide }));
    all.push(Problem::Sum(stream::Sum { n: values }));
    all.extend([1, 16, 256].map(|fma| Problem::Intensity(stream::Intensity { n: values, fma })));
    let gather = |stride| Problem::Gather(Gather { n: values, order: Order::Strided, stride, offset: 0 });
    all.extend([1, 2, 8, 32].map(gather));
    all
}

/// Searches the shapes of the tuner, as the figure does.
fn tune(gpu: &Gpu, numbers: Numbers, effort: Effort) -> Result<Vec<Measured>, String> {
    let n = if gpu.software { 128 } else { 4096 };
    let mut all = Vec::new();
    let mut run_next = Some(tuner::Params { n, numbers, ..tuner::Params::default() }.first());
    while let Some((kernel, (query, sizes))) = run_next {
        let known = ringside_shaders::find(tuner::FAMILY, kernel).zip(Problem::read(tuner::FAMILY, &sizes));
        let (found, problem) = known.ok_or_else(|| format!("there is no kernel {kernel} for {query}"))?;
        let ran = block_on(run(gpu, found, &problem, effort, &|_, _| {})).map_err(|why| gpu.explain(why));
        let measured = ran.map_err(|why| format!("{query} did not run: {why:?}"))?;
        all.push(Measured {
            family: tuner::FAMILY.to_owned(),
            kernel: kernel.to_owned(),
            sizes: query.to_string(),
            ..measured
        });
        run_next = tuner::next(&all);
    }
    Ok(all)
}

/// Runs every kernel that there is for these problems.
fn run_all(gpu: &Gpu, problems: &[Problem], effort: Effort) -> Result<Vec<Measured>, String> {
    let mut all = Vec::new();
    for problem in problems {
        let sizes: Vec<String> = problem.dims().0.iter().map(|(name, size)| format!("{name}={size}")).collect();
        for kernel in ringside_shaders::all().filter(|kernel| kernel.family == problem.family()) {
            match block_on(run(gpu, kernel, problem, effort, &|_, _| {})).map_err(|why| gpu.explain(why)) {
                Ok(measured) => all.push(Measured {
                    family: kernel.family.to_owned(),
                    kernel: kernel.id.to_owned(),
                    sizes: sizes.join("&"),
                    ..measured
                }),
                Err(Trouble::NoF16) => {
                    println!("{} {}: skipped, the adapter has no f16 in shaders", kernel.family, kernel.id);
                }
                Err(Trouble::NoSubgroups) => {
                    println!("{} {}: skipped, the adapter has no subgroups of four", kernel.family, kernel.id);
                }
                Err(Trouble::WorkgroupMemory(wanted, most)) => {
                    println!("{} {}: skipped, {wanted} B of workgroup memory, of {most}", kernel.family, kernel.id);
                }
                Err(why) => {
                    return Err(format!(
                        "{} {} with {} did not run: {why:?}",
                        kernel.family,
                        kernel.id,
                        sizes.join(", ")
                    ));
                }
            }
        }
    }
    Ok(all)
}
