//! The browser's WebGPU, as much of it as kernels need. `web-sys` has it only behind a flag for the whole build.

use js_sys::{Array, Object, Promise, Reflect};
pub(crate) use ringside_worker::member;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// `GPUAdapter`.
    pub(crate) type Adapter;
    #[wasm_bindgen(method, catch, js_name = requestDevice)]
    pub(crate) fn request_device(this: &Adapter, descriptor: &JsValue) -> Result<Promise, JsValue>;

    /// `GPUDevice`.
    #[derive(Clone)]
    pub(crate) type Device;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn queue(this: &Device) -> Queue;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn lost(this: &Device) -> Promise;
    #[wasm_bindgen(method, catch, js_name = createBuffer)]
    pub(crate) fn create_buffer(this: &Device, descriptor: &JsValue) -> Result<Buffer, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createShaderModule)]
    pub(crate) fn create_shader_module(this: &Device, descriptor: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createComputePipelineAsync)]
    pub(crate) fn create_pipeline(this: &Device, descriptor: &JsValue) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createBindGroupLayout)]
    pub(crate) fn create_bind_group_layout(this: &Device, descriptor: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createPipelineLayout)]
    pub(crate) fn create_pipeline_layout(this: &Device, descriptor: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createBindGroup)]
    pub(crate) fn create_bind_group(this: &Device, descriptor: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createQuerySet)]
    pub(crate) fn create_query_set(this: &Device, descriptor: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, js_name = createCommandEncoder)]
    pub(crate) fn create_encoder(this: &Device) -> Encoder;
    #[wasm_bindgen(method, js_name = pushErrorScope)]
    pub(crate) fn push_error_scope(this: &Device, filter: &str);
    #[wasm_bindgen(method, js_name = popErrorScope)]
    pub(crate) fn pop_error_scope(this: &Device) -> Promise;

    /// `GPUComputePipeline`.
    pub(crate) type Pipeline;
    #[wasm_bindgen(method, js_name = getBindGroupLayout)]
    pub(crate) fn bind_group_layout(this: &Pipeline, index: u32) -> JsValue;

    /// `GPUBuffer`.
    pub(crate) type Buffer;
    #[wasm_bindgen(method, js_name = mapAsync)]
    pub(crate) fn map(this: &Buffer, mode: u32) -> Promise;
    #[wasm_bindgen(method, catch, js_name = getMappedRange)]
    pub(crate) fn mapped_range(this: &Buffer) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method)]
    pub(crate) fn unmap(this: &Buffer);
    #[wasm_bindgen(method)]
    pub(crate) fn destroy(this: &Buffer);

    /// `GPUQueue`.
    pub(crate) type Queue;
    #[wasm_bindgen(method, catch, js_name = writeBuffer)]
    pub(crate) fn write(this: &Queue, buffer: &Buffer, offset: f64, data: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method)]
    pub(crate) fn submit(this: &Queue, commands: &Array);
    #[wasm_bindgen(method, js_name = onSubmittedWorkDone)]
    pub(crate) fn done(this: &Queue) -> Promise;

    /// `GPUCommandEncoder`.
    pub(crate) type Encoder;
    #[wasm_bindgen(method, js_name = beginComputePass)]
    pub(crate) fn begin(this: &Encoder, descriptor: &JsValue) -> ComputePass;
    #[wasm_bindgen(method, js_name = resolveQuerySet)]
    pub(crate) fn resolve(this: &Encoder, set: &JsValue, first: u32, count: u32, to: &Buffer, offset: f64);
    #[wasm_bindgen(method, js_name = copyBufferToBuffer)]
    pub(crate) fn copy(this: &Encoder, from: &Buffer, from_offset: f64, to: &Buffer, to_offset: f64, size: f64);
    #[wasm_bindgen(method)]
    pub(crate) fn finish(this: &Encoder) -> JsValue;

    /// `GPUComputePassEncoder`.
    pub(crate) type ComputePass;
    #[wasm_bindgen(method, js_name = setPipeline)]
    pub(crate) fn set_pipeline(this: &ComputePass, pipeline: &Pipeline);
    #[wasm_bindgen(method, js_name = setBindGroup)]
    pub(crate) fn set_bind_group(this: &ComputePass, index: u32, group: &JsValue);
    #[wasm_bindgen(method, js_name = dispatchWorkgroups)]
    pub(crate) fn dispatch(this: &ComputePass, x: u32, y: u32, z: u32);
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &ComputePass);

    /// Milliseconds since the worker started.
    #[wasm_bindgen(js_namespace = performance)]
    pub(crate) fn now() -> f64;
}

/// `GPUBufferUsage`, `GPUMapMode` and `GPUShaderStage`.
pub(crate) mod usage {
    pub(crate) const COMPUTE: u32 = 0x4;
    pub(crate) const MAP_READ: u32 = 0x1;
    pub(crate) const COPY_SRC: u32 = 0x4;
    pub(crate) const COPY_DST: u32 = 0x8;
    pub(crate) const UNIFORM: u32 = 0x40;
    pub(crate) const STORAGE: u32 = 0x80;
    pub(crate) const QUERY_RESOLVE: u32 = 0x200;
}

/// An object with these members.
pub(crate) fn object(members: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // A plain object takes any member.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

/// Whether `part` is in `text`. The browser looks: a search of our own is a twentieth of the worker.
pub(crate) fn includes(text: &str, part: &str) -> bool {
    js_sys::JsString::from(text).includes(part, 0)
}

/// Waits for a promise.
pub(crate) async fn wait(promise: Promise) -> Result<JsValue, JsValue> {
    JsFuture::from(promise).await
}

/// The message of an error.
pub(crate) fn text_of(error: &JsValue) -> String {
    let message = member(error, "message").as_string();
    message.or_else(|| error.as_string()).unwrap_or_else(|| "no reason given".to_owned())
}
