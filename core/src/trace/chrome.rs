//! Timelines as files for other programs.
//!
//! Chrome's trace event format, which chrome://tracing and Perfetto open: a process, a thread for each row, a complete event for
//! each piece of work ("Trace Event Format", Google, 2016). Times there are in microseconds.

use std::fmt::Write as _;

/// A piece of work on a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The row, an index of their names.
    pub row: usize,
    /// What is written into it.
    pub name: String,
    /// What kind of work it is.
    pub category: &'static str,
    /// When it begins, in milliseconds.
    pub start: f64,
    /// When it ends, in milliseconds.
    pub end: f64,
    /// Whole numbers to be read beside it.
    pub args: Vec<(&'static str, u64)>,
}

/// The trace of a process called `name` with these rows. What JSON would have to escape is left out of names.
pub fn chrome(name: &str, rows: &[String], events: impl IntoIterator<Item = Event>) -> String {
    let mut text = format!(
        "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{{\"name\":\"{}\"}}}}",
        plain(name)
    );
    // Writing to a string does not fail.
    for (row, name) in rows.iter().enumerate() {
        let _ = write!(
            text,
            ",\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{row},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}}}",
            plain(name)
        );
    }
    for event in events {
        let _ = write!(
            text,
            ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"cat\":\"{}\",\"args\":{{",
            event.row,
            event.start * 1e3,
            (event.end - event.start) * 1e3,
            plain(&event.name),
            event.category
        );
        for (i, (name, value)) in event.args.iter().enumerate() {
            let _ = write!(text, "{}\"{name}\":{value}", if i > 0 { "," } else { "" });
        }
        text.push_str("}}");
    }
    text.push_str("\n]}\n");
    text
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '"' | '\\') && !c.is_control()).collect()
}
