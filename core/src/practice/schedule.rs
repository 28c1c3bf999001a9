//! When a skill is due again: spaced repetition by FSRS-6.
//!
//! The Free Spaced Repetition Scheduler models memory by its *stability* S, the days after which a skill is still
//! recalled with a probability of 90%, and its *difficulty* D from 1 to 10. A review changes both, and the next is due
//! when recall is expected to have fallen to [`RETENTION`].
//!
//! Formulas and default parameters: Jarrett Ye, "The Algorithm", FSRS-6,
//! <https://github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm>, as in py-fsrs 6.3.2 `fsrs/scheduler.py`
//! (MIT) and fsrs-rs 6.6.2 `src/model.rs` (BSD-3-Clause); the names below are theirs. The model is from Ye, Su and Cao,
//! "A Stochastic Shortest Path Algorithm for Optimizing Spaced Repetition Scheduling", KDD 2022. Both programs are
//! compared with this one in the tests. They are not used because the crate `fsrs` brings rayon and ndarray for
//! training, and `rs-fsrs` brings chrono and the older FSRS-5.
//!
//! A day is the smallest step, so there are no learning steps within a day and no random fuzz: the scheduler of
//! py-fsrs with `learning_steps=()`, `relearning_steps=()`, `enable_fuzzing=False`. S and D are kept to eight decimals,
//! so that a browser's last bit changes nothing and the store reads back what it wrote.

use serde::{Deserialize, Serialize};

use super::attempt::Attempt;
use super::date::Day;

/// The probability of recall at which a skill is due.
pub const RETENTION: f64 = 0.9;
/// The longest interval in days: what is learned here is in use within a year.
pub const LONGEST: i64 = 365;

/// The default parameters of FSRS-6, w₀ to w₂₀, fitted by its authors to the reviews of Anki's users.
pub const W: [f64; 21] = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629,
    1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
];

const DECAY: f64 = -W[20];
const STABILITY: (f64, f64) = (0.001, 36_500.0);
const DIFFICULTY: (f64, f64) = (1.0, 10.0);

/// What is remembered of one skill. The default is a skill that was never reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Card {
    /// Days until recall has fallen to 90%; 0 before the first review.
    pub stability: f64,
    /// 1 to 10; 0 before the first review.
    pub difficulty: f64,
    /// The day of the last review.
    pub last: Day,
    /// The day from which it is due.
    pub due: Day,
    /// How many reviews there were.
    #[serde(default)]
    pub reviews: u32,
    /// How many of them were rated [`Rating::Again`].
    #[serde(default)]
    pub lapses: u32,
}

impl Card {
    /// Whether it was never reviewed.
    pub fn is_new(&self) -> bool {
        self.reviews == 0 || !usable(self.stability) || !usable(self.difficulty)
    }

    /// Days from the last review to the next.
    pub fn interval(&self) -> i64 {
        self.due.saturating_sub(self.last)
    }
}

fn usable(x: f64) -> bool {
    x.is_finite() && x > 0.0
}

/// How a review went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rating {
    /// Not recalled.
    Again = 1,
    /// Recalled with trouble.
    Hard = 2,
    /// Recalled.
    Good = 3,
    /// Recalled with ease.
    Easy = 4,
}

impl Rating {
    /// What an attempt says about its skill.
    ///
    /// - *Again*: not right, or only after the solution, or only at the third answer or later.
    /// - *Hard*: right after a hint, or at the second answer.
    /// - *Good*: right at the first answer, without a hint.
    /// - *Easy*: the same, of an exercise of level 3, which combines the skill with others.
    pub fn of(attempt: &Attempt) -> Self {
        match attempt {
            Attempt { right: false, .. } | Attempt { shown: true, .. } | Attempt { tries: 3.., .. } => Rating::Again,
            Attempt { tries: 2, .. } | Attempt { hints: 1.., .. } => Rating::Hard,
            Attempt { level: 3.., .. } => Rating::Easy,
            _ => Rating::Good,
        }
    }

    fn grade(self) -> f64 {
        f64::from(self as u8)
    }
}

/// The card after a review on `now`. A day before the card's last review counts as that day: clocks are set back,
/// memory is not. More than [`LONGEST`] days before it, the last review's clock was wrong, and `now` is believed.
pub fn review(card: Card, rating: Rating, now: Day) -> Card {
    let lapses = card.lapses.saturating_add(u32::from(rating == Rating::Again));
    let reviews = card.reviews.saturating_add(1);
    let (stability, difficulty, last) = if card.is_new() {
        (W[rating as usize - 1], first_difficulty(rating).clamp(DIFFICULTY.0, DIFFICULTY.1), now)
    } else {
        let astray = astray(&card, now);
        let last = if astray { now } else { now.max(card.last) };
        let (s, d) = state(&card);
        let stability = if astray || last == card.last {
            same_day(s, rating)
        } else if rating == Rating::Again {
            after_forgetting(d, s, retrievability(&card, last))
        } else {
            after_recall(d, s, retrievability(&card, last), rating)
        };
        (stability, next_difficulty(d, rating), last)
    };
    let stability = kept(stability, STABILITY);
    let difficulty = kept(difficulty, DIFFICULTY);
    Card { stability, difficulty, last, due: last.saturating_add(interval(stability)), reviews, lapses }
}

/// Whether the skill should be practised on `day`. A skill that was never practised is not due: it is new.
pub fn due(card: &Card, day: Day) -> bool {
    !card.is_new() && (card.due <= day || astray(card, day))
}

/// Whether the card's last review is so far in the future that its day must have been wrong.
fn astray(card: &Card, day: Day) -> bool {
    card.last.saturating_sub(day) > LONGEST
}

/// The probability, 0 to 1, that the skill is recalled on `day`: R = (1 + F·t/S)^(−w₂₀), where F is such that R is 90%
/// after S days. 0 for a skill that was never practised.
pub fn retrievability(card: &Card, day: Day) -> f64 {
    if card.is_new() {
        return 0.0;
    }
    let elapsed = day.saturating_sub(card.last).max(0) as f64;
    (1.0 + factor() * elapsed / state(card).0).powf(DECAY)
}

/// Stability and difficulty, whatever the store had.
fn state(card: &Card) -> (f64, f64) {
    (card.stability.clamp(STABILITY.0, STABILITY.1), card.difficulty.clamp(DIFFICULTY.0, DIFFICULTY.1))
}

fn kept(x: f64, (min, max): (f64, f64)) -> f64 {
    ((x * 1e8).round() / 1e8).clamp(min, max)
}

fn factor() -> f64 {
    0.9_f64.powf(1.0 / DECAY) - 1.0
}

/// Days until recall has fallen to [`RETENTION`]: I = S/F · (r^(1/decay) − 1), whole, 1 to [`LONGEST`].
fn interval(stability: f64) -> i64 {
    let days = stability / factor() * (RETENTION.powf(1.0 / DECAY) - 1.0);
    (days.round() as i64).clamp(1, LONGEST)
}

/// D₀(G) = w₄ − e^(w₅·(G − 1)) + 1, before it is limited to 1 to 10.
fn first_difficulty(rating: Rating) -> f64 {
    W[4] - (W[5] * (rating.grade() - 1.0)).exp() + 1.0
}

/// D′ = w₇·D₀(4) + (1 − w₇)·(D − w₆·(G − 3)·(10 − D)/9).
fn next_difficulty(d: f64, rating: Rating) -> f64 {
    let damped = d - W[6] * (rating.grade() - 3.0) * (10.0 - d) / 9.0;
    W[7] * first_difficulty(Rating::Easy) + (1.0 - W[7]) * damped
}

/// S′ = S·e^(w₁₇·(G − 3 + w₁₈))·S^(−w₁₉), and no less than S unless G is Again.
fn same_day(s: f64, rating: Rating) -> f64 {
    let growth = (W[17] * (rating.grade() - 3.0 + W[18])).exp() * s.powf(-W[19]);
    s * if rating == Rating::Again { growth } else { growth.max(1.0) }
}

/// S′ = S·(1 + e^w₈·(11 − D)·S^(−w₉)·(e^(w₁₀·(1 − R)) − 1)·(w₁₅ if Hard)·(w₁₆ if Easy)).
fn after_recall(d: f64, s: f64, r: f64, rating: Rating) -> f64 {
    let rated = match rating {
        Rating::Hard => W[15],
        Rating::Easy => W[16],
        Rating::Again | Rating::Good => 1.0,
    };
    s * (1.0 + W[8].exp() * (11.0 - d) * s.powf(-W[9]) * ((W[10] * (1.0 - r)).exp() - 1.0) * rated)
}

/// S′ = w₁₁·D^(−w₁₂)·((S + 1)^w₁₃ − 1)·e^(w₁₄·(1 − R)), and no more than S/e^(w₁₇·w₁₈).
fn after_forgetting(d: f64, s: f64, r: f64) -> f64 {
    let long = W[11] * d.powf(-W[12]) * ((s + 1.0).powf(W[13]) - 1.0) * (W[14] * (1.0 - r)).exp();
    long.min(s / (W[17] * W[18]).exp())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    const RATINGS: [Rating; 4] = [Rating::Again, Rating::Hard, Rating::Good, Rating::Easy];

    fn near(got: f64, want: &Value, relative: f64, what: &str) {
        let want = want.as_f64().unwrap();
        assert!((got - want).abs() <= relative * want.abs() + 2e-8, "{what}: {got} is not {want}");
    }

    /// `tests/fixtures/make_fsrs.py` says how the file came to be.
    #[test]
    fn reviews_agree_with_py_fsrs_and_fsrs_rs() {
        let file: Value = serde_json::from_str(include_str!("../../tests/fixtures/fsrs.json")).unwrap();
        assert_eq!(file["version"], "6.3.2");
        assert_eq!(serde_json::from_value::<Vec<f64>>(file["parameters"].clone()).unwrap(), W);
        let mut compared = 0;
        for case in file["cases"].as_array().unwrap() {
            let mut card = Card::default();
            for (i, step) in case["steps"].as_array().unwrap().iter().enumerate() {
                let what = format!("{}, review {i}", case["name"]);
                let day = step["day"].as_i64().unwrap();
                card = review(card, RATINGS[step["rating"].as_u64().unwrap() as usize - 1], 20_000 + day);
                // Kept to eight decimals, which is 10⁻⁵ of the smallest stability.
                near(card.stability, &step["stability"], 1e-5, &what);
                near(card.difficulty, &step["difficulty"], 1e-7, &what);
                // fsrs-rs computes in single precision.
                near(card.stability, &step["rs"][0], 1e-4, &what);
                near(card.difficulty, &step["rs"][1], 1e-5, &what);
                assert_eq!(card.due - 20_000, step["due"].as_i64().unwrap(), "{what}");
                for (later, want) in [1, 7, 100].into_iter().zip(step["retrievability"].as_array().unwrap()) {
                    near(retrievability(&card, card.last + later), want, 1e-5, &what);
                }
                compared += 1;
            }
        }
        assert!(compared >= 500, "{compared}");
    }

    #[test]
    fn what_an_attempt_says() {
        let rate = |right, tries, hints, shown, level| {
            let (exercise, skill) = ("c/e".into(), "c.s".into());
            Rating::of(&Attempt { exercise, skill, day: 0, seed: 0, level, right, tries, hints, shown })
        };
        assert_eq!(rate(true, 1, 0, false, 1), Rating::Good);
        assert_eq!(rate(true, 1, 0, false, 3), Rating::Easy);
        assert_eq!(rate(true, 1, 2, false, 3), Rating::Hard);
        assert_eq!(rate(true, 2, 0, false, 1), Rating::Hard);
        assert_eq!(rate(true, 3, 0, false, 1), Rating::Again);
        assert_eq!(rate(true, 1, 0, true, 1), Rating::Again);
        assert_eq!(rate(false, 1, 0, false, 3), Rating::Again);
    }

    #[test]
    fn a_new_skill_is_not_due_and_a_reviewed_one_is_at_ninety_percent() {
        assert!(!due(&Card::default(), Day::MAX));
        assert_eq!(retrievability(&Card::default(), 5), 0.0);
        let card = review(Card::default(), Rating::Good, 100);
        assert_eq!((card.last, card.due, card.interval()), (100, 102, 2));
        assert!(!due(&card, 101) && due(&card, 102) && due(&card, 1000));
        let exact = Card { stability: 8.0, difficulty: 5.0, last: 0, due: 8, reviews: 1, lapses: 0 };
        assert!((retrievability(&exact, 8) - 0.9).abs() < 1e-12);
        // The clock was set back; and the clock had been wrong.
        let back = review(card, Rating::Good, 3);
        assert!(back.last == 100 && back.due >= card.due);
        let wrong = review(Card::default(), Rating::Good, 100 + 10_000);
        assert!(due(&wrong, 100) && review(wrong, Rating::Good, 100).last == 100);
    }

    fn rating() -> impl Strategy<Value = Rating> {
        (0..4usize).prop_map(|i| RATINGS[i])
    }

    proptest! {
        #[test]
        fn intervals_grow_with_good(
            before in prop::collection::vec((rating(), 0i64..50), 1..8), start in -1000i64..100_000,
        ) {
            let (mut card, mut day) = (Card::default(), start);
            for (rating, gap) in before {
                day += gap;
                card = review(card, rating, day);
            }
            for _ in 0..12 {
                let next = review(card, Rating::Good, card.due);
                prop_assert!(next.stability > card.stability || card.stability >= STABILITY.1);
                prop_assert!(next.interval() >= card.interval() && next.due > card.due);
                card = next;
            }
            prop_assert!(card.interval() > 10, "{:?}", card);
        }

        #[test]
        fn a_better_rating_is_never_due_sooner(reviews in prop::collection::vec((rating(), 0i64..400), 1..10)) {
            let (mut card, mut day) = (Card::default(), 0);
            for (rating, gap) in reviews {
                day += gap;
                let outcomes = RATINGS.map(|r| review(card, r, day));
                let ordered = outcomes.is_sorted_by(|a, b| a.stability <= b.stability && a.due <= b.due);
                prop_assert!(ordered, "{:?}", outcomes);
                card = review(card, rating, day);
            }
        }

        #[test]
        fn dates_never_go_backwards(reviews in prop::collection::vec((rating(), 20_000..20_000 + LONGEST), 0..20)) {
            let mut card = Card::default();
            for (rating, day) in reviews {
                let next = review(card, rating, day);
                prop_assert!(card.is_new() || next.last >= card.last);
                prop_assert!(next.due >= next.last && next.interval() <= LONGEST);
                card = next;
            }
        }

        #[test]
        fn whatever_the_store_had_gives_a_sound_card(
            stability: f64, difficulty: f64, last: i64, due_on: i64, reviews: u32, lapses: u32,
            rating in rating(), day: i64,
        ) {
            let card = Card { stability, difficulty, last, due: due_on, reviews, lapses };
            prop_assert!((0.0..=1.0).contains(&retrievability(&card, day)));
            let _ = (due(&card, day), card.interval());
            let next = review(card, rating, day);
            prop_assert!((STABILITY.0..=STABILITY.1).contains(&next.stability));
            prop_assert!((DIFFICULTY.0..=DIFFICULTY.1).contains(&next.difficulty));
            let text = serde_json::to_string(&next).unwrap();
            prop_assert_eq!(serde_json::from_str::<Card>(&text).unwrap(), next);
        }
    }
}
