//! A figure in a frame of another page: what it says to that page, and what it lets itself be told. `public/embedding.html` is its promise.

use std::collections::BTreeMap;

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::query::{ParamSpec, Query};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{MessageEvent, ResizeObserver, Window};

use crate::deferred::lazy;
use crate::router;
use crate::ui::later::Later;
use crate::ui::{dom, link};

/// The name in the address by which a widget's page is only its figure.
pub const EMBED: &str = "embed";
/// What messages of ours bear, in both directions.
const SOURCE: &str = "ringside";
/// The longest message that is read, in characters.
const LONGEST: u32 = 20_000;

/// Connects the figure of a model, with its state, to the page around it.
pub(super) type Connect = fn(&'static Entry, RwSignal<Query>);

lazy! {
    /// Downloads it.
    embed: pub(super) fn load() -> Connect {
        connect
    }
}

/// Whether the address asks for the figure alone.
pub(super) fn is_asked() -> bool {
    router::query().get(EMBED).is_some()
}

/// The page around the frame, if there is one.
fn around() -> Option<Window> {
    let parent = window().parent().ok().flatten()?;
    (parent != window()).then_some(parent)
}

fn connect(model: &'static Entry, query: RwSignal<Query>) {
    let Some(parent) = around() else { return };
    let parent = StoredValue::new_local(parent);
    let say = move |message: &Value| {
        let Ok(message) = js_sys::JSON::parse(&message.to_string()) else { return };
        // What is in it is on show for everybody. A page that has gone hears nothing.
        parent.with_value(|parent| {
            let _ = parent.post_message(&message, "*");
        });
    };
    say(
        &json!({ "source": SOURCE, "type": "ready", "version": 1, "widget": model.id, "parameters": parameters(model) }),
    );

    // A state on which the figure rests.
    let rest = Later::after(60);
    Effect::new(move |_| {
        query.track();
        rest.run(move || say(&state(model, &query.get_untracked())));
    });

    let seen = StoredValue::new(0);
    let measure = move || {
        // The body is as high as the figure; the root at least as high as the frame.
        let high = document().body().map_or(0, |body| body.offset_height());
        if seen.try_get_value().is_some_and(|before| before != high) {
            seen.set_value(high);
            say(&json!({ "source": SOURCE, "type": "size", "height": high }));
        }
    };
    let resized = Closure::<dyn FnMut()>::new(measure);
    if let (Ok(observer), Some(body)) = (ResizeObserver::new(resized.as_ref().unchecked_ref()), document().body()) {
        observer.observe(&body);
        let kept = SendWrapper::new((observer, resized));
        on_cleanup(move || kept.0.disconnect());
    }

    dom::on(&window(), "message", move |event| {
        let event: MessageEvent = event.unchecked_into();
        let from_around =
            event.source().is_some_and(|source| parent.with_value(|p| source == *p.unchecked_ref::<js_sys::Object>()));
        if !from_around {
            return;
        }
        match read(&event.data()) {
            None => {}
            Some(Ok(Asked::State)) => say(&state(model, &query.get_untracked())),
            Some(Ok(Asked::Set(changes))) => query.update(|q| *q = q.with(&changes)),
            Some(Ok(Asked::Replace(all))) => query.set(all),
            Some(Err(why)) => say(&json!({ "source": SOURCE, "type": "error", "message": why })),
        }
    });
}

/// The parameters of a model, as it documents them.
fn parameters(model: &Entry) -> Vec<Value> {
    let parameter = |spec: &ParamSpec| json!({ "name": spec.name, "about": spec.doc, "default": spec.default });
    model.specs().into_iter().map(parameter).collect()
}

/// What the figure shows: its state as understood, its numbers in base units, and what of the state could not be used.
fn state(model: &Entry, query: &Query) -> Value {
    let result = (model.evaluate)(query);
    let quantities: BTreeMap<&str, f64> = result.quantities.iter().map(|q| (q.id, q.value)).collect();
    let problems: Vec<&str> = result.problems.iter().map(|p| p.message.as_str()).collect();
    json!({
        "source": SOURCE,
        "type": "state",
        "widget": model.id,
        "query": result.query.to_string(),
        "link": link::whole(&link::to_widget(model.id, query)),
        "quantities": quantities,
        "problems": problems,
        "error": result.error,
    })
}

/// What a message asks for.
#[derive(Debug, PartialEq)]
enum Asked {
    State,
    Set(Query),
    Replace(Query),
}

/// Reads a message; none if it is not meant for us. An error says what is wrong and what would be right.
fn read(data: &JsValue) -> Option<Result<Asked, String>> {
    let text = js_sys::JSON::stringify(data).ok()?;
    if text.length() > LONGEST {
        return None;
    }
    understand(&String::from(text))
}

fn understand(text: &str) -> Option<Result<Asked, String>> {
    let message: Value = serde_json::from_str(text).ok()?;
    (message.get("source")?.as_str()? == SOURCE).then_some(())?;
    Some(match message.get("type").and_then(Value::as_str) {
        Some("get") => Ok(Asked::State),
        Some("set") => match (message.get("parameters"), message.get("query")) {
            (Some(Value::Object(map)), _) => {
                let pair = |(name, value): (&String, &Value)| match value {
                    Value::String(text) => Ok((name.clone(), text.clone())),
                    Value::Number(number) => Ok((name.clone(), number.to_string())),
                    Value::Bool(on) => Ok((name.clone(), on.to_string())),
                    _ => Err(format!("The parameter “{name}” must be a text, a number, true or false.")),
                };
                map.iter().map(pair).collect::<Result<Vec<_>, _>>().map(|pairs| Asked::Set(Query::new(pairs)))
            }
            (None, Some(Value::String(query))) => Ok(Asked::Replace(Query::parse(query))),
            _ => Err("`set` needs `parameters`, an object, or `query`, a text.".to_owned()),
        },
        _ => Err("`type` is “set” or “get”.".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_understood_or_refused() {
        let set = r#"{"source":"ringside","type":"set","parameters":{"zero":3,"params":"30e9","sp":true}}"#;
        let query = Query::new([("params", "30e9"), ("sp", "true"), ("zero", "3")]);
        assert_eq!(understand(set), Some(Ok(Asked::Set(query))));
        let all = r#"{"source":"ringside","type":"set","query":"zero=3&dp=8"}"#;
        assert_eq!(understand(all), Some(Ok(Asked::Replace(Query::new([("zero", "3"), ("dp", "8")])))));
        assert_eq!(understand(r#"{"source":"ringside","type":"get"}"#), Some(Ok(Asked::State)));
        for others in ["", "null", "[]", "1", r#"{"type":"get"}"#, r#"{"source":"react","type":"get"}"#, "{"] {
            assert_eq!(understand(others), None, "{others}");
        }
        for wrong in [
            r#"{"source":"ringside"}"#,
            r#"{"source":"ringside","type":"eval"}"#,
            r#"{"source":"ringside","type":"set"}"#,
            r#"{"source":"ringside","type":"set","parameters":[1]}"#,
            r#"{"source":"ringside","type":"set","parameters":{"zero":{}}}"#,
            r#"{"source":"ringside","type":"set","query":3}"#,
        ] {
            assert!(matches!(understand(wrong), Some(Err(_))), "{wrong}");
        }
    }
}
