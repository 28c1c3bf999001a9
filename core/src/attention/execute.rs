//! The algorithms, really executed on the numbers of one head: what is on chip was loaded by copying, and every copy is
//! counted. [`super::plan`] has the same counts without executing, for long sequences.

use std::ops::Range;

use super::algorithm::{Algo, Direction, Extent, Matrix};
use super::numbers::{self, Plain, score};
use super::online::Online;
use super::plan::{STATISTIC, Sizes, Traffic};
use Matrix::*;

/// HBM with every matrix that an algorithm keeps there, and what went over its wires.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    sizes: Sizes,
    hbm: Vec<Vec<f32>>,
    /// What was moved and computed.
    pub done: Traffic,
    /// Steps that were done.
    pub steps: u64,
}

/// A block of rows or columns.
type Block = Range<usize>;

impl Machine {
    /// A machine with Q, K, V and dO in HBM. The rest is empty: O and the sums are 0, the maxima −∞.
    fn new(sizes: Sizes) -> Self {
        let mut machine = Self { sizes, hbm: Vec::new(), done: Traffic::default(), steps: 0 };
        for matrix in Matrix::ALL {
            let (rows, width) = (sizes.seq, machine.width(matrix) as u64);
            machine.hbm.push(match matrix {
                Q | K | V | DO => (0..rows).flat_map(|r| numbers::row(matrix, r, width)).collect(),
                Max => vec![f32::NEG_INFINITY; rows as usize],
                _ => vec![0.0; (rows * width) as usize],
            });
        }
        machine
    }

    /// Runs `algo` to its end; `each` sees the machine after every step. A backward pass runs after a forward pass that is
    /// not counted.
    pub fn run(sizes: Sizes, algo: Algo, direction: Direction, each: &mut dyn FnMut(&Self)) -> Self {
        let mut machine = Self::new(sizes);
        let backward = direction == Direction::Backward;
        let silent: &mut dyn FnMut(&Self) = &mut |_| {};
        match algo {
            Algo::Standard => machine.standard(if backward { silent } else { each }),
            Algo::Flash1 => machine.flash_1(if backward { silent } else { each }),
            Algo::Flash2 => machine.flash_2(if backward { silent } else { each }),
        }
        if backward {
            (machine.done, machine.steps) = (Traffic::default(), 0);
            match algo {
                Algo::Standard => machine.standard_backward(each),
                Algo::Flash1 | Algo::Flash2 => machine.flash_backward(algo, each),
            }
        }
        machine
    }

    /// A matrix in HBM, by rows.
    pub fn matrix(&self, matrix: Matrix) -> &[f32] {
        self.hbm.get(matrix as usize).map_or(&[], Vec::as_slice)
    }

    /// The largest difference of an element of O from plain softmax.
    pub fn difference(&self) -> f64 {
        let d = self.sizes.head_dim.max(1) as usize;
        let rows = self.matrix(Q).chunks(d).zip(self.matrix(O).chunks(d)).enumerate();
        let worst = rows.map(|(r, (query, output))| {
            let sees = if self.sizes.causal { r + 1 } else { self.sizes.seq as usize };
            let plain = Plain::new(query, self.matrix(K).chunks(d).take(sees), self.matrix(V).chunks(d).take(sees));
            output.iter().zip(plain.output).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max)
        });
        worst.fold(0.0, f64::max)
    }

    fn width(&self, matrix: Matrix) -> usize {
        match matrix.extent() {
            Extent::Rows | Extent::Columns => self.sizes.head_dim as usize,
            Extent::Scores => self.sizes.seq as usize,
            Extent::Statistic => 1,
        }
    }

    fn bytes(&self, matrix: Matrix, numbers: usize) -> u64 {
        let each = if matrix.extent() == Extent::Statistic { STATISTIC } else { self.sizes.element };
        numbers as u64 * each
    }

    /// Copies a tile on chip.
    fn load_tile(&mut self, matrix: Matrix, rows: &Block, columns: &Block) -> Vec<f32> {
        let width = self.width(matrix);
        let row = |r: usize| self.hbm[matrix as usize][r * width + columns.start..r * width + columns.end].iter();
        let tile: Vec<f32> = rows.clone().flat_map(row).copied().collect();
        self.done.read += self.bytes(matrix, tile.len());
        tile
    }

    /// Copies a tile to HBM.
    fn store_tile(&mut self, matrix: Matrix, rows: &Block, columns: &Block, tile: &[f32]) {
        let width = self.width(matrix);
        for (r, line) in rows.clone().zip(tile.chunks(columns.len().max(1))) {
            self.hbm[matrix as usize][r * width + columns.start..r * width + columns.end].copy_from_slice(line);
        }
        self.done.written += self.bytes(matrix, tile.len());
    }

    /// Copies whole rows on chip.
    fn load(&mut self, matrix: Matrix, rows: &Block) -> Vec<f32> {
        let width = self.width(matrix);
        self.load_tile(matrix, rows, &(0..width))
    }

    /// Copies whole rows to HBM.
    fn store(&mut self, matrix: Matrix, rows: &Block, data: &[f32]) {
        let width = self.width(matrix);
        self.store_tile(matrix, rows, &(0..width), data);
    }

    fn step(&mut self, each: &mut dyn FnMut(&Self)) {
        self.steps += 1;
        each(self);
    }

    fn blocks(&self, size: u64) -> Vec<Block> {
        let (n, size) = (self.sizes.seq as usize, size.max(1) as usize);
        (0..n).step_by(size).map(|from| from..(from + size).min(n)).collect()
    }

    fn row_blocks(&self) -> Vec<Block> {
        self.blocks(self.sizes.rows)
    }

    fn column_blocks(&self) -> Vec<Block> {
        self.blocks(self.sizes.columns)
    }

    /// Whether the mask hides all of a tile.
    fn hidden(&self, rows: &Block, columns: &Block) -> bool {
        self.sizes.causal && columns.start >= rows.end
    }

    fn multiplied(&mut self, rows: usize, columns: usize) {
        self.done.flops += 2 * (rows * columns) as u64 * self.sizes.head_dim;
    }

    /// QKᵀ/√d of a tile, −∞ where it is masked.
    fn scores(&mut self, rows: &Block, columns: &Block, q: &[f32], k: &[f32]) -> Vec<f32> {
        let d = self.width(Q);
        self.multiplied(rows.len(), columns.len());
        let causal = self.sizes.causal;
        let queries = rows.clone().zip(q.chunks(d));
        let tile = queries.flat_map(|(row, query)| {
            let keys = columns.clone().zip(k.chunks(d));
            keys.map(move |(column, key)| if causal && column > row { f32::NEG_INFINITY } else { score(query, key) })
        });
        tile.collect()
    }

    /// ABᵀ of two blocks of rows of d.
    fn outer(&mut self, a: &[f32], b: &[f32]) -> Vec<f32> {
        let d = self.width(Q);
        self.multiplied(a.len() / d, b.len() / d);
        let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
        a.chunks(d).flat_map(|x| b.chunks(d).map(move |y| dot(x, y))).collect()
    }

    /// Adds TB to `sum`, for a tile T and a block B of rows of d.
    fn add_product(&mut self, sum: &mut [f32], tile: &[f32], b: &[f32]) {
        let d = self.width(Q);
        let columns = b.len() / d;
        self.multiplied(sum.len() / d, columns);
        for (out, line) in sum.chunks_mut(d).zip(tile.chunks(columns)) {
            for (weight, row) in line.iter().zip(b.chunks(d)) {
                out.iter_mut().zip(row).for_each(|(o, x)| *o += weight * x);
            }
        }
    }

    /// Adds TᵀA to `sum`, for a tile T and a block A of rows of d.
    fn add_transposed(&mut self, sum: &mut [f32], tile: &[f32], a: &[f32]) {
        let d = self.width(Q);
        let columns = sum.len() / d;
        self.multiplied(a.len() / d, columns);
        for (line, row) in tile.chunks(columns).zip(a.chunks(d)) {
            for (weight, out) in line.iter().zip(sum.chunks_mut(d)) {
                out.iter_mut().zip(row).for_each(|(o, x)| *o += weight * x);
            }
        }
    }

    /// Algorithm 0 of FlashAttention.
    fn standard(&mut self, each: &mut dyn FnMut(&Self)) {
        let (row_blocks, column_blocks, n) = (self.row_blocks(), self.column_blocks(), self.width(S));
        let mut kept = Vec::new();
        for (i, rows) in row_blocks.iter().enumerate() {
            let mut q = Vec::new();
            for (j, columns) in column_blocks.iter().enumerate() {
                if j == 0 {
                    q = self.load(Q, rows);
                }
                if i == 0 {
                    kept.push(self.load(K, columns));
                }
                let tile = self.scores(rows, columns, &q, &kept[j]);
                self.store_tile(S, rows, columns, &tile);
                self.step(each);
            }
        }
        for rows in &row_blocks {
            let mut lines = self.load(S, rows);
            for line in lines.chunks_mut(n) {
                let max = line.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                line.iter_mut().for_each(|s| *s = (*s - max).exp());
                let sum: f32 = line.iter().sum();
                line.iter_mut().for_each(|p| *p /= sum);
            }
            self.store(P, rows, &lines);
            self.step(each);
        }
        kept.clear();
        for (i, rows) in row_blocks.iter().enumerate() {
            let mut output = vec![0.0; rows.len() * self.width(O)];
            for (j, columns) in column_blocks.iter().enumerate() {
                let tile = self.load_tile(P, rows, columns);
                if i == 0 {
                    kept.push(self.load(V, columns));
                }
                self.add_product(&mut output, &tile, &kept[j]);
                if j + 1 == column_blocks.len() {
                    self.store(O, rows, &output);
                }
                self.step(each);
            }
        }
    }

    /// Algorithm 3 of FlashAttention.
    fn standard_backward(&mut self, each: &mut dyn FnMut(&Self)) {
        let (row_blocks, column_blocks, n, d) = (self.row_blocks(), self.column_blocks(), self.width(S), self.width(Q));
        let root = (d as f32).sqrt();
        let last = row_blocks.len().saturating_sub(1);
        let zeros = || column_blocks.iter().map(|c| vec![0.0; c.len() * d]).collect::<Vec<_>>();

        let mut sums = zeros();
        for (i, rows) in row_blocks.iter().enumerate() {
            let mut upstream = Vec::new();
            for (j, columns) in column_blocks.iter().enumerate() {
                let tile = self.load_tile(P, rows, columns);
                if j == 0 {
                    upstream = self.load(DO, rows);
                }
                self.add_transposed(&mut sums[j], &tile, &upstream);
                if i == last {
                    self.store(DV, columns, &sums[j]);
                }
                self.step(each);
            }
        }
        let mut kept = Vec::new();
        for (i, rows) in row_blocks.iter().enumerate() {
            let mut upstream = Vec::new();
            for (j, columns) in column_blocks.iter().enumerate() {
                if j == 0 {
                    upstream = self.load(DO, rows);
                }
                if i == 0 {
                    kept.push(self.load(V, columns));
                }
                let tile = self.outer(&upstream, &kept[j]);
                self.store_tile(DP, rows, columns, &tile);
                self.step(each);
            }
        }
        for rows in &row_blocks {
            let weights = self.load(P, rows);
            let mut lines = self.load(DP, rows);
            for (line, p) in lines.chunks_mut(n).zip(weights.chunks(n)) {
                let mean: f32 = line.iter().zip(p).map(|(g, p)| g * p).sum();
                line.iter_mut().zip(p).for_each(|(g, p)| *g = p * (*g - mean) / root);
            }
            self.store(DS, rows, &lines);
            self.step(each);
        }
        kept.clear();
        for (i, rows) in row_blocks.iter().enumerate() {
            let mut sum = vec![0.0; rows.len() * d];
            for (j, columns) in column_blocks.iter().enumerate() {
                let tile = self.load_tile(DS, rows, columns);
                if i == 0 {
                    kept.push(self.load(K, columns));
                }
                self.add_product(&mut sum, &tile, &kept[j]);
                if j + 1 == column_blocks.len() {
                    self.store(DQ, rows, &sum);
                }
                self.step(each);
            }
        }
        let mut sums = zeros();
        for (i, rows) in row_blocks.iter().enumerate() {
            let mut q = Vec::new();
            for (j, columns) in column_blocks.iter().enumerate() {
                let tile = self.load_tile(DS, rows, columns);
                if j == 0 {
                    q = self.load(Q, rows);
                }
                self.add_transposed(&mut sums[j], &tile, &q);
                if i == last {
                    self.store(DK, columns, &sums[j]);
                }
                self.step(each);
            }
        }
    }

    /// Takes a tile into the softmax of its rows.
    fn take(&mut self, rows: &mut [Online], tile: &[f32], v: &[f32], algo: Algo) {
        let d = self.width(V);
        let columns = v.len() / d;
        self.multiplied(rows.len(), columns);
        for (row, line) in rows.iter_mut().zip(tile.chunks(columns)) {
            let before = row.rescales;
            row.take(line, v.chunks(d), algo);
            self.done.rescales += row.rescales - before;
        }
    }

    /// Algorithm 1 of FlashAttention.
    fn flash_1(&mut self, each: &mut dyn FnMut(&Self)) {
        let d = self.width(Q);
        for columns in self.column_blocks() {
            let mut on_chip = None;
            for rows in self.row_blocks() {
                if self.hidden(&rows, &columns) {
                    continue;
                }
                let (k, v) = match on_chip.take() {
                    Some(kept) => kept,
                    None => (self.load(K, &columns), self.load(V, &columns)),
                };
                let q = self.load(Q, &rows);
                let (o, max, sum) = (self.load(O, &rows), self.load(Max, &rows), self.load(Sum, &rows));
                let row = |((o, max), sum): ((&[f32], &f32), &f32)| Online {
                    max: *max,
                    sum: *sum,
                    output: o.to_vec(),
                    rescales: 0,
                };
                let mut online: Vec<Online> = o.chunks(d).zip(&max).zip(&sum).map(row).collect();
                let tile = self.scores(&rows, &columns, &q, &k);
                self.take(&mut online, &tile, &v, Algo::Flash1);
                let list = |value: fn(&Online) -> f32| online.iter().map(value).collect::<Vec<_>>();
                let (max, sum) = (list(|r| r.max), list(|r| r.sum));
                let output: Vec<f32> = online.into_iter().flat_map(|r| r.output).collect();
                self.store(O, &rows, &output);
                self.store(Max, &rows, &max);
                self.store(Sum, &rows, &sum);
                on_chip = Some((k, v));
                self.step(each);
            }
        }
    }

    /// Algorithm 1 of FlashAttention-2.
    fn flash_2(&mut self, each: &mut dyn FnMut(&Self)) {
        let d = self.width(Q);
        for rows in self.row_blocks() {
            let seen: Vec<Block> = self.column_blocks().into_iter().filter(|c| !self.hidden(&rows, c)).collect();
            let mut online = vec![Online::new(d); rows.len()];
            let mut q = Vec::new();
            for (j, columns) in seen.iter().enumerate() {
                if j == 0 {
                    q = self.load(Q, &rows);
                }
                let (k, v) = (self.load(K, columns), self.load(V, columns));
                let tile = self.scores(&rows, columns, &q, &k);
                self.take(&mut online, &tile, &v, Algo::Flash2);
                if j + 1 == seen.len() {
                    let before: u64 = online.iter().map(|r| r.rescales).sum();
                    let lse: Vec<f32> = online.iter_mut().map(|r| r.finish(Algo::Flash2)).collect();
                    self.done.rescales += online.iter().map(|r| r.rescales).sum::<u64>() - before;
                    let output: Vec<f32> = online.iter().flat_map(|r| r.output.iter().copied()).collect();
                    self.store(O, &rows, &output);
                    self.store(Lse, &rows, &lse);
                }
                self.step(each);
            }
        }
    }

    /// Algorithm 4 of FlashAttention, and Algorithm 2 of FlashAttention-2: P is made again from the statistics.
    fn flash_backward(&mut self, algo: Algo, each: &mut dyn FnMut(&Self)) {
        let d = self.width(Q);
        let root = (d as f32).sqrt();
        let along = |a: &[f32], b: &[f32]| -> Vec<f32> {
            a.chunks(d).zip(b.chunks(d)).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect()
        };
        if algo == Algo::Flash2 {
            for rows in self.row_blocks() {
                let (o, upstream) = (self.load(O, &rows), self.load(DO, &rows));
                self.store(Delta, &rows, &along(&o, &upstream));
                self.step(each);
            }
        }
        for columns in self.column_blocks() {
            let seen: Vec<Block> = self.row_blocks().into_iter().filter(|r| !self.hidden(r, &columns)).collect();
            let (mut k, mut v) = (Vec::new(), Vec::new());
            let (mut dk, mut dv) = (vec![0.0; columns.len() * d], vec![0.0; columns.len() * d]);
            for (i, rows) in seen.iter().enumerate() {
                if i == 0 {
                    (k, v) = (self.load(K, &columns), self.load(V, &columns));
                }
                let (q, upstream) = (self.load(Q, rows), self.load(DO, rows));
                let mut dq = self.load(DQ, rows);
                let (lse, delta) = if algo == Algo::Flash2 {
                    (self.load(Lse, rows), self.load(Delta, rows))
                } else {
                    let (o, max, sum) = (self.load(O, rows), self.load(Max, rows), self.load(Sum, rows));
                    (max.iter().zip(&sum).map(|(m, l)| m + l.ln()).collect(), along(&o, &upstream))
                };
                let mut p = self.scores(rows, &columns, &q, &k);
                for (line, lse) in p.chunks_mut(columns.len()).zip(&lse) {
                    line.iter_mut().for_each(|s| *s = (*s - lse).exp());
                }
                self.add_transposed(&mut dv, &p, &upstream);
                let mut ds = self.outer(&upstream, &v);
                let lines = ds.chunks_mut(columns.len()).zip(p.chunks(columns.len())).zip(&delta);
                lines.for_each(|((g, p), delta)| g.iter_mut().zip(p).for_each(|(g, p)| *g = p * (*g - delta) / root));
                self.add_product(&mut dq, &ds, &k);
                self.store(DQ, rows, &dq);
                self.add_transposed(&mut dk, &ds, &q);
                if i + 1 == seen.len() {
                    self.store(DK, &columns, &dk);
                    self.store(DV, &columns, &dv);
                }
                self.step(each);
            }
        }
    }
}
