//! What a lab measures of a machine.

use crate::collective::Op;
use crate::declare::Text as _;
use crate::network::sizes::{Point, Points};
use crate::quantity::Unit;
use crate::query::{Kind, ParamSpec};

/// A quantity that labs measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measurable {
    /// α of a message between two ranks.
    Latency,
    /// 1/β: bytes a second between two ranks.
    Bandwidth,
    /// What a matmul reaches.
    Flops,
    /// What reading memory reaches.
    Memory,
    /// What a launch costs.
    Launch,
}

impl Measurable {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Latency, Self::Bandwidth, Self::Flops, Self::Memory, Self::Launch];

    /// Its name in the store and in links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Latency => "alpha",
            Self::Bandwidth => "bandwidth",
            Self::Flops => "flops",
            Self::Memory => "memory-bandwidth",
            Self::Launch => "launch",
        }
    }

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Latency => "Latency of a message, α",
            Self::Bandwidth => "Bandwidth between two ranks, 1/β",
            Self::Flops => "FLOP/s of a matmul",
            Self::Memory => "Memory bandwidth",
            Self::Launch => "Cost of a launch",
        }
    }

    /// Its unit.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Latency | Self::Launch => Unit::Seconds,
            Self::Bandwidth | Self::Memory => Unit::BytesPerSecond,
            Self::Flops => Unit::FlopPerSecond,
        }
    }

    /// What values it can have, in base units: from what no clock resolves to what no machine does.
    pub const fn spec(self) -> ParamSpec {
        let [min, max] = match self.unit() {
            Unit::Seconds => [1e-9, 1e3],
            _ => [1.0, 1e18],
        };
        ParamSpec { name: self.id(), doc: self.label(), kind: Kind::Real { min, max }, default: "" }
    }
}

/// A number of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Which.
    pub what: Measurable,
    /// In its unit's base.
    pub value: f64,
}

/// Times of a collective by the size of its buffer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Times {
    /// The collective.
    pub op: Op,
    /// The ranks that took part.
    pub ranks: u64,
    /// Bytes and seconds.
    pub points: Points,
}

/// Most sizes that are kept.
const MOST: usize = 64;

impl Times {
    /// Of pairs of bytes and seconds. None of fewer than two ranks, or of an operation that the course does not name.
    pub fn new(op: &str, ranks: u64, pairs: &[(f64, f64)]) -> Option<Self> {
        let op = Op::find(&op.replace('_', "-"))?;
        let point = |&(bytes, time): &(f64, f64)| Point { bytes, time, in_place: None };
        let mut times = Self { op, ranks, points: Points(pairs.iter().map(point).collect()) };
        times.shorten();
        // With as many digits as a link has, so that what was kept is known again.
        let written = times.points.write();
        times.points.read(&written).ok()?;
        (ranks > 1 && !times.points.is_empty()).then_some(times)
    }

    /// Keeps no more than a link has room for, and what can be written and read back.
    pub(super) fn shorten(&mut self) {
        self.points.0.retain(|p| (1.0..1e15).contains(&p.bytes) && (1e-9..1e9).contains(&p.time));
        self.points.0.truncate(MOST);
    }
}
