//! `figures.html`: the gallery, a card with a picture for each figure under what it is for.

use ringside_core::catalogue;
use ringside_core::query::Query;
use ringside_drawing::chart::Frame;

use crate::data::{Group, Purpose};
use crate::drawn::drawn;
use crate::html::escape;

/// The room of a picture, in pixels: it is scaled to the width of its card.
const ROOM: Frame = Frame { width: 480.0, height: 270.0, text: 15.0, pixel: 1.0 };

/// The page.
pub(crate) fn gallery(groups: &[Group]) -> String {
    let sections: String = groups.iter().enumerate().map(|(i, group)| section(i, group)).collect();
    let count: usize = groups.iter().map(|group| group.figures.len()).sum();
    format!(
        "<article class=\"gallery\">\n<h1>Figures</h1>\n\
         <p class=\"lede\">All {count} figures of the course, by what you want to do. Each computes as you drag, and its address keeps its state.</p>\n\
         {sections}</article>\n"
    )
}

fn section(number: usize, group: &Group) -> String {
    let cards: String = group.figures.iter().map(card).collect();
    format!(
        "<section aria-labelledby=\"group-{number}\">\n<h2 id=\"group-{number}\">{}</h2>\n<ul class=\"cards sans\">\n{cards}</ul>\n</section>\n",
        escape(&group.title)
    )
}

fn card(figure: &Purpose) -> String {
    let Some(entry) = catalogue::find(&figure.id) else { return String::new() };
    let id = escape(entry.id);
    let picture = drawn(entry.id, &Query::default(), ROOM).unwrap_or_default();
    let title = if figure.want == entry.title { String::new() } else { format!("<b>{}.</b> ", escape(entry.title)) };
    format!(
        "<li class=\"card\"><div class=\"picture\" aria-hidden=\"true\" inert>{picture}</div>\n\
         <h3><a href=\"w/{id}/\">{}</a></h3>\n<p>{title}{}</p></li>\n",
        escape(&figure.want),
        escape(entry.summary)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_card_with_a_picture() {
        let all = catalogue::ALL.iter().map(|e| Purpose { id: e.id.into(), want: "Why?".into(), words: String::new() });
        let html = gallery(&[Group { title: "All & more".into(), figures: all.collect() }]);
        assert!(html.contains("All &amp; more"), "{html}");
        for entry in catalogue::ALL {
            assert!(html.contains(&format!("<a href=\"w/{}/\">Why?</a>", entry.id)), "{}", entry.id);
        }
        assert_eq!(html.matches("inert><svg").count(), catalogue::ALL.len());
    }
}
