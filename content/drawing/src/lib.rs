//! What figures look like, written once for the build, which puts them into pages, and for the app, which renews them there.
//! Geometry and markup: no browser, no signal.
//!
//! - [`scale`]: where numbers lie. [`mod@ticks`]: the lines of an axis.
//! - [`chart`]: numbers along axes, drawn with plotters. [`charts`]: those of the course.
//! - [`form`]: rows along one length, and places in a grid. [`picture`]: a chart or forms as one drawing. [`pictures`]: of every figure,
//!   what it shows in a state.
//! - [`caption`]: what stands under a figure. [`memory`]: all that `memory-breakdown` shows of a result. [`mission`]: the state of a run.

pub mod caption;
pub mod chart;
pub mod charts;
pub mod form;
pub mod memory;
pub mod mission;
pub mod picture;
pub mod pictures;
pub mod scale;
pub mod ticks;

/// Text as it may stand in markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
