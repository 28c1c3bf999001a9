//! `perf`: what a gesture on a figure costs the main thread, frame by frame; or when a page is first seen, and what moves in it then.

use serde_json::json;

use crate::args::{Options, did_you_mean};
use crate::browser;
use crate::build::{self, Plan};
use crate::serve::Server;
use xtask::failure::{Failure, Result};
use xtask::process;

/// What can be done to a figure, and how long the main thread may work for a frame of it at the 95th percentile, in
/// milliseconds: for a drag and a pan from the input event to the end of the frame, for what goes by itself from frame to frame.
///
/// Work is time on a processor. The time that goes by meanwhile is printed beside it; the difference is what the thread waited for,
/// most of it a processor, and says more of the machine than of the site.
const GESTURES: [(&str, f64); 5] = [("drag", 16.0), ("pan", 16.7), ("play", 16.7), ("run", 16.7), ("trace", 16.7)];

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
    let gesture = options.value("--gesture").unwrap_or("drag");
    let Some((_, budget)) = GESTURES.iter().find(|(name, _)| *name == gesture) else {
        let names = GESTURES.map(|(name, _)| name);
        let hint = did_you_mean(gesture, &names);
        return Err(Failure::usage(format!("there is no gesture “{gesture}”{hint}: {}.", names.join(", "))));
    };
    let measured = browser::script("perf", &json!({ "url": format!("{}{page}", server.address), "gesture": gesture }))?;
    let read = |of: &str, name: &str| measured[of][name].as_f64().unwrap_or(f64::NAN);
    let frames = format!("{} frames", measured["frames"]);
    println!("{frames:<17} {:>6}  {:>6}  {:>6}, in milliseconds", "p50", "p95", "max");
    for (name, of) in [("work", "work"), ("elapsed", "elapsed"), ("frame to frame", "between")] {
        println!("  {name:<15} {:>6.1}  {:>6.1}  {:>6.1}", read(of, "p50"), read(of, "p95"), read(of, "max"));
    }
    let (work, elapsed) = (read("work", "p95"), read("elapsed", "p95"));
    if work <= *budget && elapsed > *budget {
        println!(
            "At the 95th percentile {elapsed:.1} ms went by, over the {budget} that a frame may take: this machine kept the \
             main thread waiting. Its work was {work:.1} ms."
        );
    }
    if work <= *budget { Ok(()) } else { Err(format!("the 95th percentile of the work is over {budget} ms.").into()) }
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
