//! The drawing on a canvas, where blocks are many.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

use super::CLASSES;
use super::scene::Piece;
use super::svg::{self, UNDERLINE};

/// How visible what stands back is.
const DIM: f64 = 0.25;

/// The colour that `class` has now: light and dark are resolved by the browser, on an element.
pub(super) fn colour(class: &str, property: &str) -> Option<String> {
    let probe = document().create_element("i").ok()?;
    probe.set_attribute("class", class).ok()?;
    let body = document().body()?;
    body.append_child(&probe).ok()?;
    let colour = style(&probe, property);
    probe.remove();
    colour
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
    // A canvas that refuses stays as it is: the table has every number.
    let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, width, height);
    // By colour, so that it is set a few times only.
    for (shade, class) in CLASSES.iter().enumerate() {
        for dim in [true, false] {
            let mut these = pieces.iter().filter(|p| p.shade == shade && p.dim == dim).peekable();
            if these.peek().is_none() {
                continue;
            }
            context.set_global_alpha(if dim { DIM } else { 1.0 });
            context.set_fill_style_str(&colour(&format!("swatch {class}"), "background-color").unwrap_or_default());
            for p in these {
                context.fill_rect(p.x, p.y, svg::width(p), p.height);
            }
        }
    }
    context.set_global_alpha(1.0);
    context.set_fill_style_str(&colour("later", "color").unwrap_or_default());
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
    for (shade, class) in CLASSES.iter().enumerate() {
        context.set_fill_style_str(&colour(&format!("on-{class}"), "fill").unwrap_or_default());
        for (p, text) in pieces.iter().filter(|p| p.shade == shade && !p.dim).filter_map(|p| Some((p, p.text?))) {
            let _ = context.fill_text(&text.to_string(), p.x + svg::width(p) / 2.0, p.y + p.height / 2.0 + 4.2);
        }
    }
}
