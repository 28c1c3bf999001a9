//! WebGPU: the browser calls when something has finished.

use std::time::Duration;

use futures_channel::oneshot::Receiver;
use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use js_sys::Reflect;
use ringside_core::kernels::job::Trouble;
use wasm_bindgen::JsValue;
use wgpu::{AdapterInfo, Device};

/// Whether the browser has WebGPU here. wgpu does not tell that from a browser that has it and offers no adapter.
pub(crate) fn has_gpus() -> bool {
    let gpu = member(&member(&js_sys::global(), "navigator"), "gpu");
    !gpu.is_undefined() && !gpu.is_null()
}

/// What to call the adapter, and all that is known of what it is. Many browsers leave the description empty, which is all that
/// wgpu passes on.
pub(crate) fn names(device: &Device, info: &AdapterInfo) -> [String; 2] {
    let known = device.as_webgpu().map(|device| member(device, "adapterInfo")).unwrap_or(JsValue::UNDEFINED);
    let mut words: Vec<String> =
        ["vendor", "architecture", "device"].map(|name| member(&known, name).as_string().unwrap_or_default()).to_vec();
    words.retain(|word| !word.is_empty());
    words.dedup();
    let words = words.join(" ");
    let all = [info.name.as_str(), &words].join(" ");
    [if info.name.is_empty() { words } else { info.name.clone() }, all]
}

/// Whether shaders may shuffle: what `app/workers/src/gpu-start.js` asked for, as the device has it. wgpu does not know it.
pub(crate) fn has_subgroups(device: &Device) -> bool {
    device.as_webgpu().is_some_and(|device| device.features().has("subgroups"))
}

/// The text as the browser takes it.
pub(crate) fn accepted(text: String) -> String {
    text
}

/// What is heard, if it is heard soon enough.
pub(crate) async fn wait<T>(_: &Device, heard: Receiver<T>, patience: Duration) -> Result<T, Trouble> {
    match select(heard, TimeoutFuture::new(patience.as_millis() as u32)).await {
        Either::Left((Ok(told), _)) => Ok(told),
        Either::Left((Err(_), _)) => Err(Trouble::Lost("the browser let go of it".to_owned())),
        Either::Right(_) => Err(Trouble::Silent(patience.as_secs_f64())),
    }
}

fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}
