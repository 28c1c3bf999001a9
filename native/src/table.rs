//! What came of the kernels, as text.

use ringside_core::kernels::measured::Measured;
use ringside_core::quantity::Unit;
use ringside_core::roofline::own;

use crate::Outcome;

/// The heads of the columns; the last three only where something was timed.
const HEADS: [&str; 7] = ["kernel", "sizes", "right", "error of its bound", "time", "speed", "needed bytes"];

/// A line for each, under a line of heads.
pub(crate) fn text(outcomes: &[Outcome]) -> String {
    let timed = outcomes.iter().any(|outcome| outcome.times.is_some());
    let columns = if timed { HEADS.len() } else { 4 };
    let mut rows: Vec<Vec<String>> = vec![HEADS.iter().take(columns).map(|head| (*head).to_owned()).collect()];
    rows.extend(outcomes.iter().map(|outcome| cells(outcome).into_iter().take(columns).collect()));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    format!("\n{}", rows.iter().map(line).collect::<String>())
}

fn cells(outcome: &Outcome) -> [String; 7] {
    let Outcome { kernel, problem, checked, times } = outcome;
    let sizes: Vec<String> = problem.dims().0.iter().map(|(name, size)| format!("{name}={size}")).collect();
    let [time, speed, bandwidth] = times.map_or([const { String::new() }; 3], |times| {
        let measured = Measured {
            family: kernel.family.to_owned(),
            kernel: kernel.id.to_owned(),
            sizes: sizes.join("&"),
            flop: problem.flop() as f64,
            verified: true,
            ..Measured::default()
        }
        .with_times(times);
        let bandwidth = own::point(&measured).map_or(0.0, |point| point.bandwidth);
        [
            Unit::Seconds.format(times.median),
            Unit::FlopPerSecond.format(measured.rate()),
            Unit::BytesPerSecond.format(bandwidth),
        ]
    });
    let right = if checked.verified() { format!("{} of {}", checked.checked, checked.of) } else { "WRONG".to_owned() };
    [
        format!("{} {}", kernel.family, kernel.id),
        sizes.join(" "),
        right,
        Unit::Fraction.format(checked.worst),
        time,
        speed,
        bandwidth,
    ]
}
