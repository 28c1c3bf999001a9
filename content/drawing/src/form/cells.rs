//! Places in a grid: elements of matrices, tiles, pages, bits, tokens, and what each rank holds.

use super::pen::Area;
use super::{Head, Pen, Press, Tone};

/// A grid with what is in its places.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cells {
    /// What is to be seen, for who does not see it.
    pub label: String,
    /// What stands over it.
    pub head: Head,
    /// Columns and rows.
    pub size: [f64; 2],
    /// What is in them. Those of one color are drawn together, in the order in which colors first appear: what lies under others comes
    /// first.
    pub cells: Vec<Cell>,
    /// What rows are called, and their middles.
    pub rows: Vec<(f64, String)>,
    /// What columns are called, and their middles.
    pub columns: Vec<(f64, String)>,
    /// What several columns together are called, over the names of each, and their middles.
    pub spans: Vec<(f64, String)>,
    /// Lines over the cells, each from one place to another.
    pub lines: Vec<([f64; 2], [f64; 2], Tone)>,
    /// Whether a place is as high as it is wide.
    pub is_square: bool,
}

/// What is in a place, or in several: where it is in columns and rows, and how large.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its left and its top.
    pub at: [f64; 2],
    /// Its width and its height.
    pub size: [f64; 2],
    /// Its color.
    pub tone: Tone,
    /// What is written into it where it fits.
    pub text: String,
    /// What pressing it does.
    pub press: Option<Press>,
}

impl Cell {
    /// One place.
    pub fn new(column: f64, row: f64, tone: impl Into<Tone>) -> Self {
        Self::of([column, row], [1.0, 1.0], tone)
    }

    /// A rectangle of places.
    pub fn of(at: [f64; 2], size: [f64; 2], tone: impl Into<Tone>) -> Self {
        Self { at, size, tone: tone.into(), text: String::new(), press: None }
    }

    /// With this written into it.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// With this done by a press.
    pub fn press(mut self, press: Press) -> Self {
        self.press = Some(press);
        self
    }
}

/// Room between two places, as a part of one, and at most, in pixels.
const GAP: (f64, f64) = (0.14, 3.0);

impl Cells {
    /// A grid of these.
    pub fn new(label: impl Into<String>, head: Head, size: [f64; 2], cells: Vec<Cell>) -> Self {
        Self { label: label.into(), head, size, cells, ..Self::default() }
    }

    /// With names of its rows, from the first on, and of its columns.
    pub fn named(mut self, rows: impl IntoIterator<Item = String>, columns: impl IntoIterator<Item = String>) -> Self {
        self.rows = rows.into_iter().enumerate().map(|(i, name)| (i as f64 + 0.5, name)).collect();
        self.columns = columns.into_iter().enumerate().map(|(i, name)| (i as f64 + 0.5, name)).collect();
        self
    }

    /// With places as high as they are wide.
    pub fn square(mut self) -> Self {
        self.is_square = true;
        self
    }

    pub(crate) fn draw(&self, pen: &mut Pen, area: Area) {
        let area = pen.head(&self.head, area);
        let size = pen.size();
        let names = pen.widest(self.rows.iter().map(|(_, name)| name.as_str())).min((area.right - area.left) * 0.38);
        let mut left = area.left + names + if names > 0.0 { 8.0 } else { 0.0 };
        let of_spans = area.top + if self.spans.is_empty() { 0.0 } else { size * 1.5 };
        let top = of_spans + if self.columns.is_empty() { 0.0 } else { size * 1.5 };
        let [columns, rows] = self.size.map(|size| size.max(1e-9));
        let [mut wide, mut high] = [(area.right - left) / columns, (area.bottom - top) / rows];
        if self.is_square {
            let side = wide.min(high);
            left += columns * (wide - side) / 2.0;
            [wide, high] = [side; 2];
        }
        let gap = (wide.min(high) * GAP.0).min(GAP.1);
        let (x, y) = (|column: f64| left + column * wide, |row: f64| top + row * high);
        let of_row = high * rows / self.rows.len().max(1) as f64;
        let every = pen.every(of_row);
        for (middle, name) in self.rows.iter().step_by(every) {
            pen.name(name, "", left - 8.0, y(*middle), [names, of_row]);
        }
        for (line, bottom) in [(&self.spans, of_spans), (&self.columns, top)] {
            let ticks = line.iter().map(|(middle, name)| (x(*middle), name.clone()));
            pen.ticks(ticks, [left, area.right], bottom - size * 0.7);
        }
        let place = |cell: &Cell| Area {
            left: x(cell.at[0]) + gap / 2.0,
            top: y(cell.at[1]) + gap / 2.0,
            right: x(cell.at[0] + cell.size[0]) - gap / 2.0,
            bottom: y(cell.at[1] + cell.size[1]) - gap / 2.0,
        };
        let mut tones: Vec<Tone> = Vec::new();
        for cell in &self.cells {
            if !tones.contains(&cell.tone) {
                tones.push(cell.tone);
            }
        }
        for tone in tones {
            pen.rects(self.cells.iter().filter(|cell| cell.tone == tone).map(place), tone);
        }
        for (from, to, tone) in &self.lines {
            pen.line([x(from[0]), y(from[1])], [x(to[0]), y(to[1])], *tone);
        }
        for cell in self.cells.iter().filter(|cell| !cell.text.is_empty()) {
            pen.inside(&cell.text, place(cell), cell.tone);
        }
        for cell in &self.cells {
            if let Some(press) = &cell.press {
                pen.press(place(cell), press);
            }
        }
    }
}
