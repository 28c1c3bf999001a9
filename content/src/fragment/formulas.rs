//! `formulas.html`: every formula of the reference with its symbols in one state, chapter by chapter, then what the other models
//! compute.

use std::collections::BTreeSet;

use ringside_core::answer::units_of;
use ringside_core::catalogue::{self, Entry};
use ringside_core::quantity::Unit;

use crate::data::Formula;
use crate::html::escape;
use crate::schema::{Course, Readings};

/// The section's content.
pub(crate) fn list(formulas: &[Formula], course: &Course, readings: &Readings) -> String {
    let mut html = String::from(
        "<p>Each is checked against its model when the site is built. The values are those of the figure behind “See it live”.</p>\n",
    );
    for chapter in course.chapters() {
        let of = formulas.iter().filter(|f| f.place.split('#').next() == Some(chapter.slug.as_str()));
        let items: String = of.map(|f| formula(f, readings)).collect();
        if !items.is_empty() {
            html.push_str(&format!(
                "<h3><a href=\"{}\">{:02} {}</a></h3>\n<div class=\"formulas\">\n{items}</div>\n",
                escape(&chapter.href()),
                chapter.number,
                escape(&chapter.title)
            ));
        }
    }
    html.push_str(&quantities(formulas));
    html
}

fn formula(formula: &Formula, readings: &Readings) -> String {
    let symbols: String = formula
        .symbols
        .iter()
        .map(|s| {
            format!(
                "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td></tr>\n",
                s.maths,
                escape(&s.means),
                escape(&s.value)
            )
        })
        .collect();
    let sources: Vec<String> = formula
        .sources
        .iter()
        .filter_map(|id| readings.sources.iter().find(|s| s.id == *id))
        .map(|s| {
            format!(
                "<a href=\"{}\" rel=\"noopener external\" title=\"{}\">{}</a>",
                escape(&s.url),
                escape(&s.title),
                by(s)
            )
        })
        .collect();
    let why = formula.why.as_ref().map(|why| format!(" <span>{}</span>", escape(why))).unwrap_or_default();
    format!(
        "<article class=\"formula\" id=\"formula-{id}\" aria-labelledby=\"formula-{id}-name\">\n<h4 id=\"formula-{id}-name\">{name}</h4>\n\
         <div class=\"formula-maths\" role=\"group\" aria-label=\"Formula\" tabindex=\"0\">{maths}</div>\n<table class=\"symbols sans\"><tbody>\n{symbols}</tbody></table>\n\
         <p class=\"ways sans\"><a href=\"w/{model}/?{query}\">See it live<span class=\"visually-hidden\">: {name}</span></a> \
         <a href=\"chapter/{slug}/#{section}\">Where it is taught<span class=\"visually-hidden\">: {name}</span></a> {sources}{why}</p>\n</article>\n",
        id = escape(&formula.id),
        name = escape(&formula.name),
        maths = formula.maths,
        model = escape(&formula.model),
        query = escape(&formula.query),
        slug = escape(formula.place.split('#').next().unwrap_or_default()),
        section = escape(formula.place.split('#').nth(1).unwrap_or_default()),
        sources = sources.join(", "),
    )
}

/// Authors and year of a source.
fn by(source: &crate::schema::Source) -> String {
    let year = source.year.map(|year| format!(" {year}")).unwrap_or_default();
    escape(&format!("{}{year}", source.authors))
}

/// What every model computes, by name and unit; those that no formula describes are simulated.
fn quantities(formulas: &[Formula]) -> String {
    let described: BTreeSet<&str> = formulas.iter().map(|f| f.model.as_str()).collect();
    let models: String = catalogue::ALL.iter().map(|entry| model(entry, described.contains(entry.id))).collect();
    format!(
        "<h3 id=\"quantities\">What every figure computes</h3>\n\
         <p>Each quantity with its unit. A figure without a formula above steps through what happens, or draws it from a seed.</p>\n{models}"
    )
}

fn model(entry: &Entry, described: bool) -> String {
    let items: String = entry
        .quantities()
        .map(|(id, label, unit)| {
            format!(
                "<li id=\"quantity-{0}-{id}\">{1} <small>{2}</small></li>\n",
                entry.id,
                escape(label),
                unit_name(unit)
            )
        })
        .collect();
    let simulated = if described { "" } else { ", simulated" };
    format!(
        "<details class=\"sans\"><summary>{} <small>{} quantities{simulated}</small></summary>\n<ul class=\"quantities\">\n{items}</ul>\n\
         <p><a href=\"w/{}/\">{}</a></p></details>\n",
        escape(entry.title),
        entry.quantities().count(),
        escape(entry.id),
        escape(entry.summary),
    )
}

/// A unit as it is written; nothing for a pure number.
fn unit_name(unit: Unit) -> String {
    match unit {
        Unit::Ratio => String::new(),
        Unit::Count => "count".to_owned(),
        Unit::Fraction => "%".to_owned(),
        unit => units_of(unit).first().map(|named| escape(&named.name)).unwrap_or_default(),
    }
}
