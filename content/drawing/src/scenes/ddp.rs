//! The two streams of a data-parallel step as SVG text, in pixels.

use std::fmt::Write as _;

use ringside_core::ddp::{Kind, Stream, Timeline};

use crate::timeline::Axis;

/// The height of a stream.
pub const LANE: f64 = 38.0;
/// Between the streams, where each bucket's way is drawn.
pub const BETWEEN: f64 = 34.0;
/// All of it.
pub const HEIGHT: f64 = 2.0 * LANE + BETWEEN;
/// Blocks of one colour that are narrower than this, in pixels, are drawn together.
const NARROW: f64 = 1.5;
/// The gap between blocks that are wide enough for one.
const GAP: f64 = 0.75;
/// A letter of a label, in pixels.
const LETTER: f64 = 7.0;
/// Most ways from a bucket to its all-reduce that can be told apart.
const WAYS: usize = 400;

/// The top of a stream.
pub fn top(stream: Stream) -> f64 {
    match stream {
        Stream::Compute => 0.0,
        Stream::Nccl => LANE + BETWEEN,
    }
}

/// The class of a kind of work.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Forward => "forward",
        Kind::Backward(_) => "backward",
        Kind::AllReduce(_) | Kind::Map | Kind::Join => "all-reduce",
        Kind::Search | Kind::Copy => "other",
    }
}

/// A rectangle that may still grow.
struct Bar {
    x: f64,
    end: f64,
    class: &'static str,
    dim: bool,
    text: Option<String>,
}

impl Bar {
    fn write(self, into: &mut String, y: f64) {
        let whole = self.end - self.x;
        let width = whole - if whole > 4.0 { GAP } else { 0.0 };
        let (class, dim) = (self.class, if self.dim { " dim" } else { "" });
        // Writing to a string does not fail.
        let _ = write!(
            into,
            "<rect class=\"part {class}{dim}\" x=\"{:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{LANE}\"/>",
            self.x
        );
        if let Some(text) = self.text {
            let (middle, base) = (self.x + width / 2.0, y + LANE / 2.0 + 4.2);
            let _ = write!(into, "<text class=\"on {class}{dim}\" x=\"{middle:.1}\" y=\"{base:.1}\">{text}</text>");
        }
    }
}

/// Everything that is drawn of `timeline`. Blocks that are not on the `path` stand back, if there is one.
pub fn drawing(timeline: &Timeline, path: &[bool], axis: Axis) -> String {
    let mut text = String::new();
    for (from, to) in timeline.waits() {
        let (x, end) = (axis.x(from).max(0.0), axis.x(to).min(axis.width));
        if end > x {
            let _ = write!(
                text,
                "<rect class=\"exposed\" x=\"{x:.2}\" y=\"0\" width=\"{:.2}\" height=\"{LANE}\"/>",
                end - x
            );
        }
    }
    ways(timeline, axis, &mut text);
    for stream in [Stream::Compute, Stream::Nccl] {
        let y = top(stream);
        let mut open: Option<Bar> = None;
        for (i, block) in timeline.of(stream) {
            let (x, end) = (axis.x(block.start).max(-2.0), axis.x(block.end).min(axis.width + 2.0));
            if end < 0.0 || x > axis.width || block.end <= block.start {
                continue;
            }
            let class = class(block.kind);
            let dim = !path.is_empty() && !path.get(i as usize).copied().unwrap_or(false);
            match &mut open {
                Some(bar) if end - x < NARROW && bar.class == class && bar.dim == dim && x - bar.end < NARROW => {
                    bar.end = end;
                    bar.text = None;
                    continue;
                }
                _ => {}
            }
            if let Some(bar) = open.take() {
                bar.write(&mut text, y);
            }
            let name = block.name();
            let fits = end - x >= name.len() as f64 * LETTER + 6.0;
            open = Some(Bar { x, end, class, dim, text: fits.then_some(name) });
        }
        if let Some(bar) = open {
            bar.write(&mut text, y);
        }
    }
    text
}

/// From the moment at which a bucket is complete to the beginning of its all-reduce.
fn ways(timeline: &Timeline, axis: Axis, text: &mut String) {
    let of_buckets = || timeline.of(Stream::Nccl).filter(|(_, b)| matches!(b.kind, Kind::AllReduce(_)));
    let seen = |ready: f64, start: f64| axis.x(start) >= 0.0 && axis.x(ready) <= axis.width;
    if of_buckets().filter(|(_, b)| seen(b.ready, b.start)).count() > WAYS {
        return;
    }
    text.push_str("<path class=\"ways\" d=\"");
    for (_, b) in of_buckets().filter(|(_, b)| seen(b.ready, b.start)) {
        let _ = write!(text, "M{:.1} {LANE}L{:.1} {}", axis.x(b.ready), axis.x(b.start), LANE + BETWEEN);
    }
    text.push_str("\"/>");
}

#[cfg(test)]
mod tests {
    use ringside_core::ddp::Params;
    use ringside_core::declare::Model as _;
    use ringside_core::query::Query;

    use super::*;

    fn timeline(text: &str) -> Timeline {
        Timeline::new(&Params::read(&Query::parse(text)).0).expect("a step")
    }

    fn axis(t: &Timeline, width: f64) -> Axis {
        Axis { from: 0.0, to: t.end(), width }
    }

    #[test]
    fn every_bucket_has_its_way_and_what_is_exposed_is_marked() {
        let t = timeline("net=eth-100");
        let text = drawing(&t, &[], axis(&t, 1000.0));
        assert_eq!(text.matches('M').count(), t.buckets.len());
        assert!(text.contains("class=\"exposed\"") && text.contains(">forward</text>"), "{text}");
        assert!(!text.contains("NaN") && !text.contains(" dim"));
        let path = vec![false; t.blocks.len()];
        assert!(drawing(&t, &path, axis(&t, 1000.0)).contains(" dim"));
    }

    #[test]
    fn however_many_blocks_there_are_no_more_are_drawn_than_can_be_seen() {
        let t = timeline("model=llama-3-70b&bucket-cap-mb=1&microbatches=8&no-sync=false");
        assert!(t.blocks.len() > 4000);
        let text = drawing(&t, &[], axis(&t, 600.0));
        assert!(text.matches("<rect").count() < 1400, "{}", text.matches("<rect").count());
    }
}
