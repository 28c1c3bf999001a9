//! A timeline as a file for other programs.

use super::schedule::Kind;
use super::timeline::Timeline;
use crate::trace::{Event, chrome};

/// The timeline as a Chrome trace: a row for each device.
pub fn chrome_trace(timeline: &Timeline, name: &str) -> String {
    let rows: Vec<String> = (0..timeline.fleet.devices).map(|device| format!("device {device}")).collect();
    let events = (0..timeline.fleet.devices).flat_map(|device| {
        timeline.of(device).iter().map(move |block| Event {
            row: device as usize,
            name: format!("{}{}", block.op.kind.letter(), block.op.microbatch),
            category: match block.op.kind {
                Kind::Forward => "forward",
                Kind::Backward => "backward",
                Kind::Input => "backward of the input",
                Kind::Weight => "weight gradient",
            },
            start: block.start,
            end: block.end,
            args: vec![("stage", block.op.stage.into()), ("microbatch", block.op.microbatch.into())],
        })
    });
    chrome(name, &rows, events)
}
