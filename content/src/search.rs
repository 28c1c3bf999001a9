//! Search over [`SearchEntry`]s, in the browser, at every keystroke.
//!
//! Every word of the query must occur in an entry; the last one may be unfinished. Case and diacritics do not matter,
//! and a plural matches its singular. A word in the title counts more than one in the context, and that more than one
//! in the text. Equal scores keep the order of the entries. Nothing is indexed or allocated ahead: at the size of a
//! course, a scan takes a few milliseconds.

mod log;
mod spelling;

use std::ops::Range;

pub use log::{At, Condition, LogReading, Seen, read_log};
pub use spelling::corrected;

use crate::schema::SearchEntry;

/// A found entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Which entry, as an index into the searched list.
    pub index: usize,
    /// Higher is better.
    pub score: u32,
    /// Where words of the query are in the title, as byte ranges in order.
    pub title_marks: Vec<Range<usize>>,
    /// The piece of the text to show, as a byte range.
    pub snippet: Range<usize>,
    /// Where words of the query are in that piece, as byte ranges of the **whole** text, in order.
    pub marks: Vec<Range<usize>>,
}

/// How much of the text a snippet shows, in characters before and after its first match.
const BEFORE: usize = 40;
const AFTER: usize = 120;

/// The best `limit` entries for `query`. A query without a letter or digit finds nothing.
pub fn search(entries: &[SearchEntry], query: &str, limit: usize) -> Vec<Hit> {
    let words = words_of(query);
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits: Vec<Hit> =
        entries.iter().enumerate().filter_map(|(index, entry)| look(index, entry, &words)).collect();
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    hits.truncate(limit);
    for hit in &mut hits {
        if let Some(entry) = entries.get(hit.index) {
            show(hit, entry, &words);
        }
    }
    hits
}

/// A word of the query, folded.
struct Word {
    chars: Vec<char>,
    /// Whether it may be unfinished.
    prefix: bool,
}

fn words_of(query: &str) -> Vec<Word> {
    let folded: Vec<char> = query.chars().flat_map(fold).collect();
    let mut words: Vec<Word> = folded
        .split(|c| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(|w| Word { chars: w.to_vec(), prefix: false })
        .collect();
    // A space after the last word says that it is finished.
    if let (Some(last), Some(true)) = (words.last_mut(), folded.last().map(|c| c.is_alphanumeric())) {
        last.prefix = true;
    }
    words
}

/// Whether and how well an entry matches; its marks are filled in later, for the few that are shown.
fn look(index: usize, entry: &SearchEntry, words: &[Word]) -> Option<Hit> {
    let mut score = 0;
    for word in words {
        let title = find(&entry.title, word);
        let context = find(&entry.context, word);
        let text = find(&entry.text, word);
        let whole = |found: &Option<Found>| u32::from(found.as_ref().is_some_and(|f| f.whole));
        // A title outweighs a context and a text together, whole words outweigh beginnings.
        score += match (&title, &context, &text) {
            (None, None, None) => return None,
            _ => {
                title.as_ref().map_or(0, |f| 24 + 8 * whole(&title) + 4 * u32::from(f.at.start == 0))
                    + context.as_ref().map_or(0, |_| 6 + 2 * whole(&context))
                    + text.as_ref().map_or(0, |_| 1 + whole(&text))
            }
        };
    }
    Some(Hit { index, score, title_marks: Vec::new(), snippet: 0..0, marks: Vec::new() })
}

fn show(hit: &mut Hit, entry: &SearchEntry, words: &[Word]) {
    hit.title_marks = marks(&entry.title, 0..entry.title.len(), words);
    let first = words.iter().filter_map(|w| find(&entry.text, w)).map(|f| f.at.start).min().unwrap_or(0);
    let start = entry.text[..first].char_indices().rev().take(BEFORE).last().map_or(first, |(i, _)| i);
    // Do not begin inside a word, unless the text has no space there.
    let start = if start == 0 {
        0
    } else {
        entry.text[start..first].find(char::is_whitespace).map_or(start, |i| {
            let space = start + i;
            space + entry.text[space..].chars().next().map_or(0, char::len_utf8)
        })
    };
    let end = entry.text[first..].char_indices().nth(AFTER).map_or(entry.text.len(), |(i, _)| first + i);
    let end = if end == entry.text.len() {
        end
    } else {
        entry.text[first..end].rfind(char::is_whitespace).filter(|&i| i > 0).map_or(end, |i| first + i)
    };
    hit.snippet = start..end;
    hit.marks = marks(&entry.text, start..end, words);
}

fn marks(text: &str, range: Range<usize>, words: &[Word]) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for word in words {
        let mut from = range.start;
        while let Some(found) = find_in(text, from..range.end, word) {
            from = found.at.end;
            all.push(found.at);
        }
    }
    all.sort_by_key(|r| (r.start, std::cmp::Reverse(r.end)));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(all.len());
    for mark in all {
        if apart.last().is_none_or(|last| last.end <= mark.start) {
            apart.push(mark);
        }
    }
    apart
}

struct Found {
    at: Range<usize>,
    /// Whether the whole word matched, not its beginning alone.
    whole: bool,
}

/// The best occurrence of a word: the first whole one, or else the first.
fn find(text: &str, word: &Word) -> Option<Found> {
    let (mut from, mut first) = (0, None);
    while let Some(found) = find_in(text, from..text.len(), word) {
        if found.whole {
            return Some(found);
        }
        from = found.at.end;
        first.get_or_insert(found);
    }
    first
}

/// The first occurrence of a word inside `range`, at the beginning of a word of the text.
fn find_in(text: &str, range: Range<usize>, word: &Word) -> Option<Found> {
    let first = *word.chars.first()?;
    let mut before = text.get(..range.start)?.chars().next_back();
    for (offset, c) in text.get(range.clone())?.char_indices() {
        let starts_word = before.is_none_or(|b| !in_word(b));
        before = Some(c);
        if !starts_word || fold(c).next() != Some(first) {
            continue;
        }
        let at = range.start + offset;
        if let Some((end, whole)) = match_at(&text[at..range.end], word) {
            return Some(Found { at: at..at + end, whole });
        }
    }
    None
}

/// Whether `text` begins with the word: how many bytes it takes, and whether the text's word ends there.
fn match_at(text: &str, word: &Word) -> Option<(usize, bool)> {
    let mut wanted = word.chars.iter().peekable();
    let mut chars = text.char_indices();
    let mut end = 0;
    'next: while wanted.peek().is_some() {
        let (i, c) = chars.next()?;
        for folded in fold(c) {
            match wanted.next() {
                Some(w) if *w == folded => {}
                // The word ends inside a character that folds to two (“ß”): a beginning.
                None if word.prefix => {
                    end = i + c.len_utf8();
                    break 'next;
                }
                _ => return None,
            }
        }
        end = i + c.len_utf8();
    }
    // Combining marks belong to the last character.
    let mut rest = text[end..].chars().skip_while(|&c| is_combining(c));
    end += text[end..].chars().take_while(|&c| is_combining(c)).map(char::len_utf8).sum::<usize>();
    let next = rest.next();
    if next.is_none_or(|c| !in_word(c)) {
        return Some((end, true));
    }
    if word.prefix {
        return Some((end, false));
    }
    // A plural.
    let after = rest.next();
    (matches!(next, Some('s' | 'S')) && after.is_none_or(|c| !in_word(c))).then_some((end + 1, true))
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining(c)
}

fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// A character without case and diacritics: none, one, two or (rarely) three characters.
///
/// A table of the Latin letters that names in the literature have; a full decomposition would cost the browser tens of
/// kilobytes.
fn fold(c: char) -> impl Iterator<Item = char> {
    let base = match c {
        c if c.is_ascii() => ['\0', '\0', c.to_ascii_lowercase()],
        c if is_combining(c) => ['\0'; 3],
        'À'..='Å' | 'à'..='å' | 'Ā'..='ą' => ['\0', '\0', 'a'],
        'Æ' | 'æ' => ['\0', 'a', 'e'],
        'Ç' | 'ç' | 'Ć'..='č' => ['\0', '\0', 'c'],
        'Ð' | 'ð' | 'Ď'..='đ' => ['\0', '\0', 'd'],
        'È'..='Ë' | 'è'..='ë' | 'Ē'..='ě' => ['\0', '\0', 'e'],
        'Ĝ'..='ģ' => ['\0', '\0', 'g'],
        'Ĥ'..='ħ' => ['\0', '\0', 'h'],
        'Ì'..='Ï' | 'ì'..='ï' | 'Ĩ'..='ı' => ['\0', '\0', 'i'],
        'Ĺ'..='ł' => ['\0', '\0', 'l'],
        'Ñ' | 'ñ' | 'Ń'..='ŋ' => ['\0', '\0', 'n'],
        'Ò'..='Ö' | 'Ø' | 'ò'..='ö' | 'ø' | 'Ō'..='ő' => ['\0', '\0', 'o'],
        'Œ' | 'œ' => ['\0', 'o', 'e'],
        'Ŕ'..='ř' => ['\0', '\0', 'r'],
        'Ś'..='š' | 'Ș' | 'ș' => ['\0', '\0', 's'],
        'ß' | 'ẞ' => ['\0', 's', 's'],
        'Ţ'..='ŧ' | 'Ț' | 'ț' => ['\0', '\0', 't'],
        'Ù'..='Ü' | 'ù'..='ü' | 'Ũ'..='ų' => ['\0', '\0', 'u'],
        'Ý' | 'ý' | 'ÿ' | 'Ŷ'..='Ÿ' => ['\0', '\0', 'y'],
        'Ź'..='ž' => ['\0', '\0', 'z'],
        c => {
            let mut lower = c.to_lowercase();
            let first = lower.next().unwrap_or(c);
            // Only “İ” has a second one, and that is in the table.
            ['\0', '\0', first]
        }
    };
    base.into_iter().filter(|&c| c != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::EntryKind;

    fn entry(title: &str, context: &str, text: &str) -> SearchEntry {
        let own = str::to_owned;
        SearchEntry {
            kind: EntryKind::Section,
            title: own(title),
            context: own(context),
            href: String::new(),
            text: own(text),
        }
    }

    fn found(entries: &[SearchEntry], query: &str) -> Vec<usize> {
        search(entries, query, 10).into_iter().map(|h| h.index).collect()
    }

    #[test]
    fn titles_come_before_contexts_and_contexts_before_texts() {
        let entries = [entry("a", "b", "all about memory"), entry("a", "Memory", "c"), entry("Memory", "b", "c")];
        assert_eq!(found(&entries, "memory"), [2, 1, 0]);
    }

    #[test]
    fn every_word_must_match_and_the_last_may_be_unfinished() {
        let entries = [entry("", "", "gradients accumulate"), entry("", "", "gradual accumulation")];
        assert_eq!(found(&entries, "gradient accum"), [0], "a plural matches");
        assert_eq!(found(&entries, "grad accum"), [] as [usize; 0], "only the last word may be unfinished");
        assert_eq!(found(&entries, "accum"), [0, 1]);
        assert_eq!(found(&entries, "accum "), [] as [usize; 0], "a space finishes the word");
        assert_eq!(found(&entries, "cumul"), [] as [usize; 0], "not inside a word");
    }

    #[test]
    fn case_diacritics_and_punctuation_do_not_matter() {
        let entries = [entry("Hölder and ŁUKASZ: all-reduce", "", "Straße, cafe\u{301}s")];
        for query in
            ["holder", "HÖLDER", "Ho\u{308}lder", "lukasz", "ALL reduce", "all-red", "strasse", "stras", "café"]
        {
            assert_eq!(found(&entries, query), [0], "{query}");
        }
        for query in ["", "  ", "-", "…", "holders"] {
            assert_eq!(found(&entries, query), [] as [usize; 0], "{query}");
        }
    }

    #[test]
    fn equal_scores_keep_their_order_and_the_limit_holds() {
        let entries = vec![entry("Memory", "", ""); 5];
        let indices: Vec<usize> = search(&entries, "mem", 3).iter().map(|h| h.index).collect();
        assert_eq!(indices, [0, 1, 2]);
    }

    #[test]
    fn a_snippet_shows_the_match_and_its_marks() {
        let text = format!("{}the Ádám states of Adam take {}", "word ".repeat(40), "much room ".repeat(40));
        let entries = [entry("Adam", "", &text)];
        let hit = &search(&entries, "adam st", 1)[0];
        assert_eq!(hit.title_marks.first(), Some(&(0..4)));
        let shown: Vec<&str> = hit.marks.iter().map(|m| &text[m.clone()]).collect();
        assert_eq!(shown, ["Ádám", "st", "Adam"]);
        let snippet = &text[hit.snippet.clone()];
        assert!(snippet.starts_with("word ") && snippet.chars().count() <= BEFORE + AFTER, "{snippet}");
        assert!(hit.marks.iter().all(|m| hit.snippet.start <= m.start && m.end <= hit.snippet.end));
    }

    proptest::proptest! {
        #[test]
        fn any_text_and_any_query_give_ranges_inside_the_text(title in "\\PC{0,40}", text in "\\PC{0,400}", query in "\\PC{0,12}") {
            let entries = [entry(&title, "", &text), entry(&text, &title, &query)];
            for hit in search(&entries, &query, 5) {
                let e = &entries[hit.index];
                assert!(e.text.get(hit.snippet.clone()).is_some());
                assert!(hit.marks.iter().all(|m| e.text.get(m.clone()).is_some()));
                assert!(hit.title_marks.iter().all(|m| e.title.get(m.clone()).is_some()));
            }
        }
    }
}
