//! Reading and writing the forms in which answers are kept: the table in [`input`](super::input).

use crate::decimal;

/// Indices below `n`, separated by commas; nothing if one cannot be read.
pub fn indices(text: &str, n: usize) -> Option<Vec<usize>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok().filter(|i| *i < n)).collect()
}

/// An index below `n`, or none, for each of `items`; nothing if one cannot be read.
pub fn partners(text: &str, items: usize, n: usize) -> Option<Vec<Option<usize>>> {
    if text.trim().is_empty() {
        return Some(vec![None; items]);
    }
    let one = |part: &str| match part.trim() {
        "" => Some(None),
        part => part.parse().ok().filter(|i| *i < n).map(Some),
    };
    let all: Option<Vec<_>> = text.split(',').map(one).collect();
    all.filter(|all| all.len() == items)
}

/// The text of [`partners`].
pub fn write_partners(partners: &[Option<usize>]) -> String {
    partners.iter().map(|p| p.map(|p| p.to_string()).unwrap_or_default()).collect::<Vec<_>>().join(",")
}

/// A cause and a change, `cause;change`; either may be missing.
pub fn cause_and_change(text: &str) -> (Option<usize>, Option<usize>) {
    let (cause, change) = text.split_once(';').unwrap_or((text, ""));
    (cause.trim().parse().ok(), change.trim().parse().ok())
}

/// Finite numbers separated by commas, none where nothing stands between two of them; nothing if one cannot be read.
pub fn points(text: &str) -> Option<Vec<Option<f64>>> {
    let point = |part: &str| match part.trim() {
        "" => Some(None),
        part => decimal::parse(part).filter(|v| v.is_finite()).map(Some),
    };
    text.split(',').map(point).collect()
}

/// The text of [`points`].
pub fn write_points(all: &[Option<f64>]) -> String {
    let text = |value: &Option<f64>| value.map(|v| format!("{v:e}")).unwrap_or_default();
    all.iter().map(text).collect::<Vec<_>>().join(",")
}

/// The options that are chosen in the stored form `0,2`, whatever else stands there.
pub fn chosen(input: &str) -> Vec<usize> {
    input.split(',').filter_map(|part| part.parse().ok()).collect()
}

/// The stored form after `index` was switched on or off.
pub fn picked(input: &str, index: usize, on: bool, several: bool) -> String {
    let mut all = if several { chosen(input) } else { Vec::new() };
    all.retain(|&other| other != index);
    if on {
        all.push(index);
    }
    all.sort_unstable();
    write_list(all)
}

/// The text of [`indices`].
pub(super) fn write_list(indices: impl IntoIterator<Item = usize>) -> String {
    indices.into_iter().map(|i| i.to_string()).collect::<Vec<_>>().join(",")
}

/// The mark of an answer that is a list of indices below `n`.
pub(super) fn mark_list(answer: &str, n: usize, is_right: impl FnOnce(&[usize]) -> bool) -> &'static str {
    match indices(answer, n) {
        None => "unreadable",
        Some(found) if found.is_empty() => "empty",
        Some(found) if is_right(&found) => "right",
        Some(_) => "wrong",
    }
}

/// The mark of a text that only its author, or what runs it, can mark.
pub(super) fn mark_text(answer: &str) -> &'static str {
    if answer.trim().is_empty() { "empty" } else { "unmarked" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_kept_as_a_list_of_places() {
        assert_eq!(picked("", 2, true, true), "2");
        assert_eq!(picked("2", 0, true, true), "0,2");
        assert_eq!(picked("0,2", 2, false, true), "0");
        assert_eq!(picked("0", 2, true, false), "2");
        assert_eq!(chosen("0,2,x"), [0, 2]);
    }

    #[test]
    fn a_point_that_is_not_drawn_is_nothing_between_commas() {
        assert_eq!(write_points(&[Some(500.0), None, Some(0.5)]), "5e2,,5e-1");
    }
}
