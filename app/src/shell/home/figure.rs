//! The live figure on the first screen.

use leptos::prelude::*;
use web_sys::HtmlElement;

use crate::deferred::act;
use crate::ui::dom;
use crate::widgets::load_glance;

/// Makes the figure alive, which is in the page as markup.
pub(super) fn enliven(root: &HtmlElement) {
    let Some(figure) = dom::find(root, ".live-figure [data-widget]") else { return };
    // What the code brings belongs to the page, though it comes later.
    let owner = Owner::current().unwrap_or_default();
    act(load_glance(), move |enliven| owner.with(|| enliven(figure)));
}
