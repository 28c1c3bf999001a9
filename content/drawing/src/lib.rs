//! What figures look like, written once for the build, which puts them into pages, and for the app, which renews them there.
//! Geometry and markup: no browser, no signal.
//!
//! - [`scale`]: where numbers lie. [`mod@ticks`]: the lines of an axis.
//! - [`chart`]: numbers along axes, drawn with plotters. [`charts`]: those of the course.
//! - [`form`]: rows along one length, and places in a grid. [`picture`]: a chart or forms as one drawing. [`pictures`]: of every figure,
//!   what it shows in a state. [`figure`]: those of a known form, which need no more code than that.
//! - [`caption`]: what stands under a figure. [`memory`]: all that `memory-breakdown` shows of a result. [`mission`]: the state of a run.
//! - [`scenes`]: what figures show of many moving parts, in pixels. [`timeline`], [`columns`], [`raster`], [`qr`], [`table`]: parts of drawings that only the
//!   browser shows. [`mod@markup`]: what changes from one to the next. [`gradient`]: a browser’s colours in a saved picture.

pub mod caption;
pub mod chart;
pub mod charts;
pub mod columns;
pub mod figure;
pub mod form;
pub mod gradient;
pub mod markup;
pub mod memory;
pub mod mission;
pub mod picture;
pub mod pictures;
pub mod qr;
pub mod raster;
pub mod scale;
pub mod scenes;
pub mod table;
pub mod ticks;
pub mod timeline;

/// Text as it may stand in markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
