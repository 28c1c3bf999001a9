//! A run, moment by moment: where each rank is, what it holds and what is under way.

use super::{Event, EventKind, Message, Rank, Run, State};
use crate::quantity::Unit;

/// What a rank does at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// An event is going on.
    Busy(EventKind),
    /// It is in a call that never ends.
    Hangs,
    /// It is between two calls.
    Between,
    /// Its program has ended.
    Finished,
    /// An error has stopped it, or it died, or another rank's error ended the run.
    Stopped,
}

/// A rank at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// What it does.
    pub doing: Doing,
    /// The line that it is at, from 1; 0 if there is none.
    pub line: u32,
    /// What it does, in words: "waits in recv from rank 1".
    pub says: String,
    /// Bytes of its tensors.
    pub memory: u64,
}

/// The moments of a run at which something begins or ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moments(Vec<f64>);

impl Moments {
    /// Those of a run.
    pub fn of(run: &Run) -> Self {
        let events = run.ranks.iter().flat_map(|rank| &rank.events).filter(|event| !event.stream);
        let messages = run.messages.iter().flat_map(|message| [message.start, message.end]);
        let mut all: Vec<f64> = events.map(|event| event.start).chain(messages).chain([0.0, run.totals.time]).collect();
        all.retain(|time| time.is_finite());
        all.sort_by(f64::total_cmp);
        all.dedup();
        Self(all)
    }

    /// Steps from the first moment to the last.
    pub fn steps(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The moment after this many steps, in seconds; the last one after too many.
    pub fn time(&self, step: usize) -> f64 {
        self.0.get(step.min(self.steps())).copied().unwrap_or_default()
    }

    /// The step whose moment is the last one at `time` or before.
    pub fn step(&self, time: f64) -> usize {
        self.0.partition_point(|moment| *moment <= time).saturating_sub(1)
    }
}

impl Run {
    /// Where each rank is at `time`, in seconds.
    pub fn standings(&self, time: f64) -> Vec<Standing> {
        self.ranks.iter().map(|rank| rank.standing(time)).collect()
    }

    /// Messages that are under way at `time`, in seconds.
    pub fn under_way(&self, time: f64) -> impl Iterator<Item = &Message> {
        let begun = self.messages.partition_point(|message| message.start <= time);
        self.messages.iter().take(begun).filter(move |message| message.end > time)
    }

    /// The share of the ranks that compute in each of so many equal parts of the time until `end`, in seconds: from 0 to 1.
    pub fn computing(&self, end: f64, parts: usize) -> Vec<f64> {
        let part = end / parts.max(1) as f64;
        let all = (part * self.ranks.len() as f64).max(f64::MIN_POSITIVE);
        let mut shares = vec![0.0; parts];
        let events = self.ranks.iter().flat_map(|rank| &rank.events);
        for event in events.filter(|event| event.kind == EventKind::Compute && part > 0.0) {
            let (first, last) = ((event.start / part) as usize, (event.end / part) as usize);
            for (i, share) in shares.iter_mut().enumerate().take(last.saturating_add(1)).skip(first) {
                let from = event.start.max(i as f64 * part);
                let to = event.end.min((i + 1) as f64 * part);
                *share += (to - from).max(0.0) / all;
            }
        }
        shares.iter_mut().for_each(|share| *share = share.min(1.0));
        shares
    }

    /// What the ranks have printed by `time`, in seconds: a line for each, in the order of their times.
    pub fn printed(&self, time: f64) -> String {
        let all = self.ranks.iter().enumerate().flat_map(|(i, rank)| rank.printed.iter().map(move |line| (i, line)));
        let mut all: Vec<_> = all.filter(|(_, line)| line.time <= time).collect();
        all.sort_by(|(_, a), (_, b)| a.time.total_cmp(&b.time));
        all.iter().map(|(rank, line)| format!("rank {rank}: {}\n", line.text)).collect()
    }
}

impl Rank {
    /// Where it is at `time`, in seconds.
    pub fn standing(&self, time: f64) -> Standing {
        let begun = self.events.partition_point(|event| event.start <= time);
        let event = self.events.iter().take(begun).rev().find(|event| !event.stream);
        let held = self.memory.partition_point(|point| point.time <= time);
        let memory = self.memory.get(held.wrapping_sub(1)).map_or(0, super::MemoryPoint::total);
        let at = |doing, line, says: String| Standing { doing, line, says, memory };
        match event {
            Some(event) if event.hangs => at(Doing::Hangs, event.line, format!("hangs in {}", event.call())),
            Some(event) if time < event.end || time == event.start && time < self.end => {
                at(Doing::Busy(event.kind), event.line, event.says())
            }
            _ if time < self.end => {
                let line = event.map_or(0, |event| event.line);
                at(Doing::Between, line, "between calls".to_owned())
            }
            _ => match &self.state {
                State::Finished => at(Doing::Finished, 0, "finished".to_owned()),
                State::Waits { line, call, .. } => at(Doing::Hangs, *line, format!("hangs in {call}")),
                State::Failed { line, error } => at(Doing::Stopped, *line, format!("stopped by {error}")),
                State::Died { line } => at(Doing::Stopped, *line, "died".to_owned()),
                State::Refused { line, call } if call.is_empty() => {
                    at(Doing::Stopped, *line, "stopped here".to_owned())
                }
                State::Refused { line, call } => at(Doing::Stopped, *line, format!("stopped in {call}")),
                State::Stopped { line } => at(Doing::Stopped, *line, "stopped with the run".to_owned()),
            },
        }
    }
}

impl Event {
    /// The call, with the other rank: "recv from rank 1".
    pub fn call(&self) -> String {
        match (self.kind, self.peer) {
            (EventKind::Send, Some(peer)) => format!("{} to rank {peer}", self.label),
            (EventKind::Recv, Some(peer)) => format!("{} from rank {peer}", self.label),
            _ => self.label.clone(),
        }
    }

    /// What it is, in words: "send to rank 1, 256 B".
    fn says(&self) -> String {
        let bytes = Unit::Bytes.format(self.bytes as f64);
        match self.kind {
            EventKind::Compute => format!("computes {}", self.label),
            EventKind::Send => format!("{}, {bytes}", self.call()),
            EventKind::Recv => format!("waits in {}", self.call()),
            EventKind::Wait => "waits for a work handle".to_owned(),
            EventKind::Collective => format!("in {}, {bytes}", self.call()),
        }
    }
}

/// Which ranks are at which line, for each line at which one is: a list of ranks that can go on or hang there.
pub fn places(standings: &[Standing]) -> Vec<(u32, Vec<usize>)> {
    let mut places: Vec<(u32, Vec<usize>)> = Vec::new();
    for (rank, standing) in standings.iter().enumerate().filter(|(_, standing)| standing.line > 0) {
        match places.iter_mut().find(|(line, _)| *line == standing.line) {
            Some((_, ranks)) => ranks.push(rank),
            None => places.push((standing.line, vec![rank])),
        }
    }
    places.sort_unstable_by_key(|(line, _)| *line);
    places
}

#[cfg(test)]
mod tests {
    use super::super::{KINDS, MemoryPoint, Printed, Totals};
    use super::*;

    fn event(kind: EventKind, line: u32, start: f64, end: f64) -> Event {
        let label = if kind == EventKind::Recv { "recv" } else { "matmul" };
        Event {
            kind,
            line,
            start,
            end,
            stream: false,
            label: label.to_owned(),
            peer: (kind == EventKind::Recv).then_some(0),
            bytes: 16,
            flops: 0.0,
            hangs: false,
        }
    }

    fn rank(events: Vec<Event>, state: State, end: f64) -> Rank {
        let point = |time, bytes| MemoryPoint { time, line: 1, bytes: [bytes; KINDS] };
        Rank {
            events,
            memory: vec![point(1.0, 2), point(3.0, 1)],
            peak: point(1.0, 2),
            sent: 16,
            flops: 0.0,
            calls: 1,
            printed: Vec::new(),
            submitted: Vec::new(),
            state,
            end,
        }
    }

    fn run() -> Run {
        let mut hanging = event(EventKind::Recv, 4, 2.0, 2.0);
        hanging.hangs = true;
        let mut beside = event(EventKind::Send, 9, 1.5, 3.5);
        beside.stream = true;
        let waits = State::Waits { line: 4, on: vec![0], call: "recv from rank 0".to_owned() };
        Run {
            ranks: vec![
                rank(
                    vec![event(EventKind::Compute, 2, 0.0, 1.0), beside, event(EventKind::Recv, 3, 2.0, 3.0)],
                    State::Finished,
                    4.0,
                ),
                rank(vec![event(EventKind::Compute, 2, 0.0, 2.0), hanging], waits, 2.0),
            ],
            messages: vec![Message { from: 0, to: 1, bytes: 16, start: 1.5, end: 3.5, line: 9, collective: None }],
            totals: Totals { time: 4.0, ..Totals::default() },
            ..Run::default()
        }
    }

    #[test]
    fn every_beginning_and_end_is_a_moment() {
        let moments = Moments::of(&run());
        assert_eq!(moments, Moments(vec![0.0, 1.5, 2.0, 3.5, 4.0]));
        assert_eq!((moments.steps(), moments.time(1), moments.time(99)), (4, 1.5, 4.0));
        assert_eq!([0.0, 1.9, 2.0, 9.0].map(|time| moments.step(time)), [0, 1, 2, 4]);
        assert_eq!((Moments::of(&Run::default()).steps(), Moments::default().time(3)), (0, 0.0));
    }

    #[test]
    fn each_rank_is_somewhere_at_every_moment() {
        let run = run();
        let at = |time| run.standings(time).into_iter().map(|s| (s.doing, s.line, s.memory)).collect::<Vec<_>>();
        let computes = Doing::Busy(EventKind::Compute);
        assert_eq!(at(0.0), [(computes, 2, 0), (computes, 2, 0)]);
        // What runs beside the program is not where the program is.
        assert_eq!(at(1.5), [(Doing::Between, 2, 10), (computes, 2, 10)]);
        assert_eq!(at(2.0), [(Doing::Busy(EventKind::Recv), 3, 10), (Doing::Hangs, 4, 10)]);
        assert_eq!(at(4.0), [(Doing::Finished, 0, 5), (Doing::Hangs, 4, 5)]);
        assert_eq!(places(&run.standings(2.0)), [(3, vec![0]), (4, vec![1])]);
        assert_eq!(places(&run.standings(0.0)), [(2, vec![0, 1])]);
        let says: Vec<String> = run.standings(2.0).into_iter().map(|s| s.says).collect();
        assert_eq!(says, ["waits in recv from rank 0", "hangs in recv from rank 0"]);
        let of = |kind, label: &str, peer| Event { label: label.to_owned(), peer, ..event(kind, 1, 0.0, 1.0) }.says();
        assert_eq!(of(EventKind::Send, "send", Some(1)), "send to rank 1, 16 B");
        assert_eq!(of(EventKind::Wait, "wait", Some(1)), "waits for a work handle");
    }

    #[test]
    fn what_computes_and_what_is_printed_is_known_for_every_time() {
        let mut run = run();
        // Both compute in the first second, one in the next.
        assert_eq!(run.computing(4.0, 4), [1.0, 0.5, 0.0, 0.0]);
        assert_eq!(run.computing(8.0, 4), [0.75, 0.0, 0.0, 0.0]);
        assert_eq!((run.computing(4.0, 0).len(), Run::default().computing(0.0, 2)), (0, vec![0.0, 0.0]));
        for (rank, time) in [(0, 2.0), (1, 1.0)] {
            run.ranks[rank].printed.push(Printed { time, text: "x".to_owned() });
        }
        assert_eq!(
            (run.printed(1.5), run.printed(2.0)),
            ("rank 1: x\n".to_owned(), "rank 1: x\nrank 0: x\n".to_owned())
        );
    }

    #[test]
    fn a_message_is_under_way_until_its_last_byte() {
        let run = run();
        assert_eq!([0.0, 1.5, 3.4, 3.5].map(|time| run.under_way(time).count()), [0, 1, 1, 0]);
    }
}
