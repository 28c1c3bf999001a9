//! What the learner has done so far, and what comes next: from the store, in words.

use ringside_content::words::count;
use ringside_core::practice::progress::Progress;

use crate::doc::Doc;
use crate::progress::Extent;

/// Where to go on: which of the written chapters, by its place among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing has been begun.
    Start(usize),
    /// Nothing has been begun, and a placement found this one.
    Begin(usize),
    /// A chapter was begun: at this heading.
    GoOn(usize, String),
    /// What was begun is done; this is the next one.
    Then(usize),
    /// Every chapter that can be read is done.
    AllDone,
}

/// The chapter read last that is not done; or else the first that is not, from the one on that a placement found.
pub fn next(written: &[Extent], doc: &Doc) -> Next {
    let is_done: Vec<bool> = written.iter().map(|extent| extent.is_done(doc)).collect();
    let open = || written.iter().enumerate().filter(|(i, _)| !is_done[*i]).map(|(i, extent)| (i, extent.slug.as_str()));
    let begun = |slug: &str| {
        let chapter = doc.chapters.get(slug)?;
        Some((chapter.seen, chapter.at.clone()?))
    };
    let all_begun = open().filter_map(|(i, slug)| begun(slug).map(|(seen, at)| (seen, i, at)));
    if let Some((_, i, at)) = all_begun.max_by_key(|(seen, i, _)| (*seen, *i)) {
        return Next::GoOn(i, at);
    }
    let (placed, skim) = doc.placed();
    let skim: Vec<&str> = skim.collect();
    let from = written.iter().position(|extent| Some(extent.slug.as_str()) == placed).unwrap_or(0);
    let from_there = open().filter(|(i, slug)| *i >= from && !skim.contains(slug)).map(|(i, _)| i).next();
    match from_there.or_else(|| open().map(|(i, _)| i).next()) {
        Some(i) if is_done.contains(&true) => Next::Then(i),
        Some(i) if placed.is_some() => Next::Begin(i),
        Some(i) => Next::Start(i),
        None => Next::AllDone,
    }
}

/// "So far: 12% of the course, 1 source read." Nothing where nothing is done.
pub fn so_far(course: Progress, doc: &Doc) -> Option<String> {
    let sources = doc.sources.values().filter(|s| s.read).count();
    let course = (course.done > 0).then(|| format!("{}% of the course", course.percent()));
    let sources = (sources > 0).then(|| count(sources, "source read", "sources read"));
    let parts: Vec<String> = course.into_iter().chain(sources).collect();
    (!parts.is_empty()).then(|| format!("So far: {}.", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents<const N: usize>(slugs: [&str; N]) -> [Extent; N] {
        let mark = |slug: &str, name: &str| match name {
            "data-progress" => slug.to_owned(),
            "data-sections" => "here:60".to_owned(),
            _ => String::new(),
        };
        slugs.map(|slug| Extent::of_mark(|name| mark(slug, name)))
    }

    #[test]
    fn what_comes_next_is_what_was_begun_then_what_is_not_done() {
        let next = |doc: &Doc| next(&extents(["b", "c"]), doc);
        let mut doc = Doc::default();
        assert_eq!(next(&doc), Next::Start(0));
        doc.chapters.entry("c".into()).or_default().at = Some("here".into());
        assert_eq!(next(&doc), Next::GoOn(1, "here".into()));
        doc.chapters.entry("c".into()).or_default().done = true;
        assert_eq!(next(&doc), Next::Then(0));
        // What is read and solved to its end is done without a button.
        doc.chapters.entry("b".into()).or_default().read.insert("here".into());
        assert_eq!(next(&doc), Next::AllDone);
    }

    #[test]
    fn the_chapter_read_last_comes_first_and_a_placement_says_where_to_begin() {
        let next = |doc: &Doc| next(&extents(["a", "b", "c"]), doc);
        let mut doc = Doc { placement: serde_json::json!({ "begin": "b", "skim": ["b"] }), ..Doc::default() };
        assert_eq!(next(&doc), Next::Begin(2));
        doc.placement = serde_json::json!({ "begin": "b" });
        assert_eq!(next(&doc), Next::Begin(1));
        for (slug, seen) in [("a", 20), ("c", 10)] {
            let chapter = doc.chapters.entry(slug.into()).or_default();
            (chapter.at, chapter.seen) = (Some("here".into()), seen);
        }
        assert_eq!(next(&doc), Next::GoOn(0, "here".into()));
        for slug in ["a", "b", "c"] {
            doc.chapters.entry(slug.into()).or_default().done = true;
        }
        assert_eq!(next(&doc), Next::AllDone);
    }

    #[test]
    fn what_is_done_is_said_once_there_is_some() {
        let mut doc = Doc::default();
        assert_eq!(so_far(Progress::default(), &doc), None);
        doc.sources.entry("s".into()).or_default().read = true;
        assert_eq!(so_far(Progress { done: 0, all: 9 }, &doc).as_deref(), Some("So far: 1 source read."));
        let some = Progress { done: 1, all: 8 };
        assert_eq!(so_far(some, &doc).as_deref(), Some("So far: 12% of the course, 1 source read."));
    }
}
