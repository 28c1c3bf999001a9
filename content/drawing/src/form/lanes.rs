//! Rows along one length: what each GPU does over time, what each part of memory takes.

use ringside_core::quantity::Unit;

use super::pen::Area;
use super::{Head, Pen, Press, Tone};
use crate::chart::Ink;
use crate::scale::Linear;

/// Rows of pieces, all to one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Lanes {
    /// What is to be seen, for who does not see it.
    pub label: String,
    /// What stands over it.
    pub head: Head,
    /// From the top to the bottom.
    pub rows: Vec<Lane>,
    /// How long all of it is.
    pub end: f64,
    /// What the length is measured in; none for parts of a whole, which have no axis.
    pub unit: Option<Unit>,
    /// What lengths are held against.
    pub limits: Vec<Limit>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lane {
    /// What it is called, at its left, or over it where that would leave it too little room.
    pub name: String,
    /// What else is to be known of it, under its name or after it where there is room.
    pub note: String,
    /// How high it is; others are as high by their own numbers.
    pub high: f64,
    /// What is in it. Pieces of one color are drawn together, in the order in which colors first appear.
    pub pieces: Vec<Piece>,
    /// What it comes to, at its end; empty where nothing is to be said.
    pub sum: String,
    /// Whether that is a warning.
    pub warns: bool,
    /// What pressing it does.
    pub press: Option<Press>,
}

impl Lane {
    /// A row of ordinary height.
    pub fn new(name: impl Into<String>, pieces: Vec<Piece>) -> Self {
        Self { name: name.into(), high: 1.0, pieces, ..Self::default() }
    }

    /// A row of parts that follow each other from 0: tone, length and text of each, with what they come to.
    pub fn stack(
        name: impl Into<String>,
        parts: impl IntoIterator<Item = (Tone, f64, String)>,
        sum: impl Into<String>,
    ) -> Self {
        let mut from = 0.0;
        let pieces = parts.into_iter().filter(|(_, length, _)| *length > 0.0).map(|(tone, length, text)| {
            let piece = Piece { from, to: from + length, tone, text };
            from += length;
            piece
        });
        let pieces = pieces.collect();
        Self { sum: sum.into(), ..Self::new(name, pieces) }
    }

    /// With this under its name.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// With what it comes to as a warning, if it is one.
    pub fn warns(mut self, warns: bool) -> Self {
        self.warns = warns;
        self
    }

    /// With this done by a press.
    pub fn press(mut self, press: Press) -> Self {
        self.press = Some(press);
        self
    }
}

/// A part of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its color.
    pub tone: Tone,
    /// What is written into it where it fits.
    pub text: String,
}

impl Piece {
    /// A piece of which no more is said than its color.
    pub fn new(from: f64, to: f64, tone: impl Into<Tone>) -> Self {
        Self { from, to, tone: tone.into(), text: String::new() }
    }

    /// With this written into it.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }
}

/// A line through all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Where it stands.
    pub at: f64,
    /// What it is.
    pub name: String,
}

/// Pieces narrower than this, in pixels, are drawn as one with what they touch of their color.
const JOINED: f64 = 0.7;
/// Pieces wider than the first have the second left free behind them, in pixels.
const GAP: (f64, f64) = (4.0, 0.75);
/// The part of the width that names may take, and the part that they may take where that is fewer pixels than the last.
const NAMES: (f64, f64, f64) = (0.38, 0.5, 180.0);
/// The least height of a row whose name stands over it, without its name, in pixels.
const LEAST: f64 = 16.0;
/// What is left free beside what can be pressed, in pixels.
const INSET: f64 = 4.0;
/// The part of a row that its pieces are high.
const FULL: f64 = 0.82;

impl Lanes {
    /// Rows of these, from 0 to `end`.
    pub fn new(label: impl Into<String>, head: Head, rows: Vec<Lane>, end: f64, unit: Option<Unit>) -> Self {
        Self { label: label.into(), head, rows, end, unit, limits: Vec::new() }
    }

    pub(crate) fn draw(&self, pen: &mut Pen, area: Area) {
        let Area { left, top, right, bottom } = pen.head(&self.head, area);
        let size = pen.size();
        let foot = if self.unit.is_some() { size * 1.7 } else { 2.0 };
        let head = if self.limits.is_empty() { 0.0 } else { size * 1.4 };
        let whole = right - left;
        let most = (whole * NAMES.0).max((whole * NAMES.1).min(NAMES.2));
        let wanted = pen.widest(self.rows.iter().flat_map(|row| [row.name.as_str(), row.note.as_str()]));
        let all: f64 = self.rows.iter().map(|row| row.high).sum();
        let unit = (bottom - foot - top - head).max(0.0) / all.max(f64::MIN_POSITIVE);
        let lowest = self.rows.iter().map(|row| row.high * unit).fold(f64::INFINITY, f64::min);
        // Names stand over their rows where beside them they would take too much, and rows are high enough for both.
        let over = (wanted > whole * NAMES.0)
            .then(|| {
                pen.lines_over(self.rows.iter().map(|row| (row.name.as_str(), row.note.as_str())), whole - 2.0 * INSET)
            })
            .filter(|over| over + LEAST <= lowest);
        let names = if over.is_some() { 0.0 } else { wanted.min(most) };
        let over = over.unwrap_or(0.0);
        let sums = pen.widest(self.rows.iter().map(|row| row.sum.as_str()));
        let inset = if self.rows.iter().any(|row| row.press.is_some()) { INSET } else { 0.0 };
        let from = left + inset + names + if names > 0.0 { 8.0 } else { 0.0 };
        let to = right - inset - sums - if sums > 0.0 { 8.0 } else { 2.0 };
        let (top, bottom) = (top + head, bottom - foot);
        let scale = (to - from).max(1.0) / self.end.max(f64::MIN_POSITIVE);
        let x = |at: f64| from + at.clamp(0.0, self.end) * scale;
        if let Some(unit) = self.unit {
            for tick in Linear::to(self.end).ticks_in(unit) {
                pen.line([x(tick), top], [x(tick), bottom], Ink::Line.into());
            }
            pen.ticks(
                Linear::to(self.end).ticks_in(unit).map(|tick| (x(tick), unit.format(tick))),
                [from, right],
                bottom + size * 1.2,
            );
        }
        let every = pen.every(unit);
        let mut y = top;
        for (i, row) in self.rows.iter().enumerate() {
            let high = row.high * unit;
            let gap = (high * (1.0 - FULL)).min(6.0);
            let bar = Area { left: from, top: y + over + gap / 2.0, right: to, bottom: y + high - gap / 2.0 };
            if over > 0.0 {
                pen.name_over(&row.name, &row.note, Area { left: from, top: y + gap / 2.0, right, bottom: bar.top });
            } else if i % every == 0 {
                pen.name(&row.name, &row.note, from - 8.0, bar.middle()[1], [names, high]);
            }
            self.row(pen, row, bar, x);
            if i % every == 0 {
                let ink = if row.warns { Ink::Warn } else { Ink::Ink };
                pen.words(&row.sum, [to + 8.0, bar.middle()[1]], "start", ink, pen.size_in(high));
            }
            if let Some(press) = &row.press {
                pen.press(Area { left, top: y, right, bottom: y + high }, press);
            }
            y += high;
        }
        for limit in &self.limits {
            pen.line([x(limit.at), top - 3.0], [x(limit.at), bottom], Ink::Edge.into());
            pen.within(&limit.name, x(limit.at), [left, right], top - size * 0.8);
        }
    }

    fn row(&self, pen: &mut Pen, row: &Lane, bar: Area, x: impl Fn(f64) -> f64) {
        let mut colors: Vec<(Tone, Vec<Area>)> = Vec::new();
        for piece in &row.pieces {
            let (left, right) = (x(piece.from), x(piece.to));
            let right = if right - left > GAP.0 { right - GAP.1 } else { right };
            let at = colors.iter().position(|(tone, _)| *tone == piece.tone).unwrap_or_else(|| {
                colors.push((piece.tone, Vec::new()));
                colors.len() - 1
            });
            let Some((_, areas)) = colors.get_mut(at) else { continue };
            match areas.last_mut() {
                Some(last) if left - last.right < JOINED && right - left < JOINED => last.right = last.right.max(right),
                _ => areas.push(Area { left, right, ..bar }),
            }
        }
        for (tone, areas) in colors {
            pen.rects(areas.into_iter(), tone);
        }
        for piece in row.pieces.iter().filter(|piece| !piece.text.is_empty()) {
            pen.inside(&piece.text, Area { left: x(piece.from), right: x(piece.to), ..bar }, piece.tone);
        }
    }
}
