//! What a scheduler did, step by step, and what it comes to.

use super::jobs::Job;
use super::place::Cluster;

/// Why the first job of the queue waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Fewer GPUs are free than it asks for.
    Resources,
    /// Enough GPUs are free, on too many nodes.
    Fragmented,
    /// Enough nodes are free, in different blocks.
    Blocks,
    /// It holds some of its GPUs and waits for the others.
    Holds,
    /// It could start, and will when those before it at this moment have.
    Turn,
}

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A job came.
    Submitted(usize),
    /// A job started; whether before one that was ahead of it.
    Started(usize, bool),
    /// A job ended.
    Ended(usize),
    /// A job lost its GPUs to another, and waits again.
    Preempted(usize, usize),
    /// A pod of a job was put on a node, and waits there for the others.
    Placed(usize, usize),
}

/// The cluster after an event and what the scheduler did about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Step {
    /// When, in seconds.
    pub time: u64,
    /// What happened.
    pub events: Vec<Event>,
    /// For each node, for each of its GPUs, the job that has it.
    pub cells: Vec<Vec<Option<usize>>>,
    /// Jobs that wait, the first one first.
    pub waiting: Vec<usize>,
    /// Why the first of them waits.
    pub why: Option<Why>,
    /// Jobs that have a promise, and from when.
    pub promised: Vec<(usize, u64)>,
}

impl Step {
    /// GPUs that nobody has.
    pub fn free(&self) -> u64 {
        self.cells.iter().flatten().filter(|cell| cell.is_none()).count() as u64
    }
}

/// A job on GPUs of a node, from when to when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The job.
    pub job: usize,
    /// The node.
    pub node: usize,
    /// Which of its GPUs.
    pub gpus: Vec<usize>,
    /// From when.
    pub from: u64,
    /// Until when; none while it lasts.
    pub to: Option<u64>,
    /// Whether the job runs; else it holds them and waits for others.
    pub runs: bool,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// When it started for the last time.
    pub start: Option<u64>,
    /// When it started for the first time.
    pub first_start: Option<u64>,
    /// When it ended.
    pub end: Option<u64>,
    /// Whether it started before one that was ahead of it.
    pub backfilled: bool,
    /// How often it lost its GPUs.
    pub preempted: u32,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schedule {
    /// What became of each job.
    pub outcomes: Vec<Outcome>,
    /// Every step.
    pub steps: Vec<Step>,
    /// Who was where when.
    pub spans: Vec<Span>,
    /// GPU-seconds of work that was lost by preemption.
    pub lost: u64,
    /// GPU-seconds that were held by jobs that could not start.
    pub held: u64,
    /// GPU-seconds that were free while a job waited.
    pub idle_waiting: u64,
    /// Those of them in which the first job that waited asked for no more than was free.
    pub fragmented: u64,
}

impl Schedule {
    /// The end of the last job, in seconds.
    pub fn end(&self) -> u64 {
        self.outcomes.iter().filter_map(|o| o.end).max().unwrap_or(0)
    }

    /// From the first submission to the last end, in seconds.
    pub fn makespan(&self, jobs: &[Job]) -> u64 {
        self.end().saturating_sub(jobs.iter().map(|j| j.submit).min().unwrap_or(0))
    }

    /// Each job that started: how long it waited for its first start.
    fn waits<'a>(&'a self, jobs: &'a [Job]) -> impl Iterator<Item = u64> + 'a {
        let wait = |(job, outcome): (&Job, &Outcome)| Some(outcome.first_start?.saturating_sub(job.submit));
        jobs.iter().zip(&self.outcomes).filter_map(wait)
    }

    /// The mean wait of those that started, in seconds.
    pub fn mean_wait(&self, jobs: &[Job]) -> f64 {
        let count = self.waits(jobs).count().max(1);
        self.waits(jobs).sum::<u64>() as f64 / count as f64
    }

    /// The longest wait, in seconds.
    pub fn longest_wait(&self, jobs: &[Job]) -> u64 {
        self.waits(jobs).max().unwrap_or(0)
    }

    /// The mean of (wait + run) / run, with runs of less than ten seconds counted as ten: bounded slowdown.
    pub fn slowdown(&self, jobs: &[Job]) -> f64 {
        let each = jobs.iter().zip(&self.outcomes).filter_map(|(job, outcome)| {
            let there = outcome.end?.saturating_sub(job.submit) as f64;
            Some((there / job.real.max(10) as f64).max(1.0))
        });
        let (sum, count) = each.fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
        if count == 0.0 { 0.0 } else { sum / count }
    }

    /// The share of all GPUs' time, first submission to last end, in which a job had them and its work was kept.
    pub fn utilisation(&self, jobs: &[Job], cluster: Cluster) -> f64 {
        let all = cluster.all() as f64 * self.makespan(jobs) as f64;
        let ran = |span: &Span| match span.to {
            Some(to) if span.runs => (to - span.from) as f64 * span.gpus.len() as f64,
            _ => 0.0,
        };
        if all == 0.0 { 0.0 } else { (self.spans.iter().map(ran).sum::<f64>() - self.lost as f64) / all }
    }

    /// Jobs that never started.
    pub fn stuck(&self) -> usize {
        self.outcomes.iter().filter(|o| o.end.is_none()).count()
    }
}
