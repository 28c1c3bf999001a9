//! A launch over several nodes, as commands, variables and manifests: what each process sees, and what goes wrong.
//!
//! A batch script is parsed (`parse`) and run as its shell does, once, on the first node (`shell`, `outside`, `batch`); `srun` starts its
//! tasks (`step`), a launcher starts processes (`launcher`), Ray its workers (`ray`), or an operator starts pods (`manifest`, whose fields are
//! those of `schema`). The processes are those of a script that does four things: it calls
//! `init_process_group("nccl")`, takes the GPU number `LOCAL_RANK` (0 where there is none), all-reduces one number, and trains. How far they
//! come is a [`verdict`].
//!
//! What is not evaluated, such as a loop, a file that is sourced or a script that another starts, is marked at its line. What it would have
//! printed or set is not known, and no verdict is given that it could overturn: then the outcome is that not all is read.

mod batch;
mod branches;
mod cases;
mod finding;
mod kubectl;
mod launcher;
mod logs;
mod manifest;
mod outside;
mod params;
mod parse;
mod ray;
pub mod record;
pub(crate) mod schema;
pub mod shell;
mod step;
#[cfg(test)]
mod tests;
pub mod verdict;
pub mod world;
pub(crate) mod yaml;

pub(crate) use batch::header_of;
pub(crate) use branches::{Arm, Branches, Fate, own_options};
pub use cases::Case;
pub(crate) use manifest::{Size, size as pods};
pub use params::{Params, Script, Show};
pub use verdict::{Fault, Launch, Outcome};
