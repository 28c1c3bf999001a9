//! Runs the orders of all devices as early as the dependencies allow.

use std::fmt;

use super::schedule::{Kind, Op, Placement};
use super::timeline::{Block, Timeline};

/// What is run on: devices, their chunks of the model, micro-batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fleet {
    /// Devices, p.
    pub devices: u32,
    /// Chunks of the model on each, v.
    pub chunks: u32,
    /// Micro-batches of the step, m.
    pub microbatches: u32,
    /// Which device has which stage.
    pub placement: Placement,
}

impl Fleet {
    /// Stages of the model: chunks of all devices.
    pub fn stages(self) -> u32 {
        self.devices.saturating_mul(self.chunks)
    }

    /// The device that has `stage`.
    pub fn device(self, stage: u32) -> u32 {
        self.placement.device(stage, self.devices)
    }
}

/// How long things take, in milliseconds, for one micro-batch and all the layers of a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    /// The forward pass.
    pub forward: f64,
    /// The gradient of the input.
    pub input: f64,
    /// The gradient of the weights.
    pub weight: f64,
    /// From the end of a piece of work to the arrival of its result on another device.
    pub latency: f64,
    /// How many times as long each device takes; those that are not listed take 1.
    pub factors: Vec<f64>,
}

impl Costs {
    /// How long a kind of work takes on one of `chunks` chunks of `device`.
    pub fn of(&self, kind: Kind, device: u32, chunks: u32) -> f64 {
        let whole = match kind {
            Kind::Forward => self.forward,
            Kind::Backward => self.input + self.weight,
            Kind::Input => self.input,
            Kind::Weight => self.weight,
        };
        let factor = self.factors.get(device as usize).copied().unwrap_or(1.0);
        whole * factor / f64::from(chunks.max(1))
    }
}

/// Why orders cannot be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A device is told to do work of a stage that it does not have, or of a micro-batch that there is not.
    Misplaced {
        /// The device.
        device: u32,
        /// What it is told to do.
        op: Op,
    },
    /// Work is done twice.
    Repeated(Op),
    /// Devices wait for each other, or for something that no device does.
    Stuck {
        /// The first device that waits.
        device: u32,
        /// What it cannot do.
        op: Op,
        /// What it waits for.
        awaits: Op,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Misplaced { device, op } => write!(f, "Device {device} has no {op}."),
            Fault::Repeated(op) => write!(f, "{op} is done twice."),
            Fault::Stuck { device, op, awaits } => {
                write!(f, "Device {device} waits for ever: {op} needs {awaits}.")
            }
        }
    }
}

/// What `op` needs the results of, of a model of `stages` stages; `Backward` stands for either kind of backward pass.
pub(super) fn needs(op: Op, stages: u32) -> [Option<Op>; 2] {
    let result = |kind, stage| Some(Op { kind, stage, microbatch: op.microbatch });
    match op.kind {
        Kind::Forward => [op.stage.checked_sub(1).and_then(|before| result(Kind::Forward, before)), None],
        Kind::Backward | Kind::Input => {
            let after = op.stage + 1;
            [result(Kind::Forward, op.stage), if after < stages { result(Kind::Backward, after) } else { None }]
        }
        Kind::Weight => [result(Kind::Backward, op.stage), None],
    }
}

/// No block.
const NONE: u32 = u32::MAX;

/// The block of every result that is there: forward passes, backward passes (of the input or whole), weight gradients.
struct Results {
    blocks: Vec<u32>,
    stages: usize,
    microbatches: usize,
}

impl Results {
    fn new(fleet: Fleet) -> Self {
        let (stages, microbatches) = (fleet.stages() as usize, fleet.microbatches as usize);
        Self { blocks: vec![NONE; 3 * stages * microbatches], stages, microbatches }
    }

    fn of(&mut self, op: Op) -> Option<&mut u32> {
        let class = match op.kind {
            Kind::Forward => 0,
            Kind::Backward | Kind::Input => 1,
            Kind::Weight => 2,
        };
        let (stage, microbatch) = (op.stage as usize, op.microbatch as usize);
        if stage >= self.stages || microbatch >= self.microbatches {
            return None;
        }
        self.blocks.get_mut((class * self.stages + stage) * self.microbatches + microbatch)
    }
}

/// Runs the order of each device, one piece of work at a time, each as early as it can be.
///
/// A forward pass needs that of the stage before; a backward pass the forward pass of its stage and the backward pass of the
/// stage after; a weight gradient the backward pass of its stage. What comes from another device arrives `latency` later.
/// Sending occupies no device. Time and memory are linear in the number of pieces.
pub fn simulate(orders: &[Vec<Op>], fleet: Fleet, costs: &Costs) -> Result<Timeline, Fault> {
    let devices = orders.len().min(fleet.devices as usize);
    let mut first = Vec::with_capacity(devices + 1);
    let mut count = 0_u32;
    for order in orders.iter().take(devices) {
        first.push(count);
        count = count.saturating_add(order.len() as u32);
    }
    first.push(count);
    let idle = Block { op: Op { kind: Kind::Forward, stage: 0, microbatch: 0 }, start: 0.0, end: 0.0, after: None };
    let mut blocks = vec![idle; count as usize];
    let mut results = Results::new(fleet);
    let mut next = vec![0_usize; devices];
    let mut awaits: Vec<Option<(Op, Op)>> = vec![None; devices];
    let mut awake: Vec<u32> = (0..devices as u32).rev().collect();

    while let Some(device) = awake.pop() {
        let d = device as usize;
        let (Some(order), Some(&offset)) = (orders.get(d), first.get(d)) else { continue };
        'work: while let Some(&op) = order.get(next[d]) {
            if fleet.device(op.stage) != device || results.of(op).is_none() {
                return Err(Fault::Misplaced { device, op });
            }
            let at = offset + next[d] as u32;
            let before = at.checked_sub(1).filter(|before| *before >= offset);
            let mut start = before.map_or(0.0, |before| blocks[before as usize].end);
            let mut after = before;
            for need in needs(op, fleet.stages()).into_iter().flatten() {
                let Some(&mut block) = results.of(need) else { continue };
                if block == NONE {
                    awaits[d] = Some((op, need));
                    break 'work;
                }
                let away = fleet.device(need.stage) != device;
                let arrival = blocks[block as usize].end + if away { costs.latency } else { 0.0 };
                if arrival > start {
                    (start, after) = (arrival, Some(block));
                }
            }
            blocks[at as usize] = Block { op, start, end: start + costs.of(op.kind, device, fleet.chunks), after };
            match results.of(op) {
                Some(slot) if *slot == NONE => *slot = at,
                _ => return Err(Fault::Repeated(op)),
            }
            awaits[d] = None;
            next[d] += 1;
            // Whoever may have waited for this looks again.
            let neighbour = match op.kind {
                Kind::Forward => Some(op.stage + 1),
                Kind::Backward | Kind::Input => op.stage.checked_sub(1),
                Kind::Weight => None,
            };
            let neighbour = neighbour.filter(|stage| *stage < fleet.stages()).map(|stage| fleet.device(stage));
            if let Some(other) = neighbour.filter(|other| *other != device)
                && awaits.get(other as usize).is_some_and(Option::is_some)
            {
                awaits[other as usize] = None;
                awake.push(other);
            }
        }
    }
    let stuck = awaits.iter().enumerate().find_map(|(device, waits)| Some((device, (*waits)?)));
    match stuck {
        Some((device, (op, awaits))) => Err(Fault::Stuck { device: device as u32, op, awaits }),
        None => Ok(Timeline { fleet, blocks, first }),
    }
}
