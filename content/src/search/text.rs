//! Words as the search compares them: without case, diacritics and endings, and with phrases of the same meaning made one.

use std::collections::BTreeMap;
use std::ops::Range;

/// Words that say nothing about what is looked for.
const FILLER: &str = "a an the i me my we our you your it its is are was were be been am do does did done has have had having will would can \
    could should shall may might must to of in on at by for from with into over as and or not no but if then than that this these those there \
    here how what why when where which who whom so just only also any some much many more most very too s t m ve re d ll get got getting use used \
    using need needed want make makes go goes know about like such vs versus between difference explain explained please help one way best better \
    good right now still even up out off down after before while during because both each possible \
    hi hello hey thanks thank anyone someone something anything nothing really actually always never ever yet else keep keeps try trying tried \
    tell think thing things lot seem seems happen happens instead without";

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word without its ending.
    pub stem: String,
    /// As it is written, without case and diacritics; empty for a word that stands for a phrase.
    pub written: String,
    /// Where it stands, or the phrase that it stands for.
    pub at: Range<usize>,
}

impl Word {
    /// Its two parts at a byte of what is written; none where either would be empty, or the word stands for something else.
    pub fn split_at(&self, at: usize) -> Option<[Self; 2]> {
        let (first, second) = self.written.split_at_checked(at)?;
        if first.is_empty() || second.is_empty() || self.at.len() != self.written.len() {
            return None;
        }
        let middle = self.at.start + at;
        let part = |written: &str, at| Self { stem: stem(written), written: written.to_owned(), at };
        Some([part(first, self.at.start..middle), part(second, middle..self.at.end)])
    }
}

/// Phrases that mean the same, and words that mean nothing.
#[derive(Debug, Default)]
pub(super) struct Same {
    /// By its first word: the whole phrase, and what it counts as. Longer ones come first.
    phrases: BTreeMap<String, Vec<[Vec<String>; 2]>>,
    filler: Vec<String>,
}

impl Same {
    /// Of lists whose items all count as the first.
    pub fn of(lists: &[Vec<String>]) -> Self {
        let mut phrases: BTreeMap<String, Vec<[Vec<String>; 2]>> = BTreeMap::new();
        for list in lists {
            let Some((first, others)) = list.split_first() else { continue };
            for other in others.iter().map(|other| stems(other)) {
                if let Some(begins) = other.first().cloned() {
                    phrases.entry(begins).or_default().push([other, stems(first)]);
                }
            }
        }
        for list in phrases.values_mut() {
            list.sort_by_key(|[phrase, _]| std::cmp::Reverse(phrase.len()));
        }
        Self { phrases, filler: stems(FILLER) }
    }

    /// The words of a text; of one that is all filler, those.
    pub fn words_or_filler(&self, text: &str) -> Vec<Word> {
        let words = self.words(text);
        if words.is_empty() { split(text) } else { words }
    }

    /// Whether a word says nothing about what is looked for.
    pub fn is_filler(&self, word: &Word) -> bool {
        self.filler.contains(&word.stem)
    }

    /// The words of a text, without filler.
    pub fn words(&self, text: &str) -> Vec<Word> {
        let all = split(text);
        let mut words = Vec::with_capacity(all.len());
        let mut i = 0;
        while let Some(word) = all.get(i) {
            let rest = all.get(i..).unwrap_or_default();
            let known = self.phrases.get(&word.stem).into_iter().flatten().find(|[phrase, _]| {
                phrase.len() <= rest.len() && phrase.iter().zip(rest).all(|(stem, word)| *stem == word.stem)
            });
            match known {
                Some([phrase, means]) => {
                    let end = rest.get(phrase.len() - 1).map_or(word.at.end, |last| last.at.end);
                    let one =
                        |stem: &String| Word { stem: stem.clone(), written: String::new(), at: word.at.start..end };
                    words.extend(means.iter().filter(|stem| !self.filler.contains(stem)).map(one));
                    i += phrase.len();
                }
                None => {
                    if !self.is_filler(word) {
                        words.push(word.clone());
                    }
                    i += 1;
                }
            }
        }
        words
    }
}

/// The words of a text without their endings, filler included.
pub(super) fn stems(text: &str) -> Vec<String> {
    split(text).into_iter().map(|word| word.stem).collect()
}

/// The words of a text as they stand.
fn split(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut written = String::new();
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if in_word(c) {
            if written.is_empty() {
                start = at;
            }
            written.extend(fold(c));
        } else if !written.is_empty() {
            words.push(Word { stem: stem(&written), written: std::mem::take(&mut written), at: start..at });
        }
    }
    words
}

/// A word without its ending, the same for most of its forms. What comes of it need not be a word.
fn stem(word: &str) -> String {
    if word.len() < 4 || word.bytes().all(|b| b.is_ascii_digit()) {
        return word.to_owned();
    }
    let replaced = |word: &str, endings: &[(&str, &str)], least: usize| {
        let fits = |(ending, by): &(&str, &str)| {
            word.strip_suffix(ending).filter(|rest| rest.len() >= least).map(|rest| format!("{rest}{by}"))
        };
        endings.iter().find_map(fits)
    };
    // “status” is no plural, “GPUs” is one.
    let us = word.strip_suffix("us").is_some_and(|rest| rest.len() >= 3);
    let plural = [("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("is", "is"), ("s", "")];
    let singular = if us { None } else { replaced(word, &plural, 0) };
    let word = singular.unwrap_or_else(|| word.to_owned());
    const IZE: [(&str, &str); 8] = [
        ("ization", "iz"),
        ("isation", "iz"),
        ("ising", "iz"),
        ("ised", "iz"),
        ("izing", "iz"),
        ("ized", "iz"),
        ("izer", "iz"),
        ("ize", "iz"),
    ];
    const ATE: [(&str, &str); 5] = [("ise", "iz"), ("ation", "at"), ("ating", "at"), ("ated", "at"), ("ate", "at")];
    if let Some(short) = replaced(&word, &IZE, 3).or_else(|| replaced(&word, &ATE, 3)) {
        return short;
    }
    let Some(mut short) = replaced(&word, &[("ing", ""), ("ed", ""), ("er", ""), ("ly", ""), ("e", "")], 3) else {
        return word;
    };
    // “running”, “batched”: but “full” and “miss” end so themselves.
    let mut last = short.chars().rev();
    let twice = last.next().filter(|c| last.next() == Some(*c));
    if short.len() > 3 && twice.is_some_and(|c| c != 'l' && c != 's') {
        short.pop();
    }
    short
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

    #[test]
    fn forms_of_a_word_are_one() {
        for forms in [
            &["shard", "sharded", "sharding", "shards"][..],
            &["quantize", "quantization", "quantised", "quantizing"],
            &["run", "running", "runs"],
            &["memory", "memories"],
            &["calculate", "calculated", "calculating", "calculation"],
            &["pass", "passes"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|s| Some(s) == stems.first()), "{stems:?}");
        }
        assert_eq!(["gpus", "4096", "bus", "fp8"].map(stem), ["gpu", "4096", "bus", "fp8"]);
    }

    #[test]
    fn phrases_count_as_one_and_keep_their_place() {
        let lists = [vec!["oom".to_owned(), "out of memory".to_owned(), "ran out of memory".to_owned()]];
        let same = Same::of(&lists);
        let text = "My job ran out of memory again";
        let words = same.words(text);
        let stems: Vec<&str> = words.iter().map(|word| word.stem.as_str()).collect();
        assert_eq!(stems, ["job", "oom", "again"]);
        assert_eq!(words.get(1).map(|word| &text[word.at.clone()]), Some("ran out of memory"));
        let idioms = [["fim", "in the middle of a file"], ["while", "in the middle of"]];
        let idioms = Same::of(&idioms.map(|list| list.map(str::to_owned).to_vec()));
        let stems = |text: &str| idioms.words(text).into_iter().map(|word| word.stem).collect::<Vec<_>>();
        assert_eq!(stems("complete code in the middle of a file"), ["complet", "cod", "fim"]);
        assert_eq!(stems("crash in the middle of an epoch"), ["crash", "epoch"], "a phrase may be filler");
        assert!(same.words("how is it").is_empty());
        assert_eq!(same.words_or_filler("how is it").len(), 3);
    }

    #[test]
    fn case_diacritics_and_punctuation_do_not_matter() {
        let stems = |text: &str| split(text).into_iter().map(|word| word.stem).collect::<Vec<_>>();
        assert_eq!(stems("Hölder, ŁUKASZ: ALL-reduce"), stems("holder lukasz all reduce"));
        assert_eq!(stems("Straße cafe\u{301}"), stems("STRASSE café"));
        assert_eq!(stems("bucket_cap_mb=25"), ["bucket", "cap", "mb", "25"]);
        assert!(stems(" - … ").is_empty());
    }
}
