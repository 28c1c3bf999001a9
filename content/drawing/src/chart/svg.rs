//! A chart as markup: what plotters' SVG backend draws, in pixels of the page, with the page's typeface.

use std::fmt::Write as _;

use plotters::backend::SVGBackend;

use super::ink::{Rgb, Theme};
use super::paint::{FAMILY, UNITS, paint};
use super::{Chart, Frame, Ink, Layout};
use crate::escaped;

/// What stands for an ink until its token does: the third part is which.
const STANDS_FOR: (u8, u8) = (1, 2);

/// A chart for a page, in the colours of its design tokens, whatever they are where it is seen.
pub fn in_page(chart: &Chart, frame: Frame) -> String {
    let theme = Theme(Ink::ALL.iter().map(|ink| (STANDS_FOR.0, STANDS_FOR.1, *ink as u8)).collect());
    let mut svg = drawn(chart, frame, &theme);
    for ink in Ink::ALL {
        svg = svg.replace(&hex(theme.of(*ink)), &format!("var({})", ink.token()));
    }
    svg
}

/// A chart for a file, in these colours.
pub fn in_colours(chart: &Chart, frame: Frame, theme: &Theme) -> String {
    drawn(chart, frame, theme)
}

fn drawn(chart: &Chart, frame: Frame, theme: &Theme) -> String {
    let size = |pixels: f64| (pixels * UNITS).round().max(0.0) as u32;
    let (wide, high) = (size(frame.width), size(frame.height));
    let mut body = String::new();
    let layout = Layout::of(chart, frame);
    // Drawing into a string does not fail.
    let _ = paint(SVGBackend::with_string(&mut body, (wide, high)), chart, &layout, theme, None);
    let shapes = body.split_once('>').map_or("", |(_, rest)| rest).trim_end().trim_end_matches("</svg>");
    let halo = (0.32 * frame.text * UNITS).round();
    let shapes = shapes
        .replace('\n', "")
        .replace(" opacity=\"1\"", "")
        .replace(" dy=\"-0.5ex\"", "")
        .replace(" font-weight=\"bold\"", " font-weight=\"600\"")
        .replace(&format!(" font-family=\"{FAMILY}\""), "")
        .replace(
            "<text ",
            &format!("<text paint-order=\"stroke\" stroke=\"{}\" stroke-width=\"{halo}\" ", hex(theme.of(Ink::Panel))),
        );
    let mut svg = String::new();
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" role=\"img\" aria-label=\"{}\" \
         font-family=\"{FAMILY}, system-ui, sans-serif\" font-weight=\"450\" stroke-linecap=\"round\" stroke-linejoin=\"round\">{shapes}</svg>",
        escaped(&chart.label)
    );
    svg
}

/// A colour as the SVG backend writes it.
pub(crate) fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}
