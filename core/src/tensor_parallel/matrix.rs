//! Small dense matrices, in double precision.

/// A matrix by rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub cols: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// The matrix whose element in row i and column j is `value(i, j)`.
    pub fn new(rows: usize, cols: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        let values = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))).map(|(i, j)| value(i, j)).collect();
        Self { rows, cols, values }
    }

    /// Zeros.
    pub fn zero(rows: usize, cols: usize) -> Self {
        Self { rows, cols, values: vec![0.0; rows * cols] }
    }

    /// The element in row i and column j; 0 outside.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        if j < self.cols { self.values.get(i * self.cols + j).copied().unwrap_or_default() } else { 0.0 }
    }

    /// Row i; nothing outside.
    pub fn row(&self, i: usize) -> &[f64] {
        self.values.get(i * self.cols..(i + 1) * self.cols).unwrap_or_default()
    }

    /// Adds to an element; nothing happens outside.
    pub fn add_at(&mut self, i: usize, j: usize, value: f64) {
        if j < self.cols
            && let Some(at) = self.values.get_mut(i * self.cols + j)
        {
            *at += value;
        }
    }

    /// The product. Columns of the one that the other has no rows for count as zero.
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.rows, other.cols);
        for (i, sums) in product.values.chunks_mut(other.cols.max(1)).enumerate() {
            for (k, &a) in self.row(i).iter().enumerate() {
                for (sum, &b) in sums.iter_mut().zip(other.row(k)) {
                    *sum += a * b;
                }
            }
        }
        product
    }

    /// Rows and columns exchanged.
    pub fn transposed(&self) -> Self {
        Self::new(self.cols, self.rows, |i, j| self.at(j, i))
    }

    /// `f` of each element.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        Self { values: self.values.iter().map(|&v| f(v)).collect(), ..*self }
    }

    /// `f` of each element and the one of `other`, a matrix of the same size, in its place.
    pub fn zip(&self, other: &Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let values = self.values.iter().zip(&other.values).map(|(a, b)| f(*a, *b)).collect();
        Self { values, ..*self }
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    /// `count` rows from row `from` on; none if there are not so many.
    pub fn some_rows(&self, from: usize, count: usize) -> Self {
        let values = self.values.get(from * self.cols..(from + count) * self.cols).unwrap_or_default().to_vec();
        Self { rows: values.len() / self.cols.max(1), cols: self.cols, values }
    }

    /// `count` columns from column `from` on; none if there are not so many.
    pub fn some_cols(&self, from: usize, count: usize) -> Self {
        let row = |i| self.row(i).get(from..from + count).unwrap_or_default();
        let values: Vec<f64> = (0..self.rows).flat_map(row).copied().collect();
        Self { rows: self.rows, cols: values.len() / self.rows.max(1), values }
    }

    /// Matrices of the same height, from left to right.
    pub fn beside<'a>(list: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let rows = list.clone().map(|m| m.rows).max().unwrap_or_default();
        let values = (0..rows).flat_map(|i| list.clone().flat_map(move |m| m.row(i).iter().copied())).collect();
        Self { rows, cols: list.map(|m| m.cols).sum(), values }
    }

    /// Matrices of the same width, from top to bottom.
    pub fn below<'a>(list: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let cols = list.clone().map(|m| m.cols).max().unwrap_or_default();
        let rows = list.clone().map(|m| m.rows).sum();
        Self { rows, cols, values: list.flat_map(|m| m.values.iter().copied()).collect() }
    }

    /// The sum of each column, as one row.
    pub fn column_sums(&self) -> Self {
        Self::new(1, self.cols, |_, j| (0..self.rows).map(|i| self.at(i, j)).sum())
    }

    /// The largest absolute value.
    pub fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |most, v| most.max(v.abs()))
    }
}
