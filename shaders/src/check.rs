//! Is it right? An output beside what it must come to.

use ringside_core::kernels::{Work as _, attention, matmul, rows, stream, tuner};

use crate::Kernel;
use crate::problem::Problem;

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Checked {
    /// The largest error.
    pub max_error: f64,
    /// The error that rounding explains where an error comes closest to it, or goes furthest beyond.
    pub bound: f64,
    /// The largest error over its bound; at most 1 if all is right, and infinite where a value is not a number.
    pub worst: f64,
    /// Values that were looked at.
    pub checked: u64,
    /// Values that there are.
    pub of: u64,
}

impl Checked {
    /// Whether every value that was looked at is within its bound, and any was.
    pub fn verified(&self) -> bool {
        self.checked > 0 && self.worst <= 1.0
    }
}

/// Compares `output` with what `kernel` must come to: all of it if that takes at most `budget` multiplications, and else as
/// many rows as it pays for, at least one: the first, the last, and others spread between.
pub fn check(kernel: &Kernel, problem: &Problem, inputs: &[Vec<f32>], output: &[f32], budget: u64) -> Checked {
    let (factor, floor) = bound(kernel, problem);
    let (_, of) = problem.output();
    let rows = problem.rows();
    let mut result = Checked { of, ..Checked::default() };
    let width = of.checked_div(rows).unwrap_or(0);
    if output.len() as u64 != of {
        return Checked { worst: f64::INFINITY, checked: of, ..result };
    }
    let many = (budget / problem.row_cost().max(1)).clamp(1, rows.max(1));
    for i in 0..many {
        let row = if many > 1 { i * rows.saturating_sub(1) / (many - 1) } else { rows.saturating_sub(1) };
        let reference = problem.reference(inputs, row);
        let got = output.iter().skip((row * width) as usize).take(width as usize);
        for ((got, value), weight) in got.zip(&reference.values).zip(&reference.weights) {
            let error = (f64::from(*got) - value).abs();
            let bound = factor * weight + floor;
            let share = if error.is_nan() { f64::INFINITY } else { error / bound };
            result.max_error = result.max_error.max(error);
            if share > result.worst || result.bound == 0.0 {
                result.worst = share;
                result.bound = bound;
            }
            result.checked += 1;
        }
    }
    result
}

/// What a value may be off: over its weight in [`crate::problem::Reference`], and beside that.
fn bound(kernel: &Kernel, problem: &Problem) -> (f64, f64) {
    let product = |kernel: &matmul::Kernel, sizes| (kernel.error_bound(sizes), kernel.error_floor(sizes));
    let (factor, floor) = match problem {
        Problem::Matmul(sizes) => matmul::Sizes::kernel(kernel.id).map_or((0.0, 0.0), |k| product(k, *sizes)),
        Problem::Tuned(sizes, config) => product(&tuner::kernel(*config), *sizes),
        Problem::Attention(_) => (attention::Sizes::kernel(kernel.id).map_or(0.0, |k| k.tolerance()), 0.0),
        Problem::Decode(_) => (attention::TOLERANCE, 0.0),
        Problem::Rows(..) => (rows::TOLERANCE, 0.0),
        Problem::Copy(_) | Problem::Gather(_) => (0.0, 0.0),
        Problem::Sum(sizes) => (sizes.error_bound(kernel.id), 0.0),
        Problem::Intensity(_) => (stream::INTENSITY_BOUND, 0.0),
    };
    (factor, floor + f64::from(f32::MIN_POSITIVE))
}
