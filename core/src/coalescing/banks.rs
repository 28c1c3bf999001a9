//! Shared memory: 32 banks of four bytes. Lanes that ask one bank for different words are served one after the other.
//!
//! A warp whose lanes read 8 or 16 bytes each is served half or a quarter of it at a time. Lanes that read the same word share it.

use super::{LANES, Params, Repair, Walk};
use crate::declare::Origin;

/// Where the counts of passes come from.
pub const ORIGIN: Origin = Origin::Of(
    "CUDA C++ Programming Guide, “Shared Memory” of compute capabilities 5.x to 9.0; CUDA C++ Best Practices Guide, “Shared Memory in Matrix Multiplication”",
);

/// Banks of shared memory.
pub const BANKS: u64 = 32;
/// Bytes of a word of a bank.
pub const WORD: u64 = 4;

/// A lane's word in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The lane.
    pub lane: u64,
    /// The row of the tile.
    pub row: u64,
    /// The column of the tile, as the program has it.
    pub col: u64,
    /// Its first word.
    pub word: u64,
    /// The bank of its first word.
    pub bank: u64,
    /// The pass in which it is served, from 0.
    pub pass: u64,
}

/// What an access of a warp comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Banks {
    /// Lane by lane.
    pub places: Vec<Place>,
    /// Passes that it takes.
    pub passes: u64,
    /// Passes that it would take without a conflict: one for every 128 bytes.
    pub least: u64,
    /// The most different words that lanes served together ask of one bank.
    pub degree: u64,
    /// Bytes of the tile with what the repair adds.
    pub bytes: u64,
}

impl Params {
    /// Row and column of the tile that a lane reads.
    fn cell(&self, lane: u64) -> (u64, u64) {
        match self.walk {
            Walk::Row => (0, lane),
            Walk::Column => (lane, 0),
            Walk::Diagonal => (lane, lane),
        }
    }

    /// The place of a cell, in values from the start of the tile.
    fn at(&self, (row, col): (u64, u64)) -> u64 {
        match self.repair {
            Repair::None => row * self.tile + col,
            Repair::Pad => row * (self.tile + 1) + col,
            // Columns of a row are exchanged by the row's number; the tile is as wide as a power of two.
            Repair::Swizzle => row * self.tile + (col ^ (row % self.tile)),
        }
    }

    /// The access of a warp to a tile in shared memory.
    pub fn banks(&self) -> Banks {
        let words = (self.width.bytes() / WORD).max(1);
        let together = LANES / words;
        let mut banks = Banks { least: words, bytes: self.tile_bytes(), ..Banks::default() };
        for group in 0..words {
            let first = banks.passes;
            let mut served: Vec<Vec<u64>> = vec![Vec::new(); BANKS as usize];
            for lane in group * together..(group + 1) * together {
                let (row, col) = self.cell(lane);
                let word = self.at((row, col % self.tile)) * self.width.bytes() / WORD;
                let mut pass = 0;
                for word in word..word + words {
                    if let Some(of_bank) = served.get_mut((word % BANKS) as usize) {
                        let known = of_bank.iter().position(|other| *other == word);
                        let turn = known.unwrap_or(of_bank.len());
                        if known.is_none() {
                            of_bank.push(word);
                        }
                        pass = pass.max(turn as u64);
                    }
                }
                banks.places.push(Place {
                    lane,
                    row,
                    col: col % self.tile,
                    word,
                    bank: word % BANKS,
                    pass: first + pass,
                });
            }
            let degree = served.iter().map(Vec::len).max().unwrap_or(1) as u64;
            banks.degree = banks.degree.max(degree);
            banks.passes += degree;
        }
        banks
    }

    fn tile_bytes(&self) -> u64 {
        let row = if self.repair == Repair::Pad { self.tile + 1 } else { self.tile };
        LANES * row * self.width.bytes()
    }
}
