//! Patterns of lines, and an index by which a line meets only those whose first words it may have.

/// What a pattern kept of a line: names and texts.
pub type Kept = Vec<(String, String)>;

/// The most characters that are kept under a name.
const KEPT: usize = 80;

/// A line with single spaces, and the same in small letters: ASCII alone is folded, so that every byte keeps its place.
pub struct Line {
    original: String,
    folded: String,
}

impl Line {
    pub fn of(text: &str) -> Self {
        let mut original = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !original.is_empty() {
                original.push(' ');
            }
            original.push_str(word);
        }
        Self { folded: original.to_ascii_lowercase(), original }
    }

    pub fn len(&self) -> usize {
        self.folded.len()
    }

    /// The line from a byte on.
    pub fn from(&self, at: usize) -> &str {
        self.original.get(at..).unwrap_or(&self.original)
    }
}

/// A piece of a pattern: words, or a place for anything, with a name or without.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(String),
    Anything(Option<String>),
}

/// Words that follow each other in a line, and what is kept between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
    /// Whether a line begins with it.
    begins: bool,
    /// Whether a line ends with it.
    ends: bool,
}

impl Pattern {
    pub fn parse(pattern: &str) -> Self {
        let mut all = Vec::new();
        let words = |text: &str, all: &mut Vec<Piece>| {
            if !text.trim().is_empty() {
                all.push(Piece::Words(text.trim().to_ascii_lowercase()));
            }
        };
        let (begins, pattern) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
        let (ends, pattern) = pattern.strip_suffix('$').map_or((false, pattern), |rest| (true, rest));
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
        Self { pieces: all, begins, ends }
    }

    /// The names that it keeps.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Anything(name) => name.as_deref(),
            Piece::Words(_) => None,
        })
    }

    /// The words that it begins with; empty if it begins with anything.
    fn first(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Words(words)) => words,
            _ => "",
        }
    }

    /// Where it begins in a line that it fits.
    pub fn begins_at(&self, line: &Line) -> usize {
        find(&line.folded, self.first(), 0, usize::MAX).unwrap_or_default()
    }

    /// What it keeps of a line that it fits; the first words must begin within the first `own` bytes.
    pub fn fits(&self, line: &Line, own: usize) -> Option<Kept> {
        let mut kept = Vec::new();
        let (mut at, mut open) = (0, None::<(&str, usize)>);
        for (i, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Words(words) => {
                    let found = find(&line.folded, words, at, own)?;
                    if i == 0 && (found >= own || (self.begins && found > 0)) {
                        return None;
                    }
                    if let Some((name, from)) = open.take() {
                        kept.push((name.to_owned(), line.original.get(from..found)?));
                    }
                    at = found + words.len();
                }
                Piece::Anything(Some(name)) => {
                    // Beside another one: that is a word.
                    if let Some((before, from)) = open.take() {
                        let rest = line.original.get(from..)?.trim_start();
                        let word = rest.split(' ').next().unwrap_or_default();
                        kept.push((before.to_owned(), word));
                        at = line.original.len() - rest.len() + word.len();
                    }
                    open = Some((name, at));
                }
                Piece::Anything(None) => {}
            }
        }
        if self.ends && open.is_none() && at < line.folded.len() {
            return None;
        }
        if let Some((name, from)) = open {
            // At the end of a pattern: to the end of the clause, and of the line.
            let to = if from < own { own.min(line.original.len()) } else { line.original.len() };
            let rest = line.original.get(from..to)?.trim_start();
            let ends = |two: &[u8]| matches!(two, [b'.' | b',' | b';' | b':' | b')', b' ']);
            let end = rest.as_bytes().windows(2).position(ends).unwrap_or(rest.len());
            kept.push((name.to_owned(), rest.get(..end)?));
        }
        let tidy =
            |text: &str| text.trim().trim_end_matches(['.', ',', ')', '|']).trim_end().chars().take(KEPT).collect();
        Some(kept.into_iter().map(|(name, text)| (name, tidy(text))).collect())
    }
}

/// Where `words` first stand in `text` from a place on, not inside another word or number. A word may end where the next line was joined, at `own`;
/// a number may go on there.
fn find(text: &str, words: &str, from: usize, own: usize) -> Option<usize> {
    let mut from = from;
    while let Some(found) = text.get(from..)?.find(words) {
        let at = from + found;
        let after = at + words.len();
        let joined = |a: Option<char>, b: Option<char>| {
            a.zip(b).is_some_and(|(a, b)| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric())
        };
        let last = words.chars().next_back();
        let is_end = after == own && last.is_some_and(char::is_alphabetic);
        let inside = joined(text.get(..at)?.chars().next_back(), words.chars().next())
            || !is_end && joined(last, text.get(after..)?.chars().next());
        if !inside {
            return Some(at);
        }
        from = at + words.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// How many bytes of a pattern's first words it is looked up by, and into how many lists.
const KEY: usize = 3;
const LISTS: usize = 1024;

/// Patterns by their first bytes, so that a line costs its own length and not that of the list of patterns.
pub struct Index {
    patterns: Vec<Pattern>,
    lists: Vec<Vec<usize>>,
    /// Those that begin with fewer bytes than the key has.
    short: Vec<usize>,
}

impl Index {
    pub fn of(patterns: Vec<Pattern>) -> Self {
        let (mut lists, mut short) = (vec![Vec::new(); LISTS], Vec::new());
        for (i, pattern) in patterns.iter().enumerate() {
            match pattern.first().as_bytes().get(..KEY).and_then(|key| lists.get_mut(list_of(key))) {
                Some(list) => list.push(i),
                None => short.push(i),
            }
        }
        Self { patterns, lists, short }
    }

    pub fn get(&self, i: usize) -> Option<&Pattern> {
        self.patterns.get(i)
    }

    /// The patterns whose first words are in the first `own` bytes of a line, in order.
    pub fn candidates(&self, line: &Line, own: usize) -> Vec<usize> {
        let bytes = line.folded.as_bytes();
        let mut found = self.short.clone();
        for (at, key) in bytes.windows(KEY).enumerate().take(own) {
            for i in self.lists.get(list_of(key)).into_iter().flatten() {
                let starts = |p: &Pattern| bytes.get(at..).is_some_and(|rest| rest.starts_with(p.first().as_bytes()));
                if self.patterns.get(*i).is_some_and(starts) && !found.contains(i) {
                    found.push(*i);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

fn list_of(key: &[u8]) -> usize {
    key.iter().fold(0_usize, |n, b| n.wrapping_mul(37).wrapping_add(usize::from(*b))) % LISTS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, text: &str) -> Option<Kept> {
        let line = Line::of(text);
        Pattern::parse(pattern).fits(&line, usize::MAX)
    }

    fn kept(pattern: &str, text: &str) -> Vec<String> {
        fits(pattern, text).expect("it fits").into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn captures_side_by_side_are_a_word_each() {
        assert_eq!(
            kept("used {used} of {capacity} {space}", "Used 21.95G of 15.48G hbm."),
            ["21.95G", "15.48G", "hbm"]
        );
        assert_eq!(
            kept("^failed {user} {since} {node}$", "failed root 2024-01-25T15:12:23 ip-10"),
            ["root", "2024-01-25T15:12:23", "ip-10"]
        );
    }

    #[test]
    fn words_are_whole_words() {
        assert!(fits("loss: nan", "Loss: NaN |").is_some());
        assert!(fits("loss: nan", "loss: nano").is_none());
        assert!(fits("Xid 4", "Xid 43 Xid 4").is_some(), "the second");
        assert!(fits("Xid 4", "Xid 43").is_none());
        assert!(fits("^Killed$", " Killed ").is_some());
        assert!(fits("^Killed$", "was Killed").is_none() && fits("^Killed$", "Killed it").is_none());
    }

    #[test]
    fn what_stands_between_words_is_kept() {
        assert_eq!(
            kept("Tried to allocate {a} (GPU {b}; {c} total", "tried to allocate 2.00 MiB (GPU 0; 15 GiB total"),
            ["2.00 MiB", "0", "15 GiB"]
        );
        assert_eq!(kept("scale: {scale} |", "loss scale: 1.0 | grad"), ["1.0"]);
        assert_eq!(kept("got signal: {n}", "Process 3 got signal: 15"), ["15"]);
        assert_eq!(kept("task {n}", "error: task 37: Killed"), ["37"]);
    }

    #[test]
    fn words_may_end_where_the_next_line_was_joined() {
        let fits = |pattern: &str, line: &str, next: &str| {
            Pattern::parse(pattern).fits(&Line::of(&format!("{line}{next}")), line.len()).is_some()
        };
        assert!(fits("runtime is configured", "no runtime is configured", "2m52s Warning"));
        assert!(!fits("runtime is config", "no runtime is configured", "2m52s Warning"));
        assert!(!fits("Xid 4", "NVRM: Xid 4", "3, pid=1"));
    }

    #[test]
    fn the_index_finds_what_stands_in_a_line() {
        let patterns = ["NCCL WARN", "WARN … x", "ab", "nothing of it"];
        let index = Index::of(patterns.into_iter().map(Pattern::parse).collect());
        assert_eq!(index.candidates(&Line::of("a NCCL  WARN y"), usize::MAX), [0, 1, 2]);
    }

    proptest::proptest! {
        #[test]
        fn any_pattern_meets_any_line(pattern in "\\PC{0,30}", text in "\\PC{0,200}", own in 0..300_usize) {
            let line = Line::of(&text);
            let pattern = Pattern::parse(&pattern);
            let fits = pattern.fits(&line, own).is_some();
            let index = Index::of(vec![pattern]);
            assert!(!fits || index.candidates(&line, own) == [0]);
        }
    }
}
