//! The plan from a start date, with missed days forgiven.
//!
//! A plan says which days, counted from 1, each of its blocks takes: `[1, 3]`, `[4, 7]`. Put on a calendar it would
//! punish the first day missed by piling its work on the second. Here a block needs *days of study*: a day on which
//! nothing was done costs nothing but moves what is left by a day. A block that is done early gives its days back as
//! slack; nothing after it is moved forward.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Day, count, date};
use crate::quantity::capital;

/// After how many days without study to speak of a pause.
pub const PAUSE: i64 = 7;

/// What is kept of a learner's plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Its first day; nothing as long as the learner has not begun it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Day>,
    /// By block ([`key`]): the day on which it was done.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub done: BTreeMap<String, Day>,
}

/// The name of a block in [`Progress::done`]: `4-7`.
pub fn key(days: [u32; 2]) -> String {
    format!("{}-{}", days[0], days[1])
}

/// A plan on the calendar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Schedule {
    /// The blocks, in the plan's order.
    pub blocks: Vec<Scheduled>,
    /// How many days later than planned it will end.
    pub moved: i64,
    /// What is on today.
    pub today: Today,
}

/// A block on the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Scheduled {
    /// Its first day: as planned, or moved. Of a block that is done, the first on which it could have been begun.
    pub from: Day,
    /// Its last day. Of a block that is done, the day on which it was.
    pub to: Day,
    /// Whether it is done.
    pub done: bool,
}

/// What is on today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Today {
    /// There is nothing in the plan.
    Empty,
    /// The plan has not begun.
    Before {
        /// In so many days.
        days: i64,
    },
    /// A block is on.
    On {
        /// Its place in the plan.
        block: usize,
        /// The how-manieth day of study today is, from 1. May exceed `of`: some blocks take longer.
        day: i64,
        /// How many days the plan gives it.
        of: i64,
        /// How many days have gone by since the learner last did anything, if that makes a pause: [`PAUSE`] or more.
        pause: Option<i64>,
    },
    /// Everything up to now is done; the next block has not begun.
    Ahead {
        /// The next block.
        block: usize,
        /// It begins in so many days.
        days: i64,
    },
    /// Everything is done.
    Finished {
        /// The day on which the last block was.
        on: Day,
    },
}

/// Puts a plan on the calendar.
///
/// `blocks` are the plan's days, `[first, last]` from 1; `done` says of each, in the same order, on which day it was
/// done, if it was; `studied` are the days on which the learner did anything.
///
/// A block that is not done begins on the day the plan has for it, or on the day after the one before it ends. It is
/// given as many days of study as planned, and at least today. As long as it has none, it begins today.
pub fn schedule(
    blocks: &[[u32; 2]],
    done: &[Option<Day>],
    studied: &BTreeSet<Day>,
    start: Day,
    today: Day,
) -> Schedule {
    // Room for all arithmetic below: a date outside the calendar is none.
    let (start, today) = (start.clamp(date::FIRST, date::LAST), today.clamp(date::FIRST, date::LAST));
    let mut scheduled = Vec::with_capacity(blocks.len());
    let mut now = None;
    // The first day that is free, and the day of the plan on which the block before ended.
    let (mut free, mut planned_end, mut reached, mut finished) = (start, 0, 0, None);
    for (i, days) in blocks.iter().enumerate() {
        let first = i64::from(days[0]).max(1);
        let length = (i64::from(days[1]) - first + 1).max(1);
        let planned = start.saturating_add(first - 1);
        // Days off between two blocks of the plan stay days off.
        let off = if i == 0 { 0 } else { (first - planned_end - 1).max(0) };
        let earliest = planned.max(free.saturating_add(off));
        planned_end = first + length - 1;
        reached = reached.max(planned_end);
        if let Some(on) = done.get(i).copied().flatten() {
            let on = on.clamp(date::FIRST, today);
            scheduled.push(Scheduled { from: earliest.min(on), to: on, done: true });
            finished = finished.max(Some(on));
            // Done ahead of its time, its own days are free, and later blocks are where the plan has them.
            if now.is_none() {
                free = free.max(on.saturating_add(1));
            }
            continue;
        }
        let open = now.is_none();
        let (from, to) = if open && earliest <= today {
            let from = studied.range(earliest..=today).next().copied().unwrap_or(today);
            let spent = studied.range(from..today).count() as i64;
            now = Some(Today::On { block: i, day: spent + 1, of: length, pause: None });
            (from, today.saturating_add((length - spent).max(1) - 1))
        } else {
            if open {
                let days = earliest - today;
                now = Some(if today < start && i == 0 {
                    Today::Before { days }
                } else {
                    Today::Ahead { block: i, days }
                });
            }
            (earliest, earliest.saturating_add(length - 1))
        };
        scheduled.push(Scheduled { from, to, done: false });
        free = free.max(to.saturating_add(1));
    }
    let today_is = match (now, finished) {
        (Some(Today::On { block, day, of, .. }), _) => {
            let last = studied.range(..=today).next_back().copied().max(finished).unwrap_or(start).max(start);
            let pause = Some(today.saturating_sub(last)).filter(|days| *days >= PAUSE);
            Today::On { block, day, of, pause }
        }
        (Some(other), _) => other,
        (None, Some(on)) => Today::Finished { on },
        (None, None) => Today::Empty,
    };
    let end = scheduled.iter().map(|b| b.to).max().unwrap_or(start);
    let moved = end.saturating_sub(start.saturating_add(reached.max(1) - 1)).max(0);
    Schedule { blocks: scheduled, moved, today: today_is }
}

impl Schedule {
    /// What is on today: a sentence or two. `titles` are the blocks'.
    pub fn say(&self, titles: &[&str]) -> String {
        let title = |block: usize| match titles.get(block) {
            Some(title) => format!("“{title}”"),
            None => format!("block {}", block + 1),
        };
        match self.today {
            Today::Empty => "The plan is empty.".to_owned(),
            Today::Before { days: 1 } => "The plan begins tomorrow.".to_owned(),
            Today::Before { days } => format!("The plan begins in {}.", count(days, "day")),
            Today::On { block, pause: Some(days), .. } => format!(
                "Welcome back. {} went by and nothing has piled up: you are at {}, and the rest has moved with you.",
                count(days, "day"),
                title(block)
            ),
            Today::On { block, day, of, .. } if day > of => format!(
                "{}, for longer than planned: take the time, or mark the block as done.",
                capital(&title(block))
            ),
            Today::On { block, day, of, .. } => format!("{}, day {day} of {of}.", capital(&title(block))),
            Today::Ahead { block, days } => format!(
                "You are ahead: {} begins {}. Begin it now, or take the time off.",
                title(block),
                if days == 1 { "tomorrow".to_owned() } else { format!("in {}", count(days, "day")) }
            ),
            Today::Finished { .. } => "The plan is done.".to_owned(),
        }
    }

    /// What missed days came to: a sentence, if there were any.
    pub fn say_moved(&self) -> Option<String> {
        (self.moved > 0).then(|| {
            let end = self.blocks.iter().map(|b| b.to).max().unwrap_or_default();
            format!("The plan ends on {}, {} later than first planned.", date::short(end), count(self.moved, "day"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The blocks of `content/plan.toml`.
    const PLAN: [[u32; 2]; 7] = [[1, 3], [4, 7], [8, 10], [11, 14], [15, 21], [22, 25], [26, 30]];
    const START: Day = 20_000;

    fn at(today: i64, done: &[Option<i64>], studied: &[i64]) -> Schedule {
        let done: Vec<Option<Day>> = done.iter().map(|d| d.map(|d| START + d)).collect();
        schedule(&PLAN, &done, &studied.iter().map(|d| START + d).collect(), START, START + today)
    }

    fn spans(schedule: &Schedule) -> Vec<(i64, i64)> {
        schedule.blocks.iter().map(|b| (b.from - START + 1, b.to - START + 1)).collect()
    }

    const AS_PLANNED: [(i64, i64); 7] = [(1, 3), (4, 7), (8, 10), (11, 14), (15, 21), (22, 25), (26, 30)];

    #[test]
    fn studied_every_day_it_is_the_plan() {
        let first = at(0, &[], &[]);
        assert_eq!(spans(&first), AS_PLANNED);
        assert_eq!(first.today, Today::On { block: 0, day: 1, of: 3, pause: None });
        let fifth = at(4, &[Some(2)], &[0, 1, 2, 3]);
        assert_eq!(spans(&fifth), AS_PLANNED);
        assert_eq!((fifth.moved, fifth.say_moved()), (0, None));
        assert_eq!(fifth.say(&["Memory", "FSDP"]), "“FSDP”, day 2 of 4.");
    }

    #[test]
    fn a_missed_day_moves_the_rest_by_one() {
        // Days 1 and 2 of study, then two missed: today, the fifth, is the third day of the first block.
        let s = at(4, &[], &[0, 1]);
        assert_eq!(spans(&s), [(1, 5), (6, 9), (10, 12), (13, 16), (17, 23), (24, 27), (28, 32)]);
        assert_eq!((s.moved, s.today), (2, Today::On { block: 0, day: 3, of: 3, pause: None }));
        assert_eq!(s.say_moved().as_deref(), Some("The plan ends on Mon 4 Nov, 2 days later than first planned."));
    }

    #[test]
    fn a_block_that_takes_longer_stays_on() {
        let s = at(6, &[], &[0, 1, 2, 3, 4, 5]);
        assert_eq!(s.today, Today::On { block: 0, day: 7, of: 3, pause: None });
        assert_eq!(spans(&s)[..2], [(1, 7), (8, 11)]);
        assert!(s.say(&["Memory"]).contains("take the time, or mark"), "{}", s.say(&["Memory"]));
    }

    #[test]
    fn a_long_pause_is_forgiven() {
        let s = at(200, &[Some(2)], &[0, 1, 2]);
        assert_eq!(s.today, Today::On { block: 1, day: 1, of: 4, pause: Some(198) });
        assert_eq!(spans(&s)[1..3], [(201, 204), (205, 207)]);
        assert_eq!(
            s.say(&["Memory", "FSDP"]),
            "Welcome back. 198 days went by and nothing has piled up: you are at “FSDP”, and the rest has moved \
             with you."
        );
        // Never begun, though its start date came and went.
        let never = at(30, &[], &[]);
        assert_eq!(never.today, Today::On { block: 0, day: 1, of: 3, pause: Some(30) });
        assert_eq!((spans(&never)[0], never.moved), ((31, 33), 30));
    }

    #[test]
    fn what_is_done_early_gives_slack() {
        // The first block done on its first day: the second may be begun on the day the plan has for it.
        let s = at(1, &[Some(0)], &[0]);
        assert_eq!(spans(&s), [(1, 1), (4, 7), (8, 10), (11, 14), (15, 21), (22, 25), (26, 30)]);
        assert_eq!(s.today, Today::Ahead { block: 1, days: 2 });
        assert!(s.say(&["Memory", "FSDP"]).contains("“FSDP” begins in 2 days"));
        // Late by two, then a block done in one day instead of four: back on time.
        let caught_up = at(7, &[Some(4), Some(6)], &[0, 1, 4, 5, 6]);
        assert_eq!(spans(&caught_up)[2..], AS_PLANNED[2..]);
        assert_eq!(caught_up.today, Today::On { block: 2, day: 1, of: 3, pause: None });
        // A block done before its turn leaves its days free.
        let swapped = at(5, &[None, Some(4)], &[0, 1, 2, 3, 4]);
        assert_eq!(spans(&swapped)[2..], AS_PLANNED[2..]);
    }

    #[test]
    fn before_and_after() {
        let before = at(-10, &[], &[-12]);
        assert_eq!((spans(&before), before.today), (AS_PLANNED.to_vec(), Today::Before { days: 10 }));
        let after = at(100, &PLAN.map(|d| Some(i64::from(d[1]))), &[]);
        assert_eq!((after.today, after.moved), (Today::Finished { on: START + 30 }, 1));
        assert_eq!(schedule(&[], &[], &BTreeSet::new(), 0, 0).today, Today::Empty);
        assert_eq!(key([4, 7]), "4-7");
    }

    #[test]
    fn days_off_in_the_plan_stay_days_off() {
        let s = schedule(&[[1, 5], [8, 12]], &[], &BTreeSet::new(), 100, 103);
        assert_eq!((s.blocks[0].from, s.blocks[0].to, s.blocks[1].from, s.blocks[1].to), (103, 107, 110, 114));
    }

    fn plans() -> impl Strategy<Value = Vec<[u32; 2]>> {
        prop_oneof![
            Just(PLAN.to_vec()),
            prop::collection::vec((1u32..60, 1u32..60).prop_map(|(a, b)| [a, b]), 0..8),
            prop::collection::vec(any::<[u32; 2]>(), 0..5),
        ]
    }

    proptest! {
        #[test]
        fn time_only_moves_things_later(
            blocks in plans(), done in prop::collection::vec(prop::option::of(-5i64..60), 0..8),
            studied in prop::collection::btree_set(-5i64..100, 0..40), today in -20i64..100, later in 0i64..100,
        ) {
            // What is done was done by today.
            let done: Vec<Option<Day>> = done.iter().map(|d| d.map(|d| d.min(today))).collect();
            let now = schedule(&blocks, &done, &studied, 0, today);
            let then = schedule(&blocks, &done, &studied, 0, today + later);
            for (a, b) in now.blocks.iter().zip(&then.blocks).filter(|(a, _)| !a.done) {
                prop_assert!(a.from <= b.from && a.to <= b.to, "{:?} {:?}", a, b);
            }
            prop_assert!(now.moved <= then.moved);
        }

        #[test]
        fn open_blocks_follow_one_another_from_today_on(
            blocks in plans(), done in prop::collection::vec(prop::option::of(-5i64..60), 0..8),
            studied in prop::collection::btree_set(-5i64..100, 0..40), today in -20i64..100,
        ) {
            let s = schedule(&blocks, &done, &studied, 0, today);
            prop_assert_eq!(s.blocks.len(), blocks.len());
            prop_assert!(s.blocks.iter().all(|b| b.from <= b.to && (!b.done || b.to <= today)));
            let open: Vec<&Scheduled> = s.blocks.iter().filter(|b| !b.done).collect();
            prop_assert!(open.iter().all(|b| b.to >= today));
            prop_assert!(open.windows(2).all(|w| w[0].to < w[1].from), "{:?}", open);
            if let Today::On { block, day, .. } = s.today {
                let b = s.blocks[block];
                prop_assert!(b.from <= today && today <= b.to && day >= 1 && !b.done);
            }
            prop_assert!(s.say(&[]).ends_with('.'));
        }

        #[test]
        fn nothing_panics(
            blocks in prop::collection::vec(any::<[u32; 2]>(), 0..6),
            done in prop::collection::vec(any::<Option<i64>>(), 0..6),
            studied in prop::collection::btree_set(any::<i64>(), 0..6), start: i64, today: i64,
        ) {
            let s = schedule(&blocks, &done, &studied, start, today);
            let _ = (s.say(&["a"]), s.say_moved());
        }
    }
}
