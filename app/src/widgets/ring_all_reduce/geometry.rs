//! Where things lie in the circle: a drawing of 1000 by 1000, rank 0 on top, the others clockwise.

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

/// Where a rank's chunks begin and end, from the middle.
const INNER: f64 = 232.0;
const OUTER: f64 = 430.0;
/// Where its links end.
const DOCK: f64 = 214.0;
/// Where its label is.
const LABEL: f64 = 466.0;
/// Where its node is drawn.
const NODE: f64 = 440.0;
/// Half of the widest field of chunks, in radians: two ranks need no half circle each.
const WIDEST: f64 = 0.34;
/// How far a link keeps to the right of the straight line, so that both directions are seen.
const ASIDE: f64 = 5.0;

/// The circle of `ranks`, each with a spoke of `chunks` cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Circle {
    pub(super) ranks: usize,
    pub(super) chunks: usize,
}

/// A point.
pub(super) type Point = (f64, f64);

/// Which part of a spoke's breadth: all of it, or the half on one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Side {
    Whole,
    Left,
    Right,
}

fn polar(angle: f64, radius: f64) -> Point {
    (500.0 + radius * angle.sin(), 500.0 - radius * angle.cos())
}

impl Circle {
    fn angle(self, rank: usize) -> f64 {
        TAU * rank as f64 / self.ranks as f64
    }

    /// Half of the angle that a spoke takes.
    fn half(self) -> f64 {
        (PI / self.ranks as f64 * 0.88).min(WIDEST)
    }

    /// Where the links of `rank` end.
    pub(super) fn dock(self, rank: usize) -> Point {
        polar(self.angle(rank), DOCK)
    }

    /// Where its label is.
    pub(super) fn label(self, rank: usize) -> Point {
        polar(self.angle(rank), LABEL)
    }

    /// Whether its label is shown: at most 16 of them are.
    pub(super) fn labelled(self, rank: usize) -> bool {
        rank.is_multiple_of(self.ranks.div_ceil(16))
    }

    /// The middle of a cell.
    pub(super) fn middle(self, rank: usize, chunk: usize) -> Point {
        let (from, to) = self.radii(chunk);
        polar(self.angle(rank), (from + to) / 2.0)
    }

    /// By how many degrees the text in a rank's cells is turned, so that it runs along them and is upright.
    pub(super) fn turn(self, rank: usize) -> f64 {
        let degrees = self.angle(rank).to_degrees();
        if (90.0..270.0).contains(&degrees) { degrees - 180.0 } else { degrees }
    }

    /// Chunk 0 is outermost.
    fn radii(self, chunk: usize) -> (f64, f64) {
        let thick = (OUTER - INNER) / self.chunks as f64;
        let outer = OUTER - thick * chunk as f64;
        (outer - thick + (thick * 0.12).min(2.0), outer)
    }

    /// Adds a cell to a path.
    pub(super) fn cell(self, path: &mut String, rank: usize, chunk: usize, side: Side) {
        let (angle, half) = (self.angle(rank), self.half());
        let (left, right) = match side {
            Side::Whole => (angle - half, angle + half),
            Side::Left => (angle - half, angle - half * 0.06),
            Side::Right => (angle + half * 0.06, angle + half),
        };
        let (near, far) = self.radii(chunk);
        let (a, b, c, d) = (polar(left, far), polar(right, far), polar(right, near), polar(left, near));
        // Narrow cells need no arcs.
        let arc = |path: &mut String, radius: f64, sweep: u8, to: Point| {
            let _ = if self.ranks > 24 {
                write!(path, "L{:.1} {:.1}", to.0, to.1)
            } else {
                write!(path, "A{radius:.1} {radius:.1} 0 0 {sweep} {:.1} {:.1}", to.0, to.1)
            };
        };
        let _ = write!(path, "M{:.1} {:.1}", a.0, a.1);
        arc(path, far, 1, b);
        let _ = write!(path, "L{:.1} {:.1}", c.0, c.1);
        arc(path, near, 0, d);
        path.push('Z');
    }

    /// The ends of a link, to the right of the straight line between its ranks.
    pub(super) fn link(self, from: usize, to: usize) -> (Point, Point) {
        let (a, b) = (self.dock(from), self.dock(to));
        let (x, y) = (b.0 - a.0, b.1 - a.1);
        let length = x.hypot(y).max(1.0);
        let (x, y) = (x / length, y / length);
        let aside = if self.ranks > 24 { 0.0 } else { ASIDE };
        // It keeps clear of the dots at its ends.
        let clear = self.dot() + 3.0;
        let ends = (length - 2.0 * clear).max(length * 0.4);
        let start = ((length - ends) / 2.0, aside);
        let at = |along: f64| (a.0 + x * along - y * start.1, a.1 + y * along + x * start.1);
        (at(start.0), at(start.0 + ends))
    }

    /// Adds an arrow's head at the end of a link to a path.
    pub(super) fn head(self, path: &mut String, from: usize, to: usize) {
        let (a, b) = self.link(from, to);
        let (x, y) = (b.0 - a.0, b.1 - a.1);
        let length = x.hypot(y).max(1.0);
        let size = (self.dot() * 1.1).min(length * 0.5);
        let (x, y) = (x / length * size, y / length * size);
        let _ = write!(
            path,
            "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
            b.0,
            b.1,
            b.0 - x - y * 0.55,
            b.1 - y + x * 0.55,
            b.0 - x + y * 0.55,
            b.1 - y - x * 0.55
        );
    }

    /// The radius of a rank's dot.
    pub(super) fn dot(self) -> f64 {
        (360.0 / self.ranks as f64).clamp(5.0, 15.0)
    }

    /// The arc around the ranks of a node, and the middle of it.
    pub(super) fn node(self, first: usize, last: usize) -> String {
        let (from, to) = (self.angle(first) - self.half(), self.angle(last) + self.half());
        let (a, b) = (polar(from, NODE), polar(to, NODE));
        let large = u8::from(to - from > PI);
        format!("M{:.1} {:.1}A{NODE} {NODE} 0 {large} 1 {:.1} {:.1}", a.0, a.1, b.0, b.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_apart_and_labels_thin_out() {
        for ranks in 2..=64 {
            let circle = Circle { ranks, chunks: ranks };
            assert!(circle.half() * 2.0 < TAU / ranks as f64, "{ranks}: spokes overlap");
            let labels = (0..ranks).filter(|&r| circle.labelled(r)).count();
            assert!((2..=16).contains(&labels), "{ranks}: {labels}");
            for chunk in 0..ranks {
                let (near, far) = circle.radii(chunk);
                assert!(INNER <= near && near < far && far <= OUTER, "{ranks}");
            }
            let mut path = String::new();
            circle.cell(&mut path, ranks - 1, ranks - 1, Side::Whole);
            circle.head(&mut path, 0, 1);
            assert!(!path.contains("NaN"), "{path}");
        }
        assert_eq!(Circle { ranks: 4, chunks: 4 }.dock(0), (500.0, 500.0 - DOCK));
    }
}
