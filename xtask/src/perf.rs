//! `perf`: what dragging a slider costs the main thread, frame by frame.

use serde_json::json;

use crate::args::Options;
use crate::browser;
use crate::build::{self, Plan};
use crate::failure::Result;
use crate::process;
use crate::serve::Server;

/// From input event to the end of the frame's main-thread work, 95th percentile, in milliseconds.
const BUDGET_MS: f64 = 16.0;

/// `cargo xtask perf`.
pub(crate) fn main(options: &Options) -> Result<()> {
    if !options.has("--no-build") {
        build::build(&Plan::default())?;
    }
    let server = Server::quiet(&process::root().join("dist"))?;
    let page = options.value("--page").unwrap_or("w/memory-breakdown/");
    let measured = browser::script("perf", &json!({ "url": format!("{}{page}", server.address) }))?;
    let read = |name: &str| measured[name].as_f64().unwrap_or(f64::NAN);
    let (frames, p95) = (read("frames"), read("p95"));
    println!("{frames} frames: p50 {:.1} ms, p95 {p95:.1} ms, max {:.1} ms", read("p50"), read("max"));
    if p95 <= BUDGET_MS { Ok(()) } else { Err(format!("the 95th percentile is over {BUDGET_MS} ms.").into()) }
}
