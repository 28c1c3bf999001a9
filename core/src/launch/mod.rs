//! A launch over several nodes, as commands, variables and manifests: what each process sees, and what goes wrong.
//!
//! A batch script is run as its shell does, once, on the first node (`shell`, `batch`); `srun` starts its tasks, a launcher starts
//! processes (`launcher`), Ray its workers (`ray`), or an operator starts pods (`manifest`). The processes are those of a script that does four things: it calls
//! `init_process_group("nccl")`, takes the GPU number `LOCAL_RANK` (0 where there is none), all-reduces one number, and trains. How far they
//! come is a [`verdict`]. Loops and functions of a shell are not evaluated, and said so.

mod batch;
mod cases;
mod finding;
mod launcher;
mod logs;
mod manifest;
mod params;
mod ray;
pub mod record;
pub mod shell;
#[cfg(test)]
mod tests;
pub mod verdict;
pub mod world;

pub use cases::Case;
pub use params::{Params, Script, Show};
pub use verdict::{Fault, Launch, Outcome};
