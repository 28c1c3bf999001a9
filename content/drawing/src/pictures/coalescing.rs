//! The addresses of a warp: lines of global memory with their sectors, or the banks of shared memory.

use ringside_core::coalescing::banks::BANKS;
use ringside_core::coalescing::memory::{LINE, SECTOR};
use ringside_core::coalescing::{Cost, Params, View};
use ringside_core::quantity::grouped;

use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Lane, Lanes, Piece, Tone};
use crate::picture::Picture;

const USED: Tone = Ink::Forward.at(100);
const VAIN: Tone = Ink::Warn.at(40);
const NOT_MOVED: Tone = Ink::Idle.at(25);

/// What the warp touches, all lanes served.
pub fn picture(p: &Params, cost: &Cost) -> Picture {
    match p.view {
        View::Global => lines(p, cost).into(),
        View::Shared => banks(p, cost).into(),
    }
}

/// A row for each line of 128 bytes.
fn lines(p: &Params, cost: &Cost) -> Lanes {
    let (access, width) = (&cost.access, p.width.bytes());
    let row = |line: &u64| {
        let start = line * LINE;
        let sector = |i: u64| {
            let touched = access.sectors.contains(&(start / SECTOR + i));
            let at = (i * SECTOR) as f64;
            Piece::new(at, at + SECTOR as f64 * 0.99, if touched { VAIN } else { NOT_MOVED })
        };
        let used = access.addresses.iter().filter_map(|address| {
            let (from, to) = ((*address).max(start), (address + width).min(start + LINE));
            (from < to).then(|| Piece::new((from - start) as f64, (to - start) as f64, USED))
        });
        let pieces = (0..LINE / SECTOR).map(sector).chain(used).collect();
        Lane::new(format!("{}–{}", grouped(start), grouped(start + LINE - 1)), pieces)
    };
    let keys = [(USED, "used"), (VAIN, "moved in vain"), (NOT_MOVED, "not moved")];
    let head = Head::new("Lines of 128 B that the warp touches", &keys);
    Lanes::new(p.finding(), head, access.lines.iter().map(row).collect(), LINE as f64, None)
}

/// A row for each row of shared memory, a column for each bank; a number is the lane that reads there.
fn banks(p: &Params, cost: &Cost) -> Cells {
    let mut rows: Vec<u64> = cost.banks.places.iter().map(|place| place.word / BANKS).collect();
    rows.sort_unstable();
    rows.dedup();
    let words = (p.width.bytes() / 4).max(1);
    let high = rows.len().max(1) as f64;
    let mut cells = vec![Cell::of([0.0, 0.0], [BANKS as f64, high], NOT_MOVED)];
    for place in &cost.banks.places {
        for word in place.word..place.word + words {
            let Some(row) = rows.iter().position(|row| *row == word / BANKS) else { continue };
            let strength = if place.pass == 0 { 100 } else { 55 };
            let cell = Cell::new((word % BANKS) as f64, row as f64, Ink::Forward.at(strength));
            cells.push(cell.text(place.lane.to_string()));
        }
    }
    let keys = [(USED, "served in the first pass"), (Ink::Forward.at(55), "served later")];
    let head = Head::new("Shared memory by bank, with the lane that reads there", &keys);
    Cells::new(p.finding(), head, [BANKS as f64, high], cells)
        .named(rows.iter().map(u64::to_string), (0..BANKS).map(|bank| bank.to_string()))
}
