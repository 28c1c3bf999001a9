//! Stacked columns side by side, one of them marked.

use std::fmt::Write as _;

/// Most columns that are drawn.
const MOST: usize = 128;
/// The part of a column that is left free beside it.
const GAP: f64 = 0.16;

/// Columns of `N` parts each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Columns<const N: usize> {
    /// The number of each column, from 0, and its parts, the lowest first.
    drawn: Vec<(usize, [f64; N])>,
    /// How many there are.
    pub all: usize,
    /// The marked one, from 0.
    pub marked: usize,
}

impl<const N: usize> Columns<N> {
    /// `all` columns, the one `marked` marked. Of more than can be told apart an even choice is drawn, with the first, the
    /// last and the marked one.
    pub fn new(all: usize, marked: usize, parts: impl Fn(usize) -> [f64; N]) -> Self {
        let step = all.div_ceil(MOST).max(1);
        let chosen = |i: &usize| i.is_multiple_of(step) || *i + 1 == all || *i == marked;
        Self { drawn: (0..all).filter(chosen).map(|i| (i, parts(i))).collect(), all, marked }
    }

    /// Where the marked column is among those drawn.
    pub fn place(&self) -> usize {
        self.drawn.iter().position(|(i, _)| *i == self.marked).unwrap_or_default()
    }

    /// How many are drawn.
    pub fn drawn(&self) -> usize {
        self.drawn.len()
    }

    /// The rectangles of one part, each on what is below it, in a box 100 high and a column wide for each.
    pub fn path(&self, part: usize) -> String {
        let highest = self.drawn.iter().map(|(_, parts)| parts.iter().sum::<f64>()).fold(0.0, f64::max);
        let scale = if highest > 0.0 { 100.0 / highest } else { 0.0 };
        let mut path = String::new();
        for (x, (_, parts)) in self.drawn.iter().enumerate() {
            let below: f64 = parts.iter().take(part).sum();
            let height = parts.get(part).copied().unwrap_or_default() * scale;
            if height > 0.0 {
                let (left, top, wide) = (x as f64 + GAP / 2.0, 100.0 - below * scale - height, 1.0 - GAP);
                let _ = write!(path, "M{left:.3} {top:.3}h{wide:.3}v{height:.3}h-{wide:.3}z");
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_columns_are_thinned_and_the_marked_one_stays() {
        let columns = Columns::new(1000, 501, |i| [i as f64, 1.0]);
        assert!(columns.drawn.len() <= MOST + 2);
        assert_eq!(columns.drawn.first().map(|c| c.0), Some(0));
        assert_eq!(columns.drawn.last().map(|c| c.0), Some(999));
        assert_eq!(columns.drawn[columns.place()].0, 501);
        let few = Columns::new(2, 1, |i| [i as f64, 1.0]);
        assert_eq!(few.path(0), "M1.080 50.000h0.840v50.000h-0.840z");
        assert_eq!(few.path(1), "M0.080 50.000h0.840v50.000h-0.840zM1.080 0.000h0.840v50.000h-0.840z");
    }
}
