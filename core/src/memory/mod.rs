//! The memory of training: what each GPU holds, term by term, and whether it fits.
//!
//! [`mod@breakdown`] is model states (chapter 03), [`mod@activations`] is what the forward pass keeps (chapter 04); [`deepspeed`] is
//! DeepSpeed's own estimators, to compare with.

pub mod activations;
pub mod advice;
pub mod breakdown;
pub mod convention;
pub mod deepspeed;
pub mod optimizer;
pub mod pipeline;
pub mod precision;

pub use advice::Suggestion;
pub use breakdown::{Breakdown, Error, Params, Row, StageRow, breakdown};
pub use convention::{Concept, Convention, Term};
pub use optimizer::Optimizer;
pub use precision::Dtype;
