//! Where the ranks of a collective lie in the circle: a drawing of 1000 by 1000, rank 0 on top, the others clockwise.
//!
//! Where an algorithm goes along trees, ranks stand in the order in which a tree is drawn flat, and their dots the nearer to
//! the middle the nearer they are to the root; with two trees each rank has a dot in both.
//!
//! Cells are many and are drawn anew at every step. They are written in whole tenths of a unit, which is several times as fast
//! as decimals; what holds them is scaled by [`TENTH`].

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

use ringside_core::collective::Algo;
use ringside_core::collective::schedule::trees;

/// Where a rank's chunks begin and end, from the middle.
const INNER: f64 = 232.0;
const OUTER: f64 = 430.0;
/// Where its links end.
const DOCK: f64 = 214.0;
/// Where its label is.
const LABEL: f64 = 466.0;
/// Where its node is drawn.
const NODE: f64 = 440.0;
/// More ranks than this have cells without arcs, and without gaps between cells that hold the same.
const FINE: usize = 24;
/// How cells are scaled.
pub const TENTH: &str = "scale(.1)";
/// Half of the widest field of chunks, in radians: two ranks need no half circle each.
const WIDEST: f64 = 0.34;
/// How far a link keeps to the right of the straight line, so that both directions are seen.
const ASIDE: f64 = 5.0;

/// The circle of `ranks`, each with a spoke of `chunks` cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Circle {
    /// How many there are.
    pub ranks: usize,
    /// The cells of each.
    pub chunks: usize,
    /// The place of each rank, clockwise.
    places: Vec<usize>,
    /// By tree, the parent of each rank and how far it is from the root.
    trees: Vec<Vec<(usize, usize)>>,
}

/// A point.
pub type Point = (f64, f64);

/// Which part of a spoke's breadth: all of it, or the half on one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// All of it.
    Whole,
    /// Its first half, clockwise.
    Left,
    /// Its second half.
    Right,
}

fn polar(angle: f64, radius: f64) -> Point {
    (500.0 + radius * angle.sin(), 500.0 - radius * angle.cos())
}

impl Circle {
    /// The circle of `ranks` with as many chunks each, and the trees that `algo` uses among them.
    pub fn new(ranks: usize, algo: Algo) -> Self {
        let trees: Vec<Vec<(usize, usize)>> = trees(algo, ranks)
            .iter()
            .map(|parents| (0..ranks).map(|rank| (parents[rank], depth(parents, rank))).collect())
            .collect();
        let mut places: Vec<usize> = (0..ranks).collect();
        if let [tree] = trees.as_slice() {
            let mut order = Vec::with_capacity(ranks);
            flatten(tree, 0, &mut order);
            order.iter().enumerate().for_each(|(place, rank)| places[*rank] = place);
        }
        Self { ranks, chunks: ranks, places, trees }
    }

    /// Whether links go along trees.
    pub fn is_tree(&self) -> bool {
        !self.trees.is_empty()
    }

    /// Dots of a rank: one in each tree.
    pub fn dots(&self) -> usize {
        self.trees.len().max(1)
    }

    fn angle(&self, rank: usize) -> f64 {
        TAU * self.places.get(rank).copied().unwrap_or(rank) as f64 / self.ranks as f64
    }

    /// Half of the angle that a spoke takes.
    fn half(&self) -> f64 {
        (PI / self.ranks as f64 * 0.88).min(WIDEST)
    }

    /// Where the links of `rank` end, in one of the trees if there are any.
    pub fn dock(&self, rank: usize, tree: usize) -> Point {
        let radius = self.trees.get(tree).map_or(DOCK, |tree| {
            let deepest = tree.iter().map(|(_, depth)| *depth).max().unwrap_or(1).max(1);
            DOCK * tree.get(rank).map_or(0.0, |(_, depth)| *depth as f64) / deepest as f64
        });
        polar(self.angle(rank), radius)
    }

    /// From the innermost dot of each rank to its cells: the line on which its dots are.
    pub fn stems(&self) -> String {
        let mut path = String::new();
        for rank in (0..self.ranks).filter(|_| self.is_tree()) {
            let end = polar(self.angle(rank), INNER);
            for (x, y) in (0..self.dots()).map(|tree| self.dock(rank, tree)) {
                // Writing to a string does not fail.
                let _ = write!(path, "M{x:.1} {y:.1}L{:.1} {:.1}", end.0, end.1);
            }
        }
        path
    }

    /// The tree in which two ranks are linked; the first if none does.
    pub fn tree_of(&self, a: usize, b: usize) -> usize {
        let linked = |tree: &Vec<(usize, usize)>| {
            let parent = |rank: usize| tree.get(rank).map(|(parent, _)| *parent);
            parent(a) == Some(b) || parent(b) == Some(a)
        };
        self.trees.iter().position(linked).unwrap_or(0)
    }

    /// Where its label is.
    pub fn label(&self, rank: usize) -> Point {
        polar(self.angle(rank), LABEL)
    }

    /// Whether its label is shown: at most 16 of them are.
    pub fn labelled(&self, rank: usize) -> bool {
        self.places.get(rank).is_some_and(|place| place.is_multiple_of(self.ranks.div_ceil(16)))
    }

    /// The middle of a cell.
    pub fn middle(&self, rank: usize, chunk: usize) -> Point {
        let (from, to) = self.radii(chunk);
        polar(self.angle(rank), (from + to) / 2.0)
    }

    /// By how many degrees the text in a rank's cells is turned, so that it runs along them and is upright.
    pub fn turn(&self, rank: usize) -> f64 {
        let degrees = self.angle(rank).to_degrees();
        if (90.0..270.0).contains(&degrees) { degrees - 180.0 } else { degrees }
    }

    /// Chunk 0 is outermost.
    fn radii(&self, chunk: usize) -> (f64, f64) {
        let thick = (OUTER - INNER) / self.chunks as f64;
        let outer = OUTER - thick * chunk as f64;
        (outer - thick + (thick * 0.12).min(2.0), outer)
    }

    /// Where the cells of `rank` are, side by side.
    pub fn spoke(&self, rank: usize, side: Side) -> Spoke<'_> {
        let (angle, half) = (self.angle(rank), self.half());
        let (left, right) = match side {
            Side::Whole => (angle - half, angle + half),
            Side::Left => (angle - half, angle - half * 0.06),
            Side::Right => (angle + half * 0.06, angle + half),
        };
        Spoke { circle: self, left: left.sin_cos(), right: right.sin_cos() }
    }

    /// Whether neighbouring cells that hold the same are drawn as one.
    pub fn merges(&self) -> bool {
        self.ranks > FINE
    }

    /// The ends of a link in a tree, to the right of the straight line between its ranks.
    pub fn link(&self, from: usize, to: usize, tree: usize) -> (Point, Point) {
        let (a, b) = (self.dock(from, tree), self.dock(to, tree));
        let (x, y) = (b.0 - a.0, b.1 - a.1);
        let length = x.hypot(y).max(1.0);
        let (x, y) = (x / length, y / length);
        let aside = if self.ranks > FINE { 0.0 } else { ASIDE };
        // It keeps clear of the dots at its ends.
        let clear = self.dot() + 3.0;
        let ends = (length - 2.0 * clear).max(length * 0.4);
        let start = ((length - ends) / 2.0, aside);
        let at = |along: f64| (a.0 + x * along - y * start.1, a.1 + y * along + x * start.1);
        (at(start.0), at(start.0 + ends))
    }

    /// A cable that is broken: the line between two ranks, and a cross in its middle.
    pub fn broken(&self, a: usize, b: usize) -> String {
        let tree = self.tree_of(a, b);
        let ((ax, ay), (bx, by)) = (self.dock(a, tree), self.dock(b, tree));
        let (x, y) = ((ax + bx) / 2.0, (ay + by) / 2.0);
        let arm = 16.0;
        format!(
            "M{ax:.1} {ay:.1}L{bx:.1} {by:.1}M{:.1} {:.1}l{} {}m0 {}l{} {}",
            x - arm,
            y - arm,
            2.0 * arm,
            2.0 * arm,
            -2.0 * arm,
            -2.0 * arm,
            2.0 * arm
        )
    }

    /// Adds the dot of a rank in a tree to a path.
    pub fn disc(&self, path: &mut String, rank: usize, tree: usize) {
        let ((x, y), r) = (self.dock(rank, tree), self.dot());
        let _ = write!(
            path,
            "M{:.1} {y:.1}a{r:.1} {r:.1} 0 1 0 {d:.1} 0a{r:.1} {r:.1} 0 1 0 -{d:.1} 0",
            x - r,
            d = 2.0 * r
        );
    }

    /// Adds an arrow's head at the end of a link to a path.
    pub fn head(&self, path: &mut String, (a, b): (Point, Point)) {
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
    pub fn dot(&self) -> f64 {
        (360.0 / self.ranks as f64).clamp(5.0, 15.0)
    }

    /// The arc around the ranks of a node.
    pub fn node(&self, first: usize, last: usize) -> String {
        let (from, to) = (self.angle(first) - self.half(), self.angle(last) + self.half());
        let (a, b) = (polar(from, NODE), polar(to, NODE));
        let large = u8::from(to - from > PI);
        format!("M{:.1} {:.1}A{NODE} {NODE} 0 {large} 1 {:.1} {:.1}", a.0, a.1, b.0, b.1)
    }
}

/// How far a rank is from the root.
fn depth(parents: &[usize], rank: usize) -> usize {
    let mut at = rank;
    let mut depth = 0;
    while at != 0 && depth < parents.len() {
        at = parents.get(at).copied().unwrap_or(0);
        depth += 1;
    }
    depth
}

/// The ranks below and at `rank` as they stand side by side: half of its children before it, half behind.
fn flatten(tree: &[(usize, usize)], rank: usize, order: &mut Vec<usize>) {
    let children: Vec<usize> = (1..tree.len()).filter(|&child| tree[child].0 == rank).collect();
    let (before, behind) = children.split_at(children.len().div_ceil(2));
    before.iter().for_each(|&child| flatten(tree, child, order));
    order.push(rank);
    behind.iter().for_each(|&child| flatten(tree, child, order));
}

/// The cells of one rank.
pub struct Spoke<'c> {
    circle: &'c Circle,
    /// Sine and cosine of its sides.
    left: (f64, f64),
    right: (f64, f64),
}

impl Spoke<'_> {
    /// Adds the cells from `first` to `last` to a path, as one, in tenths.
    pub fn cells(&self, path: &mut String, first: usize, last: usize) {
        let (far, near) = (self.circle.radii(first).1, self.circle.radii(last).0);
        let at = |(sin, cos): (f64, f64), radius: f64| {
            [10.0 * (500.0 + radius * sin), 10.0 * (500.0 - radius * cos)].map(|v| v.round() as i32)
        };
        let corners = [at(self.left, far), at(self.right, far), at(self.right, near), at(self.left, near)];
        // Narrow cells need no arcs.
        let arc = |path: &mut String, radius: f64, sweep: u8| {
            if self.circle.merges() {
                path.push('L');
            } else {
                let _ = write!(path, "A{0} {0} 0 0 {sweep} ", (10.0 * radius).round());
            }
        };
        let [a, b, c, d] = corners;
        path.push('M');
        point(path, a);
        arc(path, far, 1);
        point(path, b);
        path.push('L');
        point(path, c);
        arc(path, near, 0);
        point(path, d);
        path.push('Z');
    }
}

/// Writes whole coordinates, without the machinery of formatting.
fn point(path: &mut String, [x, y]: [i32; 2]) {
    whole(path, x);
    path.push(' ');
    whole(path, y);
}

fn whole(path: &mut String, value: i32) {
    if value < 0 {
        path.push('-');
    }
    let mut rest = value.unsigned_abs();
    let mut digits = [0_u8; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    path.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_apart_and_labels_thin_out() {
        for ranks in 2..=64 {
            let circle = Circle::new(ranks, Algo::Ring);
            assert!(circle.half() * 2.0 < TAU / ranks as f64, "{ranks}: spokes overlap");
            let labels = (0..ranks).filter(|&r| circle.labelled(r)).count();
            assert!((2..=16).contains(&labels), "{ranks}: {labels}");
            for chunk in 0..ranks {
                let (near, far) = circle.radii(chunk);
                assert!(INNER <= near && near < far && far <= OUTER, "{ranks}");
            }
            let mut path = String::new();
            circle.spoke(ranks - 1, Side::Whole).cells(&mut path, 0, ranks - 1);
            circle.disc(&mut path, ranks - 1, 0);
            circle.head(&mut path, circle.link(0, 1, 0));
            assert!(!path.contains("NaN"), "{path}");
        }
        let four = Circle::new(4, Algo::Ring);
        assert_eq!(four.dock(0, 0), (500.0, 500.0 - DOCK));
        let mut path = String::new();
        four.spoke(0, Side::Whole).cells(&mut path, 0, 0);
        assert_eq!(path.matches('A').count(), 2, "{path}");
        let many = Circle::new(40, Algo::Ring);
        path.clear();
        many.spoke(0, Side::Whole).cells(&mut path, 0, 39);
        assert_eq!(path, "M4703 710L5297 710L5161 2680L4839 2680Z");
        path.clear();
        [0, -7, i32::MAX, i32::MIN].into_iter().for_each(|v| whole(&mut path, v));
        assert_eq!(path, "0-72147483647-2147483648");
    }

    #[test]
    fn a_tree_has_its_root_in_the_middle_and_leaves_outside() {
        for (algo, dots) in [(Algo::BinomialTree, 1), (Algo::BinaryTree, 1), (Algo::DoubleBinaryTree, 2)] {
            for ranks in 2..=64 {
                let circle = Circle::new(ranks, algo);
                assert_eq!(circle.dots(), dots);
                let mut places = circle.places.clone();
                places.sort_unstable();
                assert_eq!(places, (0..ranks).collect::<Vec<_>>(), "{algo:?} {ranks}");
                let far = |rank, tree| {
                    let (x, y) = circle.dock(rank, tree);
                    (x - 500.0).hypot(y - 500.0)
                };
                for tree in 0..dots {
                    assert!(far(0, tree) < 1e-9, "{algo:?} {ranks}");
                    for rank in 1..ranks {
                        let parent = circle.trees[tree][rank].0;
                        assert!(
                            far(rank, tree) > far(parent, tree) && far(rank, tree) <= DOCK + 1e-9,
                            "{algo:?} {ranks}"
                        );
                    }
                }
                assert!(!circle.stems().is_empty());
            }
        }
        assert!(Circle::new(8, Algo::Ring).stems().is_empty());
    }
}
