//! Pictures of figures as markup, each drawn once: every build draws the whole gallery, and some of its figures train a network.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use ringside_core::query::Query;
use ringside_drawing::chart::Frame;
use ringside_drawing::pictures;

/// How many are kept: several times those of the course. An author at `/author/` may try any number of states.
const KEPT: usize = 2048;

/// By the figure, its state and the size of the room in pixels. Empty where there is none.
type Known = BTreeMap<(String, String, [u64; 2]), String>;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The picture of a figure in one state as markup for a page, if its model takes the state.
pub(crate) fn drawn(figure: &str, query: &Query, room: Frame) -> Option<String> {
    let state = (figure.to_owned(), query.to_string(), [room.width.to_bits(), room.height.to_bits()]);
    let before = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&state).cloned();
    let markup = before.unwrap_or_else(|| {
        let markup = pictures::of(figure, query).map(|picture| picture.in_page(room)).unwrap_or_default();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(state, markup.clone());
        markup
    });
    Some(markup).filter(|markup| !markup.is_empty())
}
