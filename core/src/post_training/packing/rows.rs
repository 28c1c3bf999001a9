//! Conversations in the rows of a batch: padded, packed or cut, with the tokens that the loss counts.
//!
//! A token has a loss if the model is to learn to say it: the answers and the marker that ends each. A token's loss is that of predicting it from
//! those before it. In a packed row, attention between conversations is to be cut off and positions begin anew; concatenating and cutting, as
//! pre-training does, does neither and separates answers from their questions.

use super::talks::{TALKS, Talk};
use super::{Counted, Layout, Params, Weighting};
use crate::mix::Stream;

/// Whose a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The template's.
    Template,
    /// The system prompt's.
    System,
    /// The user's.
    User,
    /// The assistant's.
    Assistant,
}

/// A token in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Which conversation, in the order of [`TALKS`].
    pub talk: usize,
    /// Which of its tokens.
    pub index: usize,
    /// Whose it is.
    pub whose: Whose,
    /// Whether the loss counts it.
    pub counted: bool,
    /// Its position, as the model sees it.
    pub position: usize,
}

/// A batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Slots of a row.
    pub width: usize,
    /// The rows; what is missing at the end of one is padding.
    pub rows: Vec<Vec<Cell>>,
    /// The row of each conversation, in the order in which they were placed: (conversation, row).
    pub placed: Vec<(usize, usize)>,
    /// Tokens that had no room.
    pub lost: usize,
    /// Of these, tokens that the loss would have counted.
    pub lost_answers: usize,
}

/// The conversations of a batch, in their order.
pub fn order(params: &Params) -> Vec<usize> {
    let mut order: Vec<usize> = (0..TALKS.len()).collect();
    if params.seed > 0 {
        Stream::new(params.seed).shuffle(&mut order);
    }
    order.truncate(params.talks as usize);
    order
}

/// The tokens of a conversation, with what the loss counts.
fn cells(which: usize, talk: &Talk, counted: Counted) -> Vec<Cell> {
    let own = |whose: Whose| whose == Whose::Assistant;
    // Where the last answer begins.
    let last = talk.tokens.iter().rposition(|(_, whose)| *whose == Whose::User).unwrap_or(0);
    talk.tokens
        .iter()
        .enumerate()
        .map(|(index, (_, whose))| Cell {
            talk: which,
            index,
            whose: *whose,
            counted: match counted {
                Counted::Answers => own(*whose),
                Counted::Last => own(*whose) && index > last,
                // Nothing comes before the first token.
                Counted::All => index > 0,
            },
            position: index,
        })
        .collect()
}

impl Batch {
    /// The batch of these parameters.
    pub fn new(params: &Params) -> Self {
        let order = order(params);
        let talks: Vec<(usize, Vec<Cell>)> =
            order.iter().filter_map(|i| TALKS.get(*i).map(|talk| (*i, cells(*i, talk, params.counted)))).collect();
        let longest = talks.iter().map(|(_, cells)| cells.len()).max().unwrap_or(1);
        let width = match params.layout {
            Layout::Longest => longest,
            _ => params.row as usize,
        };
        let mut batch = Self { width, rows: Vec::new(), placed: Vec::new(), lost: 0, lost_answers: 0 };
        match params.layout {
            Layout::Padded | Layout::Longest => {
                for (which, cells) in talks {
                    batch.rows.push(Vec::new());
                    batch.place(which, cells, batch.rows.len() - 1);
                }
            }
            Layout::Packed => batch.pack(talks),
            Layout::Cut => batch.cut(talks),
        }
        batch
    }

    fn place(&mut self, which: usize, mut cells: Vec<Cell>, row: usize) {
        let Some(into) = self.rows.get_mut(row) else { return };
        let room = self.width - into.len().min(self.width);
        let over = cells.split_off(room.min(cells.len()));
        self.lost += over.len();
        self.lost_answers += over.iter().filter(|cell| cell.counted).count();
        into.append(&mut cells);
        self.placed.push((which, row));
    }

    /// The longest first, each into the first row with room (first-fit decreasing, Johnson 1973).
    fn pack(&mut self, mut talks: Vec<(usize, Vec<Cell>)>) {
        talks.sort_by_key(|(_, cells)| std::cmp::Reverse(cells.len()));
        for (which, cells) in talks {
            let fits = |row: &Vec<Cell>| row.len() + cells.len() <= self.width;
            let row = self.rows.iter().position(fits).unwrap_or_else(|| {
                self.rows.push(Vec::new());
                self.rows.len() - 1
            });
            self.place(which, cells, row);
        }
    }

    /// One after another, whatever a row's end cuts through.
    fn cut(&mut self, talks: Vec<(usize, Vec<Cell>)>) {
        for (which, cells) in talks {
            let mut first = true;
            for mut cell in cells {
                if self.rows.last().is_none_or(|row| row.len() >= self.width) {
                    self.rows.push(Vec::new());
                }
                let at = self.rows.len() - 1;
                if let Some(row) = self.rows.last_mut() {
                    cell.position = row.len();
                    // What a row begins with is predicted from nothing.
                    cell.counted &= !row.is_empty();
                    row.push(cell);
                }
                if first {
                    self.placed.push((which, at));
                    first = false;
                }
            }
        }
    }

    /// Every token.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.rows.iter().flatten()
    }

    /// Slots, padding included.
    pub fn slots(&self) -> usize {
        self.rows.len() * self.width
    }

    /// Tokens.
    pub fn tokens(&self) -> usize {
        self.cells().count()
    }

    /// Tokens that the loss counts.
    pub fn counted(&self) -> usize {
        self.cells().filter(|cell| cell.counted).count()
    }

    /// Pairs of tokens that attend to one another under a causal mask, each to itself included: within a conversation, and between two.
    pub fn pairs(&self) -> [usize; 2] {
        let mut pairs = [0, 0];
        for row in &self.rows {
            for (i, cell) in row.iter().enumerate() {
                let own = row.iter().take(i + 1).filter(|other| other.talk == cell.talk).count();
                pairs[0] += own;
                pairs[1] += i + 1 - own;
            }
        }
        pairs
    }

    /// What one counted token of a conversation weighs in the loss; 0 if none of its tokens is counted.
    pub fn weight(&self, talk: usize, weighting: Weighting) -> f64 {
        let all = self.counted() as f64;
        let row_counts = |row: &[Cell]| row.iter().filter(|cell| cell.counted).count() as f64;
        let Some(row) = self.rows.iter().find(|row| row.iter().any(|cell| cell.talk == talk && cell.counted)) else {
            return 0.0;
        };
        match weighting {
            Weighting::Tokens => 1.0 / all.max(1.0),
            Weighting::Rows => {
                let rows = self.rows.iter().filter(|row| row_counts(row) > 0.0).count() as f64;
                1.0 / (row_counts(row).max(1.0) * rows.max(1.0))
            }
        }
    }
}
