//! `shots`: a picture of every page, light, dark, on a phone and on a wall.

use serde_json::json;

use crate::args::Options;
use crate::browser;
use crate::build::{self, Plan};
use crate::serve::{self, Server};
use xtask::failure::Result;
use xtask::process::{self, say};

/// `cargo xtask shots`.
pub(crate) fn main(options: &Options) -> Result<()> {
    if !options.has("--no-build") {
        build::build(&Plan::default())?;
    }
    let folder = process::root().join("dist");
    let out = options.value("--out").map_or_else(|| process::root().join("shots"), process::given_path);
    let only = options.value("--only").unwrap_or_default();
    let manifest = serve::manifest(&folder)?;
    let routes = manifest["routes"].as_array().into_iter().flatten().filter_map(|route| route["path"].as_str());
    let pages: Vec<&str> = routes.filter(|path| path.contains(only)).collect();
    let server = Server::quiet(&folder)?;
    let written = browser::script("shots", &json!({ "url": server.address, "pages": pages, "out": out }))?;
    say(format_args!("{} pictures in {}", written.as_array().map_or(0, Vec::len), out.display()));
    Ok(())
}
