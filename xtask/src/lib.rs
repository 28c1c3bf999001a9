//! What the commands and the maker of the site ([`ringside-site`](../ringside_site/index.html)) share: running programs, files, and what npm brings.

pub mod failure;
pub mod npm;
pub mod process;

/// Hexadecimal digits of a content's hash in a file's name. A file so named can be cached for ever.
pub const HASH_DIGITS: usize = 10;
/// What the site's maker notes in a built site for the commands that work on it. By it a folder is known to be one.
pub const MANIFEST: &str = "routes.json";
