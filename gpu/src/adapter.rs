//! The adapter that the browser offers, and a device of it with all that it allows.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Promise, Reflect};
use ringside_core::kernels::wire::Trouble;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::webgpu::{Adapter, Device, includes, member, object, text_of, wait};

/// A device and what is known of it.
pub(crate) struct Gpu {
    /// The device.
    pub(crate) device: Device,
    /// What the browser calls it.
    pub(crate) name: String,
    /// Whether it is made of software.
    pub(crate) software: bool,
    /// Whether shaders may use f16.
    pub(crate) f16: bool,
    /// Whether the device has a clock of its own.
    pub(crate) timestamps: bool,
    /// The largest buffer that may be bound, in bytes.
    pub(crate) largest: f64,
    /// Why it was lost, once it was.
    lost: Rc<RefCell<Option<String>>>,
}

/// Limits that are raised to what the adapter allows: large matrices need large buffers. Kernels keep to the defaults of all
/// others.
const RAISED: [&str; 2] = ["maxStorageBufferBindingSize", "maxBufferSize"];
/// Names of GPUs made of software.
const SOFTWARE: [&str; 5] = ["swiftshader", "llvmpipe", "lavapipe", "basic render", "warp"];

impl Gpu {
    /// Asks the browser for one.
    pub(crate) async fn ask() -> Result<Self, Trouble> {
        let gpu = member(&member(&js_sys::global(), "navigator"), "gpu");
        if gpu.is_undefined() || gpu.is_null() {
            return Err(Trouble::NoWebGpu);
        }
        let request = member(&gpu, "requestAdapter").dyn_into::<Function>().map_err(|_| Trouble::NoWebGpu)?;
        let options = object(&[("powerPreference", "high-performance".into())]);
        let promise = request.call1(&gpu, &options).map_err(|_| Trouble::Refused)?;
        let adapter = wait(Promise::from(promise)).await.map_err(|_| Trouble::Refused)?;
        if adapter.is_undefined() || adapter.is_null() {
            return Err(Trouble::Refused);
        }
        let has = |feature: &str| {
            let features = member(&adapter, "features");
            let has = member(&features, "has").dyn_into::<Function>();
            has.is_ok_and(|has| has.call1(&features, &feature.into()).is_ok_and(|yes| yes.is_truthy()))
        };
        let (f16, timestamps) = (has("shader-f16"), has("timestamp-query"));
        let features = Array::new();
        if f16 {
            features.push(&"shader-f16".into());
        }
        if timestamps {
            features.push(&"timestamp-query".into());
        }
        let limits = member(&adapter, "limits");
        let required: Vec<(&str, JsValue)> = RAISED.map(|name| (name, member(&limits, name))).to_vec();
        let largest = RAISED.iter().filter_map(|name| member(&limits, name).as_f64()).fold(f64::INFINITY, f64::min);
        let info = member(&adapter, "info");
        let (name, software) = described(&info, &adapter);
        let descriptor = object(&[("requiredFeatures", features.into()), ("requiredLimits", object(&required))]);
        let adapter: Adapter = adapter.unchecked_into();
        let failed = |error: JsValue| Trouble::NoDevice(text_of(&error));
        let device = wait(adapter.request_device(&descriptor).map_err(failed)?).await.map_err(failed)?;
        let device: Device = device.unchecked_into();
        let lost = Rc::new(RefCell::new(None));
        let (promise, note) = (device.lost(), lost.clone());
        spawn_local(async move {
            if let Ok(info) = wait(promise).await {
                let message = text_of(&info);
                *note.borrow_mut() = Some(if message.is_empty() { "no reason given".to_owned() } else { message });
            }
        });
        Ok(Self { device, name, software, f16, timestamps, largest, lost })
    }

    /// Whether it was not lost.
    pub(crate) fn alive(&self) -> bool {
        self.lost.borrow().is_none()
    }

    /// What went wrong really: whatever fails on a device that is lost fails for that.
    pub(crate) fn explain(&self, trouble: Trouble) -> Trouble {
        self.lost.borrow().clone().map_or(trouble, Trouble::Lost)
    }
}

/// What to call an adapter, and whether it is software.
fn described(info: &JsValue, adapter: &JsValue) -> (String, bool) {
    let text = |name: &str| member(info, name).as_string().unwrap_or_default();
    let mut words: Vec<String> = ["vendor", "architecture", "device"].map(text).to_vec();
    words.retain(|word| !word.is_empty());
    words.dedup();
    let description = text("description");
    let name = if description.is_empty() { words.join(" ") } else { description };
    let all = [name.as_str(), &words.join(" ")].join(" ").to_ascii_lowercase();
    let fallback =
        [info, adapter].iter().any(|of| Reflect::get(of, &"isFallbackAdapter".into()).is_ok_and(|yes| yes.is_truthy()));
    let software = fallback || SOFTWARE.iter().any(|known| includes(&all, known));
    (if name.is_empty() { "a GPU that the browser does not name".to_owned() } else { name }, software)
}
