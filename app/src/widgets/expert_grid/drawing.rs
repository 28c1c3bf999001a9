//! Both grids: a row for each replica, a column for each part of what is replicated.

use std::fmt::Write as _;

use ringside_core::expert_grid::{Grid, Layout, Params};

/// A grid, and what its first three places are called.
struct Panel {
    title: &'static str,
    names: [&'static str; 3],
    grid: Grid,
}

/// Most columns and rows whose cells have their rank's number.
const NUMBERED: [u64; 2] = [16, 24];
/// Most rows with a name.
const NAMED_ROWS: u64 = 32;
/// A cell with a number and one without, and the room for names beside and above, in units of the drawing.
const CELL: [f64; 2] = [44.0, 28.0];
const SMALL: [f64; 2] = [16.0, 12.0];
const BESIDE: f64 = 54.0;
const ABOVE: f64 = 20.0;
/// Pixels of a unit, where there is room.
const SCALE: f64 = 1.15;

/// Both panels, as markup.
pub(super) fn picture(p: &Params, layout: &Layout) -> String {
    let lit = layout.group(p.rank, p.group);
    let panels = [
        Panel { title: "Attention", names: ["tp", "cp", "dp"], grid: layout.attention },
        Panel { title: "Experts", names: ["etp", "ep", "edp"], grid: layout.experts },
    ];
    let mut html = format!(
        "<p class=\"eg-keys\"><span><i class=\"key chosen\"></i>rank {}</span> <span><i class=\"key lit\"></i>its {} group</span> \
         <span><i class=\"key even\"></i><i class=\"key odd\"></i>nodes of {}</span></p><div class=\"eg-panels\">",
        p.rank,
        p.group.label(),
        p.node
    );
    for (panel, is_of_experts) in panels.iter().zip([false, true]) {
        panel.draw(&mut html, p, &lit, p.group.is_of_experts() == is_of_experts);
    }
    html.push_str("</div>");
    html
}

impl Panel {
    fn draw(&self, html: &mut String, p: &Params, lit: &[u64], has_group: bool) {
        let [first, second, third, _] = self.grid.0;
        let [a, b, c] = self.names;
        // The parts of a single replica go down the page where a row of them would be too small to read.
        let is_tall = third == 1 && first * second > NUMBERED[0] && second <= NUMBERED[1];
        let (columns, rows, down) = if is_tall { (first, second, b) } else { (first * second, third, c) };
        let numbered = columns <= NUMBERED[0] && rows <= NUMBERED[1];
        let [wide, high] = if numbered { CELL } else { SMALL };
        // A line of names for each place that a column tells apart.
        let lines = if first > 1 && second > 1 && !is_tall { 2.0 } else { 1.0 };
        let top = lines * ABOVE;
        let [width, height] = [BESIDE + columns as f64 * wide, top + rows as f64 * high];
        let [x, y, z, stage] = self.grid.place(p.rank);
        let whose = if has_group { format!(", of which the {} group is lit", p.group.label()) } else { String::new() };
        // Writing to a string does not fail.
        let _ = write!(
            html,
            "<div class=\"eg-panel\"><p class=\"eg-head\"><b>{}</b> {a} {first} × {b} {second} × {c} {third}</p>\
             <svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{:.0}\" role=\"img\" \
             aria-label=\"The grid of {}{whose}. Rank {} lies at {a} {x}, {b} {y}, {c} {z}.\">",
            self.title,
            width * SCALE,
            self.title.to_lowercase(),
            p.rank
        );
        let named = rows.div_ceil(NAMED_ROWS).max(1);
        if numbered {
            for column in 0..columns {
                let middle = BESIDE + (column as f64 + 0.5) * wide;
                if first > 1 || second == 1 {
                    let _ = write!(html, "<text x=\"{middle}\" y=\"{}\">{a} {}</text>", top - 7.0, column % first);
                }
                if second > 1 && !is_tall && column % first == 0 {
                    let over = BESIDE + (column as f64 + 0.5 * first as f64) * wide;
                    let _ = write!(html, "<text x=\"{over}\" y=\"13\">{b} {}</text>", column / first);
                }
            }
        }
        for row in 0..rows {
            let up = top + row as f64 * high;
            if row % named == 0 {
                let _ = write!(
                    html,
                    "<text class=\"row\" x=\"{}\" y=\"{:.1}\">{down} {row}</text>",
                    BESIDE - 8.0,
                    up + high / 2.0
                );
            }
            for column in 0..columns {
                let place =
                    if is_tall { [column, row, 0, stage] } else { [column % first, column / first, row, stage] };
                let rank = self.grid.rank(place);
                let node = if p.node_of(rank).is_multiple_of(2) { "even" } else { "odd" };
                let state = match () {
                    () if rank == p.rank => " chosen",
                    () if lit.contains(&rank) => " lit",
                    () => "",
                };
                let left = BESIDE + column as f64 * wide;
                let _ = write!(
                    html,
                    "<rect class=\"{node}{state}\" data-rank=\"{rank}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\"/>",
                    left + 1.0,
                    up + 1.0,
                    wide - 2.0,
                    high - 2.0
                );
                if numbered {
                    let _ = write!(
                        html,
                        "<text class=\"rank{state}\" x=\"{:.1}\" y=\"{:.1}\">{rank}</text>",
                        left + wide / 2.0,
                        up + high / 2.0
                    );
                }
            }
        }
        html.push_str("</svg></div>");
    }
}
