//! plotters' canvas, with text as the page sets it: its weights, its base line, and the paper's colour around it.

use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};
use plotters_canvas::CanvasBackend;
use ringside_drawing::chart::paint::{OF_FONT, UNITS};
use ringside_drawing::chart::{Ink, Layout};
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::theme::Colours;

type Refused = DrawingErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>;

/// A canvas whose units are parts of a pixel of the page.
pub(super) struct Screen {
    shapes: CanvasBackend,
    context: CanvasRenderingContext2d,
    size: (u32, u32),
    /// Pixels of the canvas in a pixel of the page.
    scale: f64,
    family: String,
    /// The colour around text, so that it can be read over a line.
    halo: String,
}

impl Screen {
    /// Over all of a canvas, which is cleared. `None` if it cannot be drawn on.
    pub fn new(canvas: &HtmlCanvasElement, layout: &Layout, family: &str, theme: &Colours) -> Option<Self> {
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.unchecked_into();
        let scale = f64::from(canvas.width()) / layout.frame.width;
        context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0).ok()?;
        context.clear_rect(0.0, 0.0, f64::from(canvas.width()), f64::from(canvas.height()));
        context.set_line_join("round");
        context.set_line_cap("round");
        context.set_text_baseline("alphabetic");
        let (red, green, blue) = theme.of(Ink::Panel);
        let size = (layout.frame.width * UNITS, layout.frame.height * UNITS);
        let screen = Self {
            shapes: CanvasBackend::with_canvas_object(canvas.clone())?,
            context,
            size: (size.0.round() as u32, size.1.round() as u32),
            scale,
            family: family.to_owned(),
            halo: format!("rgb({red},{green},{blue})"),
        };
        screen.in_units();
        Some(screen)
    }

    fn in_units(&self) {
        let unit = self.scale / UNITS;
        // A matrix of numbers is not refused.
        let _ = self.context.set_transform(unit, 0.0, 0.0, unit, 0.0, 0.0);
    }
}

impl DrawingBackend for Screen {
    type ErrorType = <CanvasBackend as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Result<(), Refused> {
        self.shapes.draw_pixel(point, color)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Result<(), Refused> {
        // As a path: a line of its own is moved by half a pixel, which is none of ours.
        self.shapes.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), Refused> {
        self.shapes.draw_rect(upper_left, bottom_right, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), Refused> {
        self.shapes.draw_path(path, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Result<(), Refused> {
        self.shapes.draw_circle(center, radius, style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vert: I,
        style: &S,
    ) -> Result<(), Refused> {
        self.shapes.fill_polygon(vert, style)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, pos: BackendCoord) -> Result<(), Refused> {
        let context = &self.context;
        let size = style.size() / OF_FONT / UNITS;
        let weight = if matches!(style.style(), FontStyle::Bold) { 600 } else { 450 };
        let (red, green, blue) = style.color().rgb;
        let (x, y) = (f64::from(pos.0) / UNITS, f64::from(pos.1) / UNITS);
        // In pixels of the page, so that the browser shapes letters for the size that they have.
        let _ = context.set_transform(self.scale, 0.0, 0.0, self.scale, 0.0, 0.0);
        context.set_font(&format!("{weight} {size}px {}", self.family));
        context.set_text_align(match style.anchor().h_pos {
            HPos::Left => "left",
            HPos::Center => "center",
            HPos::Right => "right",
        });
        context.set_stroke_style_str(&self.halo);
        context.set_line_width(0.32 * size);
        context.set_fill_style_str(&format!("rgb({red},{green},{blue})"));
        // A text that is refused is missing from a drawing whose caption has it.
        let _ = context.stroke_text(text, x, y);
        let _ = context.fill_text(text, x, y);
        self.in_units();
        Ok(())
    }
}
