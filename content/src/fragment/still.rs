//! The figure of the first screen, still: its drawing and what that says, in the frame of every figure (`app/src/ui/figure.rs`) without
//! controls. The app shows the widget in its place.

use ringside_core::declare::Model;
use ringside_core::memory::{Breakdown, Params};
use ringside_core::query::Query;
use ringside_drawing::caption::sentences;
use ringside_drawing::memory::{Drawn, subtitle};

use crate::html::escape;
use crate::markdown;

/// `memory-breakdown` as it is without a query.
pub(super) fn memory() -> String {
    // The default parameters are possible; a test says so.
    Params::standard()
        .evaluate()
        .map_or_else(|_| markdown::still(&Params::ENTRY, &Query::default()), |result| figure(&result))
}

fn figure(b: &Breakdown) -> String {
    let drawn = Drawn::of(&b.params, b);
    let finding = b.finding();
    let (lead, rest) = sentences(&finding);
    format!(
        "<div class=\"figure-room\"><figure class=\"figure sans is-still\" data-widget=\"{id}\" data-query=\"\" \
         aria-labelledby=\"first-figure\">\n\
         <div class=\"figure-head\"><p class=\"figure-title\" id=\"first-figure\">{title}</p>\
         <p class=\"figure-subtitle\">{subtitle}</p>\
         <div class=\"figure-tools\"><a class=\"quiet\" href=\"w/{id}/\">Open alone</a></div></div>\n\
         <div class=\"stage\"><div class=\"deck\"><div class=\"controls\"></div></div>\n\
         <p class=\"finding\"><b>{lead}</b></p>\n\
         <div class=\"drawing\" data-drawing=\"\"><div class=\"plot\">{plot}</div>{below}</div></div>\n\
         <div class=\"figure-below\"></div>\n\
         <figcaption><div class=\"caption-row\"><p class=\"finding-rest\">{rest}</p></div>\n\
         <details class=\"numbers\"><summary>The numbers</summary>{numbers}</details></figcaption>\n</figure></div>\n",
        id = Params::ID,
        title = escape(Params::TITLE),
        subtitle = escape(&subtitle(&b.params)),
        plot = drawn.plot.markup(true),
        below = drawn.readout.markup(true),
        lead = escape(lead),
        rest = escape(rest.trim_start()),
        numbers = markdown::quantities(&Params::ENTRY, &Query::default()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_figure_shows_its_drawing_and_says_what_it_shows() {
        let html = memory();
        for part in [
            "data-widget=\"memory-breakdown\"",
            "<p class=\"finding\"><b>",
            "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"part weights\"",
            " data-quantity=\"total\" data-value=\"480000000000\"",
            "<td><data class=\"value\" value=\"60000000000\">",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        let pressable = html.matches("<input").count() + html.matches("<button").count();
        assert_eq!(html.matches(" disabled").count(), pressable, "nothing is dead: {html}");
    }
}
