//! What a learner has done, and what whoever teaches prepares, without a browser.
//!
//! - [`doc`]: the document that the store keeps.
//! - [`progress`], [`practice`], [`run`], [`situation`], [`next`]: how far the learner is, and what to do next.
//! - [`placement`], [`quiz`], [`sitting`], [`workbench`]: what single pages keep in the document, and a quiz’s address.
//! - [`lecture`], [`order`], [`talk`], [`hands`]: a list of slides, its lines in order, a talk in two windows, and a room that answers.
//! - [`draft`], [`export`]: a chapter that is being written, and what leaves the site.
//! - [`lms`]: which page a learning platform opened, and for whom.
//! - [`record`], [`summaries`]: what the learner can show to others.
//!
//! No function here reads the store, the clock or the page: the app gives it what they say.

pub mod doc;
pub mod draft;
pub mod export;
pub mod hands;
pub mod lecture;
pub mod lms;
pub mod next;
pub mod order;
pub mod placement;
pub mod practice;
pub mod progress;
pub mod quiz;
pub mod record;
pub mod run;
pub mod sitting;
pub mod situation;
pub mod summaries;
pub mod talk;
pub mod workbench;

/// The longest that a quiz, a slide or a pause can be said to take, in minutes.
pub const MOST_MINUTES: u32 = 600;
