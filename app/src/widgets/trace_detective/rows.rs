//! The lines of the drawing: which lanes there are, under which labels, and which are folded away.

use leptos::prelude::*;
use ringside_core::quantity::counted;
use ringside_core::trace::layout::Lane;

use super::{Scene, Shown};

/// The height of a lane, that of a row that is folded, what is between two, and the height of a row's label.
pub(super) const LANE: f64 = 15.0;
const FOLDED: f64 = 5.0;
const BETWEEN: f64 = 1.0;
pub(super) const LABEL: f64 = 24.0;

/// A line of the drawing: a lane, under the label of its row if it is the first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Its index among the lanes.
    pub lane: usize,
    /// Which trace and row it belongs to.
    pub of: (usize, u32),
    /// Whether the label of the row stands over it.
    pub first: bool,
    /// Whether it stands, narrow, for all lanes of a row that is folded.
    pub folded: bool,
    pub y: f64,
}

impl Row {
    /// Where its blocks begin.
    pub fn top(&self) -> f64 {
        self.y + if self.first { LABEL } else { 0.0 }
    }

    /// How high its blocks are.
    pub fn high(&self) -> f64 {
        if self.folded { FOLDED } else { LANE }
    }

    /// Where the next one begins.
    pub fn bottom(&self) -> f64 {
        self.top() + self.high() + BETWEEN
    }

    /// The lanes for which it stands.
    pub fn lanes(&self, scene: &Scene) -> Vec<usize> {
        if !self.folded {
            return vec![self.lane];
        }
        let all = scene.own.lanes.iter().enumerate();
        all.filter(|(_, lane)| (lane.trace, lane.track) == self.of).map(|(i, _)| i).collect()
    }
}

/// The lines of the drawing.
pub(super) fn rows(scene: &Scene, folded: &[(usize, u32)]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut y = 0.0;
    for (lane, l) in scene.own.lanes.iter().enumerate() {
        let of = (l.trace, l.track);
        let first = rows.last().is_none_or(|row| row.of != of);
        let folded = folded.contains(&of);
        if folded && !first {
            continue;
        }
        let row = Row { lane, of, first, folded, y };
        y = row.bottom();
        rows.push(row);
    }
    rows
}

/// The row at a height.
pub(super) fn at(rows: &[Row], y: f64) -> Option<&Row> {
    rows.iter().rfind(|row| row.y <= y)
}

fn name(scene: &Scene, lane: Option<&Lane>, (trace, track): (usize, u32)) -> String {
    let Some(of) = scene.traces.get(trace) else { return String::new() };
    let rank = of.rank.unwrap_or(trace as u32);
    if let Some(lane) = lane.filter(|lane| lane.folded > 0) {
        return format!("rank {rank}: and {} more, drawn as one", counted(u64::from(lane.folded), "row", "rows"));
    }
    let name = of.tracks.get(track as usize).map(|t| {
        let name = if t.thread_name.is_empty() { &t.thread } else { &t.thread_name };
        if t.process_name.contains("GPU") { format!("GPU, {name}") } else { name.clone() }
    });
    format!("rank {rank}: {}", name.unwrap_or_default())
}

/// Folds a row, or unfolds it.
fn fold(shown: Shown, of: (usize, u32)) {
    shown.folded.update(|folded| match folded.iter().position(|row| *row == of) {
        Some(at) => drop(folded.remove(at)),
        None => folded.push(of),
    });
}

/// The labels of all rows: buttons that fold them.
pub(super) fn labels(shown: Shown, rows: Memo<Vec<Row>>) -> impl IntoView {
    let labelled = move || -> Vec<(usize, u32)> {
        rows.with(|rows| rows.iter().filter(|row| row.first).map(|row| row.of).collect())
    };
    let label = move |of: (usize, u32)| {
        let row = Memo::new(move |_| rows.with(|rows| rows.iter().find(|row| row.of == of).map(|r| (r.y, r.folded))));
        let is_open = move || row.get().is_some_and(|row| !row.1);
        view! {
            <button
                type="button"
                class="trace-label"
                style:top=move || format!("{}px", row.get().map_or(0.0, |row| row.0))
                aria-expanded=move || is_open().to_string()
                on:click=move |_| fold(shown, of)
            >
                <span aria-hidden="true">{move || if is_open() { "▾ " } else { "▸ " }}</span>
                {move || {
                    let lane = rows.with(|rows| rows.iter().find(|row| row.of == of).map(|row| row.lane));
                    shown.scene.with(|s| name(s, lane.and_then(|i| s.own.lanes.get(i)), of))
                }}
            </button>
        }
    };
    view! { <For each=labelled key=|of| *of children=label /> }
}
