//! `syllabus.json`: the courses of the syllabus, to be exported whole.

use ringside_core::exercise::export::cartridge;
use serde::{Deserialize, Serialize};

/// A way to teach the course: a term, a week, an afternoon.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Taught {
    /// For links: `term`.
    pub id: String,
    /// Its sessions without their quizzes. Addresses are relative to the site's base.
    pub course: cartridge::Course,
    /// The address of each session's quiz; empty where there is none.
    pub quizzes: Vec<String>,
}
