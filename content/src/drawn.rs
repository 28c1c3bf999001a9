//! Pictures of figures as markup, each drawn once: every build draws the whole gallery, and some of its figures train a network.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use ringside_core::query::Query;
use ringside_drawing::chart::Frame;
use ringside_drawing::pictures;

/// How many are kept: several times those of the course. An author at `/author/` may try any number of states.
const KEPT: usize = 2048;

/// `None` where there is no picture.
pub(crate) type Known = BTreeMap<State, Option<String>>;
/// A figure, its state and the room.
pub(crate) type State = (String, String, [u64; 4]);

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

pub(crate) fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The picture of a figure in one state as markup for a page, if its model takes the state.
pub(crate) fn drawn(figure: &str, query: &Query, room: Frame) -> Option<String> {
    let Frame { width, height, text, pixel } = room;
    let state = (figure.to_owned(), query.to_string(), [width, height, text, pixel].map(f64::to_bits));
    let before = known().get(&state).cloned();
    before.unwrap_or_else(|| {
        let markup = pictures::of(figure, query).map(|picture| picture.in_page(room));
        let mut known = known();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(state, markup.clone());
        markup
    })
}

/// Draws the picture of a state.
pub(crate) fn again((figure, query, [width, height, text, pixel]): &State) {
    let [width, height, text, pixel] = [*width, *height, *text, *pixel].map(f64::from_bits);
    drawn(figure, &Query::parse(query), Frame { width, height, text, pixel });
}

/// A state as it is written down, with its picture.
pub(crate) type Kept = (State, Option<String>);

/// What has been drawn so far.
pub(crate) fn pictures() -> Vec<Kept> {
    known().iter().map(|(state, markup)| (state.clone(), markup.clone())).collect()
}

/// Takes for drawn what [`pictures`] of this very program gave.
pub(crate) fn remember(all: Vec<Kept>) {
    known().extend(all.into_iter().take(KEPT));
}
