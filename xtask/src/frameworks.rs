//! `test --only frameworks`: every layout that the site exports, given to the frameworks' own parsers. What they say is kept in
//! `tests/frameworks/verdicts.json`, which a test of `core` holds the exports to.

use crate::outcomes::Outcomes;
use crate::sources::{self, Source};
use xtask::failure::Result;
use xtask::process::{self, command};

/// The frameworks, at the commits that `core/src/memory/export` follows.
const SOURCES: [Source; 3] = [
    Source::whole("megatron", "https://github.com/NVIDIA/Megatron-LM", "d98e8a64ddf34856e74b24714e3bedb2f5a39553"),
    Source::whole("deepspeed", "https://github.com/deepspeedai/DeepSpeed", "edaa7221267243c7be7fb49c5d5f5c4fb97b4641"),
    Source::whole("torchtitan", "https://github.com/pytorch/torchtitan", "73a0e6979dd10b6b1904098eb3c8f62c18ab87ce"),
];
/// The folder of what the stage installs.
const NAME: &str = "frameworks";
/// What their parsers import and need; the rest, PyTorch above all, is stood in for.
const PACKAGES: [&str; 4] = ["packaging", "pydantic", "tqdm", "tyro"];
/// A folder that has the sources already, each in its own.
const HAVE: &str = "FRAMEWORKS";

/// The stage.
pub(crate) fn test() -> Result<Outcomes> {
    let python = sources::python(NAME, &PACKAGES)?;
    let sources = sources::folder(NAME, HAVE, &SOURCES)?;
    let exports = process::scratch(NAME)?.join("exports.json");
    let mut write = command("cargo");
    write.args(["test", "--quiet", "--package", "ringside-core", "--test", "all", "frameworks"]);
    process::run(write.env("FRAMEWORK_EXPORTS", &exports))?;
    let folder = process::root().join("tests/frameworks");
    let verdicts = folder.join("verdicts.json");
    process::run(command(&python).arg(folder.join("check.py")).args([&sources, &exports, &verdicts]))?;
    Ok(Outcomes::default())
}
