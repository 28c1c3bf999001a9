//! `perf`: what dragging a slider costs the main thread, frame by frame; or when a page is first seen, and what moves in it then.

use serde_json::json;

use crate::args::Options;
use crate::browser;
use crate::build::{self, Plan};
use crate::failure::Result;
use crate::process;
use crate::serve::Server;

/// From input event to the end of the frame's main-thread work, 95th percentile, in milliseconds.
const BUDGET_MS: f64 = 16.0;

/// When something of a page is first painted on a slow machine and line, in milliseconds: the middle of [`VISITS`] visits.
const PAINT_BUDGET_MS: f64 = 600.0;
/// How much of the page moves while it comes to life: Cumulative Layout Shift.
const SHIFT_BUDGET: f64 = 0.02;
/// How often a page is opened.
const VISITS: usize = 3;

/// `cargo xtask perf`.
pub(crate) fn main(options: &Options) -> Result<()> {
    if !options.has("--no-build") {
        build::build(&Plan::default())?;
    }
    let server = Server::quiet(&process::root().join("dist"))?;
    if options.has("--first-paint") {
        return first_paint(&server.address, options.value("--page").unwrap_or("chapter/memory-accounting/"));
    }
    let page = options.value("--page").unwrap_or("w/memory-breakdown/");
    let measured = browser::script("perf", &json!({ "url": format!("{}{page}", server.address) }))?;
    let read = |name: &str| measured[name].as_f64().unwrap_or(f64::NAN);
    let (frames, p95) = (read("frames"), read("p95"));
    println!("{frames} frames: p50 {:.1} ms, p95 {p95:.1} ms, max {:.1} ms", read("p50"), read("max"));
    if p95 <= BUDGET_MS { Ok(()) } else { Err(format!("the 95th percentile is over {BUDGET_MS} ms.").into()) }
}

fn first_paint(address: &str, page: &str) -> Result<()> {
    let (mut painted, mut moved) = (Vec::new(), 0.0_f64);
    for _ in 0..VISITS {
        let measured = browser::script("first-paint", &json!({ "url": format!("{address}{page}") }))?;
        painted.push(measured["painted"].as_f64().unwrap_or(f64::INFINITY));
        moved = moved.max(measured["moved"].as_f64().unwrap_or(f64::INFINITY));
    }
    painted.sort_by(f64::total_cmp);
    let middle = painted[VISITS / 2];
    println!("/{page}: first contentful paint {middle:.0} ms (fast 4G, CPU 4 times slower), layout shift {moved:.4}");
    if middle <= PAINT_BUDGET_MS && moved <= SHIFT_BUDGET {
        Ok(())
    } else {
        Err(format!("over {PAINT_BUDGET_MS} ms, or over a shift of {SHIFT_BUDGET}.").into())
    }
}
