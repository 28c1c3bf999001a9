//! Every step of an algorithm, what it moves, and what all up to it have moved: worked out, not executed, so that a
//! sequence may be long. [`super::execute`] does the same by executing; the tests hold the two together.

use super::algorithm::{Extent, Matrix, Order, Pass, When};

/// The sizes of one head and its tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Tokens, N.
    pub seq: u64,
    /// Numbers of a query, d.
    pub head_dim: u64,
    /// Rows of a tile, at most N.
    pub rows: u64,
    /// Columns of a tile, at most N.
    pub columns: u64,
    /// Bytes of a number of a matrix. Statistics have 4.
    pub element: u64,
    /// Whether a token sees only those up to itself.
    pub causal: bool,
}

/// Bytes of a row's statistic: fp32.
pub const STATISTIC: u64 = 4;

impl Sizes {
    /// Blocks of rows, Tr.
    pub fn row_blocks(&self) -> u64 {
        self.seq.div_ceil(self.rows.max(1))
    }

    /// Blocks of columns, Tc.
    pub fn column_blocks(&self) -> u64 {
        self.seq.div_ceil(self.columns.max(1))
    }

    /// The rows of block `i`: from, to.
    pub fn row_range(&self, i: u64) -> (u64, u64) {
        ((i * self.rows).min(self.seq), ((i + 1) * self.rows).min(self.seq))
    }

    /// The columns of block `j`: from, to.
    pub fn column_range(&self, j: u64) -> (u64, u64) {
        ((j * self.columns).min(self.seq), ((j + 1) * self.columns).min(self.seq))
    }

    /// Bytes of the part of `matrix` that lies along `rows` rows and `columns` columns.
    fn bytes(&self, matrix: Matrix, rows: u64, columns: u64) -> u64 {
        match matrix.extent() {
            Extent::Rows => rows * self.head_dim * self.element,
            Extent::Columns => columns * self.head_dim * self.element,
            Extent::Scores => rows * columns * self.element,
            Extent::Statistic => rows * STATISTIC,
        }
    }
}

/// Which rows or columns a block has.
type RangeOf = fn(&Sizes, u64) -> (u64, u64);

/// One step: a tile, and where it is in the loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The pass, from 0.
    pub pass: usize,
    /// The block of rows.
    pub row: u64,
    /// The block of columns; 0 for a step over whole rows.
    pub column: u64,
    /// Its place in the inner loop.
    inner: u64,
    /// Whether it is the last of the inner loop.
    last: bool,
}

/// A block on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Of which matrix.
    pub matrix: Matrix,
    /// Which block of it, along its own loop.
    pub block: u64,
    /// Whether it goes to HBM; it comes from there otherwise.
    pub store: bool,
    /// Its size.
    pub bytes: u64,
}

/// What one head has moved and computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes from HBM.
    pub read: u64,
    /// Bytes to HBM.
    pub written: u64,
    /// Operations in matrix products; a multiply–add is two.
    pub flops: u64,
    /// Multiplications and divisions that rescale O.
    pub rescales: u64,
}

impl Traffic {
    /// Both ways.
    pub fn bytes(&self) -> u64 {
        self.read + self.written
    }

    fn add(&mut self, other: &Self) {
        self.read += other.read;
        self.written += other.written;
        self.flops += other.flops;
        self.rescales += other.rescales;
    }
}

/// An algorithm on one head.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The sizes.
    pub sizes: Sizes,
    /// The passes.
    pub passes: &'static [Pass],
    /// Steps of each pass.
    steps: Vec<u64>,
}

impl Plan {
    /// The plan of `passes` for these sizes.
    pub fn new(sizes: Sizes, passes: &'static [Pass]) -> Self {
        let mut plan = Self { sizes, passes, steps: Vec::new() };
        plan.steps = passes.iter().map(|pass| (0..plan.outers(pass)).map(|o| plan.inners(pass, o).1).sum()).collect();
        plan
    }

    /// Steps in all.
    pub fn steps(&self) -> u64 {
        self.steps.iter().sum()
    }

    /// Each pass with its steps.
    pub fn phases(&self) -> impl Iterator<Item = (&'static Pass, u64)> {
        self.passes.iter().zip(self.steps.iter().copied())
    }

    /// Blocks of the outer loop.
    fn outers(&self, pass: &Pass) -> u64 {
        match pass.order {
            Order::Rows => self.sizes.row_blocks(),
            Order::Columns => self.sizes.column_blocks(),
        }
    }

    /// The inner loop in block `outer` of the outer one: where it starts, and how many it has.
    fn inners(&self, pass: &Pass, outer: u64) -> (u64, u64) {
        let s = &self.sizes;
        let masked = pass.skips && s.causal;
        match pass.order {
            _ if pass.whole_rows => (0, 1),
            Order::Rows if masked => {
                let last_row = s.row_range(outer).1.saturating_sub(1);
                (0, (last_row / s.columns.max(1) + 1).min(s.column_blocks()))
            }
            Order::Rows => (0, s.column_blocks()),
            Order::Columns => {
                let first = if masked { outer * s.columns / s.rows.max(1) } else { 0 };
                (first, s.row_blocks().saturating_sub(first))
            }
        }
    }

    /// Step `index`, from 0; none beyond the last.
    pub fn at(&self, index: u64) -> Option<Step> {
        let mut left = index;
        for (number, (pass, steps)) in self.phases().enumerate() {
            if left >= steps {
                left -= steps;
                continue;
            }
            for outer in 0..self.outers(pass) {
                let (first, count) = self.inners(pass, outer);
                if left < count {
                    let (row, column) = match pass.order {
                        Order::Rows => (outer, first + left),
                        Order::Columns => (first + left, outer),
                    };
                    return Some(Step { pass: number, row, column, inner: left, last: left + 1 == count });
                }
                left -= count;
            }
        }
        None
    }

    /// Rows and columns of a step's tile: from, to.
    pub fn tile(&self, step: &Step) -> [(u64, u64); 2] {
        let whole = self.passes.get(step.pass).is_some_and(|p| p.whole_rows);
        let columns = if whole { (0, self.sizes.seq) } else { self.sizes.column_range(step.column) };
        [self.sizes.row_range(step.row), columns]
    }

    /// What a step moves, loads first.
    pub fn moves(&self, step: &Step) -> Vec<Move> {
        let Some(pass) = self.passes.get(step.pass) else { return Vec::new() };
        let outer = match pass.order {
            Order::Rows => step.row,
            Order::Columns => step.column,
        };
        let [rows, columns] = self.tile(step).map(|(from, to)| to - from);
        let last_outer = outer + 1 == self.outers(pass);
        let moved = |store: bool| {
            move |&(matrix, when): &(Matrix, When)| {
                let happens = match (when, store) {
                    (When::Each, _) => true,
                    (When::Outer, false) => step.inner == 0,
                    (When::Outer, true) => step.last,
                    (When::Once, false) => outer == 0,
                    (When::Once, true) => last_outer,
                };
                let block = if matrix.extent() == Extent::Columns { step.column } else { step.row };
                happens.then(|| Move { matrix, block, store, bytes: self.sizes.bytes(matrix, rows, columns) })
            }
        };
        pass.loads.iter().filter_map(moved(false)).chain(pass.stores.iter().filter_map(moved(true))).collect()
    }

    /// What the first `steps` steps move and compute.
    pub fn until(&self, steps: u64) -> Traffic {
        let mut sum = Traffic::default();
        let mut left = steps;
        for pass in self.passes {
            for outer in 0..self.outers(pass) {
                if left == 0 {
                    return sum;
                }
                let count = self.inners(pass, outer).1;
                sum.add(&self.round(pass, outer, left.min(count)));
                left -= left.min(count);
            }
        }
        sum
    }

    /// What all steps move and compute.
    pub fn all(&self) -> Traffic {
        self.until(u64::MAX)
    }

    /// The first `done` steps of the inner loop in block `outer`: sums of whole blocks, of which only the last may be short.
    fn round(&self, pass: &Pass, outer: u64, done: u64) -> Traffic {
        let s = &self.sizes;
        let (first, count) = self.inners(pass, outer);
        let whole = done == count;
        let length = |(from, to): (u64, u64)| to - from;
        let along = |block: u64, last: u64, range: RangeOf| match last.checked_sub(1) {
            Some(last) if last >= block => range(s, last).1 - range(s, block).0,
            _ => 0,
        };
        // Rows and columns that the steps cover together, and those of a block of the outer loop.
        let (rows, columns) = match pass.order {
            _ if pass.whole_rows => (length(s.row_range(outer)), s.seq),
            Order::Rows => (length(s.row_range(outer)), along(first, first + done, Sizes::column_range)),
            Order::Columns => (along(first, first + done, Sizes::row_range), length(s.column_range(outer))),
        };
        let outer_extent = |matrix: Matrix| match (matrix.extent(), pass.order) {
            (Extent::Rows | Extent::Statistic, Order::Rows) | (Extent::Columns, Order::Columns) => true,
            (Extent::Scores, _) | (Extent::Columns, Order::Rows) => false,
            (Extent::Rows | Extent::Statistic, Order::Columns) => false,
        };
        let last_outer = outer + 1 == self.outers(pass);
        let moved = |list: &[(Matrix, When)], store: bool| -> u64 {
            let times = |&(matrix, when): &(Matrix, When)| {
                let times = match when {
                    When::Each if outer_extent(matrix) => done,
                    When::Each => 1,
                    When::Outer => u64::from(if store { whole } else { done > 0 }),
                    When::Once => u64::from(if store { last_outer } else { outer == 0 }),
                };
                times * s.bytes(matrix, rows, columns)
            };
            list.iter().map(times).sum()
        };
        let outer_rows = length(s.row_range(outer));
        let [each, at_last] = pass.rescales;
        // Rows that are rescaled at each step, and those that are finished.
        let rescaled = if pass.order == Order::Rows { done * outer_rows } else { rows };
        let finished = if whole && pass.order == Order::Rows { outer_rows } else { 0 };
        Traffic {
            read: moved(pass.loads, false),
            written: moved(pass.stores, true),
            flops: pass.products * 2 * rows * columns * s.head_dim,
            rescales: (each * rescaled + at_last * finished) * s.head_dim,
        }
    }

    /// Tokens of `matrix`, from the first on, whose block the first `steps` steps have stored at least once.
    pub fn written(&self, matrix: Matrix, steps: u64) -> u64 {
        let s = &self.sizes;
        let mut before = 0;
        let mut most = 0;
        for (pass, count) in self.phases() {
            let done = steps.saturating_sub(before).min(count);
            let stored = pass.stores.iter().find(|(m, _)| *m == matrix);
            if let (Some((_, when)), Some(last)) = (stored, done.checked_sub(1).and_then(|d| self.at(before + d))) {
                let (outer, inner_range) = match pass.order {
                    Order::Rows => (last.row, s.column_range(last.column)),
                    Order::Columns => (last.column, s.row_range(last.row)),
                };
                let (from, to) = match pass.order {
                    Order::Rows => s.row_range(outer),
                    Order::Columns => s.column_range(outer),
                };
                let along_inner = (matrix.extent() == Extent::Columns) == (pass.order == Order::Rows);
                most = most.max(match when {
                    When::Each if along_inner && outer > 0 => s.seq,
                    When::Each if along_inner => inner_range.1,
                    When::Outer if !last.last => from,
                    When::Each | When::Outer => to,
                    When::Once if outer + 1 == self.outers(pass) => inner_range.1,
                    When::Once => 0,
                });
            }
            before += count;
        }
        most
    }

    /// The part of the N × N matrix that the pass of step `steps` has been over, as rectangles of rows and columns: the
    /// finished blocks of its outer loop, put together to at most `most`, and what is done of the current one.
    pub fn covered(&self, steps: u64, most: u64) -> Vec<[(u64, u64); 2]> {
        let Some(now) = steps.min(self.steps()).checked_sub(1).and_then(|i| self.at(i)) else { return Vec::new() };
        let Some(pass) = self.passes.get(now.pass) else { return Vec::new() };
        let s = &self.sizes;
        let whole = |range: (u64, u64)| if pass.whole_rows { (0, s.seq) } else { range };
        let inner_of = |outer: u64, count: u64| {
            let first = self.inners(pass, outer).0;
            match pass.order {
                Order::Rows => (s.column_range(first).0, s.column_range((first + count).saturating_sub(1)).1),
                Order::Columns => (s.row_range(first).0, s.row_range((first + count).saturating_sub(1)).1),
            }
        };
        let (outer, range): (u64, RangeOf) = match pass.order {
            Order::Rows => (now.row, Sizes::row_range),
            Order::Columns => (now.column, Sizes::column_range),
        };
        let rectangle = |along: (u64, u64), inner: (u64, u64)| match pass.order {
            Order::Rows => [along, whole(inner)],
            Order::Columns => [inner, along],
        };
        let group = outer.div_ceil(most.max(1)).max(1);
        let mut rectangles: Vec<_> = (0..outer.div_ceil(group))
            .map(|g| {
                let (first, last) = (g * group, ((g + 1) * group).min(outer) - 1);
                let shape = if pass.order == Order::Rows { last } else { first };
                let inner = inner_of(shape, self.inners(pass, shape).1);
                rectangle((range(s, first).0, range(s, last).1), inner)
            })
            .collect();
        rectangles.push(rectangle(range(s, outer), inner_of(outer, now.inner + 1)));
        rectangles
    }

    /// What a tile of a pass holds on chip, largest block of each matrix: matrices and bytes, those of HBM first.
    pub fn on_chip(&self, pass: &Pass) -> Vec<(Matrix, u64)> {
        let mut held: Vec<(Matrix, u64)> = Vec::new();
        let moved = pass.loads.iter().chain(pass.stores).map(|(matrix, _)| *matrix);
        for matrix in moved.chain(pass.scratch.iter().copied()) {
            if held.iter().all(|(m, _)| *m != matrix) {
                let (rows, columns) = (self.sizes.rows.min(self.sizes.seq), self.sizes.columns.min(self.sizes.seq));
                held.push((matrix, self.sizes.bytes(matrix, rows, columns)));
            }
        }
        held
    }

    /// Bytes on chip of the pass that needs most. Passes over whole rows stream them and are not asked.
    pub fn sram(&self) -> u64 {
        let tiled = self.passes.iter().filter(|pass| !pass.whole_rows);
        tiled.map(|pass| self.on_chip(pass).iter().map(|(_, bytes)| bytes).sum()).max().unwrap_or(0)
    }
}
