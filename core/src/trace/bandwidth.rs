//! How fast copies and memsets are, as the trace states it.
//!
//! HTA: `hta/analyzers/trace_counters.py:257-396`.

use super::describe::{Summary, describe};
use super::kind::Kind;
use super::rows::Rows;

/// How HTA groups them: `Memcpy HtoD`, `Memset`.
fn group(name: &str) -> &str {
    if name.starts_with("Memset") {
        "Memset"
    } else if name.starts_with("Memcpy") {
        name.get(..11).unwrap_or(name)
    } else {
        "Memcpy Unknown"
    }
}

/// The bandwidth of each group in GB/s, by name: what flows after each change, where anything does. What takes no time counts as a
/// microsecond, and what states no bandwidth as none.
pub fn summaries<'a>(rows: &Rows<'a>) -> Vec<(&'a str, Summary)> {
    let mut changes: Vec<(&'a str, i64, f64)> = Vec::new();
    let copies = || rows.on_gpu().filter(|row| rows.kind(row) == Kind::Memory);
    let stated = |span: u32| rows.trace.bandwidth(span).unwrap_or_default();
    changes.extend(copies().map(|row| (group(rows.name(row)), row.start, stated(row.span))));
    changes.extend(copies().map(|row| {
        let end = if row.length() == 0 { row.start.saturating_add(1000) } else { row.end };
        (group(rows.name(row)), end, -stated(row.span))
    }));
    changes.sort_by_key(|c| (c.0, c.1));
    let of_one = |changes: &[(&'a str, i64, f64)]| {
        let mut flow = 0.0;
        let add = |c: &(&str, i64, f64)| {
            flow += c.2;
            flow
        };
        let values: Vec<f64> = changes.iter().map(add).collect();
        Some((changes.first()?.0, describe(values.into_iter().filter(|v| *v > 0.0))?))
    };
    changes.chunk_by(|a, b| a.0 == b.0).filter_map(of_one).collect()
}
