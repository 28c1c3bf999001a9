//! Slots over time: whose prompt, whose tokens; above them the requests that wait, below them the blocks in use.

use std::fmt::Write as _;

use ringside_core::quantity::Unit;
use ringside_core::serving::figure::{Params, Shown};
use ringside_core::serving::scheduler::Policy;
use ringside_core::serving::simulate::{Moment, Span, Use};
use ringside_drawing::chart::Frame;

/// The least width, in pixels. In a narrower place it is moved sideways.
const WIDE: f64 = 640.0;
/// The height of a slot at the most, in pixels.
const SLOT: f64 = 34.0;
/// What stands beside a strip, at the longest, in letters; and how wide a letter is, in parts of its size.
const NAMES: f64 = 13.0;
const LETTER: f64 = 0.58;
/// Requests that have a colour of their own.
pub(super) const COLOURS: usize = 6;

struct Drawing<'a> {
    p: &'a Params,
    s: &'a Shown,
    step: Option<&'a Moment>,
    /// The size of its text, and its width.
    text: f64,
    wide: f64,
    /// The heights of a slot, of the strips above and below them, and of what parts them.
    row: f64,
    strip: f64,
    gap: f64,
    end: f64,
    svg: String,
}

/// The drawing as markup, as large as its place.
pub(super) fn picture(p: &Params, s: &Shown, room: Frame) -> String {
    let Frame { width, height, text, .. } = room;
    let slots: usize = s.schedule.slots.iter().sum();
    let (strip, gap) = ((0.12 * height).max(2.5 * text), 0.9 * text);
    let parted = s.schedule.slots.iter().filter(|slots| **slots > 0).count() as f64 + 1.0;
    let free = height - parted * gap - 1.8 * text;
    let row = ((free - 2.0 * strip) / slots.max(1) as f64).clamp(0.5, SLOT);
    // What few slots leave is for the strips.
    let strip = ((free - row * slots as f64) / 2.0).clamp(strip, 3.0 * strip);
    let end = s.schedule.makespan().max(1e-9);
    let wide = width.max(WIDE);
    let mut drawing = Drawing { p, s, step: p.moment(s), text, wide, row, strip, gap, end, svg: String::new() };
    drawing.draw();
    drawing.svg
}

impl Drawing<'_> {
    /// Where time begins and ends.
    fn sides(&self) -> (f64, f64) {
        (self.text * LETTER * NAMES, self.wide - 1.6 * self.text)
    }

    fn x(&self, time: f64) -> f64 {
        let (from, to) = self.sides();
        from + (to - from) * time / self.end
    }

    /// The top of a slot. Those of the second replica stand below the first's.
    fn top(&self, replica: usize, slot: usize) -> f64 {
        let [first, _] = self.s.schedule.slots;
        let before = if replica == 0 { 0.0 } else { first as f64 * self.row + self.gap };
        self.strip + self.gap + before + slot as f64 * self.row
    }

    fn now(&self) -> f64 {
        self.step.map_or(0.0, |step| step.to)
    }

    fn draw(&mut self) {
        let [first, second] = self.s.schedule.slots;
        let bottom = if second > 0 { self.top(1, second) } else { self.top(0, first) };
        let blocks = bottom + self.gap;
        let (wide, text, strip) = (self.wide, self.text, self.strip);
        let high = blocks + strip + 1.8 * text;
        let words = self.p.caption(self.s).replace('"', "”");
        // Writing to a string does not fail.
        let _ = write!(
            self.svg,
            "<svg viewBox=\"0 0 {wide:.1} {high:.1}\" font-size=\"{text:.1}\" role=\"img\" aria-label=\"{words}\">"
        );
        self.area("waiting", (0.0, strip), "waiting", |m| m.waiting as f64, None);
        for (replica, slots) in [(0, first), (1, second)] {
            self.lanes(replica, slots);
        }
        let all = self.s.schedule.blocks as f64;
        self.area("blocks", (blocks, strip), "cache in use", |m| all - m.batch.free as f64, Some(all));
        self.spans();
        self.axis(blocks + strip);
        if let Some(step) = self.step {
            let (from, to) = (self.x(step.from), self.x(step.to));
            let _ = write!(
                self.svg,
                "<rect class=\"cursor\" x=\"{from:.1}\" y=\"0\" width=\"{:.1}\" height=\"{:.1}\" />",
                (to - from).max(1.0),
                blocks + strip
            );
        }
        self.svg.push_str("</svg>");
    }

    fn lanes(&mut self, replica: usize, slots: usize) {
        if slots == 0 {
            return;
        }
        let name = match (self.p.policy, replica) {
            (Policy::Disaggregated, 0) => "prefill",
            (Policy::Disaggregated, _) => "decode",
            _ => "slots",
        };
        let (top, high) = (self.top(replica, 0), slots as f64 * self.row);
        let (left, right) = self.sides();
        let _ = write!(
            self.svg,
            "<rect class=\"lane\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{high:.1}\" /><text class=\"name\" x=\"{:.1}\" \
             y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            right - left,
            left - 6.0,
            top + high / 2.0 + 0.35 * self.text
        );
    }

    /// A strip of what is so much in each step, up to now. In use of all blocks is written as a share.
    fn area(
        &mut self,
        class: &str,
        (top, high): (f64, f64),
        name: &str,
        of: impl Fn(&Moment) -> f64,
        all: Option<f64>,
    ) {
        let most = self.s.schedule.steps.iter().map(&of).fold(0.0, f64::max);
        let scale = if most > 0.0 { high / most } else { 0.0 };
        let foot = top + high;
        let mut path = String::new();
        for step in self.s.schedule.steps.iter().filter(|step| step.to <= self.now()) {
            let y = foot - of(step) * scale;
            let _ = write!(path, "M{:.1} {foot:.1}V{y:.1}H{:.1}V{foot:.1}", self.x(step.from), self.x(step.to));
        }
        let text = match all {
            Some(all) if all > 0.0 => format!("at most {}", Unit::Fraction.format(most / all)),
            _ => format!("at most {most:.0}"),
        };
        let (left, right) = self.sides();
        let _ = write!(
            self.svg,
            "<path class=\"{class}\" d=\"{path}\" /><path class=\"foot\" d=\"M{left:.1} {foot:.1}H{right:.1}\" />"
        );
        for (words, up) in [(name, 1.5), (text.as_str(), 0.3)] {
            let _ = write!(
                self.svg,
                "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{words}</text>",
                left - 6.0,
                foot - up * self.text
            );
        }
    }

    /// What each slot was used for until now.
    fn spans(&mut self) {
        let now = self.now();
        let mut named: Vec<(usize, usize)> = Vec::new();
        for span in self.s.schedule.spans.iter().filter(|span| span.from < now) {
            let (left, right) = (self.x(span.from), self.x(span.to.min(now)));
            let (top, high) = (self.top(span.replica, span.slot), self.row - if self.row > 5.0 { 1.5 } else { 0.3 });
            let used = match span.used {
                Use::Prefill => "prefill",
                Use::Decode => "decode",
                Use::Stalled => "stalled",
                Use::Padding => "padding",
            };
            let _ = write!(
                self.svg,
                "<rect class=\"{used} r{}\" x=\"{left:.2}\" y=\"{top:.1}\" width=\"{:.2}\" height=\"{high:.1}\"><title>{}</title></rect>",
                span.request % COLOURS,
                (right - left).max(0.4),
                said(span)
            );
            let is_first = !named.contains(&(span.request, span.replica));
            let size = self.text.min(self.row - 2.0);
            if is_first && size >= 0.75 * self.text && span.used == Use::Decode && right - left > 1.6 * size {
                named.push((span.request, span.replica));
                let _ = write!(
                    self.svg,
                    "<text class=\"in r{}\" font-size=\"{size:.1}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    span.request % COLOURS,
                    left + 3.0,
                    top + high / 2.0 + 0.36 * size,
                    span.request + 1
                );
            }
        }
    }

    fn axis(&mut self, bottom: f64) {
        let power = 10_f64.powf((self.end / 6.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| self.end / step <= 7.0);
        let step = step.unwrap_or(10.0 * power);
        for i in 0..=(self.end / step) as u32 {
            let time = f64::from(i) * step;
            let x = self.x(time);
            let _ = write!(
                self.svg,
                "<path class=\"tick\" d=\"M{x:.1} {bottom:.1}v4\" /><text class=\"name\" x=\"{x:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text>",
                bottom + 4.0 + 1.1 * self.text,
                Unit::Seconds.format(time)
            );
        }
    }
}

fn said(span: &Span) -> String {
    let what = match span.used {
        Use::Prefill => "prompt",
        Use::Decode => "tokens",
        Use::Stalled => "waits for others’ prompts",
        Use::Padding => "has ended, its batch has not",
    };
    format!("request {}: {what}, {}", span.request + 1, Unit::Seconds.format(span.to - span.from))
}
