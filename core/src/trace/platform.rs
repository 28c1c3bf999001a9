//! Whose device a trace is of, so that nothing is said of CUDA in a file that has none.

use serde::{Deserialize, Serialize};

/// Whose device it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Platform {
    /// The file does not say.
    #[default]
    Unknown,
    /// NVIDIA's.
    Cuda,
    /// AMD's.
    Rocm,
    /// Intel's.
    Xpu,
    /// Huawei's Ascend.
    Ascend,
    /// Meta's MTIA.
    Mtia,
    /// A TPU.
    Tpu,
    /// Another one, which PyTorch knows as `privateuse1` or by a vendor's own categories.
    Other,
}

impl Platform {
    /// What a category or the name of a call in it says.
    pub(super) fn of_call(category: &str, name: &str) -> Self {
        let vendor = category.split('_').next().unwrap_or_default();
        match vendor {
            // Kineto writes HIP's calls under CUDA's category.
            "cuda" | "Runtime" | "hip" if name.starts_with("hip") => Self::Rocm,
            "hip" => Self::Rocm,
            "cuda" => Self::Cuda,
            "Runtime" if name.starts_with("cu") => Self::Cuda,
            "Runtime" | "glow" => Self::Unknown,
            "xpu" => Self::Xpu,
            "mtia" => Self::Mtia,
            _ => Self::Other,
        }
    }

    /// What the name of a device says.
    pub(super) fn of_device(name: &str) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if has(&["NVIDIA", "Tesla", "GeForce", "Quadro"]) {
            Self::Cuda
        } else if has(&["AMD", "Instinct", "Radeon"]) {
            Self::Rocm
        } else if has(&["Intel"]) {
            Self::Xpu
        } else {
            Self::Unknown
        }
    }

    /// What a device of it is called.
    pub const fn device(self) -> &'static str {
        match self {
            Self::Unknown | Self::Cuda | Self::Rocm | Self::Xpu => "GPU",
            Self::Ascend => "NPU",
            Self::Tpu => "TPU",
            Self::Mtia | Self::Other => "device",
        }
    }

    /// How its events are recorded, in PyTorch's words where it is PyTorch that records them.
    pub const fn recording(self) -> &'static str {
        match self {
            Self::Unknown => {
                "Record the device as well as the CPU: activities=[ProfilerActivity.CPU, …] with the activity of your device"
            }
            Self::Cuda | Self::Rocm => "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
            Self::Xpu => "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.XPU]",
            Self::Mtia => "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.MTIA]",
            Self::Other => "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]",
            Self::Ascend => {
                "Record with torch_npu.profiler and activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]"
            }
            Self::Tpu => "Record with jax.profiler while a step runs on the device",
        }
    }

    /// This, unless something later says more. HIP's calls stand under CUDA's category, and some of them have CUDA's names.
    pub(super) fn or(self, later: Self) -> Self {
        match (self, later) {
            (Self::Unknown, later) => later,
            (Self::Cuda, Self::Rocm) => Self::Rocm,
            (known, _) => known,
        }
    }
}
