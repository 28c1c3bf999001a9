//! What the cards in one picture say.

use serde::{Deserialize, Serialize};

use crate::code::{self, Answer, FEWEST, SIDE};
use crate::draw::WHOLE;
use crate::find;
use crate::image::Gray;
use crate::quad::{self, Quad};

/// The least difference between white and black on a card, in levels.
const CONTRAST: f64 = 14.0;
/// So many of the 24 modules of the border may not be black: a finger's width.
const TORN: usize = 3;
/// Where within a module its level is measured, from its center, in modules.
const WITHIN: [f64; 3] = [-0.22, 0.0, 0.22];

/// A card that was read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Its number, from 1.
    pub card: u8,
    /// The edge that is up.
    pub answer: Answer,
    /// The corners of its black border, clockwise from the upper left, in pixels.
    pub corners: [(f64, f64); 4],
}

impl Gray {
    /// The cards in the picture, by number. A card that is there twice is read twice.
    pub fn read(&self) -> Vec<Reading> {
        let mut found: Vec<(Quad, u8, Answer, u32)> = Vec::new();
        for border in find::borders(self) {
            let read = |quad: Quad| decode(self, &quad).map(|(card, answer, wrong)| (quad, card, answer, wrong));
            let best = quad::quads(&border).into_iter().filter_map(read).min_by_key(|(.., wrong)| *wrong);
            let Some(new) = best else { continue };
            let is_same = |old: &(Quad, u8, Answer, u32)| {
                let ((x, y), (a, b)) = (old.0.center(), new.0.center());
                (x - a).hypot(y - b) < old.0.size() / 2.0
            };
            match found.iter_mut().find(|old| is_same(old)) {
                Some(old) if new.3 < old.3 => *old = new,
                Some(_) => {}
                None => found.push(new),
            }
        }
        found.sort_by_key(|(_, card, ..)| *card);
        found.into_iter().map(|(quad, card, answer, _)| Reading { card, answer, corners: quad.0 }).collect()
    }
}

/// The card that is seen in a quadrilateral, its answer, and how many bits of it are wrong.
fn decode(image: &Gray, quad: &Quad) -> Option<(u8, Answer, u32)> {
    let map = quad.map();
    let whole = WHOLE as f64;
    let level = |column: f64, row: f64| {
        let (x, y) = map(column / whole, row / whole);
        image.at(x, y)
    };
    // Black is a plane over the card: light comes from one side.
    let is_border = |n: usize| n == 0 || n == WHOLE - 1;
    let modules = || (0..WHOLE * WHOLE).map(|i| (i / WHOLE, i % WHOLE));
    let middle = whole / 2.0;
    let at = |n: usize| n as f64 + 0.5;
    let border: Vec<(f64, f64, f64)> = modules()
        .filter(|(row, column)| is_border(*row) || is_border(*column))
        .map(|(row, column)| (at(column) - middle, at(row) - middle, level(at(column), at(row))))
        .collect();
    let many = border.len() as f64;
    let black = border.iter().map(|(.., level)| level).sum::<f64>() / many;
    let slope = |of: fn(&(f64, f64, f64)) -> f64| {
        let (up, down) = border.iter().fold((0.0, 0.0), |(up, down), b| (up + of(b) * b.2, down + of(b) * of(b)));
        up / down
    };
    let (across, down) = (slope(|b| b.0), slope(|b| b.1));
    let over_black = |x: f64, y: f64, level: f64| level - black - across * x - down * y;
    let mut inside = [0.0; SIDE * SIDE];
    for (i, out) in inside.iter_mut().enumerate() {
        let (column, row) = (at(i % SIDE + 1), at(i / SIDE + 1));
        let levels = WITHIN.iter().flat_map(|y| WITHIN.iter().map(move |x| (x, y)));
        let sum: f64 = levels.map(|(x, y)| level(column + x, row + y)).sum();
        *out = over_black(column - middle, row - middle, sum / (WITHIN.len() * WITHIN.len()) as f64);
    }
    let mut sorted = inside;
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let white = sorted.iter().take(FEWEST as usize).sum::<f64>() / f64::from(FEWEST);
    let torn = border.iter().filter(|(x, y, level)| over_black(*x, *y, *level) > white / 2.0).count();
    if white < CONTRAST || torn > TORN {
        return None;
    }
    let bits = inside.iter().enumerate().fold(0, |bits, (i, level)| bits | u32::from(*level > white / 2.0) << i);
    code::meant(bits)
}
