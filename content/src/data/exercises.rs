//! `exercises.toml` of a chapter: exercises as `core` declares them, their Markdown rendered.
//!
//! The file is a list of `[[exercise]]` with the fields of [`Exercise`] and of its kind; CONTRIBUTING.md has an example of
//! each. `prompt`, `hints` and `solution` are Markdown with `{…}` for computed numbers, and so are the templates of its kind
//! (`texts` in `core/src/exercise/<kind>.rs`).

use ringside_core::catalogue;
use ringside_core::exercise::export::Picture;
use ringside_core::exercise::{Exercise, Form, Template, Value, environment, validate};
use ringside_core::query::Query;
use ringside_drawing::chart::Frame;
use ringside_drawing::chart::ink::Theme;
use ringside_drawing::pictures;

use crate::diagnostic::Mode;
use crate::drawn::drawn;
use crate::evaluated;
use crate::html::text_of;
use crate::markdown;
use crate::names::Kind;
use crate::schema::{Html, Indexed};
use crate::source::{Located, SourceFile, Spot};
use crate::toml_reader::{Document, Table};
use crate::world::World;

/// An exercise, rendered.
#[derive(Debug, Clone)]
pub(crate) struct ChapterExercise<'a> {
    pub(crate) exercise: Exercise,
    /// Its prompt with the numbers as written in the file: what stands in the page until the app is there.
    pub(crate) prompt: Html,
    /// The same without markup.
    pub(crate) plain: String,
    pub(crate) spot: Spot<'a>,
}

impl ChapterExercise<'_> {
    /// Its title, or the beginning of its prompt.
    pub(crate) fn title(&self) -> String {
        self.exercise.title.clone().unwrap_or_else(|| self.plain.chars().take(60).collect())
    }

    /// The exercise in short.
    pub(crate) fn indexed(&self, slug: &str) -> Indexed {
        Indexed {
            key: format!("{slug}/{}", self.exercise.id),
            title: self.title(),
            kind: self.exercise.kind.name().to_owned(),
            skill: self.exercise.skill.clone(),
            level: self.exercise.level,
            puzzle: self.puzzle().to_owned(),
            aside: false,
        }
    }

    /// The figure that its prompt points at, as a file.
    pub(crate) fn picture(&self) -> Option<Picture> {
        let (id, query) = state_of(self.exercise.figure.as_deref()?);
        let svg = pictures::of(id, &query)?.in_colours(ROOM, &Theme::light());
        // Its label would say what it comes to.
        Some(Picture { alt: format!("Figure: {}", catalogue::find(id)?.title), svg })
    }

    /// The puzzle of a workbench that it is; empty for none.
    fn puzzle(&self) -> &str {
        let written = matches!(self.exercise.kind.name(), "kernel" | "program");
        self.exercise.params.get("puzzle").filter(|_| written).map(Value::as_str).unwrap_or_default()
    }
}

/// How many draws of its parameters an exercise is tried with.
const SEEDS: u64 = 200;

/// The exercises of a chapter, in order.
pub(crate) fn exercises<'a>(world: &World<'a>, slug: &str, file: &'a SourceFile) -> Vec<ChapterExercise<'a>> {
    let text = file.located();
    let document = Document::parse(&text, world.sink);
    let mut root = document.root();
    let exercises = root.tables("exercise").into_iter().filter_map(|t| exercise(world, slug, t)).collect();
    root.finish();
    exercises
}

/// The room of a picture in an export, in pixels.
const ROOM: Frame = Frame { width: 720.0, height: 360.0, text: 13.0, pixel: 1.0 };

/// A figure and its state, of `<id>?<query>`.
fn state_of(figure: &str) -> (&str, Query) {
    let (id, query) = figure.split_once('?').unwrap_or((figure, ""));
    (id, Query::parse(query))
}

fn exercise<'a>(world: &World<'a>, slug: &str, mut table: Table<'a, '_>) -> Option<ChapterExercise<'a>> {
    let spot = table.spot();
    let mut exercise: Exercise = table.decode()?;
    let sink = world.sink;
    world.names.resolve(Kind::Skill, &exercise.skill, table.spot_of("skill"), sink);
    if let Some(unlocks) = exercise.kind.unlocks() {
        let figures = world.scans.get(slug).map_or(&[][..], |s| &s.figures);
        let place = table.spot_of("unlocks");
        match figures.iter().find(|f| f.id == unlocks) {
            Some(figure) if figure.after.as_deref() != Some(&exercise.id) => {
                let message = format!(
                    "The figure “#{}” does not wait for this exercise; its fence needs `after={}`.",
                    figure.id, exercise.id
                );
                sink.report(place, message);
            }
            Some(_) => {}
            None => {
                let ids: Vec<&str> = figures.iter().map(|f| f.id.as_str()).collect();
                let message = format!("There is no figure “#{unlocks}” in this chapter to unlock.");
                sink.report_near(place, message, unlocks, &ids);
            }
        }
    }

    if let Some(figure) = &exercise.figure {
        let (id, query) = state_of(figure);
        // Drawn once, where it is the same as before; the file is made with the site.
        if drawn(id, &query, ROOM).is_none() {
            let message =
                format!("“{figure}” has no picture; write a figure and its state, such as `ring-all-reduce?ranks=4`.");
            sink.report(table.spot_of("figure"), message);
        }
    }
    let prompt = table.text("prompt");
    exercise.prompt = block(world, slug, &prompt);
    render_all(world, slug, &mut exercise.hints, &table.texts("hints"));
    render_all(world, slug, &mut exercise.solution, &table.texts("solution"));
    exercise.kind.visit_texts(&mut |field, text| {
        let source = match field.list {
            None => Some(table.text(field.name)),
            Some((list, i)) if field.name.is_empty() => table.texts(list).into_iter().nth(i),
            Some((list, i)) => table.tables(list).get_mut(i).and_then(|at| at.optional_text(field.name)),
        };
        *text = source.map(|source| template(world, slug, field.form, &source)).unwrap_or_default();
    });
    // As rendered, since LaTeX has braces of its own; what is checked is what the browser fills.
    let evaluate = evaluated::of_exercise(&exercise);
    let seeds = if world.mode == Mode::Quick { 1 } else { SEEDS };
    for message in validate(&exercise, &evaluate, seeds) {
        let place = place_of(&message, &table);
        sink.report(place, message);
    }
    let filled =
        environment(&exercise, &exercise.query(), &evaluate).and_then(|e| Template::fill(&exercise.prompt, &e));
    let prompt = Html(filled.unwrap_or_else(|_| exercise.prompt.clone()));
    let plain = text_of(&prompt).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(ChapterExercise { exercise, prompt, plain, spot })
}

/// Where to say a message of `core`'s, which begins with the field that it is about: `prompt: …`, `hint 2: …`,
/// `mistake 1, say: …`.
fn place_of<'a>(message: &str, table: &Table<'a, '_>) -> Spot<'a> {
    let field = message.split(':').next().unwrap_or_default();
    let (whole, part) = field.split_once(", ").unwrap_or((field, ""));
    let nth = whole.rsplit_once(' ').and_then(|(name, n)| Some((name, n.parse::<usize>().ok()?.checked_sub(1)?)));
    let found = nth.and_then(|(name, n)| {
        let list = name.strip_suffix(" step").unwrap_or(name);
        // One of `options` is called an option.
        table.spot_in(list, n, part).or_else(|| table.spot_in(&format!("{list}s"), n, part))
    });
    found.unwrap_or_else(|| table.spot_of(nth.map_or(whole, |(name, _)| name)))
}

fn render_all(world: &World<'_>, slug: &str, fields: &mut [String], texts: &[Located<'_>]) {
    for (field, text) in fields.iter_mut().zip(texts) {
        *field = block(world, slug, text);
    }
}

fn template(world: &World<'_>, slug: &str, form: Form, text: &Located<'_>) -> String {
    let html = markdown::template(world, slug, text, form != Form::Blocks).0;
    if form == Form::Listed && html.contains("<math") {
        world.sink.report(text.spot(0), "A list to choose from shows no formulas: write it in letters.");
    }
    html
}

fn block(world: &World<'_>, slug: &str, text: &Located<'_>) -> String {
    template(world, slug, Form::Blocks, text)
}
