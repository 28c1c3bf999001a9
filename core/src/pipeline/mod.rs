//! Pipeline parallelism: who computes what when, and what it keeps meanwhile.
//!
//! A model is cut into stages, a batch into micro-batches. A [`Schedule`] is the order in which each device takes its
//! pieces of work ([`Op`]); [`simulate`] runs the orders as early as their dependencies allow and yields a [`Timeline`];
//! [`violations`] checks a timeline without knowing which schedule made it.
//!
//! Times are in milliseconds. Devices, stages and micro-batches count from 0.
//!
//! Sources: Huang et al. 2019 (GPipe, arXiv:1811.06965), Harlap et al. 2018 (PipeDream, arXiv:1806.03377), Narayanan et al.
//! 2021 (arXiv:2104.04473, §2.2), Qi et al. 2024 (zero bubble, arXiv:2401.10241), Qi et al. 2024 (controllable memory,
//! arXiv:2405.15362), DeepSeek-AI's DualPipe (`dualpipev.py`).

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
