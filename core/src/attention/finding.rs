//! What happens, in sentences.

use super::Run;
use super::algorithm::{Algo, Direction, Extent};
use super::plan::Move;
use crate::quantity::{Unit, grouped, number, unbroken};

/// A number as an index: 12 is ₁₂.
pub fn subscript(n: u64) -> String {
    let digit = |c: char| c.to_digit(10).and_then(|d| char::from_u32(0x2080 + d)).unwrap_or(c);
    n.to_string().chars().map(digit).collect()
}

fn bytes(value: f64) -> String {
    unbroken(&Unit::Bytes.format(value))
}

impl Move {
    /// The block with its index from 1: Q₃; for a tile, the matrix.
    pub fn label(&self) -> String {
        match self.matrix.extent() {
            Extent::Scores => format!("a tile of {}", self.matrix.label()),
            _ => format!("{}{}", self.matrix.label(), subscript(self.block + 1)),
        }
    }
}

/// "Q₃, O₃ and m₃ (25 kB)".
fn list(moves: &[Move], store: bool) -> Option<String> {
    let chosen: Vec<&Move> = moves.iter().filter(|m| m.store == store).collect();
    let size: u64 = chosen.iter().map(|m| m.bytes).sum();
    let names: Vec<String> = chosen.iter().map(|m| m.label()).collect();
    let (last, rest) = names.split_last()?;
    let names = if rest.is_empty() { last.clone() } else { format!("{} and {last}", rest.join(", ")) };
    Some(format!("{names} ({})", bytes(size as f64)))
}

impl Run {
    /// What step `step` does, in one sentence; before the first, what is where.
    pub fn step_finding(&self, step: u64) -> String {
        let n = self.steps();
        let Some(now) = step.min(n).checked_sub(1).and_then(|i| self.plan.at(i)) else {
            let there = match self.params.direction {
                Direction::Forward => "Q, K and V are in HBM",
                Direction::Backward => "what the forward pass kept is in HBM",
            };
            return format!("Before the first of {} steps {there}, and nothing is on the chip.", grouped(n));
        };
        let moves = self.plan.moves(&now);
        let [rows, columns] = self.plan.tile(&now).map(|(from, to)| to - from);
        let does = self.plan.passes.get(now.pass).map_or("", |pass| pass.does);
        let loads = list(&moves, false).map_or(String::new(), |l| format!(" {l} come in;"));
        let stores = list(&moves, true).map_or(" nothing goes back".to_owned(), |s| format!(" {s} go to HBM"));
        format!(
            "Step {} of {}:{loads} the chip {does} ({} × {});{stores}.",
            grouped(step.min(n)),
            grouped(n),
            grouped(rows),
            grouped(columns)
        )
    }

    /// How far it is, and what the whole comes to.
    pub fn finding(&self, step: u64) -> String {
        let so_far = self.plan.until(step).bytes();
        let mut text = format!(
            "{} of {} have moved between HBM and the chip.",
            bytes(self.of_all_heads(so_far)),
            bytes(self.of_all_heads(self.whole.bytes()))
        );
        let [standard, flash] = [self.standard.bytes(), self.flash.bytes()].map(|b| b as f64);
        text += &match self.params.algo {
            Algo::Standard => {
                format!(" FlashAttention moves {} for the same result.", bytes(self.of_all_heads(self.flash.bytes())))
            }
            _ if standard >= flash => format!(
                " Standard attention moves {}: {} times as much.",
                bytes(self.of_all_heads(self.standard.bytes())),
                number(standard / flash)
            ),
            _ => format!(
                " Standard attention would move {}, which is less: these tiles are too small.",
                bytes(self.of_all_heads(self.standard.bytes()))
            ),
        };
        let left_out = self.grid() - self.tiles().min(self.grid());
        if left_out > 0 {
            text += &format!(
                " The mask hides {} of {} tiles, which are left out.",
                grouped(left_out),
                grouped(self.grid())
            );
        }
        text + &self.fit()
    }

    /// What the tiles do to the memory on chip, if they do not fit.
    pub fn fit(&self) -> String {
        let (used, there) = (self.sram(), self.params.sram);
        if used <= there || self.params.algo == Algo::Standard {
            return String::new();
        }
        let why = if self.params.block_q == 0 && self.params.block_k == 0 {
            "the paper’s rule counts the blocks of Q, K, V and O alone, and what is over has to find room in registers"
        } else {
            "a kernel with these tiles would not start"
        };
        format!(" A tile needs {} on chip, where there are {}: {why}.", bytes(used as f64), bytes(there as f64))
    }

    /// What the result is, compared with plain softmax; empty if it is too much to work out.
    pub fn end_finding(&self, row: u64) -> String {
        if self.params.direction == Direction::Backward {
            return String::new();
        }
        self.check(row).map_or(String::new(), |check| {
            let of = if check.all { "Every row".to_owned() } else { format!("Row {}", self.watched(row)) };
            format!(
                " {of} of O, computed in fp32, is within {} of plain softmax in fp64; rounding alone allows {}.",
                number(check.difference),
                number(check.bound)
            )
        })
    }
}
