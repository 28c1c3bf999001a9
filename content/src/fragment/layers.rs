//! The five layers of understanding: the question that each answers, and the chapters that answer it.

use super::{ids, time, to_chapter};
use crate::html::escape;
use crate::schema::{Chapter, Course, Layer, Readings};
use crate::words;

const AROUND: &str = "Around the layers";
const AROUND_QUESTION: &str =
    "What goes on around all five: the budget before, the weeks during, and the model’s work after?";

/// One band for each layer, and one for what belongs to none.
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
    let chapters: String = chapters.map(to_chapter).collect();
    format!(
        "<li class=\"layer\"><i class=\"numeral\" aria-hidden=\"true\">{number}</i>\n\
         <div class=\"asks\"><h3>{}</h3><p>{}</p>{foot}</div>\n\
         <ul class=\"on-layer sans\">\n{chapters}</ul></li>\n",
        escape(title),
        escape(question),
    )
}

/// How many sources there are for a layer, and how many of them are read.
fn foot(layer: &Layer, readings: &Readings) -> String {
    let of_layer = || readings.sources.iter().filter(|s| s.layers.contains(&layer.id));
    format!(
        "\n<p class=\"foot sans\"><a href=\"./?layer={}#sources\">{}</a>, {}\
         <span data-tally=\"some\" data-sources=\"{}\" hidden>, <span data-n></span> read</span></p>",
        layer.id,
        words::count(of_layer().count(), "source", "sources"),
        time(of_layer()),
        ids(of_layer()),
    )
}
