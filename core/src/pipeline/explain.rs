//! What a piece of work waits for, in words.

use super::schedule::{Kind, Op};
use super::timeline::Timeline;
use crate::quantity::Unit;

/// What the block with this index is, when it runs and what it began after; empty if there is no such block.
pub fn explain(timeline: &Timeline, block: u32) -> String {
    let Some(b) = timeline.blocks.get(block as usize) else { return String::new() };
    let device = timeline.device(block);
    let what = match b.op.kind {
        Kind::Forward => "forward pass",
        Kind::Backward => "backward pass",
        Kind::Input => "gradient of the input",
        Kind::Weight => "gradient of the weights",
    };
    let Op { stage, microbatch, .. } = b.op;
    let mut text = format!(
        "{}{microbatch}: {what} of micro-batch {microbatch} on stage {stage}, device {device}, from {} to {}.",
        b.op.kind.letter(),
        time(b.start),
        time(b.end)
    );
    match b.after.and_then(|after| Some((after, timeline.blocks.get(after as usize)?))) {
        None => text += " It can begin at once.",
        Some((after, cause)) if timeline.device(after) == device => {
            text +=
                &format!(" It begins when its device is done with {}{}.", cause.op.kind.letter(), cause.op.microbatch);
        }
        Some((after, cause)) => {
            text += &format!(" It waits for {} on device {}", cause.op, timeline.device(after));
            if b.start > cause.end {
                text += &format!(", which arrives {} after it is done", time(b.start - cause.end));
            }
            let free = block.checked_sub(1).filter(|before| timeline.device(*before) == device);
            let free = free.and_then(|before| timeline.blocks.get(before as usize)).map_or(0.0, |before| before.end);
            text += &format!("; the device is idle for {} before.", time(b.start - free));
        }
    }
    text
}

/// A time given in milliseconds.
fn time(milliseconds: f64) -> String {
    Unit::Seconds.format(milliseconds / 1e3)
}
