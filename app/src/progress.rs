//! What there is of each chapter, as the page bears it.

use leptos::prelude::document;
use ringside_learner::progress::Extent;
use web_sys::Element;

use crate::ui::dom;

/// Of the chapter whose mark this is.
pub fn of_mark(mark: &Element) -> Extent {
    Extent::of_mark(|name| dom::attribute(mark, name))
}

/// Of every chapter, by its mark in the contents, which every page has.
pub fn all_in_contents() -> Vec<Extent> {
    let contents = document().get_element_by_id("contents");
    let marks = contents.map(|contents| dom::all(&contents, "[data-sections]")).unwrap_or_default();
    marks.iter().map(|mark| of_mark(mark)).collect()
}

/// Of the chapter with this slug.
pub fn in_contents(slug: &str) -> Option<Extent> {
    all_in_contents().into_iter().find(|extent| extent.slug == slug)
}
