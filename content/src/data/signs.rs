//! `signs.toml`: what logs say. A course may be without the file.

use super::{figure, inline, read, section};
use crate::names::Kind;
use crate::schema::{Course, Html, Place, Sign, SignKind, Signs};
use crate::search::Condition;
use crate::source::Located;
use crate::toml_reader::Table;
use crate::world::World;

/// The signs, with the places that explain them.
pub(crate) fn signs(world: &World<'_>, course: &Course) -> Signs {
    if world.tree.file("signs.toml").is_none() {
        return Signs::default();
    }
    read(world, "signs.toml", |root| {
        let programs: Vec<Program<'_>> = root.tables("program").into_iter().map(|t| program(world, t)).collect();
        Signs(root.tables("sign").into_iter().map(|t| sign(world, course, &programs, t)).collect())
    })
}

/// A program, and patterns of lines by which it is known where its messages have nothing of their own.
struct Program<'a> {
    name: Located<'a>,
    marks: Vec<String>,
}

fn program<'a>(world: &World<'a>, mut table: Table<'a, '_>) -> Program<'a> {
    let name = table.text("name");
    let marks = patterns(world, &mut table, "marks").into_iter().map(|mark| mark.text).collect();
    table.finish();
    Program { name, marks }
}

/// A list of patterns, each of which begins with words.
fn patterns<'a>(world: &World<'a>, table: &mut Table<'a, '_>, key: &'static str) -> Vec<Located<'a>> {
    let lines = table.texts(key);
    for line in &lines {
        let words = line.text.trim_start_matches('^').split(['…', '{', '}']).next().unwrap_or_default().trim();
        if words.chars().count() < 5 {
            world.sink.report(line.spot(0), "A line begins with words, not with anything: five characters or more.");
        }
    }
    lines
}

fn sign<'a>(world: &World<'a>, course: &Course, programs: &[Program<'a>], mut table: Table<'a, '_>) -> Sign {
    let lines = patterns(world, &mut table, "lines");
    let needs = patterns(world, &mut table, "needs");
    let unless = patterns(world, &mut table, "unless");
    let kind = table.text("kind");
    let kind = match KINDS.iter().find(|(name, _)| *name == kind.text) {
        Some((_, kind)) => *kind,
        None => {
            let names = KINDS.map(|(name, _)| name);
            world.sink.report_near(kind.spot(0), format!("`kind` is one of {}.", names.join(", ")), &kind.text, &names);
            SignKind::default()
        }
    };
    if !unless.is_empty() && kind == SignKind::Cause {
        let message =
            "A sign with `unless` is no cause: the line that would rule it out may be missing. Make it “possible”.";
        world.sink.report(table.spot_of("unless"), message);
    }
    let conditions = table.texts("where");
    for text in &conditions {
        match Condition::parse(&text.text) {
            None => {
                let message = "A condition compares sums of names and numbers: `reserved - allocated > 0.1 total`, `xid in 13 31`.";
                world.sink.report(text.spot(0), message);
            }
            Some(condition) => {
                let keeps =
                    |line: &Located<'_>| condition.names().all(|name| names(&line.text).any(|kept| kept == name));
                if !lines.iter().chain(&needs).any(keeps) {
                    world.sink.report(text.spot(0), "No line keeps all that this condition compares.");
                }
            }
        }
    }
    let (means, remedy) = (table.text("means"), table.text("do"));
    for text in [&means, &remedy] {
        for name in names(&text.text) {
            if let Some(line) = lines.iter().find(|line| !names(&line.text).any(|kept| kept == name)) {
                world.sink.report(text.spot(0), format!("The line “{}” does not keep “{{{name}}}”.", line.text));
            }
        }
    }
    let (printed_by, marked) = (table.optional_string("program"), table.optional_text("marked"));
    let program = marked.as_ref().and_then(|marked| {
        let found = programs.iter().find(|program| program.name.text == marked.text);
        if found.is_none() {
            let names: Vec<&str> = programs.iter().map(|program| program.name.text.as_str()).collect();
            world.sink.report_near(marked.spot(0), "There is no such program.".to_owned(), &marked.text, &names);
        }
        found
    });
    let place = table.text("chapter");
    let texts = |list: &[Located<'_>]| list.iter().map(|text| text.text.clone()).collect();
    let sign = Sign {
        id: table.string("id"),
        title: table.string("title"),
        kind,
        lines: texts(&lines),
        conditions: texts(&conditions),
        needs: texts(&needs),
        unless: texts(&unless),
        program: printed_by.or(program.map(|program| program.name.text.clone())).unwrap_or_default(),
        marks: program.map(|program| program.marks.clone()).unwrap_or_default(),
        means: with_names(inline(world, &means)),
        remedy: with_names(inline(world, &remedy)),
        section: section(world, &place).map(|place| chapter(course, &place)).unwrap_or_default(),
        figure: figure(world, &table.text("figure")).unwrap_or_default(),
        exercise: exercise(world, &table.text("exercise")),
    };
    table.finish();
    sign
}

/// What `kind` may be.
const KINDS: [(&str, SignKind); 4] = [
    ("cause", SignKind::Cause),
    ("possible", SignKind::Possible),
    ("consequence", SignKind::Consequence),
    ("note", SignKind::Note),
];

/// The names in braces.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

fn chapter(course: &Course, place: &str) -> Place {
    let (slug, anchor) = place.split_once('#').unwrap_or((place, ""));
    let title = course.chapter(slug).map(|c| format!("{:02} {}", c.number, c.title)).unwrap_or_default();
    Place { title, href: format!("chapter/{slug}/#{anchor}") }
}

fn exercise(world: &World<'_>, id: &Located<'_>) -> Place {
    world.names.resolve(Kind::Exercise, &id.text, id.spot(0), world.sink);
    let chapter = world.exercises.get(&id.text).map_or("", |head| head.chapter.as_str());
    Place { title: "An exercise about it".to_owned(), href: format!("chapter/{chapter}/#exercise-{}", id.text) }
}

/// The braces around the names of what is kept, which Markdown escapes.
fn with_names(html: Html) -> Html {
    Html(html.0.replace("&#123;", "{").replace("&#125;", "}"))
}
