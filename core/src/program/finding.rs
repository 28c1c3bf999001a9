//! What a run comes to, in words.

use super::{Diagnosis, Outcome, Totals, Verdict};
use crate::quantity::{Unit, unbroken};

impl Verdict {
    /// What became of a program, in a few words: "a deadlock".
    pub fn label(self) -> &'static str {
        match self {
            Self::Passed => "solved",
            Self::Deadlock => "a deadlock",
            Self::Mismatch => "collectives that don’t match",
            Self::Unreceived => "a message that nobody receives",
            Self::Wrong => "a wrong result",
            Self::Missing => "a missing result",
            Self::Race => "a tensor used too early",
            Self::OverMemory => "too much memory",
            Self::OverBytes => "too many bytes sent",
            Self::OverTime => "too slow",
            Self::Syntax => "Python that can’t be read",
            Self::Error => "a Python error",
            Self::Limit => "stopped at a limit",
            Self::Job => "a job that can’t be run",
        }
    }
}

impl Totals {
    /// What a run used: "12.3 µs, 1,024 B on the fullest rank, 768 B sent by the busiest one".
    pub fn says(&self) -> String {
        let [memory, bytes] = [self.memory, self.bytes].map(|bytes| unbroken(&Unit::Bytes.format(bytes as f64)));
        let time = unbroken(&Unit::Seconds.format(self.time));
        format!("{time}, {memory} on the fullest rank, {bytes} sent by the busiest one")
    }
}

impl Outcome {
    /// How it stands with the puzzle `title`, in sentences.
    pub fn finding(&self, title: &str) -> String {
        let used = self.run.totals.says();
        let Diagnosis { verdict, .. } = &self.diagnosis;
        let first = if *verdict == Verdict::Passed {
            format!("{title}: solved. The run took {used}.")
        } else {
            format!("{title}: not solved yet. The run ended with {}.", verdict.label())
        };
        match &self.best {
            Some(best) => format!("{first} The best known program takes {}.", best.says()),
            None => first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Run;
    use super::*;

    #[test]
    fn a_finding_says_how_it_ended_and_what_is_possible() {
        let totals = Totals { time: 2e-6, memory: 1024, bytes: 768, bytes_total: 3072, flops: 0.0 };
        let diagnosis = |verdict| Diagnosis { verdict, sentence: String::new(), at: Vec::new() };
        let run = Run { totals, ..Run::default() };
        let outcome = |verdict, best| Outcome { run: run.clone(), best, diagnosis: diagnosis(verdict) };
        let solved = outcome(Verdict::Passed, Some(totals)).finding("Ring").replace('\u{a0}', " ");
        assert!(solved.starts_with("Ring: solved. The run took 2 µs, 1,024 B on the fullest rank"), "{solved}");
        assert!(solved.contains("The best known program takes 2 µs"), "{solved}");
        let stuck = outcome(Verdict::Deadlock, None).finding("Ring");
        assert_eq!(stuck, "Ring: not solved yet. The run ended with a deadlock.");
    }
}
