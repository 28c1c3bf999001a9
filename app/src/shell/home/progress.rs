//! What the learner has done so far, and what comes next.

use std::collections::BTreeSet;

use ringside_content::schema::{Chapter, Course, Source, Status};

use crate::store::doc::Doc;

/// Where to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next<'a> {
    /// Nothing has been begun.
    Start(&'a Chapter),
    /// A chapter was begun: at this heading.
    GoOn(&'a Chapter, Option<String>),
    /// What was begun is done; this is the next one.
    Then(&'a Chapter),
    /// Every chapter that can be read is done.
    AllDone,
}

/// The chapter begun last in the order of the course, or else the first that is not done.
pub(super) fn next<'a>(course: &'a Course, doc: &Doc) -> Next<'a> {
    let written = || course.chapters().filter(|c| c.status == Status::Written);
    let begun = |chapter: &&Chapter| doc.chapters.get(&chapter.slug).is_some_and(|c| !c.done && c.at.is_some());
    if let Some(chapter) = written().filter(begun).last() {
        let at = doc.chapters.get(&chapter.slug).and_then(|c| c.at.clone());
        return Next::GoOn(chapter, at);
    }
    let any = written().any(|c| doc.is_done(&c.slug));
    match written().find(|c| !doc.is_done(&c.slug)) {
        Some(chapter) if any => Next::Then(chapter),
        Some(chapter) => Next::Start(chapter),
        None => Next::AllDone,
    }
}

/// The ids of the sources that are read.
pub(super) fn read(doc: &Doc) -> BTreeSet<String> {
    doc.sources.iter().filter(|(_, note)| note.read).map(|(id, _)| id.clone()).collect()
}

/// How many, and how many minutes they take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sum {
    pub count: usize,
    pub minutes: u32,
}

impl Sum {
    /// Of these sources.
    pub(super) fn of<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Self {
        sources.into_iter().fold(Self::default(), |sum, s| Self {
            count: sum.count + 1,
            minutes: sum.minutes.saturating_add(s.minutes),
        })
    }

    /// The time, for a person: `45 min`, `31 h`.
    pub(super) fn time(self) -> String {
        if self.minutes < 100 { format!("{} min", self.minutes) } else { format!("{} h", (self.minutes + 30) / 60) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringside_content::schema::Part;

    #[test]
    fn what_comes_next_is_what_was_begun_then_what_is_not_done() {
        let chapter = |slug: &str, status| Chapter { slug: slug.into(), status, ..Chapter::default() };
        let chapters = vec![
            chapter("a", Status::Planned),
            chapter("b", Status::Written),
            chapter("c", Status::Written),
            chapter("d", Status::Planned),
        ];
        let course = Course { parts: vec![Part { chapters, ..Part::default() }], ..Course::default() };
        let (b, c) = (course.chapter("b").expect("b"), course.chapter("c").expect("c"));
        let mut doc = Doc::default();
        assert_eq!(next(&course, &doc), Next::Start(b));
        doc.chapters.entry("c".into()).or_default().at = Some("here".into());
        assert_eq!(next(&course, &doc), Next::GoOn(c, Some("here".into())));
        doc.chapters.entry("c".into()).or_default().done = true;
        assert_eq!(next(&course, &doc), Next::Then(b));
        doc.chapters.entry("b".into()).or_default().done = true;
        assert_eq!(next(&course, &doc), Next::AllDone);
    }

    #[test]
    fn times_are_short() {
        let time = |minutes| Sum { count: 1, minutes }.time();
        assert_eq!([time(0), time(90), time(100), time(1859)], ["0 min", "90 min", "2 h", "31 h"]);
    }
}
