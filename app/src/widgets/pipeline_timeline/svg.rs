//! The drawing as SVG text: put into the page where blocks are few, and into a file.

use std::fmt::Write as _;

use ringside_drawing::scenes::pipeline::Piece;

use super::{CLASSES, KEPT};

/// A line under the blocks of a later chunk, in pixels for each chunk.
pub(super) const UNDERLINE: f64 = 2.5;
/// How far the foot of a number is below the middle of its block, over the size of the text: it is in the middle at any size.
pub(super) const BASE: f64 = 0.35;
/// The gap between blocks that are wide enough for one.
const GAP: f64 = 0.75;

/// The width that a piece is drawn with: blocks with a gap, what is kept without.
pub(super) fn width(piece: &Piece) -> f64 {
    let is_block = CLASSES[piece.shade] != KEPT;
    piece.width - if is_block && piece.width > 4.0 { GAP } else { 0.0 }
}

/// Rectangles with their labels, in classes.
pub(super) fn pieces(pieces: &[Piece]) -> String {
    let mut text = String::with_capacity(pieces.len() * 110);
    for p in pieces {
        let (x, y, width, height) = (p.x, p.y, width(p), p.height);
        let dim = if p.dim { " dim" } else { "" };
        let class = CLASSES[p.shade];
        let _ = write!(
            text,
            "<rect class=\"part {class}{dim}\" x=\"{x:.2}\" y=\"{y:.1}\" width=\"{width:.2}\" height=\"{height:.1}\"/>"
        );
        if p.chunk > 0 {
            let line = UNDERLINE * f64::from(p.chunk);
            let top = y + height - line;
            let _ = write!(
                text,
                "<rect class=\"later\" x=\"{x:.2}\" y=\"{top:.1}\" width=\"{width:.2}\" height=\"{line:.1}\"/>"
            );
        }
        if let Some(number) = p.text {
            let (across, up) = (x + width / 2.0, y + height / 2.0);
            let _ = write!(
                text,
                "<text class=\"on-{class}{dim}\" x=\"{across:.1}\" y=\"{up:.1}\" dy=\"{BASE}em\">{number}</text>"
            );
        }
    }
    text
}
