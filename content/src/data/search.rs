//! `search.toml`: what people call things when they search; `questions.toml`: what they asked, and where the answer is. A course may be without
//! these files.

use super::read;
use crate::source::Located;
use crate::world::World;

/// What people call things.
#[derive(Debug, Default)]
pub(crate) struct Searched<'a> {
    /// Phrases that mean the same: all of a list count as its first.
    pub(crate) same: Vec<Vec<String>>,
    /// Places, and what people call their subjects.
    pub(crate) places: Vec<(Located<'a>, String)>,
    /// The pages that answer a question, and the question.
    pub(crate) questions: Vec<(Vec<Located<'a>>, String)>,
}

/// What people call things.
pub(crate) fn searched<'a>(world: &World<'a>) -> Searched<'a> {
    let is_there = |file: &str| world.tree.file(file).is_some();
    let called = if is_there("search.toml") { called(world) } else { Searched::default() };
    Searched { questions: if is_there(QUESTIONS) { questions(world) } else { Vec::new() }, ..called }
}

const QUESTIONS: &str = "questions.toml";

/// The questions, without those that only say how good the search is.
fn questions<'a>(world: &World<'a>) -> Vec<(Vec<Located<'a>>, String)> {
    read(world, QUESTIONS, |root| {
        // They have no answer here: what the search makes of them is for a test to say.
        root.texts("none");
        root.texts("foreign");
        let questions = root.tables("question").into_iter().filter_map(|mut table| {
            let question = (table.texts("at"), table.string("ask"));
            let is_held = table.flag("held") | table.flag("last");
            table.finish();
            (!is_held).then_some(question)
        });
        questions.collect()
    })
}

fn called<'a>(world: &World<'a>) -> Searched<'a> {
    read(world, "search.toml", |root| {
        let phrases = |line: Located<'_>| line.text.split(',').map(|phrase| phrase.trim().to_owned()).collect();
        let same = root.texts("same").into_iter().map(phrases).collect();
        let places = root.tables("place").into_iter().map(|mut table| {
            let place = (table.text("at"), table.string("words"));
            table.finish();
            place
        });
        Searched { same, places: places.collect(), questions: Vec::new() }
    })
}
