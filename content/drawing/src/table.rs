//! A table that sorts by any of its columns: its cells, and their order.

use std::cmp::Ordering;

/// A row.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its anchor.
    pub id: String,
    /// What it is of: the head of the row.
    pub name: String,
    /// A cell for each further column.
    pub cells: Vec<Cell>,
}

/// A cell.
#[derive(Debug, Clone)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// The number that compares, if it is one.
    pub value: Option<f64>,
    /// Where it leads.
    pub href: Option<&'static str>,
}

impl Cell {
    /// A number that compares, and how it is written.
    pub fn number(value: f64, text: String) -> Self {
        Self { text, value: Some(value), href: None }
    }

    /// Words.
    pub fn words(text: &str) -> Self {
        Self { text: text.to_owned(), value: None, href: None }
    }

    /// Words that lead somewhere.
    pub fn link(text: &str, href: &'static str) -> Self {
        Self { href: Some(href), ..Self::words(text) }
    }

    /// Nothing is known.
    pub fn none() -> Self {
        Self::words("–")
    }

    /// Which of two comes first, the larger number before the smaller one; what is unknown is last.
    fn order(&self, other: &Self) -> Ordering {
        match (self.value, other.value) {
            (Some(a), Some(b)) => b.total_cmp(&a),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.text.cmp(&other.text),
        }
    }
}

/// The rows in the order of a column, the head of the rows being the first.
pub fn ordered(rows: &[Row], by: Option<(usize, bool)>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let Some((column, turned)) = by else { return order };
    order.sort_by(|a, b| {
        let compared = match (rows.get(*a), rows.get(*b), column.checked_sub(1)) {
            (Some(a), Some(b), None) => a.name.cmp(&b.name),
            (Some(a), Some(b), Some(i)) => match (a.cells.get(i), b.cells.get(i)) {
                (Some(a), Some(b)) => a.order(b),
                _ => Ordering::Equal,
            },
            _ => Ordering::Equal,
        };
        if turned { compared.reverse() } else { compared }
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_largest_first_and_the_unknown_last() {
        let row = |name: &str, cell: Cell| Row { id: String::new(), name: name.to_owned(), cells: vec![cell] };
        let number = |value: f64| Cell::number(value, value.to_string());
        let rows = [row("b", number(2.0)), row("c", Cell::none()), row("a", number(9.0))];
        assert_eq!(ordered(&rows, None), [0, 1, 2]);
        assert_eq!(ordered(&rows, Some((1, false))), [2, 0, 1]);
        assert_eq!(ordered(&rows, Some((1, true))), [1, 0, 2]);
        assert_eq!(ordered(&rows, Some((0, false))), [2, 0, 1]);
        assert_eq!(ordered(&rows, Some((7, false))), [0, 1, 2]);
    }
}
