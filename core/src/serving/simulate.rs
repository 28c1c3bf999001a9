//! A replica, or two of them, at work: steps one after another, each as long as [`super::step`] says.

use super::requests::Request;
use super::scheduler::{Batch, Policy, Rules, Scheduler};
use super::step::Engine;

/// What a request's slot is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Tokens of its prompt are computed, or computed again.
    Prefill,
    /// It decodes.
    Decode,
    /// It has its slot while a step works for others.
    Stalled,
    /// It has ended and its batch has not.
    Padding,
}

/// A slot, from when to when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The request.
    pub request: usize,
    /// Which slot of which replica.
    pub slot: usize,
    /// The replica: 0, and 1 for the one that decodes what 0 has prefilled.
    pub replica: usize,
    /// What it is used for.
    pub used: Use,
    /// From when, in seconds.
    pub from: f64,
    /// Until when.
    pub to: f64,
}

/// One step of a replica.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moment {
    /// When it begins, in seconds.
    pub from: f64,
    /// When it ends.
    pub to: f64,
    /// The replica.
    pub replica: usize,
    /// What it does; the requests are those of the whole simulation.
    pub batch: Batch,
    /// Requests that wait while it runs.
    pub waiting: usize,
    /// Requests that end with it.
    pub ended: Vec<usize>,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// When each of its tokens was there, in seconds.
    pub tokens: Vec<f64>,
    /// How often it lost its blocks.
    pub preempted: u32,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schedule {
    /// The requests, in the order in which they came.
    pub requests: Vec<Request>,
    /// What became of each.
    pub outcomes: Vec<Outcome>,
    /// Every step, by when it ends.
    pub steps: Vec<Moment>,
    /// Who had which slot when.
    pub spans: Vec<Span>,
    /// Slots that were ever used, of each replica.
    pub slots: [usize; 2],
    /// Blocks of the cache of a replica.
    pub blocks: usize,
}

/// A replica while it is simulated.
struct Replica<'a> {
    number: usize,
    engine: &'a Engine,
    scheduler: Scheduler,
    now: f64,
    /// The request of the simulation that each of the scheduler's is.
    names: Vec<usize>,
    /// Who has which slot; a request that has ended keeps it in a static batch.
    slots: Vec<Option<usize>>,
    /// The last span of each slot.
    last: Vec<Option<usize>>,
    is_static: bool,
}

/// Blocks of the cache that take as long to handle as a request of a step.
const BLOCKS_OF_A_REQUEST: usize = 32;

/// What may come to a replica: the request, and when.
type Coming = (usize, f64);

/// Runs all requests to their end. `budget` is the most that all steps together may do: one for each request of each step, and for
/// so many blocks of the cache.
///
/// # Errors
/// If a request could never end, or all of it is more than `budget`: a sentence.
pub fn simulate(
    mut requests: Vec<Request>,
    rules: Rules,
    engine: &Engine,
    bandwidth: f64,
    budget: usize,
) -> Result<Schedule, String> {
    requests.sort_by(|a, b| a.arrival.total_cmp(&b.arrival));
    let outcomes = vec![Outcome::default(); requests.len()];
    let mut schedule = Schedule { requests, outcomes, blocks: rules.blocks, ..Schedule::default() };
    let all: Vec<Coming> = schedule.requests.iter().map(|r| r.arrival).enumerate().collect();
    let mut left = budget;
    if rules.policy == Policy::Disaggregated {
        // The first replica is done with a request when its first token is there.
        let ready = Replica::new(0, engine, rules).run(&mut schedule, &all, Stage::First, &mut left)?;
        let mut sent: Vec<Coming> = ready
            .into_iter()
            .filter(|(r, _)| schedule.requests.get(*r).is_some_and(|request| request.output > 1))
            .map(|(r, at)| (r, at + engine.transfer(schedule.requests.get(r).map_or(0, |q| q.prompt), bandwidth)))
            .collect();
        sent.sort_by(|a, b| a.1.total_cmp(&b.1));
        Replica::new(1, engine, rules).run(&mut schedule, &sent, Stage::Rest, &mut left)?;
        schedule.steps.sort_by(|a, b| a.to.total_cmp(&b.to));
    } else {
        Replica::new(0, engine, rules).run(&mut schedule, &all, Stage::Whole, &mut left)?;
    }
    Ok(schedule)
}

/// What a replica does of each request.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Whole,
    First,
    Rest,
}

impl<'a> Replica<'a> {
    fn new(number: usize, engine: &'a Engine, rules: Rules) -> Self {
        Self {
            number,
            engine,
            scheduler: Scheduler::new(rules),
            now: 0.0,
            names: Vec::new(),
            slots: Vec::new(),
            last: Vec::new(),
            is_static: rules.policy == Policy::Static,
        }
    }

    /// Runs to the end of all that comes. Returns each request with when it was done here.
    fn run(
        &mut self,
        schedule: &mut Schedule,
        coming: &[Coming],
        stage: Stage,
        left: &mut usize,
    ) -> Result<Vec<Coming>, String> {
        let mut done = Vec::new();
        let mut next = 0;
        loop {
            if self.scheduler.is_done() {
                let Some((_, at)) = coming.get(next) else { break };
                self.now = self.now.max(*at);
            }
            while let Some(&(r, at)) = coming.get(next)
                && at <= self.now
            {
                self.take(schedule, r, stage)?;
                next += 1;
            }
            let batch = self.scheduler.schedule();
            let cost = batch.work.len().max(1) + self.scheduler.take_touched() / BLOCKS_OF_A_REQUEST;
            *left = left.checked_sub(cost).ok_or_else(|| {
                "That is too much to simulate here. Choose fewer requests, shorter prompts or answers, or larger blocks."
                    .to_owned()
            })?;
            if !batch.work.is_empty() {
                self.step(schedule, batch, &mut done);
            }
        }
        Ok(done)
    }

    fn take(&mut self, schedule: &Schedule, r: usize, stage: Stage) -> Result<(), String> {
        let request = schedule.requests.get(r).copied().unwrap_or_default();
        self.names.push(r);
        match stage {
            Stage::Whole => self.scheduler.add(request),
            Stage::First => self.scheduler.add(Request { output: 1, ..request }),
            Stage::Rest => self.scheduler.receive(request),
        }
    }

    fn name(&self, s: usize) -> usize {
        self.names.get(s).copied().unwrap_or(s)
    }

    fn step(&mut self, schedule: &mut Schedule, mut batch: Batch, done: &mut Vec<Coming>) {
        let from = self.now;
        self.now += self.engine.step(batch.work.iter().map(|work| work.chunk)).time();
        let got = self.scheduler.finish(&batch);
        for work in &mut batch.work {
            work.request = self.names.get(work.request).copied().unwrap_or(work.request);
        }
        for r in &mut batch.preempted {
            *r = self.names.get(*r).copied().unwrap_or(*r);
            if let Some(outcome) = schedule.outcomes.get_mut(*r) {
                outcome.preempted += 1;
            }
        }
        let ended: Vec<usize> = got.iter().filter(|(_, ended)| *ended).map(|(s, _)| self.name(*s)).collect();
        for (s, _) in &got {
            if let Some(outcome) = schedule.outcomes.get_mut(self.name(*s)) {
                outcome.tokens.push(self.now);
            }
        }
        done.extend(ended.iter().map(|r| (*r, self.now)));
        self.draw(schedule, &batch, &ended, from);
        schedule.steps.push(Moment {
            from,
            to: self.now,
            replica: self.number,
            waiting: self.scheduler.waiting().count(),
            batch,
            ended,
        });
    }

    /// Gives every request of the step a slot, and notes what each slot is used for.
    fn draw(&mut self, schedule: &mut Schedule, batch: &Batch, ended: &[usize], from: f64) {
        for slot in &mut self.slots {
            if slot.is_some_and(|r| batch.preempted.contains(&r)) {
                *slot = None;
            }
        }
        // By request: what the step does for it.
        let mut does: Vec<Option<Use>> = vec![None; schedule.requests.len()];
        for work in &batch.work {
            if let Some(does) = does.get_mut(work.request) {
                *does = Some(if work.decode { Use::Decode } else { Use::Prefill });
            }
        }
        let mut without = does.clone();
        for request in self.slots.iter().flatten() {
            if let Some(has_one) = without.get_mut(*request) {
                *has_one = None;
            }
        }
        let mut free: Vec<usize> = (0..self.slots.len()).filter(|slot| self.slots.get(*slot) == Some(&None)).collect();
        free.reverse();
        for work in batch.work.iter().filter(|work| without.get(work.request).is_some_and(Option::is_some)) {
            match free.pop().and_then(|slot| self.slots.get_mut(slot)) {
                Some(slot) => *slot = Some(work.request),
                None => {
                    self.slots.push(Some(work.request));
                    self.last.push(None);
                }
            }
        }
        for (slot, holder) in self.slots.iter().enumerate() {
            let (Some(request), Some(last)) = (*holder, self.last.get_mut(slot)) else { continue };
            let idle = if is_over(schedule, request) { Use::Padding } else { Use::Stalled };
            let used = does.get(request).copied().flatten().unwrap_or(idle);
            let same = |span: &&mut Span| span.request == request && span.used == used && span.to == from;
            match last.and_then(|i| schedule.spans.get_mut(i)).filter(same) {
                Some(span) => span.to = self.now,
                None => {
                    *last = Some(schedule.spans.len());
                    let (to, replica) = (self.now, self.number);
                    schedule.spans.push(Span { request, slot, replica, used, from, to });
                }
            }
        }
        let whole_batch = self.is_static && self.slots.iter().flatten().all(|r| is_over(schedule, *r));
        for slot in &mut self.slots {
            if whole_batch || (!self.is_static && slot.is_some_and(|r| ended.contains(&r))) {
                *slot = None;
            }
        }
        if let Some(slots) = schedule.slots.get_mut(self.number) {
            *slots = (*slots).max(self.slots.len());
        }
    }
}

fn is_over(schedule: &Schedule, r: usize) -> bool {
    let request = schedule.requests.get(r).copied().unwrap_or_default();
    schedule.outcomes.get(r).is_some_and(|outcome| outcome.tokens.len() as u64 >= request.output)
}
