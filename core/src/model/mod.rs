//! The architecture of a transformer language model and what it counts to.
//!
//! [`Shape`] is the typed architecture. It comes from a [`presets`] entry, from a Hugging Face `config.json`
//! ([`config::import`]), or from a query string ([`shape::read`]). Everything else follows from its list of
//! [`tensors`](Shape::tensors): the exact [`ParameterCount`], the largest layer, the FLOPs.

pub mod anatomy;
pub mod config;
pub mod flops;
pub mod layers;
pub mod params;
pub mod presets;
mod problem;
pub mod reference;
pub mod shape;
mod vary;
mod weights;

pub use config::{Family, Import, Imported, import};
pub use flops::ForwardFlops;
pub use layers::{Kinds, Mixer};
pub use params::{Component, ParameterCount, Place, Tensor, bytes_of_weight};
pub use presets::Preset;
pub use problem::ConfigProblem;
pub use reference::{ModelRef, ModelSize};
pub use shape::{Attention, Moe, Norms, QkNorm, Shape, Sliding};
pub use weights::Weights;
