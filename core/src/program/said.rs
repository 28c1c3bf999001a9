//! What the worker that runs programs says.

use serde::{Deserialize, Serialize};

use super::Outcome;

/// What the worker says to the page that gives it a [`Job`](super::Job).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// It is ready for a job.
    Ready,
    /// What came of a job.
    Done(Box<Outcome>),
    /// A job could not be read: it is of another version.
    Unread,
}
