//! `size`: what a first visit downloads, measured in a real browser and weighed from the files.

use std::collections::BTreeSet;

use serde_json::json;

use crate::args::Options;
use crate::browser;
use crate::build::{self, Plan};
use crate::failure::Result;
use crate::process;
use crate::serve::{Server, gzipped};

/// HTML, CSS, JavaScript, WebAssembly and content of one first visit, gzip, in bytes.
const BUDGET: usize = 200_000;
/// Fonts of one first visit, in bytes.
const FONT_BUDGET: usize = 120_000;
/// The GPU worker, which is downloaded by whoever runs a kernel: brotli, in bytes.
const WORKER_BUDGET: usize = 60_000;
const VISITS: &[&str] = &["", "chapter/memory-accounting/"];

/// `cargo xtask size`.
pub(crate) fn main(options: &Options) -> Result<()> {
    if !options.has("--no-build") {
        build::build(&Plan::default())?;
    }
    let dist = process::root().join("dist");
    let server = Server::quiet(&dist)?;
    let mut over = Vec::new();
    for visit in VISITS {
        let requested = browser::script("visit", &json!({ "url": format!("{}{visit}", server.address) }))?;
        let base = server.address.clone();
        let paths: BTreeSet<String> = requested
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|url| url.as_str()?.strip_prefix(&base).map(str::to_owned))
            .map(|path| if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path })
            .collect();
        println!("\nFirst visit to /{visit}");
        println!("{:>10} {:>10} {:>10}", "raw", "gzip", "brotli");
        let (mut sum, mut fonts) = ([0; 3], 0);
        for path in &paths {
            let bytes = process::read(&dist.join(path))?;
            let sizes = [bytes.len(), gzipped(&bytes, 9).len(), brotli_size(&bytes)];
            println!("{:>10} {:>10} {:>10}  {path}", sizes[0], sizes[1], sizes[2]);
            if path.ends_with(".woff2") {
                fonts += bytes.len();
            } else {
                for (total, size) in sum.iter_mut().zip(sizes) {
                    *total += size;
                }
            }
        }
        println!("{:>10} {:>10} {:>10}  all but fonts; budget {BUDGET} gzip", sum[0], sum[1], sum[2]);
        println!("{fonts:>10} {:>10} {:>10}  fonts; budget {FONT_BUDGET}", "", "");
        if sum[1] > BUDGET {
            over.push(format!("/{visit} is {} bytes over its budget", sum[1] - BUDGET));
        }
        if fonts > FONT_BUDGET {
            over.push(format!("the fonts of /{visit} are {} bytes over their budget", fonts - FONT_BUDGET));
        }
    }
    let mut worker = 0;
    for file in process::files_under(&dist)?.iter().filter(|f| f.starts_with("gpu-worker-")) {
        worker += brotli_size(&process::read(&dist.join(file))?);
    }
    println!("\nThe GPU worker, on demand: {worker} brotli; budget {WORKER_BUDGET}");
    if worker > WORKER_BUDGET {
        over.push(format!("the GPU worker is {} bytes over its budget", worker - WORKER_BUDGET));
    }
    if over.is_empty() { Ok(()) } else { Err(format!("{}.", over.join("; ")).into()) }
}

fn brotli_size(bytes: &[u8]) -> usize {
    let mut out = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    // Compressing from memory into memory does not fail.
    brotli::BrotliCompress(&mut &*bytes, &mut out, &params).map_or(bytes.len(), |_| out.len())
}
