//! What is drawn on a chart by hand.

/// A piece of a stroke by hand, in the numbers of both axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Where the pointer was before; where it is, if the stroke begins here.
    pub from: (f64, f64),
    /// Where the pointer is.
    pub to: (f64, f64),
}

impl Piece {
    /// How high it is at a point, if it passes it.
    pub fn height(self, at: f64) -> Option<f64> {
        let Self { from, to } = self;
        let (left, right) = (from.0.min(to.0), from.0.max(to.0));
        if at == to.0.round() {
            return Some(to.1);
        }
        (left..=right).contains(&at).then(|| from.1 + (to.1 - from.1) * (at - from.0) / (to.0 - from.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stroke_draws_every_point_that_it_passes() {
        let piece = Piece { from: (0.2, 10.0), to: (2.2, 30.0) };
        let drawn: Vec<Option<f64>> = (0..4).map(|i| piece.height(f64::from(i))).collect();
        assert_eq!(drawn, [None, Some(18.0), Some(30.0), None]);
        let press = Piece { from: (0.7, 5.0), to: (0.7, 5.0) };
        assert_eq!([0.0, 1.0].map(|at| press.height(at)), [None, Some(5.0)]);
    }
}
