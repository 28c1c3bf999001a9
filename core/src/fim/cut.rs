//! Where a document is cut.

use crate::mix::Stream;
use crate::options;

/// At what a document is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cut {
    /// Anywhere between two characters.
    #[default]
    Characters,
    /// At the beginnings of lines.
    Lines,
    /// Around something whole: a statement, a block, what stands in brackets.
    Spans,
    /// Where the learner put the caret, or what is selected.
    Own,
}

options!(Cut {
    Characters: "characters", "characters";
    Lines: "lines", "lines";
    Spans: "spans", "syntax spans";
    Own: "own", "my selection";
});

/// Two places of a document, the first not after the second, in characters.
pub fn draw(text: &str, cut: Cut, stream: &mut Stream) -> [usize; 2] {
    let length = text.chars().count();
    match cut {
        Cut::Spans => {
            let all = spans(text);
            all.get(stream.below(all.len() as u64) as usize).copied().unwrap_or([0, length])
        }
        Cut::Lines => {
            let starts = lines(text);
            let mut place = || starts.get(stream.below(starts.len() as u64) as usize).copied().unwrap_or(0);
            sorted([place(), place()])
        }
        Cut::Characters | Cut::Own => {
            let mut place = || stream.below(length as u64 + 1) as usize;
            sorted([place(), place()])
        }
    }
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// Beginnings of lines, and the end of the text.
pub fn lines(text: &str) -> Vec<usize> {
    let breaks = text.chars().enumerate().filter(|(_, c)| *c == '\n').map(|(i, _)| i + 1);
    let mut all: Vec<usize> = [0].into_iter().chain(breaks).chain([text.chars().count()]).collect();
    all.dedup();
    all
}

/// Spans that are whole: each statement without its indentation, each block of lines that are indented deeper than the one before them, and
/// what stands between brackets. Found by indentation and brackets, without a parser of the language; brackets in strings are taken for
/// brackets. In the order of their beginnings, the shorter first.
pub fn spans(text: &str) -> Vec<[usize; 2]> {
    let mut all = brackets(text);
    let rows = rows(text);
    for (i, row) in rows.iter().enumerate() {
        all.push([row.from, row.to]);
        let deeper = rows.iter().skip(i + 1).take_while(|other| other.indent > row.indent);
        if let (Some(first), Some(last)) = (deeper.clone().next(), deeper.last())
            && first.from != last.from
        {
            all.push([first.from, last.to]);
        }
    }
    all.retain(|[from, to]| from < to);
    all.sort_unstable();
    all.dedup();
    all
}

/// A line that is not empty: its indentation, and where it begins after that and ends.
struct Row {
    indent: usize,
    from: usize,
    to: usize,
}

fn rows(text: &str) -> Vec<Row> {
    let mut at = 0;
    let mut all = Vec::new();
    for line in text.split('\n') {
        let length = line.chars().count();
        let indent = length - line.trim_start().chars().count();
        if indent < length {
            all.push(Row { indent, from: at + indent, to: at + line.trim_end().chars().count() });
        }
        at += length + 1;
    }
    all
}

fn brackets(text: &str) -> Vec<[usize; 2]> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut all = Vec::new();
    for (i, c) in text.chars().enumerate() {
        match c {
            '(' => open.push((')', i + 1)),
            '[' => open.push((']', i + 1)),
            '{' => open.push(('}', i + 1)),
            ')' | ']' | '}' => {
                if let Some((_, from)) = open.pop_if(|(closes, _)| *closes == c) {
                    all.push([from, i]);
                }
            }
            _ => {}
        }
    }
    all
}
