//! A mixture of experts: the router's scores over the load of each expert and the time of each GPU.

use ringside_core::moe::figure::{Params, Routed};
use ringside_core::quantity::{Unit, counted, number};

use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};
use crate::picture::Picture;

/// Tokens on show.
const ROWS: usize = 16;
const CHOSEN: Tone = Ink::Weights.at(100);
const DROPPED: Tone = Ink::Warn.at(100);
const OVER: Tone = Ink::Warn.at(60);
const WORKS: Tone = Ink::Forward.at(100);
const WAITS: Tone = Ink::Idle.at(40);

/// All three, in the same columns.
pub fn picture(p: &Params, routed: &Routed) -> Picture {
    Picture::Over(vec![(2.0, scores(p, routed).into()), (1.1, loads(routed).into()), (0.7, gpus(routed).into())])
}

fn scores(p: &Params, routed: &Routed) -> Cells {
    let all = routed.routed.len();
    let shown = all.min(ROWS);
    let experts = routed.place.experts as f64;
    let mut cells = vec![Cell::of([0.0, 0.0], [experts, shown as f64], Ink::Line.at(50))];
    for y in 0..shown {
        let token = y * all / shown.max(1);
        for (slot, choice) in routed.routed.get(token).into_iter().flatten().enumerate() {
            let has_room = routed.kept.get(token).and_then(|kept| kept.get(slot)).copied().unwrap_or(true);
            cells.push(Cell::new(choice.expert as f64, y as f64, if has_room { CHOSEN } else { DROPPED }));
        }
    }
    let title = format!("{shown} of {} and their experts", counted(all as u64, "token", "tokens"));
    let head = Head::new(title, &[(CHOSEN, "chosen"), (DROPPED, "no room")]);
    Cells::new(p.finding(routed), head, [experts, shown as f64], cells)
}

fn loads(routed: &Routed) -> Cells {
    let most = routed.load.iter().copied().max().unwrap_or(0) as f64;
    let room = routed.capacity.map(|room| room as f64);
    let high = most.max(room.unwrap_or(0.0)).max(1.0) * 1.05;
    let column = |x: usize, from: f64, to: f64, tone| Cell::of([x as f64 + 0.1, high - to], [0.8, to - from], tone);
    let mut cells = Vec::new();
    for (x, load) in routed.load.iter().enumerate() {
        let load = *load as f64;
        let held = room.map_or(load, |room| load.min(room));
        cells.push(column(x, 0.0, held, Ink::Weights.at(70)));
        if load > held {
            cells.push(column(x, held, load, OVER));
        }
    }
    let limit = room.map(|room| ([0.0, high - room], [routed.place.experts as f64, high - room], Ink::Edge.into()));
    let title = format!("Tokens of each expert, most {}", number(most));
    let mut drawn = Cells::new("", Head::new(title, &[]), [routed.place.experts as f64, high], cells);
    drawn.lines = limit.into_iter().collect();
    drawn
}

fn gpus(routed: &Routed) -> Cells {
    let slowest = routed.times.slowest().max(f64::MIN_POSITIVE);
    let wide = routed.place.experts as f64 / routed.place.ranks.max(1) as f64;
    let cells = routed.times.experts.iter().enumerate().flat_map(|(rank, time)| {
        let (x, part) = (rank as f64 * wide, time / slowest);
        let at = |from: f64, to: f64, tone| Cell::of([x + 0.03 * wide, from], [0.94 * wide, to - from], tone);
        [at(0.0, 1.0 - part, WAITS), at(1.0 - part, 1.0, WORKS)]
    });
    let title = format!("GPUs, slowest {}", Unit::Seconds.format(routed.times.slowest()));
    let head = Head::new(title, &[(WORKS, "computes"), (WAITS, "waits")]);
    Cells::new("", head, [routed.place.experts as f64, 1.0], cells.collect())
}
