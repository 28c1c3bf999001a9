//! Quadrilaterals among the borders, and where a point of a card is seen.

use crate::find::Pixel;

/// A point of the picture, in pixels; (0, 0) is the center of the first one.
pub(crate) type Point = (f64, f64);

/// How far a border may leave a straight side: in pixels, and as a share of a side.
const STRAIGHT: (f64, f64) = (1.3, 0.08);
/// So many of the longest sides of a border are tried as the sides of a card: fingers and heads add some of their own.
const TRIED: usize = 6;
/// The shortest side of a card, in pixels, and how many times as long the longest may be.
const SIDES: (f64, f64) = (12.0, 3.0);
/// How far a card may be turned from upright for its upper side to be the upper one, in degrees.
const STEADY: f64 = 40.0;

/// A square seen in perspective: its corners clockwise from the upper left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quad(pub(crate) [Point; 4]);

/// A straight line: a point on it, and its direction, of length 1.
#[derive(Debug, Clone, Copy)]
struct Line {
    at: Point,
    way: Point,
}

fn minus(a: Point, b: Point) -> Point {
    (a.0 - b.0, a.1 - b.1)
}

fn cross(a: Point, b: Point) -> f64 {
    a.0 * b.1 - a.1 * b.0
}

fn length(a: Point) -> f64 {
    a.0.hypot(a.1)
}

fn point(pixel: &Pixel) -> Point {
    (f64::from(pixel.0), f64::from(pixel.1))
}

fn mean(pixels: &[Pixel]) -> Point {
    let many = pixels.len().max(1) as f64;
    let sum = pixels.iter().map(point).fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
    (sum.0 / many, sum.1 / many)
}

impl Line {
    /// The line with the least squares of distances from these pixels. Nothing for fewer than two places.
    fn through(pixels: &[Pixel]) -> Option<Self> {
        let at = mean(pixels);
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for pixel in pixels {
            let (x, y) = minus(point(pixel), at);
            (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        }
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        (xx + yy > 0.5).then(|| Self { at, way: (angle.cos(), angle.sin()) })
    }

    /// Half a pixel further from a point: a border is followed through the centers of its pixels.
    fn away_from(mut self, center: Point) -> Self {
        let out = if cross(self.way, minus(self.at, center)) > 0.0 { 0.5 } else { -0.5 };
        self.at = (self.at.0 - out * self.way.1, self.at.1 + out * self.way.0);
        self
    }

    fn meets(self, other: Self) -> Option<Point> {
        let across = cross(self.way, other.way);
        let along = cross(minus(other.at, self.at), other.way) / across;
        (across.abs() > 0.2).then_some((self.at.0 + along * self.way.0, self.at.1 + along * self.way.1))
    }
}

/// What may be the outline of a card, of a border.
pub(crate) fn quads(border: &[Pixel]) -> Vec<Quad> {
    let center = mean(border);
    let ring = from_corner(border);
    let mut sides = sides(&ring);
    // The longest, in the order in which they follow one another.
    let mut lengths: Vec<usize> = sides.iter().map(|(from, to)| to - from).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    if let Some(least) = lengths.get(TRIED - 1) {
        sides.retain(|(from, to)| to - from >= *least);
        sides.truncate(TRIED);
    }
    let line = |(from, to): &(usize, usize)| {
        let spare = (to - from) / 8;
        Line::through(ring.get(from + spare..=to - spare)?).map(|line| line.away_from(center))
    };
    let lines: Vec<Line> = sides.iter().filter_map(line).collect();
    let many = lines.len();
    let mut found = Vec::new();
    for a in 0..many {
        for b in a + 1..many {
            for c in b + 1..many {
                for d in c + 1..many {
                    let of = |a: usize, b: usize| lines.get(a)?.meets(*lines.get(b)?);
                    // Borders are followed counterclockwise.
                    let corners = || Some([of(d, a)?, of(c, d)?, of(b, c)?, of(a, b)?]);
                    found.extend(corners().and_then(Quad::upright));
                }
            }
        }
    }
    found
}

/// The pixel of `of` that is farthest from the first.
fn farthest(of: &[Pixel]) -> usize {
    let from = of.first().map(point).unwrap_or_default();
    let far = |p: &Pixel| length(minus(point(p), from));
    let farther = |best: (usize, f64), (i, p): (usize, &Pixel)| if far(p) > best.1 { (i, far(p)) } else { best };
    of.iter().enumerate().fold((0, 0.0), farther).0
}

/// A border from one of its corners, which is farthest from some other place, back to it.
fn from_corner(border: &[Pixel]) -> Vec<Pixel> {
    let mut ring = border.to_vec();
    ring.rotate_left(farthest(border));
    ring.extend(ring.first().copied());
    ring
}

/// The straight sides of a ring: from which pixel to which (Ramer 1972, Douglas and Peucker 1973).
fn sides(ring: &[Pixel]) -> Vec<(usize, usize)> {
    let (pixels, share) = STRAIGHT;
    let tolerance = pixels.max(share * ring.len() as f64 / 4.0);
    let across = farthest(ring);
    let mut open = vec![(across, ring.len().saturating_sub(1)), (0, across)];
    let mut found = Vec::new();
    while let Some((from, to)) = open.pop() {
        let at = |i: usize| ring.get(i).map(point).unwrap_or_default();
        let way = minus(at(to), at(from));
        let long = length(way).max(1.0);
        let off = |i: usize| cross(way, minus(at(i), at(from))).abs() / long;
        let farther = |best: (usize, f64), i: usize| if off(i) > best.1 { (i, off(i)) } else { best };
        let (corner, most) = (from + 1..to).fold((from, 0.0), farther);
        if most > tolerance { open.extend([(corner, to), (from, corner)]) } else { found.push((from, to)) }
    }
    found
}

impl Quad {
    /// Four corners, clockwise from any, as a square that one looks at: convex, not too small, not too slanted. Its first corner becomes that from
    /// which the upper side goes to the right. Nothing if it is none, or if it is held so diagonally that no side is the upper one.
    fn upright(mut corners: [Point; 4]) -> Option<Self> {
        let side = |i: usize| minus(corners[(i + 1) % 4], corners[i % 4]);
        let long: [f64; 4] = [0, 1, 2, 3].map(|i| length(side(i)));
        let (least, most) = long.iter().fold((f64::MAX, 0.0_f64), |(a, b), n| (a.min(*n), b.max(*n)));
        let (shortest, times) = SIDES;
        let is_convex = (0..4).all(|i| cross(side(i), side(i + 1)) > 0.3 * long[i] * long[(i + 1) % 4]);
        if !is_convex || least < shortest || most > times * least {
            return None;
        }
        // Both sides across it say how it is turned.
        let turn = |i: usize| {
            let (there, back) = (side(i), side(i + 2));
            let way = minus(there, back);
            way.1.atan2(way.0).to_degrees()
        };
        let first = (0..4).find(|i| turn(*i).abs() < STEADY)?;
        corners.rotate_left(first);
        Some(Self(corners))
    }

    /// Its center.
    pub(crate) fn center(&self) -> Point {
        let sum = self.0.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
        (sum.0 / 4.0, sum.1 / 4.0)
    }

    /// The mean length of its sides.
    pub(crate) fn size(&self) -> f64 {
        (0..4).map(|i| length(minus(self.0[(i + 1) % 4], self.0[i]))).sum::<f64>() / 4.0
    }

    /// Where points of the card are seen: (0, 0) is its upper left corner, (1, 1) its lower right one. The projective map of a square to a quadrilateral
    /// (Heckbert 1989, 2.2).
    pub(crate) fn map(&self) -> impl Fn(f64, f64) -> Point {
        let [p0, p1, p2, p3] = self.0;
        let (one, two) = (minus(p1, p2), minus(p3, p2));
        let sum = (p0.0 - p1.0 + p2.0 - p3.0, p0.1 - p1.1 + p2.1 - p3.1);
        let whole = cross(one, two);
        let (g, h) = (cross(sum, two) / whole, cross(one, sum) / whole);
        let (a, b) = (p1.0 - p0.0 + g * p1.0, p3.0 - p0.0 + h * p3.0);
        let (d, e) = (p1.1 - p0.1 + g * p1.1, p3.1 - p0.1 + h * p3.1);
        move |u, v| {
            let w = g * u + h * v + 1.0;
            ((a * u + b * v + p0.0) / w, (d * u + e * v + p0.1) / w)
        }
    }
}
