//! A run of practice, as the store keeps it.

use ringside_core::practice::queue::{Came, Run};
use ringside_core::practice::{Day, date};
use serde::{Deserialize, Serialize};

use crate::doc::Doc;

/// A run as the store keeps it, to go on after a reload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Kept {
    /// Its exercises, and what came of them.
    #[serde(flatten)]
    pub run: Run,
    /// The skill of which alone it is; empty if of any.
    #[serde(default)]
    pub skill: String,
    /// How many of its exercises were put on the screen: one that was is not asked anew.
    #[serde(default)]
    pub begun: usize,
}

/// The one in a document.
pub fn read(doc: &Doc) -> Option<Kept> {
    Kept::deserialize(&doc.run).ok()
}

/// Puts one in, or takes it out. What cannot be read is kept aside.
pub fn keep(doc: &mut Doc, kept: Option<&Kept>) {
    doc.put("run", |doc| &mut doc.run, kept);
}

/// Takes note of what came of the exercise that is on.
pub fn went(doc: &mut Doc, came: Came) {
    if let Some(mut kept) = read(doc) {
        kept.run.went(came);
        keep(doc, Some(&kept));
    }
}

/// `today`, `tomorrow`, `on Sun 1 Mar`.
pub fn when(day: Day, today: Day) -> String {
    match day - today {
        ..=0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        _ => format!("on {}", date::short(day)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc;
    use ringside_core::practice::queue::{Step, Why};

    #[test]
    fn a_run_survives_the_store_and_what_cannot_be_read_is_kept() {
        let step = Step { key: "c/e".into(), skill: "c.s".into(), seed: 7, seconds: 60, why: Why::New, again: false };
        let kept = Kept { run: Run::new(100, vec![step]), skill: String::new(), begun: 1 };
        let mut doc = Doc::default();
        keep(&mut doc, Some(&kept));
        let mut again = doc::read(&doc::write(&doc)).expect("reads");
        assert_eq!(read(&again), Some(kept));
        went(&mut again, Came::Missed);
        assert_eq!(read(&again).map(|k| (k.run.came.len(), k.run.steps.len(), k.run.place())), Some((1, 2, (1, 1))));
        again.run = 3.into();
        keep(&mut again, Some(&Kept::default()));
        assert_eq!(again.rest["run-unreadable-1"], 3);
    }

    #[test]
    fn a_day_is_named_as_people_do() {
        assert_eq!(
            [when(5, 5), when(3, 5), when(6, 5), when(20_513, 5)],
            ["today", "today", "tomorrow", "on Sun 1 Mar"]
        );
    }
}
