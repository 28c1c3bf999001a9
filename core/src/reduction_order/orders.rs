//! Orders of addition in real systems, each over any [`Numbers`].
//!
//! Sources: NumPy 2.4, `numpy/_core/src/umath/loops_utils.h.src`, `pairwise_sum`; PyTorch 2.5,
//! `aten/src/ATen/native/cpu/SumKernel.cpp`, `cascade_sum` and `multi_row_sum`; the ring of Patarasuk and Yuan 2009, as
//! `ring-all-reduce` steps it; a thread block's tree as in Harris, "Optimizing Parallel Reduction in CUDA" (2007), which is
//! also what `shaders/wgsl/reduce.wgsl` does; He et al., "Defeating Nondeterminism in LLM Inference" (Thinking Machines, 2025), for
//! how a batch's size decides the split.

use super::numbers::Numbers;
use crate::declare::Origin;

/// Where the orders come from.
pub const ORIGIN: Origin = Origin::Of(
    "NumPy 2.4, numpy/_core/src/umath/loops_utils.h.src, pairwise_sum; PyTorch 2.5, aten/src/ATen/native/cpu/SumKernel.cpp, cascade_sum and multi_row_sum; Patarasuk and Yuan 2009 (ring), JPDC 69(2); Harris 2007, “Optimizing Parallel Reduction in CUDA”; He et al. 2025, “Defeating Nondeterminism in LLM Inference”; executed in fp32",
);

/// Left to right, from the first value on; +0 for none.
pub fn sequential<N: Numbers>(numbers: N, values: &[N::Number]) -> N::Number {
    match values.split_first() {
        Some((first, rest)) => rest.iter().fold(*first, |sum, v| numbers.add(sum, *v)),
        None => numbers.zero(false),
    }
}

/// Left to right, from +0.
pub fn from_zero<N: Numbers>(numbers: N, values: &[N::Number]) -> N::Number {
    values.iter().fold(numbers.zero(false), |sum, v| numbers.add(sum, *v))
}

/// `np.sum`: 0 + the pairwise sum.
pub fn numpy<N: Numbers>(numbers: N, values: &[N::Number]) -> N::Number {
    numbers.add(numbers.zero(false), pairwise(numbers, values))
}

/// Values that NumPy adds without halving.
const BLOCK: usize = 128;
/// Accumulators of a block of NumPy's, and lanes of a vector of PyTorch's.
pub const LANES: usize = 8;

fn pairwise<N: Numbers>(numbers: N, values: &[N::Number]) -> N::Number {
    let n = values.len();
    if n > BLOCK {
        let half = n / 2 - n / 2 % LANES;
        let (left, right) = values.split_at(half);
        return numbers.add(pairwise(numbers, left), pairwise(numbers, right));
    }
    let Some((first, rest)) = values.split_first_chunk::<LANES>() else {
        return values.iter().fold(numbers.zero(true), |sum, v| numbers.add(sum, *v));
    };
    let mut sums = *first;
    let groups = rest.chunks_exact(LANES);
    let left = groups.remainder();
    for group in groups {
        for (sum, v) in sums.iter_mut().zip(group) {
            *sum = numbers.add(*sum, *v);
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    let pair = |x, y| numbers.add(x, y);
    let whole = pair(pair(pair(a, b), pair(c, d)), pair(pair(e, f), pair(g, h)));
    left.iter().fold(whole, |sum, v| numbers.add(sum, *v))
}

/// A sum over rows of eight, as `np.sum(axis=0)` makes it, and `np.sum` of the eight: what a sum over the other axis of a matrix
/// does to the same numbers in memory.
pub fn columns<N: Numbers>(numbers: N, values: &[N::Number]) -> N::Number {
    let mut sums: Vec<N::Number> = values.iter().take(LANES).copied().collect();
    for row in values.chunks(LANES).skip(1) {
        for (sum, v) in sums.iter_mut().zip(row) {
            *sum = numbers.add(*sum, *v);
        }
    }
    numpy(numbers, &sums)
}

/// `torch.sum` on the CPU of values that fill vectors of eight lanes as they are.
pub fn torch<N: Numbers>(numbers: N, values: &[N::Number]) -> N::Number {
    let vectors: Vec<[N::Number; LANES]> = values.as_chunks().0.to_vec();
    torch_of(numbers, &vectors, values, values.len() % LANES)
}

/// `torch.sum` on the CPU of bf16 or fp16: a vector of sixteen is added to itself in halves when it is loaded.
pub fn torch_narrow<N: Numbers>(numbers: N, values: &[N::Number]) -> N::Number {
    let (sixteens, left) = values.as_chunks::<{ 2 * LANES }>();
    let vectors: Vec<[N::Number; LANES]> =
        sixteens.iter().map(|v| std::array::from_fn(|lane| numbers.add(v[lane], v[lane + LANES]))).collect();
    torch_of(numbers, &vectors, values, left.len())
}

/// The vectors' lanes summed row by row; then the `left` last values, then the lanes, one after another.
fn torch_of<N: Numbers>(numbers: N, vectors: &[[N::Number; LANES]], values: &[N::Number], left: usize) -> N::Number {
    if vectors.is_empty() {
        return row_sum(numbers, values);
    }
    let tail = values.iter().skip(values.len() - left.min(values.len()));
    let lanes = (0..LANES).map(|lane| row_sum(numbers, &vectors.iter().map(|v| v[lane]).collect::<Vec<_>>()));
    let start = tail.fold(numbers.zero(false), |sum, v| numbers.add(sum, *v));
    lanes.fold(start, |sum, lane| numbers.add(sum, lane))
}

/// Levels of PyTorch's cascade, and rows that it sums side by side.
const LEVELS: usize = 4;
const ROWS: usize = 4;

fn row_sum<N: Numbers>(numbers: N, items: &[N::Number]) -> N::Number {
    let quarters = items.chunks_exact(ROWS);
    let left = quarters.remainder();
    let each = quarters.len();
    let mut rows: [N::Number; ROWS] = std::array::from_fn(|k| {
        let row: Vec<N::Number> = items.iter().skip(k).step_by(ROWS).take(each).copied().collect();
        cascade(numbers, &row)
    });
    for v in left {
        rows[0] = numbers.add(rows[0], *v);
    }
    let [first, rest @ ..] = rows;
    rest.iter().fold(first, |sum, row| numbers.add(sum, *row))
}

/// One level takes so many items and is then added to the next.
fn cascade<N: Numbers>(numbers: N, items: &[N::Number]) -> N::Number {
    let ceil_log = items.len().max(1).next_power_of_two().ilog2();
    let power = (ceil_log / LEVELS as u32).max(4);
    let mut levels = [numbers.zero(false); LEVELS];
    for (i, item) in items.iter().enumerate() {
        levels[0] = numbers.add(levels[0], *item);
        let count = i + 1;
        for j in 1..LEVELS {
            // Level j passes on once all the bits of the count below it are zero.
            if count & ((1 << (power as usize * j)) - 1) != 0 {
                break;
            }
            levels[j] = numbers.add(levels[j], levels[j - 1]);
            levels[j - 1] = numbers.zero(false);
        }
    }
    let [first, rest @ ..] = levels;
    rest.iter().fold(first, |sum, level| numbers.add(sum, *level))
}

/// Invocations of a block on a GPU.
pub const BLOCK_LANES: usize = 256;

/// One block on a GPU: each of 256 lanes adds every 256th value to zero, and then half of the lanes add the other half, until one is left.
pub fn block<N: Numbers>(numbers: N, values: &[N::Number]) -> N::Number {
    let mut lanes: Vec<N::Number> = (0..BLOCK_LANES)
        .map(|lane| {
            values.iter().skip(lane).step_by(BLOCK_LANES).fold(numbers.zero(false), |sum, v| numbers.add(sum, *v))
        })
        .collect();
    while lanes.len() > 1 {
        let half = lanes.len() / 2;
        lanes = (0..half).map(|i| numbers.add(lanes[i], lanes[i + half])).collect();
    }
    lanes.first().copied().unwrap_or(numbers.zero(false))
}

/// Cut into `splits` runs of ⌈n / splits⌉, each added left to right, and the partial sums left to right: split-K.
pub fn split<N: Numbers>(numbers: N, values: &[N::Number], splits: usize) -> N::Number {
    sequential(numbers, &partial(numbers, values, splits))
}

/// The partial sums of `splits` runs, each added left to right. No more than there are values.
pub fn partial<N: Numbers>(numbers: N, values: &[N::Number], splits: usize) -> Vec<N::Number> {
    let run = values.len().div_ceil(splits.max(1)).max(1);
    values.chunks(run).map(|run| sequential(numbers, run)).collect()
}

/// Chunk `chunk` of a ring all-reduce over ranks that hold these: it starts on the rank after `chunk` and ends on rank `chunk`.
pub fn ring<N: Numbers>(numbers: N, values: &[N::Number], chunk: usize) -> N::Number {
    let ranks = values.len().max(1);
    let order: Vec<N::Number> = (1..=values.len()).map(|step| values[(chunk + step) % ranks]).collect();
    sequential(numbers, &order)
}

/// A ring all-reduce: rank r holds the r-th of `ranks` equal slices, and the result has a value for each place of a slice, which is cut
/// into chunks of ⌈m / ranks⌉. Values that do not fill a slice are left out.
pub fn ring_all_reduce<N: Numbers>(numbers: N, values: &[N::Number], ranks: usize) -> Vec<N::Number> {
    let (slices, size) = slices(values, ranks);
    let chunk = size.div_ceil(ranks.max(1)).max(1);
    (0..size).map(|e| ring(numbers, &slices.iter().map(|s| s[e]).collect::<Vec<_>>(), e / chunk)).collect()
}

/// The same sums from rank 0 upward.
pub fn rank_order<N: Numbers>(numbers: N, values: &[N::Number], ranks: usize) -> Vec<N::Number> {
    let (slices, size) = slices(values, ranks);
    (0..size).map(|e| sequential(numbers, &slices.iter().map(|s| s[e]).collect::<Vec<_>>())).collect()
}

fn slices<T>(values: &[T], ranks: usize) -> (Vec<&[T]>, usize) {
    let size = values.len() / ranks.max(1);
    (values.chunks_exact(size.max(1)).take(if size == 0 { 0 } else { ranks }).collect(), size)
}
