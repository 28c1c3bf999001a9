//! The attention of one layer in one pass, in time, rank by rank.

use super::blocks::{self, Block};
use super::params::{Method, Params};

/// What a rank does with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It computes attention.
    Attention,
    /// It waits for numbers that are on their way.
    Exchange,
    /// It waits for a rank that still computes.
    Idle,
}

/// A stretch of a rank's time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Seconds after the layer's attention began.
    pub from: f64,
    /// When it ends.
    pub to: f64,
    /// What it is.
    pub doing: Doing,
    /// The step of the drawing that it belongs to, from 1.
    pub step: usize,
}

/// The attention of one layer in one pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What it is the run of.
    pub params: Params,
    /// Each rank's time, without gaps, from 0 to `total`.
    pub lanes: Vec<Vec<Span>>,
    /// Seconds until the last rank is done.
    pub total: f64,
    /// Seconds of attention of each rank.
    pub attention: Vec<f64>,
    /// Seconds by which communication makes it longer.
    pub exposed: f64,
}

/// The lanes while they grow.
struct Lanes(Vec<Vec<Span>>);

impl Lanes {
    fn of(ranks: usize) -> Self {
        Self(vec![Vec::new(); ranks])
    }

    fn end(&self, rank: usize) -> f64 {
        self.0.get(rank).and_then(|lane| lane.last()).map_or(0.0, |span| span.to)
    }

    /// Lets `rank` do this until `to`; nothing if that is past.
    fn until(&mut self, rank: usize, to: f64, doing: Doing, step: usize) {
        let from = self.end(rank);
        if let Some(lane) = self.0.get_mut(rank)
            && to > from
        {
            lane.push(Span { from, to, doing, step });
        }
    }

    /// Lets all wait for the last.
    fn close(mut self, step: usize) -> (Vec<Vec<Span>>, f64) {
        let total = (0..self.0.len()).map(|rank| self.end(rank)).fold(0.0, f64::max);
        (0..self.0.len()).for_each(|rank| self.until(rank, total, Doing::Idle, step));
        (self.0, total)
    }
}

impl Run {
    /// The run of these parameters.
    ///
    /// # Errors
    /// A sentence: why the sequence or the heads cannot be divided like this.
    pub fn new(params: Params) -> Result<Self, String> {
        params.divides()?;
        let n = params.ranks as usize;
        let work = |rank: u64, step: usize| params.work(rank, step) * params.block_time();
        let (lanes, total) = timeline(&params, &work, 1.0);
        let (_, alone) = timeline(&params, &work, 0.0);
        let attention = |rank| (1..=params.steps()).map(|step| work(rank as u64, step)).sum();
        Ok(Self { params, lanes, total, attention: (0..n).map(attention).collect(), exposed: (total - alone).max(0.0) })
    }

    /// Seconds of attention of the rank that has most.
    pub fn busiest(&self) -> f64 {
        self.attention.iter().copied().fold(0.0, f64::max)
    }

    /// The same over the mean of all.
    pub fn imbalance(&self) -> f64 {
        let sum: f64 = self.attention.iter().sum();
        if sum > 0.0 { self.busiest() * self.attention.len() as f64 / sum } else { 1.0 }
    }

    /// The part of all ranks' time in which they do not compute.
    pub fn idle(&self) -> f64 {
        let sum: f64 = self.attention.iter().sum();
        let all = self.total * self.attention.len() as f64;
        let part = if all > 0.0 { 1.0 - sum / all } else { 0.0 };
        // What rounding leaves where nobody waits.
        if part < 1e-9 { 0.0 } else { part }
    }

    /// How many times as fast it is as one rank with the whole sequence.
    pub fn speedup(&self) -> f64 {
        if self.total > 0.0 { self.attention.iter().sum::<f64>() / self.total } else { 1.0 }
    }
}

/// The lanes, and when the last ends. Sends take `slow` times as long as they do.
fn timeline(params: &Params, work: &dyn Fn(u64, usize) -> f64, slow: f64) -> (Vec<Vec<Span>>, f64) {
    match params.method {
        Method::Ring => {
            let transfers: Vec<f64> = params.transfers().into_iter().map(|seconds| slow * seconds).collect();
            ring(params.ranks as usize, work, &transfers)
        }
        Method::AllGather | Method::Ulysses => {
            let n = params.ranks as usize;
            let mut lanes = Lanes::of(n);
            let [before, after] = params.collectives().map(|seconds| slow * seconds);
            for rank in 0..n {
                lanes.until(rank, before, Doing::Exchange, 1);
                lanes.until(rank, before + work(rank as u64, 2), Doing::Attention, 2);
            }
            if after > 0.0 {
                // A collective begins when the last has come to it.
                let computed = (0..n).map(|rank| lanes.end(rank)).fold(0.0, f64::max);
                for rank in 0..n {
                    lanes.until(rank, computed, Doing::Idle, 2);
                    lanes.until(rank, computed + after, Doing::Exchange, 3);
                }
            }
            lanes.close(params.steps())
        }
    }
}

/// Round a ring: a step sends on what it computes with, and backward what the step before computed. It ends when the computation,
/// the send and the receive have. `transfers` has the seconds of each step's send; a step without ranks to wait for has none.
fn ring(n: usize, work: &dyn Fn(u64, usize) -> f64, transfers: &[f64]) -> (Vec<Vec<Span>>, f64) {
    let mut lanes = Lanes::of(n);
    let mut begun = vec![0.0_f64; n];
    let steps = transfers.len();
    for (step, transfer) in (1..=steps).zip(transfers) {
        for rank in 0..n {
            let begin = lanes.end(rank);
            lanes.until(rank, begin + work(rank as u64, step), Doing::Attention, step);
        }
        if step == n && steps == n {
            break;
        }
        // From rank − 1 to rank, once both have begun this step.
        let start: Vec<f64> = (0..n).map(|rank| begun[rank].max(begun[(rank + n - 1) % n])).collect();
        for rank in 0..n {
            let latest = start[rank].max(start[(rank + 1) % n]);
            lanes.until(rank, latest, Doing::Idle, step);
            lanes.until(rank, latest + transfer, Doing::Exchange, step);
        }
        begun = (0..n).map(|rank| lanes.end(rank)).collect();
    }
    lanes.close(steps)
}

impl Params {
    /// The blocks that `rank` computes in a step, those that the mask leaves nothing of among them.
    pub fn blocks(&self, rank: u64, step: usize) -> Vec<Block> {
        let queries = self.queries(rank);
        blocks::between(&queries, &self.arrived(rank, step)).collect()
    }

    /// How many blocks that is, by what the mask leaves of each; for Ulysses a rank's heads' share of all.
    pub fn work(&self, rank: u64, step: usize) -> f64 {
        let share = if self.method == Method::Ulysses { 1.0 / self.ranks as f64 } else { 1.0 };
        share * blocks::work(&self.queries(rank), &self.arrived(rank, step), self.causal)
    }

    /// The chunks whose queries a rank computes.
    fn queries(&self, rank: u64) -> Vec<u64> {
        match self.method {
            Method::Ulysses => (0..2 * self.ranks).collect(),
            Method::Ring | Method::AllGather => self.split.chunks(rank, self.ranks).to_vec(),
        }
    }

    /// The chunks of keys that `rank` computes with in a step.
    fn arrived(&self, rank: u64, step: usize) -> Vec<u64> {
        let n = self.ranks;
        match self.method {
            Method::Ring if (1..=n as usize).contains(&step) => {
                self.split.chunks((rank + n - (step as u64 - 1)) % n, n).to_vec()
            }
            Method::AllGather | Method::Ulysses if step == 2 => (0..2 * n).collect(),
            _ => Vec::new(),
        }
    }

    /// The chunks of keys and values that `rank` has in memory after a step: its own before the first, and after the last.
    pub fn held(&self, rank: u64, step: usize) -> Vec<u64> {
        let own = self.split.chunks(rank, self.ranks).to_vec();
        match (self.method, step) {
            (Method::Ring, 1..) if step <= self.ranks as usize => self.arrived(rank, step),
            // One step late the gradients are home.
            (Method::Ring, _) => own,
            (Method::AllGather, 1..=2) | (Method::Ulysses, 1..=2) => (0..2 * self.ranks).collect(),
            _ => own,
        }
    }
}
