//! Where everything of a chart stands in a frame.

use super::axis::{Axis, Tick};
use super::label::{self, Anchor, Area, Room, Words};
use super::text::width;
use super::{At, Chart, Form, Ink, Rule, Series, Weight};

/// The room that a chart has, in pixels of the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// From left to right.
    pub width: f64,
    /// From the top to the bottom.
    pub height: f64,
    /// The size of its text.
    pub text: f64,
    /// The size of the smallest thing that can be shown: lines of an axis lie on whole ones.
    pub pixel: f64,
}

/// An entry of the key: which series, and where its sign is.
#[derive(Debug, Clone, PartialEq)]
pub struct Sign {
    /// Which of the chart's series.
    pub series: usize,
    /// The left end and the middle height of its sign, which is [`SIGN`] wide.
    pub at: (f64, f64),
}

/// Where everything stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The frame.
    pub frame: Frame,
    /// From left to right, where numbers are.
    pub across: (f64, f64),
    /// From the bottom to the top, where numbers are; the first is the larger.
    pub up: (f64, f64),
    /// Numbers and strokes of the axis across.
    pub across_ticks: Vec<Tick>,
    /// Numbers and strokes of the axis up.
    pub up_ticks: Vec<Tick>,
    /// Where the upright reference lines begin, in the order of the chart's rules.
    pub rule_tops: Vec<f64>,
    /// The key.
    pub signs: Vec<Sign>,
    /// Everything that is written.
    pub words: Vec<Words>,
}

/// The width of a sign in the key, in ems.
pub const SIGN: f64 = 1.5;
/// The radius of a marked point, in ems.
pub const MARK: f64 = 0.42;
/// Up to this width, in ems, several names stand in the key rather than in the drawing.
const NARROW: f64 = 30.0;

impl Layout {
    /// Lays a chart out.
    pub fn of(chart: &Chart, frame: Frame) -> Self {
        let em = frame.text;
        let mut words = Vec::new();
        let named = chart.series.iter().filter(|s| is_named_beside(s)).count();
        let all_in_key = frame.width < NARROW * em && named > 2;
        let (signs, mut top) = key(chart, frame, all_in_key, &mut words);

        let up_name = soft((0.0, top + em), Anchor::Start, chart.up.name.clone(), em);
        if !up_name.text.is_empty() {
            words.push(up_name);
            top += 1.45 * em;
        }
        let upright: Vec<&Rule> = chart.rules.iter().filter(|r| matches!(r.at, At::Across(_))).collect();
        let rows = upright.iter().filter(|r| !r.text.is_empty()).count();
        let row = 1.4 * em;
        top += rows as f64 * row + 0.7 * em;

        let across_is_written =
            chart.across.ticks(frame.width, |text| width(text, em)).iter().any(|t| !t.text.is_empty());
        let name_below = if chart.across.name.is_empty() { 0.0 } else { 1.5 * em };
        let numbers_below = if across_is_written { 1.7 * em } else { 0.4 * em };
        let bottom = (frame.height - name_below - numbers_below).max(top + 2.0 * em);

        let up_ticks = chart.up.ticks(bottom - top, |_| 1.9 * em);
        let widest = up_ticks.iter().map(|t| width(&t.text, em)).fold(0.0, f64::max);
        // In steps, so that a number that grows by a digit does not move the drawing each time.
        let left = if widest > 0.0 { ((widest + 0.8 * em) / em).ceil() * em } else { 1.0 };
        let right = frame.width - (0.8 * em).max(MARK * em + 2.0);
        let across_ticks = chart.across.ticks(right - left, |text| width(text, em) + 1.3 * em);

        let mut layout = Self {
            frame,
            across: (left, right.max(left + em)),
            up: (bottom, top),
            across_ticks,
            up_ticks,
            rule_tops: Vec::new(),
            signs,
            words,
        };
        layout.write_axes(chart, name_below > 0.0);
        layout.write_names(chart, all_in_key, row);
        layout
    }

    /// Where a number of the axis across stands.
    pub fn x(&self, chart: &Chart, value: f64) -> f64 {
        on(self.across, &chart.across, value)
    }

    /// Where a number of the axis up stands.
    pub fn y(&self, chart: &Chart, value: f64) -> f64 {
        on(self.up, &chart.up, value)
    }

    /// The numbers at a place in pixels; those of the edge for what is beyond.
    pub fn value(&self, chart: &Chart, (x, y): (f64, f64)) -> (f64, f64) {
        let part = |(from, to): (f64, f64), at: f64| ((at - from) / (to - from)).clamp(0.0, 1.0);
        (chart.across.value(part(self.across, x)), chart.up.value(part(self.up, y)))
    }

    /// What a series draws within the axes: pieces of a line, in pixels.
    pub fn line(&self, chart: &Chart, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let part = |(x, y): &(f64, f64)| (chart.across.fraction(*x), chart.up.fraction(*y));
        let place = |(x, y): (f64, f64)| (between(self.across, x), between(self.up, y));
        let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut open = false;
        for pair in points.windows(2) {
            let Some((from, to)) = cut(part(&pair[0]), part(&pair[1])) else {
                open = false;
                continue;
            };
            let (from, to) = (place(from), place(to));
            match pieces.last_mut() {
                Some(piece) if open && piece.last() == Some(&from) => piece.push(to),
                _ => pieces.push(vec![from, to]),
            }
            open = true;
        }
        pieces
    }

    fn write_axes(&mut self, chart: &Chart, named: bool) {
        let em = self.frame.text;
        let (left, right) = self.across;
        for tick in self.across_ticks.iter().filter(|t| !t.text.is_empty()) {
            let half = width(&tick.text, em) / 2.0;
            let x = self.x(chart, tick.value).clamp(half.min(left), (self.frame.width - half).max(left));
            self.words.push(soft((x, self.up.0 + 1.4 * em), Anchor::Middle, tick.text.clone(), em));
        }
        for tick in self.up_ticks.iter().filter(|t| !t.text.is_empty()) {
            let y = self.y(chart, tick.value) + 0.36 * em;
            self.words.push(soft((left - 0.6 * em, y), Anchor::End, tick.text.clone(), em));
        }
        if named {
            let at = (right, self.frame.height - 0.35 * em);
            self.words.push(soft(at, Anchor::End, chart.across.name.clone(), em));
        }
    }

    /// Names of marks, then of reference lines, then of series: the first are the most important.
    fn write_names(&mut self, chart: &Chart, all_in_key: bool, row: f64) {
        let em = self.frame.text;
        let frame =
            Area { left: self.across.0, top: self.up.1 - 0.4 * em, right: self.frame.width, bottom: self.up.0 - 2.0 };
        let lines: Vec<Vec<(f64, f64)>> = chart.series.iter().map(|s| self.sampled(chart, s)).collect();
        let mut room = Room { frame, ink: lines.concat(), taken: Vec::new() };
        let marks: Vec<(f64, f64)> =
            chart.marks.iter().map(|m| (self.x(chart, m.at.0), self.y(chart, m.at.1))).collect();
        let radius = MARK * em + 2.0;
        room.taken.extend(marks.iter().map(|(x, y)| Area {
            left: x - radius,
            top: y - radius,
            right: x + radius,
            bottom: y + radius,
        }));
        let (left, right) = self.across;
        self.rule_tops = vec![self.up.1; chart.rules.len()];
        let mut level = 0.0;
        for (rule, top) in chart.rules.iter().zip(&mut self.rule_tops) {
            let At::Across(at) = rule.at else { continue };
            let part = chart.across.fraction(at);
            let x = between((left, right), part);
            let height = self.up.1 - 0.5 * em - level;
            if !rule.text.is_empty() {
                // The next name stands a row higher, so that two lines may come as close as they like.
                level += row;
            }
            if !(0.0..=1.0).contains(&part) {
                continue;
            }
            room.ink.extend(steps((x, self.up.1), (x, self.up.0)));
            if rule.text.is_empty() {
                continue;
            }
            *top = height - 0.8 * em;
            let wide = width(&rule.text, em);
            let (at, anchor) = match () {
                () if x + wide + 8.0 <= self.frame.width => (x + 6.0, Anchor::Start),
                () if x - wide - 8.0 >= 0.0 => (x - 6.0, Anchor::End),
                () => ((self.frame.width - wide).max(0.0), Anchor::Start),
            };
            let name = Words { ink: rule.ink, ..soft((at, height), anchor, rule.text.clone(), em) };
            room.taken.push(label::covered(&name));
            self.words.push(name);
        }
        for rule in &chart.rules {
            let At::Up(at) = rule.at else { continue };
            if (0.0..=1.0).contains(&chart.up.fraction(at)) {
                let y = self.y(chart, at);
                room.ink.extend(steps((left, y), (right, y)));
            }
        }
        let marked = chart.marks.iter().zip(&marks).map(|(mark, at)| {
            let words = Words { strong: true, ink: Ink::Ink, ..soft(*at, Anchor::Start, mark.text.clone(), em * 1.08) };
            label::around(&words, *at, radius + 2.0)
        });
        let rules = chart.rules.iter().filter_map(|rule| {
            let At::Up(at) = rule.at else { return None };
            let shown = (0.0..=1.0).contains(&chart.up.fraction(at)) && !rule.text.is_empty();
            shown.then(|| {
                let line = steps((left, self.y(chart, at)), (right, self.y(chart, at)));
                label::along(&Words { ink: rule.ink, ..soft((0.0, 0.0), Anchor::End, rule.text.clone(), em) }, &line)
            })
        });
        let series =
            chart.series.iter().zip(&lines).filter(|(s, _)| !all_in_key && is_named_beside(s)).map(|(s, line)| {
                let subject = !matches!(s.form, Form::Line(_, Weight::Fine));
                let ink = if subject { Ink::Ink } else { Ink::Soft };
                let words = Words { ink, ..soft((0.0, 0.0), Anchor::End, s.name.clone(), em) };
                label::along(&words, line)
            });
        let placed: Vec<Words> = marked.chain(rules).chain(series).filter_map(|places| room.place(places)).collect();
        self.words.extend(placed.into_iter().filter(|w| !w.text.is_empty()));
    }

    /// The lines of a series as points close to each other.
    fn sampled(&self, chart: &Chart, series: &Series) -> Vec<(f64, f64)> {
        match series.form {
            Form::Bars => Vec::new(),
            Form::Dots(_) => series.points.iter().map(|(x, y)| (self.x(chart, *x), self.y(chart, *y))).collect(),
            Form::Line(..) | Form::Area { .. } => {
                let pieces = self.line(chart, &series.points);
                pieces.iter().flat_map(|p| p.windows(2)).flat_map(|pair| steps(pair[0], pair[1])).collect()
            }
        }
    }
}

fn is_named_beside(series: &Series) -> bool {
    !series.in_key && !series.name.is_empty() && !series.points.is_empty()
}

/// The entries of the key in rows, and how high they are.
fn key(chart: &Chart, frame: Frame, all: bool, words: &mut Vec<Words>) -> (Vec<Sign>, f64) {
    let em = frame.text;
    let mut signs = Vec::new();
    let (mut x, mut y) = (0.0, 0.0);
    for (i, series) in chart.series.iter().enumerate() {
        if series.name.is_empty() || !(series.in_key || all) {
            continue;
        }
        let wide = (SIGN + 0.5) * em + width(&series.name, em);
        if x > 0.0 && x + wide > frame.width {
            (x, y) = (0.0, y + 1.5 * em);
        }
        signs.push(Sign { series: i, at: (x, y + 0.68 * em) });
        words.push(soft((x + (SIGN + 0.5) * em, y + em), Anchor::Start, series.name.clone(), em));
        x += wide + 1.6 * em;
    }
    let high = if signs.is_empty() { 0.0 } else { y + 1.9 * em };
    (signs, high)
}

fn soft(at: (f64, f64), anchor: Anchor, text: String, size: f64) -> Words {
    Words { at, anchor, text, size, strong: false, ink: Ink::Soft }
}

fn on(ends: (f64, f64), axis: &Axis, value: f64) -> f64 {
    between(ends, axis.fraction(value).clamp(0.0, 1.0))
}

fn between((from, to): (f64, f64), part: f64) -> f64 {
    from + (to - from) * part
}

/// Points on the way from one to another, a few pixels apart.
fn steps(from: (f64, f64), to: (f64, f64)) -> Vec<(f64, f64)> {
    let far = (to.0 - from.0).hypot(to.1 - from.1);
    let count = (far / 4.0).ceil().clamp(1.0, 1000.0);
    let at = |i: u32| {
        let part = f64::from(i) / count;
        (between((from.0, to.0), part), between((from.1, to.1), part))
    };
    (0..=count as u32).map(at).collect()
}

/// What of a line from one point to another lies between 0 and 1 in both directions.
fn cut(from: (f64, f64), to: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    // Far outside is as good as infinitely far, and can be multiplied.
    let near = |v: f64| if v.is_nan() { None } else { Some(v.clamp(-1e6, 1e6)) };
    let (from, to) = ((near(from.0)?, near(from.1)?), (near(to.0)?, near(to.1)?));
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (step, past) in [(-dx, from.0), (dx, 1.0 - from.0), (-dy, from.1), (dy, 1.0 - from.1)] {
        if step == 0.0 {
            if past < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            first = first.max(past / step);
        } else {
            last = last.min(past / step);
        }
    }
    let at = |t: f64| (from.0 + dx * t, from.1 + dy * t);
    (first <= last).then(|| (if first == 0.0 { from } else { at(first) }, if last == 1.0 { to } else { at(last) }))
}

#[cfg(test)]
mod tests {
    use ringside_core::catalogue;
    use ringside_core::query::Query;

    use super::*;
    use crate::picture::Picture;
    use crate::pictures;

    fn only(picture: Picture) -> Option<Chart> {
        match picture {
            Picture::Chart(chart) => Some(*chart),
            _ => None,
        }
    }

    /// Whether two texts cover each other.
    fn collide(a: &Words, b: &Words) -> bool {
        let letters = |words: &Words| {
            let Area { left, top, right, bottom } = label::covered(words);
            Area { left: left + 2.0, top: top + 2.0, right: right - 2.0, bottom: bottom - 2.0 }
        };
        let (a, b) = (letters(a), letters(b));
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    }

    #[test]
    fn nothing_that_is_written_leaves_the_frame_or_covers_another_number() {
        let sizes = [(330.0, 250.0, 12.5), (660.0, 320.0, 13.0), (1500.0, 640.0, 16.0)];
        let charts: Vec<Chart> = catalogue::ALL
            .iter()
            .filter_map(|entry| pictures::of(entry.id, &Query::default()))
            .filter_map(only)
            .collect();
        assert!(charts.len() >= 7, "{}", charts.len());
        for (chart, (width, height, text)) in charts.iter().flat_map(|chart| sizes.map(|size| (chart, size))) {
            let layout = Layout::of(chart, Frame { width, height, text, pixel: 1.0 });
            for words in &layout.words {
                let area = label::covered(words);
                let (left, right) = (-3.0, width + 3.0);
                assert!(area.left >= left && area.right <= right, "{words:?} in {width}");
                assert!(area.top >= -3.0 && area.bottom <= height + 3.0, "{words:?} in {height}");
            }
            // Names may come close to each other where there is no room; numbers of an axis may not.
            let ticks = layout.across_ticks.iter().chain(&layout.up_ticks).filter(|t| !t.text.is_empty()).count();
            let numbers: Vec<&Words> = layout.words.iter().filter(|w| w.ink == Ink::Soft && !w.strong).collect();
            assert!(ticks >= 4, "{ticks} in {width} × {height}: {}", chart.label);
            for (i, a) in numbers.iter().enumerate() {
                for b in &numbers[i + 1..] {
                    assert!(!collide(a, b), "{a:?} and {b:?} in {width}");
                }
            }
        }
    }

    #[test]
    fn lines_end_at_the_edge() {
        assert_eq!(cut((0.5, -1.0), (0.5, 2.0)), Some(((0.5, 0.0), (0.5, 1.0))));
        assert_eq!(cut((0.25, 0.5), (0.75, 0.5)), Some(((0.25, 0.5), (0.75, 0.5))));
        assert_eq!(cut((-1.0, 0.5), (-0.5, 0.5)), None);
        assert_eq!(cut((0.0, 2.0), (1.0, 3.0)), None);
        assert_eq!(cut((0.5, f64::NEG_INFINITY), (0.5, 0.5)), Some(((0.5, 0.0), (0.5, 0.5))));
        assert_eq!(cut((f64::NAN, 0.0), (0.5, 0.5)), None);
    }
}
