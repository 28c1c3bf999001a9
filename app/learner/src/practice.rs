//! What exercises, the plan and the home page have to say to `ringside_core::practice`, and it to them.
//!
//! It is one value of the store's document, so that its code is downloaded by those who use it.

use ringside_content::schema::Indexed;
use ringside_core::exercise::Exercise;
use ringside_core::practice::mastery::Prediction;
use ringside_core::practice::{self, Day, Practice};
use serde::Deserialize as _;

use crate::doc::{Attempt, Doc};

/// The practice in a document.
///
/// # Errors
/// A sentence: it is not what any version wrote.
pub fn read(doc: &Doc) -> Result<Practice, String> {
    if doc.practice.is_null() {
        return Ok(Practice::default());
    }
    Practice::deserialize(&doc.practice).map_err(|why| format!("what it says of your practice cannot be read ({why})"))
}

/// Changes the practice in a document. What cannot be read stays in the document, under a name that nothing else has.
pub fn change(doc: &mut Doc, change: impl FnOnce(&mut Practice)) {
    let mut practice = read(doc).unwrap_or_default();
    change(&mut practice);
    doc.put("practice", |doc| &mut doc.practice, Some(&practice));
}

/// Takes note of what a learner just did with an exercise, `before` being what the store had about it. An attempt ends with
/// a right answer, with its solution, or with other parameters; a prediction, which is never wrong, with the first answer.
pub fn note(doc: &mut Doc, key: &str, exercise: &Exercise, before: &Attempt, numbers: Option<(f64, f64)>, day: Day) {
    let Some(now) = doc.exercises.get(key).cloned() else { return };
    if exercise.kind.unlocks().is_some() {
        let confidence = now.confidence.filter(|_| now.tries > before.tries && before.tries_here() == 0);
        if let Some(confidence) = confidence {
            let (given, expected) = numbers.unzip();
            let exercise = key.to_owned();
            let right = now.solved;
            change(doc, |p| p.predict(Prediction { exercise, day, confidence, right, given, expected }));
        }
        return;
    }
    end(doc, (key, &exercise.skill, exercise.level), before, &now, day);
}

/// Records an attempt if it has ended; else that somebody studied. The exercise is its key, skill and level.
fn end(doc: &mut Doc, (key, skill, level): (&str, &str, u8), before: &Attempt, now: &Attempt, day: Day) {
    let open = !before.solved && !before.shown;
    let left = now.seed != before.seed;
    let ended = if left { before.tries_here() > 0 } else { now.solved || now.shown };
    if !(open && ended) {
        if now.tries > before.tries {
            doc.studied(day);
        }
        return;
    }
    let of = if left { before } else { now };
    let attempt = outcome(key, skill, level, of, day);
    change(doc, |p| p.record(attempt));
}

/// Takes note of a text that was tried at a workbench, outside the exercise that has the same puzzle: as if it had been tried
/// there, with as many hints, and after the solution if that was looked up.
pub fn tried(
    doc: &mut Doc,
    exercise: &Indexed,
    (right, text): (bool, String),
    hints: usize,
    looked_up: bool,
    day: Day,
) {
    let before = doc.exercises.entry(exercise.key.clone()).or_default();
    before.hints = before.hints.max(u32::try_from(hints).unwrap_or(u32::MAX));
    give_up(doc, exercise, day, |_| looked_up);
    let attempt = doc.exercises.entry(exercise.key.clone()).or_default();
    let before = attempt.clone();
    (attempt.input, attempt.checked) = (text, true);
    attempt.tries += 1;
    attempt.right |= right;
    attempt.solved |= right;
    let now = attempt.clone();
    end(doc, (&exercise.key, &exercise.skill, exercise.level), &before, &now, day);
}

/// Puts the numbers of `seed` into an exercise, with an empty answer. One that was answered wrong and left ends as missed. What
/// was explained in words stays, to be revised.
pub fn ask(doc: &mut Doc, exercise: &Indexed, seed: u64, day: Day) {
    give_up(doc, exercise, day, |attempt| attempt.tries_here() > 0);
    let attempt = doc.exercises.entry(exercise.key.clone()).or_default();
    let written = std::mem::take(&mut attempt.input);
    attempt.renew(seed);
    if exercise.kind == "explain" {
        attempt.input = written;
    }
}

/// Ends an attempt that is open as missed, if `it` says so.
pub fn give_up(doc: &mut Doc, exercise: &Indexed, day: Day, it: impl FnOnce(&Attempt) -> bool) {
    let attempt = doc.exercises.entry(exercise.key.clone()).or_default();
    if attempt.solved || attempt.shown || !it(attempt) {
        return;
    }
    attempt.shown = true;
    let missed = outcome(&exercise.key, &exercise.skill, exercise.level, attempt, day);
    change(doc, |p| p.record(missed));
}

/// An attempt that has ended, for the record of practice.
fn outcome(key: &str, skill: &str, level: u8, attempt: &Attempt, day: Day) -> practice::Attempt {
    practice::Attempt {
        exercise: key.to_owned(),
        skill: skill.to_owned(),
        day,
        seed: attempt.seed,
        level,
        right: attempt.solved,
        tries: attempt.tries_here(),
        hints: attempt.hints,
        shown: attempt.shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc;
    use ringside_core::practice::mastery::State;
    use serde_json::json;

    const KEY: &str = "c/e";

    fn exercise(more: serde_json::Value) -> Exercise {
        let mut fields = json!({ "id": "e", "skill": "c.s", "level": 2, "prompt": "?" });
        if let (Some(fields), Some(more)) = (fields.as_object_mut(), more.as_object()) {
            fields.extend(more.clone());
        }
        serde_json::from_value(fields).expect("an exercise")
    }

    fn number() -> Exercise {
        exercise(json!({ "kind": "number", "answer": "1", "unit": "count" }))
    }

    /// A learner at one exercise.
    struct Learner(Doc, Exercise);

    impl Learner {
        fn does(&mut self, day: Day, change: impl FnOnce(&mut Attempt)) {
            let before = self.0.exercises.get(KEY).cloned().unwrap_or_default();
            change(self.0.exercises.entry(KEY.into()).or_default());
            note(&mut self.0, KEY, &self.1, &before, Some((60e9, 480e9)), day);
        }

        fn answers(&mut self, day: Day, right: bool) {
            self.does(day, |a| {
                a.checked = true;
                a.right |= right;
                a.solved |= right;
                a.tries += 1;
            });
        }

        fn attempts(&self) -> Vec<(u64, bool, u32, u32, bool)> {
            let practice = read(&self.0).expect("practice");
            practice.attempts.iter().map(|a| (a.seed, a.right, a.tries, a.hints, a.shown)).collect()
        }
    }

    #[test]
    fn an_attempt_ends_with_a_right_answer_and_counts_once() {
        let mut learner = Learner(Doc::default(), number());
        learner.answers(100, false);
        assert_eq!(learner.attempts(), []);
        learner.does(100, |a| a.hints += 1);
        learner.answers(101, true);
        learner.answers(102, true);
        learner.does(102, |a| a.shown = true);
        assert_eq!(learner.attempts(), [(0, true, 2, 1, false)]);
        let practice = read(&learner.0).expect("practice");
        assert_eq!(practice.days.iter().copied().collect::<Vec<_>>(), [100, 101, 102]);
        // With a hint and at the second answer it is soon due again.
        assert_eq!([101, 102].map(|day| practice.standing("c.s", day).state), [State::Learning, State::Due]);
        // The next numbers are the next attempt, with tries of their own.
        learner.does(103, |a| a.renew(1));
        learner.answers(103, true);
        assert_eq!(learner.attempts()[1..], [(1, true, 1, 0, false)]);
    }

    #[test]
    fn an_attempt_ends_with_its_solution_or_with_other_numbers() {
        let mut learner = Learner(Doc::default(), number());
        learner.answers(100, false);
        learner.does(100, |a| a.shown = true);
        learner.answers(100, true);
        assert_eq!(learner.attempts(), [(0, false, 1, 0, true)]);
        learner.does(100, |a| a.renew(1));
        assert_eq!(learner.attempts().len(), 1);
        learner.does(101, |a| a.renew(2));
        assert_eq!(learner.attempts().len(), 1, "numbers that nobody answered are no attempt");
        learner.answers(102, false);
        learner.does(102, |a| a.renew(3));
        assert_eq!(learner.attempts()[1..], [(2, false, 1, 0, false)]);
    }

    #[test]
    fn a_prediction_is_its_first_answer_and_no_attempt() {
        let kind = json!({ "kind": "predict", "answer": "1", "unit": "count", "unlocks": "f", "reveal": "." });
        let mut learner = Learner(Doc::default(), exercise(kind));
        learner.does(100, |a| a.confidence = Some(75));
        learner.answers(100, false);
        learner.answers(101, true);
        let practice = read(&learner.0).expect("practice");
        assert_eq!((practice.attempts.len(), practice.predictions.len()), (0, 1));
        let p = &practice.predictions[0];
        assert_eq!((p.confidence, p.right, p.given, p.expected), (75, false, Some(60e9), Some(480e9)));
        // Without a confidence there is nothing to compare.
        learner.does(102, |a| a.renew(1));
        learner.answers(102, true);
        assert_eq!(read(&learner.0).expect("practice").predictions.len(), 1);
    }

    #[test]
    fn an_explanation_is_right_when_its_author_says_so() {
        let kind =
            json!({ "kind": "explain", "rubric": ["a"], "model_answer": "b", "weak_answer": "c", "weak_points": [] });
        let mut learner = Learner(Doc::default(), exercise(kind));
        learner.answers(100, false);
        assert_eq!(learner.attempts(), []);
        learner.does(100, |a| a.solved = true);
        assert_eq!(learner.attempts(), [(0, true, 1, 0, false)]);
    }

    #[test]
    fn a_puzzle_tried_at_its_workbench_counts_as_in_its_chapter() {
        let puzzle =
            Indexed { key: KEY.into(), kind: "program".into(), skill: "c.s".into(), level: 2, ..Indexed::default() };
        let mut learner = Learner(Doc::default(), number());
        tried(&mut learner.0, &puzzle, (false, "one".into()), 1, false, 100);
        assert!(learner.attempts().is_empty() && learner.0.exercises[KEY].input == "one");
        tried(&mut learner.0, &puzzle, (true, "two".into()), 1, false, 101);
        assert_eq!(learner.attempts(), [(0, true, 2, 1, false)]);
        let there = &learner.0.exercises[KEY];
        assert!(there.right && there.solved && there.checked && there.input == "two");
        // Solved once more it is no other attempt, and a later wrong text takes nothing away.
        tried(&mut learner.0, &puzzle, (false, "three".into()), 2, true, 102);
        assert!(learner.attempts().len() == 1 && learner.0.exercises[KEY].solved && !learner.0.exercises[KEY].shown);
        // Whoever looked the solution up has not solved it.
        let mut other = Learner(Doc::default(), number());
        tried(&mut other.0, &puzzle, (true, "copied".into()), 0, true, 100);
        assert_eq!(other.attempts(), [(0, false, 0, 0, true)]);
        assert!(other.0.exercises[KEY].shown && other.0.exercises[KEY].solved);
    }

    #[test]
    fn an_exercise_is_asked_with_an_empty_field_and_a_wrong_answer_before_it_was_missed() {
        let indexed =
            |kind: &str| Indexed { key: KEY.into(), kind: kind.into(), skill: "c.s".into(), ..Indexed::default() };
        let mut doc = Doc::default();
        ask(&mut doc, &indexed("number"), 0, 100);
        assert!(doc.practice.is_null(), "nothing was answered yet");
        let wrong = Attempt { input: "3".into(), checked: true, tries: 1, ..Attempt::default() };
        doc.exercises.insert(KEY.into(), wrong.clone());
        ask(&mut doc, &indexed("number"), 7, 101);
        assert_eq!(doc.exercises[KEY], Attempt { seed: 7, tries: 1, earlier: 1, ..Attempt::default() });
        let missed = |doc: &Doc| read(doc).expect("practice").attempts.iter().filter(|a| !a.right).count();
        assert_eq!(missed(&doc), 1);
        // A right one is no longer in the field, and stays right.
        let right = Attempt { right: true, solved: true, ..wrong };
        doc.exercises.insert(KEY.into(), right.clone());
        ask(&mut doc, &indexed("number"), 8, 102);
        let begun = Attempt { seed: 8, right: true, tries: 1, earlier: 1, ..Attempt::default() };
        assert_eq!((doc.exercises[KEY].clone(), missed(&doc)), (begun.clone(), 1));
        // An explanation is revised.
        doc.exercises.insert(KEY.into(), right);
        ask(&mut doc, &indexed("explain"), 8, 102);
        assert_eq!(doc.exercises[KEY], Attempt { input: "3".into(), ..begun });
    }

    #[test]
    fn what_is_given_up_is_missed_once() {
        let indexed = Indexed { key: KEY.into(), skill: "c.s".into(), ..Indexed::default() };
        let mut doc = Doc::default();
        for _ in 0..2 {
            give_up(&mut doc, &indexed, 100, |_| true);
        }
        let practice = read(&doc).expect("practice");
        assert_eq!((practice.attempts.len(), practice.attempts[0].shown), (1, true));
        doc.exercises.entry(KEY.into()).or_default().renew(1);
        give_up(&mut doc, &indexed, 100, |attempt| attempt.tries_here() > 0);
        assert_eq!(read(&doc).expect("practice").attempts.len(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_kept() {
        let mut doc = Doc { practice: json!({ "attempts": 3 }), ..Doc::default() };
        doc.rest.insert("practice-unreadable-1".into(), json!("older"));
        assert!(read(&doc).is_err());
        change(&mut doc, |p| p.plan.start = Some(5));
        assert_eq!(read(&doc).expect("practice").plan.start, Some(5));
        assert_eq!(doc.rest["practice-unreadable-1"], json!("older"));
        assert_eq!(doc.rest["practice-unreadable-2"], json!({ "attempts": 3 }));
    }

    #[test]
    fn a_document_with_practice_reads_back_to_the_byte() {
        let mut learner = Learner(Doc::default(), number());
        for day in 0..40 {
            learner.answers(20_000 + day, day % 3 != 0);
            learner.does(20_000 + day, |a| a.renew(day as u64));
        }
        change(&mut learner.0, |p| {
            p.predict(Prediction {
                exercise: KEY.into(),
                day: 1,
                confidence: 95,
                right: false,
                given: Some(0.1 + 0.2),
                expected: Some(447.034_835_815_429_7e9),
            });
            p.plan.done.insert("1-3".into(), 20_003);
        });
        let text = doc::write(&learner.0);
        let again = doc::read(&text).expect("reads");
        assert_eq!(again, learner.0);
        assert_eq!(doc::write(&again), text);
    }
}
