//! A draft chapter in a link: what differs from the course, compressed, in the fragment, which browsers keep from every server.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use ringside_learner::draft::{NAME, Shared};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::ui::script;

/// The script that packs and unpacks, which is that of the editor.
pub(super) const SCRIPT: &str = "author-editor.js";
const ELEMENT: &str = "author-editor";

/// The address of a draft, relative to the site's base.
///
/// # Errors
/// A sentence: it is too long for a link, or the browser cannot pack it.
pub(super) async fn address(shared: &Shared) -> Result<String, String> {
    // Strings can always be written.
    let json = serde_json::to_string(shared).unwrap_or_default();
    let letters = call("pack", &json, "This browser cannot pack a draft into a link. Send the files instead.").await?;
    Ok(format!("author/#{NAME}{letters}"))
}

/// The draft that letters say.
///
/// # Errors
/// A sentence: they say none.
pub(super) async fn read(letters: &str) -> Result<Shared, String> {
    let json = call("unpack", letters, "This browser cannot unpack a draft. Ask for the files.").await?;
    let shared: Shared = serde_json::from_str(&json)
        .map_err(|_| "The link holds something other than a draft of a chapter.".to_owned())?;
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if shared.folder.is_empty() || !shared.folder.bytes().all(plain) {
        return Err("The link holds a draft without a name that a chapter can have.".to_owned());
    }
    Ok(shared)
}

/// Has the script do something with a text.
async fn call(name: &str, text: &str, cannot: &str) -> Result<String, String> {
    script::ask(SCRIPT);
    let promise = |value: JsValue| value.dyn_into::<Promise>();
    let made = async {
        let elements = Reflect::get(&window(), &"customElements".into())?;
        let defined = Reflect::get(&elements, &"whenDefined".into())?.dyn_into::<Function>()?;
        let element = JsFuture::from(promise(defined.call1(&elements, &ELEMENT.into())?)?).await?;
        let function = Reflect::get(&element, &name.into())?.dyn_into::<Function>()?;
        JsFuture::from(promise(function.call1(&element, &text.into())?)?).await
    };
    made.await.map(|text: JsValue| text.as_string().unwrap_or_default()).map_err(|why: JsValue| {
        // It throws sentences; a browser throws errors.
        why.as_string().unwrap_or_else(|| cannot.to_owned())
    })
}
