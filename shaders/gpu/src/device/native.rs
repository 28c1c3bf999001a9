//! Vulkan: nothing happens on its own, the device is asked whether it has finished.

use std::time::Duration;

use futures_channel::oneshot::Receiver;
pub use pollster::block_on;
use ringside_core::kernels::job::Trouble;
use ringside_shaders::attention::SUBGROUPS;
use wgpu::{AdapterInfo, Device, Features, PollError, PollType};

/// Whether there may be GPUs; whether there are is found by asking for one.
pub(crate) fn has_gpus() -> bool {
    true
}

/// What to call the adapter, and all that is known of what it is.
pub(crate) fn names(_: &Device, info: &AdapterInfo) -> [String; 2] {
    [info.name.clone(), [info.name.as_str(), &info.driver].join(" ")]
}

/// Whether shaders may shuffle.
pub(crate) fn has_subgroups(device: &Device) -> bool {
    device.features().contains(Features::SUBGROUP)
}

/// The text as naga takes it: it knows subgroups without being told, and not by that name.
pub(crate) fn accepted(text: String) -> String {
    text.replacen(SUBGROUPS, "", 1)
}

/// What is heard once the device has finished.
pub(crate) async fn wait<T>(device: &Device, mut heard: Receiver<T>, patience: Duration) -> Result<T, Trouble> {
    if let Err(PollError::Timeout) = device.poll(PollType::Wait { submission_index: None, timeout: Some(patience) }) {
        return Err(Trouble::Silent(patience.as_secs_f64()));
    }
    match heard.try_recv() {
        Ok(Some(told)) => Ok(told),
        _ => Err(Trouble::Lost("the device does not answer".to_owned())),
    }
}
