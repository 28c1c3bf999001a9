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
        _ if head.get(257..262) == Some(b"ustar") => {
            return Err("It is a tar archive. Unpack it, and bring what is in it.");
        }
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
    if let Some(why) = unread(&text).filter(|_| is_json) {
        return Err(why);
    }
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

/// What profilers write as JSON that isn't read here: what such a file begins with, and a sentence.
const UNREAD: [(&[&str], &str); 2] = [
    (
        &["\"schema\"", "\"pid\"", "\"nodes\""],
        "It is an execution trace, PyTorch’s operators with their inputs and without a GPU’s times. Bring the profiler’s trace of the same \
         step, which prof.export_chrome_trace writes.",
    ),
    (
        &["\"rocprofiler-sdk-tool\""],
        "It is rocprofv3’s JSON, which is not read here. Record the same step with torch.profiler and prof.export_chrome_trace.",
    ),
];

/// What JSON is that begins like this, if it is known and isn't read.
pub(super) fn unread(head: &str) -> Option<&'static str> {
    if is_raw_timeline(head) {
        return Some(
            "It is the raw list of prof.export_memory_timeline: times, actions and bytes without what they belong to. Bring a memory snapshot \
             of the same steps, which torch.cuda.memory._dump_snapshot writes.",
        );
    }
    UNREAD.iter().find(|(keys, _)| keys.iter().all(|key| head.contains(key))).map(|(_, why)| *why)
}

/// Whether JSON is what `export_memory_timeline` writes into a `.raw.json.gz`: lists of a time, an action, bytes and a category
/// (`pytorch/pytorch`, `torch/profiler/_memory_profiler.py`).
fn is_raw_timeline(head: &str) -> bool {
    let Some(rest) = head.trim_start().strip_prefix("[[") else { return false };
    let four = |event: &str| {
        let numbers = event.trim_end_matches([']', '\n']).split(", ");
        let numbers: Vec<i64> = numbers.map_while(|number| number.parse().ok()).collect();
        matches!(numbers[..], [at, 0..=3, bytes, 0..=8] if at >= -1 && bytes >= 0)
    };
    rest.contains("], [") && rest.split("], [").take(8).all(four)
}

/// Whether JSON is what Nsight Systems exports, which the reader of traces names.
pub(super) fn is_nsight(text: &str) -> bool {
    text.contains("Event\":{") && text.contains("\"startNs\"")
}

/// Whether JSON that begins like this is a snapshot of PyTorch's allocator.
pub(super) fn is_snapshot(head: &str) -> bool {
    head.contains("\"segments\"") || head.contains("\"blocks\"") && head.contains("\"total_size\"")
}

#[cfg(test)]
mod tests {
    use super::content;

    /// The first as tests of HTA keep them (`tests/data/execution_trace`, `tests/data/memory_analysis`), the third of TraceLens
    /// (`tests/rocprof`).
    #[test]
    fn what_profilers_write_and_is_not_read_has_its_name() {
        let of = |text: &str| content(text.as_bytes());
        let graph = r#"{ "schema": "1.0.1", "pid": 563677, "time": "2023-07-14 11:53:07", "start_ts": 6278907328,
            "nodes": [ { "name": "[pytorch|profiler|execution_trace|thread]", "id": 2 } ] }"#;
        assert!(of(graph).is_err_and(|why| why.starts_with("It is an execution trace")));
        let timeline = format!("[{}]", ["[-1, 1, 37888, 7]", "[17, 3, 512, 0]"].repeat(6).join(", "));
        assert!(of(&timeline).is_err_and(|why| why.contains("export_memory_timeline")));
        assert!(of(&timeline.replace("512", "0.5")).is_ok());
        assert!(of("[[1, 2, 3, 4]]").is_ok());
        let rocprof = r#"{"rocprofiler-sdk-tool":[{"metadata":{"node":{"id":0}},"pid":908}]}"#;
        assert!(of(rocprof).is_err_and(|why| why.starts_with("It is rocprofv3’s JSON")));
        let mut archive = vec![b'a'; 257];
        archive.extend(b"ustar\0");
        assert!(content(&archive).is_err_and(|why| why.starts_with("It is a tar archive")));
    }
}
