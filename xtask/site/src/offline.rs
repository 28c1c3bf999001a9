//! What lets the site be used without a network: `sw.js`, from `app/sw.js` and the list of everything that was built.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use crate::hash;
use xtask::failure::Result;
use xtask::process;

/// What nobody needs who reads: the worker itself, the list that the project's own commands read, and licences, which are
/// linked to.
const LEFT_OUT: [&str; 4] = ["sw.js", xtask::MANIFEST, "licences/", "."];

/// The service worker of a site that changes while it is read: it keeps nothing, and takes the place of one that did.
pub(crate) const NONE: &str = "addEventListener(\"install\", () => skipWaiting());\n\
                               addEventListener(\"activate\", (event) => event.waitUntil(registration.unregister()));\n";

/// Writes the service worker for the site in `folder`. Every page of this version, and of no other, names all of `marks`.
pub(crate) fn write(folder: &Path, marks: &[&str]) -> Result<()> {
    let mut files = BTreeMap::new();
    let mut parts = Vec::new();
    for name in process::files_under(folder)? {
        if !LEFT_OUT.iter().any(|left_out| name.starts_with(left_out)) {
            let bytes = process::read(&folder.join(&name))?;
            files.insert(name.clone(), bytes.len());
            parts.push(name.into_bytes());
            parts.push(bytes);
        }
    }
    let worker = process::read_text(&process::root().join("app/sw.js"))?;
    process::write(&folder.join("sw.js"), filled(&worker, &hash::of(parts), marks, &files))
}

fn filled(worker: &str, version: &str, marks: &[&str], files: &BTreeMap<String, usize>) -> String {
    let fill = [
        ("{version}", version.to_owned()),
        ("{marks}", json!(marks).to_string()),
        ("{files}", json!(files).to_string()),
        ("{digits}", xtask::HASH_DIGITS.to_string()),
    ];
    fill.into_iter().fold(worker.to_owned(), |text, (place, value)| text.replace(place, &value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worker_knows_what_there_is() {
        let worker = process::read_text(&process::root().join("app/sw.js")).expect("there");
        let files = BTreeMap::from([("index.html".to_owned(), 12), ("w/zero/index.html".to_owned(), 3)]);
        let filled = filled(&worker, "0123", &["app-9.js", "content-7/"], &files);
        for line in [
            r#"const VERSION = "0123";"#,
            r#"const MARKS = ["app-9.js","content-7/"];"#,
            r#"const FILES = {"index.html":12,"w/zero/index.html":3};"#,
            r#"new RegExp("-[0-9a-f]{" + 10 + "}[./]")"#,
        ] {
            assert!(filled.contains(line), "{filled}");
        }
    }
}
