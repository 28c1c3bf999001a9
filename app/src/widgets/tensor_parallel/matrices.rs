//! The matrices of a step, element by element: whose block each is, what goes in and what comes out.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::quantity::number;
use ringside_core::tensor_parallel::Run;
use ringside_core::tensor_parallel::matrix::Matrix;
use ringside_core::tensor_parallel::sharded::Layout;
use ringside_core::tensor_parallel::trace::{Concept, Panel, Step};

use super::Shown;

/// The side of an element, and the gap between the blocks of two ranks, in units of the drawing.
const CELL: f64 = 8.0;
const GAP: f64 = 5.0;
/// Room for the numbers of the ranks.
const LABEL: f64 = 17.0;
/// How far the sheets of a sum stand apart, and how many are drawn.
const SHEET: f64 = 6.0;
const SHEETS: usize = 4;
/// Shades by absolute value.
const SHADES: usize = 5;

/// A block of a matrix in the drawing.
struct Block<'a> {
    part: &'a Matrix,
    x: f64,
    y: f64,
    /// The ranks that hold it.
    first: usize,
    last: usize,
}

impl Block<'_> {
    fn names(&self) -> String {
        match self.last - self.first {
            0 => self.first.to_string(),
            1 => format!("{}·{}", self.first, self.last),
            _ => format!("{}–{}", self.first, self.last),
        }
    }

    fn size(&self) -> (f64, f64) {
        (self.part.cols as f64 * CELL, self.part.rows as f64 * CELL)
    }
}

/// The drawing of a matrix.
struct Drawing {
    width: f64,
    height: f64,
    /// Elements by shade: those that the chosen rank holds, and the others.
    held: [String; SHADES],
    others: [String; SHADES],
    /// Outlines of sheets behind.
    sheets: String,
    labels: Vec<(f64, f64, String, bool)>,
}

/// Where the blocks lie.
fn blocks(panel: &Panel, rank: Option<usize>) -> Vec<Block<'_>> {
    let parts = &panel.held.parts;
    let all = |part, x, y| Block { part, x, y, first: 0, last: parts.len().saturating_sub(1) };
    match panel.held.layout {
        Layout::Full => parts.iter().take(1).map(|part| all(part, 0.0, 0.0)).collect(),
        Layout::Partial => {
            let front = rank.unwrap_or_default();
            parts
                .iter()
                .skip(front)
                .take(1)
                .map(|part| Block { first: front, last: front, ..all(part, 0.0, LABEL) })
                .collect()
        }
        Layout::Cols { copies } => {
            let copies = copies.max(1);
            let at = |(i, part): (usize, &'_ Matrix)| (i as f64 * (part.cols as f64 * CELL + GAP), i * copies);
            parts
                .iter()
                .step_by(copies)
                .enumerate()
                .map(|(i, part)| {
                    let (x, first) = at((i, part));
                    Block { part, x, y: LABEL, first, last: first + copies - 1 }
                })
                .collect()
        }
        Layout::Rows => parts
            .iter()
            .enumerate()
            .map(|(i, part)| Block { part, x: LABEL, y: i as f64 * (part.rows as f64 * CELL + GAP), first: i, last: i })
            .collect(),
    }
}

fn draw(panel: &Panel, rank: Option<usize>) -> Drawing {
    let blocks = blocks(panel, rank);
    let largest = blocks.iter().map(|b| b.part.largest()).fold(0.0, f64::max);
    let empty = || [(); SHADES].map(|()| String::new());
    let mut drawing =
        Drawing { width: 0.0, height: 0.0, held: empty(), others: empty(), sheets: String::new(), labels: Vec::new() };
    let layout = panel.held.layout;
    for block in &blocks {
        let (wide, high) = block.size();
        drawing.width = drawing.width.max(block.x + wide);
        drawing.height = drawing.height.max(block.y + high);
        let mine = rank.is_none_or(|rank| (block.first..=block.last).contains(&rank));
        for (i, j) in (0..block.part.rows).flat_map(|i| (0..block.part.cols).map(move |j| (i, j))) {
            let strength = if largest > 0.0 { block.part.at(i, j).abs() / largest } else { 0.0 };
            let shade = ((strength.sqrt() * SHADES as f64) as usize).min(SHADES - 1);
            let paths = if mine { &mut drawing.held } else { &mut drawing.others };
            let (x, y) = (block.x + j as f64 * CELL, block.y + i as f64 * CELL);
            // Writing to a string does not fail.
            let _ = write!(paths[shade], "M{x} {y}h{side}v{side}h-{side}z", side = CELL - 1.0);
        }
        match layout {
            Layout::Full => {}
            Layout::Rows => drawing.labels.push((LABEL / 2.0 - 2.0, block.y + high / 2.0, block.names(), mine)),
            Layout::Cols { .. } => drawing.labels.push((block.x + wide / 2.0, LABEL / 2.0 - 1.0, block.names(), mine)),
            Layout::Partial => {
                let name = format!("{} of {}", block.first, panel.held.ranks());
                drawing.labels.push((block.x + wide / 2.0, LABEL / 2.0 - 1.0, name, true));
                let behind = panel.held.ranks().min(SHEETS) - 1;
                for sheet in 1..=behind {
                    let off = sheet as f64 * SHEET;
                    let (x, y) = (block.x + off, block.y + off);
                    let _ = write!(drawing.sheets, "M{} {y}V{}H{x}", x + wide, y + high);
                }
                let off = behind as f64 * SHEET;
                drawing.width += off;
                drawing.height += off;
            }
        }
    }
    drawing
}

fn matrix(panel: &Panel, rank: Option<usize>) -> AnyView {
    let drawing = draw(panel, rank);
    let class = match panel.concept {
        Concept::Weights => "weights",
        Concept::Activations => "activations",
        Concept::Gradients => "gradients",
    };
    let shade = |(i, path): (usize, String)| {
        let share = format!("{}%", 16 + i * 84 / (SHADES - 1));
        view! { <path style=("--share", share) d=path /> }
    };
    let shades = |paths: [String; SHADES]| {
        paths.into_iter().enumerate().filter(|(_, p)| !p.is_empty()).map(shade).collect_view()
    };
    let labels = drawing
        .labels
        .into_iter()
        .map(|(x, y, text, mine)| view! { <text x=x y=y dy=".35em" class:other=!mine>{text}</text> });
    let (rows, cols) = panel.size();
    view! {
        <div class="matrix">
            <p><b>{panel.name.clone()}</b> <small>{format!("{rows} × {cols}")}</small></p>
            <svg
                class=class
                viewBox=format!("0 0 {} {}", drawing.width, drawing.height)
                style=("--w", drawing.width.to_string())
                style=("--h", drawing.height.to_string())
            >
                <path class="sheets" d=drawing.sheets />
                <g class="others">{shades(drawing.others)}</g>
                <g>{shades(drawing.held)}</g>
                {labels.collect_view()}
            </svg>
            <small>{panel.holding()}</small>
        </div>
    }
    .into_any()
}

fn group(list: &[Panel], rank: Option<usize>) -> AnyView {
    view! { <div class="matrices">{list.iter().map(|panel| matrix(panel, rank)).collect_view()}</div> }.into_any()
}

/// What stands before the outputs.
fn arrow(step: &Step, ranks: usize) -> AnyView {
    match step.exchange {
        None if step.factors.is_empty() => view! { <span class="sign">"→"</span> }.into_any(),
        None => view! { <span class="sign">"="</span> }.into_any(),
        Some(exchange) => {
            let sent = format!("{} numbers, {} sent by each", exchange.elements, number(exchange.sent(ranks)));
            view! { <span class="sign exchange"><b>{exchange.op.label()}</b><small>{sent}</small>"→"</span> }.into_any()
        }
    }
}

/// All weights as they are cut, before anything is done.
fn weights(run: &Run) -> Vec<Panel> {
    let w = &run.drawn.ranks.weights;
    let [attention, mlp] = &w.halves;
    let mlp_names: &[&str] = if run.drawn.small.sizes.gated { &["Wgate", "Wup"] } else { &["Wup"] };
    let named = [("E", &w.embedding)]
        .into_iter()
        .chain(["Wq", "Wk", "Wv"].into_iter().zip(&attention.first))
        .chain([("Wo", &attention.second)])
        .chain(mlp_names.iter().copied().zip(&mlp.first))
        .chain([("Wdown", &mlp.second), ("Wout", &w.head)]);
    named.map(|(name, held)| Panel { name: name.to_owned(), concept: Concept::Weights, held: held.clone() }).collect()
}

/// The matrices of the step that was done last.
pub(super) fn view(shown: Shown) -> impl IntoView {
    let all = move || {
        shown.run.with(|run| {
            let rank = shown.rank.get();
            let Some(step) = run.step(shown.step.get()) else {
                return Some(view! { <div class="equation">{group(&weights(run), rank)}</div> }.into_any());
            };
            let times = (!step.factors.is_empty() && step.exchange.is_none()).then(|| {
                // Backward through what lies between, the factors are what the forward pass kept.
                view! { <span class="sign">"×"</span> {group(&step.factors, rank)} }
            });
            let drawing = view! {
                <div class="equation">
                    {group(&step.inputs, rank)} {times} {arrow(step, run.params.drawn())} {group(&step.outputs, rank)}
                </div>
            };
            Some(drawing.into_any())
        })
    };
    let title = move || {
        shown
            .run
            .with(|run| run.step(shown.step.get()).map(|s| format!("{}: {}", s.part.label(), s.title)))
            .unwrap_or_else(|| "The weights, and the ranks that hold them".to_owned())
    };
    view! {
        <p class="equation-title">{title}</p>
        <div class="equation-room" aria-hidden="true">{all}</div>
    }
}
