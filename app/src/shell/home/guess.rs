//! A question before a figure: each answer puts the figure into a state and says what comes of it.

use ringside_core::query::Query;
use web_sys::{Element, HtmlElement};

use crate::ui::dom;
use crate::ui::figure::set_state;

/// Makes the questions alive.
pub(super) fn enliven(root: &Element) {
    for button in dom::all(root, "[data-guess][disabled]") {
        let _ = button.remove_attribute("disabled");
    }
    dom::on(root, "click", |event| {
        let pressed = dom::closest(&event, "[data-guess]");
        if let Some((button, section)) = pressed.and_then(|b| Some((b.clone(), closest(&b, "section")?))) {
            answer(&button, &section);
        }
    });
}

fn closest(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// Says what comes of an answer, and shows it in the figure of its section, alive or yet to come; the figure hides nothing any more.
fn answer(button: &HtmlElement, section: &Element) {
    for other in dom::all(section, "[data-guess]") {
        let _ = other.set_attribute("aria-pressed", if other == *button { "true" } else { "false" });
    }
    dom::set(section, "data-guessed", "");
    if let Some(said) = dom::find(section, ".guess-said") {
        said.set_text_content(Some(&dom::attribute(button, "data-says")));
    }
    if let Some(then) = dom::find(section, ".guess-then") {
        let _ = then.remove_attribute("inert");
    }
    let place = dom::find(section, "figure[data-widget]").or_else(|| dom::find(section, "[data-slot-widget]"));
    let Some(place) = place else { return };
    let now = Query::parse(&dom::attribute(&place, "data-query"));
    let query = now.with(&Query::parse(&dom::attribute(button, "data-guess")));
    set_state(&place, &query.to_string());
}
