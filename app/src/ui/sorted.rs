//! A table that sorts by any of its columns, and says how often each number has that of a row to compare with.

use std::cmp::Ordering;

use leptos::prelude::*;
use ringside_core::quantity::number;

use super::unique_id;

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
    text: String,
    value: Option<f64>,
    href: Option<&'static str>,
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

    fn view(&self, with: Option<&Self>) -> AnyView {
        let times = self.value.zip(with.and_then(|w| w.value)).filter(|(_, base)| *base != 0.0);
        let times =
            times.map(|(value, base)| view! { <small class="times">{format!("×{}", number(value / base))}</small> });
        let class = self.value.is_some().then_some("number");
        let text = self.text.clone();
        let text = match self.href {
            Some(href) => view! { <a href=href rel="noopener external">{text}</a> }.into_any(),
            None => text.into_any(),
        };
        view! { <td class=class>{text} " " {times}</td> }.into_any()
    }
}

/// The rows in the order of a column, the head of the rows being the first.
fn ordered(rows: &[Row], by: Option<(usize, bool)>) -> Vec<usize> {
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

/// The table. A click on a head sorts by it, largest first; another one turns that around.
pub fn view(label: &'static str, heads: &'static [&'static str], rows: Vec<Row>) -> AnyView {
    let by = RwSignal::new(None::<(usize, bool)>);
    let base = RwSignal::new(None::<usize>);
    let select = unique_id("compare");
    let options = rows
        .iter()
        .enumerate()
        .map(|(i, row)| view! { <option value=i.to_string()>{row.name.clone()}</option> })
        .collect_view();
    let rows = StoredValue::new(rows);
    let sort = move |column: usize| {
        by.update(|by| *by = Some((column, matches!(by, Some((same, false)) if *same == column))));
    };
    let head = move |(i, name): (usize, &&'static str)| {
        let way = move || match by.get() {
            Some((column, turned)) if column == i && turned => "ascending",
            Some((column, _)) if column == i => "descending",
            _ => "none",
        };
        view! {
            <th scope="col" aria-sort=way>
                <button type="button" class="sorts" on:click=move |_| sort(i)>{*name}</button>
            </th>
        }
    };
    let body = move || {
        let (by, base) = (by.get(), base.get());
        rows.with_value(|rows| {
            let base = base.and_then(|i| rows.get(i));
            let row = |i: usize| {
                let row = rows.get(i)?;
                let cells = row.cells.iter().enumerate();
                let cells = cells.map(|(i, cell)| cell.view(base.and_then(|base| base.cells.get(i)))).collect_view();
                Some(view! { <tr id=row.id.clone()><th scope="row">{row.name.clone()}</th> {cells}</tr> })
            };
            ordered(rows, by).into_iter().filter_map(row).collect_view()
        })
    };
    view! {
        <p class="compare sans">
            <label for=select.clone()>"Compare with "</label>
            <select id=select on:change=move |event| base.set(event_target_value(&event).parse().ok())>
                <option value="">"nothing"</option>
                {options}
            </select>
        </p>
        <div class="scrolls" role="region" aria-label=format!("{label}, table") tabindex="0">
            <table class="sorted">
                <thead>
                    <tr>{heads.iter().enumerate().map(head).collect_view()}</tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
    .into_any()
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
