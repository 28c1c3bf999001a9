//! A quantity over two parameters.

use super::{Axis, Goal, Sliced, value, written};
use crate::catalogue::Entry;
use crate::query::Query;

/// The most columns and rows.
const MOST: (usize, usize) = (40, 30);

/// The values of a quantity over two parameters, everything else as it is, and where they meet a goal.
#[derive(Debug, Clone)]
pub struct Map {
    entry: Entry,
    base: Query,
    goal: Goal,
    across: (Axis, Vec<usize>),
    up: (Axis, Vec<usize>),
    /// Row by row, as far as it is.
    cells: Vec<Cell>,
}

/// One state of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The value of the quantity; none where the state is impossible.
    pub value: Option<f64>,
    /// Whether it meets the goal.
    pub meets: bool,
    /// The state; none where the parameters rule each other out.
    pub query: Option<Query>,
}

impl Map {
    /// The map of a goal over two parameters, from the state `base`.
    pub fn new(entry: Entry, base: &Query, [across, up]: [Axis; 2], goal: Goal) -> Self {
        let base = (entry.read)(base).0;
        let spread = |axis: Axis, most: usize| {
            let notches = axis.spread(most);
            (axis, notches)
        };
        Self { entry, base, goal, across: spread(across, MOST.0), up: spread(up, MOST.1), cells: Vec::new() }
    }

    /// Columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.across.1.len(), self.up.1.len())
    }

    /// The cells so far: the first row from left to right, then the one above it.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// A cell, once it is there.
    pub fn cell(&self, column: usize, row: usize) -> Option<&Cell> {
        if column < self.across.1.len() { self.cells.get(row * self.across.1.len() + column) } else { None }
    }

    /// The value of the first parameter in a column, as a person reads it.
    pub fn column(&self, column: usize) -> String {
        self.across.1.get(column).map(|at| self.across.0.written(*at)).unwrap_or_default()
    }

    /// The value of the second parameter in a row, as a person reads it.
    pub fn row(&self, row: usize) -> String {
        self.up.1.get(row).map(|at| self.up.0.written(*at)).unwrap_or_default()
    }

    /// What a person calls the two parameters: that of the columns, that of the rows.
    pub fn labels(&self) -> [&'static str; 2] {
        [self.across.0.label(), self.up.0.label()]
    }

    /// What a cell says.
    pub fn words(&self, column: usize, row: usize) -> String {
        let (_, label, _) = self.goal.quantity;
        let value = self.cell(column, row).and_then(|cell| cell.value);
        let value = value.map_or_else(
            || "not possible".to_owned(),
            |value| format!("{label} {}", written(&self.entry, self.goal.quantity, value)),
        );
        let [across, up] = self.labels();
        format!("{across} {}, {up} {}: {value}", self.column(column), self.row(row))
    }

    /// The column and row nearest below the present state.
    pub fn here(&self) -> Option<(usize, usize)> {
        let place = |(axis, notches): &(Axis, Vec<usize>)| {
            let at = axis.position(&self.base)?;
            notches.partition_point(|notch| *notch <= at).checked_sub(1)
        };
        Some((place(&self.across)?, place(&self.up)?))
    }

    /// The smallest and the largest value so far.
    pub fn range(&self) -> Option<(f64, f64)> {
        let values = || self.cells.iter().filter_map(|cell| cell.value);
        Some((values().reduce(f64::min)?, values().reduce(f64::max)?))
    }

    /// Where between the smallest and the largest value one lies, from 0 to 1: by size where all are above zero and far apart, otherwise evenly.
    pub fn share(&self, value: f64) -> f64 {
        const FAR: f64 = 20.0;
        let Some((low, high)) = self.range() else { return 0.0 };
        let share = if low > 0.0 && high > low * FAR {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// What the map shows, in a sentence.
    pub fn said(&self) -> String {
        let (all, meeting) = (self.cells.len(), self.cells.iter().filter(|cell| cell.meets).count());
        let impossible = self.cells.iter().filter(|cell| cell.value.is_none()).count();
        let impossible = if impossible == 0 { String::new() } else { format!(" {impossible} are not possible.") };
        let (_, label, _) = self.goal.quantity;
        let (relation, limit) = (self.goal.relation.label(), self.goal.limit_text());
        format!("{label} is {relation} {limit} in {meeting} of {all} states.{impossible}")
    }
}

impl Sliced for Map {
    fn step(&mut self) -> bool {
        let (columns, rows) = self.size();
        let (column, row) = (self.cells.len() % columns.max(1), self.cells.len() / columns.max(1));
        let (Some(x), Some(y)) = (self.across.1.get(column), self.up.1.get(row)) else { return false };
        let query = self.across.0.turned(&self.entry, &self.base, *x);
        let query = query.and_then(|query| self.up.0.turned(&self.entry, &query, *y));
        // The second may have moved the first.
        let query = query.filter(|query| self.across.0.position(query) == Some(*x));
        let value = query.as_ref().and_then(|query| value(&self.entry, query, self.goal.quantity.0).ok());
        let meets = value.is_some_and(|value| self.goal.meets(value));
        self.cells.push(Cell { value, meets, query });
        self.cells.len() < columns * rows
    }

    fn progress(&self) -> (usize, usize) {
        let (columns, rows) = self.size();
        (self.cells.len(), columns * rows)
    }
}
