//! The types in which numbers are stored.

use crate::declare::List;
use crate::options;

/// A storage type. (TF32 is not one: it is how tensor cores read fp32.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// IEEE 754 binary32.
    Fp32,
    /// bfloat16.
    #[default]
    Bf16,
    /// IEEE 754 binary16.
    Fp16,
    /// Any 8-bit float (OCP E4M3, E5M2). Weights and caches can be stored so; it is no choice for [`Dtype::TRAINING_LIST`].
    Fp8,
}

options!(Dtype {
    Fp32: "fp32", "fp32";
    Bf16: "bf16", "bf16";
    Fp16: "fp16", "fp16";
    Fp8: "fp8", "fp8";
});

/// Some of them, which a person calls what a query does.
const fn list(ids: &'static [&'static str]) -> List {
    List { ids, labels: ids }
}

impl Dtype {
    /// The types that a training run's weights and gradients can be in.
    pub const TRAINING_LIST: List = list(&["bf16", "fp16", "fp32"]);

    /// The types of a KV cache as options.
    pub const CACHE_LIST: List = list(&["bf16", "fp16", "fp8", "fp32"]);

    /// Bytes of one value.
    pub const fn bytes(self) -> f64 {
        match self {
            Dtype::Fp32 => 4.0,
            Dtype::Bf16 | Dtype::Fp16 => 2.0,
            Dtype::Fp8 => 1.0,
        }
    }

    /// Whether training in it is mixed precision: 16-bit weights with an fp32 master copy in the optimizer.
    pub const fn is_mixed(self) -> bool {
        !matches!(self, Dtype::Fp32)
    }
}
