//! What happens, in sentences.

use super::data::number;
use super::schedule::{Action, Step, Transfer};
use super::{Op, Run};
use crate::quantity::{Unit, counted, number as digits, unbroken};

/// Chunks that go from one rank to another in one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The rank that sends.
    pub from: usize,
    /// The rank that receives.
    pub to: usize,
    /// The chunks, by their numbers.
    pub chunks: Vec<usize>,
    /// What becomes of them.
    pub action: Action,
}

impl Step {
    /// The messages of the step, by sender and receiver.
    pub fn messages(&self) -> Vec<Message> {
        let mut transfers: Vec<&Transfer> = self.transfers.iter().collect();
        transfers.sort_by_key(|t| (t.from, t.to, t.chunk));
        let mut messages: Vec<Message> = Vec::new();
        for t in transfers {
            let (from, to, chunk) = (t.from.into(), t.to.into(), t.chunk.into());
            match messages.last_mut() {
                Some(m) if m.from == from && m.to == to && m.action == t.action => m.chunks.push(chunk),
                _ => messages.push(Message { from, to, chunks: vec![chunk], action: t.action }),
            }
        }
        messages
    }
}

/// "1 chunk", "3 chunks", on one line.
fn some(n: usize, one: &str, many: &str) -> String {
    unbroken(&counted(n as u64, one, many))
}

impl Run {
    /// What step `step` does, in one sentence; before the first, what each rank has.
    pub fn step_finding(&self, step: usize) -> String {
        let n = self.params.ranks;
        let size = |chunks: usize| unbroken(&Unit::Bytes.format(chunks as f64 * self.chunk_bytes()));
        let Some(index) = step.min(self.steps()).checked_sub(1) else {
            let who = match self.params.op {
                Op::Broadcast => format!("rank 0 has {n} chunks of {}, the others nothing", size(1)),
                Op::AllGather => format!("each rank has one chunk of {}, of which all want all {n}", size(1)),
                Op::AllToAll => format!("each rank has a block of {} for each rank", size(1)),
                Op::Reduce | Op::AllReduce | Op::ReduceScatter => {
                    format!("each of {n} ranks has its own numbers in {n} chunks of {}", size(1))
                }
            };
            return format!("Before the first step {who}.");
        };
        let Some(current) = self.schedule.steps.get(index) else { return String::new() };
        let messages = current.messages();
        let waiting = self.stuck.iter().flatten().filter(|since| **since <= index).count();
        if messages.is_empty() {
            return format!(
                "Step {} of {}, {}: nothing moves; {} wait for ever.",
                index + 1,
                self.steps(),
                current.phase,
                some(waiting, "rank", "ranks")
            );
        }
        let mut busy = vec![false; n];
        for m in &messages {
            busy[m.from] = true;
            busy[m.to] = true;
        }
        let idle = busy.iter().filter(|b| !**b).count();
        let fewest = messages.iter().map(|m| m.chunks.len()).min().unwrap_or(0);
        let most = messages.iter().map(|m| m.chunks.len()).max().unwrap_or(0);
        let range = if fewest == most {
            format!("{} ({})", some(most, "chunk", "chunks"), size(most))
        } else {
            format!("{fewest} to {most} chunks (up to {})", size(most))
        };
        let one_each = messages.len() == n && messages.iter().enumerate().all(|(i, m)| m.from == i);
        let shift = |m: &super::finding::Message| (m.to + n - m.from) % n;
        let same = messages.first().filter(|first| messages.iter().all(|m| shift(m) == shift(first))).map(shift);
        let who = match (messages.as_slice(), same) {
            ([only], _) => format!("rank {} sends rank {} {range}", only.from, only.to),
            (_, Some(1)) if one_each => format!("every rank sends the next {range}"),
            (_, Some(by)) if one_each && by + 1 == n => format!("every rank sends the one before {range}"),
            (_, Some(by)) if one_each => format!("every rank sends the rank {by} further on {range}"),
            _ if one_each => format!("every rank sends another {range}"),
            (all, _) => format!("{} of {range}", some(all.len(), "message", "messages")),
        };
        let sums = messages.iter().filter(|m| m.action == Action::Reduce).count();
        let becomes = match sums {
            0 => "",
            s if s == messages.len() => ", added to what is there",
            _ => ", some added to what is there and some finished sums",
        };
        let rest = match (waiting, idle) {
            (0, 0) => String::new(),
            (0, 1) => ", one rank idle".to_owned(),
            (0, idle) => format!(", {idle} ranks idle"),
            (waiting, _) => format!(", {} waiting for ever", some(waiting, "rank", "ranks")),
        };
        let time = self.cost.steps.get(index).copied().unwrap_or(0.0);
        format!(
            "Step {} of {}, {}: {who}{becomes}{rest}, in {}.",
            index + 1,
            self.steps(),
            current.phase,
            unbroken(&Unit::Seconds.format(time))
        )
    }

    /// What the whole comes to.
    pub fn finding(&self) -> String {
        let p = &self.params;
        let sent = self.cost.most_sent();
        let text = |unit: Unit, value: f64| unbroken(&unit.format(value));
        if !self.ends() {
            return self.halt();
        }
        let mut finding = format!(
            "All {} take {}; the busiest rank sends {}, {} times the buffer, and ranks idle {} of the time.",
            some(self.steps(), "step", "steps"),
            text(Unit::Seconds, self.cost.time()),
            text(Unit::Bytes, sent),
            digits(sent / p.bytes),
            text(Unit::Fraction, self.cost.idle_share())
        );
        if let Some((a, b)) = p.broken() {
            finding += &format!(" Nothing goes over the broken cable between ranks {a} and {b}, so nobody notices.");
        }
        if p.straggles() {
            finding += &format!(
                " Rank {}, {} times slower, makes it last {} times as long.",
                p.slow_rank,
                digits(p.slow_by),
                digits(self.cost.time() / self.even_time)
            );
        }
        finding
    }

    /// What the broken cable does.
    fn halt(&self) -> String {
        let n = self.params.ranks;
        let (a, b) = self.params.broken().unwrap_or_default();
        let stuck = self.stuck.iter().flatten().count();
        let first = self.stuck.iter().flatten().min().map_or(0, |step| step + 1);
        let last = self.stuck.iter().flatten().max().map_or(0, |step| step + 1);
        let who = if stuck == n { format!("all {n} ranks") } else { format!("{stuck} of {n} ranks") };
        let spread = match last.saturating_sub(first) {
            0 => "at once".to_owned(),
            steps => format!("{} later", some(steps, "step", "steps")),
        };
        format!(
            "The cable between ranks {a} and {b} is broken. It is needed in step {first}; {spread} {who} wait for ever, each for \
             another, and {} of the result is there. Nobody fails: a watchdog has to end it.",
            Unit::Fraction.format(self.done())
        )
    }

    /// What the ranks have after the last step, compared with the plain sum.
    pub fn end_finding(&self) -> String {
        let check = self.state(self.steps()).check(number);
        let wanted = some(check.wanted, "chunk", "chunks");
        if check.right < check.wanted {
            return format!("Only {} of {wanted} are as they must be.", check.right);
        }
        if !matches!(self.params.op, Op::Reduce | Op::AllReduce | Op::ReduceScatter) {
            return format!("All {wanted} are where they must be, unchanged.");
        }
        let agree = match (self.params.op, check.agree) {
            (Op::AllReduce, true) => " Every rank has the same bits.",
            (Op::AllReduce, false) => " Ranks differ in their last bits.",
            _ => "",
        };
        let order = match check.reordered {
            0 => "each has the very bits of the sum from rank 0 to the last".to_owned(),
            some => format!(
                "{some} differ in their last bits from the sum from rank 0 to the last, because they were added in another order: \
                 fp32 is off by at most {} of the sum here and {} there",
                digits(check.error),
                digits(check.plain_error)
            ),
        };
        format!("All {wanted} hold every rank’s number once; {order}.{agree}")
    }
}
