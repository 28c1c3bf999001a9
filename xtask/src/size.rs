//! `size`: what a first visit downloads, measured in a real browser and weighed from the files.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde_json::json;

use crate::args::Options;
use crate::browser;
use crate::build::{self, Plan};
use crate::serve::Server;
use xtask::failure::Result;
use xtask::process;

/// HTML, CSS, JavaScript, WebAssembly and content of one first visit, gzip, in bytes.
const BUDGET: usize = 280_000;
/// Fonts of one first visit, in bytes.
const FONT_BUDGET: usize = 120_000;
/// The workers that come with a figure: by what their files begin with, for whom they are downloaded, and their budgets, brotli,
/// in bytes.
const WORKERS: [(&str, &str, usize); 5] = [
    ("gpu-worker-", "The GPU worker, for whoever runs a kernel: wgpu, and the parser of the guard", 370_000),
    (
        "glass-worker-",
        "The interpreter, for whoever steps through a kernel or has no WebGPU: naga, and the machine",
        360_000,
    ),
    (
        "trace-worker-",
        "The trace worker, for whoever drops a trace, a memory snapshot or a long log of their own",
        205_000,
    ),
    ("card-worker-", "The card reader, for whoever counts paper votes with a camera", 40_000),
    ("rank-worker-", "The rank worker, for whoever runs a program on several ranks: a Python interpreter", 1_400_000),
];
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
        let read = files(&requested["read"], &server.address);
        println!("\nFirst visit to /{visit}");
        println!("{:>10} {:>10} {:>10}", "raw", "gzip", "brotli");
        let (mut sum, mut fonts) = (Sizes::default(), 0);
        for (path, sizes) in weighed(&dist, &read)? {
            println!("{sizes}  {path}");
            if path.ends_with(".woff2") {
                fonts += sizes.raw;
            } else {
                sum.add(&sizes);
            }
        }
        println!("{sum}  all but fonts; budget {BUDGET} gzip");
        println!("{fonts:>10} {:>10} {:>10}  fonts; budget {FONT_BUDGET}", "", "");
        let mut alive = Sizes::default();
        let later = files(&requested["alive"], &server.address);
        for (_, sizes) in weighed(&dist, later.difference(&read))? {
            alive.add(&sizes);
        }
        println!("{alive}  more, for the figures and exercises that are seen first, once somebody is there");
        if sum.gzip > BUDGET {
            over.push(format!("/{visit} is {} bytes over its budget", sum.gzip - BUDGET));
        }
        if fonts > FONT_BUDGET {
            over.push(format!("the fonts of /{visit} are {} bytes over their budget", fonts - FONT_BUDGET));
        }
    }
    println!();
    for (prefix, what, budget) in WORKERS {
        let files = process::files_under(&dist)?;
        let weighed = weighed(&dist, files.iter().filter(|file| file.starts_with(prefix)))?;
        let size: usize = weighed.iter().map(|(_, sizes)| sizes.brotli).sum();
        println!("{what}: {size} brotli; budget {budget}");
        if size > budget {
            over.push(format!("{prefix}* is {} bytes over its budget", size - budget));
        }
    }
    if over.is_empty() { Ok(()) } else { Err(format!("{}.", over.join("; ")).into()) }
}

/// Bytes.
#[derive(Debug, Default)]
struct Sizes {
    raw: usize,
    gzip: usize,
    brotli: usize,
}

impl Sizes {
    fn add(&mut self, other: &Self) {
        self.raw += other.raw;
        self.gzip += other.gzip;
        self.brotli += other.brotli;
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>10} {:>10} {:>10}", self.raw, self.gzip, self.brotli)
    }
}

/// The files behind addresses of the server at `base`.
fn files(addresses: &serde_json::Value, base: &str) -> BTreeSet<String> {
    let paths = addresses.as_array().into_iter().flatten().filter_map(|url| url.as_str()?.strip_prefix(base));
    paths
        .map(|path| if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() })
        .collect()
}

/// Files of a site with what they weigh.
fn weighed<'a>(dist: &Path, files: impl IntoIterator<Item = &'a String>) -> Result<Vec<(&'a str, Sizes)>> {
    let files: Vec<&String> = files.into_iter().collect();
    let paths: Vec<_> = files.iter().map(|file| dist.join(file)).collect();
    let weights = browser::script("weigh", &json!(paths))?;
    let weights = weights.as_array().map(Vec::as_slice).unwrap_or_default();
    let size = |of: &serde_json::Value, name: &str| of[name].as_u64().unwrap_or_default() as usize;
    let sizes =
        weights.iter().map(|of| Sizes { raw: size(of, "raw"), gzip: size(of, "gzip"), brotli: size(of, "brotli") });
    Ok(files.into_iter().map(String::as_str).zip(sizes).collect())
}
