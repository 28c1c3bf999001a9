//! How the programs that run in a worker hear the page, and speak to it.

use js_sys::{Function, Reflect};
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

fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}
