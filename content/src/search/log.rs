//! A pasted log, read line by line against the signs of `signs.toml`. It is read where it is pasted.

use ringside_core::answer::{Measure, find_unit};
use ringside_core::decimal;

use super::fold_text;
use crate::schema::Sign;

/// The most characters of a log that are read.
pub const MOST: usize = 2_000_000;
/// A message may be broken over so many lines.
const WINDOW: usize = 4;
/// The most bytes of a line that are looked at.
const LONGEST: usize = 4000;

/// A sign that was seen in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Which sign, as an index into the list.
    pub sign: usize,
    /// The first line that has it, counted from 1.
    pub line: usize,
    /// That line, as it stands.
    pub text: String,
    /// How many lines have it.
    pub times: usize,
    /// What was kept of the first: name and text.
    pub kept: Vec<(String, String)>,
}

/// What came of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogReading {
    /// Lines with something in them.
    pub lines: usize,
    /// Of these, those that are recognised.
    pub recognised: usize,
    /// The signs, in the order in which they are first seen.
    pub seen: Vec<Seen>,
}

/// Reads a log; of one that is too long, its end.
pub fn read_log(signs: &[Sign], log: &str) -> LogReading {
    let cut = log.char_indices().rev().nth(MOST.saturating_sub(1)).map_or(0, |(at, _)| at);
    let lines: Vec<&str> = log.get(cut..).unwrap_or_default().lines().collect();
    let patterns: Vec<Vec<Vec<Piece>>> = signs.iter().map(|s| s.lines.iter().map(|p| pieces(p)).collect()).collect();
    let mut reading = LogReading::default();
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        reading.lines += 1;
        let window = lines.iter().skip(i).take(WINDOW).map(|l| l.trim()).collect::<Vec<_>>().join(" ");
        let window = Text::of(clipped(&window));
        let own = Text::of(clipped(line.trim())).folded.len();
        let found = patterns.iter().enumerate().find_map(|(sign, patterns)| {
            let kept = patterns.iter().find_map(|pattern| fits(pattern, &window, own))?;
            let larger = signs.get(sign).and_then(|s| s.larger.as_ref());
            larger.is_none_or(|[a, b]| is_larger(&kept, a, b)).then_some((sign, kept))
        });
        let Some((sign, kept)) = found else { continue };
        reading.recognised += 1;
        match reading.seen.iter_mut().find(|seen| seen.sign == sign) {
            Some(seen) => seen.times += 1,
            None => {
                let text = clipped(line.trim()).to_owned();
                reading.seen.push(Seen { sign, line: i + 1, text, times: 1, kept });
            }
        }
    }
    reading
}

/// Whether a text is more than a few words to look for: several lines, or a line that a sign knows.
pub fn is_log(signs: &[Sign], text: &str) -> bool {
    text.trim().contains('\n') || !read_log(signs, text).seen.is_empty()
}

/// At most [`LONGEST`] bytes of a line.
fn clipped(line: &str) -> &str {
    let mut end = line.len().min(LONGEST);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

/// A line folded, with the place of each folded character in the original.
struct Text {
    folded: Vec<char>,
    original: Vec<char>,
}

impl Text {
    /// Case alone is folded, so that every character keeps its place.
    fn of(line: &str) -> Self {
        let original: Vec<char> = line.chars().collect();
        let folded = fold_text(&original);
        Self { folded, original }
    }
}

/// A piece of a pattern: words, or a place for anything, with a name or without.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(Vec<char>),
    Anything(Option<String>),
}

/// The pieces of a pattern.
fn pieces(pattern: &str) -> Vec<Piece> {
    let mut all = Vec::new();
    let words = |text: &str, all: &mut Vec<Piece>| {
        let text: Vec<char> = text.trim().chars().collect();
        if !text.is_empty() {
            all.push(Piece::Words(fold_text(&text)));
        }
    };
    let mut rest = pattern;
    while let Some(at) = rest.find(['…', '{']) {
        let (before, from) = rest.split_at(at);
        words(before, &mut all);
        match from.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((name, after)) => {
                all.push(Piece::Anything(Some(name.to_owned())));
                rest = after;
            }
            None => {
                all.push(Piece::Anything(None));
                rest = from.get(from.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
            }
        }
    }
    words(rest, &mut all);
    all
}

/// What a pattern keeps of a text that it fits; the first words must begin within the first `own` characters.
fn fits(pattern: &[Piece], text: &Text, own: usize) -> Option<Vec<(String, String)>> {
    let mut kept = Vec::new();
    let (mut at, mut open) = (0, None::<(&str, usize)>);
    for (i, piece) in pattern.iter().enumerate() {
        match piece {
            Piece::Words(words) => {
                let found = find(&text.folded, words, at).filter(|found| i > 0 || *found < own)?;
                if let Some((name, from)) = open.take() {
                    kept.push((name.to_owned(), text.original.get(from..found)?.iter().collect::<String>()));
                }
                at = found + words.len();
            }
            Piece::Anything(Some(name)) => open = Some((name, at)),
            Piece::Anything(None) => {}
        }
    }
    if let Some((name, from)) = open {
        // At the end of a pattern: to the end of the sentence.
        let rest = text.original.get(from..)?;
        let end = rest.windows(2).position(|two| matches!(two, ['.' | ',' | ';', ' '])).unwrap_or(rest.len());
        kept.push((name.to_owned(), rest.get(..end)?.iter().collect::<String>()));
    }
    for (_, text) in &mut kept {
        *text = text.trim().trim_end_matches(['.', ',', ')']).chars().take(80).collect();
    }
    Some(kept)
}

/// Where `words` are first found in `text`, from a place on.
fn find(text: &[char], words: &[char], from: usize) -> Option<usize> {
    let all = text.get(from..)?;
    all.windows(words.len()).position(|window| window == words).map(|at| from + at)
}

fn is_larger(kept: &[(String, String)], a: &str, b: &str) -> bool {
    let size = |name: &str| kept.iter().find(|(n, _)| n == name).and_then(|(_, text)| bytes(text));
    size(a).zip(size(b)).is_some_and(|(a, b)| a > b)
}

/// The size at the beginning of a text, in bytes: `15.02 GiB`.
fn bytes(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace();
    let number = decimal::parse(words.next()?)?;
    let unit = find_unit(words.next()?.trim_end_matches(['.', ',']))?;
    (unit.measure == Measure::Bytes).then_some(number * unit.factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(lines: &[&str], larger: Option<[&str; 2]>) -> Sign {
        let lines = lines.iter().map(|l| (*l).to_owned()).collect();
        Sign { lines, larger: larger.map(|names| names.map(str::to_owned)), ..Sign::default() }
    }

    fn signs() -> Vec<Sign> {
        let memory = "out of memory. Tried to allocate {asked}. GPU … and {unallocated} is reserved";
        vec![
            sign(&[memory], Some(["unallocated", "asked"])),
            sign(&["out of memory. Tried to allocate {asked}"], None),
            sign(&["Watchdog … SeqNum={number}, OpType={operation},", "NCCL WARN"], None),
        ]
    }

    #[test]
    fn lines_are_recognised_and_counted() {
        let log =
            "step 1\n\nrank0: Watchdog caught: WorkNCCL(SeqNum=808, OpType=ALLREDUCE, Numel=1)\nx nccl warn y\nend";
        let reading = read_log(&signs(), log);
        assert_eq!((reading.lines, reading.recognised), (4, 2));
        let [seen] = &reading.seen[..] else { panic!("{reading:?}") };
        assert_eq!((seen.sign, seen.line, seen.times), (2, 3, 2));
        let kept = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(seen.kept, [kept("number", "808"), kept("operation", "ALLREDUCE")]);
    }

    #[test]
    fn sizes_tell_holes_from_a_shortage() {
        let log = |unallocated: &str| {
            format!(
                "E: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has\n79 GiB, and {unallocated} is reserved"
            )
        };
        let first = |unallocated: &str| read_log(&signs(), &log(unallocated)).seen[0].clone();
        assert_eq!(first("16.92 GiB").sign, 0, "broken over two lines");
        assert_eq!(first("16.92 GiB").kept[1].1, "16.92 GiB");
        assert_eq!(first("16.92 MiB").sign, 1);
        assert_eq!(first("").sign, 1);
        assert_eq!(first("16.92 MiB").kept, [("asked".to_owned(), "2.00 GiB".to_owned())]);
    }

    #[test]
    fn a_question_is_no_log() {
        assert!(!is_log(&signs(), "why is attention quadratic"));
        assert!(!is_log(&signs(), " one line \n"));
        assert!(is_log(&signs(), "NCCL WARN"));
        assert!(is_log(&signs(), "two\nlines"));
        assert_eq!(read_log(&signs(), "").lines, 0);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|\n){0,300}", pattern in "\\PC{0,30}") {
            let signs = [sign(&[&pattern], None), sign(&["{a}"], Some(["a", "a"]))];
            let reading = read_log(&signs, &text);
            assert!(reading.recognised <= reading.lines);
        }
    }
}
