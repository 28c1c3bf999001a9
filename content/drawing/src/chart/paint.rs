//! A laid-out chart, drawn with plotters.
//!
//! plotters knows whole pixels only. So everything is drawn [`UNITS`] times as large, and the backend is scaled to fit; tick
//! placement and the widths of texts are ours ([`super::axis`], `super::text`).

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::cartesian::{Cartesian2d, MeshLine};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged};
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, RGBAColor, ShapeStyle, TextStyle};
use plotters_backend::DrawingBackend;

use super::axis::{Axis, Tick};
use super::ink::Theme;
use super::label::{Anchor, Words};
use super::layout::{Layout, MARK, SIGN, Sign};
use super::reading::Reading;
use super::{At, Chart, Form, Ink, Rule, Series, Shape, Stroke, Weight};

/// Units of the backend in a pixel of the page.
pub const UNITS: f64 = 16.0;
/// How much larger plotters states a font's size than its backends set it.
pub const OF_FONT: f64 = 1.24;
/// What texts are set in; the page says more of it.
pub const FAMILY: &str = "Inter";

/// The width of a line, in ems of the chart's text.
const STRONG: f64 = 0.21;
const FINE: f64 = 0.12;
/// How much of a band is seen.
const SHEER: f64 = 0.26;

type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// An axis and the numbers that are written on it, as plotters asks for them.
struct Placed<'a> {
    axis: &'a Axis,
    ticks: &'a [Tick],
}

impl Ranged for Placed<'_> {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = self.axis.fraction(*value).clamp(0.0, 1.0);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().filter(|t| !t.text.is_empty()).map(|t| t.value).collect()
    }

    fn range(&self) -> Range<f64> {
        let (from, to) = self.axis.range();
        from..to
    }
}

/// Draws a chart, with a reading on it if something is read.
///
/// # Errors
/// What the backend could not do.
pub fn paint<DB: DrawingBackend>(
    backend: DB,
    chart: &Chart,
    layout: &Layout,
    theme: &Theme,
    reading: Option<&Reading>,
) -> Drawn<DB> {
    let area = backend.into_drawing_area();
    let painter = Painter { area: &area, chart, layout, theme };
    painter.grid()?;
    for rule in &chart.rules {
        if !matches!(rule.at, At::Across(_)) {
            painter.rule(rule, layout.up.1)?;
        }
    }
    for series in &chart.series {
        painter.series(series)?;
    }
    for (rule, top) in chart.rules.iter().zip(&layout.rule_tops) {
        if matches!(rule.at, At::Across(_)) {
            painter.rule(rule, *top)?;
        }
    }
    for sign in &layout.signs {
        painter.sign(sign)?;
    }
    if let Some(reading) = reading {
        painter.reading(reading)?;
    }
    for mark in &chart.marks {
        painter.mark((layout.x(chart, mark.at.0), layout.y(chart, mark.at.1)))?;
    }
    for words in &layout.words {
        painter.text(words)?;
    }
    area.present()
}

struct Painter<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    chart: &'a Chart,
    layout: &'a Layout,
    theme: &'a Theme,
}

impl<DB: DrawingBackend> Painter<'_, DB> {
    fn em(&self) -> f64 {
        self.layout.frame.text
    }

    fn colour(&self, ink: Ink, part: f64) -> RGBAColor {
        let (red, green, blue) = self.theme.of(ink);
        RGBAColor(red, green, blue, part)
    }

    fn stroke(&self, ink: Ink, wide: f64) -> ShapeStyle {
        ShapeStyle { color: self.colour(ink, 1.0), filled: false, stroke_width: units(wide).max(1) as u32 }
    }

    fn fill(&self, ink: Ink, part: f64) -> ShapeStyle {
        ShapeStyle { color: self.colour(ink, part), filled: true, stroke_width: 0 }
    }

    /// A place for a line of this width that covers whole pixels.
    fn crisp(&self, place: f64, wide: f64) -> f64 {
        let pixel = self.layout.frame.pixel.max(1e-3);
        let odd = (wide / pixel).round() as i64 % 2 == 1;
        let half = if odd { 0.5 } else { 0.0 };
        ((place / pixel - half).round() + half) * pixel
    }

    fn path(&self, points: &[(f64, f64)], stroke: Stroke, style: ShapeStyle) -> Drawn<DB> {
        let points: Vec<(i32, i32)> = points.iter().map(|p| place(*p)).collect();
        let wide = i32::try_from(style.stroke_width).unwrap_or(1);
        // Round ends make a dash longer by its width, and a dot of nothing.
        let (dash, gap) = match stroke {
            Stroke::Solid => return self.area.draw(&PathElement::new(points, style)),
            Stroke::Dashed => (wide * 2 + units(2.0), wide + units(5.0)),
            Stroke::Dotted => (1, wide + units(2.5)),
        };
        self.area.draw(&DashedPathElement::new(points, dash, gap, style))
    }

    /// Lines at the numbers of both axes, strokes between them, and the foot.
    fn grid(&self) -> Drawn<DB> {
        let Layout { across, up, across_ticks, up_ticks, .. } = self.layout;
        let ends = |(from, to): &(f64, f64)| units(*from)..units(*to);
        let (x, y) = (
            Placed { axis: &self.chart.across, ticks: across_ticks },
            Placed { axis: &self.chart.up, ticks: up_ticks },
        );
        let hair = self.layout.frame.pixel.max(1.0);
        let style = self.stroke(Ink::Line, hair);
        let crisp = |at: i32| units(self.crisp(f64::from(at) / UNITS, hair));
        let mesh = self.area.apply_coord_spec(Cartesian2d::<Placed, Placed>::new(x, y, (ends(across), ends(up))));
        let (many, most) = (across_ticks.len(), up_ticks.len());
        mesh.draw_mesh(
            |backend, line| match line {
                MeshLine::XMesh(from, to, _) => backend.draw_line((crisp(from.0), from.1), (crisp(to.0), to.1), &style),
                MeshLine::YMesh(from, to, _) => backend.draw_line((from.0, crisp(from.1)), (to.0, crisp(to.1)), &style),
            },
            most,
            many,
        )?;
        let edge = self.stroke(Ink::Edge, hair);
        let foot = self.crisp(up.0, hair);
        self.path(&[(across.0, foot), (across.1, foot)], Stroke::Solid, edge)?;
        let long = |tick: &Tick| if tick.text.is_empty() { 0.25 } else { 0.4 } * self.em();
        for tick in across_ticks {
            let x = self.crisp(self.layout.x(self.chart, tick.value), hair);
            self.path(&[(x, foot), (x, foot + long(tick))], Stroke::Solid, edge)?;
        }
        for tick in up_ticks.iter().filter(|t| t.text.is_empty()) {
            let y = self.crisp(self.layout.y(self.chart, tick.value), hair);
            self.path(&[(across.0 - long(tick), y), (across.0, y)], Stroke::Solid, edge)?;
        }
        Ok(())
    }

    fn rule(&self, rule: &Rule, top: f64) -> Drawn<DB> {
        let (layout, chart) = (self.layout, self.chart);
        let wide = FINE * self.em();
        let (part, ends) = match rule.at {
            At::Across(at) => {
                let x = self.crisp(layout.x(chart, at), wide);
                (chart.across.fraction(at), [(x, top), (x, layout.up.0)])
            }
            At::Up(at) => {
                let y = self.crisp(layout.y(chart, at), wide);
                (chart.up.fraction(at), [(layout.across.0, y), (layout.across.1, y)])
            }
        };
        if !(0.0..=1.0).contains(&part) {
            return Ok(());
        }
        self.path(&ends, rule.stroke, self.stroke(rule.ink, wide))
    }

    fn series(&self, series: &Series) -> Drawn<DB> {
        match series.form {
            Form::Line(stroke, weight) => {
                let style = self.stroke(series.ink, self.wide(weight));
                self.layout
                    .line(self.chart, &series.points)
                    .iter()
                    .try_for_each(|piece| self.path(piece, stroke, style))
            }
            Form::Dots(shape) => {
                let shown = series.points.iter().filter(|p| self.is_within(**p));
                let places = shown.map(|(x, y)| (self.layout.x(self.chart, *x), self.layout.y(self.chart, *y)));
                places.into_iter().try_for_each(|at| self.dot(at, shape, series.ink))
            }
            Form::Area { sheer } => self.spread(series, sheer),
            Form::Bars => self.bars(series),
        }
    }

    fn wide(&self, weight: Weight) -> f64 {
        self.em() * if weight == Weight::Strong { STRONG } else { FINE }
    }

    fn is_within(&self, (x, y): (f64, f64)) -> bool {
        let inside = |part: f64| (-1e-9..=1.0 + 1e-9).contains(&part);
        inside(self.chart.across.fraction(x)) && inside(self.chart.up.fraction(y))
    }

    /// The lower end of an area or a bar.
    fn lower(&self, series: &Series, index: usize) -> f64 {
        series.over.get(index).map_or(self.layout.up.0, |over| self.layout.y(self.chart, *over))
    }

    fn spread(&self, series: &Series, sheer: bool) -> Drawn<DB> {
        let (layout, chart) = (self.layout, self.chart);
        let upper = series.points.iter().map(|(x, y)| (layout.x(chart, *x), layout.y(chart, *y)));
        let lower = series.points.iter().enumerate().map(|(i, (x, _))| (layout.x(chart, *x), self.lower(series, i)));
        let outline: Vec<(i32, i32)> = upper.chain(lower.rev()).map(place).collect();
        let part = if sheer { SHEER } else { 1.0 };
        self.area.draw(&Polygon::new(outline, self.fill(series.ink, part)))
    }

    fn bars(&self, series: &Series) -> Drawn<DB> {
        let (layout, chart) = (self.layout, self.chart);
        let places: Vec<f64> = series.points.iter().map(|(x, _)| layout.x(chart, *x)).collect();
        let all = layout.across.1 - layout.across.0;
        let slot = places.windows(2).map(|p| p[1] - p[0]).fold(all, f64::min);
        let half = (slot * 0.42).max(1.0);
        for (i, ((_, y), x)) in series.points.iter().zip(&places).enumerate() {
            let (top, foot) = (layout.y(chart, *y), self.lower(series, i));
            if foot > top {
                let (left, right) = (self.crisp(x - half, 0.0), self.crisp(x + half, 0.0));
                self.area
                    .draw(&Rectangle::new([place((left, top)), place((right, foot))], self.fill(series.ink, 1.0)))?;
            }
        }
        Ok(())
    }

    fn disc(&self, at: (f64, f64), radius: f64, ink: Ink) -> Drawn<DB> {
        self.area.draw(&Circle::new(place(at), units(radius), self.fill(ink, 1.0)))
    }

    /// The sign of a point, set off from what lies under it.
    fn dot(&self, (x, y): (f64, f64), shape: Shape, ink: Ink) -> Drawn<DB> {
        let em = self.em();
        let corners = |reach: f64| [(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)].map(place).to_vec();
        let square = |reach: f64| [place((x - reach, y - reach)), place((x + reach, y + reach))];
        let rim = 0.1 * em;
        match shape {
            Shape::Disc => {
                self.disc((x, y), 0.36 * em + rim, Ink::Panel)?;
                self.disc((x, y), 0.36 * em, ink)
            }
            Shape::Small => self.disc((x, y), 0.22 * em, ink),
            Shape::Ring => {
                self.disc((x, y), 0.4 * em, ink)?;
                self.disc((x, y), 0.22 * em, Ink::Panel)
            }
            Shape::Diamond => {
                self.area.draw(&Polygon::new(corners(0.46 * em + rim * 1.4), self.fill(Ink::Panel, 1.0)))?;
                self.area.draw(&Polygon::new(corners(0.46 * em), self.fill(ink, 1.0)))
            }
            Shape::Square => {
                self.area.draw(&Rectangle::new(square(0.32 * em + rim), self.fill(Ink::Panel, 1.0)))?;
                self.area.draw(&Rectangle::new(square(0.32 * em), self.fill(ink, 1.0)))
            }
        }
    }

    fn mark(&self, at: (f64, f64)) -> Drawn<DB> {
        self.disc(at, MARK * self.em(), Ink::Ink)?;
        self.disc(at, MARK * self.em() - 0.19 * self.em(), Ink::Panel)
    }

    /// What a series looks like, in the key.
    fn sign(&self, sign: &Sign) -> Drawn<DB> {
        let Some(series) = self.chart.series.get(sign.series) else { return Ok(()) };
        let (x, y) = sign.at;
        let em = self.em();
        let (middle, end) = (x + SIGN * em / 2.0, x + SIGN * em);
        match series.form {
            Form::Line(stroke, weight) => {
                self.path(&[(x, y), (end, y)], stroke, self.stroke(series.ink, self.wide(weight)))
            }
            Form::Dots(shape) => self.dot((middle, y), shape, series.ink),
            Form::Area { .. } | Form::Bars => {
                let part = if matches!(series.form, Form::Area { sheer: true }) { SHEER * 1.6 } else { 1.0 };
                let reach = 0.42 * em;
                let corners = [place((middle - reach, y - reach)), place((middle + reach, y + reach))];
                self.area.draw(&Rectangle::new(corners, self.fill(series.ink, part)))
            }
        }
    }

    /// An upright line where something is read, and a sign at each point that is.
    fn reading(&self, reading: &Reading) -> Drawn<DB> {
        let x = self.crisp(self.layout.x(self.chart, reading.at), 1.0);
        let style = self.stroke(Ink::Accent, 1.0);
        self.path(&[(x, self.layout.up.1), (x, self.layout.up.0)], Stroke::Solid, style)?;
        for row in &reading.rows {
            let at = (self.layout.x(self.chart, row.at.0), self.layout.y(self.chart, row.at.1));
            self.disc(at, 0.42 * self.em(), Ink::Accent)?;
            self.disc(at, 0.27 * self.em(), Ink::Panel)?;
            self.disc(at, 0.18 * self.em(), row.ink)?;
        }
        Ok(())
    }

    fn text(&self, words: &Words) -> Drawn<DB> {
        let weight = if words.strong { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(FontFamily::Name(FAMILY), words.size * UNITS * OF_FONT, weight);
        let side = match words.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        // Backends put the base line there: see `svg` and the app's canvas.
        let ink = self.colour(words.ink, 1.0);
        let style = TextStyle::from(font).color(&ink).pos(Pos::new(side, VPos::Bottom));
        self.area.draw(&Text::new(words.text.as_str(), place(words.at), style))
    }
}

fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}

fn place((x, y): (f64, f64)) -> (i32, i32) {
    (units(x), units(y))
}
