//! What comes after Trunk has compiled and bound the app and its workers: the rendered course, and a page for every route.

use std::path::PathBuf;

use ringside_content::Mode;
use xtask::failure::Result;
use xtask::process::{self, say};

use crate::content;
use crate::dist::{self, Programs};
use crate::program::Program;
use crate::worker;

/// Finishes the site in the folder that Trunk names to its hooks.
pub(crate) fn finish() -> Result<()> {
    let variable =
        |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set: Trunk calls this as its hook."));
    let folder = PathBuf::from(variable("TRUNK_STAGING_DIR")?);
    let release = variable("TRUNK_PROFILE")? == "release";
    let content = content::checked(if release { Mode::Strict } else { Mode::Quick })?;
    let worker = |(name, meta): (&str, &'static str)| {
        (meta, Program { script: format!("{name}_loader.js"), ..Program::default() })
    };
    let programs = Programs {
        app: None,
        workers: worker::ALL.map(worker).into(),
        index: process::read_text(&folder.join("index.html"))?,
        // While somebody works on the site Trunk adds the script that reloads the page.
        policed: release,
    };
    dist::write(&folder, &variable("TRUNK_PUBLIC_URL")?, programs, &content)?;
    if !release {
        process::write(&folder.join("sw.js"), crate::offline::NONE)?;
    }
    say("rendered the course and wrote the pages");
    Ok(())
}
