//! `test --only exports`: every exercise of the course, exported to every format, and a term as a cartridge, given to importers that
//! aren't ours and to published schemas. What they say is kept in `tests/exports/verdicts.json`, which a test of `content` reads. Needs PHP with XML.

use crate::outcomes::Outcomes;
use crate::sources::{self, Source};
use xtask::failure::Result;
use xtask::process::{self, command};

/// Who reads the exports, or says how they are written.
const SOURCES: [Source; 3] = [
    Source::whole("moodle", "https://github.com/moodle/moodle", "9094211d277bef39ad1ac09635c200850248b7da").of(&[
        "lib",
        "question/format",
        "question/type/ordering",
        "backup/cc",
    ]),
    Source::whole("qti-sdk", "https://github.com/oat-sa/qti-sdk", "634a9b89f3c58e37722be0906898d3da2459a2df")
        .of(&["src/qtism/data/storage/xml/schemes"]),
    Source::whole(
        "QTIMigrationTool",
        "https://github.com/instructure/QTIMigrationTool",
        "7847455bb7fb4ca223cecf7e576ca81f7d0bda47",
    ),
];
const PACKAGES: [&str; 2] = ["anki", "lxml"];
/// The folder of what the stage installs.
const NAME: &str = "exports";
/// A folder that has the sources already, each in its own.
const HAVE: &str = "EXPORT_IMPORTERS";

/// The stage.
pub(crate) fn test() -> Result<Outcomes> {
    let python = sources::python(NAME, &PACKAGES)?;
    let sources = sources::folder(NAME, HAVE, &SOURCES)?;
    let exports = process::scratch(NAME)?.join("written");
    let mut write = command("cargo");
    write.args(["test", "--quiet", "--package", "ringside-content", "--test", "all", "exports"]);
    process::run(write.env("EXERCISE_EXPORTS", &exports))?;
    let folder = process::root().join("tests/exports");
    let verdicts = folder.join("verdicts.json");
    process::run(command(&python).arg(folder.join("check.py")).args([&sources, &exports, &verdicts]))?;
    Ok(Outcomes::default())
}
