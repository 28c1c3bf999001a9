//! Scripts that come with the course, asked for by whoever needs them first.

use std::cell::RefCell;
use std::collections::BTreeSet;

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::data;

thread_local! {
    static ASKED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// Asks for a module, once. Whoever asks can do without it.
pub fn ask(name: &'static str) {
    if !ASKED.with_borrow_mut(|asked| asked.insert(name)) {
        return;
    }
    let add = || -> Result<(), JsValue> {
        let script = document().create_element("script")?;
        script.set_attribute("type", "module")?;
        script.set_attribute("src", &data::address_of(name))?;
        let head = document().head().ok_or(JsValue::NULL)?;
        head.append_child(&script).map(drop)
    };
    let _ = add();
}
