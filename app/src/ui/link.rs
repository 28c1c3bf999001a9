//! Addresses of widgets, relative to the site's base and whole.

use leptos::prelude::*;
use ringside_core::query::Query;

/// A widget's own page in this state, relative to the site's base.
pub fn to_widget(id: &str, query: &Query) -> String {
    if query.is_empty() { format!("w/{id}/") } else { format!("w/{id}/?{query}") }
}

/// What the fragment of a link to `/run` begins with that holds a run.
pub const RUN: &str = "r=";

/// `/run` with a run file, relative to the site's base.
pub fn to_run(file: &str) -> String {
    format!("run/#{RUN}{}", String::from(js_sys::encode_uri_component(file)))
}

/// The whole address of a page of this site.
pub fn whole(relative: &str) -> String {
    document()
        .base_uri()
        .ok()
        .flatten()
        .and_then(|base| web_sys::Url::new_with_base(relative, &base).ok())
        .map_or_else(|| relative.to_owned(), |url| url.href())
}
