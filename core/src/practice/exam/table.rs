//! Several results beside one another.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Finding, Mark, Points, Recheck, Rechecked, count, csv, date, name};

/// A class's results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassTable {
    /// The exercises, in the order of the quizzes: the columns.
    pub exercises: Vec<String>,
    /// One for each file, by learner's name, then by when it was begun.
    pub rows: Vec<ClassRow>,
    /// By exercise: how many had all of it right.
    pub right: Vec<usize>,
    /// What is odd about the files together: sentences.
    pub notes: Vec<String>,
}

/// A result in a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassRow {
    /// The learner's name as they typed it.
    pub learner: String,
    /// When it was begun, by the learner's clock, in Unix seconds.
    pub started: i64,
    /// When it was handed in.
    pub ended: i64,
    /// The points that it has so far.
    pub points: Points,
    /// Of how many.
    pub of: usize,
    /// How many answers a person has to mark.
    pub to_mark: usize,
    /// By exercise of the table: its mark; nothing where the quiz does not have it or it cannot be marked.
    pub marks: Vec<Option<Mark>>,
    /// By exercise of the table: the points that a person gave, or that parts of the answer have.
    pub given: Vec<Option<Points>>,
    /// In how many answers the file does not agree with marking it again, notes about the file included.
    pub odd: usize,
}

/// Puts results that were marked again into a table.
pub fn class_table(results: &[Recheck]) -> ClassTable {
    let mut exercises: Vec<String> = Vec::new();
    for item in results.iter().flat_map(|r| &r.items).filter(|i| i.finding != Finding::Surplus) {
        if !exercises.contains(&item.exercise) {
            exercises.push(item.exercise.clone());
        }
    }
    let of = |result: &Recheck, id: &String| {
        result.items.iter().find(|i| i.exercise == *id && i.finding != Finding::Surplus).cloned()
    };
    let is_whole = |item: Rechecked| item.points() == Points::whole(item.worth);
    let right = exercises.iter().map(|id| results.iter().filter(|r| of(r, id).is_some_and(is_whole)).count()).collect();
    let mut rows: Vec<ClassRow> = results
        .iter()
        .map(|result| ClassRow {
            learner: result.learner.clone(),
            started: result.started,
            ended: result.ended,
            points: result.points(),
            of: result.of(),
            to_mark: result.to_mark(),
            marks: exercises.iter().map(|id| of(result, id)?.mark).collect(),
            given: exercises.iter().map(|id| of(result, id)?.in_part()).collect(),
            odd: result.notes.len() + result.items.iter().filter(|i| i.finding != Finding::Agrees).count(),
        })
        .collect();
    rows.sort_by_cached_key(|r| (name(&r.learner), r.learner.clone(), r.started, r.ended));

    let mut notes = Vec::new();
    let mut quizzes: Vec<_> = results.iter().map(|r| &r.quiz).collect();
    quizzes.sort_by_key(|q| (&q.exercises, q.seed));
    quizzes.dedup();
    if quizzes.len() > 1 {
        notes.push(format!("These files answer {} different quizzes.", quizzes.len()));
    }
    for same in rows.chunk_by(|a, b| name(&a.learner) == name(&b.learner)).filter(|same| same.len() > 1) {
        let who = called(same.first().map_or("", |r| r.learner.as_str()));
        notes.push(format!("{who} is on {}.", count(same.len() as u64, "file")));
    }
    for copies in copied(results) {
        for row in
            rows.iter_mut().filter(|row| copies.iter().any(|c| c.learner == row.learner && c.started == row.started))
        {
            row.odd += 1;
        }
        let names: Vec<String> = copies.iter().map(|copy| called(&copy.learner)).collect();
        notes.push(format!("{} have the same start, end and answers: one file is a copy of another.", listed(&names)));
    }
    ClassTable { exercises, rows, right, notes }
}

/// Results under different names that agree in their times, to the second, and in every answer.
fn copied(results: &[Recheck]) -> Vec<Vec<&Recheck>> {
    let mut same: BTreeMap<_, Vec<&Recheck>> = BTreeMap::new();
    for result in results {
        let answers: Vec<(&str, u64, &str)> =
            result.items.iter().map(|i| (i.exercise.as_str(), i.seed, i.answer.trim())).collect();
        if answers.iter().any(|(.., answer)| !answer.is_empty()) {
            same.entry((result.started, result.ended, answers)).or_default().push(result);
        }
    }
    let several =
        |all: &Vec<&Recheck>| all.iter().any(|one| all.first().is_some_and(|f| name(&one.learner) != name(&f.learner)));
    same.into_values().filter(several).collect()
}

/// A learner in a sentence.
fn called(typed: &str) -> String {
    let who = typed.trim();
    if who.is_empty() { "No name".to_owned() } else { format!("“{}”", crate::query::shorten(who)) }
}

/// Names in a sentence: “A”, “B” and “C”.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

impl ClassTable {
    /// The table as cells, its header first.
    pub fn cells(&self) -> Vec<Vec<String>> {
        let head = ["learner", "started", "ended", "points", "of", "to mark", "to look at"].map(str::to_owned);
        let header = head.into_iter().chain(self.exercises.iter().cloned()).collect();
        let line = |row: &ClassRow| {
            let numbers =
                [row.points.to_string()].into_iter().chain([row.of, row.to_mark, row.odd].map(|n| n.to_string()));
            let mark = |(mark, given): (&Option<Mark>, &Option<Points>)| match (mark, given) {
                (_, Some(points)) => points.to_string(),
                (Some(Mark::Unclear), None) => "to mark".to_owned(),
                (mark, None) => mark.map_or("", Mark::id).to_owned(),
            };
            let marks = row.marks.iter().zip(&row.given).map(mark);
            [row.learner.clone(), date::iso_time(row.started), date::iso_time(row.ended)]
                .into_iter()
                .chain(numbers)
                .chain(marks)
                .collect()
        };
        std::iter::once(header).chain(self.rows.iter().map(line)).collect()
    }

    /// The table for a spreadsheet.
    pub fn to_csv(&self) -> String {
        csv::write(&self.cells())
    }
}
