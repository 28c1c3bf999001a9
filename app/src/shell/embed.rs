//! A figure in a frame of another page: what it says to that page, and what it lets itself be told. `public/embedding.html` is its promise.

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::embed::{Asked, SOURCE, parameters, state, understand};
use ringside_core::query::Query;
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

    let now = move || {
        let query = query.get_untracked();
        state(model, &query, &link::whole(&link::to_widget(model.id, &query)))
    };
    // A state on which the figure rests.
    let rest = Later::after(60);
    Effect::new(move |_| {
        query.track();
        rest.run(move || say(&now()));
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
            Some(Ok(Asked::State)) => say(&now()),
            Some(Ok(Asked::Set(changes))) => query.update(|q| *q = q.with(&changes)),
            Some(Ok(Asked::Replace(all))) => query.set(all),
            Some(Err(why)) => say(&json!({ "source": SOURCE, "type": "error", "message": why })),
        }
    });
}

/// Reads a message; none if it is not meant for us. An error says what is wrong and what would be right.
fn read(data: &JsValue) -> Option<Result<Asked, String>> {
    let text = js_sys::JSON::stringify(data).ok()?;
    if text.length() > LONGEST {
        return None;
    }
    understand(&String::from(text))
}
