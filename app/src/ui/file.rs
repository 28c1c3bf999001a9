//! Files that a learner gives to the page. They stay in the browser.

use std::cell::RefCell;

use leptos::prelude::*;
use ringside_core::quantity::bytes_decimal;
use ringside_pieces::{Damaged, Pieces};
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;

use crate::router;

/// The text of a file of at most so many bytes.
///
/// # Errors
/// A sentence: it is larger, or gone, or may not be read.
pub async fn read_text(file: &web_sys::File, most: f64) -> Result<String, String> {
    fits(file, most)?;
    let text = JsFuture::from(file.text()).await.map_err(|_| gone(file))?;
    Ok(text.as_string().unwrap_or_default())
}

/// The beginning of a file as it is unpacked, at most so many bytes, and whether that is all of it.
///
/// # Errors
/// A sentence: it is gone, damaged, or packed in a browser that doesn't unpack.
pub async fn start(file: &web_sys::File, most: usize) -> Result<(Vec<u8>, bool), String> {
    let pieces = Pieces::of(file).await?;
    let mut all = Vec::new();
    while all.len() <= most {
        let damaged =
            |Damaged| format!("{} could not be read to its end. Was it moved, or is it damaged?", file.name());
        let Some(piece) = pieces.next().await.map_err(damaged)? else { return Ok((all, true)) };
        all.extend(piece);
    }
    pieces.cancel();
    all.truncate(most);
    Ok((all, false))
}

/// Whether a file has at most so many bytes.
///
/// # Errors
/// A sentence: it is larger.
pub fn fits(file: &web_sys::File, most: f64) -> Result<(), String> {
    if file.size() <= most {
        return Ok(());
    }
    let (size, most) = (bytes_decimal(file.size()), bytes_decimal(most));
    Err(format!("{} has {size}; at most {most} are read here.", file.name()))
}

fn gone(file: &web_sys::File) -> String {
    format!("{} could not be read. Was it moved or deleted?", file.name())
}

/// The first file that was chosen in the `<input type=file>` of this event; see [`all_chosen`].
pub fn chosen(event: &web_sys::Event) -> Option<web_sys::File> {
    all_chosen(event).into_iter().next()
}

/// Every file that was chosen in the `<input type=file>` of this event. The choice is cleared, so that choosing the same
/// files again is an event again.
pub fn all_chosen(event: &web_sys::Event) -> Vec<web_sys::File> {
    let Some(input) = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok()) else {
        return Vec::new();
    };
    // The list is emptied with the choice.
    let files = listed(input.files());
    input.set_value("");
    files
}

/// Every file that was dropped.
pub fn dropped(event: &web_sys::DragEvent) -> Vec<web_sys::File> {
    listed(event.data_transfer().and_then(|data| data.files()))
}

fn listed(files: Option<web_sys::FileList>) -> Vec<web_sys::File> {
    let Some(files) = files else { return Vec::new() };
    (0..files.length()).filter_map(|i| files.get(i)).collect()
}

thread_local! {
    static HANDED: RefCell<Option<web_sys::File>> = const { RefCell::new(None) };
}

/// A file with this text; none in a browser that makes no files.
pub fn of_text(name: &str, text: &str) -> Option<web_sys::File> {
    web_sys::File::new_with_str_sequence(&js_sys::Array::of1(&text.into()), name).ok()
}

/// Keeps a file for the next figure or page that takes one.
pub fn hand_over(file: Option<web_sys::File>) {
    HANDED.with(|handed| drop(handed.replace(file)));
}

/// Gives `take` each file that is handed over to this page: by the link that led here, and by every link that leads here again.
pub fn on_handed_over(take: impl Fn(web_sys::File) + 'static) {
    let address = router::address();
    let route = address.route();
    let here = route.get_untracked();
    Effect::new(move |_| {
        address.track();
        // What a link elsewhere brings is for that page.
        if route.get_untracked() == here
            && let Some(file) = HANDED.with(RefCell::take)
        {
            take(file);
        }
    });
}

/// Gives the learner a file with this text. Yields the sentence that says so.
///
/// # Errors
/// A sentence: the browser did not take it.
pub fn save(name: &str, media_type: &str, text: &str) -> Result<String, String> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(media_type);
    let parts = js_sys::Array::of1(&text.into());
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options).map_err(|_| refused(name))?;
    save_blob(name, &blob)
}

/// Gives the learner a file with these bytes. Yields the sentence that says so.
///
/// # Errors
/// A sentence: the browser did not take it.
pub fn save_bytes(name: &str, media_type: &str, bytes: &[u8]) -> Result<String, String> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(media_type);
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes).into());
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &options).map_err(|_| refused(name))?;
    save_blob(name, &blob)
}

fn refused(name: &str) -> String {
    format!("This browser did not take the file {name}.")
}

/// After how many milliseconds every browser has begun to save a file.
const LONG_ENOUGH: u32 = 40_000;

/// Gives the learner a file with what is in `blob`. Yields the sentence that says so.
///
/// # Errors
/// A sentence: the browser did not take it.
pub fn save_blob(name: &str, blob: &web_sys::Blob) -> Result<String, String> {
    let refused = |_| refused(name);
    let url = web_sys::Url::create_object_url_with_blob(blob).map_err(refused)?;
    let link = document().create_element("a").map_err(refused)?;
    let link: web_sys::HtmlAnchorElement = link.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // Safari fetches it after the click (WebKit bug 211234). An address that is never revoked costs its memory until the
    // page is left.
    let revoke = move || drop(web_sys::Url::revoke_object_url(&url));
    gloo_timers::callback::Timeout::new(LONG_ENOUGH, revoke).forget();
    Ok(format!("{name} is in your downloads."))
}
