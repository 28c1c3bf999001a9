//! The matrices of a step, element by element: whose block each is, what goes in and what comes out.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::quantity::number;
use ringside_core::tensor_parallel::Run;
use ringside_core::tensor_parallel::matrix::Matrix;
use ringside_core::tensor_parallel::sharded::Layout;
use ringside_core::tensor_parallel::trace::{Concept, Panel, Step};

use super::Shown;
use crate::ui::dom::escaped;
use crate::ui::markup::renewed;

/// The side of an element, and the gap between the blocks of two ranks, in units of the drawing.
const CELL: f64 = 8.0;
const GAP: f64 = 5.0;
/// Room for the numbers of the ranks.
const LABEL: f64 = 17.0;
/// How far the sheets of a sum stand apart, and how many are drawn.
const SHEET: f64 = 6.0;
const SHEETS: usize = 4;
/// From the middle of a label to its base line.
const DOWN: &str = ".35em";
/// Shades by absolute value.
const SHADES: usize = 5;
/// Units of the drawing in an em.
const UNITS: f64 = 10.0;

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
    labels: Labels,
}

/// A text, and its middle.
type Label = (f64, f64, String);

/// The numbers of ranks, at the middles of what they name: those of the chosen rank, and the others.
#[derive(Default)]
struct Labels {
    mine: Vec<Label>,
    others: Vec<Label>,
}

impl Labels {
    fn put(&mut self, x: f64, y: f64, text: String, mine: bool) {
        if mine { &mut self.mine } else { &mut self.others }.push((x, y, text));
    }

    /// Those of one character are one element: each of its characters has a place of its own.
    fn write(&self, into: &mut String) {
        for (class, labels) in [("", &self.mine), (" class=\"other\"", &self.others)] {
            let (short, long): (Vec<&Label>, Vec<&Label>) = labels.iter().partition(|(.., text)| text.len() == 1);
            element(class, &short, into);
            long.into_iter().for_each(|label| element(class, &[label], into));
        }
    }
}

/// One element with these labels: one of any length, or any number of one character.
fn element(class: &str, labels: &[&Label], into: &mut String) {
    if labels.is_empty() {
        return;
    }
    let list = |of: fn(&Label) -> String, between| labels.iter().map(|l| of(l)).collect::<Vec<_>>().join(between);
    let (x, y) = (list(|l| l.0.to_string(), " "), list(|l| l.1.to_string(), " "));
    let (down, text) = (list(|_| DOWN.to_owned(), " "), list(|l| l.2.clone(), ""));
    // Writing to a string does not fail.
    let _ = write!(into, "<text{class} x=\"{x}\" y=\"{y}\" dy=\"{down}\">{text}</text>");
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
    let mut drawing = Drawing {
        width: 0.0,
        height: 0.0,
        held: empty(),
        others: empty(),
        sheets: String::new(),
        labels: Labels::default(),
    };
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
            Layout::Rows => drawing.labels.put(LABEL / 2.0 - 2.0, block.y + high / 2.0, block.names(), mine),
            Layout::Cols { .. } => drawing.labels.put(block.x + wide / 2.0, LABEL / 2.0 - 1.0, block.names(), mine),
            Layout::Partial => {
                let name = format!("{} of {}", block.first, panel.held.ranks());
                drawing.labels.put(block.x + wide / 2.0, LABEL / 2.0 - 1.0, name, true);
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

/// The matrix as markup, which the browser reads several times faster than it is told of hundreds of elements.
fn matrix(panel: &Panel, rank: Option<usize>, into: &mut String) {
    let Drawing { width, height, held, others, sheets, labels } = draw(panel, rank);
    let class = match panel.concept {
        Concept::Weights => "weights",
        Concept::Activations => "activations",
        Concept::Gradients => "gradients",
    };
    let (rows, cols) = panel.size();
    // Writing to a string does not fail.
    let _ = write!(
        into,
        "<div class=\"matrix\"><p><b>{}</b> <small>{rows} × {cols}</small></p>\
         <svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" width=\"{}em\" height=\"{}em\">",
        escaped(&panel.name),
        width / UNITS,
        height / UNITS
    );
    if !sheets.is_empty() {
        let _ = write!(into, "<path class=\"sheets\" d=\"{sheets}\"/>");
    }
    for (whose, shades) in [(" others", others), ("", held)] {
        for (shade, path) in shades.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let _ = write!(into, "<path class=\"shade-{shade}{whose}\" d=\"{path}\"/>");
        }
    }
    labels.write(into);
    let _ = write!(into, "</svg><small>{}</small></div>", escaped(&panel.holding()));
}

fn group(list: &[Panel], rank: Option<usize>, into: &mut String) {
    into.push_str("<div class=\"matrices\">");
    list.iter().for_each(|panel| matrix(panel, rank, into));
    into.push_str("</div>");
}

fn sign(sign: &str, into: &mut String) {
    let _ = write!(into, "<span class=\"sign\">{sign}</span>");
}

/// What stands before the outputs.
fn arrow(step: &Step, ranks: usize, into: &mut String) {
    match step.exchange {
        None if step.factors.is_empty() => sign("→", into),
        None => sign("=", into),
        Some(exchange) => {
            let _ = write!(
                into,
                "<span class=\"sign exchange\"><b>{}</b><small>{} numbers, {} sent by each</small>→</span>",
                exchange.op.label(),
                exchange.elements,
                number(exchange.sent(ranks))
            );
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

/// The step that was done last, as markup.
fn equation(run: &Run, step: usize, rank: Option<usize>) -> String {
    let mut text = String::new();
    let Some(step) = run.step(step) else {
        group(&weights(run), rank, &mut text);
        return text;
    };
    group(&step.inputs, rank, &mut text);
    if !step.factors.is_empty() && step.exchange.is_none() {
        // Backward through what lies between, the factors are what the forward pass kept.
        sign("×", &mut text);
        group(&step.factors, rank, &mut text);
    }
    arrow(step, run.params.drawn(), &mut text);
    group(&step.outputs, rank, &mut text);
    text
}

/// The matrices of the step that was done last.
pub(super) fn view(shown: Shown) -> impl IntoView {
    // Beyond as many ranks as are drawn it stays what it is.
    let drawn = Memo::new(move |_| shown.run.with(|run| equation(run, shown.step.get(), shown.rank.get())));
    let title = move || {
        shown
            .run
            .with(|run| run.step(shown.step.get()).map(|s| format!("{}: {}", s.part.label(), s.title)))
            .unwrap_or_else(|| "The weights, and the ranks that hold them".to_owned())
    };
    let all_weights = Memo::new(move |_| shown.run.with(|run| run.step(shown.step.get()).is_none()));
    view! {
        <p class="equation-title">{title}</p>
        <div class="equation-room" class:all-weights=all_weights aria-hidden="true"><div class="equation" use:renewed=move || drawn.get()></div></div>
    }
}
