//! Requests: when they come, how long their prompts and answers are; drawn from a seed, or from somebody's trace.

use crate::declare::{Field, Slot, Text};
use crate::float::elementary::ln;
use crate::mix::Stream;
use crate::options;
use crate::query::shorten;
use crate::scheduler::jobs::Wrong;

/// Most requests.
pub const MOST: usize = 400;
/// Most tokens of a prompt or an answer.
pub const LONGEST: u64 = 1 << 19;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Request {
    /// When it comes, in seconds.
    pub arrival: f64,
    /// Tokens of its prompt.
    pub prompt: u64,
    /// Tokens of its answer; at least one.
    pub output: u64,
    /// Tokens at the beginning of the prompt that are those of every other request.
    pub shared: u64,
}

/// How lengths differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lengths {
    /// Not at all.
    Equal,
    /// Up to three times the mean, most below it: the mean of 3u², u uniform.
    #[default]
    Skewed,
}

options!(Lengths {
    Equal: "equal", "all alike";
    Skewed: "skewed", "most short, some long";
});

impl Lengths {
    /// A length of this mean.
    pub fn draw(self, mean: u64, stream: &mut Stream) -> u64 {
        match self {
            Self::Equal => mean.max(1),
            Self::Skewed => {
                let u = stream.unit();
                ((3.0 * u * u * mean as f64).round() as u64).clamp(1, LONGEST)
            }
        }
    }
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workload {
    /// Requests.
    pub count: usize,
    /// Requests a second, as a Poisson process; 0 for all at once.
    pub rate: f64,
    /// Tokens of prompts and of answers, on average.
    pub mean: [u64; 2],
    /// How they differ.
    pub lengths: Lengths,
    /// Tokens that all prompts begin with; every prompt is longer.
    pub shared: u64,
    /// The seed.
    pub seed: u64,
}

impl Workload {
    /// The requests, in the order in which they come. Lengths do not depend on the rate.
    pub fn draw(&self) -> Vec<Request> {
        let mut lengths = Stream::new(self.seed);
        let requests: Vec<Request> = (0..self.count)
            .map(|_| {
                let [prompt, output] = self.mean.map(|mean| self.lengths.draw(mean, &mut lengths));
                Request { arrival: 0.0, prompt: prompt.max(self.shared + 1), output, shared: self.shared }
            })
            .collect();
        self.arriving(requests)
    }

    /// The same requests, coming as this process has it.
    pub fn arriving(&self, mut requests: Vec<Request>) -> Vec<Request> {
        let mut gaps = Stream::new(self.seed ^ 0x5e7e);
        let mut now = 0.0;
        for (i, request) in requests.iter_mut().enumerate() {
            if i > 0 && self.rate > 0.0 {
                now += -ln(1.0 - gaps.unit()) / self.rate;
            }
            request.arrival = now;
        }
        requests
    }
}

/// Requests of one's own as they were written; an empty one stands for none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trace(pub String);

/// What a trace says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listed {
    /// The requests, by arrival.
    pub requests: Vec<Request>,
    /// Whether it says when they come.
    pub timed: bool,
    /// Lines that cannot be used.
    pub wrong: Vec<Wrong>,
}

impl Trace {
    /// Reads it: a line for each request, or what stands before a semicolon. Two numbers are the tokens of its prompt and of its answer;
    /// before them may stand when it comes, in seconds or as a time of the day (the form of Azure's LLM inference traces).
    pub fn listed(&self) -> Listed {
        let mut listed = Listed::default();
        let mut untimed = false;
        let lines =
            self.0.lines().enumerate().flat_map(|(i, line)| line.split(';').map(move |part| (i + 1, part.trim())));
        for (line, part) in lines.filter(|(_, part)| !part.is_empty() && !part.starts_with('#')) {
            // The names of columns: several, without a number.
            let is_header = listed.requests.is_empty()
                && part.contains([',', ' ', '\t'])
                && !part.contains(|c: char| c.is_ascii_digit());
            if is_header {
                continue;
            }
            match one(part) {
                Ok(_) if listed.requests.len() >= MOST => {
                    listed.wrong.push(Wrong { line, why: format!("At most {MOST} requests are read.") });
                    break;
                }
                Ok((at, [prompt, output])) => {
                    untimed |= at.is_none();
                    let arrival = at.unwrap_or(0.0);
                    listed.requests.push(Request { arrival, prompt, output, shared: 0 });
                }
                Err(why) => listed.wrong.push(Wrong { line, why }),
            }
        }
        listed.timed = !untimed && !listed.requests.is_empty();
        listed.requests.sort_by(|a, b| a.arrival.total_cmp(&b.arrival));
        let first = listed.requests.first().map_or(0.0, |r| r.arrival);
        for request in &mut listed.requests {
            request.arrival -= first;
        }
        listed
    }
}

fn one(part: &str) -> Result<(Option<f64>, [u64; 2]), String> {
    let words: Vec<&str> = part.split([',', '\t', ' ']).filter(|word| !word.is_empty()).collect();
    let form = || {
        format!(
            "A request is “prompt output” or “seconds prompt output”, such as 512 128 or 0.5 512 128, not “{}”.",
            shorten(part)
        )
    };
    let (before, [prompt, output]) = words.split_last_chunk::<2>().ok_or_else(form)?;
    let tokens = |what: &str, word: &str| {
        word.parse::<u64>().ok().filter(|n| (1..=LONGEST).contains(n)).ok_or_else(|| {
            format!("The {what} must be a whole number of tokens from 1 to {LONGEST}, not “{}”.", shorten(word))
        })
    };
    let lengths = [tokens("prompt", prompt)?, tokens("answer", output)?];
    let Some(at) = before.last() else { return Ok((None, lengths)) };
    // A date may stand before a time of the day.
    let is_time = at.contains(':');
    if before.len() > if is_time { 2 } else { 1 } {
        return Err(form());
    }
    let seconds = if is_time { clock(at) } else { crate::decimal::parse(at) };
    let seconds = seconds.filter(|s| s.is_finite() && (0.0..1e9).contains(s)).ok_or_else(|| {
        format!("It must come after so many seconds, or at a time such as 18:17:03.98, not “{}”.", shorten(at))
    })?;
    Ok((Some(seconds), lengths))
}

/// Seconds of a time of the day.
fn clock(text: &str) -> Option<f64> {
    text.split(':').try_fold(0.0, |all, part| Some(all * 60.0 + crate::decimal::parse(part)?))
}

impl Text for Trace {
    fn read(&mut self, text: &str) -> Result<(), String> {
        self.0 = text.trim().to_owned();
        match self.listed().wrong.first() {
            Some(Wrong { line, why }) => Err(format!("trace, line {line}: {why}")),
            None => Ok(()),
        }
    }

    fn write(&self) -> String {
        self.0.clone()
    }
}

impl Field for Trace {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}
