//! Logits of a router that look like those of a real one: tokens come in runs about one subject, each subject has experts that suit
//! it, and, where `skew` is above 0, some experts suit everything.

use crate::mix::Stream;

/// Subjects that tokens are about.
const SUBJECTS: usize = 64;
/// Tokens of a run about one subject, at the most.
const RUN: u64 = 8;
/// How much a subject decides, and how much a token itself.
const SUBJECT: f64 = 0.6;
const TOKEN: f64 = 1.0;

/// About normal, mean 0 and deviation 1, of three uniform numbers: there are many to be drawn.
fn noise(stream: &mut Stream) -> f64 {
    2.0 * (stream.unit() + stream.unit() + stream.unit()) - 3.0
}

/// Logits of `tokens` tokens for `experts` experts, token by token.
pub fn logits(tokens: usize, experts: usize, skew: f64, seed: u64) -> Vec<Vec<f64>> {
    let mut stream = Stream::new(seed);
    let popular: Vec<f64> = (0..experts).map(|_| skew * noise(&mut stream)).collect();
    let mut subjects: Vec<Vec<f64>> = Vec::new();
    for _ in 0..SUBJECTS {
        subjects.push((0..experts).map(|_| SUBJECT * noise(&mut stream)).collect());
    }
    let mut all = Vec::with_capacity(tokens);
    let (mut subject, mut left) = (0, 0);
    for _ in 0..tokens {
        if left == 0 {
            subject = stream.below(SUBJECTS as u64) as usize;
            left = 1 + stream.below(RUN);
        }
        left -= 1;
        let suits = subjects.get(subject).map_or(&[][..], Vec::as_slice);
        let row = popular.iter().zip(suits).map(|(p, s)| p + s + TOKEN * noise(&mut stream)).collect();
        all.push(row);
    }
    all
}
