//! The sources: on the home page their heading and filters, and in `sources.html` every one of them as a card.

use super::{numbers, time};
use crate::filter::{BARS, Choices, KINDS};
use crate::html::escape;
use crate::schema::{Course, Readings, Source};
use crate::words;

/// The section of the home page, with a place for the list.
pub(super) fn section(course: &Course, readings: &Readings) -> String {
    let all = readings.sources.len();
    format!(
        "<section id=\"sources\" aria-labelledby=\"sources-title\">\n<h2 id=\"sources-title\">Every source</h2>\n{}\
         <p class=\"count sans\"><span role=\"status\" data-all=\"{all}\">{all} of {all} sources, {}</span> \
         <button type=\"button\" class=\"quiet\" hidden>Clear filters</button></p>\n\
         <div data-island=\"sources\"></div>\n\
         <p class=\"nothing sans\" hidden>No source passes all of these filters. Loosen one, or clear them.</p>\n</section>\n",
        filters(course),
        time(&readings.sources),
    )
}

/// A form, so that its radio buttons are told apart from those of a figure that has the same names.
fn filters(course: &Course) -> String {
    let bars: String = BARS.iter().map(|(name, label, choices)| bar(name, label, choices)).collect();
    let chapters: String = course
        .chapters()
        .map(|c| format!("<option value=\"{}\">{:02} {}</option>", escape(&c.slug), c.number, escape(&c.title)))
        .collect();
    let kinds: String =
        KINDS.iter().map(|(value, text)| format!("<option value=\"{value}\">{text}</option>")).collect();
    format!(
        "<form class=\"filters sans\" role=\"search\" aria-label=\"Sources\" autocomplete=\"off\">\n\
         <div class=\"field find\"><label for=\"find-source\">Find</label>\
         <input type=\"search\" id=\"find-source\" name=\"q\" autocomplete=\"off\" spellcheck=\"false\" \
         placeholder=\"title, author, idea\"></div>\n\
         <div class=\"field chapter-filter\"><label for=\"of-chapter\">Chapter</label>\
         <select id=\"of-chapter\" name=\"chapter\"><option value=\"\">All</option>{chapters}</select></div>\n\
         <div class=\"field\"><label for=\"of-kind\">Kind</label>\
         <select id=\"of-kind\" name=\"kind\">{kinds}</select></div>\n{bars}</form>\n"
    )
}

fn bar(name: &str, label: &str, choices: Choices) -> String {
    let options: String = choices
        .iter()
        .map(|(value, text)| {
            let checked = if value.is_empty() { " checked" } else { "" };
            format!(
                "<label><input type=\"radio\" name=\"{name}\" value=\"{value}\"{checked}><span>{text}</span></label>"
            )
        })
        .collect();
    format!(
        "<div class=\"field\"><span class=\"field-label\" id=\"by-{name}\">{label}</span>\
         <div class=\"segmented\" role=\"radiogroup\" aria-labelledby=\"by-{name}\">{options}</div></div>\n"
    )
}

/// `sources.html`: every source once, under the chapter that it serves first; and the groups into which the app puts them
/// to sort them by priority.
pub(crate) fn list(course: &Course, readings: &Readings) -> String {
    let mut html = String::new();
    for chapter in course.chapters() {
        let own = readings.sources.iter().filter(|s| s.chapters.first() == Some(&chapter.slug));
        let cards: String = own.map(card).collect();
        if !cards.is_empty() {
            html.push_str(&format!(
                "<div class=\"group\"><h3><a href=\"{}\"><i>{:02}</i>{}</a></h3>\n<ul class=\"sources\">\n{cards}</ul></div>\n",
                escape(&chapter.href()),
                chapter.number,
                escape(&chapter.title),
            ));
        }
    }
    for priority in [3, 2, 1] {
        let name = words::priority(priority);
        html.push_str(&format!(
            "<div class=\"group\" data-of-priority=\"{priority}\" hidden><h3>{name}</h3><ul class=\"sources\"></ul></div>\n"
        ));
    }
    html
}

/// A source: what it is, whether it is read; behind a button what to look for, what to take away, what is left of it after the chapter,
/// and a place for the learner's summary.
fn card(source: &Source) -> String {
    let title = escape(&source.title);
    let year = source.year.map(|year| format!(" · {year}")).unwrap_or_default();
    let look: String = source.look_for.iter().map(|item| format!("<li>{}</li>", item.0)).collect();
    let look = match look.as_str() {
        "" => look,
        items => format!("<p class=\"source-label\">Look for</p><ul class=\"source-look\">{items}</ul>"),
    };
    let insight = match source.insight.0.as_str() {
        "" => String::new(),
        text => format!("<p class=\"source-label\">Take away</p><p class=\"source-insight\">{text}</p>"),
    };
    let after = source.after.map_or_else(String::new, |after| {
        format!(
            "<p class=\"source-label\">After the chapter</p><p class=\"source-after\">{} {}</p>",
            after.in_words(),
            source.because.0
        )
    });
    format!(
        "<li><article class=\"source sans\" data-source=\"{id}\" data-priority=\"{priority}\" data-minutes=\"{minutes}\" \
         data-kind=\"{kind}\" data-layers=\"{}\" data-weeks=\"{}\" data-chapters=\"{}\">\
         <div class=\"source-head\"><h3><a href=\"{}\" rel=\"noopener external\">{title}</a></h3>\
         <label class=\"source-read\"><input type=\"checkbox\" data-tick>Read<span class=\"visually-hidden\">: {title}</span></label></div>\
         <p class=\"source-about\"><b>{}</b> · {} · <span>{}{year}</span> · {kind}</p>\
         <button type=\"button\" class=\"quiet disclose\" aria-expanded=\"false\" \
         aria-label=\"What to look for in {title}, and your summary\"></button>\
         <div class=\"source-more\" hidden>{look}{insight}{after}<div data-island=\"summary\"></div></div></article></li>\n",
        numbers(&source.layers),
        numbers(&source.weeks),
        escape(&source.chapters.join(" ")),
        escape(&source.url),
        words::priority(source.priority),
        words::duration(source.minutes),
        escape(&source.authors),
        id = escape(&source.id),
        priority = source.priority,
        minutes = source.minutes,
        kind = escape(&source.kind),
    )
}
