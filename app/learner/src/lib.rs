//! What a learner has done, without a browser.
//!
//! - [`doc`]: the document that the store keeps.
//! - [`progress`], [`practice`], [`run`], [`situation`], [`next`]: how far the learner is, and what to do next.
//! - [`placement`], [`quiz`], [`sitting`], [`workbench`]: what single pages keep in the document, and a quiz’s address.
//! - [`lms`]: which page a learning platform opened, and for whom.
//! - [`record`], [`summaries`]: what the learner can show to others.
//!
//! Every function takes the document and the course, and the day as a number. The app reads the store and the clock.

pub mod doc;
pub mod lms;
pub mod next;
pub mod placement;
pub mod practice;
pub mod progress;
pub mod quiz;
pub mod record;
pub mod run;
pub mod sitting;
pub mod situation;
pub mod summaries;
pub mod workbench;
