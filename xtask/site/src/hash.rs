//! Names made from content, so that a file can be cached for ever.

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
