//! Whether something fits a GPU: the one answer that every figure, search and exercise gives.

use super::overhead::Range;
use crate::units::Bytes;

/// Whether tensors fit beside what nobody can compute ([`super::overhead`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verdict {
    /// Not even beside the least that was ever measured.
    #[default]
    DoesNotFit,
    /// Beside the least, and not beside the most: only a run can tell.
    Tight,
    /// Beside the most that was measured.
    Fits,
}

impl Verdict {
    /// All of them, the worst first.
    pub const ALL: [Verdict; 3] = [Verdict::DoesNotFit, Verdict::Tight, Verdict::Fits];

    /// The verdict on `tensors` with `beside` on a GPU of `capacity` bytes.
    pub fn of(tensors: Bytes, beside: Range, capacity: Bytes) -> Self {
        let room = (capacity - tensors).0;
        if room >= beside.high.0 {
            Verdict::Fits
        } else if room >= beside.low.0 {
            Verdict::Tight
        } else {
            Verdict::DoesNotFit
        }
    }

    /// Whether it is not ruled out.
    pub fn possible(self) -> bool {
        self != Verdict::DoesNotFit
    }

    /// What a person reads in a table.
    pub const fn label(self) -> &'static str {
        match self {
            Verdict::DoesNotFit => "does not fit",
            Verdict::Tight => "tight",
            Verdict::Fits => "fits",
        }
    }

    /// The name of its class in a style sheet.
    pub const fn class(self) -> &'static str {
        match self {
            Verdict::DoesNotFit => "over",
            Verdict::Tight => "tight",
            Verdict::Fits => "fits",
        }
    }

    /// The verdict with this number, counted from 0 in the order of [`Verdict::ALL`]; none for any other.
    pub fn numbered(number: f64) -> Option<Self> {
        Self::ALL.into_iter().find(|v| *v as u8 as f64 == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_can_compute_decides_between_the_tensors_and_the_gpu() {
        let beside = Range { low: Bytes(2e9), high: Bytes(6e9) };
        let of = |tensors: f64| Verdict::of(Bytes(tensors), beside, Bytes(80e9)).label();
        assert_eq!(
            [74e9, 75e9, 78e9, 78.5e9, 81e9].map(of),
            ["fits", "tight", "tight", "does not fit", "does not fit"]
        );
        assert!(Verdict::ALL.iter().all(|v| Verdict::numbered(*v as u8 as f64) == Some(*v)));
        assert_eq!(Verdict::numbered(3.0), None);
    }
}
