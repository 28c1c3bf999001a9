//! Requests as people write them: `12:20`, tokens of the prompt and of the answer; `12:20*3`, three samples of it; `12:20^3`, a
//! beam of three.

use crate::declare::{Field, Slot, Text};
use crate::query::shorten;

/// Most requests of a list.
pub const MOST: usize = 26;
/// Most tokens of a prompt, and of an answer.
pub const LONGEST: u64 = 4096;
/// Most sequences of a request.
pub const WIDEST: u64 = 8;

/// The list where none is given.
pub const STANDARD: &str = "7:14,13:9,5:18,10:7,9:13,6:10";

/// How a request is written.
pub const FORM: &str = "prompt:answer in tokens, such as 12:20; 12:20*3 for three samples, 12:20*3@5 if they part after 5 tokens, 12:20^3 for a beam of three";

/// What becomes of several sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sampling {
    /// Each goes on by itself (parallel sampling).
    #[default]
    Samples,
    /// After each token the best go on, some of them twice (beam search).
    Beam,
}

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens of each answer.
    pub answer: u64,
    /// Sequences.
    pub wide: u64,
    /// What becomes of them.
    pub sampling: Sampling,
    /// Tokens after which they part, after the first of the answer.
    pub parts: u64,
}

impl Request {
    /// Tokens that a sequence has in the cache at its end. The last of the answer is never fed back, so nothing is kept of it.
    pub const fn stored(&self) -> u64 {
        self.prompt + self.answer - 1
    }
}

/// What a person calls a request: a letter.
pub fn letter(request: usize) -> char {
    char::from(b'A' + (request % MOST) as u8)
}

/// A list of requests, in the order in which they come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requests(pub Vec<Request>);

fn tokens(what: &str, word: &str) -> Result<u64, String> {
    word.trim().parse().ok().filter(|n| (1..=LONGEST).contains(n)).ok_or_else(|| {
        format!("{what} must be a whole number of tokens from 1 to {LONGEST}, not “{}”.", shorten(word.trim()))
    })
}

fn one(part: &str) -> Result<Request, String> {
    let Some((prompt, rest)) = part.split_once(':') else {
        return Err(format!("A request is written as {FORM}; not “{}”.", shorten(part)));
    };
    let (rest, parts) = match rest.split_once('@') {
        None => (rest, 0),
        Some((rest, parts)) => {
            (rest, if parts.trim() == "0" { 0 } else { tokens("What comes before they part", parts)? })
        }
    };
    let (answer, wide, sampling) = match (rest.split_once(['*', '×']), rest.split_once('^')) {
        (Some((answer, wide)), _) => (answer, wide, Sampling::Samples),
        (None, Some((answer, wide))) => (answer, wide, Sampling::Beam),
        (None, None) => (rest, "1", Sampling::Samples),
    };
    let wide = wide
        .trim()
        .parse()
        .ok()
        .filter(|n| (1..=WIDEST).contains(n))
        .ok_or_else(|| format!("A request has 1 to {WIDEST} sequences, not “{}”.", shorten(wide.trim())))?;
    Ok(Request { prompt: tokens("The prompt", prompt)?, answer: tokens("The answer", answer)?, wide, sampling, parts })
}

/// The requests of a list, with a comma or a line between two, and what is wrong with which of them, counted from 1.
pub fn listed(text: &str) -> (Vec<Request>, Vec<(usize, String)>) {
    let (mut read, mut wrong) = (Vec::new(), Vec::new());
    let parts = text.split([',', ';', '\n']).map(str::trim).filter(|part| !part.is_empty());
    for (i, part) in parts.enumerate() {
        match one(part) {
            Ok(request) if read.len() < MOST => read.push(request),
            Ok(_) => wrong.push((i + 1, format!("At most {MOST} requests are read."))),
            Err(why) => wrong.push((i + 1, why)),
        }
    }
    (read, wrong)
}

impl Text for Requests {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let (read, wrong) = listed(text);
        // Where nothing can be read, the list is what it is without any.
        self.0 = if read.is_empty() { listed(STANDARD).0 } else { read };
        wrong.into_iter().next().map_or(Ok(()), |(which, why)| Err(format!("Request {which}: {why}")))
    }

    fn write(&self) -> String {
        let one = |r: &Request| {
            let sign = if r.sampling == Sampling::Beam { '^' } else { '*' };
            let wide = if r.wide > 1 { format!("{sign}{}", r.wide) } else { String::new() };
            let parts = if r.parts > 0 { format!("@{}", r.parts) } else { String::new() };
            format!("{}:{}{wide}{parts}", r.prompt, r.answer)
        };
        self.0.iter().map(one).collect::<Vec<_>>().join(",")
    }
}

impl Field for Requests {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}
