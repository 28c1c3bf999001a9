//! What people write for Slurm: times, `#SBATCH` options, and lines of `sacct`.
//!
//! Source: the manual pages `sbatch`, `srun` and `sacct` of Slurm 24.05 (SchedMD/slurm, `doc/man/man1`).

pub mod options;
pub mod time;

pub use options::{Given, Options, split_option};
