//! What a file holds, by its first bytes: traces and snapshots have readers of their own, which take them piece by piece.

use crate::trace::SQLITE;

/// Bytes of a file's beginning that are enough to tell.
const HEAD: usize = 65_536;

/// What reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A profiler trace, for [`crate::trace::Reader`] once it is unpacked.
    Trace,
    /// A memory snapshot, pickled or in JSON: [`crate::allocator::Snapshot`].
    Snapshot,
    /// Text: [`super::read()`], or [`super::Output`] if it is long.
    Text,
}

/// What a file holds that begins with `head`, of which at most 64 KiB are looked at.
///
/// # Errors
/// A sentence: it is empty, or nothing that is read here.
pub fn content(head: &[u8]) -> Result<Content, &'static str> {
    let head = head.get(..HEAD).unwrap_or(head);
    match head {
        [] => return Err("There is nothing in it."),
        [0x1f, 0x8b, ..] => return Ok(Content::Trace),
        [0x80, 2..=5, ..] => return Ok(Content::Snapshot),
        _ if head.starts_with(b"SQLite format 3") => return Err(SQLITE),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Err("It is text in UTF-16. Save it as UTF-8."),
        // Letters of UTF-16 are a byte and a zero each, in one order or the other.
        _ if [0, 1]
            .iter()
            .any(|odd| head.len() > 3 && head.iter().zip(*odd..).all(|(byte, i)| (*byte == 0) == (i % 2 == 0))) =>
        {
            return Err("It is text in UTF-16. Save it as UTF-8.");
        }
        _ if head.contains(&0) => {
            return Err(
                "It is a binary file. Bring text, a profiler trace (JSON, or packed as .gz) or a memory snapshot.",
            );
        }
        _ => {}
    }
    let text = String::from_utf8_lossy(head);
    let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']);
    Ok(if is_json && is_trace(&text) {
        Content::Trace
    } else if is_json && is_snapshot(&text) {
        Content::Snapshot
    } else {
        Content::Text
    })
}

/// Whether JSON that begins like this is a trace, as PyTorch, Chrome or Nsight Systems write it.
pub(super) fn is_trace(head: &str) -> bool {
    let has = |key: &str| head.contains(key);
    is_nsight(head)
        || has("\"traceEvents\"")
        || has("\"schemaVersion\"") && has("\"deviceProperties\"")
        || has("\"ph\"") && has("\"ts\"")
}

/// Whether JSON is what Nsight Systems exports, which the reader of traces names.
pub(super) fn is_nsight(text: &str) -> bool {
    text.contains("Event\":{") && text.contains("\"startNs\"")
}

/// Whether JSON that begins like this is a snapshot of PyTorch's allocator.
pub(super) fn is_snapshot(head: &str) -> bool {
    head.contains("\"segments\"") || head.contains("\"blocks\"") && head.contains("\"total_size\"")
}
