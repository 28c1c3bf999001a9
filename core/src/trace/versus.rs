//! Two traces side by side: which part of a step takes longer in the second, and which cause the diagnosis blames more.
//!
//! A step is the time from the first to the last work of the GPU, divided by the steps that the profiler marked. Its parts add up to it.

use serde::{Deserialize, Serialize};

use super::Trace;
use super::breakdown::{busy, running};
use super::diagnosis::{Certainty, Finding, WORTH};
use super::intervals::{length, union};
use super::kind::Kind;
use super::rows::{Rows, Rules};
use super::simulate::Cause;
use crate::quantity::{Unit, signed};

/// The parts of the time from the first to the last work of a GPU.
const PARTS: [&str; 4] = ["Compute", "Exposed communication", "Exposed copies", "Idle time"];

/// What of a trace is put beside another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Profile {
    /// Steps that the profiler marked.
    pub steps: u64,
    /// Nanoseconds of each of [`PARTS`].
    parts: [i64; PARTS.len()],
    /// What the diagnosis blames, and nanoseconds.
    causes: Vec<(Cause, Certainty, i64)>,
    /// The rank, if the file says it.
    rank: Option<u32>,
    /// Whether the file was read without a problem.
    is_whole: bool,
}

impl Profile {
    /// That of a trace with what the diagnosis found in it; none if nothing runs on a GPU.
    pub fn of(trace: &Trace, findings: &[Finding]) -> Option<Self> {
        let rows = Rows::of(trace, Rules::Ours);
        let busy = busy(&rows);
        let window = busy.last()?.1.saturating_sub(busy.first()?.0);
        let compute = running(&rows, Kind::Computation);
        let seen = union(compute.iter().copied().chain(running(&rows, Kind::Communication)));
        let [busy, compute, seen] = [busy, compute, seen].map(|when| length(&when));
        let parts = [compute, seen - compute, busy - seen, window - busy];
        let causes = findings.iter().filter_map(|f| Some((f.cause?, f.certainty, f.gain))).collect();
        let (steps, is_whole) = (trace.steps().count() as u64, trace.problems.is_empty());
        Some(Self { steps, parts, causes, rank: trace.rank, is_whole })
    }

    /// The cause that costs most of those that the diagnosis names, with the part of the time from the first to the last work of the GPU that
    /// it costs at most, 0 to 1, and whether that is shown.
    pub fn worst(&self) -> Option<(Cause, f64, bool)> {
        let all: i64 = self.parts.iter().sum();
        let named = Cause::ALL.into_iter().map(|cause| (cause, self.blamed(cause)));
        let (cause, (time, is_shown)) = named.max_by_key(|(_, (time, _))| *time).filter(|(_, (time, _))| *time > 0)?;
        Some((cause, time as f64 / all.max(1) as f64, is_shown))
    }

    /// Nanoseconds that the diagnosis blames on a cause, and whether all of them are shown.
    fn blamed(&self, cause: Cause) -> (i64, bool) {
        let of_it = || self.causes.iter().filter(|(named, ..)| *named == cause);
        (of_it().map(|(.., time)| time).sum(), of_it().all(|(_, certainty, _)| *certainty == Certainty::Shown))
    }
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What a person reads.
    pub label: String,
    /// Seconds of a step in the first and in the second trace, or of the whole traces where steps aren't marked.
    pub seconds: [f64; 2],
    /// The cause that the diagnosis blames for it: such lines overlap the parts above them.
    pub blamed: Option<Cause>,
}

impl Line {
    /// How much longer it takes in the second, in seconds.
    pub fn difference(&self) -> f64 {
        self.seconds[1] - self.seconds[0]
    }

    /// Whether the diagnosis doesn't name it in one of them: there it's less than [`WORTH`] of the time.
    fn is_open(&self) -> bool {
        self.blamed.is_some() && self.seconds.contains(&0.0)
    }

    /// The times for a person.
    pub fn texts(&self) -> [String; 2] {
        self.seconds.map(|s| if self.blamed.is_some() && s == 0.0 { under() } else { time(s) })
    }

    /// The difference for a person: `+1.2 ms`.
    pub fn difference_text(&self) -> String {
        let change = self.difference();
        let sign = if change > 0.0 { "+" } else { "" };
        let most = if self.is_open() { "up to " } else { "" };
        format!("{most}{sign}{}", signed(change, &time(change.abs())))
    }
}

/// Two traces side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Versus {
    /// What they are called.
    pub names: [String; 2],
    /// Whether lines are of a step; otherwise they are of the whole traces.
    pub per_step: bool,
    /// The whole, its parts, and what the diagnosis blames.
    pub lines: Vec<Line>,
    /// What changed most.
    pub finding: String,
    /// What makes the comparison less certain.
    pub notes: Vec<String>,
}

fn time(seconds: f64) -> String {
    Unit::Seconds.format(seconds)
}

/// What the diagnosis doesn't name.
fn under() -> String {
    format!("under {}", Unit::Fraction.format(WORTH))
}

impl Versus {
    /// The two traces with these names, the earlier first.
    pub fn of(names: [String; 2], profiles: [&Profile; 2]) -> Self {
        let per_step = profiles.iter().all(|p| p.steps > 0);
        let seconds = |of: &dyn Fn(&Profile) -> i64| {
            profiles.map(|p| of(p) as f64 / 1e9 / if per_step { p.steps as f64 } else { 1.0 })
        };
        let line = |label: &str, of: &dyn Fn(&Profile) -> i64| Line {
            label: label.to_owned(),
            seconds: seconds(of),
            blamed: None,
        };
        let whole = if per_step { "A step" } else { "The whole trace" };
        let mut lines = vec![line(whole, &|p| p.parts.iter().sum())];
        lines.extend(PARTS.iter().enumerate().map(|(i, label)| line(label, &|p| p.parts[i])));
        let blamed = Cause::ALL.into_iter().map(|cause| {
            let is_shown = profiles.iter().all(|p| p.blamed(cause).1);
            let label = format!("Blamed on: {}{}", cause.label(), if is_shown { "" } else { " (suspected)" });
            Line { blamed: Some(cause), ..line(&label, &|p| p.blamed(cause).0) }
        });
        let blamed: Vec<Line> = blamed.filter(|line| line.seconds != [0.0; 2]).collect();
        let finding = finding(&names, &lines, &blamed);
        lines.extend(blamed);
        let notes = notes(&names, profiles);
        Self { names, per_step, lines, finding, notes }
    }
}

/// What changed most, and what to do about it.
fn finding([first, second]: &[String; 2], lines: &[Line], blamed: &[Line]) -> String {
    let Some((whole, parts)) = lines.split_first() else { return String::new() };
    let [a, b] = whole.seconds;
    let least = WORTH * a.min(b);
    let (change, what) = (whole.difference(), &whole.label);
    let compared = if change.abs() < least {
        format!("{what} takes about as long in {second} as in {first}: {} and {}.", time(b), time(a))
    } else {
        let how = if change > 0.0 { "longer" } else { "less" };
        format!(
            "{what} takes {} {how} in {second} than in {first}: {} instead of {}.",
            time(change.abs()),
            time(b),
            time(a)
        )
    };
    let size = |line: &Line| line.difference().abs() - if line.is_open() { least } else { 0.0 };
    let most =
        |lines: &[Line]| lines.iter().filter(|l| size(l) >= least).max_by(|a, b| size(a).total_cmp(&size(b))).cloned();
    let Some(part) = most(parts) else {
        return format!("{compared} No part changes by {} or more.", Unit::Fraction.format(WORTH));
    };
    let mut text =
        format!("{compared} The largest change is in {}: {}.", part.label.to_lowercase(), part.difference_text());
    if let Some(line) = most(blamed) {
        let [a, b] = line.texts();
        text += &format!(" {}: {b} in {second}, {a} in {first}.", line.label);
        if let Some(cause) = line.blamed.filter(|_| line.difference() > 0.0) {
            text += &format!(" Try this: {}.", cause.repair());
        }
    }
    text
}

/// What makes it less certain.
fn notes(names: &[String; 2], profiles: [&Profile; 2]) -> Vec<String> {
    let of_each = || names.iter().zip(profiles);
    let mut notes: Vec<String> = of_each()
        .filter(|(_, p)| p.steps == 0)
        .map(|(name, _)| {
            format!("{name} marks no steps (ProfilerStep), so the whole traces are compared: that says something only if both have equally many steps. Call prof.step() after each step and record again.")
        })
        .collect();
    notes.extend(
        of_each()
            .filter(|(_, p)| !p.is_whole)
            .map(|(name, _)| format!("{name} couldn’t be read without problems, so its times may be wrong.")),
    );
    if let [Some(a), Some(b)] = profiles.map(|p| p.rank)
        && a != b
    {
        notes.push(format!(
            "They are of ranks {a} and {b}: a rank that waits for another differs from it within the same run."
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::super::diagnosis::diagnose;
    use super::super::simulate::Setup;
    use super::*;

    fn profile(causes: &[Cause]) -> Profile {
        let setup = Setup { causes: causes.to_vec(), layers: 12, steps: 3, ranks: 1, seed: 1, graphs: false };
        let traces = setup.run();
        Profile::of(&traces[0], &diagnose(&traces, 0)).expect("it works")
    }

    fn versus(a: &Profile, b: &Profile) -> Versus {
        Versus::of(["before.json", "after.json"].map(str::to_owned), [a, b])
    }

    #[test]
    fn the_parts_add_up_and_the_cause_is_what_changed_most() {
        let good = profile(&[]);
        for (cause, part) in [
            (Cause::DataLoader, "idle time"),
            (Cause::Sync, "idle time"),
            (Cause::ExposedCommunication, "exposed communication"),
            (Cause::PageableCopies, "exposed copies"),
            (Cause::Recomputation, "compute"),
        ] {
            let slow = profile(&[cause]);
            let worse = versus(&good, &slow);
            let (whole, parts) = worse.lines.split_first().expect("a whole");
            for i in 0..2 {
                let sum: f64 = parts[..PARTS.len()].iter().map(|line| line.seconds[i]).sum();
                assert!((sum - whole.seconds[i]).abs() < 1e-12, "{sum} of {whole:?}");
            }
            assert!(worse.per_step && worse.notes.is_empty() && whole.difference() > 0.0, "{worse:?}");
            let said = &worse.finding;
            assert!(said.contains(&format!("largest change is in {part}: +")), "{cause:?}: {said}");
            assert!(said.contains(&format!("Blamed on: {}", cause.label())), "{said}");
            assert!(
                said.contains("under 3% in before.json") && said.ends_with(&format!("{}.", cause.repair())),
                "{said}"
            );
            let better = versus(&slow, &good).finding;
            assert!(better.contains(" less in after.json") && !better.contains("Try this"), "{better}");
        }
    }

    #[test]
    fn the_same_differs_in_nothing() {
        let slow = profile(&[Cause::Sync]);
        let said = versus(&slow, &slow).finding;
        assert!(said.contains("about as long") && said.ends_with("No part changes by 3% or more."), "{said}");
    }

    #[test]
    fn it_is_no_more_certain_than_what_was_read() {
        let (good, slow) = (profile(&[]), profile(&[Cause::DataLoader]));
        let unmarked = versus(&good, &Profile { steps: 0, ..slow.clone() });
        assert!(!unmarked.per_step && unmarked.finding.starts_with("The whole trace"), "{unmarked:?}");
        assert!(unmarked.notes.concat().starts_with("after.json marks no steps"), "{unmarked:?}");
        let cut = versus(&Profile { is_whole: false, ..good.clone() }, &slow);
        assert!(cut.notes.concat().starts_with("before.json couldn’t be read"), "{cut:?}");
        let ranks = [Some(0), Some(3)].map(|rank| Profile { rank, ..good.clone() });
        assert!(versus(&ranks[0], &ranks[1]).notes.concat().contains("ranks 0 and 3"));
        let suspect = |p: &Profile| {
            let causes = p.causes.iter().map(|(cause, _, time)| (*cause, Certainty::Suspected, *time)).collect();
            Profile { causes, ..p.clone() }
        };
        assert!(versus(&good, &suspect(&slow)).finding.contains("slow data loader (suspected): "));
        assert_eq!(Profile::of(&Trace::default(), &[]), None);
    }
}
