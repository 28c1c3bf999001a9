//! What figures look like, written once for the build, which puts them into pages, and for the app, which renews them there.
//! Geometry and markup: no browser, no signal.
//!
//! - [`scale`]: where numbers lie. [`mod@ticks`]: the lines of an axis.
//! - [`chart`]: numbers along axes, drawn with plotters. [`charts`]: those of the course.
//! - [`caption`]: what stands under a figure. [`memory`]: all that `memory-breakdown` shows of a result. [`mission`]: the state of a run.

pub mod caption;
pub mod chart;
pub mod charts;
pub mod memory;
pub mod mission;
pub mod scale;
pub mod ticks;

/// Text as it may stand in markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
