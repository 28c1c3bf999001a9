//! The machine that serves, as parameters that more than one figure has.

use super::step::{Deployment, KV_BITS, Quant, Reach};
use crate::declare::{Field as _, List, Param, choice, one_of, whole};
use crate::hardware::{self, Accelerator};
use crate::kv_cache::figure::ACTIVATIONS;
use crate::model::presets;
use crate::units::GB;

/// Models that can be served here: those that engines divide by tensor parallelism alone. DeepSeek-V3 and models of many small experts
/// are left out, because engines serve them otherwise: attention data parallel, so that a latent is not copied, and experts spread
/// over GPUs (vLLM, "Data Parallel Deployment" and "Expert Parallel Deployment"; DeepSeek-V3, arXiv 2412.19437, section 3.4).
const IDS: [&str; 10] = [
    "llama-3-8b",
    "llama-3-70b",
    "llama-3.1-405b",
    "llama-2-7b",
    "llama-2-70b",
    "opt-13b",
    "mixtral-8x7b",
    "qwen2.5-7b",
    "starcoder2-3b",
    "starcoder",
];

/// The choices of a `model` parameter.
pub const MODELS: List = List { ids: &IDS, labels: &presets::names(&IDS) };

/// A choice of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named(pub &'static str);

one_of!(Named, IDS);

/// A model on GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// The model.
    pub model: Named,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs of a replica.
    pub tp: u64,
    /// The form of the weights.
    pub quant: Quant,
    /// Bits of a cached value.
    pub kv_bits: u32,
    /// What kernels reach.
    pub reach: Reach,
    /// GB of each GPU that activations take.
    pub activations: f64,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            model: Named("llama-3-8b"),
            gpu: &hardware::ALL[0],
            tp: 1,
            quant: Quant::Bf16,
            kv_bits: 16,
            reach: Reach::Kernels,
            activations: 0.0,
        }
    }
}

/// Parameters that have a machine.
pub trait Serves {
    /// The machine.
    fn machine(&mut self) -> &mut Machine;
}

impl Machine {
    /// Most GPUs of a replica.
    pub const MOST: u64 = 16;

    /// The parameters that all figures have in the same place.
    pub const fn params<P: Serves>() -> [Param<P>; 5] {
        [
            choice("gpu", "the GPU", hardware::LIST, "h100-80")
                .label("GPU")
                .more("Machine")
                .at(|p: &mut P| p.machine().gpu.slot()),
            choice("quant", "the form of the weights", Quant::LIST, "bf16")
                .label("Weights")
                .more("Machine")
                .at(|p: &mut P| p.machine().quant.slot()),
            choice("kv-bits", "bits of a cached value", KV_BITS, "16")
                .label("Bits per cached value")
                .more("Machine")
                .at(|p: &mut P| p.machine().kv_bits.slot()),
            choice("reach", "what of the data sheet kernels reach", Reach::LIST, "kernels")
                .label("Speeds")
                .more("Machine")
                .at(|p: &mut P| p.machine().reach.slot()),
            ACTIVATIONS.more("Machine").at(|p: &mut P| p.machine().activations.slot()),
        ]
    }

    /// What is deployed.
    pub fn deployment(&self) -> Deployment {
        let shape = presets::find(self.model.0).map(|preset| preset.shape).unwrap_or_default();
        let Self { gpu, tp, quant, kv_bits, reach, activations, .. } = *self;
        Deployment { shape, gpu, tp, quant, kv_bits, reach, activations: activations * GB }
    }

    /// The model’s name.
    pub fn name(&self) -> &'static str {
        presets::find(self.model.0).map_or("", |preset| preset.name)
    }

    /// What it is, in a few words.
    pub fn words(&self) -> String {
        let gpus = if self.tp == 1 { String::new() } else { format!("{} × ", self.tp) };
        format!("{} on {gpus}{}", self.name(), self.gpu.name)
    }
}

/// GPUs of a replica, as a parameter.
pub const fn tp<P: Serves>() -> Param<P> {
    whole("tp", "GPUs of a replica, which share every layer", [1, Machine::MOST], "1")
        .label("GPUs per replica")
        .doubling(4)
        .more("Machine")
        .at(|p: &mut P| p.machine().tp.slot())
}
