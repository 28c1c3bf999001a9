//! A schedule as a learner lays it out: blocks of equal length on a grid of stages and slots.
//!
//! A slot takes one millisecond, and so does every block: a forward pass F, the gradient of the input B, the gradient of the
//! weights W. The k-th F of a stage is that of micro-batch k, and so for B and W: what is written is a letter a slot.

use std::fmt;

use super::schedule::{Kind, Op, Placement, Schedule};
use super::simulate::{Costs, Fault, Fleet, needs, simulate};
use super::timeline::{Block, Timeline};

/// Most slots of a stage.
pub const MAX_SLOTS: usize = 64;

/// What is laid out so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board {
    /// Micro-batches of the step.
    pub microbatches: u32,
    /// By stage, what is in each slot.
    pub rows: Vec<Vec<Option<Kind>>>,
}

/// Something that is wrong with a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Its stage.
    pub stage: usize,
    /// Its slot.
    pub slot: usize,
    /// What is wrong: a sentence.
    pub why: String,
}

/// The kind of a letter; none for an empty slot. An error for any other character.
fn kind(letter: char) -> Result<Option<Kind>, char> {
    match letter.to_ascii_uppercase() {
        'F' => Ok(Some(Kind::Forward)),
        'B' => Ok(Some(Kind::Input)),
        'W' => Ok(Some(Kind::Weight)),
        '.' => Ok(None),
        _ => Err(letter),
    }
}

impl Board {
    /// An empty one.
    pub fn new(stages: u32, microbatches: u32) -> Self {
        Self { microbatches, rows: vec![Vec::new(); stages as usize] }
    }

    /// Reads what [`fmt::Display`] writes: a letter or a dot for each slot, a slash between stages.
    ///
    /// # Errors
    /// What cannot be read: a sentence.
    pub fn read(text: &str, stages: u32, microbatches: u32) -> Result<Self, String> {
        let mut board = Self::new(stages, microbatches);
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() > board.rows.len() {
            return Err(format!("board has {} stages, but stages is {stages}.", rows.len()));
        }
        for (row, text) in board.rows.iter_mut().zip(rows) {
            *row = text.chars().map(kind).collect::<Result<_, char>>().map_err(|letter| {
                format!("board is written with F, B, W, dots and slashes, not “{}”.", letter.escape_debug())
            })?;
            if row.len() > MAX_SLOTS {
                return Err(format!("A stage of board has {} slots; there are {MAX_SLOTS}.", row.len()));
            }
        }
        board.trim();
        Ok(board)
    }

    /// What `schedule` comes to on so many stages, with blocks of equal length: one of those that take the micro-batches in
    /// order and have one chunk a stage. Empty for the others.
    pub fn of(schedule: Schedule, stages: u32, microbatches: u32) -> Self {
        let mut board = Self::new(stages, microbatches);
        let in_order = matches!(
            schedule,
            Schedule::Naive | Schedule::OneForwardOneBackward | Schedule::ZeroBubbleH1 | Schedule::ZeroBubbleH2
        );
        if in_order && let Ok(timeline) = run(&schedule.orders(stages, microbatches, 1), board.fleet()) {
            board.take(&timeline);
        }
        board
    }

    /// The same order on each stage, each block as early as can be.
    ///
    /// # Errors
    /// Why it cannot be run.
    pub fn packed(&self) -> Result<Self, Fault> {
        let orders: Vec<Vec<Op>> =
            (0..self.rows.len()).map(|stage| self.ops(stage).map(|(_, op)| op).collect()).collect();
        let timeline = run(&orders, self.fleet())?;
        let mut board = Self::new(self.rows.len() as u32, self.microbatches);
        board.take(&timeline);
        Ok(board)
    }

    fn take(&mut self, timeline: &Timeline) {
        for (stage, row) in self.rows.iter_mut().enumerate() {
            for block in timeline.of(stage as u32) {
                let at = block.start.max(0.0) as usize;
                // A whole backward pass is both of its halves, one after the other.
                let kinds = match block.op.kind {
                    Kind::Backward => [Some(Kind::Input), Some(Kind::Weight)],
                    kind => [Some(kind), None],
                };
                for (slot, kind) in (at..MAX_SLOTS).zip(kinds.into_iter().flatten()) {
                    if row.len() <= slot {
                        row.resize(slot + 1, None);
                    }
                    row[slot] = Some(kind);
                }
            }
        }
    }

    /// What the blocks run on.
    pub fn fleet(&self) -> Fleet {
        Fleet {
            devices: self.rows.len() as u32,
            chunks: 1,
            microbatches: self.microbatches,
            placement: Placement::Loop,
        }
    }

    /// Puts a block, or nothing, into a slot; what was there goes. Nothing happens outside of the board.
    pub fn put(&mut self, stage: usize, slot: usize, kind: Option<Kind>) {
        if let Some(row) = self.rows.get_mut(stage).filter(|_| slot < MAX_SLOTS) {
            if row.len() <= slot {
                row.resize(slot + 1, None);
            }
            row[slot] = kind;
            self.trim();
        }
    }

    fn trim(&mut self) {
        for row in &mut self.rows {
            let used = row.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            row.truncate(used);
        }
    }

    /// What is in a slot.
    pub fn at(&self, stage: usize, slot: usize) -> Option<Kind> {
        *self.rows.get(stage)?.get(slot)?
    }

    /// The blocks of a stage with their slots, in order of time.
    pub fn ops(&self, stage: usize) -> impl Iterator<Item = (usize, Op)> {
        let mut counts = [0_u32; 3];
        let row = self.rows.get(stage).map_or(&[] as &[_], Vec::as_slice);
        row.iter().enumerate().filter_map(move |(slot, kind)| {
            let kind = (*kind)?;
            let count = match kind {
                Kind::Forward => &mut counts[0],
                Kind::Weight => &mut counts[2],
                Kind::Input | Kind::Backward => &mut counts[1],
            };
            let microbatch = *count;
            *count += 1;
            Some((slot, Op { kind, stage: stage as u32, microbatch }))
        })
    }

    /// The slot of a piece of work; `Backward` stands for the gradient of the input.
    fn slot_of(&self, op: Op) -> Option<usize> {
        let kind = if op.kind == Kind::Backward { Kind::Input } else { op.kind };
        let mut ops = self.ops(op.stage as usize);
        ops.find(|(_, o)| o.kind == kind && o.microbatch == op.microbatch).map(|(slot, _)| slot)
    }

    /// Slots until the last block ends.
    pub fn slots(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or_default()
    }

    /// How many pieces of work are not there yet.
    pub fn missing(&self) -> usize {
        let wanted = 3 * self.rows.len() * self.microbatches as usize;
        let placed = (0..self.rows.len()).flat_map(|stage| self.ops(stage));
        wanted.saturating_sub(placed.filter(|(_, op)| op.microbatch < self.microbatches).count())
    }

    /// The blocks as a timeline.
    pub fn timeline(&self) -> Timeline {
        let block = |(slot, op)| Block { op, start: slot as f64, end: slot as f64 + 1.0, after: None };
        let devices: Vec<Vec<Block>> = (0..self.rows.len()).map(|stage| self.ops(stage).map(block).collect()).collect();
        Timeline::new(self.fleet(), &devices)
    }

    /// Everything that is wrong so far if a stage may keep `cap` micro-batches: work that is one too many, that comes before
    /// what it needs or without it, and the forward pass that does not fit into the memory.
    pub fn troubles(&self, cap: u32) -> Vec<Trouble> {
        let mut troubles = Vec::new();
        for stage in 0..self.rows.len() {
            let mut kept = 0_u32;
            for (slot, op) in self.ops(stage) {
                let mut add = |why: String| troubles.push(Trouble { stage, slot, why });
                if op.microbatch >= self.microbatches {
                    add(format!("{op} is one too many: there are {} micro-batches.", self.microbatches));
                    continue;
                }
                for need in needs(op, self.rows.len() as u32).into_iter().flatten() {
                    match self.slot_of(need) {
                        None => add(format!("{op} needs {need}, which is not there yet.")),
                        Some(other) if other >= slot => {
                            add(format!(
                                "{op} begins in slot {slot}, but {need} is done only at the end of slot {other}."
                            ));
                        }
                        Some(_) => {}
                    }
                }
                match op.kind {
                    Kind::Forward => kept += 1,
                    Kind::Weight | Kind::Backward => kept = kept.saturating_sub(1),
                    Kind::Input => {}
                }
                if op.kind == Kind::Forward && kept > cap {
                    add(format!("With {op} stage {stage} keeps {kept} micro-batches; {cap} fit."));
                }
            }
        }
        troubles
    }
}

/// Runs orders with blocks of one millisecond.
fn run(orders: &[Vec<Op>], fleet: Fleet) -> Result<Timeline, Fault> {
    simulate(orders, fleet, &costs())
}

/// Every block takes a millisecond, and what is sent is there at once.
pub fn costs() -> Costs {
    Costs { forward: 1.0, input: 1.0, weight: 1.0, latency: 0.0, factors: Vec::new() }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (stage, row) in self.rows.iter().enumerate() {
            if stage > 0 {
                f.write_str("/")?;
            }
            for slot in row {
                write!(f, "{}", slot.map_or('.', Kind::letter))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::validate::violations;
    use super::*;

    /// A board of letters that come as they may, and one that packs what is in order.
    fn boards() -> impl Strategy<Value = Board> {
        (1..5_u32, 1..5_u32, proptest::collection::vec("[FBW.]{0,14}", 4), any::<bool>()).prop_map(
            |(p, m, rows, packed)| {
                let text = rows.iter().take(p as usize).cloned().collect::<Vec<_>>().join("/");
                let board = Board::read(&text, p, m).expect("it is written as a board is");
                if packed { board.packed().unwrap_or(board) } else { board }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        #[test]
        fn a_board_reads_back_and_is_judged_as_the_validator_judges(board in boards(), cap in 1..6_u32) {
            let (p, m) = (board.rows.len() as u32, board.microbatches);
            prop_assert_eq!(&Board::read(&board.to_string(), p, m), &Ok(board.clone()));
            let fair = violations(&board.timeline(), &costs(), f64::from(cap)).is_empty();
            prop_assert_eq!(board.missing() == 0 && board.troubles(cap).is_empty(), fair);
        }
    }

    #[test]
    fn known_schedules_are_complete_and_within_their_memory() {
        for (p, m) in [(2, 1), (4, 6), (4, 8), (6, 10)] {
            for (schedule, cap, makespan) in [
                (Schedule::OneForwardOneBackward, p, 3 * (m + p - 1)),
                (Schedule::ZeroBubbleH1, p, 3 * m + p - 1),
                (Schedule::ZeroBubbleH2, 2 * p - 1, 3 * m + p - 1),
            ] {
                let board = Board::of(schedule, p, m);
                assert_eq!((board.missing(), board.troubles(cap)), (0, Vec::new()), "{} {p} × {m}", schedule.id());
                if m >= p {
                    assert_eq!(board.slots(), makespan as usize, "{} {p} × {m}", schedule.id());
                }
                assert_eq!(board.packed().map(|b| b.troubles(cap)), Ok(Vec::new()));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let why = |text: &str, cap| {
            let board = Board::read(text, 2, 2).expect("it can be read");
            board.troubles(cap).into_iter().map(|t| t.why).collect::<Vec<_>>()
        };
        assert_eq!(
            why("F/F", 2),
            ["F0 of stage 1 begins in slot 0, but F0 of stage 0 is done only at the end of slot 0."]
        );
        assert_eq!(why("FF/", 1), ["With F1 of stage 0 stage 0 keeps 2 micro-batches; 1 fit."]);
        assert_eq!(why("/.B", 2), ["B0 of stage 1 needs F0 of stage 1, which is not there yet."]);
        assert_eq!(why("FFF/", 3), ["F2 of stage 0 is one too many: there are 2 micro-batches."]);
        assert!(Board::read("FX", 2, 2).is_err() && Board::read("F/F/F", 2, 2).is_err());
    }
}
