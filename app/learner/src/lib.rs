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

use ringside_core::answer::Asked;
use ringside_core::quantity::Unit;

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

/// Whole minutes as people write them in a field that says so: `45`, `45 min`, `1 h 30 min`.
pub fn minutes(text: &str) -> Option<u32> {
    whole(Asked::each(Unit::Seconds, 60.0).read(text).ok()?)
}

/// The same where a number alone is something else.
pub(crate) fn minutes_with_unit(text: &str) -> Option<u32> {
    whole(Asked::of(Unit::Seconds).read(text).ok()? / 60.0)
}

fn whole(minutes: f64) -> Option<u32> {
    let near = (minutes - minutes.round()).abs() < 1e-9;
    (near && (0.0..=f64::from(u32::MAX)).contains(&minutes)).then_some(minutes.round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_read_as_people_write_them() {
        let read = ["45", "45 min", "1 h 30 min", "2 h", "90 s", "soon", ""].map(minutes);
        assert_eq!(read, [Some(45), Some(45), Some(90), Some(120), None, None, None]);
        assert_eq!(
            [minutes_with_unit("5 min"), minutes_with_unit("5"), minutes_with_unit("5 hands")],
            [Some(5), None, None]
        );
    }
}
