//! Slots over time: whose prompt, whose tokens; above them the requests that wait, below them the blocks in use.

use std::fmt::Write as _;

use ringside_core::quantity::Unit;
use ringside_core::serving::figure::{Params, Shown};
use ringside_core::serving::scheduler::Policy;
use ringside_core::serving::simulate::{Moment, Span, Use};

/// Width of the drawing, in its own units.
const WIDE: f64 = 900.0;
/// What all slots together are about as high as.
const HIGH: f64 = 230.0;
/// Where time begins and ends.
const TIME: (f64, f64) = (74.0, 890.0);
/// Heights of the strip of those who wait, of that of blocks, of the axis, and between them.
const WAITING: f64 = 44.0;
const BLOCKS: f64 = 44.0;
const AXIS: f64 = 22.0;
const GAP: f64 = 16.0;
/// Requests that have a colour of their own.
pub(super) const COLOURS: usize = 6;

struct Drawing<'a> {
    p: &'a Params,
    s: &'a Shown,
    step: Option<&'a Moment>,
    row: f64,
    end: f64,
    svg: String,
}

/// The drawing as markup.
pub(super) fn picture(p: &Params, s: &Shown) -> String {
    let slots: usize = s.schedule.slots.iter().sum();
    let row = (HIGH / slots.max(1) as f64).clamp(2.0, 26.0);
    let end = s.schedule.makespan().max(1e-9);
    let mut drawing = Drawing { p, s, step: p.moment(s), row, end, svg: String::new() };
    drawing.draw();
    drawing.svg
}

impl Drawing<'_> {
    fn x(&self, time: f64) -> f64 {
        TIME.0 + (TIME.1 - TIME.0) * time / self.end
    }

    /// The top of a slot. Those of the second replica stand below the first's.
    fn top(&self, replica: usize, slot: usize) -> f64 {
        let [first, _] = self.s.schedule.slots;
        let before = if replica == 0 { 0.0 } else { first as f64 * self.row + GAP };
        WAITING + GAP + before + slot as f64 * self.row
    }

    fn now(&self) -> f64 {
        self.step.map_or(0.0, |step| step.to)
    }

    fn draw(&mut self) {
        let [first, second] = self.s.schedule.slots;
        let bottom = if second > 0 { self.top(1, second) } else { self.top(0, first) };
        let blocks = bottom + GAP;
        let high = blocks + BLOCKS + AXIS;
        let words = self.p.caption(self.s).replace('"', "”");
        // Writing to a string does not fail.
        let _ = write!(
            self.svg,
            "<svg viewBox=\"0 0 {WIDE} {high:.1}\" preserveAspectRatio=\"xMinYMid\" role=\"img\" aria-label=\"{words}\">"
        );
        self.area("waiting", (0.0, WAITING), "waiting", |m| m.waiting as f64, None);
        for (replica, slots) in [(0, first), (1, second)] {
            self.lanes(replica, slots);
        }
        let all = self.s.schedule.blocks as f64;
        self.area("blocks", (blocks, BLOCKS), "cache in use", |m| all - m.batch.free as f64, Some(all));
        self.spans();
        self.axis(blocks + BLOCKS);
        if let Some(step) = self.step {
            let (from, to) = (self.x(step.from), self.x(step.to));
            let _ = write!(
                self.svg,
                "<rect class=\"cursor\" x=\"{from:.1}\" y=\"0\" width=\"{:.1}\" height=\"{:.1}\" />",
                (to - from).max(1.0),
                blocks + BLOCKS
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
        let _ = write!(
            self.svg,
            "<rect class=\"lane\" x=\"{}\" y=\"{top:.1}\" width=\"{}\" height=\"{high:.1}\" /><text class=\"name\" x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{name}</text>",
            TIME.0,
            TIME.1 - TIME.0,
            TIME.0 - 6.0,
            top + high / 2.0 + 3.5
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
        let scale = if most > 0.0 { (high - 12.0) / most } else { 0.0 };
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
        let _ = write!(
            self.svg,
            "<path class=\"{class}\" d=\"{path}\" /><path class=\"foot\" d=\"M{} {foot:.1}H{}\" /><text class=\"name\" x=\"{}\" \
             y=\"{:.1}\" text-anchor=\"end\">{name}</text><text class=\"name\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            TIME.0,
            TIME.1,
            TIME.0 - 6.0,
            foot - 4.0,
            TIME.1,
            top + 9.0
        );
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
            if is_first && self.row >= 10.0 && span.used == Use::Decode && right - left > 16.0 {
                named.push((span.request, span.replica));
                let _ = write!(
                    self.svg,
                    "<text class=\"in r{}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    span.request % COLOURS,
                    left + 3.0,
                    top + high / 2.0 + 3.6,
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
                bottom + 16.0,
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
