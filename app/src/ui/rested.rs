//! What stands beside the drawing, while something is dragged.

use leptos::prelude::*;

use super::later::Later;

/// Milliseconds without a change after which things are at rest.
const REST: u32 = 120;

/// Follows `source` at once; of changes in close succession, as while a slider is dragged, it follows the first, and the
/// last once they are over. For what takes long to work out or to lay out, and is read when the hand is still.
pub fn rested<T: Clone + PartialEq + Send + Sync + 'static>(source: Memo<T>) -> Memo<T> {
    let shown = RwSignal::new(source.get_untracked());
    let moving = StoredValue::new(false);
    let rest = Later::after(REST);
    let follow = move || {
        let now = source.get_untracked();
        if shown.with_untracked(|shown| *shown != now) {
            shown.set(now);
        }
    };
    Effect::new(move |before: Option<()>| {
        source.track();
        if before.is_none() {
            return;
        }
        if !moving.get_value() {
            moving.set_value(true);
            follow();
        }
        rest.run(move || {
            moving.set_value(false);
            follow();
        });
    });
    Memo::new(move |_| shown.get())
}
