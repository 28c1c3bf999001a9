//! The five layers of understanding: the question that each answers, and the chapters that answer it.

use super::{ids, progress as done, time, to_chapter_with};
use crate::html::escape;
use crate::schema::{Chapter, Course, Layer, Readings};
use crate::words;

const AROUND: &str = "Around the layers";
const AROUND_QUESTION: &str =
    "What goes on around all five: the budget before, the weeks during, and the model’s work after?";

/// The map: one band for each layer, and one for what belongs to none, with what the learner has done of it.
pub(super) fn section(course: &Course, readings: &Readings) -> String {
    let mut bands = String::new();
    for layer in &course.layers {
        let chapters = course.chapters().filter(|c| c.layers.contains(&layer.id));
        let number = layer.id.to_string();
        bands.push_str(&band(&number, &layer.title, &layer.question, &foot(layer, readings), chapters));
    }
    let around = || course.chapters().filter(|c| c.layers.is_empty());
    if around().next().is_some() {
        bands.push_str(&band("", AROUND, AROUND_QUESTION, "", around()));
    }
    format!(
        "<section id=\"layers\" aria-labelledby=\"layers-title\">\n\
         <h2 id=\"layers-title\">Five layers of understanding</h2>\n<ol class=\"layers\">\n{bands}</ol>\n</section>\n"
    )
}

fn band<'a>(
    number: &str,
    title: &str,
    question: &str,
    foot: &str,
    chapters: impl Iterator<Item = &'a Chapter>,
) -> String {
    let chapters: Vec<&Chapter> = chapters.collect();
    let progress = progress(title, &chapters);
    let chapters: String = chapters.into_iter().map(|c| to_chapter_with(c, &done(c))).collect();
    format!(
        "<li class=\"layer\"><i class=\"numeral\" aria-hidden=\"true\">{number}</i>\n\
         <div class=\"asks\"><h3>{}</h3><p>{}</p>{progress}{foot}</div>\n\
         <ul class=\"on-layer sans\">\n{chapters}</ul></li>\n",
        escape(title),
        escape(question),
    )
}

/// How much of a band the learner has done, chapter by chapter.
fn progress(title: &str, chapters: &[&Chapter]) -> String {
    let slugs: Vec<String> = chapters.iter().map(|chapter| escape(&chapter.slug)).collect();
    let all = slugs.len();
    format!(
        "\n<p class=\"foot sans\" data-tally data-sources=\"\" data-chapters=\"{}\">\
         <progress max=\"{all}\" value=\"0\" aria-label=\"{}\"></progress> <span><span data-n>0</span> of {} done</span></p>",
        slugs.join(" "),
        escape(title),
        words::count(all, "chapter", "chapters"),
    )
}

/// How many sources there are for a layer, and how many of them are read.
fn foot(layer: &Layer, readings: &Readings) -> String {
    let of_layer = || readings.sources.iter().filter(|s| s.layers.contains(&layer.id));
    format!(
        "\n<p class=\"foot sans\"><a href=\"./?layer={}#sources\">{}</a> to read, {}\
         <span data-tally=\"some\" data-sources=\"{}\" hidden>, <span data-n></span> read</span></p>",
        layer.id,
        words::count(of_layer().count(), "source", "sources"),
        time(of_layer()),
        ids(of_layer()),
    )
}
