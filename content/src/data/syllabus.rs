//! `syllabus.toml`: how to teach with the course. A course may be without the file.

use super::{Lab, Listed, ids, inline, keys, read};
use crate::names::Kind;
use crate::schema::{Course, Html};
use crate::source::Located;
use crate::toml_reader::Table;
use crate::world::World;

/// A way to teach it: a term, a week, an afternoon.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Syllabus {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) about: Html,
    pub(crate) sessions: Vec<Session>,
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

/// The ways to teach it. A term's sessions go through every chapter.
pub(crate) fn syllabus(world: &World<'_>, course: &Course, labs: &[Lab], missions: &[Listed]) -> Vec<Syllabus> {
    if world.tree.file("syllabus.toml").is_none() {
        return Vec::new();
    }
    let all: Vec<Syllabus> = read(world, "syllabus.toml", |root| {
        root.tables("course").into_iter().map(|t| one(world, t, labs, missions)).collect()
    });
    for chapter in course.chapters() {
        let of_term = all.iter().filter(|s| s.id == "term").flat_map(|s| &s.sessions);
        if !of_term.flat_map(|s| &s.chapters).any(|slug| *slug == chapter.slug)
            && let Some((_, spot)) = world.names.all(Kind::Chapter).find(|(id, _)| *id == chapter.slug)
        {
            world.sink.report(spot, format!("The term of syllabus.toml leaves out “{}”.", chapter.slug));
        }
    }
    all
}

fn one(world: &World<'_>, mut table: Table<'_, '_>, labs: &[Lab], missions: &[Listed]) -> Syllabus {
    let syllabus = Syllabus {
        id: table.string("id"),
        title: table.string("title"),
        about: inline(world, &table.text("about")),
        sessions: table.tables("sessions").into_iter().map(|t| session(world, t, labs, missions)).collect(),
    };
    table.finish();
    syllabus
}

fn session(world: &World<'_>, mut table: Table<'_, '_>, labs: &[Lab], missions: &[Listed]) -> Session {
    let spot = table.spot();
    let lab = table.optional_text("lab").and_then(|slug| {
        let known: Vec<(&str, &str)> = labs.iter().map(|l| (l.slug.as_str(), l.title.as_str())).collect();
        titled(world, &slug, &known, "lab")
    });
    let missions = table.texts("missions").into_iter().filter_map(|slug| {
        let known: Vec<(&str, &str)> = missions.iter().map(|m| (m.slug.as_str(), m.mission.title.as_str())).collect();
        titled(world, &slug, &known, "mission")
    });
    let missions = missions.collect();
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
