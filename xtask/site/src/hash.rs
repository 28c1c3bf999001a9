//! Names made from content, so that a file can be cached for ever.

use std::path::Path;
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use xtask::HASH_DIGITS;

/// The first [`HASH_DIGITS`] of a content's SHA-256. There are hundreds of names in a page's script, and no digit compresses.
pub(crate) fn of<B: AsRef<[u8]>>(parts: impl IntoIterator<Item = B>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(HASH_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// Which version of files there is: by their lengths, and when they were written. `None` where one can't be asked.
pub(crate) fn version<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Option<String> {
    let version = |file: P| {
        let data = file.as_ref().metadata().ok()?;
        let written = data.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(format!("{} {}", data.len(), written.as_nanos()))
    };
    Some(of(files.into_iter().map(version).collect::<Option<Vec<_>>>()?))
}

/// `name-<hash of content>.extension`.
pub(crate) fn named(name: &str, extension: &str, content: &[u8]) -> String {
    format!("{name}-{}.{extension}", of([content]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_content_alone() {
        assert_eq!(named("a", "wasm", b"x"), named("a", "wasm", b"x"));
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
        assert_eq!(of(["x"]).len(), HASH_DIGITS);
    }
}
