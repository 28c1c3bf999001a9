//! A timeline as a file for other programs.

use std::fmt::Write as _;

use super::schedule::Kind;
use super::timeline::Timeline;

/// The timeline in Chrome's trace event format, which chrome://tracing and Perfetto open: a process for the pipeline, a thread
/// for each device, a complete event for each piece of work. Times there are in microseconds.
pub fn chrome_trace(timeline: &Timeline, name: &str) -> String {
    let name: String = name.chars().filter(|c| !matches!(c, '"' | '\\') && !c.is_control()).collect();
    let mut text = format!(
        "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{{\"name\":\"{name}\"}}}}"
    );
    for device in 0..timeline.fleet.devices {
        let _ = write!(
            text,
            ",\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{device},\"name\":\"thread_name\",\"args\":{{\"name\":\"device {device}\"}}}}"
        );
        for block in timeline.of(device) {
            let op = block.op;
            let kind = match op.kind {
                Kind::Forward => "forward",
                Kind::Backward => "backward",
                Kind::Input => "backward of the input",
                Kind::Weight => "weight gradient",
            };
            let _ = write!(
                text,
                ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{device},\"ts\":{},\"dur\":{},\"name\":\"{}{}\",\"cat\":\"{kind}\",\"args\":{{\"stage\":{},\"microbatch\":{}}}}}",
                block.start * 1e3,
                (block.end - block.start) * 1e3,
                op.kind.letter(),
                op.microbatch,
                op.stage,
                op.microbatch
            );
        }
    }
    text.push_str("\n]}\n");
    text
}
