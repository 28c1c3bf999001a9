//! A card as it is printed.

use std::fmt::Write as _;

use crate::code::{self, Answer, SIDE};

/// The black border and the code, in modules along each side.
pub(crate) const WHOLE: usize = SIDE + 2;
/// The white margin around the border, in modules.
const MARGIN: f64 = 0.55;

/// The longest side in pixels of a 1080p picture, and how wide a laptop's camera sees, in degrees: what [`Sheet::reach`] assumes.
const CAMERA: (f64, f64) = (1920.0, 65.0);
/// How many pixels wide a card's border has to be to be read in poor light and turned away: the size of the tests' scenes at 6 m.
const READABLE: f64 = 29.0;

/// How many cards are on a sheet of A4 or Letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sheet {
    /// One, for a hall.
    One,
    /// Two, for a classroom.
    Two,
    /// Four, for a small room.
    Four,
}

impl Sheet {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Four];

    /// How many cards it has.
    pub const fn cards(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }

    /// The side of a card with its white margin, in millimeters: what both A4 and Letter have room for.
    pub const fn side(self) -> f64 {
        match self {
            Self::One => 200.0,
            Self::Two => 134.0,
            Self::Four => 99.0,
        }
    }

    /// The side of a card's black border, in millimeters.
    pub fn border(self) -> f64 {
        self.side() * WHOLE as f64 / (WHOLE as f64 + 2.0 * MARGIN)
    }

    /// How far from the camera its cards are read, in meters.
    pub fn reach(self) -> f64 {
        let (pixels, degrees) = CAMERA;
        let focal = pixels / 2.0 / (degrees / 2.0).to_radians().tan();
        self.border() / 1000.0 * focal / READABLE
    }
}

/// A card by its number, 1 to [`CARDS`](crate::CARDS): a square SVG. Each answer's letter stands at its edge in type that only the person who
/// holds the card can read. Nothing for a number that no card has.
pub fn svg(card: u8) -> Option<String> {
    let code = code::of(card)?;
    let size = WHOLE as f64 + 2.0 * MARGIN;
    let middle = size / 2.0;
    let mut path = String::new();
    for row in 0..WHOLE {
        let mut column = 0;
        while column < WHOLE {
            let from = column;
            while column < WHOLE && is_black(code, row, column) {
                column += 1;
            }
            if column > from {
                let (x, y, wide) = (from as f64 + MARGIN, row as f64 + MARGIN, column - from);
                let _ = write!(path, "M{x} {y}h{wide}v1h-{wide}z");
            }
            column += 1;
        }
    }
    let letters: String = Answer::ALL
        .iter()
        .map(|answer| {
            let (turn, letter) = (90 * (*answer as u32), answer.letter());
            format!("<text x=\"{middle}\" y=\"0.38\" transform=\"rotate({turn} {middle} {middle})\">{letter}</text>")
        })
        .collect();
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"Card {card}\">\
         <rect width=\"{size}\" height=\"{size}\" fill=\"#fff\"/>\
         <path d=\"{path}\" fill=\"#000\" shape-rendering=\"crispEdges\"/>\
         <g font-family=\"sans-serif\" font-size=\"0.26\" text-anchor=\"middle\" fill=\"#000\">{letters}\
         <text x=\"{MARGIN}\" y=\"0.38\" text-anchor=\"start\">{card}</text></g></svg>"
    ))
}

/// Whether a module of the whole card is black, counted from the upper left corner of its border.
pub(crate) fn is_black(code: u32, row: usize, column: usize) -> bool {
    let inside = |n: usize| n.checked_sub(1).filter(|n| *n < SIDE);
    inside(row).zip(inside(column)).is_none_or(|(row, column)| code >> (row * SIDE + column) & 1 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_its_letters_in_the_order_in_which_it_is_turned() {
        let svg = svg(1).expect("a card");
        // Turned by 90° the text stands at the right edge, which a quarter turn counterclockwise brings up.
        assert!(svg.contains("rotate(90 4.05 4.05)\">B<") && svg.contains("rotate(270 4.05 4.05)\">D<"), "{svg}");
        let reaches = Sheet::ALL.map(|sheet| sheet.reach().floor());
        assert_eq!(reaches, [8.0, 6.0, 4.0]);
        assert!(super::svg(0).is_none() && super::svg(code::CARDS + 1).is_none());
    }
}
