//! Files that a learner gives to the page. They stay in the browser.

use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;

/// The text of a file.
///
/// # Errors
/// A sentence: it is gone, or it may not be read.
pub async fn read_text(file: &web_sys::File) -> Result<String, String> {
    match JsFuture::from(file.text()).await {
        Ok(text) => Ok(text.as_string().unwrap_or_default()),
        Err(_) => Err(format!("{} could not be read. Was it moved or deleted?", file.name())),
    }
}

/// The first file that was chosen in the `<input type=file>` of this event. The choice is cleared, so that choosing the same
/// file again is an event again.
pub fn chosen(event: &web_sys::Event) -> Option<web_sys::File> {
    let input = event.target()?.dyn_into::<web_sys::HtmlInputElement>().ok()?;
    let file = input.files()?.get(0);
    input.set_value("");
    file
}
