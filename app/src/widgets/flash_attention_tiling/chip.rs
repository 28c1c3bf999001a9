//! The chip: the blocks of this step, each as large as the numbers in it, and how much of the memory there they take.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::attention::Run;
use ringside_core::attention::algorithm::{Extent, Matrix};
use ringside_core::attention::finding::subscript;
use ringside_core::attention::plan::{Move, Step};
use ringside_core::quantity::{Unit, number, unbroken};
use ringside_drawing::scale::{Linear, percent};

use super::{Shown, class, name};
use crate::ui::markup::renewed;

/// The drawing.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 330.0;
const GAP: f64 = 9.0;
/// The least that a block is wide and high.
const LEAST: f64 = 6.0;
/// How wide a statistic is drawn.
const STATISTIC: f64 = 9.0;
/// The smallest block that has its name in it.
const NAMED: f64 = 30.0;
/// The smallest cell that has its number in it.
const CELL: (f64, f64) = (15.0, 12.0);

/// In what order blocks lie around the tile, outwards.
const LEFT: [Matrix; 2] = [Matrix::Q, Matrix::DQ];
const RIGHT: [Matrix; 6] = [Matrix::O, Matrix::DO, Matrix::Max, Matrix::Sum, Matrix::Lse, Matrix::Delta];
const ABOVE: [Matrix; 2] = [Matrix::K, Matrix::DK];
const BELOW: [Matrix; 2] = [Matrix::V, Matrix::DV];
const TILE: [Matrix; 4] = [Matrix::S, Matrix::P, Matrix::DP, Matrix::DS];

/// A block in the drawing.
struct Block {
    matrices: Vec<Matrix>,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Where everything lies for tiles of these sizes.
fn layout(run: &Run, pass: usize) -> Vec<Block> {
    let Some(pass) = run.plan.passes.get(pass) else { return Vec::new() };
    let held: Vec<Matrix> = run.plan.on_chip(pass).into_iter().map(|(m, _)| m).collect();
    let of = |list: &[Matrix]| -> Vec<Matrix> { list.iter().copied().filter(|m| held.contains(m)).collect() };
    let [left, right, above, below] = [of(&LEFT), of(&RIGHT), of(&ABOVE), of(&BELOW)];
    let sizes = &run.plan.sizes;
    let (rows, d) = (sizes.rows as f64, sizes.head_dim as f64);
    let columns = if pass.whole_rows { sizes.seq } else { sizes.columns } as f64;
    let tile = of(&TILE);
    let (columns, wide) =
        if tile.is_empty() && above.is_empty() && below.is_empty() { (0.0, false) } else { (columns, true) };
    // One unit for all, so that areas are numbers; statistics are as wide as can be seen.
    let thick = |list: &[Matrix]| list.iter().filter(|m| m.extent() != Extent::Statistic).count() as f64;
    let thin = right.iter().filter(|m| m.extent() == Extent::Statistic).count() as f64;
    let gaps = (left.len() + right.len() + usize::from(wide)) as f64 * GAP + thin * STATISTIC;
    let across = (thick(&left) + thick(&right)) * d + columns;
    let down = (above.len() + below.len()) as f64 * d + rows;
    let unit =
        ((WIDTH - gaps) / across.max(1.0)).min((HEIGHT - (above.len() + below.len()) as f64 * GAP) / down.max(1.0));
    let size = |n: f64| (n * unit).max(LEAST);
    let (tile_width, tile_height, side) = (if wide { size(columns) } else { 0.0 }, size(rows), size(d));

    let mut blocks = Vec::new();
    let used = tile_width + (thick(&left) + thick(&right)) * side + gaps;
    let tile_x = ((WIDTH - used) / 2.0).max(0.0) + left.len() as f64 * (side + GAP);
    let tall = tile_height + (above.len() + below.len()) as f64 * (side + GAP);
    let tile_y = ((HEIGHT - tall) / 2.0).max(0.0) + above.len() as f64 * (side + GAP);
    let mut x = tile_x;
    for m in left {
        x -= GAP + side;
        blocks.push(Block { matrices: vec![m], x, y: tile_y, width: side, height: tile_height });
    }
    x = tile_x + tile_width + if wide { GAP } else { 0.0 };
    for m in right {
        let width = if m.extent() == Extent::Statistic { STATISTIC } else { side };
        blocks.push(Block { matrices: vec![m], x, y: tile_y, width, height: tile_height });
        x += width + GAP;
    }
    let mut y = tile_y;
    for m in above {
        y -= GAP + side;
        blocks.push(Block { matrices: vec![m], x: tile_x, y, width: tile_width, height: side });
    }
    y = tile_y + tile_height + GAP;
    for m in below {
        blocks.push(Block { matrices: vec![m], x: tile_x, y, width: tile_width, height: side });
        y += GAP + side;
    }
    if !tile.is_empty() {
        blocks.push(Block { matrices: tile, x: tile_x, y: tile_y, width: tile_width, height: tile_height });
    }
    blocks
}

/// The drawing, and the memory under it.
pub(super) fn view(shown: Shown) -> AnyView {
    view! {
        <p class="tiling-title">
            "On the chip"
            <small>{move || shown.run.with(|run| format!(" SRAM of {}: small and fast", bytes(run.params.sram)))}</small>
        </p>
        <svg
            class="tiling-chip"
            viewBox=format!("-6 -6 {} {}", WIDTH + 12.0, HEIGHT + 12.0)
            aria-hidden="true"
            use:renewed=move || shown.now(blocks)
        ></svg>
        {move || shown.now(moved)}
        {memory(shown)}
    }
    .into_any()
}

fn bytes(value: u64) -> String {
    unbroken(&Unit::Bytes.format(value as f64))
}

/// The blocks as SVG text.
fn blocks(run: &Run, step: u64) -> String {
    let now = step.checked_sub(1).and_then(|i| run.plan.at(i));
    let moves = now.map_or_else(Vec::new, |s| run.plan.moves(&s));
    let pass = now.map_or(0, |s| s.pass);
    let scores = now.map_or_else(Vec::new, |s| run.scores(&s));
    let mut text = String::new();
    for block in layout(run, pass) {
        one(&block, now, &moves, &scores, &mut text);
    }
    text
}

fn one(block: &Block, now: Option<Step>, moves: &[Move], scores: &[Vec<Option<f32>>], into: &mut String) {
    let Some(first) = block.matrices.first().copied() else { return };
    let moved = |store: bool| moves.iter().any(|m| block.matrices.contains(&m.matrix) && m.store == store);
    let index = now.map_or(String::new(), |s| {
        let of = if first.extent() == Extent::Columns { s.column } else { s.row };
        if first.extent() == Extent::Scores { String::new() } else { subscript(of + 1) }
    });
    let text = block.matrices.iter().map(|m| format!("{}{index}", name(*m))).collect::<Vec<_>>().join(", ");
    let (x, y) = (block.x + block.width / 2.0, block.y + block.height / 2.0);
    let is_tile = first.extent() == Extent::Scores;
    let (rows, columns) = (scores.len() as f64, scores.first().map_or(1, Vec::len) as f64);
    let (w, h) = (block.width / columns, block.height / rows);
    let written = is_tile && !scores.is_empty() && w >= CELL.0 && h >= CELL.1;
    let mut class = format!("held {}", class(first));
    let states = [
        (now.is_none(), " absent"),
        (moved(false), " loaded"),
        (moved(true), " stored"),
        (!moved(false) && is_tile, " scratch"),
    ];
    states.into_iter().filter(|(is, _)| *is).for_each(|(_, name)| class += name);
    // Writing to a string does not fail.
    let _ = write!(
        into,
        "<g class=\"{class}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>",
        block.x, block.y, block.width, block.height
    );
    if block.width >= NAMED && block.height >= NAMED * 0.7 && !written {
        let _ = write!(into, "<text x=\"{x}\" y=\"{y}\" dy=\".35em\">{text}</text>");
    } else if first.extent() == Extent::Statistic {
        let _ = write!(into, "<text class=\"beside\" x=\"{x}\" y=\"{}\">{}</text>", block.y - 7.0, first.label());
    }
    if written {
        let cells =
            scores.iter().enumerate().flat_map(|(r, line)| line.iter().enumerate().map(move |(c, s)| (r, c, s)));
        for (r, c, score) in cells {
            let text = score.map_or("·".to_owned(), |s| format!("{s:.1}").replace('-', "−"));
            let (x, y) = (block.x + w * (c as f64 + 0.5), block.y + h * (r as f64 + 0.5));
            let _ = write!(into, "<text class=\"cell\" x=\"{x}\" y=\"{y}\" dy=\".35em\">{text}</text>");
        }
    }
    into.push_str("</g>");
}

/// What came and what goes in this step.
fn moved(run: &Run, step: u64) -> AnyView {
    let moves = step.checked_sub(1).and_then(|i| run.plan.at(i)).map_or_else(Vec::new, |s| run.plan.moves(&s));
    let line = |store: bool, what: &'static str| {
        let chosen: Vec<&Move> = moves.iter().filter(|m| m.store == store).collect();
        let sum: u64 = chosen.iter().map(|m| m.bytes).sum();
        let tag = |m: &&Move| {
            let index = if m.matrix.extent() == Extent::Scores { String::new() } else { subscript(m.block + 1) };
            view! { <span class=format!("tag {}", class(m.matrix))>{format!("{}{index}", m.matrix.label())}</span> }
        };
        let tags = if chosen.is_empty() {
            view! { <span class="none">"nothing"</span> }.into_any()
        } else {
            chosen.iter().map(tag).collect_view().into_any()
        };
        view! { <div><dt>{what}</dt><dd>{tags} <b>{bytes(sum)}</b></dd></div> }
    };
    view! { <dl class="tiling-moves">{line(false, "From HBM")} {line(true, "To HBM")}</dl> }.into_any()
}

/// How full the chip is, largest blocks counted.
fn memory(shown: Shown) -> impl IntoView {
    move || {
        shown.now(|run, step| {
            let pass = step.checked_sub(1).and_then(|i| run.plan.at(i)).map_or(0, |s| s.pass);
            let held = run.plan.passes.get(pass).map_or_else(Vec::new, |p| run.plan.on_chip(p));
            let used: u64 = held.iter().map(|(_, b)| b).sum();
            let names = held.iter().map(|(m, _)| name(*m)).collect::<Vec<_>>().join(", ");
            let there = run.params.sram;
            let all = Linear::to(used.max(there) as f64);
            let parts = held.into_iter().map(|(m, b)| {
                view! { <span class=format!("part-of {}", class(m)) style:width=percent(all.percent(b as f64))></span> }
            });
            let over = used > there;
            let text = format!("{} of {}, {} times", bytes(used), bytes(there), number(used as f64 / there as f64));
            let text =
                if over { text } else { format!("{} of {} reserved for tiles: {names}", bytes(used), bytes(there)) };
            view! {
                <div class="tiling-memory" class:over=over>
                    <div class="memory-bar" aria-hidden="true">
                        {parts.collect_view()} <i style:left=percent(all.percent(there as f64))></i>
                    </div>
                    <p class="fine">{text}</p>
                </div>
            }
        })
    }
}
