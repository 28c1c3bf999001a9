//! Runs WGSL compute shaders on the CPU, and sees everything they do.
//!
//! naga reads a text; its IR is written out as operations on the registers of a warp (`compile`), which `machine` runs for all lanes
//! of a warp at once, line by line, warp after warp. So a run is the same every time, and ends: after so many operations it is given
//! up. Every access to memory is looked at (`shadow`): who touched the cell before, and whether a barrier lies between.
//!
//! [`source`] and [`survey`] are what a learner's text must pass before it runs anywhere; the guard of `ringside-gpu` uses them too.

mod compile;
mod live;
mod machine;
mod math;
mod own;
mod program;
pub mod run;
mod session;
mod shadow;
pub mod source;
pub mod survey;
mod trial;

pub use own::declare;
pub use session::{Session, open};
pub use trial::try_puzzle;
