//! Events that are written as a beginning and an end, phases `B` and `E`: paired by thread, the innermost first ("Trace Event Format",
//! Google, 2016, Duration Events).

use super::{Args, Building, Fields, Raw};
use crate::trace::Span;

/// A beginning, or an end.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    track: u32,
    pub(super) at: i64,
    position: u32,
    /// What begins; none for an end.
    pub(super) begins: Option<Box<(Span, Args)>>,
}

impl Building {
    pub(super) fn mark(&mut self, fields: &Fields<'_>, position: u32, begins: bool) {
        let Some(at) = fields.start.and_then(Raw::nanoseconds) else {
            self.timeless += 1;
            return;
        };
        // What has begun in time may end later.
        if begins && !self.has_room(at, 0) {
            return;
        }
        let begins = begins.then(|| Box::new(self.made(fields, position, (at, 0))));
        let track = self.track(fields);
        self.marks.push(Mark { track, at, position, begins });
    }

    /// Makes spans of the marks. What has no other side is counted, and left out.
    pub(super) fn pair(&mut self) {
        let mut marks = std::mem::take(&mut self.marks);
        marks.sort_by_key(|m| (m.track, m.at, m.position));
        // What is open where the file ends for want of room ends there.
        let until = self.until.map(|until| until.at);
        let mut open: Vec<Box<(Span, Args)>> = Vec::new();
        let mut track = None;
        for mark in marks {
            if track != Some(mark.track) {
                self.leave(open.drain(..), until);
                track = Some(mark.track);
            }
            match (mark.begins, open.is_empty()) {
                (Some(begins), _) => open.push(begins),
                (None, true) => self.unpaired += 1,
                (None, false) => {
                    if let Some(begun) = open.pop() {
                        let (mut span, args) = *begun;
                        span.length = mark.at.saturating_sub(span.start);
                        self.keep(span, args);
                    }
                }
            }
        }
        self.leave(open.drain(..), until);
    }

    /// What has begun and not ended.
    fn leave(&mut self, open: impl Iterator<Item = Box<(Span, Args)>>, until: Option<i64>) {
        for begun in open {
            let (mut span, args) = *begun;
            match until {
                Some(until) => {
                    span.length = until.saturating_sub(span.start);
                    self.keep(span, args);
                }
                None => self.unpaired += 1,
            }
        }
    }
}
