//! A cluster and its scheduler: which jobs start when, and on which nodes.
//!
//! A cluster is nodes that are all alike, in blocks. A job asks for some GPUs on each of some nodes and for a time. The scheduler sees what
//! a job asks for, never how long it will really run, and is run at every submission and every end ([`simulate`]). Which jobs start is a
//! [`Policy`], which of them is first an [`Order`], on which nodes a [`Placement`].
//!
//! Conservative backfill plans with GPUs, not with nodes, as PYSS does: that is exact where jobs take whole nodes. Where they take parts,
//! a job whose time has come and that finds no node waits for the next event. Fair share is Slurm's classic 2^(−usage/share) without
//! decay: its half-life is days, a list is hours. Pods of a job go to different nodes.

mod finding;
pub mod jobs;
pub mod kube;
mod params;
pub mod place;
mod policy;
mod profile;
pub mod result;
mod sacct;
mod sbatch;
mod simulate;
#[cfg(test)]
mod tests;
mod traces;

pub use jobs::JobList;
pub use params::{ALL_STEPS, Campaign, Order, Params, Policy};
pub use place::Placement;
pub use simulate::{Setup, simulate};
pub use traces::Trace;
