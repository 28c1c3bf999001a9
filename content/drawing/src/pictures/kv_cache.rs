//! The pool of an inference server: a cell for each block, filled by the tokens in it.

use ringside_core::kv_cache::blocks::figure::{Params, Shown, View};
use ringside_core::kv_cache::blocks::usage::{For, Segment};
use ringside_core::quantity::{Unit, grouped};

use super::SEVERAL;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Lane, Lanes, Tone};
use crate::picture::Picture;

const FREE: Tone = Ink::Line.at(60);

/// The pool; or what fits a GPU.
pub fn picture(p: &Params, s: &Shown) -> Picture {
    match p.view {
        View::Pool | View::Walk => pool(p, s).into(),
        View::Fit => fit(p, s).into(),
    }
}

fn tone(segment: &Segment) -> Tone {
    let ink = segment.owner.map_or(Ink::Soft, |name| SEVERAL[name.request % SEVERAL.len()]);
    match segment.what {
        For::Token => ink.into(),
        For::Later => ink.at(40),
        For::Never => Ink::Warn.at(40),
        For::Kept => Ink::Soft.at(40),
        For::Null => Ink::Idle.at(60),
    }
}

fn pool(p: &Params, s: &Shown) -> Cells {
    let (blocks, block) = (p.blocks.max(1), p.block.max(1));
    let columns = ((blocks as f64 * 3.4).sqrt().ceil() as u64).clamp(6, 160).min(blocks.max(6));
    let place = |i: u64| [(i % columns) as f64, (i / columns) as f64];
    let mut cells: Vec<Cell> = (0..blocks).map(|i| Cell::of(place(i), [1.0, 1.0], FREE)).collect();
    for segment in &s.run.segments {
        for i in segment.from / block..(segment.from + segment.slots).div_ceil(block) {
            let within = |slot: u64| slot.saturating_sub(i * block).min(block) as f64 / block as f64;
            let (from, to) = (within(segment.from), within(segment.from + segment.slots));
            let [x, y] = place(i);
            let cell = Cell::of([x + from, y], [to - from, 1.0], tone(segment));
            let is_first = i == segment.from / block && segment.what == For::Token;
            let name = segment.owner.filter(|_| is_first).map(|name| name.to_string());
            cells.push(cell.text(name.unwrap_or_default()));
        }
    }
    let keys = [
        (Ink::Weights.into(), "tokens, a color for each request"),
        (Ink::Weights.at(40), "for later tokens"),
        (Ink::Warn.at(40), "for none, ever"),
        (FREE, "free"),
    ];
    let size = [columns as f64, blocks.div_ceil(columns) as f64];
    Cells::new(p.finding(s), Head::new("", &keys), size, cells)
}

fn fit(p: &Params, s: &Shown) -> Lanes {
    let fit = &s.fit;
    let lane = |name: &str, count: f64, each: f64, prefix: f64| {
        let weights = (Ink::Weights.into(), fit.weights, "weights".to_owned());
        let prefix = (Ink::Kv.at(45), prefix.min(fit.room), String::new());
        let requests = (Ink::Kv.into(), count * each, String::new());
        Lane::stack(name.to_owned(), [weights, prefix, requests], format!("{} requests", grouped(count as u64)))
    };
    let rows = vec![
        lane("in blocks", fit.requests, fit.request, 0.0),
        lane("reserved for the longest request", fit.requests_reserved, fit.reserved, 0.0),
        lane("in blocks, shared prefix kept once", fit.requests_shared, (fit.request - fit.alike).max(0.0), fit.alike),
    ];
    let keys = [(Ink::Weights.into(), "weights"), (Ink::Kv.at(45), "shared prefix"), (Ink::Kv.into(), "requests")];
    Lanes::new(p.finding(s), Head::new(p.gpu.name, &keys), rows, p.gpu.memory.0, Some(Unit::Bytes))
}
