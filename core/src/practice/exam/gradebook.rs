//! A class's results in a gradebook: the file that Moodle or Canvas exported, with one column more.
//!
//! A result knows its learner by the name as typed. A platform knows learners by ids, and imports marks by them. So the marks go
//! into the platform's own file, where names and ids stand side by side.

use std::collections::{BTreeMap, BTreeSet};

use super::csv;
use super::table::{ClassRow, ClassTable};

/// The most learners of a gradebook.
const MOST_ROWS: usize = 10_000;
/// The columns by which Canvas knows a learner; it imports no file without them.
const CANVAS: [&str; 5] = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"];
/// The columns by which Moodle may know a learner, in its own words.
const MOODLE: [&str; 8] =
    ["First name", "Last name", "Surname", "Full name", "Username", "ID number", "Email address", "Email"];

/// A gradebook with a class's marks in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graded {
    /// The platform that the file comes from: `Canvas` or `Moodle`.
    pub platform: &'static str,
    /// The file to import.
    pub csv: String,
    /// How many learners of the gradebook have a mark.
    pub marked: usize,
    /// How many learners it has.
    pub of: usize,
    /// Names as they were typed that are nobody's there, or more than one learner's.
    pub unknown: Vec<String>,
}

/// Puts the marks of `table` into a gradebook, as a column called `title`. Of several files of a learner the last one that was handed
/// in counts.
///
/// # Errors
/// Why the file is no gradebook: a sentence.
pub fn gradebook(file: &str, table: &ClassTable, title: &str) -> Result<Graded, String> {
    let mut rows = csv::read(file);
    let head = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
    let head: Vec<&str> = head.iter().map(|cell| cell.trim()).collect();
    let is_canvas = head.first() == Some(&"Student") && head.contains(&"ID");
    let known: &[&str] = if is_canvas { &CANVAS } else { &MOODLE };
    let columns: Vec<usize> =
        (0..head.len()).filter(|&i| head.get(i).is_some_and(|name| known.contains(name))).collect();
    if columns.is_empty() {
        return Err("This is no gradebook of Moodle or Canvas. Export the gradebook as CSV, separated by commas, and choose that file.".into());
    }
    if rows.len() > MOST_ROWS {
        return Err(format!("The gradebook has {} rows. At most {MOST_ROWS} are read.", rows.len()));
    }
    let cell = |row: &[String], name: &str| {
        head.iter()
            .position(|h| *h == name)
            .and_then(|i| row.get(i))
            .map(|text| text.trim().to_owned())
            .unwrap_or_default()
    };
    // The rows of Canvas that are no learners: what an assignment is worth.
    let is_points = |row: &[String]| is_canvas && cell(row, "Student").starts_with("Points Possible");
    let is_learner =
        |row: &[String]| !is_points(row) && columns.iter().any(|&i| row.get(i).is_some_and(|c| !c.trim().is_empty()));

    // By each way to call a learner, the rows that it may mean.
    let mut called: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| is_learner(row)) {
        let last = format!("{} {}", cell(row, "Last name"), cell(row, "Surname"));
        let whole = [cell(row, "Student"), cell(row, "Full name"), format!("{} {last}", cell(row, "First name"))];
        let ids = ["Username", "ID number", "Email address", "Email", "SIS User ID", "SIS Login ID", "ID"];
        for way in
            whole.into_iter().chain(ids.map(|id| cell(row, id))).map(|way| words(&way)).filter(|way| !way.is_empty())
        {
            called.entry(way).or_default().insert(at);
        }
    }

    let mut marks: BTreeMap<usize, &ClassRow> = BTreeMap::new();
    let mut unknown = Vec::new();
    for row in &table.rows {
        let found = called.get(&words(&row.learner)).filter(|rows| rows.len() == 1).and_then(|rows| rows.first());
        match found {
            Some(at) if marks.get(at).is_none_or(|before| before.ended <= row.ended) => drop(marks.insert(*at, row)),
            Some(_) => {}
            None => unknown.push(row.learner.trim().to_owned()),
        }
    }

    let most = table.rows.iter().map(|row| row.of).max().unwrap_or_default();
    let pick = |row: &[String]| columns.iter().map(|&i| row.get(i).cloned().unwrap_or_default()).collect::<Vec<_>>();
    let header = columns.iter().filter_map(|&i| head.get(i)).map(|name| (*name).to_owned()).chain([title.to_owned()]);
    let mut out = vec![header.collect::<Vec<_>>()];
    let mut of = 0;
    for (at, row) in rows.iter().enumerate() {
        let mark = if is_points(row) {
            most.to_string()
        } else if is_learner(row) {
            of += 1;
            marks.get(&at).map(|row| row.points.to_string()).unwrap_or_default()
        } else {
            continue;
        };
        out.push(pick(row).into_iter().chain([mark]).collect());
    }
    let platform = if is_canvas { "Canvas" } else { "Moodle" };
    Ok(Graded { platform, csv: csv::write(&out), marked: marks.len(), of, unknown })
}

/// A name as it is compared: its words without capitals and commas, in the order of the alphabet, since platforms put the last name
/// first or last.
fn words(name: &str) -> String {
    let lower = name.to_lowercase();
    let mut words: Vec<&str> =
        lower.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Points;
    use super::*;

    fn table(rows: &[(&str, usize, i64)]) -> ClassTable {
        let row = |(learner, points, ended): &(&str, usize, i64)| ClassRow {
            learner: (*learner).to_owned(),
            started: 0,
            ended: *ended,
            points: Points::whole(*points),
            of: 6,
            to_mark: 0,
            marks: Vec::new(),
            given: Vec::new(),
            odd: 0,
        };
        ClassTable { exercises: Vec::new(), rows: rows.iter().map(row).collect(), right: Vec::new(), notes: Vec::new() }
    }

    #[test]
    fn canvas_gets_its_columns_back_with_the_marks() {
        let file = "Student,ID,SIS User ID,SIS Login ID,Section,Homework (7)\n    Points Possible,,,,,10\n\"Lovelace, Ada\",11,s1,ada,A,9\n\
                    \"Curie, Marie\",12,s2,marie,A,8\n\"Curie, Pierre\",13,s3,pierre,A,\n";
        let graded =
            gradebook(file, &table(&[("ada lovelace", 5, 9), ("marie", 6, 9), ("Curie", 1, 9)]), "Quiz 1").unwrap();
        assert_eq!((graded.platform, graded.marked, graded.of), ("Canvas", 2, 3));
        assert_eq!(graded.unknown, ["Curie"]);
        let rows = csv::read(&graded.csv);
        assert_eq!(rows[0], ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Quiz 1"]);
        assert_eq!(rows[1].last().unwrap(), "6");
        assert_eq!(rows[2], ["Lovelace, Ada", "11", "s1", "ada", "A", "5"]);
        assert_eq!(rows[4].last().unwrap(), "");
    }

    #[test]
    fn moodle_gets_names_and_addresses() {
        let file = "\u{feff}\"First name\",\"Last name\",\"ID number\",\"Email address\",\"Quiz: old (Real)\"\nAda,Lovelace,7,ada@x.org,3\n\
                    Ada,Lovelace,8,other@x.org,\nAlan,Turing,9,alan@x.org,-\n";
        let marks = [("Ada Lovelace", 4, 9), ("other@x.org", 2, 9), ("Turing Alan", 1, 5), ("alan turing", 3, 8)];
        let graded = gradebook(file, &table(&marks), "Week 3").unwrap();
        assert_eq!((graded.platform, graded.marked, graded.of), ("Moodle", 2, 3));
        assert_eq!(graded.unknown, ["Ada Lovelace"], "two learners are called that");
        let rows = csv::read(&graded.csv);
        assert_eq!(rows[0], ["First name", "Last name", "ID number", "Email address", "Week 3"]);
        assert_eq!((rows[1][4].as_str(), rows[2][4].as_str(), rows[3][4].as_str()), ("", "2", "3"));
    }

    #[test]
    fn other_files_are_refused() {
        for file in ["", "a,b\n1,2", "First name;Last name\nA;B", "{}"] {
            assert!(
                gradebook(file, &table(&[]), "x").is_err_and(|why| why.contains("Export the gradebook as CSV")),
                "{file}"
            );
        }
    }
}
