//! The one place where anything that a learner has done is kept.
//!
//! One document in the browser's local storage, under [`KEY`]. Every change reads what is stored now, applies itself, and
//! writes the whole back, so that two tabs add up instead of overwriting each other; the other tab is told by the browser.
//! What cannot be read is moved to a key of its own (`ringside.aside.…`) and the learner is told. What a later version wrote stays where
//! it is: a tab that is older than it shows what it understands, and stores nothing.

use gloo_storage::{LocalStorage, Storage as _};
use leptos::prelude::*;
use ringside_learner::doc::{self, Doc, Unusable};

use crate::once::{self, Once};
use crate::shell::notices::{self, Level};

/// The key of the document.
pub const KEY: &str = "ringside.store";
/// The start of the keys under which unreadable documents are kept.
pub const ASIDE: &str = "ringside.aside.";

/// The document as the app sees it.
#[derive(Clone, Copy)]
pub struct Store {
    doc: RwSignal<Doc>,
    /// The text that `doc` was last read from or written to.
    text: StoredValue<Option<String>>,
}

thread_local! {
    static STORE: Once<Store> = const { Once::new(None) };
}

/// Sets the store up and keeps it in step with other tabs.
pub fn provide() {
    let store = Store { doc: RwSignal::new(Doc::default()), text: StoredValue::new(None) };
    once::set(&STORE, store);
    store.reload();
    let listener = window_event_listener(leptos::ev::storage, move |event| {
        if event.key().is_none_or(|key| key == KEY) {
            store.reload();
        }
    });
    on_cleanup(move || listener.remove());
}

/// The store. There is one from the start of the app on.
pub fn store() -> Store {
    once::get(&STORE)
}

impl Store {
    /// Looks at the document. Tracks.
    pub fn with<T>(self, look: impl FnOnce(&Doc) -> T) -> T {
        self.doc.with(look)
    }

    /// Looks at the document without tracking.
    pub fn peek<T>(self, look: impl FnOnce(&Doc) -> T) -> T {
        self.doc.with_untracked(look)
    }

    /// Changes the document and stores it. If it cannot be stored, the change holds until the page is closed and the learner
    /// is told.
    pub fn update(self, change: impl FnOnce(&mut Doc)) {
        self.reload();
        self.doc.update(change);
        self.save();
    }

    /// The document for a file.
    pub fn export(self) -> String {
        self.peek(doc::write)
    }

    /// Replaces the document by an exported one.
    ///
    /// # Errors
    /// A sentence, when the text is not an export; nothing is changed then.
    pub fn import(self, text: &str) -> Result<(), String> {
        let doc = doc::read(text).map_err(|why| format!("This file was not imported: {why}. Nothing was changed."))?;
        self.doc.set(doc);
        self.save();
        Ok(())
    }

    /// Forgets everything, what was kept aside included.
    pub fn reset(self) {
        for key in aside_keys() {
            LocalStorage::delete(&key);
        }
        LocalStorage::delete(KEY);
        self.text.set_value(None);
        self.doc.set(Doc::default());
    }

    /// The documents kept aside: their keys and texts.
    pub fn aside(self) -> Vec<(String, String)> {
        aside_keys().into_iter().filter_map(|key| raw(&key).map(|text| (key, text))).collect()
    }

    /// Forgets one of the documents kept aside.
    pub fn forget_aside(self, key: &str) {
        if key.starts_with(ASIDE) {
            LocalStorage::delete(key);
        }
    }

    /// Takes over what is stored now, if it is not what was last seen.
    fn reload(self) {
        let stored = raw(KEY);
        if stored.is_none() && self.text.with_value(Option::is_some) {
            // Another tab has reset everything.
            self.text.set_value(None);
            self.doc.set(Doc::default());
            return;
        }
        let Some(stored) = stored else { return };
        if self.text.with_value(|seen| seen.as_deref() == Some(stored.as_str())) {
            return;
        }
        match doc::read(&stored) {
            Ok(doc) => {
                self.text.set_value(Some(stored));
                self.doc.set(doc);
            }
            Err(Unusable::Newer(_)) => {
                self.doc.set(doc::glimpse(&stored).unwrap_or_default());
                self.text.set_value(Some(stored));
                notices::say(
                    Level::Warning,
                    "A later version of Ringside has been open here. This page is older, so it stores nothing: reload it.".to_owned(),
                );
            }
            Err(why @ Unusable::Corrupt) => self.put_aside(&stored, &why),
        }
    }

    fn put_aside(self, stored: &str, why: &Unusable) {
        let taken = aside_keys();
        let key = (1..).map(|n: u32| format!("{ASIDE}{n}")).find(|key| !taken.contains(key)).unwrap_or_default();
        match set_raw(&key, stored) {
            Ok(()) => {
                LocalStorage::delete(KEY);
                notices::say(
                    Level::Warning,
                    format!(
                        "What was stored here could not be used: {why}. It is kept, untouched, as “{key}”; you can save it under Settings."
                    ),
                );
            }
            Err(()) => notices::say(
                Level::Warning,
                format!(
                    "What is stored here could not be used: {why}. There is no room to keep a copy, so it stays where it is and nothing new is stored."
                ),
            ),
        }
    }

    fn save(self) {
        if raw(KEY).is_some_and(|stored| doc::read(&stored).is_err()) {
            // A later version wrote it, or it could neither be read nor moved: see `reload`.
            return;
        }
        let text = self.peek(doc::write);
        match set_raw(KEY, &text) {
            Ok(()) => self.text.set_value(Some(text)),
            Err(()) => notices::say(
                Level::Warning,
                "This browser has no room to store that, or does not let this site store anything. Your work is kept until you close the page: export it under Settings.".to_owned(),
            ),
        }
    }
}

fn aside_keys() -> Vec<String> {
    let Some(storage) = storage() else { return Vec::new() };
    let count = storage.length().unwrap_or(0);
    (0..count).filter_map(|i| storage.key(i).ok().flatten()).filter(|key| key.starts_with(ASIDE)).collect()
}

/// Local storage, where the browser grants it: reading `window.localStorage` itself throws where it does not.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

fn raw(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

fn set_raw(key: &str, text: &str) -> Result<(), ()> {
    storage().ok_or(())?.set_item(key, text).map_err(|_| ())
}
