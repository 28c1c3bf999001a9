//! What there is one of, from the start of the app to its end.
//!
//! A context would be found only where Leptos knows the owner, which timers, observers and what comes after an `await` do
//! not have.

use std::cell::Cell;
use std::thread::LocalKey;

/// The place of such a thing.
pub type Once<T> = Cell<Option<T>>;

/// Puts it there.
pub fn set<T>(place: &'static LocalKey<Once<T>>, thing: T) {
    place.with(|cell| cell.set(Some(thing)));
}

/// It.
///
/// # Panics
/// Before the app has started: `app::App` sets everything first of all.
pub fn get<T: Copy>(place: &'static LocalKey<Once<T>>) -> T {
    place.with(Cell::get).expect("set when the app starts")
}
