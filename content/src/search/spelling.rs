//! What a learner may have meant: words of a query that occur nowhere, replaced by the nearest that does.

use std::collections::BTreeMap;

use super::{Word, fold, words_of};
use crate::schema::SearchEntry;

/// Letters that may be wrong in a word of this many: none in a short one, where every other word would be near.
fn allowed(length: usize) -> usize {
    match length {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// `query` with every word that no entry has replaced by the nearest that one has, the most frequent of several; `None` if there is nothing
/// to replace, or nothing near to replace it by.
pub fn corrected(entries: &[SearchEntry], query: &str) -> Option<String> {
    let wanted = words_of(query);
    if wanted.iter().all(|word| allowed(word.chars.len()) == 0) {
        return None;
    }
    let vocabulary = vocabulary(entries);
    let mut changed = false;
    let mut words = Vec::with_capacity(wanted.len());
    for word in &wanted {
        let written: String = word.chars.iter().collect();
        let known =
            vocabulary.keys().any(|other| other.starts_with(&word.chars) && (word.prefix || is_form(other, word)));
        if known {
            words.push(written);
            continue;
        }
        let near = vocabulary.iter().filter_map(|(other, count)| {
            let off = distance(&word.chars, other, word.prefix, allowed(word.chars.len()))?;
            Some(((off, word.chars.len().abs_diff(other.len()), std::cmp::Reverse(*count)), other))
        });
        let (_, nearest) = near.min()?;
        words.push(nearest.iter().collect());
        changed = true;
    }
    changed.then(|| words.join(" "))
}

/// Whether `other` is the word itself, or its plural.
fn is_form(other: &[char], word: &Word) -> bool {
    matches!(other.get(word.chars.len()..), Some([] | ['s']))
}

/// Every word of the entries, folded, and how often it occurs.
fn vocabulary(entries: &[SearchEntry]) -> BTreeMap<Vec<char>, usize> {
    let mut all = BTreeMap::new();
    for entry in entries {
        for text in [&entry.title, &entry.context, &entry.text] {
            for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
                *all.entry(word.chars().flat_map(fold).collect()).or_default() += 1;
            }
        }
    }
    all
}

/// How many letters are wrong, missing, too many or swapped with the next in `word` to be `other`, or its beginning if `prefix` is set; `None`
/// if they are more than `most`. The distance of Damerau and Levenshtein, restricted to swaps of neighbours.
fn distance(word: &[char], other: &[char], prefix: bool, most: usize) -> Option<usize> {
    let longest = word.len() + most;
    if most == 0 || other.len() + most < word.len() || (!prefix && other.len() > longest) {
        return None;
    }
    let other = other.get(..longest).unwrap_or(other);
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=other.len()).collect()];
    for (i, a) in word.iter().enumerate() {
        rows.rotate_left(1);
        let [two_before, before, row] = &mut rows;
        row.clear();
        row.push(i + 1);
        for (j, b) in other.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let mut least = (at(before, j) + usize::from(a != b)).min(at(before, j + 1) + 1).min(at(row, j) + 1);
            let swapped = i > 0 && j > 0 && word.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if swapped {
                least = least.min(at(two_before, j - 1) + 1);
            }
            row.push(least);
        }
        if row.iter().all(|off| *off > most) {
            return None;
        }
    }
    let last = &rows[2];
    let off = if prefix { last.iter().min() } else { last.last() };
    off.copied().filter(|off| *off <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::EntryKind;

    fn entries() -> Vec<SearchEntry> {
        let text = |text: &str| SearchEntry {
            kind: EntryKind::Section,
            title: text.to_owned(),
            context: String::new(),
            href: String::new(),
            text: String::new(),
        };
        ["FlashAttention and flash attention", "All-reduce of gradients", "Attention grows", "Ridge"].map(text).to_vec()
    }

    #[test]
    fn a_word_that_is_nowhere_becomes_the_nearest_that_is() {
        let meant = |query: &str| corrected(&entries(), query);
        assert_eq!(meant("flash atention").as_deref(), Some("flash attention"));
        assert_eq!(meant("attnetion").as_deref(), Some("attention"), "two letters swapped");
        assert_eq!(meant("gradeints").as_deref(), Some("gradients"));
        assert_eq!(meant("atten"), None, "an unfinished word that something has");
        assert_eq!(meant("aten").as_deref(), Some("attention"), "an unfinished word with a slip");
        assert_eq!(meant("gradient "), None, "a singular");
        assert_eq!(meant("ring "), None, "no word is near");
        assert_eq!(meant("rig"), None, "every short word is near to another");
        assert_eq!(meant("xyzzyxyzzy attention"), None);
        assert_eq!(meant(""), None);
    }

    #[test]
    fn a_distance_counts_slips() {
        let off = |word: &str, other: &str, prefix| {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            distance(&chars(word), &chars(other), prefix, 2)
        };
        assert_eq!(off("kitten", "kitten", false), Some(0));
        assert_eq!(off("kiten", "kitten", false), Some(1));
        assert_eq!(off("iktten", "kitten", false), Some(1));
        assert_eq!(off("sitting", "kitten", false), None);
        assert_eq!(off("kit", "kitten", false), None);
        assert_eq!(off("kit", "kitten", true), Some(0));
        assert_eq!(off("", "ab", false), Some(2));
    }
}
