//! What a run comes to, in words.

use super::{Diagnosis, Outcome, Totals, Verdict};
use crate::quantity::{Unit, listed, unbroken};

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
            Self::Collective => "a collective where only sends and receives count",
            Self::OverMemory => "more memory than the budget",
            Self::OverBytes => "more bytes sent than the budget",
            Self::OverTime => "more time than the budget",
            Self::Syntax => "Python that can’t be read",
            Self::Error => "a Python error",
            Self::Limit => "stopped at a limit",
            Self::Job => "a job that can’t be run",
        }
    }
}

/// Ranks in words: "rank 1", "ranks 1 and 2", "ranks 0, 1 and 3".
pub fn rank_list(ranks: &[usize]) -> String {
    let names: Vec<String> = ranks.iter().map(usize::to_string).collect();
    match ranks {
        [] => "no rank".to_owned(),
        [_] => format!("rank {}", listed(&names)),
        _ => format!("ranks {}", listed(&names)),
    }
}

/// Numbers of ranks as a sentence has them, in order: "2, 4 and 8".
pub fn rank_counts(all: &[usize]) -> String {
    let mut all = all.to_vec();
    all.sort_unstable();
    listed(&all.iter().map(usize::to_string).collect::<Vec<_>>())
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
        let Diagnosis { verdict, .. } = &self.diagnosis;
        let first = match verdict {
            // The verdict beside the program has the numbers.
            Verdict::Passed => return format!("{title}: solved on every rank."),
            Verdict::Limit => format!("{title}: not solved yet. The run was {}.", verdict.label()),
            _ => format!("{title}: not solved yet. The run ended with {}.", verdict.label()),
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
        assert_eq!(outcome(Verdict::Passed, Some(totals)).finding("Ring"), "Ring: solved on every rank.");
        let slow = outcome(Verdict::OverTime, Some(totals)).finding("Ring").replace('\u{a0}', " ");
        assert!(slow.contains("The best known program takes 2 µs, 1,024 B on the fullest rank"), "{slow}");
        let stuck = outcome(Verdict::Deadlock, None).finding("Ring");
        assert_eq!(stuck, "Ring: not solved yet. The run ended with a deadlock.");
        let ended = [Verdict::OverMemory, Verdict::OverBytes, Verdict::OverTime, Verdict::Limit];
        let ended =
            ended.map(|verdict| outcome(verdict, None).finding("Ring").replace("Ring: not solved yet. The run ", ""));
        assert_eq!(
            ended,
            [
                "ended with more memory than the budget.",
                "ended with more bytes sent than the budget.",
                "ended with more time than the budget.",
                "was stopped at a limit."
            ]
        );
    }

    #[test]
    fn ranks_are_listed_as_a_sentence_has_them() {
        let lists = [&[][..], &[1], &[1, 2], &[0, 1, 3]].map(rank_list);
        assert_eq!(lists, ["no rank", "rank 1", "ranks 1 and 2", "ranks 0, 1 and 3"]);
    }
}
