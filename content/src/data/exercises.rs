//! `exercises.toml` of a chapter: exercises as `core` declares them, their Markdown rendered.

use ringside_core::exercise::{Exercise, Kind as ExerciseKind, MistakeDef};

use crate::markdown;
use crate::names::Kind;
use crate::source::{Located, SourceFile, Spot};
use crate::toml_reader::{Document, Table};
use crate::world::World;

/// An exercise, rendered.
#[derive(Debug, Clone)]
pub(crate) struct ChapterExercise<'a> {
    pub(crate) exercise: Exercise,
    /// Its prompt without markup.
    pub(crate) plain: String,
    pub(crate) spot: Spot<'a>,
}

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
    if !(1..=3).contains(&exercise.level) {
        sink.report(table.spot_of("level"), "`level` must be 1, 2 or 3.");
    }
    if let Some(model) = &exercise.model {
        world.names.resolve(Kind::Widget, model, table.spot_of("model"), sink);
    }
    if let ExerciseKind::Predict(predict) = &exercise.kind {
        let figures = world.scans.get(slug).map_or(&[][..], |s| &s.figures);
        let place = table.spot_of("unlocks");
        match figures.iter().find(|f| f.id == predict.unlocks) {
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
                let message = format!("There is no figure “#{}” in this chapter to unlock.", predict.unlocks);
                sink.report_near(place, message, &predict.unlocks, &ids);
            }
        }
    }
    validate(world, &exercise, &table);

    let prompt = table.text("prompt");
    let rendered = markdown::template(world, slug, &prompt, false);
    exercise.prompt = rendered.html.0;
    render_all(world, slug, &mut exercise.hints, &table.texts("hints"));
    render_all(world, slug, &mut exercise.solution, &table.texts("solution"));
    match &mut exercise.kind {
        ExerciseKind::Number(number) => mistakes(world, slug, &mut number.mistakes, &mut table),
        ExerciseKind::Predict(predict) => {
            predict.reveal = block(world, slug, &table.text("reveal"));
            mistakes(world, slug, &mut predict.number.mistakes, &mut table);
        }
        ExerciseKind::Choice(choice) => {
            for (option, mut at) in choice.options.iter_mut().zip(table.tables("options")) {
                option.text = markdown::template(world, slug, &at.text("text"), true).html.0;
                option.say = at.optional_text("say").map(|t| block(world, slug, &t)).unwrap_or_default();
            }
        }
    }
    Some(ChapterExercise { exercise, plain: rendered.plain, spot })
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

fn block(world: &World<'_>, slug: &str, text: &Located<'_>) -> String {
    markdown::template(world, slug, text, false).html.0
}

/// What `core` has to say about the exercise itself.
fn validate(_world: &World<'_>, _exercise: &Exercise, _table: &Table<'_, '_>) {}
