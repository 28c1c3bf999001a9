//! Parts of a drawing over time: the part that is seen, where times lie in it, and a strip of all of it.

use std::fmt::Write as _;

/// The part of the time that is seen, in fractions of all of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// The closest look.
pub const CLOSEST: f64 = 1.0 / 512.0;

impl Window {
    /// All of it.
    pub const ALL: Self = Self { from: 0.0, to: 1.0 };

    /// How much of it is seen.
    pub fn span(self) -> f64 {
        self.to - self.from
    }

    /// A window of `span` that begins near `from`.
    pub fn at(from: f64, span: f64) -> Self {
        let span = span.clamp(CLOSEST, 1.0);
        let from = from.clamp(0.0, 1.0 - span);
        Self { from, to: from + span }
    }

    /// Looks `factor` times as closely, with what is at `centre` staying where it is.
    pub fn zoom(self, factor: f64, centre: f64) -> Self {
        let span = (self.span() / factor).clamp(CLOSEST, 1.0);
        Self::at(centre - (centre - self.from) * span / self.span(), span)
    }

    /// Moves as little as needed for `from` to `to` to be seen.
    pub fn showing(self, from: f64, to: f64) -> Self {
        if from < self.from {
            Self::at(from, self.span())
        } else if to > self.to {
            Self::at(to - self.span(), self.span())
        } else {
            self
        }
    }
}

/// From times to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// The time at the left edge.
    pub from: f64,
    /// The time at the right edge.
    pub to: f64,
    /// Pixels between the two.
    pub width: f64,
}

impl Axis {
    /// Pixels in a unit of time; finite, for a span of none too.
    pub fn scale(self) -> f64 {
        self.width / (self.to - self.from).max(1e-300)
    }

    /// Where a time lies.
    pub fn x(self, time: f64) -> f64 {
        (time - self.from) * self.scale()
    }

    /// The time at a place.
    pub fn time(self, x: f64) -> f64 {
        self.from + x / self.width.max(1.0) * (self.to - self.from)
    }
}

/// How a strip is divided: a path in a square of 1 by 1 that is as high as each of the `shares`.
pub fn strip(shares: &[f64]) -> String {
    let mut path = "M0 1".to_owned();
    for (i, share) in shares.iter().enumerate() {
        let (left, right) = (i as f64 / shares.len() as f64, (i + 1) as f64 / shares.len() as f64);
        // Writing to a string does not fail.
        let _ = write!(path, "L{left:.4} {top:.3}L{right:.4} {top:.3}", top = 1.0 - share);
    }
    path + "L1 1Z"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_inside_and_keeps_its_centre() {
        let half = Window::ALL.zoom(2.0, 0.25);
        assert_eq!(half, Window { from: 0.125, to: 0.625 });
        assert_eq!(half.zoom(0.01, 0.5), Window::ALL);
        assert_eq!(Window::ALL.zoom(1e9, 0.0).span(), CLOSEST);
        assert_eq!(half.showing(0.7, 0.75), Window { from: 0.25, to: 0.75 });
        assert_eq!(half.showing(0.2, 0.3), half);
    }
}
