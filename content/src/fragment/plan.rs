//! The four-week plan as a schedule.

use super::{ids, time, to_chapter};
use crate::html::escape;
use crate::schema::{Block, Course, Readings, Source, Week};
use crate::words;

/// The weeks.
pub(super) fn section(course: &Course, readings: &Readings) -> String {
    let weeks: String = course.plan.iter().map(|w| week(w, course, readings)).collect();
    format!(
        "<section id=\"plan\" aria-labelledby=\"plan-title\">\n<h2 id=\"plan-title\">Four weeks, thirty days</h2>\n\
         <ol class=\"weeks\">\n{weeks}</ol>\n</section>\n"
    )
}

/// A block's sources, in its order.
fn sources<'a>(block: &'a Block, readings: &'a Readings) -> impl Iterator<Item = &'a Source> + Clone {
    block.sources.iter().filter_map(|id| readings.sources.iter().find(|s| s.id == *id))
}

fn week(week: &Week, course: &Course, readings: &Readings) -> String {
    let blocks: String = week.blocks.iter().map(|b| block(b, course, readings)).collect();
    // What can be done in this week: its sources, and its chapters, written or not.
    let read: Vec<&Source> = week.blocks.iter().flat_map(|b| sources(b, readings)).collect();
    let work: Vec<String> = week.blocks.iter().flat_map(|b| &b.chapters).map(|slug| escape(slug)).collect();
    let (number, all) = (week.number, read.len() + work.len());
    format!(
        "<li class=\"week\"><div class=\"week-head\"><h3><span class=\"sans\">Week {number}</span> {}</h3><p>{}</p>\n\
         <p class=\"foot sans\" data-tally data-sources=\"{}\" data-chapters=\"{}\">\
         <progress max=\"{all}\" value=\"0\" aria-label=\"Week {number}\"></progress> \
         <span><span data-n>0</span> of {all} done</span> \
         <a href=\"./?week={number}#sources\">All sources of week {number}</a></p></div>\n\
         <ol class=\"blocks\">\n{blocks}</ol></li>\n",
        escape(&week.title),
        week.goal.0,
        ids(read),
        work.join(" "),
    )
}

fn block(block: &Block, course: &Course, readings: &Readings) -> String {
    let [first, last] = block.days;
    let chapters: String = block.chapters.iter().filter_map(|slug| course.chapter(slug)).map(to_chapter).collect();
    let of_block = sources(block, readings);
    let list: String = of_block.clone().map(to_source).collect();
    format!(
        "<li class=\"block\"><p class=\"days sans\">Days <b>{first}–{last}</b></p>\n\
         <div class=\"study\"><h4>{}</h4><p>{}</p>\n<div class=\"to-do sans\">\
         <div><h5>Work through</h5><ul>\n{chapters}</ul></div>\n\
         <div><h5>Read, {}</h5><ul>\n{list}</ul></div></div></div></li>\n",
        escape(&block.title),
        block.concept.0,
        time(of_block),
    )
}

/// A source as an item of the schedule: a tick, a link, its time.
fn to_source(source: &Source) -> String {
    let title = escape(&source.title);
    format!(
        "<li class=\"to-source\" data-source=\"{}\"><input type=\"checkbox\" data-tick autocomplete=\"off\" aria-label=\"Read: {title}\">\
         <a href=\"{}\" rel=\"noopener external\">{title}</a><small>{}</small></li>\n",
        escape(&source.id),
        escape(&source.url),
        words::duration(source.minutes),
    )
}
