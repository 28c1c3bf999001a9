//! Ten minutes of practice: which exercises, in which order and with which numbers, and what came of each.
//!
//! [`plan`] fills the minutes in this order: exercises whose last answer was wrong, the latest first and each with fresh
//! numbers; skills that are due, the least certain first; skills that were taught and never practiced; skills that are
//! not due yet, the least certain first; and then whatever comes next in the course. An exercise that goes wrong comes
//! back once, two exercises later, with numbers of its own. The same learner on the same day always gets the same plan.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::schedule;
use super::{Day, Practice, seed_from};

/// How long a run of practice takes unless the learner says otherwise, in minutes.
pub const MINUTES: u32 = 10;
/// How many exercises lie between one that went wrong and its return.
const BETWEEN: usize = 2;
/// Nobody practices for longer than this at a time, in minutes.
const MOST: u32 = 180;

/// How long an exercise takes, in seconds, by the name of its kind and its level, 1 to 3.
///
/// An estimate: what one does (tick, compute, sort, set a figure, write a paragraph, write a kernel), longer by half for
/// every level. It serves plans of practice and the length of chapters alike.
pub fn seconds(kind: &str, level: u8) -> u32 {
    let first = match kind {
        "choice" => 45,
        "trace" | "sketch" => 90,
        "task" => 120,
        "explain" => 150,
        "kernel" | "program" => 600,
        _ => 60,
    };
    first + first / 2 * u32::from(level.clamp(1, 3) - 1)
}

/// An exercise that can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidate {
    /// `<chapter>/<exercise>`.
    pub key: String,
    /// The skill that it trains.
    pub skill: String,
    /// How long it takes.
    pub seconds: u32,
    /// Whether the learner has read what teaches it.
    pub taught: bool,
    /// Whether an answer to it was wrong and none has been right since, in the chapter itself.
    pub open: bool,
    /// The seed of the numbers that the learner saw last.
    pub seed: u64,
}

/// Why an exercise is asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The last answer to it was wrong.
    Missed,
    /// Its skill is due.
    Due,
    /// Its skill was taught and never practiced.
    New,
    /// Its skill is known and will be due later.
    Fresh,
    /// It comes next in the course.
    Ahead,
}

impl Why {
    /// For the learner.
    pub fn label(self) -> &'static str {
        match self {
            Why::Missed => "You missed this one",
            Why::Due => "Due for review",
            Why::New => "Read, not practiced yet",
            Why::Fresh => "Keeping it fresh",
            Why::Ahead => "Next in the course",
        }
    }
}

/// One exercise of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// `<chapter>/<exercise>`.
    pub key: String,
    /// The skill that it trains.
    pub skill: String,
    /// The seed of its parameters.
    pub seed: u64,
    /// How long it takes.
    pub seconds: u32,
    /// Why it is asked.
    pub why: Why,
    /// Whether it has come back because it went wrong earlier in this run.
    #[serde(default)]
    pub again: bool,
}

/// What came of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Came {
    /// Right at the first answer, without a hint.
    Right,
    /// Right in the end: after a hint, or at a later answer.
    Late,
    /// Not right: the solution was opened, or the learner went on after a wrong answer.
    Missed,
    /// Passed over without an answer.
    Skipped,
}

impl Came {
    /// What came of an exercise of which so much was done with the parameters on screen.
    pub fn of(solved: bool, shown: bool, tries: u32, hints: u32) -> Self {
        match (solved, shown, tries, hints) {
            (true, false, ..=1, 0) => Came::Right,
            (true, false, ..) => Came::Late,
            (false, false, 0, _) => Came::Skipped,
            _ => Came::Missed,
        }
    }

    /// For the learner.
    pub fn label(self) -> &'static str {
        match self {
            Came::Right => "Right first time",
            Came::Late => "Right in the end",
            Came::Missed => "Missed",
            Came::Skipped => "Skipped",
        }
    }
}

/// A run of practice, from its first exercise to its last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Run {
    /// The day on which it began.
    pub day: Day,
    /// Its exercises, in order.
    pub steps: Vec<Step>,
    /// What came of those that are over, in the same order.
    #[serde(default)]
    pub came: Vec<Came>,
}

impl Run {
    /// A run of these exercises.
    pub fn new(day: Day, steps: Vec<Step>) -> Self {
        Self { day, steps, came: Vec::new() }
    }

    /// The exercise that is on; none once all are over.
    pub fn current(&self) -> Option<&Step> {
        self.steps.get(self.came.len())
    }

    /// The exercises that are over, with what came of each.
    pub fn over(&self) -> impl Iterator<Item = (&Step, Came)> {
        self.steps.iter().zip(self.came.iter().copied())
    }

    /// Where the run is, among the exercises it began with: how many of them are over, and how many there are. What comes back once
    /// more is counted apart, or the whole would grow while one practices.
    pub fn place(&self) -> (usize, usize) {
        let planned = |step: &&Step| !step.again;
        (self.over().map(|(step, _)| step).filter(planned).count(), self.steps.iter().filter(planned).count())
    }

    /// How many exercises that went wrong come back from here on.
    pub fn to_repeat(&self) -> usize {
        self.steps.iter().skip(self.came.len()).filter(|step| step.again).count()
    }

    /// How many minutes the rest takes, at least 1 while anything is left.
    pub fn minutes_left(&self) -> u32 {
        let seconds = self.steps.iter().skip(self.came.len()).fold(0_u32, |sum, s| sum.saturating_add(s.seconds));
        seconds.div_ceil(60)
    }

    /// Takes note of what came of the exercise that is on, and goes to the next. One that was missed, or right only in the end,
    /// comes back once.
    pub fn went(&mut self, came: Came) {
        let Some(step) = self.current().cloned() else { return };
        self.came.push(came);
        if step.again || matches!(came, Came::Right | Came::Skipped) {
            return;
        }
        let at = self.came.len().saturating_add(BETWEEN).min(self.steps.len());
        let seed = other(&step.key, step.seed, step.seed);
        self.steps.insert(at, Step { seed, why: Why::Missed, again: true, ..step });
    }

    /// Ends the run here.
    pub fn finish(&mut self) {
        self.steps.truncate(self.came.len());
    }
}

/// What is due next after `today`: the day, and how many skills are due by then. None where nothing was practiced.
pub fn next_due(practice: &Practice, today: Day) -> Option<(Day, usize)> {
    let due = || practice.cards.values().filter(|c| !c.is_new()).map(|c| c.due.max(today));
    let first = due().min()?;
    Some((first, due().filter(|day| *day == first).count()))
}

/// A seed for fresh numbers that is not the one seen last.
fn other(key: &str, number: u64, seen: u64) -> u64 {
    match seed_from(key, number) {
        seed if seed == seen => seed_from(key, number.wrapping_add(1)),
        seed => seed,
    }
}

/// The exercises for so many minutes, at least one if there is any. `pool` is in the order in which the learner meets them.
pub fn plan(practice: &Practice, pool: &[Candidate], minutes: u32, today: Day) -> Vec<Step> {
    let budget = minutes.min(MOST) * 60;
    let mut ranked: Vec<(Rank, usize, &Candidate)> =
        pool.iter().enumerate().map(|(i, c)| (rank(practice, c, today), i, c)).collect();
    ranked.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)));

    let mut steps: Vec<Step> = Vec::new();
    let (mut used, mut skills, mut spent) = (BTreeSet::new(), BTreeSet::new(), 0_u32);
    // Every skill once before any twice; what was missed comes whatever else its skill has.
    for round in 0..2 {
        for (rank, _, candidate) in &ranked {
            let of_its_own = rank.why == Why::Missed;
            if used.contains(&candidate.key) || (round == 0 && !of_its_own && skills.contains(&candidate.skill)) {
                continue;
            }
            if !steps.is_empty() && spent.saturating_add(candidate.seconds) > budget {
                continue;
            }
            spent = spent.saturating_add(candidate.seconds);
            used.insert(candidate.key.clone());
            skills.insert(candidate.skill.clone());
            steps.push(step(candidate, *rank, today));
        }
    }
    apart(steps)
}

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    why: Why,
    /// Within that: how certain or how long ago, the smaller the sooner.
    then: i64,
    /// How often it was done: the one of a skill done least comes first.
    times: usize,
}

fn rank(practice: &Practice, candidate: &Candidate, today: Day) -> Rank {
    let done = || practice.attempts.iter().enumerate().filter(|(_, a)| a.exercise == candidate.key);
    let times = done().count();
    let last = done().next_back();
    if candidate.open || last.is_some_and(|(_, a)| a.is_missed()) {
        // One that is open was answered after all that have ended.
        let then = if candidate.open { i64::MIN } else { last.map_or(0, |(i, _)| -(i as i64)) };
        return Rank { why: Why::Missed, then, times };
    }
    let card = practice.cards.get(&candidate.skill).filter(|c| !c.is_new());
    let (why, then) = match card {
        Some(card) => {
            let recall = (schedule::retrievability(card, today) * 1e6) as i64;
            (if schedule::due(card, today) { Why::Due } else { Why::Fresh }, recall)
        }
        None => (if candidate.taught { Why::New } else { Why::Ahead }, 0),
    };
    Rank { why, then, times }
}

/// As written the first time, and with fresh numbers from then on.
fn step(candidate: &Candidate, Rank { why, times, .. }: Rank, today: Day) -> Step {
    let Candidate { key, skill, seconds, seed: seen, .. } = candidate.clone();
    let number = (today as u64).wrapping_mul(1000).wrapping_add(times as u64);
    let seed = if times == 0 && seen == 0 && !candidate.open { 0 } else { other(&key, number, seen) };
    Step { key, skill, seed, seconds, why, again: false }
}

/// The same exercises with those of one skill apart where that can be had without putting what was missed later.
fn apart(mut left: Vec<Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::with_capacity(left.len());
    while let Some(first) = left.first() {
        let before = steps.last().map(|s| s.skill.clone());
        let at = left.iter().position(|s| s.why == first.why && Some(&s.skill) != before.as_ref()).unwrap_or(0);
        steps.push(left.remove(at));
    }
    steps
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::practice::Attempt;
    use proptest::prelude::*;

    fn candidate(key: &str, skill: &str) -> Candidate {
        Candidate { key: key.into(), skill: skill.into(), seconds: 60, ..Candidate::default() }
    }

    fn attempt(exercise: &str, skill: &str, day: Day, right: bool) -> Attempt {
        let (exercise, skill) = (exercise.into(), skill.into());
        Attempt { exercise, skill, day, seed: 0, level: 1, right, tries: 1, hints: 0, shown: !right }
    }

    fn asked(steps: &[Step]) -> Vec<(&str, Why)> {
        steps.iter().map(|s| (s.key.as_str(), s.why)).collect()
    }

    #[test]
    fn what_was_missed_comes_first_with_fresh_numbers_then_what_is_due_then_what_is_new() {
        let mut practice = Practice::default();
        practice.record(attempt("c/due", "due", 0, true));
        practice.record(attempt("c/missed", "missed", 99, false));
        practice.record(attempt("c/known", "known", 100, true));
        let mut pool = vec![candidate("c/ahead", "ahead"), candidate("c/new", "new"), candidate("c/known", "known")];
        pool[1].taught = true;
        pool.push(candidate("c/due", "due"));
        pool.push(candidate("c/missed", "missed"));
        pool.push(Candidate { open: true, seed: 5, ..candidate("c/open", "open") });
        let steps = plan(&practice, &pool, 10, 100);
        let want = [
            ("c/open", Why::Missed),
            ("c/missed", Why::Missed),
            ("c/due", Why::Due),
            ("c/new", Why::New),
            ("c/known", Why::Fresh),
            ("c/ahead", Why::Ahead),
        ];
        assert_eq!(asked(&steps), want);
        assert!(steps[0].seed != 0 && steps[0].seed != 5 && steps[1].seed != 0);
        // What nobody has seen is asked as it is written.
        assert_eq!((steps[3].seed, steps[5].seed), (0, 0));
        assert_eq!(plan(&practice, &pool, 10, 100), steps);
    }

    #[test]
    fn the_minutes_bound_the_run_and_a_newcomer_gets_the_beginning() {
        let pool: Vec<Candidate> = (0..40).map(|i| candidate(&format!("c/{i}"), &format!("s{}", i / 2))).collect();
        let steps = plan(&Practice::default(), &pool, 10, 0);
        assert_eq!(steps.len(), 10);
        assert_eq!(asked(&steps)[..3], [("c/0", Why::Ahead), ("c/2", Why::Ahead), ("c/4", Why::Ahead)]);
        assert_eq!(plan(&Practice::default(), &pool, 0, 0).len(), 1);
        assert!(plan(&Practice::default(), &[], 10, 0).is_empty());
    }

    #[test]
    fn what_goes_wrong_comes_back_once_with_other_numbers() {
        let pool: Vec<Candidate> = (0..4).map(|i| candidate(&format!("c/{i}"), &format!("s{i}"))).collect();
        let mut run = Run::new(7, plan(&Practice::default(), &pool, 10, 7));
        run.went(Came::Missed);
        let keys = |run: &Run| run.steps.iter().map(|s| s.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&run), ["c/0", "c/1", "c/2", "c/0", "c/3"]);
        assert!(run.steps[3].again && run.steps[3].seed != run.steps[0].seed);
        assert_eq!((run.place(), run.to_repeat()), ((1, 4), 1), "four were planned, and four they stay");
        for came in [Came::Right, Came::Skipped, Came::Missed] {
            run.went(came);
        }
        assert_eq!(keys(&run).len(), 5, "it does not come back twice");
        assert_eq!((run.place(), run.to_repeat()), ((3, 4), 0));
        assert_eq!(run.minutes_left(), 1);
        run.finish();
        assert_eq!((run.current(), run.over().count(), run.minutes_left()), (None, 4, 0));
        run.went(Came::Right);
        assert_eq!(run.came.len(), 4);
    }

    #[test]
    fn what_is_due_next_is_the_first_day_and_how_many_skills_it_has() {
        let mut practice = Practice::default();
        assert_eq!(next_due(&practice, 5), None);
        for (skill, day) in [("a", 100), ("b", 100), ("c", 110)] {
            practice.record(attempt(&format!("c/{skill}"), skill, day, true));
        }
        assert_eq!(next_due(&practice, 101), Some((102, 2)));
        assert_eq!(next_due(&practice, 150), Some((150, 3)));
    }

    #[test]
    fn what_came_of_an_answer() {
        assert_eq!(Came::of(true, false, 1, 0), Came::Right);
        assert_eq!(Came::of(true, false, 1, 1), Came::Late);
        assert_eq!(Came::of(true, false, 3, 0), Came::Late);
        assert_eq!(Came::of(true, true, 1, 0), Came::Missed);
        assert_eq!(Came::of(false, false, 2, 0), Came::Missed);
        assert_eq!(Came::of(false, true, 0, 0), Came::Missed);
        assert_eq!(Came::of(false, false, 0, 2), Came::Skipped);
    }

    #[test]
    fn harder_and_longer_kinds_take_longer() {
        assert!(seconds("choice", 1) < seconds("number", 1) && seconds("number", 1) < seconds("explain", 1));
        assert_eq!([1, 2, 3].map(|level| seconds("number", level)), [60, 90, 120]);
        assert_eq!(seconds("number", 0), seconds("number", 1));
    }

    fn pool() -> impl Strategy<Value = Vec<Candidate>> {
        let one = (0..5_u32, 20..400_u32, any::<bool>(), any::<bool>(), 0..4_u64);
        prop::collection::vec(one, 0..30).prop_map(|all| {
            let of = |(key, (skill, seconds, taught, open, seed))| Candidate {
                key: format!("c/{key}"),
                skill: format!("s{skill}"),
                seconds,
                taught,
                open,
                seed,
            };
            all.into_iter().enumerate().map(of).collect()
        })
    }

    proptest! {
        #[test]
        fn a_plan_is_short_enough_asks_nothing_twice_and_begins_with_what_was_missed(
            pool in pool(), minutes in 0..60_u32, today in 0i64..1000,
            done in prop::collection::vec((0..12_u32, 0..5_u32, 0..900_i64, any::<bool>()), 0..20),
        ) {
            let mut practice = Practice::default();
            for (key, skill, day, right) in done {
                practice.record(attempt(&format!("c/{key}"), &format!("s{skill}"), day, right));
            }
            let steps = plan(&practice, &pool, minutes, today);
            let keys: BTreeSet<&str> = steps.iter().map(|s| s.key.as_str()).collect();
            prop_assert_eq!(keys.len(), steps.len());
            prop_assert_eq!(steps.is_empty(), pool.is_empty());
            let spent: u32 = steps.iter().map(|s| s.seconds).sum();
            prop_assert!(spent <= minutes * 60 || steps.len() == 1);
            prop_assert!(steps.is_sorted_by_key(|s| s.why != Why::Missed));
            for step in &steps {
                let open = pool.iter().any(|c| c.key == step.key && c.open);
                prop_assert!(!open || step.seed != 0, "an answer that stands is not shown again");
            }
        }

        #[test]
        fn a_run_ends_whatever_comes(pool in pool(), came in prop::collection::vec(0..4_usize, 0..200)) {
            let mut run = Run::new(0, plan(&Practice::default(), &pool, 30, 0));
            let planned = run.steps.len();
            let mut came = came.into_iter().map(|i| [Came::Right, Came::Late, Came::Missed, Came::Skipped][i]);
            while run.current().is_some() {
                run.went(came.next().unwrap_or(Came::Missed));
                prop_assert!(run.came.len() <= 2 * planned);
            }
            let text = serde_json::to_string(&run).unwrap();
            prop_assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run);
        }
    }
}
