//! What there is to choose from, in the words of `ringside_core::practice::next`.

use std::collections::BTreeSet;

use ringside_content::schema::{Chapter, Course, ExerciseIndex, Indexed, Readings, Status};
use ringside_core::practice::next::{self, Situation};
use ringside_core::practice::plan::{self, Schedule, Today};
use ringside_core::practice::queue::Candidate;
use ringside_core::practice::{Day, Practice};

use crate::doc::Doc;
use crate::next::Next;
use crate::progress::Extent;

/// Whether the learner has read a chapter, or half of its sections.
fn is_taught(chapter: &Chapter, index: &ExerciseIndex, doc: &Doc) -> bool {
    let read = doc.chapters.get(&chapter.slug).map_or(0, |c| c.read.len());
    is_done(chapter, index, doc) || (read > 0 && 2 * read >= chapter.required().count())
}

fn is_done(chapter: &Chapter, index: &ExerciseIndex, doc: &Doc) -> bool {
    Extent::of(chapter, index).is_done(doc)
}

/// The skills of a chapter that have exercises.
pub fn skills(chapter: &Chapter, index: &ExerciseIndex, doc: &Doc) -> Vec<next::Skill> {
    let of = |skill: &str| {
        let mut found: Vec<&Indexed> = index.exercises.iter().filter(|e| !e.is_guess() && e.skill == skill).collect();
        found.sort_by_key(|e| e.level);
        found.into_iter().map(|e| e.key.clone()).collect::<Vec<_>>()
    };
    let taught = is_taught(chapter, index, doc);
    let skill = |id: &str| next::Skill { id: id.to_owned(), title: chapter.title.clone(), exercises: of(id), taught };
    chapter.skills.iter().map(|s| skill(&s.id)).filter(|s| !s.exercises.is_empty()).collect()
}

/// Every exercise that a run of practice can ask, from the chapter in which the learner is on, then from the first. A kernel is
/// written on a page of its own.
pub fn pool(course: &Course, index: &ExerciseIndex, doc: &Doc) -> Vec<Candidate> {
    let chapters: Vec<&Chapter> = course.chapters().filter(|c| c.status == Status::Written).collect();
    let from = stopped(course, index, doc).map(|c| c.slug.as_str()).or(doc.placed().0);
    let from = chapters.iter().position(|c| Some(c.slug.as_str()) == from).unwrap_or(0);
    let ordered = chapters[from..].iter().chain(&chapters[..from]);
    let candidate = |exercise: &Indexed, taught| {
        let attempt = doc.exercises.get(&exercise.key);
        Candidate {
            key: exercise.key.clone(),
            skill: exercise.skill.clone(),
            seconds: exercise.seconds(),
            taught,
            open: attempt.is_some_and(|a| (a.tries_here() > 0 || a.shown) && !a.solved),
            seed: attempt.map_or(0, |a| a.seed),
        }
    };
    ordered
        .flat_map(|chapter| {
            let taught = is_taught(chapter, index, doc);
            let mut own: Vec<&Indexed> =
                index.of_chapter(&chapter.slug).filter(|e| !e.is_guess() && e.kind != "kernel").collect();
            own.sort_by_key(|e| e.level);
            own.into_iter().map(move |e| candidate(e, taught))
        })
        .collect()
}

/// The plan on the calendar, if the learner has begun it.
pub fn schedule(course: &Course, practice: &Practice, today: Day) -> Option<Schedule> {
    let days: Vec<[u32; 2]> = blocks(course).map(|b| b.days).collect();
    let done: Vec<Option<Day>> = days.iter().map(|d| practice.plan.done.get(&plan::key(*d)).copied()).collect();
    Some(plan::schedule(&days, &done, &practice.days, practice.plan.start?, today))
}

/// The plan's blocks, in order.
pub fn blocks(course: &Course) -> impl Iterator<Item = &ringside_content::schema::Block> {
    course.plan.iter().flat_map(|week| &week.blocks)
}

/// The chapter read last that is not done.
fn stopped<'a>(course: &'a Course, index: &ExerciseIndex, doc: &Doc) -> Option<&'a Chapter> {
    let seen = |chapter: &&Chapter| doc.chapters.get(&chapter.slug).filter(|c| c.at.is_some()).map(|c| c.seen);
    let begun = course.chapters().filter(|c| c.status == Status::Written && seen(c).is_some());
    // Of those of which it is not known when, the last in the course.
    begun.filter(|c| !is_done(c, index, doc)).max_by_key(seen)
}

/// How many minutes of a chapter are left: of all that counts in it, and wherever it was last scrolled to.
pub fn left(chapter: &Chapter, index: &ExerciseIndex, doc: &Doc) -> u32 {
    Extent::of(chapter, index).progress(doc).minutes_left(chapter.minutes)
}

/// Everything there is to choose from.
pub fn situation(
    (course, readings, index): (&Course, &Readings, &ExerciseIndex),
    (doc, practice): (&Doc, &Practice),
    (minutes, today): (u32, Day),
) -> Situation {
    let chapter = |chapter: &Chapter, left: u32| next::Chapter {
        slug: chapter.slug.clone(),
        title: chapter.title.clone(),
        at: doc.chapters.get(&chapter.slug).and_then(|c| c.at.clone()),
        left,
    };
    let schedule = schedule(course, practice, today);
    let current = match schedule.map(|s| s.today) {
        Some(Today::On { block, .. } | Today::Ahead { block, .. }) => blocks(course).nth(block),
        Some(Today::Finished { .. } | Today::Empty) => None,
        // The plan has not begun, or never will: its first block of which something is left.
        Some(Today::Before { .. }) | None => blocks(course).find(|b| open(b, (course, readings, index), doc)),
    };
    let stopped = stopped(course, index, doc);
    // In the order of the course, from where the learner is on; what they went past comes last.
    let at = |slug: &str| course.chapters().position(|c| c.slug == slug);
    let from = stopped.map(|c| c.slug.as_str()).or(doc.placed().0).and_then(at);
    let in_order = |block: &ringside_content::schema::Block| {
        let mut chapters: Vec<&Chapter> = block
            .chapters
            .iter()
            .filter_map(|slug| course.chapter(slug))
            .filter(|c| c.status == Status::Written && !is_done(c, index, doc))
            .collect();
        chapters.sort_by_key(|c| (at(&c.slug) < from, at(&c.slug)));
        chapters
    };
    let block = current.map(|block| next::Block {
        title: block.title.clone(),
        chapters: in_order(block).into_iter().map(|c| chapter(c, left(c, index, doc))).collect(),
        sources: block
            .sources
            .iter()
            .filter(|id| !doc.is_read(id))
            .filter_map(|id| readings.sources.iter().find(|s| s.id == *id))
            .map(|s| next::Source {
                id: s.id.clone(),
                title: s.title.clone(),
                minutes: s.minutes,
                priority: s.priority,
            })
            .collect(),
    });
    // What the home page and the placement's own page say.
    let written: Vec<&Chapter> = course.chapters().filter(|c| c.status == Status::Written).collect();
    let extents: Vec<Extent> = written.iter().map(|c| Extent::of(c, index)).collect();
    let begin = match crate::next::next(&extents, doc) {
        Next::Begin(i) | Next::Start(i) => written.get(i).copied(),
        _ => None,
    };
    Situation {
        minutes,
        today,
        begin: begin.map(|c| chapter(c, left(c, index, doc))),
        skills: course.chapters().flat_map(|c| skills(c, index, doc)).collect(),
        stopped: stopped.map(|c| chapter(c, left(c, index, doc))),
        block,
    }
}

/// Whether anything in a block can be done and is not.
fn open(
    block: &ringside_content::schema::Block,
    (course, readings, index): (&Course, &Readings, &ExerciseIndex),
    doc: &Doc,
) -> bool {
    let known: BTreeSet<&str> = readings.sources.iter().map(|s| s.id.as_str()).collect();
    let mut written =
        block.chapters.iter().filter_map(|slug| course.chapter(slug)).filter(|c| c.status == Status::Written);
    written.any(|chapter| !is_done(chapter, index, doc))
        || block.sources.iter().any(|id| known.contains(id.as_str()) && !doc.is_read(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringside_content::schema::{Block, Extent, Part, Skill, Source, Week};
    use ringside_core::practice::next::{What, suggest};

    fn world() -> (Course, Readings, ExerciseIndex) {
        let chapter = |slug: &str, status| Chapter {
            slug: slug.into(),
            title: slug.to_uppercase(),
            status,
            minutes: 40,
            skills: vec![Skill { id: format!("{slug}.s"), ..Skill::default() }],
            ..Chapter::default()
        };
        let chapters =
            vec![chapter("a", Status::Written), chapter("b", Status::Written), chapter("c", Status::Planned)];
        let block = |days, chapters: &[&str], sources: &[&str]| Block {
            days,
            title: format!("Block {}", days[0]),
            chapters: chapters.iter().map(|s| (*s).to_owned()).collect(),
            sources: sources.iter().map(|s| (*s).to_owned()).collect(),
            ..Block::default()
        };
        let blocks = vec![block([1, 3], &["c"], &["x"]), block([4, 7], &["b", "c"], &["y", "gone"])];
        let course = Course {
            parts: vec![Part { chapters, ..Part::default() }],
            plan: vec![Week { blocks, ..Week::default() }],
            ..Course::default()
        };
        let source =
            |id: &str| Source { id: id.into(), title: id.into(), minutes: 12, priority: 3, ..Source::default() };
        let readings = Readings { sources: vec![source("x"), source("y")] };
        let exercise = |key: &str, kind: &str, level| Indexed {
            key: key.into(),
            kind: kind.into(),
            skill: "a.s".into(),
            level,
            ..Indexed::default()
        };
        let exercises =
            vec![exercise("a/p", "predict", 1), exercise("a/hard", "number", 3), exercise("a/easy", "choice", 1)];
        (course, readings, ExerciseIndex { exercises })
    }

    fn now(doc: &Doc, practice: &Practice, today: Day) -> Situation {
        let (course, readings, index) = world();
        situation((&course, &readings, &index), (doc, practice), (30, today))
    }

    #[test]
    fn a_newcomer_gets_the_first_block() {
        let now = now(&Doc::default(), &Practice::default(), 100);
        assert_eq!(now.stopped, None);
        assert_eq!(now.skills.len(), 1);
        assert_eq!(
            (now.skills[0].exercises.as_slice(), now.skills[0].taught),
            (&["a/easy".into(), "a/hard".into()][..], false)
        );
        let block = now.block.clone().expect("a block");
        assert_eq!((block.title.as_str(), block.chapters.len(), block.sources.len()), ("Block 1", 0, 1));
        let items = suggest(&Practice::default(), &now);
        // Home says the same: the first chapter.
        let what: Vec<_> = items.iter().map(|item| item.what.clone()).collect();
        assert_eq!(what, [What::Chapter { slug: "a".into(), at: None }]);
    }

    #[test]
    fn where_the_learner_stopped_last_comes_with_what_is_left_of_it() {
        let mut doc = Doc::default();
        for (slug, seen) in [("a", 20), ("b", 10), ("c", 30)] {
            let chapter = doc.chapters.entry(slug.into()).or_default();
            (chapter.at, chapter.seen) = (Some("here".into()), seen);
        }
        let at = |doc: &Doc| now(doc, &Practice::default(), 100).stopped.map(|s| (s.slug, s.at, s.left));
        assert_eq!(at(&doc), Some(("a".into(), Some("here".into()), 40)));
        doc.chapters.entry("a".into()).or_default().done = true;
        assert_eq!(at(&doc), Some(("b".into(), Some("here".into()), 40)));
        assert!(now(&doc, &Practice::default(), 100).skills[0].taught);
    }

    #[test]
    fn a_placement_and_the_next_half_hour_say_the_same() {
        let first = |doc: &Doc| suggest(&Practice::default(), &now(doc, &Practice::default(), 100)).remove(0);
        let mut doc = Doc { placement: serde_json::json!({ "begin": "b" }), ..Doc::default() };
        assert_eq!(first(&doc).what, What::Chapter { slug: "b".into(), at: None });
        assert_eq!(first(&doc).reason, "This is your starting point. About 40 minutes of it are left; read on for 30.");
        // Once something was begun, that is where to go on.
        doc.chapters.entry("a".into()).or_default().at = Some("here".into());
        assert_eq!(first(&doc).what, What::Chapter { slug: "a".into(), at: Some("here".into()) });
        assert_eq!(now(&doc, &Practice::default(), 100).begin, None);
    }

    #[test]
    fn the_plans_chapters_come_in_the_order_of_the_course() {
        let (mut course, readings, index) = world();
        let block = &mut course.plan[0].blocks[0];
        block.chapters = ["d", "a", "e", "b"].map(str::to_owned).to_vec();
        let template = course.parts[0].chapters[0].clone();
        for slug in ["d", "e"] {
            course.parts[0].chapters.push(Chapter { slug: slug.into(), ..template.clone() });
        }
        let order = |doc: &Doc| {
            let now = situation((&course, &readings, &index), (doc, &Practice::default()), (30, 100));
            now.block.expect("a block").chapters.into_iter().map(|c| c.slug).collect::<Vec<_>>()
        };
        let mut doc = Doc::default();
        assert_eq!(order(&doc), ["a", "b", "d", "e"]);
        doc.chapters.entry("d".into()).or_default().at = Some("here".into());
        assert_eq!(order(&doc), ["d", "e", "a", "b"]);
    }

    #[test]
    fn the_plan_says_which_block_is_on() {
        let mut practice = Practice::default();
        practice.plan.start = Some(100);
        let block = |practice: &Practice, today| now(&Doc::default(), practice, today).block.map(|b| b.title);
        assert_eq!(block(&practice, 95), Some("Block 1".into()));
        assert_eq!(block(&practice, 120), Some("Block 1".into()));
        practice.plan.done.insert("1-3".into(), 100);
        assert_eq!(block(&practice, 101), Some("Block 4".into()));
        practice.plan.done.insert("4-7".into(), 101);
        assert_eq!(block(&practice, 101), None);
    }

    #[test]
    fn what_was_read_is_not_offered_again() {
        let mut doc = Doc::default();
        doc.sources.entry("x".into()).or_default().read = true;
        doc.chapters.entry("b".into()).or_default().done = true;
        let block = now(&doc, &Practice::default(), 100).block.expect("a block");
        assert_eq!((block.title.as_str(), block.chapters.len(), block.sources.len()), ("Block 4", 0, 1));
        doc.sources.entry("y".into()).or_default().read = true;
        assert_eq!(now(&doc, &Practice::default(), 100).block, None);
    }

    #[test]
    fn what_is_left_of_a_chapter_is_what_was_not_read_and_not_solved() {
        let (course, _, index) = world();
        let mut chapter = course.chapters().next().expect("a chapter").clone();
        chapter.sections =
            ["one", "two"].map(|id| Extent { id: id.into(), seconds: 300, exercises: 0, aside: false }).into();
        let mut doc = Doc::default();
        let all = left(&chapter, &index, &doc);
        doc.chapters.entry("a".into()).or_default().at = Some("two".into());
        assert_eq!((all, left(&chapter, &index, &doc)), (40, 40));
        doc.chapters.entry("a".into()).or_default().read.insert("one".into());
        let read = left(&chapter, &index, &doc);
        doc.exercises.entry("a/easy".into()).or_default().right = true;
        assert!(left(&chapter, &index, &doc) < read && read < all);
        doc.exercises.entry("a/hard".into()).or_default().right = true;
        doc.chapters.entry("a".into()).or_default().done = true;
        assert_eq!(left(&chapter, &index, &doc), 0);
    }

    #[test]
    fn practice_begins_where_the_learner_is_and_asks_no_guesses() {
        let (course, _, mut index) = world();
        index.exercises.push(Indexed { key: "b/x".into(), kind: "number".into(), ..Indexed::default() });
        let keys =
            |doc: &Doc| pool(&course, &index, doc).into_iter().map(|c| (c.key, c.open, c.taught)).collect::<Vec<_>>();
        let mut doc = Doc::default();
        let of = |key: &str, open, taught| (key.to_owned(), open, taught);
        assert_eq!(keys(&doc), [of("a/easy", false, false), of("a/hard", false, false), of("b/x", false, false)]);
        doc.placement = serde_json::json!({ "begin": "b" });
        doc.exercises.entry("a/easy".into()).or_default().tries = 1;
        doc.chapters.entry("a".into()).or_default().done = true;
        assert_eq!(keys(&doc), [of("b/x", false, false), of("a/easy", true, true), of("a/hard", false, true)]);
    }
}
