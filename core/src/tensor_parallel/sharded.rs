//! A matrix as the ranks hold it, and the collectives that change how.

use super::matrix::Matrix;

/// Which part of a matrix each rank holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// All of it, on every rank.
    Full,
    /// A block of columns each; each block on as many ranks, neighbours.
    Cols {
        /// Ranks that hold the same block: more than 1 only for key–value heads of which there are fewer than ranks.
        copies: usize,
    },
    /// A block of rows each: of tokens, or of a weight's inputs.
    Rows,
    /// A matrix of the whole size each, whose sum it is.
    Partial,
}

/// A matrix held by several ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Sharded {
    /// Who holds what.
    pub layout: Layout,
    /// What each rank holds.
    pub parts: Vec<Matrix>,
}

/// Blocks of columns, one on each rank.
pub const COLS: Layout = Layout::Cols { copies: 1 };

impl Sharded {
    /// `whole` laid out over `ranks` ranks. A matrix cannot be laid out as a sum: that is all of it on each instead.
    pub fn lay(whole: &Matrix, layout: Layout, ranks: usize) -> Self {
        let ranks = ranks.max(1);
        let part = |rank: usize| match layout {
            Layout::Full | Layout::Partial => whole.clone(),
            Layout::Cols { copies } => {
                let copies = copies.max(1);
                let width = whole.cols / (ranks / copies).max(1);
                whole.some_cols(rank / copies * width, width)
            }
            Layout::Rows => {
                let height = whole.rows / ranks;
                whole.some_rows(rank * height, height)
            }
        };
        let layout = if layout == Layout::Partial { Layout::Full } else { layout };
        Self { layout, parts: (0..ranks).map(part).collect() }
    }

    /// How many ranks hold it.
    pub fn ranks(&self) -> usize {
        self.parts.len()
    }

    /// The whole matrix, which no rank need have.
    pub fn whole(&self) -> Matrix {
        match self.layout {
            Layout::Full => self.parts.first().cloned().unwrap_or_default(),
            Layout::Cols { copies } => Matrix::beside(self.parts.iter().step_by(copies.max(1))),
            Layout::Rows => Matrix::below(self.parts.iter()),
            Layout::Partial => self.parts.iter().cloned().reduce(|sum, m| sum.plus(&m)).unwrap_or_default(),
        }
    }

    /// The same matrix laid out otherwise: an all-gather, a reduce-scatter, an all-reduce, or a choice of what is there.
    pub fn to(&self, layout: Layout) -> Self {
        Self::lay(&self.whole(), layout, self.ranks())
    }

    /// What every rank makes of its part.
    pub fn map(&self, f: impl Fn(&Matrix) -> Matrix) -> Self {
        Self { layout: self.layout, parts: self.parts.iter().map(f).collect() }
    }

    /// What every rank makes of its parts of two matrices, laid out as `layout`.
    pub fn zip(&self, other: &Self, layout: Layout, f: impl Fn(&Matrix, &Matrix) -> Matrix) -> Self {
        Self { layout, parts: self.parts.iter().zip(&other.parts).map(|(a, b)| f(a, b)).collect() }
    }

    /// The sum of two matrices that are laid out alike.
    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, self.layout, Matrix::plus)
    }

    /// Every rank's block put into a matrix of the whole width: a sum of them in which copies count together.
    pub fn spread(&self, width: usize) -> Self {
        let Layout::Cols { copies } = self.layout else { return self.clone() };
        let place = |(rank, part): (usize, &Matrix)| {
            let from = rank / copies.max(1) * part.cols;
            Matrix::new(part.rows, width, |i, j| j.checked_sub(from).map_or(0.0, |j| part.at(i, j)))
        };
        Self { layout: Layout::Partial, parts: self.parts.iter().enumerate().map(place).collect() }
    }

    /// The sum over the ranks that hold the same block, on each of them.
    pub fn sum_copies(&self) -> Self {
        let Layout::Cols { copies } = self.layout else { return self.clone() };
        let sum = |rank: usize| {
            let first = rank / copies.max(1) * copies.max(1);
            let list = self.parts.iter().skip(first).take(copies);
            list.cloned().reduce(|sum, m| sum.plus(&m)).unwrap_or_default()
        };
        Self { layout: self.layout, parts: (0..self.ranks()).map(sum).collect() }
    }
}
