//! What the store says that a learner has shown.

use ringside_content::schema::{ExerciseIndex, Indexed};
use ringside_core::exercise::Kind;
use ringside_core::lab;
use ringside_core::practice::record::{self, Lab, Record, Run, Shown, Solved};
use ringside_core::practice::{Attempt, Practice};

use crate::doc::Doc;
use crate::practice;

/// The record without a name and a day: exercises in the course's order, and labs in theirs.
pub fn of(doc: &Doc, index: &ExerciseIndex) -> Record {
    let practice = practice::read(doc).unwrap_or_default();
    let mut skills: Vec<&str> = Vec::new();
    for exercise in index.exercises.iter().filter(|e| !e.is_guess()) {
        if !skills.contains(&exercise.skill.as_str()) {
            skills.push(&exercise.skill);
        }
    }
    let shown = |skill: &str| {
        let attempts: Vec<&Attempt> = practice.attempts.iter().filter(|a| a.skill == skill).collect();
        Shown::of(skill, &attempts)
    };
    let skills = skills.into_iter().filter_map(shown).collect();
    let solved = index.exercises.iter().filter(|e| !e.is_guess()).filter_map(|e| solved(doc, &practice, e)).collect();
    let labs = lab::ALL.iter().filter_map(|lab| {
        let held = lab::read(&doc.labs.get(lab.id)?.pasted, Some(lab.id)).ok()?;
        let holds = held.rows.iter().filter(|row| row.holds()).count() as u32;
        Some(Lab { id: lab.id.to_owned(), holds: [holds, held.rows.len() as u32], on: held.on })
    });
    let runs = doc.missions.iter().filter_map(|(key, note)| {
        let (slug, seed) = key.split_once('/')?;
        Some(Run { mission: slug.to_owned(), seed: seed.parse().ok()?, moves: note.run.clone() })
    });
    let runs = runs.filter(|run| run.answers() > 0).collect();
    Record { skills, solved, labs: labs.collect(), runs, ..Record::default() }
}

/// The evidence of an exercise: the answer that stands in it, or else the last attempt that ended well.
fn solved(doc: &Doc, practice: &Practice, exercise: &Indexed) -> Option<Solved> {
    let attempt = doc.exercises.get(&exercise.key).filter(|attempt| attempt.right)?;
    let ended = practice
        .attempts
        .iter()
        .rev()
        .find(|a| a.exercise == exercise.key && a.right && record::counts(a.tries, a.hints, a.shown));
    let key = exercise.key.clone();
    if attempt.solved && record::counts(attempt.tries_here(), attempt.hints, attempt.shown) {
        let day = ended.map(|a| a.day);
        // A text that cannot be marked stays out of a link.
        let long = Kind::is_unmarked(&exercise.kind);
        let answer = if long { String::new() } else { attempt.input.clone() };
        return Some(Solved { exercise: key, seed: attempt.seed, day, tries: attempt.tries_here(), answer });
    }
    ended.map(|a| Solved { exercise: key, seed: a.seed, day: Some(a.day), tries: a.tries, answer: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Attempt, LabNote};
    use ringside_core::practice::Attempt as Practiced;

    #[test]
    fn what_was_solved_without_its_solution_is_in_it() {
        let indexed = |key: &str, kind: &str| Indexed { key: key.into(), kind: kind.into(), ..Indexed::default() };
        let mut index = ExerciseIndex {
            exercises: vec![
                indexed("b/right", "number"),
                indexed("b/shown", "number"),
                indexed("b/guess", "predict"),
                indexed("b/slow", "number"),
                indexed("a/words", "explain"),
                indexed("a/open", "number"),
            ],
        };
        let mut doc = Doc::default();
        for key in ["b/right", "b/shown", "b/guess", "b/slow", "a/words"] {
            let attempt = Attempt {
                input: "60 GB".into(),
                right: true,
                solved: true,
                shown: key == "b/shown",
                tries: if key == "b/slow" { 3 } else { 2 },
                ..Attempt::default()
            };
            doc.exercises.insert(key.into(), attempt);
        }
        let output = include_str!("../../../content/labs/02-ddp/output.txt");
        doc.labs.insert("ddp".into(), LabNote { pasted: output.into(), ..LabNote::default() });
        doc.labs.insert("fsdp".into(), LabNote { pasted: "no block".into(), ..LabNote::default() });
        for (key, run) in [("fit-it/7", "tp:8;answer:bf16"), ("fit-it/8", "")] {
            doc.missions.entry(key.into()).or_default().run = run.into();
        }
        let mut practice = Practice::default();
        for (skill, days) in [("b.kept", [1, 1, 3]), ("b.crammed", [1, 1, 1])] {
            for day in days {
                index.exercises.push(Indexed { skill: skill.into(), ..indexed("b/more", "number") });
                let (exercise, skill) = ("b/right".into(), skill.into());
                let (seed, level, right, tries, hints, shown) = (0, 1, true, 1, 0, false);
                practice.record(Practiced { exercise, skill, day, seed, level, right, tries, hints, shown });
            }
        }
        doc.practice = serde_json::to_value(&practice).expect("plain values");
        let record = of(&doc, &index);
        assert_eq!(record.skills.iter().map(|s| s.skill.as_str()).collect::<Vec<_>>(), ["b.kept"]);
        assert_eq!(record.runs.iter().map(|run| (run.seed, run.answers())).collect::<Vec<_>>(), [(7, 2)]);
        let shown: Vec<(&str, &str)> = record.solved.iter().map(|s| (s.exercise.as_str(), s.answer.as_str())).collect();
        assert_eq!(shown, [("b/right", "60 GB"), ("a/words", "")]);
        assert_eq!(record.labs.iter().map(|lab| lab.id.as_str()).collect::<Vec<_>>(), ["ddp"]);
        assert!(record.labs[0].holds[1] > 5);
    }
}
