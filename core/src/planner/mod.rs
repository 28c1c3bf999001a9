//! Which layout is best: every division of a job over a cluster, priced by the models of this crate.
//!
//! A [`Job`] is a model, a cluster, a batch and a sequence. A [`Choice`] lays it out; [`Job::step`] says how long a step
//! takes, part by part, [`Job::memory`] what a GPU holds, by [`crate::memory`]. A [`Search`] goes through every layout that
//! is possible and can be stopped at any time. Collectives cost what [`crate::network`] says, the pipeline what closed forms
//! of [`crate::pipeline`]'s schedules say, kernels what [`efficiency`] says; [`published`] holds all of it to published runs.
//!
//! Not modelled: slow nodes, failures, data loading, power limits, experts that get unequal shares of the tokens.

pub mod cluster;
pub mod efficiency;
pub mod found;
pub mod job;
mod params;
pub mod published;
pub mod recompute;
pub mod search;
pub mod traffic;
pub mod words;
pub mod work;

pub use cluster::{Axis, Cluster, Degrees, Group};
pub use found::Found;
pub use job::{Choice, Footprint, Job, Refusal, Step};
pub use params::{Params, Plan};
pub use search::{KNOBS, Layout, Pins, Price, Progress, Refused, Search};
pub use traffic::Traffic;
