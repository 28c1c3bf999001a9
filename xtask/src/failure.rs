//! The one error type: a message for a person, and an exit code.

use std::fmt;

/// What went wrong and what to do about it.
#[derive(Debug)]
pub struct Failure {
    /// Full sentences.
    pub message: String,
    /// 1, or 2 where the command line was wrong.
    pub code: u8,
}

/// What everything here returns.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A wrong command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self { message, code: 1 }
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// Says what was being done when an error came up.
pub trait Context<T> {
    /// `what` completes "could not …".
    ///
    /// # Errors
    /// The error, with what was being done.
    fn could_not(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn could_not(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| format!("could not {}: {error}", what()).into())
    }
}
