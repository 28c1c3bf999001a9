//! Runs kernels on a GPU: WebGPU in a browser, and with the feature `vulkan` natively. Only `device` names wgpu, which takes minutes to
//! compile; without it there is what needs no GPU.

#[cfg(not(target_arch = "wasm32"))]
pub mod bench_dir;
#[cfg(any(target_arch = "wasm32", feature = "vulkan"))]
pub mod device;
pub mod guard;
#[cfg(any(target_arch = "wasm32", feature = "vulkan", test))]
mod pieces;
