//! `labs/<nn-slug>/lab.md`: what is run on one's own machine, with its script and what that printed once.

use ringside_core::lab;

use super::ids;
use crate::markdown;
use crate::markdown::scan::Scan;
use crate::names::Kind;
use crate::source::{SourceFile, Spot};
use crate::toml_reader::Document;
use crate::world::{World, slug_of};

/// A lab, read and checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lab {
    /// Its number, from the name of its folder.
    pub(crate) number: String,
    /// What its page, its block and `core::lab` call it.
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) question: String,
    pub(crate) minutes: u32,
    /// The chapters that it goes with.
    pub(crate) chapters: Vec<String>,
    pub(crate) predictions: Vec<Prediction>,
    pub(crate) runs: Vec<Run>,
    /// The name of its script, and the script.
    pub(crate) script: (String, String),
    /// What the script printed once.
    pub(crate) output: String,
    /// The text: what comes before the first heading, and the rest.
    pub(crate) text: (String, String),
    /// The text as Markdown that any reader of Markdown shows: what links into the site is words alone.
    pub(crate) markdown: String,
}

impl Lab {
    /// What has to be installed for its script.
    pub(crate) fn needs(&self) -> &'static str {
        if self.script.1.contains("import deepspeed") { "PyTorch and DeepSpeed" } else { "PyTorch" }
    }
}

/// A number to be predicted.
#[derive(Debug, Clone)]
pub(crate) struct Prediction {
    /// The row of the result that it is about (`core::lab::Row::what`).
    pub(crate) row: String,
    /// The question.
    pub(crate) ask: String,
}

/// How the script is run on one kind of machine.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// On what.
    pub(crate) on: String,
    /// The command.
    pub(crate) command: String,
}

/// The most lines of a script: it is read from top to bottom.
const LINES: usize = 170;

/// All labs, in the order of their numbers.
pub(crate) fn labs(world: &World<'_>) -> Vec<Lab> {
    world.tree.labs().iter().filter_map(|folder| read(world, folder)).collect()
}

fn read(world: &World<'_>, folder: &str) -> Option<Lab> {
    let path = format!("labs/{folder}/lab.md");
    let Some(file) = world.tree.file(&path) else {
        let missing = SourceFile::missing(path);
        world.sink.report(missing.spot(0), "This folder is a lab’s, and the text is missing here.");
        return None;
    };
    let slug = slug_of(folder).to_owned();
    let scan = Scan::new(file);
    let Some(front) = &scan.front else {
        world.sink.report(file.spot(0), "A lab begins with front matter: TOML between two lines `+++`.");
        return None;
    };
    let document = Document::parse(front, world.sink);
    let mut table = document.root();
    let number = folder.strip_suffix(&slug).unwrap_or_default().trim_end_matches('-').to_owned();
    let mut lab = Lab { number, slug, ..Lab::default() };
    lab.title = table.string("title");
    lab.question = table.string("question");
    lab.minutes = table.number("minutes", 1..=600) as u32;
    lab.chapters = ids(world, &mut table, "chapters", Kind::Chapter);
    let script = table.text("script");
    let at = script.spot(0);
    lab.script = (script.text.clone(), beside(world, folder, &script.text, at));
    lab.output = beside(world, folder, "output.txt", file.spot(0));
    let rows = rows(world, &lab, file);
    for mut asked in table.tables("predict") {
        let row = asked.text("row");
        if !rows.contains(&row.text) {
            let names: Vec<&str> = rows.iter().map(String::as_str).collect();
            let message = format!("What the script printed has no row “{}”.", row.text);
            world.sink.report_near(row.spot(0), message, &row.text, &names);
        }
        lab.predictions.push(Prediction { row: row.text, ask: asked.string("ask") });
        asked.finish();
    }
    for mut run in table.tables("run") {
        lab.runs.push(Run { on: run.string("on"), command: run.string("command").trim().to_owned() });
        run.finish();
    }
    table.finish();
    if lab.script.1.lines().count() > LINES {
        world.sink.report(at, format!("A script has at most {LINES} lines, so that it is read to its end."));
    }
    let html = markdown::page(world, &scan).html;
    let end = html.find("<h2").unwrap_or(html.len());
    let (before, rest) = html.split_at(end);
    lab.markdown = markdown::portable(&scan.body.text);
    lab.text = (before.to_owned(), rest.to_owned());
    Some(lab)
}

/// A file in the lab's folder.
fn beside(world: &World<'_>, folder: &str, name: &str, at: Spot<'_>) -> String {
    let path = format!("labs/{folder}/{name}");
    match world.tree.file(&path) {
        Some(file) => file.text.clone(),
        None => {
            world.sink.report(at, format!("The file {path} is missing."));
            String::new()
        }
    }
}

/// The rows that `core` makes of what the script printed.
fn rows(world: &World<'_>, lab: &Lab, file: &SourceFile) -> Vec<String> {
    match lab::read(&lab.output, Some(&lab.slug)) {
        Ok(held) => held.rows.into_iter().map(|row| row.what).collect(),
        Err(why) => {
            world.sink.report(file.spot(0), format!("The stored output.txt cannot be read: {}", why.join(" ")));
            Vec::new()
        }
    }
}
