//! Whether a line looks like an error to somebody who doesn't know the program.

/// How surely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It says so itself.
    Error,
    /// It introduces an error that is named elsewhere: only worth a word if nothing else is.
    Heading,
}

/// Phrases that no healthy program prints of itself, in small letters.
const PHRASES: [&str; 25] = [
    "segmentation fault",
    "core dumped",
    "illegal instruction",
    "bus error",
    "out of memory",
    "no such file or directory",
    "command not found",
    "permission denied",
    "no space left on device",
    "cannot allocate memory",
    "connection refused",
    "connection reset by peer",
    "no route to host",
    "broken pipe",
    "timed out",
    "non-zero exit status",
    "non-zero exit code",
    "kernel panic",
    "stale file handle",
    "input/output error",
    "disk quota exceeded",
    "assertion failed",
    "was killed",
    "crashloopbackoff",
    "nvrm: xid",
];

/// Words with which a program says that the line is no error, whatever it tells.
const CALM: [&str; 8] = ["INFO", "DEBUG", "TRACE", "NOTICE", "VERBOSE", "WARNING", "WARN", "NOTE"];

/// What a line looks like.
pub fn trouble(line: &str) -> Option<Trouble> {
    // The others are how torchrun begins its summary, and PyTorch what NCCL said last.
    if line.contains("Traceback (most recent call last)")
        || [".py FAILED", "Last error:"].iter().any(|end| line.trim_end().ends_with(end))
    {
        return Some(Trouble::Heading);
    }
    if is_inside(line) {
        return None;
    }
    let words: Vec<Word<'_>> = words(line).collect();
    let before = |i: usize| i.checked_sub(1).and_then(|i| words.get(i));
    // A time has many words that are numbers.
    let names = words.iter().enumerate().filter(|(_, word)| word.text.starts_with(|c: char| c.is_ascii_alphabetic()));
    let calm = names.take(12).any(|(i, word)| {
        let named = before(i).is_some_and(|word| word.text == "level");
        (CALM.contains(&word.text) && word.is_level())
            || (named && CALM.iter().any(|c| c.eq_ignore_ascii_case(word.text)))
    });
    if words.iter().enumerate().any(|(i, word)| is_exception(word, before(i))) {
        return Some(Trouble::Error);
    }
    if calm || words.iter().any(|word| word.text.ends_with("Warning") && word.after.trim_start().starts_with(':')) {
        return None;
    }
    let said = words.iter().enumerate().any(|(i, word)| says_error(word, before(i).map_or("", |w| w.text)));
    let small = line.to_ascii_lowercase();
    // What a program can do about errors.
    if small.contains("error handling") && !small.contains("error:") {
        return None;
    }
    let phrase = || PHRASES.iter().any(|phrase| small.contains(phrase));
    (said || phrase()).then_some(Trouble::Error)
}

/// Whether a logger wrote a frame of a traceback with its level, or its code, the marks below it, or nothing:
/// `ERROR 06-19 07:06:13 [core.py:515]   File "…", line 506, in run_engine_core`.
fn is_inside(line: &str) -> bool {
    let Some((head, rest)) = line.split_once(".py:").and_then(|(_, rest)| rest.split_once(']')) else { return false };
    let is_head = head.bytes().all(|b| b.is_ascii_digit()) && line.contains("ERROR");
    is_head && (rest.trim().is_empty() || rest.starts_with("   "))
}

/// A word of a line: letters, digits and underscores.
struct Word<'a> {
    text: &'a str,
    /// The character before it.
    before: Option<char>,
    /// What follows it.
    after: &'a str,
}

impl Word<'_> {
    /// Whether it stands where loggers write the level: not as a part of a longer name or a value.
    fn is_level(&self) -> bool {
        let joined = |c: Option<char>| matches!(c, Some('=' | '-' | '/' | '\'' | '.'));
        !joined(self.before) && !matches!(self.after.chars().next(), Some('=' | '-' | '/' | '\'' | '.'))
    }
}

fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = line.get(at..)?;
        let start = at + rest.find(inside)?;
        let rest = line.get(start..)?;
        let end = start + rest.find(|c| !inside(c)).unwrap_or(rest.len());
        at = end;
        Some(Word {
            text: line.get(start..end)?,
            before: line.get(..start)?.chars().next_back(),
            after: line.get(end..)?,
        })
    })
}

/// `KeyError: 'x'`, `torch.OutOfMemoryError: …`, and not `raise KeyError(` of the source that a traceback quotes.
fn is_exception(word: &Word<'_>, before: Option<&Word<'_>>) -> bool {
    let ends = ["Error", "Exception", "Interrupt", "Timeout"];
    let named = word.text.starts_with(|c: char| c.is_ascii_uppercase())
        && ends.iter().any(|end| word.text.len() > end.len() && word.text.ends_with(end));
    let quoted = before
        .is_some_and(|w| matches!(w.text, "raise" | "except" | "class" | "import" | "catch" | "as" | "or" | "if"));
    let said = word.after.starts_with(": ") || word.after.trim_end() == ":" || word.after.trim().is_empty();
    named && said && !quoted
}

/// `srun: error: …`, `[ERROR]`, `E1229 16:47:25`, `failed with exit code 1`.
fn says_error(word: &Word<'_>, before: &str) -> bool {
    let rest = word.after.trim_start_matches([' ', ':', '=', ']', ')', '*']);
    let denied = [
        "no", "0", "zero", "without", "any", "not", "if", "on", "ignore", "ignoring", "expected", "log", "level",
        "loglevel",
    ];
    if before == "level" && word.before == Some('=') {
        return matches!(word.text, "error" | "fatal" | "panic" | "critical");
    }
    if denied.iter().any(|d| before.eq_ignore_ascii_case(d)) || before.ends_with("level") {
        return false;
    }
    // `errors: 0`, `validation error: 0.123`, `Failed requests:   0`
    // and the cells of a table: `| Failed requests | 0 |`.
    let cells = rest.trim_end_matches([' ', '|']);
    let value = cells.rsplit_once([':', '|']).map_or("", |(_, value)| value.trim());
    let nothing = ["0", "none", "no", "n/a", "null", "false", "{}", "[]"];
    let nothing = rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'))
        || nothing.iter().any(|n| {
            let starts = rest.get(..n.len()).is_some_and(|start| start.eq_ignore_ascii_case(n));
            let ends = rest.get(n.len()..).is_some_and(|after| !after.starts_with(char::is_alphanumeric));
            (starts && ends) || value.eq_ignore_ascii_case(n)
        });
    match word.text {
        "ERROR" | "FATAL" | "CRITICAL" | "PANIC" => word.is_level(),
        "error" | "Error" | "fatal" | "panic" | "Fatal" => word.after.starts_with(": ") && !nothing,
        "failed" | "Failed" | "FAILED" | "failure" | "Failure" => !word.after.starts_with(['=', '_', '-']) && !nothing,
        "Killed" | "Aborted" | "aborted" | "Segmentation" => !nothing && word.before != Some('='),
        "Evicted" | "OOMKilled" | "ErrImagePull" | "ImagePullBackOff" | "CrashLoopBackOff" => true,
        text => is_glog(text) && word.after.trim_start().as_bytes().get(2) == Some(&b':') && word.before != Some('='),
    }
}

/// The `E1229` or `F1229` with which glog and klog begin a line; the day may have one digit.
fn is_glog(text: &str) -> bool {
    matches!(text.as_bytes(), [b'E' | b'F', day @ ..] if matches!(day.len(), 3 | 4) && day.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_from_words_about_errors() {
        let errors = [
            "KeyError: 'input_ids'",
            "[rank3]: torch.distributed.DistBackendError: NCCL error in: x",
            "srun: error: gpu05: task 37: Exited with exit code 1",
            "[E1229 16:47:25.333820755 ProcessGroupNCCL.cpp:541] x",
            "E930 15:23:00.059980974 x",
            "2024-05-01 12:00:00,123 ERROR worker: lost",
            "ERROR 03-03 19:38:29 [core.py:708] EngineCore failed to start.",
            "ERROR 03-03 19:38:29 [core.py:708] ValueError: it broke",
            "make: *** [all] Error: cannot open it",
            "time=\"2024-02-21T09:30:12Z\" level=error msg=\"it broke\"",
            "bash: line 1: python3: command not found",
            "run.sh: line 28:  8156 Killed   python3 main.py",
            "OSError: [Errno 28] No space left on device",
            "KeyboardInterrupt",
            "assertion failed: index < size",
        ];
        for line in errors {
            assert_eq!(trouble(line), Some(Trouble::Error), "{line}");
        }
        let calm = [
            "validation error: 0.123",
            "0 errors, 0 warnings",
            "TORCH_NCCL_ASYNC_ERROR_HANDLING=1",
            "log_level: ERROR",
            "level=info msg=\"the first try failed\"",
            "error=0 failed=0",
            "2025-05-16T16:39:51.208-07:00 ip-10-0-29-253:79:79 [0] NCCL INFO NET/Plugin: Failed to find ncclCollNetPlugin_v8 symbol.",
            "#       error handling: buffer (zcopy), remote access, peer failure",
            "    raise ValueError(\"x\")",
            "    except KeyError:",
            "INFO 06-16 10:03:14 [x.py:1] retry after failed attempt",
            "FutureWarning: this will raise an error: in a later release",
            "Failures: none",
            "Failed requests:                         0",
            "| Failed requests                   |    0      |",
            "Remapping Failure Occurred            : No",
            "Warning : Failed to set CPU affinity",
            "test passed, 0 failed",
            "loss 3.2 | error rate 0.1",
            "",
            "(EngineCore_DP0 pid=9) ERROR 06-19 07:06:13 [core.py:515]   File \"/x/vllm/v1/engine/core.py\", line 506, in run_engine_core",
            "ERROR 06-19 07:06:13 [core.py:515]     raise RuntimeError(\"Engine core failed\")",
            "ERROR 06-19 07:06:13 [core.py:515]                   ^^^^^^^^^",
            "ERROR 06-19 07:06:13 [core.py:515]",
            "ä error",
        ];
        for line in calm {
            assert_eq!(trouble(line), None, "{line}");
        }
        assert_eq!(trouble("[rank0]: Traceback (most recent call last):"), Some(Trouble::Heading));
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_looked_at(line in "\\PC{0,200}") {
            let _ = trouble(&line);
        }
    }
}
