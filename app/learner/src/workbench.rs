//! What a learner has written at a workbench, and how far it came, by puzzle.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::doc::Doc;

/// The work on a puzzle.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Work {
    /// The text; empty for the one that the puzzle begins with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether a text was ever right.
    #[serde(default)]
    pub solved: bool,
    /// Whether the solution was looked up before that.
    #[serde(default)]
    pub looked_up: bool,
    /// Hints that were opened.
    #[serde(default)]
    pub hints: usize,
    /// The best time on each device, in seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub best: Vec<Best>,
    /// What a text of the learner's own is run on, as a query; see `ringside_core::kernels::glass::Declared`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub given: String,
    /// What this version does not know.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The device, as the browser names it.
    pub device: String,
    /// The median of its runs, in seconds.
    pub seconds: f64,
}

impl Work {
    /// Takes note of a time; whether it is the best on its device.
    fn time(&mut self, device: &str, seconds: f64) {
        match self.best.iter_mut().find(|best| best.device == device) {
            Some(best) => best.seconds = best.seconds.min(seconds),
            None => self.best.push(Best { device: device.to_owned(), seconds }),
        }
    }

    /// Takes note of a right text, and of its time if there is one.
    pub fn pass(&mut self, device: &str, seconds: f64) {
        self.solved = true;
        if seconds > 0.0 {
            self.time(device, seconds);
        }
    }
}

/// The work on the puzzle with this id.
pub fn of(doc: &Doc, id: &str) -> Work {
    doc.workbench.get(id).map(|kept| read(kept).0).unwrap_or_default()
}

/// The work in a value, and whether that is all of it: of what cannot be read, the text at least.
fn read(kept: &Value) -> (Work, bool) {
    match Work::deserialize(kept) {
        Ok(work) => (work, true),
        Err(_) => {
            let text = kept.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
            (Work { text, ..Work::default() }, false)
        }
    }
}

/// Changes it. What is kept of other puzzles stays as it is, whoever wrote it; what cannot be read stays in the document, under a name
/// that nothing else has.
pub fn change(doc: &mut Doc, id: &str, change: impl FnOnce(&mut Work)) {
    let mut all = match doc.workbench.take() {
        Value::Object(all) => all,
        Value::Null => Map::new(),
        unreadable => {
            doc.set_aside("workbench", unreadable);
            Map::new()
        }
    };
    let (mut work, whole) = all.get(id).map_or_else(|| (Work::default(), true), read);
    if let Some(unreadable) = all.remove(id).filter(|_| !whole) {
        doc.set_aside(&format!("workbench-{id}"), unreadable);
    }
    change(&mut work);
    all.insert(id.to_owned(), serde_json::to_value(&work).unwrap_or_default());
    doc.workbench = all.into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_time_of_each_device_is_kept() {
        let mut work = Work::default();
        for (device, seconds) in [("a", 3.0), ("b", 2.0), ("a", 1.0), ("a", 5.0), ("c", 0.0)] {
            work.pass(device, seconds);
        }
        let best: Vec<_> = work.best.iter().map(|b| (b.device.as_str(), b.seconds)).collect();
        assert_eq!(best, [("a", 1.0), ("b", 2.0)]);
        assert!(work.solved);
    }

    #[test]
    fn what_cannot_be_read_is_kept_aside_and_its_text_goes_on() {
        let odd = serde_json::json!({"text": "my kernel", "solved": "yes"});
        let mut doc = Doc { workbench: serde_json::json!({"map": odd, "sum": {"later": 1}}), ..Doc::default() };
        change(&mut doc, "map", |work| work.text.push('!'));
        change(&mut doc, "map", |work| work.hints = 1);
        assert_eq!(doc.rest, Map::from_iter([("workbench-map-unreadable-1".to_owned(), odd)]));
        assert_eq!(doc.workbench["map"]["text"], "my kernel!");
        assert_eq!(doc.workbench["sum"]["later"], 1);
        doc.workbench = "damaged".into();
        change(&mut doc, "map", |work| work.hints = 2);
        assert_eq!((doc.rest["workbench-unreadable-1"].as_str(), doc.rest.len()), (Some("damaged"), 2));
    }

    #[test]
    fn what_is_written_reads_back_with_unknown_fields_kept() {
        let text = r#"{"text":"x","solved":true,"looked_up":false,"hints":2,"best":[{"device":"d","seconds":0.5}],"later":[1]}"#;
        let work: Work = serde_json::from_str(text).expect("reads");
        let again: Value = serde_json::to_value(&work).expect("writes");
        assert_eq!(again, serde_json::from_str::<Value>(text).expect("reads"));
    }
}
