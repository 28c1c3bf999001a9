//! Pipeline parallelism: who computes what when, and what it keeps meanwhile.
//!
//! A model is cut into stages, a batch into micro-batches. A [`Schedule`] is the order in which each device takes its
//! pieces of work ([`Op`]); [`simulate`] runs the orders as early as their dependencies allow and yields a [`Timeline`];
//! [`violations`] checks a timeline without knowing which schedule made it.
//!
//! Times are in milliseconds. Devices, stages and micro-batches count from 0.

pub mod board;
pub mod boundary;
pub mod editor;
mod explain;
mod params;
mod schedule;
mod simulate;
mod timeline;
mod trace;
mod validate;

pub use explain::explain;
pub use params::Params;
pub use schedule::{Kind, MAX_CHUNKS, MAX_MICROBATCHES, MAX_STAGES, Op, Placement, Schedule};
pub use simulate::{Costs, Fault, Fleet, simulate};
pub use timeline::{Block, Flight, Timeline};
pub use trace::chrome_trace;
pub use validate::{Violation, violations};
