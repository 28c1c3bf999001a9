//! The parameters, and the model in the catalogue.

use super::Run;
use super::algorithm::{Algo, Direction};
use super::plan::Sizes;
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::quantity::Unit;
use crate::query::{ParamSpec, Problem, Query, Reader, choice, whole};

/// Most tokens.
pub const MAX_SEQ: u64 = 65_536;
/// Most numbers of a query.
pub const MAX_HEAD_DIM: u64 = 512;
/// Most heads.
pub const MAX_HEADS: u64 = 256;
/// What stands for a block size that follows from the paper's rule.
const AUTO: &str = "auto";

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// Tokens, N, 1 to [`MAX_SEQ`].
    pub seq: u64,
    /// Numbers of a query, d, 1 to [`MAX_HEAD_DIM`].
    pub head_dim: u64,
    /// Heads, 1 to [`MAX_HEADS`]; all do the same.
    pub heads: u64,
    /// Memory on chip, bytes.
    pub sram: u64,
    /// Rows of a tile; 0 for the paper's rule.
    pub block_q: u64,
    /// Columns of a tile; 0 for the paper's rule.
    pub block_k: u64,
    /// Whether a token sees only those up to itself.
    pub causal: bool,
    /// Who computes it.
    pub algo: Algo,
    /// Which half of the work.
    pub direction: Direction,
    /// Bytes of a number of a matrix.
    pub dtype: Dtype,
    /// Steps done. Beyond the last, all are.
    pub step: u64,
    /// The row that is watched, from 0. Beyond the last, the last is.
    pub row: u64,
}

/// A type of the numbers in HBM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// Four bytes.
    Fp32,
    /// Two bytes.
    Bf16,
    /// Two bytes.
    Fp16,
}

impl Dtype {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bf16, Self::Fp16, Self::Fp32];

    /// The type with this name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.id() == id)
    }

    /// The name in a query string, and what a person reads.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
        }
    }

    /// Bytes of a number.
    pub const fn bytes(self) -> u64 {
        if matches!(self, Self::Fp32) { 4 } else { 2 }
    }
}

const PARAMS: &[ParamSpec] = &[
    whole("seq", "tokens of the sequence, N", 1, MAX_SEQ, "1024"),
    whole("head_dim", "numbers of a query, d", 1, MAX_HEAD_DIM, "64"),
    whole("heads", "heads", 1, MAX_HEADS, "16"),
    whole("sram", "memory on chip for a tile, bytes", 256, 100_000_000, "102400"),
    whole("block_q", "rows of a tile; auto or 0 for min(⌈M/4d⌉, d)", 0, MAX_SEQ, "0"),
    whole("block_k", "columns of a tile; auto or 0 for ⌈M/4d⌉", 0, MAX_SEQ, "0"),
    choice("causal", "whether a token sees only those up to itself", &["true", "false"], "false"),
    choice("algo", "algorithm", &["standard", "flash1", "flash2"], "flash1"),
    choice("pass", "half of the work", &["forward", "backward"], "forward"),
    choice("dtype", "type of the numbers in HBM; statistics are fp32", &["bf16", "fp16", "fp32"], "bf16"),
    whole("step", "steps done", 0, 100_000_000_000, "0"),
    whole("row", "row of which the softmax is shown, from 0", 0, MAX_SEQ - 1, "100"),
];

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "flash-attention-tiling",
    title: "Attention without the matrix",
    summary: "Attention tile by tile: what is on the chip, what has moved to and from its memory, and how the softmax of a row is put together from blocks.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("hbm-standard", "HBM traffic, standard", Unit::Bytes),
        ("hbm-flash", "HBM traffic, FlashAttention", Unit::Bytes),
        ("hbm-so-far", "HBM traffic so far", Unit::Bytes),
        ("tiles", "Tiles of a head", Unit::Count),
        ("flops", "Operations in products", Unit::Flop),
        ("sram-used", "On chip at most", Unit::Bytes),
        ("tile-rows", "Rows of a tile", Unit::Count),
        ("tile-columns", "Columns of a tile", Unit::Count),
        ("rescales", "Operations to rescale O", Unit::Flop),
        ("kept-standard", "Kept for the backward pass, standard", Unit::Bytes),
        ("kept-flash", "Kept for the backward pass, FlashAttention", Unit::Bytes),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        Evaluation::new(params.query(), problems, Ok(Run::new(&params).quantities()))
    },
};

impl Default for Params {
    fn default() -> Self {
        Self::read(&Query::default()).0
    }
}

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut query = query.clone();
        for name in ["block_q", "block_k"] {
            if query.get(name).is_some_and(|text| text.trim().eq_ignore_ascii_case(AUTO)) {
                query.set(name, "0");
            }
        }
        let mut reader = Reader::new(PARAMS, &query);
        let params = Self {
            seq: reader.integer("seq").max(1),
            head_dim: reader.integer("head_dim").max(1),
            heads: reader.integer("heads").max(1),
            sram: reader.integer("sram").max(1),
            block_q: reader.integer("block_q"),
            block_k: reader.integer("block_k"),
            causal: reader.choice("causal") == "true",
            algo: Algo::find(reader.choice("algo")).unwrap_or(Algo::Flash1),
            direction: if reader.choice("pass") == "backward" { Direction::Backward } else { Direction::Forward },
            dtype: Dtype::find(reader.choice("dtype")).unwrap_or(Dtype::Bf16),
            step: reader.integer("step"),
            row: reader.integer("row"),
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let block = |size: u64| if size == 0 { AUTO.to_owned() } else { size.to_string() };
        Query::new([
            ("seq", self.seq.to_string()),
            ("head_dim", self.head_dim.to_string()),
            ("heads", self.heads.to_string()),
            ("sram", self.sram.to_string()),
            ("block_q", block(self.block_q)),
            ("block_k", block(self.block_k)),
            ("causal", self.causal.to_string()),
            ("algo", self.algo.id().to_owned()),
            ("pass", self.direction.id().to_owned()),
            ("dtype", self.dtype.id().to_owned()),
            ("step", self.step.to_string()),
            ("row", self.row.to_string()),
        ])
    }

    /// The block sizes that the paper's rule gives: rows Br and columns Bc, as large as they come.
    ///
    /// FlashAttention, Algorithm 1, line 1: Bc = ⌈M/4d⌉ and Br = min(⌈M/4d⌉, d), for M numbers on chip.
    pub fn paper_blocks(&self) -> [u64; 2] {
        let columns = (self.sram / self.dtype.bytes()).div_ceil(4 * self.head_dim.max(1)).max(1);
        [columns.min(self.head_dim.max(1)), columns]
    }

    /// The sizes of a head and its tiles; no tile is larger than the sequence.
    pub fn sizes(&self) -> Sizes {
        let [rows, columns] = self.paper_blocks();
        let given = |size: u64, rule: u64| if size == 0 { rule } else { size }.clamp(1, self.seq);
        Sizes {
            seq: self.seq,
            head_dim: self.head_dim,
            rows: given(self.block_q, rows),
            columns: given(self.block_k, columns),
            element: self.dtype.bytes(),
            causal: self.causal,
        }
    }
}
