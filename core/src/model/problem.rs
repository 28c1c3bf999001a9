//! What is wrong with the description of a model.

use std::fmt;

use crate::quantity::grouped;

/// Something about a config that has to be told: an error, or in [`Imported::warnings`](super::Imported::warnings) a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The field it is about; empty if it is about the whole text.
    pub field: &'static str,
    /// What is wrong and what would be valid; a sentence that names the field and the value.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigProblem {}

impl ConfigProblem {
    /// A problem with `field`.
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into() }
    }

    /// "num_key_value_heads is absent; the library’s default for qwen2, 32, is used."
    pub(crate) fn of_class(field: &'static str, class: &str, default: u64) -> Self {
        Self::new(field, format!("{field} is absent; the library’s default for {class}, {default}, is used."))
    }

    /// "hidden_size 1e30 is out of range (1 to 1,000,000)."
    pub(crate) fn out_of_range(field: &'static str, value: &str, min: u64, max: u64) -> Self {
        Self::new(field, format!("{field} {value} is out of range ({} to {}).", grouped(min), grouped(max)))
    }

    /// "hidden_size 4096 is not a multiple of num_attention_heads 30 and no head_dim is given.", or nothing if it is.
    pub(crate) fn heads_do_not_divide(field: &'static str, width: u64, heads: u64) -> Option<Self> {
        if heads == 0 || width.is_multiple_of(heads) {
            return None;
        }
        Some(Self::new(
            field,
            format!("{field} {width} is not a multiple of num_attention_heads {heads} and no head_dim is given."),
        ))
    }
}
