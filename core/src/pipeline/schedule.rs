//! The published schedules: the order in which each device takes its work.

use std::collections::VecDeque;
use std::fmt;

use crate::options;

/// Most devices.
pub const MAX_STAGES: u32 = 64;
/// Most micro-batches.
pub const MAX_MICROBATCHES: u32 = 512;
/// Most chunks of a device.
pub const MAX_CHUNKS: u32 = 4;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The forward pass of a micro-batch through a stage.
    Forward,
    /// Its whole backward pass: the gradients of the stage's input and of its weights.
    Backward,
    /// The gradient of the stage's input alone, which is all that the stage before waits for.
    Input,
    /// The gradient of the weights, which nothing waits for.
    Weight,
}

impl Kind {
    /// Its letter in the papers: F; B for a backward pass, whole or of the input; W.
    pub fn letter(self) -> char {
        match self {
            Kind::Forward => 'F',
            Kind::Backward | Kind::Input => 'B',
            Kind::Weight => 'W',
        }
    }
}

/// One piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Op {
    /// What is done.
    pub kind: Kind,
    /// The stage of the model, counted through all chunks of all devices.
    pub stage: u32,
    /// The micro-batch.
    pub microbatch: u32,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} of stage {}", self.kind.letter(), self.microbatch, self.stage)
    }
}

/// Which device has which stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Stage s is on device s mod p: round and round.
    Loop,
    /// Two chunks each, down and up again: stages s and 2p − 1 − s are on one device.
    V,
}

impl Placement {
    /// The device, of `devices`, that has `stage`.
    pub fn device(self, stage: u32, devices: u32) -> u32 {
        let devices = devices.max(1);
        match self {
            Placement::V if stage >= devices => (2 * devices - 1).saturating_sub(stage),
            Placement::V => stage,
            Placement::Loop => stage % devices,
        }
    }
}

/// A schedule with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// One micro-batch after another: while one device works, all others wait.
    Naive,
    /// All forward passes, then all backward passes, the last micro-batch first.
    GPipe,
    /// PipeDream-flush: stage i runs p − i forward passes, then one backward and one forward in turn.
    #[default]
    OneForwardOneBackward,
    /// PipeDream: the same order with no flush; each backward pass updates the weights, of which versions are kept.
    PipeDream,
    /// Megatron-LM's: several chunks of the model a device, 1F1B over groups of p micro-batches.
    Interleaved,
    /// Zero bubble, hand-made, in the memory of 1F1B.
    ZeroBubbleH1,
    /// Zero bubble, hand-made, in nearly twice that memory.
    ZeroBubbleH2,
    /// Zero bubble on a V of two chunks.
    ZeroBubbleV,
    /// DeepSeek's DualPipeV.
    DualPipeV,
}

options!(Schedule {
    Naive: "naive", "One at a time";
    GPipe: "gpipe", "GPipe";
    OneForwardOneBackward: "1f1b", "1F1B";
    PipeDream: "pipedream", "PipeDream";
    Interleaved: "interleaved", "Interleaved 1F1B";
    ZeroBubbleH1: "zb-h1", "ZB-H1";
    ZeroBubbleH2: "zb-h2", "ZB-H2";
    ZeroBubbleV: "zb-v", "ZB-V";
    DualPipeV: "dualpipe-v", "DualPipeV";
});

impl Schedule {
    /// Chunks of a device, where `asked` are wanted: only the interleaved schedule has a choice.
    pub fn chunks(self, asked: u32) -> u32 {
        match self {
            Schedule::Interleaved => asked.max(1),
            Schedule::ZeroBubbleV | Schedule::DualPipeV => 2,
            _ => 1,
        }
    }

    /// Which device has which stage.
    pub fn placement(self) -> Placement {
        match self {
            Schedule::ZeroBubbleV | Schedule::DualPipeV => Placement::V,
            _ => Placement::Loop,
        }
    }

    /// The order of each of `p` devices for `m` micro-batches. `chunks` counts for the interleaved schedule only. What is over
    /// [`MAX_STAGES`], [`MAX_MICROBATCHES`] and [`MAX_CHUNKS`] is cut.
    ///
    /// Schedules that are defined for a least or a multiple number of micro-batches are made for the next such number, and
    /// the micro-batches that are too many are taken out.
    pub fn orders(self, p: u32, m: u32, chunks: u32) -> Vec<Vec<Op>> {
        let (p, m, chunks) = (p.min(MAX_STAGES), m.min(MAX_MICROBATCHES), chunks.min(MAX_CHUNKS));
        (0..p)
            .map(|device| {
                let mut order = Order::new(p, device, m);
                match self {
                    Schedule::Naive => order.naive(),
                    Schedule::GPipe => order.gpipe(),
                    Schedule::Interleaved if chunks > 1 => order.interleaved(chunks),
                    Schedule::OneForwardOneBackward | Schedule::PipeDream | Schedule::Interleaved => order.one_by_one(),
                    Schedule::ZeroBubbleH1 => order.zero_bubble(p - device, p),
                    Schedule::ZeroBubbleH2 => order.zero_bubble(2 * (p - device) - 1, 2 * p - 1),
                    Schedule::ZeroBubbleV => order.zero_bubble_v(),
                    Schedule::DualPipeV => order.dualpipe_v(),
                }
                order.ops
            })
            .collect()
    }
}

/// The order of one device as it is written.
struct Order {
    p: u32,
    device: u32,
    m: u32,
    ops: Vec<Op>,
}

/// The two chunks of a device on a V, and how far each kind of work on them has come.
#[derive(Default)]
struct Counts {
    forward: [u32; 2],
    backward: [u32; 2],
    weight: [u32; 2],
}

impl Order {
    fn new(p: u32, device: u32, m: u32) -> Self {
        Self { p, device, m, ops: Vec::new() }
    }

    /// Adds a piece of work, unless its micro-batch is one too many.
    fn push(&mut self, kind: Kind, stage: u32, microbatch: u32) {
        if microbatch < self.m {
            self.ops.push(Op { kind, stage, microbatch });
        }
    }

    fn naive(&mut self) {
        for j in 0..self.m {
            self.push(Kind::Forward, self.device, j);
            self.push(Kind::Backward, self.device, j);
        }
    }

    fn gpipe(&mut self) {
        (0..self.m).for_each(|j| self.push(Kind::Forward, self.device, j));
        (0..self.m).rev().for_each(|j| self.push(Kind::Backward, self.device, j));
    }

    fn one_by_one(&mut self) {
        let ahead = self.p - self.device - 1;
        for j in 0..self.m + ahead {
            self.push(Kind::Forward, self.device, j);
            if let Some(back) = j.checked_sub(ahead) {
                self.push(Kind::Backward, self.device, back);
            }
        }
    }

    /// Megatron-LM's `get_schedule_table`: the k-th forward pass is that of row k of a table that runs through the chunks for
    /// each group of p micro-batches, the k-th backward pass that of row k with the chunks reversed. Device i starts with
    /// 2 (p − i − 1) + (v − 1) p forward passes.
    fn interleaved(&mut self, v: u32) {
        let (p, device) = (self.p, self.device);
        let row = |k: u32| (k / (p * v) * p + k % p, k / p % v);
        let total = self.m.div_ceil(p) * p * v;
        let ahead = 2 * (p - device - 1) + (v - 1) * p;
        for k in 0..total + ahead {
            if k < total {
                let (microbatch, chunk) = row(k);
                self.push(Kind::Forward, chunk * p + device, microbatch);
            }
            if let Some(back) = k.checked_sub(ahead) {
                let (microbatch, chunk) = row(back);
                self.push(Kind::Backward, (v - 1 - chunk) * p + device, microbatch);
            }
        }
    }

    /// Qi et al. 2024, §2: 1F1B after `warm_up` forward passes, with the backward pass in two. At most `cap` micro-batches are
    /// kept: where a forward pass would be one too many, the weight gradient of the oldest comes first. When no forward pass
    /// is left, a weight gradient follows each backward pass.
    fn zero_bubble(&mut self, warm_up: u32, cap: u32) {
        let (stage, m) = (self.device, self.m);
        let (mut forward, mut weight) = (warm_up.min(m), 0);
        (0..forward).for_each(|j| self.push(Kind::Forward, stage, j));
        for backward in 0..m {
            self.push(Kind::Input, stage, backward);
            if forward == m || forward - weight >= cap {
                self.push(Kind::Weight, stage, weight);
                weight += 1;
            }
            if forward < m {
                self.push(Kind::Forward, stage, forward);
                forward += 1;
            }
        }
        (weight..m).for_each(|j| self.push(Kind::Weight, stage, j));
    }

    /// Adds the next forward pass of `chunk` on a V.
    fn forward(&mut self, counts: &mut Counts, chunk: usize) {
        self.push(Kind::Forward, self.on_v(chunk), counts.forward[chunk]);
        counts.forward[chunk] += 1;
    }

    /// Adds the next backward pass of `chunk` on a V: whole, or of the input alone.
    fn backward(&mut self, counts: &mut Counts, chunk: usize, kind: Kind) {
        self.push(kind, self.on_v(chunk), counts.backward[chunk]);
        counts.backward[chunk] += 1;
    }

    /// Adds the next weight gradient of `chunk` on a V.
    fn weight(&mut self, counts: &mut Counts, chunk: usize) {
        self.push(Kind::Weight, self.on_v(chunk), counts.weight[chunk]);
        counts.weight[chunk] += 1;
    }

    fn on_v(&self, chunk: usize) -> u32 {
        if chunk == 0 { self.device } else { 2 * self.p - 1 - self.device }
    }

    /// ZB-V (arXiv:2401.10241, §6): the forward pass of a micro-batch ends on the device where it began, so that its backward
    /// pass can begin there at once, and all devices keep as much as 1F1B's first. For at least 2p − 1 micro-batches.
    fn zero_bubble_v(&mut self) {
        let (p, i) = (self.p, self.device);
        let n = self.m.max(2 * p - 1);
        let mut counts = Counts::default();
        let at = &mut counts;
        (0..2 * (p - i) - 1).for_each(|_| self.forward(at, 0));
        for _ in 0..i {
            self.forward(at, 1);
            self.forward(at, 0);
        }
        for _ in i..p {
            self.forward(at, 1);
            self.backward(at, 1, Kind::Input);
            self.weight(at, 1);
        }
        while at.forward[1] < n {
            if at.forward[0] < n {
                self.forward(at, 0);
            }
            self.backward(at, 0, Kind::Input);
            self.weight(at, 0);
            self.forward(at, 1);
            self.backward(at, 1, Kind::Input);
            self.weight(at, 1);
        }
        for _ in 0..i {
            self.backward(at, 0, Kind::Input);
            self.backward(at, 1, Kind::Input);
        }
        for _ in i..p {
            self.backward(at, 0, Kind::Input);
            self.weight(at, 0);
        }
        while at.weight[1] < n {
            self.weight(at, 1);
        }
        while at.weight[0] < n {
            self.weight(at, 0);
        }
    }

    /// DualPipeV in its eight steps, for at least 2p micro-batches. Where DeepSeek runs a forward and a backward pass as one,
    /// to hide the exchange of tokens between experts, they come one after the other here: this model has no such exchange.
    fn dualpipe_v(&mut self) {
        let (p, i) = (self.p, self.device);
        let n = self.m.max(2 * p);
        let after = p - i - 1;
        let mut counts = Counts::default();
        let at = &mut counts;
        // The weight gradients that have been put off, oldest first: their chunks.
        let mut put_off = VecDeque::new();
        // 1 and 2: fill the first chunk, then both.
        (0..2 * after).for_each(|_| self.forward(at, 0));
        for _ in 0..=i {
            self.forward(at, 0);
            self.forward(at, 1);
        }
        // 3: the second chunk alone, its backward pass in two.
        for _ in 0..after {
            self.backward(at, 1, Kind::Input);
            self.weight(at, 1);
            self.forward(at, 1);
        }
        // A whole backward pass leaves no weight gradient to be done.
        let whole = |order: &mut Self, at: &mut Counts, chunk: usize| {
            order.backward(at, chunk, Kind::Backward);
            at.weight[chunk] += 1;
        };
        // 4: the main part.
        for _ in 0..n + i + 1 - 2 * p {
            self.forward(at, 0);
            whole(self, at, 1);
            self.forward(at, 1);
            whole(self, at, 0);
        }
        // 5: no micro-batch is left for the first chunk.
        for _ in 0..after {
            whole(self, at, 1);
            self.forward(at, 1);
            whole(self, at, 0);
        }
        // 6: backward passes only; those of the second half in two.
        for turn in 0..2 * (i + 1) {
            let chunk = if turn % 2 == 0 { 1 } else { 0 };
            if turn > i {
                self.backward(at, chunk, Kind::Input);
                put_off.push_back(chunk);
            } else {
                whole(self, at, chunk);
            }
        }
        // 7 and 8: what was put off fills the waits and the end.
        for _ in 0..after {
            if let Some(chunk) = put_off.pop_front() {
                self.weight(at, chunk);
            }
            self.backward(at, 0, Kind::Input);
            put_off.push_back(0);
        }
        while let Some(chunk) = put_off.pop_front() {
            self.weight(at, chunk);
        }
    }
}
