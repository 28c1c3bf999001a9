//! What stands beside the drawing, while something is dragged.

use leptos::prelude::*;

use super::later::Later;

/// Milliseconds without a change after which things are at rest.
const REST: u32 = 150;

/// Follows `source` once it rests, so that nothing of this is done between a hand's movement and what it moves. For what
/// takes long to work out or to lay out, and is read when the hand is still.
pub fn debounced<T: Clone + PartialEq + Send + Sync + 'static>(source: Memo<T>) -> Memo<T> {
    let shown = RwSignal::new(source.get_untracked());
    let rest = Later::after(REST);
    Effect::new(move |before: Option<()>| {
        source.track();
        if before.is_some() {
            rest.run(move || shown.set(source.get_untracked()));
        }
    });
    Memo::new(move |_| shown.get())
}
