//! What the worker that searches says to the page.

use super::cluster::Degrees;
use super::found::{Barrier, Found, Run};
use super::job::Choice;
use super::search::{KNOBS, Layout, POLICIES, Progress};
use super::words::Reason;
use crate::memory::Verdict;
use crate::wire::{Wire, flag};

/// What the worker says, each time with the number under which it was asked.
#[derive(Debug, Clone)]
pub enum Said {
    /// It can be asked.
    Ready,
    /// How far the search is.
    Progress(u32, Progress),
    /// What it came to; the job is not said again.
    Found(u32, Box<Found>),
}

impl Said {
    /// As a message.
    pub fn wire(&self) -> Wire {
        match self {
            Self::Ready => Wire::new(&["ready"], &[]),
            Self::Progress(number, Progress { done, all, layouts }) => {
                Wire::new(&["progress"], &[f64::from(*number), *done as f64, *all as f64, *layouts as f64])
            }
            Self::Found(number, found) => found.wire(*number),
        }
    }

    /// Reads a message; none if it is of another version.
    pub fn read(wire: &Wire) -> Option<Self> {
        let number = wire.number(0) as u32;
        let count = |i| wire.number(i) as usize;
        Some(match wire.word(0) {
            "ready" => Self::Ready,
            "progress" => Self::Progress(number, Progress { done: count(1), all: count(2), layouts: count(3) }),
            "found" => Self::Found(number, Box::new(Found::read(wire)?)),
            _ => return None,
        })
    }
}

/// Numbers of a [`Found`] before those of its layouts.
const HEAD: usize = 8;
/// Numbers of a layout.
const LAYOUT: usize = 13;
/// Numbers of a run of cells.
const RUN: usize = 3;
/// Words before those of the reasons.
const WORDS: usize = 2;
/// Words of a reason.
const REASON: usize = 3;
/// Words of a barrier.
const BARRIER: usize = 2;

impl Found {
    fn wire(&self, number: u32) -> Wire {
        let mut words = vec!["found", self.finding.as_str()];
        words.extend(self.reasons.iter().flat_map(|r| [r.name, r.value.as_str(), r.why.as_str()]));
        words.extend(self.barriers.iter().flat_map(|b| [b.rule.as_str(), b.example.as_str()]));
        let counts = [
            self.valid,
            self.all,
            usize::from(self.best.is_some()),
            self.front.len(),
            self.cloud.len(),
            self.reasons.len(),
            self.barriers.len(),
        ];
        let mut numbers = vec![f64::from(number)];
        numbers.extend(counts.map(|count| count as f64));
        numbers.extend(self.best.iter().chain(&self.front).flat_map(layout));
        numbers.extend(self.cloud.iter().flat_map(|run| [run.up as f64, run.across as f64, run.cells as f64]));
        numbers.extend(self.barriers.iter().map(|barrier| barrier.count as f64));
        Wire::new(&words, &numbers)
    }

    fn read(wire: &Wire) -> Option<Self> {
        let count = |i| wire.number(i) as usize;
        let (best, front, cloud, reasons, barriers) = (count(3), count(4), count(5), count(6), count(7));
        let numbers = wire.numbers.get(HEAD..)?;
        let (layouts, numbers) = numbers.split_at_checked(best.saturating_add(front).saturating_mul(LAYOUT))?;
        let (runs, counts) = numbers.split_at_checked(cloud.saturating_mul(RUN))?;
        let words = wire.words.get(WORDS..)?;
        let (of_reasons, of_barriers) = words.split_at_checked(reasons.saturating_mul(REASON))?;
        let mut layouts = layouts.chunks_exact(LAYOUT).map(read_layout).collect::<Option<Vec<_>>>()?.into_iter();
        let best = if best > 0 { layouts.next() } else { None };
        let reason = |words: &[String]| {
            let [name, value, why] = words else { return None };
            let (name, _) = *KNOBS.iter().find(|(knob, _)| knob == name)?;
            Some(Reason { name, value: value.clone(), why: why.clone() })
        };
        let barrier = |(words, count): (&[String], &f64)| {
            let [rule, example] = words else { return None };
            Some(Barrier { rule: rule.clone(), example: example.clone(), count: *count as u64 })
        };
        let run = |numbers: &[f64]| {
            let &[up, across, cells] = numbers else { return None };
            Some(Run { up: up as usize, across: across as usize, cells: cells as usize })
        };
        let found = Self {
            job: None,
            valid: count(1),
            all: count(2),
            best,
            front: layouts.collect(),
            cloud: runs.chunks_exact(RUN).map(run).collect::<Option<_>>()?,
            reasons: of_reasons.chunks_exact(REASON).map(reason).collect::<Option<_>>()?,
            barriers: of_barriers.chunks_exact(BARRIER).zip(counts).map(barrier).collect::<Option<_>>()?,
            finding: wire.word(1).to_owned(),
        };
        (found.barriers.len() == barriers).then_some(found)
    }
}

fn layout(layout: &Layout) -> [f64; LAYOUT] {
    let Layout { choice, step, memory, verdict } = *layout;
    let Choice { degrees: Degrees { tp, cp, ep, dp, pp }, sp, chunks, mbs, zero, recompute } = choice;
    let policy = POLICIES.iter().position(|policy| *policy == recompute).unwrap_or(0);
    let [tp, cp, ep, dp, pp, chunks, mbs] = [tp, cp, ep, dp, pp, chunks, mbs].map(|n| n as f64);
    [tp, cp, ep, dp, pp, flag(sp), chunks, mbs, f64::from(zero), policy as f64, step, memory, f64::from(verdict as u8)]
}

fn read_layout(numbers: &[f64]) -> Option<Layout> {
    let &[tp, cp, ep, dp, pp, sp, chunks, mbs, zero, policy, step, memory, verdict] = numbers else { return None };
    let [tp, cp, ep, dp, pp, chunks, mbs] = [tp, cp, ep, dp, pp, chunks, mbs].map(|n| n as u64);
    let choice = Choice {
        degrees: Degrees { tp, cp, ep, dp, pp },
        sp: sp == 1.0,
        chunks,
        mbs,
        zero: zero as u8,
        recompute: *POLICIES.get(policy as usize)?,
    };
    Some(Layout { choice, step, memory, verdict: Verdict::numbered(verdict)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::Params;
    use crate::planner::found::CELLS;
    use crate::query::Query;

    fn found(query: &str) -> Found {
        let search = Params::read(&Query::parse(query)).0.search().expect("possible").run();
        let found = Found::of(&search, false);
        assert_eq!(found.all, search.layouts().len());
        found
    }

    #[test]
    fn what_was_found_is_read_as_it_was_meant() {
        // The default, nothing pinned, nothing that fits, nothing that is possible.
        for query in ["", "tp=0&cp=0&mbs=0&zero=any", "tp=8&pp=1", "tp=7"] {
            let found = found(query);
            let wire = Said::Found(7, Box::new(found.clone())).wire();
            let Some(Said::Found(7, read)) = Said::read(&wire) else { panic!("{query}") };
            assert!(read.job.is_none());
            assert_eq!(format!("{:?}", Found { job: None, ..found.clone() }), format!("{read:?}"));
            // A word or a number less is no message.
            for cut in [
                Wire { words: wire.words[..wire.words.len() - 1].to_vec(), ..wire.clone() },
                Wire { numbers: wire.numbers[..wire.numbers.len() - 1].to_vec(), ..wire.clone() },
            ] {
                assert!(Said::read(&cut).is_none(), "{query}");
            }
        }
        assert!(Said::read(&Wire::new(&["found", ""], &[f64::INFINITY; 9])).is_none());
        assert!(Said::read(&Wire::default()).is_none());
        let progress = Progress { done: 3, all: 9, layouts: 2000 };
        let Some(Said::Progress(1, read)) = Said::read(&Said::Progress(1, progress).wire()) else { panic!("read") };
        assert_eq!(read, progress);
        assert!(matches!(Said::read(&Said::Ready.wire()), Some(Said::Ready)));
    }

    #[test]
    fn the_cloud_has_every_layout_that_is_on_the_picture() {
        let found = found("tp=0&cp=1&mbs=0&zero=any");
        let (wide, high) = CELLS;
        assert!(found.cloud.is_sorted_by(|a, b| (a.up, a.across + a.cells) < (b.up, b.across)));
        assert!(found.cloud.iter().all(|run| run.cells > 0 && run.across + run.cells <= wide && run.up < high));
        let cells: usize = found.cloud.iter().map(|run| run.cells).sum();
        assert!(cells > 1000 && cells < found.all, "{cells}");
        // The fastest is at the bottom.
        assert_eq!(found.cloud.first().map(|run| run.up), Some(0));
    }
}
