//! A place onto which files are dropped.

use leptos::ev::DragEvent;
use leptos::prelude::*;

use super::file;

/// `content`, with everything around it that takes dropped files.
pub fn drop_zone(take: impl Fn(Vec<web_sys::File>) + 'static, content: AnyView) -> AnyView {
    view! {
        <div
            class="drop-zone"
            on:dragover=|event: DragEvent| event.prevent_default()
            on:drop=move |event: DragEvent| {
                event.prevent_default();
                take(file::dropped(&event));
            }
        >
            {content}
        </div>
    }
    .into_any()
}
