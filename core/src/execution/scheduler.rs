//! `warp-scheduler`: one scheduler of an SM, cycle by cycle.
//!
//! A scheduler has some resident warps and issues at most one instruction a cycle, of a warp that is ready. Every warp does the same
//! rounds: some independent loads from memory, then arithmetic on what they bring, each instruction on the result of the one before.
//! A load answers after `latency` cycles, arithmetic after four (Volta to Hopper; Jia et al. 2018, Luo et al. 2024). So a warp alone
//! takes a round for the sum of its latencies, and as many warps as that is instructions keep the scheduler busy.
//!
//! Left out: dual issue, pipes that take more than a cycle for a warp, queues of memory that fill. The names of what warps wait for are
//! Nsight Compute's (Kernel Profiling Guide, "Warp Scheduler States").

use crate::declare::{Field, Measure, Model, Origin, Origins, Param, choice, headline, measure, origin, whole};
use crate::options;
use crate::quantity::{Unit, grouped, number, unbroken};

/// Cycles until the result of arithmetic can be used.
pub const MATH: u64 = 4;

/// Which of several ready warps is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// The one that was served last as long as it is ready, else the oldest.
    #[default]
    Greedy,
    /// The next one in turn.
    RoundRobin,
}

options!(Policy {
    Greedy: "greedy", "greedy, then oldest";
    RoundRobin: "round-robin", "round robin";
});

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Params {
    /// Resident warps of the scheduler.
    pub warps: u64,
    /// Cycles until memory answers.
    pub latency: u64,
    /// Independent loads of a round.
    pub loads: u64,
    /// Arithmetic instructions of a round, each on the result of the one before.
    pub math: u64,
    /// Rounds of a warp.
    pub rounds: u64,
    /// Which of several ready warps is served.
    pub policy: Policy,
    /// Cycles that have gone by.
    pub step: u64,
}

/// What a warp does in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// A load is issued.
    Load,
    /// Arithmetic is issued.
    Math,
    /// It is ready, and another warp is served.
    NotSelected,
    /// It waits for memory.
    LongScoreboard,
    /// It waits for the result of arithmetic.
    Wait,
    /// It has done all its rounds.
    Done,
}

/// Everything that happens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// What each warp does, cycle by cycle.
    pub cycles: Vec<Vec<Doing>>,
    /// Instructions of all warps.
    pub instructions: u64,
    /// Warps that keep the scheduler busy.
    pub enough: u64,
}

impl Run {
    /// The part of the cycles in which an instruction is issued, 0 to 1.
    pub fn issued(&self) -> f64 {
        self.instructions as f64 / (self.cycles.len() as f64).max(1.0)
    }

    /// The part of all warps' cycles, as long as they have something to do, that they spend so.
    pub fn share(&self, doing: Doing) -> f64 {
        let count = |is: &dyn Fn(Doing) -> bool| self.cycles.iter().flatten().filter(|d| is(**d)).count() as f64;
        count(&|d| d == doing) / count(&|d| d != Doing::Done).max(1.0)
    }

    /// Ready warps in a cycle, on average.
    pub fn eligible(&self) -> f64 {
        let ready = |d: &&Doing| matches!(d, Doing::Load | Doing::Math | Doing::NotSelected);
        self.cycles.iter().flatten().filter(ready).count() as f64 / (self.cycles.len() as f64).max(1.0)
    }
}

/// A warp on its way.
#[derive(Clone, Copy, Default)]
struct Warp {
    /// Instructions that it has issued.
    issued: u64,
    /// The first cycle in which it can issue the next.
    ready: u64,
    /// Whether it waits for memory until then.
    on_memory: bool,
    /// When the loads of this round have all answered.
    answered: u64,
}

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "warp-scheduler";
    const TITLE: &'static str = "A warp scheduler";
    const SUMMARY: &'static str = "One scheduler of an SM, cycle by cycle: which warp issues, which wait, and how many hide the latency of memory.";
    const PARAMS: &'static [Param<Self>] = &[
        whole("warps", "resident warps of the scheduler", [1, 16], "4")
            .label("Warps per scheduler")
            .steps(1.0)
            .main()
            .at(|p| p.warps.slot()),
        whole("latency", "cycles until memory answers", [4, 64], "24")
            .label("Load latency, cycles")
            .steps(1.0)
            .main()
            .at(|p| p.latency.slot()),
        whole("loads", "independent loads of a round", [1, 8], "1")
            .label("Loads in flight per warp")
            .steps(1.0)
            .main()
            .at(|p| p.loads.slot()),
        whole("math", "arithmetic instructions of a round, each on the result of the one before", [1, 8], "2")
            .label("Arithmetic instructions per round")
            .steps(1.0)
            .main()
            .at(|p| p.math.slot()),
        whole("rounds", "rounds of a warp", [1, 6], "3").label("Rounds").steps(1.0).more("").at(|p| p.rounds.slot()),
        choice("policy", "which of several ready warps is served", Policy::LIST, "greedy")
            .label("Scheduling policy")
            .more("")
            .at(|p| p.policy.slot()),
        whole("step", "cycles that have gone by", [0, 4096], "4096").drawn().at(|p| p.step.slot()),
    ];
    const ORIGIN: Origin = Origin::Own(
        "one instruction per cycle from a ready warp, cycle by cycle; arithmetic latency from Jia et al. 2018, arXiv:1804.06826, and Luo et al. 2024, arXiv:2402.13499",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Nsight Compute, Kernel Profiling Guide, “Warp Scheduler States”, counted in the simulated cycles",
            ),
            &["issue-utilization", "eligible", "long-scoreboard"],
        ),
        origin(Origin::Of("Little 1961: latency × throughput"), &["enough"]),
        origin(Origin::Definition, &["instructions", "round"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        measure("cycles", "Cycles", Unit::Count, |_, r| r.cycles.len() as f64),
        measure("instructions", "Instructions", Unit::Count, |_, r| r.instructions as f64),
        headline(
            "The share of cycles in which the scheduler issues an instruction.",
            measure("issue-utilization", "Issue slot utilization", Unit::Fraction, |_, r| r.issued()),
        ),
        headline(
            "Warps that could issue in an average cycle. Below one, the scheduler often has nothing to issue.",
            measure("eligible", "Eligible warps per cycle", Unit::Ratio, |_, r| r.eligible()),
        ),
        headline(
            "With this many resident warps, latency is hidden.",
            measure("enough", "Warps that keep the scheduler busy", Unit::Count, |_, r| r.enough as f64),
        ),
        headline(
            "Nsight Compute calls it long scoreboard.",
            measure("long-scoreboard", "Stalled on memory, share of warp time", Unit::Fraction, |_, r| {
                r.share(Doing::LongScoreboard)
            }),
        ),
        measure("alone", "Cycles per round with one warp", Unit::Count, |p, _| p.alone() as f64),
        measure("round", "Instructions per round", Unit::Count, |p, _| (p.loads + p.math) as f64),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Ok(self.run())
    }
}

impl Params {
    /// Cycles from one round of a warp to its next when nothing else runs: its loads one after the other, the latency of the last, and
    /// the latency of every arithmetic instruction but the last, which the next load does not need.
    pub fn alone(&self) -> u64 {
        (self.loads - 1) + self.latency + (self.math - 1) * MATH + 1
    }

    /// Everything that happens.
    pub fn run(&self) -> Run {
        let round = self.loads + self.math;
        let each = round * self.rounds;
        let mut warps = vec![Warp::default(); self.warps as usize];
        let mut run = Run { instructions: each * self.warps, enough: self.alone().div_ceil(round), ..Run::default() };
        let mut last = 0_usize;
        while warps.iter().any(|warp| warp.issued < each) {
            let now = run.cycles.len() as u64;
            let ready = |i: &usize| warps.get(*i).is_some_and(|w| w.issued < each && w.ready <= now);
            let all = warps.len();
            let served = match self.policy {
                Policy::Greedy => Some(last).filter(ready).or_else(|| (0..all).find(ready)),
                Policy::RoundRobin => (1..=all).map(|i| (last + i) % all).find(ready),
            };
            let doing = |(i, warp): (usize, &Warp)| match warp {
                w if w.issued >= each => Doing::Done,
                w if Some(i) == served && w.issued % round < self.loads => Doing::Load,
                _ if Some(i) == served => Doing::Math,
                w if w.ready <= now => Doing::NotSelected,
                w if w.on_memory => Doing::LongScoreboard,
                _ => Doing::Wait,
            };
            run.cycles.push(warps.iter().enumerate().map(doing).collect());
            if let Some((i, warp)) = served.and_then(|i| warps.get_mut(i).map(|warp| (i, warp))) {
                self.issue(warp, now);
                last = i;
            }
        }
        run
    }

    /// Issues the next instruction of a warp.
    fn issue(&self, warp: &mut Warp, now: u64) {
        let at = warp.issued % (self.loads + self.math);
        warp.issued += 1;
        warp.on_memory = false;
        if at < self.loads {
            warp.answered = now + self.latency;
            // The next load needs nothing; arithmetic needs all that were loaded.
            warp.on_memory = at + 1 == self.loads;
            warp.ready = if warp.on_memory { warp.answered } else { now + 1 };
        } else {
            let last = at + 1 == self.loads + self.math;
            warp.ready = now + if last { 1 } else { MATH };
        }
    }

    /// The cycle on show: how many have gone by.
    pub fn shown(&self, run: &Run) -> usize {
        (self.step as usize).min(run.cycles.len())
    }

    /// What the scheduler does.
    pub fn finding(&self) -> String {
        let run = self.run();
        let share = |part: f64| unbroken(&Unit::Fraction.format(part));
        let (enough, warps) = (run.enough, self.warps);
        let verdict = if warps >= enough {
            format!(
                "{} are enough, and with more it issues no faster; what gaps there are come where all begin or end at once.",
                if enough == 1 { "One warp".to_owned() } else { format!("{enough} warps") }
            )
        } else {
            format!(
                "A warp alone needs {} cycles for a round of {} instructions, so about {enough} warps keep it busy.",
                self.alone(),
                self.loads + self.math
            )
        };
        let at = self.shown(&run);
        let now = if at > 0 && at < run.cycles.len() { format!(" {}", self.cycle(&run, at)) } else { String::new() };
        format!(
            "With {} the scheduler issues in {} of its {} cycles. {verdict} Warps spend {} of their time waiting for memory (long scoreboard); {} are ready in a cycle on average.{now}",
            if warps == 1 { "one warp".to_owned() } else { format!("{warps} warps") },
            share(run.issued()),
            grouped(run.cycles.len() as u64),
            share(run.share(Doing::LongScoreboard)),
            number(run.eligible()),
        )
    }

    /// The last of so many cycles, in a sentence.
    pub fn cycle(&self, run: &Run, at: usize) -> String {
        let Some(warps) = at.checked_sub(1).and_then(|i| run.cycles.get(i)) else {
            return "Before the first cycle: every warp is ready.".to_owned();
        };
        let issues = warps.iter().enumerate().find_map(|(i, d)| match d {
            Doing::Load => Some(format!("warp {} issues a load", i + 1)),
            Doing::Math => Some(format!("warp {} issues arithmetic", i + 1)),
            _ => None,
        });
        format!("Cycle {at}: {}.", issues.unwrap_or_else(|| "no warp is ready, and nothing is issued".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(query: &str) -> Params {
        Params::read(&crate::query::Query::parse(query)).0
    }

    #[test]
    fn a_warp_alone_waits_for_its_load() {
        let p = at("warps=1&latency=24&loads=1&math=2&rounds=2");
        let run = p.run();
        // Load at 0, arithmetic at 24 and 28, the next load at 29.
        let issues: Vec<usize> = run
            .cycles
            .iter()
            .enumerate()
            .filter(|(_, w)| matches!(w[0], Doing::Load | Doing::Math))
            .map(|(i, _)| i)
            .collect();
        assert_eq!(issues, [0, 24, 28, 29, 53, 57]);
        assert_eq!((p.alone(), run.enough, run.cycles.len()), (29, 10, 58));
    }

    #[test]
    fn enough_warps_leave_no_cycle_empty() {
        for query in ["latency=24", "latency=40&loads=2&math=3", "latency=10&math=1", "latency=24&policy=round-robin"] {
            let enough = at(query).run().enough.min(16);
            let busy = Params { warps: enough, rounds: 6, ..at(query) }.run();
            let few = Params { warps: enough / 2, rounds: 6, ..at(query) }.run();
            // All but what the last warps wait for at the end.
            assert!(busy.issued() > 0.65, "{query}: {}", busy.issued());
            assert!(few.issued() < 0.6, "{query}: {}", few.issued());
        }
    }

    #[test]
    fn loads_in_flight_do_what_warps_do() {
        assert!(at("loads=4").run().enough < at("loads=1").run().enough);
        assert!(at("warps=4&loads=4").run().issued() > at("warps=4&loads=1").run().issued());
    }

    #[test]
    fn every_instruction_is_issued_once() {
        for query in ["", "warps=7&loads=3&math=5", "policy=round-robin&warps=16"] {
            let run = at(query).run();
            let issued = run.cycles.iter().flatten().filter(|d| matches!(d, Doing::Load | Doing::Math)).count();
            assert_eq!(issued as u64, run.instructions, "{query}");
            assert!(
                run.cycles
                    .iter()
                    .all(|warps| warps.iter().filter(|d| matches!(d, Doing::Load | Doing::Math)).count() <= 1)
            );
        }
    }
}
