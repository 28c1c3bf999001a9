//! Every layout of a job, one after another, as many at a time as there is time for.

use super::cluster::Degrees;
use super::job::{Choice, Footprint, Job, Refusal};
use crate::declare::Choose;
use crate::memory::activations::Recompute;
use crate::memory::verdict::Verdict;
use crate::units::Bytes;

/// Most ranks along tp and cp that are tried: beyond, no published run has gone.
const MOST_RANKS: u64 = 64;
/// Most chunks of a stage that are tried.
const MOST_CHUNKS: u64 = 8;
/// Sequences of a micro-batch that are tried: powers of two up to this one.
const MOST_SEQUENCES: u32 = 4;
/// Policies of recomputation.
pub(super) const POLICIES: [Recompute; 3] = [Recompute::None, Recompute::Selective, Recompute::Full];

/// What is fixed; the rest is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pins {
    /// Tensor-parallel ranks.
    pub tp: Option<u64>,
    /// Context-parallel ranks.
    pub cp: Option<u64>,
    /// Expert-parallel ranks.
    pub ep: Option<u64>,
    /// Pipeline stages.
    pub pp: Option<u64>,
    /// Chunks of a stage.
    pub chunks: Option<u64>,
    /// Sequences of a micro-batch.
    pub mbs: Option<u64>,
    /// The stage of ZeRO.
    pub zero: Option<u8>,
    /// What is recomputed.
    pub recompute: Option<Recompute>,
}

impl Pins {
    /// What is fixed on each axis, in the order of [`KNOBS`].
    pub fn values(&self) -> [Option<u64>; KNOBS.len()] {
        let Self { tp, cp, ep, pp, chunks, mbs, zero, recompute } = *self;
        [tp, cp, ep, pp, chunks, mbs, zero.map(u64::from), recompute.map(number)]
    }
}

impl Choose for Option<u8> {
    fn id(&self) -> &'static str {
        match self {
            None => "any",
            Some(0) => "0",
            Some(1) => "1",
            Some(2) => "2",
            Some(_) => "3",
        }
    }

    fn choose(&mut self, id: &str) {
        *self = id.parse().ok();
    }
}

impl Choose for Option<Recompute> {
    fn id(&self) -> &'static str {
        self.map_or("any", Recompute::id)
    }

    fn choose(&mut self, id: &str) {
        *self = POLICIES.into_iter().find(|policy| policy.id() == id);
    }
}

/// A layout that is possible, and what it comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// The layout.
    pub choice: Choice,
    /// Seconds of a step.
    pub step: f64,
    /// Bytes of the tensors on the fullest GPU.
    pub memory: f64,
    /// Whether they fit.
    pub verdict: Verdict,
}

/// Layouts that are impossible for one reason.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refused {
    /// The first of them.
    pub example: Refusal,
    /// How many there were; a division of the GPUs that is impossible counts once.
    pub count: u64,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Divisions of the GPUs that are done.
    pub done: usize,
    /// All of them.
    pub all: usize,
    /// Layouts worked out so far.
    pub layouts: usize,
}

impl Progress {
    /// Whether nothing is left.
    pub fn finished(&self) -> bool {
        self.done >= self.all
    }
}

/// A search that can be stopped and gone on with at any time.
#[derive(Debug, Clone)]
pub struct Search {
    job: Job,
    pins: Pins,
    divisions: Vec<Degrees>,
    next: usize,
    layouts: Vec<Layout>,
    valid: usize,
    best: Option<Layout>,
    front: Vec<Layout>,
    prices: [Vec<Price>; KNOBS.len()],
    refused: [Option<Refused>; Refusal::KINDS],
}

/// The divisors of `n` up to `most`, the least first.
fn divisors(n: u64, most: u64) -> impl Iterator<Item = u64> {
    (1..=most.min(n)).filter(move |d| n.is_multiple_of(*d))
}

/// The one value that is fixed, or all of them.
fn pinned(pin: Option<u64>, free: impl Iterator<Item = u64>) -> Vec<u64> {
    pin.map_or_else(|| free.collect(), |n| vec![n.max(1)])
}

impl Search {
    /// A search that has not begun.
    pub fn new(job: Job, pins: Pins) -> Self {
        let mut search = Self {
            divisions: Vec::new(),
            next: 0,
            layouts: Vec::new(),
            valid: 0,
            best: None,
            front: Vec::new(),
            prices: Default::default(),
            refused: [None; Refusal::KINDS],
            pins,
            job,
        };
        search.divide();
        search
    }

    /// Lists the divisions of the GPUs.
    fn divide(&mut self) {
        let gpus = self.job.cluster.gpus();
        let experts = self.job.shape.moe.map_or(1, |m| m.num_experts);
        let layers = self.job.shape.num_hidden_layers;
        for tp in pinned(self.pins.tp, divisors(gpus, MOST_RANKS)) {
            let rest = gpus / tp.min(gpus).max(1);
            for cp in pinned(self.pins.cp, divisors(rest, MOST_RANKS)) {
                let rest = rest / cp.min(rest).max(1);
                for pp in pinned(self.pins.pp, divisors(rest, layers)) {
                    let dp = (rest / pp.min(rest).max(1)).max(1);
                    let replicas = dp.saturating_mul(cp);
                    for ep in pinned(self.pins.ep, divisors(experts, replicas)) {
                        let degrees = Degrees { tp, cp, ep, dp, pp };
                        match self.job.check_degrees(&degrees) {
                            Ok(()) => self.divisions.push(degrees),
                            Err(refusal) => self.refuse(refusal),
                        }
                    }
                }
            }
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        if let Some(slot) = self.refused.get_mut(refusal.kind()) {
            slot.get_or_insert(Refused { example: refusal, count: 0 }).count += 1;
        }
    }

    /// Works out about `budget` more layouts: whole divisions of the GPUs, at least one.
    pub fn step(&mut self, budget: usize) -> Progress {
        let enough = self.layouts.len().saturating_add(budget.max(1));
        while self.layouts.len() < enough
            && let Some(degrees) = self.divisions.get(self.next).copied()
        {
            self.next += 1;
            self.explore(degrees);
        }
        self.progress()
    }

    /// Works out all that are left.
    pub fn run(mut self) -> Self {
        self.step(usize::MAX);
        self
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        Progress { done: self.next, all: self.divisions.len(), layouts: self.layouts.len() }
    }

    /// All layouts of one division of the GPUs.
    fn explore(&mut self, degrees: Degrees) {
        let sp = degrees.tp > 1;
        let zeros = if degrees.dp.saturating_mul(degrees.cp) > 1 { 0..=3 } else { 0..=0 };
        let zeros: Vec<u8> = self.pins.zero.map_or_else(|| zeros.collect(), |zero| vec![zero]);
        let policies: Vec<Recompute> = self.pins.recompute.map_or_else(|| POLICIES.to_vec(), |r| vec![r]);
        let each = self.job.batch / degrees.dp.max(1);
        let sequences = (0..=MOST_SEQUENCES).map(|i| 1 << i).filter(|mbs| *mbs == 1 || each.is_multiple_of(*mbs));
        let layers = self.job.shape.num_hidden_layers;
        let of_stage = if layers.is_multiple_of(degrees.pp) { layers / degrees.pp } else { 1 };
        let most = if degrees.pp > 1 { MOST_CHUNKS } else { 1 };
        let chunks = pinned(self.pins.chunks, divisors(of_stage, most));
        let plain = Choice { degrees, sp, chunks: 1, mbs: 1, zero: 0, recompute: Recompute::None };
        let shards = self.job.shards(&plain);
        for mbs in pinned(self.pins.mbs, sequences) {
            let work = self.job.work(degrees, sp, mbs);
            for &chunks in &chunks {
                let choice = Choice { mbs, chunks, ..plain };
                if let Err(refusal) = self.job.check_schedule(&choice) {
                    self.refuse(refusal);
                    continue;
                }
                for &recompute in &policies {
                    let choice = Choice { recompute, ..choice };
                    let memory = self.job.memory(&choice);
                    for &zero in &zeros {
                        let choice = Choice { zero, ..choice };
                        let step = self.job.step_of(&choice, &work, &shards).total();
                        let Footprint { tensors, beside } = memory.get(usize::from(zero)).copied().unwrap_or_default();
                        let have = self.job.cluster.gpu.memory.0;
                        let verdict = Verdict::of(Bytes(tensors), beside, Bytes(have));
                        if !verdict.possible() {
                            self.refuse(Refusal::Memory(tensors + beside.low.0, have));
                        }
                        self.record(Layout { choice, step, memory: tensors, verdict });
                    }
                }
            }
        }
    }

    /// The job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// What is fixed.
    pub fn pins(&self) -> &Pins {
        &self.pins
    }

    /// Every layout worked out so far, those that do not fit too.
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// Why others are impossible, by kind.
    pub fn refused(&self) -> impl Iterator<Item = &Refused> {
        self.refused.iter().flatten()
    }

    /// How many layouts fit, tightly or not.
    pub fn valid(&self) -> usize {
        self.valid
    }

    /// The fastest that fits; of equals the one that holds less.
    pub fn best(&self) -> Option<&Layout> {
        self.best.as_ref()
    }

    /// The layouts that no other beats in both time and memory, the fastest first; whether they fit or not.
    pub fn front(&self) -> &[Layout] {
        &self.front
    }

    /// What each value of an axis costs: the best layout with it, by value.
    pub fn prices(&self, knob: usize) -> &[Price] {
        self.prices.get(knob).map_or(&[], Vec::as_slice)
    }

    fn record(&mut self, layout: Layout) {
        let key = |l: &Layout| (l.step, l.memory);
        if layout.verdict.possible() {
            self.valid += 1;
            if self.best.as_ref().is_none_or(|best| key(&layout) < key(best)) {
                self.best = Some(layout);
            }
        }
        // The front goes up in time and down in memory.
        let at = self.front.partition_point(|l| key(l) <= key(&layout));
        if at.checked_sub(1).and_then(|before| self.front.get(before)).is_none_or(|l| l.memory > layout.memory) {
            let beaten = self.front.iter().skip(at).take_while(|l| l.memory >= layout.memory).count();
            self.front.splice(at..at + beaten, [layout]);
        }
        for (prices, (_, of)) in self.prices.iter_mut().zip(KNOBS) {
            let value = of(&layout.choice);
            let at = prices.partition_point(|p| p.value < value);
            if prices.get(at).is_none_or(|p| p.value != value) {
                prices.insert(at, Price { value, best: None, least: f64::INFINITY });
            }
            let Some(price) = prices.get_mut(at) else { continue };
            price.least = price.least.min(layout.memory);
            if layout.verdict.possible() && price.best.is_none_or(|best| layout.step < best.step) {
                price.best = Some(layout);
            }
        }
        self.layouts.push(layout);
    }
}

/// An axis of the search: its name and the value of a layout on it.
pub type Knob = (&'static str, fn(&Choice) -> u64);

/// Every axis of the search.
pub const KNOBS: [Knob; 8] = [
    ("tp", |c| c.degrees.tp),
    ("cp", |c| c.degrees.cp),
    ("ep", |c| c.degrees.ep),
    ("pp", |c| c.degrees.pp),
    ("chunks", |c| c.chunks),
    ("mbs", |c| c.mbs),
    ("zero", |c| u64::from(c.zero)),
    ("recompute", |c| number(c.recompute)),
];

/// A policy of recomputation as the value of its axis.
const fn number(policy: Recompute) -> u64 {
    match policy {
        Recompute::None => 0,
        Recompute::Selective => 1,
        Recompute::Full => 2,
    }
}

/// One value of an axis, and the best that is possible with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// The value.
    pub value: u64,
    /// The fastest layout that has it and fits.
    pub best: Option<Layout>,
    /// The least memory of all that have it.
    pub least: f64,
}
