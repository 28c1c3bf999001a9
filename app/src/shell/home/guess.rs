//! A question before a figure: each answer puts the figure into a state and says what comes of it.

use ringside_core::query::Query;
use web_sys::{Element, HtmlElement};

use crate::store::store;
use crate::ui::dom;
use crate::ui::figure::set_state;

/// Makes the questions alive. One that was answered before is answered.
pub(super) fn enliven(root: &Element) {
    for button in dom::all(root, "[data-guess][disabled]") {
        let _ = button.remove_attribute("disabled");
    }
    for group in dom::all(root, ".guess") {
        let nth = store().peek(|doc| doc.guesses.get(&name(&group)).copied());
        let chosen = nth.and_then(|nth| dom::all(&group, "[data-guess]").into_iter().nth(nth));
        if let Some((button, section)) = chosen.zip(closest(&group, "section")) {
            answer(&button, &section);
        }
    }
    dom::on(root, "click", |event| {
        let Some(button) = dom::closest(&event, "[data-guess]") else { return reveal(&event) };
        if let Some((group, section)) = closest(&button, ".guess").zip(closest(&button, "section")) {
            answer(&button, &section);
            let nth = dom::all(&group, "[data-guess]").iter().position(|other| *other == button);
            store().update(|doc| doc.guesses.extend(nth.map(|nth| (name(&group), nth))));
        }
    });
    // Whoever moves what the figure shows wants to see it.
    dom::on(root, "input", |event| reveal(&event));
}

/// The id of a question.
fn name(group: &Element) -> String {
    group.get_attribute("aria-labelledby").unwrap_or_default()
}

/// The figure in which something was done hides nothing any more.
fn reveal(event: &web_sys::Event) {
    if let Some(section) = dom::closest(event, ".live-figure").and_then(|figure| closest(&figure, "section")) {
        dom::set(&section, "data-guessed", "");
    }
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
