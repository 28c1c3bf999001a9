//! What is projected: one figure in its place on the page, with everything else hidden and out of reach.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::fit;
use crate::shell::deck::{SLIDE, SLIDES};
use crate::shell::figures;
use crate::ui::dom;

/// Marks what is projected.
const PROJECTED: &str = "projected";
/// Marks what lies behind it.
const BEHIND: &str = "data-behind";
/// Marks the slide where a page goes on.
const NOW: &str = "data-slide-now";
/// What is seen beside whatever is projected of its page.
const BESIDE: &str = "data-beside";

/// The place that is projected: that of a figure in a chapter, filled or not; a figure; or a part of a page that is a slide by itself.
#[derive(Clone)]
pub(in crate::shell) struct Stage {
    place: HtmlElement,
}

impl Stage {
    /// Projects `place` instead of what was.
    pub(in crate::shell) fn aim(place: HtmlElement) -> Self {
        strike();
        unfold(&place);
        // Its widget comes when it is near what is seen.
        place.scroll_into_view();
        let _ = place.class_list().add_1(PROJECTED);
        let mut within: Element = place.clone().into();
        while let Some(parent) = within.parent_element() {
            let children = parent.children();
            for sibling in (0..children.length()).filter_map(|i| children.item(i)) {
                let is_room = sibling.class_list().contains("room") || sibling.has_attribute(BESIDE);
                if sibling != within && !is_room && !sibling.has_attribute("inert") {
                    // What cannot be hidden lies under the figure.
                    let _ = sibling.set_attribute("inert", "");
                    let _ = sibling.set_attribute(BEHIND, "");
                }
            }
            if parent.tag_name() == "BODY" {
                break;
            }
            within = parent;
        }
        Self { place }
    }

    /// The id of its place in a chapter.
    pub(super) fn id(&self) -> String {
        self.place.id()
    }

    /// Its figure, if it is there yet. One of a slide within it is that slide's.
    pub(super) fn figure(&self) -> Option<HtmlElement> {
        let slide = |figure: &HtmlElement| figure.closest(SLIDES).ok().flatten();
        figures::within(&self.place).filter(|figure| slide(figure).is_none_or(|slide| slide == *self.place.as_ref()))
    }

    /// What the room sees of it: all of a slide; otherwise its figure.
    pub(super) fn seen(&self) -> Option<HtmlElement> {
        if self.is_slide() { Some(self.place.clone()) } else { self.figure() }
    }

    /// Whether it is a slide by itself.
    pub(super) fn is_slide(&self) -> bool {
        self.place.has_attribute(SLIDE)
    }

    /// What is projected.
    pub(super) fn place(&self) -> &HtmlElement {
        &self.place
    }

    /// What is watched for changes: the place, or all that holds the page's slides.
    pub(super) fn watched(&self) -> Element {
        let slides = self.place.closest(".slides").ok().flatten();
        slides.unwrap_or_else(|| self.place.clone().into())
    }

    /// The parts of its drawing, whose sizes are followed.
    pub(super) fn drawn(&self) -> Vec<HtmlElement> {
        dom::all(&self.place, ".drawing > *")
    }

    /// Whether all of its figure's drawing is seen.
    pub(super) fn is_whole(&self) -> bool {
        self.figure().is_none_or(|figure| fit::is_whole(&figure))
    }

    /// Enlarges it for the screen.
    pub(super) fn fit(&self) {
        fit::fit(self.figure().as_ref().unwrap_or(&self.place));
    }
}

/// Opens what is folded in a place: a room has nobody to press it.
fn unfold(place: &HtmlElement) {
    dom::unfold(place);
    let folds = dom::all(place, ":scope > details").into_iter().chain(std::iter::once(place.clone()));
    for fold in folds.filter(|fold| fold.tag_name() == "DETAILS") {
        dom::set(&fold, "open", "");
    }
}

/// The slide that is meant, on a page that marks its own: the one around `from` or the focus, or the one where the page goes on.
pub(super) fn meant(from: Option<&Element>) -> Option<HtmlElement> {
    let all = dom::all(&document().body()?.into(), SLIDES);
    let around = |element: &Element| element.closest(SLIDES).ok()??.dyn_into::<HtmlElement>().ok();
    let focus = || document().active_element().as_ref().and_then(around);
    let now = || all.iter().find(|slide| slide.has_attribute(NOW)).cloned();
    from.and_then(around).or_else(focus).or_else(now).or_else(|| all.last().cloned())
}

/// Shows the page again as it was.
pub(in crate::shell) fn strike() {
    let Some(body) = document().body() else { return };
    for element in dom::all(&body, &format!("[{BEHIND}]")) {
        let _ = element.remove_attribute(BEHIND);
        let _ = element.remove_attribute("inert");
    }
    for element in dom::all(&body, &format!(".{PROJECTED}")) {
        let _ = element.class_list().remove_1(PROJECTED);
    }
}
