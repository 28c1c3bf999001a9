//! The place of a widget, with what a reader sees there before it comes alive, or without JavaScript.

use ringside_core::catalogue::Entry;
use ringside_core::quantity::unbroken;
use ringside_core::query::Query;
use ringside_drawing::chart::Frame;

use super::links::page;
use crate::drawn::drawn;
use crate::evaluated::evaluated;
use crate::html::escape;
use crate::language::{COVERED, Lang, UNCOVER, attribute};

/// The place-holder of a widget on a page in one of the languages.
pub(crate) fn slot(entry: &Entry, id: &str, query: &Query, after: Option<&str>, lang: Lang) -> String {
    let text = query.to_string();
    let mut out = format!("<div class=\"widget-slot\" id=\"{}\" data-slot-widget=\"{}\"", escape(id), escape(entry.id));
    if !text.is_empty() {
        out.push_str(&format!(" data-query=\"{}\"", escape(&text)));
    }
    if let Some(after) = after {
        out.push_str(&format!(" data-after=\"{}\"", escape(after)));
    }
    let still = still(entry, query);
    let shown = if after.is_some() { covered(&still, lang) } else { still };
    out.push_str(&format!(">\n{shown}</div>\n"));
    out
}

/// A figure that is not to be seen before its prediction.
fn covered(still: &str, lang: Lang) -> String {
    let marked = attribute(lang.marked());
    format!(
        "<div class=\"covered sans\">\n<p{marked}>{}</p>\n<details><summary{marked}>{}</summary>\n{still}</details>\n</div>\n",
        COVERED.to(lang),
        UNCOVER.to(lang)
    )
}

/// The room of a picture in a page, in pixels: it is scaled to the width that there is.
const ROOM: Frame = Frame { width: 660.0, height: 300.0, text: 13.0, pixel: 1.0 };

/// A widget in one state as its picture and as a table of its quantities, with a link to its page.
pub(crate) fn still(entry: &Entry, query: &Query) -> String {
    let picture = drawn(entry.id, query, ROOM).unwrap_or_default();
    let address = page(&format!("w/{}/", entry.id), query);
    format!(
        "<div class=\"still sans\">\n{picture}{}\n<p><a href=\"{}\">{}</a></p>\n</div>\n",
        quantities(entry, query),
        escape(&address),
        escape(entry.summary)
    )
}

/// The headlines of a widget in one state, as a table.
pub(crate) fn quantities(entry: &Entry, query: &Query) -> String {
    let mut out = format!("<table><caption>{}</caption>\n<tbody>\n", escape(entry.title));
    let evaluated = evaluated(entry, query);
    let shown = entry.shown().zip(&evaluated.quantities).filter(|(shown, quantity)| shown.headline && quantity.applies);
    for (shown, quantity) in shown {
        let limit = quantity.limit.map(|limit| format!(" {}", escape(&unbroken(&shown.held(limit)))));
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td>{}{}</td></tr>\n",
            escape(shown.label),
            data(quantity.value, &shown.text(quantity.value)),
            limit.unwrap_or_default()
        ));
    }
    out + "</tbody>\n</table>"
}

/// A number that is the same for a person and for a program.
pub(crate) fn data(value: f64, text: &str) -> String {
    format!("<data class=\"value\" value=\"{value}\">{}</data>", escape(&unbroken(text)))
}

#[cfg(test)]
mod tests {
    use ringside_core::declare::Model as _;
    use ringside_core::memory::Params;

    use super::*;

    #[test]
    fn a_figure_that_answers_a_prediction_is_folded_until_then() {
        let place = |after| slot(&Params::ENTRY, "figure-1", &Query::default(), after, Lang::En);
        assert!(!place(None).contains("<details>"));
        let covered = place(Some("guess"));
        let (before, folded) = covered.split_once("<details>").expect("a fold");
        assert!(before.contains(COVERED.to(Lang::En)) && !before.contains("<table>") && folded.contains("480\u{a0}GB"));
    }
}
