//! `home.html`: the reading map.

use super::missions::for_newcomers;
use super::{begin, chapters, layers, plan, sources};
use crate::data::{Lab, Listed};
use crate::html::escape;
use crate::schema::{Course, NotCovered, Page, Readings, Status};
use crate::words;
use ringside_core::practice::queue::MINUTES as PRACTICE;

/// The home page, with the live figure and a place for the list of sources.
pub(crate) fn home(course: &Course, readings: &Readings, missions: &[Listed], labs: &[Lab]) -> String {
    format!(
        "<article class=\"home\">\n<header class=\"hero\">\n{}{HALF_HOUR}{}</header>\n{}{}{}{}{}{}{}{}{}{}</article>\n",
        welcome(course, missions),
        on_this_page(course, readings),
        begin::live(course),
        begin::for_whom(),
        begin::more(course),
        layers::section(course, readings),
        begin::missions(missions),
        begin::labs(labs),
        chapters::section(course, readings),
        plan::section(course, readings),
        not_covered(&course.not_covered),
        sources::section(course, readings),
    )
}

/// What this is, where to start, and a mission for whoever has half an hour. For whoever has begun, the app says here what comes next.
fn welcome(course: &Course, missions: &[Listed]) -> String {
    let first = course.chapters().find(|chapter| chapter.status == Status::Written);
    let (href, start, minutes) = first.map_or_else(
        || ("./#chapters".to_owned(), words::START.to_owned(), String::new()),
        |c| (c.href(), format!("{}: {}", words::START, c.title), words::duration(c.minutes)),
    );
    let short = for_newcomers(missions).find(|one| one.mission.minutes <= 30);
    let half_hour = short.map_or_else(String::new, |one| {
        format!(
            " <span class=\"half-hour\">Only half an hour? <a href=\"mission/{}/\">Play mission {}: {}</a>. Trained on one GPU? {}.</span>",
            escape(&one.slug),
            escape(&one.number),
            escape(&one.mission.title),
            begin::to_chapter(course, "memory-accounting", "Begin with memory")
        )
    });
    format!(
        "<div class=\"welcome\">\n<h1>Ringside</h1>\n\
         <p class=\"lede\">A lab on how large language models are trained and served on many GPUs: figures that compute as \
         you drag, exercises that say what went wrong, and the papers behind both.</p>\n\
         {}<p class=\"start sans\"><a class=\"button\" href=\"{}\">{}</a> <span class=\"minutes\">{minutes}</span> \
         <a class=\"button practice-now\" href=\"practice/now/\">Practice now · {PRACTICE} min</a> \
         <span class=\"all-done\" hidden>Every chapter written so far is done. \
         <a href=\"./?priority=3&amp;read=no#sources\">Read what they stand on</a></span>{half_hour}</p>\n\
         <p class=\"placed sans\"><span>Not new to this?</span> <a href=\"{}/\">{}</a> <span>in about five minutes.</span></p>\n\
         <p class=\"done-so-far sans\"></p>\n</div>\n",
        ask(),
        escape(&href),
        escape(&start),
        Page::Placement.path(),
        Page::Placement.title(),
    )
}

/// The box that answers, before its code is there: a field that keeps the lines of what is pasted meanwhile.
fn ask() -> String {
    let examples: String = words::EXAMPLES
        .iter()
        .map(|text| {
            format!("<button type=\"button\" class=\"secondary\" data-ask=\"{0}\" disabled>{0}</button> ", escape(text))
        })
        .collect();
    format!(
        "<div class=\"ask sans\" data-island=\"ask\">\n<div class=\"search\"><textarea rows=\"1\" inputmode=\"search\" aria-label=\"Ask a question, or search the course\" \
         placeholder=\"{}\" autocomplete=\"off\" spellcheck=\"false\" disabled></textarea>\n<p class=\"ask-examples\">{examples}</p></div>\n</div>\n",
        escape(words::ASK)
    )
}

/// For whoever has begun: a place for what the app says to do next.
const HALF_HOUR: &str = "<section class=\"next-up\" aria-labelledby=\"next-up\">\n\
     <h2 id=\"next-up\">Your next 30 minutes</h2> <a class=\"sans\" href=\"practice/#plan\">The whole plan</a>\n\
     <div data-island=\"half-hour\"></div>\n</section>\n";

/// What is on the map, as links into it.
fn on_this_page(course: &Course, readings: &Readings) -> String {
    format!(
        "<nav class=\"on-page sans\" aria-label=\"On this page\">\n\
         <a href=\"./#layers\">{} of understanding</a>\n\
         <a href=\"./#chapters\">{} in {}</a>\n\
         <a href=\"./#plan\">Four-week plan</a>\n\
         <a href=\"w/\">Every figure</a>\n\
         <a href=\"lab/\">Labs</a>\n\
         <a href=\"run/\">Your run</a>\n\
         <a href=\"record/\">Your record</a>\n\
         <a href=\"./#not-covered\">What is not covered</a>\n\
         <a href=\"./#sources\">{}</a>\n\
         <a href=\"teach/\">For instructors</a>\n</nav>\n",
        words::count(course.layers.len(), "layer", "layers"),
        words::count(course.chapters().count(), "chapter", "chapters"),
        words::count(course.parts.len(), "part", "parts"),
        words::count(readings.sources.len(), "source", "sources"),
    )
}

/// What the reading lists and the course leave out.
fn not_covered(topics: &[NotCovered]) -> String {
    let topics: String = topics.iter().map(|n| format!("<dt>{}</dt><dd>{}</dd>\n", n.topic.0, n.place.0)).collect();
    format!(
        "<section id=\"not-covered\" aria-labelledby=\"not-covered-title\">\n\
         <h2 id=\"not-covered-title\">What is not covered</h2>\n<dl class=\"not-covered sans\">\n{topics}</dl>\n</section>\n"
    )
}
