//! How far somebody is, as one number: of a chapter, of the course, wherever it is shown.
//!
//! A section counts when it was read, an exercise when it was solved, each for the seconds that it takes. Where the page was
//! last scrolled to counts for nothing.

use serde::{Deserialize, Serialize};

/// How many words of this course's text a minute is enough for.
pub const WORDS_A_MINUTE: u32 = 180;
/// How many minutes a leg of a chapter takes, about.
pub const LEG: u32 = 10;
/// The part of a section's time that it must have been on screen to count as read: who is faster has leafed through it.
const FASTEST: u32 = 5;

/// What is done of something, and what there is of it, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Of what is done.
    pub done: u32,
    /// Of all.
    pub all: u32,
}

impl Progress {
    /// Of a chapter: its sections, with the seconds of each and whether it was read, and how many of its exercises, which take
    /// so many seconds together, are solved.
    pub fn of(sections: impl IntoIterator<Item = (u32, bool)>, solved: u32, exercises: u32, seconds: u32) -> Self {
        let mut sum = Self::default();
        for (seconds, read) in sections {
            sum = sum.and(Self { done: if read { seconds } else { 0 }, all: seconds });
        }
        let share = u64::from(seconds) * u64::from(solved.min(exercises)) / u64::from(exercises.max(1));
        let solved = if solved >= exercises { seconds } else { share as u32 };
        sum.and(Self { done: solved, all: seconds })
    }

    /// Of two things together.
    pub fn and(self, other: Self) -> Self {
        Self { done: self.done.saturating_add(other.done), all: self.all.saturating_add(other.all) }
    }

    /// Per cent: 0 only where nothing is done, 100 only where everything is.
    pub fn percent(self) -> u32 {
        if self.done == 0 || self.all == 0 {
            return 0;
        }
        if self.is_complete() {
            return 100;
        }
        let share = u64::from(self.done) * 100 / u64::from(self.all);
        (share as u32).clamp(1, 99)
    }

    /// Whether there is something, and all of it is done.
    pub fn is_complete(self) -> bool {
        self.all > 0 && self.done >= self.all
    }

    /// From 0 to 1; 0 where there is nothing.
    pub fn share(self) -> f64 {
        f64::from(self.done.min(self.all)) / f64::from(self.all.max(1))
    }

    /// How many minutes are left of something that takes `minutes` in all; at least 1 until everything is done, and all of them
    /// where nothing of it can be counted.
    pub fn minutes_left(self, minutes: u32) -> u32 {
        if self.all == 0 {
            return minutes;
        }
        let left = u64::from(self.all.saturating_sub(self.done));
        (u64::from(minutes) * left).div_ceil(u64::from(self.all)).min(u64::from(u32::MAX)) as u32
    }
}

/// How long a text of so many words takes, in seconds.
pub fn seconds_of(words: u32) -> u32 {
    (u64::from(words) * 60 / u64::from(WORDS_A_MINUTE)).min(u64::from(u32::MAX)) as u32
}

/// Whether a section of so many seconds counts as read: its end was on screen, and it was there long enough.
pub fn is_read(section: u32, on_screen: u32, end_seen: bool) -> bool {
    end_seen && on_screen >= section.div_ceil(FASTEST)
}

/// Divides sections, with the seconds that each takes with its exercises, into legs of about [`LEG`] minutes: the index of the
/// first section of each. A section is never divided, so a long one is a leg by itself.
pub fn legs(sections: &[u32]) -> Vec<usize> {
    let aim = LEG * 60;
    let mut first = Vec::new();
    let (mut before, mut so_far) = (0_u32, 0_u32);
    for (i, seconds) in sections.iter().enumerate() {
        let with = so_far.saturating_add(*seconds);
        // A section begins a leg of its own if the leg before it is nearer to its length without it.
        if first.is_empty() || with.abs_diff(aim) > so_far.abs_diff(aim) {
            first.push(i);
            (before, so_far) = (so_far, *seconds);
        } else {
            so_far = with;
        }
    }
    // What would be left for a last leg of a few minutes belongs to the one before, unless that is long already.
    if first.len() > 1 && so_far < aim / 3 && before.saturating_add(so_far) < aim / 2 * 3 {
        first.pop();
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_chapter_is_its_sections_and_its_exercises() {
        let of = |read: [bool; 3], solved| Progress::of([60, 120, 180].into_iter().zip(read), solved, 4, 240);
        assert_eq!(of([false; 3], 0).percent(), 0);
        assert_eq!(of([true, true, false], 0), Progress { done: 180, all: 600 });
        assert_eq!(of([true; 3], 1).percent(), 70);
        assert_eq!(of([true; 3], 4).percent(), 100);
        assert_eq!(of([true; 3], 1).minutes_left(50), 15);
        assert_eq!(of([true; 3], 4).minutes_left(50), 0);
        assert_eq!((Progress::default().percent(), Progress::default().minutes_left(40)), (0, 40));
        assert_eq!(Progress::of([], 3, 0, 0), Progress::default());
    }

    #[test]
    fn a_section_is_read_when_its_end_was_seen_and_there_was_time_for_it() {
        assert!(is_read(100, 20, true) && is_read(0, 0, true));
        assert!(!is_read(100, 19, true), "leafed through");
        assert!(!is_read(100, 500, false), "left open at its beginning");
        assert_eq!(seconds_of(180), 60);
        assert_eq!(seconds_of(u32::MAX), 1_431_655_765);
    }

    #[test]
    fn legs_are_about_ten_minutes() {
        assert_eq!(legs(&[300, 300, 300, 300]), [0, 2]);
        assert_eq!(legs(&[100, 1500, 100, 400]), [0, 1, 2]);
        assert_eq!(legs(&[300, 300, 60]), [0]);
        assert_eq!(legs(&[300, 500, 150]), [0, 2]);
        assert_eq!(legs(&[60]), [0]);
        assert_eq!(legs(&[]), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn more_is_never_less(
            sections in prop::collection::vec((any::<u32>(), any::<bool>()), 0..12),
            solved: u32, exercises: u32, seconds: u32, one in 0..12_usize, minutes: u32,
        ) {
            let before = Progress::of(sections.iter().copied(), solved, exercises, seconds);
            prop_assert!(before.done <= before.all && before.percent() <= 100 && before.minutes_left(minutes) <= minutes);
            prop_assert_eq!(before.percent() == 100, before.is_complete());
            let mut more = sections.clone();
            if let Some(section) = more.get_mut(one) {
                section.1 = true;
            }
            let after = Progress::of(more, solved.saturating_add(1), exercises, seconds);
            prop_assert!(after.percent() >= before.percent() && after.minutes_left(minutes) <= before.minutes_left(minutes));
        }

        #[test]
        fn legs_begin_in_order_and_leave_nothing_out(sections in prop::collection::vec(any::<u32>(), 0..40)) {
            let legs = legs(&sections);
            prop_assert!(legs.is_sorted() && legs.first().is_none_or(|first| *first == 0));
            prop_assert_eq!(legs.is_empty(), sections.is_empty());
            prop_assert!(legs.windows(2).all(|w| w[0] < w[1]) && legs.iter().all(|i| *i < sections.len()));
        }
    }
}
