//! A figure as a picture: what is seen of it now as shapes and text of one SVG file, with its title, its finding and where it
//! is from. What is operated and not looked at is left out.
//!
//! Nothing in it needs the page: colours and sizes are those that the browser has worked out, and the typeface comes with it.
//! It has no `foreignObject`, so that drawing programs read it, and every browser lets a canvas with it be saved.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::decimal;
use ringside_drawing::gradient::{self, Area, drawn_colour, plain_colour};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{CssStyleDeclaration, DomRect, Element, HtmlElement, Node, Range, XmlSerializer};

use crate::ui::{self, dom};

/// The width of a picture in pixels: that of a projector.
pub(super) const WIDTH: f64 = 1920.0;
/// What is around the figure, in its own pixels.
const MARGIN: f64 = 28.0;
/// Where a line of text stands in the box that the browser gives it, as a part of its height from above: Inter's ascent of
/// 0.969 em over 1.21 em.
const BASELINE: f64 = 0.8;
/// What a figure bears while its picture is taken: its sheet hides what is operated and not looked at.
const TAKEN: &str = "data-picture";
/// What a drawing's shapes have from the page's style sheet.
const SHAPE: [&str; 16] = [
    "display",
    "visibility",
    "opacity",
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "paint-order",
    "vector-effect",
    "font-size",
    "font-weight",
    "font-family",
    "text-anchor",
];

/// A picture, and its height where it is [`WIDTH`] wide.
pub(super) struct Picture {
    pub(super) svg: String,
    pub(super) height: f64,
}

/// The picture of a figure. `from` is where it is from; `face` is the typeface as a `data:` address, empty for none.
pub(super) fn of(figure: &HtmlElement, from: &str, face: &str) -> Picture {
    // What cannot be hidden is in the picture. Nobody sees the figure like this: it is not painted before this ends.
    let _ = figure.set_attribute(TAKEN, "");
    let picture = taken(figure, from, face);
    let _ = figure.remove_attribute(TAKEN);
    picture
}

fn taken(figure: &HtmlElement, from: &str, face: &str) -> Picture {
    let text = |selector: &str| dom::find(figure, selector).and_then(|e| e.text_content()).unwrap_or_default();
    let zoom = figure_zoom(figure);
    let drawing = dom::find(figure, ".drawing");
    let width = drawing.as_ref().map_or(WIDTH / 2.0, |d| d.get_bounding_client_rect().width()) / zoom;
    let mut painter = Painter { out: String::new(), zoom, origin: (0.0, 0.0), ids: 0, above: Vec::new() };
    let ink = colour(&styles(figure), "color").0;
    let mut y = MARGIN + 18.0;
    painter.line((MARGIN, y), &text(".figure-title"), "font-size=\"20\" font-weight=\"650\"", &ink);
    let subtitle = text(".figure-subtitle");
    if !subtitle.is_empty() {
        y += 24.0;
        painter.line((MARGIN, y), &subtitle, "font-size=\"14\"", &ink);
    }
    y += 16.0;
    let find = |selector| dom::find(figure, selector);
    let parts = [find(".finding"), drawing, find(".finding-rest"), find("figcaption > .fine")];
    for part in parts.into_iter().flatten() {
        let seen = part.get_bounding_client_rect();
        if seen.height() > 0.0 {
            painter.origin = (seen.left() / zoom - MARGIN, seen.top() / zoom - y);
            painter.layer(&part);
            // What scrolls is drawn whole.
            y += f64::from(part.scroll_height()).max(seen.height() / zoom) + 14.0;
        }
    }
    y += 8.0;
    painter.line((MARGIN, y), from, "font-size=\"12\"", &ink);
    let (wide, high) = (width + 2.0 * MARGIN, y + MARGIN - 8.0);
    let height = (WIDTH / wide * high).round();
    let paper = colour(&styles(figure), "background-color").0;
    let face = if face.is_empty() {
        String::new()
    } else {
        format!("@font-face{{font-family:Inter;font-weight:400 700;src:url({face}) format(\"woff2\")}}")
    };
    // As in base.css: digits are as wide as each other.
    let style = format!("<style>{face}svg{{font-feature-settings:\"tnum\",\"cv11\"}}</style>");
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide:.1} {high:.1}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"Inter, system-ui, sans-serif\"><title>{}</title>{style}\
         <rect width=\"100%\" height=\"100%\" fill=\"{paper}\"/>{}</svg>\n",
        dom::escaped(&text(".figure-title")),
        painter.out
    );
    Picture { svg, height }
}

/// By how much a projected figure is enlarged: the browser measures it enlarged.
fn figure_zoom(figure: &HtmlElement) -> f64 {
    number(&styles(figure), "zoom").filter(|zoom| *zoom > 0.0).unwrap_or(1.0)
}

struct Painter {
    out: String,
    zoom: f64,
    /// What of the page's coordinates is the picture's origin.
    origin: (f64, f64),
    /// How many ids there are in it.
    ids: usize,
    /// What lies above the layer that is drawn, with its `z-index`.
    above: Vec<(f64, Element)>,
}

impl Painter {
    fn area(&self, seen: &DomRect) -> Area {
        let (z, (x, y)) = (self.zoom, self.origin);
        Area { x: seen.left() / z - x, y: seen.top() / z - y, width: seen.width() / z, height: seen.height() / z }
    }

    fn line(&mut self, (x, y): (f64, f64), text: &str, attributes: &str, ink: &str) {
        let text = dom::escaped(text.trim());
        let _ = write!(self.out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes} fill=\"{ink}\">{text}</text>");
    }

    /// An element, and then what lies above the rest of it.
    fn layer(&mut self, element: &Element) {
        let outer = std::mem::take(&mut self.above);
        self.paint(element, &styles(element));
        let mut above = std::mem::replace(&mut self.above, outer);
        above.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, element) in above {
            self.layer(&element);
        }
    }

    fn element(&mut self, element: &Element) {
        let style = styles(element);
        match number(&style, "z-index") {
            Some(z) if z > 0.0 => self.above.push((z, element.clone())),
            _ => self.paint(element, &style),
        }
    }

    fn paint(&mut self, element: &Element, style: &CssStyleDeclaration) {
        let is = |name: &str, value: &str| property(style, name) == value;
        if is("display", "none") || is("visibility", "hidden") {
            return;
        }
        let opacity = number(style, "opacity").unwrap_or(1.0);
        if opacity <= 0.0 {
            return;
        }
        let area = self.area(&element.get_bounding_client_rect());
        match element.tag_name().to_ascii_lowercase().as_str() {
            "svg" => return self.drawing(element, area),
            "canvas" => return self.canvas(element, area),
            _ => {}
        }
        let clipped = ["overflow-x", "overflow-y"].iter().any(|name| is(name, "hidden") || is(name, "clip"));
        let grouped = opacity < 1.0 || clipped;
        if grouped {
            self.ids += usize::from(clipped);
            let id = self.ids;
            if clipped {
                let _ = write!(self.out, "<clipPath id=\"clip-{id}\">");
                self.rectangle(area, 0.0, "");
                self.out.push_str("</clipPath>");
            }
            let clip = if clipped { format!(" clip-path=\"url(#clip-{id})\"") } else { String::new() };
            let _ = write!(self.out, "<g opacity=\"{opacity}\"{clip}>");
        }
        if !is("display", "contents") {
            self.box_of(style, area);
        }
        let children = element.child_nodes();
        for child in (0..children.length()).filter_map(|i| children.item(i)) {
            match child.node_type() {
                Node::ELEMENT_NODE => self.element(child.unchecked_ref()),
                Node::TEXT_NODE => self.text(&child, style),
                _ => {}
            }
        }
        if grouped {
            self.out.push_str("</g>");
        }
    }

    /// Background and borders.
    fn box_of(&mut self, style: &CssStyleDeclaration, area: Area) {
        let radius = number(style, "border-top-left-radius").unwrap_or_default();
        let (fill, alpha) = colour(style, "background-color");
        if alpha > 0.0 {
            self.rectangle(area, radius, &format!("fill=\"{fill}\" fill-opacity=\"{alpha}\""));
        }
        self.ids += 1;
        let id = format!("gradient-{}", self.ids);
        if let Some(gradient) = gradient::drawn(&property(style, "background-image"), &id, area) {
            self.out.push_str(&gradient);
            self.rectangle(area, radius, &format!("fill=\"url(#{id})\""));
        }
        let Area { x, y, width, height } = area;
        let sides = [
            ("top", (x, y, x + width, y)),
            ("right", (x + width, y, x + width, y + height)),
            ("bottom", (x, y + height, x + width, y + height)),
            ("left", (x, y, x, y + height)),
        ];
        for (side, (x1, y1, x2, y2)) in sides {
            let thick = number(style, &format!("border-{side}-width")).unwrap_or_default();
            let (stroke, alpha) = colour(style, &format!("border-{side}-color"));
            if thick > 0.0 && alpha > 0.0 && property(style, &format!("border-{side}-style")) != "none" {
                let _ = write!(
                    self.out,
                    "<path d=\"M{x1:.2} {y1:.2}L{x2:.2} {y2:.2}\" stroke=\"{stroke}\" stroke-opacity=\"{alpha}\" stroke-width=\"{thick}\"/>"
                );
            }
        }
    }

    fn rectangle(&mut self, area: Area, radius: f64, attributes: &str) {
        let Area { x, y, width, height } = area;
        let _ = write!(
            self.out,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" rx=\"{radius}\" {attributes}/>"
        );
    }

    /// The words of a text where the browser has set them, one piece for each line.
    fn text(&mut self, node: &Node, style: &CssStyleDeclaration) {
        let text: Vec<u16> = node.node_value().unwrap_or_default().encode_utf16().collect();
        let Ok(range) = Range::new() else { return };
        let is_space = |unit: &u16| matches!(*unit, 0x20 | 0x0a | 0x0d | 0x09);
        let mut lines: Vec<(Area, String)> = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let begin = at + text[at..].iter().take_while(|u| is_space(u)).count();
            let end = begin + text[begin..].iter().take_while(|u| !is_space(u)).count();
            at = end;
            let set = range.set_start(node, begin as u32).and_then(|()| range.set_end(node, end as u32));
            let seen = range.get_bounding_client_rect();
            if begin == end || set.is_err() || seen.width() <= 0.0 {
                continue;
            }
            let area = self.area(&seen);
            let word = String::from_utf16_lossy(&text[begin..end]);
            match lines.last_mut() {
                Some((line, words)) if (line.y - area.y).abs() < 2.0 && area.x >= line.x => {
                    line.width = area.x + area.width - line.x;
                    words.push(' ');
                    words.push_str(&word);
                }
                _ => lines.push((area, word)),
            }
        }
        let (ink, _) = colour(style, "color");
        let size = number(style, "font-size").unwrap_or(14.0);
        let weight = property(style, "font-weight");
        for (line, words) in lines {
            let attributes = format!(
                "font-size=\"{size}\" font-weight=\"{weight}\" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\"",
                line.width
            );
            self.line((line.x, line.y + line.height * BASELINE), &words, &attributes, &ink);
        }
    }

    /// A drawing, with what the style sheet says of each shape written into it.
    fn drawing(&mut self, element: &Element, area: Area) {
        let Ok(copy) = element.clone_node_with_deep(true) else { return };
        let copy: Element = copy.unchecked_into();
        let nodes = |root: &Element| {
            let list = root.query_selector_all("*").ok();
            let list = list.into_iter().flat_map(|l| (0..l.length()).filter_map(move |i| l.item(i)));
            list.map(|node| node.unchecked_into::<Element>()).collect::<Vec<_>>()
        };
        let (originals, copies) = (nodes(element), nodes(&copy));
        for (original, copy) in [(element, &copy)].into_iter().chain(originals.iter().zip(&copies)) {
            let style = styles(original);
            for name in SHAPE {
                let value = property(&style, name);
                let value = if matches!(name, "fill" | "stroke") { drawn_colour(&value) } else { value };
                // An attribute that is refused leaves the shape without it.
                let _ = copy.set_attribute(name, &value);
            }
            for name in ["class", "style", "tabindex", "role", "aria-hidden", "aria-label"] {
                let _ = copy.remove_attribute(name);
            }
        }
        let attributes = [("x", area.x), ("y", area.y), ("width", area.width), ("height", area.height)];
        for (name, value) in attributes {
            let _ = copy.set_attribute(name, &format!("{value:.2}"));
        }
        let _ = copy.set_attribute("overflow", &property(&styles(element), "overflow-x"));
        if let Ok(text) = XmlSerializer::new().and_then(|writer| writer.serialize_to_string(&copy)) {
            self.out.push_str(&text);
        }
    }

    fn canvas(&mut self, element: &Element, area: Area) {
        // A chart says itself what it is made of.
        if let Some(markup) = ui::chart::markup_of(element) {
            let Area { x, y, width, height } = area;
            let place = format!("<svg x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" ");
            self.out.push_str(&markup.replacen("<svg ", &place, 1));
            return;
        }
        let canvas: &web_sys::HtmlCanvasElement = element.unchecked_ref();
        let Ok(data) = canvas.to_data_url() else { return };
        let Area { x, y, width, height } = area;
        let _ = write!(
            self.out,
            "<image x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" preserveAspectRatio=\"none\" href=\"{data}\"/>"
        );
    }
}

fn styles(element: &Element) -> CssStyleDeclaration {
    let style = window().get_computed_style(element).ok().flatten();
    // Every element of a page has one.
    style.unwrap_or_else(|| JsValue::from(js_sys::Object::new()).unchecked_into())
}

fn property(style: &CssStyleDeclaration, name: &str) -> String {
    style.get_property_value(name).unwrap_or_default()
}

fn number(style: &CssStyleDeclaration, name: &str) -> Option<f64> {
    decimal::parse(property(style, name).trim_end_matches("px"))
}

/// A colour as a drawing program reads it, and how much of it there is, 0 to 1.
fn colour(style: &CssStyleDeclaration, name: &str) -> (String, f64) {
    plain_colour(&property(style, name))
}
