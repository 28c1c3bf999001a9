//! A lecture list as what can be moved in it. Its form is told in [`crate::lecture`]: a state or a picture on a line, lines that begin
//! with `>` together a text, and lines that begin with `//` notes on what is before them. A note `// 5 min` says how long it takes.

use std::ops::Range;

use crate::lecture::without_marks;
use crate::{MOST_MINUTES, minutes_with_unit};

/// What is shown together, with its notes and with the lines before it that say nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is called.
    pub title: String,
    /// How long it takes, if a note says so.
    pub minutes: Option<u32>,
    /// Its lines.
    lines: Range<usize>,
    /// The line of the note that says how long it takes.
    timed: Option<usize>,
}

/// The blocks of a list, in order. Lines behind the last that say nothing belong to none.
pub fn blocks(list: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut in_text = false;
    // Notes on nothing stay where they are.
    let mut first = 0;
    for (at, line) in list.lines().map(str::trim).enumerate() {
        let before = blocks.last().map_or(first, |block| block.lines.end);
        let block = |title: String| Block { title, minutes: None, lines: before..at + 1, timed: None };
        let text = line.strip_prefix('>');
        match (blocks.last_mut(), text, line.strip_prefix("//")) {
            (Some(last), Some(more), _) if in_text => {
                last.lines.end = at + 1;
                if last.title.is_empty() {
                    last.title = without_marks(more);
                }
            }
            (_, Some(first), _) => blocks.push(block(without_marks(first))),
            (Some(last), _, Some(note)) => {
                last.lines.end = at + 1;
                if let Some(minutes) = minutes(note) {
                    (last.minutes, last.timed) = (Some(minutes), Some(at));
                }
            }
            (None, _, Some(_)) => first = at + 1,
            _ if line.is_empty() || line.starts_with('#') => {}
            _ => {
                let caption = line.strip_prefix("![").and_then(|rest| rest.split_once(']')).map(|(caption, _)| caption);
                let label = line.split_once(char::is_whitespace).map(|(_, label)| label);
                let title = caption.or(label).map(str::trim).filter(|title| !title.is_empty()).unwrap_or(line);
                blocks.push(block(title.to_owned()));
            }
        }
        in_text = text.is_some();
    }
    for block in &mut blocks {
        if block.title.is_empty() {
            block.title = "Text".to_owned();
        }
    }
    blocks
}

/// `5 min`.
fn minutes(note: &str) -> Option<u32> {
    minutes_with_unit(note).filter(|minutes| (1..=MOST_MINUTES).contains(minutes))
}

/// The list with block `from` in the place of block `to`; the same list if there are no such blocks.
pub fn moved(list: &str, from: usize, to: usize) -> String {
    changed(list, |blocks| {
        if from < blocks.len() && to < blocks.len() {
            let block = blocks.remove(from);
            blocks.insert(to, block);
        }
    })
}

/// The list without a block.
pub fn without(list: &str, at: usize) -> String {
    changed(list, |blocks| {
        if at < blocks.len() {
            blocks.remove(at);
        }
    })
}

/// The list with another time for a block, or with none.
pub fn timed(list: &str, at: usize, minutes: Option<u32>) -> String {
    let all = blocks(list);
    changed(list, |blocks| {
        let (Some(block), Some(known)) = (blocks.get_mut(at), all.get(at)) else { return };
        if let Some(line) = known.timed {
            block.remove(line - known.lines.start);
        }
        block.extend(minutes.map(|minutes| format!("// {} min", minutes.clamp(1, MOST_MINUTES))));
    })
}

/// The list after a change of its blocks, each of which is its lines.
fn changed(list: &str, change: impl FnOnce(&mut Vec<Vec<String>>)) -> String {
    let lines: Vec<&str> = list.lines().collect();
    let own = |range: Range<usize>| -> Vec<String> {
        lines.get(range).unwrap_or_default().iter().map(|line| (*line).to_owned()).collect()
    };
    let blocks = blocks(list);
    let lead = own(0..blocks.first().map_or(0, |block| block.lines.start));
    let rest = own(blocks.last().map_or(0, |block| block.lines.end)..lines.len());
    let mut all = blocks.into_iter().map(|block| own(block.lines)).collect();
    change(&mut all);
    // Two texts with nothing between them would be one.
    let text = |line: Option<&String>| line.is_some_and(|line| line.trim_start().starts_with('>'));
    let mut out = lead;
    for block in all {
        if text(out.last()) && text(block.first()) {
            out.push(String::new());
        }
        out.extend(block);
    }
    out.extend(rest);
    out.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# Monday\nw/amdahl/?n=8 Eight of them\n// Ask for hands.\n// 5 min\n\n> ## Pause\n> ten minutes\n\n> **Two**\n![A rack](rack.png)\nlab/zero/\n# the end\n";

    fn titles(list: &str) -> Vec<(String, Option<u32>)> {
        blocks(list).into_iter().map(|block| (block.title, block.minutes)).collect()
    }

    fn named(all: &[(&str, Option<u32>)]) -> Vec<(String, Option<u32>)> {
        all.iter().map(|(title, minutes)| ((*title).to_owned(), *minutes)).collect()
    }

    #[test]
    fn a_list_has_what_it_shows_as_blocks() {
        let all =
            named(&[("Eight of them", Some(5)), ("Pause", None), ("Two", None), ("A rack", None), ("lab/zero/", None)]);
        assert_eq!(titles(LIST), all);
        assert_eq!(titles("// nothing to note\n\n# no more\n"), []);
        assert_eq!(titles(">\n> later\n"), named(&[("later", None)]));
        assert_eq!(titles(">\n>"), named(&[("Text", None)]));
        assert_eq!(
            titles("w/a/ A\n// 0 min\n// 601 min\n// 5\n// 5 hands\n"),
            named(&[("A", None)]),
            "these are notes"
        );
        for (note, minutes) in [("5 minutes", 5), ("1 h 30 min", 90), ("2 h", 120)] {
            assert_eq!(titles(&format!("w/a/ A\n// {note}\n")), named(&[("A", Some(minutes))]), "{note}");
        }
    }

    #[test]
    fn a_block_moves_with_its_notes_and_what_stands_over_it() {
        let last = moved(LIST, 0, 4);
        assert!(
            last.ends_with(
                "lab/zero/\n# Monday\nw/amdahl/?n=8 Eight of them\n// Ask for hands.\n// 5 min\n# the end\n"
            ),
            "{last}"
        );
        assert_eq!(blocks(&last).last().map(|block| block.minutes), Some(Some(5)));
        assert_eq!(moved(&last, 4, 0), LIST, "and back");
        assert_eq!(moved(LIST, 1, 1), LIST);
        assert_eq!(moved(LIST, 0, 5), LIST);
        // Every move keeps every block, and two texts stay two.
        let sorted = |list: &str| {
            let mut all = titles(list);
            all.sort();
            all
        };
        for from in 0..5 {
            for to in 0..5 {
                let moved = moved(LIST, from, to);
                assert_eq!(sorted(&moved), sorted(LIST), "{from} to {to}: {moved}");
                assert_eq!(titles(&moved)[to], titles(LIST)[from], "{from} to {to}");
            }
        }
        // A note on nothing stays where it is.
        assert_eq!(moved("// 5 min\nw/a/ A\nw/b/ B\n", 0, 1), "// 5 min\nw/b/ B\nw/a/ A\n");
        let texts = "> one\nw/a/ A\n> two\n";
        assert_eq!(moved(texts, 1, 2), "> one\n\n> two\nw/a/ A\n");
    }

    #[test]
    fn a_block_is_taken_out_and_timed() {
        assert_eq!(without("w/a/ A\n// why\nw/b/ B\n", 0), "w/b/ B\n");
        assert_eq!(without("w/a/ A", 7), "w/a/ A\n");
        assert_eq!(timed("w/a/ A\n// why\nw/b/ B", 0, Some(9)), "w/a/ A\n// why\n// 9 min\nw/b/ B\n");
        assert_eq!(timed("w/a/ A\n// 9 min\n// why\n", 0, Some(7)), "w/a/ A\n// why\n// 7 min\n");
        assert_eq!(timed("w/a/ A\n// 9 min\n", 0, None), "w/a/ A\n");
        assert_eq!(titles(&timed(LIST, 2, Some(9999)))[2], ("Two".to_owned(), Some(MOST_MINUTES)));
    }
}
