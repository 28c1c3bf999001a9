//! What a terminal or a table broke over several lines, made whole: it stands where it began, and the lines that it took are empty. Quoting and
//! indentation of Markdown go, too.

use std::borrow::Cow;
use std::ops::Range;

use super::output::{fields, is_failure};
use crate::terminal::plain;

/// A line that was broken has at least so many characters, and a word that didn't fit makes it shorter by at most so many.
const WIDTH: usize = 60;
const WORD: usize = 20;
/// Lines that one line is broken over at most.
const PIECES: usize = 8;

/// The text with each broken line of numbers in one piece.
pub(super) fn whole(text: &str) -> Cow<'_, str> {
    let lines: Vec<Cow<'_, str>> = text.lines().map(plain).collect();
    if text.contains("| LLM Metrics") {
        return Cow::Owned(cells(&lines).join("\n"));
    }
    let groups = groups(&lines);
    if groups.is_empty() {
        return Cow::Borrowed(text);
    }
    let piece = |i: usize| lines.get(i).map_or("", |line| line.trim_end());
    let width = groups.iter().flat_map(|group| group.start..group.end - 1).map(|i| piece(i).len()).max().unwrap_or(0);
    // Broken at the terminal's width, in the middle of a word, or between words.
    let joined = |group: &Range<usize>, is_hard: bool| {
        let mut text = String::new();
        for i in group.clone() {
            text.push_str(piece(i));
            // A space at the very end is lost.
            if i + 1 < group.end && !(is_hard && piece(i).len() == width) {
                text.push(' ');
            }
        }
        text
    };
    let count = |is_hard| groups.iter().map(|group| fields(&joined(group, is_hard)).len()).sum::<usize>();
    let is_full = |group: &Range<usize>| (group.start..group.end - 1).filter(|i| piece(*i).len() == width).count();
    let (hard, soft) = (count(true), count(false));
    let is_hard = hard > soft || hard == soft && groups.iter().map(is_full).sum::<usize>() > 1;
    let mut all: Vec<Cow<'_, str>> = text.lines().map(Cow::Borrowed).collect();
    for group in &groups {
        for i in group.clone() {
            if let Some(line) = all.get_mut(i) {
                *line = if i == group.start { joined(group, is_hard).into() } else { "".into() };
            }
        }
    }
    let end = if text.ends_with('\n') { "\n" } else { "" };
    Cow::Owned(all.join("\n") + end)
}

/// Lines that belong together: in one piece they have other numbers than apart.
fn groups(lines: &[Cow<'_, str>]) -> Vec<Range<usize>> {
    let piece = |i: usize| lines.get(i).map_or("", |line| line.trim_end());
    let (mut groups, mut i) = (Vec::new(), 0);
    while i < lines.len() {
        let first = piece(i);
        let mut end = i + 1;
        let mut most = first.len();
        while first.len() >= WIDTH && end < (i + PIECES).min(lines.len()) {
            let (before, next) = (piece(end - 1).len(), piece(end));
            if before + WORD < most || next.len() > most + WORD || !continues(first, next) {
                break;
            }
            most = most.max(next.len());
            end += 1;
        }
        // Of the pieces of a line only one can have what it is known by.
        let end = match end > i + 1 {
            true => (i..end).filter(|j| !fields(piece(*j)).is_empty()).nth(1).unwrap_or(end),
            false => end,
        };
        let is_group = end > i + 1 && {
            let with = |space: &str| fields(&(i..end).map(piece).collect::<Vec<_>>().join(space));
            let own: Vec<_> = (i..end).flat_map(|j| fields(piece(j))).collect();
            with("") != own || with(" ") != own
        };
        if is_group {
            groups.push(i..end);
        }
        i = if is_group { end } else { i + 1 };
    }
    groups
}

/// Whether a line may go on where another broke off.
fn continues(first: &str, line: &str) -> bool {
    let bare = line.trim_start();
    let word = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    // A date, a time, a rank before a colon.
    let is_stamp = digits > 0 && bare.as_bytes().get(digits).is_some_and(|b| b"-/:".contains(b));
    bare.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ":|.,)%=/".contains(c))
        && !is_stamp
        && word(first) != word(bare)
        // A progress bar is no piece, and a dictionary that ends is whole.
        && !bare.contains("%|")
        && !first.ends_with('}')
        && !is_failure(line)
}

/// The rows of a report of GenAI-Perf or AIPerf, each with its name, which may take several lines, and its mean.
fn cells(lines: &[Cow<'_, str>]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut row: Option<(usize, String, String)> = None;
    let close = |row: &mut Option<(usize, String, String)>, all: &mut Vec<String>| {
        if let Some((at, name, mean)) = row.take()
            && let Some(line) = all.get_mut(at)
        {
            *line = format!("{name}: {mean}");
        }
    };
    for (i, line) in lines.iter().enumerate() {
        let bare = line.trim();
        let mut cells = bare.strip_prefix('│').unwrap_or_default().split('│').map(str::trim);
        let (name, mean) = (cells.next().unwrap_or_default(), cells.next());
        all.push(String::new());
        match (mean, &mut row) {
            (Some(""), Some((_, whole, _))) => {
                whole.push(' ');
                whole.push_str(name);
            }
            (Some(mean), _) => {
                close(&mut row, &mut all);
                row = Some((i, name.to_owned(), mean.to_owned()));
            }
            (None, _) => {
                close(&mut row, &mut all);
                if !bare.starts_with(|c: char| ('\u{2500}'..='\u{257f}').contains(&c))
                    && let Some(own) = all.last_mut()
                {
                    bare.clone_into(own);
                }
            }
        }
    }
    close(&mut row, &mut all);
    all
}

/// The tag of a launcher that all lines have: `[rank0]: `, `0: `. What an error says keeps it, because it names the rank.
fn tag(text: &str) -> Option<String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    let (tag, _) = first.split_once(": ")?;
    let number = tag.trim_start_matches("[rank").trim_end_matches(']');
    let is_tag = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let tag = format!("{tag}: ");
    // An empty line has the tag alone.
    let has_it = |line: &str| line.starts_with(&tag) || line == tag.trim_end();
    (is_tag && lines.clone().next().is_some() && lines.all(has_it) && !text.lines().any(is_failure)).then_some(tag)
}

/// A line of a notebook's cell without what only the notebook reads: the magic that says what the cell is, such as `%%writefile x.yaml` or `%%bash`, and
/// the mark of a command, `!torchrun …`.
fn cell(line: &str) -> &str {
    let is_word = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
    match (line.strip_prefix("%%"), line.strip_prefix('!')) {
        (Some(rest), _) if is_word(rest) => line.get(line.trim_end_matches(['\r', '\n']).len()..).unwrap_or_default(),
        (_, Some(rest)) if is_word(rest) => rest,
        _ => line,
    }
}

/// A text as a program wrote it: with line ends of Unix, without a terminal's colors, a launcher's tag or Markdown's marks of a quote, where all lines have
/// the same, and with the indented blocks of YAML in it where they begin in the first column.
pub(super) fn bare(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains("\r\n") {
        text = Cow::Owned(text.replace("\r\n", "\n"));
    }
    if text.contains('\u{1b}') {
        text = Cow::Owned(text.split_inclusive('\n').map(plain).collect());
    }
    if let Some(tag) = tag(&text) {
        let without = |line: &str| line.strip_prefix(tag.as_str()).unwrap_or(line).to_owned();
        text = Cow::Owned(text.split_inclusive('\n').map(without).collect());
    }
    for _ in 0..4 {
        let is_quoted = |line: &str| line.trim_start().starts_with('>') || line.trim().is_empty();
        if text.lines().count() < 2 || text.trim().is_empty() || !text.lines().all(is_quoted) {
            break;
        }
        let plain = |line: &str| {
            let rest = line.trim_start().strip_prefix('>').unwrap_or_default();
            rest.strip_prefix(' ').unwrap_or(rest).to_owned()
        };
        let end = if text.ends_with('\n') { "\n" } else { "" };
        text = Cow::Owned(text.lines().map(plain).collect::<Vec<_>>().join("\n") + end);
    }
    if text.lines().any(|line| cell(line) != line) {
        text = Cow::Owned(text.split_inclusive('\n').map(|line| cell(line).to_owned()).collect());
    }
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_key = |line: &str| line.trim().split_once(':').is_some_and(|(key, _)| super::parts::is_word(key));
    // A heading, or a sentence: no comment of YAML, whose keys have no spaces.
    let is_prose = |line: &str| line.starts_with("##") || line.contains(' ') && !line.contains(['=', '{', '"', '#']);
    let mut cut = vec![0; lines.len()];
    let mut before = Some("## ");
    let mut i = 0;
    while let Some(line) = lines.get(i) {
        if line.trim().is_empty() {
            i += 1;
            continue;
        }
        let own = indent(line);
        let is_apart = i == 0 || lines.get(i - 1).is_some_and(|line| line.trim().is_empty());
        let prose = before.is_some_and(|line| indent(line) == 0 && is_prose(line));
        let mut to = i + 1;
        if own >= 4 && is_apart && prose {
            to = (i..lines.len())
                .find(|j| lines.get(*j).is_some_and(|line| !line.trim().is_empty() && indent(line) < own))
                .unwrap_or(lines.len());
            cut.iter_mut().take(to).skip(i).for_each(|cut| *cut = own);
        }
        before = lines.get(to - 1).copied();
        i = to;
    }
    let has_yaml = lines.iter().zip(&cut).any(|(line, cut)| *cut > 0 && indent(line) == *cut && is_key(line));
    if !has_yaml {
        return text;
    }
    let all: Vec<&str> = lines.iter().zip(cut).map(|(line, cut)| line.get(cut..).unwrap_or_default()).collect();
    Cow::Owned(all.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_notebook_puts_before_a_cell_goes() {
        let text =
            "%%writefile /w/config.yaml\n\nstage: sft\n%%time of it\n!torchrun --nproc_per_node 8 train.py\n!! %% 5\n";
        assert_eq!(bare(text), "\n\nstage: sft\n\ntorchrun --nproc_per_node 8 train.py\n!! %% 5\n");
        assert!(matches!(bare("stage: sft\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_number_that_was_broken_is_whole() {
        let line = "[rank0]:[titan] 2026-05-18 16:04:46,338 - root - INFO - step: 14  loss:  3.24405  grad_norm:  0.8319  memory: 60.11GiB(63.3%)  tps: 7,282  tflops: 353.10  mfu: 35.70%";
        let next = line.replace("step: 14", "step: 15");
        let own = fields(line);
        for width in 60..line.len() {
            // A terminal breaks anywhere and loses the space at an end; the last piece may be a short one.
            let broken = |line: &str| {
                let pieces: Vec<&str> =
                    (0..line.len()).step_by(width).map(|at| &line[at..line.len().min(at + width)]).collect();
                pieces.iter().map(|piece| format!("{}\n", piece.trim_end())).collect::<String>()
            };
            let text = format!("{}{}", broken(line), broken(&next));
            let all: Vec<_> = whole(&text).lines().map(fields).filter(|fields| !fields.is_empty()).collect();
            // Nothing that was printed is another number.
            for (_, is, value) in all.iter().flatten() {
                assert!(
                    own.iter().any(|(_, other, right)| is == other && value == right),
                    "{width}: {is:?} {value}\n{text}"
                );
            }
            assert_eq!(whole(&text).lines().count(), text.lines().count(), "{width}");
        }
    }

    #[test]
    fn lines_of_their_own_stay_apart() {
        for text in [
            "step 20: train loss 3.2104, val loss 3.3201, and what else a loop of somebody’s prints\niter 20: loss 3.1, time 250.00ms, mfu 30.00%\n",
            "completed step: 9, seconds: 5.667, TFLOP/s/device: 134.924, Tokens/s/device: 8672.758, loss: 10.374\ncompleted step: 10, seconds: 5.660, TFLOP/s/device: 135.1, Tokens/s/device: 8680.1, loss: 10.3\n",
            " iteration       86/     100 | elapsed time per iteration (ms): 5695.8 | global batch size:   128 |\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
            "prompt eval time =    2441.22 ms /   161 tokens (   15.16 ms per token,    65.95 tokens per second)\n       eval time =  349899.35 ms /  8853 tokens (   39.52 ms per token,    25.30 tokens per second)\n",
        ] {
            let apart: Vec<_> = text.lines().flat_map(fields).collect();
            assert_eq!(whole(text).lines().flat_map(fields).collect::<Vec<_>>(), apart, "{text}");
            assert!(whole(text).lines().all(|line| !line.is_empty()) || !text.contains("Error"), "{text}");
        }
    }

    #[test]
    fn what_is_around_all_lines_goes() {
        assert_eq!(bare("> a: 1\n>\n> b: 2\n"), "a: 1\n\nb: 2\n");
        assert_eq!(bare("[rank0]: a\n[rank0]:\n[rank0]: b\r\n"), "a\n[rank0]:\nb\n");
        assert_eq!(bare("\u{1b}[31ma\u{1b}[0m\nb"), "a\nb");
        // Of an error the rank stays, and so does what only some lines have.
        for text in
            ["[rank0]: a\n[rank0]: ValueError: x\n", "[rank0]: a\n[rank1]: b\n", "> a\nb\n", "spec:\n\n    a: 1\n", "a"]
        {
            assert!(matches!(bare(text), Cow::Borrowed(same) if same == text), "{text}");
        }
        assert_eq!(bare("## Setup\n\n    a: 1\n    b:\n      c: 2\n"), "## Setup\n\na: 1\nb:\n  c: 2");
    }
}
