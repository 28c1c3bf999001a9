//! The types in which numbers are stored.

/// A storage type. (TF32 is not one: it is how tensor cores read fp32.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// IEEE 754 binary32.
    Fp32,
    /// bfloat16.
    Bf16,
    /// IEEE 754 binary16.
    Fp16,
    /// Any 8-bit float (OCP E4M3, E5M2). Weights and caches can be stored so; it is no choice for [`Dtype::TRAINING`].
    Fp8,
}

impl Dtype {
    /// The types that a training run's weights and gradients can be in, as `dtype` names them.
    pub const TRAINING: [Dtype; 3] = [Dtype::Bf16, Dtype::Fp16, Dtype::Fp32];

    /// Bytes of one value.
    pub const fn bytes(self) -> f64 {
        match self {
            Dtype::Fp32 => 4.0,
            Dtype::Bf16 | Dtype::Fp16 => 2.0,
            Dtype::Fp8 => 1.0,
        }
    }

    /// The name in a query string.
    pub const fn id(self) -> &'static str {
        match self {
            Dtype::Fp32 => "fp32",
            Dtype::Bf16 => "bf16",
            Dtype::Fp16 => "fp16",
            Dtype::Fp8 => "fp8",
        }
    }

    /// Whether training in it is mixed precision: 16-bit weights with an fp32 master copy in the optimizer.
    pub const fn is_mixed(self) -> bool {
        !matches!(self, Dtype::Fp32)
    }

    /// The type with this name.
    pub fn find(id: &str) -> Option<Self> {
        [Dtype::Fp32, Dtype::Bf16, Dtype::Fp16, Dtype::Fp8].into_iter().find(|d| d.id() == id)
    }
}
