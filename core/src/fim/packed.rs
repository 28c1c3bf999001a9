//! A packed sample of a training set, its documents rearranged: what BigCode's Megatron-LM does, defects included.
//!
//! `bigcode-project/Megatron-LM`, `megatron/data/gpt_dataset.py`, `permute` and `GPTDataset.__getitem__`. One character is one token here.

use super::format::Order;
use super::numpy::RandomState;
use super::pieces::{Kind, Piece};

/// Between documents.
pub const END: &str = "<|endoftext|>";
/// Between files of a repository.
pub const FILE: &str = "<file_sep>";
/// Fills what is too short.
pub const PAD: &str = "<fim_pad>";
const PREFIX: &str = "<fim_prefix>";
const SUFFIX: &str = "<fim_suffix>";
const MIDDLE: &str = "<fim_middle>";

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its text: a character, or a sentinel's name.
    pub is: Is,
    /// What it is part of.
    pub kind: Kind,
}

/// What a token stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Is {
    /// A character.
    Char(char),
    /// A token without text.
    Special(&'static str),
}

const fn special(name: &'static str) -> Token {
    Token { is: Is::Special(name), kind: Kind::Sentinel }
}

/// A text as tokens: its characters, and the two separators.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(name) = [END, FILE].into_iter().find(|name| rest.starts_with(name)) {
            all.push(special(name));
            rest = rest.get(name.len()..).unwrap_or_default();
        } else {
            all.push(Token { is: Is::Char(c), kind: Kind::Plain });
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    all
}

/// Tokens as pieces: neighbours of one kind together, sentinels each by itself.
pub fn pieces(tokens: &[Token]) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for token in tokens {
        match (token.is, all.last_mut()) {
            (Is::Char(c), Some(last)) if last.kind == token.kind => last.text.push(c),
            (Is::Char(c), _) => all.push(Piece::new(token.kind, c)),
            (Is::Special(name), _) => all.push(Piece::new(token.kind, name)),
        }
    }
    all
}

/// A document cut at two places, in any order, and rearranged.
pub fn permute(document: &[Token], places: [usize; 2], order: Order) -> Vec<Token> {
    let [a, b] = places.map(|place| place.min(document.len()));
    let part = |from: usize, to: usize, kind: Kind| {
        let of = document.get(from..to).unwrap_or_default();
        of.iter().map(move |token| if token.kind == Kind::Sentinel { *token } else { Token { kind, ..*token } })
    };
    let (from, to) = (a.min(b), a.max(b));
    let prefix = part(0, from, Kind::Prefix);
    let middle = part(from, to, Kind::Middle);
    let suffix = part(to, document.len(), Kind::Suffix);
    let mut all = vec![special(PREFIX)];
    match order {
        Order::Psm => all.extend(prefix.chain([special(SUFFIX)]).chain(suffix).chain([special(MIDDLE)])),
        Order::Spm => all.extend([special(SUFFIX)].into_iter().chain(suffix).chain([special(MIDDLE)]).chain(prefix)),
    }
    all.extend(middle);
    all
}

/// The same kept to the document's length, by what the end of the suffix gives up. None where the suffix is too short: the original
/// then returns the document as it was, and its generator with it.
pub fn permute_within(document: &[Token], places: [usize; 2], order: Order) -> Option<Vec<Token>> {
    const SENTINELS: usize = 3;
    let last = places[0].max(places[1]).min(document.len());
    let suffix = document.len() - last;
    (suffix > SENTINELS).then(|| permute(document.get(..document.len() - SENTINELS).unwrap_or_default(), places, order))
}

/// How a training set is rearranged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// The part of documents, or of repositories, that is.
    pub fim: f64,
    /// The part of these with the suffix first.
    pub spm: f64,
    /// For samples cut at files: the part of a repository's files. None where files are not cut apart.
    pub fragment: Option<f64>,
}

/// A packed sample, rearranged and cut or filled to the length that it had.
pub fn sample(sample: &[Token], rates: Rates, random: &mut RandomState) -> Vec<Token> {
    if rates.fim == 0.0 {
        return sample.to_vec();
    }
    let end = special(END);
    let mut all = Vec::new();
    let mut segments: Vec<&[Token]> = sample.split(|token| *token == end).collect();
    // The last segment is rearranged even if it is empty; an empty one before it goes, and its end with it.
    let last = segments.pop().unwrap_or_default();
    for segment in segments.into_iter().filter(|segment| !segment.is_empty()) {
        all.extend(repository(segment, rates, random));
        all.push(end);
    }
    all.extend(repository(last, rates, random));
    all.resize(sample.len(), special(PAD));
    all
}

fn repository(sequence: &[Token], rates: Rates, random: &mut RandomState) -> Vec<Token> {
    let file = special(FILE);
    let Some(rate) = rates.fragment.filter(|_| sequence.contains(&file)) else {
        return document(sequence, rates.fim, rates.spm, random);
    };
    if !random.bernoulli(rates.fim) {
        return sequence.to_vec();
    }
    let mut all = Vec::new();
    let mut files: Vec<&[Token]> = sequence.split(|token| *token == file).collect();
    let last = files.pop().unwrap_or_default();
    for one in files.into_iter().filter(|one| !one.is_empty()) {
        all.extend(document(one, rate, rates.spm, random));
        all.push(file);
    }
    all.extend(document(last, rate, rates.spm, random));
    all
}

fn document(sequence: &[Token], rate: f64, spm: f64, random: &mut RandomState) -> Vec<Token> {
    if !random.bernoulli(rate) {
        return sequence.to_vec();
    }
    let bound = sequence.len() as u32 + 1;
    let places = [random.below(bound), random.below(bound)].map(|place| place as usize);
    let order = if random.bernoulli(spm) { Order::Spm } else { Order::Psm };
    permute(sequence, places, order)
}
