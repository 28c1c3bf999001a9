//! What lies in HBM: the N × N matrix or the place where it would be, and around it what attention reads and writes.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::attention::Run;
use ringside_core::attention::algorithm::{Algo, Direction, Extent, Matrix};
use ringside_core::attention::plan::{Move, Step};
use ringside_core::quantity::{Unit, grouped, unbroken};

use super::{Shown, class, name};

/// The square, and the strips around it.
const LEFT: f64 = 182.0;
const TOP: f64 = 206.0;
const SIDE: f64 = 640.0;
const THICK: f64 = 50.0;
const THIN: f64 = 15.0;
const GAP: f64 = 12.0;
/// Room for the names over the square, and for the line under it.
const NAMES: f64 = 32.0;
const LINE: f64 = 46.0;
/// Most lines of a grid.
const LINES: u64 = 48;
/// Most rectangles that show what has been done.
const RECTANGLES: u64 = 160;
/// The smallest tile that can be seen.
const SEEN: f64 = 4.0;

/// On which side of the square a matrix lies, from the square outwards.
const LEFT_OF: [Matrix; 2] = [Matrix::Q, Matrix::DQ];
const RIGHT_OF: [Matrix; 6] = [Matrix::O, Matrix::DO, Matrix::Max, Matrix::Sum, Matrix::Lse, Matrix::Delta];
const ABOVE: [Matrix; 2] = [Matrix::V, Matrix::K];
const BELOW: [Matrix; 2] = [Matrix::DV, Matrix::DK];

/// A strip: a matrix, and where it lies across its length.
#[derive(Clone, Copy)]
struct Strip {
    matrix: Matrix,
    at: f64,
    thick: f64,
}

fn strips(run: &Run) -> Vec<Strip> {
    let used =
        |matrix: Matrix| run.plan.passes.iter().any(|p| p.loads.iter().chain(p.stores).any(|(m, _)| *m == matrix));
    let thick = |matrix: Matrix| if matrix.extent() == Extent::Statistic { THIN } else { THICK };
    let mut all = Vec::new();
    let mut outwards = |side: &[Matrix], edge: f64, sign: f64| {
        let mut at = edge;
        for matrix in side.iter().copied().filter(|m| used(*m)) {
            let thick = thick(matrix);
            let start = if sign < 0.0 { at - GAP - thick } else { at + GAP };
            all.push(Strip { matrix, at: start, thick });
            at += sign * (GAP + thick);
        }
    };
    outwards(&LEFT_OF, LEFT, -1.0);
    outwards(&RIGHT_OF, LEFT + SIDE, 1.0);
    outwards(&ABOVE, TOP - NAMES, -1.0);
    outwards(&BELOW, TOP + SIDE + LINE, 1.0);
    all
}

impl Strip {
    fn lies(&self) -> bool {
        self.matrix.extent() == Extent::Columns
    }

    /// The path of a part of it, from token to token.
    fn part(&self, run: &Run, (from, to): (u64, u64)) -> String {
        let (a, b) = (along(run, from), along(run, to).max(along(run, from) + SEEN));
        let (at, thick) = (self.at, self.thick);
        if self.lies() {
            format!("M{:.1} {at:.1}h{:.1}v{thick}h-{:.1}z", LEFT + a, b - a, b - a)
        } else {
            format!("M{at:.1} {:.1}h{thick}v{:.1}h-{thick}z", TOP + a, b - a)
        }
    }

    /// Lines between its blocks.
    fn grid(&self, run: &Run) -> String {
        let sizes = &run.plan.sizes;
        let (blocks, size) =
            if self.lies() { (sizes.column_blocks(), sizes.columns) } else { (sizes.row_blocks(), sizes.rows) };
        let (at, thick) = (self.at, self.thick);
        let mut path = String::new();
        for x in lines(run, blocks, size) {
            // Writing to a string does not fail.
            let _ = if self.lies() {
                write!(path, "M{:.1} {at:.1}v{thick}", LEFT + x)
            } else {
                write!(path, "M{at:.1} {:.1}h{thick}", TOP + x)
            };
        }
        path
    }
}

/// Where token `n` lies along the square.
fn along(run: &Run, n: u64) -> f64 {
    n as f64 / run.params.seq as f64 * SIDE
}

/// Where the lines between blocks lie, thinned if there are many.
fn lines(run: &Run, blocks: u64, size: u64) -> impl Iterator<Item = f64> {
    let every = blocks.div_ceil(LINES).max(1);
    (1..blocks).filter(move |b| b % every == 0).map(move |b| along(run, b * size))
}

fn rectangle(run: &Run, [rows, columns]: [(u64, u64); 2]) -> String {
    let (x, y) = (along(run, columns.0), along(run, rows.0));
    let (w, h) = ((along(run, columns.1) - x).max(SEEN), (along(run, rows.1) - y).max(SEEN));
    format!("M{:.1} {:.1}h{w:.1}v{h:.1}h-{w:.1}z", LEFT + x, TOP + y)
}

/// What the square shows.
#[derive(Clone, PartialEq, Default)]
struct Square {
    grid: String,
    /// What a finished pass has left there, and what this one has gone over.
    held: bool,
    covered: String,
    /// Whether this pass writes there.
    writes: bool,
    tile: String,
    /// Its row and its column of tiles.
    bands: String,
    /// What is in the square.
    line: String,
}

/// The matrix of N × N that is in HBM after the passes before `pass`.
fn held(run: &Run, pass: usize) -> Option<Matrix> {
    let scores = |list: &[(Matrix, _)]| list.iter().map(|(m, _)| *m).find(|m| m.extent() == Extent::Scores);
    let before = run.plan.passes.iter().take(pass).rev().find_map(|p| scores(p.stores));
    // A backward pass starts with what the forward pass has left.
    before.or_else(|| run.plan.passes.first().and_then(|p| scores(p.loads)))
}

impl Square {
    fn of(run: &Run, step: u64) -> Self {
        let now = step.checked_sub(1).and_then(|i| run.plan.at(i));
        let sizes = &run.plan.sizes;
        let mut grid = String::new();
        for x in lines(run, sizes.column_blocks(), sizes.columns) {
            let _ = write!(grid, "M{:.1} {TOP}v{SIDE}", LEFT + x);
        }
        for y in lines(run, sizes.row_blocks(), sizes.rows) {
            let _ = write!(grid, "M{LEFT} {:.1}h{SIDE}", TOP + y);
        }
        let pass = now.map_or(0, |s| s.pass);
        let stores = run.plan.passes.get(pass).map_or(&[][..], |p| p.stores);
        let written = stores.iter().map(|(m, _)| *m).find(|m| m.extent() == Extent::Scores);
        let standard = run.params.algo == Algo::Standard;
        let before = if standard { held(run, pass) } else { None };
        let size = sizes.seq * sizes.seq * sizes.element;
        let size = unbroken(&Unit::Bytes.format(run.of_all_heads(size)));
        let line = match (before, written) {
            (None, None) => format!("N × N, never written: it would be {size}"),
            (Some(m), None) => format!("{}, {size}, is read back", m.label()),
            (None, Some(m)) => format!("{}, {size}, is written", m.label()),
            (Some(a), Some(b)) => format!("{} is read, {} is written, {size} each", a.label(), b.label()),
        };
        let tile = now.map(|s| run.plan.tile(&s));
        let bands = tile.map_or(String::new(), |[rows, columns]| {
            let all = (0, sizes.seq);
            format!("{}{}", rectangle(run, [rows, all]), rectangle(run, [all, columns]))
        });
        Self {
            grid,
            held: before.is_some(),
            covered: run.plan.covered(step, RECTANGLES).into_iter().map(|r| rectangle(run, r)).collect(),
            writes: written.is_some(),
            tile: tile.map_or(String::new(), |tile| rectangle(run, tile)),
            bands,
            line,
        }
    }
}

/// The picture.
pub(super) fn view(shown: Shown) -> AnyView {
    let square = Memo::new(move |_| shown.now(Square::of));
    let path = move |class: &'static str, look: fn(&Square) -> &String| {
        view! { <path class=class d=move || square.with(|s| look(s).clone()) /> }
    };
    let masked = Memo::new(move |_| shown.run.with(|run| run.params.causal));
    let window = Memo::new(move |_| shown.run.with(window));
    let triangle = format!("M{LEFT} {TOP}h{SIDE}v{SIDE}z");
    view! {
        <p class="tiling-title">"HBM" <small>" large and slow: everything starts and ends here"</small></p>
        <svg
            class="tiling-picture"
            class:flash=move || square.with(|s| !s.held && !s.writes)
            viewBox=move || window.get()
            aria-hidden="true"
        >
            <rect class="square" class:held=move || square.with(|s| s.held) x=LEFT y=TOP width=SIDE height=SIDE />
            <g class:writes=move || square.with(|s| s.writes)>{path("covered", |s| &s.covered)}</g>
            <path class="masked" class:nowhere=move || !masked.get() d=triangle />
            {path("grid", |s| &s.grid)} {path("bands", |s| &s.bands)} {move || watched(shown)}
            <text class="never" x={LEFT + SIDE / 2.0} y={TOP + SIDE + LINE - 12.0}>{move || square.with(|s| s.line.clone())}</text>
            {path("tile", |s| &s.tile)} {move || shown.now(all_strips)}
        </svg>
    }
    .into_any()
}

/// The part of the paper that is drawn on.
fn window(run: &Run) -> String {
    let strips = strips(run);
    let across = || strips.iter().filter(|s| !s.lies());
    let left = across().map(|s| s.at).fold(LEFT, f64::min) - 36.0;
    let right = across().map(|s| s.at + s.thick).fold(LEFT + SIDE, f64::max) + 8.0;
    let top = strips.iter().filter(|s| s.lies()).map(|s| s.at).fold(TOP - NAMES, f64::min) - 4.0;
    let bottom = strips.iter().filter(|s| s.lies()).map(|s| s.at + s.thick).fold(TOP + SIDE + LINE, f64::max) + 4.0;
    format!("{left:.0} {top:.0} {:.0} {:.0}", right - left, bottom - top)
}

/// The row whose softmax is shown.
fn watched(shown: Shown) -> impl IntoView {
    let row = shown.row.get();
    let y = shown.run.with(|run| TOP + along(run, row) + SIDE / run.params.seq as f64 / 2.0);
    view! {
        <path class="watched" d=format!("M{LEFT} {y:.1}h{SIDE}") />
        <path class="watched-mark" d=format!("M{:.1} {y:.1}l-11 -7v14z", LEFT) />
    }
}

fn all_strips(run: &Run, step: u64) -> AnyView {
    let now = step.checked_sub(1).and_then(|i| run.plan.at(i));
    let moves = now.map_or_else(Vec::new, |s| run.plan.moves(&s));
    strips(run).into_iter().map(|strip| one(run, step, strip, now, &moves)).collect_view().into_any()
}

fn one(run: &Run, step: u64, strip: Strip, now: Option<Step>, moves: &[Move]) -> AnyView {
    let matrix = strip.matrix;
    let is_output = run.plan.passes.iter().any(|p| p.stores.iter().any(|(m, _)| *m == matrix));
    let filled = if is_output { run.plan.written(matrix, step) } else { run.params.seq };
    let body = (filled > 0).then(|| view! { <path class="there" d=strip.part(run, (0, filled)) /> });
    let pass = now.and_then(|s| run.plan.passes.get(s.pass));
    let block = now.filter(|_| pass.is_some_and(|p| run.plan.on_chip(p).iter().any(|(m, _)| *m == matrix))).map(|s| {
        let [rows, columns] = run.plan.tile(&s);
        let part = strip.part(run, if strip.lies() { columns } else { rows });
        let moved = |store: bool| moves.iter().any(|m| m.matrix == matrix && m.store == store);
        view! { <path class="in-use" class:loaded=moved(false) class:stored=moved(true) d=part /> }
    });
    let middle = strip.at + strip.thick / 2.0;
    let label = if strip.lies() {
        view! { <text class="label side" x={LEFT - GAP} y=middle dy=".35em">{name(matrix)}</text> }.into_any()
    } else {
        view! { <text class="label" x=middle y={TOP - GAP - 2.0}>{name(matrix)}</text> }.into_any()
    };
    let size = match matrix {
        Matrix::Q if run.params.direction == Direction::Forward => {
            Some(format!("{} × {}", grouped(run.params.seq), run.params.head_dim))
        }
        _ => None,
    };
    let size = size.map(|text| {
        let (x, y) = (strip.at - 12.0, TOP + SIDE / 2.0);
        view! { <text class="size" x=x y=y transform=format!("rotate(-90 {x:.0} {y:.0})")>{text}</text> }
    });
    view! {
        <g class=format!("strip {}", class(matrix))>
            <path class="bed" d=strip.part(run, (0, run.params.seq)) />
            {body} <path class="lines" d=strip.grid(run) /> {block} {label} {size}
        </g>
    }
    .into_any()
}
