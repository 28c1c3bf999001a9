//! Something that did not come, and may when it is asked for again.

use leptos::prelude::*;

/// Says why, and offers to try `again`.
pub fn trouble(why: String, again: impl Fn() + 'static) -> AnyView {
    view! {
        <div class="message" role="alert">
            <p>{why}</p>
            <button type="button" on:click=move |_| again()>"Try again"</button>
        </div>
    }
    .into_any()
}
