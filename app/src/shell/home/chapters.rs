//! The list of chapters: what a chapter is for and what it stands on opens in place.

use leptos::prelude::*;
use web_sys::{Element, HtmlElement};

use crate::shell::marks;
use crate::shell::source_card::{self, disclose};
use crate::ui::dom;
use crate::ui::islands::Islands;

/// What opens.
#[derive(Clone, Copy)]
pub(super) struct Chapters(Islands);

impl Chapters {
    /// Makes the buttons of the list alive.
    pub(super) fn enliven(root: &Element) -> Self {
        let chapters = Self(Islands::new());
        for button in dom::all(root, ".facts > .disclose[disabled]") {
            // Now it does something. One that stays disabled leads nowhere, and says so.
            let _ = button.remove_attribute("disabled");
        }
        dom::on(root, "click", move |event| {
            let button = dom::closest(&event, ".facts > .disclose");
            if let (Some(button), Some(chapter)) = (button, dom::closest(&event, ".chapter")) {
                chapters.set(&chapter, dom::attribute(&button, "aria-expanded") != "true");
            }
        });
        chapters
    }

    /// Opens the chapter with this slug, if there is one in the list.
    pub(super) fn open(self, slug: &str) {
        let chapter = document().get_element_by_id(slug).filter(|e| e.class_list().contains("chapter"));
        if let Some(chapter) = chapter {
            self.set(&chapter, true);
        }
    }

    /// Opens or closes an item of the list. Its sources are fetched when they are first wanted.
    fn set(self, chapter: &Element, open: bool) {
        let parts = (dom::find(chapter, ".facts > .disclose"), dom::find(chapter, ".about"));
        let (Some(button), Some(about)) = parts else { return };
        disclose(&button, &about, open);
        let place = dom::find(&about, "[data-sources-of]").filter(|place| open && !place.has_child_nodes());
        if let Some(place) = place {
            let slug = dom::attribute(&place, "data-sources-of");
            let enliven = Callback::new(|list: HtmlElement| marks::now(&list));
            self.0.put(place, Box::new(move || source_card::of_chapter(slug, enliven)));
        }
    }
}
