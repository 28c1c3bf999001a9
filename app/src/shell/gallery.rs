//! The gallery: every figure under what it is for. The build rendered it; figures that are no charts come into it as their own pictures.

use leptos::prelude::*;
use ringside_core::query::Query;
use web_sys::HtmlElement;

use super::fragment;
use crate::data::library;
use crate::deferred::{PageView, lazy};
use crate::ui::dom;
use crate::ui::islands::Islands;
use crate::ui::near::when_near;
use crate::widgets::{self, Module, Props};

lazy! {
    /// Downloads the page.
    reference: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    fragment::view(library().figures, Callback::new(enliven))
}

/// Shows a figure in each empty place that comes near what is seen. It is there to be looked at: its card is the link.
fn enliven(root: HtmlElement) {
    let islands = Islands::new();
    for place in dom::all(&root, "[data-picture-of]") {
        let Some(widget) = widgets::find(&dom::attribute(&place, "data-picture-of")) else { continue };
        let near = place.clone();
        when_near(&near, move || {
            let show = move |module: Module| {
                let query = RwSignal::new(Query::default());
                (module.view)(Props { query, alone: false, compact: true })
            };
            islands.put_deferred(place, || widget.to_show(), show);
        });
    }
}
