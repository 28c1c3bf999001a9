//! The sheet with every way to share a figure.

use std::cell::RefCell;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::query::Query;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, HtmlImageElement};

use super::picture::{self, Picture};
use crate::page;
use crate::shell::embed::EMBED;
use crate::shell::figures;
use crate::shell::notices::{self, Level};
use crate::ui::said::{Said, say};
use crate::ui::{clipboard, dialog, dom, file, islands::Islands, link};

thread_local! {
    /// What belongs to the sheet goes with it.
    static OPEN: RefCell<Option<Owner>> = const { RefCell::new(None) };
}

/// The height of a frame that has not yet been told how high its figure is, in pixels.
const FRAME: u32 = 720;
/// How long the sheet stays after it was closed, in milliseconds: it gives the focus back first.
const AFTER: std::time::Duration = std::time::Duration::from_millis(50);

/// See [`super::Share`].
pub(super) fn open(from: HtmlElement) {
    let card = from.closest("[data-address]").ok().flatten().map(|card| card.unchecked_into());
    let meant = || figures::meant(Some(&from), "").and_then(|place| figures::within(&place));
    let Some(figure) = card.or_else(meant) else { return };
    let Ok(host) = document().create_element("div") else { return };
    let Some(body) = document().body() else { return };
    if body.append_child(&host).is_err() {
        return;
    }
    let host: HtmlElement = host.unchecked_into();
    let owner = Owner::new();
    OPEN.set(Some(owner.clone()));
    owner.with(move || {
        let is_open = RwSignal::new(true);
        let gone = host.clone();
        let close = StoredValue::new_local(move || {
            is_open.set(false);
            let gone = gone.clone();
            // Not from within what it takes down.
            let take_down = move || {
                if let Some(owner) = OPEN.take() {
                    owner.cleanup();
                }
                gone.remove();
            };
            set_timeout(take_down, AFTER);
        });
        let close = move || {
            // The browser says that it is closed once more, and by then it may be gone.
            close.try_with_value(|close| close());
        };
        let shared = StoredValue::new_local(Shared::of(&figure));
        let content = move || shared.with_value(Shared::view);
        let title =
            shared.with_value(|shared| if shared.frame.is_some() { "Share this figure" } else { "Share this card" });
        let sheet = move || dialog::view(is_open.into(), close, title, content).into_any();
        Islands::new().put(host, Box::new(sheet));
    });
}

/// See [`super::Share`].
pub(super) fn copy() {
    let address = figures::meant(None, "").map_or_else(
        || location().href().unwrap_or_default(),
        |place| state(figures::within(&place).as_ref().unwrap_or(&place)).0,
    );
    let on_its_way = page::pending();
    spawn_local(async move {
        let copied = clipboard::copy(&address).await;
        let said = if copied { format!("Copied: {address}") } else { format!("Copy it from here: {address}") };
        notices::say(Level::Info, said);
        drop(on_its_way);
    });
}

/// The address of a figure, or of one that is still to come, in its state; and the same in a frame.
fn state(figure: &HtmlElement) -> (String, String) {
    let ids = ["data-widget", "data-slot-widget"].map(|name| dom::attribute(figure, name));
    let id = ids.concat();
    let query = Query::parse(&dom::attribute(figure, "data-query"));
    let framed = query.with(&Query::new([(EMBED, "")]));
    (link::whole(&link::to_widget(&id, &query)), link::whole(&link::to_widget(&id, &framed)))
}

/// What is shared, as it was when the sheet was opened.
struct Shared {
    figure: HtmlElement,
    address: String,
    /// The figure in a frame; nothing for what is none, and says its address itself.
    frame: Option<String>,
    name: String,
}

impl Shared {
    fn of(figure: &HtmlElement) -> Self {
        let own = dom::attribute(figure, "data-address");
        if !own.is_empty() {
            let (address, name) = (link::whole(&own), dom::attribute(figure, "data-name"));
            return Self { figure: figure.clone(), address, frame: None, name };
        }
        let (address, framed) = state(figure);
        let title = dom::find(figure, ".figure-title").and_then(|e| e.text_content()).unwrap_or_default();
        let frame = format!(
            "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"{FRAME}\" style=\"border: 0\" loading=\"lazy\" \
             allow=\"clipboard-write; fullscreen\"></iframe>",
            dom::escaped(&framed),
            dom::escaped(&title)
        );
        Self { figure: figure.clone(), address, frame: Some(frame), name: dom::attribute(figure, "data-widget") }
    }

    fn view(&self) -> AnyView {
        let said: Said = RwSignal::new(None);
        let figure = StoredValue::new_local((self.figure.clone(), self.address.clone(), self.name.clone()));
        let save = move |as_png: bool| {
            move |_| {
                let (figure, address, name) = figure.get_value();
                spawn_local(async move {
                    let face = typeface().await.unwrap_or_default();
                    let picture = picture::of(&figure, &address, &face);
                    let saved = if as_png {
                        match png(&picture).await {
                            Ok(blob) => file::save_blob(&format!("{name}.png"), &blob),
                            Err(why) => Err(why),
                        }
                    } else {
                        file::save(&format!("{name}.svg"), "image/svg+xml", &picture.svg)
                    };
                    said.try_set(Some(saved));
                });
            }
        };
        let label = if self.frame.is_some() { "Link to this state" } else { "Link" };
        let frame = self.frame.clone().map(|frame| {
            view! {
                {copied("In a page of your own", frame)}
                <p class="fine">
                    "The frame tells the page around it how high the figure is and what it computes, and "
                    <a href="embedding.html" target="_blank">"can be driven"</a> "."
                </p>
            }
        });
        view! {
            <div class="share">
                {copied(label, self.address.clone())}
                {frame}
                <p class="share-pictures">"As a picture, 1920 pixels wide"</p>
                <p class="actions">
                    <button type="button" class="secondary" on:click=save(false)>"Save as SVG"</button>
                    <button type="button" class="secondary" on:click=save(true)>"Save as PNG"</button>
                </p>
                {say(said)}
            </div>
        }
        .into_any()
    }
}

/// A text to be copied: with a button, or by hand.
fn copied(label: &'static str, text: String) -> impl IntoView {
    let said = RwSignal::new("Copy");
    let shown = text.clone();
    let copy = move |_| {
        let text = text.clone();
        spawn_local(async move {
            said.try_set(if clipboard::copy(&text).await { "Copied ✓" } else { "Select it and copy" });
        });
    };
    let select = |event: leptos::ev::FocusEvent| event_target::<web_sys::HtmlInputElement>(&event).select();
    view! {
        <div class="share-row">
            <label>{label} <input type="text" readonly prop:value=shown on:focus=select /></label>
            <button type="button" class="secondary" aria-label=move || format!("{}: {label}", said.get()) on:click=copy>
                <span aria-live="polite">{move || said.get()}</span>
            </button>
        </div>
    }
}

/// The typeface of figures as a `data:` address.
async fn typeface() -> Option<String> {
    let link = document().query_selector("link[as=font][href*=inter]").ok()??;
    let address = link::whole(&dom::attribute(&link, "href"));
    let bytes = gloo_net::http::Request::get(&address).send().await.ok()?.binary().await.ok()?;
    let text: String = bytes.into_iter().map(char::from).collect();
    Some(format!("data:font/woff2;base64,{}", window().btoa(&text).ok()?))
}

/// A picture as a PNG file.
async fn png(picture: &Picture) -> Result<web_sys::Blob, String> {
    let drawn = draw(picture).await;
    drawn.ok_or_else(|| "This browser does not draw the figure into a picture; the SVG has all of it.".to_owned())
}

async fn draw(picture: &Picture) -> Option<web_sys::Blob> {
    let address = format!("data:image/svg+xml;charset=utf-8,{}", js_sys::encode_uri_component(&picture.svg));
    let image = HtmlImageElement::new().ok()?;
    image.set_src(&address);
    JsFuture::from(image.decode()).await.ok()?;
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.unchecked_into();
    canvas.set_width(picture::WIDTH as u32);
    canvas.set_height(picture.height as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.unchecked_into();
    context.draw_image_with_html_image_element(&image, 0.0, 0.0).ok()?;
    let made = js_sys::Promise::new(&mut |resolve, _| {
        let done = Closure::once_into_js(move |blob: JsValue| resolve.call1(&JsValue::NULL, &blob));
        // A canvas that refuses never answers, and neither would this: it is asked for what it has drawn itself.
        let _ = canvas.to_blob(done.unchecked_ref());
    });
    JsFuture::from(made).await.ok()?.dyn_into().ok()
}
