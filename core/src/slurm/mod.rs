//! What people write for Slurm: times, `#SBATCH` options, and lines of `sacct`.
//!
//! Source: the manual pages `sbatch`, `srun` and `sacct` of Slurm (SchedMD/slurm, `doc/man/man1`), and what its parsers take.

pub mod options;
pub mod time;

pub use options::{Given, NotRead, Options, Program, split_option, split_options};
