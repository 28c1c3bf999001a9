//! Of a file with more events than are kept, those that begin in its first seconds: a diagnosis of them lacks nothing, wherever in the file they stand.

use super::Building;

/// When the events begin that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Until {
    /// In nanoseconds: the first that is left out.
    pub at: i64,
    /// When the last of them ends.
    pub last: i64,
}

impl Building {
    /// Events that are kept so far; one that has begun counts.
    pub(super) fn count(&self) -> usize {
        self.trace.spans.len() + self.marks.len().div_ceil(2)
    }

    /// Whether an event is kept that begins then. If there are too many, the file ends where half of them have begun.
    pub(super) fn has_room(&mut self, start: i64, length: i64) -> bool {
        if !self.is_full && self.count() >= self.room {
            self.end_earlier();
        }
        if let Some(until) = self.until.as_mut().filter(|until| start >= until.at) {
            until.last = until.last.max(start.saturating_add(length));
            return false;
        }
        let has = self.count() < self.room;
        self.left_out += u64::from(!has);
        has
    }

    fn end_earlier(&mut self) {
        let mut starts: Vec<i64> =
            self.trace.spans.iter().map(|span| span.start).chain(self.marks.iter().map(|mark| mark.at)).collect();
        let half = starts.len() / 2;
        let (Some(first), true) = (starts.iter().min().copied(), half > 0) else {
            self.is_full = true;
            return;
        };
        let at = (*starts.select_nth_unstable(half).1).max(first.saturating_add(1));
        let kept = starts.iter().filter(|start| **start < at).count();
        // Nearly all at one moment.
        if kept > starts.len() / 4 * 3 {
            self.is_full = true;
            return;
        }
        drop(starts);
        let last = self.trace.spans.iter().filter(|span| span.start >= at).map(|span| span.end());
        let last = last.chain(self.marks.iter().map(|mark| mark.at)).max().unwrap_or(at);
        self.until = Some(Until { at, last: self.until.map_or(last, |until| until.last.max(last)) });
        self.marks.retain(|mark| mark.at < at);
        self.retain(|start| start < at);
    }

    /// Keeps the spans that begin as is asked for, what is said of them, and their names.
    fn retain(&mut self, keeps: impl Fn(i64) -> bool) {
        // The new index of each span; none of one that is gone.
        let mut next = 0;
        let places: Vec<Option<u32>> = self
            .trace
            .spans
            .iter()
            .map(|span| {
                keeps(span.start).then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let place = |index: u32| places.get(index as usize).copied().flatten();
        self.trace.spans.retain(|span| keeps(span.start));
        self.trace.bandwidths.retain_mut(|(index, _)| place(*index).map(|new| *index = new).is_some());
        self.trace.collectives.retain_mut(|(index, _)| place(*index).map(|new| *index = new).is_some());
        self.trace.memory.retain(|memory| keeps(memory.at));
        let begun = self.marks.iter_mut().filter_map(|mark| mark.begins.as_mut()).map(|begun| &mut begun.0);
        let old = std::mem::take(&mut self.trace.names);
        for span in self.trace.spans.iter_mut().chain(begun) {
            span.name = self.trace.names.number(old.get(span.name));
            if span.category != crate::trace::Trace::NONE {
                span.category = self.trace.names.number(old.get(span.category));
            }
        }
    }
}
