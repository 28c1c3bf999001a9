//! The browser's camera: asked for, looked through, and let go.

use js_sys::{Array, Function, JSON, Promise, Reflect};
use leptos::prelude::window;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlVideoElement;

/// A camera that is on. It goes off when this is dropped.
pub(super) struct Camera {
    stream: JsValue,
}

/// A camera that could be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    /// What the browser knows it by, on this page.
    pub(super) id: String,
    /// What a person calls it.
    pub(super) label: String,
}

fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

fn call(object: &JsValue, name: &str, arguments: &Array) -> Option<JsValue> {
    member(object, name).dyn_into::<Function>().ok()?.apply(object, arguments).ok()
}

/// What a promise of the browser's comes to; an error is its name.
async fn settled(promise: Option<JsValue>) -> Result<JsValue, String> {
    let promise: Option<Promise> = promise.and_then(|promise| promise.dyn_into().ok());
    let promise = promise.ok_or_else(String::new)?;
    JsFuture::from(promise).await.map_err(|why| member(&why, "name").as_string().unwrap_or_default())
}

fn devices() -> JsValue {
    member(&window().navigator(), "mediaDevices")
}

impl Camera {
    /// Turns a camera on: this one, or the one that the browser takes.
    ///
    /// # Errors
    /// Why there is none, and what to do: a sentence.
    pub(super) async fn open(device: Option<String>) -> Result<Self, String> {
        if member(&window(), "isSecureContext").is_falsy() {
            return Err("This page can’t use the camera because it wasn’t loaded over HTTPS. Open the site at its https:// address.".into());
        }
        let wanted = "{\"audio\":false,\"video\":{\"width\":{\"ideal\":1920},\"height\":{\"ideal\":1080},\"facingMode\":{\"ideal\":\"environment\"}}}";
        let wanted = JSON::parse(wanted).unwrap_or(JsValue::UNDEFINED);
        if let Some(device) = device {
            // This one, however much better another would do.
            let exact = js_sys::Object::new();
            let _ = Reflect::set(&exact, &"exact".into(), &device.into());
            let _ = Reflect::set(&member(&wanted, "video"), &"deviceId".into(), &exact);
        }
        let asked = call(&devices(), "getUserMedia", &Array::of1(&wanted));
        let why = match settled(asked).await {
            Ok(stream) => return Ok(Self { stream }),
            Err(why) => why,
        };
        Err(match why.as_str() {
            "NotAllowedError" | "SecurityError" => {
                "The browser didn’t give this page the camera. Reload the page and try again. If that doesn’t help, allow the camera for this site in the address bar."
            }
            "NotFoundError" | "OverconstrainedError" => "This computer has no camera that the browser can see. Connect one, and try again.",
            "NotReadableError" | "AbortError" => "The camera doesn’t start. Close other programs that use it, and try again.",
            _ => "This browser gives pages no camera. Use a current Chrome, Edge, Firefox or Safari.",
        }
        .to_owned())
    }

    /// Shows what it sees.
    pub(super) fn show(&self, video: &HtmlVideoElement) {
        // A video that can't show it gives no picture, either.
        let _ = Reflect::set(video, &"srcObject".into(), &self.stream);
        // By itself a browser plays only what is on the screen.
        let playing = settled(call(video, "play", &Array::new()));
        spawn_local(async move { drop(playing.await) });
    }

    /// Whether it goes on: it was neither unplugged nor taken away.
    pub(super) fn is_on(&self) -> bool {
        self.tracks().iter().any(|track| member(&track, "readyState").as_string().as_deref() == Some("live"))
    }

    fn tracks(&self) -> Array {
        call(&self.stream, "getVideoTracks", &Array::new()).map(|tracks| Array::from(&tracks)).unwrap_or_default()
    }

    /// Which of [`cameras`] it is.
    pub(super) fn device(&self) -> String {
        let settings = call(&self.tracks().get(0), "getSettings", &Array::new()).unwrap_or(JsValue::UNDEFINED);
        member(&settings, "deviceId").as_string().unwrap_or_default()
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        for track in self.tracks() {
            call(&track, "stop", &Array::new());
        }
    }
}

/// The cameras that there are. Browsers name them once one is on.
pub(super) async fn cameras() -> Vec<Device> {
    let all = settled(call(&devices(), "enumerateDevices", &Array::new())).await.map(|all| Array::from(&all));
    let text = |of: &JsValue, name: &str| member(of, name).as_string().unwrap_or_default();
    let device = |of: JsValue| Device { id: text(&of, "deviceId"), label: text(&of, "label") };
    all.unwrap_or_default().iter().filter(|of| text(of, "kind") == "videoinput").map(device).collect()
}

/// What a video shows at this moment, as an `ImageBitmap`; nothing if it shows nothing yet.
pub(super) async fn picture(video: &HtmlVideoElement) -> Option<JsValue> {
    if video.video_width() == 0 {
        return None;
    }
    settled(call(&window(), "createImageBitmap", &Array::of1(video))).await.ok()
}
