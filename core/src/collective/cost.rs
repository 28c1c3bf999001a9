//! What a schedule costs: bytes by rank and by link, and time in the α–β model.
//!
//! Sending m bytes takes α + m/B (Hockney 1994), of which only m/B keeps the link busy. On a [`Wiring::Port`] all that a rank
//! sends in a step shares B, and so does all it receives; in a [`Wiring::Mesh`] each wire has its own. A port to the other
//! nodes is a second one, beside the one to the ranks of the same node. Arithmetic on what arrives, and the launch (8.4 µs a
//! collective in NCCL's tuner), are not counted.
//!
//! Ranks do not wait for each other after every step. A rank goes on when it has what it was to receive; a message on a
//! connection that both ends used in their step before follows as soon as the link is free, since its receive is posted
//! (NCCL gives a connection 8 slots: `NCCL_STEPS` in `src/include/device.h`). On any other connection both ends
//! first end what they had begun. So latency follows the slowest chunk from hop to hop, as in [`crate::network`].

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
    /// Seconds from the last arrival of the steps before to the last arrival of each step; 0 where all of it came earlier.
    pub steps: Vec<f64>,
    /// Seconds in which nothing is on its way to or from each rank.
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
        let mut clock = Clock::new(n);
        for (index, step) in steps.iter().enumerate() {
            loads.take(step, self);
            let before = clock.end;
            clock.advance(index, &loads, self, chunk);
            cost.steps.push(clock.end - before);
            for t in &step.transfers {
                let (from, to) = (usize::from(t.from), usize::from(t.to));
                cost.sent[from] += chunk;
                cost.received[to] += chunk;
                cost.links[from * n + to] += chunk;
            }
        }
        for (idle, busy) in cost.idle.iter_mut().zip(clock.busy) {
            *idle = (clock.end - covered(busy)).max(0.0);
        }
        cost
    }
}

/// Seconds that at least one of `intervals` covers.
fn covered(mut intervals: Vec<(f64, f64)>) -> f64 {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut until) = (0.0, 0.0_f64);
    for (from, to) in intervals {
        sum += (to - from.max(until)).max(0.0);
        until = until.max(to);
    }
    sum
}

impl Cost {
    /// Seconds from the start to the last arrival.
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

    /// The share of all ranks' time in which nothing is on its way to or from them.
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
            let port = port(machine, from, to);
            self.ports[from][port] += 1;
            self.ports[to][port + 1] += 1;
        }
    }

    /// Seconds before the first byte of a message arrives, and seconds in which its bytes keep the link busy.
    fn message(&self, machine: &Machine, (from, to): (usize, usize), chunk: f64) -> (f64, f64) {
        let link = machine.between(from, to);
        let (slow_from, slow_to) = (machine.slowness(from), machine.slowness(to));
        let slowest = slow_from.max(slow_to);
        let push = match link.wiring {
            Wiring::Port => {
                let port = port(machine, from, to);
                let (out, into) = (self.ports[from][port], self.ports[to][port + 1]);
                (slow_from * f64::from(out)).max(slow_to * f64::from(into))
            }
            Wiring::Mesh => slowest * f64::from(self.wires[from * self.ranks + to]),
        };
        (slowest * link.latency, push * chunk / link.bandwidth)
    }
}

/// The port of a rank that sends from one rank to another; the one behind it receives.
fn port(machine: &Machine, from: usize, to: usize) -> usize {
    if machine.together(from, to) { 0 } else { 2 }
}

/// When each rank and each link is done with what it has had.
struct Clock {
    ranks: usize,
    /// The last arrival of all.
    end: f64,
    /// By rank: the last arrival of what it sent or received.
    done: Vec<f64>,
    /// By rank: the last arrival of what it received.
    ready: Vec<f64>,
    /// By rank and port as in [`Loads`]: when its bytes are through.
    free: Vec<[f64; 4]>,
    /// By wire: when its bytes are through.
    wire_free: Vec<f64>,
    /// By wire, by sender and by receiver: the step in which it was last used, from 1; 0 for never.
    wire_step: Vec<usize>,
    sent_step: Vec<usize>,
    received_step: Vec<usize>,
    /// By rank: from when to when each of its messages was on its way.
    busy: Vec<Vec<(f64, f64)>>,
}

impl Clock {
    fn new(n: usize) -> Self {
        Self {
            ranks: n,
            end: 0.0,
            done: vec![0.0; n],
            ready: vec![0.0; n],
            free: vec![[0.0; 4]; n],
            wire_free: vec![0.0; n * n],
            wire_step: vec![0; n * n],
            sent_step: vec![0; n],
            received_step: vec![0; n],
            busy: vec![Vec::new(); n],
        }
    }

    /// Carries out the messages of step `index`.
    fn advance(&mut self, index: usize, loads: &Loads, machine: &Machine, chunk: f64) {
        let started: Vec<_> = loads.used.iter().map(|&ends| (ends, self.start(ends, machine))).collect();
        for (ends, start) in started {
            let (from, to) = ends;
            let (latency, push) = loads.message(machine, ends, chunk);
            let (through, arrival) = (start + push, start + latency + push);
            let (wire, port) = (from * self.ranks + to, port(machine, from, to));
            self.wire_free[wire] = self.wire_free[wire].max(through);
            for (rank, port) in [(from, port), (to, port + 1)] {
                self.free[rank][port] = self.free[rank][port].max(through);
                self.done[rank] = self.done[rank].max(arrival);
                self.busy[rank].push((start, arrival));
            }
            self.ready[to] = self.ready[to].max(arrival);
            self.end = self.end.max(arrival);
            self.wire_step[wire] = index + 1;
            self.sent_step[from] = index + 1;
            self.received_step[to] = index + 1;
        }
    }

    /// When a message of the next step can start.
    fn start(&self, (from, to): (usize, usize), machine: &Machine) -> f64 {
        let wire = from * self.ranks + to;
        let used = self.wire_step[wire];
        let posted = used > 0 && used == self.sent_step[from] && used == self.received_step[to];
        let ends = if posted { self.ready[from] } else { self.done[from].max(self.done[to]) };
        let free = match machine.between(from, to).wiring {
            Wiring::Port => {
                let port = port(machine, from, to);
                self.free[from][port].max(self.free[to][port + 1])
            }
            Wiring::Mesh => self.wire_free[wire],
        };
        ends.max(free)
    }
}
