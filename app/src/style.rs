//! Style sheets that are downloaded with what they are for. The build puts them beside the course's files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;

use js_sys::Promise;
use leptos::prelude::document;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlLinkElement;

use crate::data;
use crate::deferred::NotLoaded;

thread_local! {
    static SHEETS: RefCell<BTreeMap<&'static str, Promise>> = const { RefCell::new(BTreeMap::new()) };
}

/// Code with sheets of `app/styles/on-demand/`, all downloaded at once. Sheets apply in the order in which they are first
/// asked for.
///
/// # Errors
/// One of them could not be downloaded; asking again tries again.
pub fn with<T>(
    names: &'static [&'static str],
    code: impl Future<Output = Result<T, NotLoaded>>,
) -> impl Future<Output = Result<T, NotLoaded>> {
    let sheet = |name| SHEETS.with_borrow_mut(|sheets| sheets.entry(name).or_insert_with(|| add(name)).clone());
    let sheets: Vec<_> = names.iter().map(|name| (*name, sheet(*name))).collect();
    async move {
        let code = code.await?;
        for (name, sheet) in sheets {
            if JsFuture::from(sheet).await.is_err() {
                SHEETS.with_borrow_mut(|sheets| sheets.remove(name));
                return Err(NotLoaded);
            }
        }
        Ok(code)
    }
}

fn add(name: &str) -> Promise {
    Promise::new(&mut |there, failed| {
        let added = || -> Result<(), JsValue> {
            let link: HtmlLinkElement = document().create_element("link")?.unchecked_into();
            link.set_rel("stylesheet");
            link.set_href(&data::address_of(&format!("styles/{name}.css")));
            link.set_onload(Some(&there));
            link.set_onerror(Some(&failed));
            document().head().ok_or(JsValue::NULL)?.append_child(&link).map(drop)
        };
        if let Err(why) = added() {
            // It is a function; calling it does not fail.
            let _ = failed.call1(&JsValue::NULL, &why);
        }
    })
}
