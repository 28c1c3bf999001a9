//! What a GPU's allocator held over the time that a memory snapshot recorded.

use ringside_core::allocator::History;
use ringside_core::quantity::Unit;

use crate::chart::{Axis, Chart, Ink, Mark, Series, Stroke, Writing};

/// Memory in tensors and reserved, over the seconds since the history began, or over its entries where it has no times.
pub fn chart(history: &History) -> Chart {
    let scale = if history.is_timed { 1e6 } else { 1.0 };
    let length = history.moments.first().map_or(0, |first| first.before) as f64 / scale;
    let at = |before: u64| length - before as f64 / scale;
    let line = |of: fn(&ringside_core::allocator::Moment) -> u64| {
        history.moments.iter().map(|moment| (at(moment.before), of(moment) as f64)).collect::<Vec<_>>()
    };
    let text = |bytes: u64| Unit::Bytes.format(bytes as f64);
    let peak = history.peak();
    let most = peak.map_or(0, |peak| peak.allocated);
    let top = history.reserved().max(most).max(1) as f64;
    Chart {
        label: format!(
            "Memory of GPU {} over time: at most {} in tensors and {} reserved.",
            history.device,
            text(most),
            text(history.reserved())
        ),
        across: Axis::linear((0.0, length.max(1e-6))).named(if history.is_timed {
            "Seconds since the history began"
        } else {
            "Entries since the history began"
        }),
        up: Axis::linear((0.0, top * 1.1)).written(Writing::Unit(Unit::Bytes)).named("Memory"),
        series: vec![
            Series::line("Reserved", Ink::Ink, line(|moment| moment.reserved)).stroke(Stroke::Dashed).in_key(),
            Series::line("In tensors", Ink::Weights, line(|moment| moment.allocated)).in_key(),
        ],
        rules: Vec::new(),
        marks: peak
            .map(|peak| Mark::new((at(peak.before), peak.allocated as f64), text(peak.allocated)))
            .into_iter()
            .collect(),
    }
}
