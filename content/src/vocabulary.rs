//! What a chapter can name: the names of the course, of the catalogue and of the kinds of exercises.

use ringside_core::catalogue::{self, Entry};
use ringside_core::exercise::Kind as Exercise;
use ringside_core::query::Kind as Values;

use crate::diagnostic::{Mode, Sink};
use crate::names::Kind;
use crate::schema::{ModelWords, ParameterWords, Vocabulary};
use crate::source::Tree;
use crate::world::World;

/// What a chapter of this course can name.
pub fn vocabulary(tree: &Tree) -> Vocabulary {
    let sink = Sink::default();
    let world = World::survey(tree, &sink, Mode::Lenient);
    let all = |kind| world.names.all(kind).map(|(id, _)| id.to_owned()).collect();
    Vocabulary {
        models: catalogue::ALL.iter().map(|entry| (entry.id.to_owned(), model(entry))).collect(),
        terms: all(Kind::Term),
        sources: all(Kind::Source),
        chapters: all(Kind::Chapter),
        skills: all(Kind::Skill),
        kinds: Exercise::NAMES.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn model(entry: &Entry) -> ModelWords {
    let parameter = |spec: &ringside_core::query::ParamSpec| {
        let values = match spec.kind {
            Values::Choice(options) => options.iter().map(|id| (*id).to_owned()).collect(),
            _ => Vec::new(),
        };
        (spec.name.to_owned(), ParameterWords { means: spec.doc.to_owned(), values })
    };
    ModelWords {
        title: entry.title.to_owned(),
        parameters: entry.specs().into_iter().map(parameter).collect(),
        quantities: entry.quantities().map(|(id, label, _)| (id.to_owned(), label.to_owned())).collect(),
    }
}
