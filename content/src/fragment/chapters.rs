//! The chapters, part by part. What a chapter is for and what it stands on opens in place, written or not.

use ringside_core::catalogue;

use super::{progress, tick};
use crate::html::escape;
use crate::schema::{Chapter, Course, Readings, Status};
use crate::words;

/// Every part with its chapters.
pub(super) fn section(course: &Course, readings: &Readings) -> String {
    let planned = course.chapters().any(|c| c.status == Status::Planned);
    let still_planned = if planned {
        " Chapters marked “planned” have no text yet; their sources and the skills that they will teach are here now."
    } else {
        ""
    };
    let mut parts = String::new();
    for (number, part) in course.parts.iter().enumerate() {
        let rows: String = part.chapters.iter().map(|c| row(c, readings)).collect();
        parts.push_str(&format!(
            "<div class=\"course-part\"><h3><span class=\"sans\">Part {number}</span> {}</h3>\n\
             <ol class=\"chapters\">\n{rows}</ol></div>\n",
            escape(&part.title)
        ));
    }
    format!(
        "<section id=\"chapters\" aria-labelledby=\"chapters-title\">\n<h2 id=\"chapters-title\">The chapters</h2>\n\
         <p>In the order in which each stands on those before it. Part 0 is what the rest takes for granted.{still_planned}</p>\n\
         {parts}</section>\n"
    )
}

fn row(chapter: &Chapter, readings: &Readings) -> String {
    let (slug, title) = (escape(&chapter.slug), escape(&chapter.title));
    let written = format!(" data-written=\"{}\"", chapter.minutes);
    let (class, name, written) = match chapter.status {
        Status::Written => ("", format!("<a href=\"{}\">{title}</a>", escape(&chapter.href())), written.as_str()),
        Status::Planned => (" planned", format!("{title} <small class=\"sans\">planned</small>"), ""),
    };
    let sources = readings.sources.iter().filter(|s| s.chapters.contains(&chapter.slug)).count();
    format!(
        "<li class=\"chapter{class}\" id=\"{slug}\"{written}><i class=\"number sans\" aria-hidden=\"true\">{:02}</i>\n\
         <div class=\"what\"><h4>{name}{}{}</h4><p>{}</p></div>\n\
         <div class=\"facts sans\"><p><span class=\"time\">{}</span>{}</p>\n\
         <button type=\"button\" class=\"quiet disclose\" aria-expanded=\"false\" aria-controls=\"about-{slug}\" disabled>\
         {}, {}<span class=\"visually-hidden\"> of {title}</span></button></div>\n\
         <div class=\"about sans\" id=\"about-{slug}\" hidden>{}\
         <h5>Sources</h5><ul class=\"sources\" data-sources-of=\"{slug}\"></ul></div></li>\n",
        chapter.number,
        tick(chapter),
        progress(chapter),
        escape(&chapter.question),
        words::duration(chapter.minutes),
        on_layers(&chapter.layers),
        words::count(chapter.skills.len(), "skill", "skills"),
        words::count(sources, "source", "sources"),
        about(chapter),
    )
}

fn on_layers(layers: &[u8]) -> String {
    let list = layers.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    match layers.len() {
        0 => String::new(),
        1 => format!(" <span>layer {list}</span>"),
        _ => format!(" <span>layers {list}</span>"),
    }
}

/// What a chapter is for, and the widgets in it. One that is yet to be built has a name and no page.
fn about(chapter: &Chapter) -> String {
    let mut html = String::new();
    if !chapter.skills.is_empty() {
        let skills: String = chapter.skills.iter().map(|skill| format!("<li>{}</li>", skill.text.0)).collect();
        html.push_str(&format!("<h5>After it you can</h5><ul class=\"skills\">{skills}</ul>"));
    }
    if !chapter.widgets.is_empty() {
        let figure = |id: &String| match catalogue::find(id) {
            Some(entry) => format!("<li><a href=\"w/{}/\">{}</a></li>", escape(id), escape(entry.title)),
            None => format!("<li>{}</li>", escape(id)),
        };
        let figures: String = chapter.widgets.iter().map(figure).collect();
        html.push_str(&format!("<h5>Figures</h5><ul class=\"figures\">{figures}</ul>"));
    }
    html
}
