//! Light, dark, or as the system says. `index.html` sets the stored theme before the first paint; this keeps it in step.

use leptos::prelude::*;
use ringside_learner::doc::Theme;

use crate::store::store;

/// Puts the stored theme on `<html data-theme>` now and whenever it changes.
pub fn apply() {
    let store = store();
    Effect::new(move |_| {
        let theme = store.with(|doc| doc.settings.theme);
        if let Some(root) = document().document_element() {
            // An attribute that cannot be set leaves the system's theme.
            let _ = root.set_attribute("data-theme", theme.name());
        }
    });
}

/// The next theme in the order system, light, dark.
pub fn cycle() {
    store().update(|doc| {
        doc.settings.theme = match doc.settings.theme {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        };
    });
}
