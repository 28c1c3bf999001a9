//! What a workgroup does together, on a CPU.

use crate::source::wgsl;
use crate::template::{Constant, expand, number};

/// The text of the functions by which `lanes` invocations add up and compare.
pub(crate) fn reduce(lanes: u64) -> Constant {
    ("REDUCE", expand(wgsl!("reduce"), &[number("LANES", lanes)]))
}

/// What they come to: each invocation folds every so many-th value into `start`, and halves of them fold into the others.
pub(crate) fn fold<T: Copy>(lanes: u64, values: impl Iterator<Item = T>, start: T, with: fn(T, T) -> T) -> T {
    let mut own = vec![start; lanes as usize];
    for (lane, value) in (0..own.len()).cycle().zip(values) {
        own[lane] = with(own[lane], value);
    }
    while own.len() > 1 {
        let upper = own.split_off(own.len() / 2);
        own.iter_mut().zip(upper).for_each(|(a, b)| *a = with(*a, b));
    }
    own.first().copied().unwrap_or(start)
}
