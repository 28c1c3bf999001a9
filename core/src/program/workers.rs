//! The same program with every rank in a Web Worker of its own: what was measured, next to what was predicted of it.
//!
//! The prediction needs two measurements of this very machine. A ping-pong between two workers gives α and β by
//! [`fit`]. A run of all ranks in one worker gives how long each rank's program takes between two calls
//! into communication. The model then plays these times as it plays FLOPs, each rank by itself, over links of that α and β.

use serde::{Deserialize, Serialize};

use super::compare::cost;
use super::{Comparison, Diagnosis, Machine, Row, Run, State, Submitted, Wire, rank_list};
use crate::collective::Op;
use crate::network::measured::fit;
use crate::network::sizes::{Point, Points};
use crate::quantity::{Unit, counted, significant, unbroken};

/// Elements of the messages of a ping-pong, of four bytes each: 8 B to 4 MiB.
pub const PINGS: [usize; 6] = [2, 256, 4096, 65_536, 262_144, 1_048_576];

/// Fewest workers of a run.
pub const FEWEST: usize = 2;

/// How many workers run a program that is asked for on `ranks` ranks, where the browser says how many cores there are: no more than
/// cores, and [`FEWEST`] at least.
pub fn workers(ranks: usize, cores: Option<usize>) -> usize {
    ranks.min(cores.unwrap_or(8)).clamp(FEWEST, super::MAX_RANKS)
}

/// How a rank ended in its worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// How.
    pub state: State,
    /// What to say if it failed.
    pub fault: Option<Diagnosis>,
    /// What it submitted.
    pub submitted: Vec<Submitted>,
}

/// When a rank ran.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Took {
    /// Seconds on a clock that all workers share, when its program began.
    pub start: f64,
    /// The same, when it ended.
    pub end: f64,
    /// Seconds in which it did not wait.
    pub busy: f64,
}

/// All ranks in one worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alone {
    /// Seconds that they took, in turn.
    pub seconds: f64,
    /// The run as it would be with a worker for each: the prediction.
    pub run: Run,
}

/// α and β of the way between two workers, from a ping-pong's (bytes, seconds): none if no line with both fits.
pub fn wire(points: &[(f64, f64)]) -> Option<Wire> {
    let cost = fit(points)?.cost;
    let real = cost.latency > 0.0 && cost.per_byte > 0.0;
    real.then(|| Wire { latency: cost.latency, bandwidth: cost.per_byte.recip() })
}

/// The machine that the workers are, for a job on `ranks` of them: its FLOPs are the seconds that a clock has seen.
pub fn machine(ranks: usize, wire: Wire, buffer: u64) -> Machine {
    Machine { peak: 1.0, node: ranks, inside: wire, across: wire, buffer }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Workers, one per rank.
    pub ranks: usize,
    /// The ping-pong: bytes and seconds one way.
    pub points: Vec<(f64, f64)>,
    /// What fits it.
    pub wire: Wire,
    /// Seconds that all ranks took in one worker.
    pub alone: f64,
    /// Seconds that they were predicted to take in workers of their own.
    pub predicted: f64,
    /// The runs in workers of their own, each rank's.
    pub runs: Vec<Vec<Took>>,
}

impl Measured {
    /// The run whose time is in the middle: seconds from the first rank's start to the last one's end, and the share of that time
    /// in which ranks did not wait.
    fn median(&self) -> Option<(f64, f64)> {
        let time = |run: &[Took]| {
            let first = run.iter().map(|took| took.start).fold(f64::INFINITY, f64::min);
            let last = run.iter().map(|took| took.end).fold(f64::NEG_INFINITY, f64::max);
            let busy = run.iter().map(|took| took.busy).sum::<f64>();
            let all = (last - first) * run.len() as f64;
            (last - first, if all > 0.0 { busy / all } else { 0.0 })
        };
        let mut times: Vec<(f64, f64)> = self.runs.iter().map(|run| time(run)).filter(|(t, _)| t.is_finite()).collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times.get(times.len() / 2).copied()
    }

    /// Measured next to predicted. None without a run that took any time.
    pub fn comparison(&self) -> Option<Comparison> {
        let (time, _) = self.median().filter(|(time, _)| *time > 0.0)?;
        let row = |what: &str, run: f64, model: f64, unit| Row { what: what.to_owned(), run, model, unit };
        let predicted = if self.predicted > 0.0 { self.alone / self.predicted } else { 0.0 };
        let rows = vec![
            row("Time", time, self.predicted, Unit::Seconds),
            row("Speedup over one worker", self.alone / time, predicted, Unit::Ratio),
        ];
        let [alpha, rate] = [Unit::Seconds.format(self.wire.latency), Unit::BytesPerSecond.format(self.wire.bandwidth)]
            .map(|text| unbroken(&text));
        let note = format!(
            "Between two workers, α = {alpha} and 1/β = {rate} were measured. The model gives every worker a core of its own."
        );
        let largest = self.points.iter().map(|(bytes, _)| *bytes).fold(0.0, f64::max);
        // One message from one rank to another.
        let mut state = cost(Op::Broadcast, FEWEST, largest, &machine(FEWEST, self.wire, 0));
        let point = |&(bytes, time): &(f64, f64)| Point { bytes, time, in_place: None };
        state.measured = Points(self.points.iter().map(point).collect());
        let title = format!("{}, one per rank", counted(self.ranks as u64, "worker", "workers"));
        Some(Comparison::new(title, &state, note, rows))
    }

    /// What to make of it, in sentences.
    pub fn finding(&self) -> String {
        let Some((time, busy)) = self.median().filter(|(time, _)| *time > 0.0) else {
            return "The program is too short for this browser’s clock. Give each rank more to compute.".to_owned();
        };
        let speedup = self.alone / time;
        let [alone, took] = [self.alone, time].map(|t| unbroken(&Unit::Seconds.format(t)));
        let ran = format!(
            "One worker runs all {} ranks in {alone}; a worker per rank takes {took}, which is {}× as fast.",
            self.ranks,
            significant(speedup, 2)
        );
        let waits = unbroken(&Unit::Fraction.format((1.0 - busy).clamp(0.0, 1.0)));
        let advice = if speedup < 0.5 * self.ranks as f64 {
            " Give each rank more to compute between messages, or send fewer and larger ones."
        } else {
            ""
        };
        format!("{ran} The workers spend {waits} of that time waiting.{advice}")
    }
}

/// Where a rank in its worker is; `None` is a worker that has not answered.
pub fn standing(rank: usize, state: Option<&State>) -> String {
    match state {
        None => format!("Rank {rank} is computing."),
        Some(State::Stopped { line: 0 }) => format!("Rank {rank} hasn’t begun."),
        Some(State::Stopped { line }) => format!("Rank {rank} is running at line {line}."),
        Some(State::Finished) => format!("Rank {rank} has finished."),
        Some(State::Waits { line, on, call }) => {
            format!("Rank {rank} waits for {} at line {line}, in {call}.", rank_list(on))
        }
        Some(State::Failed { line, error }) => format!("Rank {rank} failed at line {line}: {error}"),
        Some(State::Died { line }) => format!("Rank {rank} died at line {line}."),
        Some(State::Refused { line, .. }) => format!("Rank {rank} was stopped at line {line}."),
    }
}

/// What differs first between what ranks submitted in workers of their own and in one, in a sentence; none if nothing does.
/// Reductions add in another order there, so elements may differ by `tolerance`, relative to the larger of 1 and the value.
pub fn differs(run: &Run, ended: &[Ended], tolerance: f64) -> Option<String> {
    for (rank, (one, own)) in run.ranks.iter().zip(ended).enumerate() {
        if one.submitted.len() != own.submitted.len() {
            return Some(format!("Rank {rank} submits a different number of tensors than in one worker."));
        }
        for (a, b) in one.submitted.iter().zip(&own.submitted) {
            let near = |(x, y): (&f64, &f64)| {
                x == y || (x - y).abs() <= tolerance * x.abs().max(1.0) || x.is_nan() && y.is_nan()
            };
            let same = a.name == b.name && a.shape == b.shape && a.values.iter().zip(&b.values).all(near);
            if !same {
                return Some(format!("What rank {rank} submits as “{}” differs from the run in one worker.", a.name));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Model as _;
    use crate::network::sizes;

    const ALPHA: f64 = 40e-6;
    const RATE: f64 = 400e6;

    fn measured() -> Measured {
        let points = PINGS.map(|n| (4.0 * n as f64, ALPHA + 4.0 * n as f64 / RATE)).to_vec();
        let took = |time: f64| {
            (0..4).map(|i| Took { start: 7.0 + 1e-4 * f64::from(i), end: 7.0 + time, busy: 1e-3 }).collect()
        };
        let wire = wire(&points).expect("a line fits");
        Measured { ranks: 4, points, wire, alone: 8e-3, predicted: 2.5e-3, runs: [4e-3, 9e-3, 2e-3].map(took).to_vec() }
    }

    #[test]
    fn a_ping_pong_gives_alpha_and_beta_back() {
        let wire = measured().wire;
        assert!((wire.latency / ALPHA - 1.0).abs() < 1e-9 && (wire.bandwidth / RATE - 1.0).abs() < 1e-9, "{wire:?}");
        // No time, or none for a byte.
        assert_eq!((super::wire(&[]), super::wire(&[(8.0, 1e-3), (4096.0, 1e-3)])), (None, None));
    }

    #[test]
    fn measured_stands_next_to_predicted_and_the_figure_opens_with_the_fit() {
        let measured = measured();
        let comparison = measured.comparison().expect("it ran");
        let rows: Vec<(f64, f64)> = comparison.rows.iter().map(|row| (row.run, row.model)).collect();
        for ((run, model), (time, predicted)) in rows.into_iter().zip([(4e-3, 2.5e-3), (2.0, 3.2)]) {
            assert!((run / time - 1.0).abs() < 1e-9 && (model / predicted - 1.0).abs() < 1e-9, "{run} {model}");
        }
        let (state, problems) = sizes::Params::read(&comparison.state);
        assert_eq!((problems, comparison.figure), (vec![], "communication-cost"));
        let sizes = state.evaluate().expect("it is a state");
        // A message takes α + βS by the figure's curve as well as by the line through what was measured.
        for &(bytes, time) in &measured.points {
            let fit = sizes.fit.expect("a fit").cost.time(bytes);
            assert!((sizes.chosen.time(bytes) / time - 1.0).abs() < 1e-3 && (fit / time - 1.0).abs() < 1e-2, "{bytes}");
        }
        assert!(measured.finding().contains("2× as fast"), "{}", measured.finding());
    }

    #[test]
    fn without_a_run_nothing_is_compared() {
        let none = Measured { runs: Vec::new(), ..measured() };
        assert_eq!(none.comparison(), None);
        assert!(none.finding().contains("too short"));
    }

    #[test]
    fn no_more_workers_than_cores() {
        let all =
            [(4, Some(8)), (8, Some(2)), (16, None), (4, Some(1)), (16, Some(64))].map(|(n, cores)| workers(n, cores));
        assert_eq!(all, [4, 2, 8, 2, 16]);
    }

    #[test]
    fn who_waits_for_whom_is_said_with_its_line() {
        let waits = State::Waits { line: 9, on: vec![2], call: "recv from rank 2".to_owned() };
        assert_eq!(standing(3, Some(&waits)), "Rank 3 waits for rank 2 at line 9, in recv from rank 2.");
        assert_eq!(standing(2, Some(&State::Died { line: 14 })), "Rank 2 died at line 14.");
        assert_eq!(standing(0, None), "Rank 0 is computing.");
    }
}
