//! How the two matrices of each half of a layer are cut.

use crate::declare::{List, Options};

/// Along which side a matrix of inputs × outputs is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// A rank has some outputs: it needs the whole input.
    Columns,
    /// A rank has some inputs: it gets a term of a sum.
    Rows,
}

/// The cuts of the first matrix of a half (q, k, v; gate, up) and of the second (o; down).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Of the first.
    pub first: Cut,
    /// Of the second.
    pub second: Cut,
}

impl Split {
    /// Columns, then rows: Megatron-LM's (Shoeybi et al. 2019, §3).
    pub const PAIR: Self = Self::new(Cut::Columns, Cut::Rows);

    /// All of them, the right one first.
    pub const ALL: [Self; 4] = [
        Self::PAIR,
        Self::new(Cut::Columns, Cut::Columns),
        Self::new(Cut::Rows, Cut::Rows),
        Self::new(Cut::Rows, Cut::Columns),
    ];

    /// A pair of cuts.
    pub const fn new(first: Cut, second: Cut) -> Self {
        Self { first, second }
    }

    /// The name in a query string.
    pub const fn id(self) -> &'static str {
        match (self.first, self.second) {
            (Cut::Columns, Cut::Rows) => "column-row",
            (Cut::Columns, Cut::Columns) => "column-column",
            (Cut::Rows, Cut::Rows) => "row-row",
            (Cut::Rows, Cut::Columns) => "row-column",
        }
    }

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match (self.first, self.second) {
            (Cut::Columns, Cut::Rows) => "columns, then rows",
            (Cut::Columns, Cut::Columns) => "columns, then columns",
            (Cut::Rows, Cut::Rows) => "rows, then rows",
            (Cut::Rows, Cut::Columns) => "rows, then columns",
        }
    }
}

const fn names(labels: bool) -> [&'static str; Split::ALL.len()] {
    let mut all = [""; Split::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if labels { Split::ALL[i].label() } else { Split::ALL[i].id() };
        i += 1;
    }
    all
}

impl Default for Split {
    fn default() -> Self {
        Self::PAIR
    }
}

impl Options for Split {
    const LIST: List = List { ids: &names(false), labels: &names(true) };

    fn id(self) -> &'static str {
        self.id()
    }

    fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|split| split.id() == id)
    }
}
