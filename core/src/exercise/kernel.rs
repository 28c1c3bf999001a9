//! A kernel to write, which only a GPU can mark.

use serde::{Deserialize, Serialize};

use crate::declare::Model as _;
use crate::kernels::workbench;

/// `kind = "kernel"`: a puzzle of the workbench, named by the parameter `puzzle`. It is right when the workbench has found a
/// text right on the learner's own GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// What to say once it is: a Markdown template.
    pub say: String,
}

impl Kernel {
    /// The model that such an exercise is about.
    pub const MODEL: &str = workbench::Params::ID;
    /// The parameter that names the puzzle.
    pub const PUZZLE: &str = "puzzle";
}
