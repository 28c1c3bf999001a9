//! Who reads which sample: PyTorch's `DistributedSampler` (`torch/utils/data/distributed.py`, version 2.7).
//!
//! The indices of the data set are shuffled by `seed + epoch`, made as many as the ranks divide, and dealt out in turn: rank r
//! takes places r, r + n, r + 2n, … The order of the shuffle is not PyTorch's, whose generator is not part of this crate: a
//! Feistel network over the indices stands for `torch.randperm`, which needs no list of them all.

use crate::mix::mix;
use crate::options;

/// What is done with samples that do not divide evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// The first indices are given out a second time: `DistributedSampler`'s default.
    #[default]
    Pad,
    /// The last ones are left out: `drop_last=True`.
    Drop,
    /// Each rank takes what there is, one of them more than another: a split by hand.
    Uneven,
}

options!(Split {
    Pad: "pad", "padded";
    Drop: "drop", "drop_last=True";
    Uneven: "uneven", "by hand, uneven";
});

/// A data set dealt out to ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampler {
    /// Samples, at least 1.
    pub dataset: u64,
    /// Ranks, at least 1.
    pub ranks: u64,
    /// What becomes of a remainder.
    pub split: Split,
    /// What the shuffle is by; none for no shuffle.
    pub shuffle: Option<u64>,
}

impl Sampler {
    /// How many samples a rank reads in an epoch. Only [`Split::Uneven`] makes a difference between ranks.
    pub fn samples(&self, rank: u64) -> u64 {
        let (n, ranks) = (self.dataset, self.ranks.max(1));
        match self.split {
            Split::Pad => n.div_ceil(ranks),
            Split::Drop => n / ranks,
            Split::Uneven => n.saturating_sub(rank).div_ceil(ranks),
        }
    }

    /// Indices that are given out a second time.
    pub fn repeated(&self) -> u64 {
        if self.split == Split::Pad { (self.samples(0) * self.ranks.max(1)).saturating_sub(self.dataset) } else { 0 }
    }

    /// Indices that nobody reads.
    pub fn dropped(&self) -> u64 {
        if self.split == Split::Drop { self.dataset - self.samples(0) * self.ranks.max(1) } else { 0 }
    }

    /// The sample that `rank` reads as its `k`-th, from 0, and whether it was given out before; none if it has no such.
    pub fn at(&self, rank: u64, k: u64) -> Option<(u64, bool)> {
        if rank >= self.ranks || k >= self.samples(rank) {
            return None;
        }
        let place = k.checked_mul(self.ranks)?.checked_add(rank)?;
        Some((self.shuffled(place % self.dataset.max(1)), place >= self.dataset))
    }

    /// The index at a place of the shuffled list: each index at one place.
    fn shuffled(&self, place: u64) -> u64 {
        let Some(seed) = self.shuffle else { return place };
        // Half of the bits of the largest index, rounded up.
        let bits = u64::BITS - self.dataset.saturating_sub(1).leading_zeros();
        let half = bits.div_ceil(2).max(1);
        let mask = (1_u64 << half) - 1;
        let mut at = place;
        // What falls beyond the indices is shuffled on: on average less than three times more.
        loop {
            let (mut left, mut right) = (at >> half, at & mask);
            for round in 0..4_u64 {
                let key = mix(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(round + 1));
                (left, right) = (right, left ^ (mix(right ^ key) & mask));
            }
            at = left << half | right;
            if at < self.dataset {
                return at;
            }
        }
    }
}
