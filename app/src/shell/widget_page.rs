//! Being written.
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use crate::deferred::{NotLoaded, Page};

/// Downloads the page.
#[wasm_split(widget_page, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

fn view() -> AnyView {
    view! { <p>"…"</p> }.into_any()
}
