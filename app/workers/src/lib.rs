//! How the programs that run in a worker hear the page, and speak to it.

use js_sys::{Array, Function, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Has `hear` called with whatever the page posts from now on; what was posted before is lost. Whether the scope of the worker
/// takes it: if not, the page must never be told that the program is ready.
pub fn hear(hear: impl Fn(JsValue) + 'static) -> bool {
    let on_message = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| hear(member(&event, "data")));
    Reflect::set(&js_sys::global(), &"onmessage".into(), &on_message.into_js_value()) == Ok(true)
}

/// Posts to the page.
pub fn post(message: &JsValue) {
    let scope = js_sys::global();
    if let Ok(post) = member(&scope, "postMessage").dyn_into::<Function>() {
        // A page that is gone hears nothing.
        let _ = post.call1(&scope, message);
    }
}

/// Posts to the page, as bytes of postcard.
pub fn say(said: &impl Serialize) {
    // Everything that is said can be written.
    let bytes = postcard::to_allocvec(said).unwrap_or_default();
    post(&Uint8Array::from(bytes.as_slice()));
}

/// A member of an object; undefined if it has none of this name.
pub fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// What a method of an object returns; none if it has none of this name, or that fails.
pub fn call(object: &JsValue, name: &str, arguments: &Array) -> Option<JsValue> {
    member(object, name).dyn_into::<Function>().ok()?.apply(object, arguments).ok()
}
