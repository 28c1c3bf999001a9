//! The memory of training: what each GPU holds, term by term, and whether it fits.
//!
//! [`breakdown`] is the chapter's model; [`deepspeed`] is DeepSpeed's own estimators, to compare with.

pub mod advice;
pub mod breakdown;
pub mod convention;
pub mod deepspeed;
pub mod optimizer;
pub mod precision;

pub use advice::Suggestion;
pub use breakdown::{Breakdown, Error, Params, Row, StageRow, breakdown};
pub use convention::{Concept, Convention, Term};
pub use optimizer::Optimizer;
pub use precision::Dtype;
