//! What came of a run: when each piece of work was done, and what follows from that.

use std::collections::VecDeque;

use super::schedule::{Kind, Op};
use super::simulate::Fleet;
use crate::critical;

/// A piece of work in time. Times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// The work.
    pub op: Op,
    /// When it begins.
    pub start: f64,
    /// When it ends.
    pub end: f64,
    /// The block that it began after: the last of those that it needed or that its device was busy with. None for one that
    /// could begin at once.
    pub after: Option<u32>,
}

/// All the work of a step on all devices.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// What it ran on.
    pub fleet: Fleet,
    /// Every piece of work: those of device 0 in their order, then those of device 1.
    pub blocks: Vec<Block>,
    /// The first block of each device, and the number of blocks.
    pub(super) first: Vec<u32>,
}

/// How much a device keeps from some moment on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flight {
    /// The moment, in milliseconds.
    pub from: f64,
    /// Chunks of a micro-batch of which it keeps activations.
    pub chunks: u32,
}

impl Timeline {
    /// A timeline of blocks that somebody else has placed, a list for each device in order of time.
    pub fn new(fleet: Fleet, devices: &[Vec<Block>]) -> Self {
        let mut first = vec![0];
        first.extend(devices.iter().scan(0, |count, blocks| {
            *count += blocks.len() as u32;
            Some(*count)
        }));
        Self { fleet, blocks: devices.concat(), first }
    }

    /// The indices of the blocks of `device`.
    pub fn range(&self, device: u32) -> std::ops::Range<usize> {
        let at = |i: u32| self.first.get(i as usize).or(self.first.last()).map_or(0, |first| *first as usize);
        at(device)..at(device.saturating_add(1))
    }

    /// The blocks of `device`, in order of time.
    pub fn of(&self, device: u32) -> &[Block] {
        self.blocks.get(self.range(device)).unwrap_or_default()
    }

    /// The device of the block with this index.
    pub fn device(&self, block: u32) -> u32 {
        self.first.partition_point(|first| *first <= block).saturating_sub(1) as u32
    }

    /// The blocks of `device` that are, at least in part, between two moments.
    pub fn between(&self, device: u32, from: f64, to: f64) -> std::ops::Range<usize> {
        let range = self.range(device);
        let blocks = self.of(device);
        let first = blocks.partition_point(|b| b.end <= from);
        let end = blocks.partition_point(|b| b.start < to).max(first);
        range.start + first..range.start + end
    }

    /// What `device` does at a moment, or next if it waits then; none when it is done.
    pub fn at(&self, device: u32, time: f64) -> Option<u32> {
        let next = self.of(device).partition_point(|b| b.end <= time);
        Some(self.range(device).start + next).filter(|at| self.range(device).contains(at)).map(|at| at as u32)
    }

    /// The next moment after `time`, or the last before it, at which a device begins or ends something.
    pub fn change(&self, time: f64, forward: bool) -> Option<f64> {
        let near = time.abs() * 1e-12;
        let of_device = |device| {
            let blocks = self.of(device);
            let moments = |i: usize| blocks.get(i).map(|b| [b.start, b.end]);
            let at = blocks.partition_point(|b| b.end <= time + near);
            let around = [at.checked_sub(1), Some(at), at.checked_add(1)].into_iter().flatten().filter_map(moments);
            let beyond = around.flatten().filter(|t| if forward { *t > time + near } else { *t < time - near });
            if forward { beyond.min_by(f64::total_cmp) } else { beyond.max_by(f64::total_cmp) }
        };
        let moments = (0..self.fleet.devices).filter_map(of_device);
        if forward { moments.min_by(f64::total_cmp) } else { moments.max_by(f64::total_cmp) }
    }

    /// The share of the devices that work in each of `parts` equal parts of the time up to `until`.
    pub fn working(&self, until: f64, parts: usize) -> Vec<f64> {
        let mut shares = vec![0.0; parts];
        let part = until / parts as f64;
        if part.is_nan() || part <= 0.0 {
            return shares;
        }
        let whole = part * f64::from(self.fleet.devices.max(1));
        for block in &self.blocks {
            let first = (block.start / part) as usize;
            for (i, share) in shares.iter_mut().enumerate().skip(first) {
                let (from, to) = (i as f64 * part, (i + 1) as f64 * part);
                *share += (block.end.min(to) - block.start.max(from)).max(0.0) / whole;
                if block.end <= to {
                    break;
                }
            }
        }
        shares
    }

    /// From the start of the first block to the end of the last.
    pub fn makespan(&self) -> f64 {
        (0..self.fleet.devices).filter_map(|d| self.of(d).last()).fold(0.0, |latest, block| block.end.max(latest))
    }

    /// The longest that a device has from its first block to the end of its last. Where no barrier stands between two steps,
    /// one step follows another after this time: every device repeats its work so much later.
    pub fn interval(&self) -> f64 {
        let span = |d| Some(self.of(d).last()?.end - self.of(d).first()?.start);
        (0..self.fleet.devices).filter_map(span).fold(0.0, f64::max)
    }

    /// How long `device` works.
    pub fn busy(&self, device: u32) -> f64 {
        self.of(device).iter().map(|b| b.end - b.start).sum()
    }

    /// The longest that a device works: no order of the same work takes less.
    pub fn ideal(&self) -> f64 {
        (0..self.fleet.devices).map(|d| self.busy(d)).fold(0.0, f64::max)
    }

    /// The share of all devices' time in `span` in which they do nothing.
    pub fn idle_share(&self, span: f64) -> f64 {
        let busy: f64 = (0..self.fleet.devices).map(|d| self.busy(d)).sum();
        let all = f64::from(self.fleet.devices) * span;
        if all > 0.0 { ((all - busy) / all).max(0.0) } else { 0.0 }
    }

    /// What `device` keeps in the course of time. A chunk of a micro-batch is kept from the start of its forward pass to the
    /// end of its last gradient.
    pub fn flight(&self, device: u32) -> Vec<Flight> {
        let blocks = self.of(device);
        let mut steps: Vec<Flight> = Vec::with_capacity(blocks.len());
        let mut chunks = 0_u32;
        for block in blocks {
            let (from, now) = match block.op.kind {
                Kind::Forward => (block.start, chunks + 1),
                Kind::Backward | Kind::Weight => (block.end, chunks.saturating_sub(1)),
                Kind::Input => continue,
            };
            chunks = now;
            match steps.last_mut() {
                Some(last) if last.from == from => last.chunks = now,
                _ => steps.push(Flight { from, chunks: now }),
            }
        }
        steps
    }

    /// The most micro-batches of which `device` keeps activations at a time; a fraction where it keeps some chunks only.
    pub fn peak(&self, device: u32) -> f64 {
        let mut chunks = 0_u32;
        let mut most = 0;
        for block in self.of(device) {
            match block.op.kind {
                Kind::Forward => chunks += 1,
                Kind::Backward | Kind::Weight => chunks = chunks.saturating_sub(1),
                Kind::Input => {}
            }
            most = most.max(chunks);
        }
        f64::from(most) / f64::from(self.fleet.chunks.max(1))
    }

    /// The peak of the worst device.
    pub fn worst_peak(&self) -> f64 {
        (0..self.fleet.devices).map(|d| self.peak(d)).fold(0.0, f64::max)
    }

    /// The most versions of its weights that `device` keeps at a time if each backward pass changes them and must use those of
    /// its forward pass (PipeDream, §3.3). The newest is always kept.
    pub fn versions(&self, device: u32) -> u32 {
        let mut newest = 0_u32;
        let mut used = VecDeque::new();
        let mut most = 1;
        for block in self.of(device) {
            match block.op.kind {
                Kind::Forward => used.push_back(newest),
                Kind::Backward | Kind::Weight => {
                    used.pop_front();
                    newest += 1;
                }
                Kind::Input => {}
            }
            // In order of age: one version more wherever two neighbours differ.
            let mut kept = 0;
            let mut last = None;
            for version in used.iter().chain([&newest]) {
                kept += u32::from(last != Some(*version));
                last = Some(*version);
            }
            most = most.max(kept);
        }
        most
    }

    /// The blocks that decide when the step ends, the first one first: each began when the one before it was done.
    pub fn critical_path(&self) -> Vec<u32> {
        critical::path(&self.blocks, |block| block.end, |block| block.after)
    }
}
