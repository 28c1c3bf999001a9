//! What came of what the learner just did, said beside where they did it.

use leptos::prelude::*;

/// Nothing yet, or a sentence: that it went well, or why it did not.
pub type Said = RwSignal<Option<Result<String, String>>>;

/// Says it, aloud too.
pub fn say(said: Said) -> impl IntoView {
    view! {
        <div role="status">
            {move || {
                said.get()
                    .map(|said| match said {
                        Ok(text) => view! { <p class="went-well sans">{text}</p> }.into_any(),
                        Err(text) => view! { <div class="message"><p>{text}</p></div> }.into_any(),
                    })
            }}
        </div>
    }
}
