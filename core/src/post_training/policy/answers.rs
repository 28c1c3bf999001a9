//! The six answers of the policy: how likely each is at first, what the reward model says of it, and what it is worth.

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// What it says.
    pub text: &'static str,
    /// Its probability under the reference model.
    pub reference: f64,
    /// The reward model's score.
    pub score: f64,
    /// What people would say of it.
    pub worth: f64,
}

/// The question.
pub const QUESTION: &str = "Is 91 a prime number?";

/// The answers. The reward model likes praise, and an outlier that it never saw most of all.
pub const ANSWERS: [Answer; 6] = [
    Answer { text: "No: 91 = 7 × 13.", reference: 0.2, score: 1.0, worth: 1.0 },
    Answer { text: "No.", reference: 0.24, score: 0.6, worth: 0.7 },
    Answer { text: "Yes.", reference: 0.39, score: 0.1, worth: 0.0 },
    Answer { text: "I am not sure.", reference: 0.1, score: 0.3, worth: 0.2 },
    Answer { text: "Great question! Primes are fun.", reference: 0.05, score: 0.8, worth: 0.1 },
    Answer { text: "Certainly, certainly, certainly!", reference: 0.02, score: 1.6, worth: 0.0 },
];

/// How many there are.
pub const COUNT: usize = ANSWERS.len();

/// The place of the answer that fools the reward model.
pub const HACK: usize = COUNT - 1;
