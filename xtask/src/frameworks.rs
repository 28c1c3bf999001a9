//! `test --only frameworks`: every layout and every server command that the site exports, given to the frameworks' and engines' own
//! parsers. What they say is kept in `tests/frameworks/verdicts.json` and `serving.json`, which tests of `core` hold the exports to.

use crate::outcomes::Outcomes;
use crate::sources::{self, Source};
use xtask::failure::Result;
use xtask::process::{self, command};

/// The frameworks, at the commits that `core/src/memory/export` and `core/src/serving/command.rs` follow.
const SOURCES: [Source; 4] = [
    Source::whole("megatron", "https://github.com/NVIDIA/Megatron-LM", "d98e8a64ddf34856e74b24714e3bedb2f5a39553"),
    Source::whole("deepspeed", "https://github.com/deepspeedai/DeepSpeed", "edaa7221267243c7be7fb49c5d5f5c4fb97b4641"),
    Source::whole("torchtitan", "https://github.com/pytorch/torchtitan", "73a0e6979dd10b6b1904098eb3c8f62c18ab87ce"),
    Source::whole("tensorrt-llm", "https://github.com/NVIDIA/TensorRT-LLM", "00209af149e7774406881a37283dce303571eb11")
        .of(&["tensorrt_llm"]),
];
/// The folder of what the stage installs.
const NAME: &str = "frameworks";
/// What their parsers import and need; the rest, PyTorch above all, is stood in for.
const PACKAGES: [&str; 10] =
    ["click", "msgspec", "orjson", "packaging", "pydantic", "pyyaml", "regex", "strenum", "tqdm", "tyro"];
/// The engines that PyPI has, installed without the gigabytes that they depend on.
const ENGINES: [&str; 2] = ["vllm==0.33.0", "sglang==0.5.23"];
/// A folder that has the sources already, each in its own.
const HAVE: &str = "FRAMEWORKS";

/// The stage.
pub(crate) fn test() -> Result<Outcomes> {
    let python = sources::python(NAME, &PACKAGES)?;
    let sources = sources::folder(NAME, HAVE, &SOURCES)?;
    process::run(command(&python).args(["-m", "pip", "install", "--quiet", "--no-deps"]).args(ENGINES))?;
    let scratch = process::scratch(NAME)?;
    let (exports, commands) = (scratch.join("exports.json"), scratch.join("commands.json"));
    let mut write = command("cargo");
    write.args(["test", "--quiet", "--package", "ringside-core", "--test", "all", "frameworks"]);
    process::run(write.env("FRAMEWORK_EXPORTS", &exports).env("SERVING_COMMANDS", &commands))?;
    let folder = process::root().join("tests/frameworks");
    let verdicts = folder.join("verdicts.json");
    process::run(command(&python).arg(folder.join("check.py")).args([&sources, &exports, &verdicts]))?;
    let verdicts = folder.join("serving.json");
    process::run(command(&python).arg(folder.join("serving.py")).args([&sources, &commands, &verdicts]))?;
    Ok(Outcomes::default())
}
