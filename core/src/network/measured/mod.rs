//! What nccl-tests measured: its output read, and the line that fits it best.

mod example;
mod fit;
mod output;
mod program;

pub use example::{EXAMPLE, EXAMPLE_SOURCE};
pub use fit::{Fit, fit};
pub use output::{Device, Fault, MAX_ROWS, Report, Row, Side, read};
pub use program::{PROGRAMS, Program};
