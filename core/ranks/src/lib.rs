//! Runs one Python program as 1 to 16 ranks and says what went wrong.
//!
//! [`run`] takes a [`Job`] and gives an [`Outcome`]; the same job always gives the same one. A program is rewritten
//! (`rewrite`), interpreted by [monty](https://github.com/pydantic/monty) rank after rank until each waits (`engine`), and its calls
//! into tensors and communication are answered here (`host`, `tensor`, `world`). Then its log is timed (`timing`), and its
//! results are compared with what one process computes (`say`). [`Member`] is one rank alone, which hears of the others by packets
//! (`wire`).
//!
//! Bounded by [`ringside_core::program::Limits`]: bytecode steps, calls, FLOPs, tensors, depth and printing are counted and end with
//! a diagnosis at the same place each time. Lists and strings are bounded where [`Allocator`] is the program's allocator and
//! [`arm`] was called; a single large one is refused anywhere. A loop inside a built-in function, such as `sum(range(10**9))`, makes no
//! steps: whoever runs the worker ends it after `Limits::wall` seconds.

mod engine;
mod host;
mod member;
mod names;
mod rewrite;
mod say;
mod tensor;
mod timing;
mod wire;
mod world;

use std::collections::BTreeMap;

pub use member::{Member, echo, sample};
pub use monty_alloc::LimitedAllocator as Allocator;
use ringside_core::program::{At, Diagnosis, Job, MAX_RANKS, MIN_RANKS, Outcome, Run, Totals, Verdict};

use rewrite::{Source, rewrite};
use world::{Expected, World};

/// Begins to count what lists and strings take, in a program whose global allocator is [`Allocator`]. From then on
/// `Limits::heap` holds for what the interpreter allocates bit by bit as well. Call it once, before [`run`].
///
/// # Errors
/// If [`Allocator`] is not the global allocator.
pub fn arm() -> Result<(), &'static str> {
    monty_alloc::set_limit(None, false)
}

/// Runs a job. The same job always gives the same outcome.
pub fn run(job: &Job) -> Outcome {
    let refuse = |verdict: Verdict, sentence: String| Outcome {
        run: Run::default(),
        best: None,
        diagnosis: Diagnosis { verdict, sentence, at: Vec::new() },
    };
    let possible = MIN_RANKS..=MAX_RANKS;
    if let Some(n) = std::iter::once(&job.world_size).chain(&job.launches).find(|n| !possible.contains(*n)) {
        let sentence = if possible.contains(&job.world_size) && *n > MAX_RANKS {
            format!(
                "An earlier launch of this puzzle would need {n} ranks, and at most {MAX_RANKS} can run. Choose fewer ranks."
            )
        } else {
            format!("A program runs on {MIN_RANKS} to {MAX_RANKS} ranks, not {n}.")
        };
        return refuse(Verdict::Job, sentence);
    }
    if let Err(message) = job.machine.check() {
        return refuse(Verdict::Job, message);
    }
    let source = match rewrite(&job.program) {
        Ok(source) => source,
        Err(unreadable) => {
            let diagnosis = say::syntax(unreadable.line, &unreadable.message);
            return Outcome { run: Run::default(), best: None, diagnosis };
        }
    };
    let (run, world, fault) = launch(job, &source);
    if let Some(diagnosis) = fault {
        return Outcome { run, best: None, diagnosis };
    }
    let expected = match expected(job) {
        Ok(expected) => expected,
        Err(sentence) => return Outcome { run, ..refuse(Verdict::Job, sentence) },
    };
    if let Some(diagnosis) = say::wrong(&world, &expected) {
        return Outcome { run, best: None, diagnosis };
    }
    let best = match best(job) {
        Ok(best) => best,
        Err(sentence) => return Outcome { run, ..refuse(Verdict::Job, sentence) },
    };
    let fullest = run.ranks.iter().enumerate().max_by_key(|(rank, r)| (r.peak.total(), std::cmp::Reverse(*rank)));
    let peak = fullest.map_or(At { rank: 0, line: 0 }, |(rank, r)| At { rank, line: r.peak.line });
    let shortcut = say::shortcut(&run).filter(|_| job.sends);
    let diagnosis = shortcut.unwrap_or_else(|| say::budget(&run.totals, best.as_ref(), &job.budgets, peak));
    Outcome { run, best, diagnosis }
}

/// Runs a program launch after launch. The last one counts.
fn launch<'a>(job: &'a Job, source: &Source) -> (Run, World<'a>, Option<Diagnosis>) {
    let mut files = BTreeMap::new();
    for size in &job.launches {
        let mut world = World::new(job, *size, files, false);
        let end = engine::run(&mut world, source);
        if let Some(mut diagnosis) = end.fault {
            diagnosis.sentence = format!("In the first launch, on {size} ranks: {}", diagnosis.sentence);
            let run = timing::play(&world.seats, &world.transfers, end.states, &job.machine);
            return (run, world, Some(diagnosis));
        }
        files = world.files;
    }
    let mut world = World::new(job, job.world_size, files, false);
    let end = engine::run(&mut world, source);
    let run = timing::play(&world.seats, &world.transfers, end.states, &job.machine);
    (run, world, end.fault)
}

/// Runs all ranks of a job here, in turn, by `clock` (seconds). The run has the time that each rank's program took where it would
/// have that of its FLOPs, and so says how long the job takes if each rank is on its own and messages take what the job's machine says.
/// Before it stand the seconds that all ranks took here in turn, without what it takes to read the program.
///
/// # Errors
/// If the program ends with an error or a deadlock: what it is told.
pub fn timed(job: &Job, clock: fn() -> f64) -> Result<(f64, Run), Diagnosis> {
    let source = rewrite(&job.program).map_err(|unreadable| say::syntax(unreadable.line, &unreadable.message))?;
    let mut world = World::new(job, job.world_size, BTreeMap::new(), false);
    world.clock = Some(clock);
    let began = clock();
    let end = engine::run(&mut world, &source);
    let seconds = clock() - began;
    match end.fault {
        Some(fault) => Err(fault),
        None => Ok((seconds, timing::play(&world.seats, &world.transfers, end.states, &job.machine))),
    }
}

/// What the reference expects of each rank.
fn expected(job: &Job) -> Result<Vec<Expected>, String> {
    let Some(reference) = &job.reference else { return Ok(Vec::new()) };
    let told =
        |line: u32, message: &str| format!("The reference program of this puzzle fails at line {line}: {message}");
    let source = rewrite(reference).map_err(|e| told(e.line, &e.message))?;
    let mut world = World::new(job, job.world_size, BTreeMap::new(), true);
    let end = engine::run(&mut world, &source);
    match end.fault {
        Some(fault) => Err(told(fault.at.first().map_or(0, |at| at.line), &fault.sentence)),
        None => Ok(world.expected),
    }
}

/// What the best known program uses.
fn best(job: &Job) -> Result<Option<Totals>, String> {
    let Some(program) = &job.best else { return Ok(None) };
    let told = |message: &str| format!("The best known program of this puzzle fails: {message}");
    let source = rewrite(program).map_err(|e| told(&e.message))?;
    let (run, _, fault) = launch(job, &source);
    match fault {
        Some(fault) => Err(told(&fault.sentence)),
        None => Ok(Some(run.totals)),
    }
}
