//! The labs: what their scripts print, held against the models.
//!
//! A lab's script (`content/labs/<nn-slug>/*.py`) ends with a block of three lines: a mark, one JSON object, a mark. [`read()`] finds
//! the block in whatever was pasted and gives each of its numbers the model's beside it.

mod block;
mod collectives;
mod ddp;
mod deepspeed;
mod fsdp;
mod fsdp_in_code;
mod mixed_precision;
mod parallel;
mod profile;
mod ring_attention;
mod serve;
mod states;
#[cfg(test)]
mod tests;

use crate::quantity::Unit;
use crate::setup::{Measurable, Measured, Times};

use block::Block;
pub use block::{BEGIN, END, read};

/// fp32's unit roundoff.
const ROUNDOFF: f64 = 5.960_464_477_539_063e-8;

/// A lab.
pub struct Lab {
    /// What its block and its page call it: `collectives`.
    pub id: &'static str,
    /// The highest version of its block that is read.
    pub version: u64,
    hold: fn(&mut Block<'_>) -> Rows,
}

/// All labs, in their order.
pub const ALL: [Lab; 10] = [
    Lab { id: "collectives", version: 1, hold: collectives::hold },
    Lab { id: "ddp", version: 1, hold: ddp::hold },
    Lab { id: "fsdp", version: 1, hold: fsdp::hold },
    Lab { id: "mixed-precision", version: 1, hold: mixed_precision::hold },
    Lab { id: "deepspeed", version: 1, hold: deepspeed::hold },
    Lab { id: "profile", version: 1, hold: profile::hold },
    Lab { id: "parallel", version: 1, hold: parallel::hold },
    Lab { id: "serve", version: 2, hold: serve::hold },
    Lab { id: "fsdp-in-code", version: 1, hold: fsdp_in_code::hold },
    Lab { id: "ring-attention", version: 1, hold: ring_attention::hold },
];

/// The lab of this id.
pub fn find(id: &str) -> Option<&'static Lab> {
    ALL.iter().find(|lab| lab.id == id)
}

/// A block beside the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Which lab printed it.
    pub lab: &'static str,
    /// Where it ran: "2 ranks on cpu, PyTorch 2.9.1".
    pub on: String,
    /// What was measured, line by line.
    pub rows: Vec<Row>,
    /// What of it describes the machine, to be kept as one's own.
    pub setup: Vec<Measured>,
    /// Times of a collective, to be kept with it.
    pub times: Option<Times>,
    /// The sentence above the table.
    pub finding: String,
}

/// A number that was measured, beside what the model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is.
    pub what: String,
    /// The model's number, in the unit's base.
    pub predicted: f64,
    /// What the script printed.
    pub measured: f64,
    /// Of both.
    pub unit: Unit,
    /// How near the two have to be.
    pub within: Within,
    /// Why they differ, if they do; else empty.
    pub why: String,
}

/// How near a measurement has to be to its model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Within {
    /// To the byte, or to the bit.
    Exactly,
    /// By so many times, either way.
    Times(f64),
    /// Not more than predicted: a bound.
    AtMost,
    /// Yes: 1.
    Yes,
}

impl Row {
    /// Whether the model holds here.
    pub fn holds(&self) -> bool {
        let (predicted, measured) = (self.predicted, self.measured);
        match self.within {
            Within::Exactly | Within::Yes => predicted == measured,
            Within::Times(times) => measured <= predicted * times && predicted <= measured * times,
            Within::AtMost => measured <= predicted,
        }
    }

    /// A prediction of this row, for a person.
    pub fn text(&self, value: f64) -> String {
        match self.within {
            Within::Yes => if value == 1.0 { "yes" } else { "no" }.into(),
            Within::AtMost => format!("≤ {}", self.unit.format(value)),
            _ => self.unit.format(value),
        }
    }

    /// What was measured, for a person.
    pub fn measured_text(&self) -> String {
        if self.within == Within::AtMost { self.unit.format(self.measured) } else { self.text(self.measured) }
    }

    /// The difference in words: "the same", "+14%", "2.5 times as much", "within the bound".
    pub fn difference(&self) -> String {
        let (predicted, measured) = (self.predicted, self.measured);
        if self.within == Within::AtMost {
            return if self.holds() { "within the bound" } else { "over the bound" }.into();
        }
        if predicted == measured {
            return "the same".into();
        }
        if predicted <= 0.0 || measured <= 0.0 {
            return "another".into();
        }
        let ratio = measured / predicted;
        match ratio {
            r if (0.98..=1.02).contains(&r) => format!("{:+.1}%", (r - 1.0) * 100.0),
            r if (0.5..2.0).contains(&r) => format!("{:+.0}%", (r - 1.0) * 100.0),
            r if r >= 2.0 => format!("{} times as much", crate::quantity::number(r)),
            r => format!("1/{} of it", crate::quantity::number(1.0 / r)),
        }
    }
}

/// What a lab makes of its block.
#[derive(Debug, Default)]
struct Rows {
    rows: Vec<Row>,
    setup: Vec<Measured>,
    times: Option<Times>,
    finding: String,
}

impl Rows {
    /// Adds a row; `why` is asked for only where the model does not hold.
    fn add(
        &mut self,
        what: impl Into<String>,
        (predicted, measured): (f64, f64),
        unit: Unit,
        within: Within,
        why: impl FnOnce(f64) -> String,
    ) {
        let mut row = Row { what: what.into(), predicted, measured, unit, within, why: String::new() };
        if !row.holds() {
            row.why = why(if predicted > 0.0 { measured / predicted } else { f64::INFINITY });
        }
        self.rows.push(row);
    }

    /// Something that has to be right.
    fn right(&mut self, what: &str, is_right: bool, why: &str) {
        let measured = if is_right { 1.0 } else { 0.0 };
        self.add(what, (1.0, measured), Unit::Count, Within::Yes, |_| why.into());
    }

    fn keep(&mut self, what: Measurable, value: f64) {
        if value.is_finite() && value > 0.0 {
            self.setup.push(Measured { what, value });
        }
    }
}
