//! The kernels of a figure that times them: how many bytes each asks of memory, before anything is measured; and those of the
//! workbench.

use ringside_core::kernels::workbench::{self, PUZZLES};
use ringside_core::kernels::{self, Params, Work};
use ringside_core::quantity::{Unit, number};

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes};

/// A row for each kernel.
pub fn picture<W: Work>(p: &Params<W>) -> Lanes {
    let ladder = p.ladder();
    let most = ladder.iter().map(|rung| rung.needs.asked.total()).max().unwrap_or(1).max(1) as f64;
    let row = |rung: &ringside_core::kernels::Rung| {
        let bytes = rung.needs.asked.total() as f64;
        let tone = Ink::Communication.at(if rung.id == p.kernel.0.id { 100 } else { 50 });
        Lane::stack(rung.label, [(tone, bytes, String::new())], Unit::Bytes.format(bytes))
    };
    let rows = ladder.iter().map(row).collect();
    Lanes::new(p.finding(), Head::new("Bytes that each kernel asks of memory", &[]), rows, most * 1.02, None)
}

/// `kernel-workbench`: the arithmetic intensity that each puzzle allows.
pub fn puzzles(p: &workbench::Params) -> Lanes {
    let intensity = |puzzle: &workbench::Puzzle| kernels::intensity(puzzle.flop(), puzzle.compulsory());
    let row = |puzzle: &workbench::Puzzle| {
        let tone = Ink::Forward.at(if puzzle == p.puzzle { 100 } else { 50 });
        Lane::stack(puzzle.title, [(tone, intensity(puzzle), String::new())], number(intensity(puzzle)))
    };
    let most = PUZZLES.iter().map(intensity).fold(f64::MIN_POSITIVE, f64::max);
    let title = "FLOPs per byte that each puzzle allows";
    Lanes::new(title, Head::new(title, &[]), PUZZLES.iter().map(row).collect(), most * 1.02, None)
}
