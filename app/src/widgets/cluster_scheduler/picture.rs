//! The cluster at a step: what each GPU of each node does now, and what it did before, node by node.

use std::fmt::Write as _;

use ringside_core::scheduler::result::Step;
use ringside_core::scheduler::{Campaign, Params, Policy};
use ringside_core::slurm::time::clock;
use ringside_drawing::chart::Frame;

/// The least width, in pixels. In a narrower place it is moved sideways.
const WIDE: f64 = 640.0;
/// The height of a node at the most, in pixels, and what parts two blocks.
const NODE: f64 = 96.0;
const APART: f64 = 6.0;
/// Lines of text above the rows, and below them.
const TOP: f64 = 1.7;
const AXIS: f64 = 2.0;
/// Users that have a colour of their own.
pub(super) const COLOURS: usize = 6;
/// Steps of the time axis, in seconds.
const STEPS: [u64; 10] = [10, 60, 300, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/// The users, in the order in which they come.
pub(super) fn users(c: &Campaign) -> Vec<&str> {
    let mut users: Vec<&str> = Vec::new();
    for job in &c.jobs {
        if !users.contains(&job.user.as_str()) {
            users.push(&job.user);
        }
    }
    users
}

struct Drawing<'a> {
    p: &'a Params,
    c: &'a Campaign,
    /// The step that is shown; none before the first.
    step: Option<&'a Step>,
    users: Vec<&'a str>,
    /// The size of its text, its width, and the height of a node.
    text: f64,
    wide: f64,
    row: f64,
    /// When the drawing begins and ends.
    from: u64,
    to: u64,
    svg: String,
}

/// The drawing as markup, as large as its place.
pub(super) fn picture(p: &Params, c: &Campaign, room: Frame) -> String {
    let Frame { width, height, text, .. } = room;
    let step = p.shown(c).checked_sub(1).and_then(|i| c.schedule.steps.get(i));
    let apart = p.cluster().block_of((p.nodes as usize).saturating_sub(1)) as f64 * APART;
    let row = ((height - (TOP + AXIS) * text - apart) / p.nodes as f64).clamp(2.0, NODE);
    let wide = width.max(WIDE);
    let from = c.jobs.iter().map(|job| job.submit).min().unwrap_or(0);
    let last = c.schedule.steps.last().map_or(0, |step| step.time);
    let to = c.schedule.end().max(last).max(from + 1);
    let mut drawing = Drawing { p, c, step, users: users(c), text, wide, row, from, to, svg: String::new() };
    drawing.draw();
    drawing.svg
}

impl Drawing<'_> {
    /// Where the GPUs of now begin and end.
    fn now(&self) -> (f64, f64) {
        let left = 3.4 * self.text;
        (left, left + (0.1 * self.wide).max(5.0 * self.text))
    }

    /// Where time begins and ends.
    fn sides(&self) -> (f64, f64) {
        (self.now().1 + 3.8 * self.text, self.wide - 1.4 * self.text)
    }

    fn top(&self, node: usize) -> f64 {
        TOP * self.text + node as f64 * self.row + self.p.cluster().block_of(node) as f64 * APART
    }

    fn x(&self, time: u64) -> f64 {
        let (left, right) = self.sides();
        left + (right - left) * time.saturating_sub(self.from) as f64 / (self.to - self.from) as f64
    }

    fn colour(&self, j: usize) -> usize {
        let user = self.c.jobs.get(j).map_or("", |job| job.user.as_str());
        self.users.iter().position(|u| *u == user).unwrap_or(0) % COLOURS
    }

    /// The classes of what belongs to a job.
    fn class(&self, j: usize) -> String {
        let aside = self.p.looked_at(self.c).is_some_and(|looked| looked != j);
        format!("u{}{}", self.colour(j), if aside { " aside" } else { "" })
    }

    fn draw(&mut self) {
        let nodes = self.p.nodes as usize;
        let bottom = self.top(nodes.saturating_sub(1)) + self.row;
        let (wide, text) = (self.wide, self.text);
        let high = bottom + AXIS * text;
        let (now, past) = (self.now().0, self.sides().0);
        let words = self.p.caption(self.c).replace('"', "”").replace('<', "‹").replace('&', "and");
        // Writing to a string does not fail.
        let _ = write!(
            self.svg,
            "<svg viewBox=\"0 0 {wide:.1} {high:.1}\" font-size=\"{text:.1}\" role=\"img\" aria-label=\"{words}\"><text class=\"name\" \
             x=\"{now:.1}\" y=\"{text:.1}\">GPUs now</text><text class=\"name\" x=\"{past:.1}\" y=\"{text:.1}\">each node over time</text>"
        );
        if self.shows_scores() {
            let _ = write!(
                self.svg,
                "<text class=\"name\" x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">score</text>",
                past - 6.0
            );
        }
        for node in 0..nodes {
            self.node(node);
        }
        self.axis(bottom);
        self.past();
        self.cursor(bottom);
        self.svg.push_str("</svg>");
    }

    fn node(&mut self, node: usize) {
        let (top, row) = (self.top(node), self.row);
        let (now, past) = (self.now(), self.sides());
        let text = self.text;
        if row >= 0.9 * text || node.is_multiple_of(4) {
            let _ = write!(
                self.svg,
                "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                now.0 - 6.0,
                top + row / 2.0 + 0.35 * text,
                node + 1
            );
        }
        let _ = write!(
            self.svg,
            "<rect class=\"lane\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" />",
            past.0,
            past.1 - past.0,
            row - 1.5
        );
        let gpus = self.p.gpus as usize;
        let wide = (now.1 - now.0) / gpus as f64;
        let cells = self.step.and_then(|step| step.cells.get(node));
        for gpu in 0..gpus {
            let job = cells.and_then(|cells| cells.get(gpu)).copied().flatten();
            let class = job.map_or_else(|| "free".to_owned(), |j| format!("{}{}", self.class(j), self.holds(j)));
            let data = job.map(|j| format!(" data-job=\"{}\"", j + 1)).unwrap_or_default();
            let _ = write!(
                self.svg,
                "<rect class=\"gpu {class}\"{data} x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"1.5\" />",
                now.0 + gpu as f64 * wide,
                (wide - 1.5).max(0.5),
                row - 1.5
            );
        }
        if self.shows_scores() && row >= 0.9 * text {
            let free = cells.map_or(gpus, |cells| cells.iter().filter(|cell| cell.is_none()).count()) as u32;
            let score = self.next().and_then(|gpus| self.p.cluster().score(free, gpus, self.p.placement));
            let score = score.map_or("–".to_owned(), |score| score.to_string());
            let _ = write!(
                self.svg,
                "<text class=\"score\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{score}</text>",
                past.0 - 6.0,
                top + row / 2.0 + 0.35 * text
            );
        }
    }

    fn shows_scores(&self) -> bool {
        self.p.policy == Policy::Kubernetes && self.next().is_some()
    }

    /// GPUs of a pod of the job looked at, else of the first that waits.
    fn next(&self) -> Option<u32> {
        let waiting = self.step.and_then(|step| step.waiting.first().copied());
        let job = self.p.looked_at(self.c).or(waiting)?;
        self.c.jobs.get(job).map(|job| job.gpus)
    }

    fn holds(&self, j: usize) -> &'static str {
        if self.step.is_some_and(|step| step.waiting.contains(&j)) { " holds" } else { "" }
    }

    /// What ran until now, and until when what runs may run.
    fn past(&mut self) {
        let Some(now) = self.step.map(|step| step.time) else { return };
        let lane = (self.row - 1.5) / self.p.gpus as f64;
        let mut named: Vec<(usize, u64)> = Vec::new();
        for span in self.c.schedule.spans.iter().filter(|span| span.from <= now) {
            let (Some(first), Some(job)) = (span.gpus.first(), self.c.jobs.get(span.job)) else { continue };
            let (top, high) = (self.top(span.node) + *first as f64 * lane, lane * span.gpus.len() as f64);
            let until = span.to.unwrap_or(now).min(now);
            let (left, right) = (self.x(span.from), self.x(until));
            let class = format!("{}{}", self.class(span.job), if span.runs { "" } else { " holds" });
            let number = span.job + 1;
            let _ = write!(
                self.svg,
                "<rect class=\"ran {class}\" data-job=\"{number}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{high:.1}\"><title>{}, \
                 {}</title></rect>",
                (right - left).max(0.6),
                escape(&job.name),
                escape(&job.user)
            );
            let lasts = span.runs && span.to.is_none_or(|to| to > now);
            if lasts {
                let limit = self.x((span.from + job.requested).min(self.to));
                let _ = write!(
                    self.svg,
                    "<rect class=\"until {class}\" x=\"{right:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" />",
                    top + 0.5,
                    (limit - right).max(0.0),
                    (high - 1.0).max(0.5)
                );
            }
            let room = right - left - 8.0;
            let size = (high - 1.0).min(self.text);
            let is_first = !named.contains(&(span.job, span.from));
            if is_first && size >= 0.75 * self.text && room > job.name.chars().count() as f64 * size * 0.62 {
                named.push((span.job, span.from));
                let _ = write!(
                    self.svg,
                    "<text class=\"in {class}\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size:.1}\">{}</text>",
                    left + 4.0,
                    top + high.min(1.8 * size) / 2.0 + size * 0.36,
                    escape(&job.name)
                );
            }
        }
    }

    fn axis(&mut self, bottom: f64) {
        let whole = self.to - self.from;
        let step = STEPS.into_iter().find(|step| whole / step <= 8).unwrap_or_else(|| whole.div_ceil(8));
        for time in (0..=whole / step).map(|i| i * step) {
            let x = self.x(self.from + time);
            let _ = write!(
                self.svg,
                "<path class=\"tick\" d=\"M{x:.1} {bottom:.1}v4\" /><text class=\"name\" x=\"{x:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text>",
                bottom + 4.0 + 1.1 * self.text,
                short(time)
            );
        }
    }

    fn cursor(&mut self, bottom: f64) {
        if let Some(step) = self.step {
            let (x, top) = (self.x(step.time), self.top(0) - 4.0);
            let _ = write!(self.svg, "<path class=\"cursor\" d=\"M{x:.1} {top:.1}V{bottom:.1}\" />");
        }
    }
}

/// A time of the axis: `2 h`, `30 min`, `1 d 12 h`.
fn short(seconds: u64) -> String {
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, s) => format!("{s} s"),
        (0, 0, m, 0) => format!("{m} min"),
        (0, h, 0, 0) => format!("{h} h"),
        (d, 0, 0, 0) => format!("{d} d"),
        _ => clock(seconds),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
