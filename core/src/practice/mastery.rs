//! What is known of a skill, and how well a learner's confidence matches what happens.

use serde::{Deserialize, Serialize};

use super::attempt::{Attempt, count};
use super::date::Day;
use super::schedule::{self, Card, Rating};

/// The rule for "mastered", for the page.
pub const RULE: &str = "Mastered: three correct in a row, over at least two days. Each may take a second try but not the \
                        solution, and two of them must be right at the first try without a hint. A skill is due again \
                        once the chance that you recall it falls below about 90%.";

/// How many attempts the rule looks at.
pub const RECENT: usize = 3;

/// Whether [`RULE`] is met by the attempts of a skill, the oldest first.
pub fn is_met(attempts: &[&Attempt]) -> bool {
    missing(attempts).is_none()
}

/// Where a learner is with a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// No exercise of it was attempted.
    NotStarted,
    /// Some were, and the rule is not met.
    Learning,
    /// The rule is met, and it is not due.
    Mastered,
    /// It is time to practise it again, whether or not it was mastered.
    Due,
}

impl State {
    /// For a label.
    pub fn label(self) -> &'static str {
        match self {
            State::NotStarted => "Not started",
            State::Learning => "Learning",
            State::Mastered => "Mastered",
            State::Due => "Due",
        }
    }
}

/// What is known of a skill.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Where the learner is.
    pub state: State,
    /// Whether [`RULE`] is met, due or not.
    pub mastered: bool,
    /// The day from which it is due; nothing before the first attempt.
    pub due: Option<Day>,
    /// The probability that it is recalled today; nothing before the first attempt.
    pub recall: Option<f64>,
    /// What that means and what is missing: a sentence or two.
    pub say: String,
}

/// What is known of a skill from its card and its attempts, the oldest first.
pub fn standing(card: Option<&Card>, attempts: &[&Attempt], today: Day) -> Standing {
    let card = card.filter(|c| !c.is_new());
    if card.is_none() && attempts.is_empty() {
        let say = "No exercise of this skill has been answered yet.".to_owned();
        return Standing { state: State::NotStarted, mastered: false, due: None, recall: None, say };
    }
    let missing = missing(attempts);
    let mastered = missing.is_none();
    let missed = attempts.last().is_some_and(|a| a.is_missed());
    // The forgetting curve begins at certainty, of which an answer that was wrong says nothing.
    let recall = card.filter(|_| !missed).map(|c| schedule::retrievability(c, today));
    let due = card.map(|c| if missed { c.due.min(today) } else { c.due });
    let is_due = missed || card.is_some_and(|c| schedule::due(c, today));
    let state = match (is_due, mastered) {
        (true, _) => State::Due,
        (false, true) => State::Mastered,
        (false, false) => State::Learning,
    };
    let days = due.map_or(0, |due| due.saturating_sub(today));
    let when = match days {
        _ if missed => "Not solved last time: due now.".to_owned(),
        ..=-1 => format!("Due since {}.", count(days.unsigned_abs(), "day")),
        0 => "Due today.".to_owned(),
        1 => "Next due tomorrow.".to_owned(),
        _ => format!("Next due in {}.", count(days, "day")),
    };
    let what = missing.unwrap_or_else(|| "Mastered.".to_owned());
    let say = if due.is_some() { format!("{what} {when}") } else { what };
    Standing { state, mastered, due, recall, say }
}

/// What of the rule is not met: a sentence.
fn missing(attempts: &[&Attempt]) -> Option<String> {
    let recent = &attempts[attempts.len().saturating_sub(RECENT)..];
    let ratings: Vec<Rating> = recent.iter().map(|a| Rating::of(a)).collect();
    // A wrong answer stands in the way until enough right ones have come after it.
    let passed = ratings.iter().rev().take_while(|r| **r != Rating::Again).count();
    let clean = ratings.iter().filter(|r| **r >= Rating::Good).count();
    if passed < RECENT {
        let more = RECENT - passed;
        return Some(format!("Still to come: {} right in a row.", count(more as u64, "exercise")));
    }
    if clean < 2 {
        return Some("Still to come: two of three right at the first answer, without a hint.".to_owned());
    }
    let one_day = recent.iter().all(|a| recent.first().is_some_and(|first| first.day == a.day));
    one_day.then(|| "Still to come: a right answer on another day.".to_owned())
}

/// A number that a learner committed to before seeing it, and how sure they were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// `<chapter>/<exercise>`.
    pub exercise: String,
    /// When.
    pub day: Day,
    /// How sure, in percent: 0 to 100.
    pub confidence: u8,
    /// Whether it was right, within the exercise's tolerance.
    pub right: bool,
    /// What was predicted, in base units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<f64>,
    /// What it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
}

impl Prediction {
    /// The confidence as a probability.
    fn probability(&self) -> f64 {
        f64::from(self.confidence.min(100)) / 100.0
    }

    /// By what factor it was off, 1 or more, whichever way; nothing where that has no meaning.
    pub fn factor_off(&self) -> Option<f64> {
        let off = self.given? / self.expected?;
        (off.is_finite() && off > 0.0).then(|| off.max(1.0 / off)).filter(|f| f.is_finite())
    }
}

/// Predictions of about the same confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bin {
    /// The least confidence in it, in percent.
    pub from: u8,
    /// The greatest.
    pub to: u8,
    /// How many predictions.
    pub count: u32,
    /// How many of them were right.
    pub right: u32,
    /// The mean of their confidences, 0 to 1; 0 if there are none.
    pub confidence: f64,
    /// The share that was right, 0 to 1; 0 if there are none.
    pub share: f64,
}

/// How confidence and outcome go together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Confidence from 0 to 100% in five steps, always all of them.
    pub bins: Vec<Bin>,
    /// How many predictions.
    pub count: u32,
    /// How many were right.
    pub right: u32,
    /// The mean confidence, 0 to 1.
    pub confidence: f64,
    /// The Brier score: the mean of (confidence − outcome)², 0 to 1. Less is better; saying 50% always gives 0.25.
    /// G. W. Brier, "Verification of Forecasts Expressed in Terms of Probability", Monthly Weather Review 78, 1950.
    pub brier: f64,
    /// The median factor by which the numbers were off, 1 or more; nothing if none can be compared.
    pub factor_off: Option<f64>,
    /// What it comes to.
    pub leaning: Leaning,
}

/// What a calibration comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaning {
    /// Fewer than [`ENOUGH`] predictions.
    TooFew,
    /// Right less often than confidence has it, by more than chance explains.
    Overconfident,
    /// Right more often.
    Underconfident,
    /// Neither.
    Calibrated,
}

/// How many predictions it takes to say something.
pub const ENOUGH: u32 = 5;

/// Compares confidence with outcomes.
///
/// If every confidence were true, the number of right predictions would have the mean Σc and the variance Σc(1 − c); a
/// number farther than 1.645 standard deviations from the mean (one time in ten by chance) is called a leaning.
pub fn calibration(predictions: &[Prediction]) -> Calibration {
    let mut bins: Vec<Bin> = (0..5u8)
        .map(|i| Bin {
            from: i * 20,
            to: i * 20 + if i == 4 { 20 } else { 19 },
            count: 0,
            right: 0,
            confidence: 0.0,
            share: 0.0,
        })
        .collect();
    let (mut right, mut sum, mut variance, mut brier) = (0u32, 0.0, 0.0, 0.0);
    for prediction in predictions {
        let c = prediction.probability();
        let outcome = f64::from(u8::from(prediction.right));
        right += u32::from(prediction.right);
        sum += c;
        variance += c * (1.0 - c);
        brier += (c - outcome).powi(2);
        if let Some(bin) = bins.iter_mut().find(|b| prediction.confidence.min(100) <= b.to) {
            bin.count += 1;
            bin.right += u32::from(prediction.right);
            bin.confidence += c;
        }
    }
    for bin in bins.iter_mut().filter(|b| b.count > 0) {
        bin.confidence /= f64::from(bin.count);
        bin.share = f64::from(bin.right) / f64::from(bin.count);
    }
    let count = predictions.len() as u32;
    let mean = |total: f64| if count == 0 { 0.0 } else { total / f64::from(count) };
    let (more, leeway) = (sum - f64::from(right), 1.645 * variance.sqrt());
    let leaning = match () {
        () if count < ENOUGH => Leaning::TooFew,
        // A sum of hundredths is not exact.
        () if more > leeway + 1e-9 => Leaning::Overconfident,
        () if -more > leeway + 1e-9 => Leaning::Underconfident,
        () => Leaning::Calibrated,
    };
    let mut factors: Vec<f64> = predictions.iter().filter_map(Prediction::factor_off).collect();
    factors.sort_by(f64::total_cmp);
    // Between two, the smaller: a median that someone really had.
    let factor_off = factors.get(factors.len().saturating_sub(1) / 2).copied();
    Calibration { bins, count, right, confidence: mean(sum), brier: mean(brier), factor_off, leaning }
}

impl Calibration {
    /// What it says about the learner: a sentence or two for the figure's caption.
    pub fn finding(&self) -> String {
        if self.count == 0 {
            return "You have made no predictions yet.".to_owned();
        }
        let percent = |x: f64| format!("{}%", (x * 100.0).round());
        if self.leaning == Leaning::TooFew {
            let more = u64::from(ENOUGH - self.count);
            return format!(
                "{} right of {} so far; {} more will show how well you know what you know.",
                self.right,
                count(self.count, "prediction"),
                count(more, "prediction"),
            );
        }
        let share = percent(f64::from(self.right) / f64::from(self.count));
        let sure = percent(self.confidence);
        let what = match self.leaning {
            Leaning::Overconfident => "you trust your first guess too much",
            Leaning::Underconfident => "you know more than you trust yourself to",
            Leaning::Calibrated | Leaning::TooFew => "as close as so many can show",
        };
        let off = match self.factor_off {
            Some(factor) if factor >= 1.05 => format!(
                " Half of your numbers were within a factor of {} of the truth.",
                crate::quantity::significant(factor, 2)
            ),
            Some(_) => " Half of your numbers were within 5% of the truth.".to_owned(),
            None => String::new(),
        };
        format!(
            "In {} you were {sure} sure on average and right in {share}: {what}.{off}",
            count(self.count, "prediction")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn attempt(day: Day, right: bool, tries: u32, hints: u32) -> Attempt {
        let (exercise, skill) = ("c/e".into(), "c.s".into());
        Attempt { exercise, skill, day, seed: 0, level: 1, right, tries, hints, shown: false }
    }

    fn of(attempts: &[Attempt], today: Day) -> Standing {
        let mut practice = super::super::Practice::default();
        attempts.iter().for_each(|a| practice.record(a.clone()));
        practice.standing("c.s", today)
    }

    #[test]
    fn the_way_to_mastery() {
        let good = |day| attempt(day, true, 1, 0);
        assert_eq!(of(&[], 1).state, State::NotStarted);
        let one = of(&[good(1)], 1);
        assert_eq!((one.state, one.mastered), (State::Learning, false));
        assert_eq!(one.say, "Still to come: 2 exercises right in a row. Next due in 2 days.");
        let day = of(&[good(1), good(1), good(1)], 1);
        assert_eq!(day.state, State::Learning);
        assert!(day.say.starts_with("Still to come: a right answer on another day."), "{}", day.say);
        let two = of(&[good(1), good(1), good(3)], 3);
        assert_eq!(two.state, State::Mastered);
        assert!(two.say.starts_with("Mastered. Next due in "), "{}", two.say);
        let due = of(&[good(1), good(1), good(3)], 60);
        assert_eq!((due.state, due.mastered), (State::Due, true));
        assert!(due.recall.is_some_and(|r| r < 0.9));
        let wrong = of(&[good(1), good(1), good(3), attempt(9, false, 1, 0)], 9);
        assert_eq!((wrong.state, wrong.mastered, wrong.recall), (State::Due, false, None));
        assert!(wrong.say.contains("3 exercises right in a row") && wrong.say.ends_with("due now."), "{}", wrong.say);
        let hints = of(&[good(1), attempt(2, true, 1, 2), attempt(4, true, 2, 0)], 4);
        assert!(!hints.mastered && hints.say.contains("without a hint"), "{}", hints.say);
    }

    fn prediction(confidence: u8, right: bool) -> Prediction {
        Prediction { exercise: "c/p".into(), day: 0, confidence, right, given: None, expected: None }
    }

    #[test]
    fn confidence_against_outcome() {
        assert_eq!(calibration(&[]).finding(), "You have made no predictions yet.");
        let few = calibration(&[prediction(90, true), prediction(50, false)]);
        assert_eq!(
            few.finding(),
            "1 right of 2 predictions so far; 3 predictions more will show how well you know what you know."
        );
        // Brier's extremes: sure and right, sure and wrong, and never saying anything.
        let all = |c, right| calibration(&vec![prediction(c, right); 10]);
        assert_eq!((all(100, true).brier, all(100, false).brier, all(50, true).brier), (0.0, 1.0, 0.25));
        assert_eq!(all(100, true).leaning, Leaning::Calibrated);
        assert_eq!(all(100, false).leaning, Leaning::Overconfident);
        assert_eq!(all(0, true).leaning, Leaning::Underconfident);
        // Sure of 80%, right in 5 of 10: 8 expected, give or take 1.26; 3 off is more than 2.08.
        let mut ten: Vec<Prediction> = (0..10).map(|i| prediction(80, i % 2 == 0)).collect();
        let over = calibration(&ten);
        assert_eq!((over.leaning, over.bins[4].count, over.bins[4].share), (Leaning::Overconfident, 10, 0.5));
        assert!((over.brier - 0.34).abs() < 1e-12);
        ten[1].right = true;
        assert_eq!(calibration(&ten).leaning, Leaning::Calibrated);
        ten[0].given = Some(60e9);
        ten[0].expected = Some(480e9);
        let off = calibration(&ten);
        assert_eq!(off.factor_off, Some(8.0));
        assert_eq!(
            off.finding(),
            "In 10 predictions you were 80% sure on average and right in 60%: as close as so many can show. \
             Half of your numbers were within a factor of 8 of the truth."
        );
    }

    proptest! {
        #[test]
        fn nothing_panics_and_bins_add_up(
            list in prop::collection::vec(any::<(u8, bool, Option<f64>, Option<f64>)>(), 0..40),
        ) {
            let list: Vec<Prediction> = list
                .into_iter()
                .map(|(sure, right, given, expected)| Prediction { given, expected, ..prediction(sure, right) })
                .collect();
            let c = calibration(&list);
            prop_assert_eq!(c.bins.iter().map(|b| b.count).sum::<u32>(), c.count);
            prop_assert!((0.0..=1.0).contains(&c.brier));
            prop_assert!(c.factor_off.is_none_or(|f| f >= 1.0));
            prop_assert!(c.finding().ends_with('.'));
        }

        #[test]
        fn any_history_has_a_standing(
            list in prop::collection::vec((any::<i64>(), any::<bool>(), 0u32..5, 0u32..3), 0..8), today: i64,
        ) {
            let list: Vec<Attempt> = list.into_iter().map(|(d, r, t, h)| attempt(d, r, t, h)).collect();
            let standing = of(&list, today);
            prop_assert_eq!(standing.state == State::NotStarted, list.is_empty());
            prop_assert!(standing.say.ends_with('.'));
        }
    }
}
