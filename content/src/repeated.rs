//! Facts of the hardware that are written out where an expression could name them: when the table changes, they would stay as they were.
//!
//! Looked through are the chapters, the missions, the formulas and the glossary. In an expression (a string of TOML that can be read as one, `{…}` in a
//! template, `` `=…` `` in prose) a number of three significant digits or more is refused if it is a fact of the hardware, with or without its
//! prefix: 989e12 and 989. In prose it is refused in base units (989e12) and in front of a unit of rates (989 TFLOP/s). What is quoted
//! stays: as `` `=quoted 989 TFLOP/s` `` in prose, and in TOML with a comment that begins with `# quoted:` on its line or the one above.

use std::ops::Range;

use ringside_core::answer::find_unit;
use ringside_core::catalogue;
use ringside_core::expr::Expr;
use ringside_core::hardware::constants::{Written, repeated};

use crate::diagnostic::Sink;
use crate::language::Lang;
use crate::markdown::values::QUOTED;
use crate::source::{Located, SourceFile};
use crate::toml_reader::Document;
use crate::world::{World, text_of};

/// The units of rates in which the tables' documents give them.
const RATES: [&str; 4] = ["TFLOP/s", "PFLOP/s", "TB/s", "GB/s"];
/// What signs of comparison, assignment and conjunction stand between expressions.
const BETWEEN: [&str; 9] = [" and ", "<=", ">=", "==", "!=", "<", ">", "=", "@"];

/// Reports every one.
pub(crate) fn check(world: &World<'_>) {
    let chapters = world.tree.chapters().iter();
    let of_chapters = chapters.flat_map(|folder| {
        let texts = Lang::ALL.into_iter().map(|lang| text_of(folder, lang));
        texts.chain([format!("chapters/{folder}/exercises.toml")])
    });
    let data = ["formulas.toml", "glossary.toml"].map(str::to_owned);
    let files =
        of_chapters.chain(data).filter_map(|path| world.tree.file(&path)).chain(world.tree.files_in("missions"));
    files.for_each(|file| look_through(file, world.sink));
}

fn look_through(file: &SourceFile, sink: &Sink) {
    let text = file.located();
    if file.path.ends_with(".md") {
        let begin = text.text.strip_prefix("+++\n").and_then(|rest| rest.find("\n+++")).map_or(0, |at| at + 8);
        let front = text.denoted(0..begin, text.text.get(..begin).unwrap_or_default());
        let body = text.denoted(begin..text.text.len(), text.text.get(begin..).unwrap_or_default());
        for text in [front, body] {
            prose(&text, false, sink);
        }
        return;
    }
    let quiet = Sink::default();
    let document = Document::parse(&text, &quiet);
    document.each_string(&mut |string| {
        if is_quoted(file, string) {
            return;
        }
        match expressions(&string.text) {
            Some(parts) => parts.into_iter().for_each(|(at, part)| expression(string, at, part, sink)),
            None => prose(string, true, sink),
        }
    });
}

/// Whether a comment says so, on the line of the string or the one above.
fn is_quoted(file: &SourceFile, string: &Located<'_>) -> bool {
    let Some((before, after)) = file.text.split_at_checked(string.spot(0).at) else { return false };
    let above = before.rmatch_indices('\n').nth(1).map_or(before, |(at, _)| &before[at + 1..]);
    let line = after.split('\n').next().unwrap_or_default();
    let says = |line: &str| line.rsplit_once("# quoted:").is_some();
    says(above) || says(line)
}

/// The expressions in a string that is nothing else, with their places: an answer, a condition, an assignment.
fn expressions(text: &str) -> Option<Vec<(usize, &str)>> {
    let mut parts = vec![(0, text)];
    for sign in BETWEEN {
        let split = |(at, part): (usize, &'_ str)| {
            let mut from = 0;
            let mut pieces = Vec::new();
            for piece in part.split(sign) {
                pieces.push((at + from, piece.len()));
                from += piece.len() + sign.len();
            }
            pieces
        };
        let pieces: Vec<(usize, usize)> = parts.into_iter().flat_map(split).collect();
        parts = pieces.into_iter().filter_map(|(at, length)| Some((at, text.get(at..at + length)?))).collect();
    }
    parts.retain(|(_, part)| !part.trim().is_empty());
    parts.iter().all(|(_, part)| Expr::parse(part).is_ok()).then_some(parts)
}

fn expression(text: &Located<'_>, at: usize, source: &str, sink: &Sink) {
    let Ok(parsed) = Expr::parse(source) else { return };
    for (place, literal) in parsed.literals() {
        report(text, at + place, literal, Written::Scaled, sink);
    }
}

fn report(text: &Located<'_>, at: usize, literal: f64, written: Written, sink: &Sink) {
    let names = repeated(literal, written);
    let Some(first) = names.first() else { return };
    let others = if names.len() > 1 {
        format!(" (or {})", names.get(1..).unwrap_or_default().join(", "))
    } else {
        String::new()
    };
    let message = format!(
        "This number is a fact of the hardware, and would stay when the table changes. Write {first}{others}, in prose as `={first}`; mark a quotation as AUTHORING.md says."
    );
    sink.report(text.spot(at), message);
}

/// Looks through Markdown, outside listings: `{…}` where it is a template, `` `=…` ``, and numbers in words.
fn prose(text: &Located<'_>, template: bool, sink: &Sink) {
    prose_in(text, 0..text.text.len(), template, sink);
}

fn prose_in(text: &Located<'_>, part: Range<usize>, template: bool, sink: &Sink) {
    let source = text.text.get(..part.end).unwrap_or_default();
    let mut at = part.start;
    while let Some(found) = source.get(at..).and_then(|rest| rest.find(['`', '{'])) {
        let open = at + found;
        words(text, at, source.get(at..open).unwrap_or_default(), sink);
        let rest = source.get(open..).unwrap_or_default();
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let (mark, close) = match ticks {
            0 => (1, "}"),
            n => (n, rest.get(..n).unwrap_or_default()),
        };
        let inside = rest.get(mark..).unwrap_or_default();
        // A template has no line break in it.
        let inside = if ticks == 0 { inside.lines().next().unwrap_or_default() } else { inside };
        let Some(length) = inside.find(close) else {
            at = open + mark;
            continue;
        };
        let inside = inside.get(..length).unwrap_or_default();
        let begin = open + mark;
        match ticks {
            0 if template => {
                let hole = inside.split('|').next().unwrap_or_default();
                expression(text, open + mark, hole, sink);
            }
            0 => words(text, open + mark, inside, sink),
            1 => value(text, open + mark, inside, sink),
            // Notes for whoever presents are Markdown too.
            _ if inside.starts_with("notes") => prose_in(text, begin..begin + length, template, sink),
            _ => {}
        }
        at = open + mark + length + close.len();
    }
    words(text, at, source.get(at..).unwrap_or_default(), sink);
}

/// The expression in `` `=model expression ? query as format` ``.
fn value(text: &Located<'_>, at: usize, inside: &str, sink: &Sink) {
    let Some(source) = inside.strip_prefix('=').filter(|source| !source.starts_with(QUOTED)) else { return };
    let end = [source.find('?'), source.rfind(" as ")].into_iter().flatten().min().unwrap_or(source.len());
    let source = source.get(..end).unwrap_or_default();
    let model = source.split(char::is_whitespace).next().filter(|model| catalogue::find(model).is_some());
    let from = model.map_or(0, str::len);
    expression(text, at + 1 + from, source.get(from..).unwrap_or_default(), sink);
}

/// Numbers in words.
fn words(text: &Located<'_>, at: usize, source: &str, sink: &Sink) {
    let mut from = 0;
    while let Some(found) = source.get(from..).and_then(|rest| rest.find(|c: char| c.is_ascii_digit())) {
        let begin = from + found;
        let rest = source.get(begin..).unwrap_or_default();
        let length = number_length(rest);
        let digits = rest.get(..length).unwrap_or_default();
        let behind = rest.get(length..).unwrap_or_default().trim_start_matches([' ', '\u{a0}', '\u{202f}']);
        let value: Option<f64> = digits.replace(',', "").parse().ok();
        let unit = RATES.into_iter().find(|unit| behind.starts_with(unit)).and_then(find_unit);
        let is_alone = !source.get(..begin).unwrap_or_default().ends_with(|c: char| c.is_alphanumeric() || c == '.');
        if let Some(value) = value.filter(|_| is_alone && (unit.is_some() || digits.contains('e'))) {
            report(text, at + begin, value * unit.map_or(1.0, |unit| unit.factor), Written::Base, sink);
        }
        from = begin + length.max(1);
    }
}

/// How long the number is with which `text` begins: `989`, `3.35`, `2,039`, `989e12`.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while is_digit(end) || matches!(bytes.get(end), Some(b'.' | b',')) && is_digit(end + 1) {
        end += 1;
    }
    if matches!(bytes.get(end), Some(b'e')) && is_digit(end + 1) {
        end += 1;
        while is_digit(end) {
            end += 1;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Tree;

    fn said(path: &str, text: &str) -> Vec<String> {
        let tree = Tree::from_files([(path, text)]);
        let sink = Sink::default();
        look_through(tree.file(path).expect("there"), &sink);
        sink.into_sorted().into_iter().map(|d| format!("{}:{} {}", d.line, d.column, d.message)).collect()
    }

    #[test]
    fn a_fact_that_is_written_out_is_refused_where_it_stands() {
        for (text, place, name) in [
            ("answer = \"2 * 989e12 / n\"", "1:15", "h100_80.peak (or h800.peak, h200_141.peak)"),
            ("answer = \"989 / 3.9 / (4 * head_dim)\"", "1:11", "h100_80.peak"),
            ("then = [\"spent = spent + 2039 * n\"]", "1:26", "a100_80.bandwidth"),
            ("when = \"rate > 3.35 and n == 2\"", "1:16", "h100_80.bandwidth"),
            ("solution = [\"That is {n*989e12|3}.\"]", "1:25", "h100_80.peak"),
            ("say = \"A peak of 989 TFLOP/s.\"", "1:18", "h100_80.peak"),
            ("say = \"HBM has 2,039 GB/s.\"", "1:16", "a100_80.bandwidth"),
            ("say = \"64 × 989e12 × 0.4\"", "1:13", "h100_80.peak"),
        ] {
            let said = said("missions/01-a.toml", text);
            assert_eq!(said.len(), 1, "{text}: {said:?}");
            assert!(said[0].starts_with(place) && said[0].contains(name), "{text}: {said:?}");
        }
        for (text, place) in [
            ("It does `=amdahl 312e12*n ? n=2 as 3`.", "1:18"),
            ("It does `=312e12*2 as 3`.", "1:11"),
            ("It does\n3.35 TB/s.", "2:1"),
            ("+++\nlede = \"It does 3.35 TB/s.\"\n+++\n", "2:17"),
        ] {
            let said = said("chapters/01-a/chapter.md", text);
            assert!(said.len() == 1 && said[0].starts_with(place), "{text}: {said:?}");
        }
    }

    #[test]
    fn what_is_quoted_or_no_fact_stays() {
        for text in [
            "answer = \"989e12\" # quoted: table 3 of the paper",
            "# quoted: table 3 of the paper\nanswer = \"989 / 2\"",
            "answer = \"h100_80.peak / 2\"",
            "say = \"989 people at 989 a day, `989e12`\"",
            "say = \"Reported were `=quoted 312 TFLOP/s`.\"",
            "answer = \"768 * 900\"",
            "seed = 989",
        ] {
            assert_eq!(said("missions/01-a.toml", text), Vec::<String>::new(), "{text}");
        }
        assert_eq!(said("chapters/01-a/chapter.md", "```notes\nIt does 989e12.\n```\n").len(), 1);
        let listing = "```py\npeak = 989e12\n```\n";
        assert_eq!(said("chapters/01-a/chapter.md", listing), Vec::<String>::new());
    }
}
