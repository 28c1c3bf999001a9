//! The pool: a cell for each block, its slots from left to right.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::kv_cache::blocks::figure::{Params, Shown};
use ringside_core::kv_cache::blocks::serve::Keeper;
use ringside_core::kv_cache::blocks::usage::{For, Segment};

use super::Seen;
use crate::ui::markup::renewed;

/// Width of the drawing, in its own units.
const WIDE: f64 = 900.0;
/// What all rows are about as high as, and the least and most of one.
const HIGH: f64 = 190.0;
const ROW: (f64, f64) = (9.0, 46.0);
/// What is left between two cells, where there is room for it.
const APART: f64 = 3.0;
/// Requests that have a colour of their own.
pub(super) const COLOURS: usize = 6;
/// Cells that have room for a letter and a number.
const LETTERED: f64 = 21.0;

/// Where cells lie.
pub(super) struct Grid {
    columns: u64,
    wide: f64,
    pub(super) row: f64,
    block: u64,
    rows: u64,
}

impl Grid {
    pub(super) fn of(params: &Params) -> Self {
        let blocks = params.blocks.max(1);
        let columns = ((blocks as f64 * 3.4).sqrt().ceil() as u64).clamp(6, 160).min(blocks.max(6));
        let rows = blocks.div_ceil(columns);
        let row = (HIGH / rows as f64).clamp(ROW.0, ROW.1);
        Self { columns, wide: WIDE / columns as f64, row, block: params.block.max(1), rows }
    }

    pub(super) fn high(&self) -> f64 {
        self.rows as f64 * self.row
    }

    fn gap(&self) -> f64 {
        if self.wide > 14.0 { APART } else { 0.6 }
    }

    /// The left upper corner of a block's cell, and its size.
    pub(super) fn cell(&self, block: u64) -> [f64; 4] {
        let (x, y) = ((block % self.columns) as f64 * self.wide, (block / self.columns) as f64 * self.row);
        [x, y, self.wide - self.gap(), self.row - self.gap()]
    }

    /// The pieces of some slots, block by block: x, y, width, height.
    fn pieces(&self, from: u64, slots: u64) -> impl Iterator<Item = [f64; 4]> {
        let (first, last) = (from / self.block, (from + slots).div_ceil(self.block));
        (first..last).map(move |block| {
            let [x, y, wide, high] = self.cell(block);
            let start = from.saturating_sub(block * self.block) as f64 / self.block as f64;
            let end = (from + slots - block * self.block).min(self.block) as f64 / self.block as f64;
            [x + start * wide, y, (end - start) * wide, high]
        })
    }

    /// The outlines of some blocks.
    pub(super) fn outline(&self, blocks: impl Iterator<Item = u64>) -> String {
        let mut path = String::new();
        for block in blocks {
            put(&mut path, self.cell(block));
        }
        path
    }
}

fn put(path: &mut String, [x, y, wide, high]: [f64; 4]) {
    // Writing to a string does not fail; so below.
    let _ = write!(path, "M{x:.1} {y:.1}h{wide:.2}v{high:.1}h-{wide:.2}z");
}

/// The class of a request's colour.
pub(super) fn colour(request: usize) -> String {
    format!("r{}", request % COLOURS)
}

const fn kind(what: For) -> &'static str {
    match what {
        For::Token => "token",
        For::Later => "later",
        For::Never => "never",
        For::Kept => "kept",
        For::Null => "null",
    }
}

/// All cells, as markup.
pub(super) fn cells(params: &Params, shown: &Shown, grid: &Grid) -> String {
    let mut svg = String::new();
    let _ = write!(svg, "<path class=\"free\" d=\"{}\"/>", grid.outline(0..params.blocks));
    // One path for each look.
    let mut looks: Vec<(String, String)> = Vec::new();
    for segment in &shown.run.segments {
        let owner = segment.owner.map_or_else(String::new, |name| colour(name.request));
        let class = format!("{} {owner}", kind(segment.what));
        let at = looks.iter().position(|(other, _)| *other == class).unwrap_or_else(|| {
            looks.push((class, String::new()));
            looks.len() - 1
        });
        if let Some((_, path)) = looks.get_mut(at) {
            grid.pieces(segment.from, segment.slots).for_each(|piece| put(path, piece));
        }
    }
    for (class, path) in &looks {
        let _ = write!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    slots(&mut svg, params, grid);
    letters(&mut svg, params, shown, grid);
    svg
}

/// Lines between the slots of a block, where they can be told apart.
fn slots(svg: &mut String, params: &Params, grid: &Grid) {
    let [.., wide, high] = grid.cell(0);
    let each = wide / params.block as f64;
    if each < 3.5 || params.blocks > 400 {
        return;
    }
    svg.push_str("<path class=\"slot\" d=\"");
    for block in 0..params.blocks {
        let [x, y, ..] = grid.cell(block);
        for i in 1..params.block {
            let _ = write!(svg, "M{:.1} {y:.1}v{high:.1}", x + i as f64 * each);
        }
    }
    svg.push_str("\"/>");
}

/// Whose a cell is, how many hold it, and its number.
fn letters(svg: &mut String, params: &Params, shown: &Shown, grid: &Grid) {
    let [.., wide, high] = grid.cell(0);
    if wide < LETTERED || high < 14.0 {
        return;
    }
    let rooms = !params.keeper.has_blocks();
    let mut marked = |segment: &Segment| {
        let Some(name) = segment.owner else { return };
        let [x, y, ..] = grid.cell(segment.from / params.block);
        // A cell that several hold is the request's, not one sequence's.
        let text = if segment.held > 1 && params.keeper == Keeper::Paged {
            format!("{}×{}", ringside_core::kv_cache::blocks::requests::letter(name.request), segment.held)
        } else if segment.held > 1 {
            format!("×{}", segment.held)
        } else {
            name.to_string()
        };
        let _ = write!(
            svg,
            "<text class=\"in {}{}\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            colour(name.request),
            if segment.held > 1 { " many" } else { "" },
            x + 4.0,
            y + high / 2.0 + 4.5
        );
    };
    shown.run.segments.iter().filter(|s| s.what == For::Token && s.slots > 0).for_each(&mut marked);
    if rooms || wide < 34.0 || high < 26.0 {
        return;
    }
    for block in 0..params.blocks {
        let [x, y, ..] = grid.cell(block);
        let _ =
            write!(svg, "<text class=\"no\" x=\"{:.1}\" y=\"{:.1}\">{block}</text>", x + wide - 3.0, y + high - 4.0);
    }
}

/// The drawing, and what its looks mean.
pub(super) fn view(params: Memo<Params>, shown: Seen) -> AnyView {
    let svg = move || {
        params.with(|p| {
            shown.with(|s| {
                let grid = Grid::of(p);
                format!(
                    "<svg viewBox=\"0 0 {WIDE} {:.1}\" role=\"img\" aria-label=\"The pool: {}\">{}</svg>",
                    grid.high(),
                    ringside_drawing::escaped(&p.finding(s)),
                    cells(p, s, &grid)
                )
            })
        })
    };
    let has = move |what: For| move || !shown.with(|s| s.run.segments.iter().any(|s| s.what == what));
    let entry = move |what: For, text: &'static str| {
        view! { <li class:off=has(what)><i class=format!("key {}", kind(what)) aria-hidden="true"></i>{text}</li> }
    };
    view! {
        <ul class="kv-legend">
            {entry(For::Token, "tokens")}
            {entry(For::Later, "for later tokens")}
            {entry(For::Never, "never used")}
            {entry(For::Kept, "free, can be found again")}
            <li><i class="key free" aria-hidden="true"></i>"free"</li>
        </ul>
        <div class="kv-pool" data-answer="" use:renewed=svg></div>
    }
    .into_any()
}
