//! How long the models take: `cargo bench -p ringside-core`. The median of many runs of each, by the wall clock.

use std::hint::black_box;
use std::time::Instant;

use ringside_core::catalogue;
use ringside_core::collective::data::State;
use ringside_core::collective::schedule::Schedule;
use ringside_core::collective::{Algo, Op};
use ringside_core::declare::Model as _;
use ringside_core::hardware::{self, links};
use ringside_core::memory::{Params, breakdown};
use ringside_core::model::{ModelRef, presets};
use ringside_core::planner::{Cluster, Job, Pins, Search};
use ringside_core::query::Query;

/// Name, widget, state, how many runs.
const CASES: &[(&str, &str, &str, usize)] = &[
    (
        "memory-breakdown, Llama 3 70B, a whole layout",
        "memory-breakdown",
        "model=llama-3-70b&dp=16&tp=8&pp=4&sp=true&seq=8192&microbatches=32&recompute=selective&zero=1",
        2_000,
    ),
    (
        "memory-breakdown, DeepSeek-V3",
        "memory-breakdown",
        "model=deepseek-v3&dp=64&ep=64&pp=16&seq=4096&microbatches=64",
        2_000,
    ),
    ("model-anatomy, DeepSeek-V3", "model-anatomy", "model=deepseek-v3&seq=4096", 2_000),
    (
        "pipeline-timeline, 8 stages of 32 micro-batches in 2 chunks",
        "pipeline-timeline",
        "schedule=interleaved&stages=8&microbatches=32&chunks=2",
        500,
    ),
    (
        "pipeline-timeline, 64 stages of 512 micro-batches in 4 chunks",
        "pipeline-timeline",
        "schedule=interleaved&stages=64&microbatches=512&chunks=4",
        15,
    ),
    ("ring-all-reduce, 64 ranks", "ring-all-reduce", "ranks=64&op=all-reduce&algo=ring", 30),
];

/// The data of a ring all-reduce of 64 chunks on 64 ranks through all its 126 steps; its bar is 2 ms.
fn ring_of_64() {
    let Ok(schedule) = Schedule::new(Op::AllReduce, Algo::Ring, 64, 64) else { return };
    report("ring-all-reduce, 64 ranks, 64 chunks: every step on the data", 200, || {
        black_box(State::after(Op::AllReduce, black_box(&schedule), schedule.steps.len()));
    });
}

fn main() {
    for (name, id, state, runs) in CASES {
        let Some(entry) = catalogue::find(id) else {
            println!("{name}: there is no model {id}");
            continue;
        };
        let query = Query::parse(state);
        let evaluation = (entry.evaluate)(&query);
        if let Some(why) = evaluation.error.or_else(|| evaluation.problems.first().map(|p| p.message.clone())) {
            println!("{name}: {why}");
            continue;
        }
        report(name, *runs, || {
            black_box((entry.evaluate)(black_box(&query)));
        });
        if *id == "memory-breakdown" {
            // As a planner calls it: without reading the state and naming the quantities.
            let (params, _) = Params::read(&query);
            report(&format!("{name}: the breakdown alone"), *runs, || {
                let _ = black_box(breakdown(black_box(&params)));
            });
        }
    }
    ring_of_64();
    search();
}

/// Every layout of GPT-3 on 1024 A100, nothing pinned.
fn search() {
    let (gpu, link, net) = (hardware::find("a100-80"), links::find("nvlink3"), links::find("hdr"));
    let (Some(gpu), Some(link), Some(net), Some(preset)) = (gpu, link, net, presets::find("gpt3-175b")) else {
        return println!("a planner search: its model or cluster is not known");
    };
    let cluster = Cluster { gpu, node: 8, nodes: 128, link, net };
    let Ok(job) = Job::new(ModelRef::Preset(preset), cluster, [2048, 1536], true) else {
        return println!("a planner search: its job is impossible");
    };
    let layouts = Search::new(job.clone(), Pins::default()).run().layouts().len();
    report(&format!("parallel-planner, GPT-3 on 1024 A100: {layouts} layouts"), 9, || {
        black_box(Search::new(black_box(job.clone()), Pins::default()).run());
    });
}

fn report(name: &str, runs: usize, work: impl Fn()) {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{:>10.1} µs  {name}", 1e6 * times[times.len() / 2]);
}
