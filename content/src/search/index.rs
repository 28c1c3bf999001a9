//! The entries by their words, made once; and what a question finds.
//!
//! A word counts by how rare it is (as in BM25F), and by where it stands: title, words for searching, context or text. Words that stand side by
//! side in the question and in an entry count once more. An entry that has few of the words counts less, and so does a kind of entry that seldom
//! answers a question by itself. Questions that people asked lead to the places that answered them, by how much of their words they share with
//! the new one, and the best places of a chapter speak for its others. Nothing but the weights below decides, and an entry that has only numbers
//! of the question is none. The weights were found on the known questions, each asked as if the search didn't know it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::spelling::nearest;
use super::text::{Same, Word, stems};
use super::{Found, Hit};
use crate::schema::{EntryKind, SearchEntry, SearchIndex};

/// Title, context, text and words for searching.
const FIELDS: usize = 4;
/// What a word counts in each of them.
const WEIGHT: [f64; FIELDS] = [3.0, 1.5, 1.0, 2.0];
/// How much less it counts in one that is longer than usual.
const LONG: [f64; FIELDS] = [0.4, 0.4, 0.75, 0.4];
/// What two neighbours count in each of them.
const PAIR: [f64; FIELDS] = [0.75, 0.6, 0.5, 1.0];
/// How soon more of the same word adds nothing (BM25's k₁).
const ENOUGH: f64 = 1.2;
/// What a number counts beside a word: "24" and "7B" are read for what they mean elsewhere.
const NUMBER: f64 = 0.3;
/// What the end of a word counts that was not typed yet.
const UNFINISHED: f64 = 0.6;
/// What each word counts of a phrase for searching that stands whole in a question, filler included: "where should I start".
const WHOLE: f64 = 2.5;
/// What a question counts that was asked before in the same words, for every place that answered it, of what its words weigh.
const KNOWN: f64 = 0.6;
/// How much one question that is like it outweighs several that are less so: an exponent of likeness.
const ALIKE: f64 = 1.5;
/// What the best three places of a chapter count on average for each of its places.
const CHAPTER: f64 = 0.15;
/// How much more a section counts that may say why, beside a figure that shows how much.
const REASON: f64 = 1.5;
/// A phrase of fewer words says too little.
const PHRASE: usize = 3;
/// A part of a word that was written as one has so many letters.
const PART: usize = 3;
/// The best so many are looked at for neighbours.
const LOOKED_AT: usize = 80;
/// Below this share of the question's words, by weight, a result is not what was asked for.
const WEAK: f64 = 0.4;
/// Below this one nothing in it is of the course's subject.
const FOREIGN: f64 = 0.25;
/// A question has so many words.
const QUESTION: usize = 3;
/// How many are shown where nothing is found.
const INSTEAD: usize = 8;

/// How much of the text a snippet shows, in characters before and after its first match.
const BEFORE: usize = 40;
const AFTER: usize = 120;

/// How likely a kind of entry is to answer a question by itself.
fn likely(kind: EntryKind) -> f64 {
    match kind {
        EntryKind::Widget => 1.2,
        EntryKind::Section | EntryKind::Message => 1.0,
        EntryKind::Lab | EntryKind::Page => 0.9,
        EntryKind::Formula | EntryKind::Mission => 0.8,
        EntryKind::Chapter | EntryKind::Term => 0.7,
        EntryKind::Exercise => 0.55,
        EntryKind::Source => 0.5,
    }
}

/// Where a word stands: an entry, and how often in each field of it.
type Posting = (u32, [u16; FIELDS]);

/// Everything that can be found, by its words.
#[derive(Debug, Default)]
pub struct Index {
    of: Arc<SearchIndex>,
    same: Same,
    /// Every word by its stem.
    terms: BTreeMap<String, u32>,
    /// Of each word: how it is first written, and where it stands.
    postings: Vec<(String, Vec<Posting>)>,
    /// The words of each entry.
    docs: Vec<[Vec<u32>; FIELDS]>,
    /// By their first words: the phrases for searching, and the entries that have them.
    phrases: BTreeMap<String, Vec<(Vec<String>, u32)>>,
    /// The questions that people asked.
    known: Vec<Known>,
    /// Of each entry of a chapter: which chapter it is of.
    chapters: Vec<Option<usize>>,
    /// Words of a field on average.
    usual: [f64; FIELDS],
}

/// A question that somebody asked.
#[derive(Debug)]
struct Known {
    /// Its words, each once and in order.
    terms: Vec<u32>,
    /// What they weigh together: the root of their squares.
    weight: f64,
    /// The entries that answer it.
    at: Vec<u32>,
}

/// A word of a question.
struct Asked {
    /// The words of the index that it may be, and what each counts.
    terms: Vec<(u32, f64)>,
    /// How rare it is.
    weight: f64,
    /// Whether it can carry a result. A number is in entries about anything: it can only where nothing but numbers is asked for.
    carries: bool,
}

impl Asked {
    fn has(&self, term: u32) -> bool {
        self.terms.iter().any(|(own, _)| *own == term)
    }
}

impl Index {
    /// The index of these places.
    pub fn of(of: Arc<SearchIndex>) -> Self {
        let mut index = Self { same: Same::of(&of.same), ..Self::default() };
        for (at, entry) in of.entries.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            for phrase in entry.words.split(',').map(stems).filter(|phrase| phrase.len() >= PHRASE) {
                if let Some(first) = phrase.first().cloned() {
                    index.phrases.entry(first).or_default().push((phrase, at));
                }
            }
            let fields = fields(entry).map(|text| index.same.words(text));
            let mut counts: BTreeMap<u32, [u16; FIELDS]> = BTreeMap::new();
            let mut doc: [Vec<u32>; FIELDS] = Default::default();
            for (field, (words, terms)) in fields.into_iter().zip(&mut doc).enumerate() {
                for word in words {
                    let term = index.term(word);
                    terms.push(term);
                    if let Some(count) = counts.entry(term).or_default().get_mut(field) {
                        *count = count.saturating_add(1);
                    }
                }
            }
            for (term, count) in counts {
                if let Some((_, postings)) = index.postings.get_mut(term as usize) {
                    postings.push((at, count));
                }
            }
            index.docs.push(doc);
        }
        let many = index.docs.len().max(1) as f64;
        index.usual = std::array::from_fn(|field| {
            let words: usize = index.docs.iter().map(|doc| doc[field].len()).sum();
            (words as f64 / many).max(1.0)
        });
        for question in &of.asked {
            let words = index.same.words(&question.ask);
            let terms: BTreeSet<u32> = words.into_iter().map(|word| index.term(word)).collect();
            index.known.push(Known { terms: terms.into_iter().collect(), weight: 0.0, at: question.at.clone() });
        }
        let squares = |known: &Known| known.terms.iter().map(|term| index.weight(*term).powi(2)).sum::<f64>();
        let weights: Vec<f64> = index.known.iter().map(|known| squares(known).sqrt()).collect();
        index.known.iter_mut().zip(weights).for_each(|(known, weight)| known.weight = weight);
        let mut pages = BTreeMap::new();
        let page = |entry: &SearchEntry| {
            let page = entry.href.split('#').next().filter(|page| page.starts_with("chapter/"))?;
            let next = pages.len();
            Some(*pages.entry(page.to_owned()).or_insert(next))
        };
        index.chapters = of.entries.iter().map(page).collect();
        index.of = of;
        index
    }

    /// What a word of a known question weighs.
    fn weight(&self, term: u32) -> f64 {
        self.postings.get(term as usize).map_or(0.0, |(word, at)| weight(word, at.len(), self.docs.len()))
    }

    /// The number of a word, a new one for a new word.
    fn term(&mut self, word: Word) -> u32 {
        if let Some(term) = self.terms.get(&word.stem) {
            return *term;
        }
        let term = u32::try_from(self.postings.len()).unwrap_or(u32::MAX);
        let written = if word.written.is_empty() { word.stem.clone() } else { word.written };
        self.terms.insert(word.stem, term);
        self.postings.push((written, Vec::new()));
        term
    }

    /// The places.
    pub fn entries(&self) -> &[SearchEntry] {
        &self.of.entries
    }

    /// The best `limit` places for a question; none for an empty one, and figures to begin with where nothing has any of its words.
    pub fn find(&self, question: &str, limit: usize) -> Found {
        let words = self.same.words_or_filler(question);
        let words: Vec<Word> = words.into_iter().flat_map(|word| self.parted(word)).collect();
        if words.is_empty() {
            let is_empty = question.trim().is_empty();
            return if is_empty {
                Found::default()
            } else {
                Found { hits: self.instead(limit), meant: None, weak: true, foreign: false }
            };
        }
        let (asked, meant, unknown) = self.asked(question, &words);
        let total = unknown + distinct(&asked).map(|one| one.weight).sum::<f64>();
        let mut scores = self.score(&asked, total - unknown);
        for (at, like) in self.known(&asked) {
            if let Some((score, has)) = scores.get_mut(at) {
                *score += KNOWN * total * like;
                // Words that stand nowhere are in no known question either.
                *has = has.max((total - unknown) * like);
            }
        }
        self.support(&mut scores);
        if asks_why(question) {
            let sections = scores.iter_mut().zip(&self.of.entries).filter(|(_, e)| e.kind == EntryKind::Section);
            sections.for_each(|((score, _), _)| *score *= REASON);
        }
        for (at, score) in self.whole(question) {
            if let Some((own, has)) = scores.get_mut(at) {
                *own += score;
                *has = total;
            }
        }
        let found = scores.into_iter().enumerate().filter(|(_, (score, _))| *score > 0.0);
        let mut scores: Vec<(f64, f64, usize)> = found.map(|(at, (score, has))| (score, has, at)).collect();
        scores.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
        scores.truncate(LOOKED_AT.max(limit));
        for (score, _, at) in &mut scores {
            *score += self.neighbours(&asked, *at);
        }
        scores.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
        let best = scores.first().map_or(0.0, |(_, has, _)| *has);
        let mut hits: Vec<Hit> = Vec::new();
        let mut seen = BTreeSet::new();
        for (.., at) in scores {
            let Some(entry) = self.of.entries.get(at).filter(|entry| seen.insert(entry.href.as_str())) else {
                continue;
            };
            if hits.len() == limit {
                break;
            }
            hits.push(self.shown(at, entry, &asked));
        }
        if hits.is_empty() {
            hits = self.instead(limit);
        }
        // A word or two without a match may be anything's; a question has a subject.
        let is_question = question.split_whitespace().count() >= QUESTION;
        Found { hits, meant, weak: best < WEAK * total, foreign: is_question && best < FOREIGN * total }
    }

    /// The term of the glossary that a question asks the meaning of ("what is data parallelism", "define MFU", "ring all-reduce meaning"), and the
    /// chapter of that name, if there is one; the terms of which it asks the difference. Empty where it asks for something else.
    pub fn defined(&self, question: &str) -> Vec<Hit> {
        let words =
            |text: &str| -> Vec<String> { self.same.words_or_filler(text).into_iter().map(|word| word.stem).collect() };
        let asked: Vec<Vec<String>> = asked_terms(question).iter().map(|term| words(term)).collect();
        let is_term = |entry: &SearchEntry, asked: &[String]| {
            let mut names = std::iter::once(entry.title.as_str()).chain(entry.context.split(','));
            entry.kind == EntryKind::Term && names.any(|name| words(name) == asked)
        };
        let is_chapter =
            |entry: &SearchEntry, asked: &[String]| entry.kind == EntryKind::Chapter && words(&entry.title) == asked;
        let first = |is_it: &dyn Fn(&SearchEntry, &[String]) -> bool, asked: &[String]| {
            let (at, entry) = self.of.entries.iter().enumerate().find(|(_, entry)| is_it(entry, asked))?;
            Some(self.shown(at, entry, &[]))
        };
        let terms: Vec<Hit> = asked.iter().filter_map(|asked| first(&is_term, asked)).collect();
        let chapter = match (asked.as_slice(), terms.as_slice()) {
            ([asked], [_]) => first(&is_chapter, asked),
            _ => None,
        };
        terms.into_iter().chain(chapter).collect()
    }

    /// Figures to begin with, where no place has anything of a question.
    fn instead(&self, limit: usize) -> Vec<Hit> {
        let figures = self.of.entries.iter().enumerate().filter(|(_, entry)| entry.kind == EntryKind::Widget);
        figures.take(INSTEAD.min(limit)).map(|(at, entry)| self.shown(at, entry, &[])).collect()
    }

    /// The entries of which a phrase stands whole in the question, and what the longest counts.
    fn whole(&self, question: &str) -> BTreeMap<usize, f64> {
        let words = stems(question);
        let mut found: BTreeMap<usize, f64> = BTreeMap::new();
        for at in 0..words.len() {
            let rest = words.get(at..).unwrap_or_default();
            let phrases = rest.first().and_then(|first| self.phrases.get(first)).into_iter().flatten();
            for (phrase, entry) in phrases.filter(|(phrase, _)| rest.starts_with(phrase)) {
                let score = found.entry(*entry as usize).or_default();
                *score = score.max(WHOLE * phrase.len() as f64);
            }
        }
        found
    }

    /// A word that stands nowhere as it is, by its parts that do: the letters and the number of "zero3", both words of "numStages".
    fn parted(&self, word: Word) -> Vec<Word> {
        if self.terms.contains_key(&word.stem) {
            return vec![word];
        }
        let is_number = |part: &Word| part.written.bytes().all(|b| b.is_ascii_digit());
        let is_known = |part: &Word| self.terms.contains_key(&part.stem);
        let parts = match word.written.find(|c: char| c.is_ascii_digit()) {
            Some(at) => word.split_at(at).filter(|[letters, number]| is_known(letters) && is_number(number)),
            None => {
                let most = word.written.len().saturating_sub(PART);
                let mut two = (PART..=most).rev().filter_map(|at| word.split_at(at));
                two.find(|parts| parts.iter().all(is_known))
            }
        };
        parts.map_or_else(|| vec![word], Vec::from)
    }

    /// What the words of a question may be; the question as it was meant, if that is not as it was written; and the weight of the words that
    /// stand nowhere.
    fn asked(&self, question: &str, words: &[Word]) -> (Vec<Asked>, Option<String>, f64) {
        // A space after the last word says that it is finished.
        let open = question.chars().next_back().is_some_and(char::is_alphanumeric);
        let (mut asked, mut unknown) = (Vec::new(), 0.0);
        let (mut meant, mut changed) = (Vec::new(), false);
        let numbers = words.iter().all(is_bare);
        for (i, word) in words.iter().enumerate() {
            // Filler, of which a question may consist, is looked for only as the beginning of a single word.
            let filler = self.same.is_filler(word);
            let unfinished = open && i + 1 == words.len() && !word.written.is_empty() && (!filler || words.len() == 1);
            let exact = self.terms.get(&word.stem).map(|term| (*term, 1.0));
            let mut terms: Vec<(u32, f64)> = exact.into_iter().collect();
            if unfinished {
                let begin =
                    self.terms.range(word.written.clone()..).take_while(|(stem, _)| stem.starts_with(&word.written));
                let rest =
                    begin.map(|(_, term)| (*term, UNFINISHED)).filter(|(term, _)| Some(*term) != exact.map(|e| e.0));
                terms.extend(rest);
            }
            let is_number = word.stem.starts_with(|c: char| c.is_ascii_digit());
            if terms.is_empty() && !is_number && !filler {
                let all = self.postings.iter().zip(0_u32..);
                let near =
                    nearest(&word.written, unfinished, all.map(|((other, at), term)| (other.as_str(), at.len(), term)));
                if let Some((term, (other, _))) = near.and_then(|term| Some((term, self.postings.get(term as usize)?)))
                {
                    terms.push((term, 1.0));
                    meant.push(other.clone());
                    changed = true;
                }
            } else {
                meant.push(question.get(word.at.clone()).unwrap_or_default().to_owned());
            }
            let many: usize =
                terms.iter().filter_map(|(term, _)| self.postings.get(*term as usize)).map(|(_, at)| at.len()).sum();
            let weight = weight(&word.stem, many.min(self.docs.len()), self.docs.len());
            if terms.is_empty() {
                unknown += weight;
            } else {
                asked.push(Asked { terms, weight, carries: numbers || !is_bare(word) });
            }
        }
        meant.dedup();
        (asked, changed.then(|| meant.join(" ")), unknown)
    }

    /// Of every entry: how well it fits, and the weight of the words that it has; nothing for one that has none of the words that carry a result.
    fn score(&self, asked: &[Asked], total: f64) -> Vec<(f64, f64)> {
        let mut scores = vec![(0.0, 0.0, false); self.docs.len()];
        for one in distinct(asked) {
            let mut found: BTreeMap<u32, f64> = BTreeMap::new();
            for (term, share) in &one.terms {
                for (at, counts) in self.postings.get(*term as usize).map(|(_, at)| at.as_slice()).unwrap_or_default() {
                    *found.entry(*at).or_default() += share * self.counted(*at, counts);
                }
            }
            for (at, x) in found {
                if let Some((score, has, carried)) = scores.get_mut(at as usize) {
                    *score += one.weight * x * (ENOUGH + 1.0) / (x + ENOUGH);
                    *has += one.weight;
                    *carried |= one.carries;
                }
            }
        }
        let fits = |(at, (score, has, carried)): (usize, (f64, f64, bool))| {
            if carried { (score * (has / total).sqrt() * self.likely(at), has) } else { (0.0, 0.0) }
        };
        scores.into_iter().enumerate().map(fits).collect()
    }

    /// The entries that answered questions with words of this one, and how much these have in common with it: 1 for one that is the same,
    /// more for several.
    fn known(&self, asked: &[Asked]) -> BTreeMap<usize, f64> {
        let own = distinct(asked).map(|one| one.weight.powi(2)).sum::<f64>().sqrt();
        let mut found: BTreeMap<usize, f64> = BTreeMap::new();
        if !asked.iter().any(|one| one.carries) {
            return found;
        }
        for known in &self.known {
            let share = |one: &Asked| {
                let shares = one.terms.iter().filter(|(term, _)| known.terms.binary_search(term).is_ok());
                shares.map(|(_, share)| *share).fold(0.0, f64::max)
            };
            let common: f64 = distinct(asked).map(|one| share(one) * one.weight.powi(2)).sum();
            if common > 0.0 {
                let like = common / (own * known.weight);
                known.at.iter().for_each(|at| *found.entry(*at as usize).or_default() += like.powf(ALIKE));
            }
        }
        found.values_mut().for_each(|like| *like = like.powf(1.0 / ALIKE));
        found
    }

    /// Lets the best places of each chapter speak for those of its places that have anything of the question.
    fn support(&self, scores: &mut [(f64, f64)]) {
        let mut best: BTreeMap<usize, [f64; 3]> = BTreeMap::new();
        for (chapter, (score, _)) in self.chapters.iter().zip(scores.iter()) {
            let Some(best) = chapter.map(|chapter| best.entry(chapter).or_default()) else { continue };
            let mut score = *score;
            best.iter_mut().for_each(|own| {
                if score > *own {
                    std::mem::swap(own, &mut score);
                }
            });
        }
        for (at, (chapter, (score, _))) in self.chapters.iter().zip(scores.iter_mut()).enumerate() {
            let Some(best) = chapter.and_then(|chapter| best.get(&chapter)).filter(|_| *score > 0.0) else { continue };
            *score += CHAPTER * best.iter().sum::<f64>() / best.len() as f64 * self.likely(at);
        }
    }

    fn likely(&self, at: usize) -> f64 {
        self.of.entries.get(at).map_or(0.0, |entry| likely(entry.kind))
    }

    /// How much of a word an entry has, less what its length makes likely.
    fn counted(&self, at: u32, counts: &[u16; FIELDS]) -> f64 {
        let Some(doc) = self.docs.get(at as usize) else { return 0.0 };
        let of = |field: usize| {
            let length = doc[field].len() as f64 / self.usual[field];
            WEIGHT[field] * f64::from(counts[field]) / (1.0 - LONG[field] + LONG[field] * length)
        };
        (0..FIELDS).map(of).sum()
    }

    /// What neighbours of the question count that are neighbours in an entry.
    fn neighbours(&self, asked: &[Asked], at: usize) -> f64 {
        let Some(doc) = self.docs.get(at) else { return 0.0 };
        let pair = |pair: &[Asked]| match pair {
            [a, b] => {
                let stands = |terms: &Vec<u32>| {
                    let two = |two: &[u32]| matches!(two, [x, y] if x != y && a.has(*x) && b.has(*y));
                    terms.windows(2).any(two)
                };
                let field = doc.iter().position(stands);
                field.map_or(0.0, |field| PAIR[field] * a.weight.min(b.weight))
            }
            _ => 0.0,
        };
        asked.windows(2).map(pair).sum::<f64>() * self.likely(at)
    }

    /// An entry with what of it is shown.
    fn shown(&self, index: usize, entry: &SearchEntry, asked: &[Asked]) -> Hit {
        let marks = |text: &str| -> Vec<Range<usize>> {
            let is_asked = |word: &Word| {
                let term = self.terms.get(&word.stem);
                term.is_some_and(|term| asked.iter().any(|one| one.has(*term)))
            };
            let mut marks: Vec<Range<usize>> =
                self.same.words(text).into_iter().filter(is_asked).map(|word| word.at).collect();
            marks.dedup();
            marks
        };
        let in_text = marks(told(entry));
        let snippet = snippet(told(entry), &in_text);
        let marks_shown = in_text.into_iter().filter(|m| snippet.start <= m.start && m.end <= snippet.end).collect();
        Hit { index, title_marks: marks(&entry.title), snippet, marks: marks_shown }
    }
}

/// Whether a word is a number without a unit.
fn is_bare(word: &Word) -> bool {
    word.stem.bytes().all(|b| b.is_ascii_digit())
}

/// The words of a question, each once.
fn distinct(asked: &[Asked]) -> impl Iterator<Item = &Asked> {
    let is_first = |(i, one): &(usize, &Asked)| {
        let earlier = asked.get(..*i).unwrap_or_default();
        !one.terms
            .first()
            .is_some_and(|(term, _)| earlier.iter().any(|other| other.terms.first().is_some_and(|(t, _)| t == term)))
    };
    asked.iter().enumerate().filter(is_first).map(|(_, one)| one)
}

/// What a question asks the meaning of, or the difference between, if it asks for nothing else.
fn asked_terms(question: &str) -> Vec<String> {
    const DIFFERENCE: [&str; 3] = ["difference between ", "differences between ", "difference of "];
    let Some(rest) = asked_term(question) else { return Vec::new() };
    match DIFFERENCE.iter().find_map(|words| rest.strip_prefix(words)) {
        None => vec![rest.replace(',', " ")],
        Some(terms) => {
            let terms = terms.replace(" and ", ",").replace(" vs ", ",");
            terms.split(',').map(|term| term.trim().to_owned()).filter(|term| !term.is_empty()).collect()
        }
    }
}

/// What a question asks the meaning of, if it asks for nothing else; commas stay.
fn asked_term(question: &str) -> Option<String> {
    const BEFORE: [&str; 12] = [
        "what is",
        "what are",
        "what s",
        "whats",
        "define",
        "definition of",
        "meaning of",
        "what does",
        "what do",
        "explain",
        "what is the meaning of",
        "what is meant by",
    ];
    const AFTER: [&str; 6] = ["meaning", "definition", "mean", "means", "stand for", "explained"];
    let letters = |c: char| if c.is_alphanumeric() || ['-', ','].contains(&c) { c } else { ' ' };
    let text: String = question.to_lowercase().chars().filter(|c| !['’', '\''].contains(c)).map(letters).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let before =
        BEFORE.iter().filter_map(|words| text.strip_prefix(words)?.strip_prefix(' ')).min_by_key(|rest| rest.len());
    let rest = before.unwrap_or(&text);
    let after = AFTER.iter().find_map(|words| rest.strip_suffix(words)?.strip_suffix(' '));
    if before.is_none() && after.is_none() {
        return None;
    }
    let rest = after.unwrap_or(rest);
    let rest = ["a ", "an ", "the "].iter().find_map(|article| rest.strip_prefix(article)).unwrap_or(rest);
    Some(rest.to_owned()).filter(|rest| !rest.is_empty())
}

/// Whether a question is for a reason.
fn asks_why(question: &str) -> bool {
    stems(question).iter().any(|word| word == "why" || word == "expect")
}

/// What a word weighs that so many of all entries have: a number less than a word.
fn weight(word: &str, has: usize, all: usize) -> f64 {
    let factor = if word.starts_with(|c: char| c.is_ascii_digit()) { NUMBER } else { 1.0 };
    factor * rare(has, all)
}

/// What a word counts that so many of all entries have (BM25's inverse document frequency).
fn rare(has: usize, all: usize) -> f64 {
    let (has, all) = (has as f64, all as f64);
    (1.0 + (all - has + 0.5) / (has + 0.5)).ln()
}

fn fields(entry: &SearchEntry) -> [&str; FIELDS] {
    [&entry.title, &entry.context, &entry.text, &entry.words]
}

/// What of an entry's text is sentences. A figure's ends with the names of its quantities, a mission's with those of its decisions: it is
/// found by them, but they say nothing.
fn told(entry: &SearchEntry) -> &str {
    let names = match entry.kind {
        EntryKind::Widget | EntryKind::Mission => entry.text.rfind(". ").map(|at| at + 1),
        _ => None,
    };
    entry.text.get(..names.unwrap_or(entry.text.len())).unwrap_or(&entry.text)
}

/// The piece of a text to show: where most of the marks are close together.
fn snippet(text: &str, marks: &[Range<usize>]) -> Range<usize> {
    let close =
        |from: &Range<usize>| marks.iter().filter(|m| m.start >= from.start && m.end <= from.start + AFTER).count();
    let first = marks.iter().rev().max_by_key(|mark| close(mark)).map_or(0, |mark| mark.start);
    let start = text[..first].char_indices().rev().take(BEFORE).last().map_or(first, |(i, _)| i);
    // Do not begin inside a word, unless the text has no space there.
    let start = if start == 0 {
        0
    } else {
        text[start..first].find(char::is_whitespace).map_or(start, |i| {
            let space = start + i;
            space + text[space..].chars().next().map_or(0, char::len_utf8)
        })
    };
    let end = text[first..].char_indices().nth(AFTER).map_or(text.len(), |(i, _)| first + i);
    let end = if end == text.len() {
        end
    } else {
        text[first..end].rfind(char::is_whitespace).filter(|&i| i > 0).map_or(end, |i| first + i)
    };
    start..end
}
