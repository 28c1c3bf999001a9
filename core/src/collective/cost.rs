//! What a schedule costs: bytes by rank and by link, and time in the α–β model.
//!
//! Sending m bytes takes α + m/B (Hockney 1994). Ranks go through a schedule in lockstep: a step takes as long as the
//! busiest port or wire in it. On a [`Wiring::Port`] all that a rank sends in a step shares B, and so does all it receives;
//! in a [`Wiring::Mesh`] each wire has its own. A port to the other nodes is a second one, beside the one to the ranks of
//! the same node. Arithmetic on what arrives, and the launch (8.4 µs a collective in NCCL's tuner), are not counted.

use super::schedule::Step;
use crate::hardware::links::{Link, Wiring};

/// The machine: which ranks are in a node together, and what connects them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Ranks in a node, at least 1.
    pub node: usize,
    /// The link between ranks of a node.
    pub link: &'static Link,
    /// The link between ranks of different nodes.
    pub net: &'static Link,
    /// The rank whose ports and wires are slow.
    pub slow_rank: usize,
    /// By how much, at least 1.
    pub slow_by: f64,
}

/// What it comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    ranks: usize,
    /// Bytes that each rank sends.
    pub sent: Vec<f64>,
    /// Bytes that each rank receives.
    pub received: Vec<f64>,
    /// Seconds that each step takes.
    pub steps: Vec<f64>,
    /// Seconds in which each rank neither sends nor receives.
    pub idle: Vec<f64>,
    links: Vec<f64>,
}

impl Machine {
    /// Whether two ranks are in one node.
    pub fn together(&self, a: usize, b: usize) -> bool {
        let node = self.node.max(1);
        a / node == b / node
    }

    /// The link between two ranks.
    pub fn between(&self, a: usize, b: usize) -> &'static Link {
        if self.together(a, b) { self.link } else { self.net }
    }

    fn slowness(&self, rank: usize) -> f64 {
        if rank == self.slow_rank { self.slow_by.max(1.0) } else { 1.0 }
    }

    /// The cost of `steps` among `n` ranks, with chunks of `chunk` bytes each.
    pub fn cost(&self, n: usize, steps: &[Step], chunk: f64) -> Cost {
        let mut cost = Cost {
            ranks: n,
            sent: vec![0.0; n],
            received: vec![0.0; n],
            steps: Vec::with_capacity(steps.len()),
            idle: vec![0.0; n],
            links: vec![0.0; n * n],
        };
        let mut loads = Loads::new(n);
        for step in steps {
            loads.take(step, self);
            let time = loads.time(self, chunk);
            for rank in 0..n {
                if !loads.busy(rank) {
                    cost.idle[rank] += time;
                }
            }
            cost.steps.push(time);
            for t in &step.transfers {
                let (from, to) = (usize::from(t.from), usize::from(t.to));
                cost.sent[from] += chunk;
                cost.received[to] += chunk;
                cost.links[from * n + to] += chunk;
            }
        }
        cost
    }
}

impl Cost {
    /// Seconds from the first step to the last.
    pub fn time(&self) -> f64 {
        self.steps.iter().sum()
    }

    /// Bytes that go directly from one rank to another; 0 for ranks that do not exist.
    pub fn link(&self, from: usize, to: usize) -> f64 {
        if from < self.ranks && to < self.ranks { self.links[from * self.ranks + to] } else { 0.0 }
    }

    /// The link that carries most, in one direction: from, to, bytes. The first of several.
    pub fn busiest_link(&self) -> (usize, usize, f64) {
        let n = self.ranks.max(1);
        let busier = |best: (usize, f64), (i, &bytes): (usize, &f64)| if bytes > best.1 { (i, bytes) } else { best };
        let (i, bytes) = self.links.iter().enumerate().fold((0, 0.0), busier);
        (i / n, i % n, bytes)
    }

    /// The most that a rank sends, in bytes.
    pub fn most_sent(&self) -> f64 {
        self.sent.iter().copied().fold(0.0, f64::max)
    }

    /// The share of all ranks' time in which they neither send nor receive.
    pub fn idle_share(&self) -> f64 {
        let all = self.time() * self.ranks as f64;
        if all > 0.0 { self.idle.iter().sum::<f64>() / all } else { 0.0 }
    }
}

/// What each port and wire carries in one step, in chunks.
struct Loads {
    ranks: usize,
    /// By rank: sent within the node, received within it, sent to other nodes, received from them.
    ports: Vec<[u32; 4]>,
    wires: Vec<u32>,
    /// The wires that carry something.
    used: Vec<(usize, usize)>,
}

impl Loads {
    fn new(ranks: usize) -> Self {
        Self { ranks, ports: vec![[0; 4]; ranks], wires: vec![0; ranks * ranks], used: Vec::new() }
    }

    fn take(&mut self, step: &Step, machine: &Machine) {
        self.ports.fill([0; 4]);
        for (from, to) in self.used.drain(..) {
            self.wires[from * self.ranks + to] = 0;
        }
        for t in &step.transfers {
            let (from, to) = (usize::from(t.from), usize::from(t.to));
            let wire = &mut self.wires[from * self.ranks + to];
            if *wire == 0 {
                self.used.push((from, to));
            }
            *wire += 1;
            let port = if machine.together(from, to) { 0 } else { 2 };
            self.ports[from][port] += 1;
            self.ports[to][port + 1] += 1;
        }
    }

    fn busy(&self, rank: usize) -> bool {
        self.ports[rank] != [0; 4]
    }

    fn time(&self, machine: &Machine, chunk: f64) -> f64 {
        let one =
            |link: &Link, slow: f64, chunks: u32| slow * (link.latency + f64::from(chunks) * chunk / link.bandwidth);
        let mut longest: f64 = 0.0;
        for (rank, loads) in self.ports.iter().enumerate() {
            for (i, &chunks) in loads.iter().enumerate() {
                let link = if i < 2 { machine.link } else { machine.net };
                if chunks > 0 && link.wiring == Wiring::Port {
                    longest = longest.max(one(link, machine.slowness(rank), chunks));
                }
            }
        }
        for &(from, to) in &self.used {
            let link = machine.between(from, to);
            if link.wiring == Wiring::Mesh {
                let slow = machine.slowness(from).max(machine.slowness(to));
                longest = longest.max(one(link, slow, self.wires[from * self.ranks + to]));
            }
        }
        longest
    }
}
