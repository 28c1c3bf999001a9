//! A curve that a learner draws before seeing it, and then both.

use ringside_core::answer::write;
use ringside_core::exercise::Curve;
use ringside_core::quantity::Unit;

use crate::chart::{Axis, Chart, Ink, Mark, Series, Shape, Stroke, Writing};

/// What a sketch is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Paper {
    /// What the axis across is called.
    pub across: String,
    /// What is drawn.
    pub unit: Unit,
    /// What the model says, and how high the axis is.
    pub curve: Curve,
}

/// The chart: what was drawn, by value of the parameter, the point that has the keys if one has, and the model's curve once it is to
/// be seen.
pub fn chart(paper: &Paper, drawn: &[Option<f64>], held: Option<usize>, is_uncovered: bool) -> Chart {
    let Paper { across, unit, curve } = paper;
    let said = |value: f64| write(value, *unit, 3);
    let yours: Vec<(f64, f64)> =
        drawn.iter().enumerate().filter_map(|(i, value)| value.map(|value| (i as f64, value))).collect();
    let name = |name: &str| if is_uncovered { name.to_owned() } else { String::new() };
    let stroke = if is_uncovered { Stroke::Dashed } else { Stroke::Solid };
    let mut series = vec![
        Series::line(name("You"), Ink::Gradients, yours.clone()).stroke(stroke),
        Series::dots("", Ink::Gradients, Shape::Diamond, yours.clone()),
    ];
    let texts = curve.at.iter().zip(drawn).map(|(at, value)| match value {
        Some(value) => format!("{} at {at}", said(*value)),
        None => format!("nothing at {at}"),
    });
    let mut label = format!("What you drew over {across}: {}.", texts.collect::<Vec<_>>().join(", "));
    if is_uncovered {
        let truth: Vec<(f64, f64)> = curve.values.iter().enumerate().map(|(i, value)| (i as f64, *value)).collect();
        let texts = curve.at.iter().zip(&curve.values).map(|(at, value)| format!("{} at {at}", said(*value)));
        label += &format!(" It is {}.", texts.collect::<Vec<_>>().join(", "));
        series.push(Series::line("It is", Ink::Weights, truth.clone()));
        series.push(Series::dots("", Ink::Weights, Shape::Disc, truth));
    }
    let mark = |i: usize| {
        let value = drawn.get(i).copied().flatten();
        let at = (i as f64, value.unwrap_or(curve.up_to / 2.0));
        Mark::new(at, value.map_or_else(|| "not drawn yet".to_owned(), said))
    };
    let last = curve.at.len().saturating_sub(1) as f64;
    Chart {
        label,
        across: Axis::linear((-0.4, last + 0.4))
            .at(curve.at.iter().enumerate().map(|(i, at)| (i as f64, at.clone())))
            .named(across.clone()),
        up: Axis::linear((0.0, curve.up_to)).written(Writing::Unit(*unit)),
        series,
        rules: Vec::new(),
        marks: held.filter(|_| !is_uncovered).map(mark).into_iter().collect(),
    }
}
