//! The live figure on the first screen.

use leptos::prelude::*;
use ringside_core::query::Query;
use web_sys::HtmlElement;

use crate::ui::islands::Islands;
use crate::widgets::{FIRST, Module, Props};

/// Puts the figure into its place, with the controls that matter most.
pub(super) fn put(place: HtmlElement) {
    let query = RwSignal::new(Query::default());
    let show = move |module: Module| (module.view)(Props { query, alone: false, compact: true });
    Islands::new().put_deferred(place, || FIRST.to_show(), show);
}
