//! `programs/<nn-slug>.toml`: puzzles of the ladder of programs as `core` declares them, their Markdown rendered.

use ringside_core::program::{Puzzle, figure};

use crate::markdown;
use crate::names::Kind;
use crate::source::SourceFile;
use crate::toml_reader::Document;
use crate::world::{World, slug_of};

/// The puzzles, in the order of their numbers. Their texts are HTML, and the wrong programs, which only tests need, are left out.
pub(crate) fn programs(world: &World<'_>) -> Vec<Puzzle> {
    world.tree.files_in("programs").filter_map(|file| read(world, file)).collect()
}

fn read(world: &World<'_>, file: &SourceFile) -> Option<Puzzle> {
    let name = file.path.strip_prefix("programs/").and_then(|name| name.strip_suffix(".toml"))?;
    let text = file.located();
    let document = Document::parse(&text, world.sink);
    let mut table = document.root();
    let mut puzzle: Puzzle = table.decode()?;
    puzzle.id = slug_of(name).to_owned();
    let spot = table.spot_of("title");
    match figure::find(&puzzle.id) {
        Some(named) if named.title == puzzle.title => {}
        Some(named) => {
            let message =
                format!("core/src/program/figure.rs calls this puzzle “{}”. Write the same title here.", named.title);
            world.sink.report(spot, message);
        }
        None => {
            let message = format!("core/src/program/figure.rs has no puzzle “{}”. Add it to `PUZZLES`.", puzzle.id);
            world.sink.report(spot, message);
        }
    }
    puzzle.chapter = slug_of(&puzzle.chapter).to_owned();
    world.names.resolve(Kind::Chapter, &puzzle.chapter, table.spot_of("chapter"), world.sink);
    let chapter = puzzle.chapter.clone();
    puzzle.task = markdown::template(world, &chapter, &table.text("task"), false).0;
    puzzle.say = markdown::template(world, &chapter, &table.text("say"), false).0;
    let hints = table.texts("hints");
    puzzle.hints = hints.iter().map(|hint| markdown::template(world, &chapter, hint, true).0).collect();
    puzzle.wrong.clear();
    Some(puzzle)
}
