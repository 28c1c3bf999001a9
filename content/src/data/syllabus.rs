//! `syllabus.toml`: how to teach with the course. A course may be without the file.

use super::{Lab, Listed, ids, inline, keys, read};
use crate::names::Kind;
use crate::schema::{Course, Html};
use crate::source::Located;
use crate::toml_reader::Table;
use crate::world::World;

/// What whoever teaches gets: ways to teach it, how a debrief is marked, and what assistants should know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Teaching {
    pub(crate) courses: Vec<Syllabus>,
    pub(crate) debrief: Option<Debrief>,
    /// Titles and texts.
    pub(crate) assistants: Vec<(String, Html)>,
}

/// How a mission's debrief is written and marked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Debrief {
    /// What is to be written.
    pub(crate) ask: Html,
    pub(crate) points: Vec<Point>,
    /// One for each mission.
    pub(crate) samples: Vec<Sample>,
}

impl Debrief {
    /// All marks.
    pub(crate) fn marks(&self) -> u64 {
        self.points.iter().map(|point| point.marks).sum()
    }
}

/// An entry of a rubric.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) text: Html,
    pub(crate) marks: u64,
}

/// Two debriefs of a mission.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Slug and title.
    pub(crate) mission: (String, String),
    /// A text that earns every mark.
    pub(crate) excellent: Html,
    /// A text that doesn't suffice.
    pub(crate) insufficient: Html,
    /// What that text earns for each point of the rubric.
    pub(crate) weak: Vec<u64>,
}

/// What is marked in a course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marked {
    /// In the plural: “Quizzes”.
    pub(crate) what: String,
    pub(crate) count: u64,
    pub(crate) each: u64,
}

/// A way to teach it: a term, a week, an afternoon.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Syllabus {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) about: Html,
    pub(crate) sessions: Vec<Session>,
    /// Marks for each quiz, mission and lab; none are given where they are 0.
    pub(crate) quiz_marks: u64,
    pub(crate) mission_marks: u64,
    pub(crate) lab_marks: u64,
    /// Slug and title of the mission whose debrief is marked instead of its score, and the marks for it.
    pub(crate) capstone: Option<(String, String)>,
    pub(crate) capstone_marks: u64,
}

impl Syllabus {
    /// Marks for a mission: none for the capstone, whose debrief has its own.
    pub(crate) fn mission(&self, slug: &str) -> u64 {
        let is_capstone = self.capstone.as_ref().is_some_and(|(capstone, _)| capstone == slug);
        if is_capstone { self.capstone_marks } else { self.mission_marks }
    }

    /// What is marked, with how many there are; empty where no marks are given.
    pub(crate) fn marked(&self) -> Vec<Marked> {
        let count = |of: &dyn Fn(&Session) -> usize| self.sessions.iter().map(of).sum::<usize>() as u64;
        let capstones = u64::from(self.capstone.is_some());
        let rows = [
            ("Quizzes", count(&|s| usize::from(!s.quiz.is_empty())), self.quiz_marks),
            ("Missions", count(&|s| s.missions.len()).saturating_sub(capstones), self.mission_marks),
            ("Labs", count(&|s| usize::from(s.lab.is_some())), self.lab_marks),
            ("Capstone", capstones, self.capstone_marks),
        ];
        let marked = |&(_, count, each): &(&str, u64, u64)| count * each > 0;
        rows.into_iter().filter(marked).map(|(what, count, each)| Marked { what: what.into(), count, each }).collect()
    }
}

/// A session: what is shown, talked about and handed in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) when: String,
    pub(crate) title: String,
    pub(crate) aim: Html,
    /// Slugs of chapters of which all states are shown.
    pub(crate) chapters: Vec<String>,
    /// Lines of a lecture list for single states.
    pub(crate) states: Vec<String>,
    /// `<chapter>/<exercise>`, for the room.
    pub(crate) discuss: Vec<String>,
    /// `<chapter>/<exercise>`, to be handed in.
    pub(crate) quiz: Vec<String>,
    /// Slug and title of a lab.
    pub(crate) lab: Option<(String, String)>,
    /// Slugs and titles of missions.
    pub(crate) missions: Vec<(String, String)>,
}

/// The kinds of exercises that a quiz marks by itself.
const MARKED: [&str; 5] = ["number", "choice", "order", "match", "label"];
/// Those that a room can answer together.
const ROOM: [&str; 7] = ["number", "choice", "order", "match", "label", "predict", "sketch"];

/// The marks of a course that gives any.
const ALL: u64 = 100;

/// What whoever teaches gets. A term's sessions go through every chapter.
pub(crate) fn syllabus(world: &World<'_>, course: &Course, labs: &[Lab], missions: &[Listed]) -> Teaching {
    if world.tree.file("syllabus.toml").is_none() {
        return Teaching::default();
    }
    let teaching: Teaching = read(world, "syllabus.toml", |root| {
        let debrief = root.tables("debrief").into_iter().map(|t| debrief(world, t, missions)).next_back();
        let marks = debrief.as_ref().map_or(0, Debrief::marks);
        Teaching {
            courses: root.tables("course").into_iter().map(|t| one(world, t, labs, missions, marks)).collect(),
            debrief,
            assistants: root
                .tables("assistant")
                .into_iter()
                .map(|mut t| {
                    let told = (t.string("title"), inline(world, &t.text("text")));
                    t.finish();
                    told
                })
                .collect(),
        }
    });
    let all = &teaching.courses;
    for chapter in course.chapters() {
        let of_term = all.iter().filter(|s| s.id == "term").flat_map(|s| &s.sessions);
        if !of_term.flat_map(|s| &s.chapters).any(|slug| *slug == chapter.slug)
            && let Some((_, spot)) = world.names.all(Kind::Chapter).find(|(id, _)| *id == chapter.slug)
        {
            world.sink.report(spot, format!("The term of syllabus.toml leaves out “{}”.", chapter.slug));
        }
    }
    teaching
}

fn debrief(world: &World<'_>, mut table: Table<'_, '_>, missions: &[Listed]) -> Debrief {
    let spot = table.spot();
    let points = table.tables("point").into_iter().map(|mut t| {
        let point = Point { text: inline(world, &t.text("text")), marks: t.number("marks", 1..=ALL) };
        t.finish();
        point
    });
    let points: Vec<Point> = points.collect();
    let samples = table.tables("sample").into_iter().filter_map(|t| sample(world, t, &points, missions));
    let samples: Vec<Sample> = samples.collect();
    for Listed { slug, .. } in missions {
        if samples.iter().filter(|sample| sample.mission.0 == *slug).count() != 1 {
            world
                .sink
                .report(spot, format!("Each mission has one `[[debrief.sample]]`; “{slug}” has none, or several."));
        }
    }
    let debrief = Debrief { points, samples, ask: inline(world, &table.text("ask")) };
    table.finish();
    debrief
}

fn sample(world: &World<'_>, mut table: Table<'_, '_>, points: &[Point], missions: &[Listed]) -> Option<Sample> {
    let spot = table.spot();
    let of = mission(world, &table.text("mission"), missions);
    let [excellent, insufficient] = ["excellent", "insufficient"].map(|key| inline(world, &table.text(key)));
    let weak: Vec<u64> = table.numbers("weak").into_iter().map(|(marks, _)| marks).collect();
    table.finish();
    if weak.len() != points.len() || weak.iter().zip(points).any(|(weak, point)| *weak > point.marks) {
        world.sink.report(spot, "`weak` has marks for each point of the rubric, at most as many as there are.");
    }
    if 2 * weak.iter().sum::<u64>() >= points.iter().map(|point| point.marks).sum() {
        world.sink.report(spot, "The insufficient sample earns fewer than half of the marks.");
    }
    Some(Sample { mission: of?, excellent, insufficient, weak })
}

fn one(world: &World<'_>, mut table: Table<'_, '_>, labs: &[Lab], missions: &[Listed], debrief: u64) -> Syllabus {
    let spot = table.spot();
    let capstone = table.optional_text("capstone").and_then(|slug| mission(world, &slug, missions));
    let mut marks = |key| table.optional_number(key, 0..=ALL).unwrap_or_default();
    let [quiz_marks, mission_marks, lab_marks] = ["quiz_marks", "mission_marks", "lab_marks"].map(&mut marks);
    let syllabus = Syllabus {
        quiz_marks,
        mission_marks,
        lab_marks,
        capstone_marks: if capstone.is_some() { debrief } else { 0 },
        capstone,
        id: table.string("id"),
        title: table.string("title"),
        about: inline(world, &table.text("about")),
        sessions: table.tables("sessions").into_iter().map(|t| session(world, t, labs, missions)).collect(),
    };
    table.finish();
    let total: u64 = syllabus.marked().iter().map(|marked| marked.count * marked.each).sum();
    if ![0, ALL].contains(&total) {
        world.sink.report(spot, format!("The marks of a course add up to {ALL}; these add up to {total}."));
    }
    if let Some((slug, title)) = &syllabus.capstone
        && !syllabus.sessions.iter().flat_map(|s| &s.missions).any(|(own, _)| own == slug)
    {
        world.sink.report(spot, format!("The capstone “{title}” is in no session."));
    }
    syllabus
}

fn mission(world: &World<'_>, slug: &Located<'_>, missions: &[Listed]) -> Option<(String, String)> {
    let known: Vec<(&str, &str)> = missions.iter().map(|m| (m.slug.as_str(), m.mission.title.as_str())).collect();
    titled(world, slug, &known, "mission")
}

fn session(world: &World<'_>, mut table: Table<'_, '_>, labs: &[Lab], missions: &[Listed]) -> Session {
    let spot = table.spot();
    let lab = table.optional_text("lab").and_then(|slug| {
        let known: Vec<(&str, &str)> = labs.iter().map(|l| (l.slug.as_str(), l.title.as_str())).collect();
        titled(world, &slug, &known, "lab")
    });
    let missions = table.texts("missions").iter().filter_map(|slug| mission(world, slug, missions)).collect();
    let session = Session {
        when: table.string("when"),
        title: table.string("title"),
        aim: inline(world, &table.text("aim")),
        chapters: ids(world, &mut table, "chapters", Kind::Chapter),
        states: table.texts("states").iter().filter_map(|line| state(world, line)).collect(),
        discuss: keys(world, &mut table, "discuss", &ROOM),
        quiz: keys(world, &mut table, "quiz", &MARKED),
        lab,
        missions,
    };
    table.finish();
    if session.chapters.is_empty() && session.states.is_empty() {
        world.sink.report(spot, "A session shows something: `chapters`, or `states`.");
    }
    session
}

/// A slug and its title.
fn titled(world: &World<'_>, slug: &Located<'_>, known: &[(&str, &str)], noun: &str) -> Option<(String, String)> {
    let found = known.iter().find(|(id, _)| *id == slug.text);
    if found.is_none() {
        let ids: Vec<&str> = known.iter().map(|(id, _)| *id).collect();
        world.sink.report_near(slug.spot(0), format!("There is no {noun} “{}”.", slug.text), &slug.text, &ids);
    }
    found.map(|(id, title)| ((*id).to_owned(), (*title).to_owned()))
}

/// A line of a lecture list, from `figure?state label`.
fn state(world: &World<'_>, line: &Located<'_>) -> Option<String> {
    let (address, label) = line.text.split_once(' ').unwrap_or((&line.text, ""));
    if label.is_empty() {
        world.sink.report(line.spot(0), "A state is an address and, after a space, what to call it.");
    }
    let place = super::figure(world, &line.denoted(0..line.text.len(), address))?;
    Some(format!("{} {label}", place.href))
}
