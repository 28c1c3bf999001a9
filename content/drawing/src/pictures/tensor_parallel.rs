//! The matrices of a layer as they are cut: whose block each is.

use ringside_core::tensor_parallel::sharded::{Layout, Sharded};
use ringside_core::tensor_parallel::trace::{Concept, Panel};
use ringside_core::tensor_parallel::{Params, Run};

use crate::chart::Ink;
use crate::form::{Cell, Cells, Head};
use crate::picture::Picture;

/// Most matrices in one row.
const LINED: usize = 4;

/// The weights before anything is done; then what goes in and what comes out of the step that is on show.
pub fn picture(p: &Params, run: &Run) -> Picture {
    let panels: Vec<Panel> = match p.step.checked_sub(1).and_then(|i| run.step(i + 1)) {
        Some(step) => step.inputs.iter().chain(&step.factors).chain(&step.outputs).cloned().collect(),
        None => weights(run),
    };
    let mut label = run.finding();
    let one = |panel: &Panel| (panel.size().1.max(4) as f64, matrix(panel, std::mem::take(&mut label)).into());
    let mut all: Vec<(f64, Picture)> = panels.iter().map(one).collect();
    // Two rows of many, so that they can be read.
    let below = all.split_off(if all.len() > LINED { all.len().div_ceil(2) } else { all.len() });
    let rows = [all, below].into_iter().filter(|row| !row.is_empty()).map(|row| (1.0, Picture::Beside(row)));
    Picture::Over(rows.collect())
}

/// The matrices of attention and of the MLP.
fn weights(run: &Run) -> Vec<Panel> {
    let [attention, mlp] = &run.drawn.ranks.weights.halves;
    let mlp_names: &[&str] = if run.drawn.small.sizes.gated { &["Wgate", "Wup"] } else { &["Wup"] };
    let named = ["Wq", "Wk", "Wv"]
        .into_iter()
        .zip(&attention.first)
        .chain([("Wo", &attention.second)])
        .chain(mlp_names.iter().copied().zip(&mlp.first))
        .chain([("Wdown", &mlp.second)]);
    let panel =
        |(name, held): (&str, &Sharded)| Panel { name: name.to_owned(), concept: Concept::Weights, held: held.clone() };
    named.map(panel).collect()
}

/// A matrix in blocks, each with the rank that holds it.
fn matrix(panel: &Panel, label: String) -> Cells {
    let ink = match panel.concept {
        Concept::Weights => Ink::Weights,
        Concept::Activations => Ink::Activations,
        Concept::Gradients => Ink::Gradients,
    };
    let (rows, columns) = panel.size();
    let (wide, high) = (columns as f64, rows as f64);
    let tone = |i: usize| ink.at(if i.is_multiple_of(2) { 90 } else { 55 });
    let parts = &panel.held.parts;
    let block = |at, size, i: usize, text: String| Cell::of(at, size, tone(i)).text(text);
    let cells = match panel.held.layout {
        Layout::Full => vec![block([0.0; 2], [wide, high], 0, "all".to_owned())],
        Layout::Partial => vec![block([0.0; 2], [wide, high], 0, format!("sum of {}", parts.len()))],
        Layout::Cols { copies } => {
            let mut left = 0.0;
            let one = |(i, part): (usize, &ringside_core::tensor_parallel::matrix::Matrix)| {
                let at = left;
                left += part.cols as f64;
                block([at, 0.0], [part.cols as f64, high], i, (i * copies.max(1)).to_string())
            };
            parts.iter().step_by(copies.max(1)).enumerate().map(one).collect()
        }
        Layout::Rows => {
            let mut top = 0.0;
            let one = |(i, part): (usize, &ringside_core::tensor_parallel::matrix::Matrix)| {
                let at = top;
                top += part.rows as f64;
                block([0.0, at], [wide, part.rows as f64], i, i.to_string())
            };
            parts.iter().enumerate().map(one).collect()
        }
    };
    Cells::new(label, Head::new(panel.name.clone(), &[]), [wide.max(1.0), high.max(1.0)], cells).square()
}
