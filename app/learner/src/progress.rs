//! How far the learner is, by what the store has: one number wherever it is shown, from `ringside_core::practice::progress`.

use ringside_content::schema::{Chapter, ExerciseIndex, Indexed};
use ringside_core::practice::progress::Progress;

use crate::doc::Doc;

/// What there is of a chapter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extent {
    /// The chapter.
    pub slug: String,
    /// The ids of its sections, with the seconds that each takes.
    pub sections: Vec<(String, u32)>,
    /// How many exercises it has; guesses and what stands in asides don’t count.
    exercises: u32,
    /// How long they take together, in seconds.
    seconds: u32,
    /// The ids of its predictions and of what stands in asides, which nobody has to get right.
    guesses: Vec<String>,
}

impl Extent {
    /// Of a chapter of the course.
    pub fn of(chapter: &Chapter, index: &ExerciseIndex) -> Self {
        let own = || index.of_chapter(&chapter.slug);
        let counted = || own().filter(|e| e.counts());
        Self {
            slug: chapter.slug.clone(),
            sections: chapter.required().map(|s| (s.id.clone(), s.seconds)).collect(),
            exercises: counted().count() as u32,
            seconds: counted().map(Indexed::seconds).sum(),
            guesses: own().filter(|e| !e.counts()).map(|e| e.id().to_owned()).collect(),
        }
    }

    /// Of the chapter whose mark has these attributes: `ringside_content::fragment` says what it bears. One that it has not is empty.
    pub fn of_mark(attribute: impl Fn(&str) -> String) -> Self {
        let number = |name: &str| attribute(name).parse().unwrap_or_default();
        let section = |text: &str| {
            let (id, seconds) = text.rsplit_once(':')?;
            Some((id.to_owned(), seconds.parse().ok()?))
        };
        Self {
            slug: attribute("data-progress"),
            sections: attribute("data-sections").split_whitespace().filter_map(section).collect(),
            exercises: number("data-of"),
            seconds: number("data-seconds"),
            guesses: attribute("data-guesses").split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// Whether the learner is done with it: everything in it is read and solved, or they say so.
    pub fn is_done(&self, doc: &Doc) -> bool {
        doc.chapters.get(&self.slug).is_some_and(|c| c.done) || self.progress(doc).is_complete()
    }

    /// How far the learner is in it. Who marks a chapter as done says that it is read.
    pub fn progress(&self, doc: &Doc) -> Progress {
        let chapter = doc.chapters.get(&self.slug);
        let read = |id: &String| chapter.is_some_and(|c| c.done || c.read.contains(id));
        let own = format!("{}/", self.slug);
        let is_own = |key: &str| key.strip_prefix(&own).is_some_and(|id| !self.guesses.iter().any(|guess| guess == id));
        let solved = doc.exercises.iter().filter(|(key, attempt)| attempt.right && is_own(key)).count() as u32;
        let sections = self.sections.iter().map(|(id, seconds)| (*seconds, read(id)));
        Progress::of(sections, solved, self.exercises, self.seconds)
    }
}

/// How many of these are done: sources and chapters, each a list with spaces between. `extents` are those of all chapters.
pub fn done(sources: &str, chapters: &str, extents: &[Extent], doc: &Doc) -> usize {
    let is_done = |slug: &&str| extents.iter().any(|extent| extent.slug == *slug && extent.is_done(doc));
    sources.split_whitespace().filter(|id| doc.is_read(id)).count()
        + chapters.split_whitespace().filter(is_done).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringside_content::schema::Extent as Section;

    #[test]
    fn sections_and_exercises_count_and_the_place_on_the_page_does_not() {
        let section = |id: &str| Section { id: id.into(), seconds: 60, exercises: 0, aside: false };
        let chapter = Chapter { slug: "c".into(), sections: ["one", "two"].map(section).into(), ..Chapter::default() };
        let indexed = |key: &str, kind: &str| Indexed { key: key.into(), kind: kind.into(), ..Indexed::default() };
        let index = ExerciseIndex {
            exercises: vec![
                indexed("c/x", "number"),
                indexed("c/y", "number"),
                indexed("c/guess", "predict"),
                indexed("d/x", "number"),
            ],
        };
        let extent = Extent::of(&chapter, &index);
        let mut doc = Doc::default();
        let percent = |doc: &Doc| extent.progress(doc).percent();
        doc.chapters.entry("c".into()).or_default().at = Some("two".into());
        assert_eq!(percent(&doc), 0);
        for key in ["c/guess", "d/x", "c/x"] {
            doc.exercises.entry(key.into()).or_default().right = true;
        }
        assert_eq!(percent(&doc), 25);
        doc.chapters.entry("c".into()).or_default().read.insert("one".into());
        assert_eq!(percent(&doc), 50);
        doc.chapters.entry("c".into()).or_default().done = true;
        assert_eq!((percent(&doc), extent.is_done(&doc)), (75, true));
        doc.chapters.entry("c".into()).or_default().done = false;
        assert_eq!((percent(&doc), extent.is_done(&doc)), (50, false));
        doc.exercises.entry("c/y".into()).or_default().right = true;
        doc.chapters.entry("c".into()).or_default().read.insert("two".into());
        assert_eq!((percent(&doc), extent.is_done(&doc)), (100, true), "nobody has to press a button for it");
    }

    #[test]
    fn what_is_done_is_counted_once_for_each_place_it_has() {
        let mut doc = Doc::default();
        doc.sources.entry("a".into()).or_default().read = true;
        doc.sources.entry("b".into()).or_default().summary = "not read".into();
        doc.chapters.entry("c".into()).or_default().done = true;
        let extents = ["c", "d"].map(|slug| Extent { slug: slug.into(), ..Extent::default() });
        assert_eq!(done("a b x", "c d", &extents, &doc), 2);
        assert_eq!(done("", "a", &extents, &doc), 0);
    }
}
