//! What a mission draws: the GPUs, filled as their memory is, bars for memory, days and money, and how a run compares with others.
//!
//! Words are text of the page, so that they wrap and grow with it; shapes are SVG that stretches.

use std::fmt::Write as _;

use ringside_core::mission::{BarKind, Filled, Picture};
use ringside_core::quantity::{Unit, counted, grouped};

use crate::escaped;

/// The width and height of a bar in its own units.
const BAR: (f64, f64) = (1000.0, 24.0);
/// A square of the grid, and what is between two.
const CELL: (f64, f64) = (10.0, 2.0);
/// What is between two nodes of which each GPU is drawn.
const BETWEEN_NODES: f64 = 6.0;
/// The most squares of one GPU each, and the most squares at all.
const MOST_CELLS: (u64, u64) = (64, 256);
/// The most days that are drawn as cells of their own.
const MOST_DAYS: f64 = 120.0;

/// The board as it is now, with what changed since `before`.
pub fn board(now: &Picture, before: Option<&Picture>) -> String {
    let bars: String = now
        .bars
        .iter()
        .enumerate()
        .map(|(i, bar)| row(bar, before.and_then(|before| before.bars.get(i)).map_or(bar.value, |b| b.value)))
        .collect();
    format!("<div class=\"board\">{}<div class=\"board-bars\">{bars}</div></div>", cluster(now))
}

/// One run of those that are compared.
pub struct Compared<'a> {
    /// Whose.
    pub label: &'a str,
    /// Its score.
    pub score: f64,
    /// The score in words.
    pub says: String,
}

/// Runs beside each other, the longest bar for the best. The first is the learner's.
pub fn compared(runs: &[Compared<'_>]) -> String {
    let most = runs.iter().map(|run| run.score).fold(0.0, f64::max);
    let rows = runs.iter().enumerate().map(|(i, run)| {
        let share = if most > 0.0 { (run.score / most).clamp(0.0, 1.0) } else { 0.0 };
        let class = if i == 0 { "board-fill" } else { "board-other" };
        let shapes = track(1.0) + &span(0.0, share, class);
        line(run.label, &run.says, if i == 0 { "yours" } else { "" }, &shapes)
    });
    format!("<div class=\"board-bars board-compared\">{}</div>", rows.collect::<String>())
}

fn line(label: &str, says: &str, class: &str, shapes: &str) -> String {
    format!(
        "<div class=\"board-bar {class}\"><p><b>{}</b> <span>{}</span></p>\
         <svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\">{shapes}</svg></div>",
        escaped(label),
        escaped(says),
        BAR.0,
        BAR.1
    )
}

fn row(bar: &Filled, before: f64) -> String {
    let scale = bar.of.max(bar.value).max(before).max(f64::MIN_POSITIVE);
    let part = |value: f64| value / scale;
    let (value, limit) = (part(bar.value), part(bar.of));
    let mut shapes = track(limit) + &span(0.0, value.min(limit), "board-fill");
    if bar.kind.has_limit() {
        shapes += &span(limit, value, "board-over");
    } else {
        shapes += &span(limit, value, "board-fill");
    }
    let (low, high) = (part(before).min(value), part(before).max(value));
    shapes += &span(low, high, if part(before) > value { "board-freed" } else { "board-change" });
    if bar.is_over() {
        shapes += &hatched(limit, value);
    }
    if bar.kind == BarKind::Calendar && scale <= MOST_DAYS {
        let days = scale.ceil() as usize;
        shapes += &(1..days).map(|day| mark(part(day as f64), "board-day")).collect::<String>();
    }
    shapes += &mark(limit, "board-limit");
    let (class, sign) = if bar.is_over() { ("over", "✕ ") } else { ("", "") };
    line(&bar.label, &format!("{sign}{}", bar.says()), class, &shapes)
}

fn track(to: f64) -> String {
    span(0.0, to, "board-track")
}

/// A part of a bar, from and to as parts of its width.
fn span(from: f64, to: f64, class: &str) -> String {
    if to <= from {
        return String::new();
    }
    let (x, width) = (from * BAR.0, (to - from) * BAR.0);
    format!("<rect class=\"{class}\" x=\"{x:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{}\"/>", BAR.1)
}

/// Slanted lines over a part of a bar.
fn hatched(from: f64, to: f64) -> String {
    let (mut x, end, step) = (from * BAR.0, to * BAR.0, BAR.1);
    let mut path = String::new();
    while x + step / 2.0 <= end {
        // Writing into a text does not fail.
        let _ = write!(path, "M{x:.1} {}l{} -{}", BAR.1, step / 2.0, BAR.1);
        x += step;
    }
    if path.is_empty() { path } else { format!("<path class=\"board-hatch\" d=\"{path}\"/>") }
}

fn mark(at: f64, class: &str) -> String {
    let x = at * BAR.0;
    format!("<path class=\"{class}\" d=\"M{x:.1} 0V{}\"/>", BAR.1)
}

/// How the GPUs are drawn: GPUs of a square, squares, squares of a row, and after how many of them there is a gap.
struct Grid {
    each: u64,
    cells: u64,
    columns: u64,
    node: u64,
}

impl Grid {
    fn of(picture: &Picture) -> Self {
        let Picture { gpus, node, .. } = *picture;
        if gpus <= MOST_CELLS.0 {
            let node = node.clamp(1, 8);
            let columns = if gpus > 4 * node { 2 * node } else { node };
            return Self { each: 1, cells: gpus, columns, node };
        }
        let nodes = gpus.div_ceil(node);
        let each = nodes.div_ceil(MOST_CELLS.1).next_power_of_two();
        let cells = nodes.div_ceil(each);
        let columns = if cells > MOST_CELLS.1 / 2 { 32 } else { 16 };
        Self { each: each * node, cells, columns, node: columns }
    }

    /// The left upper corner of a square.
    fn corner(&self, cell: u64) -> (f64, f64) {
        let (column, row) = (cell % self.columns, cell / self.columns);
        let step = CELL.0 + CELL.1;
        (column as f64 * step + (column / self.node) as f64 * BETWEEN_NODES, row as f64 * step)
    }

    fn size(&self) -> (f64, f64) {
        let (x, _) = self.corner(self.columns.min(self.cells).saturating_sub(1));
        let (_, y) = self.corner(self.cells.saturating_sub(1));
        (x + CELL.0, y + CELL.0)
    }
}

fn cluster(picture: &Picture) -> String {
    if picture.gpus == 0 {
        return "<p class=\"board-cluster board-none\">No GPUs yet</p>".to_owned();
    }
    let grid = Grid::of(picture);
    let memory = picture.bars.iter().find(|bar| bar.kind == BarKind::Memory);
    let share = memory.map_or(1.0, |bar| if bar.of > 0.0 { (bar.value / bar.of).min(1.0) } else { 0.0 });
    let is_over = memory.is_some_and(Filled::is_over);
    let fill = if is_over { "board-over" } else { "board-fill" };
    let mut shapes = String::new();
    for cell in 0..grid.cells {
        let (x, y) = grid.corner(cell);
        let (size, high) = (CELL.0, share * CELL.0);
        // Writing into a text does not fail.
        let _ = write!(
            shapes,
            "<rect class=\"board-gpu\" x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\"/>\
             <rect class=\"{fill}\" x=\"{x}\" y=\"{:.2}\" width=\"{size}\" height=\"{high:.2}\"/>",
            y + size - high
        );
        if is_over {
            let _ =
                write!(shapes, "<path class=\"board-hatch\" d=\"M{x} {y}l{size} {size}m-{size} 0l{size} -{size}\"/>");
        }
    }
    let (width, height) = grid.size();
    let nodes = picture.gpus.div_ceil(picture.node);
    let all = format!("{} in {}", counted(picture.gpus, "GPU", "GPUs"), counted(nodes, "node", "nodes"));
    let full = memory.map_or_else(String::new, |bar| {
        if is_over {
            ": out of memory".to_owned()
        } else {
            format!(", {} full", Unit::Fraction.format(bar.value / bar.of))
        }
    });
    let legend = if grid.each > 1 { format!(". A square is {} GPUs", grouped(grid.each)) } else { String::new() };
    format!(
        "<div class=\"board-cluster\"><svg viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\" focusable=\"false\" \
         width=\"{:.0}\">{shapes}</svg><p>{all}{full}{legend}</p></div>",
        width * 2.4
    )
}

#[cfg(test)]
mod tests {
    use ringside_core::mission::Counted;

    use super::*;

    fn picture(gpus: u64, value: f64) -> Picture {
        let bar = |kind, unit, value, of| Filled { label: "A <bar>".into(), unit, kind, value, of };
        let bars =
            vec![bar(BarKind::Memory, Counted::Bytes, value, 80e9), bar(BarKind::Calendar, Counted::Days, 2.5, 10.0)];
        Picture { gpus, node: 8, bars }
    }

    #[test]
    fn what_does_not_fit_is_told_by_words_and_by_shape() {
        let fits = board(&picture(8, 60e9), None);
        assert!(fits.contains("8 GPUs in 1 node, 75% full") && fits.contains("60 GB of 80 GB, 20 GB left"), "{fits}");
        assert!(!fits.contains("board-hatch") && !fits.contains("A <bar>"), "{fits}");
        let over = board(&picture(8, 120e9), None);
        assert!(over.contains("✕ 120 GB of 80 GB, 40 GB too much") && over.contains("out of memory"), "{over}");
        assert!(over.contains("board-hatch"));
    }

    #[test]
    fn what_changed_is_drawn_over_the_bar() {
        let (now, before) = (picture(8, 60e9), picture(8, 40e9));
        assert!(board(&now, Some(&before)).contains("class=\"board-change\" x=\"500.0\" y=\"0\" width=\"250.0\""));
        assert!(board(&before, Some(&now)).contains("board-freed"));
        assert_eq!(board(&now, None).matches("board-day").count(), 9);
    }

    #[test]
    fn any_number_of_gpus_has_few_squares() {
        for (gpus, cells, says) in
            [(0, 0, "No GPUs"), (1, 1, "1 GPU in 1 node"), (64, 64, "8 nodes"), (1024, 128, "is 8 GPUs")]
        {
            let drawn = board(&picture(gpus, 0.0), None);
            assert!(drawn.matches("board-gpu\"").count() == cells && drawn.contains(says), "{gpus}: {drawn}");
        }
        assert!(board(&picture(16_384, 0.0), None).contains("A square is 64 GPUs"));
        assert!(board(&picture(1_000_000, 0.0), None).matches("board-gpu\"").count() <= 256);
    }

    #[test]
    fn runs_are_compared_with_the_best() {
        let run = |label, score| Compared { label, score, says: format!("{score}") };
        let drawn = compared(&[run("You", 81.0), run("Best found", 100.0), run("Without thinking", -5.0)]);
        assert!(drawn.contains("width=\"810.0\"") && drawn.contains("width=\"1000.0\""), "{drawn}");
    }
}
