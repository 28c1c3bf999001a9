//! The three algorithms as tables: in which order they go over the tiles, what they load and store when, and what stays on
//! chip.
//!
//! Standard attention reads and writes every matrix once for each product, as FlashAttention's Algorithms 0 and 3 count it
//! (a cache that never has to read an operand twice: this favours it). FlashAttention-1 is that paper's Algorithms 1 and 4,
//! FlashAttention-2 Algorithms 1 and 2 of arXiv:2307.08691.

use crate::options;

/// A matrix of one head, or a number for each of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// Queries, N × d.
    Q,
    /// Keys, N × d.
    K,
    /// Values, N × d.
    V,
    /// The output, N × d.
    O,
    /// Scores QKᵀ/√d, N × N.
    S,
    /// Softmax of the scores by rows, N × N.
    P,
    /// Running maximum of each row.
    Max,
    /// Running sum of exponentials of each row.
    Sum,
    /// Log of the sum of exponentials of each row: m + ln ℓ.
    Lse,
    /// Gradient of the output, N × d.
    DO,
    /// Gradient of the queries, N × d.
    DQ,
    /// Gradient of the keys, N × d.
    DK,
    /// Gradient of the values, N × d.
    DV,
    /// Gradient of P, N × N.
    DP,
    /// Gradient of the scores, N × N.
    DS,
    /// Sum of dO ∘ O of each row.
    Delta,
}

/// Along what a matrix lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// N × d, cut into blocks of rows like the queries.
    Rows,
    /// N × d, cut into blocks like the keys.
    Columns,
    /// N × N, cut into tiles.
    Scores,
    /// One number a row, in fp32.
    Statistic,
}

impl Matrix {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Q,
        Self::K,
        Self::V,
        Self::O,
        Self::S,
        Self::P,
        Self::Max,
        Self::Sum,
        Self::Lse,
        Self::DO,
        Self::DQ,
        Self::DK,
        Self::DV,
        Self::DP,
        Self::DS,
        Self::Delta,
    ];

    /// Along what it lies.
    pub const fn extent(self) -> Extent {
        match self {
            Self::Q | Self::O | Self::DO | Self::DQ => Extent::Rows,
            Self::K | Self::V | Self::DK | Self::DV => Extent::Columns,
            Self::S | Self::P | Self::DP | Self::DS => Extent::Scores,
            Self::Max | Self::Sum | Self::Lse | Self::Delta => Extent::Statistic,
        }
    }

    /// What papers call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Q => "Q",
            Self::K => "K",
            Self::V => "V",
            Self::O => "O",
            Self::S => "S",
            Self::P => "P",
            Self::Max => "m",
            Self::Sum => "ℓ",
            Self::Lse => "L",
            Self::DO => "dO",
            Self::DQ => "dQ",
            Self::DK => "dK",
            Self::DV => "dV",
            Self::DP => "dP",
            Self::DS => "dS",
            Self::Delta => "D",
        }
    }
}

/// Which loop is the outer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Over blocks of queries; the inner one is over blocks of keys.
    Rows,
    /// Over blocks of keys; the inner one is over blocks of queries.
    Columns,
}

/// How often a block is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At every tile.
    Each,
    /// Once for a block of the outer loop: loaded at its first tile, stored at its last.
    Outer,
    /// Once in all, though it lies along the inner loop: loaded in the first round of it, stored in the last.
    Once,
}

/// One pass over the tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pass {
    /// What it makes, in a word or two.
    pub name: &'static str,
    /// What a step of it does with its tile, between loading and storing.
    pub does: &'static str,
    /// Which loop is the outer one.
    pub order: Order,
    /// Whether a step takes all columns of a block of rows: what a row's softmax needs.
    pub whole_rows: bool,
    /// Whether tiles that a causal mask hides altogether are left out.
    pub skips: bool,
    /// What comes from HBM.
    pub loads: &'static [(Matrix, When)],
    /// What goes to HBM.
    pub stores: &'static [(Matrix, When)],
    /// What exists on chip alone.
    pub scratch: &'static [Matrix],
    /// Matrix products of a tile, each of 2 × rows × columns × d operations.
    pub products: u64,
    /// Multiplications and divisions that rescale an element of O: at each tile, and at a row's last.
    pub rescales: [u64; 2],
}

/// Who computes attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algo {
    /// Three passes with the N × N matrix in HBM.
    #[default]
    Standard,
    /// FlashAttention (2022): keys in the outer loop.
    Flash1,
    /// FlashAttention-2 (2023): queries in the outer loop.
    Flash2,
}

/// Which half of training's work on attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// O from Q, K and V.
    #[default]
    Forward,
    /// dQ, dK and dV from dO.
    Backward,
}

options!(Algo {
    Standard: "standard", "Standard attention";
    Flash1: "flash1", "FlashAttention";
    Flash2: "flash2", "FlashAttention-2";
});

options!(Direction {
    Forward: "forward", "forward";
    Backward: "backward", "backward";
});

impl Algo {
    /// Its passes, in order.
    pub const fn passes(self, direction: Direction) -> &'static [Pass] {
        match (self, direction) {
            (Self::Standard, Direction::Forward) => STANDARD,
            (Self::Standard, Direction::Backward) => STANDARD_BACKWARD,
            (Self::Flash1, Direction::Forward) => FLASH_1,
            (Self::Flash1, Direction::Backward) => FLASH_1_BACKWARD,
            (Self::Flash2, Direction::Forward) => FLASH_2,
            (Self::Flash2, Direction::Backward) => FLASH_2_BACKWARD,
        }
    }
}

use Matrix::*;
use When::{Each, Once, Outer};

const PASS: Pass = Pass {
    name: "",
    does: "",
    order: Order::Rows,
    whole_rows: false,
    skips: false,
    loads: &[],
    stores: &[],
    scratch: &[],
    products: 1,
    rescales: [0, 0],
};

const STANDARD: &[Pass] = &[
    Pass {
        name: "S = QKᵀ",
        does: "multiplies queries by keys",
        loads: &[(Q, Outer), (K, Once)],
        stores: &[(S, Each)],
        ..PASS
    },
    Pass {
        name: "P = softmax(S)",
        does: "takes the softmax of whole rows",
        whole_rows: true,
        loads: &[(S, Each)],
        stores: &[(P, Each)],
        products: 0,
        ..PASS
    },
    Pass {
        name: "O = PV",
        does: "adds values up by their weights",
        loads: &[(P, Each), (V, Once)],
        stores: &[(O, Outer)],
        ..PASS
    },
];

const STANDARD_BACKWARD: &[Pass] = &[
    Pass {
        name: "dV = PᵀdO",
        does: "adds up the gradient of the values",
        loads: &[(P, Each), (DO, Outer)],
        stores: &[(DV, Once)],
        ..PASS
    },
    Pass {
        name: "dP = dOVᵀ",
        does: "multiplies the output’s gradient by values",
        loads: &[(DO, Outer), (V, Once)],
        stores: &[(DP, Each)],
        ..PASS
    },
    Pass {
        name: "dS from P, dP",
        does: "goes back through the softmax of whole rows",
        whole_rows: true,
        loads: &[(P, Each), (DP, Each)],
        stores: &[(DS, Each)],
        products: 0,
        ..PASS
    },
    Pass {
        name: "dQ = dSK",
        does: "adds up the gradient of the queries",
        loads: &[(DS, Each), (K, Once)],
        stores: &[(DQ, Outer)],
        ..PASS
    },
    Pass {
        name: "dK = dSᵀQ",
        does: "adds up the gradient of the keys",
        loads: &[(DS, Each), (Q, Outer)],
        stores: &[(DK, Once)],
        ..PASS
    },
];

const FLASH_1: &[Pass] = &[Pass {
    name: "forward",
    does: "scores the tile, takes it into the softmax of its rows and forgets it",
    order: Order::Columns,
    skips: true,
    loads: &[(K, Outer), (V, Outer), (Q, Each), (O, Each), (Max, Each), (Sum, Each)],
    stores: &[(O, Each), (Max, Each), (Sum, Each)],
    scratch: &[S],
    products: 2,
    rescales: [3, 0],
    ..PASS
}];

const FLASH_2: &[Pass] = &[Pass {
    name: "forward",
    does: "scores the tile, takes it into the softmax of its rows and forgets it",
    skips: true,
    loads: &[(Q, Outer), (K, Each), (V, Each)],
    stores: &[(O, Outer), (Lse, Outer)],
    scratch: &[S, Max, Sum],
    products: 2,
    rescales: [1, 1],
    ..PASS
}];

const FLASH_1_BACKWARD: &[Pass] = &[Pass {
    name: "backward",
    does: "scores the tile again, and from it makes its part of the three gradients",
    order: Order::Columns,
    skips: true,
    loads: &[(K, Outer), (V, Outer), (Q, Each), (O, Each), (DO, Each), (DQ, Each), (Max, Each), (Sum, Each)],
    stores: &[(DQ, Each), (DK, Outer), (DV, Outer)],
    scratch: &[S, DP],
    products: 5,
    ..PASS
}];

const FLASH_2_BACKWARD: &[Pass] = &[
    Pass {
        name: "D = rowsum(dO ∘ O)",
        does: "adds up dO ∘ O along each row",
        whole_rows: true,
        loads: &[(O, Each), (DO, Each)],
        stores: &[(Delta, Each)],
        products: 0,
        ..PASS
    },
    Pass {
        name: "backward",
        does: "scores the tile again, and from it makes its part of the three gradients",
        order: Order::Columns,
        skips: true,
        loads: &[(K, Outer), (V, Outer), (Q, Each), (DO, Each), (DQ, Each), (Lse, Each), (Delta, Each)],
        stores: &[(DQ, Each), (DK, Outer), (DV, Outer)],
        scratch: &[S, DP],
        products: 5,
        ..PASS
    },
];
