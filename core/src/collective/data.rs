//! The numbers that the ranks hold, and what a step does to them.

use super::Op;
use super::schedule::{Action, MAX_RANKS, Schedule, Step, Transfer};
use crate::mix::mix;

/// The ranks whose numbers are in a sum, a bit for each.
pub type Ranks = u64;

/// One chunk in the memory of one rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Its number: the sum of what `from` brought.
    pub value: f32,
    /// The ranks whose numbers are in it; none if the rank does not have the chunk.
    pub from: Ranks,
    /// Whether it has been passed on and is of no more use here.
    pub spent: bool,
}

const EMPTY: Cell = Cell { value: 0.0, from: 0, spent: false };

/// What every rank holds at one moment: one number stands for each chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    op: Op,
    ranks: usize,
    cells: Vec<Cell>,
    /// What the payloads of a step were before it, kept to save allocations.
    sent: Vec<Cell>,
}

/// How far a chunk has come in the memory of a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Held {
    /// The rank does not have it.
    Nothing,
    /// It has numbers of this part of all ranks.
    Part(f64),
    /// It has what the operation promises, or something that is only passed on whole.
    Whole,
    /// It has passed it on and needs it no more.
    Spent,
}

/// How the end compares with the plain sum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Check {
    /// Cells that the operation has to fill.
    pub wanted: usize,
    /// Of those, the ones that hold just the numbers they should, each once.
    pub right: usize,
    /// Of those, the ones whose bits are not those of the sum taken from rank 0 to the last.
    pub reordered: usize,
    /// The largest difference of a result from the sum in double precision, as a part of that sum.
    pub error: f64,
    /// The same of the sum taken from rank 0 to the last.
    pub plain_error: f64,
    /// Whether all ranks that have a chunk's result have the same bits.
    pub agree: bool,
}

/// The number that rank `rank` starts with in chunk `chunk`: one of 0.1, 0.2, … 9.9, the same each time.
pub fn number(rank: usize, chunk: usize) -> f32 {
    let place = (rank as u64 * 0x1_0000 + chunk as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mix(place) % 99 + 1) as f32 / 10.0
}

/// The sum of the numbers of `chunk`, from rank 0 to the last, in single precision.
pub fn plain_sum(ranks: usize, chunk: usize, value: impl Fn(usize, usize) -> f32) -> f32 {
    (0..ranks).map(|rank| value(rank, chunk)).reduce(|sum, v| sum + v).unwrap_or(0.0)
}

impl State {
    /// What the ranks hold before the first step: the numbers of `value` by rank and chunk, where the operation has any.
    /// `ranks` over [`MAX_RANKS`] are left out.
    pub fn start(op: Op, ranks: usize, value: impl Fn(usize, usize) -> f32) -> Self {
        let ranks = ranks.min(MAX_RANKS);
        let chunks = op.chunks(ranks);
        let mut cells = vec![EMPTY; ranks * chunks];
        for rank in 0..ranks {
            for chunk in 0..chunks {
                let has = match op {
                    Op::Broadcast => rank == 0,
                    Op::AllGather => chunk == rank,
                    Op::AllToAll => chunk / ranks == rank,
                    Op::Reduce | Op::AllReduce | Op::ReduceScatter => true,
                };
                if has {
                    cells[rank * chunks + chunk] = Cell { value: value(rank, chunk), from: 1 << rank, spent: false };
                }
            }
        }
        Self { op, ranks, cells, sent: Vec::new() }
    }

    /// Chunks that a rank can hold.
    pub fn chunks(&self) -> usize {
        self.op.chunks(self.ranks)
    }

    /// What `rank` has of `chunk`; nothing for a rank or chunk that does not exist.
    pub fn cell(&self, rank: usize, chunk: usize) -> Cell {
        if rank < self.ranks && chunk < self.chunks() { self.cells[rank * self.chunks() + chunk] } else { EMPTY }
    }

    fn cell_mut(&mut self, rank: u8, chunk: u16) -> Option<&mut Cell> {
        let chunks = self.chunks();
        if usize::from(chunk) >= chunks {
            return None;
        }
        self.cells.get_mut(usize::from(rank) * chunks + usize::from(chunk))
    }

    /// Does one step: everything is sent as it was before the step.
    pub fn apply(&mut self, step: &Step) {
        let mut sent = std::mem::take(&mut self.sent);
        sent.clear();
        sent.extend(step.transfers.iter().map(|t| self.cell(t.from.into(), t.chunk.into())));
        for t in &step.transfers {
            if t.action != Action::Copy
                && let Some(cell) = self.cell_mut(t.from, t.chunk)
            {
                cell.spent = true;
            }
        }
        for (&Transfer { to, chunk, action, .. }, payload) in step.transfers.iter().zip(&sent) {
            let Some(cell) = self.cell_mut(to, chunk) else { continue };
            *cell = match action {
                Action::Reduce => Cell { value: cell.value + payload.value, from: cell.from | payload.from, ..*cell },
                Action::Copy | Action::Move => Cell { spent: false, ..*payload },
            };
        }
        self.sent = sent;
    }

    /// What the ranks hold after the first `steps` steps.
    pub fn after(op: Op, schedule: &Schedule, steps: usize) -> Self {
        let mut state = Self::start(op, schedule.ranks, number);
        for step in schedule.steps.iter().take(steps) {
            state.apply(step);
        }
        state
    }

    /// The ranks whose numbers `rank` must have of `chunk` in the end; none if it need not have it.
    pub fn wanted(&self, rank: usize, chunk: usize) -> Ranks {
        let n = self.ranks;
        let everyone = u64::MAX >> (64 - n.clamp(1, MAX_RANKS));
        match self.op {
            Op::Broadcast => 1,
            Op::Reduce if rank == 0 => everyone,
            Op::ReduceScatter if rank == chunk => everyone,
            Op::AllReduce => everyone,
            Op::AllGather => 1 << (chunk % n),
            Op::AllToAll if chunk % n == rank => 1 << (chunk / n),
            Op::Reduce | Op::ReduceScatter | Op::AllToAll => 0,
        }
    }

    /// Whether a cell is as it must be in the end.
    pub fn complete(&self, rank: usize, chunk: usize) -> bool {
        let wanted = self.wanted(rank, chunk);
        wanted != 0 && self.cell(rank, chunk).from == wanted
    }

    /// How far `chunk` has come at `rank`.
    pub fn held(&self, rank: usize, chunk: usize) -> Held {
        let cell = self.cell(rank, chunk);
        match self.op {
            _ if cell.from == 0 => Held::Nothing,
            _ if cell.spent => Held::Spent,
            Op::Broadcast | Op::AllGather => Held::Whole,
            _ if self.complete(rank, chunk) => Held::Whole,
            _ => Held::Part(f64::from(cell.from.count_ones()) / self.ranks as f64),
        }
    }

    /// Compares what the ranks hold with the sums of what `start` gave them by `value`.
    pub fn check(&self, value: impl Fn(usize, usize) -> f32) -> Check {
        let mut check = Check { agree: true, ..Check::default() };
        for chunk in 0..self.chunks() {
            let mut first = None;
            for rank in 0..self.ranks {
                let wanted = self.wanted(rank, chunk);
                if wanted == 0 {
                    continue;
                }
                check.wanted += 1;
                let cell = self.cell(rank, chunk);
                let parts = || (0..self.ranks).filter(|r| wanted >> r & 1 == 1).map(|r| value(r, chunk));
                let exact: f64 = parts().map(f64::from).sum();
                let size: f64 = parts().map(|v| f64::from(v).abs()).sum();
                let plain = parts().reduce(|sum, v| sum + v).unwrap_or(0.0);
                let off = |v: f32| if size > 0.0 { (f64::from(v) - exact).abs() / size } else { 0.0 };
                // A sum of n numbers in single precision is off by at most n − 1 roundings of half a unit each.
                let allowed = self.ranks as f64 * f64::from(f32::EPSILON);
                if cell.from != wanted || off(cell.value) > allowed {
                    continue;
                }
                check.right += 1;
                check.reordered += usize::from(cell.value.to_bits() != plain.to_bits());
                check.error = check.error.max(off(cell.value));
                check.plain_error = check.plain_error.max(off(plain));
                check.agree &= *first.get_or_insert(cell.value.to_bits()) == cell.value.to_bits();
            }
        }
        check
    }
}
