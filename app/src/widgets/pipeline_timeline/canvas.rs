//! The drawing on a canvas, where blocks are many.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

use super::CLASSES;
use super::scene::Piece;
use super::svg::{self, UNDERLINE};

/// How visible what stands back is.
const DIM: f64 = 0.25;

/// An element that shows which colour a class has: light and dark are resolved by the browser.
pub(super) struct Probe(Option<Element>, &'static str);

impl Probe {
    /// For the colour that `class` has as its `property`.
    pub fn new(class: &str, property: &'static str) -> Self {
        let element = || {
            let element = document().create_element("i").ok()?;
            element.set_attribute("class", class).ok()?;
            document().body()?.append_child(&element).ok()?;
            Some(element)
        };
        Self(element(), property)
    }

    /// The colour; empty if the page has no room for it.
    pub fn colour(&self) -> String {
        self.0.as_ref().and_then(|element| style(element, self.1)).unwrap_or_default()
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        if let Some(element) = &self.0 {
            element.remove();
        }
    }
}

/// The colours of the drawing.
pub(super) struct Palette {
    /// Of what is in each of [`CLASSES`].
    pub fills: [String; 4],
    /// Of the text on it.
    pub texts: [String; 4],
    /// Of the line under a later chunk.
    pub later: String,
}

impl Palette {
    /// As the page has them now.
    pub fn now() -> Self {
        // All are there before the first is read: the browser works out the styles of the page once.
        let fills = CLASSES.map(|class| Probe::new(&format!("swatch {class}"), "background-color"));
        let texts = CLASSES.map(|class| Probe::new(&format!("on-{class}"), "fill"));
        let later = Probe::new("later", "color");
        Self {
            fills: fills.each_ref().map(Probe::colour),
            texts: texts.each_ref().map(Probe::colour),
            later: later.colour(),
        }
    }
}

fn style(element: &Element, property: &str) -> Option<String> {
    window().get_computed_style(element).ok()??.get_property_value(property).ok()
}

/// Draws `pieces` over all of a canvas of this size in CSS pixels, as sharp as the screen is.
pub(super) fn draw(canvas: &HtmlCanvasElement, size: (f64, f64), pieces: &[Piece]) {
    let (width, height) = size;
    let scale = window().device_pixel_ratio().clamp(1.0, 3.0);
    let (wide, high) = ((width * scale).round() as u32, (height * scale).round() as u32);
    if canvas.width() != wide || canvas.height() != high {
        canvas.set_width(wide);
        canvas.set_height(high);
    }
    let Ok(Some(context)) = canvas.get_context("2d") else { return };
    let context: CanvasRenderingContext2d = context.unchecked_into();
    let palette = Palette::now();
    // A canvas that refuses stays as it is: the table has every number.
    let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, width, height);
    // By colour, so that it is set a few times only.
    for (shade, colour) in palette.fills.iter().enumerate() {
        for dim in [true, false] {
            let mut these = pieces.iter().filter(|p| p.shade == shade && p.dim == dim).peekable();
            if these.peek().is_none() {
                continue;
            }
            context.set_global_alpha(if dim { DIM } else { 1.0 });
            context.set_fill_style_str(colour);
            for p in these {
                context.fill_rect(p.x, p.y, svg::width(p), p.height);
            }
        }
    }
    context.set_global_alpha(1.0);
    context.set_fill_style_str(&palette.later);
    for p in pieces.iter().filter(|p| p.chunk > 0 && p.width > 4.0) {
        let line = UNDERLINE * f64::from(p.chunk);
        context.fill_rect(p.x, p.y + p.height - line, svg::width(p), line);
    }
    if pieces.iter().all(|p| p.text.is_none()) {
        return;
    }
    context.set_text_align("center");
    let size = style(canvas, "font-size").unwrap_or_default();
    context.set_font(&format!("600 {size} Inter, system-ui, sans-serif"));
    for (shade, colour) in palette.texts.iter().enumerate() {
        context.set_fill_style_str(colour);
        for (p, text) in pieces.iter().filter(|p| p.shade == shade && !p.dim).filter_map(|p| Some((p, p.text?))) {
            let _ = context.fill_text(&text.to_string(), p.x + svg::width(p) / 2.0, p.y + p.height / 2.0 + 4.2);
        }
    }
}
