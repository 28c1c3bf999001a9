//! What the allocator did before a snapshot, over time: of `device_traces`, where the history was recorded
//! (`pytorch/pytorch`, `torch/csrc/cuda/memory_snapshot.cpp`). It has an entry for each request and each segment, with the bytes that were asked
//! for; how much was held at its beginning follows from what is held at its end.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::quantity::{Unit, grouped};

/// Moments that are kept of a history: more could not be told apart on a screen.
const MOST_MOMENTS: usize = 1000;

/// The most held during some entries of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// When, in microseconds before the last entry; its number before the last, where the file has no times.
    pub before: u64,
    /// Bytes in tensors, as they were asked for.
    pub allocated: u64,
    /// Bytes taken from the device.
    pub reserved: u64,
}

/// What one GPU held over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The GPU's number.
    pub device: u64,
    /// Entries that were read.
    pub entries: u64,
    /// Whether the entries have times.
    pub is_timed: bool,
    /// In their order, the last at the end.
    pub moments: Vec<Moment>,
}

impl History {
    /// The moment with most in tensors: of several the last.
    pub fn peak(&self) -> Option<&Moment> {
        self.moments.iter().max_by_key(|moment| moment.allocated)
    }

    /// The most that was reserved, in bytes.
    pub fn reserved(&self) -> u64 {
        self.moments.iter().map(|moment| moment.reserved).max().unwrap_or_default()
    }

    /// When a moment was: `12 s before the end of the history`.
    pub fn when(&self, moment: &Moment) -> String {
        match (moment.before, self.is_timed) {
            (0, _) => "at the end of the history".to_owned(),
            (before, true) => format!("{} before the end of the history", Unit::Seconds.format(before as f64 / 1e6)),
            (before, false) => format!("{} entries before the end of the history", grouped(before)),
        }
    }
}

/// An entry of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub(super) struct Entry {
    #[serde(default)]
    pub action: Action,
    #[serde(default)]
    pub size: u64,
    #[serde(default)]
    pub time_us: Option<i64>,
}

/// What an entry says was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    Alloc,
    FreeRequested,
    #[serde(alias = "segment_map")]
    SegmentAlloc,
    #[serde(alias = "segment_unmap")]
    SegmentFree,
    /// A block that another stream let go, a snapshot, memory that ran out: nothing changes.
    #[default]
    #[serde(other)]
    Other,
}

impl Action {
    pub fn of(text: &str) -> Self {
        match text {
            "alloc" => Self::Alloc,
            "free_requested" => Self::FreeRequested,
            "segment_alloc" | "segment_map" => Self::SegmentAlloc,
            "segment_free" | "segment_unmap" => Self::SegmentFree,
            _ => Self::Other,
        }
    }
}

/// Bytes in tensors and bytes reserved, against those at the beginning, which aren't known yet.
type Held = [i64; 2];

/// Entries, taken one after another. Of many in a row only the most is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorder {
    now: Held,
    lowest: Held,
    /// The time of the last entry of some, and the most that was held during them.
    moments: Vec<(i64, Held)>,
    /// Entries of each moment; a power of two.
    each: u64,
    entries: u64,
    timed: u64,
}

impl Recorder {
    pub fn take(&mut self, entry: Entry) {
        let size = i64::try_from(entry.size).unwrap_or_default();
        let [allocated, reserved] = &mut self.now;
        match entry.action {
            Action::Alloc => *allocated = allocated.saturating_add(size),
            Action::FreeRequested => *allocated = allocated.saturating_sub(size),
            Action::SegmentAlloc => *reserved = reserved.saturating_add(size),
            Action::SegmentFree => *reserved = reserved.saturating_sub(size),
            Action::Other => {}
        }
        self.lowest = [0, 1].map(|i| self.lowest[i].min(self.now[i]));
        let each = self.each.max(1);
        let at = entry.time_us.unwrap_or(i64::try_from(self.entries).unwrap_or(i64::MAX));
        match self.moments.last_mut() {
            Some((last, held)) if !self.entries.is_multiple_of(each) => {
                (*last, *held) = (at, most(*held, self.now));
            }
            _ => self.moments.push((at, self.now)),
        }
        self.entries += 1;
        self.timed += u64::from(entry.time_us.is_some());
        if self.moments.len() > 2 * MOST_MOMENTS && self.entries.is_multiple_of(each) {
            self.moments = self.moments.chunks(2).filter_map(joined).collect();
            self.each = each * 2;
        }
    }

    /// The history of a GPU that holds so much at its end: bytes in tensors as they were asked for, and bytes reserved.
    ///
    /// # Errors
    /// A sentence: more was given back than there can have been.
    pub fn finish(self, device: u64, end: [u64; 2]) -> Result<Option<History>, String> {
        if self.entries == 0 {
            return Ok(None);
        }
        let is_timed = self.timed == self.entries;
        let first = [0, 1].map(|i| i64::try_from(end[i]).unwrap_or(i64::MAX).saturating_sub(self.now[i]));
        if [0, 1].iter().any(|i| first[*i].saturating_add(self.lowest[*i]) < 0) {
            return Err(format!(
                "The history of GPU {device} doesn’t lead to the memory that is in use at its end, so it isn’t shown. Some of its entries may be missing."
            ));
        }
        let mut moments = self.moments;
        if moments.len() > MOST_MOMENTS {
            moments = moments.chunks(2).filter_map(joined).collect();
        }
        let last = moments.last().map(|moment| moment.0).unwrap_or_default();
        let of = |(at, held): (i64, Held)| {
            let [allocated, reserved] =
                [0, 1].map(|i| u64::try_from(first[i].saturating_add(held[i])).unwrap_or_default());
            Moment { before: u64::try_from(last.saturating_sub(at)).unwrap_or_default(), allocated, reserved }
        };
        let moments = moments.into_iter().map(of).collect();
        Ok(Some(History { device, entries: self.entries, is_timed, moments }))
    }
}

fn most(a: Held, b: Held) -> Held {
    [a[0].max(b[0]), a[1].max(b[1])]
}

fn joined(moments: &[(i64, Held)]) -> Option<(i64, Held)> {
    moments.iter().copied().reduce(|a, b| (b.0, most(a.1, b.1)))
}

impl<'de> Deserialize<'de> for Recorder {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Recorder;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a list of entries")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Recorder, A::Error> {
                let mut recorder = Recorder::default();
                while let Some(entry) = entries.next_element()? {
                    recorder.take(entry);
                }
                Ok(recorder)
            }
        }
        from.deserialize_seq(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many requests of a byte, of which every second is given back, and a segment.
    fn recorded(times: u64, timed: bool) -> Recorder {
        let mut recorder = Recorder::default();
        let mut take = |action, size, i: u64| {
            recorder.take(Entry { action, size, time_us: timed.then_some(i as i64 * 10) });
        };
        take(Action::SegmentAlloc, 1 << 20, 0);
        for i in 1..=times {
            take(if i % 3 == 0 { Action::FreeRequested } else { Action::Alloc }, 1, i);
        }
        recorder
    }

    #[test]
    fn what_was_held_over_time_ends_with_what_is_held() {
        // 100 before the history, and a third more each.
        let history = recorded(300, true).finish(0, [200, 2 << 20]).expect("it fits").expect("entries");
        assert_eq!((history.moments.len(), history.entries), (301, 301));
        let at = |i: usize| history.moments[i];
        assert_eq!(at(0), Moment { before: 3000, allocated: 100, reserved: 2 << 20 });
        assert_eq!((at(2).allocated, at(3).allocated, at(300).allocated), (102, 101, 200));
        assert_eq!((history.peak().expect("one").allocated, history.reserved()), (201, 2 << 20));
        assert_eq!(history.when(&at(0)), "3 ms before the end of the history");
        let untimed = recorded(300, false).finish(0, [200, 2 << 20]).expect("it fits").expect("entries");
        assert_eq!(untimed.when(&untimed.moments[0]), "300 entries before the end of the history");
    }

    #[test]
    fn of_many_entries_the_peaks_are_kept() {
        for times in [2_000, 2_001, 100_000, 1_234_567] {
            let end = times - 2 * (times / 3);
            let history = recorded(times, true).finish(3, [end, 1 << 20]).expect("it fits").expect("entries");
            assert!((400..=MOST_MOMENTS).contains(&history.moments.len()), "{times}: {}", history.moments.len());
            assert_eq!((history.device, history.entries), (3, times + 1));
            // The last free may be the last entry.
            let peak = history.peak().expect("one").allocated;
            assert!((end..=end + 1).contains(&peak), "{times}: {peak} of {end}");
            assert!(history.moments.is_sorted_by_key(|moment| std::cmp::Reverse(moment.before)));
        }
    }

    #[test]
    fn a_history_that_cant_be_is_told() {
        assert!(recorded(300, true).finish(1, [99, 2 << 20]).expect_err("too little").contains("GPU 1"));
        assert_eq!(Recorder::default().finish(0, [0, 0]), Ok(None));
        let mut large = Recorder::default();
        for _ in 0..4 {
            large.take(Entry { action: Action::Alloc, size: u64::MAX / 2, time_us: Some(i64::MIN) });
        }
        let _ = large.finish(0, [u64::MAX, u64::MAX]);
    }
}
