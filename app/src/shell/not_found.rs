//! No such page.

use leptos::prelude::*;

use crate::page;

/// Says so and offers the ways on.
pub fn view() -> impl IntoView {
    page::title("Not found");
    view! {
        <article class="prose">
            <h1>"There is no such page"</h1>
            <p>"The link may be mistyped, or older than the page it meant. Everything can be reached from "
                <a href="./">"the reading map"</a> ", and " <kbd>"/"</kbd> " searches the whole course."
            </p>
        </article>
    }
}
