//! `exercises.toml` of a chapter: exercises as `core` declares them, their Markdown rendered.
//!
//! The file is a list of `[[exercise]]` with the fields of [`Exercise`] and of its kind; CONTRIBUTING.md has an example of
//! each. These are Markdown with `{…}` for computed numbers, of one line or of several blocks:
//!
//! | kind | one line | blocks |
//! |---|---|---|
//! | all | | `prompt`, `hints`, `solution` |
//! | number | | `mistake.say` |
//! | choice | `options.text` | `options.say` |
//! | predict | | `reveal`, `mistake.say` |
//! | sketch | | `reveal` |
//! | order | `items.text` | `items.say`, `say` |
//! | match | `pairs.left`, `pairs.right`, `extra` | `pairs.say` |
//! | label | `parts.text` | `parts.say` |
//! | task | `goals.text` | `say` |
//! | trace | `causes.text`, `changes.text` | `causes.say`, `changes.say` |
//! | explain | `rubric` | `model_answer` |
//! | kernel | | `say` |

use ringside_core::exercise::{
    Exercise, Kind as ExerciseKind, MistakeDef, OptionDef, Template, by_catalogue, environment, validate,
};

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
        }
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

    let prompt = table.text("prompt");
    exercise.prompt = block(world, slug, &prompt);
    render_all(world, slug, &mut exercise.hints, &table.texts("hints"));
    render_all(world, slug, &mut exercise.solution, &table.texts("solution"));
    match &mut exercise.kind {
        ExerciseKind::Number(number) => mistakes(world, slug, &mut number.mistakes, &mut table),
        ExerciseKind::Predict(predict) => {
            predict.reveal = block(world, slug, &table.text("reveal"));
            mistakes(world, slug, &mut predict.number.mistakes, &mut table);
        }
        ExerciseKind::Choice(choice) => {
            options(world, slug, &mut choice.options, table.tables("options"));
        }
        ExerciseKind::Sketch(sketch) => sketch.reveal = block(world, slug, &table.text("reveal")),
        ExerciseKind::Order(order) => {
            order.say = block(world, slug, &table.text("say"));
            for (item, mut at) in order.items.iter_mut().zip(table.tables("items")) {
                item.text = inline(world, slug, &at.text("text"));
                item.say = block(world, slug, &at.text("say"));
            }
        }
        ExerciseKind::Match(pairs) => {
            for (pair, mut at) in pairs.pairs.iter_mut().zip(table.tables("pairs")) {
                pair.left = inline(world, slug, &at.text("left"));
                pair.right = listed(world, slug, &at.text("right"));
                pair.say = block(world, slug, &at.text("say"));
            }
            for (extra, text) in pairs.extra.iter_mut().zip(table.texts("extra")) {
                *extra = listed(world, slug, &text);
            }
        }
        ExerciseKind::Label(label) => {
            for (part, mut at) in label.parts.iter_mut().zip(table.tables("parts")) {
                part.text = listed(world, slug, &at.text("text"));
                part.say = block(world, slug, &at.text("say"));
            }
        }
        ExerciseKind::Task(task) => {
            task.say = block(world, slug, &table.text("say"));
            for (goal, mut at) in task.goals.iter_mut().zip(table.tables("goals")) {
                goal.text = inline(world, slug, &at.text("text"));
            }
        }
        ExerciseKind::Trace(trace) => {
            options(world, slug, &mut trace.causes, table.tables("causes"));
            for (change, mut at) in trace.changes.iter_mut().zip(table.tables("changes")) {
                change.text = inline(world, slug, &at.text("text"));
                change.say = block(world, slug, &at.text("say"));
            }
        }
        ExerciseKind::Explain(explain) => {
            explain.model_answer = block(world, slug, &table.text("model_answer"));
            for (point, text) in explain.rubric.iter_mut().zip(table.texts("rubric")) {
                *point = inline(world, slug, &text);
            }
        }
        ExerciseKind::Kernel(kernel) => kernel.say = block(world, slug, &table.text("say")),
    }
    // As rendered, since LaTeX has braces of its own; what is checked is what the browser fills.
    let evaluate = by_catalogue(&exercise);
    for message in validate(&exercise, &evaluate, SEEDS) {
        let place = place_of(&message, &mut table);
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
fn place_of<'a>(message: &str, table: &mut Table<'a, '_>) -> Spot<'a> {
    let field = message.split(':').next().unwrap_or_default();
    let (whole, part) = field.split_once(", ").map_or((field, ""), |(w, p)| (w, p));
    let (name, number) = match whole.rsplit_once(' ').map(|(name, n)| (name, n.parse::<usize>())) {
        Some((name, Ok(n))) => (name, n.checked_sub(1)),
        _ => (whole, None),
    };
    let nth_text = |texts: Vec<Located<'a>>| number.and_then(|n| texts.get(n).map(|t| t.spot(0)));
    let nth_table = |tables: Vec<Table<'a, '_>>| {
        number.and_then(|n| tables.get(n).map(|t| if part.is_empty() { t.spot() } else { t.spot_of(part) }))
    };
    let found = match name {
        "hint" => nth_text(table.texts("hints")),
        "solution step" => nth_text(table.texts("solution")),
        "mistake" => nth_table(table.tables("mistake")),
        "extra" => nth_text(table.texts("extra")),
        "rubric" => nth_text(table.texts("rubric")),
        "option" => nth_table(table.tables("options")),
        "item" => nth_table(table.tables("items")),
        "pair" => nth_table(table.tables("pairs")),
        "part" => nth_table(table.tables("parts")),
        "goal" => nth_table(table.tables("goals")),
        "win" => nth_table(table.tables("wins")),
        "cause" => nth_table(table.tables("causes")),
        "change" => nth_table(table.tables("changes")),
        _ => None,
    };
    found.unwrap_or_else(|| table.spot_of(name))
}

fn render_all(world: &World<'_>, slug: &str, fields: &mut [String], texts: &[Located<'_>]) {
    for (field, text) in fields.iter_mut().zip(texts) {
        *field = block(world, slug, text);
    }
}

fn mistakes(world: &World<'_>, slug: &str, mistakes: &mut [MistakeDef], table: &mut Table<'_, '_>) {
    for (mistake, mut at) in mistakes.iter_mut().zip(table.tables("mistake")) {
        mistake.say = block(world, slug, &at.text("say"));
    }
}

fn options(world: &World<'_>, slug: &str, options: &mut [OptionDef], tables: Vec<Table<'_, '_>>) {
    for (option, mut at) in options.iter_mut().zip(tables) {
        option.text = inline(world, slug, &at.text("text"));
        option.say = at.optional_text("say").map(|t| block(world, slug, &t)).unwrap_or_default();
    }
}

fn inline(world: &World<'_>, slug: &str, text: &Located<'_>) -> String {
    markdown::template(world, slug, text, true).0
}

/// For a list to choose from, which shows text and nothing else.
fn listed(world: &World<'_>, slug: &str, text: &Located<'_>) -> String {
    let html = inline(world, slug, text);
    if html.contains("<math") {
        world.sink.report(text.spot(0), "A list to choose from shows no formulas: write it in letters.");
    }
    html
}

fn block(world: &World<'_>, slug: &str, text: &Located<'_>) -> String {
    markdown::template(world, slug, text, false).0
}
