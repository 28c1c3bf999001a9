//! The figure of the first screen: still in the page as built, and then the widget.

use leptos::prelude::*;
use ringside_core::query::Query;
use send_wrapper::SendWrapper;
use web_sys::HtmlElement;

use crate::ui::dom;
use crate::ui::figure::take_states;
use crate::ui::islands::Islands;
use crate::widgets::{self, Module, Props};

/// Downloads the widget and shows it in the place of the picture, in the state that was asked for in the meantime.
pub(super) fn enliven(root: &HtmlElement) {
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
