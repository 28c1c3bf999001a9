//! The attention matrix by blocks, over the chunks of keys and values that each rank holds; beside them each rank's time.

use std::fmt::Write as _;

use ringside_core::context_parallel::{Block, Doing, Method, Params, Pass, Run};
use ringside_core::quantity::Unit;

/// Most names beside the rows of a high drawing, and of a low one.
const NAMES: [usize; 2] = [16, 6];
/// What is left free around a block.
const GAP: f64 = 0.07;

/// The drawing after `step` steps, as markup.
pub(super) fn picture(run: &Run, step: usize) -> String {
    let p = &run.params;
    let mut html = String::from("<div class=\"cp-space\">");
    matrix(&mut html, p, step);
    held(&mut html, p, step);
    html.push_str("</div>");
    time(&mut html, run, step);
    html
}

/// A heading with its legend, the names of rows beside it, and what `paths` draw of so many columns and rows.
struct Part<'a> {
    class: &'a str,
    title: &'a str,
    legend: &'a str,
    label: String,
    names: Vec<String>,
    most: usize,
    size: [f64; 2],
    paths: Vec<(&'a str, String)>,
}

impl Part<'_> {
    fn write(self, html: &mut String) {
        let Self { class, title, legend, label, names, most, size: [wide, high], paths } = self;
        // Writing to a string does not fail.
        let _ = write!(
            html,
            "<div class=\"cp-part {class}\"><p class=\"cp-head\"><b>{title}</b> <span class=\"keys\">{legend}</span></p><svg class=\"cp-names\" aria-hidden=\"true\">"
        );
        let every = names.len().div_ceil(most).max(1);
        for (row, name) in names.iter().enumerate().filter(|(row, _)| row % every == 0) {
            let middle = 100.0 * (row as f64 + 0.5) / names.len() as f64;
            let _ = write!(html, "<text x=\"100%\" y=\"{middle:.2}%\">{name}</text>");
        }
        let _ = write!(
            html,
            "</svg><svg class=\"cp-drawn\" viewBox=\"0 0 {wide} {high}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">"
        );
        for (class, path) in paths {
            let _ = write!(html, "<path class=\"{class}\" d=\"{path}\"/>");
        }
        html.push_str("</svg></div>");
    }
}

/// A rectangle, added to a path.
fn add(path: &mut String, [x, y]: [f64; 2], [wide, high]: [f64; 2]) {
    let _ = write!(path, "M{x:.3} {y:.3}h{wide:.3}v{high:.3}h-{wide:.3}z");
}

/// A block; of one on the diagonal under a mask only the half that is left.
fn block(path: &mut String, causal: bool, Block { query, key }: Block) {
    let (x, y, side) = (key as f64 + GAP, query as f64 + GAP, 1.0 - 2.0 * GAP);
    if causal && query == key {
        let _ = write!(path, "M{x:.3} {y:.3}l{side:.3} {side:.3}h-{side:.3}z");
    } else {
        add(path, [x, y], [side; 2]);
    }
}

/// The matrix: a row for each chunk of queries, a column for each of keys.
fn matrix(html: &mut String, p: &Params, step: usize) {
    let chunks = 2 * p.ranks;
    let [mut all, mut done, mut now, mut vain] = [const { String::new() }; 4];
    for query in 0..chunks {
        for key in 0..if p.causal { query + 1 } else { chunks } {
            block(&mut all, p.causal, Block { query, key });
        }
    }
    for (rank, at) in (0..p.ranks).flat_map(|rank| (1..=step).map(move |at| (rank, at))) {
        // Under Ulysses all ranks compute the same blocks, of other heads.
        if p.method == Method::Ulysses && rank > 0 {
            continue;
        }
        for one in p.blocks(rank, at) {
            match one.left(p.causal) > 0.0 {
                true if at == step => block(&mut now, p.causal, one),
                true => block(&mut done, p.causal, one),
                false if at == step && p.method == Method::Ring => block(&mut vain, false, one),
                false => {}
            }
        }
    }
    let names = (0..chunks).map(|chunk| match p.method {
        Method::Ulysses if step == 2 => "all".to_owned(),
        _ => format!("rank {}", p.split.owner(chunk, p.ranks)),
    });
    let vain_key =
        if p.method == Method::Ring && p.causal { "<i class=\"key vain\"></i>masked: nothing to do" } else { "" };
    Part {
        class: "matrix",
        title: "Queries down, keys across",
        legend: &format!("<i class=\"key now\"></i>this step <i class=\"key done\"></i>done {vain_key}"),
        label: format!("The attention matrix in {chunks} × {chunks} blocks after step {step}."),
        names: names.collect(),
        most: NAMES[0],
        size: [chunks as f64; 2],
        paths: vec![("to-come", all), ("done", done), ("now", now), ("vain", vain)],
    }
    .write(html);
}

/// Which chunks of keys and values each rank has: a row for each rank, the columns of the matrix.
fn held(html: &mut String, p: &Params, step: usize) {
    let [mut own, mut others] = [const { String::new() }; 2];
    for rank in 0..p.ranks {
        let mine = p.split.chunks(rank, p.ranks);
        for chunk in p.held(rank, step) {
            let path = if mine.contains(&chunk) { &mut own } else { &mut others };
            add(path, [chunk as f64 + GAP, rank as f64 + GAP], [1.0 - 2.0 * GAP; 2]);
        }
    }
    let of = match p.method {
        Method::Ulysses if (1..=2).contains(&step) => ", of a rank’s own heads",
        _ => "",
    };
    let what = match p.pass {
        Pass::Forward => "Keys and values held",
        Pass::Backward => "Keys and values held, with gradients",
    };
    Part {
        class: "held",
        title: &format!("{what}{of}"),
        legend: "<i class=\"key own\"></i>its own <i class=\"key others\"></i>of other ranks",
        label: format!("The chunks of keys and values in each rank’s memory after step {step}."),
        names: (0..p.ranks).map(|rank| format!("rank {rank}")).collect(),
        most: NAMES[1],
        size: [2.0 * p.ranks as f64, p.ranks as f64],
        paths: vec![("own", own), ("others", others)],
    }
    .write(html);
}

/// Each rank's time, as far as it has been played.
fn time(html: &mut String, run: &Run, step: usize) {
    const WIDE: f64 = 1000.0;
    let [mut past, mut now, mut exchange, mut idle] = [const { String::new() }; 4];
    let scale = if run.total > 0.0 { WIDE / run.total } else { 0.0 };
    for (rank, lane) in run.lanes.iter().enumerate() {
        for span in lane.iter().filter(|span| span.step <= step) {
            let path = match span.doing {
                Doing::Attention if span.step == step => &mut now,
                Doing::Attention => &mut past,
                Doing::Exchange => &mut exchange,
                Doing::Idle => &mut idle,
            };
            add(path, [span.from * scale, rank as f64 + 0.12], [(span.to - span.from) * scale, 0.76]);
        }
    }
    Part {
        class: "time",
        title: &format!("Each rank’s time: {} in all", Unit::Seconds.format(run.total)),
        legend: "<i class=\"key now\"></i>attention <i class=\"key exchange\"></i>waits for a transfer <i class=\"key vain\"></i>waits for a rank",
        label: format!(
            "Each rank’s time over {}: {} of it not spent on computing.",
            Unit::Seconds.format(run.total),
            Unit::Fraction.format(run.idle())
        ),
        names: (0..run.params.ranks).map(|rank| format!("rank {rank}")).collect(),
        most: NAMES[0],
        size: [WIDE, run.params.ranks as f64],
        paths: vec![("done", past), ("now", now), ("exchange", exchange), ("vain", idle)],
    }
    .write(html);
}
