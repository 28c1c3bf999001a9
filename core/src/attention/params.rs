//! The parameters, and the model in the catalogue.

use super::Run;
use super::algorithm::{Algo, Direction};
use super::plan::Sizes;
use crate::declare::{
    Declaration, Field as _, Measure, Model, Origin, Origins, Param, Scale, Takes, choice, headline, measure, origin,
    switch, whole,
};
use crate::options;
use crate::quantity::{Unit, grouped};
use crate::query::Query;

/// Most tokens.
pub const MAX_SEQ: u64 = 65_536;
/// Most numbers of a query.
pub const MAX_HEAD_DIM: u64 = 512;
/// Most heads.
pub const MAX_HEADS: u64 = 256;
/// What stands for a block size that follows from the paper's rule.
const AUTO: &str = "auto";

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dtype {
    /// Two bytes.
    #[default]
    Bf16,
    /// Two bytes.
    Fp16,
    /// Four bytes.
    Fp32,
}

options!(Dtype {
    Bf16: "bf16", "bf16";
    Fp16: "fp16", "fp16";
    Fp32: "fp32", "fp32";
});

impl Dtype {
    /// Bytes of a number.
    pub const fn bytes(self) -> u64 {
        if matches!(self, Self::Fp32) { 4 } else { 2 }
    }
}

/// A size of a tile: 0 for the paper's rule.
const fn block(name: &'static str, doc: &'static str) -> Declaration {
    whole(name, doc, [0, MAX_SEQ], "0")
        .format(|n| if n == 0.0 { AUTO.to_owned() } else { grouped(n as u64) })
        .slider(Scale::Linear { min: 0.0, max: 512.0, step: 16.0 })
}

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "flash-attention-tiling";
    const TITLE: &'static str = "Attention without the matrix";
    const SUMMARY: &'static str = "Attention tile by tile: what is on the chip, what has moved to and from its memory, and how the softmax of a row is put together from blocks.";
    const PARAMS: &'static [Param<Self>] = &[
        whole("seq", "tokens of the sequence, N", [1, MAX_SEQ], "1024")
            .label("Tokens")
            .doubling(16)
            .main()
            .at(|p| p.seq.slot()),
        whole("head_dim", "numbers of a query, d", [1, MAX_HEAD_DIM], "64")
            .takes(Takes::HeadDim)
            .label("Head dimension")
            .doubling(9)
            .main()
            .at(|p| p.head_dim.slot()),
        whole("heads", "heads", [1, MAX_HEADS], "16")
            .takes(Takes::Heads)
            .label("Heads")
            .doubling(8)
            .at(|p| p.heads.slot()),
        whole("sram", "memory on chip for a tile, bytes", [256, 100_000_000], "102400")
            .label("Memory on chip")
            .unit(Unit::Bytes)
            .slider(Scale::Decades(3, 6))
            .main()
            .at(|p| p.sram.slot()),
        block("block_q", "rows of a tile; auto or 0 for min(⌈M/4d⌉, d)").label("Tile rows").at(|p| p.block_q.slot()),
        block("block_k", "columns of a tile; auto or 0 for ⌈M/4d⌉").label("Tile columns").at(|p| p.block_k.slot()),
        switch("causal", "whether a token sees only those up to itself", false)
            .label("Mask")
            .labels(&["none", "causal"])
            .at(|p| p.causal.slot()),
        choice("algo", "algorithm", Algo::LIST, "flash1")
            .label("Algorithm")
            .labels(&["standard", "Flash", "Flash-2"])
            .main()
            .at(|p| p.algo.slot()),
        choice("pass", "half of the work", Direction::LIST, "forward").label("Pass").at(|p| p.direction.slot()),
        choice("dtype", "type of the numbers in HBM; statistics are fp32", Dtype::LIST, "bf16")
            .label("Numbers in HBM")
            .at(|p| p.dtype.slot()),
        whole("step", "steps done", [0, 100_000_000_000], "0").drawn().at(|p| p.step.slot()),
        whole("row", "row of which the softmax is shown, from 0", [0, MAX_SEQ - 1], "100").drawn().at(|p| p.row.slot()),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Dao et al. 2022 (FlashAttention), arXiv:2205.14135, Algorithms 0 to 4 and Theorem 2; Dao 2023 (FlashAttention-2), arXiv:2307.08691, Algorithms 1 and 2",
    );
    const ORIGINS: &'static [Origins] = &[origin(
        Origin::Of(
            "Milakov and Gimelshein 2018, arXiv:1805.02867, Algorithm 3; Dao 2023 (FlashAttention-2), arXiv:2307.08691, Algorithm 1",
        ),
        &["rescales"],
    )];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        headline(
            "Bytes that standard attention reads and writes in HBM for all heads.",
            measure("hbm-standard", "HBM traffic, standard", Unit::Bytes, |_, r| r.of_all_heads(r.standard.bytes())),
        ),
        headline(
            "Bytes that FlashAttention reads and writes in HBM for all heads.",
            measure("hbm-flash", "HBM traffic, FlashAttention", Unit::Bytes, |_, r| r.of_all_heads(r.flash.bytes())),
        ),
        measure("hbm-so-far", "HBM traffic so far", Unit::Bytes, |p, r| r.of_all_heads(r.plan.until(p.step).bytes())),
        measure("tiles", "Tiles per head", Unit::Count, |_, r| r.tiles() as f64),
        measure("flops", "Matmul FLOPs", Unit::Flop, |_, r| r.of_all_heads(r.whole.flops)),
        headline(
            "On-chip memory that one block needs at its fullest.",
            measure("sram-used", "Peak SRAM use", Unit::Bytes, |_, r| r.sram() as f64),
        ),
        measure("tile-rows", "Tile rows", Unit::Count, |_, r| r.plan.sizes.rows as f64),
        measure("tile-columns", "Tile columns", Unit::Count, |_, r| r.plan.sizes.columns as f64),
        measure("rescales", "FLOPs to rescale O", Unit::Flop, |_, r| r.of_all_heads(r.whole.rescales)),
        headline(
            "Kept from the forward pass for the backward pass; grows with the square of the length.",
            measure("kept-standard", "Saved for backward, standard", Unit::Bytes, |_, r| {
                r.of_all_heads(r.kept(Algo::Standard))
            }),
        ),
        headline(
            "Kept from the forward pass for the backward pass; grows with the length.",
            measure("kept-flash", "Saved for backward, FlashAttention", Unit::Bytes, |p, r| {
                r.of_all_heads(r.kept(if p.algo == Algo::Standard { Algo::Flash1 } else { p.algo }))
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Ok(Run::new(self))
    }

    fn translate(query: &mut Query) {
        for name in ["block_q", "block_k"] {
            if query.get(name).is_some_and(|text| text.trim().eq_ignore_ascii_case(AUTO)) {
                query.set(name, "0");
            }
        }
    }

    fn follow(&mut self, _before: &Self) {
        self.step = 0;
    }
}

impl Params {
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
