//! The memory of training and of inference: what each GPU holds, term by term, and whether it fits.
//!
//! [`mod@breakdown`] is the whole (chapter 03): model states cut up by [`mod@layout`] and [`mod@shard`] under ZeRO, with
//! [`mod@activations`] (chapter 04) or the cache of [`crate::kv_cache`], and what no plan names in [`mod@overhead`]. [`deepspeed`] is
//! DeepSpeed's own estimators, to compare with.

pub mod activations;
pub mod advice;
pub mod breakdown;
pub mod convention;
pub mod deepspeed;
pub mod export;
pub mod first_steps;
pub mod layout;
pub mod offload;
pub mod optimizer;
pub mod overhead;
pub mod pipeline;
pub mod plan;
pub mod precision;
pub mod shard;
pub mod verdict;

use crate::query::Query;

pub use advice::Suggestion;
pub use breakdown::{Breakdown, Error, Mode, Params, Row, StageRow, breakdown};
pub use convention::{Concept, Convention, Term};
pub use layout::{LaidOut, Layout};
pub use optimizer::Optimizer;
pub use plan::{Parts, PipelineRow};
pub use precision::Dtype;
pub use verdict::Verdict;

/// Puts `true` and `false` in the place of 1 and 0, as links may say what is on or off.
fn translate_switches(query: &mut Query) {
    for name in ["sp", "flash"] {
        match query.get(name).map(str::trim) {
            Some("1") => query.set(name, "true"),
            Some("0") => query.set(name, "false"),
            _ => {}
        }
    }
}
