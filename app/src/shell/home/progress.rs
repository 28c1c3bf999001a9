//! What the learner has done so far, and what comes next: from the store, in words.

use ringside_content::words::count;

use crate::store::doc::Doc;

/// Where to go on: which of the written chapters, by its place among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing has been begun.
    Start(usize),
    /// A chapter was begun: at this heading.
    GoOn(usize, String),
    /// What was begun is done; this is the next one.
    Then(usize),
    /// Every chapter that can be read is done.
    AllDone,
}

/// The chapter begun last in the order of the course, or else the first that is not done.
pub(super) fn next<'a>(written: impl Iterator<Item = &'a str> + Clone, doc: &Doc) -> Next {
    let begun = |slug: &str| doc.chapters.get(slug).filter(|chapter| !chapter.done)?.at.clone();
    if let Some((i, at)) = written.clone().enumerate().filter_map(|(i, slug)| Some((i, begun(slug)?))).last() {
        return Next::GoOn(i, at);
    }
    let any = written.clone().any(|slug| doc.is_done(slug));
    match written.enumerate().find(|(_, slug)| !doc.is_done(slug)) {
        Some((i, _)) if any => Next::Then(i),
        Some((i, _)) => Next::Start(i),
        None => Next::AllDone,
    }
}

/// "So far: 1 chapter done, 3 exercises right." Nothing where nothing is done.
pub(super) fn so_far<'a>(written: impl Iterator<Item = &'a str>, doc: &Doc) -> Option<String> {
    let parts = [
        (written.filter(|slug| doc.is_done(slug)).count(), "chapter done", "chapters done"),
        (doc.exercises.values().filter(|e| e.right).count(), "exercise right", "exercises right"),
        (doc.sources.values().filter(|s| s.read).count(), "source read", "sources read"),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| count(n, one, many)).collect();
    (!parts.is_empty()).then(|| format!("So far: {}.", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_next_is_what_was_begun_then_what_is_not_done() {
        let next = |doc: &Doc| next(["b", "c"].into_iter(), doc);
        let mut doc = Doc::default();
        assert_eq!(next(&doc), Next::Start(0));
        doc.chapters.entry("c".into()).or_default().at = Some("here".into());
        assert_eq!(next(&doc), Next::GoOn(1, "here".into()));
        doc.chapters.entry("c".into()).or_default().done = true;
        assert_eq!(next(&doc), Next::Then(0));
        doc.chapters.entry("b".into()).or_default().done = true;
        assert_eq!(next(&doc), Next::AllDone);
    }

    #[test]
    fn what_is_done_is_said_once_there_is_some() {
        let mut doc = Doc::default();
        let text = |doc: &Doc| so_far(["b"].into_iter(), doc);
        assert_eq!(text(&doc), None);
        doc.exercises.entry("b/x".into()).or_default().right = true;
        doc.exercises.entry("b/y".into()).or_default().checked = true;
        doc.chapters.entry("b".into()).or_default().done = true;
        doc.chapters.entry("gone".into()).or_default().done = true;
        assert_eq!(text(&doc).as_deref(), Some("So far: 1 chapter done, 1 exercise right."));
    }
}
