//! What a pointer or an arrow key finds in a chart.

use super::{Chart, Form, Ink, Layout, Series};

/// A place of a chart where something is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// The number across.
    pub at: f64,
    /// A point that has a name of its own: which series, and which of its points.
    point: Option<(usize, usize)>,
}

/// What is read at a stop.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The number across.
    pub at: f64,
    /// The number across as it is written, or the name of the point.
    pub head: String,
    /// A row for each series that has a point there.
    pub rows: Vec<Row>,
}

/// A number that is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Whose it is.
    pub name: String,
    /// The number as it is written.
    pub text: String,
    /// The colour of its series.
    pub ink: Ink,
    /// Where it is.
    pub at: (f64, f64),
}

impl Reading {
    /// All of it as one sentence.
    pub fn sentence(&self) -> String {
        let rows = self.rows.iter().map(|row| format!("{} {}", row.name, row.text)).collect::<Vec<_>>().join(", ");
        format!("{}: {rows}", self.head)
    }
}

/// How near a pointer must be to a point that has a name of its own, in pixels.
const REACH: f64 = 14.0;

impl Chart {
    /// Every place where something is read, from left to right.
    pub fn stops(&self) -> Vec<Stop> {
        let mut stops: Vec<Stop> = Vec::new();
        for (i, series) in self.series.iter().enumerate().filter(|(_, s)| is_read(s)) {
            for (k, (x, y)) in series.points.iter().enumerate() {
                let parts = [self.across.fraction(*x), self.up.fraction(*y)];
                if parts.iter().any(|part| !part.is_finite()) || !(-1e-9..=1.0 + 1e-9).contains(&parts[0]) {
                    continue;
                }
                let point = is_by_itself(series).then_some((i, k));
                stops.push(Stop { at: *x, point });
            }
        }
        stops.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.point.cmp(&b.point)));
        stops.dedup_by(|a, b| a.point.is_none() && b.point.is_none() && self.is_same(a.at, b.at));
        stops
    }

    fn is_same(&self, a: f64, b: f64) -> bool {
        (self.across.fraction(a) - self.across.fraction(b)).abs() < 1e-6
    }

    /// What there is at a stop.
    pub fn read(&self, stop: &Stop) -> Reading {
        let named = stop.point.and_then(|(i, k)| {
            let series = self.series.get(i)?;
            let name = series.names.get(k)?;
            Some((name.clone(), vec![self.row(series, k)?, self.across_row(series, k)?]))
        });
        if let Some((head, rows)) = named {
            return Reading { at: stop.at, head, rows };
        }
        let rows = self.series.iter().filter(|s| is_read(s) && !is_by_itself(s)).filter_map(|series| {
            let k = series.points.iter().position(|(x, _)| self.is_same(*x, stop.at))?;
            Some((series.names.get(k), self.row(series, k)?))
        });
        let (names, rows): (Vec<Option<&String>>, Vec<Row>) = rows.unzip();
        let number = || {
            let unit = if self.across.name.is_empty() { String::new() } else { format!("{} ", self.across.name) };
            format!("{unit}{}", self.across.write(stop.at))
        };
        Reading { at: stop.at, head: names.into_iter().flatten().next().cloned().unwrap_or_else(number), rows }
    }

    fn row(&self, series: &Series, k: usize) -> Option<Row> {
        let at = *series.points.get(k)?;
        let text = match (series.form, series.over.get(k)) {
            // What is stacked is as high as its own part, where parts add up: not along a logarithm.
            (Form::Bars, Some(over)) if self.up.is_linear() => self.up.write(at.1 - over),
            (Form::Bars, Some(over)) if *over >= at.1 => return None,
            (Form::Bars | Form::Area { sheer: true }, Some(over)) => {
                format!("{} to {}", self.up.write(*over), self.up.write(at.1))
            }
            _ => self.up.write(at.1),
        };
        Some(Row { name: series.name.clone(), text, ink: series.ink, at })
    }

    /// The number across of a point whose name stands where that number does otherwise.
    fn across_row(&self, series: &Series, k: usize) -> Option<Row> {
        let at = *series.points.get(k)?;
        Some(Row { name: self.across.name.clone(), text: self.across.write(at.0), ink: series.ink, at })
    }

    /// The stop that is meant by a place in the frame, in pixels: a point with a name if one is near, or the nearest number across.
    pub fn nearest(&self, layout: &Layout, stops: &[Stop], (x, y): (f64, f64)) -> Option<usize> {
        let place = |stop: &Stop| {
            let point = stop.point.and_then(|(i, k)| self.series.get(i)?.points.get(k).copied());
            (layout.x(self, stop.at), point.map(|(_, up)| layout.y(self, up)))
        };
        let named = stops.iter().enumerate().filter_map(|(i, stop)| {
            let (left, top) = place(stop);
            let far = (left - x).hypot(top? - y);
            (far <= REACH).then_some((i, far))
        });
        if let Some((i, _)) = named.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
            return Some(i);
        }
        let others = stops.iter().enumerate().filter(|(_, stop)| stop.point.is_none());
        let far = |stop: &Stop| (place(stop).0 - x).abs();
        others.min_by(|(_, a), (_, b)| far(a).total_cmp(&far(b))).map(|(i, _)| i)
    }
}

/// Whether its points are read one by one, where they are, and not by their number across.
fn is_by_itself(series: &Series) -> bool {
    matches!(series.form, Form::Dots(_)) && !series.names.is_empty()
}

fn is_read(series: &Series) -> bool {
    !series.name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Shape};
    use super::*;

    fn chart() -> Chart {
        let line = |name: &str, factor: f64| {
            Series::line(name, Ink::Weights, [1.0, 2.0, 4.0].map(|x| (x, x * factor)).to_vec())
        };
        let dots =
            Series::dots("measured", Ink::Gradients, Shape::Disc, vec![(2.0, 3.0)]).with_names(vec!["mine".into()]);
        Chart {
            across: Axis::log2((1.0, 4.0)).named("GPUs"),
            up: Axis::linear((0.0, 8.0)),
            series: vec![line("a", 1.0), line("b", 2.0), line("", 0.5), dots],
            ..Chart::default()
        }
    }

    #[test]
    fn every_number_across_is_read_once_and_named_points_by_themselves() {
        let chart = chart();
        let stops = chart.stops();
        let read: Vec<String> = stops.iter().map(|stop| chart.read(stop).sentence()).collect();
        assert_eq!(read, ["GPUs 1: a 1, b 2", "GPUs 2: a 2, b 4", "mine: measured 3, GPUs 2", "GPUs 4: a 4, b 8"]);
    }

    #[test]
    fn a_pointer_finds_what_is_near() {
        let chart = chart();
        let frame = super::super::Frame { width: 400.0, height: 300.0, text: 12.0, pixel: 1.0 };
        let layout = Layout::of(&chart, frame);
        let stops = chart.stops();
        let point = (layout.x(&chart, 2.0), layout.y(&chart, 3.0));
        assert_eq!(chart.nearest(&layout, &stops, point), Some(2));
        assert_eq!(chart.nearest(&layout, &stops, (point.0 + 3.0, point.1 - 60.0)), Some(1));
        assert_eq!(chart.nearest(&layout, &stops, (0.0, 0.0)), Some(0));
        assert_eq!(Chart::default().nearest(&layout, &[], (0.0, 0.0)), None);
    }
}
