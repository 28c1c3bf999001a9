//! What forms are drawn with: rectangles, lines and words in a frame, as markup in the colors of the page's design tokens.

use std::fmt::Write as _;

use super::{Head, Press, Tone};
use crate::chart::{Frame, Ink, text};
use crate::escaped;

/// A part of a frame, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// All of a frame.
    pub fn of(frame: Frame) -> Self {
        Self { left: 0.0, top: 0.0, right: frame.width, bottom: frame.height }
    }

    /// Its middle.
    pub fn middle(self) -> [f64; 2] {
        [f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom)]
    }

    fn size(self) -> [f64; 2] {
        [(self.right - self.left).max(0.0), (self.bottom - self.top).max(0.0)]
    }
}

/// The smallest words that are written, in pixels.
const SMALLEST: f64 = 7.5;
/// The size of a note, in that of its name.
const NOTE: f64 = 0.92;
/// The height of a line of words, in their size.
const LINE: f64 = 1.15;
/// From which strength on a color has words of its own color on it.
const STRONG: u8 = 70;

/// Draws into markup.
pub struct Pen {
    out: String,
    size: f64,
    presses: Vec<(Area, Press)>,
}

impl Pen {
    /// One that writes words of this size.
    pub fn new(size: f64) -> Self {
        Self { out: String::new(), size, presses: Vec::new() }
    }

    /// The size of words.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// What was drawn.
    pub fn drawn(&self) -> &str {
        &self.out
    }

    /// A part that can be pressed. It is no part of the drawing.
    pub fn press(&mut self, area: Area, press: &Press) {
        self.presses.push((area, press.clone()));
    }

    /// What can be pressed, as buttons that show nothing by themselves. The tab key reaches the one that is chosen.
    pub fn pressed(&self) -> String {
        let first = self.presses.iter().position(|(_, press)| press.is_on).unwrap_or(0);
        let mut out = String::new();
        for (i, (area, press)) in self.presses.iter().enumerate() {
            let [wide, high] = area.size();
            // Writing to a string does not fail.
            let _ = write!(
                out,
                "<rect role=\"button\" tabindex=\"{}\" aria-pressed=\"{}\" aria-label=\"{}\" data-sets=\"{}\" \
                 x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\"/>",
                if i == first { 0 } else { -1 },
                press.is_on,
                escaped(&press.name),
                escaped(&press.sets.to_string()),
                area.left + 0.5,
                area.top + 0.5,
                (wide - 1.0).max(1.0),
                (high - 1.0).max(1.0)
            );
        }
        out
    }

    /// The width of the widest of these.
    pub fn widest<'a>(&self, words: impl Iterator<Item = &'a str>) -> f64 {
        words.map(|words| text::width(words, self.size)).fold(0.0, f64::max)
    }

    /// A rectangle. What would be too small to see is as wide as half a pixel.
    pub fn rect(&mut self, area: Area, tone: Tone) {
        let [wide, high] = area.size();
        let round = if wide > 6.0 && high > 6.0 { " rx=\"2\"" } else { "" };
        // Writing to a string does not fail; so below.
        let _ = write!(
            self.out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"{round} fill=\"var({})\"{}/>",
            area.left,
            area.top,
            wide.max(0.5),
            high.max(0.5),
            tone.ink.token(),
            opacity("fill", tone)
        );
    }

    /// Rectangles of one color.
    pub fn rects(&mut self, areas: impl Iterator<Item = Area>, tone: Tone) {
        let _ = write!(self.out, "<path fill=\"var({})\"{} d=\"", tone.ink.token(), opacity("fill", tone));
        for area in areas {
            let [wide, high] = area.size();
            let (wide, high) = (wide.max(0.5), high.max(0.5));
            let _ = write!(self.out, "M{:.1} {:.1}h{wide:.1}v{high:.1}h-{wide:.1}z", area.left, area.top);
        }
        self.out.push_str("\"/>");
    }

    /// Markup of its own as it is, an `svg` element, in an area.
    pub fn put(&mut self, svg: &str, area: Area) {
        let [wide, high] = area.size();
        let place =
            format!("<svg x=\"{:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" ", area.left, area.top);
        self.out.push_str(&svg.replacen("<svg ", &place, 1));
    }

    /// A line.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], tone: Tone) {
        let _ = write!(
            self.out,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" fill=\"none\" stroke=\"var({})\"{}/>",
            from[0],
            from[1],
            to[0],
            to[1],
            tone.ink.token(),
            opacity("stroke", tone)
        );
    }

    /// Words whose middle line lies at a height.
    pub fn words(&mut self, words: &str, at: [f64; 2], anchor: &str, ink: Ink, size: f64) {
        self.write(words, at, anchor, ink.token(), size);
    }

    fn write(&mut self, words: &str, [x, y]: [f64; 2], anchor: &str, token: &str, size: f64) {
        if words.is_empty() {
            return;
        }
        let _ = write!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-size=\"{size:.1}\" fill=\"var({token})\">{}</text>",
            y + size * 0.36,
            escaped(words)
        );
    }

    /// The name of a row, which ends at `right`, with its note under it; smaller where there is no room for it.
    pub fn name(&mut self, name: &str, note: &str, right: f64, middle: f64, [wide, high]: [f64; 2]) {
        let lines = if note.is_empty() || high < 2.0 * LINE * SMALLEST { 1.0 } else { 2.0 };
        let size = self.fitting(name, wide, high / LINE / lines).max(SMALLEST);
        let up = (lines - 1.0) * size * LINE / 2.0;
        let ink = if lines > 1.0 { Ink::Ink } else { Ink::Soft };
        self.words(name, [right, middle - up], "end", ink, size);
        if lines > 1.0 {
            // Names of code are wider than they are reckoned.
            let small = self.fitting(note, wide * 0.93, size * NOTE).max(SMALLEST);
            self.words(note, [right, middle + up], "end", Ink::Soft, small);
        }
    }

    /// The height of names with their notes that stand over rows of a width: one line where each fits it, or two.
    pub fn lines_over<'a>(&self, mut names: impl Iterator<Item = (&'a str, &'a str)>, wide: f64) -> f64 {
        let fits = names.all(|(name, note)| text::width(name, self.size) + self.beside(note) <= wide);
        self.size * LINE * if fits { 1.0 } else { 2.0 }
    }

    /// The width of a note after a name, with what lies between them.
    fn beside(&self, note: &str) -> f64 {
        if note.is_empty() { 0.0 } else { self.size * 0.8 + text::width(note, self.size * NOTE) }
    }

    /// The name of a row at the left of an area, with its note after it, or under it where the area has two lines.
    pub fn name_over(&mut self, name: &str, note: &str, area: Area) {
        let [wide, high] = area.size();
        let size = self.fitting(name, wide, f64::INFINITY).max(SMALLEST);
        let is_under = high >= 1.5 * LINE * self.size && !note.is_empty();
        let middle = area.top + if is_under { high / 4.0 } else { high / 2.0 };
        self.words(name, [area.left, middle], "start", Ink::Ink, size);
        let small = self.fitting(note, wide, size * NOTE).max(SMALLEST);
        if is_under {
            self.words(note, [area.left, middle + high / 2.0], "start", Ink::Soft, small);
        } else {
            let left = area.left + text::width(name, size) + self.size * 0.8;
            self.words(note, [left, middle], "start", Ink::Soft, small);
        }
    }

    /// Every how many rows of a height one has room for its name.
    pub fn every(&self, high: f64) -> usize {
        (SMALLEST * LINE / high.max(0.1)).ceil().max(1.0) as usize
    }

    /// The size of words in a row of a height.
    pub fn size_in(&self, high: f64) -> f64 {
        self.size.min(high / LINE).max(SMALLEST)
    }

    /// Words in an area, where they fit.
    pub fn inside(&mut self, words: &str, area: Area, tone: Tone) {
        let [wide, high] = area.size();
        let size = self.fitting(words, wide - 4.0, high / LINE);
        if size >= SMALLEST {
            let on = tone.ink.on().filter(|_| tone.strength >= STRONG);
            self.write(words, area.middle(), "middle", on.unwrap_or(Ink::Ink.token()), size);
        }
    }

    /// Words around a place, moved so that they stay between two others.
    pub fn within(&mut self, words: &str, x: f64, [left, right]: [f64; 2], y: f64) {
        let half = text::width(words, self.size) / 2.0;
        let x = x.min(right - half).max(left + half);
        self.words(words, [x, y], "middle", Ink::Soft, self.size);
    }

    /// Words in a row, each around its place, moved to stay between two others; those that would touch the one before are left out.
    pub fn ticks(&mut self, ticks: impl Iterator<Item = (f64, String)>, [left, right]: [f64; 2], y: f64) {
        let mut free = f64::NEG_INFINITY;
        for (x, words) in ticks {
            let half = text::width(&words, self.size) / 2.0;
            let x = x.min(right - half).max(left + half);
            if x - half < free {
                continue;
            }
            free = x + half + 6.0;
            self.words(&words, [x, y], "middle", Ink::Soft, self.size);
        }
    }

    /// The title and the key at the top of an area, and what is left of it.
    pub fn head(&mut self, head: &Head, area: Area) -> Area {
        let size = self.size;
        let (mut x, mut y) = (area.left, area.top + size * 0.7);
        if head.title.is_empty() && head.keys.is_empty() {
            return area;
        }
        if !head.title.is_empty() {
            let fit = self.fitting(&head.title, area.right - area.left, f64::INFINITY).max(SMALLEST);
            self.words(&head.title, [x, y], "start", Ink::Ink, fit);
            x += text::width(&head.title, fit) + size * 1.3;
        }
        for (tone, name) in &head.keys {
            let wide = size * 1.2 + text::width(name, size);
            if x + wide > area.right && x > area.left {
                (x, y) = (area.left, y + size * 1.5);
            }
            let sign = Area { left: x, top: y - size * 0.4, right: x + size * 0.8, bottom: y + size * 0.4 };
            self.rect(sign, *tone);
            self.words(name, [x + size * 1.15, y], "start", Ink::Soft, size);
            x += wide + size * 1.1;
        }
        Area { top: y + size * 1.1, ..area }
    }

    /// The size in which words fit this room, at most the usual.
    fn fitting(&self, words: &str, wide: f64, high: f64) -> f64 {
        let whole = text::width(words, 1.0).max(1e-9);
        self.size.min(wide / whole).min(high)
    }
}

fn opacity(what: &str, tone: Tone) -> String {
    if tone.strength >= 100 {
        String::new()
    } else {
        format!(" {what}-opacity=\"{:.2}\"", f64::from(tone.strength) / 100.0)
    }
}
