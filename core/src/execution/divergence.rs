//! `warp-divergence`: a warp at a branch, instruction by instruction, with the lanes that each is for.
//!
//! A warp issues one instruction for its 32 lanes. Where they take different ways, it issues each way for those that take it, and the
//! others are masked. They come together behind the branch. Since Volta lanes of one warp may be at different places in a program for
//! longer (independent thread scheduling), but still only lanes at the same place execute together.

use crate::declare::{Field, Measure, Model, Origin, Origins, Param, choice, headline, measure, origin, whole};
use crate::options;
use crate::quantity::{Unit, number, unbroken};

/// Lanes of a warp.
pub const LANES: u32 = 32;

/// By what lanes choose their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum By {
    /// By the warp: all lanes alike.
    Warp,
    /// The lower half of the lanes.
    Half,
    /// Every other lane.
    #[default]
    Odd,
    /// One lane alone.
    One,
    /// Four ways, by the lane's number.
    Four,
    /// A loop that each lane leaves after as many turns as its number says.
    Loop,
}

options!(By {
    Warp: "warp", "threadIdx.x / 32 % 2";
    Half: "half", "threadIdx.x % 32 < 16";
    Odd: "odd", "threadIdx.x % 2";
    One: "one", "threadIdx.x == 0";
    Four: "four", "switch (threadIdx.x % 4)";
    Loop: "loop", "for (i = 0; i <= threadIdx.x % 8; …)";
});

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Params {
    /// By what lanes choose.
    pub by: By,
    /// Instructions of the first way, and of a turn of a loop.
    pub first: u64,
    /// Instructions of every other way.
    pub other: u64,
    /// Instructions that have been issued.
    pub step: u64,
}

/// An instruction that a warp issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it is.
    pub label: String,
    /// The lanes that it is for, a bit each.
    pub mask: u32,
    /// Which way it belongs to, from 1; 0 for what all lanes do.
    pub way: u64,
}

impl Step {
    /// Whether it is for this lane.
    pub const fn has(&self, lane: u32) -> bool {
        self.mask >> lane & 1 == 1
    }
}

/// What the warp issues.
pub type Steps = Vec<Step>;

fn lanes(is: impl Fn(u32) -> bool) -> u32 {
    (0..LANES).filter(|lane| is(*lane)).fold(0, |mask, lane| mask | 1 << lane)
}

impl Model for Params {
    type Result = Steps;
    const ID: &'static str = "warp-divergence";
    const TITLE: &'static str = "Warp divergence";
    const SUMMARY: &'static str =
        "A warp at a branch, instruction by instruction: which of its 32 lanes work, and which are masked.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("by", "by what lanes choose their way", By::LIST, "odd")
            .label("Branch condition")
            .main()
            .at(|p| p.by.slot()),
        whole("first", "instructions of the first way, or of a turn of the loop", [1, 8], "4")
            .label("Instructions if true")
            .steps(1.0)
            .main()
            .at(|p| p.first.slot()),
        whole("other", "instructions of every other way", [0, 8], "4")
            .label("Instructions if false")
            .steps(1.0)
            .main()
            .at(|p| p.other.slot()),
        whole("step", "instructions that have been issued", [0, 128], "128").drawn().at(|p| p.step.slot()),
    ];
    const ORIGIN: Origin =
        Origin::Of("CUDA C++ Programming Guide, “SIMT Architecture”; executed instruction by instruction");
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of("Nsight Compute, Kernel Profiling Guide, “Average Active Threads per warp”"),
            &["active-lanes", "lane-efficiency"],
        ),
        origin(Origin::Definition, &["ways"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Steps>] = &[
        headline(
            "Instructions that the warp issues, both sides of each branch included.",
            measure("issued", "Instructions issued", Unit::Count, |_, s| s.len() as f64),
        ),
        measure("longest", "Instructions of the longest thread", Unit::Count, |_, s| longest(s) as f64),
        measure("active-lanes", "Active threads per instruction", Unit::Ratio, |_, s| active(s) * f64::from(LANES)),
        headline(
            "The share of the warp’s 32 threads that do work, as Nsight Compute reports it.",
            measure("lane-efficiency", "Active threads per instruction, share of the warp", Unit::Fraction, |_, s| {
                active(s)
            }),
        ),
        headline(
            "Different paths that threads of this warp take.",
            measure("ways", "Branch paths taken", Unit::Count, |_, s| {
                s.iter().map(|step| step.way).max().unwrap_or(0) as f64
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Steps, String> {
        Ok(self.steps())
    }

    fn follow(&mut self, before: &Self) {
        if (self.by, self.first, self.other) != (before.by, before.first, before.other) {
            self.step = 128;
        }
    }
}

/// The part of all lanes' places that are used, 0 to 1.
fn active(steps: &Steps) -> f64 {
    let used: u32 = steps.iter().map(|step| step.mask.count_ones()).sum();
    f64::from(used) / (f64::from(LANES) * steps.len() as f64).max(1.0)
}

/// The most instructions that any one lane executes.
fn longest(steps: &Steps) -> usize {
    (0..LANES).map(|lane| steps.iter().filter(|step| step.has(lane)).count()).max().unwrap_or_default()
}

impl Params {
    /// The lanes of each way.
    fn ways(&self) -> Vec<u32> {
        match self.by {
            By::Warp => vec![u32::MAX],
            By::Half => vec![lanes(|lane| lane < 16), lanes(|lane| lane >= 16)],
            By::Odd => vec![lanes(|lane| lane % 2 == 1), lanes(|lane| lane % 2 == 0)],
            By::One => vec![1, u32::MAX - 1],
            By::Four => (0..4).map(|way| lanes(|lane| lane % 4 == way)).collect(),
            By::Loop => (0..8).map(|turn| lanes(|lane| lane % 8 >= turn)).collect(),
        }
    }

    /// What the warp issues: the test, each way, and what comes after.
    pub fn steps(&self) -> Steps {
        let whole = |label: &str| Step { label: label.to_owned(), mask: u32::MAX, way: 0 };
        let mut steps = vec![whole("test")];
        for (way, mask) in self.ways().into_iter().enumerate() {
            let many = if way == 0 || self.by == By::Loop { self.first } else { self.other };
            let name = match (self.by, way) {
                (By::Four, _) => format!("case {way}"),
                (By::Loop, _) => format!("turn {}", way + 1),
                (_, 0) => "if".to_owned(),
                _ => "else".to_owned(),
            };
            steps.extend((1..=many).map(|i| Step { label: format!("{name} {i}"), mask, way: way as u64 + 1 }));
        }
        steps.push(whole("after"));
        steps
    }

    /// Instructions on show.
    pub fn shown(&self, steps: &Steps) -> usize {
        (self.step as usize).min(steps.len())
    }

    /// What the branch costs.
    pub fn finding(&self) -> String {
        let steps = self.steps();
        let at = self.shown(&steps);
        let now = match at.checked_sub(1).and_then(|i| steps.get(i)) {
            Some(step) if at < steps.len() => {
                format!(" Now “{}”: {} of 32 lanes work.", step.label, step.mask.count_ones())
            }
            _ => String::new(),
        };
        let part = unbroken(&Unit::Fraction.format(active(&steps)));
        let longest = longest(&steps);
        if longest == steps.len() {
            return format!(
                "All 32 lanes go the same way: the warp issues {} instructions, as many as its longest lane needs, and {part} of the lanes work.{now}",
                steps.len()
            );
        }
        format!(
            "The lanes go different ways: the warp issues {} instructions where no lane executes more than {longest}. {part} of the lanes work, {} of 32 on average.{now}",
            steps.len(),
            number(active(&steps) * f64::from(LANES)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(query: &str) -> (usize, usize, f64) {
        let steps = Params::read(&crate::query::Query::parse(query)).0.steps();
        (steps.len(), longest(&steps), active(&steps))
    }

    #[test]
    fn a_warp_issues_every_way_that_any_lane_takes() {
        assert_eq!(at("by=warp&first=4&other=4"), (6, 6, 1.0));
        assert_eq!(at("by=odd&first=4&other=4"), (10, 6, 0.6));
        assert_eq!(at("by=half&first=4&other=4"), at("by=odd&first=4&other=4"));
        assert_eq!(at("by=four&first=4&other=4").0, 18);
        assert_eq!(at("by=one&first=4&other=0"), (6, 6, (64.0 + 4.0) / 192.0));
    }

    #[test]
    fn a_loop_takes_as_long_as_its_longest_lane() {
        let (issued, longest, active) = at("by=loop&first=2");
        assert_eq!((issued, longest), (18, 18));
        assert!((active - (64.0 + 2.0 * 4.0 * 36.0) / (18.0 * 32.0)).abs() < 1e-12);
    }
}
