//! How fast kernels are interpreted: `cargo run --config 'profile.dev.package.ringside-glass.opt-level=3' -p ringside-glass --example
//! speed`. Each runs nine times; the fastest counts.

use std::time::Instant;

use ringside_core::kernels::{attention, matmul, stream};
use ringside_glass::run::Runnable;
use ringside_shaders::{Problem, find};

fn main() {
    let product = Problem::Matmul(matmul::Sizes { m: 64, n: 64, k: 64 });
    let heads = attention::Sizes { seq: 64, head_dim: 32, heads: 1, kv_heads: 1, causal: false };
    for (family, id, problem) in [
        ("matmul", "naive", product),
        ("matmul", "tiled", product),
        ("attention", "flash", Problem::Attention(heads)),
        ("sum", "tree", Problem::Sum(stream::Sum { n: 1 << 14 })),
    ] {
        let Some(kernel) = find(family, id) else { continue };
        let Ok(runnable) = Runnable::kernel(kernel, &problem, &problem.data(1)) else { continue };
        let mut all: Vec<(f64, u64)> = (0..9)
            .map(|_| {
                let begun = Instant::now();
                let run = runnable.run(32, u64::MAX);
                (begun.elapsed().as_secs_f64(), run.counts.lanes)
            })
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (seconds, lanes) = all[0];
        println!(
            "{family}/{id}: {lanes} lane-instructions in {:.1} ms, {:.1} M/s",
            1e3 * seconds,
            lanes as f64 / seconds / 1e6
        );
    }
}
