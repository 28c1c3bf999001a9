//! What a broken cable does: who waits for whom, for ever.
//!
//! A rank takes its steps in order, and a message needs both its ends: the receiver has to be there and the cable whole.
//! What is prevented in one step leaves two ranks behind, and they are missing in the next. That is how a collective of NCCL
//! hangs when a peer does not answer: nobody fails, everybody waits, until a watchdog ends the job. Libraries that notice a
//! broken cable before they start lay another ring; here the schedule is laid already.

use super::schedule::Schedule;

impl Schedule {
    /// Takes out what never happens if the cable between two ranks is broken. Says by rank in which step, from 0, it begins to
    /// wait for ever; none for a rank that gets through. Steps in which nothing is left stay, empty.
    pub(super) fn broken(&mut self, cable: Option<(usize, usize)>) -> Vec<Option<usize>> {
        let mut stuck = vec![None; self.ranks];
        let Some((a, b)) = cable else { return stuck };
        for (now, step) in self.steps.iter_mut().enumerate() {
            let before = stuck.clone();
            let waits = |rank: usize| before.get(rank).copied().flatten().is_some();
            step.transfers.retain(|t| {
                let (from, to) = (usize::from(t.from), usize::from(t.to));
                let prevented = (from, to) == (a, b) || (from, to) == (b, a) || waits(from) || waits(to);
                if prevented {
                    for rank in [from, to] {
                        if let Some(stuck) = stuck.get_mut(rank) {
                            stuck.get_or_insert(now);
                        }
                    }
                }
                !prevented
            });
        }
        stuck
    }
}
