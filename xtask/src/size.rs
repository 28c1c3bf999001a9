//! `size`: what a first visit downloads, measured in a real browser and weighed from the files.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde_json::json;

use crate::args::Options;
use crate::browser;
use crate::build::{self, Plan};
use crate::failure::Result;
use crate::process;
use crate::serve::{Server, gzipped};

/// HTML, CSS, JavaScript, WebAssembly and content of one first visit, gzip, in bytes.
const BUDGET: usize = 280_000;
/// Fonts of one first visit, in bytes.
const FONT_BUDGET: usize = 120_000;
/// The workers that come with a figure: by what their files begin with, for whom they are downloaded, and their budgets, brotli,
/// in bytes.
const WORKERS: [(&str, &str, usize); 2] = [
    ("gpu-worker-", "The GPU worker, for whoever runs a kernel: wgpu, and the parser of the guard", 370_000),
    ("trace-worker-", "The trace worker, for whoever drops a trace of one's own", 72_000),
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
        for path in &read {
            let sizes = Sizes::of(&dist.join(path))?;
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
        for path in files(&requested["alive"], &server.address).difference(&read) {
            alive.add(&Sizes::of(&dist.join(path))?);
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
        let mut size = 0;
        for file in process::files_under(&dist)?.iter().filter(|f| f.starts_with(prefix)) {
            size += brotli_size(&process::read(&dist.join(file))?);
        }
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
    fn of(file: &Path) -> Result<Self> {
        let bytes = process::read(file)?;
        Ok(Self { raw: bytes.len(), gzip: gzipped(&bytes, 9).len(), brotli: brotli_size(&bytes) })
    }

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

fn brotli_size(bytes: &[u8]) -> usize {
    let mut out = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    // Compressing from memory into memory does not fail.
    brotli::BrotliCompress(&mut &*bytes, &mut out, &params).map_or(bytes.len(), |_| out.len())
}
