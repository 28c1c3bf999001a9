//! The same small computation, run step by step on four kinds of parallel machine.
//!
//! A machine is a few *units* (cores, warps, rows of an array, nodes) of several *lanes* each. In a step every unit does one
//! instruction, and all of its lanes do it together: a lane that has nothing to do with it waits. Units are independent: they wait for each
//! other only where they exchange something. A step says for each lane what it does,
//! how many bytes are read and written in memory near and far, and which messages fly. Nothing is hidden behind anything else:
//! caches, out-of-order execution and overlap are left out, and so are the differences between an instruction of one machine
//! and of another. What remains is how well a computation fits the shape of a machine.
//!
//! Sources of the shapes: lanes of SIMD, Intel Intrinsics Guide (AVX2: 8, AVX-512: 16 fp32 lanes); warps of 32, CUDA
//! programming guide; systolic array, Jouppi et al. 2017, arXiv:1704.04760 (256 × 256), Norrie et al. 2021, IEEE Micro 41(2)
//! (128 × 128 from TPU v2 on).

mod params;
mod run;
#[cfg(test)]
mod tests;
mod work;

pub use params::{Kind, Params, Touch};
pub use work::Work;

/// Bytes of a number.
pub const WORD: f64 = 4.0;

/// What a lane does in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lane {
    /// The unit has nothing left, or waits for a message.
    #[default]
    Waits,
    /// The unit works, and this lane has no part in it.
    Masked,
    /// It works on the element with this number.
    Works(u16),
}

/// A message between units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Message {
    /// The unit that sends it.
    pub from: usize,
    /// The unit that gets it.
    pub to: usize,
    /// Its size.
    pub bytes: f64,
}

/// A step of all units.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    /// What is done: "multiply and add", "fold the lanes".
    pub what: &'static str,
    /// Each unit's lanes, unit after unit.
    pub lanes: Vec<Lane>,
    /// Operations on numbers.
    pub flop: f64,
    /// Bytes read and written in the memory next to a unit.
    pub near: f64,
    /// Bytes read and written in memory next to another.
    pub far: f64,
    /// Messages.
    pub messages: Vec<Message>,
    /// How much later the last unit is done, in steps of a machine whose memory is near and that sends nothing.
    pub time: f64,
}

impl Step {
    /// Lanes that work.
    pub fn working(&self) -> usize {
        self.lanes.iter().filter(|lane| matches!(lane, Lane::Works(_))).count()
    }
}

/// A computation on a machine, from its first step to its last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// Units.
    pub units: usize,
    /// Lanes of a unit.
    pub lanes: usize,
    /// Every step.
    pub steps: Vec<Step>,
    /// Operations that the computation needs, however it is done.
    pub needed: f64,
}

impl Run {
    fn sum(&self, of: impl Fn(&Step) -> f64) -> f64 {
        self.steps.iter().map(of).sum()
    }

    /// How long it takes, in steps of near memory and no message.
    pub fn time(&self) -> f64 {
        self.sum(|step| step.time)
    }

    /// The part of all lanes' time in which they work.
    pub fn utilisation(&self) -> f64 {
        let all = (self.units * self.lanes) as f64 * self.time();
        if all == 0.0 { 0.0 } else { self.sum(|step| step.working() as f64) / all }
    }

    /// Lanes that had no part in what their unit did.
    pub fn masked(&self) -> f64 {
        self.sum(|step| step.lanes.iter().filter(|lane| **lane == Lane::Masked).count() as f64)
    }

    /// Bytes of memory next to a unit.
    pub fn near(&self) -> f64 {
        self.sum(|step| step.near)
    }

    /// Bytes of memory next to another.
    pub fn far(&self) -> f64 {
        self.sum(|step| step.far)
    }

    /// Messages.
    pub fn messages(&self) -> f64 {
        self.sum(|step| step.messages.len() as f64)
    }

    /// Their bytes.
    pub fn sent(&self) -> f64 {
        self.sum(|step| step.messages.iter().map(|message| message.bytes).sum())
    }

    /// How many times as fast as one lane of one unit with all memory near, which does one operation pair a step.
    pub fn speedup(&self) -> f64 {
        self.needed / self.time().max(1.0)
    }
}
