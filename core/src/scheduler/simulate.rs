//! A cluster and its scheduler, event by event.
//!
//! Events of one instant are taken one by one: submissions in the order of the list, then terminations in the order of starts, and the
//! scheduler runs after each, as in PYSS (the Python scheduler simulator of the Hebrew University). A job that reaches its limit leaves
//! its nodes before that: who comes at this instant knows that it is gone. The two policies that sort the whole queue, and
//! Kubernetes, run once per instant, after all of its events, as AccaSim does.

use super::jobs::Job;
use super::params::{Order, Policy};
use super::place::{Cluster, Free, Rules};
use super::profile::Promise;
use super::result::{Event, Outcome, Schedule, Span, Step, Why};

/// How a cluster is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// The cluster.
    pub cluster: Cluster,
    /// Where jobs are put.
    pub rules: Rules,
    /// Which of those that wait start.
    pub policy: Policy,
    /// Which of those that wait is the first.
    pub order: Order,
    /// Whether a job gets all of its GPUs at once or none.
    pub gang: bool,
    /// Whether a job may take the GPUs of one of a lower class.
    pub preempt: bool,
    /// Seconds between two checkpoints of a job; 0 for none.
    pub checkpoint: u64,
}

/// Most steps that are simulated; no list of jobs comes near it.
const MOST_STEPS: usize = 20_000;

/// A job that runs.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub job: usize,
    pub nodes: Vec<usize>,
    pub start: u64,
    /// When it has to end.
    pub limit: u64,
    /// When it will end.
    pub end: u64,
    /// Its nodes are free already: it ends at this instant.
    released: bool,
}

/// A simulation.
pub(super) struct Sim<'a> {
    pub setup: Setup,
    pub jobs: &'a [Job],
    pub now: u64,
    pub free: Free,
    pub cells: Vec<Vec<Option<usize>>>,
    pub queue: Vec<usize>,
    pub running: Vec<Run>,
    /// Nodes on which a job that waits has a pod.
    pub held: Vec<Vec<usize>>,
    /// Promises of a scheduler that plans ahead, to those that run and those that wait.
    pub plan: Vec<Promise>,
    /// Seconds of work left.
    pub left: Vec<u64>,
    pub events: Vec<Event>,
    pub done: Schedule,
}

/// Runs the jobs, each of which must fit on the empty cluster.
pub fn simulate(setup: Setup, jobs: &[Job]) -> Schedule {
    let Cluster { nodes, gpus, .. } = setup.cluster;
    let mut sim = Sim {
        setup,
        jobs,
        now: 0,
        free: vec![gpus; nodes],
        cells: vec![vec![None; gpus as usize]; nodes],
        queue: Vec::new(),
        running: Vec::new(),
        held: vec![Vec::new(); jobs.len()],
        plan: Vec::new(),
        left: jobs.iter().map(|j| j.real).collect(),
        events: Vec::new(),
        done: Schedule { outcomes: vec![Outcome::default(); jobs.len()], ..Schedule::default() },
    };
    sim.run();
    sim.done
}

impl Sim<'_> {
    fn run(&mut self) {
        let mut coming: Vec<usize> = (0..self.jobs.len()).collect();
        coming.sort_by_key(|&j| self.jobs.get(j).map_or(0, |job| job.submit));
        let mut coming = coming.into_iter().peekable();
        let submit = |jobs: &[Job], j: usize| jobs.get(j).map_or(0, |job| job.submit);
        while self.done.steps.len() < MOST_STEPS {
            let next_submit = coming.peek().map(|&j| submit(self.jobs, j));
            let Some(next) = self.next(next_submit) else { break };
            self.advance(next);
            let at_once = self.setup.policy.runs_once_per_instant();
            self.release_those_at_their_limit();
            if at_once {
                while let Some(i) = self.ends_now() {
                    self.end(i);
                }
            }
            while let Some(j) = coming.next_if(|&j| submit(self.jobs, j) <= next) {
                self.queue.push(j);
                self.events.push(Event::Submitted(j));
                if !at_once {
                    self.schedule(Some(j));
                    self.step();
                }
            }
            if at_once {
                self.schedule(None);
                self.step();
                continue;
            }
            while let Some(i) = self.ends_now() {
                self.end(i);
                self.schedule(None);
                self.step();
            }
            // Promises that begin now, with no event to go with them.
            if self.plan.iter().any(|p| p.start == next && self.queue.contains(&p.job)) {
                self.schedule(None);
                self.step();
            }
        }
    }

    /// When something happens next.
    fn next(&self, submit: Option<u64>) -> Option<u64> {
        let ends = self.running.iter().map(|r| r.end);
        let waiting = self.plan.iter().filter(|p| p.start > self.now && self.queue.contains(&p.job)).map(|p| p.start);
        ends.chain(waiting).chain(submit).min()
    }

    fn advance(&mut self, to: u64) {
        let passed = to.saturating_sub(self.now);
        let free: u64 = self.free.iter().map(|f| u64::from(*f)).sum();
        if let Some(step) = self.done.steps.last().filter(|s| !s.waiting.is_empty()) {
            self.done.idle_waiting += passed * free;
            if matches!(step.why, Some(Why::Fragmented | Why::Blocks | Why::Holds)) {
                self.done.fragmented += passed * free;
            }
        }
        self.now = to;
    }

    fn release_those_at_their_limit(&mut self) {
        let due: Vec<usize> = (0..self.running.len())
            .filter(|&i| self.running.get(i).is_some_and(|r| r.end == self.now && r.limit <= self.now))
            .collect();
        for i in due {
            self.release(i);
        }
    }

    fn ends_now(&self) -> Option<usize> {
        self.running.iter().position(|r| r.end <= self.now)
    }

    /// Frees the nodes of a run.
    fn release(&mut self, i: usize) {
        let Some(run) = self.running.get_mut(i).filter(|r| !r.released) else { return };
        run.released = true;
        let job = run.job;
        self.free_cells(job);
    }

    /// Takes a job's GPUs away from it.
    pub(super) fn free_cells(&mut self, job: usize) {
        for (row, free) in self.cells.iter_mut().zip(&mut self.free) {
            for cell in row.iter_mut().filter(|cell| **cell == Some(job)) {
                *cell = None;
                *free += 1;
            }
        }
        for span in self.done.spans.iter_mut().filter(|s| s.job == job && s.to.is_none()) {
            span.to = Some(self.now);
        }
    }

    fn end(&mut self, i: usize) {
        self.release(i);
        if i >= self.running.len() {
            return;
        }
        let run = self.running.remove(i);
        self.plan.retain(|p| p.job != run.job);
        self.events.push(Event::Ended(run.job));
        if let Some(outcome) = self.done.outcomes.get_mut(run.job) {
            outcome.end = Some(self.now);
        }
    }

    /// Whether a run has its nodes still.
    pub(super) fn occupies(&self, run: &Run) -> bool {
        !run.released
    }

    /// Gives GPUs of a node to a job.
    pub(super) fn take(&mut self, j: usize, node: usize, runs: bool) {
        let wanted = self.jobs.get(j).map_or(0, |job| job.gpus);
        let (Some(row), Some(free)) = (self.cells.get_mut(node), self.free.get_mut(node)) else { return };
        let mut gpus = Vec::with_capacity(wanted as usize);
        for (gpu, cell) in row.iter_mut().enumerate() {
            if cell.is_none() && gpus.len() < wanted as usize {
                *cell = Some(j);
                gpus.push(gpu);
            }
        }
        *free = free.saturating_sub(wanted);
        self.done.spans.push(Span { job: j, node, gpus, from: self.now, to: None, runs });
    }

    /// Starts a job on these nodes; those that it holds already are among them.
    pub(super) fn start(&mut self, j: usize, nodes: Vec<usize>, overtakes: bool) {
        let Some(job) = self.jobs.get(j) else { return };
        if let Some(held) = self.held.get_mut(j).filter(|h| !h.is_empty()) {
            held.clear();
            for span in self.done.spans.iter().filter(|s| s.job == j && s.to.is_none() && !s.runs) {
                self.done.held += (self.now - span.from) * span.gpus.len() as u64;
            }
            self.free_cells(j);
        }
        for &node in &nodes {
            self.take(j, node, true);
        }
        self.queue.retain(|&other| other != j);
        let left = self.left.get(j).copied().unwrap_or(0);
        let (now, limit) = (self.now, self.now.saturating_add(job.requested));
        self.running.push(Run { job: j, nodes, start: now, limit, end: now.saturating_add(left), released: false });
        self.plan.retain(|p| p.job != j);
        self.plan.push(Promise { job: j, start: now, end: limit, gpus: job.all_gpus() });
        self.events.push(Event::Started(j, overtakes));
        if let Some(outcome) = self.done.outcomes.get_mut(j) {
            outcome.start = Some(now);
            outcome.first_start.get_or_insert(now);
            outcome.backfilled |= overtakes;
        }
    }

    /// Takes the nodes of a run for another job. What it did since its last checkpoint is lost.
    pub(super) fn preempt(&mut self, i: usize, by: usize) {
        if i >= self.running.len() {
            return;
        }
        let run = self.running.remove(i);
        let ran = self.now.saturating_sub(run.start);
        let kept = ran.checked_div(self.setup.checkpoint).unwrap_or(0) * self.setup.checkpoint;
        if let Some(left) = self.left.get_mut(run.job) {
            *left = left.saturating_sub(kept);
        }
        let gpus = self.jobs.get(run.job).map_or(0, Job::all_gpus);
        self.done.lost += (ran - kept) * gpus;
        self.free_cells(run.job);
        self.plan.retain(|p| p.job != run.job);
        self.queue.push(run.job);
        self.events.push(Event::Preempted(run.job, by));
        if let Some(outcome) = self.done.outcomes.get_mut(run.job) {
            outcome.preempted += 1;
        }
    }

    /// Writes down how the cluster stands.
    fn step(&mut self) {
        let waiting = self.ordered();
        let why = waiting.first().map(|&j| self.why(j));
        let promised = self.promises(waiting.first().copied());
        let events = std::mem::take(&mut self.events);
        let cells = self.cells.clone();
        self.done.steps.push(Step { time: self.now, events, cells, waiting, why, promised });
    }

    fn why(&self, j: usize) -> Why {
        let Some(job) = self.jobs.get(j) else { return Why::Resources };
        let free: u64 = self.free.iter().map(|f| u64::from(*f)).sum();
        let anywhere = Rules { within: false, ..self.setup.rules };
        if self.held.get(j).is_some_and(|h| !h.is_empty()) {
            Why::Holds
        } else if free < job.all_gpus() {
            Why::Resources
        } else if self.setup.cluster.fit(&self.free, job, self.setup.rules).is_some() {
            Why::Turn
        } else if self.setup.cluster.fit(&self.free, job, anywhere).is_some() {
            Why::Blocks
        } else {
            Why::Fragmented
        }
    }
}
