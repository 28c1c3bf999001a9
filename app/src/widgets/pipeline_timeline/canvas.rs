//! The drawing on a canvas, where blocks are many.

use leptos::prelude::{document, window};
use ringside_drawing::raster::{Pixel, Raster, over};
use ringside_drawing::scenes::pipeline::Piece;
use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, ImageData};

use super::CLASSES;
use super::svg::{self, UNDERLINE};

/// What stands back is so many times less visible.
const DIM: u8 = 4;

/// An element that shows which colour a class has: light and dark are resolved by the browser.
pub(in crate::widgets) struct Probe(Option<Element>, &'static str);

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
    let scale = window().device_pixel_ratio().clamp(1.0, 3.0);
    let (wide, high) = ((size.0 * scale).round() as u32, (size.1 * scale).round() as u32);
    if canvas.width() != wide || canvas.height() != high {
        canvas.set_width(wide);
        canvas.set_height(high);
    }
    let palette = Palette::now();
    let Some(context) = context(canvas) else { return };
    let Some(inks) = Inks::of(&palette) else { return };
    let mut raster = Raster::new(wide as usize, high as usize);
    for p in pieces {
        paint(&mut raster, p, scale, &inks);
    }
    // A canvas that refuses stays as it is: the table has every number.
    let pixels = raster.pixels();
    if let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels.as_flattened()), wide, high) {
        let _ = context.put_image_data(&image, 0.0, 0.0);
    }
    if pieces.iter().all(|p| p.text.is_none()) {
        return;
    }
    let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
    context.set_text_align("center");
    let size = style(canvas, "font-size").unwrap_or_default();
    let base = svg::BASE * ringside_core::decimal::parse(size.trim_end_matches("px")).unwrap_or_default();
    context.set_font(&format!("600 {size} Inter, system-ui, sans-serif"));
    for (shade, colour) in palette.texts.iter().enumerate() {
        context.set_fill_style_str(colour);
        for (p, text) in pieces.iter().filter(|p| p.shade == shade && !p.dim).filter_map(|p| Some((p, p.text?))) {
            let _ = context.fill_text(&text.to_string(), p.x + svg::width(p) / 2.0, p.y + p.height / 2.0 + base);
        }
    }
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    Some(canvas.get_context("2d").ok()??.unchecked_into())
}

/// The palette as pixels.
struct Inks {
    fills: [Pixel; 4],
    later: Pixel,
}

impl Inks {
    /// Whatever words the page has for a colour: each is painted, and looked at.
    fn of(palette: &Palette) -> Option<Self> {
        let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.unchecked_into();
        canvas.set_width(5);
        canvas.set_height(1);
        let context = context(&canvas)?;
        for (colour, x) in palette.fills.iter().chain([&palette.later]).zip(0..) {
            context.set_fill_style_str(colour);
            context.fill_rect(f64::from(x), 0.0, 1.0, 1.0);
        }
        let data = context.get_image_data(0.0, 0.0, 5.0, 1.0).ok()?.data();
        let (pixels, _) = data.as_chunks::<4>();
        let [forward, backward, weights, kept, later] = *pixels else { return None };
        Some(Self { fills: [forward, backward, weights, kept], later })
    }
}

/// Paints a piece, in CSS pixels, and the line at its foot that says which chunk it is of.
fn paint(raster: &mut Raster, p: &Piece, scale: f64, inks: &Inks) {
    let [r, g, b, a] = inks.fills[p.shade];
    let fill = [r, g, b, if p.dim { a / DIM } else { a }];
    let across = p.x * scale..(p.x + svg::width(p)) * scale;
    let foot = if p.chunk > 0 && p.width > 4.0 { UNDERLINE * f64::from(p.chunk) } else { 0.0 };
    let down = [p.y, p.y + p.height - foot, p.y + p.height].map(|y| (y * scale).round() as usize);
    raster.fill(across.clone(), down[0]..down[1], fill);
    raster.fill(across, down[1]..down[2], over(fill, inks.later));
}
