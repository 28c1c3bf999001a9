//! What a figure shows in one state, as data: a chart, a form, or several of them.

use std::fmt::Write as _;

use crate::chart::ink::{Rgb, Theme};
use crate::chart::paint::FAMILY;
use crate::chart::{Chart, Frame, Ink, svg};
use crate::escaped;
use crate::form::{Area, Cells, Lanes, Pen};

/// What there is to see.
#[derive(Debug, Clone, PartialEq)]
pub enum Picture {
    /// Numbers along axes.
    Chart(Box<Chart>),
    /// Rows along one length.
    Lanes(Lanes),
    /// Places in a grid.
    Cells(Cells),
    /// One beside the other, each with its share of the width.
    Beside(Vec<(f64, Picture)>),
    /// One under the other, each with its share of the height.
    Over(Vec<(f64, Picture)>),
}

/// Nothing.
impl Default for Picture {
    fn default() -> Self {
        Self::Over(Vec::new())
    }
}

impl From<Chart> for Picture {
    fn from(chart: Chart) -> Self {
        Self::Chart(Box::new(chart))
    }
}
impl From<Lanes> for Picture {
    fn from(lanes: Lanes) -> Self {
        Self::Lanes(lanes)
    }
}
impl From<Cells> for Picture {
    fn from(cells: Cells) -> Self {
        Self::Cells(cells)
    }
}

/// Words on colors in a file.
const DARK: Rgb = (28, 30, 34);
const WHITE: Rgb = (255, 255, 255);

/// Whether dark words are read better on a color than white ones.
fn is_bright((red, green, blue): Rgb) -> bool {
    299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue) > 128_000
}

/// What lies between two of several, in pixels.
const APART: f64 = 22.0;

impl Picture {
    /// What is to be seen, for who does not see it.
    pub fn label(&self) -> String {
        match self {
            Self::Chart(chart) => chart.label.clone(),
            Self::Lanes(lanes) => lanes.label.clone(),
            Self::Cells(cells) => cells.label.clone(),
            Self::Beside(all) | Self::Over(all) => {
                let mut labels: Vec<String> =
                    all.iter().map(|(_, one)| one.label()).filter(|label| !label.is_empty()).collect();
                // One finding may be that of all of them.
                labels.dedup();
                labels.join(" ")
            }
        }
    }

    /// How many rows it has, if each needs its own height; 0 otherwise.
    pub fn rows(&self) -> usize {
        match self {
            Self::Lanes(lanes) => lanes.rows.len(),
            _ => 0,
        }
    }

    /// As markup for a page, in the colors of its design tokens, whatever they are where it is seen.
    pub fn in_page(&self, frame: Frame) -> String {
        if let Self::Chart(chart) = self {
            return svg::in_page(chart, frame);
        }
        self.in_svg(&self.drawn(frame), frame)
    }

    /// The same of lanes and cells, with what can be pressed in it: markup to be laid over the drawing, empty where nothing can.
    pub fn with_presses(&self, frame: Frame) -> (String, String) {
        let pen = self.drawn(frame);
        let presses = pen.pressed();
        let over = if presses.is_empty() {
            presses
        } else {
            format!("<svg viewBox=\"0 0 {:.0} {:.0}\">{presses}</svg>", frame.width, frame.height)
        };
        (self.in_svg(&pen, frame), over)
    }

    fn drawn(&self, frame: Frame) -> Pen {
        let mut pen = Pen::new(frame.text);
        self.draw(&mut pen, Area::of(frame), frame);
        pen
    }

    fn in_svg(&self, pen: &Pen, frame: Frame) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-label=\"{}\" \
             font-family=\"{FAMILY}, system-ui, sans-serif\" font-weight=\"450\">{}</svg>",
            frame.width,
            frame.height,
            escaped(&self.label()),
            pen.drawn()
        );
        out
    }

    /// As markup for a file, in these colors.
    pub fn in_colours(&self, frame: Frame, theme: &Theme) -> String {
        if let Self::Chart(chart) = self {
            return svg::in_colours(chart, frame, theme);
        }
        Ink::ALL.iter().fold(self.in_page(frame), |markup, ink| {
            let color = theme.of(*ink);
            let on = if is_bright(color) { DARK } else { WHITE };
            let markup = markup.replace(&format!("var({})", ink.token()), &svg::hex(color));
            match ink.on() {
                Some(token) => markup.replace(&format!("var({token})"), &svg::hex(on)),
                None => markup,
            }
        })
    }

    fn draw(&self, pen: &mut Pen, area: Area, frame: Frame) {
        match self {
            Self::Chart(chart) => {
                let frame = Frame { width: area.right - area.left, height: area.bottom - area.top, ..frame };
                pen.put(&svg::in_page(chart, frame), area);
            }
            Self::Lanes(lanes) => lanes.draw(pen, area),
            Self::Cells(cells) => cells.draw(pen, area),
            Self::Beside(all) => {
                let (shares, gaps) = (shares(all), APART * all.len().saturating_sub(1) as f64);
                let mut left = area.left;
                for (share, one) in all {
                    let wide = (area.right - area.left - gaps) * share / shares;
                    one.draw(pen, Area { left, right: left + wide, ..area }, frame);
                    left += wide + APART;
                }
            }
            Self::Over(all) => {
                let (shares, gaps) = (shares(all), 0.6 * APART * all.len().saturating_sub(1) as f64);
                let mut top = area.top;
                for (share, one) in all {
                    let high = (area.bottom - area.top - gaps) * share / shares;
                    one.draw(pen, Area { top, bottom: top + high, ..area }, frame);
                    top += high + 0.6 * APART;
                }
            }
        }
    }
}

fn shares(all: &[(f64, Picture)]) -> f64 {
    all.iter().map(|(share, _)| share).sum::<f64>().max(f64::MIN_POSITIVE)
}
