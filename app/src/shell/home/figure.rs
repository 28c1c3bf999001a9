//! The live figure on the first screen.

use leptos::prelude::*;
use web_sys::HtmlElement;

use crate::ui::dom;
use crate::ui::islands::Islands;
use crate::widgets::{Enliven, load_glance};

/// Makes the figure alive, which is in the page as markup.
pub(super) fn enliven(root: &HtmlElement) {
    let Some(figure) = dom::find(root, ".live-figure [data-widget]") else { return };
    // Where it is said that the code could not be had.
    let Some(place) = dom::find(&figure, "[data-island=figure]") else { return };
    let figure = send_wrapper::SendWrapper::new(figure);
    let show = move |enliven: Enliven| {
        enliven((*figure).clone());
        ().into_any()
    };
    Islands::new().put_deferred(place, load_glance, show);
}
