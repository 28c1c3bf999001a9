//! `live-evaluation`: programs written by a "model", run against tests as a benchmark of code runs them, and pass@k from what they did.
//!
//! The programs are in a small language of this crate: whole numbers, truth values, lists of whole numbers, one recursive function. It is
//! total here. Every step costs fuel and every nested call depth, both of which end; numbers are checked; nothing can be read or written. That
//! is what a sandbox has to give a real benchmark by other means (`openai/human-eval`, `human_eval/execution.py`: a process of its
//! own, a time limit, functions taken away).

pub mod candidates;
pub mod figure;
mod finding;
pub mod judge;
pub mod language;
pub mod problems;
pub mod similarity;
#[cfg(test)]
mod tests;

pub use figure::Params;
