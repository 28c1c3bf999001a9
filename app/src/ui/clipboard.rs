//! Copying.

use wasm_bindgen_futures::JsFuture;

/// Puts `text` on the clipboard. `false` if the browser does not allow it: show the text instead.
pub async fn copy(text: &str) -> bool {
    let navigator = leptos::prelude::window().navigator();
    // The clipboard is absent on pages that are not served over HTTPS.
    let available = js_sys::Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|c| !c.is_undefined());
    available && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}
