//! `shots`: a picture of every page, light, dark, on a phone and on a wall.

use serde_json::json;

use crate::args::Options;
use crate::browser;
use crate::build::{self, Plan};
use crate::dist;
use crate::failure::Result;
use crate::process::{self, say};
use crate::serve::Server;

/// `cargo xtask shots`.
pub(crate) fn main(options: &Options) -> Result<()> {
    if !options.has("--no-build") {
        build::build(&Plan::default())?;
    }
    let folder = process::root().join("dist");
    let out = options.value("--out").map_or_else(|| process::root().join("shots"), process::given_path);
    let only = options.value("--only").unwrap_or_default();
    let pages: Vec<String> =
        dist::manifest(&folder)?.routes.into_iter().map(|r| r.path).filter(|p| p.contains(only)).collect();
    let server = Server::quiet(&folder)?;
    let written = browser::script("shots", &json!({ "url": server.address, "pages": pages, "out": out }))?;
    say(format_args!("{} pictures in {}", written.as_array().map_or(0, Vec::len), out.display()));
    Ok(())
}
