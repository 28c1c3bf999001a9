//! Lines that somebody wrote and no program printed: commands that would print something, headings and lists of a document.

/// Commands of a script that print what follows, and the line of Python that names what it handles.
const PRINTS: [&str; 6] = ["echo ", "printf ", "logger ", "echo\"", "print(", "except "];
/// What headings of Markdown begin with. A single `#` also begins lines of nccl-tests.
const HEADINGS: [&str; 4] = ["## ", "### ", "#### ", "##### "];
/// What items and rows of Markdown begin with, in which code stands in backticks. Python's own messages have those, too.
const ITEMS: [&str; 3] = ["- ", "* ", "| "];

/// Whether a line, without the blanks around it, is one of a script or of a document.
pub fn is(line: &str) -> bool {
    // `set -x` prints commands behind plus signs.
    let command = line.trim_start_matches('+').trim_start();
    let begins = |starts: &[&str], text: &str| starts.iter().any(|start| text.starts_with(start));
    begins(&PRINTS, command)
        || begins(&HEADINGS, line)
        || begins(&ITEMS, line) && line.contains('`')
        || line.starts_with('`') && !line.starts_with("```")
}

#[cfg(test)]
mod tests {
    use super::is;

    #[test]
    fn what_is_written_was_not_printed() {
        for (line, written) in [
            ("echo \"[ERROR] Timed out after ${TIMEOUT}s\"", true),
            ("+ echo 'CUDA out of memory'", true),
            ("except importlib.metadata.PackageNotFoundError:", true),
            ("### Q4: NFS quota full / `OSError: [Errno 122] Disk quota exceeded`", true),
            ("| Loss NaN | Use `bf16: auto`, lower LR |", true),
            ("`torch.OutOfMemoryError: Tried to allocate 784.00 MiB`. **Raising", true),
            ("# Out of bounds values : 8 FAILED", false),
            ("ValueError: Please specify `target_modules` in `peft_config`", false),
            ("| N/A   45C    P0    ERR! / 700W |", false),
            ("- CUDA out of memory. Tried to allocate 2.00 GiB", false),
            ("RuntimeError: CUDA error: device-side assert triggered", false),
        ] {
            assert_eq!(is(line), written, "{line}");
        }
    }
}
