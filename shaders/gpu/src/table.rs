//! What came of the kernels, as text.

use ringside_core::kernels::measured::Measured;
use ringside_core::quantity::Unit;
use ringside_core::roofline::own;

/// The heads of the columns; the last three only where something was timed.
const HEADS: [&str; 7] = ["kernel", "sizes", "right", "error of its bound", "time", "speed", "needed bytes"];

/// A line for each, under a line of heads; nothing where there is none.
pub(crate) fn text(all: &[Measured]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let timed = all.iter().any(|measured| measured.rounds > 0);
    let columns = if timed { HEADS.len() } else { 4 };
    let mut rows: Vec<Vec<String>> = vec![HEADS.iter().take(columns).map(|head| (*head).to_owned()).collect()];
    rows.extend(all.iter().map(|measured| cells(measured).into_iter().take(columns).collect()));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    format!("\n{}", rows.iter().map(line).collect::<String>())
}

fn cells(measured: &Measured) -> [String; 7] {
    let right = if measured.verified { format!("{} of {}", measured.checked, measured.of) } else { "WRONG".to_owned() };
    let error = if measured.bound > 0.0 { measured.max_error / measured.bound } else { measured.max_error };
    let bandwidth = own::point(measured).map_or(0.0, |point| point.bandwidth);
    [
        format!("{} {}", measured.family, measured.kernel),
        measured.sizes.replace('&', " "),
        right,
        Unit::Fraction.format(error),
        Unit::Seconds.format(measured.seconds),
        Unit::FlopPerSecond.format(measured.rate()),
        Unit::BytesPerSecond.format(bandwidth),
    ]
}
