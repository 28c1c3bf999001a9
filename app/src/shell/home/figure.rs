//! The figures of the page: that of the first screen, still in the page as built and then the widget; and those that come when they are seen.

use leptos::prelude::*;
use ringside_core::query::Query;
use send_wrapper::SendWrapper;
use web_sys::HtmlElement;

use crate::ui::dom;
use crate::ui::figure::take_states;
use crate::ui::islands::Islands;
use crate::ui::near::when_near;
use crate::widgets::{self, Module, Props};

/// Makes them alive.
pub(super) fn enliven(root: &HtmlElement) {
    for seen in dom::all(root, "[data-seen-of]") {
        when_seen(root, &seen);
    }
    first(root);
}

/// Shows the figure of a place once the mark behind it is near: whoever looks at the first screen alone downloads nothing of it.
fn when_seen(root: &HtmlElement, mark: &HtmlElement) {
    let Some(place) = dom::find(root, &format!("#{}", dom::attribute(mark, "data-seen-of"))) else { return };
    let Some(widget) = widgets::find(&dom::attribute(&place, "data-slot-widget")) else { return };
    let query = RwSignal::new(Query::parse(&dom::attribute(&place, "data-query")));
    take_states(&place, query);
    let islands = Islands::new();
    when_near(mark, move || {
        let show = move |module: Module| (module.view)(Props { query, alone: false, compact: true });
        islands.put_deferred(place, || widget.to_show(), show);
    });
}

/// Downloads the widget and shows it in the place of the picture, in the state that was asked for in the meantime.
fn first(root: &HtmlElement) {
    let Some(place) = dom::find(root, ".live-figure") else { return };
    let Some(still) = dom::find(&place, "[data-widget]") else { return };
    let Some(widget) = widgets::find(&dom::attribute(&still, "data-widget")) else { return };
    let query = RwSignal::new(Query::parse(&dom::attribute(&still, "data-query")));
    take_states(&still, query);
    let still = SendWrapper::new(still);
    Effect::new(move |_| query.with(|query| dom::set(&still, "data-query", &query.to_string())));
    let show = move |module: Module| (module.view)(Props { query, alone: false, compact: true });
    Islands::new().put_deferred(place, || widget.to_show(), show);
}
