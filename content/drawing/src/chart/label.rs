//! Where names stand: beside what they name, and clear of everything else.

use super::Ink;
use super::text::width;

/// Which end of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The left.
    Start,
    /// The middle.
    Middle,
    /// The right.
    End,
}

/// A text in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Words {
    /// Where its anchor and its base line are.
    pub at: (f64, f64),
    /// Which end of it is there.
    pub anchor: Anchor,
    /// What it says.
    pub text: String,
    /// Its size.
    pub size: f64,
    /// Whether it is set in semi-bold.
    pub strong: bool,
    /// Its colour.
    pub ink: Ink,
}

/// A rectangle of the frame: left, top, right, bottom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// What both cover, in square pixels.
    fn common(&self, other: &Area) -> f64 {
        let wide = self.right.min(other.right) - self.left.max(other.left);
        let high = self.bottom.min(other.bottom) - self.top.max(other.top);
        wide.max(0.0) * high.max(0.0)
    }

    fn has(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// How far this leaves another, in pixels.
    fn beyond(&self, frame: &Area) -> f64 {
        let over = |past: f64| past.max(0.0);
        over(frame.left - self.left)
            + over(self.right - frame.right)
            + over(frame.top - self.top)
            + over(self.bottom - frame.bottom)
    }
}

/// How much wider Inter is in semi-bold.
const STRONG: f64 = 1.05;

/// What a text covers, with a little air around it.
pub(super) fn covered(words: &Words) -> Area {
    let wide = width(&words.text, words.size) * if words.strong { STRONG } else { 1.0 };
    let (x, y) = words.at;
    let left = match words.anchor {
        Anchor::Start => x,
        Anchor::Middle => x - wide / 2.0,
        Anchor::End => x - wide,
    };
    Area { left: left - 2.0, top: y - words.size * 0.85, right: left + wide + 2.0, bottom: y + words.size * 0.25 }
}

/// What must stay readable, and what is there so far.
pub(super) struct Room {
    /// Names may not leave it.
    pub frame: Area,
    /// Points of lines, close to each other.
    pub ink: Vec<(f64, f64)>,
    /// Names and signs that have their place.
    pub taken: Vec<Area>,
}

/// A point of a line under a name costs as much as so many square pixels of another name.
const INK: f64 = 14.0;
/// What a pixel beyond the frame costs.
const BEYOND: f64 = 60.0;
/// What each later place costs: with nothing in the way, the first is taken.
const LATER: f64 = 0.5;

impl Room {
    /// Moved sideways into the frame, if it is not too wide for it.
    fn within(&self, words: Words) -> Words {
        let Area { left, right, .. } = covered(&words);
        let shift = (self.frame.left - left).max(0.0) - (right - self.frame.right).max(0.0);
        let fits = right - left <= self.frame.right - self.frame.left;
        Words { at: (words.at.0 + if fits { shift } else { 0.0 }, words.at.1), ..words }
    }

    /// The best of several places, which is then taken.
    pub fn place(&mut self, places: impl IntoIterator<Item = Words>) -> Option<Words> {
        let cost = |area: &Area| {
            let names: f64 = self.taken.iter().map(|taken| taken.common(area)).sum();
            let ink = self.ink.iter().filter(|point| area.has(**point)).count();
            names + ink as f64 * INK + area.beyond(&self.frame) * BEYOND
        };
        let priced = places
            .into_iter()
            .map(|words| self.within(words))
            .enumerate()
            .map(|(i, words)| (cost(&covered(&words)) + i as f64 * LATER, words));
        let (_, words) = priced.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        self.taken.push(covered(&words));
        Some(words)
    }
}

/// Places around a point that leave so much room for its sign.
pub(super) fn around(words: &Words, (x, y): (f64, f64), clear: f64) -> Vec<Words> {
    let size = words.size;
    let (over, under, level) = (y - clear, y + clear + size * 0.75, y + size * 0.35);
    let diagonal = clear * 0.75;
    let places = [
        (x - diagonal, over, Anchor::End),
        (x + diagonal, under, Anchor::Start),
        (x + diagonal, over, Anchor::Start),
        (x - diagonal, under, Anchor::End),
        (x, over - 3.0, Anchor::Middle),
        (x, under + 3.0, Anchor::Middle),
        (x + clear + 3.0, level, Anchor::Start),
        (x - clear - 3.0, level, Anchor::End),
        (x - diagonal, over - size, Anchor::End),
        (x + diagonal, under + size, Anchor::Start),
        (x - diagonal, under + size, Anchor::End),
        (x + diagonal, over - size, Anchor::Start),
    ];
    places.into_iter().map(|(x, y, anchor)| Words { at: (x, y), anchor, ..words.clone() }).collect()
}

/// Places along a line, from its right end on: over it, under it and beside it.
pub(super) fn along(words: &Words, line: &[(f64, f64)]) -> Vec<Words> {
    let (Some((first, _)), Some((last, _))) = (line.first(), line.last()) else { return Vec::new() };
    let wide = width(&words.text, words.size);
    let mut places = Vec::new();
    for part in [1.0, 0.92, 0.84, 0.75, 0.65, 0.55, 0.45, 0.35, 0.25, 0.15, 0.05] {
        let x = first + (last - first) * part;
        let Some((_, y)) = line.iter().min_by(|(a, _), (b, _)| (a - x).abs().total_cmp(&(b - x).abs())) else {
            continue;
        };
        for (dx, dy, anchor) in [
            (if part == 1.0 { -2.0 } else { wide / 2.0 }, -7.0, Anchor::End),
            (if part == 1.0 { -2.0 } else { wide / 2.0 }, words.size + 4.0, Anchor::End),
            (-10.0, -2.0, Anchor::End),
            (10.0, words.size * 0.8, Anchor::Start),
        ] {
            places.push(Words { at: (x + dx, y + dy), anchor, ..words.clone() });
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::Ink;
    use super::*;

    fn words(text: &str) -> Words {
        Words { at: (0.0, 0.0), anchor: Anchor::Start, text: text.into(), size: 12.0, strong: false, ink: Ink::Ink }
    }

    fn room() -> Room {
        Room { frame: Area { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 }, ink: Vec::new(), taken: Vec::new() }
    }

    #[test]
    fn a_second_name_leaves_the_first_alone() {
        let mut room = room();
        let point = (200.0, 150.0);
        let first = room.place(around(&words("first"), point, 8.0)).expect("a place");
        let second = room.place(around(&words("second"), point, 8.0)).expect("a place");
        assert_eq!(covered(&first).common(&covered(&second)), 0.0);
    }

    #[test]
    fn names_stay_within_the_frame_and_off_lines() {
        let mut room = room();
        room.ink = (0..100).map(|i| (f64::from(i) * 4.0, 10.0)).collect();
        let corner = room.place(around(&words("in the corner"), (398.0, 2.0), 8.0)).expect("a place");
        let area = covered(&corner);
        assert_eq!(area.beyond(&room.frame), 0.0, "{area:?}");
        assert!(!room.ink.iter().any(|p| area.has(*p)), "{area:?}");
    }

    #[test]
    fn a_name_stands_at_the_end_of_its_line_where_nothing_is_in_the_way() {
        let line: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i) * 4.0, 150.0)).collect();
        let mut room = room();
        room.ink.clone_from(&line);
        let name = room.place(along(&words("line"), &line)).expect("a place");
        assert!(name.at.0 > 380.0 && name.at.1 < 150.0, "{name:?}");
    }
}
