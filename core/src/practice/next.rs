//! What to do in the minutes there are.
//!
//! In this order, as long as minutes are left: skills that are due, the least certain first, for at most half of the
//! time if there is anything else to do; the chapter in which the learner stopped, or the one that a placement found;
//! what the plan's current block has them read, chapters before sources; then whatever else is due, and skills of chapters
//! they know that were never practiced. The same situation always gives the same list.

use serde::Serialize;

use super::schedule::{self, Card};
use super::{Attempt, Day, Practice, count, seed_from};

/// How long a review exercise takes, in minutes.
pub const REVIEW: u32 = 3;
/// The fewest minutes for which a chapter is worth opening.
pub const CHAPTER: u32 = 5;
/// The fewest minutes for which a source is worth beginning when it cannot be finished.
pub const SOURCE: u32 = 10;
/// More than a day is planned by no one.
const MOST: u32 = 24 * 60;

/// What there is to choose from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Situation {
    /// The minutes there are.
    pub minutes: u32,
    /// Today.
    pub today: Day,
    /// Skills that have exercises.
    pub skills: Vec<Skill>,
    /// The chapter that the learner last read and has not finished.
    pub stopped: Option<Chapter>,
    /// The chapter that a placement found, while nothing was begun.
    pub begin: Option<Chapter>,
    /// The plan's current block, or the one that comes next.
    pub block: Option<Block>,
}

/// A skill that can be practiced.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skill {
    /// Its id.
    pub id: String,
    /// A few words for it.
    pub title: String,
    /// Its exercises, `<chapter>/<exercise>`, the easiest first.
    pub exercises: Vec<String>,
    /// Whether the learner has read the chapter that teaches it.
    pub taught: bool,
}

/// A chapter that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chapter {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// The heading at which to go on, if it was begun.
    pub at: Option<String>,
    /// How many minutes of it are left.
    pub left: u32,
}

/// A source that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How long it takes.
    pub minutes: u32,
    /// 3 must read, 2 recommended, 1 optional.
    pub priority: u8,
}

/// A block of the plan: what of it is not done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// Its title.
    pub title: String,
    /// Its chapters that have a page and are not done, in the order in which to read them.
    pub chapters: Vec<Chapter>,
    /// Its sources that were not read, in order.
    pub sources: Vec<Source>,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What.
    pub what: What,
    /// Its name: of the skill, the chapter or the source.
    pub title: String,
    /// For how many minutes.
    pub minutes: u32,
    /// Why: a sentence or two.
    pub reason: String,
}

/// A kind of thing to do, with where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum What {
    /// Practise a skill.
    Review {
        /// The skill.
        skill: String,
        /// The exercise, `<chapter>/<exercise>`: the one done least, the longest ago.
        exercise: String,
        /// The seed of its parameters: 0, as written, the first time, and fresh ones from then on.
        seed: u64,
    },
    /// Read a chapter.
    Chapter {
        /// The chapter.
        slug: String,
        /// The heading at which to go on.
        at: Option<String>,
    },
    /// Read a source.
    Source {
        /// The source.
        id: String,
    },
}

/// What to do now: items whose minutes together are at most those asked for.
pub fn suggest(practice: &Practice, situation: &Situation) -> Vec<Item> {
    let mut list = List { items: Vec::new(), left: situation.minutes.min(MOST) };
    let block = situation.block.as_ref();
    let mut reviews = due_reviews(practice, situation).into_iter().peekable();

    let begun = situation.stopped.iter().chain(&situation.begin);
    let other = begun.chain(block.iter().flat_map(|b| &b.chapters)).any(|c| c.left > 0)
        || block.is_some_and(|b| b.sources.iter().any(|s| s.minutes > 0));
    let kept_for_other = if other && list.left >= REVIEW + CHAPTER { list.left.div_ceil(2) } else { 0 };
    while list.left >= kept_for_other + REVIEW
        && let Some(review) = reviews.next()
    {
        list.add(review);
    }

    if let Some(chapter) = &situation.stopped {
        list.chapter(chapter, "You stopped here.");
    }
    if let Some(chapter) = &situation.begin {
        list.chapter(chapter, "This is your starting point.");
    }
    if let Some(block) = block {
        let why = format!("Next in the plan: “{}”.", block.title);
        for chapter in &block.chapters {
            list.chapter(chapter, &why);
        }
        list.sources(&block.sources, &why);
    }

    for review in reviews.chain(new_skills(practice, situation)) {
        if list.left >= REVIEW {
            list.add(review);
        }
    }
    list.items
}

/// The items together: a sentence. Says so where there is nothing to do.
pub fn say(items: &[Item], situation: &Situation) -> String {
    let total: u32 = items.iter().fold(0, |sum, item| sum.saturating_add(item.minutes));
    match items {
        [] if situation.minutes < REVIEW => format!("The shortest thing to do takes {}.", count(REVIEW, "minute")),
        [] => "Nothing is due, and the plan has nothing to read that fits: choose any chapter you like.".to_owned(),
        [item] => format!("{}: {}.", count(item.minutes, "minute"), item.title),
        _ => format!("Together: {}.", count(total, "minute")),
    }
}

struct List {
    items: Vec<Item>,
    left: u32,
}

impl List {
    fn add(&mut self, item: Item) {
        self.left = self.left.saturating_sub(item.minutes);
        self.items.push(item);
    }

    fn has(&self, slug: &str) -> bool {
        self.items.iter().any(|i| matches!(&i.what, What::Chapter { slug: s, .. } if s == slug))
    }

    /// As much of a chapter as fits; its end also if that is shorter than what is otherwise worth opening.
    fn chapter(&mut self, chapter: &Chapter, why: &str) {
        let minutes = chapter.left.min(self.left);
        if minutes == 0 || minutes < CHAPTER.min(chapter.left) || self.has(&chapter.slug) {
            return;
        }
        let reason = match (&chapter.at, minutes == chapter.left) {
            (_, false) => {
                format!("{why} About {} of it are left; read on for {minutes}.", count(chapter.left, "minute"))
            }
            (Some(_), true) => format!("{why} {} will finish it.", count(minutes, "minute")),
            (None, true) => format!("{why} It takes {}.", count(minutes, "minute")),
        };
        let what = What::Chapter { slug: chapter.slug.clone(), at: chapter.at.clone() };
        self.add(Item { what, title: chapter.title.clone(), minutes, reason });
    }

    /// The sources that fit whole, must-reads first; if none does, the beginning of the first.
    fn sources(&mut self, sources: &[Source], why: &str) {
        let mut sources: Vec<&Source> = sources.iter().filter(|s| s.minutes > 0).collect();
        sources.sort_by_key(|s| std::cmp::Reverse(s.priority));
        let mut any = false;
        for source in &sources {
            if source.minutes > self.left || self.items.iter().any(|i| i.what == source.what()) {
                continue;
            }
            let rank = match source.priority {
                3.. => "a must-read",
                2 => "recommended",
                _ => "optional",
            };
            any = true;
            let reason = format!("{why} This source is {rank}.");
            self.add(Item { what: source.what(), title: source.title.clone(), minutes: source.minutes, reason });
        }
        if let Some(first) = sources.first().filter(|_| !any && self.left >= SOURCE) {
            let reason =
                format!("{why} It takes {}; make a beginning and note where you stop.", count(first.minutes, "minute"));
            self.add(Item { what: first.what(), title: first.title.clone(), minutes: self.left, reason });
        }
    }
}

impl Source {
    fn what(&self) -> What {
        What::Source { id: self.id.clone() }
    }
}

/// Exercises of the skills that are due, the least certain first.
fn due_reviews(practice: &Practice, situation: &Situation) -> Vec<Item> {
    let today = situation.today;
    let missed = |skill: &Skill| practice.last(&skill.id).is_some_and(Attempt::is_missed);
    let mut due: Vec<(&Skill, &Card, f64)> = situation
        .skills
        .iter()
        .filter_map(|skill| practice.cards.get(&skill.id).map(|card| (skill, card)))
        .filter(|(skill, card)| schedule::due(card, today) || missed(skill))
        .map(|(skill, card)| (skill, card, if missed(skill) { 0.0 } else { schedule::retrievability(card, today) }))
        .collect();
    due.sort_by(|a, b| a.2.total_cmp(&b.2).then_with(|| a.1.due.cmp(&b.1.due)).then_with(|| a.0.id.cmp(&b.0.id)));
    due.dedup_by(|a, b| a.0.id == b.0.id);
    due.iter()
        .filter_map(|(skill, card, recall)| {
            let days = today.saturating_sub(card.last);
            let when = match days {
                ..=0 => "earlier today".to_owned(),
                1 => "yesterday".to_owned(),
                _ => format!("{} ago", count(days, "day")),
            };
            let percent = (recall * 100.0).round();
            let reason = if missed(skill) {
                format!("You did not solve this {when}.")
            } else {
                format!("You last practiced this {when}; you would recall it with about {percent}% certainty.")
            };
            review(practice, skill, today, reason)
        })
        .collect()
}

/// First exercises of skills that were taught and never practiced.
fn new_skills(practice: &Practice, situation: &Situation) -> Vec<Item> {
    let new = |skill: &&Skill| skill.taught && practice.cards.get(&skill.id).is_none_or(Card::is_new);
    let reason = "You have read the chapter and not yet tried this.";
    let mut items: Vec<Item> = Vec::new();
    for skill in situation.skills.iter().filter(new) {
        let item = review(practice, skill, situation.today, reason.to_owned());
        items.extend(item.filter(|item| !items.contains(item)));
    }
    items
}

/// The exercise with which to practise a skill now, `<chapter>/<exercise>`, and the seed of its parameters: the one done
/// least, the longest ago; as written the first time, with fresh numbers from then on.
pub fn exercise(practice: &Practice, skill: &Skill, today: Day) -> Option<(String, u64)> {
    let done = |exercise: &str| {
        let of_it = |a: &&Attempt| a.exercise == exercise;
        let last = practice.attempts.iter().rposition(|a| a.exercise == exercise);
        (practice.attempts.iter().filter(of_it).count(), last)
    };
    let (exercise, times) =
        skill.exercises.iter().map(|e| (e, done(e))).min_by_key(|(_, done)| *done).map(|(e, (times, _))| (e, times))?;
    let seed = if times == 0 { 0 } else { seed_from(exercise, (today as u64).wrapping_mul(1000) + times as u64) };
    Some((exercise.clone(), seed))
}

fn review(practice: &Practice, skill: &Skill, today: Day, reason: String) -> Option<Item> {
    let (exercise, seed) = exercise(practice, skill, today)?;
    let what = What::Review { skill: skill.id.clone(), exercise, seed };
    Some(Item { what, title: skill.title.clone(), minutes: REVIEW, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn skill(id: &str) -> Skill {
        let exercises = vec![format!("c/{id}-1"), format!("c/{id}-2")];
        Skill { id: id.into(), title: format!("Skill {id}"), exercises, taught: true }
    }

    fn chapter(slug: &str, left: u32) -> Chapter {
        Chapter { slug: slug.into(), title: slug.to_uppercase(), at: None, left }
    }

    fn source(id: &str, minutes: u32, priority: u8) -> Source {
        Source { id: id.into(), title: id.to_uppercase(), minutes, priority }
    }

    fn practiced(skills: &[(&str, Day)]) -> Practice {
        let mut practice = Practice::default();
        for (id, day) in skills {
            practice.record(Attempt {
                exercise: format!("c/{id}-1"),
                skill: (*id).into(),
                day: *day,
                seed: 0,
                level: 1,
                right: true,
                tries: 1,
                hints: 0,
                shown: false,
            });
        }
        practice
    }

    fn names(items: &[Item]) -> Vec<(&str, u32)> {
        items.iter().map(|i| (i.title.as_str(), i.minutes)).collect()
    }

    fn situation(minutes: u32) -> Situation {
        Situation {
            minutes,
            today: 100,
            skills: ["a", "b", "c", "d", "e", "f", "g"].map(skill).to_vec(),
            stopped: Some(Chapter { at: Some("zero".into()), ..chapter("memory", 20) }),
            begin: None,
            block: Some(Block {
                title: "Tensor parallelism".into(),
                chapters: vec![chapter("memory", 20), chapter("tensor", 40)],
                sources: vec![source("blog", 15, 1), source("megatron", 60, 3), source("note", 10, 2)],
            }),
        }
    }

    #[test]
    fn half_an_hour() {
        let practice = practiced(&[("a", 97), ("b", 90), ("c", 80), ("d", 98), ("e", 99)]);
        let items = suggest(&practice, &situation(30));
        assert_eq!(names(&items), [("Skill c", 3), ("Skill b", 3), ("Skill a", 3), ("Skill d", 3), ("MEMORY", 18)]);
        assert_eq!(
            items[0].reason,
            "You last practiced this 20 days ago; you would recall it with about 71% certainty."
        );
        assert_eq!(items[4].reason, "You stopped here. About 20 minutes of it are left; read on for 18.");
        assert_eq!(items[4].what, What::Chapter { slug: "memory".into(), at: Some("zero".into()) });
        // The exercise that was not done yet, as written.
        assert_eq!(items[0].what, What::Review { skill: "c".into(), exercise: "c/c-2".into(), seed: 0 });
        assert_eq!(say(&items, &situation(30)), "Together: 30 minutes.");
    }

    #[test]
    fn an_exercise_done_before_comes_with_fresh_numbers() {
        let practice = practiced(&[("a", 50)]);
        let mut s = situation(6);
        s.skills[0].exercises.pop();
        let seed = |s: &Situation| match suggest(&practice, s).first().map(|i| i.what.clone()) {
            Some(What::Review { seed, .. }) => seed,
            other => panic!("{other:?}"),
        };
        let today = seed(&s);
        assert!(today > 0 && today == seed(&s));
        s.today += 1;
        assert_ne!(today, seed(&s));
    }

    #[test]
    fn an_evening_and_a_minute() {
        let items = suggest(&practiced(&[("a", 50)]), &situation(160));
        assert_eq!(
            names(&items),
            [
                ("Skill a", 3),
                ("MEMORY", 20),
                ("TENSOR", 40),
                ("MEGATRON", 60),
                ("NOTE", 10),
                ("BLOG", 15),
                ("Skill b", 3),
                ("Skill c", 3),
                ("Skill d", 3),
                ("Skill e", 3)
            ]
        );
        assert!(items[3].reason.ends_with("This source is a must-read."));
        assert_eq!(items[6].reason, "You have read the chapter and not yet tried this.");
        assert_eq!(suggest(&Practice::default(), &situation(2)), []);
        assert_eq!(say(&[], &situation(2)), "The shortest thing to do takes 3 minutes.");
    }

    #[test]
    fn a_source_too_long_is_begun() {
        let mut s = situation(30);
        (s.stopped, s.skills) = (None, Vec::new());
        s.block = Some(Block { title: "T".into(), chapters: vec![], sources: vec![source("long", 120, 3)] });
        let items = suggest(&Practice::default(), &s);
        assert_eq!(names(&items), [("LONG", 30)]);
        assert!(items[0].reason.contains("It takes 120 minutes"));
    }

    proptest! {
        #[test]
        fn it_fits_and_says_why(
            minutes: u32, today: i64, due in prop::collection::vec((0usize..7, -10i64..200), 0..12),
            stopped in prop::option::of(any::<u32>()), chapters in prop::collection::vec(any::<u32>(), 0..4),
            sources in prop::collection::vec((any::<u32>(), any::<u8>()), 0..5), small: bool,
        ) {
            let minutes = if small { minutes % 120 } else { minutes };
            let ids = ["a", "b", "c", "d", "e", "f", "g"];
            let skills: Vec<(&str, Day)> = due.iter().map(|(i, day)| (ids[*i], *day)).collect();
            let s = Situation {
                minutes, today, stopped: stopped.map(|m| chapter("stopped", m)),
                block: Some(Block {
                    title: "B".into(),
                    chapters: chapters.iter().enumerate().map(|(i, m)| chapter(&format!("c{i}"), *m)).collect(),
                    sources: sources.iter().enumerate().map(|(i, (m, p))| source(&format!("s{i}"), *m, *p)).collect(),
                }),
                ..situation(0)
            };
            let practice = practiced(&skills);
            let items = suggest(&practice, &s);
            prop_assert!(items.iter().map(|i| u64::from(i.minutes)).sum::<u64>() <= u64::from(minutes));
            prop_assert!(items.iter().all(|i| i.minutes > 0 && i.reason.ends_with('.')));
            for (n, item) in items.iter().enumerate() {
                prop_assert!(!items[..n].iter().any(|earlier| earlier.what == item.what));
            }
            prop_assert_eq!(&items, &suggest(&practice, &s));
            prop_assert!(say(&items, &s).ends_with('.'));
        }
    }
}
