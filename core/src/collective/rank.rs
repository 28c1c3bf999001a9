//! A rank's state in words: what a drawing shows of it to whoever does not see the drawing.

use super::data::{Held, State};
use super::finding::Message;
use super::{Op, Run};

/// Most chunks that are named; of more it is said how many they are.
const NAMED: usize = 8;

impl Run {
    /// What `rank` holds after `step` steps, and what it sent and received in the last of them. `data` is the state then.
    pub fn rank_in_words(&self, data: &State, step: usize, rank: usize) -> String {
        let mut done = Vec::new();
        let mut partly = Vec::new();
        let mut spent = Vec::new();
        for chunk in 0..data.chunks() {
            match data.held(rank, chunk) {
                Held::Whole => done.push(chunk),
                Held::Part(_) => partly.push(chunk),
                Held::Spent => spent.push(chunk),
                Held::Nothing => {}
            }
        }
        let (whole, part) = match self.params.op {
            Op::Reduce | Op::AllReduce | Op::ReduceScatter => ("finished sum of", "part of the sum of"),
            Op::Broadcast | Op::AllGather | Op::AllToAll => ("has", "holds for others"),
        };
        let held = [(whole, done), (part, partly), ("passed on", spent)];
        let mut parts: Vec<String> = held
            .into_iter()
            .filter(|(_, chunks)| !chunks.is_empty())
            .map(|(what, chunks)| format!("{what} {}", self.chunks_in_words(&chunks)))
            .collect();
        if parts.is_empty() {
            parts.push("nothing yet".to_owned());
        }
        let messages = step.checked_sub(1).and_then(|i| self.schedule.steps.get(i)).map(|s| s.messages());
        let messages = messages.unwrap_or_default();
        for Message { to, chunks, .. } in messages.iter().filter(|m| m.from == rank) {
            parts.push(format!("sent {} to rank {to}", self.chunks_in_words(chunks)));
        }
        for Message { from, chunks, .. } in messages.iter().filter(|m| m.to == rank) {
            parts.push(format!("received {} from rank {from}", self.chunks_in_words(chunks)));
        }
        format!("Rank {rank}: {}.", parts.join("; "))
    }

    fn chunks_in_words(&self, chunks: &[usize]) -> String {
        let n = self.params.ranks;
        let name = |chunk: &usize| match self.params.op {
            Op::AllToAll => format!("{} to {}", chunk / n, chunk % n),
            _ => chunk.to_string(),
        };
        match chunks {
            [one] => format!("chunk {}", name(one)),
            few if few.len() <= NAMED => format!("chunks {}", few.iter().map(name).collect::<Vec<_>>().join(", ")),
            many => format!("{} chunks", many.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Algo, Op, Params, Run};

    fn run(op: Op, algo: Algo, ranks: usize) -> Run {
        Run::new(&Params { op, algo, ranks, ..Params::default() }).expect("possible")
    }

    fn words(run: &Run, step: usize, rank: usize) -> String {
        run.rank_in_words(&run.state(step), step, rank)
    }

    #[test]
    fn a_ring_is_read_rank_by_rank() {
        let ring = run(Op::AllReduce, Algo::Ring, 4);
        assert_eq!(words(&ring, 0, 2), "Rank 2: part of the sum of chunks 0, 1, 2, 3.");
        let first = words(&ring, 1, 2);
        assert!(first.contains("to rank 3") && first.contains("from rank 1"), "{first}");
        for rank in 0..4 {
            let end = words(&ring, ring.steps(), rank);
            assert!(end.starts_with(&format!("Rank {rank}: finished sum of chunks 0, 1, 2, 3")), "{end}");
        }
    }

    #[test]
    fn whoever_has_nothing_says_so_and_many_chunks_are_counted() {
        assert_eq!(words(&run(Op::Broadcast, Algo::Ring, 4), 0, 3), "Rank 3: nothing yet.");
        let many = words(&run(Op::AllReduce, Algo::Ring, 16), 0, 0);
        assert_eq!(many, "Rank 0: part of the sum of 16 chunks.");
    }
}
