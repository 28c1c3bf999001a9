//! The service worker, as the page talks to it.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    MessageChannel, MessageEvent, ServiceWorker, ServiceWorkerContainer, ServiceWorkerRegistration, ServiceWorkerState,
};

use crate::shell::notices::{self, Level};
use crate::store::store;
use crate::ui::idle::saves_data;
use crate::ui::{dom, link};

/// How long the page is left in peace before the whole course is fetched, in milliseconds.
const PEACE: u32 = 4000;
/// How long a worker is waited for that is being installed: so many times so many milliseconds.
const PATIENCE: (u32, u32) = (100, 50);

/// What is kept of a version of the site, in files and in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Kept {
    pub(super) files: u32,
    pub(super) of_files: u32,
    pub(super) bytes: f64,
    pub(super) of_bytes: f64,
    /// Whether that is the version of the page that asks.
    current: bool,
}

impl Kept {
    /// Whether it is all of it.
    pub(super) fn is_whole(&self) -> bool {
        self.files == self.of_files
    }
}

/// The browser's service workers; none where it has none, or does not allow them.
fn container() -> Option<ServiceWorkerContainer> {
    let navigator = window().navigator();
    let has = js_sys::Reflect::get(&navigator, &"serviceWorker".into()).is_ok_and(|c| !c.is_undefined());
    has.then(|| navigator.service_worker())
}

/// Whether this browser can keep the site.
pub(super) fn is_possible() -> bool {
    container().is_some()
}

/// Keeps what the page has loaded, then the whole course, unless the learner does not want it.
pub(super) fn begin() {
    if store().peek(|doc| doc.settings.online_only) {
        return;
    }
    spawn_local(async {
        let Some(registration) = register().await else { return };
        offer_updates(&registration);
        let Some(worker) = newest(&registration).await else { return };
        greet(&worker).await;
        ask(&worker, &json!({ "type": "keep", "names": loaded() })).await;
        if !saves_data() {
            TimeoutFuture::new(PEACE).await;
            ask(&worker, &json!({ "type": "keep all" })).await;
        }
    });
}

/// Keeps the whole course now.
pub(super) async fn keep_all() {
    let Some(registration) = register().await else { return };
    if let Some(worker) = newest(&registration).await {
        ask(&worker, &json!({ "type": "keep all" })).await;
    }
}

/// What is kept now; none if nothing is.
pub(super) async fn kept() -> Option<Kept> {
    ask(&newest(&registered().await?).await?, &json!({ "type": "state" })).await
}

/// Deletes all that is kept, and keeps nothing until [`begin`]. `false` if the browser does not let it.
pub(super) async fn forget() -> bool {
    let Some(registration) = registered().await else { return true };
    for worker in [registration.waiting(), registration.active()].into_iter().flatten() {
        heard(&worker, &json!({ "type": "forget" })).await;
    }
    match registration.unregister() {
        Ok(done) => JsFuture::from(done).await.is_ok(),
        Err(_) => false,
    }
}

async fn register() -> Option<ServiceWorkerRegistration> {
    let promise = container()?.register(&link::whole("sw.js"));
    JsFuture::from(promise).await.ok()?.dyn_into().ok()
}

async fn registered() -> Option<ServiceWorkerRegistration> {
    JsFuture::from(container()?.get_registration()).await.ok()?.dyn_into().ok()
}

/// The worker of the newest version, once it is able to answer.
async fn newest(registration: &ServiceWorkerRegistration) -> Option<ServiceWorker> {
    let worker = registration.installing().or_else(|| registration.waiting()).or_else(|| registration.active())?;
    let (times, pause) = PATIENCE;
    for _ in 0..times {
        match worker.state() {
            ServiceWorkerState::Installing | ServiceWorkerState::Activating => TimeoutFuture::new(pause).await,
            _ => break,
        }
    }
    Some(worker)
}

thread_local! {
    /// What listens for new versions, as long as the page is open.
    static LISTENING: Owner = Owner::new();
}

/// Says when a version has come that is newer than this page.
fn offer_updates(registration: &ServiceWorkerRegistration) {
    let found = {
        let registration = registration.clone();
        move |_| {
            let Some(worker) = registration.installing() else { return };
            let has_come = worker.clone();
            let changed = move |_| {
                if has_come.state() == ServiceWorkerState::Installed {
                    let worker = has_come.clone();
                    spawn_local(async move { greet(&worker).await });
                }
            };
            LISTENING.with(|owner| owner.with(|| dom::on(&worker, "statechange", changed)));
        }
    };
    LISTENING.with(|owner| owner.with(|| dom::on(registration, "updatefound", found)));
}

/// Shows this page to a worker. One of the same version takes over if it can; one of another has come with a newer version.
async fn greet(worker: &ServiceWorker) {
    let head = document().head().map(|head| head.inner_html()).unwrap_or_default();
    let answer = ask(worker, &json!({ "type": "greet", "head": head })).await;
    if answer.is_some_and(|kept| !kept.current) {
        let text = "A new version of Ringside is here. Reload the page to use it; until then this one goes on working.";
        notices::say(Level::Info, text.to_owned());
    }
}

/// The addresses of what the page has loaded, itself included.
fn loaded() -> Vec<String> {
    let mut names = vec![location().href().unwrap_or_default()];
    if let Some(performance) = window().performance() {
        let entries = performance.get_entries_by_type("resource");
        let name = |entry: JsValue| js_sys::Reflect::get(&entry, &"name".into()).ok()?.as_string();
        names.extend(entries.iter().filter_map(name));
    }
    names
}

/// Asks the worker for something, and yields what is kept when it has been done.
async fn ask(worker: &ServiceWorker, message: &Value) -> Option<Kept> {
    let answer = js_sys::JSON::stringify(&heard(worker, message).await?).ok()?;
    serde_json::from_str(&String::from(answer)).ok()
}

/// What the worker answers when it has done what it is asked for.
async fn heard(worker: &ServiceWorker, message: &Value) -> Option<JsValue> {
    let channel = MessageChannel::new().ok()?;
    let message = js_sys::JSON::parse(&message.to_string()).ok()?;
    let answer = js_sys::Promise::new(&mut |resolve, _| {
        let heard = Closure::once_into_js(move |event: MessageEvent| resolve.call1(&JsValue::NULL, &event.data()));
        channel.port1().set_onmessage(Some(heard.unchecked_ref()));
    });
    worker.post_message_with_transferable(&message, &js_sys::Array::of1(&channel.port2())).ok()?;
    JsFuture::from(answer).await.ok()
}
