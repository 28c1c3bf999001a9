//! The drawing on a canvas: of what is scrolled into view, and in each lane no more blocks than there are pixels.

use leptos::prelude::window;
use ringside_core::trace::Trace;
use ringside_core::trace::layout::{Block, Lane};
use ringside_core::trace::look::Look;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::picked::Picked;
use super::rows::Row;
use super::{Chosen, Scene};
use crate::widgets::pipeline_timeline::Probe;

/// The class whose background has the colour of each [`Look`].
pub(super) const CLASSES: [&str; Look::ALL.len()] =
    ["computation", "communication", "copies", "operator", "call", "waiting-call", "range", "other-event"];

/// Flows that are drawn.
const FLOWS: usize = 200;

/// Blocks narrower than this, in pixels, run together with their like.
const NARROW: f64 = 3.0;

/// What is drawn.
pub(super) struct Picture<'a> {
    pub scene: &'a Scene,
    pub rows: &'a [Row],
    pub window: (f64, f64),
    pub width: f64,
    /// How much is scrolled away above.
    pub top: f64,
    /// How much is seen below that.
    pub high: f64,
    pub chosen: Option<Chosen>,
    /// What the chosen event caused, or what caused it.
    pub partners: &'a [u32],
    pub picked: Option<&'a Picked>,
    /// For each trace, which of its names are searched for; none if nothing is.
    pub named: Option<&'a [Vec<bool>]>,
}

/// The colours as the page has them.
pub(super) struct Inks {
    /// The colour of the canvas's own text, which is another one in the dark.
    key: String,
    fills: Vec<String>,
    ink: String,
    line: String,
    panel: String,
    accent: String,
}

impl Inks {
    /// Those that were found before, unless the page has become light or dark since: to look all of them up takes longer than to draw.
    fn now(canvas: &HtmlCanvasElement, before: Option<Self>) -> Self {
        let style = window().get_computed_style(canvas).ok().flatten();
        let key = style.and_then(|style| style.get_property_value("color").ok()).unwrap_or_default();
        if let Some(before) = before.filter(|before| before.key == key) {
            return before;
        }
        let probes: Vec<Probe> =
            CLASSES.iter().map(|class| Probe::new(&format!("swatch {class}"), "background-color")).collect();
        let [ink, line, panel, accent] =
            ["trace-ink", "trace-line", "trace-panel", "trace-accent"].map(|class| Probe::new(class, "color"));
        Self {
            key,
            fills: probes.iter().map(Probe::colour).collect(),
            ink: ink.colour(),
            line: line.colour(),
            panel: panel.colour(),
            accent: accent.colour(),
        }
    }
}

/// Draws all of it, as sharp as the screen is. Takes and yields the colours, to be used again.
pub(super) fn draw(canvas: &HtmlCanvasElement, picture: &Picture<'_>, inks: Option<Inks>) -> Option<Inks> {
    let scale = window().device_pixel_ratio().clamp(1.0, 3.0);
    let (wide, high) = ((picture.width * scale).round() as u32, (picture.high * scale).round() as u32);
    if canvas.width() != wide || canvas.height() != high {
        canvas.set_width(wide);
        canvas.set_height(high);
    }
    let context = canvas.get_context("2d").ok().flatten();
    let Some(context) = context.map(wasm_bindgen::JsCast::unchecked_into::<CanvasRenderingContext2d>) else {
        return inks;
    };
    let inks = Inks::now(canvas, inks);
    let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, picture.width, picture.high);
    let _ = context.translate(0.0, -picture.top);
    context.set_text_baseline("middle");
    context.set_font("500 11px Inter, system-ui, sans-serif");
    let mut brush = Brush { context: &context, inks: &inks, now: None };
    let bottom = picture.top + picture.high;
    for row in picture.rows.iter().filter(|row| row.bottom() >= picture.top && row.y <= bottom) {
        if row.first {
            brush.line(row.y, picture.width);
        }
        lane(&mut brush, picture, row);
    }
    selection(&context, picture, &inks);
    marks(&context, picture, &inks);
    Some(inks)
}

/// From a time to a place.
fn x(picture: &Picture<'_>, time: i64) -> f64 {
    let (from, to) = picture.window;
    (time as f64 - from) / (to - from).max(1.0) * picture.width
}

/// What fills rectangles. The context is told of a colour only when it is another one, because that takes as long as filling.
struct Brush<'a> {
    context: &'a CanvasRenderingContext2d,
    inks: &'a Inks,
    now: Option<(Look, bool)>,
}

impl Brush<'_> {
    fn fill(&mut self, run: &Run, top: f64, high: f64) {
        if self.now != Some((run.look, run.faint)) {
            self.context.set_global_alpha(if run.faint { 0.18 } else { 1.0 });
            self.context.set_fill_style_str(self.inks.fills.get(run.look as usize).map_or("gray", String::as_str));
            self.now = Some((run.look, run.faint));
        }
        let width = run.right - run.left;
        // A hair between neighbours.
        let width = if width > NARROW { width - 0.6 } else { width };
        self.context.fill_rect(run.left, top, width, high);
    }

    fn line(&mut self, y: f64, width: f64) {
        self.now = None;
        self.context.set_global_alpha(1.0);
        self.context.set_fill_style_str(&self.inks.line);
        self.context.fill_rect(0.0, y, width, 1.0);
    }

    fn texts(&mut self, texts: &[(String, f64)], middle: f64) {
        if texts.is_empty() {
            return;
        }
        self.now = None;
        self.context.set_global_alpha(1.0);
        self.context.set_fill_style_str(&self.inks.panel);
        for (text, left) in texts {
            let _ = self.context.fill_text(text, *left, middle);
        }
    }
}

/// Pixels of one colour.
struct Run {
    left: f64,
    right: f64,
    look: Look,
    faint: bool,
}

impl Run {
    fn of(picture: &Picture<'_>, lane: &Lane, trace: &Trace, block: &Block) -> Option<Self> {
        let span = trace.spans.get(block.span as usize)?;
        let look = *picture.scene.looks.get(lane.trace)?.get(block.span as usize)?;
        let named =
            |named: &[Vec<bool>]| named.get(lane.trace).and_then(|names| names.get(span.name as usize)).copied();
        let faint = picture.named.is_some_and(|all| named(all) == Some(false));
        let left = x(picture, block.start).max(0.0);
        let right = x(picture, block.end).min(picture.width).max(left + 0.7);
        Some(Self { left, right, look, faint })
    }

    /// Goes on to the end of `next`, if both are narrow and alike and nobody would see what is between.
    fn takes(&mut self, next: &Self) -> bool {
        let alike = (self.look, self.faint) == (next.look, next.faint);
        let takes = alike && next.left - self.right < 0.5;
        if takes {
            self.right = next.right;
        }
        takes
    }
}

fn lane(brush: &mut Brush<'_>, picture: &Picture<'_>, row: &Row) {
    let Some(lane) = picture.scene.own.lanes.get(row.lane) else { return };
    let Some(trace) = picture.scene.traces.get(lane.trace) else { return };
    let (from, to) = picture.window;
    let pixel = ((to - from) / picture.width.max(1.0)) as i64;
    let (top, high) = (row.top(), row.high());
    let mut texts = Vec::new();
    let mut last: Option<Run> = None;
    for block in lane.blocks(trace, from as i64, to as i64, pixel) {
        let Some(run) = Run::of(picture, lane, trace, &block) else { continue };
        let width = run.right - run.left;
        if width <= NARROW {
            if !last.as_mut().is_some_and(|last| last.takes(&run))
                && let Some(last) = last.replace(run)
            {
                brush.fill(&last, top, high);
            }
            continue;
        }
        if let Some(last) = last.take() {
            brush.fill(&last, top, high);
        }
        brush.fill(&run, top, high);
        if block.single && width > 42.0 && !run.faint && !row.folded {
            let name = trace.spans.get(block.span as usize).map_or("", |span| trace.name(span));
            let characters = ((width - 8.0) / 6.1) as usize;
            texts.push((short(name).chars().take(characters).collect(), run.left + 4.0));
        }
    }
    if let Some(last) = last {
        brush.fill(&last, top, high);
    }
    brush.texts(&texts, top + high / 2.0 + 0.5);
}

/// The part that is selected.
fn selection(context: &CanvasRenderingContext2d, picture: &Picture<'_>, inks: &Inks) {
    let Some(picked) = picture.picked else { return };
    let rows = || picture.rows.iter().filter(|row| picked.lanes.contains(&row.lane));
    let (Some(first), Some(last)) = (rows().next(), rows().next_back()) else { return };
    let (left, right) = (x(picture, picked.times.0), x(picture, picked.times.1));
    let (top, bottom) = (first.top(), last.bottom());
    context.set_fill_style_str(&inks.accent);
    context.set_stroke_style_str(&inks.accent);
    context.set_global_alpha(0.16);
    context.fill_rect(left, top, right - left, bottom - top);
    context.set_global_alpha(1.0);
    context.set_line_width(1.5);
    context.stroke_rect(left, top, (right - left).max(1.0), bottom - top);
}

/// The event that is chosen, and lines to what it caused or what caused it.
fn marks(context: &CanvasRenderingContext2d, picture: &Picture<'_>, inks: &Inks) {
    let Some(chosen) = picture.chosen else { return };
    let Some((trace, span)) = picture.scene.span(chosen) else { return };
    let place = |index: u32| {
        let row = picture.rows.iter().find(|row| {
            let lane = picture.scene.own.lanes.get(row.lane);
            lane.is_some_and(|l| l.trace == chosen.0 && l.place(trace, index).is_some())
        })?;
        let span = trace.spans.get(index as usize)?;
        Some((x(picture, span.start), x(picture, span.end()), row))
    };
    let Some((left, right, row)) = place(chosen.1) else { return };
    context.set_global_alpha(1.0);
    context.set_stroke_style_str(&inks.ink);
    context.set_line_width(1.2);
    for other in picture.partners.iter().take(FLOWS) {
        if let Some((start, _, there)) = place(*other) {
            let from = if span.sort.is_work() { left } else { right };
            context.begin_path();
            context.move_to(from, row.top() + row.high() / 2.0);
            context.line_to(start, there.top() + there.high() / 2.0);
            context.stroke();
        }
    }
    context.set_line_width(2.0);
    context.stroke_rect(left - 1.0, row.top() - 1.0, (right - left).max(2.0) + 2.0, row.high() + 2.0);
}

/// A kernel's name without what templates put before and after it.
pub(super) fn short(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let name = name.split(['<', '(']).find(|part| !part.is_empty()).unwrap_or(name);
    name.rsplit("::").next().filter(|last| !last.is_empty() && name.contains("at::native")).unwrap_or(name)
}
