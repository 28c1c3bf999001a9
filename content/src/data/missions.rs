//! `missions/<nn-slug>.toml`: missions as `core` declares them, their Markdown rendered.
//!
//! AUTHORING.md says what may stand in one. Names, expressions and conditions are tried by playing it: see `core::mission::validate`.

use ringside_core::mission::{Mission, Models, validate};

use crate::diagnostic::Mode;
use crate::html::text_of;
use crate::markdown;
use crate::names::Kind;
use crate::schema::Html;
use crate::source::{Located, SourceFile, Spot};
use crate::toml_reader::{Document, Table};
use crate::world::{World, slug_of};

/// A mission, rendered, with where it is found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listed {
    /// Its number, from the name of its file.
    pub(crate) number: String,
    /// What its page is called.
    pub(crate) slug: String,
    /// It. Its texts are HTML templates.
    pub(crate) mission: Mission,
    /// Its brief with the numbers of the default seed.
    pub(crate) brief: String,
}

/// All missions, in the order of their numbers.
pub(crate) fn missions(world: &World<'_>) -> Vec<Listed> {
    world.tree.files_in("missions").filter_map(|file| read(world, file)).collect()
}

fn read(world: &World<'_>, file: &SourceFile) -> Option<Listed> {
    let name = file.path.strip_prefix("missions/").and_then(|name| name.strip_suffix(".toml"))?;
    let slug = slug_of(name).to_owned();
    let number = name.strip_suffix(&slug).unwrap_or_default().trim_end_matches('-').to_owned();
    let text = file.located();
    let document = Document::parse(&text, world.sink);
    let mut table = document.root();
    let mut mission: Mission = table.decode()?;
    for (i, decision) in table.tables("decision").into_iter().enumerate() {
        if let Some(chapter) = mission.decision.get(i).map(|d| d.chapter.clone()) {
            world.names.resolve(Kind::Chapter, &chapter, decision.spot_of("chapter"), world.sink);
        }
    }
    render(world, &slug, &mut mission, &mut table);
    let models = Models::all();
    let findings = if world.mode == Mode::Quick { Vec::new() } else { validate(&mission, &models) };
    for finding in findings {
        world.sink.report(spot_of(&finding.place, &table), finding.message);
    }
    let game = ringside_core::mission::Game::new(&mission, &models, ringside_core::mission::SEED);
    let brief = game.and_then(|game| game.fill(&mission.brief)).unwrap_or_else(|_| mission.brief.clone());
    Some(Listed { number, slug, mission, brief })
}

/// Where `decision 3` or `state 1` stands.
fn spot_of<'a>(place: &str, table: &Table<'a, '_>) -> Spot<'a> {
    let nth = place.split_once(' ').and_then(|(list, n)| Some((list, n.parse::<usize>().ok()?.checked_sub(1)?)));
    nth.and_then(|(list, n)| table.spot_in(list, n, "")).unwrap_or_else(|| table.spot())
}

/// Renders every text of a mission.
fn render<'a>(world: &World<'a>, slug: &str, mission: &mut Mission, table: &mut Table<'a, '_>) {
    let block = |text: &Located<'_>| markdown::template(world, slug, text, false).0;
    let one = |of: &mut Table<'a, '_>, key: &'static str| of.optional_text(key).map(|t| block(&t)).unwrap_or_default();
    mission.brief = one(table, "brief");
    mission.end = one(table, "end");
    for (decision, mut of) in mission.decision.iter_mut().zip(table.tables("decision")) {
        decision.ask = one(&mut of, "ask");
        decision.say = one(&mut of, "say");
        for (option, mut of) in decision.option.iter_mut().zip(of.tables("option")) {
            option.text =
                of.optional_text("text").map(|t| markdown::template(world, slug, &t, true).0).unwrap_or_default();
            option.say = one(&mut of, "say");
        }
        for (case, mut of) in decision.case.iter_mut().zip(of.tables("case")) {
            case.say = one(&mut of, "say");
        }
    }
}

impl Listed {
    /// The chapters that its decisions come from, each once.
    pub(crate) fn chapters(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for decision in &self.mission.decision {
            if !all.contains(&decision.chapter.as_str()) {
                all.push(&decision.chapter);
            }
        }
        all
    }

    /// Its brief without markup.
    pub(crate) fn plain(&self) -> String {
        text_of(&Html(self.brief.clone()))
    }
}
