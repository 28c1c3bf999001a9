//! What is projected: one figure in its place on the page, with everything else hidden and out of reach.

use leptos::prelude::*;
use web_sys::{Element, HtmlElement};

use super::fit;
use crate::shell::figures;
use crate::ui::dom;

/// Marks what is projected.
const PROJECTED: &str = "projected";
/// Marks what lies behind it.
const BEHIND: &str = "data-behind";

/// The place that is projected: that of a figure in a chapter, filled or not, or a figure.
#[derive(Clone)]
pub(in crate::shell) struct Stage {
    place: HtmlElement,
}

impl Stage {
    /// Projects `place` instead of what was.
    pub(in crate::shell) fn aim(place: HtmlElement) -> Self {
        strike();
        // Its widget comes when it is near what is seen.
        place.scroll_into_view();
        let _ = place.class_list().add_1(PROJECTED);
        let mut within: Element = place.clone().into();
        while let Some(parent) = within.parent_element() {
            let children = parent.children();
            for sibling in (0..children.length()).filter_map(|i| children.item(i)) {
                let is_room = sibling.class_list().contains("room");
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

    /// Its figure, if it is there yet.
    pub(super) fn figure(&self) -> Option<HtmlElement> {
        figures::within(&self.place)
    }

    /// What is projected.
    pub(super) fn place(&self) -> &HtmlElement {
        &self.place
    }

    /// Enlarges it for the screen.
    pub(super) fn fit(&self) {
        fit::fit(self.figure().as_ref().unwrap_or(&self.place));
    }
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
