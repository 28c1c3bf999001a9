//! Texts of a list, rendered by the worker that renders what authors write: so one Markdown holds everywhere, and nobody who shows none downloads it.

use js_sys::{Array, Function, Promise};
use leptos::prelude::*;
use ringside_content::schema::{Html, SLIDES};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use crate::worker::{Program, Worker};

const RENDERER: Program =
    Program { meta: "ringside-author", does: "renders the texts of a list", remedy: "The rest of the list is there." };

/// HTML and sentences about what of a text could not be used, or why there is none.
type Rendered = Result<(String, Vec<String>), String>;

/// Renders each of `texts`.
pub(super) async fn render(texts: &[&str]) -> Vec<Rendered> {
    if texts.is_empty() {
        return Vec::new();
    }
    match ask(texts).await {
        Ok(all) => all.into_iter().map(|(html, wrong)| Ok((html.0, wrong))).collect(),
        Err(why) => texts.iter().map(|_| Err(why.clone())).collect(),
    }
}

async fn ask(texts: &[&str]) -> Result<Vec<(Html, Vec<String>)>, String> {
    let request: Array = ["", SLIDES].iter().chain(texts).map(|text| JsValue::from_str(text)).collect();
    let (request, worker) = (StoredValue::new_local(request), StoredValue::new_local(None::<Worker>));
    let ends = StoredValue::new_local(None::<(Function, Function)>);
    let answer = Promise::new(&mut |answered, failed| ends.set_value(Some((answered, failed))));
    let end = move |with: Result<JsValue, String>| {
        if let Some(Some((answered, failed))) = ends.try_update_value(Option::take) {
            // They are the ends of a promise; calling them does not fail.
            let _ = match with {
                Ok(text) => answered.call1(&JsValue::NULL, &text),
                Err(why) => failed.call1(&JsValue::NULL, &why.into()),
            };
        }
    };
    let hear = move |said: Result<JsValue, String>| match said {
        // It is ready.
        Ok(text) if text.as_string().is_some_and(|text| text.is_empty()) => {
            worker.try_with_value(|worker| {
                if let Some(worker) = worker {
                    request.with_value(|request| worker.post(request));
                }
            });
        }
        said => end(said),
    };
    match Worker::start(RENDERER, hear) {
        Ok(started) => worker.set_value(Some(started)),
        Err(why) => end(Err(why)),
    }
    let answer = JsFuture::from(answer).await;
    worker.dispose();
    request.dispose();
    ends.dispose();
    let text = answer.map_err(|why| why.as_string().unwrap_or_default())?.as_string().unwrap_or_default();
    serde_json::from_str(&text).map_err(|_| "The texts of the list could not be rendered. Reload the page.".to_owned())
}
