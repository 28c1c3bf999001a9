//! The drawing on a canvas: labels of rows, and in each lane no more blocks than there are pixels.

use leptos::prelude::window;
use ringside_core::trace::kind::Kind;
use ringside_core::trace::{Sort, Span, Trace};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::viewer::{LABEL, LANE, Row};
use super::{Chosen, Scene};
use crate::widgets::pipeline_timeline::Probe;

/// Colours by what an event is: the class whose background has it.
const CLASSES: [&str; 8] =
    ["computation", "communication", "copies", "operator", "call", "waiting-call", "range", "other-event"];

/// Which of [`CLASSES`].
pub(super) fn class(trace: &Trace, index: u32, span: &Span) -> usize {
    match (span.sort, Kind::of(trace, index, span)) {
        (Sort::Kernel, Kind::Communication) => 1,
        (Sort::Kernel, _) => 0,
        (Sort::Copy | Sort::Set, _) => 2,
        (Sort::Operator, _) => 3,
        (Sort::Call, _) if trace.name(span).contains("Synchronize") || trace.name(span).contains("Free") => 5,
        (Sort::Call, _) => 4,
        (Sort::Range | Sort::GpuRange, _) => 6,
        _ => 7,
    }
}

/// What is drawn.
pub(super) struct Picture<'a> {
    pub scene: &'a Scene,
    pub rows: &'a [Row],
    pub window: (f64, f64),
    pub width: f64,
    pub height: f64,
    pub chosen: Option<Chosen>,
    pub search: &'a str,
}

/// The colours as the page has them.
pub(super) struct Inks {
    /// The colour of the canvas's own text, which is another one in the dark.
    key: String,
    fills: Vec<String>,
    ink: String,
    soft: String,
    line: String,
    panel: String,
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
        let [ink, soft, line, panel] =
            ["trace-ink", "trace-soft", "trace-line", "trace-panel"].map(|class| Probe::new(class, "color"));
        Self {
            key,
            fills: probes.iter().map(Probe::colour).collect(),
            ink: ink.colour(),
            soft: soft.colour(),
            line: line.colour(),
            panel: panel.colour(),
        }
    }
}

/// Draws all of it, as sharp as the screen is. Takes and yields the colours, to be used again.
pub(super) fn draw(canvas: &HtmlCanvasElement, picture: &Picture<'_>, inks: Option<Inks>) -> Option<Inks> {
    let scale = window().device_pixel_ratio().clamp(1.0, 3.0);
    let (wide, high) = ((picture.width * scale).round() as u32, (picture.height * scale).round() as u32);
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
    context.clear_rect(0.0, 0.0, picture.width, picture.height);
    context.set_text_baseline("middle");
    for row in picture.rows {
        if !row.label.is_empty() {
            context.set_fill_style_str(&inks.line);
            context.fill_rect(0.0, row.y, picture.width, 1.0);
            context.set_fill_style_str(&inks.soft);
            context.set_font("600 11.5px Inter, system-ui, sans-serif");
            let _ = context.fill_text(&row.label, 2.0, row.y + LABEL / 2.0 + 1.0);
        }
    }
    context.set_font("500 11px Inter, system-ui, sans-serif");
    for row in picture.rows {
        lane(&context, picture, row, &inks);
    }
    marks(&context, picture, &inks);
    Some(inks)
}

/// From a time to a place.
fn x(picture: &Picture<'_>, time: i64) -> f64 {
    let (from, to) = picture.window;
    (time as f64 - from) / (to - from).max(1.0) * picture.width
}

fn lane(context: &CanvasRenderingContext2d, picture: &Picture<'_>, row: &Row, inks: &Inks) {
    let Some(lane) = row.lane.and_then(|i| picture.scene.lanes.get(i)) else { return };
    let Some(trace) = picture.scene.traces.get(lane.trace) else { return };
    let (from, to) = picture.window;
    let pixel = ((to - from) / picture.width.max(1.0)) as i64;
    for block in lane.blocks(trace, from as i64, to as i64, pixel) {
        let Some(span) = trace.spans.get(block.span as usize) else { continue };
        let left = x(picture, block.start).max(0.0);
        let width = (x(picture, block.end).min(picture.width) - left).max(0.7);
        let name = trace.name(span);
        let found = picture.search.is_empty() || name.to_lowercase().contains(picture.search);
        context.set_global_alpha(if found { 1.0 } else { 0.18 });
        context.set_fill_style_str(inks.fills.get(class(trace, block.span, span)).map_or("gray", String::as_str));
        // A hair between neighbours.
        context.fill_rect(left, row.lane_top(), if width > 3.0 { width - 0.6 } else { width }, LANE);
        if block.single && width > 42.0 && found {
            context.set_fill_style_str(&inks.panel);
            let characters = ((width - 8.0) / 6.1) as usize;
            let text: String = short(name).chars().take(characters).collect();
            let _ = context.fill_text(&text, left + 4.0, row.lane_top() + LANE / 2.0 + 0.5);
        }
    }
    context.set_global_alpha(1.0);
}

/// The event that is chosen, and lines to what it caused or what caused it.
fn marks(context: &CanvasRenderingContext2d, picture: &Picture<'_>, inks: &Inks) {
    let Some(chosen) = picture.chosen else { return };
    let Some((trace, span)) = picture.scene.span(chosen) else { return };
    let place = |index: u32| {
        let row = picture.rows.iter().find(|row| {
            let lane = row.lane.and_then(|i| picture.scene.lanes.get(i));
            lane.is_some_and(|l| l.trace == chosen.0 && l.spans.contains(&index))
        })?;
        let span = trace.spans.get(index as usize)?;
        Some((x(picture, span.start), x(picture, span.end()), row.lane_top()))
    };
    let Some((left, right, top)) = place(chosen.1) else { return };
    context.set_stroke_style_str(&inks.ink);
    context.set_line_width(1.2);
    for other in ringside_core::trace::layout::partners(trace, chosen.1).into_iter().take(200) {
        if let Some((start, _, y)) = place(other) {
            let from = if span.sort.is_work() { left } else { right };
            context.begin_path();
            context.move_to(from, top + LANE / 2.0);
            context.line_to(start, y + LANE / 2.0);
            context.stroke();
        }
    }
    context.set_line_width(2.0);
    context.stroke_rect(left - 1.0, top - 1.0, (right - left).max(2.0) + 2.0, LANE + 2.0);
}

/// A kernel's name without what templates put before and after it.
pub(super) fn short(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let name = name.split(['<', '(']).find(|part| !part.is_empty()).unwrap_or(name);
    name.rsplit("::").next().filter(|last| !last.is_empty() && name.contains("at::native")).unwrap_or(name)
}
